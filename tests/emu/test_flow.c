/* Divergence: programs of random jumps, conditional and by table, calls among them, in which each
 * lane goes a way of its own. A warp of 32 lanes must give what 32 warps of one lane give. */
#include <inttypes.h>
#include <string.h>

#include "emu/emu.h"
#include "suite.h"

enum { programs = 60, lanes = 32, warps = 2 };

static uint64_t state;

static uint32_t random_below(uint32_t most) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % most;
}

/* What ends a block: a branch, a table, a call and a jump, or nothing. */
static void put_end(gg_str *text, uint32_t block, uint32_t blocks) {
  uint32_t bit = random_below(31);
  switch (random_below(5)) {
  case 0:
    break;
  case 1:
    gg_str_printf(text, "  shr.u32 %%r4, %%r2, %u;\n  and.b32 %%r4, %%r4, 3;\n", bit);
    gg_str_printf(text, "  t%u: .branchtargets B%u, B%u, B%u, B%u;\n", block, random_below(blocks),
                  random_below(blocks), random_below(blocks), random_below(blocks));
    gg_str_printf(text, "  brx.idx %%r4, t%u;\n", block);
    break;
  case 2:
    gg_str_printf(text, "  call (%%r2), mix, (%%r2);\n");
    /* fall through */
  default:
    gg_str_printf(text,
                  "  shr.u32 %%r4, %%r2, %u;\n  and.b32 %%r4, %%r4, 1;\n"
                  "  setp.eq.u32 %%p1, %%r4, 1;\n  @%sp1 bra B%u;\n",
                  bit, random_below(2) ? "%" : "!%", random_below(blocks));
  }
}

static void put_program(gg_str *text) {
  uint32_t blocks = 2 + random_below(20);
  gg_str_puts(text, ".version 8.6\n.target sm_90\n.address_size 64\n"
                    ".func (.reg .u32 %y) mix(.reg .u32 %x)\n{\n"
                    "  .reg .pred %p;\n  .reg .u32 %z;\n"
                    "  and.b32 %z, %x, 4;\n  setp.eq.u32 %p, %z, 0;\n"
                    "  xor.b32 %y, %x, 305419896;\n  @%p ret;\n"
                    "  mul.lo.u32 %y, %y, 69069;\n  ret;\n}\n"
                    ".visible .entry k(.param .u64 out)\n{\n"
                    "  .reg .pred %p<4>;\n  .reg .b32 %r<8>;\n  .reg .b64 %d<4>;\n"
                    "  ld.param.u64 %d1, [out];\n"
                    "  mad.lo.u32 %r1, %ctaid.x, %ntid.x, %tid.x;\n"
                    "  mul.wide.u32 %d2, %r1, 4;\n  add.s64 %d1, %d1, %d2;\n"
                    "  mul.lo.u32 %r2, %r1, 2654435761;\n  mov.u32 %r3, 200;\n");
  for (uint32_t i = 0; i < blocks; i++) {
    gg_str_printf(text,
                  "B%u:\n  mad.lo.u32 %%r2, %%r2, 1664525, %u;\n  sub.u32 %%r3, %%r3, 1;\n"
                  "  setp.eq.u32 %%p2, %%r3, 0;\n  @%%p2 bra END;\n",
                  i, random_below(1u << 30) | 1);
    put_end(text, i, blocks);
  }
  gg_str_puts(text, "END:\n  st.global.u32 [%d1], %r2;\n  ret;\n}\n");
}

static void run(uint32_t *out, const gg_str *text, unsigned grid, unsigned block,
                emu_options options) {
  gg_error err = GG_ERROR_INIT;
  emu_device *device;
  emu_module *module;
  uint64_t address;
  ck_assert(!emu_device_open(&device, &options, &err));
  ck_assert(!emu_memory_alloc(&address, device, lanes * warps * 4, 0, &err));
  gg_status st =
      emu_module_load(&module, device, "flow.ptx", gg_str_text(text), text->length, &err);
  ck_assert_msg(!st, "line %d: %s\n%s", err.line, err.message, gg_str_text(text));
  emu_launch_config config = {.grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = &address};
  st = emu_launch(device, emu_module_kernel(module, "k"), &config, &err);
  ck_assert_msg(!st, "line %d: %s\n%s", err.line, err.message, gg_str_text(text));
  ck_assert(!emu_memory_read(device, out, address, lanes * warps * 4, &err));
  emu_device_close(device);
}

START_TEST(test_random_flow) {
  state = (uint64_t)_i * 7919 + 1;
  gg_str text = GG_STR_INIT;
  uint32_t alone[lanes * warps], together[lanes * warps];
  put_program(&text);
  run(alone, &text, lanes * warps, 1, (emu_options){.threads = 1});
  for (uint64_t seed = 0; seed < 3; seed++) {
    emu_options options = {.threads = 1, .random = seed > 0, .seed = seed};
    run(together, &text, 1, lanes * warps, options);
    for (int i = 0; i < lanes * warps; i++) {
      ck_assert_msg(alone[i] == together[i],
                    "program %d, seed %d, lane %d: %" PRIx32 ", alone %" PRIx32 "\n%s", _i,
                    (int)seed, i, together[i], alone[i], gg_str_text(&text));
    }
  }
  gg_str_free(&text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("emu flow");
  TCase *tests = tcase_create("flow");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_random_flow, 0, programs);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
