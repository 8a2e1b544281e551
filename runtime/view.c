/* The operands of a problem, as the kernel's majors and types describe them, and what their parts
 * are called. */
#include "problem.h"

#include <stdio.h>

#include "plan/operation.h"
#include "sparse.h"

static bool is_m_major(gg_major major) {
  return major == GG_MAJOR_M;
}

gg_view gg_problem_view(const gg_kernel *kernel, const gg_problem *p, char which) {
  gg_view view = {.name = which, .batch = p->batch, .pointers = kernel->pointers};
  bool reads_k = which == 'a' || which == 'b';
  const char *outer_name = which == 'b' ? "n" : "m", *inner_name = reads_k ? "k" : "n";
  int64_t outer = which == 'b' ? p->n : p->m, inner = reads_k ? p->k : p->n;
  switch (which) {
  case 'a':
    view.operand = &kernel->a;
    view.ld = p->lda, view.batch_stride = p->batch_stride_a, view.address = p->a;
    break;
  case 'b':
    view.operand = &kernel->b;
    view.ld = p->ldb, view.batch_stride = p->batch_stride_b, view.address = p->b;
    break;
  case 'c':
    view.operand = &kernel->c;
    view.ld = p->ldc, view.batch_stride = p->batch_stride_c, view.address = p->c;
    break;
  default:
    inner = gg_columns_behind(kernel->operations, kernel->operation_count, p->n);
    if (inner != p->n) inner_name = "n / 2";
    view.operand = &kernel->d;
    view.written = true;
    view.ld = p->ldd, view.batch_stride = p->batch_stride_d, view.address = p->d;
  }
  if (which == gg_sparse_operand(kernel))
    inner = gg_sparse_stored_k(kernel, p->k), inner_name = "stored k";
  /* B is N x K: its outer mode is contiguous if its major is N, that of the others if it is M. */
  bool outer_is_contiguous =
      which == 'b' ? view.operand->major == GG_MAJOR_N : is_m_major(view.operand->major);
  view.length = outer_is_contiguous ? outer : inner;
  view.rows = outer_is_contiguous ? inner : outer;
  view.length_name = outer_is_contiguous ? outer_name : inner_name;
  return view;
}

gg_view gg_problem_extra_view(const gg_kernel *kernel, const gg_problem *p, size_t index) {
  const gg_operation *operation = &kernel->operations[index];
  const gg_extra *extra = &p->extras[index];
  gg_span span = gg_operation_span(operation);
  bool m_is_contiguous =
      span == GG_SPAN_ROWS || (span == GG_SPAN_MATRIX && is_m_major(operation->operand.major));
  int64_t n = gg_columns_behind(kernel->operations, index, p->n);
  int64_t contiguous = m_is_contiguous ? p->m : n, across = m_is_contiguous ? n : p->m;
  gg_view view = {.name = 'x',
                  .index = (int)index,
                  .operand = &operation->operand,
                  .vector = span != GG_SPAN_MATRIX,
                  .written = gg_operation_writes(operation),
                  .shared = operation->kind == GG_OP_AMAX,
                  .length = span == GG_SPAN_ALL ? 1 : contiguous,
                  .rows = span == GG_SPAN_MATRIX ? across : 1,
                  .batch = p->batch,
                  .ld = extra->ld,
                  .batch_stride = extra->batch_stride,
                  .length_name = m_is_contiguous ? "m" : "n",
                  .address = extra->address};
  if (view.vector) view.ld = view.length;
  return view;
}

const char *gg_view_part_name(char out[GG_VIEW_PART_NAME_MAX], const gg_view *view,
                              gg_view_part part) {
  static const char *const prefixes[] = {"", "ld", "batch_stride_"};
  static const char *const members[] = {"", ".ld", ".batch_stride"};
  if (view->name == 'x') {
    snprintf(out, GG_VIEW_PART_NAME_MAX, "extras[%d]%s", view->index, members[part]);
  } else {
    snprintf(out, GG_VIEW_PART_NAME_MAX, "%s%c", prefixes[part],
             part == GG_VIEW_ADDRESS ? view->name - 'a' + 'A' : view->name);
  }
  return out;
}
