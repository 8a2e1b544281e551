/* Tiled copies, made with the layout algebra alone.
 *
 * The atom's layouts map (thread, value) to an abstract order of the values. Only how its sides
 * compare matters: right_inverse(ref) o src maps a (thread, value) of the source side to the
 * (thread, value) of the reference side that holds the same element. Composed after the tile's own
 * thread-value layout, that gives the element.
 *
 * Invariant: the atom's threads are the first of the tile's threads, and contiguous. Source: CuTe's
 * copy_atom.hpp. */
#include "atom/tiled_copy.h"

#include "atom/tmem.h"

#include <stdio.h>

#include "layout/calc.h"

/* ---- Making ------------------------------------------------------------------------------- */

/* The atom's layout of a side, counted in elements. The atom's width must divide what a thread
 * copies in a row. An atom without a width of its own (AutoVectorizingCopy) takes any. */
static gg_status recast_side(gg_layout *out, const gg_copy_atom *atom, int bits, gg_copy_side side,
                             gg_error *err) {
  gg_layout layout = gg_copy_atom_layout(atom, side), threads = gg_copy_atom_threads(atom);
  int64_t width = gg_layout_mode_size(&layout, 1);
  gg_status st;
  if ((st = gg_layout_recast(&layout, &layout, 1, bits, err))) return st;
  if (gg_layout_mode_size(&layout, 0) != gg_layout_size(&threads) ||
      (width > 1 && width % bits != 0)) {
    char given[32];
    snprintf(given, sizeof given, "%d bits", bits);
    return gg_fail(err, ATOM_PARAMETER, NULL, atom->row->cute, "the element", given,
                   "what divides the bits that a thread copies in a row");
  }
  *out = layout;
  return GG_OK;
}

static gg_status check_multiple(const gg_tiled_copy *copy, int mode, const char *what,
                                gg_error *err) {
  int64_t tile = gg_layout_mode_size(&copy->tv, mode), atom = gg_layout_mode_size(&copy->ref, mode);
  if (atom != 0 && tile % atom == 0) return GG_OK;
  return gg_fail(err, TILED_COUNT, NULL, copy->atom.row->cute, (long long)tile, what,
                 (long long)atom);
}

gg_status gg_tiled_copy_make_impl(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_layout *tv, const gg_tiler *tiler, gg_error *err) {
  gg_tiled_copy copy = {.atom = *atom, .bits = bits, .tv = *tv, .tiler = *tiler};
  gg_status st;
  if ((st = recast_side(&copy.src, atom, bits, GG_COPY_SRC, err))) return st;
  if ((st = recast_side(&copy.dst, atom, bits, GG_COPY_DST, err))) return st;
  if ((st = recast_side(&copy.ref, atom, bits, GG_COPY_REF, err))) return st;
  if (gg_layout_rank(tv) != 2) {
    return gg_fail(err, TILED_RANK, NULL, "the thread-value layout", gg_layout_rank(tv),
                   "it has two modes, threads and values");
  }
  if ((st = check_multiple(&copy, 0, "threads", err))) return st;
  if ((st = check_multiple(&copy, 1, "values a thread", err))) return st;
  *out = copy;
  return GG_OK;
}

gg_status gg_tiled_copy_make(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                             const gg_layout *threads, const gg_layout *values, gg_error *err) {
  gg_tuple shape = GG_TUPLE(gg_layout_size(threads), gg_layout_size(values)), tile;
  gg_layout mn, tv, domain;
  gg_status st;
  /* (M,N) -> (thread, value), and its inverse */
  if ((st = gg_layout_raked_product(&mn, threads, values, err))) return st;
  if ((st = gg_layout_right_inverse(&tv, &mn, err))) return st;
  if ((st = gg_layout_col_major(&domain, &shape, err))) return st;
  if ((st = gg_layout_composition(&tv, &tv, &domain, err))) return st;
  if ((st = gg_tuple_product_each(&tile, &mn.shape, err))) return st;
  gg_tiler tiler = gg_tiler_of_shape(&tile);
  return gg_tiled_copy_make_impl(out, atom, bits, &tv, &tiler, err);
}

