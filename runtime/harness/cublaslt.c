/* cuBLASLt's matmul by dlopen. Values of its enumerations: cuBLAS documentation, "Using the
 * cuBLASLt API", CUDA 12 and 13. */
#include "cublaslt.h"

#include <string.h>

#include "base/alloc.h"

enum {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_R_8U = 8,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14,
  CUDA_R_8F_E4M3 = 28,
  CUDA_R_8F_E5M2 = 29,

  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,

  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,

  LAYOUT_BATCH_COUNT = 5,          /* int32 */
  LAYOUT_STRIDED_BATCH_OFFSET = 6, /* int64 */
  DESC_TRANSA = 3,                 /* int32 */
  DESC_TRANSB = 4,
  DESC_FAST_ACCUM = 25,               /* int8 */
  PREFERENCE_MAX_WORKSPACE_BYTES = 1, /* uint64 */

  workspace_bytes = 64 << 20,
};

typedef int status_t; /* cublasStatus_t: 0 is success */
typedef void *handle_t;

typedef struct algorithm {
  uint64_t data[8];
} algorithm;

/* cublasLtMatmulHeuristicResult_t */
typedef struct heuristic {
  algorithm algo;
  size_t workspace;
  status_t state;
  float waves;
  int reserved[4];
} heuristic;

typedef struct table {
  status_t (*create)(handle_t *);
  status_t (*destroy)(handle_t);
  size_t (*version)(void);
  const char *(*status_name)(status_t);
  status_t (*layout_create)(handle_t *, int type, uint64_t rows, uint64_t cols, int64_t ld);
  status_t (*layout_destroy)(handle_t);
  status_t (*layout_set)(handle_t, int attribute, const void *, size_t);
  status_t (*desc_create)(handle_t *, int compute, int scale);
  status_t (*desc_destroy)(handle_t);
  status_t (*desc_set)(handle_t, int attribute, const void *, size_t);
  status_t (*preference_create)(handle_t *);
  status_t (*preference_destroy)(handle_t);
  status_t (*preference_set)(handle_t, int attribute, const void *, size_t);
  status_t (*heuristics)(handle_t, handle_t desc, handle_t a, handle_t b, handle_t c, handle_t d,
                         handle_t preference, int wanted, heuristic *results, int *found);
  status_t (*matmul)(handle_t, handle_t desc, const void *alpha, const void *a, handle_t a_layout,
                     const void *b, handle_t b_layout, const void *beta, const void *c,
                     handle_t c_layout, void *d, handle_t d_layout, const algorithm *algo,
                     void *workspace, size_t workspace_size, struct CUstream_st *stream);
} table;

static const gg_symbol symbols[] = {
    {"cublasLtCreate", offsetof(table, create)},
    {"cublasLtDestroy", offsetof(table, destroy)},
    {"cublasLtGetVersion", offsetof(table, version)},
    {"cublasLtGetStatusName", offsetof(table, status_name)},
    {"cublasLtMatrixLayoutCreate", offsetof(table, layout_create)},
    {"cublasLtMatrixLayoutDestroy", offsetof(table, layout_destroy)},
    {"cublasLtMatrixLayoutSetAttribute", offsetof(table, layout_set)},
    {"cublasLtMatmulDescCreate", offsetof(table, desc_create)},
    {"cublasLtMatmulDescDestroy", offsetof(table, desc_destroy)},
    {"cublasLtMatmulDescSetAttribute", offsetof(table, desc_set)},
    {"cublasLtMatmulPreferenceCreate", offsetof(table, preference_create)},
    {"cublasLtMatmulPreferenceDestroy", offsetof(table, preference_destroy)},
    {"cublasLtMatmulPreferenceSetAttribute", offsetof(table, preference_set)},
    {"cublasLtMatmulAlgoGetHeuristic", offsetof(table, heuristics)},
    {"cublasLtMatmul", offsetof(table, matmul)},
};

static const char *const sonames[] = {"libcublasLt.so.13", "libcublasLt.so.12", NULL};

struct gg_cublaslt {
  gg_library library;
  table call;
  gg_context *context;
  handle_t handle;
  uint64_t workspace;
};

struct gg_cublaslt_plan {
  gg_cublaslt *lt;
  gg_cublaslt_form form;
  int scale; /* type of alpha and beta */
  handle_t desc, left, right, d;
  heuristic candidates[GG_CUBLASLT_CANDIDATES];
  int count;
};

/* ---- The library ---------------------------------------------------------------------- */

static gg_status check(const gg_cublaslt *lt, const char *call, status_t status, gg_error *err) {
  if (status == 0) return GG_OK;
  return gg_fail(err, CUBLASLT, NULL, call, lt->call.status_name(status));
}

