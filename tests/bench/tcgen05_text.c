/* One thread copies tiles into a ring of two stages, another one multiplies them into tensor
 * memory, and all four warps store the sums. */
#include "tcgen05_text.h"

#include <stdio.h>
#include <string.h>

enum {
  stages = 2,
  row_bytes = 128,
  mmas = 4 /* to a tile */,
  factor_bytes = 512 /* of 128 rows */
};
enum { a_factors_at = 256, b_factors_at = 288 /* columns of tensor memory */ };

#define D_F32    (1u << 4)
#define D_S32    (2u << 4)
#define AB(A, B) ((uint32_t)(A) << 7 | (uint32_t)(B) << 10)
#define UE8M0    (1u << 23)

const tcgen05_kind tcgen05_kinds[] = {
    {"k16 f32.f16", "f16", D_F32, 16, 0x83ff83ff, 0x3c003c00, 0, 0},
    {"k16 f32.bf16", "f16", D_F32 | AB(1, 1), 16, 0x807f807f, 0x3f803f80, 0, 0},
    {"k16 f16.f16", "f16", 0, 16, 0x83ff83ff, 0x34003400, 0, 0},
    {"k8 f32.tf32", "tf32", D_F32 | AB(2, 2), 8, 0x807fffff, 0x3f800000, 0, 0},
    {"k32 f32.e4m3", "f8f6f4", D_F32, 32, 0xb7b7b7b7, 0, 0, 0},
    {"k32 f32.e2m3", "f8f6f4", D_F32 | AB(3, 3), 32, 0xffffffff, 0, 0, 0},
    {"k32 f16.e2m1", "f8f6f4", AB(5, 5), 32, 0xffffffff, 0, 0, 0},
    {"k32 s32.s8", "i8", D_S32 | AB(1, 1), 32, 0xffffffff, 0, 0, 0},
    {"mxf8f6f4 k32 e4m3", "mxf8f6f4.block_scale.scale_vec::1X", UE8M0, 32, 0xb7b7b7b7, 0, 1, 127},
    {"mxf4 k64 e2m1", "mxf4.block_scale.scale_vec::2X", UE8M0 | AB(1, 1), 64, 0xffffffff, 0, 2,
     127},
    {"mxf4nvf4 k64 e2m1", "mxf4nvf4.block_scale.scale_vec::4X", AB(1, 1), 64, 0xffffffff, 0, 4,
     0x38},
};
const int tcgen05_kind_count = sizeof tcgen05_kinds / sizeof *tcgen05_kinds;

/* ---- Sizes ------------------------------------------------------------------------------ */

static int tile_bytes(const tcgen05_product *p, int rows) {
  return rows * row_bytes + rows / 128 * factor_bytes * p->kind->factors;
}

/* In shared memory tiles start at multiples of 1024 bytes. */
static int room(const tcgen05_product *p, int rows) {
  return (tile_bytes(p, rows) + 1023) / 1024 * 1024;
}

int tcgen05_smem_bytes(const tcgen05_product *p) {
  return stages * (room(p, TCGEN05_TILE_M) + room(p, p->n));
}

int tcgen05_in_bytes(const tcgen05_product *p) {
  return p->ctas * p->steps * (tile_bytes(p, TCGEN05_TILE_M) + tile_bytes(p, p->n));
}

int tcgen05_out_bytes(const tcgen05_product *p) {
  return p->ctas * TCGEN05_TILE_M * p->ctas * p->n * 4;
}

static uint32_t random_word(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 32);
}

static uint8_t *fill_tile(uint8_t *at, const tcgen05_product *p, int rows, uint64_t *state) {
  for (int i = 0; i < rows * row_bytes; i += 4) {
    uint32_t word = (random_word(state) & p->kind->varying) | p->kind->fixed;
    memcpy(at + i, &word, sizeof word);
  }
  int bytes = tile_bytes(p, rows);
  memset(at + rows * row_bytes, p->kind->factor, (size_t)(bytes - rows * row_bytes));
  return at + bytes;
}

void tcgen05_fill(uint8_t *in, const tcgen05_product *p) {
  uint64_t state = 1;
  for (int i = 0; i < p->ctas * p->steps; i++)
    in = fill_tile(in, p, TCGEN05_TILE_M, &state);
  for (int i = 0; i < p->ctas * p->steps; i++)
    in = fill_tile(in, p, p->n, &state);
}

/* ---- The text --------------------------------------------------------------------------- */

