/* gemmgen bench: our kernels beside cuBLASLt and the tensor cores' own rate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "choice/form.h"
#include "cli/bench.h"
#include "cli/bench_summary.h"
#include "cli/bench_table.h"
#include "cli/kernels.h"
#include "cli/products.h"
#include "cli/specs.h"
#include "cli/tune_kernels.h"
#include "plan/operation.h"
#include "trial.h"

enum { most_chosen = 64, chosen_name_width = 60 };

typedef struct bench_options {
  cli_shape shape;
  const char *cases, *epilogue, *emit, *tsv, *json, *markdown, *svg, *cublaslt;
  bool pointers, ceiling, no_cublaslt, best, no_overlap, keep_going;
  int64_t top, measure, samples, seed, device;
} bench_options;

static const cli_option options[] = {
    {"cases", 0, CLI_STRING, offsetof(bench_options, cases), "FILE",
     "the problems, one a line; without it, -m -n -k -l"},
    CLI_EXTENT_OPTIONS(bench_options, shape),
    {"epilogue", 0, CLI_STRING, offsetof(bench_options, epilogue), "LIST",
     "each case with each of these epilogues, ours beside cuBLASLt's own"},
    {"pointers", 0, CLI_FLAG, offsetof(bench_options, pointers), NULL,
     "the matrices of a batch are where arrays of addresses say, for cuBLASLt, too"},
    {"ceiling", 0, CLI_FLAG, offsetof(bench_options, ceiling), NULL,
     "measure the register-only rate of mma.sync beside them"},
    {"cublaslt", 0, CLI_STRING, offsetof(bench_options, cublaslt), "FILE", "load this libcublasLt"},
    {"no-cublaslt", 0, CLI_FLAG, offsetof(bench_options, no_cublaslt), NULL, "do without cuBLASLt"},
    {"no-overlap", 0, CLI_FLAG, offsetof(bench_options, no_overlap), NULL,
     "begin each of our launches when the one before it has ended"},
    CLI_EMIT_OPTION(bench_options, emit),
    CLI_KEEP_GOING_OPTION(bench_options, keep_going),
    {"best", 0, CLI_FLAG, offsetof(bench_options, best), NULL,
     "show only the fastest kernel of each case"},
    {"top", 0, CLI_COUNT, offsetof(bench_options, top), "N",
     "without a SPEC: the N that the model ranks first (1)"},
    {"measure", 0, CLI_COUNT, offsetof(bench_options, measure), "N",
     "without a SPEC: the one that gg_gemm finds fastest of N, by measuring them at work"},
    {"samples", 0, CLI_COUNT, offsetof(bench_options, samples), "N",
     "samples, of which the median counts (7)"},
    {"tsv", 0, CLI_STRING, offsetof(bench_options, tsv), "FILE",
     "write the table as TSV, anew with each case that is measured"},
    {"json", 0, CLI_STRING, offsetof(bench_options, json), "FILE",
     "write the table, the device and what was skipped as JSON"},
    {"markdown", 0, CLI_STRING, offsetof(bench_options, markdown), "FILE",
     "write each case's fastest kernel as a table in Markdown"},
    {"svg", 0, CLI_STRING, offsetof(bench_options, svg), "FILE",
     "plot each case's fastest kernel over cuBLASLt's first choice"},
    {"seed", 0, CLI_INT, offsetof(bench_options, seed), "N", "of the inputs (0)"},
    {"device", 0, CLI_INT, offsetof(bench_options, device), "N", "the driver's ordinal (0)"},
    {0},
};

/* ---- What is to be done --------------------------------------------------------------- */

typedef struct bench {
  const bench_options *given;
  cli_kernels kernels;
  cli_cases cases;
  const bench_epilogue *epilogues[BENCH_EPILOGUES_MAX]; /* ends with NULL; empty: only the product
                                                         */
  const bench_epilogue *epilogue;                       /* the current one, or NULL */
  const gg_module *bare; /* for the current case, with an epilogue: our kernel of the bare product,
                          * or NULL */
  bench_rig rig;
  gg_module **modules;     /* one for each kernel; NULL: it did not load */
  gg_catalogue *catalogue; /* used without a SPEC: where a case's kernels come from */
  gg_gemm *gemm;           /* chooses by measuring; NULL: the model chooses */
  tune_form *forms;
  gg_device_model model;
  const gg_kernel **covering; /* for the current case */
  gg_module **covering_modules;
  bench_table table;
  bench_summary summary;
  bool wrong; /* a kernel of ours gave a wrong result */
} bench;

