/* Everything about a launch that can be decided without a device.
 *
 * Checks come in the order in which a caller can correct mistakes: extents, then for each operand
 * its leading dimension, batch stride, size and address. An operand that has no elements, or C with
 * beta = 0, is not checked, because nothing of it is read. All arithmetic is checked for overflow,
 * because a problem is input. */
#include "problem.h"

#include "base/need.h"
#include "base/sized.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/operation.h"
#include "scales.h"
#include "sparse.h"
#include "tensormap.h"

typedef long long ll; /* for printf */

_Static_assert(sizeof(gg_launch_facts) <= sizeof(gg_prepared), "a launch has room");

gg_status gg_problem_read(const gg_problem **problem, gg_problem *room, gg_error *err) {
  if ((*problem)->size == sizeof *room) return GG_OK;
  *room = (gg_problem)GG_PROBLEM_INIT;
  gg_status st = gg_sized_read(room, sizeof *room, *problem, "gg_problem", err);
  *problem = room;
  return st;
}

bool gg_kernel_reads_scalars(const gg_kernel *kernel) {
  for (size_t i = 0; i < kernel->operation_count; i++) {
    if (kernel->operations[i].scalars == GG_SCALARS_DEVICE) return true;
  }
  return false;
}

int64_t gg_kernel_n_unit(const gg_kernel *kernel) {
  const int64_t most = 2;
  return most / gg_columns_behind(kernel->operations, kernel->operation_count, most);
}

int64_t gg_kernel_n_multiple(const gg_kernel *kernel) {
  enum { most = 16 /* bytes of a copy */ };
  const gg_operand *b = &kernel->b;
  if (gg_kernel_is_split(kernel) && kernel->scale_b.block)
    return gg_kernel_n_unit(kernel) * GG_SCALE_ROWS;
  if (!gg_kernel_is_split(kernel) || b->major != GG_MAJOR_N) return gg_kernel_n_unit(kernel);
  int64_t unit = gg_dtype_unit(b->type, b->align < most ? b->align : most);
  return gg_kernel_n_unit(kernel) * (unit > 1 ? unit : 1);
}

bool gg_kernel_is_split(const gg_kernel *kernel) {
  return gg_operations_split(kernel->operations, kernel->operation_count);
}

gg_dtype gg_kernel_scalar_type(const gg_kernel *kernel) {
  return kernel->accumulator == GG_DTYPE_f64 ? GG_DTYPE_f64 : GG_DTYPE_f32;
}

void gg_problem_place_scalars(gg_problem *problem, const gg_kernel *kernel, uint64_t alpha,
                              uint64_t beta) {
  if (!gg_kernel_reads_scalars(kernel)) return;
  if (gg_kernel_takes(kernel, GG_PARAM_ALPHA)) problem->alpha_at = alpha;
  if (gg_kernel_takes(kernel, GG_PARAM_BETA)) problem->beta_at = beta;
}

unsigned gg_kernel_cluster_size(const gg_kernel *kernel) {
  return (unsigned)(kernel->cluster_m * kernel->cluster_n * kernel->cluster_k);
}

/* ---- Alignment and density ------------------------------------------------------------ */

static int64_t bits_of(const gg_view *view) {
  return gg_dtype_info_of(view->operand->type)->bits;
}

/* Alignment in elements, at least 1. */
static int64_t align_elements(const gg_view *view) {
  int align = view->operand->align;
  return align > 0 ? gg_dtype_unit(view->operand->type, align) : 1;
}

static gg_status too_large(gg_error *err, const gg_view *view) {
  char text[128], name[GG_VIEW_PART_NAME_MAX];
  snprintf(text, sizeof text, "%s is larger than int64 can address: %lld x %lld, batch %lld",
           gg_view_part_name(name, view, GG_VIEW_ADDRESS), (ll)view->length, (ll)view->rows,
           (ll)view->batch);
  return gg_fail(err, PROBLEM_SIZE, NULL, text);
}

