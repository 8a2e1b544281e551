/* Operands A and B with elements of less than 8 bits, and how wide these are in shared memory.
 *
 * In global memory such elements are always packed. Integers stay packed in shared memory, from
 * where mma.sync's fragments are read. Floats take one byte each there, because tcgen05.mma reads
 * them so: tensor maps unpack them on the way, 16 elements to 16 bytes, of which the first 12
 * (6-bit elements) or 8 (4-bit) hold data. The exception is scaled e2m1 by scaled e2m1, which stays
 * packed.
 *
 * (PTX ISA, "Packing formats used by tcgen05.mma"; CUDA Driver API,
 * CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B and 16U6_ALIGN16B.) */
#ifndef GG_PLAN_NARROW_H
#define GG_PLAN_NARROW_H

#include "plan/plan.h"

enum {
  GG_UNPACKED_LINE = 128, /* elements of a box's line; the lines of its map are a multiple of this
                           */
  GG_UNPACKED_ALIGN = 32, /* bytes; addresses and strides of such a map are multiples of this */
};

/* Whether elements of these types stay packed in shared memory: scaled e2m1 by e2m1, and integers.
 */
bool gg_stays_packed(gg_dtype a, gg_dtype b, gg_scaling scale);
bool gg_plan_is_packed(const gg_plan *plan);

/* Bits that an element of `type` takes in shared memory, given whether the operands are packed
 * there. */
int gg_smem_bits(gg_dtype type, bool packed);

/* Whether tensor maps unpack elements of A's or B's type to a byte each on their way to shared
 * memory. */
bool gg_plan_unpacks(const gg_plan *plan, gg_dtype type);

/* Bits that an element of the plan's A or B takes in shared memory, and bytes that `elements` of
 * them take. */
int gg_plan_smem_bits(const gg_plan *plan, gg_dtype type);
int64_t gg_plan_smem_bytes(const gg_plan *plan, gg_dtype type, int64_t elements);

#endif
