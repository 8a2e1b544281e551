/* gemmgen trace: launches a kernel with stamps once and writes what it has stamped as a timeline.
 * Also runs the same kernel without stamps, to tell what they cost and that the results are the
 * same. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/emulate.h"
#include "cli/kernels.h"
#include "cli/names.h"
#include "cli/specs.h"
#include "cli/stamps.h"
#include "context.h"
#include "emit/emit.h"
#include "gemmgen_emu.h"
#include "pipeline.h"
#include "problem.h"
#include "timing.h"
#include "trial.h"

typedef struct trace_options {
  cli_shape shape;
  const char *out;
  int64_t ctas, stamps, seed;
  cli_emulate emulate;
} trace_options;

static const cli_option options[] = {
    CLI_EXTENT_OPTIONS(trace_options, shape),
    {"alpha", 0, CLI_STRING, offsetof(trace_options, shape.alpha), "X", "scale of A * B (1)"},
    {"beta", 0, CLI_STRING, offsetof(trace_options, shape.beta), "X", "scale of C (0)"},
    {"out", 'o', CLI_STRING, offsetof(trace_options, out), "FILE", "the timeline (trace.json)"},
    {"ctas", 0, CLI_COUNT, offsetof(trace_options, ctas), "N",
     "write the first N CTAs alone (all)"},
    {"stamps", 0, CLI_COUNT, offsetof(trace_options, stamps), "N",
     "room for the stamps of a warp (8192, or what 1 GiB has for each)"},
    {"seed", 0, CLI_INT, offsetof(trace_options, seed), "N", "of the inputs (0)"},
    CLI_EMULATE_OPTIONS(trace_options, emulate),
    {0},
};

/* ---- One kernel, with stamps and without ------------------------------------------------ */

enum { usual_stamps = 8192, least_stamps = 64, memory_limit = 1 << 30 };

typedef struct version {
  gg_kernel *kernel;
  gg_module *module;
  gg_prepared prepared;
  unsigned char *results; /* the bytes of D and around it after the launch */
} version;

typedef struct session {
  const trace_options *given;
  int code;                   /* the exit code where nothing fails */
  gg_compilation compilation; /* of the traced kernel */
  gg_context *context;
  gg_trial trial;
  version plain, traced;
  cli_stamp_memory memory; /* on the device */
  cli_stamped_warp *warps;
  cli_stamp *stamps;
} session;

static bool emulated(const session *s) {
  return gg_context_device(s->context)->emulated;
}

/* Generates the kernel with stamps and without, whatever the spec itself says of them. */
static gg_status generate(session *s, const gg_spec *spec, gg_error *err) {
  static const gg_spec_field on = {.state = GG_SPEC_SET, .text = "true", .number = 1};
  gg_spec plain = *spec, traced = *spec;
  plain.trace = (gg_spec_field){.state = GG_SPEC_UNSET};
  traced.trace = on;
  traced.trace.mark = spec->trace.state == GG_SPEC_SET ? spec->trace.mark : spec->arch.mark;
  gg_status st = gg_compilation_run(&s->compilation, &traced, err);
  if (!st)
    st = gg_kernel_emit(&s->traced.kernel, s->compilation.plan, s->compilation.layouts, false, err);
  if (!st) st = gg_kernel_generate(&s->plain.kernel, &plain, err);
  return st;
}

static gg_status open_context(session *s, gg_error *err) {
  cli_device device;
  s->code = cli_emulate_begin(&device, &s->given->emulate, s->traced.kernel->arch);
  if (s->code) return GG_OK;
  if (device.both) {
    s->code = cli_usage("a timeline is of one device: --device gpu or --device emu");
    return GG_OK;
  }
  if (s->given->emulate.trace) cli_name_kernel(s->compilation.plan, s->compilation.layouts);
  gg_context_options opt = {
      .size = sizeof(gg_context_options),
      .device = device.ordinal,
      .provider = device.provider,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .warn = cli_warn}};
  gg_status st = gg_context_open(&s->context, &opt, err);
  if (st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE) s->code = CLI_NO_DEVICE;
  return st;
}

