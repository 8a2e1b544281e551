/* gg_layouts -> gg_kernel: the text and the facts of its launch. */
#ifndef GG_EMIT_EMIT_H
#define GG_EMIT_EMIT_H

#include "plan/layouts.h"

/* In CUDA C++, or, where the plan has a template of it, in PTX: else EMIT_PTX, with why. Free with
 * gg_kernel_free. */
gg_status gg_kernel_emit(gg_kernel **out, const gg_plan *plan, const gg_layouts *layouts, bool ptx,
                         gg_error *err);

/* What of a kernel's text is compiled: all but the banner in front and the fingerprint at its end,
 * which is of the banner too. The kernel is one of gg_kernel_emit's. */
const char *gg_kernel_code(const gg_kernel *kernel, size_t *length);

#endif
