/* Marks what is reached from the kernel on, then removes what is not marked. */
#include "specialise/prune.h"

#include "specialise/expression.h"
#include "specialise/functions.h"

typedef struct marker {
  gg_tokens *tokens;
  gg_items *items;
  int *by_name; /* by word: the first item of that name, or -1; also at -1, for tokens that are no
                 * word */
  int *next;    /* by item: another one of the same name */
  bool *alive;  /* by item */
  int *queue;
  int queued;
} marker;

static bool prepare(marker *m) {
  gg_arena *arena = m->tokens->arena;
  size_t items = (size_t)m->items->count + 1, names = (size_t)m->tokens->names + 1;
  int *by_name = GG_ARENA_ARRAY(arena, int, names + 1);
  m->next = GG_ARENA_ARRAY(arena, int, items);
  m->queue = GG_ARENA_ARRAY(arena, int, items);
  m->alive = GG_ARENA_ARRAY(arena, bool, items);
  m->tokens->failed = m->tokens->failed || !by_name || !m->next || !m->queue || !m->alive;
  if (m->tokens->failed) return false;
  m->by_name = by_name + 1;
  for (int i = -1; i < m->tokens->names; i++)
    m->by_name[i] = -1;
  for (int i = 0; i < m->items->count; i++) {
    const gg_item *item = &m->items->at[i];
    if (item->dead || item->name < 0 || item->kind == GG_ITEM_MEMBER) continue;
    int name = m->tokens->at[item->name].name;
    m->next[i] = m->by_name[name];
    m->by_name[name] = i;
  }
  return true;
}

static void mark(marker *m, int item) {
  if (m->alive[item]) return;
  m->alive[item] = true;
  m->queue[m->queued++] = item;
}

static void mark_names(marker *m, int first, int last) {
  const gg_token *tokens = m->tokens->at;
  const int *by_name = m->by_name;
  for (int at = first; at <= last; at++) {
    if (tokens[at].dead) continue;
    for (int i = by_name[tokens[at].name]; i >= 0; i = m->next[i])
      mark(m, i);
  }
}

/* Marks the type of a constant: the words of its statement in front of the first name. */
static void mark_type(marker *m, const gg_item *item) {
  int at = item->statement, next = gg_token_next(m->tokens, at);
  for (; gg_token_is_word(m->tokens, next); next = gg_token_next(m->tokens, at = next))
    mark_names(m, at, at);
}

/* Marks all that the text of the queued items names, until the queue is empty. */
static void follow(marker *m) {
  while (m->queued > 0) {
    const gg_item *item = &m->items->at[m->queue[--m->queued]];
    if (item->kind == GG_ITEM_CONSTANT) mark_type(m, item);
    mark_names(m, item->first, item->last);
  }
}

/* Whether every declaration of the text that first..last name is alive. */
static bool all_alive(const marker *m, int first, int last) {
  for (int at = first; at <= last; at++) {
    const gg_token *token = &m->tokens->at[at];
    if (token->dead) continue;
    for (int i = m->by_name[token->name]; i >= 0; i = m->next[i])
      if (!m->alive[i]) return false;
  }
  return true;
}

/* Marks what follows others: an operator is used where the types of its parameters are, and an
 * assertion stays where all that it names stays. */
static void mark_followers(marker *m) {
  for (int i = 0; i < m->items->count; i++) {
    const gg_item *item = &m->items->at[i];
    if (item->dead || m->alive[i]) continue;
    bool operator= item->kind == GG_ITEM_FUNCTION && item->name<0;
    if (operator&& all_alive(m, item->first, item->body)) mark(m, i);
  }
  follow(m);
  for (int i = 0; i < m->items->count; i++) {
    const gg_item *item = &m->items->at[i];
    if (!item->dead && item->kind == GG_ITEM_ASSERT && all_alive(m, item->first, item->last))
      m->alive[i] = true;
  }
}

/* Whether the struct named at `at` is given an alias there: `= NAME;`. */
static bool is_aliased(const gg_tokens *tokens, int at) {
  return gg_token_is(tokens, gg_token_before(tokens, at), S(ASSIGN)) &&
         gg_token_is(tokens, gg_token_next(tokens, at), S(SEMICOLON));
}

static bool has_alias(const gg_tokens *tokens, int name) {
  for (int at = tokens->first[name]; at >= 0; at = tokens->at[at].again)
    if (!tokens->at[at].dead && is_aliased(tokens, at)) return true;
  return false;
}

/* Whether a struct may go by another name: it is a template argument (it stands between `<` or `,`
 * and `>` or `,`), it has an alias, or it is a template itself. */
static bool has_other_name(const gg_tokens *tokens, int name) {
  for (int at = tokens->first[tokens->at[name].name]; at >= 0; at = tokens->at[at].again) {
    if (tokens->at[at].dead) continue;
    if (gg_token_is(tokens, gg_token_next(tokens, at), S(LESS)) || is_aliased(tokens, at))
      return true;
    if (gg_token_is(tokens, gg_token_before(tokens, at), S(LESS) | S(COMMA)) &&
        gg_token_is(tokens, gg_token_next(tokens, at), S(GREATER) | S(COMMA)))
      return true;
  }
  return false;
}

/* The function template that the token at `at` is in; NULL: none. */
static const gg_function *template_around(const gg_tokens *tokens, const gg_items *items, int at) {
  for (int i = 0; i < items->function_count; i++) {
    const gg_function *f = &items->functions[i];
    bool parameters = f->angle >= 0 && !tokens->at[f->angle].dead;
    if (parameters && f->first <= at && at <= f->last) return f;
  }
  return NULL;
}

