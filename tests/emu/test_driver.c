/* The CUDA driver API over the emulator, call by call, as a program of others uses it. */
#include <stdio.h>
#include <string.h>

#include "emu/driver/api.h"
#include "gemmgen_emu.h"
#include "suite.h"

#define OK(call)         ck_assert_msg((call) == CUDA_SUCCESS, "%s: %s", #call, gg_emu_message())
#define IS(result, call) ck_assert_int_eq((call), (result))

/* to[i] = from[i] + add, for 32 threads a CTA. */
static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .align 4 .u32 factor = 7;\n"
    ".visible .entry plus(.param .u64 to, .param .u32 add, .param .u64 from)\n"
    "{\n"
    ".reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [to];\nld.param.u32 %r1, [add];\n"
    "ld.param.u64 %d2, [from];\nmov.u32 %r2, %tid.x;\n"
    "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r2, %r3, 32, %r2;\n"
    "mul.wide.u32 %d3, %r2, 4;\nadd.s64 %d4, %d2, %d3;\n"
    "ld.global.u32 %r4, [%d4];\nadd.u32 %r4, %r4, %r1;\n"
    "add.s64 %d4, %d1, %d3;\nst.global.u32 [%d4], %r4;\nret;\n}\n";

enum { count = 64, bytes = 4 * count };

static CUcontext context;
static CUmodule module;
static CUfunction function;
static CUdeviceptr to, from;

static void setup(void) {
  unsigned values[count];
  for (unsigned i = 0; i < count; i++)
    values[i] = 10 * i;
  OK(emu_cuInit(0));
  OK(emu_cuDevicePrimaryCtxRetain(&context, 0));
  OK(emu_cuCtxSetCurrent(context));
  OK(emu_cuModuleLoadData(&module, ptx));
  OK(emu_cuModuleGetFunction(&function, module, "plus"));
  OK(emu_cuMemAlloc(&to, bytes));
  OK(emu_cuMemAlloc(&from, bytes));
  OK(emu_cuMemcpyHtoD(from, values, bytes));
}

static void teardown(void) {
  OK(emu_cuCtxSetCurrent(NULL));
  OK(emu_cuDevicePrimaryCtxRelease(0));
}

static CUresult launch(CUdeviceptr out, unsigned add, CUstream stream) {
  void *arguments[] = {&out, &add, &from};
  return emu_cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, arguments, NULL);
}

static void expect(unsigned first, unsigned step) {
  unsigned values[count];
  OK(emu_cuMemcpyDtoH(values, to, bytes));
  for (unsigned i = 0; i < count; i++)
    ck_assert_uint_eq(values[i], first + step * i);
}

