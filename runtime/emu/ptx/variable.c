/* Declarations of variables, registers and parameters (PTX ISA, "Variables"). */
#include <string.h>

#include "emu/ptx/parser.h"

/* What stands before a name. */
typedef struct head {
  emu_type type;
  uint32_t vector, align; /* align 0: natural */
  bool managed, pointer;
  ptx_space pointee;
  uint32_t pointee_align;
} head;

static const struct {
  const char *word;
  ptx_space space;
} spaces[] = {
    {"global", PTX_SPACE_GLOBAL}, {"const", PTX_SPACE_CONST}, {"shared", PTX_SPACE_SHARED},
    {"local", PTX_SPACE_LOCAL},   {"param", PTX_SPACE_PARAM},
};

bool ptx_at_space(ptx_space *out, const ptx_parser *p) {
  for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
    if (!ptx_at_word(p, spaces[i].word)) continue;
    *out = spaces[i].space;
    return true;
  }
  return false;
}

/* ---- Before the name --------------------------------------------------------------------- */

/* Attributes other than .managed (.unified(id, id)) are read and dropped. */
gg_status ptx_parse_attribute(bool *managed, ptx_parser *p) {
  gg_status st;
  if ((st = ptx_expect(p, '(', "'('"))) return st;
  for (int open = 1; open > 0; ptx_lexer_next(&p->lexer)) {
    if (ptx_at_word(p, "managed")) *managed = true;
    if (ptx_at(p, '(')) open++;
    if (ptx_at(p, ')')) open--;
    if (ptx_at(p, PTX_TOKEN_END) || ptx_at(p, PTX_TOKEN_BAD)) {
      return ptx_lexer_unexpected(&p->lexer, "')'");
    }
  }
  return GG_OK;
}

static gg_status parse_align(uint32_t *out, ptx_parser *p) {
  uint64_t align;
  ptx_place place = p->lexer.token.place;
  gg_status st = ptx_parse_integer(&align, p, 1, UINT32_C(1) << 30, "an alignment");
  if (st) return st;
  if (align & (align - 1)) {
    return ptx_fail_value(p, place, "an alignment is a power of two, not %llu",
                          (unsigned long long)align);
  }
  *out = (uint32_t)align;
  return GG_OK;
}

/* `.ptr .space .align n`, behind the .ptr. */
static gg_status parse_pointer(head *out, ptx_parser *p) {
  out->pointer = true;
  out->pointee = PTX_SPACE_GENERIC;
  out->pointee_align = 1;
  if (ptx_at_space(&out->pointee, p)) ptx_lexer_next(&p->lexer);
  return ptx_accept_word(p, "align") ? parse_align(&out->pointee_align, p) : GG_OK;
}

static emu_type type_of_word(const ptx_token *token) {
  static const char *const opaque[] = {"texref", "samplerref", "surfref"};
  for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
    if (strlen(opaque[i]) == token->length && !memcmp(opaque[i], token->text, token->length)) {
      return EMU_B64;
    }
  }
  return emu_type_find(token->text, token->length);
}

static gg_status parse_head(head *out, ptx_parser *p) {
  gg_status st = GG_OK;
  *out = (head){.vector = 1};
  while (ptx_at(p, PTX_TOKEN_WORD) && !st) {
    emu_type type = type_of_word(&p->lexer.token);
    if (type && !out->type) {
      out->type = type;
      ptx_lexer_next(&p->lexer);
    } else if (ptx_accept_word(p, "align")) {
      st = parse_align(&out->align, p);
    } else if (ptx_accept_word(p, "v2")) {
      out->vector = 2;
    } else if (ptx_accept_word(p, "v4")) {
      out->vector = 4;
    } else if (ptx_accept_word(p, "v8")) {
      out->vector = 8;
    } else if (ptx_accept_word(p, "ptr")) {
      st = parse_pointer(out, p);
    } else if (ptx_accept_word(p, "attribute")) {
      st = ptx_parse_attribute(&out->managed, p);
    } else {
      break;
    }
  }
  if (st) return st;
  return out->type ? GG_OK : ptx_lexer_unexpected(&p->lexer, "a type such as .b32");
}

