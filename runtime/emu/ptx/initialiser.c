/* Initialisers of variables (PTX ISA, "Initializers").
 *
 * Values go to runs of bytes that stand together, and symbols to relocations, so that what is kept
 * is proportional to the text and never to the size of the variable. */
#include <string.h>

#include "emu/ptx/parser.h"

typedef struct builder {
  ptx_parser *p;
  ptx_variable *variable;
  const uint64_t *extents;
  int rank;
  uint32_t size;     /* bytes of one value */
  gg_str bytes;      /* of all runs, one behind the other */
  uint64_t at, most; /* the offset of the next value; the first offset past all values */
} builder;

/* ---- Values ------------------------------------------------------------------------------ */

static gg_status put(builder *b, uint64_t bits) {
  ptx_list *runs = &b->p->runs;
  ptx_run *last = runs->count ? (ptx_run *)runs->items + runs->count - 1 : NULL;
  if (!last || last->offset + last->length != b->at) {
    if (!(last = ptx_list_add(runs, sizeof *last))) return ptx_lexer_no_memory(&b->p->lexer);
    last->offset = b->at;
  }
  for (uint32_t i = 0; i < b->size; i++)
    gg_str_putc(&b->bytes, i < 8 ? (char)(bits >> (8 * i)) : 0);
  last->length += b->size;
  return GG_OK;
}

/* The bits of a constant as a value of the variable's type. */
static gg_status convert(uint64_t *bits, builder *b, ptx_constant c, ptx_place place) {
  const emu_type_info *type = emu_type_of(b->variable->type);
  *bits = c.bits;
  if (c.kind == PTX_SINGLE || c.kind == PTX_DOUBLE) {
    int width = c.kind == PTX_SINGLE ? 32 : 64;
    bool narrowed = c.kind == PTX_DOUBLE && type->kind == 'f' && type->bits == 32;
    if (narrowed) {
      double wide;
      memcpy(&wide, &c.bits, sizeof wide);
      float narrow = (float)wide;
      uint32_t half;
      memcpy(&half, &narrow, sizeof half);
      *bits = half;
    } else if (type->bits != width || type->kind == 's' || type->kind == 'u') {
      return ptx_fail_value(b->p, place, "a .%s does not take this floating-point constant",
                            type->spelling);
    }
  } else if (type->kind == 'f' && type->bits >= 32) {
    return ptx_fail_value(b->p, place, "a .%s takes a floating-point constant such as 1.0",
                          type->spelling);
  }
  return GG_OK;
}

/* ---- Symbols ----------------------------------------------------------------------------- */

/* `name`, `name + 4`, `name - 4`: the relocation's symbol and addend. */
static gg_status parse_symbol(ptx_relocation *r, ptx_parser *p) {
  ptx_name *name;
  ptx_place place;
  ptx_symbol *symbol = NULL;
  gg_status st;
  if ((st = ptx_expect_name(&name, &place, p, "a variable or a function"))) return st;
  if (name && (st = ptx_scope_find(&symbol, &p->scopes, name))) return st;
  if (!symbol || symbol->kind == PTX_SYMBOL_REGISTER) {
    if (!name) return ptx_fail_value(p, place, "'_' has no address");
    return ptx_fail_name(p, name, place, "is no variable or function that is declared above");
  }
  r->variable = symbol->kind == PTX_SYMBOL_VARIABLE ? symbol->variable : NULL;
  r->function = symbol->kind == PTX_SYMBOL_FUNCTION ? symbol->function : NULL;
  return GG_OK;
}

static gg_status parse_addend(ptx_relocation *r, ptx_parser *p) {
  ptx_constant c;
  gg_status st;
  if (!ptx_at(p, '+') && !ptx_at(p, '-')) return GG_OK;
  ptx_place place = p->lexer.token.place;
  if ((st = ptx_parse_constant(&c, p))) return st;
  if (c.kind > PTX_UNSIGNED) return ptx_fail_value(p, place, "an offset is an integer");
  r->addend = (int64_t)((uint64_t)r->addend + c.bits);
  return GG_OK;
}

/* `name + 4`, `generic(name) + 4`. */
static gg_status parse_address(ptx_relocation *r, ptx_parser *p) {
  gg_status st;
  if (ptx_at(p, PTX_TOKEN_NAME) && ptx_lexer_follows(&p->lexer, '(')) {
    if (strcmp(p->lexer.token.name->text, "generic") != 0) {
      return ptx_lexer_unexpected(&p->lexer, "generic(...)");
    }
    r->generic = true;
    ptx_lexer_next(&p->lexer);
    ptx_lexer_next(&p->lexer);
  }
  if ((st = parse_symbol(r, p))) return st;
  if (r->generic && (st = ptx_expect(p, ')', "')'"))) return st;
  return parse_addend(r, p);
}

