/* Tiled MMAs: an atom repeated over threads (the atom layout) and over values (the permutation).
 *
 * The threads are laid out as (V,M,N,K): V counts the threads inside one atom; M, N, K count the
 * atoms side by side. A tile of three extents is what all threads multiply together at once. A
 * larger tensor is cut into such tiles, and each thread holds (value, rest...) of it.
 *
 *     gg_tiled_mma mma;
 *     gg_tiled_mma_make(&mma, &atom, &atom_layout, &permutation, &err);
 *     gg_tiled_mma_partition(&tCrA, &mma, GG_MMA_A, &sA, thread, &err);
 *
 * Source: CuTe's mma_atom.hpp. Units: elements. */
#ifndef GG_ATOM_TILED_MMA_H
#define GG_ATOM_TILED_MMA_H

#include "atom/mma_atom.h"
#include "layout/tensor.h"

typedef struct gg_tiled_mma {
  gg_mma_atom atom;
  gg_layout a, b, c;       /* of the atom: (thread, value) -> index in its tile */
  gg_layout thr_vmnk;      /* (V,M,N,K) -> thread */
  gg_tiler permutation[3]; /* of M, N, K; by default the extents of the atoms side by side */
  int64_t tile[3];         /* M, N, K of the tile */
} gg_tiled_mma;

/* Makes a tiled MMA. `atom_layout` maps (M,N,K) to the number of an atom; NULL: one atom.
 * `permutation` has a mode for each of M, N, K, and `_` keeps a mode as it is; NULL keeps all. Both
 * have at most rank 3; else the error is TILED_RANK. */
gg_status gg_tiled_mma_make(gg_tiled_mma *out, const gg_mma_atom *atom,
                            const gg_layout *atom_layout, const gg_tiler *permutation,
                            gg_error *err);

/* The shape of an operand's tile: (M,K) of A and its metadata, (N,K) of B, (M,N) of C. */
gg_tuple gg_mma_operand_tile(const int64_t mnk[3], gg_mma_operand operand);

int64_t gg_tiled_mma_threads(const gg_tiled_mma *mma);
gg_tuple gg_tiled_mma_tile_shape(const gg_tiled_mma *mma); /* (M,N,K) */

/* The layout of an operand of any extents in the form
 * ((ThrV,(ThrX,ThrY)),(FrgV,(RestX,RestY,...))). X and Y are the operand's modes: M,K of A, N,K of
 * B, M,N of C. */
gg_status gg_tiled_mma_thrfrg(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                              const gg_layout *tensor, gg_error *err);

/* (thread, value) -> colexicographic index in the tile of M x K, N x K or M x N. */
gg_status gg_tiled_mma_layout_tv(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                                 gg_error *err);

/* The part of a tensor that one thread holds: (MMA, rest X, rest Y, ...). */
gg_status gg_tiled_mma_partition(gg_tensor *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                                 const gg_tensor *tensor, int64_t thread, gg_error *err);

/* The shape of that part for a tensor of shape `shape`: the shape of the thread's register
 * fragment. */
gg_status gg_tiled_mma_partition_shape(gg_tuple *out, const gg_tiled_mma *mma,
                                       gg_mma_operand operand, const gg_tuple *shape,
                                       gg_error *err);

#endif
