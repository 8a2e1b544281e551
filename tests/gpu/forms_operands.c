/* Operands that find mistakes, the same on every machine.
 *
 * Every value is a hash of its form, its unit (thread, warp or warpgroup), its place in it and its
 * operand, so that a sample of the units is part of the whole, and that nothing but results need to
 * be kept. The unit's number also says how its values are made: special values, crossed with each
 * other; random bits; values near 1; any finite value; halves between representable values of
 * narrower formats, for rounding; denormals; values near the largest; and values that cancel. In a
 * warp that does matrix products the same ways are mixed by the warp. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "forms.h"

static const form_type types[] = {
    {"f64", 'f', 64, 1, 11, 52},  {"f32", 'f', 32, 1, 8, 23},    {"tf32", 'f', 32, 1, 8, 23},
    {"f16", 'f', 16, 1, 5, 10},   {"bf16", 'f', 16, 1, 8, 7},    {"f16x2", 'f', 16, 2, 5, 10},
    {"bf16x2", 'f', 16, 2, 8, 7}, {"e4m3", 'f', 8, 1, 4, 3},     {"e5m2", 'f', 8, 1, 5, 2},
    {"e4m3x2", 'f', 8, 2, 4, 3},  {"e5m2x2", 'f', 8, 2, 5, 2},   {"e4m3x4", 'f', 8, 4, 4, 3},
    {"e5m2x4", 'f', 8, 4, 5, 2},  {"u8", 'u', 8, 1, 0, 0},       {"s8", 's', 8, 1, 0, 0},
    {"b8", 'u', 8, 1, 0, 0},      {"u16", 'u', 16, 1, 0, 0},     {"s16", 's', 16, 1, 0, 0},
    {"b16", 'u', 16, 1, 0, 0},    {"u32", 'u', 32, 1, 0, 0},     {"s32", 's', 32, 1, 0, 0},
    {"b32", 'u', 32, 1, 0, 0},    {"u64", 'u', 64, 1, 0, 0},     {"s64", 's', 64, 1, 0, 0},
    {"b64", 'u', 64, 1, 0, 0},    {"b128", 'u', 64, 2, 0, 0},    {"u16x2", 'u', 16, 2, 0, 0},
    {"s16x2", 's', 16, 2, 0, 0},  {"u8x4", 'u', 8, 4, 0, 0},     {"s8x4", 's', 8, 4, 0, 0},
    {"u4x8", 'u', 4, 8, 0, 0},    {"s4x8", 's', 4, 8, 0, 0},     {"pred", 'p', 32, 1, 0, 0},
    {"upred", 'q', 32, 1, 0, 0},  {"sparse4", '4', 32, 1, 0, 0}, {"sparse2", '2', 32, 1, 0, 0},
};

const form_type *form_type_find(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length)) return &types[i];
  }
  return NULL;
}

int form_type_words(const form_type *type) {
  int bits = type->bits * type->packed;
  return bits < 32 ? 1 : bits / 32;
}

/* ---- Random numbers ------------------------------------------------------------------- */

/* splitmix64's finaliser (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Where a value stands. */
typedef struct spot {
  uint64_t unit;   /* hash of the form and the unit */
  uint64_t number; /* of the unit */
  int ordinal;     /* of the operand; memory and matrices count after registers */
  uint64_t place;  /* of the element in the unit's operand */
  bool many;       /* the unit is a warp or more: values are many, ways are the unit's */
} spot;

static uint64_t random_at(const spot *s, uint64_t salt) {
  return mix(s->unit ^ mix((uint64_t)s->ordinal << 56 ^ s->place << 8 ^ salt));
}

/* The same for every operand of a unit: what values cluster around. */
static uint64_t anchor_at(const spot *s, uint64_t salt) {
  return mix(s->unit ^ mix(salt ^ 0xa5a5));
}

