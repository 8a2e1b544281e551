/* What the model (choice/model.h) asks of a kernel: how well it uses what a device has, whatever it
 * does that by. A family fills it (gg_target.traits); tiles, clusters, types and the order of tiles
 * are the plan's own, and mean the same in each. Packs keep it in files (choice/terms.h): it has no
 * pointers, and what is a device's is told by its column. */
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
  double fetched;  /* bytes of C and what else is like D, that come while the tile is multiplied */
  double read;     /* the same, read where they lie by the threads that need them, behind that */
  double aside;    /* bytes that are stored beside D's */
  double vectors;  /* bytes of a tile's vectors, read as `read` is */
  double special;  /* results of the special function unit: 2^t, a reciprocal */
  double plain;    /* other instructions */
  int32_t crowded; /* `read` goes through a cache that copies of A and B go through, too */
  int32_t reserved;
} gg_epilogue_work;

typedef struct gg_traits {
  gg_device_number rate;         /* operations a second of what multiplies; 0: the tensor core's */
  gg_device_number tensor_share; /* of that rate, what the instruction reaches, */
  gg_device_number warps_wanted; /* where a multiprocessor has so many warps; 0: however many */
  double ctas_half; /* CTAs that reach half of it, and more with more, as each does what holds it up
                       while others multiply; 0: however many */
  double reads_a, reads_b; /* of a stage's A and B from shared memory, to multiply it */
  double sums;             /* bytes of tensor memory's width that an element's sum takes; 0: none */
  double promotions;       /* of all of a tile's sums, a K step; 0: none */
  double promotions_hidden;       /* how many times as many are not seen */
  double copies_share;            /* of GG_LOADER_THREADS: of their rate, what such copies reach */
  double uneven;                  /* of GG_LOADER_WARPS: what the busiest warp copies, over the mean
                                     of all */
  double transposed, transposing; /* bytes of a K step that warps transpose in shared memory; and
                                     what that is as work of theirs, in bytes of words of 32 bits */
  gg_epilogue_work epilogue;
  int32_t reads_beside; /* whether such reads cost nothing while they are faster than MMAs */
  int32_t owners;       /* that a tile's accumulators are divided among */
  int32_t begins_anew;  /* each tile has a CTA of its own, which sets up and awaits its K steps */
  int32_t stages_ahead; /* under way while one is multiplied, at least 1 */
  int32_t heads;        /* of GG_LOADER_WARPS: operands whose lines begin anew with each K step */
  gg_loader loader;
  gg_overlap overlap;
  int32_t stores_units; /* lanes store D, in units of 16 bytes, where boxes could */
} gg_traits;

/* Of any family, on devices of `arch` (90); one that fetches ahead moves what it fetches out of
 * `read` and `vectors`. */
gg_traits gg_traits_of(const gg_plan *plan, int arch);

/* Of kernels whose warps each multiply a block of the tile. */
void gg_warp_traits(gg_traits *out, const gg_plan *plan, int arch);

#endif
