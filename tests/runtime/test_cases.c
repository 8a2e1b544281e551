/* Cases files, and which kernel covers which case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cases.h"
#include "fixture.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

START_TEST(parses) {
  static const char text[] = "# a comment\n"
                             "bf16 bf16 bf16 f32 k k n 512 512 512 1\n"
                             "\n"
                             "  e4m3\te5m2 f16 f32fast m n m 16 28672 4096 3 # more\r\n"
                             "s8 s8 s32 s32 k k n 1 2 3 4";
  cli_cases cases;
  ck_assert_int_eq(cli_cases_parse(&cases, text, "cases.txt", &err), GG_OK);
  ck_assert_uint_eq(cases.count, 3);
  ck_assert_int_eq(cases.list[1].a, GG_DTYPE_e4m3);
  ck_assert_int_eq(cases.list[1].accumulator, GG_DTYPE_f32);
  ck_assert(cases.list[1].fast && !cases.list[0].fast);
  ck_assert_int_eq(cases.list[1].a_major, GG_MAJOR_M);
  ck_assert_int_eq(cases.list[1].b_major, GG_MAJOR_N);
  ck_assert_int_eq(cases.list[1].n, 28672);
  gg_str name = GG_STR_INIT;
  cli_case_name(&name, &cases.list[0]);
  ck_assert_str_eq(gg_str_text(&name), "bf16,bf16,bf16,f32,kkn,512x512x512,b1");
  gg_str_free(&name);
  cli_cases_free(&cases);
}
END_TEST

/* Types with scale factors, which names say again. */
START_TEST(parses_factors) {
  static const struct {
    const char *types, *name;
    int block;
    gg_dtype factor;
  } rows[] = {
      {"e4m3:ue8m0 e5m2:ue8m0", "e4m3:ue8m0,e5m2:ue8m0", 32, GG_DTYPE_ue8m0},
      {"e4m3:ue8m0:32 e2m1:ue8m0:32", "e4m3:ue8m0,e2m1:ue8m0", 32, GG_DTYPE_ue8m0},
      {"e2m1:ue4m3 e2m1:ue4m3:16", "e2m1:ue4m3,e2m1:ue4m3", 16, GG_DTYPE_ue4m3},
      {"e2m1:ue8m0:16 e2m1", "e2m1:ue8m0:16,e2m1", 16, GG_DTYPE_ue8m0},
      {"e2m1:ue4m3:32 e2m1", "e2m1:ue4m3:32,e2m1", 32, GG_DTYPE_ue4m3},
      {"bf16:sparse bf16", "bf16:sparse,bf16", 0, GG_DTYPE_f16},
      {"e4m3:sparse:ue8m0 e4m3:ue8m0", "e4m3:sparse:ue8m0,e4m3:ue8m0", 64, GG_DTYPE_ue8m0},
      {"e2m1:ue4m3 e2m1:sparse:ue4m3:32", "e2m1:ue4m3,e2m1:sparse:ue4m3", 32, GG_DTYPE_ue4m3},
      {"e2m1:sparse:ue8m0:32 e2m1:ue8m0:32", "e2m1:sparse:ue8m0:32,e2m1:ue8m0:32", 32,
       GG_DTYPE_ue8m0},
      {"b1:xor b1", "b1:xor,b1", 0, GG_DTYPE_f16},
      {"u4 s4", "u4,s4", 0, GG_DTYPE_f16},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cli_cases cases;
    char text[96], wanted[96];
    gg_str name = GG_STR_INIT;
    snprintf(text, sizeof text, "%s f32 f32 k k n 1 2 3 4", rows[i].types);
    snprintf(wanted, sizeof wanted, "%s,f32,f32,kkn,1x2x3,b4", rows[i].name);
    ck_assert_int_eq(cli_cases_parse(&cases, text, "c", &err), GG_OK);
    ck_assert_int_eq(cases.list[0].scale_a.block, rows[i].block);
    ck_assert_int_eq(cases.list[0].scale_a.type, rows[i].factor);
    cli_case_name(&name, &cases.list[0]);
    ck_assert_str_eq(gg_str_text(&name), wanted);
    gg_str_free(&name);
    cli_cases_free(&cases);
  }
}
END_TEST

