/* A kernel as a launch knows it: operands, epilogue, grid, cluster, shared memory, tensor maps,
 * parameters. This is plain data, which the generator makes beside a kernel's text (gemmgen.h), and
 * which `gemmgen pack` writes into a program (gemmgen_launch.h).
 *
 * D = epilogue(A * B), where A is M x K, B is N x K, and C and D are M x N, for each matrix of a
 * batch. If the epilogue has a gate, which combines two columns, D is M x N / 2. All sizes and
 * strides are int64 and count elements, unless a name says bytes. */
#ifndef GEMMGEN_KERNEL_H
#define GEMMGEN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gg_dtype {
#define GG_DTYPE(number, name, bits, ...) GG_DTYPE_##name = (number),
#include "atom/dtypes.def"
#undef GG_DTYPE
  GG_DTYPE_COUNT /* the number in this version; later versions have more */
} gg_dtype;

/* Which mode of a matrix is contiguous in memory. A: K or M; B: K or N; C and D: N (row-major) or M
 * (column-major). */
typedef enum gg_major { GG_MAJOR_K = 0, GG_MAJOR_M = 1, GG_MAJOR_N = 2 } gg_major;

typedef struct gg_operand {
  gg_dtype type;
  gg_major major;
  int align; /* bytes; the base address, leading dimension and batch stride are multiples of it */
} gg_operand;

/* Scale factors. A and B have one for each `block` elements along K, D one for each `block` along
 * N. */
typedef struct gg_scaling {
  gg_dtype type; /* ue8m0 or ue4m3 */
  int block;     /* 16 or 32 elements, beside a sparse A 32 or 64; 0: there are no factors */
} gg_scaling;

/* What the epilogue does to x, which begins as an element of the accumulator. */
typedef enum gg_op_kind {
  GG_OP_LINEAR = 0,   /* alpha * x + beta * C */
  GG_OP_BIAS = 1,     /* x + a vector */
  GG_OP_SCALE = 2,    /* x * a vector, or x * a number; both in device memory */
  GG_OP_RESIDUAL = 3, /* x + a matrix like D */
  GG_OP_AUX = 4,      /* x; also stores x, as it is at this point, in a matrix like D */
  GG_OP_RELU = 5,
  GG_OP_GELU = 6,
  GG_OP_SILU = 7,
  GG_OP_SIGMOID = 8,
  GG_OP_TANH = 9,
  GG_OP_HARDSWISH = 10,
  GG_OP_LEAKY_RELU = 11,
  GG_OP_CLAMP = 12,
  GG_OP_MULTIPLY = 13, /* x * a matrix like D, element by element */
  GG_OP_EXPR = 14,     /* an expression of x, of t0 (a vector or a matrix like D) and of operands
                        * before it */
  GG_OP_DRELU = 15,    /* x * the derivative of relu at a matrix like D, which was relu's input in
                        * the forward pass */
  GG_OP_DGELU = 16,    /* the same with gelu */
  GG_OP_DSILU = 17,    /* the same with silu */
  GG_OP_AMAX = 18,     /* x; also keeps the largest magnitude of x in device memory */
  GG_OP_SUM = 19,      /* x; also stores the sum of each column, or of each row */
  GG_OP_GATED = 20,    /* act(x) * the x of the column that belongs to it; D has half of the
                        * product's columns */
  GG_OP_OPERAND = 21, /* x; its operand is for expressions behind it: t1, t2 for the next one of the
                       * list, ... */
  GG_OP_COUNT         /* the number in this version; later versions have more */
} gg_op_kind;

/* Which numbers a vector has: one for each row of D (M), one for each column (N), or one for all of
 * D (ALL). Operands of expressions can also have one for each element (ELEMENTS), or there is none
 * (NONE). */
typedef enum gg_along {
  GG_ALONG_M = 0,
  GG_ALONG_N = 1,
  GG_ALONG_ALL = 2,
  GG_ALONG_ELEMENTS = 3,
  GG_ALONG_NONE = 4
} gg_along;

typedef enum gg_gelu { GG_GELU_ERF = 0, GG_GELU_TANH = 1, GG_GELU_TANH_APPROX = 2 } gg_gelu;

/* Where alpha and beta are given. */
typedef enum gg_scalars {
  GG_SCALARS_HOST = 0,  /* among a launch's arguments */
  GG_SCALARS_DEVICE = 1 /* in device memory, where the kernel reads them */
} gg_scalars;

/* A flag in gg_operation.expression of a gate: columns j and N / 2 + j of the product become D's
 * column j. Without it, columns 2 j and 2 j + 1 do. */
enum { GG_GATED_SPLIT = 256 };