static bool is_parameter_of(const gg_tokens *tokens, const gg_function *f, int name) {
  int end = gg_angle_end(tokens, f->angle);
  for (int at = f->angle; at <= end; at++)
    if (!tokens->at[at].dead && tokens->at[at].name == name) return true;
  return false;
}

static bool is_given(const marker *m, const gg_function *f, int name, int depth);

/* Whether one of the template arguments behind the `<` at `angle` is the struct of that name, or is
 * a parameter of the template around it that may stand for the struct. */
static bool gives(const marker *m, int angle, int name, int depth) {
  const gg_tokens *tokens = m->tokens;
  const gg_function *around = template_around(tokens, m->items, angle);
  int end = gg_angle_end(tokens, angle);
  for (int at = angle; at <= end; at++) {
    if (tokens->at[at].dead || tokens->at[at].name < 0) continue;
    if (tokens->at[at].name == name) return true;
    if (around && is_parameter_of(tokens, around, tokens->at[at].name) &&
        is_given(m, around, name, depth + 1))
      return true;
  }
  return false;
}

/* Whether some call gives the struct to the function template as an argument. A call without
 * template arguments counts as one that may, as does a chain of more than DEPTH_MAX templates. */
static bool is_given(const marker *m, const gg_function *f, int name, int depth) {
  enum { DEPTH_MAX = 8 };
  const gg_tokens *tokens = m->tokens;
  if (depth > DEPTH_MAX) return true;
  for (int at = tokens->first[tokens->at[f->name].name]; at >= 0; at = tokens->at[at].again) {
    if (tokens->at[at].dead || at == f->name) continue;
    int angle = gg_token_next(tokens, at);
    if (!gg_token_is(tokens, angle, S(LESS)) || gg_angle_end(tokens, angle) < 0) return true;
    if (gives(m, angle, name, depth)) return true;
  }
  return false;
}

/* Whether the word in front of the `::` at `scope`, which names no struct of the text, may stand
 * for the struct of that name: as a parameter of a template that is given it. */
static bool may_stand_for(const marker *m, int scope, int name) {
  const gg_tokens *tokens = m->tokens;
  const gg_function *f = template_around(tokens, m->items, scope);
  int word = tokens->at[gg_token_before(tokens, scope)].name;
  if (!f || !is_parameter_of(tokens, f, word) || has_alias(tokens, name)) return true;
  return is_given(m, f, name, 0);
}

/* Whether the name of a member at `at` may mean the member of the struct `owner`. It does not where
 * it is being declared, in this struct or another, nor behind the `::` of another struct. */
static bool means_member(const marker *m, int at, const gg_item *owner) {
  const gg_tokens *tokens = m->tokens;
  if (tokens->at[at].dead || gg_token_is(tokens, gg_token_next(tokens, at), S(ASSIGN)))
    return false;
  int scope = gg_token_before(tokens, at);
  if (!gg_token_is(tokens, scope, S(SCOPE))) return true;
  int name = tokens->at[gg_token_before(tokens, scope)].name;
  if (name < 0 || name == tokens->at[owner->name].name) return true;
  int item = m->by_name[name];
  bool other = item >= 0 && m->items->at[item].kind == GG_ITEM_TYPE;
  return !other && has_other_name(tokens, owner->name) &&
         may_stand_for(m, scope, tokens->at[owner->name].name);
}

/* A member stays where something names it. One whose struct is gone is gone with it. */
static void mark_members(marker *m) {
  for (int i = 0; i < m->items->count; i++) {
    const gg_item *item = &m->items->at[i];
    if (item->dead || item->kind != GG_ITEM_MEMBER) continue;
    bool used = false;
    int at = m->tokens->first[m->tokens->at[item->name].name];
    for (; at >= 0 && !used; at = m->tokens->at[at].again)
      used = means_member(m, at, &m->items->at[item->owner]);
    m->alive[i] = used || !m->alive[item->owner];
  }
}

/* A heading stays where a declaration stays between it and the next heading, a remark where one
 * stays between it and the next heading or remark. */
static void mark_comments(marker *m) {
  bool under_heading = false, under_remark = false;
  for (int i = m->items->count - 1; i >= 0; i--) {
    const gg_item *item = &m->items->at[i];
    if (item->kind == GG_ITEM_HEADING) {
      m->alive[i] = under_heading;
      under_heading = under_remark = false;
    } else if (item->kind == GG_ITEM_REMARK) {
      m->alive[i] = under_remark;
      under_remark = false;
    } else if (!item->dead && m->alive[i]) {
      under_heading = under_remark = true;
    }
  }
}

/* Marks all places of the member's name as changed: with one member fewer, those of other structs
 * may now all have one value, which what reads them can use. */
static void touch_members(gg_tokens *tokens, int place) {
  for (int at = tokens->first[tokens->at[place].name]; at >= 0; at = tokens->at[at].again)
    if (!tokens->at[at].dead) gg_token_touch(tokens, at);
}

bool gg_prune(gg_tokens *tokens, gg_items *items, int since) {
  if (!gg_tokens_changed(tokens, 0, tokens->count - 1, since)) return false;
  marker m = {.tokens = tokens, .items = items};
  if (!prepare(&m)) return false;
  for (int i = 0; i < items->count; i++)
    if (items->at[i].kind == GG_ITEM_KERNEL) mark(&m, i);
  follow(&m);
  mark_followers(&m);
  mark_members(&m);
  mark_comments(&m);
  bool changed = false;
  for (int i = 0; i < items->count; i++) {
    if (items->at[i].dead || m.alive[i]) continue;
    if (items->at[i].kind == GG_ITEM_MEMBER) touch_members(tokens, items->at[i].name);
    gg_item_remove(tokens, &items->at[i]);
    changed = true;
  }
  return changed;
}
