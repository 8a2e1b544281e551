/* cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor: boxes of
 * tensors that a tensor map describes (PTX ISA, "Data Movement and Conversion Instructions: Tensor
 * copy"). Tile mode alone.
 *
 * What the PTX ISA does not say, seen on the H100: the innermost coordinate must be a multiple of
 * 16 bytes, a store's may not be negative, nor its others, and s64 has .min and .max alone; all
 * else is an illegal instruction. */
#include <string.h>

#include "emu/async/decoders.h"
#include "emu/async/map_changes.h"
#include "emu/async/modifiers.h"
#include "emu/async/transfer.h"

enum { shared_align = 128, barrier_bytes = 8, params_end = 1 << 16 };

typedef enum action { LOAD, STORE, PREFETCH } action;

typedef struct tensor_facts {
  action action;
  uint32_t rank;
  emu_address map, shared, barrier;
  emu_space shared_space;
  bool multicast, reduces, pair, four;
  emu_reduction reduction;
} tensor_facts;

/* Coordinates that the instruction has. */
static uint32_t coordinates_of(const tensor_facts *facts) {
  return facts->four ? 1 + EMU_FOUR_ROWS : facts->rank;
}

/* operands: coordinates (of four rows one and each row's), mask of CTAs. */
enum { MASK = EMU_TENSOR_RANK, OPERANDS };

/* ---- The map ---------------------------------------------------------------------------- */

static emu_step wrong_map(const emu_transfer *t, const char *why) {
  return emu_fault(t->warp, t->op, t->lane, GG_E_EMU_TENSOR_MAP, "%s", why);
}

/* Reads the map's bytes. Its address is generic, or that of a parameter. */
static bool read_map(uint8_t out[EMU_TENSOR_MAP_BYTES], const emu_transfer *t, uint64_t address) {
  uint8_t data[EMU_LANES][EMU_ACCESS_MAX];
  uint64_t addresses[EMU_LANES];
  if (address % EMU_TENSOR_MAP_ALIGN) {
    emu_fault(t->warp, t->op, t->lane, GG_E_EMU_MISALIGNED,
              "the tensor map at 0x%llx is not at a multiple of %d", (unsigned long long)address,
              EMU_TENSOR_MAP_ALIGN);
    return false;
  }
  if (!emu_map_use(t->warp, t->op, t->lane, address)) return false;
  emu_space space = address < params_end ? EMU_PARAM : EMU_GENERIC;
  for (int i = 0; i < EMU_TENSOR_MAP_BYTES; i += EMU_ACCESS_MAX) {
    addresses[t->lane] = address + (uint64_t)i;
    if (!emu_load(t->warp, t->op, space, addresses, 1u << t->lane, EMU_ACCESS_MAX, data)) {
      return false;
    }
    memcpy(out + i, data[t->lane], EMU_ACCESS_MAX);
  }
  return true;
}

static bool check_map(const emu_transfer *t, uint32_t rank) {
  gg_str why = GG_STR_INIT;
  if (!emu_tensor_map_wrong(&why, &t->map, t->warp->cta->cluster->run->options->arch)) {
    if (t->map.rank != rank) {
      gg_str_printf(&why, "the tensor map has %u dimensions, the instruction %u", t->map.rank,
                    rank);
    } else if (t->four && t->map.box[1] != 1) {
      gg_str_printf(&why,
                    "boxDim[1] = %u: where four rows are copied each is a box of its own, and "
                    "boxDim[1] is 1",
                    t->map.box[1]);
    }
  }
  bool ok = !why.length;
  if (!ok) wrong_map(t, gg_str_text(&why));
  gg_str_free(&why);
  return ok;
}

