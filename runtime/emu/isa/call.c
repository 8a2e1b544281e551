/* call: functions of the module, and the few that CUDA's runtime gives every kernel. (PTX ISA,
 * "call"; CUDA C++ Programming Guide, "Formatted Output", "Assertion".)
 *
 * A call opens a frame for the lanes that make it; arguments are copied into its parameters,
 * whether those are registers or memory, and what it returns is copied back by those who return.
 * Lanes that call different functions through a register go one function at a time. */
#include <inttypes.h>
#include <string.h>

#include "emu/decoder.h"
#include "emu/isa/lanes.h"
#include "emu/isa/print.h"
#include "emu/state.h"

/* An argument, or the place of what is returned: a .param variable of the caller, or a value. */
typedef struct argument {
  bool in_memory;
  uint64_t offset, bytes; /* of the variable, in the caller's locals */
  emu_operand operand;
} argument;

typedef struct call_facts {
  const emu_function *callee; /* NULL: `target` says */
  emu_operand target;
  argument *returns, *arguments;
  uint32_t return_count, argument_count;
} call_facts;

/* ---- Decoding --------------------------------------------------------------------------- */

static gg_status decode_list(argument **out, uint32_t *count, emu_decoder *d, int index,
                             ptx_variable *const *formals, uint32_t formal_count, gg_error *err) {
  const emu_function *function = d->draft->function;
  const ptx_operand *list = emu_operand_at(d, index);
  *count = list->kind == PTX_LIST ? list->element_count : 0;
  if (*count != formal_count) {
    return emu_unknown_form(d, err, "%u values in operand %d, the function has %u", *count,
                            index + 1, formal_count);
  }
  *out = GG_ARENA_ARRAY(emu_decoder_arena(d), argument, (size_t)*count + 1);
  if (!*out) return gg_fail(err, MEMORY, NULL, "");
  for (uint32_t i = 0; i < *count; i++) {
    const ptx_operand *element = &list->elements[i];
    argument *a = &(*out)[i];
    if (element->kind == PTX_VARIABLE && element->variable->space == PTX_SPACE_PARAM) {
      a->in_memory = true;
      a->offset = emu_variable_place(function, element->variable) + element->value;
      a->bytes = element->variable->bytes;
      bool kernels = function->ptx->entry && element->variable->owner == PTX_OF_INPUTS;
      if (kernels || element->value) return emu_unknown_form(d, err, "a kernel's parameter");
      continue;
    }
    gg_status st = emu_operand_part(&a->operand, d, index, element, formals[i]->type, err);
    if (st) return st;
    if (!a->operand.lane_bytes) return emu_unknown_form(d, err, "a predicate as argument");
  }
  return GG_OK;
}

static emu_step call(emu_warp *warp, const emu_op *op, uint32_t lanes);

gg_status emu_decode_call(emu_op *op, emu_decoder *d, gg_error *err) {
  const emu_module *module = d->draft->function->module;
  const ptx_operand *who = emu_operand_at(d, 1), *how = emu_operand_at(d, 3);
  call_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), call_facts);
  gg_status st = GG_OK;
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  if (emu_operand_count(d) != 4) return emu_unknown_form(d, err, "no function");
  emu_take(d, "uni");
  ptx_variable *const *returns = NULL, *const *inputs = NULL;
  uint32_t return_count = 0, input_count = 0;
  if (who->kind == PTX_FUNCTION) {
    const ptx_function *ptx = who->function->alias ? who->function->alias : who->function;
    if (ptx->entry) return emu_unknown_form(d, err, "%s is a kernel", ptx->name);
    facts->callee = &module->functions[ptx->index];
    returns = ptx->returns, return_count = ptx->return_count;
    inputs = ptx->inputs, input_count = ptx->input_count;
  } else if (how->kind == PTX_PROTOTYPE) {
    const ptx_prototype *prototype = &emu_decoder_function(d)->prototypes[how->index];
    returns = prototype->returns, return_count = prototype->return_count;
    inputs = prototype->inputs, input_count = prototype->input_count;
  } else if (how->kind == PTX_TARGETS && emu_decoder_targets(d, how)->element_count &&
             emu_decoder_targets(d, how)->elements[0].kind == PTX_FUNCTION) {
    const ptx_function *ptx = emu_decoder_targets(d, how)->elements[0].function;
    returns = ptx->returns, return_count = ptx->return_count;
    inputs = ptx->inputs, input_count = ptx->input_count;
  } else {
    return emu_unknown_form(d, err, "an indirect call needs a prototype");
  }
  if (!facts->callee) st = emu_operand_value(&facts->target, d, 1, EMU_U64, err);
  if (!st) {
    st = decode_list(&facts->returns, &facts->return_count, d, 0, returns, return_count, err);
  }
  if (!st) {
    st = decode_list(&facts->arguments, &facts->argument_count, d, 2, inputs, input_count, err);
  }
  op->exec = call;
  op->kind = EMU_KIND_CONTROL;
  op->flow = EMU_FLOW_CALL;
  op->facts = facts;
  return st ? st : emu_modifiers_end(d, err);
}

