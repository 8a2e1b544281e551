/* Descriptors of tcgen05.mma, held to CuTe's: where each element of a tile is, and what an
 * instruction descriptor says (EMU_UMMA: tests/golden/umma_desc.jsonl). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "emu/isa/umma.h"
#include "suite.h"

enum { leaves_most = 16 };

/* The text behind `"name": ` in a line; NULL: it is not there. */
static const char *value_of(const char *line, const char *name) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\": ", name);
  const char *at = strstr(line, key);
  return at ? at + strlen(key) : NULL;
}

static long number_of(const char *line, const char *name) {
  const char *at = value_of(line, name);
  ck_assert_msg(at != NULL, "no %s in %s", name, line);
  return strtol(at, NULL, 10);
}

static uint64_t out_of(const char *line) {
  return strtoull(value_of(line, "out") + 1, NULL, 16);
}

static bool is(const char *line, const char *name, const char *value) {
  const char *at = value_of(line, name);
  return at && *at == '"' && !strncmp(at + 1, value, strlen(value)) && at[1 + strlen(value)] == '"';
}

/* ---- Shared memory ---------------------------------------------------------------------- */

/* The integers up to the bracket that closes the first one, or one integer. */
static int read_leaves(long out[leaves_most], const char **text) {
  int count = 0, depth = 0;
  const char *at = *text;
  do {
    if (*at == '(' || *at == ')') depth += *at == '(' ? 1 : -1;
    if (*at >= '0' && *at <= '9') {
      char *end;
      ck_assert_int_lt(count, leaves_most);
      out[count++] = strtol(at, &end, 10);
      at = end - 1;
    }
    at++;
  } while (depth);
  *text = at;
  return count;
}

static uint32_t swizzled(uint32_t address, const int sw[3]) {
  uint32_t mask = ((UINT32_C(1) << sw[0]) - 1) << (sw[1] + sw[2]);
  return address ^ (address & mask) >> sw[2];
}

/* Every element of the first instruction's tile stands where CuTe's layout has it. */
static void check_layout(const char *line) {
  int sw[3], bits = (int)number_of(line, "bits"), rows = (int)number_of(line, "mma_tile_MN");
  int k_extent = (int)number_of(line, "mma_tile_K");
  long shape[leaves_most], stride[leaves_most];
  const char *layout = value_of(line, "smem_layout");
  ck_assert_int_eq(sscanf(layout, "\"Sw<%d,%d,%d>", &sw[0], &sw[1], &sw[2]), 3);
  layout = strrchr(strchr(layout, '('), 'o') ? strstr(layout, ") o ") + 4 : NULL;
  int count = read_leaves(shape, &layout);
  layout++;
  ck_assert_int_eq(read_leaves(stride, &layout), count);
  bool along_k = is(line, "major", "K");
  emu_umma_view view;
  const char *why = emu_umma_view_read(&view, out_of(line), along_k);
  ck_assert_msg(!why, "%s: %s", why, line);
  uint32_t start = (uint32_t)number_of(line, "addr");
  for (int i = 0; i < rows * k_extent; i++) {
    long offset = 0, rest = i;
    for (int j = 0; j < count; rest /= shape[j++])
      offset += rest % shape[j] * stride[j];
    uint32_t expected = swizzled(start + (uint32_t)(offset * bits / 8), sw);
    int row = i % rows, k = i / rows, across = along_k ? row : k;
    int along = (along_k ? k : row) * bits / 8;
    uint32_t got = emu_umma_unit(&view, across, along / EMU_UNIT_BYTES) + (uint32_t)along % 16;
    ck_assert_msg(got == expected, "(%d, %d) at 0x%" PRIx32 ", CuTe has it at 0x%" PRIx32 ": %s",
                  row, k, got, expected, line);
  }
}

/* ---- Instructions ----------------------------------------------------------------------- */

