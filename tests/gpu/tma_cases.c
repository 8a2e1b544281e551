/* Tensor maps, boxes and coordinates from a case's index: legal ones, ones that are nearly so, and
 * for copies ones that the hardware may refuse when they run. */
#include "tma.h"

enum {
  ENCODES = 2400,
  LOADS = 1000,
  STORES = 400,
  REDUCES = 400,
  TYPES = 13,
  REDUCTIONS = 8,
  COMBINATIONS = TYPES * REDUCTIONS,
  ODD = 32,
  CASES = ENCODES + LOADS + STORES + REDUCES + COMBINATIONS + ODD,
};

unsigned tma_case_count(void) {
  return CASES;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint64_t tma_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t limit) {
  return (uint32_t)(tma_random(state) % limit);
}

static int between(uint64_t *state, int low, int high) {
  return low + (int)below(state, (uint32_t)(high - low + 1));
}

uint32_t tma_type_bytes(int type) {
  static const uint8_t bytes[TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type >= 0 && type < TYPES ? bytes[type] : 4;
}

uint32_t tma_box_bytes(const tma_map *map) {
  uint32_t bytes = tma_type_bytes(map->type);
  for (uint32_t i = 0; i < map->rank && i < TMA_RANK; i++) {
    uint32_t stride = i || map->interleave ? map->element_strides[i] : 1;
    bytes *= (map->box[i] + stride - 1) / (stride ? stride : 1);
  }
  return bytes;
}

/* ---- Legal maps ------------------------------------------------------------------------- */

static uint32_t inner_unit(const tma_map *map) {
  return (map->interleave == 2 ? 32 : 16) / tma_type_bytes(map->type);
}

/* Interleaved tensors have slices of 16 or 32 bytes, which a box takes whole. */
static void choose_inner(tma_map *map, uint64_t *state) {
  uint32_t unit = inner_unit(map), most = map->swizzle ? 1u << map->swizzle : 12;
  if (map->interleave) {
    map->box[0] = unit;
    map->dims[0] = 1 + below(state, 4 * unit);
  } else {
    map->box[0] = unit * (1 + below(state, most));
    if (map->box[0] > 256) map->box[0] = 256;
    map->dims[0] = 1 + below(state, 2 * map->box[0]);
  }
}

static void choose_outer(tma_map *map, uint64_t *state) {
  uint32_t align = map->interleave == 2 ? 32 : 16;
  uint64_t bytes = map->dims[0] * tma_type_bytes(map->type);
  bool strided = below(state, 4) == 0;
  for (uint32_t i = 0; i < map->rank; i++) {
    map->element_strides[i] = strided ? 1 + below(state, 3) : 1;
    if (!i) continue;
    map->box[i] = 1 + below(state, map->rank > 3 ? 4 : 9);
    map->dims[i] = 1 + below(state, map->rank > 3 ? 4 : 12);
    bytes = (bytes + align - 1) / align * align + align * (uint64_t)(below(state, 3) == 0);
    map->strides[i - 1] = bytes;
    bytes *= map->dims[i];
  }
}

static uint64_t tensor_bytes(const tma_map *map) {
  uint64_t bytes = map->dims[0] * tma_type_bytes(map->type);
  if (map->rank > 1) bytes = map->strides[map->rank - 2] * map->dims[map->rank - 1];
  return bytes;
}

static void choose_map(tma_map *map, uint64_t *state) {
  do {
    *map = (tma_map){.type = (int)below(state, TYPES), .rank = 1 + below(state, TMA_RANK)};
    if (map->rank > 2 && below(state, 3) == 0) map->interleave = 1 + (int)below(state, 2);
    map->swizzle = (int)below(state, 4);
    if (map->interleave) map->swizzle = map->interleave == 2;
    map->promotion = (int)below(state, 4);
    bool is_float = map->type >= 6;
    map->fill = is_float ? (int)below(state, 2) : 0;
    choose_inner(map, state);
    choose_outer(map, state);
  } while (tensor_bytes(map) > TMA_BYTES || tma_box_bytes(map) > TMA_BYTES / 2);
}

/* ---- Maps that are nearly legal --------------------------------------------------------- */

static void spoil_shape(tma_map *map, uint64_t *state) {
  static const uint64_t dims[] = {0, 1, 7, (uint64_t)1 << 32, ((uint64_t)1 << 32) + 1, 100};
  static const uint64_t strides[] = {0,  8,  16,    32,   48, ((uint64_t)1 << 40) - 32,
                                     24, 17, 65536, 4096, 96, (uint64_t)1 << 40};
  static const uint32_t boxes[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 255, 256, 257, 3, 24};
  static const uint32_t steps[] = {0, 1, 2, 4, 5, 7, 8, 9};
  uint32_t i = below(state, map->rank ? map->rank : 1);
  switch (below(state, 4)) {
  case 0:
    map->dims[i] = dims[below(state, 6)];
    break;
  case 1:
    map->strides[i] = strides[below(state, 12)];
    break;
  case 2:
    map->box[i] = boxes[below(state, 14)];
    break;
  default:
    map->element_strides[i] = steps[below(state, 8)];
    break;
  }
}

static void spoil_mode(tma_map *map, uint64_t *state) {
  switch (below(state, 8)) {
  case 0:
    map->type = between(state, 0, 16);
    break;
  case 1:
    map->rank = 1 + below(state, TMA_RANK);
    break;
  case 2:
  case 3:
    map->interleave = between(state, 0, 3);
    break;
  case 4:
  case 5:
    map->swizzle = between(state, 0, 7);
    break;
  case 6:
    map->fill = between(state, 0, 2);
    map->promotion = between(state, 0, 4);
    break;
  default:
    map->displacement = below(state, 2) ? 16 : 8;
    break;
  }
}

/* Every field holds something, beyond the rank too. */
static void choose_spoilt(tma_map *map, uint64_t *state) {
  choose_map(map, state);
  for (uint32_t i = map->rank; i < TMA_RANK; i++) {
    map->dims[i] = 2;
    map->box[i] = 2;
    map->element_strides[i] = 1;
    map->strides[i - 1] = i > 1 ? map->strides[i - 2] * map->dims[i - 1] : 4096;
  }
  for (uint32_t n = below(state, 4); n; n--) {
    if (below(state, 2))
      spoil_shape(map, state);
    else
      spoil_mode(map, state);
  }
}

/* ---- Copies ----------------------------------------------------------------------------- */

static void choose_place(tma_case *c, uint64_t *state) {
  const tma_map *map = &c->map;
  bool loads = c->kind == TMA_LOAD;
  int unit = (int)inner_unit(map), inner = (int)map->box[0] / unit;
  c->at[0] = unit * between(state, loads ? -inner : 0, (int)map->dims[0] / unit + 1);
  if (below(state, 3) == 0) c->at[0] = 0;
  for (uint32_t i = 1; i < map->rank; i++) {
    int low = loads ? -(int)map->box[i] : 0, high = (int)map->dims[i] + 1;
    c->at[i] = below(state, 2) ? 0 : between(state, low, high);
  }
  c->offset = 128 * below(state, 8);
}

/* Reductions that the PTX ISA has for a type of tensor. */
static void choose_reduction(tma_case *c, uint64_t *state) {
  static const uint8_t of[TYPES] = {
      [2] = 0xff, [3] = 0xe7, [4] = 0xe7, [5] = 0xe6, [6] = 7, [7] = 1, [8] = 1, [9] = 7, [10] = 1};
  do {
    choose_map(&c->map, state);
    c->reduction = (int)below(state, REDUCTIONS);
  } while (!(of[c->map.type] >> c->reduction & 1));
}

static void plain_map(tma_map *map, int type) {
  *map = (tma_map){.type = type, .rank = 2, .dims = {64, 4}, .box = {32, 4}};
  map->strides[0] = 64 * tma_type_bytes(type);
  for (int i = 0; i < TMA_RANK; i++)
    map->element_strides[i] = 1;
}

/* Misplaced boxes: in shared memory, by coordinates that are no multiple of 16 bytes, or negative.
 */
static void odd_case(tma_case *c, uint32_t which) {
  static const uint32_t offsets[] = {16, 32, 64, 8};
  plain_map(&c->map, which & 1 ? 6 : 2);
  c->kind = which & 2 ? TMA_STORE : TMA_LOAD;
  switch (which >> 2) {
  case 0:
  case 1:
  case 2:
  case 3:
    c->offset = offsets[which >> 2];
    break;
  case 4:
    c->at[0] = 2;
    break;
  case 5:
    c->at[0] = -16;
    break;
  case 6:
    c->at[1] = -1;
    break;
  default: /* as 0, swizzled */
    c->offset = 16;
    c->map.swizzle = 3;
    c->map.box[0] = 16;
    break;
  }
}

void tma_case_at(tma_case *out, unsigned index) {
  uint64_t state = 0x746d61 + (uint64_t)index * 0x10001;
  *out = (tma_case){.kind = TMA_ENCODE, .seed = tma_random(&state)};
  if (index < ENCODES) {
    choose_spoilt(&out->map, &state);
  } else if (index < ENCODES + LOADS + STORES) {
    out->kind = index < ENCODES + LOADS ? TMA_LOAD : TMA_STORE;
    choose_map(&out->map, &state);
    choose_place(out, &state);
  } else if (index < ENCODES + LOADS + STORES + REDUCES) {
    out->kind = TMA_REDUCE;
    choose_reduction(out, &state);
    choose_place(out, &state);
  } else if (index < CASES - ODD) {
    uint32_t which = index - (ENCODES + LOADS + STORES + REDUCES);
    out->kind = TMA_REDUCE;
    plain_map(&out->map, (int)which / REDUCTIONS);
    out->reduction = (int)which % REDUCTIONS;
  } else {
    odd_case(out, index - (CASES - ODD));
  }
}
