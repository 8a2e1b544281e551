/* The calls as a table: for the runtime, for cuGetProcAddress; and tensor maps, which need no
 * process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/async/tensor_map.h"
#include "emu/driver/process.h"

void emu_driver_fill(gg_driver *out) {
#define GG_DRIVER(name, symbol, arguments) out->name = emu_##name;
#include "driver.def"
#undef GG_DRIVER
  out->emulated = true;
}

/* ---- cuGetProcAddress ------------------------------------------------------------------- */

typedef void any_function(void);

static const struct {
  const char *name, *symbol;
  any_function *function;
} calls[] = {
#define GG_DRIVER(name, symbol, arguments) {#name, symbol, (any_function *)emu_##name},
#include "driver.def"
#include "emu/driver/api.def"
#undef GG_DRIVER
};

/* The newest version of a call goes by its plain name, as cuda.h maps it. */
CUresult emu_cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags,
                              int *status) {
  enum { found = 0, not_found = 1 };
  (void)version, (void)flags;
  if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = NULL;
  for (size_t i = 0; i < sizeof calls / sizeof *calls && !*function; i++) {
    if (strcmp(calls[i].name, symbol) != 0 && strcmp(calls[i].symbol, symbol) != 0) continue;
    memcpy(function, &calls[i].function, sizeof *function);
  }
  if (status) *status = *function ? found : not_found;
  return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* Refuses what the emulator lacks, and says so on stderr at the first time: few programs print more
 * of a refusal than its number. */
static CUresult lacks(emu_process *process, bool *told, const char *what) {
  if (!*told) fprintf(stderr, "gemmgen emulator: %s\n", what);
  *told = true;
  return emu_leave(process, emu_refuse(process, CUDA_ERROR_NOT_SUPPORTED, "%s", what));
}

/* Tables of libcuda that are not documented. The CUDA runtime that nvcc links statically asks for
 * them first of all. */
CUresult emu_cuGetExportTable(const void **table, const CUuuid *id) {
  static bool told;
  emu_process *process = emu_lock();
  (void)id;
  if (table) *table = NULL;
  return lacks(process, &told,
               "the program has NVIDIA's CUDA runtime, which needs what libcuda does not document: "
               "link it with nvcc -cudart shared, and start it by gemmgen emu -- PROGRAM");
}

/* ---- Tensor maps ------------------------------------------------------------------------ */

CUresult emu_cuTensorMapEncodeTiled(CUtensorMap *map, int type, uint32_t rank, void *address,
                                    const uint64_t *dims, const uint64_t *strides,
                                    const uint32_t *box, const uint32_t *element_strides,
                                    int interleave, int swizzle, int promotion, int fill) {
  emu_process *process;
  gg_error err = GG_ERROR_INIT;
  CUresult result = emu_enter(&process); /* NVIDIA's wants a context too, though it touches none */
  if (result) return emu_leave(process, result);
  emu_tensor_map facts = {
      .type = (emu_tensor_type)type,
      .rank = rank,
      .address = (uintptr_t)address,
      .interleave = (emu_tensor_interleave)interleave,
      .swizzle = (emu_tensor_swizzle)swizzle,
      .l2_promotion = (uint32_t)promotion,
      .fill = (emu_tensor_fill)fill,
  };
  uint8_t bytes[EMU_TENSOR_MAP_BYTES];
  if (!map || !dims || !box || !element_strides || (rank > 1 && !strides)) {
    return emu_leave(process, CUDA_ERROR_INVALID_VALUE);
  }
  /* Of a rank that is refused, nothing is read. */
  for (uint32_t i = 0; i < rank && rank <= EMU_TENSOR_RANK; i++) {
    facts.dims[i] = dims[i];
    facts.box[i] = box[i];
    facts.element_strides[i] = element_strides[i];
    if (i + 1 < rank) facts.strides[i] = strides[i];
  }
  if (emu_tensor_map_encode(bytes, &facts, emu_process_arch(process), &err)) {
    result = emu_refuse(process, CUDA_ERROR_INVALID_VALUE, "%s", err.message);
    gg_error_clear(&err);
  } else {
    memcpy(map, bytes, sizeof bytes);
  }
  return emu_leave(process, result);
}

static CUresult lacks_im2col(void) {
  static bool told;
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (result) return emu_leave(process, result);
  return lacks(process, &told,
               "the im2col mode of tensor maps is not emulated; that of cuTensorMapEncodeTiled is");
}

CUresult emu_cuTensorMapEncodeIm2col(CUtensorMap *map, int type, uint32_t rank, void *address,
                                     const uint64_t *dims, const uint64_t *strides,
                                     const int *lower, const int *upper, uint32_t channels,
                                     uint32_t pixels, const uint32_t *element_strides,
                                     int interleave, int swizzle, int promotion, int fill) {
  (void)map, (void)type, (void)rank, (void)address, (void)dims, (void)strides, (void)lower;
  (void)upper, (void)channels, (void)pixels, (void)element_strides, (void)interleave;
  (void)swizzle, (void)promotion, (void)fill;
  return lacks_im2col();
}

CUresult emu_cuTensorMapEncodeIm2colWide(CUtensorMap *map, int type, uint32_t rank, void *address,
                                         const uint64_t *dims, const uint64_t *strides, int lower,
                                         int upper, uint32_t channels, uint32_t pixels,
                                         const uint32_t *element_strides, int interleave, int mode,
                                         int swizzle, int promotion, int fill) {
  (void)map, (void)type, (void)rank, (void)address, (void)dims, (void)strides, (void)lower;
  (void)upper, (void)channels, (void)pixels, (void)element_strides, (void)interleave, (void)mode;
  (void)swizzle, (void)promotion, (void)fill;
  return lacks_im2col();
}

CUresult emu_cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  emu_process *process;
  gg_error err = GG_ERROR_INIT;
  emu_tensor_map facts;
  uint8_t bytes[EMU_TENSOR_MAP_BYTES];
  CUresult result = emu_begin(&process);
  if (result) return emu_leave(process, result);
  if (!map) return emu_leave(process, CUDA_ERROR_INVALID_VALUE);
  memcpy(bytes, map, sizeof bytes);
  result = CUDA_ERROR_INVALID_VALUE;
  if (emu_tensor_map_decode(&facts, bytes)) {
    facts.address = (uintptr_t)address;
    if (emu_tensor_map_encode(bytes, &facts, emu_process_arch(process), &err)) {
      emu_refuse(process, result, "%s", err.message);
      gg_error_clear(&err);
    } else {
      memcpy(map, bytes, sizeof bytes);
      result = CUDA_SUCCESS;
    }
  }
  return emu_leave(process, result);
}
