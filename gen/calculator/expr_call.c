/* Calls an operation: finds its row, converts the arguments, runs it, and closes what was opened.
 *
 * The words for a row's arguments:
 *
 *     int      an integer                        ints     trees of integers
 *     tuple    also scaled bases                 coord    trees of integers and `_`
 *     tree     any tree                          shape    trees of integers, or a layout's shape
 *     layout   a plain layout                    any      plain or composed, as it is
 *     lift     also composed, or a tensor: the operation sees the layout inside, and its result
 *              goes back under the same swizzle, offset and base
 *     inner    also composed, or a tensor: only the layout inside counts
 *     tiler    a layout, shape or tuple of such  tensor   a tensor, or a layout at base 0
 *     swizzle  smem  name  mma  copy   a value of that kind
 *     type     bits of an element: an integer, or a type's name such as half_t
 *
 * The rows of a name are tried in order, first with the arguments as they are, then loosely: with a
 * shape as its compact layout, and an MMA atom's name as a tiled MMA. */
#include <stdio.h>
#include <string.h>

#include "atom/atom_name.h"
#include "base/near.h"
#include "calculator/expr.h"
#include "layout/calc.h"

/* ---- Argument words ---------------------------------------------------------------------- */

typedef struct argument_word {
  const char *word, *shown;
  bool (*convert)(gg_value *out, const gg_value *in);
} argument_word;

static bool take_int(gg_value *out, const gg_value *in) {
  int64_t ignored;
  *out = *in;
  return gg_value_as_int(&ignored, in);
}

static bool take_tree(gg_value *out, const gg_value *in) {
  *out = *in;
  return in->kind == GG_VALUE_TUPLE;
}

static bool take_tuple(gg_value *out, const gg_value *in) {
  return take_tree(out, in) && !gg_tuple_has_keep(&in->tuple);
}

static bool take_coord(gg_value *out, const gg_value *in) {
  if (!take_tree(out, in)) return false;
  GG_EACH_LEAF(i, &in->tuple) {
    if (in->tuple.nodes[i].basis_rank) return false;
  }
  return true;
}

static bool take_ints(gg_value *out, const gg_value *in) {
  return take_tuple(out, in) && take_coord(out, in);
}

static bool take_any(gg_value *out, const gg_value *in) {
  out->kind = GG_VALUE_LAYOUT;
  return gg_value_as_layout(&out->layout, in);
}

static bool take_layout(gg_value *out, const gg_value *in) {
  return take_any(out, in) && gg_composed_is_plain(&out->layout);
}

static bool take_inner(gg_value *out, const gg_value *in) {
  out->kind = GG_VALUE_LAYOUT;
  if (in->kind == GG_VALUE_TENSOR) {
    out->layout = gg_composed_of(&in->tensor.layout.layout);
    return true;
  }
  if (!take_any(out, in)) return false;
  out->layout = gg_composed_of(&out->layout.layout);
  return true;
}

static bool take_shape(gg_value *out, const gg_value *in) {
  if (in->kind == GG_VALUE_TUPLE) return take_ints(out, in);
  gg_value layout = {.kind = GG_VALUE_TUPLE};
  if (!take_inner(&layout, in)) return false;
  out->kind = GG_VALUE_TUPLE;
  out->tuple = layout.layout.layout.shape;
  return true;
}

static bool take_tiler(gg_value *out, const gg_value *in) {
  out->kind = GG_VALUE_TILER;
  return gg_value_as_tiler(&out->tiler, in);
}

static bool take_tensor(gg_value *out, const gg_value *in) {
  out->kind = GG_VALUE_TENSOR;
  return gg_value_as_tensor(&out->tensor, in);
}

static bool take_swizzle(gg_value *out, const gg_value *in) {
  *out = *in;
  return in->kind == GG_VALUE_SWIZZLE;
}

static bool take_smem(gg_value *out, const gg_value *in) {
  *out = *in;
  return in->kind == GG_VALUE_SMEM;
}

static bool take_name(gg_value *out, const gg_value *in) {
  *out = *in;
  return in->kind == GG_VALUE_NAME;
}

static bool take_mma(gg_value *out, const gg_value *in) {
  *out = *in;
  return in->kind == GG_VALUE_MMA;
}

static bool take_copy(gg_value *out, const gg_value *in) {
  *out = *in;
  return in->kind == GG_VALUE_COPY;
}

