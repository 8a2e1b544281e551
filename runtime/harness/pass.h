/* The memory traffic of an epilogue in a kernel of its own: the least time that it would take
 * behind a bare product. Its results mean nothing. */
#ifndef GG_HARNESS_PASS_H
#define GG_HARNESS_PASS_H

#include "texts.h"
#include "trial.h"

typedef struct gg_pass {
  gg_raw_kernel kernel;
} gg_pass;

/* Close with gg_pass_close. */
gg_status gg_pass_open(gg_pass *out, gg_context *context, gg_error *err);
void gg_pass_close(gg_pass *pass);

/* Reads the trial's bare product (gg_trial_product_open), C where the trial has one apart from D,
 * and the matrix that its epilogue reads; stores D and the matrix that its epilogue stores. Of
 * several such matrices the last counts; vectors, which stay in the caches, do not. */
gg_status gg_pass_launch(const gg_pass *pass, const gg_trial *trial, const gg_trial *product,
                         CUstream stream, gg_error *err);

#endif
