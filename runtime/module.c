/* A kernel on a device, and its launch. What does not depend on the problem is done when the module
 * is loaded: the shared-memory limit is raised, and the kernel's facts are queried. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/need.h"
#include "claims.h"
#include "context.h"
#include "problem.h"
#include "tensormap.h"

struct gg_module {
  gg_context *context;
  gg_arena arena;   /* the strings and parameters of `kernel` */
  gg_kernel kernel; /* without its text */
  CUmodule module;
  CUfunction function;
  gg_module_facts facts;
  gg_device_model device;
  int64_t resident;    /* CTAs that the device holds at once */
  const gg_gpcs *gpcs; /* the context's; NULL if the kernel does not need them */
};

/* ---- Loading -------------------------------------------------------------------------- */

static gg_status copy_kernel(gg_module *module, const gg_kernel *kernel, gg_error *err) {
  module->kernel = *kernel;
  module->kernel.note = NULL;
  module->kernel.source = NULL;
  module->kernel.source_length = 0;
  char *name = gg_arena_strndup(&module->arena, kernel->name, strlen(kernel->name));
  char *family = gg_arena_strndup(&module->arena, kernel->family, strlen(kernel->family));
  char *arch = gg_arena_strndup(&module->arena, kernel->arch, strlen(kernel->arch));
  gg_param *params = GG_ARENA_ARRAY(&module->arena, gg_param, kernel->param_count);
  if (kernel->fingerprint) {
    module->kernel.fingerprint =
        gg_arena_strndup(&module->arena, kernel->fingerprint, strlen(kernel->fingerprint));
    if (!module->kernel.fingerprint) return gg_fail(err, MEMORY, NULL, "");
  }
  if (!name || !family || !arch || !params) return gg_fail(err, MEMORY, NULL, "");
  if (kernel->param_count) memcpy(params, kernel->params, kernel->param_count * sizeof *params);
  module->kernel.name = name;
  module->kernel.family = family;
  module->kernel.arch = arch;
  module->kernel.params = params;
  return GG_OK;
}

static gg_status check_smem(const gg_module *module, gg_error *err) {
  const gg_device_facts *device = gg_context_device(module->context);
  if (module->kernel.smem_bytes <= device->smem_per_cta) return GG_OK;
  return gg_fail(err, DEVICE_SMEM, NULL, module->kernel.name, (long long)module->kernel.smem_bytes,
                 device->name, device->smem_per_cta);
}

/* Loads the image. What the driver's own compiler says about PTX goes to err->log; the emulator
 * says it in the error itself. PTX is copied, because the driver reads it up to a NUL, which need
 * not be there. */
static gg_status load_image(gg_module *module, const gg_binary *binary, gg_error *err) {
  char log[4096] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  gg_str ptx = GG_STR_INIT;
  bool is_ptx = binary->format == GG_FORMAT_PTX;
  if (is_ptx) gg_str_append(&ptx, binary->data, binary->size);
  if (ptx.failed) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = GG_CUDA(&module->context->driver, err, cuModuleLoadDataEx, &module->module,
                         is_ptx ? gg_str_text(&ptx) : binary->data, 2, options, values);
  gg_str_free(&ptx);
  if (st) module->module = NULL; /* whatever the call left there is not a module */
  bool more = log[0] && !module->context->driver.emulated;
  if (st && err && err->code == st && !err->log && more) {
    gg_str text = GG_STR_INIT;
    gg_str_puts(&text, log);
    err->log = gg_str_take(&text);
  }
  return st;
}

enum { launch_attributes = 2, portable_cluster = 8 /* CTAs, on any device */ };

/* The driver's configuration of a launch. A cluster, and overlap with the launch before it, are
 * attributes. */
