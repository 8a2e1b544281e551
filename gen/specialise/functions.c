/* The passes over functions and methods, and what they leave out of them. */
#include "specialise/functions.h"

#include <stdio.h>
#include <string.h>

#include "specialise/expression.h"
#include "specialise/value.h"

enum { LIST_MAX = 48 };

/* The entries between a pair of brackets, without their commas. */
typedef struct list {
  int count;
  struct {
    int first, last;
  } at[LIST_MAX];
} list;

/* ---- Finding them ----------------------------------------------------------------------- */

/* Reads the entries between `open` and `close`. Where there are more than LIST_MAX, the list is
 * empty. */
static list read_list(const gg_tokens *tokens, int open, int close) {
  list out; /* its entries are not zeroed: most lists are short */
  out.count = 0;
  for (int at = gg_token_next(tokens, open); at < close && out.count < LIST_MAX;) {
    int last = at;
    out.at[out.count].first = at;
    for (int depth = 0; at < close && (depth > 0 || !gg_token_is(tokens, at, S(COMMA)));) {
      int angle = gg_token_is(tokens, at, S(LESS)) ? gg_angle_end(tokens, at) : -1;
      if (angle >= 0 && angle < close) at = angle;
      last = gg_token_is(tokens, at, S(PAREN) | S(SQUARE) | S(BRACE)) ? tokens->at[at].partner : at;
      at = gg_token_past(tokens, at);
    }
    out.at[out.count++].last = last;
    at = gg_token_next(tokens, at);
  }
  if (out.count == LIST_MAX) out.count = 0;
  return out;
}

/* Changes one function and its calls. True where it changed anything. */
typedef bool function_pass(gg_tokens *tokens, const gg_items *items, const gg_function *f);

/* Runs `pass` on every function that is not removed and in which the pass `since` or a later one
 * changed anything. */
static bool each_function(gg_tokens *tokens, const gg_items *items, int since,
                          function_pass *pass) {
  bool changed = false;
  for (int i = 0; i < items->function_count; i++) {
    gg_function *f = &items->functions[i];
    if (tokens->at[f->name].dead || !gg_tokens_changed(tokens, f->first, f->last, since)) continue;
    if (f->angle >= 0 && tokens->at[f->angle].dead) f->angle = -1;
    if (f->method) f->first = gg_token_from(tokens, f->first);
    changed = pass(tokens, items, f) || changed;
  }
  return changed;
}

/* ---- Calls ------------------------------------------------------------------------------ */

/* The first place of the word that stands at `name`. */
static int first_use(const gg_tokens *tokens, int name) {
  return tokens->first[tokens->at[name].name];
}

static bool same_name(const gg_tokens *tokens, int at, int name) {
  return !tokens->at[at].dead && tokens->at[at].name == tokens->at[name].name;
}

/* Reads the call of the function whose name is at `at`: the place of its `(`, and of the `<` of its
 * template arguments, or -1. False where the name is not being called. */
static bool read_call(const gg_tokens *tokens, int at, int *open, int *angle) {
  int next = gg_token_next(tokens, at);
  *angle = -1;
  if (gg_token_is(tokens, next, S(LESS))) {
    *angle = next;
    int end = gg_angle_end(tokens, next);
    if (end < 0) return false;
    next = gg_token_next(tokens, end);
  }
  *open = next;
  return gg_token_is(tokens, next, S(PAREN));
}

/* Whether a name at `at`, with a `(` behind it, is being defined or declared there. */
static bool is_declared(const gg_tokens *tokens, int at) {
  int before = gg_token_before(tokens, at);
  return gg_token_is_word(tokens, before) && !gg_token_is(tokens, before, S(RETURN) | S(ELSE));
}

/* Whether the function's name stands, besides in its definition, only in calls of it with as many
 * arguments as it has parameters. */
