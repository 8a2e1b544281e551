/* cvt between single numbers, and cvt.pack; rows of packed.def have pairs, convert_four.c fours.
 *
 * Source and destination registers may be wider than the types: the low bits are read, integers
 * are extended to the register written. A conversion loads its lanes, converts them all with one
 * function chosen by the kinds of the two types, and stores them. Every float, and every integer
 * of at most 32 bits, is exact in a double; integers of 64 bits go to floats by soft.c. Source:
 * PTX ISA, "cvt", "cvt.pack". */
#include <string.h>

#include "emu/isa/scalar.h"
#include "emu/number/float.h"

typedef uint32_t u32;
typedef uint64_t u64;

typedef struct convert_facts {
  emu_scalar_facts row; /* for the function of a row */
  unsigned how;
  bool integral;  /* rounds to an integer, in the mode of `how` */
  bool saturates; /* .sat of integers */
  emu_type to, from;
  void (*convert)(u64 v[EMU_LANES], const struct convert_facts *facts);
} convert_facts;

/* ---- Values -------------------------------------------------------------------------------- */

static int bits_of(emu_type type) {
  return emu_type_of(type)->bits;
}

static u64 low_bits(int bits) {
  return ~(u64)0 >> (64 - bits);
}

/* The low `bits` of v, extended as the type's sign asks. */
static inline u64 extend(u64 v, int bits, bool is_signed) {
  u64 kept = v << (64 - bits);
  return is_signed ? (u64)((int64_t)kept >> (64 - bits)) : kept >> (64 - bits);
}

static void extend_all(u64 v[EMU_LANES], emu_type type) {
  int bits = bits_of(type);
  bool is_signed = emu_type_of(type)->kind == 's';
  for (int i = 0; i < EMU_LANES; i++) {
    v[i] = extend(v[i], bits, is_signed);
  }
}

static void float_values(double x[EMU_LANES], const u64 v[EMU_LANES], emu_type type, unsigned how) {
#define VALUES(uint, value)                                                                        \
  for (int i = 0; i < EMU_LANES; i++) {                                                            \
    x[i] = value((uint)v[i], how);                                                                 \
  }                                                                                                \
  break;
  switch (type) {
  case EMU_F16:
    VALUES(uint16_t, emu_f16_value)
  case EMU_BF16:
    VALUES(uint16_t, emu_bf16_value)
  case EMU_F32:
    VALUES(uint32_t, emu_f32_value)
  default:
    VALUES(uint64_t, emu_f64_value)
  }
#undef VALUES
}

static void round_values(u64 v[EMU_LANES], const double x[EMU_LANES], emu_type type, unsigned how) {
#define ROUND(round)                                                                               \
  for (int i = 0; i < EMU_LANES; i++) {                                                            \
    v[i] = round(x[i], how);                                                                       \
  }                                                                                                \
  break;
  switch (type) {
  case EMU_F16:
    ROUND(emu_f16_round)
  case EMU_BF16:
    ROUND(emu_bf16_round)
  case EMU_F32:
    ROUND(emu_f32_round)
  default:
    ROUND(emu_f64_finish)
  }
#undef ROUND
}

/* ---- The four kinds ------------------------------------------------------------------------ */

static void int_to_int(u64 v[EMU_LANES], const convert_facts *facts) {
  extend_all(v, facts->from);
  if (facts->saturates) {
    bool from_signed = emu_type_of(facts->from)->kind == 's';
    bool to_signed = emu_type_of(facts->to)->kind == 's';
    u64 high = low_bits(bits_of(facts->to)) >> to_signed;
    int64_t low = to_signed ? -(int64_t)high - 1 : 0;
    for (int i = 0; i < EMU_LANES; i++) {
      bool negative = from_signed && (int64_t)v[i] < 0;
      if (negative && (int64_t)v[i] < low) v[i] = (u64)low;
      if (!negative && v[i] > high) v[i] = high;
    }
  }
  extend_all(v, facts->to);
}

