/* Reads a text into tokens, writes it back, and steps and changes in between. */
#include "specialise/tokens.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 1024 };

typedef struct reader {
  gg_tokens *out;
  const char *at, *end;
  int capacity, word_capacity;
  struct word {
    const char *text;
    int length, next; /* next: another word of its bucket, or -1 */
    unsigned hash;
  } * words;            /* by number */
  int buckets[BUCKETS]; /* by hash: the first word, or -1 */
  bool in_word[256];    /* by character; false for the NUL that ends the text */
  bool in_space[256];
  int signs_from[256];  /* by character: the first of signs.def that begins with it */
  gg_signs single[256]; /* by character: the sign that consists of it alone */
} reader;

static bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* ---- Reading ---------------------------------------------------------------------------- */

/* `>>` is read as two signs, since it may end two lists of template arguments. */
static int sign_length(const char *at, const char *end) {
  char next = at + 1 < end ? at[1] : '\0';
  if (next == '=') return strchr("<>=!+-*/%&|^", *at) ? 2 : 1;
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

static int word_length(const reader *r, const char *at, unsigned *hash) {
  const char *to = at;
  unsigned sum = 0;
  for (; r->in_word[(unsigned char)*to]; to++)
    sum = sum * 31 + (unsigned char)*to;
  *hash = sum;
  return (int)(to - at);
}

static unsigned hash_of(const char *word, int length) {
  unsigned hash = 0;
  for (int i = 0; i < length; i++)
    hash = hash * 31 + (unsigned char)word[i];
  return hash;
}

/* The number of a word: that of the same word before, or a new one. */
static int name_of(reader *r, const char *word, int length, unsigned hash) {
  int *bucket = &r->buckets[hash % BUCKETS];
  for (int name = *bucket; name >= 0; name = r->words[name].next) {
    const struct word *known = &r->words[name];
    if (known->hash == hash && known->length == length &&
        memcmp(known->text, word, (size_t)length) == 0)
      return name;
  }
  int name = r->out->names++;
  r->words[name] = (struct word){word, length, *bucket, hash};
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

/* Numbers the signs of signs.def as the first words, in their order. */
static void prepare(reader *r) {
  for (int i = 0; i < BUCKETS; i++)
    r->buckets[i] = -1;
  for (int c = 0; c < 256; c++) {
    r->in_word[c] = is_word_char((char)c);
    r->in_space[c] = c == ' ' || c == '\n' || c == '\t';
    r->signs_from[c] = SIGNS;
  }
  for (int i = SIGNS - 1; i >= 0; i--) {
    int length = (int)strlen(signs[i].text);
    r->signs_from[(unsigned char)*signs[i].text] = i;
    if (length == 1) r->single[(unsigned char)*signs[i].text] = UINT64_C(1) << signs[i].sign;
    r->out->names = i;
    name_of(r, signs[i].text, length, hash_of(signs[i].text, length));
  }
  r->out->names = SIGNS;
}

static void read_word(reader *r, gg_token *token) {
  unsigned hash;
  token->kind = GG_TOKEN_WORD;
  token->length = word_length(r, token->text, &hash);
  token->name = name_of(r, token->text, token->length, hash);
  if (token->name < SIGNS) token->sign = UINT64_C(1) << signs[token->name].sign;
}

/* Reads a sign. Signs that begin with the same character stand together in signs.def. */
static void read_sign(const reader *r, gg_token *token) {
  token->kind = GG_TOKEN_SIGN;
  token->length = sign_length(token->text, r->end);
  token->sign = token->length == 1 ? r->single[(unsigned char)*token->text] : 0;
  if (token->length == 1) return; /* most signs are one character */
  for (int i = r->signs_from[(unsigned char)*token->text];
       i < SIGNS && *signs[i].text == *token->text; i++)
    if (signs[i].text[1] == token->text[1]) token->sign = UINT64_C(1) << signs[i].sign;
}

/* Reads a pragma. `#pragma unroll NAME` gets the name of the word that it ends with. */
static void read_pragma(reader *r, gg_token *token) {
  token->kind = GG_TOKEN_PRAGMA;
  token->length = line_length(token->text, r->end);
  int begin = token->length;
  while (begin > 0 && is_word_char(token->text[begin - 1]))
    begin--;
  const char *word = token->text + begin;
  int length = token->length - begin;
  if (!is_digit(*word)) token->name = name_of(r, word, length, hash_of(word, length));
}

static void read_token(reader *r, gg_token *token) {
  const char *at = token->text;
  if (r->in_word[(unsigned char)*at] && !is_digit(*at)) {
    read_word(r, token);
  } else if (at[0] == '/' && at + 1 < r->end && at[1] == '/') {
    token->kind = GG_TOKEN_COMMENT;
    token->skipped = true;
    token->length = line_length(at, r->end);
  } else if (*at == '#') {
    read_pragma(r, token);
  } else if (is_digit(*at)) {
    token->kind = GG_TOKEN_NUMBER;
    token->length = number_length(at, r->end);
  } else if (*at == '"' || *at == '\'') {
    token->kind = GG_TOKEN_STRING;
    token->length = string_length(at, r->end);
  } else {
    read_sign(r, token);
  }
}

void *gg_make_room(gg_arena *arena, void *entries, int *capacity, int count, size_t size) {
  if (count < *capacity) return entries;
  void *out = gg_arena_alloc_unset(arena, 2 * (size_t)*capacity * size);
  if (!out) return NULL;
  *capacity *= 2;
  return memcpy(out, entries, (size_t)count * size);
}

/* Makes room for one more token and one more word. False: memory ran out. */
static bool has_room(reader *r) {
  gg_tokens *out = r->out;
  if (out->count < r->capacity && out->names < r->word_capacity) return true;
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
  const char *at = r->at;
  for (;; at += out->at[out->count++].length) {
    int newlines = 0;
    const char *line = at; /* where the last line of the space begins */
    for (; r->in_space[(unsigned char)*at]; at++) {
      if (*at != '\n') continue;
      newlines++;
      line = at + 1;
    }
    if (at == r->end) return true;
    if (!has_room(r)) return false;
    gg_token *token = &out->at[out->count];
    *token = (gg_token){.text = at,
                        .newlines = newlines,
                        .indent = (int16_t)(at - line),
                        .partner = -1,
                        .again = -1,
                        .name = -1};
    read_token(r, token);
  }
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

/* Sets the partner of every bracket. While a bracket is still open, its `partner` holds the place
 * of the open bracket around it. */
static gg_status pair_brackets(gg_tokens *tokens, gg_error *err) {
  int open = -1;
  for (int i = 0; i < tokens->count; i++) {
    gg_token *token = &tokens->at[i];
    if (token->sign & (S(PAREN) | S(SQUARE) | S(BRACE))) {
      token->partner = open;
      open = i;
    } else if (token->sign & (S(PAREN_END) | S(SQUARE_END) | S(BRACE_END))) {
      if (open < 0 || !closes(*tokens->at[open].text, *token->text))
        return fail_bracket(tokens, i, err);
      token->partner = open;
      open = tokens->at[open].partner;
      tokens->at[token->partner].partner = i;
    }
  }
  return open < 0 ? GG_OK : fail_bracket(tokens, open, err);
}

/* Links all places of each word. */
static void index_words(gg_tokens *tokens) {
  for (int name = 0; name < tokens->names; name++)
    tokens->first[name] = -1;
  for (int at = tokens->count - 1; at >= 0; at--) {
    gg_token *token = &tokens->at[at];
    if (token->name < 0) continue;
    token->again = tokens->first[token->name];
    tokens->first[token->name] = at;
  }
}

gg_status gg_tokens_read(gg_tokens *out, gg_arena *arena, const char *text, size_t length,
                         gg_error *err) {
  *out = (gg_tokens){.arena = arena};
  reader r = {.out = out, .at = text, .end = text + length};
  r.capacity = (int)(length / 5) + 64; /* enough for the templates; it grows where needed */
  r.word_capacity = 8 * SIGNS;
  out->at = gg_arena_alloc_unset(arena, (size_t)r.capacity * sizeof *out->at);
  r.words = gg_arena_alloc_unset(arena, (size_t)r.word_capacity * sizeof *r.words);
  if (!out->at || !r.words) return gg_fail(err, MEMORY, NULL, "");
  prepare(&r);
  if (!read_all(&r)) return gg_fail(err, MEMORY, NULL, "");
  out->values = GG_ARENA_ARRAY(arena, gg_known, (size_t)out->names + 1);
  out->sizes = GG_ARENA_ARRAY(arena, int, (size_t)out->names + 1);
  out->first = gg_arena_alloc_unset(arena, ((size_t)out->names + 1) * sizeof *out->first);
  out->last_pass = GG_ARENA_ARRAY(arena, int, (size_t)out->count / GG_STRETCH + 1);
  if (!out->values || !out->sizes || !out->first || !out->last_pass)
    return gg_fail(err, MEMORY, NULL, "");
  index_words(out);
  return pair_brackets(out, err);
}

/* ---- Writing ---------------------------------------------------------------------------- */

static void write_space(gg_str *out, const gg_token *token, bool first) {
  for (int n = 0; !first && n < token->newlines && n < 2; n++)
    gg_str_putc(out, '\n');
  for (int n = 0; n < token->indent; n++)
    gg_str_putc(out, ' ');
}

/* Whether `token` follows `last` in the text that was read just as it is to be written: neither has
 * new text, and the space between them is what it was. */
static bool goes_on(const gg_token *last, const gg_token *token) {
  if (last->changed || token->changed || token->newlines > 2) return false;
  const char *space = last->text + last->length;
  if (token->text - space != token->newlines + token->indent) return false;
  if (space + 1 == token->text) return *space == (token->newlines > 0 ? '\n' : ' ');
  for (int n = 0; space < token->text; n++, space++)
    if (*space != (n < token->newlines ? '\n' : ' ')) return false;
  return true;
}

/* Writes in one piece each stretch of tokens that stands as it was read. */
void gg_tokens_write(gg_str *out, const gg_tokens *tokens) {
  const gg_token *first = NULL, *last = NULL; /* first and last token of the piece */
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

static int simple_statement_end(const gg_tokens *tokens, int at) {
  if (gg_token_is(tokens, at, S(BRACE))) return tokens->at[at].partner;
  while (at < tokens->count && !gg_token_is(tokens, at, S(SEMICOLON)))
    at = gg_token_next(tokens, gg_token_is(tokens, at, S(PAREN) | S(SQUARE) | S(BRACE))
                                   ? tokens->at[at].partner
                                   : at);
  return at;
}

int gg_statement_end(const gg_tokens *tokens, int first) {
  int ifs = 0; /* `if`s that may still get an `else`, innermost first */
  for (int at = first;;) {
    while (at < tokens->count && tokens->at[at].kind == GG_TOKEN_PRAGMA)
      at = gg_token_next(tokens, at);
    int head = gg_token_next(tokens, at);
    if (gg_token_is(tokens, head, S(CONSTEXPR))) head = gg_token_next(tokens, head);
    if (gg_token_is(tokens, at, S(IF) | S(FOR) | S(WHILE)) && gg_token_is(tokens, head, S(PAREN))) {
      ifs += gg_token_is(tokens, at, S(IF));
      at = gg_token_next(tokens, tokens->at[head].partner);
      continue;
    }
    int end = simple_statement_end(tokens, at), otherwise = gg_token_next(tokens, end);
    if (ifs == 0 || !gg_token_is(tokens, otherwise, S(ELSE))) return end;
    ifs--;
    at = gg_token_next(tokens, otherwise);
  }
}

bool gg_token_names(const gg_tokens *tokens, int at, int name) {
  return !tokens->at[at].dead && tokens->at[at].name == name &&
         !gg_token_is(tokens, gg_token_before(tokens, at), S(DOT) | S(ARROW));
}

/* ---- Changes ---------------------------------------------------------------------------- */

bool gg_tokens_changed(const gg_tokens *tokens, int first, int last, int pass) {
  for (int i = first / GG_STRETCH; i <= last / GG_STRETCH; i++)
    if (tokens->last_pass[i] >= pass) return true;
  return false;
}

void gg_tokens_remove(gg_tokens *tokens, int first, int last) {
  for (int i = first; i <= last; i++) {
    tokens->at[i].dead = tokens->at[i].skipped = true;
    tokens->at[i].sign = 0;
    gg_token_touch(tokens, i);
  }
}

/* Replaces the NAME of `#pragma unroll NAME`. */
static void put_in_pragma(gg_tokens *tokens, gg_token *token, const char *text, int length) {
  int stem = token->length;
  while (is_word_char(token->text[stem - 1]))
    stem--;
  char *line = gg_arena_alloc_unset(tokens->arena, (size_t)(stem + length));
  tokens->failed = tokens->failed || !line;
  if (!line) return;
  memcpy(line, token->text, (size_t)stem);
  memcpy(line + stem, text, (size_t)length);
  token->text = line;
  token->length = stem + length;
}

/* Takes the token out of the list of its word's places. */
static void unlink_token(gg_tokens *tokens, int at) {
  int *link = &tokens->first[tokens->at[at].name];
  while (*link != at)
    link = &tokens->at[*link].again;
  *link = tokens->at[at].again;
  tokens->at[at].name = -1;
}

static void link_token(gg_tokens *tokens, int at, int name) {
  int *link = &tokens->first[name];
  while (*link >= 0 && *link < at)
    link = &tokens->at[*link].again;
  tokens->at[at].again = *link;
  tokens->at[at].name = name;
  *link = at;
}

/* Gives a token other text. That text must outlive the tokens. */
static void put(gg_tokens *tokens, int at, gg_token_kind kind, const char *text, int length) {
  gg_token *token = &tokens->at[at];
  gg_token_touch(tokens, at);
  token->changed = true;
  if (token->name >= 0) unlink_token(tokens, at);
  if (token->kind == GG_TOKEN_PRAGMA) {
    put_in_pragma(tokens, token, text, length);
    return;
  }
  token->kind = kind;
  token->text = text;
  token->length = length;
  token->sign = 0;
}

void gg_token_copy(gg_tokens *tokens, int at, int from) {
  const gg_token *model = &tokens->at[from];
  put(tokens, at, model->kind, model->text, model->length);
  if (tokens->at[at].kind != GG_TOKEN_PRAGMA) tokens->at[at].sign = model->sign;
  if (model->name >= 0) link_token(tokens, at, model->name);
}

void gg_token_set_bool(gg_tokens *tokens, int at, bool value) {
  put(tokens, at, GG_TOKEN_WORD, value ? "true" : "false", value ? 4 : 5);
  if (tokens->at[at].kind != GG_TOKEN_PRAGMA) tokens->at[at].sign = value ? S(TRUE) : S(FALSE);
}

void gg_token_take_place(gg_tokens *tokens, int at, int place) {
  tokens->at[at].newlines = tokens->at[place].newlines;
  tokens->at[at].indent = tokens->at[place].indent;
}

/* The first of the comments in front of `first` that belong to it: no empty line lies between. */
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
  for (int *link = &tokens->first[name]; *link >= 0 && *link <= last;) {
    int at = *link;
    if (at < first || !gg_token_names(tokens, at, name)) { /* outside of the range, or a member */
      link = &tokens->at[at].again;
      continue;
    }
    *link = tokens->at[at].again;
    tokens->at[at].name = -1;
    if (is_bool)
      gg_token_set_bool(tokens, at, value != 0);
    else
      put(tokens, at, GG_TOKEN_NUMBER, number, length);
    tokens->at[at].moved = true;
  }
  return true;
}
