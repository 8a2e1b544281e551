/* For messages: where values stand, and how they are shown. */
#include "base/yaml.h"

#include <stdio.h>
#include <string.h>

const char *gg_yaml_shown(char out[GG_SHOWN_MAX + 32], const gg_yaml_node *node) {
  char text[GG_SHOWN_MAX];
  if (node->kind == GG_YAML_MAP) {
    snprintf(out, GG_SHOWN_MAX + 32, "%s", node->count ? "a mapping" : "an empty mapping");
  } else if (node->kind == GG_YAML_LIST && node->count == 0) {
    snprintf(out, GG_SHOWN_MAX + 32, "an empty list");
  } else if (node->kind == GG_YAML_LIST) {
    snprintf(out, GG_SHOWN_MAX + 32, "a list of %zu", node->count);
  } else if (node->text[0] == '\0' && !node->quoted) {
    snprintf(out, GG_SHOWN_MAX + 32, "nothing");
  } else {
    snprintf(out, GG_SHOWN_MAX + 32, "%s'%s'", node->quoted ? "the quoted text " : "",
             gg_shown(text, node->text));
  }
  return out;
}

/* Writes "[12]". Every value of a sweep has such a mark, and printf would be too slow for that. */
static void write_index(char *out, size_t index) {
  char digits[24];
  size_t count = 0;
  do
    digits[count++] = (char)('0' + index % 10);
  while ((index /= 10) > 0);
  *out++ = '[';
  while (count > 0)
    *out++ = digits[--count];
  *out++ = ']';
  *out = '\0';
}

/* Writes the path of a node; what does not fit is cut off at the end. */
static void write_path(char *out, size_t size, const gg_yaml_node *node) {
  const gg_yaml_node *chain[GG_YAML_DEPTH_MAX + 2];
  size_t depth = 0, at = 0;
  for (; node && node->parent && depth < sizeof chain / sizeof *chain; node = node->parent) {
    chain[depth++] = node;
  }
  out[0] = '\0';
  while (depth-- > 0) {
    char step[GG_SHOWN_MAX + 24] = ".";
    if (chain[depth]->key) {
      gg_shown(at ? step + 1 : step, chain[depth]->key);
    } else {
      write_index(step, chain[depth]->index);
    }
    size_t length = strlen(step);
    if (at + length >= size) return;
    memcpy(out + at, step, length + 1);
    at += length;
  }
}

const gg_mark *gg_yaml_mark(gg_place *place, const char *file, const gg_yaml_node *node) {
  write_path(place->path, sizeof place->path, node);
  place->mark = (gg_mark){file, node->line, node->column, place->path};
  return &place->mark;
}

const gg_mark *gg_yaml_key_mark(gg_place *place, const char *file, const gg_yaml_node *node) {
  gg_yaml_mark(place, file, node);
  place->mark.line = node->key_line;
  place->mark.column = node->key_column;
  return &place->mark;
}
