/* PTX as a tree, which the parser makes of one file's text. The emulator knows no more of it.
 *
 *     text --lexer--> tokens --parser--> ptx_module
 *
 * Every name is resolved by scope here: an operand has a register's index, a variable, or a label's
 * instruction, never a name to be looked up. The tree does not say what an instruction means: its
 * modifiers are words in the order written (`ptx_form`), its operands have kinds, and the decoder
 * (emu/decode.h) decides which of them an opcode takes. Texts are NUL-terminated, and equal names
 * of one module are the same pointer. The tree does not change once it is made, and all of it,
 * texts included, is in the module's arena. (PTX ISA 9.0, "Syntax" to "Directives".) */
#ifndef GG_EMU_PTX_H
#define GG_EMU_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "emu/types.h"

typedef struct ptx_variable ptx_variable;
typedef struct ptx_function ptx_function;
typedef struct ptx_operand ptx_operand;

/* A place in the PTX text; both count from 1. */
typedef struct ptx_place {
  uint32_t line, column;
} ptx_place;

/* The place in the CUDA source that a `.loc` names. */
typedef struct ptx_loc {
  uint32_t file; /* number of a ptx_file */
  uint32_t line, column;
  const struct ptx_loc *inlined_at; /* the call site, if this line was inlined; else NULL */
} ptx_loc;

typedef struct ptx_file {
  uint32_t number;
  const char *path;
} ptx_file;

/* ---- Variables -------------------------------------------------------------------------- */

typedef enum ptx_space {
  PTX_SPACE_REG, /* a parameter of a .func that is a register */
  PTX_SPACE_GLOBAL,
  PTX_SPACE_CONST,
  PTX_SPACE_SHARED,
  PTX_SPACE_LOCAL,
  PTX_SPACE_PARAM,
  PTX_SPACE_GENERIC, /* for a pointer that does not name its space */
} ptx_space;

typedef enum ptx_linkage {
  PTX_LINK_NONE, /* visible only in this module */
  PTX_LINK_EXTERN,
  PTX_LINK_VISIBLE,
  PTX_LINK_WEAK,
  PTX_LINK_COMMON,
} ptx_linkage;

/* Contiguous bytes of an initialiser. What no run covers is zero. */
typedef struct ptx_run {
  uint64_t offset, length;
  const uint8_t *bytes;
} ptx_run;

/* A place of an initialiser that gets a symbol's address: the low `bytes` bytes of
 * ((address + addend) & mask) >> (the number of zeros that mask ends with). */
typedef struct ptx_relocation {
  uint64_t offset;
  uint32_t bytes;
  bool generic;                 /* the generic address, not that in the variable's space */
  const ptx_variable *variable; /* one of the two */
  const ptx_function *function;
  int64_t addend;
  uint64_t mask; /* all ones unless written as mask(symbol) */
} ptx_relocation;

typedef enum ptx_owner {
  PTX_OF_MODULE,   /* module->variables[index] */
  PTX_OF_FUNCTION, /* function->variables[index] */
  PTX_OF_INPUTS,   /* function->inputs[index] */
  PTX_OF_RETURNS,  /* function->returns[index] */
} ptx_owner;

struct ptx_variable {
  const char *name;
  ptx_place place;
  ptx_owner owner;
  uint32_t index; /* in its owner's array */
  ptx_space space;
  ptx_linkage linkage;
  emu_type type;   /* of an element; B64 for texture, sampler and surface references */
  uint32_t vector; /* values of an element: 1, 2, 4 or 8 */
  bool array;
  bool unsized;           /* `name[]` without an initialiser: dynamic shared memory; bytes is 0 */
  uint64_t count;         /* elements, of all dimensions */
  uint64_t bytes;         /* count * vector * size of the type */
  uint32_t align;         /* in bytes; natural if none is written */
  bool managed;           /* .attribute(.managed) */
  uint32_t reg;           /* its register, if space is PTX_SPACE_REG */
  bool pointer;           /* a parameter with .ptr: */
  ptx_space pointee;      /* what it points to, and */
  uint32_t pointee_align; /* how that is aligned */
  const ptx_run *runs;
  size_t run_count;
  const ptx_relocation *relocations;
  size_t relocation_count;
};

