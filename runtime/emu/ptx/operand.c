/* Operands (PTX ISA, "Instruction Operands").
 *
 * Elements of vectors, pairs, lists and tensor coordinates are scalars, so that the depth is
 * bounded by the grammar. Operands gather on p->operands, a stack, and are copied into the arena
 * when it is known how many there are. */
#include <string.h>

#include "emu/ptx/parser.h"

/* ---- The stack --------------------------------------------------------------------------- */

static gg_status push(ptx_parser *p, const ptx_operand *operand) {
  ptx_operand *top = ptx_list_add(&p->operands, sizeof *top);
  if (!top) return ptx_lexer_no_memory(&p->lexer);
  *top = *operand;
  return GG_OK;
}

/* Takes off what stands from `first` on. */
static gg_status pop(const ptx_operand **out, uint32_t *count, ptx_parser *p, uint32_t first) {
  *count = p->operands.count - first;
  *out = ptx_list_keep(&p->operands, first, sizeof **out, &p->module->arena);
  p->operands.count = first;
  return *out ? GG_OK : ptx_lexer_no_memory(&p->lexer);
}

/* ---- Scalars ----------------------------------------------------------------------------- */

static ptx_operand start(const ptx_parser *p, ptx_operand_kind kind) {
  return (ptx_operand){.kind = (uint8_t)kind, .place = p->lexer.token.place};
}

/* The elements of a vector of `count` registers or of a special register. */
static gg_status make_vector(ptx_operand *out, ptx_parser *p, ptx_operand first, uint32_t count) {
  uint32_t stacked = p->operands.count;
  gg_status st;
  for (uint32_t i = 0; i < count; i++, first.index++) {
    if ((st = push(p, &first))) return st;
  }
  out->kind = PTX_VECTOR;
  return pop(&out->elements, &out->element_count, p, stacked);
}

/* Behind a vector register's name: `.x` and the like. */
static bool component_of(uint32_t *out, const ptx_token *token) {
  static const char names[] = "xyzwrgba";
  if (token->kind != PTX_TOKEN_WORD || token->length != 1) return false;
  const char *at = strchr(names, token->text[0]);
  if (!at) return false;
  *out = (uint32_t)(at - names) % 4;
  return true;
}

/* `.b0`, `.h10`, `.b7654`: what a video instruction takes of its operands. */
static void parse_part(ptx_operand *out, ptx_parser *p) {
  const ptx_token *token = &p->lexer.token;
  if (token->kind != PTX_TOKEN_WORD || token->length < 2 || token->length >= sizeof out->part) {
    return;
  }
  if (token->text[0] != 'b' && token->text[0] != 'h') return;
  for (uint32_t i = 1; i < token->length; i++) {
    if (token->text[i] < '0' || token->text[i] > '7') return;
  }
  memcpy(out->part, token->text, token->length);
  ptx_lexer_next(&p->lexer);
}

static gg_status parse_register(ptx_operand *out, ptx_parser *p, ptx_symbol *symbol) {
  uint32_t component;
  gg_status st;
  if ((st = ptx_scope_register(&out->index, &p->scopes, symbol))) return st;
  out->kind = PTX_REGISTER;
  ptx_lexer_next(&p->lexer);
  if (symbol->vector == 1) {
    parse_part(out, p);
    return GG_OK;
  }
  if (!component_of(&component, &p->lexer.token)) {
    return make_vector(out, p, *out, symbol->vector);
  }
  if (component >= symbol->vector) {
    return ptx_lexer_unexpected(&p->lexer, "a component of the vector");
  }
  out->index += component;
  ptx_lexer_next(&p->lexer);
  return GG_OK;
}

static const ptx_special_info specials[] = {
#define PTX_SPECIAL(spelling, name, type) {spelling, EMU_##type},
#include "emu/ptx/special.def"
#undef PTX_SPECIAL
};

const ptx_special_info *ptx_special_of(ptx_special special) {
  return &specials[special];
}

