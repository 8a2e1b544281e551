/* The lexer of PTX (PTX ISA, "Source Format" to "Constants").
 *
 * It reads the text once, forwards. An error ends the text: the token looked at turns
 * PTX_TOKEN_BAD, and whoever asks for anything else reports the lexer's error. Columns count
 * characters: only strings and comments may hold more than ASCII, and reading those moves
 * line_start on, so that a column is always one subtraction. */
#include "emu/ptx/lexer.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Errors and characters --------------------------------------------------------------- */

gg_mark ptx_lexer_mark(const ptx_lexer *lexer, ptx_place place) {
  return (gg_mark){.file = lexer->file, .line = (int)place.line, .column = (int)place.column};
}

static ptx_place place_at(const ptx_lexer *lexer, const char *at) {
  return (ptx_place){lexer->line, (uint32_t)(at - lexer->line_start) + 1};
}

static gg_status stop(ptx_lexer *lexer, gg_status st) {
  if (!lexer->status) lexer->status = st;
  lexer->token.kind = PTX_TOKEN_BAD;
  lexer->at = lexer->end;
  return lexer->status;
}

gg_status ptx_lexer_no_memory(ptx_lexer *lexer) {
  return stop(lexer, gg_fail(lexer->err, MEMORY, NULL, ""));
}

