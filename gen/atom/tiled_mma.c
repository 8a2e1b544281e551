/* Tiled MMAs, made with the layout algebra alone.
 *
 * Three divisions distribute a tensor over the threads: by the permutation, which reorders each
 * mode; by the atom's extents, whose tile the atom's own layout then reads as (thread, value); and
 * by the number of atoms side by side, which becomes part of the thread. What remains is the rest.
 *
 * Invariant: an operand of X x Y has its modes at fixed places of (M,N,K): A at 0 and 2, B at 1 and
 * 2, C at 0 and 1. Every function below is the same for all three but for these places. Source:
 * CuTe's mma_atom.hpp. */
#include "atom/tiled_mma.h"

#include "layout/calc.h"

/* Where the operand's two modes stand in (M,N,K). */
typedef struct modes {
  int x, y;
} modes;

static modes modes_of(gg_mma_operand operand) {
  static const modes table[] = {[GG_MMA_A] = {0, 2}, [GG_MMA_B] = {1, 2}, [GG_MMA_C] = {0, 1}};
  return table[operand];
}

static const gg_layout *atom_layout_of(const gg_tiled_mma *mma, gg_mma_operand operand) {
  return operand == GG_MMA_A ? &mma->a : operand == GG_MMA_B ? &mma->b : &mma->c;
}

static int atom_extent(const gg_tiled_mma *mma, int mode) {
  return mode == 0 ? mma->atom.m : mode == 1 ? mma->atom.n : mma->atom.k;
}

static gg_tiler tiler_keep(void) {
  gg_tuple keep = gg_tuple_keep();
  return gg_tiler_of_shape(&keep);
}

static gg_tiler tiler_int(int64_t size) {
  gg_layout flat = gg_layout_flat(size, 1);
  return gg_tiler_of_layout(&flat);
}

/* Makes the tiler (a,b). */
static gg_status tiler_pair(gg_tiler *out, const gg_tiler *a, const gg_tiler *b, gg_error *err) {
  gg_tiler pair = gg_tiler_empty();
  gg_status st;
  if ((st = gg_tiler_append(&pair, a, err))) return st;
  if ((st = gg_tiler_append(&pair, b, err))) return st;
  *out = pair;
  return GG_OK;
}

/* ---- Making ------------------------------------------------------------------------------- */

/* Makes the layout (V,M,N,K) of the threads: the atom's threads, repeated over the atom layout. */
static gg_status make_threads(gg_tiled_mma *mma, const gg_layout *atom_layout, gg_error *err) {
  gg_layout mnk = gg_layout_flat(1, 0), threads = gg_mma_atom_threads(&mma->atom);
  gg_status st;
  if (atom_layout && gg_layout_rank(atom_layout) > 3) {
    return gg_fail(err, TILED_RANK, NULL, "the atom layout", gg_layout_rank(atom_layout),
                   "M, N and K are three");
  }
  if (atom_layout) mnk = *atom_layout;
  if ((st = gg_layout_append_to(&mnk, &mnk, 3, err))) return st;
  gg_tiler tiler = gg_tiler_of_layout(&mnk);
  return gg_layout_tiled_product(&mma->thr_vmnk, &threads, &tiler, err);
}

/* Sets the permutation of one mode, M, N or K, and the mode's extent in the tile. */
static gg_status make_permutation(gg_tiled_mma *mma, int mode, const gg_tiler *given,
                                  gg_error *err) {
  gg_tiler *permutation = &mma->permutation[mode];
  gg_status st;
  *permutation = tiler_keep();
  if (given && mode < gg_layout_rank(&given->tiles)) {
    if ((st = gg_tiler_get(permutation, given, mode, err))) return st;
  }
  if (!gg_tiler_is_layout(permutation) && gg_tuple_has_keep(&permutation->tiles.shape)) {
    gg_calc c = GG_CALC("tiled_mma", err);
    int64_t extent =
        gg_calc_mul(&c, atom_extent(mma, mode), gg_layout_mode_size(&mma->thr_vmnk, mode + 1));
    if (c.status) return c.status;
    *permutation = tiler_int(extent);
  }
  mma->tile[mode] = gg_layout_size(&permutation->tiles);
  return GG_OK;
}

