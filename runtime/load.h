/* Loads a kernel for the device of a context: from a pack, from the cache, or compiled. */
#ifndef GG_RUNTIME_LOAD_H
#define GG_RUNTIME_LOAD_H

#include "pack_file.h"

/* gg_module_load, but a kernel that is in one of `packs` is taken from there. */
gg_status gg_module_load_packed(gg_module **out, gg_context *context, const gg_packs *packs,
                                const gg_kernel *kernel, gg_error *err);

/* The same without compiling: *out stays NULL if that would be needed. */
gg_status gg_module_load_at_hand(gg_module **out, gg_context *context, const gg_packs *packs,
                                 const gg_kernel *kernel, gg_error *err);

#endif