START_TEST(launches) {
  OK(launch(to, 5, NULL));
  expect(5, 10);
  struct {
    CUdeviceptr to;
    unsigned add, pad;
    CUdeviceptr from;
  } block = {to, 6, 0, from};
  size_t size = sizeof block;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  OK(emu_cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
  expect(6, 10);
  size = 16;
  IS(CUDA_ERROR_INVALID_VALUE,
     emu_cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
  size = sizeof block;
  IS(CUDA_ERROR_INVALID_VALUE,
     emu_cuLaunchKernel(function, 0, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
  OK(launch(to, 7, NULL)); /* what was refused leaves no fault */
}
END_TEST

START_TEST(attributes_of_launches) {
  unsigned add = 1;
  void *arguments[] = {&to, &add, &from};
  CUlaunchAttribute attributes[] = {
      {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.cluster = {2, 1, 1}},
      {.id = 6, .value.flag = 1},
      {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.flag = 1}};
  CUlaunchConfig config = {2, 1, 1, 32, 1, 1, 0, NULL, attributes, 3};
  OK(emu_cuLaunchKernelEx(&config, function, arguments, NULL));
  expect(1, 10);
  attributes[0].value.cluster[0] = 16;
  config.grid_x = 16;
  IS(CUDA_ERROR_INVALID_CLUSTER_SIZE, emu_cuLaunchKernelEx(&config, function, arguments, NULL));
  attributes[0].id = 99;
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuLaunchKernelEx(&config, function, arguments, NULL));
  config.attribute_count = 0;
  config.smem_bytes = 50000;
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuLaunchKernelEx(&config, function, arguments, NULL));
  ck_assert_ptr_nonnull(strstr(gg_emu_message(), "50000 B of dynamic shared memory > 49152 B"));
  OK(emu_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
  IS(CUDA_ERROR_INVALID_VALUE,
     emu_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449));
  IS(CUDA_ERROR_INVALID_VALUE,
     emu_cuLaunchCooperativeKernel(function, 1 << 20, 1, 1, 32, 1, 1, 300000, NULL, arguments));
  IS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
     emu_cuLaunchCooperativeKernel(function, 1 << 20, 1, 1, 32, 1, 1, 0, NULL, arguments));
}
END_TEST

/* ---- Launches beside each other --------------------------------------------------------- */

/* One that lets the next launch begin, and then stores; and two that read, or wait and read. */
static const char beside_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry stores(.param .u64 to)\n{\n.reg .b32 %r1;\n.reg .b64 %d1;\n"
    "ld.param.u64 %d1, [to];\nmov.u32 %r1, %tid.x;\n"
    "griddepcontrol.launch_dependents;\nst.global.u32 [%d1], 7;\nret;\n}\n"
    ".visible .entry reads(.param .u64 from)\n{\n.reg .b32 %r1;\n.reg .b64 %d1;\n"
    "ld.param.u64 %d1, [from];\nld.global.u32 %r1, [%d1];\nret;\n}\n"
    ".visible .entry waits(.param .u64 from)\n{\n.reg .b32 %r1;\n.reg .b64 %d1;\n"
    "ld.param.u64 %d1, [from];\ngriddepcontrol.wait;\nld.global.u32 %r1, [%d1];\nret;\n}\n";

static CUresult launch_beside(const char *name, CUstream stream) {
  static CUmodule loaded;
  CUfunction found;
  void *arguments[] = {&to};
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                 .value.flag = 1};
  CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1};
  if (emu_cuModuleGetFunction(&found, loaded, name)) {
    OK(emu_cuModuleLoadData(&loaded, beside_ptx));
    OK(emu_cuModuleGetFunction(&found, loaded, name));
  }
  return emu_cuLaunchKernelEx(&config, found, arguments, NULL);
}

/* What stands between the two launches of a stream. */
static void nothing(CUstream stream) {
  (void)stream;
}

static void synchronise_stream(CUstream stream) {
  OK(emu_cuStreamSynchronize(stream));
}

static void synchronise(CUstream stream) {
  (void)stream;
  OK(emu_cuCtxSynchronize());
}

static void fill_behind(CUstream stream) {
  OK(emu_cuMemsetD8Async(from, 0, 4, stream));
}

static void copy_and_wait(CUstream stream) {
  unsigned value;
  (void)stream;
  OK(emu_cuMemcpyDtoH(&value, to, sizeof value));
}

static void record(CUstream stream) {
  CUevent event;
  OK(emu_cuEventCreate(&event, 0));
  OK(emu_cuEventRecord(event, stream));
}

static void free_other(CUstream stream) {
  CUdeviceptr other;
  (void)stream;
  OK(emu_cuMemAlloc(&other, 64));
  OK(emu_cuMemFree(other));
}

static void free_other_in_order(CUstream stream) {
  CUdeviceptr other;
  OK(emu_cuMemAllocAsync(&other, 64, stream));
  OK(emu_cuMemFreeAsync(other, stream));
}

/* The legacy stream waits for all others, and they for it. */
static void launch_elsewhere(CUstream stream) {
  (void)stream;
  OK(launch_beside("waits", NULL));
}

static const struct {
  const char *name, *reader;
  void (*between)(CUstream stream);
  bool fails;
} pairs[] = {
    {"a reader that does not wait", "reads", nothing, true},
    {"a reader that waits", "waits", nothing, false},
    {"a stream is waited for", "reads", synchronise_stream, false},
    {"a context is waited for", "reads", synchronise, false},
    {"a fill is between", "reads", fill_behind, false},
    {"a copy that the host waits for", "reads", copy_and_wait, false},
    {"an event is recorded", "reads", record, false},
    {"memory is freed", "reads", free_other, false},
    {"memory is freed in the stream's order", "reads", free_other_in_order, true},
    {"the legacy stream is between", "reads", launch_elsewhere, false},
};

