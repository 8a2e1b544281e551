/* Launches beside each other: what is done before griddepcontrol.wait, and what is let be.
 *
 * Each case is a row of launches of one stream, each a kernel of its own; the last one is right, or
 * does too early what its case says. */
#include <stdio.h>
#include <string.h>

#include "emu/emu.h"
#include "suite.h"

enum { launches_most = 4, words = 1024, seeds = 5 };

/* %r1: the thread, %r2: the CTA; %d2: the 256 bytes of the CTA, %d1: the thread's word of them;
 * %d3: a flag of all, %p6: the thread that may store there. */
#define HEAD                                                                                       \
  ".version 9.0\n.target sm_90a\n.address_size 64\n"                                               \
  ".visible .entry k(.param .u64 memory) {\n"                                                      \
  ".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %d<16>;\n"                       \
  ".shared .align 128 .b8 buf[256];\n.shared .align 8 .b64 bar;\n"                                 \
  "ld.param.u64 %d2, [memory];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"                    \
  "add.u64 %d3, %d2, 2048;\nmad.wide.u32 %d2, %r2, 256, %d2;\n"                                    \
  "mad.wide.u32 %d1, %r1, 4, %d2;\n"                                                               \
  "setp.eq.u32 %p1, %r1, 0;\nsetp.lt.u32 %p2, %r1, 32;\nsetp.eq.u32 %p3, %r2, 0;\n"                \
  "setp.eq.and.u32 %p6, %r1, 0, %p3;\nmov.u32 %r8, buf;\n"
#define TAIL "ret;\n}\n"

#define WAIT    "griddepcontrol.wait;\n"
#define TRIGGER "griddepcontrol.launch_dependents;\n"
#define STORE   "st.global.u32 [%d1], %r1;\n"
#define STORE_9 "mov.u32 %r9, 9;\nst.global.u32 [%d1], %r9;\n"
#define LOAD    "ld.global.u32 %r3, [%d1];\n"
#define COUNT   "@%p1 atom.global.add.u32 %r3, [%d3], 1;\n"
#define SYNC    "bar.sync 0;\n"
#define AFTER   "add.u32 %r4, %r3, 1;\n"
/* A bulk copy in, and the wait for it. */
#define BEGIN_BARRIER                                                                              \
  "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"                                                 \
  "@%p1 fence.mbarrier_init.release.cluster;\n" SYNC                                               \
  "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n"
#define BULK(at)                                                                                   \
  "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [" at             \
  "], 128, [bar];\n"
#define BULK_IN        BULK("%d2")
#define BULK_ELSEWHERE BULK("%d2+1024")
#define BEGIN_BULK     BEGIN_BARRIER BULK_IN
#define END_BULK       "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p5, [bar], 0;\n@!%p5 bra W;\n"
#define BULK_OUT                                                                                   \
  "shl.b32 %r10, %r1, 2;\nadd.u32 %r10, %r10, %r8;\nst.shared.u32 [%r10], %r1;\n"                  \
  "fence.proxy.async.shared::cta;\n" SYNC                                                          \
  "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%d2], [buf], 128;\n"                          \
  "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n"

/* Launch `first` + 1 and those behind it need not wait for the one ahead. */
typedef struct row {
  const char *name, *kernels[launches_most];
  unsigned beside;    /* a bit each */
  gg_status expected; /* of the last one */
  const char *says;
} row;

enum { SECOND = 2, THIRD = 4, FOURTH = 8 };

