/* Matrix instructions run as kernels: ldmatrix and its kin against their definition, wgmma's
 * descriptors against what an H100 read (wgmma_h100.txt), and what goes wrong where a fence,
 * commit, wait or field is. The arithmetic of mma.sync and wgmma is held to the hardware elsewhere.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emu/emu.h"
#include "suite.h"

#define HEADER ".version %s\n.target sm_%da\n.address_size 64\n"

/* ---- Running a kernel ------------------------------------------------------------------- */

typedef struct job {
  const char *ptx; /* one entry, k(.u64 in, .u64 out), and nothing above it */
  unsigned threads;
  uint64_t smem_bytes;
  const void *in;
  uint64_t in_bytes;
  void *out;
  uint64_t out_bytes;
  bool random;
  uint64_t seed;
  emu_severity severity; /* of all classes of faults */
  int arch;              /* 0: 90 */
} job;

static gg_status launch(emu_device *device, const job *j, gg_error *err) {
  emu_module *module;
  uint64_t pointers[2];
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, HEADER "%s", j->arch ? "9.0" : "8.0", j->arch ? j->arch : 90, j->ptx);
  gg_status st = emu_module_load(&module, device, "test.ptx", gg_str_text(&text),
                                 strlen(gg_str_text(&text)), err);
  gg_str_free(&text);
  if (st) return st;
  emu_launch_config config = {.grid = {1, 1, 1},
                              .block = {j->threads, 1, 1},
                              .smem_bytes = j->smem_bytes,
                              .params = pointers};
  if ((st = emu_memory_alloc(&pointers[0], device, j->in_bytes, 256, err))) return st;
  if ((st = emu_memory_alloc(&pointers[1], device, j->out_bytes, 256, err))) return st;
  if ((st = emu_memory_write(device, pointers[0], j->in, j->in_bytes, err))) return st;
  if ((st = emu_launch(device, emu_module_kernel(module, "k"), &config, err))) return st;
  return emu_memory_read(device, j->out, pointers[1], j->out_bytes, err);
}

static gg_status run(const job *j, gg_error *err) {
  emu_device *device;
  emu_options options = EMU_OPTIONS_INIT;
  options.threads = 1;
  options.random = j->random;
  options.seed = j->seed;
  options.severities = emu_severities_all(j->severity);
  if (j->arch) options.arch = j->arch;
  gg_status st = emu_device_open(&device, &options, err);
  if (st) return st;
  st = launch(device, j, err);
  emu_device_close(device);
  return st;
}

static void run_well(const job *j) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = run(j, &err);
  ck_assert_msg(st == GG_OK, "%s", err.message);
  gg_error_clear(&err);
}

/* ---- ldmatrix, stmatrix, movmatrix ------------------------------------------------------ */

/* Each lane copies 16 bytes of `in` to shared memory and, at the end, its r0 to r3 to `out`. */
#define MATRIX_KERNEL(body)                                                                        \
  ".visible .entry k(.param .u64 a, .param .u64 b) {\n"                                            \
  ".reg .b64 %in, %out, %off; .reg .b32 %t, %s, %r<4>, %v<4>;\n"                                   \
  ".shared .align 16 .b8 tile[512];\n"                                                             \
  "ld.param.u64 %in, [a]; ld.param.u64 %out, [b]; mov.u32 %t, %tid.x;\n"                           \
  "mul.wide.u32 %off, %t, 16; add.u64 %in, %in, %off; add.u64 %out, %out, %off;\n"                 \
  "shl.b32 %t, %t, 4; mov.u32 %s, tile; add.u32 %s, %s, %t;\n"                                     \
  "ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%in];\n"                                                \
  "mov.b32 %r0, 0; mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b32 %r3, 0;\n" body                         \
  "st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};\nret;\n}\n"

#define FILL "st.shared.v4.b32 [%s], {%v0, %v1, %v2, %v3}; bar.warp.sync -1;\n"

static void run_matrix(uint16_t out[256], const char *ptx) {
  uint16_t in[256];
  for (int i = 0; i < 256; i++) {
    in[i] = (uint16_t)i;
  }
  run_well(&(job){
      .ptx = ptx, .threads = 32, .in = in, .in_bytes = sizeof in, .out = out, .out_bytes = 512});
}

