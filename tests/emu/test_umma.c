/* Descriptors of tcgen05.mma, held to CuTe's: where each element of a tile is, what an instruction
 * descriptor says (EMU_UMMA: tests/golden/umma_desc.jsonl), where scale factors are in tensor
 * memory (EMU_TMEM: tests/golden/tmem.jsonl), and a sparse A's metadata (EMU_TMEM_E: tmem_e.jsonl).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "emu/isa/tcgen05_scale.h"
#include "emu/isa/tcgen05_sparse.h"
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
  } types[] = {{"f16", EMU_F16},        {"bf16", EMU_BF16},   {"tf32", EMU_TF32},
               {"e4m3", EMU_E4M3},      {"e5m2", EMU_E5M2},   {"e2m3", EMU_E2M3},
               {"e3m2", EMU_E3M2},      {"e2m1", EMU_E2M1},   {"s8", EMU_S8},
               {"u8", EMU_U8},          {"f32", EMU_F32},     {"s32", EMU_S32},
               {"e2m1_mxf4", EMU_E2M1}, {"ue8m0", EMU_UE8M0}, {"ue4m3", EMU_UE4M3}};
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
  emu_umma_form form = {kind_of(a), group, .sparse = number_of(line, "sparse")};
  if (!emu_umma_shape_read(&s, why, sizeof why, descriptor, &form)) return false;
  ck_assert_int_eq(s.sparse, number_of(line, "sparse"));
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

/* An id of scale factors: bits 30 and 31 of their address, where the line has it. */
static int id_of(const char *line, const char *name) {
  return value_of(line, name) ? (int)((unsigned long)number_of(line, name) >> 30) : 0;
}

/* With scale factors: whether it was one that the instruction takes; what it does not take, it
 * should not. */
static bool check_scaled(const char *line, uint32_t descriptor) {
  emu_umma_shape s;
  char why[160];
  emu_type a = type_of(line, "a"), b = type_of(line, "b"), scale = type_of(line, "sf");
  bool packed = is(line, "a", "e2m1_mxf4"), a_along_k = is(line, "a_major", "K");
  bool b_along_k = is(line, "b_major", "K");
  long m = number_of(line, "M"), n = number_of(line, "N");
  int group = m > 128 ? 2 : 1, factors = !packed ? 1 : scale == EMU_UE4M3 ? 4 : 2;
  int a_id = id_of(line, "tmem_sfa"), b_id = id_of(line, "tmem_sfb");
  emu_umma_kind kind = !packed              ? EMU_UMMA_MXF8F6F4
                       : scale == EMU_UE8M0 ? EMU_UMMA_MXF4
                                            : EMU_UMMA_MXF4NVF4;
  bool good = !(value_of(line, "sparse_id2") && number_of(line, "sparse_id2")) &&
              a_id % factors == 0 && b_id % factors == 0 &&
              (a_along_k || emu_type_of(a)->bits == 8) &&
              (b_along_k || (emu_type_of(b)->bits == 8 && n % (16 * group) == 0));
  emu_umma_form form = {kind, group, factors, .sparse = number_of(line, "sparse")};
  bool taken = emu_umma_shape_read(&s, why, sizeof why, descriptor, &form);
  ck_assert_msg(taken == good, "%s: %s", taken ? "taken" : why, line);
  if (!taken) return false;
  ck_assert_int_eq(s.a, a);
  ck_assert_int_eq(s.b, b);
  ck_assert_int_eq(s.scale, scale);
  ck_assert_int_eq(s.m, m);
  ck_assert_int_eq(s.n, n);
  ck_assert_int_eq(s.packed, packed);
  ck_assert_int_eq(s.a_along_k, a_along_k);
  ck_assert_int_eq(s.b_along_k, b_along_k);
  ck_assert_int_eq(s.scale_a_id, a_id);
  ck_assert_int_eq(s.scale_b_id, b_id);
  ck_assert_int_eq(s.negate_a, value_of(line, "a_neg") ? number_of(line, "a_neg") : 0);
  ck_assert_int_eq(s.negate_b, value_of(line, "b_neg") ? number_of(line, "b_neg") : 0);
  return true;
}

