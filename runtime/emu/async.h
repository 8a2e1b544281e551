/* Asynchronous work of a cluster: issued now, landing later.
 *
 * cp.async, bulk copies, TMA and wgmma are operations in a cluster's engine from the instruction
 * that issues them until they land; what a unit remembers beside them is unit.h's. They land as
 * late as the PTX memory model allows: when an instruction waits for them in person (wait_group),
 * or when nothing else in the cluster can run; with emu_options.random at a random moment before
 * that. Until then the bytes that they will write are marked LANDING and those that they will read
 * LEAVING, so that whoever touches them too early is told. The order of landing is unspecified
 * where PTX leaves it so. */
#ifndef GG_EMU_ASYNC_H
#define GG_EMU_ASYNC_H

#include "emu/hazard.h"
#include "emu/memory.h"

typedef struct emu_async emu_async;

/* What the timeline tells of an operation besides its instruction; "": nothing. */
typedef struct emu_async_words {
  char shape[32]; /* "m128n64k16" */
  char where[64]; /* "D: lanes 0 to 127, columns 0 to 63" */
} emu_async_words;

/* Bytes of a bank that an operation owns until it lands: shared memory, or another of one cluster.
 */
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
  uint64_t group;    /* the issuer's bookkeeping */
  emu_proxy proxy;   /* through which it touches memory */
  /* Spans start at multiples of 16 bytes and are as long, or lie inside 16 such bytes. They live
   * until the operation is dropped. */
  const emu_span *writes, *reads;
  uint32_t write_count, read_count;
  uint32_t shared_count; /* of `reads` behind those, which a later operation has claimed */
  /* What completes it, and which of that one's completions: see hazard.h. Set before the issue, or
   * by `land`. */
  emu_agent agent;
  uint64_t clock;
  uint64_t since;     /* its warp's accesses from this clock on came after it; 0: none has yet */
  uint64_t issued;    /* time of the cluster: the engine's */
  bool held;          /* its marks are set: the engine's */
  bool trusting;      /* what threads wrote without a proxy fence is no race to it, but relaxed */
  bool binds;         /* the CTA whose memory it touches must not exit before it lands */
  uint32_t starts[2]; /* of a product: addresses of A and B, as their descriptors say; 0: it is not
                         in shared memory */
  const char *unit;   /* the track of the timeline: "TMA"; NULL: none */
  /* Such operations are an event each, however many land together. NULL: nothing is told. */
  void (*describe)(emu_async_words *out, const emu_async *self);
  uint64_t map; /* the address of a tensor map that a store reads until it lands; 0: of none */
  const struct emu_mbarrier *completes; /* on which it completes, for the timeline; NULL: on none */
  /* Does the work: moves bytes, completes barriers. Its marks are cleared, and what it touched is
   * told to the hazards, by the engine. False after a fault. */
  bool (*land)(emu_async *self, emu_cluster *cluster);
  void (*drop)(emu_async *self); /* frees it, landed or not */
};

gg_status emu_engine_open(struct emu_engine **out, emu_cluster *cluster, gg_error *err);
void emu_engine_close(struct emu_engine *engine); /* drops what has not landed; NULL is allowed */

/* Takes the operation over, whatever is returned: marks its bytes and keeps it until it lands.
 * False after a fault: its bytes are in flight already, or a race with what came before. */
bool emu_async_issue(emu_cluster *cluster, emu_async *async);
/* Lands one operation now, after those of its chain that are older; it is freed. False after a
 * fault. */
bool emu_async_land(emu_cluster *cluster, emu_async *async);
/* `from`, which is landing, has claimed what `heir` shares: that claims it from now on. */
void emu_async_pass_reads(emu_async *heir, emu_async *from);
/* The oldest operation, or NULL; go on with ->next. */
emu_async *emu_async_first(const emu_cluster *cluster);

/* An access met a mark that forbids it, among `bytes` at `place`: LANDING, or for a write LEAVING
 * or BARRIER: EMU_IN_FLIGHT, naming the operation that owns the bytes, or EMU_MBARRIER. False after
 * a fault. */
bool emu_async_touched(emu_warp *warp, const emu_op *op, int lane, emu_place place, uint32_t bytes,
                       bool write);

/* Whether the CTA, whose shared memory a lane comes to, has not exited; false after a fault. */
bool emu_async_alive(emu_warp *warp, const emu_op *op, int lane, const emu_cta *cta);

/* The machine asks when no split can run but those that have given way (emu_yield) since the last
 * landing: lands one operation (the oldest; with `random`, any); false when there was none, or
 * after a fault. */
bool emu_engine_land_one(emu_cluster *cluster);
/* The machine asks next: lets instructions that may give up waiting do so, by waking them. False
 * when there is none, or they have done so again and again with nothing happening in between: that
 * is a deadlock. */
bool emu_engine_time_out(emu_cluster *cluster);
/* The machine calls this between turns of warps: with `random`, may land something. False after a
 * fault. */
bool emu_engine_tick(emu_cluster *cluster);
/* A CTA's last lane has exited: EMU_EXIT for a bulk store that still reads its memory,
 * EMU_IN_FLIGHT for a load that is still to land in it. False after a fault. */
bool emu_engine_cta_exit(emu_cta *cta);

#endif