static const row rows[] = {
    {"a reader that waits", {TRIGGER STORE, WAIT LOAD}, SECOND, GG_OK, NULL},
    {"a reader that does not",
     {TRIGGER STORE, LOAD},
     SECOND,
     GG_E_EMU_RACE,
     "which the launch ahead, k, has written at line 20 (st.global.u32): it may still run"},
    {"its launch does", {TRIGGER STORE, LOAD}, 0, GG_OK, NULL},
    {"it waits too late", {TRIGGER STORE, LOAD WAIT}, SECOND, GG_E_EMU_RACE, NULL},
    {"a writer that does not wait for a reader",
     {TRIGGER LOAD, STORE_9},
     SECOND,
     GG_E_EMU_RACE,
     "which the launch ahead, k, has read at line"},
    {"one that does", {TRIGGER LOAD, WAIT STORE_9}, SECOND, GG_OK, NULL},
    {"one whose reader was done",
     {LOAD SYNC TRIGGER, STORE_9},
     SECOND,
     GG_E_EMU_RELAXED,
     "PTX does not promise it"},
    {"a writer that does not wait for a writer",
     {TRIGGER STORE, STORE_9},
     SECOND,
     GG_E_EMU_RACE,
     "writes"},
    {"both write the same", {TRIGGER STORE_9, STORE_9}, SECOND, GG_OK, NULL},
    {"both write the same, and the first reads it",
     {TRIGGER STORE_9 LOAD, STORE_9},
     SECOND,
     GG_OK,
     NULL},
    {"the first and the third write the same, and the second reads it",
     {TRIGGER STORE_9, TRIGGER WAIT LOAD, STORE_9},
     SECOND | THIRD,
     GG_E_EMU_RACE,
     "which the launch ahead, k, has read"},
    {"they do, and the third waits",
     {TRIGGER STORE_9, TRIGGER WAIT LOAD, WAIT STORE_9},
     SECOND | THIRD,
     GG_OK,
     NULL},
    {"both read", {TRIGGER LOAD, LOAD}, SECOND, GG_OK, NULL},
    {"bytes side by side",
     {TRIGGER "st.global.u8 [%d1], %r1;\n",
      "st.global.u8 [%d1+1], %r1;\nld.global.u16 %h1, [%d1+2];"},
     SECOND,
     GG_OK,
     NULL},
    {"one byte of a word",
     {TRIGGER "st.global.u8 [%d1+3], %r1;\n", LOAD},
     SECOND,
     GG_E_EMU_RACE,
     NULL},

    {"one thread waits for all", {TRIGGER STORE, "@%p1 " WAIT SYNC LOAD}, SECOND, GG_OK, NULL},
    {"one warp waits for itself", {TRIGGER STORE, "@%p2 " WAIT LOAD}, SECOND, GG_E_EMU_RACE, NULL},
    {"a CTA waits for another",
     {TRIGGER STORE,
      "@!%p3 bra OTHER;\n" WAIT "@%p1 st.release.gpu.global.u32 [%d3], 1;\nret;\nOTHER:\n"
      "L:\nld.acquire.gpu.global.u32 %r3, [%d3];\nsetp.eq.u32 %p4, %r3, 0;\n"
      "@%p4 bra L;\n" LOAD},
     SECOND,
     GG_OK,
     NULL},
    {"a CTA waits for another, by fences",
     {TRIGGER STORE, "@!%p3 bra OTHER;\n" WAIT
                     "membar.gl;\n@%p1 atom.global.exch.b32 %r3, [%d3], 1;\nret;\nOTHER:\n"
                     "L:\nld.relaxed.gpu.global.u32 %r3, [%d3];\nsetp.eq.u32 %p4, %r3, 0;\n"
                     "@%p4 bra L;\nmembar.gl;\n" LOAD},
     SECOND,
     GG_OK,
     NULL},
    {"a CTA waits for another without an order",
     {TRIGGER STORE,
      "@!%p3 bra OTHER;\n" WAIT "@%p1 st.relaxed.gpu.global.u32 [%d3], 1;\nret;\nOTHER:\n"
      "L:\nld.relaxed.gpu.global.u32 %r3, [%d3];\nsetp.eq.u32 %p4, %r3, 0;\n"
      "@%p4 bra L;\n" LOAD},
     SECOND,
     GG_E_EMU_RACE,
     NULL},

    {"a third one, and the second does not wait",
     {TRIGGER STORE, TRIGGER AFTER, WAIT LOAD},
     SECOND | THIRD,
     GG_E_EMU_RACE,
     "which the launch before the one ahead, k, has written"},
    {"a third one, and the second waits",
     {TRIGGER STORE, TRIGGER WAIT, WAIT LOAD},
     SECOND | THIRD,
     GG_OK,
     NULL},
    {"a third one, and the second waits as a launch",
     {TRIGGER STORE, TRIGGER AFTER, WAIT LOAD},
     THIRD,
     GG_OK,
     NULL},
    {"a third one that does not wait, and the second lets it begin at once",
     {TRIGGER STORE, TRIGGER WAIT, LOAD},
     SECOND | THIRD,
     GG_E_EMU_RACE,
     NULL},
    {"a third one that does not wait, and the second lets it begin when it has waited",
     {TRIGGER STORE, WAIT TRIGGER, LOAD},
     SECOND | THIRD,
     GG_OK,
     NULL},
    {"a third one that does not wait, and a warp of the second lets it begin without a wait",
     {TRIGGER STORE, "@%p2 " WAIT TRIGGER, LOAD},
     SECOND | THIRD,
     GG_E_EMU_RACE,
     NULL},
    {"a third one that does not wait, and one warp of the second has waited for both",
     {TRIGGER STORE, "@%p2 " WAIT SYNC TRIGGER, LOAD},
     SECOND | THIRD,
     GG_OK,
     NULL},
    {"a third one that does not wait, and the second ends when it has waited",
     {TRIGGER STORE, WAIT AFTER, LOAD},
     SECOND | THIRD,
     GG_OK,
     NULL},
    {"a fourth one, and the third does not wait",
     {TRIGGER AFTER, TRIGGER WAIT STORE, TRIGGER AFTER, WAIT LOAD},
     SECOND | THIRD | FOURTH,
     GG_E_EMU_RACE,
     NULL},

    {"a bulk copy behind the wait", {TRIGGER STORE, WAIT BEGIN_BULK END_BULK}, SECOND, GG_OK, NULL},
    {"a bulk copy tells that it came behind the wait",
     {TRIGGER STORE, BEGIN_BARRIER "@%p1 " WAIT BULK_IN END_BULK LOAD},
     SECOND,
     GG_OK,
     NULL},
    {"a bulk copy tells nothing of its thread",
     {TRIGGER STORE_9, BEGIN_BARRIER BULK_ELSEWHERE "@%p1 " WAIT END_BULK LOAD},
     SECOND,
     GG_E_EMU_RACE,
     NULL},
    {"a bulk copy ahead of the wait",
     {TRIGGER STORE, BEGIN_BULK WAIT END_BULK},
     SECOND,
     GG_E_EMU_RACE,
     "reads global memory"},
    {"a bulk copy that has read",
     {TRIGGER BEGIN_BULK END_BULK, STORE_9},
     SECOND,
     GG_E_EMU_RACE,
     "has read"},
    {"a bulk copy that has written",
     {TRIGGER BULK_OUT, LOAD},
     SECOND,
     GG_E_EMU_RACE,
     "has written"},
    {"a bulk copy that writes", {TRIGGER LOAD, BULK_OUT}, SECOND, GG_E_EMU_RACE, "writes"},
    {"a thread's copy ahead of the wait",
     {TRIGGER STORE,
      "@%p1 cp.async.ca.shared.global [buf], [%d1], 4;\n" WAIT "cp.async.wait_all;\n"},
     SECOND,
     GG_E_EMU_RACE,
     "reads global memory"},
    {"a prefetch ahead of the wait",
     {TRIGGER STORE, "prefetch.global.L2 [%d1];\n"
                     "@%p1 cp.async.bulk.prefetch.L2.global [%d2], 128;\n" WAIT LOAD},
     SECOND,
     GG_OK,
     NULL},

    {"a counter of both", {TRIGGER COUNT, COUNT}, SECOND, GG_OK, NULL},
    {"a counter that is left at zero",
     {COUNT "@%p1 atom.global.exch.b32 %r3, [%d3], 0;\nmembar.gl;\n" SYNC TRIGGER, COUNT},
     SECOND,
     GG_OK,
     NULL},
    {"a counter that a store sets",
     {TRIGGER "@%p6 st.global.u32 [%d3], 0;\n", COUNT},
     SECOND,
     GG_E_EMU_RACE,
     NULL},
    {"a counter that a store sets before",
     {"@%p6 st.global.u32 [%d3], 0;\nmembar.gl;\n" SYNC TRIGGER, COUNT},
     SECOND,
     GG_E_EMU_RELAXED,
     "nothing but its griddepcontrol.launch_dependents is between the two"},
    {"a counter that a store sets before, and another warp fences",
     {"@%p6 st.global.u32 [%d3], 0;\n" SYNC "membar.gl;\n" SYNC TRIGGER, COUNT},
     SECOND,
     GG_E_EMU_RELAXED,
     NULL},
    {"a counter that a store sets before, with no fence",
     {"@%p6 st.global.u32 [%d3], 0;\n" TRIGGER, COUNT},
     SECOND,
     GG_E_EMU_RACE,
     NULL},
    {"a counter that is read",
     {TRIGGER COUNT, "ld.global.u32 %r3, [%d3];\n"},
     SECOND,
     GG_E_EMU_RACE,
     NULL},
    {"a flag that tells of a store",
     {TRIGGER STORE SYNC "@%p1 st.release.gpu.global.u32 [%d3], 1;\n",
      "ld.acquire.gpu.global.u32 %r3, [%d3];\n" LOAD},
     SECOND,
     GG_OK,
     NULL},
    {"a flag that tells of a store, by fences",
     {TRIGGER STORE "membar.gl;\n" SYNC "@%p1 st.volatile.global.u32 [%d3], 1;\n",
      "ld.volatile.global.u32 %r3, [%d3];\nmembar.gl;\n" LOAD},
     SECOND,
     GG_OK,
     NULL},
    {"a flag that tells nothing",
     {TRIGGER STORE SYNC "@%p1 st.relaxed.gpu.global.u32 [%d3], 1;\n",
      "ld.acquire.gpu.global.u32 %r3, [%d3];\n" LOAD},
     SECOND,
     GG_E_EMU_RACE,
     NULL},

    {"the one ahead lets nobody begin", {AFTER, STORE, LOAD}, SECOND | THIRD, GG_E_EMU_RACE, NULL},
    {"the one ahead has read alone",
     {AFTER, LOAD, STORE_9},
     SECOND | THIRD,
     GG_E_EMU_RELAXED,
     NULL},
};

