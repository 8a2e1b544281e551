/* The harness must tell a right kernel from a wrong one: inputs, references, and kernels played by
 * the host on the fake driver, each wrong in its own way. */
#include <math.h>
#include <string.h>

#include "ceiling.h"
#include "cublaslt.h"
#include "fake_driver.h"
#include "fixture.h"
#include "jit.h"
#include "number.h"
#include "suite.h"
#include "texts.h"
#include "timing.h"
#include "trial.h"

static gg_error err = GG_ERROR_INIT;

/* ---- Inputs and samples --------------------------------------------------------------- */

START_TEST(inputs_are_normal_or_small_integers) {
  gg_inputs inputs;
  ck_assert_int_eq(gg_inputs_make(&inputs, GG_DTYPE_f16, GG_INPUTS_NORMAL, 0, 5, &err), GG_OK);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < inputs.length; i++) {
    double value = gg_number_get(GG_DTYPE_f16, inputs.cycle, i);
    sum += value;
    squares += value * value;
  }
  ck_assert_double_lt(fabs(sum / (double)inputs.length), 0.01);
  ck_assert_double_lt(fabs(squares / (double)inputs.length - 1), 0.01);
  gg_inputs_free(&inputs);
  ck_assert_int_eq(gg_inputs_range(24, 4096), 4);
  ck_assert_int_eq(gg_inputs_range(11, 100), 4);
  ck_assert_int_eq(gg_inputs_range(11, 1000), 1);
  ck_assert_int_eq(gg_inputs_range(11, 100000), 1);
  ck_assert_int_eq(gg_inputs_range(14, 1100), 3);
}
END_TEST

START_TEST(a_sample_is_distinct_and_has_the_corners) {
  gg_problem p = {.size = sizeof(gg_problem), .m = 100000, .n = 70, .k = 1000, .batch = 50};
  gg_sample sample;
  ck_assert_int_eq(gg_sample_choose(&sample, &p, 0, 3000000, 1, &err), GG_OK);
  ck_assert(!sample.whole);
  ck_assert_int_le(gg_sample_count(&sample), 4000);
  ck_assert_int_eq(sample.rows[0], 0);
  ck_assert_int_eq(sample.rows[sample.row_count - 1], p.m - 1);
  ck_assert_int_eq(sample.cols[sample.col_count - 1], p.n - 1);
  ck_assert_int_eq(sample.batches[sample.batch_count - 1], p.batch - 1);
  for (int64_t i = 1; i < sample.row_count; i++) {
    ck_assert_int_lt(sample.rows[i - 1], sample.rows[i]);
  }
  gg_sample_free(&sample);
  p = (gg_problem){.size = sizeof(gg_problem), .m = 7, .n = 5, .k = 3, .batch = 2};
  ck_assert_int_eq(gg_sample_choose(&sample, &p, 0, 3000000, 1, &err), GG_OK);
  ck_assert(sample.whole);
  ck_assert_int_eq(gg_sample_count(&sample), 70);
  for (int64_t i = 0; i < 7; i++)
    ck_assert_int_eq(sample.rows[i], i);
  gg_sample_free(&sample);
}
END_TEST

/* ---- Kernels played by the host ------------------------------------------------------- */

typedef enum fault {
  RIGHT,
  DROPS_LAST_K,
  SKIPS_AN_ELEMENT,
  WRITES_BEHIND_A_ROW,
  WRITES_BEFORE_D,
  READS_PADDING,
  READS_C,
  ONE_ULP_OFF,
  NOTHING_AT_ALL,
  FAULTS
} fault;

static struct {
  gg_kernel kernel;
  fault fault;
} playing;

/* The arguments of the fixture's kernel, in its order. */
static gg_problem problem_of(const fake_launch *launch) {
  const uint64_t *a = launch->arguments;
  gg_problem p = {.size = sizeof(gg_problem), .a = a[0], .b = a[1], .c = a[2], .d = a[3]};
  int64_t *const values[] = {&p.m,
                             &p.n,
                             &p.k,
                             &p.batch,
                             &p.lda,
                             &p.ldb,
                             &p.ldc,
                             &p.ldd,
                             &p.batch_stride_a,
                             &p.batch_stride_b,
                             &p.batch_stride_c,
                             &p.batch_stride_d};
  for (int i = 0; i < 12; i++)
    *values[i] = (int64_t)a[4 + i];
  memcpy(&p.alpha, &a[16], sizeof p.alpha);
  memcpy(&p.beta, &a[17], sizeof p.beta);
  return p;
}

