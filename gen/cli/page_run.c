#include "cli/page_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "base/file.h"
#include "cli/emulate.h"
#include "cli/names.h"
#include "context.h"
#include "gemmgen_emu.h"
#include "problem.h"
#include "trial.h"

enum { timeline_limit = 512 << 20, usual_row = 5, usual_k = 17 };

/* How many multiply-adds --run accepts: what the emulator does in some seconds. */
static const int64_t work_most = (int64_t)1 << 30;

/* ---- What is asked ---------------------------------------------------------------------- */

static int read_element(gg_page_run *run, const char *text) {
  long long row, along_k;
  char rest;
  run->row = run->m > usual_row ? usual_row : run->m - 1;
  run->along_k = run->k > usual_k ? usual_k : run->k - 1;
  if (!text) return CLI_OK;
  if (sscanf(text, "%lld %lld %c", &row, &along_k, &rest) != 2 || row < 0 || along_k < 0)
    return cli_usage("--element takes a row of A and a place along K, such as \"5 17\", not '%s'",
                     text);
  if (row >= run->m || along_k >= run->k)
    return cli_usage("--element: A has %lld x %lld elements, and no (%lld, %lld)",
                     (long long)run->m, (long long)run->k, row, along_k);
  run->row = row;
  run->along_k = along_k;
  return CLI_OK;
}

static int64_t fixed_or(int64_t fixed, int64_t own) {
  return fixed == GG_FIXED_NONE ? own : fixed;
}

cli_extents cli_usual_extents(const gg_plan *plan, const gg_kernel *kernel) {
  return (cli_extents){.m = fixed_or(kernel->fixed_m, (int64_t)kernel->cluster_m * kernel->tile_m),
                       .n = fixed_or(kernel->fixed_n, (int64_t)kernel->cluster_n * kernel->tile_n),
                       .k = fixed_or(kernel->fixed_k, (int64_t)(plan->stages + 2) * plan->tile_k)};
}

static int read_problem(gg_problem *problem, gg_page_run *run, const cli_shape *shape,
                        const gg_plan *plan, const gg_kernel *kernel, const char *element) {
  int code = cli_shape_read(problem, shape, kernel);
  if (code) return code;
  const cli_extents usual = cli_usual_extents(plan, kernel);
  if (!shape->m) problem->m = usual.m;
  if (!shape->n) problem->n = usual.n;
  if (!shape->k) problem->k = usual.k;
  const char *obstacle = gg_trial_obstacle(kernel);
  if (obstacle) return cli_usage("cannot run %s: %s", kernel->name, obstacle);
  run->m = problem->m, run->n = problem->n, run->k = problem->k, run->batch = problem->batch;
  if (run->m < 1 || run->n < 1 || run->k < 1 || run->batch < 1)
    return cli_usage("--run needs a product: m, n, k and the batch are from 1 on");
  double work = (double)run->m * (double)run->n * (double)run->k * (double)run->batch;
  if (work > (double)work_most)
    return cli_usage("--run is for small products: %.3g multiply-adds are more than the %.3g that "
                     "the emulator does in some seconds",
                     work, (double)work_most);
  return read_element(run, element);
}

/* ---- The launch ------------------------------------------------------------------------- */

/* The address of the element's first byte. 0 where it has none that can be told: in a sparse A, and
 * in batches given as arrays of addresses. */
static uint64_t address_of(const gg_trial *trial, const gg_page_run *run) {
  gg_view view = gg_problem_view(trial->kernel, &trial->problem, 'a');
  bool k_major = strcmp(view.length_name, "k") == 0;
  int64_t line = k_major ? run->row : run->along_k, place = k_major ? run->along_k : run->row;
  if (trial->kernel->sparse_a || view.pointers) return 0;
  int64_t bits = gg_dtype_info_of(view.operand->type)->bits;
  return view.address + (uint64_t)((line * view.ld + place) * bits / 8);
}

/* Gets a text from the emulator by calling `give`. The caller frees it; NULL: memory ran out. */
static char *text_of(size_t (*give)(char *buffer, size_t size)) {
  size_t length = give(NULL, 0);
  char *text = gg_malloc(length + 1);
  if (text) give(text, length + 1);
  return text;
}

