/* Tensor memory: 128 lanes of 512 columns of 32 bits, one for each CTA (PTX ISA, "Tensor Memory").
 *
 * An address is lane << 16 | column. tcgen05.alloc allocates columns and tcgen05.dealloc frees
 * them; only tcgen05 instructions reach them. Such an instruction touches a region: some lanes, and
 * some columns in a row. An operation in flight claims its regions, as one of shared memory claims
 * bytes (async.h), with one difference: the products and copies that one warp issues are a pipe,
 * which works in the order of issue, so that they may claim what an older one of their pipe has. So
 * claims are regions in a list, not marks of bytes.
 *
 * Copies and shifts of one pipe between the same two products have no order, and may not claim what
 * another of them has; except that a cp.4x256b comes after the shifts before it. emu_async.group
 * says of each how many products came before it and which kind of move it is; it is 0 for products.
 *
 * For each column and each 16 lanes it is remembered who wrote there last, and who has read since.
 * Another warp may access them only when it knows of that, by an mbarrier on which a commit has
 * arrived, or by a barrier behind tcgen05.wait. If a load or store follows another one, of the same
 * warp or of another behind a barrier, without tcgen05.wait between them, that is a fault of the
 * class relaxed: warps that reach the same lanes belong to one part of the multiprocessor, which
 * takes their words in order, and CUTLASS's attention hands a row's maximum from warp to warp so.
 * Modules that use tcgen05.fence::before_thread_sync or ::after_thread_sync at all must use them
 * everywhere: the first makes known what the warp's loads and stores have done, the second is where
 * the warp takes notice of others. CUTLASS's kernels have neither and rely on the barriers.
 *
 * What a load has read is in its registers behind tcgen05.wait::ld. If an instruction uses the
 * registers before, hardware waits for them. That is a fault of the class relaxed, but none in
 * modules without any tcgen05.wait or fence, as kernels of CuTe are, in C++ and in Python. */
#ifndef GG_EMU_TENSOR_MEMORY_H
#define GG_EMU_TENSOR_MEMORY_H

#include "emu/async.h"
#include "emu/unit.h"

enum {
  EMU_TMEM_LANES = 128,
  EMU_TMEM_COLUMNS = 512,
  EMU_TMEM_SLICE = 32, /* columns that can be allocated at least; lanes that a warp reaches */
  EMU_TMEM_SHIFTED = 8 /* columns that a shift moves */
};

/* Lanes, as bits of four words, and columns. */
typedef struct emu_tmem_region {
  uint32_t lanes[4];
  int column, columns;
} emu_tmem_region;

/* The claim of an operation in flight, which will read or write a region. */
typedef struct emu_tmem_claim {
  struct emu_tmem_claim *next, *previous; /* in the CTA's list */
  struct emu_tmem *memory;                /* NULL: it is not in the list */
  emu_tmem_region region;
  bool write;
  emu_async *async;
  emu_agent issuer; /* of a load or store: the warp, */
  uint64_t issued;  /* and its clock then; 0, 0: the tensor core does it */
} emu_tmem_claim;

/* What a warp does there is in three queues, each of which has its own order. */
typedef enum emu_tmem_work {
  EMU_TMEM_LOADS,
  EMU_TMEM_STORES,
  EMU_TMEM_PIPE,
  EMU_TMEM_WORKS
} emu_tmem_work;

/* Kinds of moves in a warp's pipe, by the order in which the pipe does them. */
typedef enum emu_tmem_move {
  EMU_TMEM_MOVE_COPY,
  EMU_TMEM_MOVE_SHIFT,
  EMU_TMEM_MOVE_FOUR, /* cp.4x256b */
  EMU_TMEM_MOVES
} emu_tmem_move;

/* Whether a load has to do with a register. */
typedef enum emu_tmem_mark {
  EMU_TMEM_MARK_NONE,
  EMU_TMEM_MARK_FLIGHT, /* a load in flight will write it */
  EMU_TMEM_MARK_LOADED, /* it has what was loaded, or a copy, and nothing has waited or used it */
} emu_tmem_mark;

