#include "later.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

typedef struct gg_later_product {
  struct gg_later_product *next;
  gg_form form; /* with an epilogue of its own below */
  gg_problem problem;
  char epilogue[];
} gg_later_product;

/* ---- The process's end ---------------------------------------------------------------- */

/* All that are open. A program may end without gg_gemm_close. Its libraries would then be taken
 * down while NVRTC compiles, if the end of the process did not wait for these threads. */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static gg_later *first_open;

static void end_thread(gg_later *later) {
  pthread_mutex_lock(&later->lock);
  bool runs = later->runs && later->process == getpid(); /* a forked process has no such thread */
  later->ends = true;
  later->runs = false;
  pthread_cond_signal(&later->more);
  pthread_mutex_unlock(&later->lock);
  if (runs) pthread_join(later->thread, NULL);
}

static void end_at_exit(void) {
  pthread_mutex_lock(&open_lock);
  for (gg_later *later = first_open; later; later = later->next)
    end_thread(later);
  pthread_mutex_unlock(&open_lock);
}

static void enlist(gg_later *later) {
  pthread_mutex_lock(&open_lock);
  later->next = first_open;
  first_open = later;
  pthread_mutex_unlock(&open_lock);
}

static void delist(gg_later *later) {
  pthread_mutex_lock(&open_lock);
  gg_later **at = &first_open;
  while (*at != later)
    at = &(*at)->next;
  *at = later->next;
  pthread_mutex_unlock(&open_lock);
}

/* ---- The thread ----------------------------------------------------------------------- */

static void register_end(void) {
  (void)atexit(end_at_exit);
}

static gg_later_product *take(gg_later *later) {
  gg_later_product *product = later->first;
  if (!product) return NULL;
  later->first = product->next;
  if (!later->first) later->last = NULL;
  return product;
}

static void *work(void *argument) {
  gg_later *later = argument;
  pthread_mutex_lock(&later->lock);
  while (!later->ends) {
    gg_later_product *product = take(later);
    if (!product) {
      pthread_cond_wait(&later->more, &later->lock);
      continue;
    }
    pthread_mutex_unlock(&later->lock);
    later->action(later->user, &product->form, &product->problem);
    gg_free(product);
    pthread_mutex_lock(&later->lock);
  }
  pthread_mutex_unlock(&later->lock);
  return NULL;
}

/* NVRTC registers what it does at the process's end when it compiles its first text. What was
 * registered last is done first, so that has to happen before register_end. The thread blocks all
 * signals, to leave them to the program's own threads. */
static bool start(gg_later *later) {
  static pthread_once_t registered = PTHREAD_ONCE_INIT;
  sigset_t all, before;
  sigfillset(&all);
  if (later->ends || pthread_sigmask(SIG_SETMASK, &all, &before)) return false;
  later->warm_up(later->user);
  pthread_once(&registered, register_end);
  later->process = getpid();
  bool runs = pthread_create(&later->thread, NULL, work, later) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return runs;
}

/* ---- Products ------------------------------------------------------------------------- */

bool gg_later_add(gg_later *later, const gg_form *form, const gg_problem *problem) {
  size_t length = form->epilogue ? strlen(form->epilogue) + 1 : 0;
  gg_later_product *product = gg_malloc(sizeof *product + length);
  if (!product) return false;
  *product = (gg_later_product){.form = *form, .problem = *problem};
  if (length) product->form.epilogue = memcpy(product->epilogue, form->epilogue, length);
  pthread_mutex_lock(&later->lock);
  if (!later->runs) later->runs = start(later);
  if (later->runs) {
    if (later->last) {
      later->last->next = product;
    } else {
      later->first = product;
    }
    later->last = product;
    pthread_cond_signal(&later->more);
  }
  bool runs = later->runs;
  pthread_mutex_unlock(&later->lock);
  if (!runs) gg_free(product);
  return runs;
}

/* ---- Opening and closing -------------------------------------------------------------- */

gg_status gg_later_open(gg_later *later, gg_later_action *action, void (*warm_up)(void *user),
                        void *user, gg_error *err) {
  *later = (gg_later){.action = action, .warm_up = warm_up, .user = user};
  if (pthread_mutex_init(&later->lock, NULL)) return gg_fail(err, MEMORY, NULL, "");
  if (pthread_cond_init(&later->more, NULL)) {
    pthread_mutex_destroy(&later->lock);
    return gg_fail(err, MEMORY, NULL, "");
  }
  later->open = true;
  enlist(later);
  return GG_OK;
}

void gg_later_close(gg_later *later) {
  if (!later->open) return;
  delist(later);
  end_thread(later);
  for (gg_later_product *product; (product = take(later));)
    gg_free(product);
  pthread_cond_destroy(&later->more);
  pthread_mutex_destroy(&later->lock);
  *later = (gg_later){0};
}
