#include "texts.h"

#include <string.h>

#include "emit/template.h"

extern const gg_template_file gg_harness_files[];

const char *gg_harness_text(const char *name) {
  size_t length = strlen(name);
  for (const gg_template_file *file = gg_harness_files; file->name; file++) {
    if (strncmp(file->name, name, length) == 0 && strcmp(file->name + length, ".cu") == 0) {
      return file->text;
    }
  }
  return NULL;
}

gg_status gg_harness_open(gg_raw_kernel *out, gg_context *context, const char *name,
                          const char *defines, const char *least, gg_error *err) {
  *out = (gg_raw_kernel){0};
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "%s#line 1\n%s", defines, gg_harness_text(name));
  gg_status st = text.failed ? gg_fail(err, MEMORY, NULL, "")
                             : gg_raw_open(out, context, name, gg_str_text(&text), least, err);
  gg_str_free(&text);
  return st;
}
