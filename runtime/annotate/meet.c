/* Registers are parted into groups: those of a group have one root on the one way, and one on the
 * other (or are constants there). The cases of a group, a row of values each, are those of the one
 * way and, where they are not among them, those of the other; its root is that of its first
 * register. A group that has the same cases under the same root on both ways stays as it is. */
#include "annotate/meet.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

typedef struct member {
  uint64_t here, there; /* roots on both ways; `unwritten` */
  uint32_t reg;
} member;

#define UNWRITTEN UINT64_MAX

enum { rows_most = 2 * FLOW_MOST, slots = 4 * FLOW_MOST };

/* Cases of a group: those of `before`, then those that come. */
typedef struct rows {
  const member *members;
  size_t member_count;
  const flow_value **before;
  const flow_value **comes;
  uint32_t old_count, new_count;
  uint64_t hash[rows_most];
  uint16_t kept[rows_most]; /* numbers of rows, each row once */
  size_t kept_count;
} rows;

struct meet_room {
  member *members;
  const flow_value **comes;
  rows rows;
};

meet_room *meet_room_new(flow_memory *memory, uint32_t registers) {
  meet_room *room = GG_ARENA_NEW(&memory->arena, meet_room);
  if (!room) return NULL;
  room->members = GG_ARENA_ARRAY(&memory->arena, member, (size_t)registers + 1);
  room->comes = gg_arena_alloc(&memory->arena, ((size_t)registers + 1) * sizeof *room->comes);
  return room->members && room->comes ? room : NULL;
}

static flow_element element_of(const flow_value *value, uint32_t row) {
  return value->list[value->count == 1 ? 0 : row];
}

static flow_element element_at(const rows *r, uint32_t row, size_t m) {
  uint32_t reg = r->members[m].reg;
  return row < r->old_count ? element_of(r->before[reg], row)
                            : element_of(r->comes[reg], row - r->old_count);
}

static bool are_same(flow_element a, flow_element b) {
  return a.at == b.at && a.base == b.base && a.of == b.of;
}

static bool are_same_rows(const rows *r, uint32_t a, uint32_t b) {
  for (size_t m = 0; m < r->member_count; m++) {
    if (!are_same(element_at(r, a, m), element_at(r, b, m))) return false;
  }
  return true;
}

