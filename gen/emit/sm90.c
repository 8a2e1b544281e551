/* Families sm90, sm100 and sm120: plan + layouts -> what templates/sm90_*.cu and sm100_*.cu name.
 * What only the others name stands in emit/sm100.c and sm120.c.
 *
 * As in every family, one block of constexpr sizes, types, layout functions and instruction
 * wrappers goes to the top of the kernel; the body below it uses only those names. */
#include "plan/sm90.h"

#include <assert.h>
#include <string.h>

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/layout_text.h"
#include "emit/skeleton.h"
#include "emit/sm100.h"
#include "emit/sm120.h"
#include "emit/sm90.h"
#include "plan/distribution.h"
#include "plan/gate.h"
#include "plan/map_sets.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sm100.h"

typedef long long ll; /* for printf */

/* ---- Types and sizes -------------------------------------------------------------------- */

static void write_types(gg_str *out, const gg_plan *plan) {
  const char *accumulator;
  gg_mma_atom_registers(&plan->mma, GG_MMA_C, &accumulator);
  if (plan->swap_ab) {
    gg_str_puts(
        out,
        "// What follows computes D^T = B * A^T (swap_ab): its A is the problem's B, its M the "
        "problem's\n// N, and a row of its D and C is a column of the problem's.\n\n");
  }
  gg_str_puts(out, "using int64 = long long;\n");
  bool packed_a = gg_dtype_info_of(plan->a.type)->bits < 8; /* then threads copy B's lines alone */
  if (gg_sm90_copies_lines(plan) || gg_plan_changes_maps(plan))
    gg_cuda_write_type(out, "ab", packed_a ? plan->b.type : plan->a.type);
  gg_cuda_write_types(out, plan);
  gg_str_printf(out, "using acc_t = %s;  // %s\n", accumulator,
                plan->accumulator == GG_DTYPE_f16 ? "two of f16"
                                                  : gg_dtype_info_of(plan->accumulator)->name);
  gg_str_puts(out, "\n// How an operand is copied in boxes; made at launch.\n"
                   "struct alignas(64) tensor_map {\n"
                   "  unsigned long long words[16];\n"
                   "};\n");
}

/* How many CTAs a cluster has, and which share operands: as bits, those of rank_m 0 and of rank_n
 * 0. */
static void write_cluster(gg_str *out, const gg_plan *plan) {
  int plane = plan->cluster_m * plan->cluster_n;
  unsigned row = 0;
  for (int i = 0; i < plan->cluster_n; i++)
    row |= 1u << i * plan->cluster_m;
  gg_str_printf(out, "constexpr int cluster_plane = %d;  // CTAs that share operands\n", plane);
  gg_str_printf(out, "constexpr int cluster_size = %d;   // CTAs\n", plane * plan->cluster_k);
  gg_str_printf(out, "constexpr unsigned row_ctas = 0x%x;     // those that share A, as bits\n",
                row);
  gg_str_printf(out, "constexpr unsigned column_ctas = 0x%x;  // those that share B\n",
                (1u << plan->cluster_m) - 1);
  if (plan->cta_group > 1)
    gg_str_printf(out, "constexpr unsigned half_ctas = 0x%x;    // those that share a half of it\n",
                  ((1u << plan->cluster_m) - 1) / 3);
}

/* The consumers, and what a thread of them has of a tile. */
static void write_consumers(gg_str *out, const gg_plan *plan) {
  gg_str_printf(out, "constexpr int consumers = %d;  // warpgroups that multiply\n",
                plan->consumers);
  gg_str_printf(out, "constexpr int frags_m = %d;    // MMAs of a consumer along M\n",
                gg_plan_block_m(plan) / gg_plan_mma_rows(plan));
  gg_str_printf(out, "constexpr int k_steps = %d;\n", plan->tile_k / plan->mma.k);
  if (plan->promote) {
    gg_str_printf(out, "constexpr int promoted_steps = %d;  // summed by the tensor core alone\n",
                  plan->promote);
    gg_str_printf(out, "constexpr int sum_sets = %d;        // of registers for such sums\n",
                  plan->sum_sets);
  }
  gg_str_printf(out, "constexpr int acc_words = %d;  // registers of an MMA's accumulator\n",
                gg_sm90_mma_registers(plan));
  gg_str_printf(out, "constexpr int acc_elements = %d;  // of a register\n",
                plan->accumulator == GG_DTYPE_f16 ? 2 : 1);
  gg_str_printf(out, "constexpr int threads = %d, ctas_per_sm = %d;\n", plan->threads,
                plan->ctas_per_sm);
  if (plan->specialised) {
    gg_str_printf(out, "constexpr bool pingpong = %s;  // whole tiles in turns\n",
                  gg_cuda_bool(plan->pingpong));
    gg_str_printf(out, "constexpr int tile_warps = %d;  // that compute a tile\n",
                  gg_plan_tile_warps(plan));
    gg_str_printf(out, "constexpr int producer_registers = %d, consumer_registers = %d;\n",
                  plan->producer_registers, plan->consumer_registers);
  }
}

