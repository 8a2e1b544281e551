/* The names of a kernel's parts in timelines. */
#ifndef GG_CLI_NAMES_H
#define GG_CLI_NAMES_H

#include "base/part_name.h"
#include "plan/layouts.h"

enum { CLI_PART_NAMES_MAX = 64 };

/* A list of names. They point into the plan and the layouts. */
typedef struct cli_part_names {
  gg_part_name list[CLI_PART_NAMES_MAX];
  size_t count;
} cli_part_names;

void cli_part_names_make(cli_part_names *out, const gg_plan *plan, const gg_layouts *layouts);

/* Gives the emulator the names of a kernel's stages, barriers and warps. */
void cli_name_kernel(const gg_plan *plan, const gg_layouts *layouts);

/* The same for all kernels of the spec files, whose plans are made for it. A file that cannot be
 * read a second time ("-") gets no names. */
void cli_name_parts(int count, char **paths);

#endif
