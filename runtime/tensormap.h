/* Tensor maps of a kernel's operands: what they can address, and their encoding by the driver. */
#ifndef GG_RUNTIME_TENSORMAP_H
#define GG_RUNTIME_TENSORMAP_H

#include "driver.h"

/* Whether maps, and 32-bit coordinates where the kernel has those, can address a problem whose
 * operands are otherwise in order. PROBLEM_SIZE. */
gg_status gg_tensor_maps_check(const gg_kernel *kernel, const gg_problem *problem, gg_error *err);

/* Encodes the kernel's maps for a checked problem, in the driver's current context. DRIVER. */
gg_status gg_tensor_maps_encode(uint64_t out[GG_TENSOR_MAPS_MAX][16], const gg_driver *driver,
                                const gg_kernel *kernel, const gg_problem *problem, gg_error *err);

#endif
