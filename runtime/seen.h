/* What a gg_gemm remembers: from a product to the kernel chosen for it.
 *
 * A hash table that readers never lock. Entries are const and live until gg_seen_free, so are the
 * arrays: one that has grown too small stays for those who are still reading it. Who adds holds a
 * lock of his own. */
#ifndef GG_RUNTIME_SEEN_H
#define GG_RUNTIME_SEEN_H

#include <stdatomic.h>

#include "gemmgen_gemm.h"

enum { GG_SEEN_WORDS = 8, GG_SEEN_MAX = 1 << 16 };

typedef struct gg_seen_key {
  /* types, majors and alignments; factors; M, N, K, batch; workspace; multiprocessors */
  uint64_t words[GG_SEEN_WORDS];
  const char *epilogue; /* text or NULL */
} gg_seen_key;

typedef struct gg_seen {
  _Atomic(struct gg_seen_table *) table;
} gg_seen;

/* The bytes of workspace that a product is chosen a kernel for: those that the problem has, rounded
 * down to a power of two, so that what is remembered serves the like. */
int64_t gg_seen_workspace(const gg_problem *problem);

/* How many multiprocessors it may fill; 0: all. */
int64_t gg_seen_multiprocessors(const gg_problem *problem);

gg_seen_key gg_seen_key_of(const gg_form *form, const gg_problem *problem);

/* Whether two keys are one; or of one form, whatever the extents. */
bool gg_seen_same(const gg_seen_key *left, const gg_seen_key *right);
bool gg_seen_same_form(const gg_seen_key *left, const gg_seen_key *right);

/* NULL: not seen. */
const gg_gemm_choice *gg_seen_find(gg_seen *seen, const gg_seen_key *key);

/* Copies key and choice. Does nothing where memory is out, or GG_SEEN_MAX products are there:
 * what is not remembered is chosen anew. */
void gg_seen_add(gg_seen *seen, const gg_seen_key *key, const gg_gemm_choice *choice);
void gg_seen_free(gg_seen *seen);

#endif