static bool only_called(const gg_tokens *tokens, const gg_function *f) {
  int count = read_list(tokens, f->open, tokens->at[f->open].partner).count;
  for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
    int open = -1, angle = -1;
    if (at == f->name || tokens->at[at].dead) continue;
    if (!read_call(tokens, at, &open, &angle) || is_declared(tokens, at)) return false;
    if (f->method != gg_token_is(tokens, gg_token_before(tokens, at), S(DOT) | S(ARROW)))
      return false;
    if (read_list(tokens, open, tokens->at[open].partner).count != count) return false;
    if ((angle >= 0) != (f->angle >= 0)) return false;
  }
  return true;
}

/* ---- What only computes ----------------------------------------------------------------- */

static bool computes_only(const gg_tokens *tokens, const gg_items *items, int first, int last,
                          int depth);

static bool starts_with(const gg_tokens *tokens, int at, const char *text) {
  const gg_token *token = &tokens->at[at];
  size_t length = strlen(text);
  return (size_t)token->length >= length && memcmp(token->text, text, length) == 0;
}

/* Whether all methods of that name are const and do nothing but compute. */
static bool method_computes_only(const gg_tokens *tokens, const gg_items *items, int name,
                                 int depth) {
  bool any = false;
  for (int at = first_use(tokens, name); at >= 0; at = tokens->at[at].again) {
    if (tokens->at[at].dead || !is_declared(tokens, at)) continue;
    int close = tokens->at[gg_token_next(tokens, at)].partner;
    int body = close < 0 ? -1 : gg_token_next(tokens, gg_token_next(tokens, close));
    if (body < 0 || !gg_token_is(tokens, gg_token_before(tokens, body), S(CONST)) ||
        !computes_only(tokens, items, body, tokens->at[body].partner, depth + 1))
      return false;
    any = true;
  }
  return any;
}

/* Whether calling `name` does nothing but compute: all functions of the text of that name do so, or
 * it is CUDA's own. CUDA's functions that do more begin with __ or `atomic`. */
static bool call_computes_only(const gg_tokens *tokens, const gg_items *items, int name,
                               int depth) {
  if (gg_token_is(tokens, gg_token_before(tokens, name), S(DOT) | S(ARROW)))
    return method_computes_only(tokens, items, name, depth);
  if (starts_with(tokens, name, "__") && !starts_with(tokens, name, "__uint_as")) return false;
  if (starts_with(tokens, name, "atomic")) return false;
  for (int i = 0; i < items->count; i++) {
    const gg_item *item = &items->at[i];
    if (item->dead || item->kind != GG_ITEM_FUNCTION || item->name < 0) continue;
    if (!same_name(tokens, item->name, name)) continue;
    if (!computes_only(tokens, items, item->body, item->last, depth + 1)) return false;
    for (int at = item->name; at < item->body; at++) {
      /* A parameter that is a reference or a pointer and not const may be written to. */
      if (!gg_token_is(tokens, at, S(AND) | S(TIMES))) continue;
      int type = gg_token_before(tokens, at);
      if (gg_token_is(tokens, type, S(PAREN))) type = gg_token_before(tokens, type);
      if (!gg_token_is(tokens, gg_token_before(tokens, type), S(CONST))) return false;
    }
  }
  return true;
}

static bool computes_only(const gg_tokens *tokens, const gg_items *items, int first, int last,
                          int depth) {
  if (depth > 8) return false;
  for (int at = first; at <= last; at++) {
    if (tokens->at[at].dead || tokens->at[at].kind == GG_TOKEN_COMMENT) continue;
    if (gg_token_is(tokens, at, S(VOLATILE) | S(INCREMENT) | S(DECREMENT)) && depth == 0)
      return false;
    if (gg_token_is(tokens, at, S(VOLATILE))) return false;
    int open = -1, angle = -1;
    if (tokens->at[at].name < 0 ||
        gg_token_is(tokens, at, S(IF) | S(FOR) | S(WHILE) | S(ASM) | S(RETURN) | S(SIZEOF)))
      continue;
    if (read_call(tokens, at, &open, &angle) && !call_computes_only(tokens, items, at, depth))
      return false;
  }
  return true;
}

/* ---- Passes ----------------------------------------------------------------------------- */