static bool same_case(const cli_case *x, const cli_case *y) {
  return x->a == y->a && x->b == y->b && x->d == y->d && x->accumulator == y->accumulator &&
         x->fast == y->fast && x->a_major == y->a_major && x->b_major == y->b_major &&
         x->d_major == y->d_major && x->m == y->m && x->n == y->n && x->k == y->k &&
         x->batch == y->batch && gg_same_scaling(x->scale_a, y->scale_a) &&
         gg_same_scaling(x->scale_b, y->scale_b) && gg_same_scaling(x->scale_d, y->scale_d) &&
         x->sparse_a == y->sparse_a && x->sparse_b == y->sparse_b && x->xor_bits == y->xor_bits &&
         x->pointers == y->pointers;
}

/* Makes a case of -m -n -k -l for every combination of types and majors that the kernels have. */
static int make_cases(bench *b) {
  b->cases.list = gg_malloc((b->kernels.count + 1) * sizeof *b->cases.list);
  if (!b->cases.list) return cli_usage("out of memory");
  for (size_t i = 0; i < b->kernels.count; i++) {
    const gg_kernel *kernel = b->kernels.list[i];
    gg_problem p;
    int code = cli_shape_read(&p, &b->given->shape, kernel);
    if (code) return code;
    cli_case c = {.a = kernel->a.type,
                  .b = kernel->b.type,
                  .d = kernel->d.type,
                  .accumulator = kernel->accumulator,
                  .fast = cli_kernel_is_fast(kernel),
                  .a_major = kernel->a.major,
                  .b_major = kernel->b.major,
                  .d_major = kernel->d.major,
                  .m = p.m,
                  .n = p.n,
                  .k = p.k,
                  .batch = p.batch,
                  .scale_a = kernel->scale_a,
                  .scale_b = kernel->scale_b,
                  .scale_d = kernel->scale_d,
                  .sparse_a = kernel->sparse_a,
                  .sparse_b = kernel->sparse_b != 0,
                  .xor_bits = kernel->xor_bits != 0,
                  .pointers = kernel->pointers != 0};
    bool known = p.m == 0 || p.n == 0 || p.k == 0 || p.batch == 0; /* no work to time */
    for (size_t j = 0; j < b->cases.count && !known; j++) {
      known = same_case(&b->cases.list[j], &c);
    }
    if (!known) b->cases.list[b->cases.count++] = c;
  }
  return CLI_OK;
}

/* Reads the cases of --cases, or makes them from the kernels. All of them get arrays of addresses
 * where --pointers asks for it. */
static int find_cases(bench *b) {
  const char *path = b->given->cases;
  int code = path ? cli_cases_load(&b->cases, path) : make_cases(b);
  for (size_t i = 0; i < b->cases.count && b->given->pointers; i++)
    b->cases.list[i].pointers = true;
  return code;
}

/* ---- Output --------------------------------------------------------------------------- */

static void put_results(bench *b, const cli_case *c, const bench_label *of,
                        const bench_result *result, int count) {
  int fastest = 0;
  for (int i = 0; i < count; i++) {
    if (result->ours[i].tflops > result->ours[fastest].tflops) fastest = i;
    b->wrong = b->wrong || !result->ours[i].right;
  }
  for (int i = 0; i < count; i++) {
    /* A wrong result is shown whatever its speed. */
    if (b->given->best && i != fastest && result->ours[i].right) continue;
    bench_table_row(&b->table, of, b->covering[i], result, &result->ours[i]);
  }
  const bench_figure *ours = &result->ours[fastest];
  bench_row row = {.problem = *c,
                   .ours = ours->tflops,
                   .first = result->lt_first.tflops,
                   .best = result->lt_best.tflops,
                   .bare = result->bare.tflops,
                   .lt_bare = result->lt_bare.tflops,
                   .separate = result->separate};
  if (b->epilogue) row.epilogue = b->epilogue->word;
  if (b->epilogue) row.apart = b->epilogue->cublaslt == GG_CUBLASLT_PRODUCT;
  bench_summary_add(&b->summary, &row, b->covering[fastest]->name);
  b->wrong = b->wrong || (result->bare.tflops > 0 && !result->bare.right);
  bench_table_remarks(of, result);
  bench_table_keep(&b->table);
}

