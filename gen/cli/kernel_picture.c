/* Draws a kernel from its plan and layouts alone, as panels below each other, each as high as its
 * content. Sizes are in CSS pixels; fonts are the viewer's sans-serif. */
#include "cli/kernel_picture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/tmem.h"
#include "plan/operation.h"
#include "plan/rings.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sparse.h"
#include "plan/target.h"
#include "plan/transpose.h"
#include "spec/keys.h"

enum {
  width = 960,
  margin = 24,
  line = 18,   /* of text */
  heading = 34 /* of a panel */
};

/* Pale colours that are easy to tell apart, used by set of accumulators, CTA or role. */
static const char *const hues[] = {"#8dd3c7", "#fff29e", "#bebada",
                                   "#fb9a8f", "#93bfe0", "#fdbf78"};
enum { hue_count = sizeof hues / sizeof *hues };

/* ---- Primitives ------------------------------------------------------------------------- */

static void put_rect(gg_str *out, double x, double y, double w, double h, const char *fill) {
  gg_str_printf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" "
                "stroke=\"#222\" stroke-width=\"0.8\"/>\n",
                x, y, w, h, fill);
}

/* Draws a text. `kind`: "" centred, "left", "title", "small". */
__attribute__((format(printf, 5, 6))) static void
put_text(gg_str *out, double x, double y, const char *kind, const char *format, ...) {
  char text[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  gg_str_printf(out, "<text x=\"%.1f\" y=\"%.1f\" dy=\".36em\" class=\"%s\">", x, y, kind);
  gg_str_xml(out, text);
  gg_str_puts(out, "</text>\n");
}

static void put_arrow(gg_str *out, double x1, double x2, double y) {
  gg_str_printf(out, "<path d=\"M%.1f %.1fH%.1fm-6 -4l6 4l-6 4\" fill=\"none\" stroke=\"#222\"/>\n",
                x1, y, x2);
}

/* ---- Roles and rings -------------------------------------------------------------------- */

static void put_role(gg_str *out, const gg_rings *rings, gg_role_id id, double x, double y) {
  const gg_role *role = gg_rings_role(rings, id);
  enum { wide = 150, high = 44 };
  put_rect(out, x, y, wide, high, hues[id % hue_count]);
  put_text(out, x + wide / 2.0, y + 15, "", "%s", role ? role->name : "copies of others");
  if (!role) return;
  char warps[32];
  if (role->warps == 1)
    snprintf(warps, sizeof warps, "warp %d", role->first_warp);
  else
    snprintf(warps, sizeof warps, "warps %d to %d", role->first_warp,
             role->first_warp + role->warps - 1);
  put_text(out, x + wide / 2.0, y + 31, "small", "%s, %s", warps,
           role->elected ? "one thread" : "all threads");
}

/* Draws who drains a ring. The ring of answers is read by all roles that walk from tile to tile. */
static void put_drain(gg_str *out, const gg_rings *rings, const gg_ring *ring, double x, double y) {
  enum { wide = 150, high = 44 };
  if (ring->id != GG_RING_ANSWERS) {
    put_role(out, rings, ring->drained_by, x, y);
    return;
  }
  put_rect(out, x, y, wide, high, "#eee");
  put_text(out, x + wide / 2.0, y + 15, "", "every role");
  put_text(out, x + wide / 2.0, y + 31, "small", "of all CTAs of the cluster");
}

/* Draws what a stage holds, where the ring's name does not say it. */
static void put_contents(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                         gg_ring_id id) {
  if (id == GG_RING_STAGES) {
    gg_str_puts(out, gg_plan_is_scaled(plan) ? " of A, B and their scale factors" : " of A and B");
    if (gg_metadata_bytes(plan))
      gg_str_printf(out, ", and metadata of %s", gg_as_asked(plan, "A", "B"));
  }
  for (size_t i = 0; i < layouts->fetched_count && id == GG_RING_SUBTILES; i++) {
    const gg_fetched *it = &layouts->fetched[i];
    const gg_operation *op = &plan->operations[it->operation];
    gg_str_printf(out, "%s%s", i ? ", " : " of ", it->is_c ? "C" : gg_op_info_of(op->kind)->name);
  }
}

static const char *plural(int count) {
  return count == 1 ? "" : "s";
}

static void put_barriers(gg_str *out, const gg_ring *ring, double x, double y) {
  const gg_ring_barriers *full = &ring->full;
  if (full->count && ring->tx_bytes)
    put_text(out, x, y, "left", "%s: %d arrival%s, %lld bytes", full->name, full->arrivals,
             plural(full->arrivals), (long long)ring->tx_bytes);
  else if (full->count)
    put_text(out, x, y, "left", "%s: %d arrival%s", full->name, full->arrivals,
             plural(full->arrivals));
  for (int i = 0; i < ring->empties; i++)
    put_text(out, x, y + line * (i + 1), "left", "%s: %d arrival%s", ring->empty[i].name,
             ring->empty[i].arrivals, plural(ring->empty[i].arrivals));
}

/* Draws a row for each ring: who fills it, its stages, who drains it, and what completes the phases
 * of its barriers. */
static double put_rings(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, double y) {
  enum { role = 150, cells = 300, high = 44 };
  const gg_rings *rings = &layouts->rings;
  put_text(out, margin, y + heading / 2.0, "title", "Rings: who fills them, and who drains them");
  y += heading;
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    double x = margin + role + 40, cell = (double)cells / ring->depth;
    put_role(out, rings, ring->filled_by, margin, y);
    put_arrow(out, margin + role + 6, x - 6, y + high / 2.0);
    for (int stage = 0; stage < ring->depth; stage++)
      put_rect(out, x + stage * cell, y + 15, cell, 14, "#eee");
    gg_str contents = GG_STR_INIT;
    put_contents(&contents, plan, layouts, ring->id);
    if (ring->instances > 1)
      put_text(out, x + cells / 2.0, y + 5, "", "%s, %d of them side by side", ring->name,
               ring->instances);
    else
      put_text(out, x + cells / 2.0, y + 5, "", "%s%s", ring->name, gg_str_text(&contents));
    gg_str_free(&contents);
    if (ring->bytes)
      put_text(out, x + cells / 2.0, y + 39, "small", "%d x %lld bytes, from byte %lld on",
               ring->depth, (long long)ring->bytes, (long long)ring->begin);
    else
      put_text(out, x + cells / 2.0, y + 39, "small", "%d set%s of tensor memory", ring->depth,
               plural(ring->depth));
    put_arrow(out, x + cells + 6, x + cells + 34, y + high / 2.0);
    put_drain(out, rings, ring, x + cells + 40, y);
    put_barriers(out, ring, x + cells + 40 + role + 12, y + 6);
    y += high + 14 + (ring->empties > 1 ? line : 0);
  }
  return y;
}

