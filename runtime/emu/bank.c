/* What banks of all kinds have in common: see bank.h. What differs is in memory.c.
 *
 * Checks come in this order: bounds, what asynchronous operations own, initialisation, races. So a
 * message names the deepest cause. If checks are off, bounds are still checked. */
#include "emu/bank.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/async.h"
#include "emu/follow.h"
#include "emu/hazard.h"
#include "emu/hazard/beside.h"
#include "emu/isa/lanes.h"
#include "emu/marks.h"
#include "emu/memory.h"
#include "emu/report.h"
#include "emu/state.h"

#define EMU_BANK(id, word, order, load, mark, finds, counts, puts)                                 \
  const emu_bank_kind emu_bank_##id = {.name = word,                                               \
                                       .orders = EMU_ORDERS_##order,                               \
                                       .loads = EMU_LOADS_##load,                                  \
                                       .marks = EMU_MARKS_##mark,                                  \
                                       .find = finds,                                              \
                                       .count = counts,                                            \
                                       .put = puts};
#include "emu/banks.def"
#undef EMU_BANK

/* ---- Life ------------------------------------------------------------------------------- */

gg_status emu_bank_open(emu_bank **out, emu_cta *cta, const emu_bank_kind *kind, uint64_t base,
                        uint64_t bytes, gg_error *err) {
  emu_bank *bank = *out = gg_malloc(sizeof *bank);
  if (!bank) return gg_fail(err, MEMORY, NULL, "");
  *bank = (emu_bank){.kind = kind, .cta = cta, .base = base, .size = bytes, .next = cta->banks};
  cta->banks = bank;
  bank->bytes = gg_malloc((size_t)bytes + 1);
  bank->marks = gg_calloc((size_t)bytes + 1, 1);
  if (!bank->bytes || !bank->marks) return gg_fail(err, MEMORY, NULL, "");
  /* NaN in every floating-point type, so that a use of what nobody has written gives a wrong
   * result.
   */
  memset(bank->bytes, 0xff, (size_t)bytes);
  return GG_OK;
}

void emu_bank_free(emu_bank *bank) {
  gg_free(bank->bytes);
  gg_free(bank->marks);
  gg_free(bank->cells);
  gg_free(bank->leaving);
  gg_free(bank->touched);
}

void emu_banks_close(emu_cta *cta) {
  for (emu_bank *next, *bank = cta->banks; bank; bank = next) {
    next = bank->next;
    emu_bank_free(bank);
    gg_free(bank);
  }
  cta->banks = NULL;
}

emu_place_words emu_place_in_words(emu_place place) {
  emu_place_words words;
  const emu_bank_kind *kind = place.bank->kind;
  if (kind->put) {
    kind->put(words.text, sizeof words.text, place);
  } else {
    snprintf(words.text, sizeof words.text, "%s memory at 0x%" PRIx64, kind->name,
             place.bank->base + place.offset);
  }
  return words;
}

/* ---- Bounds ----------------------------------------------------------------------------- */

const char *emu_bank_verb(const emu_bank_access *a) {
  return !(a->intent & EMU_WRITE) ? "reads" : a->intent & EMU_READ ? "updates" : "writes";
}

bool emu_bank_outside(const emu_bank_access *a, uint32_t lane, const char *why) {
  emu_fault(a->warp, a->op, (int)lane, GG_E_EMU_BOUNDS, "%s %u bytes at 0x%" PRIx64 ": %s",
            emu_bank_verb(a), a->bytes, a->address[lane], why);
  return false;
}

bool emu_bank_holds(emu_places *out, const emu_bank_access *a, emu_bank *bank) {
  if (a->bytes > bank->size) return false;
  const uint64_t *address = a->address, base = bank->base, most = bank->size - a->bytes;
  uint32_t outside = 0;
  if (a->lanes != UINT32_MAX) {
    EMU_EACH_LANE(a->lanes, lane) {
      uint64_t offset = address[lane] - base;
      if (offset > most) return false;
      out->of[lane] = (emu_place){bank, offset};
    }
    out->one = bank;
    return true;
  }
  for (int lane = 0; lane < EMU_LANES; lane++) {
    uint64_t offset = address[lane] - base;
    outside |= offset > most;
    out->of[lane] = (emu_place){bank, offset};
  }
  if (outside) return false;
  out->one = bank;
  return true;
}

bool emu_bank_find(emu_places *out, const emu_bank_access *a, emu_bank *bank) {
  if (emu_bank_holds(out, a, bank)) return true;
  EMU_EACH_LANE(a->lanes, lane) {
    uint64_t offset = a->address[lane] - bank->base;
    if (a->bytes <= bank->size && offset <= bank->size - a->bytes) continue;
    char figures[96];
    snprintf(figures, sizeof figures, "%s memory has %" PRIu64 " bytes from 0x%" PRIx64 " on",
             a->kind->name, bank->size, bank->base);
    return emu_bank_outside(a, lane, figures);
  }
  return false;
}

/* ---- Marks ------------------------------------------------------------------------------ */

