/* What begins with a word: calls, and the ways in which CuTe's languages spell values.
 *
 *     make_layout((4,8), (8,1))     composition(A, B)      the calculator's own, and CuTe's
 *     cute::make_layout(make_shape(Int<4>{}, _8{}), LayoutRight{})              C++ functions
 *     Layout<Shape<_4,_8>, Stride<_8,_1>>{}          Copy_Atom<UniversalCopy<float>, float>   types
 *     cute.make_layout((4, 8), stride=(8, 1))        cute.size(L, mode=[0])             the DSL
 *     smem_ptr[16b](0x7f0000000400) o (8,64):(64,1)                          what CuTe prints
 *
 * Namespaces do not count. Template arguments come after the others; those of a type, a name that
 * starts with a capital, are all it has. */
#include <ctype.h>
#include <string.h>

#include "calculator/expr_parser.h"
#include "layout/calc.h"

/* ---- Names -------------------------------------------------------------------------------- */

typedef struct word {
  const char *text;
  size_t length;
} word;

static bool is(word w, const char *text) {
  return strlen(text) == w.length && memcmp(w.text, text, w.length) == 0;
}

/* Reads words joined by "::" or ".". Returns the whole name; *last: its last word. Blanks in front
 * of a bracket are skipped, since CuTe's headers write make_shape (2,3). */
static word read_name(gg_parser *p, word *last) {
  const char *start = p->at, *begin = start;
  for (;;) {
    while (gg_is_word(*p->at))
      p->at++;
    int separator = p->at[0] == '.' ? 1 : p->at[0] == ':' && p->at[1] == ':' ? 2 : 0;
    if (!separator || !gg_is_word(p->at[separator])) break;
    p->at += separator;
    begin = p->at;
  }
  *last = (word){begin, (size_t)(p->at - begin)};
  word whole = {start, (size_t)(p->at - start)};
  const char *bracket = p->at + strspn(p->at, " ");
  if (*bracket == '(' || *bracket == '<') p->at = bracket;
  return whole;
}

enum { longest_name = 64 };

/* Copies a name as text. One that is too long is cut; no operation has such a name. */
static const char *text_of(char out[longest_name], word w) {
  size_t length = w.length < longest_name ? w.length : longest_name - 1;
  memcpy(out, w.text, length);
  out[length] = '\0';
  return out;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

typedef struct call {
  gg_value *arguments[gg_expr_arguments];
  int count;
} call;

static gg_status push(gg_parser *p, call *c, gg_value *value) {
  if (c->count == gg_expr_arguments) return gg_parser_fail(p, "at most 16 arguments");
  c->arguments[c->count++] = value;
  return GG_OK;
}

static gg_status push_all(gg_parser *p, call *c, const call *more) {
  gg_status st = GG_OK;
  for (int i = 0; !st && i < more->count; i++)
    st = push(p, c, more->arguments[i]);
  return st;
}

/* The DSL's keywords, and as which arguments each may stand. `mode` is a path of modes and may
 * stand anywhere behind the first argument. */
static const struct keyword {
  const char *name;
  unsigned places; /* bit i: as argument i */
} keywords[] = {
    {"shape", 1 << 0 | 1 << 1},
    {"stride", 1 << 1 | 1 << 2},
    {"order", 1 << 1 | 1 << 2},
    {"tiler", 1 << 1},
    {"cotarget", 1 << 1},
    {"target_profile", 1 << 1},
    {"trg_shape", 1 << 1},
    {"inner", 1 << 0},
    {"offset", 1 << 1},
    {"outer", 1 << 2},
    {"coord", 1 << 1 | 1 << 2},
    {"proj", 1 << 3},
    {"mode", ~1u},
};

/* Reads a keyword in front of an argument: "stride=". */
static gg_status read_keyword(gg_parser *p, int place, bool *is_mode) {
  const char *start = p->at, *end = start;
  while (gg_is_word(*end))
    end++;
  const char *equals = end + strspn(end, " ");
  *is_mode = false;
  if (end == start || equals[0] != '=' || equals[1] == '=') return GG_OK;
  word name = {start, (size_t)(end - start)};
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    if (!is(name, keywords[i].name) || !(keywords[i].places >> place & 1)) continue;
    *is_mode = is(name, "mode");
    p->at = equals + 1;
    return GG_OK;
  }
  return gg_parser_fail(p, "an argument in its place, without a keyword");
}

/* Adds the modes of a path, each as an argument of its own. */
static gg_status push_path(gg_parser *p, call *c, const gg_value *path) {
  gg_status st = GG_OK;
  if (path->kind != GG_VALUE_TUPLE) return push(p, c, (gg_value *)path);
  GG_EACH_LEAF(i, &path->tuple) {
    gg_value *mode = gg_parser_value(p, &st);
    if (!mode) return st;
    *mode = (gg_value){.kind = GG_VALUE_TUPLE, .column = path->column};
    mode->tuple = gg_tuple_sub(&path->tuple, i);
    if ((st = push(p, c, mode))) return st;
  }
  return GG_OK;
}