/* ---- Tensor memory ---------------------------------------------------------------------- */

static const gg_layout *layout_named(const gg_layouts *layouts, const char *name) {
  for (size_t i = 0; i < layouts->named_count; i++) {
    if (strcmp(layouts->named[i].name, name) == 0) return &layouts->named[i].layout.layout;
  }
  return NULL;
}

/* MMAs that compute one tile. */
static int mmas_of(const gg_plan *plan) {
  return plan->tile_m / gg_plan_mma_rows(plan) * (plan->tile_n / plan->mma.n);
}

/* Draws where an MMA of one set of accumulators leaves its sums: for each 16 rows, their lanes by
 * one part of the MMA's columns, as the layout says. */
static void put_sums(gg_str *out, const gg_plan *plan, const gg_layout *tCtC, int set, int mma,
                     int part, double x, double y, double column, double lane) {
  enum { block = 16 };
  int rows = gg_plan_mma_rows(plan), n = gg_plan_warp_columns(plan);
  int mmas_m = plan->tile_m / rows;
  for (int row = 0; row < rows; row += block) {
    int64_t at = row + (int64_t)rows * plan->mma.n * (mma + (int64_t)mmas_of(plan) * set) +
                 (int64_t)rows * n * part;
    int64_t first = gg_layout_at(tCtC, at), last = gg_layout_at(tCtC, at + (int64_t)rows * (n - 1));
    double columns = (double)((last & 0xffff) - (first & 0xffff) + 1);
    double left = x + (double)(first & 0xffff) * column, top = y + (double)(first >> 16) * lane;
    put_rect(out, left, top, columns * column, block * lane, hues[set % hue_count]);
    int from = mma % mmas_m * rows + row, begin = mma / mmas_m * plan->mma.n + part * n;
    double middle = left + columns * column / 2, height = top + block * lane / 2;
    if (columns >= 160 && n != plan->tile_n)
      put_text(out, middle, height, "small", "set %d: rows %d to %d, columns %d to %d", set, from,
               from + block - 1, begin, begin + n - 1);
    else if (columns >= 96)
      put_text(out, middle, height, "small", "set %d: rows %d to %d", set, from, from + block - 1);
    else if (columns >= 24)
      put_text(out, middle, height, "small", "set %d", set);
  }
}

