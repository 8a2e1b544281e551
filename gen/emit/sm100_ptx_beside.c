/* Family sm100 in PTX: what lies in tensor memory beside the sums: an A, scale factors of A and B,
 * the metadata of a sparse A.
 *
 * The producer's maps bring these to a stage: behind A and B, or as A itself. The issuer's thread
 * then has the tensor core copy them to tensor memory, after the MMAs that it has issued and before
 * those that read them. */
#include "emit/sm100_ptx.h"

#include "emit/sm100.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sparse.h"

/* ---- To a stage ---------------------------------------------------------------------------- */

void gg_sm100_ptx_begin_beside(gg_str *out, const gg_plan *plan) {
  if (gg_plan_is_scaled(plan)) {
    gg_ptx_write_quotient(out, 2, "%atom_a", "%m0", GG_SCALE_ROWS);
    gg_ptx_write_quotient(out, 2, "%atom_b", "%n0", GG_SCALE_ROWS);
  }
  if (plan->sparse_a)
    gg_ptx_write_quotient(out, 2, "%metadata_m", "%m0",
                          gg_metadata_is_half(plan) ? GG_METADATA_BLOCK_ROWS
                                                    : GG_METADATA_TILE_ROWS);
}

void gg_sm100_ptx_declare_beside(gg_str *out, const gg_plan *plan) {
  if (gg_plan_is_scaled(plan))
    gg_str_puts(out, "  .reg .b32 %atom_a, %atom_b, %next_atom;  // of scale factors\n");
  if (plan->sparse_a) gg_str_puts(out, "  .reg .b32 %metadata_m;  // a tile of metadata\n");
  if (gg_plan_is_scaled(plan) || plan->sparse_a)
    gg_str_puts(out, "  .reg .b32 %beside_k, %zero;\n  mov.u32 %zero, 0;\n");
}

/* Appends the copy of one box of a map, from `coordinates` on, to the CTAs in register `ctas`, or
 * to this one alone if it is NULL. */
static void write_load(gg_str *out, const gg_plan *plan, int rank, ll offset, const char *map,
                       const char *coordinates, const char *ctas) {
  bool pair = plan->cta_group > 1;
  gg_str_printf(out,
                "  cp.async.bulk.tensor.%dd.shared::cluster.global.tile"
                ".mbarrier::complete_tx::bytes\n    %s%s%s[%%a_stage + %lld],\n"
                "    [%%map_%s, {%s, %%beside_k, %%batch}], [%s]%s%s;\n",
                rank, ctas ? ".multicast::cluster" : "", pair ? ".cta_group::2" : "",
                ctas || pair ? " " : "", offset, map, coordinates,
                pair ? "%bar_first" : "%bar_full", ctas ? ", " : "", ctas ? ctas : "");
}

void gg_sm100_ptx_load_factors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                               bool is_a, const char *ctas) {
  ll offset = (ll)gg_sm100_offset_of(plan, layouts, is_a ? GG_OPERAND_SCALE_A : GG_OPERAND_SCALE_B);
  /* If the columns are folded, a box has one atom of each half. */
  bool folds = !is_a && gg_plan_folds_scales(plan);
  int boxes = folds ? gg_scale_places_b(plan) : 1;
  gg_str_printf(out, "  mul.lo.u32 %%beside_k, %%k_tile, %d;  // its scale factors\n",
                gg_scale_atoms_k(plan));
  for (int i = 0; i < boxes; i++) {
    if (i) gg_str_printf(out, "  add.u32 %%next_atom, %%atom_b, %d;\n", i);
    write_load(out, plan, 4, offset + (ll)i * gg_scale_atoms_k(plan) * 2 * GG_SCALE_ATOM_BYTES,
               is_a ? "scale_a" : "scale_b",
               is_a ? "%zero, %atom_a"
               : i  ? "%zero, %next_atom"
                    : "%zero, %atom_b",
               ctas);
  }
}

void gg_sm100_ptx_load_metadata(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool half = gg_metadata_is_half(plan);
  ll offset = (ll)gg_sm100_offset_of(plan, layouts, GG_OPERAND_METADATA);
  gg_str_printf(out, "  mul.lo.u32 %%beside_k, %%k_tile, %d;  // A's metadata\n",
                gg_metadata_tiles_k(plan));
  write_load(out, plan, half ? 5 : 4, offset, "metadata",
             half ? "%zero, %zero, %metadata_m" : "%zero, %metadata_m", NULL);
}

/* ---- From there to tensor memory ----------------------------------------------------------- */

/* Appends a tcgen05.cp of shape `shape` (rows by bits) to `column`, from `step` units of 16 bytes
 * behind the descriptor's start. */
