/* Family sm80: a sparse A.
 *
 * mma.sp reads what is stored of A, half of K, in fragments like those of a dense A with half the
 * K. Its fragments of B are twice as long, like those of two dense MMAs one behind the other. A
 * lane hands it one word of metadata. The words of a warp describe 16 rows and all of an MMA's K
 * (PTX ISA, "Sparse matrix storage" and the figures of its fragments for mma.sp). For elements of
 * 16 and 32 bits, lanes 0 and 1 of each four have them, each for half of K: 16 bits for row lane /
 * 4, and 16 for the row 8 further down. For elements of 8 bits all four lanes have them, each for
 * one row and half of K.
 *
 * The compressor lays the metadata out like that (atom/sparse_layout.h): the 16 lines of 16 bytes
 * that 16 rows have in a tile of metadata are such words, for several MMAs along K. So a warp reads
 * a K tile's words straight from global memory to registers, 256 contiguous bytes for 16 rows at
 * once, and begins to do so while it multiplies the K tile before. Going by way of the stages would
 * gain nothing: no lane wants what another one has, except in warps side by side along N, which
 * find it in the L1 cache; and the words are few, one for each MMA of the first columns of a block.
 */
#include <stdio.h>

#include "plan/check.h"
#include "plan/choices.h"
#include "plan/sm80.h"
#include "plan/sparse.h"

static const char kept[] =
    "those that it brings to MMAs as they are: 16 bits of either major, 8 and "
    "32 bits with K contiguous";

/* Refuses operands that ldmatrix does not read as they lie: their fragments would be taken apart
 * for MMAs of another shape. */
static gg_status check_major(const gg_plan *plan, const gg_operand *operand,
                             const gg_spec_field *asked, const char *what, gg_error *err) {
  if (!gg_sm80_by_elements(operand) && !gg_sm80_has_twins(operand)) return GG_OK;
  return gg_refuse(plan, asked, what, asked->text, kept, err);
}

gg_status gg_sm80_check_sparse(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  gg_status st;
  if (!plan->sparse_a) return GG_OK;
  if (plan->pointers)
    return gg_refuse(plan, &plan->asked->problem.pointers, "pointers beside a sparse A", "true",
                     "matrices, and their metadata, at a constant stride", err);
  if ((st = check_major(plan, &plan->a, &spec->a.major, "major of a sparse A", err))) return st;
  return check_major(plan, &plan->b, &spec->b.major, "major of B beside a sparse A", err);
}

/* Checks that all words of a K tile are in one tile of metadata. */
gg_status gg_sm80_check_sparse_tile(const gg_plan *plan, int tile_k, int warps_k, gg_error *err) {
  int of_metadata = gg_metadata_tile_k(plan);
  char given[16], instead[96];
  if (!plan->sparse_a) return GG_OK;
  snprintf(given, sizeof given, "%d", warps_k);
  if (warps_k > 1)
    return gg_refuse(plan, &plan->spec->atom_layout, "warps along K beside a sparse A", given,
                     "1: metadata is dealt to warps by rows", err);
  if (of_metadata % tile_k == 0) return GG_OK;
  snprintf(given, sizeof given, "%d", tile_k);
  snprintf(instead, sizeof instead, "divisors of %d, what a tile of metadata has", of_metadata);
  return gg_fail(err, PLAN_UNSUPPORTED, gg_element_mark(&plan->spec->tile, 2), plan->target->family,
                 "tile K beside a sparse A", given, instead);
}

gg_status gg_sm80_derive_metadata(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  if (!plan->sparse_a) return GG_OK;
  const gg_layout fragment = gg_mma_atom_layout(&plan->mma, GG_MMA_E);
  out->metadata_registers = 2 * gg_sm80_metadata_words(plan, gg_plan_block_m(plan), plan->tile_k);
  gg_layouts_name_plain(out, "tCrE", "an MMA's metadata: (lane, bit) -> index in (m, k)",
                        &fragment);
  return gg_metadata_check_places(plan, err);
}

int gg_sm80_metadata_words(const gg_plan *plan, int block_m, int tile_k) {
  return plan->sparse_a ? block_m / plan->mma.m * (tile_k / plan->mma.k) : 0;
}
