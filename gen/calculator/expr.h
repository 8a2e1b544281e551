/* The layout calculator: expressions over the whole algebra, with CuTe's names and text forms.
 *
 *     composition((6,2):(8,2), (4,3):(3,1))
 *     local_tile((8,8):(1,8), (4,4), (0,1))
 *     Sw<3,4,3> o 0 o (8,64):(64,1)
 *     make_layout((4,8), (8,1))(2,3)
 *
 *     chain   := term { "o" term }          a swizzle, offset, layout chain; or composition
 *     term    := primary [ ":" primary ]    shape:stride
 *                { "(" modes ")"            a function at a coordinate; with `_` a slice
 *                | "[" modes "]"            a mode; of a tensor, what is at a coordinate
 *                | "." name [ "(" chains ")" ] }     an operation on what stands before it
 *     primary := integer | "_" | "X" | "(" modes ")" | "[" modes "]" | swizzle | pointer
 *              | name [ "<" chains ">" ] [ "(" chains ")" ] [ "{}" ]
 *     modes, chains := [ chain { "," chain } ]
 *
 * A tuple with a layout among its modes is a tiler: (4:1,8:2). Arguments in angle brackets come
 * after the others: upcast<2>(L) is upcast(L, 2). A shape stands for its compact layout, leftmost
 * mode fastest, where no overload takes the shape itself. Where a text writes a static integer as
 * CuTe prints it (_8), the whole text is in that notation, and a plain 8 is dynamic.
 *
 * Operations are the rows of expr_ops.def: name, kinds of the arguments, function, help. */
#ifndef GG_CALCULATOR_EXPR_H
#define GG_CALCULATOR_EXPR_H

#include "atom/tiled_copy.h"
#include "base/arena.h"
#include "calculator/draw.h"
#include "gemmgen.h"
#include "layout/conflicts.h"

typedef enum gg_value_kind {
  GG_VALUE_TUPLE,  /* integers, `_` and trees of them */
  GG_VALUE_LAYOUT, /* plain or composed */
  GG_VALUE_TILER,
  GG_VALUE_SWIZZLE,
  GG_VALUE_SMEM, /* smem_ptr[16b](unset) */
  GG_VALUE_TENSOR,
  GG_VALUE_BOOL,
  GG_VALUE_NAME, /* a word that is no operation: K_SW128, SM80_16x8x16_F32F16F16F32_TN */
  GG_VALUE_MMA,  /* a tiled MMA and a tiled copy, as they were asked for */
  GG_VALUE_COPY,
  GG_VALUE_CONFLICTS, /* bank conflicts: printed as (wavefronts, fewest possible); in full, a table
                       */
} gg_value_kind;

typedef struct gg_value {
  gg_value_kind kind;
  int column;    /* where it begins in the text, from 1; 0: unknown */
  gg_tuple tile; /* of a thread-value layout: its tile; no nodes: unknown */
  union {
    gg_tuple tuple;
    gg_composed layout;
    gg_tiler tiler;
    gg_swizzle swizzle;
    gg_tensor tensor;
    int smem_bits;
    bool truth;
    struct {
      const char *text; /* into the expression, `length` bytes */
      size_t length;
      int bits; /* of an element, where a copy atom was given a type; else 0 */
    } name;
    struct {
      gg_mma_atom atom;
      gg_layout threads;
      gg_tiler permutation;
    } mma;
    struct {
      gg_copy_atom atom;
      int bits;
      gg_layout tv;
      gg_tiler tiler;
    } copy;
    gg_conflicts conflicts;
  };
} gg_value;

/* One operation. `arguments` lists the kinds of its arguments (expr_call.c): words separated by ",
 * ", in square brackets where optional, followed by "..." where the last may repeat. Rows with the
 * same name are overloads, tried in order. */
typedef struct gg_op {
  const char *name, *arguments;
  gg_status (*run)(gg_value *out, gg_value *const *arguments, int count, gg_error *err);
  const char *help;
} gg_op;

