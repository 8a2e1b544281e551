/* The text of a timeline. The names of tracks are events of their own, which are written when a
 * track is first used. */
#include "base/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum { text_limit = 256 << 20, tracks = GG_TRACK_PROCESS + 1 };

struct gg_timeline {
  gg_str path, text;
  uint64_t left_out, numbers;
  uint64_t *named; /* hash set of the tracks that have a name; 0: free slot */
  size_t named_count, named_capacity;
};

gg_status gg_timeline_open(gg_timeline **out, const char *path, gg_error *err) {
  *out = NULL;
  gg_timeline *timeline = gg_malloc(sizeof *timeline);
  if (!timeline) return gg_fail(err, MEMORY, NULL, "");
  *timeline = (gg_timeline){.left_out = 0};
  gg_str_puts(&timeline->path, path);
  gg_str_puts(&timeline->text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  if (timeline->path.failed || timeline->text.failed) {
    gg_str_free(&timeline->path);
    gg_str_free(&timeline->text);
    gg_free(timeline);
    return gg_fail(err, MEMORY, NULL, "");
  }
  *out = timeline;
  return GG_OK;
}

gg_status gg_timeline_close(gg_timeline *timeline, gg_error *err) {
  gg_status st = GG_OK;
  gg_str *text = &timeline->text;
  gg_str_printf(text, "\n],\"otherData\":{\"left_out\":%" PRIu64 "}}\n", timeline->left_out);
  if (text->failed) {
    st = gg_fail(err, MEMORY, NULL, "");
  } else if (!gg_file_write(gg_str_text(&timeline->path), text->text, text->length)) {
    st = gg_fail(err, FILE_WRITE, NULL, gg_str_text(&timeline->path), strerror(errno));
  }
  gg_str_free(&timeline->path);
  gg_str_free(text);
  gg_free(timeline->named);
  gg_free(timeline);
  return st;
}

bool gg_timeline_has_room(gg_timeline *timeline) {
  if (!timeline->text.failed && timeline->text.length <= text_limit) return true;
  timeline->left_out++;
  return false;
}

void gg_timeline_leave_out(gg_timeline *timeline, uint64_t events) {
  timeline->left_out += events;
}

uint64_t gg_timeline_left_out(const gg_timeline *timeline) {
  return timeline->left_out;
}

/* ---- Tracks ----------------------------------------------------------------------------- */

static size_t slot_of(const uint64_t *set, size_t capacity, uint64_t key) {
  size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
  while (set[slot] && set[slot] != key)
    slot = (slot + 1) & (capacity - 1);
  return slot;
}

/* Doubles the set. False: memory ran out. */
static bool grow_named(gg_timeline *timeline) {
  size_t capacity = timeline->named_capacity ? 2 * timeline->named_capacity : 256;
  uint64_t *set = gg_calloc(capacity, sizeof *set);
  if (!set) return false;
  for (size_t i = 0; i < timeline->named_capacity; i++) {
    if (timeline->named[i]) set[slot_of(set, capacity, timeline->named[i])] = timeline->named[i];
  }
  gg_free(timeline->named);
  timeline->named = set;
  timeline->named_capacity = capacity;
  return true;
}

bool gg_timeline_is_new(gg_timeline *timeline, gg_track track) {
  uint64_t key = track.process * tracks + (uint64_t)track.thread + 1;
  if (2 * (timeline->named_count + 1) > timeline->named_capacity && !grow_named(timeline)) {
    timeline->text.failed = true;
    return false;
  }
  size_t slot = slot_of(timeline->named, timeline->named_capacity, key);
  if (timeline->named[slot]) return false;
  timeline->named[slot] = key;
  timeline->named_count++;
  return true;
}

static void begin_event(gg_timeline *timeline) {
  bool first = timeline->text.text[timeline->text.length - 1] == '[';
  gg_str_puts(&timeline->text, first ? "\n" : ",\n");
}

void gg_timeline_name(gg_timeline *timeline, gg_track track, const char *name) {
  static const char *const units[] = {"asynchronous", "MMA pipe", "tensor memory"};
  bool process = track.thread == GG_TRACK_PROCESS;
  begin_event(timeline);
  gg_str_printf(&timeline->text,
                "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%d,\"args\":{\"name\":",
                process ? "process_name" : "thread_name", track.process,
                process ? 0 : track.thread);
  gg_str_json(&timeline->text, name ? name : units[track.thread - GG_TRACK_UNITS]);
  gg_str_puts(&timeline->text, "}}");
}

/* ---- Events ----------------------------------------------------------------------------- */

void gg_timeline_put_text(gg_str *arguments, const char *name, const char *text) {
  if (!text[0]) return;
  gg_str_printf(arguments, "%s\"%s\":", arguments->length ? "," : "", name);
  gg_str_json(arguments, text);
}

void gg_timeline_put_number(gg_str *arguments, const char *name, int64_t number) {
  gg_str_printf(arguments, "%s\"%s\":%" PRId64, arguments->length ? "," : "", name, number);
}

/* Appends a time, given in nanoseconds; the format counts microseconds. */
static void put_time(gg_str *text, const char *name, uint64_t time) {
  gg_str_printf(text, ",\"%s\":%" PRIu64, name, time / 1000);
  if (time % 1000) gg_str_printf(text, ".%03d", (int)(time % 1000));
}

static void put_track(gg_str *text, gg_track track) {
  gg_str_printf(text, ",\"pid\":%" PRIu64 ",\"tid\":%d", track.process, track.thread);
}

static void end_event(gg_str *text, const gg_str *arguments) {
  if (arguments && arguments->length) {
    gg_str_puts(text, ",\"args\":{");
    gg_str_add(text, arguments);
    gg_str_putc(text, '}');
  }
  gg_str_putc(text, '}');
}

void gg_timeline_slice(gg_timeline *timeline, gg_track track, const char *name, uint64_t begin,
                       uint64_t end, const gg_str *arguments) {
  gg_str *text = &timeline->text;
  begin_event(timeline);
  gg_str_puts(text, "{\"ph\":\"X\",\"name\":");
  gg_str_json(text, name);
  put_track(text, track);
  put_time(text, "ts", begin);
  put_time(text, "dur", end - begin);
  end_event(text, arguments);
}

void gg_timeline_end_of(gg_timeline *timeline, char phase, uint64_t number, gg_track track,
                        const char *category, const char *name, uint64_t time,
                        const gg_str *arguments) {
  gg_str *text = &timeline->text;
  begin_event(timeline);
  gg_str_printf(text, "{\"ph\":\"%c\",\"id\":%" PRIu64 ",\"cat\":\"%s\",\"name\":", phase, number,
                category);
  gg_str_json(text, name);
  put_track(text, track);
  put_time(text, "ts", time);
  end_event(text, arguments);
}

uint64_t gg_timeline_number(gg_timeline *timeline) {
  return ++timeline->numbers;
}

void gg_timeline_count(gg_timeline *timeline, uint64_t process, const char *name, const char *unit,
                       uint64_t time, int64_t count) {
  gg_str *text = &timeline->text;
  begin_event(timeline);
  gg_str_printf(text, "{\"ph\":\"C\",\"name\":\"%s\",\"pid\":%" PRIu64, name, process);
  put_time(text, "ts", time);
  gg_str_printf(text, ",\"args\":{\"%s\":%" PRId64 "}}", unit, count);
}
