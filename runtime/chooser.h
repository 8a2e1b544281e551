/* How a gg_gemm chooses a kernel, and what it is made of.
 *
 * A product that was not seen before gets the first of these that exists: the kernel that `gemmgen
 * tune` has measured; of the kernels that packs have for its form, the fastest by the model; of the
 * whole catalogue, the fastest by the model. If an earlier process had to choose from the same
 * kernels, the model's choice is taken from the disk (remembered.h).
 *
 * A gg_gemm that measures prefers what an earlier one has measured in the same way. If there is no
 * such thing, the model's choice leads a race (race.h). Its other contenders, the next ones in the
 * model's order, are loaded on the gg_gemm's own thread. A product with a race is not in `seen`. */
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
  gg_seen seen, meanwhile; /* the best kernels, and those that serve until these are compiled */
  gg_epilogues epilogues;
  gg_remembered remembered;
  pthread_mutex_t lock; /* held to add to `seen` and `meanwhile`, and to use the lists */
  bool has_lock;
  gg_rosters *forms;
  struct gg_measured *measured;
  gg_races races;
  bool said_unmeasured; /* used only by the thread of `later` */
  gg_later later;
};

/* Chooses, waiting for what must be compiled, and adds the choice to `seen`, or to `races`. */
gg_status gg_choose_best(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                         const gg_seen_key *key, const gg_problem *problem, gg_error *err);

/* Chooses from the kernels that are compiled; false if none of them computes the product. If it is
 * not the best kernel, that one is left to be compiled on the gg_gemm's own thread. */
bool gg_choose_at_hand(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                       const gg_seen_key *key, const gg_problem *problem);

/* The action of `later`, which takes the next step with a product: chooses its best kernel, if
 * another one serves meanwhile; loads a contender of its race; or keeps the winner of that. */
void gg_choose_later(void *gemm, const gg_form *form, const gg_problem *problem);

/* Keeps the winners of races that have ended since. Called when that thread has ended. */
void gg_keep_winners(gg_gemm *gemm);

/* The warm_up of `later`: makes sure that NVRTC has compiled something in this process. */
void gg_choose_warm_up(void *gemm);

void gg_measured_free(struct gg_measured *list);

#endif
