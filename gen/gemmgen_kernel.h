/* A kernel as a launch knows it: operands, epilogue, grid, cluster, shared memory, tensor maps,
 * parameters. Plain data, which the generator makes beside a kernel's text (gemmgen.h), and which
 * `gemmgen pack` writes into a program (gemmgen_launch.h).
 *
 * D = epilogue(A * B), A is M x K, B is N x K, C and D are M x N, each batch times; D is M x N / 2
 * where the epilogue gates columns by their neighbours. All sizes and strides are int64 and count
 * elements unless a name says bytes. */
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
  GG_DTYPE_COUNT /* here; later versions have more */
} gg_dtype;

/* Which mode of a matrix is contiguous. A: K or M; B: K or N; C and D: N (row-major) or M. */
typedef enum gg_major { GG_MAJOR_K = 0, GG_MAJOR_M = 1, GG_MAJOR_N = 2 } gg_major;

typedef struct gg_operand {
  gg_dtype type;
  gg_major major;
  int align; /* bytes: base address, leading dimension and batch stride are multiples of it */
} gg_operand;

/* Scale factors of A or B: one for each `block` elements along K; of D: along N. */
typedef struct gg_scaling {
  gg_dtype type; /* ue8m0 or ue4m3 */
  int block;     /* 16 or 32, beside a sparse A 32 or 64; 0: there are none */
} gg_scaling;

/* What the epilogue does to x, which begins as an element of the accumulator. */
typedef enum gg_op_kind {
  GG_OP_LINEAR = 0,   /* alpha * x + beta * C */
  GG_OP_BIAS = 1,     /* x + a vector */
  GG_OP_SCALE = 2,    /* x * a vector or a number, in device memory */
  GG_OP_RESIDUAL = 3, /* x + a matrix like D */
  GG_OP_AUX = 4,      /* x, which is also stored as it is here, in a matrix like D */
  GG_OP_RELU = 5,
  GG_OP_GELU = 6,
  GG_OP_SILU = 7,
  GG_OP_SIGMOID = 8,
  GG_OP_TANH = 9,
  GG_OP_HARDSWISH = 10,
  GG_OP_LEAKY_RELU = 11,
  GG_OP_CLAMP = 12,
  GG_OP_MULTIPLY = 13, /* x * a matrix like D, element by element */
  GG_OP_EXPR = 14,     /* what an expression makes of x, of t0, a vector or a matrix like D, and of
                          operands in front of it */
  GG_OP_DRELU = 15,    /* x * relu's derivative at a matrix like D: what went into it, forward */
  GG_OP_DGELU = 16,    /* gelu's */
  GG_OP_DSILU = 17,    /* silu's */
  GG_OP_AMAX = 18,     /* x, of whose magnitudes the largest is kept in device memory */
  GG_OP_SUM = 19,      /* x, of which the sum of each column, or row, is stored */
  GG_OP_GATED = 20,    /* act(x) * the x of the next column: D has half of the product's columns */
  GG_OP_OPERAND = 21, /* x; its operand is for expressions behind it: t1, the list's next t2, ... */
  GG_OP_COUNT         /* here; later versions have more */
} gg_op_kind;

/* What a vector runs along: one number a row of D, one a column, or one in all; of an expression's
 * operands also one an element, or that there is none. */
typedef enum gg_along {
  GG_ALONG_M = 0,
  GG_ALONG_N = 1,
  GG_ALONG_ALL = 2,
  GG_ALONG_ELEMENTS = 3,
  GG_ALONG_NONE = 4
} gg_along;

typedef enum gg_gelu { GG_GELU_ERF = 0, GG_GELU_TANH = 1, GG_GELU_TANH_APPROX = 2 } gg_gelu;

/* Where alpha and beta are. */
typedef enum gg_scalars {
  GG_SCALARS_HOST = 0,  /* among a launch's arguments */
  GG_SCALARS_DEVICE = 1 /* in device memory, where the kernel reads them */
} gg_scalars;

/* Columns j and N / 2 + j of the product become D's column j; without it 2 j and 2 j + 1. */
enum { GG_GATED_SPLIT = 256 };