/* Writes the text to `path`, if there is one, and frees it. */
static int write_file(const char *path, gg_str *text) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = GG_OK;
  if (path) {
    st = cli_write_text(path, text, &err);
  }
  gg_str_free(text);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

/* Checks before the run that the files of results can be written, as most are written only at its
 * end. */
static int check_files(const bench_options *given) {
  const char *const paths[] = {given->tsv, given->json, given->markdown, given->svg};
  int code = CLI_OK;
  for (size_t i = 0; i < sizeof paths / sizeof *paths && !code; i++)
    code = cli_check_writable(paths[i]);
  return code;
}

static int write_files(bench *b) {
  gg_error err = GG_ERROR_INIT;
  gg_str json = GG_STR_INIT, markdown = GG_STR_INIT, svg = GG_STR_INIT;
  bench_table_json(&json, &b->table, gg_context_device(b->rig.context),
                   b->rig.lt ? gg_cublaslt_version(b->rig.lt) : 0);
  bench_summary_markdown(&markdown, &b->summary);
  bench_summary_svg(&svg, &b->summary, gg_context_device(b->rig.context)->name);
  int codes[] = {bench_table_write(&b->table, &err) ? cli_report(&err, NULL) : CLI_OK,
                 write_file(b->given->json, &json), write_file(b->given->markdown, &markdown),
                 write_file(b->given->svg, &svg)};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    if (codes[i]) return codes[i];
  }
  return CLI_OK;
}

/* ---- The run -------------------------------------------------------------------------- */

/* Whether two kernels' epilogues read and write the same operands. Kernels that are measured on one
 * case share all operands. */
static bool same_epilogue(const gg_kernel *x, const gg_kernel *y) {
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++) {
    const gg_operation *a = &x->operations[i], *b = &y->operations[i];
    if (gg_operation_span(a) != gg_operation_span(b) || a->operand.type != b->operand.type)
      return false;
    if (a->kind != b->kind && gg_operation_span(a) != GG_SPAN_NONE) return false;
  }
  return true;
}

/* Whether a kernel computes the case with its form's epilogue; if not, `why` says what stands in
 * the way. */
static bool is_covering(const bench *b, size_t index, const cli_case *c, const gg_form *form,
                        gg_str *why) {
  const gg_kernel *kernel = b->kernels.list[index];
  if (!b->modules[index]) gg_str_puts(why, "did not load");
  return b->modules[index] && cli_case_covered(c, kernel, why) &&
         (!b->epilogue || bench_epilogue_is(kernel, form, why));
}

/* Collects the kernels that cover the case; tells why the others do not. */
static int find_covering(bench *b, const cli_case *c, const gg_form *form, const bench_label *of) {
  int count = 0;
  gg_str first = GG_STR_INIT;
  for (size_t i = 0; i < b->kernels.count; i++) {
    const gg_kernel *kernel = b->kernels.list[i];
    gg_str why = GG_STR_INIT;
    bool alike = count == 0 || same_epilogue(b->covering[0], kernel);
    if (!alike) gg_str_printf(&why, "its epilogue is not that of %s", b->covering[0]->name);
    if (alike && is_covering(b, i, c, form, &why)) {
      b->covering[count] = kernel;
      b->covering_modules[count++] = b->modules[i];
    } else {
      bench_table_skip(&b->table, of, kernel, gg_str_shown(&why));
      if (!first.length) gg_str_printf(&first, "%s: %s", kernel->name, gg_str_shown(&why));
    }
    gg_str_free(&why);
  }
  if (count == 0) {
    bench_label_print(of);
    printf(" skipped, no kernel covers it (%s)\n", gg_str_shown(&first));
  }
  gg_str_free(&first);
  return count;
}

