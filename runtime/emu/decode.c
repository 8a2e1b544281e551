/* Taking an instruction apart: its modifiers, in any order, and its operands.
 *
 * Decoders take the modifiers that they know. A bit for each remembers which are taken; if one is
 * left over at the end, the form is unknown. Operands become places in the register file: registers
 * where the function has put them, immediates and addresses of variables as constants that the
 * draft collects, special registers as constants of a launch, CTA, warp or lane (module.h). For
 * registers that are read anew each time, such as %clock, an op is added in front. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/decoder.h"

gg_mark emu_mark_of(const emu_module *module, const ptx_instruction *ptx) {
  gg_mark mark = {.file = module->ptx->name};
  if (ptx) {
    mark.line = (int)ptx->place.line;
    mark.column = (int)ptx->place.column;
  }
  return mark;
}

static gg_mark mark_at(const emu_decoder *d, const ptx_operand *operand) {
  gg_mark mark = emu_mark_of(d->draft->function->module, d->ptx);
  if (operand && operand->place.line) {
    mark.line = (int)operand->place.line;
    mark.column = (int)operand->place.column;
  }
  return mark;
}

gg_arena *emu_decoder_arena(emu_decoder *d) {
  return &d->draft->function->module->arena;
}

const ptx_instruction *emu_decoder_ptx(const emu_decoder *d) {
  return d->ptx;
}

uint32_t emu_decoder_target(const emu_decoder *d, const ptx_operand *label) {
  return d->draft->first[label->index];
}

const ptx_targets *emu_decoder_targets(const emu_decoder *d, const ptx_operand *table) {
  return &d->draft->function->ptx->targets[table->index];
}

const ptx_function *emu_decoder_function(const emu_decoder *d) {
  return d->draft->function->ptx;
}

gg_status emu_unknown_form(emu_decoder *d, gg_error *err, const char *format, ...) {
  gg_str why = GG_STR_INIT;
  va_list arguments;
  va_start(arguments, format);
  gg_str_vprintf(&why, format, arguments);
  va_end(arguments);
  gg_mark mark = mark_at(d, NULL);
  gg_status st = gg_fail(err, EMU_FORM, &mark, d->ptx->form->text, gg_str_text(&why));
  gg_str_free(&why);
  return st;
}

/* ---- Modifiers -------------------------------------------------------------------------- */

/* The first untaken modifier from `from` on; the count of modifiers if there is none. */
static uint32_t untaken(const emu_decoder *d, uint32_t from) {
  const ptx_form *form = d->ptx->form;
  while (from < form->modifier_count && (d->taken >> from & 1)) {
    from++;
  }
  return from;
}

#define EACH_UNTAKEN(d, i)                                                                         \
  for (uint32_t i = untaken(d, 0); i < (d)->ptx->form->modifier_count; i = untaken(d, i + 1))

static void take(emu_decoder *d, uint32_t i) {
  d->taken |= (uint64_t)1 << i;
}

bool emu_take(emu_decoder *d, const char *modifier) {
  EACH_UNTAKEN(d, i) {
    if (!strcmp(d->ptx->form->modifiers[i], modifier)) {
      take(d, i);
      return true;
    }
  }
  return false;
}

emu_type emu_take_type(emu_decoder *d) {
  EACH_UNTAKEN(d, i) {
    const char *text = d->ptx->form->modifiers[i];
    emu_type type = emu_type_find(text, strlen(text));
    if (type != EMU_NONE) {
      take(d, i);
      return type;
    }
  }
  return EMU_NONE;
}

const char *emu_take_prefix(emu_decoder *d, const char *prefix) {
  EACH_UNTAKEN(d, i) {
    const char *text = d->ptx->form->modifiers[i];
    if (!strncmp(text, prefix, strlen(prefix))) {
      take(d, i);
      return text;
    }
  }
  return NULL;
}

int emu_take_word(emu_decoder *d, const char *const *words) {
  for (int i = 0; words[i]; i++) {
    if (emu_take(d, words[i])) return i;
  }
  return -1;
}

