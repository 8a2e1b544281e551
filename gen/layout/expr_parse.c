/* Parsing and evaluating expressions in one recursive descent; the grammar is in expr.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout/calc.h"
#include "layout/expr.h"

enum { max_nesting = 64, max_arguments = 16 };

typedef struct parser {
  const char *text, *at, *file;
  int line, nesting;
  bool cute; /* CuTe's notation: a plain integer is dynamic */
  gg_arena *arena;
  gg_error *err;
} parser;

/* ---- Errors ------------------------------------------------------------------------------ */

static int column_of(const parser *p, const char *at) {
  int column = 1;
  for (const char *s = p->text; s < at; s++)
    column += ((unsigned char)*s & 0xC0) != 0x80;
  return column;
}

static gg_mark mark_at(const parser *p, const char *at) {
  return (gg_mark){.file = p->file, .line = p->line, .column = column_of(p, at)};
}

static gg_status fail_syntax(parser *p, const char *expected) {
  char got[24] = "the end";
  gg_mark mark = mark_at(p, p->at);
  unsigned char next = (unsigned char)*p->at;
  if (next >= 0x20 && next < 0x7F) {
    size_t length = isalnum(next) || next == '_' ? strspn(p->at, "abcdefghijklmnopqrstuvwxyz_"
                                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                                 "0123456789")
                                                 : 1;
    if (length > sizeof got - 3) length = sizeof got - 3;
    got[0] = '\'';
    memcpy(got + 1, p->at, length);
    memcpy(got + 1 + length, "'", 2);
  } else if (next) {
    memcpy(got, "an odd character", 17);
  }
  return gg_fail(p->err, LAYOUT_SYNTAX, &mark, expected, got);
}

/* Gives an error of an operation a place: its argument's, or the operation's. */
static gg_status place_error(parser *p, gg_status st, const char *at) {
  gg_error *err = p->err;
  if (!err || !st || err->line) return st;
  gg_mark mark = mark_at(p, at);
  err->line = mark.line;
  if (!err->column) err->column = mark.column;
  size_t length = p->file ? strlen(p->file) : 0;
  if (length >= sizeof err->file) length = sizeof err->file - 1;
  if (length) memcpy(err->file, p->file, length);
  err->file[length] = '\0';
  return st;
}

/* ---- Tokens ------------------------------------------------------------------------------ */

static void skip_blanks(parser *p) {
  p->at += strspn(p->at, " \t\r\n");
}

static bool accept(parser *p, char wanted) {
  skip_blanks(p);
  if (*p->at != wanted) return false;
  p->at++;
  return true;
}

static bool is_word(char character) {
  return isalnum((unsigned char)character) || character == '_';
}

/* The infix "o", a word of its own. */
static bool accept_o(parser *p) {
  skip_blanks(p);
  if (p->at[0] != 'o' || is_word(p->at[1])) return false;
  p->at++;
  return true;
}

static gg_status parse_integer(parser *p, int64_t *out) {
  skip_blanks(p);
  char *end;
  const char *digits = p->at + (*p->at == '-');
  if (!isdigit((unsigned char)*digits)) return fail_syntax(p, "an integer");
  errno = 0;
  long long value = strtoll(p->at, &end, 10);
  if (errno) return fail_syntax(p, "an integer of 64 bits");
  *out = value;
  p->at = end;
  return GG_OK;
}

/* ---- Leaves ------------------------------------------------------------------------------ */

/* [_]n[@mode]...: paths are written innermost first. */
static gg_status parse_leaf(parser *p, gg_value *out) {
  gg_node leaf = gg_leaf(0);
  gg_status st;
  bool marked = *p->at == '_';
  p->at += marked;
  if ((st = parse_integer(p, &leaf.value))) return st;
  leaf.dynamic = p->cute && !marked;
  while (*p->at == '@') {
    int64_t mode;
    p->at++;
    if ((st = parse_integer(p, &mode))) return st;
    if (mode < 0 || mode >= GG_TUPLE_NODES || leaf.basis_rank == GG_BASIS_RANK) {
      return fail_syntax(p, "a basis of at most 4 modes below 64");
    }
    memmove(leaf.basis + 1, leaf.basis, leaf.basis_rank++);
    leaf.basis[0] = (uint8_t)mode;
  }
  out->kind = GG_VALUE_TUPLE;
  out->tuple = gg_tuple_int(0);
  out->tuple.nodes[0] = leaf;
  return GG_OK;
}

/* Sw<B,M,S>, after "Sw". */
static gg_status parse_swizzle(parser *p, gg_value *out, const char *start) {
  int64_t parts[3];
  gg_status st;
  for (int i = 0; i < 3; i++) {
    if (!accept(p, i ? ',' : '<')) return fail_syntax(p, i ? "','" : "'<'");
    if ((st = parse_integer(p, &parts[i]))) return st;
  }
  if (!accept(p, '>')) return fail_syntax(p, "'>'");
  out->kind = GG_VALUE_SWIZZLE;
  st = gg_swizzle_make(&out->swizzle, parts[0], parts[1], parts[2], p->err);
  return place_error(p, st, start);
}

