/* Control flow: bra, brx.idx, ret, exit, trap, and instructions that only take time. (PTX ISA,
 * "Control Flow Instructions" and "Miscellaneous Instructions".)
 *
 * A branch parts the running split where lanes disagree; a branch whose targets are said to be
 * uniform (.uni) is not held to it. */
#include <inttypes.h>
#include <string.h>

#include "emu/decoder.h"
#include "emu/hazard/beside.h"
#include "emu/isa/lanes.h"
#include "emu/state.h"

/* ---- Branches --------------------------------------------------------------------------- */

/* Those whom the guard leaves out go on behind the op. */
static void leave_behind(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  uint32_t rest = warp->split->lanes & ~lanes;
  if (rest) emu_warp_jump(warp, rest, op->index + 1);
}

static emu_step branch(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  leave_behind(warp, op, lanes);
  warp->split->pc = op->target;
  return EMU_JUMP;
}

gg_status emu_decode_bra(emu_op *op, emu_decoder *d, gg_error *err) {
  emu_take(d, "uni");
  const ptx_operand *label = emu_operand_at(d, 0);
  if (!label || label->kind != PTX_LABEL) return emu_unknown_form(d, err, "no label");
  op->exec = branch;
  op->kind = EMU_KIND_CONTROL;
  op->flow = EMU_FLOW_BRANCH;
  op->target = emu_decoder_target(d, label);
  return emu_modifiers_end(d, err);
}

static emu_step branch_table(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_targets *targets = op->facts;
  const uint32_t *index = EMU_AT(const uint32_t, warp, &op->operands[0]);
  leave_behind(warp, op, lanes);
  EMU_EACH_LANE(lanes, lane) {
    if (index[lane] >= targets->count) {
      return emu_fault(warp, op, (int)lane, GG_E_EMU_BOUNDS,
                       "index %" PRIu32 " into a table of %" PRIu32 " labels", index[lane],
                       targets->count);
    }
  }
  for (uint32_t left = lanes; left;) {
    uint32_t first = index[__builtin_ctz(left)], same = 0;
    EMU_EACH_LANE(left, lane) {
      if (index[lane] == first) same |= UINT32_C(1) << lane;
    }
    left &= ~same;
    emu_warp_jump(warp, same, targets->ops[first]);
  }
  return EMU_JUMP;
}