static bool begin(emu_transfer *t, emu_warp *warp, const emu_op *op, int lane) {
  const tensor_facts *facts = op->facts;
  uint8_t bytes[EMU_TENSOR_MAP_BYTES];
  *t = (emu_transfer){.warp = warp,
                      .op = op,
                      .lane = lane,
                      .tensor = true,
                      .pair = facts->pair,
                      .four = facts->four};
  t->map_at = emu_lane_address(warp, &facts->map, lane);
  if (!read_map(bytes, t, t->map_at)) return false;
  if (!emu_tensor_map_decode(&t->map, bytes)) {
    wrong_map(t, "the 128 bytes are no tensor map of this emulator");
    return false;
  }
  for (uint32_t i = 0; i < facts->rank; i++)
    t->at[i] = (int32_t)emu_lane_value(warp, &op->operands[i], lane);
  for (int i = 0; facts->four && i < EMU_FOUR_ROWS; i++)
    t->rows[i] = (int32_t)emu_lane_value(warp, &op->operands[1 + i], lane);
  if (!check_map(t, facts->rank)) return false;
  if (facts->four) t->map.box[1] = EMU_FOUR_ROWS;
  if (facts->four) t->map.element_strides[1] = 1;
  return true;
}

/* ---- Copies ----------------------------------------------------------------------------- */

static bool check_inner(const emu_transfer *t) {
  bool padded = emu_tensor_type_padded(t->map.type);
  int64_t unit = padded ? 128 : 16 * 8 / (int64_t)emu_tensor_type_bits(t->map.type);
  if (t->map.interleave != EMU_INTERLEAVE_NONE || t->at[0] % unit == 0) return true;
  if (padded) {
    emu_fault(t->warp, t->op, t->lane, GG_E_EMU_ILLEGAL,
              "the innermost coordinate is %d: of this type a copy takes multiples of 128",
              t->at[0]);
    return false;
  }
  emu_fault(t->warp, t->op, t->lane, GG_E_EMU_ILLEGAL,
            "the innermost coordinate, %d, is %lld bytes: a copy takes multiples of 16", t->at[0],
            (long long)t->at[0] * emu_tensor_type_bits(t->map.type) / 8);
  return false;
}

static bool load(emu_transfer *t, const tensor_facts *facts) {
  emu_place to, barrier;
  if (t->map.type == EMU_TENSOR_16U6_ALIGN16B && t->map.swizzle == EMU_SWIZZLE_128B_ATOM_64B) {
    wrong_map(t, "type 16U6_ALIGN16B has the swizzle 128B_ATOM_64B for stores alone");
    return false;
  }
  if (!emu_lane_destination(&to, t->warp, t->op, t->lane, &facts->shared, facts->shared_space,
                            emu_transfer_span(t), shared_align, facts->multicast) ||
      !emu_lane_place(&barrier, t->warp, t->op, t->lane, &facts->barrier, facts->shared_space,
                      barrier_bytes, barrier_bytes)) {
    return false;
  }
  if (!facts->multicast) return emu_transfer_in(t, to, barrier);
  uint32_t mask = (uint32_t)emu_lane_value(t->warp, &t->op->operands[MASK], t->lane) & 0xffff;
  return emu_transfer_multicast(t, to, barrier, mask);
}

/* The types of tensor maps, as reductions know them; bitwise ones take any of the width. */
static emu_type reduced_type(emu_tensor_type type, emu_reduction reduction) {
  static const emu_type reduced[EMU_TENSOR_TYPE_COUNT] = {
      [EMU_TENSOR_U32] = EMU_U32,  [EMU_TENSOR_S32] = EMU_S32,     [EMU_TENSOR_U64] = EMU_U64,
      [EMU_TENSOR_S64] = EMU_S64,  [EMU_TENSOR_F16] = EMU_F16,     [EMU_TENSOR_F32] = EMU_F32,
      [EMU_TENSOR_F64] = EMU_F64,  [EMU_TENSOR_BF16] = EMU_BF16,   [EMU_TENSOR_F32_FTZ] = EMU_F32,
      [EMU_TENSOR_TF32] = EMU_F32, [EMU_TENSOR_TF32_FTZ] = EMU_F32};
  bool bitwise =
      reduction == EMU_REDUCE_AND || reduction == EMU_REDUCE_OR || reduction == EMU_REDUCE_XOR;
  bool integer = type >= EMU_TENSOR_U32 && type <= EMU_TENSOR_U64;
  if (!bitwise || !integer) return reduced[type];
  return emu_tensor_type_bits(type) == 32 ? EMU_B32 : EMU_B64;
}

/* Of four rows each has a coordinate, which is held to what holds of any store's: Triton's kernels,
 * in which a row of -1 goes nowhere, make of it one that is too large. */