/* The densest layout of an operand: its rows, and its batches, directly follow each other. */
static gg_status pack(int64_t *ld, int64_t *batch_stride, const gg_view *view, gg_error *err) {
  *ld = gg_problem_round_up(view->length, align_elements(view));
  return __builtin_mul_overflow(*ld, view->rows, batch_stride) ? too_large(err, view) : GG_OK;
}

static gg_status pack_all(gg_problem *problem, const gg_kernel *kernel, gg_error *err) {
  int64_t *const lds[] = {&problem->lda, &problem->ldb, &problem->ldc, &problem->ldd};
  int64_t *const strides[] = {&problem->batch_stride_a, &problem->batch_stride_b,
                              &problem->batch_stride_c, &problem->batch_stride_d};
  gg_status st = GG_OK;
  for (int i = 0; i < 4 && !st; i++) {
    gg_view view = gg_problem_view(kernel, problem, (char)('a' + i));
    st = pack(lds[i], strides[i], &view, err);
  }
  for (size_t i = 0; i < kernel->operation_count && !st; i++) {
    if (gg_operation_span(&kernel->operations[i]) == GG_SPAN_NONE) continue;
    gg_view view = gg_problem_extra_view(kernel, problem, i);
    st = pack(&problem->extras[i].ld, &problem->extras[i].batch_stride, &view, err);
  }
  return st;
}

gg_status gg_problem_pack(gg_problem *problem, const gg_kernel *kernel, gg_error *err) {
  GG_NEED(err, problem);
  GG_NEED(err, kernel);
  gg_problem packed = GG_PROBLEM_INIT;
  gg_status st = gg_sized_read(&packed, sizeof packed, problem, "gg_problem", err);
  if (!st) st = pack_all(&packed, kernel, err);
  if (!st) st = gg_problem_pack_scales(&packed, kernel, err);
  if (!st) st = gg_problem_pack_metadata(&packed, kernel, err);
  return st ? st : gg_sized_write(problem, &packed, sizeof packed, "gg_problem", err);
}

/* ---- Checks --------------------------------------------------------------------------- */

gg_status gg_problem_check_extent(const char *name, int64_t value, int64_t fixed, gg_error *err) {
  if (value < 0) {
    return gg_fail(err, PROBLEM_EXTENT, NULL, name, (ll)value, "extents from 0 on");
  }
  if (fixed == GG_FIXED_NONE || value == fixed) return GG_OK;
  char text[64];
  snprintf(text, sizeof text, "%s fixed at %lld", name, (ll)fixed);
  return gg_fail(err, PROBLEM_EXTENT, NULL, name, (ll)value, text);
}

/* K, rounded up to whole tiles, must fit into 32 bits, in which kernels count it. */
static gg_status check_k(const gg_kernel *kernel, int64_t k, gg_error *err) {
  int64_t most = INT32_MAX - kernel->tile_k, whole = gg_kernel_k_bytes(kernel);
  char text[96];
  if (k % whole != 0) {
    snprintf(text, sizeof text, "k of whole bytes, %lld elements of %s each; the next is %lld",
             (ll)whole, gg_dtype_info_of(kernel->a.type)->name, (ll)gg_problem_round_up(k, whole));
    return gg_fail(err, PROBLEM_EXTENT, NULL, "k", (ll)k, text);
  }
  if (k <= most) return GG_OK;
  snprintf(text, sizeof text, "k up to %lld", (ll)most);
  return gg_fail(err, PROBLEM_EXTENT, NULL, "k", (ll)k, text);
}

/* Checks that N is even if a gate takes its columns two by two, or a larger multiple if it takes
 * them from two halves (gg_kernel_n_multiple). */
