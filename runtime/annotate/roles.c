#include "annotate/roles.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/cuda_text.h"

enum { role_bytes = 96 };

struct role_list {
  gg_arena *arena;
  const kernel_ptx *ptx;
  const char **of; /* of each register; NULL: none */
  bool *several;   /* it is used in several ways: it has none */
  bool *said;
  bool failed;
};

role_list *roles_new(gg_arena *arena, const kernel_ptx *ptx) {
  size_t n = ptx->function->register_count + 1;
  role_list *roles = GG_ARENA_NEW(arena, role_list);
  if (!roles) return NULL;
  *roles = (role_list){.arena = arena, .ptx = ptx};
  roles->of = gg_arena_alloc(arena, n * sizeof *roles->of);
  roles->several = GG_ARENA_ARRAY(arena, bool, n);
  roles->said = GG_ARENA_ARRAY(arena, bool, n);
  return roles->of && roles->several && roles->said ? roles : NULL;
}

/* ---- Uses ------------------------------------------------------------------------------- */

static void give(role_list *roles, uint32_t reg, const char *role) {
  const char *old = roles->of[reg];
  if (old && strcmp(old, role) != 0) roles->several[reg] = true;
  if (!old) roles->of[reg] = gg_arena_strndup(roles->arena, role, strlen(role));
  roles->failed = roles->failed || !roles->of[reg];
}

/* A register by itself that an address is, or begins with. */
static bool is_register(const ptx_operand *operand) {
  if (operand->kind == PTX_ADDRESS) return operand->base == PTX_REGISTER && operand->value == 0;
  return operand->kind == PTX_REGISTER;
}

static void give_place(role_list *roles, const operand_place *p, const char *what) {
  char text[role_bytes];
  if (!p->operand || !is_register(p->operand)) return;
  const char *whose = p->at.elsewhere ? ", of a CTA of the cluster" : "";
  if (p->at.barriers)
    snprintf(text, sizeof text, "%s of barrier %s, ring %s%s", what, p->at.barriers->name,
             p->at.ring->name, whose);
  else
    snprintf(text, sizeof text, "%s in ring %s%s", what, p->at.ring->name, whose);
  give(roles, p->operand->index, text);
}

static void give_stage(role_list *roles, const operand_place *p) {
  char text[role_bytes];
  int64_t stages[FLOW_MOST];
  if (!p->operand || p->at.stage >= 0 || p->at.ring->depth == 1) return;
  place_stages(stages, &p->at, p->value);
  uint32_t reg = flow_register_of(roles->ptx->flow, p->operand, p->value, stages);
  snprintf(text, sizeof text, "stage of ring %s", p->at.ring->name);
  if (reg != UINT32_MAX) give(roles, reg, text);
}

static void give_parameter(role_list *roles, const ptx_operand *operand, int parameter,
                           const char *what) {
  gg_str text = GG_STR_INIT;
  if (!operand || !is_register(operand) || parameter < 0) return;
  gg_str_puts(&text, what);
  gg_cuda_write_parameter_name(&text, roles->ptx->plan, roles->ptx->params[parameter]);
  roles->failed = roles->failed || text.failed;
  if (!text.failed) give(roles, operand->index, gg_str_text(&text));
  gg_str_free(&text);
}

/* The last operand of a wait for a parity. */
static void give_phase(role_list *roles, const about *of) {
  const ptx_instruction *i = of->instruction;
  char text[role_bytes];
  if (!of->barrier.operand || !strstr(i->form->text, "_wait.parity")) return;
  const ptx_operand *parity = &i->operands[2];
  if (i->operand_count < 3 || parity->kind != PTX_REGISTER) return;
  snprintf(text, sizeof text, "phase bit of barrier %s, ring %s", of->barrier.at.barriers->name,
           of->barrier.at.ring->name);
  give(roles, parity->index, text);
}

/* What becomes units of a descriptor. */
static void give_described(role_list *roles, const ptx_instruction *i) {
  operand_place p = {.operand = &i->operands[1]};
  bool shifts = strcmp(i->form->opcode, "shr") == 0;
  if (!shifts || i->operand_count != 3 || p.operand->kind != PTX_REGISTER) return;
  if (i->operands[2].kind != PTX_INTEGER || i->operands[2].value != 4) return;
  p.value = flow_operand(roles->ptx->flow, p.operand);
  if (place_of(&p.at, &roles->ptx->memory, p.value)) give_place(roles, &p, "address");
}

/* A register that an unknown address begins with has a use that is not known. */
static void take_unknown(role_list *roles, const about *of) {
  const ptx_instruction *i = of->instruction;
  for (uint32_t k = 0; k < i->operand_count; k++) {
    const ptx_operand *o = &i->operands[k];
    bool known = o == of->memory.operand || o == of->barrier.operand || o == of->map_operand ||
                 o == of->pointer_operand || o == of->accumulators;
    if (o->kind == PTX_ADDRESS && o->base == PTX_REGISTER && !known)
      roles->several[o->index] = true;
  }
}

