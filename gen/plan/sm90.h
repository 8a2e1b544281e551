/* Family sm90: its two stages (plan and layouts), and the steps of the first. Families sm100 and
 * sm120 use most of them, too. */
#ifndef GG_PLAN_SM90_H
#define GG_PLAN_SM90_H

#include "plan/choices.h"
#include "plan/gate.h"
#include "plan/map_sets.h"
#include "plan/target.h"

bool gg_sm90_swaps_ab(const gg_spec *spec); /* sm90_tile.c */

/* The results of the steps in which the family plans. A step takes the earlier results that it
 * needs and returns its own by value, so that reading something before it is decided does not
 * compile; *st says whether the step succeeded. Steps read from the plan what stands there before
 * the family is asked (types, copies); only sm90.c writes to it. */

typedef struct gg_sm90_tile {
  int m, n, k;
  gg_mma_atom mma;
  int mma_columns; /* columns of one MMA, or of the warps' MMAs that are taken for one */
  int beside;      /* warpgroups side by side along N: as many as two that share a tile usually are;
                    * 0: there are never several */
  bool a_in_registers;
} gg_sm90_tile;

enum { GG_SM90_USUAL_TILES = 4 };

typedef struct gg_sm90_sums {
  int promote; /* how many MMAs along K are summed before their sum is added to the accumulator; 0:
                * all of them */
} gg_sm90_sums;

typedef struct gg_sm90_workers {
  bool pingpong;
  int atoms_m, atoms_n, consumers, threads;
} gg_sm90_workers;

typedef struct gg_sm90_cluster {
  int m, n, k;
} gg_sm90_cluster;

typedef struct gg_sm90_schedule {
  gg_scheduler scheduler;
  int splits;
  bool shares_tiles, reduces_sums; /* whether several clusters compute one tile; whether several
                                    * CTAs do */
} gg_sm90_schedule;

typedef struct gg_sm90_registers {
  int ctas_per_sm, producer, consumer; /* producer, consumer: of a thread; `producer` is 0 if no
                                        * registers are handed over */
  int sum_sets;
} gg_sm90_registers;

/* The steps in sm90_tile.c. gg_sm90_choose_tile: the tile and its MMA; if the spec asks for none,
 * the first of the usual tiles after the `too_large` ones that were found too large.
 * gg_sm90_choose_workers: the warpgroups. gg_sm90_choose_sums: sums of `promote` MMAs, if the
 * tile's K allows that. gg_sm90_choose_registers: a thread's registers, when it is known who
 * computes a tile. */
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

/* gg_sm90_choose_copies: the operands' alignments, and which operands threads copy: those that
 * promise less alignment than tensor maps need. If `may_copy_lines` is false (schedule multistage),
 * these are refused. gg_sm90_choose_boxes: the swizzle of A's and of B's boxes. (sm90.c) */
gg_status gg_sm90_choose_copies(gg_plan *plan, bool may_copy_lines, gg_error *err);
gg_status gg_sm90_choose_boxes(gg_plan *plan, const gg_sm90_tile *tile, gg_error *err);

/* The cluster, the scheduler, the order of tiles; and checks whether the first two are possible.
 * (sm90_schedule.c) */
gg_sm90_cluster gg_sm90_choose_cluster(const gg_plan *plan, const gg_sm90_tile *tile);
gg_status gg_sm90_check_cluster(const gg_plan *plan, gg_sm90_cluster cluster, gg_error *err);
gg_sm90_schedule gg_sm90_choose_schedule(const gg_plan *plan, gg_sm90_cluster cluster);
gg_status gg_sm90_check_schedule(const gg_plan *plan, const gg_sm90_tile *tile,
                                 const gg_sm90_workers *workers, gg_sm90_cluster cluster,
                                 const gg_sm90_schedule *schedule, gg_error *err);
