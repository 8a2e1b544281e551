/* Bounds of activations and expressions: nothing within them is left out, what cancels has
 * cancelled, and they are not much wider than they must be. */
#include <math.h>

#include "bound.h"
#include "fixture.h"
#include "number.h"
#include "reference.h"
#include "suite.h"

static gg_expression parse(const char *text) {
  const gg_mark mark = {.file = "test"};
  gg_error err = GG_ERROR_INIT;
  gg_expression out;
  ck_assert_msg(gg_expression_parse(&out, text, 3, &mark, &err) == GG_OK, "%s: %s", text,
                err.message);
  return out;
}

/* Of t0, with t1 to t3 twice it and so on. */
static gg_bounded bound_of(const gg_expression *e, gg_bounded x, double t0, bool wide) {
  const double operands[] = {t0, 2 * t0, 3 * t0, 4 * t0};
  return gg_expression_bound(e, x, operands, wide);
}

static const struct {
  const char *text;
  double x, error, t0;
  double value, least, most; /* of the error, beside roundings of 2^-24 */
} rows[] = {
    {"x", 3, 0.5, 0, 3, 0.5, 0.5},
    {"x - x", 3, 0.5, 0, 0, 0, 1e-6},
    {"x + x - 2 * x", 3, 0.5, 0, 0, 0, 5e-6},
    {"2 * x + t0", 3, 0.5, 7, 13, 1, 1.00001},
    {"t0 - 3 * x", 3, 0.5, 7, -2, 1.5, 1.50001},
    {"x * x", 3, 0.5, 0, 9, 3.25, 3.51},
    {"x * t0", 3, 0.5, -4, -12, 2, 2.00001},
    {"x * t1 + t2 - t3", 3, 0.5, 2, 10, 2, 2.00001},
    {"1 / x", 4, 1, 0, 0.25, 1.0 / 12, 0.112},
    {"relu(x)", 0, 0.5, 0, 0, 0.5, 0.5},
    {"relu(x)", -2, 0.5, 0, 0, 0, 1e-9},
    {"max(x, 0) + min(x, 0)", 3, 0.5, 0, 3, 0.5, 0.50001},
    {"clamp(x, -1, 1)", 3, 0.5, 0, 1, 0, 1e-9},
    {"clamp(x, -1, 1)", 1, 0.5, 0, 1, 0.5, 0.5},
    {"abs(x)", -3, 0.5, 0, 3, 0.5, 0.5},
    {"abs(x)", 0, 0.5, 0, 0, 0.5, 0.5},
    {"tanh(x)", 0, 0.125, 0, 0, 0.12, 0.126},
    {"sigmoid(x)", 0, 0.125, 0, 0.5, 0.031, 0.0313},
    {"gelu(x)", 1.4142135623730951, 0.1, 0, 1.302975, 0.11, 0.11291},
    {"silu(x)", 2.4, 0.1, 0, 2.2004, 0.10, 0.11},
    {"exp(x)", 1, 0.01, 0, 2.718281828, 0.0271, 0.0276},
    {"log(x)", 2, 0.01, 0, 0.6931471806, 0.005, 0.00503},
    {"sqrt(x)", 4, 0.01, 0, 2, 0.00249, 0.00251},
    {"rsqrt(x)", 4, 0.01, 0, 0.5, 0.00062, 0.00063},
};

/* The error holds what x's error makes, and little else. */
START_TEST(errors_are_as_large_as_they_must_be) {
  gg_expression e = parse(rows[_i].text);
  for (int wide = 0; wide < 2; wide++) {
    gg_bounded x = {rows[_i].x, rows[_i].error};
    gg_bounded out = bound_of(&e, x, rows[_i].t0, wide);
    ck_assert_msg(fabs(out.value - rows[_i].value) < 1e-4, "%s is %.9g", rows[_i].text, out.value);
    ck_assert_msg(out.error >= rows[_i].least && out.error <= rows[_i].most * (1 + 1e-9),
                  "%s: %.9g", rows[_i].text, out.error);
  }
}
END_TEST

