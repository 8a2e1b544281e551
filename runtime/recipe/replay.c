/* Running a recipe: the module, the buffers, the tensor maps, the launches; then the checks.
 *
 * Everything goes through the driver's table, so that the same recipe runs on a GPU and in the
 * emulator. What a driver could only crash on (a parameter that is shorter than the kernel's) is
 * checked against the PTX first, by the emulator's parser. */
#include "replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/ptx/ptx.h"
#include "inputs.h"

enum { chunk_elements = 1 << 16, usual_align = 256, aligned_map = 64 };

/* ---- The module ------------------------------------------------------------------------- */

static gg_status check_params(const gg_replay *replay, const gg_recipe_launch *launch,
                              const ptx_function *entry, gg_error *err) {
  if (launch->param_count != entry->input_count) {
    return gg_replay_refuse(replay, launch->node, err, "%zu params, but %s has %" PRIu32,
                            launch->param_count, launch->entry, entry->input_count);
  }
  for (size_t i = 0; i < launch->param_count; i++) {
    uint64_t bytes = entry->inputs[i]->bytes;
    if (launch->params[i].size == bytes) continue;
    return gg_replay_refuse(
        replay, launch->params[i].node, err, "%zu bytes, but parameter %zu of %s, %s, has %" PRIu64,
        launch->params[i].size, i, launch->entry, entry->inputs[i]->name, bytes);
  }
  return GG_OK;
}

static gg_status check_launches(const gg_replay *replay, gg_error *err) {
  const gg_recipe *recipe = replay->recipe;
  gg_status st = GG_OK;
  for (size_t i = 0; i < recipe->launch_count && !st; i++) {
    const gg_recipe_launch *launch = &recipe->launches[i];
    const ptx_function *entry = ptx_find_function(replay->ptx, launch->entry);
    if (!entry || !entry->entry || !entry->defined) {
      st = gg_replay_refuse(replay, launch->node, err, "%s has no entry '%s'", recipe->ptx,
                            launch->entry);
    } else {
      st = check_params(replay, launch, entry, err);
    }
  }
  return st;
}

static gg_status load(gg_replay *replay, gg_error *err) {
  const gg_driver *driver = &replay->context->driver;
  gg_str path = GG_STR_INIT;
  size_t length;
  gg_status st = gg_replay_path(&path, replay, replay->recipe->ptx, err);
  if (!st) st = gg_replay_file(&replay->text, &length, replay, replay->recipe->ptx, err);
  if (!st) st = ptx_parse(&replay->ptx, replay->text, length, gg_str_text(&path), err);
  if (!st) st = check_launches(replay, err);
  if (!st) st = GG_CUDA(driver, err, cuModuleLoad, &replay->module, gg_str_text(&path));
  gg_str_free(&path);
  return st;
}

/* ---- Buffers ---------------------------------------------------------------------------- */

static double draw(const gg_recipe_init *init, uint64_t index) {
  uint64_t seed = (uint64_t)init->seed;
  if (init->kind == GG_RECIPE_NORMAL) return gg_random_normal(seed, index) * init->scale;
  uint64_t range = (uint64_t)(init->high - init->low) + 1;
  return (double)init->low + (double)(gg_random(seed, index) % range);
}

/* Chunks of elements start at whole bytes. */
static gg_status fill_random(const gg_replay *replay, const gg_recipe_buffer *buffer,
                             uint64_t address, gg_error *err) {
  gg_recipe_type type = (gg_recipe_type)buffer->init.type;
  int bits = gg_recipe_type_of(type).bits;
  int64_t count = buffer->bytes * 8 / bits;
  unsigned char *chunk = gg_malloc(chunk_elements * sizeof(uint64_t));
  if (!chunk) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = GG_OK;
  for (int64_t first = 0; first < count && !st; first += chunk_elements) {
    int64_t some = count - first < chunk_elements ? count - first : chunk_elements;
    memset(chunk, 0, chunk_elements * sizeof(uint64_t));
    for (int64_t i = 0; i < some; i++)
      gg_recipe_set(type, chunk, i, draw(&buffer->init, (uint64_t)(first + i)));
    st = gg_memory_write(replay->context, address + (uint64_t)(first * bits / 8), chunk,
                         (size_t)((some * bits + 7) / 8), err);
  }
  gg_free(chunk);
  return st;
}

