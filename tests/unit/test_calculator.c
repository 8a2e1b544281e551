/* The calculator beyond its operations: how CuTe's languages spell expressions, functions at
 * coordinates, shapes for layouts, memory that runs out. Its pictures are in test_drawings.c, its
 * bank conflicts in test_conflicts.c.
 *
 * Laws are held on random layouts; the seed is printed, GEMMGEN_SEED sets another. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "calculator/expr.h"
#include "draws.h"
#include "gemmgen.h"
#include "layout/calc.h"
#include "suite.h"

enum { rounds = 500 };

#define CHECK(condition, ...)                                                                      \
  ck_assert_msg(condition, "seed %" PRIu64 ": %s: %s", draws_seed, #condition, __VA_ARGS__)

/* The printed result, or "error: " and its message; the caller frees it with gg_free. */
static char *evaluate(const char *text) {
  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_str out = GG_STR_INIT;
  gg_notation notation = GG_NOTATION_PLAIN;
  gg_value value;
  if (gg_expr_eval(&value, text, NULL, 1, &notation, &arena, &err)) {
    gg_str_printf(&out, "error: %s", err.message);
  } else {
    gg_value_print(&out, &value, notation);
  }
  gg_error_clear(&err);
  gg_arena_free(&arena);
  return gg_str_take(&out);
}

/* ---- Spellings ----------------------------------------------------------------------------- */

