/* gg_layouts -> gg_kernel: the text and the facts of its launch. */
#ifndef GG_EMIT_EMIT_H
#define GG_EMIT_EMIT_H

#include "plan/layouts.h"

/* Emits the kernel as CUDA C++, or, if `ptx`, as PTX. If the plan has no PTX template, fails with
 * EMIT_PTX, which says why. Free the kernel with gg_kernel_free. */
gg_status gg_kernel_emit(gg_kernel **out, const gg_plan *plan, const gg_layouts *layouts, bool ptx,
                         gg_error *err);

/* The part of a kernel's text that is compiled: everything except the banner in front, and the
 * fingerprint at the end, which depends on the banner, too. The kernel must come from
 * gg_kernel_emit. */
const char *gg_kernel_code(const gg_kernel *kernel, size_t *length);

#endif
