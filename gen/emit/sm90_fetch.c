/* Family sm90: what is fetched for a tile's epilogue (plan/sm90_fetch.c) as CUDA C++, with the
 * names of templates/parts/sm90_fetch.cu, sm90_vectors.cu and sm90_cells.cu. */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/layout_text.h"
#include "emit/sm90.h"
#include "plan/gate.h"
#include "plan/operation.h"
#include "plan/sm90.h"

/* ---- Matrices ---------------------------------------------------------------------------- */

/* The matrix's name in the text: "c", "residual2". */
static const char *name_of(char out[GG_OPERATION_NAME_MAX], const gg_plan *plan,
                           const gg_fetched *matrix) {
  if (!matrix->is_c) return gg_operation_name(out, plan->operations, (size_t)matrix->operation);
  return strcpy(out, "c");
}

void gg_sm90_write_offset(gg_str *out, const char *name, gg_dtype type) {
  int bits = gg_dtype_info_of(type)->bits;
  gg_str_printf(out,
                "  static __device__ __forceinline__ constexpr unsigned offset(unsigned row, "
                "unsigned col) {\n    return smem_%s(row, col) %c %d;\n  }\n",
                name, bits < 8 ? '/' : '*', bits < 8 ? 8 / bits : bits / 8);
}

/* Whether a box of any matrix comes in several pieces. */
static bool has_pieces(const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    if (layouts->fetched[i].pieces > 1) return true;
  }
  return false;
}

static gg_status write_matrix(gg_str *out, const gg_plan *plan, const gg_fetched *matrix,
                              bool pieces, gg_error *err) {
  static const char *const row_col[2] = {"row", "col"};
  char name[GG_OPERATION_NAME_MAX], function[GG_OPERATION_NAME_MAX + 8];
  name_of(name, plan, matrix);
  snprintf(function, sizeof function, "smem_%s", name);
  gg_str_printf(out, "\n// An element of a fetched box of %s.\n", matrix->is_c ? "C" : name);
  gg_status st = gg_emit_layout_function(out, function, row_col, &matrix->layout, err);
  if (st) return st;
  gg_str_printf(out,
                "\nstruct fetched_%s {\n"
                "  static constexpr bool n_major = %s;\n"
                "  static constexpr int line = %d;  // elements of a box's, which are contiguous\n",
                name, gg_cuda_bool(matrix->operand.major == GG_MAJOR_N), matrix->line);
  int parts = gg_plan_column_parts(plan), boxes = matrix->boxes / parts;
  if (plan->subtile_stages && parts > 1)
    gg_str_printf(out,
                  "  static constexpr unsigned part_bytes = %lld;  // of a part of the columns\n",
                  (long long)(boxes * matrix->bytes));
  if (plan->subtile_stages)
    gg_str_printf(out,
                  "  static constexpr int box_count = %d;  // of a sub-tile\n"
                  "  static constexpr unsigned begin = %lld, box_bytes = %lld;\n",
                  boxes, (long long)matrix->begin, (long long)matrix->bytes);
  else
    gg_str_printf(out,
                  "  static constexpr int boxes = %d, boxes_a_stage = %d, first_stage = %d;\n"
                  "  static constexpr unsigned box_bytes = %lld;\n",
                  matrix->boxes, matrix->boxes_a_stage, matrix->first_stage,
                  (long long)matrix->bytes);
  if (pieces)
    gg_str_printf(
        out,
        "  // A tensor map brings at most %d lines at once: boxes of more come in pieces.\n"
        "  static constexpr int pieces = %d, piece_lines = %d;\n"
        "  static constexpr unsigned piece_bytes = %lld;\n",
        GG_BOX_EXTENT_MAX, matrix->pieces, matrix->lines / matrix->pieces,
        (long long)matrix->bytes / matrix->pieces);
  gg_str_putc(out, '\n');
  gg_sm90_write_offset(out, name, matrix->operand.type);
  gg_str_puts(out, "};\n");
  return GG_OK;
}

