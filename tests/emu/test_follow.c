/* A byte that is followed: copies that bring it to shared memory, reads there until it is written
 * over, loads from global memory. Tensor copies and products are followed by tests/page/. */
#include <stdio.h>
#include <string.h>

#include "emu/emu.h"
#include "emu/follow.h"
#include "suite.h"

static const char ptx[] =
    ".version 8.0\n"
    ".target sm_90a\n"
    ".address_size 64\n"
    ".visible .entry k(.param .u64 in) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .b16 %h<4>;\n"
    ".shared .align 8 .b64 flag;\n"
    ".shared .align 16 .b8 box[1024];\n"
    "ld.param.u64 %d1, [in]; mov.u32 %r4, box; mov.u32 %r3, flag; mov.u32 %r1, %tid.x;\n"
    "shl.b32 %r2, %r1, 4; cvt.u64.u32 %d2, %r2; add.u64 %d2, %d1, %d2; add.u32 %r5, %r4, %r2;\n"
    "cp.async.ca.shared.global [%r5], [%d2], 16;\n" /* lane 2 copies bytes 32 to 47 */
    "cp.async.wait_all;\n"
    "bar.warp.sync 0xffffffff;\n"
    "ld.shared.u8 %h1, [%r4+37];\n"
    "ld.shared.u8 %h1, [%r4+36];\n" /* another byte */
    "setp.ne.u32 %p1, %r1, 0;\n"
    "@%p1 bra DONE;\n"
    "mov.u16 %h1, 7;\n"
    "st.shared.u8 [%r4+37], %h1;\n"
    "ld.shared.u8 %h1, [%r4+37];\n" /* what it reads is no copy of the byte */
    "ld.global.u8 %h1, [%d1+37];\n"
    "fence.proxy.async.shared::cta;\n"
    "mbarrier.init.shared::cta.b64 [%r3], 1;\n"
    "fence.mbarrier_init.release.cluster;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 64;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+512], [%d1], 64,"
    " [%r3];\n"
    "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n"
    "@!%p2 bra W;\n"
    "ld.shared.u8 %h1, [%r4+549];\n"
    "DONE: ret;\n"
    "}\n";

/* Launches the kernel, whose byte 37 is followed, or none. */
static void run(gg_str *out, bool follows) {
  emu_options options = {.arch = 90, .threads = 1};
  gg_error err = GG_ERROR_INIT;
  emu_device *device;
  emu_module *module;
  emu_follow *follow = NULL;
  uint64_t address;
  ck_assert_msg(!emu_device_open(&device, &options, &err), "%s", err.message);
  ck_assert_msg(!emu_module_load(&module, device, "k.ptx", ptx, strlen(ptx), &err), "%s",
                err.message);
  ck_assert_msg(!emu_memory_alloc(&address, device, 1024, 256, &err), "%s", err.message);
  ck_assert_msg(!emu_memory_fill(device, address, 1, 1024, &err), "%s", err.message);
  if (follows) ck_assert_msg(!emu_follow_open(&follow, address + 37, &err), "%s", err.message);
  emu_launch_config config = {
      .grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &address, .follow = follow};
  ck_assert_msg(!emu_launch(device, emu_module_kernel(module, "k"), &config, &err), "%s",
                err.message);
  if (follow) emu_follow_json(out, follow);
  emu_follow_close(follow);
  emu_device_close(device);
}

/* A member of the `i`th event, as text. */
static const char *member(char out[32], const char *json, int i, const char *name) {
  const char *at = json;
  for (int k = 0; k <= i && at; k++)
    at = strstr(at + 1, "{\"what\"");
  ck_assert_ptr_nonnull(at);
  const char *found = strstr(at, name);
  ck_assert_ptr_nonnull(found);
  found += strlen(name);
  snprintf(out, 32, "%.*s", (int)strcspn(found, ",}"), found);
  return out;
}

START_TEST(a_byte_is_followed) {
  gg_str text = GG_STR_INIT;
  char word[32];
  run(&text, true);
  const char *json = gg_str_text(&text);
  static const char *const whats[] = {"copied", "read", "loaded", "copied", "read"};
  size_t count = 0;
  for (const char *at = json; (at = strstr(at, "\"what\":\"")); count++) {
    at += strlen("\"what\":\"");
    ck_assert_msg(count < 5 && !strncmp(at, whats[count], strlen(whats[count])), "%s", json);
  }
  ck_assert_msg(count == 5, "%s", json);
  /* `flag` has 8 bytes, and the box begins at the next 16. */
  ck_assert_str_eq(member(word, json, 0, "\"to\":"), "53");
  ck_assert_str_eq(member(word, json, 0, "\"line\":"), "10");
  ck_assert_str_eq(member(word, json, 1, "\"at\":"), "53");
  ck_assert_str_eq(member(word, json, 1, "\"line\":"), "13");
  ck_assert_str_eq(member(word, json, 2, "\"lane\":"), "0");
  ck_assert_str_eq(member(word, json, 3, "\"to\":"), "565");
  ck_assert_str_eq(member(word, json, 4, "\"at\":"), "565");
  gg_str_free(&text);
}
END_TEST

START_TEST(nothing_is_followed) {
  gg_str text = GG_STR_INIT;
  run(&text, false);
  ck_assert_uint_eq(text.length, 0);
  gg_str_free(&text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("emu follow");
  TCase *tcase = tcase_create("follow");
  tcase_add_test(tcase, a_byte_is_followed);
  tcase_add_test(tcase, nothing_is_followed);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
