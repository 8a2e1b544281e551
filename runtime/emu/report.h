/* What one sees of a launch: counters and a timeline.
 *
 * Counters are plain sums, which each cluster counts and which are added up at its end. The
 * timeline is in the trace-event format that Perfetto and chrome://tracing open: a process for each
 * CTA, a track for each warp and for each asynchronous unit. Time is counted in instructions of the
 * cluster. */
#ifndef GG_EMU_REPORT_H
#define GG_EMU_REPORT_H

#include "emu/machine.h"
#include "emu/warnings.h"

typedef struct emu_site {
  uint64_t accesses;      /* of warps */
  uint64_t wavefronts;    /* of shared memory */
  uint64_t ideal;         /* wavefronts that the bytes need: all above are bank conflicts */
  uint64_t sectors;       /* of 32 B, of global memory */
  uint64_t ideal_sectors; /* that the bytes need: all above are bytes that nobody asked for */
} emu_site;

enum { EMU_COUNTED_KINDS = 7 }; /* of tcgen05.mma, in the order of emu_umma_kind */

typedef struct emu_counters {
  uint64_t instructions[EMU_KIND_COUNT];        /* of warps */
  uint64_t thread_instructions[EMU_KIND_COUNT]; /* of lanes */
  uint64_t tensor_macs;
  uint64_t umma_macs[EMU_COUNTED_KINDS];    /* of these, those of tcgen05.mma */
  uint64_t umma_count[EMU_COUNTED_KINDS];   /* tcgen05.mma themselves */
  uint64_t tmem_bytes_in, tmem_bytes_out;   /* tensor memory: from registers, to registers */
  uint64_t tmem_bytes_copied;               /* from shared memory; a multicast's count once */
  uint64_t tmem_columns_read;               /* by loads, and by products: A, D, scale factors */
  uint64_t tmem_copies, tmem_scale_copies;  /* tcgen05.cp; of these, to several times 32 lanes */
  uint64_t async_bytes_in, async_bytes_out; /* cp.async and bulk: to shared memory, from it */
  uint64_t tma_bytes_in, tma_bytes_out;     /* tensor copies */
  uint64_t tma_bytes_multicast;           /* of those in, those that a read brought to more CTAs */
  uint64_t barrier_waits, mbarrier_waits; /* that had to wait */
  uint64_t unwritten_reads;               /* lanes' loads of shared memory nobody has written */
  uint64_t ctas;
  emu_site *sites;          /* one for each op of the kernel, by emu_kernel_op's index */
  uint32_t site_count;      /* 0: accesses are not counted */
  const emu_kernel *kernel; /* of the sites */
  emu_warnings warnings;
} emu_counters;

#define EMU_COUNTERS_INIT                                                                          \
  { 0 }

/* Opens counters for a kernel's sites; NULL: only for sums. Several launches of a kernel may share
 * one. */
gg_status emu_counters_open(emu_counters *out, const emu_kernel *kernel, gg_error *err);
void emu_counters_close(emu_counters *counters);
/* Adds `from` to `to`, and moves its warnings there. */
void emu_counters_add(emu_counters *to, emu_counters *from);
/* Counts one instruction of a warp. */
static inline void emu_count(emu_counters *counters, const emu_op *op, uint32_t lanes) {
  counters->instructions[op->kind]++;
  bool all = lanes == UINT32_MAX; /* the usual case; not every processor can count bits */
  counters->thread_instructions[op->kind] += all ? 32 : (uint64_t)__builtin_popcount(lanes);
}

/* Writes counters as text (sites with their PTX and source line, worst first), or as JSON. */
void emu_counters_text(gg_str *out, const emu_counters *counters);
void emu_counters_json(gg_str *out, const emu_counters *counters);

/* The running cluster's counters; never NULL while a launch runs. */
static inline emu_counters *emu_counting(const emu_warp *warp) {
  return warp->cta->cluster->counters;
}

/* Count one access of `bytes` a lane: bank conflicts at shared offsets, with 8- and 16-byte
 * accesses split as the hardware splits them (for ldmatrix and stmatrix: 16 bytes at the rows of
 * those lanes that give one), or sectors of global addresses. Ops of functions that the kernel
 * calls are not counted. */
void emu_count_shared(emu_warp *warp, const emu_op *op, uint32_t lanes,
                      const uint32_t offset[EMU_LANES], unsigned bytes);
void emu_count_global(emu_warp *warp, const emu_op *op, uint32_t lanes,
                      const uint64_t address[EMU_LANES], unsigned bytes);

typedef struct emu_trace emu_trace;

gg_status emu_trace_open(emu_trace **out, const char *path, gg_error *err);
/* Begins another launch, which starts when everything before it has ended. */
void emu_trace_launch(emu_trace *trace);
/* Writes the file, whole or not at all, and frees the trace in either case. */
gg_status emu_trace_close(emu_trace *trace, gg_error *err);
static inline uint64_t emu_time(const emu_warp *warp) {
  return warp->cta->cluster->time;
}

#endif
