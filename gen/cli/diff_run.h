/* `gemmgen diff --run`: compares the emulator's counters of two kernels on one problem. */
#ifndef GG_CLI_DIFF_RUN_H
#define GG_CLI_DIFF_RUN_H

#include "cli/kernel_page.h"

/* Runs each kernel once in the emulator and appends the counters that differ. An extent that
 * `shape` leaves open is what one of the kernels fixes, else the larger of the two extents that the
 * kernels are run with alone (page_run.h). *differ becomes true if any counter differs, and is left
 * as it is otherwise. Reports failures; returns an exit code. */
int cli_diff_run(gg_str *out, bool *differ, const cli_made *a, const cli_made *b,
                 const cli_shape *shape);

#endif
