/* The disk cache of compiled kernels: content-addressed, shared by processes without locks; and
 * beside them what was chosen for products. */
#ifndef GG_RUNTIME_CACHE_H
#define GG_RUNTIME_CACHE_H

#include "gemmgen.h"

typedef struct gg_cache {
  char *directory; /* the one that is written; NULL: none */
  char *others;    /* those that are only read, looked at first: each ends with a NUL, and the list
                      with an empty one; NULL: none */
  int64_t limit;   /* bytes */
} gg_cache;

enum { GG_CACHE_DIGEST = 32, GG_CACHE_DEFAULT_BYTES = 256 << 20 };

typedef struct gg_cache_key {
  unsigned char digest[GG_CACHE_DIGEST];
} gg_cache_key;

/* Resolves the directory (see gg_compiler_options), or the environment's list of them; makes
 * nothing on disk. */
gg_status gg_cache_open(gg_cache *out, const char *directory, int64_t limit, gg_error *err);
void gg_cache_close(gg_cache *cache);

/* The key of a list of texts: no two lists share one, however their texts are divided. */
gg_cache_key gg_cache_key_of(const char *const *texts, size_t count);

/* Appends the entry's binary and log. False when there is none, or none that is whole; or one that
 * others may have written, which `why` then says. */
bool gg_cache_get(gg_str *binary, gg_str *log, const gg_cache *cache, const gg_cache_key *key,
                  gg_str *why);

/* Stores an entry and trims the cache to its limit. On failure `why` says what could not be
 * written, and what was there before is untouched. */
bool gg_cache_put(const gg_cache *cache, const gg_cache_key *key, const gg_str *binary,
                  const gg_str *log, gg_str *why);

/* What was remembered under a key by gg_cache_remember, appended. It is kept in one of a fixed
 * number of small files, in which the newest of the keys that share it stands: what is forgotten
 * costs its user a little time. */
bool gg_cache_recall(gg_str *out, const gg_cache *cache, const gg_cache_key *key);
void gg_cache_remember(const gg_cache *cache, const gg_cache_key *key, const gg_str *text);

typedef struct gg_cache_usage {
  int64_t entries, bytes;
  int64_t distrusted; /* of the entries: others may have written them, so they are not used */
} gg_cache_usage;

gg_cache_usage gg_cache_usage_of(const gg_cache *cache);

/* Removes every entry and what is remembered; gives what entries there were. */
gg_cache_usage gg_cache_clear(const gg_cache *cache);

#endif
