/* Loading a module: variables get addresses, functions become ops, entries become kernels.
 *
 * .global and .const variables are ranges of the device's memory. .shared ones get a number,
 * because their places differ from kernel to kernel: a kernel's static shared memory has those that
 * it, or a function that it may call, mentions. What a function keeps in a lane's memory is laid
 * out in one block: its parameters (except a kernel's, which the launch has), the parameters of its
 * calls, and its .local variables. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/device.h"

/* Functions have addresses, too, where there is no memory. */
#define CODE_BASE ((uint64_t)0x7c << 40)

enum { code_step = 16 };

int emu_module_arch(const emu_module *module) {
  return module->device->options.arch;
}

static uint64_t align_up(uint64_t at, uint64_t align) {
  return align > 1 ? (at + align - 1) / align * align : at;
}

/* ---- Variables -------------------------------------------------------------------------- */

uint64_t emu_variable_place(const emu_function *function, const ptx_variable *variable) {
  switch (variable->owner) {
  case PTX_OF_FUNCTION:
    return function->addresses[variable->index];
  case PTX_OF_INPUTS:
    return function->inputs[variable->index];
  case PTX_OF_RETURNS:
    return function->returns[variable->index];
  default:
    return function->module->addresses[variable->index];
  }
}

static gg_status bad_variable(const emu_module *module, const ptx_variable *variable,
                              const char *why, gg_error *err) {
  gg_mark mark = {.file = module->ptx->name,
                  .line = (int)variable->place.line,
                  .column = (int)variable->place.column};
  return gg_fail(err, PTX_NAME, &mark, 80, variable->name, "", why);
}

static gg_status place_shared(uint64_t *place, emu_module *module, const ptx_function *function,
                              const ptx_variable *variable, gg_error *err) {
  uint32_t count = module->shared_count;
  if (!(count & (count + 1)) || !module->shared) {
    size_t room = ((size_t)count + 1) * 2;
    emu_shared_variable *grown = GG_ARENA_ARRAY(&module->arena, emu_shared_variable, room);
    if (!grown) return gg_fail(err, MEMORY, NULL, "");
    if (count) memcpy(grown, module->shared, count * sizeof(*grown));
    module->shared = grown;
  }
  module->shared[count] = (emu_shared_variable){variable, function};
  *place = count;
  module->shared_count++;
  return GG_OK;
}

/* Finds a place for a variable of the module or of a function's body. */
static gg_status place_variable(uint64_t *place, emu_module *module, emu_function *function,
                                const ptx_variable *variable, gg_error *err) {
  emu_bank *range;
  gg_status st;
  switch (variable->space) {
  case PTX_SPACE_SHARED:
    return place_shared(place, module, function ? function->ptx : NULL, variable, err);
  case PTX_SPACE_LOCAL:
  case PTX_SPACE_PARAM:
    if (!function) {
      return bad_variable(module, variable, "belongs into a function", err);
    }
    *place = align_up(function->local_bytes, variable->align);
    if (variable->bytes > UINT32_MAX || *place + variable->bytes > 1 << 20) {
      return bad_variable(module, variable, "local memory ends at 1 MiB", err);
    }
    function->local_bytes = *place + variable->bytes;
    return GG_OK;
  case PTX_SPACE_GLOBAL:
  case PTX_SPACE_CONST:
    if (variable->linkage == PTX_LINK_EXTERN) {
      return bad_variable(module, variable, "is .extern, and defined nowhere", err);
    }
    st = emu_range_open(&range, module->device, variable->bytes, variable->align, variable->name,
                        err);
    if (st) return st;
    range->read_only = variable->space == PTX_SPACE_CONST;
    for (size_t i = 0; i < variable->run_count; i++) {
      const ptx_run *run = &variable->runs[i];
      memcpy(range->bytes + run->offset, run->bytes, (size_t)run->length);
    }
    *place = range->base;
    return GG_OK;
  default:
    return GG_OK;
  }
}