static gg_status fail_at(ptx_lexer *lexer, ptx_place place, const char *expected, const char *got) {
  gg_mark mark = ptx_lexer_mark(lexer, place);
  return stop(lexer, gg_fail(lexer->err, PTX_SYNTAX, &mark, expected, got));
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

static bool is_name(char c) {
  return is_word(c) || c == '$';
}

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

gg_status ptx_lexer_unexpected(ptx_lexer *lexer, const char *expected) {
  enum { most = 40 };
  char got[most + 8] = "the end";
  const ptx_token *token = &lexer->token;
  if (token->kind == PTX_TOKEN_BAD) return lexer->status;
  if (token->kind != PTX_TOKEN_END) {
    const char *text = token->text;
    size_t length = token->length;
    if (token->kind == PTX_TOKEN_WORD) text--, length++;
    if (token->kind == PTX_TOKEN_STRING) text = "a string", length = 8;
    bool cut = length > most;
    if (cut) length = most;
    size_t quote = token->kind != PTX_TOKEN_STRING;
    if (quote) got[0] = '\'';
    memcpy(got + quote, text, length);
    memcpy(got + quote + length, cut ? "...'" : quote ? "'" : "", cut ? 5 : quote + 1);
  }
  return fail_at(lexer, token->place, expected, got);
}

/* ---- Names ------------------------------------------------------------------------------- */

static bool same_name(const void *value, const void *key) {
  const ptx_name *name = value, *wanted = key;
  return name->length == wanted->length && !memcmp(name->text, wanted->text, wanted->length);
}

static uint32_t hash_text(const char *text, uint32_t length) {
  uint32_t hash = PTX_HASH_INIT;
  for (uint32_t i = 0; i < length; i++)
    hash = ptx_hash_byte(hash, (unsigned char)text[i]);
  return hash;
}

static ptx_name *intern(ptx_lexer *lexer, const char *text, uint32_t length, uint32_t hash) {
  ptx_name key = {.text = text, .length = length};
  ptx_slot *slot = ptx_table_seek(&lexer->names, hash, same_name, &key);
  if (!slot || slot->value) return slot ? slot->value : NULL;
  ptx_name *name = GG_ARENA_NEW(lexer->scratch, ptx_name);
  if (!name || !(name->text = gg_arena_strndup(lexer->arena, text, length))) return NULL;
  name->length = length;
  name->hash = hash;
  ptx_table_fill(&lexer->names, slot, hash, name);
  return name;
}

ptx_name *ptx_lexer_intern(ptx_lexer *lexer, const char *text, uint32_t length) {
  return intern(lexer, text, length, hash_text(text, length));
}

ptx_name *ptx_lexer_find(ptx_lexer *lexer, const char *text, uint32_t length) {
  ptx_name key = {.text = text, .length = length};
  ptx_slot *slot = ptx_table_seek(&lexer->names, hash_text(text, length), same_name, &key);
  return slot ? slot->value : NULL;
}

/* ---- Blanks ------------------------------------------------------------------------------ */

/* Moves over one character of a string or a comment; minds lines and columns. */
static void step_over(ptx_lexer *lexer) {
  unsigned char c = (unsigned char)*lexer->at++;
  if (c == '\n' || (c == '\r' && *lexer->at != '\n')) {
    lexer->line++;
    lexer->line_start = lexer->at;
  } else if ((c & 0xC0) == 0x80) {
    lexer->line_start++;
  }
}

void ptx_lexer_skip_line(ptx_lexer *lexer) {
  while (lexer->at < lexer->end && *lexer->at != '\n' && *lexer->at != '\r')
    step_over(lexer);
}

static void skip_comment(ptx_lexer *lexer) {
  ptx_place place = place_at(lexer, lexer->at);
  for (lexer->at += 2; lexer->at < lexer->end;) {
    if (lexer->at[0] == '*' && lexer->at[1] == '/') {
      lexer->at += 2;
      return;
    }
    step_over(lexer);
  }
  fail_at(lexer, place, "the '*/' of this comment", "the end");
}

/* A line that starts with `#`, as the C preprocessor leaves them (`# 1 "file"`, `#line`). */
static bool skip_hash_line(ptx_lexer *lexer) {
  const char *before = lexer->at;
  while (before > lexer->start && (before[-1] == ' ' || before[-1] == '\t'))
    before--;
  if (before > lexer->start && before[-1] != '\n' && before[-1] != '\r') return false;
  const char *word = lexer->at + 1;
  word += strspn(word, " \t");
  if (!is_digit(*word) && strncmp(word, "line", 4) != 0) return false;
  ptx_lexer_skip_line(lexer);
  return true;
}

static void skip_blanks(ptx_lexer *lexer) {
  for (;;) {
    const char *at = lexer->at;
    switch (*at) {
    case ' ':
    case '\t':
    case '\v':
    case '\f':
      lexer->at++;
      break;
    case '\n':
    case '\r':
      step_over(lexer);
      break;
    case '\\':
      if (at[1] != '\n' && at[1] != '\r') return;
      lexer->at++;
      break;
    case '/':
      if (at[1] == '/') {
        ptx_lexer_skip_line(lexer);
      } else if (at[1] == '*') {
        skip_comment(lexer);
      } else {
        return;
      }
      break;
    case '#':
      if (!skip_hash_line(lexer)) return;
      break;
    default:
      return;
    }
  }
}

/* ---- Numbers ----------------------------------------------------------------------------- */

static void fail_number(ptx_lexer *lexer, const char *what) {
  gg_mark mark = ptx_lexer_mark(lexer, lexer->token.place);
  stop(lexer, gg_fail(lexer->err, PTX_VALUE, &mark, what));
}

/* Digits of `base` with an optional U; decimal ones only up to what is no digit. */
static void lex_integer(ptx_lexer *lexer, int base) {
  uint64_t value = 0;
  const char *digits = lexer->at;
  for (; digit_value(*lexer->at) < base; lexer->at++) {
    uint64_t digit = (uint64_t)digit_value(*lexer->at);
    if (value >> 59 && value > (UINT64_MAX - digit) / (uint64_t)base) {
      fail_number(lexer, "the number does not fit in 64 bits");
      return;
    }
    value = value * (uint64_t)base + digit;
  }
  bool wrong = lexer->at == digits;
  lexer->token.is_unsigned = *lexer->at == 'U' || value > INT64_MAX;
  if (*lexer->at == 'U') lexer->at++;
  if (wrong || is_name(*lexer->at)) {
    fail_number(lexer, "this is no number: 12, 0x1f, 017, 0b11, 12U, 1.5, 0f3F800000 are");
    return;
  }
  lexer->token.kind = PTX_TOKEN_INTEGER;
  lexer->token.value = value;
}

/* 0f3F800000 or 0d3FF0000000000000: the bits. */
static void lex_float_bits(ptx_lexer *lexer, int digits) {
  uint64_t value = 0;
  int count = 0;
  for (lexer->at += 2; digit_value(*lexer->at) < 16 && count <= digits; lexer->at++, count++)
    value = value << 4 | (uint64_t)digit_value(*lexer->at);
  if (count != digits || is_name(*lexer->at)) {
    fail_number(lexer,
                digits == 8 ? "0f takes 8 hexadecimal digits" : "0d takes 16 hexadecimal digits");
    return;
  }
  lexer->token.kind = PTX_TOKEN_FLOAT;
  lexer->token.value = value;
  lexer->token.width = digits * 4;
}

/* The end of 1.5, 1., 1e5 or 1.5e-3; NULL where the digits at `at` are an integer. */
static const char *decimal_end(const char *at) {
  while (is_digit(*at))
    at++;
  bool real = *at == '.' && !is_letter(at[1]) && at[1] != '_';
  if (real) at++;
  while (is_digit(*at))
    at++;
  if (*at == 'e' || *at == 'E') {
    const char *digits = at + 1 + (at[1] == '+' || at[1] == '-');
    if (is_digit(*digits)) {
      real = true;
      for (at = digits; is_digit(*at);)
        at++;
    }
  }
  return real ? at : NULL;
}

/* strtod with a point for a point, whatever the program's locale; false when memory is out. */
static bool read_double(double *out, const char *text) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!plain) return false;
  locale_t before = uselocale(plain);
  *out = strtod(text, NULL);
  uselocale(before);
  freelocale(plain);
  return true;
}