static emu_type type_of(const char *line, const char *name) {
  static const struct {
    const char *name;
    emu_type type;
  } types[] = {{"f16", EMU_F16},   {"bf16", EMU_BF16}, {"tf32", EMU_TF32}, {"e4m3", EMU_E4M3},
               {"e5m2", EMU_E5M2}, {"e2m3", EMU_E2M3}, {"e3m2", EMU_E3M2}, {"e2m1", EMU_E2M1},
               {"s8", EMU_S8},     {"u8", EMU_U8},     {"f32", EMU_F32},   {"s32", EMU_S32}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (is(line, name, types[i].name)) return types[i].type;
  }
  ck_abort_msg("the type %s of %s", name, line);
}

static emu_umma_kind kind_of(emu_type a) {
  switch (a) {
  case EMU_F16:
  case EMU_BF16:
    return EMU_UMMA_F16;
  case EMU_TF32:
    return EMU_UMMA_TF32;
  case EMU_S8:
  case EMU_U8:
    return EMU_UMMA_I8;
  default:
    return EMU_UMMA_F8F6F4;
  }
}

/* Whether it was one that the instruction takes. */
static bool check_instruction(const char *line) {
  emu_umma_shape s;
  char why[160];
  long m = number_of(line, "M");
  int group = m > 128 ? 2 : 1;
  emu_type a = type_of(line, "a");
  uint32_t descriptor = (uint32_t)out_of(line);
  if (!emu_umma_shape_read(&s, why, sizeof why, descriptor, kind_of(a), group)) return false;
  ck_assert_int_eq(number_of(line, "sparse"), 0);
  ck_assert_int_eq(number_of(line, "max_shift"), 0);
  ck_assert_int_eq(s.a, a);
  ck_assert_int_eq(s.b, type_of(line, "b"));
  ck_assert_int_eq(s.d, type_of(line, "c"));
  ck_assert_int_eq(s.m, m);
  ck_assert_int_eq(s.n, number_of(line, "N"));
  ck_assert_int_eq(s.negate_a, number_of(line, "a_neg"));
  ck_assert_int_eq(s.negate_b, number_of(line, "b_neg"));
  ck_assert_int_eq(s.saturate, number_of(line, "saturate"));
  ck_assert_int_eq(s.a_along_k, is(line, "a_major", "K"));
  ck_assert_int_eq(s.b_along_k, is(line, "b_major", "K"));
  return true;
}

/* ---- The file --------------------------------------------------------------------------- */

START_TEST(golden) {
  gg_error err = GG_ERROR_INIT;
  char *text;
  size_t length;
  int layouts = 0, instructions = 0, refused = 0;
  ck_assert(!gg_file_read(&text, &length, getenv("EMU_UMMA"), 16 << 20, &err));
  char *save = NULL;
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    if (is(line, "op", "make_umma_desc") && value_of(line, "smem_layout")) {
      check_layout(line);
      layouts++;
    } else if (is(line, "op", "make_instr_desc") && value_of(line, "a_neg")) {
      if (check_instruction(line))
        instructions++;
      else
        refused++;
    }
  }
  gg_free(text);
  ck_assert_int_ge(layouts, 80);
  ck_assert_int_gt(instructions, 30);
  printf("%d layouts, %d instructions, %d that are none\n", layouts, instructions, refused);
}
END_TEST

/* Bits that must be zero, or must not. */
START_TEST(reserved) {
  const uint64_t good = UINT64_C(0x4000404000010000);
  emu_umma_view view;
  ck_assert_ptr_null(emu_umma_view_read(&view, good, true));
  for (int bit = 0; bit < 64; bit++) {
    bool field = bit < 14 || (bit >= 16 && bit < 30) || (bit >= 32 && bit < 46) ||
                 (bit >= 49 && bit < 52) || bit == 62;
    const char *why = emu_umma_view_read(&view, good ^ UINT64_C(1) << bit, true);
    bool swizzle = bit == 63; /* 2 and 4 are one bit apart from 6 */
    ck_assert_msg(field || swizzle ? !why : why != NULL, "bit %d", bit);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("umma");
  TCase *tests = tcase_create("descriptors");
  tcase_add_test(tests, golden);
  tcase_add_test(tests, reserved);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