/* Fills in the addresses that an initialiser contains. */
static gg_status relocate(emu_module *module, const emu_function *function, uint64_t place,
                          const ptx_variable *variable, gg_error *err) {
  for (size_t i = 0; i < variable->relocation_count; i++) {
    const ptx_relocation *r = &variable->relocations[i];
    if (r->variable && r->variable->space != PTX_SPACE_GLOBAL &&
        r->variable->space != PTX_SPACE_CONST) {
      return bad_variable(module, r->variable, "has no address before a launch", err);
    }
    if (r->variable && r->variable->owner != PTX_OF_MODULE && !function) {
      return bad_variable(module, r->variable, "is not known here", err);
    }
    uint64_t value = !r->variable ? emu_function_address(module, r->function)
                     : function   ? emu_variable_place(function, r->variable)
                                  : module->addresses[r->variable->index];
    value = (value + (uint64_t)r->addend) & r->mask;
    if (r->mask) value >>= __builtin_ctzll(r->mask);
    memcpy(emu_range_find(module->device, place, variable->bytes)->bytes + r->offset, &value,
           r->bytes < 8 ? r->bytes : 8);
  }
  return GG_OK;
}

static gg_status place_variables(uint64_t **out, emu_module *module, emu_function *function,
                                 ptx_variable *const *variables, uint32_t count, gg_error *err) {
  gg_status st = GG_OK;
  *out = GG_ARENA_ARRAY(&module->arena, uint64_t, (size_t)count + 1);
  if (!*out) return gg_fail(err, MEMORY, NULL, "");
  for (uint32_t i = 0; !st && i < count; i++) {
    st = place_variable(&(*out)[i], module, function, variables[i], err);
  }
  return st;
}

static gg_status relocate_all(emu_module *module, gg_error *err) {
  gg_status st = GG_OK;
  for (uint32_t i = 0; !st && i < module->ptx->variable_count; i++) {
    st = relocate(module, NULL, module->addresses[i], module->ptx->variables[i], err);
  }
  for (uint32_t f = 0; !st && f < module->ptx->function_count; f++) {
    const emu_function *function = &module->functions[f];
    for (uint32_t i = 0; !st && i < function->ptx->variable_count; i++) {
      st = relocate(module, function, function->addresses[i], function->ptx->variables[i], err);
    }
  }
  return st;
}

/* ---- Functions -------------------------------------------------------------------------- */

uint64_t emu_function_address(const emu_module *module, const ptx_function *function) {
  (void)module;
  if (function->alias) function = function->alias;
  return CODE_BASE + ((uint64_t)function->index + 1) * code_step;
}

const emu_function *emu_function_at(const emu_module *module, uint64_t address) {
  uint64_t index = (address - CODE_BASE) / code_step - 1;
  if (address <= CODE_BASE || address % code_step || index >= module->ptx->function_count) {
    return NULL;
  }
  return &module->functions[index];
}

/* Places parameters one behind the other from *at on. */
static gg_status place_params(uint64_t **out, uint64_t *at, emu_module *module,
                              ptx_variable *const *variables, uint32_t count, gg_error *err) {
  *out = GG_ARENA_ARRAY(&module->arena, uint64_t, (size_t)count + 1);
  if (!*out) return gg_fail(err, MEMORY, NULL, "");
  for (uint32_t i = 0; i < count; i++) {
    if (variables[i]->space == PTX_SPACE_REG) continue;
    (*out)[i] = align_up(*at, variables[i]->align);
    if (variables[i]->bytes > UINT16_MAX || (*out)[i] > UINT16_MAX) {
      return bad_variable(module, variables[i], "parameters end at 64 KiB", err);
    }
    *at = (*out)[i] + variables[i]->bytes;
  }
  return GG_OK;
}

