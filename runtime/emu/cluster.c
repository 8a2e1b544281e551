/* Clusters: warps take turns on one host thread.
 *
 * A queue has the warps that can run; a warp that waits is in no queue and costs nothing. When the
 * queue is empty, or all warps in it only poll and nothing has changed, asynchronous work lands,
 * one operation at a time. That is as late as possible. When there is no such work left, a cluster
 * whose warps all wait can never go on, because only its own warps could wake them. One that polls
 * is put aside, because what it polls for may come from another cluster. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/async.h"
#include "emu/follow.h"
#include "emu/hazard.h"
#include "emu/trace.h"
#include "emu/unit.h"

enum { turn_ops = 1024, aside_turns = 1 << 16, reported_waits = 8 };

uint64_t emu_random(emu_cluster *cluster) {
  uint64_t x = cluster->random += 0x9e3779b97f4a7c15u; /* splitmix64 (Steele et al., 2014) */
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* ---- Opening and closing ---------------------------------------------------------------- */

/* Zeroed memory; NULL when it is out. */
static void *zeroed(size_t count, size_t size) {
  void *memory = gg_malloc(count * size + 1);
  if (memory) memset(memory, 0, count * size + 1);
  return memory;
}

static gg_status open_warp(emu_warp *warp, emu_cta *cta, int index, uint32_t threads,
                           gg_error *err) {
  const emu_function *function = cta->cluster->run->kernel->function;
  uint32_t left = threads - (uint32_t)index * EMU_LANES;
  *warp = (emu_warp){.cta = cta, .index = index};
  warp->alive = left >= EMU_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
  struct emu_warp_state *state = warp->state = zeroed(1, sizeof(*state));
  if (!state) return gg_fail(err, MEMORY, NULL, "");
  emu_frame *frame = emu_frame_open(warp, function, NULL, NULL, warp->alive);
  if (!frame) return gg_fail(err, MEMORY, NULL, "");
  state->splits[0] = (emu_split){.lanes = warp->alive, .frame = frame};
  state->used = state->ready = 1;
  warp->split = &state->splits[0];
  warp->registers = frame->registers;
  return GG_OK;
}

void emu_cluster_first(unsigned first[3], const emu_run *run, uint64_t index) {
  const uint64_t *clusters = run->state->clusters;
  first[0] = (unsigned)(index % clusters[0]) * run->cluster[0];
  first[1] = (unsigned)(index / clusters[0] % clusters[1]) * run->cluster[1];
  first[2] = (unsigned)(index / clusters[0] / clusters[1]) * run->cluster[2];
}

/* What they hold at first is unknown to a kernel, but not unwritten: all ones. */
static gg_status open_groups(emu_cta *cta, gg_error *err) {
  gg_status st = emu_bank_open(&cta->groups, cta, &emu_bank_shared,
                               ((uint64_t)cta->rank << EMU_SHARED_RANK_SHIFT) + EMU_SHARED_GROUPS,
                               EMU_SHARED_GROUPS_BYTES, err);
  if (!st) memset(cta->groups->marks, EMU_MARK_WRITTEN, EMU_SHARED_GROUPS_BYTES);
  return st;
}

