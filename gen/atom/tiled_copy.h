/* Tiled copies: a copy atom repeated over the threads and values of a tile.
 *
 * The tile is what the tiler cuts out of a tensor. The thread-value layout says which element of
 * the tile each (thread, value) is, as the atom's reference side arranges them. The atom tells how
 * the source and the destination arrange them: with ldmatrix, a thread's source is a row in shared
 * memory, and its destination are the fragments that the MMA wants.
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
  gg_layout tv;            /* (thread, value) -> index in the tile, for the reference side */
  gg_tiler tiler;          /* cuts the tile out of a tensor */
} gg_tiled_copy;

/* Makes a copy from the layouts of threads and of values over (M,N), as their raked product.
 * Errors: TILED_COUNT where the tile is not a whole number of atoms, ATOM_PARAMETER where the atom
 * does not copy elements of this size. */
gg_status gg_tiled_copy_make(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                             const gg_layout *threads, const gg_layout *values, gg_error *err);

/* Makes a copy from the thread-value layout and the tiler themselves. */
gg_status gg_tiled_copy_make_impl(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_layout *tv, const gg_tiler *tiler, gg_error *err);

/* Makes the copy of an operand as a tiled MMA holds it: CuTe's make_tiled_copy_A, _B, _C. */
gg_status gg_tiled_copy_make_mma(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                 const gg_tiled_mma *mma, gg_mma_operand operand, gg_error *err);

/* Makes the smallest copy that can retile an accumulator: it has as many values of C as the atom
 * copies. */
gg_status gg_tiled_copy_make_c_atom(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                    const gg_tiled_mma *mma, gg_error *err);

/* Makes a copy whose threads and values are arranged as another copy's source (side SRC) or
 * destination (DST). */
gg_status gg_tiled_copy_make_like(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_tiled_copy *like, gg_copy_side side, gg_error *err);

/* Makes a copy from where threads and values lie in memory. `tv` maps to offsets, all of which
 * `data` must reach; else the error is TILED_COTILED. */
gg_status gg_tiled_copy_make_cotiled(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                     const gg_layout *tv, const gg_layout *data, gg_error *err);

/* Makes the loads or stores of tensor memory by four warps, each with 32 lanes of its own. `tmem`
 * maps a tile's elements to tensor memory, in units of `bits` bits (gg_tmem_frg). It is CuTe's
 * make_tmem_copy. Errors: TILED_COTILED where the atom's elements are not there, ATOM_PARAMETER
 * where the atom is not a copy of tensor memory. */
gg_status gg_tiled_copy_make_tmem(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_layout *tmem, gg_error *err);

int64_t gg_tiled_copy_threads(const gg_tiled_copy *copy);

/* The layout of a tensor of any extents in the form (thread,(FrgV,FrgX),(RestM,RestN,...)), for the
 * side SRC or DST. */
gg_status gg_tiled_copy_tidfrg(gg_layout *out, const gg_tiled_copy *copy, gg_copy_side side,
                               const gg_layout *tensor, gg_error *err);

/* (thread, value) -> colexicographic index in the tile. */
gg_status gg_tiled_copy_layout_tv(gg_layout *out, const gg_tiled_copy *copy, gg_copy_side side,
                                  gg_error *err);

/* The part of a tensor that one thread copies from or to: ((FrgV,FrgX),RestM,RestN,...). */
gg_status gg_tiled_copy_partition(gg_tensor *out, const gg_tiled_copy *copy, gg_copy_side side,
                                  const gg_tensor *tensor, int64_t thread, gg_error *err);

/* Gives a thread's fragment, which a tiled MMA partitioned, the modes of this copy. */
gg_status gg_tiled_copy_retile(gg_tensor *out, const gg_tiled_copy *copy, const gg_tensor *fragment,
                               gg_error *err);

#endif
