/* What the parts of a kernel are called in timelines. */
#ifndef GG_CLI_NAMES_H
#define GG_CLI_NAMES_H

#include "base/part_name.h"
#include "plan/layouts.h"

enum { CLI_PART_NAMES_MAX = 64 };

/* The names point into the plan and the layouts. */
typedef struct cli_part_names {
  gg_part_name list[CLI_PART_NAMES_MAX];
  size_t count;
} cli_part_names;

void cli_part_names_make(cli_part_names *out, const gg_plan *plan, const gg_layouts *layouts);

/* Tells the emulator the names of stages, barriers and warps of a kernel. */
void cli_name_kernel(const gg_plan *plan, const gg_layouts *layouts);

/* The same of the kernels of the spec files, from their plans. Files that cannot be read a second
 * time ("-") get none. */
void cli_name_parts(int count, char **paths);

#endif
