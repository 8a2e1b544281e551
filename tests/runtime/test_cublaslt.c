/* cuBLASLt asked for products with scale factors, and what it is not asked for. The library is
 * played by the host (played_cublaslt.c, the program's argument), and so is the device.
 */
#include <stdio.h>

#include "context.h"
#include "cublaslt.h"
#include "fake_driver.h"
#include "fixture.h"
#include "suite.h"
#include "trial.h"

static const char *library;

/* A kernel's facts from the text of a spec, behind its arch. */
static gg_kernel *kernel_of(const char *text) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  gg_kernel *kernel;
  char spec[256];
  int length = snprintf(spec, sizeof spec, "{arch: sm_100a, %s}", text);
  ck_assert_msg(gg_spec_file_parse(&file, spec, (size_t)length, "spec", &err) == GG_OK, "%s",
                err.message);
  ck_assert_msg(gg_kernel_generate(&kernel, gg_spec_file_get(file, 0), &err) == GG_OK, "%s",
                err.message);
  gg_spec_file_free(file);
  return kernel;
}

static gg_context *open_device(int arch) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_driver driver = fake_table();
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  fake_reset();
  fake.arch = arch;
  ck_assert_int_eq(gg_context_open_on(&context, &driver, &options, &err), GG_OK);
  return context;
}

/* What the library makes of a product of random operands, against sums in f64. */
static void compute(gg_trial *trial, gg_cublaslt *lt, gg_error *err) {
  gg_cublaslt_plan *plan = NULL;
  gg_sample sample = {0};
  gg_reference reference = {0};
  gg_verdict verdict;
  gg_status st =
      gg_cublaslt_plan_open(&plan, lt, trial->kernel, &trial->problem, GG_CUBLASLT_PRODUCT, err);
  if (!st) st = gg_trial_poison(trial, err);
  if (!st) st = gg_cublaslt_launch(plan, 0, &trial->problem, NULL, err);
  if (!st) st = gg_sample_choose(&sample, &trial->problem, 0, INT64_MAX, 1, err);
  if (!st)
    st = gg_reference_on_host(&reference, trial->kernel, &trial->problem,
                              gg_trial_host_inputs(trial), &sample, err);
  if (!st) st = gg_trial_check(&verdict, trial, &sample, &reference, err);
  if (!st) ck_assert_msg(gg_verdict_passed(&verdict), "max error %g", verdict.max_error);
  gg_reference_free(&reference);
  gg_sample_free(&sample);
  gg_cublaslt_plan_close(plan);
}

static void try_product(const char *spec, int arch, int64_t batch, gg_error *err) {
  gg_context *context = open_device(arch);
  gg_kernel *kernel = kernel_of(spec);
  gg_problem shape = {.m = 130, .n = 48, .k = 160, .batch = batch, .alpha = 1};
  gg_trial_options options = {.without_c = true};
  gg_trial_inputs inputs;
  gg_trial trial;
  gg_cublaslt *lt;
  ck_assert_int_eq(gg_trial_inputs_make(&inputs, kernel, GG_INPUTS_NORMAL, shape.k, 7, err), GG_OK);
  ck_assert_int_eq(gg_trial_open(&trial, context, kernel, &shape, &options, &inputs, err), GG_OK);
  ck_assert_msg(gg_cublaslt_open(&lt, context, library, err) == GG_OK, "%s", err->message);
  compute(&trial, lt, err);
  gg_cublaslt_close(lt);
  gg_trial_close(&trial);
  gg_trial_inputs_free(&inputs);
  gg_kernel_free(kernel);
  gg_context_close(context);
}

#define MX(type) "{type: " type ", scale: ue8m0}"
#define NV       "{type: e2m1, scale: ue4m3}"

static const struct {
  const char *spec;
  int arch;
  int64_t batch;
  const char *obstacle; /* NULL: it is computed */
} products[] = {
    {"a: " MX("e4m3") ", b: " MX("e4m3") ", d: bf16", 100, 1, NULL},
    {"a: " MX("e4m3") ", b: " MX("e5m2") ", d: f32", 100, 1, NULL},
    {"a: " MX("e5m2") ", b: " MX("e4m3") ", d: {type: f32, major: m}", 103, 1, NULL},
    {"a: " NV ", b: " NV ", d: bf16", 100, 1, NULL},
    {"a: " NV ", b: " NV ", d: {type: f16, major: m}", 100, 1, NULL},
    {"a: " NV ", b: " NV ", d: bf16", 90, 1, "on sm_100 and newer alone"},
    {"a: " NV ", b: " NV ", d: bf16", 100, 3, "without batches"},
    {"a: " MX("e2m1") ", b: " MX("e2m1") ", d: bf16", 100, 1, "it has mxfp8 and nvfp4 alone"},
};

START_TEST(products_with_factors) {
  gg_error err = GG_ERROR_INIT;
  try_product(products[_i].spec, products[_i].arch, products[_i].batch, &err);
  if (products[_i].obstacle)
    assert_error(&err, GG_E_CUBLASLT, products[_i].obstacle);
  else
    ck_assert_msg(err.code == GG_OK, "%s", err.message);
}
END_TEST

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  library = argv[1];
  Suite *suite = suite_create("cublaslt");
  TCase *tcase = tcase_create("cublaslt");
  tcase_add_loop_test(tcase, products_with_factors, 0, sizeof products / sizeof *products);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