static gg_status check_pairs(const gg_kernel *kernel, int64_t n, gg_error *err) {
  int64_t whole = gg_kernel_n_multiple(kernel);
  if (n % whole == 0) return GG_OK;
  char text[192];
  if (whole > gg_kernel_n_unit(kernel)) {
    snprintf(text, sizeof text,
             "n of whole %lld: halves of %s that begin at multiples of %lld "
             "elements (epilogue gated); the next is %lld",
             (ll)whole, kernel->scale_b.block ? "B's scale factors" : "an N-major B's lines",
             (ll)(whole / 2), (ll)gg_problem_round_up(n, whole));
    return gg_fail(err, PROBLEM_EXTENT, NULL, "n", (ll)n, text);
  }
  snprintf(text, sizeof text,
           "an even n, two columns for each of D's (epilogue gated); the nearest are %lld and %lld",
           (ll)(n - 1), (ll)gg_problem_round_up(n, 2));
  return gg_fail(err, PROBLEM_EXTENT, NULL, "n", (ll)n, text);
}

static gg_status check_extents(const gg_kernel *kernel, const gg_problem *p, gg_error *err) {
  gg_status st = gg_problem_check_extent("m", p->m, kernel->fixed_m, err);
  if (!st) st = gg_problem_check_extent("n", p->n, kernel->fixed_n, err);
  if (!st) st = check_pairs(kernel, p->n, err);
  if (!st) st = gg_problem_check_extent("k", p->k, kernel->fixed_k, err);
  if (!st) st = check_k(kernel, p->k, err);
  if (!st) st = gg_problem_check_extent("batch", p->batch, kernel->fixed_batch, err);
  return st;
}

static gg_status check_multiple(const gg_view *view, gg_view_part part, int64_t value,
                                gg_error *err) {
  int64_t multiple = align_elements(view);
  if (value % multiple == 0) return GG_OK;
  char name[GG_VIEW_PART_NAME_MAX];
  return gg_fail(err, PROBLEM_ALIGN, NULL, gg_view_part_name(name, view, part), (ll)value,
                 (ll)multiple, "elements", (ll)gg_problem_round_up(value, multiple));
}

/* Elements from the first to behind the last of one batch: (rows - 1) * ld + length. */
static bool extent_of(int64_t *out, const gg_view *view) {
  return !__builtin_mul_overflow(view->rows - 1, view->ld, out) &&
         !__builtin_add_overflow(*out, view->length, out);
}

/* Batches that are written do not overlap if each begins behind the one before it, or if the lines
 * of all batches fit beside each other into a leading dimension. */
static bool batches_apart(const gg_view *view, int64_t extent) {
  int64_t span;
  if (view->batch_stride >= extent) return true;
  return view->batch_stride >= view->length &&
         !__builtin_mul_overflow(view->batch - 1, view->batch_stride, &span) &&
         !__builtin_add_overflow(span, view->length, &span) && span <= view->ld;
}

static gg_status check_batch_stride(const gg_view *view, int64_t extent, gg_error *err) {
  if (view->batch < 2) return GG_OK;
  const char *fault = NULL;
  char name[GG_VIEW_PART_NAME_MAX];
  if (view->batch_stride < 0) {
    fault = "batch strides are not negative";
  } else if (view->written && !view->shared && !batches_apart(view, extent)) {
    fault = "the batches overlap";
  }
  if (fault) {
    return gg_fail(err, PROBLEM_STRIDE, NULL, gg_view_part_name(name, view, GG_VIEW_BATCH_STRIDE),
                   (ll)view->batch_stride, fault,
                   (ll)gg_problem_round_up(extent, align_elements(view)));
  }
  return check_multiple(view, GG_VIEW_BATCH_STRIDE, view->batch_stride, err);
}

/* Whether the bytes from the operand's first to behind its last, of all batches, can be addressed.
 */
static bool bytes_fit(const gg_view *view, int64_t extent) {
  int64_t bits;
  uint64_t end;
  return !__builtin_mul_overflow(view->batch - 1, view->batch_stride, &bits) &&
         !__builtin_add_overflow(bits, extent, &bits) &&
         !__builtin_mul_overflow(bits, bits_of(view), &bits) &&
         !__builtin_add_overflow(view->address, (uint64_t)bits / 8 + (bits % 8 != 0), &end);
}

