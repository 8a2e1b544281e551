/* Finds where declarations begin and end, and what they declare. */
#include "specialise/items.h"

#include "specialise/expression.h"

typedef struct finder {
  gg_tokens *tokens;
  gg_items *out;
  int capacity, function_capacity;
  gg_item spare; /* entries go here where memory ran out */
} finder;

static gg_item *add(finder *f, gg_item_kind kind, int first, int last) {
  gg_items *out = f->out;
  gg_item *at = gg_make_room(f->tokens->arena, out->at, &f->capacity, out->count, sizeof *at);
  f->tokens->failed = f->tokens->failed || !at;
  if (at) out->at = at;
  gg_item *item = at ? &at[out->count++] : &f->spare;
  *item = (gg_item){.kind = kind, .first = first, .last = last, .name = -1, .body = -1};
  return item;
}

static void add_function(finder *f, int first, int body, int name, bool method) {
  gg_items *out = f->out;
  gg_function *at = gg_make_room(f->tokens->arena, out->functions, &f->function_capacity,
                                 out->function_count, sizeof *at);
  f->tokens->failed = f->tokens->failed || !at;
  if (!at) return;
  out->functions = at;
  bool template = gg_token_is(f->tokens, first, S(TEMPLATE));
  at[out->function_count++] =
      (gg_function){.first = first,
                    .last = f->tokens->at[body].partner,
                    .name = name,
                    .open = gg_token_next(f->tokens, name),
                    .body = body,
                    .angle = template ? gg_token_next(f->tokens, first) : -1,
                    .method = method};
}

/* The last token of the declaration at `first`: a `;`, or the `}` of a function's body. `body`: the
 * place of that body's `{`, or -1. */
static int declaration_end(const gg_tokens *tokens, int first, int *body) {
  bool parameters = false, other = false;
  *body = -1;
  for (int at = first; at < tokens->count;) {
    if (gg_token_is(tokens, at, S(SEMICOLON))) return at;
    if (gg_token_is(tokens, at, S(BRACE)) && parameters && !other)
      return *body = at, tokens->at[at].partner;
    other = other || gg_token_is(tokens, at, S(ASSIGN) | S(STRUCT));
    if (gg_token_is(tokens, at, S(OPERATOR))) at = gg_token_next(tokens, at);
    parameters = parameters || gg_token_is(tokens, at, S(PAREN));
    at = gg_token_past(tokens, at);
  }
  return tokens->count - 1;
}

/* Adds one constant for each declarator of `constexpr int a = 1, b = 2;`. */
static void add_constants(finder *f, gg_item_kind kind, int first, int last, int owner) {
  const gg_tokens *tokens = f->tokens;
  for (int at = first; at < last;) {
    int equals = at;
    while (equals < last && !gg_token_is(tokens, equals, S(ASSIGN)))
      equals = gg_token_past(tokens, equals);
    int end = equals;
    while (end < last && !gg_token_is(tokens, end, S(COMMA)))
      end = gg_token_past(tokens, end);
    int name = gg_token_before(tokens, equals);
    if (gg_token_is(tokens, name, S(SQUARE_END)))
      name = gg_token_before(tokens, tokens->at[name].partner);
    gg_item *item = add(f, kind, name, gg_token_before(tokens, end));
    item->owner = owner;
    item->name = name;
    item->body = gg_token_next(tokens, equals);
    item->statement = first;
    at = gg_token_next(tokens, end);
  }
}

/* The place of a function's name, the word in front of its list of parameters; -1: it has none. */
static int function_name(const gg_tokens *tokens, int first, int body) {
  int at = gg_token_before(tokens, body);
  if (gg_token_is(tokens, at, S(CONST))) at = gg_token_before(tokens, at);
  int name = gg_token_before(tokens, tokens->at[at].partner);
  return name >= first && gg_token_is_word(tokens, name) ? name : -1;
}

/* The place of the name in `struct alignas(64) tensor_map {` or `using int64 = ...`. */
static int type_name(const gg_tokens *tokens, int keyword) {
  int at = gg_token_next(tokens, keyword);
  if (gg_token_is(tokens, at, S(ALIGNAS))) at = gg_token_past(tokens, gg_token_next(tokens, at));
  return at;
}

/* Adds the constant members of the struct that was added last. */
static void add_members(finder *f, int first, int last) {
  const gg_tokens *tokens = f->tokens;
  int owner = f->out->count - 1;
  for (int at = first; at < last; at = gg_token_next(tokens, at)) {
    if (!gg_token_is(tokens, at, S(STATIC)) ||
        !gg_token_is(tokens, gg_token_next(tokens, at), S(CONSTEXPR)))
      continue;
    int end = gg_statement_end(tokens, at);
    add_constants(f, GG_ITEM_MEMBER, at, end, owner);
    at = end;
  }
}