/* Draws the columns behind the sums that hold one operand's factors, metadata, or A: as `blocks`
 * blocks of columns, and a line of text below. `number`: which line that is. */
static void put_blocks(gg_str *out, int begin, int blocks, int block_columns, const char *what,
                       const char *made_of, int number, double x, double y, double column,
                       double high) {
  const char *hue = hues[2 + number];
  double below = y + high + 30 + number * line;
  for (int i = 0; i < blocks; i++)
    put_rect(out, x + (begin + block_columns * i) * column, y, block_columns * column, high, hue);
  put_rect(out, x, below, 12, 12, hue);
  put_text(out, x + 18, below + 6, "left", "%s: columns %d to %d, %s, %d columns each", what, begin,
           begin + block_columns * blocks - 1, made_of, block_columns);
}

/* Draws what lies behind the sums: the scale factors of A and of B, which every 32 lanes hold
 * alike, the metadata of a sparse operand, or A itself. Returns the height of the lines of text
 * below. */
static double put_beside(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, double x,
                         double y, double column, double high) {
  char made_of[96];
  int number = 0;
  if (gg_plan_is_scaled(plan)) {
    int k = gg_scale_atoms_k(plan), a = gg_scale_atoms_a(plan), b = gg_scale_places_b(plan);
    int begin = layouts->scale_column, behind = begin + GG_SCALE_ATOM_COLUMNS * a * k;
    snprintf(made_of, sizeof made_of, "atoms of %d rows x %d along K%s", GG_SCALE_ROWS,
             GG_SCALE_FACTORS * plan->scale_a.block, a > 1 || b > 1 ? ", rows first" : "");
    put_blocks(out, begin, a * k, GG_SCALE_ATOM_COLUMNS, "factors of A", made_of, number++, x, y,
               column, high);
    if (gg_plan_folds_scales(plan))
      snprintf(made_of, sizeof made_of, "two atoms of %d columns x %d along K, one above the other",
               GG_SCALE_ROWS, GG_SCALE_FACTORS * plan->scale_a.block);
    put_blocks(out, behind, b * k, GG_SCALE_ATOM_COLUMNS, "factors of B", made_of, number++, x, y,
               column, high);
  }
  if (plan->sparse_a) {
    int rows = gg_metadata_tiles_m(plan);
    snprintf(made_of, sizeof made_of, "tiles of %d rows x %d along K%s", gg_metadata_rows(plan),
             gg_metadata_tile_k(plan), rows > 1 ? ", rows first" : "");
    put_blocks(out, layouts->metadata_column, rows * gg_metadata_tiles_k(plan),
               GG_METADATA_TILE_COLUMNS, gg_as_asked(plan, "metadata of A", "metadata of B"),
               made_of, number++, x, y, column, high);
  }
  if (plan->a_in_tensor) {
    snprintf(made_of, sizeof made_of, "blocks of %d rows x %d along K", GG_TMEM_LANES, plan->mma.k);
    put_blocks(out, layouts->a_column, gg_sm100_columns_of_a(plan) / GG_SM100_STEP_COLUMNS,
               GG_SM100_STEP_COLUMNS, "A", made_of, number++, x, y, column, high);
  }
  return number * line + 4;
}

static double put_tensor_memory(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                                double y) {
  const double column = 1.5, lane = 1.75;
  const gg_layout *tCtC = layout_named(layouts, "tCtC");
  if (!tCtC) return y;
  double x = margin + 96, wide = GG_TMEM_COLUMNS * column, high = GG_TMEM_LANES * lane;
  put_text(out, margin, y + heading / 2.0, "title",
           "Tensor memory: %d lanes of %d columns; the CTA has %d of them", GG_TMEM_LANES,
           GG_TMEM_COLUMNS, layouts->accumulator.columns);
  y += heading;
  put_rect(out, x, y, wide, high, "#fff");
  put_rect(out, x, y, layouts->accumulator.columns * column, high, "#eee");
  for (int set = 0; set < plan->accumulator_stages; set++) {
    for (int i = 0, parts = gg_plan_column_parts(plan); i < mmas_of(plan) * parts; i++)
      put_sums(out, plan, tCtC, set, i / parts, i % parts, x, y, column, lane);
  }
  const gg_role *reader = gg_rings_role(&layouts->rings, GG_ROLE_CONSUMER);
  for (int i = 0; i < 4; i++) { /* warp i reads the lanes of its quarter */
    put_text(out, margin, y + high * (2 * i + 1) / 8 - 7, "left", "lanes %d to %d", 32 * i,
             32 * i + 31);
    if (reader)
      put_text(out, margin, y + high * (2 * i + 1) / 8 + 8, "left", "warp %d reads",
               reader->first_warp + i);
  }
  for (int i = 0; i <= GG_TMEM_COLUMNS; i += 64)
    put_text(out, x + i * column, y + high + 10, "small", "%d", i);
  return y + high + 28 + put_beside(out, plan, layouts, x, y, column, high);
}

