/* wmma as kernels: products of every shape and type, loaded and stored by rows and by columns, in
 * global and shared memory, padded or not; the fragments, which are mma.sync's; and what is
 * refused. The arithmetic is mma.sync's, which is held to the hardware elsewhere. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emu/emu.h"
#include "suite.h"

enum { matrix_bytes = 4096, memory_bytes = 4 * matrix_bytes, extent_most = 128, k_most = 128 };

/* ---- Running ---------------------------------------------------------------------------- */

static gg_status launch(emu_device *device, uint8_t memory[memory_bytes], const char *ptx,
                        gg_error *err) {
  emu_module *module;
  uint64_t address;
  emu_launch_config config = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &address};
  gg_status st = emu_memory_alloc(&address, device, memory_bytes, 256, err);
  if (!st) st = emu_memory_write(device, address, memory, memory_bytes, err);
  if (!st) st = emu_module_load(&module, device, "test.ptx", ptx, strlen(ptx), err);
  if (!st) st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
  return st ? st : emu_memory_read(device, memory, address, memory_bytes, err);
}

/* A kernel over %d1, the memory, and %r90, the same in shared memory. */
static gg_status run(uint8_t memory[memory_bytes], const char *code, gg_error *err) {
  emu_device *device;
  emu_options options = {.threads = 1};
  gg_str ptx = GG_STR_INIT;
  gg_str_printf(&ptx,
                ".version 8.0\n.target sm_90a\n.address_size 64\n"
                ".visible .entry k(.param .u64 memory) {\n"
                ".reg .b32 %%r<100>; .reg .f64 %%e<80>; .reg .b64 %%d<9>; .reg .pred %%p<2>;\n"
                ".shared .align 256 .b8 shared[%d];\n"
                "ld.param.u64 %%d1, [memory];\n"
                "mov.u32 %%r90, shared; mov.u32 %%r91, %%laneid; shl.b32 %%r91, %%r91, 2;\n"
                "copy: cvt.u64.u32 %%d2, %%r91; add.u64 %%d2, %%d2, %%d1;\n"
                "add.u32 %%r92, %%r90, %%r91; ld.global.u32 %%r93, [%%d2];\n"
                "st.shared.u32 [%%r92], %%r93; add.u32 %%r91, %%r91, 128;\n"
                "setp.lt.u32 %%p1, %%r91, %d; @%%p1 bra copy; bar.sync 0;\n%s\nret;\n}\n",
                memory_bytes, memory_bytes, code);
  gg_status st = emu_device_open(&device, &options, err);
  if (!st) st = launch(device, memory, gg_str_text(&ptx), err);
  emu_device_close(device);
  gg_str_free(&ptx);
  return st;
}

/* ---- Types ------------------------------------------------------------------------------ */

typedef struct number {
  const char *name;
  int bits;
  int low, high; /* of the values that are drawn */
} number;

static const number f16 = {"f16", 16, -4, 4}, bf16 = {"bf16", 16, -4, 4};
static const number tf32 = {"tf32", 32, -4, 4}, f64 = {"f64", 64, -4, 4}, b1 = {"b1", 1, 0, 1};
static const number s8 = {"s8", 8, -9, 9}, u8 = {"u8", 8, 0, 9}, s4 = {"s4", 4, -8, 7};
static const number u4 = {"u4", 4, 0, 15}, f32 = {"f32", 32, -9, 9}, s32 = {"s32", 32, -9, 9};

/* A small integer's bits. */
static uint64_t encode(const number *type, int value) {
  float single = (float)value;
  double whole = value;
  uint32_t bits;
  uint64_t wide;
  memcpy(&bits, &single, sizeof bits);
  memcpy(&wide, &whole, sizeof wide);
  if (type == &f64) return wide;
  if (type == &f32 || type == &tf32) return bits;
  if (type == &bf16) return bits >> 16;
  if (type != &f16) return (uint64_t)(int64_t)value & (UINT64_MAX >> (64 - type->bits));
  return value ? (bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) | (bits >> 13 & 1023)
               : 0;
}

/* The element's bits stand side by side, the first lowest. */
static void put(uint8_t *memory, const number *type, int index, int value) {
  uint64_t bits = encode(type, value);
  for (int i = 0; i < type->bits; i++) {
    int at = index * type->bits + i;
    memory[at / 8] = (uint8_t)((memory[at / 8] & ~(1 << at % 8)) | (bits >> i & 1) << at % 8);
  }
}

