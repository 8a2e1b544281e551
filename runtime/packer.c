/* Packs scale factors from rows to atoms on the device: launches runtime/pack_scales.cu. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/need.h"
#include "base/sized.h"
#include "packer.h"
#include "problem.h"
#include "raw.h"
#include "scales.h"

enum { warps = 8, threads = 32 * warps, atom_align = 16 };

struct gg_packer {
  gg_raw_kernel kernel;
};

/* The kernel's parameter, as in pack_scales.cu. */
typedef struct packing {
  uint64_t to, from;
  int64_t rows, factors, ld, stride_to, stride_from, atoms_down, atoms_along;
} packing;

gg_status gg_packer_load(gg_packer **out, gg_context *context, const void *image, gg_error *err) {
  *out = NULL;
  gg_packer *packer = gg_malloc(sizeof *packer);
  if (!packer) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_raw_load(&packer->kernel, context, GG_PACKER_NAME, image, err);
  if (st)
    gg_free(packer);
  else
    *out = packer;
  return st;
}

void gg_packer_close(gg_packer *packer) {
  if (!packer) return;
  gg_raw_close(&packer->kernel);
  gg_free(packer);
}

/* ---- Launching --------------------------------------------------------------------------- */

static gg_status check_stride(const char *name, int64_t stride, int64_t least, const char *fault,
                              gg_error *err) {
  if (stride >= least) return GG_OK;
  return gg_fail(err, PROBLEM_STRIDE, NULL, name, (long long)stride, fault, (long long)least);
}

/* Bytes from the first to behind the last of `batch` batches, which are `stride` bytes apart. */
static bool reach(int64_t *out, int64_t batch, int64_t stride, int64_t bytes) {
  return !__builtin_mul_overflow(batch - 1, stride, out) &&
         !__builtin_add_overflow(*out, bytes, out);
}

static gg_status check_memory(const gg_packing *p, int64_t bytes, gg_error *err) {
  if (!p->to || !p->from) return gg_fail(err, PROBLEM_POINTER, NULL, p->to ? "from" : "to");
  if (p->to % atom_align)
    return gg_fail(err, PROBLEM_ALIGN, NULL, "to", (long long)p->to, (long long)atom_align, "bytes",
                   (long long)(p->to / atom_align * atom_align + atom_align));
  if (p->batch < 2) return GG_OK;
  if (p->batch_stride_to % atom_align)
    return gg_fail(err, PROBLEM_ALIGN, NULL, "batch_stride_to", (long long)p->batch_stride_to,
                   (long long)atom_align, "bytes",
                   (long long)gg_problem_round_up(p->batch_stride_to, atom_align));
  gg_status st =
      check_stride("batch_stride_to", p->batch_stride_to, bytes, "the batches overlap", err);
  return st ? st
            : check_stride("batch_stride_from", p->batch_stride_from, 0,
                           "batch strides are not negative", err);
}

/* Checks a packing, and fills the kernel's parameter. One CTA has `warps` atoms along K. */
static gg_status check(packing *out, unsigned *ctas, const gg_packing *p, gg_error *err) {
  int64_t bytes, rows_reach, all;
  gg_status st = gg_scales_bytes(&bytes, p->rows, p->k, p->block, err);
  if (!st) st = gg_problem_check_extent("batch", p->batch, GG_FIXED_NONE, err);
  *ctas = 0;
  if (st || bytes == 0 || p->batch == 0) return st;
  *out = (packing){.to = p->to,
                   .from = p->from,
                   .rows = p->rows,
                   .factors = p->k / p->block + (p->k % p->block != 0),
                   .ld = p->ld,
                   .stride_to = p->batch_stride_to,
                   .stride_from = p->batch_stride_from,
                   .atoms_down = (p->rows - 1) / GG_SCALE_ROWS + 1,
                   .atoms_along = gg_scales_atoms_k(p->k, p->block)};
  if (p->ld < out->factors)
    return gg_fail(err, PROBLEM_LD, NULL, "ld", (long long)p->ld, "factors",
                   (long long)out->factors, (long long)out->factors);
  if ((st = check_memory(p, bytes, err))) return st;
  bool fits = reach(&rows_reach, p->rows, p->ld, out->factors) &&
              reach(&all, p->batch, p->batch_stride_from, rows_reach) &&
              reach(&all, p->batch, p->batch_stride_to, bytes);
  int64_t groups = (out->atoms_along + warps - 1) / warps * out->atoms_down;
  fits = fits && !__builtin_mul_overflow(groups, p->batch, &groups) && groups <= GG_GRID_X_MAX;
  if (!fits)
    return gg_fail(err, PROBLEM_SIZE, NULL, "scale factors are more than one launch packs");
  *ctas = (unsigned)groups;
  return GG_OK;
}

gg_status gg_packer_launch(const gg_packer *packer, const gg_packing *given,
                           struct CUstream_st *stream, gg_error *err) {
  GG_NEED(err, packer);
  GG_NEED(err, given);
  gg_packing p = GG_PACKING_INIT;
  packing facts;
  unsigned ctas;
  gg_status st = gg_sized_read(&p, sizeof p, given, "gg_packing", err);
  if (!st) st = check(&facts, &ctas, &p, err);
  if (st || ctas == 0) return st;
  void *arguments[] = {&facts};
  return gg_raw_launch(&packer->kernel, ctas, 1, threads, arguments, stream, err);
}
