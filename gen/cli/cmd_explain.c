/* gemmgen explain: what was decided and derived for a spec, and what it costs. */
#include <stdio.h>
#include <string.h>

#include "cli/bench_epilogue.h"
#include "cli/choice.h"
#include "cli/kernel_page.h"
#include "cli/kernel_picture.h"
#include "cli/specs.h"
#include "pipeline.h"

typedef struct explain_options {
  const char *format, *svg, *out, *problem, *types, *epilogue, *arch;
  bool json, html, keep_going, pointers, all, run;
  int64_t sms, multiprocessors;
  const char *element, *compare;
  cli_shape shape;
} explain_options;

static const cli_option options[] = {
    {"format", 0, CLI_STRING, offsetof(explain_options, format), "FORMAT",
     "text (default) or json"},
    {"json", 0, CLI_FLAG, offsetof(explain_options, json), NULL, "the same as --format json"},
    {"svg", 0, CLI_STRING, offsetof(explain_options, svg), "FILE",
     "draw the one kernel of SPEC: rings and roles, tensor memory, sub-tiles, the split of a pair"},
    {"html", 0, CLI_FLAG, offsetof(explain_options, html), NULL,
     "write the one kernel of SPEC as a page: decisions, layouts, memory, source beside PTX"},
    {"output", 'o', CLI_STRING, offsetof(explain_options, out), "FILE",
     "of --html (default: standard output)"},
    {"run", 0, CLI_FLAG, offsetof(explain_options, run), NULL,
     "of --html: run it in the emulator, and show its timeline and counters"},
    {"m", 'm', CLI_STRING, offsetof(explain_options, shape.m), "M", "of --run: rows (a cluster's)"},
    {"n", 'n', CLI_STRING, offsetof(explain_options, shape.n), "N",
     "of --run: columns (a cluster's)"},
    {"k", 'k', CLI_STRING, offsetof(explain_options, shape.k), "K",
     "of --run: the summed extent (two K tiles more than there are stages)"},
    {"l", 'l', CLI_STRING, offsetof(explain_options, shape.l), "L", "of --run: the batch (1)"},
    {"element", 0, CLI_STRING, offsetof(explain_options, element), "\"M K\"",
     "of --run: the element of A whose way is told (\"5 17\")"},
    {"compare", 0, CLI_STRING, offsetof(explain_options, compare), "SPEC",
     "of --html: mark what differs from this spec's kernel"},
    CLI_KEEP_GOING_OPTION(explain_options, keep_going),
    {"problem", 0, CLI_STRING, offsetof(explain_options, problem), "\"M N K [BATCH]\"",
     "explain which kernel gg_gemm takes for this product"},
    {"types", 0, CLI_STRING, offsetof(explain_options, types), "A,B,D[,ACC[,MAJORS]]",
     "of the product (bf16,bf16,bf16,f32,kkn)"},
    {"epilogue", 0, CLI_STRING, offsetof(explain_options, epilogue), "WORD",
     "of the product, in a word of bench: bias_gelu, beta_c, residual, ... (none)"},
    {"pointers", 0, CLI_FLAG, offsetof(explain_options, pointers), NULL,
     "of the product: its batch is given by arrays of addresses"},
    {"all", 0, CLI_FLAG, offsetof(explain_options, all), NULL,
     "of --problem: every kernel, not the first 20 alone, and why others cannot compute it"},
    {"arch", 0, CLI_STRING, offsetof(explain_options, arch), "sm_NN",
     "of the product's device: sm_90 (default) is an H100"},
    {"sms", 0, CLI_COUNT, offsetof(explain_options, sms), "N",
     "its multiprocessors (those of the card that the model was fitted to)"},
    {"multiprocessors", 0, CLI_COUNT, offsetof(explain_options, multiprocessors), "N",
     "of them, those that the launch may fill (all), as gg_problem has it"},
    {0},
};

