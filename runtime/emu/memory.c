/* Accesses: a warp's addresses become host addresses, once everything about them is checked.
 *
 * A generic access is parted by window, and each part resolved in its space. Checks come in the
 * order alignment, bounds, what asynchronous operations own, initialisation, races, so that the
 * message names the cause that lies deepest. Where checks are off, alignment and bounds remain. */
#include <inttypes.h>
#include <string.h>

#include "emu/async.h"
#include "emu/hazard.h"
#include "emu/isa/lanes.h"
#include "emu/marks.h"
#include "emu/report.h"
#include "emu/state.h"

#define WINDOW_BYTES ((uint64_t)1 << 32)

/* One access in one space. */
typedef struct access {
  emu_warp *warp;
  const emu_op *op;
  emu_space space;
  const uint64_t *address;
  uint32_t lanes;
  unsigned bytes, intent;
  uint8_t **host;
} access;

static bool checked(const access *a) {
  return a->warp->cta->cluster->run->checked;
}

static const char *verb(const access *a) {
  return !(a->intent & EMU_WRITE) ? "reads" : a->intent & EMU_READ ? "updates" : "writes";
}

static bool check_alignment(const access *a) {
  uint64_t low = 0;
  EMU_EACH_LANE(a->lanes, lane) {
    low |= a->address[lane];
  }
  if (!(low & (a->bytes - 1))) return true;
  EMU_EACH_LANE(a->lanes, lane) {
    if (!(a->address[lane] & (a->bytes - 1))) continue;
    emu_fault(a->warp, a->op, (int)lane, GG_E_EMU_MISALIGNED,
              "0x%" PRIx64 " is not a multiple of the %u bytes that it %s", a->address[lane],
              a->bytes, verb(a));
    break;
  }
  return false;
}

static bool out_of_bounds(const access *a, uint32_t lane, const char *why) {
  emu_fault(a->warp, a->op, (int)lane, GG_E_EMU_BOUNDS, "%s %u bytes at 0x%" PRIx64 ": %s", verb(a),
            a->bytes, a->address[lane], why);
  return false;
}

/* A lane reads what nobody has written; whether the kernel goes on. */
static bool uninitialised(const access *a, uint32_t lane, const uint8_t *marks, const char *where) {
  unsigned first = 0;
  while (marks[first] & EMU_MARK_WRITTEN) {
    first++;
  }
  gg_status code = a->intent & EMU_COMPUTE ? GG_E_EMU_UNDEFINED : GG_E_EMU_UNINITIALISED;
  return emu_tolerated(a->warp, a->op, (int)lane, code,
                       "%s %u bytes at 0x%" PRIx64
                       " of %s memory; nobody has written byte %u of them",
                       verb(a), a->bytes, a->address[lane], where, first);
}

/* ---- Global ----------------------------------------------------------------------------- */

static bool global_bounds(const access *a, uint32_t lane) {
  uint64_t address = a->address[lane];
  gg_str why = GG_STR_INIT;
  if (emu_space_of(address) != EMU_GLOBAL) {
    gg_str_printf(&why, "that is %s memory",
                  emu_space_of(address) == EMU_LOCAL ? "local" : "shared");
  } else {
    emu_global_explain(&why, a->warp->cta->cluster->run->device, address, a->bytes);
  }
  out_of_bounds(a, lane, gg_str_text(&why));
  gg_str_free(&why);
  return false;
}

static bool access_global(const access *a) {
  struct emu_warp_state *state = a->warp->state;
  const emu_device *device = a->warp->cta->cluster->run->device;
  const emu_range *range = state->range;
  bool check = (a->intent & EMU_READ) && checked(a);
  EMU_EACH_LANE(a->lanes, lane) {
    uint64_t address = a->address[lane];
    if (!range || address - range->base > range->size ||
        a->bytes > range->size - (address - range->base)) {
      range = emu_range_find(device, address, a->bytes);
      if (!range) return global_bounds(a, lane);
      state->range = range;
    }
    if ((a->intent & EMU_WRITE) && range->read_only) return global_bounds(a, lane);
    uint64_t offset = address - range->base;
    a->host[lane] = range->bytes + offset;
    if (range->complete) continue;
    uint8_t *marks = range->marks + offset;
    if (check && !(emu_marks_read(marks, a->bytes).all & EMU_MARK_WRITTEN) &&
        !uninitialised(a, lane, marks, "global")) {
      return false;
    }
    if (a->intent & EMU_WRITE) emu_marks_change(marks, a->bytes, UINT8_MAX, EMU_MARK_WRITTEN);
  }
  if ((a->intent & EMU_STRONG) && checked(a)) {
    EMU_EACH_LANE(a->lanes, lane) {
      emu_hazard_flag(a->warp, a->address[lane]);
    }
  }
  emu_count_global(a->warp, a->op, a->lanes, a->address, a->bytes);
  return true;
}

