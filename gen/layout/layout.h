/* Layouts: functions from coordinates to offsets, shape:stride, and their algebra.
 *
 * A layout is a pair of congruent trees (node i of the one is node i of the other), a value like
 * gg_tuple. Every layout that comes out of this API has a size and a cosize that fit in int64, so
 * that asking for them, and evaluating inside the domain, cannot fail.
 *
 * Operations carry CuTe's names and give CuTe's results. What CuTe asserts statically is a
 * checked error that names the modes and shows the arithmetic; where CuTe's weaker checks let its
 * composition or inverse answer with a wrong function, ours refuse (docs/layout-differences.md).
 * `out` comes first, may be one of the inputs, and is left as it was on an error. Units: elements.
 * Source: CuTe's layout.hpp; "CuTe Layout Algebra" (media/docs/cpp/cute/02_layout_algebra.md). */
#ifndef GG_LAYOUT_LAYOUT_H
#define GG_LAYOUT_LAYOUT_H

#include "layout/tuple.h"

typedef struct gg_layout {
  gg_tuple shape, stride;
} gg_layout;

/* ---- Making ----------------------------------------------------------------------------- */

/* Makes shape:stride. The two must be congruent. */
gg_status gg_layout_make(gg_layout *out, const gg_tuple *shape, const gg_tuple *stride,
                         gg_error *err);
/* Compact layouts in which the leftmost (col) or the rightmost (row) mode runs fastest. Modes of
 * size 1 get stride 0. */
gg_status gg_layout_col_major(gg_layout *out, const gg_tuple *shape, gg_error *err);
gg_status gg_layout_row_major(gg_layout *out, const gg_tuple *shape, gg_error *err);
/* The compact layout in which modes of lower `order` run faster (with Step<_2,_1,_3>, mode 1
 * first). */
gg_status gg_layout_ordered(gg_layout *out, const gg_tuple *shape, const gg_tuple *order,
                            gg_error *err);
/* The compact layout whose modes have the order of `like`'s strides; modes of stride 0 keep it. */
gg_status gg_layout_like(gg_layout *out, const gg_layout *like, gg_error *err);
/* The same, but mode 0 comes first and is column-major: a register fragment for `like`. */
gg_status gg_layout_fragment_like(gg_layout *out, const gg_layout *like, gg_error *err);
/* Maps each coordinate to itself: (4,8):(1@0,1@1). */
gg_status gg_layout_identity(gg_layout *out, const gg_tuple *shape, gg_error *err);
/* concat: (a,b), each keeping its structure. wrap: a as the only mode. */
gg_status gg_layout_concat(gg_layout *out, const gg_layout *a, const gg_layout *b, gg_error *err);
gg_status gg_layout_wrap(gg_layout *out, const gg_layout *a, gg_error *err);

gg_layout gg_layout_flat(int64_t size, int64_t stride); /* size:stride */

/* ---- Tilers ----------------------------------------------------------------------------- */

/* What operations by mode take: a layout for the whole domain, or a tuple with a tiler for each
 * mode; an integer n means n:1, and `_` keeps the mode. Bit i of `layouts`: node i of `tiles` is
 * the root of a layout; where it is clear, the node is a tuple of tilers, or `_`. Bit i of
 * `integers`: node i was given as an integer. Divisions and products give those stride 0, as CuTe's
 * make_layout(1) is 1:0, where composition gives them the mode's own stride. */
typedef struct gg_tiler {
  gg_layout tiles;
  uint64_t layouts, integers;
} gg_tiler;

gg_tiler gg_tiler_of_layout(const gg_layout *layout); /* the whole domain at once */
gg_tiler gg_tiler_of_shape(const gg_tuple *shape);    /* by mode: (128,64) */
/* Builds a by-mode tiler: starts as `()`, appends a mode at a time. */
gg_tiler gg_tiler_empty(void);
gg_status gg_tiler_append(gg_tiler *tiler, const gg_tiler *mode, gg_error *err);
/* Gives mode number `mode` of a tuple of tilers. */
gg_status gg_tiler_get(gg_tiler *out, const gg_tiler *tiler, int mode, gg_error *err);
/* Gives the modes that a projection such as (1,X,1) keeps. */
gg_status gg_tiler_dice(gg_tiler *out, const gg_tuple *proj, const gg_tiler *tiler, gg_error *err);
/* The sizes of what a tiler cuts out, mode by mode. */
gg_tuple gg_tiler_extents(const gg_tiler *tiler);
bool gg_tiler_is_layout(const gg_tiler *tiler); /* the root is a layout, not a tuple or `_` */

/* ---- Asking ----------------------------------------------------------------------------- */

