#include "cli/bench_summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "choice/form.h"

void bench_summary_add(bench_summary *summary, const bench_row *row, const char *kernel) {
  if (summary->count == summary->capacity) {
    size_t capacity = summary->capacity ? 2 * summary->capacity : 32;
    bench_row *rows = gg_realloc(summary->rows, capacity * sizeof *rows);
    if (!rows) {
      summary->failed = true;
      return;
    }
    summary->rows = rows;
    summary->capacity = capacity;
  }
  bench_row *added = &summary->rows[summary->count++];
  *added = *row;
  snprintf(added->kernel, sizeof added->kernel, "%s", kernel);
}

void bench_summary_free(bench_summary *summary) {
  gg_free(summary->rows);
  *summary = (bench_summary)BENCH_SUMMARY_INIT;
}

static bool is_whole(const bench_row *row) {
  return row->ours > 0 && row->first > 0 && row->best > 0;
}

static bool counts(const bench_row *row, const char *epilogue) {
  bool wanted = !epilogue || (row->epilogue && strcmp(row->epilogue, epilogue) == 0);
  return wanted && is_whole(row) && !row->apart;
}

/* A geometric mean while it is being computed. */
typedef struct mean {
  double logarithms;
  size_t count;
} mean;

static void add(mean *m, double figure, double yardstick) {
  if (figure <= 0 || yardstick <= 0) return;
  m->logarithms += log(figure / yardstick);
  m->count++;
}

static double mean_of(const mean *m) {
  return m->count ? exp(m->logarithms / (double)m->count) : 0;
}

bench_means bench_summary_means(const bench_summary *summary, const char *epilogue) {
  bench_means means = {0};
  mean of_first = {0}, of_best = {0}, over_bare = {0}, lt_over_bare = {0};
  for (size_t i = 0; i < summary->count; i++) {
    const bench_row *row = &summary->rows[i];
    if (!counts(row, epilogue)) continue;
    double ratio = row->ours / row->first;
    add(&of_first, row->ours, row->first);
    add(&of_best, row->ours, row->best);
    add(&over_bare, row->bare, row->ours);
    add(&lt_over_bare, row->lt_bare, row->first);
    if (means.count == 0 || ratio < means.least) {
      means.least = ratio;
      means.least_row = i;
    }
    means.count++;
  }
  means.of_first = mean_of(&of_first);
  means.of_best = mean_of(&of_best);
  means.over_bare = mean_of(&over_bare);
  means.lt_over_bare = mean_of(&lt_over_bare);
  return means;
}

/* ---- Names ---------------------------------------------------------------------------- */

/* Appends the types, as "e4m3 to bf16" or "bf16", and behind them accumulators and majors that are
 * not the usual ones. */
static void put_types(gg_str *out, const cli_case *c) {
  static const char letter[] = {[GG_MAJOR_K] = 'k', [GG_MAJOR_M] = 'm', [GG_MAJOR_N] = 'n'};
  int stored = c->sparse_a || c->sparse_b ? 2 : 1;
  gg_scaled_type_name(out, c->a, c->sparse_a, c->scale_a, stored);
  if (c->xor_bits) gg_str_puts(out, ":xor");
  if (c->b != c->a || stored > 1) {
    gg_str_puts(out, " x ");
    gg_scaled_type_name(out, c->b, c->sparse_b, c->scale_b, stored);
  }
  if (c->d != c->a || c->scale_d.block) {
    gg_str_puts(out, " to ");
    gg_scaled_type_name(out, c->d, false, c->scale_d, 1);
  }
  if (c->accumulator == GG_DTYPE_f16) gg_str_puts(out, ", f16 sums");
  if (c->fast) gg_str_puts(out, ", short sums");
  if (c->a_major != GG_MAJOR_K || c->b_major != GG_MAJOR_K || c->d_major != GG_MAJOR_N) {
    gg_str_printf(out, ", %c%c%c", letter[c->a_major], letter[c->b_major], letter[c->d_major]);
  }
}

static void put_extents(gg_str *out, const cli_case *c) {
  if (c->m == c->n && c->n == c->k) {
    gg_str_printf(out, "%lld", (long long)c->m);
  } else {
    gg_str_printf(out, "%lld x %lld x %lld", (long long)c->m, (long long)c->n, (long long)c->k);
  }
  if (c->batch != 1) gg_str_printf(out, ", batch %lld", (long long)c->batch);
}

/* ---- Text ----------------------------------------------------------------------------- */