static uint64_t low_bits(int bits) {
  return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* ---- Floats --------------------------------------------------------------------------- */

typedef enum way {
  SPECIAL,
  BITS,
  NORMAL,
  CANCEL,
  FINITE,
  HALVES,
  DENORMAL,
  LARGE,
  SPRINKLED, /* normal values and a few special ones */
  WAYS,
} way;

static int bias_of(const form_type *t) {
  return (1 << (t->exponent - 1)) - 1;
}

/* The largest exponent field of finite values: e4m3 has no infinities. */
static int top_of(const form_type *t) {
  return (1 << t->exponent) - (t->exponent == 4 ? 1 : 2);
}

static uint64_t assemble(const form_type *t, bool negative, int exponent, uint64_t mantissa) {
  int top = (1 << t->exponent) - 1;
  exponent = exponent < 0 ? 0 : exponent > top ? top : exponent;
  return (uint64_t)negative << (t->exponent + t->mantissa) | (uint64_t)exponent << t->mantissa |
         (mantissa & low_bits(t->mantissa));
}

static double float_value(const form_type *t, uint64_t bits) {
  int field = (int)(bits >> t->mantissa) & ((1 << t->exponent) - 1);
  double mantissa = (double)(bits & low_bits(t->mantissa));
  double value = field ? ldexp(mantissa + ldexp(1, t->mantissa), field - bias_of(t) - t->mantissa)
                       : ldexp(mantissa, 1 - bias_of(t) - t->mantissa);
  return bits >> (t->exponent + t->mantissa) & 1 ? -value : value;
}

/* Towards zero; what is too large becomes the largest finite value. */
static uint64_t float_bits(const form_type *t, double value) {
  int exponent;
  double fraction = frexp(fabs(value), &exponent); /* in [1/2, 1) */
  int field = exponent - 1 + bias_of(t);
  if (!(value == value) || fraction == 0) return assemble(t, signbit(value), 0, 0);
  if (field > top_of(t)) return assemble(t, value < 0, top_of(t), low_bits(t->mantissa) - 1);
  int shift = t->mantissa + 1 - (field < 1 ? 1 - field : 0);
  uint64_t mantissa = shift < 0 ? 0 : (uint64_t)ldexp(fraction, shift);
  return assemble(t, value < 0, field < 1 ? 0 : field, mantissa);
}

/* Special values, by number: zeros, limits, infinities, NaNs, powers of two and their neighbours,
 * the limits of integers and of narrower floats. */
enum { SPECIAL_FIELDS = 14, SPECIAL_NUMBERS = 22, SPECIALS = SPECIAL_FIELDS + 2 * SPECIAL_NUMBERS };

static uint64_t special_float(const form_type *t, unsigned index) {
  static const double numbers[SPECIAL_NUMBERS] = {1,          1.5,
                                                  2,          2.5,
                                                  0.5,        0.25,
                                                  127.5,      255.5,
                                                  448,        464,
                                                  480,        57344,
                                                  61440,      65504,
                                                  65520,      32767.5,
                                                  65536,      3e-8,
                                                  6e-5,       2147483648,
                                                  4294967296, 9223372036854775808.0};
  int top = (1 << t->exponent) - 1;
  uint64_t ones = low_bits(t->mantissa), quiet = (uint64_t)1 << (t->mantissa - 1);
  if (index >= SPECIAL_FIELDS) {
    unsigned number = (index - SPECIAL_FIELDS) / 2;
    return float_bits(t, (index & 1 ? -1 : 1) * numbers[number]);
  }
  bool negative = index & 1;
  switch (index / 2) {
  case 0:
    return assemble(t, negative, 0, 0);
  case 1:
    return assemble(t, negative, 0, 1);
  case 2:
    return assemble(t, negative, 0, ones);
  case 3:
    return assemble(t, negative, 1, 0);
  case 4:
    return assemble(t, negative, top - 1, ones);
  case 5:
    return assemble(t, negative, top, 0);
  default:
    return assemble(t, negative, top, negative ? 1 : quiet | 1);
  }
}

static uint64_t normal_float(const form_type *t, uint64_t r) {
  return assemble(t, r & 1, bias_of(t) - 4 + (int)(r >> 1 & 7), r >> 8);
}

/* A mantissa of a few bits, then 1000…, 0111… or 1000…1: near the middle of two values of some
 * narrower format, or of two integers. */
static uint64_t half_float(const form_type *t, uint64_t r) {
  int kept = (int)(r >> 1 & 63) % t->mantissa, rest = t->mantissa - kept;
  uint64_t head = (r >> 16 & low_bits(kept ? kept : 1)) << rest, half = (uint64_t)1 << (rest - 1);
  static const int nudges[] = {0, 0, 1, -1};
  uint64_t mantissa = head + half + (uint64_t)nudges[r >> 7 & 3];
  int span = t->exponent < 8 ? 1 << t->exponent : 100;
  return assemble(t, r & 1, bias_of(t) - span / 3 + (int)(mix(r) % (unsigned)span), mantissa);
}

static uint64_t anchor_float(const spot *s, const form_type *t, uint64_t salt) {
  uint64_t r = anchor_at(s, salt);
  int spread = t->exponent < 8 ? 4 : 20;
  return assemble(t, false, bias_of(t) - spread + (int)(mix(r) % (2u * (unsigned)spread)), r);
}

/* Near plus or minus the anchors; a third operand is near minus their product. */
static uint64_t cancelling_float(const spot *s, const form_type *t, uint64_t r) {
  int nudge = (int)(r >> 1 & 7) - 4;
  if (nudge < -1 || s->many) nudge = 0;
  uint64_t bits = anchor_float(s, t, s->many ? 0 : (uint64_t)s->ordinal % 2 * (r >> 9 & 1));
  if (s->ordinal % 4 >= 2) {
    double a = float_value(t, anchor_float(s, t, 0)), b = float_value(t, anchor_float(s, t, 1));
    bits = float_bits(t, s->many ? a * a * (double)(r >> 4 & 7) : a * b);
  }
  return (bits + (uint64_t)nudge) ^ (r & 1) << (t->exponent + t->mantissa);
}

static uint64_t finite_float(const spot *s, const form_type *t, uint64_t r) {
  int top = top_of(t);
  int field = (int)(mix(r) % (unsigned)(top + 1));
  /* An accumulator that a product reaches: products of f16 span 2^-48 to 2^32. */
  if (s->many && t->exponent > 5 && r >> 1 & 1) field = bias_of(t) - 60 + (int)(mix(r) % 100);
  return assemble(t, r & 1, field, r >> 8);
}

static uint64_t float_at(const spot *s, const form_type *t, way how) {
  uint64_t r = random_at(s, 1);
  if (how == SPRINKLED) how = r % 61 ? NORMAL : SPECIAL;
  if (s->many && how == BITS && r % 7 == 0) how = CANCEL;
  switch (how) {
  case SPECIAL:
    return special_float(t, (unsigned)(mix(r) % SPECIALS));
  case BITS:
    return r & low_bits(t->bits);
  case CANCEL:
    return cancelling_float(s, t, r);
  case FINITE:
    return finite_float(s, t, r);
  case HALVES:
    return half_float(t, r);
  case DENORMAL:
    return assemble(t, r & 1, (int)(r >> 1 & 7) - 4, r >> 8);
  case LARGE:
    return assemble(t, r & 1, top_of(t) - (int)(r >> 1 & 3), r >> 8);
  default:
    return normal_float(t, r);
  }
}

/* ---- Integers ------------------------------------------------------------------------- */

enum { INTEGER_SPECIALS = 12 };

static uint64_t special_integer(int bits, unsigned index) {
  uint64_t top = (uint64_t)1 << (bits - 1);
  static const int small[] = {0, 1, 2, 3, -1, -2, 7, 32};
  if (index < 8) return (uint64_t)(int64_t)small[index];
  const uint64_t limits[] = {top, top - 1, top + 1, top >> (bits / 2)};
  return limits[index - 8];
}

static uint64_t integer_at(const spot *s, const form_type *t, way how) {
  uint64_t r = random_at(s, 2);
  switch (how) {
  case SPECIAL:
    return special_integer(t->bits, (unsigned)(mix(r) % INTEGER_SPECIALS));
  case NORMAL:
    return (uint64_t)((int64_t)(r & 31) - 16);
  case CANCEL:
    return anchor_at(s, 3) + (r % 5 ? 0 : (r >> 8 & 3) - 1);
  case FINITE:
    return (uint64_t)((int64_t)r >> (mix(r) & 63));
  case HALVES:
    return ((uint64_t)1 << (r & 63)) + (r >> 6 & 3) - 1;
  case DENORMAL:
    return r & mix(r) & mix(mix(r));
  case LARGE:
    return (t->kind == 's' ? low_bits(t->bits - 1) : low_bits(t->bits)) - (r & 3);
  default:
    return r;
  }
}

/* Sixteen fields of 2:4 positions, or of 1:2 ones. */
static uint64_t sparsity_at(const spot *s, bool two_of_four) {
  static const unsigned pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, halves[] = {0x4, 0xe};
  uint64_t r = random_at(s, 4), bits = 0;
  for (int i = 0; i < 32; i += 4, r = mix(r)) {
    bits |= (uint64_t)(two_of_four ? pairs[r % 6] : halves[r & 1]) << i;
  }
  return bits;
}

/* ---- Operands ------------------------------------------------------------------------- */

/* A thread on its own: one of eight ways by its number, and in the first the special values of up
 * to three operands are crossed. A warp: one of all ways. */
static way way_of(const spot *s) {
  if (s->many) return (way)(s->number % WAYS);
  return (way)(s->number % SPRINKLED);
}

static uint64_t crossed(const spot *s, const form_type *t) {
  unsigned count = t->kind == 'f' ? SPECIALS : INTEGER_SPECIALS;
  uint64_t index = s->number / SPRINKLED * 7919;
  for (int i = 0; i < s->ordinal; i++)
    index /= count;
  unsigned chosen = (unsigned)(index % count);
  return t->kind == 'f' ? special_float(t, chosen) : special_integer(t->bits, chosen);
}

static uint64_t element_at(const spot *s, const form_operand *o) {
  const form_type *t = o->type;
  way how = way_of(s);
  uint64_t bits;
  switch (t->kind) {
  case 'p':
    return random_at(s, 5) & 1;
  case 'q':
    return anchor_at(s, 6) % 4 != 0;
  case '4':
    return sparsity_at(s, true);
  case '2':
    return sparsity_at(s, false);
  default:
    break;
  }
  if (how == SPECIAL && !s->many && s->ordinal < 3 && s->place == 0)
    bits = crossed(s, t);
  else
    bits = t->kind == 'f' ? float_at(s, t, how) : integer_at(s, t, how);
  if (o->modulo && t->kind != 'f') bits = (bits & low_bits(t->bits)) % o->modulo;
  return bits & low_bits(t->bits);
}

/* Lowers the exponent of a float until its value is below the operand's limit; infinities and NaNs
 * stay. */
static uint64_t limited(const form_operand *o, uint64_t bits) {
  const form_type *t = o->type;
  int top = (1 << t->exponent) - 1, field = (int)(bits >> t->mantissa) & top;
  if (o->below == INT_MAX || field == top || field - bias_of(t) < o->below) return bits;
  int over = field - bias_of(t) - o->below;
  int lowered = bias_of(t) + o->below - 1 - over % 12;
  return (bits & ~((uint64_t)top << t->mantissa)) | (uint64_t)lowered << t->mantissa;
}

/* One register (or element of memory) into at most four words; bits above a narrow type's are
 * random, as they are in a register that holds one. */
static void fill_register(uint32_t words[4], spot *s, const form_operand *o, uint64_t place) {
  const form_type *t = o->type;
  uint64_t value[2] = {0, 0};
  for (int i = 0; i < t->packed; i++) {
    s->place = place * (uint64_t)t->packed + (uint64_t)i;
    uint64_t element = limited(o, element_at(s, o));
    value[i * t->bits / 64] |= element << (i * t->bits % 64);
  }
  int bits = t->bits * t->packed;
  if (bits < 16) value[0] |= (random_at(s, 7) & 0xffff) << bits & 0xffff;
  for (int i = 0; i < 4; i++)
    words[i] = (uint32_t)(value[i / 2] >> (i % 2 * 32));
}

static spot spot_of(const form *f, uint64_t thread, int ordinal) {
  uint64_t number = thread / (uint64_t)f->unit;
  return (spot){.unit = mix(f->seed ^ mix(number)),
                .number = number,
                .ordinal = ordinal,
                .many = f->unit > 1};
}

static void fill_operand(form_data *data, const form *f, const form_operand *o) {
  int size = form_type_words(o->type);
  for (unsigned t = 0; t < data->threads; t++) {
    spot s = spot_of(f, t, o->ordinal);
    for (int e = 0; e < o->count; e++) {
      uint32_t words[4];
      uint64_t lane = t % (unsigned)f->unit;
      fill_register(words, &s, o, lane * (uint64_t)o->count + (uint64_t)e);
      for (int w = 0; w < size; w++) {
        data->in[(size_t)(o->in_word + e * size + w) * data->threads + t] = words[w];
      }
    }
  }
}

/* Bytes of `count` elements a thread, little-endian, from `to` on. */
static void fill_memory(uint8_t *to, const form *f, const form_operand *o, uint64_t thread,
                        size_t count) {
  spot s = spot_of(f, thread, o->ordinal);
  size_t bytes = (size_t)(o->type->bits * o->type->packed) / 8;
  uint64_t lane = thread % (uint64_t)f->unit;
  for (size_t e = 0; e < count; e++) {
    uint32_t words[4];
    fill_register(words, &s, o, lane * count + e);
    memcpy(to + e * bytes, words, bytes);
  }
}

static void fill_matrix(form_data *data, const form *f, const form_operand *o) {
  size_t from = o->matrix == 'A' ? 0 : FORM_MATRIX_A;
  size_t size = o->matrix == 'A' ? FORM_MATRIX_A : FORM_MATRICES - FORM_MATRIX_A;
  size_t each = size / FORM_BLOCK, width = (size_t)(o->type->bits * o->type->packed) / 8;
  for (unsigned t = 0; t < data->threads; t++) {
    uint8_t *cta = data->memory + (size_t)(t / FORM_BLOCK) * FORM_MATRICES + from;
    fill_memory(cta + t % FORM_BLOCK * each, f, o, t, each / width);
  }
}

static void fill(form_data *data, const form *f) {
  for (int i = 0; i < f->operand_count; i++) {
    const form_operand *o = &f->operands[i];
    if (o->role == FORM_MATRIX) fill_matrix(data, f, o);
    if (o->role == FORM_IN || o->role == FORM_INOUT) fill_operand(data, f, o);
    if (o->role != FORM_MEMORY) continue;
    for (unsigned t = 0; t < data->threads; t++) {
      fill_memory(data->memory + (size_t)t * (size_t)f->memory_bytes, f, o, t, (size_t)o->count);
    }
  }
}

/* What no thread writes shows. Of a 16-bit result the upper half of the word stays 0. */
static void poison(form_data *data, const form *f) {
  memset(data->out, 0xcd, data->out_bytes);
  for (int i = 0; i < f->operand_count; i++) {
    const form_operand *o = &f->operands[i];
    bool narrow = o->type->bits * o->type->packed <= 16;
    if (!narrow || (o->role != FORM_OUT && o->role != FORM_INOUT)) continue;
    size_t row = (size_t)data->threads * 4;
    memset(data->out + (size_t)o->out_word * data->threads, 0, (size_t)o->count * row);
  }
}

gg_status form_data_open(form_data *out, const form *f, unsigned threads, gg_error *err) {
  size_t memory = f->matrices ? (size_t)(threads / FORM_BLOCK) * FORM_MATRICES
                              : (size_t)threads * (size_t)f->memory_bytes;
  *out = (form_data){.threads = threads,
                     .in_bytes = (size_t)threads * (size_t)f->in_words * 4,
                     .out_bytes = (size_t)threads * (size_t)f->out_words * 4,
                     .memory_bytes = memory};
  out->in = gg_malloc(out->in_bytes + 4);
  out->out = gg_malloc(out->out_bytes + 4);
  out->memory = gg_malloc(memory + 4);
  if (!out->in || !out->out || !out->memory) {
    form_data_close(out);
    return gg_fail(err, MEMORY, NULL, "");
  }
  poison(out, f);
  fill(out, f);
  return GG_OK;
}

void form_data_close(form_data *data) {
  gg_free(data->in);
  gg_free(data->out);
  gg_free(data->memory);
  *data = (form_data){0};
}

size_t form_result_count(const form *f, const form_data *data) {
  return (data->out_bytes + (f->memory_bytes ? data->memory_bytes : 0)) / 4;
}

uint32_t form_result(const form_data *data, size_t index) {
  size_t registers = data->out_bytes / 4;
  if (index < registers) return data->out[index];
  uint32_t word;
  memcpy(&word, data->memory + (index - registers) * 4, 4);
  return word;
}

uint64_t form_operand_values(const form *f, unsigned threads) {
  uint64_t values = 0;
  for (int i = 0; i < f->operand_count; i++) {
    const form_operand *o = &f->operands[i];
    if (o->role == FORM_MATRIX) {
      int bytes = o->matrix == 'A' ? FORM_MATRIX_A : FORM_MATRICES - FORM_MATRIX_A;
      values += (uint64_t)(threads / FORM_BLOCK) * (uint64_t)(bytes * 8 / o->type->bits);
    } else if (o->role != FORM_OUT) {
      values += (uint64_t)threads * (uint64_t)(o->count * o->type->packed);
    }
  }
  return values;
}