static uint64_t get(const uint8_t *memory, const number *type, int index) {
  uint64_t bits = 0;
  memcpy(&bits, memory + index * type->bits / 8, (size_t)type->bits / 8);
  return bits;
}

/* ---- Products --------------------------------------------------------------------------- */

typedef struct shape {
  int m, n, k;
  const number *operand, *sum;
  int a, b, c;          /* registers */
  bool fixed;           /* A by rows, B by columns */
  const number *result; /* D's type; NULL: C's */
} shape;

static const shape shapes[] = {
    {16, 16, 16, &f16, &f16, 8, 8, 4, false, NULL},  {16, 16, 16, &f16, &f32, 8, 8, 8, false, NULL},
    {32, 8, 16, &f16, &f16, 8, 8, 4, false, NULL},   {32, 8, 16, &f16, &f32, 8, 8, 8, false, NULL},
    {8, 32, 16, &f16, &f16, 8, 8, 4, false, NULL},   {8, 32, 16, &f16, &f32, 8, 8, 8, false, NULL},
    {16, 16, 16, &bf16, &f32, 4, 4, 8, false, NULL}, {32, 8, 16, &bf16, &f32, 8, 2, 8, false, NULL},
    {8, 32, 16, &bf16, &f32, 2, 8, 8, false, NULL},  {16, 16, 8, &tf32, &f32, 4, 4, 8, false, NULL},
    {8, 8, 4, &f64, &f64, 1, 1, 2, false, NULL},     {16, 16, 16, &s8, &s32, 2, 2, 8, false, NULL},
    {16, 16, 16, &u8, &s32, 2, 2, 8, false, NULL},   {32, 8, 16, &u8, &s32, 4, 1, 8, false, NULL},
    {8, 32, 16, &s8, &s32, 1, 4, 8, false, NULL},    {8, 8, 32, &s4, &s32, 1, 1, 2, true, NULL},
    {8, 8, 32, &u4, &s32, 1, 1, 2, true, NULL},      {8, 8, 128, &b1, &s32, 1, 1, 2, true, NULL},
    {16, 16, 16, &f16, &f16, 8, 8, 4, false, &f32},  {8, 32, 16, &f16, &f32, 8, 8, 8, false, &f16},
};
enum { shape_count = sizeof shapes / sizeof *shapes, ways = 32 };

typedef struct matrix {
  int rows, columns, stride;
  bool by_columns;
  const number *type;
  int values[extent_most * k_most];
} matrix;

static int place(const matrix *x, int row, int column) {
  return x->by_columns ? column * x->stride + row : row * x->stride + column;
}

static void fill(matrix *x, uint8_t *memory, bool padded, unsigned *seed) {
  int line = x->by_columns ? x->rows : x->columns;
  int pad = x->type->bits < 16 ? 128 / x->type->bits : 8; /* 16 bytes or more */
  x->stride = line + (padded ? pad : 0);
  for (int i = 0; i < x->rows * x->columns; i++) {
    *seed = *seed * 1103515245 + 12345;
    x->values[i] = x->type->low + (int)(*seed >> 16) % (x->type->high - x->type->low + 1);
    put(memory, x->type, place(x, i / x->columns, i % x->columns), x->values[i]);
  }
}

static int product(const matrix *a, const matrix *b, const matrix *c, int row, int column) {
  int sum = c->values[row * c->columns + column];
  for (int k = 0; k < a->columns; k++) {
    int x = a->values[row * a->columns + k], y = b->values[k * b->columns + column];
    sum += a->type == &b1 ? x ^ y : x * y;
  }
  return sum;
}

static void put_registers(gg_str *out, const number *type, int count, int first) {
  for (int i = 0; i < count; i++) {
    gg_str_printf(out, "%s%%%c%d", i ? ", " : "{", type == &f64 ? 'e' : 'r', first + i);
  }
  gg_str_putc(out, '}');
}

static const char *layout(const matrix *x) {
  return x->by_columns ? "col" : "row";
}

/* Bits of `way`: layouts of A, B, and C and D, whether in shared memory, whether padded. Where it
 * is not padded the stride is not written. */