static const struct {
  const char *text;
  int line, column;
  const char *part;
} bad[] = {
    {"bf17 bf16 bf16 f32 k k n 1 1 1 1", 1, 1,
     "the type of A is a number type such as bf16, not 'bf17'"},
    {"e2m1:ue9m0 e2m1 f32 f32 k k n 1 1 1 1", 1, 1, "with factors as in e4m3:ue8m0"},
    {"e2m1 e2m1:ue8m0:8 f32 f32 k k n 1 1 1 1", 1, 6, "the type of B is a number type, with"},
    {"bf16:sparse bf16:sparse f32 f32 k k n 1 1 1 1", 1, 13, "dense beside a sparse A"},
    {"b1 b1:xor s32 s32 k k n 1 1 1 1", 1, 4, "the type of B is a number type, with"},
    {"bf16:sparser bf16 f32 f32 k k n 1 1 1 1", 1, 1, "a number type, with"},
    {"bf16 bf16 bf16:sparse f32 k k n 1 1 1 1", 1, 11, "the type of D is a number type, with"},
    {"e4m3:sparse:ue8m0:16 e4m3 f32 f32 k k n 1 1 1 1", 1, 1, "a number type, with"},
    {"e2m1: e2m1 f32 f32 k k n 1 1 1 1", 1, 1, "not 'e2m1:'"},
    {"e2m2:ue8m0 e2m1 f32 f32 k k n 1 1 1 1", 1, 1, "not 'e2m2'"},
    {"\n\nbf16 bf16 bf16 f33 k k n 1 1 1 1", 3, 16,
     "the accumulator is f32, f16, s32, f64 or f32fast"},
    {"bf16 bf16 bf16 f32 n k n 1 1 1 1", 1, 20, "the major of A is k or m, not 'n'"},
    {"bf16 bf16 bf16 f32 k m n 1 1 1 1", 1, 22, "the major of B is k or n"},
    {"bf16 bf16 bf16 f32 k k k 1 1 1 1", 1, 24, "the major of D is n or m"},
    {"bf16 bf16 bf16 f32 k k n 0 1 1 1", 1, 26, "the M is a positive integer, not '0'"},
    {"bf16 bf16 bf16 f32 k k n 1 -1 1 1", 1, 28, "the N is a positive integer, not '-1'"},
    {"bf16 bf16 bf16 f32 k k n 1 1 9223372036854775808 1", 1, 30, "the K is a positive integer"},
    {"bf16 bf16 bf16 f32 k k n 1 1 1", 1, 31,
     "a case has 11 fields, this one 10: the batch is missing"},
    {"bf16 bf16 bf16 f32 k k n 1 1 1 1 1", 1, 34, "here is a twelfth"},
    {"bf16 # what", 1, 5, "this one 1: the type of B is missing"},
    {"\xff\xfe", 1, 3, "this one 1: the type of B is missing"},
};

START_TEST(refuses) {
  cli_cases cases;
  ck_assert_int_eq(cli_cases_parse(&cases, bad[_i].text, "cases.txt", &err), GG_E_CASES);
  ck_assert_uint_eq(cases.count, 0);
  ck_assert_str_eq(err.file, "cases.txt");
  ck_assert_int_eq(err.line, bad[_i].line);
  ck_assert_int_eq(err.column, bad[_i].column);
  assert_error(&err, GG_E_CASES, bad[_i].part);
}
END_TEST

START_TEST(covers) {
  gg_kernel kernel = fixture_kernel(); /* f16 k k, f32 n, aligned to 16 B */
  static const struct {
    const char *text, *why; /* NULL: covered */
  } rows[] = {
      {"f16 f16 f32 f32 k k n 128 128 64 1", NULL},
      {"f16 f16 f32 f32 k k n 7 4 64 5", NULL},
      {"f16:ue8m0 f16:ue8m0 f32 f32 k k n 7 4 64 5", "A has no factors"},
      {"bf16 f16 f32 f32 k k n 128 128 64 1", "A is f16 k-major"},
      {"f16 f16 f32 f32 k n n 128 128 64 1", "B is f16 k-major"},
      {"f16 f16 f32 f32 k k m 128 128 64 1", "D is f32 n-major"},
      {"f16 f16 f32 f16 k k n 128 128 64 1", "accumulates in f32"},
      {"f16 f16 f32 f32fast k k n 128 128 64 1", "accumulates in f32"},
      {"f16 f16 f32 f32 k k n 128 128 65 1", "lda = 65 is not a multiple of the 8 elements"},
      {"f16 f16 f32 f32 k k n 128 127 64 1", "ldd = 127"},
      {"f16 f16 f32 f32 k k n 9223372036854775807 8 8 1", "larger than int64"},
      {"f16 f16 f32 f32fast k k n 128 128 64 1", NULL}, /* of a kernel with short sums, */
      {"f16 f16 f32 f32 k k n 128 128 64 1", "accumulates in f32fast"}, /* which the last two are */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cli_cases cases;
    gg_str why = GG_STR_INIT;
    ck_assert_int_eq(cli_cases_parse(&cases, rows[i].text, "c", &err), GG_OK);
    kernel.accumulator_bits = i + 2 < sizeof rows / sizeof *rows ? 0 : 14;
    bool covered = cli_case_covered(&cases.list[0], &kernel, &why);
    ck_assert_msg(covered == !rows[i].why, "%s: %s", rows[i].text, gg_str_text(&why));
    if (!covered) ck_assert_ptr_nonnull(strstr(gg_str_text(&why), rows[i].why));
    gg_str_free(&why);
    cli_cases_free(&cases);
  }
}
END_TEST

