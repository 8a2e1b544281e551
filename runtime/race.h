/* A gg_gemm that measures holds races: they find out which of a product's kernels is fastest, by
 * the time that they take while they do the caller's own work.
 *
 * A race has a leader, at first the model's choice, and gathers contenders. Once it has started,
 * each launch of the product runs one of them, between two events in the caller's stream. A later
 * launch reads how long that took, if it has ended by then. So nothing is launched only for the
 * race, and nobody waits. In a round each contender has one turn; each round begins with another
 * contender. The first round warms up and does not count. After every other round, contenders that
 * are clearly slower than the fastest leave. When one is left, or after the last round, the race is
 * over, and its leader is the product's kernel for good.
 *
 * Invariants: only the launch that has a contender's turn touches that contender, and no round ends
 * before all its turns have been read. Races are found without a lock, and live until
 * gg_races_free. */
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
  double least; /* seconds of its fastest turn, of those that count */
  enum gg_contender_state {
    GG_CONTENDER_BACK,  /* its turn has not come yet, or has been read */
    GG_CONTENDER_TAKEN, /* a thread is launching it */
    GG_CONTENDER_AWAY,  /* it was launched, and its time has not been read */
    GG_CONTENDER_OUT    /* it cannot be launched, and leaves */
  } state;
} gg_contender;

typedef struct gg_race {
  struct gg_race *next;
  const gg_context *context;
  gg_seen_key key;
  gg_form form; /* its epilogue's text is below; the key refers to that, too */
  gg_problem problem;
  bool packed; /* whether contenders are from packs */

  /* Only the gg_gemm's own thread uses these two. */
  size_t asked; /* how many kernels of the model's ranking were asked to take part */
  bool kept;    /* whether the winner has been added to `seen` */

  bool parted;    /* whether a kernel left because of a problem's strides, which no key has */
  gg_error fault; /* the error of an event that ended the race; of code GG_OK: none */

  pthread_mutex_t lock; /* of the two above, and of what follows */
  gg_race_stage stage;
  bool told; /* whether somebody has been told that it is over */
  gg_gemm_choice leader;
  const gg_module *usual; /* the model's choice, which stays to the end */
  gg_slot *leading;       /* the leader's; NULL while it is the one that the race began with */
  gg_contender *list;
  int count, room;
  int round, launched, returned; /* its number; turns of it that were launched, and read */
  int taken;                     /* contenders that threads are launching */
  char epilogue[];
} gg_race;

/* Any thread may read the list; a caller that adds to it must hold a lock of its own. */
typedef struct gg_races {
  _Atomic(gg_race *) first;
  int count;
} gg_races;

/* NULL: the product has no race. */
gg_race *gg_races_find(gg_races *races, const gg_seen_key *key);

/* Adds a race for up to `room` contenders. NULL: memory is out, or there are GG_RACES_MAX. */
gg_race *gg_races_add(gg_races *races, const gg_context *context, const gg_form *form,
                      const gg_problem *problem, const gg_gemm_choice *leader, bool packed,
                      int room);

/* Destroys the events that are left. */
void gg_races_free(gg_races *races);

gg_race_stage gg_race_stage_of(gg_race *race);

/* The leader so far; `measured` and `measuring` say whether it was measured, and may change. */
gg_gemm_choice gg_race_leader(gg_race *race);

/* Adds a contender while the race gathers; the caller checks that it has room. */
void gg_race_enter(gg_race *race, gg_slot *slot);

/* Starts the race. With fewer than two contenders it is over at once, and counts as told. */
void gg_race_start(gg_race *race);

/* Runs a contender in place of a launch of the leader, if it is a contender's turn and no graph
 * captures the stream. False: nothing is launched, and the caller launches the leader. */
bool gg_race_launch(gg_race *race, const gg_problem *problem, CUstream stream);

/* Whether the race is over, which this tells one caller only. */
bool gg_race_ends(gg_race *race);

#endif
