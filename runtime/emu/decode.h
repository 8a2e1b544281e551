/* Decoding: each PTX instruction becomes an emu_op, once, when a module is loaded.
 *
 * An opcode's decoder takes the instruction's modifiers one by one, in any order, then its
 * operands, and names the function that runs it. If a modifier is left over, the form is unknown,
 * which is an error with its line. opcodes.def lists the decoders, which are in emu/isa. */
#ifndef GG_EMU_DECODE_H
#define GG_EMU_DECODE_H

#include "base/arena.h"
#include "base/error.h"
#include "emu/ptx/ptx.h"
#include "emu/types.h"

typedef struct emu_warp emu_warp;
typedef struct emu_op emu_op;
typedef struct emu_kernel emu_kernel;

/* How an instruction ended for the lanes that ran it. */
typedef enum emu_step {
  EMU_NEXT,  /* go on with the next one */
  EMU_JUMP,  /* the function has moved the lanes itself */
  EMU_WAIT,  /* cannot run yet: emu_block was called; it runs again once woken */
  EMU_FAULT, /* emu_fault was called */
} emu_step;

/* Runs one instruction for `lanes` (never 0), which are all at this op. */
typedef emu_step emu_exec(emu_warp *warp, const emu_op *op, uint32_t lanes);

/* Memory spaces of an access, as written; generic addresses are resolved lane by lane. */
typedef enum emu_space {
  EMU_GENERIC,
  EMU_GLOBAL,
  EMU_SHARED, /* shared::cta; also shared::cluster addresses of the cluster's CTAs */
  EMU_SHARED_CLUSTER,
  EMU_LOCAL,
  EMU_CONST,
  EMU_PARAM,
} emu_space;

/* Where an operand's values are. All are in the warp's register file: registers, and also constants
 * and special registers, which the decoder places there, so that functions need not distinguish
 * them. A register of 1 bit is a mask; one of 8 or 16, 32, 64 or 128 bits is an array of 2, 4, 8 or
 * 16 bytes for each of 32 lanes. */
typedef struct emu_operand {
  uint32_t offset;    /* bytes into the register file; unused by a sink */
  uint8_t lane_bytes; /* 0: a predicate, one uint32_t of 32 bits; else 2, 4, 8, 16 */
  bool sink;          /* `_`: results are dropped */
  bool negated;       /* `!p` */
  bool constant;      /* the same for the whole launch */
} emu_operand;

/* [base + offset]. For sym+imm and [imm] the base is a constant. */
typedef struct emu_address {
  emu_operand base;
  int64_t offset;
} emu_address;

/* What an instruction is counted as. */
typedef enum emu_kind {
  EMU_KIND_INTEGER,
  EMU_KIND_FLOAT,
  EMU_KIND_CONVERT,
  EMU_KIND_MOVE,
  EMU_KIND_CONTROL,
  EMU_KIND_BARRIER,
  EMU_KIND_WARP, /* shfl, vote, match, redux, elect */
  EMU_KIND_LOAD,
  EMU_KIND_STORE,
  EMU_KIND_ATOMIC,
  EMU_KIND_MATRIX, /* ldmatrix, stmatrix, movmatrix */
  EMU_KIND_MMA,
  EMU_KIND_WGMMA,
  EMU_KIND_TCGEN05,
  EMU_KIND_ASYNC_COPY, /* cp.async, cp.async.bulk, TMA */
  EMU_KIND_MBARRIER,
  EMU_KIND_FENCE,
  EMU_KIND_COUNT,
} emu_kind;

/* Where lanes go after an op. */
typedef enum emu_flow {
  EMU_FLOW_NEXT,
  EMU_FLOW_BRANCH, /* to `target`; to the next op those that the guard leaves out */
  EMU_FLOW_TABLE,  /* to one of the emu_targets that `facts` points to */
  EMU_FLOW_CALL,   /* to another function, then to the next op */
  EMU_FLOW_END,    /* nowhere; to the next op those that the guard leaves out */
} emu_flow;

/* The table of a brx.idx: indices of ops. */
typedef struct emu_targets {
  uint32_t count;
  uint32_t *ops;
} emu_targets;

struct emu_op {
  emu_exec *exec;
  emu_operand guard;     /* sink: no guard */
  emu_operand *operands; /* usually as written, with vectors flattened; the decoder decides */
  uint16_t operand_count;
  uint8_t kind;               /* emu_kind */
  uint8_t space;              /* emu_space, of an access */
  uint8_t type, type2;        /* emu_type, if the function needs them */
  uint8_t vector;             /* elements of a vector access; 0 and 1 are the same */
  bool converges;             /* .sync/.aligned: see emu_converge */
  bool collective;            /* an access of the whole warp: all lanes read before any goes on */
  bool updates;               /* updates memory atomically; red.async and cp.reduce do so later */
  emu_address address;        /* of an access */
  const void *facts;          /* the decoder's own, in the module's arena */
  uint32_t index;             /* of this op in its function */
  uint32_t target;            /* of a branch: an op's index */
  uint8_t flow;               /* emu_flow */
  bool leader;                /* whether lanes may come here by more than one way */
  const ptx_instruction *ptx; /* NULL: the implicit return at a function's end */
};