/* Reads arguments from behind the opening bracket up to `close`. */
static gg_status parse_arguments(gg_parser *p, call *c, char close) {
  gg_status st = GG_OK;
  if (gg_parser_accept(p, close)) return GG_OK;
  do {
    bool is_mode;
    gg_value *value = gg_parser_value(p, &st);
    if (!value) return st;
    gg_parser_blanks(p);
    if ((st = read_keyword(p, c->count, &is_mode)) || (st = gg_parse_chain(p, value))) return st;
    if ((st = is_mode ? push_path(p, c, value) : push(p, c, value))) return st;
  } while (gg_parser_accept(p, ','));
  if (gg_parser_accept(p, close)) return GG_OK;
  return gg_parser_fail(p, close == ')' ? "',' or ')'" : "',' or '>'");
}

/* ---- Values of one word ------------------------------------------------------------------- */

/* Parses Sw<B,M,S> from behind the name. */
static gg_status parse_swizzle(gg_parser *p, gg_value *out, const char *start) {
  int64_t parts[3];
  gg_status st;
  for (int i = 0; i < 3; i++) {
    if (!gg_parser_accept(p, i ? ',' : '<')) return gg_parser_fail(p, i ? "','" : "'<'");
    if ((st = gg_parse_integer(p, &parts[i]))) return st;
  }
  if (!gg_parser_accept(p, '>')) return gg_parser_fail(p, "'>'");
  gg_parser_braces(p);
  out->kind = GG_VALUE_SWIZZLE;
  st = gg_swizzle_make(&out->swizzle, parts[0], parts[1], parts[2], p->err);
  return gg_parser_place(p, st, start);
}

/* Parses smem_ptr[16b](unset) from behind the name. An address may stand in place of `unset`; it is
 * ignored. */
static gg_status parse_pointer(gg_parser *p, gg_value *out, bool smem) {
  int64_t bits;
  gg_status st;
  if (!gg_parser_accept(p, '[')) return gg_parser_fail(p, "'['");
  if ((st = gg_parse_integer(p, &bits))) return st;
  if (bits < 1 || bits > 1024) return gg_parser_fail(p, "at most 1024 bits");
  if (!gg_parser_accept(p, 'b') || !gg_parser_accept(p, ']')) return gg_parser_fail(p, "'b]'");
  size_t digits = strncmp(p->at, "(0x", 3) == 0 ? strspn(p->at + 3, "0123456789abcdef") : 0;
  size_t length = strncmp(p->at, "(unset)", 7) == 0 ? 7 : digits ? digits + 4 : 0;
  if (!length || p->at[length - 1] != ')') return gg_parser_fail(p, "'(unset)' or an address");
  p->at += length;
  out->kind = smem ? GG_VALUE_SMEM : GG_VALUE_TUPLE;
  if (smem) {
    out->smem_bits = (int)bits;
  } else {
    out->tuple = gg_tuple_int(0);
  }
  return GG_OK;
}

/* Parses Int<8> or E<0,1> from behind the name. */
static gg_status parse_constant(gg_parser *p, gg_value *out, bool basis) {
  gg_node leaf = gg_leaf(basis);
  int64_t value;
  gg_status st;
  p->at++; /* < */
  do {
    if ((st = gg_parse_integer(p, &value))) return st;
    bool path = value >= 0 && value < GG_TUPLE_NODES && leaf.basis_rank < GG_BASIS_RANK;
    if (basis && !path) return gg_parser_fail(p, "a basis of at most 4 modes below 64");
    if (basis) {
      leaf.basis[leaf.basis_rank++] = (uint8_t)value;
    } else {
      leaf.value = value;
    }
  } while (basis && gg_parser_accept(p, ','));
  if (!gg_parser_accept(p, '>')) return gg_parser_fail(p, "'>'");
  gg_parser_braces(p);
  out->kind = GG_VALUE_TUPLE;
  out->tuple = gg_tuple_int(0);
  out->tuple.nodes[0] = leaf;
  return GG_OK;
}

/* Whether the word only says what a tuple is for, as make_shape does; the tuple is the same. */
static bool makes_tuple(word name) {
  static const char *const makers[] = {
      "make_shape", "make_stride", "make_coord",     "make_step",
      "make_tile",  "make_tuple",  "make_int_tuple", "make_inttuple_iter",
      "ArithTuple", "Shape",       "Stride",         "Coord",
      "Step",       "Tile",        "tuple",
  };
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
    if (is(name, makers[i])) return true;
  }
  return false;
}

