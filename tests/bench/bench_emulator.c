/* How fast the emulator is: scalar and shared-memory instructions, tensor cores, whole products of
 * 512 x 512 x 512, with all its checks on, on one thread and on two.
 *
 *     bench_emulator DIRECTORY [WORD]     of tests/emu/kernels; lines that contain the word
 *
 * A rate on one thread is by the processor's time, so that other programs disturb it little; on two
 * threads it is by the clock on the wall, and the last figure is the processor's time that two
 * threads take to what one takes: 1 where threads do not hinder each other. Each is the best of
 * several runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "emu/report.h"
#include "gemmgen_runtime.h"
#include "recipe/recipe.h"
#include "tcgen05_text.h"

enum { threads = 128, ctas = 8, runs = 5, extent = 512, memory_bytes = 1 << 16 };

typedef struct settings {
  const char *directory, *word;
} settings;

typedef struct figure {
  double cpu, wall; /* seconds */
  uint64_t instructions, macs;
} figure;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void begin(figure *f) {
  *f = (figure){.cpu = -seconds(CLOCK_PROCESS_CPUTIME_ID), .wall = -seconds(CLOCK_MONOTONIC)};
}

static void end(figure *f) {
  f->cpu += seconds(CLOCK_PROCESS_CPUTIME_ID);
  f->wall += seconds(CLOCK_MONOTONIC);
}

/* ---- Kernels ---------------------------------------------------------------------------- */

typedef struct loop {
  const char *name;
  const char *body;
  int rounds;
  bool hazards_off;
} loop;

static const loop loops[] = {
    {"arithmetic",
     "  fma.rn.f32 %f2, %f2, %f3, %f1;\n"
     "  add.s32 %r3, %r3, %r1;\n"
     "  xor.b32 %r4, %r3, %r2;\n"
     "  shl.b32 %r5, %r4, 2;\n"
     "  mad.lo.s32 %r6, %r5, %r4, %r3;\n"
     "  add.f32 %f1, %f1, %f2;\n",
     20000, false},
    {"branches that part a warp",
     "  and.b32 %r4, %r2, %r1;\n"
     "  setp.eq.u32 %p1, %r4, 0;\n"
     "  @%p1 bra ELSE;\n"
     "  add.s32 %r3, %r3, 1;\n"
     "  bra JOIN;\n"
     "ELSE:\n"
     "  add.s32 %r3, %r3, 2;\n"
     "JOIN:\n"
     "  xor.b32 %r3, %r3, %r4;\n",
     10000, false},
    {"barriers", "  bar.sync 0;\n", 10000, false},
    {"global memory, 16 bytes a lane",
     "  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d3];\n"
     "  add.f32 %f1, %f1, %f2;\n"
     "  st.global.v4.f32 [%d3], {%f1, %f2, %f3, %f4};\n",
     5000, false},
    {"shared memory, a store and a load",
     "  st.shared.f32 [%r7], %f1;\n"
     "  ld.shared.f32 %f2, [%r7];\n"
     "  add.f32 %f1, %f1, %f2;\n",
     5000, false},
    {"the same, no checks for races",
     "  st.shared.f32 [%r7], %f1;\n"
     "  ld.shared.f32 %f2, [%r7];\n"
     "  add.f32 %f1, %f1, %f2;\n",
     5000, true},
    {"inner loop of an f32 product",
     "  ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r8];\n"
     "  ld.shared.v4.f32 {%f5, %f6, %f7, %f8}, [%r7];\n"
     "  fma.rn.f32 %f11, %f1, %f5, %f11;\n  fma.rn.f32 %f12, %f1, %f6, %f12;\n"
     "  fma.rn.f32 %f13, %f1, %f7, %f13;\n  fma.rn.f32 %f14, %f1, %f8, %f14;\n"
     "  fma.rn.f32 %f15, %f2, %f5, %f15;\n  fma.rn.f32 %f16, %f2, %f6, %f16;\n"
     "  fma.rn.f32 %f17, %f2, %f7, %f17;\n  fma.rn.f32 %f18, %f2, %f8, %f18;\n"
     "  fma.rn.f32 %f19, %f3, %f5, %f19;\n  fma.rn.f32 %f20, %f3, %f6, %f20;\n"
     "  fma.rn.f32 %f21, %f3, %f7, %f21;\n  fma.rn.f32 %f22, %f3, %f8, %f22;\n"
     "  fma.rn.f32 %f23, %f4, %f5, %f23;\n  fma.rn.f32 %f24, %f4, %f6, %f24;\n"
     "  fma.rn.f32 %f25, %f4, %f7, %f25;\n  fma.rn.f32 %f26, %f4, %f8, %f26;\n",
     5000, false},
};