static size_t counters_json(char *buffer, size_t size) {
  return gg_emu_counters(buffer, size, 1);
}

static gg_status launch(cli_page_run *out, gg_context *context, const gg_kernel *kernel,
                        const gg_problem *problem, gg_error *err) {
  const gg_trial_options as_usual = {.least_aligned = true, .shift = 1};
  gg_trial_inputs inputs = {0};
  gg_trial trial = {0};
  gg_module *module = NULL;
  gg_status st = gg_module_load(&module, context, kernel, err);
  if (!st) st = gg_trial_inputs_make(&inputs, kernel, GG_INPUTS_INTEGERS, problem->k, 0, err);
  if (!st) st = gg_trial_open(&trial, context, kernel, problem, &as_usual, &inputs, err);
  uint64_t address = st ? 0 : address_of(&trial, &out->run);
  if (address) gg_emu_follow(address, 1);
  if (!st) st = gg_trial_run(&trial, module, NULL, err);
  if (!st && address) out->followed = text_of(gg_emu_followed);
  gg_emu_follow(0, 0);
  if (!st) out->counters = text_of(counters_json);
  if (!st && (!out->counters || (address && !out->followed))) st = gg_fail(err, MEMORY, NULL, "");
  gg_trial_close(&trial);
  gg_trial_inputs_free(&inputs);
  gg_module_free(module);
  return st;
}

static gg_status launch_alone(cli_page_run *out, const gg_kernel *kernel, const gg_problem *problem,
                              gg_error *err) {
  gg_compiler_options compiler = GG_COMPILER_OPTIONS_INIT;
  compiler.warn = cli_warn;
  gg_context_options options = {
      .size = sizeof options, .provider = GG_PROVIDER_EMU, .compiler = &compiler};
  gg_context *context = NULL;
  gg_status st = gg_context_open(&context, &options, err);
  if (!st) out->run.arch = gg_context_device(context)->arch;
  if (!st) st = launch(out, context, kernel, problem, err);
  gg_context_close(context);
  return st;
}

/* Runs the kernel and closes the context, as the emulator writes the timeline file only then. */
static int run_to_file(cli_page_run *out, const gg_kernel *kernel, const gg_problem *problem,
                       const char *path) {
  gg_error err = GG_ERROR_INIT;
  cli_device device;
  const cli_emulate emulate = {.device = "emu", .counters = "-", .trace = path, .threads = 1};
  size_t length;
  int code = cli_emulate_begin(&device, &emulate, kernel->arch);
  if (code) return code;
  gg_status st = launch_alone(out, kernel, problem, &err);
  if (!st) st = gg_file_read(&out->timeline, &length, path, timeline_limit, &err);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

int cli_page_run_make(cli_page_run *out, const gg_plan *plan, const gg_layouts *layouts,
                      const gg_kernel *kernel, const cli_shape *shape, const char *element) {
  const char *folder = getenv("TMPDIR");
  gg_str path = GG_STR_INIT;
  gg_problem problem = {0};
  *out = (cli_page_run){0};
  int code = read_problem(&problem, &out->run, shape, plan, kernel, element);
  if (code) return code;
  cli_name_kernel(plan, layouts);
  gg_str_printf(&path, "%s/gemmgen-timeline-XXXXXX", folder && *folder ? folder : "/tmp");
  int file = path.failed ? -1 : mkstemp(path.text);
  if (file < 0) {
    code = cli_usage("--run: no file for the timeline can be made in %s",
                     folder && *folder ? folder : "/tmp");
  } else {
    close(file);
    code = run_to_file(out, kernel, &problem, path.text);
    unlink(path.text);
  }
  gg_str_free(&path);
  out->run.counters = out->counters;
  out->run.timeline = out->timeline;
  out->run.followed = out->followed;
  return code;
}

void cli_page_run_free(cli_page_run *run) {
  gg_free(run->counters);
  gg_free(run->timeline);
  gg_free(run->followed);
}
