/* gg_gemm's results in the emulator: of each kind of form, on each kind of device. */
#include <stdio.h>
#include <string.h>

#include "choice/form.h"
#include "gemm_fixture.h"
#include "inputs.h"
#include "number.h"
#include "problem.h"
#include "suite.h"
#include "trial.h"

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
    {80, {GG_DTYPE_s4, GG_DTYPE_s32, GG_DTYPE_s32, K, K, N, 65, 40, 66, 2, 0, 1, "sm80_s4", 0, 0}},
    {80, {GG_DTYPE_b1, GG_DTYPE_s32, GG_DTYPE_s32, K, K, N, 65, 40, 136, 2, 0, 1, "sm80_b1", 0, 0}},
    {90, {GG_DTYPE_u4, GG_DTYPE_u8, GG_DTYPE_s32, K, K, M, 70, 66, 96, 1, 0, 16, "sm80_u4", 0, 0}},
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

/* A kernel's facts as the harness wants them, for operands that gg_gemm has not seen yet: what all
 * have, without operands. */
static const gg_kernel any_facts = {
    .name = "gemm",
    .fixed_m = GG_FIXED_NONE,
    .fixed_n = GG_FIXED_NONE,
    .fixed_k = GG_FIXED_NONE,
    .fixed_batch = GG_FIXED_NONE,
    .operations = {{.kind = GG_OP_LINEAR, .alpha = true, .beta = true}},
    .operation_count = 1};

static gg_kernel facts_of(const gemm_case *c) {
  int bytes = gg_number_bytes(c->out), align = c->align < bytes ? bytes : c->align;
  gg_kernel facts = any_facts;
  facts.a = (gg_operand){c->in, c->a, c->align};
  facts.b = (gg_operand){c->in, c->b, c->align};
  facts.c = facts.d = (gg_operand){c->out, c->d, align};
  facts.accumulator = c->accumulator;
  return facts;
}

static gg_form form_of_case(const gemm_case *c) {
  gg_kernel facts = facts_of(c);
  gg_form form = {.size = sizeof(gg_form), .a = facts.a, .b = facts.b, .c = facts.c, .d = facts.d};
  form.accumulator = c->accumulator;
  form.a.align = form.b.align = form.c.align = form.d.align = 0;
  return form;
}

/* What is computed, of operands with these facts, and by what: `part` is of the name of the kernel
 * that is to be chosen. */
typedef struct product {
  gg_kernel facts;
  gg_form form;
  gg_problem shape;
  int64_t workspace;
  const char *part;
  int number; /* of the case */
} product;

static product product_of(const gemm_case *c, int number) {
  gg_problem shape = {.size = sizeof(gg_problem), .m = c->m, .n = c->n, .k = c->k};
  shape.batch = c->batch, shape.beta = c->beta, shape.alpha = c->alpha != 0 ? c->alpha : 1;
  return (product){facts_of(c), form_of_case(c), shape, c->workspace, c->family, number};
}

/* Launches the form on random operands, and compares. */
static void check_on(gemm_rig *on, const product *p) {
  gg_trial_options options = {.least_aligned = true};
  gg_trial_inputs inputs;
  gg_trial trial;
  gg_sample sample;
  gg_reference reference;
  gg_verdict verdict;
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_context *context = on->context;
  gg_error *err = &on->err;
  gg_status st = gg_trial_inputs_make(&inputs, &p->facts, GG_INPUTS_INTEGERS, p->shape.k, 1, err);
  if (!st) st = gg_trial_open(&trial, context, &p->facts, &p->shape, &options, &inputs, err);
  if (!st && p->workspace) {
    st = gg_workspace_alloc(&trial.workspace, context, p->workspace, err);
    trial.problem.workspace = trial.workspace, trial.problem.workspace_bytes = p->workspace;
  }
  if (!st) st = gg_trial_poison(&trial, err);
  if (!st) st = gg_gemm_launch(on->gemm, &p->form, &trial.problem, NULL, err);
  if (!st) st = gg_synchronize(context, NULL, err);
  if (!st) st = gg_sample_choose_for(&sample, &p->facts, &trial.problem, INT64_MAX, 1, err);
  if (!st) {
    st = gg_reference_on_host(&reference, &p->facts, &trial.problem, gg_trial_host_inputs(&trial),
                              &sample, err);
  }
  if (!st) st = gg_trial_check(&verdict, &trial, &sample, &reference, err);
  ck_assert_msg(st == GG_OK, "case %d: %s", p->number, err->message);
  ck_assert_msg(gg_verdict_passed(&verdict), "case %d is wrong", p->number);
  ck_assert_int_eq(gg_gemm_choose(&choice, on->gemm, &p->form, &trial.problem, err), GG_OK);
  ck_assert_msg(strstr(choice.kernel, p->part) != NULL, "%s", choice.kernel);
  gg_reference_free(&reference);
  gg_sample_free(&sample);
  gg_trial_close(&trial);
  gg_trial_inputs_free(&inputs);
}