/* clang-format off */
static const struct spelling {
  const char *text, *result;
} spellings[] = {
    /* C++ */
    {"make_layout(Int<8>{})", "_8:_1"},
    {"make_layout(make_shape(Int<2>{}, 4), make_stride(Int<12>{}, Int<1>{}))", "(_2,4):(_12,_1)"},
    {"cute::make_layout(cute::make_shape(2,4), cute::LayoutRight{})", "(2,4):(4,1)"},
    {"Layout<Shape<_4,Shape<_3,_6>>>{}", "(4,(3,6)):(1,(4,12))"},
    {"Layout<Shape<_4,_8>,Stride<_8,_1>>{}(2,3)", "19"},
    {"Layout<Shape <_2,_4>, LayoutRight>{}", "(2,4):(4,1)"},
    {"Layout<_3,_4>{}", "3:4"},
    {"Layout<Shape<_4,_8>>{}.shape<1>()", "8"},
    {"Shape<_4,_8>{}", "(4,8)"},
    {"Step<_1,X,_1>{}", "(1,_,1)"},
    {"make_tile(Layout<_3,_3>{}, Layout<Shape<_2,_4>,Stride<_1,_8>>{})", "(3:3,(2,4):(1,8))"},
    {"make_coord(make_coord(_, 1), 5)", "((_,1),5)"},
    {"make_tuple(2, make_tuple(3))", "(2,(3))"},
    {"make_layout(make_shape (Int< 9>{}, 4), make_stride( Int<59>{}, 13))", "(_9,4):(_59,13)"},
    {"Swizzle<3,4,3>{}", "Sw<3,4,3>"},
    {"composition(Swizzle<3,3,3>{}, _0{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})(1,0)", "_72"},
    {"make_swizzle<0x180,0x30>()", "Sw<2,4,3>"},
    {"GMMA::Layout_MN_SW64_Atom<bfloat16_t>{}", "Sw<2,4,3> o smem_ptr[16b](unset) o (32,8):(1,32)"},
    {"tile_to_shape(GMMA::Layout_K_SW128_Atom<cutlass::half_t>{}, make_shape(128,64,3))",
     "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1),(1,3)):((64,512),(1,0),(0,8192))"},
    {"coalesce((2,(1,6)):(1,(6,2)), Step<_1,_1>{})", "(2,6):(1,2)"},
    {"local_tile((4096,512):(512,1), make_shape(128,128,64), make_coord(1,0,_), Step<_1,X,_1>{})", "65536 o (128,64,8):(512,1,64)"},
    {"recast_layout<half_t,uint8_t>((4,8):(1,4))", "(8,8):(1,8)"},
    {"(4,5):(E<0>{},E<1>{})", "(4,5):(1@0,1@1)"},
    {"E<1,0>", "1@0@1"},
    {"make_tensor(make_inttuple_iter(0,0), make_shape(4,5), make_stride(E<0>{}, E<1>{}))", "(0,0) o (4,5):(1@0,1@1)"},
    {"make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{}).get_layoutC_TV()",
     "((4,8,2,2),((2,2),(1,1))):((64,1,16,256),((32,8),(0,0)))"},
    {"TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_2,_2,_1>>>{}", "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,0))"},
    {"make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, Layout<Shape<_32,_8>>{}, Layout<Shape<_4,_1>>{})",
     "make_tiled_copy_impl(UniversalCopy<uint128_t>, 32, (256,4):(4,1), (128:1,8:1))"},
    {"size(MMA_64x64x16_F32F16F16_SS<GMMA::Major::K,GMMA::Major::MN>{})", "128"},
    {"CLayout(mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32)", "((4,8),(2,2)):((32,1),(16,8))"},
    {"make_layout((4,8)); // as it is", "(4,8):(1,4)"},
    /* CuTe's Python and pycute */
    {"cute.make_layout((2, 4), stride=(4, 1))", "(2,4):(4,1)"},
    {"cute.make_ordered_layout((2,3,4), order=(3,1,2))", "(2,3,4):(12,1,3)"},
    {"cute.coalesce((2,(1,6)):(1,(6,2)), target_profile=(1,1))", "(2,6):(1,2)"},
    {"cute.size((4,(2,3)):(1,(4,8)), mode=[1,0])", "2"},
    {"cute.make_composed_layout(cute.make_swizzle(3,3,3), 0, (8,64):(64,1))", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
    {"cute.slice_((4,8):(1,4), (None, 3))", "(4):(1)"},
    {"cute.recast_layout(16, 8, (4,8):(1,4))", "(2,8):(1,2)"},
    {"cute.make_tiled_copy_tv(cute.make_copy_atom(UniversalCopy<uint128_t>, cutlass.Float32), (32,8):(1,32), (4,1))",
     "make_tiled_copy_impl(UniversalCopy<uint128_t>, 32, (256,4):(4,1), (128:1,8:1))"},
    {"Layout([4,8], [8,1])", "(4,8):(8,1)"},
    {"ComposedLayout(Swizzle(3,3,3), 0, Layout((8,64),(64,1)))", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
    /* What CuTe prints */
    {"S<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
    {"gmem_ptr[32b](0x7f42efc00000) o (_8,16):(_1,_8)", "_0 o (_8,16):(_1,_8)"},
    {"smem_ptr[16b](0x7f4316000000) o (8,64):(64,1)", "0 o (8,64):(64,1)"},
    {"Sw<3,4,3>_smem_ptr[16b](0x7f4316000000) o (8,64):(64,1)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
    {"ArithTuple(0,_0) o (4,5):(_1@0,_1@1)", "(0,_0) o (4,5):(_1@0,_1@1)"},
    {"(6,2):(8,2) \xE2\x88\x98 (4,3):(3,1)", "((2,2),3):((24,2),8)"},
    {"cute::make_shape(cute::_8{}, cute::Int<4>{}, cute::_1)", "(_8,_4,_1)"},
    /* Functions at coordinates, modes, methods */
    {"((4,8):(8,1))(2,3)", "19"},
    {"(4,8):(8,1)((2,3))", "19"},
    {"(4,8):(8,1)(5)", "9"},
    {"(4,(2,3)):(8,(1,2))(1,(_,2))", "(2):(1)"},
    {"((4,8):(8,1))(_,3)", "(4):(8)"},
    {"(16 o (4,8):(8,1))(_,3)", "19 o (4):(8)"},
    {"(16 o (4,8):(8,1))[2,3]", "35"},
    {"make_identity_tensor((4,5))(13)", "(1,3)"},
    {"(Sw<3,3,3> o 0 o (8,64):(64,1))(1,0)", "72"},
    {"Sw<3,4,3>(129)", "145"},
    {"((4,8):(8,1))[1]", "8:1"},
    {"(4,(2,3))[1,0]", "2"},
    {"((4,8):(8,1)).stride", "(8,1)"},
    {"make_layout((4,8)).size()", "32"},
    {"make_layout((4,8)).zipped_divide((2,4)).shape", "((2,4),(2,2))"},
    /* Where pycute has other answers, CuTe's C++ has these */
    {"Layout((2,1,3))", "(2,1,3):(1,0,2)"},
    {"composition((1):(1), (3):(1))", "(3):(1)"},
    {"right_inverse((3,8,4):(0,4,1))", "(4,8):(24,3)"},
    {"left_inverse((2,4,2):(16,1,0))", "(16,2):(2,1)"},
    /* Metadata of a sparse A: every place once */
    {"is_bijective(sm90_fill_layoutE(half_t, 128, (300,8,500,2)))", "true"},
    {"is_bijective(sm90_fill_layoutE(tf32, 32, (64,8,96,3)))", "true"},
    {"is_bijective(sm90_fill_layoutE(int8_t, 64, (64,8,96,3)))", "true"},
    {"is_bijective(sm90_fill_layoutA(bf16, K, (30,8,50,3)))", "true"},
    /* A shape where a layout is wanted */
    {"complement((4,1), 24)", "6:4"},
    {"raked_product((32,8), (4,1))", "((4,32),(1,8)):((256,1),(0,32))"},
    {"local_partition((128,64):(64,1), (32,8), 5)", "320 o (4,8):(2048,8)"},
    {"zipped_divide((8,24), (4,8))", "((4,8),(2,3)):((1,8),(4,64))"},
    {"make_tensor(0, (4,8))", "0 o (4,8):(1,4)"},
    {"right_inverse(32)", "32:1"},
    {"make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8), (4,1))",
     "make_tiled_copy_impl(UniversalCopy<uint128_t>, 32, (256,4):(4,1), (128:1,8:1))"},
    {"get<1>((4,8))", "8"},
    {"append((4,8), 2)", "(4,8,2)"},
    {"layoutC_TV(SM80_16x8x16_F32F16F16F32_TN)", "((4,8),((2,2),(1,1))):((32,1),((16,8),(0,0)))"},
    /* What is refused says how it is meant */
    {"print_latex((4,8))", "error: no operation 'print_latex'; --svg FILE draws it"},
    {"inverse((4,8))", "error: no operation 'inverse'; there are right_inverse and left_inverse"},
    {"make_layot((4,8))", "error: no operation 'make_layot'; did you mean 'make_layout'?"},
    {"frob<3>((4,8))", "error: no operation 'frob'"},
    {"make_layout(shape=(4,8), stride=(8,1))", "(4,8):(8,1)"},
    {"make_layout(stride=(8,1), shape=(4,8))", "error: expected an argument in its place, without a keyword, got 'stride'"},
    {"crd2idx((1,2), half_t)", "error: crd2idx takes tuple, tensor; or tuple, tuple, [tuple]; argument 2 is the name 'half_t'"},
    {"size<0>", "error: expected '(', got the end"},
    {"(4,8)(1)", "error: expected the end, got '('"},
    {"(4,8):(8,1)(half_t)", "error: expected a coordinate, got 'half_t'"},
    {"smem_atom(K_SW128, 16)((1,0))", "72"},
    {"ThrID(SM80_16x8x16_F32F16F16F32)", "error: no MMA or copy atom is named 'SM80_16x8x16_F32F16F16F32'; did you mean 'SM80_16x8x16_F32F16F16F32_TN'? (`gemmgen atoms` lists them)"},
    {"make_swizzle(3, 4, 2)", "error: Sw<3,4,2>: |S| must be at least B, 2 < 3"},
    {"make_layout((4,8), LayoutUp)", "error: make_layout: the order of a shape's modes is LayoutLeft or LayoutRight"},
    {"gcd(())", "error: gcd: of no integers there is none"},
    {"gcd(-9223372036854775808, 0)", "error: gcd: 0 - -9223372036854775808 does not fit in 64 bits"},
    {"repeat<-1>(4)", "error: repeat: takes a count, from 0 on"},
    {"tile_size<3>(tiled_mma(SM80_16x8x16_F32F16F16F32_TN))", "error: tile_size: no mode 3 in (M,N,K), which has 3"},
    {"E<64>", "error: expected a basis of at most 4 modes below 64, got '>'"},
    {"gmem_ptr[32b](zz) o 4:1", "error: expected '(unset)' or an address, got '('"},
    {"bank_conflicts((32,2):(2,1), 64:-1, float)", "error: bank_conflicts: no access of 4 bytes: value 1 of thread 0 is element -1 (no width would do)"},
    {"bank_conflicts((32,2):(2,1), 64:-1, float, 4)", "error: bank_conflicts: no access of 4 bytes: value 1 of thread 0 is element -1 (no width would do)"},
    {"bank_conflicts((32,2):(2,1), 64:100000000000000000, float, 4)", "error: bank_conflicts: 6300000000000000001 x 64 does not fit in 64 bits"},
    {"bank_conflicts((1024,2048):(1,1), 4096, 8)", "error: bank_conflicts: a thread-value layout has 1 to 1048576 elements here"},
    {"cute::_99999999999999999999", "error: expected an integer of 64 bits, got '99999999999999999999'"},
    {"16 o (4,8):(1,4)(1,2)", "error: expected a layout behind 'o', got the end"},
    {"ptr[16b](sun) o 4:1", "error: expected '(unset)' or an address, got '('"},
    {"Copy_Atom<SM75_U32x4_LDSM_N, 0>", "error: Copy_Atom: elements have 1 bit or more"},
};
/* clang-format on */

START_TEST(test_spelling) {
  char *got = evaluate(spellings[_i].text);
  ck_assert_msg(strcmp(got, spellings[_i].result) == 0, "%s: expected %s, got %s",
                spellings[_i].text, spellings[_i].result, got);
  gg_free(got);
}
END_TEST

START_TEST(test_aliases_are_of_operations) {
  for (const gg_op_alias *a = gg_op_aliases; a->alias; a++) {
    ck_assert_msg(gg_expr_is_operation(a->name), "%s is %s", a->alias, a->name);
    for (const gg_op *op = gg_ops; op->name; op++)
      ck_assert_str_ne(op->name, a->alias);
  }
}
END_TEST

static void put_type(gg_str *out, const gg_tuple *t, int at, const char *name) {
  if (!gg_is_tuple(t, at)) {
    gg_str_printf(out, "_%lld", (long long)t->nodes[at].value);
    return;
  }
  const char *separator = name;
  char open = '<';
  GG_EACH_CHILD(child, t, at) {
    gg_str_printf(out, "%s%c", separator, open);
    put_type(out, t, child, name);
    separator = "", open = ',';
  }
  gg_str_puts(out, ">");
}

static void put_list(gg_str *out, const gg_tuple *t, int at) {
  if (!gg_is_tuple(t, at)) {
    gg_str_printf(out, "%lld", (long long)t->nodes[at].value);
    return;
  }
  char open = '[';
  GG_EACH_CHILD(child, t, at) {
    gg_str_printf(out, "%c ", open);
    put_list(out, t, child);
    open = ',';
  }
  gg_str_puts(out, " ]");
}

static gg_layout some_layout(void) {
  static const char *const shapes[] = {"(4,8)", "(4,(2,3))", "((2,2),(4,2),3)", "((4,(2,2)),5)"};
  gg_layout a;
  ck_assert(!gg_tuple_parse(&a.shape, shapes[below(4)], NULL));
  a.stride = a.shape;
  GG_EACH_LEAF(i, &a.shape) {
    a.shape.nodes[i].value = 1 + below(6);
    a.stride.nodes[i].value = below(40);
  }
  return a;
}

/* One layout in the notation, as a C++ type, as C++ functions, in Python: the same layout. */
START_TEST(test_languages_agree) {
  draws_restart();
  for (int round = 0; round < rounds; round++) {
    gg_layout a = some_layout();
    gg_str texts[3] = {GG_STR_INIT, GG_STR_INIT, GG_STR_INIT};
    const char *plain = gg_layout_text(&a).text;
    char expected[160];
    snprintf(expected, sizeof expected, "%s", plain);
    gg_str_puts(&texts[0], "Layout<");
    put_type(&texts[0], &a.shape, 0, "Shape");
    gg_str_puts(&texts[0], ", ");
    put_type(&texts[0], &a.stride, 0, "Stride");
    gg_str_puts(&texts[0], ">{}");
    gg_str_puts(&texts[1], "cute.make_layout(");
    put_list(&texts[1], &a.shape, 0);
    gg_str_puts(&texts[1], ", stride=");
    put_list(&texts[1], &a.stride, 0);
    gg_str_puts(&texts[1], ")");
    gg_str_printf(&texts[2], "gmem_ptr[16b](0x7f00) o %s", plain);
    for (int i = 0; i < 3; i++) {
      char *got = evaluate(gg_str_text(&texts[i]));
      const char *layout = strncmp(got, "0 o ", 4) == 0 ? got + 4 : got;
      CHECK(strcmp(layout, expected) == 0, gg_str_text(&texts[i]));
      gg_free(got);
      gg_str_free(&texts[i]);
    }
  }
}
END_TEST

/* ---- Coordinates --------------------------------------------------------------------------- */

/* Of plain, swizzled and smem_ptr layouts and tensors: at the coordinate of an index is what is at
 * the index, and a slice holds what the tensor has there. */
START_TEST(test_coordinates_and_indices_agree) {
  draws_restart();
  for (int round = 0; round < rounds; round++) {
    gg_layout a = some_layout();
    gg_composed composed = gg_composed_of(&a);
    int kind = below(3);
    gg_swizzle sw = {2, below(3), 2 + below(2)};
    if (kind == 1) ck_assert(!gg_composed_make(&composed, sw, below(50), &a, NULL));
    if (kind == 2) ck_assert(!gg_composed_make_smem(&composed, sw, 8 << below(3), &a, NULL));
    gg_tensor tensor = gg_tensor_of(&composed);
    tensor.base = gg_tuple_int(below(100));
    gg_str text = GG_STR_INIT;
    gg_tensor_print(&text, &tensor, GG_NOTATION_PLAIN);
    for (int64_t i = 0; i < gg_composed_size(&composed); i++) {
      gg_tuple index = gg_tuple_int(i), coord, at;
      ck_assert(!gg_idx2crd(&coord, &index, &a.shape, NULL));
      ck_assert(!gg_tensor_crd2idx(&at, &coord, &tensor, NULL));
      CHECK(at.nodes[0].value == gg_tensor_offset(&tensor, i), gg_str_text(&text));
      int64_t base = tensor.base.nodes[0].value;
      if (kind < 2) {
        CHECK(at.nodes[0].value == base + gg_composed_at(&composed, i), gg_str_text(&text));
      }
    }
    gg_str_free(&text);
  }
}
END_TEST

/* ---- Memory -------------------------------------------------------------------------------- */

/* The picture and table of a text, or nothing where memory runs out; then a failure says so. */
static bool show(gg_str *out, const char *text) {
  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_value value;
  gg_tv_view views[GG_TV_VIEWS];
  gg_tensor tensor;
  int count;
  gg_status st = gg_expr_eval(&value, text, NULL, 1, NULL, &arena, &err);
  if (!st) gg_value_print(out, &value, GG_NOTATION_PLAIN);
  if (!st) st = gg_value_views(views, &count, &value, &err);
  if (!st) st = gg_draw_thread_values(out, views, count, false, &err);
  if (!st) st = gg_draw_thread_table(out, views, count, false, &err);
  if (!st && value.kind == GG_VALUE_CONFLICTS) gg_conflicts_table(out, &value.conflicts);
  if (!st && gg_value_as_tensor(&tensor, &value)) {
    st = gg_draw_table(out, &tensor, false, &err);
    if (!st) st = gg_draw_layout(out, &tensor, true, &err);
  }
  ck_assert_msg(!st || st == GG_E_MEMORY || st == GG_E_ATOM_NAME, "%s: %s", text, err.message);
  gg_error_clear(&err);
  gg_arena_free(&arena);
  return !st && !out->failed;
}

/* With any number of allocations: the whole of it, or a failure. */
START_TEST(test_memory_runs_out) {
  static const char *const texts[] = {
      "make_layout((2,4), stride=(4,1)).zipped_divide((1,2))",
      "SM80_16x8x8_F32F16F16F32_TN",
      "bank_conflicts((32,4):(4,1), 128, 32)",
      "Sw<3,3,3> o 0 o (8,4,3):(64,1,8)",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gg_str whole = GG_STR_INIT;
    ck_assert(show(&whole, texts[i]));
    bool done = false;
    for (long allowed = 0; allowed < 3000 && !done; allowed++) {
      gg_str out = GG_STR_INIT;
      gg_alloc_fail_after(allowed);
      done = show(&out, texts[i]);
      gg_alloc_fail_after(-1);
      ck_assert_msg(!done || strcmp(gg_str_text(&out), gg_str_text(&whole)) == 0, "%s: less",
                    texts[i]);
      gg_str_free(&out);
    }
    ck_assert_msg(done, "%s takes more than 3000 allocations", texts[i]);
    gg_str_free(&whole);
  }
}
END_TEST

/* ---- As programs have it ------------------------------------------------------------------- */

START_TEST(test_show) {
  gg_error err = GG_ERROR_INIT;
  gg_str value = GG_STR_INIT, table = GG_STR_INIT, svg = GG_STR_INIT;
  gg_layout_options options = GG_LAYOUT_OPTIONS_INIT;
  ck_assert_int_eq(gg_layout_show(&value, &table, &svg, "(2,4):(4,1)", NULL, &err), GG_OK);
  ck_assert_str_eq(gg_str_text(&value), "(2,4):(4,1)");
  ck_assert_ptr_nonnull(strstr(gg_str_text(&table), "0  1  2  3"));
  ck_assert_int_eq(strncmp(gg_str_text(&svg), "<svg ", 5), 0);
  gg_str_free(&value);
  gg_str_free(&table);
  gg_str_free(&svg);
  ck_assert_int_eq(gg_layout_show(NULL, NULL, NULL, "(2,4):(4,1)", &options, NULL), GG_OK);
  ck_assert_int_eq(gg_layout_show(&value, NULL, &svg, "size((2,4))", NULL, &err),
                   GG_E_LAYOUT_SYNTAX);
  gg_str_free(&value);
  gg_error_clear(&err);
  options.name = "mine", options.line = 7;
  ck_assert_int_eq(gg_layout_show(&value, NULL, NULL, "(2,4", &options, &err), GG_E_LAYOUT_SYNTAX);
  ck_assert_str_eq(err.file, "mine");
  ck_assert_int_eq(err.line, 7);
  ck_assert_int_eq(err.column, 5);
  gg_error_clear(&err);
  options.size = 0;
  ck_assert_int_eq(gg_layout_show(&value, NULL, NULL, "4", &options, &err), GG_E_STRUCT_SIZE);
  gg_error_clear(&err);
  ck_assert_int_eq(gg_layout_show(&value, NULL, NULL, NULL, NULL, &err), GG_E_NULL_ARGUMENT);
  gg_error_clear(&err);
}
END_TEST

/* ---- Main ---------------------------------------------------------------------------------- */

int main(void) {
  draws_begin(20240131);
  Suite *suite = suite_create("calculator");
  TCase *tcase = tcase_create("calculator");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, test_spelling, 0, sizeof spellings / sizeof *spellings);
  tcase_add_test(tcase, test_aliases_are_of_operations);
  tcase_add_test(tcase, test_languages_agree);
  tcase_add_test(tcase, test_coordinates_and_indices_agree);
  tcase_add_test(tcase, test_memory_runs_out);
  tcase_add_test(tcase, test_show);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
