/* What a gg_gemm does on a thread of its own: products whose best kernel, or another one to be
 * measured, is compiled while one serves, one after the other. The thread is there from the first
 * of them on, until gg_later_close, or until the process ends. */
#ifndef GG_RUNTIME_LATER_H
#define GG_RUNTIME_LATER_H

#include <pthread.h>
#include <sys/types.h>

#include "gemmgen_gemm.h"

typedef void gg_later_action(void *user, const gg_form *form, const gg_problem *problem);

typedef struct gg_later {
  gg_later_action *action;
  void (*warm_up)(void *user);
  void *user;
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t more;
  pthread_t thread;
  bool open, runs, ends;
  struct gg_later_product *first, *last;
  pid_t process;         /* in which it runs */
  struct gg_later *next; /* of those that are open */
} gg_later;

/* `warm_up` sees to it that the compiler has made a cubin. */
gg_status gg_later_open(gg_later *later, gg_later_action *action, void (*warm_up)(void *user),
                        void *user, gg_error *err);

/* Ends the thread: what it is at is finished, what waits is dropped. */
void gg_later_close(gg_later *later);

/* Copies both. False: memory or threads are out, and nothing will be done. */
bool gg_later_add(gg_later *later, const gg_form *form, const gg_problem *problem);

#endif
