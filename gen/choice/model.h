/* How long a kernel will take: the model that gg_gemm chooses by. */
#ifndef GG_CHOICE_MODEL_H
#define GG_CHOICE_MODEL_H

#include "plan/distribution.h"

/* What the model knows of a device; one row of devices.def each. Rates are of one multiprocessor at
 * the clock that it keeps under load. */
typedef struct gg_device_model {
  const char *name; /* "H100" */
  int arch;         /* 90 */
  int sm_count;
  int groups[8]; /* multiprocessors of the groups that a cluster does not reach beyond */
  double l2_bytes;
  double dram_rate;      /* bytes a second, of the device */
  double dram_sm_rate;   /* the same of one multiprocessor alone */
  double idle;           /* how much slower, as a share, were nearly all multiprocessors idle */
  double dram_latency;   /* seconds from asking for bytes to having them, when all ask */
  double launch;         /* seconds from one launch of a stream to the next, nothing computed */
  double apart;          /* seconds more where a launch does not begin beside the one before it */
  double cluster;        /* seconds more to launch clusters, and for their CTAs to meet */
  double fill;           /* seconds until the first K step is there */
  double step;           /* seconds of a K step at least: barriers and issue */
  double mma_rate[4];    /* operations a second by operand: 16 bits, 32 bits, fp8, int8 */
  double sustained;      /* of that, what all together have within the device's power */
  double warp_mma_share; /* of that, what mma.sync has, of two warps a scheduler */
  double smem_rate;      /* bytes a second that the tensor core reads of shared memory */
  double promotion;     /* seconds until a consumer alone has added up 64 x 128 sums, and goes on */
  double load_rate;     /* bytes a second into shared memory, of one multiprocessor alone */
  double load_latency;  /* seconds from asking for bytes to having them */
  double copy_rate;     /* the same where warps copy, and move what is not aligned into place */
  double copies_rate;   /* copies a second of one multiprocessor, where threads copy each its own */
  double l2_rate;       /* the same of all together */
  double shared_load;   /* what a byte costs that another CTA of the cluster loads */
  double ragged_load;   /* more, as a share, where lines do not start at 128 bytes */
  double narrow_load;   /* more, as a share, for each time that a box is narrower than 128 bytes */
  double lockstep;      /* l2_rate's gain, as a share, where requests for the same lines meet */
  double epilogue;      /* seconds of a tile's epilogue, and a second an element of a consumer */
  double epilogue_rate; /* elements a second of a consumer, beside which another stores */
  double epilogue_alone;  /* how much faster one stores alone, while the other multiplies */
  double narrow_store;    /* as narrow_load, of a consumer's elements */
  double column_store;    /* the same for lines of D across the tile's rows */
  double epilogue_hidden; /* share of it that the next tile hides, where consumers share a tile */
  double sum_rate;        /* bytes a second of a multiprocessor's sums, to others or from them */
  double wait;            /* seconds until one sees what another has written */
  double meet;            /* seconds for the CTAs of a cluster that compute one tile to start, and
                             to have each other's sums, beside the time for their bytes */
  double meet_rate;       /* bytes a second of those */
  double stray;           /* of what shares of several tiles load and the L2 cache has no room for,
                             how much is read again: they are at different places of K */
  double miss;            /* how DRAM traffic grows where a wave's operands exceed the L2 cache */
  double dram_share;      /* of the traffic's time that nothing hides */
} gg_device_model;

/* The row of that architecture, or of the newest before it; with `sm_count` multiprocessors, where
 * that is not 0. */
gg_device_model gg_device_model_of(int arch, int sm_count);

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
