/* The parser's state, and functions that its files share. */
#ifndef GG_EMU_PTX_PARSER_H
#define GG_EMU_PTX_PARSER_H

#include "emu/ptx/lexer.h"
#include "emu/ptx/scope.h"

typedef struct ptx_parser {
  ptx_lexer lexer;
  ptx_scopes scopes;
  gg_arena scratch; /* names and symbols, which are freed when the module is made */
  gg_str buffer;
  ptx_module *module;
  gg_error *err;
  int nesting;             /* of a constant expression */
  uint32_t variable_count; /* so far, including parameters */
  ptx_table form_table, loc_table;
  ptx_list files;     /* ptx_file */
  ptx_list variables; /* ptx_variable * */
  ptx_list functions; /* ptx_function * */
  ptx_list forms;     /* const ptx_form * */
  ptx_list operands;  /* ptx_operand: a stack */
  ptx_list runs, relocations;
  const char *bra, *brx, *call; /* opcodes whose operands differ from those of others */

  /* Of the function that is being read. */
  ptx_function *function;
  ptx_list parameters;   /* ptx_variable * */
  ptx_list locals;       /* ptx_variable * */
  ptx_list targets;      /* ptx_targets */
  ptx_list prototypes;   /* ptx_prototype */
  ptx_list instructions; /* ptx_instruction */
  ptx_list pragmas;      /* const char * */
  const ptx_loc *loc;
} ptx_parser;

/* ---- Tokens (parser.c) ------------------------------------------------------------------- */

static inline bool ptx_at(const ptx_parser *p, int kind) {
  return p->lexer.token.kind == kind;
}

bool ptx_at_word(const ptx_parser *p, const char *word);
bool ptx_accept(ptx_parser *p, int kind); /* goes behind the token if it is of this kind */
bool ptx_accept_word(ptx_parser *p, const char *word);
gg_status ptx_expect(ptx_parser *p, int kind, const char *expected);
/* *out is NULL for `_`. */
gg_status ptx_expect_name(ptx_name **out, ptx_place *place, ptx_parser *p, const char *expected);
gg_status ptx_expect_string(const char **out, ptx_parser *p);
gg_status ptx_fail_value(ptx_parser *p, ptx_place place, const char *format, ...) GG_PRINTF(3, 4);
gg_status ptx_fail_name(ptx_parser *p, const ptx_name *name, ptx_place place, const char *what);

/* ---- Constant expressions (constant.c) ------------------------------------------------------ */

typedef enum ptx_constant_kind {
  PTX_SIGNED,
  PTX_UNSIGNED,
  PTX_DOUBLE,
  PTX_SINGLE, /* a lone 0f... */
} ptx_constant_kind;

typedef struct ptx_constant {
  ptx_constant_kind kind;
  uint64_t bits;
} ptx_constant;

gg_status ptx_parse_constant(ptx_constant *out, ptx_parser *p);
/* An integer of low..high; `what` is its name in messages. */
gg_status ptx_parse_integer(uint64_t *out, ptx_parser *p, uint64_t low, uint64_t high,
                            const char *what);
/* Reads the integers that there are between commas, up to `most`; the others become `rest`. */
gg_status ptx_parse_extents(uint32_t *out, int most, uint32_t rest, ptx_parser *p,
                            const char *what);

/* ---- Declarations (variable.c, initialiser.c) ------------------------------------------------ */

/* The space that the current word names; false if it is not a space of variables. */
bool ptx_at_space(ptx_space *out, const ptx_parser *p);
/* From the space's word to the semicolon. */
gg_status ptx_parse_variables(ptx_parser *p, ptx_linkage linkage);
gg_status ptx_parse_registers(ptx_parser *p);
/* `( ... )`, or nothing at all. Names are declared, except in a prototype. */
gg_status ptx_parse_parameters(ptx_variable ***out, uint32_t *count, ptx_parser *p, ptx_owner owner,
                               bool prototype);
/* `.attribute(...)` */
gg_status ptx_parse_attribute(bool *managed, ptx_parser *p);

enum { PTX_DIMENSIONS_MAX = 16, PTX_VARIABLES_MAX = 1 << 20 };
/* What is behind `=`. extents[] has the variable's dimensions, the vector's as the last one, none
 * for a scalar. The first is 0 if the initialiser decides it. Sets the variable's runs and
 * relocations, and *reached to the first byte behind all values. */
gg_status ptx_parse_initialiser(uint64_t *reached, ptx_parser *p, ptx_variable *variable,
                                const uint64_t *extents, int rank);

/* ---- Instructions (operand.c, body.c) -------------------------------------------------------- */

/* Up to the semicolon. */
gg_status ptx_parse_operands(ptx_instruction *instruction, ptx_parser *p);
/* The elements of .branchtargets (labels) or .calltargets (functions). */
gg_status ptx_parse_targets(ptx_targets *out, ptx_parser *p, bool labels);
/* `{ ... }` of p->function, whose scope is open. */
gg_status ptx_parse_body(ptx_parser *p);
/* A `.loc` with all that belongs to it. */
gg_status ptx_parse_loc(ptx_parser *p);
gg_status ptx_parse_pragma(ptx_parser *p);

/* ---- Functions (function.c) ------------------------------------------------------------------ */

/* From `.entry` or `.func` to the semicolon or the end of the body. */
gg_status ptx_parse_function(ptx_parser *p, ptx_linkage linkage);
gg_status ptx_parse_prototype(ptx_prototype *out, ptx_parser *p);

#endif