gg_status gg_tiled_copy_make_mma(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                 const gg_tiled_mma *mma, gg_mma_operand operand, gg_error *err) {
  gg_tuple tile = GG_TUPLE(mma->tile[operand == GG_MMA_B], mma->tile[operand == GG_MMA_C ? 1 : 2]);
  gg_tiler tiler = gg_tiler_of_shape(&tile);
  gg_layout tv;
  gg_status st;
  if ((st = gg_tiled_mma_layout_tv(&tv, mma, operand, err))) return st;
  return gg_tiled_copy_make_impl(out, atom, bits, &tv, &tiler, err);
}

gg_status gg_tiled_copy_make_like(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_tiled_copy *like, gg_copy_side side, gg_error *err) {
  gg_tiler tiler = like->tiler;
  gg_layout tv;
  gg_status st;
  if ((st = gg_tiled_copy_layout_tv(&tv, like, side, err))) return st;
  return gg_tiled_copy_make_impl(out, atom, bits, &tv, &tiler, err);
}

/* The tiler, by mode, of the coordinates of `shape` that `tv` reaches; tv gives indices of `shape`.
 */
static gg_status active_tiler(gg_tiler *out, const gg_tuple *shape, const gg_layout *tv,
                              gg_error *err) {
  gg_tiler tiler = gg_tiler_empty();
  gg_status st;
  int rank = gg_tuple_rank(shape);
  for (int mode = 0; mode < rank; mode++) {
    gg_tuple zero = gg_tuple_int(0), one = gg_tuple_int(1), unit;
    gg_layout coordinate;
    if ((st = gg_tuple_repeat(&unit, rank, &zero, err))) return st;
    if ((st = gg_tuple_replace(&unit, &unit, mode, &one, err))) return st;
    if ((st = gg_layout_make(&coordinate, shape, &unit, err))) return st;
    if ((st = gg_layout_composition(&coordinate, &coordinate, tv, err))) return st;
    if ((st = gg_layout_filter(&coordinate, &coordinate, NULL, err))) return st;
    gg_tiler part = gg_tiler_of_layout(&coordinate);
    if ((st = gg_tiler_append(&tiler, &part, err))) return st;
  }
  *out = tiler;
  return GG_OK;
}

/* Makes a copy of only those elements of `shape` that tv reaches: the tiler cuts them out, and tv
 * is expressed in the order of what was cut out. */
static gg_status make_active(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                             const gg_tuple *shape, const gg_layout *tv, gg_error *err) {
  gg_tiler tiler;
  gg_layout whole, tile, inverse, tile_tv;
  gg_status st;
  if ((st = active_tiler(&tiler, shape, tv, err))) return st;
  if ((st = gg_layout_col_major(&whole, shape, err))) return st;
  if ((st = gg_layout_compose_tiler(&tile, &whole, &tiler, err))) return st;
  if ((st = gg_layout_left_inverse(&inverse, &tile, err))) return st;
  if ((st = gg_layout_composition(&tile_tv, &inverse, tv, err))) return st;
  return gg_tiled_copy_make_impl(out, atom, bits, &tile_tv, &tiler, err);
}

gg_status gg_tiled_copy_make_c_atom(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                    const gg_tiled_mma *mma, gg_error *err) {
  gg_layout tv, src, first;
  gg_status st;
  if ((st = gg_tiled_mma_layout_tv(&tv, mma, GG_MMA_C, err))) return st;
  if ((st = recast_side(&src, atom, bits, GG_COPY_SRC, err))) return st;
  int64_t copied = gg_layout_mode_size(&src, 1), held = gg_layout_mode_size(&tv, 1);
  if (copied > held) {
    return gg_fail(err, TILED_COUNT, NULL, atom->row->cute, (long long)held,
                   "accumulators a thread", (long long)copied);
  }
  gg_tuple shape = GG_TUPLE(gg_layout_mode_size(&tv, 0), copied);
  gg_tuple tile = GG_TUPLE(mma->tile[0], mma->tile[1]);
  if ((st = gg_layout_col_major(&first, &shape, err))) return st;
  if ((st = gg_layout_composition(&tv, &tv, &first, err))) return st;
  return make_active(out, atom, bits, &tile, &tv, err);
}

