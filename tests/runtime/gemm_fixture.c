#include "gemm_fixture.h"

#include "gemmgen_emu.h"

gg_form gemm_form(gg_dtype in, gg_dtype out, gg_dtype accumulator) {
  gg_operand operand = {.type = in, .major = GG_MAJOR_K}, d = {.type = out, .major = GG_MAJOR_N};
  return (gg_form){.size = sizeof(gg_form),
                   .a = operand,
                   .b = operand,
                   .c = d,
                   .d = d,
                   .accumulator = accumulator};
}

gg_problem gemm_problem(int64_t m, int64_t n, int64_t k) {
  return (gg_problem){.size = sizeof(gg_problem),
                      .m = m,
                      .n = n,
                      .k = k,
                      .batch = 1,
                      .a = 4096,
                      .b = 4096,
                      .c = 4096,
                      .d = 4096,
                      .lda = k,
                      .ldb = k,
                      .ldc = n,
                      .ldd = n,
                      .alpha = 1};
}

gg_gemm *gemm_open(gg_context *context, gg_error *err) {
  gg_gemm *gemm;
  ck_assert_msg(gg_gemm_open(&gemm, context,
                             &(gg_gemm_options){.size = sizeof(gg_gemm_options), .tuned = ""},
                             err) == GG_OK,
                "%s", err->message);
  return gemm;
}

gemm_rig gemm_rig_open(int arch) {
  gemm_rig rig = {.err = GG_ERROR_INIT};
  gg_compiler_options compiler = {.size = sizeof(gg_compiler_options),
                                  .cache = fixture_directory()};
  gg_context_options options = {
      .size = sizeof(gg_context_options), .provider = GG_PROVIDER_EMU, .compiler = &compiler};
  if (arch) {
    gg_emu_options emulator = GG_EMU_OPTIONS_INIT;
    ck_assert_int_eq(gg_emu_options_init(&emulator), 0);
    emulator.arch = arch;
    ck_assert_int_eq(gg_emu_configure(&emulator), 0);
  }
  ck_assert_msg(gg_context_open(&rig.context, &options, &rig.err) == GG_OK, "%s", rig.err.message);
  rig.gemm = gemm_open(rig.context, &rig.err);
  return rig;
}

void gemm_rig_close(gemm_rig *rig) {
  gg_gemm_close(rig->gemm);
  gg_context_close(rig->context);
}
