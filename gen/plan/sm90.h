/* Family sm90: its two stages, and parts of the first. */
#ifndef GG_PLAN_SM90_H
#define GG_PLAN_SM90_H

#include "plan/choices.h"
#include "plan/gate.h"
#include "plan/map_sets.h"
#include "plan/target.h"

bool gg_sm90_swaps_ab(const gg_spec *spec); /* sm90_tile.c */

/* What is decided one after the other. A step takes the values before it that it needs and gives
 * its own, by value, so that an order in which something is read before it is decided does not
 * compile; *st says whether it could be decided. Steps read the plan of what stands there before
 * the family is asked, of types and of copies; sm90.c alone writes to it. */

typedef struct gg_sm90_tile {
  int m, n, k;
  gg_mma_atom mma;
  int mma_columns; /* of an MMA, or of those of warps that are taken for one */
  bool a_in_registers;
} gg_sm90_tile;

enum { GG_SM90_USUAL_TILES = 4 };

typedef struct gg_sm90_sums {
  int promote; /* MMAs along K whose sum is added to the accumulator; 0: all */
} gg_sm90_sums;

typedef struct gg_sm90_workers {
  bool pingpong;
  int atoms_m, consumers, threads;
} gg_sm90_workers;

typedef struct gg_sm90_cluster {
  int m, n, k;
} gg_sm90_cluster;

typedef struct gg_sm90_schedule {
  gg_scheduler scheduler;
  int splits;
  bool shares_tiles, reduces_sums; /* several clusters compute one; or several CTAs */
} gg_sm90_schedule;

typedef struct gg_sm90_registers {
  int ctas_per_sm, producer, consumer; /* of a thread; `producer` 0: none are handed over */
  int sum_sets;
} gg_sm90_registers;

/* The tile and its MMA, where none is asked for the first of the usual ones behind those that are
 * found `too_large`; the warpgroups; sums, of `promote` MMAs if the tile's K allows; and, when
 * it is known who computes a tile, a thread's registers. sm90_tile.c */
double gg_sm90_tiles_of(const gg_plan *plan, int m, int n);
gg_sm90_tile gg_sm90_choose_tile(gg_status *st, const gg_plan *plan, bool promotes, int too_large,
                                 gg_error *err);
gg_sm90_workers gg_sm90_choose_workers(gg_status *st, const gg_plan *plan, const gg_sm90_tile *tile,
                                       gg_error *err);
gg_sm90_sums gg_sm90_choose_sums(gg_status *st, const gg_plan *plan, const gg_sm90_tile *tile,
                                 int promote, gg_error *err);
gg_sm90_registers gg_sm90_choose_registers(gg_status *st, const gg_plan *plan,
                                           const gg_sm90_tile *tile, const gg_sm90_workers *workers,
                                           const gg_sm90_sums *sums,
                                           const gg_sm90_schedule *schedule, gg_error *err);

/* The alignments of operands, and which of them threads copy: those that promise less than tensor
 * maps want, where that may be (it may not with schedule multistage). Of A and of B the swizzle of
 * its boxes. sm90.c */
gg_status gg_sm90_choose_copies(gg_plan *plan, bool may_copy_lines, gg_error *err);
gg_status gg_sm90_choose_boxes(gg_plan *plan, const gg_sm90_tile *tile, gg_error *err);

/* The cluster, the scheduler, the order of tiles; and whether the first two are possible.
 * sm90_schedule.c */
gg_sm90_cluster gg_sm90_choose_cluster(const gg_plan *plan, const gg_sm90_tile *tile);
gg_status gg_sm90_check_cluster(const gg_plan *plan, gg_sm90_cluster cluster, gg_error *err);
gg_sm90_schedule gg_sm90_choose_schedule(const gg_plan *plan, gg_sm90_cluster cluster);
gg_status gg_sm90_check_schedule(const gg_plan *plan, const gg_sm90_tile *tile,
                                 const gg_sm90_workers *workers, gg_sm90_cluster cluster,
                                 const gg_sm90_schedule *schedule, gg_error *err);
gg_order gg_sm90_choose_order(gg_status *st, const gg_plan *plan, const gg_sm90_tile *tile,
                              gg_sm90_cluster cluster, const gg_sm90_schedule *schedule,
                              gg_error *err);

