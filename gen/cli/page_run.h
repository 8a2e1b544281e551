/* `gemmgen explain --html --run`: one launch in the emulator, for the page. */
#ifndef GG_CLI_PAGE_RUN_H
#define GG_CLI_PAGE_RUN_H

#include "cli/kernels.h"
#include "page/page.h"

/* What a kernel is run with where nothing is said: what it fixes, else the tiles of one cluster,
 * and so many K tiles that the first stages are filled twice. */
typedef struct cli_extents {
  int64_t m, n, k;
} cli_extents;

cli_extents cli_usual_extents(const gg_plan *plan, const gg_kernel *kernel);

/* What the launch left; `run` points into the texts. */
typedef struct cli_page_run {
  gg_page_run run;
  char *counters, *timeline, *followed;
} cli_page_run;

/* Runs the kernel once in the emulator, one cluster after the other so that every page of it is the
 * same, with operands of small whole numbers. `element`: "ROW K", which element of A to follow;
 * NULL: one that is inside of most tiles. Gives an exit code, and reports; free with
 * cli_page_run_free whatever it is. */
int cli_page_run_make(cli_page_run *out, const gg_plan *plan, const gg_layouts *layouts,
                      const gg_kernel *kernel, const cli_shape *shape, const char *element);
void cli_page_run_free(cli_page_run *run);

#endif
