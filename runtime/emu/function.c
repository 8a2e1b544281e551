/* Decodes a function's body to ops.
 *
 * First registers get their places, the widest ones first, so that all are aligned. Then each
 * instruction becomes one op, with ops in front of it for the live special registers that it reads.
 * How many these are is known from the parsed text, so the op numbers of labels are known from the
 * start. An implicit return ends the body. */
#include <string.h>

#include "base/alloc.h"
#include "emu/decoder.h"

typedef struct opcode_row {
  const char *name;
  emu_decode *decode;
} opcode_row;

static const opcode_row opcodes[] = {
#define EMU_OPCODE(name, decode) {name, decode},
#include "opcodes.def"
#undef EMU_OPCODE
};

bool emu_special_is_live(ptx_special special) {
  return special >= PTX_SPECIAL_CLOCK && special <= PTX_SPECIAL_GLOBALTIMER_HI;
}

int emu_decoder_arch(const emu_decoder *d) {
  return emu_module_arch(d->draft->function->module);
}

/* Adds the next op to the draft, with what every op has. */
static emu_op *draft_op(emu_draft *draft, const ptx_instruction *ptx) {
  emu_op *op = &draft->ops[draft->op_count];
  *op = (emu_op){.index = draft->op_count++, .ptx = ptx, .guard = {.sink = true}};
  return op;
}

void emu_draft_live(emu_draft *draft, const ptx_instruction *ptx, const emu_operand *slot,
                    ptx_special special) {
  emu_op *op = draft_op(draft, ptx);
  op->exec = emu_exec_live;
  op->kind = EMU_KIND_MOVE;
  op->target = special;
  op->address.base = *slot;
}

/* How many live special registers there are among operands and their parts. */
static uint32_t count_live(const ptx_operand *operands, uint32_t count) {
  uint32_t live = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (operands[i].kind == PTX_SPECIAL) {
      live += emu_special_is_live((ptx_special)operands[i].index);
    }
    live += count_live(operands[i].elements, operands[i].element_count);
  }
  return live;
}

/* Where each instruction's ops start. */
static uint32_t *place_ops(const ptx_function *ptx) {
  uint32_t *first = gg_malloc(((size_t)ptx->instruction_count + 1) * sizeof(*first));
  uint32_t at = 0;
  for (uint32_t i = 0; first && i < ptx->instruction_count; i++) {
    first[i] = at;
    at += 1 + count_live(ptx->instructions[i].operands, ptx->instructions[i].operand_count);
  }
  if (first) first[ptx->instruction_count] = at;
  return first;
}

static gg_status place_registers(emu_function *function, gg_error *err) {
  const ptx_function *ptx = function->ptx;
  static const int widths[] = {128, 64, 32, 16, 1};
  gg_arena *arena = &function->module->arena;
  function->registers = GG_ARENA_ARRAY(arena, uint32_t, (size_t)ptx->register_count + 1);
  if (!function->registers) return gg_fail(err, MEMORY, NULL, "");
  uint64_t at = 0; /* at most PTX_REGISTERS_MAX of 512 bytes */
  for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
    int narrower = widths[w] == 1 ? 0 : widths[w] == 16 ? 1 : widths[w] / 2;
    for (uint32_t i = 0; i < ptx->register_count; i++) {
      int bits = emu_type_of(ptx->registers[i].type)->bits;
      if (bits > widths[w] || bits <= narrower) continue;
      function->registers[i] = (uint32_t)at;
      at += widths[w] == 1 ? 4 : (uint64_t)widths[w] / 8 * EMU_LANES;
    }
  }
  function->register_bytes = (uint32_t)((at + 63) & ~(uint64_t)63);
  return GG_OK;
}

static gg_status decode_guard(emu_op *op, const emu_decoder *d, gg_error *err) {
  const ptx_instruction *ptx = d->ptx;
  if (ptx->guard == PTX_NO_GUARD) return GG_OK;
  const emu_function *function = d->draft->function;
  if (function->ptx->registers[ptx->guard].type != EMU_PRED) {
    gg_mark mark = emu_mark_of(function->module, ptx);
    return gg_fail(err, EMU_OPERAND, &mark, ptx->form->text, 0, "the guard is no predicate");
  }
  op->guard =
      (emu_operand){.offset = function->registers[ptx->guard], .negated = ptx->guard_negated};
  return GG_OK;
}

/* An unknown opcode is a fault only when a kernel comes to it, so that the module's others run. */
static gg_status decode_unknown(emu_op *op, emu_decoder *d, gg_error *err) {
  (void)d, (void)err;
  op->exec = emu_exec_unknown;
  op->kind = EMU_KIND_CONTROL;
  return GG_OK;
}

static emu_decode *find_decoder(const char *opcode) {
  for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++) {
    if (!strcmp(opcodes[i].name, opcode)) return opcodes[i].decode;
  }
  return decode_unknown;
}

static gg_status decode_instruction(emu_draft *draft, const ptx_instruction *ptx, gg_error *err) {
  emu_decoder d = {.draft = draft, .ptx = ptx};
  if (ptx->form->modifier_count > EMU_MODIFIERS_MAX) {
    return emu_unknown_form(&d, err, "%u modifiers", ptx->form->modifier_count);
  }
  emu_op op = {.ptx = ptx, .guard = {.sink = true}};
  gg_status st = decode_guard(&op, &d, err);
  if (!st) st = find_decoder(ptx->form->opcode)(&op, &d, err);
  if (st) return st;
  op.index = draft->op_count;
  draft->ops[draft->op_count++] = op;
  return GG_OK;
}

/* Moves what the draft collected to the module's arena. */
static gg_status keep_draft(emu_draft *draft, gg_error *err) {
  emu_function *function = draft->function;
  gg_arena *arena = &function->module->arena;
  uint8_t *image = gg_arena_alloc(arena, (size_t)draft->image_bytes + 1);
  emu_late *late = GG_ARENA_ARRAY(arena, emu_late, (size_t)draft->late_count + 1);
  if (!image || !late) return gg_fail(err, MEMORY, NULL, "");
  if (draft->image_bytes) memcpy(image, draft->image, draft->image_bytes);
  if (draft->late_count) memcpy(late, draft->late, draft->late_count * sizeof(*late));
  function->image = image;
  function->late = late;
  function->late_count = draft->late_count;
  function->file_bytes = function->register_bytes + draft->image_bytes;
  function->ops = draft->ops;
  function->op_count = draft->op_count;
  return GG_OK;
}

gg_status emu_function_decode(emu_function *function, gg_error *err) {
  const ptx_function *ptx = function->ptx;
  emu_draft draft = {.function = function};
  gg_status st = place_registers(function, err);
  uint32_t *first = st ? NULL : place_ops(ptx);
  if (!st && !first) st = gg_fail(err, MEMORY, NULL, "");
  if (st) goto done;
  draft.first = first;
  size_t count = (size_t)first[ptx->instruction_count] + 1;
  draft.ops = GG_ARENA_ARRAY(&function->module->arena, emu_op, count);
  if (!draft.ops) st = gg_fail(err, MEMORY, NULL, "");
  for (uint32_t i = 0; !st && i < ptx->instruction_count; i++) {
    st = decode_instruction(&draft, &ptx->instructions[i], err);
  }
  if (st) goto done;
  emu_op *end = draft_op(&draft, NULL);
  end->exec = emu_exec_return;
  end->kind = EMU_KIND_CONTROL;
  end->flow = EMU_FLOW_END;
  st = keep_draft(&draft, err);
  if (!st) st = emu_function_flow(function, err);
done:
  gg_free(first);
  emu_draft_free(&draft);
  return st;
}