/* Appends one more element to a layout, so that whatever lies outside of it has stride 0. */
static gg_status with_outside(gg_layout *out, const gg_layout *a, gg_error *err) {
  gg_layout outside = gg_layout_flat(1, 0);
  return gg_layout_concat(out, a, &outside, err);
}

gg_status gg_tiled_copy_make_cotiled(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                     const gg_layout *tv, const gg_layout *data, gg_error *err) {
  gg_layout inverse, data_tv, memory, reached, wanted;
  gg_tuple shape;
  gg_status st;
  /* (thread, value) -> coordinate of data */
  if ((st = gg_layout_left_inverse(&inverse, data, err))) return st;
  if ((st = with_outside(&inverse, &inverse, err))) return st;
  if ((st = gg_layout_composition(&data_tv, &inverse, tv, err))) return st;
  /* and back, for the values of one thread: every offset must be reached */
  if ((st = with_outside(&memory, data, err))) return st;
  if ((st = gg_layout_get(&reached, &data_tv, 1, err))) return st;
  if ((st = gg_layout_composition(&reached, &memory, &reached, err))) return st;
  if ((st = gg_layout_coalesce(&reached, &reached, NULL, err))) return st;
  if ((st = gg_layout_get(&wanted, tv, 1, err))) return st;
  if ((st = gg_layout_coalesce(&wanted, &wanted, NULL, err))) return st;
  if (!gg_layout_equal(&reached, &wanted)) return gg_fail(err, TILED_COTILED, NULL, "");
  if ((st = gg_tuple_product_each(&shape, &data->shape, err))) return st;
  return make_active(out, atom, bits, &shape, &data_tv, err);
}

/* All threads of a warp give the same address; the lanes of the next warp begin 32 further on. */
gg_status gg_tiled_copy_make_tmem(gg_tiled_copy *out, const gg_copy_atom *atom, int bits,
                                  const gg_layout *tmem, gg_error *err) {
  gg_layout threads, values, tv;
  gg_status st;
  if (!atom->row->repeats)
    return gg_fail(err, ATOM_PARAMETER, NULL, "make_tmem_copy", "the atom", atom->row->cute,
                   "SM100_TMEM_LOAD_... or SM100_TMEM_STORE_...");
  gg_layout place = gg_copy_atom_place(atom);
  if ((st = gg_layout_upcast(&values, &place, bits, err))) return st; /* which refuses 0 bits */
  gg_tuple shape = GG_TUPLE(32, 4), stride = GG_TUPLE(0, 32 * gg_tmem_lane(bits));
  if ((st = gg_layout_make(&threads, &shape, &stride, err))) return st;
  if ((st = gg_layout_coalesce(&values, &values, NULL, err))) return st;
  if ((st = gg_layout_concat(&tv, &threads, &values, err))) return st;
  return gg_tiled_copy_make_cotiled(out, atom, bits, &tv, tmem, err);
}

int64_t gg_tiled_copy_threads(const gg_tiled_copy *copy) {
  return gg_layout_mode_size(&copy->tv, 0);
}

/* ---- Dividing ----------------------------------------------------------------------------- */

/* (thread, value) of `side` -> element of the tile, in the form ((thread),(FrgV,FrgX)). */
static gg_status side_tv(gg_layout *out, const gg_tiled_copy *copy, gg_copy_side side,
                         gg_error *err) {
  gg_tuple atom = GG_TUPLE(gg_layout_mode_size(&copy->ref, 0), gg_layout_mode_size(&copy->ref, 1));
  gg_tuple keep = gg_tuple_keep(), one = gg_tuple_int(1), profile = GG_TUPLE(1, 1);
  gg_tiler tiler = gg_tiler_of_shape(&atom), by_mode = gg_tiler_empty();
  gg_layout ref_to_side, tv;
  gg_status st;
  if ((st = gg_layout_right_inverse(&ref_to_side, &copy->ref, err))) return st;
  if ((st = gg_layout_composition(&ref_to_side, &ref_to_side,
                                  side == GG_COPY_SRC ? &copy->src : &copy->dst, err))) {
    return st;
  }
  /* ((AtomThr,AtomVal),(RestThr,RestVal)) */
  if ((st = gg_layout_zipped_divide(&tv, &copy->tv, &tiler, err))) return st;
  gg_tiler first = gg_tiler_of_layout(&ref_to_side), rest = gg_tiler_of_shape(&keep);
  if ((st = gg_tiler_append(&by_mode, &first, err))) return st;
  if ((st = gg_tiler_append(&by_mode, &rest, err))) return st;
  if ((st = gg_layout_compose_tiler(&tv, &tv, &by_mode, err))) return st;
  /* ((AtomThr,RestThr),(AtomVal,RestVal)) */
  if ((st = gg_layout_zip(&tv, &tv, err))) return st;
  if ((st = gg_tuple_pair(&profile, &one, &profile, err))) return st;
  return gg_layout_coalesce(out, &tv, &profile, err);
}