static void write_tile(gg_str *out, const gg_plan *plan) {
  gg_str_printf(out, "constexpr int tile_m = %d, tile_n = %d, tile_k = %d;\n", plan->tile_m,
                plan->tile_n, plan->tile_k);
  bool warps = gg_plan_multiplies_by_warps(plan);
  int beside = gg_plan_wgmmas_beside(plan);
  gg_str_printf(out, "constexpr int mma_m = %d, mma_n = %d;%s\n",
                warps ? gg_plan_mma_rows(plan) : plan->mma.m,
                warps ? gg_plan_warp_columns(plan) : gg_plan_mma_columns(plan),
                warps || beside > 1 ? "  // of a warpgroup's together" : "");
  if (beside > 1 && gg_plan_has_mmas_along_n(plan))
    gg_str_printf(out, "constexpr int mmas_n = %d;  // side by side\n", beside);
  if (gg_plan_in_tensor_memory(plan))
    gg_sm100_write_consumers(out, plan);
  else
    write_consumers(out, plan);
  gg_str_printf(out, "constexpr int cluster_m = %d, cluster_n = %d, cluster_k = %d;\n",
                plan->cluster_m, plan->cluster_n, plan->cluster_k);
  write_cluster(out, plan);
  if (plan->raster != GG_RASTER_HILBERT) {
    gg_str_printf(out, "constexpr bool raster_along_m = %s;\n",
                  gg_cuda_bool(plan->raster == GG_RASTER_ALONG_M));
    gg_str_printf(out, "constexpr int raster_group = %d;  // clusters' tiles\n",
                  plan->raster_group);
  }
  gg_str_putc(out, '\n');
}

/* Where clusters claim their first work, and where they keep it. */
static void write_claims(gg_str *out, const gg_plan *plan, const gg_rings *rings) {
  if (!plan->claims) return;
  gg_str_printf(out,
                "constexpr int gpcs_most = %d, multiprocessors_most = %d;\n"
                "constexpr int claims_begin = %d;  // of the workspace's counters\n"
                "constexpr unsigned work_begin = %lld;  // in shared memory, what was claimed\n",
                GG_GPCS_MAX, GG_GPC_MULTIPROCESSORS, GG_CLAIM_COUNTERS_BEGIN,
                (ll)rings->word_begin);
}

/* Where sums of shared tiles are reduced. */
static void write_shares(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_shares_tiles(plan)) return;
  gg_str_printf(out, "constexpr unsigned counters_bytes = %d;  // of the workspace, in front\n\n",
                GG_WORKSPACE_COUNTERS);
}

/* How the boxes of an operand's tile lie in a stage; `x` is its letter. */
static void write_boxes(gg_str *out, char x, bool k_major, const gg_boxed_tile *boxes) {
  gg_str_printf(out, "constexpr bool %c_k_major = %s;\n", x, gg_cuda_bool(k_major));
  gg_str_printf(out,
                "constexpr int boxes_%c = %d, line_%c = %d;  // boxes side by side, and a line's "
                "elements\n",
                x, boxes->count, x, boxes->line);
  gg_str_printf(out, "constexpr int box_lines_%c = %d, box_bytes_%c = %lld;\n", x, boxes->lines, x,
                (ll)boxes->bytes);
}

/* What is not copied in boxes. */
static void write_alignment(gg_str *out, const gg_plan *plan) {
  bool lines = gg_sm90_copies_lines(plan);
  if (lines)
    gg_str_printf(out, "constexpr int align_a = %d, align_b = %d;  // bytes\n", plan->a.align,
                  plan->b.align);
  if (gg_sm90_has_copiers(plan))
    gg_str_printf(out, "constexpr int copies_ahead = %d;  // stages\n", plan->copies_ahead);
  if (lines)
    gg_str_printf(out, "constexpr int first_copier_of_b = %d;  // a warp\n",
                  gg_sm90_first_copier_of_b(plan));
}

