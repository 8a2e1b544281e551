/* Family sm100: plan -> layouts. Operands and staging are sm90's (derive_sm90.c); the accumulators
 * lie in tensor memory, where tcgen05.mma leaves them (atom/tmem.h), and a warp of the epilogue
 * reads them with tcgen05.ld.16x256b: 16 lanes by 8 columns at a time, of which a thread gets two
 * neighbouring columns of a row and of the row 8 further, as the accumulators of a wgmma lie. */
#include "atom/dtype.h"
#include "atom/smem_desc.h"
#include "atom/tmem.h"
#include "plan/check.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm90.h"

int gg_sm100_accumulator_columns(const gg_plan *plan) {
  return gg_sm100_mmas_m(plan) * plan->tile_n;
}

int gg_sm100_allocated_columns(const gg_plan *plan) {
  enum { least = 32 };
  int columns = least;
  int taken = gg_sm100_accumulator_columns(plan) * plan->accumulator_stages;
  while (columns < taken + gg_scale_columns(plan))
    columns *= 2;
  return columns;
}

/* Where the tensor core leaves the sums: ((M,N),MMAs along M,along N,stages) -> lane and column. */
static gg_status derive_tensor_memory(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  const gg_tmem_tile tile = {
      .ctas = plan->cta_group,
      .m = gg_plan_mma_rows(plan),
      .n = plan->mma.n,
      .rest = {gg_sm100_mmas_m(plan), 1, plan->accumulator_stages},
      .rests = 3,
      .value_bits = gg_dtype_info_of(plan->accumulator)->bits,
      .storage_bits = 32,
      .alloc =
          gg_plan_mma_rows(plan) < GG_TMEM_LANES ? GG_TMEM_NON_INTERLEAVED : GG_TMEM_INTERLEAVED,
  };
  gg_layout layout;
  gg_status st = gg_tmem_frg(&layout, &tile, err);
  if (st) return st;
  gg_layouts_name_plain(out, "tCtC", "((m,n),MMA,1,stage) -> lane * 65536 + column", &layout);
  return GG_OK;
}

/* What the epilogue's threads read of a tile. */
static gg_status derive_reads(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  int blocks = gg_sm100_blocks_of_mma(plan), mmas = gg_sm100_mmas_m(plan), m = plan->tile_m;
  int warp_rows = blocks * GG_SM90_STAGED_ROWS;
  gg_tuple threads = GG_TUPLE(4, 8, 4), thread_steps = GG_TUPLE(2 * m, 1, warp_rows);
  gg_tuple values = GG_TUPLE(2, 2, plan->tile_n / 8, blocks, mmas);
  gg_tuple value_steps = GG_TUPLE(m, 8, 8 * m, GG_SM90_STAGED_ROWS, gg_plan_mma_rows(plan));
  gg_tuple shape, stride;
  gg_status st;
  if ((st = gg_tuple_pair(&shape, &threads, &values, err))) return st;
  if ((st = gg_tuple_pair(&stride, &thread_steps, &value_steps, err))) return st;
  if ((st = gg_layout_make(&out->tCrC, &shape, &stride, err))) return st;
  return gg_check_cover("tCrC", &out->tCrC, (int64_t)plan->tile_m * plan->tile_n, err);
}

/* ---- Scale factors ------------------------------------------------------------------------ */

static void add_scale_map(gg_layouts *out, gg_operand_id operand, gg_dtype type, int rows, int k) {
  enum { atom_elements = GG_SCALE_ATOM_BYTES / 2 };
  out->maps[out->map_count++] =
      (gg_tensor_map){.operand = operand,
                      .type = type,
                      .rank = 4,
                      .modes = {GG_MAP_SCALE_ATOM, GG_MAP_SCALE_ROWS, GG_MAP_SCALE_K, GG_MAP_BATCH},
                      .box = {atom_elements, rows, k, 1}};
}

/* For a copy an atom is 32 rows of 16 bytes, each of which has four rows' factors. Descriptors are
 * of 32 bytes: the copy reads those of the first atom of two. */
static gg_status describe_atom(gg_layouts *out, gg_error *err) {
  const gg_tuple rows = GG_TUPLE(32, 32), order = GG_TUPLE(1, 2);
  gg_composed pattern, atom;
  gg_layout whole;
  gg_smem_desc descriptor;
  gg_status st;
  if ((st = gg_smem_atom(&pattern, false, GG_SMEM_INTER, 8, err))) return st;
  if ((st = gg_layout_tile_to_shape(&whole, &pattern.layout, &rows, &order, err))) return st;
  atom = gg_composed_with(&pattern, &whole);
  st = gg_smem_desc_make(&descriptor, GG_SMEM_DESC_TCGEN05, &atom, false, 0, err);
  out->scale_descriptor = descriptor.bits;
  return st;
}