/* ---- Scale factors in tensor memory ----------------------------------------------------- */

/* CuTe's layout of scale factors: 32 rows, more rows, copies, elements of one factor, factors of an
 * instruction, one, then instructions along K by two modes. Offsets are bytes; 4 to a column, 2^18
 * to a lane. */
enum { ROW, ROWS, COPY, ELEMENT, FACTOR, REST, STEP, STEPS, MODES };

/* Puts each factor where CuTe has it, and gathers those of each instruction again. */
static void check_scales(const char *line) {
  static uint32_t cells[EMU_TMEM_LANES][EMU_TMEM_COLUMNS];
  static uint8_t written[EMU_TMEM_LANES][EMU_TMEM_COLUMNS];
  long d[leaves_most], stride[leaves_most];
  const char *layout = value_of(line, "layout") + 1;
  ck_assert_int_eq(read_leaves(d, &layout), MODES);
  layout++;
  ck_assert_int_eq(read_leaves(stride, &layout), MODES);
  int rows = (int)(d[ROW] * d[ROWS]), factors = (int)d[FACTOR];
  memset(cells, 0, sizeof cells);
  memset(written, 0, sizeof written);
  for (long i = 0; i < d[ROW] * d[ROWS] * d[COPY] * d[FACTOR] * d[STEP] * d[STEPS]; i++) {
    long at[MODES] = {0}, rest = i, offset = 0;
    static const int order[] = {ROW, ROWS, COPY, FACTOR, STEP, STEPS};
    for (int j = 0; j < 6; rest /= d[order[j++]])
      at[order[j]] = rest % d[order[j]];
    for (int j = 0; j < MODES; j++)
      offset += at[j] * stride[j];
    uint32_t code = (uint32_t)(at[ROW] * 3 + at[ROWS] * 29 + at[FACTOR] * 67 + at[STEP] * 101 +
                               at[STEPS] * 131) &
                    0xff;
    cells[offset >> 18][(offset & 0x3ffff) / 4] |= code << offset % 4 * 8;
    written[offset >> 18][(offset & 0x3ffff) / 4] = 1;
  }
  emu_tmem memory = {.cells = cells, .written = written};
  for (long i = 0; i < d[STEP] * d[STEPS]; i++) {
    uint32_t codes[256 * 4];
    long step = i % d[STEP], steps = i / d[STEP];
    long first = step * stride[STEP] + steps * stride[STEPS];
    emu_scale_view v = {"", (int)(first / 4), (int)(first % 4), rows, factors, false};
    emu_tmem_claim claim = {.memory = &memory, .region = emu_scale_region(&v)};
    ck_assert(emu_scale_gather(codes, factors, 1, 1, &v, &claim, 0, rows));
    for (int j = 0; j < rows * factors; j++) {
      int row = j / factors, factor = j % factors;
      uint32_t code =
          (uint32_t)(row % 32 * 3 + row / 32 * 29 + factor * 67 + step * 101 + steps * 131) & 0xff;
      ck_assert_msg(codes[j] == code, "row %d, factor %d, instruction %ld: %s", row, factor, i,
                    line);
    }
  }
}

