/* Modules: version, target, files, and what they are made of (PTX ISA, "PTX Module Directives",
 * "Linking Directives", "Debugging Directives").
 *
 * Debug sections are skipped: the emulator needs .file and .loc alone. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/ptx/parser.h"

enum { most_bytes = 1 << 28 };

/* ---- The first lines --------------------------------------------------------------------- */

/* "9.0": the token is a number, whose text counts. */
static gg_status parse_version(ptx_parser *p) {
  const ptx_token *token = &p->lexer.token;
  if (!ptx_accept_word(p, "version")) return ptx_lexer_unexpected(&p->lexer, ".version");
  size_t dot = 0, end = token->length;
  bool right = token->kind == PTX_TOKEN_FLOAT;
  if (right) {
    dot = strspn(token->text, "0123456789");
    end = dot + 1 + strspn(token->text + dot + 1, "0123456789");
  }
  right = right && dot > 0 && dot < 4 && token->text[dot] == '.' && end == token->length &&
          end > dot + 1 && end < dot + 5;
  if (!right) return ptx_lexer_unexpected(&p->lexer, "a version such as 9.0");
  p->module->version_major = (uint32_t)strtoul(token->text, NULL, 10);
  p->module->version_minor = (uint32_t)strtoul(token->text + dot + 1, NULL, 10);
  ptx_lexer_next(&p->lexer);
  return GG_OK;
}

/* "sm_90a" taken apart. */
static bool read_arch(ptx_module *m, const char *text) {
  if (strncmp(text, "sm_", 3) != 0) return false;
  size_t digits = strspn(text + 3, "0123456789");
  const char *end = text + 3 + digits;
  m->arch = (uint32_t)strtoul(text + 3, NULL, 10);
  m->suffix = *end;
  return digits > 0 && digits < 5 && (!*end || (strchr("af", *end) && !end[1]));
}

/* `.target sm_90a, debug` */
static gg_status parse_target(ptx_parser *p) {
  ptx_name *name;
  ptx_place place;
  ptx_list options = {0};
  gg_status st;
  if (!ptx_accept_word(p, "target")) return ptx_lexer_unexpected(&p->lexer, ".target");
  if ((st = ptx_expect_name(&name, &place, p, "an architecture such as sm_90a"))) return st;
  if (!name || !read_arch(p->module, name->text)) {
    return ptx_fail_value(p, place, "a target is an architecture such as sm_90a");
  }
  p->module->target = name->text;
  p->module->target_place = place;
  while (!st && ptx_accept(p, ',')) {
    if ((st = ptx_expect_name(&name, &place, p, "an option of .target"))) break;
    const char **option = ptx_list_add(&options, sizeof *option);
    if (!option) st = ptx_lexer_no_memory(&p->lexer);
    if (option) *option = name ? name->text : "_";
  }
  ptx_module *m = p->module;
  if (!st) m->options = ptx_list_keep(&options, 0, sizeof *m->options, &m->arena);
  if (!st && !m->options) st = ptx_lexer_no_memory(&p->lexer);
  m->option_count = options.count;
  ptx_list_free(&options);
  return st;
}

static gg_status parse_address_size(ptx_parser *p) {
  uint64_t size;
  ptx_place place = p->lexer.token.place;
  gg_status st = ptx_parse_integer(&size, p, 32, 64, ".address_size");
  if (st) return st;
  if (size != 32 && size != 64) return ptx_fail_value(p, place, ".address_size is 32 or 64");
  p->module->address_size = (uint32_t)size;
  return GG_OK;
}

/* ---- Files and debug sections ------------------------------------------------------------ */

/* `.file 1 "path", timestamp, size` */
static gg_status parse_file(ptx_parser *p) {
  uint64_t number, ignored;
  gg_status st;
  if ((st = ptx_parse_integer(&number, p, 0, UINT32_MAX, "a file's number"))) return st;
  ptx_file *file = ptx_list_add(&p->files, sizeof *file);
  if (!file) return ptx_lexer_no_memory(&p->lexer);
  file->number = (uint32_t)number;
  if ((st = ptx_expect_string(&file->path, p))) return st;
  while (ptx_accept(p, ',')) {
    if ((st = ptx_parse_integer(&ignored, p, 0, UINT64_MAX, "a file's time or size"))) return st;
  }
  return GG_OK;
}

