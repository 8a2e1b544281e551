/* A kernel of the harness's own: its text from harness.cu files, compiled, loaded and launched with
 * whatever arguments it has. */
#ifndef GG_HARNESS_RAW_H
#define GG_HARNESS_RAW_H

#include "context.h"

typedef struct gg_raw_kernel {
  gg_context *context;
  CUmodule module;
  CUfunction function;
} gg_raw_kernel;

/* Loads entry `name` of the file of that name, `name`.cu, behind the lines `defines`; `least` is
 * the architecture it needs. Close with gg_raw_close. */
gg_status gg_raw_open(gg_raw_kernel *out, gg_context *context, const char *name,
                      const char *defines, const char *least, gg_error *err);
void gg_raw_close(gg_raw_kernel *kernel);

gg_status gg_raw_launch(const gg_raw_kernel *kernel, unsigned grid_x, unsigned grid_y,
                        unsigned threads, void **arguments, CUstream stream, gg_error *err);

/* The text of `name`.cu. */
const char *gg_raw_text(const char *name);

#endif
