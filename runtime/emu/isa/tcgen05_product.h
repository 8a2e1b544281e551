/* A product of tcgen05.mma between its issue and its landing: what it is, where its operands are,
 * and its arithmetic (tcgen05_product.c). */
#ifndef GG_EMU_ISA_TCGEN05_PRODUCT_H
#define GG_EMU_ISA_TCGEN05_PRODUCT_H

#include "emu/isa/tcgen05_mma.h"
#include "emu/isa/tcgen05_scale.h"
#include "emu/isa/tcgen05_sparse.h"

typedef struct emu_product {
  emu_async base;
  emu_umma_shape shape;
  emu_umma_view a, b;
  emu_cta *ctas[2];
  emu_tmem_claim d_claims[2], a_claims[2], metadata_claims[2], a_scale_claims[2], b_scale_claims[2];
  emu_meta_view metadata;
  emu_scale_view a_scale, b_scale;
  int d_lane, d_column, a_column;
  bool accumulate, zero[256];             /* zero: columns of B that count as zeros */
  int b_shift;                            /* the column of B that D's first one is computed from */
  uint32_t masks[EMU_TCGEN05_MASKS_MOST]; /* lanes of D that stay as they are, of the first CTA,
                                             then of the other */
  emu_span spans[];
} emu_product;

static inline const emu_tcgen05_facts *emu_product_facts(const emu_product *x) {
  return x->base.op->facts;
}

/* Elements of a unit of 16 bytes. Those of 6 and 4 bits are padded so that a unit has 16
 * (b6x16_p32, b4x16_p64), unless they are packed. */
static inline int emu_product_unit(const emu_product *x, emu_type type) {
  int bits = emu_type_of(type)->bits;
  return bits < 8 && !x->shape.packed ? EMU_UNIT_BYTES : EMU_UNIT_BYTES * 8 / bits;
}

static inline int emu_product_rows(const emu_product *x) {
  return x->shape.m / emu_product_facts(x)->group;
}

/* How many of the k elements of a row of A are stored. */
static inline int emu_product_stored(const emu_product *x) {
  return x->shape.sparse ? x->shape.k / 2 : x->shape.k;
}

/* How many parts of D's columns are below each other: two for 128 rows of a pair, unless A is
 * sparse; and several if mma.ws has fewer rows than there are lanes. */
static inline int emu_product_folds(const emu_product *x) {
  if (emu_product_facts(x)->ws) return EMU_TMEM_LANES / x->shape.m;
  return emu_product_facts(x)->group == 2 && emu_product_rows(x) == 64 && !x->shape.sparse ? 2 : 1;
}

/* Whether a CTA's rows use half of the lanes. */
static inline bool emu_product_half(const emu_product *x) {
  return emu_product_rows(x) == 64 && emu_product_folds(x) == 1;
}

/* Bits of an element of A in tensor memory. Those of 6 and 4 bits take a byte, unless they are
 * packed. */
static inline int emu_product_a_room(const emu_product *x) {
  int bits = emu_type_of(x->shape.a)->bits;
  return bits < 8 && !x->shape.packed ? 8 : bits;
}

/* D = A * B + D, in tensor memory; false after a fault. */
bool emu_product_compute(const emu_product *x);

#endif
