/* gg_layouts: every layout of one kernel and its shared-memory map, derived from the plan by the
 * algebra and then checked. Nothing is chosen here. */
#ifndef GG_PLAN_LAYOUTS_H
#define GG_PLAN_LAYOUTS_H

#include "layout/banks.h"
#include "layout/swizzle.h"
#include "plan/plan.h"
#include "plan/rings.h"

/* A layout by name, for dumps. */
typedef struct gg_named_layout {
  const char *name; /* "sA", "tCrC" */
  const char *maps; /* "(m, k) -> element of a stage" */
  gg_composed layout;
} gg_named_layout;

/* One place in the kernel that accesses shared memory, and what the accesses of its warps cost,
 * summed over a whole tile (or over one pass of staging). */
typedef struct gg_smem_access {
  const char *name; /* "ldmatrix A" */
  int bytes;        /* that one lane accesses at once */
  gg_wavefronts wavefronts;
  const char *why; /* why it takes more wavefronts than the fewest possible, for people; NULL:
                    * unknown, or it does not */
} gg_smem_access;

/* How boxes of a tensor map bring an operand's tile to a stage, and how the tensor core finds the
 * tile there. The tile consists of boxes side by side along its contiguous mode, each as wide as
 * the swizzle's pattern. */
typedef struct gg_boxed_tile {
  int count;
  int line;            /* elements of a box along the contiguous mode */
  int lines;           /* lines of a box */
  int64_t bytes;       /* of a box */
  uint64_t descriptor; /* of the first MMA's operand, at address 0 */
  gg_layout steps;     /* (block of the tile, K step) -> its start, in units of 16 bytes from the
                        * first one's; */
  int step_units;      /* or, if not 0, (block, 16 bytes of K) -> the same, and this many such units
                        * make a K step */
} gg_boxed_tile;

/* A matrix that the epilogue reads and that tensor maps fetch, in boxes side by side along its
 * contiguous mode.
 *
 * Either it is fetched behind a tile's last K tile, `boxes_a_stage` boxes to a stage of the ring.
 * If N is contiguous, each of D's boxes of columns then has whole boxes of its own. Or it is
 * fetched in sub-tiles (the rows of an MMA by the columns of one of D's boxes): then `boxes` counts
 * those of one sub-tile, all of which lie in one stage. */
typedef struct gg_fetched {
  int operation; /* index of the operation that reads it */
  bool is_c;     /* it is C, the operand of `linear` */
  gg_operand operand;
  int line;      /* elements of a box along the contiguous mode */
  int lines;     /* lines of a box */
  int pieces;    /* of its lines, all of one size, each brought by a copy of its own */
  int64_t bytes; /* of a box */
  int boxes, boxes_a_stage;
  int first_stage, stages; /* among the stages that follow a tile's K tiles */
  int64_t begin;           /* byte in a stage where a sub-tile begins */
  gg_composed layout;      /* (row, column) of a box -> its element */
} gg_fetched;

enum { GG_FETCHED_MAX = GG_TENSOR_MAPS_MAX - 3 /* A, B and D have theirs */ };

/* A matrix that the epilogue stores by way of its staging: D, or what an operation puts aside
 * (`aux`). */
typedef struct gg_result {
  int operation; /* index of the operation that stores it; -1: D */
  gg_operand operand;
  bool mapped;        /* true: the copy engine stores boxes; false: lanes store lines, */
  int access_bytes;   /* this many bytes at once */
  gg_composed layout; /* (row, column) of a box -> its element */
} gg_result;

enum { GG_RESULTS_MAX = 5 };

/* A matrix that the epilogue reads and that a warp's lanes bring to the warp's staging memory, in
 * whole lines, one sub-tile at a time. */
typedef struct gg_lined {
  int operation; /* index of the operation that reads it */
  bool is_c;     /* it is C, the operand of `linear` */
  gg_operand operand;
  int access_bytes;   /* bytes that a lane copies at once */
  gg_composed layout; /* (row, column) of a sub-tile -> its element */
} gg_lined;

enum { GG_LINED_MAX = 2 /* C, and the first other one */ };

/* A kind of memory. */
typedef enum gg_home {
  GG_HOME_GLOBAL,
  GG_HOME_SHARED,
  GG_HOME_REGISTERS,
  GG_HOME_TENSOR /* tensor memory */
} gg_home;

/* Where the tensor core's sums are. */
typedef struct gg_accumulator_place {
  gg_home home;  /* registers or tensor memory */
  int sets;      /* tiles whose sums are held at once, and the sets of short sums beside them */
  int registers; /* 32-bit registers of a thread, for all sets */
  int columns;   /* columns of tensor memory, for all sets */
} gg_accumulator_place;

