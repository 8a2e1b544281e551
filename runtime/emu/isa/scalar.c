/* Finding the row of a scalar instruction (scalar.h). */
#include "emu/isa/scalar.h"

#include <string.h>

#include "emu/number/float.h"

emu_step emu_exec_nothing(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)warp, (void)op, (void)lanes;
  return EMU_NEXT;
}

/* ---- Modifiers ----------------------------------------------------------------------------- */

static const struct {
  const char *word;
  unsigned how;
} modifiers[EMU_MODIFIER_COUNT] = {
#define EMU_MODIFIER(word, name, how) {word, how},
#include "emu/isa/modifiers.def"
#undef EMU_MODIFIER
};

#define ROUNDINGS                                                                                  \
  (M(RN) | M(RZ) | M(RM) | M(RP) | M(RNA) | M(RS) | M(RNI) | M(RZI) | M(RMI) | M(RPI))

gg_status emu_take_scalar_modifiers(emu_scalar_facts *out, emu_decoder *d, gg_error *err) {
  *out = (emu_scalar_facts){0};
  for (int i = 0; i < EMU_MODIFIER_COUNT; i++) {
    if (!emu_take(d, modifiers[i].word)) continue;
    out->modifiers |= (uint64_t)1 << i;
    out->how |= modifiers[i].how;
  }
  uint64_t rounding = out->modifiers & ROUNDINGS;
  if (rounding & (rounding - 1)) return emu_unknown_form(d, err, "two rounding modes");
  if (rounding) out->modifiers |= M(ROUNDED);
  return GG_OK;
}

/* ---- Operands ------------------------------------------------------------------------------ */

gg_status emu_operands_are(emu_decoder *d, int count, gg_error *err) {
  int written = emu_operand_count(d);
  if (written == count) return GG_OK;
  return emu_unknown_form(d, err, "%d operands; it takes %d", written, count);
}

gg_status emu_operand_results(emu_operand out[2], int *count, emu_decoder *d, int index,
                              emu_type first, emu_type second, gg_error *err) {
  const ptx_operand *operand = emu_operand_at(d, index);
  *count = 1;
  if (!operand || operand->kind != PTX_PAIR) {
    return emu_operand_register(out, d, index, first, err);
  }
  *count = 2;
  for (int i = 0; i < 2; i++) {
    const ptx_operand *part = &operand->elements[i];
    if (part->kind == PTX_SINK) {
      out[i] = (emu_operand){.sink = true};
    } else if (part->kind != PTX_REGISTER || part->negated) {
      return emu_unknown_form(d, err, "its results are registers");
    } else {
      gg_status st = emu_operand_part(&out[i], d, index, part, i ? second : first, err);
      if (st) return st;
    }
  }
  return GG_OK;
}

