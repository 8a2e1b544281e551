/* tensormap.replace and tensormap.cp_fenceproxy (PTX ISA, "tensormap.replace",
 * "tensormap.cp_fenceproxy").
 *
 * A map is checked when it is used: replacing fields passes through states that are no legal maps.
 * The numbers of element types are the instruction's own, not those of the driver API. */
#include <string.h>

#include "emu/async/map_changes.h"
#include "emu/async/modifiers.h"
#include "emu/async/tensor_map.h"

typedef enum field {
  GLOBAL_ADDRESS,
  RANK,
  BOX_DIM,
  GLOBAL_DIM,
  GLOBAL_STRIDE,
  ELEMENT_STRIDE,
  ELEMTYPE,
  INTERLEAVE_LAYOUT,
  SWIZZLE_MODE,
  FILL_MODE,
  SWIZZLE_ATOMICITY,
} field;

static const char *const fields[] = {
    "global_address", "rank",           "box_dim",           "global_dim",
    "global_stride",  "element_stride", "elemtype",          "interleave_layout",
    "swizzle_mode",   "fill_mode",      "swizzle_atomicity", NULL};

typedef struct replace_facts {
  field field;
  uint32_t ordinal;
} replace_facts;

/* ---- Maps in memory --------------------------------------------------------------------- */

static bool move_map(uint8_t bytes[EMU_TENSOR_MAP_BYTES], emu_warp *warp, const emu_op *op,
                     int lane, emu_space space, uint64_t address, bool store) {
  uint8_t data[EMU_LANES][EMU_ACCESS_MAX];
  uint64_t addresses[EMU_LANES];
  for (int i = 0; i < EMU_TENSOR_MAP_BYTES; i += EMU_ACCESS_MAX) {
    addresses[lane] = address + (uint64_t)i;
    if (store) memcpy(data[lane], bytes + i, EMU_ACCESS_MAX);
    if (!(store ? emu_store : emu_load)(warp, op, space, addresses, 1u << lane, EMU_ACCESS_MAX,
                                        data)) {
      return false;
    }
    if (!store) memcpy(bytes + i, data[lane], EMU_ACCESS_MAX);
  }
  return true;
}

static emu_tensor_type type_of(uint64_t number) {
  static const emu_tensor_type types[] = {
      EMU_TENSOR_U8,           EMU_TENSOR_U16,          EMU_TENSOR_U32,
      EMU_TENSOR_S32,          EMU_TENSOR_U64,          EMU_TENSOR_S64,
      EMU_TENSOR_F16,          EMU_TENSOR_F32,          EMU_TENSOR_F32_FTZ,
      EMU_TENSOR_F64,          EMU_TENSOR_BF16,         EMU_TENSOR_TF32,
      EMU_TENSOR_TF32_FTZ,     EMU_TENSOR_16U4_ALIGN8B, EMU_TENSOR_16U4_ALIGN16B,
      EMU_TENSOR_16U6_ALIGN16B};
  return number < sizeof types / sizeof *types ? types[number] : EMU_TENSOR_TYPE_COUNT;
}

/* A map's swizzle is a mode and, of 128B, an atomicity; here they are one number. What is no legal
 * pair yet is kept as one that no map may have. */
static emu_tensor_swizzle with_swizzle(emu_tensor_swizzle before, bool atomicity, uint32_t value) {
  const uint32_t now = (uint32_t)before, most = (1u << EMU_SWIZZLE_PAIR_BITS) - 1;
  uint32_t pair[2] = {now, 0};
  if (now & EMU_SWIZZLE_PAIR) {
    pair[0] = now & most;
    pair[1] = now >> EMU_SWIZZLE_PAIR_BITS & most;
  } else if (now > EMU_SWIZZLE_128B) {
    pair[0] = EMU_SWIZZLE_128B;
    pair[1] = now - EMU_SWIZZLE_128B;
  }
  pair[atomicity] = value < most ? value : most;
  if (pair[0] == EMU_SWIZZLE_128B && pair[1] < 4) return EMU_SWIZZLE_128B + pair[1];
  if (pair[0] < EMU_SWIZZLE_128B && !pair[1]) return (emu_tensor_swizzle)pair[0];
  return (emu_tensor_swizzle)(EMU_SWIZZLE_PAIR | pair[0] | pair[1] << EMU_SWIZZLE_PAIR_BITS);
}

static void replace(emu_tensor_map *map, const replace_facts *facts, uint64_t value) {
  uint32_t word = (uint32_t)value, i = facts->ordinal;
  switch (facts->field) {
  case GLOBAL_ADDRESS:
    map->address = value;
    break;
  case RANK: /* is given less one */
    map->rank = word + 1;
    break;
  case BOX_DIM:
    map->box[i] = word;
    break;
  case GLOBAL_DIM:
    map->dims[i] = word;
    break;
  case GLOBAL_STRIDE:
    map->strides[i] = value;
    break;
  case ELEMENT_STRIDE:
    map->element_strides[i] = word;
    break;
  case ELEMTYPE:
    map->type = type_of(value);
    break;
  case INTERLEAVE_LAYOUT:
    map->interleave = (emu_tensor_interleave)word;
    break;
  case SWIZZLE_MODE:
  case SWIZZLE_ATOMICITY:
    map->swizzle = with_swizzle(map->swizzle, facts->field == SWIZZLE_ATOMICITY, word);
    break;
  default:
    map->fill = (emu_tensor_fill)word;
    break;
  }
}

