/* Divide and product: a tile and what is left of the layout; a block and its repetitions.
 *
 *     logical_divide(A, B)  = A o (B, complement(B, shape(coalesce(A))))
 *     logical_product(A, B) = (A, complement(A, size(A) * cosize(B)) o B)
 *
 * The zipped, tiled and flat forms only rearrange the halves of the pairs. A tile that does not
 * divide its mode is rounded up: ((3,3)):((1,3)) tiles 8, with one element of padding. When such a
 * tile crosses the modes of a layout, the division is no composition; therefore only CuTe's
 * conditions are checked. Source: CuTe's layout.hpp. */
#include "layout/tiler.h"

/* ---- Divide ------------------------------------------------------------------------------ */

static gg_status divide_layout(gg_layout *out, const gg_layout *a, const gg_layout *tile,
                               gg_error *err) {
  gg_layout flat, rest, pair;
  gg_status st;
  if ((st = gg_layout_coalesce(&flat, a, NULL, err))) return st;
  if ((st = gg_layout_complement(&rest, tile, &flat.shape, err))) return st;
  if ((st = gg_layout_concat(&pair, tile, &rest, err))) return st;
  return gg_compose(out, a, &pair, err);
}

gg_status gg_layout_logical_divide(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                   gg_error *err) {
  gg_tiler compact = gg_tiler_compact(tiler);
  return gg_layout_by_mode("logical_divide", out, a, &compact, true, divide_layout, err);
}

/* Unpacks mode 1 of a zipped layout and, where `first` is set, mode 0. A mode of rank 1 stays as it
 * is. */
static gg_status unpack(gg_layout *out, const gg_layout *zipped, bool first, gg_error *err) {
  gg_calc c = GG_CALC("slice", err);
  gg_layout r = {0};
  int open = gg_build_open2(&c, &r), mode = 0;
  GG_EACH_CHILD(child, &zipped->shape, 0) {
    bool spread = (mode++ > 0 || first) && gg_rank_at(&zipped->shape, child) != 1;
    if (spread) {
      gg_build_children2(&c, &r, zipped, child);
    } else {
      gg_build_tree2(&c, &r, zipped, child);
    }
  }
  gg_build_close2(&r, open);
  return gg_calc_layout(&c, out, &r);
}

gg_status gg_layout_zipped_divide(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                  gg_error *err) {
  gg_layout r;
  gg_status st = gg_layout_logical_divide(&r, a, tiler, err);
  return st ? st : gg_layout_tile_unzip(out, &r, tiler, err);
}

gg_status gg_layout_tiled_divide(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                 gg_error *err) {
  gg_layout r;
  gg_status st = gg_layout_zipped_divide(&r, a, tiler, err);
  return st ? st : unpack(out, &r, false, err);
}

gg_status gg_layout_flat_divide(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                gg_error *err) {
  gg_layout r;
  gg_status st = gg_layout_zipped_divide(&r, a, tiler, err);
  return st ? st : unpack(out, &r, true, err);
}

/* ---- Product ----------------------------------------------------------------------------- */

static gg_status multiply_layout(gg_layout *out, const gg_layout *block, const gg_layout *tiler,
                                 gg_error *err) {
  gg_calc c = GG_CALC("logical_product", err);
  gg_layout rest;
  gg_tuple target = gg_tuple_int(gg_calc_mul(&c, gg_layout_size(block), gg_layout_cosize(tiler)));
  if (c.status != GG_OK) return c.status;
  GG_EACH_LEAF(i, &tiler->shape) {
    bool dynamic = tiler->shape.nodes[i].dynamic || tiler->stride.nodes[i].dynamic;
    target.nodes[0].dynamic |= dynamic;
  }
  GG_EACH_LEAF(i, &block->shape) target.nodes[0].dynamic |= block->shape.nodes[i].dynamic;
  gg_status st;
  if ((st = gg_layout_complement(&rest, block, &target, err))) return st;
  if ((st = gg_compose(&rest, &rest, tiler, err))) return st;
  return gg_layout_concat(out, block, &rest, err);
}

gg_status gg_layout_logical_product(gg_layout *out, const gg_layout *block, const gg_tiler *tiler,
                                    gg_error *err) {
  gg_tiler compact = gg_tiler_compact(tiler);
  return gg_layout_by_mode("logical_product", out, block, &compact, true, multiply_layout, err);
}

gg_status gg_layout_zipped_product(gg_layout *out, const gg_layout *block, const gg_tiler *tiler,
                                   gg_error *err) {
  gg_layout r;
  gg_status st = gg_layout_logical_product(&r, block, tiler, err);
  return st ? st : gg_layout_tile_unzip(out, &r, tiler, err);
}

gg_status gg_layout_tiled_product(gg_layout *out, const gg_layout *block, const gg_tiler *tiler,
                                  gg_error *err) {
  gg_layout r;
  gg_status st = gg_layout_zipped_product(&r, block, tiler, err);
  return st ? st : unpack(out, &r, false, err);
}

