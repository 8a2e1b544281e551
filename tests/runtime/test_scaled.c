/* Blocks of D with a scale factor each: how they are rounded, and that a result with its factors is
 * the next product's A. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "fixture.h"
#include "gemmgen_emu.h"
#include "number.h"
#include "scaled.h"
#include "suite.h"
#include "trial.h"

/* ---- Rounding ----------------------------------------------------------------------------- */

static double factor_of(gg_dtype d, gg_dtype factors, double largest) {
  const gg_expected x[] = {{largest / 2, 0}, {-largest, 0}};
  gg_expected out = gg_scaled_factor(d, factors, x, 2);
  ck_assert(out.bound == 0);
  return out.value;
}

/* Powers of two are the least by which nothing is too large; e4m3 is the nearest, 448 at most. */
START_TEST(factors_are_rounded) {
  static const struct {
    gg_dtype d, factors;
    double largest, factor;
  } rows[] = {
      {GG_DTYPE_e4m3, GG_DTYPE_ue8m0, 448, 1},
      {GG_DTYPE_e4m3, GG_DTYPE_ue8m0, 448.00003, 2},
      {GG_DTYPE_e4m3, GG_DTYPE_ue8m0, 447.99997, 1},
      {GG_DTYPE_e4m3, GG_DTYPE_ue8m0, 224.00002, 1},
      {GG_DTYPE_e4m3, GG_DTYPE_ue8m0, 0, 0x1p-127},
      {GG_DTYPE_e4m3, GG_DTYPE_ue8m0, 1e-40, 0x1p-127},
      {GG_DTYPE_e5m2, GG_DTYPE_ue8m0, 57344, 1},
      {GG_DTYPE_e5m2, GG_DTYPE_ue8m0, 57344.004, 2},
      {GG_DTYPE_e2m1, GG_DTYPE_ue8m0, 6, 1},
      {GG_DTYPE_e2m1, GG_DTYPE_ue8m0, 6.0000005, 2},
      {GG_DTYPE_e2m1, GG_DTYPE_ue8m0, 3e38, 0x1p126},
      {GG_DTYPE_e2m1, GG_DTYPE_ue4m3, 6, 1},
      {GG_DTYPE_e2m1, GG_DTYPE_ue4m3, 6.3, 1},
      {GG_DTYPE_e2m1, GG_DTYPE_ue4m3, 6.5, 1.125},
      {GG_DTYPE_e2m1, GG_DTYPE_ue4m3, 1e6, 448},
      {GG_DTYPE_e2m1, GG_DTYPE_ue4m3, 0.005, 0},
      {GG_DTYPE_e2m1, GG_DTYPE_ue4m3, 0.006, 0x1p-9},
  };
  double got = factor_of(rows[_i].d, rows[_i].factors, rows[_i].largest);
  ck_assert_msg(got == rows[_i].factor, "row %d: %g", _i, got);
}
END_TEST

/* What is known within bounds has a factor within bounds, and elements. */
START_TEST(bounds_are_kept) {
  const gg_expected x[] = {{440, 16}, {3, 0.5}};
  gg_expected factor = gg_scaled_factor(GG_DTYPE_e4m3, GG_DTYPE_ue8m0, x, 2);
  ck_assert(factor.value == 1.5 && factor.bound == 0.5);
  gg_expected element = gg_scaled_element(GG_DTYPE_e4m3, GG_DTYPE_ue8m0, 128, x[1]);
  ck_assert(element.value == 1.5 && element.bound == 0.25);
  element = gg_scaled_element(GG_DTYPE_e4m3, GG_DTYPE_ue8m0, 127, (gg_expected){-460, 0});
  ck_assert(element.value == -448 && element.bound == 0);
  element = gg_scaled_element(GG_DTYPE_e2m1, GG_DTYPE_ue4m3, 0, (gg_expected){0, 0});
  ck_assert(element.value == 0 && element.bound == 0);
}
END_TEST

/* ---- One product behind the other --------------------------------------------------------- */

static gg_context *open_emulator(gg_error *err) {
  gg_context *context;
  gg_emu_options emulated = GG_EMU_OPTIONS_INIT;
  ck_assert_int_eq(gg_emu_options_init(&emulated), 0);
  emulated.arch = 100;
  ck_assert_int_eq(gg_emu_configure(&emulated), 0);
  const gg_compiler_options compiler = {.size = sizeof compiler, .cache = fixture_directory()};
  const gg_context_options options = {
      .size = sizeof options, .provider = GG_PROVIDER_EMU, .compiler = &compiler};
  ck_assert_msg(gg_context_open(&context, &options, err) == GG_OK, "%s", err->message);
  return context;
}

