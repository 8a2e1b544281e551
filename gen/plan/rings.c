#include "plan/rings.h"

#include <assert.h>

void gg_rings_add(gg_rings *rings, gg_ring ring) {
  assert(rings->count < GG_RING_COUNT);
  rings->list[rings->count++] = ring;
}

void gg_rings_add_role(gg_rings *rings, gg_role role) {
  assert(rings->role_count < GG_ROLE_COUNT);
  rings->roles[rings->role_count++] = role;
}

int64_t gg_ring_bytes(const gg_ring *ring) {
  return ring ? ring->bytes * ring->depth * ring->instances : 0;
}

static void place_barriers(gg_rings *rings, gg_ring_barriers *kind) {
  kind->begin = rings->barriers_begin + (int64_t)rings->barriers * GG_BARRIER_BYTES;
  rings->barriers += kind->count;
}

void gg_rings_place(gg_rings *rings) {
  enum { word_bytes = 8 };
  int64_t begin = 0, end = 0;
  for (size_t i = 0; i < rings->count; i++) {
    gg_ring *ring = &rings->list[i];
    if (!ring->reuses) begin = end;
    ring->begin = begin;
    if (begin + gg_ring_bytes(ring) > end) end = begin + gg_ring_bytes(ring);
  }
  rings->barriers_begin = end;
  rings->barriers = 0;
  for (size_t i = 0; i < rings->count; i++) {
    gg_ring *ring = &rings->list[i];
    place_barriers(rings, &ring->full);
    for (int k = 0; k < ring->empties; k++)
      place_barriers(rings, &ring->empty[k]);
  }
  rings->bytes = rings->word_begin = end + (int64_t)rings->barriers * GG_BARRIER_BYTES;
  if (rings->claims || gg_rings_find(rings, GG_RING_ACCUMULATORS)) rings->bytes += word_bytes;
}

const gg_ring *gg_rings_find(const gg_rings *rings, gg_ring_id id) {
  for (size_t i = 0; i < rings->count; i++) {
    if (rings->list[i].id == id) return &rings->list[i];
  }
  return NULL;
}

const gg_role *gg_rings_role(const gg_rings *rings, gg_role_id id) {
  for (size_t i = 0; i < rings->role_count; i++) {
    if (rings->roles[i].id == id) return &rings->roles[i];
  }
  return NULL;
}
