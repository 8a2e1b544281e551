/* Family sm90: what the epilogue stores through its staging (plan/sm90_results.c) as CUDA C++, in
 * the terms of templates/parts/sm90_epilogue.cu. */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/layout_text.h"
#include "emit/sm90.h"
#include "plan/operation.h"
#include "plan/sm90.h"

/* A result by its names in the text. */
typedef struct names {
  char name[GG_OPERATION_NAME_MAX]; /* "d", "aux2" */
  char to[GG_OPERATION_NAME_MAX + 16], ld[GG_OPERATION_NAME_MAX + 16];
  bool is_d;
} names;

static names names_of(const gg_plan *plan, const gg_result *result) {
  names out = {.name = "d", .to = "arg.gD", .ld = "arg.ldd", .is_d = result->operation < 0};
  if (out.is_d) return out;
  gg_operation_name(out.name, plan->operations, (size_t)result->operation);
  snprintf(out.to, sizeof out.to, "arg.operands.%s", out.name);
  snprintf(out.ld, sizeof out.ld, "arg.operands.ld_%s", out.name);
  return out;
}

static int bits_of(const gg_result *result) {
  return gg_dtype_info_of(result->operand.type)->bits;
}

static gg_sm90_cells cells_of(const gg_plan *plan, const gg_result *result) {
  return gg_sm90_cells_of(&result->operand, plan->epi_n);
}

gg_status gg_sm90_write_results(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err) {
  static const char *const row_col[2] = {"row", "col"};
  for (size_t i = 0; i < layouts->result_count; i++) {
    const gg_result *result = &layouts->results[i];
    names n = names_of(plan, result);
    char function[GG_OPERATION_NAME_MAX + 8];
    snprintf(function, sizeof function, "smem_%s", n.name);
    gg_str_printf(out, "\n// An element%s%s of a warp's staging buffer.\n", n.is_d ? "" : " of ",
                  n.is_d ? "" : n.name);
    gg_status st = gg_emit_layout_function(out, function, row_col, &result->layout, err);
    if (st) return st;
  }
  return GG_OK;
}

/* ---- What varies from result to result --------------------------------------------------- */

static void write_struct(gg_str *out, const gg_plan *plan, const gg_result *result) {
  names n = names_of(plan, result);
  gg_str_printf(out, "struct result_%s {\n  using element = %s_t;\n", n.name, n.name);
  if (!result->mapped)
    gg_str_printf(out, "  static constexpr int access_bytes = %d;\n", result->access_bytes);
  gg_str_putc(out, '\n');
  gg_sm90_write_offset(out, n.name, result->operand.type);
  gg_str_puts(out, "};\n\n");
}

static void bind_structs(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  for (size_t i = 0; i < layouts->result_count; i++)
    write_struct(&text, plan, &layouts->results[i]);
  gg_str_printf(&text, "constexpr int results = %d;  // that a box has\n",
                (int)layouts->result_count);
  gg_bind_str(out, "results", &text);
}

static void bind_boxes(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str members = GG_STR_INIT, hold = GG_STR_INIT;
  for (size_t i = 0; i < layouts->result_count; i++) {
    const gg_result *result = &layouts->results[i];
    names n = names_of(plan, result);
    bool word = bits_of(result) < 32;
    const char *of = word ? "hold" : "hold_two";
    gg_str_printf(&members,
                  word ? "  unsigned %s[epi_n / 8][2];\n" : "  two<%s_t> %s[epi_n / 8][2];\n",
                  n.name, n.name);
    if (n.is_d)
      gg_str_printf(&hold, "      out.d[col / 8][down] = %s(two<d_t>{bits[0], bits[1]});\n", of);
    else
      gg_str_printf(&hold, "      out.%s[col / 8][down] = %s(aside.%s);\n", n.name, of, n.name);
  }
  gg_bind_str(out, "finished_members", &members);
  gg_bind_str(out, "hold_results", &hold);
}

/* Lanes' stores have no turn at the buffers where the copy engine has: an empty one. */
static void write_store(gg_str *out, const gg_plan *plan, const gg_result *result, int number,
                        bool maps) {
  static const char *const stage[] = {[GG_SM90_CELLS_MATRICES] = "stage_matrices",
                                      [GG_SM90_CELLS_HALVES] = "stage_halves",
                                      [GG_SM90_CELLS_PAIRS] = "stage_pairs",
                                      [GG_SM90_CELLS_ONES] = "stage_ones"};
  names n = names_of(plan, result);
  gg_str_printf(out, "  staged = await_buffer(staging, turn + %d, lane);\n", number);
  gg_str_printf(out, "  %s<result_%s>(box.%s, staged, lane);\n", stage[cells_of(plan, result)],
                n.name, n.name);
  if (result->mapped) {
    gg_str_printf(out,
                  "  store_box<result_%s>(\n"
                  "      arg, arg.map_%s, %s, %s, row0, col0, staged, lane);\n",
                  n.name, n.name, n.to, n.ld);
    return;
  }
  gg_str_printf(out, "  store_lines<result_%s>(arg, %s, %s, row0, col0, staged, lane);\n", n.name,
                n.to, n.ld);
  if (maps) gg_str_puts(out, "  if (lane == 0) tma_store_commit();\n");
}

