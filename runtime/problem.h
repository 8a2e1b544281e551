/* A problem against a kernel: checks, grid, arguments. Pure: no device, no allocation. */
#ifndef GG_RUNTIME_PROBLEM_H
#define GG_RUNTIME_PROBLEM_H

#include "gemmgen_launch.h"
#include "plan/distribution.h"
#include "tensormap.h"

enum { GG_GRID_X_MAX = 2147483647, GG_GRID_Y_MAX = 65535 };

/* ---- Operands: view.c -------------------------------------------------------------------- */

/* One operand of a problem: `rows` vectors of `length` contiguous elements, `ld` apart. */
typedef struct gg_view {
  char name;   /* 'a'; 'x': of the epilogue */
  int index;   /* 'x': of the operation */
  bool vector; /* one line, or one number, a batch: there is no leading dimension */
  bool written;
  bool pointers; /* `address` is that of an array with one a batch */
  bool shared;   /* by all batches, if their stride is 0, though it is written */
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

/* As the problem has them, whichever it has. */
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

/* Elements along K of which a problem has whole multiples; 1 but of elements of less than 8 bits: a
 * byte of them, or what tensor maps copy. */
int64_t gg_kernel_k_unit(const gg_kernel *kernel);

/* The first of these: what a byte has where no tensor map copies A and B; else 1. */
int64_t gg_kernel_k_bytes(const gg_kernel *kernel);

/* Columns of the product of which D has one: 2 where an epilogue gates them; else 1. */
int64_t gg_kernel_n_unit(const gg_kernel *kernel);

/* Columns of the product of which a problem has whole multiples: the same, but where a gate's
 * columns are the halves of an N-major B's lines. The second half then begins where its copies
 * may; beside scale factors of B with an atom of them. */
int64_t gg_kernel_n_multiple(const gg_kernel *kernel);

/* Whether a gate's columns are the halves of N (gg_operations_split). */
bool gg_kernel_is_split(const gg_kernel *kernel);

/* Whether its alpha and beta are in device memory; of which type they are. */
bool gg_kernel_reads_scalars(const gg_kernel *kernel);
gg_dtype gg_kernel_scalar_type(const gg_kernel *kernel);

/* Says where alpha and beta are, to a kernel that reads them: of each that it takes. */
void gg_problem_place_scalars(gg_problem *problem, const gg_kernel *kernel, uint64_t alpha,
                              uint64_t beta);

/* CTAs of a cluster. */
unsigned gg_kernel_cluster_size(const gg_kernel *kernel);

/* PROBLEM_EXTENT unless `value` is from 0 on, and what is fixed (GG_FIXED_NONE: nothing). */
gg_status gg_problem_check_extent(const char *name, int64_t value, int64_t fixed, gg_error *err);

/* Checks the extents, and distributes the tiles to clusters. */
gg_status gg_problem_distribute(gg_distribution *out, const gg_kernel *kernel,
                                const gg_problem *problem, int64_t resident,
                                const gg_device_model *device, gg_error *err);

/* A vector of sums over no elements: of each batch so many bytes become 0. */
typedef struct gg_empty_sum {
  uint64_t address, pitch, bytes, batches;
} gg_empty_sum;

/* What a gg_prepared has in its room: a launch. May alias, as the room is of words. */
typedef struct __attribute__((may_alias)) gg_launch_facts {
  const gg_module *module;
  bool overlap;
  unsigned grid[3];                      /* all 0: there is nothing to compute, but for sums */
  uint64_t arguments[GG_PARAMS_MAX];     /* in the kernel's order; floats in the low bytes */
  uint64_t maps[GG_LAUNCH_MAPS_MAX][16]; /* tensor maps, in the order of parameters */
  int64_t works;                         /* clusters of the grid that compute something */
  gg_gpc_table gpcs;                     /* of kernels whose clusters claim their work */
  gg_empty_sum empty_sums[GG_OPERATIONS_MAX];
  size_t empty_sum_count;
} gg_launch_facts;

static inline gg_launch_facts *gg_prepared_facts(gg_prepared *prepared) {
  return (gg_launch_facts *)prepared;
}
static inline const gg_launch_facts *gg_prepared_facts_of(const gg_prepared *prepared) {
  return (const gg_launch_facts *)prepared;
}

/* A caller's problem, whatever version of the struct it is: where it is another, `room` has it as
 * this library knows it. STRUCT_SIZE, STRUCT_NEWER. */
gg_status gg_problem_read(const gg_problem **problem, gg_problem *room, gg_error *err);

/* Fills all of *out but the module, tensor maps and GPCs. `resident` is how many of the kernel's
 * CTAs the device holds at once. */
gg_status gg_problem_check(gg_launch_facts *out, const gg_kernel *kernel, const gg_problem *problem,
                           int64_t resident, const gg_device_model *device, gg_error *err);

/* The next multiple, or the last one below INT64_MAX. */
static inline int64_t gg_problem_round_up(int64_t value, int64_t multiple) {
  int64_t rest = value % multiple;
  if (rest == 0) return value;
  return value > INT64_MAX - multiple ? INT64_MAX / multiple * multiple : value - rest + multiple;
}

#endif
