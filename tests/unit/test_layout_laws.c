/* The laws of the layout algebra on small random layouts, checked point by point.
 *
 * The seed is printed; GEMMGEN_SEED sets another, GEMMGEN_ROUNDS how many layouts a law. An
 * operation may refuse its input: the laws hold for what it answers, and each law must get enough
 * answers to mean something. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculator/expr.h"
#include "draws.h"
#include "layout/calc.h"
#include "suite.h"

enum { default_rounds = 1000, most_points = 4096 };

static int rounds;

/* ---- Random values ------------------------------------------------------------------------- */

static int64_t some_size(void) {
  static const int64_t sizes[] = {1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 8, 8};
  return sizes[below(sizeof sizes / sizeof *sizes)];
}

static void put_shape(gg_tuple *t, int depth) {
  gg_calc c = GG_CALC("random", NULL);
  int modes = depth == 0 ? 1 + below(3) : 1 + below(2);
  int open = gg_build_open(&c, t);
  for (int i = 0; i < modes; i++) {
    if (depth < 2 && below(4) == 0) {
      put_shape(t, depth + 1);
    } else {
      gg_build_leaf(&c, t, gg_leaf(some_size()));
    }
  }
  gg_build_close(t, open);
}

static gg_tuple some_shape(void) {
  gg_tuple t = {0};
  if (below(6) == 0) return gg_tuple_int(some_size());
  put_shape(&t, 0);
  return t;
}

/* Compact strides in a random order, sometimes with gaps or zeros; sometimes just anything. */
static gg_layout some_layout(void) {
  gg_layout a;
  gg_tuple order;
  a.shape = some_shape();
  order = a.shape;
  GG_EACH_LEAF(i, &order) order.nodes[i] = gg_leaf(below(100));
  ck_assert(!gg_compact_order(&a.stride, &a.shape, &order, NULL));
  int kind = below(4);
  GG_EACH_LEAF(i, &a.stride) {
    if (kind == 1) a.stride.nodes[i].value *= 1 + below(2);
    if (kind == 2 && below(3) == 0) a.stride.nodes[i].value = 0;
    if (kind == 3) a.stride.nodes[i].value = below(30);
  }
  return a;
}

static gg_layout some_bijection(void) {
  for (;;) {
    gg_layout a = some_layout();
    if (gg_layout_is_bijective(&a)) return a;
  }
}

static gg_swizzle some_swizzle(void) {
  int bits = below(4), shift = bits + below(3);
  return (gg_swizzle){bits, below(4), below(3) == 0 ? -shift : shift};
}

/* A layout of powers of two, as slicing a swizzled one needs. */
static gg_layout some_binary_layout(void) {
  gg_layout a = some_bijection();
  GG_EACH_LEAF(i, &a.shape) a.shape.nodes[i] = gg_leaf(1 << below(4));
  gg_tuple order = a.shape;
  GG_EACH_LEAF(i, &order) order.nodes[i] = gg_leaf(i * 7 % 67);
  ck_assert(!gg_compact_order(&a.stride, &a.shape, &order, NULL));
  return a;
}

static const char *text_of(const gg_layout *a) {
  static gg_text texts[4];
  static int turn;
  texts[turn = (turn + 1) % 4] = gg_layout_text(a);
  return texts[turn].text;
}

