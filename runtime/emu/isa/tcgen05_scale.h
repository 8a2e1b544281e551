/* Scale factors of tcgen05.mma in tensor memory (PTX ISA, "Block Scaling for tcgen05.mma").
 *
 * The factors of 32 rows of A, or columns of B, are bytes of a column's words in 32 lanes, from the
 * byte on that the instruction descriptor names. The next 32 rows are in the next column. Each 32
 * lanes have a copy. Factors behind the fourth byte, which a k of 96 has, are in the columns of the
 * next instruction: as many further as 128 rows take, or 256 if there are more than 128. If the
 * halves of D's columns are below each other (M is 128 for a pair), lanes 0 to 63 have two copies
 * of the factors of B's first half, 64 to 127 of its second. */
#ifndef GG_EMU_ISA_TCGEN05_SCALE_H
#define GG_EMU_ISA_TCGEN05_SCALE_H

#include "emu/async/tensor_memory.h"

typedef struct emu_scale_view {
  const char *name; /* for messages: "A's scale factor of row" */
  int column, byte;
  int rows;    /* of A, or columns of B */
  int factors; /* for a row: 1, 2 or 4, with a k of 96 3 or 6 */
  bool folded; /* whether each half of the rows has half of the lanes */
} emu_scale_view;

/* The region that the factors are in. */
emu_tmem_region emu_scale_region(const emu_scale_view *v);

/* Codes of `count` rows from the `first` on: factor i of a row goes to
 * codes[row * row_stride + i * factor_stride] `repeat` times, so that a row has factors * repeat of
 * them. False after a fault: nobody has written one, or its copies differ. */
bool emu_scale_gather(uint32_t *codes, int row_stride, int factor_stride, int repeat,
                      const emu_scale_view *v, const emu_tmem_claim *claim, int first, int count);

#endif
