/* Tensor-core arithmetic: against a slow reference written from the model's definition, and against
 * what an H100 answered (dots_h100.txt). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "emu/number/format.h"
#include "emu/tensor/dot.h"
#include "emu/tensor/fused.h"
#include "suite.h"

/* ---- The reference ---------------------------------------------------------------------- */

typedef struct reference_format {
  emu_type type;
  int bits, fraction, bias;
} reference_format;

static const reference_format formats[] = {
    {EMU_F32, 32, 23, 127}, {EMU_TF32, 32, 23, 127}, {EMU_BF16, 16, 7, 127},
    {EMU_F16, 16, 10, 15},  {EMU_E5M2, 8, 2, 15},    {EMU_E4M3, 8, 3, 7},
};

static const reference_format *format_of(emu_type type) {
  const reference_format *f = formats;
  while (f->type != type) {
    f++;
  }
  return f;
}

/* The value that a code stands for, from the definition of floating point. */
static double decoded(emu_type type, uint32_t code) {
  const reference_format *f = format_of(type);
  if (type == EMU_TF32) code &= 0xffffe000;
  int exponent_bits = f->bits - 1 - f->fraction;
  int field = (int)(code >> f->fraction) & ((1 << exponent_bits) - 1);
  int fraction = (int)(code & ((1u << f->fraction) - 1));
  double sign = code >> (f->bits - 1) ? -1 : 1;
  bool top = field == (1 << exponent_bits) - 1;
  if (type == EMU_E4M3 && top && fraction == 7) return NAN;
  if (type != EMU_E4M3 && top) return fraction ? NAN : sign * INFINITY;
  int leading = field ? 1 << f->fraction : 0;
  return sign * ldexp(leading + fraction, (field ? field : 1) - f->bias - f->fraction);
}

/* The exponent that a number is aligned by. */
static int exponent_of(emu_type type, double value) {
  int exponent, smallest = 1 - format_of(type)->bias;
  frexp(value, &exponent);
  return exponent - 1 < smallest ? smallest : exponent - 1;
}

static double rounded(double value, emu_dot_rounding rounding) {
  int fraction = rounding == EMU_ROUND_RZ23 ? 23 : rounding == EMU_ROUND_RZ13 ? 13 : 10;
  emu_type type = rounding == EMU_ROUND_RNE10 ? EMU_F16 : EMU_F32;
  int unit = exponent_of(type, value) - fraction;
  double scaled = ldexp(value, -unit);
  double whole = rounding == EMU_ROUND_RNE10 ? nearbyint(scaled) : trunc(scaled);
  double result = ldexp(whole, unit);
  if (fabs(result) >= (type == EMU_F16 ? 0x1p16 : 0x1p128)) return copysign(INFINITY, result);
  return result + 0.0; /* -0 becomes +0 */
}

/* One step: sums of at most 33 terms of at most 27 bits each, exact in doubles. Scaling each term
 * to its own exponent first keeps clear of what a double cannot hold. */
static double reference_step(const emu_dot_model *m, double c, const double *a, const double *b,
                             const int *a_exponent, const int *b_exponent, int count) {
  double plain = c;
  int top = INT32_MIN;
  for (int k = 0; k < count; k++) {
    plain += a[k] * b[k];
    int e = a_exponent[k] + b_exponent[k];
    if (a[k] == 0 || b[k] == 0) e = m->zero;
    if (e > top) top = e;
  }
  if (isnan(plain) || isinf(plain)) return plain;
  int own = exponent_of(m->accumulator, c);
  if (c == 0) own = m->zero;
  if (own > top) top = own;
  if (top == EMU_PRODUCT_NOTHING) return 0;
  double sum = c != 0 ? trunc(ldexp(c, -own + (own - top + m->fraction))) : 0;
  for (int k = 0; k < count; k++) {
    double significand = ldexp(a[k], -a_exponent[k]) * ldexp(b[k], -b_exponent[k]);
    sum += trunc(ldexp(significand, a_exponent[k] + b_exponent[k] - top + m->fraction));
  }
  return rounded(ldexp(sum, top - m->fraction), m->rounding);
}

/* sm_90's fp8 mma: the products with k % 4 < 2, then the others, then C. */
static double reference_unpacked(const emu_dot_model *m, double c, const double *a, const double *b,
                                 const int *a_exponent, const int *b_exponent, int count) {
  double sum = 0;
  for (int half = 0; half < 2; half++) {
    double x[32], y[32];
    int xe[32], ye[32], n = 0;
    for (int k = 0; k < count; k++) {
      if (k % 4 / 2 == half) {
        x[n] = a[k], y[n] = b[k], xe[n] = a_exponent[k], ye[n] = b_exponent[k], n++;
      }
    }
    sum = reference_step(m, sum, x, y, xe, ye, n);
  }
  if (m->accumulator == EMU_F32) return (double)((float)c + (float)sum);
  if (isnan(c + sum) || isinf(c + sum) || c + sum == 0) return c + sum;
  return rounded(c + sum, EMU_ROUND_RNE10);
}