/* Element `which` of lane `lane` of matrix m, whose elements are numbered row by row. */
static int matrix_element(int m, int lane, int which, bool transposed) {
  int row = transposed ? lane % 4 * 2 + which : lane / 4;
  int column = transposed ? lane / 4 : lane % 4 * 2 + which;
  return m * 64 + row * 8 + column;
}

static void check_ldmatrix(const char *ptx, int count, bool transposed) {
  uint16_t out[256];
  run_matrix(out, ptx);
  for (int i = 0; i < 256; i++) {
    int lane = i / 8, m = i / 2 % 4;
    int want = m < count ? matrix_element(m, lane, i % 2, transposed) : 0;
    ck_assert_int_eq(out[i], want);
  }
}

START_TEST(test_ldmatrix) {
  check_ldmatrix(MATRIX_KERNEL(FILL "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, "
                                    "[%s];\n"),
                 4, false);
  check_ldmatrix(MATRIX_KERNEL(FILL "ldmatrix.sync.aligned.x2.trans.m8n8.shared::cta.b16 "
                                    "{%r0,%r1}, [%s];\n"),
                 2, true);
  check_ldmatrix(MATRIX_KERNEL(FILL "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%s];\n"), 1,
                 false);
  check_ldmatrix(MATRIX_KERNEL(FILL "cvta.shared.u64 %off, tile; cvt.u64.u32 %in, %t;\n"
                                    "add.u64 %off, %off, %in;\n"
                                    "ldmatrix.sync.aligned.m8n8.x4.b16 {%r0,%r1,%r2,%r3}, "
                                    "[%off];\n"),
                 4, false);
}
END_TEST

/* stmatrix undoes ldmatrix: with the matrices loaded, stored transposed and read by rows, each is
 * transposed. */
START_TEST(test_stmatrix) {
  uint16_t out[256];
  run_matrix(
      out, MATRIX_KERNEL(FILL "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%s];\n"
                              "bar.warp.sync -1;\n"
                              "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%s], "
                              "{%r0,%r1,%r2,%r3};\nbar.warp.sync -1;\n"
                              "ld.shared.v4.b32 {%r0,%r1,%r2,%r3}, [%s];\n"));
  for (int i = 0; i < 256; i++) {
    ck_assert_int_eq(out[i], i / 64 * 64 + i % 8 * 8 + i / 8 % 8);
  }
}
END_TEST

START_TEST(test_movmatrix) {
  uint16_t out[256];
  run_matrix(out, MATRIX_KERNEL(FILL "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%s];\n"
                                     "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;\n"));
  for (int lane = 0; lane < 32; lane++) {
    ck_assert_int_eq(out[lane * 8], matrix_element(0, lane, 0, true));
    ck_assert_int_eq(out[lane * 8 + 1], matrix_element(0, lane, 1, true));
  }
}
END_TEST

/* The shapes of bytes, of sm_100: where the PTX ISA has a byte of a register, as a bit of rows of
 * 128 behind each other, in the order of the lanes that give their addresses. CuTe's traits agree
 * (copy_traits_sm100.hpp), but that of m16n16 they say where bytes are when its copy has exchanged
 * halves of two registers. */
typedef struct byte_shape {
  const char *ptx;
  int registers, bits;
  int lane_strides[2], byte_strides[2],
      register_strides[2]; /* of lane % 4, lane / 4; byte % 2, ... */
} byte_shape;

#define ALONG_ROWS                                                                                 \
  {32, 128}, {8, 16}, {                                                                            \
    1024, 2048                                                                                     \
  }
#define ACROSS_16                                                                                  \
  {512, 8}, {128, 256}, {                                                                          \
    64, 2048                                                                                       \
  }
#define ACROSS_8                                                                                   \
  {256, 8}, {128, 64}, {                                                                           \
    1024, 2048                                                                                     \
  }
#define TWO  "%r0,%r1"
#define FOUR "%r0,%r1,%r2,%r3"
#define LOAD_BYTES(form, list)                                                                     \
  MATRIX_KERNEL(FILL "ldmatrix.sync.aligned." form " {" list "}, [%s];\n")
#define STORE_BYTES(form, list)                                                                    \
  MATRIX_KERNEL("stmatrix.sync.aligned." form " [%s], {" list "};\nbar.warp.sync -1;\n"            \
                "ld.shared.v4.b32 {%r0,%r1,%r2,%r3}, [%s];\n")