static gg_status check_address(const gg_view *view, gg_error *err) {
  char part[GG_VIEW_PART_NAME_MAX];
  const char *whole = gg_view_part_name(part, view, GG_VIEW_ADDRESS);
  if (view->address == 0) return gg_fail(err, PROBLEM_POINTER, NULL, whole);
  uint64_t align = view->operand->align > 1 ? (uint64_t)view->operand->align : 1;
  if (view->pointers) align = sizeof view->address;
  if (view->address % align == 0) return GG_OK;
  char letter[2] = {view->name, '\0'};
  const char *name = view->name == 'x' ? whole : letter;
  return gg_fail(err, PROBLEM_ALIGN, NULL, name, (ll)view->address, (ll)align, "bytes",
                 (ll)(view->address / align * align + align));
}

/* Checks an operand. If batches are given by an array of addresses, only one matrix is checked. */
static gg_status check_view(const gg_view *given, gg_error *err) {
  gg_view one = *given;
  const gg_view *view = &one;
  if (one.pointers) one.batch = 1;
  int64_t extent;
  char name[GG_VIEW_PART_NAME_MAX];
  if (view->ld < view->length) {
    return gg_fail(err, PROBLEM_LD, NULL, gg_view_part_name(name, view, GG_VIEW_LD), (ll)view->ld,
                   view->length_name, (ll)view->length,
                   (ll)gg_problem_round_up(view->length, align_elements(view)));
  }
  gg_status st = view->vector ? GG_OK : check_multiple(view, GG_VIEW_LD, view->ld, err);
  if (st) return st;
  if (!extent_of(&extent, view)) return too_large(err, view);
  if ((st = check_batch_stride(view, extent, err))) return st;
  if (!bytes_fit(view, extent)) return too_large(err, view);
  return check_address(view, err);
}

static gg_status check_operands(const gg_kernel *kernel, const gg_problem *p, gg_error *err) {
  for (const char *which = p->k > 0 ? "abd" : "d"; *which; which++) {
    gg_view view = gg_problem_view(kernel, p, *which);
    gg_status st = check_view(&view, err);
    if (st) return st;
  }
  for (size_t i = 0; i < kernel->operation_count; i++) {
    if (gg_operation_span(&kernel->operations[i]) == GG_SPAN_NONE) continue;
    gg_view view = gg_problem_extra_view(kernel, p, i);
    gg_status st = check_view(&view, err);
    if (st) return st;
  }
  if (!gg_problem_reads_c(p)) return GG_OK;
  gg_view view = gg_problem_view(kernel, p, 'c');
  return check_view(&view, err);
}

/* Checks the address of alpha or beta, which there must be only if the kernel takes it. */
static gg_status check_scalar_at(const gg_kernel *kernel, const char *name, uint64_t at, bool taken,
                                 gg_error *err) {
  uint64_t bytes = (uint64_t)gg_dtype_bytes(gg_kernel_scalar_type(kernel), 1);
  if (taken && at == 0) return gg_fail(err, PROBLEM_POINTER, NULL, name);
  if (!taken && at != 0) return gg_fail(err, PROBLEM_SCALAR_AT, NULL, name, kernel->name);
  if (at % bytes == 0) return GG_OK;
  return gg_fail(err, PROBLEM_ALIGN, NULL, name, (ll)at, (ll)bytes, "bytes",
                 (ll)(at / bytes * bytes + bytes));
}

static gg_status check_scalars_at(const gg_kernel *kernel, const gg_problem *p, gg_error *err) {
  bool reads = gg_kernel_reads_scalars(kernel);
  bool alpha = reads && gg_kernel_takes(kernel, GG_PARAM_ALPHA);
  bool beta = reads && gg_kernel_takes(kernel, GG_PARAM_BETA);
  gg_status st = check_scalar_at(kernel, "alpha_at", p->alpha_at, alpha, err);
  return st ? st : check_scalar_at(kernel, "beta_at", p->beta_at, beta, err);
}