static const emu_format *format_of(emu_type type) {
  return type == EMU_F16    ? &emu_f16
         : type == EMU_BF16 ? &emu_bf16
         : type == EMU_F32  ? &emu_f32
                            : &emu_f64;
}

static void int_to_float(u64 v[EMU_LANES], const convert_facts *facts) {
  bool is_signed = emu_type_of(facts->from)->kind == 's';
  extend_all(v, facts->from);
  if (bits_of(facts->from) == 64) {
    const emu_format *format = format_of(facts->to);
    for (int i = 0; i < EMU_LANES; i++) {
      bool negative = is_signed && (int64_t)v[i] < 0;
      v[i] = emu_real_pack(format, emu_real_from_u64(negative ? 0 - v[i] : v[i], negative),
                           facts->how);
    }
    return;
  }
  double x[EMU_LANES];
  for (int i = 0; i < EMU_LANES; i++) {
    x[i] = (double)(int64_t)v[i];
  }
  round_values(v, x, facts->to, facts->how);
}

/* What the hardware makes of NaN, which the PTX ISA leaves open in part: 0, but from .f64 or to 64
 * bits the pattern of the least signed number. */
static u64 nan_as_int(emu_type to, emu_type from) {
  int bits = bits_of(to);
  u64 least = (u64)1 << (bits - 1);
  if (from != EMU_F64 && bits != 64) return 0;
  return emu_type_of(to)->kind == 's' ? extend(least, bits, true) : least;
}

static void float_to_int(u64 v[EMU_LANES], const convert_facts *facts) {
  bool is_signed = emu_type_of(facts->to)->kind == 's';
  u64 high = low_bits(bits_of(facts->to)) >> is_signed;
  u64 low = is_signed ? 0 - high - 1 : 0, nan = nan_as_int(facts->to, facts->from);
  /* Past the largest: 2^63 is the first double that a 64-bit range lacks. */
  double limit = ldexp(1, bits_of(facts->to) - is_signed), least = is_signed ? -limit : 0;
  double x[EMU_LANES];
  float_values(x, v, facts->from, facts->how);
  for (int i = 0; i < EMU_LANES; i++) {
    double whole = emu_integral(x[i], facts->how);
    if (isnan(whole)) {
      v[i] = nan;
    } else if (whole >= limit) {
      v[i] = high;
    } else if (whole <= least) {
      v[i] = low;
    } else {
      v[i] = is_signed ? (u64)(int64_t)whole : (u64)whole;
    }
  }
}

static void float_to_float(u64 v[EMU_LANES], const convert_facts *facts) {
  double x[EMU_LANES];
  float_values(x, v, facts->from, facts->how);
  if (facts->integral) {
    for (int i = 0; i < EMU_LANES; i++) {
      x[i] = emu_integral(x[i], facts->how);
    }
  }
  round_values(v, x, facts->to, facts->how);
}

/* From .f64 NaN keeps its sign and the upper part of its payload, and is made quiet. */
static void f64_to_narrower(u64 v[EMU_LANES], const convert_facts *facts) {
  const emu_format *to = format_of(facts->to);
  const u64 quiet = to->infinity | (u64)1 << (to->precision - 2);
  u64 a[EMU_LANES];
  memcpy(a, v, sizeof a);
  float_to_float(v, facts);
  for (int i = 0; i < EMU_LANES; i++) {
    u64 payload = (a[i] & low_bits(52)) >> (53 - to->precision);
    u64 nan = (a[i] >> 63 ? to->sign : 0) | quiet | payload;
    if (emu_f64_is_nan(a[i]) && !(facts->how & EMU_SAT)) v[i] = nan;
  }
}

/* .ftz makes NaN canonical before it is widened. */
static void flushed_f32_to_f64(u64 v[EMU_LANES], const convert_facts *facts) {
  for (int i = 0; i < EMU_LANES; i++) {
    if (emu_f32_nan((u32)v[i])) v[i] = emu_f32.nan;
  }
  float_to_float(v, facts);
}