/* Whether a name is a constant such as cute::_8. */
static bool is_constant(word name) {
  bool digits = name.length > 1 && name.text[0] == '_';
  for (size_t i = 1; i < name.length; i++)
    digits &= isdigit((unsigned char)name.text[i]) != 0;
  return digits;
}

static gg_status read_constant(gg_parser *p, gg_value *out, word name) {
  gg_parser integer = *p; /* reads the digits again */
  int64_t value = 0;
  integer.at = name.text + 1;
  gg_status st = gg_parse_integer(&integer, &value);
  out->kind = GG_VALUE_TUPLE;
  out->tuple = gg_tuple_int(value);
  gg_parser_braces(p);
  return st;
}

/* Parses values that no operation makes. False where `name` is none of them. */
static bool parse_special(gg_parser *p, gg_value *out, word name, gg_status *st) {
  char next = *p->at;
  if (is(name, "X") || is(name, "None")) {
    out->kind = GG_VALUE_TUPLE;
    out->tuple = gg_tuple_keep();
    *st = GG_OK;
  } else if (is_constant(name)) {
    *st = read_constant(p, out, name);
  } else if (is(name, "Sw") || ((is(name, "S") || is(name, "Swizzle")) && next == '<')) {
    *st = parse_swizzle(p, out, name.text);
  } else if (is(name, "smem_ptr")) {
    *st = parse_pointer(p, out, true);
  } else if (next == '[' && (is(name, "gmem_ptr") || is(name, "rmem_ptr") || is(name, "ptr"))) {
    *st = parse_pointer(p, out, false);
  } else if (next == '<' && (is(name, "Int") || is(name, "C") || is(name, "E"))) {
    *st = parse_constant(p, out, is(name, "E"));
  } else if ((next == '(' || next == '<') && makes_tuple(name)) {
    p->at++;
    *st = gg_parse_modes(p, out, next == '(' ? ')' : '>');
    gg_parser_braces(p);
  } else {
    return false;
  }
  return true;
}

/* ---- Calls -------------------------------------------------------------------------------- */

/* Whether a name is like GMMA::Layout_K_SW128_Atom<half_t>{}, which means smem_atom(K_SW128,
 * half_t). */
static bool is_smem_tile(word *tile, word name) {
  static const char begin[] = "Layout_", end[] = "_Atom";
  size_t head = sizeof begin - 1, tail = sizeof end - 1;
  if (name.length <= head + tail || memcmp(name.text, begin, head) != 0) return false;
  if (memcmp(name.text + name.length - tail, end, tail) != 0) return false;
  *tile = (word){name.text + head, name.length - head - tail};
  return true;
}

static gg_status parse_smem_tile(gg_parser *p, gg_value *out, word tile) {
  gg_status st = GG_OK;
  gg_value *name = gg_parser_value(p, &st);
  if (!name) return st;
  name->kind = GG_VALUE_NAME;
  name->column = gg_parser_column(p, tile.text);
  name->name.text = tile.text;
  name->name.length = tile.length;
  call c = {.arguments = {name}, .count = 1};
  p->at++; /* < */
  if ((st = parse_arguments(p, &c, '>'))) return st;
  gg_parser_braces(p);
  st = gg_expr_call(out, "smem_atom", c.arguments, c.count, p->arena, p->err);
  return gg_parser_place(p, st, tile.text);
}

/* Parses a name that is no operation, with the template arguments behind it: UniversalCopy<float>.
 * If round brackets follow, it was meant to be an operation, and is an error. */
static gg_status parse_bare(gg_parser *p, gg_value *out, word whole, const char *name) {
  int open = 0;
  while (*p->at == '<' || (open > 0 && *p->at)) {
    open += (*p->at == '<') - (*p->at == '>');
    p->at++;
  }
  if (open > 0) return gg_parser_fail(p, "'>'");
  out->kind = GG_VALUE_NAME;
  out->name.text = whole.text;
  out->name.length = (size_t)(p->at - whole.text);
  out->name.bits = 0;
  gg_parser_braces(p);
  if (*p->at != '(') return GG_OK;
  return gg_parser_place(p, gg_expr_call(out, name, NULL, 0, p->arena, p->err), whole.text);
}

