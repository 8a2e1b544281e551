/* bar and barrier: the sixteen named barriers of a CTA. (PTX ISA, "bar" and "barrier".)
 *
 * A warp has arrived once all of its lanes that have not exited have; it counts as 32 threads, as
 * the hardware counts warps, and as often as it arrives: one that need not wait (bar.arrive) may
 * come a second time in the same phase. Without a thread count a barrier waits for every warp that
 * has not exited, so that an exit may end it. A phase that ends releases the lanes that wait; a
 * released lane runs its instruction again, finds itself released, takes the result and goes on.
 *
 * Order: arrivals release to `arrived`; what it knows at the end of the phase goes to `released`,
 * which those who have waited acquire. What arrives in the next phase is so unknown to them. */
#include <inttypes.h>
#include <string.h>

#include "emu/async/decoders.h"
#include "emu/async/engine.h"
#include "emu/decode.h"
#include "emu/hazard.h"
#include "emu/isa/access.h"
#include "emu/isa/lanes.h"
#include "emu/state.h"

typedef struct emu_barrier {
  uint32_t arrived[EMU_WARPS_MAX];  /* lanes in this phase */
  uint32_t waiting[EMU_WARPS_MAX];  /* of those, lanes that wait for its end */
  uint32_t released[EMU_WARPS_MAX]; /* lanes whose phase has ended and who have not yet gone on */
  uint32_t earlier;                 /* threads of warps that have come again since */
  uint32_t expected;                /* threads; 0: all of the CTA that have not exited */
  uint32_t reduced;                 /* this phase's predicates: how many hold */
  uint32_t threads;                 /* that take part in the reduction */
  uint32_t result, result_threads;  /* of the phase that ended last */
  bool busy;                        /* somebody has arrived */
} emu_barrier;

/* The unit's state of a CTA. */
typedef struct emu_barriers {
  emu_barrier of[EMU_NAMED_BARRIERS];
} emu_barriers;

typedef enum action { SYNC, ARRIVE, RED_POPC, RED_AND, RED_OR } action;

typedef struct barrier_facts {
  action action;
  bool aligned;
  bool counted;            /* a thread count is given */
  emu_operand id, threads; /* sources */
  emu_operand predicate;   /* of a reduction */
  emu_operand destination; /* of a reduction */
} barrier_facts;

/* ---- Decoding --------------------------------------------------------------------------- */

static gg_status decode_operands(barrier_facts *facts, emu_decoder *d, gg_error *err) {
  bool reduces = facts->action >= RED_POPC;
  int at = 0, count = emu_operand_count(d);
  gg_status st = GG_OK;
  if (reduces) {
    emu_type type = facts->action == RED_POPC ? EMU_U32 : EMU_PRED;
    if ((st = emu_operand_register(&facts->destination, d, at++, type, err))) return st;
  }
  if ((st = emu_operand_value(&facts->id, d, at++, EMU_U32, err))) return st;
  int left = count - at - reduces;
  if (left < 0 || left > 1 || (facts->action == ARRIVE && !left)) {
    return emu_unknown_form(d, err, "%d operands", count);
  }
  facts->counted = left == 1;
  if (left && (st = emu_operand_value(&facts->threads, d, at++, EMU_U32, err))) return st;
  return reduces ? emu_operand_value(&facts->predicate, d, at, EMU_PRED, err) : GG_OK;
}

static emu_step barrier(emu_warp *warp, const emu_op *op, uint32_t lanes);

static gg_status decode_barrier(emu_op *op, emu_decoder *d, bool aligned, gg_error *err) {
  static const char *const actions[] = {"sync", "arrive", "red", NULL};
  static const char *const reductions[] = {"popc", "and", "or", NULL};
  barrier_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), barrier_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  emu_take(d, "cta");
  facts->aligned = emu_take(d, "aligned") || aligned;
  int word = emu_take_word(d, actions);
  if (word < 0) return emu_unknown_form(d, err, "sync, arrive or red");
  facts->action = (action)word;
  if (facts->action == RED_POPC) {
    int reduction = emu_take_word(d, reductions);
    if (reduction < 0) return emu_unknown_form(d, err, "popc, and or or");
    facts->action = (action)(RED_POPC + reduction);
    if (emu_take_type(d) != (reduction ? EMU_PRED : EMU_U32)) {
      return emu_unknown_form(d, err, "a reduction is .popc.u32, .and.pred or .or.pred");
    }
  }
  op->exec = barrier;
  op->kind = EMU_KIND_BARRIER;
  op->converges = facts->aligned;
  op->facts = facts;
  gg_status st = decode_operands(facts, d, err);
  return st ? st : emu_modifiers_end(d, err);
}

