/* Family sm80: plan + layouts -> what templates/sm80_multistage.cu names.
 *
 * One block of constexpr sizes, types, layout functions and instruction wrappers goes to the top
 * of the kernel; the body below it uses only those names. */
#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/layout_text.h"
#include "emit/skeleton.h"

/* ---- Types ------------------------------------------------------------------------------ */

static void write_types(gg_str *out, const gg_plan *plan) {
  const char *type;
  gg_mma_atom_registers(&plan->mma, GG_MMA_C, &type);
  gg_str_printf(out, "using int64 = long long;\n");
  gg_cuda_write_type(out, "ab", plan->a.type);
  gg_cuda_write_types(out, plan);
  gg_str_printf(out, "using ab_frag_t = unsigned;  // two elements\n");
  gg_str_printf(out, "using acc_frag_t = %s;  // %s\n", type,
                plan->accumulator == GG_DTYPE_f32 ? "f32" : "two of f16");
}

/* ---- Sizes ------------------------------------------------------------------------------ */

/* Whether a fixed extent is a whole number of tiles, so that no tile needs a bounds check. */
static bool even(int64_t fixed, int tile) {
  return fixed != GG_FIXED_NONE && fixed % tile == 0;
}

static void write_sizes(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str_printf(out, "constexpr int tile_m = %d, tile_n = %d, tile_k = %d;\n", plan->tile_m,
                plan->tile_n, plan->tile_k);
  gg_str_printf(out, "constexpr int stages = %d;\n", plan->stages);
  gg_str_printf(out, "constexpr int mma_m = %d, mma_n = %d, mma_k = %d;\n", plan->mma.m,
                plan->mma.n, plan->mma.k);
  gg_str_printf(out, "constexpr int warps_m = %d, warps_n = %d;\n", plan->atoms_m, plan->atoms_n);
  gg_str_printf(out, "constexpr int acc_words = %d;  // registers of an accumulator fragment\n",
                gg_mma_atom_registers(&plan->mma, GG_MMA_C, NULL));
  gg_str_printf(out, "constexpr int ctas_per_sm = %d;\n\n", plan->ctas_per_sm);

  gg_str_printf(out, "constexpr bool a_k_major = %s, b_k_major = %s;\n",
                gg_cuda_bool(plan->a.major == GG_MAJOR_K),
                gg_cuda_bool(plan->b.major == GG_MAJOR_K));
  if (plan->has_c) {
    gg_str_printf(out, "constexpr bool c_n_major = %s;\n",
                  gg_cuda_bool(plan->c.major == GG_MAJOR_N));
  }
  gg_str_printf(out, "constexpr bool d_n_major = %s;\n", gg_cuda_bool(plan->d.major == GG_MAJOR_N));
  gg_str_printf(out, "constexpr int copy_bytes_a = %d, copy_bytes_b = %d;\n", plan->copy_bytes_a,
                plan->copy_bytes_b);
  if (plan->has_c) gg_str_printf(out, "constexpr int access_bytes_c = %d;\n", plan->access_bytes_c);
  gg_str_printf(out, "constexpr int access_bytes_d = %d;\n", plan->access_bytes_d);
  gg_str_printf(out, "constexpr bool even_m = %s, even_n = %s, even_k = %s;\n\n",
                gg_cuda_bool(even(plan->fixed_m, plan->tile_m)),
                gg_cuda_bool(even(plan->fixed_n, plan->tile_n)),
                gg_cuda_bool(even(plan->fixed_k, plan->tile_k)));

  gg_str_printf(out, "constexpr bool persistent = %s;  // one tile after the other\n",
                gg_cuda_bool(gg_plan_is_persistent(plan)));
  gg_str_printf(out, "constexpr bool raster_along_m = %s;\n",
                gg_cuda_bool(plan->raster == GG_RASTER_ALONG_M));
  gg_str_printf(out, "constexpr int raster_group = %d;\n\n", plan->raster_group);

  gg_str_printf(out, "constexpr int epi_m = %d, epi_n = %d;\n", plan->epi_m, plan->epi_n);
  gg_str_printf(out, "constexpr unsigned epi_bytes = %lld;  // a warp's staging memory\n",
                (long long)layouts->staging_bytes);
  gg_str_printf(out, "constexpr unsigned staging_begin = %lld;  // of the first warp\n",
                (long long)gg_rings_find(&layouts->rings, GG_RING_STAGING)->begin);
  gg_str_printf(out,
                "constexpr unsigned smem_a_size = %lld, smem_b_size = %lld;"
                "  // elements a stage\n\n",
                (long long)layouts->size_a, (long long)layouts->size_b);

  gg_cuda_write_extents(out, plan);
}

/* ---- Functions -------------------------------------------------------------------------- */

static gg_status write_layouts(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                               gg_error *err) {
  static const char *const mk[2] = {"m", "k"}, *const nk[2] = {"n", "k"};
  static const char *const row_col[2] = {"row", "col"};
  gg_status st;
  if ((st = gg_emit_layout_function(out, "smem_a", mk, &layouts->sA, err))) return st;
  gg_str_putc(out, '\n');
  if ((st = gg_emit_layout_function(out, "smem_b", nk, &layouts->sB, err))) return st;
  if (plan->has_c) {
    gg_str_putc(out, '\n');
    if ((st = gg_emit_layout_function(out, "smem_c", row_col, &layouts->sC, err))) return st;
  }
  gg_str_putc(out, '\n');
  return gg_emit_layout_function(out, "smem_d", row_col, &layouts->sD, err);
}

gg_status gg_sm80_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_status st;
  write_types(&text, plan);
  gg_str_putc(&text, '\n');
  write_sizes(&text, plan, layouts);
  gg_bind_str(out, "sizes", &text);
  st = write_layouts(&text, plan, layouts, err);
  gg_bind_str(out, "layouts", &text);
  if (st) return st;
  gg_bind_flag(out, "c", plan->has_c);
  return gg_cuda_bind(out, plan, layouts, "acc_frag_t", "", err);
}
