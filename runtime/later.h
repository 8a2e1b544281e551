/* The work that a gg_gemm does on a thread of its own. It is a queue of products: for each, the
 * best kernel or another one to be measured is compiled while some kernel serves. The thread exists
 * from the first product on, until gg_later_close, or until the process ends. */
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
  pid_t process;         /* in which the thread runs */
  struct gg_later *next; /* the next one that is open */
} gg_later;

/* `warm_up` makes sure that the compiler has made a cubin. It is called before a thread starts. */
gg_status gg_later_open(gg_later *later, gg_later_action *action, void (*warm_up)(void *user),
                        void *user, gg_error *err);

/* Ends the thread. The product that it is working on is finished, those that wait are dropped. */
void gg_later_close(gg_later *later);

/* Adds a product, and copies both arguments. False: there is no memory or no thread for it. */
bool gg_later_add(gg_later *later, const gg_form *form, const gg_problem *problem);

#endif
