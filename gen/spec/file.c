/* The public functions of gen/spec: from the text of a spec file to its specs, all in one arena. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/need.h"
#include "spec/parse.h"

struct gg_spec_file {
  gg_arena arena;
  const char *source;
  gg_spec *specs;
  size_t count;
};

/* Reads the text of a file. `only`: the index of the one spec to read; NULL: all of them. */
static gg_status read_specs(gg_spec_file *file, const char *text, size_t length, const char *name,
                            const size_t *only, gg_error *err) {
  const gg_yaml_node *root;
  gg_reader in = {.arena = &file->arena, .err = err};
  in.file = gg_arena_strndup(&file->arena, name, strlen(name));
  if (!in.file) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_yaml_parse(&root, &file->arena, text, length, in.file, err);
  if (st) return st;
  file->source = gg_arena_strndup(&file->arena, text, length);
  if (!file->source) return gg_fail(err, MEMORY, NULL, "");
  return only ? gg_sweep_read_one(&in, &file->specs, &file->count, *only, root)
              : gg_sweep_read(&in, &file->specs, &file->count, root);
}

static gg_status parse(gg_spec_file **out, const char *text, size_t length, const char *name,
                       const size_t *only, gg_error *err) {
  *out = NULL;
  gg_spec_file *file = gg_malloc(sizeof *file);
  if (!file) return gg_fail(err, MEMORY, NULL, "");
  *file = (gg_spec_file){.arena = GG_ARENA_INIT};
  gg_status st = read_specs(file, text, length, name, only, err);
  if (st) {
    gg_spec_file_free(file);
    return st;
  }
  *out = file;
  return GG_OK;
}

gg_status gg_spec_file_parse(gg_spec_file **out, const char *text, size_t length, const char *name,
                             gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, text);
  return parse(out, text, length, name ? name : "<text>", NULL, err);
}

gg_status gg_spec_file_parse_one(gg_spec_file **out, const char *text, size_t length,
                                 const char *name, size_t index, gg_error *err) {
  return parse(out, text, length, name, &index, err);
}

gg_status gg_spec_file_load(gg_spec_file **out, const char *path, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, path);
  char *text;
  size_t length;
  *out = NULL;
  gg_status st = gg_file_read(&text, &length, path, GG_SPEC_BYTES_MAX, err);
  if (st) return st;
  st = gg_spec_file_parse(out, text, length, strcmp(path, "-") == 0 ? "<stdin>" : path, err);
  gg_free(text);
  return st;
}

size_t gg_spec_file_count(const gg_spec_file *file) {
  return file ? file->count : 0;
}

const gg_spec *gg_spec_file_get(const gg_spec_file *file, size_t index) {
  return index < gg_spec_file_count(file) ? &file->specs[index] : NULL;
}

const char *gg_spec_file_source(const gg_spec_file *file) {
  return file ? file->source : NULL;
}

void gg_spec_file_free(gg_spec_file *file) {
  if (!file) return;
  gg_arena_free(&file->arena);
  gg_free(file);
}