/* ---- Variables --------------------------------------------------------------------------- */

/* `[4][8]`, `[]`: into extents[]; an unsized dimension is 0. */
static gg_status parse_dimensions(uint64_t *extents, int *rank, ptx_parser *p) {
  gg_status st;
  for (*rank = 0; ptx_at(p, '['); (*rank)++) {
    ptx_place place = p->lexer.token.place;
    gg_mark mark = ptx_lexer_mark(&p->lexer, place);
    if (*rank == PTX_DIMENSIONS_MAX) {
      return gg_fail(p->err, PTX_LIMIT, &mark, "an array has too many dimensions",
                     PTX_DIMENSIONS_MAX, "dimensions");
    }
    ptx_lexer_next(&p->lexer);
    extents[*rank] = 0;
    if (*rank == 0 && ptx_accept(p, ']')) continue;
    st = ptx_parse_integer(&extents[*rank], p, 0, INT64_MAX, "a dimension");
    if (!st) st = ptx_expect(p, ']', "']'");
    if (st) return st;
  }
  return GG_OK;
}

/* Sets count and bytes; `first` stands for a first dimension that is not written. */
static gg_status measure(ptx_variable *v, ptx_parser *p, const uint64_t *extents, int rank,
                         uint64_t first) {
  uint64_t element = (uint64_t)v->vector * (uint64_t)emu_type_bytes(v->type);
  v->count = 1;
  for (int i = 0; i < rank; i++) {
    uint64_t extent = i == 0 && v->unsized ? first : extents[i];
    bool overflow = extent && v->count > INT64_MAX / extent;
    v->count = overflow ? UINT64_MAX : v->count * extent;
  }
  if (v->count > INT64_MAX / element) {
    return ptx_fail_value(p, v->place, "the size of '%.80s' does not fit in 63 bits", v->name);
  }
  v->bytes = v->count * element;
  return GG_OK;
}

static gg_status parse_initial(ptx_variable *v, ptx_parser *p, uint64_t *extents, int rank) {
  uint64_t reached;
  gg_status st;
  if (v->linkage == PTX_LINK_EXTERN ||
      (v->space != PTX_SPACE_GLOBAL && v->space != PTX_SPACE_CONST)) {
    return ptx_fail_value(p, v->place,
                          "'%.80s' has an initialiser, which .global and .const "
                          "variables that are defined here alone may have",
                          v->name);
  }
  if (v->vector > 1) extents[rank++] = v->vector;
  if ((st = ptx_parse_initialiser(&reached, p, v, extents, rank))) return st;
  if (!v->unsized) return GG_OK;
  if (v->vector > 1) rank--;
  uint64_t rest = (uint64_t)v->vector * (uint64_t)emu_type_bytes(v->type);
  for (int i = 1; i < rank; i++)
    rest *= extents[i];
  uint64_t first = rest ? (reached + rest - 1) / rest : 0;
  if ((st = measure(v, p, extents, rank, first))) return st;
  v->unsized = false;
  return GG_OK;
}

/* What stands behind the name: dimensions and an initialiser. */
static gg_status parse_extent(ptx_variable *v, ptx_parser *p, const ptx_name *name) {
  uint64_t extents[PTX_DIMENSIONS_MAX + 1];
  int rank;
  gg_status st;
  if ((st = parse_dimensions(extents, &rank, p))) return st;
  v->array = rank > 0;
  v->unsized = rank > 0 && extents[0] == 0;
  if ((st = measure(v, p, extents, rank, 1))) return st;
  if (v->unsized) v->count = v->bytes = 0;
  if (ptx_accept(p, '=')) return parse_initial(v, p, extents, rank);
  if (v->unsized && v->space != PTX_SPACE_PARAM && v->linkage != PTX_LINK_EXTERN) {
    return ptx_fail_name(p, name, v->place, "has no size, which only an .extern may lack");
  }
  return GG_OK;
}