gg_status gg_sm90_write_fetched(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                gg_error *err) {
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    gg_status st = write_matrix(out, plan, &layouts->fetched[i], has_pieces(layouts), err);
    if (st) return st;
  }
  if (gg_sm90_fetches_behind(layouts)) {
    gg_str_printf(out, "\nconstexpr int fetch_stages = %d;  // of all that is fetched for a tile\n",
                  layouts->fetch_stages);
  }
  return GG_OK;
}

/* Appends "c, residual", each with a prefix. */
static void write_list(gg_str *out, const char *prefix, const gg_plan *plan,
                       const gg_layouts *layouts) {
  char name[GG_OPERATION_NAME_MAX];
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    name_of(name, plan, &layouts->fetched[i]);
    gg_str_printf(out, "%s%s%s", i ? ", " : "", prefix, name);
  }
}

bool gg_sm90_fetches_c(const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    if (layouts->fetched[i].is_c) return true;
  }
  return false;
}

bool gg_sm90_fetches_behind(const gg_layouts *layouts) {
  return layouts->fetch_stages > 0;
}

void gg_sm90_write_fetch_maps(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  if (layouts->fetched_count == 0) return;
  gg_str_puts(out, "    const fetch_maps maps = {");
  write_list(out, "map_", plan, layouts);
  gg_str_puts(out, "};\n");
}

void gg_sm90_write_fetch_maps_of_set(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  static const char begin[] = "    const fetch_maps maps = {";
  char name[GG_OPERATION_NAME_MAX];
  gg_str items = GG_STR_INIT;
  if (!gg_sm90_fetches_c(layouts)) return;
  for (size_t i = 0; i < layouts->fetched_count; i++)
    gg_str_printf(&items, "%s.%s\n", layouts->fetched[i].is_c ? "set" : "launch_maps",
                  name_of(name, plan, &layouts->fetched[i]));
  gg_str_puts(out, begin);
  gg_cuda_write_items(out, gg_str_text(&items), (int)sizeof begin - 1, 8);
  gg_str_puts(out, "};\n");
  if (items.failed) out->failed = true;
  gg_str_free(&items);
}

/* Binds the maps that a sub-tile is fetched by, and how many bytes it has. */
static void bind_subtiles(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_SUBTILES);
  gg_str text = GG_STR_INIT, bytes = GG_STR_INIT;
  char name[GG_OPERATION_NAME_MAX];
  int64_t of_c = 0;
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    const gg_fetched *matrix = &layouts->fetched[i];
    name_of(name, plan, matrix);
    if (matrix->is_c) of_c = matrix->boxes * matrix->bytes;
    const char *condition = matrix->is_c ? "if (of.beta != 0.0f) " : "";
    gg_str_printf(&text, "      %sfetch<fetched_%s>(maps.%s, stage, full, row, col, at.batch);\n",
                  condition, name, name);
    if (gg_plan_column_parts(plan) > 1)
      gg_str_printf(
          &text,
          "      %sfetch<fetched_%s>(maps.%s, stage + fetched_%s::part_bytes, full, row,\n"
          "                             col + %s, at.batch);\n",
          condition, name, name, name, plan->turns_columns ? "half_step" : "warp_columns");
  }
  gg_str_printf(&bytes, of_c ? "of.beta != 0.0f ? %lld : %lld" : "%lld", (long long)ring->tx_bytes,
                (long long)(ring->tx_bytes - of_c));
  gg_bind_str(out, "fetch_all", &text);
  gg_str_printf(&text, "%d", GG_SM90_K_TILES_TO_FETCH_IN);
  gg_bind_str(out, "k_tiles_to_fetch_in", &text);
  bool shares = gg_plan_shares_tiles(plan), in_turns = ring->instances > 1;
  gg_bind_text(out, "next_fetched", shares ? "    if (!stores_boxes(list, item)) continue;\n" : "");
  gg_bind_flag(out, "in_turns", in_turns);
  gg_bind_text(out, "consumer_parameter",
               in_turns ? ",\n                                               int consumer" : "");
  gg_bind_text(out, "all_subtiles", in_turns ? "consumers * subtile_stages" : "subtile_stages");
  gg_bind_text(out, "subtiles_down", in_turns ? "frags_m" : "mmas_m");
  gg_bind_text(out, "subtile_rows", in_turns ? "mma_m" : "mma_rows");
  gg_bind_flag(out, "column_parts", gg_plan_column_parts(plan) > 1);
  gg_bind_text(
      out, "subtile",
      gg_plan_column_parts(plan) > 1
          ? "at.tile.subtile() + at.tile.part * matrix::part_bytes +\n                       "
          : "at.tile.subtile() + ");
  gg_bind_str(out, "subtile_bytes_fetched", &bytes);
  write_list(&text, "&", plan, layouts);
  gg_bind_str(out, "fetched_members", &text);
}

