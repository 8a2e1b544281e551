/* gg_plan: every decision about one kernel, as a named field. `auto` ends here. */
#ifndef GG_PLAN_PLAN_H
#define GG_PLAN_PLAN_H

#include "atom/arch.h"
#include "atom/mma_atom.h"
#include "base/arena.h"
#include "spec/spec.h"

typedef struct gg_target gg_target;

typedef struct gg_plan {
  const gg_spec *spec;  /* in the plan's terms */
  const gg_spec *asked; /* as it was given; another one with swap_ab */
  const gg_target *target;
  gg_arch arch;               /* the least architecture the kernel needs */
  const gg_arch_info *limits; /* of that architecture */
  const char *name;           /* of the kernel: the spec's, or one that decodes */
  const char *note; /* what was chosen in place of what the architecture has; NULL: nothing */

  /* Whether all that follows is of the transposed problem, D^T = B * A^T: exchange.h. */
  bool swap_ab;

  /* Problem. Operand alignment is in bytes; `c` is meaningful only where there is one, and where
   * there is one there is a beta. */
  gg_operand a, b, c, d;
  bool has_c;
  gg_dtype accumulator;
  int accumulator_bits; /* of its significand that sums of products keep; 0: all */
  int promote; /* MMAs along K whose sum is then added to the accumulator in full; 0: all of them */
  int sum_sets; /* of registers for such sums: of two, one is added while the other is summed */
  int64_t fixed_m, fixed_n, fixed_k, fixed_batch; /* GG_FIXED_NONE where dynamic */

  /* Tile of a CTA, in elements. */
  int tile_m, tile_n, tile_k;

  /* Atoms: which MMA, and how many workers (the threads that execute one: a warp, a warpgroup)
   * stand side by side along M and N. Each works on one contiguous block of the tile. */
  gg_mma_atom mma;
  int atoms_m, atoms_n;
  bool a_in_registers; /* the MMA's A, where it could be in shared memory too */

  /* Pipeline: how operands come from global to shared memory. A thread's copy moves `copy_bytes` at
   * once; 0 where boxes are copied by tensor maps. Where warps do nothing but copy, they begin
   * `copies_ahead` stages before they wait for one. */
  int stages; /* 0: straight from global memory to registers, and what follows means nothing */
  int copies_ahead;
  int copy_bytes_a, copy_bytes_b;
  gg_swizzle_kind swizzle_a, swizzle_b;

  /* Roles: the workers that multiply, where others only load; and the registers of a thread of
   * each kind. All 0 where every warp does both. */
  int consumers;
  bool specialised; /* a warpgroup of its own loads */
  bool pingpong;    /* consumers compute whole tiles in turns, instead of sharing each */
  int producer_registers, consumer_registers;

  /* Schedule: whether a CTA computes one tile of D, or one after the other; by which scheduler;
   * CTAs of a cluster, those along M and N with tiles of their own, which share operands, those
   * along K with a part of a tile's K each; and the order in which tiles are computed, in bands of
   * `raster_group` tiles. */
  bool persistent;
  gg_scheduler scheduler;
  int splits; /* parts of K, of split_k; 0: chosen at launch */
  int cluster_m, cluster_n, cluster_k;
  gg_raster raster;
  int raster_group;

  /* Epilogue: operations on the accumulator, in order, computed in f32, or in s32 where everything
   * is an integer; and whether one has an alpha. A warp stages epi_m x epi_n elements at once, in
   * one of epi_buffers; threads' accesses to C and D in global memory, in bytes. */
  gg_operation operations[GG_OPERATIONS_MAX];
  size_t operation_count;
  gg_dtype compute;
  bool alpha;
  int epi_m, epi_n, epi_buffers;
  int read_n;                         /* columns of them whose operands a thread reads at once */
  int access_bytes_c, access_bytes_d; /* 0 where a family has nothing to choose */
  bool fetches;       /* matrices come by tensor maps, in stages behind a tile's last K tile */
  int vector_buffers; /* that vectors are read ahead to; 0: threads read them where they lie */

  /* Launch. */
  int threads;
  int ctas_per_sm; /* what the kernel's registers are bounded for */
} gg_plan;

/* Resolves every `auto` and checks what was asked against what the family and the architecture
 * can do. The plan points into `spec` and `arena`. */
gg_status gg_plan_choose(gg_plan *out, const gg_spec *spec, gg_arena *arena, gg_error *err);

/* Bytes of a line of the swizzle's pattern, 0 where there is none; and its name in a spec. */
int gg_swizzle_bytes(gg_swizzle_kind kind);
const char *gg_swizzle_name(gg_swizzle_kind kind);

/* Whether several clusters may compute one tile. */
static inline bool gg_plan_shares_tiles(const gg_plan *plan) {
  return plan->scheduler == GG_SCHEDULER_SPLIT_K || plan->scheduler == GG_SCHEDULER_STREAM_K;
}

/* Whether CTAs add up each other's sums: of several clusters, or of one along K. */
static inline bool gg_plan_exchanges_sums(const gg_plan *plan) {
  return gg_plan_shares_tiles(plan) || plan->cluster_k > 1;
}

/* Whether CTAs of a cluster share A and others of it B: each operand's stages are then emptied by
 * CTAs of its own. */
static inline bool gg_plan_both_shared(const gg_plan *plan) {
  return plan->cluster_m > 1 && plan->cluster_n > 1;
}

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
