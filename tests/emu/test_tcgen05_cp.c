/* tcgen05.cp and tcgen05.shift: where each shape's rows of shared memory come to be in tensor
 * memory, with every swizzle, decompressed or not, in one CTA and in a pair; which lanes a shift
 * and an MMA's .ashift move.
 *
 * A kernel of 128 threads a CTA writes what the test has made to shared memory, numbers to 16
 * columns of tensor memory, runs the instructions, and gives the columns back. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/emu.h"
#include "emu/isa/umma.h"
#include "emu/memory.h"
#include "suite.h"

enum { image_bytes = 32768, lanes = 128, columns = 16 };

typedef struct exchange {
  uint8_t image[image_bytes];
  uint32_t cells[lanes][columns];
} exchange;

typedef struct copy {
  const char *shape;
  int rows, units, bits; /* bits: of elements that become bytes */
  int group, swizzle;    /* swizzle: the field of descriptors */
  int lane, column;
} copy;

#define EACH_SWIZZLE(NAME, ROWS, UNITS, BITS, GROUP, LANE, COLUMN)                                 \
  {NAME, ROWS, UNITS, BITS, GROUP, 0, LANE, COLUMN},                                               \
      {NAME, ROWS, UNITS, BITS, GROUP, 2, LANE, COLUMN},                                           \
      {NAME, ROWS, UNITS, BITS, GROUP, 4, LANE, COLUMN}, {                                         \
    NAME, ROWS, UNITS, BITS, GROUP, 6, LANE, COLUMN                                                \
  }
#define EACH_FORMAT(NAME, ROWS, UNITS, GROUP, LANE, COLUMN)                                        \
  EACH_SWIZZLE(NAME, ROWS, UNITS, 0, GROUP, LANE, COLUMN),                                         \
      EACH_SWIZZLE(NAME, ROWS, UNITS, 6, GROUP, LANE, COLUMN),                                     \
      EACH_SWIZZLE(NAME, ROWS, UNITS, 4, GROUP, LANE, COLUMN)
#define EACH_SHAPE(GROUP)                                                                          \
  EACH_FORMAT("128x256b", 128, 2, GROUP, 0, 4), EACH_FORMAT("4x256b", 4, 2, GROUP, 31, 0),         \
      EACH_FORMAT("4x256b", 4, 2, GROUP, 0, 8), EACH_FORMAT("128x128b", 128, 1, GROUP, 0, 1),      \
      EACH_FORMAT("64x128b.warpx2::02_13", 64, 1, GROUP, 0, 0),                                    \
      EACH_FORMAT("64x128b.warpx2::01_23", 64, 1, GROUP, 0, 12),                                   \
      EACH_FORMAT("32x128b.warpx4", 32, 1, GROUP, 0, 6)

static const copy copies[] = {EACH_SHAPE(1), EACH_SHAPE(2)};

