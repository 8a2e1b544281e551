/* gemmgen run: launches a kernel on random operands and compares its result with an independent
 * reference; with two devices, also compares their results bit by bit. */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "cli/emulate.h"
#include "cli/kernels.h"
#include "cli/names.h"
#include "cli/specs.h"
#include "gemmgen_emu.h"
#include "number.h"
#include "plan/operation.h"
#include "trial.h"

typedef struct run_options {
  cli_shape shape;
  int64_t seed, pad;
  const char *inputs;
  bool pack_scales, keep_going;
  const char *emit;
  cli_emulate emulate;
} run_options;

static const cli_option options[] = {
    CLI_EXTENT_OPTIONS(run_options, shape),
    {"alpha", 0, CLI_STRING, offsetof(run_options, shape.alpha), "X", "scale of A * B (1)"},
    {"beta", 0, CLI_STRING, offsetof(run_options, shape.beta), "X", "scale of C (0)"},
    {"inputs", 0, CLI_STRING, offsetof(run_options, inputs), "KIND",
     "normal, integers or both (both)"},
    {"pad", 0, CLI_INT, offsetof(run_options, pad), "N",
     "lengthen every row by N units of its alignment (0)"},
    {"pack-scales", 0, CLI_FLAG, offsetof(run_options, pack_scales), NULL,
     "have the device pack scale factors of A and B, from rows"},
    {"seed", 0, CLI_INT, offsetof(run_options, seed), "N", "of the inputs (0)"},
    CLI_EMIT_OPTION(run_options, emit),
    CLI_KEEP_GOING_OPTION(run_options, keep_going),
    CLI_EMULATE_OPTIONS(run_options, emulate),
    {0},
};

/* Multiply-adds for the reference: what the host does in some tenths of a second, and a budget for
 * the device. */
static const int64_t host_budget = (int64_t)1 << 27, device_budget = (int64_t)1 << 37;

/* ---- Without a device ----------------------------------------------------------------- */

static int compile_only(const cli_kernels *kernels, gg_error *why) {
  gg_error err = GG_ERROR_INIT;
  gg_compiler *compiler;
  gg_compiler_options opt = {.size = sizeof(gg_compiler_options), .warn = cli_warn};
  int code = CLI_NO_DEVICE;
  if (gg_compiler_open(&compiler, &opt, &err)) return cli_report(&err, NULL);
  for (size_t i = 0; i < kernels->count; i++) {
    const gg_kernel *kernel = kernels->list[i];
    gg_binary *binary;
    if (kernel->ptx) {
      printf("%s: PTX for %s, of a template; not run\n", kernel->name, kernel->arch);
      continue;
    }
    if (gg_compile(&binary, compiler, kernel, NULL, GG_FORMAT_CUBIN, &err)) {
      code = cli_report(&err, NULL);
      continue;
    }
    printf("%s: compiled for %s, %zu B of cubin; not run\n", kernel->name, binary->arch,
           binary->size);
    if (binary->log[0]) printf("%s\n", binary->log);
    gg_binary_free(binary);
  }
  gg_compiler_close(compiler);
  printf("Nothing was run: %s.\n", why->message);
  gg_error_clear(why);
  return code;
}

/* ---- With one ------------------------------------------------------------------------- */

enum { places_max = 2 };

/* Where a kernel runs. */
typedef struct place {
  gg_context *context;
  gg_module *module;
  gg_trial trial;
} place;

/* One kernel's run, on one device or two. */
typedef struct session {
  const run_options *given;
  const gg_kernel *kernel;
  gg_problem shape;
  place places[places_max];
  int place_count;
} session;

static bool emulated(const place *p) {
  return gg_context_device(p->context)->emulated;
}

/* Computes the reference: on the host where that is quick, and for the emulator, which runs on the
 * host; else on the device. */
static gg_status make_reference(gg_reference *out, gg_sample *sample, const session *s,
                                const place *on, gg_error *err) {
  const gg_trial *trial = &on->trial;
  const gg_problem *p = &trial->problem;
  uint64_t seed = (uint64_t)s->given->seed;
  gg_status st = gg_sample_choose_for(sample, s->kernel, p, host_budget, seed, err);
  if (st) return st;
  if (sample->whole || emulated(on) || !gg_device_reference_knows(s->kernel)) {
    return gg_reference_on_host(out, s->kernel, p, gg_trial_host_inputs(trial), sample, err);
  }
  gg_sample_free(sample);
  gg_device_reference *device;
  st = gg_sample_choose_for(sample, s->kernel, p, device_budget, seed, err);
  if (st) return st;
  st = gg_device_reference_open(&device, on->context, s->kernel->a.type, s->kernel->b.type, err);
  if (st) return st;
  st = gg_reference_on_device(out, device, s->kernel, p, sample, err);
  gg_device_reference_close(device);
  return st;
}

