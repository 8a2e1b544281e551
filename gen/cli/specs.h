/* What the commands that read specs share. */
#ifndef GG_CLI_SPECS_H
#define GG_CLI_SPECS_H

#include "cli/cli.h"
#include "emit/report.h"

typedef gg_status cli_spec_action(void *user, const gg_spec *spec, gg_error *err);

/* Reads the file ("-": standard input) and runs `action` on each of its specs, up to the first
 * error, which is printed. With `single`, a sweep of several kernels is a usage error. `progress`
 * names the progress bar of a sweep; NULL for none. */
int cli_each_spec(const char *path, bool single, const char *progress, cli_spec_action *action,
                  void *user);

/* Plan and layouts of a spec as a report; free with gg_report_free. */
gg_status cli_report_of(gg_report *out, const gg_spec *spec, gg_error *err);

#endif
