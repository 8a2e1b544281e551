/* `gemmgen explain --svg`. */
#ifndef GG_CLI_KERNEL_PICTURE_H
#define GG_CLI_KERNEL_PICTURE_H

#include "base/str.h"
#include "plan/layouts.h"

/* Appends a drawing of a kernel as an SVG file: how a pair of CTAs divides an MMA, the rings with
 * the roles that fill and drain them, and, if the kernel uses tensor memory, how that is laid out.
 * A kernel with none of these is drawn as its title alone. */
void cli_kernel_picture(gg_str *out, const gg_plan *plan, const gg_layouts *layouts);

#endif