static double at(const gg_problem *p, char which, int64_t batch, int64_t outer, int64_t inner) {
  gg_view view = gg_problem_view(&playing.kernel, p, which);
  bool outer_contiguous = view.operand->major == (which == 'b' ? GG_MAJOR_N : GG_MAJOR_M);
  int64_t index = outer_contiguous ? inner * view.ld + outer : outer * view.ld + inner;
  return gg_number_get(view.operand->type, (void *)(uintptr_t)view.address,
                       batch * view.batch_stride + index);
}

static double dot(const gg_problem *p, int64_t batch, int64_t i, int64_t j) {
  float sum = 0;
  int64_t k_end = p->k - (playing.fault == DROPS_LAST_K) + (playing.fault == READS_PADDING);
  for (int64_t k = 0; k < k_end; k++) {
    sum += (float)(at(p, 'a', batch, i, k) * at(p, 'b', batch, j, k));
  }
  float c = p->beta != 0 || playing.fault == READS_C ? (float)at(p, 'c', batch, i, j) : 0;
  return p->alpha * sum + p->beta * c;
}

static void play(const fake_launch *launch) {
  gg_problem p = problem_of(launch);
  gg_view d = gg_problem_view(&playing.kernel, &p, 'd');
  void *memory = (void *)(uintptr_t)p.d;
  if (playing.fault == NOTHING_AT_ALL) return;
  for (int64_t batch = 0; batch < p.batch; batch++) {
    for (int64_t i = 0; i < p.m; i++) {
      for (int64_t j = 0; j < p.n; j++) {
        if (playing.fault == SKIPS_AN_ELEMENT && i == p.m - 1 && j == p.n - 1) continue;
        bool m_major = d.operand->major == GG_MAJOR_M;
        double value = dot(&p, batch, i, j);
        if (playing.fault == ONE_ULP_OFF && i == 3) {
          value += 2 * gg_number_half_ulp(d.operand->type, value);
        }
        gg_number_set(d.operand->type, memory,
                      batch * p.batch_stride_d + (m_major ? j * p.ldd + i : i * p.ldd + j), value);
      }
    }
  }
  if (playing.fault == WRITES_BEHIND_A_ROW) gg_number_set(d.operand->type, memory, d.length, 0);
  if (playing.fault == WRITES_BEFORE_D) gg_number_set(d.operand->type, memory, -1, 0);
}

/* A context on the fake with a module of `kernel`, which `play` stands for. */
static gg_context *open_stage(gg_module **module, const gg_kernel *kernel) {
  static const char image[] = "cubin";
  gg_binary binary = {.format = GG_FORMAT_CUBIN, .arch = "sm_90", .data = image, .size = 5};
  gg_driver driver = fake_table();
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_context *context;
  ck_assert_int_eq(gg_context_open_on(&context, &driver, &options, &err), GG_OK);
  ck_assert_int_eq(gg_module_load_binary(module, context, kernel, &binary, &err), GG_OK);
  playing.kernel = *kernel;
  fake.on_launch = play;
  return context;
}

static gg_verdict try_with(const gg_kernel *kernel, gg_problem shape, const gg_trial_inputs *inputs,
                           gg_trial_options options, int launches) {
  gg_module *module;
  gg_context *context = open_stage(&module, kernel);
  gg_trial trial;
  gg_sample sample;
  gg_reference reference;
  gg_verdict verdict;
  gg_status st = gg_trial_open(&trial, context, kernel, &shape, &options, inputs, &err);
  ck_assert_msg(st == GG_OK, "%s", err.message);
  ck_assert_int_eq(trial.problem.a % 256, (uint64_t)kernel->a.align);
  for (int i = 0; i < launches; i++) {
    st = gg_trial_run(&trial, module, NULL, &err);
    ck_assert_msg(st == GG_OK, "%s", err.message);
  }
  ck_assert_int_eq(gg_sample_choose(&sample, &trial.problem, 0, 1 << 27, 1, &err), GG_OK);
  ck_assert_int_eq(gg_reference_on_host(&reference, kernel, &trial.problem,
                                        gg_trial_host_inputs(&trial), &sample, &err),
                   GG_OK);
  ck_assert_int_eq(gg_trial_check(&verdict, &trial, &sample, &reference, &err), GG_OK);
  gg_reference_free(&reference);
  gg_sample_free(&sample);
  gg_trial_close(&trial);
  gg_module_free(module);
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
  return verdict;
}

