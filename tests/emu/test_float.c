/* Floating point of the emulator: the plain path (soft.c) against the host's own arithmetic in all
 * four rounding modes and against a search among all numbers of a format; the fast paths (float.h)
 * against the plain one. */
#include <fenv.h>
#include <math.h>

#include "emu/number/approx.h"
#include "emu/number/float.h"
#include "numbers.h"
#include "suite.h"

enum { rounds = 200000 };

static const unsigned modes[] = {EMU_RN, EMU_RZ, EMU_RM, EMU_RP};
static const int host_modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static void check(const char *what, uint64_t got, uint64_t expected, uint64_t a, uint64_t b,
                  uint64_t c, unsigned how) {
  if (got == expected) return;
  ck_abort_msg("%s of %#llx %#llx %#llx, how %u: %#llx, expected %#llx", what,
               (unsigned long long)a, (unsigned long long)b, (unsigned long long)c, how,
               (unsigned long long)got, (unsigned long long)expected);
}

/* ---- The plain path against the host ------------------------------------------------------- */

/* One operation on the host; volatile, so that it happens in the mode set around it. */
static double host_f64(int operation, double x, double y, double z) {
  volatile double a = x, b = y, c = z, d = 0;
  switch (operation) {
  case 0:
    d = a + b;
    break;
  case 1:
    d = a * b;
    break;
  case 2:
    d = fma(a, b, c);
    break;
  case 3:
    d = a / b;
    break;
  default:
    d = sqrt(a);
    break;
  }
  return d;
}

static float host_f32(int operation, float x, float y, float z) {
  volatile float a = x, b = y, c = z, d = 0;
  switch (operation) {
  case 0:
    d = a + b;
    break;
  case 1:
    d = a * b;
    break;
  case 2:
    d = fmaf(a, b, c);
    break;
  case 3:
    d = a / b;
    break;
  default:
    d = sqrtf(a);
    break;
  }
  return d;
}

static uint64_t soft(const emu_format *f, int operation, uint64_t a, uint64_t b, uint64_t c,
                     unsigned how) {
  switch (operation) {
  case 0:
    return emu_soft_add(f, a, b, how);
  case 1:
    return emu_soft_mul(f, a, b, how);
  case 2:
    return emu_soft_fma(f, a, b, c, how);
  case 3:
    return emu_soft_div(f, a, b, how);
  default:
    return emu_soft_sqrt(f, a, how);
  }
}

START_TEST(soft_is_the_hosts_arithmetic) {
  const emu_format *f = _i & 1 ? &emu_f64 : &emu_f32;
  int operation = _i / 2;
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    uint64_t a = numbers_operand(f), b = numbers_operand(f), c = numbers_operand(f);
    if (n % 4 == 0) c = emu_soft_mul(f, a, b, EMU_RZ) ^ f->sign; /* cancellation */
    for (int m = 0; m < 4; m++) {
      fesetround(host_modes[m]);
      uint64_t expected =
          f == &emu_f64
              ? emu_double_bits(host_f64(operation, emu_double(a), emu_double(b), emu_double(c)))
              : emu_float_bits(host_f32(operation, emu_float((uint32_t)a), emu_float((uint32_t)b),
                                        emu_float((uint32_t)c)));
      fesetround(FE_TONEAREST);
      if (emu_format_is_nan(f, expected)) expected = f->nan;
      check("soft", soft(f, operation, a, b, c, modes[m]), expected, a, b, c, modes[m]);
    }
  }
}
END_TEST

/* ---- Conversions against a search ---------------------------------------------------------- */

static const emu_format *const small[] = {&emu_f16,  &emu_bf16, &emu_e4m3, &emu_e5m2,
                                          &emu_e2m3, &emu_e3m2, &emu_e2m1};