/* ---- The epilogue ----------------------------------------------------------------------- */

/* How many boxes, side by side along N, a warp finishes its part of a tile in. */
static int boxes_of(const gg_plan *plan) {
  return gg_plan_boxes_of_mma(plan, plan->epi_n) * (plan->tile_n / plan->mma.n);
}

/* The first column of a box. The last box of an MMA is moved back so that it ends with the warp's
 * columns. */
static int box_column(const gg_plan *plan, int box) {
  int of_mma = gg_plan_boxes_of_mma(plan, plan->epi_n);
  int begin = box % of_mma * plan->epi_n, last = gg_plan_warp_columns(plan) - plan->epi_n;
  return box / of_mma * plan->mma.n + (begin < last ? begin : last);
}

/* Draws the rows of one MMA by the columns of one box: a band for each warp that has such rows,
 * from `warp` on, cut into boxes of rows. What the epilogue reads of matrices is fetched for this
 * whole sub-tile at once, in the order of `number`. */
static void put_subtile(gg_str *out, const gg_plan *plan, int warp, int number, double x, double y,
                        double wide) {
  const double row = 1;
  int warps = 4 / gg_plan_column_parts(plan), rows = gg_plan_mma_rows(plan) / warps;
  for (int i = 0; i < warps; i++)
    for (int from = 0; from < rows; from += plan->epi_m)
      put_rect(out, x, y + (i * rows + from) * row, wide, plan->epi_m * row,
               hues[(warp + i) % hue_count]);
  double middle = y + plan->epi_m * row / 2;
  if (plan->subtile_stages && wide >= 56)
    put_text(out, x + wide / 2, middle, "small", "%d: stage %d", number,
             number % plan->subtile_stages);
  else
    put_text(out, x + wide / 2, middle, "small", "%d", number);
}

/* Labels the bands of rows with their warps. Where an MMA's columns are divided in two parts, a
 * band has a warp of each part. */
static void put_bands(gg_str *out, const gg_plan *plan, int first_warp, int mmas, double y) {
  int rows = gg_plan_mma_rows(plan), parts = gg_plan_column_parts(plan), warps = 4 / parts;
  for (int band = 0; band < warps * mmas; band++) {
    int warp = first_warp + band % warps;
    double middle = y + band / warps * (rows + 6) + rows * (2 * (band % warps) + 1) / (2.0 * warps);
    if (parts > 1)
      put_text(out, margin, middle, "left", "warps %d, %d", warp, warp + warps);
    else
      put_text(out, margin, middle, "left", "warp %d", warp);
  }
}

static double put_epilogue(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, double y) {
  const gg_role *consumer = gg_rings_role(&layouts->rings, GG_ROLE_CONSUMER);
  if (!consumer || !plan->epi_n) return y;
  const double column = plan->tile_n > 256 ? 1.5 : 3, x = margin + 96;
  int rows = gg_plan_mma_rows(plan), mmas = plan->tile_m / rows, boxes = boxes_of(plan);
  put_text(out, margin, y + heading / 2.0, "title",
           "The epilogue: a tile of %d x %d in sub-tiles of %d x %d, in this order", plan->tile_m,
           plan->tile_n, rows, plan->epi_n);
  y += heading;
  for (int part = 0; part < gg_plan_column_parts(plan); part++) {
    int beyond = part * gg_plan_warp_columns(plan);
    for (int number = 0; number < boxes * mmas; number++) {
      int box = number / mmas, mma = number % mmas;
      put_subtile(out, plan, consumer->first_warp + part * 2, number,
                  x + (box_column(plan, box) + beyond) * column, y + mma * (rows + 6),
                  plan->epi_n * column);
    }
    for (int box = 0; box < boxes; box++) {
      int begin = box_column(plan, box) + beyond;
      put_text(out, x + (begin + plan->epi_n / 2.0) * column, y + mmas * (rows + 6) + 6, "small",
               "%d to %d", begin, begin + plan->epi_n - 1);
    }
  }
  put_bands(out, plan, consumer->first_warp, mmas, y);
  y += mmas * (rows + 6) + line;
  put_text(out, x, y + 6, "left", "a warp stores boxes of %d x %d by way of %d buffer%s of its own",
           plan->epi_m, plan->epi_n, plan->epi_buffers, plural(plan->epi_buffers));
  if (plan->subtile_stages)
    put_text(out, x, y + 6 + line, "left",
             "what it reads of matrices comes a sub-tile at once, to %s ring of %d stages",
             plan->pingpong ? "its consumer's" : "a", plan->subtile_stages);
  return y + line * (1 + (plan->subtile_stages > 0)) + 10;
}

