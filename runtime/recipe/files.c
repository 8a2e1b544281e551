/* For replaying: the files that a recipe names, and what of it is refused while it runs. */
#include <stdarg.h>
#include <string.h>

#include "base/file.h"
#include "replay.h"

enum { file_limit = 1 << 30 };

gg_status gg_replay_refuse(const gg_replay *replay, const gg_yaml_node *node, gg_error *err,
                           const char *format, ...) {
  gg_place place;
  gg_str text = GG_STR_INIT;
  va_list arguments;
  va_start(arguments, format);
  gg_str_vprintf(&text, format, arguments);
  va_end(arguments);
  gg_status st = gg_fail(err, RECIPE_VALUE, gg_yaml_mark(&place, replay->recipe->path, node),
                         gg_str_shown(&text));
  gg_str_free(&text);
  return st;
}

gg_status gg_replay_path(gg_str *out, const gg_replay *replay, const char *name, gg_error *err) {
  const char *path = replay->recipe->path, *slash = strrchr(path, '/');
  if (slash && name[0] != '/') gg_str_append(out, path, (size_t)(slash - path) + 1);
  gg_str_puts(out, name);
  return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

gg_status gg_replay_file(char **out, size_t *length, const gg_replay *replay, const char *name,
                         gg_error *err) {
  *out = NULL;
  gg_str path = GG_STR_INIT;
  gg_status st = gg_replay_path(&path, replay, name, err);
  if (!st) st = gg_file_read(out, length, gg_str_text(&path), file_limit, err);
  gg_str_free(&path);
  return st;
}
