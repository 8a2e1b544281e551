/* Modifiers and operands that several asynchronous instructions share. */
#ifndef GG_EMU_ASYNC_MODIFIERS_H
#define GG_EMU_ASYNC_MODIFIERS_H

#include "emu/async.h"
#include "emu/decode.h"
#include "emu/isa/lanes.h"

typedef enum emu_sem {
  EMU_SEM_NONE, /* none written */
  EMU_SEM_RELAXED,
  EMU_SEM_ACQUIRE,
  EMU_SEM_RELEASE,
  EMU_SEM_ACQ_REL,
  EMU_SEM_SC,
} emu_sem;

emu_sem emu_take_sem(emu_decoder *d);
/* Takes .cta, .cluster, .gpu or .sys, which have no effect: every order holds for all scopes. */
void emu_take_scope(emu_decoder *d);

/* An error if a bulk copy has a .cta_group that its device does not have, or a mode of im2col; none
 * of these is emulated. */
gg_status emu_check_bulk_modifiers(emu_decoder *d, gg_error *err);

/* Room for `count` operands in op->operands, which start as sinks. */
gg_status emu_operands_open(emu_op *op, emu_decoder *d, int count, gg_error *err);

/* A lane's value of a source operand, as unsigned; for a predicate 0 or 1. */
uint64_t emu_lane_value(const emu_warp *warp, const emu_operand *operand, int lane);

/* The op's address operand as a place in shared memory; false after a fault. */
bool emu_lane_place(emu_place *out, emu_warp *warp, const emu_op *op, int lane,
                    const emu_address *address, emu_space space, uint64_t bytes, unsigned align);
/* The same for a destination. If the bytes do not lie inside, the fault is EMU_CLUSTER for one in
 * another CTA, and for every one that the copy reaches through the cluster. */
bool emu_lane_destination(emu_place *out, emu_warp *warp, const emu_op *op, int lane,
                          const emu_address *address, emu_space space, uint64_t bytes,
                          unsigned align, bool through_cluster);
/* The op's address for one lane. */
uint64_t emu_lane_address(const emu_warp *warp, const emu_address *address, int lane);

#endif