/* smem_ptr[16b](unset), after "smem_ptr". */
static gg_status parse_smem(parser *p, gg_value *out) {
  int64_t bits;
  gg_status st;
  if (!accept(p, '[')) return fail_syntax(p, "'['");
  if ((st = parse_integer(p, &bits))) return st;
  if (bits < 1 || bits > 1024) return fail_syntax(p, "at most 1024 bits");
  if (!accept(p, 'b') || !accept(p, ']')) return fail_syntax(p, "'b]'");
  if (strncmp(p->at, "(unset)", 7) != 0) return fail_syntax(p, "'(unset)'");
  p->at += 7;
  out->kind = GG_VALUE_SMEM;
  out->smem_bits = (int)bits;
  return GG_OK;
}

/* ---- Tuples and tilers -------------------------------------------------------------------- */

static gg_status parse_chain(parser *p, gg_value *out);

static gg_value *new_value(parser *p, gg_status *st) {
  gg_value *value = GG_ARENA_NEW(p->arena, gg_value);
  if (!value) *st = gg_fail(p->err, MEMORY, NULL, "");
  return value;
}

/* Adds a mode to the tuple under way; the first layout turns it into a tiler. */
static gg_status add_mode(parser *p, gg_value *out, const gg_value *mode, const char *at) {
  gg_calc c = GG_CALC("expression", p->err);
  gg_tiler tiler;
  if (out->kind == GG_VALUE_TUPLE && mode->kind == GG_VALUE_TUPLE) {
    gg_build_tree(&c, &out->tuple, &mode->tuple, 0);
    if (c.status == GG_OK) gg_build_close(&out->tuple, 0);
    return place_error(p, c.status, at);
  }
  if (!gg_value_as_tiler(&tiler, mode)) {
    p->at = at;
    return fail_syntax(p, "an integer, a tuple or a plain layout as a mode");
  }
  if (out->kind == GG_VALUE_TUPLE) {
    gg_tiler so_far;
    if (!gg_value_as_tiler(&so_far, out)) {
      p->at = at;
      return fail_syntax(p, "a tiler without scaled bases");
    }
    out->kind = GG_VALUE_TILER;
    out->tiler = so_far;
  }
  return place_error(p, gg_tiler_append(&out->tiler, &tiler, p->err), at);
}

static gg_status parse_tuple(parser *p, gg_value *out) {
  gg_status st = GG_OK;
  gg_value *mode = new_value(p, &st);
  if (!mode) return st;
  out->kind = GG_VALUE_TUPLE;
  out->tuple = gg_tuple_empty();
  if (accept(p, ')')) return GG_OK;
  do {
    skip_blanks(p);
    const char *at = p->at;
    if ((st = parse_chain(p, mode))) return st;
    if ((st = add_mode(p, out, mode, at))) return st;
  } while (accept(p, ','));
  return accept(p, ')') ? GG_OK : fail_syntax(p, "',' or ')'");
}

/* ---- Calls ------------------------------------------------------------------------------- */

typedef struct call {
  gg_value *arguments[max_arguments];
  int count;
} call;

static gg_status add_argument(parser *p, call *c, bool integer) {
  gg_status st = GG_OK;
  gg_value *value = new_value(p, &st);
  if (!value) return st;
  if (c->count == max_arguments) return fail_syntax(p, "at most 16 arguments");
  c->arguments[c->count++] = value;
  skip_blanks(p);
  value->column = column_of(p, p->at);
  return integer ? parse_leaf(p, value) : parse_chain(p, value);
}

/* "<1,2>" before the parenthesis; not an angle bracket of a C++ type name. */
static gg_status parse_template(parser *p, call *c) {
  gg_status st;
  if (*p->at != '<') return GG_OK;
  const char *s = p->at + 1 + strspn(p->at + 1, " -_,0123456789");
  if (*s != '>' || s[1] != '(') return GG_OK;
  p->at++;
  do {
    if ((st = add_argument(p, c, true))) return st;
  } while (accept(p, ','));
  return accept(p, '>') ? GG_OK : fail_syntax(p, "'>'");
}