static const char head[] = ".version 8.6\n.target sm_90a\n.address_size 64\n"
                           ".extern .shared .align 1024 .b8 box[];\n"
                           ".visible .entry k(.param .u64 out)\n{\n"
                           "  .reg .pred %p<4>;\n  .reg .b32 %r<64>;\n  .reg .b64 %d<8>;\n"
                           "  .reg .f32 %f<160>;\n"
                           "  ld.param.u64 %d1, [out];\n"
                           "  mov.u32 %r1, %tid.x;\n"
                           "  mul.wide.u32 %d2, %r1, 16;\n"
                           "  add.s64 %d3, %d1, %d2;\n"
                           "  mov.u32 %r9, %ctaid.x;\n"
                           "  mul.wide.u32 %d2, %r9, 2048;\n"
                           "  add.s64 %d3, %d3, %d2;\n"
                           "  mov.u32 %r8, box;\n"
                           "  mad.lo.s32 %r7, %r1, 16, %r8;\n"
                           "  mov.u32 %r2, 0;\n  mov.u32 %r3, 0;\n"
                           "  mov.f32 %f1, 0f3f800000;\n  mov.f32 %f3, 0f3f800000;\n"
                           "  st.shared.v4.f32 [%r7], {%f1, %f3, %f1, %f3};\n"
                           "  bar.sync 0;\n";

static void put_loop(gg_str *out, const char *body, int rounds) {
  gg_str_printf(out,
                "LOOP:\n%s  add.s32 %%r2, %%r2, 1;\n  setp.lt.u32 %%p2, %%r2, %d;\n"
                "  @%%p2 bra LOOP;\n  ret;\n}\n",
                body, rounds);
}

typedef struct tensor_type {
  const char *name, *accumulator;
  int k;         /* of mma.sync and wgmma */
  uint32_t code; /* a word of them, about 1 each */
  const char *scales;
} tensor_type;

static const tensor_type types[] = {
    {"f16", "f32", 16, 0x3c003c00, ", 1, 1, 0, 0"}, {"bf16", "f32", 16, 0x3f803f80, ", 1, 1, 0, 0"},
    {"f16", "f16", 16, 0x3c003c00, ", 1, 1, 0, 0"}, {"tf32", "f32", 8, 0x3f800000, ", 1, 1"},
    {"e4m3", "f32", 32, 0x38383838, ", 1, 1"},      {"s8", "s32", 32, 0x01020304, ""},
};

static void put_registers(gg_str *out, const char *prefix, int first, int count) {
  gg_str_printf(out, "{");
  for (int i = 0; i < count; i++) {
    gg_str_printf(out, "%s%s%d", i ? ", " : "", prefix, first + i);
  }
  gg_str_printf(out, "}");
}