static bool named_between(const gg_tokens *tokens, int name, int first, int last) {
  int begin = first > name ? tokens->at[name].again : first_use(tokens, name);
  for (int at = begin; at >= 0 && at <= last; at = tokens->at[at].again)
    if (at >= first && gg_token_names(tokens, at, tokens->at[name].name)) return true;
  return false;
}

/* Takes the entry `index` of a list away, with the comma before or behind it. */
static void remove_entry(gg_tokens *tokens, const list *entries, int index) {
  int first = entries->at[index].first, last = entries->at[index].last;
  if (index + 1 < entries->count) {
    gg_token_take_place(tokens, entries->at[index + 1].first, first);
    gg_tokens_remove(tokens, first, entries->at[index + 1].first - 1);
  } else if (index > 0) {
    gg_tokens_remove(tokens, entries->at[index - 1].last + 1, last);
  } else {
    gg_tokens_remove(tokens, first, last);
  }
}

/* The place of a parameter's name: its last word, or the word in `(&name)[4]`. */
static int parameter_name(const gg_tokens *tokens, int first, int last) {
  int at = last;
  while (gg_token_is(tokens, at, S(SQUARE_END)))
    at = gg_token_before(tokens, tokens->at[at].partner);
  if (gg_token_is(tokens, at, S(PAREN_END))) at = gg_token_before(tokens, at);
  return at > first && gg_token_is_word(tokens, at) ? at : -1;
}

static bool argument_computes_only(const gg_tokens *tokens, const gg_items *items,
                                   const gg_function *f, int index) {
  for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
    int open = -1, angle = -1;
    if (at == f->name || tokens->at[at].dead) continue;
    if (!read_call(tokens, at, &open, &angle)) return false;
    list arguments = read_list(tokens, open, tokens->at[open].partner);
    if (!computes_only(tokens, items, arguments.at[index].first, arguments.at[index].last, 0))
      return false;
  }
  return true;
}

/* Whether a comment line describes the parameter `name`: it begins with "`name`:". */
static bool speaks_of(const gg_tokens *tokens, int comment, int name) {
  const gg_token *token = &tokens->at[comment];
  char text[64];
  int length =
      snprintf(text, sizeof text, "// `%.*s`:", tokens->at[name].length, tokens->at[name].text);
  return token->length >= length && memcmp(token->text, text, (size_t)length) == 0;
}

/* Removes what the comment in front of a function says of a parameter: the line that names it, and
 * those below up to the next line that describes a parameter. */
static void remove_remark(gg_tokens *tokens, const gg_function *f, int name) {
  bool removing = false;
  int first = f->first;
  while (first > 0 && tokens->at[first - 1].kind == GG_TOKEN_COMMENT)
    first--;
  for (int at = first; at < f->first; at++) {
    gg_token *token = &tokens->at[at];
    if (token->dead) continue;
    if (token->length > 3 && token->text[3] == '`') removing = speaks_of(tokens, at, name);
    if (!removing) continue;
    int next = at + 1;
    if (token->newlines > 1) tokens->at[next].newlines = token->newlines;
    token->dead = true;
  }
}

static void remove_parameter(gg_tokens *tokens, const gg_function *f, int index) {
  for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
    int open = -1, angle = -1;
    if (tokens->at[at].dead) continue;
    if (at == f->name)
      open = f->open;
    else
      read_call(tokens, at, &open, &angle);
    list entries = read_list(tokens, open, tokens->at[open].partner);
    remove_entry(tokens, &entries, index);
    tokens->at[open].moved = true;
  }
}

static bool drop_parameters(gg_tokens *tokens, const gg_items *items, const gg_function *f) {
  bool changed = false;
  list parameters = read_list(tokens, f->open, tokens->at[f->open].partner);
  for (int i = parameters.count - 1; i >= 0; i--) {
    int name = parameter_name(tokens, parameters.at[i].first, parameters.at[i].last);
    if (name < 0 || named_between(tokens, name, f->body, f->last)) continue;
    if (!only_called(tokens, f) || !argument_computes_only(tokens, items, f, i)) {
      gg_token_touch(tokens, f->name); /* look again: calls may change */
      return changed;
    }
    remove_remark(tokens, f, name);
    remove_parameter(tokens, f, i);
    changed = true;
  }
  return changed;
}

