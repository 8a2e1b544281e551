/* The reductions of cp.reduce.async.bulk and red.async: memory = memory op value. */
#ifndef GG_EMU_REDUCE_H
#define GG_EMU_REDUCE_H

#include "emu/decode.h"

typedef enum emu_reduction {
  EMU_REDUCE_ADD,
  EMU_REDUCE_MIN,
  EMU_REDUCE_MAX,
  EMU_REDUCE_INC, /* memory >= value ? 0 : memory + 1 */
  EMU_REDUCE_DEC, /* memory == 0 || memory > value ? value : memory - 1 */
  EMU_REDUCE_AND,
  EMU_REDUCE_OR,
  EMU_REDUCE_XOR,
} emu_reduction;

/* -1: none of the modifiers is a reduction. */
int emu_take_reduction(emu_decoder *d);

/* Whether cp.reduce.async.bulk to global memory has the operation for the type. */
bool emu_reduction_exists(emu_reduction reduction, emu_type type);

/* Whether it does to shared memory. */
bool emu_shared_reduction_exists(emu_reduction reduction, emu_type type);

/* and, or, xor: each bit of the result is of one bit of memory. */
static inline bool emu_reduction_is_bitwise(emu_reduction reduction) {
  return reduction >= EMU_REDUCE_AND;
}

/* One element. f32 is added with subnormals flushed, as atomics in global memory do. */
uint64_t emu_reduce(emu_reduction reduction, emu_type type, uint64_t memory, uint64_t value);

/* All elements of `bytes` at `to`, which is aligned to one, with those at `from`. Each is an atomic
 * step, as clusters on other threads of the host may change the same. f32 is added with subnormals
 * flushed where `flushes` is set, as into tensors of FTZ types alone. */
void emu_reduce_bytes(emu_reduction reduction, emu_type type, bool flushes, uint8_t *to,
                      const uint8_t *from, uint32_t bytes);

#endif