static const byte_shape loads_of_bytes[] = {
    {LOAD_BYTES("m8n16.x1.shared.b8x16.b6x16_p32", "%r0"), 1, 6, ALONG_ROWS},
    {LOAD_BYTES("m8n16.x4.shared::cta.b8x16.b4x16_p64", FOUR), 4, 4, ALONG_ROWS},
    {LOAD_BYTES("m16n16.x1.trans.shared.b8", TWO), 2, 8, ACROSS_16},
    {LOAD_BYTES("m16n16.x2.trans.shared.b8", FOUR), 4, 8, ACROSS_16},
    {LOAD_BYTES("m16n16.x2.trans.shared.b8x16.b4x16_p64", FOUR), 4, 4, ACROSS_16},
    {LOAD_BYTES("m16n16.x1.trans.shared.b8x16.b6x16_p32", TWO), 2, 6, ACROSS_16},
};

static const byte_shape stores_of_bytes[] = {
    {STORE_BYTES("m16n8.x1.trans.shared.b8", "%v0"), 1, 8, ACROSS_8},
    {STORE_BYTES("m16n8.x4.trans.shared.b8", "%v0,%v1,%v2,%v3"), 4, 8, ACROSS_8},
};

/* The row and the column in which byte `which` of a lane's registers is. */
static int row_of_byte(int *column, const byte_shape *s, int lane, int which) {
  int at = lane % 4 * s->lane_strides[0] + lane / 4 * s->lane_strides[1] +
           which % 2 * s->byte_strides[0] + which / 2 % 2 * s->byte_strides[1] +
           which / 4 % 2 * s->register_strides[0] + which / 8 * s->register_strides[1];
  *column = at % 128 / 8;
  return at / 128;
}

static void run_bytes(uint8_t out[512], uint8_t in[512], const char *ptx) {
  for (uint32_t i = 0; i < 512; i++) {
    in[i] = (uint8_t)((i + 1) * 2654435761u >> 13);
  }
  run_well(&(job){.ptx = ptx,
                  .threads = 32,
                  .in = in,
                  .in_bytes = 512,
                  .out = out,
                  .out_bytes = 512,
                  .arch = 100});
}

/* Element `column` of a row, whose elements are packed from its first bit on. */
static int element_of_row(const uint8_t *row, int column, int bits) {
  int value = 0;
  for (int i = 0; i < bits; i++) {
    int at = column * bits + i;
    value |= (row[at / 8] >> at % 8 & 1) << i;
  }
  return value;
}

START_TEST(test_load_bytes) {
  uint8_t in[512], out[512];
  const byte_shape *s = &loads_of_bytes[_i];
  run_bytes(out, in, s->ptx);
  for (int i = 0; i < 512; i++) {
    int lane = i / 16, which = i % 16, column, want = 0;
    int row = row_of_byte(&column, s, lane, which);
    if (which < 4 * s->registers) want = element_of_row(in + row * 16, column, s->bits);
    ck_assert_msg(out[i] == want, "lane %d, byte %d: %d, not %d", lane, which, out[i], want);
  }
}
END_TEST

START_TEST(test_store_bytes) {
  uint8_t in[512], out[512];
  const byte_shape *s = &stores_of_bytes[_i];
  run_bytes(out, in, s->ptx);
  for (int i = 0; i < 512; i++) {
    int lane = i / 16, which = i % 16, column;
    int row = row_of_byte(&column, s, lane, which);
    if (which < 4 * s->registers) ck_assert_int_eq(out[row * 16 + column], in[i]);
  }
}
END_TEST

/* ---- Descriptors ------------------------------------------------------------------------ */

enum { image_words = 8192 };

typedef struct line {
  int n, k, a_major, b_major, number;
  char d[8], type[8];
  uint64_t a, b, hash;
} line;

/* The shared memory of the hardware's run: words made of their index and the case's number, as
 * numbers of ordinary size. */
static void make_image(uint32_t *words, const line *l) {
  uint32_t keep = UINT32_MAX, set = 0;
  if (!strcmp(l->type, "f16")) keep = 0x83ff83ff, set = 0x3c003c00;
  if (!strcmp(l->type, "bf16")) keep = 0x807f807f, set = 0x3f803f80;
  if (!strcmp(l->type, "tf32")) keep = 0x807fffff, set = 0x3f800000;
  for (uint32_t i = 0; i < image_words; i++) {
    uint32_t h = i * 2654435761u + (uint32_t)l->number * 97;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    words[i] = (h & keep) | set;
  }
}

