/* Family sm100's kernels as a protocol (templates/sm100_warp_specialised.cu): a producer, a thread
 * that issues MMAs, and warps that read their sums from tensor memory. How many of each there are,
 * and what ends the phases of their barriers, is what the family lists (gen/plan/sm90_rings.c).
 *
 * The tensor core is the issuer's: it reads a stage and then arrives at its `empty`. The sums of a
 * tile are as if they were copied to their set of accumulators while the tile is multiplied: by
 * its end they are there, and `full` hears of it by the commit. Of a pair of CTAs the first one's
 * issuer does so for both. What the epilogue reads of matrices is fetched by a thread of each CTA,
 * a sub-tile after the other, and read by all warps; the sums are given back when the last sub-tile
 * is still to be read. Where the next tile is asked for, the first CTA's thread has the answers
 * copied to all CTAs of the cluster, all roles read each, and the last one says that there is none.
 * Where tensor maps cannot address A or B, four warps of each CTA copy their lines, a part of a
 * stage each, and say so when it has come; a map's bytes come beside them. Scale factors of A are
 * shared as A is, those of B by all CTAs with the same columns, both of a pair too; metadata comes
 * to a stage of each CTA by its own producer. What the issuer has copied of them, or of A, to
 * tensor memory the tensor core reads and writes in the order in which it is asked to, so that
 * nobody waits for anybody there. */
#ifndef TESTS_PROTOCOL_ISSUE_H
#define TESTS_PROTOCOL_ISSUE_H

#include "plan/plan.h"
#include "plan/rings.h"
#include "protocol.h"

enum { matrices = 2 };

/* What comes to a stage: the two matrices, then what there is beside them. */
typedef enum brought { A, B, SCALES_A, SCALES_B, METADATA, OPERANDS } brought;

typedef struct ring {
  int cluster_m, cluster_n;
  int group; /* CTAs behind an MMA */
  int stages, sets, warps;
  int operands; /* that come to a stage; or what each of the warps brings that copy lines, and maybe
                 * the other operand */
  brought brings[OPERANDS]; /* which operands, where no warps copy lines */
  int copiers;              /* warps that copy lines; 0: a thread asks for boxes */
  int empties;              /* kinds of `empty` barriers */
  int full_arrivals, empty_arrivals[GG_RING_EMPTIES_MAX];
  int full_sums_arrivals, empty_sums_arrivals;
  int tiles, k_tiles;
  bool vectors; /* a role that reads answers, of which nothing else is walked */
  int answer_stages, empty_answer_arrivals;             /* 0: nobody asks for tiles */
  int subtile_stages, empty_subtile_arrivals, subtiles; /* of a tile; 0: none are fetched */
  int maps, empty_maps_arrivals; /* sets of tensor maps that get a tile's addresses */
  bool fetches_by_maps;          /* the thread that fetches sub-tiles copies by them, too */
} ring;

typedef enum mistake {
  RIGHT,
  NO_EMPTY,         /* the producer does not wait for a stage to be empty */
  NO_FULL,          /* the issuer does not wait for the bytes */
  EARLY_RELEASE,    /* a stage is released when its MMAs are issued */
  OWN_RELEASE,      /* a stage is released to the issuer's own CTA alone */
  NO_EMPTY_SUMS,    /* the issuer does not wait for a set of accumulators to be empty */
  NO_FULL_SUMS,     /* warps do not wait for the sums */
  EARLY_SUMS,       /* warps give a set back while they load from it */
  NO_STAY,          /* a CTA ends without waiting for others' arrivals */
  HALF_THE_BYTES,   /* a pair's first CTA announces its own bytes alone */
  NO_SECOND,        /* pairs that share with others: the second CTA does not say that it has been
                     * there, and the first waits for none but its own */
  OWN_SUMS,         /* a pair's second CTA gives its sums back to itself */
  OWN_LINES,        /* its warps say to itself that their lines have come */
  NO_EMPTY_SUBTILE, /* a sub-tile is fetched to a stage that is not known to be empty */
  NO_FULL_SUBTILE,  /* warps do not wait for a sub-tile */
  EARLY_SUBTILE,    /* warps give a sub-tile back while they read it */
  NO_EMPTY_ANSWER,  /* an answer is asked for that goes where one may still be read */
  NO_FULL_ANSWER,   /* roles do not wait for an answer */
  OWN_ANSWER,       /* an answer is asked for when the first CTA's roles have read the last one */
  OWN_SCALES,       /* factors are copied to the CTA alone whose turn it is */
  ALL_SCALES,       /* all CTAs copy their factors to all who share them, as if each had the turn */
  ROW_SCALES,       /* factors of B are copied to those who share A */
  HALF_SCALES,      /* and to those of the same half of B alone: not to the other CTA of a pair */
  NO_EMPTY_MAPS,    /* maps get addresses while copies use them */
  NO_FULL_MAPS,     /* copies do not wait for a set of maps */
  EARLY_MAPS,       /* a set is given back while its tile is stored */
  MISTAKES
} mistake;

extern const char *const mistake_names[MISTAKES];

/* What of a plan and its rings and roles matters. */
ring ring_of(const gg_plan *plan, const gg_rings *lists);

/* The same where one warp reads sums; and where scale factors come to a stage, too. */
ring ring_of_one_warp(ring r);
ring scaled(ring r);

protocol protocol_of(const ring *r, mistake wrong);

#endif
