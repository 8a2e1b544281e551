/* How long launches take: contenders side by side, in one run. */
#ifndef GG_HARNESS_TIMING_H
#define GG_HARNESS_TIMING_H

#include "context.h"

/* Puts launch number `turn` on the stream; operand sets are rotated by it. Must not allocate. */
typedef gg_status (*gg_contender_launch)(void *self, int turn, CUstream stream, gg_error *err);

typedef struct gg_contender {
  gg_contender_launch launch;
  void *self;
  double seconds; /* out: of one launch, the median of the samples */
} gg_contender;

typedef struct gg_timing_options {
  double sample_seconds; /* at least this long a sample */
  int samples;
} gg_timing_options;

#define GG_TIMING_OPTIONS_INIT                                                                     \
  { .sample_seconds = 0.010, .samples = 7 }

enum { GG_TIMING_SAMPLES_MAX = 64 };

/* Each contender becomes a CUDA graph of as many launches as a sample takes; the graphs take turns,
 * sample by sample, in an order that is another in each round. */
gg_status gg_time_contenders(gg_contender *contenders, int count, gg_context *context,
                             const gg_timing_options *options, gg_error *err);

/* The middle one; sorts. */
double gg_median(double *values, int count);

/* How many launches fill a sample, given how long some took: from 1 to 20,000. */
int gg_timing_launches(double sample_seconds, double seconds, int launches);

#endif
