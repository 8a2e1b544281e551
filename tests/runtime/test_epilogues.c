/* The words of `gemmgen bench --epilogue`: for which products there are kernels, and which kernels
 * have which word's epilogue. */
#include <string.h>

#include "base/alloc.h"
#include "choice/catalogue.h"
#include "cli/bench_epilogue.h"
#include "cli/cli.h"
#include "cli/products.h"
#include "suite.h"

/* cli.c prints the help of these; a test has none. */
const cli_command *const cli_commands[] = {NULL};

static gg_error err = GG_ERROR_INIT;

enum { arch = 90 };

static const struct {
  gg_dtype a, d, accumulator;
} products[] = {
    {GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32}, {GG_DTYPE_f16, GG_DTYPE_f16, GG_DTYPE_f32},
    {GG_DTYPE_bf16, GG_DTYPE_f32, GG_DTYPE_f32},  {GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32},
    {GG_DTYPE_e4m3, GG_DTYPE_e4m3, GG_DTYPE_f32}, {GG_DTYPE_s8, GG_DTYPE_s32, GG_DTYPE_s32},
    {GG_DTYPE_s8, GG_DTYPE_s8, GG_DTYPE_s32},
};

enum { product_count = sizeof products / sizeof *products };

static cli_case case_of(int index) {
  return (cli_case){.a = products[index].a,
                    .b = products[index].a,
                    .d = products[index].d,
                    .accumulator = products[index].accumulator,
                    .a_major = GG_MAJOR_K,
                    .b_major = GG_MAJOR_K,
                    .d_major = GG_MAJOR_N,
                    .m = 256,
                    .n = 256,
                    .k = 256,
                    .batch = 1};
}

static const bench_epilogue *word(const char *text) {
  const bench_epilogue *list[BENCH_EPILOGUES_MAX];
  ck_assert_int_eq(bench_epilogues_read(list, text), CLI_OK);
  return list[0];
}

/* What a word comes to for a product: '+' where there are kernels, '-' where the catalogue has
 * none, 'x' where it is refused before. */
static char outcome(const gg_catalogue *catalogue, const bench_epilogue *epilogue, int product) {
  cli_case c = case_of(product);
  gg_form form;
  gg_str text = GG_STR_INIT, why = GG_STR_INIT;
  char out = 'x';
  if (bench_epilogue_form(&form, &text, &why, epilogue, &c)) {
    gg_lineup *lineup;
    gg_kernel *kernel;
    gg_status st = gg_lineup_make(&lineup, catalogue, &form, arch, &err);
    ck_assert_msg(st == GG_OK, "%s: %s", epilogue->word, err.message);
    out = lineup->count > 0 ? '+' : '-';
    if (lineup->count > 0) {
      ck_assert_int_eq(gg_kernel_generate(&kernel, &lineup->list[0].spec, &err), GG_OK);
      ck_assert_msg(bench_epilogue_is(kernel, &form, &why), "%s is not %s", kernel->name,
                    epilogue->word);
      gg_kernel_free(kernel);
    }
    gg_lineup_free(lineup);
  } else {
    ck_assert_uint_gt(why.length, 0);
  }
  gg_str_free(&text);
  gg_str_free(&why);
  return out;
}

/* The columns are the products above. */
static const struct {
  const char *word, *outcomes;
} expected[] = {
    {"none", "+++++++"},      {"bias", "+++++++"},        {"bias_relu", "+++++++"},
    {"bias_gelu", "+++++++"}, {"bias_silu", "+++++++"},   {"relu", "+++++++"},
    {"gelu", "+++++++"},      {"silu", "+++++++"},        {"gelu_aux", "+++++++"},
    {"dgelu", "+++++++"},     {"dgelu_bgrad", "+++++++"}, {"swiglu", "+++++++"},
    {"geglu", "+++++++"},     {"beta_c", "+++++++"},      {"beta_c_in_place", "++++x++"},
    {"residual", "+++++++"},  {"scales", "xxx++xx"},      {"scales_d", "xxxx+xx"},
    {"scales_mn", "xxx++xx"},
};

START_TEST(every_word_for_every_type) {
  gg_catalogue *catalogue;
  ck_assert_int_eq(gg_catalogue_open(&catalogue, &err), GG_OK);
  size_t count = sizeof expected / sizeof *expected;
  for (size_t i = 0; i < count; i++) {
    char outcomes[product_count + 1] = "";
    for (int j = 0; j < product_count; j++)
      outcomes[j] = outcome(catalogue, word(expected[i].word), j);
    ck_assert_msg(strcmp(outcomes, expected[i].outcomes) == 0, "%s: %s, not %s", expected[i].word,
                  outcomes, expected[i].outcomes);
  }
  ck_assert_ptr_null(bench_epilogues[count].word);
  gg_catalogue_close(catalogue);
}
END_TEST

static void assert_text(const char *name, const cli_case *c, const char *wanted) {
  gg_form form;
  gg_str text = GG_STR_INIT, why = GG_STR_INIT;
  ck_assert(bench_epilogue_form(&form, &text, &why, word(name), c));
  ck_assert_str_eq(form.epilogue, wanted);
  gg_str_free(&text);
  gg_str_free(&why);
}

/* What cuBLASLt can add decides for both: its bias runs along its column-major D's rows, and it
 * adds no 8-bit floats. */