static gg_status open_cta(emu_cta *cta, emu_cluster *cluster, unsigned rank, gg_error *err) {
  const emu_run *run = cluster->run;
  const unsigned *block = run->config->block, *size = run->cluster;
  uint32_t threads = block[0] * block[1] * block[2];
  *cta = (emu_cta){.cluster = cluster, .rank = rank};
  emu_cluster_first(cta->id, run, cluster->state->index);
  cta->id[0] += rank % size[0];
  cta->id[1] += rank / size[0] % size[1];
  cta->id[2] += rank / size[0] / size[1];
  int warps = (int)((threads + EMU_LANES - 1) / EMU_LANES);
  cta->state = zeroed(1, sizeof(*cta->state));
  cta->warps = zeroed((size_t)warps, sizeof(*cta->warps));
  gg_status st = emu_bank_open(&cta->shared, cta, &emu_bank_shared,
                               ((uint64_t)rank << EMU_SHARED_RANK_SHIFT) + EMU_SHARED_RESERVED,
                               run->state->shared_bytes, err);
  if (!st && run->kernel->function->module->groups) st = open_groups(cta, err);
  if (st || !cta->state || !cta->warps) return st ? st : gg_fail(err, MEMORY, NULL, "");
  for (; cta->warp_count < warps; cta->warp_count++) {
    emu_warp *warp = &cta->warps[cta->warp_count];
    if ((st = open_warp(warp, cta, cta->warp_count, threads, err))) {
      cta->warp_count++;
      return st;
    }
    emu_cluster_queue(warp);
  }
  cta->state->live_warps = warps;
  cluster->state->live_warps += (uint32_t)warps;
  return GG_OK;
}

static gg_status open_counters(emu_cluster *cluster, gg_error *err) {
  const emu_counters *wanted = cluster->run->config->counters;
  cluster->counters = &cluster->state->counters;
  const emu_kernel *kernel = wanted && wanted->site_count ? cluster->run->kernel : NULL;
  return emu_counters_open(cluster->counters, kernel, err);
}

/* Where a cluster runs. With a seed, GPCs may get more clusters than fit, as on a shared device. */
static emu_seat seat_of(const emu_cluster *cluster, uint64_t index, uint32_t ctas) {
  const emu_run *run = cluster->run;
  uint32_t multiprocessors = run->state->multiprocessors;
  if (!run->options->random) return emu_seat_in_turn(multiprocessors, ctas, index);
  return emu_seat_at_random(multiprocessors, cluster->random * 0x9e3779b97f4a7c15u >> 32);
}

gg_status emu_cluster_open(emu_cluster **out, emu_run *run, uint64_t index, gg_error *err) {
  const unsigned *size = run->cluster, *block = run->config->block;
  unsigned ctas = size[0] * size[1] * size[2];
  uint32_t warps = (block[0] * block[1] * block[2] + EMU_LANES - 1) / EMU_LANES * ctas;
  emu_cluster *cluster = *out = zeroed(1, sizeof(*cluster));
  if (!cluster) return gg_fail(err, MEMORY, NULL, "");
  cluster->run = run;
  cluster->random = run->options->seed ^ (index + 1) * 0xd1342543de82ef95u;
  cluster->state = zeroed(1, sizeof(*cluster->state));
  cluster->ctas = zeroed(ctas, sizeof(*cluster->ctas));
  if (!cluster->state || !cluster->ctas) goto no_memory;
  atomic_init(&cluster->state->progress, 0);
  cluster->state->index = index;
  cluster->state->seat = seat_of(cluster, index, ctas);
  cluster->state->queue_room = warps;
  cluster->state->queue = zeroed(warps, sizeof(emu_warp *));
  if (!cluster->state->queue) goto no_memory;
  gg_status st = open_counters(cluster, err);
  for (unsigned rank = 0; !st && rank < ctas; rank++) {
    cluster->cta_count++;
    st = open_cta(&cluster->ctas[rank], cluster, rank, err);
  }
  if (!st) st = emu_engine_open(&cluster->engine, cluster, err);
  if (!st) st = emu_hazards_open(&cluster->hazards, cluster, err);
  return st;
no_memory:
  return gg_fail(err, MEMORY, NULL, "");
}

static void close_warp(emu_warp *warp) {
  emu_units_close_warp(warp);
  struct emu_warp_state *state = warp->state;
  if (!state) return;
  for (uint32_t slots = state->used; slots; slots &= slots - 1) {
    emu_split *split = &state->splits[__builtin_ctz(slots)];
    for (emu_frame *frame = split->frame, *caller; frame; frame = caller) {
      caller = frame->caller;
      frame->lanes &= ~split->lanes;
      if (!frame->lanes) emu_frame_close(warp, frame);
    }
  }
  emu_frames_free(state->spare);
  gg_free(state);
}

