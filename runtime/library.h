/* Shared libraries that are found at run time. No other place calls dlopen. */
#ifndef GG_RUNTIME_LIBRARY_H
#define GG_RUNTIME_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

typedef struct gg_library {
  void *handle; /* NULL: none */
  char *path;   /* from which it was loaded */
} gg_library;

/* One entry of a table of function pointers. */
typedef struct gg_symbol {
  const char *name;
  size_t offset; /* of the pointer in the table's struct */
} gg_symbol;

/* Loads `name`, a path or a soname. On failure appends the loader's reason to `why`. */
bool gg_library_open(gg_library *out, const char *name, gg_str *why);

/* Loads the first of `sonames` (ends with NULL) in the CUDA Toolkit, which is looked for in
 * CUDA_HOME, CUDA_PATH, beside nvcc on the PATH and in /usr/local/cuda; then by the loader's own
 * search. On failure `why` lists these places; on success, which of the first two was set but had
 * none. */
bool gg_library_open_toolkit(gg_library *out, const char *const *sonames, gg_str *why);

/* Appends the toolkit's root, found as above; false if there is none, or memory is out. */
bool gg_toolkit_root(gg_str *out);

/* Fills the pointers of `table`. On failure appends the first missing name to `why`. */
bool gg_library_bind(const gg_library *library, void *table, const gg_symbol *symbols, size_t count,
                     gg_str *why);

void gg_library_close(gg_library *library);

#endif
