/* Sums over D's rows and columns. What a box has of them goes from finish() by one of two structs,
 * column_totals for two neighbouring columns, row_totals for a row, which the families' epilogues
 * have as long as a box takes; the rest is one text for both directions, written here once for
 * each. */
#include "emit/totals.h"

#include <stdio.h>

#include "emit/cuda_text.h"
#include "emit/skeleton.h"
#include "plan/operation.h"
#include "plan/sums.h"

/* A direction's words. */
typedef struct side {
  gg_span span;
  const char *entry, *across; /* the mode that the vector runs along, and that is summed over */
  const char *name;           /* "columns" */
  const char *first;          /* where an element is along it */
} side;

static const side sides[] = {
    {GG_SPAN_COLUMNS, "n", "m", "columns", "col"},
    {GG_SPAN_ROWS, "m", "n", "rows", "row"},
};
enum { side_count = sizeof sides / sizeof *sides };

static bool has(const gg_plan *plan, const side *s) {
  return gg_plan_sums(plan, s->span) > 0;
}

static bool is_of(const gg_operation *op, const side *s) {
  return op->kind == GG_OP_SUM && gg_operation_span(op) == s->span;
}

static bool is_alone(const gg_plan *plan) {
  return plan->target->id == GG_TARGET_NAIVE;
}

/* ---- Beside the operations -------------------------------------------------------------- */

void gg_totals_write_parameters(gg_str *out, const gg_plan *plan) {
  if (has(plan, &sides[0])) gg_str_puts(out, "column_totals &columns\n");
  if (has(plan, &sides[1])) gg_str_puts(out, "row_totals &rows\n");
}

void gg_totals_write_member(gg_str *out, const gg_plan *plan) {
  if (gg_plan_sums(plan, GG_SPAN_NONE)) gg_str_puts(out, "  totals_place totals;\n");
}

void gg_totals_write_items(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_sums(plan, GG_SPAN_NONE)) return;
  gg_str_puts(out, "{(unsigned *)workspace\nsum_parts\nextent_m(m_arg)\nextent_n(n_arg)\n"
                   "extent_batch(batch_arg)}\n");
}

void gg_totals_write_move(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_sums(plan, GG_SPAN_NONE)) return;
  gg_str_puts(out, "  of.totals.batch = tile_number(batch);\n"
                   "  of.totals.tile_m = tile_number(row / total_tile_m);\n"
                   "  of.totals.tile_n = tile_number(col / total_tile_n);\n");
}

/* ---- Text for a direction --------------------------------------------------------------- */

/* Writes `text`, each @ the mode of the vector, # the mode that is summed over, $ the direction's
 * name, ^ where an element is along the vector. */
static void write_for(gg_str *out, const side *s, const char *text) {
  for (; *text; text++) {
    const char *word = *text == '@'   ? s->entry
                       : *text == '#' ? s->across
                       : *text == '$' ? s->name
                       : *text == '^' ? s->first
                                      : NULL;
    if (word)
      gg_str_puts(out, word);
    else
      gg_str_putc(out, *text);
  }
}

/* What finish() adds to. */
static void write_struct(gg_str *out, const gg_plan *plan, const side *s) {
  bool columns = s->span == GG_SPAN_COLUMNS;
  char name[GG_OPERATION_NAME_MAX];
  gg_str_puts(out, columns ? "// Sums over a box's rows, of two neighbouring columns.\n"
                             "struct column_totals {\n"
                           : "// Sums over a box's columns, of a row.\nstruct row_totals {\n");
  for (size_t i = 0; i < plan->operation_count; i++) {
    if (!is_of(&plan->operations[i], s)) continue;
    gg_operation_name(name, plan->operations, i);
    gg_str_printf(out, "  %s %s;\n", columns ? "pair" : "epi_t", name);
  }
  gg_str_puts(out, "};\n\n");
}