static void close_cta(emu_cta *cta) {
  for (int i = 0; i < cta->warp_count; i++) {
    close_warp(&cta->warps[i]);
  }
  emu_units_close_cta(cta);
  gg_free(cta->warps);
  gg_free(cta->state);
  emu_banks_close(cta);
}

void emu_cluster_close(emu_cluster *cluster) {
  if (!cluster) return;
  emu_trace_cluster(cluster);
  emu_follow_cluster(cluster);
  if (cluster->engine) emu_engine_close(cluster->engine);
  if (cluster->hazards) emu_hazards_close(cluster->hazards);
  for (unsigned i = 0; i < cluster->cta_count; i++) {
    close_cta(&cluster->ctas[i]);
  }
  emu_units_close_cluster(cluster);
  if (cluster->counters) emu_counters_close(cluster->counters);
  if (cluster->state) gg_free(cluster->state->queue);
  gg_free(cluster->state);
  gg_free(cluster->ctas);
  gg_free(cluster);
}

/* ---- The queue -------------------------------------------------------------------------- */

void emu_cluster_queue(emu_warp *warp) {
  struct emu_cluster_state *state = warp->cta->cluster->state;
  if (warp->state->queued || !warp->state->ready) return;
  warp->state->queued = true;
  state->queue[(state->queue_head + state->queue_count++) % state->queue_room] = warp;
}

/* Takes the next warp from the queue: the first, or with `random` any. */
static emu_warp *next_warp(emu_cluster *cluster) {
  struct emu_cluster_state *state = cluster->state;
  emu_warp **first = &state->queue[state->queue_head];
  if (cluster->run->options->random && state->queue_count > 1) {
    uint32_t pick = (uint32_t)(emu_random(cluster) % state->queue_count);
    emu_warp **other = &state->queue[(state->queue_head + pick) % state->queue_room];
    emu_warp *warp = *other;
    *other = *first;
    *first = warp;
  }
  state->queue_head = (state->queue_head + 1) % state->queue_room;
  state->queue_count--;
  (*first)->state->queued = false;
  return *first;
}

/* Runs one turn of one warp. */
static void one_turn(emu_cluster *cluster) {
  struct emu_cluster_state *state = cluster->state;
  emu_warp *warp = next_warp(cluster);
  unsigned long before = atomic_load_explicit(&state->progress, memory_order_relaxed);
  emu_trace_run(warp);
  emu_warp_turn(warp,
                cluster->run->options->random ? 1 + emu_random(cluster) % turn_ops : turn_ops);
  emu_trace_stop(warp);
  emu_cluster_queue(warp);
  if (!warp->state->yielded) emu_progress(cluster);
  bool polled = before == atomic_load_explicit(&state->progress, memory_order_relaxed);
  state->idle_turns = polled ? state->idle_turns + 1 : 0;
}

emu_outcome emu_cluster_run(emu_cluster *cluster) {
  struct emu_cluster_state *state = cluster->state;
  struct emu_run_state *run = cluster->run->state;
  for (uint32_t turns = 0;; turns++) {
    if (cluster->faulted || atomic_load_explicit(&run->stopped, memory_order_relaxed)) {
      return EMU_STOPPED;
    }
    if (!state->queue_count || state->idle_turns > state->queue_count) {
      state->idle_turns = 0;
      if (emu_engine_land_one(cluster)) {
        emu_progress(cluster);
        continue;
      }
      if (cluster->faulted) return EMU_STOPPED;
      if (!state->live_warps) return EMU_DONE;
      if (emu_engine_time_out(cluster)) continue;
      if (state->queue_count) return EMU_ASIDE;
      emu_cluster_deadlock(cluster->run, &cluster, 1);
      return EMU_STOPPED;
    }
    if (turns > aside_turns) { /* it may be polling by plain loads */
      if (!emu_engine_land_one(cluster)) return EMU_ASIDE;
      turns = 0;
    }
    one_turn(cluster);
    if (!cluster->faulted && !emu_engine_tick(cluster)) return EMU_STOPPED;
  }
}