/* What arrives to be transposed. */
static void write_raw(gg_str *out, const gg_plan *plan, const gg_rings *rings) {
  const gg_ring *raw = gg_rings_find(rings, GG_RING_RAW);
  if (!raw) return;
  gg_str_printf(out, "constexpr unsigned raw_bytes = %lld;  // that arrive to be transposed\n",
                (ll)raw->tx_bytes);
  gg_str_printf(out, "constexpr int raw_bytes_each = %d;    // of an element\n",
                gg_dtype_info_of(plan->a.type)->bits / 8);
  gg_str_printf(out, "constexpr unsigned raw_barriers_begin = %lld;\n", (ll)raw->full.begin);
}

/* What is fetched for the epilogue. */
static void write_subtiles(gg_str *out, const gg_ring *subtiles) {
  if (!subtiles) return;
  gg_str_printf(out,
                "constexpr int subtile_stages = %d;  // of what is fetched for %s epilogue\n"
                "constexpr unsigned subtiles_begin = %lld, subtile_bytes = %lld;\n"
                "constexpr unsigned subtile_barriers_begin = %lld;\n",
                subtiles->depth, subtiles->instances > 1 ? "a consumer's" : "the",
                (ll)subtiles->begin, (ll)subtiles->bytes, (ll)subtiles->full.begin);
}

/* Sets of tensor maps, in the workspace, and what is beside them. */
static void write_map_sets(gg_str *out, const gg_ring *sets) {
  if (!sets) return;
  gg_str_printf(out,
                "constexpr int map_set_count = %d;  // of tensor maps with a batch's addresses\n"
                "constexpr unsigned d_addresses_begin = %lld, map_barriers_begin = %lld;\n",
                sets->depth, (ll)sets->begin, (ll)sets->full.begin);
}

/* Where other CTAs' sums and the epilogue's vectors lie, and the barriers of all rings. */
static void write_rings(gg_str *out, const gg_rings *rings) {
  const gg_ring *sums = gg_rings_find(rings, GG_RING_SUMS),
                *vectors = gg_rings_find(rings, GG_RING_VECTORS);
  if (sums)
    gg_str_printf(out, "constexpr unsigned sums_begin = %lld, sum_barriers_begin = %lld;\n",
                  (ll)sums->begin, (ll)sums->full.begin);
  gg_str_printf(out, "constexpr unsigned barriers_begin = %lld;\n", (ll)rings->barriers_begin);
  if (gg_rings_find(rings, GG_RING_ACCUMULATORS)) gg_sm100_write_rings(out, rings);
  write_subtiles(out, gg_rings_find(rings, GG_RING_SUBTILES));
  write_map_sets(out, gg_rings_find(rings, GG_RING_MAPS));
  if (!vectors) return;
  gg_str_printf(out,
                "constexpr int vector_buffers = %d;  // of a tile's vectors for the epilogue\n"
                "constexpr unsigned vectors_begin = %lld, vectors_bytes = %lld;\n"
                "constexpr unsigned vector_barriers_begin = %lld;\n",
                vectors->depth, (ll)vectors->begin, (ll)vectors->bytes, (ll)vectors->full.begin);
}

