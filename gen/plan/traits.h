/* What the model (choice/model.h) asks of a kernel: how well it uses what a device has, whatever it
 * does that by. A family fills it (gg_target.traits); tiles, clusters, types and the order of tiles
 * are the plan's own, and mean the same in each. */
#ifndef GG_PLAN_TRAITS_H
#define GG_PLAN_TRAITS_H

#include "atom/device.h"
#include "plan/plan.h"

/* Who brings A and B to shared memory. */
typedef enum gg_loader {
  GG_LOADER_BOXES,   /* tensor maps: nobody waits for a copy's turn */
  GG_LOADER_WARPS,   /* warps that do nothing else, and move what is not aligned into place */
  GG_LOADER_THREADS, /* those that multiply, each its own copies */
} gg_loader;

/* What a tile's epilogue has beside it. */
typedef enum gg_overlap {
  GG_OVERLAP_NONE,
  GG_OVERLAP_NEXT,  /* the beginning of another tile on the same multiprocessor */
  GG_OVERLAP_TURNS, /* all of another tile, by consumers that take turns */
  GG_OVERLAP_ALL,   /* the same, by warps that do nothing else */
} gg_overlap;

/* What the epilogue does beside rounding and storing D; of the product alone nothing. Bytes and
 * instructions are of an element of D. */
typedef struct gg_epilogue_work {
  double fetched; /* bytes of C and what else is like D, that come while the tile is multiplied */
  double read;    /* the same, read where they lie by the threads that need them, behind that */
  double aside;   /* bytes that are stored beside D's */
  bool crowded;   /* `read` goes through a cache that copies of A and B go through, too */
  double vectors; /* bytes of a tile's vectors, read as `read` is */
  double special; /* results of the special function unit: 2^t, a reciprocal */
  double plain;   /* other instructions */
} gg_epilogue_work;

typedef struct gg_traits {
  double rate;             /* operations a second of what multiplies; 0: the tensor core's */
  double tensor_share;     /* of that rate, what the instruction reaches, */
  double warps_wanted;     /* where a multiprocessor has so many warps; 0: however many */
  double warps_half;       /* or half of it with so many, and more with more; 0: not so */
  double reads_a, reads_b; /* of a stage's A and B from shared memory, to multiply it */
  bool reads_beside;       /* whether such reads cost nothing while they are faster than MMAs */
  int owners;              /* that a tile's accumulators are divided among */
  double sums;             /* bytes of tensor memory's width that an element's sum takes; 0: none */
  double promotions;       /* of all of a tile's sums, a K step; 0: none */
  double promotions_hidden; /* how many times as many are not seen */
  bool begins_anew; /* each tile has a CTA of its own, which sets up and awaits its K steps */
  int stages_ahead; /* under way while one is multiplied, at least 1 */
  gg_loader loader;
  double uneven; /* of GG_LOADER_WARPS: what the busiest warp copies, over the mean of all; */
  int heads;     /* and operands whose lines begin anew with each K step */
  double transposed, transposing; /* bytes of a K step that warps transpose in shared memory; and
                                     what that is as work of theirs, in bytes of words of 32 bits */
  gg_overlap overlap;
  gg_epilogue_work epilogue;
} gg_traits;

/* Of any family; one that fetches ahead moves what it fetches out of `read` and `vectors`. */
gg_traits gg_traits_of(const gg_plan *plan, const gg_device_model *device);

/* Of kernels whose warps each multiply a block of the tile. */
void gg_warp_traits(gg_traits *out, const gg_plan *plan, const gg_device_model *device);

#endif
