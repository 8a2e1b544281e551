/* Elements of A and B of less than 8 bits. Global memory has them packed. Integers stay so in
 * shared memory, which mma.sync's fragments are read from; of floats it has a byte for each, as
 * tcgen05.mma reads them: tensor maps unpack them on the way, 16 elements to 16 bytes, of which the
 * first 12 or 8 are theirs; but scaled e2m1 by e2m1, which stay packed. (PTX ISA, "Packing formats
 * used by tcgen05.mma"; CUDA Driver API, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B and 16U6_ALIGN16B.)
 */
#ifndef GG_PLAN_NARROW_H
#define GG_PLAN_NARROW_H

#include "plan/plan.h"

enum {
  GG_UNPACKED_LINE = 128, /* elements of a line of a box; and of what its map's lines are whole */
  GG_UNPACKED_ALIGN = 32, /* bytes that addresses and strides of such a map are multiples of */
};

/* Whether elements of these types stay packed in shared memory: scaled e2m1 by e2m1, and integers.
 */
bool gg_stays_packed(gg_dtype a, gg_dtype b, gg_scaling scale);
bool gg_plan_is_packed(const gg_plan *plan);

/* Bits of an element there, beside such operands or not. */
int gg_smem_bits(gg_dtype type, bool packed);

/* Whether elements of A's or B's type get a byte each on their way to shared memory. */
bool gg_plan_unpacks(const gg_plan *plan, gg_dtype type);

/* Bits of such an element in shared memory, and bytes of so many. */
int gg_plan_smem_bits(const gg_plan *plan, gg_dtype type);
int64_t gg_plan_smem_bytes(const gg_plan *plan, gg_dtype type, int64_t elements);

#endif