static void write_memory(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES),
                *staging = gg_rings_find(&layouts->rings, GG_RING_STAGING);
  gg_str_puts(out, "// Shared memory, in bytes: stages of A and B, staging buffers, barriers.\n");
  gg_str_printf(out, "constexpr int stages = %d;\n", stages->depth);
  assert(stages->begin == 0);
  gg_str_printf(out, "constexpr unsigned stage_bytes_a = %lld, stage_bytes = %lld;\n",
                (ll)gg_plan_smem_bytes(plan, plan->a.type, layouts->size_a), (ll)stages->bytes);
  gg_str_printf(out, "constexpr unsigned tx_bytes = %lld;  // that arrive in a stage\n",
                (ll)stages->tx_bytes);
  if (gg_sm90_has_end(plan, &plan->a))
    gg_str_printf(out, "constexpr int row_bytes_a = %lld;\n",
                  (ll)gg_plan_smem_bytes(plan, plan->a.type, gg_plan_k_of_a(plan, plan->tile_k)));
  if (gg_sm90_has_end(plan, &plan->b))
    gg_str_printf(out, "constexpr int row_bytes_b = %lld;\n",
                  (ll)gg_plan_smem_bytes(plan, plan->b.type, plan->tile_k));
  write_alignment(out, plan);
  write_raw(out, plan, &layouts->rings);
  if (gg_plan_is_scaled(plan)) gg_sm100_write_scales(out, plan, layouts);
  if (gg_plan_multiplies_by_warps(plan)) gg_sm120_write_fragments(out, plan);
  if (plan->sparse_a) gg_sm100_write_metadata(out, plan, layouts);
  if (plan->a_in_tensor) gg_sm100_write_a(out, layouts);
  gg_str_printf(out, "constexpr int epi_m = %d, epi_n = %d, epi_buffers = %d;  // of a warp\n",
                plan->epi_m, plan->epi_n, staging->depth);
  if (plan->box_warps > 1)
    gg_str_printf(out,
                  "constexpr int box_warps = %d, box_threads = %d;  // that stage a box together\n"
                  "constexpr int box_barriers = %d;  // the first of those at which they meet\n",
                  plan->box_warps, GG_WARP * plan->box_warps, GG_SM90_BOX_BARRIER);
  if (gg_plan_is_gated(plan))
    gg_str_printf(out, "constexpr int d_n = %d;  // columns of D for a box's epi_n\n",
                  gg_plan_columns_of_d(plan, plan->epi_n));
  gg_str_printf(out, "constexpr int read_n = %d;  // columns whose operands are read at once\n",
                plan->read_n);
  gg_str_printf(out, "constexpr unsigned epi_bytes = %lld, epi_begin = %lld;\n", (ll)staging->bytes,
                (ll)staging->begin);
  write_rings(out, &layouts->rings);
  write_claims(out, plan, &layouts->rings);
  gg_str_printf(out, "constexpr bool d_n_major = %s;\n", gg_cuda_bool(plan->d.major == GG_MAJOR_N));
  if (plan->has_c && !gg_sm90_fetches_c(layouts)) {
    gg_str_printf(out, "constexpr bool c_n_major = %s;\n",
                  gg_cuda_bool(plan->c.major == GG_MAJOR_N));
  }
  if (gg_plan_scales_d(plan)) gg_sm100_write_scaled_d(out, plan);
  gg_sm90_write_epilogue(out, plan, layouts);
  gg_str_putc(out, '\n');
}

/* ---- Functions -------------------------------------------------------------------------- */

/* A K step of several units of 16 bytes: where it begins, and where what does not fit its line goes
 * on. Behind the last line nothing does. */
static void write_cut_steps(gg_str *out, char x, const gg_boxed_tile *boxes, int k_units) {
  int line = k_units / boxes->count;
  gg_str_printf(
      out,
      "\n// A K step is %d units of 16 bytes. Those behind the end of a line are in the next box's\n"
      "// line; its address stands where other descriptors have the leading dimension.\n"
      "__device__ __forceinline__ constexpr unsigned long long desc_%c_step(int block, int "
      "step) {\n"
      "  return (unsigned long long)desc_%c_unit(block, (%d * step / %d + 1) * %d %% %d) << "
      "16 |\n"
      "         desc_%c_unit(block, %d * step);\n}\n",
      boxes->step_units, x, x, boxes->step_units, line, line, k_units, x, boxes->step_units);
}

static gg_status write_descriptor(gg_str *out, char x, const gg_boxed_tile *boxes, int k_units,
                                  gg_error *err) {
  static const char *const steps[2] = {"block", "step"}, *const units[2] = {"block", "unit"};
  char name[] = "desc_?_step", unit_name[] = "desc_?_unit";
  bool cut = boxes->step_units > 0;
  name[5] = unit_name[5] = x;
  gg_composed layout = gg_composed_of(&boxes->steps);
  gg_str_printf(out, "constexpr unsigned long long desc_%c_base = 0x%llxull;\n\n", x,
                (unsigned long long)boxes->descriptor);
  gg_status st =
      gg_emit_layout_function(out, cut ? unit_name : name, cut ? units : steps, &layout, err);
  if (!st && cut) write_cut_steps(out, x, boxes, k_units);
  return st;
}

