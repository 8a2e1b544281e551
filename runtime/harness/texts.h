/* The harness's own kernels, whose texts are in harness/NAME.cu. */
#ifndef GG_HARNESS_TEXTS_H
#define GG_HARNESS_TEXTS_H

#include "raw.h"

/* The text of `name`.cu. */
const char *gg_harness_text(const char *name);

/* Loads entry `name` of that file behind the lines `defines`; `least` is the architecture it needs.
 * Close with gg_raw_close. */
gg_status gg_harness_open(gg_raw_kernel *out, gg_context *context, const char *name,
                          const char *defines, const char *least, gg_error *err);

#endif