gg_order gg_sm90_choose_order(gg_status *st, const gg_plan *plan, const gg_sm90_tile *tile,
                              gg_sm90_cluster cluster, const gg_sm90_schedule *schedule,
                              gg_error *err);

/* The registers that a thread has, and those that the warpgroup that loads hands over.
 * (sm90_tile.c) */
gg_sm90_registers gg_sm90_divide_registers(const gg_plan *plan, const gg_sm90_workers *workers);

/* A thread's 32-bit registers for one MMA's accumulator; for all accumulators, with more sets of
 * them if sums are promoted; and for A's fragments of two K steps. (sm90_tile.c) */
int gg_sm90_mma_registers(const gg_plan *plan);
int gg_sm90_accumulator_registers(const gg_plan *plan);
int gg_sm90_fragment_registers(const gg_plan *plan);

enum {
  GG_SM90_STAGED_ROWS = 16, /* rows that one warp has of a box in which D is staged */
  GG_SM90_BLOCK_ROWS = 64,  /* rows that the four warps of a warpgroup have side by side */
  /* The first named barrier at which warps meet that stage a box together. Those before it are for
   * consumers in turns and for warps that transpose. */
  GG_SM90_BOX_BARRIER = 8,
  /* K tiles, from which on what is fetched for a tile of consumers in turns waits until the tile is
   * multiplied. */
  GG_SM90_K_TILES_TO_FETCH_IN = 32,
};

/* How a warpgroup's part of D passes through shared memory: in boxes of `columns` columns, one
 * after the other, in `buffers` buffers in turns. A box has the rows of `warps` warps. */
typedef struct gg_sm90_staging {
  int columns, buffers, warps;
} gg_sm90_staging;

/* The stages of the ring, the staging beside it, and whether matrices are fetched: to the ring's
 * stages, or to `subtile_stages` stages of their own. */
typedef struct gg_sm90_memory {
  gg_sm90_staging staged;
  bool fetches;
  int stages, subtile_stages;
} gg_sm90_memory;

/* Decides what shared memory is used for, when the tile and who computes it are in the plan. How
 * much the epilogue reads at once follows from that. gg_sm90_check_staging: lines of 8-bit elements
 * that a box stores must be at least 16 bytes. (sm90_memory.c) */
gg_status gg_sm90_check_staging(const gg_plan *plan, gg_error *err);
gg_sm90_memory gg_sm90_choose_memory(gg_status *st, const gg_plan *plan,
                                     const gg_sm90_schedule *schedule, gg_error *err);
void gg_sm90_put_memory(gg_plan *plan, const gg_sm90_memory *m);

/* How often a warp waits for a staging buffer while it stores a tile. (sm90_memory.c) */
int gg_sm90_buffer_waits(const gg_plan *plan);

/* Bytes of shared memory for the sums that other CTAs send, if the CTAs of a cluster each have a
 * part of a tile's K: for boxes of `columns` columns, or of the plan's. (sm90_schedule.c) */
int64_t gg_sm90_sums_bytes_in(const gg_plan *plan, int columns);
int64_t gg_sm90_sums_bytes(const gg_plan *plan);

/* Bytes of a line of the swizzle's pattern, which is also the width of a box. 16, a unit of
 * descriptors, without a swizzle. */
static inline int gg_sm90_pattern_width(gg_swizzle_kind kind) {
  int bytes = gg_swizzle_bytes(kind);
  return bytes ? bytes : 16;
}

/* Whether threads copy lines of A or of B, because these may begin at any address. */
static inline bool gg_sm90_copies_lines(const gg_plan *plan) {
  return plan->copy_bytes_a > 0 || plan->copy_bytes_b > 0;
}

/* gg_sm90_transposes: whether warps transpose an operand in its stages, because its M or N is
 * contiguous and the MMA reads K-major only. gg_sm90_is_k_major: whether K is contiguous in the
 * stages, transposed or not. gg_sm90_transposes_any: whether A or B is transposed.
 * (sm90_transposed.c) */