static gg_status write_layouts(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                               gg_error *err) {
  static const char *const m_k[2] = {"m", "k"};
  gg_status st;
  if (gg_plan_multiplies_by_warps(plan)) {
    if ((st = gg_sm120_write_layouts(out, layouts, err))) return st;
    if ((st = gg_sm90_write_results(out, plan, layouts, err))) return st;
    return gg_sm90_write_fetched(out, plan, layouts, err);
  }
  int k_units = (int)gg_plan_smem_bytes(plan, plan->b.type, plan->tile_k) / 16;
  gg_str_puts(out, "// Descriptors of an MMA's operands without the address. It is in units of 16 "
                   "bytes, and moves on\n// by a `step` that depends on the block of the tile and "
                   "the step along K.\n");
  if (!plan->a_in_registers) {
    if ((st = write_descriptor(out, 'a', &layouts->boxes_a, k_units, err))) return st;
    gg_str_putc(out, '\n');
  }
  if ((st = write_descriptor(out, 'b', &layouts->boxes_b, k_units, err))) return st;
  if (plan->a_in_registers) {
    gg_str_printf(out, "\n// An element of A in a stage.\nconstexpr int element_bytes_a = %d;\n\n",
                  (int)gg_dtype_bytes(plan->a.type, 1));
    if ((st = gg_emit_layout_function(out, "smem_a", m_k, &layouts->sA, err))) return st;
  }
  if ((st = gg_sm90_write_results(out, plan, layouts, err))) return st;
  return gg_sm90_write_fetched(out, plan, layouts, err);
}

gg_status gg_sm90_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_status st;
  write_types(&text, plan);
  gg_str_putc(&text, '\n');
  write_tile(&text, plan);
  write_shares(&text, plan);
  write_boxes(&text, 'a', gg_sm90_is_k_major(plan, &plan->a), &layouts->boxes_a);
  gg_str_putc(&text, '\n');
  write_boxes(&text, 'b', gg_sm90_is_k_major(plan, &plan->b), &layouts->boxes_b);
  if (plan->split_columns)
    gg_cuda_write_split_columns(&text, plan);
  else
    gg_str_putc(&text, '\n');
  write_memory(&text, plan, layouts);
  gg_cuda_write_extents(&text, plan);
  gg_bind_str(out, "sizes", &text);
  st = write_layouts(&text, plan, layouts, err);
  gg_bind_str(out, "layouts", &text);
  if (st) return st;
  const char *accumulator;
  gg_mma_atom_registers(&plan->mma, GG_MMA_C, &accumulator);
  bool warps = gg_plan_multiplies_by_warps(plan);
  if (!warps || gg_plan_reduces_sums(plan))
    gg_bind_text(out, "acc_register", strcmp(accumulator, "float") == 0 ? "f" : "r");
  /* A pair's copies may tell a barrier of the other CTA. */
  gg_bind_text(out, "load_group", plan->cta_group > 1 ? ".cta_group::2" : "");
  /* To a CTA's own memory sm_120 copies by an instruction, to a cluster's by a call, beside which
   * registers are not handed over. (ptxas 13.0: C7506.) */
  gg_bind_text(out, "load_to", plan->arch.number >= 120 ? "shared::cta" : "shared::cluster");
  gg_bind_part(out, "box_columns",
               gg_plan_in_tensor_memory(plan) && gg_sm100_has_parts(plan) ? "sm100_box_columns"
                                                                          : "sm90_box_columns");
  gg_bind_part(out, "boxes_of_mmas", gg_plan_has_mmas_along_n(plan) ? "sm90_boxes_of_mmas" : NULL);
  gg_sm90_bind_slots(out, plan, layouts);
  if (gg_plan_in_tensor_memory(plan)) gg_sm100_bind_slots(out, plan, layouts);
  if (warps) gg_sm120_bind_slots(out, plan);
  gg_sm90_bind_results(out, plan, layouts);
  gg_sm90_bind_fetched(out, plan, layouts);
  gg_sm90_bind_shared(out, plan, layouts);
  gg_str loads = GG_STR_INIT;
  if (gg_plan_in_tensor_memory(plan)) gg_sm100_write_loads(&loads, plan);
  st = gg_cuda_bind(out, plan, layouts, "acc_t", gg_str_text(&loads), err);
  gg_str_free(&loads);
  return st;
}