emu_space emu_take_space(emu_decoder *d) {
  static const struct {
    const char *word;
    emu_space space;
  } spaces[] = {
      {"global", EMU_GLOBAL},      {"shared", EMU_SHARED},
      {"shared::cta", EMU_SHARED}, {"shared::cluster", EMU_SHARED_CLUSTER},
      {"local", EMU_LOCAL},        {"const", EMU_CONST},
      {"param", EMU_PARAM},        {"param::entry", EMU_PARAM},
      {"param::func", EMU_PARAM},
  };
  EACH_UNTAKEN(d, i) {
    for (size_t k = 0; k < sizeof(spaces) / sizeof(*spaces); k++) {
      if (!strcmp(d->ptx->form->modifiers[i], spaces[k].word)) {
        take(d, i);
        return spaces[k].space;
      }
    }
  }
  return EMU_GENERIC;
}

gg_status emu_modifiers_end(emu_decoder *d, gg_error *err) {
  uint32_t left = untaken(d, 0);
  if (left == d->ptx->form->modifier_count) return GG_OK;
  return emu_unknown_form(d, err, "modifier .%s", d->ptx->form->modifiers[left]);
}

/* ---- Constants -------------------------------------------------------------------------- */

struct emu_draft_constant {
  uint64_t low, high;
  uint32_t offset; /* into the image */
  uint8_t lane_bytes;
};

void emu_draft_free(emu_draft *draft) {
  gg_free(draft->image);
  gg_free(draft->late);
  gg_free(draft->buckets);
  gg_free(draft->constants);
}

/* Doubles *array until it has room for `needed`. */
static bool grow(void *array, uint32_t *room, uint32_t needed, size_t size) {
  if (needed <= *room) return true;
  uint32_t more = *room ? *room : 16;
  while (more < needed) {
    if (more > UINT32_MAX / 2) return false;
    more *= 2;
  }
  void **pointer = array;
  void *grown = gg_realloc(*pointer, more * size);
  if (!grown) return false;
  *pointer = grown;
  *room = more;
  return true;
}

/* Adds a zeroed slot to the image. All slots are aligned to 64 bytes, also those of masks. */
static gg_status draft_slot(uint32_t *offset, emu_draft *draft, int lane_bytes, gg_error *err) {
  uint32_t bytes = lane_bytes ? (uint32_t)lane_bytes * EMU_LANES : 64;
  if (draft->image_bytes > (1u << 30) ||
      !grow(&draft->image, &draft->image_room, draft->image_bytes + bytes, 1)) {
    return gg_fail(err, MEMORY, NULL, "");
  }
  memset(draft->image + draft->image_bytes, 0, bytes);
  *offset = draft->image_bytes;
  draft->image_bytes += bytes;
  return GG_OK;
}

static void fill_slot(uint8_t *slot, uint64_t low, uint64_t high, int lane_bytes) {
  if (!lane_bytes) {
    uint32_t mask = low & 1 ? UINT32_MAX : 0;
    memcpy(slot, &mask, sizeof(mask));
    return;
  }
  uint64_t value[2] = {low, high};
  for (int lane = 0; lane < EMU_LANES; lane++) {
    memcpy(slot + lane * lane_bytes, value, (size_t)lane_bytes);
  }
}

static uint32_t hash_constant(uint64_t low, uint64_t high, int lane_bytes) {
  uint64_t hash = (low ^ high * 0x9e3779b97f4a7c15u) + (uint64_t)lane_bytes;
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
  return (uint32_t)(hash >> 32);
}

static gg_status rehash(emu_draft *draft, gg_error *err) {
  uint32_t count = draft->bucket_count ? draft->bucket_count * 2 : 64;
  uint32_t *buckets = gg_malloc(count * sizeof(*buckets));
  if (!buckets) return gg_fail(err, MEMORY, NULL, "");
  memset(buckets, 0, count * sizeof(*buckets));
  for (uint32_t i = 0; i < draft->constant_count; i++) {
    const struct emu_draft_constant *c = &draft->constants[i];
    uint32_t at = hash_constant(c->low, c->high, c->lane_bytes) & (count - 1);
    while (buckets[at]) {
      at = (at + 1) & (count - 1);
    }
    buckets[at] = i + 1;
  }
  gg_free(draft->buckets);
  draft->buckets = buckets;
  draft->bucket_count = count;
  return GG_OK;
}

