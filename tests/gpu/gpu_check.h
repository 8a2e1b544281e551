/* Counting and the parts of the device check. */
#ifndef GPU_CHECK_H
#define GPU_CHECK_H

#include "trial.h"

typedef struct totals {
  long passed, failed, skipped;
} totals;

/* One kernel on one device. */
typedef struct subject {
  gg_context *context;
  const gg_kernel *kernel;
  gg_module *module;
  gg_device_reference *reference;
  gg_trial_inputs integers, normal;
} subject;

/* Frees what is of the context, which goes after it. */
void close_subject(subject *s);

/* Counts a check and prints it when it failed; clears the error. */
void count_check(totals *out, const subject *s, const char *what, bool passed, gg_error *err);

/* Compares the D of a trial that has run, all of it, with the reference on the device, or where the
 * subject has none on the host. */
gg_status judge_trial(bool *passed, const subject *s, gg_trial *trial, gg_str *why, gg_error *err);

/* K and N rounded up to what the kernel takes. */
int64_t whole_k(const gg_kernel *kernel, int64_t k);
int64_t whole_n(const gg_kernel *kernel, int64_t n);

/* A problem that the kernel takes, of middling size. */
gg_problem usual_shape(const gg_kernel *kernel);

/* A hundred launches in a CUDA graph. */
void check_graph(totals *out, const subject *s);

/* Eight threads with a stream each, and a second context beside the first. */
void check_threads(totals *out, const subject *s);
void check_contexts(totals *out, const subject *s);

/* In the emulator, in so many random orders. It has contexts of its own: no other may be open. */
void check_orders(totals *out, const gg_kernel *kernel, uint64_t seeds);

#endif
