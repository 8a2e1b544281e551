/* Instruction descriptors of tcgen05.mma: 32 bits that say what is multiplied, since the PTX opcode
 * gives only the kind.
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
  int m, n;         /* of the instruction; for a pair of CTAs, of both halves together */
  bool a_mn_major, b_mn_major;
  bool a_negated, b_negated;
  bool saturates; /* for integers: D is clamped */
  bool sparse;    /* A is sparse */
  int max_shift;  /* for .ws: columns by which the reuse of B may be shifted: 0, 8, 16 or 32 */
  int sparse_id;  /* selector of metadata, 0 to 3 */
  bool scaled;    /* the scale factors below are used */
  bool packed;    /* e2m1 is packed, two elements to a byte, as kinds mxf4 and mxf4nvf4 have it */
  gg_dtype scale; /* type of scale factors: ue8m0 or ue4m3 */
  int scale_id_a; /* the byte of a word of tensor memory in which A's scale factors begin, 0 to 3 */
  int scale_id_b;
  bool long_k; /* K is 96, for packed e2m1 on sm_103; gg_mma_atom_instr_desc leaves it out */
} gg_instr_desc;

/* Makes the 32 bits. Fails with INSTR_DESC if no kind multiplies the types, and with ATOM_PARAMETER
 * if M or N does not fit in its field: M must be a multiple of 16 up to 496, N of 8 up to 504.
 * Which of these an instruction has is checked with its atom. */
gg_status gg_instr_desc_make(uint32_t *out, const gg_instr_desc *what, gg_error *err);

#endif