/* A kernel, a problem with random operands, and how its result is judged. */
typedef struct product {
  gg_kernel *kernel;
  gg_module *module;
  gg_trial_inputs inputs;
  gg_trial trial;
} product;

static gg_status open_product(product *out, gg_context *context, const char *text, gg_problem shape,
                              gg_error *err) {
  gg_spec_file *file;
  const gg_trial_options options = {.least_aligned = true};
  gg_status st = gg_spec_file_parse(&file, text, strlen(text), "test.yaml", err);
  if (st) return st;
  st = gg_kernel_generate(&out->kernel, gg_spec_file_get(file, 0), err);
  gg_spec_file_free(file);
  if (!st) st = gg_module_load(&out->module, context, out->kernel, err);
  if (!st) st = gg_trial_inputs_make(&out->inputs, out->kernel, GG_INPUTS_NORMAL, shape.k, 3, err);
  if (!st)
    st = gg_trial_open(&out->trial, context, out->kernel, &shape, &options, &out->inputs, err);
  return st;
}

static void close_product(product *p) {
  gg_trial_close(&p->trial);
  gg_trial_inputs_free(&p->inputs);
  gg_module_free(p->module);
  gg_kernel_free(p->kernel);
}

/* Of what is there, whoever wrote it. */
static gg_status judge(bool *right, product *p, gg_host_inputs inputs, gg_error *err) {
  gg_sample sample = {0};
  gg_reference reference = {0};
  gg_verdict verdict = {0};
  const gg_problem *problem = &p->trial.problem;
  gg_status st = gg_sample_choose(&sample, problem, 0, INT64_MAX, 1, err);
  if (!st) st = gg_reference_on_host(&reference, p->kernel, problem, inputs, &sample, err);
  if (!st) st = gg_trial_check(&verdict, &p->trial, &sample, &reference, err);
  *right = gg_verdict_passed(&verdict);
  gg_reference_free(&reference);
  gg_sample_free(&sample);
  return st;
}

static gg_status run_and_judge(bool *right, product *p, gg_host_inputs inputs, gg_error *err) {
  gg_status st = gg_trial_run(&p->trial, p->module, NULL, err);
  return st ? st : judge(right, p, inputs, err);
}

/* The second product reads the first one's D and factors where they are: 200 columns are 7 blocks
 * of 32 and a cut one, or 13 of 16 of which the last is cut; rows of atoms beyond M are NaN. */
START_TEST(a_result_is_the_next_operand) {
  static const char *const texts[][2] = {
      {"arch: sm_100a\na: bf16\nb: bf16\nd: {type: e4m3, scale: ue8m0}\ntile: [128, 64, 64]\n",
       "arch: sm_100a\na: {type: e4m3, scale: ue8m0}\nb: {type: e4m3, scale: ue8m0}\nd: bf16\n"},
      {"arch: sm_100a\na: bf16\nb: bf16\nd: {type: e2m1, scale: ue4m3}\ntile: [128, 64, 64]\n",
       "arch: sm_100a\na: {type: e2m1, scale: ue4m3}\nb: {type: e2m1, scale: ue4m3}\nd: bf16\n"},
  };
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  product first = {0}, second = {0};
  bool right = false;
  gg_problem shape = {.m = 150, .n = 200, .k = 40, .batch = 2, .alpha = 1};
  gg_status st = open_product(&first, context, texts[_i][0], shape, &err);
  if (!st) st = run_and_judge(&right, &first, gg_trial_host_inputs(&first.trial), &err);
  ck_assert_msg(!st && right, "first: %s", err.message);
  shape.k = shape.n, shape.n = 70;
  st = open_product(&second, context, texts[_i][1], shape, &err);
  const gg_problem *from = &first.trial.problem;
  gg_problem *to = &second.trial.problem;
  to->a = from->d, to->lda = from->ldd, to->batch_stride_a = from->batch_stride_d;
  to->scale_a = from->scale_d, to->batch_stride_scale_a = from->batch_stride_scale_d;
  gg_host_inputs inputs = gg_trial_host_inputs(&second.trial);
  inputs.a = first.trial.d.host + first.trial.d.lead;
  inputs.scale_a = first.trial.scale_d.host + first.trial.scale_d.lead;
  if (!st) st = run_and_judge(&right, &second, inputs, &err);
  ck_assert_msg(!st && right, "second: %s", err.message);
  close_product(&first);
  close_product(&second);
  gg_context_close(context);
}
END_TEST