typedef struct gg_operation {
  gg_op_kind kind;
  bool alpha, beta;   /* linear: has such a factor */
  gg_gelu form;       /* gelu, dgelu; gated: of a gelu */
  gg_along along;     /* bias, scale, expr, operand, sum */
  gg_operand operand; /* what it reads, or, aux, amax and sum, writes */
  float numbers[2];   /* leaky_relu: its slope; clamp: least and most, infinite where not given */
  int expression;     /* expr: which of the kernel's; gated: its activation, a gg_op_kind, and
                         GG_GATED_SPLIT where its columns are split */
  gg_scalars scalars; /* linear: where they are */
} gg_operation;

/* What an operation expr computes. */
typedef struct gg_expression gg_expression;

enum { GG_OPERATIONS_MAX = 16 };

/* The operands of a kernel. Numbers are fixed: new ones stand behind. */
typedef enum gg_operand_id {
  GG_OPERAND_NONE = 0,
  GG_OPERAND_A = 1,
  GG_OPERAND_B = 2,
  GG_OPERAND_C = 3,
  GG_OPERAND_D = 4,
  GG_OPERAND_EXTRA = 5,   /* what an operation of the epilogue reads or writes */
  GG_OPERAND_SCALE_A = 6, /* scale factors of A, of B */
  GG_OPERAND_SCALE_B = 7,
  GG_OPERAND_SCALE_D = 8,  /* those that the kernel computes of D */
  GG_OPERAND_METADATA = 9, /* which elements of a sparse A or B are stored */
} gg_operand_id;

/* What a kernel parameter is: of an operand, or of the whole problem. Numbers are fixed. */
typedef enum gg_param_kind {
  GG_PARAM_ADDRESS = 0,      /* device pointer of an operand */
  GG_PARAM_LD = 1,           /* int64: its leading dimension, in elements */
  GG_PARAM_BATCH_STRIDE = 2, /* int64, in elements */
  GG_PARAM_MAP = 3, /* its tensor map, in place of address and strides; D's stands beside them: of
                       the lines' whole 16 bytes alone, in which maps write */
  GG_PARAM_M = 4,   /* int64 extents; there even where the spec fixes them */
  GG_PARAM_N = 5,
  GG_PARAM_K = 6,
  GG_PARAM_BATCH = 7,
  GG_PARAM_ALPHA = 8,         /* float, or the address of one in device memory (gg_scalars) */
  GG_PARAM_BETA = 9,          /* likewise */
  GG_PARAM_WORKSPACE = 10,    /* device pointer */
  GG_PARAM_SHARED_TILES = 11, /* int64: tiles that clusters share; those of a group; its shares */
  GG_PARAM_GROUP_TILES = 12,
  GG_PARAM_GROUP_SHARES = 13,
  GG_PARAM_NEXT_BESIDE =
      14,                  /* int64: whether the launch behind this one may begin before it ends */
  GG_PARAM_SUM_PARTS = 15, /* device pointer: where in the workspace the parts of sums go */
  GG_PARAM_MAP_END = 16,   /* a second one, of its last lines (gg_tensor_map, `end`) */
  GG_PARAM_EVICT_FIRST = 17, /* int64: whether D's lines are to leave the L2 cache before others */
  GG_PARAM_MAP_SETS = 18, /* device pointer: where in the workspace tensor maps get the addresses of
                             a batch's matrices */
  GG_PARAM_GPCS = 19,     /* a gg_gpc_table, by value */
} gg_param_kind;

/* One kernel parameter, in the order of the kernel's signature. */
typedef struct gg_param {
  gg_param_kind kind;
  gg_operand_id operand; /* of the first four kinds, and of GG_PARAM_MAP_END */
  int operation;         /* of the epilogue, whose operand it is: GG_OPERAND_EXTRA */
} gg_param;

enum { GG_PARAMS_MAX = 80 };

/* By value, in the parameter GG_PARAM_GPCS: which multiprocessors lie in one GPC, and what the
 * clusters that run there compute. Together `clusters` are those of the grid, 0 where there is no
 * such GPC; those of a GPC beyond `works` compute nothing. A launch that knows nothing of GPCs has
 * everything in entry 0. */
enum { GG_GPCS_MAX = 16, GG_GPC_MULTIPROCESSORS = 192 };
typedef struct gg_gpc_table {
  uint8_t gpcs[GG_GPC_MULTIPROCESSORS / 2]; /* 4 bits for each %smid, the even one's the lower */
  uint16_t clusters[GG_GPCS_MAX];           /* of the grid, that each GPC is to have */
  uint16_t works[GG_GPCS_MAX];              /* of these, that compute tiles side by side, */
  uint16_t first[GG_GPCS_MAX];              /* and the number of the first of these */
} gg_gpc_table;