/* Parts and counters of the direction. Those of rows are behind those of columns. */
static void write_side(gg_str *out, const gg_plan *plan, const side *s) {
  bool rows = s->span == GG_SPAN_ROWS, behind = rows && has(plan, &sides[0]);
  write_for(out, s,
            "__device__ __forceinline__ totals_side side_of_$(const totals_place &at) {\n"
            "  const int64 across = (at.# + total_tile_# - 1) / total_tile_#;  // tiles\n"
            "  const int64 along = (at.@ + total_tile_@ - 1) / total_tile_@;\n");
  if (behind) gg_str_puts(out, "  const totals_side before = side_of_columns(at);\n");
  gg_str_printf(out, "  return {at.counters + %s_counters_begin, %s,\n", rows ? "row" : "column",
                behind ? "before.part_at(at.batches, 0, 0)" : "at.parts");
  write_for(out, s,
            "          at.@, across * parts_#, tile_number(at.batches), tile_number(along),\n"
            "          at.batch, at.tile_@, int64(at.tile_#) * parts_#,\n"
            "          unsigned(across) * group_boxes_@, total_tile_@, groups_@, ");
  gg_str_printf(out, "%d};\n}\n\n", gg_plan_sums(plan, s->span));
}

/* What lanes have of the same columns, or rows: so many of them, bit by bit, until all of them have
 * it all. */
static void write_over_lanes(gg_str *out, const char *name, bool columns, bool pairs, int lanes) {
  for (int bit = 1; bit <= lanes; bit *= 2) {
    if (!(lanes & bit)) continue;
    for (int i = 0; i < 1 + (columns && pairs); i++) {
      const char *member = !columns ? "" : i ? ".y" : ".x";
      gg_str_printf(out, "  x.%s%s += __shfl_xor_sync(~0u, x.%s%s, %d);\n", name, member, name,
                    member, bit);
    }
  }
}

/* Which lanes store nothing: all but one of those that have the same; none, where that is alone. */
static void write_leave(gg_str *out, bool columns, int lanes, bool alone) {
  if (alone) return;
  gg_str_puts(out, "  if (");
  if (lanes) gg_str_printf(out, "(lane & %d) > 0 || ", lanes);
  gg_str_puts(out, columns ? "at.rows <= 0 || at.col >= at.cols) return;\n"
                           : "at.cols <= 0 || at.row >= at.rows) return;\n");
}

/* A box's sums to their places: of a warp's lanes by one of those that have them. */
static void write_send(gg_str *out, const gg_plan *plan, const side *s) {
  bool columns = s->span == GG_SPAN_COLUMNS, alone = is_alone(plan);
  gg_sum_boxes boxes = plan->target->sum_boxes(plan);
  int lanes = columns ? boxes.row_lanes : boxes.column_lanes;
  char name[GG_OPERATION_NAME_MAX];
  int number = 0;
  gg_str_printf(out, "// `part`: of the tile's boxes %s.\n",
                columns ? "below each other" : "beside each other");
  gg_str_printf(out,
                "__device__ __forceinline__ void send_%s(const epilogue_operands &of, %s x,\n"
                "                                             tile_place at, int part%s) {\n",
                s->name, columns ? "column_totals" : "row_totals",
                lanes || !alone ? ", int lane" : "");
  for (size_t i = 0; i < plan->operation_count; i++) {
    if (!is_of(&plan->operations[i], s)) continue;
    gg_operation_name(name, plan->operations, i);
    write_over_lanes(out, name, columns, boxes.pairs, lanes);
  }
  write_leave(out, columns, lanes, alone);
  write_for(out, s,
            "  const totals_side side = side_of_$(of.totals);\n"
            "  epi_t *to = side.part_at(side.batch, side.part + part,\n"
            "                           int64(side.tile) * total_tile_@ + at.^);\n");
  for (size_t i = 0; i < plan->operation_count; i++) {
    if (!is_of(&plan->operations[i], s)) continue;
    gg_operation_name(name, plan->operations, i);
    gg_str_puts(out, "  ");
    char place[32] = "";
    if (number) snprintf(place, sizeof place, "%d * side.line()", number);
    number++;
    if (columns && boxes.pairs)
      gg_str_printf(out, "*(two<epi_t> *)(to%s%s) = {x.%s.x, x.%s.y};\n", *place ? " + " : "",
                    place, name, name);
    else
      gg_str_printf(out, "to[%s] = x.%s%s;\n", *place ? place : "0", name, columns ? ".x" : "");
  }
  gg_str_puts(out, "}\n\n");
}

