/* cuBLASLt played by the host, from NVIDIA's documentation of it: matrices are column-major,
 * D = function(alpha * scaleA * scaleB * op(A) * op(B) + beta * C + bias) * scaleD, the bias runs
 * along the rows of D. `gemmgen bench --cublaslt` loads it beside the played GPU, whose memory is
 * the host's. PLAYED_CUBLASLT_REFUSES, where it is set, makes launches with a function fail, though
 * algorithms for them were proposed. PLAYED_CUBLASLT_STRIDED makes it one that has no batches by
 * arrays of addresses. It knows nothing of gemmgen but how numbers are stored, and
 * takes no attribute of a size that is not the documented one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

enum { SUCCESS = 0, INVALID = 7, NOT_SUPPORTED = 15 };

typedef struct layout {
  int type;
  uint64_t rows, cols;
  int64_t ld, batch_stride;
  int32_t batch;
  uint32_t mode; /* 1: what is given is the address of an array, of one address a batch */
} layout;

typedef struct descriptor {
  int compute, scale;
  int32_t transa, transb, epilogue, bias_type, aux_type, a_mode, b_mode;
  void *bias, *aux;
  int64_t bias_stride, aux_ld, aux_stride;
  const void *a_scale, *b_scale, *d_scale;
  int8_t fast;
} descriptor;

/* Found by name alone: no header of ours declares them. */
#define PUBLIC __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- Numbers -------------------------------------------------------------------------- */

static gg_dtype dtype_of(int type) {
  switch (type) {
  case 0:
    return GG_DTYPE_f32;
  case 2:
    return GG_DTYPE_f16;
  case 3:
    return GG_DTYPE_s8;
  case 10:
    return GG_DTYPE_s32;
  case 14:
    return GG_DTYPE_bf16;
  case 28:
    return GG_DTYPE_e4m3;
  case 29:
    return GG_DTYPE_e5m2;
  case 33:
    return GG_DTYPE_e2m1;
  default:
    return GG_DTYPE_COUNT;
  }
}

static double get(int type, const void *memory, int64_t index) {
  return gg_number_get(dtype_of(type), memory, index);
}

/* tanh with the error of tanh.approx.f32, which is how the library comes by it. */
static double gelu(double x) {
  double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)) * (1 - 0x1p-11);
  return 0.5 * x * (1 + t);
}

/* ---- Handles -------------------------------------------------------------------------- */

PUBLIC int cublasLtCreate(void **out) {
  *out = malloc(1);
  return SUCCESS;
}

PUBLIC int cublasLtDestroy(void *handle) {
  free(handle);
  return SUCCESS;
}

PUBLIC size_t cublasLtGetVersion(void) {
  return 1;
}

PUBLIC const char *cublasLtGetStatusName(int status) {
  return status == INVALID ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_NOT_SUPPORTED";
}

PUBLIC int cublasLtMatrixLayoutCreate(void **out, int type, uint64_t rows, uint64_t cols,
                                      int64_t ld) {
  layout *made = calloc(1, sizeof *made);
  *made = (layout){.type = type, .rows = rows, .cols = cols, .ld = ld, .batch = 1};
  *out = made;
  return SUCCESS;
}

PUBLIC int cublasLtMatrixLayoutDestroy(void *matrix) {
  free(matrix);
  return SUCCESS;
}

static int set(void *member, size_t member_size, const void *value, size_t size) {
  if (member_size != size) return INVALID;
  memcpy(member, value, size);
  return SUCCESS;
}

#define SET(member) set(&(member), sizeof(member), value, size)

PUBLIC int cublasLtMatrixLayoutSetAttribute(void *matrix, int attribute, const void *value,
                                            size_t size) {
  layout *l = matrix;
  bool has_mode = !getenv("PLAYED_CUBLASLT_STRIDED");
  return attribute == 5               ? SET(l->batch)
         : attribute == 6             ? SET(l->batch_stride)
         : attribute == 8 && has_mode ? SET(l->mode)
                                      : INVALID;
}

PUBLIC int cublasLtMatmulDescCreate(void **out, int compute, int scale) {
  descriptor *made = calloc(1, sizeof *made);
  *made = (descriptor){
      .compute = compute, .scale = scale, .epilogue = 1, .bias_type = -1, .aux_type = -1};
  *out = made;
  return SUCCESS;
}

PUBLIC int cublasLtMatmulDescDestroy(void *desc) {
  free(desc);
  return SUCCESS;
}

