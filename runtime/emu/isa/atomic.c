/* atom and red: read, change and write in one step. (PTX ISA, "atom", "red".)
 *
 * Lanes go one after the other, lowest first; each element of a vector is a step of its own.
 * Other clusters run on other threads, so that up to 8 bytes are exchanged by the host's compare
 * and swap, and 16 under the launch's lock. One that leaves memory as it was may be polling, and
 * yields. f32 is added with subnormals flushed in global memory, and kept in shared memory, as PTX
 * says. */
#include <string.h>

#include "emu/async/decoders.h"
#include "emu/async/reduce.h"
#include "emu/isa/access.h"
#include "emu/isa/lanes.h"
#include "emu/memory.h"
#include "emu/number/float.h"
#include "emu/state.h"

enum { EXCHANGE = EMU_REDUCE_XOR + 1, SWAP }; /* after the reductions: exch, cas */

typedef struct sixteen {
  uint64_t low, high;
} sixteen;

typedef struct atomic_facts {
  int action;       /* emu_reduction, EXCHANGE or SWAP */
  emu_type element; /* that is changed in one go; a half of a packed type */
  int bytes;        /* of one exchange: of an element of the vector, packed or not */
  int count;        /* elements of the vector */
  emu_operand to[8], from[8], next[1];
  bool returns;
} atomic_facts;

/* ---- Running ---------------------------------------------------------------------------- */

/* What memory holds afterwards: `bytes` of packed elements. */
static uint64_t changed(const atomic_facts *f, uint64_t memory, uint64_t value, uint64_t next,
                        bool shared) {
  if (f->action == EXCHANGE) return value;
  if (f->action == SWAP) return memory == value ? next : memory;
  int bits = emu_type_of(f->element)->bits;
  if (f->element == EMU_F32 && f->action == EMU_REDUCE_ADD && shared) {
    return emu_f32_add((uint32_t)memory, (uint32_t)value, 0);
  }
  if (f->element == EMU_F64 && f->action == EMU_REDUCE_ADD) {
    /* Global memory's adder hands on NaN as it is; shared memory's hands on memory's first. */
    if (shared) return emu_f64_add(value, memory, 0);
    if (emu_f64_is_nan(value)) return value;
    if (emu_f64_is_nan(memory)) return memory;
  }
  if (bits == f->bytes * 8) return emu_reduce((emu_reduction)f->action, f->element, memory, value);
  uint64_t low = emu_reduce((emu_reduction)f->action, f->element, memory & 0xffff, value & 0xffff);
  uint64_t high =
      emu_reduce((emu_reduction)f->action, f->element, memory >> 16 & 0xffff, value >> 16 & 0xffff);
  return low | high << 16;
}

/* Exchanges up to 8 bytes: returns what memory held, and in *same whether it still does. */
#define EXCHANGE_AS(type)                                                                          \
  do {                                                                                             \
    type old = __atomic_load_n((type *)(void *)host, __ATOMIC_SEQ_CST), wanted;                    \
    do {                                                                                           \
      wanted = (type)changed(f, old, value, next, shared);                                         \
    } while (!__atomic_compare_exchange_n((type *)(void *)host, &old, wanted, false,               \
                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));                    \
    *same = wanted == old;                                                                         \
    return old;                                                                                    \
  } while (0)

static uint64_t exchange(const atomic_facts *f, uint8_t *host, uint64_t value, uint64_t next,
                         bool shared, bool *same) {
  if (f->bytes == 2) EXCHANGE_AS(uint16_t);
  if (f->bytes == 4) EXCHANGE_AS(uint32_t);
  EXCHANGE_AS(uint64_t);
}

static sixteen exchange_wide(const atomic_facts *f, emu_warp *warp, uint8_t *host, sixteen value,
                             sixteen next, bool *same) {
  pthread_mutex_t *lock = &warp->cta->cluster->run->state->lock;
  sixteen old;
  pthread_mutex_lock(lock);
  memcpy(&old, host, sizeof(old));
  bool equal = old.low == value.low && old.high == value.high;
  const sixteen *wanted = f->action == EXCHANGE ? &value : equal ? &next : &old;
  *same = old.low == wanted->low && old.high == wanted->high;
  memcpy(host, wanted, sizeof(*wanted));
  pthread_mutex_unlock(lock);
  return old;
}

static void get(void *out, const emu_warp *warp, const emu_operand *operand, uint32_t lane,
                int bytes) {
  memcpy(out, warp->registers + operand->offset + (size_t)lane * operand->lane_bytes,
         (size_t)bytes);
}

static void put(const emu_warp *warp, const emu_operand *operand, uint32_t lane, const void *value,
                int bytes) {
  if (operand->sink) return;
  memcpy(warp->registers + operand->offset + (size_t)lane * operand->lane_bytes, value,
         (size_t)bytes);
}

/* One element of one lane. Returns whether memory has changed. */
static bool change(emu_warp *warp, const atomic_facts *f, uint32_t lane, int i, uint8_t *host,
                   bool shared) {
  bool same;
  if (f->bytes == 16) {
    sixteen value, next = {0, 0};
    get(&value, warp, &f->from[i], lane, 16);
    if (f->action == SWAP) get(&next, warp, &f->next[0], lane, 16);
    sixteen old = exchange_wide(f, warp, host, value, next, &same);
    if (f->returns) put(warp, &f->to[i], lane, &old, 16);
    return !same;
  }
  uint64_t value = 0, next = 0;
  get(&value, warp, &f->from[i], lane, f->bytes);
  if (f->action == SWAP) get(&next, warp, &f->next[0], lane, f->bytes);
  uint64_t old = exchange(f, host + i * f->bytes, value, next, shared, &same);
  if (f->returns) put(warp, &f->to[i], lane, &old, f->bytes);
  return !same;
}