/* All parts of a group's entries, and of those groups that have the same counter. */
static void write_add_up(gg_str *out, const gg_plan *plan, const side *s) {
  bool alone = is_alone(plan);
  char name[GG_OPERATION_NAME_MAX];
  int number = 0;
  gg_str_printf(out,
                "__device__ __forceinline__ void add_up_%s(const epilogue_operands &of,\n"
                "                                               const totals_side &side,\n"
                "                                               tile_number group%s) {\n",
                s->name, alone ? "" : ", int lane");
  gg_str_printf(out,
                "  const int length = side.tile_entries / side.tile_groups;\n"
                "  const tile_number of_batch = side.tiles * side.tile_groups;\n"
                "#pragma unroll 1\n"
                "  for (tile_number i = group %% total_counters; i < side.batches * of_batch;\n"
                "       i += total_counters) {\n"
                "    const int64 batch = i / of_batch;\n"
                "    const int64 first = int64(i %% of_batch) * length;\n"
                "    const int64 end = min(first + length, side.length);\n"
                "#pragma unroll 1\n"
                "    for (int64 entry = first%s; entry < end; entry += %d) {\n",
                alone ? "" : " + lane", alone ? 1 : 32);
  for (size_t i = 0; i < plan->operation_count; i++) {
    if (!is_of(&plan->operations[i], s)) continue;
    gg_operation_name(name, plan->operations, i);
    char place[32] = "";
    if (number) snprintf(place, sizeof place, " + %d * side.line()", number);
    number++;
    gg_str_printf(out,
                  "      of.%s[batch * of.batch_stride_%s + entry] =\n"
                  "          %s_t(add_parts(side, side.part_at(batch, 0, entry)%s));\n",
                  name, name, name, place);
  }
  gg_str_puts(out, "    }\n  }\n}\n\n");
}

/* ---- What is counted -------------------------------------------------------------------- */

/* How a family's warps number the boxes of a tile that they finish: how many there are, and those
 * above and before number `box` of the warp whose first element is at `warp`. */
typedef struct numbering {
  const char *boxes, *above, *before;
} numbering;

static numbering numbering_of(const gg_plan *plan) {
  switch (plan->target->id) {
  case GG_TARGET_SM80:
    return (numbering){"warp_m / epi_m * (warp_n / epi_n)",
                       plan->turns_m ? "(warp.row + box / (warp_n / epi_n) * turn_m) / epi_m"
                                     : "warp.row / epi_m + box / (warp_n / epi_n)",
                       "warp.col / epi_n + box % (warp_n / epi_n)"};
  case GG_TARGET_SM100:
    return (numbering){
        "warp_blocks * block_boxes", "(warp.row + block_row(box % warp_blocks)) / epi_m",
        gg_plan_column_parts(plan) > 1 ? "warp.col / warp_columns * block_boxes + box / warp_blocks"
                                       : "box / warp_blocks"};
  case GG_TARGET_SIMT:
    return (numbering){gg_plan_shares_tiles(plan) ? "warp_boxes" : "1", "0", "0"};
  default:
    return (numbering){"frags_m * block_boxes", "(warp.row + box / block_boxes * mma_m) / epi_m",
                       "box % block_boxes"};
  }
}

static void write_count_side(gg_str *out, const gg_plan *plan, const side *s, bool blocks) {
  numbering n = numbering_of(plan);
  const char *number = s->span == GG_SPAN_COLUMNS ? n.before : n.above;
  write_for(out, s, "    {\n      const totals_side side = side_of_$(of.totals);\n");
  gg_str_printf(out, "      const tile_number group =\n          side.group_of(%s);\n",
                blocks ? number : "0");
  gg_str_puts(
      out,
      "      unsigned complete =\n"
      "          __ballot_sync(~0u, finished && completes(side, group));\n"
      "      __syncwarp();\n"
      "      for (; complete; complete &= complete - 1) {\n"
      "        const tile_number whose = __shfl_sync(~0u, group, __ffs(int(complete)) - 1);\n");
  write_for(out, s, "        add_up_$(of, side, whose, lane);\n      }\n    }\n");
}

