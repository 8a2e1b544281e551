/* Layouts as C functions.
 *
 * Each leaf shape:stride of a mode with coordinate `c` is a term ((c / d) % shape) * stride, in
 * which d is the product of the shapes before it. In general a swizzle is o ^ ((o & Y) >> S) of the
 * sum o of the terms. But if the terms occupy disjoint bits (they are powers of two, as swizzled
 * layouts are made), it is known which coordinates the bits come from that the swizzle reads, and
 * also those that it changes:
 *
 *     m * 64 + (k ^ ((m & 7) << 3))
 *
 * Written in this way, the compiler sees that a step of 8 in m, or a step in terms outside the xor,
 * changes the address by a constant, and folds it into the offset of the instruction. */
#include "emit/layout_text.h"

enum { max_terms = 16 };

typedef struct term {
  const char *coord;
  int64_t divisor, shape, stride;
  bool last; /* the last one of its mode needs no modulo */
} term;

typedef struct terms {
  term of[max_terms];
  int count;
} terms;

static gg_status add_mode(terms *out, const gg_layout *layout, int mode, const char *coord,
                          gg_error *err) {
  gg_layout part;
  gg_status st = gg_layout_get(&part, layout, mode, err);
  if (st == GG_OK) st = gg_layout_coalesce(&part, &part, NULL, err);
  if (st) return st;
  int rank = gg_layout_rank(&part);
  if (out->count + rank > max_terms) {
    return gg_fail(err, EMIT_LAYOUT, NULL, rank + out->count, max_terms);
  }
  int64_t divisor = 1;
  for (int i = 0; i < rank; i++) {
    int64_t shape = gg_tuple_value(&part.shape, i), stride = gg_tuple_value(&part.stride, i);
    if (shape > 1) {
      out->of[out->count++] = (term){coord, divisor, shape, stride, i + 1 == rank};
    }
    divisor *= shape;
  }
  return GG_OK;
}

/* Appends the coordinate part of a term, without its stride; in parentheses if it is more than a
 * name. */
static void print_coord(gg_str *out, const term *t) {
  bool divided = t->divisor > 1;
  if (divided || !t->last) gg_str_putc(out, '(');
  gg_str_puts(out, t->coord);
  if (divided) gg_str_printf(out, " / %lld", (long long)t->divisor);
  if (!t->last) gg_str_printf(out, " %% %lld", (long long)t->shape);
  if (divided || !t->last) gg_str_putc(out, ')');
}

static void print_term(gg_str *out, const term *t) {
  print_coord(out, t);
  if (t->stride != 1) gg_str_printf(out, " * %lld", (long long)t->stride);
}

static void print_sum(gg_str *out, const terms *all, uint64_t chosen) {
  bool first = true;
  for (int i = 0; i < all->count; i++) {
    if (!(chosen >> i & 1)) continue;
    if (!first) gg_str_puts(out, " + ");
    print_term(out, &all->of[i]);
    first = false;
  }
  if (first) gg_str_putc(out, '0');
}

static bool power_of_two(int64_t x) {
  return x > 0 && (x & (x - 1)) == 0;
}

/* The bits that a term can set, if its stride is a power of two. */
static uint64_t bits_of(const term *t) {
  uint64_t most = (uint64_t)t->stride * (uint64_t)(t->shape - 1), bits = most;
  for (int shift = 1; shift < 64; shift *= 2)
    bits |= bits >> shift;
  return bits & ~((uint64_t)t->stride - 1);
}

static bool disjoint(const terms *all) {
  uint64_t seen = 0;
  for (int i = 0; i < all->count; i++) {
    uint64_t bits = bits_of(&all->of[i]);
    if (!power_of_two(all->of[i].stride) || (seen & bits)) return false;
    seen |= bits;
  }
  return true;
}

static int lowest_bit(uint64_t mask) {
  int bit = 0;
  while (!(mask >> bit & 1))
    bit++;
  return bit;
}

