/* From a recipe's text to a gg_recipe.
 *
 * The text is read as YAML, of which JSON is a part, so that every value has its line and column.
 * Each mapping of the format is a table of keys below: what the table does not have is an error.
 * Buffers are read first, so that everything else can name them. */
#include "recipe.h"

#include <string.h>

#include "base/alloc.h"
#include "fields.h"

#define EXTENT_MAX ((int64_t)1 << 40)

/* ---- Buffers ---------------------------------------------------------------------------- */

static const char *const init_kinds[] = {"normal", "integers", "uninitialised",
                                         "file",   "zero",     NULL};

/* The keys of an initialisation besides its kind, by kind. */
static const gg_recipe_field normal_fields[] = {
    {.name = "kind", .read = gg_recipe_skip, .required = true},
    {.name = "type",
     .read = gg_recipe_read_type,
     .offset = offsetof(gg_recipe_init, type),
     .required = true},
    {.name = "seed",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_init, seed),
     .least = 0,
     .most = INT64_MAX},
    {.name = "scale", .read = gg_recipe_read_real, .offset = offsetof(gg_recipe_init, scale)},
};
static const gg_recipe_field integers_fields[] = {
    {.name = "kind", .read = gg_recipe_skip, .required = true},
    {.name = "type",
     .read = gg_recipe_read_type,
     .offset = offsetof(gg_recipe_init, type),
     .required = true},
    {.name = "seed",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_init, seed),
     .least = 0,
     .most = INT64_MAX},
    {.name = "low",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_init, low),
     .required = true,
     .least = INT32_MIN,
     .most = UINT32_MAX},
    {.name = "high",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_init, high),
     .required = true,
     .least = INT32_MIN,
     .most = UINT32_MAX},
};
static const gg_recipe_field file_fields[] = {
    {.name = "kind", .read = gg_recipe_skip, .required = true},
    {.name = "file",
     .read = gg_recipe_read_text,
     .offset = offsetof(gg_recipe_init, file),
     .required = true},
};
static const gg_recipe_field bare_fields[] = {
    {.name = "kind", .read = gg_recipe_skip, .required = true},
};

/* Reads `kind` of a mapping: which of the words. */
static gg_status read_kind(int *out, gg_recipe_reader *in, const gg_yaml_node *node,
                           const char *const *words) {
  gg_recipe_field field = {.name = "kind", .words = words};
  gg_place place;
  if (node->kind != GG_YAML_MAP) return gg_recipe_refuse(in, node, "a mapping");
  const gg_yaml_node *kind = gg_recipe_entry(node, "kind");
  if (kind) return gg_recipe_read_word(in, out, kind, &field);
  return gg_fail(in->err, RECIPE_MISSING, gg_yaml_mark(&place, in->file, node), "kind");
}

static gg_status read_init(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                           const gg_recipe_field *field) {
  gg_recipe_init *init = at;
  (void)field;
  gg_status st = read_kind(&init->kind, in, node, init_kinds);
  if (st) return st;
  switch (init->kind) {
  case GG_RECIPE_NORMAL:
    return gg_recipe_read_map(in, init, node, GG_RECIPE_FIELDS(normal_fields));
  case GG_RECIPE_INTEGERS:
    st = gg_recipe_read_map(in, init, node, GG_RECIPE_FIELDS(integers_fields));
    if (!st && init->high < init->low) {
      st = gg_recipe_refuse(in, gg_recipe_entry(node, "high"), "a number from low on");
    }
    return st;
  case GG_RECIPE_FILE:
    return gg_recipe_read_map(in, init, node, GG_RECIPE_FIELDS(file_fields));
  default:
    return gg_recipe_read_map(in, init, node, GG_RECIPE_FIELDS(bare_fields));
  }
}

static const gg_recipe_field buffer_fields[] = {
    {.name = "bytes",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_buffer, bytes),
     .required = true,
     .least = 1,
     .most = EXTENT_MAX},
    {.name = "align",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_buffer, align),
     .least = 1,
     .most = 1 << 21},
    {.name = "init", .read = read_init, .offset = offsetof(gg_recipe_buffer, init)},
    {.name = "patch", .read = gg_recipe_skip},
};

