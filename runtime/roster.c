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
  gg_lineup_free(slot->lineup);
}

static gg_status fail_again(const gg_slot *slot, gg_error *err) {
  if (err && err->code == GG_OK) {
    *err = slot->failure;
    err->log = NULL;
  }
  return slot->failure.code;
}

/* With `at_hand` nothing is compiled, and the module may be NULL afterwards. */
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
  /* Now that the module is loaded, it is known how many CTAs the device holds, and so how much of a
   * workspace they take. */
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

/* Limits of extents, sizes and workspaces are a kernel's own; any other mistake in a problem is a
 * mistake for every kernel. */
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
  gg_free(roster->spills);
  gg_free(roster->models);
  gg_free(roster->places);
  gg_free(roster);
}

/* A roster with room for `count` kernels. */
static gg_status open_roster(gg_roster **out, size_t count, gg_error *err) {
  gg_roster *roster = *out = gg_calloc(1, sizeof *roster);
  if (!roster) return gg_fail(err, MEMORY, NULL, "");
  roster->count = count;
  roster->places = gg_malloc(count * sizeof *roster->places);
  roster->models = gg_malloc(count * sizeof *roster->models);
  roster->spills = gg_calloc(count, sizeof *roster->spills);
  return roster->places && roster->models && roster->spills ? GG_OK
                                                            : gg_fail(err, MEMORY, NULL, "");
}

static gg_status make_whole(gg_roster **out, gg_rosters *of, const gg_roster_source *source,
                            gg_error *err) {
  gg_lineup *lineup;
  gg_status st = gg_lineup_make(&lineup, source->catalogue, &of->form, source->arch, err);
  if (st) return st;
  if (lineup->count == 0) st = gg_lineup_fail(lineup, &of->form, source->arch, err);
  if (!st) st = open_roster(out, lineup->count, err);
  for (size_t i = 0; i < lineup->count && !st; i++) {
    (*out)->places[i] = lineup->list[i].place;
    (*out)->models[i] = gg_candidate_model(&lineup->list[i], &source->device);
  }
  gg_lineup_free(lineup);
  return st;
}

static gg_status make_packed(gg_roster **out, gg_rosters *of, const gg_roster_source *source,
                             gg_error *err) {
  gg_packed_place *places;
  size_t count;
  gg_status st = gg_packs_places(&places, &count, &source->packs, &of->form, err);
  if (st) return st;
  st = open_roster(out, count, err);
  for (size_t i = 0; i < count && !st; i++) {
    (*out)->places[i] = places[i].place;
    (*out)->models[i] = gg_model_of(&places[i].terms, &source->device);
    /* The emulator runs PTX, which has any number of registers. */
    (*out)->spills[i] = places[i].local_bytes > 0 && !source->emulated;
  }
  gg_free(places);
  return st;
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
    free_roster(of->whole);
    free_roster(of->packed);
    gg_free(of);
  }
}

gg_status gg_rosters_get(gg_roster **out, gg_rosters *of, const gg_roster_source *source,
                         bool packed, gg_error *err) {
  gg_roster **own = packed ? &of->packed : &of->whole;
  gg_status st = *own ? GG_OK : (packed ? make_packed : make_whole)(own, of, source, err);
  if (st) {
    free_roster(*own);
    *own = NULL;
  }
  *out = *own;
  return st;
}

/* Makes a slot for the lineup's only kernel. The slot then owns the lineup. */
static gg_status make_slot(gg_slot **out, gg_rosters *of, gg_lineup *lineup, gg_error *err) {
  gg_slot *slot = gg_malloc(sizeof *slot);
  gg_status st =
      slot ? gg_slot_open(slot, &lineup->list[0].spec, err) : gg_fail(err, MEMORY, NULL, "");
  if (st) {
    gg_free(slot);
    return st;
  }
  slot->place = lineup->list[0].place;
  slot->lineup = lineup;
  slot->next = of->slots;
  *out = of->slots = slot;
  return GG_OK;
}

gg_slot *gg_rosters_known(const gg_rosters *of, gg_catalogue_place place) {
  gg_slot *slot = of->slots;
  while (slot && !gg_same_place(slot->place, place))
    slot = slot->next;
  return slot;
}

gg_status gg_rosters_at(gg_slot **out, gg_rosters *of, const gg_roster_source *source,
                        gg_catalogue_place place, gg_error *err) {
  gg_lineup *lineup;
  *out = gg_rosters_known(of, place);
  if (*out) return GG_OK;
  gg_status st = gg_lineup_make_at(&lineup, source->catalogue, &of->form, source->arch, place, err);
  if (st) return st;
  st = lineup->count ? make_slot(out, of, lineup, err)
                     : gg_lineup_fail(lineup, &of->form, source->arch, err);
  if (st) gg_lineup_free(lineup);
  return st;
}
