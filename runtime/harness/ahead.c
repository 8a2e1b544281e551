/* See ahead.h. */
#include "ahead.h"

enum { ranges_most = 16 + GG_OPERATIONS_MAX, scalars_bytes = 20, threads = 256 };

/* The kernel's parameter. */
typedef struct ranges {
  struct {
    uint64_t address, bytes;
  } of[ranges_most];
} ranges;

/* One CTA: a thread takes every 256th 16 bytes of a range, and of the rest at its end every 256th
 * byte. A range of no bytes is none. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry ahead(.param .align 8 .b8 ranges[%zu]) {\n"
    "  .reg .pred %%p;\n  .reg .b16 %%h;\n  .reg .b32 %%r<6>;\n  .reg .b64 %%d<8>;\n"
    "  griddepcontrol.launch_dependents;\n"
    "  mov.b64 %%d0, ranges;\n  mov.u32 %%r0, %%tid.x;\n  mov.u32 %%r1, %d;\n"
    "range:\n"
    "  ld.param.u64 %%d1, [%%d0];\n  ld.param.u64 %%d2, [%%d0+8];\n"
    "  and.b64 %%d3, %%d2, -16;\n  mul.wide.u32 %%d4, %%r0, 16;\n"
    "pieces:\n"
    "  setp.ge.u64 %%p, %%d4, %%d3;\n  @%%p bra rest;\n"
    "  add.u64 %%d5, %%d1, %%d4;\n"
    "  ld.global.v4.u32 {%%r2, %%r3, %%r4, %%r5}, [%%d5];\n"
    "  st.global.v4.u32 [%%d5], {%%r2, %%r3, %%r4, %%r5};\n"
    "  add.u64 %%d4, %%d4, %d;\n  bra pieces;\n"
    "rest:\n"
    "  cvt.u64.u32 %%d4, %%r0;\n  add.u64 %%d4, %%d4, %%d3;\n"
    "  setp.ge.u64 %%p, %%d4, %%d2;\n  @%%p bra next;\n"
    "  add.u64 %%d5, %%d1, %%d4;\n"
    "  ld.global.u8 %%h, [%%d5];\n  st.global.u8 [%%d5], %%h;\n"
    "next:\n"
    "  add.u64 %%d0, %%d0, 16;\n  sub.u32 %%r1, %%r1, 1;\n  setp.ne.u32 %%p, %%r1, 0;\n"
    "  @%%p bra range;\n  ret;\n}\n";

static ranges ranges_of(const gg_trial *t) {
  const gg_trial_buffer *buffers[] = {&t->a,       &t->b,       &t->c,       &t->d,
                                      &t->scale_a, &t->scale_b, &t->scale_d, &t->metadata};
  ranges found = {0};
  size_t count = 0;
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    found.of[count].address = buffers[i]->device;
    found.of[count++].bytes = buffers[i]->device ? (uint64_t)buffers[i]->bytes : 0;
  }
  for (size_t i = 0; i < t->kernel->operation_count; i++) {
    found.of[count].address = t->extras[i].device;
    found.of[count++].bytes = t->extras[i].device ? (uint64_t)t->extras[i].bytes : 0;
  }
  for (size_t i = 0; i < sizeof t->arrays / sizeof *t->arrays; i++) {
    found.of[count].address = t->arrays[i];
    found.of[count++].bytes = t->arrays[i] ? (uint64_t)t->problem.batch * sizeof(uint64_t) : 0;
  }
  found.of[count].address = t->scalars;
  found.of[count].bytes = t->scalars ? scalars_bytes : 0;
  return found;
}

static gg_status launch(const gg_driver *driver, const char *ptx, ranges *all,
                        struct CUstream_st *stream, gg_error *err) {
  CUmodule module;
  CUfunction function;
  void *arguments[] = {all};
  gg_status st = GG_CUDA(driver, err, cuModuleLoadDataEx, &module, ptx, 0, NULL, NULL);
  if (st) return st;
  st = GG_CUDA(driver, err, cuModuleGetFunction, &function, module, "ahead");
  if (!st) {
    st = GG_CUDA(driver, err, cuLaunchKernel, function, 1, 1, 1, threads, 1, 1, 0, stream,
                 arguments, NULL);
  }
  driver->cuModuleUnload(module);
  return st;
}

gg_status gg_trial_go_ahead(const gg_trial *trial, struct CUstream_st *stream, gg_error *err) {
  if (!trial->kernel->dependent || !trial->problem.overlap) return GG_OK;
  ranges all = ranges_of(trial);
  gg_str ptx = GG_STR_INIT;
  gg_str_printf(&ptx, text, sizeof all, ranges_most, 16 * threads);
  gg_status st = ptx.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
  if (!st) st = gg_context_enter(trial->context, err);
  if (!st) {
    st = launch(&trial->context->driver, gg_str_text(&ptx), &all, stream, err);
    gg_context_leave(trial->context);
  }
  gg_str_free(&ptx);
  return st;
}