static gg_verdict try(const gg_kernel *kernel, gg_problem shape, const gg_trial_inputs *inputs) {
  gg_trial_options options = {.padding = 1, .least_aligned = true, .shift = 7};
  return try_with(kernel, shape, inputs, options, 1);
}

static gg_trial_inputs make_inputs(const gg_kernel *kernel, gg_input_kind kind) {
  gg_trial_inputs inputs;
  ck_assert_int_eq(gg_trial_inputs_make(&inputs, kernel, kind, 300, 1, &err), GG_OK);
  return inputs;
}

/* Types and majors that the plays go through. */
static gg_kernel variant(int i) {
  gg_kernel kernel = fixture_kernel();
  if (i & 1) kernel.a.major = GG_MAJOR_M;
  if (i & 2) kernel.b.major = GG_MAJOR_N;
  if (i & 4) kernel.d.major = GG_MAJOR_M;
  if (i & 8) kernel.a.type = kernel.b.type = kernel.d.type = GG_DTYPE_bf16;
  if (i & 8) kernel.a.align = 2;
  return kernel;
}

START_TEST(right_kernels_pass) {
  fake_reset();
  playing.fault = RIGHT;
  gg_kernel kernel = variant(_i);
  const gg_problem shapes[] = {
      {.m = 17, .n = 9, .k = 33, .batch = 3, .alpha = 1},
      {.m = 5, .n = 20, .k = 300, .batch = 1, .alpha = 2, .beta = -1},
      {.m = 5, .n = 20, .k = 40, .batch = 2, .alpha = 0.3f, .beta = 0.7f},
      {.m = 4, .n = 3, .k = 0, .batch = 1, .alpha = 1, .beta = 0.5f},
      {.m = 0, .n = 3, .k = 5, .batch = 1, .alpha = 1},
      {.m = 4, .n = 3, .k = 5, .batch = 0, .alpha = 1},
  };
  for (int kind = 0; kind < 2; kind++) {
    gg_trial_inputs inputs = make_inputs(&kernel, (gg_input_kind)kind);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
      gg_verdict verdict = try(&kernel, shapes[i], &inputs);
      ck_assert_int_eq(verdict.checked, shapes[i].m * shapes[i].n * shapes[i].batch);
      ck_assert_msg(
          gg_verdict_passed(&verdict), "shape %zu: %lld failed, %lld unwritten, %lld stray", i,
          (long long)verdict.failed, (long long)verdict.unwritten, (long long)verdict.stray);
    }
    gg_trial_inputs_free(&inputs);
  }
}
END_TEST

START_TEST(wrong_kernels_fail) {
  fake_reset();
  gg_problem shape = {.size = sizeof(gg_problem), .m = 17, .n = 9, .k = 35, .batch = 2, .alpha = 1};
  for (int i = 0; i < 16; i++) {
    gg_kernel kernel = variant(i);
    playing.fault = (fault)_i;
    gg_trial_inputs inputs = make_inputs(&kernel, GG_INPUTS_INTEGERS);
    gg_verdict verdict = try(&kernel, shape, &inputs);
    gg_trial_inputs_free(&inputs);
    ck_assert_msg(!gg_verdict_passed(&verdict), "fault %d of variant %d goes unseen", _i, i);
    switch (playing.fault) {
    case SKIPS_AN_ELEMENT:
      ck_assert_int_eq(verdict.unwritten, 2);
      ck_assert_int_eq(verdict.worst.row, 16);
      ck_assert_int_eq(verdict.worst.col, 8);
      break;
    case WRITES_BEHIND_A_ROW:
      ck_assert_int_eq(verdict.failed, 0);
      ck_assert_int_gt(verdict.first_stray, 0);
      break;
    case WRITES_BEFORE_D:
      ck_assert_int_eq(verdict.failed, 0);
      ck_assert_int_lt(verdict.first_stray, 0);
      break;
    case ONE_ULP_OFF:
      ck_assert_int_eq(verdict.failed, 9 * 2);
      break;
    default:
      ck_assert_int_gt(verdict.failed, 0);
    }
  }
}
END_TEST

