#include "roster.h"

#include "base/alloc.h"
#include "context.h"
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

static gg_status load(gg_slot *slot, gg_context *context, const gg_problem *problem,
                      gg_error *err) {
  gg_prepared unused;
  gg_status st;
  if (!slot->kernel && (st = gg_kernel_generate(&slot->kernel, slot->spec, &slot->failure))) {
    return fail_again(slot, err);
  }
  if ((st = gg_problem_check(gg_prepared_facts(&unused), slot->kernel, problem, 1,
                             gg_device_row(context->facts.arch), err)))
    return st;
  if (!slot->module &&
      (st = gg_module_load(&slot->module, context, slot->kernel, &slot->failure))) {
    return fail_again(slot, err);
  }
  /* How many CTAs the device holds is known now, and with it what they take of a workspace. */
  return slot->kernel->tile_warps ? gg_prepare(&unused, slot->module, problem, err) : GG_OK;
}

gg_status gg_slot_load(gg_slot *slot, gg_context *context, const gg_problem *problem,
                       gg_error *err) {
  pthread_mutex_lock(&slot->lock);
  gg_status st = slot->failure.code ? fail_again(slot, err) : load(slot, context, problem, err);
  pthread_mutex_unlock(&slot->lock);
  return st;
}

/* Extents, sizes and workspaces are limits of a kernel; the other mistakes in a problem are every
 * kernel's. */
bool gg_slot_gives_way(gg_status st) {
  const gg_error_info *info = gg_error_info_of(st);
  if (!info) return false;
  if (st == GG_E_PROBLEM_EXTENT || st == GG_E_PROBLEM_SIZE || st == GG_E_PROBLEM_WORKSPACE ||
      st == GG_E_PROBLEM_SUMS || st == GG_E_DEVICE_SMEM) {
    return true;
  }
  return info->stage != GG_STAGE_RUNTIME && info->stage != GG_STAGE_SYSTEM;
}

/* ---- Rosters -------------------------------------------------------------------------- */

static gg_status fill(gg_roster *roster, const gg_device_model *device, gg_error *err) {
  const gg_lineup *lineup = roster->lineup;
  roster->slots = gg_calloc(lineup->count, sizeof *roster->slots);
  if (!roster->slots) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_lineup_model(&roster->models, lineup, device, err);
  for (size_t i = 0; i < lineup->count && !st; i++)
    st = gg_slot_open(&roster->slots[i], &lineup->list[i].spec, err);
  return st;
}

gg_status gg_roster_make(gg_roster *out, const gg_catalogue *catalogue, const gg_form *form,
                         int arch, const gg_device_model *device, gg_error *err) {
  *out = (gg_roster){0};
  gg_status st = gg_lineup_make(&out->lineup, catalogue, form, arch, err);
  if (!st && out->lineup->count == 0) st = gg_lineup_fail(out->lineup, form, arch, err);
  if (!st) st = fill(out, device, err);
  if (st) gg_roster_free(out);
  return st;
}

void gg_roster_free(gg_roster *roster) {
  for (size_t i = 0; roster->slots && i < roster->lineup->count; i++)
    gg_slot_close(&roster->slots[i]);
  gg_free(roster->slots);
  gg_free(roster->models);
  gg_lineup_free(roster->lineup);
  *roster = (gg_roster){0};
}