static const char head[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".extern .shared .align 1024 .b8 box[];\n"
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
    "  .reg .pred %p<4>;\n  .reg .b32 %t, %w, %s, %i, %j, %base, %bars, %bar, %parity, %id;\n"
    "  .reg .b32 %r<32>;\n  .reg .b64 %out, %a, %b, %d<4>;\n"
    "  .shared .align 8 .b64 full[2], empty[2], done;\n  .shared .b32 columns;\n"
    "  mov.u32 %t, %tid.x;\n  shr.u32 %w, %t, 5;\n"
    "  setp.ne.u32 %p0, %t, 0;\n  @%p0 bra BEGUN;\n"
    "  mbarrier.init.shared.b64 [full], 1;\n  mbarrier.init.shared.b64 [full+8], 1;\n"
    "  mbarrier.init.shared.b64 [empty], 1;\n  mbarrier.init.shared.b64 [empty+8], 1;\n"
    "  mbarrier.init.shared.b64 [done], 1;\n  fence.mbarrier_init.release.cluster;\n"
    "BEGUN:\n  setp.ne.u32 %p1, %w, 0;\n  @%p1 bra OTHERS;\n"
    "  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [columns], 512;\n"
    "OTHERS:\n  tcgen05.fence::before_thread_sync;\n  bar.sync 0;\n"
    "  tcgen05.fence::after_thread_sync;\n  ld.shared.u32 %base, [columns];\n"
    "  ld.param.u64 %out, [out];\n  mov.u32 %i, 0;\n";

/* The barrier of a step's stage, in the phase of its use of the stage, or of the one before. */
static void put_wait(gg_str *out, const char *label, const char *barriers, int before) {
  gg_str_printf(out,
                "  mov.u32 %%bar, %s;\n  and.b32 %%s, %%i, 1;\n  mad.lo.u32 %%bar, %%s, 8, %%bar;\n"
                "  shr.u32 %%parity, %%i, 1;\n  add.u32 %%parity, %%parity, %d;\n"
                "  and.b32 %%parity, %%parity, 1;\n%s:\n"
                "  mbarrier.try_wait.parity.shared.b64 %%p2, [%%bar], %%parity;\n"
                "  @!%%p2 bra %s;\n",
                barriers, before, label, label);
}

/* To shared memory %r0, from the address in %d0. */
static void put_copy(gg_str *out, int bytes) {
  gg_str_printf(out,
                "  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r0], "
                "[%%d0], %d, [%%bar];\n",
                bytes);
}

static void put_loads(gg_str *out, const tcgen05_product *p) {
  int a = tile_bytes(p, TCGEN05_TILE_M), b = tile_bytes(p, p->n), a_room = room(p, TCGEN05_TILE_M);
  gg_str_printf(out,
                "  @%%p0 bra LOADED;\n  ld.param.u64 %%a, [in];\n  add.u64 %%b, %%a, %d;\n"
                "  mov.u32 %%r1, %%ctaid.y;\n  mad.wide.u32 %%a, %%r1, %d, %%a;\n"
                "  mov.u32 %%r1, %%ctaid.x;\n  mad.wide.u32 %%b, %%r1, %d, %%b;\nLOAD:\n",
                p->ctas * p->steps * a, p->steps * a, p->steps * b);
  put_wait(out, "EMPTY", "empty", 1);
  gg_str_printf(out,
                "  mov.u32 %%bar, full;\n  mad.lo.u32 %%bar, %%s, 8, %%bar;\n"
                "  mbarrier.arrive.expect_tx.shared.b64 _, [%%bar], %d;\n"
                "  mov.u32 %%r0, box;\n  mad.lo.u32 %%r0, %%s, %d, %%r0;\n"
                "  mad.wide.u32 %%d0, %%i, %d, %%a;\n",
                a + b, a_room + room(p, p->n), a);
  put_copy(out, a);
  gg_str_printf(out, "  add.u32 %%r0, %%r0, %d;\n  mad.wide.u32 %%d0, %%i, %d, %%b;\n", a_room, b);
  put_copy(out, b);
  gg_str_printf(out,
                "  add.u32 %%i, %%i, 1;\n  setp.lt.u32 %%p2, %%i, %d;\n  @%%p2 bra LOAD;\n"
                "LOADED:\n",
                p->steps);
}

/* Scale factors of 128 rows go to four columns, in each 32 lanes. */
static void put_factors(gg_str *out, const tcgen05_product *p, const char *descriptor, int rows,
                        int column) {
  int copies = rows / 128 * p->kind->factors;
  gg_str_printf(out, "  and.b64 %%d0, %s, 0x3fff;\n  or.b64 %%d0, %%d0, 0x400800010000;\n",
                descriptor);
  for (int i = 0; i < copies; i++) {
    /* those of 128 rows behind each other; a word of a step's factors stands for all rows */
    int at = i % (rows / 128) * 4 + i / (rows / 128) * (rows / 32);
    gg_str_printf(out,
                  "  add.u64 %%d1, %%d0, %d;\n  add.u32 %%r1, %%base, %d;\n"
                  "  tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r1], %%d1;\n",
                  (rows * row_bytes + i * factor_bytes) / 16, column + at);
  }
}

static void put_mma(gg_str *out, const tcgen05_product *p, int i) {
  const tcgen05_kind *kind = p->kind;
  uint32_t byte = (uint32_t)(i * kind->factors % 4);
  int word = i * kind->factors / 4;
  uint32_t m = kind->factors ? 1u << 27 : (uint32_t)TCGEN05_TILE_M / 16 << 24;
  char factors[64] = "";
  if (kind->factors) {
    snprintf(factors, sizeof factors, "[%%base+%d], [%%base+%d], ",
             a_factors_at + word * TCGEN05_TILE_M / 32, b_factors_at + word * p->n / 32);
  }
  gg_str_printf(out,
                "  add.u64 %%d2, %%a, %d;\n  add.u64 %%d3, %%b, %d;\n  mov.u32 %%id, 0x%08x;\n"
                "  tcgen05.mma.cta_group::1.kind::%s [%%base], %%d2, %%d3, %%id, %s%%p2;\n"
                "  setp.eq.u32 %%p2, %%i, %%i;\n",
                i * 2, i * 2,
                kind->descriptor | m | (uint32_t)p->n / 8 << 17 | byte << 29 | byte << 4,
                kind->kind, factors);
}

static void put_commit(gg_str *out, const char *barrier) {
  gg_str_printf(out,
                "  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%s];\n",
                barrier);
}

static void put_products(gg_str *out, const tcgen05_product *p) {
  gg_str_printf(out, "  setp.ne.u32 %%p1, %%t, 32;\n  @%%p1 bra MULTIPLIED;\nMULTIPLY:\n");
  put_wait(out, "FULL", "full", 0);
  gg_str_printf(out,
                "  tcgen05.fence::after_thread_sync;\n"
                "  mov.u32 %%r0, box;\n  mad.lo.u32 %%r0, %%s, %d, %%r0;\n"
                "  shr.u32 %%r0, %%r0, 4;\n  cvt.u64.u32 %%a, %%r0;\n"
                "  or.b64 %%a, %%a, 0x4000404000010000;\n  add.u64 %%b, %%a, %d;\n"
                "  setp.ne.u32 %%p2, %%i, 0;\n  mov.u32 %%j, 0;\n",
                room(p, TCGEN05_TILE_M) + room(p, p->n), room(p, TCGEN05_TILE_M) / 16);
  if (p->kind->factors) {
    put_factors(out, p, "%a", TCGEN05_TILE_M, a_factors_at);
    put_factors(out, p, "%b", p->n, b_factors_at);
  }
  gg_str_printf(out, "AGAIN:\n");
  for (int i = 0; i < mmas; i++)
    put_mma(out, p, i);
  gg_str_printf(out,
                "  add.u32 %%j, %%j, 1;\n  setp.lt.u32 %%p3, %%j, %d;\n  @%%p3 bra AGAIN;\n"
                "  mov.u32 %%bar, empty;\n  mad.lo.u32 %%bar, %%s, 8, %%bar;\n",
                p->repeat);
  put_commit(out, "%bar");
  gg_str_printf(out,
                "  add.u32 %%i, %%i, 1;\n  setp.lt.u32 %%p2, %%i, %d;\n  @%%p2 bra MULTIPLY;\n"
                "  mov.u32 %%bar, done;\n",
                p->steps);
  put_commit(out, "%bar");
  gg_str_printf(out, "MULTIPLIED:\n");
}

/* A thread's row, 16 columns at a time. */
static void put_epilogue(gg_str *out, const tcgen05_product *p) {
  int pitch = p->ctas * p->n * 4;
  gg_str_printf(out,
                "FINISH:\n  mbarrier.try_wait.parity.shared.b64 %%p2, [done], 0;\n"
                "  @!%%p2 bra FINISH;\n  tcgen05.fence::after_thread_sync;\n"
                "  mov.u32 %%r0, %%ctaid.y;\n  mad.lo.u32 %%r0, %%r0, %d, %%t;\n"
                "  mad.wide.u32 %%out, %%r0, %d, %%out;\n"
                "  mov.u32 %%r0, %%ctaid.x;\n  mad.wide.u32 %%out, %%r0, %d, %%out;\n"
                "  shl.b32 %%r16, %%w, 21;\n  add.u32 %%r16, %%r16, %%base;\n  mov.u32 %%i, 0;\n"
                "STORE:\n  tcgen05.ld.sync.aligned.32x32b.x16.b32 {",
                TCGEN05_TILE_M, pitch, p->n * 4);
  for (int i = 0; i < 16; i++)
    gg_str_printf(out, "%s%%r%d", i ? ", " : "", i);
  gg_str_printf(out, "}, [%%r16];\n  tcgen05.wait::ld.sync.aligned;\n");
  for (int i = 0; i < 16; i += 4)
    gg_str_printf(out, "  st.global.v4.b32 [%%out+%d], {%%r%d, %%r%d, %%r%d, %%r%d};\n", i * 4, i,
                  i + 1, i + 2, i + 3);
  gg_str_printf(out,
                "  add.u64 %%out, %%out, 64;\n  add.u32 %%r16, %%r16, 16;\n"
                "  add.u32 %%i, %%i, 16;\n  setp.lt.u32 %%p2, %%i, %d;\n  @%%p2 bra STORE;\n"
                "  tcgen05.fence::before_thread_sync;\n  bar.sync 0;\n"
                "  setp.ne.u32 %%p1, %%w, 0;\n  @%%p1 bra END;\n"
                "  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%base, 512;\nEND:\n  ret;\n}\n",
                p->n);
}

void tcgen05_write(gg_str *out, const tcgen05_product *p) {
  gg_str_puts(out, head);
  put_loads(out, p);
  put_products(out, p);
  put_epilogue(out, p);
}
