/* A layer of a network by kernels that were compiled when this program was built.
 *
 *     D = relu(A * B + bias)
 *
 * Exit status: 0 the result is right, 1 it is not or something failed, 77 there is no GPU. */
#include <stdio.h>
#include <stdlib.h>

#include "gemms.h"

enum { M = 100, N = 72, K = 64, NO_DEVICE = 77 };

/* Integers from -2 to 2, of which sums are exact. */
static const uint16_t f16_integers[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000};
static uint16_t a[M][K], b[N][K], bias[N], d[M][N];

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
  for (int j = 0; j < N; j++)
    bias[j] = f16_integers[integer_of(j, 0, 2)];
}

/* The f16 of an integer below 2048. */
static uint16_t f16_of(int value) {
  int exponent = 15, left = value < 0 ? -value : value;
  if (left == 0) return 0;
  while (left >> (exponent - 14))
    exponent++;
  return (uint16_t)((value < 0 ? 0x8000 : 0) | exponent << 10 |
                    ((left << (25 - exponent)) & 0x3ff));
}

static int count_wrong(void) {
  int wrong = 0;
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      int sum = integer_of(j, 0, 2) - 2;
      for (int k = 0; k < K; k++)
        sum += (integer_of(i, k, 0) - 2) * (integer_of(j, k, 1) - 2);
      wrong += d[i][j] != f16_of(sum > 0 ? sum : 0);
    }
  }
  return wrong;
}

/* The kernel for Hopper where the device can run it, else the one for all. */
static gg_status launch(const gemms *kernels, const gg_problem *problem, gg_error *err) {
  if (gemms_module_layer_hopper(kernels)) return gemms_layer_hopper(kernels, problem, NULL, err);
  return gemms_layer(kernels, problem, NULL, err);
}

static gg_status multiply(gg_context *context, const gemms *kernels, gg_error *err) {
  gg_problem problem = GG_PROBLEM_INIT;
  gg_extra *of_bias = &problem.extras[0]; /* of the epilogue's first operation */
  problem.m = M, problem.n = N, problem.k = K;
  gg_status st = gg_problem_pack(&problem, gemms_kernel_layer(), err);
  if (!st) st = gg_memory_alloc(&problem.a, context, sizeof a, err);
  if (!st) st = gg_memory_alloc(&problem.b, context, sizeof b, err);
  if (!st) st = gg_memory_alloc(&problem.d, context, sizeof d, err);
  if (!st) st = gg_memory_alloc(&of_bias->address, context, sizeof bias, err);
  if (!st) st = gg_memory_write(context, problem.a, a, sizeof a, err);
  if (!st) st = gg_memory_write(context, problem.b, b, sizeof b, err);
  if (!st) st = gg_memory_write(context, of_bias->address, bias, sizeof bias, err);
  if (!st) st = launch(kernels, &problem, err);
  if (!st) st = gg_synchronize(context, NULL, err);
  if (!st) st = gg_memory_read(context, d, problem.d, sizeof d, err);
  gg_memory_free(context, problem.a);
  gg_memory_free(context, problem.b);
  gg_memory_free(context, problem.d);
  gg_memory_free(context, of_bias->address);
  return st;
}

static int report(gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_error_print(&text, err, NULL);
  fputs(gg_str_text(&text), stderr);
  gg_str_free(&text);
  int no_device = err->code == GG_E_NO_DRIVER || err->code == GG_E_NO_DEVICE;
  gg_error_clear(err);
  return no_device ? NO_DEVICE : EXIT_FAILURE;
}

int main(void) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gemms kernels = {0};
  if (gg_context_open(&context, NULL, &err)) return report(&err);
  fill();
  gg_status st = gemms_open(&kernels, context, &err);
  if (!st) st = multiply(context, &kernels, &err);
  bool hopper = gemms_module_layer_hopper(&kernels) != NULL;
  gemms_close(&kernels);
  gg_context_close(context);
  if (st) return report(&err);
  int wrong = count_wrong();
  printf("%s: %d of %d elements are right\n", hopper ? "layer_hopper" : "layer", M * N - wrong,
         M * N);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