/* What M and N a sparse A of a pair, a k of 96, integers, and bytes of B along N have. */
START_TEST(extents) {
  static const struct {
    emu_umma_form form;
    uint32_t descriptor;
    bool good;
  } cases[] = {
      {{EMU_UMMA_MXF8F6F4, 2, 1, false, true, 100}, 0x10840004, true},
      {{EMU_UMMA_MXF8F6F4, 2, 1, false, true, 100}, 0x08840004, false}, /* M of 128 */
      {{EMU_UMMA_MXF8F6F4, 2, 1, false, false, 100}, 0x08840000, true},
      {{EMU_UMMA_MXF4, 1, 2, false, true, 100}, 0x08840484, true},
      {{EMU_UMMA_MXF4, 1, 2, false, true, 103}, 0x88840484, false}, /* K of 96 */
      {{EMU_UMMA_MXF4, 1, 2, false, false, 103}, 0x88840480, true},
      {{EMU_UMMA_MXF4, 1, 2, false, false, 100}, 0x88840480, false}, /* of sm_100 */
      {{EMU_UMMA_MXF4, 2, 2, false, false, 103}, 0x88840480, false}, /* M of 128 */
      {{EMU_UMMA_MXF4, 2, 2, false, false, 103}, 0x90840480, true},
      {{EMU_UMMA_F16, 2, 0, false, true, 100}, 0x08040015, true},
      {{EMU_UMMA_F16, 1, 0, true, true, 100}, 0x08200014, true},
      {{EMU_UMMA_F16, 1, 0, true, true, 100}, 0x08400014, false}, /* N of 256 */
      {{EMU_UMMA_I8, 1, 0, false, false, 100}, 0x080c04a0, true},
      {{EMU_UMMA_I8, 2, 0, false, false, 100}, 0x100c04a0, false}, /* N of 48 */
      {{EMU_UMMA_I8, 2, 0, false, false, 100}, 0x101004a0, true},
      {{EMU_UMMA_I8, 1, 0, false, false, 100}, 0x080204a0, true},  /* N of 8 */
      {{EMU_UMMA_I8, 1, 0, false, false, 100}, 0x080a04a0, false}, /* N of 40 */
      {{EMU_UMMA_F16, 1, 0, false, false, 100}, 0x08020010, true}, /* N of 8 */
      {{EMU_UMMA_F16, 1, 0, false, false, 100}, 0x08030010, true}, /* B along N */
      {{EMU_UMMA_F16, 2, 0, false, false, 100}, 0x10020010, false},
      {{EMU_UMMA_F16, 2, 0, false, false, 100}, 0x10040010, true},
      {{EMU_UMMA_F8F6F4, 1, 0, false, false, 100}, 0x08020010, true},
      {{EMU_UMMA_F8F6F4, 1, 0, false, false, 100}, 0x08030010, false}, /* B along N */
      {{EMU_UMMA_F8F6F4, 1, 0, false, false, 100}, 0x08050010, true},
      {{EMU_UMMA_F8F6F4, 2, 0, false, false, 100}, 0x08040010, true},
      {{EMU_UMMA_F8F6F4, 2, 0, false, false, 100}, 0x08050010, false},
      {{EMU_UMMA_F8F6F4, 2, 0, false, false, 100}, 0x08090010, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emu_umma_shape s;
    char why[160] = "";
    bool taken = emu_umma_shape_read(&s, why, sizeof why, cases[i].descriptor, &cases[i].form);
    ck_assert_msg(taken == cases[i].good, "case %zu: %s", i, taken ? "taken" : why);
  }
}
END_TEST

START_TEST(scale_factors) {
  gg_error err = GG_ERROR_INIT;
  char *text, *save = NULL;
  size_t length;
  int count = 0;
  ck_assert(!gg_file_read(&text, &length, getenv("EMU_TMEM"), 16 << 20, &err));
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    if (!is(line, "op", "tmem_SFA") && !is(line, "op", "tmem_SFB")) continue;
    check_scales(line);
    count++;
  }
  gg_free(text);
  ck_assert_int_ge(count, 14);
}
END_TEST

/* ---- Metadata in tensor memory ---------------------------------------------------------- */

/* The offset of an element of A in CuTe's layout, whose first modes are rows, k, copies of them,
 * and last instructions along K. */
typedef struct meta_layout {
  long shape[leaves_most], stride[leaves_most];
  int count, rows, k, copies;
  int unit; /* of offsets, in halves of bits */
} meta_layout;

static void read_meta_layout(meta_layout *out, const char *line) {
  const char *text = value_of(line, "layout") + 1;
  out->count = read_leaves(out->shape, &text);
  text++;
  ck_assert_int_eq(read_leaves(out->stride, &text), out->count);
  out->rows = (int)number_of(line, "M");
  out->k = (int)number_of(line, "K");
  out->unit = (int)number_of(line, "unit_half_bits");
  long size = 1;
  for (int i = 0; i < out->count; i++)
    size *= out->shape[i];
  out->copies = (int)(size / out->rows / out->k / number_of(line, "steps"));
}

