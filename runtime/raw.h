/* A kernel whose text is the library's own, or the harness's: compiled, loaded and launched with
 * whatever arguments it has. */
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

/* Loads entry `name` of the text `source`; `least` is the architecture it needs. Likewise. */
gg_status gg_raw_open(gg_raw_kernel *out, gg_context *context, const char *name, const char *source,
                      const char *least, gg_error *err);
void gg_raw_close(gg_raw_kernel *kernel);

gg_status gg_raw_launch(const gg_raw_kernel *kernel, unsigned grid_x, unsigned grid_y,
                        unsigned threads, void **arguments, CUstream stream, gg_error *err);

#endif
