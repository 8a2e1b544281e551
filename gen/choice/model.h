/* How long a kernel will take: the model that gg_gemm chooses by. */
#ifndef GG_CHOICE_MODEL_H
#define GG_CHOICE_MODEL_H

#include "atom/device.h"
#include "plan/distribution.h"

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

/* Extents are at least 0. Pure and cheap: some hundred nanoseconds, and a microsecond or two where
 * there are shares to choose. A kernel that cannot have the extents takes INFINITY. */
gg_prediction gg_predict(const gg_plan *plan, gg_extents extents, const gg_device_model *device);

#endif
