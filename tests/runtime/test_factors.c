/* Scale factors of a problem: where they are packed to, and what is checked of their addresses and
 * strides. */
#include <string.h>

#include "fixture.h"
#include "problem.h"
#include "scales.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

/* A 300 x 200 and B 70 x 200 with a factor for each 32 elements. */
static gg_kernel scaled_kernel(void) {
  gg_kernel kernel = fixture_kernel();
  kernel.scale_a = kernel.scale_b = (gg_scaling){GG_DTYPE_ue8m0, 32};
  return kernel;
}

static gg_problem scaled_problem(const gg_kernel *kernel) {
  gg_problem p = fixture_problem(300, 70, 200, 2);
  ck_assert_int_eq(gg_problem_pack(&p, kernel, &err), GG_OK);
  p.scale_a = 0x8000, p.scale_b = 0x9010;
  return p;
}

/* 3 atoms of 128 rows by 2 of 4 factors; 1 by 2. */
START_TEST(scale_factors_are_packed) {
  gg_kernel kernel = scaled_kernel();
  gg_problem p = scaled_problem(&kernel);
  ck_assert_int_eq(p.batch_stride_scale_a, 3 * 2 * 512);
  ck_assert_int_eq(p.batch_stride_scale_b, 1 * 2 * 512);
}
END_TEST

/* Where the packer puts a factor is where the layout of CUTLASS and cuBLAS has it, for blocks of
 * 16, 32 and 64, and what is not there becomes 0. */
START_TEST(the_packer_follows_the_layout) {
  enum { rows = 150, k = 210, ld = 19 };
  const int block = 16 << _i, factors = (k + block - 1) / block;
  static unsigned char from[rows * ld], to[4096], back[rows * ld];
  int64_t bytes, seen = 0;
  gg_layout layout;
  const gg_tuple extents = GG_TUPLE(rows, 1, k);
  ck_assert_int_eq(gg_scale_layout(&layout, GG_SCALE_A, block, false, &extents, &err), GG_OK);
  ck_assert_int_eq(gg_scales_bytes(&bytes, rows, k, block, &err), GG_OK);
  ck_assert_int_eq(bytes, gg_layout_cosize(&layout));
  ck_assert_uint_le((size_t)bytes, sizeof to);
  for (int i = 0; i < rows * ld; i++)
    from[i] = (unsigned char)(1 + i % 251);
  memset(to, 0xff, sizeof to);
  ck_assert_int_eq(gg_scales_pack(to, from, rows, k, block, ld, &err), GG_OK);
  int64_t padded = gg_layout_mode_size(&layout, 0);
  for (int64_t row = 0; row < rows; row++) {
    for (int64_t i = 0; i < factors; i++, seen++)
      ck_assert_uint_eq(to[gg_layout_at(&layout, row + i * block * padded)], from[row * ld + i]);
  }
  for (int64_t i = 0; i < bytes; i++)
    seen -= to[i] != 0;
  ck_assert_int_eq(seen, 0);
  ck_assert_int_eq(gg_scales_unpack(back, to, rows, k, block, ld, &err), GG_OK);
  for (int64_t row = 0; row < rows; row++)
    ck_assert_mem_eq(back + row * ld, from + row * ld, (size_t)factors);
}
END_TEST

START_TEST(the_packer_refuses) {
  unsigned char bytes[512];
  int64_t count;
  ck_assert_int_eq(gg_scales_bytes(&count, -1, 32, 32, &err), GG_E_PROBLEM_EXTENT);
  assert_error(&err, GG_E_PROBLEM_EXTENT, "rows = -1");
  ck_assert_int_eq(gg_scales_bytes(&count, 1, 32, 24, &err), GG_E_PROBLEM_SIZE);
  assert_error(&err, GG_E_PROBLEM_SIZE, "a factor of 24 elements");
  ck_assert_int_eq(gg_scales_bytes(&count, INT64_MAX, INT64_MAX, 32, &err), GG_E_PROBLEM_SIZE);
  assert_error(&err, GG_E_PROBLEM_SIZE, "larger than int64");
  ck_assert_int_eq(gg_scales_pack(bytes, bytes, 1, 65, 32, 2, &err), GG_E_PROBLEM_LD);
  assert_error(&err, GG_E_PROBLEM_LD, "ld = 2 is less than factors = 3");
  ck_assert_int_eq(gg_scales_unpack(bytes, NULL, 1, 65, 32, 3, &err), GG_E_NULL_ARGUMENT);
  gg_error_clear(&err);
}
END_TEST

