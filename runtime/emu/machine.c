/* Warps: lanes that run instructions, together if they can.
 *
 * The lanes of a warp are divided into splits, each at one op of one frame. One split runs at a
 * time. When lanes branch to different ops, the split is divided. A split that comes to a leader
 * takes in other splits that are there, and gives way to one that is behind it in the order of
 * flow.c, so that lanes meet again where control flow joins. That is a preference, not a rule: a
 * split that waits, yields or has had slice_most instructions while others could run is deferred
 * until those have had their turn. So every lane makes progress (PTX ISA, "Independent Thread
 * Scheduling"), and a lane may spin on what another lane of its warp will write.
 *
 * Invariants: the lanes of used splits are disjoint, and together are `alive`. A frame's lanes are
 * those of the splits in it and in what it called. `registers` is the running split's file. */
#include <stdarg.h>
#include <string.h>

#include "emu/async.h"
#include "emu/state.h"
#include "emu/unit.h"

enum { slice_most = 4096 };

static uint32_t slot_bit(const struct emu_warp_state *state, const emu_split *split) {
  return UINT32_C(1) << (split - state->splits);
}

uint32_t emu_predicate(const emu_warp *warp, const emu_operand *operand) {
  uint32_t value = *EMU_AT(const uint32_t, warp, operand);
  return operand->negated ? ~value : value;
}

void emu_set_predicate(emu_warp *warp, const emu_operand *operand, uint32_t lanes, uint32_t value) {
  if (operand->sink) return;
  uint32_t *at = EMU_AT(uint32_t, warp, operand);
  *at = (*at & ~lanes) | (value & lanes);
}

void emu_addresses(uint64_t out[EMU_LANES], const emu_warp *warp, const emu_address *address) {
  if (address->base.lane_bytes == 4) {
    const uint32_t *base = EMU_AT(const uint32_t, warp, &address->base);
    for (int lane = 0; lane < EMU_LANES; lane++) {
      out[lane] = base[lane] + (uint32_t)address->offset;
    }
    return;
  }
  const uint64_t *base = EMU_AT(const uint64_t, warp, &address->base);
  for (int lane = 0; lane < EMU_LANES; lane++) {
    out[lane] = base[lane] + (uint64_t)address->offset;
  }
}

/* ---- Splits ----------------------------------------------------------------------------- */

static void run_split(emu_warp *warp, emu_split *split) {
  if (split != warp->split) warp->state->slice = 0;
  warp->split = split;
  warp->registers = split->frame->registers;
}

static emu_split *new_split(struct emu_warp_state *state, uint32_t lanes, emu_frame *frame,
                            uint32_t pc) {
  int slot = __builtin_ctz(~state->used);
  state->used |= UINT32_C(1) << slot;
  state->ready |= UINT32_C(1) << slot;
  state->deferred &= ~(UINT32_C(1) << slot);
  state->splits[slot] = (emu_split){.lanes = lanes, .pc = pc, .frame = frame};
  return &state->splits[slot];
}

static void free_split(struct emu_warp_state *state, const emu_split *split) {
  uint32_t bit = slot_bit(state, split);
  state->used &= ~bit;
  state->ready &= ~bit;
  state->deferred &= ~bit;
}

emu_split *emu_warp_split(emu_warp *warp, uint32_t lanes) {
  emu_split *split = warp->split;
  split->lanes &= ~lanes;
  return new_split(warp->state, lanes, split->frame, split->pc);
}

/* The op that a split is at in the frame at `depth` (0 is the kernel's), which may be a call. */
static uint32_t place_at(const emu_split *split, const emu_frame **frame, uint32_t depth) {
  uint32_t pc = split->pc;
  *frame = split->frame;
  while ((*frame)->depth > depth) {
    pc = (*frame)->call->index;
    *frame = (*frame)->caller;
  }
  return pc;
}

/* Whether `a` is behind `b` in the flow of the innermost frame that both are in. */
static bool runs_before(const emu_split *a, const emu_split *b) {
  uint32_t depth = a->frame->depth < b->frame->depth ? a->frame->depth : b->frame->depth;
  const emu_frame *frame_a, *frame_b;
  uint32_t pc_a = place_at(a, &frame_a, depth), pc_b = place_at(b, &frame_b, depth);
  while (frame_a != frame_b) {
    pc_a = frame_a->call->index;
    pc_b = frame_b->call->index;
    frame_a = frame_a->caller;
    frame_b = frame_b->caller;
  }
  const uint32_t *order = frame_a->function->order;
  return order[pc_a] < order[pc_b];
}

