/* Matrix descriptors of wgmma: operands in shared memory.
 *
 * A matrix consists of units of 16 bytes, which follow each other along a line. A line is a row of
 * A or a column of B if the matrix is stored along K, or has one k if it is stored along M or N.
 * The swizzle mode says how lines and units map to addresses. (PTX ISA, "Asynchronous Warpgroup
 * Level Matrix Shared Memory Layout" and "Matrix Descriptor Format"; the base offset as an H100
 * takes it.) */
#ifndef GG_EMU_ISA_DESCRIPTOR_H
#define GG_EMU_ISA_DESCRIPTOR_H

#include "emu/memory.h"

enum { EMU_UNIT_BYTES = 16, EMU_CORE_LINES = 8 };

typedef struct emu_matrix_view {
  uint32_t start, leading, stride; /* bytes; `start` is an address of shared memory */
  uint32_t base_offset;
  uint32_t row; /* bytes of a line that are contiguous: 16 without a swizzle, 32, 64, 128 */
  bool along_k;
} emu_matrix_view;

/* False after a fault: bits that must be zero are not. `name` is "A" or "B". */
bool emu_descriptor_read(emu_matrix_view *out, emu_warp *warp, const emu_op *op, const char *name,
                         uint64_t descriptor, bool along_k);

/* The address in shared memory of a unit of a line. */
static inline uint32_t emu_matrix_unit(const emu_matrix_view *v, int line, int unit) {
  uint32_t in_core = (uint32_t)line % EMU_CORE_LINES * v->row;
  uint32_t core = (uint32_t)line / EMU_CORE_LINES, along = (uint32_t)unit * EMU_UNIT_BYTES;
  uint32_t address = v->start + in_core;
  if (v->row == EMU_UNIT_BYTES) {
    address += v->along_k ? (uint32_t)unit * v->leading + core * v->stride
                          : (uint32_t)unit * v->stride + core * v->leading;
    return address;
  }
  address += core * v->stride; /* `row` is a power of two */
  address += (along >> __builtin_ctz(v->row)) * v->leading + (along & (v->row - 1));
  uint32_t mask = v->row / EMU_UNIT_BYTES - 1;
  return address ^ (((address >> 7) - v->base_offset) & mask) * EMU_UNIT_BYTES;
}

#endif