/* Whether the kernel uses local memory. gg_gemm passes over such kernels and takes the next of its
 * ranking. */
static bool spills(const tune_kernel *one) {
  return one->module && gg_module_facts_of(one->module)->local_bytes > 0;
}

/* Loads kernels in their ranked order and keeps the first `most` that gg_gemm would take. Where all
 * of them spill, it keeps the first. */
static void keep_those_taken(size_t *indices, size_t *count, tune_form *ranking, size_t most,
                             gg_context *context) {
  size_t kept = 0, next = 0;
  while (next < *count && kept < most) {
    size_t wanted = most - kept < *count - next ? most - kept : *count - next;
    tune_generate(ranking, indices + next, wanted);
    tune_load(ranking, indices + next, wanted, context);
    for (size_t end = next + wanted; next < end; next++)
      if (!spills(&ranking->kernels[indices[next]])) indices[kept++] = indices[next];
  }
  *count = kept ? kept : 1;
}

/* Finds the catalogue's kernels that the model ranks first for the case. */
static gg_status rank_form(tune_form **out, size_t **indices, size_t *count, bench *b,
                           const cli_case *c, const gg_form *form, int64_t most, gg_error *err) {
  gg_status st = tune_form_find(out, &b->forms, b->catalogue, form,
                                gg_context_device(b->rig.context)->arch, err);
  if (st) return st;
  return tune_rank(indices, count, *out, cli_case_extents(c), &b->model, (size_t)most, err);
}

/* The same, but compiled, and without those that spill. */
static gg_status rank_case(tune_form **out, size_t **indices, size_t *count, bench *b,
                           const cli_case *c, const gg_form *form, int64_t top, gg_error *err) {
  gg_status st = rank_form(out, indices, count, b, c, form, top + GG_SPILLING_MOST - 1, err);
  if (!st) keep_those_taken(*indices, count, *out, (size_t)top, b->rig.context);
  return st;
}

/* Replaces the model's first choice, *index, by the kernel that gg_gemm chooses by measuring. */
static gg_status put_measured(size_t *index, bench *b, const cli_case *c, const gg_form *form,
                              tune_form *ranking, gg_error *err) {
  const tune_kernel *first = &ranking->kernels[*index];
  gg_gemm_choice choice;
  b->rig.overlap = !b->given->no_overlap;
  if (!first->module) return GG_OK; /* that it did not load is reported elsewhere */
  bench_entry entry = {.c = c,
                       .kernels = (const gg_kernel *const *)&first->kernel,
                       .count = 1,
                       .epilogue = b->epilogue};
  gg_status st = bench_decide(&choice, b->gemm, form, &b->rig, &entry, err);
  if (st) return st;
  if (choice.apart) b->rig.overlap = false;
  if (choice.measuring) cli_warn(NULL, "which kernel is the fastest is not decided in two minutes");
  for (size_t i = 0; i < ranking->lineup->count; i++)
    if (choice.kernel && strcmp(ranking->lineup->list[i].plan.name, choice.kernel) == 0) *index = i;
  tune_generate(ranking, index, 1);
  tune_load(ranking, index, 1, b->rig.context);
  return GG_OK;
}

