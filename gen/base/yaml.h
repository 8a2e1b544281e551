/* YAML as a tree, for specs and recipes: what libyaml's events say, with a place in the file for
 * each value.
 *
 * The tree has mappings, lists and scalars only; there are no tags, and aliases are replaced by
 * copies of what they name. Everything in it lives in the arena that it was read into. */
#ifndef GG_BASE_YAML_H
#define GG_BASE_YAML_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum {
  GG_YAML_BYTES_MAX = 1 << 20, /* bytes of a text */
  GG_YAML_DEPTH_MAX = 32,      /* collections inside each other */
  GG_YAML_NODES_MAX = 8192,    /* after the aliases are replaced */
  GG_YAML_ANCHORS_MAX = 256,
};

typedef enum gg_yaml_kind { GG_YAML_SCALAR, GG_YAML_LIST, GG_YAML_MAP } gg_yaml_kind;

typedef struct gg_yaml_node gg_yaml_node;
struct gg_yaml_node {
  gg_yaml_kind kind;
  int line, column; /* place of the text; a value from an alias has that of its anchor */
  const char *text; /* of a scalar, without quotes: UTF-8 without NUL */
  bool quoted;      /* it was in quotes, or a block of text */
  const char *key;  /* of an entry of a mapping; else NULL */
  int key_line, key_column;
  size_t index; /* among the parent's children */
  const gg_yaml_node *parent;
  gg_yaml_node *first, *last, *next; /* children; next sibling */
  size_t count;                      /* of children */
};

/* Reads `length` bytes of YAML; marks call the file `file`. On success *out is the root, which is a
 * mapping. Errors: SPEC_ENCODING, SPEC_LIMIT, SPEC_SYNTAX, SPEC_YAML, SPEC_ALIAS, SPEC_EMPTY,
 * SPEC_DUPLICATE, SPEC_TYPE, MEMORY. */
gg_status gg_yaml_parse(const gg_yaml_node **out, gg_arena *arena, const char *text, size_t length,
                        const char *file, gg_error *err);

/* The same for a single value of any kind; *out is NULL if there is none. */
gg_status gg_yaml_parse_value(const gg_yaml_node **out, gg_arena *arena, const char *text,
                              size_t length, const char *file, gg_error *err);

/* Fails with SPEC_ENCODING unless the text is UTF-8 without control characters. */
gg_status gg_text_check(const char *text, size_t length, const char *file, gg_error *err);

/* ---- For messages -------------------------------------------------------------------- */

/* A mark with room for its path. */
typedef struct gg_place {
  gg_mark mark;
  char path[128];
} gg_place;

/* Fills `place` with where a value, or the key of an entry, stands. Returns the place's mark. */
const gg_mark *gg_yaml_mark(gg_place *place, const char *file, const gg_yaml_node *node);
const gg_mark *gg_yaml_key_mark(gg_place *place, const char *file, const gg_yaml_node *node);

/* Describes what a value looks like: "a list", "the quoted text '3'", "'3.5'", "nothing". Returns
 * `out`. */
const char *gg_yaml_shown(char out[GG_SHOWN_MAX + 32], const gg_yaml_node *node);

#endif