/* Appends the bits of `t` that the swizzle reads, moved to the bits that they change. */
static void print_source(gg_str *out, const term *t, gg_swizzle sw) {
  uint64_t read = bits_of(t) & gg_swizzle_y_mask(sw);
  int from = lowest_bit(read), skip = from - lowest_bit((uint64_t)t->stride);
  gg_str_puts(out, skip ? "((" : "(");
  print_coord(out, t);
  if (skip) gg_str_printf(out, " >> %d)", skip);
  gg_str_printf(out, " & %llu) << %d", (unsigned long long)(read >> from), from - sw.shift);
}

static void print_folded(gg_str *out, const terms *all, gg_swizzle sw) {
  uint64_t changed = 0, rest = 0;
  for (int i = 0; i < all->count; i++) {
    bool meets = bits_of(&all->of[i]) & gg_swizzle_z_mask(sw);
    *(meets ? &changed : &rest) |= UINT64_C(1) << i;
  }
  if (rest) {
    print_sum(out, all, rest);
    gg_str_puts(out, " + ");
  }
  bool several = (changed & (changed - 1)) != 0;
  gg_str_puts(out, several ? "((" : "(");
  print_sum(out, all, changed);
  if (several) gg_str_putc(out, ')');
  for (int i = 0; i < all->count; i++) {
    if (!(bits_of(&all->of[i]) & gg_swizzle_y_mask(sw))) continue;
    gg_str_puts(out, " ^ (");
    print_source(out, &all->of[i], sw);
    gg_str_putc(out, ')');
  }
  gg_str_putc(out, ')');
}

/* Whether the swizzle reads none of the bits that the terms can set, so that it changes nothing. */
static bool reads_nothing(const terms *all, gg_swizzle sw) {
  uint64_t seen = 0;
  for (int i = 0; i < all->count; i++)
    seen |= bits_of(&all->of[i]);
  return !(seen & gg_swizzle_y_mask(sw));
}

/* Appends the function's lines, indented by `indent`; `head` stands before its name. */
static gg_status write_function(gg_str *out, int indent, const char *head, const char *name,
                                const char *const coords[2], const gg_composed *layout,
                                gg_error *err) {
  terms all = {.count = 0};
  for (int mode = 0; mode < 2; mode++) {
    gg_status st = add_mode(&all, &layout->layout, mode, coords[mode], err);
    if (st) return st;
  }
  gg_str_printf(out, "%*s%s unsigned %s(unsigned %s, unsigned %s) {\n", indent, "", head, name,
                coords[0], coords[1]);
  gg_str_printf(out, "%*s", indent, "");
  uint64_t every = all.count ? ~UINT64_C(0) >> (64 - all.count) : 0;
  bool folds = disjoint(&all);
  if (layout->swizzle.bits == 0 || (folds && reads_nothing(&all, layout->swizzle))) {
    gg_str_puts(out, "  return ");
    print_sum(out, &all, every);
  } else if (folds) {
    gg_str_puts(out, "  return ");
    print_folded(out, &all, layout->swizzle);
  } else {
    gg_str_puts(out, "  const unsigned offset = ");
    print_sum(out, &all, every);
    gg_str_printf(out, ";\n%*s  return offset ^ ((offset & %llu) >> %d)", indent, "",
                  (unsigned long long)gg_swizzle_y_mask(layout->swizzle), layout->swizzle.shift);
  }
  gg_str_printf(out, ";\n%*s}\n", indent, "");
  return GG_OK;
}

gg_status gg_emit_layout_function(gg_str *out, const char *name, const char *const coords[2],
                                  const gg_composed *layout, gg_error *err) {
  gg_str_puts(out, "// ");
  gg_composed_print(out, layout, GG_NOTATION_PLAIN);
  gg_str_putc(out, '\n');
  return write_function(out, 0, "__device__ __forceinline__ constexpr", name, coords, layout, err);
}

gg_status gg_emit_layout_method(gg_str *out, const char *name, const char *const coords[2],
                                const gg_composed *layout, gg_error *err) {
  return write_function(out, 2, "static __device__ constexpr", name, coords, layout, err);
}
