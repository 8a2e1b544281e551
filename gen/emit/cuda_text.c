/* Emitted kernels include no headers. So a number type is the plain type that holds its bits, and
 * its conversions are a line or two of PTX. (PTX ISA, "cvt".) */
#include "emit/cuda_text.h"

#include <string.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/epilogue.h"
#include "plan/gate.h"
#include "plan/map_sets.h"
#include "plan/operands.h"
#include "plan/operation.h"

const char *gg_cuda_bool(bool value) {
  return value ? "true" : "false";
}

const char *gg_cuda_type_of(gg_dtype type) {
  int bits = gg_dtype_info_of(type)->bits;
  if (type == GG_DTYPE_s32) return "int";
  if (type == GG_DTYPE_f64) return "double";
  return bits <= 8 ? "unsigned char" : bits == 16 ? "unsigned short" : "float";
}

void gg_cuda_write_type(gg_str *out, const char *name, gg_dtype type) {
  int bits = gg_dtype_info_of(type)->bits;
  bool plain = type == GG_DTYPE_f32 || type == GG_DTYPE_f64 || type == GG_DTYPE_s32;
  gg_str_printf(out, "using %s_t = %s;  // %s%s\n", name, gg_cuda_type_of(type),
                plain       ? ""
                : bits == 4 ? "the bits of two of "
                : bits == 1 ? "the bits of eight of "
                            : "the bits of ",
                gg_dtype_info_of(type)->name);
}