void roles_take(role_list *roles, const about *of) {
  static const char *const names[] = {"descriptor of A", "descriptor of B"};
  give_place(roles, &of->memory, "address");
  give_place(roles, &of->barrier, "address");
  give_stage(roles, &of->memory);
  give_stage(roles, &of->barrier);
  bool multiplies = strstr(of->instruction->form->text, ".mma");
  for (int i = 0; i < of->descriptor_count; i++) {
    const char *name = names[of->descriptor_count == 2 ? i : 1];
    give_place(roles, &of->descriptors[i], multiplies ? name : "descriptor");
    give_stage(roles, &of->descriptors[i]);
  }
  give_parameter(roles, of->map_operand, of->map, "address of ");
  give_parameter(roles, of->pointer_operand, of->pointer, "address that is computed from ");
  if (of->accumulators && is_register(of->accumulators))
    give(roles, of->accumulators->index, "address of accumulators in tensor memory");
  take_unknown(roles, of);
  give_phase(roles, of);
  give_described(roles, of->instruction);
}

/* ---- Fragments -------------------------------------------------------------------------- */

static long number_behind(const char *name) {
  size_t digits = 0, length = strlen(name);
  while (digits < length && isdigit((unsigned char)name[length - 1 - digits]))
    digits++;
  return digits ? strtol(name + length - digits, NULL, 10) : -1;
}

/* Whether the second name is the first one with the next number up or down. */
static int step_between(const char *a, const char *b) {
  size_t stem = strlen(a), other = strlen(b);
  while (stem && isdigit((unsigned char)a[stem - 1]))
    stem--;
  while (other && isdigit((unsigned char)b[other - 1]))
    other--;
  if (stem != other || strncmp(a, b, stem) != 0) return 0;
  long from = number_behind(a), to = number_behind(b);
  return from < 0 || to < 0 ? 0 : to == from + 1 ? 1 : to == from - 1 ? -1 : 0;
}

/* "%f1 to %f4, %f9": elements of a vector, neighbours together. */
static void put_registers(gg_str *out, const role_list *roles, const ptx_operand *vector) {
  const ptx_register *registers = roles->ptx->function->registers;
  for (uint32_t i = 0; i < vector->element_count;) {
    uint32_t end = i + 1;
    const char *name = registers[vector->elements[i].index].name, *last = name;
    int step = 0;
    for (; end < vector->element_count; end++) {
      const char *next = registers[vector->elements[end].index].name;
      int by = step_between(last, next);
      if (by == 0 || (step && by != step)) break;
      step = by, last = next;
    }
    gg_str_printf(out, "%s%s", i ? ", " : "", name);
    if (end > i + 1) gg_str_printf(out, "%s%s", end > i + 2 ? " to " : ", ", last);
    i = end;
  }
}

/* Whether all of a vector are registers, and some that were not told of. */
static bool is_news(role_list *roles, const ptx_operand *vector) {
  bool news = false;
  if (vector->kind != PTX_VECTOR) return false;
  for (uint32_t i = 0; i < vector->element_count; i++) {
    if (vector->elements[i].kind != PTX_REGISTER) return false;
    news = news || !roles->said[vector->elements[i].index];
  }
  for (uint32_t i = 0; i < vector->element_count; i++)
    roles->said[vector->elements[i].index] = true;
  return news;
}

static void put_separator(gg_str *out) {
  if (out->length) gg_str_puts(out, "; ");
}

static void put_fragment(gg_str *out, role_list *roles, const ptx_operand *vector,
                         const char *what) {
  if (!is_news(roles, vector)) return;
  put_separator(out);
  put_registers(out, roles, vector);
  gg_str_printf(out, " = %s", what);
}

/* D, A, B, C of mma.sync are vectors; of wgmma D, and A where it is in registers. */
static void put_fragments(gg_str *out, role_list *roles, const ptx_instruction *i) {
  bool warps =
      strncmp(i->form->text, "mma.sync", 8) == 0 || strncmp(i->form->text, "mma.sp", 6) == 0;
  bool group = strncmp(i->form->text, "wgmma.mma_async", 15) == 0;
  if ((!warps && !group) || i->operand_count < 3) return;
  put_fragment(out, roles, &i->operands[0], "accumulators");
  put_fragment(out, roles, &i->operands[1], "a fragment of A");
  if (warps) put_fragment(out, roles, &i->operands[2], "a fragment of B");
}

/* ---- Definitions ------------------------------------------------------------------------ */

static void put_definition(gg_str *out, role_list *roles, const ptx_operand *to) {
  bool parts = to->kind == PTX_VECTOR || to->kind == PTX_PAIR;
  for (uint32_t i = 0; parts && i < to->element_count; i++)
    put_definition(out, roles, &to->elements[i]);
  if (to->kind != PTX_REGISTER || roles->said[to->index]) return;
  if (!roles->of[to->index] || roles->several[to->index]) return;
  roles->said[to->index] = true;
  put_separator(out);
  gg_str_printf(out, "%s = %s", roles->ptx->function->registers[to->index].name,
                roles->of[to->index]);
}

void roles_write(gg_str *out, role_list *roles, const ptx_instruction *instruction) {
  out->failed = out->failed || roles->failed;
  if (instruction->operand_count == 0) return;
  put_definition(out, roles, &instruction->operands[0]);
  put_fragments(out, roles, instruction);
}
