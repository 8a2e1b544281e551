/* The timeline, in the trace-event format of Perfetto and chrome://tracing ("Trace Event Format",
 * Google, JSON object form).
 *
 * A process is a CTA of one launch, a thread of it a warp, whose time is cut into slices: it could
 * run, or it waited, each slice once. A slice of running is named by the warp's role, one of
 * waiting by the barrier (trace_names.c); both have the line where they began. Operations of
 * asynchronous units overlap; they are the format's asynchronous events, a category a unit. Those
 * that a warp has issued one behind the other and that land together, as the copies of a group, are
 * one event.
 *
 * Names of tracks are events of their own, written when a track is first seen. One instruction of a
 * cluster is one microsecond of the trace. A launch begins where everything before it has ended.
 * Clusters run on several host threads: one lock guards the text. A trace stops growing at its
 * limit and says how many events it left out. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "emu/trace.h"

/* Tracks behind those of warps: of asynchronous units, each of which is one of its own by its
 * category, and of those that have their own; the last stands for the process. */
static const char *const unit_tracks[] = {"asynchronous", "MMA pipe", "tensor memory"};
enum { unit_track = EMU_WARPS_MAX, unit_track_count = sizeof unit_tracks / sizeof *unit_tracks };
enum { tensor_memory_track = unit_track + 2, tracks = unit_track + unit_track_count + 1 };
enum { text_limit = 256 << 20 };

struct emu_trace {
  pthread_mutex_t lock;
  gg_str path, text;
  uint64_t unit_spans;
  uint64_t begin, end;      /* of the launch; of everything */
  uint64_t first_pid, pids; /* of the launch; of everything */
  uint64_t dropped;
  uint64_t *named; /* hash set of tracks that have a name; 0: free */
  size_t named_count, named_capacity;
};

