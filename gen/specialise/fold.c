/* Folds the branches, loops and constants of one item, from its first token to its last. After each
 * change it goes on from the statement that changed. */
#include "specialise/fold.h"

#include "specialise/expression.h"
#include "specialise/value.h"

/* ---- Statements ------------------------------------------------------------------------- */

/* Whether the statement at `at` stands directly in a block, and is not the body of an `if`, `else`
 * or loop without braces. */
static bool in_block(const gg_tokens *tokens, int at) {
  return gg_token_is(tokens, gg_token_before(tokens, at), S(BRACE) | S(BRACE_END) | S(SEMICOLON));
}

static void move_left(gg_tokens *tokens, int first, int last, int columns) {
  for (int i = first; i <= last; i++) {
    gg_token *token = &tokens->at[i];
    if (token->newlines > 0 && token->kind != GG_TOKEN_PRAGMA)
      token->indent = token->indent > columns ? token->indent - columns : 0;
  }
}

static int line_indent(const gg_tokens *tokens, int at) {
  for (; at > 0; at--)
    if (!tokens->at[at].dead && tokens->at[at].newlines > 0 &&
        tokens->at[at].kind != GG_TOKEN_PRAGMA)
      break;
  return at >= 0 ? tokens->at[at].indent : 0;
}

/* Whether a name that the block declares, at its outermost level, stands anywhere in the function
 * outside of the block. */
static bool names_clash(const gg_tokens *tokens, const gg_item *item, int open) {
  int close = tokens->at[open].partner;
  for (int at = gg_token_next(tokens, open); at < close;) {
    int name = gg_declared_name(tokens, at);
    int i = name < 0 ? -1 : tokens->first[tokens->at[name].name];
    for (; i >= 0 && i <= item->last; i = tokens->at[i].again) {
      bool inside = i >= open && i <= close;
      if (i >= item->first && !inside && gg_token_names(tokens, i, tokens->at[name].name))
        return true;
    }
    at = gg_token_next(tokens, gg_statement_end(tokens, at));
  }
  return false;
}

/* Removes the statements behind first..last, up to the end of the block, where first..last is a
 * `return`: they are never reached. */
static void remove_unreached(gg_tokens *tokens, int first, int last) {
  int next = gg_token_next(tokens, last);
  if (!gg_token_is(tokens, first, S(RETURN)) || gg_token_is(tokens, next, S(BRACE_END))) return;
  int close = next;
  while (close < tokens->count && !gg_token_is(tokens, close, S(BRACE_END)))
    close = gg_token_next(tokens, gg_statement_end(tokens, close));
  gg_tokens_remove(tokens, last + 1, close - 1);
}

/* The last of the statements that stand in first..last. */
static int last_statement(const gg_tokens *tokens, int first, int last) {
  int at = gg_token_from(tokens, first);
  while (gg_statement_end(tokens, at) < last)
    at = gg_token_next(tokens, gg_statement_end(tokens, at));
  return at;
}

/* Moves the lines first..last to the place of the statement at `place`, which was indented by
 * `indent` columns. */
static void take_statement_place(gg_tokens *tokens, int first, int last, int place, int indent) {
  bool pragma = tokens->at[first].kind == GG_TOKEN_PRAGMA;
  int code = first;
  while (tokens->at[code].dead || tokens->at[code].kind == GG_TOKEN_PRAGMA ||
         tokens->at[code].kind == GG_TOKEN_COMMENT)
    code++;
  if (tokens->at[code].newlines > 0)
    move_left(tokens, first, last, tokens->at[code].indent - indent);
  tokens->at[first].newlines = tokens->at[place].newlines;
  if (!pragma) tokens->at[first].indent = tokens->at[place].indent;
}

