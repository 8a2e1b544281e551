/* What one thread can do wrong with mbarriers, copies and clusters has a name. */
#include <stdio.h>

#include "async.h"

#define MISUSE                                                                                     \
  HEAD                                                                                             \
      ".shared .align 1024 .b8 buf[2048];\n.shared .align 8 .b64 bar[2];\n"                        \
      "mov.u32 %r3, buf;\nmov.u32 %r4, bar;\nmov.u32 %r5, 0;\nmov.u32 %r6, -8;\nmov.u32 %r7, 3;\n" \
      "mbarrier.init.shared::cta.b64 [bar], 1;\n"
#define LOAD2D "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes"
#define BULK   "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"

/* One thread. */
static const struct {
  const char *code;
  gg_status status;
  const char *message;
} misuses[] = {
    {"mbarrier.arrive.shared.b64 _, [bar+8];", GG_E_EMU_MBARRIER, "no mbarrier"},
    {"mbarrier.init.shared.b64 [bar], 1;", GG_E_EMU_MBARRIER, "initialised again"},
    {"mbarrier.init.shared.b64 [bar+8], 0;", GG_E_EMU_MBARRIER, "arrival count of 0"},
    {"mbarrier.init.shared.b64 [bar+8], 1048576;", GG_E_EMU_MBARRIER, "arrival count of 1048576"},
    {"mbarrier.init.shared.b64 [bar+4], 1;", GG_E_EMU_MISALIGNED, "multiple of 8"},
    {"mbarrier.arrive.shared.b64 _, [bar], 2;", GG_E_EMU_MBARRIER, "too many"},
    {"mbarrier.arrive.noComplete.shared.b64 %d4, [bar], 1;", GG_E_EMU_MBARRIER, ".noComplete"},
    {"mbarrier.expect_tx.shared.b64 [bar], 1048576;", GG_E_EMU_MBARRIER, "0 +1048576"},
    {"mbarrier.complete_tx.shared.b64 [bar], 16; mbarrier.arrive.shared.b64 _, [bar];",
     GG_E_EMU_MBARRIER, "underflows"},
    {"mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];", GG_E_EMU_MBARRIER,
     "invalidated"},
    {"mbarrier.arrive.shared.b64 %d4, [bar]; mbarrier.arrive.shared.b64 _, [bar];"
     "mbarrier.test_wait.shared.b64 %p1, [bar], %d4;",
     GG_E_EMU_MBARRIER, "waits for phase 0"},
    {"mbarrier.test_wait.parity.shared.b64 %p1, [bar], 2;", GG_E_EMU_MBARRIER, "parity of 2"},
    {"st.shared.u32 [bar+4], 1;", GG_E_EMU_MBARRIER, "where an mbarrier object lives"},
    {BULK " [%r3], [%d1], 24, [%r4];", GG_E_EMU_MISALIGNED, "the size, 24"},
    {BULK " [%r3], [%d1+4], 16, [%r4];", GG_E_EMU_MISALIGNED, "the global address"},
    {BULK " [%r3+8], [%d1], 16, [%r4];", GG_E_EMU_MISALIGNED, "not a multiple of 16"},
    {BULK " [bar], [%d1], 16, [%r4];", GG_E_EMU_MBARRIER, "where an mbarrier object lives"},
    {BULK " [%r3], [%d1+16368], 32, [%r4];" WAIT("W", "bar", "0"), GG_E_EMU_BOUNDS, "the end"},
    {BULK " [%r3], [%d1], 32, [%r4]; ld.shared.u32 %r8, [%r3+16];", GG_E_EMU_IN_FLIGHT,
     "has yet to write"},
    {BULK " [%r3], [%d1], 32, [%r4];" BULK " [%r3+16], [%d1], 32, [%r4];", GG_E_EMU_IN_FLIGHT,
     "has yet to write"},
    {BULK " [%r3], [%d1], 32, [%r4];", GG_E_EMU_IN_FLIGHT, "exits while"},
    {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], [%r3+64], 16,"
     " [%r4];",
     GG_E_EMU_ILLEGAL, "without the cluster attribute"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3],"
     " [%d1], 16, [%r4], 2;",
     GG_E_EMU_CLUSTER, "a CTA mask of 0x2"},
    {"cp.async.bulk.prefetch.L2.global [%d1+8], 16;", GG_E_EMU_MISALIGNED, "the global address"},
    {"cp.async.bulk.prefetch.tensor.2d.L2.global [%d8, {%r7, %r5}];", GG_E_EMU_ILLEGAL,
     "multiples of 16"},
    {LOAD2D " [%r3+64], [%d8, {%r5, %r5}], [%r4];", GG_E_EMU_MISALIGNED, "multiple of 128"},
    {LOAD2D " [%r3], [%d8, {%r7, %r5}], [%r4];", GG_E_EMU_ILLEGAL, "multiples of 16"},
    {LOAD2D " [%r3], [%d1, {%r5, %r5}], [%r4];", GG_E_EMU_TENSOR_MAP, "no tensor map"},
    {"cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%d8, {%r5}],"
     " [%r4];",
     GG_E_EMU_TENSOR_MAP, "has 2 dimensions, the instruction 1"},
    {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d9, {%r5, %r6}], [%r3];",
     GG_E_EMU_ILLEGAL, "coordinate 1 is -8"},
    {"cp.async.ca.shared.global [%r3], [%d1], 4, 8;", GG_E_EMU_ILLEGAL, "src-size 8"},
    {"cp.async.cg.shared.global [%r3], [%d1+8], 16;", GG_E_EMU_MISALIGNED, "multiple of 16"},
    {"cp.async.cg.shared.global [%r3], [%d1+16384], 16;", GG_E_EMU_BOUNDS, "the end"},
    {"barrier.cluster.wait;", GG_E_EMU_ILLEGAL, "without having arrived"},
    {"barrier.cluster.arrive.release; barrier.cluster.arrive;", GG_E_EMU_ILLEGAL, "second time"},
    {"mapa.shared::cluster.u32 %r8, %r3, 1; ld.shared::cluster.u32 %r8, [%r8];", GG_E_EMU_BOUNDS,
     "cluster"},
    {"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;" WAIT("W", "bar", "0"), GG_E_EMU_DEADLOCK,
     "needs 0 of 1 arrivals and 16 bytes"},
    {"mbarrier.frob.shared.b64 [bar];", GG_E_EMU_FORM, "no such operation"},
    {"mbarrier.try_wait.acquire.shared.b32 %p1, [bar], 0;", GG_E_EMU_FORM, "b32"},
    {"cp.async.cg.shared.global [%r3], [%d1], 8;", GG_E_EMU_FORM, "with .cg it is 16"},
    {"cp.async.bulk.tensor.2d.cta_group::1.shared::cta.global.tile.mbarrier::complete_tx::bytes"
     " [%r3], [%d8, {%r5, %r5}], [%r4];",
     GG_E_EMU_FORM, ".cta_group::1 is of tensor copies of sm_100 to sm_110, this device is sm_90"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u64 [%r3],"
     " [%r3+64], 16, [%r4];",
     GG_E_EMU_FORM, "no such reduction of .u64"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%d2], [%r3], 16;", GG_E_EMU_FORM,
     ".noftz"},
};