static gg_status place_function(emu_module *module, const ptx_function *ptx, gg_error *err) {
  emu_function *function = &module->functions[ptx->index];
  *function = (emu_function){.module = module, .ptx = ptx};
  uint64_t *block = ptx->entry ? &function->param_bytes : &function->local_bytes;
  gg_status st = place_params(&function->inputs, block, module, ptx->inputs, ptx->input_count, err);
  if (!st) {
    st = place_params(&function->returns, &function->local_bytes, module, ptx->returns,
                      ptx->return_count, err);
  }
  if (!st) {
    st = place_variables(&function->addresses, module, function, ptx->variables,
                         ptx->variable_count, err);
  }
  function->local_bytes = align_up(function->local_bytes, 16);
  return st;
}

/* ---- Kernels ---------------------------------------------------------------------------- */

/* The functions and shared variables that a kernel can reach. */
typedef struct reach {
  emu_module *module;
  bool *shared;    /* by number */
  bool *functions; /* by index */
  uint32_t *work;  /* functions still to be looked at */
  uint32_t count;
} reach;

static void reach_function(reach *r, const ptx_function *function) {
  if (function->alias) function = function->alias;
  if (r->functions[function->index]) return;
  r->functions[function->index] = true;
  r->work[r->count++] = function->index;
}

static void reach_variable(reach *r, const emu_function *function, const ptx_variable *variable) {
  if (variable->space == PTX_SPACE_SHARED) r->shared[emu_variable_place(function, variable)] = true;
}

static void reach_operands(reach *r, const emu_function *function, const ptx_operand *operands,
                           uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const ptx_operand *operand = &operands[i];
    if (operand->kind == PTX_FUNCTION) reach_function(r, operand->function);
    if (operand->kind == PTX_VARIABLE ||
        (operand->kind == PTX_ADDRESS && operand->base == PTX_VARIABLE)) {
      reach_variable(r, function, operand->variable);
    }
    reach_operands(r, function, operand->elements, operand->element_count);
  }
}

/* A call through a register may reach every function that is not a kernel. */
static void reach_indirect(reach *r, const ptx_instruction *ptx) {
  if (strcmp(ptx->form->opcode, "call") || ptx->operands[1].kind != PTX_REGISTER) return;
  for (uint32_t i = 0; i < r->module->ptx->function_count; i++) {
    if (!r->module->ptx->functions[i]->entry) reach_function(r, r->module->ptx->functions[i]);
  }
}

static void reach_all(reach *r, const ptx_function *entry) {
  reach_function(r, entry);
  while (r->count) {
    const emu_function *function = &r->module->functions[r->work[--r->count]];
    for (uint32_t i = 0; i < function->ptx->variable_count; i++) {
      reach_variable(r, function, function->ptx->variables[i]);
    }
    for (uint32_t i = 0; i < function->ptx->instruction_count; i++) {
      const ptx_instruction *ptx = &function->ptx->instructions[i];
      reach_operands(r, function, ptx->operands, ptx->operand_count);
      reach_indirect(r, ptx);
    }
  }
}

/* Places static shared variables one behind the other, then the dynamic ones, all at one place. */
static gg_status place_kernel_shared(emu_kernel *kernel, const reach *r, gg_error *err) {
  emu_module *module = r->module;
  uint64_t at = 0, dynamic_align = 16;
  kernel->shared = GG_ARENA_ARRAY(&module->arena, uint32_t, (size_t)module->shared_count + 1);
  if (!kernel->shared) return gg_fail(err, MEMORY, NULL, "");
  kernel->shared_alignment = 16;
  for (uint32_t i = 0; i < module->shared_count; i++) {
    const ptx_variable *variable = module->shared[i].ptx;
    kernel->shared[i] = EMU_UNUSED;
    if (!r->shared[i]) continue;
    if (variable->unsized) {
      if (variable->align > dynamic_align) dynamic_align = variable->align;
      continue;
    }
    at = align_up(at, variable->align);
    if (variable->bytes > 1 << 24 || at > 1 << 24) {
      return bad_variable(module, variable, "shared memory ends at 16 MiB", err);
    }
    kernel->shared[i] = (uint32_t)at;
    at += variable->bytes;
  }
  kernel->facts.static_smem_bytes = at;
  kernel->dynamic_offset = (uint32_t)(at ? align_up(at, dynamic_align) : 0);
  kernel->shared_alignment = (uint32_t)dynamic_align;
  for (uint32_t i = 0; i < module->shared_count; i++) {
    if (r->shared[i] && module->shared[i].ptx->unsized) kernel->shared[i] = kernel->dynamic_offset;
  }
  return GG_OK;
}