/* The state of the printing. JSON is one array of all kernels. */
typedef struct explanation {
  bool json;
  size_t printed;
} explanation;

static gg_status draw(void *user, const gg_spec *spec, gg_error *err) {
  const char *path = user;
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_str text = GG_STR_INIT;
  gg_status st = gg_compilation_run(&compilation, spec, err);
  if (!st) cli_kernel_picture(&text, compilation.plan, compilation.layouts);
  if (!st && text.failed) st = gg_fail(err, MEMORY, NULL, "");
  if (!st) st = cli_write(path, gg_str_text(&text), text.length, err);
  gg_str_free(&text);
  gg_compilation_free(&compilation);
  return st;
}

static int draw_kernel(const char *path, int argc, char **argv) {
  cli_specs specs;
  int code = cli_specs_load(&specs, argc, argv);
  if (!code && specs.count != 1) code = cli_usage("--svg shows one kernel, not %zu", specs.count);
  if (!code) code = cli_specs_each(&specs, false, NULL, draw, (void *)path);
  cli_specs_free(&specs);
  return code;
}

static gg_status explain(void *user, const gg_spec *spec, gg_error *err) {
  explanation *ex = user;
  gg_report report = {.arena = GG_ARENA_INIT};
  gg_str text = GG_STR_INIT;
  gg_status st = gg_report_of_spec(&report, spec, err);
  if (st == GG_OK && ex->json) {
    gg_str_puts(&text, ex->printed ? ",\n" : "[\n");
    gg_report_json(&text, &report);
  } else if (st == GG_OK) {
    if (ex->printed) gg_str_putc(&text, '\n');
    gg_report_print(&text, &report, "");
  }
  if (st == GG_OK) cli_note(spec, report.note);
  if (st == GG_OK) st = cli_print(&text, err);
  if (st == GG_OK) ex->printed++;
  gg_str_free(&text);
  gg_report_free(&report);
  return st;
}

/* Makes the product's form with its epilogue, whose text goes into `text`. */
static int read_form(gg_form *out, gg_str *text, const explain_options *given, const cli_case *c) {
  const bench_epilogue *words[BENCH_EPILOGUES_MAX];
  gg_str why = GG_STR_INIT;
  *out = cli_case_form(c);
  out->pointers = given->pointers;
  if (!given->epilogue) return CLI_OK;
  int code = bench_epilogues_read(words, given->epilogue);
  if (code) return code;
  if (words[1]) return cli_usage("explain takes one --epilogue");
  bool can = bench_epilogue_form(out, text, &why, words[0], c);
  if (text->failed || why.failed) {
    code = cli_out_of_memory();
  } else if (!can) {
    code = cli_usage("this product has no epilogue %s: %s", words[0]->word, gg_str_shown(&why));
  }
  gg_str_free(&why);
  return code;
}

static int explain_problem(const explain_options *given, bool json, int argc, char **argv) {
  cli_cases cases;
  gg_form form;
  gg_str epilogue = GG_STR_INIT;
  gg_arch arch = {.number = 90};
  int code = given->arch ? cli_arch_read(&arch, given->arch) : CLI_OK;
  if (code) return code;
  if (given->sms > 100000) return cli_usage("--sms takes a number such as 132");
  if (given->multiprocessors > 100000)
    return cli_usage("--multiprocessors takes a number such as 100");
  const char *types = given->types ? given->types : "bf16,bf16,bf16";
  code = cli_product_read(&cases, given->problem, types);
  if (!code) code = read_form(&form, &epilogue, given, &cases.list[0]);
  if (!code) {
    cli_choice_device on = {arch.number, (int)given->sms, (int)given->multiprocessors};
    cli_choice_view view = json                     ? CLI_CHOICE_JSON
                           : given->all || argc > 0 ? CLI_CHOICE_ALL
                                                    : CLI_CHOICE_FIRST;
    code = cli_choice_explain(&cases.list[0], &form, on, argv, argc, view);
  }
  gg_str_free(&epilogue);
  cli_cases_free(&cases);
  return code;
}

