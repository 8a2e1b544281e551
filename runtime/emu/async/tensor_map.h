/* Tensor maps: the 128 bytes that cuTensorMapEncodeTiled writes and cp.async.bulk.tensor reads.
 *
 * NVIDIA's encoding is not documented, and programs must not look into it. So the emulator has its
 * own. A kernel may copy a map and change its fields with tensormap.replace. Enumerators have the
 * numbers of the driver API (CUtensorMapDataType and so on). */
#ifndef GG_EMU_TENSOR_MAP_H
#define GG_EMU_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { EMU_TENSOR_MAP_BYTES = 128, EMU_TENSOR_MAP_ALIGN = 64, EMU_TENSOR_RANK = 5 };

typedef enum emu_tensor_type {
  EMU_TENSOR_U8,
  EMU_TENSOR_U16,
  EMU_TENSOR_U32,
  EMU_TENSOR_S32,
  EMU_TENSOR_U64,
  EMU_TENSOR_S64,
  EMU_TENSOR_F16,
  EMU_TENSOR_F32,
  EMU_TENSOR_F64,
  EMU_TENSOR_BF16,
  EMU_TENSOR_F32_FTZ,
  EMU_TENSOR_TF32,
  EMU_TENSOR_TF32_FTZ,
  EMU_TENSOR_16U4_ALIGN8B,  /* from sm_100 on: 4 bits, packed in shared memory, too */
  EMU_TENSOR_16U4_ALIGN16B, /* 16 of them fill the first 8 of 16 bytes of shared memory */
  EMU_TENSOR_16U6_ALIGN16B, /* 6 bits: 16 of them fill the first 12 of 16 bytes */
  EMU_TENSOR_TYPE_COUNT,
} emu_tensor_type;

typedef enum emu_tensor_interleave {
  EMU_INTERLEAVE_NONE,
  EMU_INTERLEAVE_16B,
  EMU_INTERLEAVE_32B,
} emu_tensor_interleave;

typedef enum emu_tensor_swizzle {
  EMU_SWIZZLE_NONE,
  EMU_SWIZZLE_32B,
  EMU_SWIZZLE_64B,
  EMU_SWIZZLE_128B,
  EMU_SWIZZLE_128B_ATOM_32B, /* this one and the following: from sm_100 on */
  EMU_SWIZZLE_128B_ATOM_32B_FLIP_8B,
  EMU_SWIZZLE_128B_ATOM_64B,
  EMU_SWIZZLE_PAIR = 0x80,   /* not a swizzle, but a mode and an atomicity from tensormap.replace */
  EMU_SWIZZLE_PAIR_BITS = 3, /* of the mode; the atomicity is above it; all ones: too large */
} emu_tensor_swizzle;

typedef enum emu_tensor_fill {
  EMU_FILL_ZERO,
  EMU_FILL_NAN, /* only for floating-point types */
} emu_tensor_fill;

/* The innermost dimension comes first. */
typedef struct emu_tensor_map {
  emu_tensor_type type;
  uint32_t rank;                         /* 1 to 5 */
  uint64_t address;                      /* of global memory */
  uint64_t dims[EMU_TENSOR_RANK];        /* elements */
  uint64_t strides[EMU_TENSOR_RANK - 1]; /* bytes, of dimensions 1 and up */
  uint32_t box[EMU_TENSOR_RANK];         /* elements that a copy traverses */
  uint32_t element_strides[EMU_TENSOR_RANK];
  emu_tensor_interleave interleave;
  emu_tensor_swizzle swizzle;
  uint32_t l2_promotion; /* 0 to 3; has no effect */
  emu_tensor_fill fill;
} emu_tensor_map;

/* Checks the map as cuTensorMapEncodeTiled does for a device of `arch` and writes its encoding.
 * Errors: EMU_TENSOR_MAP, with the field and its nearest legal values. */
gg_status emu_tensor_map_encode(uint8_t out[EMU_TENSOR_MAP_BYTES], const emu_tensor_map *map,
                                int arch, gg_error *err);

/* Reads a map from 128 bytes without further checks; false if they are not a tensor map. Zeros are
 * a map whose fields are all 0. */
bool emu_tensor_map_decode(emu_tensor_map *out, const uint8_t in[EMU_TENSOR_MAP_BYTES]);

/* Writes a map without checks, for tensormap.replace, which passes through states that are not
 * legal maps. A value that is too large for its field becomes the field's largest, which is not
 * legal. */
void emu_tensor_map_pack(uint8_t out[EMU_TENSOR_MAP_BYTES], const emu_tensor_map *map);

/* Appends to `why` what is wrong with a map; returns false, and appends nothing, if it is legal. */
bool emu_tensor_map_wrong(gg_str *why, const emu_tensor_map *map, int arch);

/* Bits of an element in global memory. */
uint32_t emu_tensor_type_bits(emu_tensor_type type);
/* Whether 16 elements that are packed in global memory take 16 bytes of shared memory. */
bool emu_tensor_type_padded(emu_tensor_type type);
/* Bytes of global and of shared memory that `count` steps along the first dimension take: elements,
 * or interleaved pixels. */
uint32_t emu_tensor_map_global_bytes(const emu_tensor_map *map, uint64_t count);
uint32_t emu_tensor_map_shared_bytes(const emu_tensor_map *map, uint64_t count);
/* Elements of a box along a dimension: every element_strides-th of those that are traversed; 1
 * along the slices of an interleaved tensor. */
uint32_t emu_tensor_map_extent(const emu_tensor_map *map, uint32_t dimension);
/* What a copy of a box adds to an mbarrier: its bytes, including those out of bounds. For packed
 * elements only the bytes that they fill, without the gaps between them in shared memory (as
 * CUTLASS's kernels of sm_120 expect). */
uint64_t emu_tensor_map_box_bytes(const emu_tensor_map *map);

#endif
