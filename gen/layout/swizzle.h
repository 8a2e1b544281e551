/* Swizzles, and layouts composed with them: Sw<3,4,3> o 0 o (8,64):(64,1).
 *
 * Sw<B,M,S> xors B bits of an index into B others |S| away, leaving the M lowest as they are:
 * sw(x) = x ^ ((x & Y) >> S), Y = ((1<<B)-1) << (M+S); for S < 0 the source bits are the lower
 * ones and the shift goes left. It is its own inverse.
 *
 * A composed layout is index -> sw(offset + layout(index)). With `ptr_bits` set it is CuTe's
 * smem_ptr form, Sw<3,4,3> o smem_ptr[16b](unset) o L: the swizzle acts on byte addresses, L
 * counts elements of ptr_bits, offset is 0. The identity swizzle with offset 0 and no ptr_bits is
 * just the layout: every plain layout is a composed one, so that code can take either.
 * Source: CuTe's swizzle.hpp, swizzle_layout.hpp, layout_composed.hpp, pointer_flagged.hpp. */
#ifndef GG_LAYOUT_SWIZZLE_H
#define GG_LAYOUT_SWIZZLE_H

#include "layout/layout.h"

typedef struct gg_swizzle {
  int bits, base, shift; /* B, M, S; bits 0 is the identity */
} gg_swizzle;

/* Checks B >= 0, M >= 0, |S| >= B, and that the masks fit in 62 bits. */
gg_status gg_swizzle_make(gg_swizzle *out, int64_t bits, int64_t base, int64_t shift,
                          gg_error *err);
static inline int64_t gg_swizzle_apply(gg_swizzle sw, int64_t index) {
  uint64_t bits = ((uint64_t)1 << sw.bits) - 1, x = (uint64_t)index;
  int from = sw.base + (sw.shift > 0 ? sw.shift : 0), to = sw.base - (sw.shift < 0 ? sw.shift : 0);
  return (int64_t)(x ^ (x >> from & bits) << to);
}
/* The swizzle that xors the bits of mask y into those of mask z. */
gg_status gg_swizzle_of_masks(gg_swizzle *out, uint64_t y, uint64_t z, gg_error *err);
uint64_t gg_swizzle_y_mask(gg_swizzle sw); /* the bits read */
uint64_t gg_swizzle_z_mask(gg_swizzle sw); /* the bits changed */
bool gg_swizzle_equal(gg_swizzle a, gg_swizzle b);
/* a after b; only swizzles of the same shift merge. */
gg_status gg_swizzle_composition(gg_swizzle *out, gg_swizzle a, gg_swizzle b, gg_error *err);
/* On indices of elements n times wider or narrower; n a power of two. */
gg_status gg_swizzle_upcast(gg_swizzle *out, gg_swizzle sw, int64_t n, gg_error *err);
gg_status gg_swizzle_downcast(gg_swizzle *out, gg_swizzle sw, int64_t n, gg_error *err);
gg_status gg_swizzle_recast(gg_swizzle *out, gg_swizzle sw, int64_t old_bits, int64_t new_bits,
                            gg_error *err);

typedef struct gg_composed {
  gg_swizzle swizzle;
  int64_t offset; /* elements, before the swizzle */
  int ptr_bits;   /* 0: the swizzle acts on elements; else it acts on bytes under ptr_bits each */
  gg_layout layout;
} gg_composed;

gg_composed gg_composed_of(const gg_layout *layout); /* no swizzle */
gg_status gg_composed_make(gg_composed *out, gg_swizzle sw, int64_t offset, const gg_layout *layout,
                           gg_error *err);
/* Sw o smem_ptr[bits] o layout; bits a power of two up to 1024. */
gg_status gg_composed_make_smem(gg_composed *out, gg_swizzle sw, int bits, const gg_layout *layout,
                                gg_error *err);
bool gg_composed_is_plain(const gg_composed *a); /* only the layout matters */
bool gg_composed_equal(const gg_composed *a, const gg_composed *b);

int64_t gg_composed_size(const gg_composed *a);
int64_t gg_composed_cosize(const gg_composed *a); /* of the layout, as CuTe has it */
/* The offset (elements) at a colexicographic index; of the smem_ptr form, for an aligned tile. */
int64_t gg_composed_at(const gg_composed *a, int64_t index);
/* The same where the layout inside gives `inner`: sw(offset + inner). */
static inline int64_t gg_composed_apply(const gg_composed *a, int64_t inner) {
  int64_t at = (int64_t)((uint64_t)a->offset + (uint64_t)inner);
  if (!a->ptr_bits) return gg_swizzle_apply(a->swizzle, at);
  gg_swizzle on_bits = a->swizzle;
  on_bits.base += 3; /* of the address in bits, so that narrow elements need no fractions */
  int64_t address = (int64_t)((uint64_t)at * (uint64_t)a->ptr_bits);
  return gg_swizzle_apply(on_bits, address) / a->ptr_bits;
}

