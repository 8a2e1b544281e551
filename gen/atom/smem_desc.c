/* Matrix descriptors from layouts. A layout is recast to units of 16 bytes and divided into the
 * canonical profile, whose strides are the descriptor's fields. Any layout without that profile is
 * refused. */
#include "atom/smem_desc.h"

#include "layout/calc.h"

enum { field_max = (1 << 14) - 1, unit_bits = 128 };

/* How a tensor core encodes a descriptor: the bits that are always set, the bit where the layout's
 * type begins, and the type of each swizzle by its `bits`. `wide`: the type of the swizzle of 128
 * bytes that moves units of 32 bytes; 0: there is none. */
typedef struct encoding {
  const char *instruction;
  uint64_t always;
  int type_begin, types[4], wide;
} encoding;

static const encoding encodings[] = {
    [GG_SMEM_DESC_WGMMA] = {"wgmma", 0, 62, {0, 3, 2, 1}, 0},
    [GG_SMEM_DESC_TCGEN05] = {"tcgen05", (uint64_t)1 << 46, 61, {0, 6, 4, 2}, 1},
};

/* An operand's tile that a descriptor is asked for, in units of 16 bytes. */
typedef struct operand {
  const encoding *encoding;
  bool mn_major;
  gg_layout units;
  int width; /* of the swizzle, in these units */
  int rows;  /* of a tile along K, where the operand is MN-major */
} operand;

/* Refuses the tile. `why`: what prevents a descriptor of it. */
static gg_status refuse(const operand *o, const char *why, gg_error *err) {
  return gg_fail(err, DESCRIPTOR, NULL, o->mn_major ? "MN" : "K", o->encoding->instruction, why);
}

/* Divides the tile by (x:1, y:1) into ((x,m),(y,k)), each mode an integer number of units. */
static gg_status canonical(gg_layout *out, const operand *o, int64_t x, int64_t y, gg_error *err) {
  gg_tuple shape = GG_TUPLE(x, y), pair = GG_TUPLE(1, 1), profile;
  gg_tiler tiler = gg_tiler_of_shape(&shape);
  gg_status st;
  if ((st = gg_layout_logical_divide(out, &o->units, &tiler, err))) return st;
  if ((st = gg_tuple_pair(&profile, &pair, &pair, err))) return st;
  if (gg_tuple_congruent(&out->shape, &profile)) return GG_OK;
  return refuse(o, "it does not divide into tiles of one stride a direction", err);
}

/* The stride of mode (i,j) of a canonical layout. */
static int64_t stride_at(const gg_layout *a, int i, int j) {
  int mode = gg_tuple_child(&a->stride, 0, i);
  return a->stride.nodes[gg_tuple_child(&a->stride, mode, j)].value;
}

static gg_status mn_major_offsets(int64_t *leading, int64_t *stride, const operand *o, int bits,
                                  gg_error *err) {
  int64_t k = gg_layout_mode_size(&o->units, 1) * bits;
  gg_layout a;
  gg_status st;
  if (k != 128 && k != 256 && k != 512)
    return refuse(o, "K must be 256 bits of elements (sparse: 128 of A, 512 of B)", err);
  if ((st = canonical(&a, o, o->width, o->rows, err))) return st;
  if (o->width > 1 && stride_at(&a, 0, 0) != 1)
    return refuse(o, "16-byte units of a row are not contiguous", err);
  if (stride_at(&a, 1, 0) != o->width)
    return refuse(o, "rows of a tile are not the swizzle's width apart", err);
  *leading = stride_at(&a, o->width > 1 ? 0 : 1, 1);
  *stride = stride_at(&a, o->width > 1 ? 1 : 0, 1);
  return GG_OK;
}

static gg_status k_major_offsets(int64_t *leading, int64_t *stride, const operand *o,
                                 gg_error *err) {
  int64_t k = gg_layout_mode_size(&o->units, 1);
  gg_layout a;
  gg_status st;
  if (gg_layout_mode_size(&o->units, 0) % 8 != 0)
    return refuse(o, "M or N must be a multiple of 8", err);
  if (k != 2 && k != 4) return refuse(o, "K must be 32 bytes (64 of a sparse B)", err);
  if ((st = canonical(&a, o, 8, 2, err))) return st;
  if (stride_at(&a, 0, 0) != o->width)
    return refuse(o, "rows of a tile are not the swizzle's width apart", err);
  if (o->width > 1 && stride_at(&a, 1, 0) != 1)
    return refuse(o, "16-byte units of a row are not contiguous", err);
  *leading = stride_at(&a, 1, 0);
  *stride = stride_at(&a, 0, 1);
  return GG_OK;
}