static void lex_decimal(ptx_lexer *lexer, const char *end) {
  gg_str text = GG_STR_INIT;
  gg_str_append(&text, lexer->at, (size_t)(end - lexer->at));
  double value = 0;
  bool read = !text.failed && read_double(&value, gg_str_text(&text));
  gg_str_free(&text);
  if (!read) {
    ptx_lexer_no_memory(lexer);
    return;
  }
  lexer->at = end;
  if (is_name(*end)) {
    fail_number(lexer, "this is no number");
    return;
  }
  lexer->token.kind = PTX_TOKEN_FLOAT;
  lexer->token.width = 64;
  memcpy(&lexer->token.value, &value, sizeof value);
}

static void lex_number(ptx_lexer *lexer) {
  const char *at = lexer->at, *end;
  char second = at[0] == '0' ? at[1] : '\0';
  if (second == 'f' || second == 'F') {
    lex_float_bits(lexer, 8);
  } else if (second == 'd' || second == 'D') {
    lex_float_bits(lexer, 16);
  } else if (second == 'x' || second == 'X') {
    lexer->at += 2;
    lex_integer(lexer, 16);
  } else if (second == 'b' || second == 'B') {
    lexer->at += 2;
    lex_integer(lexer, 2);
  } else if ((end = decimal_end(at))) {
    lex_decimal(lexer, end);
  } else {
    lex_integer(lexer, at[0] == '0' ? 8 : 10);
  }
}

/* ---- Tokens ------------------------------------------------------------------------------ */

static void lex_name(ptx_lexer *lexer) {
  uint32_t hash = ptx_hash_byte(PTX_HASH_INIT, (unsigned char)*lexer->at++);
  for (; is_name(*lexer->at); lexer->at++)
    hash = ptx_hash_byte(hash, (unsigned char)*lexer->at);
  uint32_t length = (uint32_t)(lexer->at - lexer->token.text);
  lexer->token.kind = PTX_TOKEN_NAME;
  lexer->token.name = intern(lexer, lexer->token.text, length, hash);
  if (!lexer->token.name) ptx_lexer_no_memory(lexer);
}

/* The end of a modifier: letters, digits and `::`. */
static const char *word_end(const char *at) {
  for (;;) {
    if (is_word(*at)) {
      at++;
    } else if (at[0] == ':' && at[1] == ':' && is_word(at[2])) {
      at += 2;
    } else {
      return at;
    }
  }
}

static void lex_string(ptx_lexer *lexer) {
  lexer->token.text = ++lexer->at;
  while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n') {
    if (*lexer->at == '\\' && lexer->at + 1 < lexer->end && lexer->at[1] != '\n') lexer->at++;
    step_over(lexer);
  }
  if (*lexer->at != '"') {
    fail_at(lexer, lexer->token.place, "the '\"' that ends this string", "the end of the line");
    return;
  }
  lexer->token.kind = PTX_TOKEN_STRING;
  lexer->token.length = (uint32_t)(lexer->at++ - lexer->token.text);
}

static void fail_character(ptx_lexer *lexer) {
  char got[32];
  unsigned char c = (unsigned char)*lexer->at;
  snprintf(got, sizeof got, c > 0x20 && c < 0x7F ? "'%c'" : "the byte 0x%02x", c);
  fail_at(lexer, lexer->token.place, "a character of PTX", got);
}