static gg_status open_trial(session *s, gg_error *err) {
  gg_trial_inputs inputs;
  gg_problem shape = {.size = sizeof shape};
  if ((s->code = cli_shape_read(&shape, &s->given->shape, s->plain.kernel))) return GG_OK;
  uint64_t seed = (uint64_t)s->given->seed;
  gg_status st =
      gg_trial_inputs_make(&inputs, s->plain.kernel, GG_INPUTS_NORMAL, shape.k, seed, err);
  if (st) return st;
  st = gg_trial_open(&s->trial, s->context, s->plain.kernel, &shape,
                     &(gg_trial_options){.shift = 1}, &inputs, err);
  gg_trial_inputs_free(&inputs);
  return st;
}

static gg_status load(session *s, version *v, gg_error *err) {
  gg_status st = gg_module_load(&v->module, s->context, v->kernel, err);
  if (!st) st = gg_trial_provide(&s->trial, v->module, err);
  return st ? st : gg_prepare(&v->prepared, v->module, &s->trial.problem, err);
}

/* ---- Memory for stamps ------------------------------------------------------------------ */

static uint32_t cta_warps(const session *s) {
  return (uint32_t)s->traced.kernel->threads / 32;
}

/* How many stamps there is room for, for each warp. */
static uint64_t room_of_warp(const session *s, uint64_t warps) {
  if (s->given->stamps) return (uint64_t)s->given->stamps;
  uint64_t fit = memory_limit / sizeof(cli_stamp) / warps;
  return fit < least_stamps ? least_stamps : fit < usual_stamps ? fit : usual_stamps;
}

static gg_status tell_memory(const session *s, const cli_stamp_memory *memory, gg_error *err) {
  uint64_t address;
  size_t bytes;
  gg_status st = gg_module_variable(&address, &bytes, s->traced.module, "gemmgen_trace", err);
  return st ? st : gg_memory_write(s->context, address, memory, sizeof *memory, err);
}

static gg_status make_memory(session *s, gg_error *err) {
  const gg_launch_facts *facts = gg_prepared_facts(&s->traced.prepared);
  uint64_t warps = (uint64_t)facts->grid[0] * cta_warps(s), room = room_of_warp(s, warps);
  if (warps * room >= INT32_MAX) room = INT32_MAX / warps;
  const size_t warp_bytes = warps * sizeof *s->warps, bytes = warps * room * sizeof *s->stamps;
  s->memory.warp_count = (uint32_t)warps;
  s->memory.stamp_count = (uint32_t)(warps * room);
  s->warps = gg_calloc(warps, sizeof *s->warps);
  if (!s->warps) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_memory_alloc(&s->memory.warps, s->context, warp_bytes, err);
  if (!st) st = gg_memory_alloc(&s->memory.stamps, s->context, bytes, err);
  if (!st) st = gg_memory_write(s->context, s->memory.warps, s->warps, warp_bytes, err);
  return st ? st : tell_memory(s, &s->memory, err);
}

/* Reads back the warps, and the stamps up to the last one written. */
static gg_status read_memory(session *s, gg_error *err) {
  const cli_stamp_memory *m = &s->memory;
  uint32_t count = 0;
  gg_status st =
      gg_memory_read(s->context, s->warps, m->warps, m->warp_count * sizeof *s->warps, err);
  if (st) return st;
  for (uint32_t w = 0; w < m->warp_count; w++)
    if (s->warps[w].end > count) count = s->warps[w].end;
  if (count > m->stamp_count) count = m->stamp_count;
  s->stamps = gg_malloc(count * sizeof *s->stamps);
  if (!s->stamps) return gg_fail(err, MEMORY, NULL, "");
  return gg_memory_read(s->context, s->stamps, m->stamps, count * sizeof *s->stamps, err);
}

/* ---- Running ---------------------------------------------------------------------------- */

