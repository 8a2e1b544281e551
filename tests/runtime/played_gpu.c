/* A provider whose kernels are played by the host: linked in place of runtime/driver.c it lets
 * `gemmgen run`, `gemmgen bench` and the device check go all their way on a machine without a GPU.
 * A launch is computed from the facts of the kernel of that name among the specs of PLAYED_SPECS
 * (files, parted by colons), in f64 and rounded once; what the kernel's text says does not matter.
 *
 * PLAYED_FAULT, where it is set, makes every hundredth element wrong. PLAYED_FAST names the kernel
 * that takes half as long as any other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/kernels.h"
#include "fake_driver.h"
#include "number.h"
#include "plan/operation.h"
#include "problem.h"
#include "reference.h"

static cli_kernels played;
static bool faulty;

/* ---- Kernels -------------------------------------------------------------------------- */

static const gg_kernel *kernel_of(const char *name) {
  for (size_t i = 0; i < played.count; i++) {
    if (strcmp(played.list[i]->name, name) == 0) return played.list[i];
  }
  return NULL;
}

/* Where a problem keeps what a parameter brings; NULL: it says how the work is shared. */
static void *member_of(gg_problem *p, gg_param param) {
  void *const of_operands[][3] = {
      [GG_OPERAND_A] = {&p->a, &p->lda, &p->batch_stride_a},
      [GG_OPERAND_B] = {&p->b, &p->ldb, &p->batch_stride_b},
      [GG_OPERAND_C] = {&p->c, &p->ldc, &p->batch_stride_c},
      [GG_OPERAND_D] = {&p->d, &p->ldd, &p->batch_stride_d},
  };
  void *const others[] = {
      [GG_PARAM_M] = &p->m,         [GG_PARAM_N] = &p->n,         [GG_PARAM_K] = &p->k,
      [GG_PARAM_BATCH] = &p->batch, [GG_PARAM_ALPHA] = &p->alpha, [GG_PARAM_BETA] = &p->beta,
  };
  if (param.operand == GG_OPERAND_EXTRA) {
    gg_extra *extra = &p->extras[param.operation];
    void *const of_extra[] = {&extra->address, &extra->ld, &extra->batch_stride};
    return of_extra[param.kind];
  }
  if (param.operand) return of_operands[param.operand][param.kind];
  return param.kind < sizeof others / sizeof *others ? others[param.kind] : NULL;
}

static gg_problem problem_of(const gg_kernel *kernel, void **arguments) {
  gg_problem p = GG_PROBLEM_INIT;
  for (size_t i = 0; i < kernel->param_count; i++) {
    gg_param_kind kind = kernel->params[i].kind;
    bool scalar = kind == GG_PARAM_ALPHA || kind == GG_PARAM_BETA;
    void *member = member_of(&p, kernel->params[i]);
    if (member) memcpy(member, arguments[i], scalar ? 4 : 8);
  }
  return p;
}

/* Where a batch's matrix is, or all of them are; and from there, in elements, this one. */
static void *memory_of(const gg_view *view, int64_t batch) {
  const uint64_t *list = (const uint64_t *)(uintptr_t)view->address;
  return (void *)(uintptr_t)(view->pointers ? list[batch] : view->address);
}

static int64_t begin_of(const gg_view *view, int64_t batch) {
  return view->pointers ? 0 : batch * view->batch_stride;
}

/* Row `outer` of A or B of one batch, decoded. */
static void decode(double *out, const gg_kernel *kernel, const gg_problem *p, char which,
                   int64_t batch, int64_t outer) {
  gg_view view = gg_problem_view(kernel, p, which);
  bool k_major = view.operand->major == GG_MAJOR_K;
  int64_t base = begin_of(&view, batch) + outer * (k_major ? view.ld : 1);
  for (int64_t k = 0; k < p->k; k++) {
    out[k] = gg_number_get(view.operand->type, memory_of(&view, batch),
                           base + k * (k_major ? 1 : view.ld));
  }
}

static int64_t place(const gg_view *view, int64_t batch, int64_t row, int64_t col) {
  bool m_major = view->operand->major == GG_MAJOR_M;
  return begin_of(view, batch) + (m_major ? col * view->ld + row : row * view->ld + col);
}

/* Where in its operand an operation finds what belongs to an element of D. */
static int64_t extra_place(const gg_view *view, gg_span span, int64_t batch, int64_t row,
                           int64_t col) {
  if (span == GG_SPAN_MATRIX) return place(view, batch, row, col);
  return batch * view->batch_stride + (span == GG_SPAN_ROWS      ? row
                                       : span == GG_SPAN_COLUMNS ? col
                                                                 : 0);
}