/* Sixteen mma.sync with operands of their own, as in a warp's tile. */
static void put_mma(gg_str *out, const tensor_type *t) {
  enum { unrolled = 16, rounds = 400 };
  gg_str body = GG_STR_INIT;
  int words = strcmp(t->accumulator, "f16") ? 4 : 2;
  const char *prefix = strcmp(t->accumulator, "f32") ? "%r" : "%f";
  gg_str_printf(out, "%s", head);
  for (int i = 0; i < 64; i++) {
    gg_str_printf(out, "  add.u32 %%r%d, %%r1, %u;\n", i, i < 32 ? t->code : 0);
    if (i == 0) i = 9;
  }
  gg_str_printf(out, "  mov.u32 %%r2, 0;\n");
  for (int i = 0; i < 64; i++) {
    gg_str_printf(out, "  mov.f32 %%f%d, 0f00000000;\n", i);
  }
  for (int i = 0; i < unrolled; i++) {
    int d = prefix[1] == 'r' ? 32 + i * words % 32 : i * words;
    gg_str_printf(&body, "  mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s ", t->k, t->accumulator,
                  t->name, t->name, t->accumulator);
    put_registers(&body, prefix, d, words);
    gg_str_printf(&body, ", {%%r%d, %%r%d, %%r%d, %%r%d}, {%%r%d, %%r%d}, ", 10 + i % 4, 14 + i % 4,
                  18 + i % 4, 22 + i % 4, 26 + i % 3, 29 + i % 3);
    put_registers(&body, prefix, d, words);
    gg_str_printf(&body, ";\n");
  }
  put_loop(out, gg_str_text(&body), rounds);
  gg_str_free(&body);
}

/* Four wgmmas of 64 x 256, rows of 128 bytes, swizzled; then they are waited for. */
static void put_wgmma(gg_str *out, const tensor_type *t) {
  enum { n = 256, rows = 64, rounds = 12, unrolled = 4, bytes = (rows + n) * 128 };
  gg_str body = GG_STR_INIT;
  const char *prefix = strcmp(t->accumulator, "f32") ? "%a" : "%f";
  int words = strcmp(t->accumulator, "f16") ? n / 2 : n / 4;
  gg_str_printf(out, "%s  .reg .b32 %%a<%d>;\n", head, n / 2);
  gg_str_printf(out,
                "FILL:\n  add.u32 %%r4, %%r2, %u;\n  mad.lo.s32 %%r5, %%r2, 512, %%r8;\n"
                "  mad.lo.s32 %%r5, %%r1, 4, %%r5;\n  st.shared.b32 [%%r5], %%r4;\n"
                "  add.u32 %%r2, %%r2, 1;\n  setp.lt.u32 %%p2, %%r2, %d;\n  @%%p2 bra FILL;\n"
                "  mov.u32 %%r2, 0;\n  shr.u32 %%r4, %%r8, 4;\n  cvt.u64.u32 %%d4, %%r4;\n"
                "  add.u64 %%d4, %%d4, 0x4000004000010000;\n  add.u64 %%d5, %%d4, %d;\n"
                "  fence.proxy.async;\n  bar.sync 0;\n",
                t->code, bytes / (threads * 4), rows * 128 / 16);
  for (int i = 0; i < words; i++) {
    gg_str_printf(out, "  mov.b32 %s%d, 0;\n", prefix, i);
  }
  gg_str_printf(&body, "  wgmma.fence.sync.aligned;\n");
  for (int i = 0; i < unrolled; i++) {
    gg_str_printf(&body, "  add.u64 %%d6, %%d4, %d;\n  add.u64 %%d7, %%d5, %d;\n", 2 * i, 2 * i);
    gg_str_printf(&body, "  wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s ", n, t->k,
                  t->accumulator, t->name, t->name);
    put_registers(&body, prefix, 0, words);
    gg_str_printf(&body, ", %%d6, %%d7, 1%s;\n", t->scales);
  }
  gg_str_printf(&body, "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n");
  put_loop(out, gg_str_text(&body), rounds);
  gg_str_free(&body);
}

/* ---- Launches --------------------------------------------------------------------------- */

/* A kernel and its launch; `tcgen05` NULL: of sm_90, whose only parameter is a buffer. */
typedef struct work {
  gg_str ptx;
  bool hazards_off;
  const tcgen05_product *tcgen05;
} work;

static gg_status make_output(uint64_t *out, emu_device *device, gg_error *err) {
  gg_status st = emu_memory_alloc(out, device, memory_bytes, 0, err);
  return st ? st : emu_memory_fill(device, *out, 0, memory_bytes, err);
}

