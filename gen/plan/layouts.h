/* gg_layouts: every layout of one kernel and its shared-memory map, derived from the plan by the
 * algebra and then checked. Nothing is chosen here. */
#ifndef GG_PLAN_LAYOUTS_H
#define GG_PLAN_LAYOUTS_H

#include "layout/banks.h"
#include "layout/swizzle.h"
#include "plan/plan.h"

/* A layout by name, for dumps. */
typedef struct gg_named_layout {
  const char *name; /* "sA", "tCrC" */
  const char *maps; /* "(m, k) -> element of a stage" */
  gg_composed layout;
} gg_named_layout;

typedef struct gg_smem_region {
  const char *name;
  int64_t offset, bytes;
} gg_smem_region;

/* One place in the kernel that touches shared memory, and what its warps' accesses cost, summed
 * over a whole tile (or a whole staging pass). */
typedef struct gg_smem_access {
  const char *name; /* "ldmatrix A" */
  int bytes;        /* a lane */
  gg_wavefronts wavefronts;
} gg_smem_access;

/* How boxes bring an operand's tile to a stage, and how the tensor core finds it there. The tile
 * is boxes side by side along its contiguous mode, as wide as the swizzle's pattern. */
typedef struct gg_boxed_tile {
  int count;
  int line;            /* elements of a box along the contiguous mode */
  int lines;           /* of a box */
  int64_t bytes;       /* of a box */
  uint64_t descriptor; /* of the first MMA's operand, at address 0 */
  gg_layout steps;     /* (block of the tile, K step) -> 16 bytes from there */
} gg_boxed_tile;

/* A matrix that the epilogue reads and that is fetched behind a tile's last K tile. The tile is
 * boxes side by side along its contiguous mode, so many in a stage. Where N is contiguous each of
 * D's boxes of columns has boxes of its own, whole ones. */
typedef struct gg_fetched {
  int operation; /* whose operand it is */
  bool is_c;     /* linear's */
  gg_operand operand;
  int line;      /* elements of a box along the contiguous mode */
  int lines;     /* of a box */
  int64_t bytes; /* of a box */
  int boxes, boxes_a_stage;
  int first_stage, stages; /* of those behind the K tiles */
  gg_composed layout;      /* (row, column) of a box to its element */
} gg_fetched;

enum { GG_FETCHED_MAX = GG_TENSOR_MAPS_MAX - 3 /* A, B and D have theirs */ };

/* What the epilogue stores through its staging: D, or what an operation puts aside. */
typedef struct gg_result {
  int operation; /* whose operand it is; -1: D */
  gg_operand operand;
  bool mapped;        /* boxes are stored by the copy engine, else by lanes, in units of */
  int access_bytes;   /* so many bytes */
  gg_composed layout; /* (row, column) of a box to its element */
} gg_result;

enum { GG_RESULTS_MAX = 5 };

enum { GG_LAYOUTS_MAX = 12, GG_REGIONS_MAX = 8, GG_ACCESSES_MAX = 12 };

typedef struct gg_layouts {
  /* Shared memory: (m, k) and (n, k) to an element of one stage; (row, column) to an element of
   * one warp's staging buffer. Sizes in elements. */
  gg_composed sA, sB, sC, sD;
  int64_t size_a, size_b, size_c, size_d;

  /* Threads: (thread, value) to the colexicographic index in the tile; those that the family has.
   */
  gg_layout tAgA, tBgB;       /* global to shared: which elements each thread copies */
  gg_layout tCrA, tCrB, tCrC; /* the tiled MMA's fragments */

  gg_boxed_tile boxes_a, boxes_b; /* where tensor maps copy the operands */
  gg_fetched fetched[GG_FETCHED_MAX];
  size_t fetched_count;
  int fetch_stages;                  /* of all of them */
  gg_result results[GG_RESULTS_MAX]; /* in the order in which they are stored: D is the last */
  size_t result_count;
  gg_tensor_map maps[GG_TENSOR_MAPS_MAX];
  size_t map_count;

  gg_named_layout named[GG_LAYOUTS_MAX]; /* the above by name, those that there are */
  size_t named_count;

  gg_smem_region regions[GG_REGIONS_MAX];
  size_t region_count;
  int64_t smem_bytes; /* dynamic shared memory a CTA */
  int64_t smem_bytes_per_stage;
  int64_t staging_begin, staging_bytes;    /* where the first warp's is; of a buffer */
  int64_t sums_begin;                      /* where other CTAs of a cluster put their sums */
  int64_t vectors_begin, vectors_bytes;    /* where the epilogue's vectors are; of a tile's */
  int64_t vector_begin[GG_OPERATIONS_MAX]; /* of an operation's, among a tile's */
  int64_t barriers_begin;                  /* of the pipeline, where it has barriers in memory */
  int64_t sum_barriers_begin;    /* behind them: a warp's, where sums from others arrive */
  int64_t vector_barriers_begin; /* and full and empty of each buffer of vectors */

  gg_smem_access accesses[GG_ACCESSES_MAX];
  size_t access_count;

  int accumulator_registers, fragment_registers; /* a thread, 32-bit */
} gg_layouts;

gg_status gg_layouts_derive(gg_layouts *out, const gg_plan *plan, gg_error *err);

/* For families' derivations: adds to the lists of the above. */
void gg_layouts_name(gg_layouts *out, const char *name, const char *maps,
                     const gg_composed *layout);
void gg_layouts_name_plain(gg_layouts *out, const char *name, const char *maps,
                           const gg_layout *layout);
void gg_layouts_region(gg_layouts *out, const char *name, int64_t offset, int64_t bytes);
gg_smem_access *gg_layouts_access(gg_layouts *out, const char *name, int bytes);

/* Adds one warp's access. */
void gg_smem_access_count(gg_smem_access *access, const int64_t address[GG_WARP]);

/* Adds the reading of a tile mn x k by matrices of 8 lines of 16 bytes, each in one phase, as
 * ldmatrix and the tensor core read it. */
void gg_smem_access_count_matrices(gg_smem_access *access, const gg_composed *smem, bool k_major,
                                   int64_t mn, int64_t k, int element_bits);

#endif