static gg_status read_buffers(gg_recipe_reader *in, const gg_yaml_node *node) {
  gg_recipe *recipe = in->recipe;
  void *array;
  gg_status st = gg_recipe_array(&array, in, node, GG_YAML_MAP, sizeof *recipe->buffers);
  recipe->buffers = array;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next) {
    gg_recipe_buffer *buffer = &recipe->buffers[recipe->buffer_count];
    *buffer = (gg_recipe_buffer){.node = child, .name = child->key, .align = 256};
    buffer->init = (gg_recipe_init){.kind = GG_RECIPE_UNINITIALISED, .scale = 1};
    st = gg_recipe_read_map(in, buffer, child, GG_RECIPE_FIELDS(buffer_fields));
    if (!st && (buffer->align & (buffer->align - 1))) {
      st = gg_recipe_refuse(in, gg_recipe_entry(child, "align"), "a power of two");
    }
    recipe->buffer_count++;
  }
  return st;
}

/* ---- Tensor maps ------------------------------------------------------------------------ */

static const char *const swizzles[] = {
    "none", "32B", "64B", "128B", "128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B", NULL};
static const char *const interleaves[] = {"none", "16B", "32B", NULL};
static const char *const promotions[] = {"none", "64B", "128B", "256B", NULL};
static const char *const fills[] = {"zero", "nan", NULL};

#define INTEGERS(key, member, counter, needed, from, to)                                           \
  {                                                                                                \
    .name = key, .read = gg_recipe_read_integers, .offset = offsetof(gg_recipe_map, member),       \
    .required = needed, .least = from, .most = to,                                                 \
    .count_offset = offsetof(gg_recipe_map, counter)                                               \
  }
#define WORD(key, member, list)                                                                    \
  {                                                                                                \
    .name = key, .read = gg_recipe_read_word, .offset = offsetof(gg_recipe_map, member),           \
    .words = list                                                                                  \
  }

static const gg_recipe_field map_fields[] = {
    {.name = "buffer",
     .read = gg_recipe_read_buffer,
     .offset = offsetof(gg_recipe_map, buffer),
     .required = true},
    {.name = "byte_offset",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_map, byte_offset),
     .least = 0,
     .most = EXTENT_MAX},
    {.name = "type",
     .read = gg_recipe_read_type,
     .offset = offsetof(gg_recipe_map, type),
     .required = true},
    INTEGERS("dims", dims, rank, true, 0, INT64_MAX),
    INTEGERS("strides", strides, stride_count, true, 0, INT64_MAX),
    INTEGERS("box", box, box_count, true, 0, UINT32_MAX),
    INTEGERS("element_strides", element_strides, element_stride_count, false, 0, UINT32_MAX),
    WORD("swizzle", swizzle, swizzles),
    WORD("interleave", interleave, interleaves),
    WORD("l2_promotion", l2_promotion, promotions),
    WORD("oob_fill", oob_fill, fills),
};

/* All lists of a map have the length of its dims; strides one less. */
static gg_status check_map(gg_recipe_reader *in, const gg_recipe_map *map) {
  if (map->rank < 1) {
    return gg_recipe_refuse(in, gg_recipe_entry(map->node, "dims"), "1 to 5 dimensions");
  }
  if (map->stride_count != map->rank - 1) {
    return gg_recipe_refuse(in, gg_recipe_entry(map->node, "strides"),
                            "one stride less than there are dims");
  }
  if (map->box_count != map->rank) {
    return gg_recipe_refuse(in, gg_recipe_entry(map->node, "box"), "as many as there are dims");
  }
  if (map->element_stride_count != map->rank) {
    return gg_recipe_refuse(in, gg_recipe_entry(map->node, "element_strides"),
                            "as many as there are dims");
  }
  return GG_OK;
}