/* ---- Errors ----------------------------------------------------------------------------- */

/* The mark of an op. Appends its line of the CUDA source. */
static gg_mark locate(gg_str *where, const emu_run *run, const emu_op *op) {
  const emu_module *module = run->kernel->function->module;
  if (op->ptx && op->ptx->loc) {
    const char *path = ptx_file_path(module->ptx, op->ptx->loc->file);
    gg_str_printf(where, ", %s:%u", path ? path : "?", op->ptx->loc->line);
  }
  return emu_mark_of(module, op->ptx);
}

static void put_cta(gg_str *out, const emu_cta *cta) {
  gg_str_printf(out, "CTA (%u,%u,%u)", cta->id[0], cta->id[1], cta->id[2]);
}

/* Ends the launch with this error, unless another came first. */
static void stop(emu_run *run, gg_status code, const gg_mark *mark, const char *what,
                 const char *where) {
  struct emu_run_state *state = run->state;
  pthread_mutex_lock(&state->lock);
  if (!state->err->code) {
    gg_error_set(state->err, code, gg_error_info_of(code)->message, mark, what, where);
    atomic_store(&state->stopped, true);
  }
  pthread_mutex_unlock(&state->lock);
}

/* Appends where a fault is: instruction, CTA, warp and lane. */
static gg_mark put_where(gg_str *out, const emu_warp *warp, const emu_op *op, int lane) {
  gg_str_printf(out, "%s, ", op->ptx ? op->ptx->form->text : "ret");
  put_cta(out, warp->cta);
  gg_str_printf(out, ", warp %d", warp->index);
  if (lane >= 0) gg_str_printf(out, ", lane %d", lane);
  return locate(out, warp->cta->cluster->run, op);
}

static emu_step end_launch(emu_warp *warp, const emu_op *op, int lane, gg_status code,
                           const gg_str *what) {
  gg_str where = GG_STR_INIT;
  gg_mark mark = put_where(&where, warp, op, lane);
  stop(warp->cta->cluster->run, code, &mark, gg_str_text(what), gg_str_text(&where));
  warp->cta->cluster->faulted = true;
  gg_str_free(&where);
  return EMU_FAULT;
}

emu_step emu_fault(emu_warp *warp, const emu_op *op, int lane, gg_status code, const char *format,
                   ...) {
  assert(emu_fault_class_of(code) == EMU_CLASS_ALWAYS);
  gg_str what = GG_STR_INIT;
  va_list arguments;
  va_start(arguments, format);
  gg_str_vprintf(&what, format, arguments);
  va_end(arguments);
  emu_step step = end_launch(warp, op, lane, code, &what);
  gg_str_free(&what);
  return step;
}

/* Notes a warning at a place that has none yet; false when memory is out. */
static bool warn(emu_warp *warp, const emu_op *op, int lane, gg_status code, const gg_str *what) {
  emu_cluster *cluster = warp->cta->cluster;
  gg_str where = GG_STR_INIT, text = GG_STR_INIT;
  gg_mark mark = put_where(&where, warp, op, lane);
  gg_str_printf(&text, "%s:%d:%d: %s; %s [%s]", mark.file, mark.line, mark.column,
                gg_str_text(what), gg_str_text(&where), gg_error_info_of(code)->name);
  text.failed |= what->failed || where.failed;
  gg_str_free(&where);
  emu_warning warning = {.code = code,
                         .op = op,
                         .count = 1,
                         .cluster = cluster->state->index,
                         .time = cluster->time,
                         .text = gg_str_take(&text)};
  return emu_warnings_add(&cluster->counters->warnings, &warning);
}

