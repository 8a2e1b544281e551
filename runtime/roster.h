/* Rosters: the kernels that a gg_gemm can choose from for one form. They are ranked anew for each
 * product, and each kernel is loaded when it is chosen for the first time.
 *
 * A form has up to two rosters. That of the whole catalogue has to be planned to have its models.
 * That of packs is not planned, because packs contain the terms of models. A kernel that is chosen,
 * from a roster or by an earlier process, is known by its place in the catalogue and planned by
 * itself (gg_rosters_at). It has one slot, wherever it was chosen from. Rosters and lists of slots
 * change under their owner's lock, a slot's members under the slot's own. */
#ifndef GG_RUNTIME_ROSTER_H
#define GG_RUNTIME_ROSTER_H

#include <pthread.h>

#include "choice/catalogue.h"
#include "gemmgen_gemm.h"
#include "pack_file.h"
#include "seen.h"

/* ---- Slots ---------------------------------------------------------------------------- */

/* A kernel, from its spec to a loaded module. */
typedef struct gg_slot {
  struct gg_slot *next;     /* the form's next one */
  gg_catalogue_place place; /* in the catalogue */
  gg_lineup *lineup;        /* which has only this kernel; NULL if it is not of the catalogue */
  const gg_spec *spec;
  pthread_mutex_t lock; /* of what follows */
  gg_kernel *kernel;
  gg_module *module;
  gg_error failure; /* why the kernel can never be had; its code is GG_OK if it can */
} gg_slot;

gg_status gg_slot_open(gg_slot *slot, const gg_spec *spec, gg_error *err);
void gg_slot_close(gg_slot *slot);

/* Generates the kernel, checks that it takes the problem, takes it from a pack or the cache or
 * compiles it, and loads it; what an earlier call has done is not done again. If the kernel does
 * not take the problem, that error is returned and the slot stays as it is; any other error is kept
 * and returned by later calls, too. */
gg_status gg_slot_load(gg_slot *slot, gg_context *context, const gg_packs *packs,
                       const gg_problem *problem, gg_error *err);

/* The same without waiting: false if the kernel is not compiled, cannot be loaded, does not take
 * the problem, or if another thread is using the slot. With `look` a kernel that is not loaded yet
 * is looked for in packs and in the cache. */
bool gg_slot_at_hand(gg_slot *slot, gg_context *context, const gg_packs *packs,
                     const gg_problem *problem, bool look);

/* Whether `st` means that this kernel cannot compute the problem but another one might. */
bool gg_slot_gives_way(gg_status st);

/* Whether it means so because of the problem's own extents, strides or workspace. */
bool gg_slot_is_passed_over(gg_status st);

/* ---- Rosters -------------------------------------------------------------------------- */

typedef struct gg_roster {
  size_t count;
  gg_catalogue_place *places; /* each kernel's, in the catalogue's order; */
  gg_model *models;           /* its model; */
  bool *spills;               /* and whether it is known to spill registers to local memory */
} gg_roster;

/* What rosters are made of. The device's model must outlive them. */
typedef struct gg_roster_source {
  gg_catalogue *catalogue;
  int arch;
  bool emulated;
  gg_device_model device;
  gg_packs packs;
} gg_roster_source;

/* All that a gg_gemm has for a form. */
typedef struct gg_rosters {
  struct gg_rosters *next;
  gg_seen_key key; /* without extents */
  gg_form form;    /* its epilogue's text is below */
  gg_roster *whole, *packed;
  gg_slot *slots;
  char epilogue[];
} gg_rosters;

/* Finds the rosters of a form, which are put in front of the list if they are not in it. Plans
 * nothing. */
gg_status gg_rosters_find(gg_rosters **out, gg_rosters **list, const gg_form *form, gg_error *err);
void gg_rosters_free(gg_rosters *list);

/* The roster of packs, or of the whole catalogue, which is made when it is first asked for.
 * GEMM_FORM: there is no kernel. */
gg_status gg_rosters_get(gg_roster **out, gg_rosters *of, const gg_roster_source *source,
                         bool packed, gg_error *err);

/* The kernel at a place of the catalogue; no other is planned for this. GEMM_FORM: the kernel there
 * does not compute the form. */
gg_status gg_rosters_at(gg_slot **out, gg_rosters *of, const gg_roster_source *source,
                        gg_catalogue_place place, gg_error *err);

/* The same, but NULL if nobody has asked for the kernel before. */
gg_slot *gg_rosters_known(const gg_rosters *of, gg_catalogue_place place);

#endif
