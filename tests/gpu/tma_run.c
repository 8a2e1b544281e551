/* A case on a machine: its memory, its launch. */
#include <string.h>

#include "base/alloc.h"
#include "tma.h"

enum { THREADS = 128, KERNELS_MAX = 1024 };

typedef struct kernel {
  uint64_t hash; /* of its text */
  CUfunction function;
  int refused; /* the driver's result, where it is no legal PTX */
} kernel;

typedef struct machine {
  gg_driver driver;
  CUdevice device;
  CUdeviceptr memory; /* margin, tensor, margin, input, output */
  kernel kernels[KERNELS_MAX];
  unsigned kernel_count;
} machine;

enum { AT_TENSOR = TMA_MARGIN, AT_IN = 2 * TMA_MARGIN + TMA_BYTES, AT_OUT = AT_IN + TMA_BYTES };

static gg_status machine_open(machine *m, gg_provider provider, gg_error *err) {
  CUcontext context;
  int count = 0;
  gg_status st = gg_driver_open(&m->driver, provider, err);
  if (st) return st;
  if (m->driver.cuInit(0) || m->driver.cuDeviceGetCount(&count) || !count) {
    return gg_fail(err, NO_DEVICE, NULL, 0, count);
  }
  st = GG_CUDA(&m->driver, err, cuDeviceGet, &m->device, 0);
  if (!st) st = GG_CUDA(&m->driver, err, cuDevicePrimaryCtxRetain, &context, m->device);
  if (!st) st = GG_CUDA(&m->driver, err, cuCtxPushCurrent, context);
  if (!st) st = GG_CUDA(&m->driver, err, cuMemAlloc, &m->memory, AT_OUT + TMA_RESULT);
  if (!st) st = GG_CUDA(&m->driver, err, cuMemsetD8, m->memory, 0, AT_OUT + TMA_RESULT);
  return st;
}

static gg_status load_kernel(kernel *out, machine *m, const char *text, gg_error *err) {
  CUmodule module;
  out->refused = m->driver.cuModuleLoadDataEx(&module, text, 0, NULL, NULL);
  if (out->refused == CUDA_ERROR_INVALID_PTX) return GG_OK;
  gg_status st = gg_driver_result(&m->driver, "cuModuleLoadDataEx", out->refused, err);
  return st ? st : GG_CUDA(&m->driver, err, cuModuleGetFunction, &out->function, module, "tma");
}

static gg_status kernel_of(kernel **out, machine *m, const tma_case *c, gg_error *err) {
  gg_str ptx = GG_STR_INIT;
  gg_status st = GG_OK;
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  tma_ptx(&ptx, c);
  for (size_t i = 0; i < ptx.length; i++)
    hash = (hash ^ (uint8_t)gg_str_text(&ptx)[i]) * 0x100000001b3u;
  if (m->kernel_count == KERNELS_MAX) m->kernel_count = 0;
  kernel *k = m->kernels;
  while (k < m->kernels + m->kernel_count && k->hash != hash)
    k++;
  if (k == m->kernels + m->kernel_count) {
    st = load_kernel(k, m, gg_str_text(&ptx), err);
    k->hash = hash;
    m->kernel_count++;
  }
  gg_str_free(&ptx);
  *out = k;
  return st;
}

static int encode(CUtensorMap *out, machine *m, const tma_map *map) {
  uintptr_t address = (uintptr_t)(m->memory + AT_TENSOR + map->displacement);
  return m->driver.cuTensorMapEncodeTiled(out, map->type, map->rank, (void *)address, map->dims,
                                          map->strides, map->box, map->element_strides,
                                          map->interleave, map->swizzle, map->promotion, map->fill);
}

/* Words of every kind of number: any bits, and small values of both signs. */
static void make_data(uint8_t bytes[TMA_BYTES], uint64_t *state) {
  for (int i = 0; i < TMA_BYTES; i += 8) {
    uint64_t word = tma_random(state);
    if (word % 4 == 0) word &= 0x83ff83ff83ff83ffu;
    memcpy(bytes + i, &word, 8);
  }
}

static int launch(machine *m, CUfunction function, const tma_case *c, const CUtensorMap *map) {
  CUdeviceptr in = m->memory + AT_IN, out = m->memory + AT_OUT, tensor = m->memory + AT_TENSOR;
  tma_words words = c->words;
  void *arguments[] = {(void *)map, &in, &out, &tensor, &words};
  CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                               .value.cluster = {c->ctas, 1, 1}};
  CUlaunchConfig config = {.grid_x = c->ctas,
                           .grid_y = 1,
                           .grid_z = 1,
                           .block_x = THREADS,
                           .block_y = 1,
                           .block_z = 1,
                           .attributes = &cluster,
                           .attribute_count = c->clustered};
  int result = m->driver.cuLaunchKernelEx(&config, function, arguments, NULL);
  return result ? result : m->driver.cuStreamSynchronize(NULL);
}

static gg_status run_copy(tma_result *out, machine *m, const tma_case *c, const CUtensorMap *map,
                          gg_error *err) {
  uint8_t tensor[TMA_BYTES], in[TMA_BYTES];
  uint64_t state = c->seed;
  kernel *k;
  bool loads = tma_case_loads(c);
  make_data(tensor, &state);
  make_data(in, &state);
  if (c->kind == TMA_LOAD || c->kind == BULK_IN) memset(in, 0xa5, sizeof in);
  gg_status st = kernel_of(&k, m, c, err);
  if (!st) st = GG_CUDA(&m->driver, err, cuMemsetD8, m->memory, 0, AT_OUT + TMA_RESULT);
  if (!st) st = GG_CUDA(&m->driver, err, cuMemcpyHtoD, m->memory + AT_TENSOR, tensor, TMA_BYTES);
  if (!st) st = GG_CUDA(&m->driver, err, cuMemcpyHtoD, m->memory + AT_IN, in, TMA_BYTES);
  if (st) return st;
  out->run = k->refused ? k->refused : launch(m, k->function, c, map);
  if (out->run) return GG_OK;
  return GG_CUDA(&m->driver, err, cuMemcpyDtoH, out->bytes,
                 m->memory + (loads ? AT_OUT : AT_TENSOR), loads ? TMA_RESULT : TMA_BYTES);
}

static gg_status run_case(tma_result *out, machine *m, const tma_case *c, gg_error *err) {
  _Alignas(64) CUtensorMap map;
  memset(&map, 0, sizeof map);
  gg_status st = GG_OK;
  if (c->kind <= TMA_PREFETCH) out->encode = encode(&map, m, &c->map);
  if (!out->encode && c->kind != TMA_ENCODE) st = run_copy(out, m, c, &map, err);
  out->done = !st;
  return st;
}

gg_status tma_run(tma_result *results, gg_provider provider, unsigned next, unsigned step,
                  gg_error *err) {
  machine *m = gg_malloc(sizeof *m);
  if (!m) return gg_fail(err, MEMORY, NULL, "");
  memset(m, 0, sizeof *m);
  gg_status st = machine_open(m, provider, err);
  for (unsigned i = next; !st && i < tma_case_count(); i += step) {
    tma_case c;
    tma_case_at(&c, i);
    st = run_case(&results[i], m, &c, err);
    if (results[i].run && results[i].run != CUDA_ERROR_INVALID_PTX) break;
  }
  if (m->driver.cuInit) {
    m->driver.cuDevicePrimaryCtxRelease(m->device);
    gg_driver_close(&m->driver);
  }
  gg_free(m);
  return st;
}