/* Finds a slot that has the value, or makes a new one. */
static gg_status draft_constant(uint32_t *offset, emu_draft *draft, uint64_t low, uint64_t high,
                                int lane_bytes, gg_error *err) {
  gg_status st;
  if (draft->constant_count * 2 >= draft->bucket_count && (st = rehash(draft, err))) return st;
  uint32_t at = hash_constant(low, high, lane_bytes) & (draft->bucket_count - 1);
  for (; draft->buckets[at]; at = (at + 1) & (draft->bucket_count - 1)) {
    const struct emu_draft_constant *c = &draft->constants[draft->buckets[at] - 1];
    if (c->low == low && c->high == high && c->lane_bytes == lane_bytes) {
      *offset = c->offset;
      return GG_OK;
    }
  }
  if (!grow(&draft->constants, &draft->constant_room, draft->constant_count + 1,
            sizeof(*draft->constants))) {
    return gg_fail(err, MEMORY, NULL, "");
  }
  if ((st = draft_slot(offset, draft, lane_bytes, err))) return st;
  fill_slot(draft->image + *offset, low, high, lane_bytes);
  draft->constants[draft->constant_count++] =
      (struct emu_draft_constant){low, high, *offset, (uint8_t)lane_bytes};
  draft->buckets[at] = draft->constant_count;
  return GG_OK;
}

static emu_operand at_image(const emu_draft *draft, uint32_t offset, int lane_bytes,
                            bool constant) {
  return (emu_operand){.offset = draft->function->register_bytes + offset,
                       .lane_bytes = (uint8_t)lane_bytes,
                       .constant = constant};
}

/* Finds a slot that a launch fills in with the same, or makes a new one. */
static gg_status draft_late(emu_operand *out, emu_draft *draft, emu_late_kind kind, uint32_t value,
                            int64_t addend, int lane_bytes, gg_error *err) {
  uint32_t base = draft->function->register_bytes;
  for (uint32_t i = 0; i < draft->late_count; i++) {
    const emu_late *l = &draft->late[i];
    if (l->kind == kind && l->value == value && l->addend == addend &&
        l->lane_bytes == lane_bytes) {
      *out = at_image(draft, l->offset - base, lane_bytes, false);
      return GG_OK;
    }
  }
  if (!grow(&draft->late, &draft->late_room, draft->late_count + 1, sizeof(*draft->late))) {
    return gg_fail(err, MEMORY, NULL, "");
  }
  uint32_t offset;
  gg_status st = draft_slot(&offset, draft, lane_bytes, err);
  if (st) return st;
  draft->late[draft->late_count++] =
      (emu_late){kind, value, addend, base + offset, (uint8_t)lane_bytes};
  *out = at_image(draft, offset, lane_bytes, false);
  return GG_OK;
}

gg_status emu_operand_constant(emu_operand *out, emu_decoder *d, uint64_t low, uint64_t high,
                               int lane_bytes, gg_error *err) {
  uint32_t offset;
  gg_status st = draft_constant(&offset, d->draft, low, high, lane_bytes, err);
  if (!st) *out = at_image(d->draft, offset, lane_bytes, true);
  return st;
}

/* ---- Operands --------------------------------------------------------------------------- */

int emu_operand_count(const emu_decoder *d) {
  return (int)d->ptx->operand_count;
}

const ptx_operand *emu_operand_at(const emu_decoder *d, int index) {
  return index >= 0 && (uint32_t)index < d->ptx->operand_count ? &d->ptx->operands[index] : NULL;
}

static gg_status bad_operand(const emu_decoder *d, const ptx_operand *operand, int index,
                             gg_error *err, const char *what) {
  gg_mark mark = mark_at(d, operand);
  return gg_fail(err, EMU_OPERAND, &mark, d->ptx->form->text, index + 1, what);
}

/* Bytes that a register has for each lane, for values of `bits` bits. */
static int lane_bytes_of(int bits) {
  return bits == 1 ? 0 : bits <= 16 ? 2 : bits <= 32 ? 4 : bits <= 64 ? 8 : 16;
}

static int lane_bytes_of_type(emu_type type) {
  return type == EMU_NONE ? 8 : lane_bytes_of(emu_type_of(type)->bits);
}

