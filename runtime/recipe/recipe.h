/* Launch recipes: how to run kernels of a PTX file and what must come out. docs/emulator.md has the
 * format.
 *
 *     text --gg_recipe_parse--> gg_recipe --gg_recipe_replay--> checks, on a GPU or in the emulator
 */
#ifndef GG_RECIPE_H
#define GG_RECIPE_H

#include "base/arena.h"
#include "context.h"
#include "types.h"

struct gg_yaml_node; /* base/yaml.h */

enum { GG_RECIPE_RANK_MAX = 5, GG_RECIPE_BYTES_MAX = 1 << 20 };

typedef enum gg_recipe_init_kind {
  GG_RECIPE_NORMAL,   /* deviates times `scale` */
  GG_RECIPE_INTEGERS, /* from `low` to `high` */
  GG_RECIPE_UNINITIALISED,
  GG_RECIPE_FILE,
  GG_RECIPE_ZERO,
} gg_recipe_init_kind;

typedef struct gg_recipe_init {
  int kind; /* gg_recipe_init_kind */
  int type; /* gg_recipe_type */
  int64_t seed, low, high;
  double scale;
  const char *file;
} gg_recipe_init;

/* In all of these `node` is where a thing stands in the file, for messages. */

/* What goes over bytes of a parameter or a buffer: a tensor map, or an address in a buffer. */
typedef struct gg_recipe_patch {
  const struct gg_yaml_node *node;
  int64_t offset, tensor_map, byte_offset; /* tensor_map -1: none */
  int buffer;                              /* -1: none */
} gg_recipe_patch;

typedef struct gg_recipe_patches {
  gg_recipe_patch *list;
  size_t count;
} gg_recipe_patches;

typedef struct gg_recipe_buffer {
  const struct gg_yaml_node *node;
  const char *name;
  int64_t bytes, align;
  gg_recipe_init init;
  gg_recipe_patches patches; /* over what init has made */
} gg_recipe_buffer;

/* Arguments of cuTensorMapEncodeTiled, innermost dimension first. */
typedef struct gg_recipe_map {
  const struct gg_yaml_node *node;
  int buffer, type;
  int64_t byte_offset;
  int64_t rank, stride_count, box_count, element_stride_count;
  int64_t dims[GG_RECIPE_RANK_MAX], strides[GG_RECIPE_RANK_MAX], box[GG_RECIPE_RANK_MAX],
      element_strides[GG_RECIPE_RANK_MAX];
  int swizzle, interleave, l2_promotion, oob_fill;
} gg_recipe_map;

typedef struct gg_recipe_param {
  const struct gg_yaml_node *node;
  unsigned char *bytes;
  size_t size;
  gg_recipe_patches patches;
} gg_recipe_param;

typedef struct gg_recipe_launch {
  const struct gg_yaml_node *node;
  const char *entry;
  int64_t grid[3], block[3], cluster[3]; /* cluster 0: a plain launch */
  int64_t smem;
  int cooperative;
  int beside; /* it may begin before the launch ahead has ended */
  gg_recipe_param *params;
  size_t param_count;
} gg_recipe_launch;

typedef struct gg_recipe_matrix {
  int buffer, type;
  int64_t strides[3], stride_count; /* elements, of (m or n, k, batch); of (m, n, batch) */
} gg_recipe_matrix;

typedef enum gg_recipe_expect_kind {
  GG_RECIPE_EXPECT_GEMM,
  GG_RECIPE_EXPECT_FILE,
  GG_RECIPE_EXPECT_WRITTEN
} gg_recipe_expect_kind;

typedef struct gg_recipe_expect {
  const struct gg_yaml_node *node;
  int kind; /* gg_recipe_expect_kind */
  int buffer;
  const char *file;
  int64_t m, n, k, batch;
  gg_recipe_matrix a, b, out;
  double alpha, tolerance;
  int accumulator; /* gg_recipe_type */
} gg_recipe_expect;

typedef struct gg_recipe {
  gg_arena arena;
  const char *path; /* of the recipe: files are beside it */
  const char *ptx;
  const struct gg_yaml_node *root;
  gg_recipe_buffer *buffers;
  gg_recipe_map *maps;
  gg_recipe_launch *launches;
  gg_recipe_expect *expects;
  size_t buffer_count, map_count, launch_count, expect_count;
} gg_recipe;

/* Reads a recipe's text; `path` is its file, for messages and as the place of other files. Free
 * with gg_recipe_free. Errors: those of gg_yaml_parse, RECIPE_KEY, RECIPE_MISSING, RECIPE_VALUE,
 * with line and column; MEMORY. */
gg_status gg_recipe_parse(gg_recipe **out, const char *text, size_t length, const char *path,
                          gg_error *err);
void gg_recipe_free(gg_recipe *recipe);

/* Runs the launches and the checks; a line for each check goes to `out`. *failed counts those that
 * do not hold. Errors are a recipe that does not fit its PTX or its files, what the driver refuses,
 * and what a kernel does wrong. */
gg_status gg_recipe_replay(int *failed, gg_str *out, const gg_recipe *recipe, gg_context *context,
                           gg_error *err);

#endif
