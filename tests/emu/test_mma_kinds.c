/* mma.sync with .kind, of sm_120: where elements, scale factors and a sparse A's metadata are in
 * registers, as CuTe's layouts have them (mma_traits_sm120.hpp), against sums of small integers
 * that every type holds exactly. The arithmetic is held to a model by tests/dots. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/emu.h"
#include "suite.h"

enum { lanes = 32, rows = 16, columns = 8, k_most = 128, a_words = 4, b_words = 4 };

typedef struct product {
  const char *text; /* behind mma.sync.aligned; with the selectors %s */
  const char *a, *b;
  int k, bits; /* of an element in registers */
  bool half;   /* C and D are f16 */
  int factors; /* of a row; 0: there are none */
  bool e4m3_factors;
  int byte_a, thread_a, byte_b, thread_b;
  bool sparse;
} product;

#define PLAIN(type, a, b, half)                                                                    \
  {                                                                                                \
    "kind::f8f6f4.m16n8k32.row.col." type "." a "." b "." type, a, b, 32, 8, half, 0, false, 0, 0, \
        0, 0, false                                                                                \
  }
#define EIGHT(a, b, ...)                                                                           \
  {                                                                                                \
    "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32." a "." b ".f32.ue8m0", a, b,   \
        32, 8, false, 1, false, __VA_ARGS__, false                                                 \
  }
#define FOUR(kind, factors, type, is_e4m3, ...)                                                    \
  {                                                                                                \
    "m16n8k64.row.col.kind::" kind ".f32.e2m1.e2m1.f32." type, "e2m1", "e2m1", 64, 4, false,       \
        factors, is_e4m3, __VA_ARGS__, false                                                       \
  }
#define SPARSE(text, a, b, k, bits, ...)                                                           \
  { "sp::ordered_metadata." text, a, b, k, bits, false, __VA_ARGS__, true }

static const product products[] = {
    PLAIN("f32", "e4m3", "e5m2", false),
    PLAIN("f16", "e2m3", "e2m1", true),
    PLAIN("f32", "e3m2", "e2m3", false),
    PLAIN("f32", "e2m1", "e3m2", false),
    EIGHT("e4m3", "e4m3", 0, 0, 0, 0),
    EIGHT("e2m1", "e3m2", 3, 1, 2, 3),
    EIGHT("e5m2", "e2m3", 1, 0, 3, 1),
    FOUR("mxf4.block_scale", 2, "ue8m0", false, 0, 1, 2, 2),
    FOUR("mxf4.block_scale.scale_vec::2X", 2, "ue8m0", false, 2, 0, 0, 0),
    FOUR("mxf4nvf4.block_scale.scale_vec::2X", 2, "ue8m0", false, 2, 1, 2, 1),
    FOUR("mxf4nvf4.block_scale.scale_vec::4X", 4, "ue4m3", true, 0, 1, 0, 3),
    FOUR("mxf4nvf4.block_scale.scale_vec::4X", 4, "ue8m0", false, 0, 0, 0, 0),
    SPARSE("kind::f8f6f4.m16n8k64.row.col.f32.e4m3.e2m1.f32", "e4m3", "e2m1", 64, 8, 0, false, 0, 0,
           0, 0),
    SPARSE("m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0",
           "e4m3", "e5m2", 64, 8, 1, false, 0, 1, 3, 2),
    SPARSE("m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e3m2.f32.ue8m0", "e2m1", "e3m2",
           64, 8, 1, false, 2, 0, 0, 3),
    SPARSE("m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", "e2m1", "e2m1", 128,
           4, 2, false, 2, 1, 0, 1),
    SPARSE("m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
           "e2m1", "e2m1", 128, 4, 2, false, 0, 0, 2, 0),
    SPARSE("m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
           "e2m1", "e2m1", 128, 4, 4, true, 0, 1, 0, 2),
    SPARSE("m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0",
           "e2m1", "e2m1", 128, 4, 4, false, 0, 0, 0, 0),
};

/* ---- Numbers ---------------------------------------------------------------------------- */

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* Codes of -2 to 2, as they stand in registers: e2m1 in a byte has two zeros below it. */
static uint32_t code_of(const char *type, int value, int bits) {
  static const struct {
    const char *type;
    uint32_t one, two, sign;
  } codes[] = {{"e4m3", 0x38, 0x40, 0x80},
               {"e5m2", 0x3c, 0x40, 0x80},
               {"e2m3", 0x08, 0x10, 0x20},
               {"e3m2", 0x0c, 0x10, 0x20},
               {"e2m1", 0x2, 0x4, 0x8}};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    if (strcmp(codes[i].type, type)) continue;
    uint32_t size = (uint32_t)abs(value), sign = value < 0 ? codes[i].sign : 0;
    uint32_t code = sign | (size == 0 ? 0 : size == 1 ? codes[i].one : codes[i].two);
    return !strcmp(type, "e2m1") && bits == 8 ? code << 2 : code;
  }
  ck_abort_msg("a type without codes");
}

