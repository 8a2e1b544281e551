/* The rings of family sm90's warp-specialised kernels as a protocol: what a CTA's producer and
 * consumers do, step by step (templates/sm90_warp_specialised.cu). How many of each there are, and
 * what ends the phases of their barriers, is what the family lists (gen/plan/sm90_rings.c). */
#ifndef TESTS_PROTOCOL_RING_H
#define TESTS_PROTOCOL_RING_H

#include "plan/plan.h"
#include "plan/rings.h"
#include "protocol.h"

typedef struct ring {
  int cluster_m, cluster_n; /* CTAs that share operands */
  int stages;
  int producers;        /* one thread that asks for boxes of A and B, or warps that copy lines or
                           transpose */
  bool boxed;           /* the first of such warps asks for boxes, too */
  bool raw;             /* and of what all of them transpose, */
  int ahead;            /* so many K tiles before */
  int consumers, warps; /* consumers of a CTA, and warps of each that release stages */
  bool pingpong;        /* consumers take tiles in turns */
  bool loads;           /* consumers multiply out of registers, and release a stage when loaded */
  int empties;          /* kinds of `empty` barriers: more than one are of A and B */
  int full_arrivals, empty_arrivals[GG_RING_EMPTIES_MAX];
  int tiles, k_tiles; /* of the CTA, and of each along K */
  int behind;         /* stages that are fetched for a tile's epilogue, behind its K tiles */
  int subtiles;       /* of a tile's, that come to rings of their own: */
  int subtile_rings, subtile_stages, subtile_arrivals; /* one of each consumer in turns */
  int beside;  /* of these a box's, where the tile's last box has columns of the one before it;
                  else 0 */
  int vectors; /* buffers of the epilogue's vectors */
  int vectors_full_arrivals, vectors_empty_arrivals;
  int maps; /* sets of tensor maps that get a tile's addresses */
  int maps_empty_arrivals;
  bool fetches_by_maps; /* threads that fetch sub-tiles copy by them, too */
} ring;

/* What of a plan and its rings and roles matters. */
ring ring_of_plan(const gg_plan *plan, const gg_rings *rings);

/* The same where each consumer has one warp. */
ring ring_of_one_warp(ring r);

/* A mistake to be found: each is one line of the kernel. */
typedef enum ring_mistake {
  RING_RIGHT,
  RING_ONE_EMPTY,      /* one `empty` barrier counts the readers of A and of B together */
  RING_NO_EMPTY,       /* the producer does not wait for a stage to be empty */
  RING_LATE_EMPTY,     /* it waits for B's part when it has announced the bytes and copied A */
  RING_EARLY_RELEASE,  /* a stage is released when its MMAs are issued, not when they have read */
  RING_NO_STAY,        /* a CTA ends without waiting for others' arrivals */
  RING_NO_FULL,        /* a consumer does not wait for the bytes */
  RING_FEW_BYTES,      /* one operand's bytes are not announced */
  RING_OWN_RELEASE,    /* a stage is released to the CTA's own producer alone */
  RING_NO_TURN,        /* pingpong: consumers do not wait for their turn */
  RING_FETCH_EARLY,    /* what is fetched is released while it is read */
  RING_FETCH_NO_FULL,  /* nor awaited */
  RING_FETCH_KEPT,     /* nor is all of it released */
  RING_FETCH_NO_EMPTY, /* the producer does not wait for a stage that it fetches to */
  RING_FETCH_SOON,     /* shared tiles: it is awaited before the last K tile's stage is released */
  RING_SUBTILE_NO_EMPTY,   /* a sub-tile is fetched to where another one is read */
  RING_SUBTILE_NO_FULL,    /* it is not awaited */
  RING_SUBTILE_EARLY,      /* it is released while it is read */
  RING_SUBTILE_ONE_RING,   /* consumers in turns share a ring */
  RING_VECTORS_NO_EMPTY,   /* vectors are written before the last ones have been read */
  RING_VECTORS_EARLY,      /* they are released while they are read */
  RING_VECTORS_NO_FULL,    /* they are not awaited */
  RING_VECTORS_ONE_BUFFER, /* pingpong: consumers share a buffer */
  RING_RAW_NO_FULL,        /* what is transposed is not awaited */
  RING_RAW_NO_EMPTY,       /* it is copied to a stage that is not empty */
  RING_MAPS_NO_EMPTY,      /* maps get addresses while copies use them */
  RING_MAPS_EARLY,         /* a set is given back while its tile is stored */
  RING_MAPS_NO_FULL,       /* the producer does not wait for a set */
  RING_MISTAKES
} ring_mistake;

extern const char *const ring_mistake_names[RING_MISTAKES];

protocol ring_protocol(const ring *r, ring_mistake mistake);

#endif