bool gg_remove_parameters(gg_tokens *tokens, gg_items *items, int since) {
  return each_function(tokens, items, since, drop_parameters);
}

/* The struct that a place is in; NULL: it is in none. */
static const gg_item *struct_around(const gg_items *items, int at) {
  for (int i = 0; i < items->count; i++) {
    const gg_item *item = &items->at[i];
    if (item->kind == GG_ITEM_TYPE && item->first <= at && at <= item->last) return item;
  }
  return NULL;
}

/* Whether the name of a method, at `at`, may mean the method: behind `.`, `->` or `::`, or anywhere
 * in its struct. Elsewhere it may be a variable of the same name. */
static bool means_method(const gg_tokens *tokens, const gg_item *owner, int at) {
  bool inside = owner && owner->first <= at && at <= owner->last;
  return inside || gg_token_is(tokens, gg_token_before(tokens, at), S(DOT) | S(ARROW) | S(SCOPE));
}

static bool drop_method(gg_tokens *tokens, const gg_items *items, const gg_function *f) {
  if (!f->method) return false;
  const gg_item *owner = struct_around(items, f->name);
  for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
    bool itself = at >= f->first && at <= f->last;
    if (!tokens->at[at].dead && !itself && means_method(tokens, owner, at)) return false;
  }
  gg_tokens_remove_lines(tokens, f->first, f->last);
  return true;
}

bool gg_remove_methods(gg_tokens *tokens, gg_items *items, int since) {
  (void)since; /* calls elsewhere may have changed */
  return each_function(tokens, items, 0, drop_method);
}

/* The number that all calls give for the template parameter `index`, where they give the same one.
 */
static gg_known common_argument(const gg_tokens *tokens, const gg_function *f, int index) {
  gg_known common = {false, 0};
  for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
    int open = -1, angle = -1;
    if (at == f->name || tokens->at[at].dead) continue;
    if (!read_call(tokens, at, &open, &angle) || angle < 0) return (gg_known){false, 0};
    list arguments = read_list(tokens, angle, gg_angle_end(tokens, angle));
    if (index >= arguments.count) return (gg_known){false, 0};
    gg_known value = gg_value_of(tokens, arguments.at[index].first, arguments.at[index].last);
    if (!value.known || (common.known && common.value != value.value)) return (gg_known){false, 0};
    common = value;
  }
  return common;
}

static bool declared_before(const gg_tokens *tokens, int name, int place) {
  int at = first_use(tokens, name);
  while (at >= 0 && tokens->at[at].dead)
    at = tokens->at[at].again;
  return at >= 0 && at < place;
}

/* The place of the one word that all calls give for the template parameter `index`; -1: they
 * differ, or give more than one word. */
static int common_word(const gg_tokens *tokens, const gg_function *f, int index) {
  int common = -1;
  for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
    int open = -1, angle = -1;
    if (at == f->name || tokens->at[at].dead) continue;
    read_call(tokens, at, &open, &angle);
    if (angle < 0) return -1;
    list arguments = read_list(tokens, angle, gg_angle_end(tokens, angle));
    if (index >= arguments.count) return -1;
    int first = arguments.at[index].first;
    bool word = first == arguments.at[index].last && gg_token_is_word(tokens, first) &&
                !gg_token_is(tokens, first, S(TRUE) | S(FALSE));
    if (!word || (common >= 0 && !same_name(tokens, first, common))) return -1;
    common = first;
  }
  return common >= 0 && declared_before(tokens, common, f->first) ? common : -1;
}

/* Replaces the word `name` in first..last by what stands at `by`. */
static void put_word(gg_tokens *tokens, int first, int last, int name, int by, bool moves) {
  for (int at = tokens->first[name], next; at >= 0 && at <= last; at = next) {
    next = tokens->at[at].again;
    if (at < first || !gg_token_names(tokens, at, name)) continue;
    gg_token_copy(tokens, at, by);
    tokens->at[at].moved = tokens->at[at].moved || moves;
  }
}

