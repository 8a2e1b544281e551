/* What the parts of a kernel are called in the emulator's timeline. */
#ifndef GG_CLI_NAMES_H
#define GG_CLI_NAMES_H

#include "plan/layouts.h"

/* Tells the emulator the names of stages, barriers and warps of a kernel. */
void cli_name_kernel(const gg_plan *plan, const gg_layouts *layouts);

/* The same of the kernels of the spec files, from their plans. Files that cannot be read a second
 * time ("-") get none. */
void cli_name_parts(int count, char **paths);

#endif