static void bind_fetches(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT, prefetch = GG_STR_INIT;
  char name[GG_OPERATION_NAME_MAX];
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    name_of(name, plan, &layouts->fetched[i]);
    const char *condition =
        layouts->fetched[i].is_c ? "  if (stages > fetched_c::first_stage)\n  " : "";
    gg_str_printf(&text, "%s  fetch<fetched_%s>(maps.%s, at, write, smem);\n", condition, name,
                  name);
    gg_str_printf(&prefetch, "%s  prefetch<fetched_%s>(maps.%s, at, box);\n", condition, name,
                  name);
  }
  gg_bind_text(out, "pieces", has_pieces(layouts) ? "matrix::pieces" : "1");
  gg_bind_str(out, "fetch_all", &text);
  gg_bind_str(out, "prefetch_all", &prefetch);
  write_list(&text, "&", plan, layouts);
  gg_bind_str(out, "fetched_members", &text);
}

/* Whether sub-tiles are also fetched for boxes that another CTA stores, so that consumers skip
 * them. */
static bool skips_subtiles(const gg_plan *plan) {
  return plan->subtile_stages && plan->pingpong && gg_plan_shares_tiles(plan);
}

/* Binds where a warp of the epilogue begins in its ring of sub-tiles, and what consumers that take
 * turns do with it. */
static void bind_subtile_readers(gg_bindings *out, const gg_plan *plan) {
  bool apart = gg_plan_in_tensor_memory(plan), any = plan->subtile_stages > 0;
  if (plan->specialised)
    gg_bind_text(
        out, "begin_fetched",
        !any             ? ""
        : plan->pingpong ? "    fetched_tile fetched = {smem, {turn * subtile_stages, 0},\n"
                           "                            list.k_tiles >= k_tiles_to_fetch_in};\n"
        : gg_plan_column_parts(plan) > 1 ? "    fetched_tile fetched = {smem, {0, 0}, rank / 2};\n"
                                         : "    fetched_tile fetched = {smem, {0, 0}};\n");
  if (any || !apart)
    gg_bind_flag(out, "overlaps", any && !apart && gg_plan_boxes_overlap(plan, plan->epi_n));
  if (apart) return;
  bool skips = skips_subtiles(plan);
  gg_bind_flag(out, "subtiles", any);
  gg_bind_text(out, "if_stored", skips ? "if (arg.stored) " : "");
  if (!plan->specialised) return;
  gg_bind_text(out, "or_fetched", skips ? " || stores_boxes(list, item)" : "");
  gg_bind_text(out, "begins_to_fetch",
               skips ? "fetched.late ? stores_boxes(list, item) : int(i) == turn"
                     : "fetched.late || int(i) == turn");
}

/* ---- Cells ------------------------------------------------------------------------------- */

static gg_sm90_cells cells_of(const gg_fetched *matrix) {
  return gg_sm90_cells_of(&matrix->operand, matrix->line);
}

