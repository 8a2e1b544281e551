/* The timeline, in the trace-event format of Perfetto and chrome://tracing ("Trace Event Format",
 * Google, JSON object form).
 *
 * A process is a CTA of one launch, and each of its threads a warp. A warp's time is cut into
 * slices in which it could run, or waited. A slice of running is named after the warp's role, one
 * of waiting after the barrier (trace_names.c); both have the line where they began. Operations of
 * asynchronous units overlap, so they are the format's asynchronous events, with a category for
 * each unit. Operations that a warp has issued one after the other and that land together, as the
 * copies of a group, are one event.
 *
 * base/timeline.h writes the file. One instruction of a cluster is one microsecond of the trace. A
 * launch begins where everything before it has ended. Clusters run on several host threads, so a
 * lock guards the timeline. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timeline.h"
#include "emu/trace.h"

enum { instruction = 1000 /* ns of the timeline */ };
_Static_assert((int)EMU_WARPS_MAX == (int)GG_TRACK_UNITS, "tracks of warps are below the others");

struct emu_trace {
  pthread_mutex_t lock;
  gg_timeline *timeline;
  uint64_t begin, end;      /* of the launch; of everything; in instructions */
  uint64_t first_pid, pids; /* of the launch; of everything */
};

gg_status emu_trace_open(emu_trace **out, const char *path, gg_error *err) {
  *out = NULL;
  emu_trace *trace = gg_malloc(sizeof *trace);
  if (!trace) return gg_fail(err, MEMORY, NULL, "");
  *trace = (emu_trace){.first_pid = 1, .pids = 1};
  gg_status st = gg_timeline_open(&trace->timeline, path, err);
  if (!st && pthread_mutex_init(&trace->lock, NULL)) {
    st = gg_fail(err, MEMORY, NULL, "");
    gg_timeline_close(trace->timeline, NULL);
  }
  if (st) {
    gg_free(trace);
    return st;
  }
  *out = trace;
  return GG_OK;
}

void emu_trace_launch(emu_trace *trace) {
  pthread_mutex_lock(&trace->lock);
  trace->begin = trace->end;
  trace->first_pid = trace->pids;
  pthread_mutex_unlock(&trace->lock);
}

gg_status emu_trace_close(emu_trace *trace, gg_error *err) {
  gg_status st = gg_timeline_close(trace->timeline, err);
  pthread_mutex_destroy(&trace->lock);
  gg_free(trace);
  return st;
}

/* ---- Events ----------------------------------------------------------------------------- */

/* Names the CTA's process and the warp's track when they are seen for the first time. */
static void name_tracks(gg_timeline *timeline, const emu_warp *warp, gg_track track) {
  gg_str name = GG_STR_INIT;
  const gg_track process = {track.process, GG_TRACK_PROCESS};
  if (gg_timeline_is_new(timeline, process)) {
    emu_name_cta(&name, warp->cta);
    gg_timeline_name(timeline, process, gg_str_text(&name));
  }
  if (gg_timeline_is_new(timeline, track)) {
    name.length = 0;
    emu_name_warp(&name, warp);
    gg_timeline_name(timeline, track, track.thread >= GG_TRACK_UNITS ? NULL : gg_str_text(&name));
  }
  gg_str_free(&name);
}

/* Locks the timeline, and names the tracks; false if there is no room for the event. `thread` is
 * the number of one of the CTA's tracks. */
static bool open_event(gg_track *out, emu_trace *trace, const emu_warp *warp, int thread,
                       uint64_t end) {
  const emu_launch_config *config = warp->cta->cluster->run->config;
  const unsigned *id = warp->cta->id, *grid = config->grid;
  pthread_mutex_lock(&trace->lock);
  if (!gg_timeline_has_room(trace->timeline)) return false;
  uint64_t pid = trace->first_pid + id[0] + (uint64_t)grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
  *out = (gg_track){pid, thread};
  name_tracks(trace->timeline, warp, *out);
  if (pid >= trace->pids) trace->pids = pid + 1;
  if (trace->begin + end > trace->end) trace->end = trace->begin + end;
  return true;
}

/* The timeline's time of a moment of the launch. */
static uint64_t time_of(const emu_trace *trace, uint64_t moment) {
  return (trace->begin + moment) * instruction;
}