static gg_status run_version(session *s, version *v, gg_error *err) {
  const gg_trial_buffer *d = &s->trial.d;
  v->results = gg_malloc((size_t)d->bytes);
  if (!v->results) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_trial_run(&s->trial, v->module, NULL, err);
  return st ? st : gg_memory_read(s->context, v->results, d->device, (size_t)d->bytes, err);
}

static gg_status launch(void *self, int turn, CUstream stream, gg_error *err) {
  (void)turn;
  return gg_launch_prepared(self, stream, err);
}

/* Measures what stamps cost. It times launches in a row of three kinds: without stamps, with
 * stamps, and of the traced kernel with no memory to stamp into. */
static gg_status race(session *s, gg_error *err) {
  const gg_timing_options timing = GG_TIMING_OPTIONS_INIT;
  const cli_stamp_memory none = {0};
  gg_contender both[] = {{launch, &s->plain.prepared, 0}, {launch, &s->traced.prepared, 0}};
  gg_contender silent = {launch, &s->traced.prepared, 0};
  gg_status st = gg_time_contenders(both, 2, s->context, &timing, err);
  if (!st) st = tell_memory(s, &none, err);
  if (!st) st = gg_time_contenders(&silent, 1, s->context, &timing, err);
  if (!st) st = tell_memory(s, &s->memory, err);
  if (st) return st;
  double plain = both[0].seconds, traced = both[1].seconds;
  printf("  without stamps %.2f us, with them %.2f us (%+.1f %%), with none taken %.2f us\n",
         plain * 1e6, traced * 1e6, (traced / plain - 1) * 100, silent.seconds * 1e6);
  return GG_OK;
}

static gg_status write_timeline(session *s, gg_error *err) {
  const gg_launch_facts *facts = gg_prepared_facts(&s->traced.prepared);
  const int64_t all = facts->grid[0], some = s->given->ctas;
  const char *path = s->given->out ? s->given->out : "trace.json";
  cli_stamps_read read;
  const cli_stamps stamps = {.plan = s->compilation.plan,
                             .layouts = s->compilation.layouts,
                             .label = emulated(s) ? "emulator" : "GPU",
                             .k = s->trial.problem.k,
                             .emulated = emulated(s),
                             .warps = s->warps,
                             .stamps = s->stamps,
                             .warp_count = s->memory.warp_count,
                             .stamp_count = s->memory.stamp_count,
                             .cta_warps = cta_warps(s),
                             .ctas = (uint32_t)(some && some < all ? some : all)};
  gg_status st = cli_stamps_write(&read, path, &stamps, err);
  if (st) return st;
  printf("  %s: %" PRIu64 " stamps of %" PRIu32 " of %" PRId64 " CTAs", path, read.stamps,
         stamps.ctas, all);
  if (read.clock_hz > 0)
    printf(", clocks of %.0f MHz, placed by a timer with steps of %" PRIu64 " ns",
           read.clock_hz * 1e-6, read.timer_step);
  printf("\n");
  if (read.lost)
    printf("  %" PRIu64 " stamps had no room: --stamps is how many a warp has\n", read.lost);
  if (read.left_out > read.lost)
    printf("  %" PRIu64 " events had no room in the file: --ctas writes fewer CTAs\n",
           read.left_out - read.lost);
  return GG_OK;
}

static void print_head(const session *s) {
  const gg_problem *p = &s->trial.problem;
  const gg_module_facts *plain = gg_module_facts_of(s->plain.module),
                        *traced = gg_module_facts_of(s->traced.module);
  const gg_device_facts *device = gg_context_device(s->context);
  printf("%s, sm_%d\n%s\n  M %lld, N %lld, K %lld, batch %lld\n", device->name, device->arch,
         s->plain.kernel->name, (long long)p->m, (long long)p->n, (long long)p->k,
         (long long)p->batch);
  if (emulated(s)) return;
  printf("  without stamps %d registers, %d B local; with them %d registers, %d B local\n",
         plain->registers, plain->local_bytes, traced->registers, traced->local_bytes);
}

static void compare(session *s) {
  bool same = memcmp(s->plain.results, s->traced.results, (size_t)s->trial.d.bytes) == 0;
  printf(same ? "  D is the same, bit by bit, with stamps and without\n"
              : "  FAIL: D is another with stamps than without\n");
  if (!same) s->code = CLI_FAILED;
}

