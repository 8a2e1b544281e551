/* What the files of the model share: the numbers of one kernel on one problem, and how near-equal
 * times are joined. model.c predicts by them; moving.c says what moving bytes takes. */
#ifndef GG_CHOICE_WORK_H
#define GG_CHOICE_WORK_H

#include "choice/model.h"
#include "plan/distribution.h"

/* What terms share about one kernel on one problem. */
typedef struct gg_work {
  const gg_model *of;
  const gg_terms *terms;      /* the model's own */
  const gg_distributed *tile; /* likewise */
  const gg_device_model *device;
  int64_t multiprocessors; /* that the launch may fill */
  int at_once, resident;   /* the model's, limited to these multiprocessors */
  gg_extents extents;
  double tiles_m, tiles_n; /* of D, rounded up to whole clusters */
  double step_bytes;       /* bytes of A and B in a K step, weighted by what they cost to load */
  double band;             /* tiles across a band */
  double lockstep;         /* see gg_work_lockstep() */
  double shares;           /* shares of tiles; 0: all tiles are whole */
  bool beside;             /* begins while the launch ahead still runs */
  double storing;          /* bytes that take DRAM's time in addition to those moved */
} gg_work;

enum {
  GG_LINE_BYTES = 128,  /* of the L2 cache and of the widest swizzle */
  GG_SECTOR_BYTES = 32, /* of DRAM, and of a line of the L2 cache */
  GG_BLOCK_BYTES = 512, /* of DRAM, written at once (docs/performance/h200.md) */
};

static inline double gg_greater(double a, double b) {
  return a > b ? a : b;
}

static inline double gg_lesser(double a, double b) {
  return a < b ? a : b;
}

/* A norm of degree 8: (1 + x)^(1/8) by a cubic polynomial, exact to a ten-thousandth. */
static inline double gg_join(double a, double b) {
  double larger = gg_greater(a, b), smaller = gg_lesser(a, b);
  if (larger <= 0) return 0;
  double share = smaller / larger, square = share * share, fourth = square * square;
  double x = fourth * fourth;
  return larger * (1 + x * (0.125 - x * (0.049596 - x * 0.015104)));
}

/* How much more, as a fraction, lines of `width` bytes cost than lines of 128 bytes. */
static inline double gg_narrowness(double width) {
  return GG_LINE_BYTES / gg_lesser(width, GG_LINE_BYTES) - 1;
}

/* ---- moving.c --------------------------------------------------------------------------- */

/* What loading a byte costs in boxes of this width, relative to boxes of 128 bytes: a narrower box
 * takes as many requests. */
double gg_line_cost(const gg_device_model *device, int swizzle_bytes);

/* Bytes that a CTA has requested at once, in the stages that do not wait to be multiplied. If CTAs
 * copy for each other, a stage also waits for the slowest of them. */
double gg_bytes_under_way(const gg_model *model);

/* Bytes that a K step loads, weighted by their cost. Of the CTAs that share an operand's tile, each
 * loads a part, and is sent the parts of the others. The CTAs of a pair have different halves of B.
 * Metadata is not shared. */
double gg_work_step_bytes(const gg_work *w);

/* Seconds of one step's copies. Copies of warps are also limited by shared memory, and what warps
 * transpose by the rate of their instructions. */
double gg_work_load_step(const gg_work *w, double active);

/* Bytes that DRAM reads and writes for all tiles, of which so many run at once. */
double gg_work_dram_bytes(const gg_work *w, double tiles, double tiles_at_once);

/* What storing costs in addition to its bytes, in bytes: DRAM has to turn from reading to writing,
 * and sectors at the ends of a tile's lines belong to other tiles, too. Tiles of one cluster store
 * both parts of a sector at about the same time, so that the parts meet in the L2 cache; parts of
 * other tiles do not where D is larger than the cache, and a sector leaves it in between. Clusters
 * of two tiles side by side gain little by that (docs/performance/h100.md). A D of that size is
 * written in blocks, of which the same lines leave parts to other tiles. */
double gg_work_storing_bytes(const gg_work *w);

/* Additional bytes that are read if shares begin in one tile and end in another: then the tiles of
 * a round are at different places of K, and do not find in the L2 cache what others have just read.
 * Where CTAs share what a multiprocessor multiplies with, that takes long enough to hide it. */
double gg_work_stray_bytes(const gg_work *w, const gg_distribution *distribution);

/* Bytes of D and of what is stored besides it. */
double gg_work_stored_bytes(const gg_work *w);

/* Seconds of `share` of DRAM's traffic while `active` multiprocessors ask for bytes. */
double gg_work_dram_seconds(const gg_work *w, double active, double share, double bytes);

/* Seconds in which the L2 cache answers what `active` multiprocessors load in `steps` K steps each,
 * and takes `stored` bytes of D meanwhile. In a batch, whose entries have operands of their own, it
 * does one or the other; of single products nothing of the kind was seen, and batches of kernels
 * whose warps have no roles were not measured. */
double gg_work_l2_seconds(const gg_work *w, double active, double steps, double stored);

/* How much faster the L2 cache answers, as a fraction, if CTAs that load the same lines ask for
 * them at the same time, so that neighbours get them by one request. Several things disturb that.
 * Tiles that D fills only in part load less and run ahead, and so do CTAs that find in the cache
 * what others wait for from DRAM. Shares of tiles are at different places of K anyway. Requests of
 * lines that begin anywhere meet less often, and those that go to several CTAs of a cluster not at
 * all. In a narrow band, CTAs that share lines are closer to each other (measured); if clusters
 * claim their tiles, they are in one GPC. */
double gg_work_lockstep(const gg_work *w, const gg_distribution *distribution);

#endif
