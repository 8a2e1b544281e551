/* mbarrier.* (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
 *
 * test_wait and try_wait are the same here: if a lane's phase is not complete, the answer is no at
 * once the first time, and the lane blocks when it asks again. Both may take any time before they
 * say no (try_wait suspends up to a limit of the system, and any instruction may be late), so
 * hardware may do this, too. It costs nothing while the lane waits, and shows deadlocks. But it
 * must not wait for what the same lane does after giving up: when nothing else can run, blocked
 * lanes get the answer no (`give_up`). */
#include <string.h>

#include "emu/async/engine.h"
#include "emu/async/mbarrier.h"
#include "emu/async/modifiers.h"
#include "emu/report.h"

enum { object_bytes = 8, count_bits = 20 };

/* A wait that a lane has tried. The first try of mbarrier.try_wait gives up at once, as hardware
 * may do, so that code that does not try again is noticed. */
typedef struct attempt {
  emu_mbarrier *barrier;
  uint64_t phase;
  enum { TRY_NONE, TRY_TOLD, TRY_BLOCKED, TRY_EXPIRED } state;
} attempt;

/* The unit's state for a warp; that for a cluster is emu_mbarriers. */
typedef struct attempts {
  attempt of[EMU_LANES];
} attempts;

/* An mbarrier's state as a number: the phase, and its pending arrivals. */
static uint64_t state_of(const emu_mbarrier *barrier) {
  return barrier->phase << count_bits | barrier->pending;
}

typedef struct mbarrier_facts {
  bool relaxed, drop, expects, never_completes, parity;
} mbarrier_facts;

/* The lane's barrier, whether its CTA has exited or not; NULL after a fault. */
static emu_mbarrier *any_barrier_of(emu_warp *warp, const emu_op *op, int lane) {
  emu_place place;
  if (!emu_lane_place(&place, warp, op, lane, &op->address, (emu_space)op->space, object_bytes,
                      object_bytes)) {
    return NULL;
  }
  return emu_mbarrier_at(warp, op, lane, place);
}

static emu_mbarrier *barrier_of(emu_warp *warp, const emu_op *op, int lane) {
  emu_mbarrier *barrier = any_barrier_of(warp, op, lane);
  bool alive = barrier && emu_async_alive(warp, op, lane, barrier->place.bank->cta);
  return alive ? barrier : NULL;
}

/* ---- Life ------------------------------------------------------------------------------- */

/* What one lane initialises. */
typedef struct init {
  emu_place place;
  uint32_t count;
} init;

static bool is_among(const init inits[EMU_LANES], uint32_t lanes, const init *one) {
  EMU_EACH_LANE(lanes, lane) {
    if (emu_place_same(inits[lane].place, one->place) && inits[lane].count == one->count) {
      return true;
    }
  }
  return false;
}

/* Lanes that initialise a barrier alike count as one, as those that store one value do. */
static emu_step run_init(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  init inits[EMU_LANES];
  uint32_t before = 0;
  EMU_EACH_LANE(lanes, lane) {
    init *one = &inits[lane];
    one->count = (uint32_t)emu_lane_value(warp, &op->operands[0], (int)lane);
    if (!emu_lane_place(&one->place, warp, op, (int)lane, &op->address, (emu_space)op->space,
                        object_bytes, object_bytes)) {
      return EMU_FAULT;
    }
    if (!is_among(inits, before, one) &&
        !emu_mbarrier_init(warp, op, (int)lane, one->place, one->count)) {
      return EMU_FAULT;
    }
    before |= UINT32_C(1) << lane;
  }
  return EMU_NEXT;
}

static emu_step run_inval(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    emu_place place;
    if (!emu_lane_place(&place, warp, op, (int)lane, &op->address, (emu_space)op->space,
                        object_bytes, object_bytes) ||
        !emu_mbarrier_inval(warp, op, (int)lane, place)) {
      return EMU_FAULT;
    }
  }
  return EMU_NEXT;
}

/* ---- Arrivals --------------------------------------------------------------------------- */

