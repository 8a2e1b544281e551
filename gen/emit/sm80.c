/* Family sm80: plan + layouts -> what templates/sm80_multistage.cu names.
 *
 * One block of constexpr sizes, types, layout functions and instruction wrappers goes to the top
 * of the kernel; the body below it uses only those names. */
#include "plan/sm80.h"
#include <string.h>

#include "atom/dtype.h"
#include "emit/emit.h"
#include "emit/layout_text.h"

/* ---- Types ------------------------------------------------------------------------------ */

/* A number type in CUDA C++ without headers: what holds its bits, and its conversions. */
typedef struct cuda_type {
  const char *bits;        /* the plain type of the same size */
  const char *to_float;    /* statements: `x` to a returned float */
  const char *from_floats; /* statements: d0, d1 to bits[0], bits[1] */
} cuda_type;

static cuda_type cuda_type_of(gg_dtype type) {
  switch (type) {
  case GG_DTYPE_f16:
    return (cuda_type){
        "unsigned short",
        "  float y;\n"
        "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x));\n"
        "  return y;\n",
        "  unsigned pair;\n"
        "  asm(\"cvt.rn.f16x2.f32 %0, %1, %2;\" : \"=r\"(pair) : \"f\"(d1), \"f\"(d0));\n"
        "  bits[0] = d_t(pair);\n"
        "  bits[1] = d_t(pair >> 16);\n"};
  case GG_DTYPE_bf16:
    return (cuda_type){
        "unsigned short", "  return __uint_as_float(unsigned(x) << 16);\n",
        "  unsigned pair;\n"
        "  asm(\"cvt.rn.bf16x2.f32 %0, %1, %2;\" : \"=r\"(pair) : \"f\"(d1), \"f\"(d0));\n"
        "  bits[0] = d_t(pair);\n"
        "  bits[1] = d_t(pair >> 16);\n"};
  default:
    return (cuda_type){"float", "  return x;\n", "  bits[0] = d0;\n  bits[1] = d1;\n"};
  }
}

static void write_types(gg_str *out, const gg_plan *plan) {
  const char *type;
  gg_mma_atom_registers(&plan->mma, GG_MMA_C, &type);
  gg_str_printf(out, "using int64 = long long;\n");
  gg_str_printf(out, "using ab_t = %s;  // the bits of %s\n", cuda_type_of(plan->a.type).bits,
                gg_dtype_info_of(plan->a.type)->name);
  if (plan->has_c) {
    gg_str_printf(out, "using c_t = %s;  // %s\n", cuda_type_of(plan->c.type).bits,
                  gg_dtype_info_of(plan->c.type)->name);
  }
  gg_str_printf(out, "using d_t = %s;  // %s\n", cuda_type_of(plan->d.type).bits,
                gg_dtype_info_of(plan->d.type)->name);
  gg_str_printf(out, "using ab_frag_t = unsigned;  // two elements\n");
  gg_str_printf(out, "using acc_frag_t = %s;  // %s\n", type,
                plan->accumulator == GG_DTYPE_f32 ? "f32" : "two of f16");
}

/* ---- Sizes ------------------------------------------------------------------------------ */

static const char *boolean(bool value) {
  return value ? "true" : "false";
}

/* Whether a fixed extent is a whole number of tiles, so that no tile needs a bounds check. */
static bool even(int64_t fixed, int tile) {
  return fixed != GG_FIXED_NONE && fixed % tile == 0;
}

static void write_extent(gg_str *out, const char *name, int64_t fixed) {
  gg_str_printf(out, "__device__ __forceinline__ constexpr int64 extent_%s(int64 %s) { return ",
                name, name);
  if (fixed == GG_FIXED_NONE) {
    gg_str_puts(out, name);
  } else {
    gg_str_printf(out, "%lld", (long long)fixed);
  }
  gg_str_puts(out, "; }\n");
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
                boolean(plan->a.major == GG_MAJOR_K), boolean(plan->b.major == GG_MAJOR_K));
  if (plan->has_c) {
    gg_str_printf(out, "constexpr bool c_n_major = %s;\n", boolean(plan->c.major == GG_MAJOR_N));
  }
  gg_str_printf(out, "constexpr bool d_n_major = %s;\n", boolean(plan->d.major == GG_MAJOR_N));
  gg_str_printf(out, "constexpr int copy_bytes_a = %d, copy_bytes_b = %d;\n", plan->copy_bytes_a,
                plan->copy_bytes_b);
  if (plan->has_c) gg_str_printf(out, "constexpr int access_bytes_c = %d;\n", plan->access_bytes_c);
  gg_str_printf(out, "constexpr int access_bytes_d = %d;\n", plan->access_bytes_d);
  gg_str_printf(out, "constexpr bool even_m = %s, even_n = %s, even_k = %s;\n\n",
                boolean(even(plan->fixed_m, plan->tile_m)),
                boolean(even(plan->fixed_n, plan->tile_n)),
                boolean(even(plan->fixed_k, plan->tile_k)));

  gg_str_printf(out, "constexpr bool persistent = %s;  // one tile after the other\n",
                boolean(plan->persistent));
  gg_str_printf(out, "constexpr bool raster_along_m = %s;\n",
                boolean(plan->raster == GG_RASTER_ALONG_M));
  gg_str_printf(out, "constexpr int raster_group = %d;\n\n", plan->raster_group);

  gg_str_printf(out, "constexpr int epi_m = %d, epi_n = %d;\n", plan->epi_m, plan->epi_n);
  gg_str_printf(out, "constexpr unsigned epi_bytes = %lld;  // a warp's staging memory\n",
                (long long)layouts->staging_bytes);
  gg_str_printf(out, "constexpr unsigned staging_begin = %lld;  // of the first warp\n",
                (long long)layouts->staging_begin);
  gg_str_printf(out,
                "constexpr unsigned smem_a_size = %lld, smem_b_size = %lld;"
                "  // elements a stage\n\n",
                (long long)layouts->size_a, (long long)layouts->size_b);

  write_extent(out, "m", plan->fixed_m);
  write_extent(out, "n", plan->fixed_n);
  write_extent(out, "k", plan->fixed_k);
  write_extent(out, "batch", plan->fixed_batch);
}