PUBLIC int cublasLtMatmulDescSetAttribute(void *desc, int attribute, const void *value,
                                          size_t size) {
  descriptor *d = desc;
  switch (attribute) {
  case 3:
    return SET(d->transa);
  case 4:
    return SET(d->transb);
  case 7:
    return SET(d->epilogue);
  case 8:
    return SET(d->bias);
  case 10:
    return SET(d->bias_stride);
  case 11:
    return SET(d->aux);
  case 12:
    return SET(d->aux_ld);
  case 13:
    return SET(d->aux_stride);
  case 17:
    return SET(d->a_scale);
  case 18:
    return SET(d->b_scale);
  case 20:
    return SET(d->d_scale);
  case 22:
    return SET(d->aux_type);
  case 25:
    return SET(d->fast);
  case 26:
    return SET(d->bias_type);
  case 31:
    return SET(d->a_mode);
  case 32:
    return SET(d->b_mode);
  default:
    return INVALID;
  }
}

PUBLIC int cublasLtMatmulPreferenceCreate(void **out) {
  *out = malloc(1);
  return SUCCESS;
}

PUBLIC int cublasLtMatmulPreferenceDestroy(void *preference) {
  free(preference);
  return SUCCESS;
}

PUBLIC int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute, const void *value,
                                                size_t size) {
  (void)preference, (void)attribute, (void)value, (void)size;
  return SUCCESS;
}

/* ---- The product ---------------------------------------------------------------------- */

enum { F_RELU = 2, F_BIAS = 4, F_SUM = 16, F_GELU = 32, F_BACK = 64, F_AUX = 128 };

/* cublasLtMatmulHeuristicResult_t */
typedef struct heuristic {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} heuristic;

static bool is_fp8(int type) {
  return type == 28 || type == 29;
}

enum { VEC16_UE4M3 = 1, VEC32_UE8M0 = 2, OUTER_VECTOR = 3 };

/* Elements that share a factor; 0: factors are of other kinds. */
static int64_t block_of(int32_t mode) {
  return mode == VEC16_UE4M3 ? 16 : mode == VEC32_UE8M0 ? 32 : 0;
}

/* "1D Block Scaling for FP8 and FP4 Data Types": both matrices, of e2m1 or of 8-bit floats. */
static bool is_blocked_right(const descriptor *o, const layout *a, const layout *b) {
  if (o->a_mode != o->b_mode || !o->a_scale || !o->b_scale || a->batch > 1) return false;
  bool four = a->type == 33 && b->type == 33, eight = is_fp8(a->type) && is_fp8(b->type);
  return o->a_mode == VEC16_UE4M3 ? four : eight;
}

static bool is_supported(const descriptor *o, const layout *a, const layout *b, const layout *c,
                         const layout *d) {
  if (c->rows != d->rows || c->cols != d->cols || a->batch != d->batch) return false;
  if (a->mode != b->mode || a->mode != c->mode || a->mode != d->mode) return false;
  bool narrow = is_fp8(a->type) || a->type == 33;
  if (narrow && (!o->transa || o->transb)) return false;
  if (block_of(o->a_mode) ? !is_blocked_right(o, a, b) : a->type == 33) return false;
  if (is_fp8(d->type) ? is_fp8(c->type) : c->type != d->type) return false;
  if ((o->a_scale || o->b_scale) && !narrow) return false;
  if (o->compute == 72 && (o->epilogue != 1 || o->scale != (d->type == 10 ? 10 : 0))) return false;
  if ((o->epilogue & (F_BIAS | F_SUM)) && !o->bias) return false;
  int bias_type = is_fp8(d->type) ? 14 : d->type; /* that of D, or bf16 */
  if ((o->epilogue & F_SUM) && o->bias_type >= 0 && o->bias_type != bias_type) return false;
  return !(o->epilogue & F_AUX) || (o->aux && o->aux_ld % 8 == 0 && o->aux_ld >= (int64_t)d->rows);
}

PUBLIC int cublasLtMatmulAlgoGetHeuristic(void *handle, void *desc, void *a, void *b, void *c,
                                          void *d, void *preference, int wanted, heuristic *out,
                                          int *found) {
  (void)handle, (void)preference;
  *found = 0;
  if (!is_supported(desc, a, b, c, d)) return NOT_SUPPORTED;
  *found = wanted < 2 ? wanted : 2;
  memset(out, 0, (size_t)*found * sizeof *out);
  return SUCCESS;
}

/* A matrix in memory: where, and how it lies. */
typedef struct matrix {
  const layout *as;
  const void *at;
} matrix;

/* A batch's matrix by itself. */
static matrix matrix_of(const layout *as, const void *at, int64_t batch) {
  const void *const *list = at;
  return (matrix){as, as->mode ? list[batch] : at};
}

static int64_t place(const layout *as, int64_t batch, int64_t row, int64_t col) {
  return (as->mode ? 0 : batch * as->batch_stride) + col * as->ld + row;
}

static double element(matrix m, int64_t batch, int64_t row, int64_t col) {
  return get(m.as->type, m.at, place(m.as, batch, row, col));
}

