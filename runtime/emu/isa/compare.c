/* setp and set.
 *
 * A comparison is a mask of lanes. It is said by what may hold between the operands (less, equal,
 * greater, unordered): setp.ltu is less or unordered. Integers are compared in the signedness of
 * the type, which lo, ls, hi, hs do not change. Source: PTX ISA, "Comparison and Selection
 * Instructions". */
#include "emu/isa/scalar.h"
#include "emu/number/float.h"

typedef uint32_t u32;

typedef u32 compare_lanes(const void *a, const void *b, unsigned comparison, unsigned how);

typedef struct compare_facts {
  compare_lanes *compare;
  unsigned comparison, how;
  int combine;        /* enum combine */
  int results;        /* of setp: 1 or 2 */
  int sources_at;     /* where a, b and c start among the operands */
  bool halves;        /* two numbers a lane */
  uint64_t true_bits; /* of set: a lane, or a half, that holds */
} compare_facts;

enum combine { COMBINE_NONE = -1, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

/* ---- Comparing ----------------------------------------------------------------------------- */

#define LANES_WHERE(test)                                                                          \
  for (int i = 0; i < EMU_LANES; i++) {                                                            \
    mask |= (u32)(test) << i;                                                                      \
  }                                                                                                \
  break;

/* What is unordered holds where the rest of the comparisons does not. */
#define COMPARE(name, type, value)                                                                 \
  static u32 name(const void *a, const void *b, unsigned comparison, unsigned how) {               \
    const type *p = a, *q = b;                                                                     \
    u32 mask = 0, turned = comparison & EMU_UNORDERED ? UINT32_MAX : 0;                            \
    (void)how;                                                                                     \
    switch (turned ? ~comparison & (EMU_LESS | EMU_EQUAL | EMU_GREATER) : comparison) {            \
    case EMU_LESS:                                                                                 \
      LANES_WHERE(value(p[i]) < value(q[i]))                                                       \
    case EMU_LESS | EMU_EQUAL:                                                                     \
      LANES_WHERE(value(p[i]) <= value(q[i]))                                                      \
    case EMU_EQUAL:                                                                                \
      LANES_WHERE(value(p[i]) == value(q[i]))                                                      \
    case EMU_GREATER:                                                                              \
      LANES_WHERE(value(p[i]) > value(q[i]))                                                       \
    case EMU_GREATER | EMU_EQUAL:                                                                  \
      LANES_WHERE(value(p[i]) >= value(q[i]))                                                      \
    case EMU_LESS | EMU_GREATER:                                                                   \
      LANES_WHERE(value(p[i]) < value(q[i]) || value(p[i]) > value(q[i]))                          \
    default:                                                                                       \
      LANES_WHERE(value(p[i]) <= value(q[i]) || value(p[i]) > value(q[i]))                         \
    }                                                                                              \
    return mask ^ turned;                                                                          \
  }
#define PLAIN(x)      (x)
#define F16_VALUE(x)  emu_f16_value(x, how)
#define BF16_VALUE(x) emu_bf16_value(x, how)
#define F32_VALUE(x)  emu_float(emu_f32_flush(x, how))
COMPARE(compare_u16, uint16_t, PLAIN)
COMPARE(compare_u32, uint32_t, PLAIN)
COMPARE(compare_u64, uint64_t, PLAIN)
COMPARE(compare_s16, int16_t, PLAIN)
COMPARE(compare_s32, int32_t, PLAIN)
COMPARE(compare_s64, int64_t, PLAIN)
COMPARE(compare_f16, uint16_t, F16_VALUE)
COMPARE(compare_bf16, uint16_t, BF16_VALUE)
COMPARE(compare_f32, uint32_t, F32_VALUE)
COMPARE(compare_f64, uint64_t, emu_double)

static const struct {
  emu_type type;
  compare_lanes *compare;
} comparers[] = {
    {EMU_B16, compare_u16},     {EMU_U16, compare_u16},   {EMU_S16, compare_s16},
    {EMU_B32, compare_u32},     {EMU_U32, compare_u32},   {EMU_S32, compare_s32},
    {EMU_B64, compare_u64},     {EMU_U64, compare_u64},   {EMU_S64, compare_s64},
    {EMU_F16, compare_f16},     {EMU_F16X2, compare_f16}, {EMU_BF16, compare_bf16},
    {EMU_BF16X2, compare_bf16}, {EMU_F32, compare_f32},   {EMU_F64, compare_f64},
};

static u32 combined(u32 mask, u32 c, int combine) {
  switch (combine) {
  case COMBINE_AND:
    return mask & c;
  case COMBINE_OR:
    return mask | c;
  case COMBINE_XOR:
    return mask ^ c;
  default:
    return mask;
  }
}

/* The numbers of both halves of each lane: the lower ones in [0]. */
static void split_halves(uint16_t out[2][EMU_LANES], const u32 *in) {
  for (int i = 0; i < EMU_LANES; i++) {
    out[0][i] = (uint16_t)in[i];
    out[1][i] = (uint16_t)(in[i] >> 16);
  }
}

/* Lanes that hold: of the only, or of both numbers of a lane; c is combined later. */
static void compare_operands(u32 masks[2], emu_warp *warp, const emu_op *op) {
  const compare_facts *facts = op->facts;
  const emu_operand *a = &op->operands[facts->sources_at], *b = a + 1;
  if (!facts->halves) {
    masks[0] =
        facts->compare(EMU_AT(void, warp, a), EMU_AT(void, warp, b), facts->comparison, facts->how);
    masks[1] = ~masks[0];
    return;
  }
  uint16_t x[2][EMU_LANES], y[2][EMU_LANES];
  split_halves(x, EMU_AT(u32, warp, a));
  split_halves(y, EMU_AT(u32, warp, b));
  for (int half = 0; half < 2; half++) {
    masks[half] = facts->compare(x[half], y[half], facts->comparison, facts->how);
  }
}

static u32 third_operand(const emu_warp *warp, const emu_op *op) {
  const compare_facts *facts = op->facts;
  if (facts->combine == COMBINE_NONE) return 0;
  return emu_predicate(warp, &op->operands[facts->sources_at + 2]);
}

/* p is the comparison, q its complement; of halves p is the lower, q the upper one. */
static emu_step run_setp(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const compare_facts *facts = op->facts;
  u32 masks[2], c = third_operand(warp, op);
  compare_operands(masks, warp, op);
  for (int i = 0; i < facts->results; i++) {
    emu_set_predicate(warp, &op->operands[i], lanes, combined(masks[i], c, facts->combine));
  }
  return EMU_NEXT;
}

static emu_step run_set(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const compare_facts *facts = op->facts;
  u32 masks[2], c = third_operand(warp, op);
  compare_operands(masks, warp, op);
  u32 low = combined(masks[0], c, facts->combine), high = combined(masks[1], c, facts->combine);
  u32 bits = (u32)facts->true_bits;
  if (op->operands[0].lane_bytes == 2) {
    uint16_t *out = EMU_AT(uint16_t, warp, &op->operands[0]);
    EMU_LANEWISE(lanes, out[i] = low >> i & 1 ? (uint16_t)bits : 0)
    return EMU_NEXT;
  }
  u32 *out = EMU_AT(u32, warp, &op->operands[0]);
  if (facts->halves) {
    EMU_LANEWISE(lanes, out[i] = (low >> i & 1 ? bits : 0) | (high >> i & 1 ? bits << 16 : 0))
  } else {
    EMU_LANEWISE(lanes, out[i] = low >> i & 1 ? bits : 0)
  }
  return EMU_NEXT;
}

/* ---- Decoding ------------------------------------------------------------------------------ */

enum { NOT_EQUAL = EMU_LESS | EMU_GREATER };

/* Comparisons, and what kinds of types have them: b, s, u, f as types.def names kinds. */
static const struct {
  const char *word;
  unsigned comparison;
  const char *kinds;
} comparisons[] = {
    {"eq", EMU_EQUAL, "bsuf"},
    {"ne", NOT_EQUAL, "bsuf"},
    {"lt", EMU_LESS, "suf"},
    {"le", EMU_LESS | EMU_EQUAL, "suf"},
    {"gt", EMU_GREATER, "suf"},
    {"ge", EMU_GREATER | EMU_EQUAL, "suf"},
    {"lo", EMU_LESS, "u"},
    {"ls", EMU_LESS | EMU_EQUAL, "u"},
    {"hi", EMU_GREATER, "u"},
    {"hs", EMU_GREATER | EMU_EQUAL, "u"},
    {"equ", EMU_EQUAL | EMU_UNORDERED, "f"},
    {"neu", NOT_EQUAL | EMU_UNORDERED, "f"},
    {"ltu", EMU_LESS | EMU_UNORDERED, "f"},
    {"leu", EMU_LESS | EMU_EQUAL | EMU_UNORDERED, "f"},
    {"gtu", EMU_GREATER | EMU_UNORDERED, "f"},
    {"geu", EMU_GREATER | EMU_EQUAL | EMU_UNORDERED, "f"},
    {"num", EMU_LESS | EMU_EQUAL | EMU_GREATER, "f"},
    {"nan", EMU_UNORDERED, "f"},
};

/* The comparison, how it is combined, and ftz; the types follow in `types`. */
static gg_status take_comparison(compare_facts *out, emu_type types[2], emu_decoder *d,
                                 gg_error *err) {
  static const char *const combines[] = {"and", "or", "xor", NULL};
  const char *kinds = NULL;
  for (size_t i = 0; !kinds && i < sizeof comparisons / sizeof *comparisons; i++) {
    if (!emu_take(d, comparisons[i].word)) continue;
    out->comparison = comparisons[i].comparison;
    kinds = comparisons[i].kinds;
  }
  out->combine = emu_take_word(d, combines);
  out->how = emu_take(d, "ftz") ? EMU_FTZ : 0;
  types[0] = emu_take_type(d);
  types[1] = emu_take_type(d);
  emu_type compared = types[1] != EMU_NONE ? types[1] : types[0];
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  if (!kinds) return emu_unknown_form(d, err, "it names no comparison");
  for (size_t i = 0; i < sizeof comparers / sizeof *comparers; i++) {
    if (comparers[i].type == compared) out->compare = comparers[i].compare;
  }
  if (!out->compare) return emu_unknown_form(d, err, "it names no type that can be compared");
  const emu_type_info *info = emu_type_of(compared);
  if (!strchr(kinds, info->kind)) {
    return emu_unknown_form(d, err, ".%s does not have this comparison", info->spelling);
  }
  bool flushes = compared == EMU_F32 || compared == EMU_F16 || compared == EMU_F16X2;
  if (out->how && !flushes) return emu_unknown_form(d, err, ".%s has no .ftz", info->spelling);
  out->halves = info->packed == 2;
  return GG_OK;
}

/* a, b and, where a comparison is combined, c. */
static gg_status take_sources(emu_op *op, emu_decoder *d, const compare_facts *facts, emu_type type,
                              gg_error *err) {
  gg_status st;
  emu_operand *to = &op->operands[facts->sources_at];
  int count = facts->combine == COMBINE_NONE ? 2 : 3;
  if ((st = emu_operands_are(d, 1 + count, err))) return st;
  for (int i = 0; i < count; i++) {
    st = emu_operand_value(&to[i], d, 1 + i, i == 2 ? EMU_PRED : type, err);
    if (st) return st;
  }
  return GG_OK;
}

gg_status emu_decode_setp(emu_op *op, emu_decoder *d, gg_error *err) {
  gg_status st;
  emu_type types[2];
  compare_facts facts = {0};
  void *room;
  if ((st = take_comparison(&facts, types, d, err))) return st;
  if (types[1] != EMU_NONE) return emu_unknown_form(d, err, "setp has one type");
  if ((st = emu_op_room(op, d, 5, &room, sizeof facts, err))) return st;
  st = emu_operand_results(op->operands, &facts.results, d, 0, EMU_PRED, EMU_PRED, err);
  if (st) return st;
  if (facts.results == 2 && (types[0] == EMU_F16 || types[0] == EMU_BF16)) {
    return emu_unknown_form(d, err, ".%s has one result", emu_type_of(types[0])->spelling);
  }
  facts.sources_at = facts.results;
  if ((st = take_sources(op, d, &facts, types[0], err))) return st;
  memcpy(room, &facts, sizeof facts);
  op->kind = emu_type_of(types[0])->kind == 'f' ? EMU_KIND_FLOAT : EMU_KIND_INTEGER;
  op->exec = run_setp;
  return GG_OK;
}

/* What set writes for true; 0: no such type. Both halves of packed numbers are written alike. */
static uint64_t truth(emu_type to, emu_type compared, bool halves) {
  bool half = compared == EMU_F16 || compared == EMU_BF16;
  if (halves) {
    bool same = to == compared;
    return to == EMU_U32 || to == EMU_S32 ? 0xffff : !same ? 0 : to == EMU_F16X2 ? 0x3c00 : 0x3f80;
  }
  switch (to) {
  case EMU_U32:
  case EMU_S32:
    return 0xffffffff;
  case EMU_U16:
  case EMU_S16:
    return half ? 0xffff : 0;
  case EMU_F32:
    return half ? 0 : 0x3f800000;
  case EMU_F16:
    return compared == EMU_BF16 ? 0 : 0x3c00;
  case EMU_BF16:
    return 0x3f80;
  default:
    return 0;
  }
}

gg_status emu_decode_set(emu_op *op, emu_decoder *d, gg_error *err) {
  gg_status st;
  emu_type types[2];
  compare_facts facts = {.sources_at = 1};
  void *room;
  if ((st = take_comparison(&facts, types, d, err))) return st;
  facts.true_bits = types[1] == EMU_NONE ? 0 : truth(types[0], types[1], facts.halves);
  if (!facts.true_bits) return emu_unknown_form(d, err, "set has no such types");
  if ((st = emu_op_room(op, d, 4, &room, sizeof facts, err))) return st;
  if ((st = emu_operand_register(&op->operands[0], d, 0, types[0], err))) return st;
  if ((st = take_sources(op, d, &facts, types[1], err))) return st;
  memcpy(room, &facts, sizeof facts);
  op->kind = emu_type_of(types[1])->kind == 'f' ? EMU_KIND_FLOAT : EMU_KIND_INTEGER;
  op->exec = op->operands[0].sink ? emu_exec_nothing : run_set;
  return GG_OK;
}