static const char kernel_text[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 data, .param .u64 desc) {\n"
    "  .reg .b32 %%t, %%w, %%i, %%c, %%s, %%base, %%at, %%lane, %%rank, %%id, %%r<4>;\n"
    "  .reg .b64 %%x, %%p, %%d; .reg .pred %%e, %%z; .reg .b16 %%both;\n"
    "  .shared .align 1024 .b8 image[32768];\n"
    "  .shared .align 8 .b64 done; .shared .b32 columns;\n"
    "  mov.u32 %%t, %%tid.x; shr.u32 %%w, %%t, 5; mov.u32 %%rank, %%cluster_ctarank;\n"
    "  ld.param.u64 %%x, [data]; mad.wide.u32 %%x, %%rank, %d, %%x; ld.param.u64 %%d, [desc];\n"
    "  mov.u32 %%s, image; shl.b32 %%i, %%t, 2;\n"
    "copy: cvt.u64.u32 %%p, %%i; add.u64 %%p, %%p, %%x; ld.global.u32 %%c, [%%p];\n"
    "  add.u32 %%base, %%s, %%i; st.shared.u32 [%%base], %%c; add.u32 %%i, %%i, 512;\n"
    "  setp.lt.u32 %%e, %%i, 32768; @%%e bra copy;\n"
    "  setp.ne.u32 %%z, %%w, 0; @%%z bra others;\n"
    "  tcgen05.alloc.cta_group::%d.sync.aligned.shared::cta.b32 [columns], 64;\n"
    "  setp.ne.u32 %%e, %%t, 0; @%%e bra others; mbarrier.init.shared.b64 [done], 1;\n"
    "  fence.mbarrier_init.release.cluster;\n"
    "others: bar.sync 0; ld.shared.u32 %%base, [columns];\n"
    "  shl.b32 %%lane, %%w, 21; add.u32 %%base, %%base, %%lane; shl.b32 %%c, %%t, 4; mov.u32 %%i, 0;\n"
    "fill: add.u32 %%r0, %%c, %%i; tcgen05.st.sync.aligned.32x32b.x1.b32 [%%base], {%%r0};\n"
    "  add.u32 %%base, %%base, 1; add.u32 %%i, %%i, 1; setp.lt.u32 %%e, %%i, 16; @%%e bra fill;\n"
    "  tcgen05.wait::st.sync.aligned; fence.proxy.async.shared::cta;\n"
    "  tcgen05.fence::before_thread_sync; bar.sync 0;\n"
    "  barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
    "  tcgen05.fence::after_thread_sync; ld.shared.u32 %%base, [columns];\n"
    "  or.b32 %%c, %%t, %%rank; setp.ne.u32 %%e, %%c, 0; @%%e bra wait; mov.u32 %%s, done;\n"
    "  %s\n"
    "  mov.b16 %%both, %d;\n"
    "  tcgen05.commit.cta_group::%d.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%%s], %%both;\n"
    "wait: mbarrier.try_wait.parity.shared.b64 %%e, [done], 0; @!%%e bra wait;\n"
    "  tcgen05.fence::after_thread_sync; add.u32 %%base, %%base, %%lane; mov.u32 %%i, 0;\n"
    "  add.u64 %%x, %%x, 32768; mad.wide.u32 %%x, %%t, 64, %%x;\n"
    "read: tcgen05.ld.sync.aligned.32x32b.x4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%base];\n"
    "  tcgen05.wait::ld.sync.aligned; st.global.v4.u32 [%%x], {%%r0, %%r1, %%r2, %%r3};\n"
    "  add.u32 %%base, %%base, 4; add.u64 %%x, %%x, 16; add.u32 %%i, %%i, 4;\n"
    "  setp.lt.u32 %%e, %%i, 16; @%%e bra read;\n"
    "  tcgen05.fence::before_thread_sync; bar.sync 0;\n"
    "  barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
    "  ld.shared.u32 %%base, [columns]; @%%z bra end;\n"
    "  tcgen05.dealloc.cta_group::%d.sync.aligned.b32 %%base, 64;\n"
    "end: ret; }\n";

typedef struct parameters {
  uint64_t data, descriptor;
} parameters;

/* Runs instructions of the group; what the cells were before is lane * 16 + column. */
static void launch(exchange x[2], const char *instructions, int group, uint64_t descriptor,
                   uint64_t seed) {
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  emu_device *device;
  emu_module *module;
  emu_options options = {.arch = 100, .threads = 1, .random = seed != 0, .seed = seed};
  options.severities = emu_severities_all(EMU_SEVERITY_FAULT);
  parameters with = {.descriptor = descriptor};
  unsigned ctas = (unsigned)group;
  emu_launch_config config = {
      .grid = {ctas, 1, 1}, .block = {128, 1, 1}, .cluster = {ctas, 1, 1}, .params = &with};
  gg_str_printf(&text, kernel_text, (int)sizeof(exchange), group, instructions, group == 2 ? 3 : 1,
                group, group);
  ck_assert(!emu_device_open(&device, &options, &err));
  gg_status st = emu_module_load(&module, device, "k.ptx", gg_str_text(&text), text.length, &err);
  ck_assert_msg(!st, "%s: %s", instructions, err.message);
  ck_assert(!emu_memory_alloc(&with.data, device, 2 * sizeof *x, 0, &err));
  ck_assert(!emu_memory_write(device, with.data, x, 2 * sizeof *x, &err));
  st = emu_launch(device, emu_module_kernel(module, "k"), &config, &err);
  ck_assert_msg(!st, "%s: line %d: %s", instructions, err.line, err.message);
  ck_assert(!emu_memory_read(device, x, with.data, 2 * sizeof *x, &err));
  emu_device_close(device);
  gg_str_free(&text);
}

static void fill(exchange x[2], uint64_t seed) {
  uint64_t random = seed + 1;
  for (int i = 0; i < 2 * image_bytes; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    x[i / image_bytes].image[i % image_bytes] = (uint8_t)(random >> 40);
  }
}

static uint32_t before(int lane, int column) {
  return (uint32_t)(lane * columns + column);
}

/* ---- Copies ----------------------------------------------------------------------------- */

/* The row of a lane, as CuTe's copies have them (`ValID` of SM100_UTCCP_*); -1: none. */
static int row_of(const copy *c, int lane) {
  if (c->rows == 128) return lane;
  if (c->rows == 4) return lane % 32 == c->lane ? lane / 32 : -1;
  if (c->rows == 32) return lane % 32;
  return strstr(c->shape, "02_13") ? lane % 64 : lane / 64 * 32 + lane % 32;
}

/* A byte of a row in tensor memory. */
static uint32_t byte_of(const uint8_t *unit, int bits, int at) {
  uint32_t value = 0;
  if (!bits) return unit[at];
  for (int i = 0; i < bits; i++) {
    int from = at * bits + i;
    value |= (uint32_t)(unit[from / 8] >> from % 8 & 1) << i;
  }
  return bits == 4 ? value << 2 : value;
}

static uint32_t expected(const copy *c, const exchange *x, const emu_umma_view *v, int lane,
                         int column) {
  int row = row_of(c, lane), at = column - c->column;
  if (row < 0 || at < 0 || at >= 4 * c->units) return before(lane, column);
  const uint8_t *unit = x->image + emu_umma_unit(v, row, at / 4) - EMU_SHARED_RESERVED;
  uint32_t word = 0;
  for (int i = 0; i < 4; i++)
    word |= byte_of(unit, c->bits, at % 4 * 4 + i) << 8 * i;
  return word;
}

START_TEST(test_copy) {
  static exchange x[2], made[2];
  static const uint32_t widths[] = {16, 0, 128, 0, 64, 0, 32};
  const copy *c = &copies[_i];
  emu_umma_view view;
  uint32_t atom = 8 * widths[c->swizzle];
  uint64_t descriptor = (uint64_t)c->swizzle << 61 | UINT64_C(1) << 46 |
                        (uint64_t)(atom / 16) << 32 | (uint64_t)(atom / 16 * 16) << 16 |
                        EMU_SHARED_RESERVED / 16;
  char text[160];
  snprintf(text, sizeof text,
           "add.u32 %%at, %%base, %d; tcgen05.cp.cta_group::%d.%s%s [%%at], %%d;",
           c->lane << 16 | c->column, c->group, c->shape,
           c->bits == 6   ? ".b8x16.b6x16_p32"
           : c->bits == 4 ? ".b8x16.b4x16_p64"
                          : "");
  ck_assert_ptr_null(emu_umma_view_read(&view, descriptor, true));
  for (uint64_t seed = 0; seed < 2; seed++) {
    fill(made, seed + (uint64_t)_i);
    memcpy(x, made, sizeof x);
    launch(x, text, c->group, descriptor, seed);
    for (int i = 0; i < c->group * lanes * columns; i++) {
      int cta = i / (lanes * columns), lane = i / columns % lanes, column = i % columns;
      uint32_t should = expected(c, &made[cta], &view, lane, column);
      ck_assert_msg(x[cta].cells[lane][column] == should,
                    "%s swizzle %d: CTA %d lane %d column %d is 0x%08x, should be 0x%08x", text,
                    c->swizzle, cta, lane, column, x[cta].cells[lane][column], should);
    }
  }
}
END_TEST

/* ---- Shifts ----------------------------------------------------------------------------- */

typedef struct shift {
  const char *instructions;
  int group, first, end, column; /* lanes; eight columns */
  bool filled;                   /* the last lane of each warp has a row of shared memory */
} shift;

#define MMA(GROUP, ID)                                                                             \
  "mov.u32 %id, " ID "; setp.ne.u32 %e, %t, 0; add.u32 %at, %base, 32;"                            \
  "tcgen05.mma.cta_group::" GROUP ".kind::tf32.ashift [%at], [%base], %d, %id, %e;"

static const shift shifts[] = {
    {"tcgen05.shift.cta_group::1.down [%base];", 1, 0, 32, 0, false},
    {"add.u32 %at, %base, 0x600004; tcgen05.shift.cta_group::1.down [%at];", 1, 96, 128, 4, false},
    {"add.u32 %at, %base, 0x200000; tcgen05.shift.cta_group::2.down [%at];", 2, 32, 64, 0, false},
    {"tcgen05.shift.cta_group::1.down [%base]; add.u32 %at, %base, 0x1f0000;"
     "tcgen05.cp.cta_group::1.4x256b [%at], %d;",
     1, 0, 32, 0, true},
    {MMA("1", "0x08040910"), 1, 0, 128, 0, false},
    {MMA("2", "0x10080910"), 2, 0, 128, 0, false},
};

START_TEST(test_shift) {
  static exchange x[2], made[2];
  const shift *s = &shifts[_i];
  uint64_t descriptor =
      UINT64_C(1) << 46 | UINT64_C(16) << 32 | UINT64_C(8) << 16 | EMU_SHARED_RESERVED / 16;
  for (uint64_t seed = 0; seed < 3; seed++) {
    fill(made, seed);
    memcpy(x, made, sizeof x);
    launch(x, s->instructions, s->group, descriptor, seed);
    for (int i = 0; i < s->group * lanes * columns; i++) {
      int cta = i / (lanes * columns), lane = i / columns % lanes, column = i % columns;
      bool inside = column >= s->column && column < s->column + 8, last = lane % 32 == 31;
      bool moves = inside && lane >= s->first && lane < s->end && !last;
      uint32_t should = before(moves ? lane + 1 : lane, column);
      if (s->filled && inside && last) {
        const uint8_t *row = made[cta].image + lane / 32 * 16 + column / 4 * 128;
        memcpy(&should, row + column % 4 * 4, sizeof should);
      }
      ck_assert_msg(x[cta].cells[lane][column] == should,
                    "%s: CTA %d lane %d column %d is 0x%08x, should be 0x%08x", s->instructions,
                    cta, lane, column, x[cta].cells[lane][column], should);
    }
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("emu tcgen05 copies");
  TCase *tests = tcase_create("copies");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_copy, 0, (int)(sizeof copies / sizeof *copies));
  tcase_add_loop_test(tests, test_shift, 0, (int)(sizeof shifts / sizeof *shifts));
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
