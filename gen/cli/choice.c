/* What gg_gemm would choose for a product on a device, and why: the terms of the model's prediction
 * for every kernel of the catalogue that computes the product. */
#include "cli/choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "choice/form.h"
#include "gemmgen_gemm.h"

typedef struct race {
  const cli_case *product;
  const char *name; /* of the product with its epilogue */
  int arch;
  int64_t multiprocessors; /* multiprocessors that the launch fills */
  gg_form form;
  gg_device_model device;
  const gg_lineup *lineup;
  gg_ranked *ranked;
  size_t count; /* of those ranked first, the kernels that can be launched for the product */
} race;

/* ---- Terms ---------------------------------------------------------------------------- */

enum { MULTIPLY };

/* The terms of a prediction, and how the explanation names them. */
static const struct {
  const char *name, *longer;
  size_t offset;
} terms[] = {
    [MULTIPLY] = {"multiplying", "multiplies", offsetof(gg_prediction, multiply)},
    {"loading shared memory", "loads shared memory", offsetof(gg_prediction, load)},
    {"DRAM", "waits for DRAM", offsetof(gg_prediction, dram)},
    {"the epilogue", "stores", offsetof(gg_prediction, epilogue)},
    {"sharing tiles", "shares tiles", offsetof(gg_prediction, sharing)},
    {"the launch", "launches", offsetof(gg_prediction, launch)},
};

enum { term_count = sizeof terms / sizeof *terms };

static double term(const gg_prediction *prediction, int index) {
  return *(const double *)((const char *)prediction + terms[index].offset);
}

static gg_prediction predict(const race *r, size_t rank) {
  gg_model model = gg_candidate_model(&r->lineup->list[r->ranked[rank].index], &r->device);
  return gg_model_predict(&model, cli_case_extents(r->product), r->multiprocessors);
}

static const gg_plan *plan_of(const race *r, size_t rank) {
  return &r->lineup->list[r->ranked[rank].index].plan;
}

static double tflops(const race *r, double seconds) {
  const cli_case *c = r->product;
  return 2e-12 * (double)c->m * (double)c->n * (double)c->k * (double)c->batch / seconds;
}

/* The part that most of a kernel's time goes to. */
typedef struct bound {
  const char *name;
  double seconds;
} bound;

/* The largest term of a prediction. For multiplying and for finishing tiles it also says which part
 * of that. */
static bound bound_of(const gg_prediction *p) {
  int most = MULTIPLY;
  for (int i = 1; i < term_count; i++) {
    if (term(p, i) > term(p, most)) most = i;
  }
  if (p->finish > term(p, most))
    return (bound){p->sums > p->finish / 2 ? "reading tensor memory" : "the epilogue", p->finish};
  if (most == MULTIPLY && p->operands > p->issue)
    return (bound){"reading operands of shared memory", p->multiply};
  return (bound){terms[most].name, term(p, most)};
}

/* Appends which term takes most of the winner's time, and in which term the second loses most. */
static void say_why(gg_str *out, const race *r) {
  gg_prediction first = predict(r, 0);
  bound by = bound_of(&first);
  int lost = 0;
  gg_str_printf(out, "%s, bound by %s (%.2f us of %.2f)", plan_of(r, 0)->name, by.name,
                1e6 * by.seconds, 1e6 * first.seconds);
  if (r->count == 1) return;
  gg_prediction second = predict(r, 1);
  for (int i = 1; i < term_count; i++) {
    double loss = term(&second, i) - term(&first, i);
    if (loss > term(&second, lost) - term(&first, lost)) lost = i;
  }
  double more = 100 * (second.seconds / first.seconds - 1);
  double loss = 1e6 * (term(&second, lost) - term(&first, lost));
  gg_str_printf(out, "; the next, %s, takes %.1f%% more", plan_of(r, 1)->name, more);
  if (loss > 0) gg_str_printf(out, ": it %s %.2f us longer", terms[lost].longer, loss);
}

/* ---- Text and JSON -------------------------------------------------------------------- */

/* The width of the longest of the first `count` names. */
static int name_width(const race *r, size_t count) {
  int width = 6;
  for (size_t i = 0; i < count; i++) {
    int length = (int)strlen(plan_of(r, i)->name);
    if (length > width) width = length;
  }
  return width;
}

static const char too_many[] = "its tiles are more than a grid has";

