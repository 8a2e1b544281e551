/* The engine: a list of a cluster's operations in flight, oldest first.
 *
 * Issuing claims bytes: LANDING for those to be written, LEAVING for those to be read. Many
 * operations may read a byte at once (wgmmas of two warpgroups share an operand), so readers are
 * counted, for chunks of 16 bytes, which every asynchronous reader reads as a whole. A claim on
 * bytes that are already owned is a fault at once, and so is every other access that meets the
 * marks, because between issue and landing nothing can be ordered with the operation. hazard/
 * checks the order before its issue and after its landing. Atomic updates (red.async, cp.reduce,
 * atomics of threads) do not disturb each other: any number of them may own bytes that they write.
 *
 * An operation lands when somebody waits for just this one, when nothing else can run, or by
 * chance. Invariant: an operation in the list has its marks set (`held`), and no other has. */
#include "emu/async/engine.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/follow.h"
#include "emu/marks.h"
#include "emu/report.h"
#include "emu/trace.h"

enum { chunk = 16, time_outs_max = 64, chance = 8 };

gg_status emu_engine_open(struct emu_engine **out, emu_cluster *cluster, gg_error *err) {
  *out = gg_malloc(sizeof **out);
  if (!*out) return gg_fail(err, MEMORY, NULL, "");
  **out = (struct emu_engine){.cluster = cluster};
  return GG_OK;
}

void emu_engine_close(struct emu_engine *engine) {
  if (!engine) return;
  for (emu_async *next, *async = engine->first; async; async = next) {
    next = async->next;
    async->drop(async);
  }
  gg_free(engine);
}

bool emu_async_no_memory(emu_warp *warp, const emu_op *op) {
  emu_fault(warp, op, -1, GG_E_MEMORY, " for asynchronous work");
  return false;
}

bool emu_async_alive(emu_warp *warp, const emu_op *op, int lane, const emu_cta *cta) {
  if (!cta->cluster->engine->exited[cta->rank]) return true;
  emu_fault(warp, op, lane, GG_E_EMU_BOUNDS,
            "shared memory of CTA %u of the cluster, which has exited", cta->rank);
  return false;
}

void emu_engine_note(emu_cluster *cluster) {
  cluster->engine->time_outs = 0;
}

/* ---- Claims ----------------------------------------------------------------------------- */

/* The first byte of a span that has one of the marks; -1: none. */
static int64_t marked(const emu_span *span, uint8_t marks) {
  const uint8_t *at = emu_place_marks(span->place);
  if (!(emu_marks_read(at, span->bytes).any & marks)) return -1;
  for (uint32_t i = 0; i < span->bytes; i++) {
    if (at[i] & marks) return i;
  }
  return -1;
}

static bool is_free(const emu_async *async, const emu_span *spans, uint32_t count, bool write) {
  uint8_t marks = EMU_MARK_LANDING;
  if (write) marks |= EMU_MARK_LEAVING | EMU_MARK_BARRIER;
  for (uint32_t i = 0; i < count; i++) {
    int64_t at = marked(&spans[i], marks);
    if (at < 0) continue;
    emu_place place = spans[i].place;
    place.offset += (uint32_t)at;
    return emu_async_touched(async->warp, async->op, __builtin_ctz(async->lanes), place,
                             spans[i].bytes - (uint32_t)at, write);
  }
  return true;
}

/* The counts of a bank's chunks, made when they are first needed; NULL: memory is out. */
static uint16_t *leaving_of(emu_bank *bank) {
  if (!bank->leaving) bank->leaving = gg_calloc((size_t)bank->size / chunk + 1, sizeof(uint16_t));
  return bank->leaving;
}

static bool hold_read(const emu_span *span) {
  uint16_t *counts = leaving_of(span->place.bank);
  if (!counts) return false;
  emu_marks_change(emu_place_marks(span->place), span->bytes, 0, EMU_MARK_LEAVING);
  uint64_t end = span->place.offset + span->bytes;
  for (uint64_t i = span->place.offset / chunk; i * chunk < end; i++)
    counts[i]++;
  return true;
}

static void release_read(const emu_span *span) {
  const emu_bank *bank = span->place.bank;
  uint64_t end = span->place.offset + span->bytes;
  for (uint64_t i = span->place.offset / chunk; i * chunk < end; i++) {
    if (--bank->leaving[i]) continue;
    uint64_t left = bank->size - i * chunk;
    emu_marks_change(bank->marks + i * chunk, left < chunk ? (uint32_t)left : chunk,
                     EMU_MARK_LEAVING, 0);
  }
}

static void mark_write(const emu_span *span, bool landing) {
  emu_marks_change(emu_place_marks(span->place), span->bytes, EMU_MARK_LANDING,
                   landing ? EMU_MARK_LANDING : 0);
}