gg_status gg_parse_name(gg_parser *p, gg_value *out) {
  word name, whole = read_name(p, &name), tile;
  char text[longest_name];
  call templates = {.count = 0}, arguments = {.count = 0};
  gg_status st;
  if (parse_special(p, out, name, &st)) return st;
  if (*p->at == '<' && is_smem_tile(&tile, name)) return parse_smem_tile(p, out, tile);
  bool called = *p->at == '(', known = gg_expr_is_operation(text_of(text, name));
  if (!called && !(known && *p->at == '<')) return parse_bare(p, out, whole, text);
  if (!called) {
    p->at++; /* < */
    if ((st = parse_arguments(p, &templates, '>'))) return st;
    gg_parser_braces(p);
    bool type = isupper((unsigned char)*name.text);
    called = *p->at == '(' && !type;
    if (!called && !type) return gg_parser_fail(p, "'('");
  }
  if (called) {
    p->at++; /* ( */
    if ((st = parse_arguments(p, &arguments, ')'))) return st;
  }
  if ((st = push_all(p, &arguments, &templates))) return st;
  st = gg_expr_call(out, text, arguments.arguments, arguments.count, p->arena, p->err);
  return gg_parser_place(p, st, whole.text);
}

/* ---- Applications ------------------------------------------------------------------------- */

/* Applies value(1,2) or tensor[1,2]: the element at a coordinate, or the modes that the coordinate
 * keeps. */
static gg_status apply(gg_parser *p, gg_value *value, char close) {
  const char *start = p->at - 1;
  gg_status st = GG_OK;
  gg_value *function = gg_parser_value(p, &st), *coord = function ? gg_parser_value(p, &st) : NULL;
  if (!coord) return st;
  gg_parser_blanks(p);
  coord->column = gg_parser_column(p, p->at);
  if ((st = gg_parse_modes(p, coord, close))) return st;
  if (coord->kind != GG_VALUE_TUPLE) {
    p->at = start + 1;
    return gg_parser_fail(p, "a coordinate");
  }
  if (gg_tuple_rank(&coord->tuple) == 1 && gg_is_tuple(&coord->tuple, 0)) {
    coord->tuple = gg_tuple_sub(&coord->tuple, 1);
  }
  *function = *value;
  gg_value *swizzled[] = {function, coord}, *at[] = {coord, function};
  if (function->kind == GG_VALUE_SWIZZLE) {
    st = gg_expr_call(value, "apply", swizzled, 2, p->arena, p->err);
  } else {
    const char *op = gg_tuple_has_keep(&coord->tuple) ? "slice" : "crd2idx";
    st = gg_expr_call(value, op, at, 2, p->arena, p->err);
  }
  return gg_parser_place(p, st, start);
}

/* Applies value.operation<I>(arguments), from behind the point. The brackets may be left out where
 * they would be empty. */
static gg_status apply_method(gg_parser *p, gg_value *value) {
  gg_status st = GG_OK;
  gg_value *self = gg_parser_value(p, &st);
  if (!self) return st;
  *self = *value;
  word name, whole = read_name(p, &name);
  char text[longest_name];
  call c = {.arguments = {self}, .count = 1}, templates = {.count = 0};
  if (gg_parser_accept(p, '<') && (st = parse_arguments(p, &templates, '>'))) return st;
  if (gg_parser_accept(p, '(') && (st = parse_arguments(p, &c, ')'))) return st;
  if ((st = push_all(p, &c, &templates))) return st;
  st = gg_expr_call(value, text_of(text, name), c.arguments, c.count, p->arena, p->err);
  return gg_parser_place(p, st, whole.text);
}

/* Applies value[1]: takes a mode. */
static gg_status apply_index(gg_parser *p, gg_value *value) {
  const char *start = p->at - 1;
  gg_status st = GG_OK;
  gg_value *self = gg_parser_value(p, &st);
  if (!self) return st;
  *self = *value;
  call c = {.arguments = {self}, .count = 1};
  gg_value *path = gg_parser_value(p, &st);
  if (!path) return st;
  gg_parser_blanks(p);
  path->column = gg_parser_column(p, p->at);
  if ((st = gg_parse_modes(p, path, ']')) || (st = push_path(p, &c, path))) return st;
  st = gg_expr_call(value, "get", c.arguments, c.count, p->arena, p->err);
  return gg_parser_place(p, st, start);
}

gg_status gg_parse_applications(gg_parser *p, gg_value *value, const char *begin) {
  gg_status st = GG_OK;
  while (!st) {
    gg_composed ignored;
    bool layout = gg_value_as_layout(&ignored, value);
    bool function = layout || value->kind == GG_VALUE_TENSOR || value->kind == GG_VALUE_SWIZZLE;
    gg_parser_blanks(p);
    if (*p->at == '(' && function) {
      p->at++;
      st = apply(p, value, ')');
    } else if (*p->at == '[' && value->kind == GG_VALUE_TENSOR) {
      p->at++;
      st = apply(p, value, ']');
    } else if (*p->at == '[' && (layout || value->kind == GG_VALUE_TUPLE)) {
      p->at++;
      st = apply_index(p, value);
    } else if (*p->at == '.' && isalpha((unsigned char)p->at[1])) {
      p->at++;
      st = apply_method(p, value);
    } else {
      break;
    }
    if (!st) st = gg_parser_step(p, begin, value);
  }
  return st;
}