static gg_status pack(gg_smem_desc *out, const operand *o, int64_t address, int64_t leading,
                      int64_t stride, int type, gg_error *err) {
  if (address < 0 || address % 16 != 0 || address / 16 > field_max)
    return refuse(o, "the address must be a multiple of 16 below 262144", err);
  if (leading < 0 || leading > field_max || stride < 0 || stride > field_max)
    return refuse(o, "an offset between tiles is beyond 16383 times 16 bytes", err);
  *out = (gg_smem_desc){.start_address = (int)(address / 16),
                        .leading_offset = (int)leading,
                        .stride_offset = (int)stride,
                        .layout_type = type};
  out->bits = o->encoding->always | (uint64_t)out->start_address | (uint64_t)leading << 16 |
              (uint64_t)stride << 32 | (uint64_t)type << o->encoding->type_begin;
  return GG_OK;
}

/* Reads the swizzle: the descriptor's type of it, and the operand's width and rows. */
static gg_status read_swizzle(operand *o, int *type, gg_swizzle sw, gg_error *err) {
  bool usual = sw.bits == 0 || (sw.bits <= 3 && sw.base == 4 && sw.shift == 3);
  bool wide = o->encoding->wide && sw.bits == 2 && sw.base == 5 && sw.shift == 2;
  if (!usual && !wide)
    return refuse(o,
                  o->encoding->wide ? "the swizzle must be Sw<0..3,4,3> or Sw<2,5,2> of bytes"
                                    : "the swizzle must be Sw<0..3,4,3> of bytes",
                  err);
  if (wide && !o->mn_major) return refuse(o, "Sw<2,5,2> is of MN-major operands alone", err);
  *type = wide ? o->encoding->wide : o->encoding->types[sw.bits];
  o->width = wide ? 8 : 1 << sw.bits;
  o->rows = wide ? 4 : 8;
  return GG_OK;
}

gg_status gg_smem_desc_make(gg_smem_desc *out, gg_smem_desc_kind kind, const gg_composed *tile,
                            bool mn_major, int64_t address, gg_error *err) {
  operand o = {.encoding = &encodings[kind], .mn_major = mn_major};
  int64_t leading, stride;
  int type;
  gg_status st;
  if (tile->ptr_bits == 0 || unit_bits % tile->ptr_bits != 0)
    return refuse(&o, "it is not of shared memory (smem_ptr)", err);
  if ((st = read_swizzle(&o, &type, tile->swizzle, err))) return st;
  if (gg_layout_rank(&tile->layout) != 2 || gg_layout_has_basis(&tile->layout))
    return refuse(&o, "it must have two modes, MN and K", err);
  st = gg_layout_upcast(&o.units, &tile->layout, unit_bits / tile->ptr_bits, err);
  if (st) return st;
  st = mn_major ? mn_major_offsets(&leading, &stride, &o, tile->ptr_bits, err)
                : k_major_offsets(&leading, &stride, &o, err);
  if (st) return st;
  return pack(out, &o, address, leading, stride, type, err);
}

/* ---- The tiles of an operand -------------------------------------------------------------- */

bool gg_is_mma_shape(const gg_tuple *shape) {
  int rank = gg_rank_at(shape, 0), pair = gg_tuple_child(shape, 0, 0);
  return rank >= 3 && gg_is_tuple(shape, pair) && gg_rank_at(shape, pair) == 2 &&
         shape->count == 1 + 3 + (rank - 1);
}

gg_status gg_tile_to_mma_shape(gg_layout *out, const gg_layout *atom, const gg_tuple *shape,
                               const gg_tuple *order, gg_error *err) {
  enum { mn = 2, k = 3, first_count = 4 }; /* nodes */
  gg_calc c = GG_CALC("tile_to_mma_shape", err);
  int64_t whole[GG_TUPLE_NODES];
  int rank = gg_rank_at(shape, 0) - 1;
  if (!gg_is_mma_shape(shape))
    return gg_fail(err, LAYOUT_VALUE, NULL, "tile_to_mma_shape",
                   "the shape must be ((MN,K),count of MN,count of K), as ((128,16),1,4)");
  for (int i = 0; i < rank; i++) {
    int64_t count = shape->nodes[first_count + i].value;
    whole[i] = i < 2 ? gg_calc_mul(&c, shape->nodes[mn + i].value, count) : count;
  }
  if (c.status) return c.status;
  gg_tuple extents = gg_tuple_make(rank, whole);
  gg_tuple tile = GG_TUPLE(shape->nodes[mn].value, shape->nodes[k].value);
  gg_tiler tiler = gg_tiler_of_shape(&tile);
  gg_layout tiled;
  gg_status st = gg_layout_tile_to_shape(&tiled, atom, &extents, order, err);
  return st ? st : gg_layout_tiled_divide(out, &tiled, &tiler, err);
}
