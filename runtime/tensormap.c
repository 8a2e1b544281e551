/* A kernel says which dimensions an operand's tensor map has: first its contiguous mode, then the
 * mode across it and the batch, if there are any. Elements are copied as bits, so the map's type is
 * an unsigned integer of their size. 16 elements of 4 or 6 bits are one of 8 or 12 bytes. If they
 * are unpacked, they take 16 bytes; lines then are multiples of 128 elements, addresses and strides
 * multiples of 32 bytes. Only tf32 is not copied as bits: it is f32 in memory, and is rounded on
 * the way in, ties to even, because the tensor core would cut the low bits off.
 *
 * A map takes extents up to 2^32, but a copy's coordinates are 32-bit signed integers. Strides are
 * multiples of 16 bytes (which the operand's alignment guarantees) below 2^40. An operand that is
 * not read, because K or beta is 0, still needs a legal map: of one element, at D's address,
 * rounded down.
 *
 * Boxes are read with zeros for every element outside of the map, but written in whole 16 bytes: an
 * H100 writes 8 elements of 16 bits even if the map has 7. So D's map ends at the last whole 16
 * bytes of its lines, and the kernel stores the rest by itself, or all of a line that is shorter.
 * (CUDA Driver API, "Tensor Map Object Management"; PTX ISA, "Tensor Copy".) */
#include "tensormap.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/narrow.h"
#include "problem.h"
#include "scales.h"
#include "sparse.h"

static const int64_t stride_limit = INT64_C(1) << 40; /* bytes */

/* Bytes that addresses and strides are multiples of. */
static uint64_t align_of(const gg_tensor_map *map) {
  return map->unpacks ? GG_UNPACKED_ALIGN : 16;
}

/* The operand that a map is for. */
static gg_view view_of(const gg_kernel *kernel, const gg_problem *problem,
                       const gg_tensor_map *map) {
  if (map->operand == GG_OPERAND_EXTRA)
    return gg_problem_extra_view(kernel, problem, (size_t)map->operation);
  gg_view view = gg_problem_view(kernel, problem, "-abcd"[map->operand]);
  if (!view.pointers) return view;
  /* The kernel copies the map and sets each batch's address in the copies. So the map is for one
   * matrix. */
  view.address = view.address / align_of(map) * align_of(map);
  view.batch_stride = 0;
  return view;
}

static bool is_of_scales(const gg_tensor_map *map) {
  return map->operand == GG_OPERAND_SCALE_A || map->operand == GG_OPERAND_SCALE_B;
}

/* Whether a map is for scale factors or metadata, which have no gg_view. */
static bool is_of_tiles(const gg_tensor_map *map) {
  return is_of_scales(map) || map->operand == GG_OPERAND_METADATA;
}

/* Whether an operand is used: A and B are not if K is 0, C is not without a beta. */
static bool is_used(const gg_problem *problem, const gg_tensor_map *map) {
  bool input = map->operand == GG_OPERAND_A || map->operand == GG_OPERAND_B || is_of_tiles(map);
  return input ? problem->k > 0 : map->operand != GG_OPERAND_C || gg_problem_reads_c(problem);
}

/* The least number of elements that take whole 16 bytes. */
static int64_t unit_of(const gg_view *view) {
  return gg_dtype_unit(view->operand->type, 16);
}

static gg_status too_far(gg_error *err, const gg_view *view, gg_view_part part, int64_t value,
                         int64_t most) {
  char text[160], name[GG_VIEW_PART_NAME_MAX];
  snprintf(text, sizeof text,
           "%s = %lld is more than the %lld elements, less than 2^40 bytes, that a tensor map "
           "steps over",
           gg_view_part_name(name, view, part), (long long)value, (long long)most);
  return gg_fail(err, PROBLEM_SIZE, NULL, text);
}

/* `block`: how far beyond an extent the last tiles may reach. */
static gg_status check_extent(const char *name, int64_t value, int64_t block, gg_error *err) {
  int64_t most = INT32_MAX - block;
  if (value <= most) return GG_OK;
  char text[128];
  snprintf(text, sizeof text, "%s = %lld is more than a tensor map's coordinates reach, %lld", name,
           (long long)value, (long long)most);
  return gg_fail(err, PROBLEM_SIZE, NULL, text);
}

