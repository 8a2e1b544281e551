/* Modules, libraries (which are modules by another name), functions, occupancy. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "emu/driver/process.h"

/* ---- Images ----------------------------------------------------------------------------- */

enum { path_limit = 1 << 30 };

/* What an image is that is no PTX; NULL: perhaps it is. PTX is a text, and may be shorter than the
 * marks that the others begin with. */
static const char *other_image(const char *image) {
  if (strncmp(image, "\177ELF", 4) == 0) return "a cubin";
  bool fatbin = strncmp(image, "\x50\xed\x55\xba", 4) == 0;
  bool wrapper = strncmp(image, "\xb1\x43\x62\x46", 4) == 0;
  return fatbin || wrapper ? "a fatbin" : NULL;
}

static CUresult load_text(CUmodule *out, emu_process *process, const char *name, const char *text,
                          size_t length) {
  gg_error err = GG_ERROR_INIT;
  emu_module *module;
  gg_status st = emu_module_load(&module, process->device, name, text, length, &err);
  if (st) return emu_result(process, st, &err);
  *out = emu_handle_new(process, EMU_HANDLE_MODULE, sizeof **out);
  if (!*out) {
    emu_module_unload(process->device, module);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  (*out)->module = module;
  return CUDA_SUCCESS;
}

static CUresult load_image(CUmodule *out, emu_process *process, const void *image) {
  if (!image) return CUDA_ERROR_INVALID_VALUE;
  const char *why = other_image(image);
  if (why) {
    return emu_refuse(process, CUDA_ERROR_NO_BINARY_FOR_GPU,
                      "the image is %s, and the emulator runs PTX: give it what nvcc -ptx or "
                      "nvrtcGetPTX makes",
                      why);
  }
  return load_text(out, process, "<module>", image, strlen(image));
}

static CUresult load_file(CUmodule *out, emu_process *process, const char *path) {
  gg_error err = GG_ERROR_INIT;
  char *text;
  size_t length;
  if (!path) return CUDA_ERROR_INVALID_VALUE;
  gg_status st = gg_file_read(&text, &length, path, path_limit, &err);
  if (st) return emu_result(process, st, &err);
  CUresult result = other_image(text) ? load_image(out, process, text)
                                      : load_text(out, process, path, text, length);
  gg_free(text);
  return result;
}

/* The driver's log options: the message goes where the caller wants it. */
static void write_log(const emu_process *process, CUresult result, unsigned count,
                      const int *options, void **values) {
  char *buffer = NULL;
  size_t size = 0;
  unsigned size_at = count;
  for (unsigned i = 0; i < count; i++) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) buffer = values[i];
    if (options[i] != CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) continue;
    size = (size_t)(uintptr_t)values[i] & UINT32_MAX;
    size_at = i;
  }
  if (!buffer || !size) return;
  const char *text = result && process->message_of == result ? process->message : "";
  int length = snprintf(buffer, size, "%s", text);
  values[size_at] = (void *)(uintptr_t)((size_t)length < size ? (size_t)length : size - 1);
}

CUresult emu_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options,
                                void **values) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (!module || (count && (!options || !values)))) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    result = load_image(module, process, image);
    write_log(process, result, count, options, values);
  }
  return emu_leave(process, result);
}

CUresult emu_cuModuleLoadData(CUmodule *module, const void *image) {
  return emu_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult emu_cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return emu_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult emu_cuModuleLoad(CUmodule *module, const char *path) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !module) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) result = load_file(module, process, path);
  return emu_leave(process, result);
}

CUresult emu_cuModuleUnload(CUmodule module) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (result == CUDA_SUCCESS || result == process->fault) {
    bool known = emu_handle_is(process, module, EMU_HANDLE_MODULE);
    if (known) emu_handle_drop(process, module);
    if (!result && !known) result = CUDA_ERROR_INVALID_HANDLE;
  }
  return emu_leave(process, result);
}

static CUresult find_global(CUdeviceptr *address, size_t *bytes, const emu_process *process,
                            CUmodule module, const char *name) {
  uint64_t at = 0, size = 0;
  if (!emu_handle_is(process, module, EMU_HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  if (!emu_module_variable(&at, &size, module->module, name)) return CUDA_ERROR_NOT_FOUND;
  if (address) *address = at;
  if (bytes) *bytes = size;
  return CUDA_SUCCESS;
}

CUresult emu_cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module,
                               const char *name) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result) result = find_global(address, bytes, process, module, name);
  return emu_leave(process, result);
}

/* ---- Functions -------------------------------------------------------------------------- */

static CUfunction known_function(const emu_process *process, CUmodule module,
                                 const emu_kernel *kernel) {
  for (emu_handle *at = process->handles; at; at = at->next) {
    CUfunction function = (CUfunction)(void *)at;
    if (at->kind == EMU_HANDLE_FUNCTION && function->module == module &&
        function->kernel == kernel) {
      return function;
    }
  }
  return NULL;
}