/* Patterns stay as they are: cvt.f32.f32. */
static void same_pattern(u64 v[EMU_LANES], const convert_facts *facts) {
  (void)v, (void)facts;
}

/* ptxas makes it a shift: NaN keeps its payload. */
static void bf16_to_f32(u64 v[EMU_LANES], const convert_facts *facts) {
  (void)facts;
  for (int i = 0; i < EMU_LANES; i++) {
    v[i] = (v[i] & 0xffff) << 16;
  }
}

/* ---- Running ------------------------------------------------------------------------------- */

#define EACH_WIDTH(lane_bytes, statement)                                                          \
  switch (lane_bytes) {                                                                            \
  case 2:                                                                                          \
    statement(uint16_t) break;                                                                     \
  case 4:                                                                                          \
    statement(uint32_t) break;                                                                     \
  default:                                                                                         \
    statement(uint64_t) break;                                                                     \
  }

static void load_lanes(u64 v[EMU_LANES], const emu_warp *warp, const emu_operand *from) {
#define LOAD(uint)                                                                                 \
  for (int i = 0; i < EMU_LANES; i++) {                                                            \
    v[i] = EMU_AT(const uint, warp, from)[i];                                                      \
  }
  EACH_WIDTH(from->lane_bytes, LOAD)
#undef LOAD
}

static void store_lanes(emu_warp *warp, const emu_operand *to, const u64 v[EMU_LANES],
                        uint32_t lanes) {
#define STORE(uint)                                                                                \
  {                                                                                                \
    uint *out = EMU_AT(uint, warp, to);                                                            \
    EMU_LANEWISE(lanes, out[i] = (uint)v[i])                                                       \
  }
  EACH_WIDTH(to->lane_bytes, STORE)
#undef STORE
}

static emu_step run_convert(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const convert_facts *facts = op->facts;
  u64 v[EMU_LANES];
  load_lanes(v, warp, &op->operands[1]);
  facts->convert(v, facts);
  store_lanes(warp, &op->operands[0], v, lanes);
  return EMU_NEXT;
}

/* ---- Decoding ------------------------------------------------------------------------------ */

static bool is_scalar_float(emu_type type) {
  return type == EMU_F16 || type == EMU_BF16 || type == EMU_F32 || type == EMU_F64;
}

static bool is_scalar_int(emu_type type) {
  const emu_type_info *info = emu_type_of(type);
  return (info->kind == 's' || info->kind == 'u') && info->packed == 1 && info->bits >= 8;
}

#define INTEGER_MODES (M(RNI) | M(RZI) | M(RMI) | M(RPI))
#define FLOAT_MODES   (M(RN) | M(RZ) | M(RM) | M(RP))

/* Whether every number of `from` is one of `to`. */
static bool widens(emu_type to, emu_type from) {
  return to == EMU_F64 || (to == EMU_F32 && from != EMU_F64) || to == from;
}

/* NULL where the modifiers fit the types; else what is wrong. Between .f16 and .bf16 a rounding
 * mode may be named. */
static const char *misfit(emu_type to, emu_type from, uint64_t modifiers) {
  bool to_float = is_scalar_float(to), from_float = is_scalar_float(from);
  bool f32 = to == EMU_F32 || from == EMU_F32, exact = to_float && from_float && widens(to, from);
  bool halves = to_float && from_float && to != from && bits_of(to) == 16 && bits_of(from) == 16;
  uint64_t allowed = M(SAT) | M(ROUNDED) | (f32 ? M(FTZ) : 0);
  if (from_float && (!to_float || to == from)) allowed |= INTEGER_MODES;
  if (to_float && (!exact || (from == EMU_BF16 && to != from))) allowed |= FLOAT_MODES;
  if (from == EMU_F32 && (to == EMU_F16 || to == EMU_BF16)) allowed |= M(RELU) | M(SATFINITE);
  if (modifiers & ~allowed) return "a modifier does not fit the types";
  bool rounds = (to_float || from_float) && !exact && !halves;
  if (rounds && !(modifiers & M(ROUNDED))) return "a rounding mode is needed";
  return NULL;
}