bool gg_sm90_transposes(const gg_plan *plan, const gg_operand *operand);
bool gg_sm90_is_k_major(const gg_plan *plan, const gg_operand *operand);
bool gg_sm90_transposes_any(const gg_plan *plan);

/* Whether all warps of the producer's warpgroup fill the stages, because they copy lines or
 * transpose. */
static inline bool gg_sm90_has_copiers(const gg_plan *plan) {
  return gg_sm90_copies_lines(plan) || gg_sm90_transposes_any(plan);
}

/* The number of the first warp behind those that load and that issue MMAs. */
static inline int gg_sm90_first_spare_warp(const gg_plan *plan) {
  return gg_plan_in_tensor_memory(plan) ? 2 : 1;
}

/* How many warps of the producer's warpgroup are free to bring what the epilogue reads: those that
 * do not load, issue MMAs, change maps or ask which tile is next. */
static inline int gg_sm90_spare_warps(const gg_plan *plan) {
  enum { warps = 4 };
  if (!plan->specialised || gg_sm90_has_copiers(plan)) return 0;
  return warps - gg_sm90_first_spare_warp(plan) - gg_plan_changes_maps(plan) -
         gg_plan_is_dynamic(plan);
}

/* Whether an operand has a second tensor map for its last lines, if these are fewer than a box has.
 * An H100 takes longer for lines of a box that lie outside the matrix than for lines inside
 * (docs/performance/h100.md, "Boxes that reach beyond their matrix"). (sm90_rings.c) */
bool gg_sm90_has_end(const gg_plan *plan, const gg_operand *operand);

/* How an operand that is to be transposed arrives in a stage: in boxes of `width` elements along M
 * or N by `lines` lines along K, as many as make 128 bytes of elements; `across` boxes lie beside
 * each other. A box takes as many bytes as `width` lines of the stage, and lies where these will be
 * after the transposition, which `warps` warps do. (sm90_transposed.c) */
typedef struct gg_sm90_raw_boxes {
  int width, lines, across, count, warps;
  int64_t bytes; /* of all boxes */
} gg_sm90_raw_boxes;

gg_sm90_raw_boxes gg_sm90_raw_boxes_of(const gg_plan *plan, bool is_a);

/* Whether a tile holds columns of one half of N, and behind them the columns of the other half that
 * gate them: so it is with split gates beside scale factors in tensor memory. */
bool gg_sm90_halves_tile(const gg_plan *plan);

/* For a split gate beside an N-major B. gg_sm90_split_step: the step of a tile's columns, if the
 * usual one is `step` (`raw`: B is transposed). gg_sm90_split_most: the most neighbouring columns
 * of one half of N that a tile can have side by side, out of `columns` columns of a CTA's MMA.
 * (sm90_split.c) */
int gg_sm90_split_step(const gg_plan *plan, int step, bool raw);
int gg_sm90_split_most(const gg_plan *plan, int columns);
gg_status gg_sm90_check_split(const gg_plan *plan, gg_error *err);

/* The width along M or N, in elements, of a box of an operand that is to be transposed, if the tile
 * has `mn` of them. (sm90_transposed.c) */
int gg_sm90_raw_width(const gg_plan *plan, bool is_a, int mn);

/* The most columns of the product that a box of the epilogue can have, if its results have `bits`
 * bits: 128 bytes of a line of D. Beside a gate that is twice as many columns of the product; but
 * not if sums come from tensor memory (cta_group is set), because registers hold no more of them.
 */
static inline int gg_sm90_most_columns(const gg_plan *plan, int bits) {
  enum { line_bits = 128 * 8, least_bits = 8 };
  int most = line_bits / (bits < least_bits ? least_bits : bits);
  return gg_plan_is_gated(plan) && plan->cta_group == 0 ? 2 * most : most;
}

/* Checks that an operand can be transposed: its alignment and the schedule, then its tile. And
 * derives what is special in its layouts: where it arrives (checked), and how it is read and
 * written. (sm90_transposed.c) */
