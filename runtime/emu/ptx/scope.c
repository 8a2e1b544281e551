/* Scopes: see scope.h. */
#include "emu/ptx/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_shown = 80 };

gg_status ptx_scope_fail(ptx_scopes *scopes, const ptx_name *name, ptx_place place,
                         const char *what) {
  gg_mark mark = ptx_lexer_mark(scopes->lexer, place);
  return gg_fail(scopes->lexer->err, PTX_NAME, &mark, most_shown, name->text,
                 name->length > most_shown ? "..." : "", what);
}

static gg_status fail_repeated(ptx_scopes *scopes, const ptx_name *name, ptx_place place,
                               ptx_place first) {
  char what[64];
  snprintf(what, sizeof what, "is declared twice; the first is on line %u", first.line);
  return ptx_scope_fail(scopes, name, place, what);
}

/* ---- Entering and leaving ---------------------------------------------------------------- */

void ptx_scopes_begin(ptx_scopes *scopes) {
  scopes->parents.count = scopes->registers.count = 0;
  scopes->labels.count = scopes->uses.count = 0;
}

void ptx_scopes_free(ptx_scopes *scopes) {
  ptx_list_free(&scopes->parents);
  ptx_list_free(&scopes->registers);
  ptx_list_free(&scopes->labels);
  ptx_list_free(&scopes->uses);
}

gg_status ptx_scope_enter(ptx_scopes *scopes) {
  ptx_lexer *lexer = scopes->lexer;
  if (scopes->depth == PTX_NESTING_MAX) {
    gg_mark mark = ptx_lexer_mark(lexer, lexer->token.place);
    return gg_fail(lexer->err, PTX_LIMIT, &mark, "blocks nest too deep", PTX_NESTING_MAX, "levels");
  }
  uint32_t *parent = ptx_list_add(&scopes->parents, sizeof *parent);
  if (!parent) return ptx_lexer_no_memory(lexer);
  *parent = scopes->numbers[scopes->depth];
  scopes->depth++;
  scopes->numbers[scopes->depth] = scopes->parents.count - 1;
  scopes->symbols[scopes->depth] = NULL;
  return GG_OK;
}

void ptx_scope_leave(ptx_scopes *scopes) {
  for (ptx_symbol *s = scopes->symbols[scopes->depth]; s; s = s->next) {
    if (s->range) {
      s->name->range = s->hidden;
    } else {
      s->name->symbol = s->hidden;
    }
  }
  scopes->depth--;
}

/* ---- Declaring --------------------------------------------------------------------------- */

/* A new symbol of the scope at `depth`, not yet in front of the others of its name. */
static ptx_symbol *add_symbol(ptx_scopes *scopes, ptx_name *name, ptx_place place, uint32_t depth) {
  ptx_symbol *symbol = GG_ARENA_NEW(scopes->lexer->scratch, ptx_symbol);
  if (!symbol) return NULL;
  symbol->name = name;
  symbol->place = place;
  symbol->depth = depth;
  symbol->first = PTX_UNUSED;
  symbol->next = scopes->symbols[depth];
  scopes->symbols[depth] = symbol;
  return symbol;
}

gg_status ptx_scope_declare(ptx_symbol **out, ptx_scopes *scopes, ptx_symbol_kind kind,
                            ptx_name *name, ptx_place place) {
  ptx_symbol *old = name->symbol;
  if (old && old->depth == scopes->depth) return fail_repeated(scopes, name, place, old->place);
  ptx_symbol *symbol = *out = add_symbol(scopes, name, place, scopes->depth);
  if (!symbol) return ptx_lexer_no_memory(scopes->lexer);
  symbol->kind = kind;
  symbol->hidden = old;
  name->symbol = symbol;
  return GG_OK;
}

gg_status ptx_scope_declare_range(ptx_scopes *scopes, ptx_name *name, ptx_place place,
                                  const ptx_symbol *facts) {
  ptx_symbol *old = name->range;
  if (old && old->depth == scopes->depth) return fail_repeated(scopes, name, place, old->place);
  ptx_symbol *symbol = add_symbol(scopes, name, place, scopes->depth);
  if (!symbol) return ptx_lexer_no_memory(scopes->lexer);
  symbol->kind = PTX_SYMBOL_REGISTER;
  symbol->range = true;
  symbol->type = facts->type;
  symbol->vector = facts->vector;
  symbol->limit = facts->limit;
  symbol->hidden = old;
  name->range = symbol;
  scopes->prefixes += !name->prefix;
  name->prefix = true;
  return GG_OK;
}

