/* Text <-> tokens, and steps from one to the other. */
#include "specialise/tokens.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
  gg_tokens *out;
  const char *at, *end;
  int capacity, word_capacity;
  struct word {
    const char *text;
    int length, next; /* next: another word of its bucket, or -1 */
  } * words;          /* by name */
  int *buckets;       /* by hash: a word, or -1 */
  int bucket_count;
} reader;

static bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* ---- Reading ---------------------------------------------------------------------------- */

/* `>>` is two signs: it may end two lists of template arguments. */
static int sign_length(const char *at, const char *end) {
  char next = at + 1 < end ? at[1] : '\0';
  if (next == '=' && strchr("<>=!+-*/%&|^", *at)) return 2;
  if (*at == '-' && next == '>') return 2;
  return next == *at && strchr(":<&|+-", *at) ? 2 : 1;
}

static int string_length(const char *at, const char *end) {
  const char *to = at + 1;
  while (to < end && *to != *at)
    to += *to == '\\' && to + 1 < end ? 2 : 1;
  return (int)(to < end ? to + 1 - at : end - at);
}

static int line_length(const char *at, const char *end) {
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  return (int)((newline ? newline : end) - at);
}

static int number_length(const char *at, const char *end) {
  const char *to = at;
  while (to < end && (is_word_char(*to) || *to == '.'))
    to++;
  return (int)(to - at);
}

static int word_length(const char *at, const char *end) {
  const char *to = at;
  while (to < end && is_word_char(*to))
    to++;
  return (int)(to - at);
}

static void classify(gg_token *token, const char *at, const char *end) {
  token->text = at;
  if (at[0] == '/' && at + 1 < end && at[1] == '/') {
    token->kind = GG_TOKEN_COMMENT;
    token->length = line_length(at, end);
  } else if (*at == '#') {
    token->kind = GG_TOKEN_PRAGMA;
    token->length = line_length(at, end);
  } else if (is_digit(*at)) {
    token->kind = GG_TOKEN_NUMBER;
    token->length = number_length(at, end);
  } else if (is_word_char(*at)) {
    token->kind = GG_TOKEN_WORD;
    token->length = word_length(at, end);
  } else if (*at == '"' || *at == '\'') {
    token->kind = GG_TOKEN_STRING;
    token->length = string_length(at, end);
  } else {
    token->kind = GG_TOKEN_SIGN;
    token->length = sign_length(at, end);
  }
}

/* The number of a word: the same as that of the same word before, or a new one. */
static int name_of(reader *r, const char *word, int length) {
  unsigned hash = 2166136261u;
  for (int i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)word[i]) * 16777619u;
  int *bucket = &r->buckets[hash % (unsigned)r->bucket_count];
  for (int name = *bucket; name >= 0; name = r->words[name].next) {
    if (r->words[name].length == length && memcmp(r->words[name].text, word, (size_t)length) == 0)
      return name;
  }
  int name = r->out->names++;
  r->words[name] = (struct word){word, length, *bucket};
  return *bucket = name;
}

static const struct {
  gg_sign sign;
  const char *text;
} signs[] = {
#define GG_SIGN(name, text) {GG_SIGN_##name, text},
#include "specialise/signs.def"
#undef GG_SIGN
};

enum { SIGNS = sizeof signs / sizeof *signs };

/* The first words are the signs, in their order. */
static void name_signs(reader *r) {
  for (int i = 0; i < SIGNS; i++)
    name_of(r, signs[i].text, (int)strlen(signs[i].text));
}

static void name_token(reader *r, gg_token *token) {
  if (token->kind == GG_TOKEN_WORD || token->kind == GG_TOKEN_SIGN) {
    int name = name_of(r, token->text, token->length);
    if (name < SIGNS) token->sign = UINT64_C(1) << signs[name].sign;
    if (token->kind == GG_TOKEN_WORD) token->name = name;
  }
  if (token->kind != GG_TOKEN_PRAGMA) return;
  int begin = token->length;
  while (begin > 0 && is_word_char(token->text[begin - 1]))
    begin--;
  if (!is_digit(token->text[begin]))
    token->name = name_of(r, token->text + begin, token->length - begin);
}

