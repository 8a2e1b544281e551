#include "annotate/places.h"

enum { unit = 16, descriptor_bits = 14, columns = 1 << 16 };

/* The byte of shared memory that an element means; -1: none. */
static int64_t byte_of(const flow_element *e) {
  if (e->base == FLOW_SHARED || e->base == FLOW_CLUSTER) return e->at;
  if (e->base == FLOW_UNITS) return (e->at & ((1 << descriptor_bits) - 1)) * unit;
  return -1;
}

static bool is_within(int64_t at, int64_t begin, int64_t bytes) {
  return at >= begin && at < begin + bytes;
}

static bool is_barrier(const gg_ring_barriers *kind, int64_t at) {
  return is_within(at, kind->begin, (int64_t)kind->count * GG_BARRIER_BYTES) &&
         (at - kind->begin) % GG_BARRIER_BYTES == 0;
}

/* Whose part of a stage the byte is of. */
static const gg_operand_row *operand_at(const map_of_memory *memory, const gg_ring *ring,
                                        int64_t at) {
  for (size_t i = 0; i < memory->row_count; i++) {
    const gg_operand_row *row = &memory->rows[i];
    if (row->ring == ring && row->bytes && is_within(at, row->offset, row->bytes)) return row;
  }
  return NULL;
}

/* One of a ring's depth, whichever instance it is of. */
static int stage_at(const place *at, int64_t byte) {
  int64_t begin = at->barriers ? at->barriers->begin : at->ring->begin;
  int64_t each = at->barriers ? GG_BARRIER_BYTES : at->ring->bytes;
  int64_t number = (byte - begin) / each;
  /* Barriers of warps' own, as those of sums, are no stages. */
  return (int)(number % at->ring->depth);
}

/* Whether the byte is in the ring, and where. */
static bool find_in(place *out, const gg_ring *ring, int64_t byte) {
  const gg_ring_barriers *barriers = NULL;
  if (byte < 0) return false;
  if (is_barrier(&ring->full, byte)) barriers = &ring->full;
  for (int k = 0; k < ring->empties; k++) {
    if (is_barrier(&ring->empty[k], byte)) barriers = &ring->empty[k];
  }
  if (!barriers && !is_within(byte, ring->begin, gg_ring_bytes(ring))) return false;
  *out = (place){.ring = ring, .barriers = barriers, .is_full = barriers == &ring->full};
  return true;
}

/* False where it is in none, or, unless one of them is `wanted`, where rings take each other's
 * place. */
static bool find(place *out, const map_of_memory *memory, int64_t byte, const gg_ring *wanted) {
  const gg_rings *rings = &memory->layouts->rings;
  int found = 0;
  for (size_t i = 0; i < rings->count; i++) {
    if (!wanted || wanted == &rings->list[i]) found += find_in(out, &rings->list[i], byte);
  }
  if (found != 1) return false;
  out->stage = stage_at(out, byte);
  if (!out->barriers)
    out->operand = operand_at(memory, out->ring, (byte - out->ring->begin) % out->ring->bytes);
  return true;
}

bool place_in(place *out, const map_of_memory *memory, const flow_value *value,
              const gg_ring *ring) {
  if (!value || value->count == 0) return false;
  for (uint32_t i = 0; i < value->count; i++) {
    place at = {0};
    if (!find(&at, memory, byte_of(&value->list[i]), ring)) return false;
    at.elsewhere = value->list[i].base == FLOW_CLUSTER;
    if (i == 0) *out = at;
    if (at.ring != out->ring || at.barriers != out->barriers) return false;
    if (at.stage != out->stage) out->stage = -1;
    if (at.operand != out->operand) out->operand = NULL;
    out->elsewhere = out->elsewhere || at.elsewhere;
  }
  return true;
}

bool place_of(place *out, const map_of_memory *memory, const flow_value *value) {
  return place_in(out, memory, value, NULL);
}

void place_stages(int64_t *stages, const place *at, const flow_value *value) {
  for (uint32_t i = 0; i < value->count; i++)
    stages[i] = stage_at(at, byte_of(&value->list[i]));
}

bool place_is_accumulators(const map_of_memory *memory, const flow_value *value) {
  if (!value || value->count == 0) return false;
  for (uint32_t i = 0; i < value->count; i++) {
    const flow_element *e = &value->list[i];
    if (e->base != FLOW_TENSOR || e->at < 0) return false;
    if (e->at % columns >= memory->layouts->accumulator.columns) return false;
  }
  return true;
}