/* `.section .debug_str { ... }`, whose content may be anything. */
static gg_status skip_section(ptx_parser *p) {
  while (ptx_at(p, PTX_TOKEN_WORD) || ptx_at(p, PTX_TOKEN_NAME) || ptx_at(p, ','))
    ptx_lexer_next(&p->lexer);
  if (!ptx_at(p, '{')) return ptx_lexer_unexpected(&p->lexer, "'{'");
  return ptx_lexer_skip_block(&p->lexer);
}

/* `@@DWARF ...`, the older form, a line each. */
static gg_status skip_dwarf_line(ptx_parser *p) {
  ptx_lexer_next(&p->lexer);
  if (!ptx_at(p, '@')) return ptx_lexer_unexpected(&p->lexer, "'@@DWARF'");
  ptx_lexer_skip_line(&p->lexer);
  ptx_lexer_next(&p->lexer);
  return GG_OK;
}

/* ---- Linking ----------------------------------------------------------------------------- */

static ptx_linkage accept_linkage(ptx_parser *p) {
  static const struct {
    const char *word;
    ptx_linkage linkage;
  } table[] = {{"extern", PTX_LINK_EXTERN},
               {"visible", PTX_LINK_VISIBLE},
               {"weak", PTX_LINK_WEAK},
               {"common", PTX_LINK_COMMON}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (ptx_accept_word(p, table[i].word)) return table[i].linkage;
  }
  return PTX_LINK_NONE;
}

static gg_status parse_linked(ptx_parser *p) {
  ptx_linkage linkage = accept_linkage(p);
  ptx_space space;
  if (ptx_at_word(p, "entry") || ptx_at_word(p, "func")) return ptx_parse_function(p, linkage);
  if (ptx_at_space(&space, p) && space != PTX_SPACE_PARAM) return ptx_parse_variables(p, linkage);
  return ptx_lexer_unexpected(&p->lexer, ".entry, .func, a variable or a directive");
}

static gg_status parse_function_name(ptx_symbol **out, ptx_parser *p) {
  ptx_name *name;
  ptx_place place;
  gg_status st;
  if ((st = ptx_expect_name(&name, &place, p, "a function"))) return st;
  if (!name) return ptx_fail_value(p, place, "'_' names no function");
  if (!name->symbol || name->symbol->kind != PTX_SYMBOL_FUNCTION) {
    return ptx_fail_name(p, name, place, "is no function that is declared above");
  }
  *out = name->symbol;
  return GG_OK;
}

/* `.alias this, that;`: aliases make no chain. */
static gg_status parse_alias(ptx_parser *p) {
  ptx_symbol *alias = NULL, *target = NULL; /* as gcc does not see that they are set */
  gg_status st;
  ptx_place place = p->lexer.token.place;
  if ((st = parse_function_name(&alias, p))) return st;
  if ((st = ptx_expect(p, ',', "','"))) return st;
  if ((st = parse_function_name(&target, p))) return st;
  if (alias->function->defined || alias->aliased || alias == target || target->function->alias) {
    return ptx_fail_value(p, place, "an alias has no body and is of another function, no alias");
  }
  alias->function->alias = target->function;
  target->aliased = true;
  return ptx_expect(p, ';', "';'");
}

/* ---- The module -------------------------------------------------------------------------- */

static gg_status parse_item(ptx_parser *p) {
  if (ptx_accept_word(p, "file")) return parse_file(p);
  if (ptx_accept_word(p, "loc")) return ptx_parse_loc(p);
  if (ptx_accept_word(p, "section")) return skip_section(p);
  if (ptx_accept_word(p, "address_size")) return parse_address_size(p);
  if (ptx_accept_word(p, "alias")) return parse_alias(p);
  if (ptx_accept_word(p, "pragma")) return ptx_parse_pragma(p);
  if (ptx_at_word(p, "target")) return parse_target(p);
  if (ptx_at_word(p, "version")) return parse_version(p);
  if (ptx_at(p, '@')) return skip_dwarf_line(p);
  if (ptx_accept(p, ';')) return GG_OK;
  return parse_linked(p);
}

