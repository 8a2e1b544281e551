/* Registers of wgmmas in flight, and what wgmma.fence orders.
 *
 * Accumulators that a wgmma in flight is to write belong to it. Accesses of other instructions to
 * registers that were accumulators must be followed by wgmma.fence before the next wgmma uses
 * them. `mov` counts neither way: see wgmma.h. */
#include <string.h>

#include "base/alloc.h"
#include "emu/frame.h"
#include "emu/hazard.h"
#include "emu/isa/wgmma.h"

struct emu_wgmma *emu_wgmma_of(emu_warp *warp, const emu_op *op) {
  struct emu_wgmma *w = emu_unit_of_warp(warp, op, EMU_UNIT_ID_WGMMA);
  if (w && !w->end) w->end = &w->first;
  return w;
}

/* What has started has gone with the engine. */
static void close_warp(void *state) {
  struct emu_wgmma *w = state;
  for (emu_wgmma_work *next, *work = w->unstarted; work; work = next) {
    next = work->next;
    gg_free(work);
  }
  gg_free(w->b.values);
  gg_free(w->b.exponents);
  gg_free(w->marks);
}

void emu_wgmma_order(struct emu_wgmma *w) {
  w->fenced = true;
  for (uint32_t i = 0; w->touched && i < w->mark_count; i++) {
    w->marks[i] &= (uint16_t)~EMU_REGISTER_TOUCHED;
  }
  w->touched = false;
}

/* The marks are of the running frame's registers; nothing is in flight when it changes. */
static bool follow_frame(struct emu_wgmma *w, emu_warp *warp, const emu_op *op) {
  uint32_t count = warp->split->frame->function->register_bytes / 4;
  if (w->file == warp->registers && w->mark_count == count) return true;
  uint16_t *marks = gg_realloc(w->marks, (count ? count : 1) * sizeof *marks);
  if (!marks) {
    emu_fault(warp, op, -1, GG_E_MEMORY, " for wgmma");
    return false;
  }
  memset(marks, 0, count * sizeof *marks);
  w->marks = marks;
  w->mark_count = count;
  w->file = warp->registers;
  w->touched = false;
  return true;
}

static uint16_t *mark_of(struct emu_wgmma *w, const emu_operand *operand) {
  if (operand->sink || operand->offset / 4 >= w->mark_count) return NULL;
  return &w->marks[operand->offset / 4];
}

static bool claim_registers(struct emu_wgmma *w, emu_warp *warp, const emu_op *op) {
  const emu_wgmma_facts *f = op->facts;
  for (int i = 0; i < f->d_count; i++) {
    uint16_t *mark = mark_of(w, &op->operands[i]);
    if (mark && *mark & EMU_REGISTER_TOUCHED) {
      if (!emu_tolerated(warp, op, -1, GG_E_EMU_RACE,
                         "accumulator register %d was accessed since the last wgmma.fence", i)) {
        return false;
      }
      break;
    }
  }
  for (int i = 0; f->a_in_registers && i < EMU_WGMMA_A_REGISTERS; i++) {
    const uint16_t *mark = mark_of(w, &op->operands[f->a_at + i]);
    if (mark && *mark & EMU_REGISTER_FLIGHTS) {
      return emu_tolerated(
          warp, op, -1, GG_E_EMU_IN_FLIGHT,
          "register %d of A is the accumulator of a wgmma that nothing has waited for", i);
    }
  }
  return true;
}

bool emu_wgmma_claim(emu_warp *warp, const emu_op *op) {
  const emu_wgmma_facts *f = op->facts;
  struct emu_wgmma *w = emu_wgmma_at(warp);
  if (!w->fenced &&
      !emu_tolerated(warp, op, -1, GG_E_EMU_RACE, "no wgmma.fence before the warp's first wgmma")) {
    return false;
  }
  if (!follow_frame(w, warp, op) || !claim_registers(w, warp, op)) return false;
  if (f->a_in_registers) emu_hazard_consume(warp);
  for (int i = 0; i < f->d_count; i++) {
    uint16_t *mark = mark_of(w, &op->operands[i]);
    if (mark) *mark = (uint16_t)((*mark + 1) | EMU_REGISTER_KNOWN);
  }
  return true;
}

