#include "seen.h"

#include <string.h>

#include "base/alloc.h"

typedef struct entry {
  gg_seen_key key;
  uint64_t hash;
  gg_gemm_choice choice;
  char epilogue[]; /* of the key */
} entry;

typedef struct gg_seen_table {
  struct gg_seen_table *older;
  size_t mask, count;
  _Atomic(entry *) slots[];
} table;

enum { first_slots = 64 };

/* ---- Keys ----------------------------------------------------------------------------- */

static uint64_t pack(uint64_t bits, const gg_operand *operand) {
  uint64_t log = 0;
  while (log < 7 && operand->align >> (log + 1))
    log++;
  return bits << 11 | (uint64_t)operand->type << 5 | (uint64_t)operand->major << 3 | log;
}

int64_t gg_seen_workspace(const gg_problem *problem) {
  if (!problem->workspace || problem->workspace_bytes <= 0) return 0;
  int zeros = __builtin_clzll((unsigned long long)problem->workspace_bytes);
  return (INT64_MAX / 2 + 1) >> (zeros - 1);
}

int64_t gg_seen_multiprocessors(const gg_problem *problem) {
  return problem->multiprocessors > 0 ? problem->multiprocessors : 0;
}

static uint64_t pack_scaling(const gg_scaling *scaling) {
  return scaling->block ? (uint64_t)scaling->type << 8 | (uint64_t)scaling->block : 0;
}

gg_seen_key gg_seen_key_of(const gg_form *form, const gg_problem *problem) {
  uint64_t bits = (uint64_t)form->promote << 6 | (uint64_t)form->accumulator << 1 | form->has_c;
  bits = pack(pack(pack(bits, &form->a), &form->b), &form->d);
  if (form->has_c) bits = pack(bits, &form->c);
  uint64_t sparse = (uint64_t)(form->xor_bits != 0) << 3 | (uint64_t)(form->pointers != 0) << 2 |
                    (uint64_t)form->sparse_a << 1 | form->sparse_b;
  uint64_t scales = sparse << 48 | pack_scaling(&form->scale_a) << 32 |
                    pack_scaling(&form->scale_b) << 16 | pack_scaling(&form->scale_d);
  return (gg_seen_key){.words = {bits, scales, (uint64_t)problem->m, (uint64_t)problem->n,
                                 (uint64_t)problem->k, (uint64_t)problem->batch,
                                 (uint64_t)gg_seen_workspace(problem),
                                 (uint64_t)gg_seen_multiprocessors(problem)},
                       .epilogue = form->epilogue};
}

/* There is a multiplication for each word, because keys differ in few bits. */
static uint64_t hash_of(const gg_seen_key *key) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < GG_SEEN_WORDS; i++) {
    hash = (hash ^ key->words[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  for (const char *s = key->epilogue; s && *s; s++)
    hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
  return hash ^ hash >> 29;
}

bool gg_seen_same_form(const gg_seen_key *left, const gg_seen_key *right) {
  if (left->words[0] != right->words[0] || left->words[1] != right->words[1]) return false;
  if (!left->epilogue || !right->epilogue) return left->epilogue == right->epilogue;
  return strcmp(left->epilogue, right->epilogue) == 0;
}

bool gg_seen_same(const gg_seen_key *left, const gg_seen_key *right) {
  return memcmp(left->words, right->words, sizeof left->words) == 0 &&
         gg_seen_same_form(left, right);
}

/* ---- The table ------------------------------------------------------------------------ */

const gg_gemm_choice *gg_seen_find(gg_seen *seen, const gg_seen_key *key) {
  table *t = atomic_load_explicit(&seen->table, memory_order_acquire);
  if (!t) return NULL;
  uint64_t hash = hash_of(key);
  for (size_t at = hash & t->mask;; at = (at + 1) & t->mask) {
    const entry *e = atomic_load_explicit(&t->slots[at], memory_order_acquire);
    if (!e) return NULL;
    if (e->hash == hash && gg_seen_same(&e->key, key)) return &e->choice;
  }
}

static void put(table *t, entry *e) {
  size_t at = e->hash & t->mask;
  while (atomic_load_explicit(&t->slots[at], memory_order_relaxed))
    at = (at + 1) & t->mask;
  atomic_store_explicit(&t->slots[at], e, memory_order_release);
  t->count++;
}

/* A table with room for one more: the current one, or one twice as large in its place. */
static table *with_room(gg_seen *seen) {
  table *old = atomic_load_explicit(&seen->table, memory_order_relaxed);
  if (old && 2 * (old->count + 1) <= old->mask) return old;
  size_t slots = old ? 2 * (old->mask + 1) : first_slots;
  table *t = gg_calloc(1, sizeof *t + slots * sizeof t->slots[0]);
  if (!t) return NULL;
  t->older = old;
  t->mask = slots - 1;
  for (size_t i = 0; i < slots; i++)
    atomic_init(&t->slots[i], NULL);
  for (size_t i = 0; old && i <= old->mask; i++) {
    entry *e = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
    if (e) put(t, e);
  }
  atomic_store_explicit(&seen->table, t, memory_order_release);
  return t;
}

void gg_seen_add(gg_seen *seen, const gg_seen_key *key, const gg_gemm_choice *choice) {
  table *t = with_room(seen);
  if (!t || t->count >= GG_SEEN_MAX || gg_seen_find(seen, key)) return;
  size_t length = key->epilogue ? strlen(key->epilogue) + 1 : 0;
  entry *e = gg_malloc(sizeof *e + length);
  if (!e) return;
  *e = (entry){.key = *key, .hash = hash_of(key), .choice = *choice};
  if (length) e->key.epilogue = memcpy(e->epilogue, key->epilogue, length);
  put(t, e);
}

/* Every entry is in the newest table. */
void gg_seen_free(gg_seen *seen) {
  table *t = atomic_load_explicit(&seen->table, memory_order_relaxed);
  for (size_t i = 0; t && i <= t->mask; i++)
    gg_free(atomic_load_explicit(&t->slots[i], memory_order_relaxed));
  while (t) {
    table *older = t->older;
    gg_free(t);
    t = older;
  }
  atomic_init(&seen->table, NULL);
}
