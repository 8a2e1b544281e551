/* The measurements of `gemmgen tune` in an SQLite database: one row for each kernel and product. */
#ifndef GG_CLI_TUNE_STORE_H
#define GG_CLI_TUNE_STORE_H

#include "gemmgen.h"

typedef struct tune_store tune_store;

/* What a figure was measured of. A kernel counts as the same while its decisions and its code are;
 * a change in its banner makes no new figure. */
typedef struct tune_key {
  const char *device;  /* the device's name */
  const char *product; /* the form's name and extents: "bf16,bf16,bf16,f32,kkn,64x64x64,b1" */
  const char *hash;    /* SHA-256 of the decisions and the code, in hex */
  int compiler;        /* NVRTC's version, 1300 */
} tune_key;

typedef struct tune_figure {
  double seconds;
  bool right; /* its result agreed with the reference */
} tune_figure;

/* Whether `seconds` is a usable time: a positive number. Other values in the database do not count,
 * wherever they come from. */
bool tune_is_time(double seconds);

/* Opens the database, and makes the file if there is none. Errors: TUNE_STORE, MEMORY. Close with
 * tune_store_close. */
gg_status tune_store_open(tune_store **out, const char *path, gg_error *err);
void tune_store_close(tune_store *store);

/* Looks a figure up. *found: whether there is one with a usable time. */
gg_status tune_store_get(tune_figure *out, bool *found, tune_store *store, const tune_key *key,
                         gg_error *err);

/* Stores a figure or replaces it, in one transaction: whatever ends the process, the database stays
 * whole. `kernel`: its name; `spec`: its YAML. Both are for people who read the database. */
gg_status tune_store_put(tune_store *store, const tune_key *key, const tune_figure *figure,
                         const char *kernel, const char *spec, gg_error *err);

#endif