#define CHECK(condition, ...)                                                                      \
  ck_assert_msg(condition, "seed %" PRIu64 ": %s: %s", draws_seed, #condition, __VA_ARGS__)

/* Runs `body` once a round; `answered` counts the rounds that came to an answer. */
#define LAW(name, least_percent)                                                                   \
  static void name##_once(int *answered);                                                          \
  START_TEST(name) {                                                                               \
    int answered = 0;                                                                              \
    draws_restart();                                                                               \
    for (int i = 0; i < rounds; i++)                                                               \
      name##_once(&answered);                                                                      \
    ck_assert_msg(answered * 100 >= rounds * (least_percent),                                      \
                  "seed %" PRIu64 ": %d answers of %d", draws_seed, answered, rounds);             \
  }                                                                                                \
  END_TEST                                                                                         \
  static void name##_once(int *answered)

static int64_t points(const gg_layout *a) {
  int64_t size = gg_layout_size(a);
  return size < most_points ? size : most_points;
}

static bool hits(const gg_layout *a, int64_t offset) {
  int64_t size = points(a);
  for (int64_t i = 0; i < size; i++) {
    if (gg_layout_at(a, i) == offset) return true;
  }
  return false;
}

/* ---- Text ---------------------------------------------------------------------------------- */

LAW(parse_of_print_is_identity, 100) {
  gg_layout a = some_layout(), b;
  gg_composed composed = gg_composed_of(&a), back;
  gg_str text = GG_STR_INIT;
  gg_notation notation = below(2) ? GG_NOTATION_CUTE : GG_NOTATION_PLAIN;
  GG_EACH_LEAF(i, &a.shape) {
    a.shape.nodes[i].dynamic = notation == GG_NOTATION_CUTE && below(2);
    a.stride.nodes[i].dynamic = notation == GG_NOTATION_CUTE && below(2);
    if (below(9) == 0) a.stride.nodes[i].value *= -1;
  }
  a.shape.nodes[a.shape.count - 1].dynamic &= !gg_is_tuple(&a.shape, a.shape.count - 1);
  gg_layout_print(&text, &a, notation);
  gg_arena arena = GG_ARENA_INIT;
  gg_value value;
  ck_assert(!gg_expr_eval(&value, gg_str_text(&text), NULL, 1, &notation, &arena, NULL));
  CHECK(gg_layout_equal(&value.layout.layout, &a), gg_str_text(&text));
  gg_arena_free(&arena);
  gg_str_free(&text);

  b = some_layout();
  ck_assert(!gg_composed_make(&composed, some_swizzle(), below(64), &b, NULL));
  gg_composed_print(&text, &composed, GG_NOTATION_PLAIN);
  ck_assert(!gg_composed_parse(&back, gg_str_text(&text), NULL));
  CHECK(gg_composed_equal(&back, &composed), gg_str_text(&text));
  gg_str_free(&text);
  ++*answered;
}

/* ---- Simplifying --------------------------------------------------------------------------- */

LAW(coalesce_keeps_the_function, 100) {
  gg_layout a = some_layout(), r;
  ck_assert(!gg_layout_coalesce(&r, &a, NULL, NULL));
  CHECK(gg_layout_depth(&r) <= 1 && gg_layout_size(&r) == gg_layout_size(&a), text_of(&a));
  for (int64_t i = 0; i < points(&a); i++) {
    CHECK(gg_layout_at(&r, i) == gg_layout_at(&a, i), text_of(&a));
  }
  ck_assert(!gg_layout_coalesce_x(&r, &a, NULL, NULL));
  for (int64_t i = 0; i < 2 * points(&a); i++) { /* and past the end */
    CHECK(gg_layout_at(&r, i) == gg_layout_at(&a, i), text_of(&a));
  }
  ++*answered;
}

LAW(coalesce_by_mode_keeps_the_modes, 100) {
  gg_layout a = some_layout(), r;
  gg_tuple profile, zero = gg_tuple_int(0);
  ck_assert(!gg_tuple_repeat(&profile, gg_layout_rank(&a), &zero, NULL));
  ck_assert(!gg_layout_coalesce(&r, &a, &profile, NULL));
  CHECK(gg_layout_rank(&r) == gg_layout_rank(&a), text_of(&a));
  for (int64_t i = 0; i < points(&a); i++) {
    CHECK(gg_layout_at(&r, i) == gg_layout_at(&a, i), text_of(&a));
  }
  ++*answered;
}

LAW(filter_keeps_the_image, 70) {
  gg_layout a = some_layout(), r;
  if (gg_layout_size(&a) > 512) return;
  ck_assert(!gg_layout_filter(&r, &a, NULL, NULL));
  CHECK(gg_layout_cosize(&r) == gg_layout_cosize(&a), text_of(&a));
  for (int64_t i = 0; i < points(&a); i++)
    CHECK(hits(&r, gg_layout_at(&a, i)), text_of(&a));
  for (int64_t i = 0; i < points(&r); i++)
    CHECK(hits(&a, gg_layout_at(&r, i)), text_of(&a));
  ++*answered;
}

/* ---- Algebra ------------------------------------------------------------------------------- */

LAW(composition_is_the_function, 25) {
  gg_layout a = some_layout(), b = some_layout(), r;
  if (gg_layout_composition(&r, &a, &b, NULL)) return;
  bool compatible = false;
  ck_assert(!gg_tuple_compatible(&compatible, &b.shape, &r.shape, NULL));
  CHECK(compatible, text_of(&r));
  for (int64_t i = 0; i < points(&b); i++) {
    int64_t x = gg_layout_at(&b, i);
    if (x < gg_layout_size(&a)) CHECK(gg_layout_at(&r, i) == gg_layout_at(&a, x), text_of(&b));
  }
  ++*answered;
}

LAW(composition_through_bases, 20) {
  gg_layout a = some_layout(), identity, b, r;
  gg_tuple coord, x;
  ck_assert(!gg_layout_identity(&identity, &a.shape, NULL));
  gg_layout inner = some_layout();
  if (gg_layout_composition(&b, &identity, &inner, NULL)) return;
  if (gg_layout_size(&inner) > 0 && gg_layout_cosize(&inner) > gg_layout_size(&a)) return;
  if (gg_layout_composition(&r, &a, &b, NULL)) return;
  for (int64_t i = 0; i < points(&inner); i++) {
    x = gg_tuple_int(i);
    ck_assert(!gg_layout_crd2idx(&coord, &x, &b, NULL));
    CHECK(gg_layout_at(&r, i) == gg_layout_at(&a, gg_layout_at(&inner, i)), text_of(&b));
  }
  ++*answered;
}

LAW(complement_is_ordered_and_disjoint, 30) {
  gg_layout a = some_layout(), r;
  gg_tuple target = gg_tuple_int(1 + below(200));
  if (gg_layout_size(&a) > 512) return;
  if (gg_layout_complement(&r, &a, &target, NULL)) return;
  for (int64_t i = 1; i < points(&r); i++) {
    CHECK(gg_layout_at(&r, i) > gg_layout_at(&r, i - 1), text_of(&a));
    CHECK(!hits(&a, gg_layout_at(&r, i)), text_of(&a));
  }
  gg_layout filtered;
  ck_assert(!gg_layout_filter(&filtered, &a, NULL, NULL));
  CHECK(gg_layout_size(&r) * gg_layout_size(&filtered) > 0, text_of(&a));
  ++*answered;
}

LAW(inverses_invert, 40) {
  gg_layout a = some_layout(), r, l;
  ck_assert(!gg_layout_right_inverse(&r, &a, NULL));
  for (int64_t i = 0; i < points(&r); i++) {
    CHECK(gg_layout_at(&a, gg_layout_at(&r, i)) == i, text_of(&a));
  }
  if (gg_layout_left_inverse(&l, &a, NULL)) return;
  for (int64_t i = 0; i < points(&a); i++) {
    int64_t x = gg_layout_at(&a, i);
    CHECK(gg_layout_at(&a, gg_layout_at(&l, x)) == x, text_of(&a));
  }
  ++*answered;
}

LAW(inverse_of_a_bijection_is_one, 100) {
  gg_layout a = some_bijection(), r, l;
  ck_assert(!gg_layout_right_inverse(&r, &a, NULL));
  ck_assert(!gg_layout_left_inverse(&l, &a, NULL));
  CHECK(gg_layout_size(&r) == gg_layout_size(&a), text_of(&a));
  for (int64_t i = 0; i < points(&a); i++) {
    CHECK(gg_layout_at(&r, gg_layout_at(&a, i)) == i, text_of(&a));
    CHECK(gg_layout_at(&l, gg_layout_at(&a, i)) == i, text_of(&a));
  }
  ++*answered;
}

LAW(nullspace_maps_to_zero, 100) {
  gg_layout a = some_layout(), n, flat = gg_layout_flatten(&a);
  ck_assert(!gg_layout_nullspace(&n, &a, NULL));
  for (int64_t i = 0; i < points(&n); i++) {
    CHECK(gg_layout_at(&flat, gg_layout_at(&n, i)) == 0, text_of(&a));
  }
  ++*answered;
}

LAW(common_vectors_are_contiguous, 30) {
  gg_layout a = some_layout(), b = below(2) ? some_layout() : a, r;
  int64_t count;
  if (gg_layout_max_common_layout(&r, &a, &b, NULL)) return;
  ck_assert(!gg_layout_max_common_vector(&count, &a, &b, NULL));
  CHECK(count == gg_layout_size(&r), text_of(&r));
  for (int64_t i = 0; i < points(&r); i++) {
    int64_t x = gg_layout_at(&r, i);
    CHECK(gg_layout_at(&a, x) == i && gg_layout_at(&b, x) == i, text_of(&r));
  }
  ++*answered;
}

LAW(bijective_is_bijective, 95) {
  gg_layout a = some_layout();
  int64_t size = gg_layout_size(&a), covered = 0;
  bool seen[most_points] = {false};
  if (size > most_points) return;
  for (int64_t i = 0; i < size; i++) {
    int64_t x = gg_layout_at(&a, i);
    if (x < size && !seen[x]) covered++;
    if (x < size) seen[x] = true;
  }
  bool bijective = covered == size && gg_layout_cosize(&a) == size;
  CHECK(gg_layout_is_bijective(&a) == bijective, text_of(&a));
  ++*answered;
}

/* ---- Divide and product --------------------------------------------------------------------- */

/* A shape that divides a's top modes. */
static gg_tuple some_tile_of(const gg_layout *a) {
  int64_t tile[GG_TUPLE_NODES];
  int rank = gg_layout_rank(a);
  for (int i = 0; i < rank; i++) {
    int64_t size = gg_layout_mode_size(a, i);
    do
      tile[i] = 1 + below((int)size);
    while (size % tile[i] != 0);
  }
  return gg_tuple_make(rank, tile);
}

LAW(divides_hold_the_same_elements, 40) {
  gg_layout a = some_layout(), logical, zipped, tiled, flat;
  gg_tuple tile = some_tile_of(&a);
  gg_tiler tiler = gg_tiler_of_shape(&tile);
  if (gg_layout_logical_divide(&logical, &a, &tiler, NULL)) return;
  ck_assert(!gg_layout_zipped_divide(&zipped, &a, &tiler, NULL));
  ck_assert(!gg_layout_tiled_divide(&tiled, &a, &tiler, NULL));
  ck_assert(!gg_layout_flat_divide(&flat, &a, &tiler, NULL));
  bool padded = gg_layout_size(&logical) != gg_layout_size(&a); /* rounded up, mode by mode */
  if (padded || gg_layout_size(&a) > 512) return;
  for (int64_t i = 0; i < points(&a); i++) {
    int64_t x = gg_layout_at(&zipped, i);
    CHECK(x == gg_layout_at(&tiled, i) && x == gg_layout_at(&flat, i), text_of(&a));
    CHECK(hits(&a, x) && hits(&logical, x), text_of(&a));
  }
  ++*answered;
}

LAW(a_tile_is_what_the_tiler_points_at, 30) {
  gg_layout a = some_layout(), b = some_layout(), divided, tile, want;
  gg_tiler tiler = gg_tiler_of_layout(&b);
  if (gg_layout_composition(&want, &a, &b, NULL)) return;
  if (gg_layout_logical_divide(&divided, &a, &tiler, NULL)) return;
  ck_assert(!gg_layout_get(&tile, &divided, 0, NULL));
  CHECK(gg_layout_equal(&tile, &want), text_of(&divided));
  ++*answered;
}

LAW(products_repeat_the_block, 60) {
  gg_layout a = some_bijection(), b = some_bijection(), r, block;
  gg_tiler tiler = gg_tiler_of_layout(&b);
  if (gg_layout_logical_product(&r, &a, &tiler, NULL)) return;
  ck_assert(!gg_layout_get(&block, &r, 0, NULL));
  CHECK(gg_layout_equal(&block, &a), text_of(&r));
  CHECK(gg_layout_is_bijective(&r), text_of(&r));
  if (!gg_layout_blocked_product(&r, &a, &b, NULL)) {
    CHECK(gg_layout_is_bijective(&r), text_of(&r));
  }
  if (!gg_layout_raked_product(&r, &a, &b, NULL)) CHECK(gg_layout_is_bijective(&r), text_of(&r));
  ++*answered;
}

LAW(tile_to_shape_covers, 60) {
  gg_layout a = some_bijection(), r;
  int rank = gg_layout_rank(&a);
  int64_t sizes[GG_TUPLE_NODES], orders[GG_TUPLE_NODES];
  for (int i = 0; i < rank; i++) {
    sizes[i] = gg_layout_mode_size(&a, i) * (1 + below(4));
    orders[i] = (i + 1) * 7 % 11;
  }
  gg_tuple target = gg_tuple_make(rank, sizes), order = gg_tuple_make(rank, orders);
  if (gg_layout_tile_to_shape(&r, &a, &target, below(2) ? &order : NULL, NULL)) return;
  bool compatible = false;
  ck_assert(!gg_tuple_compatible(&compatible, &target, &r.shape, NULL));
  CHECK(compatible && gg_layout_is_bijective(&r), text_of(&r));
  ++*answered;
}

/* ---- Recasting ------------------------------------------------------------------------------ */

LAW(recasts_round_trip, 30) {
  gg_layout a = some_layout(), narrow, back;
  int64_t n = (int64_t)1 << (1 + below(3));
  if (gg_layout_downcast(&narrow, &a, n, NULL)) return;
  ck_assert(!gg_layout_upcast(&back, &narrow, n, NULL));
  CHECK(gg_layout_size(&narrow) % n == 0, text_of(&a));
  for (int64_t i = 0; i < points(&a); i++) {
    CHECK(gg_layout_at(&back, i) == gg_layout_at(&a, i), text_of(&a));
  }
  ++*answered;
}

LAW(alignment_is_of_whole_blocks, 50) {
  gg_layout a = some_layout();
  int64_t n;
  if (gg_layout_size(&a) > 256 || gg_layout_max_alignment(&n, &a, NULL)) return;
  for (int64_t i = 0; i < points(&a); i++) {
    int64_t block = gg_layout_at(&a, i) / n * n;
    for (int64_t k = 0; k < n; k++)
      CHECK(hits(&a, block + k), text_of(&a));
  }
  ++*answered;
}

/* ---- Coordinates ---------------------------------------------------------------------------- */

LAW(coordinates_round_trip, 100) {
  gg_layout a = some_layout();
  for (int64_t i = 0; i < points(&a); i++) {
    gg_tuple index = gg_tuple_int(i), coord, back, offset;
    ck_assert(!gg_idx2crd(&coord, &index, &a.shape, NULL));
    CHECK(gg_tuple_congruent(&coord, &a.shape), text_of(&a));
    CHECK(gg_tuple_elem_less(&coord, &a.shape), text_of(&a));
    ck_assert(!gg_crd2idx_colex(&back, &coord, &a.shape, NULL));
    CHECK(back.nodes[0].value == i, text_of(&a));
    ck_assert(!gg_layout_crd2idx(&offset, &coord, &a, NULL));
    CHECK(offset.nodes[0].value == gg_layout_at(&a, i), text_of(&a));
  }
  ++*answered;
}

LAW(compact_layouts_are_bijective, 100) {
  gg_layout like = some_layout(), r;
  ck_assert(!gg_layout_col_major(&r, &like.shape, NULL));
  CHECK(gg_layout_is_bijective(&r), text_of(&r));
  ck_assert(!gg_layout_row_major(&r, &like.shape, NULL));
  CHECK(gg_layout_is_bijective(&r), text_of(&r));
  ck_assert(!gg_layout_like(&r, &like, NULL));
  ck_assert(!gg_layout_filter(&r, &r, NULL, NULL));
  ck_assert(!gg_layout_fragment_like(&r, &like, NULL));
  CHECK(gg_layout_size(&r) == gg_layout_size(&like), text_of(&like));
  ++*answered;
}

/* ---- Swizzles ------------------------------------------------------------------------------- */

LAW(a_swizzle_is_its_own_inverse, 100) {
  gg_swizzle sw = some_swizzle(), other, up;
  int64_t x = below(1 << 20);
  CHECK(gg_swizzle_apply(sw, gg_swizzle_apply(sw, x)) == x, "swizzle");
  other = some_swizzle();
  other.shift = sw.shift;
  gg_swizzle merged;
  if (abs(other.shift) >= other.bits && !gg_swizzle_composition(&merged, sw, other, NULL)) {
    CHECK(gg_swizzle_apply(merged, x) == gg_swizzle_apply(sw, gg_swizzle_apply(other, x)), "merge");
  }
  ck_assert(!gg_swizzle_downcast(&up, sw, 4, NULL));
  CHECK(gg_swizzle_apply(up, 4 * x) == 4 * gg_swizzle_apply(sw, x), "downcast");
  ++*answered;
}

LAW(slices_of_swizzled_layouts_are_the_function, 40) {
  gg_layout a = some_binary_layout();
  gg_composed composed, sliced;
  gg_tuple coord, base, full;
  if (gg_layout_rank(&a) < 2 || gg_tuple_is_int(&a.shape)) return;
  ck_assert(!gg_composed_make(&composed, some_swizzle(), 0, &a, NULL));
  int rank = gg_layout_rank(&a), kept = below(rank);
  coord = gg_tuple_empty();
  for (int i = 0; i < rank; i++) {
    gg_tuple x = i == kept ? gg_tuple_keep() : gg_tuple_int(below((int)gg_layout_mode_size(&a, i)));
    ck_assert(!gg_tuple_append(&coord, &coord, &x, NULL));
  }
  if (gg_composed_slice_and_offset(&sliced, &base, &coord, &composed, NULL)) return;
  for (int64_t i = 0; i < gg_composed_size(&sliced); i++) {
    gg_tuple at = gg_tuple_int(i), offset;
    ck_assert(!gg_tuple_replace(&full, &coord, kept, &at, NULL));
    ck_assert(!gg_layout_crd2idx(&offset, &full, &a, NULL));
    int64_t want = gg_swizzle_apply(composed.swizzle, offset.nodes[0].value);
    CHECK(base.nodes[0].value + gg_composed_at(&sliced, i) == want, text_of(&a));
  }
  ++*answered;
}

LAW(swizzles_pass_through_layouts, 10) {
  gg_layout a = some_binary_layout(), b = some_binary_layout();
  gg_composed right, r;
  ck_assert(!gg_composed_make(&right, some_swizzle(), 0, &b, NULL));
  if (gg_layout_compose_swizzled(&r, &a, &right, NULL)) return;
  for (int64_t i = 0; i < points(&b); i++) {
    CHECK(gg_composed_at(&r, i) == gg_layout_at(&a, gg_composed_at(&right, i)), text_of(&a));
  }
  ++*answered;
}

LAW(swizzled_inverses_invert, 15) {
  gg_layout a = some_binary_layout();
  gg_composed composed, r;
  ck_assert(!gg_composed_make(&composed, some_swizzle(), 0, &a, NULL));
  if (gg_composed_right_inverse(&r, &composed, NULL)) return;
  for (int64_t i = 0; i < gg_composed_size(&r); i++) {
    int64_t x = gg_composed_at(&r, i); /* a swizzle can lead out of the domain */
    if (x < gg_layout_size(&a)) CHECK(gg_composed_at(&composed, x) == i, text_of(&a));
  }
  ++*answered;
}

/* ---- Tensors -------------------------------------------------------------------------------- */

/* Whether tiles of this shape need no padding. */
static bool tiles_evenly(const gg_layout *a, const gg_tuple *tile) {
  gg_layout divided;
  gg_tiler tiler = gg_tiler_of_shape(tile);
  return !gg_layout_logical_divide(&divided, a, &tiler, NULL) &&
         gg_layout_size(&divided) == gg_layout_size(a) && gg_layout_size(a) <= most_points;
}

LAW(partitions_cover_the_tensor, 15) {
  gg_layout a = some_bijection(), threads;
  gg_tuple tile = some_tile_of(&a);
  gg_tensor tensor = gg_tensor_of_layout(&a), part;
  bool seen[most_points] = {false};
  if (!tiles_evenly(&a, &tile)) return;
  ck_assert(!gg_layout_row_major(&threads, &tile, NULL));
  int64_t held = 0;
  for (int64_t thread = 0; thread < gg_layout_size(&threads); thread++) {
    if (gg_tensor_local_partition(&part, &tensor, &threads, thread, NULL, NULL)) return;
    for (int64_t i = 0; i < gg_composed_size(&part.layout); i++) {
      gg_tuple at;
      ck_assert(!gg_tensor_at(&at, &part, i, NULL));
      CHECK(!seen[at.nodes[0].value], text_of(&a));
      seen[at.nodes[0].value] = true;
      held++;
    }
  }
  CHECK(held == gg_layout_size(&a), text_of(&a));
  ++*answered;
}

LAW(tiles_cover_the_tensor, 15) {
  gg_layout a = some_bijection(), rest;
  gg_tuple tile = some_tile_of(&a), count;
  gg_tensor tensor = gg_tensor_of_layout(&a), part;
  gg_tiler tiler = gg_tiler_of_shape(&tile);
  bool seen[most_points] = {false};
  gg_tuple sizes;
  if (!tiles_evenly(&a, &tile)) return;
  ck_assert(!gg_tuple_product_each(&sizes, &a.shape, NULL));
  ck_assert(!gg_tuple_ceil_div(&count, &sizes, &tile, NULL));
  ck_assert(!gg_layout_col_major(&rest, &count, NULL));
  int64_t held = 0;
  for (int64_t n = 0; n < gg_layout_size(&rest); n++) {
    gg_tuple index = gg_tuple_int(n), coord;
    ck_assert(!gg_idx2crd(&coord, &index, &count, NULL));
    if (gg_tensor_local_tile(&part, &tensor, &tiler, &coord, NULL, NULL)) return;
    for (int64_t i = 0; i < gg_composed_size(&part.layout); i++) {
      gg_tuple at;
      ck_assert(!gg_tensor_at(&at, &part, i, NULL));
      CHECK(!seen[at.nodes[0].value], text_of(&a));
      seen[at.nodes[0].value] = true;
      held++;
    }
  }
  CHECK(held == gg_layout_size(&a), text_of(&a));
  ++*answered;
}

/* ---- Main ----------------------------------------------------------------------------------- */

static uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

int main(void) {
  draws_begin(20240131);
  rounds = (int)setting("GEMMGEN_ROUNDS", default_rounds);
  printf("%d rounds a law\n", rounds);
  fflush(stdout);
  Suite *suite = suite_create("layout laws");
  TCase *laws = tcase_create("laws");
  tcase_set_timeout(laws, 300);
  tcase_add_test(laws, parse_of_print_is_identity);
  tcase_add_test(laws, coalesce_keeps_the_function);
  tcase_add_test(laws, coalesce_by_mode_keeps_the_modes);
  tcase_add_test(laws, filter_keeps_the_image);
  tcase_add_test(laws, composition_is_the_function);
  tcase_add_test(laws, composition_through_bases);
  tcase_add_test(laws, complement_is_ordered_and_disjoint);
  tcase_add_test(laws, inverses_invert);
  tcase_add_test(laws, inverse_of_a_bijection_is_one);
  tcase_add_test(laws, nullspace_maps_to_zero);
  tcase_add_test(laws, common_vectors_are_contiguous);
  tcase_add_test(laws, bijective_is_bijective);
  tcase_add_test(laws, divides_hold_the_same_elements);
  tcase_add_test(laws, a_tile_is_what_the_tiler_points_at);
  tcase_add_test(laws, products_repeat_the_block);
  tcase_add_test(laws, tile_to_shape_covers);
  tcase_add_test(laws, recasts_round_trip);
  tcase_add_test(laws, alignment_is_of_whole_blocks);
  tcase_add_test(laws, coordinates_round_trip);
  tcase_add_test(laws, compact_layouts_are_bijective);
  tcase_add_test(laws, a_swizzle_is_its_own_inverse);
  tcase_add_test(laws, slices_of_swizzled_layouts_are_the_function);
  tcase_add_test(laws, swizzles_pass_through_layouts);
  tcase_add_test(laws, swizzled_inverses_invert);
  tcase_add_test(laws, partitions_cover_the_tensor);
  tcase_add_test(laws, tiles_cover_the_tensor);
  suite_add_tcase(suite, laws);
  return run_suite(suite);
}
