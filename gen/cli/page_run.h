/* `gemmgen explain --html --run`: one launch in the emulator, to be shown on the page. */
#ifndef GG_CLI_PAGE_RUN_H
#define GG_CLI_PAGE_RUN_H

#include "cli/kernels.h"
#include "page/page.h"

/* The extents that a kernel is run with unless the user gives others: what it fixes, else in M and
 * N the tiles of one cluster, and in K so many tiles that the first stages are filled twice. */
typedef struct cli_extents {
  int64_t m, n, k;
} cli_extents;

cli_extents cli_usual_extents(const gg_plan *plan, const gg_kernel *kernel);

/* What the launch left behind; `run` points into the texts. */
typedef struct cli_page_run {
  gg_page_run run;
  char *counters, *timeline, *followed;
} cli_page_run;

/* Runs the kernel once in the emulator, on operands of small whole numbers. Clusters run one after
 * the other, so that the page is the same each time. `element`: "ROW K", which element of A to
 * follow; NULL: one that lies inside of most tiles. Reports failures; returns an exit code. Free
 * with cli_page_run_free in any case. */
int cli_page_run_make(cli_page_run *out, const gg_plan *plan, const gg_layouts *layouts,
                      const gg_kernel *kernel, const cli_shape *shape, const char *element);
void cli_page_run_free(cli_page_run *run);

#endif
