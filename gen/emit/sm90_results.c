/* Family sm90: what the epilogue stores by way of its staging (plan/sm90_results.c) as CUDA C++,
 * with the names of templates/parts/sm90_epilogue.cu. */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/layout_text.h"
#include "emit/sm90.h"
#include "plan/choices.h"
#include "plan/epilogue.h"
#include "plan/gate.h"
#include "plan/map_sets.h"
#include "plan/operation.h"
#include "plan/scales.h"
#include "plan/sm90.h"

/* A result's names in the text. */
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
  if (gg_sm90_stores_lines(result))
    gg_str_printf(out, "  static constexpr int access_bytes = %d;\n", result->access_bytes);
  gg_str_putc(out, '\n');
  gg_sm90_write_offset(out, n.name, result->operand.type);
  gg_str_puts(out, "};\n\n");
}

/* Appends a function for pairs of 32-bit elements: an empty instruction that holds them in
 * registers of their type. */
static void write_holder(gg_str *out, const char *type, char constraint) {
  gg_str_printf(out,
                "// Makes the compiler finish two neighbouring elements of 32 bits here.\n"
                "__device__ __forceinline__ two<%s> hold_%ss(two<%s> pair) {\n"
                "  asm volatile(\"\" : \"+%c\"(pair.x)::\"memory\");  // now, not later\n"
                "  asm volatile(\"\" : \"+%c\"(pair.y)::\"memory\");\n"
                "  return pair;\n"
                "}\n\n",
                type, type, type, constraint, constraint);
}

static void bind_structs(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  for (size_t i = 0; i < layouts->result_count; i++)
    write_struct(&text, plan, &layouts->results[i]);
  write_holder(&text, "float", 'f');
  write_holder(&text, "int", 'r');
  gg_str_printf(&text, "constexpr int results = %d;  // that a box has\n",
                (int)layouts->result_count);
  gg_bind_str(out, "results", &text);
}

/* The function that holds two finished elements of a result: in one word, or in two registers. */
static const char *holder(const gg_result *result) {
  if (bits_of(result) < 32) return "hold";
  return result->operand.type == GG_DTYPE_s32 ? "hold_ints" : "hold_floats";
}

static void write_hold(gg_str *out, const gg_plan *plan, const gg_result *result, const names *n) {
  if (n->is_d && gg_plan_scales_d(plan)) return; /* held when all of a block is finished */
  if (n->is_d && gg_plan_is_gated(plan))
    gg_str_printf(out, "    out.d[col / 8] = %s(two<d_t>{bits[0], bits[1]});\n", holder(result));
  else if (n->is_d)
    gg_str_printf(out, "      out.d[col / 8][down] = %s(two<d_t>{bits[0], bits[1]});\n",
                  holder(result));
  else
    gg_str_printf(out, "      out.%s[col / 8][down] = %s(aside.%s);\n", n->name, holder(result),
                  n->name);
}

static void bind_boxes(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str members = GG_STR_INIT, hold = GG_STR_INIT;
  for (size_t i = 0; i < layouts->result_count; i++) {
    const gg_result *result = &layouts->results[i];
    names n = names_of(plan, result);
    bool word = bits_of(result) < 32, gated = n.is_d && gg_plan_is_gated(plan);
    gg_str_printf(&members, word ? "  unsigned " : "  two<%s_t> ", n.name);
    gg_str_printf(&members, gated ? "%s[epi_n / 8];  // of two rows\n" : "%s[epi_n / 8][2];\n",
                  n.name);
    write_hold(&hold, plan, result, &n);
  }
  if (gg_plan_scales_d(plan))
    gg_str_puts(&members, "  factors_t factors[epi_n / scaled_block / factors_a_word][2];\n");
  gg_bind_str(out, "finished_members", &members);
  gg_bind_str(out, "hold_results", &hold);
}

/* Appends the storing of a result. If the copy engine takes turns at the buffers, stores of lanes
 * take part with an empty turn. */
