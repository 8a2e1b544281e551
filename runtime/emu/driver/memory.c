/* Memory: allocations, page-locked host memory, copies and fills.
 *
 * Every copy is a copy of rows, CUDA_MEMCPY2D, and every fill one of rows; what has one row is one
 * row. Whether an address that may be either is the host's or the device's is asked of the device,
 * whose addresses are no host addresses. */
#include <string.h>

#include "base/alloc.h"
#include "emu/driver/process.h"
#include "emu/memory.h"

enum { pitch_align = 512 };

/* ---- Allocations ------------------------------------------------------------------------ */

static CUresult allocate(CUdeviceptr *out, emu_process *process, size_t bytes) {
  gg_error err = GG_ERROR_INIT;
  uint64_t address;
  if (!out || !bytes) return CUDA_ERROR_INVALID_VALUE;
  gg_status st = emu_memory_alloc(&address, process->device, bytes, 256, &err);
  if (st) return emu_result(process, st, &err);
  emu_memory *memory = emu_handle_new(process, EMU_HANDLE_MEMORY, sizeof *memory);
  if (!memory) {
    emu_memory_free(process->device, address, NULL);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  memory->address = *out = address;
  memory->bytes = bytes;
  return CUDA_SUCCESS;
}

/* The allocation that has the address; NULL: none. */
static emu_memory *find_memory(const emu_process *process, CUdeviceptr address) {
  for (emu_handle *at = process->handles; at; at = at->next) {
    emu_memory *memory = (emu_memory *)(void *)at;
    if (at->kind == EMU_HANDLE_MEMORY && address - memory->address < memory->bytes) return memory;
  }
  return NULL;
}

static CUresult release(emu_process *process, CUdeviceptr address) {
  if (!address) return CUDA_SUCCESS;
  emu_memory *memory = find_memory(process, address);
  if (!memory || memory->address != address) {
    return emu_refuse(process, CUDA_ERROR_INVALID_VALUE, "0x%llx is the start of no allocation",
                      address);
  }
  emu_memory_free(process->device, address, NULL);
  emu_handle_drop(process, memory);
  return CUDA_SUCCESS;
}

CUresult emu_cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result) result = allocate(address, process, bytes);
  return emu_leave(process, result);
}

CUresult emu_cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  (void)stream;
  return emu_cuMemAlloc(address, bytes);
}

CUresult emu_cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                             unsigned element) {
  (void)element;
  if (!pitch || width > SIZE_MAX - pitch_align) return CUDA_ERROR_INVALID_VALUE;
  size_t bytes;
  *pitch = (width + pitch_align - 1) / pitch_align * pitch_align;
  if (__builtin_mul_overflow(*pitch, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  return emu_cuMemAlloc(address, bytes);
}

/* Memory can be given back after a fault, too. `waits`: behind all that the device does. */
static CUresult give_back(CUdeviceptr address, bool waits) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result || result == process->fault) {
    CUresult released = release(process, address);
    if (!released && address && waits) emu_settle(process);
    if (!result) result = released;
  }
  return emu_leave(process, result);
}

CUresult emu_cuMemFree(CUdeviceptr address) {
  return give_back(address, true);
}

CUresult emu_cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  (void)stream;
  return give_back(address, false);
}

CUresult emu_cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result) {
    const emu_memory *memory = find_memory(process, address);
    if (!memory) {
      result = CUDA_ERROR_NOT_FOUND;
    } else {
      if (base) *base = memory->address;
      if (bytes) *bytes = memory->bytes;
    }
  }
  return emu_leave(process, result);
}

static bool is_device(const emu_process *process, CUdeviceptr address) {
  return emu_global(process->device, address, 1, false) != NULL;
}

CUresult emu_cuPointerGetAttribute(void *value, int attribute, CUdeviceptr address) {
  enum { context = 1, memory_type = 2, device_pointer = 3, ordinal = 9, start = 11, size = 12 };
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (!value || !is_device(process, address))) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    const emu_memory *memory = find_memory(process, address);
    if (attribute == context)
      *(CUcontext *)value = emu_current();
    else if (attribute == memory_type)
      *(unsigned *)value = CU_MEMORYTYPE_DEVICE;
    else if (attribute == device_pointer)
      *(CUdeviceptr *)value = address;
    else if (attribute == ordinal)
      *(int *)value = 0;
    else if (attribute == start && memory)
      *(CUdeviceptr *)value = memory->address;
    else if (attribute == size && memory)
      *(size_t *)value = memory->bytes;
    else
      result = CUDA_ERROR_NOT_SUPPORTED;
  }
  return emu_leave(process, result);
}

CUresult gg_emu_unwritten(int64_t *first, CUdeviceptr address, size_t bytes) {
  emu_process *process;
  gg_error err = GG_ERROR_INIT;
  CUresult result = emu_enter(&process);
  if (!result && !first) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    gg_status st = emu_memory_unwritten(first, process->device, address, bytes, &err);
    result = emu_result(process, st, &err);
  }
  return emu_leave(process, result);
}

/* ---- The host's memory ------------------------------------------------------------------ */

