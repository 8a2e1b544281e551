/* Tiled MMAs and copies: thread-value layouts cover their tile, partitions agree with them, what
 * CuTe asserts is refused. */
#include <stdlib.h>

#include "atom/tiled_copy.h"
#include "suite.h"

static gg_layout layout_of(const char *text) {
  gg_layout layout;
  ck_assert_msg(gg_layout_parse(&layout, text, NULL) == GG_OK, "%s", text);
  return layout;
}

static gg_mma_atom mma_of(const char *name) {
  gg_mma_atom atom;
  ck_assert_msg(gg_mma_atom_find(&atom, name, NULL) == GG_OK, "%s", name);
  return atom;
}

static gg_copy_atom copy_of(const char *name) {
  gg_copy_atom atom;
  ck_assert_msg(gg_copy_atom_find(&atom, name, NULL) == GG_OK, "%s", name);
  return atom;
}

/* A permutation of plain extents; 0 keeps a mode. */
static gg_tiler permutation_of(const int64_t extents[3]) {
  gg_tiler tiler = gg_tiler_empty();
  for (int i = 0; i < 3; i++) {
    gg_tuple mode = extents[i] ? gg_tuple_int(extents[i]) : gg_tuple_keep();
    gg_layout flat = gg_layout_flat(extents[i], 1);
    gg_tiler part = extents[i] ? gg_tiler_of_layout(&flat) : gg_tiler_of_shape(&mode);
    ck_assert(gg_tiler_append(&tiler, &part, NULL) == GG_OK);
  }
  return tiler;
}

static const struct {
  const char *atom, *layout;
  int64_t permutation[3];
} mmas[] = {
    {"SM80_16x8x16_F32F16F16F32_TN", "(1,1,1):(0,0,0)", {0, 0, 0}},
    {"SM80_16x8x16_F32F16F16F32_TN", "(2,2,1):(1,2,4)", {0, 0, 0}},
    {"SM80_16x8x16_F32F16F16F32_TN", "(2,4,1):(4,1,0)", {64, 64, 32}},
    {"SM80_16x8x8_F32TF32TF32F32_TN", "(4,1,1):(1,4,4)", {64, 32, 8}},
    {"SM80_16x8x32_S32S8S8S32_TN", "(2,2,1):(1,2,4)", {32, 32, 64}},
    {"SM80_8x8x4_F64F64F64F64_TN", "(2,2,1):(2,1,0)", {0, 32, 0}},
    {"SM70_8x8x4_F32F16F16F32_NT", "(2,2,1):(1,2,4)", {32, 32, 4}},
    {"UniversalFMA<float,float,float>", "(16,16,1):(1,16,256)", {64, 32, 2}},
    {"SM90::GMMA::MMA_64x64x16_F32F16F16_SS<K,K>", "(2,1,1):(1,2,2)", {0, 0, 32}},
};

enum { mma_count = sizeof mmas / sizeof *mmas };

static gg_tiled_mma tiled_mma_of(int i) {
  gg_mma_atom atom = mma_of(mmas[i].atom);
  gg_layout threads = layout_of(mmas[i].layout);
  gg_tiler permutation = permutation_of(mmas[i].permutation);
  gg_error err = GG_ERROR_INIT;
  gg_tiled_mma mma;
  ck_assert_msg(gg_tiled_mma_make(&mma, &atom, &threads, &permutation, &err) == GG_OK, "%s",
                err.message);
  gg_error_clear(&err);
  return mma;
}

static int64_t tile_size(const gg_tiled_mma *mma, gg_mma_operand operand) {
  return operand == GG_MMA_A   ? mma->tile[0] * mma->tile[2]
         : operand == GG_MMA_B ? mma->tile[1] * mma->tile[2]
                               : mma->tile[0] * mma->tile[1];
}

/* Every element of the tile belongs to equally many (thread, value). */
static void check_cover(const gg_layout *tv, int64_t elements) {
  int *hits = calloc((size_t)elements, sizeof *hits);
  int64_t size = gg_layout_size(tv);
  ck_assert_ptr_nonnull(hits);
  for (int64_t i = 0; i < size; i++) {
    int64_t at = gg_layout_at(tv, i);
    ck_assert(at >= 0 && at < elements);
    hits[at]++;
  }
  for (int64_t i = 0; i < elements; i++)
    ck_assert_int_eq(hits[i], size / elements);
  free(hits);
}

