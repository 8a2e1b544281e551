#include "ceiling.h"

#include <stdio.h>

#include "atom/dtype.h"

/* 16 warps a multiprocessor, some hundreds of microseconds a launch. */
enum {
  ctas_per_sm = 2,
  threads = 256,
  iterations = 4096,
  mmas = 8,
  flops_per_mma = 2 * 16 * 8 * 16
};

bool gg_ceiling_covers(gg_dtype input, gg_dtype accumulator) {
  if (input == GG_DTYPE_f16) return accumulator == GG_DTYPE_f32 || accumulator == GG_DTYPE_f16;
  return input == GG_DTYPE_bf16 && accumulator == GG_DTYPE_f32;
}

static unsigned ctas(const gg_context *context) {
  return (unsigned)gg_context_device(context)->sm_count * ctas_per_sm;
}

gg_status gg_ceiling_open(gg_ceiling *out, gg_context *context, gg_dtype input,
                          gg_dtype accumulator, gg_error *err) {
  char defines[128];
  snprintf(defines, sizeof defines,
           "#define INPUT \"%s\"\n#define ACCUMULATOR \"%s\"\n#define REGISTERS %d\n",
           gg_dtype_info_of(input)->name, gg_dtype_info_of(accumulator)->name,
           accumulator == GG_DTYPE_f32 ? 4 : 2);
  out->flops = (double)ctas(context) * (threads / 32) * iterations * mmas * flops_per_mma;
  return gg_harness_open(&out->kernel, context, "ceiling", defines, "sm_80", err);
}

void gg_ceiling_close(gg_ceiling *ceiling) {
  gg_raw_close(&ceiling->kernel);
}

gg_status gg_ceiling_launch(const gg_ceiling *ceiling, CUstream stream, gg_error *err) {
  int count = iterations;
  uint64_t sink = 0; /* never written */
  void *arguments[] = {&count, &sink};
  return gg_raw_launch(&ceiling->kernel, ctas(ceiling->kernel.context), 1, threads, arguments,
                       stream, err);
}
