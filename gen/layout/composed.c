/* Composed layouts: index -> sw(offset + layout(index)).
 *
 * Most operations act on the layout alone, since it owns the domain. The ones that do not are
 * here: moving a swizzle through a layout, slicing, recasting. Source: CuTe's layout_composed.hpp
 * and swizzle_layout.hpp. */
#include "layout/swizzle.h"

#include <inttypes.h>

#include "layout/calc.h"

enum { compare_limit = 1 << 16 }; /* points */

/* ---- Making and asking ------------------------------------------------------------------- */

gg_composed gg_composed_of(const gg_layout *layout) {
  return (gg_composed){.layout = *layout};
}

gg_status gg_composed_make(gg_composed *out, gg_swizzle sw, int64_t offset, const gg_layout *layout,
                           gg_error *err) {
  gg_calc c = GG_CALC("composition", err);
  if (gg_layout_has_basis(layout)) return gg_fail(err, LAYOUT_BASIS, NULL, c.op);
  gg_calc_add(&c, gg_calc_abs(&c, offset), gg_layout_cosize(layout));
  if (c.status != GG_OK) return c.status;
  gg_composed r = {.swizzle = sw, .offset = offset, .layout = *layout};
  if (gg_composed_is_plain(&r)) r.swizzle = (gg_swizzle){0, 0, 0};
  *out = r;
  return GG_OK;
}

gg_status gg_composed_make_smem(gg_composed *out, gg_swizzle sw, int bits, const gg_layout *layout,
                                gg_error *err) {
  if (bits < 1 || bits > 1024 || (bits & (bits - 1))) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "smem_ptr", "element sizes are 1, 2, 4 ... 1024 bits");
  }
  gg_calc c = GG_CALC("smem_ptr", err);
  if (gg_layout_has_basis(layout)) return gg_fail(err, LAYOUT_BASIS, NULL, c.op);
  gg_calc_mul(&c, gg_layout_cosize(layout), bits);
  if (c.status == GG_OK) *out = (gg_composed){sw, 0, bits, *layout};
  return c.status;
}

bool gg_composed_is_plain(const gg_composed *a) {
  return a->swizzle.bits == 0 && a->offset == 0 && a->ptr_bits == 0;
}

bool gg_composed_equal(const gg_composed *a, const gg_composed *b) {
  if (!gg_layout_equal(&a->layout, &b->layout)) return false;
  if (gg_composed_is_plain(a) && gg_composed_is_plain(b)) return true;
  return gg_swizzle_equal(a->swizzle, b->swizzle) && a->offset == b->offset &&
         a->ptr_bits == b->ptr_bits;
}

int64_t gg_composed_size(const gg_composed *a) {
  return gg_layout_size(&a->layout);
}

int64_t gg_composed_cosize(const gg_composed *a) {
  return gg_layout_cosize(&a->layout);
}

int64_t gg_composed_at(const gg_composed *a, int64_t index) {
  return gg_composed_apply(a, gg_layout_at(&a->layout, index));
}

gg_composed gg_composed_with(const gg_composed *a, const gg_layout *layout) {
  gg_composed r = *a;
  r.layout = *layout;
  return r;
}

gg_status gg_composed_position_independent(gg_composed *out, const gg_composed *a, gg_error *err) {
  if (!a->ptr_bits) {
    *out = *a;
    return GG_OK;
  }
  gg_swizzle sw;
  gg_status st = gg_swizzle_recast(&sw, a->swizzle, 8, a->ptr_bits, err);
  return st ? st : gg_composed_make(out, sw, 0, &a->layout, err);
}

/* ---- Composition ------------------------------------------------------------------------- */

gg_status gg_composed_compose_tiler(gg_composed *out, const gg_composed *a, const gg_tiler *tiler,
                                    gg_error *err) {
  gg_layout layout;
  gg_status st = gg_layout_compose_tiler(&layout, &a->layout, tiler, err);
  if (!st) *out = gg_composed_with(a, &layout);
  return st;
}

/* Finds the swizzle that does behind `a` what sw does in front of it: its bits are those to which a
 * sends the bits of sw. */
