/* One instruction: what its operands may be, and what it makes of them. */
#include <string.h>

#include "annotate/flow_inside.h"
#include "annotate/operations.h"
#include "annotate/remainder.h"
#include "gemmgen.h"

/* ---- Operands --------------------------------------------------------------------------- */

static const flow_value *one(flow_graph *flow, flow_base base, uint32_t of, int64_t at) {
  return flow_one(&flow->memory,
                  (flow_element){.at = at, .base = (uint8_t)base, .of = (uint8_t)of});
}

/* The root of what an instruction chooses. */
static uint64_t root_here(const flow_graph *flow) {
  return 1 + (uint64_t)(flow->at - flow->function->instructions);
}

static const flow_value *special(flow_graph *flow, ptx_special which) {
  const flow_facts *facts = flow->facts;
  uint64_t root = root_here(flow);
  switch (which) {
  case PTX_SPECIAL_TID_X:
    return flow_numbers(&flow->memory, root, 0, (size_t)facts->threads);
  case PTX_SPECIAL_LANEID:
    return flow_numbers(&flow->memory, root, 0, 32);
  case PTX_SPECIAL_CLUSTER_CTARANK:
    return flow_numbers(&flow->memory, root, 0, (size_t)facts->cluster);
  case PTX_SPECIAL_TID_Y:
  case PTX_SPECIAL_TID_Z:
    return flow_number(&flow->memory, 0);
  case PTX_SPECIAL_NTID_X:
    return flow_number(&flow->memory, facts->threads);
  default:
    return NULL;
  }
}

static const flow_value *variable(flow_graph *flow, const ptx_variable *v, int64_t offset) {
  if (v->space == PTX_SPACE_SHARED && v->unsized) return one(flow, FLOW_SHARED, 0, offset);
  if (v->owner == PTX_OF_INPUTS && v->index < GG_PARAMS_MAX)
    return one(flow, FLOW_PARAMETER, flow->facts->parameter[v->index], offset);
  return NULL;
}

typedef struct shift {
  int64_t by;
} shift;

static bool move(flow_element *out, const flow_element *in, const void *how) {
  *out = in[0];
  out->at += ((const shift *)how)->by;
  return true;
}

/* A register at the instruction, where its guard holds. */
static const flow_value *held(flow_graph *flow, uint32_t index) {
  const ptx_instruction *at = flow->at;
  const flow_value *value = flow->now[index];
  if (at->guard == PTX_NO_GUARD) return value;
  return flow_where(&flow->memory, value, flow->guard, !at->guard_negated);
}

static const flow_value *address(flow_graph *flow, const ptx_operand *operand) {
  shift by = {(int64_t)operand->value};
  if (operand->base == PTX_VARIABLE) return variable(flow, operand->variable, by.by);
  if (operand->base != PTX_REGISTER) return NULL;
  const flow_value *from = held(flow, operand->index);
  return flow_combine(&flow->memory, root_here(flow), move, &by, &from, 1);
}

const flow_value *flow_operand(flow_graph *flow, const ptx_operand *operand) {
  switch (operand->kind) {
  case PTX_REGISTER:
    return operand->negated || operand->part[0] ? NULL : held(flow, operand->index);
  case PTX_INTEGER:
    return flow_number(&flow->memory, (int64_t)operand->value);
  case PTX_SPECIAL:
    return special(flow, (ptx_special)operand->index);
  case PTX_VARIABLE:
    return variable(flow, operand->variable, (int64_t)operand->value);
  case PTX_ADDRESS:
    return address(flow, operand);
  default:
    return NULL;
  }
}

/* An operand as the instruction reads it: so many bits of it. */
static const flow_value *read_operand(flow_graph *flow, const ptx_operand *operand, int bits) {
  if (operand->kind == PTX_INTEGER && bits < 64)
    return flow_number(&flow->memory, (int64_t)(operand->value & (((uint64_t)1 << bits) - 1)));
  if (operand->kind == PTX_REGISTER && operand->negated && !operand->part[0] && bits == 1) {
    const flow_value *value = held(flow, operand->index);
    return flow_combine(&flow->memory, root_here(flow), flow_opposite, NULL, &value, 1);
  }
  return flow_operand(flow, operand);
}