static void write_kernel(gg_str *out, const shape *s, const matrix *const x[3], int way) {
  const int counts[] = {s->a, s->b, s->c}, first[] = {0, 10, 20};
  const char *space = way & 8 ? ".shared" : way & 1 ? ".global" : "";
  const number *result = s->result ? s->result : s->sum;
  int registers = s->result == &f32 ? 8 : s->result ? 4 : s->c;
  char size[24], stride[3][16] = {"", "", ""};
  snprintf(size, sizeof size, "m%dn%dk%d", s->m, s->n, s->k);
  for (int i = 0; i < 3; i++) {
    if (way & 16) snprintf(stride[i], sizeof stride[i], ", %d", x[i]->stride);
    gg_str_printf(out, "wmma.load.%c.sync.aligned.%s.%s%s.%s ", "abc"[i], layout(x[i]), size, space,
                  x[i] -> type -> name);
    put_registers(out, x[i]->type, counts[i], first[i]);
    gg_str_printf(out, ", [%s+%d]%s;\n", way & 8 ? "%r90" : "%d1", i * matrix_bytes, stride[i]);
  }
  gg_str_printf(out, "wmma.mma%s.sync.aligned.%s.%s.%s.%s", s->operand == &b1 ? ".xor.popc" : "",
                layout(x[0]), layout(x[1]), size, result->name);
  if (s->operand != &f16) gg_str_printf(out, ".%s.%s", s->operand->name, s->operand->name);
  gg_str_printf(out, ".%s ", s->sum->name);
  put_registers(out, result, registers, 30);
  for (int i = 0; i < 3; i++) {
    gg_str_puts(out, ", ");
    put_registers(out, x[i]->type, counts[i], first[i]);
  }
  gg_str_printf(out, ";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%d1+%d], ", layout(x[2]), size,
                result->name, 3 * matrix_bytes);
  put_registers(out, result, registers, 30);
  gg_str_printf(out, "%s;\n", stride[2]);
}

START_TEST(test_products) {
  static uint8_t memory[memory_bytes];
  static matrix a, b, c;
  const shape *s = &shapes[_i / ways];
  int way = _i % ways;
  unsigned seed = (unsigned)_i;
  gg_error err = GG_ERROR_INIT;
  gg_str code = GG_STR_INIT;
  a = (matrix){s->m, s->k, 0, !s->fixed && way & 1, s->operand, {0}};
  b = (matrix){s->k, s->n, 0, s->fixed || way & 2, s->operand, {0}};
  c = (matrix){s->m, s->n, 0, way & 4, s->sum, {0}};
  memset(memory, 0, sizeof memory);
  fill(&a, memory, way & 16, &seed);
  fill(&b, memory + matrix_bytes, way & 16, &seed);
  fill(&c, memory + 2 * matrix_bytes, way & 16, &seed);
  write_kernel(&code, s, (const matrix *const[]){&a, &b, &c}, way);
  const number *result = s->result ? s->result : s->sum;
  gg_status st = run(memory, gg_str_text(&code), &err);
  ck_assert_msg(!st, "%s%s", gg_str_text(&code), err.message);
  for (int i = 0; i < s->m * s->n; i++) {
    int row = i / s->n, column = i % s->n;
    uint64_t got = get(memory + 3 * matrix_bytes, result, place(&c, row, column));
    uint64_t want = encode(result, product(&a, &b, &c, row, column));
    ck_assert_msg(got == want, "%sD(%d, %d) = %#" PRIx64 ", not %#" PRIx64, gg_str_text(&code), row,
                  column, got, want);
  }
  gg_str_free(&code);
}
END_TEST

/* ---- Fragments -------------------------------------------------------------------------- */

/* What lane 4 g + t loads: of element (row, column) the code is 16 * row + column. */
static const struct {
  const char *code; /* leaves eight registers or fewer from %r0 on */
  int stride;       /* of the codes in memory, of 16 bits; 0: of 32 bits, 16 to a row */
  int registers;
  int first[8]; /* of lane 0 */
  int group, thread;
} fragments[] = {
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, "
     "[%d1];",
     16,
     8,
     {0, 128, 8, 136, 0, 128, 8, 136},
     16,
     2},
    {"wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, "
     "[%d1];",
     16,
     8,
     {0, 8, 128, 136, 0, 8, 128, 136},
     16,
     2},
    {"wmma.load.b.sync.aligned.col.m32n8k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, "
     "[%d1];",
     16,
     8,
     {0, 8, 0, 8, 0, 8, 0, 8},
     16,
     2},
    {"wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3}, [%d1];",
     16,
     4,
     {0, 128, 8, 136},
     16,
     2},
    {"wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, "
     "[%d1];",
     0,
     8,
     {0, 1, 128, 129, 8, 9, 136, 137},
     16,
     2},
    {"wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 {%r0, %r1, %r2, %r3}, [%d1], 16;",
     0,
     4,
     {0, 128, 4, 132},
     16,
     1},
    {"wmma.load.b.sync.aligned.col.m16n16k8.global.tf32 {%r0, %r1, %r2, %r3}, [%d1], 16;",
     0,
     4,
     {0, 4, 128, 132},
     16,
     1},
    {"wmma.load.c.sync.aligned.row.m8n32k16.global.s32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, "
     "[%d1], 32;",
     0,
     8,
     {0, 32, 8, 40, 16, 48, 24, 56},
     1,
     64},
};

