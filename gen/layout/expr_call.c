/* Calling an operation: find the row, convert the arguments, run, close what was opened.
 *
 * The words of a row's arguments:
 *
 *     int      an integer                        ints     trees of integers
 *     tuple    also scaled bases                 coord    trees of integers and `_`
 *     tree     any tree
 *     layout   a plain layout                    any      plain or composed, as it is
 *     lift     also composed, or a tensor: the operation sees the layout inside, and its result
 *              goes back under the same swizzle, offset and base
 *     inner    also composed: only the layout inside counts
 *     tiler    a layout, shape or tuple of such  tensor   a tensor, or a layout at base 0
 *     swizzle  smem  name  mma  copy   what they say
 *     type     bits of an element: an integer, or a type's name such as half_t */
#include <string.h>

#include "atom/atom_name.h"
#include "layout/calc.h"
#include "layout/expr.h"

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
  if (!take_any(out, in)) return false;
  out->layout = gg_composed_of(&out->layout.layout);
  return true;
}

static bool take_lift(gg_value *out, const gg_value *in) {
  if (in->kind != GG_VALUE_TENSOR) return take_inner(out, in);
  out->kind = GG_VALUE_LAYOUT;
  out->layout = gg_composed_of(&in->tensor.layout.layout);
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

static bool take_type(gg_value *out, const gg_value *in) {
  char name[GG_ATOM_NAME_ARGUMENT];
  gg_dtype type;
  int bits;
  if (in->kind != GG_VALUE_NAME) return take_int(out, in);
  if (in->name.length >= sizeof name) return false;
  memcpy(name, in->name.text, in->name.length);
  name[in->name.length] = '\0';
  if (!gg_atom_argument_type(&type, &bits, name)) return false;
  out->kind = GG_VALUE_TUPLE;
  out->tuple = gg_tuple_int(bits);
  return true;
}

static const argument_word words[] = {
    {"int", "int", take_int},          {"ints", "tuple", take_ints},
    {"tuple", "tuple", take_tuple},    {"coord", "tuple", take_coord},
    {"tree", "tuple", take_tree},      {"layout", "layout", take_layout},
    {"any", "layout", take_any},       {"lift", "layout", take_lift},
    {"inner", "layout", take_inner},   {"tiler", "tiler", take_tiler},
    {"tensor", "tensor", take_tensor}, {"swizzle", "swizzle", take_swizzle},
    {"smem", "smem_ptr", take_smem},   {"name", "name", take_name},
    {"mma", "tiled_mma", take_mma},    {"copy", "tiled_copy", take_copy},
    {"type", "type", take_type},
};

/* ---- A row's arguments ------------------------------------------------------------------- */

/* Steps through "lift, tiler, [tuple], int...". */
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

/* Converts the arguments as the row asks; gives the number of the first that does not fit
 * (`count` where one is missing), or -1 when all do. */
static int convert(gg_value **converted, const gg_op *op, gg_value *const *arguments, int count) {
  argument_list list = {.at = op->arguments};
  int index = 0;
  while (next_argument(&list)) {
    if (index == count) {
      bool done = list.optional || list.repeats;
      return done && (!list.repeats || index > 0 || list.optional) ? -1 : count;
    }
    converted[index]->column = arguments[index]->column;
    if (!list.word->convert(converted[index], arguments[index])) return index;
    index++;
  }
  return index == count ? -1 : index;
}

static bool lifts(const gg_op *op) {
  return strncmp(op->arguments, "lift", 4) == 0;
}

/* A plain result goes back under the swizzle and the base of the first argument. */
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

static int distance(const char *a, const char *b) {
  enum { longest = 40 };
  int row[longest + 1], n = (int)strlen(a), m = (int)strlen(b);
  if (n > longest || m > longest) return longest;
  for (int j = 0; j <= m; j++)
    row[j] = j;
  for (int i = 1; i <= n; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= m; j++) {
      int keep = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = keep < step ? keep : step;
    }
  }
  return row[m];
}

static gg_status fail_name(const char *name, gg_error *err) {
  const gg_op *nearest = NULL;
  int best = (int)strlen(name) / 3 + 2; /* further is no hint */
  for (const gg_op *op = gg_ops; op->name; op++) {
    int d = distance(name, op->name);
    if (d < best) {
      best = d;
      nearest = op;
    }
  }
  return gg_fail(err, LAYOUT_NAME, NULL, name, nearest ? "; did you mean '" : "",
                 nearest ? nearest->name : "", nearest ? "'?" : "");
}

static int most_arguments(const gg_op *op) {
  argument_list list = {.at = op->arguments};
  int count = 0;
  while (*list.at && next_argument(&list))
    count++;
  return list.repeats ? INT32_MAX : count;
}

static gg_status fail_arguments(const gg_op *op, gg_value *const *arguments, int count, int bad,
                                gg_error *err) {
  gg_str shown = GG_STR_INIT;
  gg_op_print_arguments(&shown, op);
  gg_mark mark = {.column = bad < count ? arguments[bad]->column : 0};
  const char *what = bad < count ? gg_value_kind_name(arguments[bad]) : "missing";
  if (bad < count && bad >= most_arguments(op)) what = "one too many";
  gg_status st =
      gg_fail(err, LAYOUT_ARGUMENT, &mark, op->name, gg_str_shown(&shown), bad + 1, what);
  gg_str_free(&shown);
  return st;
}

gg_status gg_expr_call(gg_value *out, const char *name, gg_value *const *arguments, int count,
                       gg_arena *arena, gg_error *err) {
  gg_value **converted = GG_ARENA_ARRAY(arena, gg_value *, (size_t)count + 1);
  gg_value *values = GG_ARENA_ARRAY(arena, gg_value, (size_t)count + 1);
  if (!converted || !values) return gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < count; i++)
    converted[i] = &values[i];
  const gg_op *closest = NULL;
  int furthest = -1;
  for (const gg_op *op = gg_ops; op->name; op++) {
    if (strcmp(op->name, name) != 0) continue;
    int bad = convert(converted, op, arguments, count);
    if (bad < 0) {
      gg_status st = op->run(out, converted, count, err);
      return st || !lifts(op) || count == 0 ? st : close_lifted(out, arguments[0], err);
    }
    if (bad > furthest) {
      furthest = bad;
      closest = op;
    }
  }
  return closest ? fail_arguments(closest, arguments, count, furthest, err) : fail_name(name, err);
}