static uint64_t expected_conversion(const emu_format *to, const emu_format *from, uint64_t a,
                                    unsigned how) {
  if (emu_format_is_nan(from, a)) return to->nan ? to->nan : to->max;
  if (from->infinity && (a & (from->sign - 1)) == from->infinity) {
    uint64_t beyond = to->infinity ? to->infinity : to->nan;
    uint64_t magnitude = (how & EMU_SATFINITE) || !beyond ? to->max : beyond;
    return a & from->sign ? magnitude | to->sign : magnitude;
  }
  double x = numbers_value(from, a);
  if (x == 0) return a & from->sign ? to->sign : 0;
  uint64_t bits = numbers_nearest(to, x, how);
  return bits == (to->nan | to->sign) && !to->infinity ? to->nan | (bits & to->sign) : bits;
}

/* Without infinities what is past the end differs with the mode; PTX always saturates there. */
static unsigned conversion_flags(const emu_format *to, unsigned mode) {
  return to->infinity ? mode : mode | EMU_SATFINITE;
}

START_TEST(conversion_is_the_nearest_number) {
  const emu_format *to = small[_i];
  static const unsigned all_modes[] = {EMU_RN, EMU_RZ, EMU_RM, EMU_RP, EMU_RNA};
  numbers_seed();
  for (int n = 0; n < 0x10000 + rounds; n++) {
    /* Every .f16, then .f32 of all kinds. */
    const emu_format *from = n < 0x10000 ? &emu_f16 : &emu_f32;
    uint64_t a = n < 0x10000 ? (uint64_t)n : numbers_operand(&emu_f32);
    double x = n < 0x10000 ? emu_f16_value((uint16_t)a, 0) : emu_f32_value((uint32_t)a, 0);
    for (int m = 0; m < 5; m++) {
      unsigned how = conversion_flags(to, all_modes[m]);
      uint64_t expected = expected_conversion(to, from, a, how);
      check("convert", emu_soft_convert(to, from, a, how), expected, a, 0, 0, how);
      check("narrow", emu_narrow(to, x, how), expected, a, 0, 0, how);
      if (m || to == &emu_bf16) continue;
      uint32_t exact = emu_float_bits((float)x);
      check("narrow float", emu_narrow_float(to, exact, how), expected, a, 0, 0, how);
    }
  }
}
END_TEST

START_TEST(widening_is_exact) {
  for (uint32_t bits = 0; bits < 0x10000; bits++) {
    for (int wide = 0; wide < 2; wide++) {
      const emu_format *f = wide ? &emu_bf16 : &emu_f16;
      double x = wide ? emu_bf16_value((uint16_t)bits, 0) : emu_f16_value((uint16_t)bits, 0);
      uint64_t expected = emu_soft_convert(&emu_f64, f, bits, 0);
      if (emu_format_is_nan(f, bits)) {
        ck_assert(isnan(x));
      } else {
        check("value", emu_double_bits(x), expected, bits, 0, 0, 0);
      }
      double flushed =
          wide ? emu_bf16_value((uint16_t)bits, EMU_FTZ) : emu_f16_value((uint16_t)bits, EMU_FTZ);
      bool subnormal = (bits & f->sign ? bits ^ f->sign : bits) < (wide ? 0x80u : 0x400u);
      if (subnormal) ck_assert(flushed == 0 && !signbit(flushed) == !(bits & 0x8000));
    }
  }
}
END_TEST

START_TEST(small_formats_widen) {
  const emu_format *f = small[_i];
  for (uint64_t bits = 0; f != &emu_bf16 && bits < 2 * f->sign; bits++) {
    check("widen", emu_widen_float(f, (uint32_t)bits), emu_soft_convert(&emu_f32, f, bits, 0), bits,
          0, 0, 0);
  }
}
END_TEST

/* ---- The fast paths ------------------------------------------------------------------------ */

