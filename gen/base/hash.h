/* The 64-bit FNV-1a hash, in which accidental differences show. It is for names and checksums; what
 * must not be forged uses SHA-256 (docs/adr/0003-sha256-from-nettle.md). */
#ifndef GG_BASE_HASH_H
#define GG_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes, from which others start. */
#define GG_HASH_BEGIN UINT64_C(14695981039346656037)

/* The hash that `hash` becomes when these bytes follow. */
static inline uint64_t gg_hash_bytes(uint64_t hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

#endif