static bool hold(emu_async *async) {
  if (!is_free(async, async->writes, async->write_count, true)) return false;
  if (!is_free(async, async->reads, async->read_count, false)) return false;
  for (uint32_t i = 0; i < async->read_count; i++) {
    if (!leaving_of(async->reads[i].place.bank)) {
      return emu_async_no_memory(async->warp, async->op);
    }
  }
  for (uint32_t i = 0; i < async->read_count; i++)
    hold_read(&async->reads[i]);
  for (uint32_t i = 0; i < async->write_count; i++)
    mark_write(&async->writes[i], true);
  async->held = true;
  return true;
}

static bool covers(const emu_span *spans, uint32_t count, emu_place place, uint32_t bytes) {
  for (uint32_t i = 0; i < count; i++) {
    if (spans[i].place.bank == place.bank && spans[i].place.offset < place.offset + bytes &&
        place.offset < spans[i].place.offset + spans[i].bytes) {
      return true;
    }
  }
  return false;
}

/* Sets marks again that a landing update has cleared, if updates in flight still own the bytes. */
static void mark_again(struct emu_engine *engine, const emu_span *span) {
  for (const emu_async *a = engine->first; a; a = a->next) {
    if (!a->held || !covers(a->writes, a->write_count, span->place, span->bytes)) continue;
    for (uint32_t i = 0; i < a->write_count; i++)
      mark_write(&a->writes[i], true);
  }
}

static void let_go(struct emu_engine *engine, emu_async *async) {
  for (uint32_t i = 0; i < async->read_count && async->held; i++)
    release_read(&async->reads[i]);
  for (uint32_t i = 0; i < async->write_count && async->held; i++) {
    mark_write(&async->writes[i], false);
    if (async->op->updates) mark_again(engine, &async->writes[i]);
  }
  async->held = false;
}

static void describe(char *out, size_t size, const emu_async *async) {
  const ptx_instruction *ptx = async->op->ptx;
  snprintf(out, size, "%s of line %u (CTA %u, warp %d)", ptx ? ptx->form->text : "an operation",
           ptx ? ptx->place.line : 0, async->warp->cta->rank, async->warp->index);
}

bool emu_async_touched(emu_warp *warp, const emu_op *op, int lane, emu_place place, uint32_t bytes,
                       bool write) {
  const emu_async *owner = NULL;
  bool landing = false, joins = false;
  for (const emu_async *a = warp->cta->cluster->engine->first; a && !owner; a = a->next) {
    if (!a->held) continue;
    landing = covers(a->writes, a->write_count, place, bytes);
    bool together = landing && op->updates && a->op->updates;
    joins |= together;
    landing &= !together;
    if (landing || (write && covers(a->reads, a->read_count, place, bytes))) owner = a;
  }
  const char *verb = write ? "writes" : "reads";
  if (!owner && joins) return true;
  if (!owner) {
    emu_fault(warp, op, lane, GG_E_EMU_MBARRIER,
              "%s 0x%x, where an mbarrier object lives: mbarrier.inval it first", verb,
              emu_place_address(place));
    return false;
  }
  char who[200];
  describe(who, sizeof who, owner);
  return emu_tolerated(warp, op, lane, GG_E_EMU_IN_FLIGHT,
                       "%s %s, which %s has yet to %s: nothing has waited for it", verb,
                       emu_place_in_words(place).text, who, landing ? "write" : "read");
}

/* ---- The list --------------------------------------------------------------------------- */

bool emu_async_issue(emu_cluster *cluster, emu_async *async) {
  struct emu_engine *engine = cluster->engine;
  async->issued = cluster->time;
  async->held = false;
  async->next = NULL;
  async->previous = engine->last;
  *(engine->last ? &engine->last->next : &engine->first) = async;
  engine->last = async;
  engine->count++;
  emu_engine_note(cluster);
  return hold(async) && emu_hazard_issue(async);
}

static void unlink_async(struct emu_engine *engine, emu_async *async) {
  *(async->previous ? &async->previous->next : &engine->first) = async->next;
  *(async->next ? &async->next->previous : &engine->last) = async->previous;
  engine->count--;
}

static bool land(emu_cluster *cluster, emu_async *async) {
  unlink_async(cluster->engine, async);
  let_go(cluster->engine, async);
  emu_engine_note(cluster);
  bool ok = async->land(async, cluster);
  if (ok) emu_hazard_land(async);
  if (ok) emu_trace_landed(async);
  if (ok) emu_follow_landed(async);
  async->drop(async);
  return ok;
}

bool emu_async_land(emu_cluster *cluster, emu_async *async) {
  emu_async *older = async->chain ? cluster->engine->first : async;
  while (older != async) {
    emu_async *next = older->next;
    if (older->chain == async->chain && !land(cluster, older)) return false;
    older = next;
  }
  return land(cluster, async);
}

/* The claims need no new memory, because `from` had the same. */
void emu_async_pass_reads(emu_async *heir, emu_async *from) {
  for (uint32_t i = 0; i < heir->shared_count; i++)
    hold_read(&heir->reads[heir->read_count + i]);
  heir->read_count += heir->shared_count;
  from->read_count -= heir->shared_count;
  heir->shared_count = 0;
}