/* What a kernel may do wrong: of rows of 40 columns, which are 2 blocks of 32, with factors of 0
 * for 2 more; rows are 33 of the 128 of an atom. One byte is written over. */
static const struct {
  const char *what;
  bool of_factors;
  int64_t byte;
  unsigned char changed; /* exclusive or */
} faults[] = {
    {"nothing", true, 0, 0},          {"a factor", true, 1, 1},
    {"an unwritten one", true, 0, 0}, {"what pads a row", true, 2, 1},
    {"a row beyond M", true, 4, 1},   {"behind the atoms", true, 512, 1},
    {"an element", false, 39, 0x40},  {"behind a row", false, 40, 1},
};

START_TEST(faults_are_seen) {
  static const char text[] =
      "arch: sm_100a\na: bf16\nb: bf16\nd: {type: e4m3, scale: ue8m0}\ntile: [64, 64, 64]\n";
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  product p = {0};
  bool right = false;
  gg_problem shape = {.m = 33, .n = 40, .k = 64, .batch = 1, .alpha = 1};
  gg_status st = open_product(&p, context, text, shape, &err);
  if (!st) st = run_and_judge(&right, &p, gg_trial_host_inputs(&p.trial), &err);
  ck_assert_msg(!st && right, "first: %s", err.message);
  const gg_trial_buffer *buffer = faults[_i].of_factors ? &p.trial.scale_d : &p.trial.d;
  unsigned char byte = buffer->host[buffer->lead + faults[_i].byte] ^ faults[_i].changed;
  bool unwritten = strstr(faults[_i].what, "unwritten") != NULL;
  if (unwritten) byte = 0xff;
  uint64_t at = buffer->device + (uint64_t)(buffer->lead + faults[_i].byte);
  ck_assert_int_eq(gg_memory_write(context, at, &byte, 1, &err), GG_OK);
  st = judge(&right, &p, gg_trial_host_inputs(&p.trial), &err);
  ck_assert_msg(!st, "%s", err.message);
  ck_assert_msg(right == (_i == 0), "%s", faults[_i].what);
  close_product(&p);
  gg_context_close(context);
}
END_TEST

/* ---- The packer --------------------------------------------------------------------------- */

static const struct {
  int rows, k, block, ld, batch;
} packed[] = {{1, 1, 32, 1, 1},    {150, 210, 16, 19, 3},   {128, 128, 32, 4, 1},
              {129, 33, 32, 2, 2}, {300, 4200, 32, 140, 1}, {257, 1000, 16, 63, 2}};

/* On the device as on the host, every byte; and nothing behind it. */
START_TEST(the_device_packs_as_the_host) {
  enum { poison = 0xee };
  const int rows = packed[_i].rows, ld = packed[_i].ld, batch = packed[_i].batch;
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_packer *packer;
  int64_t bytes;
  ck_assert_msg(gg_packer_open(&packer, context, &err) == GG_OK, "%s", err.message);
  ck_assert_int_eq(gg_scales_bytes(&bytes, rows, packed[_i].k, packed[_i].block, &err), GG_OK);
  size_t all_from = (size_t)rows * (size_t)ld * (size_t)batch, stride = (size_t)bytes + 16;
  unsigned char *from = malloc(all_from), *want = malloc(stride * (size_t)batch),
                *got = malloc(stride * (size_t)batch);
  for (size_t i = 0; i < all_from; i++)
    from[i] = (unsigned char)(1 + i % 251);
  memset(want, poison, stride * (size_t)batch);
  for (size_t i = 0; i < (size_t)batch; i++) {
    const unsigned char *rows_of = from + i * (size_t)rows * (size_t)ld;
    ck_assert_int_eq(
        gg_scales_pack(want + i * stride, rows_of, rows, packed[_i].k, packed[_i].block, ld, &err),
        GG_OK);
  }
  gg_packing p = GG_PACKING_INIT;
  p.rows = rows, p.k = packed[_i].k, p.block = packed[_i].block, p.ld = ld, p.batch = batch;
  p.batch_stride_to = (int64_t)stride, p.batch_stride_from = (int64_t)rows * ld;
  memset(got, poison, stride * (size_t)batch);
  ck_assert_int_eq(gg_memory_alloc(&p.to, context, stride * (size_t)batch, &err), GG_OK);
  ck_assert_int_eq(gg_memory_alloc(&p.from, context, all_from, &err), GG_OK);
  ck_assert_int_eq(gg_memory_write(context, p.to, got, stride * (size_t)batch, &err), GG_OK);
  ck_assert_int_eq(gg_memory_write(context, p.from, from, all_from, &err), GG_OK);
  ck_assert_msg(gg_packer_launch(packer, &p, NULL, &err) == GG_OK, "%s", err.message);
  ck_assert_msg(gg_synchronize(context, NULL, &err) == GG_OK, "%s", err.message);
  ck_assert_int_eq(gg_memory_read(context, got, p.to, stride * (size_t)batch, &err), GG_OK);
  ck_assert_mem_eq(got, want, stride * (size_t)batch);
  gg_memory_free(context, p.to);
  gg_memory_free(context, p.from);
  free(from);
  free(want);
  free(got);
  gg_packer_close(packer);
  gg_context_close(context);
}
END_TEST

