/* clusterlaunchcontrol: a cluster takes over the work of one that has not begun (PTX ISA,
 * "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel").
 *
 * A request is an asynchronous operation a CTA that gets its response. Those of one request share
 * its outcome, which is decided when the first of them lands: the next cluster of the grid that has
 * not begun is struck off, if there is one. In random order a request may be refused although there
 * are clusters left, as hardware may where the processor is wanted for something else.
 *
 * The response is opaque to kernels. Here it is the first CTA's coordinates and a word that says
 * what it is. All zeros say no: CUTLASS's schedulers for sm_120 write them themselves, and ask
 * nobody. */
#include <string.h>

#include "base/alloc.h"
#include "emu/async/engine.h"
#include "emu/async/mbarrier.h"
#include "emu/async/modifiers.h"
#include "emu/state.h"

enum { response_bytes = 16, barrier_bytes = 8, refused_one_in = 8 };

static const uint32_t granted = 0x474c4301, refused = 0x474c4300;

/* The unit's state of a CTA. */
typedef struct observed {
  bool refusal; /* one of its threads has asked a response, which said no */
} observed;

/* The unit's state of a cluster; its address is the chain of its requests, which are decided in
 * order: else the work of one that is granted behind one that is refused would be lost. */
typedef struct requests {
  bool refused; /* all later ones are too */
} requests;

const emu_unit emu_unit_launch_control = {
    .name = "launch control", .cta_bytes = sizeof(observed), .cluster_bytes = sizeof(requests)};

/* ---- Requests --------------------------------------------------------------------------- */

typedef struct cancel_facts {
  emu_address to, barrier;
  bool multicast;
} cancel_facts;

/* What the operations of a request share. Its address stands for what the asking warp knew: who
 * waits for the response, in whichever CTA, knows that too, for it was asked for behind that. */
typedef struct request {
  unsigned operations;
  bool decided;
  uint32_t response[4];
} request;

typedef struct answer {
  emu_async base;
  emu_span to;
  emu_mbarrier *barrier;
  request *request;
} answer;

static void drop(emu_async *self) {
  answer *a = (answer *)self;
  if (!--a->request->operations) gg_free(a->request);
  gg_free(a);
}

static void decide(request *r, emu_cluster *cluster) {
  emu_run *run = cluster->run;
  requests *all = cluster->units[EMU_UNIT_ID_LAUNCH_CONTROL];
  unsigned first[3];
  r->decided = true;
  if (run->options->random && emu_random(cluster) % refused_one_in == 0) all->refused = true;
  if (!all->refused && emu_launch_cancel(first, run)) {
    memcpy(r->response, first, sizeof first);
    r->response[3] = granted;
  } else {
    all->refused = true;
    memset(r->response, 0xff, sizeof r->response);
    r->response[3] = refused;
  }
}

static bool land(emu_async *self, emu_cluster *cluster) {
  answer *a = (answer *)self;
  int lane = __builtin_ctz(self->lanes);
  if (!a->request->decided) decide(a->request, cluster);
  memcpy(emu_place_bytes(a->to.place), a->request->response, response_bytes);
  uint8_t *marks = emu_place_marks(a->to.place);
  for (int i = 0; i < response_bytes; i++)
    marks[i] |= EMU_MARK_WRITTEN;
  if (!a->barrier->live) {
    emu_fault(self->warp, self->op, lane, GG_E_EMU_MBARRIER,
              "the mbarrier at 0x%x is invalidated while this request was to complete on it",
              emu_place_address(a->barrier->place));
    return false;
  }
  self->agent = a->barrier->agent;
  self->clock = emu_mbarrier_clock(a->barrier);
  emu_hazard_pass(cluster, emu_mbarrier_key(a->barrier), a->request);
  if (a->request->operations == 1) emu_hazard_forget(cluster, a->request);
  return emu_mbarrier_complete(self->warp, self->op, lane, a->barrier, response_bytes);
}

