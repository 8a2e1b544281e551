#include "facts.h"

#include <string.h>

#include "base/hash.h"

/* ---- Members ---------------------------------------------------------------------------- */

typedef struct member {
  const char *name;
  size_t offset, size;
  gg_fact_kind kind;
} member;

#define MEMBER(of, name, kind)                                                                     \
  { #name, offsetof(of, name), sizeof(((of *)0)->name), kind }

#define OF_KERNEL(name, kind) MEMBER(gg_kernel, name, GG_FACT_##kind)
#define OPERAND(name)                                                                              \
  OF_KERNEL(name.type, DTYPE), OF_KERNEL(name.major, MAJOR), OF_KERNEL(name.align, NUMBER)
#define SCALING(name) OF_KERNEL(name.type, DTYPE), OF_KERNEL(name.block, NUMBER)
static const member kernel_members[] = {
    OF_KERNEL(name, TEXT),
    OF_KERNEL(family, TEXT),
    OF_KERNEL(arch, TEXT),
    OF_KERNEL(fingerprint, TEXT),
    OPERAND(a),
    OPERAND(b),
    OPERAND(c),
    OPERAND(d),
    OF_KERNEL(accumulator, DTYPE),
    OF_KERNEL(accumulator_bits, NUMBER),
    OF_KERNEL(accumulator_span, NUMBER),
    OF_KERNEL(fixed_m, EXTENT),
    OF_KERNEL(fixed_n, EXTENT),
    OF_KERNEL(fixed_k, EXTENT),
    OF_KERNEL(fixed_batch, EXTENT),
    OF_KERNEL(operation_count, NUMBER),
    OF_KERNEL(grid, GRID),
    OF_KERNEL(splits, NUMBER),
    OF_KERNEL(tile_m, NUMBER),
    OF_KERNEL(tile_n, NUMBER),
    OF_KERNEL(tile_k, NUMBER),
    OF_KERNEL(tile_warps, NUMBER),
    OF_KERNEL(dependent, NUMBER),
    OF_KERNEL(threads, NUMBER),
    OF_KERNEL(cluster_m, NUMBER),
    OF_KERNEL(cluster_n, NUMBER),
    OF_KERNEL(cluster_k, NUMBER),
    OF_KERNEL(smem_bytes, NUMBER),
    OF_KERNEL(int32_coordinates, NUMBER),
    OF_KERNEL(param_count, NUMBER),
    OF_KERNEL(map_count, NUMBER),
    SCALING(scale_a),
    SCALING(scale_b),
    SCALING(scale_d),
    OF_KERNEL(sparse_a, NUMBER),
    OF_KERNEL(sparse_b, NUMBER),
    OF_KERNEL(turns_pairs_m, NUMBER),
    OF_KERNEL(turns_pairs_n, NUMBER),
    OF_KERNEL(turns_halves_m, NUMBER),
    OF_KERNEL(turns_halves_n, NUMBER),
    OF_KERNEL(sum_bytes_m, NUMBER),
    OF_KERNEL(sum_bytes_n, NUMBER),
    OF_KERNEL(pointers, NUMBER),
    OF_KERNEL(map_bytes, NUMBER),
    OF_KERNEL(xor_bits, NUMBER),
    OF_KERNEL(ptx, NUMBER),
    OF_KERNEL(rounded_a, NUMBER),
    OF_KERNEL(rounded_b, NUMBER),
};

#define OF_OPERATION(name, kind) MEMBER(gg_operation, name, GG_FACT_##kind)
static const member operation_members[] = {
    OF_OPERATION(kind, OP_KIND),        OF_OPERATION(alpha, NUMBER),
    OF_OPERATION(beta, NUMBER),         OF_OPERATION(form, GELU),
    OF_OPERATION(along, ALONG),         OF_OPERATION(operand.type, DTYPE),
    OF_OPERATION(operand.major, MAJOR), OF_OPERATION(operand.align, NUMBER),
    OF_OPERATION(numbers[0], REAL),     OF_OPERATION(numbers[1], REAL),
    OF_OPERATION(expression, NUMBER),   OF_OPERATION(scalars, SCALARS),
};

#define OF_PARAM(name, kind) MEMBER(gg_param, name, GG_FACT_##kind)
static const member param_members[] = {
    OF_PARAM(kind, PARAM_KIND),
    OF_PARAM(operand, OPERAND_ID),
    OF_PARAM(operation, NUMBER),
};

#define OF_MAP(name, kind) MEMBER(gg_tensor_map, name, GG_FACT_##kind)
#define DIMENSION(i)       OF_MAP(modes[i], MAP_MODE), OF_MAP(box[i], NUMBER)
static const member map_members[] = {
    OF_MAP(operand, OPERAND_ID),
    OF_MAP(operation, NUMBER),
    OF_MAP(type, DTYPE),
    OF_MAP(rank, NUMBER),
    DIMENSION(0),
    DIMENSION(1),
    DIMENSION(2),
    DIMENSION(3),
    DIMENSION(4),
    OF_MAP(swizzle_bytes, NUMBER),
    OF_MAP(unpacks, NUMBER),
    OF_MAP(swizzle_wide, NUMBER),
    OF_MAP(rows_step, NUMBER),
    OF_MAP(end, NUMBER),
};

/* ---- Facts ------------------------------------------------------------------------------ */

/* Every member that is neither a text nor a float is an integer of 1, 4 or 8 bytes. */
static int64_t number_at(const char *at, size_t size) {
  int64_t wide;
  int32_t narrow;
  if (size == 1) return *(const unsigned char *)at;
  if (size == sizeof narrow) {
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
  }
  memcpy(&wide, at, sizeof wide);
  return wide;
}

/* Reads a fact. False: it is 0. */
static bool read(gg_fact *fact, const member *row, const void *of) {
  const char *at = (const char *)of + row->offset;
  fact->kind = row->kind;
  fact->name = row->name;
  fact->text = NULL;
  fact->number = 0;
  fact->real = 0;
  if (row->kind == GG_FACT_TEXT) {
    memcpy(&fact->text, at, sizeof fact->text);
    return fact->text != NULL;
  }
  fact->number = number_at(at, row->size);
  if (row->kind == GG_FACT_REAL) memcpy(&fact->real, at, sizeof fact->real);
  return fact->number != 0;
}

typedef struct viewer {
  void (*see)(void *user, const gg_fact *fact);
  void *user;
} viewer;

/* Reads the facts of `count` elements, of `size` bytes each. */
static void see_all(const viewer *all, const char *list, const void *elements, size_t count,
                    size_t size, const member *members, size_t member_count) {
  gg_fact fact = {.list = list};
  for (; fact.index < count; fact.index++) {
    const char *element = (const char *)elements + fact.index * size;
    for (size_t i = 0; i < member_count; i++)
      if (read(&fact, &members[i], element)) all->see(all->user, &fact);
  }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SEE(list, elements, count, members)                                                        \
  see_all(&all, (list), (elements), (count), sizeof *(elements), (members), COUNT(members))

static size_t at_most(size_t count, size_t limit) {
  return count < limit ? count : limit;
}

void gg_kernel_facts(const gg_kernel *kernel, void (*see)(void *user, const gg_fact *fact),
                     void *user) {
  const viewer all = {see, user};
  SEE(NULL, kernel, 1, kernel_members);
  SEE("operations", kernel->operations, at_most(kernel->operation_count, GG_OPERATIONS_MAX),
      operation_members);
  SEE("params", kernel->params, at_most(kernel->param_count, GG_PARAMS_MAX), param_members);
  SEE("maps", kernel->maps, at_most(kernel->map_count, GG_TENSOR_MAPS_MAX), map_members);
}

/* ---- Checksums -------------------------------------------------------------------------- */

uint64_t gg_checksum(const void *data, size_t size) {
  return gg_hash_bytes(GG_HASH_BEGIN, data, size);
}

/* Adds the bytes of a number from the lowest on, whatever the machine's order. */
static uint64_t add_number(uint64_t hash, uint64_t number) {
  unsigned char bytes[sizeof number];
  for (size_t i = 0; i < sizeof bytes; i++, number >>= 8)
    bytes[i] = number & 0xff;
  return gg_hash_bytes(hash, bytes, sizeof bytes);
}

static uint64_t add_text(uint64_t hash, const char *text) {
  return gg_hash_bytes(hash, text, strlen(text) + 1);
}

static void add_fact(void *user, const gg_fact *fact) {
  uint64_t *hash = user;
  if (fact->list) *hash = add_number(add_text(*hash, fact->list), fact->index);
  *hash = add_text(*hash, fact->name);
  *hash = fact->text ? add_text(*hash, fact->text) : add_number(*hash, (uint64_t)fact->number);
}

uint64_t gg_kernel_checksum(const gg_kernel *kernel) {
  uint64_t hash = GG_HASH_BEGIN;
  gg_kernel_facts(kernel, add_fact, &hash);
  return hash;
}
