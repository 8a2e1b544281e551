/* A kernel as a drawing, from its plan and layouts alone: panels below each other, each as high as
 * what it shows. Sizes are in CSS pixels; fonts are the viewer's sans-serif. */
#include "cli/kernel_picture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/tmem.h"
#include "plan/rings.h"
#include "plan/target.h"

enum {
  width = 960,
  margin = 24,
  line = 18,   /* of text */
  heading = 34 /* of a panel */
};

/* Pale hues that stay apart, by set of accumulators, CTA or role. */
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

/* `kind`: "" centred, "left", "title", "small". */
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

/* A row for each ring: who fills it, its stages, who drains it, and what ends its barriers' phases.
 */
static double put_rings(gg_str *out, const gg_rings *rings, double y) {
  enum { role = 150, cells = 300, high = 44 };
  put_text(out, margin, y + heading / 2.0, "title", "Rings: who fills them, and who drains them");
  y += heading;
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    double x = margin + role + 40, cell = (double)cells / ring->depth;
    put_role(out, rings, ring->filled_by, margin, y);
    put_arrow(out, margin + role + 6, x - 6, y + high / 2.0);
    for (int stage = 0; stage < ring->depth; stage++)
      put_rect(out, x + stage * cell, y + 15, cell, 14, "#eee");
    if (ring->instances > 1)
      put_text(out, x + cells / 2.0, y + 5, "", "%s, %d of them side by side", ring->name,
               ring->instances);
    else
      put_text(out, x + cells / 2.0, y + 5, "", "%s", ring->name);
    if (ring->bytes)
      put_text(out, x + cells / 2.0, y + 39, "small", "%d x %lld bytes, from byte %lld on",
               ring->depth, (long long)ring->bytes, (long long)ring->begin);
    else
      put_text(out, x + cells / 2.0, y + 39, "small", "%d sets of tensor memory", ring->depth);
    put_arrow(out, x + cells + 6, x + cells + 34, y + high / 2.0);
    put_role(out, rings, ring->drained_by, x + cells + 40, y);
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

/* Where a set's MMA leaves 16 rows: their lanes by its columns, as the layout says. */
static void put_sums(gg_str *out, const gg_plan *plan, const gg_layout *tCtC, int set, int mma,
                     double x, double y, double column, double lane) {
  enum { block = 16 };
  int rows = gg_plan_mma_rows(plan), mmas = plan->tile_m / rows, n = plan->mma.n;
  for (int row = 0; row < rows; row += block) {
    int64_t at = row + (int64_t)rows * n * (mma + (int64_t)mmas * set);
    int64_t first = gg_layout_at(tCtC, at), last = gg_layout_at(tCtC, at + (int64_t)rows * (n - 1));
    double columns = (double)((last & 0xffff) - (first & 0xffff) + 1);
    double left = x + (double)(first & 0xffff) * column, top = y + (double)(first >> 16) * lane;
    put_rect(out, left, top, columns * column, block * lane, hues[set % hue_count]);
    int from = mma * rows + row;
    double middle = left + columns * column / 2, height = top + block * lane / 2;
    if (columns >= 96)
      put_text(out, middle, height, "small", "set %d: rows %d to %d", set, from, from + block - 1);
    else if (columns >= 24)
      put_text(out, middle, height, "small", "set %d", set);
  }
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
    for (int mma = 0; mma < plan->tile_m / gg_plan_mma_rows(plan); mma++)
      put_sums(out, plan, tCtC, set, mma, x, y, column, lane);
  }
  const gg_role *reader = gg_rings_role(&layouts->rings, GG_ROLE_CONSUMER);
  for (int i = 0; i < 4; i++) { /* a warp reads the lanes of its place in its warpgroup */
    put_text(out, margin, y + high * (2 * i + 1) / 8 - 7, "left", "lanes %d to %d", 32 * i,
             32 * i + 31);
    if (reader)
      put_text(out, margin, y + high * (2 * i + 1) / 8 + 8, "left", "warp %d reads",
               reader->first_warp + i);
  }
  for (int i = 0; i <= GG_TMEM_COLUMNS; i += 64)
    put_text(out, x + i * column, y + high + 10, "small", "%d", i);
  return y + high + 28;
}

/* ---- The pair --------------------------------------------------------------------------- */

/* D = A * B of one MMA: whose rows of A, whose part of B, and in whose tensor memory the sums are.
 */
static double put_pair(gg_str *out, const gg_plan *plan, double y) {
  enum { k = 120, rows = 76, columns = 150, gap = 46 };
  if (gg_plan_mma_ctas(plan) < 2) return y;
  int m = gg_plan_mma_rows(plan), n = plan->mma.n;
  double x = margin + 40;
  put_text(out, margin, y + heading / 2.0, "title",
           "A pair: one MMA of %d x %d x %d, which a thread of CTA 0 issues", plan->mma.m, n,
           plan->mma.k);
  y += heading;
  for (int cta = 0; cta < 2; cta++) {
    const char *hue = hues[cta];
    double top = y + cta * rows, right = x + k + gap + 2 * columns + 2 * gap;
    put_rect(out, x, top, k, rows, hue);
    put_text(out, x + k / 2.0, top + rows / 2.0 - 8, "", "A: rows %d to %d", cta * m,
             cta * m + m - 1);
    put_text(out, x + k / 2.0, top + rows / 2.0 + 8, "small", "in CTA %d's stages", cta);
    double left = x + k + gap + cta * columns;
    put_rect(out, left, y + rows / 2.0, columns, rows, hue);
    put_text(out, left + columns / 2.0, y + rows - 8, "", "B: columns %d to %d", cta * n / 2,
             (cta + 1) * n / 2 - 1);
    put_text(out, left + columns / 2.0, y + rows + 8, "small", "in CTA %d's stages", cta);
    put_rect(out, right, top, 2 * columns, rows, hue);
    put_text(out, right + columns, top + rows / 2.0 - 8, "", "D: rows %d to %d, all columns",
             cta * m, cta * m + m - 1);
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
  if (layouts->rings.count > 0) y = put_rings(&body, &layouts->rings, y);
  if (gg_plan_in_tensor_memory(plan)) y = put_tensor_memory(&body, plan, layouts, y);
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
