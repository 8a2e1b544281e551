/* Parses and evaluates expressions in one recursive descent; the grammar is in expr.h. Values and
 * what joins them are here; what begins with a word is in expr_name.c. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calculator/expr_parser.h"
#include "layout/calc.h"

enum { max_nesting = 64, max_terms = 16 };

/* ---- Errors ------------------------------------------------------------------------------ */

int gg_parser_column(const gg_parser *p, const char *at) {
  int column = 1;
  for (const char *s = p->text; s < at; s++)
    column += ((unsigned char)*s & 0xC0) != 0x80;
  return column;
}

static gg_mark mark_at(const gg_parser *p, const char *at) {
  return (gg_mark){.file = p->file, .line = p->line, .column = gg_parser_column(p, at)};
}

gg_status gg_parser_fail(gg_parser *p, const char *expected) {
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

gg_status gg_parser_place(gg_parser *p, gg_status st, const char *at) {
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

void gg_parser_blanks(gg_parser *p) {
  p->at += strspn(p->at, " \t\r\n");
}

bool gg_parser_accept(gg_parser *p, char wanted) {
  gg_parser_blanks(p);
  if (*p->at != wanted) return false;
  p->at++;
  return true;
}

void gg_parser_braces(gg_parser *p) {
  const char *s = p->at + strspn(p->at, " ");
  if (*s != '{') return;
  s += 1 + strspn(s + 1, " ");
  if (*s == '}') p->at = s + 1;
}

bool gg_is_word(char character) {
  return isalnum((unsigned char)character) || character == '_';
}

/* Accepts the infix "o", as a word of its own, or the sign that papers use (U+2218). A swizzled
 * pointer has none where CuTe prints it: Sw<3,4,3>_smem_ptr. */
static bool accept_o(gg_parser *p) {
  static const char ring[] = "\xE2\x88\x98";
  gg_parser_blanks(p);
  if (strncmp(p->at, ring, sizeof ring - 1) == 0) {
    p->at += sizeof ring - 1;
    return true;
  }
  bool joined = strncmp(p->at, "_smem_ptr", 9) == 0;
  if (!joined && (p->at[0] != 'o' || gg_is_word(p->at[1]))) return false;
  p->at++;
  return true;
}

gg_status gg_parse_integer(gg_parser *p, int64_t *out) {
  gg_parser_blanks(p);
  char *end;
  const char *digits = p->at + (*p->at == '-');
  if (!isdigit((unsigned char)*digits)) return gg_parser_fail(p, "an integer");
  bool hex = digits[0] == '0' && digits[1] == 'x' && isxdigit((unsigned char)digits[2]);
  errno = 0;
  long long value = strtoll(p->at, &end, hex ? 16 : 10);
  if (errno) return gg_parser_fail(p, "an integer of 64 bits");
  *out = value;
  p->at = end;
  return GG_OK;
}

/* ---- Tuples and tilers -------------------------------------------------------------------- */

/* Parses [_]n[@mode]... Paths are written with the innermost mode first. */
static gg_status parse_leaf(gg_parser *p, gg_value *out) {
  gg_node leaf = gg_leaf(0);
  gg_status st;
  bool marked = *p->at == '_';
  p->at += marked;
  if ((st = gg_parse_integer(p, &leaf.value))) return st;
  leaf.dynamic = p->cute && !marked;
  while (*p->at == '@') {
    int64_t mode;
    p->at++;
    if ((st = gg_parse_integer(p, &mode))) return st;
    if (mode < 0 || mode >= GG_TUPLE_NODES || leaf.basis_rank == GG_BASIS_RANK) {
      return gg_parser_fail(p, "a basis of at most 4 modes below 64");
    }
    memmove(leaf.basis + 1, leaf.basis, leaf.basis_rank++);
    leaf.basis[0] = (uint8_t)mode;
  }
  gg_parser_braces(p);
  out->kind = GG_VALUE_TUPLE;
  out->tuple = gg_tuple_int(0);
  out->tuple.nodes[0] = leaf;
  return GG_OK;
}

gg_value *gg_parser_value(gg_parser *p, gg_status *st) {
  gg_value *value = GG_ARENA_NEW(p->arena, gg_value);
  if (!value) *st = gg_fail(p->err, MEMORY, NULL, "");
  return value;
}

/* Adds a mode to the tuple that is being built. The first layout among the modes turns it into a
 * tiler. */
static gg_status add_mode(gg_parser *p, gg_value *out, const gg_value *mode, const char *at) {
  gg_calc c = GG_CALC("expression", p->err);
  gg_tiler tiler;
  if (out->kind == GG_VALUE_TUPLE && mode->kind == GG_VALUE_TUPLE) {
    gg_build_tree(&c, &out->tuple, &mode->tuple, 0);
    if (c.status == GG_OK) gg_build_close(&out->tuple, 0);
    return gg_parser_place(p, c.status, at);
  }
  if (!gg_value_as_tiler(&tiler, mode)) {
    p->at = at;
    return gg_parser_fail(p, "an integer, a tuple or a plain layout as a mode");
  }
  if (out->kind == GG_VALUE_TUPLE) {
    gg_tiler so_far;
    if (!gg_value_as_tiler(&so_far, out)) {
      p->at = at;
      return gg_parser_fail(p, "a tiler without scaled bases");
    }
    out->kind = GG_VALUE_TILER;
    out->tiler = so_far;
  }
  return gg_parser_place(p, gg_tiler_append(&out->tiler, &tiler, p->err), at);
}

static gg_status fail_bracket(gg_parser *p, char close) {
  return gg_parser_fail(p, close == ')'   ? "',' or ')'"
                           : close == ']' ? "',' or ']'"
                                          : "',' or '>'");
}

gg_status gg_parse_modes(gg_parser *p, gg_value *out, char close) {
  gg_status st = GG_OK;
  gg_tiler ignored;
  gg_value *mode = gg_parser_value(p, &st);
  if (!mode) return st;
  out->kind = GG_VALUE_TUPLE;
  out->tuple = gg_tuple_empty();
  if (gg_parser_accept(p, close)) return GG_OK;
  for (bool first = true; first || gg_parser_accept(p, ','); first = false) {
    gg_parser_blanks(p);
    const char *at = p->at;
    if ((st = gg_parse_chain(p, mode))) return st;
    bool is_mode = mode->kind == GG_VALUE_TUPLE || gg_value_as_tiler(&ignored, mode);
    if (first && !is_mode && gg_parser_accept(p, close)) {
      *out = *mode;
      return GG_OK;
    }
    if ((st = add_mode(p, out, mode, at))) return st;
  }
  return gg_parser_accept(p, close) ? GG_OK : fail_bracket(p, close);
}

/* ---- Terms and chains --------------------------------------------------------------------- */

static gg_status parse_primary(gg_parser *p, gg_value *out) {
  gg_parser_blanks(p);
  out->column = gg_parser_column(p, p->at);
  char next = *p->at, after = next ? p->at[1] : '\0';
  if (gg_parser_accept(p, '(')) return gg_parse_modes(p, out, ')');
  if (gg_parser_accept(p, '[')) return gg_parse_modes(p, out, ']');
  bool digits = isdigit((unsigned char)next) ||
                ((next == '-' || next == '_') && (isdigit((unsigned char)after) || after == '-'));
  if (digits) return parse_leaf(p, out);
  if (next == '_' && !gg_is_word(after)) {
    p->at++;
    gg_parser_braces(p);
    out->kind = GG_VALUE_TUPLE;
    out->tuple = gg_tuple_keep();
    return GG_OK;
  }
  if (isalpha((unsigned char)next)) return gg_parse_name(p, out);
  return gg_parser_fail(p, "a layout, tuple, integer or operation");
}

/* Parses the colon and the stride of shape:stride, from behind the shape, where there is a colon.
 */
static gg_status parse_stride(gg_parser *p, gg_value *out) {
  gg_status st = GG_OK;
  gg_parser_blanks(p);
  const char *colon = p->at;
  if (!gg_parser_accept(p, ':')) return GG_OK;
  gg_value *stride = gg_parser_value(p, &st);
  if (!stride || (st = parse_primary(p, stride))) return st;
  if (out->kind != GG_VALUE_TUPLE || stride->kind != GG_VALUE_TUPLE) {
    p->at = colon;
    return gg_parser_fail(p, "two tuples of integers around ':'");
  }
  gg_layout layout;
  st = gg_layout_make(&layout, &out->tuple, &stride->tuple, p->err);
  if (st) return gg_parser_place(p, st, colon);
  out->kind = GG_VALUE_LAYOUT;
  out->layout = gg_composed_of(&layout);
  return GG_OK;
}

static gg_status parse_term(gg_parser *p, gg_value *out) {
  gg_parser_blanks(p);
  const char *begin = p->at;
  gg_status st = parse_primary(p, out);
  if (!st) st = parse_stride(p, out);
  if (!st) st = gg_parser_step(p, begin, out);
  return st ? st : gg_parse_applications(p, out, begin);
}

/* Joins a base to a layout: an offset, a coordinate, or a pointer, which counts as offset 0. */
static gg_status join_base(gg_parser *p, gg_value *left, const gg_composed *layout,
                           const char *at) {
  gg_tensor tensor = gg_tensor_of(layout);
  if (left->kind == GG_VALUE_TUPLE) tensor.base = left->tuple;
  GG_EACH_LEAF(i, &tensor.base) {
    gg_node *leaf = &tensor.base.nodes[i];
    if (leaf->kind == GG_NODE_INT && !leaf->basis_rank) continue;
    p->at = at;
    return gg_parser_fail(p, "a base of integers before 'o'");
  }
  left->kind = GG_VALUE_TENSOR;
  left->tensor = tensor;
  return GG_OK;
}

/* Joins left o right: a swizzle or a base in front of a layout, or a composition. */
static gg_status join(gg_parser *p, gg_value *left, const gg_value *right, const char *at) {
  gg_composed layout;
  int64_t offset;
  if (left->kind == GG_VALUE_SWIZZLE && gg_value_as_int(&offset, right)) {
    return gg_parser_fail(p, "'o' and a layout");
  }
  bool base = left->kind == GG_VALUE_TUPLE || left->kind == GG_VALUE_SMEM;
  if (base && gg_value_as_layout(&layout, right)) return join_base(p, left, &layout, at);
  if (base) return gg_parser_fail(p, "a layout behind 'o'");
  gg_value *copy, *both[2];
  gg_status st = GG_OK;
  if (!(copy = gg_parser_value(p, &st))) return st;
  *copy = *left;
  both[0] = copy;
  if (!(both[1] = gg_parser_value(p, &st))) return st;
  *both[1] = *right;
  return gg_parser_place(p, gg_expr_call(left, "composition", both, 2, p->arena, p->err), at);
}

/* Joins sw o offset o layout, or sw o smem_ptr o layout. */
static gg_status join_swizzled(gg_parser *p, gg_value *left, const gg_value *middle,
                               const gg_value *right, const char *at) {
  gg_composed layout;
  int64_t offset;
  gg_status st;
  bool plain = gg_value_as_layout(&layout, right) && gg_composed_is_plain(&layout);
  bool smem = middle->kind == GG_VALUE_SMEM;
  if (!plain || (!smem && !gg_value_as_int(&offset, middle))) {
    p->at = at;
    return gg_parser_fail(p, "Sw<B,M,S> o offset o layout");
  }
  gg_swizzle sw = left->swizzle;
  left->kind = GG_VALUE_LAYOUT;
  st = smem ? gg_composed_make_smem(&left->layout, sw, middle->smem_bits, &layout.layout, p->err)
            : gg_composed_make(&left->layout, sw, offset, &layout.layout, p->err);
  return gg_parser_place(p, st, at);
}

/* Parses a chain and joins its terms from the right: a o (b o c). */
static gg_status parse_links(gg_parser *p, gg_value *out) {
  gg_value *terms[max_terms];
  const char *places[max_terms];
  int count = 0;
  gg_status st = GG_OK;
  do {
    if (count == max_terms) return gg_parser_fail(p, "at most 16 terms");
    if (!(terms[count] = gg_parser_value(p, &st))) return st;
    gg_parser_blanks(p);
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
    if (!st) st = gg_parser_step(p, places[i], terms[i]);
    if (st) return st;
    result = terms[i];
  }
  *out = *result;
  return GG_OK;
}

gg_status gg_parse_chain(gg_parser *p, gg_value *out) {
  if (++p->nesting > max_nesting) return gg_parser_fail(p, "at most 64 levels of nesting");
  gg_parser_blanks(p);
  int column = gg_parser_column(p, p->at);
  gg_status st = parse_links(p, out);
  out->column = column;
  p->nesting--;
  return st;
}

/* ---- Steps -------------------------------------------------------------------------------- */

/* Where the step ends, without the blanks behind it. */
static const char *end_of_step(const gg_parser *p, const char *begin) {
  const char *end = p->at;
  while (end > begin && strchr(" \t\r\n", end[-1]))
    end--;
  return end;
}

/* Whether a value is a step. Integers, tuples and types are only what steps are made of; the result
 * of an operation is a step, and so is an atom's name. */
static bool is_step(const gg_value *value, const char *begin) {
  gg_error ignored = GG_ERROR_INIT;
  gg_tv_view views[GG_TV_VIEWS];
  int count = 0;
  switch (value->kind) {
  case GG_VALUE_TUPLE:
  case GG_VALUE_BOOL:
    return islower((unsigned char)*begin);
  case GG_VALUE_SMEM:
    return false;
  case GG_VALUE_NAME:
    if (gg_value_views(views, &count, value, &ignored)) count = 0;
    gg_error_clear(&ignored);
    return count > 0;
  default:
    return true;
  }
}

/* Whether the last step is this same one, just in brackets. */
static bool is_noted(const gg_steps *steps, const char *begin, const char *end) {
  if (steps->count == 0) return false;
  const gg_step *last = steps->list[steps->count - 1];
  while (begin < last->begin && strchr("([ ", *begin))
    begin++;
  while (end > last->end && strchr(")] ", end[-1]))
    end--;
  return begin == last->begin && end == last->end;
}

static gg_status add_step(gg_parser *p, const char *begin, const char *end, const gg_value *value,
                          int place) {
  gg_step *step = GG_ARENA_NEW(p->arena, gg_step);
  if (!step) return gg_fail(p->err, MEMORY, NULL, "");
  *step = (gg_step){begin, end, *value};
  p->steps->list[place] = step;
  p->steps->count = place + 1;
  return GG_OK;
}

gg_status gg_parser_step(gg_parser *p, const char *begin, const gg_value *value) {
  if (!p->steps || p->steps->count == GG_STEPS_MAX || !is_step(value, begin)) return GG_OK;
  const char *end = end_of_step(p, begin);
  if (is_noted(p->steps, begin, end)) return GG_OK;
  return add_step(p, begin, end, value, p->steps->count);
}

/* Adds the whole expression as the last step, whatever its value is. */
static gg_status add_whole(gg_parser *p, const char *begin, const gg_value *value) {
  const char *end = end_of_step(p, begin);
  int last = GG_STEPS_MAX - 1;
  if (is_noted(p->steps, begin, end)) return GG_OK;
  return add_step(p, begin, end, value, p->steps->count < last ? p->steps->count : last);
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* Whether the text has a static integer, _8 or Int<8>, outside of any word. In a C++ type integers
 * are always static, which says nothing about the others: zipped_divide((8,24), Shape<_4,_8>{}). */
static bool has_static_mark(const char *text) {
  int depth = 0;
  for (const char *s = text; *s; s++) {
    bool starts = s == text || !gg_is_word(s[-1]);
    bool integer = s[0] == '_' && (isdigit((unsigned char)s[1]) || s[1] == '-');
    bool constant = strncmp(s, "Int<", 4) == 0 || strncmp(s, "C<", 2) == 0;
    if (starts && depth == 0 && (integer || constant)) return true;
    depth += (*s == '<') - (*s == '>');
  }
  return false;
}

static gg_status evaluate(gg_value *out, gg_steps *steps, const char *text, const char *file,
                          int line, gg_notation *notation, gg_arena *arena, gg_error *err) {
  bool cute = (notation && *notation == GG_NOTATION_CUTE) || has_static_mark(text);
  gg_parser p = {.text = text,
                 .at = text,
                 .file = file,
                 .line = line,
                 .cute = cute,
                 .steps = steps,
                 .arena = arena,
                 .err = err};
  gg_parser_blanks(&p);
  const char *begin = p.at;
  gg_status st = gg_parse_chain(&p, out);
  if (!st && steps) st = add_whole(&p, begin, out);
  if (st) return st;
  gg_parser_accept(&p, ';');
  gg_parser_blanks(&p);
  if (p.at[0] == '/' && p.at[1] == '/') p.at += strlen(p.at); /* a comment */
  if (*p.at) return gg_parser_fail(&p, "the end");
  if (notation) *notation = cute ? GG_NOTATION_CUTE : GG_NOTATION_PLAIN;
  return GG_OK;
}

gg_status gg_expr_eval(gg_value *out, const char *text, const char *file, int line,
                       gg_notation *notation, gg_arena *arena, gg_error *err) {
  return evaluate(out, NULL, text, file, line, notation, arena, err);
}

gg_status gg_expr_steps(gg_steps *out, const char *text, const char *file, int line,
                        gg_notation *notation, gg_arena *arena, gg_error *err) {
  out->count = 0;
  gg_value *value = GG_ARENA_NEW(arena, gg_value);
  if (!value) return gg_fail(err, MEMORY, NULL, "");
  return evaluate(value, out, text, file, line, notation, arena, err);
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