START_TEST(launches_beside_each_other) {
  CUstream stream, other;
  CUgraph graph;
  CUgraphExec exec;
  CUresult expected = pairs[_i].fails ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
  OK(emu_cuStreamCreate(&stream, 0));
  OK(emu_cuStreamCreate(&other, 1));
  OK(launch_beside("stores", stream));
  OK(launch_beside("reads", other)); /* of another stream nothing is known */
  pairs[_i].between(stream);
  CUresult result = launch_beside(pairs[_i].reader, stream);
  ck_assert_msg(result == expected, "%s: %d", pairs[_i].name, result);
  if (result) {
    ck_assert_ptr_nonnull(strstr(gg_emu_message(), "which the launch ahead, stores, has written"));
    OK(emu_cuDevicePrimaryCtxReset(0));
    setup();
    OK(emu_cuStreamCreate(&stream, 0));
  }
  if (pairs[_i].between != nothing) return;
  OK(emu_cuMemsetD8(to, 0, bytes));
  OK(emu_cuStreamBeginCapture(stream, 0));
  OK(launch_beside("stores", stream));
  OK(launch_beside(pairs[_i].reader, stream));
  OK(emu_cuStreamEndCapture(stream, &graph));
  OK(emu_cuGraphInstantiate(&exec, graph, 0));
  IS(expected, emu_cuGraphLaunch(exec, stream));
  if (expected) OK(emu_cuDevicePrimaryCtxReset(0));
  if (expected) setup();
}
END_TEST

START_TEST(a_fault_stays_until_the_context_goes) {
  const char *name, *text;
  CUstream stream;
  OK(emu_cuStreamCreate(&stream, 0));
  IS(CUDA_ERROR_ILLEGAL_ADDRESS, launch(to + 4, 0, NULL));
  IS(CUDA_ERROR_ILLEGAL_ADDRESS, emu_cuCtxSynchronize());
  IS(CUDA_ERROR_ILLEGAL_ADDRESS, launch(to, 0, NULL));
  OK(emu_cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name));
  OK(emu_cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  ck_assert_str_eq(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
  ck_assert_ptr_nonnull(strstr(text, ": writes 4 bytes"));
  ck_assert_ptr_nonnull(strstr(text, "[EMU_BOUNDS]"));
  IS(CUDA_ERROR_ILLEGAL_ADDRESS, emu_cuStreamDestroy(stream));
  IS(CUDA_ERROR_ILLEGAL_ADDRESS, emu_cuMemFree(to));
  OK(emu_cuDevicePrimaryCtxReset(0));
  setup();
  OK(launch(to, 3, NULL));
  expect(3, 10);
}
END_TEST

START_TEST(memory) {
  unsigned char host[bytes], back[bytes];
  for (int i = 0; i < bytes; i++)
    host[i] = (unsigned char)i;
  OK(emu_cuMemcpyHtoDAsync(to, host, bytes, NULL));
  OK(emu_cuMemcpyDtoD(from, to, bytes));
  OK(emu_cuMemcpy((CUdeviceptr)(uintptr_t)back, from, bytes));
  ck_assert_mem_eq(host, back, bytes);
  CUDA_MEMCPY2D rows = {
      .from = {.type = CU_MEMORYTYPE_DEVICE, .device = from, .x_bytes = 3, .y = 1, .pitch = 32},
      .to = {.type = CU_MEMORYTYPE_HOST, .host = back, .pitch = 16},
      .width_bytes = 5,
      .height = 4};
  memset(back, 0, bytes);
  OK(emu_cuMemcpy2D(&rows));
  for (int row = 0; row < 4; row++) {
    for (int i = 0; i < 16; i++)
      ck_assert_int_eq(back[row * 16 + i], i < 5 ? (row + 1) * 32 + 3 + i : 0);
  }
  rows.to.pitch = 4;
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuMemcpy2D(&rows));
  OK(emu_cuMemsetD32(to, 0x01020304, count));
  OK(emu_cuMemsetD16(to + 4, 0xabcd, 1));
  OK(emu_cuMemsetD2D8(to + 8, 8, 0xee, 1, 2));
  OK(emu_cuMemcpyDtoH(back, to, bytes));
  static const unsigned char want[] = {4, 3, 2, 1, 0xcd, 0xab, 2,    1, 0xee, 3,
                                       2, 1, 4, 3, 2,    1,    0xee, 3, 2,    1};
  ck_assert_mem_eq(back, want, sizeof want);
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuMemsetD32(to + 2, 0, 1));
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuMemcpyDtoH(back, to + 1, bytes));
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuMemFree(to + 4));
  OK(emu_cuMemFree(0));
}
END_TEST

