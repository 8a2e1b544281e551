/* Instructions of a whole warp: shfl, vote, match, redux, elect, activemask, bar.warp.sync. (PTX
 * ISA, "Data Movement and Conversion Instructions" and "Parallel Synchronization and Communication
 * Instructions".)
 *
 * The lanes that a member mask names meet at the instruction, and then run it together. Lanes that
 * bring different masks to one instruction are parted by them first. bar.warp.sync alone lets its
 * members meet at different instructions, as it exchanges nothing. */
#include <inttypes.h>
#include <string.h>

#include "emu/hazard.h"
#include "emu/isa/access.h"
#include "emu/isa/lanes.h"
#include "emu/number/float.h"
#include "emu/state.h"
#include "emu/unit.h"

/* ---- Meeting ---------------------------------------------------------------------------- */

/* Keeps of *lanes those that bring the first one's member mask; the others become a split. EMU_NEXT
 * with that mask, or EMU_FAULT. */
static emu_step part_by_mask(uint32_t *members, emu_warp *warp, const emu_op *op,
                             const emu_operand *mask, uint32_t *lanes) {
  const uint32_t *masks = EMU_AT(const uint32_t, warp, mask);
  uint32_t same = 0;
  *members = masks[__builtin_ctz(*lanes)];
  EMU_EACH_LANE(*lanes, lane) {
    if (masks[lane] == *members) same |= UINT32_C(1) << lane;
  }
  if (same & ~*members) {
    return emu_fault(warp, op, __builtin_ctz(same & ~*members), GG_E_EMU_CONVERGENCE,
                     "the member mask 0x%08" PRIx32 " does not name the lane", *members);
  }
  if (same != *lanes) emu_warp_split(warp, *lanes & ~same);
  *lanes = same;
  return EMU_NEXT;
}

