/* Finds GPCs by watching where CTAs run.
 *
 * The CTAs of a cluster always lie in one GPC. So clusters are launched whose CTAs are so large
 * that each takes a multiprocessor for itself, and every CTA writes which one (%smid) that is. The
 * multiprocessors of a cluster belong to one group, and groups that share a multiprocessor are one.
 * Each CTA sleeps for a time of its own, so that places become free one by one and later clusters
 * lie across the places of earlier ones. If clusters ended as a whole, each would get the places of
 * one before it, and a group of 16 would be taken for two of 8. Clusters of four reach
 * multiprocessors that clusters of eight leave over. */
#include "gpc.h"

#include "base/alloc.h"
#include "base/need.h"
#include "context.h"

/* A launch has `rounds` times as many CTAs as there are multiprocessors. On an H200, launches with
 * a quarter of that found the same groups 2000 times of 2000; both launches together take 0.3 ms.
 */
enum { least_arch = 90, rounds = 16, warp_threads = 32, nowhere = 0xff };

/* The driver compiles this, because libgemmgen-launch has no compiler. A CTA sleeps for about 1 to
 * 9 us, by a hash of its number. */
static const char probe_text[] = ".version 7.8\n"
                                 ".target sm_90\n"
                                 ".address_size 64\n"
                                 ".visible .entry gg_gpc_probe(.param .u64 smids)\n"
                                 "{\n"
                                 "  .reg .u32 %cta, %sm, %ns;\n"
                                 "  .reg .u64 %to, %offset;\n"
                                 "  ld.param.u64 %to, [smids];\n"
                                 "  cvta.to.global.u64 %to, %to;\n"
                                 "  mov.u32 %cta, %ctaid.x;\n"
                                 "  mul.wide.u32 %offset, %cta, 4;\n"
                                 "  add.u64 %to, %to, %offset;\n"
                                 "  mov.u32 %sm, %smid;\n"
                                 "  st.global.u32 [%to], %sm;\n"
                                 "  mul.lo.u32 %ns, %cta, 0x9e3779b1;\n"
                                 "  shr.u32 %ns, %ns, 19;\n"
                                 "  add.u32 %ns, %ns, 1000;\n"
                                 "  nanosleep.u32 %ns;\n"
                                 "  ret;\n"
                                 "}\n";

typedef struct probe {
  const gg_driver *driver;
  const gg_device_facts *device;
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUdeviceptr smids; /* one for each of `ctas` CTAs; `host` gets a copy */
  uint32_t *host;
  unsigned ctas;
  /* Union-find: each multiprocessor points to one of its group with a lower number, or to itself.
   */
  int joined[GG_GPC_MULTIPROCESSORS];
  bool seen[GG_GPC_MULTIPROCESSORS];
  bool lost; /* a %smid was too large, perhaps because this is only a part of a device */
} probe;

/* ---- Groups --------------------------------------------------------------------------- */

static int root_of(const probe *p, int sm) {
  while (p->joined[sm] != sm)
    sm = p->joined[sm];
  return sm;
}

static void join(probe *p, int left, int right) {
  left = root_of(p, left);
  right = root_of(p, right);
  if (left < right) {
    p->joined[right] = left;
  } else {
    p->joined[left] = right;
  }
}

static void join_clusters(probe *p, unsigned size) {
  for (unsigned i = 0; i < p->ctas / size * size; i++) {
    if (p->host[i] >= (uint32_t)p->device->sm_count) {
      p->lost = true;
      return;
    }
    p->seen[p->host[i]] = true;
    join(p, (int)p->host[i / size * size], (int)p->host[i]);
  }
}

static gg_gpcs one_group(int multiprocessors) {
  return (gg_gpcs){.multiprocessors = multiprocessors, .count = 1, .size = {multiprocessors}};
}

static int new_group(gg_gpcs *out) {
  return out->count < GG_GPCS_MAX ? out->count++ : -1;
}

/* Numbers the groups. False: there are too many. */
static bool number_groups(gg_gpcs *out, const probe *p) {
  int loose = 0;
  for (int sm = 0; sm < out->multiprocessors; sm++) {
    int root = root_of(p, sm), group = out->of[root];
    loose += !p->seen[sm];
    if (!p->seen[sm]) continue;
    if (root == sm && (group = new_group(out)) < 0) return false;
    out->of[sm] = (unsigned char)group;
    out->size[group]++;
  }
  if (!loose) return true;
  int group = new_group(out);
  if (group < 0) return false;
  for (int sm = 0; sm < out->multiprocessors; sm++)
    if (!p->seen[sm]) out->of[sm] = (unsigned char)group;
  out->size[group] = loose;
  out->loose[group] = true;
  return true;
}

static gg_gpcs groups_of(const probe *p) {
  gg_gpcs groups = {.multiprocessors = p->device->sm_count};
  bool any = false;
  for (int sm = 0; sm < groups.multiprocessors; sm++)
    any = any || p->seen[sm];
  if (any && !p->lost && number_groups(&groups, p)) return groups;
  return one_group(groups.multiprocessors);
}