static uint64_t fast(const emu_format *f, int operation, uint64_t a, uint64_t b, uint64_t c,
                     unsigned how) {
#define FAST(name, uint)                                                                           \
  switch (operation) {                                                                             \
  case 0:                                                                                          \
    return emu_##name##_add((uint)a, (uint)b, how);                                                \
  case 1:                                                                                          \
    return emu_##name##_mul((uint)a, (uint)b, how);                                                \
  case 2:                                                                                          \
    return emu_##name##_fma((uint)a, (uint)b, (uint)c, how);                                       \
  case 3:                                                                                          \
    return emu_##name##_div((uint)a, (uint)b, how);                                                \
  default:                                                                                         \
    return emu_##name##_sqrt((uint)a, how);                                                        \
  }
  if (f == &emu_f16) {
    FAST(f16, uint16_t)
  } else if (f == &emu_bf16) {
    FAST(bf16, uint16_t)
  } else {
    FAST(f32, uint32_t)
  }
#undef FAST
}

START_TEST(nearest_in_float_is_soft) {
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    uint64_t a = numbers_operand(&emu_f16), b = numbers_operand(&emu_f16);
    uint64_t c = n % 4 ? numbers_operand(&emu_f16) : emu_soft_mul(&emu_f16, a, b, EMU_RZ) ^ 0x8000;
    uint16_t x = (uint16_t)a, y = (uint16_t)b;
    check("add", emu_f16_add_rn(x, y), emu_soft_add(&emu_f16, a, b, 0), a, b, 0, 0);
    check("sub", emu_f16_sub_rn(x, y), emu_soft_add(&emu_f16, a, b ^ 0x8000, 0), a, b, 0, 0);
    check("mul", emu_f16_mul_rn(x, y), emu_soft_mul(&emu_f16, a, b, 0), a, b, 0, 0);
    check("fma", emu_f16_fma_rn(x, y, (uint16_t)c), emu_soft_fma(&emu_f16, a, b, c, 0), a, b, c, 0);
    a = numbers_operand(&emu_bf16), b = numbers_operand(&emu_bf16);
    x = (uint16_t)a, y = (uint16_t)b;
    check("add", emu_bf16_add_rn(x, y), emu_soft_add(&emu_bf16, a, b, 0), a, b, 0, 0);
    check("sub", emu_bf16_sub_rn(x, y), emu_soft_add(&emu_bf16, a, b ^ 0x8000, 0), a, b, 0, 0);
  }
}
END_TEST

START_TEST(fast_is_soft) {
  static const emu_format *const formats[] = {&emu_f16, &emu_bf16, &emu_f32};
  static const unsigned flags[] = {0, EMU_FTZ, EMU_SAT, EMU_RELU, EMU_FTZ | EMU_SAT};
  const emu_format *f = formats[_i % 3];
  int operation = _i / 3;
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    uint64_t a = numbers_operand(f), b = numbers_operand(f), c = numbers_operand(f);
    if (n % 4 == 0) c = emu_soft_mul(f, a, b, EMU_RZ) ^ f->sign;
    if (n % 8 == 0) a = c ^ f->sign;
    for (int m = 0; m < 4; m++) {
      unsigned how = modes[m] | flags[n % 5];
      check("fast", fast(f, operation, a, b, c, how), soft(f, operation, a, b, c, how), a, b, c,
            how);
    }
  }
}
END_TEST

