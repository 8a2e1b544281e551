/* The PTX emulator: a device that runs PTX on the CPU.
 *
 *     text --parse--> ptx_module --decode--> emu_module --launch--> effects on an emu_device
 *
 * emu/ptx reads PTX text. emu/isa turns each instruction into an emu_op (decode.h), which is a
 * function and the places of its operands. The machine (machine.h) runs ops, a warp at a time, over
 * memory (memory.h). Asynchronous work is issued now and lands later (async.h). hazard.h watches
 * for races. emu/driver presents all of it as the CUDA driver API.
 *
 * Threads: only one thread at a time may use a device. A launch spreads its clusters over `threads`
 * workers of its own. */
#ifndef GG_EMU_H
#define GG_EMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/part_name.h"
#include "emu/severity.h"

typedef struct emu_device emu_device;
typedef struct emu_module emu_module;
typedef struct emu_kernel emu_kernel;
struct emu_counters;
struct emu_trace;

/* So many instructions take minutes of a host thread's time. In a kernel that is not endless a warp
 * ends long before: in any shipped kernel after a thousandth of it at most (docs/emulator.md). */
#define EMU_STEPS_MOST INT64_C(10000000000)

typedef struct emu_options {
  int arch;          /* the device's, for arithmetic and limits; 0: 90, an H100 */
  int threads;       /* host threads; 0: one for each core */
  bool random;       /* asynchronous work lands at random moments; else as late as it may */
  uint64_t seed;     /* of those moments and of the order of warps */
  int64_t max_steps; /* how many instructions the warps of a launch execute without any of them
                        ending before it is called endless; 0: EMU_STEPS_MOST; negative: no limit */
  /* What becomes of faults that have a class. If all of them are off, they are not looked for,
   * which is faster. */
  emu_severities severities;
  /* Takes what the kernel's printf writes, whole calls of a warp; NULL: it goes to stdout. Workers
   * call it, one at a time. */
  void (*print)(void *user, const char *text, size_t length);
  void *print_user;
} emu_options;

#define EMU_OPTIONS_INIT                                                                           \
  { 0 }

/* `options` may be NULL. Close with emu_device_close, which frees modules and memory. */
gg_status emu_device_open(emu_device **out, const emu_options *options, gg_error *err);
void emu_device_close(emu_device *device);

/* Global memory. Each allocation is a range of its own, with bounds, and begins marked as
 * uninitialised. Errors: MEMORY; EMU_ADDRESS for an address that is in no range. */
gg_status emu_memory_alloc(uint64_t *out, emu_device *device, uint64_t bytes, uint64_t align,
                           gg_error *err);
gg_status emu_memory_free(emu_device *device, uint64_t address, gg_error *err);
gg_status emu_memory_write(emu_device *device, uint64_t to, const void *from, uint64_t bytes,
                           gg_error *err);
gg_status emu_memory_read(emu_device *device, void *to, uint64_t from, uint64_t bytes,
                          gg_error *err);
gg_status emu_memory_fill(emu_device *device, uint64_t to, int value, uint64_t bytes,
                          gg_error *err);
/* How many bytes all allocations together may have; *used, unless NULL, how many they have. If
 * `device` is NULL, of one that would be opened. */
uint64_t emu_memory_capacity(const emu_device *device, uint64_t *used);
/* The first of the bytes that nobody has written; -1 if all have been written. */
gg_status emu_memory_unwritten(int64_t *out, emu_device *device, uint64_t address, uint64_t bytes,
                               gg_error *err);

/* Parses and decodes PTX; messages call the file `name`. The device owns the module. */
gg_status emu_module_load(emu_module **out, emu_device *device, const char *name, const char *ptx,
                          size_t length, gg_error *err);
void emu_module_unload(emu_device *device, emu_module *module);
/* NULL if there is no such entry. */
emu_kernel *emu_module_kernel(const emu_module *module, const char *entry);
/* A module's .global or .const variable; false if there is none of that name. */
bool emu_module_variable(uint64_t *address, uint64_t *bytes, const emu_module *module,
                         const char *name);

typedef struct emu_kernel_facts {
  const char *name;
  uint64_t param_bytes, static_smem_bytes, local_bytes;
  int param_count;
  int max_threads; /* by .maxntid or .reqntid; 1024 if there is neither */
} emu_kernel_facts;

emu_kernel_facts emu_kernel_facts_of(const emu_kernel *kernel);
/* Offset and size of a parameter in the block of parameters; false behind the last. */
bool emu_kernel_param(uint64_t *offset, uint64_t *bytes, const emu_kernel *kernel, int index);

/* Launches that may still run on a GPU, though the emulator has ended them. They are known by the
 * numbers of their accesses, from `first` on and before `end`. */
enum { EMU_AHEAD_MAX = 8 };

typedef struct emu_ahead {
  uint32_t count, first[EMU_AHEAD_MAX], end[EMU_AHEAD_MAX];
} emu_ahead;

/* The launches of a stream: which of them may still run when the next one begins, if that need not
 * wait for them, and which when it has waited (hazard/beside.h). Zeroed: all have ended. */
typedef struct emu_succession {
  emu_ahead begun, waited;
  uint32_t age; /* numbers of another age are no longer valid */
} emu_succession;

typedef struct emu_launch_config {
  unsigned grid[3], block[3];
  unsigned cluster[3]; /* all 0: a plain launch without the cluster attribute */
  uint64_t smem_bytes; /* dynamic */
  bool cooperative;    /* %envreg1 and %envreg2 name a workspace for barriers of the grid */
  bool beside; /* it may begin before the launch ahead has ended: programmatic serialization */
  emu_succession *succession;    /* of its stream; NULL: no other launch runs beside it */
  const void *params;            /* param_bytes of them, laid out as the kernel declares */
  struct emu_counters *counters; /* the launch's are added to it; may be NULL */
  struct emu_trace *trace;       /* may be NULL */
  struct emu_follow *follow;     /* may be NULL */
  const gg_part_name *names;     /* for the trace */
  size_t name_count;
  const char *label; /* of the launch in the trace; may be NULL */
} emu_launch_config;

/* Runs a kernel to its end. Errors: EMU_LAUNCH for a configuration that the kernel or the device
 * does not allow, and the faults of the kernel. After an error the device's memory has what was
 * written until then. */
gg_status emu_launch(emu_device *device, const emu_kernel *kernel, const emu_launch_config *config,
                     gg_error *err);

#endif