/* ---- The signature --------------------------------------------------------------------- */

static void write_parameters(gg_str *out, const gg_plan *plan) {
  enum { indent = 8, last_column = 100 };
  static const char *const texts[GG_PARAM_COUNT] = {
      [GG_PARAM_A] = "const ab_t *__restrict__ A",
      [GG_PARAM_B] = "const ab_t *__restrict__ B",
      [GG_PARAM_C] = "const c_t *C",
      [GG_PARAM_D] = "d_t *D",
      [GG_PARAM_M] = "int64 m_arg",
      [GG_PARAM_N] = "int64 n_arg",
      [GG_PARAM_K] = "int64 k_arg",
      [GG_PARAM_BATCH] = "int64 batch_arg",
      [GG_PARAM_LDA] = "int64 lda",
      [GG_PARAM_LDB] = "int64 ldb",
      [GG_PARAM_LDC] = "int64 ldc",
      [GG_PARAM_LDD] = "int64 ldd",
      [GG_PARAM_BATCH_STRIDE_A] = "int64 batch_stride_a",
      [GG_PARAM_BATCH_STRIDE_B] = "int64 batch_stride_b",
      [GG_PARAM_BATCH_STRIDE_C] = "int64 batch_stride_c",
      [GG_PARAM_BATCH_STRIDE_D] = "int64 batch_stride_d",
      [GG_PARAM_ALPHA] = "float alpha",
      [GG_PARAM_BETA] = "float beta",
  };
  gg_param params[GG_PARAM_COUNT];
  size_t count = gg_kernel_params(params, plan), column = last_column;
  for (size_t i = 0; i < count; i++) {
    const char *text = texts[params[i]];
    column += strlen(text) + 2; /* with the comma, or what closes the list */
    if (column > last_column) {
      gg_str_printf(out, "\n%*s", indent, "");
      column = indent + strlen(text) + 2;
    } else {
      gg_str_putc(out, ' ');
    }
    gg_str_printf(out, "%s%s", text, i + 1 < count ? "," : "");
  }
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

static void write_conversions(gg_str *out, const gg_plan *plan) {
  if (plan->has_c) {
    gg_str_printf(out, "__device__ __forceinline__ float c_to_float(c_t x) {\n%s}\n\n",
                  cuda_type_of(plan->c.type).to_float);
  }
  gg_str_printf(out,
                "__device__ __forceinline__ void d_from_floats(d_t (&bits)[2], float d0, float d1) "
                "{\n%s}\n\n",
                cuda_type_of(plan->d.type).from_floats);
  gg_str_puts(out, "// Element i of an accumulator fragment.\n"
                   "__device__ __forceinline__ float acc_to_float(const acc_frag_t "
                   "(&acc)[acc_words], int i) {\n");
  gg_str_puts(out, plan->accumulator == GG_DTYPE_f32
                       ? "  return acc[i];\n}\n"
                       : "  float x;\n"
                         "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : "
                         "\"h\"((unsigned short)(acc[i / 2] >> i % 2 * 16)));\n"
                         "  return x;\n}\n");
}

gg_status gg_sm80_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_status st;
  write_types(&text, plan);
  gg_bind_str(out, "types", &text);
  write_sizes(&text, plan, layouts);
  gg_bind_str(out, "sizes", &text);
  st = write_layouts(&text, plan, layouts, err);
  gg_bind_str(out, "layouts", &text);
  if (st) return st;
  st = gg_mma_atom_wrapper(&text, &plan->mma, "mma", err);
  gg_bind_str(out, "mma", &text);
  if (st) return st;
  write_conversions(&text, plan);
  gg_bind_str(out, "conversions", &text);
  write_parameters(&text, plan);
  gg_bind_str(out, "parameters", &text);
  gg_bind_flag(out, "alpha", plan->alpha);
  gg_bind_flag(out, "c", plan->has_c);
  return GG_OK;
}