static void bind_releases(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str text = GG_STR_INIT;
  char name[GG_OPERATION_NAME_MAX];
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    const gg_fetched *matrix = &layouts->fetched[i];
    gg_str_printf(&text, "  %srelease_stages<fetched_%s>(tile, box);\n",
                  matrix->is_c ? "if (of.beta != 0.0f) " : "", name_of(name, plan, matrix));
  }
  gg_bind_str(out, "release_read", &text);
}

static void bind_cells(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  static const char *const functions[] = {[GG_SM90_CELLS_MATRICES] = "load_matrices",
                                          [GG_SM90_CELLS_HALVES] = "load_halves",
                                          [GG_SM90_CELLS_PAIRS] = "load_pairs",
                                          [GG_SM90_CELLS_ONES] = "load_ones"};
  gg_str text = GG_STR_INIT;
  char name[GG_OPERATION_NAME_MAX];
  for (size_t i = 0; i < layouts->fetched_count; i++) {
    const gg_fetched *matrix = &layouts->fetched[i];
    name_of(name, plan, matrix);
    gg_str_printf(&text,
                  "  %s<fetched_%s, %s_t, &cell_values::%s>(\n"
                  "      cells, at, box, first, lane, %s);\n",
                  functions[cells_of(matrix)], name, name, name,
                  matrix->is_c ? "of.beta != 0.0f" : "true");
  }
  gg_bind_str(out, "load_cells", &text);
}

/* ---- Vectors ----------------------------------------------------------------------------- */

/* Binds the copies of vectors. Behind D's last row or column they are filled with zeros. */
static void bind_vectors(gg_bindings *out, const gg_plan *plan) {
  bool split = gg_plan_is_split(plan);
  const char *const copies[] = {
      [GG_SPAN_ALL] = "copy_vector<1>(to + %s_begin, of.%s, 1, lane);\n",
      [GG_SPAN_ROWS] = "copy_vector<tile_m>(to + %s_begin, of.%s, rows, lane);\n",
      [GG_SPAN_COLUMNS] =
          split ? "copy_halves<tile_n>(to + %s_begin, of.%s, of.half_n, cols, lane);\n"
          : plan->turns_columns ? "copy_vector<span_n>(to + %s_begin, of.%s, cols, lane);\n"
                                : "copy_vector<tile_n>(to + %s_begin, of.%s, cols, lane);\n",
  };
  gg_str text = GG_STR_INIT;
  char name[GG_OPERATION_NAME_MAX];
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    if (!gg_operation_reads_vector(operation)) continue;
    gg_operation_name(name, plan->operations, i);
    gg_str_puts(&text, "    ");
    gg_str_printf(&text, copies[gg_operation_span(operation)], name, name);
  }
  gg_bind_flag(out, "halves", split);
  gg_bind_str(out, "copy_vectors", &text);
}

void gg_sm90_bind_fetched(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool fetches = layouts->fetched_count > 0;
  bind_subtile_readers(out, plan);
  gg_bind_part(out, "cells", fetches ? "sm90_cells" : NULL);
  if (fetches) bind_cells(out, plan, layouts);
  if (plan->subtile_stages) {
    gg_bind_part(out, "fetched", "sm90_fetched_subtiles");
    gg_bind_part(out, "locate_cells", "sm90_locate_subtile_cells");
    gg_bind_part(out, "release_stages", NULL);
    bind_subtiles(out, plan, layouts);
    gg_bind_flag(out, "skips", skips_subtiles(plan));
  } else if (fetches) {
    gg_bind_part(out, "fetched", "sm90_fetched_stages");
    gg_bind_part(out, "locate_cells", "sm90_locate_stage_cells");
    gg_bind_part(out, "release_stages", "sm90_release_read");
    bind_releases(out, plan, layouts);
    bind_fetches(out, plan, layouts);
  }
  if (plan->vector_buffers > 0) bind_vectors(out, plan);
}