/* What of an operand a dimension of its tensor map runs over. */
typedef enum gg_map_mode {
  GG_MAP_LINE = 0,  /* its contiguous mode */
  GG_MAP_LINES = 1, /* the mode across it */
  GG_MAP_BATCH = 2,
  GG_MAP_SCALE_ATOM = 3, /* of scale factors: the 512 bytes of an atom of 128 rows by 4 factors, as
                            256 elements of 2; atoms along the rows; atoms along K */
  GG_MAP_SCALE_ROWS = 4,
  GG_MAP_SCALE_K = 5,
  GG_MAP_METADATA_TILE = 6, /* of metadata: the 2048 bytes of a tile of 128 rows by 16 bytes, as 256
                               elements of 8; tiles along the rows; tiles along K */
  GG_MAP_METADATA_ROWS = 7,
  GG_MAP_METADATA_K = 8,
  GG_MAP_METADATA_BLOCK = 9, /* of metadata for MMAs of 64 rows: the 256 bytes of 16 rows, as 32
                                elements of 8; one element, behind which a box has zeros; blocks
                                along the rows */
  GG_MAP_METADATA_GAP = 10,
  GG_MAP_METADATA_BLOCKS = 11,
  GG_MAP_HALF = 12, /* of lines that are copied from both halves: which half; lines of a half */
  GG_MAP_HALF_LINES = 13,
} gg_map_mode;

enum { GG_TENSOR_MAPS_MAX = 8, GG_MAP_RANK_MAX = 5 };

/* How an operand is copied in boxes by a tensor map: 128 bytes that gg_prepare makes for a problem,
 * passed by value. What of a box lies outside of the operand is zeros, or is not written. */
typedef struct gg_tensor_map {
  gg_operand_id operand;
  int operation; /* of the epilogue, whose operand it is: GG_OPERAND_EXTRA */
  gg_dtype type; /* of its elements; those of tf32, f32 in memory, are rounded on their way in */
  int rank;      /* 1 to 5: dimensions, of which the first is the contiguous mode */
  gg_map_mode modes[GG_MAP_RANK_MAX];
  int box[GG_MAP_RANK_MAX]; /* elements of each */
  int swizzle_bytes; /* how the box's lines lie in shared memory: 128, 64, 32; 0: as they come */
  bool unpacks; /* elements of 4 and 6 bits get a byte each there; the operand's lines are of whole
                   128 elements then */
  int swizzle_wide; /* whether that of 128 bytes moves 32 bytes as one, not 16 */
  int rows_step;    /* of the second dimension a box has each so many elements; 0: each one */
  int end; /* 1: the operand's last rows or columns have a map of their own, GG_PARAM_MAP_END, whose
              boxes have as many as whole boxes leave, along K lines, else elements of each line,
              rounded up to 16 bytes; where they leave none it is legal, and not used */
} gg_tensor_map;

/* How many CTAs a problem takes. A cluster of CTAs takes a block of neighbouring tiles. */
typedef enum gg_grid_rule {
  /* One a tile: x = ceil(M / tile_m) * ceil(N / tile_n) * batch, the numbers of tiles along M and N
   * rounded up to whole clusters. Where pairs of CTAs take R rows in turns (turns_pairs_m), tile
   * 2 * u + h of a pair has, in its CTA r, the rows from R * u + R / 2 * r + tile_m * h on. M has
   * ceil(M / R) + ceil((M - tile_m) / R) of them. Likewise of columns. Where T = R / tile_n tiles
   * take R columns in turns (turns_halves_n), tile T * u + h has the tile_n / 2 columns from
   * R * u + tile_n / 2 * h on, and those R / 2 further on; as many tiles as have columns. Likewise
   * of rows. */
  GG_GRID_TILES = 0,
  /* As many as there are tiles, at most as many as the device holds at once: cluster x computes
   * blocks x, x + clusters, x + 2 * clusters, ... */
  GG_GRID_PERSISTENT = 1,
  /* Likewise of parts of blocks: K of each is divided into shares of one length, to several
   * clusters. */
  GG_GRID_SPLIT_K = 2,
  /* The last blocks, which do not fill the device, are divided into shares together, the others
   * whole. */
  GG_GRID_STREAM_K = 3,
} gg_grid_rule;