static gg_status check_pointers(const gg_kernel *kernel, const gg_problem *p, gg_error *err) {
  if (p->pointers == (kernel->pointers != 0)) return GG_OK;
  return gg_fail(err, PROBLEM_POINTERS, NULL, p->pointers ? "true" : "false", kernel->name,
                 p->pointers ? "matrices at a constant stride" : "arrays of addresses");
}

static gg_status check_scalars(const gg_kernel *kernel, const gg_problem *p, gg_error *err) {
  double alpha = gg_problem_alpha(p), beta = gg_problem_beta(p);
  if (gg_kernel_reads_scalars(kernel)) return GG_OK; /* the problem's numbers are ignored */
  if (alpha != 1 && !gg_kernel_takes(kernel, GG_PARAM_ALPHA))
    return gg_fail(err, PROBLEM_SCALAR, NULL, "alpha", alpha, kernel->name, "alpha");
  if (beta != 0 && !gg_kernel_takes(kernel, GG_PARAM_BETA))
    return gg_fail(err, PROBLEM_SCALAR, NULL, "beta", beta, kernel->name, "beta");
  return GG_OK;
}

/* ---- Grid and arguments --------------------------------------------------------------- */

gg_status gg_problem_distribute(gg_distribution *out, const gg_kernel *kernel, const gg_problem *p,
                                int64_t resident, const gg_device_model *device, gg_error *err) {
  gg_status st = check_extents(kernel, p, err);
  gg_distributed distributed = gg_distributed_of_kernel(kernel);
  gg_extents extents = {p->m, p->n, p->k, p->batch};
  if (st || gg_distribution_make(out, &distributed, extents, resident, p->multiprocessors, device))
    return st;
  char text[128];
  snprintf(text, sizeof text, "%lld x %lld tiles of %d x %d, batch %lld, are more than a grid's %d",
           (ll)((p->m - 1) / kernel->tile_m + 1), (ll)((p->n - 1) / kernel->tile_n + 1),
           kernel->tile_m, kernel->tile_n, (ll)p->batch, GG_GRID_X_MAX);
  return gg_fail(err, PROBLEM_SIZE, NULL, text);
}

/* The workspace must be aligned even if the kernel takes none, because a caller of gg_gemm need not
 * know which kernel a product gets. */
static gg_status check_workspace(const gg_problem *p, const gg_distribution *distribution,
                                 gg_error *err) {
  enum { workspace_align = 256 };
  uint64_t next = p->workspace / workspace_align * workspace_align + workspace_align;
  if (p->workspace % workspace_align != 0) {
    return gg_fail(err, PROBLEM_ALIGN, NULL, "workspace", (ll)p->workspace, (ll)workspace_align,
                   "bytes", (ll)next);
  }
  int64_t given = p->workspace ? p->workspace_bytes : 0;
  if (distribution->workspace_bytes == 0 || given >= distribution->workspace_bytes) return GG_OK;
  int64_t maps = distribution->workspace_bytes - distribution->maps_begin;
  int64_t parts = distribution->maps_begin - distribution->sums_begin;
  if (distribution->shares == 0 && parts == 0 && maps == 0)
    return gg_fail(err, PROBLEM_CLAIMS, NULL, (ll)given, (ll)distribution->workspace_bytes);
  if (distribution->shares == 0 && parts == 0)
    return gg_fail(err, PROBLEM_MAPS, NULL, (ll)given, (ll)maps, (ll)distribution->workspace_bytes);
  if (distribution->shares == 0)
    return gg_fail(err, PROBLEM_SUMS, NULL, (ll)given, (ll)parts,
                   (ll)distribution->workspace_bytes);
  return gg_fail(err, PROBLEM_WORKSPACE, NULL, (ll)given, (ll)distribution->shares,
                 (ll)distribution->shared_tiles, (ll)distribution->workspace_bytes);
}