/* Doubles that lie close to, or on, what two roundings in a row would get wrong. */
START_TEST(doubles_are_rounded_once) {
  static const emu_format *const formats[] = {&emu_f16, &emu_bf16};
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    const emu_format *f = formats[n & 1];
    uint64_t half = f == &emu_f16 ? numbers_operand(f) << 42 : numbers_operand(f) << 45;
    double x = f == &emu_f16 ? emu_f16_value((uint16_t)(half >> 42), 0)
                             : emu_bf16_value((uint16_t)(half >> 45), 0);
    if (isnan(x) || isinf(x)) continue;
    double next = ldexp(x, -f->precision) + x; /* often a tie */
    uint64_t bits = emu_double_bits(next) + numbers_random() % 5 - 2;
    if (emu_f64_is_nan(bits)) continue;
    uint64_t expected = emu_soft_convert(f, &emu_f64, bits, EMU_RN);
    double y = emu_double(bits);
    uint32_t got = n & 1 ? emu_bf16_round(y, EMU_RN) : emu_f16_round(y, EMU_RN);
    check("round", got, expected, bits, 0, 0, 0);
  }
  ck_assert_uint_eq(emu_bf16_round(0x1p128, EMU_RN), 0x7f80);
  ck_assert_uint_eq(emu_bf16_round(0x1p-200, EMU_RN), 0);
  ck_assert_uint_eq(emu_f16_round(-0x1p-200, EMU_RN), 0x8000);
}
END_TEST

START_TEST(min_and_max) {
  const struct {
    uint32_t a, b;
    unsigned how;
    uint32_t min, max;
  } cases[] = {
      {0x80000000, 0, 0, 0x80000000, 0},
      {0, 0x80000000, 0, 0x80000000, 0},
      {0x7fc00001, 0x3f800000, 0, 0x3f800000, 0x3f800000},
      {0x7fc00001, 0x3f800000, EMU_NAN_WINS, 0x7fffffff, 0x7fffffff},
      {0xff800001, 0x7fc00000, 0, 0x7fffffff, 0x7fffffff},
      {0x00000001, 0x80000001, EMU_FTZ, 0x80000000, 0},
      {0xc0000000, 0x3f800000, EMU_XORSIGN, 0xbf800000, 0xc0000000},
      {0xff800000, 0x7f800000, 0, 0xff800000, 0x7f800000},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t a = cases[i].a, b = cases[i].b;
    check("min", emu_f32_min(a, b, cases[i].how), cases[i].min, a, b, 0, cases[i].how);
    check("max", emu_f32_max(a, b, cases[i].how), cases[i].max, a, b, 0, cases[i].how);
  }
}
END_TEST

START_TEST(integers_from_and_to) {
  numbers_seed();
  for (int n = 0; n < rounds; n++) {
    uint64_t x = numbers_random() >> numbers_random() % 64;
    bool negative = n & 1;
    uint64_t magnitude = negative ? x >> 1 : x;
    for (int m = 0; m < 4; m++) {
      emu_real real = emu_real_from_u64(magnitude, negative);
      uint64_t a = numbers_operand(&emu_f64);
      volatile uint64_t u = x;
      volatile int64_t s = -(int64_t)magnitude;
      volatile double operand = emu_double(a);
      fesetround(host_modes[m]);
      volatile float f = negative ? (float)s : (float)u;
      volatile double d = negative ? (double)s : (double)u, r = nearbyint(operand);
      fesetround(FE_TONEAREST);
      if (magnitude) {
        check("to f32", emu_real_pack(&emu_f32, real, modes[m]), emu_float_bits(f), x, 0, 0, 0);
        check("to f64", emu_real_pack(&emu_f64, real, modes[m]), emu_double_bits(d), x, 0, 0, 0);
      }
      if (emu_f64_is_nan(a)) continue;
      emu_real whole = emu_real_to_integral(emu_real_unpack(&emu_f64, a, false), modes[m]);
      check("integral", emu_real_pack(&emu_f64, whole, 0), emu_double_bits(r), a, 0, 0, modes[m]);
      uint64_t clamped = fabs(r) >= 0x1p31 ? (r < 0 ? 0 - (uint64_t)0x80000000 : 0x7fffffff)
                                           : (uint64_t)(int64_t)r;
      check("to s32",
            emu_real_to_int(emu_real_unpack(&emu_f64, a, false), modes[m], 0x80000000, 0x7fffffff),
            clamped, a, 0, 0, modes[m]);
    }
  }
}
END_TEST

