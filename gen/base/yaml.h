/* YAML as a tree, of specs and of recipes: what libyaml's events say, with a place for each value.
 *
 * The tree is small and plain: mappings, lists and scalars, no tags, aliases already replaced by
 * copies of what they name. Everything in it lives in the arena it was read into. */
#ifndef GG_BASE_YAML_H
#define GG_BASE_YAML_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum {
  GG_YAML_BYTES_MAX = 1 << 20, /* of a text */
  GG_YAML_DEPTH_MAX = 32,      /* of collections in collections */
  GG_YAML_NODES_MAX = 8192,    /* after the aliases are replaced */
  GG_YAML_ANCHORS_MAX = 256,
};

typedef enum gg_yaml_kind { GG_YAML_SCALAR, GG_YAML_LIST, GG_YAML_MAP } gg_yaml_kind;

typedef struct gg_yaml_node gg_yaml_node;
struct gg_yaml_node {
  gg_yaml_kind kind;
  int line, column; /* of the text, which an alias shares with its anchor */
  const char *text; /* of a scalar, without its quotes: UTF-8 with no NUL inside */
  bool quoted;      /* in quotes, or a block of text */
  const char *key;  /* of an entry of a mapping; NULL elsewhere */
  int key_line, key_column;
  size_t index; /* among the parent's children */
  const gg_yaml_node *parent;
  gg_yaml_node *first, *last, *next; /* children; next sibling */
  size_t count;                      /* of children */
};

/* Reads `length` bytes of YAML; `file` is what marks call it. On success *out is the root, which
 * is a mapping. Errors: SPEC_ENCODING, SPEC_LIMIT, SPEC_SYNTAX, SPEC_YAML, SPEC_ALIAS,
 * SPEC_EMPTY, SPEC_DUPLICATE, SPEC_TYPE, MEMORY. */
gg_status gg_yaml_parse(const gg_yaml_node **out, gg_arena *arena, const char *text, size_t length,
                        const char *file, gg_error *err);

/* The same of one value of any kind; *out is NULL where there is none. */
gg_status gg_yaml_parse_value(const gg_yaml_node **out, gg_arena *arena, const char *text,
                              size_t length, const char *file, gg_error *err);

/* Checks that text is UTF-8 without control characters: SPEC_ENCODING. */
gg_status gg_text_check(const char *text, size_t length, const char *file, gg_error *err);

/* ---- For messages -------------------------------------------------------------------- */

/* A mark with room for its path. */
typedef struct gg_place {
  gg_mark mark;
  char path[128];
} gg_place;

/* Fills `place` with where a value, or the key of an entry, stands; gives its mark. */
const gg_mark *gg_yaml_mark(gg_place *place, const char *file, const gg_yaml_node *node);
const gg_mark *gg_yaml_key_mark(gg_place *place, const char *file, const gg_yaml_node *node);

/* What a value looks like: "a list", "the quoted text '3'", "'3.5'", "nothing". */
const char *gg_yaml_shown(char out[GG_SHOWN_MAX + 32], const gg_yaml_node *node);

#endif
