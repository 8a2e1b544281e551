/* The disk cache of compiled kernels, and of what was chosen for products. Entries are found by a
 * digest of what they were made from, and processes share them without locks. */
#ifndef GG_RUNTIME_CACHE_H
#define GG_RUNTIME_CACHE_H

#include "gemmgen.h"

typedef struct gg_cache {
  char *directory; /* the one that is written; NULL: none */
  char *others;    /* those that are only read, and are searched first: each ends with a NUL, and
                      the list with an empty one; NULL: none */
  int64_t limit;   /* bytes */
} gg_cache;

enum { GG_CACHE_DIGEST = 32, GG_CACHE_DEFAULT_BYTES = 256 << 20 };

typedef struct gg_cache_key {
  unsigned char digest[GG_CACHE_DIGEST];
} gg_cache_key;

/* Finds out the directory (see gg_compiler_options), or the environment's list of them. It makes
 * nothing on disk. */
gg_status gg_cache_open(gg_cache *out, const char *directory, int64_t limit, gg_error *err);
void gg_cache_close(gg_cache *cache);

/* The key of a list of texts. Lists that have the same letters but are divided otherwise have
 * different keys. */
gg_cache_key gg_cache_key_of(const char *const *texts, size_t count);

/* Appends the entry's binary and log. False if there is no entry, or it is damaged, or others may
 * have written it, which `why` then says. */
bool gg_cache_get(gg_str *binary, gg_str *log, const gg_cache *cache, const gg_cache_key *key,
                  gg_str *why);

/* Stores an entry and trims the cache to its limit. On failure `why` says what could not be
 * written, and what was there before is untouched. */
bool gg_cache_put(const gg_cache *cache, const gg_cache_key *key, const gg_str *binary,
                  const gg_str *log, gg_str *why);

/* gg_cache_remember keeps a text under a key, and gg_cache_recall appends it to *out. There is a
 * fixed number of small files for this. Keys that share a file replace each other, so a text may be
 * forgotten, which costs its user a little time. */
bool gg_cache_recall(gg_str *out, const gg_cache *cache, const gg_cache_key *key);
void gg_cache_remember(const gg_cache *cache, const gg_cache_key *key, const gg_str *text);

typedef struct gg_cache_usage {
  int64_t entries, bytes;
  int64_t distrusted; /* entries that are not used because others may have written them */
} gg_cache_usage;

gg_cache_usage gg_cache_usage_of(const gg_cache *cache);

/* Removes all entries and all that is remembered; returns what entries there were. */
gg_cache_usage gg_cache_clear(const gg_cache *cache);

#endif