gg_status gg_sm90_check_transposed(const gg_plan *plan, gg_error *err);
gg_status gg_sm90_check_transposed_tile(const gg_plan *plan, const gg_sm90_tile *tile, bool is_a,
                                        gg_swizzle_kind swizzle, gg_error *err);
gg_status gg_sm90_derive_transposed(gg_layouts *out, const gg_plan *plan, bool is_a, gg_error *err);

/* Of the four warps that copy lines of A and of B, the number of the one that copies B's first
 * lines. If A's lines do not divide evenly among the warps, B's begin with those that have fewer of
 * A's. 0 if a tensor map copies A or B. (sm90.c) */
int gg_sm90_first_copier_of_b(const gg_plan *plan);

/* Sets the traits of kernels whose warps copy the lines of both operands. (sm90.c) */
void gg_sm90_put_copiers(gg_traits *out, const gg_plan *plan);

/* Bytes of one stage of A and B; and the bytes of it that a CTA loads itself, for its whole
 * cluster. (sm90_tile.c) */
int64_t gg_sm90_stage_bytes(const gg_plan *plan);
int64_t gg_sm90_loaded_bytes(const gg_plan *plan);

/* How many stages `count` fetched matrices take, one behind the other. */
static inline int gg_sm90_stages_of(const gg_fetched *all, size_t count) {
  return count ? all[count - 1].first_stage + all[count - 1].stages : 0;
}

/* The matrices that are fetched for the epilogue, without their layouts; returns how many, if D is
 * staged in boxes of `columns` columns, or of the plan's. Then whether C is among them, and how
 * many stages they take. (sm90_fetch.c) */
size_t gg_sm90_fetched_in(gg_fetched out[GG_FETCHED_MAX], const gg_plan *plan, int columns);
size_t gg_sm90_fetched(gg_fetched out[GG_FETCHED_MAX], const gg_plan *plan);
bool gg_sm90_is_c_fetched(const gg_plan *plan);
int gg_sm90_fetch_stages(const gg_plan *plan);

/* Changes an epilogue's work, in which all matrices and vectors count as read by threads, so that
 * what is fetched or read ahead counts as such. (sm90.c) */
void gg_sm90_move_fetched(gg_epilogue_work *out, const gg_plan *plan);

/* Bytes of shared memory that a sub-tile of `count` fetched matrices takes; and whether threads
 * still read some matrix from where it lies, if others are fetched (`fetches`) or not.
 * (sm90_fetch.c) */
int64_t gg_sm90_subtile_bytes(const gg_fetched *all, size_t count);
bool gg_sm90_reads_directly(const gg_plan *plan, bool fetches);

/* The matrices that are stored by way of the staging, without their layouts, in the order in which
 * they are stored; returns how many, if boxes have `columns` columns and `fetched` matrices are
 * fetched, or as in the plan. (sm90_results.c) */
size_t gg_sm90_results_in(gg_result out[GG_RESULTS_MAX], const gg_plan *plan, int columns,
                          size_t fetched);
size_t gg_sm90_results(gg_result out[GG_RESULTS_MAX], const gg_plan *plan);

/* Whether lanes store the result in units of 16 bytes, which its lines are aligned to.
 * (sm90_results.c) */
bool gg_sm90_stores_units(const gg_result *result);

/* Whether lanes store lines of the result that may begin at any address. (sm90_results.c) */
bool gg_sm90_stores_lines(const gg_result *result);

/* The value of layouts->evicts_first, for layouts that have their results. (sm90_results.c) */
bool gg_sm90_evicts_first(const gg_plan *plan, const gg_layouts *layouts);

/* Bits of the widest type among the results. (sm90_results.c) */
int gg_sm90_result_bits(const gg_plan *plan);

/* How many buffers vectors are read ahead to, if `left` bytes of shared memory are left for them
 * and for all barriers. (sm90_rings.c) */
