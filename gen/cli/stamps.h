/* Turns what a traced kernel has stamped (templates/parts/trace.cu) into a timeline. */
#ifndef GG_CLI_STAMPS_H
#define GG_CLI_STAMPS_H

#include "base/error.h"
#include "cli/names.h"

/* One stamp, laid out as the kernel writes it. Addresses in it are the device's. */
typedef struct cli_stamp {
  uint32_t clock, event;
} cli_stamp;

typedef struct cli_stamped_warp {
  uint64_t timer_begin, clock_begin, timer_end, clock_end;
  uint32_t multiprocessor, shared_memory, end, unused;
} cli_stamped_warp;

typedef struct cli_stamp_memory {
  uint64_t warps, stamps;
  uint32_t warp_count, stamp_count;
} cli_stamp_memory;

/* One launch: its warps, CTA by CTA, and their stamps. Stamp i of warp w is at i * warp_count + w.
 */
typedef struct cli_stamps {
  const gg_plan *plan;
  const gg_layouts *layouts;
  const char *label; /* the launch's name */
  int64_t k;         /* the problem's K */
  bool emulated;     /* its clock counts instructions; each is shown as a microsecond */
  const cli_stamped_warp *warps;
  const cli_stamp *stamps;
  uint32_t warp_count, stamp_count, cta_warps;
  uint32_t ctas; /* how many CTAs are written, of all that there are */
} cli_stamps;

/* What was found while reading the stamps. */
typedef struct cli_stamps_read {
  uint64_t stamps, lost; /* lost: stamps that the memory had no room for */
  uint64_t left_out;     /* events that are missing: the lost ones, and those the file has no room
                          * for */
  double clock_hz;       /* clock rate of the multiprocessors; 0: the emulator's, which has none */
  uint64_t timer_step;   /* step of the device's timer, in nanoseconds */
} cli_stamps_read;

gg_status cli_stamps_write(cli_stamps_read *out, const char *path, const cli_stamps *stamps,
                           gg_error *err);

#endif
