/* A timeline in the trace-event format of Perfetto and chrome://tracing ("Trace Event Format",
 * Google, JSON object form): who did what, and when. The emulator writes what it saw with it, and
 * `gemmgen trace` what a kernel has stamped.
 *
 * A process is a CTA of one launch. A thread of a process is a track: a warp, or something that
 * works beside the warps. Times are nanoseconds from the timeline's beginning. Writing reports no
 * errors, like a gg_str, and a timeline stops growing at its limit; gg_timeline_close reports both.
 */
#ifndef GG_BASE_TIMELINE_H
#define GG_BASE_TIMELINE_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

typedef struct gg_timeline gg_timeline;

gg_status gg_timeline_open(gg_timeline **out, const char *path, gg_error *err);
/* Writes the file. Frees the timeline whether that succeeds or not. */
gg_status gg_timeline_close(gg_timeline *timeline, gg_error *err);

/* Whether there is room for another event; if not, that event counts as left out. */
bool gg_timeline_has_room(gg_timeline *timeline);
/* Counts further events as left out; and tells how many have been. */
void gg_timeline_leave_out(gg_timeline *timeline, uint64_t events);
uint64_t gg_timeline_left_out(const gg_timeline *timeline);

/* The process and track of an event. */
typedef struct gg_track {
  uint64_t process;
  int thread;
} gg_track;

/* Tracks below GG_TRACK_UNITS are a process's warps. Asynchronous units share that track, as one
 * for each category; some units have tracks of their own. */
enum { GG_TRACK_UNITS = 32, GG_TRACK_MMA_PIPE, GG_TRACK_TENSOR_MEMORY, GG_TRACK_PROCESS };

/* gg_timeline_is_new: whether the track (GG_TRACK_PROCESS: the process) has no name yet, so that
 * gg_timeline_name has to give it one; NULL there stands for the usual name of a unit's track. */
bool gg_timeline_is_new(gg_timeline *timeline, gg_track track);
void gg_timeline_name(gg_timeline *timeline, gg_track track, const char *name);

/* Add arguments of an event, one after the other. An empty text is not added. */
void gg_timeline_put_text(gg_str *arguments, const char *name, const char *text);
void gg_timeline_put_number(gg_str *arguments, const char *name, int64_t number);

/* Adds what a track did from `begin` to `end`. Slices of one track must be nested or disjoint. */
void gg_timeline_slice(gg_timeline *timeline, gg_track track, const char *name, uint64_t begin,
                       uint64_t end, const gg_str *arguments);

/* Adds one end, phase 'b' or 'e', of something that may overlap with others of its track and
 * category; its number tells it from these. `arguments` may be NULL. */
void gg_timeline_end_of(gg_timeline *timeline, char phase, uint64_t number, gg_track track,
                        const char *category, const char *name, uint64_t time,
                        const gg_str *arguments);
/* A number for both ends that nothing else has. */
uint64_t gg_timeline_number(gg_timeline *timeline);

/* Adds the value that a counter of a process has from now on. */
void gg_timeline_count(gg_timeline *timeline, uint64_t process, const char *name, const char *unit,
                       uint64_t time, int64_t count);

#endif
