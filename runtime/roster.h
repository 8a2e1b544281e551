/* The kernels that a gg_gemm has for one form: ranked for a product, and loaded when first wanted.
 * Const once made but for the slots, each of which has a lock of its own. */
#ifndef GG_RUNTIME_ROSTER_H
#define GG_RUNTIME_ROSTER_H

#include <pthread.h>

#include "choice/catalogue.h"
#include "gemmgen_gemm.h"

/* A kernel, from its spec to a loaded module. */
typedef struct gg_slot {
  const gg_spec *spec;
  pthread_mutex_t lock; /* of what follows */
  gg_kernel *kernel;
  gg_module *module;
  gg_error failure; /* why there is none, and will be none */
} gg_slot;

gg_status gg_slot_open(gg_slot *slot, const gg_spec *spec, gg_error *err);
void gg_slot_close(gg_slot *slot);

/* Generates the kernel, checks that it takes the problem, compiles and loads it: what of that is
 * not done yet. Errors of the problem are the problem's; others stay with the slot. */
gg_status gg_slot_load(gg_slot *slot, gg_context *context, const gg_problem *problem,
                       gg_error *err);

/* Whether `st` says that this kernel cannot have the problem, while another one may. */
bool gg_slot_gives_way(gg_status st);

typedef struct gg_roster {
  gg_lineup *lineup;
  gg_model *models; /* one a candidate of the lineup; */
  gg_slot *slots;   /* likewise */
} gg_roster;

/* GEMM_FORM where there is no kernel. The device's model outlives it. Free with gg_roster_free. */
gg_status gg_roster_make(gg_roster *out, const gg_catalogue *catalogue, const gg_form *form,
                         int arch, const gg_device_model *device, gg_error *err);
void gg_roster_free(gg_roster *roster);

#endif