/* Replaces the statement first..last by a part of it, the statement keep_first..keep_last. */
static void keep_statement(gg_tokens *tokens, const gg_item *item, int first, int last,
                           int keep_first, int keep_last) {
  bool bare = in_block(tokens, first), block = gg_token_is(tokens, keep_first, S(BRACE));
  int indent = line_indent(tokens, first);
  gg_tokens_remove(tokens, first, keep_first - 1);
  gg_tokens_remove(tokens, keep_last + 1, last);
  if (block && bare && !names_clash(tokens, item, keep_first)) {
    gg_tokens_remove(tokens, keep_first, keep_first);
    gg_tokens_remove(tokens, keep_last, keep_last);
    while (keep_first < keep_last && tokens->at[keep_first].dead)
      keep_first++;
    keep_last = gg_token_back(tokens, keep_last);
    if (keep_last < keep_first) return;
  }
  if (!bare && tokens->at[keep_first].newlines > tokens->at[first].newlines) {
    take_statement_place(tokens, keep_first, keep_last, keep_first, indent + 2);
    return; /* the body of an `else` or a loop stays on its own line, indented below it */
  }
  take_statement_place(tokens, keep_first, keep_last, first, indent);
  if (!bare || gg_token_is(tokens, keep_first, S(BRACE))) return;
  remove_unreached(tokens, last_statement(tokens, keep_first, keep_last), keep_last);
}

/* Takes a statement away. False where it is the whole body of another statement, which needs one.
 */
static bool drop_statement(gg_tokens *tokens, int first, int last) {
  int before = gg_token_before(tokens, first);
  if (gg_token_is(tokens, before, S(ELSE))) {
    gg_tokens_remove(tokens, before, last);
    return true;
  }
  while (before >= 0 && tokens->at[before].kind == GG_TOKEN_PRAGMA)
    before = gg_token_before(tokens, first = before);
  if (!gg_token_is(tokens, before, S(BRACE) | S(BRACE_END) | S(SEMICOLON))) return false;
  gg_tokens_remove_lines(tokens, first, last);
  return true;
}

static bool fold_if(gg_tokens *tokens, const gg_item *item, int at) {
  int open = gg_token_next(tokens, at);
  if (gg_token_is(tokens, open, S(CONSTEXPR))) open = gg_token_next(tokens, open);
  if (!gg_token_is(tokens, open, S(PAREN))) return false;
  int close = tokens->at[open].partner;
  gg_known value = gg_value_of(tokens, open + 1, close - 1);
  if (!value.known) return false;
  int last = gg_statement_end(tokens, at);
  int yes = gg_token_next(tokens, close), yes_end = gg_statement_end(tokens, yes);
  int otherwise = gg_token_next(tokens, yes_end);
  bool has_else = otherwise <= last;
  if (value.value != 0) {
    keep_statement(tokens, item, at, last, yes, yes_end);
    return true;
  }
  if (!has_else) return drop_statement(tokens, at, last);
  int no = gg_token_next(tokens, otherwise);
  keep_statement(tokens, item, at, last, no, last);
  return true;
}

/* ---- Loops ------------------------------------------------------------------------------ */

typedef struct loop {
  int variable;           /* place of its name */
  int64_t from, to, step; /* to: the first value that the loop does not run with */
  int body;               /* place of its first token */
} loop;

/* Reads the head `for (int i = from; i < to; ++i)`, or one with `i += step`. False where it is
 * another kind of loop, or its numbers are not known. */