START_TEST(mma_covers_its_tile) {
  gg_tiled_mma mma = tiled_mma_of(_i);
  for (int operand = 0; operand < 3; operand++) {
    gg_layout tv;
    ck_assert(gg_tiled_mma_layout_tv(&tv, &mma, (gg_mma_operand)operand, NULL) == GG_OK);
    ck_assert_int_eq(gg_layout_mode_size(&tv, 0), gg_tiled_mma_threads(&mma));
    check_cover(&tv, tile_size(&mma, (gg_mma_operand)operand));
  }
}
END_TEST

/* What a thread's partition of the tile holds is its row of the thread-value layout. */
static void check_partition(const gg_tiled_mma *mma, gg_mma_operand operand) {
  gg_tuple shape = operand == GG_MMA_A   ? GG_TUPLE(mma->tile[0], mma->tile[2])
                   : operand == GG_MMA_B ? GG_TUPLE(mma->tile[1], mma->tile[2])
                                         : GG_TUPLE(mma->tile[0], mma->tile[1]);
  int64_t threads = gg_tiled_mma_threads(mma);
  gg_layout tile, tv;
  gg_tuple fragment;
  ck_assert(gg_layout_col_major(&tile, &shape, NULL) == GG_OK);
  ck_assert(gg_tiled_mma_layout_tv(&tv, mma, operand, NULL) == GG_OK);
  ck_assert(gg_tiled_mma_partition_shape(&fragment, mma, operand, &shape, NULL) == GG_OK);
  gg_tensor tensor = gg_tensor_of_layout(&tile);
  for (int64_t thread = 0; thread < threads; thread += 5) {
    gg_tensor held;
    ck_assert(gg_tiled_mma_partition(&held, mma, operand, &tensor, thread, NULL) == GG_OK);
    ck_assert(gg_tuple_equal(&held.layout.layout.shape, &fragment));
    int64_t values = gg_composed_size(&held.layout);
    ck_assert_int_eq(values, gg_layout_mode_size(&tv, 1));
    for (int64_t value = 0; value < values; value++) {
      gg_tuple at;
      ck_assert(gg_tensor_at(&at, &held, value, NULL) == GG_OK);
      ck_assert_int_eq(gg_tuple_value(&at, 0), gg_layout_at(&tv, thread + threads * value));
    }
  }
}

START_TEST(mma_partitions_agree_with_the_layout) {
  if (_i == 6) return; /* a quadpair's threads are not numbered from 0 up */
  gg_tiled_mma mma = tiled_mma_of(_i);
  for (int operand = 0; operand < 3; operand++)
    check_partition(&mma, (gg_mma_operand)operand);
}
END_TEST

START_TEST(wrong_tiled_mmas_are_refused) {
  gg_mma_atom atom = mma_of("SM80_16x8x16_F32F16F16F32_TN");
  gg_layout deep = layout_of("(1,1,1,2):(0,0,0,1)");
  gg_tuple four = GG_TUPLE(16, 8, 16, 1), two = GG_TUPLE(64, 64), one = gg_tuple_int(64), shape;
  gg_tiler permutation = gg_tiler_of_shape(&four), whole = gg_tiler_of_layout(&deep);
  gg_tiled_mma mma;
  ck_assert_int_eq(gg_tiled_mma_make(&mma, &atom, &deep, NULL, NULL), GG_E_TILED_RANK);
  ck_assert_int_eq(gg_tiled_mma_make(&mma, &atom, NULL, &permutation, NULL), GG_E_TILED_RANK);
  ck_assert_int_eq(gg_tiled_mma_make(&mma, &atom, NULL, &whole, NULL), GG_E_TILED_RANK);
  ck_assert_int_eq(gg_tiled_mma_make(&mma, &atom, NULL, NULL, NULL), GG_OK);
  ck_assert_int_eq(gg_tiled_mma_partition_shape(&shape, &mma, GG_MMA_A, &two, NULL), GG_OK);
  ck_assert_int_eq(gg_tiled_mma_partition_shape(&shape, &mma, GG_MMA_A, &one, NULL),
                   GG_E_TILED_RANK);
}
END_TEST

/* ---- Copies ------------------------------------------------------------------------------- */