static void write_store(gg_str *out, const gg_plan *plan, const gg_result *result, int number,
                        bool maps, bool alone) {
  static const char *const stage[] = {
      [GG_SM90_CELLS_MATRICES] = "stage_matrices", [GG_SM90_CELLS_HALVES] = "stage_halves",
      [GG_SM90_CELLS_PAIRS] = "stage_pairs",       [GG_SM90_CELLS_ONES] = "stage_ones",
      [GG_SM90_CELLS_TURNED] = "stage_turned",     [GG_SM90_CELLS_PACKED] = "stage_packed",
      [GG_SM90_CELLS_GATED] = "stage_gated"};
  names n = names_of(plan, result);
  bool together = plan->box_warps > 1;
  const char *lane = together ? "box_lane" : "lane";
  gg_str_printf(out, "  %sstaged = await_buffer(staging, turn + %d, %s);\n",
                alone         ? "const unsigned "
                : number == 0 ? "unsigned "
                              : "",
                number, lane);
  gg_str_printf(out, "  %s<result_%s>(box.%s, staged, %slane);\n",
                stage[gg_sm90_cells_of_result(plan, result)], n.name, n.name,
                together ? "first_row, " : "");
  if (gg_sm90_cells_of_result(plan, result) == GG_SM90_CELLS_PACKED) {
    gg_str_puts(out, "  store_packed(arg, row0, col0, staged, lane);\n");
    return;
  }
  const char *col0 = gg_plan_is_gated(plan) ? "col0 / 2" : "col0";
  if (result->mapped) {
    gg_str_printf(out,
                  "  store_box<result_%s>(\n"
                  "      arg, arg.map_%s, %s, %s, row0, %s, staged, %s);\n",
                  n.name, n.name, n.to, n.ld, col0, lane);
    return;
  }
  gg_str_printf(out, "  %s<result_%s>(arg, %s, %s, row0, %s, staged, lane);\n",
                gg_sm90_stores_units(result) ? "store_units" : "store_lines", n.name, n.to, n.ld,
                col0);
  if (maps) gg_str_puts(out, "  if (lane == 0) tma_store_commit();\n");
}

/* What the epilogue is told: members of a struct, and the values that fill them. row0 and `at` are
 * the kernel's. */
typedef struct told {
  bool holds;
  const char *member, *argument;
} told;

static void bind_arguments(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_sm90_epilogue has = gg_sm90_epilogue_of(plan, layouts);
  bool parts = gg_plan_column_parts(plan) > 1, changes = gg_plan_changes_maps(plan);
  bool packed = gg_dtype_info_of(plan->d.type)->bits == 4, gated = gg_plan_is_gated(plan);
  const told all[] = {
      {true,
       gated ? "int row0, col0, batch;  // this warp's first element of the product"
             : "int row0, col0, batch;  // this warp's first element of D",
       parts ? "row0, col0, at.batch" : "row0, at.n0, at.batch"},
      {has.edges, "int64 rows, cols;  // of D", gated ? "m, n / 2" : "m, n"},
      {has.addresses, "d_t *gD;  // of this batch",
       changes  ? "d_of(smem, set_of(number))"
       : packed ? "D + at.batch * batch_stride_d / 2"
                : "D + at.batch * batch_stride_d"},
      {has.addresses, "int64 ldd;", "ldd"},
      {gg_plan_scales_d(plan), "unsigned char *scale_D;  // of this batch",
       "scale_D + at.batch * batch_stride_scale_d"},
      {has.places, "tile_place at;  // this warp's first element of the tile",
       parts ? "row_place(row0 - at.m0, at.m0, at.n0, m, n).beyond(0, col0 - at.n0)"
             : "row_place(row0 - at.m0, at.m0, at.n0, m, n)"},
      {true, "epilogue_operands operands;", "at_tile(operands, at.batch, at.m0, at.n0)"},
      {has.fetches_behind, "fetched_tile fetched;", "{smem, empty_barriers, read.stage}"},
      {has.fetches && !has.fetches_behind, "fetched_tile &fetched;", "fetched"},
      {has.fetches && !has.fetches_behind && gg_plan_shares_tiles(plan),
       "bool stored;  // whether this cluster stores boxes of the tile",
       "stores_boxes(list, item)"},
      {has.reduces_sums, "box_set boxes;  // of this warp's, those to store", "boxes"},
      {layouts->evicts_first, "unsigned long long policy;  // of the L2 cache, for D", "policy"},
  };
  const char *indent = plan->specialised ? "          " : "      ";
  gg_str members = GG_STR_INIT, arguments = GG_STR_INIT;
  for (size_t i = 0; i < layouts->result_count; i++) {
    if (!layouts->results[i].mapped) continue;
    names n = names_of(plan, &layouts->results[i]);
    gg_str_printf(&members, "  const tensor_map &map_%s;\n", n.name);
    gg_str_printf(&arguments, "%s%s%s,\n", indent, changes && n.is_d ? "set." : "map_", n.name);
  }
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!all[i].holds) continue;
    gg_str_printf(&members, "  %s\n", all[i].member);
    gg_str_printf(&arguments, "%s%s,\n", indent, all[i].argument);
  }
  gg_bind_str(out, "argument_members", &members);
  gg_bind_str(out, "arguments", &arguments);
}

