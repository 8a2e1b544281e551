/* Reading the nodes of a recipe by tables of keys. Internal to runtime/recipe. */
#ifndef GG_RECIPE_FIELDS_H
#define GG_RECIPE_FIELDS_H

#include "base/yaml.h"
#include "recipe.h"

typedef struct gg_recipe_reader {
  gg_recipe *recipe; /* under construction */
  const char *file;
  gg_error *err;
} gg_recipe_reader;

typedef struct gg_recipe_field gg_recipe_field;

/* Reads a node into `at`, as the field's row says. */
typedef gg_status gg_recipe_read(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                                 const gg_recipe_field *field);

/* One key of a mapping. `words` (ends with NULL) and the limits are the reading function's. */
struct gg_recipe_field {
  const char *name;
  gg_recipe_read *read;
  size_t offset; /* of what it fills */
  bool required;
  const char *const *words;
  int64_t least, most;
  size_t count_offset; /* of gg_recipe_read_integers */
};

#define GG_RECIPE_FIELDS(table) (table), sizeof(table) / sizeof *(table)

/* Reads a mapping into the struct at `out`: each key by its row, no others, all that are required.
 * Fields without a key stay as they are. */
gg_status gg_recipe_read_map(gg_recipe_reader *in, void *out, const gg_yaml_node *node,
                             const gg_recipe_field *fields, size_t count);

gg_recipe_read gg_recipe_read_text;     /* const char *: a quoted text that is not empty */
gg_recipe_read gg_recipe_read_integer;  /* int64_t from least to most */
gg_recipe_read gg_recipe_read_real;     /* double */
gg_recipe_read gg_recipe_read_word;     /* int: index into words */
gg_recipe_read gg_recipe_read_type;     /* int: gg_recipe_type */
gg_recipe_read gg_recipe_read_buffer;   /* int: index of the buffer of that name */
gg_recipe_read gg_recipe_read_triple;   /* int64_t[3], each from least to most */
gg_recipe_read gg_recipe_read_integers; /* int64_t[RANK_MAX] and, at count_offset from the struct's
                                           field, their count: see gg_recipe_list */
gg_recipe_read gg_recipe_skip;          /* what is read elsewhere */

/* RECIPE_VALUE at the node: "<wanted>, not <what stands there>". */
gg_status gg_recipe_refuse(gg_recipe_reader *in, const gg_yaml_node *node, const char *wanted);

/* `count` zeroed elements in the recipe's arena for the children of a list (or mapping);
 * RECIPE_VALUE where the node is none. */
gg_status gg_recipe_array(void **out, gg_recipe_reader *in, const gg_yaml_node *node,
                          gg_yaml_kind kind, size_t size);

/* The value of a key; NULL where the mapping has none. */
const gg_yaml_node *gg_recipe_entry(const gg_yaml_node *map, const char *key);

#endif
