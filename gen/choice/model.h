/* How long a kernel will take: the model that gg_gemm chooses by. */
#ifndef GG_CHOICE_MODEL_H
#define GG_CHOICE_MODEL_H

#include "atom/device.h"
#include "plan/distribution.h"
#include "plan/traits.h"

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
  double multiply; /* of the busiest multiprocessor */
  double load;
  double epilogue; /* what of it nothing hides */
  double sharing;  /* to bring together what several have of a tile */
  double dram;
} gg_prediction;

/* What of it is the kernel's and the device's alone: made once, for predictions of many problems.
 * Both live as long. */
typedef struct gg_model {
  const gg_plan *plan;
  const gg_device_model *device;
  gg_traits traits;
  gg_distributed distributed;
  int at_once;           /* CTAs that run at once, where each has a multiprocessor */
  double bytes;          /* of an element of A or B */
  double m_step, n_step; /* bytes of a K step's rows of A and of B */
  double line_a, line_b; /* what loading a byte of each costs, where lines are whole */
  double under_way;      /* bytes that a CTA asks for before it has the first of them */
  double load_byte;      /* seconds a byte of one multiprocessor's copies, alone on the device; */
  double dram_byte;      /* from DRAM */
  double additions;      /* seconds a K step that show of additions of sums that are promoted */
  double epilogue;       /* seconds of one consumer's epilogue of one tile, which stores it, */
  double work;           /* and of what it does beside that, */
  double work_in_turns;  /* while another one multiplies; */
  double held;           /* and in which stages wait that C is in */
} gg_model;

gg_model gg_model_of(const gg_plan *plan, const gg_device_model *device);

/* Extents are at least 0. Pure and cheap: some hundred nanoseconds, and a microsecond or two where
 * there are shares to choose. A kernel that cannot have the extents takes INFINITY. */
gg_prediction gg_model_predict(const gg_model *model, gg_extents extents);

/* The same of one problem alone. */
gg_prediction gg_predict(const gg_plan *plan, gg_extents extents, const gg_device_model *device);

#endif