static bool names_type(const gg_tokens *tokens, const gg_items *items, int at) {
  for (int i = 0; i < items->count; i++) {
    const gg_item *item = &items->at[i];
    if (!item->dead && item->kind == GG_ITEM_TYPE && same_name(tokens, item->name, at)) return true;
  }
  return false;
}

/* Takes the entry `index` out of a list in angle brackets, and the brackets too where it was the
 * only one. */
static void remove_from_angles(gg_tokens *tokens, int angle, int index) {
  int end = gg_angle_end(tokens, angle);
  list entries = read_list(tokens, angle, end);
  if (entries.count > 1)
    remove_entry(tokens, &entries, index);
  else
    gg_tokens_remove(tokens, angle, end);
}

static bool settle_template(gg_tokens *tokens, const gg_items *items, const gg_function *f) {
  if (f->angle < 0 || f->method || !only_called(tokens, f)) return false;
  list parameters = read_list(tokens, f->angle, gg_angle_end(tokens, f->angle));
  for (int i = 0; i < parameters.count; i++) {
    int type = parameters.at[i].first, name = parameters.at[i].last;
    bool is_type = gg_token_is(tokens, type, S(CLASS)),
         is_bool = gg_token_is(tokens, type, S(BOOL));
    if (!is_type && !gg_token_is(tokens, type, S(INT) | S(BOOL) | S(UNSIGNED))) continue;
    gg_known value = common_argument(tokens, f, i);
    int word = common_word(tokens, f, i);
    if (is_type ? word < 0 || !names_type(tokens, items, word) : !value.known) continue;
    if (word >= 0)
      put_word(tokens, f->angle, f->last, tokens->at[name].name, word, true);
    else if (!gg_put_number(tokens, f->open, f->last, tokens->at[name].name, value.value, is_bool))
      return false;
    for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
      int open = -1, angle = -1;
      if (at == f->name || tokens->at[at].dead) continue;
      read_call(tokens, at, &open, &angle);
      remove_from_angles(tokens, angle, i);
      tokens->at[open].moved = true;
    }
    remove_from_angles(tokens, f->angle, i);
    if (tokens->at[f->angle].dead) {
      gg_token_take_place(tokens, gg_token_next(tokens, f->angle), f->first);
      gg_tokens_remove(tokens, f->first, f->first);
    }
    return true;
  }
  return false;
}

bool gg_settle_templates(gg_tokens *tokens, gg_items *items, int since) {
  (void)since; /* calls elsewhere may have changed */
  return each_function(tokens, items, 0, settle_template);
}

/* Replaces calls of a function whose body is { return x; } by x, or by the argument for it. */
static bool remove_wrapper(gg_tokens *tokens, const gg_items *items, const gg_function *f) {
  int keyword = gg_token_next(tokens, f->body), result = gg_token_next(tokens, keyword);
  int semicolon = gg_token_next(tokens, result);
  if (f->method || f->angle >= 0 || !gg_token_is(tokens, keyword, S(RETURN)) ||
      !gg_token_is(tokens, semicolon, S(SEMICOLON)) || gg_token_next(tokens, semicolon) != f->last)
    return false;
  list parameters = read_list(tokens, f->open, tokens->at[f->open].partner);
  int index = -1;
  for (int i = 0; i < parameters.count; i++) {
    int name = parameter_name(tokens, parameters.at[i].first, parameters.at[i].last);
    if (name >= 0 && same_name(tokens, result, name)) index = i;
  }
  bool number = tokens->at[result].kind == GG_TOKEN_NUMBER;
  if ((index < 0 && !number) || parameters.count != (index >= 0) || !only_called(tokens, f))
    return false;
  (void)items;
  bool changed = false;
  for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
    int open = -1, angle = -1;
    if (at == f->name || tokens->at[at].dead) continue;
    read_call(tokens, at, &open, &angle);
    int close = tokens->at[open].partner;
    changed = true;
    if (index < 0) {
      gg_token_copy(tokens, at, result);
      gg_tokens_remove(tokens, open, close);
      tokens->at[at].moved = true;
    } else {
      gg_token_take_place(tokens, open, at);
      gg_tokens_remove(tokens, at, at);
      tokens->at[open].moved = true;
      int first = gg_token_next(tokens, open);
      tokens->at[first].moved = true;
      gg_strip_brackets(tokens, first, gg_token_before(tokens, close));
    }
  }
  return changed;
}

