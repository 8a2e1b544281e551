/* Kinds of memory: how a warp's addresses become places. They become host addresses when everything
 * about them has been checked (bank.c).
 *
 * A generic access is divided by windows, and each part is resolved in its space. */
#include "emu/memory.h"

#include <inttypes.h>
#include <string.h>

#include "emu/async.h"
#include "emu/isa/lanes.h"
#include "emu/report.h"
#include "emu/state.h"

#define WINDOW_BYTES ((uint64_t)1 << 32)

/* ---- Global ----------------------------------------------------------------------------- */

static bool global_bounds(const emu_bank_access *a, uint32_t lane) {
  uint64_t address = a->address[lane];
  gg_str why = GG_STR_INIT;
  if (emu_space_of(address) != EMU_GLOBAL) {
    gg_str_printf(&why, "that is %s memory",
                  emu_space_of(address) == EMU_LOCAL ? "local" : "shared");
  } else {
    emu_global_explain(&why, a->warp->cta->cluster->run->device, address, a->bytes);
  }
  emu_bank_outside(a, lane, gg_str_text(&why));
  gg_str_free(&why);
  return false;
}

bool emu_find_global(emu_places *out, const emu_bank_access *a) {
  struct emu_warp_state *state = a->warp->state;
  emu_bank *range = state->range;
  bool writes = a->intent & EMU_WRITE;
  uint64_t first = a->address[__builtin_ctz(a->lanes)];
  if (!range || first - range->base >= range->size) {
    range = emu_range_find(a->warp->cta->cluster->run->device, first, a->bytes);
    if (range) state->range = range;
  }
  if (range && !(writes && range->read_only) && emu_bank_holds(out, a, range)) return true;
  EMU_EACH_LANE(a->lanes, lane) {
    uint64_t address = a->address[lane];
    if (!range || address - range->base > range->size ||
        a->bytes > range->size - (address - range->base)) {
      range = emu_range_find(a->warp->cta->cluster->run->device, address, a->bytes);
      if (!range) return global_bounds(a, lane);
      state->range = range;
    }
    if (writes && range->read_only) return global_bounds(a, lane);
    out->of[lane] = (emu_place){range, address - range->base};
  }
  return true;
}

void emu_tally_global(const emu_bank_access *a, const emu_places *places) {
  (void)places;
  emu_count_global(a->warp, a->op, a->lanes, a->address, a->bytes);
}

/* ---- Shared ----------------------------------------------------------------------------- */

static bool shared_bounds(emu_warp *warp, const emu_op *op, int lane, uint64_t address,
                          uint64_t bytes) {
  const emu_cluster *cluster = warp->cta->cluster;
  uint64_t rank = (uint32_t)address >> EMU_SHARED_RANK_SHIFT;
  uint64_t offset = address & ((UINT64_C(1) << EMU_SHARED_RANK_SHIFT) - 1);
  uint64_t size = warp->cta->shared->size, end = EMU_SHARED_RESERVED + size;
  gg_str why = GG_STR_INIT;
  if (rank >= cluster->cta_count) {
    gg_str_printf(&why, "CTA %" PRIu64 " of a cluster of %u", rank, cluster->cta_count);
  } else if (offset < EMU_SHARED_RESERVED) {
    gg_str_printf(&why, "the first %d bytes are the system's", EMU_SHARED_RESERVED);
  } else if (bytes > end || offset > end - bytes) {
    gg_str_printf(&why, "%" PRIu64 " bytes past the end of the CTA's %" PRIu64 " at 0x%x",
                  offset + bytes - end, size, EMU_SHARED_RESERVED);
  } else {
    gg_str_printf(&why, "it is of CTA %" PRIu64 " of the cluster, not of the warp's own", rank);
  }
  emu_fault(warp, op, lane, GG_E_EMU_BOUNDS,
            "%" PRIu64 " bytes at shared address 0x%" PRIx64 ": %s", bytes, address,
            gg_str_text(&why));
  gg_str_free(&why);
  return false;
}

/* If an address is in a 64-bit register, only the 32 bits of the space count (PTX ISA, "ld"):
 * ThunderKittens gives tcgen05.alloc a generic address with .shared::cta. */
