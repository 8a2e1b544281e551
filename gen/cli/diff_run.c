#include "cli/diff_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"
#include "cli/page_run.h"

enum { counters_most = 64, name_most = 40, extent_most = 24 };

/* ---- The problem ------------------------------------------------------------------------ */

/* The extent that both kernels run with, as an option's text: what one of them fixes, else the
 * larger of the extents that each would be run with alone. */
static const char *extent_text(char out[extent_most], int64_t fixed_a, int64_t fixed_b, int64_t a,
                               int64_t b) {
  int64_t extent = fixed_a != GG_FIXED_NONE   ? fixed_a
                   : fixed_b != GG_FIXED_NONE ? fixed_b
                   : a > b                    ? a
                                              : b;
  snprintf(out, extent_most, "%lld", (long long)extent);
  return out;
}

typedef struct extent_texts {
  char m[extent_most], n[extent_most], k[extent_most];
} extent_texts;

static cli_shape shape_of(extent_texts *texts, const cli_made *a, const cli_made *b,
                          const cli_shape *given) {
  const gg_kernel *of_a = a->kernel, *of_b = b->kernel;
  const cli_extents x = cli_usual_extents(a->compilation.plan, of_a),
                    y = cli_usual_extents(b->compilation.plan, of_b);
  cli_shape shape = *given;
  if (!shape.m) shape.m = extent_text(texts->m, of_a->fixed_m, of_b->fixed_m, x.m, y.m);
  if (!shape.n) shape.n = extent_text(texts->n, of_a->fixed_n, of_b->fixed_n, x.n, y.n);
  if (!shape.k) shape.k = extent_text(texts->k, of_a->fixed_k, of_b->fixed_k, x.k, y.k);
  return shape;
}

/* ---- Counters --------------------------------------------------------------------------- */

typedef struct counter {
  char name[name_most];
  long long value;
} counter;

typedef struct counters {
  counter list[counters_most];
  size_t count;
} counters;

/* Adds `count` to the counter of that name. A name like "tma_bytes_in" becomes "tma bytes in". */
static void add(counters *to, const char *name, const char *behind, const gg_yaml_node *count) {
  counter *at = to->list;
  counter one = {.value = strtoll(count->text, NULL, 10)};
  snprintf(one.name, sizeof one.name, "%s%s", name, behind);
  for (char *c = one.name; *c; c++)
    if (*c == '_') *c = ' ';
  while (at < to->list + to->count && strcmp(at->name, one.name) != 0)
    at++;
  if (at < to->list + to->count)
    at->value += one.value;
  else if (to->count < counters_most)
    to->list[to->count++] = one;
}

/* Adds the counters of every instruction that accesses memory. */
static void add_sites(counters *to, const gg_yaml_node *sites) {
  for (const gg_yaml_node *site = sites->first; site; site = site->next)
    for (const gg_yaml_node *entry = site->first; entry; entry = entry->next)
      if (strstr(entry->key, "wavefronts") || strstr(entry->key, "sectors"))
        add(to, entry->key, "", entry);
}

static void add_kernel(counters *to, const gg_yaml_node *kernel) {
  for (const gg_yaml_node *entry = kernel->first; entry; entry = entry->next) {
    if (strcmp(entry->key, "instructions") == 0) {
      for (const gg_yaml_node *kind = entry->first; kind; kind = kind->next)
        add(to, kind->key, " instructions of warps", kind->first);
    } else if (strcmp(entry->key, "sites") == 0) {
      add_sites(to, entry);
    } else if (entry->kind == GG_YAML_SCALAR && !entry->quoted) {
      add(to, entry->key, "", entry);
    }
  }
}

static gg_status read_counters(counters *out, const char *json, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  const gg_yaml_node *root = NULL;
  gg_status st = gg_yaml_parse(&root, &arena, json, strlen(json), "counters", err);
  if (!st)
    for (const gg_yaml_node *kernel = root->first->first; kernel; kernel = kernel->next)
      add_kernel(out, kernel);
  gg_arena_free(&arena);
  return st;
}

/* ---- Both ------------------------------------------------------------------------------- */

static long long value_of(const counters *of, const char *name) {
  for (size_t i = 0; i < of->count; i++)
    if (strcmp(of->list[i].name, name) == 0) return of->list[i].value;
  return 0;
}

static void put_counters(gg_str *out, bool *differ, const counters pair[2],
                         const gg_page_run *run) {
  gg_str lines = GG_STR_INIT;
  for (size_t i = 0; i < pair[0].count; i++) {
    long long a = pair[0].list[i].value, b = value_of(&pair[1], pair[0].list[i].name);
    if (a == b) continue;
    gg_str_printf(&lines, "  %-32s %lld -> %lld\n", pair[0].list[i].name, a, b);
  }
  gg_str_printf(out,
                "Counters of a launch in the emulator (M %lld, N %lld, K %lld, batch %lld)%s\n",
                (long long)run->m, (long long)run->n, (long long)run->k, (long long)run->batch,
                lines.length ? ":" : " are the same.");
  *differ = *differ || lines.length;
  gg_str_puts(out, gg_str_text(&lines));
  if (lines.failed) out->failed = true;
  gg_str_free(&lines);
}

int cli_diff_run(gg_str *out, bool *differ, const cli_made *a, const cli_made *b,
                 const cli_shape *given) {
  const cli_made *made[2] = {a, b};
  gg_error err = GG_ERROR_INIT;
  extent_texts texts;
  const cli_shape shape = shape_of(&texts, a, b, given);
  counters pair[2] = {0};
  gg_page_run run = {0};
  int code = CLI_OK;
  for (int i = 0; i < 2 && !code; i++) {
    cli_page_run one = {0};
    const gg_compilation *of = &made[i]->compilation;
    code = cli_page_run_make(&one, of->plan, of->layouts, made[i]->kernel, &shape, NULL);
    if (!code && read_counters(&pair[i], one.counters, &err)) code = cli_report(&err, NULL);
    run = one.run;
    cli_page_run_free(&one);
  }
  if (!code) put_counters(out, differ, pair, &run);
  return code;
}
