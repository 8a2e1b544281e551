/* A recipe being replayed. Internal to runtime/recipe. */
#ifndef GG_RECIPE_REPLAY_H
#define GG_RECIPE_REPLAY_H

#include "base/yaml.h"
#include "recipe.h"

typedef struct gg_replay {
  const gg_recipe *recipe;
  gg_context *context;
  uint64_t *memory;    /* what was allocated, one a buffer */
  uint64_t *addresses; /* the buffers' first bytes, aligned as asked for */
  CUtensorMap *maps;
  struct ptx_module *ptx; /* for the parameters of the entries */
  char *text;             /* the PTX */
  CUmodule module;
} gg_replay;

/* Appends the path of a file that the recipe names, relative to the recipe's folder; and reads it.
 * Free with gg_free. files.c */
gg_status gg_replay_path(gg_str *out, const gg_replay *replay, const char *name, gg_error *err);
gg_status gg_replay_file(char **out, size_t *length, const gg_replay *replay, const char *name,
                         gg_error *err);

/* RECIPE_VALUE at the node. files.c */
gg_status gg_replay_refuse(const gg_replay *replay, const gg_yaml_node *node, gg_error *err,
                           const char *format, ...) GG_PRINTF(4, 5);

/* One expectation: appends its line to `out`. */
gg_status gg_replay_check(bool *holds, gg_str *out, const gg_replay *replay,
                          const gg_recipe_expect *expect, gg_error *err);

#endif