/* ---- Instructions ----------------------------------------------------------------------- */

/* What the register holds behind the instruction, which gives it `value` where its guard holds. */
static void assign(flow_graph *flow, const ptx_operand *to, const flow_value *value) {
  if (to->kind != PTX_REGISTER) return;
  const ptx_instruction *at = flow->at;
  const flow_value **reg = &flow->now[to->index];
  if (at->guard == PTX_NO_GUARD) {
    *reg = value;
    return;
  }
  const flow_value *old = *reg, *guard = flow->guard;
  bool runs = flow_may_be(guard, !at->guard_negated), not = flow_may_be(guard, at->guard_negated);
  if (!runs) return;
  if (!not || (old && old->count == 0)) {
    *reg = value;
    return;
  }
  const flow_value *in[3] = {at->guard_negated ? old : value, at->guard_negated ? value : old,
                             guard};
  const flow_value *chosen = NULL;
  if (value && old && guard) chosen = flow_choose(&flow->memory, in);
  if (chosen) {
    *reg = chosen;
    return;
  }
  old = flow_where(&flow->memory, old, guard, at->guard_negated);
  value = flow_where(&flow->memory, value, guard, !at->guard_negated);
  *reg = flow_either(&flow->memory, root_here(flow), old, value);
}

static void forget(flow_graph *flow, const ptx_operand *operand) {
  if (operand->kind == PTX_REGISTER) assign(flow, operand, NULL);
  bool parts =
      operand->kind == PTX_VECTOR || operand->kind == PTX_PAIR || operand->kind == PTX_LIST;
  for (uint32_t i = 0; parts && i < operand->element_count; i++)
    forget(flow, &operand->elements[i]);
}

/* setp has a third operand: a predicate, and how it is combined. */
static const flow_value *with_predicate(flow_graph *flow, const flow_value *value) {
  const ptx_instruction *at = flow->at;
  if (at->operand_count < 4 || strcmp(at->form->opcode, "setp") != 0) return value;
  const flow_value *in[2] = {value, read_operand(flow, &at->operands[3], 1)};
  if (!in[1]) in[1] = flow_numbers(&flow->memory, root_here(flow), 0, 2);
  const char *word = at->form->modifiers[1];
  return flow_connect(&flow->memory, root_here(flow), word, in);
}

/* Of values of several roots that have many cases together, each value once. */
static void reduce(flow_graph *flow, const flow_value **in, int count) {
  size_t cases = 1;
  for (int i = 0; i < count; i++) {
    if (!in[i]) return;
    cases *= in[i]->count;
  }
  if (cases <= FLOW_FEW || flow_are_common(in, count)) return;
  for (int i = 0; i < count; i++) {
    const flow_value *set = flow_rooted(&flow->memory, UINT64_MAX - 1 - (uint64_t)i, in[i]);
    if (set && set->count < in[i]->count) in[i] = set;
  }
}

static void note_origin(flow_graph *flow, const flow_value *const *in, int count) {
  origin *of = &flow->origins[flow->at - flow->function->instructions];
  *of = (origin){.count = {0}};
  for (int i = 0; i < count; i++) {
    of->root[i] = in[i]->root;
    of->count[i] = in[i]->count;
  }
}

static const flow_value *remainder_here(flow_graph *flow) {
  const ptx_function *f = flow->function;
  uint32_t by, index = (uint32_t)(flow->at - f->instructions);
  uint32_t first = flow->blocks[flow->block_of[index]].first;
  if (!flow_is_remainder(&by, f, first, index)) return NULL;
  return flow_numbers(&flow->memory, root_here(flow), 0, by);
}

