/* wgmma descriptors from layouts: recast to units of 16 bytes, divided into the canonical profile,
 * whose strides are then the fields. Anything that does not have that profile is refused. */
#include "atom/gmma_desc.h"

#include <stdio.h>

enum { field_max = (1 << 14) - 1, unit_bits = 128 };

/* What stands between the tile and a descriptor. */
static gg_status refuse(bool mn_major, const char *why, gg_error *err) {
  return gg_fail(err, DESCRIPTOR, NULL, mn_major ? "MN" : "K", why);
}

/* The tile divided by (x:1, y:1), as ((x,m),(y,k)): in 16-byte units, an integer a mode. */
static gg_status canonical(gg_layout *out, const gg_layout *units, int64_t x, int64_t y,
                           bool mn_major, gg_error *err) {
  gg_tuple shape = GG_TUPLE(x, y), pair = GG_TUPLE(1, 1), profile;
  gg_tiler tiler = gg_tiler_of_shape(&shape);
  gg_status st;
  if ((st = gg_layout_logical_divide(out, units, &tiler, err))) return st;
  if ((st = gg_tuple_pair(&profile, &pair, &pair, err))) return st;
  if (gg_tuple_congruent(&out->shape, &profile)) return GG_OK;
  return refuse(mn_major, "it does not divide into tiles of one stride a direction", err);
}

/* The stride of mode (i,j) of a canonical layout. */
static int64_t stride_at(const gg_layout *a, int i, int j) {
  int mode = gg_tuple_child(&a->stride, 0, i);
  return a->stride.nodes[gg_tuple_child(&a->stride, mode, j)].value;
}

static gg_status mn_major_offsets(int64_t *leading, int64_t *stride, const gg_layout *units,
                                  int bits, int width, gg_error *err) {
  int64_t k = gg_layout_mode_size(units, 1);
  gg_layout a;
  gg_status st;
  if (k * bits != 128 && k * bits != 256 && k * bits != 512) {
    return refuse(true, "K must be 256 bits of elements (sparse: 128 of A, 512 of B)", err);
  }
  if ((st = canonical(&a, units, width, 8, true, err))) return st;
  if (width > 1 && stride_at(&a, 0, 0) != 1) {
    return refuse(true, "16-byte units of a row are not contiguous", err);
  }
  if (stride_at(&a, 1, 0) != width) {
    return refuse(true, "rows of a tile are not the swizzle's width apart", err);
  }
  *leading = stride_at(&a, width > 1 ? 0 : 1, 1);
  *stride = stride_at(&a, width > 1 ? 1 : 0, 1);
  return GG_OK;
}

static gg_status k_major_offsets(int64_t *leading, int64_t *stride, const gg_layout *units,
                                 int width, gg_error *err) {
  int64_t k = gg_layout_mode_size(units, 1);
  gg_layout a;
  gg_status st;
  if (gg_layout_mode_size(units, 0) % 8 != 0) {
    return refuse(false, "M or N must be a multiple of 8", err);
  }
  if (k != 2 && k != 4) return refuse(false, "K must be 32 bytes (64 of a sparse B)", err);
  if ((st = canonical(&a, units, 8, 2, false, err))) return st;
  if (stride_at(&a, 0, 0) != width) {
    return refuse(false, "rows of a tile are not the swizzle's width apart", err);
  }
  if (width > 1 && stride_at(&a, 1, 0) != 1) {
    return refuse(false, "16-byte units of a row are not contiguous", err);
  }
  *leading = stride_at(&a, 1, 0);
  *stride = stride_at(&a, 0, 1);
  return GG_OK;
}

static gg_status pack(gg_gmma_desc *out, int64_t address, int64_t leading, int64_t stride,
                      int swizzle_bits, bool mn_major, gg_error *err) {
  static const int layout_types[] = {0, 3, 2, 1};
  if (address < 0 || address % 16 != 0 || address / 16 > field_max) {
    return refuse(mn_major, "the address must be a multiple of 16 below 262144", err);
  }
  if (leading < 0 || leading > field_max || stride < 0 || stride > field_max) {
    return refuse(mn_major, "an offset between tiles is beyond 16383 times 16 bytes", err);
  }
  *out = (gg_gmma_desc){.start_address = (int)(address / 16),
                        .leading_offset = (int)leading,
                        .stride_offset = (int)stride,
                        .layout_type = layout_types[swizzle_bits]};
  out->bits = (uint64_t)out->start_address | (uint64_t)leading << 16 | (uint64_t)stride << 32 |
              (uint64_t)out->layout_type << 62;
  return GG_OK;
}

gg_status gg_gmma_desc_make(gg_gmma_desc *out, const gg_composed *tile, bool mn_major,
                            int64_t address, gg_error *err) {
  gg_swizzle sw = tile->swizzle;
  int64_t leading, stride;
  gg_layout units;
  gg_status st;
  if (tile->ptr_bits == 0 || unit_bits % tile->ptr_bits != 0) {
    return refuse(mn_major, "it is not of shared memory (smem_ptr)", err);
  }
  if (sw.bits > 3 || (sw.bits > 0 && (sw.base != 4 || sw.shift != 3))) {
    return refuse(mn_major, "the swizzle must be Sw<0..3,4,3> of bytes", err);
  }
  if (gg_layout_rank(&tile->layout) != 2 || gg_layout_has_basis(&tile->layout)) {
    return refuse(mn_major, "it must have two modes, MN and K", err);
  }
  if ((st = gg_layout_upcast(&units, &tile->layout, unit_bits / tile->ptr_bits, err))) return st;
  int width = 1 << sw.bits;
  st = mn_major ? mn_major_offsets(&leading, &stride, &units, tile->ptr_bits, width, err)
                : k_major_offsets(&leading, &stride, &units, width, err);
  if (st) return st;
  return pack(out, address, leading, stride, sw.bits, mn_major, err);
}
