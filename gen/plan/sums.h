/* Operations of the epilogue that store sums over D's rows or columns.
 *
 * A tile is finished in boxes, each by one warp (or thread). The sum of one column (or row) within
 * one box is a part, and each part has a place of its own in the workspace. Whoever finishes the
 * last box adds up all parts, always in the same order (templates/parts/totals.cu). */
#ifndef GG_PLAN_SUMS_H
#define GG_PLAN_SUMS_H

#include "plan/operation.h"
#include "plan/plan.h"

/* Counters of finished boxes, at the end of the workspace's counters: half of them for sums over
 * columns, half for sums over rows. If there are more groups of columns, or rows, than counters,
 * several groups share one. */
enum { GG_SUM_COUNTERS = 4096 };

/* Counters of claimed tiles, in front of those: one for each GPC, and one for all. */
enum { GG_CLAIM_COUNTERS = 32 };

/* Where both begin, as an index into the workspace's counters. The counters before them are for
 * tiles that several clusters share. */
enum {
  GG_SUM_COUNTERS_BEGIN = GG_WORKSPACE_COUNTERS / (int)sizeof(uint32_t) - GG_SUM_COUNTERS,
  GG_CLAIM_COUNTERS_BEGIN = GG_SUM_COUNTERS_BEGIN - GG_CLAIM_COUNTERS,
};

/* Lines of parts are this many parts long, or a multiple: so each line begins at a multiple of 16
 * bytes, also if parts are f32. */
enum { GG_SUM_LINE = 4 };

/* In which boxes a family finishes a tile. */
typedef struct gg_sum_boxes {
  int m, n;    /* m: boxes below each other, the parts of one column; n: boxes side by side, the
                * parts of one row */
  int counted; /* how many boxes of a tile are counted when they are finished */
  bool blocks; /* boxes are blocks of neighbouring rows and columns: m * n of equal extents */
  int row_lanes, column_lanes; /* bits of a lane's number. row_lanes: those in which lanes differ
                                * that have other rows of the same columns; column_lanes: those in
                                * which lanes differ that have other columns of the same rows */
  bool pairs;                  /* two neighbouring columns belong to one thread */
  int sent_columns, sent_rows; /* how many columns of a lane (or pairs of them), and how many rows,
                                * store their parts together */
} gg_sum_boxes;

/* How many of the plan's operations store sums: along n (of columns, GG_SPAN_COLUMNS), along m (of
 * rows), or GG_SPAN_NONE: any. */
int gg_plan_sums(const gg_plan *plan, gg_span span);

/* Bytes of the workspace that a CTA's tile takes for each of its columns (or rows). */
int64_t gg_plan_sum_bytes(const gg_plan *plan, gg_span span);

/* gg_tile_sum_boxes: boxes of epi_m x epi_n in the whole tile. gg_mma_sum_boxes: in what each warp
 * has of each MMA's columns, where the last box may begin within the one before it. */
gg_sum_boxes gg_tile_sum_boxes(const gg_plan *plan);
gg_sum_boxes gg_mma_sum_boxes(const gg_plan *plan);

#endif
