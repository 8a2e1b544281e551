/* Bulk copies, of plain bytes and of boxes of tensors. */
#ifndef GG_EMU_TRANSFER_H
#define GG_EMU_TRANSFER_H

#include "emu/async/box.h"
#include "emu/async/engine.h"
#include "emu/async/mbarrier.h"
#include "emu/async/reduce.h"
#include "emu/hazard/beside.h"

/* A decoder fills this in, on its stack, and issuing makes operations of it. */
typedef struct emu_transfer {
  emu_warp *warp;
  const emu_op *op;
  int lane;
  bool tensor;
  bool pair;          /* .cta_group::2: the mbarrier may be in either CTA of a pair */
  emu_tensor_map map; /* for tensors, */
  uint64_t map_at;    /* and where it is */
  int32_t at[EMU_TENSOR_RANK];
  bool four; /* four rows, which may be anywhere; the map's box is changed to have as many */
  int32_t rows[EMU_FOUR_ROWS];
  uint64_t address; /* for plain copies: in global memory */
  uint32_t bytes;   /* for plain copies */
  uint16_t skipped; /* bytes of each 16 that .cp_mask leaves out, as bits */
  bool reduces;
  emu_reduction reduction;
  emu_type type;   /* of what is reduced */
  bool flushes;    /* f32 is added with subnormals flushed to 0 */
  emu_order order; /* what it is ordered behind; transfer.c sets it */
} emu_transfer;

/* Bytes in shared memory that the transfer may write; that it may read; and bytes that it counts.
 */
uint64_t emu_transfer_span(const emu_transfer *transfer);
uint64_t emu_transfer_span_read(const emu_transfer *transfer);
uint64_t emu_transfer_bytes(const emu_transfer *transfer);

/* Each is false after a fault.
 *
 * Global memory into shared memory at `to`; completes on the mbarrier at `barrier`. */
bool emu_transfer_in(const emu_transfer *transfer, emu_place to, emu_place barrier);
/* The same into each CTA of the mask, if any, at the same offset, completing on each one's
 * mbarrier. */
bool emu_transfer_multicast(const emu_transfer *transfer, emu_place to, emu_place barrier,
                            uint32_t mask);
/* Shared memory at `from` into that at `to`. */
bool emu_transfer_across(const emu_transfer *transfer, emu_place to, emu_place from,
                         emu_place barrier);
/* Shared memory at `from` into global memory; of the lane's bulk group. */
bool emu_transfer_out(const emu_transfer *transfer, emu_place from);

/* commit_group and wait_group; `reading`: wait for what they read alone. */
bool emu_bulk_commit(emu_warp *warp, const emu_op *op, uint32_t lanes);
bool emu_bulk_wait(emu_warp *warp, const emu_op *op, uint32_t lanes, uint64_t pending,
                   bool reading);

#endif
