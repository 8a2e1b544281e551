/* Numbers in memory as the harness reads and writes them: every pattern, rounding, ends of ranges.
 */
#include <math.h>
#include <string.h>

#include "atom/dtype.h"
#include "fixture.h"
#include "inputs.h"
#include "number.h"
#include "suite.h"

static const gg_dtype small_floats[] = {GG_DTYPE_f16,  GG_DTYPE_bf16, GG_DTYPE_e4m3, GG_DTYPE_e5m2,
                                        GG_DTYPE_e3m2, GG_DTYPE_e2m3, GG_DTYPE_e2m1};

enum { small_float_count = sizeof small_floats / sizeof *small_floats };

static int width_of(gg_dtype type) {
  return gg_dtype_info_of(type)->bits;
}

/* Every bit pattern decodes to a number that encodes to the same pattern. */
START_TEST(every_pattern_survives) {
  gg_dtype type = small_floats[_i];
  int bytes = gg_number_bytes(type);
  for (uint32_t bits = 0; bits < (uint32_t)1 << width_of(type); bits++) {
    unsigned char in[2] = {bits & 255, bits >> 8 & 255}, out[2] = {0, 0};
    double value = gg_number_get(type, in, 0);
    if (isnan(value)) continue;
    gg_number_set(type, out, 0, value);
    ck_assert_msg(memcmp(in, out, (size_t)bytes) == 0, "%#x is %g", bits, value);
  }
}
END_TEST

/* A number half way between neighbours goes to the even one, a hair more or less to the nearer. */
START_TEST(rounds_to_nearest_even) {
  gg_dtype type = small_floats[_i];
  int bytes = gg_number_bytes(type), step = bytes == 2 ? 37 : 1;
  for (uint32_t bits = 0; bits < (uint32_t)1 << (width_of(type) - 1); bits += (uint32_t)step) {
    unsigned char low[2] = {bits & 255, bits >> 8 & 255};
    unsigned char high[2] = {(bits + 1) & 255, (bits + 1) >> 8 & 255}, out[2] = {0, 0};
    double a = gg_number_get(type, low, 0), b = gg_number_get(type, high, 0), middle = (a + b) / 2;
    if (!isfinite(a) || !isfinite(b) || b < a) break;
    gg_number_set(type, out, 0, middle);
    ck_assert_mem_eq(out, bits % 2 ? high : low, (size_t)bytes);
    gg_number_set(type, out, 0, middle + (b - a) / 1024);
    ck_assert_mem_eq(out, high, (size_t)bytes);
    gg_number_set(type, out, 0, middle - (b - a) / 1024);
    ck_assert_mem_eq(out, low, (size_t)bytes);
    ck_assert_double_eq(gg_number_half_ulp(type, a), (b - a) / 2);
  }
}
END_TEST

/* Elements of 6 and 4 bits, the lowest first: 0.5, 1, 1.5, 2 of e2m1 are 1, 2, 3, 4; of e2m3 they
 * are 4, 8, 12, 16. A copy may begin and end within a byte, whose other bits stay. */
START_TEST(narrow_elements_lie_behind_each_other) {
  unsigned char four[2] = {0}, six[3] = {0}, copy[3] = {0xff, 0xff, 0xff};
  for (int i = 0; i < 4; i++) {
    gg_number_set(GG_DTYPE_e2m1, four, i, (i + 1) / 2.0);
    gg_number_set(GG_DTYPE_e2m3, six, i, (i + 1) / 2.0);
  }
  ck_assert_mem_eq(four, ((unsigned char[]){0x21, 0x43}), 2);
  ck_assert_mem_eq(
      six, ((unsigned char[]){4 | (8 & 3) << 6, 8 >> 2 | (12 & 15) << 4, 12 >> 4 | 16 << 2}), 3);
  gg_number_copy(GG_DTYPE_e2m1, copy, 1, four, 0, 3);
  ck_assert_mem_eq(copy, ((unsigned char[]){0x1f, 0x32, 0xff}), 3);
  for (int i = 0; i < 4; i++)
    ck_assert_double_eq(gg_number_get(GG_DTYPE_e2m3, six, i), (i + 1) / 2.0);
  gg_number_set(GG_DTYPE_e2m1, four, 3, -100);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_e2m1, four, 3), -6);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_e2m1, four, 2), 1.5);
}
END_TEST

