/* Sums over D's rows and columns as CUDA C++. What a box contributes leaves finish() in one of two
 * structs, which families' epilogues keep for the duration of a box: column_totals for two
 * neighbouring columns, row_totals for a row. The rest is one text for both directions, which is
 * written here once for each. */
#include "emit/totals.h"

#include <stdio.h>

#include "emit/cuda_text.h"
#include "emit/skeleton.h"
#include "plan/operation.h"
#include "plan/sums.h"

/* The words of one direction. */
typedef struct side {
  gg_span span;
  const char *entry, *across; /* the mode that the vector runs along; the mode that is summed over
                               */
  const char *name;           /* "columns" */
  const char *first;          /* where an element is along the vector */
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

/* Appends `text`, in which @ stands for the mode of the vector, ` for the mode that is summed over,
 * $ for the direction's name, and ^ for where an element is along the vector. */
static void write_for(gg_str *out, const side *s, const char *text) {
  for (; *text; text++) {
    const char *word = *text == '@'   ? s->entry
                       : *text == '`' ? s->across
                       : *text == '$' ? s->name
                       : *text == '^' ? s->first
                                      : NULL;
    if (word)
      gg_str_puts(out, word);
    else
      gg_str_putc(out, *text);
  }
}

/* Appends the struct that finish() adds to. */
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

/* What is sent at once: how many pairs of columns (or columns, or rows) a lane has, and the bits of
 * a lane's number in which lanes differ that have the same ones. */
typedef struct sending {
  int count, lanes;
  bool pairs;
} sending;

static sending sending_of(const gg_plan *plan, const side *s) {
  gg_sum_boxes boxes = plan->target->sum_boxes(plan);
  bool columns = s->span == GG_SPAN_COLUMNS;
  return (sending){.count = columns ? boxes.sent_columns : boxes.sent_rows,
                   .lanes = columns ? boxes.row_lanes : boxes.column_lanes,
                   .pairs = boxes.pairs};
}

/* Appends the parts and counters of the direction. Those of rows are behind those of columns. */
static void write_side(gg_str *out, const gg_plan *plan, const side *s) {
  bool rows = s->span == GG_SPAN_ROWS, behind = rows && has(plan, &sides[0]);
  write_for(out, s,
            "__device__ __forceinline__ totals_side side_of_$(const totals_place &at) {\n"
            "  const int64 across = (at.` + total_tile_` - 1) / total_tile_`;\n"
            "  const int64 along = (at.@ + total_tile_@ - 1) / total_tile_@;\n");
  if (behind) gg_str_puts(out, "  const totals_side before = side_of_columns(at);\n");
  gg_str_printf(out, "  return {at.counters + %s_counters_begin, %s,\n", rows ? "row" : "column",
                behind ? "before.part_at(at.batches, 0)" : "at.parts");
  write_for(out, s,
            "          at.@, tile_number(at.batches), tile_number(along), tile_number(across),\n"
            "          block_tiles_`, at.batch, at.tile_@, at.tile_`, parts_`,\n"
            "          groups_@, total_tile_@ / groups_@, group_boxes_@, ");
  gg_str_printf(out, "%d};\n}\n\n", gg_plan_sums(plan, s->span));
}

/* The bits of a lane's number in which two lanes may differ that end with the same values. Sums are
 * added over lanes bit by bit, and for each bit a lane keeps one half of its values, unless their
 * number is odd: then lanes that differ in that bit both keep all of them. */
static int odd_bits(int bits, int values) {
  int odd = 0;
  for (int bit = GG_WARP / 2; bit; bit /= 2) {
    if (!(bits & bit)) continue;
    if (values % 2)
      odd |= bit;
    else
      values /= 2;
  }
  return odd;
}

static int values_left(int bits, int values) {
  return values >> __builtin_popcount((unsigned)(bits & ~odd_bits(bits, values)));
}

/* Appends the values of one sum, and where each value goes that is in a lane in the end. Neighbours
 * that are loaded with them, beyond the last one, go there, too. */
static void write_send_sum(gg_str *out, const side *s, const char *name, int number, sending sent) {
  bool columns = s->span == GG_SPAN_COLUMNS, pairs = columns && sent.pairs;
  int values = sent.count * (pairs ? 2 : 1);
  gg_str_printf(out, "  {\n    epi_t sum[%d];\n#pragma unroll\n", values);
  gg_str_printf(out, "    for (int i = 0; i < %d; ++i) ", sent.count);
  if (pairs)
    gg_str_printf(out, "sum[2 * i] = x[i].%s.x, sum[2 * i + 1] = x[i].%s.y;\n", name, name);
  else
    gg_str_printf(out, "sum[i] = x[i].%s%s;\n", name, columns ? ".x" : "");
  if (sent.lanes)
    gg_str_printf(out, "    const int first = add_over_lanes<%d>(sum, lane);\n", sent.lanes);
  gg_str_printf(out, "#pragma unroll\n    for (int i = 0; i < %d; ++i) {\n",
                values_left(sent.lanes, values));
  write_for(out, s, "      const int ^ = at.^ + ");
  const char *value = !sent.lanes ? "i" : pairs ? "(first + i)" : "first + i";
  gg_str_printf(out, pairs ? "%s_of_total(%s / 2) + %s %% 2;\n" : "%s_of_total(%s);\n", s->first,
                value, value);
  int odd = odd_bits(sent.lanes, values);
  write_for(out, s, "      if (^ < (at.^s + width_@ - 1) / width_@ * width_@");
  if (odd) gg_str_printf(out, " && (lane & %d) == 0", odd);
  gg_str_puts(out, ") to[");
  if (number) gg_str_printf(out, "%d * side.line() + ", number);
  gg_str_printf(out, "%s] = sum[i];\n    }\n  }\n", s->first);
}

/* Appends the function that sends a box's sums to their places. */
static void write_send(gg_str *out, const gg_plan *plan, const side *s) {
  bool columns = s->span == GG_SPAN_COLUMNS, alone = is_alone(plan);
  sending sent = sending_of(plan, s);
  char name[GG_OPERATION_NAME_MAX];
  int number = 0;
  gg_str_printf(out, "// `part` is a box's number among those of the tile that are %s.\n",
                columns ? "below each other" : "beside each other");
  gg_str_printf(out, "__device__ __forceinline__ void send_%s(\n", s->name);
  gg_str_printf(out, "    const epilogue_operands &of, const %s_totals (&x)[%d],\n",
                columns ? "column" : "row", sent.count);
  gg_str_printf(out, "    tile_place at, int part%s) {\n", alone ? "" : ", int lane");
  if (!alone) gg_str_printf(out, "  if (at.%s <= 0) return;\n", columns ? "rows" : "cols");
  write_for(out, s,
            "  const totals_side side = side_of_$(of.totals);\n"
            "  epi_t *to = side.part_at(side.batch, int64(side.tile_across) * parts_` + part) +\n"
            "              int64(side.tile) * total_tile_@;\n");
  for (size_t i = 0; i < plan->operation_count; i++) {
    if (!is_of(&plan->operations[i], s)) continue;
    gg_operation_name(name, plan->operations, i);
    write_send_sum(out, s, name, number++, sent);
  }
  gg_str_puts(out, "}\n\n");
}

/* Appends the function that adds up all blocks of a group's entries. */
static void write_add_up(gg_str *out, const gg_plan *plan, const side *s) {
  char name[GG_OPERATION_NAME_MAX];
  int number = 0;
  write_for(
      out, s,
      "__device__ __forceinline__ void add_up_$(const epilogue_operands &of,\n"
      "                                               const totals_side &side,\n"
      "                                               tile_number group, int lane) {\n"
      "  const int64 batch = side.batch_of(group);\n"
      "  const int64 first = side.first_of(group), end = side.end_of(group);\n"
      "  const epi_t *from = side.part_at(batch, 0);\n"
      "  const bool in_blocks = side.blocks() > 1;  // else parts are added up right away\n"
      "  const int64 step = (in_blocks ? side.parts_before(1) : 1) * side.sums * side.line();\n"
      "  const int64 count = in_blocks ? side.blocks() : side.parts_before(1);\n"
      "#pragma unroll 1\n"
      "  for (int64 i = first + width_@ * lane; i < end; i += width_@ * total_lanes) {\n"
      "    epi_t sum[width_@];\n");
  for (size_t i = 0; i < plan->operation_count; i++) {
    if (!is_of(&plan->operations[i], s)) continue;
    gg_operation_name(name, plan->operations, i);
    gg_str_puts(out, "    add_parts(sum, from + ");
    if (number) gg_str_printf(out, "%d * side.line() + ", number);
    number++;
    gg_str_puts(out, "i, step, count);\n#pragma unroll\n");
    write_for(out, s, "    for (int e = 0; e < width_@; ++e)\n");
    gg_str_printf(out,
                  "      if (i + e < side.length)\n"
                  "        of.%s[batch * of.batch_stride_%s + i + e] = %s_t(sum[e]);\n",
                  name, name, name);
  }
  gg_str_puts(out, "  }\n}\n\n");
}

/* Appends the function that adds up those blocks whose last box was counted, and the groups whose
 * last block they were. */
static void write_add_blocks(gg_str *out, const gg_plan *plan, const side *s) {
  bool alone = is_alone(plan);
  write_for(out, s,
            "__device__ __forceinline__ void add_blocks_of_$(const epilogue_operands &of,\n"
            "                                                     const totals_side &side,\n"
            "                                                     tile_number number, int lane) {\n"
            "  const tile_number groups = side.groups();\n"
            "#pragma unroll 1\n"
            "  for (tile_number i = number % total_counters; i < side.blocks() * groups;\n"
            "       i += total_counters) {\n"
            "    const tile_number group = i % groups;\n"
            "    if (side.blocks() == 1) {\n"
            "      add_up_$(of, side, group, lane);\n"
            "      continue;\n"
            "    }\n"
            "    add_block<width_@>(side, group, i / groups, lane);\n");
  if (alone)
    gg_str_puts(out, "    if (!completes_group(side, group)) continue;\n");
  else
    gg_str_puts(out, "    __syncwarp();\n"
                     "    const bool complete = lane == 0 && completes_group(side, group);\n"
                     "    if (!__any_sync(~0u, complete)) continue;\n");
  write_for(out, s,
            "#pragma unroll 1\n"
            "    for (tile_number g = group % total_counters; g < groups; g += total_counters)\n"
            "      add_up_$(of, side, g, lane);\n"
            "  }\n}\n\n");
}

/* ---- What is counted -------------------------------------------------------------------- */

/* How a family's warps number the boxes of a tile that they finish: how many there are; and how
 * many are above, and before, box number `box` of the warp whose first element is at `warp`. */
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
    return (numbering){"warp_blocks * block_boxes",
                       "(warp.row + block_row(box % warp_blocks)) / epi_m",
                       "(warp.col + box_column(box / warp_blocks)) / epi_n"};
  case GG_TARGET_SIMT:
    return (numbering){gg_plan_shares_tiles(plan) ? "warp_boxes" : "1", "0", "0"};
  default:
    return (numbering){"frags_m * block_boxes", "(warp.row + box / block_boxes * mma_m) / epi_m",
                       gg_plan_column_parts(plan) > 1
                           ? "warp.col / mma_n * block_boxes + box % block_boxes"
                           : "box % block_boxes"};
  }
}