void emu_wgmma_release(emu_warp *warp, const emu_op *op) {
  const emu_wgmma_facts *f = op->facts;
  for (int i = 0; i < f->d_count; i++) {
    uint16_t *mark = mark_of(emu_wgmma_at(warp), &op->operands[i]);
    if (mark) --*mark;
  }
}

bool emu_wgmma_started(emu_warp *warp, uint64_t count) {
  emu_warp *first = emu_wgmma_group(warp);
  emu_wgmma_at(warp)->waits = false;
  for (int i = 0; i < EMU_WGMMA_WARPS; i++) {
    if (emu_wgmma_at(&first[i]) && emu_wgmma_at(&first[i])->issued >= count) continue;
    emu_wgmma_at(warp)->waits = true;
    emu_block(warp, first, "wgmma: other warps of the warpgroup");
    return false;
  }
  return true;
}

bool emu_wgmma_land(emu_warp *warp, uint64_t count) {
  struct emu_wgmma *w = emu_wgmma_at(warp);
  emu_wgmma_work *last = NULL;
  for (emu_wgmma_work *work = w->first; work && work->number < count; work = work->next) {
    last = work;
  }
  return !last || emu_async_land(warp->cta->cluster, &last->async);
}

static bool is(const emu_op *op, const char *opcode) {
  return op->ptx && !strcmp(op->ptx->form->opcode, opcode);
}

static bool leaves_frame(const emu_op *op) {
  if (op->kind != EMU_KIND_CONTROL) return false;
  return !op->ptx || is(op, "ret") || is(op, "exit") || is(op, "call");
}

/* Everything of the warp lands, once it has started. */
static emu_step land_all(emu_warp *warp) {
  if (!emu_wgmma_started(warp, emu_wgmma_at(warp)->issued)) return EMU_WAIT;
  return emu_wgmma_land(warp, UINT64_MAX) ? EMU_NEXT : EMU_FAULT;
}

/* One operand that is a register which wgmma has used. */
static emu_step admit_mark(struct emu_wgmma *w, emu_warp *warp, const emu_op *op, uint16_t *mark) {
  bool copy = is(op, "mov");
  if (!(*mark & EMU_REGISTER_FLIGHTS)) {
    if (!copy) {
      *mark |= EMU_REGISTER_TOUCHED;
      w->touched = true;
    }
    return EMU_NEXT;
  }
  if (copy) return land_all(warp);
  bool goes_on =
      emu_tolerated(warp, op, -1, GG_E_EMU_IN_FLIGHT,
                    "touches an accumulator of the wgmma of line %u, which nothing has waited for",
                    w->first->async.op->ptx->place.line);
  return goes_on ? EMU_NEXT : EMU_FAULT;
}

/* May the instruction touch its registers? */
static emu_step admit(emu_warp *warp, const emu_op *op) {
  struct emu_wgmma *w = emu_wgmma_at(warp);
  emu_step step = EMU_NEXT;
  if (op->kind == EMU_KIND_WGMMA) return EMU_NEXT;
  if (w->first && leaves_frame(op)) return land_all(warp);
  if (w->file != warp->registers) return EMU_NEXT;
  for (int i = 0; i < op->operand_count && step == EMU_NEXT; i++) {
    uint16_t *mark = mark_of(w, &op->operands[i]);
    if (mark && *mark & EMU_REGISTER_KNOWN) step = admit_mark(w, warp, op, mark);
  }
  return step;
}

const emu_unit emu_unit_wgmma = {.name = "wgmma",
                                 .warp_bytes = sizeof(struct emu_wgmma),
                                 .close_warp = close_warp,
                                 .admit = admit};