/* Appends `"line":215,"source":"gemm.cu:41"`, then what the instruction does not say by itself, and
 * the named part of shared memory that it works on. */
static void put_place(gg_str *arguments, const emu_warp *warp, const emu_op *op, const char *where,
                      uint32_t shared) {
  if (!op->ptx) return;
  gg_str source = GG_STR_INIT, part = GG_STR_INIT;
  emu_name_source(&source, warp, op);
  if (shared != EMU_NOWHERE) emu_name_part(&part, warp, shared);
  gg_timeline_put_number(arguments, "line", op->ptx->place.line);
  gg_timeline_put_text(arguments, "source", gg_str_text(&source));
  gg_timeline_put_text(arguments, "where", where);
  gg_timeline_put_text(arguments, "part", gg_str_text(&part));
  gg_str_free(&source);
  gg_str_free(&part);
}

/* Writes a slice of the warp's track. */
static void put_slice(emu_warp *warp, emu_slice *slice, uint64_t end) {
  emu_trace *trace = warp->cta->cluster->run->config->trace;
  if (slice->op && end > slice->begin) {
    gg_str name = GG_STR_INIT, arguments = GG_STR_INIT;
    gg_track track;
    emu_name_slice(&name, warp, slice);
    if (open_event(&track, trace, warp, warp->index, end)) {
      put_place(&arguments, warp, slice->op, "", EMU_NOWHERE);
      gg_timeline_slice(trace->timeline, track, gg_str_text(&name), time_of(trace, slice->begin),
                        time_of(trace, end), &arguments);
    }
    pthread_mutex_unlock(&trace->lock);
    gg_str_free(&arguments);
    gg_str_free(&name);
  }
  slice->op = NULL;
}

static emu_slice slice_of(const emu_warp *warp, const emu_split *split, bool waits) {
  emu_slice slice = {.op = &split->frame->function->ops[split->pc], .begin = emu_time(warp)};
  if (!waits) return slice;
  slice.waits_for = split->waits_for;
  const emu_mbarrier *barrier = emu_trace_mbarrier(warp, &slice);
  if (barrier) slice.phase = barrier->phase + 1;
  return slice;
}

/* A wait is written only when it is known to be over: an instruction that gives up waiting and then
 * waits again has not ended it. */
void emu_trace_run(emu_warp *warp) {
  struct emu_warp_state *state = warp->state;
  emu_slice *now = &state->slice_now;
  if (!warp->cta->cluster->run->config->trace) return;
  if (now->op && !now->waits_for) return; /* it has been running */
  state->slice_before = *now;
  *now = slice_of(warp, &state->splits[__builtin_ctz(state->ready)], false);
}

void emu_trace_stop(emu_warp *warp) {
  struct emu_warp_state *state = warp->state;
  emu_slice *now = &state->slice_now, *before = &state->slice_before;
  if (!warp->cta->cluster->run->config->trace || state->ready) return;
  const emu_split *at = warp->split; /* what has waited last, if it has not ended */
  if (!(state->used >> (at - state->splits) & 1)) at = NULL;
  if (!at && state->used) at = &state->splits[__builtin_ctz(state->used)];
  emu_slice next = {0};
  if (at) next = slice_of(warp, at, true);
  if (at && before->op == next.op && before->waits_for == next.waits_for && next.phase &&
      before->phase == next.phase) {
    *now = *before;
    before->op = NULL;
    return;
  }
  put_slice(warp, before, now->begin);
  put_slice(warp, now, emu_time(warp));
  *now = next;
}

/* ---- Asynchronous units ----------------------------------------------------------------- */

static int track_of(const char *unit) {
  if (!strcmp(unit, "MMA pipe")) return GG_TRACK_MMA_PIPE;
  return strcmp(unit, "tensor memory") ? GG_TRACK_UNITS : GG_TRACK_TENSOR_MEMORY;
}

