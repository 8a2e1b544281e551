#include "calculator/tree.h"

#include <string.h>

#include "calculator/expr.h"

enum {
  readable_cells = 1024,    /* larger layouts are drawn compactly */
  drawings_bytes = 2000000, /* limit for the drawings of a page */
};

/* The tree of steps. The children of a step are the steps directly inside of it. */
typedef struct tree {
  const gg_steps *steps;
  int parent[GG_STEPS_MAX]; /* by step: its parent; -1 for the whole expression */
  const gg_layout_options *given;
  gg_notation notation;
  size_t drawn; /* bytes of drawings so far */
} tree;

/* Sets the parents. Steps inside of a step come before it, so those that have no parent yet are its
 * own. */
static void find_parents(tree *t) {
  for (int i = 0; i < t->steps->count; i++) {
    const gg_step *outer = t->steps->list[i];
    t->parent[i] = -1;
    for (int j = 0; j < i; j++) {
      const gg_step *inner = t->steps->list[j];
      bool within = inner->begin >= outer->begin && inner->end <= outer->end;
      if (within && t->parent[j] < 0) t->parent[j] = i;
    }
  }
}

/* ---- One step --------------------------------------------------------------------------- */

static void put_code(gg_str *out, const char *text, size_t length) {
  gg_str part = GG_STR_INIT;
  gg_str_append(&part, text, length);
  gg_str_puts(out, "<code>");
  gg_str_xml(out, gg_str_text(&part));
  gg_str_puts(out, "</code>");
  out->failed = out->failed || part.failed;
  gg_str_free(&part);
}

/* Puts a step's text, and its value where that reads differently. */
static void put_summary(gg_str *out, const tree *t, const gg_step *step) {
  gg_str value = GG_STR_INIT;
  size_t length = (size_t)(step->end - step->begin);
  gg_value_print(&value, &step->value, t->notation);
  put_code(out, step->begin, length);
  bool same = value.length == length && strncmp(step->begin, gg_str_text(&value), length) == 0;
  if (!same) {
    gg_str_puts(out, " = ");
    put_code(out, gg_str_text(&value), value.length);
  }
  out->failed = out->failed || value.failed;
  gg_str_free(&value);
}

static bool is_large(const gg_value *value) {
  gg_tensor tensor;
  return gg_value_as_tensor(&tensor, value) && gg_composed_size(&tensor.layout) > readable_cells;
}

/* The options of a step. The tile for threads and values is for the whole expression only. */
static gg_layout_options options_of(const tree *t, const gg_step *step, bool whole) {
  gg_layout_options options = *t->given;
  options.compact = options.compact || is_large(&step->value);
  if (!whole) options.tile = NULL;
  return options;
}

/* Puts a step's drawing. Bank conflicts are a table; a value without a drawing has none. */
static void put_drawing(gg_str *out, tree *t, const gg_step *step, bool whole) {
  gg_error why = GG_ERROR_INIT;
  gg_str drawing = GG_STR_INIT;
  gg_layout_options options = options_of(t, step, whole);
  bool table = step->value.kind == GG_VALUE_CONFLICTS;
  gg_status st = table ? gg_value_table(&drawing, &options, &step->value, &why)
                       : gg_value_draw(&drawing, &options, &step->value, &why);
  bool fits = t->drawn + drawing.length <= drawings_bytes;
  if (table && !st) {
    gg_str_puts(out, "<pre class=\"spec\">");
    gg_str_xml(out, gg_str_text(&drawing));
    gg_str_puts(out, "</pre>\n");
  } else if (!st && fits) {
    t->drawn += drawing.length;
    gg_str_puts(out,
                "<div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing\">\n");
    gg_str_puts(out, gg_str_text(&drawing));
    gg_str_puts(out, "</div>\n");
  } else if (!st || why.code == GG_E_LAYOUT_DRAWING || whole) {
    gg_str_puts(out, "<p class=\"remark\">Not drawn: ");
    gg_str_xml(out, st ? why.message
                       : "the page would be too large; gemmgen layout --svg draws it alone");
    gg_str_puts(out, "</p>\n");
  }
  out->failed = out->failed || drawing.failed;
  gg_error_clear(&why);
  gg_str_free(&drawing);
}

/* ---- The tree --------------------------------------------------------------------------- */

/* The next step after `after` that has this parent; -1 where there is none. */
static int next_child(const tree *t, int parent, int after) {
  for (int i = after + 1; i < parent; i++) {
    if (t->parent[i] == parent) return i;
  }
  return -1;
}

static void put_step(gg_str *out, tree *t, int i) {
  const gg_step *step = t->steps->list[i];
  bool whole = i + 1 == t->steps->count;
  gg_str_puts(out, "<li><details open><summary>");
  put_summary(out, t, step);
  gg_str_puts(out, "</summary>\n");
  put_drawing(out, t, step, whole);
  int child = next_child(t, i, -1);
  if (child >= 0) gg_str_puts(out, "<ul>\n");
  for (int at = child; at >= 0; at = next_child(t, i, at))
    put_step(out, t, at);
  gg_str_puts(out, child >= 0 ? "</ul>\n</details></li>\n" : "</details></li>\n");
}

gg_status gg_layout_tree(gg_str *out, const char *expression, const gg_layout_options *options,
                         gg_error *err) {
  const char *file = options->name ? options->name : "<expression>";
  gg_arena arena = GG_ARENA_INIT;
  gg_steps steps;
  tree t = {.steps = &steps, .given = options};
  t.notation = options->cute ? GG_NOTATION_CUTE : GG_NOTATION_PLAIN;
  gg_status st = gg_expr_steps(&steps, expression, file, 1, &t.notation, &arena, err);
  if (!st) st = gg_value_check(&steps.list[steps.count - 1]->value, file, 1, &arena, err);
  if (!st) {
    find_parents(&t);
    gg_str_puts(out, "<ul class=\"tree\">\n");
    put_step(out, &t, steps.count - 1);
    gg_str_puts(out, "</ul>\n");
    if (out->failed) st = gg_fail(err, MEMORY, NULL, "");
  }
  gg_arena_free(&arena);
  return st;
}
