/* What a program that starts now waits for its first product: one product in one process. Figures,
 * not verdicts.
 *
 *     bench_first_call TYPE M N K [unaligned] [workspace] [emu] [uncompiled]
 *
 * TYPE is of A and B: bf16, f16, tf32, e4m3 or s8; D is bf16, f32 for tf32, s32 for s8. A is
 * k-major, B k-major, D n-major. `unaligned`: leading dimensions are odd, so that no tensor map can
 * address the operands. `workspace`: there is one, so that kernels that share tiles are chosen too.
 * `emu`: in the emulator, of sm_90. `uncompiled`: without NVRTC, as on a machine that has none.
 *
 * Prints milliseconds: the driver's start and the context; gg_gemm_open; the first launch to its
 * end, whatever it plans, compiles and loads; the second, in microseconds; and the kernel.
 * GEMMGEN_CACHE and GEMMGEN_PACKS are as for every program. docs/performance/first_call.py runs it
 * over a table, each line in fresh processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gemmgen_emu.h"
#include "gemmgen_gemm.h"

typedef struct kind {
  const char *name;
  gg_dtype in, out, accumulator;
  int in_bytes, out_bytes;
} kind;

static const kind kinds[] = {
    {"bf16", GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32, 2, 2},
    {"f16", GG_DTYPE_f16, GG_DTYPE_f16, GG_DTYPE_f32, 2, 2},
    {"tf32", GG_DTYPE_tf32, GG_DTYPE_f32, GG_DTYPE_f32, 4, 4},
    {"e4m3", GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32, 1, 2},
    {"s8", GG_DTYPE_s8, GG_DTYPE_s32, GG_DTYPE_s32, 1, 4},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void check(gg_status st, const gg_error *err) {
  if (st == GG_OK) return;
  fprintf(stderr, "bench_first_call: %s\n", err->message);
  exit(EXIT_FAILURE);
}

/* Zeros. */
static uint64_t allocate(gg_context *context, int64_t bytes) {
  gg_error err = GG_ERROR_INIT;
  uint64_t address;
  void *zeros = calloc((size_t)bytes, 1);
  if (!zeros) exit(EXIT_FAILURE);
  check(gg_memory_alloc(&address, context, (size_t)bytes, &err), &err);
  check(gg_memory_write(context, address, zeros, (size_t)bytes, &err), &err);
  free(zeros);
  return address;
}

/* Launches and waits for the end. */
static double launch(gg_gemm *gemm, gg_context *context, const gg_form *form,
                     const gg_problem *problem) {
  gg_error err = GG_ERROR_INIT;
  double start = now();
  check(gg_gemm_launch(gemm, form, problem, NULL, &err), &err);
  check(gg_synchronize(context, NULL, &err), &err);
  return now() - start;
}

static const kind *kind_of(const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  fprintf(stderr, "bench_first_call: no type '%s'\n", name);
  exit(2);
}

static bool has_word(int argc, char **argv, const char *word) {
  for (int i = 5; i < argc; i++)
    if (strcmp(argv[i], word) == 0) return true;
  return false;
}

static gg_context *open_context(int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_compiler_options compiler = GG_COMPILER_OPTIONS_INIT;
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  options.compiler = &compiler;
  if (has_word(argc, argv, "uncompiled")) compiler.nvrtc = "/nowhere/libnvrtc.so";
  if (has_word(argc, argv, "emu")) {
    gg_emu_options emulator = GG_EMU_OPTIONS_INIT;
    options.provider = GG_PROVIDER_EMU;
    emulator.arch = 90;
    if (gg_emu_options_init(&emulator) || gg_emu_configure(&emulator)) exit(EXIT_FAILURE);
  }
  check(gg_context_open(&context, &options, &err), &err);
  return context;
}

int main(int argc, char **argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: bench_first_call TYPE M N K [unaligned] [workspace] [emu] "
                    "[uncompiled]\n");
    return 2;
  }
  const kind *k = kind_of(argv[1]);
  gg_form form = {.size = sizeof(gg_form),
                  .a = {k->in, GG_MAJOR_K, 0},
                  .b = {k->in, GG_MAJOR_K, 0},
                  .d = {k->out, GG_MAJOR_N, 0},
                  .accumulator = k->accumulator};
  int64_t odd = has_word(argc, argv, "unaligned") ? 1 : 0;
  gg_problem p = {.size = sizeof(gg_problem),
                  .m = atoll(argv[2]),
                  .n = atoll(argv[3]),
                  .k = atoll(argv[4]),
                  .batch = 1};
  p.lda = p.ldb = p.k + odd, p.ldd = p.n + odd, p.alpha = 1;
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm;
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  double start = now();
  gg_context *context = open_context(argc, argv);
  double context_ms = now() - start;
  p.a = allocate(context, p.m * p.lda * k->in_bytes);
  p.b = allocate(context, p.n * p.ldb * k->in_bytes);
  p.d = allocate(context, p.m * p.ldd * k->out_bytes);
  if (has_word(argc, argv, "workspace")) {
    p.workspace = allocate(context, GG_GEMM_WORKSPACE);
    p.workspace_bytes = GG_GEMM_WORKSPACE;
  }
  gg_gemm_options options = {.size = sizeof(gg_gemm_options), .tuned = ""};
  start = now();
  check(gg_gemm_open(&gemm, context, &options, &err), &err);
  double open_ms = now() - start;
  double first = launch(gemm, context, &form, &p), second = launch(gemm, context, &form, &p);
  check(gg_gemm_choose(&choice, gemm, &form, &p, &err), &err);
  printf("%.3f %.3f %.3f %.1f %s\n", context_ms, open_ms, first, 1e3 * second, choice.kernel);
  gg_gemm_close(gemm);
  gg_context_close(context);
  return EXIT_SUCCESS;
}
