/* cuBLASLt, the yardstick: D = A * B^T, row-major, of bf16 with sums in f32. */
#ifndef LT_H
#define LT_H

#include "layer.h"

typedef struct lt lt;
typedef struct lt_product lt_product;

/* NULL where there is none, which is said: by `library` (a path; NULL: as the loader finds it). */
lt *lt_open(device *device, const char *library);
void lt_close(lt *lt);

/* The fastest of the eight algorithms that the library proposes, by a few launches of each. */
lt_product *lt_product_open(lt *lt, const product *product);
void lt_product_close(lt_product *product);
void lt_launch(const lt_product *product, stream on);

#endif