static gg_status push_swizzle(gg_swizzle *out, const gg_layout *a, gg_swizzle sw, gg_error *err) {
  if (gg_layout_has_basis(a)) return gg_fail(err, LAYOUT_BASIS, NULL, "composition");
  int64_t y = gg_layout_at(a, (int64_t)gg_swizzle_y_mask(sw));
  int64_t z = gg_layout_at(a, (int64_t)gg_swizzle_z_mask(sw));
  return gg_swizzle_of_masks(out, (uint64_t)y, (uint64_t)z, err);
}

static gg_status fail_push(const gg_layout *a, const gg_composed *b, gg_error *err) {
  gg_str text = GG_STR_INIT;
  gg_composed_print(&text, b, GG_NOTATION_PLAIN);
  gg_status st = gg_fail(err, LAYOUT_FUNCTION, NULL, "composition", gg_layout_text(a).text,
                         gg_str_shown(&text), "the swizzle does not pass through the left layout");
  gg_str_free(&text);
  return st;
}

gg_status gg_layout_compose_swizzled_weakly(gg_composed *out, const gg_layout *a,
                                            const gg_composed *b, gg_error *err) {
  gg_swizzle sw;
  gg_layout layout;
  gg_status st;
  if (b->offset != 0 || b->ptr_bits) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "composition",
                   "a swizzled right-hand side needs offset 0 and no smem_ptr");
  }
  if ((st = push_swizzle(&sw, a, b->swizzle, err))) return st;
  if ((st = gg_compose(&layout, a, &b->layout, err))) return st;
  return gg_composed_make(out, sw, 0, &layout, err);
}

gg_status gg_layout_compose_swizzled(gg_composed *out, const gg_layout *a, const gg_composed *b,
                                     gg_error *err) {
  gg_composed r;
  gg_status st = gg_layout_compose_swizzled_weakly(&r, a, b, err);
  if (st) return st;
  int64_t size = gg_composed_size(b);
  for (int64_t i = 0; i < size; i++) {
    bool same = i < compare_limit && gg_composed_at(&r, i) == gg_layout_at(a, gg_composed_at(b, i));
    if (!same) return fail_push(a, b, err);
  }
  *out = r;
  return GG_OK;
}

/* ---- Slice ------------------------------------------------------------------------------- */

/* The bits of an index as the swizzle divides them: M low bits, the B bits of the lower mask, the
 * gap, the B bits of the higher mask, and the rest. A part that the projection leaves out gets
 * stride 0. */
static gg_layout project(gg_swizzle sw, bool masks) {
  int gap = (sw.shift < 0 ? -sw.shift : sw.shift) - sw.bits;
  int widths[] = {sw.base, sw.bits, gap, sw.bits, 0};
  bool is_mask[] = {false, true, false, true, false};
  int64_t shape[5], stride[5];
  for (int i = 0, low = 0; i < 5; i++) {
    shape[i] = (int64_t)1 << widths[i];
    stride[i] = is_mask[i] == masks ? (int64_t)1 << low : 0;
    low += widths[i];
  }
  return (gg_layout){gg_tuple_make(5, shape), gg_tuple_make(5, stride)};
}

/* The bits that a coordinate sets, through a layout whose strides are powers of two. */
static gg_status bits_of(int64_t *out, const gg_layout *a, const gg_tuple *coord, gg_error *err) {
  gg_tuple digits;
  gg_status st = gg_idx2crd(&digits, coord, &a->shape, err);
  if (st) return st;
  gg_calc c = GG_CALC("slice", err);
  int64_t bits = 0;
  GG_EACH_LEAF(i, &digits) {
    int64_t s = a->shape.nodes[i].value, d = a->stride.nodes[i].value;
    int64_t span = gg_calc_mul(&c, s, d);
    if (span < 0 || (span & (span - 1))) {
      return gg_fail(err, LAYOUT_VALUE, NULL, c.op,
                     "a swizzled mode is sliced by bits: its size times stride is a power of two");
    }
    bits ^= gg_calc_mul(&c, digits.nodes[i].value, d) & gg_calc_mul(&c, s - 1, d);
  }
  *out = bits;
  return c.status;
}