emu_async *emu_async_first(const emu_cluster *cluster) {
  return cluster->engine->first;
}

static bool land_any(emu_cluster *cluster) {
  uint64_t skip = emu_random(cluster) % cluster->engine->count;
  emu_async *async = cluster->engine->first;
  while (skip--)
    async = async->next;
  return emu_async_land(cluster, async);
}

bool emu_engine_land_one(emu_cluster *cluster) {
  struct emu_engine *engine = cluster->engine;
  if (cluster->faulted || !engine->count) return false;
  if (cluster->run->options->random) return land_any(cluster);
  return emu_async_land(cluster, engine->first);
}

bool emu_engine_tick(emu_cluster *cluster) {
  if (!cluster->run->options->random || !cluster->engine->count) return true;
  return emu_random(cluster) % chance || land_any(cluster);
}

bool emu_engine_time_out(emu_cluster *cluster) {
  struct emu_engine *engine = cluster->engine;
  return engine->time_outs++ < time_outs_max && emu_units_give_up(cluster);
}

/* ---- The end of a CTA ------------------------------------------------------------------- */

static const emu_span *span_in(const emu_span *spans, uint32_t count, const emu_cta *cta) {
  for (uint32_t i = 0; i < count; i++) {
    if (spans[i].place.bank->cta == cta) return &spans[i];
  }
  return NULL;
}

/* Whether the CTA may exit before the operation lands. On hardware, what it reads is usually read
 * in time; but what it writes would overwrite whatever is there next. */
static bool may_outlive(const emu_async *async, const emu_cta *cta) {
  const emu_span *write = span_in(async->writes, async->write_count, cta);
  const emu_span *span = write ? write : span_in(async->reads, async->read_count, cta);
  if (!span || !async->binds) return true;
  return emu_tolerated(async->warp, async->op, __builtin_ctz(async->lanes),
                       write ? GG_E_EMU_IN_FLIGHT : GG_E_EMU_EXIT,
                       "CTA %u of the cluster exits while its %s is still to be %s: nothing "
                       "has waited for this operation",
                       cta->rank, emu_place_in_words(span->place).text, write ? "written" : "read");
}

bool emu_engine_cta_exit(emu_cta *cta) {
  struct emu_engine *engine = cta->cluster->engine;
  for (emu_async *next, *async = engine->first; async; async = next) {
    next = async->next;
    if (!may_outlive(async, cta)) return false;
  }
  /* What is left does not need the CTA: writes to global memory, cp.async that nobody waits for,
   * and what is tolerated. */
  for (emu_async *async = engine->first; async;) {
    if (async->warp->cta != cta) {
      async = async->next;
      continue;
    }
    if (!emu_async_land(cta->cluster, async)) return false;
    async = engine->first;
  }
  engine->exited[cta->rank] = true;
  return true;
}

/* ---- Groups ----------------------------------------------------------------------------- */

void emu_groups_commit(emu_groups *groups, uint32_t lanes) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    uint64_t group = groups->committed[__builtin_ctz(rest)]++;
    groups->ends[group % EMU_GROUPS_KEPT] = groups->issued;
  }
}

uint64_t emu_groups_first_pending(const emu_groups *groups, int lane, uint64_t pending) {
  uint64_t committed = groups->committed[lane];
  return pending < committed ? committed - pending : 0;
}

uint64_t emu_groups_clock(const emu_groups *groups, int lane, uint64_t pending) {
  uint64_t first = emu_groups_first_pending(groups, lane, pending);
  if (!first) return 0;
  /* A group too old to be kept came before the oldest that is. */
  uint64_t committed = groups->committed[lane];
  uint64_t group = committed - first < EMU_GROUPS_KEPT ? first - 1 : committed - EMU_GROUPS_KEPT;
  return groups->ends[group % EMU_GROUPS_KEPT];
}

/* ---- Bytes ------------------------------------------------------------------------------ */

void emu_copy_in(const emu_async *async, emu_place to, const uint8_t *from, uint64_t from_address,
                 uint32_t bytes) {
  emu_device *device = async->warp->cta->cluster->run->device;
  memcpy(emu_place_bytes(to), from, bytes);
  emu_follow_copied(async, to, from_address, bytes, NULL, 0);
  uint8_t *marks = emu_place_marks(to);
  if (emu_global_written(device, from_address, bytes)) {
    emu_marks_change(marks, bytes, 0, EMU_MARK_WRITTEN);
    return;
  }
  for (uint32_t i = 0; i < bytes; i++) {
    bool written = emu_global_written(device, from_address + i, 1);
    emu_marks_change(marks + i, 1, EMU_MARK_WRITTEN, written ? EMU_MARK_WRITTEN : 0);
  }
}

void emu_zero_in(const emu_async *async, emu_place to, uint32_t bytes) {
  emu_follow_copied(async, to, 0, bytes, NULL, 0);
  memset(emu_place_bytes(to), 0, bytes);
  emu_marks_change(emu_place_marks(to), bytes, 0, EMU_MARK_WRITTEN);
}
