/* Int tuples: trees of int64, the shapes, strides, coordinates and profiles of the layout algebra.
 *
 * A tuple is a value: no allocation, no owner, copied by assignment. It is a flat array of nodes
 * in pre-order; each node knows how many nodes its subtree spans, so that child and sibling are
 * index arithmetic and a subtree is a contiguous slice. A lone integer is a tuple of depth 0:
 * `4` and `(4)` differ (rank 1 both, depth 0 and 1), as in CuTe.
 *
 * A leaf is an integer, `_` (keep this mode; X in a projection), or a scaled basis v@p@q: v times
 * the unit vector of mode p of mode q, the stride of a coordinate (CuTe prints the path innermost
 * first: E<1,0> is 1@0@1). An integer is static unless marked dynamic: the algebra knows dynamic
 * ones only so far as CuTe's results depend on the difference.
 *
 * Conventions: everything is colexicographic (the leftmost mode runs fastest). `out` comes first
 * and may be one of the inputs; on an error it is left as it was. Division truncates, as in C.
 * Source: CuTe's int_tuple.hpp, stride.hpp, underscore.hpp, arithmetic_tuple.hpp. */
#ifndef GG_LAYOUT_TUPLE_H
#define GG_LAYOUT_TUPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
  GG_TUPLE_NODES = 64, /* of one tree, leaves and tuples together; more is LAYOUT_CAPACITY */
  GG_BASIS_RANK = 4,   /* the longest basis path */
};

typedef enum gg_node_kind { GG_NODE_TUPLE, GG_NODE_INT, GG_NODE_KEEP } gg_node_kind;

typedef struct gg_node {
  int64_t value;                /* of an integer */
  uint8_t kind;                 /* gg_node_kind */
  uint8_t span;                 /* nodes of this subtree, itself included; 1 for a leaf */
  uint8_t dynamic;              /* a run-time integer in CuTe's terms */
  uint8_t basis_rank;           /* 0: a plain integer */
  uint8_t basis[GG_BASIS_RANK]; /* the path, outermost mode first: E<1,0> is {1, 0} */
} gg_node;

typedef struct gg_tuple {
  gg_node nodes[GG_TUPLE_NODES];
  int count; /* nodes in use, nodes[0].span */
} gg_tuple;

/* ---- Making ----------------------------------------------------------------------------- */

gg_tuple gg_tuple_int(int64_t value); /* depth 0 */
gg_tuple gg_tuple_keep(void);         /* `_` */
gg_tuple gg_tuple_empty(void);        /* `()` */

/* A flat tuple of `rank` integers; rank 0 gives `()`. At most GG_TUPLE_NODES - 1 of them. */
gg_tuple gg_tuple_make(int rank, const int64_t *values);

/* GG_TUPLE(4, 8) is (4,8). For nested ones gg_tuple_parse reads best. */
#define GG_TUPLE(...)                                                                              \
  gg_tuple_make((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})

/* The tuple (a,b): each keeps its own structure. */
gg_status gg_tuple_pair(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err);

/* A tuple of `count` copies of x, and a tree of the profile of `like` with x at each leaf. */
gg_status gg_tuple_repeat(gg_tuple *out, int count, const gg_tuple *x, gg_error *err);
gg_status gg_tuple_repeat_like(gg_tuple *out, const gg_tuple *like, const gg_tuple *x,
                               gg_error *err);

/* The unit vectors of a shape, congruent to it: (4,(2,3)) gives (1@0,(1@0@1,1@1@1)). */
gg_status gg_tuple_basis_like(gg_tuple *out, const gg_tuple *shape, gg_error *err);

/* ---- Asking ----------------------------------------------------------------------------- */

bool gg_tuple_is_int(const gg_tuple *t); /* depth 0 (`_` included) */
int gg_tuple_rank(const gg_tuple *t);    /* modes at the top; 1 for an integer */
int gg_tuple_depth(const gg_tuple *t);   /* 0 for an integer */
int gg_tuple_leaves(const gg_tuple *t);  /* leaves of the tree */
bool gg_tuple_has_keep(const gg_tuple *t);