bool emu_shared_find(emu_place *out, const emu_warp *warp, emu_space space, uint64_t address,
                     uint64_t bytes) {
  const emu_cluster *cluster = warp->cta->cluster;
  uint64_t rank = (uint32_t)address >> EMU_SHARED_RANK_SHIFT;
  uint64_t offset = address & ((UINT64_C(1) << EMU_SHARED_RANK_SHIFT) - 1);
  if (rank >= cluster->cta_count) return false;
  emu_cta *cta = &cluster->ctas[rank];
  emu_bank *bank = offset < EMU_SHARED_RESERVED ? cta->groups : cta->shared;
  if (!bank || bytes > bank->size) return false;
  offset = (uint32_t)address - bank->base;
  if (offset > bank->size - bytes) return false;
  if (space == EMU_SHARED && cta != warp->cta) return false;
  *out = (emu_place){bank, offset};
  return true;
}

bool emu_shared_place(emu_place *out, emu_warp *warp, const emu_op *op, int lane, emu_space space,
                      uint64_t address, uint64_t bytes, unsigned align) {
  if (space == EMU_GENERIC) {
    if (emu_space_of(address) != EMU_SHARED_CLUSTER) {
      emu_fault(warp, op, lane, GG_E_EMU_BOUNDS, "0x%" PRIx64 " is no address of shared memory",
                address);
      return false;
    }
    address &= WINDOW_BYTES - 1;
    space = EMU_SHARED_CLUSTER;
  }
  if (align && address % align) {
    emu_fault(warp, op, lane, GG_E_EMU_MISALIGNED,
              "shared address 0x%" PRIx64 " is not a multiple of %u", address, align);
    return false;
  }
  return emu_shared_find(out, warp, space, address, bytes) ||
         shared_bounds(warp, op, lane, address, bytes);
}

bool emu_find_shared(emu_places *out, const emu_bank_access *a) {
  uint32_t last = EMU_LANES;
  if (emu_bank_holds(out, a, a->warp->cta->shared)) return true;
  EMU_EACH_LANE(a->lanes, lane) {
    bool again = last < EMU_LANES && a->address[lane] == a->address[last];
    if (again) {
      out->of[lane] = out->of[last];
      continue;
    }
    last = lane;
    if (!emu_shared_find(&out->of[lane], a->warp, a->space, a->address[lane], a->bytes)) {
      return shared_bounds(a->warp, a->op, (int)lane, a->address[lane], a->bytes);
    }
    const emu_cta *cta = out->of[lane].bank->cta;
    if (cta != a->warp->cta && !emu_async_alive(a->warp, a->op, (int)lane, cta)) return false;
  }
  return true;
}

void emu_tally_shared(const emu_bank_access *a, const emu_places *places) {
  uint32_t offsets[EMU_LANES];
  EMU_EACH_LANE(a->lanes, lane) {
    offsets[lane] = (uint32_t)places->of[lane].offset;
  }
  emu_count_shared(a->warp, a->op, a->lanes, offsets, a->bytes);
}

/* ---- Local and parameters --------------------------------------------------------------- */

bool emu_find_local(emu_places *out, const emu_bank_access *a) {
  emu_frame *frame = a->warp->split->frame;
  EMU_EACH_LANE(a->lanes, lane) {
    if (!emu_frame_find(&out->of[lane], frame, (int)lane, a->address[lane], a->bytes)) {
      return emu_bank_outside(a, lane, "that is outside of the function's local variables");
    }
  }
  return true;
}

bool emu_find_param(emu_places *out, const emu_bank_access *a) {
  emu_bank *params = a->warp->cta->cluster->run->state->params;
  EMU_EACH_LANE(a->lanes, lane) {
    uint64_t address = a->address[lane];
    if (a->bytes > params->size || address > params->size - a->bytes || (a->intent & EMU_WRITE)) {
      return emu_bank_outside(a, lane,
                              a->intent & EMU_WRITE ? "parameters are read-only"
                                                    : "that is outside of the parameters");
    }
    out->of[lane] = (emu_place){params, address};
  }
  return true;
}

/* ---- All of them ------------------------------------------------------------------------ */