/* What a thread has, and what the warpgroup that loads hands over. sm90_tile.c */
gg_sm90_registers gg_sm90_divide_registers(const gg_plan *plan, const gg_sm90_workers *workers);

/* A thread's 32-bit registers for an MMA's accumulator; for all of them, more sets where sums are
 * promoted; and for A's fragments, of two steps. sm90_tile.c */
int gg_sm90_mma_registers(const gg_plan *plan);
int gg_sm90_accumulator_registers(const gg_plan *plan);
int gg_sm90_fragment_registers(const gg_plan *plan);

enum {
  GG_SM90_STAGED_ROWS = 16, /* of the boxes in which a warp stages D; */
  GG_SM90_BLOCK_ROWS = 64,  /* so a warpgroup's warps have so many rows of a tile side by side */
  GG_SM90_BOX_BARRIER =
      8, /* the named barriers from here on are of warps that stage a box together:
          * those before are of consumers in turns, and of warps that transpose */
};

/* How a block of D is staged: boxes of so many columns, one after the other, each with the rows of
 * so many warps. */
typedef struct gg_sm90_staging {
  int columns, buffers, warps;
} gg_sm90_staging;

/* The ring of stages, the staging beside it, and whether matrices are fetched to the ring, or to so
 * many stages of their own. */
typedef struct gg_sm90_memory {
  gg_sm90_staging staged;
  bool fetches;
  int stages, subtile_stages;
} gg_sm90_memory;

/* What shared memory is used for, when the tile and who computes it are in the plan; what is read
 * at once follows from it. A line of 8-bit elements that a box stores is 16 bytes at least.
 * sm90_memory.c */
gg_status gg_sm90_check_staging(const gg_plan *plan, gg_error *err);
gg_sm90_memory gg_sm90_choose_memory(gg_status *st, const gg_plan *plan,
                                     const gg_sm90_schedule *schedule, gg_error *err);
void gg_sm90_put_memory(gg_plan *plan, const gg_sm90_memory *m);

/* Shared memory for other parts' sums of a tile, where CTAs of a cluster have a part of its K each;
 * in boxes of so many columns, or the plan's. sm90_schedule.c */
int64_t gg_sm90_sums_bytes_in(const gg_plan *plan, int columns);
int64_t gg_sm90_sums_bytes(const gg_plan *plan);

/* Bytes of a line of the swizzle's pattern, as wide as a box; 16 without a swizzle, a unit of
 * descriptors. */
static inline int gg_sm90_pattern_width(gg_swizzle_kind kind) {
  int bytes = gg_swizzle_bytes(kind);
  return bytes ? bytes : 16;
}

/* Whether threads copy lines of A or of B, which begin anywhere. */
static inline bool gg_sm90_copies_lines(const gg_plan *plan) {
  return plan->copy_bytes_a > 0 || plan->copy_bytes_b > 0;
}

/* Whether warps transpose an operand in its stages, since its M or N is contiguous and the MMA
 * reads K-major alone; whether K is contiguous there, then or anyway; and whether one of A and B is
 * transposed. sm90_transposed.c */
bool gg_sm90_transposes(const gg_plan *plan, const gg_operand *operand);
bool gg_sm90_is_k_major(const gg_plan *plan, const gg_operand *operand);
bool gg_sm90_transposes_any(const gg_plan *plan);

/* Whether all warps of the producer's warpgroup see to the stages: copy lines, or transpose. */
static inline bool gg_sm90_has_copiers(const gg_plan *plan) {
  return gg_sm90_copies_lines(plan) || gg_sm90_transposes_any(plan);
}

/* The first warp behind those that load and that issue MMAs. */
static inline int gg_sm90_first_spare_warp(const gg_plan *plan) {
  return gg_plan_in_tensor_memory(plan) ? 2 : 1;
}

/* Warps of the producer's warpgroup that are left for what the epilogue reads: not those that load,
 * issue MMAs, change maps or ask which tile is next. */
static inline int gg_sm90_spare_warps(const gg_plan *plan) {
  enum { warps = 4 };
  if (!plan->specialised || gg_sm90_has_copiers(plan)) return 0;
  return warps - gg_sm90_first_spare_warp(plan) - gg_plan_changes_maps(plan) -
         gg_plan_is_dynamic(plan);
}