static CUresult add_host(emu_process *process, void *memory, bool owned) {
  emu_host *host = emu_handle_new(process, EMU_HANDLE_HOST, sizeof *host);
  if (!host) return CUDA_ERROR_OUT_OF_MEMORY;
  host->memory = memory;
  host->owned = owned;
  return CUDA_SUCCESS;
}

static CUresult drop_host(emu_process *process, const void *memory, bool owned) {
  for (emu_handle *at = process->handles; at; at = at->next) {
    emu_host *host = (emu_host *)(void *)at;
    if (at->kind != EMU_HANDLE_HOST || host->memory != memory || host->owned != owned) continue;
    emu_handle_drop(process, host);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult emu_cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  (void)flags;
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (!memory || !bytes)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    *memory = gg_malloc(bytes);
    result = *memory ? add_host(process, *memory, true) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result) gg_free(*memory);
  }
  return emu_leave(process, result);
}

CUresult emu_cuMemAllocHost(void **memory, size_t bytes) {
  return emu_cuMemHostAlloc(memory, bytes, 0);
}

CUresult emu_cuMemFreeHost(void *memory) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result) result = drop_host(process, memory, true);
  return emu_leave(process, result);
}

CUresult emu_cuMemHostRegister(void *memory, size_t bytes, unsigned flags) {
  (void)flags;
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (!memory || !bytes)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) result = add_host(process, memory, false);
  return emu_leave(process, result);
}

CUresult emu_cuMemHostUnregister(void *memory) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result) result = drop_host(process, memory, false);
  return emu_leave(process, result);
}

/* ---- Copies ----------------------------------------------------------------------------- */

/* A side's first byte, its pitch settled; false where it names neither host nor device memory. */
static bool resolve(CUmemcpySide *side, const emu_process *process, size_t width) {
  if (!side->pitch) side->pitch = width;
  size_t skip = side->y * side->pitch + side->x_bytes;
  if (side->type == CU_MEMORYTYPE_UNIFIED) {
    side->type = is_device(process, side->device) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    side->host = (void *)(uintptr_t)side->device;
  }
  if (side->type == CU_MEMORYTYPE_HOST) {
    if (!side->host) return false;
    side->host = (char *)side->host + skip;
  }
  side->device += skip;
  return side->type == CU_MEMORYTYPE_HOST || side->type == CU_MEMORYTYPE_DEVICE;
}

static gg_status copy_row(emu_process *process, const CUmemcpySide *to, const CUmemcpySide *from,
                          size_t row, size_t bytes, gg_error *err) {
  char *host_to = (char *)to->host + (to->type == CU_MEMORYTYPE_HOST ? row * to->pitch : 0);
  const char *host_from =
      (const char *)from->host + (from->type == CU_MEMORYTYPE_HOST ? row * from->pitch : 0);
  CUdeviceptr at = to->device + row * to->pitch, source = from->device + row * from->pitch;
  if (to->type == CU_MEMORYTYPE_HOST && from->type == CU_MEMORYTYPE_HOST) {
    memmove(host_to, host_from, bytes);
    return GG_OK;
  }
  if (to->type == CU_MEMORYTYPE_HOST) {
    return emu_memory_read(process->device, host_to, source, bytes, err);
  }
  if (from->type == CU_MEMORYTYPE_HOST) {
    return emu_memory_write(process->device, at, host_from, bytes, err);
  }
  char *between = gg_malloc(bytes);
  if (!between) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = emu_memory_read(process->device, between, source, bytes, err);
  if (!st) st = emu_memory_write(process->device, at, between, bytes, err);
  gg_free(between);
  return st;
}

CUresult emu_copy(emu_process *process, const CUDA_MEMCPY2D *copy) {
  CUmemcpySide from = copy->from, to = copy->to;
  size_t width = copy->width_bytes, height = copy->height;
  gg_error err = GG_ERROR_INIT;
  if (!width || !height) return CUDA_SUCCESS;
  if (!resolve(&from, process, width) || !resolve(&to, process, width) ||
      (height > 1 && (from.pitch < width || to.pitch < width))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  gg_status st = GG_OK;
  for (size_t row = 0; row < height && !st; row++)
    st = copy_row(process, &to, &from, row, width, &err);
  return st ? emu_result(process, st, &err) : CUDA_SUCCESS;
}

/* One row; sides by type: 'h' the host, 'd' the device, 'u' either. */
static CUresult copy_line(CUdeviceptr to, char to_side, CUdeviceptr from, char from_side,
                          size_t bytes, CUstream stream, bool wait) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  emu_work work = {.kind = EMU_WORK_COPY, .copy = {.width_bytes = bytes, .height = 1}};
  CUmemcpySide *const sides[] = {&work.copy.to, &work.copy.from};
  const CUdeviceptr addresses[] = {to, from};
  const char letters[] = {to_side, from_side};
  for (int i = 0; i < 2; i++) {
    sides[i]->type = letters[i] == 'h'   ? CU_MEMORYTYPE_HOST
                     : letters[i] == 'd' ? CU_MEMORYTYPE_DEVICE
                                         : CU_MEMORYTYPE_UNIFIED;
    sides[i]->host = (void *)(uintptr_t)addresses[i];
    sides[i]->device = addresses[i];
  }
  if (!result) {
    result = wait ? emu_work_wait(process, &work) : emu_submit(process, stream, &work);
  }
  return emu_leave(process, result);
}

