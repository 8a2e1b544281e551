#include "fields.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gg_status gg_recipe_refuse(gg_recipe_reader *in, const gg_yaml_node *node, const char *wanted) {
  gg_place place;
  char shown[GG_SHOWN_MAX + 32], message[512];
  snprintf(message, sizeof message, "expected %s, not %s", wanted, gg_yaml_shown(shown, node));
  return gg_fail(in->err, RECIPE_VALUE, gg_yaml_mark(&place, in->file, node), message);
}

const gg_yaml_node *gg_recipe_entry(const gg_yaml_node *map, const char *key) {
  for (const gg_yaml_node *child = map->first; child; child = child->next) {
    if (child->key && strcmp(child->key, key) == 0) return child;
  }
  return NULL;
}

gg_status gg_recipe_array(void **out, gg_recipe_reader *in, const gg_yaml_node *node,
                          gg_yaml_kind kind, size_t size) {
  *out = NULL;
  if (node->kind != kind) {
    return gg_recipe_refuse(in, node, kind == GG_YAML_LIST ? "a list" : "a mapping");
  }
  *out = gg_arena_alloc(&in->recipe->arena, (node->count ? node->count : 1) * size);
  return *out ? GG_OK : gg_fail(in->err, MEMORY, NULL, "");
}

/* ---- Mappings --------------------------------------------------------------------------- */

static gg_status unknown_key(gg_recipe_reader *in, const gg_yaml_node *node,
                             const gg_recipe_field *fields, size_t count) {
  gg_place place;
  char shown[GG_SHOWN_MAX];
  gg_str known = GG_STR_INIT;
  for (size_t i = 0; i < count; i++)
    gg_str_printf(&known, "%s%s", i ? ", " : "", fields[i].name);
  gg_status st = gg_fail(in->err, RECIPE_KEY, gg_yaml_key_mark(&place, in->file, node),
                         gg_shown(shown, node->key), gg_str_shown(&known));
  gg_str_free(&known);
  return st;
}

static const gg_recipe_field *find_field(const gg_recipe_field *fields, size_t count,
                                         const char *key) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(fields[i].name, key) == 0) return &fields[i];
  }
  return NULL;
}

gg_status gg_recipe_read_map(gg_recipe_reader *in, void *out, const gg_yaml_node *node,
                             const gg_recipe_field *fields, size_t count) {
  if (node->kind != GG_YAML_MAP) return gg_recipe_refuse(in, node, "a mapping");
  for (const gg_yaml_node *child = node->first; child; child = child->next) {
    const gg_recipe_field *field = find_field(fields, count, child->key);
    if (!field) return unknown_key(in, child, fields, count);
    gg_status st = field->read(in, (char *)out + field->offset, child, field);
    if (st) return st;
  }
  for (size_t i = 0; i < count; i++) {
    if (!fields[i].required || gg_recipe_entry(node, fields[i].name)) continue;
    gg_place place;
    return gg_fail(in->err, RECIPE_MISSING, gg_yaml_mark(&place, in->file, node), fields[i].name);
  }
  return GG_OK;
}

/* ---- Values ----------------------------------------------------------------------------- */

static bool is_number(const gg_yaml_node *node) {
  return node->kind == GG_YAML_SCALAR && !node->quoted && node->text[0];
}

gg_status gg_recipe_skip(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                         const gg_recipe_field *field) {
  (void)in, (void)at, (void)node, (void)field;
  return GG_OK;
}

gg_status gg_recipe_read_text(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                              const gg_recipe_field *field) {
  (void)field;
  if (node->kind != GG_YAML_SCALAR || !node->quoted || !node->text[0]) {
    return gg_recipe_refuse(in, node, "a text in quotes");
  }
  *(const char **)at = node->text;
  return GG_OK;
}

gg_status gg_recipe_read_integer(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                                 const gg_recipe_field *field) {
  char *end = NULL, wanted[96];
  errno = 0;
  int64_t value = is_number(node) ? strtoll(node->text, &end, 10) : 0;
  if (!end || *end || errno || value < field->least || value > field->most) {
    snprintf(wanted, sizeof wanted, "a whole number from %" PRId64 " to %" PRId64, field->least,
             field->most);
    return gg_recipe_refuse(in, node, wanted);
  }
  *(int64_t *)at = value;
  return GG_OK;
}

gg_status gg_recipe_read_real(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                              const gg_recipe_field *field) {
  (void)field;
  char *end = NULL;
  double value = is_number(node) ? strtod(node->text, &end) : 0;
  if (!end || *end || !isfinite(value)) return gg_recipe_refuse(in, node, "a number");
  *(double *)at = value;
  return GG_OK;
}

static gg_status read_word(gg_recipe_reader *in, int *at, const gg_yaml_node *node,
                           const char *const *words) {
  for (int i = 0; words[i] && node->kind == GG_YAML_SCALAR; i++) {
    if (strcmp(words[i], node->text) != 0) continue;
    *at = i;
    return GG_OK;
  }
  gg_str wanted = GG_STR_INIT;
  gg_str_puts(&wanted, "one of ");
  for (int i = 0; words[i]; i++)
    gg_str_printf(&wanted, "%s%s", i ? ", " : "", words[i]);
  gg_status st = gg_recipe_refuse(in, node, gg_str_shown(&wanted));
  gg_str_free(&wanted);
  return st;
}

gg_status gg_recipe_read_word(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                              const gg_recipe_field *field) {
  return read_word(in, at, node, field->words);
}

gg_status gg_recipe_read_type(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                              const gg_recipe_field *field) {
  const char *words[GG_RECIPE_TYPE_COUNT + 1] = {0};
  (void)field;
  for (int i = 0; i < GG_RECIPE_TYPE_COUNT; i++)
    words[i] = gg_recipe_type_of((gg_recipe_type)i).name;
  return read_word(in, at, node, words);
}

gg_status gg_recipe_read_buffer(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                                const gg_recipe_field *field) {
  (void)field;
  const gg_recipe *recipe = in->recipe;
  for (size_t i = 0; i < recipe->buffer_count && node->kind == GG_YAML_SCALAR; i++) {
    if (strcmp(recipe->buffers[i].name, node->text) != 0) continue;
    *(int *)at = (int)i;
    return GG_OK;
  }
  return gg_recipe_refuse(in, node, "the name of a buffer");
}

gg_status gg_recipe_read_triple(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                                const gg_recipe_field *field) {
  int64_t *out = at;
  if (node->kind != GG_YAML_LIST || node->count != 3) {
    return gg_recipe_refuse(in, node, "a list of 3 whole numbers");
  }
  gg_status st = GG_OK;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next)
    st = gg_recipe_read_integer(in, out++, child, field);
  return st;
}

gg_status gg_recipe_read_integers(gg_recipe_reader *in, void *at, const gg_yaml_node *node,
                                  const gg_recipe_field *field) {
  int64_t *out = at, *count = (int64_t *)(void *)((char *)at - field->offset + field->count_offset);
  if (node->kind != GG_YAML_LIST || node->count > GG_RECIPE_RANK_MAX) {
    return gg_recipe_refuse(in, node, "a list of at most 5 whole numbers");
  }
  gg_status st = GG_OK;
  for (const gg_yaml_node *child = node->first; child && !st; child = child->next)
    st = gg_recipe_read_integer(in, out++, child, field);
  *count = (int64_t)node->count;
  return st;
}