/* Collects the chosen kernels, and reports why some of them do not cover the case after all. */
static int choose_covering(bench *b, const cli_case *c, const gg_form *form,
                           const bench_label *of) {
  gg_error err = GG_ERROR_INIT;
  gg_str first = GG_STR_INIT;
  tune_form *ranking;
  size_t *indices = NULL, ranked;
  int count = 0;
  gg_status st = rank_case(&ranking, &indices, &ranked, b, c, form, b->given->top, &err);
  if (!st && b->gemm) st = put_measured(&indices[0], b, c, form, ranking, &err);
  if (st) {
    bench_table_skip_case(&b->table, of, err.message);
    gg_error_clear(&err);
    gg_free(indices);
    return 0;
  }
  for (size_t i = 0; i < ranked; i++) {
    tune_kernel *one = &ranking->kernels[indices[i]];
    gg_str why = GG_STR_INIT;
    if (one->module && cli_case_covered(c, one->kernel, &why)) {
      b->covering[count] = one->kernel;
      b->covering_modules[count++] = one->module;
    } else if (!one->kernel) {
      gg_str_printf(&why, "%s is left out: %s", ranking->lineup->list[indices[i]].plan.name,
                    one->failure.message);
      cli_warn(NULL, gg_str_shown(&why));
    } else {
      const char *reason = why.length ? gg_str_shown(&why) : one->failure.message;
      bench_table_skip(&b->table, of, one->kernel, reason);
      if (!first.length) gg_str_printf(&first, " (%s: %s)", one->kernel->name, reason);
    }
    gg_str_free(&why);
  }
  gg_free(indices);
  if (count == 0) {
    bench_label_print(of);
    printf(" skipped, none of the kernels chosen covers it%s\n", gg_str_shown(&first));
  }
  gg_str_free(&first);
  return count;
}

/* Finds a kernel for the bare product: the first of the SPECs without an epilogue, or the
 * catalogue's. */
static const gg_module *find_bare(bench *b, const cli_case *c) {
  gg_form form = cli_case_form(c);
  gg_error err = GG_ERROR_INIT;
  gg_str why = GG_STR_INIT;
  tune_form *ranking;
  size_t *indices, ranked;
  const gg_module *found = NULL;
  for (size_t i = 0; i < b->kernels.count && !found; i++) {
    const gg_kernel *kernel = b->kernels.list[i];
    bool is = b->modules[i] && cli_case_covered(c, kernel, &why);
    if (is && bench_epilogue_is(kernel, &form, &why)) found = b->modules[i];
  }
  if (b->catalogue && !rank_case(&ranking, &indices, &ranked, b, c, &form, 1, &err)) {
    found = ranking->kernels[indices[0]].module;
    gg_free(indices);
  }
  gg_error_clear(&err);
  gg_str_free(&why);
  return found;
}

static int measure(bench *b, const cli_case *c, const gg_form *form, const bench_label *of) {
  gg_error err = GG_ERROR_INIT;
  bench_result result;
  int count = b->catalogue ? choose_covering(b, c, form, of) : find_covering(b, c, form, of);
  if (count == 0) return CLI_OK;
  bool beside = b->epilogue && b->epilogue != bench_epilogues; /* the first: no epilogue */
  bench_entry entry = {.c = c,
                       .kernels = b->covering,
                       .modules = b->covering_modules,
                       .count = count,
                       .epilogue = b->epilogue,
                       .bare = beside ? b->bare : NULL};
  if (bench_case(&result, &b->rig, &entry, &err)) return cli_report(&err, NULL);
  put_results(b, c, of, &result, count);
  bench_result_free(&result);
  return CLI_OK;
}

/* Runs the case without an epilogue, or with the current one. */
static int run_case(bench *b, const cli_case *c) {
  gg_str name = GG_STR_INIT, operations = GG_STR_INIT, why = GG_STR_INIT;
  gg_form form = cli_case_form(c);
  int code = CLI_OK;
  cli_case_name(&name, c);
  bool can = !b->epilogue || bench_epilogue_form(&form, &operations, &why, b->epilogue, c);
  bench_label label = {gg_str_text(&name), b->epilogue};
  if (name.failed || operations.failed)
    code = cli_out_of_memory();
  else if (can)
    code = measure(b, c, &form, &label);
  else
    bench_table_skip_case(&b->table, &label, gg_str_shown(&why));
  fflush(stdout);
  gg_str_free(&name);
  gg_str_free(&operations);
  gg_str_free(&why);
  return code;
}

static int run_epilogues(bench *b, const cli_case *c) {
  int code = CLI_OK;
  if (!b->epilogues[0]) return run_case(b, c);
  b->bare = find_bare(b, c);
  for (int i = 0; b->epilogues[i]; i++) {
    b->epilogue = b->epilogues[i];
    int failed = run_case(b, c);
    if (failed) code = failed;
  }
  b->epilogue = NULL;
  return code;
}