/* The same by a gg_gemm of its own, on a device of `arch`. */
static void check_product(int arch, const product *p) {
  gemm_rig on = gemm_rig_open(arch);
  check_on(&on, p);
  gemm_rig_close(&on);
}

START_TEST(products_are_right) {
  product p = product_of(&cases[_i], _i);
  check_product(0, &p);
}
END_TEST

START_TEST(products_of_devices_are_right) {
  product p = product_of(&device_cases[_i].product, _i);
  check_product(device_cases[_i].arch, &p);
}
END_TEST

/* Of bits that differ there are others than of those that are both 1. */
START_TEST(bits_may_be_counted_where_they_differ) {
  static const gemm_case c = {
      GG_DTYPE_b1, GG_DTYPE_f32, GG_DTYPE_s32, K, K, N, 33, 66, 1032, 3, 0, 1, "_xor", 0, 0.5f};
  gemm_rig on = gemm_rig_open(80);
  product p = product_of(&c, 0);
  p.facts.xor_bits = p.form.xor_bits = 1;
  check_on(&on, &p);
  gemm_rig_close(&on);
}
END_TEST

/* Of few rows, too, of which products that are not gated are transposed. */
START_TEST(gates_leave_half_of_the_columns) {
  static const gemm_case c = {
      GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 7, 300, 64, 2, 0, 16, "gated_silu", 0, 1};
  gemm_rig on = gemm_rig_open(0);
  product p = product_of(&c, 0);
  p.facts.operations[0] = (gg_operation){.kind = GG_OP_GATED, .expression = GG_OP_SILU};
  p.form.epilogue = "[gated]";
  check_on(&on, &p);
  p.facts.operations[0].expression |= GG_GATED_SPLIT;
  p.form.epilogue = "[gated: {columns: split}]";
  p.part = "gated_split_silu";
  check_on(&on, &p);
  p.shape.n = 301;
  ck_assert_int_ne(gg_gemm_launch(on.gemm, &p.form, &p.shape, NULL, &on.err), GG_OK);
  assert_error(&on.err, GG_E_PROBLEM_EXTENT, "n = 301");
  gemm_rig_close(&on);
}
END_TEST

/* alpha and beta where the kernel reads them; what the problem says of them counts for nothing. */
START_TEST(scalars_may_be_in_device_memory) {
  static const gg_param params[] = {{.kind = GG_PARAM_ALPHA}, {.kind = GG_PARAM_BETA}};
  static const gemm_case c = {
      GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 72, 40, 64, 1, 0.5f, 16, "linear_device", 0, 3};
  product p = product_of(&c, 0);
  p.facts.operations[0].scalars = GG_SCALARS_DEVICE;
  p.facts.params = params;
  p.facts.param_count = 2;
  p.form.epilogue = "[{linear: {scalars: device}}]";
  check_product(0, &p);
}
END_TEST

/* Which families that copy by tensor maps do not have. */
START_TEST(a_batch_may_be_of_addresses) {
  static const gemm_case products[] = {
      {GG_DTYPE_bf16, GG_DTYPE_bf16, F32, K, K, N, 72, 40, 64, 3, 1, 4, "sm80", 0, 0},
      {GG_DTYPE_f32, GG_DTYPE_f32, F32, K, K, N, 24, 40, 9, 5, 0, 4, "simt", 0, 0},
  };
  product p = product_of(&products[_i], _i);
  p.facts.pointers = 1;
  p.form.a.align = p.form.b.align = p.form.d.align = 4;
  check_product(0, &p);
}
END_TEST