/* A D that is its own C is filled anew for every launch; what is not written then is seen as wrong.
 */
START_TEST(in_place_each_launch_has_its_c) {
  fake_reset();
  gg_kernel kernel = fixture_kernel();
  gg_problem shape = {
      .size = sizeof(gg_problem), .m = 17, .n = 9, .k = 33, .batch = 3, .alpha = 1, .beta = 0.5f};
  gg_trial_options options = {.padding = 1, .in_place = true, .shift = 7, .least_aligned = true};
  gg_trial_inputs inputs = make_inputs(&kernel, GG_INPUTS_NORMAL);
  static const fault faults[] = {RIGHT, DROPS_LAST_K, SKIPS_AN_ELEMENT, WRITES_BEHIND_A_ROW};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    playing.fault = faults[i];
    gg_verdict verdict = try_with(&kernel, shape, &inputs, options, 2);
    ck_assert_int_eq(verdict.checked, 17 * 9 * 3);
    ck_assert_int_eq(gg_verdict_passed(&verdict), faults[i] == RIGHT);
  }
  gg_trial_inputs_free(&inputs);
}
END_TEST

START_TEST(overflow_to_infinity_is_right) {
  gg_kernel kernel = fixture_kernel();
  kernel.d.type = GG_DTYPE_f16;
  gg_problem shape = {
      .size = sizeof(gg_problem), .m = 3, .n = 3, .k = 8, .batch = 1, .alpha = 1e6f};
  fake_reset();
  playing.fault = RIGHT;
  gg_trial_inputs inputs = make_inputs(&kernel, GG_INPUTS_INTEGERS);
  gg_verdict verdict = try(&kernel, shape, &inputs);
  gg_trial_inputs_free(&inputs);
  ck_assert(gg_verdict_passed(&verdict));
}
END_TEST

/* Integers have no infinity: what lies beyond them is their last number on that side. */
START_TEST(saturated_integers_are_right) {
  static const float alphas[] = {100, -100};
  for (int i = 0; i < 2; i++) {
    gg_kernel kernel = fixture_kernel();
    kernel.d.type = GG_DTYPE_s8;
    gg_problem shape = {
        .size = sizeof(gg_problem), .m = 3, .n = 16, .k = 8, .batch = 1, .alpha = alphas[i]};
    fake_reset();
    playing.fault = RIGHT;
    gg_trial_inputs inputs = make_inputs(&kernel, GG_INPUTS_INTEGERS);
    gg_verdict verdict = try(&kernel, shape, &inputs);
    gg_trial_inputs_free(&inputs);
    ck_assert(gg_verdict_passed(&verdict));
  }
}
END_TEST

static gg_expected expect(const gg_kernel *kernel, const gg_problem *p, double sum,
                          double magnitude, double operand, bool integers) {
  gg_reference_operands operands = {.integers = integers};
  gg_expected d;
  for (size_t i = 0; i < kernel->operation_count; i++)
    operands.at[i] = operand;
  gg_reference_expect(&d, NULL, kernel, p, sum, magnitude, &operands);
  return d;
}

START_TEST(the_bound_is_sharp_for_integers_and_holds_for_sums) {
  gg_kernel kernel = fixture_kernel();
  gg_problem p = {.size = sizeof(gg_problem), .k = 4096, .alpha = 1};
  gg_expected exact = expect(&kernel, &p, 1000, 5000, 0, true);
  ck_assert_double_eq(exact.bound, gg_number_half_ulp(GG_DTYPE_f32, 1000));
  gg_expected loose = expect(&kernel, &p, 1000, 5000, 0, false);
  ck_assert_double_gt(loose.bound, 1.5 * 4096 * 0x1p-23 * 5000);
  ck_assert_double_lt(loose.bound, 1.6 * 4096 * 0x1p-23 * 5000);
  /* Integers that no longer fit: the general bound. */
  gg_expected large = expect(&kernel, &p, 1000, 0x1p25, 0, true);
  ck_assert_double_gt(large.bound, 1);
  /* A kernel that says that its sums are shorter. */
  kernel.accumulator_bits = 14;
  gg_expected shorter = expect(&kernel, &p, 1000, 5000, 0, false);
  ck_assert_double_gt(shorter.bound, 1.5 * 4096 * 0x1p-13 * 5000);
  ck_assert_double_lt(shorter.bound, 1.6 * 4096 * 0x1p-13 * 5000);
  /* Or those over a part of K are. */
  kernel.accumulator_span = 128;
  gg_expected promoted = expect(&kernel, &p, 1000, 5000, 0, false);
  ck_assert_double_gt(promoted.bound, 1.5 * 128 * 0x1p-13 * 5000);
  ck_assert_double_lt(promoted.bound, 1.6 * 128 * 0x1p-13 * 5000);
}
END_TEST