/* A thread that completes bytes hands on what it knew at its last fence, like a relaxed arrival. */
static emu_step run_tx(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const mbarrier_facts *facts = op->facts;
  EMU_EACH_LANE(lanes, lane) {
    emu_mbarrier *barrier = barrier_of(warp, op, (int)lane);
    if (!barrier) return EMU_FAULT;
    uint64_t bytes = emu_lane_value(warp, &op->operands[0], (int)lane);
    if (!facts->expects) emu_hazard_release_relaxed(warp, emu_mbarrier_key(barrier));
    bool ok = facts->expects ? emu_mbarrier_expect(warp, op, (int)lane, barrier, bytes)
                             : emu_mbarrier_complete(warp, op, (int)lane, barrier, bytes);
    if (!ok) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* operands: state, count or bytes. */
static bool arrive(emu_warp *warp, const emu_op *op, int lane, emu_mbarrier *barrier) {
  const mbarrier_facts *facts = op->facts;
  const emu_operand *given = &op->operands[1];
  uint64_t number = given->sink ? 1 : emu_lane_value(warp, given, lane);
  uint64_t count = facts->expects ? 1 : number;
  if (facts->expects && !emu_mbarrier_expect(warp, op, lane, barrier, number)) return false;
  if (facts->never_completes && count >= barrier->pending) {
    emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
              "%llu arrivals of %u pending would complete the phase, which .noComplete rules out",
              (unsigned long long)count, barrier->pending);
    return false;
  }
  if (!op->operands[0].sink) EMU_AT(uint64_t, warp, &op->operands[0])[lane] = state_of(barrier);
  return emu_mbarrier_arrive(warp, op, lane, barrier, count, facts->drop);
}

/* To arrive at a barrier of a CTA that has exited usually does no harm on hardware, and kernels do
 * it: consumers of the last tiles tell producers, which are gone already, that they may go on. It
 * is worse if the CTA has announced its end at the cluster's barrier and then not waited for the
 * others. */
static bool may_arrive(emu_warp *warp, const emu_op *op, int lane, const emu_cta *cta) {
  if (!cta->cluster->engine->exited[cta->rank]) return true;
  if (!emu_cluster_barrier_left(cta)) {
    return emu_tolerated(warp, op, lane, GG_E_EMU_EXIT,
                         "arrives at an mbarrier of CTA %u of the cluster, which has exited: "
                         "nothing has made it wait for this",
                         cta->rank);
  }
  emu_fault(warp, op, lane, GG_E_EMU_BOUNDS,
            "arrives at an mbarrier of CTA %u of the cluster, which has arrived at the cluster's "
            "barrier and exited: its barrier.cluster.wait is missing",
            cta->rank);
  return false;
}

static emu_step run_arrive(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const mbarrier_facts *facts = op->facts;
  const emu_mbarrier *told = NULL;
  uint64_t phase = 0;
  EMU_EACH_LANE(lanes, lane) {
    emu_mbarrier *barrier = any_barrier_of(warp, op, (int)lane);
    if (!barrier || !may_arrive(warp, op, (int)lane, barrier->place.bank->cta)) return EMU_FAULT;
    if (barrier != told) {
      (facts->relaxed ? emu_hazard_release_relaxed : emu_hazard_release)(warp,
                                                                         emu_mbarrier_key(barrier));
      phase = barrier->phase;
    }
    told = barrier;
    if (!emu_mbarrier_same_phase(warp, op, (int)lane, barrier, phase) ||
        !arrive(warp, op, (int)lane, barrier)) {
      return EMU_FAULT;
    }
  }
  return EMU_NEXT;
}

static emu_step run_pending_count(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    uint64_t state = emu_lane_value(warp, &op->operands[1], (int)lane);
    if (op->operands[0].sink) continue;
    EMU_AT(uint32_t, warp, &op->operands[0])[lane] = (uint32_t)state & ((1u << count_bits) - 1);
  }
  return EMU_NEXT;
}

/* ---- Waits ------------------------------------------------------------------------------ */

/* operands: the result, state or parity. 1: the phase is complete; 0: it is not; -1: there was a
 * fault. */
static int is_complete(emu_warp *warp, const emu_op *op, int lane, const emu_mbarrier *barrier) {
  const mbarrier_facts *facts = op->facts;
  uint64_t given = emu_lane_value(warp, &op->operands[1], lane);
  if (facts->parity) {
    if (given <= 1) return (barrier->phase & 1) != given;
    emu_fault(warp, op, lane, GG_E_EMU_MBARRIER, "a phase parity of %llu: it is 0 or 1",
              (unsigned long long)given);
    return -1;
  }
  uint64_t phase = given >> count_bits;
  if (barrier->phase == phase || barrier->phase == phase + 1) return barrier->phase != phase;
  emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
            "waits for phase %llu of the mbarrier at 0x%x, which is in phase %llu: only this one "
            "and the one before can be waited for",
            (unsigned long long)phase, emu_place_address(barrier->place),
            (unsigned long long)barrier->phase);
  return -1;
}

/* Answers no to the lanes, and remembers that. */
static emu_step say_no(emu_warp *warp, const emu_op *op, attempts *own,
                       emu_mbarrier *const barrier[EMU_LANES], uint32_t pending) {
  EMU_EACH_LANE(pending, lane) {
    own->of[lane] = (attempt){barrier[lane], barrier[lane]->phase, TRY_TOLD};
  }
  emu_set_predicate(warp, &op->operands[0], pending, 0);
  emu_yield(warp);
  return EMU_NEXT;
}

