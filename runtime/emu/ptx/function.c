/* Kernels and functions: declarations, parameters, performance directives (PTX ISA, "Kernel and
 * Function Directives"). */
#include <string.h>

#include "emu/ptx/parser.h"

/* ---- Directives -------------------------------------------------------------------------- */

/* One that takes a number; `count` of them, the others `rest`. */
typedef struct numbers {
  const char *word;
  int most;
  uint32_t *out;
} numbers;

/* *known: whether the word looked at is a directive that takes numbers. */
static gg_status parse_numbers(bool *known, ptx_parser *p) {
  ptx_function *f = p->function;
  uint32_t ignored;
  const numbers table[] = {
      {"maxntid", 3, f->maxntid},
      {"reqntid", 3, f->reqntid},
      {"reqnctapercluster", 3, f->reqnctapercluster},
      {"minnctapersm", 1, &f->minnctapersm},
      {"maxnctapersm", 1, &f->maxnctapersm},
      {"maxnreg", 1, &f->maxnreg},
      {"maxclusterrank", 1, &f->maxclusterrank},
      {"abi_preserve", 1, &ignored},
      {"abi_preserve_control", 1, &ignored},
  };
  *known = false;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (!ptx_accept_word(p, table[i].word)) continue;
    *known = true;
    return ptx_parse_extents(table[i].out, table[i].most, 1, p, table[i].word);
  }
  return GG_OK;
}

static gg_status parse_directives(ptx_parser *p) {
  ptx_function *f = p->function;
  gg_status st;
  while (ptx_at(p, PTX_TOKEN_WORD)) {
    bool known, managed;
    if ((st = parse_numbers(&known, p))) return st;
    if (known) continue;
    if (ptx_accept_word(p, "noreturn")) {
      f->noreturn = true;
    } else if (ptx_accept_word(p, "explicitcluster")) {
      f->explicitcluster = true;
    } else if (ptx_accept_word(p, "blocksareclusters")) {
      f->blocksareclusters = true;
    } else if (ptx_accept_word(p, "pragma")) {
      if ((st = ptx_parse_pragma(p))) return st;
    } else if (ptx_accept_word(p, "attribute")) {
      if ((st = ptx_parse_attribute(&managed, p))) return st;
    } else {
      return ptx_lexer_unexpected(&p->lexer, "a directive of functions");
    }
  }
  return GG_OK;
}

gg_status ptx_parse_prototype(ptx_prototype *out, ptx_parser *p) {
  ptx_name *name;
  ptx_place place;
  gg_status st;
  st = ptx_parse_parameters(&out->returns, &out->return_count, p, PTX_OF_RETURNS, true);
  if (st) return st;
  if ((st = ptx_expect_name(&name, &place, p, "'_'"))) return st;
  st = ptx_parse_parameters(&out->inputs, &out->input_count, p, PTX_OF_INPUTS, true);
  if (st) return st;
  for (;;) {
    uint32_t ignored;
    if (ptx_accept_word(p, "noreturn")) {
      out->noreturn = true;
    } else if (ptx_accept_word(p, "abi_preserve") || ptx_accept_word(p, "abi_preserve_control")) {
      if ((st = ptx_parse_extents(&ignored, 1, 1, p, "abi_preserve"))) return st;
    } else {
      return GG_OK;
    }
  }
}

/* ---- Functions --------------------------------------------------------------------------- */

static gg_status add_function(ptx_symbol **out, ptx_parser *p, ptx_name *name, ptx_place place) {
  gg_status st = ptx_scope_declare(out, &p->scopes, PTX_SYMBOL_FUNCTION, name, place);
  if (st) return st;
  ptx_function *f = (*out)->function = GG_ARENA_NEW(&p->module->arena, ptx_function);
  ptx_function **listed = ptx_list_add(&p->functions, sizeof *listed);
  if (!f || !listed) return ptx_lexer_no_memory(&p->lexer);
  *listed = f;
  f->index = p->functions.count - 1;
  return GG_OK;
}

/* Makes p->function of what was read, or finds the one that was declared before. The name belongs
 * to the module, though the scope of parameters is open. */
static gg_status begin_function(ptx_parser *p, ptx_name *name, ptx_place place) {
  ptx_symbol *symbol = name->symbol;
  gg_status st;
  if (symbol && symbol->kind == PTX_SYMBOL_FUNCTION) {
    if (symbol->function->defined && symbol->function->entry) {
      return ptx_fail_name(p, name, place, "is defined twice");
    }
  } else {
    uint32_t depth = p->scopes.depth;
    p->scopes.depth = 0;
    st = add_function(&symbol, p, name, place);
    p->scopes.depth = depth;
    if (st) return st;
  }
  p->function = symbol->function;
  p->function->name = name->text;
  p->function->place = place;
  return GG_OK;
}

/* A body; its function has none yet. */
static gg_status parse_definition(ptx_parser *p, ptx_name *name, ptx_place place) {
  ptx_function *f = p->function;
  if (f->defined) return ptx_fail_name(p, name, place, "is defined twice");
  if (f->alias) return ptx_fail_name(p, name, place, "is an alias, which has no body");
  f->defined = true;
  gg_status st = ptx_parse_body(p);
  if (st) return st;
  f->pragmas = ptx_list_keep(&p->pragmas, 0, sizeof *f->pragmas, &p->module->arena);
  f->pragma_count = p->pragmas.count;
  return f->pragmas ? GG_OK : ptx_lexer_no_memory(&p->lexer);
}

static gg_status parse_signature(ptx_name **name, ptx_place *place, ptx_parser *p,
                                 ptx_linkage linkage, bool entry) {
  ptx_variable **returns, **inputs;
  uint32_t return_count, input_count;
  gg_status st;
  st = ptx_parse_parameters(&returns, &return_count, p, PTX_OF_RETURNS, false);
  if (st) return st;
  if ((st = ptx_expect_name(name, place, p, "the function's name"))) return st;
  if (!*name) return ptx_fail_value(p, *place, "'_' names no function");
  if ((st = begin_function(p, *name, *place))) return st;
  st = ptx_parse_parameters(&inputs, &input_count, p, PTX_OF_INPUTS, false);
  if (st) return st;
  ptx_function *f = p->function;
  if (f->defined && !ptx_at(p, ';')) return ptx_fail_name(p, *name, *place, "is defined twice");
  if (f->defined) return GG_OK;
  f->returns = returns;
  f->return_count = return_count;
  f->inputs = inputs;
  f->input_count = input_count;
  f->entry = entry;
  if (linkage != PTX_LINK_EXTERN || f->linkage == PTX_LINK_NONE) f->linkage = linkage;
  return GG_OK;
}

gg_status ptx_parse_function(ptx_parser *p, ptx_linkage linkage) {
  bool entry = ptx_at_word(p, "entry");
  ptx_name *name;
  ptx_place place;
  gg_status st;
  ptx_lexer_next(&p->lexer);
  ptx_scopes_begin(&p->scopes);
  p->pragmas.count = 0;
  if ((st = ptx_scope_enter(&p->scopes))) return st;
  if ((st = parse_signature(&name, &place, p, linkage, entry))) return st;
  if ((st = parse_directives(p))) return st;
  if (ptx_at(p, '{')) {
    if ((st = parse_definition(p, name, place))) return st;
    ptx_accept(p, ';');
  } else if ((st = ptx_expect(p, ';', "'{' or ';'"))) {
    return st;
  }
  ptx_scope_leave(&p->scopes);
  return GG_OK;
}
