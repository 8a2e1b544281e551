/* What the commands that write files for builds share: folders, and rules for make and ninja. */
#ifndef GG_CLI_OUTPUTS_H
#define GG_CLI_OUTPUTS_H

#include <stdbool.h>

#include "base/error.h"

/* Makes the directory, or that of a file, and those above it. */
gg_status cli_make_directory(const char *path, bool of_file, gg_error *err);

/* A Makefile rule: which files depend on which. Begins zeroed. */
typedef struct cli_rule {
  gg_str outputs, inputs;
} cli_rule;

void cli_rule_add_output(cli_rule *rule, const char *path);
void cli_rule_add_inputs(cli_rule *rule, int count, char **paths); /* "-" is no file */

/* Writes it (NULL: nowhere). Gives an exit code, and reports. */
int cli_rule_write(const cli_rule *rule, const char *depfile);
void cli_rule_free(cli_rule *rule);

#endif