/* The results' maps: members of the epilogue's arguments, and what fills them. */
static void bind_maps(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_result *d = &layouts->results[layouts->result_count - 1];
  const char *indent = plan->specialised ? "          " : "      ";
  gg_str members = GG_STR_INIT, maps = GG_STR_INIT;
  if (d->mapped) {
    gg_str_puts(&members, "  const tensor_map &map_d;\n");
    gg_str_printf(&maps, "map_d,\n%s", indent);
  }
  bool aside = false;
  for (size_t i = 0; i + 1 < layouts->result_count; i++) {
    const gg_result *result = &layouts->results[i];
    if (!result->mapped) continue;
    names n = names_of(plan, result);
    gg_str_printf(&members, "%s&map_%s", aside ? ", " : "  const tensor_map ", n.name);
    gg_str_printf(&maps, "%smap_%s", aside ? ", " : "", n.name);
    aside = true;
  }
  if (aside) {
    gg_str_puts(&members, ";\n");
    gg_str_printf(&maps, ",\n%s", indent);
  }
  gg_bind_str(out, "map_members", &members);
  gg_bind_str(out, "map_arguments", &maps);
}

static void bind_stores(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  bool mapped = false, lines = false;
  for (size_t i = 0; i < layouts->result_count; i++) {
    mapped = mapped || layouts->results[i].mapped;
    lines = lines || !layouts->results[i].mapped;
  }
  for (size_t i = 0; i < layouts->result_count; i++)
    write_store(&text, plan, &layouts->results[i], (int)i, mapped);
  gg_bind_str(out, "store_results", &text);
  gg_bind_flag(out, "maps_results", mapped);
  gg_bind_part(out, "store_maps", mapped ? "sm90_store_maps" : NULL);
  gg_bind_part(out, "store_units", lines ? "sm90_store_units" : NULL);
}

/* What holds finished elements in registers, and what takes them apart again: words of several, or
 * two of 32 bits. Matrices are stored in words, and halves in twos. */
static void bind_parts(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool words = false, twos = false, split_words = false, split_twos = false,
       is[GG_SM90_CELLS_ONES + 1] = {false};
  for (size_t i = 0; i < layouts->result_count; i++) {
    const gg_result *result = &layouts->results[i];
    gg_sm90_cells how = cells_of(plan, result);
    bool word = bits_of(result) < 32;
    is[how] = true;
    words = words || word;
    twos = twos || !word;
    split_words = split_words || (word && how != GG_SM90_CELLS_MATRICES);
    split_twos = split_twos || (!word && how != GG_SM90_CELLS_HALVES);
  }
  gg_bind_part(out, "hold_words", words ? "sm90_hold_words" : NULL);
  gg_bind_part(out, "split_words", split_words ? "sm90_split_words" : NULL);
  gg_bind_part(out, "hold_twos", twos ? "sm90_hold_twos" : NULL);
  gg_bind_part(out, "split_twos", split_twos ? "sm90_split_twos" : NULL);
  gg_bind_part(out, "stage_matrices", is[GG_SM90_CELLS_MATRICES] ? "sm90_stage_matrices" : NULL);
  gg_bind_part(out, "stage_halves", is[GG_SM90_CELLS_HALVES] ? "sm90_stage_halves" : NULL);
  gg_bind_part(out, "stage_pairs", is[GG_SM90_CELLS_PAIRS] ? "sm90_stage_pairs" : NULL);
  gg_bind_part(out, "stage_ones", is[GG_SM90_CELLS_ONES] ? "sm90_stage_ones" : NULL);
}

void gg_sm90_bind_results(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool holds = gg_sm90_holds(plan);
  bind_structs(out, plan, layouts);
  bind_boxes(out, plan, layouts);
  bind_stores(out, plan, layouts);
  bind_maps(out, plan, layouts);
  bind_parts(out, plan, layouts);
  gg_bind_flag(out, "aside", layouts->result_count > 1);
  gg_bind_flag(out, "holds", holds);
  gg_bind_flag(out, "releases", layouts->fetched_count > 0 && !holds);
}