/* Bytes in front of a workspace that are zero before and after every launch: counters. */
enum { GG_WORKSPACE_COUNTERS = 65536 };

enum { GG_FIXED_NONE = -1 }; /* an extent that is not fixed by the spec */

/* A kernel: text and the facts of its launch. Const, self-contained, owned by the caller;
 * byte-identical for the same spec. The library alone makes one: read it where it is. */
typedef struct gg_kernel {
  const char *name;   /* the extern "C" entry point */
  const char *family; /* "sm80" */
  const char *arch;   /* the least architecture it needs, "sm_80" */
  const char *note;   /* NULL, or what to know of the choice: the architecture has a family of its
                         own,   or instructions that no family has */
  const char *source; /* CUDA C++, or with `ptx` PTX, NUL-terminated */
  size_t source_length;
  const char *fingerprint; /* of the text, and with it of spec, parameters and gemmgen's version: a
                              second, empty entry point of that name is how gg_module_load_binary
                              knows a binary of this very kernel. NULL: it does not ask */

  gg_operand a, b, c, d;
  gg_dtype accumulator;
  int accumulator_bits; /* of its significand that sums of products keep, where those are fewer than
                           it has; else 0 */
  int accumulator_span; /* along K, of the sums for which that holds: they are then added to the
                           accumulator with all of its bits; 0: of all of K */
  int64_t fixed_m, fixed_n, fixed_k, fixed_batch; /* GG_FIXED_NONE where dynamic */
  gg_operation operations[GG_OPERATIONS_MAX];     /* the epilogue, in order */
  size_t operation_count;

  gg_grid_rule grid;
  int splits; /* of GG_GRID_SPLIT_K: parts of K; 0: gg_prepare chooses */
  int tile_m, tile_n, tile_k;
  int tile_warps; /* that compute one tile, where tiles are shared; else 0 */
  bool dependent; /* may be launched before what it depends on has ended: it waits itself */
  int threads;    /* a CTA */
  int cluster_m, cluster_n; /* CTAs of a cluster along M and N, all in the grid's x; else 1 and 1 */
  int cluster_k;            /* and those that compute parts of one tile's K; else 1 */
  int64_t smem_bytes;       /* dynamic shared memory a CTA */

  bool int32_coordinates; /* M, N and the batch are counted in 32 bits, as K always is */

  const gg_param *params;
  size_t param_count;
  gg_tensor_map maps[GG_TENSOR_MAPS_MAX]; /* one a parameter that is a map, in their order */
  size_t map_count;
  gg_scaling scale_a, scale_b; /* a block of 0: not scaled */
  gg_scaling scale_d;          /* likewise: D's elements are as they are */
  bool sparse_a;               /* A is given compressed, with metadata (gg_sparse_compress) */
  uint64_t sparse_b;           /* 1: B is; else 0 */
  int64_t turns_pairs_m, turns_pairs_n;   /* rows and columns that pairs of CTAs of two neighbouring
                                             tiles take in turns: GG_GRID_TILES; 0: none do */
  int64_t turns_halves_m, turns_halves_n; /* likewise, whose halves tiles take: GG_GRID_TILES */
  const gg_expression *expressions;       /* those of its operations; NULL: there are none */
  int64_t sum_bytes_m, sum_bytes_n; /* of the workspace, that a CTA's tile takes for each of its
                                       rows and columns, of which sums are stored */
  uint64_t pointers; /* 1: a batch is given by arrays of addresses (gg_problem.pointers); else 0 */
  uint64_t xor_bits; /* of b1, 1: bits of A and B that differ are counted; 0: those both 1 */
  uint64_t ptx;      /* 1: the text is PTX (gg_kernel_generate_ptx); else 0 */
  int64_t map_bytes; /* of the workspace, that a CTA takes for tensor maps whose addresses it
                        changes; 0: it changes none */
  uint64_t rounded_a, rounded_b; /* of tf32, 1: elements of A, or B, are promised to be numbers of
                                    tf32, the lower 13 fraction bits zero; 0: they need not be */
  uint64_t reserved[14];
} gg_kernel;

#ifdef __cplusplus
}
#endif

#endif
