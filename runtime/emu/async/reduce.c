/* See reduce.h. (PTX ISA, "cp.reduce.async.bulk": the reduction of each element is one of .relaxed
 * semantics at .gpu scope.) */
#include "emu/async/reduce.h"

#include <string.h>

#include "emu/number/float.h"

int emu_take_reduction(emu_decoder *d) {
  static const char *const words[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", NULL};
  return emu_take_word(d, words);
}

bool emu_reduction_exists(emu_reduction reduction, emu_type type) {
  switch (reduction) {
  case EMU_REDUCE_ADD:
    return type == EMU_U32 || type == EMU_S32 || type == EMU_U64 || type == EMU_F16 ||
           type == EMU_BF16 || type == EMU_F32 || type == EMU_F64;
  case EMU_REDUCE_MIN:
  case EMU_REDUCE_MAX:
    return type == EMU_U32 || type == EMU_S32 || type == EMU_U64 || type == EMU_S64 ||
           type == EMU_F16 || type == EMU_BF16;
  case EMU_REDUCE_INC:
  case EMU_REDUCE_DEC:
    return type == EMU_U32;
  default:
    return type == EMU_B32 || type == EMU_B64;
  }
}

bool emu_shared_reduction_exists(emu_reduction reduction, emu_type type) {
  switch (reduction) {
  case EMU_REDUCE_ADD:
    return type == EMU_U32 || type == EMU_S32 || type == EMU_U64;
  case EMU_REDUCE_MIN:
  case EMU_REDUCE_MAX:
    return type == EMU_U32 || type == EMU_S32;
  case EMU_REDUCE_INC:
  case EMU_REDUCE_DEC:
    return type == EMU_U32;
  default:
    return type == EMU_B32;
  }
}

static uint64_t add(emu_type type, uint64_t a, uint64_t b) {
  switch (type) {
  case EMU_F16:
    return emu_f16_add((uint16_t)a, (uint16_t)b, 0);
  case EMU_BF16:
    return emu_bf16_add((uint16_t)a, (uint16_t)b, 0);
  case EMU_F32:
    return emu_f32_add((uint32_t)a, (uint32_t)b, EMU_FTZ);
  case EMU_F64:
    return emu_f64_add(a, b, 0);
  default:
    return a + b;
  }
}

static uint64_t lesser(emu_type type, uint64_t a, uint64_t b, bool larger) {
  switch (type) {
  case EMU_F16:
    return emu_f16_select((uint16_t)a, (uint16_t)b, larger, 0);
  case EMU_BF16:
    return emu_bf16_select((uint16_t)a, (uint16_t)b, larger, 0);
  case EMU_S32:
    return ((int32_t)a < (int32_t)b) != larger ? a : b;
  case EMU_S64:
    return ((int64_t)a < (int64_t)b) != larger ? a : b;
  default:
    return (a < b) != larger ? a : b;
  }
}

uint64_t emu_reduce(emu_reduction reduction, emu_type type, uint64_t memory, uint64_t value) {
  switch (reduction) {
  case EMU_REDUCE_ADD:
    return add(type, memory, value);
  case EMU_REDUCE_MIN:
    return lesser(type, memory, value, false);
  case EMU_REDUCE_MAX:
    return lesser(type, memory, value, true);
  case EMU_REDUCE_INC:
    return memory >= value ? 0 : memory + 1;
  case EMU_REDUCE_DEC:
    return !memory || memory > value ? value : memory - 1;
  case EMU_REDUCE_AND:
    return memory & value;
  case EMU_REDUCE_OR:
    return memory | value;
  default:
    return memory ^ value;
  }
}

/* What memory holds afterwards, of one element. */
static uint64_t reduced(emu_reduction reduction, emu_type type, bool flushes, uint64_t memory,
                        uint64_t value) {
  if (type == EMU_F32 && reduction == EMU_REDUCE_ADD && !flushes) {
    return emu_f32_add((uint32_t)memory, (uint32_t)value, 0);
  }
  return emu_reduce(reduction, type, memory, value);
}

/* Elements that are as wide as `word`, one after the other, each exchanged in one step. */
#define REDUCE_WORDS(word)                                                                         \
  for (uint32_t i = 0; i + sizeof(word) <= bytes; i += sizeof(word)) {                             \
    word *at = (word *)(void *)(to + i), old = __atomic_load_n(at, __ATOMIC_RELAXED), value, next; \
    memcpy(&value, from + i, sizeof value);                                                        \
    do {                                                                                           \
      next = (word)reduced(reduction, type, flushes, old, value);                                  \
    } while (                                                                                      \
        !__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));  \
  }

void emu_reduce_bytes(emu_reduction reduction, emu_type type, bool flushes, uint8_t *to,
                      const uint8_t *from, uint32_t bytes) {
  switch (emu_type_bytes(type)) {
  case 2:
    REDUCE_WORDS(uint16_t);
    break;
  case 4:
    REDUCE_WORDS(uint32_t);
    break;
  default:
    REDUCE_WORDS(uint64_t);
  }
}