static int threads_of(const ptx_function *ptx) {
  const uint32_t *n = ptx->reqntid[0] ? ptx->reqntid : ptx->maxntid;
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++) {
    threads *= n[i] ? n[i] : 1;
    if (threads > 1024) threads = 1024;
  }
  return n[0] ? (int)threads : 1024;
}

static gg_status make_kernel(emu_kernel *kernel, emu_module *module, const ptx_function *ptx,
                             gg_error *err) {
  reach r = {.module = module};
  size_t functions = module->ptx->function_count;
  kernel->function = &module->functions[ptx->index];
  kernel->facts = (emu_kernel_facts){.name = ptx->name,
                                     .param_bytes = kernel->function->param_bytes,
                                     .local_bytes = kernel->function->local_bytes,
                                     .param_count = (int)ptx->input_count,
                                     .max_threads = threads_of(ptx)};
  r.shared = gg_malloc(module->shared_count + 1);
  r.functions = gg_malloc(functions + 1);
  r.work = gg_malloc((functions + 1) * sizeof(*r.work));
  gg_status st = GG_OK;
  if (r.shared && r.functions && r.work) {
    memset(r.shared, 0, module->shared_count + 1);
    memset(r.functions, 0, functions + 1);
    reach_all(&r, ptx);
    st = place_kernel_shared(kernel, &r, err);
  } else {
    st = gg_fail(err, MEMORY, NULL, "");
  }
  gg_free(r.shared);
  gg_free(r.functions);
  gg_free(r.work);
  return st;
}

static gg_status make_kernels(emu_module *module, gg_error *err) {
  const ptx_module *ptx = module->ptx;
  module->kernels = GG_ARENA_ARRAY(&module->arena, emu_kernel, (size_t)ptx->function_count + 1);
  if (!module->kernels) return gg_fail(err, MEMORY, NULL, "");
  for (uint32_t i = 0; i < ptx->function_count; i++) {
    const ptx_function *function = ptx->functions[i];
    if (!function->entry || !function->defined) continue;
    gg_status st = make_kernel(&module->kernels[module->kernel_count], module, function, err);
    if (st) return st;
    module->kernel_count++;
  }
  return GG_OK;
}

/* ---- Modules ---------------------------------------------------------------------------- */

/* Whether the device runs code of the module's .target. (PTX ISA, ".target".) */
static gg_status check_target(const emu_module *module, gg_error *err) {
  const ptx_module *ptx = module->ptx;
  int arch = emu_module_arch(module), target = (int)ptx->arch;
  bool alone = ptx->suffix == 'a', family = ptx->suffix == 'f';
  bool runs = alone ? arch == target : arch >= target && (!family || arch / 10 == target / 10);
  if (runs) return GG_OK;
  gg_mark mark = {.file = ptx->name,
                  .line = (int)ptx->target_place.line,
                  .column = (int)ptx->target_place.column};
  return gg_fail(err, EMU_TARGET, &mark, ptx->target, arch, target,
                 alone    ? "alone"
                 : family ? "and later ones of its family"
                          : "and later");
}