static void put_means(gg_str *out, const bench_summary *summary, const char *epilogue) {
  bench_means means = bench_summary_means(summary, epilogue);
  if (means.count == 0) return;
  if (epilogue) gg_str_printf(out, "%s: ", epilogue);
  gg_str_printf(out,
                "%zu cases beside cuBLASLt: geometric mean %.3f of its first choice, %.3f of its "
                "best; the least %.3f, ",
                means.count, means.of_first, means.of_best, means.least);
  put_types(out, &summary->rows[means.least_row].problem);
  gg_str_putc(out, ' ');
  put_extents(out, &summary->rows[means.least_row].problem);
  if (means.over_bare > 0 && means.lt_over_bare > 0) {
    gg_str_printf(out, "; over the bare product %.3f, cuBLASLt %.3f", means.over_bare,
                  means.lt_over_bare);
  }
  gg_str_putc(out, '\n');
}

/* Prints how the fused kernels compare with separate ones, over all rows that have both figures. */
static void put_separate(gg_str *out, const bench_summary *summary, const char *epilogue) {
  mean of_separate = {0};
  double least = 0;
  for (size_t i = 0; i < summary->count; i++) {
    const bench_row *row = &summary->rows[i];
    if (strcmp(row->epilogue, epilogue) != 0 || row->ours <= 0 || row->separate <= 0) continue;
    double ratio = row->ours / row->separate;
    if (of_separate.count == 0 || ratio < least) least = ratio;
    add(&of_separate, row->ours, row->separate);
  }
  if (of_separate.count == 0) return;
  gg_str_printf(out,
                "%s: %zu cases beside separate kernels: geometric mean %.3f of their speed, the "
                "least %.3f\n",
                epilogue, of_separate.count, mean_of(&of_separate), least);
}

/* Whether an earlier row has the epilogue of row `index`. */
static bool is_repeated(const bench_summary *summary, size_t index) {
  for (size_t i = 0; i < index; i++) {
    if (strcmp(summary->rows[i].epilogue, summary->rows[index].epilogue) == 0) return true;
  }
  return false;
}

static bool has_epilogues(const bench_summary *summary) {
  return summary->count > 0 && summary->rows[0].epilogue;
}

void bench_summary_lines(gg_str *out, const bench_summary *summary) {
  if (!has_epilogues(summary)) put_means(out, summary, NULL);
  for (size_t i = 0; has_epilogues(summary) && i < summary->count; i++) {
    if (is_repeated(summary, i)) continue;
    put_means(out, summary, summary->rows[i].epilogue);
    put_separate(out, summary, summary->rows[i].epilogue);
  }
}

static void put_cell(gg_str *out, const char *format, double value) {
  gg_str_puts(out, " | ");
  if (value > 0)
    gg_str_printf(out, format, value);
  else
    gg_str_putc(out, '-');
}

static double over(double figure, double yardstick) {
  return figure > 0 && yardstick > 0 ? figure / yardstick : 0;
}

static void put_line(gg_str *out, const bench_row *row) {
  bool whole = is_whole(row) && !row->apart;
  gg_str_puts(out, "| ");
  put_types(out, &row->problem);
  gg_str_puts(out, " | ");
  put_extents(out, &row->problem);
  if (row->epilogue) gg_str_printf(out, " | %s", row->epilogue);
  gg_str_printf(out, " | %s", row->kernel);
  put_cell(out, row->ours < 100 ? "%.1f" : "%.0f", row->ours);
  put_cell(out, row->first < 100 ? "%.1f" : "%.0f", row->first);
  put_cell(out, row->best < 100 ? "%.1f" : "%.0f", row->best);
  put_cell(out, "%.2f", whole ? row->ours / row->first : 0);
  put_cell(out, "%.2f", whole ? row->ours / row->best : 0);
  if (row->epilogue) {
    put_cell(out, "%.3f", over(row->bare, row->ours));
    put_cell(out, "%.3f", row->apart ? 0 : over(row->lt_bare, row->first));
    put_cell(out, "%.2f", over(row->ours, row->separate));
  }
  gg_str_puts(out, " |\n");
}

void bench_summary_markdown(gg_str *out, const bench_summary *summary) {
  bool epilogues = has_epilogues(summary);
  gg_str_printf(
      out, "| types | M x N x K |%s kernel | TFLOP/s | first | best | of first | of best |%s\n",
      epilogues ? " epilogue |" : "",
      epilogues ? " over bare | its over bare | of separate |" : "");
  gg_str_printf(out, "| --- | --- | --- | --- | --- | --- | --- | --- |%s\n",
                epilogues ? " --- | --- | --- | --- |" : "");
  for (size_t i = 0; i < summary->count; i++)
    put_line(out, &summary->rows[i]);
}

