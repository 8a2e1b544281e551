/* Fuzz target: any bytes as a launch recipe end in a recipe or in one error that can be printed. */
#include <stdint.h>
#include <stdlib.h>

#include "recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void check_patches(const gg_recipe *recipe, const gg_recipe_patches *patches, size_t size) {
  for (size_t i = 0; i < patches->count; i++) {
    const gg_recipe_patch *patch = &patches->list[i];
    require((size_t)patch->offset + sizeof(CUdeviceptr) <= size);
    require(patch->tensor_map < (int64_t)recipe->map_count);
    require(patch->buffer < (int)recipe->buffer_count);
  }
}

static void check_good(const gg_recipe *recipe) {
  require(recipe->ptx && recipe->ptx[0]);
  for (size_t i = 0; i < recipe->buffer_count; i++) {
    check_patches(recipe, &recipe->buffers[i].patches, (size_t)recipe->buffers[i].bytes);
  }
  for (size_t i = 0; i < recipe->launch_count; i++) {
    const gg_recipe_launch *launch = &recipe->launches[i];
    for (size_t j = 0; j < launch->param_count; j++) {
      check_patches(recipe, &launch->params[j].patches, launch->params[j].size);
    }
  }
}

static void check_bad(gg_status st, gg_error *err, const uint8_t *data, size_t size) {
  gg_str source = GG_STR_INIT, text = GG_STR_INIT;
  gg_str_append(&source, (const char *)data, size);
  require(st == err->code && err->message[0]);
  gg_error_print(&text, err, gg_str_text(&source));
  require(text.length > 0 && text.length < 8192);
  gg_str_free(&source);
  gg_str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gg_recipe *recipe;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_recipe_parse(&recipe, (const char *)data, size, "fuzz", &err);
  require((st == GG_OK) == (recipe != NULL));
  if (st == GG_OK) {
    check_good(recipe);
  } else {
    check_bad(st, &err, data, size);
  }
  gg_recipe_free(recipe);
  gg_error_clear(&err);
  return 0;
}