enum { row_count = sizeof rows / sizeof *rows };

static gg_status launch(emu_device *device, const char *body, uint64_t memory, bool beside,
                        emu_succession *stream, gg_error *err) {
  char text[8192];
  emu_module *module;
  int length = snprintf(text, sizeof text, "%s%s%s", HEAD, body, TAIL);
  emu_launch_config config = {.grid = {2, 1, 1},
                              .block = {64, 1, 1},
                              .params = &memory,
                              .beside = beside,
                              .succession = stream};
  gg_status st = emu_module_load(&module, device, "k.ptx", text, (size_t)length, err);
  if (!st) st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
  if (!st) emu_module_unload(device, module); /* what is remembered of it outlives it */
  return st;
}

/* The status of the last launch; those before it are right. */
static gg_status run(const row *r, const emu_options *options, gg_error *err) {
  static const uint32_t zeros[words];
  emu_device *device = NULL;
  emu_succession stream = {0};
  uint64_t memory = 0;
  gg_status st = emu_device_open(&device, options, err);
  if (!st) st = emu_memory_alloc(&memory, device, sizeof zeros, 256, err);
  if (!st) st = emu_memory_write(device, memory, zeros, sizeof zeros, err);
  for (int i = 0; i < launches_most && r->kernels[i]; i++) {
    ck_assert_msg(!st, "%s: launch %d: %s", r->name, i, err->message);
    st = launch(device, r->kernels[i], memory, r->beside >> i & 1, &stream, err);
  }
  emu_device_close(device);
  return st;
}

