/* Printing, in CuTe's text form. Parsing is the expression calculator's (expr_parse.c). */
#include <inttypes.h>

#include "layout/calc.h"
#include "layout/tensor.h"

static void print_leaf(gg_str *out, gg_node leaf, gg_notation notation) {
  if (leaf.kind == GG_NODE_KEEP) {
    gg_str_putc(out, '_');
    return;
  }
  if (notation == GG_NOTATION_CUTE && !leaf.dynamic) gg_str_putc(out, '_');
  gg_str_printf(out, "%" PRId64, leaf.value);
  for (int i = leaf.basis_rank; i-- > 0;)
    gg_str_printf(out, "@%d", leaf.basis[i]);
}

static void print_tree(gg_str *out, const gg_tuple *t, int at, gg_notation notation) {
  if (!gg_is_tuple(t, at)) {
    print_leaf(out, t->nodes[at], notation);
    return;
  }
  gg_str_putc(out, '(');
  GG_EACH_CHILD(child, t, at) {
    if (child > at + 1) gg_str_putc(out, ',');
    print_tree(out, t, child, notation);
  }
  gg_str_putc(out, ')');
}

void gg_tuple_print(gg_str *out, const gg_tuple *t, gg_notation notation) {
  print_tree(out, t, 0, notation);
}

void gg_layout_print(gg_str *out, const gg_layout *a, gg_notation notation) {
  gg_tuple_print(out, &a->shape, notation);
  gg_str_putc(out, ':');
  gg_tuple_print(out, &a->stride, notation);
}

static void print_tiler(gg_str *out, const gg_tiler *tiler, int at, gg_notation notation) {
  const gg_tuple *shape = &tiler->tiles.shape;
  if (tiler->layouts >> at & 1) {
    print_tree(out, shape, at, notation);
    gg_str_putc(out, ':');
    print_tree(out, &tiler->tiles.stride, at, notation);
    return;
  }
  if (!gg_is_tuple(shape, at)) {
    gg_str_putc(out, '_');
    return;
  }
  gg_str_putc(out, '(');
  GG_EACH_CHILD(child, shape, at) {
    if (child > at + 1) gg_str_putc(out, ',');
    print_tiler(out, tiler, child, notation);
  }
  gg_str_putc(out, ')');
}

void gg_tiler_print(gg_str *out, const gg_tiler *tiler, gg_notation notation) {
  print_tiler(out, tiler, 0, notation);
}
