/* What a gg_compiler is made of, and what the library does with it. */
#ifndef GG_RUNTIME_JIT_H
#define GG_RUNTIME_JIT_H

#include <stdatomic.h>

#include "atom/arch.h"
#include "cache.h"
#include "edits.h"
#include "gemmgen_runtime.h"
#include "nvrtc.h"
#include "pack_file.h"

struct gg_compiler {
  gg_nvrtc nvrtc;
  gg_compiler_facts facts;
  char *why_not; /* why there is no NVRTC; NULL when there is one */
  gg_cache cache;
  gg_edits edits;
  void (*warn)(void *user, const char *message);
  void *user;
  atomic_flag said_unkept, said_distrust; /* warnings about the cache, each of which is said once */
  atomic_flag said_damaged;               /* likewise, about packs */
};

/* What to compile a kernel of arch `kernel` for, so that it runs on a device of `device` (90). A
 * kernel of a plain arch, without `a` or `f`, is compiled for the device's own; if NVRTC does not
 * know that, for the newest older one of the same major version, whose cubins the device runs; else
 * to PTX, which the driver compiles. */
gg_status gg_jit_target(gg_arch *arch, gg_format *format, const char *name, const char *kernel,
                        int device, const gg_nvrtc *nvrtc, gg_error *err);

/* gg_compile for the target and in the format that gg_jit_target gives; for the emulator to PTX
 * with the source's lines in it. A kernel that is in one of `packs` (NULL: there are none) is taken
 * from there, which needs no NVRTC. */
gg_status gg_compile_for_device(gg_binary **out, gg_compiler *compiler, const gg_packs *packs,
                                const gg_kernel *kernel, const gg_device_facts *device,
                                gg_error *err);

/* The same without compiling: *out stays NULL if neither packs nor the cache have the kernel. */
gg_status gg_find_for_device(gg_binary **out, gg_compiler *compiler, const gg_packs *packs,
                             const gg_kernel *kernel, const gg_device_facts *device, gg_error *err);

/* What gg_compile gives as PTX, with the lines (-lineinfo) of the text that it is compiled from.
 * That text is appended to `source`. If it is PTX itself, *out stays NULL and `source` as it is. */
gg_status gg_compile_lined(gg_binary **out, gg_str *source, gg_compiler *compiler,
                           const gg_kernel *kernel, const char *arch, gg_error *err);

/* Has NVRTC make a cubin of an empty kernel, if it has made none yet in this process. Whether that
 * succeeds does not matter. The compiler must have an NVRTC. */
void gg_compiler_warm_up(const gg_compiler *compiler);

/* The key under which the cache and packs have what this compiler has made of a kernel. */
gg_cache_key gg_compiled_key(const gg_compiler *compiler, const gg_kernel *kernel,
                             const gg_binary *binary);

#endif
