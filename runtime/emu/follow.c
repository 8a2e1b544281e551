#include "emu/follow.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/isa/lanes.h"
#include "emu/trace.h"

enum { events_most = 4096 };

struct emu_follow {
  pthread_mutex_t lock;
  uint64_t address;
  gg_str text;
  size_t events;
  emu_place *places; /* where the byte is now */
  size_t count, room;
};

gg_status emu_follow_open(emu_follow **out, uint64_t address, gg_error *err) {
  *out = gg_malloc(sizeof **out);
  if (!*out) return gg_fail(err, MEMORY, NULL, "");
  **out = (emu_follow){.address = address};
  if (!pthread_mutex_init(&(*out)->lock, NULL)) return GG_OK;
  gg_free(*out);
  *out = NULL;
  return gg_fail(err, MEMORY, NULL, "");
}

void emu_follow_close(emu_follow *follow) {
  if (!follow) return;
  pthread_mutex_destroy(&follow->lock);
  gg_str_free(&follow->text);
  gg_free(follow->places);
  gg_free(follow);
}

void emu_follow_json(gg_str *out, emu_follow *follow) {
  pthread_mutex_lock(&follow->lock);
  gg_str_putc(out, '[');
  gg_str_add(out, &follow->text);
  gg_str_putc(out, ']');
  pthread_mutex_unlock(&follow->lock);
}

/* ---- Places ----------------------------------------------------------------------------- */

static bool covers(emu_place place, uint32_t bytes, emu_place at) {
  return place.bank == at.bank && at.offset >= place.offset && at.offset < place.offset + bytes;
}

/* Forgets places in `bytes`, because something else is there now. */
static void forget(emu_follow *follow, emu_place place, uint32_t bytes) {
  for (size_t i = follow->count; i-- > 0;) {
    if (covers(place, bytes, follow->places[i]))
      follow->places[i] = follow->places[--follow->count];
  }
}

static void remember(emu_follow *follow, emu_place place) {
  if (follow->count == follow->room) {
    size_t room = follow->room ? 2 * follow->room : 16;
    emu_place *places = gg_realloc(follow->places, room * sizeof *places);
    if (!places) {
      follow->text.failed = true;
      return;
    }
    follow->places = places;
    follow->room = room;
  }
  follow->places[follow->count++] = place;
}

/* ---- Events ----------------------------------------------------------------------------- */

/* Begins an event of an instruction, and leaves it open; false if there are enough events. */
static bool begin_event(emu_follow *follow, const char *what, const emu_warp *warp,
                        const emu_op *op, const emu_cta *cta) {
  gg_str source = GG_STR_INIT;
  if (follow->events++ >= events_most) return false;
  gg_str_puts(&follow->text, follow->events > 1 ? ",\n" : "\n");
  gg_str_printf(&follow->text, "{\"what\":\"%s\",\"cta\":[%u,%u,%u],\"warp\":%d,\"time\":%" PRIu64,
                what, cta->id[0], cta->id[1], cta->id[2], warp->index, emu_time(warp));
  if (op->ptx) {
    emu_name_source(&source, warp, op);
    gg_str_printf(&follow->text, ",\"line\":%" PRIu32 ",\"form\":", op->ptx->place.line);
    gg_str_json(&follow->text, op->ptx->form->text);
    gg_str_puts(&follow->text, ",\"source\":");
    gg_str_json(&follow->text, gg_str_text(&source));
  }
  gg_str_free(&source);
  return true;
}

static void put_list(gg_str *out, const char *name, const int32_t *list, int count) {
  gg_str_printf(out, ",\"%s\":[", name);
  for (int i = 0; i < count; i++)
    gg_str_printf(out, "%s%" PRId32, i ? "," : "", list[i]);
  gg_str_putc(out, ']');
}

static emu_follow *of_warp(const emu_warp *warp) {
  return warp->cta->cluster->run->config->follow;
}