static void write_count(gg_str *out, const gg_plan *plan) {
  bool reduces = gg_plan_reduces_sums(plan), blocks = plan->target->sum_boxes(plan).blocks;
  gg_str_printf(out,
                "// Counts the boxes that a warp has finished of a tile, and adds up what is "
                "complete then.\n"
                "__device__ __forceinline__ void count_boxes(const epilogue_operands &of, "
                "tile_place warp,\n"
                "                                            %sint lane) {\n"
                "  if (warp.rows <= 0 || warp.cols <= 0) return;  // a tile outside of D\n"
                "  __syncwarp();\n"
                "#pragma unroll 1\n"
                "  for (int first = 0; first < %s; first += 32) {\n"
                "    const int box = first + lane;\n"
                "    const bool finished = box < %s%s;\n",
                reduces ? "box_set boxes, " : "", numbering_of(plan).boxes,
                numbering_of(plan).boxes, reduces ? " && (boxes >> box & 1)" : "");
  for (int i = 0; i < side_count; i++)
    if (has(plan, &sides[i])) write_count_side(out, plan, &sides[i], blocks);
  gg_str_puts(out, "  }\n}\n\n");
}

/* The same of a thread that has finished one element. */
static void write_count_alone(gg_str *out, const gg_plan *plan) {
  gg_str_puts(out, "// Counts the element that a thread has finished, and adds up what is complete "
                   "then.\n"
                   "__device__ __forceinline__ void count_boxes(const epilogue_operands &of) {\n");
  for (int i = 0; i < side_count; i++) {
    if (!has(plan, &sides[i])) continue;
    write_for(out, &sides[i],
              "  const totals_side $ = side_of_$(of.totals);\n"
              "  if (completes($, $.group_of(0))) add_up_$(of, $, $.group_of(0));\n");
  }
  gg_str_puts(out, "}\n\n");
}

void gg_totals_write(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_sums(plan, GG_SPAN_NONE)) return;
  for (int i = 0; i < side_count; i++) {
    if (!has(plan, &sides[i])) continue;
    write_struct(out, plan, &sides[i]);
    write_side(out, plan, &sides[i]);
    write_send(out, plan, &sides[i]);
    write_add_up(out, plan, &sides[i]);
  }
}

void gg_totals_write_count(gg_str *out, const gg_plan *plan) {
  if (!gg_plan_sums(plan, GG_SPAN_NONE)) return;
  const char *of = gg_skeletons[plan->target->id].operands;
  bool reduces = gg_plan_reduces_sums(plan);
  if (is_alone(plan))
    gg_str_printf(out, "  count_boxes(%s);\n", of);
  else if (plan->target->id == GG_TARGET_SIMT)
    gg_str_printf(out, "  count_boxes(%s, {0, 0, rows, cols}%s, thread %% 32);\n", of,
                  reduces ? ", boxes" : "");
  else if (plan->target->id == GG_TARGET_SM80)
    gg_str_printf(out, "  count_boxes(%s, {row0, col0, rows, cols}%s, lane);\n", of,
                  reduces ? ", boxes" : "");
  else
    gg_str_printf(out, "  count_boxes(%s, arg.at%s, lane);\n", of, reduces ? ", arg.boxes" : "");
}

/* ---- Binding ---------------------------------------------------------------------------- */