/* The function for two floats; `plain`: without modifiers. */
static void choose_floats(convert_facts *facts, bool plain) {
  emu_type to = facts->to, from = facts->from;
  facts->convert = float_to_float;
  if (from == EMU_F64 && to != EMU_F64) facts->convert = f64_to_narrower;
  if (plain && from == to && bits_of(to) >= 32) facts->convert = same_pattern;
  if (plain && from == EMU_BF16 && to == EMU_F32) facts->convert = bf16_to_f32;
  if (!(facts->how & EMU_FTZ)) return;
  if (from == EMU_F32 && to == EMU_F64) facts->convert = flushed_f32_to_f64;
  /* The hardware's conversions between .f16 and .f32 flush nothing. */
  if (from == EMU_F16 || to == EMU_F16) facts->how &= ~(unsigned)EMU_FTZ;
}

static void choose(convert_facts *facts, emu_type to, emu_type from,
                   const emu_scalar_facts *scalar) {
  bool to_float = is_scalar_float(to), from_float = is_scalar_float(from);
  *facts = (convert_facts){.row = *scalar,
                           .how = scalar->how,
                           .integral = scalar->modifiers & INTEGER_MODES,
                           .saturates = scalar->modifiers & M(SAT),
                           .to = to,
                           .from = from};
  if (to_float && from_float) {
    choose_floats(facts, !scalar->modifiers);
  } else {
    facts->convert = to_float ? int_to_float : from_float ? float_to_int : int_to_int;
  }
}

/* A source that may be wider than its type: only other operands than registers take the type. */
static gg_status take_source(emu_operand *out, emu_decoder *d, emu_type type, gg_error *err) {
  const ptx_operand *operand = emu_operand_at(d, 1);
  bool reg = operand && operand->kind == PTX_REGISTER;
  gg_status st = emu_operand_value(out, d, 1, reg ? EMU_NONE : type, err);
  if (!st && (out->lane_bytes == 0 || out->lane_bytes > 8 ||
              out->lane_bytes * 8 < emu_type_of(type)->bits)) {
    return emu_unknown_form(d, err, "its source has fewer bits than .%s",
                            emu_type_of(type)->spelling);
  }
  return st;
}

static gg_status take_result(emu_operand *out, emu_decoder *d, emu_type type, gg_error *err) {
  gg_status st = emu_operand_register(out, d, 0, EMU_NONE, err);
  int bits = out->lane_bytes * 8;
  if (st || out->sink) return st;
  if (bits == 0 || bits > 64 || bits < emu_type_of(type)->bits) {
    return emu_unknown_form(d, err, "its result does not fit a register of this width");
  }
  return GG_OK;
}

static gg_status decode_pack(emu_op *op, emu_decoder *d, gg_error *err);

gg_status emu_decode_convert(emu_op *op, emu_decoder *d, gg_error *err) {
  gg_status st;
  emu_scalar_facts scalar;
  if (emu_take(d, "pack")) return decode_pack(op, d, err);
  emu_type to = emu_take_type(d), from = emu_take_type(d);
  if ((st = emu_take_scalar_modifiers(&scalar, d, err))) return st;
  if ((st = emu_modifiers_end(d, err))) return st;
  if (emu_type_of(to)->packed == 4) return emu_decode_convert_four(op, d, &scalar, to, from, err);
  bool single =
      (is_scalar_float(to) || is_scalar_int(to)) && (is_scalar_float(from) || is_scalar_int(from));
  if (!single) return emu_decode_row(op, d, &scalar, to, from, err);
  const char *wrong = misfit(to, from, scalar.modifiers);
  if (wrong) return emu_unknown_form(d, err, "%s", wrong);
  void *facts;
  if ((st = emu_operands_are(d, 2, err))) return st;
  if ((st = emu_op_room(op, d, 2, &facts, sizeof(convert_facts), err))) return st;
  if ((st = take_result(&op->operands[0], d, to, err))) return st;
  if ((st = take_source(&op->operands[1], d, from, err))) return st;
  choose(facts, to, from, &scalar);
  op->kind = EMU_KIND_CONVERT;
  op->exec = op->operands[0].sink ? emu_exec_nothing : run_convert;
  bool exact = op->operands[0].lane_bytes * 8 == bits_of(to) &&
               op->operands[1].lane_bytes * 8 == bits_of(from);
  emu_exec *row = exact ? emu_row_exec("cvt", &scalar, to, from, 2) : NULL;
  if (row && !op->operands[0].sink) op->exec = row;
  return GG_OK;
}

