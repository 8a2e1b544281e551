/* How long a kernel will take: the model that gg_gemm chooses by. */
#ifndef GG_CHOICE_MODEL_H
#define GG_CHOICE_MODEL_H

#include "atom/device.h"
#include "choice/terms.h"

/* Times in seconds; `seconds` is not their sum: what overlaps counts once. */
typedef struct gg_prediction {
  double seconds;
  double tiles;  /* of D, batches counted, whole clusters */
  double rounds; /* tiles of the busiest multiprocessor, of shared ones its share */
  double k_tiles;
  double filled;     /* share of the rounds' tiles that D has: 1 wastes nothing */
  double dram_bytes; /* read and written */
  double load_bytes; /* into shared memory, of all multiprocessors */
  int64_t shares;    /* of tiles that several compute together */
  int64_t workspace_bytes;
  double launch;   /* and filling the pipeline */
  double multiply; /* of the busiest multiprocessor: the longer of the next two, or more */
  double issue;    /* by the tensor core's rate */
  double operands; /* by reading A and B from shared memory */
  double load;
  double epilogue; /* what of it nothing hides */
  double finish;   /* all of its epilogues, where others do nothing else; else 0 */
  double sums;     /* of `finish`, reading tensor memory */
  double sharing;  /* to bring together what several have of a tile */
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

/* Extents are at least 0. `multiprocessors`: how many of the device's the launch may fill, as
 * gg_problem has it; 0: all. Rates that all of them share stay the device's: what fills the others
 * is another launch's. Pure and cheap: some hundred nanoseconds, and a microsecond or two where
 * there are shares to choose. A kernel that cannot have the extents takes INFINITY. */
gg_prediction gg_model_predict(const gg_model *model, gg_extents extents, int64_t multiprocessors);

/* Whether a kernel is asked at all: one whose lanes store a D that boxes could store not where D's
 * lines are whole sectors of DRAM, of which boxes share none. */
bool gg_model_serves(const gg_model *model, gg_extents extents);

/* Whether a kernel may be chosen: not where it takes more than `workspace` bytes of one, or would
 * share tiles where there is nothing to share: without the ability it is faster. */
bool gg_model_admits(const gg_model *model, const gg_prediction *prediction, int64_t workspace);

/* Of one problem alone, on the whole device. */
gg_prediction gg_predict(const gg_plan *plan, gg_extents extents, const gg_device_model *device);

#endif