static uint32_t encoded(double value, emu_type type) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  if (isnan(value)) return type == EMU_F16 ? 0x7fff : 0x7fffffff;
  if (type == EMU_F32) return bits;
  uint32_t sign = bits >> 16 & 0x8000;
  if (isinf(value)) return sign | 0x7c00;
  if (fabs(value) < 0x1p-14) return sign | (uint32_t)(fabs(value) * 0x1p24);
  return sign | (((bits & 0x7fffffff) >> 13) - (112 << 10));
}

static uint32_t reference(const emu_dot_model *m, emu_type a_type, emu_type b_type,
                          const uint32_t *a_codes, const uint32_t *b_codes, uint32_t c_code,
                          int k) {
  double a[64], b[64], sum = decoded(m->accumulator, c_code);
  int a_exponent[64], b_exponent[64];
  bool unpacked = m->method == EMU_DOT_UNPACKED;
  for (int i = 0; i < k; i++) {
    a[i] = decoded(a_type, a_codes[i]);
    b[i] = decoded(b_type, b_codes[i]);
    a_exponent[i] = exponent_of(unpacked ? EMU_F16 : a_type, a[i]);
    b_exponent[i] = exponent_of(unpacked ? EMU_F16 : b_type, b[i]);
  }
  if (unpacked) {
    sum = reference_unpacked(m, sum, a, b, a_exponent, b_exponent, k);
  } else {
    for (int i = 0; i < k; i += m->width) {
      int count = k - i < m->width ? k - i : m->width;
      sum = reference_step(m, sum, a + i, b + i, a_exponent + i, b_exponent + i, count);
    }
  }
  return encoded(sum, m->accumulator);
}

/* ---- Tiles of random operands ----------------------------------------------------------- */

enum { rows = 8, cols = 16, deepest = 64 };

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

/* What the random codes are like; each is hard on another part. */
enum { ORDINARY, ANY, CANCELLING, SPARSE, TINY, HUGE_ONES, SPECIALS, KINDS };

static uint32_t random_code(uint64_t *state, emu_type type, int kind) {
  const reference_format *f = format_of(type);
  int exponent_bits = f->bits - 1 - f->fraction, top = (1 << exponent_bits) - 1;
  uint32_t r = (uint32_t)next(state), fraction = r & ((1u << f->fraction) - 1);
  int spread = (int)(next(state) % 1024), field = f->bias - 3 + spread % 5;
  switch (kind) {
  case ANY:
    field = spread % (top + 1);
    break;
  case CANCELLING:
    field = f->bias + spread % 2;
    fraction &= 3u << (f->fraction - 2);
    break;
  case SPARSE:
    if (spread % 4) return spread % 3 ? 0 : 1u << (f->bits - 1);
    field = spread % top;
    break;
  case TINY:
    field = spread % 4 + (f->bias == 127 && spread % 3 ? 50 + spread % 25 : 0);
    break;
  case HUGE_ONES:
    field = f->bits == 32 || f->bias == 127 ? f->bias + 58 + spread % 8 : top - spread % 3;
    break;
  case SPECIALS:
    if (spread % 16 == 0) {
      field = top;
      fraction = spread & 16 ? fraction : 0;
    }
    break;
  default:
    break;
  }
  return (r & 1 ? 1u << (f->bits - 1) : 0) | (uint32_t)field << f->fraction | fraction;
}

typedef struct operands {
  uint32_t a[rows * deepest], b[deepest * cols], c[rows * cols], d[rows * cols];
  float a_value[rows * deepest], b_value[deepest * cols];
  int16_t a_exponent[rows * deepest], b_exponent[deepest * cols];
} operands;

static void compute(operands *o, const emu_dot_model *m, emu_type a_type, emu_type b_type, int k) {
  emu_dot_decode(m, o->a_value, o->a_exponent, a_type, false, o->a, (size_t)(rows * k));
  emu_dot_decode(m, o->b_value, o->b_exponent, b_type, false, o->b, (size_t)(k * cols));
  memcpy(o->d, o->c, sizeof o->d);
  emu_dot(m, &(emu_tile){rows, cols, k, false, o->a_value, o->a_exponent, o->b_value, o->b_exponent,
                         o->d});
}