static void lex_mark(ptx_lexer *lexer) {
  static const struct {
    char text[3];
    int kind;
  } pairs[] = {
      {"<<", PTX_TOKEN_SHL}, {">>", PTX_TOKEN_SHR}, {"<=", PTX_TOKEN_LE},  {">=", PTX_TOKEN_GE},
      {"==", PTX_TOKEN_EQ},  {"!=", PTX_TOKEN_NE},  {"&&", PTX_TOKEN_AND}, {"||", PTX_TOKEN_OR},
  };
  const char *at = lexer->at;
  bool pair = at[0] && (at[1] == '=' || at[1] == at[0]);
  for (size_t i = 0; pair && i < sizeof pairs / sizeof *pairs; i++) {
    if (at[0] == pairs[i].text[0] && at[1] == pairs[i].text[1]) {
      lexer->token.kind = pairs[i].kind;
      lexer->at += 2;
      return;
    }
  }
  if (!*at || !strchr(",;{}[]()@!<>+-*/%~&|^?:=", *at)) {
    fail_character(lexer);
    return;
  }
  lexer->token.kind = *lexer->at++;
}

void ptx_lexer_next(ptx_lexer *lexer) {
  ptx_token *token = &lexer->token;
  if (lexer->status) return;
  skip_blanks(lexer);
  if (lexer->status) return;
  const char *at = lexer->at, *end;
  *token = (ptx_token){.place = place_at(lexer, at), .text = at};
  if (at == lexer->end) return;
  if (is_letter(*at) || *at == '_' || *at == '$' || (*at == '%' && is_name(at[1]))) {
    lex_name(lexer);
  } else if (is_digit(*at)) {
    lex_number(lexer);
  } else if (*at == '.' && is_digit(at[1]) && (end = decimal_end(at)) && !is_name(*end)) {
    lex_decimal(lexer, end); /* .5, which no modifier looks like: those end with a letter */
  } else if (*at == '.' && is_word(at[1])) {
    token->kind = PTX_TOKEN_WORD;
    token->text = at + 1;
    lexer->at = word_end(at + 1);
  } else if (*at == '"') {
    lex_string(lexer);
  } else {
    lex_mark(lexer);
  }
  if (token->kind != PTX_TOKEN_STRING) token->length = (uint32_t)(lexer->at - token->text);
}

bool ptx_lexer_follows(ptx_lexer *lexer, char character) {
  if (lexer->status) return false;
  skip_blanks(lexer);
  return *lexer->at == character && !(character == ':' && lexer->at[1] == ':');
}

gg_status ptx_lexer_form(const char **text, uint32_t *length, ptx_lexer *lexer, gg_str *buffer) {
  const ptx_token *token = &lexer->token;
  const char *end = token->text + token->length;
  if (lexer->at == end) { /* no blank was skipped yet */
    while (end[0] == '.' && is_word(end[1]))
      end = word_end(end + 1);
    lexer->at = end;
  }
  *text = token->text;
  *length = (uint32_t)(end - token->text);
  if (!ptx_lexer_follows(lexer, '.')) {
    ptx_lexer_next(lexer);
    return lexer->status;
  }
  buffer->length = 0;
  gg_str_append(buffer, *text, *length);
  for (ptx_lexer_next(lexer); token->kind == PTX_TOKEN_WORD; ptx_lexer_next(lexer)) {
    gg_str_putc(buffer, '.');
    gg_str_append(buffer, token->text, token->length);
  }
  if (buffer->failed) return ptx_lexer_no_memory(lexer);
  *text = gg_str_text(buffer);
  *length = (uint32_t)buffer->length;
  return lexer->status;
}

gg_status ptx_lexer_skip_block(ptx_lexer *lexer) {
  ptx_place place = lexer->token.place;
  for (uint32_t depth = 1; depth > 0;) {
    skip_blanks(lexer);
    if (lexer->status) return lexer->status;
    if (lexer->at == lexer->end) return fail_at(lexer, place, "the '}' of this block", "the end");
    if (*lexer->at == '"') {
      lexer->token.place = place_at(lexer, lexer->at);
      lex_string(lexer);
      continue;
    }
    depth += *lexer->at == '{';
    depth -= *lexer->at == '}';
    step_over(lexer);
  }
  ptx_lexer_next(lexer);
  return lexer->status;
}