/* Sums that are subnormal numbers of f16 are rounded to multiples of 2^-24. */
START_TEST(the_bound_knows_subnormal_sums) {
  gg_kernel kernel = fixture_kernel();
  gg_problem p = {.size = sizeof(gg_problem), .k = 1, .alpha = 1};
  kernel.accumulator = GG_DTYPE_f16;
  gg_expected tiny = expect(&kernel, &p, 8.7e-7, 8.7e-7, 0, false);
  ck_assert_double_ge(tiny.bound, 0x1p-25);
  ck_assert_double_lt(tiny.bound, 0x1p-21);
  ck_assert_double_lt(expect(&kernel, &p, 0, 0, 0, false).bound, 0x1p-100);
}
END_TEST

/* Steps come in order; whole sixteenths stay exact, activations do not. */
START_TEST(the_epilogue_is_followed_step_by_step) {
  gg_kernel kernel = fixture_kernel();
  const gg_problem p = {.size = sizeof(gg_problem), .k = 16, .alpha = 1};
  const gg_operation steps[] = {
      {.kind = GG_OP_SCALE}, {.kind = GG_OP_AUX}, {.kind = GG_OP_RELU}, {.kind = GG_OP_BIAS}};
  memcpy(kernel.operations, steps, sizeof steps);
  kernel.operations[1].operand.type = GG_DTYPE_e4m3;
  kernel.operation_count = 4;
  const gg_reference_operands operands = {.at = {-0.25, 0, 0, 3}, .integers = true};
  gg_expected d, stored[GG_OPERATIONS_MAX];
  gg_reference_expect(&d, stored, &kernel, &p, 18, 100, &operands);
  ck_assert_double_eq(stored[1].value, -4.5);
  ck_assert_double_eq(stored[1].bound, 0.25);
  ck_assert_double_eq(d.value, 3);
  ck_assert_double_eq(d.bound, gg_number_half_ulp(GG_DTYPE_f32, 3));
  kernel.operations[2].kind = GG_OP_GELU;
  gg_reference_expect(&d, stored, &kernel, &p, 18, 100, &operands);
  ck_assert_double_eq_tol(d.value, 3 - 4.5 * 3.3976731e-6, 1e-9);
  ck_assert_double_gt(d.bound, 4.5 * 0x1p-24);
  ck_assert_double_lt(d.bound, 20 * 0x1p-24);
  kernel.operations[2].form = GG_GELU_TANH;
  gg_reference_expect(&d, NULL, &kernel, &p, 18, 100, &operands);
  ck_assert_double_eq_tol(d.value, 3, 1e-4);
  kernel.operations[2].form = GG_GELU_TANH_APPROX;
  gg_reference_expect(&d, NULL, &kernel, &p, 18, 100, &operands);
  ck_assert_double_eq_tol(d.value, 3, 1e-4);
  ck_assert_double_gt(d.bound, 4.5 * 0x1p-12);
  ck_assert_double_lt(d.bound, 5.2 * 0x1p-12);
  kernel.operations[2].kind = GG_OP_SILU;
  gg_reference_expect(&d, NULL, &kernel, &p, 18, 100, &operands);
  ck_assert_double_eq_tol(d.value, 3 - 4.5 / (1 + exp(4.5)), 1e-12);
}
END_TEST

