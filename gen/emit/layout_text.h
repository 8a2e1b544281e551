/* Layouts as C functions, which stand at the top of an emitted kernel. */
#ifndef GG_EMIT_LAYOUT_TEXT_H
#define GG_EMIT_LAYOUT_TEXT_H

#include "layout/swizzle.h"

/* Appends a constexpr device function of two coordinates that evaluates a rank-2 layout with
 * nonnegative integer strides:
 *
 *     // Sw<3,3,3> o 0 o (128,64):(64,1)
 *     __device__ __forceinline__ constexpr unsigned smem_a(unsigned m, unsigned k) {
 *       return m * 64 + (k ^ ((m & 7) << 3));
 *     }
 */
gg_status gg_emit_layout_function(gg_str *out, const char *name, const char *const coords[2],
                                  const gg_composed *layout, gg_error *err);

/* The same as a method of a struct, without the line that shows the layout. */
gg_status gg_emit_layout_method(gg_str *out, const char *name, const char *const coords[2],
                                const gg_composed *layout, gg_error *err);

#endif