/* ---- Finding ----------------------------------------------------------------------------- */

/* The digits that `name` may end with: 9 at most, no leading zero but in `0` itself. Gives the next
 * longer tail on each call, from *tail on, and its value; false when there is none. */
static bool next_tail(uint32_t *tail, uint32_t *number, const ptx_name *name) {
  static const uint32_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  while (*tail < 9 && *tail + 1 < name->length) {
    char digit = name->text[name->length - 1 - *tail];
    if (digit < '0' || digit > '9') return false;
    *number += (uint32_t)(digit - '0') * power[(*tail)++];
    if (digit != '0' || *tail == 1) return true;
  }
  return false;
}

/* Which prefix `name` has, once for each new prefix of the module. */
static void find_stem(ptx_scopes *scopes, ptx_name *name) {
  uint32_t tail = 0, number = 0;
  name->stem = NULL;
  name->several = false;
  name->split = scopes->prefixes;
  while (next_tail(&tail, &number, name)) {
    ptx_name *stem = ptx_lexer_find(scopes->lexer, name->text, name->length - tail);
    if (!stem || !stem->prefix) continue;
    name->several = name->stem != NULL;
    name->stem = stem;
    name->number = number;
    if (name->several) return;
  }
}

/* The innermost range that has a register of this name, when its digits can be taken apart in more
 * than one way: `%r12` of `%r<20>` and of `%r1<5>`. */
static ptx_symbol *find_innermost_range(ptx_scopes *scopes, const ptx_name *name) {
  uint32_t tail = 0, number = 0;
  ptx_symbol *best = NULL;
  while (next_tail(&tail, &number, name)) {
    ptx_name *stem = ptx_lexer_find(scopes->lexer, name->text, name->length - tail);
    ptx_symbol *range = stem ? stem->range : NULL;
    while (range && number >= range->limit)
      range = range->hidden;
    if (range && (!best || range->depth > best->depth)) best = range;
  }
  return best;
}

static ptx_symbol *find_range(ptx_scopes *scopes, ptx_name *name) {
  if (name->split != scopes->prefixes) find_stem(scopes, name);
  if (name->several) return find_innermost_range(scopes, name);
  ptx_symbol *range = name->stem ? name->stem->range : NULL;
  while (range && name->number >= range->limit)
    range = range->hidden;
  return range;
}

gg_status ptx_scope_find(ptx_symbol **out, ptx_scopes *scopes, ptx_name *name) {
  ptx_symbol *symbol = *out = name->symbol;
  if (symbol && symbol->depth == scopes->depth) return GG_OK;
  ptx_symbol *range = find_range(scopes, name);
  if (!range || (symbol && symbol->depth >= range->depth)) return GG_OK;
  ptx_symbol *made = *out = add_symbol(scopes, name, range->place, range->depth);
  if (!made) return ptx_lexer_no_memory(scopes->lexer);
  made->kind = PTX_SYMBOL_REGISTER;
  made->type = range->type;
  made->vector = range->vector;
  made->hidden = symbol;
  name->symbol = made;
  return GG_OK;
}

/* "v.x" to "v.w", and numbers for vectors of eight. */
static const char *component_name(ptx_scopes *scopes, const ptx_name *name, uint32_t component) {
  gg_str text = GG_STR_INIT;
  gg_str_append(&text, name->text, name->length);
  gg_str_puts(&text, ".");
  gg_str_putc(&text, "xyzw4567"[component]);
  ptx_name *made = text.failed
                       ? NULL
                       : ptx_lexer_intern(scopes->lexer, gg_str_text(&text), (uint32_t)text.length);
  gg_str_free(&text);
  return made ? made->text : NULL;
}

/* A name in the text makes one register, that of a vector eight: these are bounded by a number of
 * their own, the others of a module by its text. */
static gg_status count_registers(ptx_scopes *scopes, uint32_t count) {
  ptx_lexer *lexer = scopes->lexer;
  if (count > 1) scopes->vectors += count;
  bool many = scopes->registers.count + count > PTX_REGISTERS_MAX;
  if (!many && scopes->vectors <= PTX_REGISTERS_MAX) return GG_OK;
  gg_mark mark = ptx_lexer_mark(lexer, lexer->token.place);
  return gg_fail(lexer->err, PTX_LIMIT, &mark,
                 many ? "a function has too many registers" : "vectors have too many registers",
                 PTX_REGISTERS_MAX, "registers");
}