static gg_status use_register(emu_operand *out, const emu_decoder *d, const ptx_operand *operand,
                              int index, emu_type type, gg_error *err) {
  const emu_function *function = d->draft->function;
  const ptx_register *reg = &function->ptx->registers[operand->index];
  int bytes = lane_bytes_of(emu_type_of(reg->type)->bits);
  if (type != EMU_NONE && bytes != lane_bytes_of_type(type)) {
    gg_str what = GG_STR_INIT;
    gg_str_printf(&what, "%s is .%s, the instruction takes .%s", reg->name,
                  emu_type_of(reg->type)->spelling, emu_type_of(type)->spelling);
    gg_status st = bad_operand(d, operand, index, err, gg_str_text(&what));
    gg_str_free(&what);
    return st;
  }
  if (operand->negated && bytes) {
    return bad_operand(d, operand, index, err, "only predicates can be negated");
  }
  if (operand->part[0]) {
    return bad_operand(d, operand, index, err, "the instruction takes no part of a register");
  }
  *out = (emu_operand){.offset = function->registers[operand->index],
                       .lane_bytes = (uint8_t)bytes,
                       .negated = operand->negated};
  return GG_OK;
}

gg_status emu_operand_register(emu_operand *out, emu_decoder *d, int index, emu_type type,
                               gg_error *err) {
  const ptx_operand *operand = emu_operand_at(d, index);
  if (!operand) return bad_operand(d, NULL, index, err, "is missing");
  if (operand->kind == PTX_SINK) {
    *out = (emu_operand){.sink = true, .lane_bytes = (uint8_t)lane_bytes_of_type(type)};
    return GG_OK;
  }
  if (operand->kind != PTX_REGISTER || operand->negated) {
    return bad_operand(d, operand, index, err, "a register is needed for the result");
  }
  return use_register(out, d, operand, index, type, err);
}

/* The bits of a floating-point constant as a value of `type`; false if it cannot be one. */
static bool float_bits(uint64_t *bits, const ptx_operand *operand, emu_type type) {
  const emu_type_info *info = emu_type_of(type);
  bool is_float = info->kind == 'f' && info->packed == 1;
  if (operand->width == 32) {
    *bits = operand->value;
    if (is_float && info->bits == 64) {
      uint32_t narrow = (uint32_t)operand->value;
      float value;
      memcpy(&value, &narrow, sizeof(value));
      double wide = value;
      memcpy(bits, &wide, sizeof(*bits));
    }
    return type == EMU_NONE || info->bits == 32 || (is_float && info->bits == 64);
  }
  *bits = operand->value;
  if (is_float && info->bits == 32) {
    double wide;
    memcpy(&wide, &operand->value, sizeof(wide));
    float value = (float)wide;
    uint32_t narrow;
    memcpy(&narrow, &value, sizeof(narrow));
    *bits = narrow;
    return true;
  }
  return type == EMU_NONE || info->bits == 64;
}

static gg_status use_special(emu_operand *out, emu_decoder *d, ptx_special special, emu_type type,
                             gg_error *err) {
  emu_type own = ptx_special_of(special)->type;
  int bytes = own == EMU_PRED ? 0 : lane_bytes_of_type(type == EMU_NONE ? own : type);
  gg_status st = draft_late(out, d->draft, EMU_LATE_SPECIAL, special, 0, bytes, err);
  if (special == PTX_SPECIAL_RESERVED_SMEM_OFFSET_1) d->draft->function->module->groups = true;
  if (!st && emu_special_is_live(special)) emu_draft_live(d->draft, d->ptx, out, special);
  return st;
}

static gg_status use_variable(emu_operand *out, emu_decoder *d, const ptx_variable *variable,
                              int64_t addend, int bytes, gg_error *err) {
  const emu_function *function = d->draft->function;
  uint64_t place = emu_variable_place(function, variable);
  switch (variable->space) {
  case PTX_SPACE_SHARED:
    return draft_late(out, d->draft, EMU_LATE_SHARED, (uint32_t)place, addend, bytes, err);
  case PTX_SPACE_LOCAL:
    return draft_late(out, d->draft, EMU_LATE_LOCAL, 0, (int64_t)(place + (uint64_t)addend), bytes,
                      err);
  case PTX_SPACE_PARAM:
    if (variable->owner == PTX_OF_INPUTS && function->ptx->entry) break;
    return draft_late(out, d->draft, EMU_LATE_LOCAL, 0, (int64_t)(place + (uint64_t)addend), bytes,
                      err);
  default:
    break;
  }
  return emu_operand_constant(out, d, place + (uint64_t)addend, 0, bytes, err);
}

