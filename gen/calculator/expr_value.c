/* Values of the calculator: printing and conversions. */
#include <string.h>

#include "calculator/expr.h"
#include "layout/calc.h"

const char *gg_value_kind_name(const gg_value *value) {
  static const char *const names[] = {
      [GG_VALUE_TUPLE] = "a tuple",
      [GG_VALUE_LAYOUT] = "a layout",
      [GG_VALUE_TILER] = "a tiler",
      [GG_VALUE_SWIZZLE] = "a swizzle",
      [GG_VALUE_SMEM] = "smem_ptr",
      [GG_VALUE_TENSOR] = "a tensor",
      [GG_VALUE_BOOL] = "a truth",
      [GG_VALUE_NAME] = "a name",
      [GG_VALUE_MMA] = "a tiled MMA",
      [GG_VALUE_COPY] = "a tiled copy",
      [GG_VALUE_CONFLICTS] = "bank conflicts",
  };
  if (value->kind == GG_VALUE_TUPLE && gg_tuple_is_int(&value->tuple)) {
    if (value->tuple.nodes[0].basis_rank) return "a scaled basis";
    return value->tuple.nodes[0].kind == GG_NODE_KEEP ? "_" : "an integer";
  }
  if (value->kind == GG_VALUE_TUPLE && gg_tuple_has_keep(&value->tuple)) return "a tuple with _";
  for (int i = 0; value->kind == GG_VALUE_TUPLE && i < value->tuple.count; i++) {
    if (value->tuple.nodes[i].basis_rank) return "a tuple of scaled bases";
  }
  if (value->kind == GG_VALUE_LAYOUT && !gg_composed_is_plain(&value->layout)) {
    return "a composed layout";
  }
  return names[value->kind];
}

const char *gg_value_name(char out[GG_VALUE_NAME_MAX], const gg_value *value) {
  size_t length = value->name.length;
  if (length >= GG_VALUE_NAME_MAX) length = GG_VALUE_NAME_MAX - 1;
  memcpy(out, value->name.text, length);
  out[length] = '\0';
  return out;
}

/* Prints a tiled MMA as the call that makes it. */
static void print_mma(gg_str *out, const gg_value *value, gg_notation notation) {
  gg_str_puts(out, "tiled_mma(");
  gg_mma_atom_cute(out, &value->mma.atom);
  gg_str_puts(out, ", ");
  gg_layout_print(out, &value->mma.threads, notation);
  if (gg_layout_rank(&value->mma.permutation.tiles) > 0) {
    gg_str_puts(out, ", ");
    gg_tiler_print(out, &value->mma.permutation, notation);
  }
  gg_str_puts(out, ")");
}

static void print_copy(gg_str *out, const gg_value *value, gg_notation notation) {
  gg_str_puts(out, "make_tiled_copy_impl(");
  gg_copy_atom_cute(out, &value->copy.atom);
  gg_str_printf(out, ", %d, ", value->copy.bits);
  gg_layout_print(out, &value->copy.tv, notation);
  gg_str_puts(out, ", ");
  gg_tiler_print(out, &value->copy.tiler, notation);
  gg_str_puts(out, ")");
}

static void print_name(gg_str *out, const gg_value *value) {
  if (value->name.bits) gg_str_puts(out, "Copy_Atom(");
  gg_str_append(out, value->name.text, value->name.length);
  if (value->name.bits) gg_str_printf(out, ", %d)", value->name.bits);
}

/* Prints the sum over all warps and accesses: (wavefronts, the fewest that are possible). */
static void print_conflicts(gg_str *out, const gg_value *value, gg_notation notation) {
  gg_wavefronts w = gg_conflicts_total(&value->conflicts);
  gg_tuple sum = GG_TUPLE(w.taken, w.least);
  gg_tuple_print(out, &sum, notation);
}

void gg_value_print(gg_str *out, const gg_value *value, gg_notation notation) {
  switch (value->kind) {
  case GG_VALUE_TUPLE:
    gg_tuple_print(out, &value->tuple, notation);
    break;
  case GG_VALUE_LAYOUT:
    gg_composed_print(out, &value->layout, notation);
    break;
  case GG_VALUE_TILER:
    gg_tiler_print(out, &value->tiler, notation);
    break;
  case GG_VALUE_SWIZZLE:
    gg_swizzle_print(out, value->swizzle);
    break;
  case GG_VALUE_SMEM:
    gg_str_printf(out, "smem_ptr[%db](unset)", value->smem_bits);
    break;
  case GG_VALUE_TENSOR:
    gg_tensor_print(out, &value->tensor, notation);
    break;
  case GG_VALUE_BOOL:
    gg_str_puts(out, value->truth ? "true" : "false");
    break;
  case GG_VALUE_NAME:
    print_name(out, value);
    break;
  case GG_VALUE_MMA:
    print_mma(out, value, notation);
    break;
  case GG_VALUE_COPY:
    print_copy(out, value, notation);
    break;
  case GG_VALUE_CONFLICTS:
    print_conflicts(out, value, notation);
    break;
  }
}

/* A layout in parentheses reads as a tiler of one layout, so such a tiler counts as the layout. */
bool gg_value_as_layout(gg_composed *out, const gg_value *value) {
  if (value->kind == GG_VALUE_LAYOUT) {
    *out = value->layout;
    return true;
  }
  if (value->kind != GG_VALUE_TILER) return false;
  const gg_tiler *tiler = &value->tiler;
  int at = gg_tiler_is_layout(tiler) ? 0 : 1;
  bool single = at == 0 || (gg_rank_at(&tiler->tiles.shape, 0) == 1 && (tiler->layouts >> 1 & 1));
  if (!single) return false;
  gg_layout layout = gg_layout_sub(&tiler->tiles, at);
  *out = gg_composed_of(&layout);
  return true;
}

bool gg_value_as_tiler(gg_tiler *out, const gg_value *value) {
  if (value->kind == GG_VALUE_TILER) {
    *out = value->tiler;
  } else if (value->kind == GG_VALUE_LAYOUT && gg_composed_is_plain(&value->layout)) {
    *out = gg_tiler_of_layout(&value->layout.layout);
  } else if (value->kind == GG_VALUE_TUPLE) {
    GG_EACH_LEAF(i, &value->tuple) {
      if (value->tuple.nodes[i].basis_rank) return false;
    }
    *out = gg_tiler_of_shape(&value->tuple);
  } else {
    return false;
  }
  return true;
}

bool gg_value_as_tensor(gg_tensor *out, const gg_value *value) {
  gg_composed layout;
  if (value->kind == GG_VALUE_TENSOR) {
    *out = value->tensor;
    return true;
  }
  if (!gg_value_as_layout(&layout, value)) return false;
  *out = gg_tensor_of(&layout);
  return true;
}

bool gg_value_as_int(int64_t *out, const gg_value *value) {
  if (value->kind != GG_VALUE_TUPLE) return false;
  gg_node leaf = value->tuple.nodes[0];
  if (leaf.kind != GG_NODE_INT || leaf.basis_rank) return false;
  *out = leaf.value;
  return true;
}
