#include "scales.h"

#include <stdio.h>
#include <string.h>

#include "base/need.h"
#include "problem.h"

enum {
  atom_bytes = GG_SCALE_ROWS * GG_SCALE_FACTORS,
  map_align = 16, /* bytes: what tensor maps take of addresses and strides */
};

/* ---- Packing ----------------------------------------------------------------------------- */

/* Atoms are whole: extents are rounded up to 128 rows and to 4 factors. */
gg_status gg_scales_bytes(int64_t *out, int64_t rows, int64_t k, int block, gg_error *err) {
  GG_NEED(err, out);
  char text[128];
  *out = 0;
  if (block != 16 && block != 32 && block != 64) {
    snprintf(text, sizeof text, "a factor of %d elements; blocks are of 16, 32 or 64", block);
    return gg_fail(err, PROBLEM_SIZE, NULL, text);
  }
  if (rows < 0 || k < 0)
    return gg_fail(err, PROBLEM_EXTENT, NULL, rows < 0 ? "rows" : "k",
                   (long long)(rows < 0 ? rows : k), "extents from 0 on");
  int64_t down = rows / GG_SCALE_ROWS + (rows % GG_SCALE_ROWS != 0);
  int64_t unit = (int64_t)block * GG_SCALE_FACTORS, along = k / unit + (k % unit != 0);
  if (!__builtin_mul_overflow(down, along, out) && !__builtin_mul_overflow(*out, atom_bytes, out))
    return GG_OK;
  snprintf(text, sizeof text, "scale factors of %lld x %lld are larger than int64 can address",
           (long long)rows, (long long)k);
  return gg_fail(err, PROBLEM_SIZE, NULL, text);
}

static gg_status check_ld(int64_t ld, int64_t factors, gg_error *err) {
  if (ld >= factors) return GG_OK;
  return gg_fail(err, PROBLEM_LD, NULL, "ld", (long long)ld, "factors", (long long)factors,
                 (long long)factors);
}

/* Copies factors, a byte each, from rows to atoms, or back. The padding of atoms becomes 0. */
static gg_status move(void *to, const void *from, bool pack, int64_t rows, int64_t k, int block,
                      int64_t ld, gg_error *err) {
  int64_t bytes;
  gg_status st = gg_scales_bytes(&bytes, rows, k, block, err);
  if (st) return st;
  int64_t factors = k / block + (k % block != 0), atoms_k = gg_scales_atoms_k(k, block);
  if ((st = check_ld(ld, factors, err))) return st;
  unsigned char *out = to;
  const unsigned char *in = from;
  if (pack) memset(out, 0, (size_t)bytes);
  for (int64_t row = 0; row < rows; row++) {
    for (int64_t i = 0; i < factors; i++) {
      int64_t in_row = row * ld + i, in_atoms = gg_scales_offset(row, i, atoms_k);
      out[pack ? in_atoms : in_row] = in[pack ? in_row : in_atoms];
    }
  }
  return GG_OK;
}

gg_status gg_scales_pack(void *to, const void *from, int64_t rows, int64_t k, int block, int64_t ld,
                         gg_error *err) {
  GG_NEED(err, to);
  GG_NEED(err, from);
  return move(to, from, true, rows, k, block, ld, err);
}

gg_status gg_scales_unpack(void *to, const void *from, int64_t rows, int64_t k, int block,
                           int64_t ld, gg_error *err) {
  GG_NEED(err, to);
  GG_NEED(err, from);
  return move(to, from, false, rows, k, block, ld, err);
}

/* ---- Problems ---------------------------------------------------------------------------- */

gg_scales_view gg_problem_scales(const gg_kernel *kernel, const gg_problem *p, char which) {
  if (which == 'd')
    return (gg_scales_view){.name = which,
                            .scaling = kernel->scale_d,
                            .rows = p->m,
                            .k = p->n,
                            .batch = p->batch,
                            .address = p->scale_d,
                            .batch_stride = p->batch_stride_scale_d};
  bool is_a = which == 'a';
  return (gg_scales_view){.name = which,
                          .scaling = is_a ? kernel->scale_a : kernel->scale_b,
                          .rows = is_a ? p->m : p->n,
                          .k = p->k,
                          .batch = p->batch,
                          .address = is_a ? p->scale_a : p->scale_b,
                          .batch_stride = is_a ? p->batch_stride_scale_a : p->batch_stride_scale_b};
}

gg_status gg_problem_pack_scales(gg_problem *problem, const gg_kernel *kernel, gg_error *err) {
  int64_t *const strides[] = {&problem->batch_stride_scale_a, &problem->batch_stride_scale_b,
                              &problem->batch_stride_scale_d};
  gg_status st = GG_OK;
  for (int i = 0; i < 3 && !st; i++) {
    gg_scales_view view = gg_problem_scales(kernel, problem, "abd"[i]);
    if (view.scaling.block)
      st = gg_scales_bytes(strides[i], view.rows, view.k, view.scaling.block, err);
  }
  return st;
}

static gg_status check(const gg_scales_view *view, gg_error *err) {
  char address[] = "scale_?", stride[] = "batch_stride_scale_?";
  address[sizeof address - 2] = stride[sizeof stride - 2] = view->name;
  int64_t bytes, all, next = gg_problem_round_up(view->batch_stride, map_align);
  gg_status st = gg_scales_bytes(&bytes, view->rows, view->k, view->scaling.block, err);
  if (st) return st;
  if (view->address == 0) return gg_fail(err, PROBLEM_POINTER, NULL, address);
  if (view->address % map_align)
    return gg_fail(err, PROBLEM_ALIGN, NULL, address, (long long)view->address,
                   (long long)map_align, "bytes",
                   (long long)(view->address / map_align * map_align + map_align));
  if (view->batch < 2) return GG_OK;
  bool overlap = view->name == 'd' && view->batch_stride < bytes;
  if (view->batch_stride < 0 || overlap)
    return gg_fail(err, PROBLEM_STRIDE, NULL, stride, (long long)view->batch_stride,
                   overlap ? "the batches overlap" : "batch strides are not negative",
                   (long long)bytes);
  if (view->batch_stride % map_align)
    return gg_fail(err, PROBLEM_ALIGN, NULL, stride, (long long)view->batch_stride,
                   (long long)map_align, "bytes", (long long)next);
  bool fits = !__builtin_mul_overflow(view->batch - 1, view->batch_stride, &all) &&
              !__builtin_add_overflow(all, bytes, &all) && view->batch_stride < INT64_C(1) << 40;
  if (fits) return GG_OK;
  return gg_fail(err, PROBLEM_SIZE, NULL, "scale factors are farther apart than tensor maps step");
}

gg_status gg_problem_check_scales(const gg_kernel *kernel, const gg_problem *problem,
                                  gg_error *err) {
  gg_status st = GG_OK;
  for (const char *which = problem->k > 0 ? "abd" : "d"; *which && !st; which++) {
    gg_scales_view view = gg_problem_scales(kernel, problem, *which);
    if (view.scaling.block) st = check(&view, err);
  }
  return st;
}
