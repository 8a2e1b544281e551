/* What the host spends on a product: choosing, launching, the first call. Figures, not verdicts.
 *
 *     bench_gemm [gpu|emu]
 *
 * A chunk of launches is put on a stream that is idle before it, so that what is timed is the
 * host's part alone. `bare` is cuLaunchKernelEx of the same kernel with the same arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "context.h"
#include "gemmgen_gemm.h"
#include "jit.h"
#include "problem.h"

enum { chunk = 200, side = 256 };

static const char spec_text[] =
    "arch: sm_90a\na: bf16\nb: bf16\nd: bf16\ntile: [64, 128, 64]\ncluster: [2, 1, 1]\n";

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(gg_status st, const gg_error *err) {
  if (st == GG_OK) return;
  fprintf(stderr, "bench_gemm: %s\n", err->message);
  exit(EXIT_FAILURE);
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

static const gg_form form = {.size = sizeof(gg_form),
                             .a = {GG_DTYPE_bf16, GG_MAJOR_K, 0},
                             .b = {GG_DTYPE_bf16, GG_MAJOR_K, 0},
                             .d = {GG_DTYPE_bf16, GG_MAJOR_N, 0},
                             .accumulator = GG_DTYPE_f32};

static gg_problem square(uint64_t memory, int64_t m) {
  uint64_t step = side * side * 2;
  return (gg_problem){.size = sizeof(gg_problem),
                      .m = m,
                      .n = side,
                      .k = side,
                      .batch = 1,
                      .a = memory,
                      .b = memory + step,
                      .d = memory + 2 * step,
                      .lda = side,
                      .ldb = side,
                      .ldd = side,
                      .alpha = 1};
}

static gg_context *open_context(gg_provider provider, const char *cache) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .provider = provider,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = cache}};
  check(gg_context_open(&context, &options, &err), &err);
  return context;
}

static gg_gemm *open_gemm(gg_context *context) {
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm;
  check(gg_gemm_open(&gemm, context,
                     &(gg_gemm_options){.size = sizeof(gg_gemm_options), .tuned = ""}, &err),
        &err);
  return gemm;
}

/* ---- Choosing ------------------------------------------------------------------------- */

static void bench_choice(gg_context *context) {
  enum { products = 101, rounds = 1000 };
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm = open_gemm(context);
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  double first[products], seen[products];
  for (int i = 0; i < products; i++) {
    gg_problem p = square(4096, 64 + i);
    double start = now();
    check(gg_gemm_choose(&choice, gemm, &form, &p, &err), &err);
    first[i] = now() - start;
  }
  for (int i = 0; i < products; i++) {
    gg_problem p = square(4096, 64 + i);
    double start = now();
    for (int round = 0; round < rounds; round++)
      check(gg_gemm_choose(&choice, gemm, &form, &p, &err), &err);
    seen[i] = (now() - start) / rounds;
  }
  printf("choice, new product of a known form   %9.3f us\n", 1e6 * median(first, products));
  printf("choice, product seen before           %9.3f us\n", 1e6 * median(seen, products));
  gg_gemm_close(gemm);
}

/* ---- Launching ------------------------------------------------------------------------ */

typedef struct launch {
  gg_context *context;
  gg_module *module;
  gg_gemm *gemm;
  gg_problem problem;
  gg_prepared prepared;
  CUmodule image; /* of the bare launch */
  CUlaunchConfig config;
  CUlaunchAttribute attribute;
  CUfunction function;
  void *arguments[GG_PARAMS_MAX];
} launch;

static gg_status launch_bare(launch *l, gg_error *err) {
  return GG_CUDA(&l->context->driver, err, cuLaunchKernelEx, &l->config, l->function, l->arguments,
                 NULL);
}

static gg_status launch_prepared(launch *l, gg_error *err) {
  return gg_launch_prepared(&l->prepared, NULL, err);
}

static gg_status launch_problem(launch *l, gg_error *err) {
  return gg_launch(l->module, &l->problem, NULL, err);
}

static gg_status launch_gemm(launch *l, gg_error *err) {
  return gg_gemm_launch(l->gemm, &form, &l->problem, NULL, err);
}

static double time_launch(launch *l, gg_status (*act)(launch *, gg_error *), int launches) {
  enum { chunks = 21 };
  gg_error err = GG_ERROR_INIT;
  double seconds[chunks];
  for (int i = 0; i < chunks; i++) {
    check(gg_synchronize(l->context, NULL, &err), &err);
    double start = now();
    for (int j = 0; j < launches; j++)
      check(act(l, &err), &err);
    seconds[i] = (now() - start) / launches;
  }
  check(gg_synchronize(l->context, NULL, &err), &err);
  return median(seconds, chunks);
}