void *gg_make_room(gg_arena *arena, void *entries, int *capacity, int count, size_t size) {
  if (count < *capacity) return entries;
  void *out = gg_arena_alloc(arena, 2 * (size_t)*capacity * size);
  if (!out) return NULL;
  *capacity *= 2;
  return memcpy(out, entries, (size_t)count * size);
}

/* For a token, which may be a new word. */
static bool has_room(reader *r) {
  gg_tokens *out = r->out;
  gg_token *tokens = gg_make_room(out->arena, out->at, &r->capacity, out->count, sizeof *tokens);
  struct word *words =
      gg_make_room(out->arena, r->words, &r->word_capacity, out->names, sizeof *words);
  if (!tokens || !words) return false;
  out->at = tokens;
  r->words = words;
  return true;
}

static bool read_all(reader *r) {
  gg_tokens *out = r->out;
  for (int newlines = 0, indent = 0; r->at < r->end;) {
    if (!has_room(r)) return false;
    if (*r->at == '\n') {
      newlines++, indent = 0, r->at++;
    } else if (*r->at == ' ' || *r->at == '\t') {
      indent++, r->at++;
    } else {
      gg_token *token = &out->at[out->count];
      *token = (gg_token){.newlines = newlines, .indent = indent, .partner = -1, .name = -1};
      classify(token, r->at, r->end);
      name_token(r, token);
      out->count++;
      r->at += token->length;
      newlines = indent = 0;
    }
  }
  return true;
}

static bool closes(char open, char close) {
  return (open == '(' && close == ')') || (open == '[' && close == ']') ||
         (open == '{' && close == '}');
}

static int line_of(const gg_tokens *tokens, int at) {
  int line = 1;
  for (int i = 0; i <= at; i++)
    line += tokens->at[i].newlines;
  return line;
}

static gg_status fail_bracket(const gg_tokens *tokens, int at, gg_error *err) {
  const gg_token *token = &tokens->at[at];
  return gg_fail(err, SPECIALISE_BRACKETS, NULL, token->length, token->text, line_of(tokens, at));
}

/* `open` has room for all that are open. */
static gg_status pair_brackets(gg_tokens *tokens, int *open, gg_error *err) {
  int depth = 0;
  for (int i = 0; i < tokens->count; i++) {
    const gg_token *token = &tokens->at[i];
    if (token->sign & (S(PAREN) | S(SQUARE) | S(BRACE))) {
      open[depth++] = i;
    } else if (token->sign & (S(PAREN_END) | S(SQUARE_END) | S(BRACE_END))) {
      if (depth == 0 || !closes(*tokens->at[open[depth - 1]].text, *token->text))
        return fail_bracket(tokens, i, err);
      tokens->at[open[--depth]].partner = i;
      tokens->at[i].partner = open[depth];
    }
  }
  return depth == 0 ? GG_OK : fail_bracket(tokens, open[depth - 1], err);
}

gg_status gg_tokens_read(gg_tokens *out, gg_arena *arena, const char *text, size_t length,
                         gg_error *err) {
  *out = (gg_tokens){.arena = arena};
  reader r = {.out = out, .at = text, .end = text + length, .bucket_count = 1021};
  r.capacity = (int)(length / 5) + 64; /* what templates need; else it grows */
  r.word_capacity = 4 * SIGNS;
  out->at = GG_ARENA_ARRAY(arena, gg_token, (size_t)r.capacity);
  r.buckets = GG_ARENA_ARRAY(arena, int, (size_t)r.bucket_count);
  r.words = GG_ARENA_ARRAY(arena, struct word, (size_t)r.word_capacity);
  if (!out->at || !r.buckets || !r.words) return gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < r.bucket_count; i++)
    r.buckets[i] = -1;
  name_signs(&r);
  if (!read_all(&r)) return gg_fail(err, MEMORY, NULL, "");
  int *open = GG_ARENA_ARRAY(arena, int, (size_t)out->count + 1);
  out->values = GG_ARENA_ARRAY(arena, gg_known, (size_t)out->names + 1);
  out->sizes = GG_ARENA_ARRAY(arena, int, (size_t)out->names + 1);
  out->first = GG_ARENA_ARRAY(arena, int, (size_t)out->names + 1);
  if (!open || !out->values || !out->sizes || !out->first) return gg_fail(err, MEMORY, NULL, "");
  gg_tokens_index(out);
  return pair_brackets(out, open, err);
}

