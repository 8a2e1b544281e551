/* The products that test_tcgen05.c has tcgen05.mma compute, one a row. */
#ifndef GG_TESTS_EMU_TCGEN05_PRODUCTS_H
#define GG_TESTS_EMU_TCGEN05_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/isa/umma.h"

typedef struct product {
  const char *kind;
  emu_umma_kind id;
  emu_type a, b, d;
  int group, m, n, swizzle; /* swizzle: the field of descriptors */
  bool a_along_m, b_along_n, a_in_tensor_memory, negate_a, saturate;
  int scale;                  /* scale-input-d */
  bool fresh, masked, shifts; /* shifts: .ashift, which D does not see */
  const char *factors;        /* ".scale_vec::1X" and the like; NULL: there are none */
  int factor_count, a_id, b_id;
  bool ue4m3;
  bool ws;
  uint64_t zeros; /* zero-column mask; 0: there is none */
  const char *mask;
  bool sparse;
  int selector, lane; /* lane: where the rows begin, 0 or 16, which have half of the lanes */
  bool more;          /* k is 96, of sm_103 */
  int skip;           /* units of a row before a line; those behind it are in another place */
} product;

extern const product products[];
extern const size_t product_count;

#endif
