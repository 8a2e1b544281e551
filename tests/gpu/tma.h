/* Random uses of TMA: what they are, and what a machine makes of them. */
#ifndef GG_TESTS_GPU_TMA_H
#define GG_TESTS_GPU_TMA_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "driver.h"

enum {
  TMA_RANK = 5,
  TMA_BYTES = 4096, /* of a tensor, and of the shared memory that is looked at */
  TMA_MARGIN = 1 << 16,
  TMA_RESULT = TMA_BYTES + 16,
};

typedef enum tma_kind { TMA_ENCODE, TMA_LOAD, TMA_STORE, TMA_REDUCE } tma_kind;

/* Arguments of cuTensorMapEncodeTiled; the address is that of the tensor, and a displacement. */
typedef struct tma_map {
  int type;
  uint32_t rank, displacement;
  uint64_t dims[TMA_RANK], strides[TMA_RANK];
  uint32_t box[TMA_RANK], element_strides[TMA_RANK];
  int interleave, swizzle, promotion, fill;
} tma_map;

typedef struct tma_case {
  tma_kind kind;
  tma_map map;
  int32_t at[TMA_RANK];
  uint32_t offset; /* of the box in shared memory */
  int reduction;   /* add, min, max, inc, dec, and, or, xor */
  uint64_t seed;   /* of the data */
} tma_case;

typedef struct tma_result {
  int done, encode, run; /* results of cuTensorMapEncodeTiled and of the launch */
  uint8_t bytes[TMA_RESULT];
} tma_result;

/* How many cases there are, and the index-th. The last ones may kill their context. */
unsigned tma_case_count(void);
void tma_case_at(tma_case *out, unsigned index);
uint32_t tma_type_bytes(int type);
uint32_t tma_box_bytes(const tma_map *map);
uint64_t tma_random(uint64_t *state);

/* The entry `tma` of the case's kind, rank and reduction. */
void tma_ptx(gg_str *out, const tma_case *c);

/* Runs cases `next`, next + step, … up to the first that kills the context, on a driver that
 * nobody has used; results[index] is done for those that ran. An error stands for trouble that is
 * no case's. */
gg_status tma_run(tma_result *results, gg_provider provider, unsigned next, unsigned step,
                  gg_error *err);

#endif
