/* What a module becomes when it is loaded: functions as ops, variables as addresses, kernels with
 * the layout of their parameters and shared memory.
 *
 * A function's register file is one block: its registers, then its constants. Most constants are
 * known when it is decoded and are in `image`, which is copied into each new file. Those that
 * depend on the launch, the CTA, the warp, the lane or the frame are `late`, and are filled in
 * then. What a function keeps in memory for each lane is one block of `local_bytes`: its parameters
 * (except a kernel's), those of its calls, and its .local variables. */
#ifndef GG_EMU_MODULE_H
#define GG_EMU_MODULE_H

#include "emu/machine.h"

typedef struct emu_function emu_function;

typedef enum emu_late_kind {
  EMU_LATE_SPECIAL, /* value: a ptx_special */
  EMU_LATE_SHARED,  /* value: number of a shared variable; addend */
  EMU_LATE_LOCAL,   /* addend: an offset into the frame's locals */
} emu_late_kind;

typedef struct emu_late {
  emu_late_kind kind;
  uint32_t value;
  int64_t addend;
  uint32_t offset; /* into the register file */
  uint8_t lane_bytes;
} emu_late;

struct emu_function {
  emu_module *module;
  const ptx_function *ptx;
  emu_op *ops;
  uint32_t op_count;
  uint32_t *order;         /* of each op: lanes at lower numbers run first, so that lanes meet */
  uint32_t *registers;     /* file offset of each register */
  uint32_t register_bytes; /* where the constants start */
  uint32_t file_bytes;
  const uint8_t *image;
  const emu_late *late;
  uint32_t late_count;
  uint64_t *addresses; /* of ptx->variables: an address, a shared number, an offset into locals */
  uint64_t *inputs, *returns; /* of parameters: offsets into a kernel's block, or into locals */
  uint64_t param_bytes;       /* a kernel's block */
  uint64_t local_bytes;       /* a lane's */
};

/* A .shared variable of the module; its number is its place in module->shared. */
typedef struct emu_shared_variable {
  const ptx_variable *ptx;
  const ptx_function *function; /* the function that declares it; NULL: the module does */
} emu_shared_variable;

struct emu_kernel {
  emu_function *function;
  emu_kernel_facts facts;
  uint32_t *shared;          /* offset of each of the module's shared variables; EMU_UNUSED: not of
                              * this kernel */
  uint32_t dynamic_offset;   /* where dynamic shared memory starts */
  uint32_t shared_alignment; /* its alignment */
};

#define EMU_UNUSED UINT32_MAX

struct emu_module {
  emu_module *next; /* the device's next one */
  emu_device *device;
  ptx_module *ptx;
  gg_arena arena;
  emu_function *functions; /* one for each of ptx->functions; ops is NULL if it has no body */
  emu_kernel *kernels;
  uint32_t kernel_count;
  uint64_t *addresses; /* of ptx->variables, as emu_function's */
  emu_shared_variable *shared;
  uint32_t shared_count;
  bool groups; /* it reads %reserved_smem_offset_1: memory.h */
};

/* Decodes the body of a function whose module's variables have their places. */
gg_status emu_function_decode(emu_function *function, gg_error *err);

/* Fills `order` and the ops' `leader`. */
gg_status emu_function_flow(emu_function *function, gg_error *err);

/* Where a variable is: an address (.global, .const), a number (.shared), or an offset (.local,
 * .param and parameters). `function` is the one that mentions it. */
uint64_t emu_variable_place(const emu_function *function, const ptx_variable *variable);

/* The address of a function, as `mov` sees it, and back (NULL: no such function). */
uint64_t emu_function_address(const emu_module *module, const ptx_function *function);
const emu_function *emu_function_at(const emu_module *module, uint64_t address);

/* The device's architecture, for arithmetic and limits: 90. */
int emu_module_arch(const emu_module *module);

/* A mark at an instruction, for errors of loading. */
gg_mark emu_mark_of(const emu_module *module, const ptx_instruction *ptx);

#endif