/* ---- The pair --------------------------------------------------------------------------- */

/* Draws D = A * B of one MMA of a pair of CTAs: whose rows of A, whose part of B, and in whose
 * tensor memory the sums are. */
static double put_pair(gg_str *out, const gg_plan *plan, double y) {
  enum { k = 120, rows = 76, columns = 150, gap = 46 };
  if (gg_plan_mma_ctas(plan) < 2) return y;
  int m = gg_plan_mma_rows(plan), n = plan->mma.n, step = plan->turns_pairs ? 2 * m : m;
  double x = margin + 40;
  put_text(out, margin, y + heading / 2.0, "title",
           "A pair: one MMA of %d x %d x %d, which a thread of CTA 0 issues", plan->mma.m, n,
           plan->mma.k);
  y += heading;
  for (int cta = 0; cta < 2; cta++) {
    const char *hue = hues[cta];
    double top = y + cta * rows, right = x + k + gap + 2 * columns + 2 * gap;
    put_rect(out, x, top, k, rows, hue);
    put_text(out, x + k / 2.0, top + rows / 2.0 - 8, "", "A: rows %d to %d", cta * step,
             cta * step + m - 1);
    put_text(out, x + k / 2.0, top + rows / 2.0 + 8, "small", "in CTA %d's stages", cta);
    double left = x + k + gap + cta * columns;
    put_rect(out, left, y + rows / 2.0, columns, rows, hue);
    int first = plan->turns_columns ? cta * gg_plan_half_step(plan) : cta * n / 2;
    put_text(out, left + columns / 2.0, y + rows - 8, "", "B: columns %d to %d", first,
             first + n / 2 - 1);
    put_text(out, left + columns / 2.0, y + rows + 8, "small", "in CTA %d's stages", cta);
    put_rect(out, right, top, 2 * columns, rows, hue);
    put_text(out, right + columns, top + rows / 2.0 - 8, "", "D: rows %d to %d, all columns",
             cta * step, cta * step + m - 1);
    put_text(out, right + columns, top + rows / 2.0 + 8, "small", "in CTA %d's tensor memory", cta);
  }
  put_text(out, x + k + gap / 2.0, y + rows, "title", "x");
  put_text(out, x + k + gap + 2 * columns + gap / 2.0 + 10, y + rows, "title", "=");
  return y + 2 * rows + 14;
}

/* ---- The whole -------------------------------------------------------------------------- */

void cli_kernel_picture(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_str body = GG_STR_INIT;
  double y = margin;
  put_text(&body, margin, y, "title", "%s", plan->name);
  put_text(&body, margin, y + line, "left", "family %s: a CTA's tile of %d x %d x %d, %d stages",
           plan->target->family, plan->tile_m, plan->tile_n, plan->tile_k, plan->stages);
  y = put_pair(&body, plan, y + 2 * line);
  if (layouts->rings.count > 0) y = put_rings(&body, plan, layouts, y);
  if (gg_plan_in_tensor_memory(plan)) {
    y = put_tensor_memory(&body, plan, layouts, y);
    y = put_epilogue(&body, plan, layouts, y);
  }
  gg_str_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                "viewBox=\"0 0 %d %.0f\">\n"
                "<style>text{font-family:Helvetica,Arial,sans-serif;text-anchor:middle;"
                "font-size:12px;fill:#1a1a1a}.left{text-anchor:start;font-size:11px}"
                ".title{text-anchor:start;font-size:14px;font-weight:bold}"
                ".small{font-size:10px}</style>\n"
                "<rect width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n",
                width, y + margin, width, y + margin, width, y + margin);
  gg_str_puts(out, gg_str_text(&body));
  gg_str_puts(out, "</svg>\n");
  out->failed = out->failed || body.failed;
  gg_str_free(&body);
}