typedef struct gg_operation {
  gg_op_kind kind;
  bool alpha, beta;   /* linear: it has such a factor */
  gg_gelu form;       /* gelu and dgelu; and gates whose activation is gelu */
  gg_along along;     /* bias, scale, expr, operand, sum */
  gg_operand operand; /* what it reads; or, for aux, amax and sum, writes */
  float numbers[2];   /* leaky_relu: its slope; clamp: the least and the largest value, infinite if
                       * not given */
  int expression;     /* expr: index into gg_kernel.expressions; gate: its activation, a gg_op_kind,
                       * with GG_GATED_SPLIT added if its columns are split */
  gg_scalars scalars; /* linear: where alpha and beta are given */
} gg_operation;

/* The expression that an operation expr computes. */
typedef struct gg_expression gg_expression;

enum { GG_OPERATIONS_MAX = 16 };

/* The operands of a kernel. These numbers never change: new ones are added at the end. */
typedef enum gg_operand_id {
  GG_OPERAND_NONE = 0,
  GG_OPERAND_A = 1,
  GG_OPERAND_B = 2,
  GG_OPERAND_C = 3,
  GG_OPERAND_D = 4,
  GG_OPERAND_EXTRA = 5,   /* what an operation of the epilogue reads or writes */
  GG_OPERAND_SCALE_A = 6, /* scale factors of A */
  GG_OPERAND_SCALE_B = 7,
  GG_OPERAND_SCALE_D = 8,  /* scale factors of D, which the kernel computes */
  GG_OPERAND_METADATA = 9, /* which elements of a sparse A or B are stored */
} gg_operand_id;

/* What a kernel parameter is, of an operand or of the whole problem. These numbers never change. */
typedef enum gg_param_kind {
  GG_PARAM_ADDRESS = 0,      /* device pointer to an operand */
  GG_PARAM_LD = 1,           /* int64: the operand's leading dimension, in elements */
  GG_PARAM_BATCH_STRIDE = 2, /* int64: the operand's batch stride, in elements */
  GG_PARAM_MAP = 3, /* the operand's tensor map, by value, in place of address and strides; D has
                     * both, because its map writes only the whole 16 bytes of lines */
  GG_PARAM_M = 4,   /* int64 extents, even if the spec fixes them */
  GG_PARAM_N = 5,
  GG_PARAM_K = 6,
  GG_PARAM_BATCH = 7,
  GG_PARAM_ALPHA = 8,         /* float; or the address of one in device memory (gg_scalars) */
  GG_PARAM_BETA = 9,          /* likewise */
  GG_PARAM_WORKSPACE = 10,    /* device pointer */
  GG_PARAM_SHARED_TILES = 11, /* int64: how many tiles clusters share; next: tiles in a group;
                               * shares of a group */
  GG_PARAM_GROUP_TILES = 12,
  GG_PARAM_GROUP_SHARES = 13,
  GG_PARAM_NEXT_BESIDE =
      14,                  /* int64: whether the launch behind this one may begin before it ends */
  GG_PARAM_SUM_PARTS = 15, /* device pointer into the workspace, to the parts of sums over D */
  GG_PARAM_MAP_END = 16,   /* a second tensor map of the operand, for its last lines (gg_tensor_map,
                            * `end`) */
  GG_PARAM_EVICT_FIRST = 17, /* int64: whether D's lines should leave the L2 cache before others */
  GG_PARAM_MAP_SETS = 18, /* device pointer into the workspace, to tensor maps whose addresses the
                           * kernel changes for each batch */
  GG_PARAM_GPCS = 19,     /* a gg_gpc_table, by value */
} gg_param_kind;

/* One kernel parameter; a kernel has them in the order of its signature. */
typedef struct gg_param {
  gg_param_kind kind;
  gg_operand_id operand; /* of kinds 0 to 3 and GG_PARAM_MAP_END; else GG_OPERAND_NONE */
  int operation;         /* if the operand is GG_OPERAND_EXTRA: which operation of the epilogue it
                          * belongs to */
} gg_param;

enum { GG_PARAMS_MAX = 80 };

/* The parameter GG_PARAM_GPCS, by value: which multiprocessors are in the same GPC, and what the
 * clusters that run there compute. The `clusters` of all entries add up to the grid's; an entry
 * without a GPC has 0. Of a GPC's clusters, those beyond its `works` compute nothing. A launch that
 * knows nothing about GPCs puts everything into entry 0. */