/* The swizzle as a layout of single bits around an offset. Flipping a source bit moves a target bit
 * up if that is clear, down if it is set. */
static gg_layout linearized(gg_swizzle sw, int64_t offset) {
  int64_t y = (int64_t)(gg_swizzle_y_mask(sw) & -gg_swizzle_y_mask(sw));
  int64_t z = (int64_t)(gg_swizzle_z_mask(sw) & -gg_swizzle_z_mask(sw));
  int distance = sw.shift < 0 ? -sw.shift : sw.shift, n = 0;
  int64_t shape[GG_TUPLE_NODES], stride[GG_TUPLE_NODES];
  shape[n] = (int64_t)1 << sw.base, stride[n++] = 1;
  for (int high = 0; high < 2; high++) {
    bool target = high == (sw.shift < 0);
    for (int i = 0; i < sw.bits && n < GG_TUPLE_NODES - 3; i++) {
      int64_t source_set = offset & (target ? y << i : z << i);
      int64_t step = target ? (source_set ? -z : z) : (source_set ? y - z : y + z);
      shape[n] = 2, stride[n++] = step * ((int64_t)1 << i);
    }
    shape[n] = (int64_t)1 << (high ? 0 : distance - sw.bits);
    stride[n++] = (int64_t)1 << (high ? sw.base + sw.bits + distance : sw.base + sw.bits);
  }
  return (gg_layout){gg_tuple_make(n, shape), gg_tuple_make(n, stride)};
}

/* Whether the coordinate is all `_`, so that slicing only reshapes. */
static bool keeps_all(const gg_tuple *coord) {
  GG_EACH_LEAF(i, coord) {
    if (coord->nodes[i].kind != GG_NODE_KEEP) return false;
  }
  return coord->count > 1 || coord->nodes[0].kind == GG_NODE_KEEP;
}

/* The bits that a layout of powers of two reaches; -1 where its modes overlap or are not such
 * powers. */
static int64_t reach_of(const gg_layout *a) {
  uint64_t reach = 0;
  GG_EACH_LEAF(i, &a->shape) {
    int64_t s = a->shape.nodes[i].value, d = a->stride.nodes[i].value;
    if (s == 1 || d == 0) continue;
    if (s < 1 || d < 1 || (s & (s - 1)) || (d & (d - 1))) return -1;
    uint64_t bits = (uint64_t)(s - 1) * (uint64_t)d;
    if (reach & bits) return -1;
    reach |= bits;
  }
  return (int64_t)reach;
}

/* Checks that a slice is the right function. It is where the kept and the fixed modes set different
 * bits: then adding is the same as or-ing, and the swizzle can be applied to each. CuTe takes that
 * for granted; here points are compared otherwise. */
static gg_status check_slice(const gg_composed *slice, int64_t base, const gg_layout *kept,
                             int64_t fixed, const gg_composed *a, gg_error *err) {
  int64_t reach = reach_of(kept), size = gg_layout_size(kept);
  if (reach >= 0 && (reach & fixed) == 0) return GG_OK;
  for (int64_t i = 0; i < size; i++) {
    int64_t want = gg_swizzle_apply(a->swizzle, fixed + gg_layout_at(kept, i));
    if (i < compare_limit && gg_composed_at(slice, i) + base == want) continue;
    return gg_fail(err, LAYOUT_FUNCTION, NULL, "slice", gg_layout_text(&a->layout).text,
                   "the coordinate",
                   "the modes kept and the modes fixed meet in bits of the swizzle");
  }
  return GG_OK;
}