/* The kind of memory that addresses of a space are in; generic ones are divided first. */
static const emu_bank_kind *const kinds[] = {
    [EMU_GLOBAL] = &emu_bank_global,         [EMU_SHARED] = &emu_bank_shared,
    [EMU_SHARED_CLUSTER] = &emu_bank_shared, [EMU_LOCAL] = &emu_bank_local,
    [EMU_CONST] = &emu_bank_global,          [EMU_PARAM] = &emu_bank_param,
};

emu_space emu_space_of(uint64_t address) {
  if (address - EMU_SHARED_WINDOW < WINDOW_BYTES) return EMU_SHARED_CLUSTER;
  return address - EMU_LOCAL_WINDOW < WINDOW_BYTES ? EMU_LOCAL : EMU_GLOBAL;
}

static bool check_alignment(const emu_bank_access *a) {
  const uint64_t *address = a->address;
  uint64_t low = 0;
  if (a->lanes == UINT32_MAX) {
    for (int lane = 0; lane < EMU_LANES; lane++)
      low |= address[lane];
  } else {
    EMU_EACH_LANE(a->lanes, lane) low |= address[lane];
  }
  if (!(low & (a->bytes - 1))) return true;
  EMU_EACH_LANE(a->lanes, lane) {
    if (!(a->address[lane] & (a->bytes - 1))) continue;
    emu_fault(a->warp, a->op, (int)lane, GG_E_EMU_MISALIGNED,
              "0x%" PRIx64 " is not a multiple of the %u bytes that it %s", a->address[lane],
              a->bytes, emu_bank_verb(a));
    break;
  }
  return false;
}

/* Makes a generic access: the lanes of each space, one space after the other. */
static bool access_generic(const emu_bank_access *a, uint8_t *host[EMU_LANES]) {
  uint32_t part[3] = {0};
  static const emu_space spaces[3] = {EMU_GLOBAL, EMU_SHARED_CLUSTER, EMU_LOCAL};
  uint64_t offsets[EMU_LANES];
  EMU_EACH_LANE(a->lanes, lane) {
    emu_space space = emu_space_of(a->address[lane]);
    part[space == EMU_SHARED_CLUSTER ? 1 : space == EMU_LOCAL ? 2 : 0] |= UINT32_C(1) << lane;
    offsets[lane] = a->address[lane] & (WINDOW_BYTES - 1);
  }
  emu_bank_access one = *a;
  for (int i = 0; i < 3; i++) {
    if (!part[i]) continue;
    one.lanes = part[i];
    one.space = spaces[i];
    one.kind = kinds[one.space];
    one.address = i ? offsets : a->address;
    if (!emu_access_banks(&one, host)) return false;
  }
  return true;
}

bool emu_access(emu_warp *warp, const emu_op *op, emu_space space,
                const uint64_t address[EMU_LANES], uint32_t lanes, unsigned bytes, unsigned intent,
                uint8_t *host[EMU_LANES]) {
  emu_bank_access a = {warp, op, kinds[space], space, address, lanes, bytes, intent};
  if (!check_alignment(&a)) return false;
  return space == EMU_GENERIC ? access_generic(&a, host) : emu_access_banks(&a, host);
}

bool emu_load(emu_warp *warp, const emu_op *op, emu_space space, const uint64_t address[EMU_LANES],
              uint32_t lanes, unsigned bytes, uint8_t data[EMU_LANES][EMU_ACCESS_MAX]) {
  uint8_t *host[EMU_LANES];
  if (!emu_access(warp, op, space, address, lanes, bytes, EMU_READ, host)) return false;
  EMU_EACH_LANE(lanes, lane) {
    memcpy(data[lane], host[lane], bytes);
  }
  return true;
}

bool emu_store(emu_warp *warp, const emu_op *op, emu_space space, const uint64_t address[EMU_LANES],
               uint32_t lanes, unsigned bytes, uint8_t data[EMU_LANES][EMU_ACCESS_MAX]) {
  uint8_t *host[EMU_LANES];
  if (!emu_access(warp, op, space, address, lanes, bytes, EMU_WRITE, host)) return false;
  EMU_EACH_LANE(lanes, lane) {
    memcpy(host[lane], data[lane], bytes);
  }
  return true;
}