int64_t gg_layout_size(const gg_layout *a);
int64_t gg_layout_cosize(const gg_layout *a); /* 1 + sum (s-1) |d|; of the coshape for bases */
int gg_layout_rank(const gg_layout *a);
int gg_layout_depth(const gg_layout *a);
bool gg_layout_equal(const gg_layout *a, const gg_layout *b);
bool gg_layout_has_basis(const gg_layout *a);              /* its offsets are coordinates */
int64_t gg_layout_mode_size(const gg_layout *a, int mode); /* a mode that is there */

/* coshape: the shape of the codomain. coprofile: its profile, with leaves of 0. */
gg_status gg_layout_coshape(gg_tuple *out, const gg_layout *a, gg_error *err);
gg_status gg_layout_coprofile(gg_tuple *out, const gg_layout *a, gg_error *err);

/* The offset at a colexicographic index, for integer strides only. Past the end the last mode goes
 * on, and a result that does not fit in int64 wraps. */
int64_t gg_layout_at(const gg_layout *a, int64_t index);
/* The offset of a coordinate: an integer, or where strides are bases a tuple. */
gg_status gg_layout_crd2idx(gg_tuple *out, const gg_tuple *coord, const gg_layout *a,
                            gg_error *err);

/* The coordinate of an offset in the codomain (see gg_idx2crd_stride): in the tree of the shape
 * (hier), as one integer for each mode (flat), or as one colexicographic index. */
gg_status gg_layout_hier_coord(gg_tuple *out, const gg_layout *a, int64_t offset, gg_error *err);
gg_status gg_layout_flat_coord(gg_tuple *out, const gg_layout *a, int64_t offset, gg_error *err);
gg_status gg_layout_1d_coord(int64_t *out, const gg_layout *a, int64_t offset, gg_error *err);

/* Whether the layout hits every offset of 0..cosize-1 exactly once. This is exact without
 * enumerating them: sums of arithmetic progressions fill an interval only if their sorted strides
 * nest. For integer strides. */
bool gg_layout_is_bijective(const gg_layout *a);

/* ---- Structure -------------------------------------------------------------------------- */

gg_status gg_layout_get(gg_layout *out, const gg_layout *a, int mode, gg_error *err);
gg_status gg_layout_get_path(gg_layout *out, const gg_layout *a, const gg_tuple *path,
                             gg_error *err);
gg_status gg_layout_take(gg_layout *out, const gg_layout *a, int begin, int end, gg_error *err);
gg_status gg_layout_select(gg_layout *out, const gg_layout *a, const gg_tuple *modes,
                           gg_error *err);
gg_status gg_layout_group(gg_layout *out, const gg_layout *a, int begin, int end, gg_error *err);
gg_layout gg_layout_flatten(const gg_layout *a);
gg_status gg_layout_unflatten(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                              gg_error *err);
gg_status gg_layout_append(gg_layout *out, const gg_layout *a, const gg_layout *x, gg_error *err);
gg_status gg_layout_prepend(gg_layout *out, const gg_layout *a, const gg_layout *x, gg_error *err);
/* Append or prepend modes 1:0 up to `rank` modes. */
gg_status gg_layout_append_to(gg_layout *out, const gg_layout *a, int rank, gg_error *err);
gg_status gg_layout_prepend_to(gg_layout *out, const gg_layout *a, int rank, gg_error *err);
gg_status gg_layout_replace(gg_layout *out, const gg_layout *a, int mode, const gg_layout *x,
                            gg_error *err);
/* ((a,b),(x,y)) is ((a,x),(b,y)). */
gg_status gg_layout_zip(gg_layout *out, const gg_layout *a, gg_error *err);

/* slice: the modes that coord keeps (`_`). dice: the modes that it fixes. With slice_and_offset
 * also the offset of what it fixes. */
gg_status gg_layout_slice(gg_layout *out, const gg_tuple *coord, const gg_layout *a, gg_error *err);
gg_status gg_layout_dice(gg_layout *out, const gg_tuple *coord, const gg_layout *a, gg_error *err);
gg_status gg_layout_slice_and_offset(gg_layout *out, gg_tuple *offset, const gg_tuple *coord,
                                     const gg_layout *a, gg_error *err);

/* ---- Simplifying ------------------------------------------------------------------------ */

/* The same function in the fewest modes, with a depth of at most 1. With a `profile` (may be NULL),
 * each of its leaves is coalesced by itself, and modes beyond it stay as they are. */
gg_status gg_layout_coalesce(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                             gg_error *err);
/* Coalesced, without modes of stride 0 or size 1. */
gg_status gg_layout_filter(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                           gg_error *err);
/* Gives modes of stride 0 the size 1; with a profile, the modes at its zeros. */
gg_status gg_layout_filter_zeros(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                                 gg_error *err);

/* ---- Algebra ---------------------------------------------------------------------------- */

/* out(i) = a(b(i)), in the profile of b; a's last mode goes on past its end. Errors: the stride
 * and shape divisibility conditions (LAYOUT_DIVIDE), and LAYOUT_FUNCTION where those hold and
 * the answer would still not be that function. */
