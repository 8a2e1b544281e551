/* The kernels that a gg_gemm can choose from for one form. They are ranked anew for each product,
 * and each is loaded when it is chosen for the first time. Only the slots change once a roster has
 * been made; each has its own lock, so that several threads may use one roster. */
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
  gg_error failure; /* why the kernel cannot be had, now or later; its code is GG_OK where it can */
} gg_slot;

gg_status gg_slot_open(gg_slot *slot, const gg_spec *spec, gg_error *err);
void gg_slot_close(gg_slot *slot);

/* Generates the kernel, checks that it takes the problem, compiles and loads it; what an earlier
 * call has done is not done again. Where the kernel does not take the problem, that error is
 * returned and the slot stays as it is; any other one is kept and returned by later calls too. */
gg_status gg_slot_load(gg_slot *slot, gg_context *context, const gg_problem *problem,
                       gg_error *err);

/* Whether `st` means that this kernel cannot compute the problem but another one might. */
bool gg_slot_gives_way(gg_status st);

typedef struct gg_roster {
  gg_lineup *lineup;
  gg_model *models; /* one for each candidate of the lineup */
  gg_slot *slots;   /* likewise */
} gg_roster;

/* Fails with GEMM_FORM where there is no kernel. The device's model must outlive the roster, which
 * is freed with gg_roster_free. */
gg_status gg_roster_make(gg_roster *out, const gg_catalogue *catalogue, const gg_form *form,
                         int arch, const gg_device_model *device, gg_error *err);
void gg_roster_free(gg_roster *roster);

#endif