static void list_registers(gg_str *out, int count) {
  for (int i = 0; i < count; i++) {
    gg_str_printf(out, "%s%%d%d", i ? "," : "", i);
  }
}

/* in: the image, then descriptors relative to its start; out: the accumulators, a register of all
 * threads after the other. */
static void make_kernel(gg_str *out, const line *l) {
  int count = l->n / 2;
  bool half = !strcmp(l->type, "f16") || !strcmp(l->type, "bf16");
  const char *type = !strcmp(l->d, "s32") ? "s32" : "f32";
  gg_str_printf(out,
                ".extern .shared .align 1024 .b8 dyn[];\n"
                ".visible .entry k(.param .u64 a, .param .u64 b) {\n"
                ".reg .b64 %%in, %%out, %%off, %%x, %%y; .reg .b32 %%t, %%s, %%v, %%i;\n"
                ".reg .pred %%p; .reg .%s %%d<%d>;\n",
                type, count);
  gg_str_printf(out,
                "ld.param.u64 %%in, [a]; ld.param.u64 %%out, [b]; mov.u32 %%t, %%tid.x;\n"
                "mov.u32 %%i, %%t; mov.u32 %%s, dyn; add.u32 %%s, %%s, 1023;\n"
                "and.b32 %%s, %%s, -1024;\n"
                "LOOP:\nmul.wide.u32 %%off, %%i, 4; add.u64 %%off, %%off, %%in;\n"
                "ld.global.b32 %%v, [%%off];\n"
                "shl.b32 %%t, %%i, 2; add.u32 %%t, %%t, %%s; st.shared.b32 [%%t], %%v;\n"
                "add.u32 %%i, %%i, 128; setp.lt.u32 %%p, %%i, %d; @%%p bra LOOP;\n",
                image_words);
  gg_str_printf(out,
                "shr.u32 %%v, %%s, 4; cvt.u64.u32 %%off, %%v;\n"
                "ld.global.u64 %%x, [%%in+%d]; ld.global.u64 %%y, [%%in+%d];\n"
                "add.u64 %%x, %%x, %%off; add.u64 %%y, %%y, %%off;\n"
                "fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned;\n"
                "wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s {",
                image_words * 4, image_words * 4 + 8, l->n, l->k, l->d, l->type, l->type);
  list_registers(out, count);
  gg_str_printf(out, "}, %%x, %%y, 0%s", strcmp(l->d, "s32") ? ", 1, 1" : "");
  if (half) gg_str_printf(out, ", %d, %d", l->a_major, l->b_major);
  gg_str_printf(out, ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
                     "mov.u32 %%t, %%tid.x; mul.wide.u32 %%off, %%t, 4;\n"
                     "add.u64 %%out, %%out, %%off;\n");
  for (int i = 0; i < count; i++) {
    gg_str_printf(out, "st.global.%s [%%out+%d], %%d%d;\n", type, i * 512, i);
  }
  gg_str_printf(out, "ret;\n}\n");
}