static gg_status load(emu_module *module, gg_error *err) {
  const ptx_module *ptx = module->ptx;
  module->functions = GG_ARENA_ARRAY(&module->arena, emu_function, (size_t)ptx->function_count + 1);
  if (!module->functions) return gg_fail(err, MEMORY, NULL, "");
  gg_status st =
      place_variables(&module->addresses, module, NULL, ptx->variables, ptx->variable_count, err);
  for (uint32_t i = 0; !st && i < ptx->function_count; i++) {
    st = place_function(module, ptx->functions[i], err);
  }
  if (!st) st = relocate_all(module, err);
  for (uint32_t i = 0; !st && i < ptx->function_count; i++) {
    if (ptx->functions[i]->defined) st = emu_function_decode(&module->functions[i], err);
  }
  return st ? st : make_kernels(module, err);
}

gg_status emu_module_load(emu_module **out, emu_device *device, const char *name, const char *ptx,
                          size_t length, gg_error *err) {
  *out = NULL;
  emu_module *module = gg_malloc(sizeof(*module));
  if (!module) return gg_fail(err, MEMORY, NULL, "");
  *module = (emu_module){.device = device, .next = device->modules};
  device->modules = module;
  gg_status st = ptx_parse(&module->ptx, ptx, length, name, err);
  if (!st) st = check_target(module, err);
  if (!st) st = load(module, err);
  if (st) {
    emu_module_unload(device, module);
    return st;
  }
  *out = module;
  return GG_OK;
}

/* Frees the ranges of an owner's variables, as far as they were opened. */
static void close_variables(emu_module *module, const uint64_t *places,
                            ptx_variable *const *variables, uint32_t count) {
  for (uint32_t i = 0; places && i < count; i++) {
    ptx_space space = variables[i]->space;
    if ((space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST) && places[i]) {
      emu_memory_free(module->device, places[i], NULL);
    }
  }
}

void emu_module_unload(emu_device *device, emu_module *module) {
  if (!module) return;
  emu_module **at = &device->modules;
  while (*at != module) {
    at = &(*at)->next;
  }
  *at = module->next;
  const ptx_module *ptx = module->ptx;
  if (ptx) {
    close_variables(module, module->addresses, ptx->variables, ptx->variable_count);
    for (uint32_t i = 0; module->functions && i < ptx->function_count; i++) {
      const ptx_function *function = ptx->functions[i];
      close_variables(module, module->functions[i].addresses, function->variables,
                      function->variable_count);
    }
    ptx_free(module->ptx);
  }
  gg_arena_free(&module->arena);
  gg_free(module);
}

emu_kernel *emu_module_kernel(const emu_module *module, const char *entry) {
  for (uint32_t i = 0; i < module->kernel_count; i++) {
    if (!strcmp(module->kernels[i].facts.name, entry)) return &module->kernels[i];
  }
  return NULL;
}

bool emu_module_variable(uint64_t *address, uint64_t *bytes, const emu_module *module,
                         const char *name) {
  const ptx_variable *variable = ptx_find_variable(module->ptx, name);
  if (!variable || variable->owner != PTX_OF_MODULE ||
      (variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST)) {
    return false;
  }
  *address = module->addresses[variable->index];
  *bytes = variable->bytes;
  return true;
}

emu_kernel_facts emu_kernel_facts_of(const emu_kernel *kernel) {
  return kernel->facts;
}

bool emu_kernel_param(uint64_t *offset, uint64_t *bytes, const emu_kernel *kernel, int index) {
  const ptx_function *ptx = kernel->function->ptx;
  if (index < 0 || (uint32_t)index >= ptx->input_count) return false;
  *offset = kernel->function->inputs[index];
  *bytes = ptx->inputs[index]->bytes;
  return true;
}

const emu_op *emu_kernel_op(const emu_kernel *kernel, uint32_t index) {
  const emu_function *function = kernel->function;
  return index < function->op_count ? &function->ops[index] : NULL;
}

const ptx_module *emu_kernel_ptx(const emu_kernel *kernel) {
  return kernel->function->module->ptx;
}