gg_status emu_decode_bar(emu_op *op, emu_decoder *d, gg_error *err) {
  if (emu_take(d, "warp")) return emu_decode_warp_barrier(op, d, err);
  return decode_barrier(op, d, true, err);
}

gg_status emu_decode_barrier(emu_op *op, emu_decoder *d, gg_error *err) {
  if (emu_take(d, "cluster")) return emu_decode_cluster_barrier(op, d, err);
  return decode_barrier(op, d, false, err);
}

/* ---- A CTA's barriers ------------------------------------------------------------------- */

/* Threads that have arrived: 32 each time that all living lanes of a warp have. */
static uint32_t count_arrived(const emu_cta *cta, const emu_barrier *b) {
  uint32_t threads = b->earlier;
  for (int w = 0; w < cta->warp_count; w++) {
    if (b->arrived[w] && !(cta->warps[w].alive & ~b->arrived[w])) threads += EMU_LANES;
  }
  return threads;
}

/* Whether every warp that has not exited has arrived. */
static bool all_arrived(const emu_cta *cta, const emu_barrier *b) {
  for (int w = 0; w < cta->warp_count; w++) {
    if (cta->warps[w].alive & ~b->arrived[w]) return false;
  }
  return true;
}

/* Ends the phase if everybody is there. */
static void try_complete(emu_cta *cta, emu_barrier *b) {
  if (!b->busy) return;
  bool complete = b->expected ? count_arrived(cta, b) >= b->expected : all_arrived(cta, b);
  if (!complete) return;
  for (int w = 0; w < cta->warp_count; w++) {
    b->released[w] |= b->waiting[w];
    b->arrived[w] = b->waiting[w] = 0;
  }
  b->result = b->reduced;
  b->result_threads = b->threads;
  b->reduced = b->threads = b->expected = b->earlier = 0;
  b->busy = false;
  emu_hazard_pass(cta->cluster, b->released, b->arrived);
  emu_wake(cta->cluster, b);
}

/* Barriers that wait for nobody else end. */
static void lanes_exit(emu_warp *warp) {
  emu_barriers *barriers = warp->cta->units[EMU_UNIT_ID_BARRIER];
  for (int i = 0; i < EMU_NAMED_BARRIERS; i++) {
    try_complete(warp->cta, &barriers->of[i]);
  }
}

const emu_unit emu_unit_barrier = {
    .name = "barriers", .cta_bytes = sizeof(emu_barriers), .lanes_exit = lanes_exit};

int emu_barrier_number(const emu_cta *cta, const void *object) {
  const emu_barriers *barriers = cta->units[EMU_UNIT_ID_BARRIER];
  for (int i = 0; barriers && i < EMU_NAMED_BARRIERS; i++) {
    if (object == &barriers->of[i]) return i;
  }
  return -1;
}

static emu_step check_count(emu_warp *warp, const emu_op *op, const emu_barrier *b, uint32_t id,
                            uint32_t threads, bool counted) {
  uint32_t most = (uint32_t)warp->cta->warp_count * EMU_LANES;
  if (counted && (!threads || threads % EMU_LANES)) {
    return emu_fault(warp, op, -1, GG_E_EMU_ILLEGAL,
                     "barrier %" PRIu32 " for %" PRIu32 " threads: a multiple of 32 is needed", id,
                     threads);
  }
  if (threads > most) {
    return emu_fault(warp, op, -1, GG_E_EMU_ILLEGAL,
                     "barrier %" PRIu32 " for %" PRIu32 " threads; the CTA has %" PRIu32, id,
                     threads, most);
  }
  if (b->busy && b->expected != threads) {
    return emu_fault(warp, op, -1, GG_E_EMU_ILLEGAL,
                     "barrier %" PRIu32 " for %" PRIu32 " threads; others wait there for %" PRIu32,
                     id, threads, b->expected ? b->expected : most);
  }
  return EMU_NEXT;
}