static gg_status read_maps(gg_recipe_reader *in, const gg_yaml_node *node) {
  gg_recipe *recipe = in->recipe;
  void *array;
  gg_status st = gg_recipe_array(&array, in, node, GG_YAML_LIST, sizeof *recipe->maps);
  recipe->maps = array;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next) {
    gg_recipe_map *map = &recipe->maps[recipe->map_count++];
    *map = (gg_recipe_map){.node = child, .element_strides = {1, 1, 1, 1, 1}};
    st = gg_recipe_read_map(in, map, child, GG_RECIPE_FIELDS(map_fields));
    if (!st && !gg_recipe_entry(child, "element_strides")) map->element_stride_count = map->rank;
    if (!st) st = check_map(in, map);
  }
  return st;
}

/* ---- Patches ---------------------------------------------------------------------------- */

static const gg_recipe_field patch_fields[] = {
    {.name = "offset",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_patch, offset),
     .required = true,
     .least = 0,
     .most = EXTENT_MAX},
    {.name = "tensor_map",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_patch, tensor_map),
     .least = 0,
     .most = 1 << 20},
    {.name = "buffer", .read = gg_recipe_read_buffer, .offset = offsetof(gg_recipe_patch, buffer)},
    {.name = "byte_offset",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_patch, byte_offset),
     .least = -EXTENT_MAX,
     .most = EXTENT_MAX},
};

/* `size` bytes of a parameter or a buffer are there to be patched. */
static gg_status check_patch(gg_recipe_reader *in, const gg_recipe_patch *patch, size_t size) {
  bool map = patch->tensor_map >= 0;
  if (map == (patch->buffer >= 0)) {
    return gg_recipe_refuse(in, patch->node, "a tensor_map or a buffer");
  }
  if (map && patch->tensor_map >= (int64_t)in->recipe->map_count) {
    return gg_recipe_refuse(in, gg_recipe_entry(patch->node, "tensor_map"),
                            "the number of a tensor map, from 0");
  }
  size_t bytes = map ? sizeof(CUtensorMap) : sizeof(CUdeviceptr);
  if ((size_t)patch->offset + bytes <= size) return GG_OK;
  return gg_recipe_refuse(in, gg_recipe_entry(patch->node, "offset"),
                          map ? "an offset with 128 bytes behind it"
                              : "an offset with 8 bytes behind it");
}

static gg_status read_patches(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                              const gg_recipe_field *field) {
  gg_recipe_patches *patches = at;
  void *array;
  (void)field;
  gg_status st = gg_recipe_array(&array, in, node, GG_YAML_LIST, sizeof *patches->list);
  patches->list = array;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next) {
    gg_recipe_patch *patch = &patches->list[patches->count++];
    *patch = (gg_recipe_patch){.node = child, .tensor_map = -1, .buffer = -1};
    st = gg_recipe_read_map(in, patch, child, GG_RECIPE_FIELDS(patch_fields));
  }
  return st;
}

static gg_status check_patches(gg_recipe_reader *in, const gg_recipe_patches *patches,
                               size_t size) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < patches->count && !st; i++)
    st = check_patch(in, &patches->list[i], size);
  return st;
}

/* Those of buffers, once all buffers and tensor maps are known. */
static gg_status read_buffer_patches(gg_recipe_reader *in) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < in->recipe->buffer_count && !st; i++) {
    gg_recipe_buffer *buffer = &in->recipe->buffers[i];
    const gg_yaml_node *node = gg_recipe_entry(buffer->node, "patch");
    if (!node) continue;
    st = read_patches(in, &buffer->patches, node, NULL);
    if (!st) st = check_patches(in, &buffer->patches, (size_t)buffer->bytes);
  }
  return st;
}

/* ---- Launches --------------------------------------------------------------------------- */

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static gg_status read_hex(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                          const gg_recipe_field *field) {
  gg_recipe_param *param = at;
  (void)field;
  bool good = node->kind == GG_YAML_SCALAR && node->text[0] && strlen(node->text) % 2 == 0;
  for (const char *c = good ? node->text : ""; *c && good; c++)
    good = hex_digit(*c) >= 0;
  if (!good) return gg_recipe_refuse(in, node, "bytes as pairs of hexadecimal digits");
  param->size = strlen(node->text) / 2;
  param->bytes = gg_arena_alloc(&in->recipe->arena, param->size);
  if (!param->bytes) return gg_fail(in->err, MEMORY, NULL, "");
  for (size_t i = 0; i < param->size; i++) {
    param->bytes[i] =
        (unsigned char)(hex_digit(node->text[2 * i]) * 16 + hex_digit(node->text[2 * i + 1]));
  }
  return GG_OK;
}

