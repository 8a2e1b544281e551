/* NVRTC, loaded at run time. Signatures: NVRTC documentation, CUDA 12 and 13. */
#ifndef GG_RUNTIME_NVRTC_H
#define GG_RUNTIME_NVRTC_H

#include "gemmgen_runtime.h"
#include "library.h"

typedef int nvrtcResult;
typedef struct nvrtcProgram_st *nvrtcProgram;

enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_COMPILATION = 6 };

enum { GG_NVRTC_ARCHS_MAX = 64 };

typedef struct gg_nvrtc {
  const char *(*get_error_string)(nvrtcResult);
  nvrtcResult (*version)(int *major, int *minor);
  nvrtcResult (*arch_count)(int *count);
  nvrtcResult (*archs)(int *archs);
  nvrtcResult (*create)(nvrtcProgram *program, const char *source, const char *name, int headers,
                        const char *const *header_sources, const char *const *header_names);
  nvrtcResult (*destroy)(nvrtcProgram *program);
  nvrtcResult (*compile)(nvrtcProgram program, int count, const char *const *options);
  nvrtcResult (*ptx_size)(nvrtcProgram program, size_t *size);
  nvrtcResult (*ptx)(nvrtcProgram program, char *ptx);
  nvrtcResult (*cubin_size)(nvrtcProgram program, size_t *size);
  nvrtcResult (*cubin)(nvrtcProgram program, char *cubin);
  nvrtcResult (*log_size)(nvrtcProgram program, size_t *size);
  nvrtcResult (*log)(nvrtcProgram program, char *log);

  gg_library library;
  gg_library builtins; /* the library of its built-in headers, from the same folder */
  int major, minor;
  int supported[GG_NVRTC_ARCHS_MAX]; /* ascending: 80, 86, 90 ... */
  int supported_count;
} gg_nvrtc;

/* Loads the library at `path`, or the first that the search of library.h finds. On failure `why`
 * says where it looked; on success, which choice of the user was passed over. */
bool gg_nvrtc_open(gg_nvrtc *out, const char *path, gg_str *why);
void gg_nvrtc_close(gg_nvrtc *nvrtc);

/* Whether NVRTC has been asked for a cubin in this process. */
bool gg_nvrtc_has_made_cubin(void);

/* Compiles the text, which the log calls `name`. Appends to `binary` and `log`. GG_E_COMPILE: the
 * text does not compile, and err->log has the log. */
gg_status gg_nvrtc_compile(gg_str *binary, gg_str *log, const gg_nvrtc *nvrtc, const char *source,
                           const char *name, const char *arch, gg_format format,
                           const char *const *options, int option_count, gg_error *err);

#endif
