/* Turns stamps into the slices and spans of a timeline.
 *
 * A warp's stamps are in order. Its time is cut as in the emulator's timeline: either the warp
 * waits, and the slice is named after what it waits for, or it runs, and the slice is named after
 * its role, with slices inside for what it works on. Units that work beside the warps have no clock
 * of their own. An operation of such a unit is drawn from when it was issued to when a warp saw
 * that it was done. Where no warp waited for it at once, that end is later than the true one.
 *
 * The clocks of multiprocessors start at different values and run equally fast. Each warp twice
 * notes its clock together with the timer of the whole device. The timer moves in steps and stands
 * still in between, so it is never ahead of the true time: of all notes, the one that puts a clock
 * latest is closest. */
#include "cli/stamps.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/timeline.h"
#include "plan/rings.h"

typedef enum stamp_kind {
#define GG_STAMP(name, number, where) STAMP_##name = number,
#include "emit/stamps.def"
} stamp_kind;

/* ---- Clocks ----------------------------------------------------------------------------- */

enum { multiprocessors_max = 1024 };

/* The clock of one multiprocessor: its first and last notes, and its distance from the timer. */
typedef struct clock_place {
  uint64_t first, last, timer_first, timer_last;
  double offset; /* ns from `timer_begin` to where the clock is `first` */
  bool used;
} clock_place;

typedef struct clocks {
  clock_place of[multiprocessors_max];
  uint64_t timer_begin;
  double period; /* ns */
} clocks;

/* Whether the warp has run. Those of a CTA whose tiles other CTAs have taken over have not. */
static bool has_run(const cli_stamped_warp *warp) {
  return warp->clock_end != 0;
}

static clock_place *place_of(clocks *all, const cli_stamped_warp *warp) {
  return &all->of[warp->multiprocessor % multiprocessors_max];
}

static void note(clock_place *place, uint64_t clock, uint64_t timer) {
  if (!place->used) place->offset = -1e300;
  if (!place->used || clock < place->first) place->first = clock, place->timer_first = timer;
  if (!place->used || clock > place->last) place->last = clock, place->timer_last = timer;
  place->used = true;
}

static void settle(clock_place *place, const clocks *all, uint64_t clock, uint64_t timer) {
  double offset = (double)(timer - all->timer_begin) - (double)(clock - place->first) * all->period;
  if (offset > place->offset) place->offset = offset;
}

static void place_clocks(clocks *all, const cli_stamps *in) {
  double timer = 0, clock = 0;
  all->timer_begin = UINT64_MAX;
  for (uint32_t w = 0; w < in->warp_count; w++) {
    const cli_stamped_warp *warp = &in->warps[w];
    if (!has_run(warp)) continue;
    note(place_of(all, warp), warp->clock_begin, warp->timer_begin);
    note(place_of(all, warp), warp->clock_end, warp->timer_end);
    if (warp->timer_begin < all->timer_begin) all->timer_begin = warp->timer_begin;
  }
  for (int i = 0; i < multiprocessors_max; i++) {
    timer += (double)(all->of[i].timer_last - all->of[i].timer_first);
    clock += (double)(all->of[i].last - all->of[i].first);
  }
  all->period = clock > 0 && timer > 0 ? timer / clock : 1;
  for (uint32_t w = 0; w < in->warp_count; w++) {
    const cli_stamped_warp *warp = &in->warps[w];
    if (!has_run(warp)) continue;
    settle(place_of(all, warp), all, warp->clock_begin, warp->timer_begin);
    settle(place_of(all, warp), all, warp->clock_end, warp->timer_end);
  }
}