static gg_status fill_file(const gg_replay *replay, const gg_recipe_buffer *buffer,
                           uint64_t address, gg_error *err) {
  char *bytes;
  size_t length;
  gg_status st = gg_replay_file(&bytes, &length, replay, buffer->init.file, err);
  if (st) return st;
  if (length == (size_t)buffer->bytes) {
    st = gg_memory_write(replay->context, address, bytes, length, err);
  } else {
    st = gg_replay_refuse(replay, buffer->node, err, "%" PRId64 " bytes, but %s has %zu",
                          buffer->bytes, buffer->init.file, length);
  }
  gg_free(bytes);
  return st;
}

static gg_status fill_zero(const gg_replay *replay, const gg_recipe_buffer *buffer,
                           uint64_t address, gg_error *err) {
  gg_status st = gg_context_enter(replay->context, err);
  if (st) return st;
  st = GG_CUDA(&replay->context->driver, err, cuMemsetD8, address, 0, (size_t)buffer->bytes);
  gg_context_leave(replay->context);
  return st;
}

static gg_status fill_buffer(const gg_replay *replay, const gg_recipe_buffer *buffer,
                             uint64_t address, gg_error *err) {
  switch (buffer->init.kind) {
  case GG_RECIPE_NORMAL:
  case GG_RECIPE_INTEGERS:
    return fill_random(replay, buffer, address, err);
  case GG_RECIPE_FILE:
    return fill_file(replay, buffer, address, err);
  case GG_RECIPE_ZERO:
    return fill_zero(replay, buffer, address, err);
  default:
    return GG_OK;
  }
}

/* The driver aligns to 256 bytes; for more there is room in front. */
static gg_status make_buffers(gg_replay *replay, gg_error *err) {
  const gg_recipe *recipe = replay->recipe;
  size_t bytes = (recipe->buffer_count + 1) * sizeof(uint64_t);
  replay->memory = gg_malloc(bytes);
  replay->addresses = gg_malloc(bytes);
  if (!replay->memory || !replay->addresses) return gg_fail(err, MEMORY, NULL, "");
  memset(replay->memory, 0, bytes);
  for (size_t i = 0; i < recipe->buffer_count; i++) {
    const gg_recipe_buffer *buffer = &recipe->buffers[i];
    uint64_t align = (uint64_t)buffer->align;
    uint64_t room = align > usual_align ? align - usual_align : 0;
    gg_status st = gg_memory_alloc(&replay->memory[i], replay->context,
                                   (size_t)buffer->bytes + (size_t)room, err);
    if (st) return st;
    replay->addresses[i] = (replay->memory[i] + align - 1) / align * align;
    if ((st = fill_buffer(replay, buffer, replay->addresses[i], err))) return st;
  }
  return GG_OK;
}

/* ---- Tensor maps ------------------------------------------------------------------------ */

static gg_status make_map(CUtensorMap *out, const gg_replay *replay, const gg_recipe_map *map,
                          gg_error *err) {
  /* The driver wants 64-byte alignment, which the heap does not promise. */
  unsigned char room[sizeof(CUtensorMap) + aligned_map];
  CUtensorMap *aligned =
      (CUtensorMap *)(void *)(room + aligned_map - (uintptr_t)room % aligned_map);
  uint64_t dims[GG_RECIPE_RANK_MAX], strides[GG_RECIPE_RANK_MAX] = {0};
  uint32_t box[GG_RECIPE_RANK_MAX], element_strides[GG_RECIPE_RANK_MAX];
  for (int64_t i = 0; i < map->rank; i++) {
    dims[i] = (uint64_t)map->dims[i];
    if (i < map->stride_count) strides[i] = (uint64_t)map->strides[i];
    box[i] = (uint32_t)map->box[i];
    element_strides[i] = (uint32_t)map->element_strides[i];
  }
  uint64_t address = replay->addresses[map->buffer] + (uint64_t)map->byte_offset;
  gg_status st =
      GG_CUDA(&replay->context->driver, err, cuTensorMapEncodeTiled, aligned,
              gg_recipe_type_of((gg_recipe_type)map->type).tensor_map, (uint32_t)map->rank,
              (void *)(uintptr_t)address, dims, strides, box, element_strides, map->interleave,
              map->swizzle, map->l2_promotion, map->oob_fill);
  if (!st) memcpy(out, aligned, sizeof *out);
  return st;
}