/* In bits of a lane's 2^21. */
static long meta_bit(const meta_layout *l, int row, int k, int copy, int step) {
  long at = row + (long)l->rows * (k + (long)l->k * (copy + (long)l->copies * step)), offset = 0;
  for (int i = 0; i < l->count; at /= l->shape[i++])
    offset += at % l->shape[i] * l->stride[i];
  return offset * l->unit / 2;
}

/* Which of the patterns a group of elements has. */
static int pattern_of(int row, int group, int step) {
  return row * 3 + row / 16 + group * 5 + step * 2;
}

/* Puts the metadata of each row's groups where CuTe has them, and reads that of each instruction
 * again. */
static void check_metadata(const char *line) {
  static const uint32_t patterns[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0x6, 0xe};
  static uint32_t cells[EMU_TMEM_LANES][EMU_TMEM_COLUMNS];
  static uint8_t written[EMU_TMEM_LANES][EMU_TMEM_COLUMNS], columns[EMU_TMEM_LANES * 64];
  meta_layout l;
  int bits = (int)number_of(line, "bits"), steps = (int)number_of(line, "steps");
  int wide = bits == 32 ? 2 : bits == 4 ? 8 : 4; /* elements of a group */
  read_meta_layout(&l, line);
  memset(cells, 0, sizeof cells);
  memset(written, 1, sizeof written);
  int groups = l.k / wide;
  for (int i = 0; i < l.rows * groups * l.copies * steps; i++) {
    int row = i % l.rows, group = i / l.rows % groups;
    int copy = i / l.rows / groups % l.copies, step = i / l.rows / groups / l.copies;
    long at = meta_bit(&l, row, group * wide, copy, step), bit = at % (1 << 21);
    int pattern = pattern_of(row, group, step);
    uint32_t code = bits == 32 ? patterns[pattern % 2 * 6] : patterns[pattern % 7];
    cells[at >> 21][bit / 32] |= code << bit % 32;
  }
  emu_tmem memory = {.cells = cells, .written = written};
  emu_type type = bits == 32 ? EMU_TF32 : bits == 16 ? EMU_F16 : bits == 8 ? EMU_B8 : EMU_E2M1;
  for (int step = 0; step < steps; step++) {
    bool selects = bits >= 16;
    emu_meta_view v = {.sparsity = {type, l.k, selects ? step % 2 : 0, true, true},
                       .column = selects ? step / 2 * 2 : step * 2,
                       .rows = l.rows};
    emu_tmem_claim claim = {.memory = &memory, .region = emu_meta_region(&v)};
    emu_async async = {0};
    claim.async = &async;
    ck_assert(emu_meta_gather(columns, &v, &claim, NULL));
    for (int i = 0; i < l.rows * l.k / 2; i++) {
      int row = i / (l.k / 2), at = i % (l.k / 2), group = at / (wide / 2), rest = at % (wide / 2);
      int pattern = pattern_of(row, group, step), each = bits == 4 ? 2 : 1;
      uint32_t code = patterns[pattern % 7];
      int expected = bits == 32
                         ? group * 2 + pattern % 2
                         : group * wide + (int)(code >> rest / each * 2 & 3) * each + rest % each;
      ck_assert_msg(columns[i] == expected, "row %d, stored element %d, instruction %d: %s", row,
                    at, step, line);
    }
  }
}

START_TEST(metadata) {
  gg_error err = GG_ERROR_INIT;
  char *text, *save = NULL;
  size_t length;
  int count = 0;
  ck_assert(!gg_file_read(&text, &length, getenv("EMU_TMEM_E"), 1 << 20, &err));
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    check_metadata(line);
    count++;
  }
  gg_free(text);
  ck_assert_int_eq(count, 13);
}
END_TEST

/* ---- The file --------------------------------------------------------------------------- */