static gg_status run(const char *code, emu_severity severity, gg_error *err) {
  static uint32_t in[words], out[words];
  static const async_kernel one = {"misuse", NULL, 1, 1, 0, NULL, 32};
  char text[4096];
  snprintf(text, sizeof text, "%s%s\n%s", MISUSE, code, TAIL);
  async_fill(in, out);
  emu_options options = {.threads = 1, .severities = emu_severities_all(severity)};
  return async_run(out, in, &one, text, &options, err);
}

START_TEST(misuse_has_a_name) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = run(misuses[_i].code, EMU_SEVERITY_USUAL, &err);
  ck_assert_msg(st == misuses[_i].status && strstr(err.message, misuses[_i].message), "%s\n%s: %s",
                misuses[_i].code, st ? gg_error_info_of(st)->name : "right", err.message);
  gg_error_clear(&err);
}
END_TEST

/* With warnings alone, what has a class is gone past. */
START_TEST(some_misuse_is_tolerated) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = run(misuses[_i].code, EMU_SEVERITY_WARN, &err);
  bool always = emu_fault_class_of(misuses[_i].status) == EMU_CLASS_ALWAYS;
  ck_assert_msg(st == (always ? misuses[_i].status : GG_OK), "%s\n%s", misuses[_i].code,
                err.message);
  gg_error_clear(&err);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("misuse");
  TCase *misuse = tcase_create("misuse");
  tcase_add_loop_test(misuse, misuse_has_a_name, 0, sizeof misuses / sizeof *misuses);
  tcase_add_loop_test(misuse, some_misuse_is_tolerated, 0, sizeof misuses / sizeof *misuses);
  suite_add_tcase(suite, misuse);
  return run_suite(suite);
}