static uint64_t hash_of(const uint32_t *words, size_t count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ words[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

static void check_line(const line *l, bool random) {
  static uint32_t in[image_words + 4], out[128 * 128];
  gg_str ptx = GG_STR_INIT;
  make_image(in, l);
  memcpy(in + image_words, &l->a, 8);
  memcpy(in + image_words + 2, &l->b, 8);
  make_kernel(&ptx, l);
  size_t words = (size_t)l->n / 2 * 128;
  run_well(&(job){.ptx = gg_str_text(&ptx),
                  .threads = 128,
                  .smem_bytes = image_words * 4 + 1024,
                  .in = in,
                  .in_bytes = sizeof in,
                  .out = out,
                  .out_bytes = words * 4,
                  .random = random,
                  .seed = (uint64_t)l->number});
  gg_str_free(&ptx);
  ck_assert_msg(hash_of(out, words) == l->hash,
                "m64n%dk%d %s.%s A 0x%016" PRIx64 " B 0x%016" PRIx64, l->n, l->k, l->d, l->type,
                l->a, l->b);
}

START_TEST(test_descriptors) {
  FILE *file = fopen(getenv("EMU_WGMMA"), "r");
  ck_assert_ptr_nonnull(file);
  line l;
  int lines = 0;
  while (fscanf(file, "%d %d %7s %7s %d %d %d %" SCNx64 " %" SCNx64 " %" SCNx64, &l.n, &l.k, l.d,
                l.type, &l.a_major, &l.b_major, &l.number, &l.a, &l.b, &l.hash) == 10) {
    check_line(&l, lines++ % 2);
  }
  fclose(file);
  ck_assert_int_gt(lines, 100);
}
END_TEST

/* ---- What goes wrong -------------------------------------------------------------------- */

/* A correct kernel, a statement a piece: A of ones in registers times B in shared memory. */
static const char *const pieces[] = {
    ".visible .entry k(.param .u64 a, .param .u64 b) {\n"
    ".reg .b64 %in, %out, %off, %desc; .reg .b32 %t, %s, %v, %a<4>; .reg .pred %p;\n"
    ".reg .f32 %d<4>; .shared .align 1024 .b8 tile[2048];\n"
    "ld.param.u64 %in, [a]; ld.param.u64 %out, [b]; mov.u32 %t, %tid.x;\n"
    "mul.wide.u32 %off, %t, 4; add.u64 %in, %in, %off; add.u64 %out, %out, %off;\n"
    "shl.b32 %t, %t, 2; mov.u32 %s, tile; add.u32 %t, %t, %s; ld.global.b32 %v, [%in];\n",
    "st.shared.b32 [%t], %v;\n",
    "shr.u32 %s, %s, 4; cvt.u64.u32 %desc, %s; or.b64 %desc, %desc, 0x0000000800080000;\n",
    "mov.b32 %a0, 0x3c003c00; mov.b32 %a1, %a0; mov.b32 %a2, %a0; mov.b32 %a3, %a0;\n"
    "mov.f32 %d0, 0f00000000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;\n",
    "fence.proxy.async;\n",
    "bar.sync 0;\n",
    "wgmma.fence.sync.aligned;\n",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, "
    "%desc, 1, 1, 1, 0;\n",
    "wgmma.commit_group.sync.aligned;\n",
    "wgmma.wait_group.sync.aligned 0;\n",
    "bar.sync 0;\n",
    "st.global.f32 [%out], %d0;\nret;\n}\n",
};

enum {
  PROLOGUE,
  FILL_TILE,
  DESCRIPTOR,
  OPERANDS,
  PROXY,
  MEET,
  FENCE,
  MMA,
  COMMIT,
  WAIT,
  MEET_AGAIN,
  EPILOGUE,
  PIECES
};

#define AGAIN                                                                                      \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, "       \
  "%desc, 1, 1, 1, 0;\n"

/* The same of columns that lie behind what is written. */
#define BEYOND_OF(a)                                                                               \
  "{ .reg .b64 %beyond; .reg .f32 %e<4>; add.u64 %beyond, %desc, 64;\n"                            \
  "mov.f32 %e0, 0f00000000; mov.f32 %e1, %e0; mov.f32 %e2, %e0; mov.f32 %e3, %e0;\n"               \
  "wgmma.fence.sync.aligned;\n"                                                                    \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%e0,%e1,%e2,%e3}, {" a ",%a1,%a2,%a3}, "     \
  "%beyond, 1, 1, 1, 0; }\n"
#define BEYOND BEYOND_OF("%a0")

/* One piece replaced by another text. */
typedef struct mistake {
  int piece;
  const char *text;
  gg_status status;
  const char *says;
  unsigned threads; /* 0: 128 */
} mistake;

