#include "annotate/value.h"

#include <stdlib.h>
#include <string.h>

const flow_value flow_never = {0};

flow_value *flow_new(flow_memory *memory, uint64_t root, size_t count) {
  if (count > FLOW_MOST) return NULL;
  flow_value *value =
      gg_arena_alloc_unset(&memory->arena, sizeof *value + count * sizeof(flow_element));
  memory->failed = memory->failed || !value;
  if (value) *value = (flow_value){count > 1 ? root : 0, (uint32_t)count};
  return value;
}

const flow_value *flow_one(flow_memory *memory, flow_element element) {
  flow_value *value = flow_new(memory, 0, 1);
  if (value) value->list[0] = element;
  return value;
}

const flow_value *flow_number(flow_memory *memory, int64_t number) {
  return flow_one(memory, (flow_element){.at = number});
}

const flow_value *flow_numbers(flow_memory *memory, uint64_t root, int64_t first, size_t count) {
  flow_value *value = flow_new(memory, root, count);
  for (size_t i = 0; value && i < count; i++)
    value->list[i] = (flow_element){.at = first + (int64_t)i};
  return value;
}

/* ---- Lists as sets ---------------------------------------------------------------------- */

static int order(const void *left, const void *right) {
  const flow_element *a = left, *b = right;
  if (a->base != b->base) return a->base < b->base ? -1 : 1;
  if (a->of != b->of) return a->of < b->of ? -1 : 1;
  return (a->at > b->at) - (a->at < b->at);
}

bool flow_same(const flow_value *a, const flow_value *b) {
  if (a == b) return true;
  if (!a || !b || a->root != b->root || a->count != b->count) return false;
  for (uint32_t i = 0; i < a->count; i++) {
    if (order(&a->list[i], &b->list[i]) != 0) return false;
  }
  return true;
}

/* Of `count` elements, each once, in order. */
static const flow_value *set_of(flow_memory *memory, uint64_t root, flow_element *list,
                                size_t count) {
  size_t kept = 0;
  qsort(list, count, sizeof *list, order);
  for (size_t i = 0; i < count; i++) {
    if (!kept || order(&list[kept - 1], &list[i]) != 0) list[kept++] = list[i];
  }
  flow_value *value = flow_new(memory, root, kept);
  if (value) memcpy(value->list, list, kept * sizeof *list);
  return value;
}

const flow_value *flow_either(flow_memory *memory, uint64_t root, const flow_value *a,
                              const flow_value *b) {
  flow_element list[2 * FLOW_MOST];
  if (!a || !b) return NULL;
  memcpy(list, a->list, a->count * sizeof *list);
  memcpy(list + a->count, b->list, b->count * sizeof *list);
  return set_of(memory, root, list, (size_t)a->count + b->count);
}

const flow_value *flow_rooted(flow_memory *memory, uint64_t root, const flow_value *value) {
  if (!value || value->count < 2) return value;
  return flow_either(memory, root, value, &flow_never);
}

bool flow_same_set(flow_memory *memory, const flow_value *a, const flow_value *b) {
  return flow_same(flow_rooted(memory, 1, a), flow_rooted(memory, 1, b));
}

/* ---- Operations ------------------------------------------------------------------------- */

/* The one root of those that are lists, and the length of these; false: there are several. */
static bool common(uint64_t *root, uint32_t *length, const flow_value *const *in, int count) {
  *root = 0, *length = 1;
  for (int i = 0; i < count; i++) {
    if (in[i]->count == 1) continue;
    if (*length > 1 && (in[i]->root != *root || in[i]->count != *length)) return false;
    *root = in[i]->root, *length = in[i]->count;
  }
  return true;
}

bool flow_are_common(const flow_value *const *in, int count) {
  uint64_t root;
  uint32_t length;
  return common(&root, &length, in, count);
}

const flow_value *flow_by_case(flow_memory *memory, flow_scalar *scalar, const void *how,
                               const flow_value *const *in, int count) {
  uint64_t root;
  uint32_t length;
  if (!common(&root, &length, in, count)) return NULL;
  flow_value *out = flow_new(memory, root, length);
  for (uint32_t i = 0; out && i < length; i++) {
    flow_element args[3];
    for (int k = 0; k < count; k++)
      args[k] = in[k]->list[in[k]->count == 1 ? 0 : i];
    if (!scalar(&out->list[i], args, how)) return NULL;
  }
  return out;
}

static const flow_value *each_with_each(flow_memory *memory, uint64_t root, flow_scalar *scalar,
                                        const void *how, const flow_value *const *in, int count) {
  flow_element list[FLOW_MOST];
  size_t total = 1;
  for (int k = 0; k < count; k++) {
    if (in[k]->count > FLOW_MOST / total) return NULL;
    total *= in[k]->count;
  }
  for (size_t i = 0; i < total; i++) {
    flow_element args[3];
    size_t rest = i;
    for (int k = 0; k < count; k++) {
      args[k] = in[k]->list[rest % in[k]->count];
      rest /= in[k]->count;
    }
    if (!scalar(&list[i], args, how)) return NULL;
  }
  flow_value *all = flow_new(memory, root, total);
  if (all) memcpy(all->list, list, total * sizeof *list);
  const flow_value *set = set_of(memory, root, list, total);
  return set && (set->count == total || total <= FLOW_FEW) ? all : set;
}

const flow_value *flow_combine(flow_memory *memory, uint64_t root, flow_scalar *scalar,
                               const void *how, const flow_value *const *in, int count) {
  uint64_t of;
  uint32_t length;
  for (int i = 0; i < count; i++) {
    if (!in[i]) return NULL;
    if (in[i]->count == 0) return &flow_never;
  }
  return common(&of, &length, in, count) ? flow_by_case(memory, scalar, how, in, count)
                                         : each_with_each(memory, root, scalar, how, in, count);
}

/* ---- Choices ---------------------------------------------------------------------------- */

const flow_value *flow_where(flow_memory *memory, const flow_value *value,
                             const flow_value *predicate, bool wanted) {
  if (!value || !predicate || value->count < 2) return value;
  if (value->root != predicate->root || value->count != predicate->count) return value;
  flow_value *out = flow_new(memory, value->root, value->count);
  uint32_t kept = 0;
  if (!out) return value;
  for (uint32_t i = 0; i < value->count; i++) {
    if ((predicate->list[i].at != 0) == wanted) out->list[kept++] = value->list[i];
  }
  out->count = kept;
  if (kept < 2) out->root = 0;
  return out;
}

bool flow_may_be(const flow_value *predicate, bool wanted) {
  if (!predicate) return true;
  for (uint32_t i = 0; i < predicate->count; i++) {
    if ((predicate->list[i].at != 0) == wanted) return true;
  }
  return predicate->count == 0;
}
