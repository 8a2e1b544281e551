/* The two layers by windows: GPUs of one host copy to each other's memory by copy engines, and no
 * kernel of a collective takes multiprocessors.
 *
 *     all-gather + GEMM      Copies bring the other ranks' rows of X while a rank multiplies its
 * own, and then what has come.
 *     GEMM + reduce-scatter  Rows of D go around the ranks, each of which adds its part: a rank's
 * product of some rank's rows has the sum so far as C, and its D is copied to the rank that adds
 * next, while the next product runs. So each rank's first product is of the rows of the rank before
 * it, its last of its own. */
#ifndef DIRECT_H
#define DIRECT_H

#include "layer.h"

typedef struct direct direct;

/* Whether each rank's rows can be divided into so many products. (An all-gather's own rows are not:
 * they are there.) */
int direct_is_possible(const layer *layer, int pieces);

direct *direct_open(layer *layer, int pieces);
void direct_close(direct *direct);

/* Puts a layer on the device's streams. What is on `compute` afterwards finds D. */
void direct_run(direct *direct);

#endif