static const mistake mistakes[] = {
    {FENCE, "", GG_E_EMU_RACE, "no wgmma.fence", 0},
    {COMMIT, "", GG_E_EMU_IN_FLIGHT, "touches an accumulator", 0},
    {WAIT, "", GG_E_EMU_IN_FLIGHT, "touches an accumulator", 0},
    {WAIT, "wgmma.wait_group.sync.aligned 1;\n", GG_E_EMU_IN_FLIGHT, "touches an accumulator", 0},
    {COMMIT, "wgmma.commit_group.sync.aligned; mov.b32 %a2, 0;\n", GG_E_EMU_IN_FLIGHT,
     "register 2 of A was written", 0},
    {WAIT, "bar.sync 1; st.shared.b32 [%t], %v;\n", GG_E_EMU_IN_FLIGHT, "has yet to read", 0},
    {COMMIT, "wgmma.commit_group.sync.aligned; st.shared.b32 [%t], %v;\n", GG_E_EMU_RACE,
     "no barrier, wait or flag", 0},
    {WAIT, "wgmma.wait_group.sync.aligned 0; add.f32 %d1, %d1, %d1;\n" AGAIN, GG_E_EMU_RACE,
     "accumulator register 1 was accessed since the last wgmma.fence", 0},
    {PROXY, "", GG_E_EMU_RACE, "", 0},
    {MEET, "", GG_E_EMU_RACE, "no barrier, wait or flag", 0},
    {DESCRIPTOR,
     "shr.u32 %s, %s, 4; cvt.u64.u32 %desc, %s; or.b64 %desc, %desc, 0x0010000800080000;\n",
     GG_E_EMU_DESCRIPTOR, "must be zero", 0},
    {DESCRIPTOR, "cvt.u64.u32 %desc, %t;\n", GG_E_EMU_DESCRIPTOR, "in lane 0", 0},
    {DESCRIPTOR,
     "shr.u32 %s, %s, 4; cvt.u64.u32 %desc, %s; or.b64 %desc, %desc, 0x000000083fff0000;\n",
     GG_E_EMU_BOUNDS, "the descriptor of B reaches", 0},
    {DESCRIPTOR, "mov.b64 %desc, 0x0000000800080000;\n", GG_E_EMU_BOUNDS,
     "the descriptor of B reaches", 0},
    {DESCRIPTOR,
     "shr.u32 %s, %s, 4; cvt.u64.u32 %desc, %s; or.b64 %desc, %desc, 0x0000000800200000;\n",
     GG_E_EMU_UNDEFINED, "nobody has written", 0},
    /* A column of B of which nothing is written, past a matrix's edge; half of one; all of B. */
    {FILL_TILE,
     "mov.u32 %a0, %tid.x; shr.u32 %a0, %a0, 2; and.b32 %a0, %a0, 7; setp.ne.u32 %p, %a0, 3;\n"
     "@%p st.shared.b32 [%t], %v;\n",
     GG_OK, "", 0},
    {FILL_TILE,
     "mov.u32 %a0, %tid.x; shr.u32 %a0, %a0, 2; setp.ne.u32 %p, %a0, 3;\n"
     "@%p st.shared.b32 [%t], %v;\n",
     GG_E_EMU_UNDEFINED, "nobody has written", 0},
    {FILL_TILE, "", GG_E_EMU_UNDEFINED, "nobody has written", 0},
    /* Columns beyond the edge, all of a second wgmma's: of the same A, and of another. */
    {MMA, AGAIN BEYOND, GG_OK, "", 0},
    {MMA, AGAIN "mov.b32 %v, 0x40004000;\n" BEYOND_OF("%v"), GG_E_EMU_UNDEFINED,
     "nobody has written", 0},
    {MMA, BEYOND, GG_E_EMU_UNDEFINED, "nobody has written", 0},
    {PROLOGUE, NULL, GG_E_EMU_CONVERGENCE, "a warpgroup is 4 warps", 64},
    {MMA,
     "setp.gt.u32 %p, %t, %s;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
     "{%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, %desc, %p, 1, 1, 0;\n",
     GG_OK, "", 0},
    {MMA,
     "mov.u32 %v, %laneid; setp.gt.u32 %p, %v, 5;\n"
     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, "
     "%desc, %p, 1, 1, 0;\n",
     GG_E_EMU_CONVERGENCE, "scale-d differs", 0},
    {MMA, AGAIN AGAIN, GG_OK, "", 0},
    {COMMIT, "mov.f32 %d3, %d2; wgmma.commit_group.sync.aligned;\n", GG_OK, "", 0},
    {MMA,
     "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, "
     "%desc, 1, 1, 1, 0;\n",
     GG_E_EMU_FORM, "its k is 16, not 8", 0},
    {MMA,
     "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, "
     "%desc, 1, 1, 1, 0;\n",
     GG_E_EMU_FORM, "n cannot be 12", 0},
    {MMA,
     "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, "
     "%desc, 1, 1, 1, 0;\n",
     GG_E_EMU_FORM, "has 8 registers, not 4", 0},
    {MMA,
     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, "
     "%desc, 1, 2, 1, 0;\n",
     GG_E_EMU_FORM, "1 or -1 are allowed", 0},
    {MMA,
     "mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0}, {%a1}, "
     "{%d0,%d1,%d2,%d3};\n",
     GG_E_EMU_FORM, "no m16n8k4 of these types", 0},
    {MMA,
     "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, "
     "{%a0,%a1}, {%a2,%a3}, {%d0,%d1,%d2,%d3}, %a0, 0;\n",
     GG_E_EMU_DESCRIPTOR, "sparse metadata of row 0", 0},
    {MMA,
     "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, "
     "{%a0,%a1}, {%a2,%a3}, {%d0,%d1,%d2,%d3}, %a0, 4;\n",
     GG_E_EMU_FORM, "the sparsity selector is 4; 0 to 3", 0},
};