static void print_text(gg_str *out, const race *r, cli_choice_view view) {
  enum { FIRST = 20 };
  size_t count = r->count, refused = r->lineup->refused_count;
  size_t others = r->lineup->count - count;
  size_t shown = view == CLI_CHOICE_FIRST && count > FIRST ? FIRST : count;
  int width = name_width(r, shown);
  gg_str_puts(out, r->name);
  if (r->device.arch == r->arch) {
    gg_str_printf(out, " on %s (sm_%d)", r->device.name, r->arch);
  } else {
    gg_str_printf(out, " on sm_%d, by the figures of %s (sm_%d)", r->arch, r->device.name,
                  r->device.arch);
  }
  if (r->multiprocessors < r->device.sm_count)
    gg_str_printf(out, ", %lld of its", (long long)r->multiprocessors);
  else
    gg_str_putc(out, ',');
  gg_str_printf(out, " %d multiprocessors; times in us\n\n%-*s %8s %6s %6s %6s", r->device.sm_count,
                width, "kernel", "tiles", "shares", "rounds", "filled");
  gg_str_printf(out, " %6s %9s %9s %8s %8s %8s %9s %9s %7s  %s\n", "K step", "multiply", "load",
                "epilogue", "sharing", "DRAM", "DRAM MB", "predicted", "TFLOP/s", "bound by");
  for (size_t i = 0; i < shown; i++) {
    gg_prediction p = predict(r, i);
    gg_str_printf(out, "%-*s %8.0f %6lld %6.2f %6.2f %6.0f", width, plan_of(r, i)->name, p.tiles,
                  (long long)p.shares, p.rounds, p.filled, p.k_tiles);
    gg_str_printf(out, " %9.2f %9.2f %8.2f %8.2f %8.2f %9.1f %9.2f %7.1f  %s\n", 1e6 * p.multiply,
                  1e6 * p.load, 1e6 * p.epilogue, 1e6 * p.sharing, 1e6 * p.dram,
                  1e-6 * p.dram_bytes, 1e6 * p.seconds, tflops(r, p.seconds), bound_of(&p).name);
  }
  gg_str_puts(out, "\nchosen: ");
  say_why(out, r);
  gg_str_putc(out, '\n');
  if (view == CLI_CHOICE_FIRST && (shown < count || refused + others > 0))
    gg_str_printf(out, "%zu more kernels can compute it, and %zu cannot; --all shows them\n",
                  count - shown, refused + others);
  for (size_t i = 0; i < others && view == CLI_CHOICE_ALL; i++)
    gg_str_printf(out, "refused: %s: %s\n", plan_of(r, count + i)->name, too_many);
  for (size_t i = 0; i < refused && view == CLI_CHOICE_ALL; i++) {
    const gg_refusal *refusal = &r->lineup->refused[i];
    gg_str_printf(out, "refused: %s %s: %s\n", refusal->source, refusal->variant, refusal->why);
  }
}

static void json_text(gg_str *out, const char *key, const char *value) {
  gg_str_printf(out, "\"%s\": ", key);
  gg_str_json(out, value);
}

static void json_candidate(gg_str *out, const race *r, size_t rank) {
  gg_prediction p = predict(r, rank);
  gg_str_puts(out, rank ? ",\n    {" : "\n    {");
  json_text(out, "kernel", plan_of(r, rank)->name);
  gg_str_printf(out, ", \"seconds\": %.6g, \"tflops\": %.5g, \"tiles\": %.0f, \"rounds\": %.0f",
                p.seconds, tflops(r, p.seconds), p.tiles, p.rounds);
  gg_str_printf(out, ", \"filled\": %.4f, \"k_steps\": %.0f, \"launch\": %.4g, \"multiply\": %.4g",
                p.filled, p.k_tiles, p.launch, p.multiply);
  gg_str_printf(out, ", \"load\": %.4g, \"epilogue\": %.4g, \"dram\": %.4g", p.load, p.epilogue,
                p.dram);
  gg_str_printf(out, ", \"issue\": %.4g, \"operands\": %.4g, \"finish\": %.4g, \"sums\": %.4g, ",
                p.issue, p.operands, p.finish, p.sums);
  json_text(out, "bound_by", bound_of(&p).name);
  gg_str_printf(out, ", \"load_bytes\": %.0f, \"dram_bytes\": %.0f", p.load_bytes, p.dram_bytes);
  gg_str_printf(out, ", \"shares\": %lld, \"sharing\": %.4g, \"workspace_bytes\": %lld}",
                (long long)p.shares, p.sharing, (long long)p.workspace_bytes);
}

static void json_refusal(gg_str *out, bool first, const char *source, const char *variant,
                         const char *why) {
  gg_str_puts(out, first ? "\n    {" : ",\n    {");
  json_text(out, "source", source);
  gg_str_puts(out, ", ");
  json_text(out, "variant", variant);
  gg_str_puts(out, ", ");
  json_text(out, "why", why);
  gg_str_putc(out, '}');
}

