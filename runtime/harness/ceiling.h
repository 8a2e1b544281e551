/* What the tensor cores do through mma.sync when nothing else is in the way. */
#ifndef GG_HARNESS_CEILING_H
#define GG_HARNESS_CEILING_H

#include "texts.h"

typedef struct gg_ceiling {
  gg_raw_kernel kernel;
  double flops; /* of one launch */
} gg_ceiling;

/* Whether there is a ceiling kernel for the types. */
bool gg_ceiling_covers(gg_dtype input, gg_dtype accumulator);

/* Adds the lines that ceiling.cu is compiled behind; returns the architecture that they need. */
const char *gg_ceiling_defines(gg_str *out, gg_dtype input, gg_dtype accumulator);

/* Close with gg_ceiling_close. */
gg_status gg_ceiling_open(gg_ceiling *out, gg_context *context, gg_dtype input,
                          gg_dtype accumulator, gg_error *err);
void gg_ceiling_close(gg_ceiling *ceiling);

gg_status gg_ceiling_launch(const gg_ceiling *ceiling, CUstream stream, gg_error *err);

#endif
