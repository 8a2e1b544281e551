/* The one device, and contexts of it.
 *
 * All contexts share the device's memory and modules: programs with several see no difference but
 * that one cannot outlive the other's fault. Which context is current is a thread's own. */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */

#include <stdio.h>
#include <string.h>

#include "emu/driver/process.h"

enum { stack_most = 32 };

/* Contexts may be gone by the time they are popped: handles are compared, never followed. */
static _Thread_local struct {
  CUcontext list[stack_most];
  int count;
} current;

CUcontext emu_current(void) {
  return current.count ? current.list[current.count - 1] : NULL;
}

/* ---- Devices ---------------------------------------------------------------------------- */

int emu_process_arch(const emu_process *process) {
  gg_emu_options options = process->options;
  if (!process->device && !process->configured) emu_environment(&options);
  return options.arch ? options.arch : 90;
}

int emu_attribute(const emu_process *process, int attribute) {
  int arch = emu_process_arch(process);
#define LIMIT(a, b, c, d, e, f, g, h)                                                              \
  (arch < 86    ? (a)                                                                              \
   : arch < 87  ? (b)                                                                              \
   : arch < 89  ? (c)                                                                              \
   : arch < 90  ? (d)                                                                              \
   : arch < 100 ? (e)                                                                              \
   : arch < 110 ? (f)                                                                              \
   : arch < 120 ? (g)                                                                              \
                : (h))
  switch (attribute) {
#define EMU_ATTRIBUTE(number, value)                                                               \
  case number:                                                                                     \
    return value;
#include "emu/driver/attributes.def"
#undef EMU_ATTRIBUTE
#undef LIMIT
  default:
    return 0;
  }
}

/* Locks; whether the driver is initialised and the device is the one. */
static CUresult enter_device(emu_process **out, CUdevice device) {
  CUresult result = emu_begin(out);
  if (result) return result;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult emu_cuInit(unsigned flags) {
  emu_process *process = emu_lock();
  gg_emu_options options;
  CUresult result = flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  if (process->gone) result = CUDA_ERROR_DEINITIALIZED;
  if (!result && !process->configured) result = emu_environment(&options);
  if (!result) process->initialised = true;
  if (!result) emu_process_at_exit();
  return emu_leave(process, result);
}

CUresult emu_cuDriverGetVersion(int *version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult emu_cuDeviceGetCount(int *count) {
  emu_process *process;
  CUresult result = enter_device(&process, 0);
  if (!result && !count) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *count = 1;
  return emu_leave(process, result);
}

CUresult emu_cuDeviceGet(CUdevice *device, int ordinal) {
  emu_process *process;
  CUresult result = enter_device(&process, ordinal);
  if (!result && !device) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *device = 0;
  return emu_leave(process, result);
}

CUresult emu_cuDeviceGetName(char *name, int length, CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && (!name || length < 1)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result)
    snprintf(name, (size_t)length, "gemmgen emulator (sm_%d)", emu_process_arch(process));
  return emu_leave(process, result);
}

CUresult emu_cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && !uuid) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) memcpy(uuid->bytes, "gemmgen emulator", sizeof uuid->bytes);
  return emu_leave(process, result);
}

CUresult emu_cuDeviceGetPCIBusId(char *name, int length, CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && (!name || length < 1)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) snprintf(name, (size_t)length, "0000:00:00.0");
  return emu_leave(process, result);
}

CUresult emu_cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && (!value || attribute < 1)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *value = emu_attribute(process, attribute);
  return emu_leave(process, result);
}

CUresult emu_cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  CUresult result =
      emu_cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return result ? result
                : emu_cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                           device);
}

CUresult emu_cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && !bytes) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *bytes = (size_t)emu_memory_capacity(process->device, NULL);
  return emu_leave(process, result);
}

CUresult emu_cuMemGetInfo(size_t *available, size_t *total) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (!available || !total)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    uint64_t used;
    *total = (size_t)emu_memory_capacity(process->device, &used);
    *available = *total - (size_t)used;
  }
  return emu_leave(process, result);
}

/* ---- Contexts --------------------------------------------------------------------------- */

static CUresult new_context(CUcontext *out, emu_process *process, unsigned flags) {
  *out = NULL;
  if (!process->device) {
    CUresult result = emu_process_open(process);
    if (result) return result;
  }
  *out = emu_handle_new(process, EMU_HANDLE_CONTEXT, sizeof **out);
  if (*out) {
    (*out)->flags = flags;
    process->contexts++;
    return CUDA_SUCCESS;
  }
  if (!process->contexts) emu_process_close(process);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static void drop_context(emu_process *process, CUcontext context) {
  if (process->primary == context) {
    process->primary = NULL;
    process->primary_users = 0;
  }
  if (process->contexts == 1) {
    emu_process_close(process);
  } else {
    emu_handle_drop(process, context);
    process->contexts--;
  }
}

static CUresult push(CUcontext context) {
  if (current.count == stack_most) return CUDA_ERROR_INVALID_CONTEXT;
  current.list[current.count++] = context;
  return CUDA_SUCCESS;
}

CUresult emu_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && !context) result = CUDA_ERROR_INVALID_VALUE;
  if (!result && !process->primary) result = new_context(&process->primary, process, 0);
  if (!result) {
    process->primary_users++;
    *context = process->primary;
  }
  return emu_leave(process, result);
}