static gg_status slice_swizzled(gg_composed *out, int64_t *offset, const gg_tuple *coord,
                                const gg_composed *a, bool check, gg_error *err) {
  gg_layout sliced, diced, active, anti = project(a->swizzle, false),
                                   only = project(a->swizzle, true);
  gg_tuple fixed, outside;
  int64_t bits = 0;
  gg_status st;
  if ((st = gg_layout_slice(&sliced, coord, &a->layout, err))) return st;
  if ((st = gg_layout_dice(&diced, coord, &a->layout, err))) return st;
  if ((st = gg_tuple_dice(&fixed, coord, coord, err))) return st;
  if ((st = gg_compose(&anti, &anti, &diced, err))) return st;
  if ((st = gg_compose(&diced, &only, &diced, err))) return st;
  if ((st = bits_of(&bits, &diced, &fixed, err))) return st;
  if ((st = gg_layout_crd2idx(&outside, &fixed, &anti, err))) return st;
  if ((st = gg_compose(&active, &only, &sliced, err))) return st;

  gg_calc c = GG_CALC("slice", err);
  gg_composed r;
  gg_tuple whole;
  int64_t inside = a->offset ^ bits, base = outside.nodes[0].value;
  int64_t reached = gg_layout_at(&active, gg_layout_size(&active) - 1);
  bool meets_both = (reached & ~gg_swizzle_apply(a->swizzle, reached)) != 0;
  if (meets_both) {
    if ((st = gg_composed_make(&r, a->swizzle, inside, &sliced, err))) return st;
  } else {
    gg_layout line = linearized(a->swizzle, inside), plain;
    if ((st = gg_compose(&plain, &line, &sliced, err))) return st;
    base = gg_calc_add(&c, gg_swizzle_apply(a->swizzle, inside), base);
    r = gg_composed_of(&plain);
  }
  if ((st = gg_layout_crd2idx(&whole, coord, &a->layout, err))) return st;
  int64_t start = gg_calc_add(&c, a->offset, whole.nodes[0].value);
  if (c.status) return c.status;
  if (check && (st = check_slice(&r, base, &sliced, start, a, err))) return st;
  *out = r;
  *offset = base;
  return GG_OK;
}

static gg_status slice(gg_composed *out, gg_tuple *offset, const gg_tuple *coord,
                       const gg_composed *a, bool check, gg_error *err) {
  gg_composed r;
  gg_layout layout;
  gg_tuple base = gg_tuple_int(0);
  gg_status st;
  if (gg_composed_is_plain(a) || keeps_all(coord) || a->ptr_bits) {
    if ((st = gg_layout_slice_and_offset(&layout, &base, coord, &a->layout, err))) return st;
    r = gg_composed_with(a, &layout);
    if (a->ptr_bits && base.nodes[0].value != 0) {
      return gg_fail(err, LAYOUT_VALUE, NULL, "slice",
                     "an smem_ptr layout has no place for an offset: slice its tensor, or its "
                     "position-independent form");
    }
  } else if ((st = slice_swizzled(&r, &base.nodes[0].value, coord, a, check, err))) {
    return st;
  }
  *out = r;
  *offset = base;
  return GG_OK;
}

gg_status gg_composed_slice_and_offset(gg_composed *out, gg_tuple *offset, const gg_tuple *coord,
                                       const gg_composed *a, gg_error *err) {
  return slice(out, offset, coord, a, true, err);
}

gg_status gg_composed_slice_weakly(gg_composed *out, gg_tuple *offset, const gg_tuple *coord,
                                   const gg_composed *a, gg_error *err) {
  return slice(out, offset, coord, a, false, err);
}

/* ---- Inverses ---------------------------------------------------------------------------- */

typedef gg_status (*layout_fn)(gg_layout *, const gg_layout *, gg_error *);

/* Writes inverse(layout) o sw in the form sw' o inverse(layout). */
static gg_status invert(gg_composed *out, const gg_composed *a, layout_fn inverse, bool check,
                        gg_error *err) {
  gg_layout layout;
  gg_swizzle sw;
  gg_composed r;
  gg_status st;
  if (a->offset != 0 || a->ptr_bits) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "inverse",
                   "a swizzled layout is inverted at offset 0, without smem_ptr");
  }
  if ((st = inverse(&layout, &a->layout, err))) return st;
  if ((st = push_swizzle(&sw, &layout, a->swizzle, err))) return st;
  if ((st = gg_composed_make(&r, sw, 0, &layout, err))) return st;
  int64_t size = gg_layout_size(&layout);
  for (int64_t i = 0; check && i < size; i++) {
    int64_t want = gg_layout_at(&layout, gg_swizzle_apply(a->swizzle, i));
    if (i < compare_limit && gg_composed_at(&r, i) == want) continue;
    return gg_fail(err, LAYOUT_FUNCTION, NULL, "inverse", gg_layout_text(&a->layout).text,
                   "its swizzle", "the swizzle does not pass through the layout's inverse");
  }
  *out = r;
  return GG_OK;
}