static void take_result(emu_warp *warp, const barrier_facts *facts, const emu_barrier *b,
                        uint32_t lanes) {
  if (facts->action == RED_POPC) {
    if (facts->destination.sink) return;
    uint32_t *to = EMU_AT(uint32_t, warp, &facts->destination);
    EMU_EACH_LANE(lanes, lane) {
      to[lane] = b->result;
    }
  } else if (facts->action != SYNC) {
    bool holds = facts->action == RED_AND ? b->result == b->result_threads : b->result > 0;
    emu_set_predicate(warp, &facts->destination, lanes, holds ? UINT32_MAX : 0);
  }
}

/* Lanes that have arrived come again: with the warp's others that was an arrival of its own. */
static void begin_again(const emu_warp *warp, emu_barrier *b) {
  if (warp->alive & ~b->arrived[warp->index]) return;
  b->earlier += EMU_LANES;
  b->arrived[warp->index] = 0;
}

/* The lanes arrive. */
static emu_step arrive(emu_warp *warp, const emu_op *op, emu_barrier *b, uint32_t id,
                       uint32_t lanes) {
  const barrier_facts *facts = op->facts;
  uint32_t threads = 0;
  if (facts->counted) {
    threads = EMU_AT(const uint32_t, warp, &facts->threads)[__builtin_ctz(lanes)];
  }
  if (check_count(warp, op, b, id, threads, facts->counted) == EMU_FAULT) return EMU_FAULT;
  if (b->arrived[warp->index] & lanes) begin_again(warp, b);
  b->busy = true;
  b->expected = threads;
  b->arrived[warp->index] |= lanes;
  if (facts->action >= RED_POPC) {
    uint32_t holds = emu_predicate(warp, &facts->predicate) & lanes;
    b->reduced += (uint32_t)__builtin_popcount(holds);
    b->threads += (uint32_t)__builtin_popcount(lanes);
  }
  emu_hazard_release(warp, b->arrived);
  if (facts->action != ARRIVE) b->waiting[warp->index] |= lanes;
  try_complete(warp->cta, b);
  return EMU_NEXT;
}

static emu_step barrier(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const barrier_facts *facts = op->facts;
  if (facts->aligned && !emu_converge(warp, op, warp->alive, &lanes)) return EMU_WAIT;
  uint32_t id = EMU_AT(const uint32_t, warp, &facts->id)[__builtin_ctz(lanes)];
  if (id >= EMU_NAMED_BARRIERS) {
    return emu_fault(warp, op, -1, GG_E_EMU_ILLEGAL, "barrier %" PRIu32 "; 0 to 15 exist", id);
  }
  emu_barriers *barriers = emu_unit_of_cta(warp, op, EMU_UNIT_ID_BARRIER);
  if (!barriers) return EMU_FAULT;
  emu_barrier *b = &barriers->of[id];
  uint32_t released = b->released[warp->index] & lanes;
  if (released && released != lanes) { /* the others have come for the next phase */
    emu_warp_split(warp, lanes & ~released);
    lanes = released;
  }
  if (!released) {
    if (b->waiting[warp->index] & lanes) return emu_block(warp, b, op->ptx->form->text);
    if (arrive(warp, op, b, id, lanes) == EMU_FAULT) return EMU_FAULT;
    if (facts->action == ARRIVE) return EMU_NEXT;
    if (!(b->released[warp->index] & lanes)) {
      emu_counting(warp)->barrier_waits++;
      return emu_block(warp, b, op->ptx->form->text);
    }
  }
  b->released[warp->index] &= ~lanes;
  emu_hazard_acquire(warp, b->released);
  take_result(warp, facts, b, lanes);
  return EMU_NEXT;
}
