/* Video instructions (PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions").
 *
 * Each has the same stages: elements of the sources, a byte, half-word or word, are widened by
 * their type; the operation is done on them; what comes out is clamped to the destination's type
 * where .sat asks for it; then it is combined with the third source by a sum, minimum or maximum,
 * or takes the place of some of its bits. Elements are parts of the two sources taken as one value
 * of eight bytes, the second above the first: an instruction with one element takes each source's
 * of its own, one with two or four may take them from either. */
#include <string.h>

#include "emu/isa/scalar.h"

enum { SCALAR = 1, SIMD = 2, SHIFT = 4 | SCALAR };
enum { elements_most = 4, word_bits = 32 };

typedef enum second { MERGE, ADD, MIN, MAX } second;
typedef enum shift_mode { NO_SHIFT = -1, CLAMP, WRAP } shift_mode;

/* Some bits of the sources, or of the result; none: the element is not written. */
typedef struct part {
  uint8_t shift, bits;
} part;

typedef struct video_facts {
  int64_t (*value)(int64_t a, int64_t b);
  int elements;
  bool d_signed, a_signed, b_signed;
  part d[elements_most], a[elements_most], b[elements_most];
  shift_mode shift;
  bool saturate;
  second second;
  bool negate_product, negate_c, plus_one; /* of vmad */
  int scale;                               /* bits that vmad drops */
} video_facts;

/* ---- Execution -------------------------------------------------------------------------- */

/* Shifts by 32 leave 32 bits of zeros below a number that .sat clamps. */
static int64_t shifted_left(int64_t a, int64_t b) {
  if (b < word_bits) return (int64_t)((uint64_t)a << b);
  return (int64_t)((uint64_t)((a > 0) - (a < 0)) << 40);
}

static int64_t widened(uint64_t sources, part p, bool is_signed) {
  uint64_t value = sources >> p.shift & (UINT64_MAX >> (64 - p.bits));
  uint64_t sign = (uint64_t)1 << (p.bits - 1);
  return is_signed ? (int64_t)((value ^ sign) - sign) : (int64_t)value;
}

static int64_t clamped(int64_t value, int bits, bool is_signed) {
  int64_t half = (int64_t)1 << (bits - 1);
  int64_t least = is_signed ? -half : 0, most = is_signed ? half - 1 : 2 * half - 1;
  return value < least ? least : value > most ? most : value;
}

/* `value` where it goes among the bits of c, or together with all of c. */
static uint32_t combined(int64_t value, uint32_t c, part to, const video_facts *f) {
  int64_t third = f->d_signed ? (int32_t)c : (int64_t)c;
  uint32_t mask = UINT32_MAX >> (word_bits - to.bits) << to.shift;
  switch (f->second) {
  case ADD:
    return (uint32_t)value + c;
  case MIN:
    return (uint32_t)(value < third ? value : third);
  case MAX:
    return (uint32_t)(value > third ? value : third);
  default:
    return (c & ~mask) | ((uint32_t)((uint64_t)value << to.shift) & mask);
  }
}

static uint32_t operated(uint32_t a, uint32_t b, uint32_t c, const video_facts *f) {
  uint64_t sources = (uint64_t)b << word_bits | a;
  for (int i = 0; i < f->elements; i++) {
    if (!f->d[i].bits) continue;
    int64_t x = widened(sources, f->a[i], f->a_signed), y = widened(sources, f->b[i], f->b_signed);
    if (f->shift == WRAP) y &= word_bits - 1;
    if (f->shift == CLAMP && y > word_bits) y = word_bits;
    int64_t value = f->value(x, y);
    if (f->saturate) value = clamped(value, f->d[i].bits, f->d_signed);
    c = combined(value, c, f->d[i], f);
  }
  return c;
}

