/* Family sm80: its two stages, one file each, and what its template must know of copies. */
#ifndef GG_PLAN_SM80_H
#define GG_PLAN_SM80_H

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/dealing.h"
#include "plan/layouts.h"
#include "plan/target.h"

gg_status gg_sm80_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm80.c */

/* Whether a warp's atoms lie in turns with the others' along M, as the spec's permutation has it,
 * when the tile and the warps are in the plan. sm80_permutation.c */
gg_status gg_sm80_choose_permutation(bool *turns_m, const gg_plan *plan, gg_error *err);

/* Elements that a byte of A and of B has: 1 but of types of less than 8 bits. Text then counts
 * bytes along K, as memory does. */
static inline int gg_sm80_packed(const gg_plan *plan) {
  return (int)gg_dtype_unit(plan->a.type, 1);
}

/* What such types ask of the spec; whether an architecture has their MMAs, of which ptxas makes
 * several other instructions where it has not; and at what rate a device multiplies them.
 * sm80_packed.c */
gg_status gg_sm80_check_packed(const gg_plan *plan, gg_error *err);
bool gg_sm80_is_one_mma(const gg_plan *plan, int arch);
gg_device_number gg_sm80_packed_rate(const gg_plan *plan, int arch);

/* What a sparse A asks of the spec: types and majors first; the tile's K when it is known. */
gg_status gg_sm80_check_sparse(const gg_plan *plan, gg_error *err); /* sm80_sparse.c */
gg_status gg_sm80_check_sparse_tile(const gg_plan *plan, int tile_k, int warps_k, gg_error *err);

/* Registers of a lane that a K tile's metadata takes: a word for each MMA of its block's first
 * columns; 0 where A is dense. */
int gg_sm80_metadata_words(const gg_plan *plan, int block_m, int tile_k);

/* What a lane has of metadata, held to where the compressor puts it. */
gg_status gg_sm80_derive_metadata(gg_layouts *out, const gg_plan *plan, gg_error *err);

/* A tile of A or B, of lines of so many bytes, in chunks of `copy_bytes`. No more threads stand
 * side by side than one access of memory has room for: those beyond go to other lines, and the
 * turns along a line share an address. */
static inline gg_dealing gg_sm80_deal_copy(int64_t threads, int64_t lines, int64_t line_bytes,
                                           int copy_bytes) {
  enum { memory_bytes = 128 /* what global memory moves at once */ };
  int64_t side = memory_bytes / copy_bytes;
  return gg_deal(threads, lines, line_bytes / copy_bytes, side < threads ? side : threads);
}

/* Whether lanes read the operand's fragments from shared memory element by element. ldmatrix gives
 * a lane 4 bytes of a line: two elements of 16 bits along K, or along M or N, where it transposes;
 * of 8 and 32 bits those along K. It would cut f64 in two. */
static inline bool gg_sm80_by_elements(const gg_operand *operand) {
  int64_t bytes = gg_dtype_bytes(operand->type, 1);
  return bytes == 8 || (bytes == 4 && operand->major != GG_MAJOR_K);
}

/* Whether the operand's bytes run along M or N. ldmatrix transposes 16 bits at once, so that a lane
 * gets the bytes of two neighbours, 2r and 2r + 1, together and takes them apart: such twins are
 * rows r and r + 8 of an MMA, or the r-th columns of two MMAs side by side. */
static inline bool gg_sm80_has_twins(const gg_operand *operand) {
  return gg_dtype_info_of(operand->type)->bits == 8 && operand->major != GG_MAJOR_K;
}

/* Whether one instruction rounds to tf32 as tensor maps do, to nearest even. (PTX ISA, "cvt".) */
static inline bool gg_sm80_converts_tf32(const gg_plan *plan) {
  return plan->arch.number >= 90;
}

/* 32-bit registers of a thread that a fragment of the plan's atom takes. */
static inline int gg_sm80_registers(const gg_plan *plan, gg_mma_operand operand) {
  gg_dtype type = operand == GG_MMA_C ? plan->accumulator : plan->a.type;
  int each = gg_dtype_info_of(type)->bits == 64 ? 2 : 1;
  return each * gg_mma_atom_registers(&plan->mma, operand, NULL);
}

/* Bytes of a tile's sums that warps along K hand to the first of them; 0 where there is one. */
static inline int64_t gg_sm80_along_k_bytes(const gg_plan *plan, int tile_m, int tile_n,
                                            int warps_k) {
  return (warps_k - 1) * gg_dtype_bytes(plan->accumulator, (int64_t)tile_m * tile_n);
}

/* Bytes of such sums that a lane moves at once: up to 16 of an MMA's. */
static inline int gg_sm80_sums_at_once(const gg_plan *plan) {
  enum { widest = 16, word_bytes = 4 };
  int bytes = gg_sm80_registers(plan, GG_MMA_C) * word_bytes;
  return bytes < widest ? bytes : widest;
}

/* What comes through staging in whole lines, but for its layouts: C and the first other matrix,
 * where a lane copies more than an element at once. Single elements are read where they lie: by way
 * of staging they measured slower. Others have no room in the accesses that are counted. The plan
 * has its access_bytes_c. sm80_lined.c */
size_t gg_sm80_lined(gg_lined out[GG_LINED_MAX], const gg_plan *plan);

extern const gg_target gg_target_sm80; /* sm80.c */

#endif