bool gg_remove_wrappers(gg_tokens *tokens, gg_items *items, int since) {
  (void)since; /* calls elsewhere may have changed */
  return each_function(tokens, items, 0, remove_wrapper);
}

static bool begins_statement(const gg_tokens *tokens, int at) {
  return gg_token_is(tokens, gg_token_before(tokens, at), S(SEMICOLON) | S(BRACE) | S(BRACE_END));
}

/* Where the statement at `at` is the body of an `if` without `else`: the place of that `if`; else
 * `at`. */
static int with_condition(const gg_tokens *tokens, int at, int end) {
  int before = gg_token_before(tokens, at);
  if (!gg_token_is(tokens, before, S(PAREN_END))) return at;
  int keyword = gg_token_before(tokens, tokens->at[before].partner);
  bool condition = gg_token_is(tokens, keyword, S(IF)) &&
                   !gg_token_is(tokens, gg_token_next(tokens, end), S(ELSE));
  return condition ? keyword : at;
}

/* Removes a call of a function that does nothing. */
static bool remove_call(gg_tokens *tokens, const gg_items *items, int at, int open) {
  int end = gg_token_next(tokens, tokens->at[open].partner);
  int first = with_condition(tokens, at, end);
  if (!gg_token_is(tokens, end, S(SEMICOLON)) || !begins_statement(tokens, first) ||
      !computes_only(tokens, items, gg_token_next(tokens, first), tokens->at[open].partner, 0))
    return false;
  gg_tokens_remove_lines(tokens, first, end);
  return true;
}

static bool remove_empty(gg_tokens *tokens, const gg_items *items, const gg_function *f) {
  bool changed = false;
  if (f->method || gg_token_next(tokens, f->body) != f->last || !only_called(tokens, f))
    return false;
  for (int at = first_use(tokens, f->name); at >= 0; at = tokens->at[at].again) {
    int open = -1, angle = -1;
    if (at == f->name || tokens->at[at].dead) continue;
    if (read_call(tokens, at, &open, &angle))
      changed = remove_call(tokens, items, at, open) || changed;
  }
  return changed;
}

bool gg_remove_empty(gg_tokens *tokens, gg_items *items, int since) {
  (void)since; /* calls elsewhere may have changed */
  return each_function(tokens, items, 0, remove_empty);
}

/* ---- Variables -------------------------------------------------------------------------- */

static bool has_comma(const gg_tokens *tokens, int first, int last) {
  for (int at = first; at < last; at = gg_token_past(tokens, at)) {
    int angle = gg_token_is(tokens, at, S(LESS)) ? gg_angle_end(tokens, at) : -1;
    if (angle >= 0) at = angle;
    if (gg_token_is(tokens, at, S(COMMA))) return true;
  }
  return false;
}

/* Removes `const T x = y;` and names y x, where y stands nowhere else but in a declaration before,
 * without a value, as a T. (A value such as nullptr is also a word that stands in front of this
 * one, but not behind a T.) */
static bool rename_variable(gg_tokens *tokens, int at, int name, int end, int first, int last) {
  int equals = gg_token_next(tokens, name), other = gg_token_next(tokens, equals);
  if (!gg_token_is(tokens, at, S(CONST)) || !gg_token_is(tokens, equals, S(ASSIGN)) ||
      !gg_token_is_word(tokens, other) || gg_token_next(tokens, other) != end)
    return false;
  int declared = -1;
  for (int i = first; i <= last; i++) {
    if (!gg_token_names(tokens, i, tokens->at[other].name) || i == other) continue;
    if (declared >= 0 || i > other || gg_token_is(tokens, gg_token_before(tokens, i), S(ASSIGN)))
      return false;
    declared = i;
  }
  if (declared < 0 || named_between(tokens, name, first, name - 1)) return false;
  int type = gg_token_before(tokens, declared);
  if (!gg_token_is_word(tokens, type) || !same_name(tokens, type, gg_token_before(tokens, name)))
    return false;
  put_word(tokens, declared, declared, tokens->at[other].name, name, false);
  gg_tokens_remove_lines(tokens, at, end);
  return true;
}

