/* Bodies of functions: blocks, labels, directives, instructions (PTX ISA, "Statements"). */
#include <string.h>

#include "emu/ptx/parser.h"

/* ---- Opcodes ----------------------------------------------------------------------------- */

typedef struct form_key {
  const char *text;
  uint32_t length;
} form_key;

static bool same_form(const void *value, const void *key) {
  const ptx_form *form = value;
  const form_key *wanted = key;
  return !strncmp(form->text, wanted->text, wanted->length) && !form->text[wanted->length];
}

/* Splits "mma.sync.aligned" into its words. */
static gg_status make_form(ptx_form **out, ptx_parser *p, const form_key *key) {
  gg_arena *arena = &p->module->arena;
  uint32_t dots = 0, words = 0;
  for (uint32_t i = 0; i < key->length; i++)
    dots += key->text[i] == '.';
  ptx_form *form = *out = GG_ARENA_NEW(arena, ptx_form);
  const char **modifiers = GG_ARENA_ARRAY(arena, const char *, dots);
  const ptx_form **listed = ptx_list_add(&p->forms, sizeof *listed);
  if (!form || !modifiers || !listed) return ptx_lexer_no_memory(&p->lexer);
  form->text = gg_arena_strndup(arena, key->text, key->length);
  if (!form->text) return ptx_lexer_no_memory(&p->lexer);
  for (const char *word = form->text; *word; words++) {
    size_t length = strcspn(word, ".");
    ptx_name *name = ptx_lexer_intern(&p->lexer, word, (uint32_t)length);
    if (!name) return ptx_lexer_no_memory(&p->lexer);
    *(words ? &modifiers[words - 1] : &form->opcode) = name->text;
    word += length + (word[length] == '.');
  }
  form->modifiers = modifiers;
  form->modifier_count = dots;
  form->index = p->forms.count - 1;
  *listed = form;
  return GG_OK;
}

static gg_status parse_form(const ptx_form **out, ptx_parser *p) {
  form_key key;
  ptx_form *form;
  gg_status st = ptx_lexer_form(&key.text, &key.length, &p->lexer, &p->buffer);
  if (st) return st;
  uint32_t hash = PTX_HASH_INIT;
  for (uint32_t i = 0; i < key.length; i++)
    hash = ptx_hash_byte(hash, (unsigned char)key.text[i]);
  ptx_slot *slot = ptx_table_seek(&p->form_table, hash, same_form, &key);
  if (!slot) return ptx_lexer_no_memory(&p->lexer);
  if (!slot->value) {
    if ((st = make_form(&form, p, &key))) return st;
    ptx_table_fill(&p->form_table, slot, hash, form);
  }
  *out = slot->value;
  return GG_OK;
}

/* ---- Instructions ------------------------------------------------------------------------ */

/* `@p` or `@!p`. */
static gg_status parse_guard(ptx_instruction *instruction, ptx_parser *p) {
  ptx_name *name;
  ptx_place place;
  ptx_symbol *symbol = NULL;
  gg_status st;
  instruction->guard = PTX_NO_GUARD;
  if (!ptx_accept(p, '@')) return GG_OK;
  instruction->guard_negated = ptx_accept(p, '!');
  if ((st = ptx_expect_name(&name, &place, p, "a predicate"))) return st;
  if (name && (st = ptx_scope_find(&symbol, &p->scopes, name))) return st;
  if (!symbol) {
    if (!name) return ptx_fail_value(p, place, "'_' is no predicate");
    return ptx_fail_name(p, name, place, "is not declared");
  }
  if (symbol->kind != PTX_SYMBOL_REGISTER || symbol->type != EMU_PRED || symbol->vector != 1) {
    return ptx_fail_name(p, name, place, "is no predicate, a .reg .pred");
  }
  return ptx_scope_register(&instruction->guard, &p->scopes, symbol);
}

static gg_status parse_instruction(ptx_parser *p) {
  ptx_instruction instruction = {.place = p->lexer.token.place, .loc = p->loc};
  gg_status st;
  if ((st = parse_guard(&instruction, p))) return st;
  if (!ptx_at(p, PTX_TOKEN_NAME)) return ptx_lexer_unexpected(&p->lexer, "an instruction");
  if ((st = parse_form(&instruction.form, p))) return st;
  if ((st = ptx_parse_operands(&instruction, p))) return st;
  ptx_instruction *added = ptx_list_add(&p->instructions, sizeof *added);
  if (!added) return ptx_lexer_no_memory(&p->lexer);
  *added = instruction;
  return GG_OK;
}

/* ---- Labels ------------------------------------------------------------------------------ */

