/* Atoms of Blackwell: which shapes, types and architectures the rows of tcgen05 have, what is made
 * of them in tensor memory, and how scale factors and metadata lie. Golden data of CuTe holds the
 * layouts (tests/golden); what is said here is said by PTX ISA and ptxas, or follows from the
 * layouts. */
#include <string.h>

#include "atom/copy_atom.h"
#include "atom/scale_layout.h"
#include "atom/sparse_layout.h"
#include "atom/tiled_copy.h"
#include "atom/umma_fragment.h"
#include "suite.h"

static const gg_mma_row *row_of(const char *cute, int block) {
  size_t count;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (const gg_mma_row *row = rows; row < rows + count; row++)
    if (strcmp(row->cute, cute) == 0 && row->block == block) return row;
  ck_abort_msg("no row %s", cute);
}

/* An atom of the row, of the row's types; all N that it has, as a set. */
static bool has(gg_mma_atom *out, const gg_mma_row *row, int m, int n, bool b_mn_major) {
  gg_mma_atom wanted = {.m = m,
                        .n = n,
                        .c = row->c,
                        .a = row->a,
                        .b = row->b,
                        .scale = GG_DTYPE_ue8m0,
                        .b_mn_major = b_mn_major};
  return gg_mma_umma_atom(out, row, &wanted, NULL) == GG_OK;
}

/* ---- Shapes -------------------------------------------------------------------------------- */

/* PTX ISA, "tcgen05 Matrix Shape"; the steps of 32 of A in tensor memory and of a sparse A of 8
 * bits, both of pairs, are CuTe's. */
