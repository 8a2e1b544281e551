/* The kernels that a gg_gemm can choose from for one form. They are ranked anew for each product,
 * and each is loaded when it is chosen for the first time.
 *
 * A form has up to two rosters: of the whole catalogue, which is planned for its models, and of
 * what packs have, whose terms stand in the packs. The kernel that is chosen, of a roster or by an
 * earlier process, is known by its place, and planned by itself (gg_rosters_at): it is one slot,
 * wherever it was chosen from. Rosters and the lists of slots change under their owner's lock; what
 * a slot has, under the slot's. */
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
  struct gg_slot *next;     /* of the form's */
  gg_catalogue_place place; /* in the catalogue */
  gg_lineup *lineup;        /* of it alone, where it is of the catalogue */
  const gg_spec *spec;
  pthread_mutex_t lock; /* of what follows */
  gg_kernel *kernel;
  gg_module *module;
  gg_error failure; /* why the kernel cannot be had, now or later; its code is GG_OK where it can */
} gg_slot;

gg_status gg_slot_open(gg_slot *slot, const gg_spec *spec, gg_error *err);
void gg_slot_close(gg_slot *slot);

/* Generates the kernel, checks that it takes the problem, takes it from a pack or the cache or
 * compiles it, and loads it; what an earlier call has done is not done again. Where the kernel does
 * not take the problem, that error is returned and the slot stays as it is; any other one is kept
 * and returned by later calls too. */
gg_status gg_slot_load(gg_slot *slot, gg_context *context, const gg_packs *packs,
                       const gg_problem *problem, gg_error *err);

/* The same without waiting: false where it is not compiled, cannot be loaded, does not take the
 * problem, or another thread is at it. With `look` a kernel that is not loaded yet is looked for in
 * packs and cache. */
bool gg_slot_at_hand(gg_slot *slot, gg_context *context, const gg_packs *packs,
                     const gg_problem *problem, bool look);

/* Whether `st` means that this kernel cannot compute the problem but another one might. */
bool gg_slot_gives_way(gg_status st);

/* Likewise, because of the problem's own extents, strides or workspace. */
bool gg_slot_is_passed_over(gg_status st);

/* ---- Rosters -------------------------------------------------------------------------- */

typedef struct gg_roster {
  size_t count;
  gg_catalogue_place *places; /* of each kernel, in the catalogue's order; */
  gg_model *models;           /* its model; */
  bool *spills;               /* and whether it is known to compute in local memory */
} gg_roster;

/* What rosters are made of; the device's model must outlive them. */
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
  gg_form form;    /* with an epilogue of its own below */
  gg_roster *whole, *packed;
  gg_slot *slots;
  char epilogue[];
} gg_rosters;

/* The one of the form, which is put in front of the list where it is not there. Plans nothing. */
gg_status gg_rosters_find(gg_rosters **out, gg_rosters **list, const gg_form *form, gg_error *err);
void gg_rosters_free(gg_rosters *list);

/* The roster of what packs have, or of the whole catalogue, made when it is first asked for.
 * GEMM_FORM where there is no kernel. */
gg_status gg_rosters_get(gg_roster **out, gg_rosters *of, const gg_roster_source *source,
                         bool packed, gg_error *err);

/* The kernel at a place of the catalogue, for which nothing else is planned; GEMM_FORM where that
 * is none of the form. */
gg_status gg_rosters_at(gg_slot **out, gg_rosters *of, const gg_roster_source *source,
                        gg_catalogue_place place, gg_error *err);

/* The same where somebody has asked for it before; else NULL. */
gg_slot *gg_rosters_known(const gg_rosters *of, gg_catalogue_place place);

#endif