static bool is_shaped(const cli_shape *shape) {
  return shape->m || shape->n || shape->k || shape->l;
}

static int write_page(const explain_options *given, int argc, char **argv) {
  const cli_page_options page = {.out = given->out,
                                 .run = given->run,
                                 .shape = given->shape,
                                 .element = given->element,
                                 .other = given->compare};
  return cli_kernel_page(&page, argc, argv);
}

static int run(const void *values, int argc, char **argv) {
  const explain_options *given = values;
  const char *format = given->format ? given->format : given->json ? "json" : "text";
  explanation ex = {.json = strcmp(format, "json") == 0};
  if (!ex.json && strcmp(format, "text") != 0) {
    return cli_usage("--format takes text or json, not '%s'", format);
  }
  if ((given->svg || given->html) && given->problem)
    return cli_usage("%s is of a SPEC", given->svg ? "--svg" : "--html");
  if (!given->html) {
    const char *stray = given->out       ? "-o"
                        : given->run     ? "--run"
                        : given->compare ? "--compare"
                                         : NULL;
    if (stray) return cli_usage("%s is of --html", stray);
  }
  if (!given->run && (is_shaped(&given->shape) || given->element))
    return cli_usage("%s of --run", given->element ? "--element is" : "-m, -n, -k and -l are");
  if (given->problem) return explain_problem(given, ex.json, argc, argv);
  if (given->types || given->epilogue || given->all) {
    return cli_usage("%s is of a --problem", given->types      ? "--types"
                                             : given->epilogue ? "--epilogue"
                                                               : "--all");
  }
  if (given->arch || given->sms || given->multiprocessors)
    return cli_usage("--arch, --sms and --multiprocessors are of a --problem's device");
  if (argc == 0) return cli_usage("explain needs a spec, or a --problem");
  if (given->svg) return draw_kernel(given->svg, argc, argv);
  if (given->html) return write_page(given, argc, argv);
  int status = cli_each_spec(argc, argv, given->keep_going, explain, &ex);
  if (ex.json) fputs(ex.printed ? "]\n" : "[]\n", stdout);
  return status;
}

const cli_command cmd_explain = {
    .name = "explain",
    .operands = "[SPEC...]",
    .summary = "Show the plan, every layout, the memory map and the cost",
    .details =
        "Bank conflicts are counted from the layouts, for every access to shared memory: 1.00\n"
        "is free of them. Occupancy is worked out for the spec's architecture.\n"
        "\n"
        "--svg draws a kernel instead: who fills and drains its rings, and of family sm100 who lives\n"
        "where in tensor memory, sums and scale factors, in which order the epilogue's warps finish a\n"
        "tile, and how a pair of CTAs divides an MMA.\n"
        "\n"
        "--html writes a kernel as one page, which opens from disk and takes nothing from a network:\n"
        "the steps of a tile, every decision with its reason, shared memory with its rings, each\n"
        "operand's layout as a picture that says of an element where it lies and who has it, tensor\n"
        "maps and descriptors field by field, and the kernel's text beside its PTX, line by line.\n"
        "With --run it has the timeline and counters of one launch in the emulator, and the way of an\n"
        "element of A; with --compare it marks what another spec's kernel has otherwise (docs/page.md).\n"
        "\n"
        "With --problem: the kernels that gg_gemm could take for the product, by the model's\n"
        "predicted time, with its terms (docs/tuning.md), and why the first one is it. With SPECs\n"
        "the kernels are theirs, their operands replaced by the product's; else they are the first\n"
        "20 of the catalogue's, or all with --all. Operands are densely packed. --epilogue, a word\n"
        "of bench, is of the product.",
    .options = options,
    .options_size = sizeof(explain_options),
    .run = run,
};