static void print_json(gg_str *out, const race *r) {
  gg_str why = GG_STR_INIT;
  say_why(&why, r);
  gg_str_puts(out, "{");
  json_text(out, "problem", r->name);
  gg_str_puts(out, ", ");
  gg_str_printf(out, "\"arch\": \"sm_%d\", ", r->arch);
  json_text(out, "device", r->device.name);
  gg_str_printf(out,
                ", \"device_arch\": \"sm_%d\", \"sm_count\": %d, \"multiprocessors\": %lld,\n  ",
                r->device.arch, r->device.sm_count, (long long)r->multiprocessors);
  json_text(out, "chosen", plan_of(r, 0)->name);
  gg_str_puts(out, ",\n  ");
  json_text(out, "why", gg_str_text(&why));
  gg_str_puts(out, ",\n  \"candidates\": [");
  for (size_t i = 0; i < r->count; i++)
    json_candidate(out, r, i);
  gg_str_puts(out, "\n  ],\n  \"refused\": [");
  for (size_t i = 0; i < r->lineup->refused_count; i++) {
    const gg_refusal *refusal = &r->lineup->refused[i];
    json_refusal(out, i == 0, refusal->source, refusal->variant, refusal->why);
  }
  for (size_t i = r->count; i < r->lineup->count; i++) {
    bool first = i == r->count && r->lineup->refused_count == 0;
    json_refusal(out, first, plan_of(r, i)->name, "", too_many);
  }
  gg_str_puts(out, "\n  ]}\n");
  out->failed = out->failed || why.failed;
  gg_str_free(&why);
}

/* ---- The command ---------------------------------------------------------------------- */

/* Moves kernels that the product has too many tiles for behind the others, which keep their order,
 * and counts these. */
static gg_status part_launchable(race *r, gg_error *err) {
  size_t all = r->lineup->count;
  gg_ranked *parted = gg_malloc(all * sizeof *parted);
  if (!parted) return gg_fail(err, MEMORY, NULL, "");
  size_t count = 0, others = all;
  for (size_t i = 0; i < all; i++) {
    bool fits = isfinite(predict(r, i).seconds);
    parted[fits ? count++ : --others] = r->ranked[i];
  }
  memcpy(r->ranked, parted, all * sizeof *parted);
  gg_free(parted);
  r->count = count;
  if (count > 0) return GG_OK;
  const cli_case *c = r->product;
  char why[160];
  snprintf(why, sizeof why,
           "%lld x %lld, batch %lld, has more tiles by every kernel than the %d CTAs of a grid",
           (long long)c->m, (long long)c->n, (long long)c->batch, INT32_MAX);
  return gg_fail(err, PROBLEM_SIZE, NULL, why);
}

static gg_status explain(gg_str *out, race *r, const gg_catalogue *catalogue, int arch,
                         cli_choice_view view, gg_error *err) {
  gg_lineup *lineup;
  gg_ranked *ranked = NULL;
  gg_status st = gg_lineup_make(&lineup, catalogue, &r->form, arch, err);
  if (st) return st;
  if (lineup->count == 0) {
    st = gg_lineup_fail(lineup, &r->form, arch, err);
  } else if (!(ranked = gg_malloc(lineup->count * sizeof *ranked))) {
    st = gg_fail(err, MEMORY, NULL, "");
  } else {
    gg_lineup_rank(ranked, lineup, cli_case_extents(r->product), &r->device,
                   (gg_room){GG_GEMM_WORKSPACE, r->multiprocessors});
    r->lineup = lineup;
    r->ranked = ranked;
    st = part_launchable(r, err);
    if (!st && view == CLI_CHOICE_JSON)
      print_json(out, r);
    else if (!st)
      print_text(out, r, view);
  }
  gg_free(ranked);
  gg_lineup_free(lineup);
  return st;
}

int cli_choice_explain(const cli_case *product, const gg_form *form, cli_choice_device on,
                       char *const *specs, int spec_count, cli_choice_view view) {
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT, name = GG_STR_INIT;
  gg_catalogue *catalogue = NULL;
  race r = {.product = product, .arch = on.arch, .form = *form};
  r.device = gg_device_model_of(NULL, on.arch, on.sm_count);
  r.multiprocessors = gg_multiprocessors_of(&r.device, on.multiprocessors);
  gg_status st = cli_product_name(&name, product, form, &err);
  r.name = gg_str_text(&name);
  if (!st) {
    st = spec_count ? gg_catalogue_load(&catalogue, specs, (size_t)spec_count, &err)
                    : gg_catalogue_open(&catalogue, &err);
  }
  if (!st) st = explain(&text, &r, catalogue, on.arch, view, &err);
  if (!st) st = cli_print(&text, &err);
  gg_catalogue_close(catalogue);
  gg_str_free(&name);
  gg_str_free(&text);
  return st ? cli_report(&err, NULL) : CLI_OK;
}