START_TEST(operands_are_those_that_cublaslt_takes) {
  cli_case c = case_of(0);
  assert_text("bias", &c, "[{bias: {along: n, type: bf16}}]");
  c.d_major = GG_MAJOR_M;
  assert_text("bias", &c, "[{bias: {along: m, type: bf16}}]");
  c = case_of(2);
  assert_text("gelu_aux", &c,
              "[{bias: {along: n, type: f32}}, {aux: {type: f32}}, {gelu: {form: tanh_approx}}]");
  c = case_of(4);
  assert_text("gelu_aux", &c,
              "[{bias: {along: n, type: bf16}}, {aux: {type: bf16}}, {gelu: {form: tanh_approx}}]");
  assert_text("bias", &c, "[{bias: {along: n, type: bf16}}]");
  assert_text("residual", &c, "[{residual: {type: bf16}}]");
  gg_form form;
  gg_str text = GG_STR_INIT;
  ck_assert(bench_epilogue_form(&form, &text, &text, word("beta_c"), &c));
  ck_assert_int_eq(form.c.type, GG_DTYPE_bf16);
  ck_assert_int_eq(form.c.align, 16);
  gg_str_free(&text);
}
END_TEST

/* Two columns of the product are one of a row-major D. */
START_TEST(gates_are_refused_where_d_has_no_half) {
  cli_case cases[] = {case_of(0), case_of(0)};
  cases[0].d_major = GG_MAJOR_M;
  cases[1].n = 255;
  for (int i = 0; i < 2; i++) {
    gg_form form;
    gg_str text = GG_STR_INIT, why = GG_STR_INIT;
    ck_assert(!bench_epilogue_form(&form, &text, &why, word("swiglu"), &cases[i]));
    ck_assert_uint_gt(why.length, 0);
    gg_str_free(&text);
    gg_str_free(&why);
  }
}
END_TEST

static gg_kernel *kernel_of(const char *epilogue) {
  gg_spec_file *file;
  gg_kernel *kernel;
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "{arch: sm_80, a: bf16, b: bf16, d: bf16, tile: [64, 64, 32], %s}",
                epilogue);
  gg_status st = gg_spec_file_parse(&file, gg_str_text(&text), text.length, "spec", &err);
  ck_assert_msg(st == GG_OK, "%s", err.message);
  ck_assert_int_eq(gg_kernel_generate(&kernel, gg_spec_file_get(file, 0), &err), GG_OK);
  gg_spec_file_free(file);
  gg_str_free(&text);
  return kernel;
}

/* A kernel of a SPEC has a word's epilogue, operation by operation, or it has not. */
static const struct {
  const char *spec, *word;
  bool is;
} pairs[] = {
    {"epilogue: [linear]", "none", true},
    {"epilogue: []", "none", true},
    {"c: bf16", "none", true}, /* with beta 0 */
    {"c: bf16", "beta_c", true},
    {"c: bf16", "beta_c_in_place", true},
    {"c: f32", "beta_c", false},
    {"epilogue: [linear]", "beta_c", false},
    {"epilogue: [bias]", "bias", true},
    {"epilogue: [bias]", "none", false},
    {"epilogue: [{bias: {along: m}}]", "bias", false},
    {"epilogue: [{bias: {type: f32}}]", "bias", false},
    {"epilogue: [bias, relu]", "bias", false},
    {"epilogue: [bias, gelu]", "bias_gelu", false},
    {"epilogue: [bias, {gelu: {form: tanh}}]", "bias_gelu", false},
    {"epilogue: [bias, {gelu: {form: tanh_approx}}]", "bias_gelu", true},
    {"epilogue: [bias, aux, {gelu: {form: tanh_approx}}]", "gelu_aux", true},
    {"epilogue: [{dgelu: {form: tanh_approx}}, sum]", "dgelu_bgrad", true},
    {"epilogue: [{dgelu: {form: tanh_approx}}, {sum: {along: m}}]", "dgelu_bgrad", false},
    {"epilogue: [gated]", "swiglu", true},
    {"epilogue: [gated]", "geglu", false},
    {"epilogue: [aux, bias, {gelu: {form: tanh_approx}}]", "gelu_aux", false},
};

START_TEST(kernels_of_specs_are_told_apart) {
  gg_kernel *kernel = kernel_of(pairs[_i].spec);
  cli_case c = case_of(0);
  gg_form form;
  gg_str text = GG_STR_INIT, why = GG_STR_INIT;
  ck_assert(bench_epilogue_form(&form, &text, &why, word(pairs[_i].word), &c));
  ck_assert_int_eq(bench_epilogue_is(kernel, &form, &why), pairs[_i].is);
  ck_assert_int_eq(why.length == 0, pairs[_i].is);
  gg_str_free(&text);
  gg_str_free(&why);
  gg_kernel_free(kernel);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("epilogues");
  TCase *tests = tcase_create("epilogues");
  tcase_add_test(tests, every_word_for_every_type);
  tcase_add_test(tests, operands_are_those_that_cublaslt_takes);
  tcase_add_test(tests, gates_are_refused_where_d_has_no_half);
  tcase_add_loop_test(tests, kernels_of_specs_are_told_apart, 0, sizeof pairs / sizeof *pairs);
  tcase_set_timeout(tests, 300);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
