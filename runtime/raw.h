/* Compiles, loads and launches a kernel that was not generated, but whose text the library or the
 * harness has. It may have any arguments. */
#ifndef GG_RUNTIME_RAW_H
#define GG_RUNTIME_RAW_H

#include "context.h"

typedef struct gg_raw_kernel {
  gg_context *context;
  CUmodule module;
  CUfunction function;
} gg_raw_kernel;

/* Loads entry `name` of an image. Close with gg_raw_close. */
gg_status gg_raw_load(gg_raw_kernel *out, gg_context *context, const char *name, const void *image,
                      gg_error *err);

/* Compiles the text `source` and loads its entry `name`; `least` is the architecture that it needs.
 * Close with gg_raw_close. */
gg_status gg_raw_open(gg_raw_kernel *out, gg_context *context, const char *name, const char *source,
                      const char *least, gg_error *err);
void gg_raw_close(gg_raw_kernel *kernel);

gg_status gg_raw_launch(const gg_raw_kernel *kernel, unsigned grid_x, unsigned grid_y,
                        unsigned threads, void **arguments, CUstream stream, gg_error *err);

#endif
