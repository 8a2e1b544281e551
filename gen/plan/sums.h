/* Sums over D's rows or columns, which an operation of the epilogue stores. A tile is finished in
 * boxes, each by one warp (or thread); what one has of a column, or row, is a part, and has a place
 * of its own in the workspace. Whoever finishes the last box adds all parts up, in their order:
 * templates/parts/totals.cu. */
#ifndef GG_PLAN_SUMS_H
#define GG_PLAN_SUMS_H

#include "plan/operation.h"
#include "plan/plan.h"

/* At the end of a workspace's counters: for each of the two directions half of them. Where there
 * are more groups of columns, or rows, several have one together. */
enum { GG_SUM_COUNTERS = 4096 };

/* In front of these those of claims: of each GPC, and of all. */
enum { GG_CLAIM_COUNTERS = 32 };

/* Where both begin, in counters; those before are of tiles that are shared. */
enum {
  GG_SUM_COUNTERS_BEGIN = GG_WORKSPACE_COUNTERS / (int)sizeof(uint32_t) - GG_SUM_COUNTERS,
  GG_CLAIM_COUNTERS_BEGIN = GG_SUM_COUNTERS_BEGIN - GG_CLAIM_COUNTERS,
};

/* Parts of all columns, or rows, are in lines of a multiple of so many, so that each line begins at
 * whole 16 bytes, also of f32. */
enum { GG_SUM_LINE = 4 };

/* How a family finishes a tile. */
typedef struct gg_sum_boxes {
  int m, n;    /* boxes below and beside each other: parts of a column and of a row */
  int counted; /* boxes of a tile, as they are counted when they are finished */
  bool blocks; /* each is so many neighbouring rows and columns: m * n of equal extents */
  int row_lanes, column_lanes; /* of a lane's number, the bits that differ between lanes with rows
                                  of the same columns, and with columns of the same rows */
  bool pairs;                  /* two neighbouring columns are one thread's */
  int sent_columns, sent_rows; /* whose parts are stored together: a lane's columns (or pairs of
                                  them), and rows */
} gg_sum_boxes;

/* How many of its operations store sums: along n of columns, along m of rows; GG_SPAN_NONE: any. */
int gg_plan_sums(const gg_plan *plan, gg_span span);

/* Bytes of the workspace that a CTA's tile takes for each of its columns (or rows). */
int64_t gg_plan_sum_bytes(const gg_plan *plan, gg_span span);

/* In boxes of epi_m x epi_n: of the whole tile; of what each warp has of each MMA's columns, where
 * the last may begin within the one before it. */
gg_sum_boxes gg_tile_sum_boxes(const gg_plan *plan);
gg_sum_boxes gg_mma_sum_boxes(const gg_plan *plan);

#endif