/* ---- Values between frames -------------------------------------------------------------- */

/* Where a lane's value of an argument is, in the caller's frame. */
static uint8_t *argument_at(const emu_frame *frame, const argument *a, uint32_t lane,
                            uint64_t *bytes) {
  if (a->in_memory) {
    *bytes = a->bytes;
    return frame->locals.bytes + lane * frame->function->local_bytes + a->offset;
  }
  *bytes = a->operand.lane_bytes;
  return frame->registers + a->operand.offset + (size_t)lane * a->operand.lane_bytes;
}

/* Where a lane's value of a parameter is, in the frame of the function that declares it. */
static uint8_t *formal_at(const emu_frame *frame, const ptx_variable *formal, uint32_t lane,
                          uint64_t *bytes) {
  const emu_function *function = frame->function;
  if (formal->space == PTX_SPACE_REG) {
    int type_bytes = emu_type_bytes(function->ptx->registers[formal->reg].type);
    *bytes = (uint64_t)(type_bytes < 2 ? 2 : type_bytes);
    return frame->registers + function->registers[formal->reg] + (size_t)lane * *bytes;
  }
  *bytes = formal->bytes;
  return frame->locals.bytes + lane * function->local_bytes + emu_variable_place(function, formal);
}

static void pass_arguments(const emu_frame *caller, emu_frame *callee, const call_facts *facts,
                           uint32_t lanes) {
  for (uint32_t i = 0; i < facts->argument_count; i++) {
    EMU_EACH_LANE(lanes, lane) {
      uint64_t from_bytes, to_bytes;
      const uint8_t *from = argument_at(caller, &facts->arguments[i], lane, &from_bytes);
      uint8_t *to = formal_at(callee, callee->function->ptx->inputs[i], lane, &to_bytes);
      memcpy(to, from, (size_t)(from_bytes < to_bytes ? from_bytes : to_bytes));
    }
  }
}

void emu_call_return(emu_warp *warp, const emu_frame *frame, uint32_t lanes) {
  const call_facts *facts = frame->call->facts;
  (void)warp;
  for (uint32_t i = 0; i < facts->return_count; i++) {
    if (!facts->returns[i].in_memory && facts->returns[i].operand.sink) continue;
    EMU_EACH_LANE(lanes, lane) {
      uint64_t from_bytes, to_bytes;
      const uint8_t *from = formal_at(frame, frame->function->ptx->returns[i], lane, &from_bytes);
      uint8_t *to = argument_at(frame->caller, &facts->returns[i], lane, &to_bytes);
      memcpy(to, from, (size_t)(from_bytes < to_bytes ? from_bytes : to_bytes));
    }
  }
}

/* ---- What has no body ------------------------------------------------------------------- */

/* A lane's argument as an integer; 0 where there is none. */
static uint64_t argument_value(const emu_frame *frame, const call_facts *facts, uint32_t i,
                               uint32_t lane) {
  uint64_t value = 0, bytes;
  if (i >= facts->argument_count) return 0;
  const uint8_t *at = argument_at(frame, &facts->arguments[i], lane, &bytes);
  memcpy(&value, at, (size_t)(bytes < 8 ? bytes : 8));
  return value;
}

static emu_step call_printf(emu_warp *warp, const emu_op *op, const call_facts *facts,
                            uint32_t lanes) {
  const emu_frame *frame = warp->split->frame;
  gg_str text = GG_STR_INIT;
  emu_step step = EMU_NEXT;
  EMU_EACH_LANE(lanes, lane) {
    uint32_t printed = 0;
    if (!emu_print_lane(&text, &printed, warp, op, (int)lane, argument_value(frame, facts, 0, lane),
                        argument_value(frame, facts, 1, lane))) {
      step = EMU_FAULT;
      break;
    }
    if (!facts->return_count) continue;
    uint64_t bytes;
    uint8_t *to = argument_at(frame, &facts->returns[0], lane, &bytes);
    memcpy(to, &printed, (size_t)(bytes < 4 ? bytes : 4));
  }
  emu_print(warp, &text);
  gg_str_free(&text);
  return step;
}