/* Called when none of the lanes' phases is complete. */
static emu_step wait_on(emu_warp *warp, const emu_op *op, attempts *own,
                        emu_mbarrier *const barrier[EMU_LANES], uint32_t lanes) {
  bool again = true, one = true;
  const emu_mbarrier *first = barrier[__builtin_ctz(lanes)];
  EMU_EACH_LANE(lanes, lane) {
    const attempt *before = &own->of[lane];
    again = again && before->barrier == barrier[lane] && before->phase == barrier[lane]->phase &&
            (before->state == TRY_TOLD || before->state == TRY_BLOCKED);
    one = one && barrier[lane] == first;
  }
  if (!again) return say_no(warp, op, own, barrier, lanes);
  if (own->of[__builtin_ctz(lanes)].state == TRY_TOLD) {
    warp->cta->cluster->counters->mbarrier_waits++;
  }
  EMU_EACH_LANE(lanes, lane) own->of[lane].state = TRY_BLOCKED;
  const void *object = one ? (const void *)first : emu_mbarriers_of(warp->cta->cluster);
  return emu_block(warp, object, op->ptx->form->text);
}

static emu_step run_wait(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const mbarrier_facts *facts = op->facts;
  attempts *own = emu_unit_of_warp(warp, op, EMU_UNIT_ID_MBARRIER);
  if (!own) return EMU_FAULT;
  emu_mbarrier *barrier[EMU_LANES] = {NULL}, *told = NULL;
  uint32_t done = 0;
  EMU_EACH_LANE(lanes, lane) {
    if (!(barrier[lane] = barrier_of(warp, op, (int)lane))) return EMU_FAULT;
    int complete = is_complete(warp, op, (int)lane, barrier[lane]);
    if (complete < 0) return EMU_FAULT;
    if (complete) done |= 1u << lane;
  }
  if (!done) return wait_on(warp, op, own, barrier, lanes);
  EMU_EACH_LANE(done, finished) {
    own->of[finished].state = TRY_NONE;
    if (barrier[finished] == told) continue;
    told = barrier[finished];
    (facts->relaxed ? emu_hazard_acquire_relaxed : emu_hazard_acquire)(warp, told);
  }
  emu_set_predicate(warp, &op->operands[0], done, done);
  if (done == lanes) return EMU_NEXT;
  return say_no(warp, op, own, barrier, lanes & ~done);
}

/* ---- The unit --------------------------------------------------------------------------- */

static void close_cluster(void *state) {
  emu_mbarriers_free(state);
}

/* Lets blocked lanes of a warp give up; says whether there are any. */
static bool give_up_warp(emu_warp *warp) {
  attempts *own = warp->units[EMU_UNIT_ID_MBARRIER];
  bool any = false;
  for (int lane = 0; own && lane < EMU_LANES; lane++) {
    if (own->of[lane].state != TRY_BLOCKED) continue;
    own->of[lane].state = TRY_EXPIRED;
    emu_wake(warp->cta->cluster, own->of[lane].barrier);
    any = true;
  }
  return any;
}

static bool give_up(emu_cluster *cluster) {
  bool any = false;
  for (unsigned c = 0; c < cluster->cta_count; c++) {
    for (int w = 0; w < cluster->ctas[c].warp_count; w++)
      any |= give_up_warp(&cluster->ctas[c].warps[w]);
  }
  if (any) emu_wake(cluster, emu_mbarriers_of(cluster));
  return any;
}

static bool explain(gg_str *out, const emu_warp *warp, const emu_split *split) {
  const attempts *own = warp->units[EMU_UNIT_ID_MBARRIER];
  EMU_EACH_LANE(own ? split->lanes : 0, lane) {
    if (own->of[lane].state != TRY_BLOCKED) continue;
    emu_mbarrier_describe(out, own->of[lane].barrier);
    return true;
  }
  return false;
}

const emu_unit emu_unit_mbarrier = {.name = "asynchronous work",
                                    .warp_bytes = sizeof(attempts),
                                    .cluster_bytes = sizeof(emu_mbarriers),
                                    .close_cluster = close_cluster,
                                    .give_up = give_up,
                                    .explain = explain};

/* ---- Decoding --------------------------------------------------------------------------- */

/* [address], a source. */
static gg_status decode_object(emu_op *op, emu_decoder *d, bool source, gg_error *err) {
  gg_status st = emu_operands_open(op, d, 1, err);
  if (!st) st = emu_operand_address(&op->address, d, 0, err);
  if (!st && source) st = emu_operand_value(&op->operands[0], d, 1, EMU_U32, err);
  return st;
}