void emu_follow_copied(const emu_async *async, emu_place to, uint64_t address, uint32_t bytes,
                       const int32_t *at, int rank) {
  emu_follow *follow = of_warp(async->warp);
  if (!follow || !to.bank->cta) return;
  pthread_mutex_lock(&follow->lock);
  forget(follow, to, bytes);
  if (address && follow->address >= address && follow->address < address + bytes) {
    to.offset += follow->address - address;
    remember(follow, to);
    if (begin_event(follow, "copied", async->warp, async->op, to.bank->cta)) {
      gg_str_printf(&follow->text, ",\"to\":%" PRIu64, to.offset);
      if (rank) put_list(&follow->text, "box", at, rank);
      gg_str_putc(&follow->text, '}');
    }
  }
  pthread_mutex_unlock(&follow->lock);
}

static void tell_read(emu_follow *follow, const emu_warp *warp, const emu_op *op, int lane,
                      emu_place at) {
  if (!begin_event(follow, "read", warp, op, at.bank->cta)) return;
  gg_str_printf(&follow->text, ",\"lane\":%d,\"at\":%" PRIu64 "}", lane, at.offset);
}

/* For each place, notes only the first of the lanes that read it. */
static void follow_shared(emu_follow *follow, const emu_bank_access *a, const emu_places *places) {
  for (size_t i = follow->count; i-- > 0;) {
    emu_place at = follow->places[i];
    int reader = -1;
    bool written = false;
    EMU_EACH_LANE(a->lanes, lane) {
      if (!covers(places->of[lane], a->bytes, at)) continue;
      if (reader < 0 && a->intent & EMU_READ) reader = (int)lane;
      written = written || a->intent & EMU_WRITE;
    }
    if (reader >= 0) tell_read(follow, a->warp, a->op, reader, at);
    if (written) follow->places[i] = follow->places[--follow->count];
  }
}

/* Notes a load from global memory, with which the trail of what threads copy ends. */
static void follow_global(emu_follow *follow, const emu_bank_access *a) {
  EMU_EACH_LANE(a->lanes, lane) {
    uint64_t address = a->address[lane];
    if (follow->address < address || follow->address >= address + a->bytes) continue;
    if (begin_event(follow, "loaded", a->warp, a->op, a->warp->cta))
      gg_str_printf(&follow->text, ",\"lane\":%d}", (int)lane);
    return;
  }
}

void emu_follow_access(const emu_bank_access *a, const emu_places *places) {
  emu_follow *follow = of_warp(a->warp);
  const emu_bank *bank = places->of[__builtin_ctz(a->lanes)].bank;
  pthread_mutex_lock(&follow->lock);
  if (bank->kind == &emu_bank_global) {
    if (a->intent & EMU_READ) follow_global(follow, a);
  } else {
    follow_shared(follow, a, places);
  }
  pthread_mutex_unlock(&follow->lock);
}

void emu_follow_landed(const emu_async *async) {
  emu_follow *follow = of_warp(async->warp);
  if (!follow) return;
  pthread_mutex_lock(&follow->lock);
  for (size_t i = 0; i < follow->count; i++) {
    emu_place at = follow->places[i];
    for (uint32_t k = 0; k < async->read_count; k++) {
      const emu_span *span = &async->reads[k];
      if (!covers(span->place, span->bytes, at)) continue;
      if (!begin_event(follow, "read", async->warp, async->op, at.bank->cta)) break;
      gg_str_printf(&follow->text, ",\"at\":%" PRIu64, at.offset);
      const int32_t starts[2] = {(int32_t)async->starts[0] - EMU_SHARED_RESERVED,
                                 (int32_t)async->starts[1] - EMU_SHARED_RESERVED};
      if (async->starts[1]) put_list(&follow->text, "starts", starts, 2);
      gg_str_putc(&follow->text, '}');
      break;
    }
  }
  pthread_mutex_unlock(&follow->lock);
}

void emu_follow_cluster(const emu_cluster *cluster) {
  emu_follow *follow = cluster->run->config->follow;
  if (!follow) return;
  pthread_mutex_lock(&follow->lock);
  for (size_t i = follow->count; i-- > 0;) {
    if (follow->places[i].bank->cta->cluster == cluster)
      follow->places[i] = follow->places[--follow->count];
  }
  pthread_mutex_unlock(&follow->lock);
}
