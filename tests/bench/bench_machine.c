/* How fast the emulator's machine is: thread-instructions a second of one core for arithmetic, for
 * loads and stores, for branches that part a warp, and for a warp that waits for another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emu/report.h"

enum { threads = 128, words = 1 << 16 };

typedef struct bench_case {
  const char *name;
  const char *body; /* of a loop */
  int rounds;
  bool hazards_off;
} bench_case;

static const bench_case cases[] = {
    {"arithmetic",
     "  fma.rn.f32 %f2, %f2, %f3, %f1;\n"
     "  add.s32 %r3, %r3, %r1;\n"
     "  xor.b32 %r4, %r3, %r2;\n"
     "  shl.b32 %r5, %r4, 2;\n"
     "  mad.lo.s32 %r6, %r5, %r4, %r3;\n"
     "  add.f32 %f1, %f1, %f2;\n",
     100000, false},
    {"global memory",
     "  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d3];\n"
     "  add.f32 %f1, %f1, %f2;\n"
     "  st.global.v4.f32 [%d3], {%f1, %f2, %f3, %f4};\n",
     50000, false},
    {"shared memory",
     "  st.shared.f32 [%r7], %f1;\n"
     "  ld.shared.f32 %f2, [%r7];\n"
     "  add.f32 %f1, %f1, %f2;\n",
     50000, true},
    {"shared memory, watched for races",
     "  st.shared.f32 [%r7], %f1;\n"
     "  ld.shared.f32 %f2, [%r7];\n"
     "  add.f32 %f1, %f1, %f2;\n",
     50000, false},
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
     50000, false},
    {"barriers", "  bar.sync 0;\n", 50000, false},
};

static const char head[] = ".version 8.6\n.target sm_90\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out)\n{\n"
                           "  .shared .align 16 .b8 box[2048];\n"
                           "  .reg .pred %p<4>;\n  .reg .b32 %r<12>;\n  .reg .b64 %d<4>;\n"
                           "  .reg .f32 %f<8>;\n"
                           "  ld.param.u64 %d1, [out];\n"
                           "  mov.u32 %r1, %tid.x;\n"
                           "  mul.wide.u32 %d2, %r1, 16;\n"
                           "  add.s64 %d3, %d1, %d2;\n"
                           "  mov.u32 %r7, box;\n"
                           "  mad.lo.s32 %r7, %r1, 16, %r7;\n"
                           "  mov.u32 %r2, 0;\n  mov.u32 %r3, 0;\n"
                           "  mov.f32 %f1, 0f3f800000;\n  mov.f32 %f3, 0f3f800000;\n"
                           "LOOP:\n";

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static gg_status run(const bench_case *c, gg_error *err) {
  emu_options options = {.threads = 1, .hazards_off = c->hazards_off};
  emu_device *device;
  emu_module *module;
  uint64_t out = 0, count = 0;
  gg_str text = GG_STR_INIT;
  emu_counters counters = EMU_COUNTERS_INIT;
  gg_str_printf(&text,
                "%s%s  add.s32 %%r2, %%r2, 1;\n  setp.lt.u32 %%p2, %%r2, %d;\n"
                "  @%%p2 bra LOOP;\n  ret;\n}\n",
                head, c->body, c->rounds);
  gg_status st = emu_device_open(&device, &options, err);
  if (st) return st;
  st = emu_module_load(&module, device, c->name, gg_str_text(&text), text.length, err);
  if (!st) st = emu_memory_alloc(&out, device, words, 0, err);
  if (!st) st = emu_memory_fill(device, out, 0, words, err);
  if (!st) {
    emu_launch_config config = {
        .grid = {1, 1, 1}, .block = {threads, 1, 1}, .params = &out, .counters = &counters};
    double begin = seconds();
    st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
    double end = seconds();
    for (int i = 0; i < EMU_KIND_COUNT; i++) {
      count += counters.thread_instructions[i];
    }
    if (!st) {
      printf("%-34s %7.0f M thread-instructions/s\n", c->name, (double)count / (end - begin) / 1e6);
    }
  }
  emu_device_close(device);
  gg_str_free(&text);
  return st;
}

int main(void) {
  gg_error err = GG_ERROR_INIT;
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    if (!run(&cases[i], &err)) continue;
    fprintf(stderr, "%s: line %d: %s\n", cases[i].name, err.line, err.message);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
