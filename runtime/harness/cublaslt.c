/* cuBLASLt's matmul by dlopen. Values of its enumerations: cuBLAS documentation, "Using the
 * cuBLASLt API", CUDA 12 and 13. */
#include "cublaslt.h"

#include <math.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "number.h"
#include "plan/operation.h"
#include "problem.h"

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
  CUDA_R_4F_E2M1 = 33,

  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,

  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,

  LAYOUT_BATCH_COUNT = 5,          /* int32 */
  LAYOUT_STRIDED_BATCH_OFFSET = 6, /* int64 */
  LAYOUT_BATCH_MODE = 8,           /* uint32 */
  BATCH_MODE_POINTER_ARRAY = 1,    /* what is given are addresses of arrays of addresses */
  DESC_TRANSA = 3,                 /* int32 */
  DESC_TRANSB = 4,
  DESC_EPILOGUE = 7,                  /* uint32 */
  DESC_BIAS_POINTER = 8,              /* of a vector along the rows of the column-major D */
  DESC_BIAS_STRIDE = 10,              /* int64, from batch to batch */
  DESC_AUX_POINTER = 11,              /* of a matrix like D */
  DESC_AUX_LD = 12,                   /* int64 */
  DESC_AUX_STRIDE = 13,               /* int64 */
  DESC_SCALE_POINTERS = 17,           /* of A; then those of B, C and D */
  DESC_AUX_TYPE = 22,                 /* int32 */
  DESC_FAST_ACCUM = 25,               /* int8 */
  DESC_BIAS_TYPE = 26,                /* int32 */
  DESC_SCALE_MODES = 31,              /* int32, of A; then that of B */
  SCALE_MODE_VEC16_UE4M3 = 1,         /* a factor for each 16 elements along K, */
  SCALE_MODE_VEC32_UE8M0 = 2,         /* or 32; they lie as gg_scales_pack lays them */
  SCALE_MODE_OUTER_VECTOR = 3,        /* a number a row of A, and a column of B */
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

enum { none = -1, aux_multiple = 8 };

/* Which operations of the kernel's epilogue have an operand that the library reads or writes. */
typedef struct operands {
  int bias, aux, residual, scale_a, scale_b, scale_d; /* indices, or `none` */
  bool c;                                             /* C, with the problem's beta */
} operands;