static void write_copy(gg_str *out, const gg_plan *plan, const char *shape, int column,
                       const char *descriptor, ll step) {
  gg_str_printf(out, "  add.u32 %%address, %%tmem, %d;\n", column);
  if (step) gg_str_printf(out, "  add.u64 %%from, %s, %lld;\n", descriptor, step);
  gg_str_printf(out, "  tcgen05.cp.cta_group::%d.%s [%%address], %s;\n", plan->cta_group, shape,
                step ? "%from" : descriptor);
}

/* The column of tensor memory where a block of A's rows is for a K step. */
static int column_of_a(const gg_plan *plan, const gg_layouts *layouts, int block, int step) {
  return layouts->a_column + GG_SM100_STEP_COLUMNS * (step * gg_sm100_mmas_m(plan) + block);
}

/* Appends the copies of A: 32 bytes of each row, to eight columns of the row's lane. Elements of 6
 * and 4 bits get a byte each, as MMAs read them there. */
static void write_copies_of_a(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  int bits = gg_dtype_info_of(plan->a.type)->bits, blocks = gg_sm100_mmas_m(plan);
  const char *shape = bits == 6   ? "128x256b.b8x16.b6x16_p32"
                      : bits == 4 ? "128x256b.b8x16.b4x16_p64"
                                  : "128x256b";
  gg_str_puts(out, "  // A to tensor memory.\n");
  for (int step = 0; step < plan->tile_k / plan->mma.k; step++) {
    for (int i = 0; i < blocks; i++) {
      ll from = (ll)gg_layout_at(&layouts->boxes_a.steps, i + (int64_t)step * blocks);
      write_copy(out, plan, shape, column_of_a(plan, layouts, i, step), "%desc_a", from);
    }
  }
}

/* Appends the descriptor of what lies `offset` bytes behind a stage's beginning. */
static void write_descriptor(gg_str *out, int64_t offset, uint64_t bits) {
  gg_str_printf(out,
                "  .reg .b64 %%desc_beside;\n"
                "  add.u32 %%address, %%a_stage, %lld;\n"
                "  and.b32 %%address, %%address, 0x3ffff;\n  shr.u32 %%address, %%address, 4;\n"
                "  cvt.u64.u32 %%desc_beside, %%address;\n"
                "  add.u64 %%desc_beside, %%desc_beside, 0x%llx;\n",
                (ll)offset, (unsigned long long)bits);
}

/* Appends the copies of B's factors if they are folded: two atoms at once, one of them to lanes 0
 * to 63, the other to 64 to 127. There MMAs read the factors of the columns whose sums are in these
 * lanes. */
static void write_copies_of_halves(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  int along_k = gg_scale_atoms_k(plan), places = gg_scale_places_b(plan);
  for (int i = 0; i < places * along_k; i++) {
    int place = along_k + i % along_k * places + i / along_k;
    write_copy(out, plan, "64x128b.warpx2::01_23",
               layouts->scale_column + GG_SCALE_ATOM_COLUMNS * place, "%desc_beside",
               (ll)(along_k + 2 * i) * GG_SCALE_ATOM_BYTES / 16);
  }
}

/* Appends the copies of atoms of factors: row r goes to lane r % 32 of column r / 32, in the lanes
 * of each warp. */
static void write_copies_of_factors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  int atoms = (gg_scale_atoms_a(plan) + gg_scale_atoms_b(plan)) * gg_scale_atoms_k(plan);
  gg_str_puts(out, "  {\n  // Scale factors to tensor memory: A's, then B's.\n");
  write_descriptor(out, gg_sm100_offset_of(plan, layouts, GG_OPERAND_SCALE_A),
                   layouts->scale_descriptor);
  bool folds = gg_plan_folds_scales(plan);
  for (int i = 0; i < (folds ? gg_scale_atoms_k(plan) : atoms); i++)
    write_copy(out, plan, "32x128b.warpx4", layouts->scale_column + GG_SCALE_ATOM_COLUMNS * i,
               "%desc_beside", (ll)i * GG_SCALE_ATOM_BYTES / 16);
  if (folds) write_copies_of_halves(out, plan, layouts);
  gg_str_puts(out, "  }\n");
}

/* Appends the copies of tiles of metadata: a row of 16 bytes goes to four columns of its lane. */
static void write_copies_of_metadata(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  int tiles = gg_metadata_tiles_m(plan) * gg_metadata_tiles_k(plan);
  gg_str_puts(out, "  {\n  // Metadata to tensor memory.\n");
  write_descriptor(out, gg_sm100_offset_of(plan, layouts, GG_OPERAND_METADATA),
                   layouts->metadata_descriptor);
  for (int i = 0; i < tiles; i++)
    write_copy(out, plan, "128x128b", layouts->metadata_column + GG_METADATA_TILE_COLUMNS * i,
               "%desc_beside", (ll)i * GG_METADATA_TILE_BYTES / 16);
  gg_str_puts(out, "  }\n");
}