static CUlaunchConfig launch_config(const gg_kernel *kernel, const unsigned grid[3], bool overlap,
                                    CUstream stream,
                                    CUlaunchAttribute attributes[launch_attributes]) {
  unsigned cluster = gg_kernel_cluster_size(kernel), count = 0;
  if (cluster > 1) {
    attributes[count++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                              .value.cluster = {cluster, 1, 1}};
  }
  if (overlap) {
    attributes[count++] = (CUlaunchAttribute){
        .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.flag = 1};
  }
  return (CUlaunchConfig){.grid_x = grid[0],
                          .grid_y = grid[1],
                          .grid_z = grid[2],
                          .block_x = (unsigned)kernel->threads,
                          .block_y = 1,
                          .block_z = 1,
                          .smem_bytes = (unsigned)kernel->smem_bytes,
                          .stream = stream,
                          .attributes = attributes,
                          .attribute_count = count};
}

/* Asks how many CTAs the device holds. A cluster must fit into one GPC, so that fewer may fit than
 * all multiprocessors together would hold. */
static gg_status query_resident(gg_module *module, gg_error *err) {
  const gg_kernel *kernel = &module->kernel;
  unsigned cluster = gg_kernel_cluster_size(kernel);
  module->resident = (int64_t)module->context->facts.sm_count * module->facts.ctas_per_sm;
  if (cluster == 1) return GG_OK;
  const unsigned grid[3] = {cluster, 1, 1};
  CUlaunchAttribute attributes[launch_attributes];
  CUlaunchConfig config = launch_config(kernel, grid, false, NULL, attributes);
  int clusters = 0;
  gg_status st = GG_CUDA(&module->context->driver, err, cuOccupancyMaxActiveClusters, &clusters,
                         module->function, &config);
  module->resident = (int64_t)clusters * cluster;
  return st;
}

static gg_status query_facts(gg_module *module, gg_error *err) {
  const gg_driver *driver = &module->context->driver;
  gg_module_facts *facts = &module->facts;
  int static_smem = 0;
  gg_status st = GG_CUDA(driver, err, cuFuncGetAttribute, &facts->registers,
                         CU_FUNC_ATTRIBUTE_NUM_REGS, module->function);
  if (!st) {
    st = GG_CUDA(driver, err, cuFuncGetAttribute, &facts->local_bytes,
                 CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, module->function);
  }
  if (!st) {
    st = GG_CUDA(driver, err, cuFuncGetAttribute, &static_smem, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                 module->function);
  }
  if (!st) {
    st = GG_CUDA(driver, err, cuOccupancyMaxActiveBlocksPerMultiprocessor, &facts->ctas_per_sm,
                 module->function, module->kernel.threads, (size_t)module->kernel.smem_bytes);
  }
  facts->smem_bytes = static_smem + module->kernel.smem_bytes;
  return st ? st : query_resident(module, err);
}

/* Checks that the binary was made from this kernel's text. Parameters are passed by position, so
 * another kernel with the same name would misread them. */
static gg_status check_fingerprint(const gg_module *module, gg_error *err) {
  const gg_kernel *kernel = &module->kernel;
  CUfunction mark;
  if (!kernel->fingerprint) return GG_OK;
  CUresult found =
      module->context->driver.cuModuleGetFunction(&mark, module->module, kernel->fingerprint);
  if (found == CUDA_SUCCESS) return GG_OK;
  return gg_fail(err, MODULE_KERNEL, NULL, kernel->name, kernel->fingerprint);
}

static gg_status load(gg_module *module, const gg_binary *binary, gg_error *err) {
  const gg_driver *driver = &module->context->driver;
  gg_status st = gg_context_enter(module->context, err);
  if (st) return st;
  if ((st = load_image(module, binary, err))) goto done;
  st = GG_CUDA(driver, err, cuModuleGetFunction, &module->function, module->module,
               module->kernel.name);
  if (!st) st = check_fingerprint(module, err);
  if (st) goto done;
  st = GG_CUDA(driver, err, cuFuncSetAttribute, module->function,
               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)module->kernel.smem_bytes);
  if (!st && gg_kernel_cluster_size(&module->kernel) > portable_cluster) {
    st = GG_CUDA(driver, err, cuFuncSetAttribute, module->function,
                 CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  }
  if (!st) st = query_facts(module, err);
done:
  gg_context_leave(module->context);
  return st;
}