/* The same kernel, loaded and launched without libgemmgen. */
static void make_bare(launch *l, const gg_kernel *kernel) {
  gg_error err = GG_ERROR_INIT;
  gg_binary *binary;
  const gg_driver *driver = &l->context->driver;
  unsigned cluster = gg_kernel_cluster_size(kernel);
  check(gg_compile_for_device(&binary, l->context->compiler, NULL, kernel, &l->context->facts, &err),
        &err);
  check(gg_context_enter(l->context, &err), &err);
  check(GG_CUDA(driver, &err, cuModuleLoadDataEx, &l->image, binary->data, 0, NULL, NULL), &err);
  check(GG_CUDA(driver, &err, cuModuleGetFunction, &l->function, l->image, kernel->name), &err);
  check(GG_CUDA(driver, &err, cuFuncSetAttribute, l->function,
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)kernel->smem_bytes),
        &err);
  gg_binary_free(binary);
  const gg_launch_facts *facts = gg_prepared_facts_of(&l->prepared);
  l->attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                     .value.cluster = {cluster, 1, 1}};
  l->config = (CUlaunchConfig){.grid_x = facts->grid[0],
                               .grid_y = 1,
                               .grid_z = 1,
                               .block_x = (unsigned)kernel->threads,
                               .block_y = 1,
                               .block_z = 1,
                               .smem_bytes = (unsigned)kernel->smem_bytes,
                               .attributes = &l->attribute,
                               .attribute_count = 1};
  size_t map = 0;
  for (size_t i = 0; i < kernel->param_count; i++) {
    bool mapped = gg_param_is_map(kernel->params[i]);
    l->arguments[i] = mapped ? (void *)facts->maps[map++] : (void *)&facts->arguments[i];
  }
}

static void bench_launch(gg_context *context) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  gg_kernel *kernel;
  uint64_t memory;
  launch l = {.context = context, .gemm = open_gemm(context)};
  int launches = gg_context_device(context)->emulated ? 1 : chunk;
  check(gg_spec_file_parse(&file, spec_text, strlen(spec_text), "bench", &err), &err);
  check(gg_kernel_generate(&kernel, gg_spec_file_get(file, 0), &err), &err);
  check(gg_module_load(&l.module, context, kernel, &err), &err);
  check(gg_memory_alloc(&memory, context, 3 * side * side * 2, &err), &err);
  l.problem = square(memory, side);
  static const unsigned short zeros[3 * side * side];
  check(gg_memory_write(context, memory, zeros, sizeof zeros, &err), &err);
  check(gg_prepare(&l.prepared, l.module, &l.problem, &err), &err);
  make_bare(&l, kernel);
  double bare = time_launch(&l, launch_bare, launches);
  gg_context_leave(context);
  const struct {
    const char *name;
    gg_status (*act)(launch *, gg_error *);
  } all[] = {{"gg_launch_prepared", launch_prepared},
             {"gg_launch", launch_problem},
             {"gg_gemm_launch", launch_gemm}};
  printf("cuLaunchKernelEx, bare                %9.3f us\n", 1e6 * bare);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double seconds = time_launch(&l, all[i].act, launches);
    printf("%-37s %9.3f us, %+.3f us over bare\n", all[i].name, 1e6 * seconds,
           1e6 * (seconds - bare));
  }
  check(gg_context_enter(context, &err), &err);
  context->driver.cuModuleUnload(l.image);
  gg_context_leave(context);
  gg_memory_free(context, memory);
  gg_gemm_close(l.gemm);
  gg_module_free(l.module);
  gg_kernel_free(kernel);
  gg_spec_file_free(file);
}

/* ---- First calls ---------------------------------------------------------------------- */

static double first_call(gg_context *context) {
  gg_error err = GG_ERROR_INIT;
  uint64_t memory;
  gg_prepared prepared;
  check(gg_memory_alloc(&memory, context, 3 * side * side * 2, &err), &err);
  gg_problem p = square(memory, side);
  double start = now();
  gg_gemm *gemm = open_gemm(context);
  check(gg_gemm_prepare(&prepared, gemm, &form, &p, &err), &err);
  double seconds = now() - start;
  gg_gemm_close(gemm);
  gg_memory_free(context, memory);
  return seconds;
}

int main(int argc, char **argv) {
  enum { tries = 5 };
  gg_provider provider = argc > 1 && strcmp(argv[1], "emu") == 0   ? GG_PROVIDER_EMU
                         : argc > 1 && strcmp(argv[1], "gpu") == 0 ? GG_PROVIDER_CUDA
                                                                   : GG_PROVIDER_AUTO;
  double cold[tries], cached[tries];
  gg_context *context = open_context(provider, NULL);
  printf("%s\n", gg_context_device(context)->name);
  first_call(context); /* the driver's and the cache's own first time */
  bench_choice(context);
  bench_launch(context);
  for (int i = 0; i < tries; i++)
    cached[i] = first_call(context);
  gg_context_close(context);
  context = open_context(provider, "");
  for (int i = 0; i < tries; i++)
    cold[i] = first_call(context);
  gg_context_close(context);
  printf("first call, kernel in the disk cache  %9.3f ms\n", 1e3 * median(cached, tries));
  printf("first call, cold                      %9.3f ms\n", 1e3 * median(cold, tries));
  return EXIT_SUCCESS;
}