static gg_status make_operands(uint64_t params[2], emu_device *device, const tcgen05_product *p,
                               gg_error *err) {
  size_t bytes = (size_t)tcgen05_in_bytes(p);
  uint8_t *in = gg_malloc(bytes);
  if (!in) return gg_fail(err, MEMORY, NULL, " for operands");
  tcgen05_fill(in, p);
  gg_status st = emu_memory_alloc(&params[1], device, bytes, 0, err);
  if (!st) st = emu_memory_write(device, params[1], in, bytes, err);
  if (!st) st = emu_memory_alloc(&params[0], device, (uint64_t)tcgen05_out_bytes(p), 0, err);
  gg_free(in);
  return st;
}

/* Every element of D must have been written. */
static gg_status check_output(emu_device *device, uint64_t out, const tcgen05_product *p,
                              gg_error *err) {
  int64_t first = -1;
  gg_status st = emu_memory_unwritten(&first, device, out, (uint64_t)tcgen05_out_bytes(p), err);
  if (!st && first >= 0) fprintf(stderr, "byte %lld of D has not been written\n", (long long)first);
  return st;
}

static gg_status launch(figure *f, emu_device *device, emu_module *module, const work *w,
                        gg_error *err) {
  const tcgen05_product *p = w->tcgen05;
  uint64_t params[2] = {0};
  gg_status st = p ? make_operands(params, device, p, err) : make_output(&params[0], device, err);
  if (st) return st;
  emu_counters counters = EMU_COUNTERS_INIT;
  unsigned x = p ? (unsigned)p->ctas : ctas, y = p ? x : 1;
  emu_launch_config config = {.grid = {x, y, 1},
                              .block = {threads, 1, 1},
                              .smem_bytes = p ? (uint64_t)tcgen05_smem_bytes(p) : 48 << 10,
                              .params = params,
                              .counters = &counters};
  begin(f);
  st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
  end(f);
  for (int i = 0; i < EMU_KIND_COUNT; i++) {
    f->instructions += counters.thread_instructions[i];
  }
  f->macs = counters.tensor_macs;
  if (!st && p) st = check_output(device, params[0], p, err);
  return st;
}

static gg_status run_kernel(figure *best, const work *w, int host_threads, gg_error *err) {
  emu_options options = {.threads = host_threads, .arch = w->tcgen05 ? 100 : 90};
  if (w->hazards_off) options.severities = emu_severities_all(EMU_SEVERITY_OFF);
  emu_device *device;
  emu_module *module;
  gg_status st = emu_device_open(&device, &options, err);
  if (st) return st;
  st = emu_module_load(&module, device, "bench", gg_str_text(&w->ptx), w->ptx.length, err);
  for (int i = 0; i < runs && !st; i++) {
    figure f;
    st = launch(&f, device, module, w, err);
    double before = host_threads > 1 ? best->wall : best->cpu;
    if (i == 0 || (host_threads > 1 ? f.wall : f.cpu) < before) *best = f;
  }
  emu_device_close(device);
  return st;
}

/* Both ways; takes the text. */
static gg_status measure(figure figures[2], work *w, gg_error *err) {
  gg_status st = run_kernel(&figures[0], w, 1, err);
  if (!st) st = run_kernel(&figures[1], w, 2, err);
  gg_str_free(&w->ptx);
  return st;
}

static void put_seconds(const char *name, const figure figures[2]) {
  double macs = (double)extent * extent * extent / 1e9;
  printf("| %-36s | %7.3f | %7.3f | %5.2f | s: %.2f GMAC/s on one |\n", name, figures[0].cpu,
         figures[1].wall, figures[1].cpu / figures[0].cpu, macs / figures[0].cpu);
  fflush(stdout);
}

static void put_rate(const char *name, const figure figures[2]) {
  bool tensor = figures[0].macs != 0;
  double done = tensor ? (double)figures[0].macs / 1e9 : (double)figures[0].instructions / 1e6;
  printf("| %-36s | %7.*f | %7.*f | %5.2f | %s |\n", name, tensor ? 2 : 0, done / figures[0].cpu,
         tensor ? 2 : 0, done / figures[1].wall, figures[1].cpu / figures[0].cpu,
         tensor ? "GMAC/s" : "M thread-instructions/s");
  fflush(stdout);
}

