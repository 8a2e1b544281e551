/* The timeline, in the trace-event format of Perfetto and chrome://tracing ("Trace Event Format",
 * Google, JSON object form).
 *
 * A process is a CTA of one launch, a thread of it a warp: when it ran, and what it waited for.
 * Spans of asynchronous units overlap; they are the format's asynchronous events, a category a
 * unit. Names are events of their own, written when a track is first seen. One instruction of
 * a cluster is one microsecond of the trace. A launch begins where everything before it has ended.
 * Clusters run on several host threads: one lock guards the text. A trace stops growing at its
 * limit and says how many spans it left out. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "emu/report.h"

/* The track of asynchronous units; beside it each unit is one of its own, by its category. */
enum { unit_track = EMU_WARPS_MAX, tracks = unit_track + 2, text_limit = 256 << 20 };

struct emu_trace {
  pthread_mutex_t lock;
  gg_str path, text;
  gg_str kernel;
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
  gg_str_puts(&trace->text, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
  if (trace->path.failed || trace->text.failed || pthread_mutex_init(&trace->lock, NULL)) {
    gg_str_free(&trace->path);
    gg_str_free(&trace->text);
    gg_free(trace);
    return gg_fail(err, MEMORY, NULL, "");
  }
  *out = trace;
  return GG_OK;
}

void emu_trace_launch(emu_trace *trace, const char *kernel) {
  pthread_mutex_lock(&trace->lock);
  trace->begin = trace->end;
  trace->first_pid = trace->pids;
  trace->kernel.length = 0;
  gg_str_puts(&trace->kernel, kernel);
  pthread_mutex_unlock(&trace->lock);
}

gg_status emu_trace_close(emu_trace *trace, gg_error *err) {
  gg_status st = GG_OK;
  gg_str_printf(&trace->text, "\n], \"otherData\": {\"left_out\": %" PRIu64 "}}\n", trace->dropped);
  if (trace->text.failed) {
    st = gg_fail(err, MEMORY, NULL, "");
  } else if (!gg_file_write(gg_str_text(&trace->path), trace->text.text, trace->text.length)) {
    st = gg_fail(err, FILE_WRITE, NULL, gg_str_text(&trace->path), strerror(errno));
  }
  pthread_mutex_destroy(&trace->lock);
  gg_str_free(&trace->path);
  gg_str_free(&trace->text);
  gg_str_free(&trace->kernel);
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
                "{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %" PRIu64
                ", \"tid\": %d, \"args\": {\"name\": ",
                what, pid, tid);
  gg_str_json(&trace->text, name);
  gg_str_puts(&trace->text, "}}");
}

/* Names the CTA's process and the warp's track, each the first time that it is seen. */
static void name_tracks(emu_trace *trace, const emu_warp *warp, const char *unit, uint64_t pid) {
  const unsigned *id = warp->cta->id;
  int tid = unit ? unit_track : warp->index;
  gg_str name = GG_STR_INIT;
  if (name_once(trace, pid * tracks + tracks - 1)) {
    gg_str_printf(&name, "%s CTA (%u, %u, %u)", gg_str_text(&trace->kernel), id[0], id[1], id[2]);
    name_track(trace, "process_name", pid, 0, gg_str_text(&name));
  }
  if (name_once(trace, pid * tracks + (uint64_t)tid)) {
    name.length = 0;
    gg_str_printf(&name, "warp %d", warp->index);
    name_track(trace, "thread_name", pid, tid, unit ? "asynchronous" : gg_str_text(&name));
  }
  gg_str_free(&name);
}

/* ---- Spans ------------------------------------------------------------------------------ */

/* One end of a span of an asynchronous unit: such spans overlap, and are told apart by number. */
static void unit_event(emu_trace *trace, char phase, const char *unit, const char *name,
                       uint64_t pid, uint64_t time) {
  begin_event(trace);
  gg_str_printf(&trace->text, "{\"ph\": \"%c\", \"id\": %" PRIu64 ", \"cat\": ", phase,
                trace->unit_spans);
  gg_str_json(&trace->text, unit);
  gg_str_puts(&trace->text, ", \"name\": ");
  gg_str_json(&trace->text, name);
  gg_str_printf(&trace->text, ", \"pid\": %" PRIu64 ", \"tid\": %d, \"ts\": %" PRIu64 "}", pid,
                unit_track, trace->begin + time);
}

static void warp_event(emu_trace *trace, int warp, const char *name, uint64_t pid, uint64_t begin,
                       uint64_t end) {
  begin_event(trace);
  gg_str_puts(&trace->text, "{\"ph\": \"X\", \"name\": ");
  gg_str_json(&trace->text, name);
  gg_str_printf(&trace->text,
                ", \"pid\": %" PRIu64 ", \"tid\": %d, \"ts\": %" PRIu64 ", \"dur\": %" PRIu64 "}",
                pid, warp, trace->begin + begin, end - begin);
}

void emu_trace_span(emu_warp *warp, const char *unit, const char *name, uint64_t begin,
                    uint64_t end) {
  const emu_launch_config *config = warp->cta->cluster->run->config;
  emu_trace *trace = config->trace;
  if (!trace || end <= begin) return;
  const unsigned *id = warp->cta->id, *grid = config->grid;
  pthread_mutex_lock(&trace->lock);
  if (trace->text.failed || trace->text.length > text_limit) {
    trace->dropped++;
  } else {
    uint64_t pid =
        trace->first_pid + id[0] + (uint64_t)grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
    name_tracks(trace, warp, unit, pid);
    if (unit) {
      trace->unit_spans++;
      unit_event(trace, 'b', unit, name, pid, begin);
      unit_event(trace, 'e', unit, name, pid, end);
    } else {
      warp_event(trace, warp->index, name, pid, begin, end);
    }
    if (pid >= trace->pids) trace->pids = pid + 1;
    if (trace->begin + end > trace->end) trace->end = trace->begin + end;
  }
  pthread_mutex_unlock(&trace->lock);
}