/* Whether the last lines of A or B, fewer than a box has, have a map of their own. An H100 takes
 * longer for the lines of a box that lie outside of its matrix than for those inside
 * (docs/performance/h100.md, "Boxes that reach beyond their matrix"). sm90_rings.c */
bool gg_sm90_has_end(const gg_plan *plan, const gg_operand *operand);

/* How an operand that is transposed arrives: in boxes of `width` elements along M or N, by as many
 * lines along K as 128 bytes have elements; `across` of them beside each other. A box takes the
 * bytes that `width` lines of the stage have, and lies where those will; `warps` transpose it.
 * sm90_transposed.c */
typedef struct gg_sm90_raw_boxes {
  int width, lines, across, count, warps;
  int64_t bytes; /* of all */
} gg_sm90_raw_boxes;

gg_sm90_raw_boxes gg_sm90_raw_boxes_of(const gg_plan *plan, bool is_a);

/* Whether a tile has columns of one half of N, and then those of the other that they are the gates
 * of: beside factors in tensor memory. */
bool gg_sm90_halves_tile(const gg_plan *plan);

/* Of a split gate beside an N-major B: the step of a tile's columns, where there is none `step`
 * (`raw`: B is transposed); and the most neighbouring columns of a half of N that a tile has
 * side by side, of so many of an MMA of a CTA. sm90_split.c */
int gg_sm90_split_step(const gg_plan *plan, int step, bool raw);
int gg_sm90_split_most(const gg_plan *plan, int columns);
gg_status gg_sm90_check_split(const gg_plan *plan, gg_error *err);

/* Elements along M or N of a box of an operand that is transposed, of so many of a tile's.
 * sm90_transposed.c */
int gg_sm90_raw_width(const gg_plan *plan, bool is_a, int mn);

/* Columns of the product that a box of the epilogue has at most, of results of so many bits: 128
 * bytes of a line. Of a gate's two columns D has one; but of sums in tensor memory (a CTA group)
 * registers hold no more. */
static inline int gg_sm90_most_columns(const gg_plan *plan, int bits) {
  enum { line_bits = 128 * 8, least_bits = 8 };
  int most = line_bits / (bits < least_bits ? least_bits : bits);
  return gg_plan_is_gated(plan) && plan->cta_group == 0 ? 2 * most : most;
}

/* That an operand can be transposed: as it is aligned and scheduled; as its tile is. What of the
 * layouts is its own: where it arrives, checked, and how it is read and written.
 * sm90_transposed.c */
gg_status gg_sm90_check_transposed(const gg_plan *plan, gg_error *err);
gg_status gg_sm90_check_transposed_tile(const gg_plan *plan, const gg_sm90_tile *tile, bool is_a,
                                        gg_swizzle_kind swizzle, gg_error *err);
gg_status gg_sm90_derive_transposed(gg_layouts *out, const gg_plan *plan, bool is_a, gg_error *err);

/* Which of the four warps that copy lines of A and of B has the first of B's: where A's do not
 * come out even, the ones that have fewer of A's. 0 where a tensor map copies A or B. */
int gg_sm90_first_copier_of_b(const gg_plan *plan);

/* Who copies, where warps do both operands' lines. sm90.c */
void gg_sm90_put_copiers(gg_traits *out, const gg_plan *plan);

/* Bytes of a stage of A and B; and what of it a CTA loads itself, for its cluster. sm90_tile.c */
int64_t gg_sm90_stage_bytes(const gg_plan *plan);
int64_t gg_sm90_loaded_bytes(const gg_plan *plan);

/* Stages of so many fetched matrices, behind each other. */
static inline int gg_sm90_stages_of(const gg_fetched *all, size_t count) {
  return count ? all[count - 1].first_stage + all[count - 1].stages : 0;
}

/* The matrices that are fetched behind a tile's K tiles, but for their layouts: how many, where D
 * is staged in so many columns, or in the plan's; how many stages they take then; and whether
 * threads read some where they lie, if others are fetched or not. sm90_fetch.c */
size_t gg_sm90_fetched_in(gg_fetched out[GG_FETCHED_MAX], const gg_plan *plan, int columns);
size_t gg_sm90_fetched(gg_fetched out[GG_FETCHED_MAX], const gg_plan *plan);
bool gg_sm90_is_c_fetched(const gg_plan *plan);
int gg_sm90_fetch_stages(const gg_plan *plan);

