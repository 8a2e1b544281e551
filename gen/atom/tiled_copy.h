/* Tiled copies: a copy atom repeated over threads and values of a tile.
 *
 * The tile is what the tiler cuts out of a tensor; the thread-value layout says which element of
 * it each (thread, value) is, in the arrangement of the atom's reference side. The source's and
 * destination's own arrangements follow from the atom: of ldmatrix, a thread's source is a row in
 * shared memory, its destination the fragments that the MMA wants.
 *
 *     gg_tiled_copy copy;
 *     gg_tiled_copy_make(&copy, &atom, 16, &threads, &values, &err);
 *     gg_tiled_copy_partition(&tAgA, &copy, GG_COPY_SRC, &gA, thread, &err);
 *
 * Source: CuTe's copy_atom.hpp. Units: elements of `bits` bits. */
#ifndef GG_ATOM_TILED_COPY_H
#define GG_ATOM_TILED_COPY_H

#include "atom/copy_atom.h"
#include "atom/tiled_mma.h"

typedef struct gg_tiled_copy {
  gg_copy_atom atom;
  int bits;                /* of an element */
  gg_layout src, dst, ref; /* of the atom: (thread, value) -> value */
  gg_layout tv;            /* (thread, value) -> index in the tile, of the reference side */
  gg_tiler tiler;          /* cuts the tile */
} gg_tiled_copy;

/* From thread and value layouts over (M,N): their raked product. TILED_COUNT where the tile has
 * not a whole number of atoms, ATOM_PARAMETER where the atom does not copy such elements. */
gg_status gg_tiled_copy_make(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                             const gg_layout *threads, const gg_layout *values, gg_error *err);

/* From the thread-value layout and the tiler themselves. */
gg_status gg_tiled_copy_make_impl(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_layout *tv, const gg_tiler *tiler, gg_error *err);

/* Which copies an operand as a tiled MMA holds it: make_tiled_copy_A, _B, _C. */
gg_status gg_tiled_copy_make_mma(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                 const gg_tiled_mma *mma, gg_mma_operand operand, gg_error *err);

/* The smallest that can retile an accumulator: as many values of C as the atom copies. */
gg_status gg_tiled_copy_make_c_atom(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                    const gg_tiled_mma *mma, gg_error *err);

/* As another copies its source (side SRC) or destination (DST). */
gg_status gg_tiled_copy_make_like(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_tiled_copy *like, gg_copy_side side, gg_error *err);

/* From where threads and values lie in memory: `tv` maps to the offsets of `data`, which must
 * have them (TILED_COTILED where it has not). */
gg_status gg_tiled_copy_make_cotiled(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                     const gg_layout *tv, const gg_layout *data, gg_error *err);

/* Loads or stores of tensor memory by four warps, each its 32 lanes: `tmem` maps a tile's elements
 * to tensor memory, in units of elements of so many bits (gg_tmem_frg). CuTe's make_tmem_copy.
 * TILED_COTILED where the atom's elements are not there, ATOM_PARAMETER where it is of another
 * kind. */
gg_status gg_tiled_copy_make_tmem(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_layout *tmem, gg_error *err);

int64_t gg_tiled_copy_threads(const gg_tiled_copy *copy);

/* The layout of a tensor of any extents, as (thread,(FrgV,FrgX),(RestM,RestN,...)), on the side
 * SRC or DST. */
gg_status gg_tiled_copy_tidfrg(gg_layout *out, const gg_tiled_copy *copy, gg_copy_side side,
                               const gg_layout *tensor, gg_error *err);

/* (thread, value) -> index in the tile, colexicographic. */
gg_status gg_tiled_copy_layout_tv(gg_layout *out, const gg_tiled_copy *copy, gg_copy_side side,
                                  gg_error *err);

/* What one thread copies from or to a tensor: ((FrgV,FrgX),RestM,RestN,...). */
gg_status gg_tiled_copy_partition(gg_tensor *out, const gg_tiled_copy *copy, gg_copy_side side,
                                  const gg_tensor *tensor, int64_t thread, gg_error *err);

/* A thread's fragment, as a tiled MMA partitioned it, in the modes of this copy. */
gg_status gg_tiled_copy_retile(gg_tensor *out, const gg_tiled_copy *copy, const gg_tensor *fragment,
                               gg_error *err);

#endif