/* Binds whether stores say for how long the L2 cache should keep D. */
static void bind_policy(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool evicts = layouts->evicts_first;
  gg_bind_flag(out, "has_policy", evicts);
  gg_bind_text(out, "policy_parameter", evicts ? ", unsigned long long policy" : "");
  gg_bind_text(out, "and_policy", evicts ? ", arg.policy" : "");
  gg_bind_text(out, "policy_hint", evicts ? ".L2::cache_hint" : "");
  gg_bind_text(out, "policy_operand", evicts ? ", %5" : "");
  gg_bind_text(out, "policy_input", evicts ? ", \"l\"(policy)" : "");
  if (gg_plan_in_tensor_memory(plan)) return;
  gg_bind_text(out, "set_policy",
               evicts ? "  const unsigned long long policy = policy_of(evict_first != 0);\n" : "");
}

/* Whether all lines that may begin at any address are stored in chunks. */
static bool has_long_lines(const gg_plan *plan, const gg_layouts *layouts) {
  bool all = true;
  for (size_t i = 0; i < layouts->result_count; i++) {
    const gg_operand *operand = &layouts->results[i].operand;
    int columns = gg_sm90_columns_of_result(plan, &layouts->results[i]);
    int length = operand->major == GG_MAJOR_N ? columns : plan->epi_m;
    bool is_long = gg_stores_chunks(gg_dtype_bytes(operand->type, length));
    all = all && (is_long || !gg_sm90_stores_lines(&layouts->results[i]));
  }
  return all;
}

static void bind_stores(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  bool mapped = false, lines = false, units = false;
  for (size_t i = 0; i < layouts->result_count; i++) {
    const gg_result *result = &layouts->results[i];
    mapped = mapped || result->mapped;
    units = units || gg_sm90_stores_units(result);
    lines = lines || gg_sm90_stores_lines(result);
  }
  for (size_t i = 0; i < layouts->result_count; i++)
    write_store(&text, plan, &layouts->results[i], (int)i, mapped, layouts->result_count == 1);
  if (gg_plan_scales_d(plan)) gg_str_puts(&text, "  store_factors(arg, box, row0, col0, lane);\n");
  gg_bind_str(out, "store_results", &text);
  bool copies = gg_sm90_copies_lines(plan), chunks = lines && has_long_lines(plan, layouts);
  bool apart = copies || gg_sm90_transposes_any(plan); /* the warps that load have chunks, too */
  gg_bind_flag(out, "boxes_of_results", mapped);
  gg_bind_part(out, "store_lines", lines ? "sm90_store_lines" : NULL);
  gg_bind_part(out, "store_units", units ? "sm90_store_units" : NULL);
  if (units) gg_bind_flag(out, "chunks_of_units", !apart && !chunks);
  if (!lines) return;
  gg_bind_flag(out, "long_lines", chunks);
  gg_bind_flag(out, "shifts_d", chunks && !copies);
  gg_bind_flag(out, "chunks_of_d", chunks && !apart);
}

/* Binds what is stored besides D. It leaves in the same way, before D's box. */
static void bind_aside(gg_bindings *out, const gg_layouts *layouts) {
  bool aside = layouts->result_count > 1;
  gg_bind_text(out, "times_results", aside ? " * results" : "");
  gg_bind_text(out, "aside", aside ? "      aside_values aside;\n" : "");
  gg_bind_text(out, "and_aside", aside ? ", aside" : "");
}

/* Binds that finish_box() hands on what is noted about a box. */
static void bind_seen(gg_bindings *out, const gg_plan *plan) {
  bool keeps = gg_plan_keeps_largest(plan);
  gg_bind_text(out, "seen_parameter", keeps ? ", seen_values &seen" : "");
  gg_bind_text(out, "box_across",
               gg_plan_column_parts(plan) == 1  ? "box"
               : gg_plan_in_tensor_memory(plan) ? "arg.at.col / warp_columns * block_boxes + box"
                                                : "arg.at.col / mma_n * block_boxes + box");
}

/* Binds how finished elements that are stored one by one or in pairs are taken from what holds
 * them. */