static bool read_loop(const gg_tokens *tokens, int at, loop *out) {
  int open = gg_token_next(tokens, at);
  if (!gg_token_is(tokens, open, S(PAREN))) return false;
  int close = tokens->at[open].partner;
  int type = gg_token_next(tokens, open), name = gg_token_next(tokens, type);
  int equals = gg_token_next(tokens, name);
  if (!gg_token_is(tokens, type, S(INT) | S(UNSIGNED)) || !gg_token_is(tokens, equals, S(ASSIGN)))
    return false;
  int first_end = gg_statement_end(tokens, type);
  int left = gg_token_next(tokens, first_end), sign = gg_token_next(tokens, left);
  int second_end = gg_statement_end(tokens, left);
  if (tokens->at[left].name != tokens->at[name].name || !gg_token_is(tokens, sign, S(LESS)))
    return false;
  gg_known from = gg_value_of(tokens, equals + 1, first_end - 1);
  gg_known to = gg_value_of(tokens, sign + 1, second_end - 1), step = {true, 1};
  int third = gg_token_next(tokens, second_end);
  if (!gg_token_is(tokens, third, S(INCREMENT))) {
    int plus = gg_token_next(tokens, third);
    if (!gg_token_is(tokens, plus, S(ADD_TO))) return false;
    step = gg_value_of(tokens, plus + 1, close - 1);
  } else if (gg_token_next(tokens, gg_token_next(tokens, third)) != close) {
    return false; /* what the head does besides `++i` would be lost */
  }
  *out = (loop){name, from.value, to.value, step.value, gg_token_next(tokens, close)};
  return from.known && to.known && step.known && step.value > 0;
}

static bool leaves_loop(const gg_tokens *tokens, int first, int last) {
  for (int i = first; i <= last; i++)
    if (gg_token_is(tokens, i, S(JUMP))) return true;
  return false;
}

/* A constant with a known value that is declared within the item, as by `const int x = 1;`, and
 * holds from there to the end of its block. */
typedef struct local {
  int name, begin, end;
} local;

enum { LOCALS_MAX = 64 };

/* The state of one walk over an item. */
typedef struct walk {
  int count;          /* entries in `locals` */
  int head, head_end; /* of the last `for`: its place, and the end of its brackets */
  bool blocked;       /* a loop of one round had to stay, since a jump leaves it */
  local locals[LOCALS_MAX];
} walk;

static bool fold_for(gg_tokens *tokens, const gg_item *item, walk *w, int at) {
  loop l;
  if (!read_loop(tokens, at, &l)) return false;
  int last = gg_statement_end(tokens, at);
  if (l.from >= l.to) return drop_statement(tokens, at, last);
  int64_t second;
  if (__builtin_add_overflow(l.from, l.step, &second) || second < l.to) return false;
  if (leaves_loop(tokens, l.body, last)) {
    w->blocked = true;
    return false;
  }
  int name = tokens->at[l.variable].name;
  if (!gg_put_number(tokens, l.body, last, name, l.from, false)) return false;
  int before = gg_token_before(tokens, at);
  if (before >= 0 && tokens->at[before].kind == GG_TOKEN_PRAGMA) {
    int newlines = tokens->at[before].newlines;
    gg_tokens_remove(tokens, before, before);
    tokens->at[at].newlines = newlines;
  }
  keep_statement(tokens, item, at, last, l.body, last);
  return true;
}

/* ---- Constants -------------------------------------------------------------------------- */

/* Whether the name at `place` is being declared there, which shows in the type in front of it. */
static bool declares(const gg_tokens *tokens, int place) {
  int before = gg_token_before(tokens, place);
  if (gg_token_is(tokens, before, S(RETURN) | S(ELSE) | S(JUMP))) return false;
  if (gg_token_is_word(tokens, before)) return true;
  return gg_token_is(tokens, before, S(AND) | S(TIMES)) &&
         gg_token_is(tokens, gg_token_next(tokens, place), S(COMMA) | S(PAREN_END)) &&
         gg_token_is_word(tokens, gg_token_before(tokens, before)) &&
         gg_token_is(tokens, gg_token_before(tokens, gg_token_before(tokens, before)),
                     S(PAREN) | S(COMMA) | S(CONST));
}

/* Notes the size of the type in `using NAME = type;`. */
static void read_alias(gg_tokens *tokens, const gg_item *item) {
  int equals = gg_token_next(tokens, item->name);
  if (gg_token_is(tokens, equals, S(ASSIGN)))
    tokens->sizes[tokens->at[item->name].name] = gg_size_of(tokens, equals + 1, item->last - 1);
}

