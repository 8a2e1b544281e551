#include "complete.h"

#include <string.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "choice/form.h"
#include "plan/operation.h"
#include "problem.h"
#include "spec/spec.h"

enum { widest = 16 /* bytes of an access to C or D: more alignment is of no use */ };

/* ---- Epilogues ------------------------------------------------------------------------ */

typedef struct matrix {
  bool is; /* whether the operation has a matrix */
  bool typed;
  gg_dtype type; /* D's where it has none of its own */
} matrix;

typedef struct gg_epilogue {
  struct gg_epilogue *next;
  matrix matrices[GG_OPERATIONS_MAX]; /* one for each operation */
  char text[];
} epilogue;

static void note_matrices(epilogue *e, const gg_spec *spec) {
  for (size_t i = 0; i < spec->op_count; i++) {
    const gg_spec_op *op = &spec->ops[i];
    gg_operation kind = {.kind = op->kind, .along = GG_ALONG_N};
    e->matrices[i] = (matrix){.is = gg_operation_span(&kind) == GG_SPAN_MATRIX,
                              .typed = op->type.state == GG_SPEC_SET,
                              .type = (gg_dtype)op->type.number};
  }
}

/* If two threads add the same epilogue, the list has it twice. */
static void publish(gg_epilogues *known, epilogue *e) {
  e->next = atomic_load_explicit(&known->first, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&known->first, &e->next, e, memory_order_release,
                                                memory_order_relaxed)) {
  }
}

static gg_status find_epilogue(const epilogue **out, gg_epilogues *known, const gg_form *form,
                               gg_error *err) {
  const epilogue *e = atomic_load_explicit(&known->first, memory_order_acquire);
  while (e && strcmp(e->text, form->epilogue) != 0)
    e = e->next;
  *out = e;
  if (e) return GG_OK;
  gg_arena arena = GG_ARENA_INIT;
  gg_spec spec;
  gg_form aligned = *form; /* only the text matters */
  aligned.a.align = aligned.b.align = aligned.c.align = aligned.d.align = widest;
  size_t length = strlen(form->epilogue) + 1;
  gg_status st = gg_spec_of_form(&spec, &aligned, &arena, err);
  epilogue *added = st ? NULL : gg_calloc(1, sizeof *added + length);
  if (!st && !added) st = gg_fail(err, MEMORY, NULL, "");
  if (!st) {
    memcpy(added->text, form->epilogue, length);
    note_matrices(added, &spec);
    publish(known, added);
    *out = added;
  }
  gg_arena_free(&arena);
  return st;
}

void gg_epilogues_free(gg_epilogues *known) {
  epilogue *e = atomic_load_explicit(&known->first, memory_order_relaxed);
  while (e) {
    epilogue *next = e->next;
    gg_free(e);
    e = next;
  }
  atomic_init(&known->first, NULL);
}

/* ---- Alignments ----------------------------------------------------------------------- */

/* The largest power of two, up to `most` bytes, of which address and strides are multiples. It is
 * at least an element: if they have less, gg_prepare refuses them. */
static int alignment_of(gg_dtype type, int most, uint64_t address, int64_t ld, int64_t batch_stride,
                        const gg_problem *problem) {
  uint64_t bits = (uint64_t)gg_dtype_info_of(type)->bits;
  uint64_t all = address * 8 | (uint64_t)ld * bits | (uint64_t)most * 8;
  if (problem->batch > 1) all |= (uint64_t)batch_stride * bits;
  int align = (int)((all & -all) / 8), element = (int)gg_dtype_bytes(type, 1);
  return align < element ? element : align < 1 ? 1 : align;
}

/* D's alignment, limited so that as many elements as it has are aligned in a matrix like D, too. */
static int limited_by(int align, const gg_form *form, const matrix *m, const gg_extra *extra,
                      const gg_problem *problem) {
  gg_dtype type = m->typed ? m->type : form->d.type;
  int has = alignment_of(type, widest, extra->address, extra->ld, extra->batch_stride, problem);
  int bits = gg_dtype_info_of(type)->bits, d_bits = gg_dtype_info_of(form->d.type)->bits;
  int limit = has * d_bits / bits, element = (int)gg_dtype_bytes(form->d.type, 1);
  if (has >= widest || limit >= align) return align;
  return limit < element ? element : limit;
}

/* If matrices are given by arrays of addresses, all that is known of an address is that it is a
 * multiple of an element. */
static int alignment_in_batch(gg_dtype type, int most, uint64_t address, int64_t ld,
                              int64_t batch_stride, const gg_problem *problem) {
  if (problem->pointers) address = (uint64_t)gg_dtype_bytes(type, 1), batch_stride = 0;
  return alignment_of(type, most, address, ld, batch_stride, problem);
}

gg_status gg_form_complete(gg_form *out, gg_epilogues *known, const gg_form *asked,
                           const gg_problem *p, gg_error *err) {
  gg_form *form = out;
  *form = *asked;
  form->has_c = gg_problem_reads_c(p);
  form->pointers = p->pointers;
  if (!form->has_c) form->c = form->d;
  gg_status st = gg_form_check(form, err);
  if (st) return st;
  gg_operand *a = &form->a, *b = &form->b, *c = &form->c, *d = &form->d;
  bool open = d->align == 0;
  int most_a = gg_form_align_most(form, a->type), most_b = gg_form_align_most(form, b->type);
  if (!a->align) a->align = alignment_in_batch(a->type, most_a, p->a, p->lda, p->batch_stride_a, p);
  if (!b->align) b->align = alignment_in_batch(b->type, most_b, p->b, p->ldb, p->batch_stride_b, p);
  if (!c->align) c->align = alignment_in_batch(c->type, widest, p->c, p->ldc, p->batch_stride_c, p);
  if (open) d->align = alignment_in_batch(d->type, widest, p->d, p->ldd, p->batch_stride_d, p);
  if (!open || !form->epilogue) return GG_OK;
  const epilogue *e;
  if ((st = find_epilogue(&e, known, form, err))) return st;
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++) {
    const matrix *m = &e->matrices[i];
    if (m->is) d->align = limited_by(d->align, form, m, &p->extras[i], p);
  }
  return GG_OK;
}