/* Generates the kernels that the case will want: those that the model ranks first, or those that
 * gg_gemm will measure, which then finds them in the cache. Failures are reported when the case is
 * run. */
static void generate_chosen(bench *b, const cli_case *c, const gg_form *form) {
  gg_error err = GG_ERROR_INIT;
  tune_form *ranking;
  size_t *indices, ranked;
  int64_t most = b->given->measure ? b->given->measure + GG_SPILLING_MOST : b->given->top;
  if (!rank_form(&ranking, &indices, &ranked, b, c, form, most, &err)) {
    tune_generate(ranking, indices, ranked);
    gg_free(indices);
  }
  gg_error_clear(&err);
}

/* Compiles the kernels of all cases in parallel. Done case by case, there would be fewer kernels
 * than cores. */
static int compile_ahead(bench *b) {
  gg_error err = GG_ERROR_INIT;
  for (size_t i = 0; i < b->cases.count; i++) {
    const cli_case *c = &b->cases.list[i];
    gg_form bare = cli_case_form(c);
    generate_chosen(b, c, &bare);
    for (int e = 0; b->epilogues[e]; e++) {
      gg_form form = bare;
      gg_str operations = GG_STR_INIT, why = GG_STR_INIT;
      if (bench_epilogue_form(&form, &operations, &why, b->epilogues[e], c) && !operations.failed)
        generate_chosen(b, c, &form);
      gg_str_free(&operations);
      gg_str_free(&why);
    }
  }
  return tune_load_generated(b->forms, b->rig.context, &err) ? cli_report(&err, NULL) : CLI_OK;
}

static int load_modules(bench *b) {
  size_t count = b->kernels.count, most = b->catalogue ? most_chosen : count;
  b->modules = gg_malloc((count + 1) * sizeof *b->modules);
  b->covering = gg_malloc(most * sizeof *b->covering);
  b->covering_modules = gg_malloc(most * sizeof *b->covering_modules);
  if (!b->modules || !b->covering || !b->covering_modules) {
    gg_free(b->modules);
    b->modules = NULL;
    return cli_out_of_memory();
  }
  int code = CLI_OK;
  for (size_t i = 0; i < count; i++) {
    gg_error err = GG_ERROR_INIT;
    const gg_kernel *kernel = b->kernels.list[i];
    b->modules[i] = NULL;
    const char *obstacle = gg_trial_obstacle(kernel);
    if (obstacle) {
      fprintf(stderr, "gemmgen: %s is left out: %s\n", kernel->name, obstacle);
    } else if (gg_module_load(&b->modules[i], b->rig.context, kernel, &err)) {
      code = cli_report(&err, NULL);
    }
    gg_str label = GG_STR_INIT;
    bench_kernel_label(&label, kernel);
    int width = (int)label.length;
    gg_str_free(&label);
    if (width > b->table.name_width) b->table.name_width = width;
    cli_progress("compile", i + 1, count);
  }
  return code;
}

static void open_cublaslt(bench *b) {
  gg_error err = GG_ERROR_INIT;
  if (b->given->no_cublaslt) return;
  if (gg_cublaslt_open(&b->rig.lt, b->rig.context, b->given->cublaslt, &err))
    cli_warn(NULL, err.message);
  gg_error_clear(&err);
}

/* Opens the gg_gemm that measures. It ignores packs and what `gemmgen tune` has written. */
static int open_gemm(bench *b) {
  gg_error err = GG_ERROR_INIT;
  gg_gemm_options measuring = GG_GEMM_OPTIONS_INIT;
  measuring.tuned = measuring.packs = "";
  measuring.measure = b->given->measure;
  if (!b->given->measure) return CLI_OK;
  return gg_gemm_open(&b->gemm, b->rig.context, &measuring, &err) ? cli_report(&err, NULL) : CLI_OK;
}

