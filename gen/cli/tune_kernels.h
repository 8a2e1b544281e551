/* The kernels that `gemmgen tune` searches: one list for each form, generated and compiled when a
 * product needs them, by as many threads as there are cores. */
#ifndef GG_CLI_TUNE_KERNELS_H
#define GG_CLI_TUNE_KERNELS_H

#include "choice/catalogue.h"
#include "gemmgen_runtime.h"

enum { TUNE_HASH = 65 }; /* hex digits of a SHA-256, and the NUL */

typedef struct tune_kernel {
  gg_kernel *kernel;    /* NULL: not generated, or refused */
  gg_module *module;    /* NULL: not loaded, or cannot be */
  gg_error failure;     /* why the kernel or module is missing */
  char hash[TUNE_HASH]; /* hash of the kernel's decisions and code */
} tune_kernel;

typedef struct tune_form {
  struct tune_form *next;
  gg_form form; /* the text of its epilogue lies in `epilogue` */
  gg_lineup *lineup;
  tune_kernel *kernels; /* one for each candidate of the lineup */
  char epilogue[];
} tune_form;

/* Finds the form in `*list`, and adds it where it is not there. Error GEMM_FORM where no kernel
 * computes it. Free the list with tune_forms_free. */
gg_status tune_form_find(tune_form **out, tune_form **list, const gg_catalogue *catalogue,
                         const gg_form *form, int arch, gg_error *err);
void tune_forms_free(tune_form *list);

/* Finds the kernels that the model ranks first for a product, at most `top`: their indices in the
 * lineup, the fastest first. *indices is gg_malloc'ed; NULL on failure. */
gg_status tune_rank(size_t **indices, size_t *count, tune_form *form, gg_extents extents,
                    const gg_device_model *model, size_t top, gg_error *err);

/* Generate and hash, or load, those of `count` kernels, given by their indices, for which it is not
 * done yet. Failures are noted with the kernels. Both end early once tune_interrupted returns true.
 */
void tune_generate(tune_form *form, const size_t *indices, size_t count);
void tune_load(tune_form *form, const size_t *indices, size_t count, gg_context *context);

/* Loads all kernels that the forms have generated, in parallel. Error MEMORY where there is no room
 * for a list of them. */
gg_status tune_load_generated(tune_form *list, gg_context *context, gg_error *err);

/* While signals are held, SIGINT and SIGTERM are blocked, and tune_interrupted tells whether one is
 * waiting. tune_signals_release lets it through, which ends the process. */
void tune_signals_hold(void);
void tune_signals_release(void);
bool tune_interrupted(void);

#endif
