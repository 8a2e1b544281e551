/* Shared by the commands that write files for builds: directories, and rules for make and ninja. */
#ifndef GG_CLI_OUTPUTS_H
#define GG_CLI_OUTPUTS_H

#include <stdbool.h>

#include "base/error.h"

/* Makes a directory and those above it. `of_file`: `path` names a file, whose directory is made. */
gg_status cli_make_directory(const char *path, bool of_file, gg_error *err);

/* A Makefile rule that says which files depend on which others. Initialise with zeros. */
typedef struct cli_rule {
  gg_str outputs, inputs;
} cli_rule;

void cli_rule_add_output(cli_rule *rule, const char *path);
void cli_rule_add_inputs(cli_rule *rule, int count, char **paths); /* "-" is no file */

/* Writes the rule to `depfile` (NULL: does nothing). Reports a failure; returns an exit code. */
int cli_rule_write(const cli_rule *rule, const char *depfile);
void cli_rule_free(cli_rule *rule);

#endif