static double value_at(const gg_expression *e, double x, double t0) {
  return bound_of(e, (gg_bounded){x, 0}, t0, true).value;
}

/* Whatever x is within its error, the value is within the result's. */
START_TEST(nothing_is_left_out) {
  static const char *const texts[] = {
      "x * sigmoid(1.702 * x) + t0",
      "max(x, 0) + log(1 + exp(-abs(x)))",
      "clamp(x - 2 * t0, -3, abs(x)) / (1 + exp(min(-x, 2)))",
      "rsqrt(x * x + 1.5) - sqrt(max(x, 0.1)) + log(abs(x) + 0.5) * tanh(x)",
      "gelu(silu(x)) - x * x / (2 + x * x)",
      "x * min(max(x + 3, 0), 6) / 6",
      "tanh(tanh(3 * x) - gelu(x)) * -x",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gg_expression e = parse(texts[i]);
    for (double x = -6; x < 6; x += 0.37) {
      double reach = fmod(fabs(x) * 7.3, 0.5);
      gg_bounded out = bound_of(&e, (gg_bounded){x, reach}, 0.3, true);
      ck_assert(isfinite(out.error));
      for (int j = -8; j <= 8; j++) {
        double value = value_at(&e, x + reach * j / 8, 0.3);
        ck_assert_msg(fabs(value - out.value) <= out.error, "%s at %g +- %g: %g, %g +- %g",
                      texts[i], x, reach, value, out.value, out.error);
      }
    }
  }
}
END_TEST

/* A single rounding of f32 shows, and none of f64's. */
START_TEST(roundings_are_counted) {
  gg_expression e = parse("x * 3");
  double narrow = bound_of(&e, (gg_bounded){1, 0}, 0, false).error;
  double wide = bound_of(&e, (gg_bounded){1, 0}, 0, true).error;
  ck_assert_double_eq_tol(narrow / (3 * 0x1p-24), 1, 1e-6);
  ck_assert_double_eq_tol(wide / (3 * 0x1p-52), 1, 1e-6);
  e = parse("x * 0.1"); /* which f32 rounds, and the kernel's literal is */
  ck_assert_double_eq(bound_of(&e, (gg_bounded){1, 0}, 0, false).value, (double)0.1f);
  ck_assert_double_eq(bound_of(&e, (gg_bounded){1, 0}, 0, true).value, 0.1);
}
END_TEST

/* Where a function may be asked for what it has not. */
START_TEST(what_has_no_value_has_no_bound) {
  static const struct {
    const char *text;
    double x;
  } poles[] = {{"1 / x", 0.1},
               {"log(x)", 0.2},
               {"sqrt(x)", -0.1},
               {"rsqrt(x - 1)", 1.1},
               {"exp(100 * x) / exp(99 * x)", 1}};
  for (size_t i = 0; i < sizeof poles / sizeof *poles; i++) {
    gg_expression e = parse(poles[i].text);
    ck_assert(isinf(bound_of(&e, (gg_bounded){poles[i].x, 0.25}, 0, false).error));
  }
}
END_TEST

/* What is not a number stays so, but where it is the second of two to choose from. */
START_TEST(no_number_stays_none) {
  static const char *const none[] = {
      "sqrt(x)",           "log(x) + 1",       "relu(rsqrt(x))", "t0 / t0 + x",
      "max(sqrt(x), 0)",   "abs(log(x))",      "min(log(x), x)", "clamp(t0 / t0, x, 1)",
      "x - tanh(t0 / t0)", "silu(sqrt(x)) * x"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    gg_expression e = parse(none[i]);
    gg_bounded out = bound_of(&e, (gg_bounded){-3, 0.5}, 0, i % 2 != 0);
    ck_assert_msg(isnan(out.value) && isfinite(out.error), "%s: %g +- %g", none[i], out.value,
                  out.error);
  }
  static const char *const second[] = {"max(x, sqrt(x))", "min(x, t0 / t0)", "clamp(x, log(x), 1)"};
  for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
    gg_expression e = parse(second[i]);
    gg_bounded out = bound_of(&e, (gg_bounded){-3, 0.5}, 0, false);
    ck_assert_msg(out.value == -3 && out.error >= 0.5 && out.error < 0.51, "%s: %g +- %g",
                  second[i], out.value, out.error);
  }
}
END_TEST