/* Writes what has landed together. */
static void put_landed(emu_warp *warp) {
  emu_landed *l = &warp->state->landed;
  emu_trace *trace = warp->cta->cluster->run->config->trace;
  if (!l->op || l->end <= l->begin) return;
  gg_str name = GG_STR_INIT, arguments = GG_STR_INIT;
  gg_track track;
  emu_name_landed(&name, warp, l);
  if (open_event(&track, trace, warp, track_of(l->unit), l->end)) {
    uint64_t number = gg_timeline_number(trace->timeline);
    put_place(&arguments, warp, l->op, l->words.where, l->shared);
    gg_timeline_end_of(trace->timeline, 'b', number, track, l->unit, gg_str_text(&name),
                       time_of(trace, l->begin), &arguments);
    gg_timeline_end_of(trace->timeline, 'e', number, track, l->unit, gg_str_text(&name),
                       time_of(trace, l->end), NULL);
  }
  pthread_mutex_unlock(&trace->lock);
  gg_str_free(&arguments);
  gg_str_free(&name);
}

/* Where in the CTA's shared memory an operation first writes, or else reads. */
static uint32_t shared_of(const emu_async *async) {
  const emu_span *span = async->write_count                        ? async->writes
                         : async->read_count + async->shared_count ? async->reads
                                                                   : NULL;
  return span && span->place.bank->kind == &emu_bank_shared ? (uint32_t)span->place.offset
                                                            : EMU_NOWHERE;
}

void emu_trace_landed(const emu_async *async) {
  emu_warp *warp = async->warp;
  emu_landed *l = &warp->state->landed;
  if (!warp->cta->cluster->run->config->trace || !async->unit || !async->op->ptx) return;
  bool together = l->op && l->end == emu_time(warp) && l->completes == async->completes &&
                  l->op->ptx->form == async->op->ptx->form && !async->describe;
  if (together) {
    l->count++;
    if (async->issued < l->begin) l->begin = async->issued;
    return;
  }
  put_landed(warp);
  *l = (emu_landed){.op = async->op,
                    .unit = async->unit,
                    .completes = async->completes,
                    .begin = async->issued,
                    .end = emu_time(warp),
                    .count = 1,
                    .shared = shared_of(async)};
  if (async->describe) async->describe(&l->words, async);
}

/* ---- Columns of tensor memory ----------------------------------------------------------- */

/* Writes the beginning or the end of an allocation, and how many columns are allocated then.
 * Returns its number: a new one if `number` is 0. */
static uint64_t put_columns(char phase, uint64_t number, emu_warp *warp, const emu_op *op,
                            int first, int columns, int all) {
  emu_trace *trace = warp->cta->cluster->run->config->trace;
  char name[48], who[48];
  snprintf(who, sizeof who, "allocated by warp %d", warp->index);
  snprintf(name, sizeof name, "columns %d to %d", first, first + columns - 1);
  gg_str arguments = GG_STR_INIT;
  gg_track track;
  if (op) put_place(&arguments, warp, op, who, EMU_NOWHERE);
  if (open_event(&track, trace, warp, GG_TRACK_TENSOR_MEMORY, emu_time(warp))) {
    uint64_t time = time_of(trace, emu_time(warp));
    if (!number) number = gg_timeline_number(trace->timeline);
    gg_timeline_end_of(trace->timeline, phase, number, track, "tensor memory", name, time,
                       &arguments);
    gg_timeline_count(trace->timeline, track.process, "columns allocated", "columns", time, all);
  }
  pthread_mutex_unlock(&trace->lock);
  gg_str_free(&arguments);
  return number;
}

uint64_t emu_trace_allocated(emu_warp *warp, const emu_op *op, int first, int columns, int all) {
  if (!warp->cta->cluster->run->config->trace) return 0;
  return put_columns('b', 0, warp, op, first, columns, all);
}

void emu_trace_freed(emu_warp *warp, uint64_t number, int first, int columns, int all) {
  if (!warp->cta->cluster->run->config->trace || !number) return;
  put_columns('e', number, warp, NULL, first, columns, all);
}

void emu_trace_cluster(emu_cluster *cluster) {
  if (!cluster->run->config->trace) return;
  for (unsigned c = 0; c < cluster->cta_count; c++) {
    const emu_cta *cta = &cluster->ctas[c];
    for (int w = 0; w < cta->warp_count; w++) {
      emu_warp *warp = &cta->warps[w];
      if (!warp->state) continue;
      put_landed(warp);
      put_slice(warp, &warp->state->slice_before, warp->state->slice_now.begin);
      put_slice(warp, &warp->state->slice_now, cluster->time);
    }
  }
}