gg_status gg_layout_composition(gg_layout *out, const gg_layout *a, const gg_layout *b,
                                gg_error *err);
/* Composes by mode. A tuple of tilers drops the modes of `a` beyond it. */
gg_status gg_layout_compose_tiler(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                  gg_error *err);
/* Composition as CuTe answers it, with only its two conditions checked. Divisions and products are
 * made of this, since an uneven tiling (3:1 over a mode of 8) is padded there, and is no
 * composition. */
gg_status gg_layout_compose_weakly(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                   gg_error *err);
/* The part of [0, cotarget) that the layout does not reach: disjoint, in order. The cotarget is a
 * shape (which is kept where it does not coalesce); NULL: a's cosize. */
gg_status gg_layout_complement(gg_layout *out, const gg_layout *a, const gg_tuple *cotarget,
                               gg_error *err);
/* a(out(i)) == i for all of out. */
gg_status gg_layout_right_inverse(gg_layout *out, const gg_layout *a, gg_error *err);
/* a(out(a(i))) == a(i); out(a(i)) == i where a is injective. */
gg_status gg_layout_left_inverse(gg_layout *out, const gg_layout *a, gg_error *err);
/* a(out(i)) == 0 for all of out. */
gg_status gg_layout_nullspace(gg_layout *out, const gg_layout *a, gg_error *err);
/* Spreads `count` elements over `shape`, in order: as many in each mode as the greatest common
 * divisors allow. */
gg_status gg_layout_domain_distribute(gg_layout *out, const gg_tuple *shape, int64_t count,
                                      gg_error *err);
/* The longest contiguous run of elements that corresponds in both: `out` with a(out(i)) ==
 * b(out(i)) == i, and its size. */
gg_status gg_layout_max_common_layout(gg_layout *out, const gg_layout *a, const gg_layout *b,
                                      gg_error *err);
gg_status gg_layout_max_common_vector(int64_t *out, const gg_layout *a, const gg_layout *b,
                                      gg_error *err);
/* The largest n such that the offsets form whole blocks of n, each beginning at a multiple of n. */
gg_status gg_layout_max_alignment(int64_t *out, const gg_layout *a, gg_error *err);

/* Divisions by mode. logical: ((tile,rest),...); zipped: ((tiles),(rests)); tiled:
 * ((tiles),rest,rest...); flat: (tile,tile,...,rest,rest...). A tiler that is a layout gives
 * (tile,rest). */
gg_status gg_layout_logical_divide(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                   gg_error *err);
gg_status gg_layout_zipped_divide(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                  gg_error *err);
gg_status gg_layout_tiled_divide(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                 gg_error *err);
gg_status gg_layout_flat_divide(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                                gg_error *err);

/* Products: the block repeated over the tiler, in the same forms as for divisions. */
gg_status gg_layout_logical_product(gg_layout *out, const gg_layout *block, const gg_tiler *tiler,
                                    gg_error *err);
gg_status gg_layout_zipped_product(gg_layout *out, const gg_layout *block, const gg_tiler *tiler,
                                   gg_error *err);
gg_status gg_layout_tiled_product(gg_layout *out, const gg_layout *block, const gg_tiler *tiler,
                                  gg_error *err);
gg_status gg_layout_flat_product(gg_layout *out, const gg_layout *block, const gg_tiler *tiler,
                                 gg_error *err);
/* Products by rank: modes (block,tile), or (tile,block) for raked, which interleaves the blocks. */
gg_status gg_layout_blocked_product(gg_layout *out, const gg_layout *block, const gg_layout *tiler,
                                    gg_error *err);
gg_status gg_layout_raked_product(gg_layout *out, const gg_layout *block, const gg_layout *tiler,
                                  gg_error *err);
/* The block repeated up to `shape`, over the modes in the order `order` (NULL: leftmost first). */
gg_status gg_layout_tile_to_shape(gg_layout *out, const gg_layout *block, const gg_tuple *shape,
                                  const gg_tuple *order, gg_error *err);

/* Recast to elements n times as wide, or n times as narrow, or from elements of old_bits to
 * new_bits. */
gg_status gg_layout_upcast(gg_layout *out, const gg_layout *a, int64_t n, gg_error *err);
gg_status gg_layout_downcast(gg_layout *out, const gg_layout *a, int64_t n, gg_error *err);
gg_status gg_layout_recast(gg_layout *out, const gg_layout *a, int64_t old_bits, int64_t new_bits,
                           gg_error *err);

/* ---- Text ------------------------------------------------------------------------------- */

void gg_layout_print(gg_str *out, const gg_layout *a, gg_notation notation);
void gg_tiler_print(gg_str *out, const gg_tiler *tiler, gg_notation notation);
/* Parses a text such as "((4,8),(2,2)):((32,1),(16,8))". A shape alone is an error here. Parsing
 * what was printed gives the same layout. */
gg_status gg_layout_parse(gg_layout *out, const char *text, gg_error *err);

#endif