static void write_count_side(gg_str *out, const gg_plan *plan, const side *s, bool blocks) {
  numbering n = numbering_of(plan);
  const char *number = s->span == GG_SPAN_COLUMNS ? n.before : n.above;
  write_for(out, s, "    {\n      const totals_side side = side_of_$(of.totals);\n");
  gg_str_printf(out, "      const tile_number number =\n          side.block_of(%s);\n",
                blocks ? number : "0");
  gg_str_puts(
      out,
      "      unsigned complete = __ballot_sync(~0u, finished && completes_block(side, number));\n"
      "      __syncwarp();\n"
      "      for (; complete; complete &= complete - 1) {\n"
      "        const tile_number whose = __shfl_sync(~0u, number, __ffs(int(complete)) - 1);\n");
  write_for(out, s, "        add_blocks_of_$(of, side, whose, lane);\n      }\n    }\n");
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

/* Appends the same for a thread that has finished one element. */
static void write_count_alone(gg_str *out, const gg_plan *plan) {
  gg_str_puts(out, "// Counts the element that a thread has finished, and adds up what is complete "
                   "then.\n"
                   "__device__ __forceinline__ void count_boxes(const epilogue_operands &of) {\n");
  for (int i = 0; i < side_count; i++) {
    if (!has(plan, &sides[i])) continue;
    write_for(out, &sides[i],
              "  const totals_side $ = side_of_$(of.totals);\n"
              "  if (completes_block($, $.block_of(0)))\n"
              "    add_blocks_of_$(of, $, $.block_of(0), 0);\n");
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
    write_add_blocks(out, plan, &sides[i]);
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

/* How many parts a lane has on their way at once: more if registers are handed over to the warps
 * that finish tiles. */
static int parts_held(const gg_plan *plan) {
  int registers = plan->consumer_registers ? 64 : plan->target->id == GG_TARGET_SIMT ? 16 : 32;
  return registers * 32 / gg_dtype_info_of(plan->compute)->bits;
}

/* How many parts are read at once: so many that a warp reads all of a group's entries at once, up
 * to 16 bytes a lane. A line's parts are a multiple of this. */
static int width_of(const gg_plan *plan, int group_entries) {
  int most = plan->compute == GG_DTYPE_f64 ? GG_SUM_LINE / 2 : GG_SUM_LINE, width = 1;
  while (width < most && width * GG_WARP < group_entries && group_entries % (2 * width) == 0)
    width *= 2;
  return width;
}

/* Appends a tile's extents in boxes. For a thread that has a single element, that element is a
 * tile. */
static void write_sizes(gg_str *out, const gg_plan *plan) {
  gg_sum_boxes boxes = plan->target->sum_boxes(plan);
  bool alone = is_alone(plan);
  if (alone) boxes = (gg_sum_boxes){1, 1, .counted = 1};
  const int tile[] = {alone ? 1 : plan->tile_n, alone ? 1 : plan->tile_m};
  const int parts[] = {boxes.m, boxes.n},
            groups[] = {boxes.blocks ? boxes.n : 1, boxes.blocks ? boxes.m : 1};
  gg_str_puts(out, "\n// What a tile has: extents, parts of a sum over them, groups of entries and "
                   "their boxes.\n");
  gg_str_printf(out, "constexpr int total_tile_m = %d, total_tile_n = %d;\n", tile[1], tile[0]);
  gg_str_printf(out, "constexpr int total_lanes = %d;  // that add up together\n",
                alone ? 1 : GG_WARP);
  gg_str_printf(out, "constexpr int total_line = %d;  // a line has a multiple of so many parts\n",
                GG_SUM_LINE);
  for (int i = 0; i < side_count; i++) {
    if (!has(plan, &sides[i])) continue;
    int width = width_of(plan, tile[i] / groups[i]), at_once = parts_held(plan) / width;
    gg_str_printf(out, "constexpr int parts_%s = %d, groups_%s = %d, group_boxes_%s = %d;\n",
                  sides[i].across, parts[i], sides[i].entry, groups[i], sides[i].entry,
                  boxes.counted / groups[i]);
    gg_str_printf(out,
                  "constexpr unsigned block_tiles_%s = %d;  // whose parts are added up first\n",
                  sides[i].across, parts[i] < at_once ? at_once / parts[i] : 1);
    gg_str_printf(out, "constexpr int width_%s = %d;  // entries that a lane adds up at once\n",
                  sides[i].entry, width);
    gg_str_printf(out, "constexpr unsigned %s_counters_begin = %d;\n", i ? "row" : "column",
                  GG_SUM_COUNTERS_BEGIN + i * GG_SUM_COUNTERS / 2);
  }
}

/* Whether the last box of an MMA's columns may begin within the one before it. */
static bool repeats_columns(const gg_plan *plan) {
  bool mmas = plan->target->sum_boxes == gg_mma_sum_boxes;
  return mmas && gg_plan_boxes_overlap(plan, plan->epi_n);
}

/* Binds which of a box's sums finish() adds to, by the names of the family's epilogue. */
static void bind_arguments(gg_bindings *out, const gg_plan *plan, bool columns, bool rows) {
  static const struct {
    const char *column, *row;
  } names[GG_TARGET_COUNT] = {
      [GG_TARGET_NAIVE] = {", column_total[0]", ", row_total[0]"},
      [GG_TARGET_SIMT] = {", column_total[j]", ", row_total[i]"},
      [GG_TARGET_SM80] = {", column_total[j]", ", row_total[half]"},
      [GG_TARGET_SM90] = {", column_total[sent]", ", row_total[down]"},
      [GG_TARGET_SM90_MULTISTAGE] = {", column_total[sent]", ", row_total[down]"},
      [GG_TARGET_SM100] = {", column_total[sent]", ", row_total[down]"},
      [GG_TARGET_SM120] = {", column_total[sent]", ", row_total[down]"},
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

/* Binds where what is sent together is. Family sm80 says so itself. */
static void bind_places(gg_bindings *out, const gg_plan *plan) {
  bool simt = plan->target->id == GG_TARGET_SIMT, alone = is_alone(plan);
  gg_bind_text(out, "column_at_j", alone ? "0" : simt ? "2 * j" : "8 * j");
  gg_bind_text(out, "row_i", alone ? "0" : simt ? "i" : "8 * i");
}

void gg_bind_totals(gg_bindings *out, const gg_plan *plan) {
  bool columns = has(plan, &sides[0]), rows = has(plan, &sides[1]), any = columns || rows;
  bool wide = plan->compute == GG_DTYPE_f64;
  gg_str text = GG_STR_INIT;
  gg_bind_part(out, "totals", any ? "totals" : NULL);
  gg_bind_flag(out, "column_sums", columns);
  gg_bind_flag(out, "row_sums", rows);
  if (plan->target->sum_boxes == gg_mma_sum_boxes) {
    gg_bind_flag(out, "repeats_columns", rows && repeats_columns(plan));
    gg_str_printf(&text, "%d", plan->target->sum_boxes(plan).sent_columns);
    gg_bind_str(out, "sent_columns", &text);
  }
  bind_arguments(out, plan, columns, rows);
  if (any && is_alone(plan))
    write_count_alone(&text, plan);
  else if (any)
    write_count(&text, plan);
  gg_bind_str(out, "count_boxes", &text);
  if (!any) return;
  gg_str_printf(&text, "%d", parts_held(plan));
  gg_bind_str(out, "parts_held", &text);
  gg_bind_text(out, "tile_number", is_alone(plan) ? "int64" : "unsigned");
  gg_sum_boxes boxes = plan->target->sum_boxes(plan);
  gg_bind_flag(out, "over_lanes", (columns && boxes.row_lanes) || (rows && boxes.column_lanes));
  if (plan->target->id != GG_TARGET_SM80) bind_places(out, plan);
  gg_bind_text(out, "part_type", wide ? "f64" : "f32");
  gg_bind_text(out, "part_register", wide ? "d" : "f");
  write_sizes(&text, plan);
  gg_bind_str(out, "total_sizes", &text);
  gg_str_printf(&text, "%d", GG_SUM_COUNTERS / 4);
  gg_bind_str(out, "counters", &text);
}