/* ---- Scale factors ---------------------------------------------------------------------- */

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
  gg_kernel facts = any_facts;
  facts.a = form->a, facts.b = form->b, facts.c = form->c, facts.d = form->d;
  facts.scale_a = form->scale_a, facts.scale_b = form->scale_b, facts.scale_d = form->scale_d;
  facts.sparse_a = form->sparse_a, facts.sparse_b = form->sparse_b;
  facts.accumulator = form->accumulator;
  facts.a.align = gg_form_align_most(form, form->a.type);
  facts.b.align = gg_form_align_most(form, form->b.type);
  facts.c.align = facts.d.align = align;
  return facts;
}

/* Of the form, whose C is as D is and whose sums are of f32, on a device of `arch`. */
static void check_form(int arch, gg_form form, gg_problem shape, const char *part, int number) {
  form.c = form.d;
  form.accumulator = GG_DTYPE_f32;
  product p = {facts_of_form(&form), form, shape, 0, part, number};
  check_product(arch, &p);
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
    {80, 'a', GG_DTYPE_bf16, GG_DTYPE_bf16, UNSCALED, GG_DTYPE_bf16, M, N, N, 129, 127, 300, 2, 0},
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
  gemm_rig on = gemm_rig_open(100);
  gg_form form = gemm_form(GG_DTYPE_e4m3, GG_DTYPE_f32, GG_DTYPE_f32);
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
    ck_assert_int_eq(gg_memory_alloc(addresses[i], on.context, bytes[i], &on.err), GG_OK);
  ck_assert_int_eq(gg_scales_pack(packed[0], rows, m, k, block, factors, &on.err), GG_OK);
  memset(rows, 127, sizeof rows);
  ck_assert_int_eq(gg_scales_pack(packed[1], rows, n, k, block, factors, &on.err), GG_OK);
  gg_memory_write(on.context, p.a, ones, m * k, &on.err);
  gg_memory_write(on.context, p.b, ones, n * k, &on.err);
  gg_memory_write(on.context, p.scale_a, packed[0], sizeof packed[0], &on.err);
  gg_memory_write(on.context, p.scale_b, packed[1], sizeof packed[1], &on.err);
  ck_assert_msg(gg_gemm_launch(on.gemm, &form, &p, NULL, &on.err) == GG_OK, "%s", on.err.message);
  ck_assert_int_eq(gg_synchronize(on.context, NULL, &on.err), GG_OK);
  ck_assert_int_eq(gg_memory_read(on.context, d, p.d, sizeof d, &on.err), GG_OK);
  for (int row = 0; row < m; row++)
    for (int col = 0; col < n; col++)
      ck_assert_float_eq(d[row * n + col], (float)(block * 1.75 * (1 << row % 5)));
  form.a.type = form.b.type = GG_DTYPE_e2m1; /* of whose lines a byte has two */
  p.k = 33;
  gg_gemm_launch(on.gemm, &form, &p, NULL, &on.err);
  assert_error(&on.err, GG_E_PROBLEM_EXTENT, "k = 33");
  form.a.type = form.b.type = GG_DTYPE_e4m3;
  p.k = k, p.scale_b = 0;
  gg_gemm_launch(on.gemm, &form, &p, NULL, &on.err);
  assert_error(&on.err, GG_E_PROBLEM_POINTER, "scale_b");
  form.scale_b.block = 0;
  gg_gemm_launch(on.gemm, &form, &p, NULL, &on.err);
  assert_error(&on.err, GG_E_GEMM_FORM, "e4m3:ue8m0,e4m3,f32,f32,kkn");
  for (int i = 0; i < 5; i++)
    gg_memory_free(on.context, *addresses[i]);
  gemm_rig_close(&on);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("products");
  TCase *tcase = tcase_create("products");
  tcase_set_timeout(tcase, 120);
  if (fixture_has_nvrtc()) {
    tcase_add_loop_test(tcase, products_are_right, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tcase, gates_leave_half_of_the_columns);
    tcase_add_test(tcase, bits_may_be_counted_where_they_differ);
    tcase_add_test(tcase, scalars_may_be_in_device_memory);
    tcase_add_loop_test(tcase, a_batch_may_be_of_addresses, 0, 2);
    tcase_add_loop_test(tcase, products_of_devices_are_right, 0,
                        sizeof device_cases / sizeof *device_cases);
    tcase_add_loop_test(tcase, scaled_products_are_right, 0,
                        sizeof scaled_cases / sizeof *scaled_cases);
    tcase_add_loop_test(tcase, sparse_products_are_right, 0,
                        sizeof sparse_cases / sizeof *sparse_cases);
    tcase_add_test(tcase, factors_are_packed_by_the_caller);
  }
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