/* The op of a kernel's own body that has this emu_op.index; NULL behind the last. Ops of functions
 * that it calls are not among them. */
const emu_op *emu_kernel_op(const emu_kernel *kernel, uint32_t index);
/* The text that the kernel is from: for the names of source files in messages. */
const ptx_module *emu_kernel_ptx(const emu_kernel *kernel);

/* One instruction being decoded. */
typedef struct emu_decoder emu_decoder;

/* Modifiers. `take` says whether the modifier is there, and takes it. */
bool emu_take(emu_decoder *d, const char *modifier);
/* Takes the first untaken modifier that is a type; EMU_NONE if there is none left. So types are
 * taken in the order in which they are written. */
emu_type emu_take_type(emu_decoder *d);
/* Takes the first untaken modifier that starts with `prefix` ("m64n", "L2::"); NULL: none. */
const char *emu_take_prefix(emu_decoder *d, const char *prefix);
/* Takes one of the `words` (ended by NULL) and returns its index; -1: none of them is there. */
int emu_take_word(emu_decoder *d, const char *const *words);
/* Takes the space modifier (global, shared, shared::cta, shared::cluster, local, const, param,
 * param::entry, param::func); EMU_GENERIC if there is none. */
emu_space emu_take_space(emu_decoder *d);
/* Fails with EMU_FORM if a modifier is left over. Every decoder calls it last. */
gg_status emu_modifiers_end(emu_decoder *d, gg_error *err);

/* Operands, as written: `index` counts what is between commas. Each function fails with EMU_OPERAND
 * if the operand is missing or not of its kind. By `type` immediates get their bits, and the widths
 * of registers are checked (EMU_NONE: any). */
int emu_operand_count(const emu_decoder *d);
const ptx_operand *emu_operand_at(const emu_decoder *d, int index); /* NULL: none */
gg_status emu_operand_register(emu_operand *out, emu_decoder *d, int index, emu_type type,
                               gg_error *err); /* a destination: a register or a sink */
gg_status emu_operand_value(emu_operand *out, emu_decoder *d, int index, emu_type type,
                            gg_error *err); /* a source: register, immediate, special, symbol */
/* A vector's elements, or a scalar as a vector of one. There are *count of them, at most `most`. */
gg_status emu_operand_vector(emu_operand *out, int *count, int most, emu_decoder *d, int index,
                             emu_type type, bool destination, gg_error *err);
/* A part of operand `index` (a coordinate of `[map, {c0, c1}]`) as a source. */
gg_status emu_operand_part(emu_operand *out, emu_decoder *d, int index, const ptx_operand *part,
                           emu_type type, gg_error *err);
gg_status emu_operand_address(emu_address *out, emu_decoder *d, int index, gg_error *err);
gg_status emu_operand_immediate(int64_t *out, emu_decoder *d, int index, gg_error *err);
/* A place for a value that is the same for the whole launch. */
gg_status emu_operand_constant(emu_operand *out, emu_decoder *d, uint64_t low, uint64_t high,
                               int lane_bytes, gg_error *err);

/* The op that a PTX_LABEL stands for. */
uint32_t emu_decoder_target(const emu_decoder *d, const ptx_operand *label);

/* The table that a PTX_TARGETS stands for, and the function that is decoded. */
const ptx_targets *emu_decoder_targets(const emu_decoder *d, const ptx_operand *table);
const ptx_function *emu_decoder_function(const emu_decoder *d);

gg_arena *emu_decoder_arena(emu_decoder *d); /* the module's */
const ptx_instruction *emu_decoder_ptx(const emu_decoder *d);
int emu_decoder_arch(const emu_decoder *d); /* of the device: 90 */

/* EMU_FORM: "unknown instruction mma.sync.m8n8k9.f32: no shape m8n8k9", with the line. */
gg_status emu_unknown_form(emu_decoder *d, gg_error *err, const char *format, ...) GG_PRINTF(3, 4);

/* An opcode's decoder. Fills exec, operands, kind and what else is needed of `op`, which is zeroed,
 * except that guard, index and ptx are set. */
typedef gg_status emu_decode(emu_op *op, emu_decoder *d, gg_error *err);

#define EMU_OPCODE(name, decode) emu_decode decode;
#include "opcodes.def"
#undef EMU_OPCODE

#endif