/* An address, or `0xff00(address)`, a part of one. */
static gg_status parse_relocation(builder *b) {
  ptx_parser *p = b->p;
  ptx_relocation *r = ptx_list_add(&p->relocations, sizeof *r);
  gg_status st;
  if (!r) return ptx_lexer_no_memory(&p->lexer);
  *r = (ptx_relocation){.offset = b->at, .bytes = b->size, .mask = UINT64_MAX};
  if (!ptx_at(p, PTX_TOKEN_INTEGER)) return parse_address(r, p);
  r->mask = p->lexer.token.value;
  if (!r->mask) return ptx_fail_value(p, p->lexer.token.place, "a mask is not 0");
  ptx_lexer_next(&p->lexer);
  if ((st = ptx_expect(p, '(', "'('"))) return st;
  if ((st = parse_address(r, p))) return st;
  return ptx_expect(p, ')', "')'");
}

/* ---- Structure --------------------------------------------------------------------------- */

static gg_status fail_full(const builder *b, ptx_place place) {
  return ptx_fail_value(b->p, place, "there are more values than '%.80s' has places",
                        b->variable->name);
}

static gg_status parse_value(builder *b, uint64_t end) {
  ptx_parser *p = b->p;
  ptx_place place = p->lexer.token.place;
  gg_status st;
  if (b->size > end - b->at) return fail_full(b, place);
  bool masked = ptx_at(p, PTX_TOKEN_INTEGER) && ptx_lexer_follows(&p->lexer, '(');
  bool named = ptx_at(p, PTX_TOKEN_NAME) && strcmp(p->lexer.token.name->text, "WARP_SZ") != 0;
  if (masked || named) {
    st = parse_relocation(b);
  } else {
    ptx_constant c;
    uint64_t bits = 0;
    if (!(st = ptx_parse_constant(&c, p))) st = convert(&bits, b, c, place);
    if (!st) st = put(b, bits);
  }
  b->at += b->size;
  if (b->at > b->most) b->most = b->at;
  return st;
}

/* Bytes of one element of the dimension `level`: all that is further in. */
static uint64_t stride_of(const builder *b, int level) {
  uint64_t stride = b->size;
  for (int i = level + 1; i < b->rank; i++)
    stride *= b->extents[i];
  return stride;
}

static gg_status parse_braces(builder *b, int level, uint64_t end);

/* A value of the innermost dimension, or the braces of the next one in. */
static gg_status parse_item(builder *b, int level, uint64_t end) {
  ptx_place place = b->p->lexer.token.place;
  if (level + 1 == b->rank) return parse_value(b, end);
  uint64_t stride = stride_of(b, level);
  if (stride > end - b->at) return fail_full(b, place);
  return parse_braces(b, level + 1, b->at + stride);
}

/* `{ ... }` of the dimension `level`, which starts at b->at; its places end at `end`. */
static gg_status parse_braces(builder *b, int level, uint64_t end) {
  ptx_parser *p = b->p;
  gg_status st;
  if ((st = ptx_expect(p, '{', "'{'"))) return st;
  if (!ptx_at(p, '}')) {
    do {
      if ((st = parse_item(b, level, end))) return st;
    } while (ptx_accept(p, ','));
  }
  if (level > 0) b->at = end;
  if (b->at > b->most) b->most = b->at;
  return ptx_expect(p, '}', "'}' or ','");
}

/* Copies runs and relocations into the module's arena. */
static gg_status keep(builder *b) {
  ptx_parser *p = b->p;
  ptx_variable *v = b->variable;
  gg_arena *arena = &p->module->arena;
  const uint8_t *bytes =
      (const uint8_t *)gg_arena_strndup(arena, gg_str_text(&b->bytes), b->bytes.length);
  ptx_run *runs = ptx_list_keep(&p->runs, 0, sizeof *runs, arena);
  v->relocations = ptx_list_keep(&p->relocations, 0, sizeof *v->relocations, arena);
  if (b->bytes.failed || !bytes || !runs || !v->relocations) return ptx_lexer_no_memory(&p->lexer);
  for (uint32_t i = 0; i < p->runs.count; i++) {
    runs[i].bytes = bytes;
    bytes += runs[i].length;
  }
  v->runs = runs;
  v->run_count = p->runs.count;
  v->relocation_count = p->relocations.count;
  return GG_OK;
}

gg_status ptx_parse_initialiser(uint64_t *reached, ptx_parser *p, ptx_variable *variable,
                                const uint64_t *extents, int rank) {
  builder b = {.p = p, .variable = variable, .extents = extents, .rank = rank};
  b.size = (uint32_t)emu_type_bytes(variable->type);
  uint64_t end = variable->unsized ? INT64_MAX : variable->bytes;
  p->runs.count = p->relocations.count = 0;
  gg_status st = rank > 0 ? parse_braces(&b, 0, end) : parse_value(&b, end);
  if (!st) st = keep(&b);
  gg_str_free(&b.bytes);
  *reached = b.most;
  return st;
}
