/* Emitted kernels have no headers: a number type is the plain type that holds its bits, and its
 * conversions are a line or two of PTX. (PTX ISA, "cvt".) */
#include "emit/cuda_text.h"

#include <string.h>

#include "atom/dtype.h"
#include "emit/emit.h"

const char *gg_cuda_bool(bool value) {
  return value ? "true" : "false";
}

const char *gg_cuda_type_of(gg_dtype type) {
  int bits = gg_dtype_info_of(type)->bits;
  if (type == GG_DTYPE_s32) return "int";
  return bits == 8 ? "unsigned char" : bits == 16 ? "unsigned short" : "float";
}

void gg_cuda_write_type(gg_str *out, const char *name, gg_dtype type) {
  gg_str_printf(out, "using %s = %s;  // the bits of %s\n", name, gg_cuda_type_of(type),
                gg_dtype_info_of(type)->name);
}

/* ---- Parameters ------------------------------------------------------------------------- */

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

void gg_cuda_write_extents(gg_str *out, const gg_plan *plan) {
  write_extent(out, "m", plan->fixed_m);
  write_extent(out, "n", plan->fixed_n);
  write_extent(out, "k", plan->fixed_k);
  write_extent(out, "batch", plan->fixed_batch);
}

void gg_cuda_write_parameters(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
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
      [GG_PARAM_MAP_A] = "const __grid_constant__ tensor_map map_a",
      [GG_PARAM_MAP_B] = "const __grid_constant__ tensor_map map_b",
      [GG_PARAM_MAP_D] = "const __grid_constant__ tensor_map map_d",
  };
  gg_param params[GG_PARAM_COUNT];
  size_t count = gg_kernel_params(params, plan, layouts), column = last_column;
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

/* ---- Conversions ------------------------------------------------------------------------ */

void gg_cuda_write_widening(gg_str *out, const char *name, const char *bits_type, gg_dtype type) {
  gg_str_printf(out, "__device__ __forceinline__ float %s(%s x) {\n", name, bits_type);
  if (type == GG_DTYPE_f16) {
    gg_str_puts(out, "  float y;\n"
                     "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x));\n"
                     "  return y;\n");
  } else if (type == GG_DTYPE_bf16) {
    gg_str_puts(out, "  return __uint_as_float(unsigned(x) << 16);\n");
  } else {
    gg_str_puts(out, "  return x;\n");
  }
  gg_str_puts(out, "}\n\n");
}

/* Two numbers by one instruction, which takes the upper one first. */
static void write_pair(gg_str *out, const char *bits_type, const char *instruction,
                       const char *pair, char constraint, int shift) {
  gg_str_printf(out,
                "  %s pair;\n"
                "  asm(\"%s %%0, %%1, %%2;\" : \"=%c\"(pair) : \"f\"(d1), \"f\"(d0));\n",
                pair, instruction, constraint);
  gg_str_printf(out, "  bits[0] = %s(pair);\n  bits[1] = %s(pair >> %d);\n", bits_type, bits_type,
                shift);
}

void gg_cuda_write_narrowing(gg_str *out, const char *name, const char *bits_type, gg_dtype type) {
  gg_str_printf(out, "__device__ __forceinline__ void %s(%s (&bits)[2], float d0, float d1) {\n",
                name, bits_type);
  switch (type) {
  case GG_DTYPE_f16:
    write_pair(out, bits_type, "cvt.rn.f16x2.f32", "unsigned", 'r', 16);
    break;
  case GG_DTYPE_bf16:
    write_pair(out, bits_type, "cvt.rn.bf16x2.f32", "unsigned", 'r', 16);
    break;
  case GG_DTYPE_e4m3:
    write_pair(out, bits_type, "cvt.rn.satfinite.e4m3x2.f32", "unsigned short", 'h', 8);
    break;
  case GG_DTYPE_e5m2:
    write_pair(out, bits_type, "cvt.rn.satfinite.e5m2x2.f32", "unsigned short", 'h', 8);
    break;
  default:
    gg_str_puts(out, "  bits[0] = d0;\n  bits[1] = d1;\n");
  }
  gg_str_puts(out, "}\n\n");
}