/* What the activations make of 3, and by how much an error before them grows at most. */
START_TEST(activations_carry_errors_on) {
  static const struct {
    gg_operation step;
    double result, least, most; /* of the bound, in 2^-24, behind an error of 1000 * 2^-24 */
  } steps[] = {
      {{.kind = GG_OP_SIGMOID}, 0.9525741268224334, 250, 265},
      {{.kind = GG_OP_TANH}, 0.9950547536867305, 1000, 1010},
      {{.kind = GG_OP_HARDSWISH}, 3, 1500, 1515},
      {{.kind = GG_OP_LEAKY_RELU, .numbers = {-4}}, 3, 4000, 4080},
      {{.kind = GG_OP_CLAMP, .numbers = {-1, 2.5f}}, 2.5, 1000, 1003},
      {{.kind = GG_OP_MULTIPLY}, 1.5, 500, 503},
      {{.kind = GG_OP_DRELU}, 3, 1000, 1003},
      {{.kind = GG_OP_DGELU}, 2.6024853740, 868, 896},
      {{.kind = GG_OP_DGELU, .form = GG_GELU_TANH}, 2.6021097106, 868, 896},
      {{.kind = GG_OP_DGELU, .form = GG_GELU_TANH_APPROX}, 2.6021097106, 7060, 7100},
      {{.kind = GG_OP_DSILU}, 2.2198835619, 740, 768},
  };
  gg_kernel kernel = fixture_kernel();
  const gg_problem p = {.size = sizeof(gg_problem), .k = 16, .alpha = 1};
  const gg_reference_operands operands = {.at = {0, 0.5}};
  kernel.d.type = GG_DTYPE_f32;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    gg_expected before, after;
    kernel.operation_count = 1;
    kernel.operations[0] = (gg_operation){.kind = GG_OP_LINEAR};
    gg_reference_expect(&before, NULL, &kernel, &p, 3, 1000.0 / 26 / 2, &operands);
    kernel.operations[1] = steps[i].step;
    kernel.operation_count = 2;
    gg_reference_expect(&after, NULL, &kernel, &p, 3, 1000.0 / 26 / 2, &operands);
    double rounding = gg_number_half_ulp(GG_DTYPE_f32, 3);
    double grown = (after.bound - 2 * rounding) / (before.bound - rounding) * 1000;
    ck_assert_double_eq_tol(after.value, steps[i].result, 1e-7);
    ck_assert_msg(grown > steps[i].least - 20 && grown < steps[i].most + 30, "row %zu: %g", i,
                  grown);
  }
}
END_TEST

/* Integers by relu are exact; else the errors of both columns come to the product, each times the
 * other. */
START_TEST(gates_carry_both_errors_on) {
  gg_kernel kernel = fixture_kernel();
  const gg_problem p = {.size = sizeof(gg_problem), .k = 16, .alpha = 1};
  const double sums[] = {3, -5}, magnitudes[] = {7, 9}, none[] = {0, 0};
  gg_reference_operands exact[2] = {{.integers = true}, {.integers = true}};
  const gg_reference_operands off[2] = {{.integers = false}, {.integers = false}};
  gg_expected out, first, second;
  kernel.d.type = GG_DTYPE_f32;
  kernel.operation_count = 1;
  kernel.operations[0] = (gg_operation){.kind = GG_OP_LINEAR};
  gg_reference_expect(&first, NULL, &kernel, &p, 3, 7, off);
  gg_reference_expect(&second, NULL, &kernel, &p, -5, 9, off);
  kernel.operations[0] = (gg_operation){.kind = GG_OP_GATED, .expression = GG_OP_RELU};
  gg_reference_expect_gated(&out, NULL, &kernel, &p, sums, magnitudes, exact);
  ck_assert_double_eq(out.value, -15);
  ck_assert_double_eq(out.bound, gg_number_half_ulp(GG_DTYPE_f32, 15));
  gg_reference_expect_gated(&out, NULL, &kernel, &p, sums, magnitudes, off);
  double both = 5 * first.bound + 3 * second.bound;
  ck_assert_msg(out.bound > both - 60 * 0x1p-24 && out.bound < both + 80 * 0x1p-24, "%g, %g",
                out.bound * 0x1p24, both * 0x1p24);
  kernel.operations[0].expression = GG_OP_SILU;
  gg_reference_expect_gated(&out, NULL, &kernel, &p, sums, none, exact);
  ck_assert_double_eq_tol(out.value, -15 / (1 + exp(-3)), 1e-12);
}
END_TEST

