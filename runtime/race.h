/* Races of a gg_gemm that measures: which of a product's kernels is fastest, by what they take
 * while they do the caller's own work.
 *
 * A race has a leader, at first the model's choice, and gathers contenders. Once it has started, a
 * launch of the product runs one of them, between two events in the caller's stream, and a later
 * launch reads how long that took, if it has ended by then: nothing is launched for the race alone,
 * and nobody waits. In a round each contender has one turn, in another order than in the round
 * before. The first round warms up and does not count; after each other round those that are
 * clearly slower than the fastest leave. When one is left, or after the last round, the race is
 * over: its leader is the product's kernel for good.
 *
 * Invariants: a launch that has a turn alone touches that contender, and no round ends before all
 * its turns are back; races are found without a lock, and live until gg_races_free. */
#ifndef GG_RUNTIME_RACE_H
#define GG_RUNTIME_RACE_H

#include <pthread.h>

#include "context.h"
#include "roster.h"
#include "seen.h"

enum { GG_RACES_MAX = 1024 };

typedef enum gg_race_stage { GG_RACE_GATHERS, GG_RACE_RUNS, GG_RACE_OVER } gg_race_stage;

typedef struct gg_contender {
  gg_slot *slot; /* loaded */
  CUevent start, end;
  double least; /* seconds of its fastest turn that counts */
  enum gg_contender_state {
    GG_CONTENDER_BACK,  /* it has no turn, or has had it */
    GG_CONTENDER_TAKEN, /* a thread launches it */
    GG_CONTENDER_AWAY,  /* launched, and not read */
    GG_CONTENDER_OUT    /* it cannot be launched, and leaves */
  } state;
} gg_contender;

typedef struct gg_race {
  struct gg_race *next;
  const gg_context *context;
  gg_seen_key key;
  gg_form form; /* with an epilogue of its own below, which the key has, too */
  gg_problem problem;
  bool packed; /* contenders are of what packs have */

  size_t asked; /* of the model's ranking; as the next, the gg_gemm's thread's alone */
  bool kept;    /* the winner is where it is looked for */

  bool parted;    /* a kernel had to leave because of a problem's strides, which no key has */
  gg_error fault; /* of an event, which ended the race; of code GG_OK: none */

  pthread_mutex_t lock; /* of the above two, and of what follows */
  gg_race_stage stage;
  bool told; /* somebody has been told that it is over */
  gg_gemm_choice leader;
  const gg_module *usual; /* the model's choice, which stays to the end */
  gg_slot *leading;       /* its slot; NULL while it is the one that the race began with */
  gg_contender *list;
  int count, room;
  int round, launched, returned; /* turns of the round */
  int taken;                     /* contenders that a thread launches */
  char epilogue[];
} gg_race;

/* Read by anyone; who adds holds a lock of his own. */
typedef struct gg_races {
  _Atomic(gg_race *) first;
  int count;
} gg_races;

/* NULL: there is none. */
gg_race *gg_races_find(gg_races *races, const gg_seen_key *key);

/* Adds one for up to `room` contenders. NULL: memory is out, or GG_RACES_MAX are there. */
gg_race *gg_races_add(gg_races *races, const gg_context *context, const gg_form *form,
                      const gg_problem *problem, const gg_gemm_choice *leader, bool packed,
                      int room);

/* Destroys the events that are left. */
void gg_races_free(gg_races *races);

gg_race_stage gg_race_stage_of(gg_race *race);

/* The leader so far, and whether it is by what was measured and may change. */
gg_gemm_choice gg_race_leader(gg_race *race);

/* Another contender, while the race gathers; it has room for it. */
void gg_race_enter(gg_race *race, gg_slot *slot);

/* All that come have come. With fewer than two it is over at once, as the caller is told. */
void gg_race_start(gg_race *race);

/* A launch of the product, which the leader takes: runs a contender in its place, if it is one's
 * turn and no graph captures the stream. False: nothing is launched, and the leader is to be. */
bool gg_race_launch(gg_race *race, const gg_problem *problem, CUstream stream);

/* Whether the race is over and nobody has been told so before. */
bool gg_race_ends(gg_race *race);

#endif
