/* What two layouts have in common from the beginning, and the longest contiguous vectors of one:
 * these say how far a copy between them can be vectorised. Source: max_common_layout,
 * max_common_vector and max_alignment in CuTe's layout.hpp and layout_composed.hpp. */
#include "layout/tiler.h"

/* The first mode of a o right_inverse(b), and that inverse. The common part is contiguous where the
 * mode's stride is 1. Only this mode of the composition has to be right. */
static gg_status common_mode(gg_layout *mode, gg_layout *inverse, const gg_layout *a,
                             const gg_layout *b, gg_error *err) {
  gg_layout common;
  gg_status st;
  if ((st = gg_layout_right_inverse(inverse, b, err))) return st;
  if ((st = gg_compose(&common, a, inverse, err))) return st;
  if ((st = gg_layout_coalesce(&common, &common, NULL, err))) return st;
  gg_layout first = gg_layout_sub(&common, gg_is_tuple(&common.shape, 0));
  bool contiguous = !first.shape.nodes[0].dynamic && gg_leaf_is(first.stride.nodes[0], 1);
  *mode = contiguous ? first : gg_layout_flat(1, 0);
  if (!contiguous) return GG_OK;
  gg_layout vector;
  if ((st = gg_layout_composition(&vector, inverse, mode, err))) return st;
  return gg_check_composition(mode, a, &vector, err);
}

gg_status gg_layout_max_common_layout(gg_layout *out, const gg_layout *a, const gg_layout *b,
                                      gg_error *err) {
  gg_layout mode, inverse;
  gg_status st = common_mode(&mode, &inverse, a, b, err);
  if (st) return st;
  if (gg_leaf_is(mode.stride.nodes[0], 1)) return gg_layout_composition(out, &inverse, &mode, err);
  *out = mode;
  return GG_OK;
}

gg_status gg_layout_max_common_vector(int64_t *out, const gg_layout *a, const gg_layout *b,
                                      gg_error *err) {
  gg_layout mode, inverse;
  gg_status st = common_mode(&mode, &inverse, a, b, err);
  if (!st) *out = gg_layout_size(&mode);
  return st;
}

gg_status gg_layout_max_alignment(int64_t *out, const gg_layout *a, gg_error *err) {
  gg_calc c = GG_CALC("max_alignment", err);
  gg_layout flat, inverse;
  if ((c.status = gg_layout_coalesce(&flat, a, NULL, err))) return c.status;
  GG_EACH_LEAF(i, &flat.shape) {
    if (flat.shape.nodes[i].dynamic) flat.shape.nodes[i] = gg_leaf(1);
    if (flat.stride.nodes[i].dynamic) flat.stride.nodes[i] = gg_leaf(0);
  }
  if ((c.status = gg_layout_right_inverse(&inverse, &flat, err))) return c.status;
  gg_tiler tiler = gg_tiler_of_layout(&inverse);
  if ((c.status = gg_layout_logical_divide(&flat, &flat, &tiler, err))) return c.status;
  int64_t alignment = gg_layout_mode_size(&flat, 0);
  gg_layout rest = gg_layout_sub(&flat, gg_tuple_child(&flat.shape, 0, 1));
  GG_EACH_LEAF(i, &rest.stride) {
    alignment = gg_gcd(alignment, gg_calc_abs(&c, rest.stride.nodes[i].value));
  }
  if (c.status == GG_OK) *out = alignment;
  return c.status;
}