/* The bits of alpha or beta in the type that the kernel's parameter has. */
static uint64_t factor_bits(const gg_kernel *kernel, double value) {
  uint64_t wide;
  uint32_t bits;
  float narrow = (float)value;
  memcpy(&wide, &value, sizeof wide);
  memcpy(&bits, &narrow, sizeof bits);
  return gg_kernel_scalar_type(kernel) == GG_DTYPE_f64 ? wide : bits;
}

/* The address, leading dimension or batch stride of an operand, by the kind of the parameter. A map
 * has a place of its own in a launch. */
static uint64_t argument_of_operand(const gg_problem *p, gg_param param) {
  const gg_extra *extra = &p->extras[param.operation];
  const uint64_t places[][3] = {
      [GG_OPERAND_A] = {p->a, (uint64_t)p->lda, (uint64_t)p->batch_stride_a},
      [GG_OPERAND_B] = {p->b, (uint64_t)p->ldb, (uint64_t)p->batch_stride_b},
      [GG_OPERAND_C] = {p->c, (uint64_t)p->ldc, (uint64_t)p->batch_stride_c},
      [GG_OPERAND_D] = {p->d, (uint64_t)p->ldd, (uint64_t)p->batch_stride_d},
      [GG_OPERAND_METADATA] = {p->metadata, 0, (uint64_t)p->batch_stride_metadata},
      [GG_OPERAND_SCALE_D] = {p->scale_d, 0, (uint64_t)p->batch_stride_scale_d},
      [GG_OPERAND_EXTRA] = {extra->address, (uint64_t)extra->ld, (uint64_t)extra->batch_stride},
  };
  return gg_param_is_map(param) ? 0 : places[param.operand][param.kind];
}

static int64_t bytes_of(const gg_kernel *kernel, const gg_problem *p, char matrix) {
  gg_view view = gg_problem_view(kernel, p, matrix);
  bool broadcast = !view.pointers && view.batch > 1 && view.batch_stride == 0;
  return gg_dtype_bytes(view.operand->type, view.length) * view.rows * (broadcast ? 1 : view.batch);
}

/* Whether D's lines are to be the first that leave the L2 cache. If D is larger than the cache,
 * nobody finds them there later. If it is also most of what is read and written, an H100 is up to a
 * tenth faster so (docs/performance/h100.md, "Results that leave the cache first"). */
static bool evicts_first(const gg_kernel *kernel, const gg_problem *p,
                         const gg_device_model *device) {
  enum { least_ratio = 4 };
  int64_t written = bytes_of(kernel, p, 'd');
  int64_t read = bytes_of(kernel, p, 'a') + bytes_of(kernel, p, 'b');
  return (double)written > device->l2_bytes && written / least_ratio >= read;
}

static uint64_t argument_of(const gg_kernel *kernel, const gg_problem *p,
                            const gg_distribution *distribution, const gg_device_model *device,
                            gg_param param) {
  bool reads = gg_kernel_reads_scalars(kernel);
  if (param.kind == GG_PARAM_EVICT_FIRST) return evicts_first(kernel, p, device);
  const uint64_t values[] = {
      [GG_PARAM_M] = (uint64_t)p->m,
      [GG_PARAM_N] = (uint64_t)p->n,
      [GG_PARAM_K] = (uint64_t)p->k,
      [GG_PARAM_BATCH] = (uint64_t)p->batch,
      [GG_PARAM_ALPHA] = reads ? p->alpha_at : factor_bits(kernel, gg_problem_alpha(p)),
      [GG_PARAM_BETA] = reads ? p->beta_at : factor_bits(kernel, gg_problem_beta(p)),
      [GG_PARAM_WORKSPACE] = p->workspace,
      [GG_PARAM_SHARED_TILES] = (uint64_t)distribution->shared_tiles,
      [GG_PARAM_GROUP_TILES] = (uint64_t)distribution->group_tiles,
      [GG_PARAM_GROUP_SHARES] = (uint64_t)distribution->group_shares,
      [GG_PARAM_NEXT_BESIDE] = distribution->next_beside,
      [GG_PARAM_SUM_PARTS] = p->workspace + (uint64_t)distribution->sums_begin,
      [GG_PARAM_MAP_SETS] = p->workspace + (uint64_t)distribution->maps_begin,
      [GG_PARAM_GPCS] = 0, /* a struct, which the launch passes from elsewhere */
  };
  bool of_operand = param.operand != GG_OPERAND_NONE;
  return of_operand ? argument_of_operand(p, param) : values[param.kind];
}