static void bind_let_go(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool words = false, pairs = false;
  for (size_t i = 0; i < layouts->result_count; i++) {
    gg_sm90_cells cells = gg_sm90_cells_of_result(plan, &layouts->results[i]);
    if (cells != GG_SM90_CELLS_PAIRS && cells != GG_SM90_CELLS_ONES && cells != GG_SM90_CELLS_GATED)
      continue;
    if (bits_of(&layouts->results[i]) < 32)
      words = true;
    else
      pairs = true;
  }
  gg_bind_flag(out, "let_go_words", words);
  gg_bind_flag(out, "let_go_pairs", pairs);
}

/* Binds blocks of D with a scale factor each: templates/parts/sm100_scale_d.cu, and what stores the
 * factors. */
static void bind_scaled(gg_bindings *out, const gg_plan *plan) {
  bool scaled = gg_plan_scales_d(plan), packed = gg_dtype_info_of(plan->d.type)->bits == 4;
  gg_bind_flag(out, "scaled_d", scaled);
  gg_bind_part(out, "scale_d", scaled ? "sm100_scale_d" : NULL);
  gg_bind_part(out, "store_packed", packed ? "sm100_store_packed" : NULL);
  gg_bind_part(out, "store_factors", scaled ? "sm100_store_factors" : NULL);
  if (!scaled) return;
  gg_bind_flag(out, "packed_d", packed);
  gg_bind_flag(out, "word_parts", plan->epi_n < GG_SCALE_FACTORS * plan->scale_d.block);
  gg_bind_flag(out, "powers", plan->scale_d.type == GG_DTYPE_ue8m0);
  gg_bind_text(out, "d_ptx", gg_dtype_info_of(plan->d.type)->ptx);
  gg_bind_text(out, "d_largest",
               plan->d.type == GG_DTYPE_e4m3   ? "448"
               : plan->d.type == GG_DTYPE_e5m2 ? "57344"
                                               : "6");
}

/* Binds which of a lane's columns belong to a group of eight, and where the first of their sums is,
 * in a tile or in a box; in D's order, if the columns come from halves of N in lines. */
static void bind_columns(gg_bindings *out, const gg_plan *plan, bool boxes) {
  bool lines = plan->split_columns > 0;
  const char *in_turn = boxes ? "gate_of_turn(col)" : "gate_of_turn(box_column(box) + col)";
  const char *as_it_is = boxes ? "col / 2" : "(box_column(box) + col) / 2";
  gg_bind_text(out, "first_sum", lines ? in_turn : as_it_is);
  gg_bind_text(out, "lane_columns", lines ? "4" : "2");
  gg_bind_text(out, "read_at", lines ? "column_of_turn(col + j * 8)" : "col + j * 8");
  bool apart = gg_sm90_halves_tile(plan); /* a box's halves are loaded from two places */
  gg_bind_text(out, "columns_of_half", apart ? "(epi_n / 2)" : "split_columns");
  gg_bind_text(out, "to_partner", apart ? "epi_n / 4" : lines ? "split_columns / 2" : "1");
  gg_bind_text(out, "col_of_pair", lines ? "column_of_turn(col)" : "col");
  gg_bind_text(out, "gated_column",
               lines ? "g / 2 * 8 + lane % 4 * 2 + g % 2" : "g * 4 + lane % 4");
}

static bool turns_bytes(const gg_plan *plan, const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->result_count; i++) {
    if (gg_sm90_cells_of_result(plan, &layouts->results[i]) == GG_SM90_CELLS_TURNED) return true;
  }
  return false;
}

/* Binds who stages and stores a box: one warp, or several that meet at a named barrier. */
static void bind_box_warps(gg_bindings *out, const gg_plan *plan) {
  bool together = plan->box_warps > 1;
  gg_bind_flag(out, "box_of_warps", together);
  gg_bind_text(out, "first_row_parameter", together ? "int first_row, " : "");
  gg_bind_text(out, "first_row", together ? "first_row + " : "");
  gg_bind_text(out, "box_rows", together ? "box_warps * epi_m" : "epi_m");
  gg_bind_text(out, "storing_lanes", together ? "box_threads" : "warp_size");
  if (plan->specialised && !gg_plan_in_tensor_memory(plan))
    gg_bind_text(out, "of_box", together ? " / box_warps" : "");
  gg_bind_text(out, "meet_at_box", together ? "meet_at_box()" : "__syncwarp()");
}