/* ---- Measuring ------------------------------------------------------------------------ */

/* Runs clusters of `size` CTAs, each of which takes more than half of a multiprocessor's shared
 * memory. */
static gg_status run_clusters(probe *p, unsigned size, gg_error *err) {
  CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                               .value.cluster = {size, 1, 1}};
  CUlaunchConfig config = {.grid_x = p->ctas / size * size,
                           .grid_y = 1,
                           .grid_z = 1,
                           .block_x = warp_threads,
                           .block_y = 1,
                           .block_z = 1,
                           .smem_bytes = (unsigned)p->device->smem_per_sm / 2,
                           .stream = p->stream,
                           .attributes = &cluster,
                           .attribute_count = 1};
  void *arguments[] = {&p->smids};
  size_t bytes = p->ctas * sizeof *p->host;
  int fit = 0;
  gg_status st = GG_CUDA(p->driver, err, cuOccupancyMaxActiveClusters, &fit, p->function, &config);
  if (st || !fit) return st;
  st = GG_CUDA(p->driver, err, cuMemsetD2D8Async, p->smids, bytes, nowhere, bytes, 1, p->stream);
  if (!st) st = GG_CUDA(p->driver, err, cuLaunchKernelEx, &config, p->function, arguments, NULL);
  if (!st) {
    st = GG_CUDA(p->driver, err, cuMemcpyDtoHAsync, p->host, p->smids, bytes, p->stream);
  }
  if (!st) st = GG_CUDA(p->driver, err, cuStreamSynchronize, p->stream);
  if (!st) join_clusters(p, size);
  return st;
}

/* Loads the probe. *can says whether the driver compiles PTX, which not every driver does. */
static gg_status load(bool *can, probe *p, gg_error *err) {
  CUresult result = p->driver->cuModuleLoadDataEx(&p->module, probe_text, 0, NULL, NULL);
  if (result) p->module = NULL; /* whatever the call left there is not a module */
  *can =
      result != CUDA_ERROR_JIT_COMPILER_NOT_FOUND && result != CUDA_ERROR_JIT_COMPILATION_DISABLED;
  if (!*can) return GG_OK;
  gg_status st = gg_driver_result(p->driver, "cuModuleLoadDataEx", result, err);
  if (!st) {
    st = GG_CUDA(p->driver, err, cuModuleGetFunction, &p->function, p->module, "gg_gpc_probe");
  }
  if (!st) {
    st = GG_CUDA(p->driver, err, cuFuncSetAttribute, p->function,
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, p->device->smem_per_sm / 2);
  }
  return st;
}

static gg_status run(probe *p, gg_error *err) {
  bool can;
  gg_status st = load(&can, p, err);
  if (st || !can) return st;
  p->host = gg_malloc(p->ctas * sizeof *p->host);
  if (!p->host) return gg_fail(err, MEMORY, NULL, "");
  st = GG_CUDA(p->driver, err, cuStreamCreate, &p->stream, CU_STREAM_NON_BLOCKING);
  if (!st) st = GG_CUDA(p->driver, err, cuMemAlloc, &p->smids, p->ctas * sizeof *p->host);
  if (!st) st = run_clusters(p, 8, err);
  if (!st) st = run_clusters(p, 4, err);
  return st;
}

static void close_probe(probe *p) {
  if (p->smids) p->driver->cuMemFree(p->smids);
  if (p->stream) p->driver->cuStreamDestroy(p->stream);
  if (p->module) p->driver->cuModuleUnload(p->module);
  gg_free(p->host);
}

static gg_status measure(gg_gpcs *out, const gg_context *context, gg_error *err) {
  const gg_device_facts *device = &context->facts;
  *out = one_group(device->sm_count);
  if (device->arch < least_arch || device->sm_count > GG_GPC_MULTIPROCESSORS) return GG_OK;
  probe p = {
      .driver = &context->driver, .device = device, .ctas = (unsigned)(rounds * device->sm_count)};
  for (int sm = 0; sm < GG_GPC_MULTIPROCESSORS; sm++)
    p.joined[sm] = sm;
  gg_status st = gg_context_enter(context, err);
  if (st) return st;
  int mode = gg_capture_allow(context);
  st = run(&p, err);
  close_probe(&p);
  gg_capture_forbid(context, mode);
  gg_context_leave(context);
  if (!st) *out = groups_of(&p);
  return st;
}

gg_status gg_context_gpcs(const gg_gpcs **out, gg_context *context, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  gg_status st = GG_OK;
  pthread_mutex_lock(&context->gpcs_lock);
  if (!context->gpcs_known) st = measure(&context->gpcs, context, err);
  context->gpcs_known = !st;
  pthread_mutex_unlock(&context->gpcs_lock);
  *out = st ? NULL : &context->gpcs;
  return st;
}
