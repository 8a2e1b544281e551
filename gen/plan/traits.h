/* What the model of a kernel's time (choice/model.h) asks of a kernel: how well it uses what a
 * device has, whatever the means.
 *
 * A family fills them (gg_target.traits). Tiles, clusters, types and the order of tiles are not
 * among them: these stand in the plan and mean the same in every family. Packs keep the struct in
 * files (choice/terms.h), so it has no pointers, and numbers that depend on the device name a
 * column of the device table. */
#ifndef GG_PLAN_TRAITS_H
#define GG_PLAN_TRAITS_H

#include "atom/device.h"
#include "plan/plan.h"

/* Who brings A and B to shared memory. */
typedef enum gg_loader {
  GG_LOADER_BOXES,   /* tensor maps; no thread waits for its turn to copy */
  GG_LOADER_WARPS,   /* warps that do nothing else, and that shift unaligned bytes into place */
  GG_LOADER_THREADS, /* the threads that multiply, each for itself */
} gg_loader;

/* What runs beside a tile's epilogue. */
typedef enum gg_overlap {
  GG_OVERLAP_NONE,
  GG_OVERLAP_NEXT,  /* the beginning of another tile on the same multiprocessor */
  GG_OVERLAP_TURNS, /* all of another tile, by consumers that take turns */
  GG_OVERLAP_ALL,   /* the same, by warps that do nothing else */
} gg_overlap;

/* The work that the epilogue adds to rounding and storing D; all zero if it does only that. Bytes
 * and instructions are for one element of D. */
typedef struct gg_epilogue_work {
  double fetched;  /* bytes of C, and of other matrices like D, that come while the tile is
                    * multiplied */
  double read;     /* such bytes that threads read from where they lie, after the tile is multiplied
                    */
  double aside;    /* bytes that are stored besides D */
  double vectors;  /* bytes of a tile's vectors, read as `read` is */
  double special;  /* results of the special function unit, such as 2^t or a reciprocal */
  double plain;    /* other instructions */
  int32_t crowded; /* 1 if `read` goes through a cache that copies of A and B go through as well */
  int32_t reserved;
} gg_epilogue_work;

typedef struct gg_traits {
  gg_device_number rate;         /* operations a second of the units that multiply; 0: the tensor
                                  * core's */
  gg_device_number tensor_share; /* the part of that rate that the instruction reaches, */
  gg_device_number warps_wanted; /* if a multiprocessor has this many warps; 0: with any number */
  double ctas_half;        /* so many CTAs on a multiprocessor reach half of it, and more CTAs more,
                            * because one multiplies while another is held up; 0: any number
                            * reaches it */
  double reads_a, reads_b; /* how often a stage's A and B are read from shared memory to multiply it
                            */
  double sums;             /* bytes of tensor memory's bandwidth that an element's sum takes; 0:
                            * none */
  double promotions;       /* how often in a K step all of a tile's sums are promoted; 0: never */
  double promotions_hidden;       /* how many times as many promotions stay hidden behind other work
                                   */
  double copies_share;            /* of GG_LOADER_THREADS: the rate that these copies reach, as a
                                   * multiple of the usual one */
  double uneven;                  /* of GG_LOADER_WARPS: what the busiest warp copies, divided by
                                   * the mean */
  double transposed, transposing; /* bytes of a K step that warps transpose in shared memory; and
                                   * how many bytes of 32-bit words take them as much work */
  double buffer_waits;            /* how often a warp waits for a staging buffer while it stores a
                                   * tile */
  gg_epilogue_work epilogue;
  int32_t reads_beside; /* 1 if such reads cost nothing as long as they are faster than the MMAs */
  int32_t owners;       /* how many a tile's accumulators are divided among */
  int32_t begins_anew;  /* 1 if each tile has a CTA of its own, which has to set up and wait for its
                         * first K steps */
  int32_t stages_ahead; /* stages under way while one is multiplied, at least 1 */
  int32_t heads;        /* of GG_LOADER_WARPS: operands whose lines begin anew with each K step */
  gg_loader loader;
  gg_overlap overlap;
  int32_t stores_units; /* 1 if lanes store D, in units of 16 bytes, although boxes could */
} gg_traits;

/* The traits of a plan of any family, on devices of architecture `arch` (such as 90). A family that
 * fetches ahead moves what it fetches out of `read` and `vectors`. */
gg_traits gg_traits_of(const gg_plan *plan, int arch);

/* Fills the traits of kernels whose warps each multiply a block of the tile. */
void gg_warp_traits(gg_traits *out, const gg_plan *plan, int arch);

#endif