static bool check_stored(const emu_transfer *t, const tensor_facts *facts) {
  uint32_t count = coordinates_of(facts);
  for (uint32_t i = 0; i < count; i++) {
    int at = t->four && i ? t->rows[i - 1] : t->at[i];
    if (at >= 0) continue;
    emu_fault(t->warp, t->op, t->lane, GG_E_EMU_ILLEGAL,
              "coordinate %u is %d: only loads take negative ones", i, at);
    return false;
  }
  return true;
}

static bool store(emu_transfer *t, const tensor_facts *facts) {
  emu_place from;
  if (t->map.type == EMU_TENSOR_16U4_ALIGN16B) {
    wrong_map(t, "tensors of type 16U4_ALIGN16B are loaded, not stored");
    return false;
  }
  if (!check_stored(t, facts)) return false;
  t->reduces = facts->reduces;
  t->reduction = facts->reduction;
  t->type = facts->reduces ? reduced_type(t->map.type, facts->reduction) : EMU_NONE;
  t->flushes = t->map.type == EMU_TENSOR_F32_FTZ || t->map.type == EMU_TENSOR_TF32_FTZ;
  if (facts->reduces && !emu_reduction_exists(t->reduction, t->type)) {
    emu_fault(t->warp, t->op, t->lane, GG_E_EMU_ILLEGAL,
              "this reduction does not exist for the tensor's type, %s",
              t->type ? emu_type_of(t->type)->spelling : "which is too narrow");
    return false;
  }
  return emu_lane_place(&from, t->warp, t->op, t->lane, &facts->shared, facts->shared_space,
                        emu_transfer_span_read(t), shared_align) &&
         emu_transfer_out(t, from);
}

