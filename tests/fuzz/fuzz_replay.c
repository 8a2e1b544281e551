/* Fuzz target: whatever is a launch recipe is replayed in the emulator, on a device of sm_100, to
 * an end or to one error. Files are those of the folder in GEMMGEN_FUZZ_FILES. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

/* Buffers, grids and checks of a size that is quick. */
static bool is_small(const gg_recipe *recipe) {
  int64_t bytes = 0;
  double ctas = 0, macs = 0;
  for (size_t i = 0; i < recipe->buffer_count; i++) {
    if (recipe->buffers[i].bytes > 1 << 20) return false;
    bytes += recipe->buffers[i].bytes;
  }
  for (size_t i = 0; i < recipe->launch_count; i++) {
    const gg_recipe_launch *launch = &recipe->launches[i];
    ctas += (double)launch->grid[0] * (double)launch->grid[1] * (double)launch->grid[2];
  }
  for (size_t i = 0; i < recipe->expect_count; i++) {
    const gg_recipe_expect *e = &recipe->expects[i];
    macs += (double)e->m * (double)e->n * (double)e->k * (double)e->batch;
  }
  return bytes <= 1 << 19 && ctas <= 4 && macs <= 1 << 21;
}

static void replay(const gg_recipe *recipe) {
  gg_context *context = NULL;
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_str words = GG_STR_INIT;
  int failed = 0;
  options.provider = GG_PROVIDER_EMU;
  require(gg_context_open(&context, &options, &err) == GG_OK);
  gg_status st = gg_recipe_replay(&failed, &words, recipe, context, &err);
  require(st == err.code && (!st || err.message[0]));
  gg_error_clear(&err);
  gg_str_free(&words);
  gg_context_close(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *folder = getenv("GEMMGEN_FUZZ_FILES");
  char path[1024];
  gg_recipe *recipe;
  gg_error err = GG_ERROR_INIT;
  setenv("GEMMGEN_EMU_ARCH", "100", 1);
  setenv("GEMMGEN_EMU_THREADS", "1", 1);
  setenv("GEMMGEN_EMU_MAX_STEPS", "5000", 1);
  snprintf(path, sizeof path, "%s/fuzz.json", folder ? folder : ".");
  gg_status st = gg_recipe_parse(&recipe, (const char *)data, size, path, &err);
  if (!st && is_small(recipe)) replay(recipe);
  gg_error_clear(&err);
  gg_recipe_free(recipe);
  return 0;
}