int gg_sm90_choose_vectors(const gg_plan *plan, int64_t left);

/* Bytes that a tile's vectors take, and, if `begin` is not NULL, where each operation's begins.
 * (sm90_fetch.c) */
int64_t gg_sm90_vectors_bytes(int64_t begin[GG_OPERATIONS_MAX], const gg_plan *plan);

/* How a warp accesses elements of D's staging, or of a fetched matrix, if a lane has two
 * neighbouring columns of a row in each 8 x 8 block. (derive_sm90.c) */
typedef enum gg_sm90_cells {
  GG_SM90_CELLS_MATRICES, /* 16-bit elements: by stmatrix and ldmatrix */
  GG_SM90_CELLS_HALVES, /* 32-bit elements in lines of 64 bytes or more: both columns at once; some
                         * rows begin with the second half of their line, for the banks */
  GG_SM90_CELLS_PAIRS,  /* both columns at once */
  GG_SM90_CELLS_ONES, /* one column after the other, because elements of a column are contiguous */
  GG_SM90_CELLS_TURNED, /* the same with 8-bit elements: lanes exchange them until each lane has
                         * four neighbours of a column, which it stores at once */
  GG_SM90_CELLS_PACKED, /* 4-bit elements: both columns are one byte */
  GG_SM90_CELLS_GATED,  /* a gate makes one column of D out of both; it is accessed by itself */
} gg_sm90_cells;

gg_sm90_cells gg_sm90_cells_of(const gg_operand *operand, int line);

/* The same for a result; and how many of its own columns a box has. */
gg_sm90_cells gg_sm90_cells_of_result(const gg_plan *plan, const gg_result *result);
int gg_sm90_columns_of_result(const gg_plan *plan, const gg_result *result);

/* Where a lane of a warp accesses a box of `line` columns element by element, or the first of the
 * neighbours that it accesses at once. */
typedef struct gg_sm90_lane_cells {
  gg_sm90_cells cells; /* neither MATRICES nor GATED */
  int line;
  bool is_shared; /* by several warps, whose rows are in other banks */
} gg_sm90_lane_cells;

typedef struct gg_sm90_cell {
  int row; /* of the warp's rows */
  int64_t column;
} gg_sm90_cell;

/* The bit of a lane's number that makes it late; 0: no lane is. A late lane accesses first what the
 * others access second: the second half of a line where lines are as long as all banks or half of
 * them; the second of its two columns where those are no neighbours. (derive_sm90.c) */
int gg_sm90_late_bit(const gg_sm90_lane_cells *of);

/* What a lane accesses of the 8 columns that begin at `column`. An odd `column` is one behind such
 * a beginning and stands for the second of a lane's two accesses. (derive_sm90.c) */
gg_sm90_cell gg_sm90_cell_of_lane(const gg_sm90_lane_cells *of, int lane, int64_t column);

gg_status gg_sm90_derive(gg_layouts *out, const gg_plan *plan, gg_error *err); /* derive_sm90.c */

/* Parts of gg_sm90_derive that sm100's derivation uses, too: A and B in shared memory with their
 * boxes and descriptors; what the epilogue stages, stores and fetches; the names of these layouts.
 * (derive_sm90.c) */
gg_status gg_sm90_derive_operands(gg_layouts *out, const gg_plan *plan, gg_error *err);
gg_status gg_sm90_derive_epilogue(gg_layouts *out, const gg_plan *plan, gg_error *err);
gg_status gg_sm90_check_fragments(const gg_plan *plan, gg_error *err); /* of A, by ldmatrix */
void gg_sm90_name_layouts(gg_layouts *out, const gg_plan *plan);

/* Derives the rings and roles, when the sizes of the operands and of the staging are known.
 * (sm90_rings.c) */
void gg_sm90_derive_rings(gg_layouts *out, const gg_plan *plan);

extern const gg_target gg_target_sm90, gg_target_sm90_multistage; /* sm90.c */

#endif