/* vmad: in 64 bits, which hold a product of two words. */
static uint32_t multiplied(uint32_t a, uint32_t b, uint32_t c, const video_facts *f) {
  uint64_t sources = (uint64_t)b << word_bits | a;
  bool is_signed = f->a_signed || f->b_signed || f->negate_product || f->negate_c;
  uint64_t product = (uint64_t)widened(sources, f->a[0], f->a_signed) *
                     (uint64_t)widened(sources, f->b[0], f->b_signed);
  uint64_t third = is_signed ? (uint64_t)(int32_t)c : c;
  uint64_t sum = (f->negate_product ? 0 - product : product) + (f->negate_c ? 0 - third : third);
  sum += f->plus_one;
  if (!is_signed) {
    sum >>= f->scale;
    return f->saturate && sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
  }
  int64_t result = (int64_t)sum >> f->scale;
  return (uint32_t)(f->saturate ? clamped(result, word_bits, true) : result);
}

/* Operands: the destination, the two sources, the third. */
#define RUN(name, value)                                                                           \
  static emu_step name(emu_warp *warp, const emu_op *op, uint32_t lanes) {                         \
    const video_facts *f = op->facts;                                                              \
    const uint32_t *a = EMU_AT(uint32_t, warp, &op->operands[1]);                                  \
    const uint32_t *b = EMU_AT(uint32_t, warp, &op->operands[2]);                                  \
    const uint32_t *c = EMU_AT(uint32_t, warp, &op->operands[3]);                                  \
    uint32_t *out = EMU_AT(uint32_t, warp, &op->operands[0]);                                      \
    EMU_LANEWISE(lanes, out[i] = value(a[i], b[i], c[i], f))                                       \
    return EMU_NEXT;                                                                               \
  }
RUN(run_video, operated)
RUN(run_multiply, multiplied)

/* ---- Operations ------------------------------------------------------------------------- */

#define EMU_VIDEO(name, opcode, comparison, forms, result)                                         \
  static int64_t name(int64_t a, int64_t b) {                                                      \
    return result;                                                                                 \
  }
#include "emu/isa/video.def"
#undef EMU_VIDEO

typedef struct video_row {
  const char *opcode, *comparison;
  unsigned forms;
  int64_t (*value)(int64_t a, int64_t b);
} video_row;

static const video_row rows[] = {
#define EMU_VIDEO(name, opcode, comparison, forms, result) {opcode, comparison, forms, name},
#include "emu/isa/video.def"
#undef EMU_VIDEO
};

/* The row of the instruction, whose comparison is taken; NULL where there is none. */
static const video_row *take_row(int *elements, emu_decoder *d) {
  const char *opcode = emu_decoder_ptx(d)->form->opcode;
  size_t length = strcspn(opcode, "24");
  *elements = opcode[length] ? opcode[length] - '0' : 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const video_row *row = &rows[i];
    if (strlen(row->opcode) != length || memcmp(row->opcode, opcode, length)) continue;
    if (!(row->forms & (*elements == 1 ? SCALAR : SIMD))) continue;
    if (!row->comparison[0] || emu_take(d, row->comparison)) return row;
  }
  return NULL;
}

/* ---- Parts ------------------------------------------------------------------------------ */

/* The part that one digit of a selector names: a half-word of 'h', a byte of 'b'. */
static part part_of(char letter, char digit) {
  int bits = letter == 'h' ? 16 : 8;
  return (part){(uint8_t)((digit - '0') * bits), (uint8_t)bits};
}

/* The one part of a source, its own or all of it; sources are numbered 0 and 1. */
static gg_status take_own_part(part *out, emu_decoder *d, const char *text, int source,
                               gg_error *err) {
  *out = (part){(uint8_t)(source * word_bits), word_bits};
  if (!text[0]) return GG_OK;
  *out = part_of(text[0], text[1]);
  if (text[2] || out->shift >= word_bits) {
    return emu_unknown_form(d, err, "no part .%s; b0 to b3, h0 and h1 are", text);
  }
  out->shift = (uint8_t)(out->shift + source * word_bits);
  return GG_OK;
}

