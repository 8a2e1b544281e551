#include "roster.h"

#include <string.h>

#include "base/alloc.h"
#include "context.h"
#include "load.h"
#include "problem.h"

/* ---- Slots ---------------------------------------------------------------------------- */

gg_status gg_slot_open(gg_slot *slot, const gg_spec *spec, gg_error *err) {
  *slot = (gg_slot){0};
  if (pthread_mutex_init(&slot->lock, NULL)) return gg_fail(err, MEMORY, NULL, "");
  slot->spec = spec;
  return GG_OK;
}

void gg_slot_close(gg_slot *slot) {
  if (!slot->spec) return;
  gg_module_free(slot->module);
  gg_kernel_free(slot->kernel);
  gg_error_clear(&slot->failure);
  pthread_mutex_destroy(&slot->lock);
}

static gg_status fail_again(const gg_slot *slot, gg_error *err) {
  if (err && err->code == GG_OK) {
    *err = slot->failure;
    err->log = NULL;
  }
  return slot->failure.code;
}

/* With `at_hand` nothing is compiled: the module may be NULL then. */
static gg_status load(gg_slot *slot, gg_context *context, const gg_packs *packs,
                      const gg_problem *problem, bool at_hand, gg_error *err) {
  gg_prepared unused;
  gg_status st;
  if (!slot->kernel && (st = gg_kernel_generate(&slot->kernel, slot->spec, &slot->failure))) {
    return fail_again(slot, err);
  }
  if ((st = gg_problem_check(gg_prepared_facts(&unused), slot->kernel, problem, 1,
                             gg_device_row(context->facts.arch), err)))
    return st;
  if (!slot->module) {
    st = (at_hand ? gg_module_load_at_hand : gg_module_load_packed)(&slot->module, context, packs,
                                                                    slot->kernel, &slot->failure);
    if (st) return fail_again(slot, err);
  }
  /* How many CTAs the device holds is known now, and with it what they take of a workspace. */
  bool shares = slot->module && slot->kernel->tile_warps;
  return shares ? gg_prepare(&unused, slot->module, problem, err) : GG_OK;
}

gg_status gg_slot_load(gg_slot *slot, gg_context *context, const gg_packs *packs,
                       const gg_problem *problem, gg_error *err) {
  pthread_mutex_lock(&slot->lock);
  gg_status st =
      slot->failure.code ? fail_again(slot, err) : load(slot, context, packs, problem, false, err);
  pthread_mutex_unlock(&slot->lock);
  return st;
}

bool gg_slot_at_hand(gg_slot *slot, gg_context *context, const gg_packs *packs,
                     const gg_problem *problem, bool look) {
  gg_error why = GG_ERROR_INIT;
  if (pthread_mutex_trylock(&slot->lock)) return false;
  bool candidate = !slot->failure.code && (slot->module || look);
  bool there =
      candidate && load(slot, context, packs, problem, true, &why) == GG_OK && slot->module != NULL;
  pthread_mutex_unlock(&slot->lock);
  gg_error_clear(&why);
  return there;
}

/* Extents, sizes and workspaces are limits of a kernel; the other mistakes in a problem are every
 * kernel's. */
bool gg_slot_is_passed_over(gg_status st) {
  return st == GG_E_PROBLEM_EXTENT || st == GG_E_PROBLEM_SIZE || st == GG_E_PROBLEM_WORKSPACE ||
         st == GG_E_PROBLEM_SUMS;
}

bool gg_slot_gives_way(gg_status st) {
  const gg_error_info *info = gg_error_info_of(st);
  if (!info) return false;
  if (gg_slot_is_passed_over(st) || st == GG_E_DEVICE_SMEM) return true;
  return info->stage != GG_STAGE_RUNTIME && info->stage != GG_STAGE_SYSTEM;
}

/* ---- Rosters -------------------------------------------------------------------------- */

static void free_roster(gg_roster *roster) {
  if (!roster) return;
  gg_free(roster->slots);
  gg_free(roster->models);
  gg_lineup_free(roster->lineup);
  gg_free(roster);
}

