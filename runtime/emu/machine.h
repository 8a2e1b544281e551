/* The machine: clusters, CTAs, warps and lanes, and how instructions reach them.
 *
 * Clusters are scheduled as a whole: one host thread at a time runs a cluster. Within it warps take
 * turns. A warp's lanes may be at different instructions; those at the same one are a split. The
 * machine runs one split at a time and merges splits that meet. A split that must wait names the
 * object that it waits for, and costs nothing until that object is woken. When no split of a
 * cluster can run, asynchronous work lands (async.h). If there is none, the cluster is put aside
 * for others of the grid, and if none of those can run either, that is a deadlock. */
#ifndef GG_EMU_MACHINE_H
#define GG_EMU_MACHINE_H

#include "emu/decode.h"
#include "emu/emu.h"

enum { EMU_LANES = 32, EMU_WARPS_MAX = 32, EMU_CLUSTER_MAX = 16, EMU_NAMED_BARRIERS = 16 };

typedef struct emu_cta emu_cta;
typedef struct emu_cluster emu_cluster;
typedef struct emu_run emu_run;     /* one launch */
struct emu_hazards;                 /* hazard.h */
struct emu_engine;                  /* async.h: a cluster's asynchronous work */
struct emu_counters;                /* report.h */
typedef struct emu_frame emu_frame; /* a function's registers and locals: frame.h */

/* Groups of instructions that keep something from one execution to the next: unit.h. */
typedef enum emu_unit_id {
#define EMU_UNIT(id, hooks) EMU_UNIT_ID_##id,
#include "emu/units.def"
#undef EMU_UNIT
  EMU_UNIT_COUNT
} emu_unit_id;

/* Lanes that are at the same op of the same frame. */
typedef struct emu_split {
  uint32_t lanes;
  uint32_t pc; /* index of the next op of the frame's function */
  emu_frame *frame;
  const void *waits_for; /* NULL: it can run */
  const char *why;       /* "bar.sync 0": for messages about deadlocks */
} emu_split;

struct emu_warp {
  emu_cta *cta;
  int index;                    /* in its CTA */
  uint32_t alive;               /* lanes that exist and have not exited */
  uint8_t *registers;           /* the register file of the running frame */
  emu_split *split;             /* the running one */
  uint32_t asked;               /* units that are asked before each instruction, as bits */
  void *units[EMU_UNIT_COUNT];  /* states of units: NULL until used */
  struct emu_warp_state *state; /* only for the machine: all splits, frames, counters */
};

struct emu_cta {
  emu_cluster *cluster;
  unsigned id[3]; /* %ctaid */
  unsigned rank;  /* in the cluster: %cluster_ctarank */
  struct emu_bank *shared;
  struct emu_bank *groups; /* the cooperative groups' part of the system's bytes; NULL: memory.h */
  struct emu_bank *banks;  /* all banks of the CTA, including its shared memory: bank.h */
  emu_warp *warps;
  int warp_count;
  void *units[EMU_UNIT_COUNT]; /* as a warp's */
  struct emu_cta_state *state; /* only for the machine */
};

struct emu_cluster {
  emu_run *run;
  emu_cta *ctas;
  unsigned cta_count;
  struct emu_engine *engine;
  struct emu_hazards *hazards;
  struct emu_counters *counters; /* never NULL; without sites if nobody asked for counters */
  uint64_t time;                 /* instructions that its warps have run */
  uint64_t random; /* state of emu_random: seeded by the launch's seed and the cluster's number */
  void *units[EMU_UNIT_COUNT];     /* as a warp's */
  struct emu_cluster_state *state; /* only for the machine: the queue of warps */
  bool faulted;
};

/* The launch. It does not change while it runs, except for what has a lock inside. */
struct emu_run {
  emu_device *device;
  const emu_kernel *kernel;
  const emu_launch_config *config;
  const emu_options *options;
  bool checked;        /* whether some class of faults is not off */
  bool fences;         /* whether the module has a fence: see hazard.h */
  bool clustered;      /* whether the launch has the cluster attribute, or the kernel wants one */
  unsigned cluster[3]; /* CTAs of a cluster: 1x1x1 in a plain launch */
  struct emu_beside *beside; /* hazard/beside.h; NULL: no launch is beside this one */
  struct emu_run_state *state;
};

/* Where an operand's values are. `type` is the type of a lane's value; uint32_t for a predicate. */
#define EMU_AT(type, warp, operand) ((type *)(void *)((warp)->registers + (operand)->offset))

/* The lanes for which a predicate source holds, after negation. */
uint32_t emu_predicate(const emu_warp *warp, const emu_operand *operand);
/* Sets the predicate, only for `lanes`. The operand may be a sink. */
void emu_set_predicate(emu_warp *warp, const emu_operand *operand, uint32_t lanes, uint32_t value);

/* The effective address of each lane. */
void emu_addresses(uint64_t out[EMU_LANES], const emu_warp *warp, const emu_address *address);

/* ---- Waiting --------------------------------------------------------------------------- */

/* Makes the running split wait until emu_wake for the same `object`, which may be any address;
 * returns EMU_WAIT. `why` must outlive the launch (a literal, or the instruction's text). */
emu_step emu_block(emu_warp *warp, const void *object, const char *why);
/* Lets every split of the cluster that waits for `object` run its instruction again. */
void emu_wake(emu_cluster *cluster, const void *object);
/* Makes the running split give way to others after this instruction. For instructions of polling
 * loops: test_wait, nanosleep, a failed atomic. */
void emu_yield(emu_warp *warp);

/* For an instruction that `members` must execute together. True when they all are at it: their
 * splits are merged then, and *lanes are all of them. False when the split has been made to wait:
 * return EMU_WAIT then. Lanes that have exited do not count. */
bool emu_converge(emu_warp *warp, const emu_op *op, uint32_t members, uint32_t *lanes);

/* ---- Faults ---------------------------------------------------------------------------- */

/* Ends the launch with an error that says what happened and where: PTX line, CTA, warp, lane (-1:
 * all), and the source line if the PTX has .loc. The first fault of a launch is the one that is
 * told. `code` is a fault that has no class (faults.def), or MEMORY. */
emu_step emu_fault(emu_warp *warp, const emu_op *op, int lane, gg_status code, const char *format,
                   ...) GG_PRINTF(5, 6);
/* The same for a fault that has a class. True: the kernel goes on, and a warning is noted if the
 * class's severity says so. False: the launch ends. */
bool emu_tolerated(emu_warp *warp, const emu_op *op, int lane, gg_status code, const char *format,
                   ...) GG_PRINTF(5, 6);

/* The next number of the cluster's own random sequence. */
uint64_t emu_random(emu_cluster *cluster);

#endif