static void hold_to_reference(const emu_dot_model *m, emu_type a_type, emu_type b_type, int k,
                              uint64_t seed) {
  operands *o = calloc(1, sizeof *o);
  uint64_t state = seed;
  for (int round = 0; round < 40; round++) {
    int kind = round % KINDS;
    for (int i = 0; i < rows * k; i++) {
      o->a[i] = random_code(&state, a_type, kind);
    }
    for (int i = 0; i < k * cols; i++) {
      o->b[i] = random_code(&state, b_type, kind);
    }
    for (int i = 0; i < rows * cols; i++) {
      o->c[i] = random_code(&state, m->accumulator, round % 3 ? kind : (int)(next(&state) % KINDS));
    }
    compute(o, m, a_type, b_type, k);
    for (int i = 0; i < rows * cols; i++) {
      uint32_t column[deepest];
      for (int l = 0; l < k; l++) {
        column[l] = o->b[l * cols + i % cols];
      }
      uint32_t want = reference(m, a_type, b_type, o->a + i / cols * k, column, o->c[i], k);
      ck_assert_msg(o->d[i] == want, "sm_%d unit %d %s k%d, kind %d, element %d: %x, not %x",
                    m->arch, m->unit, emu_type_of(a_type)->spelling, k, kind, i, o->d[i], want);
    }
  }
  free(o);
}

/* Every code of the types of 6 and 4 bits: no infinities, no NaN. */
START_TEST(test_narrow) {
  static const reference_format narrow[] = {
      {EMU_E2M3, 6, 3, 1}, {EMU_E3M2, 6, 2, 3}, {EMU_E2M1, 4, 1, 1}};
  for (int i = 0; i < 3; i++) {
    const reference_format *f = &narrow[i];
    uint32_t codes[64];
    float value[64];
    int16_t exponent[64];
    int count = 1 << f->bits;
    for (int code = 0; code < count; code++) {
      codes[code] = (uint32_t)code;
    }
    emu_operand_decode(value, exponent, f->type, 0, codes, (size_t)count);
    for (int code = 0; code < count; code++) {
      int magnitude = code % (count / 2), field = magnitude >> f->fraction;
      int significand = magnitude % (1 << f->fraction) + (field ? 1 << f->fraction : 0);
      int e = (field ? field : 1) - f->bias;
      double want = ldexp(significand, e - f->fraction) * (code < count / 2 ? 1 : -1);
      ck_assert(value[code] == want && !signbit(value[code]) == (code < count / 2));
      ck_assert_int_eq(exponent[code], magnitude ? e : EMU_EXPONENT_ZERO);
    }
  }
}
END_TEST

/* Every code of a scale factor. */
START_TEST(test_scales) {
  uint32_t codes[256];
  float value[256];
  int16_t exponent[256];
  for (uint32_t code = 0; code < 256; code++) {
    codes[code] = code;
  }
  emu_operand_decode_scale(value, exponent, EMU_UE8M0, codes, 256);
  for (int code = 0; code < 255; code++) {
    ck_assert(value[code] == ldexp(1, code - 127) && exponent[code] == code - 127);
  }
  ck_assert_int_eq(exponent[255], EMU_EXPONENT_NAN);
  emu_operand_decode_scale(value, exponent, EMU_UE4M3, codes, 256);
  for (uint32_t code = 0; code < 256; code++) {
    double want = decoded(EMU_E4M3, code & 0x7f);
    int e = want == 0 ? EMU_EXPONENT_ZERO : exponent_of(EMU_E4M3, want);
    ck_assert(isnan(want) || value[code] == want);
    ck_assert_int_eq(exponent[code], isnan(want) ? EMU_EXPONENT_NAN : e);
  }
}
END_TEST