static gg_status load(gg_cublaslt *lt, const char *path, gg_error *err) {
  gg_str why = GG_STR_INIT;
  gg_status st = GG_OK;
  bool found = path ? gg_library_open(&lt->library, path, &why)
                    : gg_library_open_toolkit(&lt->library, sonames, &why);
  if (!found ||
      !gg_library_bind(&lt->library, &lt->call, symbols, sizeof symbols / sizeof *symbols, &why)) {
    st = gg_fail(err, CUBLASLT, NULL, "loading cuBLASLt", gg_str_shown(&why));
  }
  gg_str_free(&why);
  return st;
}

gg_status gg_cublaslt_open(gg_cublaslt **out, gg_context *context, const char *path,
                           gg_error *err) {
  *out = NULL;
  gg_cublaslt *lt = gg_malloc(sizeof *lt);
  if (!lt) return gg_fail(err, MEMORY, NULL, "");
  *lt = (gg_cublaslt){.context = context};
  gg_status st = load(lt, path, err);
  if (!st) st = gg_memory_alloc(&lt->workspace, context, workspace_bytes, err);
  if (!st && !(st = gg_context_enter(context, err))) {
    st = check(lt, "cublasLtCreate", lt->call.create(&lt->handle), err);
    gg_context_leave(context);
  }
  if (st) {
    gg_cublaslt_close(lt);
    return st;
  }
  *out = lt;
  return GG_OK;
}

void gg_cublaslt_close(gg_cublaslt *lt) {
  if (!lt) return;
  if (lt->handle && gg_context_enter(lt->context, NULL) == GG_OK) {
    lt->call.destroy(lt->handle);
    gg_context_leave(lt->context);
  }
  gg_memory_free(lt->context, lt->workspace);
  gg_library_close(&lt->library);
  gg_free(lt);
}

const char *gg_cublaslt_path(const gg_cublaslt *lt) {
  return lt->library.path;
}

int gg_cublaslt_version(const gg_cublaslt *lt) {
  return (int)lt->call.version();
}

/* ---- Plans ---------------------------------------------------------------------------- */

/* -1 where the library has no such type. */
static int type_of(gg_dtype type) {
  switch (type) {
  case GG_DTYPE_f16:
    return CUDA_R_16F;
  case GG_DTYPE_bf16:
    return CUDA_R_16BF;
  case GG_DTYPE_tf32:
  case GG_DTYPE_f32:
    return CUDA_R_32F;
  case GG_DTYPE_f64:
    return CUDA_R_64F;
  case GG_DTYPE_e4m3:
    return CUDA_R_8F_E4M3;
  case GG_DTYPE_e5m2:
    return CUDA_R_8F_E5M2;
  case GG_DTYPE_s8:
    return CUDA_R_8I;
  case GG_DTYPE_u8:
    return CUDA_R_8U;
  case GG_DTYPE_s32:
    return CUDA_R_32I;
  default:
    return -1;
  }
}

static int compute_of(const gg_kernel *kernel) {
  switch (kernel->accumulator) {
  case GG_DTYPE_f16:
    return CUBLAS_COMPUTE_16F;
  case GG_DTYPE_f64:
    return CUBLAS_COMPUTE_64F;
  case GG_DTYPE_s32:
    return CUBLAS_COMPUTE_32I;
  default:
    return kernel->a.type == GG_DTYPE_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  }
}

gg_cublaslt_form gg_cublaslt_form_of(const gg_kernel *kernel) {
  bool swap = kernel->d.major == GG_MAJOR_N;
  const gg_operand *left = swap ? &kernel->b : &kernel->a;
  const gg_operand *right = swap ? &kernel->a : &kernel->b;
  return (gg_cublaslt_form){
      .left = swap ? 'b' : 'a',
      .right = swap ? 'a' : 'b',
      .transpose_left = left->major == GG_MAJOR_K,
      .transpose_right = right->major != GG_MAJOR_K,
  };
}

/* A view is a column-major matrix of `length` rows and `rows` columns. */
static status_t make_layout(handle_t *out, const gg_cublaslt *lt, const gg_view *view) {
  status_t status = lt->call.layout_create(out, type_of(view->operand->type),
                                           (uint64_t)view->length, (uint64_t)view->rows, view->ld);
  int32_t batch = (int32_t)view->batch;
  if (!status) status = lt->call.layout_set(*out, LAYOUT_BATCH_COUNT, &batch, sizeof batch);
  if (!status) {
    status = lt->call.layout_set(*out, LAYOUT_STRIDED_BATCH_OFFSET, &view->batch_stride,
                                 sizeof view->batch_stride);
  }
  return status;
}

