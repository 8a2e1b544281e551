#include "cli/specs.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "pipeline.h"

static int act_on_each(const gg_spec_file *file, const char *path, bool single,
                       const char *progress, cli_spec_action *action, void *user) {
  size_t count = gg_spec_file_count(file);
  if (single && count > 1) {
    return cli_usage("%s makes %zu kernels: -o needs a directory", path, count);
  }
  gg_error err = GG_ERROR_INIT;
  for (size_t i = 0; i < count; i++) {
    if (action(user, gg_spec_file_get(file, i), &err)) {
      return cli_report(&err, gg_spec_file_source(file));
    }
    if (progress && count > 1) cli_progress(progress, i + 1, count);
  }
  return CLI_OK;
}

int cli_each_spec(const char *path, bool single, const char *progress, cli_spec_action *action,
                  void *user) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file = NULL;
  char *text = NULL;
  size_t length;
  int status;
  const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
  if (gg_file_read(&text, &length, path, GG_SPEC_BYTES_MAX, &err) ||
      gg_spec_file_parse(&file, text, length, name, &err)) {
    status = cli_report(&err, text);
  } else {
    status = act_on_each(file, path, single, progress, action, user);
  }
  gg_spec_file_free(file);
  gg_free(text);
  return status;
}

gg_status cli_report_of(gg_report *out, const gg_spec *spec, gg_error *err) {
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_status st = gg_compilation_run(&compilation, spec, err);
  if (st == GG_OK) st = gg_report_make(out, compilation.plan, compilation.layouts, err);
  gg_compilation_free(&compilation);
  return st;
}
