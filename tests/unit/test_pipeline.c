/* The pipeline from spec to text: every legal combination of a grid of specs is generated, twice
 * alike and fast, free of bank conflicts where extents are powers of two; the checks of the derive
 * and emit stages refuse what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emit/layout_text.h"
#include "pipeline.h"
#include "plan/check.h"
#include "suite.h"

static gg_spec_file *parse(const char *text) {
  gg_spec_file *file;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_spec_file_parse(&file, text, strlen(text), "test", &err);
  ck_assert_msg(st == GG_OK, "%s\n%s", err.message, text);
  return file;
}

/* ---- The grid --------------------------------------------------------------------------- */

static const char grid[] = "arch: sm_90\n"
                           "a: bf16\n"
                           "b: bf16\n"
                           "c: {type: f32}\n"
                           "d: {align: 16}\n"
                           "atom_layout: [2, 2, 1]\n"
                           "sweep:\n"
                           "  tile: [[32, 32, 16], [64, 32, 32], [64, 128, 64], [128, 128, 32]]\n"
                           "  a.major: [k, m]\n"
                           "  b.major: [k, n]\n"
                           "  c.major: [n, m]\n"
                           "  d.major: [n, m]\n"
                           "  d.type: [bf16, f32]\n"
                           "  a.align: [16, 8, 4, 2]\n";

static void check_conflicts(const gg_spec *spec) {
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_compilation_run(&compilation, spec, &err);
  ck_assert_msg(st == GG_OK, "%s", err.message);
  const gg_layouts *layouts = compilation.layouts;
  for (size_t i = 0; i < layouts->access_count; i++) {
    const gg_smem_access *access = &layouts->accesses[i];
    ck_assert_msg(access->wavefronts.taken == access->wavefronts.least, "%s: %s takes %d of %d",
                  compilation.plan->name, access->name, access->wavefronts.taken,
                  access->wavefronts.least);
  }
  gg_compilation_free(&compilation);
}

START_TEST(test_grid) {
  gg_spec_file *file = parse(grid);
  ck_assert_uint_eq(gg_spec_file_count(file), 4 * 2 * 2 * 2 * 2 * 2 * 4);
  for (size_t i = 0; i < gg_spec_file_count(file); i++)
    check_conflicts(gg_spec_file_get(file, i));
  gg_spec_file_free(file);
}
END_TEST

/* ---- Text ------------------------------------------------------------------------------- */

START_TEST(test_deterministic) {
  gg_spec_file *file = parse("arch: sm_80\na: f16\nb: f16\nc: auto\nd: f16\n");
  gg_error err = GG_ERROR_INIT;
  gg_kernel *first, *second;
  ck_assert_int_eq(gg_kernel_generate(&first, gg_spec_file_get(file, 0), &err), GG_OK);
  ck_assert_int_eq(gg_kernel_generate(&second, gg_spec_file_get(file, 0), &err), GG_OK);
  gg_spec_file_free(file); /* a kernel outlives its spec */
  ck_assert_str_eq(first->source, second->source);
  ck_assert_uint_eq(first->source_length, strlen(first->source));
  ck_assert_ptr_null(strstr(first->source, "#include"));
  ck_assert_ptr_null(strstr(first->source, "//@"));
  ck_assert_ptr_null(strstr(first->source, "${"));
  gg_kernel_free(first);
  gg_kernel_free(second);
}
END_TEST

static double milliseconds(const gg_spec *spec) {
  gg_kernel *kernel;
  clock_t start = clock();
  ck_assert_int_eq(gg_kernel_generate(&kernel, spec, NULL), GG_OK);
  clock_t end = clock();
  gg_kernel_free(kernel);
  return 1000.0 * (double)(end - start) / CLOCKS_PER_SEC;
}

START_TEST(test_fast) {
  gg_spec_file *file =
      parse("arch: sm_90\na: f16\nb: f16\nc: auto\nd: f16\ntile: [128, 256, 64]\n");
  double best = 1e9;
  for (int i = 0; i < 20; i++) {
    double once = milliseconds(gg_spec_file_get(file, 0));
    if (once < best) best = once;
  }
  gg_spec_file_free(file);
  printf("a spec of 128x256x64 is generated in %.2f ms\n", best);
#if defined(__OPTIMIZE__) && !defined(GG_SANITIZED)
  ck_assert_double_lt(best, 2.0);
#endif
}
END_TEST

/* ---- Checks ----------------------------------------------------------------------------- */

START_TEST(test_cover) {
  gg_error err = GG_ERROR_INIT;
  gg_layout tv;
  ck_assert_int_eq(gg_layout_parse(&tv, "(32,4):(4,1)", &err), GG_OK);
  ck_assert_int_eq(gg_check_cover("tAgA", &tv, 128, &err), GG_OK);
  ck_assert_int_eq(gg_check_cover("tAgA", &tv, 256, &err), GG_E_DERIVE_COVER);
  gg_error_clear(&err);
  ck_assert_int_eq(gg_layout_parse(&tv, "(32,4):(4,2)", &err), GG_OK);
  ck_assert_int_eq(gg_check_cover("tAgA", &tv, 128, &err), GG_E_DERIVE_COVER);
  ck_assert_str_eq(err.message,
                   "tAgA covers 128 of the tile's 128 elements, not each exactly once");
  gg_error_clear(&err);
}
END_TEST

START_TEST(test_too_many_modes) {
  static const char *const coords[2] = {"m", "k"};
  gg_error err = GG_ERROR_INIT;
  gg_str out = GG_STR_INIT;
  gg_layout layout;
  const char *text =
      "((2,2,2,2,2,2,2,2,2),(2,2,2,2,2,2,2,2,2)):((1,4,16,64,256,1024,4096,16384,65536),"
      "(2,8,32,128,512,2048,8192,32768,131072))";
  ck_assert_int_eq(gg_layout_parse(&layout, text, &err), GG_OK);
  gg_composed composed = gg_composed_of(&layout);
  ck_assert_int_eq(gg_emit_layout_function(&out, "f", coords, &composed, &err), GG_E_EMIT_LAYOUT);
  gg_error_clear(&err);
  gg_str_free(&out);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("pipeline");
  TCase *tcase = tcase_create("pipeline");
  tcase_set_timeout(tcase, 120);
  tcase_add_test(tcase, test_grid);
  tcase_add_test(tcase, test_deterministic);
  tcase_add_test(tcase, test_fast);
  tcase_add_test(tcase, test_cover);
  tcase_add_test(tcase, test_too_many_modes);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