/* Issues the operation of one CTA; false after a fault. */
static bool issue(emu_warp *warp, const emu_op *op, int lane, request *r, emu_place to,
                  emu_place barrier) {
  const requests *all = emu_unit_of_cluster(warp, op, EMU_UNIT_ID_LAUNCH_CONTROL);
  answer *a = all ? gg_malloc(sizeof *a) : NULL;
  if (!a) return emu_async_no_memory(warp, op);
  *a = (answer){.base = {.warp = warp,
                         .op = op,
                         .lanes = 1u << lane,
                         .chain = all,
                         .proxy = EMU_PROXY_ASYNC,
                         .trusting = !warp->cta->cluster->run->fences,
                         .binds = true,
                         .unit = "launch control",
                         .writes = &a->to,
                         .write_count = 1,
                         .land = land,
                         .drop = drop},
                .to = {to, response_bytes},
                .request = r};
  r->operations++;
  if (!emu_async_alive(warp, op, lane, to.bank->cta) ||
      !(a->base.completes = a->barrier = emu_mbarrier_of_proxy(warp, op, lane, barrier))) {
    drop(&a->base);
    return false;
  }
  return emu_async_issue(warp->cta->cluster, &a->base);
}

static bool ask(emu_warp *warp, const emu_op *op, int lane) {
  const cancel_facts *facts = op->facts;
  emu_cluster *cluster = warp->cta->cluster;
  emu_space space = op->space == EMU_GENERIC ? EMU_GENERIC : EMU_SHARED;
  emu_place to, barrier;
  if (!emu_lane_place(&to, warp, op, lane, &facts->to, space, response_bytes, response_bytes) ||
      !emu_lane_place(&barrier, warp, op, lane, &facts->barrier, space, barrier_bytes,
                      barrier_bytes)) {
    return false;
  }
  request *r = gg_malloc(sizeof *r);
  if (!r) return emu_async_no_memory(warp, op);
  *r = (request){.operations = 1}; /* this function's own, so that no operation frees it */
  emu_hazard_release(warp, r);
  bool ok = true;
  if (facts->multicast) {
    for (unsigned i = 0; ok && i < cluster->cta_count; i++) {
      to.bank = barrier.bank = cluster->ctas[i].shared;
      ok = issue(warp, op, lane, r, to, barrier);
    }
  } else {
    ok = issue(warp, op, lane, r, to, barrier);
  }
  if (!--r->operations) gg_free(r);
  return ok;
}