struct gg_cublaslt_plan {
  gg_cublaslt *lt;
  gg_cublaslt_form form;
  operands operands;
  gg_dtype scale;       /* type of alpha and beta */
  uint64_t alpha, beta; /* in its low bytes */
  bool c_is_apart;      /* of another type than D, and nothing is read of it */
  int scale_mode;       /* of factors of blocks; 0: there are none */
  handle_t desc, left, right, c, d;
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
  case GG_DTYPE_e2m1:
    return CUDA_R_4F_E2M1;
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

/* Sums of integers that become another type are multiplied by a float. */
static gg_dtype scale_of(const gg_kernel *kernel) {
  bool whole = kernel->accumulator == GG_DTYPE_s32 && kernel->d.type == GG_DTYPE_s32;
  bool integers = kernel->accumulator == GG_DTYPE_s32;
  return integers && !whole ? GG_DTYPE_f32 : kernel->accumulator;
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
static status_t make_layout(handle_t *out, const gg_cublaslt *lt, const gg_view *view,
                            gg_dtype type) {
  status_t status = lt->call.layout_create(out, type_of(type), (uint64_t)view->length,
                                           (uint64_t)view->rows, view->ld);
  int32_t batch = (int32_t)view->batch;
  uint32_t mode = BATCH_MODE_POINTER_ARRAY;
  if (!status) status = lt->call.layout_set(*out, LAYOUT_BATCH_COUNT, &batch, sizeof batch);
  if (status) return status;
  if (view->pointers) return lt->call.layout_set(*out, LAYOUT_BATCH_MODE, &mode, sizeof mode);
  return lt->call.layout_set(*out, LAYOUT_STRIDED_BATCH_OFFSET, &view->batch_stride,
                             sizeof view->batch_stride);
}

static int first_of(const gg_kernel *kernel, gg_op_kind kind) {
  for (size_t i = 0; i < kernel->operation_count; i++) {
    if (kernel->operations[i].kind == kind) return (int)i;
  }
  return none;
}

/* Of what is stored where a bias would be read. */
static gg_dtype sum_type(const gg_kernel *kernel) {
  return gg_dtype_is_fp8(kernel->d.type) ? GG_DTYPE_bf16 : kernel->d.type;
}

gg_kernel gg_cublaslt_results(const gg_kernel *kernel) {
  gg_kernel out = *kernel;
  for (size_t i = 0; i < out.operation_count; i++)
    if (out.operations[i].kind == GG_OP_SUM) out.operations[i].operand.type = sum_type(kernel);
  return out;
}

static operands operands_of(const gg_kernel *kernel, const gg_problem *problem,
                            gg_cublaslt_epilogue epilogue) {
  operands out = {none, none, none, none, none, none, false};
  if (epilogue == GG_CUBLASLT_PRODUCT) return out;
  bool sums = epilogue == GG_CUBLASLT_DGELU_BGRAD, back = sums || epilogue == GG_CUBLASLT_DGELU;
  out.bias = first_of(kernel, sums ? GG_OP_SUM : GG_OP_BIAS);
  out.aux = first_of(kernel, back ? GG_OP_DGELU : GG_OP_AUX);
  out.residual = first_of(kernel, GG_OP_RESIDUAL);
  int linear = first_of(kernel, GG_OP_LINEAR);
  out.c = linear != none && kernel->operations[linear].beta && problem->beta != 0;
  int *const numbers[] = {&out.scale_a, &out.scale_b, &out.scale_d};
  int count = 0;
  for (size_t i = 0; i < kernel->operation_count; i++) {
    const gg_operation *op = &kernel->operations[i];
    if (op->kind != GG_OP_SCALE) continue;
    if (op->along == GG_ALONG_M) out.scale_a = (int)i;
    if (op->along == GG_ALONG_N) out.scale_b = (int)i;
    if (op->along == GG_ALONG_ALL && count < 3) *numbers[count++] = (int)i;
  }
  return out;
}

static bool has_vector_scales(const gg_kernel *kernel, const operands *o) {
  return o->scale_a != none && kernel->operations[o->scale_a].along != GG_ALONG_ALL;
}

static status_t set_int32(const gg_cublaslt_plan *plan, int attribute, int32_t value) {
  return plan->lt->call.desc_set(plan->desc, attribute, &value, sizeof value);
}

static status_t set_int64(const gg_cublaslt_plan *plan, int attribute, int64_t value) {
  return plan->lt->call.desc_set(plan->desc, attribute, &value, sizeof value);
}

static status_t set_address(const gg_cublaslt_plan *plan, int attribute, uint64_t address) {
  const void *pointer = (const void *)(uintptr_t)address;
  return plan->lt->call.desc_set(plan->desc, attribute, &pointer, sizeof pointer);
}

/* The library reads it when it proposes algorithms, for its alignment, and at a launch. */
static status_t set_pointer(const gg_cublaslt_plan *plan, int attribute, const gg_problem *problem,
                            int operation) {
  if (operation == none) return 0;
  return set_address(plan, attribute, problem->extras[operation].address);
}

static status_t set_pointers(const gg_cublaslt_plan *plan, const gg_problem *problem) {
  const operands *o = &plan->operands;
  bool swapped = plan->form.left == 'b';
  int left = swapped ? o->scale_b : o->scale_a, right = swapped ? o->scale_a : o->scale_b;
  status_t status = 0;
  if (plan->scale_mode) {
    status = set_address(plan, DESC_SCALE_POINTERS, swapped ? problem->scale_b : problem->scale_a);
    if (!status)
      status =
          set_address(plan, DESC_SCALE_POINTERS + 1, swapped ? problem->scale_a : problem->scale_b);
  }
  if (!status) status = set_pointer(plan, DESC_BIAS_POINTER, problem, o->bias);
  if (!status) status = set_pointer(plan, DESC_AUX_POINTER, problem, o->aux);
  if (!status) status = set_pointer(plan, DESC_SCALE_POINTERS, problem, left);
  if (!status) status = set_pointer(plan, DESC_SCALE_POINTERS + 1, problem, right);
  if (!status) status = set_pointer(plan, DESC_SCALE_POINTERS + 3, problem, o->scale_d);
  return status;
}

static status_t describe_epilogue(const gg_cublaslt_plan *plan, const gg_kernel *kernel,
                                  const gg_problem *problem, gg_cublaslt_epilogue epilogue) {
  const operands *o = &plan->operands;
  status_t status = set_int32(plan, DESC_EPILOGUE, (int32_t)epilogue);
  if (!status && o->bias != none) {
    const gg_operation *bias = &kernel->operations[o->bias];
    gg_dtype type = bias->kind == GG_OP_SUM ? sum_type(kernel) : bias->operand.type;
    status = set_int32(plan, DESC_BIAS_TYPE, type_of(type));
    if (!status && problem->batch > 1) {
      status = set_int64(plan, DESC_BIAS_STRIDE, problem->extras[o->bias].batch_stride);
    }
  }
  if (!status && o->aux != none) {
    const gg_operand *aux = &kernel->operations[o->aux].operand;
    if (aux->type != kernel->d.type || gg_dtype_is_fp8(aux->type))
      status = set_int32(plan, DESC_AUX_TYPE, type_of(aux->type));
    if (!status) status = set_int64(plan, DESC_AUX_LD, problem->extras[o->aux].ld);
    if (!status && problem->batch > 1) {
      status = set_int64(plan, DESC_AUX_STRIDE, problem->extras[o->aux].batch_stride);
    }
  }
  for (int i = 0; i < 2 && !status && has_vector_scales(kernel, o); i++)
    status = set_int32(plan, DESC_SCALE_MODES + i, SCALE_MODE_OUTER_VECTOR);
  return status ? status : set_pointers(plan, problem);
}

/* Factors of blocks, of A and of B alike. */
static status_t describe_factors(const gg_cublaslt_plan *plan, const gg_problem *problem) {
  status_t status = 0;
  if (!plan->scale_mode) return 0;
  for (int i = 0; i < 2 && !status; i++)
    status = set_int32(plan, DESC_SCALE_MODES + i, plan->scale_mode);
  return status ? status : set_pointers(plan, problem);
}

/* C, a residual in its place, or what only has the shape of one; with an 8-bit D that is bf16. */
static status_t make_c_layout(gg_cublaslt_plan *plan, const gg_kernel *kernel,
                              const gg_problem *problem) {
  const operands *o = &plan->operands;
  gg_view view = gg_problem_view(kernel, problem, o->c ? 'c' : 'd');
  if (o->residual != none) view = gg_problem_extra_view(kernel, problem, (size_t)o->residual);
  gg_dtype type = view.operand->type;
  plan->c_is_apart = !o->c && o->residual == none && gg_dtype_is_fp8(type);
  return make_layout(&plan->c, plan->lt, &view, plan->c_is_apart ? GG_DTYPE_bf16 : type);
}

static gg_status describe(gg_cublaslt_plan *plan, const gg_kernel *kernel,
                          const gg_problem *problem, gg_cublaslt_epilogue epilogue, gg_error *err) {
  const gg_cublaslt *lt = plan->lt;
  gg_view left = gg_problem_view(kernel, problem, plan->form.left);
  gg_view right = gg_problem_view(kernel, problem, plan->form.right);
  gg_view d = gg_problem_view(kernel, problem, 'd');
  status_t status = make_layout(&plan->left, lt, &left, left.operand->type);
  if (!status) status = make_layout(&plan->right, lt, &right, right.operand->type);
  if (!status) status = make_c_layout(plan, kernel, problem);
  if (!status) status = make_layout(&plan->d, lt, &d, d.operand->type);
  if (!status) {
    status = lt->call.desc_create(&plan->desc, compute_of(kernel), type_of(plan->scale));
  }
  int32_t a = plan->form.transpose_left ? CUBLAS_OP_T : CUBLAS_OP_N;
  int32_t b = plan->form.transpose_right ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (!status) status = set_int32(plan, DESC_TRANSA, a);
  if (!status) status = set_int32(plan, DESC_TRANSB, b);
  int8_t fast = kernel->accumulator_bits && !kernel->accumulator_span; /* short sums, as its */
  if (!status && fast) status = lt->call.desc_set(plan->desc, DESC_FAST_ACCUM, &fast, sizeof fast);
  if (!status) status = describe_factors(plan, problem);
  if (!status && epilogue != GG_CUBLASLT_PRODUCT) {
    status = describe_epilogue(plan, kernel, problem, epilogue);
  }
  return check(lt, "describing the problem to cuBLASLt", status, err);
}

/* Not every version has batches by arrays of addresses. */
static gg_status check_pointers(const gg_cublaslt *lt, gg_error *err) {
  handle_t layout = NULL;
  uint32_t mode = BATCH_MODE_POINTER_ARRAY;
  status_t status = lt->call.layout_create(&layout, CUDA_R_32F, 1, 1, 1);
  if (!status) status = lt->call.layout_set(layout, LAYOUT_BATCH_MODE, &mode, sizeof mode);
  if (layout) lt->call.layout_destroy(layout);
  return status ? gg_fail(err, CUBLASLT, NULL, "a batch by arrays of addresses",
                          "this version has none")
                : GG_OK;
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
        lt->call.heuristics(lt->handle, plan->desc, plan->left, plan->right, plan->c, plan->d,
                            preference, GG_CUBLASLT_CANDIDATES, plan->candidates, &plan->count);
  }
  if (preference) lt->call.preference_destroy(preference);
  gg_status st = check(lt, "cublasLtMatmulAlgoGetHeuristic", status, err);
  if (!st && plan->count == 0) {
    st = gg_fail(err, CUBLASLT, NULL, "cublasLtMatmulAlgoGetHeuristic", "no algorithm");
  }
  return st;
}

/* The mode of the kernel's factors: of mxfp8 and nvfp4 alone; 0: it has none of those. */
static int scale_mode_of(const gg_kernel *kernel) {
  const gg_scaling *scale = &kernel->scale_a;
  bool alike = scale->type == kernel->scale_b.type && scale->block == kernel->scale_b.block;
  bool mx = alike && scale->type == GG_DTYPE_ue8m0 && scale->block == 32;
  bool nv = alike && scale->type == GG_DTYPE_ue4m3 && scale->block == 16;
  if (mx && gg_dtype_is_fp8(kernel->a.type) && gg_dtype_is_fp8(kernel->b.type))
    return SCALE_MODE_VEC32_UE8M0;
  if (nv && kernel->a.type == GG_DTYPE_e2m1 && kernel->b.type == GG_DTYPE_e2m1)
    return SCALE_MODE_VEC16_UE4M3;
  return 0;
}

/* What of the factors the library cannot take, or NULL. How factors of batches follow each other
 * its documentation does not say. */
static const char *factors_obstacle(const gg_cublaslt_plan *plan, const gg_problem *problem) {
  enum { least_arch = 100 };
  const operands *o = &plan->operands;
  if (plan->lt->context->facts.arch < least_arch)
    return "it has products with factors of blocks on sm_100 and newer alone";
  if (!plan->scale_mode)
    return "of products with factors of blocks it has mxfp8 and nvfp4 alone: 8-bit floats with "
           "ue8m0 for each 32, e2m1 with ue4m3 for each 16";
  if (problem->batch > 1) return "it has factors of blocks without batches";
  if (o->scale_a != none) return "the scales of its A and B are the factors of blocks";
  return NULL;
}

/* alpha and beta in the type of the scale, and what of the epilogue the library cannot take. */
static gg_status choose_scalars(gg_cublaslt_plan *plan, const gg_kernel *kernel,
                                const gg_problem *problem, gg_error *err) {
  const operands *o = &plan->operands;
  double beta = o->c ? gg_problem_beta(problem) : o->residual != none ? 1 : 0;
  const char *obstacle = NULL;
  if (gg_number_is_integer(plan->scale) && beta != rint(beta)) {
    obstacle = "its beta is an integer where D is s32";
  }
  if (kernel->scale_a.block) obstacle = factors_obstacle(plan, problem);
  if (kernel->scale_d.block) obstacle = "it is not asked for factors of D here";
  if (gg_kernel_n_unit(kernel) > 1) obstacle = "it has no epilogue that gates columns";
  if (kernel->sparse_a || kernel->sparse_b)
    obstacle = "it has no sparse operands: they are cuSPARSELt's";
  if (o->residual != none && kernel->pointers)
    obstacle = "its C is an array of addresses where A is, and a residual is none";
  if (o->scale_a != none && problem->batch > 1) obstacle = "its scales are those of all batches";
  if (o->aux != none && problem->extras[o->aux].ld % aux_multiple != 0) {
    obstacle = "lines of its aux are multiples of 8 elements"; /* it takes others, and is wrong */
  }
  gg_number_set(plan->scale, &plan->alpha, 0, 1);
  gg_number_set(plan->scale, &plan->beta, 0, beta);
  return obstacle ? gg_fail(err, CUBLASLT, NULL, "describing the problem to cuBLASLt", obstacle)
                  : GG_OK;
}

gg_status gg_cublaslt_plan_open(gg_cublaslt_plan **out, gg_cublaslt *lt, const gg_kernel *kernel,
                                const gg_problem *problem, gg_cublaslt_epilogue epilogue,
                                gg_error *err) {
  *out = NULL;
  gg_status st = kernel->pointers ? check_pointers(lt, err) : GG_OK;
  if (st) return st;
  gg_cublaslt_plan *plan = gg_malloc(sizeof *plan);
  if (!plan) return gg_fail(err, MEMORY, NULL, "");
  *plan = (gg_cublaslt_plan){.lt = lt,
                             .form = gg_cublaslt_form_of(kernel),
                             .operands = operands_of(kernel, problem, epilogue),
                             .scale_mode = scale_mode_of(kernel),
                             .scale = scale_of(kernel)};
  st = choose_scalars(plan, kernel, problem, err);
  if (!st && !(st = gg_context_enter(lt->context, err))) {
    st = describe(plan, kernel, problem, epilogue, err);
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
  if (plan->c) call->layout_destroy(plan->c);
  if (plan->d) call->layout_destroy(plan->d);
  gg_free(plan);
}

int gg_cublaslt_plan_count(const gg_cublaslt_plan *plan) {
  return plan->count;
}

static void *pointer_of(uint64_t address) {
  return (void *)(uintptr_t)address;
}

/* A D that is a C of another type is refused, even with beta 0: then there is no C. */
static uint64_t c_address(const gg_cublaslt_plan *plan, const gg_problem *problem) {
  const operands *o = &plan->operands;
  if (o->residual != none) return problem->extras[o->residual].address;
  return o->c ? problem->c : plan->c_is_apart ? 0 : problem->d;
}

gg_status gg_cublaslt_launch(const gg_cublaslt_plan *plan, int index, const gg_problem *problem,
                             struct CUstream_st *stream, gg_error *err) {
  const gg_cublaslt *lt = plan->lt;
  const void *left = pointer_of(plan->form.left == 'a' ? problem->a : problem->b);
  const void *right = pointer_of(plan->form.right == 'a' ? problem->a : problem->b);
  const void *c = pointer_of(c_address(plan, problem));
  gg_status st = gg_context_enter(lt->context, err);
  if (st) return st;
  status_t status = set_pointers(plan, problem);
  if (!status) {
    status = lt->call.matmul(lt->handle, plan->desc, &plan->alpha, left, plan->left, right,
                             plan->right, &plan->beta, c, plan->c, pointer_of(problem->d), plan->d,
                             &plan->candidates[index].algo, pointer_of(lt->workspace),
                             workspace_bytes, stream);
  }
  gg_context_leave(lt->context);
  return check(lt, "cublasLtMatmul", status, err);
}
