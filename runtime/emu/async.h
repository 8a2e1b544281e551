/* Asynchronous work of a cluster, which is issued now and lands later.
 *
 * cp.async, bulk copies, TMA and wgmma are operations in a cluster's engine from the instruction
 * that issues them until they land. What a unit remembers besides is in unit.h. They land as late
 * as the PTX memory model allows: when an instruction waits for just these (wait_group), or when
 * nothing else in the cluster can run; with emu_options.random at a random moment before that.
 * Until then the bytes that they will write are marked LANDING and those that they will read
 * LEAVING, so that touching them too early is a fault. They land in any order, unless PTX specifies
 * one. */
#ifndef GG_EMU_ASYNC_H
#define GG_EMU_ASYNC_H

#include "emu/hazard.h"
#include "emu/memory.h"

typedef struct emu_async emu_async;

/* What the timeline shows of an operation besides its instruction; "": nothing. */
typedef struct emu_async_words {
  char shape[32]; /* "m128n64k16" */
  char where[64]; /* "D: lanes 0 to 127, columns 0 to 63" */
} emu_async_words;

/* Bytes that an operation owns until it lands, in shared memory or another bank that belongs to one
 * cluster. */
typedef struct emu_span {
  emu_place place;
  uint32_t bytes;
} emu_span;

struct emu_async {
  emu_async *next, *previous; /* the engine's list, oldest first */
  emu_warp *warp;             /* that issued it */
  const emu_op *op;           /* for messages */
  uint32_t lanes;             /* that issued it */
  const void *chain; /* operations of one chain land in the order of issue; NULL: in any order */
  uint64_t group;    /* for the issuer's own use */
  emu_proxy proxy;   /* through which it touches memory */
  /* Spans start at multiples of 16 bytes and have such a length, or lie within 16 such bytes. They
   * live until the operation is dropped. */
  const emu_span *writes, *reads;
  uint32_t write_count, read_count;
  uint32_t shared_count; /* how many `reads` behind those a later operation has claimed */
  /* What completes it, and which completion of that it is: see hazard.h. Set before the issue, or
   * by `land`. */
  emu_agent agent;
  uint64_t clock;
  uint64_t since;     /* its warp's accesses from this clock on came after it; 0: none has yet */
  uint64_t issued;    /* the cluster's time then; set by the engine */
  bool held;          /* whether its marks are set; set by the engine */
  bool trusting;      /* what threads wrote without a proxy fence is not a race, but relaxed */
  bool binds;         /* the CTA whose memory it touches must not exit before it lands */
  uint32_t starts[2]; /* for a product: addresses of A and B, as in their descriptors; 0: the
                         operand is not in shared memory */
  const char *unit;   /* the track of the timeline: "TMA"; NULL: none */
  /* Operations with this are separate events, even if several land together. NULL: nothing more is
   * shown. */
  void (*describe)(emu_async_words *out, const emu_async *self);
  uint64_t map; /* the address of a tensor map that a store reads until it lands; 0: none */
  const struct emu_mbarrier *completes; /* on which it completes, for the timeline; NULL: none */
  /* Does the work: moves bytes, completes barriers. The engine clears its marks, and tells
   * hazard.h what it touched. False after a fault. */
  bool (*land)(emu_async *self, emu_cluster *cluster);
  void (*drop)(emu_async *self); /* frees it, landed or not */
};

gg_status emu_engine_open(struct emu_engine **out, emu_cluster *cluster, gg_error *err);
void emu_engine_close(struct emu_engine *engine); /* drops what has not landed; NULL is allowed */

/* Marks the operation's bytes and keeps it until it lands. The engine owns it, whatever is
 * returned. False after a fault: its bytes are in flight already, or there is a race with what came
 * before. */
bool emu_async_issue(emu_cluster *cluster, emu_async *async);
/* Lands one operation now, after the older ones of its chain, and frees it. False after a fault. */
bool emu_async_land(emu_cluster *cluster, emu_async *async);
/* `from`, which is landing, has claimed reads that `heir` shares: from now on `heir` claims them.
 */
void emu_async_pass_reads(emu_async *heir, emu_async *from);
/* The oldest operation, or NULL; go on with ->next. */
emu_async *emu_async_first(const emu_cluster *cluster);

/* Called when an access meets a mark that forbids it, among `bytes` at `place`: LANDING, or, for a
 * write, LEAVING or BARRIER. The fault is EMU_IN_FLIGHT, which names the operation that owns the
 * bytes, or EMU_MBARRIER. False after a fault. */
bool emu_async_touched(emu_warp *warp, const emu_op *op, int lane, emu_place place, uint32_t bytes,
                       bool write);

/* Checks that the CTA whose shared memory a lane accesses has not exited; false after a fault. */
bool emu_async_alive(emu_warp *warp, const emu_op *op, int lane, const emu_cta *cta);

/* The machine calls this when no split can run except those that have given way (emu_yield) since
 * the last landing. Lands one operation: the oldest, or with `random` any. False if there is none,
 * or after a fault. */
bool emu_engine_land_one(emu_cluster *cluster);
/* The machine calls this next. Wakes instructions that may give up waiting, so that they do. False
 * if there are none, or if they have given up again and again while nothing happened: that is a
 * deadlock. */
bool emu_engine_time_out(emu_cluster *cluster);
/* The machine calls this between turns of warps: with `random`, may land something. False after a
 * fault. */
bool emu_engine_tick(emu_cluster *cluster);
/* Called when a CTA's last lane has exited: EMU_EXIT for a bulk store that still reads its memory,
 * EMU_IN_FLIGHT for a load that has still to land in it. False after a fault. */
bool emu_engine_cta_exit(emu_cta *cta);

#endif
