/* What the calculator draws: tables of layouts, pictures of threads and values, banks and swizzles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "calculator/expr.h"
#include "gemmgen.h"
#include "layout/calc.h"
#include "suite.h"

/* ---- Tables -------------------------------------------------------------------------------- */

static gg_str table_of(const char *text, bool compact) {
  gg_str out = GG_STR_INIT;
  gg_composed a;
  ck_assert(!gg_composed_parse(&a, text, NULL));
  gg_tensor tensor = gg_tensor_of(&a);
  ck_assert(!gg_draw_table(&out, &tensor, compact, NULL));
  return out;
}

START_TEST(test_table) {
  gg_str text = table_of("((2,2),(2,2)):((1,4),(2,8))", false);
  ck_assert_str_eq(gg_str_text(&text), "      0   1    2   3\n"
                                       "   +--------+--------+\n"
                                       " 0 |  0   2 |  8  10 |\n"
                                       " 1 |  1   3 |  9  11 |\n"
                                       "   +--------+--------+\n"
                                       " 2 |  4   6 | 12  14 |\n"
                                       " 3 |  5   7 | 13  15 |\n"
                                       "   +--------+--------+\n");
  gg_str_free(&text);
}
END_TEST

static size_t longest_line(const char *text) {
  size_t longest = 0;
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
    size_t length = strcspn(line, "\n");
    if (length > longest) longest = length;
  }
  return longest;
}

/* Not by strstr, at whose every call the address sanitizer measures the rest of the text. */
static int count_of(const char *text, const char *word) {
  int count = 0;
  for (const char *s = text; (s = strchr(s, *word)); s++)
    count += strncmp(s, word, strlen(word)) == 0;
  return count;
}

/* Columns that do not fit follow below, every one of them once. */
START_TEST(test_wide_tables_are_folded) {
  gg_str text = table_of("(2,(16,16)):(256,(16,1))", false);
  ck_assert_int_lt(longest_line(gg_str_text(&text)), 140);
  for (int i = 0; i < 512; i++) {
    char number[16];
    snprintf(number, sizeof number, " %d ", i);
    ck_assert_msg(strstr(gg_str_text(&text), number), "no %d", i);
  }
  gg_str_free(&text);
}
END_TEST

START_TEST(test_compact_tables_show_the_ends) {
  gg_str text = table_of("(4096,2048):(2048,1)", true);
  ck_assert_int_lt(longest_line(gg_str_text(&text)), 120);
  ck_assert_int_eq(count_of(gg_str_text(&text), "\n"), 14);
  ck_assert_ptr_nonnull(strstr(gg_str_text(&text), "8388607 |\n"));
  gg_str_free(&text);
  text = table_of("(4,4):(1,4)", true);
  ck_assert_ptr_null(strstr(gg_str_text(&text), ".."));
  gg_str_free(&text);
}
END_TEST

/* ---- Pictures ------------------------------------------------------------------------------ */

/* Evaluates, and draws what the value has of threads and values. */
static gg_str picture_of(const char *text, bool compact, bool table, int *views) {
  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_value value;
  gg_tv_view all[GG_TV_VIEWS];
  gg_str out = GG_STR_INIT;
  ck_assert_msg(!gg_expr_eval(&value, text, NULL, 1, NULL, &arena, &err), "%s: %s", text,
                err.message);
  ck_assert_msg(!gg_value_views(all, views, &value, &err), "%s: %s", text, err.message);
  gg_status st = table ? gg_draw_thread_table(&out, all, *views, compact, &err)
                       : gg_draw_thread_values(&out, all, *views, compact, &err);
  ck_assert_msg(!st, "%s: %s", text, err.message);
  gg_arena_free(&arena);
  return out;
}

static int width_of(const gg_str *svg) {
  const char *width = strstr(gg_str_text(svg), "width=\"");
  return width ? atoi(width + 7) : 0;
}

START_TEST(test_svg) {
  gg_str svg = GG_STR_INIT;
  gg_tv_view view = {.name = "", .tile = GG_TUPLE(16, 8)};
  gg_composed atom;
  ck_assert(!gg_layout_parse(&view.tv, "((4,8),(2,2)):((32,1),(16,8))", NULL));
  ck_assert(!gg_draw_thread_values(&svg, &view, 1, false, NULL));
  ck_assert_int_eq(count_of(gg_str_text(&svg), ">T31<"), 4);
  ck_assert_int_eq(count_of(gg_str_text(&svg), ">V3<"), 32);
  gg_str_free(&svg);
  ck_assert(!gg_smem_atom(&atom, false, GG_SMEM_SW64, 32, NULL));
  gg_tensor tensor = gg_tensor_of(&atom);
  ck_assert(!gg_draw_banks(&svg, &tensor, 32, false, NULL));
  ck_assert_int_eq(count_of(gg_str_text(&svg), "<rect"), 1 + 8 * 16 + 8);
  ck_assert_int_eq(count_of(gg_str_text(&svg), "<svg"), count_of(gg_str_text(&svg), "</svg>"));
  gg_str_free(&svg);
  ck_assert(!gg_draw_swizzle(&svg, (gg_swizzle){3, 4, 3}, NULL));
  ck_assert_int_eq(count_of(gg_str_text(&svg), ">7.0<"), 1);
  gg_str_free(&svg);
}
END_TEST