static int run_all(bench *b) {
  const gg_device_facts *device = gg_context_device(b->rig.context);
  b->model = gg_device_model_of(device->name, device->arch, device->sm_count);
  int code = load_modules(b);
  if (!b->modules) return code;
  if (b->catalogue) {
    int failed = compile_ahead(b);
    if (failed) code = failed;
  }
  open_cublaslt(b);
  printf("%s, sm_%d, driver %d.%d", device->name, device->arch, device->driver_version / 1000,
         device->driver_version % 1000 / 10);
  if (b->rig.lt) printf(", cuBLASLt %d", gg_cublaslt_version(b->rig.lt));
  printf("\n");
  bench_table_begin(&b->table);
  for (size_t i = 0; i < b->cases.count; i++) {
    int failed = run_epilogues(b, &b->cases.list[i]);
    if (failed) code = failed;
    cli_progress("bench", i + 1, b->cases.count);
  }
  gg_error err = GG_ERROR_INIT;
  gg_str means = GG_STR_INIT;
  bench_summary_lines(&means, &b->summary);
  int failed = cli_print(&means, &err) ? cli_report(&err, NULL) : CLI_OK;
  gg_str_free(&means);
  int unwritten = write_files(b);
  if (unwritten) failed = unwritten;
  for (size_t i = 0; i < b->kernels.count; i++)
    gg_module_free(b->modules[i]);
  tune_forms_free(b->forms);
  gg_cublaslt_close(b->rig.lt);
  return failed ? failed : b->wrong ? CLI_FAILED : code;
}

static int run_on_device(bench *b) {
  gg_error err = GG_ERROR_INIT;
  gg_context_options opt = {
      .size = sizeof(gg_context_options),
      .device = (int)b->given->device,
      .provider = GG_PROVIDER_CUDA,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .warn = cli_warn}};
  gg_status st = gg_context_open(&b->rig.context, &opt, &err);
  if (st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE) {
    printf("%zu kernels, %zu cases. Nothing was run: %s.\n", b->kernels.count, b->cases.count,
           err.message);
    gg_error_clear(&err);
    return CLI_NO_DEVICE;
  }
  if (st) return cli_report(&err, NULL);
  int code = check_files(b->given);
  if (!code) code = open_gemm(b);
  if (!code) code = run_all(b);
  gg_gemm_close(b->gemm);
  gg_context_close(b->rig.context);
  return code;
}

static int open_catalogue(bench *b) {
  gg_error err = GG_ERROR_INIT;
  return gg_catalogue_open(&b->catalogue, &err) ? cli_report(&err, NULL) : CLI_OK;
}

static int run(const void *values, int argc, char **argv) {
  bench_options given = *(const bench_options *)values;
  bench b = {.given = &given, .table.name_width = argc ? 6 : chosen_name_width};
  b.rig = (bench_rig){.ceiling = given.ceiling,
                      .overlap = !given.no_overlap,
                      .seed = (uint64_t)given.seed,
                      .timing = GG_TIMING_OPTIONS_INIT};
  if (given.samples) b.rig.timing.samples = (int)given.samples;
  if (given.samples > GG_TIMING_SAMPLES_MAX)
    return cli_usage("--samples is from 1 to %d", GG_TIMING_SAMPLES_MAX);
  if (given.top > most_chosen) return cli_usage("--top is from 1 to %d", most_chosen);
  if (given.top && argc) return cli_usage("--top is for what the catalogue has: without a SPEC");
  if (given.measure > GG_GEMM_MEASURE_MAX)
    return cli_usage("--measure is from 1 to %d", GG_GEMM_MEASURE_MAX);
  if (given.measure && (argc || given.top))
    return cli_usage("--measure is for what the catalogue has: without a SPEC, and without --top");
  if (given.top == 0) given.top = 1;
  if (given.device < 0 || given.device > INT32_MAX) return cli_usage("--device counts from 0");
  if (argc == 0 && !given.cases) return cli_usage("bench takes SPECs, --cases or both");
  int misread = given.epilogue ? bench_epilogues_read(b.epilogues, given.epilogue) : CLI_OK;
  if (misread) return misread;
  b.table.path = given.tsv;
  b.table.epilogues = b.epilogues[0];
  unsigned texts;
  misread = cli_texts_read(&texts, given.emit);
  if (misread) return misread;
  if (given.emit && !argc) return cli_usage("--emit is for the kernels of SPECs");
  int refused = argc ? cli_kernels_load(&b.kernels, argc, argv, texts, given.keep_going) : CLI_OK;
  int code = given.keep_going && b.kernels.count > 0 ? CLI_OK : refused;
  if (!code && argc == 0) code = open_catalogue(&b);
  if (!code) code = find_cases(&b);
  if (!code) code = run_on_device(&b);
  if (!code) code = refused;
  gg_free(b.modules);
  gg_free(b.covering);
  gg_free(b.covering_modules);
  bench_table_free(&b.table);
  bench_summary_free(&b.summary);
  cli_cases_free(&b.cases);
  cli_kernels_free(&b.kernels);
  gg_catalogue_close(b.catalogue);
  return code;
}