CUresult emu_cuDevicePrimaryCtxRelease(CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && !process->primary) result = CUDA_ERROR_INVALID_CONTEXT;
  if (!result && --process->primary_users == 0) drop_context(process, process->primary);
  return emu_leave(process, result);
}

CUresult emu_cuDevicePrimaryCtxReset(CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && process->primary) drop_context(process, process->primary);
  return emu_leave(process, result);
}

CUresult emu_cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && flags) *flags = 0;
  if (!result && active) *active = process->primary != NULL;
  return emu_leave(process, result);
}

CUresult emu_cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  emu_process *process;
  (void)flags; /* how the host waits: it does not */
  CUresult result = enter_device(&process, device);
  return emu_leave(process, result);
}

CUresult emu_cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  emu_process *process;
  CUresult result = enter_device(&process, device);
  if (!result && !context) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) result = new_context(context, process, flags);
  if (!result) result = push(*context);
  return emu_leave(process, result);
}

CUresult emu_cuCtxCreate_v3(CUcontext *context, void *params, int count, unsigned flags,
                            CUdevice device) {
  (void)params, (void)count; /* how many SMs it may use */
  return emu_cuCtxCreate_v2(context, flags, device);
}

CUresult emu_cuCtxCreate(CUcontext *context, void *params, unsigned flags, CUdevice device) {
  (void)params;
  return emu_cuCtxCreate_v2(context, flags, device);
}

CUresult emu_cuCtxDestroy(CUcontext context) {
  emu_process *process;
  CUresult result = emu_begin(&process);
  if (!result &&
      (!emu_handle_is(process, context, EMU_HANDLE_CONTEXT) || context == process->primary)) {
    result = CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!result) {
    if (emu_current() == context) current.count--;
    drop_context(process, context);
  }
  return emu_leave(process, result);
}

CUresult emu_cuCtxPushCurrent(CUcontext context) {
  emu_process *process;
  CUresult result = emu_begin(&process);
  if (!result && !emu_handle_is(process, context, EMU_HANDLE_CONTEXT)) {
    result = CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!result) result = push(context);
  return emu_leave(process, result);
}

CUresult emu_cuCtxPopCurrent(CUcontext *context) {
  emu_process *process;
  CUresult result = emu_begin(&process);
  if (!result && !current.count) result = CUDA_ERROR_INVALID_CONTEXT;
  if (!result && context) *context = emu_current();
  if (!result) current.count--;
  return emu_leave(process, result);
}

CUresult emu_cuCtxSetCurrent(CUcontext context) {
  emu_process *process;
  CUresult result = emu_begin(&process);
  if (!result && context && !emu_handle_is(process, context, EMU_HANDLE_CONTEXT)) {
    result = CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!result && current.count) current.count--;
  if (!result && context) result = push(context);
  return emu_leave(process, result);
}

CUresult emu_cuCtxGetCurrent(CUcontext *context) {
  emu_process *process;
  CUresult result = emu_begin(&process);
  if (!result && !context) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *context = emu_current();
  return emu_leave(process, result);
}

CUresult emu_cuCtxGetDevice(CUdevice *device) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !device) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *device = 0;
  return emu_leave(process, result);
}

CUresult emu_cuCtxGetFlags(unsigned *flags) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !flags) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *flags = emu_current()->flags;
  return emu_leave(process, result);
}

CUresult emu_cuCtxGetApiVersion(CUcontext context, unsigned *version) {
  (void)context;
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = 3020; /* of contexts, since CUDA 3.2 */
  return CUDA_SUCCESS;
}

/* All work is done by the time it was submitted; what is left to tell is a fault. */
CUresult emu_cuCtxSynchronize(void) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result) emu_settle(process);
  return emu_leave(process, result);
}

CUresult emu_cuCtxGetLimit(size_t *value, int limit) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !value) result = CUDA_ERROR_INVALID_VALUE;
  if (!result && limit != 0) result = CUDA_ERROR_UNSUPPORTED_LIMIT;
  if (!result) *value = 1024; /* CU_LIMIT_STACK_SIZE: PTX says what a thread needs */
  return emu_leave(process, result);
}

CUresult emu_cuCtxSetLimit(int limit, size_t value) {
  emu_process *process;
  (void)value;
  CUresult result = emu_enter(&process);
  if (!result && limit != 0) result = CUDA_ERROR_UNSUPPORTED_LIMIT;
  return emu_leave(process, result);
}

CUresult emu_cuCtxSetCacheConfig(int config) {
  emu_process *process;
  (void)config; /* a hint */
  CUresult result = emu_enter(&process);
  return emu_leave(process, result);
}

CUresult emu_cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = 0;
  return CUDA_SUCCESS;
}

CUresult emu_cuProfilerStart(void) {
  return CUDA_SUCCESS;
}

CUresult emu_cuProfilerStop(void) {
  return CUDA_SUCCESS;
}