static bool is_dropped(gg_tokens *tokens, const gg_items *items, int name, int end, int first,
                       int last) {
  if (named_between(tokens, name, name + 1, last) || named_between(tokens, name, first, name - 1))
    return false;
  bool drops = computes_only(tokens, items, gg_token_next(tokens, name), end, 0);
  if (!drops) gg_token_touch(tokens, name); /* look again: the functions it calls may change */
  return drops;
}

/* Drops one declarator of a statement like `const int x = 1, y = 2;` and keeps the others. */
static bool drop_declarator(gg_tokens *tokens, const gg_items *items, int name, int end, int first,
                            int last) {
  list entries = read_list(tokens, gg_token_before(tokens, name), end);
  for (int i = 0; i < entries.count; i++) {
    int at = entries.at[i].first;
    if (!gg_token_is_word(tokens, at) ||
        !is_dropped(tokens, items, at, entries.at[i].last, first, last))
      continue;
    remove_entry(tokens, &entries, i);
    tokens->at[gg_token_before(tokens, name)].moved = true;
    return true;
  }
  return false;
}

/* Drops the statement at `at`, which declares `name`, or one of its declarators. */
static bool drop_local(gg_tokens *tokens, const gg_items *items, int at, int name, int first,
                       int last) {
  int end = gg_statement_end(tokens, at);
  if (end >= last) return false;
  if (has_comma(tokens, at, end)) return drop_declarator(tokens, items, name, end, first, last);
  if (rename_variable(tokens, at, name, end, first, last)) return true;
  if (!is_dropped(tokens, items, name, end, first, last)) return false;
  gg_tokens_remove_lines(tokens, at, end);
  return true;
}

/* Whether a `{` begins a block of statements, and not a list of values. */
static bool opens_block(const gg_tokens *tokens, int brace) {
  return gg_token_is(tokens, gg_token_before(tokens, brace),
                     S(PAREN_END) | S(SEMICOLON) | S(BRACE) | S(BRACE_END) | S(ELSE));
}

/* Goes through the statements of a body, those of inner blocks too, and drops the locals that
 * nothing reads. */
static bool drop_locals(gg_tokens *tokens, const gg_items *items, int first, int body, int last) {
  bool changed = false;
  int before = body; /* the token in front of `at` */
  for (int at = gg_token_next(tokens, body); at < last; at = gg_token_next(tokens, at)) {
    bool begins = gg_token_is(tokens, before, S(SEMICOLON) | S(BRACE) | S(BRACE_END));
    int name = begins ? gg_declared_name(tokens, at) : -1;
    if (name >= 0) changed = drop_local(tokens, items, at, name, first, last) || changed;
    if (gg_token_is(tokens, at, S(BRACE)) && !opens_block(tokens, at)) at = tokens->at[at].partner;
    if (!tokens->at[at].dead) before = at;
  }
  return changed;
}

static bool drop_function_locals(gg_tokens *tokens, const gg_items *items, const gg_function *f) {
  return drop_locals(tokens, items, f->first, f->body, f->last);
}

bool gg_remove_locals(gg_tokens *tokens, gg_items *items, int since) {
  bool changed = each_function(tokens, items, since, drop_function_locals);
  for (int i = 0; i < items->count; i++) {
    const gg_item *item = &items->at[i];
    if (item->kind == GG_ITEM_KERNEL && item->body >= 0 &&
        gg_tokens_changed(tokens, item->first, item->last, since))
      changed = drop_locals(tokens, items, item->first, item->body, item->last) || changed;
  }
  return changed;
}