enum { GG_GPCS_MAX = 16, GG_GPC_MULTIPROCESSORS = 192 };
typedef struct gg_gpc_table {
  uint8_t gpcs[GG_GPC_MULTIPROCESSORS / 2]; /* the GPC of each %smid, 4 bits each; the lower 4 are
                                             * those of the even %smid */
  uint16_t clusters[GG_GPCS_MAX];           /* clusters of the grid that each GPC should get */
  uint16_t works[GG_GPCS_MAX];              /* how many of these compute tiles, side by side, */
  uint16_t first[GG_GPCS_MAX];              /* and the number of the first of those */
} gg_gpc_table;

/* What a dimension of a tensor map runs over in its operand. */
typedef enum gg_map_mode {
  GG_MAP_LINE = 0,  /* the operand's contiguous mode */
  GG_MAP_LINES = 1, /* the mode across that */
  GG_MAP_BATCH = 2,
  GG_MAP_SCALE_ATOM = 3, /* scale factors: the 512 bytes of an atom (128 rows by 4 factors), as 256
                          * elements of 2 bytes; next: atoms along the rows; atoms along K */
  GG_MAP_SCALE_ROWS = 4,
  GG_MAP_SCALE_K = 5,
  GG_MAP_METADATA_TILE = 6, /* metadata: the 2048 bytes of a tile (128 rows by 16 bytes), as 256
                             * elements of 8 bytes; next: tiles along the rows; tiles along K */
  GG_MAP_METADATA_ROWS = 7,
  GG_MAP_METADATA_K = 8,
  GG_MAP_METADATA_BLOCK = 9, /* metadata for MMAs of 64 rows: the 256 bytes of 16 rows, as 32
                              * elements of 8 bytes; next: a dimension of one element, beyond which
                              * a box gets zeros; blocks along the rows */
  GG_MAP_METADATA_GAP = 10,
  GG_MAP_METADATA_BLOCKS = 11,
  GG_MAP_HALF = 12, /* lines that are copied from both halves in turns: which half; next: lines of a
                     * half */
  GG_MAP_HALF_LINES = 13,
} gg_map_mode;

enum { GG_TENSOR_MAPS_MAX = 8, GG_MAP_RANK_MAX = 5 };

/* How a tensor map copies an operand, in boxes. The map itself, 128 bytes, is made for a problem by
 * gg_prepare and passed to the kernel by value. What a box contains beyond the operand reads as
 * zeros and is not written. */
typedef struct gg_tensor_map {
  gg_operand_id operand;
  int operation; /* if `operand` is GG_OPERAND_EXTRA: which operation of the epilogue it belongs to
                  */
  gg_dtype type; /* type of its elements; tf32 elements are f32 in memory, and rounded on the way in
                  */
  int rank;      /* number of dimensions, 1 to 5; the first is the contiguous mode */
  gg_map_mode modes[GG_MAP_RANK_MAX];
  int box[GG_MAP_RANK_MAX]; /* elements of a box in each dimension */
  int swizzle_bytes; /* how the box's lines lie in shared memory: swizzled by 128, 64 or 32 bytes;
                      * 0: as they come */
  bool unpacks; /* elements of 4 and 6 bits get a byte each in shared memory; the operand's lines
                 * must then be multiples of 128 elements */
  int swizzle_wide; /* 1: the swizzle of 128 bytes moves 32 bytes as one, not 16 */
  int rows_step;    /* n > 0: a box has every n-th element of the second dimension; 0: each one */
  int end; /* 1: the operand's last rows or columns have a map of their own, GG_PARAM_MAP_END. Its
            * boxes have as many as whole boxes leave over (if K is contiguous: lines; else elements
            * of each line, rounded up to 16 bytes). If nothing is left over, that map is valid, but
            * not used */
} gg_tensor_map;

/* How many CTAs a problem takes. A cluster of CTAs computes a block of neighbouring tiles. */
typedef enum gg_grid_rule {
  /* One CTA for each tile: x = ceil(M / tile_m) * ceil(N / tile_n) * batch, with the numbers of
   * tiles along M and N rounded up to whole clusters.
   *
   * If pairs of CTAs take R rows in turns (R = turns_pairs_m), tile 2 * u + h of a pair has, in its
   * CTA r, the rows from R * u + R / 2 * r + tile_m * h on, and there are ceil(M / R) + ceil((M -
   * tile_m) / R) tiles along M. The same holds for columns.
   *
   * If T = R / tile_n tiles take R columns in turns (R = turns_halves_n), tile T * u + h has the
   * tile_n / 2 columns from R * u + tile_n / 2 * h on, and those R / 2 further on; there are as
   * many tiles as have columns. The same holds for rows. */
  GG_GRID_TILES = 0,
  /* As many CTAs as there are tiles, but at most as many as the device holds at once: cluster x
   * computes blocks x, x + clusters, x + 2 * clusters, ... */
  GG_GRID_PERSISTENT = 1,
  /* The same for parts of blocks: the K of each block is divided into shares of equal length for
   * several clusters. */
  GG_GRID_SPLIT_K = 2,
  /* The last blocks, which do not fill the device, are divided into shares together; the others are
   * computed whole. */
  GG_GRID_STREAM_K = 3,
} gg_grid_rule;

