/* Whether a layer's D is right: samples beside sums in float64 on the host, and all of it beside
 * one GPU's product of all of X and W, stored in f32. */
#ifndef VERIFY_H
#define VERIFY_H

#include "layer.h"
#include "lt.h"

typedef struct verifier verifier;

/* Computes what D has to be. `lt` makes the product of one GPU; NULL: gg_gemm does. */
verifier *verifier_open(layer *layer, lt *lt);
void verifier_close(verifier *verifier);

/* What is judged of a D. Both are shares of what is allowed: above 1 it is wrong. */
typedef struct verdict {
  double samples; /* the worst of `sample_count` */
  double whole;   /* the worst of all elements; 0 where they were not asked for */
} verdict;

enum { SAMPLE_COUNT = 512 };

/* Bytes that no product leaves there: NaN. */
void verifier_poison(verifier *verifier);
verdict verifier_judge(verifier *verifier, int whole);

#endif
