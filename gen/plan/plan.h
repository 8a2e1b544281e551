/* gg_plan: every decision about one kernel, as a named field; plan.def has a row for each. `auto`
 * ends here. */
#ifndef GG_PLAN_PLAN_H
#define GG_PLAN_PLAN_H

#include "atom/arch.h"
#include "atom/device.h"
#include "atom/mma_atom.h"
#include "base/arena.h"
#include "spec/expression.h"
#include "spec/spec.h"

typedef struct gg_target gg_target;

/* Types of decisions that have no name of their own elsewhere. */
typedef const gg_target *gg_family;
typedef gg_operation gg_operation_list[GG_OPERATIONS_MAX];

typedef struct gg_plan {
  const gg_spec *spec;           /* in the plan's terms */
  const gg_spec *asked;          /* as it was given; another one with swap_ab */
  const gg_arch_info *limits;    /* of `arch` */
  const gg_device_model *device; /* that `auto` is resolved for: the row of `arch` */
  const char *name;              /* of the kernel: the spec's, or one that decodes */
  const char *note; /* what was chosen in place of what the architecture has; NULL: nothing */

/* The decisions: plan.def says what each means. */
#define GG_DECISION(type, member, ...) type member;
#include "plan/plan.def"
} gg_plan;

/* Resolves every `auto` and checks what was asked against what the family and the architecture
 * can do. The plan points into `spec` and `arena`. */
gg_status gg_plan_choose(gg_plan *out, const gg_spec *spec, gg_arena *arena, gg_error *err);

/* Bytes of a line of the swizzle's pattern, 0 where there is none; and its name in a spec. */
int gg_swizzle_bytes(gg_swizzle_kind kind);
const char *gg_swizzle_name(gg_swizzle_kind kind);

/* Whether a CTA computes one tile of D after the other. */
static inline bool gg_plan_is_persistent(const gg_plan *plan) {
  return plan->scheduler != GG_SCHEDULER_DATA_PARALLEL;
}

/* Whether a role of its own finds out which tiles a cluster computes. */
static inline bool gg_plan_is_dynamic(const gg_plan *plan) {
  return plan->scheduler == GG_SCHEDULER_DYNAMIC;
}

/* Whether several clusters may compute one tile. */
static inline bool gg_plan_shares_tiles(const gg_plan *plan) {
  return plan->scheduler == GG_SCHEDULER_SPLIT_K || plan->scheduler == GG_SCHEDULER_STREAM_K;
}

/* Whether CTAs add up each other's sums: of several clusters, or of one along K. */
static inline bool gg_plan_reduces_sums(const gg_plan *plan) {
  return gg_plan_shares_tiles(plan) || plan->cluster_k > 1;
}

/* CTAs behind one MMA: those of a pair, else one. */
static inline int gg_plan_mma_ctas(const gg_plan *plan) {
  return plan->cta_group > 1 ? plan->cta_group : 1;
}

/* Whether CTAs of a cluster share A and others of it B: each operand's stages are then emptied by
 * CTAs of its own. */
static inline bool gg_plan_both_shared(const gg_plan *plan) {
  return plan->cluster_m > gg_plan_mma_ctas(plan) && plan->cluster_n > 1;
}

/* Elements of A along K that are stored: half of a sparse one's. */
static inline int gg_plan_k_of_a(const gg_plan *plan, int k) {
  return plan->sparse_a ? k / 2 : k;
}

/* Rows of B's tile that a CTA has: a half where a pair of CTAs multiplies. */
static inline int gg_plan_rows_of_b(const gg_plan *plan, int tile_n) {
  return tile_n / gg_plan_mma_ctas(plan);
}

/* Whether the four warps of a warpgroup multiply by MMAs of their own, a warp's, which together are
 * taken for one: 16 rows each, below each other, by all columns that the warpgroup has. */
static inline bool gg_plan_multiplies_by_warps(const gg_plan *plan) {
  return plan->specialised && plan->mma.row && plan->mma.row->threads == GG_TV_warp;
}

/* Whether the accumulators are in tensor memory: a role of its own multiplies then. */
static inline bool gg_plan_in_tensor_memory(const gg_plan *plan) {
  return plan->accumulator_stages > 0;
}

/* Rows of D that an MMA gives a CTA. */
static inline int gg_plan_mma_rows(const gg_plan *plan) {
  enum { warps = 4 };
  if (gg_plan_multiplies_by_warps(plan)) return plan->mma.m * warps;
  return plan->mma.m / gg_plan_mma_ctas(plan);
}

/* ... and columns. In registers MMAs side by side are taken for one, which has all of the tile's.
 */