gg_status gg_composed_right_inverse(gg_composed *out, const gg_composed *a, gg_error *err) {
  return invert(out, a, gg_layout_right_inverse, true, err);
}

gg_status gg_composed_left_inverse(gg_composed *out, const gg_composed *a, gg_error *err) {
  return invert(out, a, gg_layout_left_inverse, true, err);
}

gg_status gg_composed_right_inverse_weakly(gg_composed *out, const gg_composed *a, gg_error *err) {
  return invert(out, a, gg_layout_right_inverse, false, err);
}

gg_status gg_composed_left_inverse_weakly(gg_composed *out, const gg_composed *a, gg_error *err) {
  return invert(out, a, gg_layout_left_inverse, false, err);
}

/* ---- Recasting --------------------------------------------------------------------------- */

gg_status gg_composed_upcast(gg_composed *out, const gg_composed *a, int64_t n, gg_error *err) {
  gg_composed r = *a;
  gg_status st;
  if ((st = gg_layout_upcast(&r.layout, &a->layout, n, err))) return st;
  if (a->ptr_bits && n > 1024) n = 1024; /* more than smem_ptr can be */
  if (a->ptr_bits) {
    return gg_composed_make_smem(out, a->swizzle, a->ptr_bits * (int)n, &r.layout, err);
  }
  if (gg_composed_is_plain(a)) {
    *out = r;
    return GG_OK;
  }
  if ((st = gg_swizzle_upcast(&r.swizzle, a->swizzle, n, err))) return st;
  if (a->offset % n != 0)
    return gg_fail(err, LAYOUT_UPCAST, NULL, (long long)n, (long long)a->offset);
  return gg_composed_make(out, r.swizzle, a->offset / n, &r.layout, err);
}

gg_status gg_composed_downcast(gg_composed *out, const gg_composed *a, int64_t n, gg_error *err) {
  gg_calc c = GG_CALC("downcast", err);
  gg_composed r = *a;
  if ((c.status = gg_layout_downcast(&r.layout, &a->layout, n, err))) return c.status;
  if (a->ptr_bits) {
    int bits = n <= a->ptr_bits && a->ptr_bits % n == 0 ? a->ptr_bits / (int)n : 0;
    return gg_composed_make_smem(out, a->swizzle, bits, &r.layout, err);
  }
  if (gg_composed_is_plain(a)) {
    *out = r;
    return GG_OK;
  }
  if ((c.status = gg_swizzle_downcast(&r.swizzle, a->swizzle, n, err))) return c.status;
  r.offset = gg_calc_mul(&c, a->offset, n);
  return c.status ? c.status : gg_composed_make(out, r.swizzle, r.offset, &r.layout, err);
}

gg_status gg_composed_recast(gg_composed *out, const gg_composed *a, int64_t old_bits,
                             int64_t new_bits, gg_error *err) {
  if (old_bits < 1 || new_bits < 1) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "recast_layout", "element sizes are at least 1 bit");
  }
  int64_t common = gg_gcd(old_bits, new_bits), up = new_bits / common, down = old_bits / common;
  gg_composed r = *a;
  gg_status st = GG_OK;
  if (up != 1) st = gg_composed_upcast(&r, &r, up, err);
  if (!st && down != 1) st = gg_composed_downcast(&r, &r, down, err);
  if (!st) *out = r;
  return st;
}

/* ---- Vectors ----------------------------------------------------------------------------- */