/* Types that no operand here has, and the type names of CuTe's Python. */
static const struct type_name {
  const char *name;
  int bits;
} type_names[] = {
    {"int", 32},      {"unsigned", 32}, {"char", 8},      {"Float64", 64},     {"Float32", 32},
    {"TFloat32", 32}, {"Float16", 16},  {"BFloat16", 16}, {"Float8E4M3FN", 8}, {"Float8E5M2", 8},
    {"Int32", 32},    {"Int8", 8},      {"Uint8", 8},     {"Int4", 4},
};

static bool take_type(gg_value *out, const gg_value *in) {
  char name[GG_ATOM_NAME_ARGUMENT];
  gg_dtype type;
  int bits = 0;
  if (in->kind != GG_VALUE_NAME) return take_int(out, in);
  const char *end = in->name.text + in->name.length, *begin = end;
  while (begin > in->name.text && begin[-1] != ':' && begin[-1] != '.')
    begin--;
  snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
  for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
    if (strcmp(name, type_names[i].name) == 0) bits = type_names[i].bits;
  }
  if (!bits && !gg_atom_argument_type(&type, &bits, name)) return false;
  out->kind = GG_VALUE_TUPLE;
  out->tuple = gg_tuple_int(bits);
  return true;
}

static const argument_word words[] = {
    {"int", "int", take_int},          {"ints", "tuple", take_ints},
    {"tuple", "tuple", take_tuple},    {"coord", "tuple", take_coord},
    {"tree", "tuple", take_tree},      {"layout", "layout", take_layout},
    {"any", "layout", take_any},       {"lift", "layout", take_inner},
    {"inner", "layout", take_inner},   {"tiler", "tiler", take_tiler},
    {"tensor", "tensor", take_tensor}, {"swizzle", "swizzle", take_swizzle},
    {"smem", "smem_ptr", take_smem},   {"name", "name", take_name},
    {"mma", "tiled_mma", take_mma},    {"copy", "tiled_copy", take_copy},
    {"type", "type", take_type},       {"shape", "tuple", take_shape},
};

/* For the loose attempt: the layout or tiled MMA that a value stands for; else the value itself. */
static const gg_value *loosened(gg_value *out, const argument_word *word, gg_value *in,
                                gg_arena *arena) {
  gg_value shape;
  gg_layout compact;
  bool layout = word->convert == take_layout || word->convert == take_any ||
                word->convert == take_inner || word->convert == take_tensor;
  if (layout && take_ints(&shape, in) && !gg_layout_col_major(&compact, &in->tuple, NULL)) {
    *out = (gg_value){.kind = GG_VALUE_LAYOUT, .layout = gg_composed_of(&compact)};
    return out;
  }
  bool mma = word->convert == take_mma && in->kind == GG_VALUE_NAME;
  return mma && !gg_expr_call(out, "tiled_mma", &in, 1, arena, NULL) ? out : in;
}

/* ---- A row's arguments ------------------------------------------------------------------- */

/* Steps through a row's arguments, such as "lift, tiler, [tuple], int...". */
typedef struct argument_list {
  const char *at;
  const argument_word *word; /* of this step */
  bool optional, repeats;
} argument_list;

static bool next_argument(argument_list *list) {
  if (list->repeats && !*list->at) return true;
  if (!*list->at) return false;
  list->at += strspn(list->at, ", ");
  list->optional = *list->at == '[';
  list->at += list->optional;
  size_t length = strcspn(list->at, ",].");
  list->word = NULL;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    bool same = strlen(words[i].word) == length && !memcmp(words[i].word, list->at, length);
    if (same) list->word = &words[i];
  }
  list->at += length;
  list->at += *list->at == ']';
  list->repeats = strncmp(list->at, "...", 3) == 0;
  if (list->repeats) list->at += 3;
  return list->word != NULL;
}

void gg_op_print_arguments(gg_str *out, const gg_op *op) {
  argument_list list = {.at = op->arguments};
  const char *comma = "";
  while (*list.at && next_argument(&list)) {
    gg_str_printf(out, "%s%s%s%s%s", comma, list.optional ? "[" : "", list.word->shown,
                  list.repeats ? "..." : "", list.optional ? "]" : "");
    comma = ", ";
  }
}