CUresult emu_cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return copy_line(to, 'd', (uintptr_t)from, 'h', bytes, NULL, true);
}

CUresult emu_cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return copy_line((uintptr_t)to, 'h', from, 'd', bytes, NULL, true);
}

CUresult emu_cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_line(to, 'd', from, 'd', bytes, NULL, true);
}

CUresult emu_cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_line(to, 'u', from, 'u', bytes, NULL, true);
}

CUresult emu_cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return copy_line(to, 'd', (uintptr_t)from, 'h', bytes, stream, false);
}

CUresult emu_cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_line((uintptr_t)to, 'h', from, 'd', bytes, stream, false);
}

CUresult emu_cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_line(to, 'd', from, 'd', bytes, stream, false);
}

CUresult emu_cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_line(to, 'u', from, 'u', bytes, stream, false);
}

static CUresult copy_rows(const CUDA_MEMCPY2D *copy, CUstream stream, bool wait) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !copy) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    emu_work work = {.kind = EMU_WORK_COPY, .copy = *copy};
    result = wait ? emu_work_wait(process, &work) : emu_submit(process, stream, &work);
  }
  return emu_leave(process, result);
}

CUresult emu_cuMemcpy2D(const CUDA_MEMCPY2D *copy) {
  return copy_rows(copy, NULL, true);
}

CUresult emu_cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) {
  return copy_rows(copy, NULL, true);
}

CUresult emu_cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy_rows(copy, stream, false);
}

/* ---- Fills ------------------------------------------------------------------------------ */

static gg_status fill_row(emu_process *process, const emu_fill *fill, CUdeviceptr to,
                          gg_error *err) {
  size_t bytes = fill->width * fill->element;
  if (fill->element == 1) {
    return emu_memory_fill(process->device, to, (int)fill->value, bytes, err);
  }
  unsigned char chunk[4096];
  for (size_t i = 0; i < sizeof chunk; i++)
    chunk[i] = (unsigned char)(fill->value >> i % fill->element * 8);
  gg_status st = GG_OK;
  for (size_t done = 0; done < bytes && !st; done += sizeof chunk) {
    size_t left = bytes - done < sizeof chunk ? bytes - done : sizeof chunk;
    st = emu_memory_write(process->device, to + done, chunk, left, err);
  }
  return st;
}

CUresult emu_fill_memory(emu_process *process, const emu_fill *fill) {
  gg_error err = GG_ERROR_INIT;
  size_t bytes;
  if (!fill->width || !fill->height) return CUDA_SUCCESS;
  if (fill->to % fill->element || fill->pitch % fill->element ||
      __builtin_mul_overflow(fill->width, fill->element, &bytes) ||
      (fill->height > 1 && fill->pitch < bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  gg_status st = GG_OK;
  for (size_t row = 0; row < fill->height && !st; row++)
    st = fill_row(process, fill, fill->to + row * fill->pitch, &err);
  return st ? emu_result(process, st, &err) : CUDA_SUCCESS;
}

static CUresult fill(emu_fill rows, CUstream stream, bool wait) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  emu_work work = {.kind = EMU_WORK_FILL, .fill = rows};
  if (!result) {
    result = wait ? emu_work_wait(process, &work) : emu_submit(process, stream, &work);
  }
  return emu_leave(process, result);
}

CUresult emu_cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill((emu_fill){to, 0, count, 1, 1, value}, NULL, true);
}

CUresult emu_cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill((emu_fill){to, 0, count, 1, 2, value}, NULL, true);
}

CUresult emu_cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill((emu_fill){to, 0, count, 1, 4, value}, NULL, true);
}

CUresult emu_cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill((emu_fill){to, 0, count, 1, 1, value}, stream, false);
}

CUresult emu_cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill((emu_fill){to, 0, count, 1, 2, value}, stream, false);
}

CUresult emu_cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill((emu_fill){to, 0, count, 1, 4, value}, stream, false);
}

CUresult emu_cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                               size_t height, CUstream stream) {
  return fill((emu_fill){to, pitch, width, height, 1, value}, stream, false);
}

CUresult emu_cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                                size_t height, CUstream stream) {
  return fill((emu_fill){to, pitch, width, height, 2, value}, stream, false);
}

CUresult emu_cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                                size_t height, CUstream stream) {
  return fill((emu_fill){to, pitch, width, height, 4, value}, stream, false);
}

CUresult emu_cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                          size_t height) {
  return fill((emu_fill){to, pitch, width, height, 1, value}, NULL, true);
}

CUresult emu_cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                           size_t height) {
  return fill((emu_fill){to, pitch, width, height, 2, value}, NULL, true);
}

CUresult emu_cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                           size_t height) {
  return fill((emu_fill){to, pitch, width, height, 4, value}, NULL, true);
}