static gg_status make_maps(gg_replay *replay, gg_error *err) {
  const gg_recipe *recipe = replay->recipe;
  replay->maps = gg_malloc((recipe->map_count + 1) * sizeof *replay->maps);
  if (!replay->maps) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_context_enter(replay->context, err);
  if (st) return st;
  for (size_t i = 0; i < recipe->map_count && !st; i++)
    st = make_map(&replay->maps[i], replay, &recipe->maps[i], err);
  gg_context_leave(replay->context);
  return st;
}

/* ---- Patches ---------------------------------------------------------------------------- */

/* The bytes of a patch: how many. */
static size_t patch_bytes(unsigned char out[sizeof(CUtensorMap)], const gg_replay *replay,
                          const gg_recipe_patch *patch) {
  if (patch->tensor_map >= 0) {
    memcpy(out, &replay->maps[patch->tensor_map], sizeof(CUtensorMap));
    return sizeof(CUtensorMap);
  }
  uint64_t address = replay->addresses[patch->buffer] + (uint64_t)patch->byte_offset;
  memcpy(out, &address, sizeof address);
  return sizeof address;
}

static gg_status patch_buffers(const gg_replay *replay, gg_error *err) {
  gg_status st = GG_OK;
  for (size_t b = 0; b < replay->recipe->buffer_count; b++) {
    const gg_recipe_patches *patches = &replay->recipe->buffers[b].patches;
    for (size_t i = 0; i < patches->count && !st; i++) {
      unsigned char bytes[sizeof(CUtensorMap)];
      size_t size = patch_bytes(bytes, replay, &patches->list[i]);
      st =
          gg_memory_write(replay->context, replay->addresses[b] + (uint64_t)patches->list[i].offset,
                          bytes, size, err);
    }
  }
  return st;
}

static void patch_param(const gg_replay *replay, const gg_recipe_param *param,
                        unsigned char *bytes) {
  memcpy(bytes, param->bytes, param->size);
  for (size_t i = 0; i < param->patches.count; i++) {
    unsigned char patch[sizeof(CUtensorMap)];
    size_t size = patch_bytes(patch, replay, &param->patches.list[i]);
    memcpy(bytes + param->patches.list[i].offset, patch, size);
  }
}

/* ---- Launches --------------------------------------------------------------------------- */

/* All parameters behind one another, and a pointer to each. */
static gg_status make_arguments(void ***out, const gg_replay *replay,
                                const gg_recipe_launch *launch, gg_error *err) {
  size_t pointers = (launch->param_count + 1) * sizeof(void *), bytes = 0;
  for (size_t i = 0; i < launch->param_count; i++)
    bytes += launch->params[i].size;
  char *block = gg_malloc(pointers + bytes);
  if (!block) return gg_fail(err, MEMORY, NULL, "");
  *out = (void **)(void *)block;
  unsigned char *at = (unsigned char *)block + pointers;
  for (size_t i = 0; i < launch->param_count; i++) {
    (*out)[i] = at;
    patch_param(replay, &launch->params[i], at);
    at += launch->params[i].size;
  }
  return GG_OK;
}