/* The elements of a source, written with the last one first. */
static gg_status take_elements(part *out, emu_decoder *d, const char *text, int source,
                               const video_facts *f, gg_error *err) {
  static const char *const all[2][2] = {{"h10", "h32"}, {"b3210", "b7654"}};
  const char *own = all[f->elements == 4][source];
  if (!text[0]) text = own;
  if (text[0] != own[0] || strlen(text) != strlen(own)) {
    return emu_unknown_form(d, err, "a source's part is like .%s, not .%s", own, text);
  }
  for (int i = 0; i < f->elements; i++) {
    out[i] = part_of(text[0], text[f->elements - i]);
    if (out[i].shift >= 2 * word_bits) {
      return emu_unknown_form(d, err, "no half-word %c", text[f->elements - i]);
    }
  }
  return GG_OK;
}

/* The elements that are written: their numbers fall. */
static gg_status take_mask(part *out, emu_decoder *d, const char *text, const video_facts *f,
                           gg_error *err) {
  static const char *const all[] = {"h10", "b3210"};
  const char *most = all[f->elements == 4];
  if (!text[0]) text = most;
  bool known = text[0] == most[0];
  for (int i = 1; known && text[i]; i++) {
    int element = text[i] - '0';
    known = element < f->elements && (i == 1 || text[i] < text[i - 1]);
    if (known) out[element] = part_of(text[0], text[i]);
  }
  return known ? GG_OK : emu_unknown_form(d, err, "no mask .%s", text);
}

static gg_status take_parts(video_facts *f, emu_decoder *d, const char *const texts[3],
                            gg_error *err) {
  bool scalar = f->elements == 1;
  gg_status st =
      scalar ? take_own_part(f->d, d, texts[0], 0, err) : take_mask(f->d, d, texts[0], f, err);
  for (int i = 0; !st && i < 2; i++) {
    part *out = i ? f->b : f->a;
    st = scalar ? take_own_part(out, d, texts[i + 1], i, err)
                : take_elements(out, d, texts[i + 1], i, f, err);
  }
  return st;
}

/* ---- Operands --------------------------------------------------------------------------- */

/* An operand without its sign and part, which are handed out. */
static gg_status take_operand(emu_operand *out, const char **text, bool *negated, emu_decoder *d,
                              int index, gg_error *err) {
  const ptx_operand *written = emu_operand_at(d, index);
  if (!written || written->kind != PTX_REGISTER) {
    *text = "";
    *negated = false;
    return index ? emu_operand_value(out, d, index, EMU_U32, err)
                 : emu_operand_register(out, d, index, EMU_U32, err);
  }
  ptx_operand plain = *written;
  *text = written->part;
  *negated = written->negated;
  memset(plain.part, 0, sizeof plain.part);
  plain.negated = false;
  return emu_operand_part(out, d, index, &plain, EMU_U32, err);
}

/* The destination and the sources; a third source that is not written is 0. */
static gg_status take_operands(emu_op *op, const char *texts[3], bool negated[4], emu_decoder *d,
                               gg_error *err) {
  gg_status st = GG_OK;
  const char *third = "";
  int written = emu_operand_count(d); /* 3 or 4 */
  negated[3] = false;
  for (int i = 0; !st && i < written; i++) {
    st = take_operand(&op->operands[i], i < 3 ? &texts[i] : &third, &negated[i], d, i, err);
  }
  if (!st && (negated[0] || third[0])) {
    return emu_unknown_form(d, err, "only sources are negated, and the third is taken whole");
  }
  if (!st && written == 3) st = emu_operand_constant(&op->operands[3], d, 0, 0, 4, err);
  return st;
}

/* ---- Decoding --------------------------------------------------------------------------- */

static gg_status take_types(video_facts *f, emu_decoder *d, int count, gg_error *err) {
  bool *const all[] = {&f->d_signed, &f->a_signed, &f->b_signed};
  for (int i = 3 - count; i < 3; i++) {
    emu_type type = emu_take_type(d);
    if (type != EMU_U32 && type != EMU_S32) {
      return emu_unknown_form(d, err, "it has %d types, .u32 or .s32", count);
    }
    *all[i] = type == EMU_S32;
  }
  return GG_OK;
}