/* All is checked before the device is touched. */
START_TEST(the_packer_checks) {
  const struct {
    gg_packing p;
    gg_status status;
    const char *part;
  } rows[] = {
      {{.to = 16, .from = 1, .rows = 0, .k = 64, .block = 32, .batch = 1}, GG_OK, NULL},
      {{.to = 16, .from = 1, .rows = 9, .k = 64, .block = 32, .ld = 2}, GG_OK, NULL},
      {{.to = 16, .from = 1, .rows = 9, .k = 64, .block = 24, .ld = 2, .batch = 1},
       GG_E_PROBLEM_SIZE,
       "a factor of 24 elements"},
      {{.to = 16, .from = 1, .rows = 9, .k = 65, .block = 32, .ld = 2, .batch = 1},
       GG_E_PROBLEM_LD,
       "ld = 2 is less than factors = 3"},
      {{.to = 16, .from = 1, .rows = 9, .k = 65, .block = 32, .ld = 3, .batch = -1},
       GG_E_PROBLEM_EXTENT,
       "batch = -1"},
      {{.to = 16, .rows = 9, .k = 65, .block = 32, .ld = 3, .batch = 1},
       GG_E_PROBLEM_POINTER,
       "the pointer to from is null"},
      {{.to = 24, .from = 1, .rows = 9, .k = 65, .block = 32, .ld = 3, .batch = 1},
       GG_E_PROBLEM_ALIGN,
       "to = 24 is not a multiple of the 16 bytes"},
      {{.to = 16, .from = 1, .rows = 9, .k = 65, .block = 32, .ld = 3, .batch = 2},
       GG_E_PROBLEM_STRIDE,
       "batch_stride_to = 0"},
      {{.to = 16,
        .from = 1,
        .rows = 9,
        .k = 65,
        .block = 32,
        .ld = 3,
        .batch = 2,
        .batch_stride_to = 520},
       GG_E_PROBLEM_ALIGN,
       "batch_stride_to = 520"},
      {{.to = 16,
        .from = 1,
        .rows = 9,
        .k = 65,
        .block = 32,
        .ld = 3,
        .batch = 2,
        .batch_stride_to = 512,
        .batch_stride_from = -1},
       GG_E_PROBLEM_STRIDE,
       "batch_stride_from = -1"},
      {{.to = 16, .from = 1, .rows = INT64_C(1) << 40, .k = 65, .block = 32, .ld = 3, .batch = 1},
       GG_E_PROBLEM_SIZE,
       "more than one launch packs"},
  };
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_packer *packer;
  ck_assert_msg(gg_packer_open(&packer, context, &err) == GG_OK, "%s", err.message);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_packing p = rows[i].p;
    p.size = sizeof p;
    gg_status st = gg_packer_launch(packer, &p, NULL, &err);
    ck_assert_msg(st == rows[i].status, "row %zu: %s", i, st ? err.message : "no error");
    if (st) assert_error(&err, st, rows[i].part);
  }
  gg_packing unsized = {.rows = 1};
  ck_assert_int_eq(gg_packer_launch(packer, &unsized, NULL, &err), GG_E_STRUCT_SIZE);
  gg_error_clear(&err);
  gg_packer_close(packer);
  gg_context_close(context);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("scaled");
  TCase *tests = tcase_create("scaled");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, factors_are_rounded, 0, 17);
  tcase_add_test(tests, bounds_are_kept);
  if (fixture_has_nvrtc()) {
    tcase_add_loop_test(tests, a_result_is_the_next_operand, 0, 2);
    tcase_add_loop_test(tests, faults_are_seen, 0, sizeof faults / sizeof *faults);
    tcase_add_loop_test(tests, the_device_packs_as_the_host, 0, sizeof packed / sizeof *packed);
    tcase_add_test(tests, the_packer_checks);
  }
  suite_add_tcase(suite, tests);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
