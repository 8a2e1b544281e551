/* Bank conflicts of the calculator: what an access by the threads of a layout costs. Random ones
 * are counted a second time, the slow way; the seed is printed, GEMMGEN_SEED sets another. */
#include <string.h>

#include "base/alloc.h"
#include "calculator/expr.h"
#include "draws.h"
#include "layout/calc.h"
#include "suite.h"

enum { rounds = 500 };

#define CHECK(condition, ...)                                                                      \
  ck_assert_msg(condition, "seed %" PRIu64 ": %s: %s", draws_seed, #condition, __VA_ARGS__)

typedef struct conflict {
  const char *expression, *result, *row;
} conflict;

/* clang-format off */
#define LDSM "layoutS_TV(make_tiled_copy_A(SM75_U32x4_LDSM_N, half_t, tiled_mma(SM80_16x8x16_F32F16F16F32_TN)))"
static const conflict conflicts[] = {
    /* ldmatrix of a 16 x 16 tile of f16: rows of 32 bytes, of 128, of 128 swizzled, of 144 */
    {"bank_conflicts(" LDSM ", (16,16):(16,1), half_t, 16)", "(8,4)",
     "0       0-7       0                8      4       2  0-31"},
    {"bank_conflicts(" LDSM ", (16,16):(64,1), half_t, 16)", "(32,4)",
     "0       0-7       0               32      4       8  0-7"},
    {"bank_conflicts(" LDSM ", Sw<3,3,3> o 0 o (16,16):(64,1), half_t, 16)", "(4,4)",
     "0       0-7       0                4      4       1  -"},
    {"bank_conflicts(" LDSM ", smem_atom(K_SW128, half_t).tile_to_shape((16,64)).local_tile((16,16), (0,1)), half_t, 16)", "(4,4)",
     "0       0-7       0                4      4       1  -"},
    {"bank_conflicts(" LDSM ", (16,16):(72,1), half_t)", "(4,4)",
     "0       0-7       0                4      4       1  -"},
    /* the f32 accumulators of a warp, two columns at once, into rows of 256 bytes and of 288 */
    {"bank_conflicts(layoutC_TV(tiled_mma(SM80_16x8x16_F32F16F16F32_TN)), (16,8):(64,1), 32, 8)", "(16,4)",
     "0       0-1       0                8      2       4  0-7"},
    {"bank_conflicts(CLayout(SM80_16x8x16_F32F16F16F32_TN), (16,8):(72,1), 32, 8)", "(4,4)",
     "0       0-1       0                2      2       1  -"},
    /* two warps, the second one's threads every 128 bytes */
    {"bank_conflicts(((32,2),1):((1,32),0), (32,32):(1,32), float)", "(2,2)",
     "0       0         0-1              1      1       1  -"},
    {"bank_conflicts((32,2):(32,1), (1024):(1), float, 4)", "(64,2)",
     "1       1         0               32      1      32  1"},
    /* half a warp, and elements of four bits */
    {"bank_conflicts((16,1):(1,0), (16):(2), float)", "(1,1)",
     "0       0         0                1      1       1  -"},
    {"bank_conflicts((32,8):(8,1), (256):(1), 4, 4)", "(1,1)",
     "0       0-7       0                1      1       1  -"},
};
/* clang-format on */

START_TEST(test_bank_conflicts) {
  const conflict *c = &conflicts[_i];
  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  gg_value value;
  gg_status st = gg_expr_eval(&value, c->expression, NULL, 1, NULL, &arena, &err);
  ck_assert_msg(!st, "%s: %s", c->expression, err.message);
  gg_value_print(&text, &value, GG_NOTATION_PLAIN);
  ck_assert_msg(strcmp(gg_str_text(&text), c->result) == 0, "%s: %s", c->expression,
                gg_str_text(&text));
  ck_assert_int_eq(value.kind, GG_VALUE_CONFLICTS);
  gg_conflicts_table(&text, &value.conflicts);
  ck_assert_msg(strstr(gg_str_text(&text), c->row), "%s:\n%s", c->expression, gg_str_text(&text));
  gg_str_free(&text);
  gg_arena_free(&arena);
}
END_TEST

/* Distinct words a bank of those lanes that go together, the slow and certain way. */
static int wavefronts_of(const int64_t *address, int lanes, int bytes) {
  int most = 0;
  for (int bank = 0; bank < GG_BANKS; bank++) {
    int64_t words[GG_WARP * 4];
    int count = 0;
    for (int lane = 0; lane < lanes; lane++) {
      for (int64_t byte = address[lane]; address[lane] >= 0 && byte < address[lane] + bytes;
           byte++) {
        bool seen = byte / GG_BANK_BYTES % GG_BANKS != bank;
        for (int i = 0; i < count; i++)
          seen |= words[i] == byte / GG_BANK_BYTES;
        if (!seen) words[count++] = byte / GG_BANK_BYTES;
      }
    }
    if (count > most) most = count;
  }
  return most;
}

/* Random threads over a random swizzled tile, counted twice; and a tile that begins 128 bytes
 * further on costs the same. */
START_TEST(test_conflicts_are_counted) {
  draws_restart();
  for (int round = 0; round < rounds; round++) {
    int bits = 8 << below(3), bytes = bits / 8 << below(3);
    if (bytes > 16) bytes = 16;
    int64_t vector = bytes * 8 / bits, threads = 1 + below(70), strides[] = {1, 2, 3, 8, 16, 17};
    int64_t stride = strides[below(6)] * vector;
    gg_layout tv, smem = gg_layout_flat(threads * stride, 1);
    gg_tuple shape = GG_TUPLE(threads, vector), step = GG_TUPLE(stride, 1);
    ck_assert(!gg_layout_make(&tv, &shape, &step, NULL));
    gg_composed composed;
    gg_swizzle sw = {below(4), 4 - below(2), 3};
    ck_assert(!gg_composed_make_smem(&composed, sw, bits, &smem, NULL));
    gg_tensor tensor = gg_tensor_of(&composed), moved = tensor;
    moved.base = gg_tuple_int(1024 * 8 / bits);
    gg_conflicts c, d;
    gg_error err = GG_ERROR_INIT;
    gg_status st = gg_conflicts_make(&c, &tv, &tensor, bits, bytes, &err);
    CHECK(!st || st == GG_E_LAYOUT_ACCESS, err.message); /* 16 bytes a swizzle of 8 cuts */
    if (st) {
      CHECK(sw.base == 3 && bytes == 16, err.message);
      gg_error_clear(&err);
      continue;
    }
    int taken = 0, lanes = bytes <= 4 ? 32 : 128 / bytes;
    for (int64_t first = 0; first < threads; first += lanes) {
      int64_t address[GG_WARP];
      for (int lane = 0; lane < lanes; lane++) {
        int64_t thread = first + lane;
        bool there = thread < threads && thread / GG_WARP == first / GG_WARP;
        address[lane] = there ? gg_composed_at(&composed, thread * stride) * bits / 8 : -1;
      }
      taken += wavefronts_of(address, lanes, bytes);
    }
    gg_wavefronts total = gg_conflicts_total(&c);
    CHECK(total.taken == taken && total.least <= total.taken, gg_layout_text(&tv).text);
    CHECK((total.banks != 0) == (total.taken > total.least), gg_layout_text(&tv).text);
    ck_assert(!gg_conflicts_make(&d, &tv, &moved, bits, bytes, NULL));
    CHECK(gg_conflicts_total(&d).taken == taken, gg_layout_text(&tv).text);
  }
}
END_TEST

int main(void) {
  draws_begin(20240131);
  Suite *suite = suite_create("conflicts");
  TCase *tcase = tcase_create("conflicts");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, test_bank_conflicts, 0, sizeof conflicts / sizeof *conflicts);
  tcase_add_test(tcase, test_conflicts_are_counted);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