static ptx_variable *make_variable(ptx_parser *p, const head *h, ptx_space space, ptx_place place) {
  ptx_variable *v = GG_ARENA_NEW(&p->module->arena, ptx_variable);
  if (!v) return NULL;
  v->name = "_";
  v->place = place;
  v->space = space;
  v->type = h->type;
  v->vector = h->vector;
  v->managed = h->managed;
  v->pointer = h->pointer;
  v->pointee = h->pointee;
  v->pointee_align = h->pointee_align;
  v->align = h->align ? h->align : h->vector * (uint32_t)emu_type_bytes(h->type);
  return v;
}

static gg_status list_variable(ptx_list *list, ptx_parser *p, ptx_variable *v, ptx_owner owner) {
  if (++p->variable_count > PTX_VARIABLES_MAX) {
    gg_mark mark = ptx_lexer_mark(&p->lexer, v->place);
    return gg_fail(p->err, PTX_LIMIT, &mark, "a module has too many variables", PTX_VARIABLES_MAX,
                   "variables and parameters");
  }
  ptx_variable **slot = ptx_list_add(list, sizeof *slot);
  if (!slot) return ptx_lexer_no_memory(&p->lexer);
  *slot = v;
  v->owner = owner;
  v->index = list->count - 1;
  return GG_OK;
}

/* A definition takes the place of an .extern before it; an .extern says nothing new. */
static gg_status declare_variable(ptx_parser *p, ptx_variable **v, ptx_name *name) {
  ptx_symbol *symbol = name->symbol;
  bool global = p->scopes.depth == 0;
  gg_status st;
  (*v)->name = name->text;
  if (global && symbol && symbol->kind == PTX_SYMBOL_VARIABLE &&
      (symbol->variable->linkage == PTX_LINK_EXTERN || (*v)->linkage == PTX_LINK_EXTERN)) {
    ptx_variable *first = symbol->variable;
    if ((*v)->linkage == PTX_LINK_EXTERN) return GG_OK;
    (*v)->index = first->index;
    *first = **v;
    *v = first;
    return GG_OK;
  }
  if ((st = ptx_scope_declare(&symbol, &p->scopes, PTX_SYMBOL_VARIABLE, name, (*v)->place))) {
    return st;
  }
  symbol->variable = *v;
  return list_variable(global ? &p->variables : &p->locals, p, *v,
                       global ? PTX_OF_MODULE : PTX_OF_FUNCTION);
}

static gg_status parse_variable(ptx_parser *p, const head *h, ptx_space space,
                                ptx_linkage linkage) {
  ptx_name *name;
  ptx_place place;
  gg_status st;
  if ((st = ptx_expect_name(&name, &place, p, "the variable's name"))) return st;
  ptx_variable *v = make_variable(p, h, space, place);
  if (!v) return ptx_lexer_no_memory(&p->lexer);
  v->linkage = linkage;
  if (h->type == EMU_PRED) return ptx_fail_value(p, place, "a predicate is a register");
  if (!name) return ptx_fail_value(p, place, "'_' names no variable");
  if ((st = declare_variable(p, &v, name))) return st;
  return parse_extent(v, p, name);
}

gg_status ptx_parse_variables(ptx_parser *p, ptx_linkage linkage) {
  ptx_space space;
  head h;
  gg_status st;
  if (!ptx_at_space(&space, p)) return ptx_lexer_unexpected(&p->lexer, "a space such as .global");
  ptx_lexer_next(&p->lexer);
  if ((st = parse_head(&h, p))) return st;
  do {
    if ((st = parse_variable(p, &h, space, linkage))) return st;
  } while (ptx_accept(p, ','));
  return ptx_expect(p, ';', "';'");
}

/* ---- Registers --------------------------------------------------------------------------- */