START_TEST(shapes_are_as_the_isa_says) {
  static const struct {
    const char *cute;
    int block, m, first, step;
    bool b_mn_major;
  } cases[] = {
      {"SM100_MMA_F16BF16_SS", 0, 64, 8, 8, false},
      {"SM100_MMA_F16BF16_SS", 0, 128, 16, 16, true},
      {"SM100_MMA_F16BF16_2x1SM_SS", 0, 128, 16, 16, false},
      {"SM100_MMA_F16BF16_2x1SM_SS", 0, 256, 16, 16, false},
      {"SM100_MMA_F16BF16_2x1SM_TS", 0, 256, 32, 32, false},
      {"SM100_MMA_TF32_TS", 0, 128, 16, 16, false},
      {"SM100_MMA_S8_SS", 0, 128, 16, 16, false},
      {"SM100_MMA_S8_2x1SM_SS", 0, 256, 32, 32, false},
      {"SM100_MMA_F8F6F4_SS_SPARSE", 0, 64, 8, 8, false},
      {"SM100_MMA_F8F6F4_2x1SM_SS_SPARSE", 0, 256, 32, 32, false},
      {"SM100_MMA_MXF8F6F4_SS", 32, 128, 8, 8, false},
      {"SM100_MMA_MXF8F6F4_SS", 32, 128, 16, 16, true},
      {"SM100_MMA_MXF8F6F4_2x1SM_SS", 32, 256, 32, 32, true},
      {"SM100_MMA_MXF4_2x1SM_SS", 16, 128, 16, 16, false},
      {"SM103_MXF4_ULTRA_SS_VS", 16, 128, 16, 16, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gg_mma_row *row = row_of(cases[i].cute, cases[i].block);
    gg_mma_atom atom;
    for (int n = 0; n <= 264; n++)
      ck_assert_msg(has(&atom, row, cases[i].m, n, cases[i].b_mn_major) ==
                        (n >= cases[i].first && n <= 256 && n % cases[i].step == 0),
                    "%s m%d n%d", cases[i].cute, cases[i].m, n);
  }
}
END_TEST

/* M of 64: 8, 16, 24, 32, then every 16. */
START_TEST(bytes_have_fewer_columns) {
  const gg_mma_row *row = row_of("SM100_MMA_S8_SS", 0);
  gg_mma_atom atom;
  for (int n = 0; n <= 264; n += 8)
    ck_assert_msg(has(&atom, row, 64, n, false) == (n > 0 && n <= 256 && (n <= 32 || n % 16 == 0)),
                  "n%d", n);
}
END_TEST

START_TEST(rows_of_a_pair) {
  static const struct {
    const char *cute;
    int block;
    bool m64, m128, m256;
  } cases[] = {
      {"SM100_MMA_F16BF16_SS", 0, true, true, false},
      {"SM100_MMA_F16BF16_2x1SM_SS", 0, false, true, true},
      {"SM100_MMA_MXF8F6F4_SS", 32, false, true, false},
      {"SM100_MMA_MXF8F6F4_2x1SM_SS", 32, false, true, true},
      {"SM100_MMA_MXF4NVF4_2x1SM_SS_SPARSE", 32, false, false, true},
      {"SM103_MXF4_ULTRA_2x1SM_SS_VS", 32, false, false, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const gg_mma_row *row = row_of(cases[i].cute, cases[i].block);
    gg_mma_atom atom;
    ck_assert_msg(has(&atom, row, 64, 64, false) == cases[i].m64, "%s", cases[i].cute);
    ck_assert_msg(has(&atom, row, 128, 64, false) == cases[i].m128, "%s", cases[i].cute);
    ck_assert_msg(has(&atom, row, 256, 64, false) == cases[i].m256, "%s", cases[i].cute);
    ck_assert(!has(&atom, row, 192, 64, false) && !has(&atom, row, 32, 64, false));
  }
}
END_TEST

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Every row of tcgen05, at its largest: found by its name, with operands that its CTAs hold once
 * between them, and a descriptor. */
START_TEST(every_row_is_found_and_described) {
  size_t count, seen = 0;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (const gg_mma_row *row = rows; row < rows + count; row++) {
    if (row->kind != GG_MMA_tcgen05) continue;
    int ctas = row->threads == GG_TV_pair ? 2 : 1;
    gg_mma_atom atom, found;
    gg_error err = GG_ERROR_INIT;
    gg_str name = GG_STR_INIT;
    uint32_t bits;
    ck_assert_msg(has(&atom, row, 128 * ctas, 256, false), "%s", row->cute);
    gg_mma_atom_cute(&name, &atom);
    ck_assert_msg(!gg_mma_atom_find(&found, gg_str_text(&name), &err), "%s", err.message);
    ck_assert_msg(found.row == row && found.m == atom.m && found.n == 256, "%s",
                  gg_str_text(&name));
    gg_instr_desc what = gg_mma_atom_instr_desc(&atom);
    ck_assert_msg(!gg_instr_desc_make(&bits, &what, &err), "%s", err.message);
    ck_assert_int_eq(bits >> 2 & 1, row->sparse);
    for (int i = GG_MMA_A; i <= GG_MMA_C; i++) {
      gg_layout layout = gg_mma_atom_layout(&atom, (gg_mma_operand)i);
      ck_assert_msg(gg_layout_is_bijective(&layout), "%s %d", row->cute, i);
    }
    ck_assert(!gg_mma_atom_has_layout(&atom, GG_MMA_E));
    ck_assert(!gg_mma_atom_has_layout(&atom, GG_MMA_SFA));
    gg_str_free(&name);
    seen++;
  }
  ck_assert_int_eq(seen, 4 * 6 + 2 * 4 + 8 * 2);
}
END_TEST

/* As ptxas 13.0 takes them: no i8 but on sm_100a and sm_110a; packed sparse elements on no f
 * target. */
START_TEST(architectures_are_as_ptxas_says) {
  static const struct {
    const char *cute;
    int block;
    const char *on; /* of 100a 100f 103a 103f 110a 110f 120a 90a */
  } cases[] = {
      {"SM100_MMA_F16BF16_SS", 0, "yyyyyynn"},
      {"SM100_MMA_S8_SS", 0, "ynnnynnn"},
      {"SM100_MMA_MXF8F6F4_SS_SPARSE", 64, "yyyyyynn"},
      {"SM100_MMA_MXF4_SS", 16, "yyyyyynn"},
      {"SM100_MMA_MXF4NVF4_SS_SPARSE", 32, "ynynynnn"},
      {"SM103_MXF4_ULTRA_SS_VS", 16, "nnyynnnn"},
      {"SM120_16x8x32_TN", 0, "nnnnnnyn"},
  };
  static const gg_arch archs[] = {{100, 'a'}, {100, 'f'}, {103, 'a'}, {103, 'f'},
                                  {110, 'a'}, {110, 'f'}, {120, 'a'}, {90, 'a'}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < sizeof archs / sizeof *archs; k++)
      ck_assert_msg(gg_arch_runs(archs[k], row_of(cases[i].cute, cases[i].block)->arch) ==
                        (cases[i].on[k] == 'y'),
                    "%s sm_%d%c", cases[i].cute, archs[k].number, archs[k].suffix);
}
END_TEST

START_TEST(types_of_sm120_stand_in_the_ptx_name) {
  static const char name[] =
      "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row."
      "col.f32.e2m1.e2m1.f32";
  gg_mma_atom atom;
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "%s.ue4m3", name);
  ck_assert(!gg_mma_atom_find(&atom, gg_str_text(&text), NULL));
  ck_assert_int_eq(atom.scale, GG_DTYPE_ue4m3);
  ck_assert_int_eq(gg_mma_atom_registers(&atom, GG_MMA_A, NULL), 4);
  gg_str_free(&text);
  gg_str_printf(&text, "%s.ue8m0", name); /* which ptxas refuses, too */
  ck_assert_int_eq(gg_mma_atom_find(&atom, gg_str_text(&text), NULL), GG_E_ATOM_PARAMETER);
  gg_str_free(&text);
  ck_assert_int_eq(gg_mma_atom_find(&atom, name, NULL), GG_E_ATOM_PARAMETER);
  ck_assert(!gg_mma_atom_find(
      &atom, "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f16.e2m1.e3m2.f16", NULL));
  ck_assert(atom.a == GG_DTYPE_e2m1 && atom.b == GG_DTYPE_e3m2 && atom.c == GG_DTYPE_f16);
  ck_assert_int_eq(gg_mma_atom_registers(&atom, GG_MMA_A, NULL), 4); /* a byte each */
}
END_TEST

/* ---- Tensor memory ------------------------------------------------------------------------- */

static gg_tiled_mma tiled(const char *name) {
  gg_layout one = gg_layout_flat(1, 0);
  gg_tiler permutation = gg_tiler_empty();
  gg_error err = GG_ERROR_INIT;
  gg_mma_atom atom;
  gg_tiled_mma mma;
  ck_assert_msg(!gg_mma_atom_find(&atom, name, &err), "%s", err.message);
  ck_assert_msg(!gg_tiled_mma_make(&mma, &atom, &one, &permutation, &err), "%s", err.message);
  return mma;
}

/* Four warps' loads take every element of a CTA's accumulators once. */
START_TEST(loads_take_every_accumulator) {
  static const struct {
    const char *mma, *copy;
    int m, n;
  } cases[] = {
      {"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,128,K,K>", "SM100_TMEM_LOAD_32dp32b32x", 128,
       128},
      {"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,128,K,K>", "SM100_TMEM_LOAD_16dp256b8x", 128,
       128},
      {"SM100_MMA_F16BF16_SS<half_t,half_t,float,64,128,K,K>", "SM100_TMEM_LOAD_16dp128b4x", 64,
       128},
      {"SM100_MMA_F16BF16_2x1SM_SS<half_t,half_t,float,256,64,K,K>", "SM100_TMEM_LOAD_32dp32b16x",
       128, 64},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gg_tiled_mma mma = tiled(cases[i].mma);
    int ctas = mma.atom.row->threads == GG_TV_pair ? 2 : 1;
    gg_tuple extents = GG_TUPLE(cases[i].m * ctas, cases[i].n);
    gg_error err = GG_ERROR_INIT;
    gg_copy_atom atom;
    gg_tiled_copy copy;
    gg_layout all, tile, tv;
    ck_assert(!gg_umma_fragment_c(&all, &mma, &extents, 0, NULL));
    ck_assert(!gg_layout_get(&tile, &all, 0, NULL));
    ck_assert(!gg_copy_atom_find(&atom, cases[i].copy, NULL));
    ck_assert_msg(!gg_tiled_copy_make_tmem(&copy, &atom, 32, &tile, &err), "%s: %s", cases[i].copy,
                  err.message);
    ck_assert(!gg_tiled_copy_layout_tv(&tv, &copy, GG_COPY_DST, NULL));
    ck_assert_int_eq(gg_tiled_copy_threads(&copy), 128);
    ck_assert_msg(gg_layout_is_bijective(&tv), "%s", cases[i].copy);
    gg_tuple cut = gg_tiler_extents(&copy.tiler);
    ck_assert_int_eq(gg_layout_size(&tv), gg_tuple_value(&cut, 0) * gg_tuple_value(&cut, 1));
  }
}
END_TEST

/* A factor of tensor memory is where tcgen05.cp 32x128b.warpx4 puts what shared memory has: of 128
 * rows 32 words of 4 lie side by side, and each of four warps gets them. */
START_TEST(factors_are_copied_as_they_lie) {
  gg_tiled_mma mma = tiled("SM100_MMA_MXF4_SS<e2m1,e2m1,float,ue4m3,128,256,16,K,K>");
  gg_tuple tile = GG_TUPLE(128, 256, 512);
  for (int operand = GG_MMA_SFA; operand <= GG_MMA_SFB; operand++) {
    gg_layout smem, tmem;
    ck_assert(!gg_umma_smem_sf(&smem, &mma, (gg_mma_operand)operand, &tile, NULL));
    ck_assert(!gg_umma_fragment_sf(&tmem, &mma, (gg_mma_operand)operand, &tile, NULL));
    int rows = operand == GG_MMA_SFA ? 128 : 256;
    for (int row = 0; row < rows; row++) {
      for (int k = 0; k < 512; k += 16) {
        int factor = k / 16 % 4, atom = k / 64;
        int64_t in_smem = (row % 32) * 16 + row / 32 % 4 * 4 + row / 128 * 512 + factor +
                          (int64_t)atom * 512 * (rows / 128);
        int64_t lane = row % 32, byte = row / 32 * 4 + factor + (int64_t)atom * 4 * (rows / 32);
        int64_t copied = in_smem / 512 * 16 + in_smem % 16; /* of lane in_smem / 16 % 32 */
        ck_assert_int_eq(in_smem / 16 % 32, lane);
        ck_assert_int_eq(copied, byte);
        int64_t s = row + (int64_t)rows * (k % 64) + (int64_t)rows * 64 * atom;
        int64_t t = row + (int64_t)rows * 4 * (k % 64) + (int64_t)rows * 4 * 64 * atom;
        ck_assert_int_eq(gg_layout_at(&smem, s), in_smem);
        for (int copy = 0; copy < 4; copy++)
          ck_assert_int_eq(gg_layout_at(&tmem, t + (int64_t)copy * rows),
                           (lane + 32 * copy) * gg_tmem_lane(8) + byte);
      }
    }
  }
}
END_TEST

/* With M of 128 of a pair: lanes 0 to 63 have two copies of the first half's, 64 to 127 of the
 * second's. */
START_TEST(halves_of_b_have_halves_of_the_lanes) {
  gg_tiled_mma mma = tiled("SM100_MMA_MXF8F6F4_2x1SM_SS<e4m3,e4m3,float,ue8m0,128,256,K,K>");
  gg_tuple tile = GG_TUPLE(128, 256, 128), wide = GG_TUPLE(128, 512, 128);
  gg_layout tmem;
  ck_assert(!gg_umma_fragment_sf(&tmem, &mma, GG_MMA_SFB, &tile, NULL));
  for (int column = 0; column < 256; column++) {
    for (int copy = 0; copy < 2; copy++) {
      int64_t lane = column % 32 + 32 * copy + column / 128 * 64, byte = column % 128 / 32 * 4;
      ck_assert_int_eq(gg_layout_at(&tmem, column + 256 * copy), lane * gg_tmem_lane(8) + byte);
    }
  }
  ck_assert_int_eq(gg_umma_fragment_sf(&tmem, &mma, GG_MMA_SFB, &wide, NULL), GG_E_ATOM_PARAMETER);
  ck_assert(!gg_umma_fragment_sf(&tmem, &mma, GG_MMA_SFA, &tile, NULL));
}
END_TEST

/* ---- Global memory ------------------------------------------------------------------------- */

/* Every factor of the atoms has a place of its own, and blocks share theirs. */
START_TEST(factors_have_places_of_their_own) {
  static const int64_t problems[][4] = {{1, 1, 1, 1}, {129, 257, 96, 2}, {300, 128, 512, 3}};
  for (int i = 0; i < 3; i++) {
    for (int operand = GG_SCALE_A; operand <= GG_SCALE_D; operand++) {
      for (int mn = 0; mn <= (operand == GG_SCALE_D); mn++) {
        gg_tuple problem = gg_tuple_make(4, problems[i]);
        gg_layout layout, places;
        ck_assert(!gg_scale_layout(&layout, (gg_scale_operand)operand, 16, mn, &problem, NULL));
        ck_assert(!gg_layout_filter(&places, &layout, NULL, NULL));
        ck_assert(gg_layout_is_bijective(&places));
        ck_assert_int_eq(gg_layout_size(&places) * 16, gg_layout_size(&layout));
      }
    }
  }
  gg_layout layout;
  gg_tuple problem = GG_TUPLE(128, 128, 64);
  ck_assert_int_eq(gg_scale_layout(&layout, GG_SCALE_A, 16, true, &problem, NULL),
                   GG_E_ATOM_PARAMETER);
}
END_TEST

START_TEST(metadata_has_places_of_its_own) {
  static const gg_sparse_element elements[] = {{4, false}, {4, true},   {6, false},
                                               {8, false}, {16, false}, {32, false}};
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    gg_tuple problem = GG_TUPLE(300, 128, 500, 2);
    gg_layout tile, e;
    ck_assert(!gg_sm1xx_sparse_metadata_tile(&tile, elements[i], NULL));
    ck_assert(gg_layout_is_bijective(&tile));
    ck_assert_int_eq(gg_layout_mode_size(&tile, 0), 128);
    ck_assert(!gg_sm1xx_sparse_layout_e(&e, elements[i], &problem, NULL));
    ck_assert(gg_layout_is_bijective(&e));
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("umma atoms");
  TCase *rows = tcase_create("rows");
  tcase_set_timeout(rows, 60);
  tcase_add_test(rows, shapes_are_as_the_isa_says);
  tcase_add_test(rows, bytes_have_fewer_columns);
  tcase_add_test(rows, rows_of_a_pair);
  tcase_add_test(rows, every_row_is_found_and_described);
  tcase_add_test(rows, architectures_are_as_ptxas_says);
  tcase_add_test(rows, types_of_sm120_stand_in_the_ptx_name);
  tcase_add_test(rows, loads_take_every_accumulator);
  tcase_add_test(rows, factors_are_copied_as_they_lie);
  tcase_add_test(rows, halves_of_b_have_halves_of_the_lanes);
  tcase_add_test(rows, factors_have_places_of_their_own);
  tcase_add_test(rows, metadata_has_places_of_its_own);
  suite_add_tcase(suite, rows);
  return run_suite(suite);
}
