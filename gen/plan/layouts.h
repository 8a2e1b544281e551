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

/* One place in the kernel that touches shared memory, and what its warps' accesses cost, summed
 * over a whole tile (or a whole staging pass). */
typedef struct gg_smem_access {
  const char *name; /* "ldmatrix A" */
  int bytes;        /* a lane */
  gg_wavefronts wavefronts;
  const char *why; /* it takes more than the fewest, for people; NULL: not known, or it does not */
} gg_smem_access;

/* How boxes bring an operand's tile to a stage, and how the tensor core finds it there. The tile
 * is boxes side by side along its contiguous mode, as wide as the swizzle's pattern. */
typedef struct gg_boxed_tile {
  int count;
  int line;            /* elements of a box along the contiguous mode */
  int lines;           /* of a box */
  int64_t bytes;       /* of a box */
  uint64_t descriptor; /* of the first MMA's operand, at address 0 */
  gg_layout steps;     /* (block of the tile, K step) -> 16 bytes from there; */
  int step_units;      /* or (block, 16 bytes of K), so many of which are a K step; 0: the former */
} gg_boxed_tile;

/* A matrix that the epilogue reads and that is fetched behind a tile's last K tile. The tile is
 * boxes side by side along its contiguous mode, so many in a stage. Where N is contiguous each of
 * D's boxes of columns has boxes of its own, whole ones. Or it is fetched in sub-tiles, the rows of
 * an MMA by the columns of a box of D's: then `boxes` are a sub-tile's, all in one stage. */
typedef struct gg_fetched {
  int operation; /* whose operand it is */
  bool is_c;     /* linear's */
  gg_operand operand;
  int line;      /* elements of a box along the contiguous mode */
  int lines;     /* of a box */
  int64_t bytes; /* of a box */
  int boxes, boxes_a_stage;
  int first_stage, stages; /* of those behind the K tiles */
  int64_t begin;           /* of a sub-tile in its stage */
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

/* A matrix that the epilogue reads and that a warp's lanes bring to its staging in whole lines, a
 * sub-tile at once. */
typedef struct gg_lined {
  int operation; /* whose operand it is */
  bool is_c;     /* linear's */
  gg_operand operand;
  int access_bytes;   /* that a lane copies at once */
  gg_composed layout; /* (row, column) of a sub-tile to its element */
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
  int sets;      /* tiles that are summed at once, and short sums beside them */
  int registers; /* a thread, 32-bit, of all sets */
  int columns;   /* of tensor memory, of all sets */
} gg_accumulator_place;

enum { GG_LAYOUTS_MAX = 16, GG_ACCESSES_MAX = 12 };

typedef struct gg_layouts {
  /* Shared memory: (m, k) and (n, k) to an element of one stage; (row, column) to an element of
   * one warp's staging buffer. Sizes in elements. */
  gg_composed sA, sB, sD;
  int64_t size_a, size_b, size_d;

  /* Threads: (thread, value) to the colexicographic index in the tile; those that the family has.
   */
  gg_layout tAgA, tBgB;       /* global to shared: which elements each thread copies */
  gg_layout tCrA, tCrB, tCrC; /* the tiled MMA's fragments */
  bool twins_m, twins_n;      /* neighbouring rows are r and r + 8 of an MMA; columns of two MMAs */

  gg_boxed_tile boxes_a, boxes_b; /* where tensor maps copy the operands */
  uint64_t scale_descriptor;      /* of an atom of scale factors, for tcgen05.cp, at address 0 */
  int scale_column;               /* of tensor memory, where factors begin */
  uint64_t metadata_descriptor;   /* of a tile of metadata, likewise */
  int metadata_column;
  int a_column; /* where an A in tensor memory begins */
  gg_fetched fetched[GG_FETCHED_MAX];
  size_t fetched_count;
  int fetch_stages; /* of all of them */
  gg_lined lined[GG_LINED_MAX];
  size_t lined_count;
  gg_result results[GG_RESULTS_MAX]; /* in the order in which they are stored: D is the last */
  size_t result_count;
  bool evicts_first; /* a launch may say that D's lines are to leave the L2 cache before others */
  gg_tensor_map maps[GG_TENSOR_MAPS_MAX];
  size_t map_count;

  gg_named_layout named[GG_LAYOUTS_MAX]; /* the above by name, those that there are */
  size_t named_count;

  gg_rings rings;        /* what of shared memory is filled and drained, and by whom */
  int64_t smem_bytes;    /* dynamic shared memory a CTA: the rings' */
  int64_t staging_bytes; /* of a buffer of a warp's */
  int64_t vector_begin[GG_OPERATIONS_MAX]; /* of an operation's vector, among a tile's */

  gg_smem_access accesses[GG_ACCESSES_MAX];
  size_t access_count;

  gg_accumulator_place accumulator;
  int fragment_registers; /* a thread, 32-bit */
  int metadata_registers; /* ... of a sparse A, where lanes hand it to MMAs */
} gg_layouts;

gg_status gg_layouts_derive(gg_layouts *out, const gg_plan *plan, gg_error *err);

/* For families' derivations: adds to the lists of the above. */
void gg_layouts_name(gg_layouts *out, const char *name, const char *maps,
                     const gg_composed *layout);
void gg_layouts_name_plain(gg_layouts *out, const char *name, const char *maps,
                           const gg_layout *layout);
/* tCrA, tCrB and tCrC of threads that multiply together, whose `atoms` are (M, N, K) -> warp or
 * thread, and whose `permutation` is of M and of N; K is as it is. tCrC is of those that have the
 * sums of all of K, the first along it. */
gg_status gg_layouts_fragments(gg_layouts *out, const gg_plan *plan, const gg_layout *atoms,
                               const gg_tiler *permutation, gg_error *err);

/* DERIVE_COVER unless A's and B's tiles are copied and multiplied, and D's computed, each element
 * exactly once: of families whose threads do all of it. */
gg_status gg_layouts_check_covers(const gg_layouts *layouts, const gg_plan *plan, gg_error *err);

gg_smem_access *gg_layouts_access(gg_layouts *out, const char *name, int bytes);

/* Gives the rings their places in shared memory, and checks that it suffices. */
gg_status gg_layouts_place(gg_layouts *out, const gg_plan *plan, gg_error *err);

/* Adds one warp's access. */
void gg_smem_access_count(gg_smem_access *access, const int64_t address[GG_WARP]);

/* Adds the reading of a tile mn x k by matrices of 8 lines of 16 bytes, each in one phase, as
 * ldmatrix and the tensor core read it. */
void gg_smem_access_count_matrices(gg_smem_access *access, const gg_composed *smem, bool k_major,
                                   int64_t mn, int64_t k, int element_bits);

#endif
