/* A GEMM with libgemmgen, from the spec to a checked result.
 *
 *     cc gemm.c -o gemm $(pkg-config --cflags --libs gemmgen) && ./gemm
 *
 * Exit status: 0 the result is right, 1 it is not or something failed, 77 there is no GPU (test
 * suites take that for "skipped"). */
#include <stdio.h>
#include <stdlib.h>

#include <gemmgen/gemmgen_runtime.h>

/* A and B in f16, K-major; D in f32. gemmgen chooses everything else. */
static const char spec_text[] = "arch: sm_80\n"
                                "a: f16\n"
                                "b: f16\n"
                                "d: f32\n";

enum { M = 300, N = 200, K = 104, NO_DEVICE = 77 };

/* Operands in host memory; A and B hold the integers -2 to 2, so that D is exact. */
static uint16_t a[M][K], b[N][K];
static float d[M][N];

static const uint16_t f16_integers[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000};

static int integer_of(int i, int k, int salt) {
  return (i * 7 + k * 3 + i * k + salt) % 5;
}

static void fill(void) {
  for (int k = 0; k < K; k++) {
    for (int i = 0; i < M; i++)
      a[i][k] = f16_integers[integer_of(i, k, 0)];
    for (int j = 0; j < N; j++)
      b[j][k] = f16_integers[integer_of(j, k, 1)];
  }
}

static int count_wrong(void) {
  int wrong = 0;
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      int sum = 0;
      for (int k = 0; k < K; k++)
        sum += (integer_of(i, k, 0) - 2) * (integer_of(j, k, 1) - 2);
      wrong += d[i][j] != (float)sum;
    }
  }
  return wrong;
}

/* The spec, generated, compiled for the context's device (or taken from the cache), loaded. */
static gg_status load(gg_module **out, gg_kernel **kernel, gg_context *context, gg_error *err) {
  gg_spec_file *file;
  gg_status st = gg_spec_file_parse(&file, spec_text, sizeof spec_text - 1, "<spec>", err);
  if (st) return st;
  st = gg_kernel_generate(kernel, gg_spec_file_get(file, 0), err);
  gg_spec_file_free(file);
  return st ? st : gg_module_load(out, context, *kernel, err);
}

static gg_status multiply(gg_context *context, gg_error *err) {
  gg_kernel *kernel = NULL;
  gg_module *module = NULL;
  struct CUstream_st *stream = NULL;
  gg_problem problem = GG_PROBLEM_INIT; /* alpha 1, beta 0, batch 1 */
  gg_status st = load(&module, &kernel, context, err);
  if (st) goto done;
  if ((st = gg_stream_open(&stream, context, err))) goto done;
  if ((st = gg_memory_alloc(&problem.a, context, sizeof a, err))) goto done;
  if ((st = gg_memory_alloc(&problem.b, context, sizeof b, err))) goto done;
  if ((st = gg_memory_alloc(&problem.d, context, sizeof d, err))) goto done;
  if ((st = gg_memory_write(context, problem.a, a, sizeof a, err))) goto done;
  if ((st = gg_memory_write(context, problem.b, b, sizeof b, err))) goto done;

  problem.m = M, problem.n = N, problem.k = K;
  problem.lda = K, problem.ldb = K, problem.ldd = N;
  if ((st = gg_launch(module, &problem, stream, err))) goto done;
  if ((st = gg_synchronize(context, stream, err))) goto done;
  st = gg_memory_read(context, d, problem.d, sizeof d, err);
done:
  gg_memory_free(context, problem.a);
  gg_memory_free(context, problem.b);
  gg_memory_free(context, problem.d);
  gg_stream_close(context, stream);
  gg_module_free(module);
  gg_kernel_free(kernel);
  return st;
}

static int report(gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_error_print(&text, err, spec_text);
  fputs(gg_str_text(&text), stderr);
  gg_str_free(&text);
  int no_device = err->code == GG_E_NO_DRIVER || err->code == GG_E_NO_DEVICE;
  gg_error_clear(err);
  return no_device ? NO_DEVICE : EXIT_FAILURE;
}

int main(void) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  if (gg_context_open(&context, NULL, &err)) return report(&err);
  fill();
  gg_status st = multiply(context, &err);
  gg_context_close(context);
  if (st) return report(&err);
  int wrong = count_wrong();
  printf("%d of %d elements are right\n", M * N - wrong, M * N);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