/* A map's lines must have a multiple of so many elements. */
static int64_t line_unit(const gg_tensor_map *map) {
  return map->unpacks ? GG_UNPACKED_LINE : gg_dtype_unit(map->type, 1);
}

int64_t gg_kernel_k_bytes(const gg_kernel *kernel) {
  return kernel->map_count ? 1 : gg_dtype_unit(kernel->a.type, 1);
}

int64_t gg_kernel_k_unit(const gg_kernel *kernel) {
  int64_t unit = gg_kernel_k_bytes(kernel);
  for (size_t i = 0; i < kernel->map_count; i++) {
    const gg_tensor_map *map = &kernel->maps[i];
    bool input = map->operand == GG_OPERAND_A || map->operand == GG_OPERAND_B;
    bool half = (map->operand == GG_OPERAND_A && kernel->sparse_a) ||
                (map->operand == GG_OPERAND_B && kernel->sparse_b);
    int64_t own = half && map->unpacks ? 2 * line_unit(map) : line_unit(map);
    if (input && own > unit) unit = own;
  }
  return unit;
}

/* Elements of 4 and 6 bits must fill whole bytes of a line, or whole units that are unpacked. */
static gg_status check_line(const gg_tensor_map *map, const gg_view *view, gg_error *err) {
  int64_t unit = line_unit(map);
  if (view->length % unit == 0) return GG_OK;
  char name[GG_VIEW_PART_NAME_MAX], text[128];
  snprintf(text, sizeof text, "%s of whole %lld elements of %s; the next is %lld",
           gg_view_part_name(name, view, GG_VIEW_ADDRESS), (long long)unit,
           gg_dtype_info_of(map->type)->name, (long long)gg_problem_round_up(view->length, unit));
  return gg_fail(err, PROBLEM_EXTENT, NULL, view->length_name, (long long)view->length, text);
}

/* Whether a box has lines of both halves of an operand's lines, in turns or one half behind the
 * other. */
static bool halves(const gg_tensor_map *map) {
  return map->modes[1] == GG_MAP_HALF || map->modes[2] == GG_MAP_HALF;
}

static gg_status check_map(const gg_tensor_map *map, const gg_view *view, gg_error *err) {
  int64_t unit = unit_of(view), bits = gg_dtype_info_of(view->operand->type)->bits;
  int64_t most = (stride_limit * 8 / bits - 1) / unit * unit;
  if (view->rows > 1 && view->ld > most) return too_far(err, view, GG_VIEW_LD, view->ld, most);
  if (halves(map) && view->rows > 0) {
    int64_t least = most / (view->rows / 2) / unit * unit; /* a step goes over half of the lines */
    if (view->ld > least) return too_far(err, view, GG_VIEW_LD, view->ld, least);
  }
  if (view->batch > 1 && view->batch_stride > most) {
    return too_far(err, view, GG_VIEW_BATCH_STRIDE, view->batch_stride, most);
  }
  return GG_OK;
}

gg_status gg_tensor_maps_check(const gg_kernel *kernel, const gg_problem *problem, gg_error *err) {
  if (kernel->map_count == 0 && !kernel->int32_coordinates) return GG_OK;
  int block_m = kernel->cluster_m * kernel->tile_m, block_n = kernel->cluster_n * kernel->tile_n;
  if (kernel->turns_pairs_m) block_m *= 2;
  if (kernel->turns_pairs_n) block_n *= 2;
  block_m += (int)kernel->turns_halves_m;
  block_n += (int)kernel->turns_halves_n;
  gg_status st = check_extent("m", problem->m, block_m, err);
  if (!st) st = check_extent("n", problem->n, block_n, err);
  if (!st) st = check_extent("batch", problem->batch, 0, err);
  for (size_t i = 0; i < kernel->map_count && !st; i++) {
    if (is_of_tiles(&kernel->maps[i])) continue;
    gg_view view = view_of(kernel, problem, &kernel->maps[i]);
    if (!is_used(problem, &kernel->maps[i])) continue;
    if (!view.written) st = check_line(&kernel->maps[i], &view, err);
    if (!st) st = check_map(&kernel->maps[i], &view, err);
  }
  return st;
}

