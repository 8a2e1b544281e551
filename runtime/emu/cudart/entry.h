/* Every entry point of libcudart, under its own name: calls.def's, and those with a body of their
 * own (entry.c). */
#ifndef GG_EMU_CUDART_ENTRY_H
#define GG_EMU_CUDART_ENTRY_H

#include "emu/cudart/runtime.h"

void **rt_register_image(void *data);
void rt_register_kernel(void **handle, const void *host, const char *name);
void rt_register_variable(void **handle, const void *host, const char *name, bool managed);
void rt_unregister_image(void **handle);

#define CUDART_CALL(name, arguments, result)  GG_API int name arguments;
#define CUDART_PLAIN(name, arguments, result) GG_API int name arguments;
#include "emu/cudart/calls.def"
#undef CUDART_CALL
#undef CUDART_PLAIN

GG_API void **__cudaRegisterFatBinary(void *image);
GG_API void __cudaRegisterFatBinaryEnd(void **handle);
GG_API void __cudaUnregisterFatBinary(void **handle);
GG_API char __cudaInitModule(void **handle);
GG_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, rt_dim3 *block, rt_dim3 *grid,
                                   int *warp);
GG_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t bytes, int constant, int global);
GG_API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                     int ext, size_t bytes, int constant, int global);
GG_API unsigned __cudaPushCallConfiguration(rt_dim3 grid, rt_dim3 block, size_t smem_bytes,
                                            CUstream stream);
GG_API int __cudaPopCallConfiguration(rt_dim3 *grid, rt_dim3 *block, size_t *smem_bytes,
                                      CUstream *stream);
GG_API const char *cudaGetErrorName(int result);
GG_API const char *cudaGetErrorString(int result);

#endif