gg_status gg_module_load_binary(gg_module **out, gg_context *context, const gg_kernel *kernel,
                                const gg_binary *binary, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  GG_NEED(err, kernel);
  GG_NEED(err, binary);
  *out = NULL;
  gg_module *module = gg_malloc(sizeof *module);
  if (!module) return gg_fail(err, MEMORY, NULL, "");
  *module = (gg_module){.context = context, .facts.cached = binary->cached};
  module->device =
      gg_device_model_of(context->facts.name, context->facts.arch, context->facts.sm_count);
  snprintf(module->facts.arch, sizeof module->facts.arch, "%s", binary->arch);
  gg_status st = copy_kernel(module, kernel, err);
  if (!st) st = check_smem(module, err);
  if (!st) st = load(module, binary, err);
  if (!st && gg_kernel_takes(&module->kernel, GG_PARAM_GPCS))
    st = gg_context_gpcs(&module->gpcs, context, err);
  if (st) {
    gg_module_free(module);
    return st;
  }
  *out = module;
  return GG_OK;
}

void gg_module_free(gg_module *module) {
  if (!module) return;
  if (module->module && gg_context_enter(module->context, NULL) == GG_OK) {
    module->context->driver.cuModuleUnload(module->module);
    gg_context_leave(module->context);
  }
  gg_arena_free(&module->arena);
  gg_free(module);
}

const gg_module_facts *gg_module_facts_of(const gg_module *module) {
  return module ? &module->facts : NULL;
}

/* How many CTAs fit at once on those multiprocessors that a problem may fill. */
static int64_t resident_for(const gg_module *module, const gg_problem *problem) {
  if (problem->multiprocessors <= 0 || problem->multiprocessors >= module->context->facts.sm_count)
    return module->resident;
  int64_t cluster = gg_kernel_cluster_size(&module->kernel);
  int64_t most = problem->multiprocessors * module->facts.ctas_per_sm / cluster * cluster;
  return most < module->resident ? most : module->resident;
}

gg_status gg_workspace_bytes(int64_t *out, const gg_module *module, const gg_problem *problem,
                             gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, module);
  GG_NEED(err, problem);
  gg_distribution distribution;
  gg_problem room;
  gg_status st = gg_problem_read(&problem, &room, err);
  if (!st)
    st = gg_problem_distribute(&distribution, &module->kernel, problem,
                               resident_for(module, problem), &module->device, err);
  *out = st ? 0 : distribution.workspace_bytes;
  return st;
}

gg_status gg_workspace_alloc(uint64_t *out, gg_context *context, int64_t bytes, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  if (bytes < GG_WORKSPACE_COUNTERS) bytes = GG_WORKSPACE_COUNTERS;
  gg_status st = gg_memory_alloc(out, context, (size_t)bytes, err);
  if (st) return st;
  if (!(st = gg_context_enter(context, err))) {
    st = GG_CUDA(&context->driver, err, cuMemsetD8, *out, 0, GG_WORKSPACE_COUNTERS);
    gg_context_leave(context);
  }
  if (st) {
    gg_memory_free(context, *out);
    *out = 0;
  }
  return st;
}

gg_status gg_module_variable(uint64_t *address, size_t *bytes, const gg_module *module,
                             const char *name, gg_error *err) {
  CUdeviceptr at = 0;
  gg_status st = gg_context_enter(module->context, err);
  if (st) return st;
  st = GG_CUDA(&module->context->driver, err, cuModuleGetGlobal, &at, bytes, module->module, name);
  gg_context_leave(module->context);
  *address = at;
  return st;
}

/* ---- Launching ------------------------------------------------------------------------ */

static void deal_claims(gg_launch_facts *facts) {
  const gg_module *module = facts->module;
  int64_t ctas = gg_kernel_cluster_size(&module->kernel);
  gg_claims_deal(&facts->gpcs, module->gpcs, facts->works, facts->grid[0] / ctas, ctas);
}