static gg_status describe(gg_cublaslt_plan *plan, const gg_kernel *kernel,
                          const gg_problem *problem, gg_error *err) {
  const gg_cublaslt *lt = plan->lt;
  gg_view left = gg_problem_view(kernel, problem, plan->form.left);
  gg_view right = gg_problem_view(kernel, problem, plan->form.right);
  gg_view d = gg_problem_view(kernel, problem, 'd');
  status_t status = make_layout(&plan->left, lt, &left);
  if (!status) status = make_layout(&plan->right, lt, &right);
  if (!status) status = make_layout(&plan->d, lt, &d);
  if (!status) status = lt->call.desc_create(&plan->desc, compute_of(kernel), plan->scale);
  int32_t a = plan->form.transpose_left ? CUBLAS_OP_T : CUBLAS_OP_N;
  int32_t b = plan->form.transpose_right ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (!status) status = lt->call.desc_set(plan->desc, DESC_TRANSA, &a, sizeof a);
  if (!status) status = lt->call.desc_set(plan->desc, DESC_TRANSB, &b, sizeof b);
  int8_t fast = kernel->accumulator_bits && !kernel->accumulator_span; /* short sums, as its */
  if (!status && fast) status = lt->call.desc_set(plan->desc, DESC_FAST_ACCUM, &fast, sizeof fast);
  return check(lt, "describing the problem to cuBLASLt", status, err);
}

static gg_status find_candidates(gg_cublaslt_plan *plan, gg_error *err) {
  const gg_cublaslt *lt = plan->lt;
  handle_t preference = NULL;
  uint64_t most = workspace_bytes;
  status_t status = lt->call.preference_create(&preference);
  if (!status) {
    status =
        lt->call.preference_set(preference, PREFERENCE_MAX_WORKSPACE_BYTES, &most, sizeof most);
  }
  if (!status) {
    status =
        lt->call.heuristics(lt->handle, plan->desc, plan->left, plan->right, plan->d, plan->d,
                            preference, GG_CUBLASLT_CANDIDATES, plan->candidates, &plan->count);
  }
  if (preference) lt->call.preference_destroy(preference);
  gg_status st = check(lt, "cublasLtMatmulAlgoGetHeuristic", status, err);
  if (!st && plan->count == 0) {
    st = gg_fail(err, CUBLASLT, NULL, "cublasLtMatmulAlgoGetHeuristic", "no algorithm");
  }
  return st;
}

gg_status gg_cublaslt_plan_open(gg_cublaslt_plan **out, gg_cublaslt *lt, const gg_kernel *kernel,
                                const gg_problem *problem, gg_error *err) {
  *out = NULL;
  gg_cublaslt_plan *plan = gg_malloc(sizeof *plan);
  if (!plan) return gg_fail(err, MEMORY, NULL, "");
  *plan = (gg_cublaslt_plan){
      .lt = lt, .form = gg_cublaslt_form_of(kernel), .scale = type_of(kernel->accumulator)};
  gg_status st = gg_context_enter(lt->context, err);
  if (!st) {
    st = describe(plan, kernel, problem, err);
    if (!st) st = find_candidates(plan, err);
    gg_context_leave(lt->context);
  }
  if (st) {
    gg_cublaslt_plan_close(plan);
    return st;
  }
  *out = plan;
  return GG_OK;
}

void gg_cublaslt_plan_close(gg_cublaslt_plan *plan) {
  if (!plan) return;
  const table *call = &plan->lt->call;
  if (plan->desc) call->desc_destroy(plan->desc);
  if (plan->left) call->layout_destroy(plan->left);
  if (plan->right) call->layout_destroy(plan->right);
  if (plan->d) call->layout_destroy(plan->d);
  gg_free(plan);
}

int gg_cublaslt_plan_count(const gg_cublaslt_plan *plan) {
  return plan->count;
}

/* 1 and 0 in the type of the scale, in its low bytes. */
static void scalars(uint64_t *one, uint64_t *zero, int scale) {
  float f = 1;
  double d = 1;
  *one = *zero = 0;
  if (scale == CUDA_R_16F)
    *one = 0x3c00;
  else if (scale == CUDA_R_64F)
    memcpy(one, &d, sizeof d);
  else if (scale == CUDA_R_32I)
    *one = 1;
  else
    memcpy(one, &f, sizeof f);
}

gg_status gg_cublaslt_launch(const gg_cublaslt_plan *plan, int index, const gg_problem *problem,
                             struct CUstream_st *stream, gg_error *err) {
  const gg_cublaslt *lt = plan->lt;
  uint64_t one, zero;
  scalars(&one, &zero, plan->scale);
  const void *left = (const void *)(uintptr_t)(plan->form.left == 'a' ? problem->a : problem->b);
  const void *right = (const void *)(uintptr_t)(plan->form.right == 'a' ? problem->a : problem->b);
  void *d = (void *)(uintptr_t)problem->d;
  gg_status st = gg_context_enter(lt->context, err);
  if (st) return st;
  status_t status =
      lt->call.matmul(lt->handle, plan->desc, &one, left, plan->left, right, plan->right, &zero, d,
                      plan->d, d, plan->d, &plan->candidates[index].algo,
                      (void *)(uintptr_t)lt->workspace, workspace_bytes, stream);
  gg_context_leave(lt->context);
  return check(lt, "cublasLtMatmul", status, err);
}