/* The same of a kernel that has factors. */
START_TEST(covers_factors) {
  gg_kernel kernel = fixture_kernel();
  static const struct {
    const char *types, *why;
  } rows[] = {{"f16:ue8m0 f16:ue8m0", NULL},
              {"f16 f16", "A has a factor of ue8m0 for each 32 elements"},
              {"f16:ue8m0 f16", "B has a factor of ue8m0 for each 32 elements"},
              {"f16:ue8m0:16 f16:ue8m0", "A has a factor of ue8m0 for each 32 elements"},
              {"f16:ue4m3:32 f16:ue8m0", "A has a factor of ue8m0 for each 32 elements"}};
  kernel.scale_a = kernel.scale_b = (gg_scaling){GG_DTYPE_ue8m0, 32};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cli_cases cases;
    char text[96];
    gg_str why = GG_STR_INIT;
    snprintf(text, sizeof text, "%s f32 f32 k k n 129 128 64 3", rows[i].types);
    ck_assert_int_eq(cli_cases_parse(&cases, text, "c", &err), GG_OK);
    ck_assert_int_eq(cli_case_covered(&cases.list[0], &kernel, &why), !rows[i].why);
    ck_assert_str_eq(gg_str_text(&why), rows[i].why ? rows[i].why : "");
    gg_str_free(&why);
    cli_cases_free(&cases);
  }
}
END_TEST

/* And of one that reads alpha and beta in device memory, adds up columns of D in a workspace. */
START_TEST(covers_what_an_epilogue_wants) {
  gg_kernel kernel = fixture_kernel();
  cli_cases cases;
  gg_str why = GG_STR_INIT;
  kernel.operations[0] = (gg_operation){
      .kind = GG_OP_LINEAR, .alpha = true, .beta = true, .scalars = GG_SCALARS_DEVICE};
  kernel.operations[1] = (gg_operation){
      .kind = GG_OP_SUM, .along = GG_ALONG_N, .operand = {GG_DTYPE_f32, GG_MAJOR_N, 4}};
  kernel.operation_count = 2;
  kernel.sum_bytes_n = 4;
  ck_assert_int_eq(cli_cases_parse(&cases, "f16 f16 f32 f32 k k n 128 128 64 2", "c", &err), GG_OK);
  bool covered = cli_case_covered(&cases.list[0], &kernel, &why);
  ck_assert_msg(covered, "%s", gg_str_text(&why));
  gg_str_free(&why);
  cli_cases_free(&cases);
}
END_TEST

START_TEST(memory_may_run_out) {
  cli_cases cases;
  gg_alloc_fail_after(0);
  gg_status st = cli_cases_parse(&cases, "s8 s8 s32 s32 k k n 1 2 3 4", "c", &err);
  gg_alloc_fail_after(-1);
  ck_assert_int_eq(st, GG_E_MEMORY);
  gg_error_clear(&err);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("cases");
  TCase *tests = tcase_create("cases");
  tcase_add_test(tests, parses);
  tcase_add_test(tests, parses_factors);
  tcase_add_test(tests, covers_factors);
  tcase_add_test(tests, covers_what_an_epilogue_wants);
  tcase_add_loop_test(tests, refuses, 0, sizeof bad / sizeof *bad);
  tcase_add_test(tests, covers);
  tcase_add_test(tests, memory_may_run_out);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