void gg_cuda_write_types(gg_str *out, const gg_plan *plan) {
  if (plan->has_c) gg_cuda_write_type(out, "c", plan->c.type);
  gg_cuda_write_type(out, "d", plan->d.type);
  gg_str_printf(out, "using epi_t = %s;  // what the epilogue computes in\n",
                gg_cuda_type_of(plan->compute));
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

/* Declares a parameter that belongs to A, B, C or D. */
static void write_of_matrix(gg_str *out, const gg_plan *plan, gg_param param) {
  static const char *const addresses[][2] = {
      [GG_OPERAND_A] = {"const ab_t *__restrict__ A", "const ab_t *const *__restrict__ A"},
      [GG_OPERAND_B] = {"const ab_t *__restrict__ B", "const ab_t *const *__restrict__ B"},
      [GG_OPERAND_C] = {"const c_t *C", "const c_t *const *C"},
      [GG_OPERAND_D] = {"d_t *D", "d_t *const *D"},
      [GG_OPERAND_SCALE_D] = {"unsigned char *scale_D"},
      [GG_OPERAND_METADATA] = {"const unsigned char *__restrict__ metadata"},
  };
  static const char *const texts[] = {
      [GG_PARAM_LD] = "int64 ld",
      [GG_PARAM_BATCH_STRIDE] = "int64 batch_stride_",
      [GG_PARAM_MAP] = "const __grid_constant__ tensor_map map_",
      [GG_PARAM_MAP_END] = "const __grid_constant__ tensor_map end_",
  };
  if (param.kind == GG_PARAM_ADDRESS) {
    gg_str_puts(out, addresses[param.operand][gg_plan_has_array_of(plan, param.operand)]);
  } else {
    gg_str_printf(out, "%s%s", texts[param.kind], gg_operand_word(param.operand));
  }
}

/* Declares a parameter that an operation of the epilogue reads or writes. */
static void write_of_extra(gg_str *out, const gg_plan *plan, gg_param param) {
  char name[GG_OPERATION_NAME_MAX];
  gg_operation_name(name, plan->operations, (size_t)param.operation);
  if (param.kind == GG_PARAM_MAP) {
    gg_str_printf(out, "const __grid_constant__ tensor_map map_%s", name);
  } else if (param.kind == GG_PARAM_BATCH_STRIDE) {
    gg_str_printf(out, "int64 batch_stride_%s", name);
  } else if (param.kind == GG_PARAM_LD) {
    gg_str_printf(out, "int64 ld_%s", name);
  } else {
    bool writes = gg_operation_writes(&plan->operations[param.operation]);
    gg_str_printf(out, "%s%s_t *%s", writes ? "" : "const ", name, name);
  }
}

void gg_cuda_write_flags(gg_str *out, const gg_cuda_flag *flags, size_t count) {
  for (size_t i = 0; i < count; i++)
    gg_str_printf(out, "constexpr bool %s = %s;\n", flags[i].name, gg_cuda_bool(flags[i].value));
}

const char *gg_cuda_factor_type(const gg_plan *plan) {
  return plan->compute == GG_DTYPE_f64 ? "double" : "float";
}

void gg_cuda_write_parameter(gg_str *out, const gg_plan *plan, gg_param param) {
  static const char *const texts[] = {
      [GG_PARAM_M] = "int64 m_arg",
      [GG_PARAM_N] = "int64 n_arg",
      [GG_PARAM_K] = "int64 k_arg",
      [GG_PARAM_BATCH] = "int64 batch_arg",
      [GG_PARAM_ALPHA] = " alpha",
      [GG_PARAM_BETA] = " beta",
      [GG_PARAM_WORKSPACE] = "unsigned char *workspace",
      [GG_PARAM_SHARED_TILES] = "int64 shared_tiles",
      [GG_PARAM_GROUP_TILES] = "int64 group_tiles",
      [GG_PARAM_GROUP_SHARES] = "int64 group_shares",
      [GG_PARAM_NEXT_BESIDE] = "int64 next_beside",
      [GG_PARAM_SUM_PARTS] = "epi_t *sum_parts",
      [GG_PARAM_EVICT_FIRST] = "int64 evict_first",
      [GG_PARAM_MAP_SETS] = "map_set *map_sets",
      [GG_PARAM_GPCS] = "const __grid_constant__ gpc_table gpcs",
  };
  bool factor = param.kind == GG_PARAM_ALPHA || param.kind == GG_PARAM_BETA;
  if (param.operand == GG_OPERAND_NONE) {
    if (factor && gg_plan_reads_scalars(plan))
      gg_str_printf(out, "const %s *%s_at", gg_cuda_factor_type(plan), texts[param.kind] + 1);
    else
      gg_str_printf(out, "%s%s", factor ? gg_cuda_factor_type(plan) : "", texts[param.kind]);
  } else if (param.operand == GG_OPERAND_EXTRA) {
    write_of_extra(out, plan, param);
  } else {
    write_of_matrix(out, plan, param);
  }
}

void gg_cuda_write_parameter_name(gg_str *out, const gg_plan *plan, gg_param param) {
  gg_str declared = GG_STR_INIT;
  gg_cuda_write_parameter(&declared, plan, param);
  const char *text = gg_str_text(&declared), *name = text + strlen(text);
  while (name > text && name[-1] != ' ' && name[-1] != '*')
    name--;
  size_t length = strlen(name);
  if (length > 4 && strcmp(name + length - 4, "_arg") == 0) length -= 4;
  gg_str_append(out, name, length);
  if (declared.failed) out->failed = true;
  gg_str_free(&declared);
}

void gg_cuda_bind_first(gg_bindings *out, const gg_plan *plan, const char *name,
                        gg_operand_id operand, const char *batch) {
  static const char *const matrices[] = {
      [GG_OPERAND_A] = "A", [GG_OPERAND_B] = "B", [GG_OPERAND_C] = "C", [GG_OPERAND_D] = "D"};
  const gg_operand *of = operand == GG_OPERAND_A   ? &plan->a
                         : operand == GG_OPERAND_B ? &plan->b
                         : operand == GG_OPERAND_C ? &plan->c
                                                   : &plan->d;
  int bits = gg_dtype_info_of(of->type)->bits;
  gg_str text = GG_STR_INIT;
  if (plan->pointers && operand == GG_OPERAND_C)
    gg_str_printf(&text, "c_of(operands, C, %s)", batch);
  else if (plan->pointers)
    gg_str_printf(&text, "%s[%s]", matrices[operand], batch);
  else if (bits < 8)
    gg_str_printf(&text, "%s + %s * (batch_stride_%s / %d)", matrices[operand], batch,
                  gg_operand_word(operand), 8 / bits);
  else
    gg_str_printf(&text, "%s + %s * batch_stride_%s", matrices[operand], batch,
                  gg_operand_word(operand));
  gg_bind_str(out, name, &text);
}

void gg_cuda_write_split(gg_str *out, const gg_plan *plan, bool is_a) {
  if (gg_plan_is_split(plan))
    gg_str_printf(out, "  static constexpr bool split = %s;%s\n", gg_cuda_bool(!is_a),
                  is_a                  ? ""
                  : plan->split_columns ? "  // its lines have columns of both halves of N"
                                        : "  // its lines come from both halves of N, by turns");
}

void gg_cuda_write_split_columns(gg_str *out, const gg_plan *plan) {
  if (plan->split_columns)
    gg_str_printf(out, "constexpr int split_columns = %d;  // of each half of N, by turns\n\n",
                  plan->split_columns);
}

/* Binds where copies of a line find their columns, and where the line ends. The distance from a
 * thread's first chunk to that of a later turn is the same as that from the line's first chunk. */
static void bind_split_columns(gg_bindings *out, const gg_plan *plan) {
  bool split = plan->split_columns > 0;
  gg_bind_flag(out, "splits_columns", split);
  gg_bind_part(out, "split_columns", split ? "split_columns" : NULL);
  gg_bind_text(out, "first_column", split ? "place_in_line<op>(pos, half)" : "pos");
  gg_bind_text(out, "column_along", split ? "from" : "along");
  gg_bind_text(out, "lines_left",
               split ? "op::split ? mn / 2 - column_in_half<op>(pos)\n"
                       "                    : mn - (op::k_major ? line : pos)"
                     : "mn - (op::k_major ? line : pos)");
  gg_bind_text(out, "line_end", split ? "(op::split ? mn / 2 : mn)" : "mn");
}

void gg_cuda_bind_split(gg_bindings *out, const gg_plan *plan) {
  bool any = gg_plan_is_split(plan), split = gg_plan_splits_rows(plan);
  gg_bind_text(out, "half_parameter", any ? ", int64 half" : "");
  gg_bind_text(out, "half_of_a", any ? ", 0" : "");
  gg_bind_text(out, "half_of_b", any ? ", n / 2" : "");
  gg_bind_text(out, "b_n0", any ? "n0 / 2" : "n0");
  gg_bind_text(out, "first_line",
               split ? "(op::split ? line % 2 * half + line / 2\n"
                       "                              : line)"
                     : "line");
  gg_bind_text(out, "lines_of_turn",
               split ? "(op::split ? op::line_step / 2 : op::line_step)" : "op::line_step");
  bind_split_columns(out, plan);
}

enum { line_columns = 100 };

void gg_cuda_write_items(gg_str *out, const char *items, int column, int indent) {
  int all = column;
  for (const char *at = items; *at; at++)
    all += *at == '\n' ? 3 : 1; /* with what closes the list, or comma and space */
  if (all > line_columns) column = line_columns;
  for (const char *item = items, *end; *item; item = end + 1) {
    end = strchr(item, '\n');
    int length = (int)(end - item);
    column += length + 3; /* with what closes the list, or comma and space */
    if (column > line_columns) {
      gg_str_printf(out, "\n%*s", indent, "");
      column = indent + length + 3;
    } else if (item != items) {
      gg_str_putc(out, ' ');
    }
    gg_str_append(out, item, (size_t)length);
    if (end[1]) gg_str_putc(out, ',');
  }
}

static void write_parameters(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_param params[GG_PARAMS_MAX];
  size_t count = gg_kernel_params(params, plan, layouts);
  gg_str items = GG_STR_INIT;
  for (size_t i = 0; i < count; i++) {
    gg_cuda_write_parameter(&items, plan, params[i]);
    gg_str_putc(&items, '\n');
  }
  gg_cuda_write_items(out, gg_str_text(&items), line_columns, 8);
  if (items.failed) out->failed = true;
  gg_str_free(&items);
}

/* ---- Conversions ------------------------------------------------------------------------ */

void gg_cuda_write_widening(gg_str *out, const char *name, gg_dtype type) {
  const char *ptx = gg_dtype_info_of(type)->ptx;
  gg_str_printf(out, "__device__ __forceinline__ epi_t %s_value(%s_t x) {\n", name, name);
  switch (type) {
  case GG_DTYPE_f16:
    gg_str_puts(out, "  float y;\n"
                     "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x));\n"
                     "  return y;\n");
    break;
  case GG_DTYPE_bf16:
    gg_str_puts(out, "  return __uint_as_float(unsigned(x) << 16);\n");
    break;
  case GG_DTYPE_e4m3:
  case GG_DTYPE_e5m2:
    gg_str_printf(out,
                  "  unsigned halves;\n"
                  "  asm(\"cvt.rn.f16x2.%sx2 %%0, %%1;\" : \"=r\"(halves) : \"h\"((unsigned "
                  "short)x));\n",
                  ptx);
    gg_str_puts(out, "  float y;\n"
                     "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"((unsigned "
                     "short)halves));\n"
                     "  return y;\n");
    break;
  case GG_DTYPE_s8:
    gg_str_puts(out, "  return epi_t((signed char)x);\n");
    break;
  default:
    gg_str_puts(out, "  return epi_t(x);\n");
  }
  gg_str_puts(out, "}\n\n");
}

/* Whether one instruction rounds two f32 numbers to this type, and applies a relu first if asked
 * to. */
static bool rounds_pairs(gg_dtype type) {
  return type == GG_DTYPE_f16 || type == GG_DTYPE_bf16 || gg_dtype_is_fp8(type);
}

/* Rounds two numbers by that instruction, which takes the upper one first. */
static void write_pair(gg_str *out, const char *name, gg_dtype type, bool relu) {
  int bits = gg_dtype_info_of(type)->bits;
  gg_str_printf(
      out,
      "  %s pair;\n"
      "  asm(\"cvt.rn%s%s.%sx2.f32 %%0, %%1, %%2;\" : \"=%c\"(pair) : \"f\"(d1), \"f\"(d0));\n",
      bits == 16 ? "unsigned" : "unsigned short", bits == 16 ? "" : ".satfinite",
      relu ? ".relu" : "", gg_dtype_info_of(type)->ptx, bits == 16 ? 'r' : 'h');
  gg_str_printf(out, "  bits[0] = %s_t(pair);\n  bits[1] = %s_t(pair >> %d);\n", name, name, bits);
}

/* Rounds two numbers to 8 bits, saturating. Here, too, the upper one comes first. */
static void write_bytes(gg_str *out, const char *name, gg_dtype type, bool floats) {
  if (floats && type == GG_DTYPE_u8)
    gg_str_puts(out, "  // ptxas 13.0 makes F2IP.U8 with .RELU of a relu before this, which is an "
                     "illegal instruction on\n"
                     "  // the H100. A sum with 0, which does not change the result, stands "
                     "between them.\n"
                     "  d0 = __fadd_rn(d0, 0.0f);\n");
  gg_str_printf(out,
                "  unsigned pair;\n"
                "  asm(\"cvt.pack.sat.%s.s32.b32 %%0, %%1, %%2, 0;\"\n"
                "      : \"=r\"(pair) : \"r\"(%s), \"r\"(%s));\n",
                gg_dtype_info_of(type)->ptx, floats ? "__float2int_rn(d1)" : "d1",
                floats ? "__float2int_rn(d0)" : "d0");
  gg_str_printf(out, "  bits[0] = %s_t(pair);\n  bits[1] = %s_t(pair >> 8);\n", name, name);
}

void gg_cuda_write_narrowing(gg_str *out, const char *name, gg_dtype type, gg_dtype compute,
                             bool relu) {
  bool floats = compute == GG_DTYPE_f32;
  gg_str_printf(out,
                "__device__ __forceinline__ void %s_from_values(%s_t (&bits)[2], epi_t d0, "
                "epi_t d1) {\n",
                name, name);
  if (rounds_pairs(type)) {
    write_pair(out, name, type, relu);
  } else if (type == GG_DTYPE_s8 || type == GG_DTYPE_u8) {
    write_bytes(out, name, type, floats);
  } else if (type == GG_DTYPE_s32 && floats) {
    gg_str_puts(out, "  bits[0] = __float2int_rn(d0);\n  bits[1] = __float2int_rn(d1);\n");
  } else {
    gg_str_puts(out, "  bits[0] = d0;\n  bits[1] = d1;\n");
  }
  gg_str_puts(out, "}\n\n");
}

bool gg_cuda_narrows_relu(const gg_plan *plan) {
  size_t count = plan->operation_count;
  return count && !plan->scale_d.block && plan->operations[count - 1].kind == GG_OP_RELU &&
         plan->compute == GG_DTYPE_f32 && rounds_pairs(plan->d.type);
}

/* ---- What every family binds ------------------------------------------------------------ */

static void write_conversions(gg_str *out, const gg_plan *plan, const char *acc_type) {
  if (plan->has_c) gg_cuda_write_widening(out, "c", plan->c.type);
  if (!plan->scale_d.block)
    gg_cuda_write_narrowing(out, "d", plan->d.type, plan->compute, gg_cuda_narrows_relu(plan));
  gg_str_printf(out,
                "// Element i of an accumulator fragment.\n"
                "__device__ __forceinline__ epi_t acc_value(const %s (&acc)[acc_words], int i) {\n",
                acc_type);
  if (plan->accumulator == GG_DTYPE_f16) {
    gg_str_puts(out, "  float x;\n"
                     "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : "
                     "\"h\"((unsigned short)(acc[i / 2] >> i % 2 * 16)));\n"
                     "  return x;\n}\n");
  } else {
    gg_str_puts(out, "  return epi_t(acc[i]);\n}\n");
  }
}

/* Writes the function that multiplies: by one instruction, or, if a tile has too many columns for
 * one, by several side by side. */
static gg_status write_mma(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                           gg_error *err) {
  const gg_mma_atom issued = gg_issued_atom(plan);
  int beside = gg_plan_wgmmas_beside(plan);
  if (beside == 1) return gg_mma_atom_wrapper(out, &issued, "mma", err);
  gg_mma_wgmma_wrapper(out, &issued, beside, gg_layout_at(&layouts->boxes_b.steps, 1), "mma");
  return GG_OK;
}

gg_status gg_cuda_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                       const char *acc_type, const char *conversions, gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_status st = write_mma(&text, plan, layouts, err);
  gg_str_printf(&text, "\n%s", conversions);
  write_conversions(&text, plan, acc_type);
  gg_bind_str(out, "instructions", &text);
  if (st) return st;
  write_parameters(&text, plan, layouts);
  gg_bind_str(out, "parameters", &text);
  return GG_OK;
}