static gg_reference_operands operands_at(const gg_kernel *kernel, const gg_problem *p,
                                         int64_t batch, int64_t row, int64_t col) {
  gg_reference_operands out = {0};
  gg_view c = gg_problem_view(kernel, p, 'c');
  for (size_t i = 0; i < kernel->operation_count; i++) {
    const gg_operation *op = &kernel->operations[i];
    gg_span span = gg_operation_span(op);
    if (op->kind == GG_OP_LINEAR && op->beta && p->beta != 0) {
      out.at[i] = gg_number_get(c.operand->type, memory_of(&c, batch), place(&c, batch, row, col));
    } else if (span != GG_SPAN_NONE && !gg_operation_writes(op)) {
      gg_view view = gg_problem_extra_view(kernel, p, i);
      int64_t at = extra_place(&view, span, batch, row, col);
      out.at[i] = gg_number_get(view.operand->type, memory_of(&view, batch), at);
    }
  }
  return out;
}

/* What an operation stores: aux its element, a sum of columns D's first row and what it has. */
static void play_stored(const gg_kernel *kernel, const gg_problem *p, size_t operation,
                        double value, int64_t batch, int64_t row, int64_t col) {
  const gg_operation *op = &kernel->operations[operation];
  gg_view view = gg_problem_extra_view(kernel, p, operation);
  int64_t at = extra_place(&view, gg_operation_span(op), batch, row, col);
  if (op->kind == GG_OP_SUM && row > 0)
    value += gg_number_get(view.operand->type, memory_of(&view, batch), at);
  if (op->kind == GG_OP_AUX || op->kind == GG_OP_SUM)
    gg_number_set(view.operand->type, memory_of(&view, batch), at, value);
}

/* One element of D, of one sum, or behind a gate of two. */
static void play_element(const gg_kernel *kernel, const gg_problem *p, const double sum[2],
                         int64_t batch, int64_t row, int64_t col) {
  gg_view d = gg_problem_view(kernel, p, 'd');
  int64_t unit = gg_kernel_n_unit(kernel);
  double magnitude[] = {fabs(sum[0]), fabs(sum[1])};
  gg_reference_operands operands[] = {operands_at(kernel, p, batch, row, col),
                                      operands_at(kernel, p, batch, row, col + unit - 1)};
  gg_expected result, stored[2][GG_OPERATIONS_MAX];
  if (unit > 1)
    gg_reference_expect_gated(&result, stored, kernel, p, sum, magnitude, operands);
  else
    gg_reference_expect(&result, stored[0], kernel, p, sum[0], magnitude[0], operands);
  if (faulty && (row + col) % 100 == 0) result.value += 1;
  gg_number_set(d.operand->type, memory_of(&d, batch), place(&d, batch, row, col / unit),
                result.value);
  for (size_t i = 0; i < kernel->operation_count; i++)
    if (gg_operation_writes(&kernel->operations[i]))
      play_stored(kernel, p, i, stored[0][i].value, batch, row, col);
}

static void play_row(const gg_kernel *kernel, const gg_problem *p, int64_t batch, int64_t row,
                     const double *a, const double *all_b) {
  int64_t unit = gg_kernel_n_unit(kernel);
  for (int64_t col = 0; col < p->n; col += unit) {
    double sum[2] = {0, 0};
    for (int64_t i = 0; i < unit; i++)
      for (int64_t k = 0; k < p->k; k++)
        sum[i] += a[k] * all_b[(col + i) * p->k + k];
    play_element(kernel, p, sum, batch, row, col);
  }
}

static void play_gemm(const gg_kernel *kernel, void **arguments) {
  gg_problem p = problem_of(kernel, arguments);
  double *a = calloc((size_t)p.k + 1, sizeof *a);
  double *b = calloc((size_t)(p.k * p.n) + 1, sizeof *b);
  for (int64_t batch = 0; batch < p.batch; batch++) {
    for (int64_t col = 0; col < p.n; col++)
      decode(b + col * p.k, kernel, &p, 'b', batch, col);
    for (int64_t row = 0; row < p.m; row++) {
      decode(a, kernel, &p, 'a', batch, row);
      play_row(kernel, &p, batch, row, a, b);
    }
  }
  free(a);
  free(b);
}