/* ---- The plot ------------------------------------------------------------------------- */

/* The axis of ratios is logarithmic, so that twice and half lie equally far from 1. In CSS pixels.
 */
enum { margin = 20, label_width = 330, axis_width = 520, line_height = 18, head = 64, foot = 30 };

typedef struct axis {
  double low, high;
} axis;

static double place(const axis *x, double ratio) {
  return margin + label_width + axis_width * log(ratio / x->low) / log(x->high / x->low);
}

/* The range of the axis: at least 0.8 to 1.25, and wider where ratios lie outside, with 5% to spare
 * beyond them. */
static axis axis_of(const bench_summary *summary) {
  axis x = {.low = 0.8, .high = 1.25};
  for (size_t i = 0; i < summary->count; i++) {
    const bench_row *row = &summary->rows[i];
    if (!is_whole(row)) continue;
    double low = fmin(row->ours, row->best) / row->first,
           high = fmax(row->ours, row->best) / row->first;
    x.low = fmin(x.low, low / 1.05);
    x.high = fmax(x.high, high * 1.05);
  }
  return x;
}

static void put_axis(gg_str *out, const axis *x, double bottom) {
  static const double marks[] = {0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (marks[i] < x->low || marks[i] > x->high) continue;
    double at = place(x, marks[i]);
    gg_str_printf(out,
                  "<line class=\"%s\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>"
                  "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">%g</text>\n",
                  marks[i] == 1 ? "one" : "grid", at, head - 8, at, bottom, at, bottom + 14,
                  marks[i]);
  }
}

static void put_row(gg_str *out, const axis *x, const bench_row *row, double y) {
  double ours = place(x, row->ours / row->first), best = place(x, row->best / row->first);
  gg_str_printf(out, "<text class=\"label\" x=\"%d\" y=\"%.1f\">", margin + label_width - 10,
                y + 4);
  put_types(out, &row->problem);
  gg_str_puts(out, "  ");
  put_extents(out, &row->problem);
  if (row->epilogue) gg_str_printf(out, "  %s", row->epilogue);
  gg_str_printf(out,
                "</text><line class=\"span\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<circle class=\"best\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>"
                "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>"
                "<text class=\"rate\" x=\"%d\" y=\"%.1f\">%.0f</text>\n",
                place(x, 1), y, ours, y, best, y, row->ours >= row->first ? "ours" : "behind", ours,
                y, margin + label_width + axis_width + 60, y + 4, row->ours);
}

void bench_summary_svg(gg_str *out, const bench_summary *summary, const char *device) {
  axis x = axis_of(summary);
  size_t rows = 0;
  for (size_t i = 0; i < summary->count; i++)
    rows += is_whole(&summary->rows[i]);
  int width = 2 * margin + label_width + axis_width + 60;
  int bottom = head + (int)rows * line_height;
  gg_str_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\">\n",
                width, bottom + foot, width, bottom + foot);
  gg_str_puts(out, "<style>text{font-family:Helvetica,Arial,sans-serif;font-size:11px;fill:#1a1a1a}"
                   ".title{font-size:14px;font-weight:bold}.tick{text-anchor:middle;fill:#777}"
                   ".label,.rate{text-anchor:end}.grid{stroke:#ddd}.one{stroke:#555}"
                   ".span{stroke:#9ecae1;stroke-width:2}.best{fill:#fff;stroke:#777}"
                   ".ours{fill:#08519c}.behind{fill:#cb181d}</style>\n"
                   "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
  gg_str_printf(out, "<text class=\"title\" x=\"%d\" y=\"22\">Speed over cuBLASLt's first choice, ",
                margin);
  gg_str_xml(out, device);
  gg_str_printf(out,
                "</text>\n<text x=\"%d\" y=\"40\">filled: gemmgen (red where behind); hollow: the "
                "best of cuBLASLt's candidates; right: gemmgen's TFLOP/s</text>\n",
                margin);
  put_axis(out, &x, bottom);
  double y = head + line_height / 2.0;
  for (size_t i = 0; i < summary->count; i++) {
    if (!is_whole(&summary->rows[i])) continue;
    put_row(out, &x, &summary->rows[i], y);
    y += line_height;
  }
  gg_str_puts(out, "</svg>\n");
}
