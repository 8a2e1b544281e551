/* Random uses of TMA and bulk copies: what they are, and what a machine makes of them. */
#ifndef GG_TESTS_GPU_TMA_H
#define GG_TESTS_GPU_TMA_H

#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "driver.h"

enum {
  TMA_RANK = 5,
  TMA_BYTES = 4096, /* of a tensor, and of the shared memory that is looked at, in all CTAs */
  TMA_MARGIN = 1 << 16,
  TMA_CTAS = 4,
  TMA_RESULT = TMA_BYTES + 4 * TMA_CTAS,
  TMA_BULK_TYPES = 10,
};

typedef enum tma_kind {
  TMA_ENCODE,
  TMA_LOAD,
  TMA_STORE,
  TMA_REDUCE,
  TMA_PREFETCH,
  /* Of plain bytes: global to shared, back, reduced into it; shared to another CTA's, reduced. */
  BULK_IN,
  BULK_OUT,
  BULK_REDUCE,
  BULK_ACROSS,
  BULK_REDUCE_ACROSS,
  BULK_PREFETCH,
} tma_kind;

/* Arguments of cuTensorMapEncodeTiled; the address is that of the tensor, and a displacement. */
typedef struct tma_map {
  int type;
  uint32_t rank, displacement;
  uint64_t dims[TMA_RANK], strides[TMA_RANK];
  uint32_t box[TMA_RANK], element_strides[TMA_RANK];
  int interleave, swizzle, promotion, fill;
} tma_map;

/* What the kernel is told, as it lies in its parameter. */
typedef struct tma_words {
  uint32_t offset; /* of the destination, or what is read, in shared memory */
  uint32_t from;   /* of the source in shared memory, where both are; of plain bytes in global */
  uint32_t bytes;  /* of plain copies */
  uint32_t expect; /* by each of the mbarriers that wait */
  uint32_t issuer, target;
  uint32_t mask;   /* of CTAs that wait */
  uint32_t window; /* bytes of each CTA's shared memory that are looked at */
  int32_t at[TMA_RANK];
} tma_words;

typedef struct tma_case {
  tma_kind kind;
  tma_map map;
  uint32_t ctas;  /* of the one cluster */
  bool clustered; /* launched with the cluster attribute */
  bool multicast; /* to the CTAs of the mask */
  bool own;       /* the destination is .shared::cta */
  bool hinted;    /* with a cache policy */
  int reduction;  /* add, min, max, inc, dec, and, or, xor */
  int type;       /* of a plain reduction: tma_bulk_types */
  tma_words words;
  uint64_t seed; /* of the data */
} tma_case;

typedef struct tma_result {
  int done, encode;
  int run; /* result of loading the kernel, or else of its launch */
  uint8_t bytes[TMA_RESULT];
} tma_result;

extern const char *const tma_bulk_types[TMA_BULK_TYPES];

/* How many cases there are, and the index-th. */
unsigned tma_case_count(void);
void tma_case_at(tma_case *out, unsigned index);
uint64_t tma_random(uint64_t *state);

/* The entry `tma` of a case: one CTA of the cluster copies, after all have filled their shared
 * memory from p_in; those that wait give theirs back at p_out, and whether their mbarrier did. */
void tma_ptx(gg_str *out, const tma_case *c);
/* Whether it ends in shared memory. */
bool tma_case_loads(const tma_case *c);

/* Runs cases `next`, next + step, … up to the first that kills the context, on a driver that
 * nobody has used; results[index] is done for those that ran. An error stands for trouble that is
 * no case's. */
gg_status tma_run(tma_result *results, gg_provider provider, unsigned next, unsigned step,
                  gg_error *err);

#endif