/* An atom by its name, a tiled MMA or copy, a layout made of one: each knows its tile. */
START_TEST(test_tiles_are_inferred) {
  static const struct {
    const char *text, *holds;
    int views, cells;
  } cases[] = {
      {"SM80_16x8x16_F32F16F16F32_TN", ">T31<", 3, 16 * 16 + 8 * 16 + 16 * 8},
      {"MMA_64x32x16_F32F16F16_RS", ">T127<", 2, 64 * 16 + 64 * 32},
      {"MMA_64x32x16_F32F16F16_SS<K,MN>", ">T127<", 1, 64 * 32},
      {"SM75_U32x4_LDSM_N", ">V7<", 2, 2 * 32 * 8},
      {"Copy_Atom<SM90_U32x2_STSM_N, half_t>", ">T31<", 2, 2 * 16 * 8},
      {"UniversalCopy<uint128_t>", ">V15<", 2, 2 * 16},
      {"SM61_DP4A", ">V3<", 3, 4 + 4 + 1},
      {"tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2))", ">V0 +1<", 3, 32 * 16 + 16 * 16 + 32 * 16},
      {"make_tiled_copy(UniversalCopy<uint128_t>, half_t, (16,8):(8,1), (1,8))", ">T127<", 2,
       2 * 16 * 64},
      {"CLayout(SM80_16x8x16_F32F16F16F32_TN)", ">T31<", 1, 16 * 8},
      {"layoutB_TV(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)))", ">T95<", 1, 16 * 16},
      {"make_layout_tv((4,8):(8,1), (2,2):(2,1))", ">V3<", 1, 8 * 16},
      {"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,128,K,K>", NULL, 0, 0},
      {"(4,8):(8,1)", NULL, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int views;
    gg_str svg = picture_of(cases[i].text, false, false, &views);
    ck_assert_msg(views == cases[i].views, "%s: %d views", cases[i].text, views);
    ck_assert_msg(count_of(gg_str_text(&svg), "<rect") == 1 + cases[i].cells, "%s: %d cells",
                  cases[i].text, count_of(gg_str_text(&svg), "<rect"));
    ck_assert_msg(!cases[i].holds || strstr(gg_str_text(&svg), cases[i].holds), "%s: no %s",
                  cases[i].text, cases[i].holds);
    gg_str_free(&svg);
  }
}
END_TEST

START_TEST(test_thread_table) {
  int views;
  gg_str text = picture_of("SM70_8x8x4_F16F16F16F16_NT", false, true, &views);
  ck_assert_ptr_nonnull(strstr(gg_str_text(&text), "A (M,K)\n"
                                                   "          0     1     2     3\n"
                                                   "     +------------------------+\n"
                                                   "   0 | T0V0  T1V0  T2V0  T3V0 |\n"));
  ck_assert_ptr_nonnull(strstr(gg_str_text(&text), "B (K,N)\n"));
  gg_str_free(&text);
}
END_TEST

/* Wide pictures are folded to what a screen shows, with every cell; compact ones are small. */
START_TEST(test_wide_pictures_stay_legible) {
  static const char wide[] = "MMA_64x256x16_F32F16F16_RS";
  int views, cells = 1 + 64 * 16 + 64 * 256;
  gg_str svg = picture_of(wide, false, false, &views), compact;
  ck_assert_int_le(width_of(&svg), 1600);
  ck_assert_int_eq(count_of(gg_str_text(&svg), "<rect"), cells);
  compact = picture_of(wide, true, false, &views);
  ck_assert_int_le(width_of(&compact), 1600);
  ck_assert_int_eq(count_of(gg_str_text(&compact), "<rect"), cells);
  ck_assert_int_eq(count_of(gg_str_text(&compact), "<title>T0 V0</title>"), 2);
  ck_assert_int_lt(compact.length, svg.length);
  gg_str_free(&svg);
  gg_str_free(&compact);
}
END_TEST

START_TEST(test_too_large_to_draw) {
  gg_str out = GG_STR_INIT;
  gg_layout a = gg_layout_flat(1 << 20, 1);
  gg_tensor tensor = gg_tensor_of_layout(&a);
  gg_tv_view view = {.name = "", .tv = gg_layout_flat(8, 1), .tile = GG_TUPLE(4, 2)};
  gg_error err = GG_ERROR_INIT;
  ck_assert_int_eq(gg_draw_table(&out, &tensor, false, NULL), GG_E_LAYOUT_DRAWING);
  ck_assert_int_eq(gg_draw_layout(&out, &tensor, false, NULL), GG_E_LAYOUT_DRAWING);
  ck_assert_int_eq(gg_draw_layout(&out, &tensor, true, NULL), GG_E_LAYOUT_DRAWING);
  ck_assert_int_eq(gg_draw_swizzle(&out, (gg_swizzle){1, 30, 20}, NULL), GG_E_LAYOUT_DRAWING);
  ck_assert_int_eq(gg_draw_thread_values(&out, &view, 1, false, NULL), GG_E_LAYOUT_RANK);
  ck_assert(!gg_layout_parse(&view.tv, "(4,3):(1,4)", NULL));
  ck_assert_int_eq(gg_draw_thread_table(&out, &view, 1, false, &err), GG_E_LAYOUT_TV);
  ck_assert_str_eq(err.message,
                   "drawing: value 2 of thread 0 is element 8 of the tile, which has 8");
  gg_error_clear(&err);
  gg_str_free(&out);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("drawings");
  TCase *tcase = tcase_create("drawings");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, test_table);
  tcase_add_test(tcase, test_wide_tables_are_folded);
  tcase_add_test(tcase, test_compact_tables_show_the_ends);
  tcase_add_test(tcase, test_svg);
  tcase_add_test(tcase, test_tiles_are_inferred);
  tcase_add_test(tcase, test_thread_table);
  tcase_add_test(tcase, test_wide_pictures_stay_legible);
  tcase_add_test(tcase, test_too_large_to_draw);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
