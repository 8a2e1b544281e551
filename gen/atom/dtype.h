/* Number types: the table dtypes.def as data. */
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

/* Bytes of `count` elements of `bits` bits that are packed without gaps, rounded up to a whole
 * byte. Every size is computed here, because an element of 4 or 6 bits is no whole number of bytes.
 */
int64_t gg_bytes_of(int64_t count, int bits);
int64_t gg_dtype_bytes(gg_dtype type, int64_t elements);

/* The smallest power of two of elements that takes a multiple of `bytes` bytes: for 16 bytes, 8 of
 * f16 or 64 of e2m3. */
int64_t gg_dtype_unit(gg_dtype type, int64_t bytes);

/* Finds a type by our name for it; false if there is none. */
bool gg_dtype_find(gg_dtype *out, const char *name);

bool gg_dtype_is_float(gg_dtype type);
bool gg_dtype_is_fp8(gg_dtype type); /* e4m3, e5m2 */

#endif