/* 8-bit floats saturate: an infinity is wrong there, and right in wider types. */
START_TEST(saturated_floats_are_right) {
  static const gg_dtype types[] = {GG_DTYPE_e4m3, GG_DTYPE_e5m2};
  for (int i = 0; i < 2; i++) {
    gg_kernel kernel = fixture_kernel();
    kernel.d.type = types[i];
    gg_problem shape = {
        .size = sizeof(gg_problem), .m = 3, .n = 16, .k = 8, .batch = 1, .alpha = 1e5f};
    fake_reset();
    playing.fault = RIGHT;
    gg_trial_inputs inputs = make_inputs(&kernel, GG_INPUTS_INTEGERS);
    gg_verdict verdict = try(&kernel, shape, &inputs);
    gg_trial_inputs_free(&inputs);
    ck_assert_int_eq(gg_verdict_passed(&verdict), types[i] == GG_DTYPE_e4m3);
  }
}
END_TEST

/* ---- cuBLASLt's form, timing, the harness's own kernels ------------------------------- */

START_TEST(the_column_major_form) {
  gg_kernel kernel = fixture_kernel(); /* K-major A and B, N-major D */
  gg_cublaslt_form form = gg_cublaslt_form_of(&kernel);
  ck_assert(form.left == 'b' && form.right == 'a');
  ck_assert(form.transpose_left && !form.transpose_right);
  kernel.d.major = GG_MAJOR_M;
  form = gg_cublaslt_form_of(&kernel);
  ck_assert(form.left == 'a' && form.right == 'b');
  ck_assert(form.transpose_left && !form.transpose_right);
  kernel.a.major = GG_MAJOR_M;
  kernel.b.major = GG_MAJOR_N;
  form = gg_cublaslt_form_of(&kernel);
  ck_assert(!form.transpose_left && form.transpose_right);
}
END_TEST

START_TEST(a_missing_cublaslt_is_named) {
  fake_reset();
  gg_kernel kernel = fixture_kernel();
  gg_module *module;
  gg_context *context = open_stage(&module, &kernel);
  gg_cublaslt *lt;
  gg_cublaslt_open(&lt, context, "/nowhere/libcublasLt.so", &err);
  assert_error(&err, GG_E_CUBLASLT, "loading cuBLASLt failed: /nowhere/libcublasLt.so");
  ck_assert_ptr_null(lt);
  gg_module_free(module);
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
}
END_TEST

static int turns_seen[2];

static gg_status count_turns(void *self, int turn, CUstream stream, gg_error *error) {
  int *seen = self;
  (void)stream, (void)error;
  if (turn > *seen) *seen = turn;
  return GG_OK;
}

START_TEST(contenders_take_turns) {
  fake_reset();
  gg_kernel kernel = fixture_kernel();
  gg_module *module;
  gg_context *context = open_stage(&module, &kernel);
  gg_contender contenders[2] = {{count_turns, &turns_seen[0], 0}, {count_turns, &turns_seen[1], 0}};
  gg_timing_options options = GG_TIMING_OPTIONS_INIT;
  gg_status st = gg_time_contenders(contenders, 2, context, &options, &err);
  ck_assert_msg(st == GG_OK, "%s", err.message);
  /* The fake says 12.5 ms whatever it ran: 8 launches were long enough, 1.1 * 10 ms are 8 too. */
  ck_assert_int_eq(turns_seen[0], 7);
  ck_assert_double_eq_tol(contenders[0].seconds, 0.0125 / 8, 1e-9);
  gg_module_free(module);
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
  ck_assert_int_eq(fake.orphans, 0);
}
END_TEST

static const char *const timed_calls[] = {
    "cuStreamCreate",     "cuEventCreate",      "cuStreamBeginCapture",
    "cuStreamEndCapture", "cuGraphInstantiate", "cuGraphLaunch",
    "cuEventRecord",      "cuEventSynchronize", "cuEventElapsedTime"};

START_TEST(a_failing_race_leaks_nothing) {
  for (int after = 0; after < 6; after++) {
    fake_reset();
    gg_kernel kernel = fixture_kernel();
    gg_module *module;
    gg_context *context = open_stage(&module, &kernel);
    fake.fail_call = timed_calls[_i];
    fake.fail_after = after;
    fake.fail_result = CUDA_ERROR_OUT_OF_MEMORY;
    gg_contender contenders[2] = {{count_turns, &turns_seen[0], 0},
                                  {count_turns, &turns_seen[1], 0}};
    gg_timing_options options = GG_TIMING_OPTIONS_INIT;
    gg_time_contenders(contenders, 2, context, &options, &err);
    gg_error_clear(&err);
    fake.fail_call = NULL;
    gg_module_free(module);
    gg_context_close(context);
    ck_assert_int_eq(fake_alive(), 0);
  }
}
END_TEST