static int type_of(const gg_tensor_map *map) {
  int bits = gg_dtype_info_of(map->type)->bits;
  if (map->type == GG_DTYPE_tf32) return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
  if (bits == 4 && map->unpacks) return CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B;
  return bits == 4    ? CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B
         : bits == 6  ? CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B
         : bits == 8  ? CU_TENSOR_MAP_DATA_TYPE_UINT8
         : bits == 16 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
         : bits == 32 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                      : CU_TENSOR_MAP_DATA_TYPE_UINT64;
}

static int swizzle_of(const gg_tensor_map *map) {
  int bytes = map->swizzle_bytes;
  return map->swizzle_wide ? CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B
         : bytes == 128    ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64     ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 32     ? CU_TENSOR_MAP_SWIZZLE_32B
                           : CU_TENSOR_MAP_SWIZZLE_NONE;
}

/* How much of a line a map of D may write. It has 16 bytes at least; if a line is shorter, the map
 * is not used. */
static int64_t writable(const gg_view *view) {
  int64_t unit = unit_of(view);
  return view->length < unit ? unit : view->length / unit * unit;
}

/* A stride in bytes. If the extent is 1, the problem's stride may be anything, because it is never
 * used, but the map must have a legal one. */
static uint64_t stride_of(const gg_tensor_map *map, int64_t extent, int64_t elements) {
  return extent > 1 ? (uint64_t)gg_dtype_bytes(map->type, elements) : align_of(map);
}

