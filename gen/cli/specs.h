/* What the commands that read specs share. */
#ifndef GG_CLI_SPECS_H
#define GG_CLI_SPECS_H

#include "cli/cli.h"
#include "emit/report.h"

/* Spec files in memory, in the order of the command line. */
typedef struct cli_specs {
  gg_spec_file **files;
  size_t file_count;
  size_t count; /* of specs */
} cli_specs;

/* Reads the files ("-": standard input). Each that cannot be read is reported, and left out. Gives
 * an exit code; free with cli_specs_free whatever it is. */
int cli_specs_load(cli_specs *out, int count, char **paths);
void cli_specs_free(cli_specs *specs);

typedef gg_status cli_spec_action(void *user, const gg_spec *spec, gg_error *err);

/* Runs `action` on each spec of each file, up to a file's first error, which is printed; with
 * `keep_going` on those behind it too. `progress` names the progress bar; NULL for none. Gives an
 * exit code. */
int cli_specs_each(const cli_specs *specs, bool keep_going, const char *progress,
                   cli_spec_action *action, void *user);

/* The same of files as they are read. */
int cli_each_spec(int count, char **paths, bool keep_going, cli_spec_action *action, void *user);

#define CLI_KEEP_GOING_OPTION(type, member)                                                        \
  {                                                                                                \
    "keep-going", 0, CLI_FLAG, offsetof(type, member), NULL,                                       \
        "go on with a sweep past combinations that are refused"                                    \
  }

/* Prints what is to be known of a spec's kernel, where that is anything, to stderr: a kernel's or a
 * report's note. Kernels of one sweep, whose architecture stands in one place, have it said once.
 */
void cli_note(const gg_spec *spec, const char *note);

/* Where a spec gives its kernel's name, or else begins. */
const gg_mark *cli_name_mark(const gg_spec *spec);

#endif