/* Adds a struct's methods: NAME(...) [const] { ... } inside of it. */
static void add_methods(finder *f, int declaration, int last) {
  const gg_tokens *tokens = f->tokens;
  int open = declaration;
  while (open < last && !gg_token_is(tokens, open, S(BRACE)))
    open = gg_token_past(tokens, open);
  int first = gg_token_next(tokens, open);
  for (int at = first; at < tokens->at[open].partner;) {
    int next = gg_token_past(tokens, at);
    if (gg_token_is(tokens, at, S(BRACE))) {
      int before = gg_token_before(tokens, at);
      if (gg_token_is(tokens, before, S(CONST))) before = gg_token_before(tokens, before);
      int name = gg_token_is(tokens, before, S(PAREN_END))
                     ? gg_token_before(tokens, tokens->at[before].partner)
                     : -1;
      if (gg_token_is_word(tokens, name)) {
        add_function(f, first, at, name, true);
        first = next;
      }
    } else if (gg_token_is(tokens, at, S(SEMICOLON))) {
      first = next;
    }
    at = next;
  }
}

static void add_declaration(finder *f, int first, int last, int body) {
  const gg_tokens *tokens = f->tokens;
  int at = first;
  if (gg_token_is(tokens, at, S(TEMPLATE)))
    at = gg_token_next(tokens, gg_angle_end(tokens, gg_token_next(tokens, at)));
  if (body >= 0) {
    bool kernel = gg_token_is(tokens, first, S(EXTERN));
    gg_item *item = add(f, kernel ? GG_ITEM_KERNEL : GG_ITEM_FUNCTION, first, last);
    item->name = function_name(tokens, first, body);
    item->body = body;
    if (!kernel && item->name >= 0) add_function(f, first, body, item->name, false);
  } else if (gg_token_is(tokens, at, S(STRUCT) | S(USING))) {
    add(f, GG_ITEM_TYPE, first, last)->name = type_name(tokens, at);
    add_members(f, first, last);
    add_methods(f, first, last);
  } else if (gg_token_is(tokens, at, S(STATIC_ASSERT))) {
    add(f, GG_ITEM_ASSERT, first, last);
  } else if (gg_token_is(tokens, at, S(CONSTEXPR))) {
    add_constants(f, GG_ITEM_CONSTANT, first, last, -1);
  } else {
    /* A declaration of any other kind is kept like a kernel, with all that it names. */
    add(f, GG_ITEM_KERNEL, first, last);
  }
}

/* Adds the comments between `at` and the next token, one item for each paragraph that an empty line
 * ends. The last paragraph, right above the token, belongs to the token's declaration. */
static void add_comments(finder *f, int at) {
  const gg_tokens *tokens = f->tokens;
  for (int first = at; at < tokens->count && tokens->at[at].kind == GG_TOKEN_COMMENT; at++) {
    bool ends = at + 1 == tokens->count || tokens->at[at + 1].newlines > 1;
    if (!ends) continue;
    bool heading = tokens->at[first].length > 7 && tokens->at[first].text[3] == '-';
    if (tokens->at[first].newlines > 0)
      add(f, heading ? GG_ITEM_HEADING : GG_ITEM_REMARK, first, at);
    first = at + 1;
  }
}

gg_status gg_items_find(gg_items *out, gg_tokens *tokens, gg_error *err) {
  finder f = {.tokens = tokens, .out = out, .capacity = 256, .function_capacity = 128};
  out->at = GG_ARENA_ARRAY(tokens->arena, gg_item, (size_t)f.capacity);
  out->functions = GG_ARENA_ARRAY(tokens->arena, gg_function, (size_t)f.function_capacity);
  out->count = out->function_count = 0;
  if (!out->at || !out->functions) return gg_fail(err, MEMORY, NULL, "");
  for (int at = 0; at < tokens->count;) {
    add_comments(&f, at);
    int first = gg_token_from(tokens, at), body;
    if (first == tokens->count) break;
    int last = declaration_end(tokens, first, &body);
    add_declaration(&f, first, last, body);
    at = last + 1;
  }
  tokens->members = GG_ARENA_ARRAY(tokens->arena, gg_member, (size_t)out->count + 1);
  return tokens->members && !tokens->failed ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

/* ---- Taking one away -------------------------------------------------------------------- */

/* Removes one declarator; the other declarators of its statement stay. */
static void remove_constant(gg_tokens *tokens, const gg_item *item) {
  int before = gg_token_before(tokens, item->first), next = gg_token_next(tokens, item->last);
  gg_tokens_remove(tokens, item->first, item->last);
  if (gg_token_is(tokens, next, S(COMMA))) {
    int follower = gg_token_next(tokens, next);
    gg_token_take_place(tokens, follower, item->first);
    gg_tokens_remove(tokens, next, next);
  } else if (gg_token_is(tokens, before, S(COMMA))) {
    gg_tokens_remove(tokens, before, before);
  } else {
    gg_tokens_remove_lines(tokens, item->statement, next);
  }
}

void gg_item_remove(gg_tokens *tokens, gg_item *item) {
  item->dead = true;
  if (item->kind == GG_ITEM_CONSTANT || item->kind == GG_ITEM_MEMBER) {
    remove_constant(tokens, item);
    return;
  }
  gg_tokens_remove_lines(tokens, item->first, item->last);
}