/* PTX_SPECIAL_COUNT where there is none of this name and component. */
static uint32_t find_special(const ptx_name *name, char component) {
  uint32_t i;
  for (i = 0; i < PTX_SPECIAL_COUNT; i++) {
    const char *s = specials[i].spelling;
    if (strncmp(s, name->text, name->length) != 0) continue;
    s += name->length;
    if (component ? s[0] == '.' && s[1] == component : s[0] == '\0') break;
  }
  return i;
}

/* %tid.x, %laneid; %tid alone is the vector of all four components. *known: whether it is one. */
static gg_status parse_special(bool *known, ptx_operand *out, ptx_parser *p, const ptx_name *name) {
  uint32_t component, scalar = find_special(name, '\0'), vector = find_special(name, 'x');
  gg_status st;
  *known = scalar < PTX_SPECIAL_COUNT || vector < PTX_SPECIAL_COUNT;
  if (!*known) return GG_OK;
  out->kind = PTX_SPECIAL;
  out->index = scalar < PTX_SPECIAL_COUNT ? scalar : vector;
  ptx_lexer_next(&p->lexer);
  if (scalar < PTX_SPECIAL_COUNT) return GG_OK;
  ptx_operand fourth = {.kind = PTX_INTEGER, .is_unsigned = true, .place = out->place};
  if (!component_of(&component, &p->lexer.token)) {
    uint32_t first = p->operands.count;
    for (uint32_t i = 0; i < 3; i++, out->index++) {
      if ((st = push(p, out))) return st;
    }
    if ((st = push(p, &fourth))) return st;
    out->kind = PTX_VECTOR;
    return pop(&out->elements, &out->element_count, p, first);
  }
  ptx_lexer_next(&p->lexer);
  out->index += component;
  if (component == 3) *out = fourth;
  return GG_OK;
}

/* `+ 16`, `- 4`: added to the operand's value. */
static gg_status parse_offset(ptx_operand *out, ptx_parser *p) {
  ptx_constant c;
  ptx_place place = p->lexer.token.place;
  gg_status st;
  if (!ptx_at(p, '+') && !ptx_at(p, '-')) return GG_OK;
  if ((st = ptx_parse_constant(&c, p))) return st;
  if (c.kind > PTX_UNSIGNED) return ptx_fail_value(p, place, "an offset is an integer");
  out->value += c.bits;
  return GG_OK;
}

/* A variable with what selects a part of it: `[2]` counts elements, `+ 16` bytes. */
static gg_status parse_variable(ptx_operand *out, ptx_parser *p, const ptx_variable *variable) {
  ptx_constant c;
  gg_status st;
  out->kind = PTX_VARIABLE;
  out->variable = variable;
  ptx_lexer_next(&p->lexer);
  ptx_place place = p->lexer.token.place;
  if (ptx_accept(p, '[')) {
    if ((st = ptx_parse_constant(&c, p))) return st;
    if (c.kind > PTX_UNSIGNED) return ptx_fail_value(p, place, "an element's number is an integer");
    out->value = c.bits * variable->vector * (uint64_t)emu_type_bytes(variable->type);
    if ((st = ptx_expect(p, ']', "']'"))) return st;
  }
  return parse_offset(out, p);
}

static gg_status parse_number(ptx_operand *out, ptx_parser *p) {
  ptx_constant c;
  gg_status st = ptx_parse_constant(&c, p);
  if (st) return st;
  bool integer = c.kind == PTX_SIGNED || c.kind == PTX_UNSIGNED;
  out->kind = integer ? PTX_INTEGER : PTX_FLOAT;
  out->is_unsigned = c.kind == PTX_UNSIGNED;
  out->width = integer ? 0 : c.kind == PTX_SINGLE ? 32 : 64;
  out->value = c.bits;
  return GG_OK;
}