extern const gg_op gg_ops[]; /* ends with a zeroed row */

/* Other names of operations, from the languages that CuTe has. */
typedef struct gg_op_alias {
  const char *alias, *name;
} gg_op_alias;

extern const gg_op_alias gg_op_aliases[]; /* ends with a zeroed row */

bool gg_expr_is_operation(const char *name);

/* Evaluates `text`. Intermediate values live in `arena`. `notation` (may be NULL): on entry the
 * least that is wanted, on return how the result should be printed. Errors carry `file` (may be
 * NULL), `line` and the column in the text. */
gg_status gg_expr_eval(gg_value *out, const char *text, const char *file, int line,
                       gg_notation *notation, gg_arena *arena, gg_error *err);

/* A part of an expression whose value is worth showing: a layout, an atom, or what an operation, a
 * coordinate or `o` made. Steps inside of a step come before it in the list. */
typedef struct gg_step {
  const char *begin, *end; /* in the text */
  gg_value value;
} gg_step;

enum { GG_STEPS_MAX = 128 }; /* further steps are left out, except the whole expression */

typedef struct gg_steps {
  gg_step *list[GG_STEPS_MAX]; /* in the arena; the last one is the whole expression */
  int count;
} gg_steps;

/* Evaluates `text` and also lists its steps. */
gg_status gg_expr_steps(gg_steps *out, const char *text, const char *file, int line,
                        gg_notation *notation, gg_arena *arena, gg_error *err);

/* Runs one operation on values. Arguments are converted as the row asks: an integer, tuple or
 * layout to a tiler, a layout to a tensor. Where the row says so, the layout inside of a composed
 * layout or tensor is used, and the result is put back under the same swizzle and base. Where no
 * row of the name takes the arguments, they are tried again with a shape as its compact layout and
 * the name of an MMA atom as a tiled MMA of one atom. */
gg_status gg_expr_call(gg_value *out, const char *name, gg_value *const *arguments, int count,
                       gg_arena *arena, gg_error *err);

void gg_value_print(gg_str *out, const gg_value *value, gg_notation notation);
const char *gg_value_kind_name(const gg_value *value);

/* Checks that a value can be shown. A name must be an atom's; else the error is LAYOUT_NAME or
 * ATOM_NAME, with its place. */
gg_status gg_value_check(const gg_value *value, const char *file, int line, gg_arena *arena,
                         gg_error *err);

/* Lists the thread-value layouts of a value, to be drawn: those of an atom (given by name), a tiled
 * MMA or a tiled copy, or a layout that an operation made of one of these. *count may be 0. */
gg_status gg_value_views(gg_tv_view views[GG_TV_VIEWS], int *count, const gg_value *value,
                         gg_error *err);

/* Append a value's drawing, and its table, as `gemmgen layout` shows them with these options. */
gg_status gg_value_draw(gg_str *svg, const gg_layout_options *options, const gg_value *value,
                        gg_error *err);
gg_status gg_value_table(gg_str *out, const gg_layout_options *options, const gg_value *value,
                         gg_error *err);

/* Appends a row's arguments in words for people: "layout, tiler". */
void gg_op_print_arguments(gg_str *out, const gg_op *op);

/* Copies a name as text. One that is too long is cut; no atom has such a name. Returns `out`. */
enum { GG_VALUE_NAME_MAX = 200 };
const char *gg_value_name(char out[GG_VALUE_NAME_MAX], const gg_value *value);

/* Conversions. False where the value cannot be converted. */
bool gg_value_as_layout(gg_composed *out, const gg_value *value);
bool gg_value_as_tiler(gg_tiler *out, const gg_value *value);
bool gg_value_as_tensor(gg_tensor *out, const gg_value *value);
bool gg_value_as_int(int64_t *out, const gg_value *value);

#endif
