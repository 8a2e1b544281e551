#include "later.h"

#include <signal.h>
#include <string.h>

#include "base/alloc.h"

typedef struct gg_later_product {
  struct gg_later_product *next;
  gg_form form; /* with an epilogue of its own below */
  gg_problem problem;
  char epilogue[];
} gg_later_product;

gg_status gg_later_open(gg_later *later,
                        void (*action)(void *user, const gg_form *form, const gg_problem *problem),
                        void *user, gg_error *err) {
  *later = (gg_later){.action = action, .user = user};
  if (pthread_mutex_init(&later->lock, NULL)) return gg_fail(err, MEMORY, NULL, "");
  if (pthread_cond_init(&later->more, NULL)) {
    pthread_mutex_destroy(&later->lock);
    return gg_fail(err, MEMORY, NULL, "");
  }
  later->open = true;
  return GG_OK;
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

/* Signals are the program's threads' to handle. */
static bool start(gg_later *later) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before)) return false;
  bool runs = pthread_create(&later->thread, NULL, work, later) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return runs;
}

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

void gg_later_close(gg_later *later) {
  if (!later->open) return;
  pthread_mutex_lock(&later->lock);
  later->ends = true;
  bool runs = later->runs;
  pthread_cond_signal(&later->more);
  pthread_mutex_unlock(&later->lock);
  if (runs) pthread_join(later->thread, NULL);
  for (gg_later_product *product; (product = take(later));)
    gg_free(product);
  pthread_cond_destroy(&later->more);
  pthread_mutex_destroy(&later->lock);
  *later = (gg_later){0};
}
