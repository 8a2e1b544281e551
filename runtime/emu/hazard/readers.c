/* See readers.h. */
#include "emu/hazard/readers.h"

#include <string.h>

#include "base/alloc.h"

enum {
  recent_count = 4096,
  least_limit = 1 << 15,
  nodes_max = 1 << 20,
  agents_max = 1 << EMU_EPOCH_AGENT_BITS
};

typedef struct emu_addition {
  emu_epoch epoch;
  uint32_t set, result; /* result 0: unused */
} emu_addition;

void emu_readers_free(emu_readers *readers) {
  gg_free(readers->nodes);
  gg_free(readers->buckets);
  gg_free(readers->recent);
}

void emu_readers_clear(emu_readers *readers) {
  readers->count = 0;
  if (readers->buckets) memset(readers->buckets, 0, readers->bucket_count * sizeof(uint32_t));
  if (readers->recent) memset(readers->recent, 0, recent_count * sizeof(emu_addition));
}

/* Epochs differ in their highest bits, which a product carries no lower: those are folded in. */
static uint32_t hash(emu_epoch epoch, uint32_t set) {
  uint64_t mixed = epoch * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 32 ^ set) * 0xd6e8feb86659fd93u;
  return (uint32_t)(mixed >> 32);
}

/* The bucket that holds the list, or the empty one where it belongs. */
static uint32_t *bucket_of(const emu_readers *readers, emu_epoch epoch, uint32_t rest) {
  uint32_t i = hash(epoch, rest) & (readers->bucket_count - 1);
  for (;; i = (i + 1) & (readers->bucket_count - 1)) {
    uint32_t node = readers->buckets[i];
    if (!node || (readers->nodes[node].epoch == epoch && readers->nodes[node].rest == rest)) {
      return &readers->buckets[i];
    }
  }
}

/* Finds all lists their buckets anew. */
static void fill_buckets(emu_readers *readers) {
  if (!readers->buckets) return;
  memset(readers->buckets, 0, readers->bucket_count * sizeof *readers->buckets);
  for (uint32_t i = 1; i <= readers->count; i++) {
    const emu_reader *node = &readers->nodes[i];
    *bucket_of(readers, node->epoch, node->rest) = i;
  }
}

static bool grow(emu_readers *readers) {
  if (readers->count + 1 < readers->room) return true;
  if (!readers->limit) readers->limit = least_limit;
  uint32_t room = readers->room ? readers->room * 2 : 256;
  if (room > readers->limit) return false;
  emu_reader *nodes = gg_realloc(readers->nodes, room * sizeof *nodes);
  if (!nodes) return false;
  readers->nodes = nodes;
  uint32_t *buckets = gg_malloc(2 * (size_t)room * sizeof *buckets);
  if (!buckets) return false;
  gg_free(readers->buckets);
  readers->buckets = buckets;
  readers->bucket_count = 2 * room;
  readers->room = room;
  fill_buckets(readers);
  return true;
}

uint32_t *emu_readers_marks(const emu_readers *readers) {
  size_t bytes = ((size_t)readers->count + 1) * sizeof(uint32_t);
  uint32_t *marks = gg_malloc(bytes);
  if (marks) memset(marks, 0, bytes);
  return marks;
}

/* A list comes after its tails: they are marked on the way down, and moved on the way up. */
bool emu_readers_collect(emu_readers *readers, uint32_t *marks) {
  uint32_t kept = 0;
  for (uint32_t i = readers->count; i; i--) {
    if (marks[i]) marks[readers->nodes[i].rest] = 1;
  }
  marks[0] = 0;
  for (uint32_t i = 1; i <= readers->count; i++) {
    if (!marks[i]) continue;
    emu_reader node = readers->nodes[i];
    readers->nodes[++kept] = (emu_reader){node.epoch, marks[node.rest]};
    marks[i] = kept;
  }
  readers->count = kept;
  fill_buckets(readers);
  if (readers->recent) memset(readers->recent, 0, recent_count * sizeof(emu_addition));
  while (kept > readers->limit / 2 && readers->limit < nodes_max)
    readers->limit *= 2;
  return kept < readers->limit - readers->limit / 8;
}

static bool cons(uint32_t *out, emu_readers *readers, emu_epoch epoch, uint32_t rest) {
  if (!grow(readers)) return false;
  uint32_t *bucket = bucket_of(readers, epoch, rest);
  if (!*bucket) {
    *bucket = ++readers->count;
    readers->nodes[*bucket] = (emu_reader){epoch, rest};
  }
  *out = *bucket;
  return true;
}

/* The set without the agent's reader: what stood before it is put back in front. */
static bool without(uint32_t *out, emu_readers *readers, uint32_t set, uint32_t agent) {
  emu_epoch before[agents_max];
  uint32_t count = 0, at = set;
  while (at && emu_epoch_agent(readers->nodes[at].epoch) != agent) {
    before[count++] = readers->nodes[at].epoch;
    at = readers->nodes[at].rest;
  }
  *out = set;
  if (!at) return true;
  *out = readers->nodes[at].rest;
  while (count) {
    if (!cons(out, readers, before[--count], *out)) return false;
  }
  return true;
}

bool emu_readers_add(uint32_t *out, emu_readers *readers, uint32_t set, emu_epoch epoch) {
  if (!readers->recent) {
    readers->recent = gg_malloc(recent_count * sizeof(emu_addition));
    if (!readers->recent) return false;
    memset(readers->recent, 0, recent_count * sizeof(emu_addition));
  }
  emu_addition *recent = &readers->recent[hash(epoch, set) % recent_count];
  if (!recent->result || recent->set != set || recent->epoch != epoch) {
    uint32_t rest, result;
    if (!without(&rest, readers, set, emu_epoch_agent(epoch)) ||
        !cons(&result, readers, epoch, rest)) {
      return false;
    }
    *recent = (emu_addition){epoch, set, result};
  }
  *out = recent->result;
  return true;
}