static void make_mistake(gg_str *out, const mistake *m) {
  for (int i = 0; i < PIECES; i++) {
    gg_str_printf(out, "%s", m && m->text && i == m->piece ? m->text : pieces[i]);
  }
}

static gg_status run_mistake(const mistake *m, bool random, uint64_t seed, emu_severity severity,
                             gg_error *err, float out[128]) {
  uint32_t in[128];
  gg_str ptx = GG_STR_INIT;
  for (int i = 0; i < 128; i++) {
    in[i] = 0x3c003c00;
  }
  make_mistake(&ptx, m);
  unsigned threads = m && m->threads ? m->threads : 128;
  gg_status st = run(&(job){.ptx = gg_str_text(&ptx),
                            .threads = threads,
                            .in = in,
                            .in_bytes = sizeof in,
                            .out = out,
                            .out_bytes = threads * 4,
                            .random = random,
                            .seed = seed,
                            .severity = severity},
                     err);
  gg_str_free(&ptx);
  return st;
}

START_TEST(test_no_mistake) {
  float out[128];
  for (uint64_t seed = 0; seed < 20; seed++) {
    gg_error err = GG_ERROR_INIT;
    gg_status st = run_mistake(NULL, seed > 0, seed, EMU_SEVERITY_FAULT, &err, out);
    ck_assert_msg(st == GG_OK, "%s", err.message);
    for (int i = 0; i < 128; i++) {
      ck_assert(out[i] == 16);
    }
    gg_error_clear(&err);
  }
}
END_TEST

START_TEST(test_mistake) {
  const mistake *m = &mistakes[_i];
  float out[128];
  gg_error err = GG_ERROR_INIT;
  gg_status st = run_mistake(m, false, 0, EMU_SEVERITY_FAULT, &err, out);
  ck_assert_msg(st == m->status && strstr(err.message, m->says), "mistake %d: %d, %s", _i, (int)st,
                err.message);
  gg_error_clear(&err);
}
END_TEST

/* With warnings alone, what has a class is gone past; so it is where nothing is looked for. */
START_TEST(test_tolerated) {
  float out[128];
  for (emu_severity severity = EMU_SEVERITY_OFF; severity <= EMU_SEVERITY_WARN; severity++) {
    gg_error err = GG_ERROR_INIT;
    gg_status st = run_mistake(&mistakes[_i], false, 0, severity, &err, out);
    ck_assert_msg(emu_fault_class_of(st) == EMU_CLASS_ALWAYS, "mistake %d: %s", _i, err.message);
    gg_error_clear(&err);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("matrix");
  TCase *tests = tcase_create("kernels");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_ldmatrix);
  tcase_add_test(tests, test_stmatrix);
  tcase_add_test(tests, test_movmatrix);
  tcase_add_loop_test(tests, test_load_bytes, 0, sizeof loads_of_bytes / sizeof *loads_of_bytes);
  tcase_add_loop_test(tests, test_store_bytes, 0, sizeof stores_of_bytes / sizeof *stores_of_bytes);
  tcase_add_test(tests, test_descriptors);
  tcase_add_test(tests, test_no_mistake);
  tcase_add_loop_test(tests, test_tolerated, 0, sizeof mistakes / sizeof *mistakes);
  tcase_add_loop_test(tests, test_mistake, 0, (int)(sizeof mistakes / sizeof *mistakes));
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