void gg_sm90_bind_results(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bind_structs(out, plan, layouts);
  bind_boxes(out, plan, layouts);
  bind_box_warps(out, plan);
  gg_bind_flag(out, "turns_bytes", turns_bytes(plan, layouts));
  gg_bind_text(out, "second_column", plan->box_warps > 1 ? "0" : "lane / 16");
  bind_stores(out, plan, layouts);
  bind_arguments(out, plan, layouts);
  bind_policy(out, plan, layouts);
  bind_aside(out, layouts);
  gg_bind_flag(out, "derives", gg_plan_derives(plan));
  bind_seen(out, plan);
  bind_let_go(out, plan, layouts);
  bind_scaled(out, plan);
  gg_bind_flag(out, "gated", gg_plan_is_gated(plan));
  gg_bind_flag(out, "plain_d", !gg_plan_is_gated(plan) && !gg_plan_scales_d(plan));
  gg_bind_text(out, "box_d", gg_plan_is_gated(plan) ? "d_n" : "epi_n");
  gg_bind_text(out, "stmatrix_form", plan->d.major == GG_MAJOR_N ? "" : ".trans");
  /* Registers hold all of a tile's sums, or those of one box if the sums are in tensor memory. */
  bool boxes = gg_plan_in_tensor_memory(plan);
  bind_columns(out, plan, boxes);
  gg_bind_part(out, "store_tile", boxes ? "sm100_store_tile" : "sm90_store_tile");
}

/* ---- What the epilogue does --------------------------------------------------------------- */

/* Whether `extent` is fixed, to a multiple of `parts`. */
static bool is_whole(int64_t extent, int64_t parts) {
  return extent != GG_FIXED_NONE && extent % parts == 0;
}

gg_sm90_epilogue gg_sm90_epilogue_of(const gg_plan *plan, const gg_layouts *layouts) {
  /* elements of 16 bytes, of the smallest type of D */
  const int line_elements = gg_dtype_info_of(plan->d.type)->bits == 4 ? 32 : 16;
  gg_sm90_epilogue out = {.fetches = layouts->fetched_count > 0,
                          .fetches_behind = gg_sm90_fetches_behind(layouts),
                          .reads_ahead = plan->vector_buffers > 0,
                          .reduces_sums = gg_plan_reduces_sums(plan)};
  bool lines = false, units = false;
  for (size_t i = 0; i < layouts->result_count; i++) {
    out.maps_results = out.maps_results || layouts->results[i].mapped;
    units = units || gg_sm90_stores_units(&layouts->results[i]);
    lines = lines || !layouts->results[i].mapped;
  }
  /* If a cluster has an odd number of pairs that take turns, only two clusters together end with
   * whole tiles. */
  bool odd = plan->turns_pairs && plan->cluster_m % 4 != 0;
  int64_t rows = (int64_t)plan->cluster_m * plan->tile_m * (odd ? 2 : 1);
  int64_t columns = (int64_t)plan->cluster_n * plan->tile_n;
  if (plan->turns_columns && plan->cluster_n % plan->turns_columns) columns *= plan->turns_columns;
  out.partial_tiles = !is_whole(plan->fixed_m, rows) || !is_whole(plan->fixed_n, columns);
  bool n_major = plan->d.major == GG_MAJOR_N;
  int64_t whole = n_major && gg_plan_is_gated(plan) ? 2 * line_elements : line_elements;
  out.tails =
      (out.maps_results || units) && !is_whole(n_major ? plan->fixed_n : plan->fixed_m, whole);
  out.reads_cells = plan->has_c;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    out.places = out.places || gg_operation_span(operation) != GG_SPAN_NONE;
    out.reads_cells = out.reads_cells || gg_operation_reads_matrix(operation);
  }
  bool scaled = gg_plan_scales_d(plan);
  out.places = out.places || plan->has_c || scaled;
  out.edges = lines || scaled || (out.maps_results && (out.partial_tiles || out.tails));
  out.addresses = lines || out.tails;
  return out;
}

void gg_sm90_write_epilogue(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_sm90_epilogue has = gg_sm90_epilogue_of(plan, layouts);
  const gg_cuda_flag rows[] = {
      {"fetches", has.fetches},
      {"fetches_behind", has.fetches_behind},
      {"reads_ahead", has.reads_ahead},
      {"reduces_sums", has.reduces_sums},
      {"maps_results", has.maps_results},
      {"partial_tiles", has.partial_tiles},
      {"tails", has.tails},
      {"reads_cells", has.reads_cells},
  };
  gg_cuda_write_flags(out, rows, sizeof rows / sizeof *rows);
}