static gg_status parse_call(parser *p, gg_value *out, const char *start, const char *end,
                            const call *templates) {
  call c = {.count = 0};
  gg_status st;
  p->at++; /* ( */
  if (!accept(p, ')')) {
    do {
      if ((st = add_argument(p, &c, false))) return st;
    } while (accept(p, ','));
    if (!accept(p, ')')) return fail_syntax(p, "',' or ')'");
  }
  for (int i = 0; i < templates->count; i++) {
    if (c.count == max_arguments) return fail_syntax(p, "at most 16 arguments");
    c.arguments[c.count++] = templates->arguments[i];
  }
  char name[64];
  size_t length = (size_t)(end - start);
  if (length >= sizeof name) length = sizeof name - 1;
  memcpy(name, start, length);
  name[length] = '\0';
  st = gg_expr_call(out, name, c.arguments, c.count, p->arena, p->err);
  return place_error(p, st, start);
}

/* A bare name takes the C++ template arguments that follow it: UniversalCopy<uint128_t>. */
static gg_status parse_name(parser *p, gg_value *out) {
  const char *start = p->at;
  while (is_word(*p->at) || (p->at[0] == ':' && p->at[1] == ':' && is_word(p->at[2]))) {
    p->at += *p->at == ':' ? 2 : 1;
  }
  const char *end = p->at;
  size_t length = (size_t)(end - start);
  if (length == 2 && !memcmp(start, "Sw", 2)) return parse_swizzle(p, out, start);
  if (length == 8 && !memcmp(start, "smem_ptr", 8)) return parse_smem(p, out);
  if (length == 1 && *start == 'X') {
    out->kind = GG_VALUE_TUPLE;
    out->tuple = gg_tuple_keep();
    return GG_OK;
  }
  call templates = {.count = 0};
  gg_status st = parse_template(p, &templates);
  if (st) return st;
  if (*p->at == '(') return parse_call(p, out, start, end, &templates);
  int open = 0;
  do {
    open += (*p->at == '<') - (*p->at == '>');
    if (open > 0 || *p->at == '>') p->at++;
  } while (open > 0 && *p->at);
  if (open > 0) return fail_syntax(p, "'>'");
  out->kind = GG_VALUE_NAME;
  out->name.text = start;
  out->name.length = (size_t)(p->at - start);
  return GG_OK;
}

/* ---- Terms and chains --------------------------------------------------------------------- */

static gg_status parse_primary(parser *p, gg_value *out) {
  skip_blanks(p);
  out->column = column_of(p, p->at);
  char next = *p->at, after = next ? p->at[1] : '\0';
  if (accept(p, '(')) return parse_tuple(p, out);
  bool digits = isdigit((unsigned char)next) ||
                ((next == '-' || next == '_') && (isdigit((unsigned char)after) || after == '-'));
  if (digits) return parse_leaf(p, out);
  if (next == '_' && !is_word(after)) {
    p->at++;
    out->kind = GG_VALUE_TUPLE;
    out->tuple = gg_tuple_keep();
    return GG_OK;
  }
  if (isalpha((unsigned char)next)) return parse_name(p, out);
  return fail_syntax(p, "a layout, tuple, integer or operation");
}

static gg_status parse_term(parser *p, gg_value *out) {
  gg_status st = parse_primary(p, out);
  if (st) return st;
  skip_blanks(p);
  const char *colon = p->at;
  if (!accept(p, ':')) return GG_OK;
  gg_value *stride = new_value(p, &st);
  if (!stride || (st = parse_primary(p, stride))) return st;
  if (out->kind != GG_VALUE_TUPLE || stride->kind != GG_VALUE_TUPLE) {
    p->at = colon;
    return fail_syntax(p, "two tuples of integers around ':'");
  }
  gg_layout layout;
  st = gg_layout_make(&layout, &out->tuple, &stride->tuple, p->err);
  if (st) return place_error(p, st, colon);
  out->kind = GG_VALUE_LAYOUT;
  out->layout = gg_composed_of(&layout);
  return GG_OK;
}

/* left o right: a swizzle or base before a layout, or composition. */
static gg_status join(parser *p, gg_value *left, const gg_value *right, const char *at) {
  gg_composed layout;
  bool based = left->kind == GG_VALUE_TUPLE && gg_value_as_layout(&layout, right);
  if (based) {
    gg_tensor tensor = {left->tuple, layout};
    GG_EACH_LEAF(i, &left->tuple) {
      if (left->tuple.nodes[i].kind == GG_NODE_INT && !left->tuple.nodes[i].basis_rank) continue;
      p->at = at;
      return fail_syntax(p, "a base of integers before 'o'");
    }
    left->kind = GG_VALUE_TENSOR;
    left->tensor = tensor;
    return GG_OK;
  }
  gg_value *copy, *both[2];
  gg_status st = GG_OK;
  if (!(copy = new_value(p, &st))) return st;
  *copy = *left;
  both[0] = copy;
  if (!(both[1] = new_value(p, &st))) return st;
  *both[1] = *right;
  return place_error(p, gg_expr_call(left, "composition", both, 2, p->arena, p->err), at);
}

