/* The kernels that `gemmgen tune` searches: one list a form, generated and compiled when a product
 * wants them, by as many threads as there are cores. */
#ifndef GG_CLI_TUNE_KERNELS_H
#define GG_CLI_TUNE_KERNELS_H

#include "choice/catalogue.h"
#include "gemmgen_runtime.h"

enum { TUNE_HASH = 65 }; /* hex digits of a SHA-256, and the NUL */

typedef struct tune_kernel {
  gg_kernel *kernel;    /* NULL: not generated, or refused */
  gg_module *module;    /* NULL: not loaded, or cannot be */
  gg_error failure;     /* why there is none */
  char hash[TUNE_HASH]; /* of the kernel's decisions and code */
} tune_kernel;

typedef struct tune_form {
  struct tune_form *next;
  gg_form form; /* with an epilogue of its own below */
  gg_lineup *lineup;
  tune_kernel *kernels; /* one a candidate */
  char epilogue[];
} tune_form;

/* The form of `*list`, added to it where it is not there. GEMM_FORM where nothing computes it. Free
 * the list with tune_forms_free. */
gg_status tune_form_find(tune_form **out, tune_form **list, const gg_catalogue *catalogue,
                         const gg_form *form, int arch, gg_error *err);
void tune_forms_free(tune_form *list);

/* What the model ranks first for a product, at most `top` kernels: their indices in the lineup, the
 * fastest first. *indices is gg_malloc'ed, NULL on failure. */
gg_status tune_rank(size_t **indices, size_t *count, tune_form *form, gg_extents extents,
                    const gg_device_model *model, size_t top, gg_error *err);

/* Generate and hash, or load, `count` kernels by their indices: what of that is not done yet.
 * Failures stay with the kernels. Both end early once tune_interrupted. */
void tune_generate(tune_form *form, const size_t *indices, size_t count);
void tune_load(tune_form *form, const size_t *indices, size_t count, gg_context *context);

/* Load whatever the forms have generated, all at once. MEMORY where the list of it finds no room.
 */
gg_status tune_load_generated(tune_form *list, gg_context *context, gg_error *err);

/* Whether SIGINT or SIGTERM, which tune_signals_hold has blocked, wants an end.
 * tune_signals_release lets it through. */
void tune_signals_hold(void);
void tune_signals_release(void);
bool tune_interrupted(void);

#endif