static int by_number(const void *a, const void *b) {
  const ptx_file *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

static gg_status keep_module(ptx_parser *p) {
  ptx_module *m = p->module;
  ptx_file *files = ptx_list_keep(&p->files, 0, sizeof *files, &m->arena);
  m->variables = ptx_list_keep(&p->variables, 0, sizeof *m->variables, &m->arena);
  m->variable_count = p->variables.count;
  m->functions = ptx_list_keep(&p->functions, 0, sizeof *m->functions, &m->arena);
  m->function_count = p->functions.count;
  m->forms = ptx_list_keep(&p->forms, 0, sizeof *m->forms, &m->arena);
  m->form_count = p->forms.count;
  if (!files || !m->variables || !m->functions || !m->forms) return ptx_lexer_no_memory(&p->lexer);
  qsort(files, p->files.count, sizeof *files, by_number);
  m->files = files;
  m->file_count = p->files.count;
  return GG_OK;
}

static gg_status parse_module(ptx_parser *p) {
  gg_status st;
  ptx_name *bra = ptx_lexer_intern(&p->lexer, "bra", 3);
  ptx_name *brx = ptx_lexer_intern(&p->lexer, "brx", 3);
  ptx_name *call = ptx_lexer_intern(&p->lexer, "call", 4);
  if (!bra || !brx || !call) return ptx_lexer_no_memory(&p->lexer);
  p->bra = bra->text;
  p->brx = brx->text;
  p->call = call->text;
  ptx_lexer_next(&p->lexer);
  if ((st = parse_version(p))) return st;
  if ((st = parse_target(p))) return st;
  while (!ptx_at(p, PTX_TOKEN_END)) {
    if ((st = parse_item(p))) return st;
  }
  return keep_module(p);
}

static void free_parser(ptx_parser *p) {
  ptx_list *lists[] = {&p->files,      &p->variables,    &p->functions,  &p->forms,  &p->operands,
                       &p->runs,       &p->relocations,  &p->parameters, &p->locals, &p->targets,
                       &p->prototypes, &p->instructions, &p->pragmas};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    ptx_list_free(lists[i]);
  ptx_scopes_free(&p->scopes);
  ptx_table_free(&p->lexer.names);
  ptx_table_free(&p->form_table);
  ptx_table_free(&p->loc_table);
  gg_str_free(&p->buffer);
  gg_arena_free(&p->scratch);
}

/* The text with a NUL behind it, without a byte order mark in front. */
static gg_status begin_text(ptx_parser *p, const char *text, size_t length) {
  ptx_lexer *lexer = &p->lexer;
  if (length > 0 && !text[length - 1]) length--;
  if (length > most_bytes) {
    gg_mark mark = {.file = lexer->file};
    return gg_fail(p->err, PTX_LIMIT, &mark, "the text is too long", most_bytes, "bytes");
  }
  if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) text += 3, length -= 3;
  lexer->start = gg_arena_strndup(&p->scratch, text, length);
  if (!lexer->start) return ptx_lexer_no_memory(lexer);
  lexer->at = lexer->line_start = lexer->start;
  lexer->end = lexer->start + length;
  lexer->line = 1;
  return GG_OK;
}

gg_status ptx_parse(ptx_module **out, const char *text, size_t length, const char *name,
                    gg_error *err) {
  ptx_parser p = {.err = err};
  ptx_module *module = *out = NULL;
  gg_status st = GG_OK;
  module = gg_malloc(sizeof *module);
  if (!module) return gg_fail(err, MEMORY, NULL, "");
  *module = (ptx_module){.address_size = 64};
  module->name = gg_arena_strndup(&module->arena, name ? name : "", name ? strlen(name) : 0);
  p.module = module;
  p.lexer.arena = &module->arena;
  p.lexer.scratch = &p.scratch;
  p.lexer.file = name;
  p.lexer.err = err;
  p.scopes.lexer = &p.lexer;
  if (!module->name) st = ptx_lexer_no_memory(&p.lexer);
  if (!st) st = begin_text(&p, text, length);
  if (!st) st = parse_module(&p);
  if (st && p.lexer.status) st = p.lexer.status; /* the first error, which is in `err` */
  free_parser(&p);
  if (st) {
    ptx_free(module);
  } else {
    *out = module;
  }
  return st;
}

void ptx_free(ptx_module *module) {
  if (!module) return;
  gg_arena arena = module->arena;
  gg_free(module);
  gg_arena_free(&arena);
}

/* ---- Looking up -------------------------------------------------------------------------- */

const ptx_function *ptx_find_function(const ptx_module *module, const char *name) {
  for (uint32_t i = 0; i < module->function_count; i++) {
    if (strcmp(module->functions[i]->name, name) == 0) return module->functions[i];
  }
  return NULL;
}

const ptx_variable *ptx_find_variable(const ptx_module *module, const char *name) {
  for (uint32_t i = 0; i < module->variable_count; i++) {
    if (strcmp(module->variables[i]->name, name) == 0) return module->variables[i];
  }
  return NULL;
}

const char *ptx_file_path(const ptx_module *module, uint32_t number) {
  for (uint32_t i = 0; i < module->file_count; i++) {
    if (module->files[i].number == number) return module->files[i].path;
  }
  return NULL;
}