static gg_status parse_table(ptx_label *label, ptx_parser *p, bool labels) {
  ptx_targets targets = {.name = label->name->text};
  gg_status st;
  if ((st = ptx_parse_targets(&targets, p, labels))) return st;
  ptx_targets *added = ptx_list_add(&p->targets, sizeof *added);
  if (!added) return ptx_lexer_no_memory(&p->lexer);
  *added = targets;
  label->kind = PTX_LABEL_TARGETS;
  label->index = p->targets.count - 1;
  return ptx_expect(p, ';', "',' or ';'");
}

static gg_status parse_callprototype(ptx_label *label, ptx_parser *p) {
  ptx_prototype prototype = {.name = label->name->text};
  gg_status st;
  if ((st = ptx_parse_prototype(&prototype, p))) return st;
  ptx_prototype *added = ptx_list_add(&p->prototypes, sizeof *added);
  if (!added) return ptx_lexer_no_memory(&p->lexer);
  *added = prototype;
  label->kind = PTX_LABEL_PROTOTYPE;
  label->index = p->prototypes.count - 1;
  return ptx_expect(p, ';', "';'");
}

/* The name is looked at, a `:` follows. */
static gg_status parse_label(ptx_parser *p) {
  const ptx_token *token = &p->lexer.token;
  ptx_label label = {.name = token->name, .place = token->place, .index = p->instructions.count};
  gg_status st = GG_OK;
  ptx_lexer_next(&p->lexer);
  ptx_lexer_next(&p->lexer);
  if (ptx_accept_word(p, "branchtargets")) {
    st = parse_table(&label, p, true);
  } else if (ptx_accept_word(p, "calltargets")) {
    st = parse_table(&label, p, false);
  } else if (ptx_accept_word(p, "callprototype")) {
    st = parse_callprototype(&label, p);
  }
  return st ? st : ptx_scope_label(&p->scopes, &label);
}

/* ---- Directives -------------------------------------------------------------------------- */

static bool same_loc(const void *value, const void *key) {
  const ptx_loc *a = value, *b = key;
  return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* The slot of the last .loc of this place in the source. */
static ptx_slot *seek_loc(uint32_t *hash, ptx_parser *p, const ptx_loc *loc) {
  uint32_t parts[] = {loc->file, loc->line, loc->column};
  *hash = PTX_HASH_INIT;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    for (int shift = 0; shift < 32; shift += 8)
      *hash = ptx_hash_byte(*hash, (unsigned char)(parts[i] >> shift));
  }
  return ptx_table_seek(&p->loc_table, *hash, same_loc, loc);
}

static gg_status parse_loc_place(ptx_loc *loc, ptx_parser *p) {
  uint32_t *fields[] = {&loc->file, &loc->line, &loc->column};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    const ptx_token *token = &p->lexer.token;
    if (token->kind != PTX_TOKEN_INTEGER || token->value > UINT32_MAX) {
      return ptx_lexer_unexpected(&p->lexer, "a number: .loc file line column");
    }
    *fields[i] = (uint32_t)token->value;
    ptx_lexer_next(&p->lexer);
  }
  return GG_OK;
}

/* `function_name label + offset`: the name of what was inlined, in a debug section. */
static gg_status skip_function_name(ptx_parser *p) {
  gg_status st;
  if ((st = ptx_expect(p, PTX_TOKEN_NAME, "a label"))) return st;
  return ptx_accept(p, '+') ? ptx_expect(p, PTX_TOKEN_INTEGER, "a number") : GG_OK;
}

/* A call site is the place of an earlier .loc, which may itself be inlined somewhere. */
static gg_status parse_inlined_at(ptx_loc *loc, ptx_parser *p) {
  ptx_loc site = {0};
  uint32_t hash;
  gg_status st;
  if ((st = parse_loc_place(&site, p))) return st;
  ptx_slot *slot = seek_loc(&hash, p, &site);
  if (!slot) return ptx_lexer_no_memory(&p->lexer);
  if (!slot->value) {
    ptx_loc *made = GG_ARENA_NEW(&p->module->arena, ptx_loc);
    if (!made) return ptx_lexer_no_memory(&p->lexer);
    *made = site;
    ptx_table_fill(&p->loc_table, slot, hash, made);
  }
  loc->inlined_at = slot->value;
  return GG_OK;
}

static gg_status parse_loc_attributes(ptx_loc *loc, ptx_parser *p) {
  gg_status st = GG_OK;
  while (!st && ptx_accept(p, ',')) {
    const ptx_token *token = &p->lexer.token;
    const char *word = token->kind == PTX_TOKEN_NAME ? token->name->text : "";
    bool name = strcmp(word, "function_name") == 0, site = strcmp(word, "inlined_at") == 0;
    if (!name && !site) {
      return ptx_lexer_unexpected(&p->lexer, "function_name or inlined_at");
    }
    ptx_lexer_next(&p->lexer);
    st = name ? skip_function_name(p) : parse_inlined_at(loc, p);
  }
  return st;
}