/* Chooses the split to run; false if all wait. */
static bool choose(emu_warp *warp) {
  struct emu_warp_state *state = warp->state;
  uint32_t candidates = state->ready & ~state->deferred;
  if (!candidates) {
    state->deferred = 0;
    candidates = state->ready;
    if (!candidates) return false;
  }
  emu_split *best = &state->splits[__builtin_ctz(candidates)];
  for (candidates &= candidates - 1; candidates; candidates &= candidates - 1) {
    emu_split *split = &state->splits[__builtin_ctz(candidates)];
    if (runs_before(split, best)) best = split;
  }
  run_split(warp, best);
  return true;
}

/* Called at a leader: takes in splits that are here, too, and gives way to those behind. */
static void meet(emu_warp *warp) {
  struct emu_warp_state *state = warp->state;
  emu_split *split = warp->split;
  uint32_t others = state->ready & ~slot_bit(state, split);
  for (; others; others &= others - 1) {
    emu_split *other = &state->splits[__builtin_ctz(others)];
    if (other->frame != split->frame || other->pc != split->pc) continue;
    split->lanes |= other->lanes;
    free_split(state, other);
  }
  others = state->ready & ~state->deferred & ~slot_bit(state, split);
  if (others && state->slice > slice_most) {
    state->deferred |= slot_bit(state, split);
    choose(warp);
    return;
  }
  emu_split *best = split;
  for (; others; others &= others - 1) {
    emu_split *other = &state->splits[__builtin_ctz(others)];
    if (runs_before(other, best)) best = other;
  }
  if (best != split) run_split(warp, best);
}

void emu_warp_jump(emu_warp *warp, uint32_t lanes, uint32_t pc) {
  emu_split *split = warp->split;
  if (lanes != split->lanes) split = emu_warp_split(warp, lanes);
  split->pc = pc;
}

void emu_warp_enter(emu_warp *warp, uint32_t lanes, emu_frame *frame, uint32_t pc) {
  emu_split *split = warp->split;
  if (lanes != split->lanes) split = emu_warp_split(warp, lanes);
  split->frame = frame;
  split->pc = pc;
  if (split == warp->split) warp->registers = frame->registers;
}

void emu_warp_retry(emu_warp *warp) {
  struct emu_warp_state *state = warp->state;
  for (uint32_t slots = state->used & ~state->ready; slots; slots &= slots - 1) {
    emu_split *split = &state->splits[__builtin_ctz(slots)];
    if (split->waits_for != state) continue;
    split->waits_for = NULL;
    state->ready |= slot_bit(state, split);
  }
}

emu_step emu_warp_exit(emu_warp *warp, uint32_t lanes) {
  struct emu_warp_state *state = warp->state;
  emu_split *split = warp->split;
  emu_cta *cta = warp->cta;
  warp->alive &= ~lanes;
  for (emu_frame *frame = split->frame, *caller; frame; frame = caller) {
    caller = frame->caller;
    frame->lanes &= ~lanes;
    if (!frame->lanes) emu_frame_close(warp, frame);
  }
  split->lanes &= ~lanes;
  if (!split->lanes) free_split(state, split);
  emu_warp_retry(warp);
  emu_units_lanes_exit(warp);
  emu_progress(cta->cluster);
  if (warp->alive) return EMU_JUMP;
  atomic_store_explicit(&cta->cluster->run->state->steps, 0, memory_order_relaxed);
  cta->cluster->state->live_warps--;
  if (--cta->state->live_warps) return EMU_JUMP;
  cta->cluster->counters->ctas++;
  return emu_engine_cta_exit(cta) && emu_units_cta_exit(cta) ? EMU_JUMP : EMU_FAULT;
}

/* ---- Turns ------------------------------------------------------------------------------ */

/* Does what follows if `lanes` have not simply done an instruction; false ends the turn. If it
 * waits, the lanes that its guard has left out (`out`) go on. All others of the split wait,
 * including those that emu_converge has taken in. */
static bool settle(emu_warp *warp, const emu_op *op, uint32_t lanes, uint32_t out, emu_step step) {
  struct emu_warp_state *state = warp->state;
  if (step == EMU_FAULT) return false;
  if (step == EMU_JUMP) {
    emu_count(warp->cta->cluster->counters, op, lanes);
    if (state->used & slot_bit(state, warp->split)) return true;
    return choose(warp);
  }
  if (out) emu_warp_split(warp, out)->pc = op->index + 1;
  state->ready &= ~slot_bit(state, warp->split);
  return choose(warp);
}