START_TEST(golden) {
  gg_error err = GG_ERROR_INIT;
  char *text;
  size_t length;
  int layouts = 0, instructions = 0, refused = 0, scaled = 0;
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
    } else if (strstr(line, "block_scaled")) {
      bool runtime = is(line, "op", "make_runtime_instr_desc_block_scaled");
      scaled += check_scaled(line, (uint32_t)(out_of(line) >> (runtime ? 32 : 0)));
    }
  }
  gg_free(text);
  ck_assert_int_ge(layouts, 80);
  ck_assert_int_gt(instructions, 30);
  ck_assert_int_ge(scaled, 20);
  printf("%d layouts, %d instructions, %d with scale factors, %d that are none\n", layouts,
         instructions, scaled, refused);
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

/* Lines of the K of 96 that begin in one buffer and go on in another, whose address the descriptor
 * has (sm_103): the last two units of 128 bytes, then the first of the other. */
START_TEST(absolute) {
  const uint64_t good = UINT64_C(0x4010404000000000) | UINT64_C(0x2000) << 16 | 0x1006;
  emu_umma_view v;
  ck_assert_ptr_null(emu_umma_operand_read(&v, good, true, 103));
  for (int line = 0; line < 16; line++) {
    uint32_t at = (uint32_t)line % 8 * 128 + (uint32_t)line / 8 * 1024, flip = (uint32_t)line % 8;
    ck_assert_uint_eq(emu_umma_unit(&v, line, 0), 0x10000 + at + ((6 ^ flip) << 4));
    ck_assert_uint_eq(emu_umma_unit(&v, line, 1), 0x10000 + at + ((7 ^ flip) << 4));
    ck_assert_uint_eq(emu_umma_unit(&v, line, 2), 0x20000 + at + ((0 ^ flip) << 4));
  }
  ck_assert_ptr_nonnull(emu_umma_operand_read(&v, good, true, 100));
  ck_assert_ptr_nonnull(emu_umma_operand_read(&v, good, false, 103));
  ck_assert_ptr_nonnull(emu_umma_operand_read(&v, good & ~(UINT64_C(7) << 61), true, 103));
  ck_assert_ptr_nonnull(emu_umma_operand_read(&v, good | UINT64_C(1) << 53, true, 103));
  ck_assert_ptr_null(emu_umma_operand_read(&v, good & ~(UINT64_C(1) << 52), true, 103));
}
END_TEST

/* The same of instruction descriptors with scale factors. */
START_TEST(reserved_scaled) {
  static const struct {
    emu_umma_kind kind;
    int factors;
    uint32_t good, free; /* free: bits that may change alone */
  } cases[] = {
      {EMU_UMMA_MXF8F6F4, 1, 0x08900000, 0x60007630},
      {EMU_UMMA_MXF4, 2, 0x08900480, 0x40006020},
      {EMU_UMMA_MXF4NVF4, 4, 0x08900480, 0x00806000},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int bit = 0; bit < 32; bit++) {
      emu_umma_shape s;
      char why[160];
      bool n = bit >= 17 && bit < 23, type = cases[i].kind == EMU_UMMA_MXF8F6F4 && bit == 7;
      bool major = cases[i].kind == EMU_UMMA_MXF8F6F4 && (bit == 15 || bit == 16);
      bool free = cases[i].free >> bit & 1 || (n && bit != 20 && bit != 22) || type || major;
      emu_umma_form form = {cases[i].kind, 1, cases[i].factors, false, false, 100};
      bool taken =
          emu_umma_shape_read(&s, why, sizeof why, cases[i].good ^ UINT32_C(1) << bit, &form);
      ck_assert_msg(taken == free, "kind %d bit %d: %s", (int)cases[i].kind, bit,
                    taken ? "taken" : why);
    }
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("umma");
  TCase *tests = tcase_create("descriptors");
  tcase_add_test(tests, golden);
  tcase_add_test(tests, reserved);
  tcase_add_test(tests, absolute);
  tcase_add_test(tests, reserved_scaled);
  tcase_add_test(tests, extents);
  tcase_add_test(tests, scale_factors);
  tcase_add_test(tests, metadata);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