START_TEST(ranges_of_memory) {
  CUdeviceptr base = 0, address;
  size_t size = 0, pitch = 0;
  unsigned type = 0;
  int64_t first;
  void *host;
  OK(emu_cuMemGetAddressRange(&base, &size, to + 5));
  ck_assert_uint_eq(base, to);
  ck_assert_uint_eq(size, bytes);
  OK(emu_cuPointerGetAttribute(&type, 2, to + 5));
  ck_assert_uint_eq(type, CU_MEMORYTYPE_DEVICE);
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuPointerGetAttribute(&type, 2, (uintptr_t)&type));
  OK(emu_cuMemAllocPitch(&address, &pitch, 100, 3, 4));
  ck_assert_uint_eq(pitch, 512);
  OK(gg_emu_unwritten(&first, address, 100));
  ck_assert_int_eq(first, 0);
  OK(emu_cuMemsetD8(address, 0, 10));
  OK(gg_emu_unwritten(&first, address, 100));
  ck_assert_int_eq(first, 10);
  OK(emu_cuMemFree(address));
  OK(emu_cuMemAllocHost(&host, 64));
  OK(emu_cuMemFreeHost(host));
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuMemFreeHost(host));
}
END_TEST

START_TEST(modules) {
  CUmodule other;
  CUfunction found;
  CUdeviceptr address;
  size_t size, offset;
  unsigned value = 0;
  char log[256] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  IS(CUDA_ERROR_INVALID_PTX,
     emu_cuModuleLoadDataEx(&other, ".version 8.0\n.target", 2, options, values));
  ck_assert_ptr_nonnull(strstr(log, "PTX_SYNTAX"));
  IS(CUDA_ERROR_INVALID_PTX,
     emu_cuModuleLoadData(&other, ".version 9.0\n.target sm_100a\n.address_size 64\n"));
  ck_assert_ptr_nonnull(strstr(gg_emu_message(), "EMU_TARGET"));
  IS(CUDA_ERROR_NO_BINARY_FOR_GPU, emu_cuModuleLoadData(&other, "\177ELF\2\1\1"));
  ck_assert_ptr_nonnull(strstr(gg_emu_message(), "a cubin"));
  IS(CUDA_ERROR_FILE_NOT_FOUND, emu_cuModuleLoad(&other, "no/such.ptx"));
  IS(CUDA_ERROR_NOT_FOUND, emu_cuModuleGetFunction(&found, module, "minus"));
  OK(emu_cuModuleGetFunction(&found, module, "plus"));
  ck_assert_ptr_eq(found, function);
  OK(emu_cuModuleGetGlobal(&address, &size, module, "factor"));
  OK(emu_cuMemcpyDtoH(&value, address, 4));
  ck_assert_uint_eq(value, 7);
  IS(CUDA_ERROR_NOT_FOUND, emu_cuModuleGetGlobal(&address, &size, module, "factors"));
  OK(emu_cuFuncGetParamInfo(function, 2, &offset, &size));
  ck_assert_uint_eq(offset, 16);
  ck_assert_uint_eq(size, 8);
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuFuncGetParamInfo(function, 3, &offset, &size));
  OK(emu_cuModuleUnload(module));
  IS(CUDA_ERROR_INVALID_HANDLE, launch(to, 0, NULL));
  IS(CUDA_ERROR_INVALID_HANDLE, emu_cuModuleUnload(module));
}
END_TEST