gg_status emu_decode_brx(emu_op *op, emu_decoder *d, gg_error *err) {
  if (!emu_take(d, "idx")) return emu_unknown_form(d, err, "brx is brx.idx");
  emu_take(d, "uni");
  const ptx_operand *table = emu_operand_at(d, 1);
  if (!table || table->kind != PTX_TARGETS) return emu_unknown_form(d, err, "no table of labels");
  const ptx_targets *labels = emu_decoder_targets(d, table);
  emu_targets *targets = GG_ARENA_NEW(emu_decoder_arena(d), emu_targets);
  op->operands = GG_ARENA_NEW(emu_decoder_arena(d), emu_operand);
  if (!targets || !op->operands) return gg_fail(err, MEMORY, NULL, "");
  targets->count = labels->element_count;
  targets->ops = GG_ARENA_ARRAY(emu_decoder_arena(d), uint32_t, (size_t)targets->count + 1);
  if (!targets->ops) return gg_fail(err, MEMORY, NULL, "");
  for (uint32_t i = 0; i < targets->count; i++) {
    if (labels->elements[i].kind != PTX_LABEL) return emu_unknown_form(d, err, "no label");
    targets->ops[i] = emu_decoder_target(d, &labels->elements[i]);
  }
  op->exec = branch_table;
  op->kind = EMU_KIND_CONTROL;
  op->flow = EMU_FLOW_TABLE;
  op->facts = targets;
  op->operand_count = 1;
  gg_status st = emu_operand_value(&op->operands[0], d, 0, EMU_U32, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* ---- Ends ------------------------------------------------------------------------------- */

static emu_step leave(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  if (warp->split->lanes != lanes) warp->split->pc = op->index + 1;
  return emu_warp_exit(warp, lanes);
}

emu_step emu_exec_return(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_frame *frame = warp->split->frame;
  if (!frame->caller) return leave(warp, op, lanes);
  leave_behind(warp, op, lanes);
  emu_call_return(warp, frame, lanes);
  emu_warp_enter(warp, lanes, frame->caller, frame->call->index + 1);
  frame->lanes &= ~lanes;
  if (!frame->lanes) emu_frame_close(warp, frame);
  return EMU_JUMP;
}

gg_status emu_decode_ret(emu_op *op, emu_decoder *d, gg_error *err) {
  emu_take(d, "uni");
  op->exec = emu_exec_return;
  op->kind = EMU_KIND_CONTROL;
  op->flow = EMU_FLOW_END;
  return emu_modifiers_end(d, err);
}

gg_status emu_decode_exit(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = leave;
  op->kind = EMU_KIND_CONTROL;
  op->flow = EMU_FLOW_END;
  return emu_modifiers_end(d, err);
}

static emu_step trap(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  return emu_fault(warp, op, __builtin_ctz(lanes), GG_E_EMU_TRAP, "the kernel stopped itself");
}

gg_status emu_decode_trap(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = trap;
  op->kind = EMU_KIND_CONTROL;
  return emu_modifiers_end(d, err);
}

emu_step emu_exec_unknown(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  return emu_fault(warp, op, __builtin_ctz(lanes), GG_E_EMU_OPCODE, "the emulator has no opcode %s",
                   op->ptx->form->opcode);
}

/* ---- Time ------------------------------------------------------------------------------- */

static emu_step nothing(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)warp, (void)op, (void)lanes;
  return EMU_NEXT;
}

static emu_step pause_warp(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  emu_yield(warp);
  return EMU_NEXT;
}

gg_status emu_decode_nanosleep(emu_op *op, emu_decoder *d, gg_error *err) {
  emu_operand duration;
  if (emu_take_type(d) != EMU_U32) return emu_unknown_form(d, err, "nanosleep is .u32");
  op->exec = pause_warp;
  op->kind = EMU_KIND_CONTROL;
  gg_status st = emu_operand_value(&duration, d, 0, EMU_U32, err);
  return st ? st : emu_modifiers_end(d, err);
}

gg_status emu_decode_pmevent(emu_op *op, emu_decoder *d, gg_error *err) {
  emu_take(d, "mask");
  op->exec = nothing;
  op->kind = EMU_KIND_CONTROL;
  return emu_modifiers_end(d, err);
}

/* Launches run one after the other: there is nothing to wait for. What is done too early is found
 * all the same (hazard/beside.h). */
static emu_step wait_for_grids(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  emu_beside_wait(warp);
  return EMU_NEXT;
}

static emu_step let_grids_begin(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  (void)op, (void)lanes;
  emu_beside_trigger(warp);
  return EMU_NEXT;
}

gg_status emu_decode_griddepcontrol(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const actions[] = {"wait", "launch_dependents", NULL};
  int action = emu_take_word(d, actions);
  if (action < 0) return emu_unknown_form(d, err, "wait or launch_dependents");
  op->exec = action == 0 ? wait_for_grids : let_grids_begin;
  op->kind = EMU_KIND_CONTROL;
  return emu_modifiers_end(d, err);
}

/* The host is where brkpt would stop: a launch goes on. */
gg_status emu_decode_brkpt(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = nothing;
  op->kind = EMU_KIND_CONTROL;
  return emu_modifiers_end(d, err);
}

/* A special register that changes: who polls it sees time pass. */
emu_step emu_exec_live(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_operand *slot = &op->address.base;
  emu_progress(warp->cta->cluster);
  EMU_EACH_LANE(lanes, lane) {
    uint64_t value = emu_special_value(warp, (ptx_special)op->target, (int)lane);
    memcpy(warp->registers + slot->offset + lane * slot->lane_bytes, &value,
           slot->lane_bytes < 8 ? slot->lane_bytes : 8);
  }
  return EMU_NEXT;
}