/* The node of child `index` of node `at`; the leaf itself for child 0 of a leaf. The caller
 * knows that it is there. */
int gg_tuple_child(const gg_tuple *t, int at, int index);

/* The integer of mode `index` at the top, for tuples known to be flat: a shape (M,N,K). */
int64_t gg_tuple_value(const gg_tuple *t, int index);

bool gg_tuple_equal(const gg_tuple *a, const gg_tuple *b); /* same tree, same leaves */
bool gg_tuple_congruent(const gg_tuple *a, const gg_tuple *b);
bool gg_tuple_weakly_congruent(const gg_tuple *a, const gg_tuple *b);

/* b has the size of a at each leaf of a. */
gg_status gg_tuple_compatible(bool *out, const gg_tuple *a, const gg_tuple *b, gg_error *err);
/* `shape` divides into whole tiles of the shape `tile`. */
gg_status gg_tuple_evenly_divides(bool *out, const gg_tuple *shape, const gg_tuple *tile,
                                  gg_error *err);

/* Lexicographic, colexicographic and element-wise (all) order of coordinates. */
bool gg_tuple_lex_less(const gg_tuple *a, const gg_tuple *b);
bool gg_tuple_colex_less(const gg_tuple *a, const gg_tuple *b);
bool gg_tuple_elem_less(const gg_tuple *a, const gg_tuple *b);

/* ---- Arithmetic ------------------------------------------------------------------------- */

gg_status gg_tuple_product(int64_t *out, const gg_tuple *t, gg_error *err); /* 1 for `()` */
gg_status gg_tuple_product_each(gg_tuple *out, const gg_tuple *t, gg_error *err);
/* The products of t at the leaves of guide, which t refines. */
gg_status gg_tuple_product_like(gg_tuple *out, const gg_tuple *t, const gg_tuple *guide,
                                gg_error *err);
gg_status gg_tuple_sum(int64_t *out, const gg_tuple *t, gg_error *err);
gg_status gg_tuple_inner_product(int64_t *out, const gg_tuple *a, const gg_tuple *b, gg_error *err);

/* By mode where b is a tuple (missing modes count as 1); an integer b is divided out from the
 * left: ceil_div((6,8), 4) is (2,8). shape_div also demands that one divides the other. */
gg_status gg_tuple_ceil_div(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err);
gg_status gg_tuple_shape_div(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err);
gg_status gg_tuple_round_up(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err);
gg_status gg_tuple_elem_scale(gg_tuple *out, const gg_tuple *a, const gg_tuple *b, gg_error *err);

/* shape with 1 where `stride` is a static 0; each leaf of stride covers its subtree of shape. */
gg_status gg_tuple_filter_zeros(gg_tuple *out, const gg_tuple *stride, const gg_tuple *shape,
                                gg_error *err);

/* ---- Structure -------------------------------------------------------------------------- */

/* Mode `index`; an integer is its own mode 0. gg_tuple_at follows a path of modes. */
gg_status gg_tuple_get(gg_tuple *out, const gg_tuple *t, int index, gg_error *err);
gg_status gg_tuple_at(gg_tuple *out, const gg_tuple *t, const gg_tuple *path, gg_error *err);

gg_status gg_tuple_take(gg_tuple *out, const gg_tuple *t, int begin, int end, gg_error *err);
gg_status gg_tuple_select(gg_tuple *out, const gg_tuple *t, const gg_tuple *modes, gg_error *err);
gg_status gg_tuple_group(gg_tuple *out, const gg_tuple *t, int begin, int end, gg_error *err);
gg_status gg_tuple_append(gg_tuple *out, const gg_tuple *t, const gg_tuple *x, gg_error *err);
gg_status gg_tuple_prepend(gg_tuple *out, const gg_tuple *t, const gg_tuple *x, gg_error *err);
/* Up to rank `rank` with copies of x; more modes than that is an error. */
gg_status gg_tuple_append_to(gg_tuple *out, const gg_tuple *t, int rank, const gg_tuple *x,
                             gg_error *err);
