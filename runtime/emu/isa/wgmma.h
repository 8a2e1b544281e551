/* wgmma: what a warp has in flight, and what a decoded instruction knows.
 *
 * Each of a warpgroup's four warps computes its own 16 rows, as an asynchronous operation in the
 * cluster's engine. But the four parts are one wgmma: it starts when the last of the warps issues
 * it, ordered after all that came before in any of them, and a warp that has waited for its part
 * knows that the others' have been done. A part reads shared memory, and writes the accumulators,
 * when it lands; until then other instructions must not touch those registers. Only `mov` may:
 * compilers place copies between registers anywhere and ptxas removes them again, so a `mov` of an
 * accumulator first lands what is in flight. What the four read is listed, claimed and checked
 * once: it belongs to one of the parts in flight, and is handed on until the last of them has
 * landed. */
#ifndef GG_EMU_ISA_WGMMA_H
#define GG_EMU_ISA_WGMMA_H

#include "emu/async.h"
#include "emu/isa/descriptor.h"
#include "emu/isa/sparse.h"
#include "emu/tensor/dot.h"
#include "emu/unit.h"

enum {
  EMU_WGMMA_ROWS = 16,
  EMU_WGMMA_WARPS = 4,
  EMU_WGMMA_A_REGISTERS = 4,
  EMU_WGMMA_GROUPS = 64, /* of those committed, whose ends are remembered */
};

/* Operands of the op: D, A (registers or a descriptor), B's descriptor, then the metadata of a
 * sparse one and the predicate scale-d. */
typedef struct emu_wgmma_facts {
  int n, k;
  emu_type a, b, d;
  int d_count, a_at, b_at, metadata_at, scale_at; /* first operand of each; D's is 0 */
  bool a_in_registers, sparse;
  emu_sparsity sparsity;
  bool a_along_k, b_along_k, negate_a, negate_b;
  bool scale_constant, scale; /* scale-d, if it is a constant */
  bool saturate;
  const emu_dot_model *model; /* for floating-point types */
} emu_wgmma_facts;

/* A warp's part of a wgmma in flight. */
typedef struct emu_wgmma_work {
  emu_async async; /* the first member; its warp is the one that was last to issue it */
  emu_warp *warp;  /* whose part it is */
  struct emu_wgmma_work *next;
  uint64_t number; /* among the warp's, from 0 */
  emu_matrix_view a, b;
  uint32_t a_words[EMU_WGMMA_A_REGISTERS][EMU_LANES]; /* as they were when it was issued */
  uint32_t metadata[EMU_LANES];
  bool accumulate;           /* scale-d */
  uint32_t a_count, b_count; /* spans: of its rows of A, then of B */
  emu_span spans[];
} emu_wgmma_work;

/* B, decoded for the parts of one wgmma that land one right after the other. */
typedef struct emu_wgmma_b {
  bool kept;        /* while they land: nothing else runs that could change shared memory */
  const emu_op *op; /* of which wgmma; NULL: none */
  uint64_t number;
  emu_matrix_view view;
  float *values;      /* blocks of columns, each [k][columns of the block] */
  int16_t *exponents; /* the same */
  size_t room;        /* elements */
} emu_wgmma_b;

/* What the last wgmma to start has multiplied, if something of its B was written. */
typedef struct emu_wgmma_before {
  bool exists;
  emu_matrix_view a;
  uint32_t a_words[EMU_WGMMA_A_REGISTERS][EMU_LANES];
} emu_wgmma_before;

/* A register of the running frame: how many wgmmas in flight accumulate into it, and flags. */
enum {
  EMU_REGISTER_KNOWN = 1 << 15,
  EMU_REGISTER_TOUCHED = 1 << 14,
  EMU_REGISTER_FLIGHTS = 0x3fff
};

/* The unit's state of a warp. */
struct emu_wgmma {
  emu_wgmma_work *first, **end; /* in flight, oldest first */
  emu_wgmma_work *unstarted;    /* of those, the first that neighbours have yet to issue */
  int flights;
  uint64_t issued;    /* wgmmas, ever: number n of each warp of a group belong together */
  uint64_t committed; /* groups */
  uint64_t ends[EMU_WGMMA_GROUPS]; /* `issued` when each was committed */
  bool waits;                      /* whether it waits for its neighbours to issue */
  bool fenced;                     /* whether wgmma.fence has been executed */
  bool touched;                    /* whether some register is EMU_REGISTER_TOUCHED */
  uint8_t *file;                   /* the register file that `marks` belong to */
  uint16_t *marks; /* for each four bytes of the file, of the register that starts there */
  uint32_t mark_count;
  emu_wgmma_b b; /* of the group: its first warp's is used */
  emu_wgmma_before before;
};

/* The warp's state, made when it is first needed; NULL after a fault. */
struct emu_wgmma *emu_wgmma_of(emu_warp *warp, const emu_op *op);
/* NULL if there is none. */
static inline struct emu_wgmma *emu_wgmma_at(const emu_warp *warp) {
  return warp->units[EMU_UNIT_ID_WGMMA];
}

/* Claims an instruction's registers when it is issued, and releases them when it lands. The first
 * is false after a fault. */
bool emu_wgmma_claim(emu_warp *warp, const emu_op *op);
void emu_wgmma_release(emu_warp *warp, const emu_op *op);
/* wgmma.fence: accesses before it are ordered before wgmmas after it. */
void emu_wgmma_order(struct emu_wgmma *wgmma);

/* The first warp of the warp's group: its address stands for the group. */
static inline emu_warp *emu_wgmma_group(emu_warp *warp) {
  return warp - warp->index % EMU_WGMMA_WARPS;
}
/* Whether the warp's neighbours have issued `count` wgmmas, too; else it waits for them. */
bool emu_wgmma_started(emu_warp *warp, uint64_t count);
/* Lands the first `count` wgmmas that the warp has ever issued, which have started; false after a
 * fault. */
bool emu_wgmma_land(emu_warp *warp, uint64_t count);

emu_exec emu_wgmma_issue;

#endif
