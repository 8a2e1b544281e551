/* gg_gemm: forms, choices, results in the emulator, what is remembered and what was tuned. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "choice/catalogue.h"
#include "choice/form.h"
#include "complete.h"
#include "context.h"
#include "fake_driver.h"
#include "fixture.h"
#include "gemmgen_emu.h"
#include "inputs.h"
#include "number.h"
#include "problem.h"
#include "seen.h"
#include "suite.h"
#include "trial.h"
#include "tuned.h"

static gg_form form_of(gg_dtype in, gg_dtype out, gg_dtype accumulator) {
  gg_operand operand = {.type = in, .major = GG_MAJOR_K}, d = {.type = out, .major = GG_MAJOR_N};
  return (gg_form){.size = sizeof(gg_form),
                   .a = operand,
                   .b = operand,
                   .c = d,
                   .d = d,
                   .accumulator = accumulator};
}

static gg_context *open_emulator(gg_error *err) {
  gg_context *context;
  gg_context_options options = {.size = sizeof(gg_context_options),
                                .provider = GG_PROVIDER_EMU,
                                .compiler =
                                    &(gg_compiler_options){.size = sizeof(gg_compiler_options),
                                                           .cache = fixture_directory()}};
  ck_assert_msg(gg_context_open(&context, &options, err) == GG_OK, "%s", err->message);
  return context;
}

/* What is tuned on this machine does not count. */
static gg_gemm *open_gemm(gg_context *context, gg_error *err) {
  gg_gemm *gemm;
  ck_assert_msg(gg_gemm_open(&gemm, context,
                             &(gg_gemm_options){.size = sizeof(gg_gemm_options), .tuned = ""},
                             err) == GG_OK,
                "%s", err->message);
  return gemm;
}

/* ---- What is remembered --------------------------------------------------------------- */

START_TEST(seen_finds_all) {
  gg_seen seen;
  atomic_init(&seen.table, NULL);
  gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32), other = form;
  form.a.align = form.b.align = form.d.align = 16;
  other.epilogue = "[linear, relu]";
  for (int64_t i = 0; i < 1000; i++) {
    gg_problem p = {.size = sizeof(gg_problem), .m = i, .n = i % 7, .k = 64, .batch = 1};
    gg_seen_key key = gg_seen_key_of(i % 2 ? &form : &other, &p);
    ck_assert_ptr_null(gg_seen_find(&seen, &key));
    gg_seen_add(&seen, &key,
                &(gg_gemm_choice){.size = sizeof(gg_gemm_choice), .seconds = (double)i});
  }
  for (int64_t i = 0; i < 1000; i++) {
    gg_problem p = {.size = sizeof(gg_problem), .m = i, .n = i % 7, .k = 64, .batch = 1};
    gg_seen_key key = gg_seen_key_of(i % 2 ? &form : &other, &p);
    ck_assert_double_eq(gg_seen_find(&seen, &key)->seconds, (double)i);
    key = gg_seen_key_of(i % 2 ? &other : &form, &p);
    ck_assert_ptr_null(gg_seen_find(&seen, &key));
  }
  gg_seen_free(&seen);
}
END_TEST

START_TEST(seen_tells_forms_apart) {
  gg_form base = form_of(GG_DTYPE_f16, GG_DTYPE_f16, GG_DTYPE_f32);
  base.a.align = base.b.align = base.c.align = base.d.align = 16;
  enum { count = 16 };
  gg_form forms[count];
  for (int i = 0; i < count; i++)
    forms[i] = base;
  forms[1].a.major = GG_MAJOR_M;
  forms[2].b.type = GG_DTYPE_bf16;
  forms[3].d.align = 8;
  forms[4].accumulator = GG_DTYPE_f16;
  forms[5].has_c = true;
  forms[6].has_c = true, forms[6].c.type = GG_DTYPE_f32;
  forms[7].epilogue = "[]";
  forms[8].promote = 4;
  forms[9].scale_a = (gg_scaling){GG_DTYPE_ue8m0, 32};
  forms[10].scale_b = (gg_scaling){GG_DTYPE_ue8m0, 32};
  forms[11].scale_a = forms[11].scale_b = (gg_scaling){GG_DTYPE_ue8m0, 32};
  forms[12].scale_a = forms[12].scale_b = (gg_scaling){GG_DTYPE_ue8m0, 16};
  forms[13].scale_a = forms[13].scale_b = (gg_scaling){GG_DTYPE_ue4m3, 16};
  forms[14].sparse_a = true;
  forms[15].sparse_b = true;
  gg_problem p = GG_PROBLEM_INIT;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      gg_seen_key left = gg_seen_key_of(&forms[i], &p), right = gg_seen_key_of(&forms[j], &p);
      ck_assert_int_eq(gg_seen_same_form(&left, &right), i == j);
    }
  }
}
END_TEST

START_TEST(seen_counts_workspace) {
  static const int64_t bytes[][2] = {
      {0, 0}, {-1, 0}, {1, 1}, {63, 32}, {1 << 20, 1 << 20}, {INT64_MAX, 1LL << 62}};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    gg_problem p = {.size = sizeof(gg_problem), .workspace = 256, .workspace_bytes = bytes[i][0]};
    ck_assert_int_eq(gg_seen_workspace(&p), bytes[i][1]);
    p.workspace = 0;
    ck_assert_int_eq(gg_seen_workspace(&p), 0);
  }
}
END_TEST

/* ---- Results -------------------------------------------------------------------------- */

typedef struct gemm_case {
  gg_dtype in, out, accumulator;
  gg_major a, b, d;
  int64_t m, n, k, batch;
  float beta;
  int align;          /* of what the operands have, in bytes */
  const char *family; /* or another part of the kernel's name */
  int64_t workspace;  /* bytes */
  float alpha;        /* 0: 1 */
} gemm_case;

#define K   GG_MAJOR_K
#define M   GG_MAJOR_M
#define N   GG_MAJOR_N
#define F32 GG_DTYPE_f32
#define F64 GG_DTYPE_f64