static gg_status run_both(session *s, gg_error *err) {
  gg_status st = load(s, &s->plain, err);
  if (!st) st = load(s, &s->traced, err);
  if (st) return st;
  if (gg_prepared_facts(&s->traced.prepared)->grid[0] == 0) {
    s->code = cli_usage("of this problem nothing is launched");
    return GG_OK;
  }
  print_head(s);
  st = run_version(s, &s->plain, err);
  if (!st) st = make_memory(s, err);
  if (!st && !emulated(s)) st = race(s, err);
  gg_emu_label("traced");
  if (!st) st = run_version(s, &s->traced, err);
  if (!st) st = read_memory(s, err);
  if (!st) st = write_timeline(s, err);
  if (!st) compare(s);
  if (!st && !s->code) s->code = cli_emulate_report(&s->given->emulate);
  return st;
}

/* ---- The command ------------------------------------------------------------------------ */

static void close_session(session *s) {
  version *versions[] = {&s->plain, &s->traced};
  for (int i = 0; i < 2; i++) {
    gg_module_free(versions[i]->module);
    gg_kernel_free(versions[i]->kernel);
    gg_free(versions[i]->results);
  }
  if (s->context) {
    gg_memory_free(s->context, s->memory.warps);
    gg_memory_free(s->context, s->memory.stamps);
    gg_trial_close(&s->trial);
    gg_context_close(s->context);
  }
  gg_free(s->warps);
  gg_free(s->stamps);
  gg_compilation_free(&s->compilation);
}

static gg_status trace(void *user, const gg_spec *spec, gg_error *err) {
  session *s = user;
  gg_status st = generate(s, spec, err);
  const char *obstacle = st ? NULL : gg_trial_obstacle(s->plain.kernel);
  if (obstacle) s->code = cli_usage("cannot run %s: %s", s->plain.kernel->name, obstacle);
  if (!st && !s->code) st = open_context(s, err);
  if (!st && !s->code) st = open_trial(s, err);
  if (!st && !s->code) st = run_both(s, err);
  close_session(s);
  return st;
}

static int run(const void *values, int argc, char **argv) {
  const trace_options *given = values;
  if (argc != 1) return cli_usage("trace takes one spec");
  int code = cli_check_writable(given->out);
  if (code) return code;
  cli_specs specs;
  code = cli_specs_load(&specs, argc, argv);
  if (!code && specs.count != 1)
    code = cli_usage("a timeline is of one kernel, and %s has %zu", argv[0], specs.count);
  session s = {.given = given, .compilation = GG_COMPILATION_INIT};
  if (!code) {
    code = cli_specs_each(&specs, false, NULL, trace, &s);
    if (s.code) code = s.code;
  }
  cli_specs_free(&specs);
  return code;
}

const cli_command cmd_trace = {
    .name = "trace",
    .operands = "SPEC",
    .summary = "Run a spec's kernel with time stamps, and write what its warps did, and when",
    .details =
        "The kernel is generated with stamps (the spec's key `trace`), which one lane of each warp\n"
        "takes: of waits, copies, MMAs, tiles, epilogues and stores. It is launched once, and the\n"
        "stamps become a timeline in the format that Perfetto (https://ui.perfetto.dev) and\n"
        "chrome://tracing read, with the tracks and names of the emulator's (`gemmgen run --trace`),\n"
        "so that both open side by side: a process a CTA, a track a warp.\n"
        "\n"
        "On a GPU multiprocessors' clocks are put beside each other by the device's timer, and the\n"
        "kernel's time is measured with stamps and without. In the emulator (--device emu) an\n"
        "instruction of a cluster takes a microsecond. D has to be the same as without stamps, bit\n"
        "by bit, else the exit status is 1. All families but naive have stamps.\n"
        "docs/trace.md explains how to read a timeline.",
    .options = options,
    .options_size = sizeof(trace_options),
    .run = run,
};
