/* The part of the banner that is made from lists: steps, parameters, the grid. The steps themselves
 * are the families': steps.c. */
#include "emit/outline.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emit/cuda_text.h"
#include "plan/distribution.h"
#include "plan/map_sets.h"
#include "plan/operands.h"
#include "plan/rings.h"

enum { last_column = 100 };

/* ---- Lines ------------------------------------------------------------------------------- */

/* Appends a text, wrapped into lines. The first one begins with `first`, and the others with as
 * many spaces. */
static void write_wrapped(gg_str *out, const char *first, const char *text) {
  size_t indent = strlen(first), column = indent + 5;
  gg_str_printf(out, "//   %s", first);
  for (const char *word = text; *word;) {
    size_t length = strcspn(word, " ");
    if (word != text && column + 1 + length > last_column) {
      gg_str_printf(out, "\n//   %*s", (int)indent, "");
      column = indent + 5;
    } else if (word != text) {
      gg_str_putc(out, ' ');
      column++;
    }
    gg_str_append(out, word, length);
    column += length;
    word += length + (word[length] == ' ');
  }
  gg_str_putc(out, '\n');
}

void gg_outline_step(gg_outline *outline, const char *format, ...) {
  char text[1024], number[16];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(number, sizeof number, "%d. ", ++outline->steps);
  write_wrapped(outline->out, number, text);
}

/* ---- Parameters -------------------------------------------------------------------------- */

/* What the parameters of a kind are. Neighbouring parameters with the same text share a line. */
static const char *const meanings[] = {
    [GG_PARAM_ADDRESS] = "address of the first element",
    [GG_PARAM_LD] = "from line to line and from matrix to matrix, in elements",
    [GG_PARAM_BATCH_STRIDE] = "from line to line and from matrix to matrix, in elements",
    [GG_PARAM_MAP] = "tensor maps, 128 bytes each, by value",
    [GG_PARAM_MAP_END] = "tensor maps, 128 bytes each, by value",
    [GG_PARAM_M] = "extents of the problem",
    [GG_PARAM_N] = "extents of the problem",
    [GG_PARAM_K] = "extents of the problem",
    [GG_PARAM_BATCH] = "extents of the problem",
    [GG_PARAM_ALPHA] = "the product's factor",
    [GG_PARAM_BETA] = "C's factor; 0: C is not read",
    [GG_PARAM_WORKSPACE] =
        "global memory for sums of shared tiles, behind 65536 bytes of counters, "
        "which are zero between launches",
    [GG_PARAM_SHARED_TILES] = "how the launch divides K of some tiles among clusters",
    [GG_PARAM_GROUP_TILES] = "how the launch divides K of some tiles among clusters",
    [GG_PARAM_GROUP_SHARES] = "how the launch divides K of some tiles among clusters",
    [GG_PARAM_NEXT_BESIDE] = "whether the launch behind this one may begin before it ends",
    [GG_PARAM_SUM_PARTS] = "where in the workspace the parts of sums over D go",
    [GG_PARAM_EVICT_FIRST] = "whether D's lines are to leave the L2 cache before others",
    [GG_PARAM_MAP_SETS] = "where in the workspace the maps get the addresses of a batch",
    [GG_PARAM_GPCS] = "which multiprocessors lie in one GPC, and how many clusters compute "
                      "neighbouring tiles in each, by value",
};

static const char *meaning_of(const gg_plan *plan, gg_param param) {
  bool array = param.kind == GG_PARAM_ADDRESS && gg_plan_has_array_of(plan, param.operand);
  return array ? "array of the addresses of a batch's matrices" : meanings[param.kind];
}

static void write_parameters(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_param params[GG_PARAMS_MAX];
  size_t count = gg_kernel_params(params, plan, layouts);
  gg_str line = GG_STR_INIT;
  for (size_t i = 0; i < count; i++) {
    const char *meaning = meaning_of(plan, params[i]);
    gg_cuda_write_parameter_name(&line, plan, params[i]);
    if (i + 1 < count && strcmp(meaning_of(plan, params[i + 1]), meaning) == 0) {
      gg_str_puts(&line, ", ");
      continue;
    }
    gg_str_printf(&line, ": %s", meaning);
    write_wrapped(out, "", gg_str_text(&line));
    gg_str_free(&line);
  }
}

/* ---- The launch -------------------------------------------------------------------------- */

/* Appends how many tiles there are along a mode, in whole clusters: "2 * ceil(m / 256)". */
static void write_tiles(gg_str *out, const char *extent, int tile, int ctas) {
  if (ctas > 1) gg_str_printf(out, "%d * ", ctas);
  gg_str_printf(out, "ceil(%s / %d) * ", extent, tile * ctas);
}

/* Appends how many tiles there are along M if pairs take rows in turns, counting pairs with even
 * numbers and with odd ones: "2 * (ceil(m / 256) + ceil((m - 64) / 256)) * ". In whole clusters, if
 * a cluster has several pairs. */
