/* Family sm120: the names that its templates use and sm90's do not. emit/sm90.c has the rest. */
#include "emit/sm120.h"

#include "atom/dtype.h"
#include "emit/layout_text.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sm120.h"

/* How far elements have to be shifted. ldmatrix leaves elements of four bits at the bottom of a
 * byte, but MMAs read them two bits further up; those of six bits lie where they are read. (PTX
 * ISA, "mma.m16n8k32", elements of less than 8 bits.) */
static int shift_of(const gg_plan *plan, gg_dtype type) {
  return gg_plan_unpacks(plan, type) && gg_dtype_info_of(type)->bits == 4 ? 2 : 0;
}

void gg_sm120_write_fragments(gg_str *out, const gg_plan *plan) {
  gg_str_printf(out, "constexpr int mma_k = %d, atom_words = %d;  // of a warp's MMA\n",
                plan->mma.k, gg_mma_atom_registers(&plan->mma, GG_MMA_C, NULL));
  gg_str_printf(out, "constexpr int piece = %d;  // columns of B that a warp loads at once\n",
                gg_sm120_piece(plan));
  gg_str_printf(out,
                "constexpr int bits_a = %d, bits_b = %d;  // of an element in a stage\n"
                "constexpr int shift_a = %d, shift_b = %d;\n",
                gg_plan_smem_bits(plan, plan->a.type), gg_plan_smem_bits(plan, plan->b.type),
                shift_of(plan, plan->a.type), shift_of(plan, plan->b.type));
  if (plan->sparse_a)
    gg_str_puts(out, "constexpr int stored_k = mma_k / 2;  // of an MMA's K, of A\n");
  if (!gg_plan_is_scaled(plan)) return;
  int atoms = gg_scale_atoms_k(plan);
  gg_str_printf(out,
                "constexpr int scale_words_a = %d, scale_words_b = %d;  // of four factors, of a "
                "lane\n",
                gg_sm120_scale_words_a(plan) / atoms, gg_sm120_scale_words_b(plan) / atoms);
}

gg_status gg_sm120_write_layouts(gg_str *out, const gg_layouts *layouts, gg_error *err) {
  static const char *const m_k[2] = {"m", "k"}, *const n_k[2] = {"n", "k"};
  gg_str_puts(out, "// Elements of A and of B in a stage.\n");
  gg_status st = gg_emit_layout_function(out, "smem_a", m_k, &layouts->sA, err);
  gg_str_putc(out, '\n');
  return st ? st : gg_emit_layout_function(out, "smem_b", n_k, &layouts->sB, err);
}

/* Whether an operand's elements lie along M or N and have 16 bits: ldmatrix transposes these in
 * matrices of 8 by 8, bytes in others of 16 by 16. */
static bool is_wide_across(const gg_operand *operand) {
  return operand->major != GG_MAJOR_K && gg_dtype_info_of(operand->type)->bits == 16;
}

static const char *matrices_of(const gg_plan *plan, const gg_operand *operand) {
  if (is_wide_across(operand)) return "m8n8.x4.trans.shared.b16";
  if (operand->major != GG_MAJOR_K) return "m16n16.x2.trans.shared.b8";
  if (!gg_plan_unpacks(plan, operand->type)) return "m8n8.x4.shared.b16";
  return gg_dtype_info_of(operand->type)->bits == 6 ? "m8n16.x4.shared.b8x16.b6x16_p32"
                                                    : "m8n16.x4.shared.b8x16.b4x16_p64";
}

/* Binds where the factors of a lane's columns of B are if the columns come from both halves of N:
 * in turns of single columns, or of lines. */
static void bind_split_scales(gg_bindings *out, const gg_plan *plan) {
  gg_str text = GG_STR_INIT;
  gg_bind_flag(out, "splits_scales", gg_plan_splits_scales(plan));
  gg_str_printf(&text, "%d", plan->split_columns ? plan->split_columns : 1);
  gg_bind_str(out, "columns_a_half", &text);
  gg_bind_text(out, "and_first", gg_sm120_begins_within_factors(plan) ? " + first_factor" : "");
}

/* Binds what a sparse A changes: of A what is stored of an MMA's K, with the word that says where
 * it belongs; of B twice as much. */
static void bind_sparse(gg_bindings *out, bool sparse) {
  gg_bind_flag(out, "sparse", sparse);
  gg_bind_text(out, "k_of_a", sparse ? "stored_k" : "mma_k");
  gg_bind_text(out, "words_b", sparse ? "4" : "2");
  gg_bind_text(out, "load_words",
               sparse ? "    unsigned metadata[frags_m][k_steps];\n"
                        "    load_words(metadata, sA, row, lane);\n"
                      : "");
  gg_bind_text(out, "metadata_argument", sparse ? ", metadata[i][step]" : "");
}

void gg_sm120_bind_slots(gg_bindings *out, const gg_plan *plan) {
  bool scaled = gg_plan_is_scaled(plan);
  gg_bind_text(out, "matrices_a", matrices_of(plan, &plan->a));
  gg_bind_text(out, "matrices_b", matrices_of(plan, &plan->b));
  bind_sparse(out, plan->sparse_a);
  bool wide_a = is_wide_across(&plan->a), wide_b = is_wide_across(&plan->b);
  bool bytes_a = !wide_a && plan->a.major != GG_MAJOR_K;
  bool bytes_b = !wide_b && plan->b.major != GG_MAJOR_K;
  gg_bind_flag(out, "wide_m_major_a", wide_a);
  gg_bind_flag(out, "wide_n_major_b", wide_b);
  gg_bind_flag(out, "n_major_b", bytes_b);
  gg_bind_flag(out, "transposes", bytes_a || bytes_b);
  bool parts = gg_plan_column_parts(plan) > 1;
  gg_bind_text(out, "whose_columns",
               parts ? "its warpgroup's columns of the tile" : "all of the tile's columns");
  gg_bind_text(out, "column_parameter", parts ? ", int first_column" : "");
  gg_bind_text(out, "first_column", parts ? "first_column" : "0");
  if (scaled) bind_split_scales(out, plan);
  bool within = gg_sm120_begins_within_factors(plan);
  gg_bind_text(out, "factor_parameter", within ? ", int first_factor" : "");
  gg_str load = GG_STR_INIT;
  if (scaled)
    gg_str_printf(&load,
                  "    unsigned scales_a[scale_atoms_k][scale_words_a];\n"
                  "    unsigned scales_b[scale_atoms_k][scale_words_b];\n"
                  "    load_scales_a(scales_a, sA, row, lane);\n"
                  "    load_scales_b(scales_b, sA, lane%s);\n",
                  within ? ", first_factor" : "");
  gg_bind_str(out, "load_factors", &load);
  gg_bind_text(out, "scale_arguments",
               scaled ? ",\n              scales_a[step / steps_an_atom][i / 2], scale_byte(step), "
                        "i % 2,\n              scales_b[step / steps_an_atom][n / 4], "
                        "scale_byte(step), n % 4"
                      : "");
}