/* Of an epilogue's work, as threads would read what it needs, that which is fetched or read ahead
 * becomes what it is then. sm90.c */
void gg_sm90_move_fetched(gg_epilogue_work *out, const gg_plan *plan);

/* What a sub-tile of so many fetched matrices takes of shared memory. sm90_fetch.c */
int64_t gg_sm90_subtile_bytes(const gg_fetched *all, size_t count);
bool gg_sm90_reads_directly(const gg_plan *plan, bool fetches);

/* What is stored through the staging, but for its layouts, in the order of its storing: how many,
 * where boxes have so many columns and so many matrices are fetched, or as in the plan.
 * sm90_results.c */
size_t gg_sm90_results_in(gg_result out[GG_RESULTS_MAX], const gg_plan *plan, int columns,
                          size_t fetched);
size_t gg_sm90_results(gg_result out[GG_RESULTS_MAX], const gg_plan *plan);

/* Whether lanes store it in units of 16 bytes, which its lines are aligned to. sm90_results.c */
bool gg_sm90_stores_units(const gg_result *result);

/* Whether lanes store lines of it that begin anywhere. sm90_results.c */
bool gg_sm90_stores_lines(const gg_result *result);

/* layouts->evicts_first, of the results. sm90_results.c */
bool gg_sm90_evicts_first(const gg_plan *plan, const gg_layouts *layouts);

/* Bits of the widest type among what is stored. sm90_results.c */
int gg_sm90_result_bits(const gg_plan *plan);

/* How many buffers vectors are read ahead to, where that much memory is left for them and for all
 * barriers. sm90_rings.c */
int gg_sm90_choose_vectors(const gg_plan *plan, int64_t left);

/* What a tile's vectors take, and where each begins (`begin` may be NULL). sm90_fetch.c */
int64_t gg_sm90_vectors_bytes(int64_t begin[GG_OPERATIONS_MAX], const gg_plan *plan);

/* How a warp accesses elements of D's staging, or of a fetched matrix, of which a lane has two
 * neighbouring columns of a row in each 8 x 8; `line`: elements of a box's line. derive_sm90.c */
typedef enum gg_sm90_cells {
  GG_SM90_CELLS_MATRICES, /* 16 bits: stmatrix, ldmatrix */
  GG_SM90_CELLS_HALVES,   /* 32 bits, lines of 64 bytes or more: some rows' other half first */
  GG_SM90_CELLS_PAIRS,    /* both columns at once */
  GG_SM90_CELLS_ONES,     /* one after the other, where rows are contiguous */
  GG_SM90_CELLS_TURNED,   /* 8 bits, to where rows are contiguous: four of a column at once */
  GG_SM90_CELLS_PACKED,   /* 4 bits: both columns are a byte */
  GG_SM90_CELLS_GATED,    /* one column of D of both, by itself */
} gg_sm90_cells;

gg_sm90_cells gg_sm90_cells_of(const gg_operand *operand, int line);

/* The same of what is stored through the staging; and how many columns of a box it has. */
gg_sm90_cells gg_sm90_cells_of_result(const gg_plan *plan, const gg_result *result);
int gg_sm90_columns_of_result(const gg_plan *plan, const gg_result *result);

gg_status gg_sm90_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm90.c */

/* Its parts, which sm100's derivation is made of too: A and B in shared memory with their boxes and
 * descriptors; what the epilogue stages, stores and fetches; the names of these layouts.
 * derive_sm90.c */
gg_status gg_sm90_derive_operands(gg_layouts *out, const gg_plan *plan, gg_error *err);
gg_status gg_sm90_derive_epilogue(gg_layouts *out, const gg_plan *plan, gg_error *err);
gg_status gg_sm90_check_fragments(const gg_plan *plan, gg_error *err); /* of A, by ldmatrix */
void gg_sm90_name_layouts(gg_layouts *out, const gg_plan *plan);

/* Its rings and roles, when the operands' and the staging's sizes are known. sm90_rings.c */
void gg_sm90_derive_rings(gg_layouts *out, const gg_plan *plan);

extern const gg_target gg_target_sm90, gg_target_sm90_multistage; /* sm90.c */

#endif
