/* Reading specs, shared by the commands that do so. */
#ifndef GG_CLI_SPECS_H
#define GG_CLI_SPECS_H

#include "cli/cli.h"
#include "emit/report.h"

/* The spec files of a command, read into memory, in the order of the command line. */
typedef struct cli_specs {
  gg_spec_file **files;
  size_t file_count;
  size_t count; /* specs in all files together */
} cli_specs;

/* Reads the files ("-": standard input). A file that cannot be read is reported and left out.
 * Returns an exit code; free with cli_specs_free in any case. */
int cli_specs_load(cli_specs *out, int count, char **paths);
void cli_specs_free(cli_specs *specs);

typedef gg_status cli_spec_action(void *user, const gg_spec *spec, gg_error *err);

/* Runs `action` on each spec of each file, and prints the errors. A file is left at its first
 * error, unless `keep_going` is set. `progress`: the name of the progress bar; NULL for none.
 * Returns an exit code. */
int cli_specs_each(const cli_specs *specs, bool keep_going, const char *progress,
                   cli_spec_action *action, void *user);

/* Does the same while it reads the files. */
int cli_each_spec(int count, char **paths, bool keep_going, cli_spec_action *action, void *user);

#define CLI_KEEP_GOING_OPTION(type, member)                                                        \
  {                                                                                                \
    "keep-going", 0, CLI_FLAG, offsetof(type, member), NULL,                                       \
        "go on with a sweep past combinations that are refused"                                    \
  }

/* Prints a note on a spec's kernel to stderr, if there is one: a kernel's or a report's `note`.
 * Kernels of one sweep whose architecture is given in one place have it printed once. */
void cli_note(const gg_spec *spec, const char *note);

/* The place in the file where the spec gives its kernel's name; where it gives none, its beginning.
 */
const gg_mark *cli_name_mark(const gg_spec *spec);

#endif
