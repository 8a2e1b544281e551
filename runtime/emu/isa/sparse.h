/* Sparse A of mma.sp, wgmma.sp and tcgen05.mma.sp: which elements of a row are stored.
 *
 * Of every four elements of 16 or 8 bits two are stored, of every two of tf32 one, and of every
 * four pairs of 4-bit elements two pairs. Metadata names them by 2-bit indices, those of tf32 by
 * four bits. (PTX ISA, "Sparse matrix storage" and "Matrix fragments for sparse mma"; which lanes
 * have the metadata of 8- and 4-bit types was seen on an H100.) If a group stores only zeros, its
 * indices may be anything: CUTLASS's compressor leaves 0 there. */
#ifndef GG_EMU_ISA_SPARSE_H
#define GG_EMU_ISA_SPARSE_H

#include "emu/machine.h"
#include "emu/tensor/operand.h"

enum { EMU_SPARSE_ROWS = 16, EMU_SPARSE_K = 128 };

typedef struct emu_sparsity {
  emu_type type;
  int k;        /* of the whole matrix: twice what is stored */
  int selector; /* which lanes' metadata is used */
  bool ordered; /* whether indices must increase */
  bool swaps;   /* whether 2 and then 1 counts as ordered */
} emu_sparsity;

/* The largest selector. */
int emu_sparse_selectors(emu_type type, int k);

/* Rows of stored elements, decoded, k / 2 in each row; exponents are NULL for integers. */
typedef struct emu_stored {
  const float *value;
  const int16_t *exponent;
} emu_stored;

/* The k of each of a row's stored elements, from its metadata, whose first indices are in the
 * lowest bits. False after a fault: indices do not name two elements. */
bool emu_sparse_row(uint8_t *columns, emu_warp *warp, const emu_op *op,
                    const emu_sparsity *sparsity, const emu_stored *stored, int row,
                    uint64_t metadata);

/* The same for 16 rows, [row][k / 2], from a warp's metadata. */
bool emu_sparse_columns(uint8_t columns[EMU_SPARSE_ROWS * EMU_SPARSE_K / 2], emu_warp *warp,
                        const emu_op *op, const emu_sparsity *sparsity, const emu_stored *stored,
                        const uint32_t metadata[EMU_LANES]);

/* Spreads the stored elements over whole rows; the others are absent. */
void emu_sparse_spread(float *value, int16_t *exponent, const emu_stored *stored,
                       const uint8_t *columns, int rows, int k);

#endif