START_TEST(test_fragments) {
  static uint8_t memory[memory_bytes];
  gg_error err = GG_ERROR_INIT;
  gg_str code = GG_STR_INIT;
  for (uint32_t i = 0; i < 512; i++) {
    uint16_t half = (uint16_t)i;
    memcpy(memory + (fragments[_i].stride ? 2 : 4) * i, fragments[_i].stride ? (void *)&half : &i,
           fragments[_i].stride ? 2 : 4);
  }
  gg_str_printf(&code,
                "%s\nmov.u32 %%r91, %%laneid; mul.wide.u32 %%d2, %%r91, 32; add.u64 %%d2, %%d2, "
                "%%d1;\n",
                fragments[_i].code);
  for (int i = 0; i < fragments[_i].registers; i++) {
    gg_str_printf(&code, "st.global.u32 [%%d2+%d], %%r%d;\n", 3 * matrix_bytes + 4 * i, i);
  }
  ck_assert_msg(!run(memory, gg_str_text(&code), &err), "%s", err.message);
  for (int lane = 0; lane < 32; lane++) {
    for (int i = 0; i < fragments[_i].registers; i++) {
      uint32_t got, want = (uint32_t)(fragments[_i].first[i] + lane / 4 * fragments[_i].group +
                                      lane % 4 * fragments[_i].thread);
      if (fragments[_i].stride) want |= (want + 1) << 16;
      memcpy(&got, memory + 3 * matrix_bytes + lane * 32 + 4 * i, sizeof got);
      ck_assert_msg(got == want, "%s: lane %d register %d: %#x, not %#x", fragments[_i].code, lane,
                    i, got, want);
    }
  }
  gg_str_free(&code);
}
END_TEST

/* ---- What is wrong ---------------------------------------------------------------------- */

static const struct {
  const char *code;
  gg_status status;
  const char *message;
} wrong[] = {
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r0, %r1}, [%d1], 20;", GG_E_EMU_MISALIGNED,
     "a stride of 20 elements, 20 bytes: both are multiples of 8 bytes"},
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r0, %r1}, [%d1+4];", GG_E_EMU_MISALIGNED,
     "both are multiples of 8 bytes"},
    {"mov.u32 %r1, %laneid; wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%e0}, [%d1], %r1;",
     GG_E_EMU_ILLEGAL, "lanes name different matrices"},
    {"wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {%e0, %e1}, [%d1+16368];", GG_E_EMU_BOUNDS,
     "behind the end"},
    {"wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%r0}, [%d1];", GG_E_EMU_FORM, "A is .row"},
    {"wmma.load.a.sync.aligned.row.m8n8k32.global.s8 {%r0}, [%d1];", GG_E_EMU_FORM,
     "no m8n8k32 of this type"},
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%r0, %r1}, [%d1];", GG_E_EMU_FORM,
     "it has 4 registers, not 2"},
    {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.bf16.bf16.f32 {%r0}, {%r1}, {%r2}, {%r3};",
     GG_E_EMU_FORM, "no m16n16k8 of these types"},
    {"wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {%r0, %r1}, {%r1}, {%r2}, {%r0, %r1};",
     GG_E_EMU_FORM, "A is .row and B is .col"},
    {"wmma.store.c.sync.aligned.row.m8n8k32.global.s32 [%d1], {%r0, %r1};", GG_E_EMU_FORM,
     "it stores .d"},
};

START_TEST(test_wrong) {
  static uint8_t memory[memory_bytes];
  gg_error err = GG_ERROR_INIT;
  gg_status st = run(memory, wrong[_i].code, &err);
  ck_assert_msg(st == wrong[_i].status && strstr(err.message, wrong[_i].message), "%s\n%s: %s",
                wrong[_i].code, st ? gg_error_info_of(st)->name : "right", err.message);
  gg_error_clear(&err);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("wmma");
  TCase *tests = tcase_create("wmma");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_products, 0, shape_count * ways);
  tcase_add_loop_test(tests, test_fragments, 0, sizeof fragments / sizeof *fragments);
  tcase_add_loop_test(tests, test_wrong, 0, sizeof wrong / sizeof *wrong);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