static const gemm_case cases[] = {
    {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 64, 64, 64, 1, 0, 16, "", 0, 0},
    {GG_DTYPE_f16, GG_DTYPE_f16, F32, M, N, N, 72, 40, 24, 2, 0, 16, "", 0, 0},
    {GG_DTYPE_f16, GG_DTYPE_f16, F32, K, K, N, 64, 48, 32, 1, 0.5f, 16, "", 0, 0},
    {GG_DTYPE_bf16, GG_DTYPE_f32, F32, K, K, N, 33, 17, 19, 1, 0, 2, "", 0, 0},
    {GG_DTYPE_e4m3, GG_DTYPE_bf16, F32, K, K, N, 64, 32, 64, 1, 0, 16, "sm90", 0, 0},
    {GG_DTYPE_s8, GG_DTYPE_s32, GG_DTYPE_s32, K, K, N, 64, 32, 64, 1, 0, 16, "sm90", 0, 0},
    {GG_DTYPE_s8, GG_DTYPE_s8, GG_DTYPE_s32, K, K, N, 64, 32, 64, 1, 0, 16, "sm90", 0, 0.0625f},
    {GG_DTYPE_u8, GG_DTYPE_f16, GG_DTYPE_s32, K, K, N, 64, 32, 64, 1, 0, 16, "sm90", 0, 0.0625f},
    {GG_DTYPE_f16, GG_DTYPE_f16, F32, K, K, N, 8, 8, 0, 1, 0, 16, "", 0, 0},
    {F32, F32, F32, K, N, N, 65, 130, 35, 2, 0.5f, 4, "simt", 0, 0},
    {GG_DTYPE_s8, GG_DTYPE_s32, GG_DTYPE_s32, M, N, N, 66, 130, 35, 1, 0, 2, "sm80", 0, 0},
    {GG_DTYPE_e4m3, GG_DTYPE_bf16, F32, K, N, N, 66, 80, 48, 1, 0, 16, "sm90", 0, 0},
    {GG_DTYPE_e4m3, GG_DTYPE_bf16, F32, K, N, N, 66, 80, 48, 1, 0, 8, "sm80", 0, 0},
    {F64, F64, F64, M, K, N, 65, 66, 9, 1, 0.5f, 8, "sm80", 0, 0},
    {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 16, 64, 16384, 1, 0, 16, "c1x1x8", 0, 0},
    {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 16, 64, 1 << 17, 1, 0, 16, "split_k", 4 << 20, 0},
};

/* The same on other devices: before Hopper, where memories differ and what is chosen has room,
 * whichever architecture its spec names first; with tcgen05, of family sm100, whether tensor maps
 * can address A and B or not (Thor's multiprocessors are 20); and on those of consumers, whose
 * 8-bit floats are family sm120's. */
static const struct {
  int arch;
  gemm_case product;
} device_cases[] = {
    {80, {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 129, 257, 72, 1, 0.5f, 16, "sm80", 0, 0}},
    {86, {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 129, 257, 72, 1, 0.5f, 16, "sm_86", 0, 0}},
    {86, {GG_DTYPE_f16, GG_DTYPE_f16, F32, M, N, N, 264, 72, 40, 2, 0, 16, "sm_86", 0, 0}},
    {86, {GG_DTYPE_s8, GG_DTYPE_s32, GG_DTYPE_s32, K, K, N, 65, 40, 65, 1, 0, 1, "sm80_s8", 0, 0}},
    {86, {F32, F32, F32, K, N, N, 130, 67, 19, 1, 0.5f, 4, "simt", 0, 0}},
    {87, {GG_DTYPE_tf32, F32, F32, K, K, N, 72, 48, 37, 1, 0, 4, "sm80_tf32", 0, 0}},
    {87, {GG_DTYPE_bf16, GG_DTYPE_f16, F32, K, K, M, 7, 200, 136, 1, 0, 16, "sm80_bf16", 0, 0}},
    {89, {GG_DTYPE_e4m3, GG_DTYPE_bf16, F32, K, K, N, 130, 33, 47, 1, 0, 1, "sm80_e4m3", 0, 0}},
    {89, {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 33, 17, 1, 1, 0, 2, "sm_89", 0, 0}},
    {100, {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 129, 72, 72, 2, 0.5f, 16, "sm100", 0, 0}},
    {100, {GG_DTYPE_f16, GG_DTYPE_f16, F32, M, N, N, 264, 520, 40, 1, 0, 16, "sm100", 0, 0}},
    {100, {GG_DTYPE_bf16, GG_DTYPE_f32, F32, K, K, N, 7, 200, 136, 1, 0, 16, "sm100", 0, 0}},
    {100, {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 129, 65, 33, 1, 0.5f, 2, "sm100", 0, 0}},
    {100, {GG_DTYPE_e4m3, GG_DTYPE_bf16, F32, K, K, N, 130, 33, 48, 1, 0, 16, "sm100", 0, 0}},
    {100, {GG_DTYPE_s8, GG_DTYPE_s32, GG_DTYPE_s32, K, K, N, 65, 40, 64, 1, 0, 16, "sm100", 0, 0}},
    {103, {GG_DTYPE_f16, GG_DTYPE_f16, F32, K, K, M, 128, 127, 200, 1, 0, 16, "sm100", 0, 0}},
    {103, {GG_DTYPE_f16, GG_DTYPE_f16, F32, K, K, N, 33, 17, 1, 1, 0, 2, "sm100", 0, 0}},
    {103, {GG_DTYPE_e5m2, GG_DTYPE_f32, F32, K, N, N, 35, 130, 45, 1, 0.5f, 1, "sm100", 0, 0}},
    {110, {GG_DTYPE_tf32, GG_DTYPE_f32, F32, K, K, N, 72, 48, 36, 1, 0.5f, 16, "sm100", 0, 0}},
    {110,
     {GG_DTYPE_s8, GG_DTYPE_s8, GG_DTYPE_s32, K, K, N, 129, 64, 64, 1, 0, 16, "sm100", 0, 0.0625f}},
    {110, {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, N, N, 9, 15, 21, 3, 0, 2, "sm100", 0, 0}},
    {120, {GG_DTYPE_e4m3, GG_DTYPE_bf16, F32, K, K, N, 130, 33, 48, 1, 0, 16, "sm120", 0, 0}},
    {120, {GG_DTYPE_e4m3, F32, F32, K, K, M, 7, 300, 200, 2, 0.5f, 16, "sm120", 0, 0}},
    {121, {GG_DTYPE_e4m3, GG_DTYPE_f16, F32, K, K, N, 9, 200, 33, 1, 0, 16, "sm120", 0, 0}},
    {120, {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, N, N, 129, 72, 72, 1, 0, 16, "sm80", 0, 0}},
};

/* A kernel's facts as the harness wants them, for operands that gg_gemm has not seen yet. */
static gg_kernel facts_of(const gemm_case *c) {
  int bytes = gg_number_bytes(c->out), align = c->align < bytes ? bytes : c->align;
  return (gg_kernel){.name = "gemm",
                     .a = {c->in, c->a, c->align},
                     .b = {c->in, c->b, c->align},
                     .c = {c->out, c->d, align},
                     .d = {c->out, c->d, align},
                     .accumulator = c->accumulator,
                     .fixed_m = GG_FIXED_NONE,
                     .fixed_n = GG_FIXED_NONE,
                     .fixed_k = GG_FIXED_NONE,
                     .fixed_batch = GG_FIXED_NONE,
                     .operations = {{.kind = GG_OP_LINEAR, .alpha = true, .beta = true}},
                     .operation_count = 1};
}

