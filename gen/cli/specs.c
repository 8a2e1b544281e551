#include "cli/specs.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "pipeline.h"

/* ---- Files ------------------------------------------------------------------------------ */

static int load_file(gg_spec_file **out, const char *path) {
  gg_error err = GG_ERROR_INIT;
  char *text = NULL;
  size_t length;
  const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
  bool bad = gg_file_read(&text, &length, path, GG_SPEC_BYTES_MAX, &err) ||
             gg_spec_file_parse(out, text, length, name, &err);
  int code = bad ? cli_report(&err, text) : CLI_OK;
  gg_free(text);
  return code;
}

int cli_specs_load(cli_specs *out, int count, char **paths) {
  *out = (cli_specs){.files = gg_calloc((size_t)count, sizeof *out->files)};
  if (!out->files) return cli_out_of_memory();
  int code = CLI_OK;
  for (int i = 0; i < count; i++) {
    gg_spec_file **file = &out->files[out->file_count];
    int failed = load_file(file, paths[i]);
    if (failed) {
      code = failed;
    } else {
      out->file_count++;
      out->count += gg_spec_file_count(*file);
    }
  }
  return code;
}

void cli_specs_free(cli_specs *specs) {
  for (size_t i = 0; i < specs->file_count; i++)
    gg_spec_file_free(specs->files[i]);
  gg_free(specs->files);
  *specs = (cli_specs){0};
}

/* ---- Specs ------------------------------------------------------------------------------ */

int cli_specs_each(const cli_specs *specs, bool keep_going, const char *progress,
                   cli_spec_action *action, void *user) {
  int code = CLI_OK;
  size_t done = 0;
  for (size_t i = 0; i < specs->file_count; i++) {
    const gg_spec_file *file = specs->files[i];
    const gg_spec *spec;
    bool refused = false;
    for (size_t j = 0; (spec = gg_spec_file_get(file, j)); j++) {
      gg_error err = GG_ERROR_INIT;
      bool skipped = refused && !keep_going;
      if (!skipped && action(user, spec, &err)) {
        code = cli_report(&err, gg_spec_file_source(file));
        refused = true;
      }
      if (progress && specs->count > 1) cli_progress(progress, ++done, specs->count);
    }
  }
  return code;
}

int cli_each_spec(int count, char **paths, bool keep_going, cli_spec_action *action, void *user) {
  cli_specs specs;
  int code = cli_specs_load(&specs, count, paths);
  int refused = cli_specs_each(&specs, keep_going, NULL, action, user);
  cli_specs_free(&specs);
  return refused ? refused : code;
}

void cli_note(const gg_spec *spec, const char *note) {
  static gg_mark last;
  const gg_mark *mark = &spec->arch.mark;
  bool said = last.file && strcmp(last.file, mark->file) == 0 && last.line == mark->line &&
              last.column == mark->column;
  if (!note || said) return;
  last = *mark;
  fflush(stdout);
  fprintf(stderr, "%s:%d:%d: note: %s (arch)\n", mark->file, mark->line, mark->column, note);
}

const gg_mark *cli_name_mark(const gg_spec *spec) {
  return spec->name.state == GG_SPEC_SET ? &spec->name.mark : &spec->here.mark;
}