/* A hash of each row, taken column by column. */
static void hash_rows(rows *r) {
  uint32_t count = r->old_count + r->new_count;
  for (uint32_t row = 0; row < count; row++)
    r->hash[row] = GG_HASH_BEGIN;
  for (size_t m = 0; m < r->member_count; m++) {
    for (uint32_t row = 0; row < count; row++) {
      flow_element e = element_at(r, row, m);
      uint64_t word = (uint64_t)e.at ^ (uint64_t)e.base << 56 ^ (uint64_t)e.of << 48;
      uint64_t mixed = (r->hash[row] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
      r->hash[row] = mixed ^ mixed >> 32;
    }
  }
}

/* Each row once, in order. */
static void keep_rows(rows *r) {
  static const uint16_t none = UINT16_MAX;
  uint16_t table[slots];
  memset(table, 0xff, sizeof table);
  hash_rows(r);
  for (uint32_t row = 0; row < r->old_count + r->new_count; row++) {
    size_t slot = (size_t)(r->hash[row] % slots);
    while (table[slot] != none &&
           (r->hash[table[slot]] != r->hash[row] || !are_same_rows(r, table[slot], row)))
      slot = (slot + 1) % slots;
    if (table[slot] != none) continue;
    table[slot] = (uint16_t)row;
    r->kept[r->kept_count++] = (uint16_t)row;
  }
}

static uint32_t rows_of(uint64_t root, const flow_value *value) {
  return root == UNWRITTEN ? 0 : value->count;
}

/* ---- Groups ----------------------------------------------------------------------------- */

/* The register's new value, unless it has grown too often. */
static const flow_value *grown(const meeting *at, const flow_value *old, const flow_value *value,
                               uint32_t reg) {
  bool more = old->count && value && !flow_same_set(at->memory, old, value);
  if (more && at->grown[reg]++ > at->most) return NULL;
  return value;
}

/* Whether all have the same cases in the same order on both ways. */
static bool are_alike(const rows *r) {
  if (r->old_count != r->new_count) return false;
  for (size_t m = 0; m < r->member_count; m++) {
    const flow_value *a = r->before[r->members[m].reg], *b = r->comes[r->members[m].reg];
    for (uint32_t i = 0; a != b && i < r->old_count; i++) {
      if (!are_same(element_of(a, i), element_of(b, i))) return false;
    }
  }
  return true;
}

/* Whether the group's cases are those of the root that it has here already. */
static bool has_its_root(const rows *r, const meeting *at) {
  const member *first = &r->members[0];
  bool own = first->here >= at->first_root && first->here < at->first_root + at->registers;
  return own ? first->here == at->first_root + first->reg : first->here == first->there;
}

/* Gives a group's registers their cases; false: there are too many. */
static bool put_rows(const meeting *at, rows *r) {
  uint64_t root = at->first_root + r->members[0].reg;
  if (r->kept_count > FLOW_MOST) return false;
  for (size_t m = 0; m < r->member_count; m++) {
    uint32_t reg = r->members[m].reg;
    flow_value *value = flow_new(at->memory, root, r->kept_count);
    for (size_t i = 0; value && i < r->kept_count; i++)
      value->list[i] = element_at(r, r->kept[i], m);
    /* Rows are read above for other registers: what is before them changes behind. */
    r->comes[reg] = grown(at, r->before[reg], value, reg);
  }
  for (size_t m = 0; m < r->member_count; m++)
    r->before[r->members[m].reg] = r->comes[r->members[m].reg];
  return true;
}

static void put_each(const meeting *at, const rows *r) {
  for (size_t m = 0; m < r->member_count; m++) {
    uint32_t reg = r->members[m].reg;
    const flow_value *both =
        flow_either(at->memory, at->first_root + reg, r->before[reg], r->comes[reg]);
    r->before[reg] = grown(at, r->before[reg], both, reg);
  }
}

/* Whether the ways' cases were no others. */
static bool is_as_it_was(const rows *r, const meeting *at) {
  const member *first = &r->members[0];
  if (r->kept_count != r->old_count || r->kept[r->kept_count - 1] >= r->old_count) return false;
  return r->old_count == 1 || first->here == at->first_root + first->reg;
}

static bool add_group(const meeting *at, rows *r) {
  const member *first = &r->members[0];
  r->old_count = rows_of(first->here, r->before[first->reg]);
  r->new_count = rows_of(first->there, r->comes[first->reg]);
  if (has_its_root(r, at) && are_alike(r)) return false;
  keep_rows(r);
  if (is_as_it_was(r, at)) return false;
  if (!put_rows(at, r)) put_each(at, r);
  return true;
}

static int by_roots(const void *left, const void *right) {
  const member *a = left, *b = right;
  if (a->here != b->here) return a->here < b->here ? -1 : 1;
  if (a->there != b->there) return a->there < b->there ? -1 : 1;
  return (a->reg > b->reg) - (a->reg < b->reg);
}

static uint64_t root_of(const flow_value *value) {
  return value->count ? value->root : UNWRITTEN;
}

/* Registers that are to be looked at: not those that are the same constant, or never written, on
 * both ways, nor those that may be anything already. */
static size_t find_members(member *list, const meeting *at, const flow_value **before,
                           const flow_value *const *comes, bool *changed) {
  size_t count = 0;
  for (uint32_t r = 0; r < at->registers; r++) {
    if (!before[r]) continue;
    if (!comes[r]) {
      before[r] = NULL;
      *changed = true;
      continue;
    }
    if (before[r]->count < 2 && comes[r]->count < 2 && flow_same(before[r], comes[r])) continue;
    list[count++] = (member){root_of(before[r]), root_of(comes[r]), r};
  }
  qsort(list, count, sizeof *list, by_roots);
  return count;
}

bool meet_add(const meeting *at, const flow_value **before, const flow_value *const *comes) {
  member *list = at->room->members;
  rows *r = &at->room->rows;
  bool changed = false;
  memcpy(at->room->comes, comes, at->registers * sizeof *comes);
  size_t count = find_members(list, at, before, comes, &changed);
  for (size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count; end++) {
      if (list[end].here != list[begin].here || list[end].there != list[begin].there) break;
    }
    r->members = &list[begin];
    r->member_count = end - begin;
    r->before = before;
    r->comes = at->room->comes;
    r->kept_count = 0;
    changed = add_group(at, r) || changed;
  }
  return changed;
}