/* sw o offset o layout, sw o smem_ptr o layout. */
static gg_status join_swizzled(parser *p, gg_value *left, const gg_value *middle,
                               const gg_value *right, const char *at) {
  gg_composed layout;
  int64_t offset;
  gg_status st;
  bool plain = gg_value_as_layout(&layout, right) && gg_composed_is_plain(&layout);
  bool smem = middle->kind == GG_VALUE_SMEM;
  if (!plain || (!smem && !gg_value_as_int(&offset, middle))) {
    p->at = at;
    return fail_syntax(p, "Sw<B,M,S> o offset o layout");
  }
  gg_swizzle sw = left->swizzle;
  left->kind = GG_VALUE_LAYOUT;
  st = smem ? gg_composed_make_smem(&left->layout, sw, middle->smem_bits, &layout.layout, p->err)
            : gg_composed_make(&left->layout, sw, offset, &layout.layout, p->err);
  return place_error(p, st, at);
}

/* Joins terms from the right: a o (b o c). */
static gg_status parse_links(parser *p, gg_value *out) {
  gg_value *terms[max_arguments];
  const char *places[max_arguments];
  int count = 0;
  gg_status st = GG_OK;
  do {
    if (count == max_arguments) return fail_syntax(p, "at most 16 terms");
    if (!(terms[count] = new_value(p, &st))) return st;
    skip_blanks(p);
    places[count] = p->at;
    if ((st = parse_term(p, terms[count++]))) return st;
  } while (accept_o(p));
  gg_value *result = terms[count - 1];
  for (int i = count - 2; i >= 0; i--) {
    bool middle = terms[i]->kind == GG_VALUE_SMEM || terms[i]->kind == GG_VALUE_TUPLE;
    if (middle && i > 0 && terms[i - 1]->kind == GG_VALUE_SWIZZLE) {
      i--;
      st = join_swizzled(p, terms[i], terms[i + 1], result, places[i]);
    } else {
      st = join(p, terms[i], result, places[i]);
    }
    if (st) return st;
    result = terms[i];
  }
  *out = *result;
  return GG_OK;
}

static gg_status parse_chain(parser *p, gg_value *out) {
  if (++p->nesting > max_nesting) return fail_syntax(p, "at most 64 levels of nesting");
  skip_blanks(p);
  int column = column_of(p, p->at);
  gg_status st = parse_links(p, out);
  out->column = column;
  p->nesting--;
  return st;
}

/* _8, where no word goes before. */
static bool has_static_mark(const char *text) {
  for (const char *s = text; *s; s++) {
    bool starts = s == text || !is_word(s[-1]);
    if (starts && s[0] == '_' && (isdigit((unsigned char)s[1]) || s[1] == '-')) return true;
  }
  return false;
}

gg_status gg_expr_eval(gg_value *out, const char *text, const char *file, int line,
                       gg_notation *notation, gg_arena *arena, gg_error *err) {
  bool cute = (notation && *notation == GG_NOTATION_CUTE) || has_static_mark(text);
  parser p = {.text = text,
              .at = text,
              .file = file,
              .line = line,
              .cute = cute,
              .arena = arena,
              .err = err};
  gg_status st = parse_chain(&p, out);
  if (st) return st;
  skip_blanks(&p);
  if (*p.at) return fail_syntax(&p, "the end");
  if (notation) *notation = cute ? GG_NOTATION_CUTE : GG_NOTATION_PLAIN;
  return GG_OK;
}

/* ---- Texts of one kind -------------------------------------------------------------------- */

static gg_status fail_kind(const char *wanted, const gg_value *value, gg_error *err) {
  return gg_fail(err, LAYOUT_SYNTAX, NULL, wanted, gg_value_kind_name(value));
}

gg_status gg_tuple_parse(gg_tuple *out, const char *text, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  gg_value value;
  gg_status st = gg_expr_eval(&value, text, NULL, 1, NULL, &arena, err);
  if (!st && value.kind != GG_VALUE_TUPLE) st = fail_kind("a tuple", &value, err);
  if (!st) *out = value.tuple;
  gg_arena_free(&arena);
  return st;
}

gg_status gg_composed_parse(gg_composed *out, const char *text, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  gg_value value;
  gg_composed layout;
  gg_status st = gg_expr_eval(&value, text, NULL, 1, NULL, &arena, err);
  if (!st && !gg_value_as_layout(&layout, &value)) st = fail_kind("a layout", &value, err);
  if (!st) *out = layout;
  gg_arena_free(&arena);
  return st;
}

gg_status gg_layout_parse(gg_layout *out, const char *text, gg_error *err) {
  gg_composed layout;
  gg_status st = gg_composed_parse(&layout, text, err);
  if (!st && !gg_composed_is_plain(&layout)) {
    st = gg_fail(err, LAYOUT_SYNTAX, NULL, "a plain layout", "a composed layout");
  }
  if (!st) *out = layout.layout;
  return st;
}