static const emu_dot_model rows_of_table[] = {
#define NONE EMU_PRODUCT_NOTHING
#define EMU_DOT(arch, unit, operand, accumulator, method, fraction, width, zero, rounding)         \
  {arch,     EMU_UNIT_##unit, EMU_##operand, EMU_##accumulator,   EMU_DOT_##method,                \
   fraction, width,           zero,          EMU_ROUND_##rounding},
#include "emu/tensor/dots.def"
#undef EMU_DOT
#undef NONE
};

START_TEST(test_reference) {
  for (size_t i = 0; i < sizeof rows_of_table / sizeof *rows_of_table; i++) {
    const emu_dot_model *m = &rows_of_table[i];
    bool scaled = m->unit == EMU_UNIT_MXF8F6F4 || m->unit == EMU_UNIT_MXF4; /* tests/dots */
    if (m->unit == EMU_UNIT_QUADPAIR || scaled) continue;
    int k = m->operand == EMU_TF32 ? 8 : m->operand == EMU_E4M3 ? 32 : 16;
    if (m->operand != EMU_E4M3) {
      hold_to_reference(m, m->operand, m->operand, k, i + 1);
      hold_to_reference(m, m->operand, m->operand, k / 2, i + 99);
      continue;
    }
    for (int types = 0; types < 4; types++) {
      hold_to_reference(m, types & 1 ? EMU_E5M2 : EMU_E4M3, types & 2 ? EMU_E5M2 : EMU_E4M3, k,
                        i * 4 + (uint64_t)types + 7);
    }
  }
}
END_TEST

/* Every row's sums fit the fast step, or it would be wrong on large products. */
START_TEST(test_room) {
  for (size_t i = 0; i < sizeof rows_of_table / sizeof *rows_of_table; i++) {
    const emu_dot_model *m = &rows_of_table[i];
    int room = emu_fused_room(m) * (m->operand == EMU_E4M3 ? 2 : 1);
    if (m->method == EMU_DOT_FUSED) ck_assert_int_le(m->width, room);
  }
}
END_TEST

START_TEST(test_find) {
  ck_assert_ptr_null(emu_dot_find(80, EMU_UNIT_MMA, EMU_E4M3, EMU_F32));
  ck_assert_ptr_null(emu_dot_find(89, EMU_UNIT_WGMMA, EMU_F16, EMU_F32));
  ck_assert_int_eq(emu_dot_find(86, EMU_UNIT_MMA, EMU_F16, EMU_F32)->arch, 80);
  ck_assert_int_eq(emu_dot_find(89, EMU_UNIT_MMA, EMU_E5M2, EMU_F32)->fraction, 13);
  ck_assert_int_eq(emu_dot_find(100, EMU_UNIT_MMA, EMU_BF16, EMU_F32)->arch, 100);
  ck_assert_int_eq(emu_dot_find(120, EMU_UNIT_MMA, EMU_E2M3, EMU_F16)->zero, -21);
  ck_assert_ptr_null(emu_dot_find(90, EMU_UNIT_MMA, EMU_E2M3, EMU_F16));
  ck_assert_ptr_null(emu_dot_find(90, EMU_UNIT_TCGEN05, EMU_F16, EMU_F32));
  ck_assert_ptr_null(emu_dot_find(100, EMU_UNIT_MXF4, EMU_E4M3, EMU_F32));
}
END_TEST

/* ---- What the hardware answered --------------------------------------------------------- */

static int read_codes(uint32_t *out, const char *text, emu_type type) {
  int digits = emu_type_of(type)->bits / 4, count = (int)strlen(text) / digits;
  for (int i = 0; i < count && i < deepest; i++) {
    char code[9] = {0};
    memcpy(code, text + i * digits, (size_t)digits);
    out[i] = (uint32_t)strtoul(code, NULL, 16);
  }
  return count;
}

/* A line: unit, types of A, B and D, then a row of A, a column of B, C and D in hexadecimal. */
START_TEST(test_h100) {
  const char *path = getenv("EMU_DOTS");
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s", path);
  char unit[8], a_name[8], b_name[8], d_name[8], a[300], b[300], c[9], d[9];
  operands *o = calloc(1, sizeof *o);
  long lines = 0, wrong = 0;
  while (fscanf(file, "%7s %7s %7s %7s %299s %299s %8s %8s", unit, a_name, b_name, d_name, a, b, c,
                d) == 8) {
    emu_type a_type = emu_type_find(a_name, strlen(a_name));
    emu_type b_type = emu_type_find(b_name, strlen(b_name));
    emu_type d_type = emu_type_find(d_name, strlen(d_name));
    uint32_t column[deepest], want;
    int k = read_codes(o->a, a, a_type);
    read_codes(column, b, b_type);
    for (int l = 0; l < k; l++) {
      o->b[l * cols] = column[l];
    }
    read_codes(o->c, c, d_type);
    read_codes(&want, d, d_type);
    bool mma = !strcmp(unit, "MMA");
    compute(o, emu_dot_find(90, mma ? EMU_UNIT_MMA : EMU_UNIT_WGMMA, a_type, d_type), a_type,
            b_type, k);
    lines++;
    if (o->d[0] != want && wrong++ < 10) {
      printf("%s %s %s %s %s %s: c %s gives %x, not %s\n", unit, a_name, b_name, d_name, a, b, c,
             o->d[0], d);
    }
  }
  fclose(file);
  free(o);
  ck_assert_int_gt(lines, 1000);
  ck_assert_msg(wrong == 0, "%ld of %ld", wrong, lines);
}
END_TEST

/* ---- Integers, bits, doubles ------------------------------------------------------------ */

START_TEST(test_integers) {
  static const emu_type types[] = {EMU_S8, EMU_U8, EMU_S4, EMU_U4};
  uint64_t state = 3;
  operands *o = calloc(1, sizeof *o);
  for (int round = 0; round < 64; round++) {
    emu_type a_type = types[round % 4], b_type = types[round / 4 % 4];
    int k = 64, saturate = round / 16 % 2, a_bits = emu_type_of(a_type)->bits,
        b_bits = emu_type_of(b_type)->bits;
    int64_t a[rows * deepest], b[deepest * cols];
    for (int i = 0; i < rows * k; i++) {
      o->a[i] = (uint32_t)next(&state) & ((1u << a_bits) - 1);
      bool negative = emu_type_of(a_type)->kind == 's' && o->a[i] >> (a_bits - 1);
      a[i] = (int64_t)o->a[i] - (negative ? 1 << a_bits : 0);
    }
    for (int i = 0; i < k * cols; i++) {
      o->b[i] = (uint32_t)next(&state) & ((1u << b_bits) - 1);
      bool negative = emu_type_of(b_type)->kind == 's' && o->b[i] >> (b_bits - 1);
      b[i] = (int64_t)o->b[i] - (negative ? 1 << b_bits : 0);
    }
    for (int i = 0; i < rows * cols; i++) {
      o->c[i] = round & 1 ? (uint32_t)next(&state) : 0x7fffff00u + (uint32_t)(i & 1) * 0x200;
    }
    emu_operand_decode_integer(o->a_value, a_type, o->a, (size_t)(rows * k));
    emu_operand_decode_integer(o->b_value, b_type, o->b, (size_t)(k * cols));
    memcpy(o->d, o->c, sizeof o->d);
    emu_dot_integer(&(emu_tile){rows, cols, k, false, o->a_value, NULL, o->b_value, NULL, o->d},
                    saturate);
    for (int i = 0; i < rows * cols; i++) {
      int64_t sum = (int32_t)o->c[i];
      for (int l = 0; l < k; l++) {
        sum += a[i / cols * k + l] * b[l * cols + i % cols];
      }
      int64_t held = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      ck_assert_uint_eq(o->d[i], (uint32_t)(saturate ? held : sum));
    }
  }
  free(o);
}
END_TEST

START_TEST(test_bits) {
  uint32_t a[2] = {0xffffffff, 1}, b[4] = {0xf, 1, 0xffff0000, 0}, d[2] = {5, 0xffffffff};
  emu_dot_bits(d, a, b, 1, 2, 64, false);
  ck_assert_uint_eq(d[0], 10);
  ck_assert_uint_eq(d[1], 15);
  emu_dot_bits(d, a, b, 1, 2, 64, true);
  ck_assert_uint_eq(d[0], 38);
  ck_assert_uint_eq(d[1], 32);
}
END_TEST

START_TEST(test_doubles) {
  double a[2] = {0x1p53, 1 + 0x1p-52}, b[2] = {1, 1 - 0x1p-52}, d[1] = {1};
  emu_dot_f64(d, a, b, 1, 1, 2, EMU_RN);
  ck_assert(d[0] == fma(a[1], b[1], 0x1p53));
}
END_TEST

/* 1 + 2^-60 and -1 - 2^-60, each way. */
START_TEST(test_doubles_rounded) {
  static const struct {
    unsigned how;
    double positive, negative;
  } modes[] = {
      {EMU_RN, 1, -1}, {EMU_RZ, 1, -1}, {EMU_RM, 1, -1 - 0x1p-52}, {EMU_RP, 1 + 0x1p-52, -1}};
  for (int i = 0; i < 4; i++) {
    double a[2] = {0x1p-30, -0x1p-30}, b[1] = {0x1p-30}, d[2] = {1, -1};
    emu_dot_f64(d, a, b, 2, 1, 1, modes[i].how);
    ck_assert(d[0] == modes[i].positive && d[1] == modes[i].negative);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("tensor");
  TCase *tests = tcase_create("arithmetic");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_reference);
  tcase_add_test(tests, test_room);
  tcase_add_test(tests, test_narrow);
  tcase_add_test(tests, test_scales);
  tcase_add_test(tests, test_find);
  tcase_add_test(tests, test_h100);
  tcase_add_test(tests, test_integers);
  tcase_add_test(tests, test_bits);
  tcase_add_test(tests, test_doubles);
  tcase_add_test(tests, test_doubles_rounded);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