static void print_verdict(const session *s, const gg_verdict *v, const gg_sample *sample,
                          bool on_device, const char *inputs) {
  printf("  %-8s %s: %lld elements", inputs, gg_verdict_passed(v) ? "pass" : "FAIL",
         (long long)v->checked);
  if (!sample->whole) {
    printf(" (%lld rows x %lld columns x %lld batches, sampled)", (long long)sample->row_count,
           (long long)sample->col_count, (long long)sample->batch_count);
  }
  printf(" against f64 on the %s, max error %.3g, mean %.3g\n", on_device ? "device" : "host",
         v->max_error, v->mean_error);
  if (v->max_error > 0) {
    char name[GG_OPERATION_NAME_MAX] = "D";
    if (v->worst.operation == GG_WORST_IS_FACTOR) snprintf(name, sizeof name, "the factor of D");
    if (v->worst.operation >= 0)
      gg_operation_name(name, s->kernel->operations, (size_t)v->worst.operation);
    printf(
        "           closest to its bound: %s[%lld, %lld] of batch %lld is %.9g, should be %.9g +- "
        "%.3g\n",
        name, (long long)v->worst.row, (long long)v->worst.col, (long long)v->worst.batch,
        v->worst.got, v->worst.want, v->worst.bound);
  }
  if (v->failed) printf("           %lld elements beyond their bound\n", (long long)v->failed);
  if (v->unwritten) printf("           %lld elements not written\n", (long long)v->unwritten);
  if (v->stray) {
    printf("           %lld bytes written outside, the first %lld bytes from D's start\n",
           (long long)v->stray, (long long)v->first_stray);
  }
}

/* Runs the kernel in one place and compares its result with the reference. */
static gg_status try_place(bool *passed, session *s, place *on, gg_input_kind kind,
                           const gg_trial_inputs *inputs, gg_error *err) {
  gg_sample sample = {0};
  gg_reference reference = {0};
  gg_verdict verdict;
  gg_trial_options layout = {.padding = s->given->pad,
                             .least_aligned = true,
                             .pack_scales = s->given->pack_scales,
                             .shift = 1};
  gg_status st = gg_trial_open(&on->trial, on->context, s->kernel, &s->shape, &layout, inputs, err);
  if (!st) gg_emu_label(kind == GG_INPUTS_NORMAL ? "normal" : "integers");
  if (!st) st = gg_trial_run(&on->trial, on->module, NULL, err);
  if (!st) st = make_reference(&reference, &sample, s, on, err);
  if (!st) st = gg_trial_check(&verdict, &on->trial, &sample, &reference, err);
  if (!st) {
    *passed = gg_verdict_passed(&verdict);
    if (s->place_count > 1) printf("  %s\n", emulated(on) ? "emulator" : "GPU");
    print_verdict(s, &verdict, &sample, reference.on_device,
                  kind == GG_INPUTS_NORMAL ? "normal" : "integers");
  }
  gg_reference_free(&reference);
  gg_sample_free(&sample);
  return st;
}

/* Compares everything that both devices have written, with every byte of memory around it. */
static bool compare_buffers(const gg_trial_buffer *gpu, const gg_trial_buffer *emu, gg_dtype type,
                            const char *name) {
  int bytes = gg_number_bytes(type);
  int64_t differ = 0, first = -1;
  for (int64_t at = gpu->lead % bytes; at + bytes <= gpu->bytes; at += bytes) {
    if (memcmp(gpu->host + at, emu->host + at, (size_t)bytes) == 0) continue;
    if (first < 0) first = at;
    differ++;
  }
  if (differ == 0) {
    printf("  GPU and emulator agree bit by bit: 0 mismatches in %lld bytes of %s\n",
           (long long)gpu->bytes, name);
    return true;
  }
  int64_t element = (first - gpu->lead) * 8 / gg_dtype_info_of(type)->bits;
  printf("  GPU and emulator DIFFER in %lld elements; the first, element %lld from %s's start, is"
         " %.9g and %.9g\n",
         (long long)differ, (long long)element, name,
         gg_number_get(type, gpu->host + gpu->lead, element),
         gg_number_get(type, emu->host + emu->lead, element));
  return false;
}