gg_status ptx_scope_register(uint32_t *out, ptx_scopes *scopes, ptx_symbol *symbol) {
  gg_status st;
  *out = symbol->first;
  if (symbol->first != PTX_UNUSED) return GG_OK;
  if ((st = count_registers(scopes, symbol->vector))) return st;
  *out = symbol->first = scopes->registers.count;
  for (uint32_t i = 0; i < symbol->vector; i++) {
    ptx_register *r = ptx_list_add(&scopes->registers, sizeof *r);
    if (!r) return ptx_lexer_no_memory(scopes->lexer);
    r->type = symbol->type;
    r->place = symbol->place;
    r->name = symbol->vector == 1 ? symbol->name->text : component_name(scopes, symbol->name, i);
    if (!r->name) return ptx_lexer_no_memory(scopes->lexer);
  }
  return GG_OK;
}

/* ---- Labels ------------------------------------------------------------------------------ */

gg_status ptx_scope_label(ptx_scopes *scopes, const ptx_label *label) {
  ptx_label *added = ptx_list_add(&scopes->labels, sizeof *added);
  if (!added) return ptx_lexer_no_memory(scopes->lexer);
  *added = *label;
  added->scope = scopes->numbers[scopes->depth];
  return GG_OK;
}

gg_status ptx_scope_use(ptx_scopes *scopes, ptx_operand *operand, const ptx_name *name, bool code) {
  ptx_use *use = ptx_list_add(&scopes->uses, sizeof *use);
  if (!use) return ptx_lexer_no_memory(scopes->lexer);
  *use = (ptx_use){operand, name, scopes->numbers[scopes->depth], code};
  return GG_OK;
}

static int by_name_and_scope(const void *a, const void *b) {
  const ptx_label *x = a, *y = b;
  uintptr_t name_x = (uintptr_t)x->name, name_y = (uintptr_t)y->name;
  if (name_x != name_y) return name_x < name_y ? -1 : 1;
  return (x->scope > y->scope) - (x->scope < y->scope);
}

static const ptx_label *find_label(const ptx_scopes *scopes, const ptx_use *use) {
  const uint32_t *parents = scopes->parents.items;
  ptx_label key = {.name = use->name, .scope = use->scope};
  for (;;) {
    const ptx_label *found = NULL;
    if (scopes->labels.count) {
      found =
          bsearch(&key, scopes->labels.items, scopes->labels.count, sizeof key, by_name_and_scope);
    }
    if (found || key.scope == parents[key.scope]) return found;
    key.scope = parents[key.scope];
  }
}

static gg_status check_repeated_labels(ptx_scopes *scopes) {
  const ptx_label *labels = scopes->labels.items;
  for (uint32_t i = 1; i < scopes->labels.count; i++) {
    if (by_name_and_scope(&labels[i - 1], &labels[i]) != 0) continue;
    bool ordered = labels[i - 1].place.line < labels[i].place.line;
    const ptx_label *first = &labels[i - ordered], *second = &labels[i - !ordered];
    return fail_repeated(scopes, second->name, second->place, first->place);
  }
  return GG_OK;
}

static gg_status settle_use(ptx_scopes *scopes, const ptx_use *use) {
  static const uint8_t kinds[] = {
      [PTX_LABEL_CODE] = PTX_LABEL,
      [PTX_LABEL_TARGETS] = PTX_TARGETS,
      [PTX_LABEL_PROTOTYPE] = PTX_PROTOTYPE,
  };
  const ptx_label *label = find_label(scopes, use);
  if (!label) return ptx_scope_fail(scopes, use->name, use->operand->place, "is no label here");
  if (use->code != (label->kind == PTX_LABEL_CODE)) {
    const char *what = use->code ? "names no place in the code" : "names no table and no prototype";
    return ptx_scope_fail(scopes, use->name, use->operand->place, what);
  }
  use->operand->kind = kinds[label->kind];
  use->operand->index = label->index;
  return GG_OK;
}

gg_status ptx_scope_settle(ptx_scopes *scopes) {
  gg_status st;
  ptx_label *labels = scopes->labels.items;
  if (labels) qsort(labels, scopes->labels.count, sizeof *labels, by_name_and_scope);
  if ((st = check_repeated_labels(scopes))) return st;
  const ptx_use *uses = scopes->uses.items;
  for (uint32_t i = 0; i < scopes->uses.count; i++) {
    if ((st = settle_use(scopes, &uses[i]))) return st;
  }
  return GG_OK;
}
