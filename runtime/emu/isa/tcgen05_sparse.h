/* Metadata of tcgen05.mma.sp in tensor memory (PTX ISA, "Sparse Matrices", "Sparsity selector").
 *
 * For elements of 16 and 32 bits, a column has the metadata of one instruction, 32 bits for each
 * row; the sparsity selector chooses one of two columns. In each 16 rows, rows r and r + 8 share
 * the lanes r and r + 8: lane r has the first 16 bits of both rows, lane r + 8 the last ones, those
 * of row r in the low half of the word. For elements of 8 and 4 bits, a row's 64 bits are its
 * lane's words of two columns.
 *
 * The ISA shows this in figures; CuTe's layouts, and kernels that ran on a GPU of sm_110, agree. */
#ifndef GG_EMU_ISA_TCGEN05_SPARSE_H
#define GG_EMU_ISA_TCGEN05_SPARSE_H

#include "emu/async/tensor_memory.h"
#include "emu/isa/sparse.h"

typedef struct emu_meta_view {
  emu_sparsity sparsity;
  int lane, column; /* the first; column: as the address says, without the selector */
  int rows;         /* of A, of a CTA */
  bool half;        /* 16 rows in each 32 lanes; else rows after rows, with copies in all lanes */
} emu_meta_view;

/* The region that the metadata is in. */
emu_tmem_region emu_meta_region(const emu_meta_view *v);

/* The k of each stored element, [row][k / 2]. False after a fault: nobody has written the metadata,
 * its copies differ, or it does not name two elements. */
bool emu_meta_gather(uint8_t *columns, const emu_meta_view *v, const emu_tmem_claim *claim,
                     const emu_stored *stored);

#endif