/* Of these places; NULL: of all. An empty lineup has no models. */
static gg_status make(gg_roster **out, const gg_form *form, const gg_roster_source *source,
                      const gg_catalogue_place *places, size_t count, gg_error *err) {
  *out = NULL;
  gg_roster *roster = gg_calloc(1, sizeof *roster);
  if (!roster) return gg_fail(err, MEMORY, NULL, "");
  gg_status st =
      gg_lineup_make_of(&roster->lineup, source->catalogue, form, source->arch, places, count, err);
  size_t candidates = st ? 0 : roster->lineup->count;
  if (candidates > 0) {
    roster->slots = gg_calloc(candidates, sizeof *roster->slots);
    st = roster->slots ? gg_lineup_model(&roster->models, roster->lineup, &source->device, err)
                       : gg_fail(err, MEMORY, NULL, "");
  }
  if (st) {
    free_roster(roster);
    return st;
  }
  *out = roster;
  return GG_OK;
}

gg_status gg_rosters_find(gg_rosters **out, gg_rosters **list, const gg_form *form, gg_error *err) {
  gg_problem none = GG_PROBLEM_INIT;
  gg_seen_key key = gg_seen_key_of(form, &none);
  for (*out = *list; *out; *out = (*out)->next) {
    if (gg_seen_same_form(&(*out)->key, &key)) return GG_OK;
  }
  size_t length = form->epilogue ? strlen(form->epilogue) + 1 : 0;
  gg_rosters *of = gg_calloc(1, sizeof *of + length);
  if (!of) return gg_fail(err, MEMORY, NULL, "");
  of->form = *form;
  of->key = key;
  if (length) of->form.epilogue = of->key.epilogue = memcpy(of->epilogue, form->epilogue, length);
  of->next = *list;
  *out = *list = of;
  return GG_OK;
}

static void free_rosters(gg_roster *list) {
  while (list) {
    gg_roster *next = list->next;
    free_roster(list);
    list = next;
  }
}

void gg_rosters_free(gg_rosters *list) {
  while (list) {
    gg_rosters *of = list;
    list = of->next;
    while (of->slots) {
      gg_slot *slot = of->slots;
      of->slots = slot->next;
      gg_slot_close(slot);
      gg_free(slot);
    }
    free_rosters(of->whole);
    free_rosters(of->packed);
    free_rosters(of->single);
    gg_free(of);
  }
}

gg_status gg_rosters_get(gg_roster **out, gg_rosters *of, const gg_roster_source *source,
                         bool packed, gg_error *err) {
  gg_roster **own = packed ? &of->packed : &of->whole;
  gg_catalogue_place *places = NULL;
  size_t count = 0;
  gg_status st = GG_OK;
  if (!*own && packed) st = gg_packs_places(&places, &count, &source->packs, &of->form, err);
  if (!*own && !st) st = make(own, &of->form, source, places, count, err);
  gg_free(places);
  if (!st && (*own)->lineup->count == 0)
    st = gg_lineup_fail((*own)->lineup, &of->form, source->arch, err);
  *out = *own;
  return st;
}

static gg_slot *find_slot(const gg_rosters *of, gg_catalogue_place place) {
  gg_slot *slot = of->slots;
  while (slot && (slot->place.file != place.file || slot->place.spec != place.spec))
    slot = slot->next;
  return slot;
}

gg_status gg_rosters_slot(gg_slot **out, gg_rosters *of, gg_roster *roster, size_t index,
                          gg_error *err) {
  const gg_candidate *candidate = &roster->lineup->list[index];
  gg_slot *slot = roster->slots[index];
  if (!slot) slot = find_slot(of, candidate->place);
  if (!slot) {
    slot = gg_malloc(sizeof *slot);
    gg_status st =
        slot ? gg_slot_open(slot, &candidate->spec, err) : gg_fail(err, MEMORY, NULL, "");
    if (st) {
      gg_free(slot);
      return st;
    }
    slot->place = candidate->place;
    slot->next = of->slots;
    of->slots = slot;
  }
  *out = roster->slots[index] = slot;
  return GG_OK;
}

gg_status gg_rosters_single(gg_slot **out, gg_rosters *of, const gg_roster_source *source,
                            gg_catalogue_place place, gg_error *err) {
  gg_roster *roster;
  *out = find_slot(of, place);
  if (*out) return GG_OK;
  gg_status st = make(&roster, &of->form, source, &place, 1, err);
  if (st) return st;
  roster->next = of->single;
  of->single = roster;
  return roster->lineup->count > 0 ? gg_rosters_slot(out, of, roster, 0, err) : GG_OK;
}
