#include "plan/operands.h"

#include <assert.h>

#include "atom/dtype.h"
#include "plan/map_sets.h"
#include "plan/narrow.h"
#include "plan/operation.h"
#include "plan/scales.h"
#include "plan/sparse.h"
#include "plan/sums.h"

/* ---- The table -------------------------------------------------------------------------- */

/* The tensor map of an operand; NULL if it has none. `operation` is 0 unless the operand is the
 * epilogue's. */
static const gg_tensor_map *map_of(const gg_layouts *layouts, gg_operand_id id, int operation) {
  for (size_t i = 0; i < layouts->map_count; i++) {
    const gg_tensor_map *map = &layouts->maps[i];
    if (map->operand == id && map->operation == operation) return map;
  }
  return NULL;
}

int64_t gg_vector_bytes(const gg_plan *plan, const gg_operand *vector, gg_span span) {
  int length = span == GG_SPAN_ROWS      ? plan->tile_m
               : span == GG_SPAN_COLUMNS ? gg_plan_tile_span(plan)
                                         : 1;
  return gg_dtype_bytes(vector->type, length);
}

/* Sets where A and B lie: side by side in a stage. */
static void place_inputs(gg_operand_row *a, gg_operand_row *b, const gg_plan *plan,
                         const gg_layouts *layouts) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES);
  if (!stages) return;
  a->ring = b->ring = stages;
  a->bytes = gg_plan_smem_bytes(plan, a->is->type, layouts->size_a);
  b->bytes = gg_plan_smem_bytes(plan, b->is->type, layouts->size_b);
  b->offset = a->bytes;
  a->swizzle = plan->swizzle_a;
  b->swizzle = plan->swizzle_b;
}

/* Sets where metadata or scale factors lie: behind A and B, at the end of a stage. */
static void place_beside(gg_operand_row *row, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES);
  row->ring = stages;
  row->bytes = row->id == GG_OPERAND_METADATA  ? gg_metadata_bytes(plan)
               : row->id == GG_OPERAND_SCALE_A ? gg_scale_bytes_a(plan)
                                               : gg_scale_bytes_b(plan);
  row->offset = stages->bytes - gg_scale_stage_bytes(plan);
  if (row->id == GG_OPERAND_METADATA) row->offset -= row->bytes;
  if (row->id == GG_OPERAND_SCALE_B) row->offset += gg_scale_bytes_a(plan);
}

const char *gg_operand_word(gg_operand_id id) {
  static const char *const words[] = {[GG_OPERAND_A] = "a",
                                      [GG_OPERAND_B] = "b",
                                      [GG_OPERAND_C] = "c",
                                      [GG_OPERAND_D] = "d",
                                      [GG_OPERAND_SCALE_A] = "scale_a",
                                      [GG_OPERAND_SCALE_B] = "scale_b",
                                      [GG_OPERAND_SCALE_D] = "scale_d",

                                      [GG_OPERAND_METADATA] = "metadata"};
  return words[id];
}

/* Whether the kernel has this operand. */
static bool is_there(const gg_plan *plan, gg_operand_id id) {
  switch (id) {
  case GG_OPERAND_C:
    return plan->has_c;
  case GG_OPERAND_SCALE_A:
  case GG_OPERAND_SCALE_B:
    return gg_plan_is_scaled(plan);
  case GG_OPERAND_SCALE_D:
    return gg_plan_scales_d(plan);
  case GG_OPERAND_METADATA:
    return plan->sparse_a;
  default:
    return true;
  }
}

/* Whether the operand comes together with A and B, in their stages. */
static bool is_beside(const gg_plan *plan, gg_operand_id id) {
  if (id == GG_OPERAND_METADATA) return gg_metadata_bytes(plan) > 0;
  return id == GG_OPERAND_SCALE_A || id == GG_OPERAND_SCALE_B;
}