/* Whether what it writes depends on all bits of memory: exchanges and bitwise operations hand bits
 * on, as code does that changes parts of a word (a CAS loop over elements of 4 bits). */
static bool computes(const atomic_facts *f) {
  return f->action < EXCHANGE && !emu_reduction_is_bitwise((emu_reduction)f->action);
}

static emu_step atomic(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const atomic_facts *f = op->facts;
  uint64_t address[EMU_LANES];
  uint8_t *host[EMU_LANES];
  bool any = false;
  unsigned intent = EMU_READ | EMU_WRITE | EMU_STRONG | (computes(f) ? EMU_COMPUTE : 0);
  emu_addresses(address, warp, &op->address);
  if (!emu_access(warp, op, (emu_space)op->space, address, lanes, (unsigned)(f->bytes * f->count),
                  intent, host)) {
    return EMU_FAULT;
  }
  EMU_EACH_LANE(lanes, lane) {
    bool shared = op->space == EMU_GENERIC ? emu_space_of(address[lane]) == EMU_SHARED_CLUSTER
                                           : op->space != EMU_GLOBAL;
    for (int i = 0; i < f->count; i++) {
      any |= change(warp, f, lane, i, host[lane], shared);
    }
  }
  if (any) {
    emu_progress(warp->cta->cluster);
  } else {
    emu_yield(warp);
  }
  return EMU_NEXT;
}

/* ---- Decoding --------------------------------------------------------------------------- */

static int take_action(emu_decoder *d) {
  static const char *const others[] = {"exch", "cas", NULL};
  int action = emu_take_reduction(d);
  if (action >= 0) return action;
  action = emu_take_word(d, others);
  return action < 0 ? -1 : EXCHANGE + action;
}

/* Whether PTX has the action for the type; half: of f16 and bf16, and packed pairs of them. */
static bool exists(int action, emu_type type, bool half, int count) {
  bool floats = half || type == EMU_F32;
  if (count > 1) {
    return floats && (action == EMU_REDUCE_ADD ||
                      (half && (action == EMU_REDUCE_MIN || action == EMU_REDUCE_MAX)));
  }
  switch (action) {
  case EMU_REDUCE_ADD:
    return floats || type == EMU_U32 || type == EMU_S32 || type == EMU_U64 || type == EMU_F64;
  case EMU_REDUCE_MIN:
  case EMU_REDUCE_MAX:
    return half || type == EMU_U32 || type == EMU_S32 || type == EMU_U64 || type == EMU_S64;
  case EMU_REDUCE_INC:
  case EMU_REDUCE_DEC:
    return type == EMU_U32;
  case EXCHANGE:
    return type == EMU_B32 || type == EMU_B64 || type == EMU_B128;
  case SWAP:
    return type == EMU_B16 || type == EMU_B32 || type == EMU_B64 || type == EMU_B128;
  default:
    return type == EMU_B32 || type == EMU_B64;
  }
}

static gg_status decode_type(atomic_facts *f, emu_op *op, emu_decoder *d, gg_error *err) {
  static const char *const vectors[] = {"v2", "v4", "v8", NULL};
  int vector = emu_take_word(d, vectors);
  f->action = take_action(d);
  if (f->action < 0) return emu_unknown_form(d, err, "no operation");
  emu_take(d, "noftz");
  op->type = emu_take_type(d);
  f->element = op->type == EMU_F16X2    ? EMU_F16
               : op->type == EMU_BF16X2 ? EMU_BF16
                                        : (emu_type)op->type;
  f->count = vector < 0 ? 1 : 2 << vector;
  f->bytes = emu_type_of((emu_type)op->type)->bits / 8;
  bool half = f->element == EMU_F16 || f->element == EMU_BF16;
  if (!exists(f->action, (emu_type)op->type, half, f->count) || f->bytes * f->count > 16) {
    return emu_unknown_form(d, err, "the operation is not there for this type");
  }
  return GG_OK;
}

static gg_status decode_atomic(emu_op *op, emu_decoder *d, bool returns, gg_error *err) {
  atomic_facts *f = GG_ARENA_NEW(emu_decoder_arena(d), atomic_facts);
  if (!f) return gg_fail(err, MEMORY, NULL, "");
  emu_take_strong(d);
  op->space = emu_take_space(d);
  emu_take_cache_hints(d);
  gg_status st = decode_type(f, op, d, err);
  if (st) return st;
  if (!returns && f->action >= EXCHANGE) return emu_unknown_form(d, err, "red has no such one");
  int at = 0, count = f->count;
  f->returns = returns;
  op->exec = atomic;
  op->kind = EMU_KIND_ATOMIC;
  op->updates = true;
  op->facts = f;
  emu_type type = (emu_type)op->type;
  if (returns) st = emu_operand_vector(f->to, &count, 8, d, at++, type, true, err);
  if (!st && count != f->count)
    st = emu_unknown_form(d, err, "the result has not %d values", f->count);
  if (!st) st = emu_operand_address(&op->address, d, at++, err);
  if (!st) st = emu_operand_vector(f->from, &count, 8, d, at++, type, false, err);
  if (!st && count != f->count)
    st = emu_unknown_form(d, err, "the operand has not %d values", f->count);
  if (!st && f->action == SWAP) st = emu_operand_value(f->next, d, at, type, err);
  return st ? st : emu_modifiers_end(d, err);
}

gg_status emu_decode_atom(emu_op *op, emu_decoder *d, gg_error *err) {
  return decode_atomic(op, d, true, err);
}

gg_status emu_decode_red(emu_op *op, emu_decoder *d, gg_error *err) {
  if (emu_take(d, "async")) return emu_decode_reduce_async(op, d, err);
  return decode_atomic(op, d, false, err);
}
