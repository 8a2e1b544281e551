/* ld, st and their kin: memory to registers and back. (PTX ISA, "Data Movement and Conversion
 * Instructions".)
 *
 * All modifiers about caches are taken and change nothing: there are no caches here. Accesses that
 * are volatile, relaxed, acquire, release or .mmio are strong: hazard.h takes them for
 * synchronisation, and one that loads yields, as it may be polling. A register may be wider than
 * what is loaded or stored: values are extended as their type says, or cut. */
#include <stdatomic.h>
#include <string.h>

#include "emu/async/decoders.h"
#include "emu/isa/access.h"
#include "emu/isa/lanes.h"
#include "emu/memory.h"

static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};

void emu_take_cache_hints(emu_decoder *d) {
  static const char *const operators[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt", NULL};
  emu_take_word(d, operators);
  while (emu_take_prefix(d, "L1::") || emu_take_prefix(d, "L2::")) {
  }
}

bool emu_take_strong(emu_decoder *d) {
  static const char *const orders[] = {"relaxed", "acquire", "release", "volatile",
                                       "acq_rel", "mmio",    NULL};
  bool strong = false;
  emu_take(d, "weak");
  while (emu_take_word(d, orders) >= 0) {
    strong = true;
  }
  emu_take_word(d, scopes);
  return strong;
}

void emu_param_space(emu_op *op, const emu_decoder *d, const ptx_operand *address) {
  if (op->space != EMU_PARAM) return;
  const ptx_function *function = emu_decoder_function(d);
  bool launch = function->entry;
  if (address->base == PTX_VARIABLE) {
    launch &= address->variable->owner == PTX_OF_INPUTS;
  }
  if (!launch) op->space = EMU_LOCAL;
}

/* ---- Decoding --------------------------------------------------------------------------- */

static int take_vector(emu_decoder *d) {
  static const char *const words[] = {"v2", "v4", "v8", NULL};
  int word = emu_take_word(d, words);
  return word < 0 ? 1 : 2 << word;
}

/* The values of a vector, in registers at least as wide as `type`. */
static gg_status wide_operands(emu_op *op, emu_decoder *d, int index, emu_type type,
                               bool destination, gg_error *err) {
  const ptx_operand *whole = emu_operand_at(d, index);
  const ptx_operand *elements = whole && whole->kind == PTX_VECTOR ? whole->elements : whole;
  uint32_t count = whole && whole->kind == PTX_VECTOR ? whole->element_count : 1;
  if (!whole || count != op->vector) {
    return emu_unknown_form(d, err, "operand %d has not the %d values of the vector", index + 1,
                            op->vector);
  }
  op->operands = GG_ARENA_ARRAY(emu_decoder_arena(d), emu_operand, count);
  if (!op->operands) return gg_fail(err, MEMORY, NULL, "");
  op->operand_count = (uint16_t)count;
  for (uint32_t i = 0; i < count; i++) {
    const ptx_operand *element = &elements[i];
    emu_operand *out = &op->operands[i];
    if (element->kind == PTX_SINK && destination) {
      *out = (emu_operand){.sink = true};
      continue;
    }
    if (element->kind != PTX_REGISTER && destination) {
      return emu_unknown_form(d, err, "operand %d is no register", index + 1);
    }
    bool is_register = element->kind == PTX_REGISTER;
    gg_status st = emu_operand_part(out, d, index, element, is_register ? EMU_NONE : type, err);
    if (st) return st;
    if (!out->lane_bytes || out->lane_bytes * 8 < emu_type_of(type)->bits) {
      return emu_unknown_form(d, err, "operand %d is narrower than .%s", index + 1,
                              emu_type_of(type)->spelling);
    }
  }
  return GG_OK;
}

/* What ld and st have in common; the space and all modifiers but the type's. */
static gg_status decode_access(emu_op *op, emu_decoder *d, gg_error *err) {
  op->type2 = emu_take_strong(d);
  op->space = emu_take_space(d);
  emu_take_cache_hints(d);
  emu_take(d, "nc");
  emu_take(d, "unified");
  op->vector = (uint8_t)take_vector(d);
  op->type = emu_take_type(d);
  int bits = emu_type_of(op->type)->bits;
  if (bits < 8 || bits % 8) return emu_unknown_form(d, err, "no type that memory can hold");
  if (bits / 8 * op->vector > EMU_ACCESS_MAX) {
    return emu_unknown_form(d, err, "%d bytes a lane; %d at most", bits / 8 * op->vector,
                            EMU_ACCESS_MAX);
  }
  return emu_modifiers_end(d, err);
}

/* ---- Loads ------------------------------------------------------------------------------ */

#define LOAD_LANES(memory_type, register_type)                                                     \
  do {                                                                                             \
    register_type *to = EMU_AT(register_type, warp, destination);                                  \
    EMU_EACH_LANE(lanes, lane) {                                                                   \
      memory_type value;                                                                           \
      memcpy(&value, host[lane] + offset, sizeof(value));                                          \
      to[lane] = value;                                                                            \
    }                                                                                              \
  } while (0)

/* Loads one value a lane, extended to the register's width. */
static void load_lanes(emu_warp *warp, const emu_operand *destination, uint32_t lanes,
                       uint8_t *const host[EMU_LANES], unsigned offset, int bytes, bool is_signed) {
  switch (bytes * 64 + destination->lane_bytes * 2 + is_signed) {
  case 1 * 64 + 2 * 2:
    LOAD_LANES(uint8_t, uint16_t);
    break;
  case 1 * 64 + 2 * 2 + 1:
    LOAD_LANES(int8_t, int16_t);
    break;
  case 1 * 64 + 4 * 2:
    LOAD_LANES(uint8_t, uint32_t);
    break;
  case 1 * 64 + 4 * 2 + 1:
    LOAD_LANES(int8_t, int32_t);
    break;
  case 1 * 64 + 8 * 2:
    LOAD_LANES(uint8_t, uint64_t);
    break;
  case 1 * 64 + 8 * 2 + 1:
    LOAD_LANES(int8_t, int64_t);
    break;
  case 2 * 64 + 2 * 2:
  case 2 * 64 + 2 * 2 + 1:
    LOAD_LANES(uint16_t, uint16_t);
    break;
  case 2 * 64 + 4 * 2:
    LOAD_LANES(uint16_t, uint32_t);
    break;
  case 2 * 64 + 4 * 2 + 1:
    LOAD_LANES(int16_t, int32_t);
    break;
  case 2 * 64 + 8 * 2:
    LOAD_LANES(uint16_t, uint64_t);
    break;
  case 2 * 64 + 8 * 2 + 1:
    LOAD_LANES(int16_t, int64_t);
    break;
  case 4 * 64 + 4 * 2:
  case 4 * 64 + 4 * 2 + 1:
    LOAD_LANES(uint32_t, uint32_t);
    break;
  case 4 * 64 + 8 * 2:
    LOAD_LANES(uint32_t, uint64_t);
    break;
  case 4 * 64 + 8 * 2 + 1:
    LOAD_LANES(int32_t, int64_t);
    break;
  case 8 * 64 + 8 * 2:
  case 8 * 64 + 8 * 2 + 1:
    LOAD_LANES(uint64_t, uint64_t);
    break;
  default: /* into a register of 128 bits: what is above the value is zero */
    EMU_EACH_LANE(lanes, lane) {
      uint8_t *to = warp->registers + destination->offset + (size_t)lane * 16;
      memset(to, 0, 16);
      memcpy(to, host[lane] + offset, (size_t)bytes);
    }
  }
}

static emu_step load(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  uint64_t address[EMU_LANES];
  uint8_t *host[EMU_LANES];
  const emu_type_info *type = emu_type_of((emu_type)op->type);
  int bytes = type->bits / 8;
  unsigned intent = EMU_READ | (op->type2 ? EMU_STRONG : 0);
  emu_addresses(address, warp, &op->address);
  if (!emu_access(warp, op, (emu_space)op->space, address, lanes, (unsigned)bytes * op->vector,
                  intent, host)) {
    return EMU_FAULT;
  }
  for (int i = 0; i < op->vector; i++) {
    if (op->operands[i].sink) continue;
    load_lanes(warp, &op->operands[i], lanes, host, (unsigned)(i * bytes), bytes,
               type->kind == 's');
  }
  if (op->type2) {
    atomic_thread_fence(memory_order_acquire);
    emu_yield(warp);
  }
  return EMU_NEXT;
}

gg_status emu_decode_ld(emu_op *op, emu_decoder *d, gg_error *err) {
  op->exec = load;
  op->kind = EMU_KIND_LOAD;
  gg_status st = decode_access(op, d, err);
  if (!st) st = wide_operands(op, d, 0, (emu_type)op->type, true, err);
  if (!st) st = emu_operand_address(&op->address, d, 1, err);
  if (!st) emu_param_space(op, d, emu_operand_at(d, 1));
  return st;
}

/* ---- Stores ----------------------------------------------------------------------------- */

#define STORE_LANES(memory_type, register_type)                                                    \
  do {                                                                                             \
    const register_type *from = EMU_AT(const register_type, warp, source);                         \
    EMU_EACH_LANE(lanes, lane) {                                                                   \
      memory_type value = (memory_type)from[lane];                                                 \
      memcpy(host[lane] + offset, &value, sizeof(value));                                          \
    }                                                                                              \
  } while (0)

/* Stores the low bytes of one value a lane. */
static void store_lanes(emu_warp *warp, const emu_operand *source, uint32_t lanes,
                        uint8_t *const host[EMU_LANES], unsigned offset, int bytes) {
  switch (bytes * 32 + source->lane_bytes) {
  case 1 * 32 + 2:
    STORE_LANES(uint8_t, uint16_t);
    break;
  case 2 * 32 + 2:
    STORE_LANES(uint16_t, uint16_t);
    break;
  case 4 * 32 + 4:
    STORE_LANES(uint32_t, uint32_t);
    break;
  case 8 * 32 + 8:
    STORE_LANES(uint64_t, uint64_t);
    break;
  default:
    EMU_EACH_LANE(lanes, lane) {
      memcpy(host[lane] + offset,
             warp->registers + source->offset + (size_t)lane * source->lane_bytes, (size_t)bytes);
    }
  }
}

void emu_stored_value(uint8_t *bytes, const emu_warp *warp, const emu_op *op, int lane) {
  size_t each = (size_t)emu_type_of((emu_type)op->type)->bits / 8;
  for (int i = 0; i < op->vector; i++) {
    const emu_operand *source = &op->operands[i];
    memcpy(bytes + (size_t)i * each,
           warp->registers + source->offset + (size_t)lane * source->lane_bytes, each);
  }
}

static emu_step store(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  uint64_t address[EMU_LANES];
  uint8_t *host[EMU_LANES];
  int bytes = emu_type_of((emu_type)op->type)->bits / 8;
  unsigned intent = EMU_WRITE | (op->type2 ? EMU_STRONG : 0);
  emu_addresses(address, warp, &op->address);
  if (op->type2) atomic_thread_fence(memory_order_release);
  if (!emu_access(warp, op, (emu_space)op->space, address, lanes, (unsigned)bytes * op->vector,
                  intent, host)) {
    return EMU_FAULT;
  }
  for (int i = 0; i < op->vector; i++) {
    store_lanes(warp, &op->operands[i], lanes, host, (unsigned)(i * bytes), bytes);
  }
  return EMU_NEXT;
}

bool emu_is_store(const emu_op *op) {
  return op->exec == store;
}

gg_status emu_decode_st(emu_op *op, emu_decoder *d, gg_error *err) {
  if (emu_take(d, "async")) return emu_decode_store_async(op, d, err);
  op->exec = store;
  op->kind = EMU_KIND_STORE;
  gg_status st = decode_access(op, d, err);
  if (!st) st = wide_operands(op, d, 1, (emu_type)op->type, false, err);
  if (!st) st = emu_operand_address(&op->address, d, 0, err);
  if (!st) emu_param_space(op, d, emu_operand_at(d, 0));
  return st;
}
