/* The emulated CUDA driver: the calls that it has besides those of the CUDA driver API.
 *
 * libgemmgen-emu exports the CUDA driver API under its real names, so that a program written
 * against libcuda runs on the emulator: link it in libcuda's place, or put the folder that has it
 * as libcuda.so.1 first in LD_LIBRARY_PATH. It takes PTX, not cubins. If NVIDIA's cuda.h is
 * included first, this header declares only the emulator's own calls, else the API's calls too. A
 * process has one device, with its memory and its options: docs/emulator.md. */
#ifndef GEMMGEN_EMU_H
#define GEMMGEN_EMU_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#ifndef CUDA_VERSION
#include "cuda_api.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CUDA_VERSION
/* The CUDA driver API as libgemmgen-emu has it, by its unversioned names. */
#define GG_DRIVER(name, symbol, arguments) CUresult name arguments __asm__(symbol);
#include "driver.def"
#include "emu/driver/api.def"
#undef GG_DRIVER
#endif

typedef struct gg_emu_options {
  size_t size;       /* of this struct; as GG_EMU_OPTIONS_INIT sets it */
  int arch;          /* the device's: 80, 89, 90 (an H100), 100, 103, 110, 120, 121; 0: 90 */
  int threads;       /* of the host; 0: one for each core */
  int random;        /* whether asynchronous work lands at random moments, not as late as it may */
  uint64_t seed;     /* of those moments and of the order of warps */
  int64_t max_steps; /* how many instructions the warps of a launch execute without any of them
                        ending before it is called endless; 0: 10,000,000,000; -1: no limit */
  int counters;      /* whether to count, for gg_emu_counters */
  const char *counters_file; /* JSON, written when the last context goes; NULL: none; implies
                                `counters` */
  const char *trace_file;    /* the timeline, written then, too; NULL: none */
  /* Severities of classes of faults, as "uninitialised=fault,exit=off", or one for all of them:
   * off, warn (the kernel goes on, and there is a warning) or fault (it ends). NULL: as
   * docs/emulator.md says. What is off is not looked for, which is faster. */
  const char *hazards;
  /* Is called with warnings when a launch ends, once for each place of a program, with how often it
   * happened there; it must not call the driver. NULL: they go to stderr. */
  void (*warn)(void *user, const char *message);
  void *warn_user;
} gg_emu_options;

#define GG_EMU_OPTIONS_INIT GG_SIZED(gg_emu_options)

/* Fills *out, which GG_EMU_OPTIONS_INIT began, with what the environment says: GEMMGEN_EMU_ARCH,
 * _THREADS, _SEED (random with that seed), _MAX_STEPS, _HAZARDS (as `hazards`), _COUNTERS (a file),
 * _TRACE (a file). CUDA_ERROR_INVALID_VALUE: a variable is not as it should be; cuGetErrorString
 * then tells which. The environment owns the strings. */
GG_API CUresult gg_emu_options_init(gg_emu_options *out);

/* Sets the options of the next device, which is made with the first context and goes with the last.
 * NULL, or without this call: those of the environment. Strings are copied.
 * CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE while there is a context. */
GG_API CUresult gg_emu_configure(const gg_emu_options *options);

/* Writes the counters of all launches of this device to `buffer`, as text (json 0) or JSON, cut to
 * `size` bytes with the NUL; returns their whole length, without it. */
GG_API size_t gg_emu_counters(char *buffer, size_t size, int json);

/* Writes counters_file and trace_file now, while a failure can be told, and not only when the last
 * context goes. Later launches are counted, and counters_file is written again then, but they are
 * not in the timeline.
 * CUDA_ERROR_OPERATING_SYSTEM: a file cannot be written; gg_emu_message says which, and why. */
GG_API CUresult gg_emu_write_reports(void);

/* Names things in the timeline (trace_file): a kernel's warps, its named barriers (bar.sync N), or
 * bytes of a CTA's shared memory, in which static variables come first. `kernel` is an entry's
 * name, NULL for every kernel. `each` of them, from `first` on, are called `name`. With `count`
 * above 1 they are name[0], the next `each` name[1], and so on: gg_emu_name("gemm",
 * GG_EMU_NAME_SHARED, "full", 221184, 5, 8) names five mbarriers. The first name that fits is
 * taken. */
typedef enum gg_emu_name_kind {
  GG_EMU_NAME_SHARED = 0,
  GG_EMU_NAME_WARPS = 1,
  GG_EMU_NAME_BARRIERS = 2
} gg_emu_name_kind;
GG_API CUresult gg_emu_name(const char *kernel, gg_emu_name_kind what, const char *name,
                            unsigned first, unsigned count, unsigned each);
/* A label for the launches from now on; NULL: none. */
GG_API CUresult gg_emu_label(const char *label);

/* Writes the warnings of all launches of this device to `buffer`, a line for each with how often it
 * happened, cut to `size` bytes with the NUL; returns their whole length, without it: 0 if there is
 * none. */
GG_API size_t gg_emu_warnings(char *buffer, size_t size);

/* Finds the first of `bytes` bytes of device memory that nobody has written, counted from
 * `address`; -1 if all have been written. */
GG_API CUresult gg_emu_unwritten(int64_t *first, CUdeviceptr address, size_t bytes);

/* Follows the byte of device memory at `address` through the launches from now on, in place of
 * the one before; `on` 0: none. gg_emu_followed writes what has happened to it to `buffer`, as a
 * JSON array, cut to `size` bytes with the NUL, and returns its whole length. There is an object
 * for each copy that brought it to shared memory ("to" says where), each read of it there and each
 * load of it by threads, with CTA, warp, line of the PTX and of the source (docs/emulator.md). */
GG_API CUresult gg_emu_follow(CUdeviceptr address, int on);
GG_API size_t gg_emu_followed(char *buffer, size_t size);

/* The last failure in full: what happened, the PTX line, CTA, warp, lane and the source line; ""
 * when there was none. It is valid until the next failure. cuGetErrorString gives the same for that
 * failure's code. */
GG_API const char *gg_emu_message(void);

#ifdef __cplusplus
}
#endif

#endif