/* ((TileM,TileN,...),(RestM,RestN,...)) -> (thread,(FrgV,FrgX),(RestM,RestN,...)). */
static gg_status tile_to_thrfrg(gg_layout *out, const gg_tiled_copy *copy, gg_copy_side side,
                                const gg_layout *tile, gg_error *err) {
  gg_tuple keep = gg_tuple_keep(), coord;
  gg_tiler by_mode = gg_tiler_empty(), rest = gg_tiler_of_shape(&keep);
  gg_layout tv;
  gg_status st;
  if ((st = side_tv(&tv, copy, side, err))) return st;
  gg_tiler first = gg_tiler_of_layout(&tv);
  if ((st = gg_tiler_append(&by_mode, &first, err))) return st;
  if ((st = gg_tiler_append(&by_mode, &rest, err))) return st;
  if ((st = gg_layout_compose_tiler(&tv, tile, &by_mode, err))) return st;
  if ((st = gg_tuple_pair(&coord, &keep, &keep, err))) return st;
  if ((st = gg_tuple_pair(&coord, &coord, &keep, err))) return st;
  return gg_layout_slice(out, &coord, &tv, err);
}

gg_status gg_tiled_copy_tidfrg(gg_layout *out, const gg_tiled_copy *copy, gg_copy_side side,
                               const gg_layout *tensor, gg_error *err) {
  gg_layout tile;
  gg_status st;
  int tiler_rank = gg_tiler_is_layout(&copy->tiler) ? 1 : gg_layout_rank(&copy->tiler.tiles);
  if (gg_layout_rank(tensor) < tiler_rank) {
    return gg_fail(err, TILED_RANK, NULL, "what is partitioned", gg_layout_rank(tensor),
                   "the copy's tile has more modes");
  }
  if ((st = gg_layout_zipped_divide(&tile, tensor, &copy->tiler, err))) return st;
  return tile_to_thrfrg(out, copy, side, &tile, err);
}

gg_status gg_tiled_copy_layout_tv(gg_layout *out, const gg_tiled_copy *copy, gg_copy_side side,
                                  gg_error *err) {
  gg_tuple shape = copy->tiler.tiles.shape, one = gg_tuple_int(1), keep = gg_tuple_keep(), coord;
  gg_layout tile;
  gg_status st;
  if ((st = gg_tuple_pair(&shape, &shape, &one, err))) return st;
  if ((st = gg_layout_col_major(&tile, &shape, err))) return st;
  if ((st = tile_to_thrfrg(&tile, copy, side, &tile, err))) return st;
  gg_tuple zero = gg_tuple_int(0);
  if ((st = gg_tuple_pair(&coord, &keep, &keep, err))) return st;
  if ((st = gg_tuple_append(&coord, &coord, &zero, err))) return st;
  return gg_layout_slice(out, &coord, &tile, err);
}

/* ---- Partitions --------------------------------------------------------------------------- */