gg_status gg_tuple_prepend_to(gg_tuple *out, const gg_tuple *t, int rank, const gg_tuple *x,
                              gg_error *err);
gg_status gg_tuple_replace(gg_tuple *out, const gg_tuple *t, int index, const gg_tuple *x,
                           gg_error *err);
gg_status gg_tuple_insert(gg_tuple *out, const gg_tuple *t, int index, const gg_tuple *x,
                          gg_error *err);
gg_status gg_tuple_remove(gg_tuple *out, const gg_tuple *t, int index, gg_error *err);
gg_tuple gg_tuple_reverse(const gg_tuple *t); /* of the top modes */
gg_tuple gg_tuple_flatten(const gg_tuple *t); /* depth at most 1; an integer stays one */
gg_tuple gg_tuple_unwrap(const gg_tuple *t);  /* ((4)) is 4 */
gg_status gg_tuple_wrap(gg_tuple *out, const gg_tuple *t, gg_error *err); /* 4 is (4) */
/* A flat tuple in the tree of `profile`, which has as many leaves. */
gg_status gg_tuple_unflatten(gg_tuple *out, const gg_tuple *t, const gg_tuple *profile,
                             gg_error *err);

/* Modes of t where coord has `_` (slice) or has an integer (dice), without their nesting. */
gg_status gg_tuple_slice(gg_tuple *out, const gg_tuple *coord, const gg_tuple *t, gg_error *err);
gg_status gg_tuple_dice(gg_tuple *out, const gg_tuple *coord, const gg_tuple *t, gg_error *err);

/* ((a,b),(x,y)) is ((a,x),(b,y)). */
gg_status gg_tuple_zip(gg_tuple *out, const gg_tuple *t, gg_error *err);

/* ---- Coordinates ------------------------------------------------------------------------ */

/* The offset of a coordinate: an integer, or a coordinate tuple where the strides are bases.
 * A scalar coordinate of a tuple shape counts colexicographically; `_` counts as 0. */
gg_status gg_crd2idx(gg_tuple *out, const gg_tuple *coord, const gg_tuple *shape,
                     const gg_tuple *stride, gg_error *err);
/* The colexicographic index of a coordinate within a shape. */
gg_status gg_crd2idx_colex(gg_tuple *out, const gg_tuple *coord, const gg_tuple *shape,
                           gg_error *err);
/* The coordinate of a colexicographic index; the last mode is unbounded. */
gg_status gg_idx2crd(gg_tuple *out, const gg_tuple *index, const gg_tuple *shape, gg_error *err);
/* The coordinate of a codomain offset, (index / stride) % shape a mode: an inverse only where
 * the layout is compact. A stride 0 at a mode that is not 1 is LAYOUT_ZERO. */
gg_status gg_idx2crd_stride(gg_tuple *out, const gg_tuple *index, const gg_tuple *shape,
                            const gg_tuple *stride, gg_error *err);
gg_status gg_crd2crd(gg_tuple *out, const gg_tuple *coord, const gg_tuple *from, const gg_tuple *to,
                     gg_error *err);

/* Compact strides: the leftmost or rightmost mode fastest, starting at `current` (an integer, or
 * a tuple: a start a mode); modes of size 1 have stride 0. */
gg_status gg_compact_col_major(gg_tuple *out, const gg_tuple *shape, const gg_tuple *current,
                               gg_error *err);
gg_status gg_compact_row_major(gg_tuple *out, const gg_tuple *shape, const gg_tuple *current,
                               gg_error *err);
/* Compact strides where modes of lower order are faster; ties start alike. */
gg_status gg_compact_order(gg_tuple *out, const gg_tuple *shape, const gg_tuple *order,
                           gg_error *err);

/* ---- Text ------------------------------------------------------------------------------- */

/* How integers are written: plainly (all static), or as CuTe prints them (_8 static, 8 dynamic). */
typedef enum gg_notation { GG_NOTATION_PLAIN, GG_NOTATION_CUTE } gg_notation;

void gg_tuple_print(gg_str *out, const gg_tuple *t, gg_notation notation);
gg_status gg_tuple_parse(gg_tuple *out, const char *text, gg_error *err);

#endif