/* Converts the arguments as the row asks. Returns the number of the first that does not fit
 * (`count` where one is missing), or -1 where all do. */
static int convert(gg_value **converted, const gg_op *op, gg_value *const *arguments, int count,
                   bool loose, gg_arena *arena) {
  argument_list list = {.at = op->arguments};
  int index = 0;
  while (next_argument(&list)) {
    if (index == count) {
      bool done = list.optional || list.repeats;
      return done && (!list.repeats || index > 0 || list.optional) ? -1 : count;
    }
    gg_value other;
    const gg_value *given = arguments[index];
    if (loose) given = loosened(&other, list.word, arguments[index], arena);
    if (!list.word->convert(converted[index], given)) return index;
    converted[index]->column = arguments[index]->column;
    index++;
  }
  return index == count ? -1 : index;
}

static bool lifts(const gg_op *op) {
  return strncmp(op->arguments, "lift", 4) == 0;
}

/* Puts a plain result back under the swizzle and the base of the first argument. */
static gg_status close_lifted(gg_value *out, const gg_value *first, gg_error *err) {
  if (out->kind != GG_VALUE_LAYOUT) return GG_OK;
  gg_layout layout = out->layout.layout;
  if (first->kind == GG_VALUE_TENSOR) {
    gg_tensor tensor = gg_tensor_with(&first->tensor, &layout);
    out->kind = GG_VALUE_TENSOR;
    out->tensor = tensor;
  } else if (first->kind == GG_VALUE_LAYOUT && !gg_composed_is_plain(&first->layout)) {
    if (first->layout.ptr_bits) {
      return gg_composed_make_smem(&out->layout, first->layout.swizzle, first->layout.ptr_bits,
                                   &layout, err);
    }
    return gg_composed_make(&out->layout, first->layout.swizzle, first->layout.offset, &layout,
                            err);
  }
  return GG_OK;
}

/* ---- Finding ----------------------------------------------------------------------------- */

static const char *unalias(const char *name) {
  for (const gg_op_alias *a = gg_op_aliases; a->alias; a++) {
    if (strcmp(a->alias, name) == 0) return a->name;
  }
  return name;
}

bool gg_expr_is_operation(const char *name) {
  const char *known = unalias(name);
  for (const gg_op *op = gg_ops; op->name; op++) {
    if (strcmp(op->name, known) == 0) return true;
  }
  return false;
}

/* Names that people try, and how to say the same here. */
static const struct hint {
  const char *name, *hint;
} hints[] = {
    {"print", "what an expression gives is printed; --table prints it as a grid"},
    {"print_layout", "--table prints a layout as a grid"},
    {"print_tensor", "--table prints a tensor as a grid"},
    {"print_latex", "--svg FILE draws it"},
    {"print_svg", "--svg FILE draws it"},
    {"display_layout", "--table prints a layout as a grid, --svg FILE draws it"},
    {"get_slice", "partition_A(mma, tensor, thread) takes the thread's number"},
    {"get_thread_slice", "partition_A(mma, tensor, thread) takes the thread's number"},
    {"prefix_product", "compact_col_major(shape) gives compact strides"},
    {"suffix_product", "compact_row_major(shape) gives compact strides"},
    {"inverse", "there are right_inverse and left_inverse"},
    {"transpose", "select<1,0>(L) exchanges two modes"},
    {"permute", "select<2,0,1>(L) puts modes into an order"},
    {"swizzle", "make_swizzle(B, M, S), or Sw<B,M,S>"},
};

static gg_status fail_name(const char *name, gg_error *err) {
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
    if (strcmp(hints[i].name, name) != 0) continue;
    return gg_fail(err, LAYOUT_NAME, NULL, name, "; ", hints[i].hint, "");
  }
  gg_near near;
  gg_near_start(&near, name);
  for (const gg_op *op = gg_ops; op->name; op++)
    gg_near_try(&near, op->name);
  for (const gg_op_alias *a = gg_op_aliases; a->alias; a++)
    gg_near_try(&near, a->alias);
  bool found = near.best[0] != '\0';
  return gg_fail(err, LAYOUT_NAME, NULL, name, found ? "; did you mean '" : "", near.best,
                 found ? "'?" : "");
}

static int most_arguments(const gg_op *op) {
  argument_list list = {.at = op->arguments};
  int count = 0;
  while (*list.at && next_argument(&list))
    count++;
  return list.repeats ? INT32_MAX : count;
}