static gg_status parse_named(ptx_operand *out, ptx_parser *p) {
  ptx_name *name = p->lexer.token.name;
  ptx_symbol *symbol;
  bool known;
  gg_status st;
  if ((st = ptx_scope_find(&symbol, &p->scopes, name))) return st;
  if (!symbol && name->length == 1 && name->text[0] == '_') {
    out->kind = PTX_SINK;
    ptx_lexer_next(&p->lexer);
    return GG_OK;
  }
  if (!symbol) {
    if (strcmp(name->text, "WARP_SZ") == 0) return parse_number(out, p);
    if ((st = parse_special(&known, out, p, name)) || known) return st;
    return ptx_fail_name(p, name, out->place, "is not declared");
  }
  switch (symbol->kind) {
  case PTX_SYMBOL_REGISTER:
    return parse_register(out, p, symbol);
  case PTX_SYMBOL_VARIABLE:
    return parse_variable(out, p, symbol->variable);
  default:
    out->kind = PTX_FUNCTION;
    out->function = symbol->function;
    ptx_lexer_next(&p->lexer);
    return GG_OK;
  }
}

/* `!p`, or a constant that starts with `!`. */
static gg_status parse_negated(ptx_operand *out, ptx_parser *p) {
  ptx_lexer *lexer = &p->lexer;
  gg_status st;
  bool constant = ptx_lexer_follows(lexer, '(') || ptx_lexer_follows(lexer, '!') ||
                  (*lexer->at >= '0' && *lexer->at <= '9');
  if (constant) return parse_number(out, p);
  ptx_lexer_next(lexer);
  ptx_place place = lexer->token.place;
  if (!ptx_at(p, PTX_TOKEN_NAME)) return ptx_lexer_unexpected(lexer, "a predicate");
  if ((st = parse_named(out, p))) return st;
  if (out->kind != PTX_REGISTER && out->kind != PTX_SPECIAL) {
    return ptx_fail_value(p, place, "'!' takes a predicate");
  }
  out->negated = true;
  return GG_OK;
}

/* Whether a name that stands for a register follows the `-` looked at. */
static bool at_minus_register(ptx_parser *p) {
  ptx_lexer *lexer = &p->lexer;
  if (!ptx_at(p, '-') || ptx_lexer_follows(lexer, '(')) return false;
  const char *at = lexer->at;
  bool name = *at == '%' || *at == '_' || *at == '$' || (unsigned)((*at | 32) - 'a') < 26;
  return name && strncmp(at, "WARP_SZ", strlen("WARP_SZ")) != 0;
}

/* `-r`: vmad alone takes it. */
static gg_status parse_minus_register(ptx_operand *out, ptx_parser *p) {
  gg_status st;
  ptx_lexer_next(&p->lexer);
  ptx_place place = p->lexer.token.place;
  if (!ptx_at(p, PTX_TOKEN_NAME)) return ptx_lexer_unexpected(&p->lexer, "an operand");
  if ((st = parse_named(out, p))) return st;
  const ptx_register *registers = p->scopes.registers.items;
  if (out->kind != PTX_REGISTER || registers[out->index].type == EMU_PRED) {
    return ptx_fail_value(p, place, "'-' takes a number, or a register of one");
  }
  out->negated = true;
  return GG_OK;
}

static gg_status parse_scalar(ptx_operand *out, ptx_parser *p) {
  *out = start(p, PTX_NONE);
  if (ptx_at(p, PTX_TOKEN_NAME)) return parse_named(out, p);
  if (ptx_at(p, '!')) return parse_negated(out, p);
  if (at_minus_register(p)) return parse_minus_register(out, p);
  if (ptx_at(p, PTX_TOKEN_INTEGER) || ptx_at(p, PTX_TOKEN_FLOAT) || ptx_at(p, '-') ||
      ptx_at(p, '+') || ptx_at(p, '~') || ptx_at(p, '(')) {
    return parse_number(out, p);
  }
  return ptx_lexer_unexpected(&p->lexer, "an operand");
}

/* ---- What is made of scalars ------------------------------------------------------------- */

/* Pushes what the elements of a vector are: a vector register is all its components. */
static gg_status parse_element(ptx_parser *p) {
  ptx_operand element;
  gg_status st;
  if ((st = parse_scalar(&element, p))) return st;
  if (element.kind != PTX_VECTOR) return push(p, &element);
  for (uint32_t i = 0; i < element.element_count; i++) {
    if ((st = push(p, &element.elements[i]))) return st;
  }
  return GG_OK;
}