gg_status gg_tiled_copy_partition(gg_tensor *out, const gg_tiled_copy *copy, gg_copy_side side,
                                  const gg_tensor *tensor, int64_t thread, gg_error *err) {
  gg_tuple keep = gg_tuple_keep(), rest, coord;
  gg_layout divided;
  gg_status st;
  if (thread < 0) return gg_fail(err, LAYOUT_VALUE, NULL, "partition", "threads count from 0");
  if ((st = gg_tiled_copy_tidfrg(&divided, copy, side, &tensor->layout.layout, err))) return st;
  gg_tuple thr = gg_tuple_int(thread);
  int rank = gg_layout_rank(&tensor->layout.layout);
  if ((st = gg_tuple_repeat(&rest, rank, &keep, err))) return st;
  if ((st = gg_tuple_pair(&coord, &thr, &keep, err))) return st;
  if ((st = gg_tuple_append(&coord, &coord, &rest, err))) return st;
  gg_tensor tiled = gg_tensor_with(tensor, &divided);
  return gg_tensor_slice(out, &tiled, &coord, err);
}

/* The order of the first `values` elements of every thread within the tile, as a layout (M,N) ->
 * value / values. */
static gg_status fragment_order(gg_layout *out, const gg_tiled_copy *copy, int64_t values,
                                gg_error *err) {
  gg_calc c = GG_CALC("retile", err);
  int64_t all = gg_calc_mul(&c, gg_tiled_copy_threads(copy), values);
  gg_layout inverse, domain;
  gg_status st;
  if (c.status) return c.status;
  if ((st = gg_layout_right_inverse(&inverse, &copy->tv, err))) return st;
  if ((st = gg_layout_col_major(&domain, &copy->tiler.tiles.shape, err))) return st;
  if ((st = gg_layout_composition(&inverse, &inverse, &domain, err))) return st;
  return gg_layout_upcast(out, &inverse, all, err);
}

gg_status gg_tiled_copy_retile(gg_tensor *out, const gg_tiled_copy *copy, const gg_tensor *fragment,
                               gg_error *err) {
  const gg_layout *layout = &fragment->layout.layout;
  int64_t values = gg_layout_mode_size(layout, 0);
  gg_layout order, inverse, frg = gg_layout_flat(values, 1), tiled;
  gg_layout atom = gg_layout_flat(gg_layout_mode_size(&copy->ref, 1), 1);
  gg_tuple shape, first = gg_tuple_int(values), keep = gg_tuple_keep(), coord = gg_tuple_int(0);
  gg_status st;
  if ((st = fragment_order(&order, copy, values, err))) return st;
  if ((st = gg_layout_right_inverse(&inverse, &order, err))) return st;
  /* (AtomVal,RestVal) -> (value, m, n) */
  gg_tiler tiler = gg_tiler_of_layout(&inverse);
  if ((st = gg_layout_logical_product(&frg, &frg, &tiler, err))) return st;
  tiler = gg_tiler_of_layout(&atom);
  if ((st = gg_layout_zipped_divide(&frg, &frg, &tiler, err))) return st;
  /* ((TileV,TileM,TileN,...),(1,RestM,RestN,...)) */
  if ((st = gg_tuple_product_each(&shape, &order.shape, err))) return st;
  if ((st = gg_tuple_prepend(&shape, &shape, &first, err))) return st;
  tiler = gg_tiler_of_shape(&shape);
  if ((st = gg_layout_zipped_divide(&tiled, layout, &tiler, err))) return st;
  /* ((AtomVal,RestVal),(1,RestM,RestN,...)), without the 1 */
  gg_tiler by_mode = gg_tiler_empty(), rest = gg_tiler_of_shape(&keep);
  tiler = gg_tiler_of_layout(&frg);
  if ((st = gg_tiler_append(&by_mode, &tiler, err))) return st;
  if ((st = gg_tiler_append(&by_mode, &rest, err))) return st;
  if ((st = gg_layout_compose_tiler(&tiled, &tiled, &by_mode, err))) return st;
  if ((st = gg_tuple_wrap(&coord, &coord, err))) return st;
  if ((st = gg_tuple_append_to(&coord, &coord, gg_layout_rank(layout), &keep, err))) return st;
  if ((st = gg_tuple_pair(&coord, &keep, &coord, err))) return st;
  gg_tensor divided = gg_tensor_with(fragment, &tiled);
  return gg_tensor_slice(out, &divided, &coord, err);
}