/* The members of the mask meet: EMU_NEXT with *lanes all of them, EMU_WAIT or EMU_FAULT. */
static emu_step gather(emu_warp *warp, const emu_op *op, const emu_operand *mask, uint32_t *lanes) {
  uint32_t members;
  if (part_by_mask(&members, warp, op, mask, lanes) == EMU_FAULT) return EMU_FAULT;
  if (!emu_converge(warp, op, members, lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  return EMU_NEXT;
}

/* The unit's state of a warp: lanes at bar.warp.sync. */
typedef struct meeting {
  uint32_t waiting, met; /* that wait, and that may go on */
} meeting;

const emu_unit emu_unit_warp_barrier = {.name = "barriers", .warp_bytes = sizeof(meeting)};

static emu_step warp_barrier(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  meeting *own = emu_unit_of_warp(warp, op, EMU_UNIT_ID_WARP_BARRIER);
  if (!own) return EMU_FAULT;
  uint32_t members;
  uint32_t met = lanes & own->met;
  if (met) {
    if (met != lanes) emu_warp_split(warp, lanes & ~met); /* who have come for the next meeting */
    own->met &= ~met;
    return EMU_NEXT;
  }
  if (part_by_mask(&members, warp, op, &op->operands[0], &lanes) == EMU_FAULT) return EMU_FAULT;
  members &= warp->alive;
  own->waiting |= lanes;
  if (!(members & ~own->waiting)) {
    uint32_t all = members;
    own->waiting &= ~members;
    if (!emu_converge(warp, op, members, &all)) {
      warp->split->waits_for = NULL;
      own->met |= members & ~lanes;
      emu_warp_retry(warp);
    }
    emu_hazard_converge(warp);
    return EMU_NEXT;
  }
  return emu_block(warp, warp->state, op->ptx->form->text);
}

static gg_status decode_mask(emu_operand *out, emu_decoder *d, int index, gg_error *err) {
  return emu_operand_value(out, d, index, EMU_B32, err);
}

/* Room for the op's operands. */
static gg_status make_operands(emu_op *op, emu_decoder *d, int count, gg_error *err) {
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, (size_t)count);
  op->operand_count = (uint16_t)count;
  return op->operands ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

gg_status emu_decode_warp_barrier(emu_op *op, emu_decoder *d, gg_error *err) {
  if (!emu_take(d, "sync")) return emu_unknown_form(d, err, "bar.warp is bar.warp.sync");
  op->exec = warp_barrier;
  op->kind = EMU_KIND_WARP;
  op->converges = true;
  gg_status st = make_operands(op, d, 1, err);
  if (!st) st = decode_mask(&op->operands[0], d, 0, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* ---- shfl ------------------------------------------------------------------------------- */

typedef enum shuffle { UP, DOWN, BFLY, IDX } shuffle;

enum { SHFL_TO, SHFL_VALID, SHFL_FROM, SHFL_LANE, SHFL_CLAMP, SHFL_MASK, SHFL_COUNT };

static emu_step shfl(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_step step = gather(warp, op, &op->operands[SHFL_MASK], &lanes);
  if (step != EMU_NEXT) return step;
  const uint32_t *from = EMU_AT(const uint32_t, warp, &op->operands[SHFL_FROM]);
  const uint32_t *which = EMU_AT(const uint32_t, warp, &op->operands[SHFL_LANE]);
  const uint32_t *clamp = EMU_AT(const uint32_t, warp, &op->operands[SHFL_CLAMP]);
  uint32_t result[EMU_LANES], valid = 0;
  EMU_EACH_LANE(lanes, lane) {
    uint32_t b = which[lane] & 31, limit = clamp[lane] & 31, segment = clamp[lane] >> 8 & 31;
    uint32_t most = (lane & segment) | (limit & ~segment);
    uint32_t least = lane & segment, source;
    bool inside;
    switch ((shuffle)op->target) {
    case UP:
      source = lane - b;
      inside = (int32_t)source >= (int32_t)most;
      break;
    case DOWN:
      source = lane + b;
      inside = source <= most;
      break;
    case BFLY:
      source = lane ^ b;
      inside = source <= most;
      break;
    default:
      source = least | (b & ~segment);
      inside = source <= most;
    }
    if (!inside) source = lane;
    result[lane] = from[source & 31];
    valid |= (uint32_t)inside << lane;
  }
  const emu_operand *to = &op->operands[SHFL_TO];
  if (!to->sink) {
    uint32_t *values = EMU_AT(uint32_t, warp, to);
    EMU_EACH_LANE(lanes, lane) {
      values[lane] = result[lane];
    }
  }
  emu_set_predicate(warp, &op->operands[SHFL_VALID], lanes, valid);
  return EMU_NEXT;
}

/* A destination, or `d|p` as two. */
static gg_status decode_pair(emu_operand *first, emu_operand *second, emu_decoder *d, int index,
                             emu_type type, gg_error *err) {
  const ptx_operand *operand = emu_operand_at(d, index);
  *second = (emu_operand){.sink = true};
  if (!operand || operand->kind != PTX_PAIR) {
    return emu_operand_register(first, d, index, type, err);
  }
  emu_operand *const out[2] = {first, second};
  for (uint32_t i = 0; i < 2; i++) {
    const ptx_operand *part = &operand->elements[i];
    if (part->kind == PTX_SINK) {
      *out[i] = (emu_operand){.sink = true};
      continue;
    }
    if (part->kind != PTX_REGISTER || part->negated) {
      return emu_unknown_form(d, err, "a result is no register");
    }
    gg_status st = emu_operand_part(out[i], d, index, part, i ? EMU_PRED : type, err);
    if (st) return st;
  }
  return GG_OK;
}

gg_status emu_decode_shfl(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const modes[] = {"up", "down", "bfly", "idx", NULL};
  if (!emu_take(d, "sync")) return emu_unknown_form(d, err, "shfl is shfl.sync from sm_70 on");
  int mode = emu_take_word(d, modes);
  if (mode < 0) return emu_unknown_form(d, err, "up, down, bfly or idx");
  if (emu_take_type(d) != EMU_B32) return emu_unknown_form(d, err, "shfl is .b32");
  op->exec = shfl;
  op->kind = EMU_KIND_WARP;
  op->converges = true;
  op->target = (uint32_t)mode;
  gg_status st = make_operands(op, d, SHFL_COUNT, err);
  emu_operand *o = op->operands;
  if (!st) st = decode_pair(&o[SHFL_TO], &o[SHFL_VALID], d, 0, EMU_B32, err);
  if (!st) st = emu_operand_value(&o[SHFL_FROM], d, 1, EMU_B32, err);
  if (!st) st = emu_operand_value(&o[SHFL_LANE], d, 2, EMU_B32, err);
  if (!st) st = emu_operand_value(&o[SHFL_CLAMP], d, 3, EMU_B32, err);
  if (!st) st = decode_mask(&o[SHFL_MASK], d, 4, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* ---- vote, activemask, elect ------------------------------------------------------------ */

typedef enum vote_mode { ALL, ANY, UNI, BALLOT } vote_mode;

static emu_step vote(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_step step = gather(warp, op, &op->operands[2], &lanes);
  if (step != EMU_NEXT) return step;
  uint32_t holds = emu_predicate(warp, &op->operands[1]) & lanes;
  if (op->target == BALLOT) {
    if (op->operands[0].sink) return EMU_NEXT;
    uint32_t *to = EMU_AT(uint32_t, warp, &op->operands[0]);
    EMU_EACH_LANE(lanes, lane) {
      to[lane] = holds;
    }
    return EMU_NEXT;
  }
  bool result = op->target == ALL   ? holds == lanes
                : op->target == ANY ? holds != 0
                                    : holds == lanes || !holds;
  emu_set_predicate(warp, &op->operands[0], lanes, result ? UINT32_MAX : 0);
  return EMU_NEXT;
}

gg_status emu_decode_vote(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const modes[] = {"all", "any", "uni", "ballot", NULL};
  if (!emu_take(d, "sync")) return emu_unknown_form(d, err, "vote is vote.sync from sm_70 on");
  int mode = emu_take_word(d, modes);
  if (mode < 0) return emu_unknown_form(d, err, "all, any, uni or ballot");
  emu_type type = mode == BALLOT ? EMU_B32 : EMU_PRED;
  if (emu_take_type(d) != type) {
    return emu_unknown_form(d, err, "the result is .%s", emu_type_of(type)->spelling);
  }
  op->exec = vote;
  op->kind = EMU_KIND_WARP;
  op->converges = true;
  op->target = (uint32_t)mode;
  gg_status st = make_operands(op, d, 3, err);
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, type, err);
  if (!st) st = emu_operand_value(&op->operands[1], d, 1, EMU_PRED, err);
  if (!st) st = decode_mask(&op->operands[2], d, 2, err);
  return st ? st : emu_modifiers_end(d, err);
}

static emu_step activemask(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  if (op->operands[0].sink) return EMU_NEXT;
  uint32_t *to = EMU_AT(uint32_t, warp, &op->operands[0]);
  EMU_EACH_LANE(lanes, lane) {
    to[lane] = lanes;
  }
  return EMU_NEXT;
}

gg_status emu_decode_activemask(emu_op *op, emu_decoder *d, gg_error *err) {
  if (emu_take_type(d) != EMU_B32) return emu_unknown_form(d, err, "activemask is .b32");
  op->exec = activemask;
  op->kind = EMU_KIND_WARP;
  gg_status st = make_operands(op, d, 1, err);
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, EMU_B32, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* The lowest member is the one. */
static emu_step elect(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_step step = gather(warp, op, &op->operands[2], &lanes);
  if (step != EMU_NEXT) return step;
  uint32_t leader = (uint32_t)__builtin_ctz(lanes);
  if (!op->operands[0].sink) {
    uint32_t *to = EMU_AT(uint32_t, warp, &op->operands[0]);
    EMU_EACH_LANE(lanes, lane) {
      to[lane] = leader;
    }
  }
  emu_set_predicate(warp, &op->operands[1], lanes, UINT32_C(1) << leader);
  return EMU_NEXT;
}

gg_status emu_decode_elect(emu_op *op, emu_decoder *d, gg_error *err) {
  if (!emu_take(d, "sync")) return emu_unknown_form(d, err, "elect is elect.sync");
  op->exec = elect;
  op->kind = EMU_KIND_WARP;
  op->converges = true;
  gg_status st = make_operands(op, d, 3, err);
  if (!st) st = decode_pair(&op->operands[0], &op->operands[1], d, 0, EMU_B32, err);
  if (!st) st = decode_mask(&op->operands[2], d, 1, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* ---- match ------------------------------------------------------------------------------ */

static uint64_t value_at(const emu_warp *warp, const emu_operand *operand, uint32_t lane) {
  return operand->lane_bytes == 8 ? EMU_AT(const uint64_t, warp, operand)[lane]
                                  : EMU_AT(const uint32_t, warp, operand)[lane];
}

enum { MATCH_TO, MATCH_ALL, MATCH_VALUE, MATCH_MASK, MATCH_COUNT };

static emu_step match(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_step step = gather(warp, op, &op->operands[MATCH_MASK], &lanes);
  if (step != EMU_NEXT) return step;
  const emu_operand *value = &op->operands[MATCH_VALUE];
  uint32_t same[EMU_LANES];
  EMU_EACH_LANE(lanes, lane) {
    uint64_t mine = value_at(warp, value, lane);
    same[lane] = 0;
    for (uint32_t other = 0; other < EMU_LANES; other++) {
      if ((lanes >> other & 1) && value_at(warp, value, other) == mine) {
        same[lane] |= UINT32_C(1) << other;
      }
    }
  }
  bool any = op->target, all = same[__builtin_ctz(lanes)] == lanes;
  if (!op->operands[MATCH_TO].sink) {
    uint32_t *to = EMU_AT(uint32_t, warp, &op->operands[MATCH_TO]);
    EMU_EACH_LANE(lanes, lane) {
      to[lane] = any ? same[lane] : all ? lanes : 0;
    }
  }
  emu_set_predicate(warp, &op->operands[MATCH_ALL], lanes, all ? UINT32_MAX : 0);
  return EMU_NEXT;
}

gg_status emu_decode_match(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const modes[] = {"all", "any", NULL};
  int mode = emu_take_word(d, modes);
  if (mode < 0 || !emu_take(d, "sync")) {
    return emu_unknown_form(d, err, "match is match.any.sync or match.all.sync");
  }
  emu_type type = emu_take_type(d);
  if (type != EMU_B32 && type != EMU_B64) return emu_unknown_form(d, err, "the type is b32 or b64");
  op->exec = match;
  op->kind = EMU_KIND_WARP;
  op->converges = true;
  op->target = (uint32_t)mode;
  gg_status st = make_operands(op, d, MATCH_COUNT, err);
  emu_operand *o = op->operands;
  if (!st) st = decode_pair(&o[MATCH_TO], &o[MATCH_ALL], d, 0, EMU_B32, err);
  if (!st) st = emu_operand_value(&o[MATCH_VALUE], d, 1, type, err);
  if (!st) st = decode_mask(&o[MATCH_MASK], d, 2, err);
  return st ? st : emu_modifiers_end(d, err);
}

/* ---- redux ------------------------------------------------------------------------------ */

typedef enum reduction { ADD, MIN, MAX, AND, OR, XOR } reduction;

static uint32_t reduce_integers(const emu_op *op, uint32_t a, uint32_t b) {
  bool is_signed = op->type == EMU_S32;
  switch ((reduction)op->target) {
  case ADD:
    return a + b;
  case MIN:
    return (is_signed ? (int32_t)a < (int32_t)b : a < b) ? a : b;
  case MAX:
    return (is_signed ? (int32_t)a > (int32_t)b : a > b) ? a : b;
  case AND:
    return a & b;
  case OR:
    return a | b;
  default:
    return a ^ b;
  }
}

/* redux.f32: min and max; a NaN loses unless .NaN is said, .abs compares and gives magnitudes. */
typedef struct redux_float {
  bool absolute, nan;
} redux_float;

static uint32_t reduce_floats(const emu_op *op, uint32_t a, uint32_t b) {
  return emu_f32_extreme(a, b, op->target == MIN, ((const redux_float *)op->facts)->nan);
}

static emu_step redux(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_step step = gather(warp, op, &op->operands[2], &lanes);
  if (step != EMU_NEXT) return step;
  const redux_float *facts = op->facts;
  const uint32_t *from = EMU_AT(const uint32_t, warp, &op->operands[1]);
  uint32_t strip = facts && facts->absolute ? INT32_MAX : UINT32_MAX;
  uint32_t first = (uint32_t)__builtin_ctz(lanes), result = from[first] & strip;
  if (facts) result = reduce_floats(op, result, result);
  EMU_EACH_LANE(lanes & (lanes - 1), lane) {
    uint32_t value = from[lane] & strip;
    result = facts ? reduce_floats(op, result, value) : reduce_integers(op, result, value);
  }
  if (op->operands[0].sink) return EMU_NEXT;
  uint32_t *to = EMU_AT(uint32_t, warp, &op->operands[0]);
  EMU_EACH_LANE(lanes, lane) {
    to[lane] = result;
  }
  return EMU_NEXT;
}

static gg_status decode_redux_float(emu_op *op, emu_decoder *d, gg_error *err) {
  redux_float *facts = GG_ARENA_NEW(emu_decoder_arena(d), redux_float);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  facts->absolute = emu_take(d, "abs");
  facts->nan = emu_take(d, "NaN");
  op->facts = facts;
  if (op->target == MIN || op->target == MAX) return GG_OK;
  return emu_unknown_form(d, err, "f32 has min and max alone");
}

gg_status emu_decode_redux(emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const words[] = {"add", "min", "max", "and", "or", "xor", NULL};
  if (!emu_take(d, "sync")) return emu_unknown_form(d, err, "redux is redux.sync");
  int word = emu_take_word(d, words);
  if (word < 0) return emu_unknown_form(d, err, "add, min, max, and, or or xor");
  op->exec = redux;
  op->kind = EMU_KIND_WARP;
  op->converges = true;
  op->target = (uint32_t)word;
  op->type = emu_take_type(d);
  bool bits = op->type == EMU_B32, integer = op->type == EMU_U32 || op->type == EMU_S32;
  gg_status st = make_operands(op, d, 3, err);
  if (st) return st;
  if (op->type == EMU_F32) {
    st = decode_redux_float(op, d, err);
  } else if (word >= AND ? !bits : !integer) {
    st = emu_unknown_form(d, err, "the type does not go with .%s", words[word]);
  }
  if (!st) st = emu_operand_register(&op->operands[0], d, 0, (emu_type)op->type, err);
  if (!st) st = emu_operand_value(&op->operands[1], d, 1, (emu_type)op->type, err);
  if (!st) st = decode_mask(&op->operands[2], d, 2, err);
  return st ? st : emu_modifiers_end(d, err);
}