/* Called when a lane reads what nobody has written. Says whether the kernel goes on. */
static bool uninitialised(const emu_bank_access *a, uint32_t lane, emu_place place) {
  const uint8_t *marks = emu_place_marks(place);
  unsigned first = 0;
  while (marks[first] & EMU_MARK_WRITTEN) {
    first++;
  }
  gg_status code = a->intent & EMU_COMPUTE ? GG_E_EMU_UNDEFINED : GG_E_EMU_UNINITIALISED;
  if (a->kind->put) {
    return emu_tolerated(a->warp, a->op, (int)lane, code,
                         "%s %u bytes of %s; nobody has written byte %u of them", emu_bank_verb(a),
                         a->bytes, emu_place_in_words(place).text, first);
  }
  return emu_tolerated(a->warp, a->op, (int)lane, code,
                       "%s %u bytes at 0x%" PRIx64
                       " of %s memory; nobody has written byte %u of them",
                       emu_bank_verb(a), a->bytes, a->address[lane], a->kind->name, first);
}

/* Checks the marks of one lane's bytes, and sets them for what is written. In tiles beyond a
 * matrix's edge, kernels do read what nobody has written, and then throw it away. So where loads
 * are only counted, such a load gives NaN or -1, and a use of it a wrong result. False after a
 * fault. */
static bool check_marks(const emu_bank_access *a, uint32_t lane, emu_place place) {
  uint8_t *marks = emu_place_marks(place);
  emu_marks found = emu_marks_read(marks, a->bytes);
  bool writes = a->intent & EMU_WRITE;
  uint8_t refused = EMU_MARK_LANDING;
  if (writes) refused |= EMU_MARK_LEAVING | EMU_MARK_BARRIER;
  if (found.any & refused &&
      !emu_async_touched(a->warp, a->op, (int)lane, place, a->bytes, writes)) {
    return false;
  }
  if (found.all & EMU_MARK_WRITTEN) return true;
  if (a->intent & EMU_READ) {
    if (!writes && a->kind->loads == EMU_LOADS_COUNTED) {
      emu_counting(a->warp)->unwritten_reads++;
    } else if (!uninitialised(a, lane, place)) {
      return false;
    }
  }
  if (writes) emu_marks_change(marks, a->bytes, 0, EMU_MARK_WRITTEN);
  return true;
}

/* Checks and sets the marks of all lanes. */
static bool check_all_marks(const emu_bank_access *a, const emu_places *places, bool check) {
  bool keeps = (a->intent & EMU_WRITE) && a->kind->marks == EMU_MARKS_KEPT;
  uint32_t last = EMU_LANES;
  if (!check && !keeps) return true;
  EMU_EACH_LANE(a->lanes, lane) {
    emu_place at = places->of[lane];
    bool again = last < EMU_LANES && emu_place_same(at, places->of[last]);
    last = lane;
    if (again || at.bank->complete) continue;
    if (check) {
      if (!check_marks(a, lane, at)) return false;
    } else {
      emu_marks_change(emu_place_marks(at), a->bytes, 0, EMU_MARK_WRITTEN);
    }
  }
  return true;
}

/* ---- Order ------------------------------------------------------------------------------ */

/* Checks that the access is ordered after others, and notes what it orders. */
static bool check_order(const emu_bank_access *a, const emu_places *places) {
  bool strong = a->intent & EMU_STRONG;
  if (a->kind->orders == EMU_ORDERS_RACES) {
    return emu_hazard_access(a->warp, a->op, a->lanes, places->of, a->bytes, a->intent & EMU_WRITE,
                             strong);
  }
  if (a->kind->orders == EMU_ORDERS_FLAGS && strong) {
    EMU_EACH_LANE(a->lanes, lane) {
      emu_hazard_flag(a->warp, a->address[lane]);
    }
  }
  if (a->kind->orders == EMU_ORDERS_FLAGS && a->warp->cta->cluster->run->beside) {
    return emu_beside_access(a, places);
  }
  return true;
}

/* ---- All of it -------------------------------------------------------------------------- */

static void find_host(uint8_t *host[EMU_LANES], const emu_places *places, uint32_t lanes) {
  if (places->one && lanes == UINT32_MAX) {
    uint8_t *bytes = places->one->bytes;
    for (int lane = 0; lane < EMU_LANES; lane++)
      host[lane] = bytes + places->of[lane].offset;
    return;
  }
  EMU_EACH_LANE(lanes, lane) {
    host[lane] = emu_place_bytes(places->of[lane]);
  }
}

bool emu_access_banks(const emu_bank_access *a, uint8_t *host[EMU_LANES]) {
  emu_places places;
  places.one = NULL;
  bool check = a->warp->cta->cluster->run->checked;
  if ((a->intent & (EMU_READ | EMU_WRITE)) == EMU_WRITE) emu_progress(a->warp->cta->cluster);
  if (!a->kind->find(&places, a)) return false;
  find_host(host, &places, a->lanes);
  bool complete = places.one && places.one->complete;
  if (!complete && !check_all_marks(a, &places, check)) return false;
  if (a->kind->count && emu_counting(a->warp)->site_count) a->kind->count(a, &places);
  if (a->warp->cta->cluster->run->config->follow) emu_follow_access(a, &places);
  return !check || check_order(a, &places);
}