static void write_turning_tiles(gg_str *out, const gg_plan *plan) {
  int four = 4 * plan->tile_m, pairs = plan->cluster_m / 2;
  if (pairs % 2 == 0) {
    write_tiles(out, "m", plan->tile_m, plan->cluster_m);
    return;
  }
  gg_str_printf(out, pairs > 1 ? "%d * ceil((" : "%d * (", plan->cluster_m);
  gg_str_printf(out, "ceil(m / %d) + ceil(max(m - %d, 0) / %d))", four, plan->tile_m, four);
  if (pairs > 1) gg_str_printf(out, " / %d)", pairs);
  gg_str_puts(out, " * ");
}

/* Appends how many tiles there are along N if T tiles take halves of their columns in turns,
 * counting those of whole groups and of the last group: "(4 * floor(n / 256) + min(4, ceil(n % 256
 * / 32))) * ". */
static void write_turning_columns(gg_str *out, const gg_plan *plan) {
  int turns = plan->turns_columns, all = turns * plan->tile_n, clusters = plan->cluster_n;
  if (clusters > 1) gg_str_printf(out, "%d * ceil(", clusters);
  gg_str_printf(out, "(%d * floor(n / %d) + min(%d, ceil(n %% %d / %d)))", turns, all, turns, all,
                plan->tile_n / 2);
  gg_str_puts(out, clusters > 1 ? " / " : " * ");
  if (clusters > 1) gg_str_printf(out, "%d) * ", clusters);
}

static void write_grid(gg_str *out, const gg_plan *plan) {
  static const char *const rules[] = {
      [GG_GRID_TILES] = "one CTA a tile",
      [GG_GRID_PERSISTENT] = "as many CTAs as the device holds at once, at most one a tile: the "
                             "%s x computes tiles x, x + grid, x + 2 * grid, ...",
      [GG_GRID_SPLIT_K] = "as many CTAs as the device holds at once, at most one a share: K of "
                          "each tile is divided into shares, each of which a %s computes",
      [GG_GRID_STREAM_K] = "as many CTAs as the device holds at once: K of the last tiles, which "
                           "would not fill it, is divided into shares, each of which a %s computes",
  };
  static const char *const claimed[] = {
      [GG_GRID_PERSISTENT] = "as many CTAs as the device holds at once: each %s claims an x, and "
                             "computes tiles x, x + grid, x + 2 * grid, ..., if there are any",
      [GG_GRID_SPLIT_K] = "as many CTAs as the device holds at once: K of each tile is divided "
                          "into shares, of which each %s claims one, if there is any left",
  };
  bool clusters = plan->cluster_m * plan->cluster_n * plan->cluster_k > 1;
  gg_str text = GG_STR_INIT;
  gg_grid_rule grid = gg_distributed_of_plan(plan).grid;
  for (const char *at = plan->claims ? claimed[grid] : rules[grid]; *at; at++) {
    if (at[0] == '%')
      gg_str_puts(&text, clusters ? "cluster" : "CTA"), at++;
    else
      gg_str_putc(&text, *at);
  }
  gg_str_puts(&text, ". Tiles: ");
  if (plan->turns_pairs)
    write_turning_tiles(&text, plan);
  else
    write_tiles(&text, "m", plan->tile_m, plan->cluster_m);
  if (plan->turns_columns)
    write_turning_columns(&text, plan);
  else
    write_tiles(&text, "n", plan->tile_n, plan->cluster_n);
  gg_str_puts(&text, "batch");
  if (plan->cluster_k > 1) gg_str_printf(&text, ", each for %d CTAs", plan->cluster_k);
  write_wrapped(out, "grid: ", gg_str_text(&text));
  if (text.failed) out->failed = true;
  gg_str_free(&text);
}

static void write_launch(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  write_grid(out, plan);
  gg_str_printf(out, "//   block: %d threads\n", plan->threads);
  if (plan->cluster_m * plan->cluster_n * plan->cluster_k > 1)
    gg_str_printf(out, "//   cluster: %d CTAs\n",
                  plan->cluster_m * plan->cluster_n * plan->cluster_k);
  gg_str_printf(out, "//   dynamic shared memory: %lld bytes\n", (long long)layouts->smem_bytes);
}

void gg_outline_write(gg_str *out, const gg_plan *plan, const gg_layouts *layouts,
                      gg_outline_steps *steps) {
  gg_outline outline = {.out = out};
  gg_str_puts(out,
              "// What happens, in order (the kernel itself stands at the end of the text):\n//\n");
  steps(&outline, plan, layouts);
  gg_str_puts(out, "//\n// Parameters, in order:\n//\n");
  write_parameters(out, plan, layouts);
  gg_str_puts(out, "//\n// Launch:\n//\n");
  write_launch(out, plan, layouts);
}