/* A line of the table; takes `ptx`. */
static gg_status row(const char *name, gg_str *ptx, const settings *s, bool hazards_off,
                     gg_error *err) {
  figure figures[2];
  work w = {.ptx = *ptx, .hazards_off = hazards_off};
  *ptx = (gg_str)GG_STR_INIT;
  if (!strstr(name, s->word)) {
    gg_str_free(&w.ptx);
    return GG_OK;
  }
  gg_status st = measure(figures, &w, err);
  if (!st) put_rate(name, figures);
  return st;
}

/* Two lines of each kind: the products alone, each tile many times over; a whole product. */
static gg_status tcgen05_rows(const settings *s, bool whole, gg_error *err) {
  gg_status st = GG_OK;
  for (int i = 0; i < tcgen05_kind_count && !st; i++) {
    const tcgen05_kind *kind = &tcgen05_kinds[i];
    tcgen05_product alone = {.kind = kind, .n = 256, .steps = 2, .ctas = 2, .repeat = 12};
    tcgen05_product product = {
        .kind = kind, .n = 128, .steps = extent / (4 * kind->k), .ctas = extent / 128, .repeat = 1};
    work w = {.ptx = GG_STR_INIT, .tcgen05 = whole ? &product : &alone};
    figure figures[2];
    char name[64];
    snprintf(name, sizeof name, "%s %s", whole ? "512^3: tcgen05" : "tcgen05 m128n256", kind->name);
    if (!strstr(name, s->word)) continue;
    tcgen05_write(&w.ptx, w.tcgen05);
    st = measure(figures, &w, err);
    if (!st) (whole ? put_seconds : put_rate)(name, figures);
  }
  return st;
}

static gg_status kernels(const settings *s, gg_error *err) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < sizeof loops / sizeof *loops && !st; i++) {
    gg_str ptx = GG_STR_INIT;
    gg_str_printf(&ptx, "%s", head);
    put_loop(&ptx, loops[i].body, loops[i].rounds);
    st = row(loops[i].name, &ptx, s, loops[i].hazards_off, err);
  }
  for (size_t i = 0; i < 2 * sizeof types / sizeof *types && !st; i++) {
    const tensor_type *t = &types[i % (sizeof types / sizeof *types)];
    bool is_mma = i < sizeof types / sizeof *types;
    gg_str ptx = GG_STR_INIT;
    char name[64];
    snprintf(name, sizeof name, "%s k%d %s.%s", is_mma ? "mma.sync m16n8" : "wgmma m64n256", t->k,
             t->accumulator, t->name);
    (is_mma ? put_mma : put_wgmma)(&ptx, t);
    st = row(name, &ptx, s, false, err);
  }
  return st ? st : tcgen05_rows(s, false, err);
}

/* ---- Loading ---------------------------------------------------------------------------- */

/* A megabyte of one kernel: lines of source, labels, blocks with registers of their own. */
static void put_large(gg_str *out) {
  gg_str_printf(out, ".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"gemm.cu\"\n"
                     ".visible .entry k(.param .u64 out)\n{\n"
                     "  .reg .pred %%p<4>;\n  .reg .b32 %%r<9>;\n  .reg .b64 %%d<4>;\n");
  for (int i = 1; out->length < 1 << 20; i++) {
    gg_str_printf(out,
                  ".loc 1 %d 3\nL%d:\n  setp.ne.u32 %%p1, %%r1, %d;\n  @%%p1 bra L%d;\n"
                  "  {\n  .reg .pred p;\n  setp.ne.u32 p, %%r2, 0;\n"
                  "  tcgen05.mma.cta_group::1.kind::f16 [%%r1], %%d1, %%d2, %%r3, p;\n  }\n"
                  "  tcgen05.ld.sync.aligned.32x32b.x4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%r5];\n",
                  i, i, i, i);
  }
  gg_str_printf(out, "  ret;\n}\n");
}

