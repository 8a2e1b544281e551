/* Which register says it: such as the stage of an address. */
#include <string.h>

#include "annotate/flow_inside.h"

enum { nearest = 24 /* registers that an address is computed from */ };

typedef struct search {
  const flow_graph *flow;
  const int64_t *numbers;
  uint32_t count;                        /* cases */
  uint64_t root[4];                      /* of which choices they are: */
  uint32_t cases[4], stride[4], choices; /* each `stride` cases are one of the choice's */
} search;

/* Whether the register has these numbers. */
static bool has_numbers(const search *s, uint32_t reg) {
  const flow_value *held = s->flow->now[reg];
  for (uint32_t k = 0; k < s->choices && held && held->count > 1; k++) {
    if (held->root != s->root[k] || held->count != s->cases[k]) continue;
    uint32_t i = 0;
    for (; i < s->count; i++) {
      const flow_element *e = &held->list[i / s->stride[k] % s->cases[k]];
      if (e->base != FLOW_NUMBER || e->at != s->numbers[i]) break;
    }
    if (i == s->count) return true;
  }
  return false;
}

static void add_choice(search *s, uint64_t root, uint32_t cases, uint32_t stride) {
  s->root[s->choices] = root;
  s->cases[s->choices] = cases;
  s->stride[s->choices++] = stride;
}

/* The value's own root; and where an instruction made that of others, these. */
static void find_choices(search *s, const flow_value *value) {
  uint64_t root = value->root;
  uint32_t stride = 1, all = 1;
  add_choice(s, root, value->count, 1);
  if (root == 0 || root > s->flow->function->instruction_count) return;
  const origin *of = &s->flow->origins[root - 1];
  for (int i = 0; i < 3 && of->count[i]; i++)
    all *= of->count[i];
  for (int i = 0; i < 3 && of->count[i] && all == value->count; i++) {
    add_choice(s, of->root[i], of->count[i], stride);
    stride *= of->count[i];
  }
}

/* Adds the registers that the instruction reads to those to be looked at. */
static void add_read(const ptx_operand *operand, uint32_t *queue, uint32_t *end, bool *seen) {
  bool parts = operand->kind == PTX_VECTOR || operand->kind == PTX_PAIR;
  for (uint32_t i = 0; parts && i < operand->element_count; i++)
    add_read(&operand->elements[i], queue, end, seen);
  if (operand->kind != PTX_REGISTER || seen[operand->index]) return;
  seen[operand->index] = true;
  queue[(*end)++] = operand->index;
}

/* From the address on, and from what its registers are computed from, the nearest first. */
static uint32_t look(const search *s, uint32_t from) {
  const ptx_function *f = s->flow->function;
  uint32_t end = 0, *queue = s->flow->queue;
  bool *seen = s->flow->seen;
  memset(seen, 0, f->register_count);
  queue[end++] = from;
  seen[from] = true;
  for (uint32_t k = 0; k < end && k < nearest; k++) {
    if (has_numbers(s, queue[k])) return queue[k];
    for (uint32_t i = 0; i < f->instruction_count; i++) {
      const ptx_instruction *at = &f->instructions[i];
      if (at->operand_count < 2 || at->operands[0].kind != PTX_REGISTER) continue;
      if (at->operands[0].index != queue[k]) continue;
      for (uint32_t o = 1; o < at->operand_count; o++)
        add_read(&at->operands[o], queue, &end, seen);
    }
  }
  return UINT32_MAX;
}

uint32_t flow_register_of(const flow_graph *flow, const ptx_operand *operand,
                          const flow_value *value, const int64_t *numbers) {
  bool begins = operand->kind == PTX_REGISTER ||
                (operand->kind == PTX_ADDRESS && operand->base == PTX_REGISTER);
  if (!begins || value->count < 2) return UINT32_MAX;
  search s = {.flow = flow, .numbers = numbers, .count = value->count};
  find_choices(&s, value);
  return look(&s, operand->index);
}
