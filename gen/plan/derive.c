/* gg_plan -> gg_layouts: the family's derivation, and what families' derivations share. */
#include <assert.h>

#include "plan/target.h"

gg_status gg_layouts_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  *out = (gg_layouts){.region_count = 0};
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

void gg_layouts_region(gg_layouts *out, const char *name, int64_t offset, int64_t bytes) {
  assert(out->region_count < GG_REGIONS_MAX);
  out->regions[out->region_count++] = (gg_smem_region){name, offset, bytes};
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
  enum { side = 8, chunk_bits = 128 };
  int64_t line = k_major ? k : mn, lines = k_major ? mn : k, chunk = chunk_bits / element_bits;
  for (int64_t first = 0; first < lines; first += side) {
    for (int64_t at = 0; at < line; at += chunk) {
      int64_t address[GG_WARP];
      for (int lane = 0; lane < GG_WARP; lane++) {
        int64_t index = k_major ? first + lane % side + at * mn : at + (first + lane % side) * mn;
        address[lane] = lane < side ? gg_composed_at(smem, index) * element_bits / 8 : -1;
      }
      gg_smem_access_count(access, address);
    }
  }
}