/* ---- Shared ----------------------------------------------------------------------------- */

static bool shared_bounds(emu_warp *warp, const emu_op *op, int lane, uint64_t address,
                          uint64_t bytes) {
  const emu_cluster *cluster = warp->cta->cluster;
  uint64_t rank = address >> EMU_SHARED_RANK_SHIFT;
  uint64_t offset = address & ((UINT64_C(1) << EMU_SHARED_RANK_SHIFT) - 1);
  uint64_t end = EMU_SHARED_RESERVED + (uint64_t)warp->cta->shared->size;
  gg_str why = GG_STR_INIT;
  if (rank >= cluster->cta_count) {
    gg_str_printf(&why, "CTA %" PRIu64 " of a cluster of %u", rank, cluster->cta_count);
  } else if (offset < EMU_SHARED_RESERVED) {
    gg_str_printf(&why, "the first %d bytes are the system's", EMU_SHARED_RESERVED);
  } else if (bytes > end || offset > end - bytes) {
    gg_str_printf(&why, "%" PRIu64 " bytes past the end of the CTA's %" PRIu32 " at 0x%x",
                  offset + bytes - end, warp->cta->shared->size, EMU_SHARED_RESERVED);
  } else {
    gg_str_printf(&why, "it is of CTA %" PRIu64 " of the cluster, not of the warp's own", rank);
  }
  emu_fault(warp, op, lane, GG_E_EMU_BOUNDS,
            "%" PRIu64 " bytes at shared address 0x%" PRIx64 ": %s", bytes, address,
            gg_str_text(&why));
  gg_str_free(&why);
  return false;
}

