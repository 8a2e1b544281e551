/* What `gemmgen tune` measured, in SQLite: one row a kernel and product. */
#ifndef GG_CLI_TUNE_STORE_H
#define GG_CLI_TUNE_STORE_H

#include "gemmgen.h"

typedef struct tune_store tune_store;

/* What a figure is of. A kernel is its decisions and its code: whatever changes them makes a new
 * figure; its banner does not. */
typedef struct tune_key {
  const char *device;  /* its name */
  const char *product; /* the form's name and extents: "bf16,bf16,bf16,f32,kkn,64x64x64,b1" */
  const char *hash;    /* SHA-256 of the decisions and the code, in hex */
  int compiler;        /* NVRTC's version, 1300 */
} tune_key;

typedef struct tune_figure {
  double seconds;
  bool right; /* agreed with the reference */
} tune_figure;

/* Whether a figure is one at all: a positive number. Others, whatever they come from, do not count.
 */
bool tune_is_time(double seconds);

/* Makes the file where it is not there. Errors: TUNE_STORE, MEMORY. Close with tune_store_close. */
gg_status tune_store_open(tune_store **out, const char *path, gg_error *err);
void tune_store_close(tune_store *store);

/* *found tells whether there is a figure, which is then a time. */
gg_status tune_store_get(tune_figure *out, bool *found, tune_store *store, const tune_key *key,
                         gg_error *err);

/* Stores or replaces it, in one transaction: whatever ends the process, the file is whole. `kernel`
 * is its name, `spec` its YAML, for who reads the database. */
gg_status tune_store_put(tune_store *store, const tune_key *key, const tune_figure *figure,
                         const char *kernel, const char *spec, gg_error *err);

#endif
