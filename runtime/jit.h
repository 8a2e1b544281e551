/* gg_compiler from the inside. */
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
  char *why_not; /* no NVRTC; NULL when there is one */
  gg_cache cache;
  gg_edits edits;
  void (*warn)(void *user, const char *message);
  void *user;
  atomic_flag said_unkept, said_distrust; /* of the cache: each is said once */
  atomic_flag said_damaged;               /* of packs, likewise */
};

/* What to compile a kernel of arch `kernel` for, to run on a device of `device` (90), with
 * a compiler for `supported` (ascending). A plain kernel goes to the device's own arch; where
 * the compiler does not know that, to the newest older one of the same major version, whose cubin
 * the device runs; else to PTX for the driver to compile. */
gg_status gg_jit_target(gg_arch *arch, gg_format *format, const char *name, const char *kernel,
                        int device, const gg_nvrtc *nvrtc, gg_error *err);

/* gg_compile for the target and in the format that gg_jit_target gives; for the emulator PTX, with
 * the source's lines in it. What is in one of `packs` (NULL: there are none) comes from there, and
 * needs no NVRTC. */
gg_status gg_compile_for_device(gg_binary **out, gg_compiler *compiler, const gg_packs *packs,
                                const gg_kernel *kernel, const gg_device_facts *device,
                                gg_error *err);

/* The same without compiling: *out stays NULL where neither packs nor the cache have the kernel. */
gg_status gg_find_for_device(gg_binary **out, gg_compiler *compiler, const gg_packs *packs,
                             const gg_kernel *kernel, const gg_device_facts *device, gg_error *err);

/* What gg_compile gives as PTX, with lines (-lineinfo) of the text that it is compiled from, which
 * is appended to `source`. *out stays NULL, and `source` as it is, where that text is PTX itself.
 */
gg_status gg_compile_lined(gg_binary **out, gg_str *source, gg_compiler *compiler,
                           const gg_kernel *kernel, const char *arch, gg_error *err);

/* Has NVRTC make a cubin of an empty kernel, if it has made none yet in this process, whatever
 * comes of it. There is an NVRTC. */
void gg_compiler_warm_up(const gg_compiler *compiler);

/* The key of what this compiler has made of a kernel: by it the cache and packs have it. */
gg_cache_key gg_compiled_key(const gg_compiler *compiler, const gg_kernel *kernel,
                             const gg_binary *binary);

#endif