static gg_status load_large(const settings *s, gg_error *err) {
  static const char name[] = "1 MB of PTX, loaded";
  gg_str text = GG_STR_INIT;
  gg_status st = GG_OK;
  double best = 0;
  if (!strstr(name, s->word)) return GG_OK;
  put_large(&text);
  for (int i = 0; i < runs && !st; i++) {
    emu_options options = {.arch = 100, .threads = 1};
    emu_device *device;
    emu_module *module;
    figure f;
    if ((st = emu_device_open(&device, &options, err))) break;
    begin(&f);
    st = emu_module_load(&module, device, "bench", gg_str_text(&text), text.length, err);
    end(&f);
    emu_device_close(device);
    if (i == 0 || f.cpu < best) best = f.cpu;
  }
  gg_str_free(&text);
  if (!st) printf("| %-36s | %7.3f | | | s |\n", name, best);
  return st;
}

/* ---- Whole products --------------------------------------------------------------------- */

static void put_buffers(gg_str *out, const char *name, const char *type, int d_bytes) {
  int bytes = extent * extent * 2;
  gg_str_printf(out, "{\"ptx\": \"%s.ptx\", \"buffers\": {", name);
  for (int i = 0; i < 2; i++) {
    gg_str_printf(out,
                  "\"%c\": {\"bytes\": %d, \"init\": {\"kind\": \"normal\", \"type\": \"%s\", "
                  "\"seed\": %d, \"scale\": 1.0}}, ",
                  'A' + i, bytes, type, i);
  }
  gg_str_printf(out, "\"D\": {\"bytes\": %d, \"init\": {\"kind\": \"uninitialised\"}}}, ",
                extent * extent * d_bytes);
}

static void put_launch(gg_str *out, const char *name, int grid_x, int grid_y, int block, int smem) {
  gg_str_printf(out,
                "\"launches\": [{\"entry\": \"%s\", \"grid\": [%d, %d, 1], \"block\": [%d, 1, 1], "
                "\"smem\": %d, \"params\": [",
                name, grid_x, grid_y, block, smem);
}

static void put_pointers(gg_str *out) {
  for (int i = 0; i < 3; i++) {
    gg_str_printf(out,
                  "{\"bytes_hex\": \"0000000000000000\", \"patch\": [{\"offset\": 0, \"buffer\": "
                  "\"%c\", \"byte_offset\": 0}]}, ",
                  "ABD"[i]);
  }
}

/* Little-endian, as parameters are. */
static void put_number(gg_str *out, uint64_t value, int bytes, bool last) {
  gg_str_printf(out, "{\"bytes_hex\": \"");
  for (int i = 0; i < bytes; i++) {
    gg_str_printf(out, "%02x", (unsigned)(value >> (8 * i) & 0xff));
  }
  gg_str_printf(out, "\"}%s", last ? "]}], " : ", ");
}

/* gemmgen's kernel: extents, pitches and batch strides, then alpha. */
static void put_small_tile(gg_str *out) {
  static const int numbers[] = {extent,          extent,         extent, 1,
                                extent,          extent,         extent, extent * extent,
                                extent * extent, extent * extent};
  put_buffers(out, "small_tile", "f16", 2);
  put_launch(out, "small_tile", extent / 64 * (extent / 64), 1, 128, 32768);
  put_pointers(out);
  for (int i = 0; i < 10; i++) {
    put_number(out, (uint64_t)numbers[i], 8, false);
  }
  put_number(out, 0x3f800000, 4, true);
}

static void put_wgmma_pipeline(gg_str *out) {
  put_buffers(out, "wgmma_pipeline", "bf16", 4);
  put_launch(out, "wgmma_pipeline", extent / 32, extent / 64, 128, 0);
  put_pointers(out);
  put_number(out, extent, 4, false);
  put_number(out, extent, 4, true);
}