static void read_member(gg_tokens *tokens, const gg_items *items, const gg_item *item) {
  tokens->members[tokens->member_count++] =
      (gg_member){.owner = tokens->at[items->at[item->owner].name].name,
                  .name = tokens->at[item->name].name,
                  .value = gg_value_of(tokens, item->body, item->last)};
}

/* Notes the constant's value. Where the value was not known before, everything that names the
 * constant is marked to be looked at again. */
static void read_constant(gg_tokens *tokens, const gg_item *item) {
  int name = tokens->at[item->name].name;
  gg_known value = gg_value_of(tokens, item->body, item->last);
  for (int at = tokens->first[name]; value.known && at >= 0; at = tokens->at[at].again)
    value.known = tokens->at[at].dead || at == item->name || !declares(tokens, at);
  bool is_new = value.known && !tokens->values[name].known;
  for (int at = tokens->first[name]; is_new && at >= 0; at = tokens->at[at].again)
    gg_token_touch(tokens, at);
  tokens->values[name] = value;
}

static void read_constants(gg_tokens *tokens, const gg_items *items) {
  for (int i = 0; i < items->count; i++)
    if (items->at[i].kind == GG_ITEM_TYPE) read_alias(tokens, &items->at[i]);
  tokens->member_count = 0;
  for (int i = 0; i < items->count; i++) {
    const gg_item *item = &items->at[i];
    if (item->kind == GG_ITEM_MEMBER && !item->dead && !items->at[item->owner].dead)
      read_member(tokens, items, item);
    if (item->kind == GG_ITEM_CONSTANT) read_constant(tokens, item);
  }
}

/* The place of the name of the local constant that is declared at `at`; -1: none is, or its value
 * is not known. */
static int find_local(const gg_tokens *tokens, int at, int *end, gg_known *value) {
  int type = gg_token_next(tokens, at), name = gg_token_next(tokens, type);
  int equals = gg_token_next(tokens, name);
  if (!gg_token_is(tokens, type, S(INT) | S(UNSIGNED) | S(BOOL) | S(INT64)) ||
      !gg_token_is(tokens, equals, S(ASSIGN)))
    return -1;
  *end = gg_statement_end(tokens, at);
  *value = gg_value_of(tokens, equals + 1, *end - 1);
  return value->known && !tokens->values[tokens->at[name].name].known ? name : -1;
}

/* The `}` of the block that directly holds `at`. */
static int block_end(const gg_tokens *tokens, int at) {
  while (at < tokens->count && !gg_token_is(tokens, at, S(BRACE_END)))
    at = gg_token_next(tokens, gg_token_is(tokens, at, S(PAREN) | S(SQUARE) | S(BRACE))
                                   ? tokens->at[at].partner
                                   : at);
  return at;
}

/* Where folding has left a local constant a plain number, writes the number wherever the constant's
 * name stands and removes the constant. A constant that was written as a number from the start
 * stays, since its name says what the number is. */
static bool fold_local(gg_tokens *tokens, int at, int name, int end, gg_known value) {
  int equals = gg_token_next(tokens, name), number = gg_token_next(tokens, equals);
  int type = gg_token_before(tokens, name), last = block_end(tokens, at);
  bool is_bool = gg_token_is(tokens, type, S(BOOL));
  if (!is_bool && !gg_token_is(tokens, type, S(INT))) return false; /* 4 is an int, not wider */
  if (!tokens->at[number].moved || gg_token_next(tokens, number) != end) return false;
  for (int i = tokens->first[tokens->at[name].name]; i >= 0 && i <= last; i = tokens->at[i].again)
    if (i > end && !gg_token_names(tokens, i, tokens->at[name].name)) return false;
  if (!gg_put_number(tokens, end, last, tokens->at[name].name, value.value, is_bool)) return false;
  gg_tokens_remove_lines(tokens, at, end);
  return true;
}

/* Keeps only those locals that are declared in front of `at` in a block that holds `at`. */
static void forget_locals(gg_tokens *tokens, walk *w, int at) {
  while (w->count > 0 && (at > w->locals[w->count - 1].end || at <= w->locals[w->count - 1].begin))
    tokens->values[w->locals[--w->count].name].known = false;
}