/* "1D Block Scaling Factors Layout": tiles of 128 by 4 factors, row by row of them. */
static double factor_of(const void *factors, int32_t mode, int64_t outer, int64_t k, int64_t all) {
  int64_t block = block_of(mode), inner = k / block, tiles = (all + 4 * block - 1) / (4 * block);
  int64_t tile = outer / 128 * tiles + inner / 4;
  int64_t at = tile * 512 + outer % 32 * 16 + outer % 128 / 32 * 4 + inner % 4;
  return gg_number_get(mode == VEC16_UE4M3 ? GG_DTYPE_ue4m3 : GG_DTYPE_ue8m0, factors, at);
}

static double sum_of(const descriptor *o, matrix a, matrix b, int64_t batch, int64_t row,
                     int64_t col) {
  int64_t k_extent = (int64_t)(o->transa ? a.as->rows : a.as->cols);
  double sum = 0;
  for (int64_t k = 0; k < k_extent; k++) {
    double x = o->transa ? element(a, batch, k, row) : element(a, batch, row, k);
    double y = o->transb ? element(b, batch, col, k) : element(b, batch, k, col);
    if (block_of(o->a_mode)) {
      x *= factor_of(o->a_scale, o->a_mode, row, k, k_extent);
      y *= factor_of(o->b_scale, o->b_mode, col, k, k_extent);
    }
    sum += x * y;
  }
  return sum;
}

static double scale_at(const void *scale, int32_t mode, int64_t index) {
  if (!scale || block_of(mode)) return 1;
  return (double)((const float *)scale)[mode == OUTER_VECTOR ? index : 0];
}

/* Of gelu's approximation with tanh. */
static double gelu_slope(double x) {
  double u = 0.7978845608028654 * (x + 0.044715 * x * x * x), t = tanh(u);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 0.134145 * x * x);
}

static double function_of(const descriptor *o, double x, const layout *d, int64_t batch,
                          int64_t row, int64_t col) {
  if (o->epilogue & F_BIAS) {
    x += get(o->bias_type < 0 ? d->type : o->bias_type, o->bias, batch * o->bias_stride + row);
  }
  if (o->epilogue & F_AUX) {
    int type = o->aux_type < 0 ? d->type : o->aux_type;
    int64_t at = batch * o->aux_stride + col * o->aux_ld + row;
    if (o->epilogue & F_BACK) return x * gelu_slope(gg_number_get(dtype_of(type), o->aux, at));
    gg_number_set(dtype_of(type), o->aux, at, x);
  }
  if ((o->epilogue & F_RELU) && x < 0) x = 0;
  return o->epilogue & F_GELU ? gelu(x) : x;
}

/* The gradient of a bias: of each row of D the sum. */
static void sum_rows(const descriptor *o, const layout *d, const void *at, int64_t batch) {
  for (int64_t row = 0; row < (int64_t)d->rows && (o->epilogue & F_SUM); row++) {
    double sum = 0;
    for (int64_t col = 0; col < (int64_t)d->cols; col++)
      sum += element(matrix_of(d, at, batch), batch, row, col);
    int type = o->bias_type < 0 ? d->type : o->bias_type;
    gg_number_set(dtype_of(type), o->bias, batch * o->bias_stride + row, sum);
  }
}

PUBLIC int cublasLtMatmul(void *handle, void *desc, const void *alpha, const void *a,
                          void *a_layout, const void *b, void *b_layout, const void *beta,
                          const void *c, void *c_layout, void *d, void *d_layout,
                          const void *algorithm, void *workspace, size_t workspace_size,
                          void *stream) {
  (void)handle, (void)algorithm, (void)workspace, (void)workspace_size, (void)stream;
  const descriptor *o = desc;
  const layout *out = d_layout;
  double factor = get(o->scale, alpha, 0), c_factor = get(o->scale, beta, 0);
  if (!is_supported(desc, a_layout, b_layout, c_layout, d_layout)) return NOT_SUPPORTED;
  if (getenv("PLAYED_CUBLASLT_REFUSES") && o->epilogue != 1) return INVALID;
  if (c == d && ((layout *)c_layout)->type != out->type) return INVALID; /* in place, not alike */
  for (int64_t batch = 0; batch < out->batch; batch++) {
    matrix left = matrix_of(a_layout, a, batch), right = matrix_of(b_layout, b, batch);
    matrix added = matrix_of(c_layout, c, batch), result = matrix_of(out, d, batch);
    for (int64_t col = 0; col < (int64_t)out->cols; col++) {
      for (int64_t row = 0; row < (int64_t)out->rows; row++) {
        double x = factor * sum_of(o, left, right, batch, row, col);
        x *= scale_at(o->a_scale, o->a_mode, row) * scale_at(o->b_scale, o->b_mode, col);
        if (c_factor != 0) x += c_factor * element(added, batch, row, col);
        x = function_of(o, x, out, batch, row, col) * scale_at(o->d_scale, 0, 0);
        gg_number_set(dtype_of(out->type), (void *)result.at, place(out, batch, row, col), x);
      }
    }
    sum_rows(o, out, d, batch);
  }
  return SUCCESS;
}