static gg_status take_modifiers(video_facts *f, emu_decoder *d, gg_error *err) {
  static const char *const seconds[] = {"add", "min", "max", NULL};
  static const char *const shifts[] = {"clamp", "wrap", NULL};
  const video_row *row = take_row(&f->elements, d);
  if (!row) return emu_unknown_form(d, err, "it names no comparison");
  bool compares = row->comparison[0], shifts_bits = row->forms == SHIFT;
  gg_status st = take_types(f, d, compares ? 2 : 3, err);
  if (st) return st;
  f->value = row->value;
  f->second = (second)(1 + emu_take_word(d, seconds));
  f->shift = shifts_bits ? (shift_mode)emu_take_word(d, shifts) : NO_SHIFT;
  f->saturate = !compares && emu_take(d, "sat");
  if (shifts_bits && (f->shift == NO_SHIFT || f->b_signed)) {
    return emu_unknown_form(d, err, "it is .u32.clamp or .u32.wrap");
  }
  if (f->elements > 1 && f->second > ADD) return emu_unknown_form(d, err, "only .add is there");
  if (f->elements > 1 && f->second == ADD && f->saturate) {
    return emu_unknown_form(d, err, ".sat excludes .add");
  }
  return emu_modifiers_end(d, err);
}

gg_status emu_decode_video(emu_op *op, emu_decoder *d, gg_error *err) {
  void *facts;
  const char *texts[3];
  bool negated[4];
  gg_status st = emu_op_room(op, d, 4, &facts, sizeof(video_facts), err);
  if (st) return st;
  video_facts *f = facts;
  *f = (video_facts){0};
  if ((st = take_modifiers(f, d, err))) return st;
  bool needs_third = f->elements > 1 || f->second != MERGE;
  if ((emu_operand_count(d) != 3 || needs_third) && (st = emu_operands_are(d, 4, err))) return st;
  if ((st = take_operands(op, texts, negated, d, err))) return st;
  if (negated[1] || negated[2] || negated[3]) {
    return emu_unknown_form(d, err, "vmad alone negates its sources");
  }
  if (f->elements == 1 && texts[0][0] && (f->second != MERGE || emu_operand_count(d) != 4)) {
    return emu_unknown_form(d, err, "a part of the destination is merged into a third source");
  }
  if ((st = take_parts(f, d, texts, err))) return st;
  op->kind = EMU_KIND_INTEGER;
  op->exec = op->operands[0].sink ? emu_exec_nothing : run_video;
  return GG_OK;
}

gg_status emu_decode_vmad(emu_op *op, emu_decoder *d, gg_error *err) {
  void *facts;
  const char *texts[3];
  bool negated[4];
  gg_status st = emu_op_room(op, d, 4, &facts, sizeof(video_facts), err);
  if (st) return st;
  video_facts *f = facts;
  *f = (video_facts){.elements = 1};
  if ((st = take_types(f, d, 3, err))) return st;
  f->saturate = emu_take(d, "sat");
  f->plus_one = emu_take(d, "po");
  f->scale = emu_take(d, "shr7") ? 7 : emu_take(d, "shr15") ? 15 : 0;
  if ((st = emu_modifiers_end(d, err))) return st;
  if ((st = emu_operands_are(d, 4, err))) return st;
  if ((st = take_operands(op, texts, negated, d, err))) return st;
  f->negate_product = negated[1] != negated[2];
  f->negate_c = negated[3];
  if (f->plus_one + f->negate_product + f->negate_c > 1 || (f->plus_one && negated[1])) {
    return emu_unknown_form(d, err, "the product or the sum is negated, or one is added");
  }
  if (texts[0][0]) return emu_unknown_form(d, err, "its destination is taken whole");
  if ((st = take_parts(f, d, texts, err))) return st;
  op->kind = EMU_KIND_INTEGER;
  op->exec = op->operands[0].sink ? emu_exec_nothing : run_multiply;
  return GG_OK;
}