START_TEST(stochastic_rounding) {
  /* 1 + 3/16 of an .f16 unit: 13 random bits round it up in 3 of 16 cases. */
  emu_real x = emu_real_unpack(&emu_f32, 0x3f800000 + (3 << 9), false);
  int up = 0;
  for (uint32_t random = 0; random < 1 << 13; random++) {
    up += emu_real_pack_random(&emu_f16, x, 0, random, 13) == 0x3c01;
  }
  ck_assert_int_eq(up, 3 << 9);
}
END_TEST

START_TEST(ue8m0) {
  const struct {
    uint32_t f32;
    uint8_t down, up;
  } cases[] = {{0, 0, 0},
               {1, 0, 0},
               {0x00400000, 0, 0},
               {0x00400001, 0, 1},
               {0x3f800000, 127, 127},
               {0x3f800001, 127, 128},
               {0x7f7fffff, 254, 254},
               {0x7f800000, 254, 254},
               {0x7fc00000, 255, 255}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emu_real x = emu_real_unpack(&emu_f32, cases[i].f32, false);
    ck_assert_uint_eq(emu_ue8m0_pack(x, EMU_RZ | EMU_SATFINITE), cases[i].down);
    ck_assert_uint_eq(emu_ue8m0_pack(x, EMU_RP | EMU_SATFINITE), cases[i].up);
  }
  for (unsigned bits = 0; bits < 0xff; bits++) {
    ck_assert_uint_eq(emu_ue8m0_pack(emu_ue8m0_unpack((uint8_t)bits), EMU_RZ), bits);
  }
}
END_TEST

START_TEST(special_values) {
  const uint32_t nan = 0x7fffffff, inf = 0x7f800000, minus = 0x80000000;
  ck_assert_uint_eq(emu_f32_rcp_approx(minus, 0), inf | minus);
  ck_assert_uint_eq(emu_f32_rcp_approx(inf | minus, 0), minus);
  ck_assert_uint_eq(emu_f32_rsqrt_approx(minus, 0), inf | minus);
  ck_assert_uint_eq(emu_f32_rsqrt_approx(0xbf800000, 0), nan);
  ck_assert_uint_eq(emu_f32_sqrt_approx(minus, 0), minus);
  ck_assert_uint_eq(emu_f32_ex2_approx(inf | minus, 0), 0);
  ck_assert_uint_eq(emu_f32_lg2_approx(0, 0), inf | minus);
  ck_assert_uint_eq(emu_f32_lg2_approx(0xbf800000, 0), nan);
  ck_assert_uint_eq(emu_f32_sin_approx(inf, 0), nan);
  ck_assert_uint_eq(emu_f32_tanh_approx(inf), 0x3f800000);
  ck_assert_uint_eq(emu_f32_div_approx(0x3f800000, 0x7f000000, 0), 0);
  ck_assert_uint_eq(emu_f32_div_approx(inf, 0x7f000000, 0), nan);
  ck_assert(emu_f64_rcp_approx(0x4008000000000000) == 0x3fd5555500000000);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("float");
  TCase *t = tcase_create("float");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, soft_is_the_hosts_arithmetic, 0, 10);
  tcase_add_loop_test(t, conversion_is_the_nearest_number, 0, 7);
  tcase_add_test(t, widening_is_exact);
  tcase_add_loop_test(t, small_formats_widen, 0, 7);
  tcase_add_loop_test(t, fast_is_soft, 0, 15);
  tcase_add_test(t, nearest_in_float_is_soft);
  tcase_add_test(t, doubles_are_rounded_once);
  tcase_add_test(t, min_and_max);
  tcase_add_test(t, integers_from_and_to);
  tcase_add_test(t, stochastic_rounding);
  tcase_add_test(t, ue8m0);
  tcase_add_test(t, special_values);
  suite_add_tcase(suite, t);
  return run_suite(suite);
}