/* Call sites come before what is inlined there, so that the chain of inlined_at ends. */
gg_status ptx_parse_loc(ptx_parser *p) {
  uint32_t hash;
  gg_status st;
  ptx_loc *loc = GG_ARENA_NEW(&p->module->arena, ptx_loc);
  if (!loc) return ptx_lexer_no_memory(&p->lexer);
  if ((st = parse_loc_place(loc, p))) return st;
  if ((st = parse_loc_attributes(loc, p))) return st;
  ptx_slot *slot = seek_loc(&hash, p, loc);
  if (!slot) return ptx_lexer_no_memory(&p->lexer);
  if (slot->value) {
    slot->value = loc;
  } else {
    ptx_table_fill(&p->loc_table, slot, hash, loc);
  }
  p->loc = loc;
  return GG_OK;
}

/* `.pragma "a", "b";` */
gg_status ptx_parse_pragma(ptx_parser *p) {
  gg_status st;
  do {
    const char *text;
    if ((st = ptx_expect_string(&text, p))) return st;
    const char **added = ptx_list_add(&p->pragmas, sizeof *added);
    if (!added) return ptx_lexer_no_memory(&p->lexer);
    *added = text;
  } while (ptx_accept(p, ','));
  return ptx_expect(p, ';', "';'");
}

static gg_status parse_directive(ptx_parser *p) {
  ptx_space space;
  if (ptx_accept_word(p, "reg")) return ptx_parse_registers(p);
  if (ptx_accept_word(p, "loc")) return ptx_parse_loc(p);
  if (ptx_at_space(&space, p)) return ptx_parse_variables(p, PTX_LINK_NONE);
  if (ptx_accept_word(p, "pragma")) return ptx_parse_pragma(p);
  return ptx_lexer_unexpected(&p->lexer, "a directive of function bodies");
}

/* ---- Statements -------------------------------------------------------------------------- */

static gg_status parse_statement(ptx_parser *p) {
  if (ptx_at(p, PTX_TOKEN_NAME)) {
    bool dotted = *p->lexer.at == '.'; /* the common case: an opcode */
    if (!dotted && ptx_lexer_follows(&p->lexer, ':')) return parse_label(p);
    return parse_instruction(p);
  }
  if (ptx_at(p, '@')) return parse_instruction(p);
  if (ptx_at(p, PTX_TOKEN_WORD)) return parse_directive(p);
  if (ptx_accept(p, ';')) return GG_OK;
  return ptx_lexer_unexpected(&p->lexer, "an instruction, a label, a directive or '}'");
}

static gg_status keep_body(ptx_parser *p) {
  ptx_function *f = p->function;
  gg_arena *arena = &p->module->arena;
  const ptx_list *registers = &p->scopes.registers;
  f->registers = ptx_list_keep(registers, 0, sizeof *f->registers, arena);
  f->register_count = registers->count;
  f->variables = ptx_list_keep(&p->locals, 0, sizeof *f->variables, arena);
  f->variable_count = p->locals.count;
  f->targets = ptx_list_keep(&p->targets, 0, sizeof *f->targets, arena);
  f->target_count = p->targets.count;
  f->prototypes = ptx_list_keep(&p->prototypes, 0, sizeof *f->prototypes, arena);
  f->prototype_count = p->prototypes.count;
  f->instructions = ptx_list_keep(&p->instructions, 0, sizeof *f->instructions, arena);
  f->instruction_count = p->instructions.count;
  bool kept = f->registers && f->variables && f->targets && f->prototypes && f->instructions;
  return kept ? GG_OK : ptx_lexer_no_memory(&p->lexer);
}

/* Parameters and the body are one scope. */
gg_status ptx_parse_body(ptx_parser *p) {
  gg_status st;
  uint32_t outside = p->scopes.depth;
  p->locals.count = p->targets.count = p->prototypes.count = p->instructions.count = 0;
  p->loc = NULL;
  ptx_lexer_next(&p->lexer);
  while (!ptx_at(p, '}') || p->scopes.depth > outside) {
    if (ptx_at(p, '{')) {
      if ((st = ptx_scope_enter(&p->scopes))) return st;
      ptx_lexer_next(&p->lexer);
    } else if (ptx_at(p, '}')) {
      ptx_scope_leave(&p->scopes);
      ptx_lexer_next(&p->lexer);
    } else if ((st = parse_statement(p))) {
      return st;
    }
  }
  ptx_lexer_next(&p->lexer);
  if ((st = ptx_scope_settle(&p->scopes))) return st;
  return keep_body(p);
}