/* ---- The harness's reference ---------------------------------------------------------- */

/* As in reference.cu; the types of A and B are those of the played specs' first kernel. */
typedef struct operand {
  uint64_t memory;
  int64_t outer, k, batch;
} operand;

static double element(gg_dtype type, const operand *o, int64_t batch, int64_t outer, int64_t k) {
  return gg_number_get(type, (void *)(uintptr_t)o->memory,
                       batch * o->batch + outer * o->outer + k * o->k);
}

static void play_reference(void **arguments, unsigned grid_y) {
  const operand *a = arguments[0], *b = arguments[1];
  int64_t k_extent = *(int64_t *)arguments[2];
  const int64_t *rows = *(int64_t **)arguments[3], *cols = *(int64_t **)arguments[5];
  int64_t row_count = *(int64_t *)arguments[4], col_count = *(int64_t *)arguments[6];
  const int64_t *batches = *(int64_t **)arguments[7];
  double *sums = *(double **)arguments[8], *magnitudes = *(double **)arguments[9];
  const gg_kernel *kernel = played.list[0];
  for (int64_t i = 0; i < row_count * col_count * (int64_t)grid_y; i++) {
    int64_t batch = batches[i / (row_count * col_count)];
    int64_t row = rows[i / col_count % row_count], col = cols[i % col_count];
    sums[i] = magnitudes[i] = 0;
    for (int64_t k = 0; k < k_extent; k++) {
      double product =
          element(kernel->a.type, a, batch, row, k) * element(kernel->b.type, b, batch, col, k);
      sums[i] += product;
      magnitudes[i] += fabs(product);
    }
  }
}

/* As in pass.cu: touches all that it would. */
typedef struct span {
  uint64_t at;
  int64_t count; /* of 16 bytes */
} span;

static void play_pass(void **arguments) {
  const span *product = arguments[0], *read = arguments[1];
  const span *d = arguments[2], *stored = arguments[3];
  unsigned char any = 0;
  for (int64_t i = 0; i < 16 * product->count; i++)
    any ^= ((unsigned char *)(uintptr_t)product->at)[i];
  for (int64_t i = 0; i < 16 * read->count; i++)
    any ^= ((unsigned char *)(uintptr_t)read->at)[i];
  for (int64_t i = 0; i < 16 * d->count; i++)
    ((unsigned char *)(uintptr_t)d->at)[i] ^= any;
  if (stored->count > 0) memset((void *)(uintptr_t)stored->at, any, (size_t)(16 * stored->count));
}

static void play(const fake_launch *launch) {
  const gg_kernel *kernel = kernel_of(launch->name);
  if (kernel) {
    play_gemm(kernel, launch->raw);
  } else if (strcmp(launch->name, "reference") == 0) {
    play_reference(launch->raw, launch->grid[1]);
  } else if (strcmp(launch->name, "pass") == 0) {
    play_pass(launch->raw);
  }
}

static double lasts(const char *kernel) {
  const char *fast = getenv("PLAYED_FAST");
  return fast && strcmp(fast, kernel) == 0 ? 1 : 2;
}

/* ---- The provider --------------------------------------------------------------------- */

static void load_played(void) {
  const char *specs = getenv("PLAYED_SPECS");
  char list[4096];
  snprintf(list, sizeof list, "%s", specs ? specs : "");
  char *paths[64];
  int count = 0;
  for (char *at = strtok(list, ":"); at && count < 64; at = strtok(NULL, ":"))
    paths[count++] = at;
  if (cli_kernels_load(&played, count, paths, CLI_TEXT_CU, false) != CLI_OK) exit(EXIT_FAILURE);
}

gg_status gg_driver_open(gg_driver *out, gg_provider provider, gg_error *err) {
  (void)provider, (void)err;
  if (!played.list) {
    fake_reset();
    fake.argument_count = 0;
    fake.on_launch = play;
    fake.lasts = lasts;
    fake.spills = ""; /* no kernel does */
    faulty = getenv("PLAYED_FAULT") != NULL;
    load_played();
  }
  *out = fake_table();
  return GG_OK;
}

void gg_driver_close(gg_driver *driver) {
  *driver = (gg_driver){0};
  if (fake.contexts == 0) cli_kernels_free(&played);
}

gg_status gg_driver_result(const gg_driver *driver, const char *call, CUresult result,
                           gg_error *err) {
  (void)driver;
  return result ? gg_fail(err, DRIVER, NULL, call, "played", result, "") : GG_OK;
}
