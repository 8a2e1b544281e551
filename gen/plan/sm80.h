/* Family sm80: its two stages (plan and layouts), one file each, and facts that its template needs
 * about copies. */
#ifndef GG_PLAN_SM80_H
#define GG_PLAN_SM80_H

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/dealing.h"
#include "plan/layouts.h"
#include "plan/target.h"

gg_status gg_sm80_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm80.c */

/* Decides whether the atoms of the warps alternate along M (true), or each warp has one contiguous
 * block, as the spec's permutation says. The plan must have the tile and the warps.
 * (sm80_permutation.c) */
gg_status gg_sm80_choose_permutation(bool *turns_m, const gg_plan *plan, gg_error *err);

/* How many elements one byte of A and of B holds: more than 1 only for types of less than 8 bits.
 * The text then counts bytes along K, as memory does. */
static inline int gg_sm80_packed(const gg_plan *plan) {
  return (int)gg_dtype_unit(plan->a.type, 1);
}

/* For types of less than 8 bits: checks what they ask of the spec; whether an architecture has
 * their MMA as one instruction, or ptxas replaces it by several others; and at what rate a device
 * multiplies them. (sm80_packed.c) */
gg_status gg_sm80_check_packed(const gg_plan *plan, gg_error *err);
bool gg_sm80_is_one_mma(const gg_plan *plan, int arch);
gg_device_number gg_sm80_packed_rate(const gg_plan *plan, int arch);

/* Checks what a sparse A asks of the spec: first types and majors, then, when it is known, the
 * tile's K. (sm80_sparse.c) */
gg_status gg_sm80_check_sparse(const gg_plan *plan, gg_error *err); /* sm80_sparse.c */
gg_status gg_sm80_check_sparse_tile(const gg_plan *plan, int tile_k, int warps_k, gg_error *err);

/* Registers of a lane that one K tile's metadata takes: one word for each MMA of the first columns
 * of its block. 0 if A is dense. */
int gg_sm80_metadata_words(const gg_plan *plan, int block_m, int tile_k);

/* Derives how much metadata a lane holds, and checks that the compressor puts it where lanes look
 * for it. */
gg_status gg_sm80_derive_metadata(gg_layouts *out, const gg_plan *plan, gg_error *err);

/* How a tile of A or B, `lines` lines of `line_bytes` bytes, is dealt to threads in chunks of
 * `copy_bytes`. At most as many threads stand side by side as one access of global memory has room
 * for. The others take other lines, so a thread's turns along one line differ by a constant
 * address. */
static inline gg_dealing gg_sm80_deal_copy(int64_t threads, int64_t lines, int64_t line_bytes,
                                           int copy_bytes) {
  enum { memory_bytes = 128 /* bytes that global memory moves at once */ };
  int64_t side = memory_bytes / copy_bytes;
  return gg_deal(threads, lines, line_bytes / copy_bytes, side < threads ? side : threads);
}

/* Whether lanes read the operand's fragments from shared memory element by element, because
 * ldmatrix does not bring what an MMA takes. ldmatrix gives a lane 4 bytes of a line: two 16-bit
 * elements along K, or, where it transposes, along M or N; of 8-bit and 32-bit elements those along
 * K. It would cut an f64 in two. */
static inline bool gg_sm80_by_elements(const gg_operand *operand) {
  int64_t bytes = gg_dtype_bytes(operand->type, 1);
  return bytes == 8 || (bytes == 4 && operand->major != GG_MAJOR_K);
}

/* Whether the operand has 8-bit elements that are contiguous along M or N, so that its fragments
 * hold "twins". ldmatrix transposes units of 16 bits: a lane gets the bytes of two neighbours, 2r
 * and 2r + 1, together and takes them apart. The kernel uses these twins as rows r and r + 8 of one
 * MMA, or as the r-th columns of two MMAs side by side. */
static inline bool gg_sm80_has_twins(const gg_operand *operand) {
  return gg_dtype_info_of(operand->type)->bits == 8 && operand->major != GG_MAJOR_K;
}

/* Whether one instruction rounds to tf32 as tensor maps do, to the nearest, ties to even. (PTX ISA,
 * "cvt".) */
static inline bool gg_sm80_converts_tf32(const gg_plan *plan) {
  return plan->arch.number >= 90;
}

/* 32-bit registers that a thread's fragment of one MMA operand takes. */
static inline int gg_sm80_registers(const gg_plan *plan, gg_mma_operand operand) {
  gg_dtype type = operand == GG_MMA_C ? plan->accumulator : plan->a.type;
  int each = gg_dtype_info_of(type)->bits == 64 ? 2 : 1;
  return each * gg_mma_atom_registers(&plan->mma, operand, NULL);
}

/* Bytes of a tile's sums that the warps along K hand to the first of them; 0 if there is one warp
 * along K. */
static inline int64_t gg_sm80_along_k_bytes(const gg_plan *plan, int tile_m, int tile_n,
                                            int warps_k) {
  return (warps_k - 1) * gg_dtype_bytes(plan->accumulator, (int64_t)tile_m * tile_n);
}

/* Bytes of such sums that a lane moves at once: up to 16 of one MMA's. */
static inline int gg_sm80_sums_at_once(const gg_plan *plan) {
  enum { widest = 16, word_bytes = 4 };
  int bytes = gg_sm80_registers(plan, GG_MMA_C) * word_bytes;
  return bytes < widest ? bytes : widest;
}

/* The matrices that come through staging in whole lines, without their layouts; returns how many.
 * They are C and the first other matrix, if a lane copies more than one element of it at once.
 * Single elements are read from where they lie, because going by way of staging measured slower.
 * Further matrices would not fit in the list of counted accesses. The plan must have
 * access_bytes_c. (sm80_lined.c) */
size_t gg_sm80_lined(gg_lined out[GG_LINED_MAX], const gg_plan *plan);

extern const gg_target gg_target_sm80; /* sm80.c */

#endif