/* ---- Operands --------------------------------------------------------------------------- */

typedef enum ptx_special {
#define PTX_SPECIAL(spelling, name, type) PTX_SPECIAL_##name,
#include "emu/ptx/special.def"
#undef PTX_SPECIAL
  PTX_SPECIAL_COUNT
} ptx_special;

typedef struct ptx_special_info {
  const char *spelling; /* "%tid.x" */
  emu_type type;
} ptx_special_info;

typedef enum ptx_operand_kind {
  PTX_NONE,      /* a part of a call that is not there */
  PTX_REGISTER,  /* index: into function->registers; negated: `!p`, `-r`; part: of `r.b0` */
  PTX_SINK,      /* `_` */
  PTX_INTEGER,   /* value, as 64 bits; is_unsigned: a .u64 constant, .s64 else */
  PTX_FLOAT,     /* value: bits of an f32 (width 32: `0f...`) or f64 (width 64: `0d...`, `1.5`) */
  PTX_SPECIAL,   /* index: a ptx_special */
  PTX_LABEL,     /* index: of an instruction; instruction_count if the label ends the body */
  PTX_VARIABLE,  /* variable, and value: an offset in bytes; the address, as in mov */
  PTX_FUNCTION,  /* function: its address, or who is called */
  PTX_ADDRESS,   /* `[base + value]`: see `base`; of a tensor, `[base, {...}]`, its elements */
  PTX_VECTOR,    /* `{a, b}`: elements; a vector register is written out as its components */
  PTX_PAIR,      /* `d|p`: two elements */
  PTX_LIST,      /* `(a, b)` of a call: elements */
  PTX_TARGETS,   /* index: into function->targets, of brx.idx and of call's .calltargets */
  PTX_PROTOTYPE, /* index: into function->prototypes */
} ptx_operand_kind;

struct ptx_operand {
  uint8_t kind;     /* ptx_operand_kind */
  uint8_t base;     /* of PTX_ADDRESS: PTX_REGISTER (index), PTX_VARIABLE (variable), or PTX_INTEGER
                     * if the address is just `value` */
  bool negated;     /* PTX_REGISTER: `!p`, `-r` */
  bool is_unsigned; /* PTX_INTEGER */
  uint8_t width;    /* PTX_FLOAT: 32 or 64 */
  char part[6];     /* PTX_REGISTER: bytes or half-words of it, "b0", "h32"; "": all of it */
  uint32_t index;
  ptx_place place;
  uint64_t value; /* an integer, a float's bits, an offset (int64_t) */
  union {
    const ptx_variable *variable;
    const ptx_function *function;
  };
  const ptx_operand *elements;
  uint32_t element_count;
};

/* ---- Instructions ----------------------------------------------------------------------- */

/* An opcode with its modifiers. Instructions of one module that are spelt alike share one. */
typedef struct ptx_form {
  const char *text;             /* "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" */
  const char *opcode;           /* "mma" */
  const char *const *modifiers; /* without dots, in the order written: "sync", "L2::128B" */
  uint32_t modifier_count;
  uint32_t index; /* module->forms[index] */
} ptx_form;

#define PTX_NO_GUARD UINT32_MAX

/* `call` always has four operands: what is returned (PTX_LIST or PTX_NONE), who is called
 * (PTX_FUNCTION or PTX_REGISTER), the arguments (PTX_LIST or PTX_NONE), and for an indirect call
 * its PTX_PROTOTYPE or PTX_TARGETS (PTX_NONE else). The operands of all others are as written. */