/* Notes the local constant that is declared at `at`, if one is. True where it was replaced by its
 * number instead. */
static bool learn_local(gg_tokens *tokens, walk *w, int at) {
  int end;
  gg_known value;
  int place = w->count < LOCALS_MAX ? find_local(tokens, at, &end, &value) : -1;
  if (place < 0) return false;
  bool member = gg_token_is(tokens, gg_token_before(tokens, at), S(STATIC));
  if (!member && fold_local(tokens, at, place, end, value)) return true;
  int name = tokens->at[place].name;
  w->locals[w->count++] = (local){name, at, block_end(tokens, at)};
  tokens->values[name] = value;
  return false;
}

/* Folds what stands at `at`. True where it did; else a local or a `for` that begins there is noted.
 */
static bool fold_at(gg_tokens *tokens, const gg_item *item, walk *w, int at) {
  forget_locals(tokens, w, at);
  gg_signs sign = tokens->at[at].sign;
  if (sign & S(IF)) return fold_if(tokens, item, at);
  if (sign & S(QUESTION)) return gg_fold_choice(tokens, at);
  if (sign & (S(AND_ALSO) | S(OR_ELSE))) return gg_fold_logic(tokens, at);
  if (sign & S(FOR)) {
    if (fold_for(tokens, item, w, at)) return true;
    w->head = at;
    w->head_end = gg_token_past(tokens, gg_token_next(tokens, at));
    return false;
  }
  return learn_local(tokens, w, at);
}

/* Where the walk goes on after a change at `at`: at the beginning of the statement that holds it.
 */
static int statement_begin(const gg_tokens *tokens, const gg_item *item, const walk *w, int at) {
  if (at < w->head_end) return w->head;
  int first = gg_token_from(tokens, at);
  for (int before = gg_token_before(tokens, at);
       before >= item->first &&
       !gg_token_is(tokens, before, S(SEMICOLON) | S(BRACE) | S(BRACE_END));
       before = gg_token_before(tokens, first))
    first = gg_token_is(tokens, before, S(PAREN_END) | S(SQUARE_END)) ? tokens->at[before].partner
                                                                      : before;
  return first;
}

static const gg_signs folded_signs =
    S(IF) | S(FOR) | S(QUESTION) | S(AND_ALSO) | S(OR_ELSE) | S(CONST) | S(CONSTEXPR);

/* Walks over the item once. True where another walk is needed: this one changed something, and that
 * may let a loop of one round be folded that had to stay because of a jump. */
static bool fold_once(gg_tokens *tokens, const gg_item *item, bool *changed) {
  bool changes = false;
  walk w;
  w.count = 0, w.head = w.head_end = -1, w.blocked = false;
  for (int at = gg_token_from(tokens, item->first); at <= item->last;) {
    const gg_token *token = &tokens->at[at];
    bool folds = token->sign & folded_signs       ? fold_at(tokens, item, &w, at)
                 : token->kind == GG_TOKEN_NUMBER ? gg_fold_literal(tokens, at)
                                                  : false;
    changes = changes || folds;
    at = folds ? statement_begin(tokens, item, &w, at) : gg_token_next(tokens, at);
  }
  forget_locals(tokens, &w, -1);
  *changed = *changed || changes;
  return changes && w.blocked;
}

static bool fold_item(gg_tokens *tokens, const gg_item *item) {
  bool changed = false;
  while (fold_once(tokens, item, &changed))
    ;
  return changed;
}

bool gg_fold_items(gg_tokens *tokens, gg_items *items, int since) {
  bool changed = false;
  read_constants(tokens, items);
  for (int i = 0; i < items->count; i++) {
    const gg_item *item = &items->at[i];
    if (item->kind <= GG_ITEM_TYPE && !item->dead &&
        gg_tokens_changed(tokens, item->first, item->last, since))
      changed = fold_item(tokens, item) || changed;
  }
  return changed;
}