bool emu_shared_find(emu_place *out, const emu_warp *warp, emu_space space, uint64_t address,
                     uint64_t bytes) {
  const emu_cluster *cluster = warp->cta->cluster;
  uint64_t rank = address >> EMU_SHARED_RANK_SHIFT;
  uint64_t offset = address & ((UINT64_C(1) << EMU_SHARED_RANK_SHIFT) - 1);
  if (rank >= cluster->cta_count) return false;
  emu_cta *cta = &cluster->ctas[rank];
  offset -= EMU_SHARED_RESERVED;
  if (bytes > cta->shared->size || offset > cta->shared->size - bytes) return false;
  if (space == EMU_SHARED && cta != warp->cta) return false;
  *out = (emu_place){.cta = cta, .offset = (uint32_t)offset};
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

/* Checks the marks of one lane's bytes, and sets them for what is written. Kernels do read what
 * nobody has written and then throw it away, in tiles beyond the matrix's edge: a load gives NaN or
 * -1 for it and is counted, and whoever uses it gets a wrong result. False after a fault. */
static bool check_marks(const access *a, uint32_t lane, emu_place place) {
  uint8_t *marks = place.cta->shared->marks + place.offset;
  emu_marks found = emu_marks_read(marks, a->bytes);
  uint8_t refused = a->intent & EMU_WRITE ? EMU_MARK_LANDING | EMU_MARK_LEAVING | EMU_MARK_BARRIER
                                          : EMU_MARK_LANDING;
  if (found.any & refused &&
      !emu_async_touched(a->warp, a->op, (int)lane, place, a->bytes, a->intent & EMU_WRITE)) {
    return false;
  }
  if ((a->intent & EMU_READ) && !(found.all & EMU_MARK_WRITTEN)) {
    if (!(a->intent & EMU_WRITE)) {
      emu_counting(a->warp)->unwritten_reads++;
    } else if (!uninitialised(a, lane, marks, "shared")) {
      return false;
    }
  }
  if ((a->intent & EMU_WRITE) && !(found.all & EMU_MARK_WRITTEN)) {
    emu_marks_change(marks, a->bytes, 0, EMU_MARK_WRITTEN);
  }
  return true;
}

static bool access_shared(const access *a) {
  emu_place places[EMU_LANES];
  uint32_t offsets[EMU_LANES], last = EMU_LANES;
  bool check = checked(a);
  EMU_EACH_LANE(a->lanes, lane) {
    emu_place *place = &places[lane];
    bool again = last < EMU_LANES && a->address[lane] == a->address[last];
    if (again) {
      *place = places[last];
      offsets[lane] = offsets[last];
      a->host[lane] = a->host[last];
      continue;
    }
    last = lane;
    if (!emu_shared_find(place, a->warp, a->space, a->address[lane], a->bytes)) {
      return shared_bounds(a->warp, a->op, (int)lane, a->address[lane], a->bytes);
    }
    if (place->cta != a->warp->cta && !emu_async_alive(a->warp, a->op, (int)lane, place->cta)) {
      return false;
    }
    offsets[lane] = place->offset;
    a->host[lane] = place->cta->shared->bytes + place->offset;
    if (check && !check_marks(a, lane, *place)) return false;
  }
  emu_count_shared(a->warp, a->op, a->lanes, offsets, a->bytes);
  return !check || emu_hazard_access(a->warp, a->op, a->lanes, places, a->bytes,
                                     a->intent & EMU_WRITE, a->intent & EMU_STRONG);
}

/* ---- Local and parameters --------------------------------------------------------------- */

static bool access_local(const access *a) {
  const emu_frame *frame = a->warp->split->frame;
  EMU_EACH_LANE(a->lanes, lane) {
    a->host[lane] = emu_frame_local(frame, (int)lane, a->address[lane], a->bytes);
    if (!a->host[lane]) {
      return out_of_bounds(a, lane, "that is outside of the function's local variables");
    }
  }
  return true;
}

static bool access_params(const access *a) {
  const emu_range *params = a->warp->cta->cluster->run->state->params;
  EMU_EACH_LANE(a->lanes, lane) {
    uint64_t address = a->address[lane];
    if (a->bytes > params->size || address > params->size - a->bytes || (a->intent & EMU_WRITE)) {
      return out_of_bounds(a, lane,
                           a->intent & EMU_WRITE ? "parameters are read-only"
                                                 : "that is outside of the parameters");
    }
    a->host[lane] = params->bytes + address;
  }
  return true;
}

/* ---- All of them ------------------------------------------------------------------------ */

emu_space emu_space_of(uint64_t address) {
  if (address - EMU_SHARED_WINDOW < WINDOW_BYTES) return EMU_SHARED_CLUSTER;
  return address - EMU_LOCAL_WINDOW < WINDOW_BYTES ? EMU_LOCAL : EMU_GLOBAL;
}

static bool access_space(const access *a) {
  switch (a->space) {
  case EMU_SHARED:
  case EMU_SHARED_CLUSTER:
    return access_shared(a);
  case EMU_LOCAL:
    return access_local(a);
  case EMU_PARAM:
    return access_params(a);
  default:
    return access_global(a);
  }
}

/* A generic access: the lanes of each space, one after the other. */
static bool access_generic(access *a) {
  uint32_t part[3] = {0};
  static const emu_space spaces[3] = {EMU_GLOBAL, EMU_SHARED_CLUSTER, EMU_LOCAL};
  uint64_t offsets[EMU_LANES];
  EMU_EACH_LANE(a->lanes, lane) {
    emu_space space = emu_space_of(a->address[lane]);
    part[space == EMU_SHARED_CLUSTER ? 1 : space == EMU_LOCAL ? 2 : 0] |= UINT32_C(1) << lane;
    offsets[lane] = a->address[lane] & (WINDOW_BYTES - 1);
  }
  access one = *a;
  for (int i = 0; i < 3; i++) {
    if (!part[i]) continue;
    one.lanes = part[i];
    one.space = spaces[i];
    one.address = i ? offsets : a->address;
    if (!access_space(&one)) return false;
  }
  return true;
}

bool emu_access(emu_warp *warp, const emu_op *op, emu_space space,
                const uint64_t address[EMU_LANES], uint32_t lanes, unsigned bytes, unsigned intent,
                uint8_t *host[EMU_LANES]) {
  access a = {warp, op, space, address, lanes, bytes, intent, host};
  if (!check_alignment(&a)) return false;
  if ((intent & EMU_WRITE) && !(intent & EMU_READ)) emu_progress(warp->cta->cluster);
  return space == EMU_GENERIC ? access_generic(&a) : access_space(&a);
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
