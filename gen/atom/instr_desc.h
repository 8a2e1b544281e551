/* Instruction descriptors of tcgen05.mma: 32 bits that say what is multiplied, as the PTX opcode
 * says the kind alone.
 *
 *     gg_instr_desc what = {.a = GG_DTYPE_f16, .b = GG_DTYPE_f16, .c = GG_DTYPE_f32,
 *                           .m = 128, .n = 256};
 *     gg_instr_desc_make(&bits, &what, &err);   0x08400010
 *
 * Source: PTX ISA, "tcgen05: Instruction descriptor"; CuTe's mma_sm100_desc.hpp. */
#ifndef GG_ATOM_INSTR_DESC_H
#define GG_ATOM_INSTR_DESC_H

#include "atom/dtype.h"

typedef struct gg_instr_desc {
  gg_dtype a, b, c; /* D has C's type */
  int m, n;         /* of the instruction; of a pair of CTAs both halves together */
  bool a_mn_major, b_mn_major;
  bool a_negated, b_negated;
  bool saturates; /* integers: D is clamped */
  bool sparse;    /* A is */
  int max_shift;  /* of .ws: columns that B's reuse may be shifted by: 0, 8, 16 or 32 */
  int sparse_id;  /* the selector of metadata, 0 to 3 */
  bool scaled;    /* the three that follow count */
  bool packed;    /* e2m1 as the kinds mxf4 and mxf4nvf4 have it, two a byte */
  gg_dtype scale; /* of scale factors: ue8m0 or ue4m3 */
  int scale_id_a; /* the byte of a word of tensor memory in which A's scale factors begin, 0 to 3 */
  int scale_id_b;
  bool long_k; /* K of 96, of packed e2m1 on sm_103; gg_mma_atom_instr_desc leaves it out */
} gg_instr_desc;

/* The 32 bits. INSTR_DESC where no kind multiplies the types, ATOM_PARAMETER where M or N has not
 * the bits: they are multiples of 16 up to 496, and of 8 up to 504. Which of them an instruction
 * has is its atom's matter. */
gg_status gg_instr_desc_make(uint32_t *out, const gg_instr_desc *what, gg_error *err);

#endif