static const struct {
  const char *atom;
  int bits;
  const char *threads, *values;
} copies[] = {
    {"UniversalCopy<uint128_t>", 32, "(32,8):(1,32)", "(4,1):(1,4)"},
    {"SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", 16, "(16,8):(8,1)", "(1,8):(8,1)"},
    {"UniversalCopy<uint64_t>", 16, "(8,16):(1,8)", "(16,1):(1,16)"},
    {"SM75_U32x4_LDSM_N", 16, "(32,1):(1,32)", "(1,16):(16,1)"},
};

START_TEST(copies_cover_their_tile) {
  gg_copy_atom atom = copy_of(copies[_i].atom);
  gg_layout threads = layout_of(copies[_i].threads), values = layout_of(copies[_i].values), tv;
  gg_error err = GG_ERROR_INIT;
  gg_tiled_copy copy;
  ck_assert_msg(gg_tiled_copy_make(&copy, &atom, copies[_i].bits, &threads, &values, &err) == GG_OK,
                "%s", err.message);
  int64_t elements = gg_layout_size(&copy.tiler.tiles);
  for (int side = GG_COPY_SRC; side <= GG_COPY_DST; side++) {
    ck_assert(gg_tiled_copy_layout_tv(&tv, &copy, (gg_copy_side)side, NULL) == GG_OK);
    check_cover(&tv, elements);
  }
  gg_error_clear(&err);
}
END_TEST

/* ldmatrix delivers to each thread what the MMA wants of it, and reads rows of 16 bytes. */
START_TEST(ldmatrix_feeds_the_mma) {
  gg_mma_atom mma_atom = mma_of("SM80_16x8x16_F32F16F16F32_TN");
  gg_copy_atom atom = copy_of("SM75_U32x4_LDSM_N");
  gg_layout threads = layout_of("(2,2,1):(1,2,4)"), dst, wanted, tile = layout_of("(64,16):(16,1)");
  gg_tiler permutation = permutation_of((const int64_t[]){64, 32, 16});
  gg_tiled_mma mma;
  gg_tiled_copy copy;
  ck_assert(gg_tiled_mma_make(&mma, &mma_atom, &threads, &permutation, NULL) == GG_OK);
  ck_assert(gg_tiled_copy_make_mma(&copy, &atom, 16, &mma, GG_MMA_A, NULL) == GG_OK);
  ck_assert(gg_tiled_copy_layout_tv(&dst, &copy, GG_COPY_DST, NULL) == GG_OK);
  ck_assert(gg_tiled_mma_layout_tv(&wanted, &mma, GG_MMA_A, NULL) == GG_OK);
  for (int64_t i = 0; i < gg_layout_size(&wanted); i++)
    ck_assert_int_eq(gg_layout_at(&dst, i), gg_layout_at(&wanted, i));

  gg_tensor tensor = gg_tensor_of_layout(&tile), row;
  ck_assert(gg_tiled_copy_partition(&row, &copy, GG_COPY_SRC, &tensor, 3, NULL) == GG_OK);
  for (int64_t i = 1; i < 8; i++) {
    gg_tuple first, next;
    ck_assert(gg_tensor_at(&first, &row, 0, NULL) == GG_OK);
    ck_assert(gg_tensor_at(&next, &row, i, NULL) == GG_OK);
    ck_assert_int_eq(gg_tuple_value(&next, 0), gg_tuple_value(&first, 0) + i);
  }
}
END_TEST

/* A fragment retiled for the copy is the same registers in the copy's modes: its values in the
 * order in which the copy delivers them. */