static bool is_result(const gg_layouts *layouts, int operation) {
  for (size_t i = 0; i < layouts->result_count; i++) {
    if (layouts->results[i].operation == operation) return true;
  }
  return false;
}

static bool is_lined(const gg_layouts *layouts, const gg_operand_row *row) {
  for (size_t i = 0; i < layouts->lined_count; i++) {
    const gg_lined *lined = &layouts->lined[i];
    if (lined->is_c ? row->id == GG_OPERAND_C
                    : row->id == GG_OPERAND_EXTRA && row->operation == lined->operation)
      return true;
  }
  return false;
}

/* Sets where an operand lies that the epilogue reads or stores. */
static void place_output(gg_operand_row *row, const gg_plan *plan, const gg_layouts *layouts) {
  bool staged = row->id == GG_OPERAND_D || is_lined(layouts, row) ||
                (row->id == GG_OPERAND_EXTRA && is_result(layouts, row->operation));
  bool vector = row->span != GG_SPAN_MATRIX;
  gg_ring_id fetched = plan->subtile_stages ? GG_RING_SUBTILES : GG_RING_STAGES;
  gg_ring_id ring = staged ? GG_RING_STAGING : vector ? GG_RING_VECTORS : fetched;
  if (!staged && !vector && !row->map) return;
  row->ring = gg_rings_find(&layouts->rings, ring);
  if (!vector || !row->ring) return;
  row->offset = layouts->vector_begin[row->operation];
  row->bytes = gg_vector_bytes(plan, row->is, row->span);
}

size_t gg_operand_rows(gg_operand_row out[GG_OPERAND_ROWS_MAX], const gg_plan *plan,
                       const gg_layouts *layouts) {
  const gg_operand_row matrices[] = {
      {.id = GG_OPERAND_A, .is = &plan->a},
      {.id = GG_OPERAND_B, .is = &plan->b},
      {.id = GG_OPERAND_SCALE_A},
      {.id = GG_OPERAND_SCALE_B},
      {.id = GG_OPERAND_METADATA},
      {.id = GG_OPERAND_C, .is = &plan->c},
      {.id = GG_OPERAND_D, .is = &plan->d, .written = true},
      {.id = GG_OPERAND_SCALE_D, .written = true},
  };
  size_t count = 0;
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
    if (!is_there(plan, matrices[i].id)) continue;
    out[count] = matrices[i];
    out[count].span = GG_SPAN_MATRIX;
    out[count++].map = map_of(layouts, matrices[i].id, 0);
  }
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    gg_span span = gg_operation_span(operation);
    if (span == GG_SPAN_NONE) continue;
    out[count++] = (gg_operand_row){.id = GG_OPERAND_EXTRA,
                                    .operation = (int)i,
                                    .is = &operation->operand,
                                    .span = span,
                                    .written = gg_operation_writes(operation),
                                    .map = map_of(layouts, GG_OPERAND_EXTRA, (int)i)};
  }
  place_inputs(&out[0], &out[1], plan, layouts);
  for (size_t i = 2; i < count; i++) {
    if (is_beside(plan, out[i].id))
      place_beside(&out[i], plan, layouts);
    else
      place_output(&out[i], plan, layouts);
  }
  for (size_t i = 0; i < count; i++) {
    out[i].home = out[i].ring ? GG_HOME_SHARED : GG_HOME_GLOBAL;
    out[i].copy = out[i].map ? GG_COPY_MAP : out[i].ring ? GG_COPY_THREADS : GG_COPY_DIRECT;
  }
  return count;
}

/* ---- Parameters ------------------------------------------------------------------------- */

typedef struct params {
  gg_param *list;
  size_t count;
} params;

static void add(params *out, gg_param_kind kind) {
  assert(out->count < GG_PARAMS_MAX);
  out->list[out->count++] = (gg_param){.kind = kind};
}

static void add_of(params *out, gg_param_kind kind, const gg_operand_row *row) {
  add(out, kind);
  out->list[out->count - 1].operand = row->id;
  out->list[out->count - 1].operation = row->operation;
}

