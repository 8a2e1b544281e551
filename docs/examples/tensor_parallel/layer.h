/* The two linear layers of tensor parallelism, D = X * W^T, in chunks.
 *
 *     all-gather + GEMM      X is m x k, of which every rank has m / ranks rows. W is n x k, of
 * which every rank has n / ranks rows, as the D that it computes, m x n, has as many columns. GEMM
 * + reduce-scatter  X is m x k and W is n x k, of which every rank has k / ranks columns. What a
 * rank computes is a part of the sum; of the sums it gets m / ranks rows.
 *
 * The rows of a rank are divided into chunks. While the products of one chunk are computed, the
 * next is on its way (all-gather), or the last one is (reduce-scatter). A chunk has rows of every
 * rank: of X and D they lie m / ranks rows apart, and are the matrices of a batch with one B. */
#ifndef LAYER_H
#define LAYER_H

#include "transport.h"
#include "window.h"

typedef enum collective { ALL_GATHER, REDUCE_SCATTER } collective;

typedef struct shape {
  collective collective;
  int64_t m, n, k; /* of all ranks together */
} shape;

typedef struct layer {
  shape shape;
  int ranks, rank;
  device *device;
  int64_t rows;           /* of each rank: m / ranks */
  int64_t columns, depth; /* n and k of the rank's own product */
  uint64_t x, w, d;       /* of the rank, row-major and dense */
  windows *windows;       /* of all of X; or of the rank's part of the sums, m x n */
  uint64_t between;       /* the rank's own window */
} layer;

/* Says why the ranks cannot divide the shape; NULL: they can. */
const char *shape_obstacle(const shape *shape, int ranks);

/* Allocates, and writes the rank's X and W (inputs.h). */
void layer_open(layer *out, device *device, const shape *shape, const world *world, int over_host);
void layer_close(layer *layer);
int64_t layer_d_rows(const layer *layer); /* D is of these rows and of `columns` columns */

/* One product of a layer on the compute stream: whole, or of a chunk. */
typedef struct product {
  int64_t m, n, k, batch;
  uint64_t a, b, d;
  uint64_t c;                             /* what is added, of D's shape and type; 0: nothing */
  int64_t batch_stride_a, batch_stride_d; /* elements; B is one for all */
  int d_is_f32;                           /* else bf16 */
  int64_t multiprocessors;                /* gg_problem.multiprocessors */
} product;

/* The whole local product: of all rows, once they are there. */
product layer_product(const layer *layer);

void product_prepare(gg_prepared *out, device *device, const product *product);

/* How a layer is computed in chunks: their number, and whether the rows that an all-gather's rank
 * has itself are multiplied first, while the first chunk is on its way. */
typedef struct plan plan;

typedef struct plan_options {
  int chunks;
  int own_first;
} plan_options;

enum { CHUNKS_MOST = 16 };

/* Whether chunks have whole rows, and own_first belongs to an all-gather. */
int plan_is_possible(const layer *layer, plan_options options);

plan *plan_open(layer *layer, transport *transport, plan_options options);
void plan_close(plan *plan);

/* Puts collectives and products on the device's streams. What is on `compute` afterwards finds D.
 */
void plan_run(plan *plan);

#endif