static emu_step run_tensor(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const tensor_facts *facts = op->facts;
  EMU_EACH_LANE(lanes, lane) {
    emu_transfer transfer;
    if (!begin(&transfer, warp, op, (int)lane)) return EMU_FAULT;
    bool ok = check_inner(&transfer);
    if (ok && facts->action == LOAD) ok = load(&transfer, facts);
    if (ok && facts->action == STORE) ok = store(&transfer, facts);
    if (!ok) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

/* [map, {coordinates}]. */
static gg_status decode_tensor(emu_op *op, emu_decoder *d, tensor_facts *facts, int index,
                               gg_error *err) {
  const ptx_operand *whole = emu_operand_at(d, index);
  gg_status st = emu_operand_address(&facts->map, d, index, err);
  if (st) return st;
  uint32_t count = coordinates_of(facts);
  if (whole->element_count != count) {
    return emu_unknown_form(d, err, "%u coordinates of a tensor of %u dimensions%s",
                            whole->element_count, facts->rank,
                            facts->four ? ": four rows have one and four" : "");
  }
  for (uint32_t i = 0; !st && i < count; i++) {
    st = emu_operand_part(&op->operands[i], d, index, &whole->elements[i], EMU_S32, err);
  }
  return st;
}

static gg_status decode_load(emu_op *op, emu_decoder *d, tensor_facts *facts, bool hinted,
                             gg_error *err) {
  emu_operand policy;
  int at = 3;
  gg_status st = emu_operand_address(&facts->shared, d, 0, err);
  if (!st) st = decode_tensor(op, d, facts, 1, err);
  if (!st) st = emu_operand_address(&facts->barrier, d, 2, err);
  if (!st && facts->multicast) {
    st = emu_operand_value(&op->operands[MASK], d, at++, EMU_U16, err);
  }
  if (!st && hinted) st = emu_operand_value(&policy, d, at, EMU_B64, err);
  return st;
}

static gg_status decode_store(emu_op *op, emu_decoder *d, tensor_facts *facts, bool hinted,
                              gg_error *err) {
  emu_operand policy;
  gg_status st = decode_tensor(op, d, facts, 0, err);
  if (!st) st = emu_operand_address(&facts->shared, d, 1, err);
  if (!st && hinted) st = emu_operand_value(&policy, d, 2, EMU_B64, err);
  return st;
}

/* What is copied where, and how it completes. */
static gg_status take_direction(tensor_facts *facts, emu_decoder *d, bool reduces, gg_error *err) {
  emu_space to = emu_take_space(d), from = emu_take_space(d);
  bool loads = to == EMU_SHARED || to == EMU_SHARED_CLUSTER;
  facts->action = loads ? LOAD : STORE;
  facts->shared_space = loads ? to : from;
  if (loads ? from != EMU_GLOBAL : to != EMU_GLOBAL || from != EMU_SHARED) {
    return emu_unknown_form(d, err,
                            "it copies between .global and .shared::cta or .shared::cluster");
  }
  if (loads && reduces) return emu_unknown_form(d, err, "reductions are to .global");
  if (!emu_take(d, loads ? "mbarrier::complete_tx::bytes" : "bulk_group")) {
    return emu_unknown_form(d, err, "it completes on %s",
                            loads ? ".mbarrier::complete_tx::bytes" : ".bulk_group");
  }
  facts->multicast = loads && emu_take(d, "multicast::cluster");
  if (!reduces) return GG_OK;
  int reduction = emu_take_reduction(d);
  if (reduction < 0) return emu_unknown_form(d, err, "no reduction");
  facts->reduces = true;
  facts->reduction = (emu_reduction)reduction;
  return GG_OK;
}

static bool take_rank(tensor_facts *facts, emu_decoder *d) {
  static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d", NULL};
  int rank = emu_take_word(d, ranks);
  facts->rank = (uint32_t)(rank + 1);
  return rank >= 0;
}

/* .cta_group came with tcgen05; ::1 says nothing. (A copy that is no load has none, which is left
 * to those who make PTX.) */
static void take_group(tensor_facts *facts, emu_decoder *d) {
  int arch = emu_decoder_arch(d);
  if (arch < 100 || arch >= 120) return;
  emu_take(d, "cta_group::1");
  facts->pair = emu_take(d, "cta_group::2");
}

/* .tile::gather4 of loads and prefetches, .tile::scatter4 of stores. */
static gg_status take_mode(tensor_facts *facts, emu_decoder *d, gg_error *err) {
  bool gathers = emu_take(d, "tile::gather4"), scatters = emu_take(d, "tile::scatter4");
  int arch = emu_decoder_arch(d);
  facts->four = gathers || scatters;
  if (!facts->four) {
    emu_take(d, "tile");
    return GG_OK;
  }
  if (arch < 100 || (scatters && arch >= 120)) {
    return emu_unknown_form(d, err, "sm_%d has no .tile::%s", arch,
                            scatters ? "scatter4" : "gather4");
  }
  if (facts->rank != 2) return emu_unknown_form(d, err, "four rows are of a tensor of 2d");
  if (scatters != (facts->action == STORE)) {
    return emu_unknown_form(d, err, "loads have .tile::gather4, stores .tile::scatter4");
  }
  return GG_OK;
}

gg_status emu_decode_tensor_copy(emu_op *op, emu_decoder *d, gg_error *err) {
  tensor_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), tensor_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  if (!take_rank(facts, d)) return emu_unknown_form(d, err, "tensors have 1d to 5d");
  take_group(facts, d);
  gg_status st = emu_check_bulk_modifiers(d, err);
  if (!st) st = emu_operands_open(op, d, OPERANDS, err);
  if (st) return st;
  bool hinted = emu_take(d, "L2::cache_hint");
  op->facts = facts;
  op->exec = run_tensor;
  if (emu_take(d, "prefetch")) {
    facts->action = PREFETCH;
    emu_take(d, "L2");
    emu_take(d, "global");
    st = take_mode(facts, d, err);
    if (!st) st = emu_modifiers_end(d, err);
    return st ? st : decode_tensor(op, d, facts, 0, err);
  }
  st = take_direction(facts, d, op->type2, err);
  if (!st) st = take_mode(facts, d, err);
  if (!st && facts->four && facts->reduces) {
    st = emu_unknown_form(d, err, "reductions have no .tile::scatter4");
  }
  if (!st) st = emu_modifiers_end(d, err);
  if (st) return st;
  return facts->action == LOAD ? decode_load(op, d, facts, hinted, err)
                               : decode_store(op, d, facts, hinted, err);
}
