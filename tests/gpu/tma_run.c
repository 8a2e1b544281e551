/* A case on a machine: its kernel, its memory, its launch. One CTA copies TMA_BYTES into shared
 * memory, lets TMA work, and for loads copies them back. */
#include <string.h>

#include "base/alloc.h"
#include "tma.h"

enum { THREADS = 128, KINDS = 4, REDUCTIONS = 8 };

/* ---- Kernels ---------------------------------------------------------------------------- */

static const char head[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry tma(.param .align 64 .b8 map[128], .param .u64 p_in, .param .u64 p_out,\n"
    "  .param .u32 p_offset, .param .u32 p_bytes, .param .align 4 .b8 p_at[20])\n"
    ".maxntid 128\n{\n"
    "  .shared .align 1024 .b8 box[4096];\n  .shared .align 8 .b64 bar;\n"
    "  .reg .pred first, more, done;\n  .reg .b32 tid, i, v, tries, base, bytes, c<5>;\n"
    "  .reg .b64 in, out, at, map_at, state;\n"
    "  mov.u32 tid, %tid.x;\n  setp.eq.u32 first, tid, 0;\n"
    "  ld.param.u64 in, [p_in];\n  ld.param.u64 out, [p_out];\n"
    "  ld.param.u32 bytes, [p_bytes];\n  ld.param.u32 i, [p_offset];\n"
    "  mov.u32 base, box;\n  add.u32 base, base, i;\n  mov.b64 map_at, map;\n  cvta.param.u64 map_at, map_at;\n"
    "  ld.param.u32 c0, [p_at];\n  ld.param.u32 c1, [p_at+4];\n  ld.param.u32 c2, [p_at+8];\n"
    "  ld.param.u32 c3, [p_at+12];\n  ld.param.u32 c4, [p_at+16];\n"
    "  shl.b32 i, tid, 2;\n"
    "fill:\n  cvt.u64.u32 at, i;\n  add.u64 at, at, in;\n  ld.global.u32 v, [at];\n"
    "  mov.u32 tries, box;\n  add.u32 tries, tries, i;\n  st.shared.u32 [tries], v;\n"
    "  add.u32 i, i, 512;\n  setp.lt.u32 more, i, 4096;\n  @more bra fill;\n"
    "  @first mbarrier.init.shared.b64 [bar], 1;\n"
    "  fence.proxy.async;\n  bar.sync 0;\n";

static const char load_tail[] =
    "  mov.u32 tries, 0;\n"
    "wait:\n  mbarrier.try_wait.parity.shared.b64 done, [bar], 0;\n"
    "  add.u32 tries, tries, 1;\n  @done bra dump;\n"
    "  setp.lt.u32 more, tries, 64;\n  @more bra wait;\n"
    "dump:\n  selp.u32 v, 1, 2, done;\n  @first st.global.u32 [out+4096], v;\n"
    "  shl.b32 i, tid, 2;\n"
    "copy:\n  mov.u32 tries, box;\n  add.u32 tries, tries, i;\n  ld.shared.u32 v, [tries];\n"
    "  cvt.u64.u32 at, i;\n  add.u64 at, at, out;\n  st.global.u32 [at], v;\n"
    "  add.u32 i, i, 512;\n  setp.lt.u32 more, i, 4096;\n  @more bra copy;\n  ret;\n}\n";

static const char *const reductions[REDUCTIONS] = {"add", "min", "max", "inc",
                                                   "dec", "and", "or",  "xor"};

static void put_tensor(gg_str *out, uint32_t rank) {
  gg_str_puts(out, "[map_at, {");
  for (uint32_t i = 0; i < rank; i++)
    gg_str_printf(out, "%sc%u", i ? ", " : "", i);
  gg_str_puts(out, "}]");
}

void tma_ptx(gg_str *out, const tma_case *c) {
  gg_str_puts(out, head);
  if (c->kind == TMA_LOAD) {
    gg_str_puts(out, "  @!first bra wait0;\n"
                     "  mbarrier.arrive.expect_tx.shared.b64 state, [bar], bytes;\n");
    gg_str_printf(out,
                  "  cp.async.bulk.tensor.%ud.shared::cluster.global.mbarrier::complete_tx::bytes "
                  "[base], ",
                  c->map.rank);
    put_tensor(out, c->map.rank);
    gg_str_puts(out, ", [bar];\nwait0:\n");
    gg_str_puts(out, load_tail);
    return;
  }
  if (c->kind == TMA_STORE) {
    gg_str_printf(out, "  @!first ret;\n  cp.async.bulk.tensor.%ud.global.shared::cta.bulk_group ",
                  c->map.rank);
  } else {
    gg_str_printf(
        out, "  @!first ret;\n  cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.bulk_group ",
        c->map.rank, reductions[c->reduction]);
  }
  put_tensor(out, c->map.rank);
  gg_str_puts(out, ", [base];\n  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n"
                   "  ret;\n}\n");
}

/* ---- The machine ------------------------------------------------------------------------ */

typedef struct machine {
  gg_driver driver;
  CUdevice device;
  CUdeviceptr memory; /* margin, tensor, margin, input, output */
  CUfunction kernels[KINDS][TMA_RANK][REDUCTIONS];
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

static gg_status kernel_of(CUfunction *out, machine *m, const tma_case *c, gg_error *err) {
  CUfunction *kept = &m->kernels[c->kind][c->map.rank - 1][c->reduction];
  CUmodule module;
  gg_status st = GG_OK;
  if (!*kept) {
    gg_str ptx = GG_STR_INIT;
    tma_ptx(&ptx, c);
    st = GG_CUDA(&m->driver, err, cuModuleLoadDataEx, &module, gg_str_text(&ptx), 0, NULL, NULL);
    if (!st) st = GG_CUDA(&m->driver, err, cuModuleGetFunction, kept, module, "tma");
    gg_str_free(&ptx);
  }
  *out = *kept;
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

static int launch(machine *m, CUfunction kernel, const tma_case *c, const CUtensorMap *map) {
  CUdeviceptr in = m->memory + AT_IN, out = m->memory + AT_OUT;
  uint32_t bytes = tma_box_bytes(&c->map);
  int32_t at[TMA_RANK];
  memcpy(at, c->at, sizeof at);
  uint32_t offset = c->offset;
  void *arguments[] = {(void *)map, &in, &out, &offset, &bytes, at};
  int result = m->driver.cuLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL);
  return result ? result : m->driver.cuStreamSynchronize(NULL);
}

static gg_status run_copy(tma_result *out, machine *m, const tma_case *c, const CUtensorMap *map,
                          gg_error *err) {
  uint8_t tensor[TMA_BYTES], in[TMA_BYTES];
  uint64_t state = c->seed;
  CUfunction kernel;
  bool loads = c->kind == TMA_LOAD;
  make_data(tensor, &state);
  make_data(in, &state);
  if (loads) memset(in, 0xa5, sizeof in);
  gg_status st = kernel_of(&kernel, m, c, err);
  if (!st) st = GG_CUDA(&m->driver, err, cuMemsetD8, m->memory, 0, AT_OUT + TMA_RESULT);
  if (!st) st = GG_CUDA(&m->driver, err, cuMemcpyHtoD, m->memory + AT_TENSOR, tensor, TMA_BYTES);
  if (!st) st = GG_CUDA(&m->driver, err, cuMemcpyHtoD, m->memory + AT_IN, in, TMA_BYTES);
  if (st) return st;
  out->run = launch(m, kernel, c, map);
  if (out->run) return GG_OK;
  return GG_CUDA(&m->driver, err, cuMemcpyDtoH, out->bytes,
                 m->memory + (loads ? AT_OUT : AT_TENSOR), loads ? TMA_RESULT : TMA_BYTES);
}

static gg_status run_case(tma_result *out, machine *m, const tma_case *c, gg_error *err) {
  _Alignas(64) CUtensorMap map;
  memset(&map, 0, sizeof map);
  gg_status st = GG_OK;
  out->encode = encode(&map, m, &c->map);
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
    if (results[i].run) break;
  }
  if (m->driver.cuInit) {
    m->driver.cuDevicePrimaryCtxRelease(m->device);
    gg_driver_close(&m->driver);
  }
  gg_free(m);
  return st;
}
