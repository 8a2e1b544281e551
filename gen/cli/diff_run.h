/* `gemmgen diff --run`: what the emulator counts of two kernels on one problem. */
#ifndef GG_CLI_DIFF_RUN_H
#define GG_CLI_DIFF_RUN_H

#include "cli/kernel_page.h"

/* Runs both once in the emulator and appends the counters that differ. What `shape` leaves open is
 * what a kernel fixes, or as much as the larger of both has a cluster for, and two K tiles more
 * than it has stages. *differ is left as it is where all are the same. Gives an exit code, and
 * reports. */
int cli_diff_run(gg_str *out, bool *differ, const cli_made *a, const cli_made *b,
                 const cli_shape *shape);

#endif
