/* What all parts of the parser do: look at a token, go past it, say what is wrong with it. */
#include "emu/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool ptx_at_word(const ptx_parser *p, const char *word) {
  const ptx_token *token = &p->lexer.token;
  return token->kind == PTX_TOKEN_WORD && strlen(word) == token->length &&
         !memcmp(word, token->text, token->length);
}

bool ptx_accept(ptx_parser *p, int kind) {
  if (!ptx_at(p, kind)) return false;
  ptx_lexer_next(&p->lexer);
  return true;
}

bool ptx_accept_word(ptx_parser *p, const char *word) {
  if (!ptx_at_word(p, word)) return false;
  ptx_lexer_next(&p->lexer);
  return true;
}

gg_status ptx_expect(ptx_parser *p, int kind, const char *expected) {
  return ptx_accept(p, kind) ? GG_OK : ptx_lexer_unexpected(&p->lexer, expected);
}

gg_status ptx_expect_name(ptx_name **out, ptx_place *place, ptx_parser *p, const char *expected) {
  ptx_name *name = p->lexer.token.name;
  if (!ptx_at(p, PTX_TOKEN_NAME)) return ptx_lexer_unexpected(&p->lexer, expected);
  *place = p->lexer.token.place;
  *out = name->length == 1 && name->text[0] == '_' ? NULL : name;
  ptx_lexer_next(&p->lexer);
  return GG_OK;
}

gg_status ptx_expect_string(const char **out, ptx_parser *p) {
  const ptx_token *token = &p->lexer.token;
  if (!ptx_at(p, PTX_TOKEN_STRING)) return ptx_lexer_unexpected(&p->lexer, "a string");
  *out = gg_arena_strndup(&p->module->arena, token->text, token->length);
  if (!*out) return ptx_lexer_no_memory(&p->lexer);
  ptx_lexer_next(&p->lexer);
  return GG_OK;
}

gg_status ptx_fail_value(ptx_parser *p, ptx_place place, const char *format, ...) {
  char what[256];
  gg_mark mark = ptx_lexer_mark(&p->lexer, place);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return gg_fail(p->err, PTX_VALUE, &mark, what);
}

gg_status ptx_fail_name(ptx_parser *p, const ptx_name *name, ptx_place place, const char *what) {
  return ptx_scope_fail(&p->scopes, name, place, what);
}
