#include "ceiling.h"

#include <stdio.h>

#include "atom/dtype.h"

/* 16 warps a multiprocessor, some hundreds of microseconds a launch. */
enum { ctas_per_sm = 2, threads = 256, iterations = 4096, mmas = 8 };

/* mma.sync of one type of operands, in its largest shape. Operands are drawn by words: `fraction`
 * says which bits of them are random, `base` what the others are. */
typedef struct form {
  gg_dtype input, accumulator;
  int k, registers; /* of the instruction; 32-bit ones of a lane's sums */
  const char *arch;
  uint32_t base, fraction;
} form;

static const form forms[] = {
    {GG_DTYPE_f16, GG_DTYPE_f32, 16, 4, "sm_80", 0x28002800, 0x87ff87ff},
    {GG_DTYPE_f16, GG_DTYPE_f16, 16, 2, "sm_80", 0x28002800, 0x87ff87ff},
    {GG_DTYPE_bf16, GG_DTYPE_f32, 16, 4, "sm_80", 0x3d803d80, 0x80ff80ff},
    {GG_DTYPE_tf32, GG_DTYPE_f32, 8, 4, "sm_80", 0x3d800000, 0x80ffe000},
    {GG_DTYPE_s8, GG_DTYPE_s32, 32, 4, "sm_80", 0, 0xffffffff},
    {GG_DTYPE_u8, GG_DTYPE_s32, 32, 4, "sm_80", 0, 0xffffffff},
    {GG_DTYPE_s4, GG_DTYPE_s32, 64, 4, "sm_80", 0, 0xffffffff},
    {GG_DTYPE_u4, GG_DTYPE_s32, 64, 4, "sm_80", 0, 0xffffffff},
    {GG_DTYPE_b1, GG_DTYPE_s32, 256, 4, "sm_80", 0, 0xffffffff},
    {GG_DTYPE_e4m3, GG_DTYPE_f32, 32, 4, "sm_89", 0x18181818, 0x8f8f8f8f},
    {GG_DTYPE_e5m2, GG_DTYPE_f32, 32, 4, "sm_89", 0x2c2c2c2c, 0x87878787},
    {GG_DTYPE_f64, GG_DTYPE_f64, 16, 8, "sm_90", 0x3fb00000, 0x801fffff}, /* of the upper half */
};

static const form *form_of(gg_dtype input, gg_dtype accumulator) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (forms[i].input == input && forms[i].accumulator == accumulator) return &forms[i];
  }
  return NULL;
}

bool gg_ceiling_covers(gg_dtype input, gg_dtype accumulator) {
  return form_of(input, accumulator) != NULL;
}

static unsigned ctas(const gg_context *context) {
  return (unsigned)gg_context_device(context)->sm_count * ctas_per_sm;
}

const char *gg_ceiling_defines(gg_str *out, gg_dtype input, gg_dtype accumulator) {
  const form *f = form_of(input, accumulator);
  gg_str_printf(out,
                "#define INPUT \"%s\"\n#define ACCUMULATOR \"%s\"\n#define SHAPE \"m16n8k%d\"\n"
                "#define REGISTERS %d\n#define BASE %#xu\n#define FRACTION %#xu\n"
                "#define OPERATION \"%s\"\n",
                gg_dtype_info_of(input)->name, gg_dtype_info_of(accumulator)->name, f->k,
                f->registers, f->base, f->fraction, input == GG_DTYPE_b1 ? ".and.popc" : "");
  return f->arch;
}

gg_status gg_ceiling_open(gg_ceiling *out, gg_context *context, gg_dtype input,
                          gg_dtype accumulator, gg_error *err) {
  gg_str defines = GG_STR_INIT;
  const char *arch = gg_ceiling_defines(&defines, input, accumulator);
  double flops = 2.0 * 16 * 8 * form_of(input, accumulator)->k;
  out->flops = (double)ctas(context) * (threads / 32) * iterations * mmas * flops;
  gg_status st =
      gg_harness_open(&out->kernel, context, "ceiling", gg_str_text(&defines), arch, err);
  gg_str_free(&defines);
  return st;
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
