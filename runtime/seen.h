/* What a gg_gemm has seen: a hash table from products to the kernels that were chosen for them.
 *
 * Readers never lock it. Entries do not change and live until gg_seen_free. So do the arrays: one
 * that has become too small stays for those who are still reading it. A caller that adds must hold
 * a lock of its own. */
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

/* The bytes of workspace for which a kernel is chosen: those that the problem has, rounded down to
 * a power of two, so that a choice serves problems with about as much. */
int64_t gg_seen_workspace(const gg_problem *problem);

/* How many multiprocessors the problem may fill; 0: all. */
int64_t gg_seen_multiprocessors(const gg_problem *problem);

gg_seen_key gg_seen_key_of(const gg_form *form, const gg_problem *problem);

/* Whether two keys are the same; and whether their forms are, whatever the extents. */
bool gg_seen_same(const gg_seen_key *left, const gg_seen_key *right);
bool gg_seen_same_form(const gg_seen_key *left, const gg_seen_key *right);

/* NULL: not seen. */
const gg_gemm_choice *gg_seen_find(gg_seen *seen, const gg_seen_key *key);

/* Copies key and choice. Does nothing if memory is out, or if there are GG_SEEN_MAX products: for
 * one that is not in the table, a kernel is chosen anew. */
void gg_seen_add(gg_seen *seen, const gg_seen_key *key, const gg_gemm_choice *choice);
void gg_seen_free(gg_seen *seen);

#endif