/* Bytes at the beginning of a workspace that hold counters: they are zero before and after every
 * launch. */
enum { GG_WORKSPACE_COUNTERS = 65536 };

enum { GG_FIXED_NONE = -1 }; /* an extent that the spec does not fix */

/* A kernel: its text, and the facts about its launch. It is const, self-contained and owned by the
 * caller; the same spec gives the same bytes. Only the library makes kernels: use one where it is,
 * do not copy it. */
typedef struct gg_kernel {
  const char *name;   /* its extern "C" entry point */
  const char *family; /* "sm80" */
  const char *arch;   /* the oldest architecture that it runs on, "sm_80" */
  const char *note;   /* NULL, or a note about the choice of family: the architecture has a family
                       * of its own, or instructions that no family uses */
  const char *source; /* CUDA C++, or, if `ptx`, PTX; NUL-terminated */
  size_t source_length;
  const char *fingerprint; /* hash of the text, which contains the spec, the parameters and
                            * gemmgen's version: the text has a second, empty entry point of this
                            * name, by which gg_module_load_binary knows that a binary is of this
                            * very kernel. NULL: it is not checked */

  gg_operand a, b, c, d;
  gg_dtype accumulator;
  int accumulator_bits; /* if sums of products keep fewer bits of the significand than the
                         * accumulator has: how many; else 0 */
  int accumulator_span; /* elements along K of the sums for which that holds; these are then added
                         * to the accumulator with all of its bits. 0: all of K */
  int64_t fixed_m, fixed_n, fixed_k, fixed_batch; /* GG_FIXED_NONE if given at launch */
  gg_operation operations[GG_OPERATIONS_MAX];     /* the epilogue, in order */
  size_t operation_count;

  gg_grid_rule grid;
  int splits; /* for GG_GRID_SPLIT_K: parts of K; 0: gg_prepare chooses */
  int tile_m, tile_n, tile_k;
  int tile_warps; /* warps that compute one tile, if tiles are shared; else 0 */
  bool dependent; /* it may be launched before what it depends on has ended, because it waits itself
                   */
  int threads;    /* of a CTA */
  int cluster_m, cluster_n; /* CTAs of a cluster along M and N, all of them in the grid's x; else 1
                             * and 1 */
  int cluster_k;            /* CTAs of a cluster that compute parts of one tile's K; else 1 */
  int64_t smem_bytes;       /* dynamic shared memory of a CTA */

  bool int32_coordinates; /* M, N and the batch are held in 32 bits, as K always is */

  const gg_param *params;
  size_t param_count;
  gg_tensor_map maps[GG_TENSOR_MAPS_MAX]; /* one for each parameter that is a map, in the order of
                                           * the parameters */
  size_t map_count;
  gg_scaling scale_a, scale_b; /* block 0: not scaled */
  gg_scaling scale_d;          /* block 0: D is not scaled */
  bool sparse_a;               /* A is given compressed, with metadata (gg_sparse_compress) */
  uint64_t sparse_b;           /* 1: B is given compressed; else 0 */
  int64_t turns_pairs_m, turns_pairs_n;   /* rows and columns that pairs of CTAs of two neighbouring
                                           * tiles take in turns (GG_GRID_TILES); 0: none do */
  int64_t turns_halves_m, turns_halves_n; /* rows and columns whose halves tiles take in turns
                                           * (GG_GRID_TILES); 0: none do */
  const gg_expression *expressions;       /* those of its operations; NULL if there are none */
  int64_t sum_bytes_m, sum_bytes_n; /* bytes of the workspace for each row and each column of a
                                     * CTA's tile of which sums are stored */
  uint64_t pointers; /* 1: a batch is given by arrays of addresses (gg_problem.pointers); else 0 */
  uint64_t xor_bits; /* for b1, 1: bits of A and B that differ are counted; 0: bits that are both 1
                      */
  uint64_t ptx;      /* 1: the text is PTX (gg_kernel_generate_ptx); else 0 */
  int64_t map_bytes; /* bytes of the workspace that a CTA takes for tensor maps whose addresses it
                      * changes; 0: it changes none */
  uint64_t rounded_a, rounded_b; /* for tf32, 1: the caller promises that elements of A, or B, are
                                  * tf32 numbers, with zeros in the lower 13 bits of the fraction;
                                  * 0: they need not be */
  uint64_t reserved[14];
} gg_kernel;

#ifdef __cplusplus
}
#endif

#endif