gg_status gg_tiled_mma_make(gg_tiled_mma *out, const gg_mma_atom *atom,
                            const gg_layout *atom_layout, const gg_tiler *permutation,
                            gg_error *err) {
  gg_tiled_mma mma = {.atom = *atom,
                      .a = gg_mma_atom_layout(atom, GG_MMA_A),
                      .b = gg_mma_atom_layout(atom, GG_MMA_B),
                      .c = gg_mma_atom_layout(atom, GG_MMA_C)};
  gg_status st;
  if (permutation && (gg_tiler_is_layout(permutation) || gg_layout_rank(&permutation->tiles) > 3)) {
    return gg_fail(err, TILED_RANK, NULL, "the permutation", gg_layout_rank(&permutation->tiles),
                   "it is a tuple of at most three, one for each of M, N and K");
  }
  if ((st = make_threads(&mma, atom_layout, err))) return st;
  for (int mode = 0; mode < 3; mode++) {
    if ((st = make_permutation(&mma, mode, permutation, err))) return st;
  }
  *out = mma;
  return GG_OK;
}

int64_t gg_tiled_mma_threads(const gg_tiled_mma *mma) {
  return gg_layout_size(&mma->thr_vmnk);
}

gg_tuple gg_tiled_mma_tile_shape(const gg_tiled_mma *mma) {
  return gg_tuple_make(3, mma->tile);
}

/* ---- Dividing ----------------------------------------------------------------------------- */

gg_status gg_tiled_mma_thrfrg(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                              const gg_layout *tensor, gg_error *err) {
  modes mode = modes_of(operand);
  gg_layout tiled;
  gg_tiler tiler, keep = tiler_keep();
  gg_status st;
  if (gg_layout_rank(tensor) < 2) {
    return gg_fail(err, TILED_RANK, NULL, "what is partitioned", gg_layout_rank(tensor),
                   "an operand has two modes");
  }
  /* (PermX,PermY,...) */
  if ((st = tiler_pair(&tiler, &mma->permutation[mode.x], &mma->permutation[mode.y], err)) ||
      (st = gg_layout_logical_divide(&tiled, tensor, &tiler, err))) {
    return st;
  }
  /* ((AtomX,AtomY),(RestX,RestY,...)) */
  gg_tiler x = tiler_int(atom_extent(mma, mode.x)), y = tiler_int(atom_extent(mma, mode.y));
  if ((st = tiler_pair(&tiler, &x, &y, err)) ||
      (st = gg_layout_zipped_divide(&tiled, &tiled, &tiler, err))) {
    return st;
  }
  /* ((ThrV,FrgV),(RestX,RestY,...)) */
  gg_tiler atom = gg_tiler_of_layout(atom_layout_of(mma, operand));
  if ((st = tiler_pair(&tiler, &atom, &keep, err)) ||
      (st = gg_layout_compose_tiler(&tiled, &tiled, &tiler, err))) {
    return st;
  }
  /* ((ThrV,(ThrX,ThrY)),(FrgV,(RestX,RestY,...))) */
  x = tiler_int(gg_layout_mode_size(&mma->thr_vmnk, mode.x + 1));
  y = tiler_int(gg_layout_mode_size(&mma->thr_vmnk, mode.y + 1));
  if ((st = tiler_pair(&tiler, &x, &y, err)) || (st = tiler_pair(&tiler, &keep, &tiler, err))) {
    return st;
  }
  return gg_layout_zipped_divide(out, &tiled, &tiler, err);
}

gg_tuple gg_mma_operand_tile(const int64_t mnk[3], gg_mma_operand operand) {
  if (operand == GG_MMA_B || operand == GG_MMA_SFB) return GG_TUPLE(mnk[1], mnk[2]);
  return operand == GG_MMA_C ? GG_TUPLE(mnk[0], mnk[1]) : GG_TUPLE(mnk[0], mnk[2]);
}

/* ---- Thread-value layouts ----------------------------------------------------------------- */

/* Turns threads along the operand's first mode into threads along (M,N). A is the same for every N
 * and B for every M, so the threads of the other mode repeat it. */
static gg_status broadcast_threads(gg_layout *tv, const gg_tiled_mma *mma, gg_mma_operand operand,
                                   gg_error *err) {
  int64_t shape[] = {gg_layout_mode_size(&mma->thr_vmnk, 1),
                     gg_layout_mode_size(&mma->thr_vmnk, 2)};
  int64_t stride[] = {operand == GG_MMA_A, operand == GG_MMA_B};
  gg_tuple mn = gg_tuple_make(2, shape), along = gg_tuple_make(2, stride);
  gg_layout layout;
  gg_status st;
  if ((st = gg_layout_make(&layout, &mn, &along, err))) return st;
  gg_tiler tiler = gg_tiler_of_layout(&layout), keep = tiler_keep();
  if ((st = tiler_pair(&tiler, &tiler, &keep, err)) || /* of (ThrX,ThrY) */
      (st = tiler_pair(&tiler, &keep, &tiler, err)) || /* of (ThrV,(ThrX,ThrY)) */
      (st = tiler_pair(&tiler, &tiler, &keep, err))) { /* of the whole */
    return st;
  }
  return gg_layout_compose_tiler(tv, tv, &tiler, err);
}

