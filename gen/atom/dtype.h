/* Number types: the table of dtypes.def as data. */
#ifndef GG_ATOM_DTYPE_H
#define GG_ATOM_DTYPE_H

#include "gemmgen.h"

typedef struct gg_dtype_info {
  const char *name; /* ours and the spec's: "bf16" */
  int bits;
  const char *cute; /* "bfloat16_t" */
  const char *ptx;  /* "bf16" */
  char kind;        /* 'f' float, 'i' signed integer, 'u' unsigned integer */
} gg_dtype_info;

const gg_dtype_info *gg_dtype_info_of(gg_dtype type);

/* Bytes of so many elements of so many bits behind each other; where they end within a byte, all of
 * it. Every size comes from here: an element of 4 or 6 bits has no bytes of its own. */
int64_t gg_bytes_of(int64_t count, int bits);
int64_t gg_dtype_bytes(gg_dtype type, int64_t elements);

/* The fewest elements that take a multiple of so many bytes, a power of two: of 16 bytes 8 of f16,
 * 64 of e2m3. */
int64_t gg_dtype_unit(gg_dtype type, int64_t bytes);

/* Finds a type by our name; false where there is none. */
bool gg_dtype_find(gg_dtype *out, const char *name);

bool gg_dtype_is_float(gg_dtype type);
bool gg_dtype_is_fp8(gg_dtype type); /* e4m3, e5m2 */

#endif
