/* Matrix descriptors of wgmma: operands in shared memory.
 *
 * A matrix is made of units of 16 bytes. Along a line (a row of A or column of B where it is stored
 * along K, a k where it is stored along M or N) units follow each other; how lines and units map to
 * addresses, the swizzle mode says. (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory
 * Layout" and "Matrix Descriptor Format"; the base offset as an H100 takes it.) */
#ifndef GG_EMU_ISA_DESCRIPTOR_H
#define GG_EMU_ISA_DESCRIPTOR_H

#include "emu/memory.h"

enum { EMU_UNIT_BYTES = 16 };

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
uint32_t emu_matrix_unit(const emu_matrix_view *view, int line, int unit);

#endif
