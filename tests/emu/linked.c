/* A program written against libcuda, linked with libgemmgen-emu: the versioned names are there, and
 * gemmgen_emu.h alone declares them. */
#include <stdio.h>

#include "gemmgen_emu.h"

/* What programs that are compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM call. */
CUresult cuMemcpyDtoH_v2_ptds(void *to, CUdeviceptr from, size_t bytes);
CUresult cuStreamSynchronize_ptsz(CUstream stream);

int main(void) {
  static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".visible .entry poke(.param .u64 to) {\n"
                            ".reg .b64 %d;\nld.param.u64 %d, [to];\n"
                            "st.global.u32 [%d], 42;\nret;\n}\n";
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr address;
  int value = 0;
  void *arguments[] = {&address};
  CUresult result = cuInit(0);
  if (!result) result = cuCtxCreate(&context, NULL, 0, 0);
  if (!result) result = cuModuleLoadData(&module, ptx);
  if (!result) result = cuModuleGetFunction(&function, module, "poke");
  if (!result) result = cuMemAlloc(&address, 4);
  if (!result) result = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
  if (!result) result = cuStreamSynchronize_ptsz(NULL);
  if (!result) result = cuMemcpyDtoH_v2_ptds(&value, address, 4);
  if (!result) result = cuCtxDestroy(context);
  printf("%d, %d %s\n", value, result, gg_emu_message());
  return result || value != 42;
}