void gg_tokens_index(gg_tokens *tokens) {
  for (int name = 0; name < tokens->names; name++)
    tokens->first[name] = -1;
  for (int at = tokens->count - 1; at >= 0; at--) {
    gg_token *token = &tokens->at[at];
    if (token->dead || token->name < 0) continue;
    token->again = tokens->first[token->name];
    tokens->first[token->name] = at;
  }
}

/* ---- Writing ---------------------------------------------------------------------------- */

static void write_space(gg_str *out, const gg_token *token, bool first) {
  for (int n = 0; !first && n < token->newlines && n < 2; n++)
    gg_str_putc(out, '\n');
  for (int n = 0; n < token->indent; n++)
    gg_str_putc(out, ' ');
}

/* Whether the text that was read goes on behind `last`, one of its tokens, with the space in front
 * of `token` as it is now, and with that. */
static bool goes_on(const gg_token *last, const gg_token *token) {
  if (last->changed || token->changed || token->newlines > 2) return false;
  const char *space = last->text + last->length;
  if (token->text - space != token->newlines + token->indent) return false;
  for (int n = 0; space < token->text; n++, space++)
    if (*space != (n < token->newlines ? '\n' : ' ')) return false;
  return true;
}

/* What stands as it was read is written in one piece. */
void gg_tokens_write(gg_str *out, const gg_tokens *tokens) {
  const gg_token *first = NULL, *last = NULL; /* of the piece */
  for (int i = 0; i < tokens->count; i++) {
    const gg_token *token = &tokens->at[i];
    if (token->dead) continue;
    if (!last || !goes_on(last, token)) {
      if (last) gg_str_append(out, first->text, (size_t)(last->text + last->length - first->text));
      write_space(out, token, !last);
      first = token;
    }
    last = token;
  }
  if (last) gg_str_append(out, first->text, (size_t)(last->text + last->length - first->text));
  gg_str_putc(out, '\n');
}

/* ---- Steps ------------------------------------------------------------------------------ */

bool gg_token_reads(const gg_tokens *tokens, int at, const char *text) {
  const gg_token *token = &tokens->at[at];
  return !token->dead && strncmp(token->text, text, (size_t)token->length) == 0 &&
         !text[token->length];
}

bool gg_token_is_word(const gg_tokens *tokens, int at) {
  return at >= 0 && at < tokens->count && !tokens->at[at].dead &&
         tokens->at[at].kind == GG_TOKEN_WORD;
}

int gg_statement_end(const gg_tokens *tokens, int first) {
  int at = first;
  while (at < tokens->count && tokens->at[at].kind == GG_TOKEN_PRAGMA)
    at = gg_token_next(tokens, at);
  if (gg_token_is(tokens, at, S(BRACE))) return tokens->at[at].partner;
  if (gg_token_is(tokens, at, S(IF) | S(FOR) | S(WHILE))) {
    bool is_if = gg_token_is(tokens, at, S(IF));
    at = gg_token_next(tokens, at);
    if (gg_token_is(tokens, at, S(CONSTEXPR))) at = gg_token_next(tokens, at);
    int end = gg_statement_end(tokens, gg_token_next(tokens, tokens->at[at].partner));
    int otherwise = gg_token_next(tokens, end);
    if (!is_if || !gg_token_is(tokens, otherwise, S(ELSE))) return end;
    return gg_statement_end(tokens, gg_token_next(tokens, otherwise));
  }
  while (at < tokens->count && !gg_token_is(tokens, at, S(SEMICOLON)))
    at = gg_token_next(tokens, gg_token_is(tokens, at, S(PAREN) | S(SQUARE) | S(BRACE))
                                   ? tokens->at[at].partner
                                   : at);
  return at;
}