const cli_command cmd_bench = {
    .name = "bench",
    .operands = "[SPEC...]",
    .summary = "Time kernels beside cuBLASLt",
    .details =
        "Without a SPEC, each of the --cases is computed by the kernel that gg_gemm's model chooses\n"
        "from the catalogue (or by the --top ones). With --measure N each is first launched by a gg_gemm\n"
        "that measures N kernels at work (gg_gemm_options.measure), until it has found the fastest; what\n"
        "an earlier run has found stands beside the disk cache, and is not measured again.\n"
        "\n"
        "Each problem is computed by every kernel that covers it, by cuBLASLt's first heuristic\n"
        "choice and by the best of its first 8 (64 MiB of workspace), all in one run: a CUDA\n"
        "graph of launches of at least 10 ms a sample, the contenders taking turns, the median\n"
        "of the samples. Operands are normal deviates, in as many sets as together exceed twice\n"
        "the L2 cache. Every contender's result is compared with f64 sums of 64 x 64 sampled\n"
        "elements. Only ratios within one run mean much.\n"
        "\n"
        "--epilogue none,bias,bias_gelu computes each case with each epilogue of the list: ours by the\n"
        "kernel that gg_gemm chooses for it, or by the SPECs that have it, cuBLASLt by its own. The\n"
        "products without it take turns with them, and \"over bare\" is how many times as long as that\n"
        "the whole takes, for ours and for cuBLASLt; \"of separate\" is our speed over that of separate\n"
        "kernels, at the least that they take: the product and, behind it, a kernel that moves what the\n"
        "epilogue reads and stores, but computes nothing (not measured with C in place). The words:\n"
        "none; bias, relu, gelu and silu, and bias_relu, bias_gelu, bias_silu; gelu_aux, a bias and gelu\n"
        "of which also the argument is stored; dgelu, the product times gelu's derivative at a matrix,\n"
        "and dgelu_bgrad, also with the sums that a bias has as its gradient; swiglu and geglu, which\n"
        "gate columns two by two;\n"
        "beta_c and beta_c_in_place, 0.5 C with C beside D and in its place; residual; of 8-bit floats\n"
        "scales (one of A and one of B), scales_d (also one of D) and scales_mn (one a row of A and a\n"
        "column of B). gelu is of form tanh_approx, which is cuBLASLt's. Beside silu, swiglu and geglu,\n"
        "which it has not, cuBLASLt computes the bare product.\n"
        "\n"
        "--pointers gives matrices of a batch by arrays of addresses, in an order that is no constant\n"
        "stride, to kernels with `problem: {pointers: true}`, which the catalogue makes of all\n"
        "families, and to cuBLASLt, whose newer versions take them.\n"
        "\n"
        "The file of --tsv has each case's rows as soon as they are measured, so that a run that is cut\n"
        "off has left those before; it is whole at any time. The other files, and a pipe or a device, are\n"
        "written at the end.\n"
        "\n"
        "Types with scale factors are e4m3:ue8m0, e2m1:ue4m3, e2m1:ue8m0:16; those of a sparse A\n"
        "or B bf16:sparse, e2m1:sparse:ue4m3. Bits that are counted where they differ are b1:xor b1.\n"
        "A line of a cases file: types of A, B, D, accumulator, majors of A (k, m), B (k, n), D\n"
        "(n, m), M N K batch. The exit status is 3 where there is no GPU.",
    .options = options,
    .options_size = sizeof(bench_options),
    .run = run,
};
