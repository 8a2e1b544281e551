/* Checked arithmetic and tree building with one sticky error, for the layout algebra and what is
 * built directly on it.
 *
 * The algebra consists of long chains of small steps, each of which could overflow, divide by zero
 * or run out of nodes. A gg_calc remembers the first such failure. Later steps then do nothing
 * harmful, and the operation checks once at the end. Leaves are gg_node values: static integers,
 * dynamic ones, or scaled bases. */
#ifndef GG_LAYOUT_CALC_H
#define GG_LAYOUT_CALC_H

#include "layout/layout.h"

typedef struct gg_calc {
  const char *op; /* the operation's name, for messages */
  gg_error *err;
  gg_status status;
} gg_calc;

#define GG_CALC(op, err) ((gg_calc){(op), (err), GG_OK})

/* ---- Integers ---------------------------------------------------------------------------- */

int64_t gg_calc_add(gg_calc *c, int64_t a, int64_t b);
int64_t gg_calc_sub(gg_calc *c, int64_t a, int64_t b);
int64_t gg_calc_mul(gg_calc *c, int64_t a, int64_t b);
int64_t gg_calc_div(gg_calc *c, int64_t a, int64_t b); /* truncates */
int64_t gg_calc_mod(gg_calc *c, int64_t a, int64_t b);
int64_t gg_calc_ceil_div(gg_calc *c, int64_t a, int64_t b); /* (a + b - 1) / b */
int64_t gg_calc_abs(gg_calc *c, int64_t a);
int64_t gg_gcd(int64_t a, int64_t b); /* of magnitudes below 2^63 */

/* The multiples of step > 0 just below and above value >= 0, for hints in messages; the upper one
 * only if it fits in int64. */
int64_t gg_multiple_below(int64_t value, int64_t step);
int64_t gg_multiple_above(int64_t value, int64_t step);

/* ---- Leaves ------------------------------------------------------------------------------ */

gg_node gg_leaf(int64_t value);
bool gg_leaf_is(gg_node leaf, int64_t value); /* it is this static integer, and no basis */
bool gg_leaf_equal(gg_node a, gg_node b);

/* CuTe's mixed arithmetic: static with static gives static, a static 0 stays static, anything else
 * with a dynamic gives dynamic. A basis keeps its path in products with integers. */
gg_node gg_leaf_mul(gg_calc *c, gg_node a, gg_node b);
gg_node gg_leaf_div(gg_calc *c, gg_node a, gg_node b);
gg_node gg_leaf_ceil_div(gg_calc *c, gg_node a, gg_node b);
gg_node gg_leaf_abs(gg_calc *c, gg_node a);
gg_node gg_leaf_min(gg_node a, gg_node b);

/* ---- Building ---------------------------------------------------------------------------- */

/* A tree grows in pre-order: open a tuple, append to it, close it. */
int gg_build_open(gg_calc *c, gg_tuple *t);
void gg_build_close(gg_tuple *t, int at);
void gg_build_leaf(gg_calc *c, gg_tuple *t, gg_node leaf);
void gg_build_tree(gg_calc *c, gg_tuple *t, const gg_tuple *from, int at); /* a subtree */
void gg_build_children(gg_calc *c, gg_tuple *t, const gg_tuple *from, int at);

/* The same on both trees of a layout at once. */
int gg_build_open2(gg_calc *c, gg_layout *a);
void gg_build_close2(gg_layout *a, int at);
void gg_build_mode(gg_calc *c, gg_layout *a, gg_node shape, gg_node stride);
void gg_build_tree2(gg_calc *c, gg_layout *a, const gg_layout *from, int at);
void gg_build_children2(gg_calc *c, gg_layout *a, const gg_layout *from, int at);

gg_tuple gg_tuple_sub(const gg_tuple *t, int at);
gg_layout gg_layout_sub(const gg_layout *a, int at);

/* Takes a finished layout out of a calc: checks that no step failed and that size and cosize fit in
 * int64, then writes it to *out. */
gg_status gg_calc_layout(gg_calc *c, gg_layout *out, const gg_layout *result);
gg_status gg_calc_tuple(gg_calc *c, gg_tuple *out, const gg_tuple *result);

/* ---- Walking ----------------------------------------------------------------------------- */

static inline bool gg_is_tuple(const gg_tuple *t, int at) {
  return t->nodes[at].kind == GG_NODE_TUPLE;
}

int gg_rank_at(const gg_tuple *t, int at);
gg_node gg_product_at(gg_calc *c, const gg_tuple *t, int at);

/* Loops over the children of node `at`; a leaf is its own only child. `node` is the index of each.
 */
#define GG_EACH_CHILD(node, t, at)                                                                 \
  for (int node = gg_is_tuple((t), (at)) ? (at) + 1 : (at); node < (at) + (t)->nodes[at].span;     \
       node += (t)->nodes[node].span)

#define GG_EACH_LEAF(node, t)                                                                      \
  for (int node = 0; node < (t)->count; node++)                                                    \
    if ((t)->nodes[node].kind != GG_NODE_TUPLE)

/* ---- Shared steps ------------------------------------------------------------------------- */

/* A short text of a value for messages; long ones are cut with "...". */
typedef struct gg_text {
  char text[160];
} gg_text;

gg_text gg_tuple_text(const gg_tuple *t);
gg_text gg_layout_text(const gg_layout *a);

/* Coalesces so that the function stays the same past the layout's end, too. `profile` may be NULL.
 */
gg_status gg_layout_coalesce_x(gg_layout *out, const gg_layout *a, const gg_tuple *profile,
                               gg_error *err);

/* The strides of CuTe's coprofile: a 0 for each mode, or a tree if the strides are bases. */
gg_status gg_coprofile(gg_tuple *out, const gg_tuple *stride, gg_error *err);

/* CuTe's zip2_by: gathers the pairs at the tiler's leaves into ((tiles),(rests)). */
gg_status gg_layout_tile_unzip(gg_layout *out, const gg_layout *a, const gg_tiler *tiler,
                               gg_error *err);

/* Composition, checked only by CuTe's two conditions. */
gg_status gg_compose(gg_layout *out, const gg_layout *a, const gg_layout *b, gg_error *err);

/* Checks that result(i) == a(b(i)) wherever b(i) is inside a; see compose.c. */
gg_status gg_check_composition(const gg_layout *result, const gg_layout *a, const gg_layout *b,
                               gg_error *err);

#endif