/* 2^power, of -1 to 1. */
static uint32_t factor_code(const product *p, int power) {
  return p->e4m3_factors ? 0x38u + (uint32_t)(8 * power) : 127u + (uint32_t)power;
}

typedef struct operands {
  int a[rows][k_most], b[k_most][columns], c[rows][columns];
  int stored[rows][k_most]; /* of A: all, or of a sparse one half */
  uint64_t metadata[rows];
  int a_power[rows][4], b_power[4][columns];
} operands;

static int draw(uint64_t *random, int most) {
  return (int)(next_random(random) % (2 * (uint32_t)most + 1)) - most;
}

/* Of four elements, or pairs where they are packed, two. */
static void make_sparse(operands *o, const product *p, uint64_t *seed) {
  static const unsigned patterns[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  int each = p->bits == 4 ? 2 : 1;
  memset(o->a, 0, sizeof o->a);
  for (int i = 0; i < rows * 16; i++) {
    int row = i / 16, group = i % 16;
    unsigned indices = patterns[next_random(seed) % 6];
    o->metadata[row] |= (uint64_t)indices << 4 * group;
    for (int j = 0; j < 2 * each; j++) {
      int k = (4 * group + (int)(indices >> j / each * 2 & 3)) * each + j % each;
      o->a[row][k] = o->stored[row][2 * each * group + j];
    }
  }
}

static void draw_all(operands *o, const product *p, uint64_t seed) {
  memset(o, 0, sizeof *o);
  for (int i = 0; i < rows * k_most; i++)
    o->a[i / k_most][i % k_most] = o->stored[i / k_most][i % k_most] = draw(&seed, 2);
  if (p->sparse) make_sparse(o, p, &seed);
  for (int i = 0; i < columns * k_most; i++)
    o->b[i / columns][i % columns] = draw(&seed, 2);
  for (int i = 0; i < rows * columns; i++)
    o->c[i / columns][i % columns] = draw(&seed, 100);
  for (int i = 0; i < rows * 4; i++)
    o->a_power[i / 4][i % 4] = p->factors ? draw(&seed, 1) : 0;
  for (int i = 0; i < columns * 4; i++)
    o->b_power[i / columns][i % columns] = p->factors ? draw(&seed, 1) : 0;
}

/* ---- Registers -------------------------------------------------------------------------- */

/* What a lane is given: words of A, B and C, scale factors of A and B. */
typedef struct given {
  uint32_t a[a_words], b[b_words], c[4], factors[2], metadata, unused;
} given;

/* CuTe's (lane, value) to row + 16 k: ((4,8),(n,2,2)):((16n,1),(16,8,64n)), n elements a word. */
static void put_a(given *g, const product *p, const operands *o, int lane) {
  int n = 32 / p->bits;
  for (int v = 0; v < n * a_words; v++) {
    int at = lane % 4 * 16 * n + lane / 4 + v % n * 16 + v / n % 2 * 8 + v / n / 2 * 64 * n;
    g->a[v / n] |= code_of(p->a, o->stored[at % rows][at / rows], p->bits) << v % n * p->bits;
  }
}

/* To column + 8 k: ((4,8),(n,2)):((8n,1),(8,32n)); of a sparse A four words. */
static void put_b(given *g, const product *p, const operands *o, int lane) {
  int n = 32 / p->bits;
  for (int v = 0; v < n * (p->sparse ? 4 : 2); v++) {
    int at = lane % 4 * 8 * n + lane / 4 + v % n * 8 + v / n * 32 * n;
    g->b[v / n] |= code_of(p->b, o->b[at / columns][at % columns], p->bits) << v % n * p->bits;
  }
}

/* Row + 16 column of accumulators: ((4,8),(2,2)):((32,1),(16,8)). */
static int accumulator_at(int lane, int v) {
  return lane % 4 * 32 + lane / 4 + v % 2 * 16 + v / 2 * 8;
}

static uint32_t half_of(int value) {
  uint32_t size = (uint32_t)abs(value), code = 0;
  if (!size) return 0;
  int top = 31 - __builtin_clz(size);
  code = (uint32_t)(top + 15) << 10 | (size << (10 - top) & 0x3ff);
  return value < 0 ? code | 0x8000 : code;
}

static void put_c(given *g, const product *p, const operands *o, int lane) {
  for (int v = 0; v < 4; v++) {
    int at = accumulator_at(lane, v), value = o->c[at % rows][at / rows];
    float number = (float)value;
    if (p->half) {
      g->c[v / 2] |= half_of(value) << 16 * (v % 2);
    } else {
      memcpy(&g->c[v], &number, sizeof number);
    }
  }
}

/* Factors of A: ((2,2,8),..):((8,0,1),..), two lanes of four, by the thread selector the others;
 * of B ((4,8),..):((0,1),..), one lane of four. What nobody reads is all ones: NaN. */
static void put_factors(given *g, const product *p, const operands *o, int lane) {
  int row = lane % 2 * 8 + lane / 4, column = lane / 4;
  g->factors[0] = g->factors[1] = UINT32_MAX;
  for (int i = 0; i < p->factors; i++) {
    if (lane / 2 % 2 == p->thread_a && p->byte_a + i < 4) {
      int shift = 8 * (p->byte_a + i);
      g->factors[0] &= ~(0xffu << shift);
      g->factors[0] |= factor_code(p, o->a_power[row][i]) << shift;
    }
    if (lane % 4 == p->thread_b && p->byte_b + i < 4) {
      int shift = 8 * (p->byte_b + i);
      g->factors[1] &= ~(0xffu << shift);
      g->factors[1] |= factor_code(p, o->b_power[i][column]) << shift;
    }
  }
}

/* Row (lane / 4) + 8 (lane % 2), its first 32 bits in the lower two of four lanes. */
static void put_metadata(given *g, const operands *o, int lane) {
  g->metadata = (uint32_t)(o->metadata[lane / 4 + lane % 2 * 8] >> lane / 2 % 2 * 32);
}

/* ---- Running ---------------------------------------------------------------------------- */

static const char kernel[] =
    ".version 9.0\n.target sm_120a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .b64 %%i, %%o, %%t; .reg .b32 %%x, %%a<4>, %%b<4>, %%c<4>, %%s<2>, %%e; .reg .b16 %%h<4>;\n"
    "ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out]; mov.u32 %%x, %%tid.x;\n"
    "mul.wide.u32 %%t, %%x, 64; add.u64 %%i, %%i, %%t;\n"
    "mul.wide.u32 %%t, %%x, 16; add.u64 %%o, %%o, %%t;\n"
    "ld.global.v4.b32 {%%a0,%%a1,%%a2,%%a3}, [%%i]; ld.global.v4.b32 {%%b0,%%b1,%%b2,%%b3}, [%%i+16];\n"
    "ld.global.v4.b32 {%%c0,%%c1,%%c2,%%c3}, [%%i+32];\n"
    "ld.global.v2.b32 {%%s0,%%s1}, [%%i+48]; ld.global.b32 %%e, [%%i+56];\n"
    "mov.b16 %%h0, %d; mov.b16 %%h1, %d; mov.b16 %%h2, %d; mov.b16 %%h3, %d;\n"
    "mma.sync.aligned.%s {%s}, {%%a0,%%a1,%%a2,%%a3}, {%s}, {%s}%s%s;\n"
    "st.global.v4.b32 [%%o], {%%c0,%%c1,%%c2,%%c3};\nret;\n}\n";

static gg_status launch(uint32_t out[lanes][4], const given in[lanes], const char *text,
                        gg_error *err) {
  emu_device *device = NULL;
  emu_module *module;
  uint64_t params[2];
  emu_launch_config config = {.grid = {1, 1, 1}, .block = {lanes, 1, 1}, .params = params};
  const emu_options options = {.arch = 120};
  gg_status st = emu_device_open(&device, &options, err);
  if (!st) st = emu_memory_alloc(&params[0], device, lanes * sizeof(given), 16, err);
  if (!st) st = emu_memory_alloc(&params[1], device, lanes * 16, 16, err);
  if (!st) st = emu_memory_write(device, params[0], in, lanes * sizeof(given), err);
  if (!st) st = emu_module_load(&module, device, "test.ptx", text, strlen(text), err);
  if (!st) st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
  if (!st) st = emu_memory_read(device, out, params[1], lanes * 16, err);
  emu_device_close(device);
  return st;
}

static gg_status run(uint32_t out[lanes][4], const product *p, const operands *o, bool registers,
                     gg_error *err) {
  char text[4096], factors[128] = "";
  given in[lanes];
  memset(in, 0, sizeof in);
  for (int lane = 0; lane < lanes; lane++) {
    put_a(&in[lane], p, o, lane);
    put_b(&in[lane], p, o, lane);
    put_c(&in[lane], p, o, lane);
    put_factors(&in[lane], p, o, lane);
    put_metadata(&in[lane], o, lane);
  }
  if (p->factors && registers) {
    snprintf(factors, sizeof factors, ", %%s0, {%%h0, %%h1}, %%s1, {%%h2, %%h3}");
  } else if (p->factors) {
    snprintf(factors, sizeof factors, ", {%%s0}, {%d, %d}, {%%s1}, {%d, %d}", p->byte_a,
             p->thread_a, p->byte_b, p->thread_b);
  }
  const char *c = p->half ? "%c0,%c1" : "%c0,%c1,%c2,%c3";
  snprintf(text, sizeof text, kernel, p->byte_a, p->thread_a, p->byte_b, p->thread_b, p->text, c,
           p->sparse ? "%b0,%b1,%b2,%b3" : "%b0,%b1", c,
           !p->sparse  ? ""
           : registers ? ", {%e}, 0"
                       : ", %e, 0",
           factors);
  return launch(out, in, text, err);
}

/* ---- Tests ------------------------------------------------------------------------------ */

static double expected(const product *p, const operands *o, int row, int column) {
  double sum = o->c[row][column];
  for (int k = 0; k < p->k; k++) {
    int block = p->factors ? k / (p->k / p->factors) : 0;
    int power = o->a_power[row][block] + o->b_power[block][column];
    double scale = power < 0 ? 1.0 / (1 << -power) : 1 << power;
    sum += o->a[row][k] * o->b[k][column] * scale;
  }
  return sum;
}

static void check(const product *p, uint64_t seed, bool registers) {
  operands o;
  uint32_t out[lanes][4];
  gg_error err = GG_ERROR_INIT;
  draw_all(&o, p, seed);
  gg_status st = run(out, p, &o, registers, &err);
  ck_assert_msg(!st, "%s: %s", p->text, err.message);
  for (int i = 0; i < lanes * 4; i++) {
    int lane = i / 4, v = i % 4, at = accumulator_at(lane, v);
    double want = expected(p, &o, at % rows, at / rows);
    float got;
    memcpy(&got, &out[lane][v], sizeof got);
    bool right = p->half ? (out[lane][v / 2] >> 16 * (v % 2) & 0xffff) == half_of((int)want)
                         : (double)got == want;
    ck_assert_msg(right, "%s: row %d, column %d: %g, not %g", p->text, at % rows, at / rows,
                  (double)got, want);
  }
}

START_TEST(test_products) {
  for (uint64_t seed = 1; seed <= 4; seed++) {
    check(&products[_i], seed, false);
    check(&products[_i], seed, true);
  }
}
END_TEST

static const struct {
  product product;
  const char *why;
} wrong[] = {
    {EIGHT("e4m3", "e4m3", 4, 0, 0, 0),
     "the byte selector of A's scale factors is 4: it is 0 to 3"},
    {EIGHT("e4m3", "e4m3", 0, 2, 0, 0),
     "the thread selector of A's scale factors is 2: it is 0 or 1"},
    {EIGHT("e4m3", "e4m3", 0, 0, 0, 4),
     "the thread selector of B's scale factors is 4: it is 0 to 3"},
    {FOUR("mxf4.block_scale", 2, "ue8m0", false, 0, 0, 1, 0),
     "the byte selector of B's scale factors is 1: it is 0 or 2"},
    {FOUR("mxf4nvf4.block_scale.scale_vec::4X", 4, "ue4m3", true, 2, 0, 0, 0),
     "the byte selector of A's scale factors is 2: it is 0"},
};

/* Immediates are refused when the module is loaded, registers when the instruction runs. */
START_TEST(test_wrong_selectors) {
  uint32_t out[lanes][4];
  operands o;
  for (int registers = 0; registers < 2; registers++) {
    gg_error err = GG_ERROR_INIT;
    draw_all(&o, &products[0], 1);
    memset(o.a_power, 0, sizeof o.a_power);
    memset(o.b_power, 0, sizeof o.b_power);
    product p = wrong[_i].product;
    gg_status st = run(out, &p, &o, registers, &err);
    ck_assert_int_eq(st, registers ? GG_E_EMU_ILLEGAL : GG_E_EMU_FORM);
    ck_assert_msg(strstr(err.message, wrong[_i].why), "%s", err.message);
    gg_error_clear(&err);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("mma kinds");
  TCase *tests = tcase_create("products");
  tcase_add_loop_test(tests, test_products, 0, sizeof products / sizeof *products);
  tcase_add_loop_test(tests, test_wrong_selectors, 0, sizeof wrong / sizeof *wrong);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
