/* What a problem means for a kernel: checks, grid and arguments. Nothing here uses a device or
 * allocates memory. */
#ifndef GG_RUNTIME_PROBLEM_H
#define GG_RUNTIME_PROBLEM_H

#include "gemmgen_launch.h"
#include "plan/distribution.h"
#include "tensormap.h"

enum { GG_GRID_X_MAX = 2147483647, GG_GRID_Y_MAX = 65535 };

/* ---- Operands: view.c -------------------------------------------------------------------- */

/* One operand of a problem: `rows` vectors of `length` contiguous elements, `ld` apart. */
typedef struct gg_view {
  char name;   /* 'a', 'b', 'c' or 'd'; 'x': an operand of the epilogue */
  int index;   /* for 'x', the operation's */
  bool vector; /* a batch is one line, or one number: there is no leading dimension */
  bool written;
  bool pointers; /* `address` is that of an array with an address for each batch */
  bool shared;   /* all batches may share it, by a stride of 0, even if it is written */
  const gg_operand *operand;
  int64_t length, rows, batch, ld, batch_stride; /* elements */
  const char *length_name;                       /* "k" */
  uint64_t address;
} gg_view;

/* What a part of an operand is called: "A", "lda", "batch_stride_a", or "extras[1].ld". */
typedef enum gg_view_part { GG_VIEW_ADDRESS, GG_VIEW_LD, GG_VIEW_BATCH_STRIDE } gg_view_part;

enum { GG_VIEW_PART_NAME_MAX = 40 };

const char *gg_view_part_name(char out[GG_VIEW_PART_NAME_MAX], const gg_view *view,
                              gg_view_part part);

/* `which` is 'a', 'b', 'c' or 'd'. */
gg_view gg_problem_view(const gg_kernel *kernel, const gg_problem *problem, char which);

/* The operand of the epilogue's operation `index`, which has one. */
gg_view gg_problem_extra_view(const gg_kernel *kernel, const gg_problem *problem, size_t index);

/* ---- alpha and beta ---------------------------------------------------------------------- */

/* These give the wide or the narrow factors, whichever the problem has. */
static inline double gg_problem_alpha(const gg_problem *problem) {
  return problem->wide_factors ? problem->wide_alpha : problem->alpha;
}
static inline double gg_problem_beta(const gg_problem *problem) {
  return problem->wide_factors ? problem->wide_beta : problem->beta;
}

/* Whether C may be read. */
static inline bool gg_problem_reads_c(const gg_problem *problem) {
  return problem->beta_at != 0 || gg_problem_beta(problem) != 0;
}

/* ---- The whole --------------------------------------------------------------------------- */

/* A problem's K must be a multiple of this. It is 1, unless elements have less than 8 bits: then it
 * is the elements of a byte, or of what tensor maps copy. */
int64_t gg_kernel_k_unit(const gg_kernel *kernel);

/* The elements of a byte, if no tensor map copies A and B; else 1. */
int64_t gg_kernel_k_bytes(const gg_kernel *kernel);

/* How many columns of the product make one of D: 2 if an epilogue gates them; else 1. */
int64_t gg_kernel_n_unit(const gg_kernel *kernel);

/* A problem's N must be a multiple of this: of gg_kernel_n_unit, and of more if a gate takes its
 * columns from two halves of N. The second half must begin where copies of an N-major B's lines
 * may begin, or with an atom of B's scale factors. */
int64_t gg_kernel_n_multiple(const gg_kernel *kernel);

/* Whether a gate takes its columns from the two halves of N (gg_operations_split). */
bool gg_kernel_is_split(const gg_kernel *kernel);

/* Whether a kernel reads alpha and beta from device memory, and which type they have. */
bool gg_kernel_reads_scalars(const gg_kernel *kernel);
gg_dtype gg_kernel_scalar_type(const gg_kernel *kernel);

/* Sets the addresses of alpha and beta, of those that a kernel reads from device memory. */
void gg_problem_place_scalars(gg_problem *problem, const gg_kernel *kernel, uint64_t alpha,
                              uint64_t beta);

/* CTAs of a cluster. */
unsigned gg_kernel_cluster_size(const gg_kernel *kernel);

/* PROBLEM_EXTENT unless `value` is at least 0, and equals `fixed` (GG_FIXED_NONE: any). */
gg_status gg_problem_check_extent(const char *name, int64_t value, int64_t fixed, gg_error *err);

/* Checks the extents, and distributes the tiles to clusters. */
gg_status gg_problem_distribute(gg_distribution *out, const gg_kernel *kernel,
                                const gg_problem *problem, int64_t resident,
                                const gg_device_model *device, gg_error *err);

/* A vector of sums over no elements. `bytes` bytes of each batch become 0. */
typedef struct gg_empty_sum {
  uint64_t address, pitch, bytes, batches;
} gg_empty_sum;

/* The launch that a gg_prepared contains. It may alias, because a gg_prepared consists of words. */
typedef struct __attribute__((may_alias)) gg_launch_facts {
  const gg_module *module;
  bool overlap;
  unsigned grid[3];                      /* all 0: there is nothing to do except empty sums */
  uint64_t arguments[GG_PARAMS_MAX];     /* in the kernel's order; floats in the low bytes */
  uint64_t maps[GG_LAUNCH_MAPS_MAX][16]; /* tensor maps, in the order of parameters */
  int64_t works;                         /* clusters of the grid that compute something */
  gg_gpc_table gpcs;                     /* for kernels whose clusters claim their work */
  gg_empty_sum empty_sums[GG_OPERATIONS_MAX];
  size_t empty_sum_count;
} gg_launch_facts;

static inline gg_launch_facts *gg_prepared_facts(gg_prepared *prepared) {
  return (gg_launch_facts *)prepared;
}
static inline const gg_launch_facts *gg_prepared_facts_of(const gg_prepared *prepared) {
  return (const gg_launch_facts *)prepared;
}

/* Reads a caller's problem, whatever version of the struct it is. If it is another version than
 * this library's, it is copied to `room`, where *problem points then. STRUCT_SIZE, STRUCT_NEWER. */
gg_status gg_problem_read(const gg_problem **problem, gg_problem *room, gg_error *err);

/* Checks a problem and fills *out, except the module, tensor maps and GPCs. `resident` is how many
 * of the kernel's CTAs the device holds at once. */
gg_status gg_problem_check(gg_launch_facts *out, const gg_kernel *kernel, const gg_problem *problem,
                           int64_t resident, const gg_device_model *device, gg_error *err);

/* The next multiple of `multiple`, or the last one below INT64_MAX. */
static inline int64_t gg_problem_round_up(int64_t value, int64_t multiple) {
  int64_t rest = value % multiple;
  if (rest == 0) return value;
  return value > INT64_MAX - multiple ? INT64_MAX / multiple * multiple : value - rest + multiple;
}

#endif