static const gg_recipe_field param_fields[] = {
    {.name = "bytes_hex", .read = read_hex, .required = true},
    {.name = "patch", .read = read_patches, .offset = offsetof(gg_recipe_param, patches)},
};

static gg_status read_params(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                             const gg_recipe_field *field) {
  gg_recipe_launch *launch = at;
  void *array;
  (void)field;
  gg_status st = gg_recipe_array(&array, in, node, GG_YAML_LIST, sizeof *launch->params);
  launch->params = array;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next) {
    gg_recipe_param *param = &launch->params[launch->param_count++];
    param->node = child;
    st = gg_recipe_read_map(in, param, child, GG_RECIPE_FIELDS(param_fields));
    if (!st) st = check_patches(in, &param->patches, param->size);
  }
  return st;
}

static const gg_recipe_field launch_fields[] = {
    {.name = "entry",
     .read = gg_recipe_read_text,
     .offset = offsetof(gg_recipe_launch, entry),
     .required = true},
    {.name = "grid",
     .read = gg_recipe_read_triple,
     .offset = offsetof(gg_recipe_launch, grid),
     .required = true,
     .least = 0,
     .most = UINT32_MAX},
    {.name = "block",
     .read = gg_recipe_read_triple,
     .offset = offsetof(gg_recipe_launch, block),
     .required = true,
     .least = 0,
     .most = UINT32_MAX},
    {.name = "cluster",
     .read = gg_recipe_read_triple,
     .offset = offsetof(gg_recipe_launch, cluster),
     .least = 1,
     .most = UINT32_MAX},
    {.name = "smem",
     .read = gg_recipe_read_integer,
     .offset = offsetof(gg_recipe_launch, smem),
     .least = 0,
     .most = INT32_MAX},
    {.name = "cooperative",
     .read = gg_recipe_read_word,
     .offset = offsetof(gg_recipe_launch, cooperative),
     .words = (const char *const[]){"false", "true", NULL}},
    {.name = "beside",
     .read = gg_recipe_read_word,
     .offset = offsetof(gg_recipe_launch, beside),
     .words = (const char *const[]){"false", "true", NULL}},
    {.name = "params", .read = read_params, .required = true},
};

static gg_status read_launches(gg_recipe_reader *in, const gg_yaml_node *node) {
  gg_recipe *recipe = in->recipe;
  void *array;
  gg_status st = gg_recipe_array(&array, in, node, GG_YAML_LIST, sizeof *recipe->launches);
  recipe->launches = array;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next) {
    gg_recipe_launch *launch = &recipe->launches[recipe->launch_count++];
    launch->node = child;
    st = gg_recipe_read_map(in, launch, child, GG_RECIPE_FIELDS(launch_fields));
  }
  return st;
}

/* ---- What must come out ----------------------------------------------------------------- */

static const char *const expect_kinds[] = {"gemm", "file", "written", NULL};

static const gg_recipe_field stride_field = {.least = INT32_MIN, .most = EXTENT_MAX};

static gg_status read_strides(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                              const gg_recipe_field *field) {
  gg_recipe_matrix *matrix = at;
  (void)field;
  if (node->kind != GG_YAML_LIST || node->count < 2 || node->count > 3) {
    return gg_recipe_refuse(in, node, "2 or 3 element strides");
  }
  gg_status st = GG_OK;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next) {
    st = gg_recipe_read_integer(in, &matrix->strides[matrix->stride_count++], child, &stride_field);
  }
  return st;
}

static const gg_recipe_field operand_fields[] = {
    {.name = "buffer",
     .read = gg_recipe_read_buffer,
     .offset = offsetof(gg_recipe_matrix, buffer),
     .required = true},
    {.name = "type",
     .read = gg_recipe_read_type,
     .offset = offsetof(gg_recipe_matrix, type),
     .required = true},
    {.name = "strides", .read = read_strides, .required = true},
};
static const gg_recipe_field out_fields[] = {
    {.name = "type",
     .read = gg_recipe_read_type,
     .offset = offsetof(gg_recipe_matrix, type),
     .required = true},
    {.name = "strides", .read = read_strides, .required = true},
};