void gg_sm100_ptx_write_copies(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  if (plan->a_in_tensor) write_copies_of_a(out, plan, layouts);
  if (gg_plan_is_scaled(plan)) write_copies_of_factors(out, plan, layouts);
  if (plan->sparse_a) write_copies_of_metadata(out, plan, layouts);
}

/* ---- What an MMA reads of them ------------------------------------------------------------- */

/* Where a K step's factors begin. MMAs with a K of 96 may begin within one atom and go on in the
 * next. */
typedef struct factors {
  int atom, byte; /* atom: its number along K; byte: within a word */
} factors;

static factors factors_of(const gg_plan *plan, int step) {
  int of_step = plan->mma.k / plan->scale_a.block;
  int first = step * of_step;
  return (factors){first / GG_SCALE_FACTORS, first % GG_SCALE_FACTORS};
}

/* The bits of the instruction descriptor that say in which byte of a word the factors of A and of B
 * begin, and in which of two columns the metadata does. */
uint32_t gg_sm100_ptx_ids(const gg_plan *plan, int step) {
  uint32_t ids = 0;
  if (gg_plan_is_scaled(plan)) ids |= (uint32_t)factors_of(plan, step).byte * (1u << 29 | 1u << 4);
  if (plan->sparse_a) {
    int steps = gg_metadata_tile_k(plan) / plan->mma.k;
    ids |= (uint32_t)(step % steps * (GG_METADATA_TILE_COLUMNS / steps) % 2);
  }
  return ids;
}

static void write_column(gg_str *out, const char *to, const char *from, int column) {
  gg_str_printf(out, "  add.u32 %s, %s, %d;\n", to, from, column);
}

void gg_sm100_ptx_find_beside(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                              int block, int step) {
  if (plan->a_in_tensor)
    write_column(out, "%a_at", "%tmem", column_of_a(plan, layouts, block, step));
  if (plan->sparse_a) {
    int steps = gg_metadata_tile_k(plan) / plan->mma.k, in_tile = step % steps;
    int tile = step / steps * gg_metadata_tiles_m(plan) + block;
    write_column(out, "%metadata_at", "%tmem",
                 layouts->metadata_column + GG_METADATA_TILE_COLUMNS * tile +
                     in_tile * (GG_METADATA_TILE_COLUMNS / steps) / 2 * 2);
  }
  if (!gg_plan_is_scaled(plan)) return;
  int atoms_a = gg_scale_atoms_a(plan), atoms_b = gg_scale_atoms_b(plan);
  int atom = factors_of(plan, step).atom, of_b = gg_scale_atoms_k(plan) * atoms_a + atom * atoms_b;
  if (gg_plan_folds_scales(plan)) of_b = gg_scale_atoms_k(plan) + atom * gg_scale_places_b(plan);
  int of_a = atom * atoms_a + (plan->mma.k == GG_MMA_LONG_K ? 0 : block);
  write_column(out, "%scales_a_at", plan->turns_pairs ? "%scales_a" : "%tmem",
               layouts->scale_column + GG_SCALE_ATOM_COLUMNS * of_a);
  write_column(out, "%scales_b_at", gg_sm100_ptx_halves_factors(plan) ? "%scales_b" : "%tmem",
               layouts->scale_column + GG_SCALE_ATOM_COLUMNS * of_b);
}

/* Whether some tiles begin in the middle of an atom, and so read B's factors from its middle on. */
bool gg_sm100_ptx_halves_factors(const gg_plan *plan) {
  if (gg_plan_folds_scales(plan)) return plan->turns_columns > 0;
  return gg_plan_is_scaled(plan) && plan->tile_n % GG_SCALE_ROWS != 0;
}

/* Appends lines that find where in its atom's columns the factors of a tile's first row or column
 * are. */
static void write_within(gg_str *out, const char *to, const char *first) {
  gg_str_printf(out, "  and.b32 %s, %s, %d;\n  shr.u32 %s, %s, 5;\n  add.u32 %s, %s, %%tmem;\n", to,
                first, GG_SCALE_ROWS - 1, to, to, to, to);
}

void gg_sm100_ptx_begin_factors(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_is_scaled(plan)) return;
  if (plan->turns_pairs) {
    gg_str_puts(out, "  // Every other pair has the rows of the second half of an atom of A's "
                     "factors.\n");
    write_within(out, "%scales_a", "%m0");
  }
  if (gg_sm100_ptx_halves_factors(plan)) {
    gg_str_puts(out, "  // B's factors of this tile may begin in the middle of an atom.\n");
    write_within(out, "%scales_b", "%n0");
  }
}