/* Extents of a tile, in boxes. A thread that has an element alone is a tile of its own. */
static void write_sizes(gg_str *out, const gg_plan *plan) {
  gg_sum_boxes boxes = plan->target->sum_boxes(plan);
  bool alone = is_alone(plan);
  if (alone) boxes = (gg_sum_boxes){1, 1, .counted = 1};
  const int tile[] = {alone ? 1 : plan->tile_n, alone ? 1 : plan->tile_m};
  const int parts[] = {boxes.m, boxes.n},
            groups[] = {boxes.blocks ? boxes.n : 1, boxes.blocks ? boxes.m : 1};
  gg_str_puts(out, "\n// Of a tile: its extents, parts of a sum over them, groups of entries and "
                   "their boxes.\n");
  gg_str_printf(out, "constexpr int total_tile_m = %d, total_tile_n = %d;\n", tile[1], tile[0]);
  for (int i = 0; i < side_count; i++) {
    if (!has(plan, &sides[i])) continue;
    gg_str_printf(out, "constexpr int parts_%s = %d, groups_%s = %d, group_boxes_%s = %d;\n",
                  sides[i].across, parts[i], sides[i].entry, groups[i], sides[i].entry,
                  boxes.counted / groups[i]);
    int begin = GG_WORKSPACE_COUNTERS / (int)sizeof(uint32_t) - GG_SUM_COUNTERS;
    gg_str_printf(out, "constexpr unsigned %s_counters_begin = %d;\n", i ? "row" : "column",
                  begin + i * GG_SUM_COUNTERS / 2);
  }
}

/* Whether the last box of an MMA's columns may begin within the one before it. */
static bool repeats_columns(const gg_plan *plan) {
  bool mmas = plan->target->sum_boxes == gg_mma_sum_boxes;
  return mmas && gg_plan_warp_columns(plan) % plan->epi_n != 0;
}

/* Which of a box's sums finish() adds to: what a family's epilogue calls them. */
static void bind_arguments(gg_bindings *out, const gg_plan *plan, bool columns, bool rows) {
  static const struct {
    const char *column, *row;
  } names[GG_TARGET_COUNT] = {
      [GG_TARGET_NAIVE] = {", column_total", ", row_total"},
      [GG_TARGET_SIMT] = {", column_total[j]", ", row_total[i]"},
      [GG_TARGET_SM80] = {", column_total[j]", ", row_total[half]"},
      [GG_TARGET_SM90] = {", column_total", ", row_total[down]"},
      [GG_TARGET_SM90_MULTISTAGE] = {", column_total", ", row_total[down]"},
      [GG_TARGET_SM100] = {", column_total", ", row_total[down]"},
      [GG_TARGET_SM120] = {", column_total", ", row_total[down]"},
  };
  gg_str text = GG_STR_INIT;
  if (columns) gg_str_puts(&text, names[plan->target->id].column);
  bool repeats = rows && repeats_columns(plan);
  if (repeats)
    gg_str_puts(&text, ", repeated ? left_out : row_total[down]");
  else if (rows)
    gg_str_puts(&text, names[plan->target->id].row);
  gg_bind_str(out, "and_totals", &text);
}

void gg_bind_totals(gg_bindings *out, const gg_plan *plan) {
  bool columns = has(plan, &sides[0]), rows = has(plan, &sides[1]), any = columns || rows;
  bool wide = plan->compute == GG_DTYPE_f64;
  gg_str text = GG_STR_INIT;
  gg_bind_part(out, "totals", any ? "totals" : NULL);
  gg_bind_flag(out, "column_sums", columns);
  gg_bind_flag(out, "row_sums", rows);
  if (plan->target->sum_boxes == gg_mma_sum_boxes)
    gg_bind_flag(out, "repeats_columns", rows && repeats_columns(plan));
  bind_arguments(out, plan, columns, rows);
  if (any && is_alone(plan))
    write_count_alone(&text, plan);
  else if (any)
    write_count(&text, plan);
  gg_bind_str(out, "count_boxes", &text);
  if (!any) return;
  gg_bind_text(out, "tile_number", is_alone(plan) ? "int64" : "unsigned");
  gg_bind_text(out, "part_type", wide ? "f64" : "f32");
  gg_bind_text(out, "part_register", wide ? "d" : "f");
  write_sizes(&text, plan);
  gg_bind_str(out, "total_sizes", &text);
  gg_str_printf(&text, "%d", GG_SUM_COUNTERS / 2);
  gg_bind_str(out, "counters", &text);
}
