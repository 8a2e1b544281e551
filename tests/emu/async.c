/* See async.h. */
#include "async.h"

#include <stdio.h>

#include "emu/async/tensor_map.h"

enum { seeds = 50, compared = words - 32 }; /* the rest is scratch */

/* ---- Running ---------------------------------------------------------------------------- */

static gg_status encode(uint8_t out[EMU_TENSOR_MAP_BYTES], uint64_t address, uint32_t columns,
                        gg_error *err) {
  emu_tensor_map map = {.type = EMU_TENSOR_U32,
                        .rank = 2,
                        .address = address,
                        .dims = {columns, 64},
                        .strides = {128},
                        .box = {32, 8},
                        .element_strides = {1, 1},
                        .swizzle = EMU_SWIZZLE_128B};
  return emu_tensor_map_encode(out, &map, 90, err);
}

gg_status async_run(uint32_t out[words], const uint32_t in[words], const async_kernel *k,
                    const char *text, const emu_options *options, gg_error *err) {
  emu_device *device = NULL;
  emu_module *module;
  struct {
    uint64_t in, out;
    uint8_t pad[48], maps[2][EMU_TENSOR_MAP_BYTES];
  } params = {0};
  emu_launch_config config = {
      .grid = {k->grid, 1, 1}, .block = {k->block, 1, 1}, .params = &params};
  if (k->cluster) memcpy(config.cluster, (unsigned[3]){k->cluster, 1, 1}, sizeof config.cluster);
  gg_status st = emu_device_open(&device, options, err);
  if (!st) st = emu_memory_alloc(&params.in, device, words * 4, 1024, err);
  if (!st) st = emu_memory_alloc(&params.out, device, words * 4, 1024, err);
  if (!st) st = emu_memory_write(device, params.in, in, words * 4, err);
  if (!st) st = emu_memory_write(device, params.out, out, words * 4, err);
  if (!st) st = encode(params.maps[0], params.in, 32, err);
  if (!st) st = encode(params.maps[1], params.out, k->columns, err);
  if (!st) st = emu_module_load(&module, device, k->name, text, strlen(text), err);
  if (!st) st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
  if (!st) st = emu_memory_read(device, out, params.out, words * 4, err);
  emu_device_close(device);
  return st;
}

void async_fill(uint32_t in[words], uint32_t out[words]) {
  for (uint32_t i = 0; i < words; i++) {
    in[i] = i * 2654435761u;
    out[i] = i;
  }
}

/* ---- Checks ----------------------------------------------------------------------------- */

static void check_right(const async_kernel *k, const emu_options *options) {
  static uint32_t in[words], out[words], expected[words];
  gg_error err = GG_ERROR_INIT;
  async_fill(in, out);
  memcpy(expected, out, sizeof out);
  k->expect(expected, in);
  gg_status st = async_run(out, in, k, k->text, options, &err);
  ck_assert_msg(!st, "%s, seed %d: line %d: %s", k->name, (int)options->seed, err.line,
                err.message);
  for (int i = 0; i < compared; i++) {
    ck_assert_msg(out[i] == expected[i], "%s, seed %d: out[%d] = %u, not %u", k->name,
                  (int)options->seed, i, out[i], expected[i]);
  }
  gg_error_clear(&err);
}

static void check_kernel(const async_kernel *k) {
  emu_options options = {.threads = 1, .severities = emu_severities_all(EMU_SEVERITY_FAULT)};
  check_right(k, &options);
  options.threads = 4;
  check_right(k, &options);
  options.threads = 1;
  options.random = true;
  for (; options.seed < seeds; options.seed++)
    check_right(k, &options);
  options = (emu_options){.threads = 1, .severities = emu_severities_all(EMU_SEVERITY_OFF)};
  check_right(k, &options);
}

static const async_kernel *find_kernel(const char *name, const async_kernel *kernels, int count) {
  for (int i = 0; i < count; i++) {
    if (!strcmp(kernels[i].name, name)) return &kernels[i];
  }
  return NULL;
}

static void check_mutant(const async_mutant *m, const async_kernel *kernels, int count) {
  static uint32_t in[words], out[words], expected[words];
  const async_kernel *k = find_kernel(m->kernel, kernels, count);
  const char *at = strstr(k->text, m->from);
  char text[8192];
  ck_assert_msg(at, "%s has no %s", m->kernel, m->from);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - k->text), k->text, m->to,
           at + strlen(m->from));
  async_fill(in, out);
  memcpy(expected, out, sizeof out);
  k->expect(expected, in);
  emu_options options = {
      .threads = 1, .max_steps = 1000000, .severities = emu_severities_all(EMU_SEVERITY_FAULT)};
  gg_error err = GG_ERROR_INIT;
  gg_status st = async_run(out, in, k, text, &options, &err);
  ck_assert_msg(st || memcmp(out, expected, sizeof out), "%s without %s is right", m->kernel,
                m->from);
  if (st) ck_assert_msg(st >= GG_E_EMU_BOUNDS && st != GG_E_EMU_ENDLESS, "%s", err.message);
  gg_error_clear(&err);
}

/* ---- The suite -------------------------------------------------------------------------- */

static const async_kernel *the_kernels;
static const async_mutant *the_mutants;
static int the_kernel_count;

START_TEST(kernels_are_right) {
  check_kernel(&the_kernels[_i]);
}
END_TEST

START_TEST(mutants_are_caught) {
  check_mutant(&the_mutants[_i], the_kernels, the_kernel_count);
}
END_TEST

int async_main(const char *name, const async_kernel *kernels, int kernel_count,
               const async_mutant *mutants, int mutant_count) {
  the_kernels = kernels;
  the_kernel_count = kernel_count;
  the_mutants = mutants;
  Suite *suite = suite_create(name);
  TCase *right = tcase_create("right kernels"), *wrong = tcase_create("mutants");
  tcase_add_loop_test(right, kernels_are_right, 0, kernel_count);
  tcase_set_timeout(right, 60);
  suite_add_tcase(suite, right);
  tcase_add_loop_test(wrong, mutants_are_caught, 0, mutant_count);
  suite_add_tcase(suite, wrong);
  return run_suite(suite);
}
