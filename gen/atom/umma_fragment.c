/* Operands of a tiled tcgen05.mma; see umma_fragment.h. */
#include "atom/umma_fragment.h"

#include <stdio.h>

#include "atom/dtype.h"
#include "atom/scale_layout.h"
#include "layout/calc.h"

static gg_status refuse(const gg_tiled_mma *mma, const char *what, const char *given,
                        const char *legal, gg_error *err) {
  return gg_fail(err, ATOM_PARAMETER, NULL, mma->atom.row->cute, what, given, legal);
}

static gg_status check_kind(const gg_tiled_mma *mma, gg_error *err) {
  if (mma->atom.row->kind == GG_MMA_tcgen05) return GG_OK;
  return refuse(mma, "the instruction", mma->atom.row->ptx, "tcgen05.mma", err);
}

/* Makes a tile of tensor memory from ((MMA_M,MMA_N),m,n) of an operand. */
static gg_status make_tile(gg_tmem_tile *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                           const gg_tuple *extents, gg_error *err) {
  enum { m = 2, n = 3, rest = 4 }; /* nodes */
  gg_tuple shape;
  gg_status st = gg_tiled_mma_partition_shape(&shape, mma, operand, extents, err);
  if (st) return st;
  if (!gg_is_mma_shape(&shape))
    return gg_fail(err, LAYOUT_VALUE, NULL, "tcgen05.mma's fragment",
                   "M, N and K of a tile have no modes");
  *out = (gg_tmem_tile){.ctas = mma->atom.row->threads == GG_TV_pair ? 2 : 1,
                        .m = (int)shape.nodes[m].value,
                        .n = (int)shape.nodes[n].value,
                        .rest = {shape.nodes[rest].value, shape.nodes[rest + 1].value},
                        .rests = 2};
  return GG_OK;
}

gg_status gg_umma_fragment_c(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             int64_t stages, gg_error *err) {
  gg_tmem_tile tile;
  gg_status st = check_kind(mma, err);
  if (st || (st = make_tile(&tile, mma, GG_MMA_C, extents, err))) return st;
  tile.value_bits = gg_dtype_info_of(mma->atom.c)->bits;
  tile.storage_bits = 32;
  if (stages) tile.rest[tile.rests++] = stages;
  bool beside_a = mma->atom.row->source_a == GG_MMA_TENSOR && tile.ctas == 1 && tile.m == 64;
  if (beside_a) tile.alloc = GG_TMEM_NON_INTERLEAVED;
  return gg_tmem_frg(out, &tile, err);
}

static int bits_in_memory(gg_dtype type) {
  int bits = gg_dtype_info_of(type)->bits;
  return bits < 8 ? 8 : bits;
}

gg_status gg_umma_fragment_a(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             gg_error *err) {
  gg_tmem_tile tile;
  gg_status st = check_kind(mma, err);
  if (st) return st;
  if (mma->atom.row->source_a != GG_MMA_TENSOR)
    return refuse(mma, "A", "in shared memory", "an atom with A in tensor memory (_TS)", err);
  if ((st = make_tile(&tile, mma, GG_MMA_A, extents, err))) return st;
  tile.value_bits = tile.storage_bits = bits_in_memory(mma->atom.a);
  if (tile.m == 64) tile.alloc = tile.ctas == 2 ? GG_TMEM_DUPLICATED : GG_TMEM_NON_INTERLEAVED;
  return gg_tmem_frg(out, &tile, err);
}

gg_status gg_umma_fragment_e(gg_layout *out, const gg_tiled_mma *mma, const gg_tuple *extents,
                             gg_error *err) {
  gg_tuple shape;
  gg_status st = check_kind(mma, err);
  if (st) return st;
  if (!mma->atom.row->sparse) return refuse(mma, "metadata", "missing", "a sparse atom", err);
  if ((st = gg_tiled_mma_partition_shape(&shape, mma, GG_MMA_A, extents, err))) return st;
  bool packed = mma->atom.row->a == GG_DTYPE_e2m1;
  return gg_tmem_e_frg(out, packed ? 4 : bits_in_memory(mma->atom.a), false, &shape, err);
}

/* ---- Scale factors --------------------------------------------------------------------------- */

gg_status gg_umma_smem_sf(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                          const gg_tuple *tile, gg_error *err) {
  gg_status st = check_kind(mma, err);
  if (st) return st;
  if (!mma->atom.row->block)
    return refuse(mma, "the block of its scale factors", "missing", "a block-scaled atom", err);
  if (gg_tuple_depth(tile) != 1 || gg_tuple_rank(tile) != 3)
    return gg_fail(err, LAYOUT_VALUE, NULL, "scale factors", "the tile is (M,N,K)");
  int ctas = mma->atom.row->threads == GG_TV_pair ? 2 : 1;
  int64_t rows = gg_tuple_value(tile, operand == GG_MMA_SFB);
  if (operand == GG_MMA_SFA) rows /= ctas;
  return gg_scale_smem_layout(out, mma->atom.row->block, rows, gg_tuple_value(tile, 2), mma->atom.k,
                              err);
}

/* Whether an operand is halved. With M = 128, each CTA of a pair has 64 rows, and the halves of D's
 * columns lie one below the other, each beside its own factors of B. Those factors cannot be cut
 * where an atom of factors ends inside of a half. */
static bool is_halved(const gg_tiled_mma *mma, gg_mma_operand operand) {
  return operand == GG_MMA_SFB && mma->atom.row->threads == GG_TV_pair && mma->atom.m == 128;
}

gg_status gg_umma_fragment_sf(gg_layout *out, const gg_tiled_mma *mma, gg_mma_operand operand,
                              const gg_tuple *tile, gg_error *err) {
  gg_layout smem;
  gg_status st = gg_umma_smem_sf(&smem, mma, operand, tile, err);
  if (st) return st;
  bool halved = is_halved(mma, operand);
  int n = mma->atom.n;
  if (halved && (n % GG_SCALE_ROWS != 0 || gg_tuple_value(tile, 1) != n)) {
    char given[64];
    snprintf(given, sizeof given, "%d, of a tile's %lld", n, (long long)gg_tuple_value(tile, 1));
    return refuse(mma, "N beside M of 128", given, "128 or 256, all of the tile's", err);
  }
  return gg_tmem_sf_frg(out, &smem.shape, halved, err);
}

/* ---- Descriptors ------------------------------------------------------------------------------
 */

gg_status gg_umma_descriptor_steps(gg_layout *out, const gg_composed *smem, gg_error *err) {
  enum { unit_bits = 128 };
  gg_layout units, first = gg_layout_flat(1, 0), steps;
  gg_status st;
  if (!smem->ptr_bits || unit_bits % smem->ptr_bits != 0 || gg_layout_rank(&smem->layout) < 2)
    return gg_fail(err, LAYOUT_VALUE, NULL, "make_fragment",
                   "the operand is of shared memory (smem_ptr), ((MN,K),tiles along MN,along K)");
  if ((st = gg_layout_upcast(&units, &smem->layout, unit_bits / smem->ptr_bits, err))) return st;
  if ((st = gg_layout_wrap(&steps, &first, err))) return st;
  for (int i = 1; i < gg_layout_rank(&units); i++) {
    gg_layout mode;
    if ((st = gg_layout_get(&mode, &units, i, err))) return st;
    if ((st = gg_layout_append(&steps, &steps, &mode, err))) return st;
  }
  *out = steps;
  return GG_OK;
}