static inline int gg_plan_mma_columns(const gg_plan *plan) {
  return gg_plan_in_tensor_memory(plan) ? plan->mma.n : plan->tile_n;
}

/* wgmmas side by side by which a warpgroup multiplies a tile's columns; 1 of other MMAs. */
static inline int gg_plan_wgmmas_beside(const gg_plan *plan) {
  return plan->mma.row->kind == GG_MMA_wgmma ? plan->tile_n / plan->mma.n : 1;
}

/* Of a tensor map's box, elements in each direction. */
enum { GG_BOX_EXTENT_MAX = 256 };

/* Columns of a tile whose rows of a K-major B one box brings: in tensor memory an MMA's; else all,
 * or an MMA's where a box cannot have so many. */
static inline int gg_plan_box_columns(const gg_plan *plan) {
  bool fits = !gg_plan_in_tensor_memory(plan) && plan->tile_n <= GG_BOX_EXTENT_MAX;
  return fits ? plan->tile_n : plan->mma.n;
}

/* Rows of a box in which D is staged: those of one warp, or of several that stage it together. */
static inline int gg_plan_box_rows(const gg_plan *plan) {
  return plan->box_warps > 1 ? plan->epi_m * plan->box_warps : plan->epi_m;
}

/* Whether a tile's columns are those of several MMAs side by side, each with boxes of its own. */
static inline bool gg_plan_has_mmas_along_n(const gg_plan *plan) {
  return plan->tile_n > gg_plan_box_columns(plan);
}

/* What the columns of an MMA's sums are divided into: of a pair whose CTAs have 64 rows each the
 * lower 64 lanes of tensor memory have the first half of the columns, the upper ones the second;
 * but where A is sparse these rows lie as those of one CTA do. (PTX ISA, "Data Path Layout
 * Organization", layouts B and C of tcgen05.) In registers, where warps multiply by MMAs of their
 * own, each of the warpgroups side by side along N has a part. Else there is one part. */
static inline int gg_plan_column_parts(const gg_plan *plan) {
  enum { halved = 64 };
  if (gg_plan_multiplies_by_warps(plan) && plan->atoms_n > 1) return plan->atoms_n;
  return plan->cta_group > 1 && gg_plan_mma_rows(plan) == halved && !plan->sparse_a ? 2 : 1;
}

/* Columns of an MMA that a warp of the epilogue reads. */
static inline int gg_plan_warp_columns(const gg_plan *plan) {
  return gg_plan_mma_columns(plan) / gg_plan_column_parts(plan);
}

/* Columns from the first half of a tile, where warps have halves, to the second. */
static inline int gg_plan_half_step(const gg_plan *plan) {
  return gg_plan_warp_columns(plan) * (plan->turns_columns ? plan->turns_columns : 1);
}

/* Columns from a tile's first to its last: its own, but where others have some in between. */
static inline int gg_plan_tile_span(const gg_plan *plan) {
  if (!plan->turns_columns) return plan->tile_n;
  return gg_plan_half_step(plan) + gg_plan_warp_columns(plan);
}

/* Boxes of so many columns, side by side, that an MMA's sums are read and stored in by a warp. */
static inline int gg_plan_boxes_of_mma(const gg_plan *plan, int columns) {
  return (gg_plan_warp_columns(plan) + columns - 1) / columns;
}

/* Whether the last of them begins within the one before it. */
static inline bool gg_plan_boxes_overlap(const gg_plan *plan, int columns) {
  return gg_plan_warp_columns(plan) % columns != 0;
}

/* Whether what is fetched of matrices has a ring of its own, of sub-tiles: so where warps finish a
 * tile while the next one is multiplied, which would else wait for the stages that matrices are in.
 */
static inline bool gg_plan_fetches_subtiles(const gg_plan *plan) {
  return gg_plan_in_tensor_memory(plan) || plan->pingpong;
}

/* Such rings: of consumers in turns each has its own. */
static inline int gg_plan_subtile_rings(const gg_plan *plan) {
  return plan->pingpong ? plan->consumers : 1;
}

/* Whether the operand's tile lies under the swizzle of 128 bytes that moves 32 bytes as one: as
 * tcgen05.mma wants elements of 32 bits along M or N, and nothing else. */
bool gg_plan_swizzles_wide(const gg_plan *plan, const gg_operand *operand);

static inline int gg_plan_cluster_size(const gg_plan *plan) {
  return plan->cluster_m * plan->cluster_n * plan->cluster_k;
}

/* Extents of a worker's block of the tile. */
static inline int gg_plan_block_m(const gg_plan *plan) {
  return plan->tile_m / plan->atoms_m;
}
static inline int gg_plan_block_n(const gg_plan *plan) {
  return plan->tile_n / plan->atoms_n;
}

#endif
