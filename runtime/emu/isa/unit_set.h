/* Which units of 16 bytes of a CTA's shared memory a tensor core reads, for wgmma and tcgen05. */
#ifndef GG_EMU_ISA_UNIT_SET_H
#define GG_EMU_ISA_UNIT_SET_H

#include "emu/async.h"
#include "emu/isa/descriptor.h"

/* The set has a bit for each unit. */
typedef struct emu_unit_set {
  uint64_t bits[(1 << 18) / EMU_UNIT_BYTES / 64];
} emu_unit_set;

/* Makes the fault EMU_BOUNDS: the descriptor of `name` leads to an address where the CTA has no
 * shared memory. Returns false. */
bool emu_unit_outside(emu_warp *warp, const emu_op *op, const char *name, const emu_cta *cta,
                      uint32_t address);

/* Adds the unit at an address of the CTA's shared memory; false after a fault. */
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

/* Count and list the runs of units, as spans. */
uint32_t emu_unit_count_spans(const emu_unit_set *set);
void emu_unit_list_spans(emu_span *out, const emu_unit_set *set, emu_cta *cta);

/* Adds the members of `from` to `set`. */
void emu_unit_set_join(emu_unit_set *set, const emu_unit_set *from);

/* Checks that the first `bytes` of each member, behind which is padding, have been written, or will
 * be. Else the fault is EMU_UNDEFINED; false if that ends the launch. */
bool emu_unit_set_written(emu_warp *warp, const emu_op *op, const emu_unit_set *set, emu_cta *cta,
                          size_t bytes);

/* Whether all of the spans, or the unit at an offset of the CTA's shared memory, are written. */
bool emu_units_written(const emu_span *spans, uint32_t count);
bool emu_unit_written(const emu_cta *cta, uint32_t offset);

/* Makes the fault EMU_UNDEFINED: nobody has written the unit there. False if the launch ends. */
bool emu_unit_refuse(emu_warp *warp, const emu_op *op, uint32_t offset);

#endif
