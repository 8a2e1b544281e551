/* gemmgen diff: what two specs' kernels differ in, from their decisions down to PTX. */
#include <stdio.h>
#include <string.h>

#include "cli/diff_run.h"
#include "cli/kernel_page.h"

typedef struct diff_options {
  const char *lines, *out;
  cli_shape shape;
  bool exit_code, run, html;
} diff_options;

enum { usual_lines = 12 };

static const cli_option options[] = {
    {"lines", 0, CLI_STRING, offsetof(diff_options, lines), "N",
     "lines that are shown of each text, or all (12)"},
    {"exit-code", 0, CLI_FLAG, offsetof(diff_options, exit_code), NULL,
     "exit with 1 where the kernels differ"},
    {"run", 0, CLI_FLAG, offsetof(diff_options, run), NULL,
     "run both in the emulator, and show the counters that differ"},
    {"m", 'm', CLI_STRING, offsetof(diff_options, shape.m), "M", "of --run: rows (a cluster's)"},
    {"n", 'n', CLI_STRING, offsetof(diff_options, shape.n), "N", "of --run: columns (a cluster's)"},
    {"k", 'k', CLI_STRING, offsetof(diff_options, shape.k), "K",
     "of --run: the summed extent (two K tiles more than there are stages)"},
    {"l", 'l', CLI_STRING, offsetof(diff_options, shape.l), "L", "of --run: the batch (1)"},
    {"html", 0, CLI_FLAG, offsetof(diff_options, html), NULL,
     "write the page of SPEC's kernel, on which what OTHER's has otherwise is marked"},
    {"out", 'o', CLI_STRING, offsetof(diff_options, out), "FILE",
     "of --html (default: standard output)"},
    {0},
};

static int read_lines(size_t *out, const char *text) {
  unsigned long long lines;
  char rest;
  *out = usual_lines;
  if (!text) return CLI_OK;
  *out = SIZE_MAX;
  if (strcmp(text, "all") == 0) return CLI_OK;
  if (*text == '-' || sscanf(text, "%llu%c", &lines, &rest) != 1)
    return cli_usage("--lines takes a number from 0 on, or all, not '%s'", text);
  *out = (size_t)lines;
  return CLI_OK;
}

/* ---- Facts ------------------------------------------------------------------------------ */

static void put_facts(gg_str *out, const gg_comparison *c) {
  const char *section = "";
  if (!c->fact_count) gg_str_puts(out, "Decisions and layouts are the same.\n");
  for (size_t i = 0; i < c->fact_count; i++) {
    const gg_fact *a = c->facts[i].a, *b = c->facts[i].b, *any = a ? a : b;
    if (strcmp(section, any->section) != 0) gg_str_printf(out, "%s\n", any->section);
    section = any->section;
    gg_str_printf(out, "  %-22s %s", any->name, a ? a->text : "none");
    size_t wide = strlen(a ? a->text : "") + strlen(b ? b->text : "");
    gg_str_printf(out, "%s -> %s\n", wide > 60 ? "\n                        " : "",
                  b ? b->text : "none");
  }
}

/* ---- Texts ------------------------------------------------------------------------------ */

/* Prints lines of one side of a hunk, as long as some of `left` remain. */
static void put_lines(gg_str *out, char sign, const gg_lines *lines, size_t begin, size_t end,
                      size_t *left) {
  for (size_t i = begin; i < end && *left; i++, --*left) {
    const gg_line *line = &lines->list[i];
    gg_str_printf(out, "  %c %5d  ", sign, line->number);
    gg_str_append(out, line->shown, line->length);
    gg_str_putc(out, '\n');
  }
}

/* Prints how two texts differ. True where they do. */
static bool put_text(gg_str *out, const char *title, const gg_lines pair[2], size_t most) {
  const gg_change change = gg_change_of(pair);
  gg_hunk at = {0};
  if (!change.places) {
    gg_str_printf(out, "%s is the same.\n", title);
    return false;
  }
  gg_str_printf(out, "%s: %zu lines of the first alone, %zu of the second, in %zu place%s\n", title,
                change.of_a, change.of_b, change.places, change.places == 1 ? "" : "s");
  size_t all = change.of_a + change.of_b;
  while (most && gg_next_hunk(&at, &pair[0], &pair[1])) {
    put_lines(out, '-', &pair[0], at.a, at.a_end, &most);
    put_lines(out, '+', &pair[1], at.b, at.b_end, &most);
  }
  if (gg_next_hunk(&at, &pair[0], &pair[1]) && !most && all)
    gg_str_puts(out, "  ... (--lines all)\n");
  return true;
}

static void put_comparison(gg_str *out, bool *differ, const gg_comparison *c, size_t lines) {
  put_facts(out, c);
  *differ = put_text(out, "CUDA C++", c->cuda, lines) || c->fact_count;
  if (c->of[0].ptx && c->of[1].ptx)
    *differ = put_text(out, "PTX", c->ptx, lines) || *differ;
  else
    gg_str_puts(out, "PTX is not compared: NVRTC has not made both.\n");
}

static int write_page(const diff_options *given, char **argv) {
  const cli_page_options page = {
      .out = given->out, .run = given->run, .shape = given->shape, .other = argv[1]};
  if (given->lines || given->exit_code)
    return cli_usage("%s is not of --html", given->lines ? "--lines" : "--exit-code");
  return cli_kernel_page(&page, 1, &argv[0]);
}

static int check_usage(const diff_options *given, int argc) {
  const cli_shape *shape = &given->shape;
  if (argc != 2) return cli_usage("diff takes two specs");
  if (given->out && !given->html) return cli_usage("--out is of --html");
  if (!given->run && (shape->m || shape->n || shape->k || shape->l))
    return cli_usage("-m, -n, -k and -l are of --run");
  return CLI_OK;
}

static int run(const void *values, int argc, char **argv) {
  const diff_options *given = values;
  cli_made a, b = {.compilation = GG_COMPILATION_INIT};
  gg_comparison comparison = {.arena = GG_ARENA_INIT};
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  size_t lines;
  bool differ = false;
  int code = read_lines(&lines, given->lines);
  if (!code) code = check_usage(given, argc);
  if (code || given->html) return code ? code : write_page(given, argv);
  code = cli_made_load(&a, "diff", 1, &argv[0]);
  if (!code) code = cli_made_load(&b, "diff", 1, &argv[1]);
  if (!code) code = cli_compare(&comparison, &a, &b);
  if (!code) put_comparison(&text, &differ, &comparison, lines);
  if (!code && given->run) code = cli_diff_run(&text, &differ, &a, &b, &given->shape);
  if (!code && cli_print(&text, &err)) code = cli_report(&err, NULL);
  gg_str_free(&text);
  gg_comparison_free(&comparison);
  cli_made_free(&a);
  cli_made_free(&b);
  return !code && differ && given->exit_code ? CLI_FAILED : code;
}

const cli_command cmd_diff = {
    .name = "diff",
    .operands = "SPEC OTHER",
    .summary = "Show what two specs' kernels differ in, down to PTX",
    .details =
        "Prints the decisions, layouts and costs that differ, then lines of the CUDA C++ and of the\n"
        "PTX that NVRTC makes of it: those of the first spec's kernel alone marked -, those of the\n"
        "second's +. Comments and the kernels' names are no differences, and in PTX neither are the\n"
        "numbers of registers and labels. With --run both compute one problem in the emulator, and the\n"
        "counters that differ follow; --html writes the page that `explain --html --compare` does.",
    .options = options,
    .options_size = sizeof(diff_options),
    .run = run,
};