gg_status gg_layout_flat_product(gg_layout *out, const gg_layout *block, const gg_tiler *tiler,
                                 gg_error *err) {
  gg_layout r;
  gg_status st = gg_layout_zipped_product(&r, block, tiler, err);
  return st ? st : unpack(out, &r, true, err);
}

/* The product of both, padded to one rank, with its two halves zipped mode by mode, halves[0]
 * first. The product of two integers is one pair. */
static gg_status product_by_rank(gg_layout *out, const gg_layout *block, const gg_layout *tiler,
                                 bool raked, gg_error *err) {
  gg_layout b, t, r;
  gg_status st;
  int rank = gg_layout_rank(block), other = gg_layout_rank(tiler);
  if (other > rank) rank = other;
  if ((st = gg_layout_append_to(&b, block, rank, err))) return st;
  if ((st = gg_layout_append_to(&t, tiler, rank, err))) return st;
  if ((st = multiply_layout(&r, &b, &t, err))) return st;
  if (raked) {
    gg_tuple swapped = GG_TUPLE(1, 0);
    if ((st = gg_layout_select(&r, &r, &swapped, err))) return st;
  }
  bool pair = gg_tuple_is_int(&b.shape) || gg_tuple_is_int(&t.shape);
  return pair ? gg_layout_wrap(out, &r, err) : gg_layout_zip(out, &r, err);
}

gg_status gg_layout_blocked_product(gg_layout *out, const gg_layout *block, const gg_layout *tiler,
                                    gg_error *err) {
  return product_by_rank(out, block, tiler, false, err);
}

gg_status gg_layout_raked_product(gg_layout *out, const gg_layout *block, const gg_layout *tiler,
                                  gg_error *err) {
  return product_by_rank(out, block, tiler, true, err);
}

/* ---- Tile to shape ----------------------------------------------------------------------- */

/* Checks that each mode of the target holds whole blocks. A dynamic target is rounded up instead.
 */
static gg_status check_tiles(const gg_tuple *target, const gg_tuple *block, gg_error *err) {
  for (int i = 0; i < target->count; i++) {
    if (!gg_is_tuple(target, i) && target->nodes[i].dynamic) return GG_OK;
  }
  int mode = 0;
  GG_EACH_LEAF(i, target) {
    int64_t size = target->nodes[i].value, tile = block->nodes[i].value;
    bool counts = tile > 0 && size >= 0;
    if (!counts || size % tile != 0) {
      return gg_fail(err, LAYOUT_TILE, NULL, mode, (long long)tile, (long long)size,
                     counts ? (long long)gg_multiple_below(size, tile) : 0,
                     counts ? (long long)gg_multiple_above(size, tile) : 0);
    }
    mode++;
  }
  return GG_OK;
}

gg_status gg_layout_tile_to_shape(gg_layout *out, const gg_layout *block, const gg_tuple *shape,
                                  const gg_tuple *order, gg_error *err) {
  gg_layout padded, tiles;
  gg_tuple block_shape, target, count;
  gg_status st;
  int rank = gg_tuple_rank(shape), have = gg_layout_rank(block);
  if (have > rank) {
    return gg_fail(err, LAYOUT_RANK, NULL, "tile_to_shape", gg_layout_text(block).text, have,
                   gg_tuple_text(shape).text, rank);
  }
  if ((st = gg_layout_append_to(&padded, block, rank, err))) return st;
  if ((st = gg_tuple_product_each(&block_shape, &padded.shape, err))) return st;
  if ((st = gg_tuple_product_each(&target, shape, err))) return st;
  if ((st = check_tiles(&target, &block_shape, err))) return st;
  if ((st = gg_tuple_ceil_div(&count, &target, &block_shape, err))) return st;
  st = order ? gg_layout_ordered(&tiles, &count, order, err)
             : gg_layout_col_major(&tiles, &count, err);
  return st ? st : gg_layout_blocked_product(out, &padded, &tiles, err);
}

gg_status gg_layout_fragment_like(gg_layout *out, const gg_layout *like, gg_error *err) {
  int rank = gg_layout_rank(like);
  bool is_static = true;
  GG_EACH_LEAF(i, &like->shape) is_static &= !like->shape.nodes[i].dynamic;
  if (rank <= 1 || !is_static) return gg_layout_col_major(out, &like->shape, err);

  gg_layout first, rest, front;
  gg_tuple shape, stride, one = gg_tuple_int(1);
  gg_status st;
  if ((st = gg_layout_get(&first, like, 0, err))) return st;
  if ((st = gg_tuple_filter_zeros(&shape, &first.stride, &first.shape, err))) return st;
  if ((st = gg_compact_col_major(&stride, &shape, &one, err))) return st;
  if ((st = gg_layout_make(&front, &first.shape, &stride, err))) return st;
  if ((st = gg_layout_take(&rest, like, 1, rank, err))) return st;
  if ((st = gg_layout_ordered(&rest, &rest.shape, &rest.stride, err))) return st;
  gg_tiler tiler = gg_tiler_of_layout(&rest);
  return gg_layout_tiled_product(out, &front, &tiler, err);
}
