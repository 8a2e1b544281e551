/* How a gg_gemm chooses: gg_gemm from the inside.
 *
 * A product that was not seen before gets, in this order, what `gemmgen tune` has measured; of the
 * kernels that packs have for its form the fastest by the model; of the whole catalogue the
 * fastest. A choice of the model's that an earlier process has made of the same is taken from the
 * disk (remembered.h).
 *
 * A gg_gemm that measures takes what an earlier one has measured in the same way before the model's
 * choice, and has that one lead a race (race.h), whose other contenders, the next of the model's
 * order, are loaded on the gg_gemm's own thread. What is being raced is not in `seen`. */
#ifndef GG_RUNTIME_CHOOSER_H
#define GG_RUNTIME_CHOOSER_H

#include "complete.h"
#include "context.h"
#include "later.h"
#include "race.h"
#include "remembered.h"
#include "roster.h"
#include "seen.h"

struct gg_gemm {
  gg_context *context;
  gg_gemm_wait wait;
  int measure; /* kernels of a product; 0: none */
  gg_roster_source source;
  gg_str tuned;            /* directory; empty: none */
  gg_seen seen, meanwhile; /* read by anyone: the best, and what serves until it is compiled */
  gg_epilogues epilogues;
  gg_remembered remembered;
  pthread_mutex_t lock; /* to add to what was seen, and of the lists */
  bool has_lock;
  gg_rosters *forms;
  struct gg_measured *measured;
  gg_races races;
  bool said_unmeasured; /* by the thread of `later` alone */
  gg_later later;
};

/* Chooses, waiting for what must be compiled, and adds the choice to `seen`, or to `races`. */
gg_status gg_choose_best(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                         const gg_seen_key *key, const gg_problem *problem, gg_error *err);

/* Chooses of what is compiled; false where nothing is that computes the product. Where it is not
 * the best, that is left to be compiled on the gg_gemm's own thread. */
bool gg_choose_at_hand(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                       const gg_seen_key *key, const gg_problem *problem);

/* gg_later's action, the next step of a product: chooses its best where another kernel serves;
 * loads a contender of its race; or, when that is over, keeps the winner. */
void gg_choose_later(void *gemm, const gg_form *form, const gg_problem *problem);

/* Keeps the winners of races that have ended since: when that thread has. */
void gg_keep_winners(gg_gemm *gemm);

/* gg_later's: sees to it that NVRTC has made a cubin in this process. */
void gg_choose_warm_up(void *gemm);

void gg_measured_free(struct gg_measured *list);

#endif
