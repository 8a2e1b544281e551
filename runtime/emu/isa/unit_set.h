/* Which units of 16 bytes of a CTA's shared memory a tensor core reads: what wgmma and tcgen05
 * share. */
#ifndef GG_EMU_ISA_UNIT_SET_H
#define GG_EMU_ISA_UNIT_SET_H

#include "emu/async.h"
#include "emu/isa/descriptor.h"

/* A bit each. */
typedef struct emu_unit_set {
  uint64_t bits[(1 << 18) / EMU_UNIT_BYTES / 64];
} emu_unit_set;

/* EMU_BOUNDS: the descriptor of `name` comes to an address where the CTA has no shared memory.
 * Returns false. */
bool emu_unit_outside(emu_warp *warp, const emu_op *op, const char *name, const emu_cta *cta,
                      uint32_t address);

/* The unit at an address of the CTA's shared memory is a member; false after a fault. */
static inline bool emu_unit_add(emu_unit_set *set, emu_warp *warp, const emu_op *op,
                                const char *name, const emu_cta *cta, uint32_t address) {
  uint32_t offset = address - EMU_SHARED_RESERVED;
  if (address < EMU_SHARED_RESERVED || offset + EMU_UNIT_BYTES > (uint32_t)cta->shared->size) {
    return emu_unit_outside(warp, op, name, cta, address);
  }
  offset /= EMU_UNIT_BYTES;
  set->bits[offset / 64] |= UINT64_C(1) << offset % 64;
  return true;
}

/* Runs of units, as spans; as many as are counted. */
uint32_t emu_unit_count_spans(const emu_unit_set *set);
void emu_unit_list_spans(emu_span *out, const emu_unit_set *set, emu_cta *cta);

/* The members of `from` are members of `set`, too. */
void emu_unit_set_join(emu_unit_set *set, const emu_unit_set *from);

/* Whether the first `bytes` of each member, behind which is padding, have been written, or will be:
 * EMU_UNDEFINED else, which is false where it ends the launch. */
bool emu_unit_set_written(emu_warp *warp, const emu_op *op, const emu_unit_set *set, emu_cta *cta,
                          size_t bytes);

/* Whether all of the spans have been, or the unit at an offset of the CTA's shared memory. */
bool emu_units_written(const emu_span *spans, uint32_t count);
bool emu_unit_written(const emu_cta *cta, uint32_t offset);

/* EMU_UNDEFINED: nobody has written the unit there. False where that ends the launch. */
bool emu_unit_refuse(emu_warp *warp, const emu_op *op, uint32_t offset);

#endif