static gg_status read_operand(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                              const gg_recipe_field *field) {
  (void)field;
  return gg_recipe_read_map(in, at, node, GG_RECIPE_FIELDS(operand_fields));
}

static gg_status read_out(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                          const gg_recipe_field *field) {
  (void)field;
  return gg_recipe_read_map(in, at, node, GG_RECIPE_FIELDS(out_fields));
}

#define EXPECT_EXTENT(key, member, needed)                                                         \
  {                                                                                                \
    .name = key, .read = gg_recipe_read_integer, .offset = offsetof(gg_recipe_expect, member),     \
    .required = needed, .least = 0, .most = INT32_MAX                                              \
  }

static const gg_recipe_field gemm_fields[] = {
    {.name = "kind", .read = gg_recipe_skip, .required = true},
    {.name = "d",
     .read = gg_recipe_read_buffer,
     .offset = offsetof(gg_recipe_expect, buffer),
     .required = true},
    EXPECT_EXTENT("m", m, true),
    EXPECT_EXTENT("n", n, true),
    EXPECT_EXTENT("k", k, true),
    EXPECT_EXTENT("batch", batch, false),
    {.name = "a", .read = read_operand, .offset = offsetof(gg_recipe_expect, a), .required = true},
    {.name = "b", .read = read_operand, .offset = offsetof(gg_recipe_expect, b), .required = true},
    {.name = "out", .read = read_out, .offset = offsetof(gg_recipe_expect, out), .required = true},
    {.name = "alpha", .read = gg_recipe_read_real, .offset = offsetof(gg_recipe_expect, alpha)},
    {.name = "accumulator",
     .read = gg_recipe_read_type,
     .offset = offsetof(gg_recipe_expect, accumulator)},
    {.name = "tolerance",
     .read = gg_recipe_read_real,
     .offset = offsetof(gg_recipe_expect, tolerance),
     .required = true},
};
static const gg_recipe_field expect_file_fields[] = {
    {.name = "kind", .read = gg_recipe_skip, .required = true},
    {.name = "buffer",
     .read = gg_recipe_read_buffer,
     .offset = offsetof(gg_recipe_expect, buffer),
     .required = true},
    {.name = "file",
     .read = gg_recipe_read_text,
     .offset = offsetof(gg_recipe_expect, file),
     .required = true},
};
static const gg_recipe_field written_fields[] = {
    {.name = "kind", .read = gg_recipe_skip, .required = true},
    {.name = "buffer",
     .read = gg_recipe_read_buffer,
     .offset = offsetof(gg_recipe_expect, buffer),
     .required = true},
};

/* The furthest elements of a matrix lie in its buffer. */
static gg_status check_matrix(gg_recipe_reader *in, const gg_yaml_node *node,
                              const gg_recipe_matrix *matrix, int buffer, int64_t rows,
                              int64_t cols, int64_t batch) {
  const int64_t extents[] = {rows, cols, batch};
  int64_t low = 0, high = 0, reach;
  bool fits = true;
  if (rows == 0 || cols == 0 || batch == 0) return GG_OK;
  for (int i = 0; i < 3 && fits; i++) {
    fits = !__builtin_mul_overflow(extents[i] - 1, matrix->strides[i], &reach) &&
           !__builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
  }
  int bits = gg_recipe_type_of((gg_recipe_type)matrix->type).bits;
  fits = fits && high < INT64_MAX / 64 && low >= 0 &&
         (high + 1) * bits <= 8 * in->recipe->buffers[buffer].bytes;
  if (fits) return GG_OK;
  return gg_recipe_refuse(in, gg_recipe_entry(node, "strides"),
                          "strides that keep every element inside the buffer");
}