static gg_status encode_map(uint64_t out[16], const gg_driver *driver, const gg_tensor_map *map,
                            int type, uint64_t address, const uint64_t *extents,
                            const uint64_t *strides, gg_error *err) {
  uint32_t box[GG_MAP_RANK_MAX], steps[GG_MAP_RANK_MAX];
  for (int i = 0; i < map->rank; i++) {
    box[i] = (uint32_t)map->box[i];
    steps[i] = i == 1 && map->rows_step ? (uint32_t)map->rows_step : 1;
  }
  _Alignas(64) CUtensorMap encoded;
  gg_status st = GG_CUDA(driver, err, cuTensorMapEncodeTiled, &encoded, type, (unsigned)map->rank,
                         (void *)(uintptr_t)address, extents, strides, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(map),
                         CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (!st) memcpy(out, &encoded, sizeof encoded);
  return st;
}

static gg_status encode(uint64_t out[16], const gg_driver *driver, const gg_tensor_map *map,
                        const gg_view *view, gg_error *err) {
  int64_t half = view->rows / 2;
  const int64_t extent_of[] = {[GG_MAP_LINE] = view->length,
                               [GG_MAP_LINES] = view->rows,
                               [GG_MAP_BATCH] = view->batch,
                               [GG_MAP_HALF] = 2,
                               [GG_MAP_HALF_LINES] = half};
  const int64_t step_of[] = {[GG_MAP_LINE] = 1,
                             [GG_MAP_LINES] = view->ld,
                             [GG_MAP_BATCH] = view->batch_stride,
                             [GG_MAP_HALF] = half * view->ld,
                             [GG_MAP_HALF_LINES] = view->ld};
  uint64_t extents[GG_MAP_RANK_MAX], strides[GG_MAP_RANK_MAX];
  for (int i = 0; i < map->rank; i++) {
    int64_t extent = extent_of[map->modes[i]];
    extents[i] = (uint64_t)extent;
    if (i > 0) strides[i - 1] = stride_of(map, extent, step_of[map->modes[i]]);
  }
  return encode_map(out, driver, map, type_of(map), view->address, extents, strides, err);
}

/* A map of scale factors has atoms, of 256 elements of 2 bytes: along the rows, along K, and the
 * batches. If none are read it has one atom. */
static gg_status encode_scales(uint64_t out[16], const gg_driver *driver, const gg_kernel *kernel,
                               const gg_problem *problem, const gg_tensor_map *map, gg_error *err) {
  enum { atom_bytes = GG_SCALE_ROWS * GG_SCALE_FACTORS };
  gg_scales_view view =
      gg_problem_scales(kernel, problem, map->operand == GG_OPERAND_SCALE_A ? 'a' : 'b');
  if (!is_used(problem, map)) {
    view.address = problem->d / 16 * 16;
    view.rows = view.k = view.batch = 1;
  }
  int64_t rows = (view.rows + GG_SCALE_ROWS - 1) / GG_SCALE_ROWS;
  int64_t along = gg_scales_atoms_k(view.k, view.scaling.block);
  const uint64_t extents[] = {atom_bytes / 2, (uint64_t)rows, (uint64_t)along,
                              (uint64_t)view.batch};
  const uint64_t strides[] = {(uint64_t)along * atom_bytes, atom_bytes,
                              view.batch > 1 ? (uint64_t)view.batch_stride : atom_bytes};
  return encode_map(out, driver, map, CU_TENSOR_MAP_DATA_TYPE_UINT16, view.address, extents,
                    strides, err);
}

/* A map of metadata has tiles, of 256 elements of 8 bytes: along the rows, along K, and the
 * batches. For MMAs of 64 rows it has the tiles' blocks of 16 rows, each with a gap beside it. */
static gg_status encode_metadata(uint64_t out[16], const gg_driver *driver, const gg_kernel *kernel,
                                 const gg_problem *problem, const gg_tensor_map *map,
                                 gg_error *err) {
  gg_problem p = *problem;
  if (!is_used(problem, map)) {
    p.metadata = p.d / 16 * 16;
    p.m = p.n = p.k = p.batch = 1;
  }
  int64_t outer = kernel->sparse_b ? p.n : p.m;
  uint64_t rows = (uint64_t)(outer + GG_METADATA_ROWS - 1) / GG_METADATA_ROWS;
  uint64_t column = rows * GG_METADATA_TILE, k = (uint64_t)gg_sparse_tiles_k(kernel, p.k);
  uint64_t batch = (uint64_t)p.batch;
  uint64_t next = batch > 1 ? (uint64_t)p.batch_stride_metadata : column;
  if (map->modes[0] == GG_MAP_METADATA_BLOCK) {
    enum { rows_of = 16, block = rows_of * GG_METADATA_LINE };
    const uint64_t extents[] = {block / 8, 1, rows * (GG_METADATA_ROWS / rows_of), k, batch};
    const uint64_t strides[] = {block, block, column, next};
    return encode_map(out, driver, map, type_of(map), p.metadata, extents, strides, err);
  }
  const uint64_t extents[] = {GG_METADATA_TILE / 8, rows, k, batch};
  const uint64_t strides[] = {GG_METADATA_TILE, column, next};
  return encode_map(out, driver, map, type_of(map), p.metadata, extents, strides, err);
}

static gg_status encode_any(uint64_t out[16], const gg_driver *driver, const gg_kernel *kernel,
                            const gg_problem *problem, const gg_tensor_map *map, gg_error *err) {
  if (is_of_scales(map)) return encode_scales(out, driver, kernel, problem, map, err);
  if (map->operand == GG_OPERAND_METADATA)
    return encode_metadata(out, driver, kernel, problem, map, err);
  gg_view view = view_of(kernel, problem, map);
  if (view.written) {
    view.length = writable(&view);
  } else if (!is_used(problem, map)) {
    view.address = problem->d / align_of(map) * align_of(map);
    view.length = line_unit(map);
    view.rows = halves(map) ? 2 : 1;
    view.batch = 1;
    view.ld = gg_dtype_unit(map->type, (int)align_of(map));
  }
  return encode(out, driver, map, &view, err);
}

/* The map for the operand's last rows or columns: its boxes have as many as whole boxes leave. */
static gg_tensor_map end_of(const gg_kernel *kernel, const gg_problem *problem,
                            const gg_tensor_map *map) {
  gg_tensor_map end = *map;
  gg_view view = view_of(kernel, problem, map);
  bool lines = view.operand->major == GG_MAJOR_K;
  int64_t unit = lines ? 1 : unit_of(&view), of = lines ? view.rows : view.length;
  int64_t rest = of % map->box[lines];
  if (rest > 0) end.box[lines] = (int)((rest + unit - 1) / unit * unit);
  return end;
}

gg_status gg_tensor_maps_encode(uint64_t out[GG_LAUNCH_MAPS_MAX][16], const gg_driver *driver,
                                const gg_kernel *kernel, const gg_problem *problem, gg_error *err) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < kernel->map_count && !st; i++) {
    const gg_tensor_map *map = &kernel->maps[i];
    st = encode_any(*out++, driver, kernel, problem, map, err);
    if (st || !map->end) continue;
    const gg_tensor_map end = end_of(kernel, problem, map);
    st = encode_any(*out++, driver, kernel, problem, &end, err);
  }
  return st;
}