START_TEST(medians_and_launches) {
  double odd[] = {3, 1, 2}, even[] = {4, 1, 2, 3};
  ck_assert_double_eq(gg_median(odd, 3), 2);
  ck_assert_double_eq(gg_median(even, 4), 2.5);
  ck_assert_int_eq(gg_timing_launches(0.010, 0.1, 1), 1);
  ck_assert_int_eq(gg_timing_launches(0.010, 0.001, 10), 110);
  ck_assert_int_eq(gg_timing_launches(0.010, 0, 1), 20000);
}
END_TEST

/* The kernels of the harness compile for the architectures that they are used on. */
static void check_compiles(gg_compiler *compiler, const char *name, gg_str *text) {
  gg_str_puts(text, gg_harness_text(name));
  gg_kernel kernel = {.name = name, .arch = "sm_80", .source = gg_str_text(text)};
  gg_binary *binary;
  gg_status st = gg_compile(&binary, compiler, &kernel, "sm_90", GG_FORMAT_CUBIN, &err);
  ck_assert_msg(st == GG_OK, "%s", err.log);
  ck_assert_msg(!binary->log[0], "%s", binary->log);
  gg_binary_free(binary);
  gg_str_free(text);
}

START_TEST(own_kernels_compile) {
  static const char *const references[] = {"#define TYPE_A f16\n#define TYPE_B bf16\n",
                                           "#define TYPE_A e4m3\n#define TYPE_B s8\n",
                                           "#define TYPE_A tf32\n#define TYPE_B f64\n"};
  static const gg_dtype sums[] = {GG_DTYPE_f32, GG_DTYPE_f16, GG_DTYPE_s32, GG_DTYPE_f64};
  gg_compiler_options options = {.size = sizeof(gg_compiler_options), .cache = ""};
  gg_compiler *compiler;
  gg_str text = GG_STR_INIT;
  int ceilings = 0;
  ck_assert_int_eq(gg_compiler_open(&compiler, &options, &err), GG_OK);
  for (int i = 0; i < 3 && !compiler->why_not; i++) {
    gg_str_puts(&text, references[i]);
    check_compiles(compiler, "reference", &text);
  }
  for (int i = 0; i < GG_DTYPE_COUNT * 4 && !compiler->why_not; i++) {
    if (!gg_ceiling_covers((gg_dtype)(i / 4), sums[i % 4])) continue;
    gg_ceiling_defines(&text, (gg_dtype)(i / 4), sums[i % 4]);
    check_compiles(compiler, "ceiling", &text);
    ceilings++;
  }
  ck_assert(compiler->why_not || ceilings == 12);
  gg_compiler_close(compiler);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("harness");
  TCase *tests = tcase_create("harness");
  tcase_add_test(tests, inputs_are_normal_or_small_integers);
  tcase_add_test(tests, a_sample_is_distinct_and_has_the_corners);
  tcase_add_loop_test(tests, right_kernels_pass, 0, 16);
  tcase_add_loop_test(tests, wrong_kernels_fail, RIGHT + 1, FAULTS);
  tcase_add_test(tests, in_place_each_launch_has_its_c);
  tcase_add_test(tests, overflow_to_infinity_is_right);
  tcase_add_test(tests, saturated_integers_are_right);
  tcase_add_test(tests, the_bound_is_sharp_for_integers_and_holds_for_sums);
  tcase_add_test(tests, the_bound_knows_subnormal_sums);
  tcase_add_test(tests, the_epilogue_is_followed_step_by_step);
  tcase_add_test(tests, saturated_floats_are_right);
  tcase_add_test(tests, the_column_major_form);
  tcase_add_test(tests, a_missing_cublaslt_is_named);
  tcase_add_test(tests, contenders_take_turns);
  tcase_add_loop_test(tests, a_failing_race_leaks_nothing, 0,
                      sizeof timed_calls / sizeof *timed_calls);
  tcase_add_test(tests, medians_and_launches);
  tcase_add_test(tests, own_kernels_compile);
  tcase_set_timeout(tests, 300);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