/* The unit's state for a warp. */
typedef struct emu_tmem_user {
  struct {
    emu_agent agent;
    uint64_t issued, done; /* done: the warp has waited for it */
  } work[EMU_TMEM_WORKS];
  uint64_t products;   /* that the pipe has issued */
  bool known;          /* whether the agents have been made */
  bool before, after;  /* whether the module has such fences */
  bool waits;          /* whether it has any tcgen05.wait or fence */
  const emu_op *early; /* the first op so far to use a load's register before any wait::ld */
  uint8_t *file;       /* the register file that `marks` belong to */
  uint8_t *marks;      /* emu_tmem_mark of each register, 4 bytes */
  uint32_t mark_count;
  bool marked; /* whether any register may be marked */
} emu_tmem_user;

/* The state of a CTA. */
typedef struct emu_tmem {
  emu_cta *cta;
  uint32_t (*cells)[EMU_TMEM_COLUMNS];
  uint8_t (*written)[EMU_TMEM_COLUMNS];
  struct emu_tmem_past *past; /* [column][16 lanes] */
  emu_tmem_claim *claims;
  struct {
    emu_warp *warp; /* the one that has allocated it; NULL: it is free */
    const emu_op *op;
    int first, columns;
    uint64_t number; /* of the allocation in the timeline */
  } slices[EMU_TMEM_COLUMNS / EMU_TMEM_SLICE];
  int group; /* of the tcgen05 instructions of the kernel, 1 or 2; 0: none has run */
  bool relinquished;
  /* An allocation by a pair, in its first CTA: what each CTA has asked for, and got. */
  struct {
    int asked[2], given[2]; /* columns; 1 + the first column; 0: nothing */
  } pair;
} emu_tmem;

emu_tmem_user *emu_tmem_user_of(emu_warp *warp, const emu_op *op); /* NULL after a fault */
/* The CTA's tensor memory, for an instruction of a cta_group; NULL after a fault: memory, or the
 * kernel has used the other group, or the CTA has no pair. */
emu_tmem *emu_tmem_of(emu_warp *warp, const emu_op *op, int group);
/* The tensor memory of a pair's other CTA; NULL after a fault. */
emu_tmem *emu_tmem_of_peer(emu_warp *warp, const emu_op *op);

/* The emu_async.group for a copy or shift that the warp issues now. */
uint64_t emu_tmem_move_group(const emu_tmem_user *user, emu_tmem_move move);

/* Claims a region for an operation that is about to be issued as `work` of the warp. Messages call
 * the region `name`: "D". False after a fault: columns are not allocated, an operation in flight
 * uses them, or there is a race. */
bool emu_tmem_hold(emu_tmem_claim *claim, emu_tmem *memory, const emu_tmem_region *region,
                   bool write, emu_tmem_work work, emu_async *async, const char *name);
/* Ends a claim when its operation is over; `done` says whether that has landed. */
void emu_tmem_release(emu_tmem_claim *claim, bool done);
/* Checks that all of a region was written. Else the fault is EMU_UNINITIALISED or EMU_UNDEFINED, as
 * `code` says. False after a fault. */
bool emu_tmem_written(const emu_tmem_claim *claim, gg_status code, const char *name);
/* Whether all columns of some lane of a region were written. */
bool emu_tmem_written_partly(const emu_tmem_claim *claim);
/* "D: lanes 0 to 127, columns 0 to 63", for the timeline. */
void emu_tmem_put_region(char *out, size_t size, const char *name, const emu_tmem_region *region);
/* Moves EMU_TMEM_SHIFTED columns of a slice of lanes to the lane before; the last lane's stay. */
void emu_tmem_shift_down(emu_tmem *memory, int lane, int column);

/* Notes that the warp has waited for its work: tcgen05.wait. */
void emu_tmem_wait(emu_warp *warp, emu_tmem_user *user, emu_tmem_work work);
/* tcgen05.fence::before_thread_sync. */
void emu_tmem_tell(emu_warp *warp, const emu_tmem_user *user);

/* The unit's hook, which decides whether an instruction may touch its registers
 * (isa/tcgen05_copy.c). */
emu_step emu_tmem_admit(emu_warp *warp, const emu_op *op);

emu_exec emu_tmem_alloc, emu_tmem_dealloc, emu_tmem_relinquish;

#endif