/* __assertfail(message, file, line, function, character size) */
static emu_step call_assert(emu_warp *warp, const emu_op *op, const call_facts *facts,
                            uint32_t lanes) {
  const emu_frame *frame = warp->split->frame;
  uint32_t lane = (uint32_t)__builtin_ctz(lanes);
  gg_str text = GG_STR_INIT;
  gg_str *parts = &text;
  emu_step step = EMU_FAULT;
  if (emu_read_text(parts, warp, op, (int)lane, argument_value(frame, facts, 1, lane))) {
    gg_str_printf(parts, ":%" PRIu32 ": ", (uint32_t)argument_value(frame, facts, 2, lane));
    if (emu_read_text(parts, warp, op, (int)lane, argument_value(frame, facts, 3, lane))) {
      gg_str_puts(parts, ": assertion failed: ");
      if (emu_read_text(parts, warp, op, (int)lane, argument_value(frame, facts, 0, lane))) {
        step = emu_fault(warp, op, (int)lane, GG_E_EMU_TRAP, "%s", gg_str_text(parts));
      }
    }
  }
  gg_str_free(&text);
  return step;
}

static emu_step call_system(emu_warp *warp, const emu_op *op, const call_facts *facts,
                            const emu_function *callee, uint32_t lanes) {
  const char *name = callee->ptx->name;
  if (!strcmp(name, "vprintf")) return call_printf(warp, op, facts, lanes);
  if (!strcmp(name, "__assertfail")) return call_assert(warp, op, facts, lanes);
  return emu_fault(warp, op, __builtin_ctz(lanes), GG_E_EMU_TRAP,
                   "calls %s, which has no body here", name);
}

/* ---- Calling ---------------------------------------------------------------------------- */

static emu_step call_one(emu_warp *warp, const emu_op *op, const emu_function *callee,
                         uint32_t lanes) {
  const call_facts *facts = op->facts;
  emu_frame *frame = warp->split->frame;
  int first = __builtin_ctz(lanes);
  if (!callee->ops) {
    emu_step step = call_system(warp, op, facts, callee, lanes);
    if (step == EMU_NEXT) emu_warp_jump(warp, lanes, op->index + 1);
    return step;
  }
  if (callee->ptx->input_count != facts->argument_count ||
      callee->ptx->return_count != facts->return_count) {
    return emu_fault(warp, op, first, GG_E_EMU_TRAP, "calls %s, which has other parameters",
                     callee->ptx->name);
  }
  if (frame->depth + 1 >= EMU_FRAMES_MAX) {
    return emu_fault(warp, op, first, GG_E_EMU_TRAP, "calls %s, the %dth function in one another",
                     callee->ptx->name, EMU_FRAMES_MAX);
  }
  emu_frame *callees = emu_frame_open(warp, callee, frame, op, lanes);
  if (!callees) return emu_fault(warp, op, first, GG_E_EMU_TRAP, "no memory for a call");
  pass_arguments(frame, callees, facts, lanes);
  emu_warp_enter(warp, lanes, callees, 0);
  return EMU_NEXT;
}

static emu_step call(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const call_facts *facts = op->facts;
  const emu_module *module = warp->split->frame->function->module;
  const uint64_t *target = EMU_AT(const uint64_t, warp, &facts->target);
  uint32_t rest = warp->split->lanes & ~lanes;
  if (rest) emu_warp_jump(warp, rest, op->index + 1);
  while (lanes) {
    const emu_function *callee = facts->callee;
    uint32_t same = callee ? lanes : 0;
    int first = __builtin_ctz(lanes);
    if (!callee) {
      EMU_EACH_LANE(lanes, lane) {
        if (target[lane] == target[first]) same |= UINT32_C(1) << lane;
      }
      callee = emu_function_at(module, target[first]);
      if (!callee || callee->ptx->entry) {
        return emu_fault(warp, op, first, GG_E_EMU_BOUNDS, "no function is at 0x%" PRIx64,
                         target[first]);
      }
    }
    lanes &= ~same;
    if (call_one(warp, op, callee, same) == EMU_FAULT) return EMU_FAULT;
  }
  return EMU_JUMP;
}