/* What the kernel computes by hand, an atom behind the other, is the layout of a stage's factors in
 * shared memory, and where MMAs want them in tensor memory; offsets are in bytes. */
static gg_status check_atoms(const gg_layout *smem, const gg_layout *tmem, const char *name,
                             int rows, int atoms_k, int block, gg_error *err) {
  enum { lanes = 32, copies = 4, column_bytes = 4, lane_bytes = 65536 * column_bytes };
  int64_t all = gg_layout_size(smem), right = 0, in_atom_k = (int64_t)block * GG_SCALE_FACTORS;
  int64_t all_rows = (int64_t)rows * GG_SCALE_ROWS;
  for (int64_t i = 0; i < all; i++) {
    int64_t row = i % all_rows, k = i / all_rows;
    int64_t atom = k / in_atom_k * rows + row / GG_SCALE_ROWS, factor = k % in_atom_k / block;
    int64_t lane = row % lanes, column = row % GG_SCALE_ROWS / lanes;
    int64_t in_smem = atom * GG_SCALE_ATOM_BYTES + lane * 16 + column * GG_SCALE_FACTORS + factor;
    int64_t in_tmem =
        lane * lane_bytes + factor + (atom * GG_SCALE_ATOM_COLUMNS + column) * column_bytes;
    right += gg_layout_at(smem, i) == in_smem &&
             gg_layout_at(tmem, row + k * all_rows * copies) == in_tmem;
  }
  if (right == all && all == all_rows * atoms_k * in_atom_k) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, name, (long long)right, (long long)all);
}

static gg_status derive_scaled(gg_layouts *out, const gg_plan *plan, bool is_a, int rows,
                               gg_error *err) {
  const char *name = is_a ? "sSFA" : "sSFB";
  gg_layout smem, tmem;
  int block = plan->scale_a.block;
  gg_status st = gg_scale_smem_layout(&smem, block, (int64_t)rows * GG_SCALE_ROWS, plan->tile_k,
                                      plan->mma.k, err);
  if (!st) st = gg_tmem_sf_frg(&tmem, &smem.shape, false, err);
  if (!st) st = check_atoms(&smem, &tmem, name, rows, gg_scale_atoms_k(plan), block, err);
  if (st) return st;
  gg_layouts_name_plain(out, name, "(row, k) -> byte of a stage's scale factors", &smem);
  gg_layouts_name_plain(out, is_a ? "tCtSFA" : "tCtSFB",
                        "((row,k),...) -> lane * 262144 + byte of tensor memory", &tmem);
  return GG_OK;
}

static gg_status derive_scales(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  if (!gg_plan_is_scaled(plan)) return GG_OK;
  int rows_a = gg_scale_atoms_a(plan), rows_b = gg_scale_atoms_b(plan), k = gg_scale_atoms_k(plan);
  add_scale_map(out, GG_OPERAND_SCALE_A, plan->scale_a.type, rows_a, k);
  add_scale_map(out, GG_OPERAND_SCALE_B, plan->scale_b.type, rows_b, k);
  out->scale_column = gg_sm100_accumulator_columns(plan) * plan->accumulator_stages;
  gg_status st = derive_scaled(out, plan, true, rows_a, err);
  if (!st) st = derive_scaled(out, plan, false, rows_b, err);
  return st ? st : describe_atom(out, err);
}

gg_status gg_sm100_derive(gg_layouts *out, const gg_plan *plan, gg_error *err) {
  gg_status st;
  if ((st = gg_sm90_derive_operands(out, plan, err))) return st;
  if ((st = derive_scales(out, plan, err))) return st;
  if ((st = derive_reads(out, plan, err))) return st;
  if ((st = gg_sm90_derive_epilogue(out, plan, err))) return st;
  gg_sm90_name_layouts(out, plan);
  if ((st = derive_tensor_memory(out, plan, err))) return st;
  out->accumulator = (gg_accumulator_place){.home = GG_HOME_TENSOR,
                                            .sets = plan->accumulator_stages,
                                            .columns = gg_sm100_allocated_columns(plan)};
  gg_sm90_derive_rings(out, plan);
  return gg_layouts_place(out, plan, err);
}
