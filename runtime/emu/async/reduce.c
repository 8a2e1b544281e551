/* See reduce.h. (PTX ISA, "cp.reduce.async.bulk".) */
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

void emu_reduce_bytes(emu_reduction reduction, emu_type type, uint8_t *to, const uint8_t *from,
                      uint32_t bytes) {
  uint32_t size = (uint32_t)emu_type_bytes(type);
  for (uint32_t i = 0; i + size <= bytes; i += size) {
    uint64_t memory = 0, value = 0;
    memcpy(&memory, to + i, size);
    memcpy(&value, from + i, size);
    memory = emu_reduce(reduction, type, memory, value);
    memcpy(to + i, &memory, size);
  }
}

void emu_add_f32(uint8_t *to, const uint8_t *from, uint32_t bytes) {
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t memory, value;
    memcpy(&memory, to + i, 4);
    memcpy(&value, from + i, 4);
    memory = emu_f32_add(memory, value, 0);
    memcpy(to + i, &memory, 4);
  }
}