static void check(const row *r, const emu_options *options) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = run(r, options, &err);
  ck_assert_msg(st == r->expected, "%s, seed %d: %s", r->name, (int)options->seed,
                st ? err.message : "nothing is found");
  if (r->says) ck_assert_msg(strstr(err.message, r->says) != NULL, "%s: %s", r->name, err.message);
  gg_error_clear(&err);
}

START_TEST(what_is_too_early_is_found) {
  emu_options options = {.threads = 1, .severities = emu_severities_all(EMU_SEVERITY_FAULT)};
  check(&rows[_i], &options);
  options.threads = 2;
  check(&rows[_i], &options);
  options.threads = 1;
  options.random = true;
  for (options.seed = 1; options.seed <= seeds; options.seed++)
    check(&rows[_i], &options);
}
END_TEST

START_TEST(nothing_is_found_where_nobody_asks) {
  emu_options options = {.threads = 1, .severities = emu_severities_all(EMU_SEVERITY_OFF)};
  gg_error err = GG_ERROR_INIT;
  ck_assert_msg(!run(&rows[_i], &options, &err), "%s", err.message);
}
END_TEST

/* Numbers of accesses are dropped in between, and what has been found is found again. */
START_TEST(a_long_row_of_launches) {
  enum { long_row = 3000, stores = 40 };
  static char many[stores * 40 + 100];
  emu_options options = {.threads = 1, .severities = emu_severities_all(EMU_SEVERITY_FAULT)};
  emu_device *device;
  emu_module *module;
  emu_succession stream = {0};
  uint64_t memory;
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  strcpy(many, TRIGGER WAIT);
  for (int i = 0; i < stores; i++)
    strcat(many, STORE);
  gg_str_printf(&text, "%s%s%s", HEAD, many, TAIL);
  ck_assert(!emu_device_open(&device, &options, &err));
  ck_assert(!emu_memory_alloc(&memory, device, 4 * words, 256, &err));
  ck_assert(!emu_module_load(&module, device, "k.ptx", gg_str_text(&text), text.length, &err));
  emu_launch_config config = {.grid = {1, 1, 1},
                              .block = {32, 1, 1},
                              .params = &memory,
                              .beside = true,
                              .succession = &stream};
  for (int i = 0; i < long_row; i++)
    ck_assert_msg(!emu_launch(device, emu_module_kernel(module, "k"), &config, &err), "%s",
                  err.message);
  ck_assert_int_eq(launch(device, LOAD, memory, true, &stream, &err), GG_E_EMU_RACE);
  gg_error_clear(&err);
  gg_str_free(&text);
  emu_device_close(device);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("beside");
  TCase *cases = tcase_create("launches");
  tcase_add_loop_test(cases, what_is_too_early_is_found, 0, row_count);
  tcase_add_loop_test(cases, nothing_is_found_where_nobody_asks, 0, row_count);
  tcase_add_test(cases, a_long_row_of_launches);
  tcase_set_timeout(cases, 60);
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
