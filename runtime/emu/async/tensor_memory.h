/* Tensor memory: 128 lanes of 512 columns of 32 bits, one for each CTA (PTX ISA, "Tensor Memory").
 *
 * An address is lane << 16 | column. Columns are given out by tcgen05.alloc and come back by
 * tcgen05.dealloc; the tcgen05 instructions alone reach them. What such an instruction touches is a
 * region: some lanes, and some columns in a row. An operation in flight claims its regions, as one
 * of shared memory claims bytes (async.h), with one difference: the products and copies that one
 * warp issues are a pipe, which works in the order of issue, so that they may claim what an older
 * one of their pipe has. So claims are regions in a list and not marks of bytes.
 *
 * Copies and shifts of one pipe between the same two products are in no order, and may not claim
 * what another of them has, but that a cp.4x256b comes after the shifts before it. emu_async.group
 * says of each how many products came before it and which of these it is; it is 0 of products.
 *
 * What lands is remembered for each column and each 16 lanes: who wrote there last, and who read
 * since. Another warp must know of it, by an mbarrier on which a commit has arrived or by a barrier
 * behind tcgen05.wait, before it comes there. A load or store behind another, of the same warp
 * or behind a barrier of another one, is of the class relaxed where tcgen05.wait is missing: warps
 * that reach the same lanes are of one part of the multiprocessor, which takes their words in
 * order, and CUTLASS's attention hands a row's maximum from warp to warp so. Modules that have
 * tcgen05.fence::before_thread_sync or ::after_thread_sync at all are held to it: the first makes
 * known what the warp's loads and stores have done, the second is where the warp takes notice of
 * others. CUTLASS's kernels have neither and rely on the barriers.
 *
 * What a load has read is there behind tcgen05.wait::ld, or where an instruction uses the
 * registers, for which hardware waits: that is of the class relaxed, but in modules without any
 * tcgen05.wait or fence, as kernels of CuTe are, in C++ and in Python. */
#ifndef GG_EMU_TENSOR_MEMORY_H
#define GG_EMU_TENSOR_MEMORY_H

#include "emu/async.h"
#include "emu/unit.h"

enum {
  EMU_TMEM_LANES = 128,
  EMU_TMEM_COLUMNS = 512,
  EMU_TMEM_SLICE = 32, /* columns: the least that is given out; lanes: those that a warp reaches */
  EMU_TMEM_SHIFTED = 8 /* columns that a shift moves */
};

/* Lanes, a bit each, 32 to a word; columns. */
typedef struct emu_tmem_region {
  uint32_t lanes[4];
  int column, columns;
} emu_tmem_region;

/* What an operation in flight will do to a region. */
typedef struct emu_tmem_claim {
  struct emu_tmem_claim *next, *previous; /* of the CTA's */
  struct emu_tmem *memory;                /* NULL: it is not in the list */
  emu_tmem_region region;
  bool write;
  emu_async *async;
  emu_agent issuer; /* of a load or store: the warp, */
  uint64_t issued;  /* and its clock then; 0, 0: the tensor core does it */
} emu_tmem_claim;

/* What a warp does there: three queues, each in an order of its own. */
typedef enum emu_tmem_work {
  EMU_TMEM_LOADS,
  EMU_TMEM_STORES,
  EMU_TMEM_PIPE,
  EMU_TMEM_WORKS
} emu_tmem_work;

/* What moves rows in a warp's pipe, told apart by the order in which the pipe does it. */
typedef enum emu_tmem_move {
  EMU_TMEM_MOVE_COPY,
  EMU_TMEM_MOVE_SHIFT,
  EMU_TMEM_MOVE_FOUR, /* cp.4x256b */
  EMU_TMEM_MOVES
} emu_tmem_move;

/* What a register has to do with loads. */
typedef enum emu_tmem_mark {
  EMU_TMEM_MARK_NONE,
  EMU_TMEM_MARK_FLIGHT, /* one in flight will write it */
  EMU_TMEM_MARK_LOADED, /* it has what was loaded, or a copy, and nothing has waited or used it */
} emu_tmem_mark;

