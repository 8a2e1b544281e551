/* What `gemmgen layout` shows of an expression: its value, a table, a drawing. */
#include "base/need.h"
#include "base/sized.h"
#include "calculator/expr.h"
#include "gemmgen.h"

/* ---- Drawing ------------------------------------------------------------------------------ */

static gg_status need_layout(gg_tensor *out, const gg_value *value, gg_error *err) {
  if (gg_value_as_tensor(out, value)) return GG_OK;
  if (value->kind == GG_VALUE_NAME || value->kind == GG_VALUE_MMA) { /* tcgen05 */
    return gg_fail(err, LAYOUT_VALUE, NULL, "drawing",
                   "the atom's operands are in tensor and shared memory, not with threads");
  }
  return gg_fail(err, LAYOUT_SYNTAX, NULL, "a layout", gg_value_kind_name(value));
}

/* Finds the threads and values to show: over the tile that is given, or else over the value's own.
 */
static gg_status find_views(gg_tv_view views[GG_TV_VIEWS], int *count,
                            const gg_layout_options *given, const gg_value *value, gg_error *err) {
  gg_tensor tensor;
  gg_status st;
  if (!given->tile) return gg_value_views(views, count, value, err);
  if ((st = need_layout(&tensor, value, err))) return st;
  views[0] = (gg_tv_view){.name = "", .tv = tensor.layout.layout};
  *count = 1;
  return gg_tuple_parse(&views[0].tile, given->tile, err);
}

gg_status gg_value_table(gg_str *out, const gg_layout_options *given, const gg_value *value,
                         gg_error *err) {
  gg_tv_view views[GG_TV_VIEWS];
  gg_tensor tensor;
  int count;
  gg_status st;
  if (value->kind == GG_VALUE_CONFLICTS) {
    gg_conflicts_table(out, &value->conflicts);
    return GG_OK;
  }
  if ((st = find_views(views, &count, given, value, err))) return st;
  if (count) return gg_draw_thread_table(out, views, count, given->compact, err);
  if ((st = need_layout(&tensor, value, err))) return st;
  return gg_draw_table(out, &tensor, given->compact, err);
}

gg_status gg_value_draw(gg_str *svg, const gg_layout_options *given, const gg_value *value,
                        gg_error *err) {
  gg_tv_view views[GG_TV_VIEWS];
  gg_tensor tensor;
  int count = 0;
  gg_status st;
  if (value->kind == GG_VALUE_SWIZZLE) return gg_draw_swizzle(svg, value->swizzle, err);
  if (!given->bits && (st = find_views(views, &count, given, value, err))) return st;
  if (count) return gg_draw_thread_values(svg, views, count, given->compact, err);
  if ((st = need_layout(&tensor, value, err))) return st;
  int bits = tensor.layout.ptr_bits;
  if (given->bits) bits = given->bits < 0 || given->bits > 1024 ? -1 : (int)given->bits;
  if (bits) return gg_draw_banks(svg, &tensor, bits, given->compact, err);
  return gg_draw_layout(svg, &tensor, given->compact, err);
}

/* ---- One expression ----------------------------------------------------------------------- */

/* Appends the value, and the table and the drawing where they are asked for. */
static gg_status show(gg_str *text, gg_str *table, gg_str *svg, const gg_layout_options *given,
                      const char *expression, gg_arena *arena, gg_error *err) {
  const char *name = given->name ? given->name : "<expression>";
  int line = given->line ? (int)given->line : 1;
  gg_value *value = GG_ARENA_NEW(arena, gg_value);
  gg_notation notation = given->cute ? GG_NOTATION_CUTE : GG_NOTATION_PLAIN;
  gg_status st = value ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  if (st || (st = gg_expr_eval(value, expression, name, line, &notation, arena, err))) return st;
  if ((st = gg_value_check(value, name, line, arena, err))) return st;
  if (text) gg_value_print(text, value, notation);
  if (table && (st = gg_value_table(table, given, value, err))) return st;
  if (svg && (st = gg_value_draw(svg, given, value, err))) return st;
  bool failed = (text && text->failed) || (table && table->failed) || (svg && svg->failed);
  return failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

gg_status gg_layout_show(gg_str *value, gg_str *table, gg_str *svg, const char *expression,
                         const gg_layout_options *options, gg_error *err) {
  GG_NEED(err, expression);
  gg_layout_options own = GG_LAYOUT_OPTIONS_INIT;
  gg_status st =
      options ? gg_sized_read(&own, sizeof own, options, "gg_layout_options", err) : GG_OK;
  if (st) return st;
  gg_arena arena = GG_ARENA_INIT;
  st = show(value, table, svg, &own, expression, &arena, err);
  gg_arena_free(&arena);
  return st;
}