START_TEST(scale_factors_are_checked) {
  const gg_kernel kernel = scaled_kernel();
  const gg_problem good = scaled_problem(&kernel);
  const struct {
    uint64_t a;
    int64_t stride_b;
    gg_status status;
    const char *part;
  } rows[] = {
      {0x8000, 1024, GG_OK, NULL},
      {0x8000, 0, GG_OK, NULL}, /* shared by the batches */
      {0, 1024, GG_E_PROBLEM_POINTER, "the pointer to scale_a is null"},
      {0x8008, 1024, GG_E_PROBLEM_ALIGN, "scale_a = 32776 is not a multiple of the 16 bytes"},
      {0x8000, -16, GG_E_PROBLEM_STRIDE, "batch_stride_scale_b = -16"},
      {0x8000, 1030, GG_E_PROBLEM_ALIGN, "batch_stride_scale_b = 1030"},
      {0x8000, INT64_MAX, GG_E_PROBLEM_ALIGN, "the next is 9223372036854775792"},
      {0x8000, INT64_C(1) << 40, GG_E_PROBLEM_SIZE, "farther apart"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_problem p = good;
    p.scale_a = rows[i].a;
    p.batch_stride_scale_b = rows[i].stride_b;
    fixture_check_problem(&kernel, &p, 100, rows[i].status, rows[i].part, i);
  }
}
END_TEST

/* A D of 300 x 70 with a factor for each 16 elements, which batches may not share; whatever K is.
 */
START_TEST(scale_factors_of_d_are_checked) {
  gg_kernel kernel = fixture_kernel();
  kernel.scale_d = (gg_scaling){GG_DTYPE_ue4m3, 16};
  gg_problem good = fixture_problem(300, 70, _i ? 0 : 200, 2);
  ck_assert_int_eq(gg_problem_pack(&good, &kernel, &err), GG_OK);
  const int64_t bytes = 3 * 2 * 512;
  ck_assert_int_eq(good.batch_stride_scale_d, bytes);
  const struct {
    uint64_t d;
    int64_t stride;
    gg_status status;
    const char *part;
  } rows[] = {
      {0x8000, bytes, GG_OK, NULL},
      {0x8000, 2 * bytes, GG_OK, NULL},
      {0, bytes, GG_E_PROBLEM_POINTER, "the pointer to scale_d is null"},
      {0x8004, bytes, GG_E_PROBLEM_ALIGN, "scale_d = 32772 is not a multiple of the 16 bytes"},
      {0x8000, 0, GG_E_PROBLEM_STRIDE, "batch_stride_scale_d = 0"},
      {0x8000, bytes - 16, GG_E_PROBLEM_STRIDE, "the batches overlap"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_problem p = good;
    p.scale_d = rows[i].d;
    p.batch_stride_scale_d = rows[i].stride;
    fixture_check_problem(&kernel, &p, 100, rows[i].status, rows[i].part, i);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("factors");
  TCase *tests = tcase_create("factors");
  tcase_add_test(tests, scale_factors_are_packed);
  tcase_add_loop_test(tests, the_packer_follows_the_layout, 0, 3);
  tcase_add_test(tests, the_packer_refuses);
  tcase_add_test(tests, scale_factors_are_checked);
  tcase_add_loop_test(tests, scale_factors_of_d_are_checked, 0, 2);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