static CUresult find_function(CUfunction *out, emu_process *process, CUmodule module,
                              const char *name) {
  if (!emu_handle_is(process, module, EMU_HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
  if (!name || !out) return CUDA_ERROR_INVALID_VALUE;
  emu_kernel *kernel = emu_module_kernel(module->module, name);
  if (!kernel) {
    return emu_refuse(process, CUDA_ERROR_NOT_FOUND, "the module has no entry '%s'", name);
  }
  *out = known_function(process, module, kernel);
  if (*out) return CUDA_SUCCESS;
  *out = emu_handle_new(process, EMU_HANDLE_FUNCTION, sizeof **out);
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  emu_kernel_facts facts = emu_kernel_facts_of(kernel);
  int most = 48 * 1024 - (int)facts.static_smem_bytes;
  (*out)->module = module;
  (*out)->kernel = kernel;
  (*out)->attributes[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = most > 0 ? most : 0;
  return CUDA_SUCCESS;
}

CUresult emu_cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result) result = find_function(function, process, module, name);
  return emu_leave(process, result);
}

static int read_attribute(const emu_process *process, CUfunction function, int attribute) {
  emu_kernel_facts facts = emu_kernel_facts_of(function->kernel);
  const ptx_module *ptx = emu_kernel_ptx(function->kernel);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return facts.max_threads;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return (int)facts.static_smem_bytes;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    return (int)facts.local_bytes;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    return 0; /* PTX has no registers of the hardware's */
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    return (int)ptx->arch; /* the virtual architecture's, .target: CUB chooses its kernels by it */
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return 10 * emu_attribute(process, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           emu_attribute(process, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  default:
    return function->attributes[attribute];
  }
}

static CUresult set_attribute(emu_process *process, CUfunction function, int attribute, int value) {
  if (attribute < CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      attribute >= CU_FUNC_ATTRIBUTE_MAX) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    int fixed = (int)emu_kernel_facts_of(function->kernel).static_smem_bytes;
    int most =
        emu_attribute(process, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) - fixed;
    if (value < 0 || value > most) {
      return emu_refuse(process, CUDA_ERROR_INVALID_VALUE,
                        "%d B of dynamic shared memory beside %d B of static: at most %d B", value,
                        fixed, most);
    }
  }
  function->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

CUresult emu_cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, function, EMU_HANDLE_FUNCTION)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && (!value || attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)) {
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (!result) *value = read_attribute(process, function, attribute);
  return emu_leave(process, result);
}

CUresult emu_cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, function, EMU_HANDLE_FUNCTION)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result) result = set_attribute(process, function, attribute, value);
  return emu_leave(process, result);
}

CUresult emu_cuFuncGetName(const char **name, CUfunction function) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  bool known = emu_handle_is(process, function, EMU_HANDLE_FUNCTION);
  if (!result && (!known || !name)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *name = emu_kernel_facts_of(function->kernel).name;
  return emu_leave(process, result);
}

CUresult emu_cuFuncGetModule(CUmodule *module, CUfunction function) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  bool known = emu_handle_is(process, function, EMU_HANDLE_FUNCTION);
  if (!result && (!known || !module)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *module = function->module;
  return emu_leave(process, result);
}

CUresult emu_cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
  emu_process *process;
  uint64_t at = 0, size = 0;
  CUresult result = emu_enter(&process);
  bool known = emu_handle_is(process, function, EMU_HANDLE_FUNCTION);
  if (!result && (!known || !offset || index > INT32_MAX ||
                  !emu_kernel_param(&at, &size, function->kernel, (int)index))) {
    result = CUDA_ERROR_INVALID_VALUE;
  }
  if (!result) *offset = at;
  if (!result && bytes) *bytes = size;
  return emu_leave(process, result);
}

CUresult emu_cuFuncSetCacheConfig(CUfunction function, int config) {
  (void)function, (void)config; /* a hint */
  return CUDA_SUCCESS;
}

/* ---- Libraries -------------------------------------------------------------------------- */

CUresult emu_cuLibraryLoadData(CUlibrary *library, const void *image, int *jit_options,
                               void **jit_values, unsigned jit_count, int *options, void **values,
                               unsigned count) {
  (void)options, (void)values, (void)count;
  return emu_cuModuleLoadDataEx((CUmodule *)(void *)library, image, jit_count, jit_options,
                                jit_values);
}

CUresult emu_cuLibraryLoadFromFile(CUlibrary *library, const char *path, int *jit_options,
                                   void **jit_values, unsigned jit_count, int *options,
                                   void **values, unsigned count) {
  (void)jit_options, (void)jit_values, (void)jit_count;
  (void)options, (void)values, (void)count;
  return emu_cuModuleLoad((CUmodule *)(void *)library, path);
}

CUresult emu_cuLibraryUnload(CUlibrary library) {
  return emu_cuModuleUnload((CUmodule)(void *)library);
}

CUresult emu_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return emu_cuModuleGetFunction((CUfunction *)(void *)kernel, (CUmodule)(void *)library, name);
}

CUresult emu_cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, library, EMU_HANDLE_MODULE)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && !module) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *module = (CUmodule)(void *)library;
  return emu_leave(process, result);
}

CUresult emu_cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                                const char *name) {
  return emu_cuModuleGetGlobal(address, bytes, (CUmodule)(void *)library, name);
}

CUresult emu_cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, kernel, EMU_HANDLE_FUNCTION)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && !function) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *function = (CUfunction)(void *)kernel;
  return emu_leave(process, result);
}

CUresult emu_cuKernelGetAttribute(int *value, int attribute, CUkernel kernel, CUdevice device) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  return emu_cuFuncGetAttribute(value, attribute, (CUfunction)(void *)kernel);
}

CUresult emu_cuKernelSetAttribute(int attribute, int value, CUkernel kernel, CUdevice device) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  return emu_cuFuncSetAttribute((CUfunction)(void *)kernel, attribute, value);
}
