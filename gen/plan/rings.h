/* The rings and roles of a kernel: memory that some of its warps fill and others drain, over and
 * over. What barriers there are, what they count, where everything lies in shared memory, and which
 * warps do what, follows from these lists alone. A family fills them in one function. */
#ifndef GG_PLAN_RINGS_H
#define GG_PLAN_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gg_role_id {
  GG_ROLE_PRODUCER,  /* brings A and B to stages, and behind them what the epilogue reads */
  GG_ROLE_VECTORS,   /* brings the epilogue's vectors */
  GG_ROLE_MATRICES,  /* brings its matrices, where they have a ring of their own */
  GG_ROLE_SCHEDULER, /* finds out which tile is next, where that is not known before */
  GG_ROLE_MAPS,      /* gives tensor maps the addresses of a tile's matrices */
  GG_ROLE_MMA,       /* issues the MMAs, where the accumulators are in tensor memory */
  GG_ROLE_CONSUMER,  /* multiplies, where no role of its own does; adds up and stores */
  GG_ROLE_COUNT
} gg_role_id;

typedef struct gg_role {
  gg_role_id id;
  const char *name;      /* "producer" */
  int first_warp, warps; /* among a CTA's warps */
  int groups;            /* consumers: what multiplies together */
  bool elected;          /* one thread of them does all, else every thread */
  int registers;         /* that a thread has, once it has given or taken some; 0: the launch's */
  const char *part;      /* templates/parts/: its body; NULL: the skeleton's own text */
} gg_role;

typedef enum gg_ring_id {
  GG_RING_STAGES,   /* K tiles of A and B, and behind them what the epilogue reads of matrices */
  GG_RING_RAW,      /* the same before warps transpose them there: it has barriers alone */
  GG_RING_SUBTILES, /* what the epilogue reads of matrices, where that is a ring of its own */
  GG_RING_STAGING,  /* boxes of D on their way out; of each consumer's warp its own */
  GG_RING_SUMS,     /* sums from other CTAs of a cluster; each warp has a barrier. Or from other
                     * warps of the CTA, in the stages' place and without */
  GG_RING_ACCUMULATORS, /* tiles' sums in tensor memory: of shared memory it has barriers alone */
  GG_RING_VECTORS,      /* what the epilogue reads of vectors */
  GG_RING_ANSWERS,      /* which tile is next, where that is not known before */
  GG_RING_MAPS, /* tensor maps of a tile's matrices, in global memory: of shared memory it has
                 * D's address beside them, and barriers */
  GG_RING_COUNT
} gg_ring_id;

enum { GG_RING_EMPTIES_MAX = 2, GG_BARRIER_BYTES = 8 /* an mbarrier */ };

/* The barriers of one kind, behind each other. */
typedef struct gg_ring_barriers {
  const char *name; /* "empty of A" */
  int count;        /* of all stages */
  int arrivals;     /* that end a phase */
  int64_t begin;    /* the first one's place in shared memory */
} gg_ring_barriers;

typedef struct gg_ring {
  gg_ring_id id;
  const char *name;     /* "stages" */
  int depth, instances; /* stages; rings like this one, side by side */
  int64_t bytes;        /* a stage */
  int64_t tx_bytes;     /* that copies bring to a stage and `full` hears of; 0: of none */
  gg_role_id filled_by, drained_by;
  gg_ring_barriers full; /* a count of 0: none */
  gg_ring_barriers empty[GG_RING_EMPTIES_MAX];
  int empties;   /* kinds of them: more than one where each operand's part is emptied by itself */
  bool reuses;   /* lies where the ring before it does, when that is drained for good */
  int64_t begin; /* in shared memory */
} gg_ring;

typedef struct gg_rings {
  gg_ring list[GG_RING_COUNT]; /* in the order in which they lie in shared memory */
  size_t count;
  gg_role roles[GG_ROLE_COUNT];
  size_t role_count;
  int64_t barriers_begin; /* of all rings, behind all of their stages */
  int barriers;
  bool claims;        /* the cluster claims its first work: */
  int64_t word_begin; /* behind them the number of that, or, where there is a ring in tensor memory,
                         its address */
  int64_t bytes;      /* of shared memory, with all of that */
} gg_rings;

/* Adds to the lists. */
void gg_rings_add(gg_rings *rings, gg_ring ring);
void gg_rings_add_role(gg_rings *rings, gg_role role);

/* Gives each ring its place, and behind all of them each barrier, in the order of the list: of a
 * ring `full`, then `empty`. */
void gg_rings_place(gg_rings *rings);

/* NULL: the kernel has none. */
const gg_ring *gg_rings_find(const gg_rings *rings, gg_ring_id id);
const gg_role *gg_rings_role(const gg_rings *rings, gg_role_id id);

/* Of all stages of all instances; 0 for NULL. */
int64_t gg_ring_bytes(const gg_ring *ring);

#endif