static emu_step run_replace(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  EMU_EACH_LANE(lanes, lane) {
    uint8_t bytes[EMU_TENSOR_MAP_BYTES];
    emu_tensor_map map;
    uint64_t address = emu_lane_address(warp, &op->address, (int)lane);
    emu_space space = (emu_space)op->space;
    if (!move_map(bytes, warp, op, (int)lane, space, address, false)) return EMU_FAULT;
    if (!emu_tensor_map_decode(&map, bytes)) {
      return emu_fault(warp, op, (int)lane, GG_E_EMU_TENSOR_MAP,
                       "the 128 bytes are no tensor map of this emulator");
    }
    replace(&map, op->facts, emu_lane_value(warp, &op->operands[0], (int)lane));
    emu_tensor_map_pack(bytes, &map);
    if (!move_map(bytes, warp, op, (int)lane, space, address, true)) return EMU_FAULT;
    if (space == EMU_GENERIC) space = emu_space_of(address);
    if (space == EMU_GLOBAL && !emu_map_changed(warp, op, address, false)) return EMU_FAULT;
  }
  return EMU_NEXT;
}

/* operands: the source's address; op->address: the destination's. */
static emu_step run_copy(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_address *from = op->facts;
  uint8_t bytes[EMU_TENSOR_MAP_BYTES];
  if (!emu_converge(warp, op, warp->alive, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  int lane = __builtin_ctz(lanes);
  uint64_t to = emu_lane_address(warp, &op->address, lane);
  bool ok = move_map(bytes, warp, op, lane, EMU_SHARED, emu_lane_address(warp, from, lane), false);
  ok = ok && move_map(bytes, warp, op, lane, EMU_GLOBAL, to, true);
  if (!ok || !emu_map_changed(warp, op, to, true)) return EMU_FAULT;
  emu_hazard_fence(warp);
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

/* [map] {, ordinal}, value. */
static gg_status decode_replace(emu_op *op, emu_decoder *d, gg_error *err) {
  replace_facts *facts = GG_ARENA_NEW(emu_decoder_arena(d), replace_facts);
  if (!facts) return gg_fail(err, MEMORY, NULL, "");
  bool tile = emu_take(d, "tile");
  int which = emu_take_word(d, fields);
  op->space = (uint8_t)emu_take_space(d);
  bool sized = emu_take(d, "b1024");
  emu_type type = emu_take_type(d);
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  if (!tile || which < 0 || !sized || (type != EMU_B32 && type != EMU_B64)) {
    return emu_unknown_form(d, err, "it is tensormap.replace.tile.FIELD.b1024 and .b32 or .b64");
  }
  facts->field = (field)which;
  op->facts = facts;
  op->exec = run_replace;
  if (which == SWIZZLE_ATOMICITY && emu_decoder_arch(d) < 100) {
    return emu_unknown_form(d, err, ".swizzle_atomicity needs sm_100");
  }
  bool ordered = which >= BOX_DIM && which <= ELEMENT_STRIDE;
  int64_t ordinal = 0, most = which == GLOBAL_STRIDE ? EMU_TENSOR_RANK - 2 : EMU_TENSOR_RANK - 1;
  st = emu_operands_open(op, d, 1, err);
  if (!st) st = emu_operand_address(&op->address, d, 0, err);
  if (!st && ordered) st = emu_operand_immediate(&ordinal, d, 1, err);
  if (!st && (ordinal < 0 || ordinal > most)) {
    return emu_unknown_form(d, err, "ordinal %lld: it is 0 to %lld", (long long)ordinal,
                            (long long)most);
  }
  facts->ordinal = (uint32_t)ordinal;
  return st ? st : emu_operand_value(&op->operands[0], d, ordered ? 2 : 1, type, err);
}

/* [global], [shared], 128. */
static gg_status decode_copy(emu_op *op, emu_decoder *d, gg_error *err) {
  emu_address *from = GG_ARENA_NEW(emu_decoder_arena(d), emu_address);
  if (!from) return gg_fail(err, MEMORY, NULL, "");
  bool known = emu_take(d, "global") && emu_take(d, "shared::cta") &&
               emu_take(d, "tensormap::generic") && emu_take_sem(d) == EMU_SEM_RELEASE;
  emu_take_scope(d);
  known = known && emu_take(d, "sync") && emu_take(d, "aligned");
  gg_status st = emu_modifiers_end(d, err);
  if (st) return st;
  if (!known) {
    return emu_unknown_form(d, err,
                            "it is .global.shared::cta.tensormap::generic.release.SCOPE"
                            ".sync.aligned");
  }
  int64_t bytes = 0;
  op->facts = from;
  op->converges = true;
  op->exec = run_copy;
  st = emu_operand_address(&op->address, d, 0, err);
  if (!st) st = emu_operand_address(from, d, 1, err);
  if (!st) st = emu_operand_immediate(&bytes, d, 2, err);
  if (!st && bytes != EMU_TENSOR_MAP_BYTES) return emu_unknown_form(d, err, "128 bytes are copied");
  return st;
}

gg_status emu_decode_tensormap(emu_op *op, emu_decoder *d, gg_error *err) {
  op->kind = EMU_KIND_STORE;
  if (emu_take(d, "replace")) return decode_replace(op, d, err);
  if (emu_take(d, "cp_fenceproxy")) return decode_copy(op, d, err);
  return emu_unknown_form(d, err, "it is replace or cp_fenceproxy");
}