gg_status emu_operand_part(emu_operand *out, emu_decoder *d, int index, const ptx_operand *operand,
                           emu_type type, gg_error *err) {
  int bytes = lane_bytes_of_type(type);
  uint64_t bits;
  switch (operand->kind) {
  case PTX_REGISTER:
    return use_register(out, d, operand, index, type, err);
  case PTX_INTEGER:
    return emu_operand_constant(out, d, operand->value, 0, bytes, err);
  case PTX_FLOAT:
    if (!float_bits(&bits, operand, type)) {
      return bad_operand(d, operand, index, err, "a floating-point constant is not of this type");
    }
    return emu_operand_constant(out, d, bits, 0, bytes, err);
  case PTX_SPECIAL:
    return use_special(out, d, (ptx_special)operand->index, type, err);
  case PTX_VARIABLE:
    return use_variable(out, d, operand->variable, (int64_t)operand->value, bytes, err);
  case PTX_FUNCTION:
    bits = emu_function_address(d->draft->function->module, operand->function);
    return emu_operand_constant(out, d, bits, 0, bytes, err);
  default:
    return bad_operand(d, operand, index, err, "a value is needed");
  }
}

gg_status emu_operand_value(emu_operand *out, emu_decoder *d, int index, emu_type type,
                            gg_error *err) {
  const ptx_operand *operand = emu_operand_at(d, index);
  if (!operand) return bad_operand(d, NULL, index, err, "is missing");
  return emu_operand_part(out, d, index, operand, type, err);
}

gg_status emu_operand_vector(emu_operand *out, int *count, int most, emu_decoder *d, int index,
                             emu_type type, bool destination, gg_error *err) {
  const ptx_operand *operand = emu_operand_at(d, index);
  if (!operand) return bad_operand(d, NULL, index, err, "is missing");
  const ptx_operand *elements = operand->kind == PTX_VECTOR ? operand->elements : operand;
  uint32_t elements_count = operand->kind == PTX_VECTOR ? operand->element_count : 1;
  if (elements_count > (uint32_t)most) {
    return bad_operand(d, operand, index, err, "the vector has too many elements");
  }
  for (uint32_t i = 0; i < elements_count; i++) {
    const ptx_operand *element = &elements[i];
    gg_status st;
    if (destination && element->kind == PTX_SINK) {
      out[i] = (emu_operand){.sink = true, .lane_bytes = (uint8_t)lane_bytes_of_type(type)};
      continue;
    }
    if (destination && (element->kind != PTX_REGISTER || element->negated)) {
      return bad_operand(d, element, index, err, "a register is needed for the result");
    }
    if ((st = emu_operand_part(&out[i], d, index, element, type, err))) return st;
  }
  *count = (int)elements_count;
  return GG_OK;
}

gg_status emu_operand_address(emu_address *out, emu_decoder *d, int index, gg_error *err) {
  const ptx_operand *operand = emu_operand_at(d, index);
  if (!operand) return bad_operand(d, NULL, index, err, "is missing");
  if (operand->kind != PTX_ADDRESS) {
    return bad_operand(d, operand, index, err, "an address in brackets is needed");
  }
  gg_status st = GG_OK;
  out->offset = (int64_t)operand->value;
  switch (operand->base) {
  case PTX_REGISTER:
    st = use_register(&out->base, d, operand, index, EMU_NONE, err);
    if (!st && out->base.lane_bytes != 4 && out->base.lane_bytes != 8) {
      st = bad_operand(d, operand, index, err, "an address has 32 or 64 bits");
    }
    return st;
  case PTX_VARIABLE:
    return use_variable(&out->base, d, operand->variable, 0, 8, err);
  default:
    return emu_operand_constant(&out->base, d, 0, 0, 8, err);
  }
}

gg_status emu_operand_immediate(int64_t *out, emu_decoder *d, int index, gg_error *err) {
  const ptx_operand *operand = emu_operand_at(d, index);
  if (!operand) return bad_operand(d, NULL, index, err, "is missing");
  if (operand->kind != PTX_INTEGER) {
    return bad_operand(d, operand, index, err, "an integer constant is needed");
  }
  *out = (int64_t)operand->value;
  return GG_OK;
}
