/* The sparse operand of a problem, A or B: what of it is stored, where its metadata lies, and what
 * a launch takes of that. The functions that compress and expand are gemmgen_runtime.h's. */
#ifndef GG_RUNTIME_SPARSE_H
#define GG_RUNTIME_SPARSE_H

#include "gemmgen_launch.h"

enum { GG_METADATA_ROWS = 128, GG_METADATA_LINE = 16, GG_METADATA_TILE = 2048 /* bytes */ };

/* The kernel's operand that is sparse, 'a' or 'b'; 0: both are dense. */
char gg_sparse_operand(const gg_kernel *kernel);

/* Elements along K that it stores of so many, of whole groups. */
int64_t gg_sparse_stored_k(const gg_kernel *kernel, int64_t k);

/* Tiles of metadata along K. */
int64_t gg_sparse_tiles_k(const gg_kernel *kernel, int64_t k);

/* The batch stride of metadata that lies as densely as it can. PROBLEM_SIZE. */
gg_status gg_problem_pack_metadata(gg_problem *problem, const gg_kernel *kernel, gg_error *err);

/* Address and stride of metadata that is read; GG_OK where the kernel has none. */
gg_status gg_problem_check_metadata(const gg_kernel *kernel, const gg_problem *problem,
                                    gg_error *err);

#endif
