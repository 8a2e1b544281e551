/* gg_plan -> gg_layouts: the family's derivation, and what families' derivations share. */
#include <assert.h>

#include "atom/tiled_mma.h"
#include "plan/check.h"
#include "plan/target.h"

gg_status gg_layouts_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  *out = (gg_layouts){.named_count = 0};
  return plan->target->derive(out, plan, err);
}

void gg_layouts_name(gg_layouts *out, const char *name, const char *maps,
                     const gg_composed *layout) {
  assert(out->named_count < GG_LAYOUTS_MAX);
  out->named[out->named_count++] = (gg_named_layout){name, maps, *layout};
}

void gg_layouts_name_plain(gg_layouts *out, const char *name, const char *maps,
                           const gg_layout *layout) {
  gg_composed composed = gg_composed_of(layout);
  gg_layouts_name(out, name, maps, &composed);
}

gg_status gg_layouts_fragments(gg_layouts *out, const gg_plan *plan, const gg_layout *atoms,
                               const gg_tiler *permutation, gg_error *err) {
  gg_tuple k = gg_tuple_int(plan->tile_k);
  gg_tiler whole = *permutation, mode = gg_tiler_of_shape(&k);
  gg_tiled_mma mma;
  gg_layout first; /* of the first warps along K, which hold the sums in the end */
  gg_status st;
  if ((st = gg_tiler_append(&whole, &mode, err))) return st;
  if ((st = gg_tiled_mma_make(&mma, &plan->mma, atoms, &whole, err))) return st;
  if ((st = gg_tiled_mma_layout_tv(&out->tCrA, &mma, GG_MMA_A, err))) return st;
  if ((st = gg_tiled_mma_layout_tv(&out->tCrB, &mma, GG_MMA_B, err))) return st;
  if ((st = gg_layout_take(&first, atoms, 0, 2, err))) return st;
  if ((st = gg_tiled_mma_make(&mma, &plan->mma, &first, &whole, err))) return st;
  return gg_tiled_mma_layout_tv(&out->tCrC, &mma, GG_MMA_C, err);
}

gg_status gg_layouts_check_covers(const gg_layouts *layouts, const gg_plan *plan, gg_error *err) {
  int64_t m = plan->tile_m, n = plan->tile_n, k = plan->tile_k;
  gg_status st;
  int64_t stored_k = gg_plan_k_of_a(plan, plan->tile_k);
  if ((st = gg_check_cover("tAgA", &layouts->tAgA, m * stored_k, err))) return st;
  if ((st = gg_check_cover("tBgB", &layouts->tBgB, n * k, err))) return st;
  if ((st = gg_check_cover("tCrA", &layouts->tCrA, m * k, err))) return st;
  if ((st = gg_check_cover("tCrB", &layouts->tCrB, n * k, err))) return st;
  return gg_check_cover("tCrC", &layouts->tCrC, m * n, err);
}

gg_status gg_layouts_place(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_rings_place(&out->rings);
  out->smem_bytes = out->rings.bytes;
  int64_t most = gg_smem_limit(plan);
  if (out->smem_bytes <= most) return GG_OK;
  const gg_ring *stages = gg_rings_find(&out->rings, GG_RING_STAGES),
                *staging = gg_rings_find(&out->rings, GG_RING_STAGING),
                *sums = gg_rings_find(&out->rings, GG_RING_SUMS);
  bool in_place = sums && sums->reuses;
  const gg_smem_parts parts = {.stage = stages->bytes,
                               .staging = gg_ring_bytes(staging),
                               .sums = in_place ? 0 : gg_ring_bytes(sums),
                               .in_place = in_place ? gg_ring_bytes(sums) : 0,
                               .barriers = out->rings.bytes - out->rings.barriers_begin,
                               .behind = staging && !staging->reuses};
  return gg_check_smem(plan, &parts, most, err);
}

gg_smem_access *gg_layouts_access(gg_layouts *out, const char *name, int bytes) {
  assert(out->access_count < GG_ACCESSES_MAX);
  gg_smem_access *access = &out->accesses[out->access_count++];
  *access = (gg_smem_access){.name = name, .bytes = bytes};
  return access;
}

void gg_smem_access_count(gg_smem_access *access, const int64_t address[GG_WARP]) {
  gg_wavefronts w = gg_bank_wavefronts(address, access->bytes);
  access->wavefronts.taken += w.taken;
  access->wavefronts.least += w.least;
}

void gg_smem_access_count_matrices(gg_smem_access *access, const gg_composed *smem, bool k_major,
                                   int64_t mn, int64_t k, int element_bits) {
  enum { side = 8, chunk_bits = 128, at_once = GG_WARP / side };
  int64_t line = k_major ? k : mn, lines = k_major ? mn : k, chunk = chunk_bits / element_bits;
  int64_t line_step = k_major ? 1 : mn, step = k_major ? mn : 1;
  for (int64_t first = 0; first < lines; first += side) {
    int64_t rows[side]; /* an element's place follows from both its row and its column, because mn
                         * may be a mode of several */
    for (int row = 0; row < side; row++)
      rows[row] = gg_layout_at(&smem->layout, (first + row) * line_step);
    for (int64_t at = 0; at < line; at += at_once * chunk) {
      int64_t address[GG_WARP];
      for (int matrix = 0; matrix < at_once; matrix++) {
        int64_t place = at + matrix * chunk, column = gg_layout_at(&smem->layout, place * step);
        for (int row = 0; row < side; row++) {
          int64_t element = gg_composed_apply(smem, rows[row] + column);
          address[matrix * side + row] = place < line ? element * element_bits / 8 : -1;
        }
      }
      gg_smem_access_count(access, address);
    }
  }
}