/* Integers of 4 bits, two a byte: -8 to 7, and 0 to 15. */
START_TEST(integers_lie_behind_each_other) {
  unsigned char two[1] = {0};
  gg_number_set(GG_DTYPE_s4, two, 0, -3);
  gg_number_set(GG_DTYPE_s4, two, 1, 100);
  ck_assert_uint_eq(two[0], 0x7d);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_s4, two, 0), -3);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_u4, two, 0), 13);
  gg_number_set(GG_DTYPE_s4, two, 1, -100);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_s4, two, 1), -8);
  gg_number_set(GG_DTYPE_u4, two, 0, 16);
  ck_assert_uint_eq(two[0], 0x8f);
  gg_number_set(GG_DTYPE_u4, two, 1, -1);
  ck_assert_uint_eq(two[0], 0x0f);
}
END_TEST

START_TEST(scale_factors_are_numbers) {
  unsigned char power, fine;
  gg_number_set(GG_DTYPE_ue8m0, &power, 0, 0.25);
  ck_assert_uint_eq(power, 125);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_ue8m0, &power, 0), 0.25);
  gg_number_set(GG_DTYPE_ue4m3, &fine, 0, 1.5);
  ck_assert_uint_eq(fine, 0x3c);
  ck_assert(isnan(gg_number_get(GG_DTYPE_ue8m0, &(unsigned char){0xff}, 0)));
  ck_assert(isnan(gg_number_get(GG_DTYPE_ue4m3, &(unsigned char){0x7f}, 0)));
}
END_TEST

START_TEST(f32_is_the_machines) {
  for (uint64_t i = 0; i < 100000; i++) {
    double value = ldexp((double)(int64_t)gg_random(1, i), (int)(i % 300) - 200);
    float expected = (float)value, got, back;
    gg_number_set(GG_DTYPE_f32, &got, 0, value);
    ck_assert_mem_eq(&got, &expected, sizeof got);
    back = (float)gg_number_get(GG_DTYPE_f32, &got, 0);
    ck_assert_mem_eq(&back, &expected, sizeof back);
  }
}
END_TEST

START_TEST(ends_of_the_range) {
  unsigned char out[4];
  gg_number_set(GG_DTYPE_f16, out, 0, 65519.9);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_f16, out, 0), 65504);
  gg_number_set(GG_DTYPE_f16, out, 0, 65520);
  ck_assert(isinf(gg_number_get(GG_DTYPE_f16, out, 0)));
  gg_number_set(GG_DTYPE_f16, out, 0, -1e300);
  ck_assert(gg_number_get(GG_DTYPE_f16, out, 0) < -65504);
  gg_number_set(GG_DTYPE_e4m3, out, 0, 1000);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_e4m3, out, 0), 448);
  gg_number_set(GG_DTYPE_s8, out, 0, -1000);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_s8, out, 0), -128);
  gg_number_set(GG_DTYPE_s32, out, 0, -3);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_s32, out, 0), -3);
  gg_number_set(GG_DTYPE_tf32, out, 0, 1 + 0x1p-11);
  ck_assert_double_eq(gg_number_get(GG_DTYPE_tf32, out, 0), 1);
  ck_assert_double_eq(gg_number_max(GG_DTYPE_bf16), 0x1.fep127);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("numbers");
  TCase *tests = tcase_create("numbers");
  tcase_add_loop_test(tests, every_pattern_survives, 0, small_float_count);
  tcase_add_loop_test(tests, rounds_to_nearest_even, 0, small_float_count);
  tcase_add_test(tests, narrow_elements_lie_behind_each_other);
  tcase_add_test(tests, integers_lie_behind_each_other);
  tcase_add_test(tests, scale_factors_are_numbers);
  tcase_add_test(tests, f32_is_the_machines);
  tcase_add_test(tests, ends_of_the_range);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