/* If M or N is 0, the sums over it are 0. Notes the vectors of such sums that have elements. */
static gg_status check_empty(gg_launch_facts *out, const gg_kernel *kernel, const gg_problem *p,
                             gg_error *err) {
  for (size_t i = 0; i < kernel->operation_count; i++) {
    gg_view view = gg_problem_extra_view(kernel, p, i);
    if (kernel->operations[i].kind != GG_OP_SUM || view.length == 0 || view.batch == 0) continue;
    gg_status st = check_view(&view, err);
    if (st) return st;
    uint64_t element = (uint64_t)gg_dtype_bytes(view.operand->type, 1);
    uint64_t bytes = (uint64_t)view.length * element;
    uint64_t pitch = view.batch > 1 ? (uint64_t)view.batch_stride * element : bytes;
    out->empty_sums[out->empty_sum_count++] =
        (gg_empty_sum){view.address, pitch, bytes, (uint64_t)view.batch};
  }
  return GG_OK;
}

/* Whether a launch had better begin while the one ahead of it still runs. Its CTAs are then placed
 * where those of the other launch leave room. If a multiprocessor holds several CTAs, some
 * multiprocessors would get more than their share, unless the busiest one is full anyway. */
static bool begins_beside(const gg_kernel *kernel, const gg_problem *p,
                          const gg_distribution *distribution, int64_t resident,
                          const gg_device_model *device) {
  if (!kernel->dependent) return false;
  if (!gg_shares_multiprocessors(kernel)) /* kernels with this parameter decide by it themselves */
    return distribution->next_beside || gg_kernel_takes(kernel, GG_PARAM_NEXT_BESIDE);
  int64_t all = gg_multiprocessors_of(device, p->multiprocessors);
  return (distribution->clusters + all - 1) / all >= (resident + all - 1) / all;
}

gg_status gg_problem_check(gg_launch_facts *out, const gg_kernel *kernel, const gg_problem *problem,
                           int64_t resident, const gg_device_model *device, gg_error *err) {
  *out = (gg_launch_facts){0};
  gg_status st = check_extents(kernel, problem, err);
  if (!st) st = check_pointers(kernel, problem, err);
  if (!st) st = check_scalars(kernel, problem, err);
  if (!st) st = check_scalars_at(kernel, problem, err);
  if (st) return st;
  if (problem->m == 0 || problem->n == 0 || problem->batch == 0)
    return check_empty(out, kernel, problem, err);
  if ((st = check_operands(kernel, problem, err))) return st;
  if ((st = gg_problem_check_scales(kernel, problem, err))) return st;
  if ((st = gg_problem_check_metadata(kernel, problem, err))) return st;
  if ((st = gg_tensor_maps_check(kernel, problem, err))) return st;
  gg_distribution distribution;
  if ((st = gg_problem_distribute(&distribution, kernel, problem, resident, device, err)))
    return st;
  if ((st = check_workspace(problem, &distribution, err))) return st;
  out->overlap =
      problem->overlap && begins_beside(kernel, problem, &distribution, resident, device);
  out->works = distribution.clusters;
  out->grid[0] = (unsigned)(distribution.launched * gg_kernel_cluster_size(kernel));
  out->grid[1] = out->grid[2] = 1;
  for (size_t i = 0; i < kernel->param_count; i++) {
    out->arguments[i] = argument_of(kernel, problem, &distribution, device, kernel->params[i]);
  }
  return GG_OK;
}
