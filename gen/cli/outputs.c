#include "cli/outputs.h"

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"

gg_status cli_make_directory(const char *path, bool of_file, gg_error *err) {
  gg_str copy = GG_STR_INIT;
  gg_str_puts(&copy, path);
  if (copy.failed) return gg_fail(err, MEMORY, NULL, "");
  char *slash = of_file ? strrchr(copy.text, '/') : NULL;
  if (slash) *slash = '\0';
  bool ok = (of_file && !slash) || !copy.text[0] || gg_directory_make(copy.text, 0777);
  gg_status st = ok ? GG_OK : gg_fail(err, FILE_WRITE, NULL, copy.text, strerror(errno));
  gg_str_free(&copy);
  return st;
}

/* Appends a path as compilers write it in depfiles, for make and ninja: a backslash stands for
 * itself unless a character follows that needs quoting. */
static void add_path(gg_str *list, const char *path) {
  gg_str quoted = GG_STR_INIT;
  gg_str_putc(&quoted, ' ');
  for (const char *s = path; *s; s++) {
    if (*s == ' ' || *s == '\t') {
      for (const char *back = s; back > path && back[-1] == '\\'; back--)
        gg_str_putc(&quoted, '\\');
    }
    if (*s == ' ' || *s == '\t' || *s == '#') gg_str_putc(&quoted, '\\');
    if (*s == '$') gg_str_putc(&quoted, '$');
    gg_str_putc(&quoted, *s);
  }
  gg_str_add(list, &quoted);
  gg_str_free(&quoted);
}

void cli_rule_add_output(cli_rule *rule, const char *path) {
  add_path(&rule->outputs, path);
}

void cli_rule_add_inputs(cli_rule *rule, int count, char **paths) {
  for (int i = 0; i < count; i++)
    if (strcmp(paths[i], "-") != 0) add_path(&rule->inputs, paths[i]);
}

int cli_rule_write(const cli_rule *rule, const char *depfile) {
  gg_error err = GG_ERROR_INIT;
  if (!depfile) return CLI_OK;
  gg_str text = GG_STR_INIT;
  const char *outputs = gg_str_text(&rule->outputs);
  gg_str_printf(&text, "%s:%s\n", outputs[0] ? outputs + 1 : "", gg_str_text(&rule->inputs));
  text.failed = text.failed || rule->outputs.failed || rule->inputs.failed;
  gg_status st = cli_write_text(depfile, &text, &err);
  gg_str_free(&text);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

void cli_rule_free(cli_rule *rule) {
  gg_str_free(&rule->outputs);
  gg_str_free(&rule->inputs);
}