/* From the opening mark to the closing one; nothing between them is allowed. */
static gg_status parse_elements(ptx_operand *out, ptx_parser *p, char close, const char *expected) {
  uint32_t first = p->operands.count;
  gg_status st;
  ptx_lexer_next(&p->lexer);
  if (!ptx_at(p, close)) {
    do {
      if ((st = parse_element(p))) return st;
    } while (ptx_accept(p, ','));
  }
  if ((st = ptx_expect(p, close, expected))) return st;
  return pop(&out->elements, &out->element_count, p, first);
}

static gg_status parse_base(ptx_operand *out, ptx_parser *p) {
  ptx_operand base;
  gg_status st;
  ptx_place place = p->lexer.token.place;
  if ((st = parse_scalar(&base, p))) return st;
  if (base.kind == PTX_REGISTER && !base.negated && !base.part[0]) {
    if ((st = parse_offset(&base, p))) return st;
  } else if (base.kind != PTX_VARIABLE && base.kind != PTX_INTEGER) {
    return ptx_fail_value(p, place, "an address is a register, a variable or an integer");
  }
  out->base = base.kind;
  out->index = base.index;
  out->value = base.value;
  out->variable = base.variable;
  return GG_OK;
}

/* `[base + offset]`, `[base, {c0, c1}]`. */
static gg_status parse_address(ptx_operand *out, ptx_parser *p) {
  gg_status st;
  *out = start(p, PTX_ADDRESS);
  ptx_lexer_next(&p->lexer);
  if ((st = parse_base(out, p))) return st;
  if (ptx_accept(p, ',')) {
    if (!ptx_at(p, '{')) return ptx_lexer_unexpected(&p->lexer, "'{'");
    if ((st = parse_elements(out, p, '}', "'}' or ','"))) return st;
  }
  return ptx_expect(p, ']', "']'");
}

/* A scalar, or two with a `|` between them. */
static gg_status parse_scalar_or_pair(ptx_operand *out, ptx_parser *p) {
  uint32_t first = p->operands.count;
  ptx_operand second;
  gg_status st;
  if ((st = parse_scalar(out, p))) return st;
  if (!ptx_accept(p, '|')) return GG_OK;
  if ((st = push(p, out))) return st;
  if ((st = parse_scalar(&second, p))) return st;
  if ((st = push(p, &second))) return st;
  *out = (ptx_operand){.kind = PTX_PAIR, .place = out->place};
  return pop(&out->elements, &out->element_count, p, first);
}

static gg_status parse_operand(ptx_operand *out, ptx_parser *p) {
  if (ptx_at(p, '[')) return parse_address(out, p);
  if (!ptx_at(p, '{')) return parse_scalar_or_pair(out, p);
  *out = start(p, PTX_VECTOR);
  return parse_elements(out, p, '}', "'}' or ','");
}

/* ---- Branches and calls ------------------------------------------------------------------ */

static gg_status parse_label(ptx_operand *out, ptx_parser *p, bool code) {
  ptx_name *name;
  *out = start(p, PTX_LABEL);
  gg_status st = ptx_expect_name(&name, &out->place, p, "a label");
  if (st) return st;
  if (!name) return ptx_fail_value(p, out->place, "'_' is no label");
  return ptx_scope_use(&p->scopes, out, name, code);
}

static ptx_operand *operands_of(ptx_instruction *instruction, ptx_parser *p, uint32_t count) {
  ptx_operand *operands = GG_ARENA_ARRAY(&p->module->arena, ptx_operand, count);
  instruction->operands = operands;
  instruction->operand_count = count;
  return operands;
}

/* `bra label`, `brx.idx register, table`. */
static gg_status parse_branch(ptx_instruction *instruction, ptx_parser *p, bool indexed) {
  ptx_operand *operands = operands_of(instruction, p, indexed ? 2 : 1);
  gg_status st;
  if (!operands) return ptx_lexer_no_memory(&p->lexer);
  if (indexed) {
    if ((st = parse_scalar(&operands[0], p))) return st;
    if ((st = ptx_expect(p, ',', "','"))) return st;
  }
  if ((st = parse_label(&operands[indexed], p, !indexed))) return st;
  return ptx_expect(p, ';', "';'");
}