static gg_form form_of_case(const gemm_case *c) {
  gg_kernel facts = facts_of(c);
  gg_form form = {.size = sizeof(gg_form), .a = facts.a, .b = facts.b, .c = facts.c, .d = facts.d};
  form.accumulator = c->accumulator;
  form.a.align = form.b.align = form.c.align = form.d.align = 0;
  return form;
}

/* Launches the form on random operands of these facts, and compares. `part` is of the name of the
 * kernel that is to be chosen. */
static void check_product(gg_context *context, gg_gemm *gemm, gg_kernel facts, gg_form form,
                          gg_problem shape, int64_t workspace, const char *part, int number,
                          gg_error *err) {
  gg_trial_options options = {.least_aligned = true};
  gg_trial_inputs inputs;
  gg_trial trial;
  gg_sample sample;
  gg_reference reference;
  gg_verdict verdict;
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_status st = gg_trial_inputs_make(&inputs, &facts, GG_INPUTS_INTEGERS, shape.k, 1, err);
  if (!st) st = gg_trial_open(&trial, context, &facts, &shape, &options, &inputs, err);
  if (!st && workspace) {
    st = gg_workspace_alloc(&trial.workspace, context, workspace, err);
    trial.problem.workspace = trial.workspace, trial.problem.workspace_bytes = workspace;
  }
  if (!st) st = gg_trial_poison(&trial, err);
  if (!st) st = gg_gemm_launch(gemm, &form, &trial.problem, NULL, err);
  if (!st) st = gg_synchronize(context, NULL, err);
  if (!st) st = gg_sample_choose(&sample, &trial.problem, facts.scale_d.block, INT64_MAX, 1, err);
  if (!st) {
    st = gg_reference_on_host(&reference, &facts, &trial.problem, gg_trial_host_inputs(&trial),
                              &sample, err);
  }
  if (!st) st = gg_trial_check(&verdict, &trial, &sample, &reference, err);
  ck_assert_msg(st == GG_OK, "case %d: %s", number, err->message);
  ck_assert_msg(gg_verdict_passed(&verdict), "case %d is wrong", number);
  ck_assert_int_eq(gg_gemm_choose(&choice, gemm, &form, &trial.problem, err), GG_OK);
  ck_assert_msg(strstr(choice.kernel, part) != NULL, "%s", choice.kernel);
  gg_reference_free(&reference);
  gg_sample_free(&sample);
  gg_trial_close(&trial);
  gg_trial_inputs_free(&inputs);
}

static void check_case(gg_context *context, gg_gemm *gemm, const gemm_case *c, int number,
                       gg_error *err) {
  gg_problem shape = {.m = c->m, .n = c->n, .k = c->k, .batch = c->batch, .beta = c->beta};
  shape.alpha = c->alpha != 0 ? c->alpha : 1;
  check_product(context, gemm, facts_of(c), form_of_case(c), shape, c->workspace, c->family, number,
                err);
}

START_TEST(products_are_right) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_gemm *gemm = open_gemm(context, &err);
  check_case(context, gemm, &cases[_i], _i, &err);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* Of few rows, too, of which products that are not gated are transposed. */