static void put_tma_wgmma(gg_str *out) {
  static const struct {
    const char *type, *swizzle;
    int bytes, box[2];
  } maps[3] = {
      {"bf16", "128B", 2, {64, 64}}, {"bf16", "128B", 2, {64, 32}}, {"f32", "none", 4, {32, 64}}};
  put_buffers(out, "tma_wgmma", "bf16", 4);
  gg_str_printf(out, "\"tensor_maps\": [");
  for (int i = 0; i < 3; i++) {
    gg_str_printf(out,
                  "{\"buffer\": \"%c\", \"byte_offset\": 0, \"type\": \"%s\", \"dims\": [%d, %d], "
                  "\"strides\": [%d], \"box\": [%d, %d], \"element_strides\": [1, 1], "
                  "\"swizzle\": \"%s\", \"interleave\": \"none\", \"l2_promotion\": \"none\", "
                  "\"oob_fill\": \"zero\"}%s",
                  "ABD"[i], maps[i].type, extent, extent, extent * maps[i].bytes, maps[i].box[0],
                  maps[i].box[1], maps[i].swizzle, i < 2 ? ", " : "], ");
  }
  put_launch(out, "tma_wgmma", extent / 32, extent / 64, 160, 0);
  for (int i = 0; i < 3; i++) {
    gg_str_printf(out,
                  "{\"bytes_hex\": \"%0256d\", \"patch\": [{\"offset\": 0, \"tensor_map\": "
                  "%d}]}, ",
                  0, i);
  }
  put_number(out, extent / 64, 4, true);
}

typedef struct product {
  const char *name;
  void (*put)(gg_str *out);
} product;

static const product products[] = {
    {"512^3: mma.sync f16, cp.async", put_small_tile},
    {"512^3: wgmma bf16, cp.async", put_wgmma_pipeline},
    {"512^3: wgmma bf16, TMA", put_tma_wgmma},
};

/* Its inputs are made, it runs, and every element must have been written. */
static gg_status replay(figure *f, const gg_str *text, const char *path, int host_threads,
                        gg_error *err) {
  gg_recipe *recipe = NULL;
  gg_context *context = NULL;
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  gg_str words = GG_STR_INIT;
  int failed = 0;
  options.provider = GG_PROVIDER_EMU;
  setenv("GEMMGEN_EMU_THREADS", host_threads == 1 ? "1" : "2", 1);
  gg_status st = gg_context_open(&context, &options, err);
  begin(f);
  if (!st) st = gg_recipe_parse(&recipe, gg_str_text(text), text->length, path, err);
  if (!st) st = gg_recipe_replay(&failed, &words, recipe, context, err);
  end(f);
  if (failed) fprintf(stderr, "%s", gg_str_text(&words));
  gg_recipe_free(recipe);
  gg_context_close(context);
  gg_str_free(&words);
  return st;
}

static gg_status run_product(const product *p, const settings *s, gg_error *err) {
  if (!strstr(p->name, s->word)) return GG_OK;
  figure best[2] = {{0}}, f;
  gg_str text = GG_STR_INIT, path = GG_STR_INIT;
  gg_status st = GG_OK;
  p->put(&text);
  gg_str_printf(&text, "\"expect\": [{\"kind\": \"written\", \"buffer\": \"D\"}]}");
  gg_str_printf(&path, "%s/bench.json", s->directory);
  for (int i = 0; i < 2 * runs && !st; i++) {
    figure *b = &best[i % 2];
    st = replay(&f, &text, gg_str_text(&path), 1 + i % 2, err);
    if (i < 2 || (i % 2 ? f.wall < b->wall : f.cpu < b->cpu)) *b = f;
  }
  if (!st) put_seconds(p->name, best);
  gg_str_free(&text);
  gg_str_free(&path);
  return st;
}

int main(int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: bench_emulator DIRECTORY [WORD]\n");
    return EXIT_FAILURE;
  }
  settings s = {argv[1], argc == 3 ? argv[2] : ""};
  printf("| %-36s | %7s | %7s | %5s | |\n| --- | --- | --- | --- | --- |\n", "with all checks",
         "1 thr.", "2 thr.", "cost");
  gg_status st = kernels(&s, &err);
  for (size_t i = 0; i < sizeof products / sizeof *products && !st; i++) {
    st = run_product(&products[i], &s, &err);
  }
  if (!st) st = tcgen05_rows(&s, true, &err);
  if (!st) st = load_large(&s, &err);
  if (!st) return EXIT_SUCCESS;
  fprintf(stderr, "line %d: %s\n", err.line, err.message);
  return EXIT_FAILURE;
}
