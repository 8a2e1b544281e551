/* gg_layouts: every layout of one kernel and its shared-memory map, derived from the plan by the
 * algebra and then checked. Nothing is chosen here. */
#ifndef GG_PLAN_LAYOUTS_H
#define GG_PLAN_LAYOUTS_H

#include "layout/swizzle.h"
#include "plan/banks.h"
#include "plan/plan.h"

/* A named layout, for dumps. */
typedef struct gg_named_layout {
  const char *name; /* as in the emitted kernel: "sA", "tCrC" */
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

enum { GG_LAYOUTS_MAX = 12, GG_REGIONS_MAX = 8, GG_ACCESSES_MAX = 12 };

typedef struct gg_layouts {
  /* Shared memory: (m, k) and (n, k) to an element of one stage; (row, column) to an element of
   * one warp's staging memory. Sizes in elements. */
  gg_composed sA, sB, sC, sD;
  int64_t size_a, size_b, size_c, size_d;

  /* Threads: (thread, value) to the colexicographic index in the tile. */
  gg_layout tAgA, tBgB;       /* global to shared: which elements each thread copies */
  gg_layout tCrA, tCrB, tCrC; /* the tiled MMA's fragments */

  gg_smem_region regions[GG_REGIONS_MAX];
  size_t region_count;
  int64_t smem_bytes; /* dynamic shared memory a CTA */
  int64_t smem_bytes_per_stage;
  int64_t staging_begin, staging_bytes; /* where the first warp's is; of a warp */

  gg_smem_access accesses[GG_ACCESSES_MAX];
  size_t access_count;

  int accumulator_registers, fragment_registers; /* a thread, 32-bit */
} gg_layouts;

gg_status gg_layouts_derive(gg_layouts *out, const gg_plan *plan, gg_error *err);

#endif