gg_status emu_op_room(emu_op *op, emu_decoder *d, int operands, void **facts, size_t facts_bytes,
                      gg_error *err) {
  gg_arena *arena = emu_decoder_arena(d);
  op->operands = gg_arena_alloc(arena, (size_t)operands * sizeof *op->operands);
  op->operand_count = (uint16_t)operands;
  *facts = gg_arena_alloc(arena, facts_bytes);
  op->facts = *facts;
  return op->operands && *facts ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

/* The untyped type of twice the width. */
static emu_type wider(emu_type type) {
  return emu_type_of(type)->bits == 16 ? EMU_B32 : EMU_B64;
}

static gg_status take_operand(emu_operand *out, emu_decoder *d, int index, char letter,
                              emu_type type, emu_type type2, gg_error *err) {
  switch (letter) {
  case 'd':
    return emu_operand_register(out, d, index, type, err);
  case 'D':
    return emu_operand_register(out, d, index, wider(type), err);
  case 'U':
    return emu_operand_register(out, d, index, EMU_B32, err);
  case 'P':
    return emu_operand_register(out, d, index, EMU_PRED, err);
  case 'A':
    return emu_operand_value(out, d, index, wider(type), err);
  case 'u':
    return emu_operand_value(out, d, index, EMU_U32, err);
  case 'h':
    return emu_operand_value(out, d, index, EMU_B16, err);
  case 'x':
    return emu_operand_value(out, d, index, type2, err);
  case 'p':
    return emu_operand_value(out, d, index, EMU_PRED, err);
  case 'C':
    /* A constant that nobody else can ask for is a place that only the carry has; it starts as 0
     * with every frame. */
    return emu_operand_constant(out, d, 0, UINT64_MAX, 0, err);
  default:
    return emu_operand_value(out, d, index, type, err);
  }
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static bool fits(const emu_form *form, const char *opcode, emu_type type, emu_type type2,
                 uint64_t modifiers_there, int operands) {
  int written = (int)strcspn(form->operands, "C");
  bool types = (form->types >> type & 1) &&
               (form->types2 ? type2 != EMU_NONE && (form->types2 >> type2 & 1) : !type2);
  bool allowed = (modifiers_there & form->needs) == form->needs &&
                 (modifiers_there & ~(form->allows | M(ROUNDED))) == 0;
  return types && allowed && operands == written && !strcmp(form->opcode, opcode);
}

typedef struct row_family {
  const emu_form_table *table;
  emu_kind kind;
} row_family;

/* The tables that the host runs best. */
static const row_family *families(size_t *count) {
  static const row_family any[] = {{&emu_integer_forms, EMU_KIND_INTEGER},
                                   {&emu_logic_forms, EMU_KIND_INTEGER},
                                   {&emu_float_forms, EMU_KIND_FLOAT},
                                   {&emu_packed_forms, EMU_KIND_CONVERT}};
  *count = sizeof any / sizeof *any;
#ifdef EMU_HAVE_WIDE
  static const row_family wide[] = {{&emu_integer_forms_wide, EMU_KIND_INTEGER},
                                    {&emu_logic_forms_wide, EMU_KIND_INTEGER},
                                    {&emu_float_forms_wide, EMU_KIND_FLOAT},
                                    {&emu_packed_forms_wide, EMU_KIND_CONVERT}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return wide;
#endif
  return any;
}

static const emu_form *find(emu_kind *kind, const char *opcode, emu_type type, emu_type type2,
                            uint64_t modifiers_there, int operands) {
  size_t count;
  const row_family *family = families(&count);
  for (size_t t = 0; t < count; t++) {
    for (size_t i = 0; i < family[t].table->count; i++) {
      const emu_form *form = &family[t].table->forms[i];
      if (form->opcode[0] != opcode[0]) continue;
      if (fits(form, opcode, type, type2, modifiers_there, operands)) {
        *kind = family[t].kind;
        return form;
      }
    }
  }
  return NULL;
}

emu_exec *emu_row_exec(const char *opcode, const emu_scalar_facts *facts, emu_type type,
                       emu_type type2, int operands) {
  emu_kind kind;
  const emu_form *form = find(&kind, opcode, type, type2, facts->modifiers, operands);
  return form ? form->exec : NULL;
}

gg_status emu_decode_row(emu_op *op, emu_decoder *d, const emu_scalar_facts *facts, emu_type type,
                         emu_type type2, gg_error *err) {
  gg_status st;
  emu_kind kind;
  const ptx_form *ptx = emu_decoder_ptx(d)->form;
  const emu_form *form =
      find(&kind, ptx->opcode, type, type2, facts->modifiers, emu_operand_count(d));
  if (!form) {
    return emu_unknown_form(d, err, "no form of %s has these modifiers and types (operands: %d)",
                            ptx->opcode, emu_operand_count(d));
  }
  void *room;
  int count = (int)strlen(form->operands);
  if ((st = emu_op_room(op, d, count, &room, sizeof *facts, err))) return st;
  memcpy(room, facts, sizeof *facts);
  for (int i = 0; i < count; i++) {
    st = take_operand(&op->operands[i], d, i, form->operands[i], type, type2, err);
    if (st) return st;
  }
  bool only_result = form->operands[0] != 'P' && form->operands[count - 1] != 'C';
  op->exec = op->operands[0].sink && only_result ? emu_exec_nothing : form->exec;
  op->kind = (uint8_t)kind;
  op->type = (uint8_t)type;
  return GG_OK;
}

gg_status emu_decode_scalar(emu_op *op, emu_decoder *d, gg_error *err) {
  gg_status st;
  emu_scalar_facts facts;
  emu_type type = emu_take_type(d), type2 = emu_take_type(d);
  if ((st = emu_take_scalar_modifiers(&facts, d, err))) return st;
  if ((st = emu_modifiers_end(d, err))) return st;
  if (type == EMU_NONE) return emu_unknown_form(d, err, "it names no type");
  return emu_decode_row(op, d, &facts, type, type2, err);
}
