/* The rings and roles of a kernel. A ring is memory in stages that some warps fill and others
 * drain, over and over. A role is what one group of a CTA's warps does.
 *
 * These lists alone determine which barriers exist and what they count, where everything lies in
 * shared memory, and which warps do what. Each family fills them in one function. */
#ifndef GG_PLAN_RINGS_H
#define GG_PLAN_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gg_role_id {
  GG_ROLE_PRODUCER,  /* brings A and B to stages, and behind them the matrices that the epilogue
                      * reads */
  GG_ROLE_VECTORS,   /* brings the epilogue's vectors */
  GG_ROLE_MATRICES,  /* brings the epilogue's matrices, if these have a ring of their own */
  GG_ROLE_SCHEDULER, /* finds out which tile is next, if that is not known in advance */
  GG_ROLE_MAPS,      /* writes the addresses of a tile's matrices into its tensor maps */
  GG_ROLE_MMA,       /* issues the MMAs, if the accumulators are in tensor memory */
  GG_ROLE_CONSUMER,  /* multiplies, unless GG_ROLE_MMA does; finishes sums and stores them */
  GG_ROLE_COUNT
} gg_role_id;

typedef struct gg_role {
  gg_role_id id;
  const char *name;      /* "producer" */
  int first_warp, warps; /* among a CTA's warps */
  int groups;            /* of consumers: how many groups of warps multiply, each group together */
  bool elected;          /* true: one thread does everything; false: all threads take part */
  int registers;         /* of a thread, once it has given up or taken some; 0: as launched */
  const char *part;      /* its body, in templates/parts/; NULL: it is in the skeleton itself */
} gg_role;

typedef enum gg_ring_id {
  GG_RING_STAGES,   /* K tiles of A and B, and behind them matrices that the epilogue reads */
  GG_RING_RAW,      /* the same stages while they hold what warps are to transpose in place: adds
                     * barriers, no memory */
  GG_RING_SUBTILES, /* matrices that the epilogue reads, if they have a ring of their own */
  GG_RING_STAGING,  /* boxes of D on their way out; each consumer's warp has its own */
  GG_RING_SUMS,     /* sums from other CTAs of a cluster, with a barrier for each warp; or sums from
                     * other warps of the CTA, which lie in the stages' place and need none */
  GG_RING_ACCUMULATORS, /* tiles' sums in tensor memory: has only barriers in shared memory */
  GG_RING_VECTORS,      /* vectors that the epilogue reads */
  GG_RING_ANSWERS,      /* which tile is next, if that is not known in advance */
  GG_RING_MAPS, /* tensor maps of a tile's matrices, which lie in global memory: shared memory holds
                 * D's address beside them, and barriers */
  GG_RING_COUNT
} gg_ring_id;

enum { GG_RING_EMPTIES_MAX = 2, GG_BARRIER_BYTES = 8 /* an mbarrier */ };

/* The barriers of one kind, one behind the other. */
typedef struct gg_ring_barriers {
  const char *name; /* "empty of A" */
  int count;        /* for all stages of all instances */
  int arrivals;     /* arrivals that complete a phase */
  int64_t begin;    /* byte in shared memory of the first one */
} gg_ring_barriers;

typedef struct gg_ring {
  gg_ring_id id;
  const char *name;     /* "stages" */
  int depth, instances; /* depth: number of stages; instances: number of rings like this one, side
                         * by side */
  int64_t bytes;        /* of one stage */
  int64_t tx_bytes;     /* bytes that copies bring to a stage and report to `full`; 0: they report
                         * none */
  gg_role_id filled_by, drained_by;
  gg_ring_barriers full; /* count 0: there are none */
  gg_ring_barriers empty[GG_RING_EMPTIES_MAX];
  int empties;   /* kinds of `empty` barriers: two if the parts of A and B are emptied separately */
  bool reuses;   /* lies in the place of the ring before it, once that is drained for good */
  int64_t begin; /* byte in shared memory */
} gg_ring;

typedef struct gg_rings {
  gg_ring list[GG_RING_COUNT]; /* in the order in which they lie in shared memory */
  size_t count;
  gg_role roles[GG_ROLE_COUNT];
  size_t role_count;
  int64_t barriers_begin; /* of all rings; behind all of their stages */
  int barriers;
  bool claims;        /* the cluster claims its first piece of work */
  int64_t word_begin; /* byte of a word behind the barriers: the number of the claimed work, or the
                       * address of the ring in tensor memory, if there is one */
  int64_t bytes;      /* of shared memory, for all of the above */
} gg_rings;

/* Adds to the lists. */
void gg_rings_add(gg_rings *rings, gg_ring ring);
void gg_rings_add_role(gg_rings *rings, gg_role role);

/* Gives each ring its place in shared memory, and behind all of them each barrier, in the order of
 * the list; those of one ring are `full`, then `empty`. */
void gg_rings_place(gg_rings *rings);

/* These return NULL if the kernel has no such ring or role. */
const gg_ring *gg_rings_find(const gg_rings *rings, gg_ring_id id);
const gg_role *gg_rings_role(const gg_rings *rings, gg_role_id id);

/* Bytes of all stages of all instances; 0 for NULL. */
int64_t gg_ring_bytes(const gg_ring *ring);

#endif