/* Of what has no bound relu's derivative still makes a zero that has one. */
START_TEST(a_zero_needs_no_bound_before_it) {
  gg_kernel kernel = fixture_kernel();
  const gg_problem p = {.size = sizeof(gg_problem), .k = 16, .alpha = 1};
  gg_expression pole = parse("log(x)");
  gg_expected out;
  kernel.d.type = GG_DTYPE_f32;
  kernel.expressions = &pole;
  kernel.operations[0] = (gg_operation){.kind = GG_OP_EXPR};
  kernel.operations[1] = (gg_operation){.kind = GG_OP_DRELU};
  kernel.operation_count = 2;
  gg_reference_expect(&out, NULL, &kernel, &p, 0.25, 1e6, &(gg_reference_operands){.at = {0, 1}});
  ck_assert(isinf(out.bound));
  gg_reference_expect(&out, NULL, &kernel, &p, 0.25, 1e6, &(gg_reference_operands){.at = {0, -1}});
  ck_assert(out.value == 0 && out.bound < 1e-30);
  kernel.operations[1].kind = GG_OP_SCALE; /* by 0 */
  gg_reference_expect(&out, NULL, &kernel, &p, 0.25, 1e6, &(gg_reference_operands){.at = {0, 0}});
  ck_assert(isinf(out.bound));
}
END_TEST

/* Of a kernel that sums over columns a sample has whole ones. */
START_TEST(a_sample_has_whole_sums) {
  gg_problem p = {.size = sizeof(gg_problem), .m = 1000, .n = 7000, .k = 1000, .batch = 1};
  gg_kernel kernel = fixture_kernel();
  gg_error err = GG_ERROR_INIT;
  gg_sample sample;
  kernel.operations[0] = (gg_operation){.kind = GG_OP_SUM, .along = GG_ALONG_N};
  kernel.operation_count = 1;
  for (int over_n = 0; over_n < 2; over_n++) {
    ck_assert_int_eq(gg_sample_choose_for(&sample, &kernel, &p, 20000000, 1, &err), GG_OK);
    ck_assert(!sample.whole);
    ck_assert_int_eq(sample.row_count, over_n ? 2 : 1000);
    ck_assert_int_eq(sample.col_count, over_n ? 7000 : 20);
    gg_sample_free(&sample);
    kernel.operations[0].along = GG_ALONG_M;
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("bound");
  TCase *tests = tcase_create("bound");
  tcase_add_loop_test(tests, errors_are_as_large_as_they_must_be, 0, sizeof rows / sizeof *rows);
  tcase_add_test(tests, activations_carry_errors_on);
  tcase_add_test(tests, nothing_is_left_out);
  tcase_add_test(tests, gates_carry_both_errors_on);
  tcase_add_test(tests, a_zero_needs_no_bound_before_it);
  tcase_add_test(tests, a_sample_has_whole_sums);
  tcase_add_test(tests, roundings_are_counted);
  tcase_add_test(tests, what_has_no_value_has_no_bound);
  tcase_add_test(tests, no_number_stays_none);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