static gg_status parse_register(ptx_parser *p, const head *h) {
  ptx_name *name;
  ptx_place place;
  ptx_symbol *symbol, facts = {.type = h->type, .vector = h->vector};
  gg_status st;
  if ((st = ptx_expect_name(&name, &place, p, "the register's name"))) return st;
  if (!name) return ptx_fail_value(p, place, "'_' names no register");
  if (ptx_accept(p, '<')) {
    const ptx_token *token = &p->lexer.token;
    if (!ptx_at(p, PTX_TOKEN_INTEGER)) return ptx_lexer_unexpected(&p->lexer, "a number");
    if (token->value > UINT32_MAX) {
      return ptx_fail_value(p, token->place, "a range has at most %u registers", UINT32_MAX);
    }
    facts.limit = (uint32_t)token->value;
    ptx_lexer_next(&p->lexer);
    if ((st = ptx_expect(p, '>', "'>'"))) return st;
    return ptx_scope_declare_range(&p->scopes, name, place, &facts);
  }
  if ((st = ptx_scope_declare(&symbol, &p->scopes, PTX_SYMBOL_REGISTER, name, place))) return st;
  symbol->type = h->type;
  symbol->vector = h->vector;
  return GG_OK;
}

gg_status ptx_parse_registers(ptx_parser *p) {
  head h;
  gg_status st;
  if ((st = parse_head(&h, p))) return st;
  do {
    if ((st = parse_register(p, &h))) return st;
  } while (ptx_accept(p, ','));
  return ptx_expect(p, ';', "';'");
}

/* ---- Parameters -------------------------------------------------------------------------- */

static gg_status declare_parameter(ptx_parser *p, ptx_variable *v, ptx_name *name) {
  bool reg = v->space == PTX_SPACE_REG;
  ptx_symbol *symbol;
  gg_status st = ptx_scope_declare(&symbol, &p->scopes,
                                   reg ? PTX_SYMBOL_REGISTER : PTX_SYMBOL_VARIABLE, name, v->place);
  if (st) return st;
  symbol->variable = v;
  symbol->type = v->type;
  symbol->vector = v->vector;
  return reg ? ptx_scope_register(&v->reg, &p->scopes, symbol) : GG_OK;
}

static gg_status parse_parameter(ptx_parser *p, ptx_owner owner, bool prototype) {
  head h;
  ptx_name *name;
  ptx_place place;
  gg_status st;
  bool reg = ptx_accept_word(p, "reg");
  if (!reg && !ptx_accept_word(p, "param")) {
    return ptx_lexer_unexpected(&p->lexer, ".param or .reg");
  }
  if ((st = parse_head(&h, p))) return st;
  if ((st = ptx_expect_name(&name, &place, p, "the parameter's name"))) return st;
  ptx_variable *v = make_variable(p, &h, reg ? PTX_SPACE_REG : PTX_SPACE_PARAM, place);
  if (!v) return ptx_lexer_no_memory(&p->lexer);
  if (name) v->name = name->text;
  if (name && !prototype && (st = declare_parameter(p, v, name))) return st;
  if ((st = parse_extent(v, p, name))) return st;
  return list_variable(&p->parameters, p, v, owner);
}

gg_status ptx_parse_parameters(ptx_variable ***out, uint32_t *count, ptx_parser *p, ptx_owner owner,
                               bool prototype) {
  gg_status st;
  p->parameters.count = 0;
  *count = 0;
  if (ptx_accept(p, '(') && !ptx_accept(p, ')')) {
    do {
      if ((st = parse_parameter(p, owner, prototype))) return st;
    } while (ptx_accept(p, ','));
    if ((st = ptx_expect(p, ')', "')' or ','"))) return st;
  }
  *out = ptx_list_keep(&p->parameters, 0, sizeof **out, &p->module->arena);
  *count = p->parameters.count;
  return *out ? GG_OK : ptx_lexer_no_memory(&p->lexer);
}
