/* libgemmgen's device side compiles a gg_kernel, loads it and launches it.
 *
 *     gg_kernel --gg_compile--> gg_binary --gg_module_load--> gg_module --gg_launch--> on a stream
 *
 * Contexts, problems and launches are in gemmgen_launch.h, which is enough for a program whose
 * kernels were compiled before. This header has what compiles, with NVRTC, which is loaded with
 * dlopen when a context is opened.
 *
 * Threads: a gg_compiler does not change once it is made, like the objects of gemmgen_launch.h. Two
 * compilers share nothing except the cache directory, whose entries appear by rename. */
#ifndef GEMMGEN_RUNTIME_H
#define GEMMGEN_RUNTIME_H

#include "gemmgen.h"
#include "gemmgen_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Compiling ------------------------------------------------------------------------ */

/* NVRTC and the disk cache; needs no device and no driver. */
typedef struct gg_compiler gg_compiler;

typedef struct gg_compiler_options {
  size_t size;         /* of this struct; as GG_COMPILER_OPTIONS_INIT sets it */
  const char *nvrtc;   /* path of libnvrtc; NULL: CUDA_HOME, CUDA_PATH, beside nvcc on the PATH,
                          /usr/local/cuda, then the loader's own search */
  const char *cache;   /* directory; NULL: GEMMGEN_CACHE, $XDG_CACHE_HOME/gemmgen, ~/.cache/gemmgen;
                          "": none. GEMMGEN_CACHE may name several, separated by colons: they are
                          searched in order, and only the last one is written */
  int64_t cache_bytes; /* limit, beyond which the least recently used entries go; 0: 256 MiB */
  void (*warn)(void *user, const char *message); /* NULL: warnings are dropped */
  void *user;
} gg_compiler_options;

#define GG_COMPILER_OPTIONS_INIT GG_SIZED(gg_compiler_options)

/* `options` may be NULL. If NVRTC is missing, gg_compile fails, not this function, so that a
 * program can still load what was compiled elsewhere. Free with gg_compiler_close. */
GG_API gg_status gg_compiler_open(gg_compiler **out, const gg_compiler_options *options,
                                  gg_error *err);
GG_API void gg_compiler_close(gg_compiler *compiler);

typedef struct gg_compiler_facts {
  const char *nvrtc; /* the path that was loaded; NULL: none */
  int nvrtc_version; /* 1300: 13.0; 0: none */
  const int *archs;  /* what it compiles for, ascending: 80, 86, 90 ... */
  size_t arch_count;
  const char *why_not; /* where it was looked for; NULL when there is one */
  const char *cache;   /* the directory that is written; NULL: none */
} gg_compiler_facts;

/* The compiler owns what this returns, strings included. */
GG_API const gg_compiler_facts *gg_compiler_facts_of(const gg_compiler *compiler);

/* Compiles for `arch` ("sm_90a"; NULL: the kernel's own), or takes the result from the cache.
 * On failure *out is NULL and err->log has the compiler's log. Free with gg_binary_free. */
GG_API gg_status gg_compile(gg_binary **out, gg_compiler *compiler, const gg_kernel *kernel,
                            const char *arch, gg_format format, gg_error *err);
GG_API void gg_binary_free(gg_binary *binary);

/* The context's compiler, which the context owns; NULL if libgemmgen-launch opened the context. */
GG_API gg_compiler *gg_context_compiler(const gg_context *context);

/* Compiles a kernel for the context's device and loads it. A kernel's arch is the least it needs:
 * one of sm_80 is compiled for sm_90 on an H100. An `a` target needs that very architecture, an `f`
 * target its family. GG_E_DEVICE_ARCH: the device cannot run it. Free with gg_module_free. */
GG_API gg_status gg_module_load(gg_module **out, gg_context *context, const gg_kernel *kernel,
                                gg_error *err);

/* Compiles the kernel that packs scale factors, or finds it in the context's cache. The context
 * must outlive *out. Close with gg_packer_close. */
GG_API gg_status gg_packer_open(gg_packer **out, gg_context *context, gg_error *err);

#ifdef __cplusplus
}
#endif

#endif