typedef struct ptx_instruction {
  const ptx_form *form;
  const ptx_operand *operands;
  uint32_t operand_count;
  uint32_t guard; /* `@p`: a register's index; PTX_NO_GUARD if there is none */
  bool guard_negated;
  ptx_place place;
  const ptx_loc *loc; /* NULL without -lineinfo */
} ptx_instruction;

/* ---- Functions -------------------------------------------------------------------------- */

/* A register that is used. Each component of a vector register is a register, named "v.x". */
typedef struct ptx_register {
  const char *name;
  emu_type type;
  ptx_place place; /* of its declaration */
} ptx_register;

/* A table of labels (`.branchtargets`: PTX_LABEL) or of functions (`.calltargets`:
 * PTX_FUNCTION). */
typedef struct ptx_targets {
  const char *name;
  const ptx_operand *elements;
  uint32_t element_count;
} ptx_targets;

typedef struct ptx_prototype {
  const char *name;
  ptx_variable **returns, **inputs;
  uint32_t return_count, input_count;
  bool noreturn;
} ptx_prototype;

struct ptx_function {
  const char *name;
  ptx_place place;
  uint32_t index; /* module->functions[index] */
  ptx_linkage linkage;
  bool entry;   /* a kernel */
  bool defined; /* has a body; else only declared, as vprintf is */
  bool noreturn;
  const ptx_function *alias; /* of `.alias this, that`: that, which is not an alias; else NULL */

  ptx_variable **returns, **inputs;
  uint32_t return_count, input_count;

  /* What the directives say; 0 if they say nothing. */
  uint32_t maxntid[3], reqntid[3], reqnctapercluster[3];
  uint32_t minnctapersm, maxnctapersm, maxnreg, maxclusterrank;
  bool explicitcluster, blocksareclusters;
  const char *const *pragmas;
  uint32_t pragma_count;

  const ptx_register *registers;
  uint32_t register_count;
  ptx_variable **variables; /* of all scopes: .local, .shared, .param of calls, .global, .const */
  uint32_t variable_count;
  const ptx_targets *targets;
  uint32_t target_count;
  const ptx_prototype *prototypes;
  uint32_t prototype_count;
  const ptx_instruction *instructions;
  uint32_t instruction_count;
};

/* ---- Modules ---------------------------------------------------------------------------- */

typedef struct ptx_module {
  gg_arena arena;
  const char *name; /* the file, as messages call it */
  uint32_t version_major, version_minor;
  const char *target; /* "sm_90a" */
  ptx_place target_place;
  uint32_t arch; /* 90 */
  char suffix;   /* 'a': only for that device; 'f': for its family; 0: for later ones, too */
  const char *const *options; /* what else .target names: "debug", "texmode_independent" */
  uint32_t option_count;
  uint32_t address_size; /* 32 or 64; 64 if the text does not say it */
  const ptx_file *files; /* sorted by number */
  uint32_t file_count;
  ptx_variable **variables;
  uint32_t variable_count;
  ptx_function **functions;
  uint32_t function_count;
  const ptx_form *const *forms;
  uint32_t form_count;
} ptx_module;

/* Parses `length` bytes of `text` (a NUL at the end is ignored), which need not outlive the call.
 * On success the caller ends *out with ptx_free; on failure it is NULL. `name` is the file that
 * messages name. Errors: PTX_SYNTAX, PTX_NAME, PTX_VALUE, PTX_LIMIT with line and column; MEMORY.
 */
gg_status ptx_parse(ptx_module **out, const char *text, size_t length, const char *name,
                    gg_error *err);
void ptx_free(ptx_module *module); /* NULL is allowed */

/* NULL if the module has no such thing. Declarations are found, too. */
const ptx_function *ptx_find_function(const ptx_module *module, const char *name);
const ptx_variable *ptx_find_variable(const ptx_module *module, const char *name);
/* The path of a .file; NULL for an unknown number. */
const char *ptx_file_path(const ptx_module *module, uint32_t number);

const ptx_special_info *ptx_special_of(ptx_special special);

#endif