/* Maps a thread to its index in (V,M,N,K). Threads that the layout does not name get the index of
 * one that it does. */
static gg_status thread_to_vmnk(gg_layout *out, const gg_tiled_mma *mma, gg_error *err) {
  gg_layout all = mma->thr_vmnk, rest, inverse, known;
  gg_tuple shape = GG_TUPLE(gg_tiled_mma_threads(mma), 1), stride = GG_TUPLE(1, 0);
  gg_status st;
  if ((st = gg_layout_complement(&rest, &all, NULL, err))) return st;
  if ((st = gg_layout_concat(&all, &all, &rest, err))) return st;
  if ((st = gg_layout_right_inverse(&inverse, &all, err))) return st;
  if ((st = gg_layout_make(&known, &shape, &stride, err))) return st;
  return gg_layout_composition(out, &known, &inverse, err);
}

gg_status gg_tiled_mma_layout_tv(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                                 gg_error *err) {
  modes mode = modes_of(operand);
  gg_tuple tile = GG_TUPLE(mma->tile[mode.x], mma->tile[mode.y]);
  gg_layout tv, threads;
  gg_status st;
  if ((st = gg_layout_col_major(&tv, &tile, err))) return st;
  if ((st = gg_tiled_mma_thrfrg(&tv, mma, operand, &tv, err))) return st;
  if (operand != GG_MMA_C && (st = broadcast_threads(&tv, mma, operand, err))) return st;
  if ((st = thread_to_vmnk(&threads, mma, err))) return st;
  gg_tiler tiler = gg_tiler_of_layout(&threads), keep = tiler_keep();
  if ((st = tiler_pair(&tiler, &tiler, &keep, err))) return st;
  return gg_layout_compose_tiler(out, &tv, &tiler, err);
}

/* ---- Partitions --------------------------------------------------------------------------- */

/* The coordinate (thr,(_,(_,_,...))) with as many rests as the operand has modes. */
static gg_status fragment_coord(gg_tuple *out, const gg_tuple *thr, int rests, gg_error *err) {
  gg_tuple keep = gg_tuple_keep(), rest;
  gg_status st;
  if ((st = gg_tuple_repeat(&rest, rests, &keep, err))) return st;
  if ((st = gg_tuple_pair(&rest, &keep, &rest, err))) return st;
  return gg_tuple_pair(out, thr, &rest, err);
}

gg_status gg_tiled_mma_partition(gg_tensor *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                                 const gg_tensor *tensor, int64_t thread, gg_error *err) {
  modes mode = modes_of(operand);
  gg_layout tiled;
  gg_tuple vmnk, coord;
  gg_status st;
  if (thread < 0) return gg_fail(err, LAYOUT_VALUE, NULL, "partition", "threads count from 0");
  if ((st = gg_tiled_mma_thrfrg(&tiled, mma, operand, &tensor->layout.layout, err))) return st;
  if ((st = gg_layout_flat_coord(&vmnk, &mma->thr_vmnk, thread, err))) return st;
  gg_tuple thr_v = gg_tuple_int(gg_tuple_value(&vmnk, 0));
  gg_tuple thr_xy = GG_TUPLE(gg_tuple_value(&vmnk, mode.x + 1), gg_tuple_value(&vmnk, mode.y + 1));
  if ((st = gg_tuple_pair(&thr_xy, &thr_v, &thr_xy, err))) return st;
  if ((st = fragment_coord(&coord, &thr_xy, gg_layout_rank(&tensor->layout.layout), err)))
    return st;
  gg_tensor divided = gg_tensor_with(tensor, &tiled);
  return gg_tensor_slice(out, &divided, &coord, err);
}

gg_status gg_tiled_mma_partition_shape(gg_tuple *out, const gg_tiled_mma *mma,
                                       gg_mma_operand operand, const gg_tuple *shape,
                                       gg_error *err) {
  gg_layout layout;
  gg_tuple zero = gg_tuple_int(0), coord;
  gg_status st;
  if ((st = gg_layout_col_major(&layout, shape, err))) return st;
  int rank = gg_layout_rank(&layout);
  if ((st = gg_tiled_mma_thrfrg(&layout, mma, operand, &layout, err))) return st;
  if ((st = fragment_coord(&coord, &zero, rank, err))) return st;
  if ((st = gg_layout_slice(&layout, &coord, &layout, err))) return st;
  *out = layout.shape;
  return GG_OK;
}
