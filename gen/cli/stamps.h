/* What a traced kernel has stamped (templates/parts/trace.cu), as a timeline. */
#ifndef GG_CLI_STAMPS_H
#define GG_CLI_STAMPS_H

#include "base/error.h"
#include "cli/names.h"

/* As the kernel's text has them; addresses are the device's. */
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

/* A launch: its warps, CTA by CTA, and their stamps, stamp i of warp w at i * warp_count + w. */
typedef struct cli_stamps {
  const gg_plan *plan;
  const gg_layouts *layouts;
  const char *label; /* of the launch */
  int64_t k;         /* of the problem */
  bool emulated;     /* its clock counts instructions, each a microsecond of the timeline */
  const cli_stamped_warp *warps;
  const cli_stamp *stamps;
  uint32_t warp_count, stamp_count, cta_warps;
  uint32_t ctas; /* that are written, of all */
} cli_stamps;

/* What was read of them. */
typedef struct cli_stamps_read {
  uint64_t stamps, lost; /* lost: for which there was no room in memory */
  uint64_t left_out;     /* events: lost ones, and those that the file has no room for */
  double clock_hz;       /* of multiprocessors; 0: of the emulator, which has none */
  uint64_t timer_step;   /* ns, of the device's timer */
} cli_stamps_read;

gg_status cli_stamps_write(cli_stamps_read *out, const char *path, const cli_stamps *stamps,
                           gg_error *err);

#endif
