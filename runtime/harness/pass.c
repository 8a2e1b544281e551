#include "pass.h"

#include "atom/dtype.h"
#include "plan/operation.h"
#include "problem.h"

enum { threads = 256, vectors_per_thread = 4, vector_bytes = 16 };

gg_status gg_pass_open(gg_pass *out, gg_context *context, gg_error *err) {
  return gg_harness_open(&out->kernel, context, "pass", "", "sm_80", err);
}

void gg_pass_close(gg_pass *pass) {
  gg_raw_close(&pass->kernel);
}

/* As in pass.cu. */
typedef struct span {
  uint64_t at;
  int64_t count;
} span;

/* A trial's matrices, in whatever order, where the problem has addresses of arrays of them. */
static uint64_t begin_of(const gg_trial_buffer *buffer) {
  return buffer->device + (uint64_t)buffer->lead;
}

/* Of a matrix with the columns that are left behind so many operations. */
static span span_of(const gg_kernel *kernel, size_t behind, const gg_problem *problem, uint64_t at,
                    gg_dtype type) {
  int64_t columns = gg_columns_behind(kernel->operations, behind, problem->n);
  int64_t elements = problem->m * columns * problem->batch;
  return (span){at, gg_bytes_of(elements, gg_dtype_info_of(type)->bits) / vector_bytes};
}

static int64_t larger(int64_t x, int64_t y) {
  return x > y ? x : y;
}

gg_status gg_pass_launch(const gg_pass *pass, const gg_trial *trial, const gg_trial *product,
                         CUstream stream, gg_error *err) {
  const gg_kernel *kernel = trial->kernel;
  const gg_problem *p = &trial->problem;
  span from = span_of(product->kernel, 0, &product->problem, begin_of(&product->d), kernel->d.type);
  span d = span_of(kernel, kernel->operation_count, p, begin_of(&trial->d), kernel->d.type);
  span read = {0}, stored = {0};
  if (gg_problem_reads_c(p) && p->c != p->d)
    read = span_of(kernel, 0, p, begin_of(&trial->c), kernel->c.type);
  for (size_t i = 0; i < kernel->operation_count; i++) {
    const gg_operation *operation = &kernel->operations[i];
    if (gg_operation_span(operation) != GG_SPAN_MATRIX) continue;
    span matrix = span_of(kernel, i, p, p->extras[i].address, operation->operand.type);
    if (operation->kind == GG_OP_AUX)
      stored = matrix;
    else
      read = matrix;
  }
  int64_t most = larger(from.count, larger(read.count, stored.count));
  int64_t per_cta = threads * vectors_per_thread, ctas = (most + per_cta - 1) / per_cta;
  void *arguments[] = {&from, &read, &d, &stored};
  return gg_raw_launch(&pass->kernel, (unsigned)larger(ctas, 1), 1, threads, arguments, stream,
                       err);
}