START_TEST(retile_keeps_the_registers) {
  gg_mma_atom mma_atom = mma_of("SM80_16x8x16_F32F16F16F32_TN");
  gg_copy_atom atom = copy_of("SM75_U32x4_LDSM_N");
  gg_layout threads = layout_of("(2,2,1):(1,2,4)"), tile = layout_of("(128,64):(64,1)"), registers;
  gg_tiler permutation = permutation_of((const int64_t[]){32, 32, 16});
  gg_tiled_mma mma;
  gg_tiled_copy copy;
  gg_tensor tensor = gg_tensor_of_layout(&tile), held, read, retiled;
  ck_assert(gg_tiled_mma_make(&mma, &mma_atom, &threads, &permutation, NULL) == GG_OK);
  ck_assert(gg_tiled_copy_make_mma(&copy, &atom, 16, &mma, GG_MMA_B, NULL) == GG_OK);
  ck_assert(gg_tiled_mma_partition(&held, &mma, GG_MMA_B, &tensor, 37, NULL) == GG_OK);
  ck_assert(gg_tiled_copy_partition(&read, &copy, GG_COPY_DST, &tensor, 37, NULL) == GG_OK);
  ck_assert(gg_layout_fragment_like(&registers, &held.layout.layout, NULL) == GG_OK);
  gg_tensor fragment = gg_tensor_of_layout(&registers);
  ck_assert(gg_tiled_copy_retile(&retiled, &copy, &fragment, NULL) == GG_OK);
  int64_t values = gg_composed_size(&read.layout);
  ck_assert_int_eq(gg_composed_size(&retiled.layout), values);
  for (int64_t i = 0; i < values; i++) {
    /* register r of the fragment holds element held(r): the copy's i-th value goes to register
     * retiled(i), and must be that element */
    gg_tuple target, element, delivered;
    ck_assert(gg_tensor_at(&target, &retiled, i, NULL) == GG_OK);
    int64_t index = -1;
    for (int64_t r = 0; r < values && index < 0; r++) {
      if (gg_layout_at(&registers, r) == gg_tuple_value(&target, 0)) index = r;
    }
    ck_assert(gg_tensor_at(&element, &held, index, NULL) == GG_OK);
    ck_assert(gg_tensor_at(&delivered, &read, i, NULL) == GG_OK);
    ck_assert_int_eq(gg_tuple_value(&element, 0), gg_tuple_value(&delivered, 0));
  }
}
END_TEST

START_TEST(cotiled_copies_follow_memory) {
  gg_copy_atom atom = copy_of("UniversalCopy<uint128_t>");
  gg_layout data = layout_of("(64,32):(1,64)"), tv = layout_of("(128,4):(4,1)");
  gg_layout outside = layout_of("(128,4):(4,4096)"), src;
  gg_tiled_copy copy;
  ck_assert(gg_tiled_copy_make_cotiled(&copy, &atom, 32, &tv, &data, NULL) == GG_OK);
  ck_assert(gg_tiled_copy_layout_tv(&src, &copy, GG_COPY_SRC, NULL) == GG_OK);
  ck_assert_int_eq(gg_tiled_copy_threads(&copy), 128);
  check_cover(&src, 512);
  ck_assert_int_eq(gg_tiled_copy_make_cotiled(&copy, &atom, 32, &outside, &data, NULL),
                   GG_E_TILED_COTILED);
}
END_TEST

START_TEST(wrong_tiled_copies_are_refused) {
  gg_copy_atom vector = copy_of("UniversalCopy<uint128_t>"), matrix = copy_of("SM75_U32x4_LDSM_N");
  gg_layout threads = layout_of("(32,8):(1,32)"), one = layout_of("(1,1):(0,0)");
  gg_layout few = layout_of("(4,4):(1,4)"), many = layout_of("(1,8):(0,1)");
  gg_error err = GG_ERROR_INIT;
  gg_tiled_copy copy;
  ck_assert_int_eq(gg_tiled_copy_make(&copy, &vector, 32, &threads, &one, &err), GG_E_TILED_COUNT);
  ck_assert_str_eq(err.message,
                   "UniversalCopy: 1 values a thread a tile, not a multiple of the atom's 4");
  gg_error_clear(&err);
  ck_assert_int_eq(gg_tiled_copy_make(&copy, &matrix, 16, &few, &many, NULL), GG_E_TILED_COUNT);
  ck_assert_int_eq(gg_tiled_copy_make(&copy, &vector, 48, &threads, &many, NULL),
                   GG_E_ATOM_PARAMETER);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("tiled");
  TCase *cases = tcase_create("tiled");
  tcase_set_timeout(cases, 60);
  tcase_add_loop_test(cases, mma_covers_its_tile, 0, mma_count);
  tcase_add_loop_test(cases, mma_partitions_agree_with_the_layout, 0, mma_count);
  tcase_add_test(cases, wrong_tiled_mmas_are_refused);
  tcase_add_loop_test(cases, copies_cover_their_tile, 0, sizeof copies / sizeof *copies);
  tcase_add_test(cases, ldmatrix_feeds_the_mma);
  tcase_add_test(cases, retile_keeps_the_registers);
  tcase_add_test(cases, cotiled_copies_follow_memory);
  tcase_add_test(cases, wrong_tiled_copies_are_refused);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
