/* See touches.h. */
#include "emu/hazard/touches.h"

#include <pthread.h>
#include <stdio.h>

#include "base/alloc.h"
#include "emu/bank.h"

enum { many = 1 << 16 };

struct emu_touches {
  pthread_mutex_t lock;
  emu_touch_words *words; /* of the numbers from 1 on */
  uint32_t count, room;
  uint32_t age;
};

struct emu_touches *emu_touches_open(void) {
  struct emu_touches *touches = gg_malloc(sizeof *touches);
  if (!touches) return NULL;
  *touches = (struct emu_touches){0};
  if (!pthread_mutex_init(&touches->lock, NULL)) return touches;
  gg_free(touches);
  return NULL;
}

void emu_touches_close(struct emu_touches *touches) {
  if (!touches) return;
  pthread_mutex_destroy(&touches->lock);
  gg_free(touches->words);
  gg_free(touches);
}

uint32_t emu_touches_next(struct emu_touches *touches) {
  pthread_mutex_lock(&touches->lock);
  uint32_t next = touches->count + 1;
  pthread_mutex_unlock(&touches->lock);
  return next;
}

static bool grow(struct emu_touches *touches) {
  if (touches->count < touches->room) return true;
  uint32_t room = touches->room ? touches->room * 2 : 256;
  emu_touch_words *words = gg_realloc(touches->words, room * sizeof *words);
  if (!words) return false;
  touches->words = words;
  touches->room = room;
  return true;
}

uint32_t emu_touches_add(struct emu_touches *touches, const char *kernel, const emu_op *op) {
  emu_touch_words words = {.line = op->ptx ? op->ptx->place.line : 0};
  snprintf(words.kernel, sizeof words.kernel, "%s", kernel);
  snprintf(words.form, sizeof words.form, "%s", op->ptx ? op->ptx->form->text : "an instruction");
  pthread_mutex_lock(&touches->lock);
  uint32_t number = touches->count + 1;
  bool room = number <= EMU_TAG_NUMBER && grow(touches);
  if (room) touches->words[touches->count++] = words;
  pthread_mutex_unlock(&touches->lock);
  return room ? number : 0;
}

emu_touch_words emu_touches_words(struct emu_touches *touches, uint32_t number) {
  emu_touch_words words = {.kernel = "a kernel", .form = "an instruction"};
  pthread_mutex_lock(&touches->lock);
  if (number && number <= touches->count) words = touches->words[number - 1];
  pthread_mutex_unlock(&touches->lock);
  return words;
}

bool emu_touches_many(struct emu_touches *touches) {
  pthread_mutex_lock(&touches->lock);
  bool found = touches->count > many;
  pthread_mutex_unlock(&touches->lock);
  return found;
}

void emu_touches_forget(struct emu_touches *touches) {
  pthread_mutex_lock(&touches->lock);
  touches->count = 0;
  touches->age++;
  pthread_mutex_unlock(&touches->lock);
}

/* Between launches: it changes then alone. */
uint32_t emu_touches_age(const struct emu_touches *touches) {
  return touches->age;
}

emu_touch *emu_touches_of(emu_bank *bank) {
  emu_touch *touched = atomic_load(&bank->touched);
  if (touched) return touched;
  emu_touch *made = gg_calloc((size_t)bank->size + 1, sizeof *made);
  if (!made || atomic_compare_exchange_strong(&bank->touched, &touched, made)) return made;
  gg_free(made);
  return touched;
}
