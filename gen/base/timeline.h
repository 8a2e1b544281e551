/* A timeline in the trace-event format of Perfetto and chrome://tracing ("Trace Event Format",
 * Google, JSON object form): who did what, when. The emulator writes what it saw, and `gemmgen
 * trace` what a kernel has stamped, both by this.
 *
 * A process is a CTA of one launch, a thread of it a track: a warp, or what works beside the warps.
 * Times are in nanoseconds of the timeline. Writing fails silently, as a gg_str does, and a
 * timeline stops growing at its limit; gg_timeline_close tells. */
#ifndef GG_BASE_TIMELINE_H
#define GG_BASE_TIMELINE_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

typedef struct gg_timeline gg_timeline;

gg_status gg_timeline_open(gg_timeline **out, const char *path, gg_error *err);
/* Writes the file, and frees the timeline whatever becomes of that. */
gg_status gg_timeline_close(gg_timeline *timeline, gg_error *err);

/* Whether there is room for an event; where there is none, it counts as left out. */
bool gg_timeline_has_room(gg_timeline *timeline);
/* What else was left out, and how many events have been. */
void gg_timeline_leave_out(gg_timeline *timeline, uint64_t events);
uint64_t gg_timeline_left_out(const gg_timeline *timeline);

/* Where an event is. */
typedef struct gg_track {
  uint64_t process;
  int thread;
} gg_track;

/* Tracks of a process beside those of its warps, which are those below GG_TRACK_UNITS: of
 * asynchronous units, each of which is one by its category, and of those that have their own. */
enum { GG_TRACK_UNITS = 32, GG_TRACK_MMA_PIPE, GG_TRACK_TENSOR_MEMORY, GG_TRACK_PROCESS };

/* Whether the track (GG_TRACK_PROCESS: the process) has no name yet; it is to be given one then, by
 * gg_timeline_name. NULL: the name of a unit's track. */
bool gg_timeline_is_new(gg_timeline *timeline, gg_track track);
void gg_timeline_name(gg_timeline *timeline, gg_track track, const char *name);

/* The arguments of an event, one behind the other; an empty text is none. */
void gg_timeline_put_text(gg_str *arguments, const char *name, const char *text);
void gg_timeline_put_number(gg_str *arguments, const char *name, int64_t number);

/* What a track did from `begin` to `end`; slices of a track lie in each other, or beside. */
void gg_timeline_slice(gg_timeline *timeline, gg_track track, const char *name, uint64_t begin,
                       uint64_t end, const gg_str *arguments);

/* One end, 'b' or 'e', of something that may overlap with others of its track and category, and is
 * told from them by its number. `arguments` may be NULL. */
void gg_timeline_end_of(gg_timeline *timeline, char phase, uint64_t number, gg_track track,
                        const char *category, const char *name, uint64_t time,
                        const gg_str *arguments);
/* A number for both ends that no other has. */
uint64_t gg_timeline_number(gg_timeline *timeline);

/* A count of a process's, as it is from now on. */
void gg_timeline_count(gg_timeline *timeline, uint64_t process, const char *name, const char *unit,
                       uint64_t time, int64_t count);

#endif