bool gg_token_names(const gg_tokens *tokens, int at, int name) {
  return !tokens->at[at].dead && tokens->at[at].name == name &&
         !gg_token_is(tokens, gg_token_before(tokens, at), S(DOT) | S(ARROW));
}

/* ---- Changes ---------------------------------------------------------------------------- */

void gg_tokens_remove(gg_tokens *tokens, int first, int last) {
  for (int i = first; i <= last; i++)
    tokens->at[i].dead = true;
}

/* #pragma unroll NAME names NAME. */
static void put_in_pragma(gg_tokens *tokens, gg_token *token, const char *text, int length) {
  int stem = token->length;
  while (is_word_char(token->text[stem - 1]))
    stem--;
  char *line = gg_arena_alloc(tokens->arena, (size_t)(stem + length + 1));
  tokens->failed = tokens->failed || !line;
  if (!line) return;
  memcpy(line, token->text, (size_t)stem);
  memcpy(line + stem, text, (size_t)length);
  token->text = line;
  token->length = stem + length;
}

void gg_token_put(gg_tokens *tokens, int at, gg_token_kind kind, const char *text, int length) {
  gg_token *token = &tokens->at[at];
  token->name = -1;
  token->fresh = token->changed = true;
  if (token->kind == GG_TOKEN_PRAGMA) {
    put_in_pragma(tokens, token, text, length);
    return;
  }
  token->kind = kind;
  token->text = text;
  token->length = length;
  token->sign = 0;
  for (int i = 0; i < SIGNS; i++) {
    bool same = strncmp(signs[i].text, text, (size_t)length) == 0 && !signs[i].text[length];
    if (same) token->sign = UINT64_C(1) << signs[i].sign;
  }
}

void gg_token_set(gg_tokens *tokens, int at, gg_token_kind kind, const char *text) {
  gg_token_put(tokens, at, kind, text, (int)strlen(text));
}

void gg_token_take_place(gg_tokens *tokens, int at, int place) {
  tokens->at[at].newlines = tokens->at[place].newlines;
  tokens->at[at].indent = tokens->at[place].indent;
}

/* The first comment in front of `first` that belongs to it: no empty line between. */
static int with_comments(const gg_tokens *tokens, int first) {
  while (first > 0) {
    const gg_token *above = &tokens->at[first - 1];
    if (above->dead || above->kind != GG_TOKEN_COMMENT) break;
    if (above->newlines == 0 || tokens->at[first].newlines > 1) break;
    first--;
  }
  return first;
}

/* The comment behind `last` on its line, or `last`. */
static int with_remark(const gg_tokens *tokens, int last) {
  int next = last + 1;
  bool behind = next < tokens->count && tokens->at[next].kind == GG_TOKEN_COMMENT &&
                tokens->at[next].newlines == 0;
  return behind ? next : last;
}

void gg_tokens_remove_lines(gg_tokens *tokens, int first, int last) {
  gg_tokens_remove(tokens, with_comments(tokens, first), with_remark(tokens, last));
}

bool gg_put_number(gg_tokens *tokens, int first, int last, int name, int64_t value, bool is_bool) {
  char text[24];
  int length = snprintf(text, sizeof text, "%" PRId64, value);
  const char *number = gg_arena_strndup(tokens->arena, text, (size_t)length);
  tokens->failed = tokens->failed || !number;
  if (!number) return false;
  for (int i = first; i <= last; i++) {
    if (tokens->at[i].dead || tokens->at[i].name != name) continue;
    if (is_bool)
      gg_token_set(tokens, i, GG_TOKEN_WORD, value ? "true" : "false");
    else
      gg_token_set(tokens, i, GG_TOKEN_NUMBER, number);
    tokens->at[i].moved = true;
  }
  return true;
}
