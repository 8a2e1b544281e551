/* Loading for the device of a context what packs have, what the cache has, or what is compiled. */
#ifndef GG_RUNTIME_LOAD_H
#define GG_RUNTIME_LOAD_H

#include "pack_file.h"

/* gg_module_load; what is in one of `packs` comes from there. */
gg_status gg_module_load_packed(gg_module **out, gg_context *context, const gg_packs *packs,
                                const gg_kernel *kernel, gg_error *err);

/* The same without compiling: *out stays NULL where that would be needed. */
gg_status gg_module_load_at_hand(gg_module **out, gg_context *context, const gg_packs *packs,
                                 const gg_kernel *kernel, gg_error *err);

#endif