gg_status gg_prepare(gg_prepared *out, const gg_module *module, const gg_problem *problem,
                     gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, module);
  GG_NEED(err, problem);
  gg_launch_facts *facts = gg_prepared_facts(out);
  gg_problem room;
  facts->grid[0] = 0;
  gg_status st = gg_problem_read(&problem, &room, err);
  if (st) return st;
  st = gg_problem_check(facts, &module->kernel, problem, resident_for(module, problem),
                        &module->device, err);
  facts->module = module;
  if (st || facts->grid[0] == 0) return st;
  if (gg_kernel_takes(&module->kernel, GG_PARAM_GPCS)) deal_claims(facts);
  if (module->kernel.map_count == 0 || (st = gg_context_enter(module->context, err))) return st;
  st = gg_tensor_maps_encode(facts->maps, &module->context->driver, &module->kernel, problem, err);
  gg_context_leave(module->context);
  return st;
}

static gg_status launch(const gg_launch_facts *facts, void **arguments, CUstream stream,
                        gg_error *err) {
  const gg_module *module = facts->module;
  const gg_kernel *kernel = &module->kernel;
  const gg_driver *driver = &module->context->driver;
  const unsigned *grid = facts->grid;
  if (gg_kernel_cluster_size(kernel) == 1 && !facts->overlap) {
    return GG_CUDA(driver, err, cuLaunchKernel, module->function, grid[0], grid[1], grid[2],
                   (unsigned)kernel->threads, 1, 1, (unsigned)kernel->smem_bytes, stream, arguments,
                   NULL);
  }
  CUlaunchAttribute attributes[launch_attributes];
  CUlaunchConfig config = launch_config(kernel, grid, facts->overlap, stream, attributes);
  return GG_CUDA(driver, err, cuLaunchKernelEx, &config, module->function, arguments, NULL);
}

/* Sets sums over no elements to 0, which is all there is to do if there is nothing to compute. */
static gg_status clear_sums(const gg_launch_facts *facts, CUstream stream, gg_error *err) {
  if (facts->empty_sum_count == 0) return GG_OK;
  gg_context *context = facts->module->context;
  gg_status st = gg_context_enter(context, err);
  if (st) return st;
  for (size_t i = 0; i < facts->empty_sum_count && !st; i++) {
    const gg_empty_sum *sum = &facts->empty_sums[i];
    st = GG_CUDA(&context->driver, err, cuMemsetD2D8Async, sum->address, sum->pitch, 0,
                 (size_t)sum->bytes, (size_t)sum->batches, stream);
  }
  gg_context_leave(context);
  return st;
}

gg_status gg_launch_prepared(const gg_prepared *prepared, struct CUstream_st *stream,
                             gg_error *err) {
  GG_NEED(err, prepared);
  const gg_launch_facts *facts = gg_prepared_facts_of(prepared);
  if (facts->grid[0] == 0) return clear_sums(facts, stream, err);
  const gg_module *module = facts->module;
  const gg_kernel *kernel = &module->kernel;
  void *arguments[GG_PARAMS_MAX];
  for (size_t i = 0, map = 0; i < kernel->param_count; i++) {
    bool mapped = gg_param_is_map(kernel->params[i]);
    arguments[i] = mapped ? (void *)facts->maps[map++] : (void *)&facts->arguments[i];
    if (kernel->params[i].kind == GG_PARAM_GPCS) arguments[i] = (void *)&facts->gpcs;
  }
  gg_status st = gg_context_enter(module->context, err);
  if (st) return st;
  st = launch(facts, arguments, stream, err);
  gg_context_leave(module->context);
  return st;
}

gg_status gg_launch(const gg_module *module, const gg_problem *problem, struct CUstream_st *stream,
                    gg_error *err) {
  GG_NEED(err, module);
  GG_NEED(err, problem);
  gg_prepared prepared;
  gg_status st = gg_prepare(&prepared, module, problem, err);
  return st ? st : gg_launch_prepared(&prepared, stream, err);
}