static gg_status check_gemm(gg_recipe_reader *in, const gg_recipe_expect *e) {
  const gg_yaml_node *node = e->node;
  if (e->tolerance < 0) {
    return gg_recipe_refuse(in, gg_recipe_entry(node, "tolerance"), "a number from 0 on");
  }
  gg_status st =
      check_matrix(in, gg_recipe_entry(node, "a"), &e->a, e->a.buffer, e->m, e->k, e->batch);
  if (!st) {
    st = check_matrix(in, gg_recipe_entry(node, "b"), &e->b, e->b.buffer, e->n, e->k, e->batch);
  }
  if (!st) {
    st = check_matrix(in, gg_recipe_entry(node, "out"), &e->out, e->buffer, e->m, e->n, e->batch);
  }
  return st;
}

static gg_status read_expect(gg_recipe_reader *in, gg_recipe_expect *expect,
                             const gg_yaml_node *node) {
  *expect = (gg_recipe_expect){.node = node, .batch = 1, .alpha = 1, .accumulator = GG_RECIPE_f32};
  gg_status st = read_kind(&expect->kind, in, node, expect_kinds);
  if (st) return st;
  switch (expect->kind) {
  case GG_RECIPE_EXPECT_GEMM:
    st = gg_recipe_read_map(in, expect, node, GG_RECIPE_FIELDS(gemm_fields));
    return st ? st : check_gemm(in, expect);
  case GG_RECIPE_EXPECT_FILE:
    return gg_recipe_read_map(in, expect, node, GG_RECIPE_FIELDS(expect_file_fields));
  default:
    return gg_recipe_read_map(in, expect, node, GG_RECIPE_FIELDS(written_fields));
  }
}

static gg_status read_expects(gg_recipe_reader *in, const gg_yaml_node *node) {
  gg_recipe *recipe = in->recipe;
  void *array;
  gg_status st = gg_recipe_array(&array, in, node, GG_YAML_LIST, sizeof *recipe->expects);
  recipe->expects = array;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next)
    st = read_expect(in, &recipe->expects[recipe->expect_count++], child);
  return st;
}

/* ---- The whole -------------------------------------------------------------------------- */

static const gg_recipe_field root_fields[] = {
    {.name = "ptx",
     .read = gg_recipe_read_text,
     .offset = offsetof(gg_recipe, ptx),
     .required = true},
    {.name = "buffers", .read = gg_recipe_skip, .required = true},
    {.name = "tensor_maps", .read = gg_recipe_skip},
    {.name = "launches", .read = gg_recipe_skip, .required = true},
    {.name = "expect", .read = gg_recipe_skip},
};

static gg_status read_all(gg_recipe_reader *in, const gg_yaml_node *root) {
  static const struct {
    const char *key;
    gg_status (*read)(gg_recipe_reader *in, const gg_yaml_node *node);
  } parts[] = {{"buffers", read_buffers},
               {"tensor_maps", read_maps},
               {"launches", read_launches},
               {"expect", read_expects}};
  gg_status st = gg_recipe_read_map(in, in->recipe, root, GG_RECIPE_FIELDS(root_fields));
  for (size_t i = 0; i < sizeof parts / sizeof *parts && !st; i++) {
    const gg_yaml_node *node = gg_recipe_entry(root, parts[i].key);
    if (node) st = parts[i].read(in, node);
  }
  return st ? st : read_buffer_patches(in);
}

gg_status gg_recipe_parse(gg_recipe **out, const char *text, size_t length, const char *path,
                          gg_error *err) {
  *out = NULL;
  gg_recipe *recipe = gg_malloc(sizeof *recipe);
  if (!recipe) return gg_fail(err, MEMORY, NULL, "");
  *recipe = (gg_recipe){.arena = GG_ARENA_INIT};
  recipe->path = gg_arena_strndup(&recipe->arena, path, strlen(path));
  gg_status st = recipe->path ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  if (!st) st = gg_yaml_parse(&recipe->root, &recipe->arena, text, length, recipe->path, err);
  gg_recipe_reader in = {recipe, recipe->path, err};
  if (!st) st = read_all(&in, recipe->root);
  if (st) {
    gg_recipe_free(recipe);
    return st;
  }
  *out = recipe;
  return GG_OK;
}

void gg_recipe_free(gg_recipe *recipe) {
  if (!recipe) return;
  gg_arena_free(&recipe->arena);
  gg_free(recipe);
}
