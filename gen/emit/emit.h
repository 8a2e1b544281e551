/* gg_layouts -> gg_kernel: the text and the facts of its launch. */
#ifndef GG_EMIT_EMIT_H
#define GG_EMIT_EMIT_H

#include "plan/layouts.h"

/* Free with gg_kernel_free. */
gg_status gg_kernel_emit(gg_kernel **out, const gg_plan *plan, const gg_layouts *layouts,
                         gg_error *err);

/* The kernel's parameters in the order of its signature; gives how many. The maps come in the order
 * of layouts->maps. */
size_t gg_kernel_params(gg_param params[GG_PARAM_COUNT], const gg_plan *plan,
                        const gg_layouts *layouts);

#endif
