/* What names mean: scopes of variables, functions and registers, and of labels.
 *
 * Scopes nest: the module, a function's parameters, its body, each `{ }` in it. The innermost scope
 * that declares a name decides what it means. Each name points to its innermost symbol, which
 * points to the one that it hides, so that a look-up is one step. When a scope ends, its symbols
 * are removed.
 *
 * A `.reg .b32 %r<100>` declares a range, whose registers are made when they are first used. Labels
 * may be used before they are declared; uses are settled when the function ends. */
#ifndef GG_EMU_PTX_SCOPE_H
#define GG_EMU_PTX_SCOPE_H

#include "emu/ptx/lexer.h"

enum {
  PTX_NESTING_MAX = 128,
  PTX_REGISTERS_MAX = 1 << 20, /* of a function; of a module's vectors */
};

typedef enum ptx_symbol_kind {
  PTX_SYMBOL_VARIABLE,
  PTX_SYMBOL_FUNCTION,
  PTX_SYMBOL_REGISTER,
} ptx_symbol_kind;

typedef struct ptx_symbol {
  ptx_symbol_kind kind;
  uint32_t depth; /* of its scope; the module's is 0 */
  ptx_name *name;
  ptx_place place;
  struct ptx_symbol *hidden; /* what the name means in outer scopes */
  struct ptx_symbol *next;   /* the next one of its scope */
  ptx_variable *variable;
  ptx_function *function;
  bool aliased; /* FUNCTION: whether it has an alias */
  bool range;   /* REGISTER: `name<limit>` */
  uint32_t limit;
  emu_type type;
  uint32_t vector; /* REGISTER: 1, 2, 4, 8 */
  uint32_t first;  /* index of its (first) register; PTX_UNUSED before it is used */
} ptx_symbol;

#define PTX_UNUSED UINT32_MAX

typedef enum ptx_label_kind {
  PTX_LABEL_CODE,
  PTX_LABEL_TARGETS,
  PTX_LABEL_PROTOTYPE,
} ptx_label_kind;

typedef struct ptx_label {
  const ptx_name *name;
  uint32_t scope; /* its number in the function */
  ptx_label_kind kind;
  uint32_t index;
  ptx_place place;
} ptx_label;

/* An operand that waits for its label. */
typedef struct ptx_use {
  ptx_operand *operand;
  const ptx_name *name;
  uint32_t scope;
  bool code; /* the label must be a place to branch to; else a table or a prototype */
} ptx_use;

typedef struct ptx_scopes {
  ptx_lexer *lexer;
  ptx_symbol *symbols[PTX_NESTING_MAX + 1]; /* of the open scopes */
  uint32_t numbers[PTX_NESTING_MAX + 1];    /* of the open scopes in the function */
  uint32_t depth;
  uint32_t prefixes; /* how many names have ever named a range */
  uint32_t vectors;  /* registers that are parts of vectors, of all functions */
  ptx_list parents;  /* uint32_t: of each scope of the function */
  ptx_list registers, labels, uses;
} ptx_scopes;

/* Begins a function: its scope numbers, registers, labels and uses start anew. */
void ptx_scopes_begin(ptx_scopes *scopes);
void ptx_scopes_free(ptx_scopes *scopes);

gg_status ptx_scope_enter(ptx_scopes *scopes);
void ptx_scope_leave(ptx_scopes *scopes);

/* Declares a name in the innermost scope. PTX_NAME: that has the name already. */
gg_status ptx_scope_declare(ptx_symbol **out, ptx_scopes *scopes, ptx_symbol_kind kind,
                            ptx_name *name, ptx_place place);
gg_status ptx_scope_declare_range(ptx_scopes *scopes, ptx_name *name, ptx_place place,
                                  const ptx_symbol *facts);

/* What `name` means; *out is NULL if it is not declared. A register of a range gets a symbol of its
 * own. */
gg_status ptx_scope_find(ptx_symbol **out, ptx_scopes *scopes, ptx_name *name);
/* The index of a register symbol's first register, which is made if need be. PTX_LIMIT: there are
 * too many. */
gg_status ptx_scope_register(uint32_t *out, ptx_scopes *scopes, ptx_symbol *symbol);

gg_status ptx_scope_label(ptx_scopes *scopes, const ptx_label *label);
/* Notes that an operand uses a label. ptx_scope_settle sets its index and kind; until then it must
 * not move. */
gg_status ptx_scope_use(ptx_scopes *scopes, ptx_operand *operand, const ptx_name *name, bool code);
gg_status ptx_scope_settle(ptx_scopes *scopes);

/* PTX_NAME: "'x' is ...". */
gg_status ptx_scope_fail(ptx_scopes *scopes, const ptx_name *name, ptx_place place,
                         const char *what);

#endif