static int by_value(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* Finds the shortest step of the timer between two notes, in nanoseconds; 0: it made none. */
static gg_status find_step(uint64_t *out, const cli_stamps *in, gg_error *err) {
  uint64_t *timers = gg_malloc(2 * in->warp_count * sizeof *timers);
  if (!timers) return gg_fail(err, MEMORY, NULL, "");
  size_t count = 0;
  for (uint32_t w = 0; w < in->warp_count; w++) {
    if (!has_run(&in->warps[w])) continue;
    timers[count++] = in->warps[w].timer_begin;
    timers[count++] = in->warps[w].timer_end;
  }
  qsort(timers, count, sizeof *timers, by_value);
  *out = 0;
  for (size_t i = 1; i < count; i++) {
    uint64_t step = timers[i] - timers[i - 1];
    if (step && (!*out || step < *out)) *out = step;
  }
  gg_free(timers);
  return GG_OK;
}

/* The time of a stamp in nanoseconds of the timeline. */
static uint64_t time_of(clocks *all, const cli_stamps *in, const cli_stamped_warp *warp,
                        uint64_t clock) {
  enum { instruction = 1000 };
  if (in->emulated) return clock * instruction;
  const clock_place *place = place_of(all, warp);
  return (uint64_t)(place->offset + (double)(clock - place->first) * all->period + 0.5);
}

/* ---- A CTA ------------------------------------------------------------------------------ */

/* Either the issue of work whose end an mbarrier hears of, or the end of a wait for that. */
typedef enum arrival_kind { ARRIVAL_COPY, ARRIVAL_MMAS, ARRIVAL_SEEN } arrival_kind;

typedef struct arrival {
  uint64_t time;
  uint32_t barrier; /* its place in shared memory */
  arrival_kind kind;
} arrival;

typedef struct writer {
  const cli_stamps *in;
  cli_part_names names;
  clocks clocks;
  gg_timeline *timeline;
  gg_str group;      /* what a group of MMAs is called */
  int64_t k_tiles;   /* K tiles of a tile */
  uint64_t process;  /* the CTA's number in the timeline */
  arrival *arrivals; /* those of the CTA */
  size_t arrival_count, arrival_capacity;
  bool failed;
  cli_stamps_read *read;
} writer;

static bool put_part(gg_str *out, const writer *w, gg_part_kind kind, uint32_t value) {
  return gg_part_name_put(out, w->names.list, w->names.count, w->in->plan->name, kind, value);
}

static void add_arrival(writer *w, uint64_t time, uint32_t barrier, arrival_kind kind) {
  if (w->arrival_count == w->arrival_capacity) {
    size_t capacity = w->arrival_capacity ? 2 * w->arrival_capacity : 1024;
    arrival *list = gg_realloc(w->arrivals, capacity * sizeof *list);
    w->failed = w->failed || !list;
    if (!list) return;
    w->arrivals = list;
    w->arrival_capacity = capacity;
  }
  w->arrivals[w->arrival_count++] = (arrival){time, barrier, kind};
}

/* ---- A warp ----------------------------------------------------------------------------- */

enum { spans_max = 3, flights_max = 64 };

/* Operations that a warp has issued and not yet seen done, the oldest first. */
typedef struct flights {
  uint64_t begin[flights_max];
  uint32_t where[flights_max];
  int count;
} flights;

typedef struct reader {
  writer *w;
  const cli_stamped_warp *warp;
  gg_track track;
  gg_str role;
  struct {
    const char *name;
    uint64_t begin;
  } spans[spans_max]; /* of running: the role, and what lies inside */
  int span_count;
  bool waits;
  stamp_kind awaited;
  uint32_t where;
  uint64_t wait_begin, last;      /* end of the last wait, or issue of the last MMAs */
  int64_t tile;                   /* -1: none */
  int64_t k_tile, k_begin, k_end; /* of the current part; none outside of one */
  uint32_t stage;                 /* the mbarrier of the stages that it waited for last */
  flights mmas, stores, copies;
} reader;

/* Whether the mbarrier at `place` is one that a role waits for once in each K tile. */
static bool is_of_k_tile(const writer *w, uint32_t place) {
  const gg_ring *ring = gg_rings_find(&w->in->layouts->rings, GG_RING_STAGES);
  if (!ring || ring->full.count == 0) return false;
  const gg_ring_barriers *barriers[] = {&ring->full, &ring->empty[0]};
  for (int i = 0; i < 1 + (ring->empties > 0); i++) {
    int64_t begin = barriers[i]->begin;
    if (place >= begin && place < begin + barriers[i]->count * GG_BARRIER_BYTES) return true;
  }
  return false;
}

static void put_work(gg_str *arguments, const reader *r) {
  if (r->tile >= 0) gg_timeline_put_number(arguments, "tile", r->tile);
  if (r->k_tile >= r->k_begin && r->k_tile < r->k_end)
    gg_timeline_put_number(arguments, "k_tile", r->k_tile);
}

static void put_slice(reader *r, const char *name, uint64_t begin, uint64_t end) {
  if (end <= begin || !gg_timeline_has_room(r->w->timeline)) return;
  gg_str arguments = GG_STR_INIT;
  put_work(&arguments, r);
  gg_timeline_slice(r->w->timeline, r->track, name, begin, end, &arguments);
  gg_str_free(&arguments);
}

/* Writes the slices of what ran until now, from the outermost to the innermost, and begins them
 * anew. */
static void cut(reader *r, uint64_t now) {
  for (int i = 0; i < r->span_count; i++) {
    put_slice(r, r->spans[i].name, r->spans[i].begin, now);
    r->spans[i].begin = now;
  }
}

/* Names a wait. Where the awaited thing has no name, the wait is named after its instruction, as
 * the emulator does. */
static void name_wait(gg_str *out, const reader *r) {
  static const char *const instructions[] = {
      [STAMP_await_cluster] = "barrier.cluster.wait.acquire.aligned",
      [STAMP_await_mmas] = "wgmma.wait_group.sync.aligned",
      [STAMP_await_stores] = "cp.async.bulk.wait_group.read",
      [STAMP_await_copies] = "cp.async.wait_group",
      [STAMP_await_sums] = "others' sums",
      [STAMP_await_launch] = "griddepcontrol.wait",
  };
  if (r->awaited == STAMP_await_mbarrier) {
    if (!put_part(out, r->w, GG_PART_SHARED, r->where)) gg_str_puts(out, "mbarrier");
  } else if (r->awaited == STAMP_await_barrier) {
    if (!put_part(out, r->w, GG_PART_BARRIERS, r->where))
      gg_str_printf(out, "barrier %" PRIu32, r->where);
  } else {
    gg_str_puts(out, instructions[r->awaited]);
  }
}

/* Writes the beginning and the end of an operation that runs beside the warps. */
static void put_flight(writer *w, gg_track track, const char *unit, const char *name,
                       uint64_t begin, uint64_t end, const gg_str *arguments) {
  if (end <= begin || !gg_timeline_has_room(w->timeline)) return;
  if (gg_timeline_is_new(w->timeline, track)) gg_timeline_name(w->timeline, track, NULL);
  uint64_t number = gg_timeline_number(w->timeline);
  gg_timeline_end_of(w->timeline, 'b', number, track, unit, name, begin, arguments);
  gg_timeline_end_of(w->timeline, 'e', number, track, unit, name, end, NULL);
}

static void take_off(flights *of, uint64_t begin, uint32_t where) {
  if (of->count == flights_max) return; /* no kernel waits for so many */
  of->begin[of->count] = begin;
  of->where[of->count++] = where;
}

/* Ends all but the last `pending` operations: they are seen to be done. */
static void land(reader *r, flights *of, uint32_t pending, uint64_t now, const char *unit,
                 const char *name) {
  int landed = of->count > (int)pending ? of->count - (int)pending : 0;
  for (int i = 0; i < landed; i++) {
    gg_str arguments = GG_STR_INIT, part = GG_STR_INIT;
    gg_timeline_put_number(&arguments, "warp", r->track.thread);
    if (of->where[i] && put_part(&part, r->w, GG_PART_SHARED, of->where[i]))
      gg_timeline_put_text(&arguments, "part", gg_str_text(&part));
    const gg_track track = {r->track.process, GG_TRACK_UNITS};
    put_flight(r->w, track, unit, name, of->begin[i], now, &arguments);
    gg_str_free(&part);
    gg_str_free(&arguments);
  }
  for (int i = landed; i < of->count; i++) {
    of->begin[i - landed] = of->begin[i];
    of->where[i - landed] = of->where[i];
  }
  of->count -= landed;
}

static void begin_wait(reader *r, stamp_kind kind, uint32_t where, uint64_t now) {
  cut(r, now);
  r->waits = true;
  r->awaited = kind;
  r->where = where;
  r->wait_begin = now;
  bool stage = kind == STAMP_await_mbarrier && is_of_k_tile(r->w, where);
  bool copies = kind == STAMP_await_copies && !r->w->in->plan->specialised;
  const gg_ring *ring = gg_rings_find(&r->w->in->layouts->rings, GG_RING_STAGES);
  if (copies || (stage && (where != r->stage || ring->depth == 1))) r->k_tile++;
  if (stage) r->stage = where;
}

static void end_wait(reader *r, uint64_t now) {
  gg_str name = GG_STR_INIT;
  if (!r->waits) return;
  name_wait(&name, r);
  put_slice(r, gg_str_text(&name), r->wait_begin, now);
  gg_str_free(&name);
  for (int i = 0; i < r->span_count; i++)
    r->spans[i].begin = now;
  r->waits = false;
  r->last = now;
  if (r->awaited == STAMP_await_mbarrier) add_arrival(r->w, now, r->where, ARRIVAL_SEEN);
  if (r->awaited == STAMP_await_mmas)
    land(r, &r->mmas, r->where, now, "wgmma", gg_str_text(&r->w->group));
  if (r->awaited == STAMP_await_stores)
    land(r, &r->stores, r->where, now, "TMA", "cp.async.bulk.tensor.3d to global");
  if (r->awaited == STAMP_await_copies)
    land(r, &r->copies, r->where, now, "cp.async", "cp.async to shared");
}

static void enter(reader *r, const char *name, uint64_t now) {
  if (r->span_count == spans_max) return;
  r->spans[r->span_count].name = name;
  r->spans[r->span_count++].begin = now;
}

static void leave(reader *r, uint64_t now) {
  if (r->span_count == 1) return;
  int last = --r->span_count;
  put_slice(r, r->spans[last].name, r->spans[last].begin, now);
}

static void begin_tile(reader *r, uint32_t tile, uint64_t now) {
  cut(r, now);
  r->tile = tile;
  r->k_tile = -1;
  r->k_begin = 0;
  r->k_end = r->w->k_tiles;
  r->stage = UINT32_MAX;
}

static void read_stamp(reader *r, stamp_kind kind, uint32_t where, uint64_t now) {
  switch (kind) {
  case STAMP_go:
    end_wait(r, now);
    break;
  case STAMP_tile:
    begin_tile(r, where, now);
    break;
  case STAMP_k_tile:
    r->k_begin = where;
    r->k_tile = r->k_begin - 1;
    break;
  case STAMP_k_tiles:
    r->k_end = r->k_begin + where;
    break;
  case STAMP_copy:
    add_arrival(r->w, now, where, ARRIVAL_COPY);
    break;
  case STAMP_commit:
    add_arrival(r->w, r->last, where, ARRIVAL_MMAS);
    break;
  case STAMP_copies:
    take_off(&r->copies, now, 0);
    break;
  case STAMP_mmas:
    take_off(&r->mmas, r->last, 0), r->last = now;
    break;
  case STAMP_store:
    take_off(&r->stores, now, where);
    break;
  case STAMP_finish:
    enter(r, "epilogue", now), r->k_tile = r->k_end;
    break;
  case STAMP_combine:
    enter(r, "combine", now), r->k_tile = r->k_end;
    break;
  case STAMP_finished:
  case STAMP_combined:
    leave(r, now);
    break;
  default:
    if (kind <= STAMP_await_launch) begin_wait(r, kind, where, now);
  }
}

static bool is_address(stamp_kind kind) {
  return kind == STAMP_await_mbarrier || kind == STAMP_copy || kind == STAMP_store;
}

/* Reads the stamps of the warp with this index in the launch. */
static void read_stamps(reader *r, uint32_t index) {
  const cli_stamps *in = r->w->in;
  uint64_t clock = r->warp->clock_begin;
  const uint32_t made = (r->warp->end - index) / in->warp_count;
  uint32_t kept = 0;
  for (uint64_t at = index; at < in->stamp_count && kept < made; at += in->warp_count, kept++) {
    const cli_stamp *stamp = &in->stamps[at];
    clock += (uint32_t)(stamp->clock - (uint32_t)clock);
    stamp_kind kind = (stamp_kind)(stamp->event >> 24);
    uint32_t where = stamp->event;
    if (is_address(kind)) where -= r->warp->shared_memory;
    where &= 0xffffff; /* in a cluster, an address has the CTA in its upper bits */
    read_stamp(r, kind, where, time_of(&r->w->clocks, in, r->warp, clock));
  }
  r->w->read->stamps += kept;
  r->w->read->lost += made - kept;
  uint64_t end = time_of(&r->w->clocks, in, r->warp, made > kept ? clock : r->warp->clock_end);
  end_wait(r, end);
  cut(r, end);
}

static void read_warp(writer *w, uint32_t index) {
  const uint32_t in_cta = index % w->in->cta_warps;
  reader r = {.w = w,
              .warp = &w->in->warps[index],
              .track = {w->process, (int)in_cta},
              .tile = -1,
              .k_tile = -1,
              .stage = UINT32_MAX};
  gg_str name = GG_STR_INIT;
  bool named = put_part(&r.role, w, GG_PART_WARPS, in_cta);
  gg_str_printf(&name, "%s%swarp %" PRIu32, gg_str_text(&r.role), named ? ", " : "", in_cta);
  if (gg_timeline_is_new(w->timeline, r.track))
    gg_timeline_name(w->timeline, r.track, gg_str_text(&name));
  r.last = time_of(&w->clocks, w->in, r.warp, r.warp->clock_begin);
  enter(&r, named ? gg_str_text(&r.role) : "runs", r.last);
  read_stamps(&r, index);
  gg_str_free(&name);
  gg_str_free(&r.role);
}

/* ---- What mbarriers hear of ------------------------------------------------------ */

static int by_barrier_and_time(const void *left, const void *right) {
  const arrival *a = left, *b = right;
  if (a->barrier != b->barrier) return a->barrier < b->barrier ? -1 : 1;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  return (int)a->kind - (int)b->kind;
}

/* Writes the work that one phase of an mbarrier covers, from its first operation to the time when
 * the first warp saw that all of it was done. */
static void put_heard(writer *w, const arrival *first, size_t count, uint64_t end) {
  bool copies = first->kind == ARRIVAL_COPY;
  gg_str name = GG_STR_INIT;
  if (copies && count > 1) gg_str_printf(&name, "%zu ", count);
  gg_str_puts(&name, copies ? "cp.async.bulk.tensor.3d, " : "tcgen05.mma, ");
  if (!put_part(&name, w, GG_PART_SHARED, first->barrier)) gg_str_puts(&name, "mbarrier");
  const gg_track track = {w->process, copies ? GG_TRACK_UNITS : GG_TRACK_MMA_PIPE};
  put_flight(w, track, copies ? "TMA" : "MMA pipe", gg_str_text(&name), first->time, end, NULL);
  gg_str_free(&name);
}

static void put_arrivals(writer *w) {
  if (w->arrival_count == 0) return;
  qsort(w->arrivals, w->arrival_count, sizeof *w->arrivals, by_barrier_and_time);
  for (size_t i = 0, end; i<w->arrival_count; i = end> i ? end : i + 1) {
    const arrival *first = &w->arrivals[i];
    for (end = i; end < w->arrival_count && w->arrivals[end].kind != ARRIVAL_SEEN; end++)
      if (w->arrivals[end].barrier != first->barrier) break;
    bool seen = end < w->arrival_count && w->arrivals[end].barrier == first->barrier;
    if (end > i && seen) put_heard(w, first, end - i, w->arrivals[end].time);
  }
}

/* ---- The launch ------------------------------------------------------------------------- */

/* Names the MMAs that a warpgroup commits together, such as "8 m64n192k16". */
static void name_group(gg_str *out, const gg_plan *plan) {
  int frags = gg_plan_block_m(plan) / gg_plan_mma_rows(plan);
  int steps = plan->promote ? plan->promote : plan->a_in_registers ? 1 : plan->tile_k / plan->mma.k;
  int count = frags * steps * gg_plan_wgmmas_beside(plan);
  gg_str_printf(out, "%d m%dn%dk%d", count, plan->mma.m, plan->mma.n, plan->mma.k);
}

static void write_cta(writer *w, uint32_t cta) {
  if (!has_run(&w->in->warps[cta * w->in->cta_warps])) return;
  w->process = (uint64_t)cta + 1;
  w->arrival_count = 0;
  const gg_track process = {w->process, GG_TRACK_PROCESS};
  gg_str name = GG_STR_INIT;
  gg_str_printf(&name, "%s, %s: CTA (%" PRIu32 ", 0, 0)", w->in->plan->name, w->in->label, cta);
  if (gg_timeline_is_new(w->timeline, process))
    gg_timeline_name(w->timeline, process, gg_str_text(&name));
  gg_str_free(&name);
  for (uint32_t i = 0; i < w->in->cta_warps; i++)
    read_warp(w, cta * w->in->cta_warps + i);
  put_arrivals(w);
}

gg_status cli_stamps_write(cli_stamps_read *out, const char *path, const cli_stamps *in,
                           gg_error *err) {
  *out = (cli_stamps_read){0};
  writer *w = gg_calloc(1, sizeof *w);
  if (!w) return gg_fail(err, MEMORY, NULL, "");
  w->in = in;
  w->read = out;
  w->k_tiles = (in->k + in->plan->tile_k - 1) / in->plan->tile_k;
  gg_status st = find_step(&out->timer_step, in, err);
  if (!st) st = gg_timeline_open(&w->timeline, path, err);
  if (!st) {
    cli_part_names_make(&w->names, in->plan, in->layouts);
    name_group(&w->group, in->plan);
    place_clocks(&w->clocks, in);
    if (!in->emulated) out->clock_hz = 1e9 / w->clocks.period;
    for (uint32_t cta = 0; cta < in->ctas; cta++)
      write_cta(w, cta);
    gg_timeline_leave_out(w->timeline, out->lost);
    out->left_out = gg_timeline_left_out(w->timeline);
    st = gg_timeline_close(w->timeline, err);
  }
  if (!st && w->failed) st = gg_fail(err, MEMORY, NULL, "");
  gg_str_free(&w->group);
  gg_free(w->arrivals);
  gg_free(w);
  return st;
}