gg_status gg_composed_max_alignment(int64_t *out, const gg_composed *a, gg_error *err) {
  int64_t alignment;
  gg_status st = gg_layout_max_alignment(&alignment, &a->layout, err);
  if (st) return st;
  if (!gg_composed_is_plain(a)) {
    alignment = gg_gcd(gg_gcd(alignment, a->offset), (int64_t)1 << a->swizzle.base);
  }
  *out = alignment;
  return GG_OK;
}

/* How many neighbouring elements two swizzles keep together. */
static int64_t unswizzled(const gg_composed *a, const gg_composed *b) {
  int64_t limit = INT64_MAX;
  if (gg_swizzle_equal(a->swizzle, b->swizzle)) return limit;
  if (!gg_composed_is_plain(a)) limit = (int64_t)1 << a->swizzle.base;
  if (!gg_composed_is_plain(b) && (int64_t)1 << b->swizzle.base < limit) {
    limit = (int64_t)1 << b->swizzle.base;
  }
  return limit;
}

gg_status gg_composed_max_common_vector(int64_t *out, const gg_composed *a, const gg_composed *b,
                                        gg_error *err) {
  int64_t vector, limit = unswizzled(a, b);
  gg_status st = gg_layout_max_common_vector(&vector, &a->layout, &b->layout, err);
  if (!st) *out = vector < limit ? vector : limit;
  return st;
}

gg_status gg_composed_max_common_layout(gg_layout *out, const gg_composed *a, const gg_composed *b,
                                        gg_error *err) {
  gg_layout common;
  int64_t limit = unswizzled(a, b);
  gg_status st = gg_layout_max_common_layout(&common, &a->layout, &b->layout, err);
  if (st) return st;
  if (limit < gg_layout_size(&common)) {
    gg_layout vector = gg_layout_flat(limit, 1);
    return gg_layout_composition(out, &common, &vector, err);
  }
  *out = common;
  return GG_OK;
}

/* ---- Shared-memory atoms ------------------------------------------------------------------ */

gg_status gg_smem_atom(gg_composed *out, bool mn_major, gg_smem_swizzle swizzle, int bits,
                       gg_error *err) {
  static const gg_swizzle swizzles[] = {
      [GG_SMEM_INTER] = {0, 4, 3}, [GG_SMEM_SW32] = {1, 4, 3},      [GG_SMEM_SW64] = {2, 4, 3},
      [GG_SMEM_SW128] = {3, 4, 3}, [GG_SMEM_SW128_32B] = {2, 5, 2},
  };
  bool wide = swizzle == GG_SMEM_SW128_32B;
  if (wide && !mn_major) {
    return gg_fail(err, LAYOUT_VALUE, NULL, "smem_atom", "SW128_32B is MN-major alone");
  }
  int64_t width =
      (int64_t)128 << (wide ? 3 : swizzle); /* bits of a row: 16 bytes doubled B times */
  int64_t rows = wide ? 4 : 8;
  gg_tuple shape = mn_major ? GG_TUPLE(width, rows) : GG_TUPLE(rows, width);
  gg_tuple stride = mn_major ? GG_TUPLE(1, width) : GG_TUPLE(width, 1);
  gg_layout layout;
  gg_composed atom;
  gg_status st;
  if ((st = gg_layout_make(&layout, &shape, &stride, err))) return st;
  if ((st = gg_composed_make_smem(&atom, swizzles[swizzle], 1, &layout, err))) return st;
  return gg_composed_upcast(out, &atom, bits, err);
}

/* ---- Text -------------------------------------------------------------------------------- */

void gg_composed_print(gg_str *out, const gg_composed *a, gg_notation notation) {
  if (!gg_composed_is_plain(a)) {
    gg_swizzle_print(out, a->swizzle);
    if (a->ptr_bits) {
      gg_str_printf(out, " o smem_ptr[%db](unset) o ", a->ptr_bits);
    } else {
      gg_str_printf(out, " o %s%" PRId64 " o ", notation == GG_NOTATION_CUTE ? "_" : "", a->offset);
    }
  }
  gg_layout_print(out, &a->layout, notation);
}