/* state, [address] {, count}; the state is written even if it is a sink. */
static gg_status decode_arrive(emu_op *op, emu_decoder *d, const mbarrier_facts *facts,
                               gg_error *err) {
  int first = emu_operand_count(d) > 1 && emu_operand_at(d, 0)->kind != PTX_ADDRESS;
  gg_status st = emu_operands_open(op, d, 2, err);
  if (!st && first) st = emu_operand_register(&op->operands[0], d, 0, EMU_B64, err);
  if (!st) st = emu_operand_address(&op->address, d, first, err);
  bool counted = facts->expects || facts->never_completes || emu_operand_count(d) > first + 1;
  if (!st && counted) st = emu_operand_value(&op->operands[1], d, first + 1, EMU_U32, err);
  op->exec = run_arrive;
  return st;
}

static gg_status decode_wait(emu_op *op, emu_decoder *d, const mbarrier_facts *facts, bool hinted,
                             gg_error *err) {
  emu_operand hint;
  gg_status st = emu_operands_open(op, d, 2, err);
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, EMU_PRED, err);
  if (!st) st = emu_operand_address(&op->address, d, 1, err);
  emu_type type = facts->parity ? EMU_U32 : EMU_B64;
  if (!st) st = emu_operand_value(&op->operands[1], d, 2, type, err);
  if (!st && hinted && emu_operand_count(d) > 3) {
    st = emu_operand_value(&hint, d, 3, EMU_U32, err);
  }
  op->exec = run_wait;
  return st;
}

static gg_status decode_pending_count(emu_op *op, emu_decoder *d, gg_error *err) {
  gg_status st = emu_operands_open(op, d, 2, err);
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, EMU_U32, err);
  if (!st) st = emu_operand_value(&op->operands[1], d, 1, EMU_B64, err);
  op->exec = run_pending_count;
  return st;
}

enum { INIT, INVAL, ARRIVE, ARRIVE_DROP, EXPECT, COMPLETE, TEST_WAIT, TRY_WAIT, PENDING_COUNT };
static const char *const operations[] = {"init",          "inval",       "arrive",    "arrive_drop",
                                         "expect_tx",     "complete_tx", "test_wait", "try_wait",
                                         "pending_count", NULL};

static gg_status decode_operands(emu_op *op, emu_decoder *d, int operation,
                                 const mbarrier_facts *facts, gg_error *err) {
  switch (operation) {
  case INIT:
    op->exec = run_init;
    return decode_object(op, d, true, err);
  case INVAL:
    op->exec = run_inval;
    return decode_object(op, d, false, err);
  case EXPECT:
  case COMPLETE:
    op->exec = run_tx;
    return decode_object(op, d, true, err);
  case ARRIVE:
  case ARRIVE_DROP:
    return decode_arrive(op, d, facts, err);
  case PENDING_COUNT:
    return decode_pending_count(op, d, err);
  default:
    return decode_wait(op, d, facts, operation == TRY_WAIT, err);
  }
}

/* Takes the operation, which is the first modifier. Behind .arrive, .expect_tx is a modifier. */
static int take_operation(emu_decoder *d) {
  const ptx_form *form = emu_decoder_ptx(d)->form;
  const char *first[2] = {form->modifier_count ? form->modifiers[0] : "", NULL};
  for (int i = 0; operations[i]; i++) {
    if (!strcmp(operations[i], first[0])) return emu_take_word(d, first) < 0 ? -1 : i;
  }
  return -1;
}

gg_status emu_decode_mbarrier(emu_op *op, emu_decoder *d, gg_error *err) {
  mbarrier_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), mbarrier_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  int operation = take_operation(d);
  if (operation < 0) return emu_unknown_form(d, err, "no such operation on an mbarrier");
  bool arrives = operation == ARRIVE || operation == ARRIVE_DROP;
  facts->drop = operation == ARRIVE_DROP;
  facts->expects = operation == EXPECT || (arrives && emu_take(d, "expect_tx"));
  facts->never_completes = arrives && emu_take(d, "noComplete");
  facts->parity = (operation == TEST_WAIT || operation == TRY_WAIT) && emu_take(d, "parity");
  facts->relaxed = emu_take_sem(d) == EMU_SEM_RELAXED;
  emu_take_scope(d);
  op->space = (uint8_t)emu_take_space(d);
  op->kind = EMU_KIND_MBARRIER;
  op->facts = facts;
  bool typed = emu_take(d, "b64");
  gg_status st = emu_modifiers_end(d, err);
  if (!st && !typed) return emu_unknown_form(d, err, "the type is .b64");
  return st ? st : decode_operands(op, d, operation, facts, err);
}