static bool compare_places(const session *s) {
  const gg_trial *gpu = &s->places[0].trial, *emu = &s->places[1].trial;
  bool same = compare_buffers(&gpu->d, &emu->d, s->kernel->d.type, "D");
  if (s->kernel->scale_d.block)
    same = compare_buffers(&gpu->scale_d, &emu->scale_d, s->kernel->scale_d.type, "D's factors") &&
           same;
  for (size_t i = 0; i < s->kernel->operation_count; i++) {
    const gg_operation *op = &s->kernel->operations[i];
    char name[GG_OPERATION_NAME_MAX];
    if (!gg_operation_writes(op)) continue;
    gg_operation_name(name, s->kernel->operations, i);
    same = compare_buffers(&gpu->extras[i], &emu->extras[i], op->operand.type, name) && same;
  }
  return same;
}

static gg_status try_inputs(bool *passed, session *s, gg_input_kind kind, gg_error *err) {
  gg_trial_inputs inputs;
  gg_status st =
      gg_trial_inputs_make(&inputs, s->kernel, kind, s->shape.k, (uint64_t)s->given->seed, err);
  if (st) return st;
  *passed = true;
  for (int i = 0; i < s->place_count && !st; i++) {
    bool good = false;
    st = try_place(&good, s, &s->places[i], kind, &inputs, err);
    *passed = *passed && good;
  }
  if (!st && s->place_count > 1) *passed = compare_places(s) && *passed;
  for (int i = 0; i < s->place_count; i++) {
    gg_trial_close(&s->places[i].trial);
    s->places[i].trial = (gg_trial){0};
  }
  gg_trial_inputs_free(&inputs);
  return st;
}

static void print_head(const session *s) {
  const gg_problem *p = &s->shape;
  printf("%s%s\n  M %lld, N %lld, K %lld, batch %lld, alpha %g, beta %g\n", s->kernel->name,
         s->kernel->ptx ? " (PTX)" : "", (long long)p->m, (long long)p->n, (long long)p->k,
         (long long)p->batch, (double)p->alpha, (double)p->beta);
  for (int i = 0; i < s->place_count; i++) {
    const gg_module_facts *facts = gg_module_facts_of(s->places[i].module);
    const char *cached = facts->cached ? " (cached)" : "";
    if (emulated(&s->places[i])) {
      printf("  compiled for %s%s: PTX, %lld B shared\n", facts->arch, cached,
             (long long)facts->smem_bytes);
    } else {
      printf("  compiled for %s%s: %d registers, %d B local, %lld B shared, %d CTAs/SM\n",
             facts->arch, cached, facts->registers, facts->local_bytes,
             (long long)facts->smem_bytes, facts->ctas_per_sm);
    }
  }
}

static int run_kernel(session *s, bool normal, bool integers) {
  gg_error err = GG_ERROR_INIT;
  bool passed = true, good = true;
  int code = cli_shape_read(&s->shape, &s->given->shape, s->kernel);
  if (code) return code;
  const char *obstacle = gg_trial_obstacle(s->kernel);
  if (obstacle) return cli_usage("cannot run %s: %s", s->kernel->name, obstacle);
  gg_status st = GG_OK;
  for (int i = 0; i < s->place_count && !st; i++)
    st = gg_module_load(&s->places[i].module, s->places[i].context, s->kernel, &err);
  if (!st) print_head(s);
  if (!st && integers) st = try_inputs(&good, s, GG_INPUTS_INTEGERS, &err);
  passed = good;
  if (!st && normal) st = try_inputs(&good, s, GG_INPUTS_NORMAL, &err);
  passed = passed && good;
  for (int i = 0; i < s->place_count; i++)
    gg_module_free(s->places[i].module);
  if (st) return cli_report(&err, NULL);
  return passed ? CLI_OK : CLI_FAILED;
}