gg_status emu_trace_open(emu_trace **out, const char *path, gg_error *err) {
  *out = NULL;
  emu_trace *trace = gg_malloc(sizeof *trace);
  if (!trace) return gg_fail(err, MEMORY, NULL, "");
  *trace = (emu_trace){.first_pid = 1, .pids = 1};
  gg_str_puts(&trace->path, path);
  gg_str_puts(&trace->text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  if (trace->path.failed || trace->text.failed || pthread_mutex_init(&trace->lock, NULL)) {
    gg_str_free(&trace->path);
    gg_str_free(&trace->text);
    gg_free(trace);
    return gg_fail(err, MEMORY, NULL, "");
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
  gg_status st = GG_OK;
  gg_str_printf(&trace->text, "\n],\"otherData\":{\"left_out\":%" PRIu64 "}}\n", trace->dropped);
  if (trace->text.failed) {
    st = gg_fail(err, MEMORY, NULL, "");
  } else if (!gg_file_write(gg_str_text(&trace->path), trace->text.text, trace->text.length)) {
    st = gg_fail(err, FILE_WRITE, NULL, gg_str_text(&trace->path), strerror(errno));
  }
  pthread_mutex_destroy(&trace->lock);
  gg_str_free(&trace->path);
  gg_str_free(&trace->text);
  gg_free(trace->named);
  gg_free(trace);
  return st;
}

/* ---- Tracks ----------------------------------------------------------------------------- */

static size_t slot_of(const uint64_t *set, size_t capacity, uint64_t key) {
  size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
  while (set[slot] && set[slot] != key)
    slot = (slot + 1) & (capacity - 1);
  return slot;
}

/* Doubles the set; false when memory is out. */
static bool grow_named(emu_trace *trace) {
  size_t capacity = trace->named_capacity ? 2 * trace->named_capacity : 256;
  uint64_t *set = gg_malloc(capacity * sizeof *set);
  if (!set) return false;
  memset(set, 0, capacity * sizeof *set);
  for (size_t i = 0; i < trace->named_capacity; i++) {
    if (trace->named[i]) set[slot_of(set, capacity, trace->named[i])] = trace->named[i];
  }
  gg_free(trace->named);
  trace->named = set;
  trace->named_capacity = capacity;
  return true;
}

/* Whether the key is new; it is not any longer. */
static bool name_once(emu_trace *trace, uint64_t key) {
  if (2 * (trace->named_count + 1) > trace->named_capacity && !grow_named(trace)) {
    trace->text.failed = true;
    return false;
  }
  size_t slot = slot_of(trace->named, trace->named_capacity, key);
  if (trace->named[slot]) return false;
  trace->named[slot] = key;
  trace->named_count++;
  return true;
}

static void begin_event(emu_trace *trace) {
  bool first = trace->text.text[trace->text.length - 1] == '[';
  gg_str_puts(&trace->text, first ? "\n" : ",\n");
}

static void name_track(emu_trace *trace, const char *what, uint64_t pid, int tid,
                       const char *name) {
  begin_event(trace);
  gg_str_printf(&trace->text,
                "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%d,\"args\":{\"name\":",
                what, pid, tid);
  gg_str_json(&trace->text, name);
  gg_str_puts(&trace->text, "}}");
}

/* Names the CTA's process and the warp's track, each the first time that it is seen. */
static void name_tracks(emu_trace *trace, const emu_warp *warp, int tid, uint64_t pid) {
  gg_str name = GG_STR_INIT;
  if (name_once(trace, pid * tracks + tracks - 1)) {
    emu_name_cta(&name, warp->cta);
    name_track(trace, "process_name", pid, 0, gg_str_text(&name));
  }
  if (name_once(trace, pid * tracks + (uint64_t)tid)) {
    name.length = 0;
    emu_name_warp(&name, warp);
    name_track(trace, "thread_name", pid, tid,
               tid >= unit_track ? unit_tracks[tid - unit_track] : gg_str_text(&name));
  }
  gg_str_free(&name);
}

/* ---- Events ----------------------------------------------------------------------------- */

/* Locks, and names the tracks; 0 where the event is left out, else the CTA's process. */
static uint64_t open_event(emu_trace *trace, const emu_warp *warp, int tid, uint64_t end) {
  const emu_launch_config *config = warp->cta->cluster->run->config;
  const unsigned *id = warp->cta->id, *grid = config->grid;
  pthread_mutex_lock(&trace->lock);
  if (trace->text.failed || trace->text.length > text_limit) {
    trace->dropped++;
    return 0;
  }
  uint64_t pid = trace->first_pid + id[0] + (uint64_t)grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
  name_tracks(trace, warp, tid, pid);
  if (pid >= trace->pids) trace->pids = pid + 1;
  if (trace->begin + end > trace->end) trace->end = trace->begin + end;
  return pid;
}

static void put_argument(emu_trace *trace, const char *name, const char *text) {
  if (!text[0]) return;
  gg_str_printf(&trace->text, ",\"%s\":", name);
  gg_str_json(&trace->text, text);
}

/* `,"args":{"line":215,"source":"gemm.cu:41"}`, what the instruction does not say by itself, and
 * the named part of shared memory that it works on. */
static void put_place(emu_trace *trace, const emu_warp *warp, const emu_op *op, const char *where,
                      uint32_t shared) {
  if (!op->ptx) return;
  gg_str source = GG_STR_INIT, part = GG_STR_INIT;
  emu_name_source(&source, warp, op);
  if (shared != EMU_NOWHERE) emu_name_part(&part, warp, shared);
  gg_str_printf(&trace->text, ",\"args\":{\"line\":%" PRIu32, op->ptx->place.line);
  put_argument(trace, "source", gg_str_text(&source));
  put_argument(trace, "where", where);
  put_argument(trace, "part", gg_str_text(&part));
  gg_str_putc(&trace->text, '}');
  gg_str_free(&source);
  gg_str_free(&part);
}

/* Writes a slice of the warp's track. */
static void put_slice(emu_warp *warp, emu_slice *slice, uint64_t end) {
  emu_trace *trace = warp->cta->cluster->run->config->trace;
  if (slice->op && end > slice->begin) {
    gg_str name = GG_STR_INIT;
    emu_name_slice(&name, warp, slice);
    uint64_t pid = open_event(trace, warp, warp->index, end);
    if (pid) {
      begin_event(trace);
      gg_str_puts(&trace->text, "{\"ph\":\"X\",\"name\":");
      gg_str_json(&trace->text, gg_str_text(&name));
      gg_str_printf(&trace->text,
                    ",\"pid\":%" PRIu64 ",\"tid\":%d,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64, pid,
                    warp->index, trace->begin + slice->begin, end - slice->begin);
      put_place(trace, warp, slice->op, "", EMU_NOWHERE);
      gg_str_putc(&trace->text, '}');
    }
    pthread_mutex_unlock(&trace->lock);
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

/* A wait is written when it is known to be over: an instruction that gives up waiting, to begin
 * again, has not ended it. */
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

/* One end of something that may overlap with others of its track, and is told from them by its
 * number; the event is left open. */
static void put_end(emu_trace *trace, char phase, uint64_t number, const char *category,
                    const char *name, uint64_t pid, int tid, uint64_t time) {
  begin_event(trace);
  gg_str_printf(&trace->text, "{\"ph\":\"%c\",\"id\":%" PRIu64 ",\"cat\":\"%s\",\"name\":", phase,
                number, category);
  gg_str_json(&trace->text, name);
  gg_str_printf(&trace->text, ",\"pid\":%" PRIu64 ",\"tid\":%d,\"ts\":%" PRIu64, pid, tid,
                trace->begin + time);
}

static int track_of(const char *unit) {
  for (int i = 1; i < unit_track_count; i++) {
    if (!strcmp(unit, unit_tracks[i])) return unit_track + i;
  }
  return unit_track;
}

/* Writes what has landed together. */
static void put_landed(emu_warp *warp) {
  emu_landed *l = &warp->state->landed;
  emu_trace *trace = warp->cta->cluster->run->config->trace;
  if (!l->op || l->end <= l->begin) return;
  gg_str name = GG_STR_INIT;
  int tid = track_of(l->unit);
  emu_name_landed(&name, warp, l);
  uint64_t pid = open_event(trace, warp, tid, l->end);
  if (pid) {
    uint64_t number = ++trace->unit_spans;
    put_end(trace, 'b', number, l->unit, gg_str_text(&name), pid, tid, l->begin);
    put_place(trace, warp, l->op, l->words.where, l->shared);
    gg_str_putc(&trace->text, '}');
    put_end(trace, 'e', number, l->unit, gg_str_text(&name), pid, tid, l->end);
    gg_str_putc(&trace->text, '}');
  }
  pthread_mutex_unlock(&trace->lock);
  gg_str_free(&name);
}

/* Where in the CTA's shared memory it writes first, or else reads. */
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

/* One end of an allocation, and how many columns there are with and without it. */
static void put_columns(emu_trace *trace, char phase, uint64_t number, emu_warp *warp,
                        const emu_op *op, int first, int columns, int all) {
  const char *unit = unit_tracks[tensor_memory_track - unit_track];
  char name[48], who[48];
  snprintf(who, sizeof who, "allocated by warp %d", warp->index);
  snprintf(name, sizeof name, "columns %d to %d", first, first + columns - 1);
  uint64_t time = emu_time(warp), pid = open_event(trace, warp, tensor_memory_track, time);
  if (pid) {
    put_end(trace, phase, number ? number : ++trace->unit_spans, unit, name, pid,
            tensor_memory_track, time);
    if (op) put_place(trace, warp, op, who, EMU_NOWHERE);
    gg_str_putc(&trace->text, '}');
    begin_event(trace);
    gg_str_printf(&trace->text,
                  "{\"ph\":\"C\",\"name\":\"columns allocated\",\"pid\":%" PRIu64 ",\"ts\":%" PRIu64
                  ",\"args\":{\"columns\":%d}}",
                  pid, trace->begin + time, all);
  }
}

uint64_t emu_trace_allocated(emu_warp *warp, const emu_op *op, int first, int columns, int all) {
  emu_trace *trace = warp->cta->cluster->run->config->trace;
  if (!trace) return 0;
  put_columns(trace, 'b', 0, warp, op, first, columns, all);
  uint64_t number = trace->unit_spans;
  pthread_mutex_unlock(&trace->lock);
  return number;
}

void emu_trace_freed(emu_warp *warp, uint64_t number, int first, int columns, int all) {
  emu_trace *trace = warp->cta->cluster->run->config->trace;
  if (!trace || !number) return;
  put_columns(trace, 'e', number, warp, NULL, first, columns, all);
  pthread_mutex_unlock(&trace->lock);
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