static gg_status prepare_function(CUfunction *out, const gg_replay *replay,
                                  const gg_recipe_launch *launch, gg_error *err) {
  const gg_driver *driver = &replay->context->driver;
  gg_status st = GG_CUDA(driver, err, cuModuleGetFunction, out, replay->module, launch->entry);
  if (!st) {
    st = GG_CUDA(driver, err, cuFuncSetAttribute, *out,
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)launch->smem);
  }
  if (!st && launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 8) {
    st = GG_CUDA(driver, err, cuFuncSetAttribute, *out,
                 CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  }
  return st;
}

static gg_status run_launch(const gg_replay *replay, const gg_recipe_launch *launch,
                            gg_error *err) {
  const gg_driver *driver = &replay->context->driver;
  const int64_t *grid = launch->grid, *block = launch->block, *cluster = launch->cluster;
  CUlaunchAttribute attributes[3];
  unsigned count = 0;
  if (launch->cooperative) {
    attributes[count++] =
        (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.flag = 1};
  }
  if (launch->beside) {
    attributes[count++] = (CUlaunchAttribute){
        .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.flag = 1};
  }
  if (cluster[0]) {
    attributes[count++] = (CUlaunchAttribute){
        .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        .value.cluster = {(unsigned)cluster[0], (unsigned)cluster[1], (unsigned)cluster[2]},
    };
  }
  CUlaunchConfig config = {
      .grid_x = (unsigned)grid[0],
      .grid_y = (unsigned)grid[1],
      .grid_z = (unsigned)grid[2],
      .block_x = (unsigned)block[0],
      .block_y = (unsigned)block[1],
      .block_z = (unsigned)block[2],
      .smem_bytes = (unsigned)launch->smem,
      .attributes = attributes,
      .attribute_count = count,
  };
  CUfunction function;
  void **arguments = NULL;
  gg_status st = prepare_function(&function, replay, launch, err);
  if (!st) st = make_arguments(&arguments, replay, launch, err);
  if (!st) st = GG_CUDA(driver, err, cuLaunchKernelEx, &config, function, arguments, NULL);
  gg_free(arguments);
  return st;
}

static gg_status run_launches(gg_replay *replay, gg_error *err) {
  const gg_recipe *recipe = replay->recipe;
  gg_status st = gg_context_enter(replay->context, err);
  if (st) return st;
  st = load(replay, err);
  if (!st) st = make_buffers(replay, err);
  if (!st) st = make_maps(replay, err);
  if (!st) st = patch_buffers(replay, err);
  for (size_t i = 0; i < recipe->launch_count && !st; i++) {
    st = run_launch(replay, &recipe->launches[i], err);
    if (st || (i + 1 < recipe->launch_count && recipe->launches[i + 1].beside)) continue;
    st = GG_CUDA(&replay->context->driver, err, cuStreamSynchronize, NULL);
  }
  gg_context_leave(replay->context);
  return st;
}

/* ---- The whole -------------------------------------------------------------------------- */

static void close_replay(gg_replay *replay) {
  for (size_t i = 0; replay->memory && i < replay->recipe->buffer_count; i++)
    gg_memory_free(replay->context, replay->memory[i]);
  if (replay->module && gg_context_enter(replay->context, NULL) == GG_OK) {
    replay->context->driver.cuModuleUnload(replay->module);
    gg_context_leave(replay->context);
  }
  ptx_free(replay->ptx);
  gg_free(replay->text);
  gg_free(replay->memory);
  gg_free(replay->addresses);
  gg_free(replay->maps);
}

gg_status gg_recipe_replay(int *failed, gg_str *out, const gg_recipe *recipe, gg_context *context,
                           gg_error *err) {
  gg_replay replay = {.recipe = recipe, .context = context};
  *failed = 0;
  gg_status st = run_launches(&replay, err);
  for (size_t i = 0; i < recipe->expect_count && !st; i++) {
    bool holds = false;
    st = gg_replay_check(&holds, out, &replay, &recipe->expects[i], err);
    *failed += !holds;
  }
  close_replay(&replay);
  return st;
}
