/* Tensors: a layout and where it starts, base o layout; and the ways to cut tiles out of them.
 *
 * The base is an offset in the codomain: an integer (elements from the tensor's pointer), or a
 * coordinate for identity tensors, whose strides are bases. The layout may be swizzled: the base
 * is added after the swizzle, or, in the smem_ptr form, moves the pointer, which is before it.
 *
 * mA (M,K) in memory; gA = local_tile(mA, cta_tiler, cta_coord, Step<1,X,1>) the CTA's tile;
 * tAgA = local_partition(gA, thr_layout, thread) what one thread copies.
 * Source: CuTe's tensor_impl.hpp. */
#ifndef GG_LAYOUT_TENSOR_H
#define GG_LAYOUT_TENSOR_H

#include "layout/swizzle.h"

typedef struct gg_tensor {
  gg_tuple base;
  gg_composed layout;
} gg_tensor;

gg_tensor gg_tensor_of(const gg_composed *layout);      /* base 0 */
gg_tensor gg_tensor_of_layout(const gg_layout *layout); /* base 0 */
/* (0,0) o (M,N):(1@0,1@1): each element is its own coordinate. */
gg_status gg_tensor_identity(gg_tensor *out, const gg_tuple *shape, gg_error *err);
bool gg_tensor_equal(const gg_tensor *a, const gg_tensor *b);

/* The offset, or for identity tensors the coordinate, of what a coordinate points at. */
gg_status gg_tensor_crd2idx(gg_tuple *out, const gg_tuple *coord, const gg_tensor *t,
                            gg_error *err);
/* The same at a colexicographic index. */
gg_status gg_tensor_at(gg_tuple *out, const gg_tensor *t, int64_t index, gg_error *err);
/* The same of a tensor whose offsets are integers; what does not fit in int64 wraps. */
int64_t gg_tensor_offset(const gg_tensor *t, int64_t index);

/* The modes that coord keeps, based where it points: CuTe's tensor(coord). */
gg_status gg_tensor_slice(gg_tensor *out, const gg_tensor *t, const gg_tuple *coord, gg_error *err);
/* The same shape, moved by a coordinate. */
gg_status gg_tensor_domain_offset(gg_tensor *out, const gg_tensor *t, const gg_tuple *coord,
                                  gg_error *err);

/* Tiled by `tiler`: inner keeps the tile and slices the rest at coord; outer keeps the rest and
 * slices the tile. A tuple coord shorter than the modes is filled with `_`. */
gg_status gg_tensor_inner_partition(gg_tensor *out, const gg_tensor *t, const gg_tiler *tiler,
                                    const gg_tuple *coord, gg_error *err);
gg_status gg_tensor_outer_partition(gg_tensor *out, const gg_tensor *t, const gg_tiler *tiler,
                                    const gg_tuple *coord, gg_error *err);

/* inner_partition; `proj` (or NULL) is a projection such as (1,X,1), which drops the modes of
 * tiler and coord that this tensor does not have. */
gg_status gg_tensor_local_tile(gg_tensor *out, const gg_tensor *t, const gg_tiler *tiler,
                               const gg_tuple *coord, const gg_tuple *proj, gg_error *err);
/* What thread `index` of `threads` (coordinate -> index) holds: the tile is the threads' shape,
 * and the thread's coordinate comes from the layout's strides. */
gg_status gg_tensor_local_partition(gg_tensor *out, const gg_tensor *t, const gg_layout *threads,
                                    int64_t index, const gg_tuple *proj, gg_error *err);

/* A new layout (of the same codomain) under the same base. */
gg_tensor gg_tensor_with(const gg_tensor *t, const gg_layout *layout);

/* "32 o (4,4):(1,8)", "(4,0) o (4,4):(1@0,1@1)". */
void gg_tensor_print(gg_str *out, const gg_tensor *t, gg_notation notation);

#endif
