/* The sparse operand of a problem, A or B: which of its elements are stored, where its metadata
 * lies, and what a launch takes of that. Functions that compress and expand are in
 * gemmgen_launch.h. */
#ifndef GG_RUNTIME_SPARSE_H
#define GG_RUNTIME_SPARSE_H

#include "gemmgen_launch.h"

enum { GG_METADATA_ROWS = 128, GG_METADATA_LINE = 16, GG_METADATA_TILE = 2048 /* bytes */ };

/* The kernel's operand that is sparse, 'a' or 'b'; 0: both are dense. */
char gg_sparse_operand(const gg_kernel *kernel);

/* How many elements it stores of k elements along K, in whole groups. */
int64_t gg_sparse_stored_k(const gg_kernel *kernel, int64_t k);

/* Tiles of metadata along K. */
int64_t gg_sparse_tiles_k(const gg_kernel *kernel, int64_t k);

/* Sets the batch stride of metadata that lies as densely as it can. PROBLEM_SIZE. */
gg_status gg_problem_pack_metadata(gg_problem *problem, const gg_kernel *kernel, gg_error *err);

/* Checks address and stride of metadata that is read; GG_OK if the kernel has none. */
gg_status gg_problem_check_metadata(const gg_kernel *kernel, const gg_problem *problem,
                                    gg_error *err);

#endif