/* Makes the running split yield; false if all others that can run have had their turn. */
static bool give_way(emu_warp *warp) {
  struct emu_warp_state *state = warp->state;
  state->deferred |= slot_bit(state, warp->split) & state->used;
  if (!(state->ready & ~state->deferred)) return false;
  state->yielded = false;
  return choose(warp);
}

/* Whether the launch has run too long without the end of any warp. So a large grid alone does not
 * make a kernel endless, and an endless one is found equally soon in any grid. */
static bool endless(emu_warp *warp, const emu_op *op) {
  emu_run *run = warp->cta->cluster->run;
  int64_t most = run->options->max_steps;
  long long ran = steps_counted + atomic_fetch_add_explicit(&run->state->steps, steps_counted,
                                                            memory_order_relaxed);
  if (most < 0 || ran <= most) return false;
  emu_fault(warp, op, -1, GG_E_EMU_ENDLESS,
            "more than %lld instructions in which no warp of the launch has ended",
            (long long)most);
  return true;
}

void emu_warp_turn(emu_warp *warp, uint32_t budget) {
  struct emu_warp_state *state = warp->state;
  emu_cluster *cluster = warp->cta->cluster;
  emu_counters *counters = cluster->counters;
  state->yielded = false;
  if (!choose(warp)) return;
  for (uint32_t left = budget; left; left--) {
    emu_split *split = warp->split;
    const emu_op *ops = split->frame->function->ops;
    const emu_op *op = &ops[split->pc];
    uint32_t lanes = split->lanes, out = 0;
    emu_step step = EMU_NEXT;
    if (!op->guard.sink) {
      lanes &= emu_predicate(warp, &op->guard);
      out = split->lanes & ~lanes;
    }
    cluster->time++;
    if (lanes && warp->asked) step = emu_units_admit(warp, op);
    if (lanes && step == EMU_NEXT) step = op->exec(warp, op, lanes);
    if (step == EMU_NEXT) {
      if (lanes) emu_count(counters, op, warp->split->lanes & ~out);
      warp->split->pc = op->index + 1;
    } else if (!settle(warp, op, lanes, out, step)) {
      break;
    }
    if (state->used & (state->used - 1)) {
      state->slice++;
      split = warp->split;
      if (step != EMU_NEXT || split->frame->function->ops[split->pc].leader) meet(warp);
    }
    if (state->yielded && !give_way(warp)) break;
    if (!(++state->steps % steps_counted) && endless(warp, op)) break;
  }
}

/* ---- Waiting ---------------------------------------------------------------------------- */

emu_step emu_block(emu_warp *warp, const void *object, const char *why) {
  warp->split->waits_for = object;
  warp->split->why = why;
  return EMU_WAIT;
}

void emu_wake(emu_cluster *cluster, const void *object) {
  for (unsigned c = 0; c < cluster->cta_count; c++) {
    emu_cta *cta = &cluster->ctas[c];
    for (int w = 0; w < cta->warp_count; w++) {
      struct emu_warp_state *state = cta->warps[w].state;
      bool woken = false;
      for (uint32_t slots = state->used & ~state->ready; slots; slots &= slots - 1) {
        emu_split *split = &state->splits[__builtin_ctz(slots)];
        if (split->waits_for != object) continue;
        split->waits_for = NULL;
        state->ready |= slot_bit(state, split);
        woken = true;
      }
      if (woken) emu_cluster_queue(&cta->warps[w]);
    }
  }
  emu_progress(cluster);
}

void emu_yield(emu_warp *warp) {
  warp->state->yielded = true;
}

bool emu_converge(emu_warp *warp, const emu_op *op, uint32_t members, uint32_t *lanes) {
  struct emu_warp_state *state = warp->state;
  emu_split *split = warp->split;
  uint32_t here = split->lanes, others = 0;
  if (!op->guard.sink) here &= emu_predicate(warp, &op->guard);
  members &= warp->alive;
  *lanes = members;
  if (!(members & ~here)) return true;
  for (uint32_t slots = state->used & ~state->ready; slots; slots &= slots - 1) {
    const emu_split *other = &state->splits[__builtin_ctz(slots)];
    if (other->waits_for != state || other->frame != split->frame || other->pc != split->pc) {
      continue;
    }
    if (!(other->lanes & ~members)) others |= slot_bit(state, other), here |= other->lanes;
  }
  if (members & ~here) {
    emu_block(warp, state, op->ptx->form->text);
    return false;
  }
  for (; others; others &= others - 1) {
    emu_split *other = &state->splits[__builtin_ctz(others)];
    split->lanes |= other->lanes;
    free_split(state, other);
  }
  return true;
}