static gg_status open_contexts(gg_context *contexts[places_max], int *count,
                               const cli_device *device, gg_error *err) {
  gg_context_options opt = {
      .size = sizeof(gg_context_options),
      .device = device->ordinal,
      .provider = device->provider,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .warn = cli_warn}};
  *count = 0;
  gg_status st = gg_context_open(&contexts[0], &opt, err);
  if (st) return st;
  *count = 1;
  if (!device->both) return GG_OK;
  opt.device = 0;
  opt.provider = GG_PROVIDER_EMU;
  st = gg_context_open(&contexts[1], &opt, err);
  *count += !st;
  return st;
}

static int run_everywhere(const run_options *given, const cli_kernels *kernels,
                          gg_context *contexts[places_max], int count, bool normal, bool integers) {
  int code = CLI_OK;
  for (int i = 0; i < count; i++) {
    const gg_device_facts *device = gg_context_device(contexts[i]);
    printf("%s, sm_%d\n", device->name, device->arch);
  }
  for (size_t i = 0; i < kernels->count; i++) {
    session s = {.given = given, .kernel = kernels->list[i], .place_count = count};
    for (int j = 0; j < count; j++)
      s.places[j].context = contexts[j];
    int failed = run_kernel(&s, normal, integers);
    if (failed) code = failed;
    cli_progress("run", i + 1, kernels->count);
  }
  int failed = cli_emulate_report(&given->emulate);
  return failed ? failed : code;
}

static int run_on_device(const run_options *given, const cli_kernels *kernels, bool normal,
                         bool integers) {
  gg_error err = GG_ERROR_INIT;
  gg_context *contexts[places_max];
  cli_device device;
  int count, code = cli_emulate_begin(&device, &given->emulate, kernels->list[0]->arch);
  if (code) return code;
  gg_status st = open_contexts(contexts, &count, &device, &err);
  if (st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE) {
    code = compile_only(kernels, &err);
  } else if (st) {
    code = cli_report(&err, NULL);
  } else {
    code = run_everywhere(given, kernels, contexts, count, normal, integers);
  }
  while (count > 0)
    gg_context_close(contexts[--count]);
  return code;
}

static int run(const void *values, int argc, char **argv) {
  const run_options *given = values;
  const char *inputs = given->inputs ? given->inputs : "both";
  bool both = strcmp(inputs, "both") == 0;
  bool normal = both || strcmp(inputs, "normal") == 0;
  bool integers = both || strcmp(inputs, "integers") == 0;
  if (!normal && !integers)
    return cli_usage("--inputs is normal, integers or both, not '%s'", inputs);
  if (given->pad < 0) return cli_usage("--pad counts from 0");
  cli_kernels kernels;
  gg_problem shape;
  unsigned texts;
  int code = cli_shape_read(&shape, &given->shape, NULL);
  if (!code) code = cli_texts_read(&texts, given->emit);
  if (code) return code;
  code = cli_kernels_load(&kernels, argc, argv, texts, given->keep_going);
  if (!code && given->emulate.trace) cli_name_parts(argc, argv);
  if (!code || (given->keep_going && kernels.count > 0)) {
    int failed = run_on_device(given, &kernels, normal, integers);
    if (failed) code = failed;
  }
  cli_kernels_free(&kernels);
  return code;
}

const cli_command cmd_run = {
    .name = "run",
    .operands = "SPEC...",
    .summary = "Run a spec's kernels, on a GPU or in the emulator, and verify the result",
    .details =
        "Fills A, B, C and what the epilogue reads with random numbers, and everything around\n"
        "them, D and what the epilogue stores, with NaN; launches; compares the results with\n"
        "sums in f64: all of them on the host where the problem is small, on the device, by a\n"
        "plain kernel of its own, where it is not. With integers as inputs every sum is exact,\n"
        "and D must be the correctly rounded result; with normal deviates it must be within a\n"
        "bound from K and the accumulator's precision. Writing outside D, or not writing some of\n"
        "it, fails.\n"
        "\n"
        "Where there is no GPU the emulator runs the kernels' PTX, as an H100 would, or a device of\n"
        "the first kernel's architecture, and checks what a GPU does not: races, waits that are\n"
        "missing, memory that nobody has written.\n"
        "`--device both` runs on a GPU and in the emulator and compares the results bit by bit.\n"
        "With `--device gpu` and no GPU the kernels are compiled for their own architecture, and\n"
        "the exit status is 3.",
    .options = options,
    .options_size = sizeof(run_options),
    .run = run,
};