/* ---- cvt.pack ------------------------------------------------------------------------------ */

/* What the sources are clamped to. */
typedef struct pack_facts {
  int bits;
  int32_t low, high;
  bool has_c;
} pack_facts;

static emu_step run_pack(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const pack_facts *facts = op->facts;
  u32 *out = EMU_AT(u32, warp, &op->operands[0]);
  const int32_t *in_a = EMU_AT(int32_t, warp, &op->operands[1]);
  const int32_t *in_b = EMU_AT(int32_t, warp, &op->operands[2]);
  const u32 *in_c = facts->has_c ? EMU_AT(u32, warp, &op->operands[3]) : NULL;
  const int32_t low = facts->low, high = facts->high;
  const int bits = facts->bits;
  const u32 mask = (u32)low_bits(bits);
  for (int i = 0; i < EMU_LANES; i++) {
    int32_t a = in_a[i] < low ? low : in_a[i] > high ? high : in_a[i];
    int32_t b = in_b[i] < low ? low : in_b[i] > high ? high : in_b[i];
    u32 above = in_c ? in_c[i] << 2 * bits : 0;
    if (lanes >> i & 1) out[i] = above | ((u32)a & mask) << bits | ((u32)b & mask);
  }
  return EMU_NEXT;
}

/* cvt.pack.sat.{u16,s16}.s32 d, a, b; cvt.pack.sat.{u8,s8,u4,s4,u2,s2}.s32.b32 d, a, b, c. */
static gg_status decode_pack(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const narrow[] = {"u2", "s2", "u4", "s4", "u8", "s8", "u16", "s16", NULL};
  gg_status st;
  void *room;
  bool sat = emu_take(d, "sat");
  int word = emu_take_word(d, narrow);
  emu_type from = emu_take_type(d), above = emu_take_type(d);
  if ((st = emu_modifiers_end(d, err))) return st;
  if (word < 0 || !sat || from != EMU_S32) return emu_unknown_form(d, err, "no such cvt.pack");
  int bits = 2 << word / 2;
  bool is_signed = word & 1, has_c = bits < 16;
  if (has_c != (above == EMU_B32)) return emu_unknown_form(d, err, "no such cvt.pack");
  if ((st = emu_operands_are(d, has_c ? 4 : 3, err))) return st;
  if ((st = emu_op_room(op, d, has_c ? 4 : 3, &room, sizeof(pack_facts), err))) return st;
  if ((st = emu_operand_register(&op->operands[0], d, 0, EMU_B32, err))) return st;
  for (int i = 1; i < (has_c ? 4 : 3); i++) {
    if ((st = emu_operand_value(&op->operands[i], d, i, EMU_B32, err))) return st;
  }
  int32_t high = (int32_t)(low_bits(bits) >> is_signed);
  *(pack_facts *)room = (pack_facts){bits, is_signed ? -high - 1 : 0, high, has_c};
  op->kind = EMU_KIND_CONVERT;
  op->exec = op->operands[0].sink ? emu_exec_nothing : run_pack;
  return GG_OK;
}