/* Describes a value for a message; a name with its text. */
static gg_text describe(const gg_value *value) {
  gg_text text;
  if (value->kind == GG_VALUE_NAME) {
    int length = value->name.length < 80 ? (int)value->name.length : 80;
    snprintf(text.text, sizeof text.text, "the name '%.*s'", length, value->name.text);
  } else {
    snprintf(text.text, sizeof text.text, "%s", gg_value_kind_name(value));
  }
  return text;
}

/* The arguments of a call. */
typedef struct attempt {
  gg_value *const *arguments;
  int count;
} attempt;

/* Fails with the rows of the name that accept the most arguments, and where they stop: "argument 2
 * is a layout". */
static gg_status fail_arguments(const char *name, attempt call, int bad, gg_value **scratch,
                                gg_arena *arena, gg_error *err) {
  gg_str shown = GG_STR_INIT;
  int most = 0;
  for (const gg_op *op = gg_ops; op->name; op++) {
    if (strcmp(op->name, name) != 0) continue;
    if (convert(scratch, op, call.arguments, call.count, true, arena) != bad) continue;
    if (shown.length) gg_str_puts(&shown, "; or ");
    gg_op_print_arguments(&shown, op);
    if (most_arguments(op) > most) most = most_arguments(op);
  }
  gg_mark mark = {.column = 0};
  gg_text what = {"missing"};
  if (bad < call.count) {
    mark.column = call.arguments[bad]->column;
    what = bad >= most ? (gg_text){"one too many"} : describe(call.arguments[bad]);
  }
  gg_status st =
      gg_fail(err, LAYOUT_ARGUMENT, &mark, name, gg_str_shown(&shown), bad + 1, what.text);
  gg_str_free(&shown);
  return st;
}

static const gg_op *find(gg_value **converted, const char *name, attempt call, bool loose,
                         int *furthest, gg_arena *arena) {
  for (const gg_op *op = gg_ops; op->name; op++) {
    if (strcmp(op->name, name) != 0) continue;
    int bad = convert(converted, op, call.arguments, call.count, loose, arena);
    if (bad < 0) return op;
    if (bad > *furthest) *furthest = bad;
  }
  return NULL;
}

/* A copy atom that was named together with a type stands for two arguments: the name and the type.
 */
static attempt typed(gg_value **arguments, gg_value *type, attempt call) {
  arguments[0] = call.arguments[0];
  arguments[1] = type;
  *type = (gg_value){.kind = GG_VALUE_TUPLE, .column = arguments[0]->column};
  type->tuple = gg_tuple_int(arguments[0]->name.bits);
  for (int i = 1; i < call.count; i++)
    arguments[i + 1] = call.arguments[i];
  return (attempt){arguments, call.count + 1};
}

gg_status gg_expr_call(gg_value *out, const char *name, gg_value *const *arguments, int count,
                       gg_arena *arena, gg_error *err) {
  size_t room = (size_t)count + 2;
  gg_value **more = GG_ARENA_ARRAY(arena, gg_value *, room);
  gg_value **converted = GG_ARENA_ARRAY(arena, gg_value *, room);
  gg_value *values = GG_ARENA_ARRAY(arena, gg_value, room + 1);
  if (!more || !converted || !values) return gg_fail(err, MEMORY, NULL, "");
  for (size_t i = 0; i < room; i++)
    converted[i] = &values[i];
  attempt calls[2] = {{arguments, count}};
  int attempts = 1, furthest = -1;
  if (count > 0 && arguments[0]->kind == GG_VALUE_NAME && arguments[0]->name.bits) {
    calls[attempts++] = calls[0];
    calls[0] = typed(more, &values[room], calls[0]);
  }
  name = unalias(name);
  for (int i = 0; i < 2 * attempts; i++) {
    attempt call = calls[i % attempts];
    const gg_op *op = find(converted, name, call, i >= attempts, &furthest, arena);
    if (!op) continue;
    out->tile.count = 0;
    gg_status st = op->run(out, converted, call.count, err);
    return st || !lifts(op) || count == 0 ? st : close_lifted(out, arguments[0], err);
  }
  if (furthest < 0) return fail_name(name, err);
  return fail_arguments(name, calls[0], furthest, converted, arena, err);
}