static emu_step run_cancel(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const observed *seen = emu_unit_of_cta(warp, op, EMU_UNIT_ID_LAUNCH_CONTROL);
  if (!seen) return EMU_FAULT;
  if (seen->refusal) {
    return emu_fault(warp, op, __builtin_ctz(lanes), GG_E_EMU_ILLEGAL,
                     "asks for another cluster although this CTA has seen a request refused: what "
                     "happens then is undefined");
  }
  EMU_EACH_LANE(lanes, lane) {
    if (!ask(warp, op, (int)lane)) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* ---- Responses -------------------------------------------------------------------------- */

/* operands: the results, then the response. NULL after a fault. */
static const uint32_t *response_of(emu_warp *warp, const emu_op *op, uint32_t lane) {
  const emu_operand *from = &op->operands[op->operand_count - 1];
  const uint32_t *words = EMU_AT(const uint32_t, warp, from) + (size_t)lane * 4;
  bool none = !words[0] && !words[1] && !words[2] && !words[3];
  if (none || words[3] == granted || words[3] == refused) return words;
  emu_fault(warp, op, (int)lane, GG_E_EMU_ILLEGAL,
            "the 128 bits are no response of clusterlaunchcontrol.try_cancel: was its mbarrier "
            "waited for?");
  return NULL;
}

static emu_step run_is_canceled(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  observed *seen = emu_unit_of_cta(warp, op, EMU_UNIT_ID_LAUNCH_CONTROL);
  uint32_t holds = 0;
  if (!seen) return EMU_FAULT;
  EMU_EACH_LANE(lanes, lane) {
    const uint32_t *words = response_of(warp, op, lane);
    if (!words) return EMU_FAULT;
    if (words[3] == granted) holds |= UINT32_C(1) << lane;
    seen->refusal |= words[3] == refused;
  }
  emu_set_predicate(warp, &op->operands[0], lanes, holds);
  return EMU_NEXT;
}

/* Of a request that was refused all ones, which no grid has: kernels ask before they know. */
static emu_step run_first_ctaid(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    const uint32_t *words = response_of(warp, op, lane);
    if (!words) return EMU_FAULT;
    uint32_t first[4] = {words[0], words[1], words[2], 0};
    for (int i = 0; i < op->operand_count - 1; i++) {
      const emu_operand *to = &op->operands[i];
      int from = op->operand_count == 2 ? (int)op->target : i;
      if (!to->sink) EMU_AT(uint32_t, warp, to)[lane] = first[from];
    }
  }
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

static gg_status decode_cancel(emu_op *op, emu_decoder *d, gg_error *err) {
  cancel_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), cancel_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  bool known = emu_take(d, "async");
  op->space = (uint8_t)emu_take_space(d);
  known = known && emu_take(d, "mbarrier::complete_tx::bytes");
  facts->multicast = emu_take(d, "multicast::cluster::all");
  known = known && emu_take(d, "b128") && (op->space == EMU_GENERIC || op->space == EMU_SHARED);
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  if (!known) {
    return emu_unknown_form(d, err,
                            "it is try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes"
                            "{.multicast::cluster::all}.b128");
  }
  op->facts = facts;
  op->exec = run_cancel;
  op->kind = EMU_KIND_ASYNC_COPY;
  st = emu_operand_address(&facts->to, d, 0, err);
  return st ? st : emu_operand_address(&facts->barrier, d, 1, err);
}

static gg_status decode_query(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const which[] = {"get_first_ctaid::x", "get_first_ctaid::y",
                                      "get_first_ctaid::z", NULL};
  int one = emu_take_word(d, which), count = 1;
  bool is_canceled = one < 0 && emu_take(d, "is_canceled");
  bool all = one < 0 && !is_canceled && emu_take(d, "get_first_ctaid");
  bool known = is_canceled ? emu_take(d, "pred") : (one >= 0 || all) && emu_take(d, "b32");
  known = known && emu_take(d, "b128") && (!all || emu_take(d, "v4"));
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  if (!known) {
    return emu_unknown_form(
        d, err,
        "it is query_cancel.is_canceled.pred.b128, .get_first_ctaid.v4.b32.b128 "
        "or .get_first_ctaid::x, ::y or ::z.b32.b128");
  }
  op->kind = EMU_KIND_INTEGER;
  op->exec = is_canceled ? run_is_canceled : run_first_ctaid;
  op->target = (uint32_t)(one < 0 ? 0 : one);
  if ((st = emu_operands_open(op, d, all ? 5 : 2, err))) return st;
  if (all) {
    st = emu_operand_vector(op->operands, &count, 4, d, 0, EMU_B32, true, err);
    if (!st && count != 4) return emu_unknown_form(d, err, "%d results, not four", count);
  } else {
    st = emu_operand_register(op->operands, d, 0, is_canceled ? EMU_PRED : EMU_B32, err);
  }
  op->operand_count = (uint16_t)(count + 1);
  return st ? st : emu_operand_value(&op->operands[count], d, 1, EMU_B128, err);
}

gg_status emu_decode_launch_control(emu_op *op, emu_decoder *d, gg_error *err) {
  if (emu_decoder_arch(d) < 100) return emu_unknown_form(d, err, "it needs sm_100");
  if (emu_take(d, "try_cancel")) return decode_cancel(op, d, err);
  if (emu_take(d, "query_cancel")) return decode_query(op, d, err);
  return emu_unknown_form(d, err, "it is try_cancel or query_cancel");
}
