/* Tensor maps, boxes and coordinates from a case's index: legal ones, ones that are nearly so, and
 * for copies ones that the hardware may refuse when they run. */
#include "tma.h"

enum {
  TYPES = 13,
  REDUCTIONS = 8,
  /* The sorts of cases, in their order. */
  ENCODES = 2400,
  LOADS = 1000,
  MULTICASTS = 300,
  PREFETCHES = 60,
  STORES = 400,
  REDUCES = 400,
  COMBINATIONS = TYPES * REDUCTIONS,
  ODD = 32,
  PLAIN = 400,
  PLAIN_COMBINATIONS = 2 * TMA_BULK_TYPES * REDUCTIONS,
  ODD_PLAIN = 9 * 12,
};

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

static uint32_t type_bytes(int type) {
  static const uint8_t bytes[TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type >= 0 && type < TYPES ? bytes[type] : 4;
}

/* Bytes from one to the next along dimension 0, which counts an interleaved tensor's pixels. */
static uint32_t step_bytes(const tma_map *map) {
  return map->interleave ? 16u * (uint32_t)map->interleave : type_bytes(map->type);
}

/* Bytes that a box counts in shared memory. Of an interleaved tensor's slices it takes one. */
static uint32_t box_bytes(const tma_map *map) {
  uint32_t bytes = step_bytes(map);
  for (uint32_t i = 0; i < map->rank && i < TMA_RANK; i++) {
    uint32_t stride = i || map->interleave ? map->element_strides[i] : 1;
    if (!map->interleave || i + 2 != map->rank) bytes *= (map->box[i] + stride - 1) / stride;
  }
  return bytes;
}

/* ---- Legal maps ------------------------------------------------------------------------- */

/* Elements of dimension 0 that boxes have whole multiples of. */
static uint32_t inner_unit(const tma_map *map) {
  return 16 / type_bytes(map->type);
}

static void choose_inner(tma_map *map, uint64_t *state) {
  uint32_t most = map->interleave ? 3 : map->swizzle ? 1u << map->swizzle : 12;
  map->box[0] = inner_unit(map) * (1 + below(state, most));
  if (map->box[0] > 256) map->box[0] = 256;
  map->dims[0] = 1 + below(state, 2 * map->box[0]);
}

static void choose_outer(tma_map *map, uint64_t *state) {
  uint32_t align = map->interleave == 2 ? 32 : 16;
  uint64_t bytes = map->dims[0] * step_bytes(map);
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
  uint64_t bytes = map->dims[0] * step_bytes(map);
  if (map->rank > 1) bytes = map->strides[map->rank - 2] * map->dims[map->rank - 1];
  return bytes;
}

static void choose_map(tma_map *map, uint64_t *state) {
  do {
    *map = (tma_map){.type = (int)below(state, TYPES), .rank = 1 + below(state, TMA_RANK)};
    if (map->rank > 2 && below(state, 3) == 0) map->interleave = 1 + (int)below(state, 2);
    map->swizzle = (int)below(state, 4);
    map->promotion = (int)below(state, 4);
    bool is_float = map->type >= 6;
    map->fill = is_float ? (int)below(state, 2) : 0;
    choose_inner(map, state);
    choose_outer(map, state);
  } while (tensor_bytes(map) > TMA_BYTES || box_bytes(map) > TMA_BYTES / 2);
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

/* Most boxes end inside the shared memory that is looked at, with lines a swizzle's span apart. */
static void choose_offset(tma_case *c, uint64_t *state) {
  const tma_map *map = &c->map;
  uint32_t bytes = box_bytes(map), span = map->swizzle ? 16u << map->swizzle : 0;
  uint32_t stride = map->interleave ? map->element_strides[0] : 1;
  uint32_t line = (map->box[0] + stride - 1) / stride * step_bytes(map);
  uint32_t occupied = bytes / line * (line < span ? span : line);
  uint32_t room = c->words.window > occupied ? (c->words.window - occupied) / 128 : 0;
  if (below(state, 40) == 0) room = 40;
  c->words.offset = 128 * below(state, room + 1);
}

static void choose_place(tma_case *c, uint64_t *state) {
  const tma_map *map = &c->map;
  int32_t *at = c->words.at;
  bool loads = c->kind == TMA_LOAD;
  int unit = map->interleave ? 1 : (int)inner_unit(map), inner = (int)map->box[0] / unit;
  at[0] = unit * between(state, loads ? -inner : 0, (int)map->dims[0] / unit + 1);
  if (below(state, 3) == 0) at[0] = 0;
  for (uint32_t i = 1; i < map->rank; i++) {
    int low = loads ? -(int)map->box[i] : 0, high = (int)map->dims[i] + 1;
    at[i] = below(state, 2) ? 0 : between(state, low, high);
  }
  choose_offset(c, state);
  c->words.expect = box_bytes(map);
  c->hinted = below(state, 4) == 0;
}

/* A box that is loaded, stored or prefetched by one CTA. */
static void box_case(tma_case *c, uint64_t *state) {
  choose_map(&c->map, state);
  choose_place(c, state);
  c->own = c->kind == TMA_LOAD && below(state, 4) == 0;
}

/* Reductions that the PTX ISA has for a type of tensor. */
static void reduce_case(tma_case *c, uint64_t *state) {
  static const uint8_t of[TYPES] = {
      [2] = 0xff, [3] = 0xe7, [4] = 0xe7, [5] = 0xe6, [6] = 7, [7] = 1, [8] = 1, [9] = 7, [10] = 1};
  do {
    choose_map(&c->map, state);
    c->reduction = (int)below(state, REDUCTIONS);
  } while (!(of[c->map.type] >> c->reduction & 1));
  choose_place(c, state);
}

static void choose_cluster(tma_case *c, uint64_t *state) {
  c->ctas = 1u << below(state, 3);
  c->clustered = true;
  c->words.window = TMA_BYTES / c->ctas;
  c->words.issuer = below(state, c->ctas);
  c->words.target = below(state, c->ctas);
  c->words.mask = 1u << c->words.target;
}

/* A box for some CTAs of a cluster, or for another one than the issuer. */
static void multicast_case(tma_case *c, uint64_t *state) {
  choose_cluster(c, state);
  do {
    choose_map(&c->map, state);
  } while (box_bytes(&c->map) > c->words.window / 2);
  choose_place(c, state);
  c->multicast = below(state, 4) != 0;
  if (!c->multicast) return;
  c->words.target = c->words.issuer; /* whose addresses are given */
  c->words.mask = 1 + below(state, (1u << c->ctas) - 1);
}

static void plain_map(tma_map *map, int type) {
  *map = (tma_map){.type = type, .rank = 2, .dims = {64, 4}, .box = {32, 4}};
  map->strides[0] = 64 * type_bytes(type);
  for (int i = 0; i < TMA_RANK; i++)
    map->element_strides[i] = 1;
}

static void combination_case(tma_case *c, uint32_t which, uint64_t *state) {
  (void)state;
  c->kind = TMA_REDUCE;
  plain_map(&c->map, (int)which / REDUCTIONS);
  c->reduction = (int)which % REDUCTIONS;
}

/* Misplaced boxes: in shared memory, by coordinates that are no multiple of 16 bytes, or negative.
 */
static void odd_case(tma_case *c, uint32_t which, uint64_t *state) {
  (void)state;
  static const uint32_t offsets[] = {16, 32, 64, 8};
  plain_map(&c->map, which & 1 ? 6 : 2);
  c->kind = which & 2 ? TMA_STORE : TMA_LOAD;
  switch (which >> 2) {
  case 0:
  case 1:
  case 2:
  case 3:
    c->words.offset = offsets[which >> 2];
    break;
  case 4:
    c->words.at[0] = 2;
    break;
  case 5:
    c->words.at[0] = -16;
    break;
  case 6:
    c->words.at[1] = -1;
    break;
  default: /* as 0, swizzled */
    c->words.offset = 16;
    c->map.swizzle = 3;
    c->map.box[0] = 16;
    break;
  }
  c->words.expect = box_bytes(&c->map);
}

/* ---- Plain bytes ------------------------------------------------------------------------ */

/* `bytes` from a multiple of 16 in shared memory to one in global memory, or back, or to another
 * multiple in shared memory, that do not overlap. */
static void choose_bytes(tma_case *c, uint32_t bytes, uint64_t *state) {
  bool across = c->kind == BULK_ACROSS || c->kind == BULK_REDUCE_ACROSS;
  uint32_t half = c->words.window / 2;
  c->words.bytes = c->words.expect = bytes;
  c->words.offset = 16 * below(state, (half - bytes) / 16 + 1);
  c->words.from = across ? half + 16 * below(state, (half - bytes) / 16 + 1)
                         : 16 * below(state, (TMA_BYTES - bytes) / 16 + 1);
}

static void plain_case(tma_case *c, uint64_t *state) {
  static const tma_kind kinds[] = {BULK_IN, BULK_IN, BULK_OUT, BULK_ACROSS, BULK_PREFETCH};
  c->kind = kinds[below(state, 5)];
  c->hinted = c->kind != BULK_ACROSS && below(state, 4) == 0;
  c->own = c->kind == BULK_IN && below(state, 4) == 0;
  if (!c->own && (c->kind == BULK_IN || c->kind == BULK_ACROSS)) choose_cluster(c, state);
  if (c->kind == BULK_IN && !c->own && below(state, 2)) {
    c->multicast = true;
    c->words.target = c->words.issuer;
    c->words.mask = 1 + below(state, (1u << c->ctas) - 1);
  }
  choose_bytes(c, 16 * (1 + below(state, c->words.window / 32)), state);
}

/* Every reduction of every type, those that do not exist too. */
static void plain_combination_case(tma_case *c, uint32_t which, uint64_t *state) {
  c->kind = which % 2 ? BULK_REDUCE_ACROSS : BULK_REDUCE;
  c->type = (int)(which / 2) % TMA_BULK_TYPES;
  c->reduction = (int)(which / 2) / TMA_BULK_TYPES;
  if (c->kind == BULK_REDUCE_ACROSS) {
    c->ctas = 2;
    c->clustered = true;
    c->words.window = TMA_BYTES / 2;
    c->words.target = 1;
    c->words.mask = 2;
  }
  choose_bytes(c, 1024, state);
}

/* Addresses that are no multiples of 16, bytes that end behind shared memory, none at all; a mask
 * without CTAs or with too many; launches without clusters. Sizes that are no multiples of 16 the
 * PTX ISA leaves undefined. */
static void spoil_plain(tma_case *c, uint32_t how) {
  bool plain = c->kind != TMA_LOAD && c->kind != TMA_PREFETCH;
  switch (how) {
  case 0:
    c->clustered = c->ctas > 1;
    break;
  case 1:
    if (plain) c->words.bytes = c->words.expect = 0;
    break;
  case 2:
    c->words.offset += 8;
    break;
  case 3:
    c->words.from += 8;
    break;
  case 4:
    c->words.offset = TMA_BYTES - 128;
    break;
  case 5:
    c->words.from = TMA_BYTES - 128;
    break;
  case 6:
    if (c->multicast) c->words.mask = 0;
    break;
  case 7:
    if (c->multicast) c->words.mask = 7;
    break;
  default:
    c->words.at[0] = 1;
    c->words.at[1] = -1;
    break;
  }
}

static void odd_plain_case(tma_case *c, uint32_t which, uint64_t *state) {
  static const struct {
    tma_kind kind;
    bool two_ctas, multicast;
  } uses[] = {
      {BULK_IN, false, false},
      {BULK_OUT, false, false},
      {BULK_REDUCE, false, false},
      {BULK_ACROSS, false, false},
      {BULK_REDUCE_ACROSS, false, false},
      {BULK_PREFETCH, false, false},
      {TMA_PREFETCH, false, false},
      {BULK_IN, true, true},
      {TMA_LOAD, true, true},
      {BULK_IN, true, false},
      {TMA_LOAD, true, false},
      {BULK_ACROSS, true, false},
  };
  enum { USES = sizeof uses / sizeof *uses };
  c->kind = uses[which % USES].kind;
  c->multicast = uses[which % USES].multicast;
  c->clustered = true;
  plain_map(&c->map, 2);
  if (uses[which % USES].two_ctas) {
    c->ctas = 2;
    c->words.window = TMA_BYTES / 2;
    c->words.target = !c->multicast;
    c->words.mask = c->multicast ? 3 : 2;
  }
  choose_bytes(c, 256, state);
  if (c->kind == TMA_LOAD) {
    c->words.offset = 128;
    c->words.expect = box_bytes(&c->map);
  }
  spoil_plain(c, which / USES);
}

/* ---- The list --------------------------------------------------------------------------- */

static void encode_case(tma_case *c, uint64_t *state) {
  choose_spoilt(&c->map, state);
}

/* What makes the cases of a sort: from random numbers, or from their number too. */
static const struct {
  unsigned count;
  tma_kind kind;
  void (*make)(tma_case *c, uint64_t *state);
  void (*make_numbered)(tma_case *c, uint32_t which, uint64_t *state);
} sorts[] = {
    {ENCODES, TMA_ENCODE, encode_case, NULL},
    {LOADS, TMA_LOAD, box_case, NULL},
    {MULTICASTS, TMA_LOAD, multicast_case, NULL},
    {PREFETCHES, TMA_PREFETCH, box_case, NULL},
    {STORES, TMA_STORE, box_case, NULL},
    {REDUCES, TMA_REDUCE, reduce_case, NULL},
    {COMBINATIONS, TMA_REDUCE, NULL, combination_case},
    {ODD, TMA_LOAD, NULL, odd_case},
    {PLAIN, BULK_IN, plain_case, NULL},
    {PLAIN_COMBINATIONS, BULK_REDUCE, NULL, plain_combination_case},
    {ODD_PLAIN, BULK_IN, NULL, odd_plain_case},
};
enum { SORTS = sizeof sorts / sizeof *sorts };

unsigned tma_case_count(void) {
  unsigned count = 0;
  for (int i = 0; i < SORTS; i++)
    count += sorts[i].count;
  return count;
}

void tma_case_at(tma_case *out, unsigned index) {
  uint64_t state = 0x746d61 + (uint64_t)index * 0x10001;
  *out = (tma_case){.seed = tma_random(&state), .ctas = 1};
  out->words.window = TMA_BYTES;
  out->words.mask = 1;
  const int last = SORTS - 1;
  int sort = 0;
  for (; sort < last && index >= sorts[sort].count; sort++)
    index -= sorts[sort].count;
  out->kind = sorts[sort].kind;
  if (sorts[sort].make)
    sorts[sort].make(out, &state);
  else
    sorts[sort].make_numbered(out, index, &state);
}