enum { GG_LAYOUTS_MAX = 16, GG_ACCESSES_MAX = 12 };

typedef struct gg_layouts {
  /* Shared memory: sA maps (m, k) and sB (n, k) to an element of one stage; sD maps (row, column)
   * to an element of one warp's staging buffer. The sizes are in elements. */
  gg_composed sA, sB, sD;
  int64_t size_a, size_b, size_d;

  /* Threads: (thread, value) -> colexicographic index in the tile. A family fills those that it
   * has. */
  gg_layout tAgA, tBgB;       /* global to shared: which elements each thread copies */
  gg_layout tCrA, tCrB, tCrC; /* the tiled MMA's fragments */
  bool twins_m, twins_n;      /* twins_m: two neighbouring rows are rows r and r + 8 of an MMA;
                               * twins_n: two neighbouring columns belong to two MMAs (sm80.h) */

  gg_boxed_tile boxes_a, boxes_b; /* if tensor maps copy A and B */
  uint64_t scale_descriptor;      /* for tcgen05.cp, of an atom of scale factors at address 0 */
  int scale_column;               /* column of tensor memory where factors begin */
  uint64_t metadata_descriptor;   /* likewise, of a tile of metadata */
  int metadata_column;
  int a_column; /* column of tensor memory where A begins, if it is there */
  gg_fetched fetched[GG_FETCHED_MAX];
  size_t fetched_count;
  int fetch_stages; /* that all fetched matrices of a tile take */
  gg_lined lined[GG_LINED_MAX];
  size_t lined_count;
  gg_result results[GG_RESULTS_MAX]; /* in the order in which they are stored; D is the last */
  size_t result_count;
  bool evicts_first; /* a launch may ask that D's lines leave the L2 cache before others */
  gg_tensor_map maps[GG_TENSOR_MAPS_MAX];
  size_t map_count;

  gg_named_layout named[GG_LAYOUTS_MAX]; /* those of the above that exist, by name */
  size_t named_count;

  gg_rings rings;        /* what is filled and drained in shared memory, and by whom */
  int64_t smem_bytes;    /* dynamic shared memory of a CTA, all of which is in `rings` */
  int64_t staging_bytes; /* of one buffer of one warp */
  int64_t vector_begin[GG_OPERATIONS_MAX]; /* byte of an operation's vector among all vectors of a
                                            * tile */

  gg_smem_access accesses[GG_ACCESSES_MAX];
  size_t access_count;

  gg_accumulator_place accumulator;
  int fragment_registers; /* 32-bit registers of a thread */
  int metadata_registers; /* likewise, for the metadata of a sparse A, if lanes hand it to MMAs */
} gg_layouts;

gg_status gg_layouts_derive(gg_layouts *out, const gg_plan *plan, gg_error *err);

/* The functions below are for families' derivations. These add to the lists above. */
void gg_layouts_name(gg_layouts *out, const char *name, const char *maps,
                     const gg_composed *layout);
void gg_layouts_name_plain(gg_layouts *out, const char *name, const char *maps,
                           const gg_layout *layout);
/* Derives tCrA, tCrB and tCrC of threads that multiply together. `atoms` maps (M, N, K) to a warp
 * or thread; `permutation` reorders M and N, and K stays as it is. tCrC is that of the threads that
 * end with the sums over all of K: the first ones along K. */
gg_status gg_layouts_fragments(gg_layouts *out, const gg_plan *plan, const gg_layout *atoms,
                               const gg_tiler *permutation, gg_error *err);

/* Fails with DERIVE_COVER unless each element of A's and B's tiles is copied and multiplied exactly
 * once, and each element of D's computed exactly once. For families whose threads do all of this.
 */
gg_status gg_layouts_check_covers(const gg_layouts *layouts, const gg_plan *plan, gg_error *err);

gg_smem_access *gg_layouts_access(gg_layouts *out, const char *name, int bytes);

/* Gives the rings their places in shared memory, and checks that it suffices. */
gg_status gg_layouts_place(gg_layouts *out, const gg_plan *plan, gg_error *err);

/* Adds one access of a warp: the byte addresses of its lanes. */
void gg_smem_access_count(gg_smem_access *access, const int64_t address[GG_WARP]);

/* Adds the accesses that read a whole tile of mn x k elements in matrices of 8 lines of 16 bytes,
 * one matrix in each phase. ldmatrix and the tensor core read so. */
void gg_smem_access_count_matrices(gg_smem_access *access, const gg_composed *smem, bool k_major,
                                   int64_t mn, int64_t k, int element_bits);

#endif