bool emu_tolerated(emu_warp *warp, const emu_op *op, int lane, gg_status code, const char *format,
                   ...) {
  const emu_cluster *cluster = warp->cta->cluster;
  assert(emu_fault_class_of(code) != EMU_CLASS_ALWAYS);
  emu_severity severity = cluster->run->options->severities.of[emu_fault_class_of(code)];
  if (severity == EMU_SEVERITY_OFF) return true;
  bool warns = severity == EMU_SEVERITY_WARN;
  emu_warning *known = warns ? emu_warnings_find(&cluster->counters->warnings, code, op) : NULL;
  if (known) {
    known->count += known->time != cluster->time; /* once for an instruction, not for each lane */
    known->time = cluster->time;
    return true;
  }
  gg_str what = GG_STR_INIT;
  va_list arguments;
  va_start(arguments, format);
  gg_str_vprintf(&what, format, arguments);
  va_end(arguments);
  bool noted = warns && warn(warp, op, lane, code, &what);
  if (!warns) end_launch(warp, op, lane, code, &what);
  if (warns && !noted) emu_fault(warp, op, lane, GG_E_MEMORY, " for a warning");
  gg_str_free(&what);
  return noted;
}

/* Appends what one split waits for, or where it polls. */
static void put_wait(gg_str *out, const emu_warp *warp, const emu_split *split) {
  const emu_op *op = &split->frame->function->ops[split->pc];
  if (out->length) gg_str_puts(out, "; ");
  put_cta(out, warp->cta);
  gg_str_printf(out, " warp %d", warp->index);
  if (split->lanes != warp->alive) gg_str_printf(out, " lanes 0x%08" PRIx32, split->lanes);
  gg_str_putc(out, ' ');
  if (!split->waits_for || !emu_units_explain(out, warp, split)) {
    gg_str_puts(out, split->waits_for ? split->why : "polls");
  }
  if (op->ptx) gg_str_printf(out, " at line %" PRIu32, op->ptx->place.line);
  if (split->waits_for == warp->state) {
    gg_str_printf(out, " for lanes 0x%08" PRIx32, warp->alive & ~split->lanes);
  }
}

/* What is collected about a deadlock. */
typedef struct waits {
  gg_str list;
  uint32_t count;
  const emu_op *first; /* where the first one stands */
  bool apart;          /* whether lanes of a warp wait for each other in different places */
} waits;

static void put_warp(waits *w, const emu_warp *warp) {
  const struct emu_warp_state *state = warp->state;
  bool apart = state->used != 0;
  for (uint32_t slots = state->used; slots; slots &= slots - 1, w->count++) {
    const emu_split *split = &state->splits[__builtin_ctz(slots)];
    if (!w->first) w->first = &split->frame->function->ops[split->pc];
    if (w->count < reported_waits) put_wait(&w->list, warp, split);
    apart &= split->waits_for == state;
  }
  w->apart |= apart;
}

void emu_cluster_deadlock(emu_run *run, emu_cluster *const *clusters, uint32_t count) {
  waits w = {.list = GG_STR_INIT};
  const struct emu_run_state *state = run->state;
  for (uint32_t c = 0; c < count && clusters[c]; c++) {
    for (unsigned rank = 0; rank < clusters[c]->cta_count; rank++) {
      const emu_cta *cta = &clusters[c]->ctas[rank];
      for (int i = 0; i < cta->warp_count; i++) {
        put_warp(&w, &cta->warps[i]);
      }
    }
  }
  if (w.count > reported_waits) {
    gg_str_printf(&w.list, "; and %" PRIu32 " more", w.count - reported_waits);
  }
  if (state->stuck && state->next_cluster < state->cluster_count) {
    gg_str_printf(&w.list,
                  "; clusters that have not begun: %" PRIu64 ", as %" PRIu32
                  " fit the device at once",
                  state->cluster_count - state->next_cluster, state->resident_most);
  }
  gg_str source = GG_STR_INIT;
  gg_mark mark = w.first ? locate(&source, run, w.first) : (gg_mark){0};
  gg_str_free(&source);
  stop(run, w.apart ? GG_E_EMU_CONVERGENCE : GG_E_EMU_DEADLOCK, &mark,
       w.apart ? "lanes that must meet do not" : "nothing can run any more", gg_str_text(&w.list));
  gg_str_free(&w.list);
}
