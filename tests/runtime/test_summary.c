/* What a bench run comes to: means, the table, the plot. */
#include <string.h>

#include "base/alloc.h"
#include "cli/bench_summary.h"
#include "suite.h"

static bench_summary summary_of(void) {
  bench_summary summary = BENCH_SUMMARY_INIT;
  cli_case square = {.a = GG_DTYPE_bf16, .b = GG_DTYPE_bf16, .d = GG_DTYPE_bf16};
  square.accumulator = GG_DTYPE_f32;
  square.a_major = square.b_major = GG_MAJOR_K, square.d_major = GG_MAJOR_N;
  square.m = square.n = square.k = 4096, square.batch = 1;
  bench_row row = {.problem = square, .ours = 800, .first = 400, .best = 800};
  bench_summary_add(&summary, &row, "large");
  square.m = 16;
  square.batch = 3;
  square.a = square.b = GG_DTYPE_e4m3;
  square.fast = true;
  square.b_major = GG_MAJOR_N;
  row = (bench_row){.problem = square, .ours = 10, .first = 20, .best = 20};
  bench_summary_add(&summary, &row, "small");
  row = (bench_row){.problem = square, .ours = 10};
  bench_summary_add(&summary, &row, "alone");
  return summary;
}

START_TEST(means) {
  bench_summary summary = summary_of();
  bench_means got = bench_summary_means(&summary, NULL);
  ck_assert_uint_eq(got.count, 2);
  ck_assert_double_eq_tol(got.of_first, 1.0, 1e-12);
  ck_assert_double_eq_tol(got.of_best, 0.70710678118654752, 1e-12);
  ck_assert_double_eq_tol(got.least, 0.5, 1e-12);
  ck_assert_uint_eq(got.least_row, 1);
  gg_str line = GG_STR_INIT;
  bench_summary_lines(&line, &summary);
  ck_assert_str_eq(
      gg_str_text(&line),
      "2 cases beside cuBLASLt: geometric mean 1.000 of its first choice, 0.707 of its "
      "best; the least 0.500, e4m3 to bf16, short sums, knn 16 x 4096 x 4096, batch "
      "3\n");
  gg_str_free(&line);
  bench_summary_free(&summary);
}
END_TEST

START_TEST(table) {
  bench_summary summary = summary_of();
  gg_str text = GG_STR_INIT;
  bench_summary_markdown(&text, &summary);
  ck_assert_ptr_nonnull(
      strstr(gg_str_text(&text), "| bf16 | 4096 | large | 800 | 400 | 800 | 2.00 | 1.00 |\n"));
  ck_assert_ptr_nonnull(strstr(gg_str_text(&text), "| alone | 10.0 | - | - | - | - |\n"));
  gg_str_free(&text);
  bench_summary_free(&summary);
}
END_TEST

static int occurrences(const char *text, const char *word) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, word)); at++)
    count++;
  return count;
}

START_TEST(plot) {
  bench_summary summary = summary_of();
  gg_str text = GG_STR_INIT;
  bench_summary_svg(&text, &summary, "H<1>00");
  const char *svg = gg_str_text(&text);
  ck_assert_int_eq(occurrences(svg, "class=\"ours\""), 1);
  ck_assert_int_eq(occurrences(svg, "class=\"behind\""), 1);
  ck_assert_int_eq(occurrences(svg, "class=\"best\""), 2);
  ck_assert_int_eq(occurrences(svg, "H&lt;1&gt;00"), 1);
  ck_assert_int_eq(occurrences(svg, "nan"), 0);
  gg_str_free(&text);
  bench_summary_free(&summary);
}
END_TEST

/* Means are those of an epilogue's rows, and of those alone in which cuBLASLt computed it too. */
START_TEST(epilogues) {
  bench_summary summary = BENCH_SUMMARY_INIT;
  bench_row row = {.problem = {GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32, false,
                               GG_MAJOR_K, GG_MAJOR_K, GG_MAJOR_N, 4096, 4096, 4096, 1},
                   .ours = 500,
                   .first = 400,
                   .best = 500,
                   .epilogue = "bias",
                   .bare = 510,
                   .lt_bare = 440,
                   .separate = 400};
  bench_summary_add(&summary, &row, "biased");
  row.epilogue = "silu";
  row.apart = true;
  row.separate = 250;
  bench_summary_add(&summary, &row, "sigmoid");
  ck_assert_uint_eq(bench_summary_means(&summary, "silu").count, 0);
  ck_assert_double_eq_tol(bench_summary_means(&summary, "bias").over_bare, 1.02, 1e-12);
  gg_str text = GG_STR_INIT;
  bench_summary_lines(&text, &summary);
  ck_assert_str_eq(
      gg_str_text(&text),
      "bias: 1 cases beside cuBLASLt: geometric mean 1.250 of its first choice, 1.000 "
      "of its best; the least 1.250, bf16 4096; over the bare product 1.020, cuBLASLt "
      "1.100\n"
      "bias: 1 cases beside separate kernels: geometric mean 1.250 of their speed, the "
      "least 1.250\n"
      "silu: 1 cases beside separate kernels: geometric mean 2.000 of their speed, the "
      "least 2.000\n");
  bench_summary_markdown(&text, &summary);
  ck_assert_ptr_nonnull(strstr(gg_str_text(&text), "| bf16 | 4096 | bias | biased | 500 | 400 | "
                                                   "500 | 1.25 | 1.00 | 1.020 | 1.100 | 1.25 |\n"));
  ck_assert_ptr_nonnull(strstr(
      gg_str_text(&text), "| silu | sigmoid | 500 | 400 | 500 | - | - | 1.020 | - | 2.00 |\n"));
  gg_str_free(&text);
  bench_summary_free(&summary);
}
END_TEST

/* A run that compared nothing. */
START_TEST(empty) {
  bench_summary summary = BENCH_SUMMARY_INIT;
  gg_str text = GG_STR_INIT;
  bench_summary_lines(&text, &summary);
  ck_assert_str_eq(gg_str_text(&text), "");
  bench_summary_svg(&text, &summary, "none");
  ck_assert_int_eq(occurrences(gg_str_text(&text), "<circle"), 0);
  gg_str_free(&text);
}
END_TEST

START_TEST(memory_may_run_out) {
  bench_summary summary = BENCH_SUMMARY_INIT;
  bench_row row = {.problem = {.m = 1, .n = 1, .k = 1, .batch = 1}, .ours = 1};
  gg_alloc_fail_after(0);
  bench_summary_add(&summary, &row, "kernel");
  gg_alloc_fail_after(-1);
  ck_assert(summary.failed);
  ck_assert_uint_eq(summary.count, 0);
  bench_summary_free(&summary);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("summary");
  TCase *tests = tcase_create("summary");
  tcase_add_test(tests, means);
  tcase_add_test(tests, table);
  tcase_add_test(tests, plot);
  tcase_add_test(tests, epilogues);
  tcase_add_test(tests, empty);
  tcase_add_test(tests, memory_may_run_out);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