static const flow_value *computed(flow_graph *flow, const flow_how *how) {
  const ptx_instruction *at = flow->at;
  const flow_value *in[3] = {NULL};
  int count = flow_operands_of(how);
  bool chooses = strcmp(at->form->opcode, "selp") == 0;
  for (int i = 0; i < count; i++)
    in[i] = read_operand(flow, &at->operands[i + 1], chooses && i == 2 ? 1 : how->bits);
  uint64_t root = root_here(flow);
  if (chooses) {
    const flow_value *chosen = in[0] && in[1] && in[2] ? flow_choose(&flow->memory, in) : NULL;
    if (chosen) return chosen;
    return flow_either(&flow->memory, root, flow_where(&flow->memory, in[0], in[2], true),
                       flow_where(&flow->memory, in[1], in[2], false));
  }
  reduce(flow, in, count);
  const flow_value *value = flow_combine(&flow->memory, root, flow_operate, how, in, count);
  if (value && value->root == root) note_origin(flow, in, count);
  if (!value) value = flow_bounded(&flow->memory, root, how, in);
  if (!value) value = remainder_here(flow);
  if (!value) value = flow_pointer(how, in);
  return with_predicate(flow, value);
}

/* mov.b64 of two halves; and its opposite. */
static bool move_halves(flow_graph *flow) {
  const ptx_instruction *at = flow->at;
  if (strcmp(at->form->text, "mov.b64") != 0) return false;
  const ptx_operand *to = &at->operands[0], *from = &at->operands[1];
  if (from->kind == PTX_VECTOR && from->element_count == 2) {
    const flow_value *in[2] = {read_operand(flow, &from->elements[0], 32),
                               read_operand(flow, &from->elements[1], 32)};
    assign(flow, to, flow_pack(&flow->memory, root_here(flow), in));
    return true;
  }
  if (to->kind != PTX_VECTOR || to->element_count != 2) return false;
  const flow_value *in = read_operand(flow, from, 64);
  for (int half = 0; half < 2; half++)
    assign(flow, &to->elements[half], flow_unpack(&flow->memory, root_here(flow), in, half));
  return true;
}

/* A load: of an address among the parameters, or of tensor memory's. */
static const flow_value *loaded(flow_graph *flow) {
  const ptx_instruction *at = flow->at;
  const flow_value *from = flow_operand(flow, &at->operands[1]);
  if (at->operands[1].kind != PTX_ADDRESS || !from || from->count != 1) return NULL;
  flow_element e = from->list[0];
  if (e.base == FLOW_PARAMETER && e.at == 0 && flow->facts->is_pointer[e.of])
    return one(flow, FLOW_POINTER, e.of, 0);
  if (e.base == FLOW_SHARED && e.at == flow->facts->tensor_memory_at)
    return one(flow, FLOW_TENSOR, 0, 0);
  return NULL;
}

static void execute(flow_graph *flow) {
  const ptx_instruction *at = flow->at;
  flow_how how;
  if (at->operand_count > 1 && move_halves(flow)) return;
  const ptx_operand *to = &at->operands[0];
  bool shuffles = strcmp(at->form->opcode, "shfl") == 0;
  if (at->operand_count > 1 && to->kind == PTX_REGISTER && !to->part[0]) {
    if (strcmp(at->form->opcode, "ld") == 0) {
      assign(flow, to, loaded(flow));
      return;
    }
    if (flow_how_of(&how, at, flow->alignment, flow->facts->shared_bytes)) {
      assign(flow, to, computed(flow, &how));
      return;
    }
  }
  /* Another lane's value, which is one that any may have. */
  const flow_value *any = shuffles ? flow_operand(flow, &at->operands[1]) : NULL;
  forget(flow, to);
  const ptx_operand *taken = to->kind == PTX_PAIR ? &to->elements[0] : to;
  if (any) assign(flow, taken, flow_rooted(&flow->memory, root_here(flow), any));
}

/* What an instruction chose before has nothing to do with what it chooses now. */
static void part_roots(flow_graph *flow, uint32_t index) {
  const ptx_function *f = flow->function;
  uint64_t root = root_here(flow);
  uint64_t others = flow_roots_of(flow, flow->block_count + index); /* behind the blocks' */
  for (uint32_t r = 0; r < f->register_count; r++) {
    const flow_value *value = flow->now[r];
    if (value && value->root == root) flow->now[r] = flow_rooted(&flow->memory, others + r, value);
  }
}

void flow_execute(flow_graph *flow, uint32_t index) {
  flow->at = &flow->function->instructions[index];
  if (flow->at->operand_count == 0 || flow_ends(flow->at)) return;
  part_roots(flow, index);
  flow->guard = flow->at->guard == PTX_NO_GUARD ? NULL : flow->now[flow->at->guard];
  execute(flow);
}
