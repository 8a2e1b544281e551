/* The tensor maps of a kernel's operands: what they can address, and how the driver encodes them.
 */
#ifndef GG_RUNTIME_TENSORMAP_H
#define GG_RUNTIME_TENSORMAP_H

#include "driver.h"

enum { GG_LAUNCH_MAPS_MAX = GG_TENSOR_MAPS_MAX + 2 }; /* including those of the ends of A and B */

static inline bool gg_param_is_map(gg_param param) {
  return param.kind == GG_PARAM_MAP || param.kind == GG_PARAM_MAP_END;
}

/* Checks whether maps, and 32-bit coordinates if the kernel has those, can address a problem whose
 * operands have passed all other checks. PROBLEM_SIZE. */
gg_status gg_tensor_maps_check(const gg_kernel *kernel, const gg_problem *problem, gg_error *err);

/* Encodes the kernel's maps for a checked problem, in the order of its parameters, in the driver's
 * current context. DRIVER. */
gg_status gg_tensor_maps_encode(uint64_t out[GG_LAUNCH_MAPS_MAX][16], const gg_driver *driver,
                                const gg_kernel *kernel, const gg_problem *problem, gg_error *err);

#endif
