/* The model by which gg_gemm chooses a kernel: it predicts how long a kernel takes. */
#ifndef GG_CHOICE_MODEL_H
#define GG_CHOICE_MODEL_H

#include "atom/device.h"
#include "choice/terms.h"

/* A prediction. Times are in seconds. `seconds` is not the sum of the others, because what overlaps
 * counts once. */
typedef struct gg_prediction {
  double seconds;
  double tiles;  /* tiles of D in all batches, in whole clusters */
  double rounds; /* tiles of the busiest multiprocessor; of shared tiles, its share */
  double k_tiles;
  double filled;     /* part of the rounds' tiles that D fills: 1 wastes nothing */
  double dram_bytes; /* bytes read and written */
  double load_bytes; /* bytes loaded into shared memory, by all multiprocessors */
  int64_t shares;    /* shares of tiles that several clusters compute together */
  int64_t workspace_bytes;
  double launch;   /* launching, and filling the pipeline */
  double multiply; /* multiplying on the busiest multiprocessor: the longer of the next two, or more
                    */
  double issue;    /* by the tensor core's rate */
  double operands; /* by the rate of reading A and B from shared memory */
  double load;
  double epilogue; /* the part that nothing hides */
  double finish;   /* all of its epilogues, if some warps do nothing else; else 0 */
  double sums;     /* the part of `finish` that is reading tensor memory */
  double sharing;  /* bringing together what several clusters or CTAs have of a tile */
  double dram;
} gg_prediction;

/* The part of a prediction that depends on the kernel and the device, and on no problem. It is
 * computed once and serves predictions for many problems. The device must outlive it. */
typedef struct gg_model {
  gg_terms terms;
  const gg_device_model *device;
  double rate, tensor_share, warps_wanted; /* the terms' traits, of this device */
  int at_once;           /* CTAs that run at once, where each has a multiprocessor */
  int resident;          /* and where those that share tiles have it together */
  double scales_step;    /* bytes of scale factors and metadata that one K step of a tile loads */
  double line_a, line_b; /* the time that loading a byte of A and of B takes in boxes of this
                          * kernel's width, over the time that it takes in boxes of 128 bytes */
  double under_way;      /* bytes that a CTA has asked for before the first of them arrive */
  double load_byte;      /* seconds a byte that one multiprocessor copies while no other does */
  double dram_byte;      /* seconds a byte from DRAM, likewise */
  double additions;      /* seconds of a K step by which additions of promoted sums prolong it */
  double map_change;     /* seconds until a tile's tensor maps have the addresses of its batch; 0 */
  /* Seconds that one consumer's epilogue of one tile takes: */
  double epilogue;      /* for storing it; */
  double sums;          /* of that, for reading tensor memory; */
  double work;          /* for reading and computing; */
  double work_in_turns; /* for these, while another consumer multiplies; */
  double held;          /* that the next K tiles wait, for stages with C or lanes that store D */
} gg_model;

gg_model gg_model_of(const gg_terms *terms, const gg_device_model *device);

/* Predicts the time of one problem. Extents must be at least 0. `multiprocessors` is how many of
 * the device's the launch may fill, as in gg_problem; 0 means all. Rates that all multiprocessors
 * share stay the device's, because other launches may fill the rest. A pure function, and cheap:
 * some hundred nanoseconds, or a microsecond or two if shares have to be chosen. A kernel that
 * cannot have the extents takes INFINITY. */
gg_prediction gg_model_predict(const gg_model *model, gg_extents extents, int64_t multiprocessors);

/* Whether a kernel is considered for a problem at all. One whose lanes store a D that boxes could
 * store is not, if D's lines are whole sectors of DRAM: then no two boxes share a sector, and lanes
 * gain nothing. */
bool gg_model_serves(const gg_model *model, gg_extents extents);

/* Whether a kernel may be chosen: not if it needs more than `workspace` bytes, nor if it can share
 * tiles but has nothing to share, because a kernel without that ability is faster. */
bool gg_model_admits(const gg_model *model, const gg_prediction *prediction, int64_t workspace);

/* Predicts the time of a single problem on the whole device. */
gg_prediction gg_predict(const gg_plan *plan, gg_extents extents, const gg_device_model *device);

#endif
