#include "emu/isa/unit_set.h"

#include <inttypes.h>
#include <string.h>

bool emu_unit_outside(emu_warp *warp, const emu_op *op, const char *name, const emu_cta *cta,
                      uint32_t address) {
  emu_fault(warp, op, -1, GG_E_EMU_BOUNDS,
            "the descriptor of %s reaches shared address 0x%" PRIx32
            "; the CTA has 0x%x to 0x%" PRIx32,
            name, address, EMU_SHARED_RESERVED, EMU_SHARED_RESERVED + (uint32_t)cta->shared->size);
  return false;
}

void emu_unit_set_join(emu_unit_set *set, const emu_unit_set *from) {
  for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++)
    set->bits[i] |= from->bits[i];
}

/* The first unit from `from` on that is a member, or is none; `end` where there is no such. */
static uint32_t next_unit(const emu_unit_set *set, uint32_t from, uint32_t end, bool member) {
  while (from < end) {
    uint64_t word = set->bits[from / 64];
    uint64_t left = (member ? word : ~word) >> from % 64;
    if (left) {
      from += (uint32_t)__builtin_ctzll(left);
      return from < end ? from : end;
    }
    from = (from / 64 + 1) * 64;
  }
  return end;
}

/* Runs begin where the unit before is no member. */
uint32_t emu_unit_count_spans(const emu_unit_set *set) {
  uint32_t count = 0;
  uint64_t before = 0;
  for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++) {
    uint64_t word = set->bits[i], first = word & ~(word << 1 | before);
    if (first) count += (uint32_t)__builtin_popcountll(first);
    before = word >> 63;
  }
  return count;
}

void emu_unit_list_spans(emu_span *out, const emu_unit_set *set, emu_cta *cta) {
  uint32_t end = (uint32_t)cta->shared->size / EMU_UNIT_BYTES;
  for (uint32_t unit = next_unit(set, 0, end, true); unit < end; out++) {
    uint32_t stop = next_unit(set, unit, end, false);
    emu_place place = {cta->shared, unit * EMU_UNIT_BYTES};
    *out = (emu_span){place, (stop - unit) * EMU_UNIT_BYTES};
    unit = next_unit(set, stop, end, true);
  }
}

/* The first `bytes` of a unit. */
static bool unit_written(const uint8_t *marks, size_t bytes) {
  _Static_assert(EMU_MARK_WRITTEN == 1 && EMU_MARK_LANDING == 2, "the lowest two bits");
  uint64_t halves[2];
  memset(halves, EMU_MARK_WRITTEN, sizeof halves);
  memcpy(halves, marks, bytes);
  uint64_t low = halves[0] | halves[0] >> 1, high = halves[1] | halves[1] >> 1;
  return (low & high & UINT64_C(0x0101010101010101)) == UINT64_C(0x0101010101010101);
}

bool emu_unit_refuse(emu_warp *warp, const emu_op *op, uint32_t offset) {
  return emu_tolerated(warp, op, -1, GG_E_EMU_UNDEFINED,
                       "reads shared memory at 0x%" PRIx32 ", which nobody has written",
                       offset + EMU_SHARED_RESERVED);
}

bool emu_unit_set_written(emu_warp *warp, const emu_op *op, const emu_unit_set *set, emu_cta *cta,
                          size_t bytes) {
  if (!warp->cta->cluster->run->checked) return true;
  uint32_t end = (uint32_t)cta->shared->size / EMU_UNIT_BYTES;
  for (uint32_t unit = next_unit(set, 0, end, true); unit < end;
       unit = next_unit(set, unit + 1, end, true)) {
    emu_place place = {cta->shared, unit * EMU_UNIT_BYTES};
    if (!unit_written(emu_place_marks(place), bytes))
      return emu_unit_refuse(warp, op, (uint32_t)place.offset);
  }
  return true;
}

bool emu_unit_written(const emu_cta *cta, uint32_t offset) {
  emu_place place = {cta->shared, offset};
  return unit_written(emu_place_marks(place), EMU_UNIT_BYTES);
}

bool emu_units_written(const emu_span *spans, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t *marks = emu_place_marks(spans[i].place);
    for (uint32_t j = 0; j < spans[i].bytes; j += EMU_UNIT_BYTES) {
      if (!unit_written(marks + j, EMU_UNIT_BYTES)) return false;
    }
  }
  return true;
}