/* The same function with the swizzle on element indices: CuTe's
 * as_position_independent_swizzle_layout. True of a tile that starts on the swizzle's period. */
gg_status gg_composed_position_independent(gg_composed *out, const gg_composed *a, gg_error *err);

/* A new layout under the same swizzle, offset and pointer: what CuTe's composed divides, products,
 * coalesce, tile_to_shape and so on do with the result of the layout's own operation. */
gg_composed gg_composed_with(const gg_composed *a, const gg_layout *layout);

/* What follows refuses where the answer would not be the function asked for. CuTe takes it for
 * granted that bits do not meet; `gg_..._weakly` answers as CuTe does, for comparison with it. */

/* (sw o off o A) o B by tiler; and A o (sw o 0 o B), which moves the swizzle through A: an error
 * where that is no swizzle, or would not be that function. */
gg_status gg_composed_compose_tiler(gg_composed *out, const gg_composed *a, const gg_tiler *tiler,
                                    gg_error *err);
gg_status gg_layout_compose_swizzled(gg_composed *out, const gg_layout *a, const gg_composed *b,
                                     gg_error *err);
gg_status gg_layout_compose_swizzled_weakly(gg_composed *out, const gg_layout *a,
                                            const gg_composed *b, gg_error *err);

/* What coord keeps, and the offset to add after the swizzle. Decays to a plain layout where the
 * kept modes meet only one side of the swizzle. An error where CuTe's bit arithmetic does not
 * apply (sizes and strides that are no powers of two). */
gg_status gg_composed_slice_and_offset(gg_composed *out, gg_tuple *offset, const gg_tuple *coord,
                                       const gg_composed *a, gg_error *err);
gg_status gg_composed_slice_weakly(gg_composed *out, gg_tuple *offset, const gg_tuple *coord,
                                   const gg_composed *a, gg_error *err);

/* Offset 0 alone: the swizzle moves to the left, through the layout's inverse. */
gg_status gg_composed_right_inverse(gg_composed *out, const gg_composed *a, gg_error *err);
gg_status gg_composed_left_inverse(gg_composed *out, const gg_composed *a, gg_error *err);
gg_status gg_composed_right_inverse_weakly(gg_composed *out, const gg_composed *a, gg_error *err);
gg_status gg_composed_left_inverse_weakly(gg_composed *out, const gg_composed *a, gg_error *err);

gg_status gg_composed_upcast(gg_composed *out, const gg_composed *a, int64_t n, gg_error *err);
gg_status gg_composed_downcast(gg_composed *out, const gg_composed *a, int64_t n, gg_error *err);
gg_status gg_composed_recast(gg_composed *out, const gg_composed *a, int64_t old_bits,
                             int64_t new_bits, gg_error *err);
gg_status gg_composed_max_alignment(int64_t *out, const gg_composed *a, gg_error *err);
gg_status gg_composed_max_common_vector(int64_t *out, const gg_composed *a, const gg_composed *b,
                                        gg_error *err);
gg_status gg_composed_max_common_layout(gg_layout *out, const gg_composed *a, const gg_composed *b,
                                        gg_error *err);

/* ---- Shared-memory atoms of wgmma and tcgen05 -------------------------------------------- */

typedef enum gg_smem_swizzle {
  GG_SMEM_INTER, /* 16 bytes: no swizzle */
  GG_SMEM_SW32,
  GG_SMEM_SW64,
  GG_SMEM_SW128,
  GG_SMEM_SW128_32B, /* 128 bytes in units of 32; MN-major alone */
} gg_smem_swizzle;

/* The canonical tile in smem_ptr form, for elements of `bits`: K-major (8, n):(n, 1) or MN-major
 * (n, 8):(1, n), n elements filling the swizzle's width; 4 rows where the unit is 32 bytes.
 * Source: CuTe's mma_traits_sm90_gmma.hpp and mma_traits_sm100.hpp. */
gg_status gg_smem_atom(gg_composed *out, bool mn_major, gg_smem_swizzle swizzle, int bits,
                       gg_error *err);

/* ---- Text ------------------------------------------------------------------------------- */

void gg_swizzle_print(gg_str *out, gg_swizzle sw);
void gg_composed_print(gg_str *out, const gg_composed *a, gg_notation notation);
gg_status gg_composed_parse(gg_composed *out, const char *text, gg_error *err);

#endif