static gg_status parse_list(ptx_operand *out, ptx_parser *p) {
  *out = start(p, PTX_LIST);
  return parse_elements(out, p, ')', "')' or ','");
}

/* `call (returned), callee, (arguments), table;` of which all but the callee may be left out. */
static gg_status parse_call(ptx_instruction *instruction, ptx_parser *p) {
  ptx_operand *operands = operands_of(instruction, p, 4);
  gg_status st;
  if (!operands) return ptx_lexer_no_memory(&p->lexer);
  if (ptx_at(p, '(')) {
    if ((st = parse_list(&operands[0], p))) return st;
    if ((st = ptx_expect(p, ',', "','"))) return st;
  }
  ptx_place place = p->lexer.token.place;
  if ((st = parse_scalar(&operands[1], p))) return st;
  if (operands[1].kind != PTX_FUNCTION && operands[1].kind != PTX_REGISTER) {
    return ptx_fail_value(p, place, "a call names a function or a register");
  }
  bool more = ptx_accept(p, ',');
  if (more && ptx_at(p, '(')) {
    if ((st = parse_list(&operands[2], p))) return st;
    more = ptx_accept(p, ',');
  }
  if (more && (st = parse_label(&operands[3], p, false))) return st;
  return ptx_expect(p, ';', "';'");
}

/* One element of a table: the operand goes on the stack, a label's name to `names`. */
static gg_status parse_target(ptx_parser *p, ptx_list *names, bool label) {
  ptx_operand element = start(p, PTX_LABEL);
  gg_status st;
  if (!ptx_at(p, PTX_TOKEN_NAME)) {
    return ptx_lexer_unexpected(&p->lexer, label ? "a label" : "a function");
  }
  if (label) {
    const ptx_name **name = ptx_list_add(names, sizeof *name);
    if (!name) return ptx_lexer_no_memory(&p->lexer);
    *name = p->lexer.token.name;
    ptx_lexer_next(&p->lexer);
  } else {
    if ((st = parse_named(&element, p))) return st;
    if (element.kind != PTX_FUNCTION) {
      return ptx_fail_value(p, element.place, "this is no function");
    }
  }
  return push(p, &element);
}

gg_status ptx_parse_targets(ptx_targets *out, ptx_parser *p, bool labels) {
  uint32_t first = p->operands.count;
  ptx_list names = {0};
  gg_status st;
  do {
    st = parse_target(p, &names, labels);
  } while (!st && ptx_accept(p, ','));
  if (st) goto done;
  ptx_operand *elements = ptx_list_keep(&p->operands, first, sizeof *elements, &p->module->arena);
  if (!elements) {
    st = ptx_lexer_no_memory(&p->lexer);
    goto done;
  }
  out->elements = elements;
  out->element_count = p->operands.count - first;
  p->operands.count = first;
  for (uint32_t i = 0; i < names.count && !st; i++)
    st = ptx_scope_use(&p->scopes, &elements[i], ((const ptx_name **)names.items)[i], true);
done:
  ptx_list_free(&names);
  return st;
}

gg_status ptx_parse_operands(ptx_instruction *instruction, ptx_parser *p) {
  const char *opcode = instruction->form->opcode;
  uint32_t first = p->operands.count;
  gg_status st;
  if (opcode == p->bra || opcode == p->brx) return parse_branch(instruction, p, opcode == p->brx);
  if (opcode == p->call) return parse_call(instruction, p);
  if (!ptx_at(p, ';')) {
    do {
      ptx_operand operand;
      if ((st = parse_operand(&operand, p))) return st;
      if ((st = push(p, &operand))) return st;
    } while (ptx_accept(p, ','));
  }
  if ((st = ptx_expect(p, ';', "',' or ';'"))) return st;
  return pop(&instruction->operands, &instruction->operand_count, p, first);
}