START_TEST(libraries) {
  CUlibrary library;
  CUkernel kernel;
  CUfunction found;
  CUmodule inside;
  const char *name;
  OK(emu_cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
  OK(emu_cuLibraryGetKernel(&kernel, library, "plus"));
  OK(emu_cuKernelGetFunction(&found, kernel));
  OK(emu_cuFuncGetName(&name, found));
  ck_assert_str_eq(name, "plus");
  OK(emu_cuLibraryGetModule(&inside, library));
  ck_assert_ptr_ne(inside, module);
  OK(emu_cuLibraryUnload(library));
}
END_TEST

static void add_one(void *user) {
  ++*(int *)user;
}

START_TEST(graphs) {
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  size_t nodes;
  int calls = 0, capturing = 0, mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  OK(emu_cuMemsetD8(to, 0, bytes));
  OK(emu_cuStreamCreate(&stream, 1));
  OK(emu_cuStreamBeginCapture(stream, 0));
  OK(emu_cuStreamIsCapturing(stream, &capturing));
  ck_assert_int_eq(capturing, 1);
  OK(emu_cuThreadExchangeStreamCaptureMode(&mode));
  ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  OK(emu_cuThreadExchangeStreamCaptureMode(&mode));
  ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  mode = 3;
  IS(CUDA_ERROR_INVALID_VALUE, emu_cuThreadExchangeStreamCaptureMode(&mode));
  OK(launch(to, 9, stream));
  OK(emu_cuLaunchHostFunc(stream, add_one, &calls));
  OK(emu_cuMemsetD32Async(to, 8, 1, stream));
  IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, emu_cuStreamSynchronize(stream));
  OK(emu_cuStreamEndCapture(stream, &graph));
  expect(0, 0); /* nothing has run */
  OK(emu_cuGraphGetNodes(graph, NULL, &nodes));
  ck_assert_uint_eq(nodes, 3);
  OK(emu_cuGraphInstantiate(&exec, graph, 0));
  OK(emu_cuGraphDestroy(graph));
  OK(emu_cuGraphLaunch(exec, stream));
  OK(emu_cuGraphLaunch(exec, NULL));
  ck_assert_int_eq(calls, 2);
  unsigned value = 8;
  OK(emu_cuMemcpyHtoD(to, &value, 0));
  unsigned values[count];
  OK(emu_cuMemcpyDtoH(values, to, bytes));
  ck_assert_uint_eq(values[0], 8);
  ck_assert_uint_eq(values[1], 19);
  OK(emu_cuModuleUnload(module));
  IS(CUDA_ERROR_INVALID_HANDLE, emu_cuGraphLaunch(exec, stream));
  OK(emu_cuGraphExecDestroy(exec));
  IS(CUDA_ERROR_INVALID_HANDLE, emu_cuGraphExecDestroy(exec));
  IS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, emu_cuStreamEndCapture(stream, &graph));
  OK(emu_cuStreamBeginCapture(stream, 0)); /* left open: the context frees it */
}
END_TEST

START_TEST(events) {
  CUevent start, end;
  float milliseconds = -1;
  OK(emu_cuEventCreate(&start, 0));
  OK(emu_cuEventCreate(&end, 0));
  IS(CUDA_ERROR_INVALID_HANDLE, emu_cuEventElapsedTime(&milliseconds, start, end));
  OK(emu_cuEventRecord(start, NULL));
  OK(emu_cuEventRecord(end, NULL));
  OK(emu_cuEventSynchronize(end));
  OK(emu_cuEventElapsedTime(&milliseconds, start, end));
  ck_assert_float_ge(milliseconds, 0);
  OK(emu_cuStreamWaitEvent(NULL, end, 0));
  OK(emu_cuEventDestroy(start));
  IS(CUDA_ERROR_INVALID_HANDLE, emu_cuEventRecord(start, NULL));
}
END_TEST

