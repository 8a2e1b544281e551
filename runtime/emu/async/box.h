/* Boxes of tensors: which bytes of global memory are where in shared memory.
 *
 * In shared memory a box has no gaps, and its first dimension is innermost; but if a line is
 * shorter than the swizzle's span, lines are a span apart (seen on the H200). Swizzles exchange its
 * 16-byte chunks: they exclusive-or bits 4 and up of the address in shared memory with bits 7 and
 * up, one, two or three of them for 32B, 64B and 128B. So the pattern depends on absolute
 * addresses, not on where the box starts. Those of sm_100 exchange chunks of 32 or 64 bytes of a
 * line of 128, and may swap the halves of each 16 bytes in every other line. (PTX ISA, "Tensors",
 * "Swizzling modes"; CUDA driver API, CUtensorMapSwizzle.)
 *
 * In interleaved tensors (NC/8HWC8: 16 bytes of channels of every pixel, then the next 16) the
 * first dimension counts pixels of 16 or 32 bytes, whatever the type's size. The last but one
 * counts slices of channels, of which a box takes one, whatever the map's box says (seen on the
 * H100; PTX ISA, "Tensors", "Interleave layout", says only what memory looks like). */
#ifndef GG_EMU_BOX_H
#define GG_EMU_BOX_H

#include "emu/async/tensor_map.h"

/* A row is contiguous in global memory: a line of a box along its first dimension, or a pixel of an
 * interleaved one. Its bytes before `lead`, and from lead + inside on, are out of the tensor's
 * bounds. `bytes`, `lead` and `inside` count global memory; in shared memory a row of packed
 * elements may be longer (emu_tensor_type_padded). */
typedef struct emu_box_row {
  uint32_t linear; /* offset in the box, before swizzling */
  uint32_t bytes, shared_bytes;
  uint32_t lead, inside;
  uint64_t address; /* of the first byte inside */
} emu_box_row;

typedef struct emu_box {
  const emu_tensor_map *map;
  int32_t at[EMU_TENSOR_RANK]; /* coordinates of its first element */
  const int32_t *rows; /* the second coordinate of each of a map's EMU_FOUR_ROWS; NULL: in a row */
} emu_box;

/* The rows of .tile::gather4 and .tile::scatter4. A map's box for these has one row. */
enum { EMU_FOUR_ROWS = 4 };

/* The number of a box's rows, and of those up to the last one in bounds. If the box is in shared
 * memory, these fit into 32 bits. */
uint64_t emu_box_rows(const emu_tensor_map *map);
uint64_t emu_box_rows_inside(const emu_box *box);
void emu_box_row_at(emu_box_row *out, const emu_box *box, uint32_t index);

static inline uint32_t emu_swizzled(emu_tensor_swizzle swizzle, uint32_t address) {
  uint32_t line = address >> 7, mask = (1u << swizzle % 4) - 1; /* 0, 1, 2, 3 bits */
  switch (swizzle) {
  case EMU_SWIZZLE_128B_ATOM_32B:
    return address ^ (line & 3) << 5;
  case EMU_SWIZZLE_128B_ATOM_32B_FLIP_8B:
    return address ^ (line & 3) << 5 ^ (line & 1) << 3;
  case EMU_SWIZZLE_128B_ATOM_64B:
    return address ^ (line & 1) << 6;
  default:
    return address ^ (line & mask) << 4;
  }
}

/* Bytes that a box may touch in shared memory: whole lines of 128 bytes, within which swizzles
 * stay. A store touches those up to the last line in the tensor's bounds (seen on the H100). */
uint64_t emu_box_span(const emu_tensor_map *map);
uint64_t emu_box_span_inside(const emu_box *box);

#endif