START_TEST(gates_leave_half_of_the_columns) {
  static const gemm_case c = {
      GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 7, 300, 64, 2, 0, 16, "gated_silu", 0, 1};
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_kernel facts = facts_of(&c);
  gg_form form = form_of_case(&c);
  gg_problem shape = {.m = c.m, .n = c.n, .k = c.k, .batch = c.batch, .alpha = c.alpha};
  facts.operations[0] = (gg_operation){.kind = GG_OP_GATED, .expression = GG_OP_SILU};
  form.epilogue = "[gated]";
  check_product(context, gemm, facts, form, shape, 0, c.family, 0, &err);
  shape.n = 301, shape.size = sizeof shape;
  ck_assert_int_ne(gg_gemm_launch(gemm, &form, &shape, NULL, &err), GG_OK);
  assert_error(&err, GG_E_PROBLEM_EXTENT, "n = 301");
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* alpha and beta where the kernel reads them; what the problem says of them counts for nothing. */
START_TEST(scalars_may_be_in_device_memory) {
  static const gg_param params[] = {{.kind = GG_PARAM_ALPHA}, {.kind = GG_PARAM_BETA}};
  static const gemm_case c = {
      GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 72, 40, 64, 1, 0.5f, 16, "linear_device", 0, 3};
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_kernel facts = facts_of(&c);
  gg_form form = form_of_case(&c);
  gg_problem shape = {.m = c.m, .n = c.n, .k = c.k, .batch = 1, .alpha = c.alpha, .beta = c.beta};
  facts.operations[0].scalars = GG_SCALARS_DEVICE;
  facts.params = params;
  facts.param_count = 2;
  form.epilogue = "[{linear: {scalars: device}}]";
  check_product(context, gemm, facts, form, shape, 0, c.family, 0, &err);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* Which families that copy by tensor maps do not have. */
START_TEST(a_batch_may_be_of_addresses) {
  static const gemm_case products[] = {
      {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 72, 40, 64, 3, 1, 4, "sm80", 0, 0},
      {GG_DTYPE_f32, GG_DTYPE_f32, F32, K, K, N, 24, 40, 9, 5, 0, 4, "simt", 0, 0},
  };
  const gemm_case *c = &products[_i];
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_kernel facts = facts_of(c);
  gg_form form = form_of_case(c);
  gg_problem shape = {.m = c->m, .n = c->n, .k = c->k, .batch = c->batch, .alpha = 1};
  shape.beta = c->beta;
  facts.pointers = 1;
  form.a.align = form.b.align = form.d.align = 4;
  check_product(context, gemm, facts, form, shape, 0, c->family, _i, &err);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

static gg_context *open_emulator_of(int arch, gg_error *err) {
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  ck_assert_int_eq(gg_emu_options_init(&options), 0);
  options.arch = arch;
  ck_assert_int_eq(gg_emu_configure(&options), 0);
  return open_emulator(err);
}

START_TEST(products_of_devices_are_right) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator_of(device_cases[_i].arch, &err);
  gg_gemm *gemm = open_gemm(context, &err);
  check_case(context, gemm, &device_cases[_i].product, _i, &err);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* With scale factors, of each kind of MMA that takes them: mxf8f6f4 (8 by 8 bits, and operands that
 * are unpacked on their way, whose lines are of 128 elements), mxf4 and mxf4nvf4. */
#define MXFP                                                                                       \
  { GG_DTYPE_ue8m0, 32 }
#define UNSCALED                                                                                   \
  { 0, 0 }
#define FINE_MXFP                                                                                  \
  { GG_DTYPE_ue8m0, 16 }
#define NVFP4                                                                                      \
  { GG_DTYPE_ue4m3, 16 }
static const struct scaled_case {
  int arch;
  gg_dtype a, b;
  gg_scaling scale; /* of both */
  gg_dtype out;
  gg_major d;
  int64_t m, n, k, batch;
  float beta;
  gg_scaling scale_d; /* of results that have factors, too */
} scaled_cases[] = {
    {100, GG_DTYPE_e4m3, GG_DTYPE_e4m3, MXFP, GG_DTYPE_bf16, N, 1, 7, 32, 1, 0, UNSCALED},
    {100, GG_DTYPE_e4m3, GG_DTYPE_e5m2, MXFP, GG_DTYPE_f32, N, 129, 127, 48, 3, 0, UNSCALED},
    {100, GG_DTYPE_e5m2, GG_DTYPE_e4m3, MXFP, GG_DTYPE_bf16, N, 1000, 1, 33, 1, 0, UNSCALED},
    {100, GG_DTYPE_e4m3, GG_DTYPE_e4m3, MXFP, F32, N, 7, 1000, 1, 1, 0.5f, UNSCALED},
    {100, GG_DTYPE_e5m2, GG_DTYPE_e4m3, MXFP, F32, M, 300, 264, 80, 1, 0.5f, UNSCALED},
    {100, GG_DTYPE_e4m3, GG_DTYPE_e4m3, MXFP, GG_DTYPE_f16, N, 129, 200, 0, 1, 0, UNSCALED},
    {100, GG_DTYPE_e4m3, GG_DTYPE_e2m1, MXFP, GG_DTYPE_bf16, N, 7, 129, 128, 1, 0, UNSCALED},
    {100, GG_DTYPE_e3m2, GG_DTYPE_e2m3, MXFP, GG_DTYPE_bf16, N, 130, 65, 256, 2, 0, UNSCALED},
    {100, GG_DTYPE_e2m1, GG_DTYPE_e2m1, MXFP, GG_DTYPE_f16, N, 129, 127, 96, 1, 0, UNSCALED},
    {103, GG_DTYPE_e2m1, GG_DTYPE_e2m1, MXFP, F32, N, 7, 1, 320, 3, 0.5f, UNSCALED},
    {100, GG_DTYPE_e2m1, GG_DTYPE_e2m1, MXFP, GG_DTYPE_f16, N, 127, 7, 8, 1, 0, UNSCALED},
    {100, GG_DTYPE_e2m1, GG_DTYPE_e2m1, NVFP4, GG_DTYPE_bf16, N, 1, 1000, 32, 1, 0, UNSCALED},
    {100, GG_DTYPE_e2m1, GG_DTYPE_e2m1, NVFP4, GG_DTYPE_bf16, N, 127, 129, 64, 3, 0, UNSCALED},
    {100, GG_DTYPE_e2m1, GG_DTYPE_e2m1, NVFP4, GG_DTYPE_bf16, N, 1000, 129, 34, 1, 0, UNSCALED},
    {110, GG_DTYPE_e2m1, GG_DTYPE_e2m1, NVFP4, F32, M, 400, 300, 288, 1, 0.5f, UNSCALED},
    {100, GG_DTYPE_e2m1, GG_DTYPE_e2m1, FINE_MXFP, GG_DTYPE_f16, N, 129, 65, 64, 1, 0, UNSCALED},
    {100, GG_DTYPE_e4m3, GG_DTYPE_e4m3, MXFP, GG_DTYPE_e4m3, N, 129, 65, 64, 2, 0, MXFP},
    {100, GG_DTYPE_e2m1, GG_DTYPE_e2m1, NVFP4, GG_DTYPE_e2m1, N, 130, 96, 64, 1, 0, NVFP4},
    {120, GG_DTYPE_e4m3, GG_DTYPE_e5m2, MXFP, GG_DTYPE_bf16, N, 129, 127, 48, 2, 0, UNSCALED},
    {120, GG_DTYPE_e4m3, GG_DTYPE_e2m1, MXFP, GG_DTYPE_bf16, N, 300, 264, 256, 1, 0, UNSCALED},
    {121, GG_DTYPE_e2m1, GG_DTYPE_e2m1, MXFP, GG_DTYPE_f16, N, 7, 129, 96, 1, 0, UNSCALED},
    {120, GG_DTYPE_e2m1, GG_DTYPE_e2m1, NVFP4, GG_DTYPE_bf16, N, 129, 200, 288, 1, 0, UNSCALED},
};

/* Alignments of the memory: what tensor maps want of A and B, and of D an element's. */
static gg_kernel facts_of_form(const gg_form *form) {
  int align = form->d.type == GG_DTYPE_e2m1 ? 16 : gg_number_bytes(form->d.type);
  gg_kernel facts = {.name = "gemm",
                     .a = form->a,
                     .b = form->b,
                     .c = form->c,
                     .d = form->d,
                     .scale_a = form->scale_a,
                     .scale_b = form->scale_b,
                     .scale_d = form->scale_d,
                     .sparse_a = form->sparse_a,
                     .sparse_b = form->sparse_b,
                     .accumulator = form->accumulator,
                     .fixed_m = GG_FIXED_NONE,
                     .fixed_n = GG_FIXED_NONE,
                     .fixed_k = GG_FIXED_NONE,
                     .fixed_batch = GG_FIXED_NONE,
                     .operations = {{.kind = GG_OP_LINEAR, .alpha = true, .beta = true}},
                     .operation_count = 1};
  facts.a.align = gg_form_align_most(form, form->a.type);
  facts.b.align = gg_form_align_most(form, form->b.type);
  facts.c.align = facts.d.align = align;
  return facts;
}

/* Of the form, whose C is as D is and whose sums are of f32, on a device of `arch`. */
static void check_form(int arch, gg_form form, gg_problem shape, const char *part, int seed) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator_of(arch, &err);
  gg_gemm *gemm = open_gemm(context, &err);
  form.c = form.d;
  form.accumulator = GG_DTYPE_f32;
  check_product(context, gemm, facts_of_form(&form), form, shape, 0, part, seed, &err);
  gg_gemm_close(gemm);
  gg_context_close(context);
}

START_TEST(scaled_products_are_right) {
  const struct scaled_case *c = &scaled_cases[_i];
  gg_problem shape = {.m = c->m, .n = c->n, .k = c->k, .batch = c->batch};
  shape.alpha = 0.5f, shape.beta = c->beta;
  gg_form form = GG_FORM_INIT;
  form.a.type = c->a, form.b.type = c->b, form.d.type = c->out, form.d.major = c->d;
  form.a.major = form.b.major = GG_MAJOR_K;
  form.scale_a = form.scale_b = c->scale;
  form.scale_d = c->scale_d;
  char part[32];
  snprintf(part, sizeof part, "%s_block%d", c->scale.type == GG_DTYPE_ue8m0 ? "ue8m0" : "ue4m3",
           c->scale.block);
  check_form(c->arch, form, shape, part, _i);
}
END_TEST

/* ---- Sparse operands -------------------------------------------------------------------- */

#define K GG_MAJOR_K
static const struct sparse_case {
  int arch;
  char sparse; /* 'a' or 'b' */
  gg_dtype a, b;
  gg_scaling scale; /* of both */
  gg_dtype out;
  gg_major a_major, b_major, d_major;
  int64_t m, n, k, batch;
  float beta;
} sparse_cases[] = {
    {100, 'a', GG_DTYPE_bf16, GG_DTYPE_bf16, UNSCALED, GG_DTYPE_bf16, K, K, N, 1, 7, 127, 1, 0},
    {100, 'a', GG_DTYPE_bf16, GG_DTYPE_bf16, UNSCALED, F32, M, N, N, 129, 127, 1000, 3, 0.5f},
    {103, 'a', GG_DTYPE_f16, GG_DTYPE_f16, UNSCALED, GG_DTYPE_f16, K, N, M, 1000, 129, 7, 1, 0},
    {100, 'a', GG_DTYPE_e4m3, GG_DTYPE_e5m2, UNSCALED, GG_DTYPE_bf16, K, K, N, 300, 520, 129, 1, 0},
    {100, 'a', GG_DTYPE_tf32, GG_DTYPE_tf32, UNSCALED, F32, K, K, N, 129, 200, 65, 1, 0},
    {110, 'a', GG_DTYPE_e2m1, GG_DTYPE_e4m3, UNSCALED, F32, K, K, N, 127, 65, 256, 2, 0},
    {100,
     'a',
     GG_DTYPE_e4m3,
     GG_DTYPE_e4m3,
     {GG_DTYPE_ue8m0, 64},
     F32,
     K,
     K,
     N,
     129,
     127,
     320,
     1,
     0},
    {100, 'b', GG_DTYPE_bf16, GG_DTYPE_bf16, UNSCALED, GG_DTYPE_bf16, K, K, N, 7, 1000, 129, 1, 0},
    {100, 'b', GG_DTYPE_e4m3, GG_DTYPE_e4m3, UNSCALED, F32, M, N, N, 1, 129, 1000, 3, 0.5f},
    {100,
     'b',
     GG_DTYPE_e2m1,
     GG_DTYPE_e2m1,
     {GG_DTYPE_ue4m3, 32},
     F32,
     K,
     K,
     N,
     65,
     300,
     192,
     1,
     0},
};
#undef K

START_TEST(sparse_products_are_right) {
  const struct sparse_case *c = &sparse_cases[_i];
  gg_problem shape = {.m = c->m, .n = c->n, .k = c->k, .batch = c->batch};
  shape.alpha = 0.5f, shape.beta = c->beta;
  gg_form form = GG_FORM_INIT;
  form.a.type = c->a, form.b.type = c->b, form.d.type = c->out;
  form.a.major = c->a_major, form.b.major = c->b_major, form.d.major = c->d_major;
  form.scale_a = form.scale_b = c->scale;
  form.sparse_a = c->sparse == 'a', form.sparse_b = c->sparse == 'b';
  check_form(c->arch, form, shape, "_sparse", _i);
}
END_TEST

/* As a program does it that has rows of factors: packs them, and hands their addresses on. The
 * product is of ones, 3 of whose columns' factors differ from 1. */
START_TEST(factors_are_packed_by_the_caller) {
  enum { m = 130, n = 72, k = 96, block = 32, factors = 3 };
  static unsigned char ones[n > m ? n * k : m * k], rows[m * factors], packed[2][4096];
  static float d[m * n];
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator_of(100, &err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_form form = form_of(GG_DTYPE_e4m3, GG_DTYPE_f32, GG_DTYPE_f32);
  form.scale_a = form.scale_b = (gg_scaling){GG_DTYPE_ue8m0, block};
  gg_problem p = GG_PROBLEM_INIT;
  p.m = m, p.n = n, p.k = k, p.lda = k, p.ldb = k, p.ldd = n;
  memset(ones, 0x38, sizeof ones);
  for (int row = 0; row < m; row++)
    for (int i = 0; i < factors; i++) /* of A: 2^(row % 5 - i) */
      rows[row * factors + i] = (unsigned char)(127 + row % 5 - i);
  uint64_t *const addresses[] = {&p.a, &p.b, &p.d, &p.scale_a, &p.scale_b};
  const size_t bytes[] = {m * k, n * k, sizeof d, sizeof packed[0], sizeof packed[1]};
  for (int i = 0; i < 5; i++)
    ck_assert_int_eq(gg_memory_alloc(addresses[i], context, bytes[i], &err), GG_OK);
  ck_assert_int_eq(gg_scales_pack(packed[0], rows, m, k, block, factors, &err), GG_OK);
  memset(rows, 127, sizeof rows);
  ck_assert_int_eq(gg_scales_pack(packed[1], rows, n, k, block, factors, &err), GG_OK);
  gg_memory_write(context, p.a, ones, m * k, &err);
  gg_memory_write(context, p.b, ones, n * k, &err);
  gg_memory_write(context, p.scale_a, packed[0], sizeof packed[0], &err);
  gg_memory_write(context, p.scale_b, packed[1], sizeof packed[1], &err);
  ck_assert_msg(gg_gemm_launch(gemm, &form, &p, NULL, &err) == GG_OK, "%s", err.message);
  ck_assert_int_eq(gg_synchronize(context, NULL, &err), GG_OK);
  ck_assert_int_eq(gg_memory_read(context, d, p.d, sizeof d, &err), GG_OK);
  for (int row = 0; row < m; row++)
    for (int col = 0; col < n; col++)
      ck_assert_float_eq(d[row * n + col], (float)(block * 1.75 * (1 << row % 5)));
  form.a.type = form.b.type = GG_DTYPE_e2m1; /* of whose lines a byte has two */
  p.k = 33;
  gg_gemm_launch(gemm, &form, &p, NULL, &err);
  assert_error(&err, GG_E_PROBLEM_EXTENT, "k = 33");
  form.a.type = form.b.type = GG_DTYPE_e4m3;
  p.k = k, p.scale_b = 0;
  gg_gemm_launch(gemm, &form, &p, NULL, &err);
  assert_error(&err, GG_E_PROBLEM_POINTER, "scale_b");
  form.scale_b.block = 0;
  gg_gemm_launch(gemm, &form, &p, NULL, &err);
  assert_error(&err, GG_E_GEMM_FORM, "e4m3:ue8m0,e4m3,f32,f32,kkn");
  for (int i = 0; i < 5; i++)
    gg_memory_free(context, *addresses[i]);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

static gg_problem dense(int64_t m, int64_t n, int64_t k) {
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

/* On the device of the family before nothing computes it. */
START_TEST(sparse_products_want_a_family) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator_of(90, &err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_problem p = dense(128, 128, 128);
  gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  form.sparse_b = true;
  gg_gemm_choose(&choice, gemm, &form, &p, &err);
  assert_error(&err, GG_E_GEMM_FORM, "no sparse B");
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* Of types that no kernel of the device has the message tells. */
START_TEST(devices_lack_kernels) {
  static const struct {
    int arch, align;
    gg_dtype in, out, accumulator;
  } lacks[] = {{103, 1, GG_DTYPE_e2m1, GG_DTYPE_f32, GG_DTYPE_f32},
               {100, 16, GG_DTYPE_e3m2, GG_DTYPE_bf16, GG_DTYPE_f32},
               {80, 16, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32},
               {86, 16, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32},
               {87, 16, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32}};
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator_of(lacks[_i].arch, &err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_form form = form_of(lacks[_i].in, lacks[_i].out, lacks[_i].accumulator);
  form.a.align = form.b.align = lacks[_i].align;
  gg_problem p = dense(64, 64, 64);
  gg_gemm_choose(&choice, gemm, &form, &p, &err);
  assert_error(&err, GG_E_GEMM_FORM, "no kernel of the catalogue computes");
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* ---- Choices -------------------------------------------------------------------------- */

/* What shares tiles is chosen where its workspace is there alone, whatever was seen before. */
START_TEST(workspaces_decide) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_prepared prepared;
  gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  for (int round = 0; round < 2; round++) {
    for (int64_t bytes = 0; bytes <= GG_GEMM_WORKSPACE; bytes = bytes ? bytes * 64 : 1 << 14) {
      gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
      int64_t taken;
      gg_problem p = dense(64, 64, 1 << 18);
      p.workspace = bytes ? 1 << 20 : 0, p.workspace_bytes = bytes;
      ck_assert_int_eq(gg_gemm_choose(&choice, gemm, &form, &p, &err), GG_OK);
      ck_assert_int_eq(gg_workspace_bytes(&taken, choice.module, &p, &err), GG_OK);
      ck_assert_int_le(taken, bytes);
      ck_assert_int_eq(taken > 0, bytes >= 1 << 20);
      ck_assert_int_eq(gg_gemm_prepare(&prepared, gemm, &form, &p, &err), GG_OK);
    }
  }
  gg_problem p = dense(64, 64, 1 << 18);
  p.workspace = 1000, p.workspace_bytes = GG_GEMM_WORKSPACE;
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_PROBLEM_ALIGN, "workspace = 1000");
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* What of the catalogue is chosen on a device whose kernels spill as `fake.spills` says. */
static const char *chosen_beside(const char *spills) {
  static char name[FAKE_NAME_BYTES];
  gg_error err = GG_ERROR_INIT;
  gg_driver driver = fake_table();
  gg_context *context;
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  gg_problem p = dense(64, 64, 64);
  fake_reset();
  fake.spills = spills;
  ck_assert_int_eq(gg_context_open_on(&context, &driver, &options, &err), GG_OK);
  gg_gemm *gemm = open_gemm(context, &err);
  ck_assert_msg(gg_gemm_choose(&choice, gemm, &form, &p, &err) == GG_OK, "%s", err.message);
  snprintf(name, sizeof name, "%s", choice.kernel);
  gg_gemm_close(gemm);
  gg_context_close(context);
  return name;
}

/* A kernel that spills gives way to one that does not, and where all do the fastest is taken. */
START_TEST(spilling_kernels_give_way) {
  char fastest[FAKE_NAME_BYTES], all[FAKE_NAME_BYTES];
  snprintf(fastest, sizeof fastest, "%s", chosen_beside("none"));
  snprintf(all, sizeof all, "%s", chosen_beside(NULL));
  ck_assert_str_eq(all, fastest);
  ck_assert_str_ne(chosen_beside(fastest), fastest);
}
END_TEST

/* clang-format off */
static void spoil_type(gg_form *f) { f->a.type = (gg_dtype)9999; }
static void spoil_negative(gg_form *f) { f->d.type = (gg_dtype)-1; }
static void spoil_accumulator(gg_form *f) { f->accumulator = (gg_dtype)77; }
static void spoil_major(gg_form *f) { f->a.major = GG_MAJOR_N; }
static void spoil_major_of_b(gg_form *f) { f->b.major = (gg_major)9; }
static void spoil_align(gg_form *f) { f->b.align = 3; }
static void spoil_large_align(gg_form *f) { f->d.align = 4096; }
static void spoil_promote(gg_form *f) { f->promote = 65; }
static void spoil_block(gg_form *f) { f->scale_b.block = 64; }
static void spoil_sparse(gg_form *f) { f->sparse_a = f->sparse_b = true; }
static void spoil_sparse_block(gg_form *f) { f->sparse_a = true, f->scale_b.block = 16; }
static void spoil_factor(gg_form *f) { f->scale_a = (gg_scaling){GG_DTYPE_e4m3, 32}; }
static void spoil_c(gg_form *f) { f->has_c = true, f->c.type = GG_DTYPE_COUNT; }
/* clang-format on */

static const struct wrong_form {
  void (*spoil)(gg_form *form);
  const char *message;
} wrong_forms[] = {
    {spoil_type, "gg_form.a.type is 9999; it takes a gg_dtype"},
    {spoil_negative, "gg_form.d.type is "},
    {spoil_accumulator, "gg_form.accumulator is 77"},
    {spoil_major, "gg_form.a.major is 2; it takes GG_MAJOR_K and GG_MAJOR_M"},
    {spoil_major_of_b, "gg_form.b.major is 9; it takes GG_MAJOR_K and GG_MAJOR_N"},
    {spoil_align, "gg_form.b.align is 3; it takes a power of two"},
    {spoil_large_align, "gg_form.d.align is 4096"},
    {spoil_promote,
     "gg_form.promote is 65; it takes GG_PROMOTE_AUTO, GG_PROMOTE_NEVER and 1 to 64"},
    {spoil_block, "gg_form.scale_b.block is 64; it takes 16, 32, or 0 for no factors"},
    {spoil_sparse, "gg_form.sparse_b is 1; it takes 0 beside a sparse A"},
    {spoil_sparse_block,
     "gg_form.scale_b.block is 16; it takes 32, 64 (zeros count), or 0 for no factors"},
    {spoil_factor, "gg_form.scale_a.type is 5; it takes GG_DTYPE_ue8m0 and GG_DTYPE_ue4m3"},
    {spoil_c, "gg_form.c.type is 20"},
};

typedef struct chooser {
  gg_gemm *gemm;
  gg_form form;
  gg_problem problem;
  gg_gemm_choice choice;
  gg_status status;
} chooser;

static void *choose_once(void *argument) {
  chooser *c = argument;
  c->status = gg_gemm_choose(&c->choice, c->gemm, &c->form, &c->problem, NULL);
  return NULL;
}

START_TEST(threads_get_the_same_kernel) {
  enum { threads = 4 };
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_gemm *gemm = open_gemm(context, &err);
  pthread_t running[threads];
  chooser choosers[threads];
  for (int i = 0; i < threads; i++) {
    choosers[i] =
        (chooser){.gemm = gemm, .choice = GG_GEMM_CHOICE_INIT, .problem = dense(64, 64, 64)};
    choosers[i].form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
    ck_assert_int_eq(pthread_create(&running[i], NULL, choose_once, &choosers[i]), 0);
  }
  for (int i = 0; i < threads; i++)
    pthread_join(running[i], NULL);
  for (int i = 0; i < threads; i++) {
    ck_assert_int_eq(choosers[i].status, GG_OK);
    ck_assert_ptr_eq(choosers[i].choice.module, choosers[0].choice.module);
  }
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* What the epilogue reads lies as D does, but need not be as well aligned. */
START_TEST(extras_are_as_aligned_as_they_are) {
  static const struct {
    const char *epilogue;
    uint64_t address;
    int64_t ld;
    int align; /* of D, in bytes */
  } all[] = {
      {"[linear, residual]", 4096, 64, 16},
      {"[linear, residual]", 4096 + 4, 64, 4},
      {"[linear, residual]", 4096, 66, 8},
      {"[linear, {residual: {type: bf16}}]", 4096 + 2, 64, 4}, /* one element */
      {"[linear, {residual: {type: bf16}}]", 4096 + 8, 64, 16},
      {"[linear, {aux: {type: f32}}, relu]", 4096 + 8, 64, 8},
      {"[linear, bias]", 4096 + 4, 0, 16}, /* a vector is read by elements */
  };
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_epilogues known = {NULL};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
    form.d.type = GG_DTYPE_f32;
    gg_problem p = dense(64, 64, 64);
    gg_prepared prepared;
    form.epilogue = all[i].epilogue;
    p.extras[1] = (gg_extra){.address = all[i].address, .ld = all[i].ld};
    gg_form full;
    ck_assert_int_eq(gg_form_complete(&full, &known, &form, &p, &err), GG_OK);
    ck_assert_msg(full.d.align == all[i].align, "%zu: %d", i, full.d.align);
    gg_status st = gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
    ck_assert_msg(st == GG_OK, "%zu: %s", i, err.message);
  }
  gg_epilogues_free(&known);
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

START_TEST(forms_are_checked) {
  gg_error err = GG_ERROR_INIT;
  for (size_t i = 0; i < sizeof wrong_forms / sizeof *wrong_forms; i++) {
    gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_f32, GG_DTYPE_f32);
    wrong_forms[i].spoil(&form);
    gg_form_check(&form, &err);
    assert_error(&err, GG_E_GEMM_FIELD, wrong_forms[i].message);
  }
}
END_TEST

START_TEST(null_pointers_are_named) {
  gg_error err = GG_ERROR_INIT;
  gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_f32, GG_DTYPE_f32);
  gg_problem p = dense(64, 64, 64);
  gg_gemm *gemm;
  gg_prepared prepared;
  gg_kernel *kernel;
  gg_spec_file *file;
  gg_gemm_launch(NULL, &form, &p, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_gemm_launch: `gemm` is null");
  gg_gemm_open(&gemm, NULL, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_gemm_open: `context` is null");
  gg_prepare(&prepared, NULL, &p, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_prepare: `module` is null");
  gg_launch_prepared(NULL, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_launch_prepared: `prepared` is null");
  gg_context_open(NULL, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_context_open: `out` is null");
  gg_kernel_generate(&kernel, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_kernel_generate: `spec` is null");
  gg_spec_file_load(&file, NULL, &err);
  assert_error(&err, GG_E_NULL_ARGUMENT, "gg_spec_file_load: `path` is null");
  gg_spec_file_parse(&file, "arch: [", 7, NULL, &err); /* a text without a name */
  ck_assert_str_eq(err.file, "<text>");
  assert_error(&err, GG_E_SPEC_SYNTAX, "");
  ck_assert_int_eq(gg_spec_file_count(NULL), 0);
  ck_assert_ptr_null(gg_spec_file_get(NULL, 0));
  gg_error_clear(NULL);
}
END_TEST

START_TEST(mistakes_are_named) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_emulator(&err);
  gg_gemm *gemm = open_gemm(context, &err);
  gg_prepared prepared;
  gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  gg_problem p = dense(-1, 64, 64);
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_PROBLEM_EXTENT, "m = -1");
  p = dense(0, 64, 64);
  ck_assert_int_eq(gg_gemm_prepare(&prepared, gemm, &form, &p, &err), GG_OK);
  ck_assert_uint_eq(gg_prepared_facts(&prepared)->grid[0], 0);
  ck_assert_int_eq(gg_launch_prepared(&prepared, NULL, &err), GG_OK);
  p = dense(64, 64, 64);
  p.lda = 32;
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_PROBLEM_LD, "lda = 32");
  p = dense(64, 64, 64);
  p.a = 4097;
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_PROBLEM_ALIGN, "a = 4097");
  p = dense(64, 64, 64);
  form.accumulator = GG_DTYPE_s32;
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_GEMM_FORM, "bf16,bf16,bf16,s32,kkn on sm_90");
  form.accumulator = GG_DTYPE_f32, form.a.type = (gg_dtype)9999;
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_GEMM_FIELD, "gg_form.a.type is 9999");
  form.a.type = GG_DTYPE_bf16, form.epilogue = "[nonsense]";
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_SPEC_CHOICE, "nonsense");
  form.epilogue = "[relu]\nproblem: {m: 5}"; /* an epilogue is one value, and nothing behind it */
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_SPEC_SYNTAX, "");
  form.epilogue = "";
  gg_gemm_prepare(&prepared, gemm, &form, &p, &err);
  assert_error(&err, GG_E_SPEC_TYPE, "got nothing");
  gg_gemm_close(gemm);
  gg_context_close(context);
}
END_TEST

/* ---- What was tuned ------------------------------------------------------------------- */

static char warned[1024];

static void keep_warning(void *user, const char *message) {
  (void)user;
  snprintf(warned, sizeof warned, "%s", message);
}

/* For the form with that epilogue, or NULL. Without a text, a FIFO that never says anything. */
static void write_tuned(const char *directory, const gg_context *context, const char *epilogue,
                        const char *text) {
  gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  form.a.align = form.b.align = form.d.align = 16;
  form.epilogue = epilogue;
  gg_str path = GG_STR_INIT, device = GG_STR_INIT;
  gg_str_printf(&device, "%s/", directory);
  gg_tuned_device(&device, gg_context_device(context)->name);
  mkdir(gg_str_text(&device), 0777);
  ck_assert_int_eq(gg_tuned_path(&path, directory, gg_context_device(context)->name, &form,
                                 (gg_tuned_extents){64, 64, 64, 1}, NULL),
                   GG_OK);
  if (text) {
    ck_assert(gg_file_replace(gg_str_text(&path), text, strlen(text), 0666, false));
  } else {
    unlink(gg_str_text(&path));
    ck_assert_int_eq(mkfifo(gg_str_text(&path), 0666), 0);
    ck_assert_int_ge(open(gg_str_text(&path), O_RDWR), 0);
  }
  gg_str_free(&device);
  gg_str_free(&path);
}

static const char tuned_text[] =
    "name: measured\narch: sm_90a\na: bf16\nb: bf16\nd: bf16\ntile: [64, 64, 64]\n";

static gg_context *context_that_warns(void) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .provider = GG_PROVIDER_EMU,
      .compiler = &(gg_compiler_options){
          .size = sizeof(gg_compiler_options), .cache = fixture_directory(), .warn = keep_warning}};
  ck_assert_int_eq(gg_context_open(&context, &options, &err), GG_OK);
  return context;
}

/* Whether gg_gemm takes the tuned kernel, which is called "measured". */
static bool takes_tuned(gg_context *context, const char *directory, const char *epilogue,
                        int64_t m) {
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm;
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_form form = form_of(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
  gg_problem p = dense(m, 64, 64);
  form.epilogue = epilogue;
  warned[0] = '\0';
  ck_assert_int_eq(
      gg_gemm_open(&gemm, context,
                   &(gg_gemm_options){.size = sizeof(gg_gemm_options), .tuned = directory}, &err),
      GG_OK);
  ck_assert_int_eq(gg_gemm_choose(&choice, gemm, &form, &p, &err), GG_OK);
  ck_assert_int_eq(strcmp(choice.kernel, "measured") == 0, choice.tuned);
  gg_gemm_close(gemm);
  return choice.tuned;
}

START_TEST(tuned_goes_first) {
  static const struct {
    const char *text, *warning;
    int64_t m;
    bool tuned;
  } all[] = {
      {tuned_text, "", 64, true},
      {tuned_text, "", 40, true}, /* its bucket */
      {tuned_text, "", 72, false},
      {"arch: sm_90a\na: f16\nb: f16\nd: f16\n", "", 64, false}, /* not what its name says */
      {"arch: [", "is not used", 64, false},
      {NULL, "no regular file", 64, false},
  };
  char directory[512];
  snprintf(directory, sizeof directory, "%s", fixture_directory());
  gg_context *context = context_that_warns();
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    write_tuned(directory, context, NULL, all[i].text);
    ck_assert_int_eq(takes_tuned(context, directory, NULL, all[i].m), all[i].tuned);
    ck_assert_msg(strstr(warned, all[i].warning) != NULL, "%s", warned);
  }
  gg_context_close(context);
}
END_TEST

static const char tuned_relu[] = "name: measured\narch: sm_90a\na: bf16\nb: bf16\nd: bf16\n"
                                 "tile: [64, 64, 64]\nepilogue: [relu]\n";

/* What is tuned with an epilogue is for the same operations, however they are written, and what is
 * tuned without is for none: by the file's name, and where that lies by the kernel. */
START_TEST(tuned_knows_its_epilogue) {
  static const struct {
    const char *of, *text, *asked;
    bool tuned;
  } all[] = {
      {"[relu]", tuned_relu, "[relu]", true},        {"[relu]", tuned_relu, "- relu\n", true},
      {"[relu]", tuned_relu, "[relu, relu]", false}, {"[relu]", tuned_relu, "[silu]", false},
      {"[relu]", tuned_relu, NULL, false},           {"[relu]", tuned_text, "[relu]", false},
      {NULL, tuned_text, "[relu]", false},           {NULL, tuned_relu, NULL, false},
  };
  gg_context *context = context_that_warns();
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char directory[512];
    snprintf(directory, sizeof directory, "%s/of_%zu", fixture_directory(), i);
    mkdir(directory, 0777);
    write_tuned(directory, context, all[i].of, all[i].text);
    ck_assert_msg(takes_tuned(context, directory, all[i].asked, 64) == all[i].tuned, "case %zu", i);
  }
  gg_context_close(context);
}
END_TEST

/* As every library's default: who asks for nothing gets full sums of 8-bit floats. */
START_TEST(sums_of_fp8_are_full_unless_asked) {
  static const struct {
    int promote;
    bool full;
  } sums[] = {{0, true}, {GG_PROMOTE_AUTO, true}, {2, true}, {GG_PROMOTE_NEVER, false}};
  gg_error err = GG_ERROR_INIT;
  gg_catalogue *catalogue;
  ck_assert_int_eq(gg_catalogue_open(&catalogue, &err), GG_OK);
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    gg_form form = form_of(GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32);
    form.a.align = form.b.align = form.d.align = 16;
    form.promote = sums[i].promote;
    gg_lineup *lineup;
    ck_assert_int_eq(gg_lineup_make(&lineup, catalogue, &form, 90, &err), GG_OK);
    ck_assert_uint_gt(lineup->count, 20);
    for (size_t j = 0; j < lineup->count; j++)
      ck_assert_int_eq(lineup->list[j].plan.promote > 0, sums[i].full);
    gg_lineup_free(lineup);
  }
  gg_catalogue_close(catalogue);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("gemm");
  TCase *tcase = tcase_create("gemm");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, seen_finds_all);
  tcase_add_test(tcase, seen_tells_forms_apart);
  tcase_add_test(tcase, seen_counts_workspace);
  tcase_add_test(tcase, sums_of_fp8_are_full_unless_asked);
  tcase_add_test(tcase, forms_are_checked);
  tcase_add_test(tcase, null_pointers_are_named);
  if (fixture_has_nvrtc()) {
    tcase_add_loop_test(tcase, products_are_right, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tcase, gates_leave_half_of_the_columns);
    tcase_add_test(tcase, scalars_may_be_in_device_memory);
    tcase_add_loop_test(tcase, a_batch_may_be_of_addresses, 0, 2);
    tcase_add_loop_test(tcase, products_of_devices_are_right, 0,
                        sizeof device_cases / sizeof *device_cases);
    tcase_add_loop_test(tcase, scaled_products_are_right, 0,
                        sizeof scaled_cases / sizeof *scaled_cases);
    tcase_add_loop_test(tcase, sparse_products_are_right, 0,
                        sizeof sparse_cases / sizeof *sparse_cases);
    tcase_add_test(tcase, sparse_products_want_a_family);
    tcase_add_test(tcase, factors_are_packed_by_the_caller);
    tcase_add_loop_test(tcase, devices_lack_kernels, 0, 5);
    tcase_add_test(tcase, spilling_kernels_give_way);
    tcase_add_test(tcase, threads_get_the_same_kernel);
    tcase_add_test(tcase, workspaces_decide);
    tcase_add_test(tcase, mistakes_are_named);
    tcase_add_test(tcase, extras_are_as_aligned_as_they_are);
    tcase_add_test(tcase, tuned_goes_first);
    tcase_add_test(tcase, tuned_knows_its_epilogue);
  }
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