START_TEST(devices) {
  char name[64];
  int value = 0, number = 0;
  size_t available, total;
  OK(emu_cuDeviceGetCount(&number));
  ck_assert_int_eq(number, 1);
  OK(emu_cuDeviceGetName(name, sizeof name, 0));
  ck_assert_str_eq(name, "gemmgen emulator (sm_90)");
  OK(emu_cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  ck_assert_int_eq(value, 132);
  IS(CUDA_ERROR_INVALID_DEVICE, emu_cuDeviceGetAttribute(&value, 16, 1));
  OK(emu_cuMemGetInfo(&available, &total));
  ck_assert_uint_gt(total, 0);
  OK(emu_cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
  ck_assert_int_eq(value, 90); /* of .target, not .version */
  OK(emu_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  OK(emu_cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 128, 100000));
  ck_assert_int_eq(value, 2); /* of 228 KiB */
  OK(emu_cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 1000, 0));
  ck_assert_int_eq(value, 2); /* of 2048 threads */
  OK(emu_cuOccupancyMaxPotentialBlockSize(&number, &value, function, NULL, 0, 0));
  ck_assert_int_eq(value, 1024);
  ck_assert_int_eq(number, 264);
}
END_TEST

/* Each architecture has its limits; one that there is not is refused by name. */
START_TEST(architectures) {
  static const struct {
    int arch, sms, opt_in, all, threads, ctas;
  } rows[] = {{80, 108, 166912, 167936, 2048, 32},  {86, 84, 101376, 102400, 1536, 16},
              {87, 16, 166912, 167936, 1536, 16},   {89, 142, 101376, 102400, 1536, 24},
              {90, 132, 232448, 233472, 2048, 32},  {100, 148, 232448, 233472, 2048, 32},
              {103, 148, 232448, 233472, 2048, 32}, {110, 20, 232448, 233472, 1536, 24},
              {120, 170, 101376, 102400, 1536, 24}, {121, 170, 101376, 102400, 1536, 24}};
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  char name[64];
  teardown();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int major, minor, sms, opt_in, all, threads, ctas;
    options.arch = rows[i].arch;
    OK(gg_emu_configure(&options));
    OK(emu_cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    OK(emu_cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    OK(emu_cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    OK(emu_cuDeviceGetAttribute(&opt_in, 97, 0));
    OK(emu_cuDeviceGetAttribute(&all, 81, 0));
    OK(emu_cuDeviceGetAttribute(&threads, 39, 0));
    OK(emu_cuDeviceGetAttribute(&ctas, 106, 0));
    ck_assert_int_eq(10 * major + minor, rows[i].arch);
    ck_assert_int_eq(sms, rows[i].sms);
    ck_assert_int_eq(opt_in, rows[i].opt_in);
    ck_assert_int_eq(all, rows[i].all);
    ck_assert_int_eq(threads, rows[i].threads);
    ck_assert_int_eq(ctas, rows[i].ctas);
    OK(emu_cuDeviceGetName(name, sizeof name, 0));
  }
  ck_assert_str_eq(name, "gemmgen emulator (sm_121)");
  options.arch = 101;
  IS(CUDA_ERROR_INVALID_VALUE, gg_emu_configure(&options));
  ck_assert_str_eq(gg_emu_message(),
                   "arch is 80, 86, 87, 89, 90, 100, 103, 110, 120 or 121, not 101");
  OK(gg_emu_configure(NULL));
  setup();
}
END_TEST

START_TEST(contexts) {
  CUcontext other, popped, now;
  OK(emu_cuCtxCreate_v2(&other, 0, 0));
  OK(emu_cuCtxGetCurrent(&now));
  ck_assert_ptr_eq(now, other);
  OK(launch(to, 2, NULL)); /* memory is the device's */
  OK(emu_cuCtxPopCurrent(&popped));
  ck_assert_ptr_eq(popped, other);
  expect(2, 10);
  OK(emu_cuCtxDestroy(other));
  IS(CUDA_ERROR_INVALID_CONTEXT, emu_cuCtxPushCurrent(other));
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  OK(gg_emu_options_init(&options));
  IS(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, gg_emu_configure(&options));
  OK(emu_cuCtxSetCurrent(NULL));
  IS(CUDA_ERROR_INVALID_CONTEXT, emu_cuMemAlloc(&to, 4));
  OK(emu_cuCtxSetCurrent(context));
}
END_TEST

START_TEST(names) {
  void *address = NULL;
  int status = -1;
  CUresult (*alloc)(CUdeviceptr *, size_t) = emu_cuMemAlloc;
  OK(emu_cuGetProcAddress("cuMemAlloc", &address, 13000, 0, &status));
  ck_assert_int_eq(status, 0);
  ck_assert_int_eq(memcmp(&address, &alloc, sizeof address), 0);
  OK(emu_cuGetProcAddress("cuMemAlloc_v2", &address, 13000, 0, &status));
  ck_assert_int_eq(memcmp(&address, &alloc, sizeof address), 0);
  OK(emu_cuGetProcAddress("cuFrobnicate", &address, 13000, 0, &status));
  ck_assert_int_eq(status, 1);
  ck_assert_ptr_null(address);
  IS(CUDA_ERROR_NOT_FOUND, emu_cuGetProcAddress("cuFrobnicate", &address, 13000, 0, NULL));
}
END_TEST

START_TEST(tensor_maps) {
  _Alignas(64) CUtensorMap map;
  const uint64_t dims[] = {64, 32}, strides[] = {128};
  uint32_t box[] = {64, 8}, ones[] = {1, 1};
  void *base = (void *)(uintptr_t)to;
  OK(emu_cuTensorMapEncodeTiled(&map, 9, 2, base, dims, strides, box, ones, 0, 3, 0, 0));
  OK(emu_cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)from));
  box[0] = 65;
  IS(CUDA_ERROR_INVALID_VALUE,
     emu_cuTensorMapEncodeTiled(&map, 9, 2, base, dims, strides, box, ones, 0, 3, 0, 0));
  IS(CUDA_ERROR_INVALID_VALUE,
     emu_cuTensorMapEncodeTiled(&map, 9, 9, base, dims, strides, box, ones, 0, 3, 0, 0));
  OK(launch(to, 1, NULL)); /* no fault of a kernel */
}
END_TEST

/* The mode im2col is refused with words of its own, which a program finds by the call's name, too.
 */
START_TEST(no_im2col) {
  _Alignas(64) CUtensorMap map;
  const uint64_t dims[] = {64, 8, 8, 2}, strides[] = {128, 1024, 8192};
  const int corner[] = {0, 0};
  uint32_t ones[] = {1, 1, 1, 1};
  void *base = (void *)(uintptr_t)to, *address = NULL;
  const char *text = "";
  IS(CUDA_ERROR_NOT_SUPPORTED, emu_cuTensorMapEncodeIm2col(&map, 6, 4, base, dims, strides, corner,
                                                           corner, 64, 32, ones, 0, 3, 0, 0));
  OK(emu_cuGetErrorString(CUDA_ERROR_NOT_SUPPORTED, &text));
  ck_assert_ptr_nonnull(strstr(text, "the im2col mode of tensor maps is not emulated"));
  IS(CUDA_ERROR_NOT_SUPPORTED, emu_cuTensorMapEncodeIm2colWide(&map, 6, 4, base, dims, strides, 0,
                                                               0, 64, 32, ones, 0, 0, 3, 0, 0));
  OK(emu_cuGetProcAddress("cuTensorMapEncodeIm2colWide", &address, 13000, 0, NULL));
  OK(launch(to, 1, NULL)); /* no fault of a kernel */
}
END_TEST

START_TEST(counters) {
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  char text[4096];
  teardown();
  OK(gg_emu_options_init(&options));
  options.counters = 1;
  OK(gg_emu_configure(&options));
  setup();
  OK(launch(to, 1, NULL));
  OK(launch(to, 2, NULL));
  size_t length = gg_emu_counters(NULL, 0, 0);
  ck_assert_uint_eq(gg_emu_counters(text, sizeof text, 0), length);
  ck_assert_uint_lt(length, sizeof text);
  ck_assert_ptr_nonnull(strstr(text, "plus: 4 CTAs"));
  OK(emu_cuModuleUnload(module)); /* what was counted stays */
  gg_emu_counters(text, sizeof text, 1);
  ck_assert_ptr_nonnull(strstr(text, "\"kernel\": \"plus\", \"ctas\": 4"));
  OK(emu_cuDevicePrimaryCtxReset(0));
  OK(gg_emu_configure(NULL));
  setup();
}
END_TEST

/* Lines of `text`. */
static int line_count(const char *text) {
  int lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

static void keep_warning(void *user, const char *message) {
  size_t length = strlen(user);
  snprintf((char *)user + length, 2048 - length, "%s\n", message);
}

/* A kernel that reads what nobody has written goes on, and each place is told once. */
START_TEST(warnings) {
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  CUdeviceptr blank;
  char told[2048] = "", text[4096];
  teardown();
  OK(gg_emu_options_init(&options));
  options.warn = keep_warning;
  options.warn_user = told;
  options.counters = 1;
  OK(gg_emu_configure(&options));
  setup();
  ck_assert_uint_eq(gg_emu_warnings(NULL, 0), 0);
  OK(emu_cuMemAlloc(&blank, bytes));
  CUdeviceptr written = from;
  from = blank;
  OK(launch(to, 1, NULL));
  OK(launch(to, 1, NULL));
  from = written;
  ck_assert_int_eq(line_count(told), 1);
  ck_assert_ptr_nonnull(strstr(told, ": reads 4 bytes at "));
  ck_assert_ptr_nonnull(strstr(told, "lane 0 [EMU_UNINITIALISED] (2 times)"));
  expect(0, 0);
  size_t length = gg_emu_warnings(text, sizeof text);
  ck_assert_uint_eq(length, strlen(text));
  ck_assert_int_eq(line_count(text), 1);
  ck_assert_ptr_nonnull(strstr(text, "(4 times)"));
  gg_emu_counters(text, sizeof text, 1);
  ck_assert_ptr_nonnull(strstr(text, "\"fault\": \"EMU_UNINITIALISED\", \"class\": "
                                     "\"uninitialised\", \"line\": "));
  ck_assert_ptr_nonnull(strstr(text, "\"count\": 4"));
  OK(emu_cuModuleUnload(module)); /* what was told stays */
  gg_emu_warnings(text, sizeof text);
  ck_assert_ptr_nonnull(strstr(text, "(4 times)"));
  OK(emu_cuDevicePrimaryCtxReset(0));
  ck_assert_uint_eq(gg_emu_warnings(NULL, 0), 0);
  options.hazards = "warn,uninitialised=fault";
  OK(gg_emu_configure(&options));
  setup();
  OK(emu_cuMemAlloc(&blank, bytes));
  from = blank;
  IS(CUDA_ERROR_LAUNCH_FAILED, launch(to, 1, NULL));
  ck_assert_ptr_nonnull(strstr(gg_emu_message(), "[EMU_UNINITIALISED]"));
  OK(emu_cuDevicePrimaryCtxReset(0));
  options.hazards = "uninitialised";
  IS(CUDA_ERROR_INVALID_VALUE, gg_emu_configure(&options));
  ck_assert_ptr_nonnull(strstr(gg_emu_message(), "a severity is off, warn or fault"));
  OK(gg_emu_configure(NULL));
  setup();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("driver");
  TCase *tests = tcase_create("calls");
  tcase_add_checked_fixture(tests, setup, teardown);
  tcase_add_test(tests, launches);
  tcase_add_test(tests, attributes_of_launches);
  tcase_add_loop_test(tests, launches_beside_each_other, 0, sizeof pairs / sizeof *pairs);
  tcase_add_test(tests, a_fault_stays_until_the_context_goes);
  tcase_add_test(tests, memory);
  tcase_add_test(tests, ranges_of_memory);
  tcase_add_test(tests, modules);
  tcase_add_test(tests, libraries);
  tcase_add_test(tests, graphs);
  tcase_add_test(tests, events);
  tcase_add_test(tests, devices);
  tcase_add_test(tests, architectures);
  tcase_add_test(tests, contexts);
  tcase_add_test(tests, warnings);
  tcase_add_test(tests, names);
  tcase_add_test(tests, tensor_maps);
  tcase_add_test(tests, no_im2col);
  tcase_add_test(tests, counters);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