/* The unit's state of a warp. */
typedef struct emu_tmem_user {
  struct {
    emu_agent agent;
    uint64_t issued, done; /* done: as the warp has waited for it */
  } work[EMU_TMEM_WORKS];
  uint64_t products;   /* of the pipe, issued */
  bool known;          /* the agents have been made */
  bool before, after;  /* the module has such fences */
  bool waits;          /* it has any tcgen05.wait or fence */
  const emu_op *early; /* the first to touch a load's register with no wait::ld before it, yet */
  uint8_t *file;       /* whose registers `marks` are of */
  uint8_t *marks;      /* emu_tmem_mark of each register, 4 bytes */
  uint32_t mark_count;
  bool marked; /* there may be any */
} emu_tmem_user;

/* The state of a CTA. */
typedef struct emu_tmem {
  emu_cta *cta;
  uint32_t (*cells)[EMU_TMEM_COLUMNS];
  uint8_t (*written)[EMU_TMEM_COLUMNS];
  struct emu_tmem_past *past; /* [column][16 lanes] */
  emu_tmem_claim *claims;
  struct {
    emu_warp *warp; /* that has allocated it; NULL: it is free */
    const emu_op *op;
    int first, columns;
    uint64_t number; /* of the allocation in the timeline */
  } slices[EMU_TMEM_COLUMNS / EMU_TMEM_SLICE];
  int group; /* of the tcgen05 instructions of the kernel, 1 or 2; 0: none has run */
  bool relinquished;
  /* An allocation of a pair, by its first CTA: what each has asked for, and been given. */
  struct {
    int asked[2], given[2]; /* columns; 1 + the first column; 0: nothing */
  } pair;
} emu_tmem;

emu_tmem_user *emu_tmem_user_of(emu_warp *warp, const emu_op *op); /* NULL after a fault */
/* The CTA's tensor memory, for an instruction of a cta_group; NULL after a fault: memory, or the
 * kernel has used the other group, or the CTA has no pair. */
emu_tmem *emu_tmem_of(emu_warp *warp, const emu_op *op, int group);
/* That of a pair's other CTA; NULL after a fault. */
emu_tmem *emu_tmem_of_peer(emu_warp *warp, const emu_op *op);

/* emu_async.group of a copy or shift that the warp issues now. */
uint64_t emu_tmem_move_group(const emu_tmem_user *user, emu_tmem_move move);

/* Claims a region for an operation that is about to be issued as `work` of the warp. False after a
 * fault: columns that are not allocated, or that an operation in flight uses, or a race. `name` is
 * what messages call it: "D". */
bool emu_tmem_hold(emu_tmem_claim *claim, emu_tmem *memory, const emu_tmem_region *region,
                   bool write, emu_tmem_work work, emu_async *async, const char *name);
/* The operation is over; `done` says whether it has landed. */
void emu_tmem_release(emu_tmem_claim *claim, bool done);
/* Whether all of a region was written; EMU_UNINITIALISED or EMU_UNDEFINED else: false after a
 * fault. */
bool emu_tmem_written(const emu_tmem_claim *claim, gg_status code, const char *name);
/* Whether some lane of a region was written, all its columns. */
bool emu_tmem_written_partly(const emu_tmem_claim *claim);
/* "D: lanes 0 to 127, columns 0 to 63", for the timeline. */
void emu_tmem_put_region(char *out, size_t size, const char *name, const emu_tmem_region *region);
/* EMU_TMEM_SHIFTED columns of a slice of lanes go to the lane before; the last lane stays. */
void emu_tmem_shift_down(emu_tmem *memory, int lane, int column);

/* What the warp has waited for: tcgen05.wait. */
void emu_tmem_wait(emu_warp *warp, emu_tmem_user *user, emu_tmem_work work);
/* tcgen05.fence::before_thread_sync. */
void emu_tmem_tell(emu_warp *warp, const emu_tmem_user *user);

/* The unit's hook: may the instruction touch its registers? (isa/tcgen05_copy.c) */
emu_step emu_tmem_admit(emu_warp *warp, const emu_op *op);

emu_exec emu_tmem_alloc, emu_tmem_dealloc, emu_tmem_relinquish;

#endif