/* Whether the operand has a parameter of this kind. What a map writes also has an address, because
 * the kernel stores it itself where lines end. */
static bool has(const gg_operand_row *row, gg_param_kind kind) {
  if (kind == GG_PARAM_MAP) return row->map != NULL;
  if (kind == GG_PARAM_MAP_END) return row->map && row->map->end;
  if (kind == GG_PARAM_LD && (row->span != GG_SPAN_MATRIX || !row->is)) return false;
  return !row->map || row->written;
}

/* Adds the maps of A, B, C and D, each followed by that of its last lines. */
static void add_maps(params *out, const gg_operand_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (rows[i].id == GG_OPERAND_EXTRA) continue;
    if (has(&rows[i], GG_PARAM_MAP)) add_of(out, GG_PARAM_MAP, &rows[i]);
    if (has(&rows[i], GG_PARAM_MAP_END)) add_of(out, GG_PARAM_MAP_END, &rows[i]);
  }
}

/* Adds the parameters of this kind for A, B, C, D and what belongs to them. If a batch is given by
 * arrays of addresses, there are arrays for matrices that maps copy, too, and no strides from one
 * matrix to the next. */
static void add_matrices(params *out, gg_param_kind kind, const gg_plan *plan,
                         const gg_operand_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (rows[i].id == GG_OPERAND_EXTRA) continue;
    bool is_in = has(&rows[i], kind);
    if (gg_plan_has_array_of(plan, rows[i].id) && kind != GG_PARAM_LD)
      is_in = kind == GG_PARAM_ADDRESS;
    if (is_in) add_of(out, kind, &rows[i]);
  }
}

static void add_extras(params *out, const gg_operand_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    for (int kind = GG_PARAM_ADDRESS; kind <= GG_PARAM_MAP; kind++) {
      if (rows[i].id == GG_OPERAND_EXTRA && has(&rows[i], (gg_param_kind)kind))
        add_of(out, (gg_param_kind)kind, &rows[i]);
    }
  }
}

static void add_shares(params *out, const gg_plan *plan) {
  bool shares = gg_plan_shares_tiles(plan), sums = gg_plan_sums(plan, GG_SPAN_NONE) > 0;
  if (shares || sums || plan->claims) add(out, GG_PARAM_WORKSPACE);
  for (int kind = GG_PARAM_SHARED_TILES; shares && kind <= GG_PARAM_GROUP_SHARES; kind++)
    add(out, (gg_param_kind)kind);
  if (sums) add(out, GG_PARAM_SUM_PARTS);
  if (plan->cluster_k > 1) add(out, GG_PARAM_NEXT_BESIDE);
  if (gg_plan_changes_maps(plan)) add(out, GG_PARAM_MAP_SETS);
  if (plan->claims) add(out, GG_PARAM_GPCS);
}

size_t gg_kernel_params(gg_param list[GG_PARAMS_MAX], const gg_plan *plan,
                        const gg_layouts *layouts) {
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t count = gg_operand_rows(rows, plan, layouts);
  params out = {.list = list};
  add_maps(&out, rows, count);
  add_matrices(&out, GG_PARAM_ADDRESS, plan, rows, count);
  for (int kind = GG_PARAM_M; kind <= GG_PARAM_BATCH; kind++)
    add(&out, (gg_param_kind)kind);
  add_matrices(&out, GG_PARAM_LD, plan, rows, count);
  add_matrices(&out, GG_PARAM_BATCH_STRIDE, plan, rows, count);
  if (plan->alpha) add(&out, GG_PARAM_ALPHA);
  if (plan->has_c) add(&out, GG_PARAM_BETA);
  add_shares(&out, plan);
  if (layouts->evicts_first) add(&out, GG_PARAM_EVICT_FIRST);
  add_extras(&out, rows, count);
  return out.count;
}
