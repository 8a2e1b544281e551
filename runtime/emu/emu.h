/* The PTX emulator: a device that runs PTX on the CPU.
 *
 *     text --parse--> ptx_module --decode--> emu_module --launch--> effects on an emu_device
 *
 * emu/ptx reads PTX text; emu/isa turns each instruction into an emu_op (decode.h), a function and
 * the places of its operands; the machine (machine.h) runs ops a warp at a time over memory
 * (memory.h); what is asynchronous is issued now and lands later (async.h); hazard.h watches for
 * races. emu/driver presents all of it as the CUDA driver API.
 *
 * Threads: a device may be used by one thread at a time; a launch spreads its clusters over
 * `threads` workers of its own. */
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

/* Minutes of a host thread's time. Kernels that end have warps that do long before: the most of any
 * shipped kernel is a thousandth of it (docs/emulator.md). */
#define EMU_STEPS_MOST INT64_C(10000000000)

typedef struct emu_options {
  int arch;          /* whose arithmetic and limits; 0: 90, an H100 */
  int threads;       /* host threads; 0: one a core */
  bool random;       /* asynchronous work lands at random moments; else as late as it may */
  uint64_t seed;     /* of those moments and of the order of warps */
  int64_t max_steps; /* instructions of a launch's warps, since the last of them to end did, before
                        it is called endless; 0: EMU_STEPS_MOST; negative: no limit */
  /* What becomes of faults that have a class. With all of them off nothing of the sort is looked
   * for, which is faster. */
  emu_severities severities;
  /* Takes what the kernel's printf writes, whole calls of a warp; NULL: it goes to stdout. Called
   * from workers, one at a time. */
  void (*print)(void *user, const char *text, size_t length);
  void *print_user;
} emu_options;

#define EMU_OPTIONS_INIT                                                                           \
  { 0 }

/* `options` may be NULL. Close with emu_device_close, which frees modules and memory. */
gg_status emu_device_open(emu_device **out, const emu_options *options, gg_error *err);
void emu_device_close(emu_device *device);

/* Global memory: each allocation is a range of its own, with bounds; contents start out marked as
 * uninitialised. Errors: MEMORY; EMU_ADDRESS for an address that no range holds. */
gg_status emu_memory_alloc(uint64_t *out, emu_device *device, uint64_t bytes, uint64_t align,
                           gg_error *err);
gg_status emu_memory_free(emu_device *device, uint64_t address, gg_error *err);
gg_status emu_memory_write(emu_device *device, uint64_t to, const void *from, uint64_t bytes,
                           gg_error *err);
gg_status emu_memory_read(emu_device *device, void *to, uint64_t from, uint64_t bytes,
                          gg_error *err);
gg_status emu_memory_fill(emu_device *device, uint64_t to, int value, uint64_t bytes,
                          gg_error *err);
/* Bytes that all allocations together may have, and, unless NULL, those that they have; without a
 * device, of one that would be opened. */
uint64_t emu_memory_capacity(const emu_device *device, uint64_t *used);
/* The first of the bytes that nobody has written; -1 where all are. */
gg_status emu_memory_unwritten(int64_t *out, emu_device *device, uint64_t address, uint64_t bytes,
                               gg_error *err);

/* Parses and decodes PTX; `name` is the file in messages. The module is the device's. */
gg_status emu_module_load(emu_module **out, emu_device *device, const char *name, const char *ptx,
                          size_t length, gg_error *err);
void emu_module_unload(emu_device *device, emu_module *module);
/* NULL where there is no such entry. */
emu_kernel *emu_module_kernel(const emu_module *module, const char *entry);
/* A module's .global or .const variable; false where there is none. */
bool emu_module_variable(uint64_t *address, uint64_t *bytes, const emu_module *module,
                         const char *name);

typedef struct emu_kernel_facts {
  const char *name;
  uint64_t param_bytes, static_smem_bytes, local_bytes;
  int param_count;
  int max_threads; /* of .maxntid or .reqntid; 1024 else */
} emu_kernel_facts;

emu_kernel_facts emu_kernel_facts_of(const emu_kernel *kernel);
/* Offset and size of a parameter in the block of parameters; false past the last. */
bool emu_kernel_param(uint64_t *offset, uint64_t *bytes, const emu_kernel *kernel, int index);

/* Launches that may still run, though here they have ended: by the numbers of their accesses, from
 * `first` on and before `end`. */
enum { EMU_AHEAD_MAX = 8 };

typedef struct emu_ahead {
  uint32_t count, first[EMU_AHEAD_MAX], end[EMU_AHEAD_MAX];
} emu_ahead;

/* The launches of a stream: which of them may still run when the next one begins that need not wait
 * for them, and which when that one has waited (hazard/beside.h). Zeroed: all have ended. */
typedef struct emu_succession {
  emu_ahead begun, waited;
  uint32_t age; /* numbers of another age are forgotten */
} emu_succession;

typedef struct emu_launch_config {
  unsigned grid[3], block[3];
  unsigned cluster[3]; /* all 0: a plain launch without the cluster attribute */
  uint64_t smem_bytes; /* dynamic */
  bool cooperative;    /* %envreg1 and %envreg2 name a workspace for barriers of the grid */
  bool beside; /* it may begin before the launch ahead has ended: programmatic serialization */
  emu_succession *succession;    /* of its stream; NULL: it has none, and is beside nobody */
  const void *params;            /* param_bytes of them, laid out as the kernel declares */
  struct emu_counters *counters; /* added to; may be NULL */
  struct emu_trace *trace;       /* may be NULL */
  struct emu_follow *follow;     /* may be NULL */
  const gg_part_name *names;     /* for the trace */
  size_t name_count;
  const char *label; /* of the launch in the trace; may be NULL */
} emu_launch_config;

/* Runs a kernel to its end. Errors: EMU_LAUNCH for a configuration that the kernel or the device
 * cannot take, and what the kernel does wrong. After an error the device's memory holds what was
 * written until then. */
gg_status emu_launch(emu_device *device, const emu_kernel *kernel, const emu_launch_config *config,
                     gg_error *err);

#endif
