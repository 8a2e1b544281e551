/* A function's blocks: what always runs together; and what of registers matters there. */
#include <string.h>

#include "annotate/flow_inside.h"
#include "annotate/live.h"

bool flow_is_branch(const ptx_instruction *i) {
  return strcmp(i->form->opcode, "bra") == 0;
}

bool flow_ends(const ptx_instruction *i) {
  const char *opcode = i->form->opcode;
  return flow_is_branch(i) || strcmp(opcode, "brx") == 0 || strcmp(opcode, "ret") == 0 ||
         strcmp(opcode, "exit") == 0 || strcmp(opcode, "trap") == 0;
}

/* Whether what follows an instruction is never reached from it. */
static bool leaves(const ptx_instruction *i) {
  return flow_ends(i) && i->guard == PTX_NO_GUARD;
}

/* Where blocks begin: behind what ends one, and where branches lead. */
static void find_blocks(flow_graph *flow, bool *begins) {
  const ptx_function *f = flow->function;
  begins[0] = true;
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const ptx_instruction *at = &f->instructions[i];
    if (flow_ends(at)) begins[i + 1] = true;
    if (flow_is_branch(at)) begins[at->operands[0].index] = true;
  }
  for (uint32_t t = 0; t < f->target_count; t++) {
    for (uint32_t k = 0; k < f->targets[t].element_count; k++) {
      if (f->targets[t].elements[k].kind == PTX_LABEL)
        begins[f->targets[t].elements[k].index] = true;
    }
  }
}

static void add_way(flow_graph *flow, block *from, int which, uint32_t to_instruction) {
  if (to_instruction >= flow->function->instruction_count) return;
  from->next[which] = flow->block_of[to_instruction];
  flow->blocks[from->next[which]].ways++;
}

static void note_written(bool *written, const ptx_operand *to) {
  bool parts = to->kind == PTX_VECTOR || to->kind == PTX_PAIR || to->kind == PTX_LIST;
  if (to->kind == PTX_REGISTER) written[to->index] = true;
  for (uint32_t i = 0; parts && i < to->element_count; i++)
    note_written(written, &to->elements[i]);
}

/* Loops as they mostly stand in a text: from where a branch leads back to, to that branch. Where
 * one is missed, less is known of which registers belong together. */
static bool find_loops(flow_graph *flow) {
  const ptx_function *f = flow->function;
  for (uint32_t b = 0; b < flow->block_count; b++) {
    uint32_t head = flow->blocks[b].next[1];
    if (head == NO_BLOCK || head > b) continue;
    block *of = &flow->blocks[head];
    if (!of->writes) of->writes = GG_ARENA_ARRAY(&flow->memory.arena, bool, f->register_count + 1);
    if (!of->writes) return false;
    for (uint32_t i = of->first; i < flow->blocks[b].end; i++) {
      if (f->instructions[i].operand_count)
        note_written(of->writes, &f->instructions[i].operands[0]);
    }
  }
  return true;
}

static bool find_live(flow_graph *flow) {
  const ptx_function *f = flow->function;
  live_block *live = GG_ARENA_ARRAY(&flow->memory.arena, live_block, flow->block_count + 1);
  if (!live) return false;
  for (uint32_t b = 0; b < flow->block_count; b++) {
    const block *of = &flow->blocks[b];
    live[b] = (live_block){.first = of->first, .end = of->end, .next = {of->next[0], of->next[1]}};
    live[b].anywhere = strcmp(f->instructions[of->end - 1].form->opcode, "brx") == 0;
  }
  if (!live_find(live, flow->block_count, f, &flow->memory.arena)) return false;
  for (uint32_t b = 0; b < flow->block_count; b++)
    flow->blocks[b].live = live[b].live;
  return true;
}

bool flow_find_blocks(flow_graph *flow) {
  const ptx_function *f = flow->function;
  uint32_t n = f->instruction_count;
  bool *begins = GG_ARENA_ARRAY(&flow->memory.arena, bool, n + 1);
  flow->block_of = GG_ARENA_ARRAY(&flow->memory.arena, uint32_t, n + 1);
  flow->origins = GG_ARENA_ARRAY(&flow->memory.arena, origin, n + 1);
  flow->blocks = GG_ARENA_ARRAY(&flow->memory.arena, block, n + 1);
  if (!begins || !flow->block_of || !flow->blocks || !flow->origins) return false;
  find_blocks(flow, begins);
  for (uint32_t i = 0; i < n; i++) {
    if (begins[i]) flow->blocks[flow->block_count++] = (block){.first = i};
    flow->block_of[i] = flow->block_count - 1;
    flow->blocks[flow->block_count - 1].end = i + 1;
  }
  for (uint32_t b = 0; b < flow->block_count; b++) {
    block *of = &flow->blocks[b];
    const ptx_instruction *last = &f->instructions[of->end - 1];
    of->next[0] = of->next[1] = NO_BLOCK;
    if (!leaves(last)) add_way(flow, of, 0, of->end);
    if (flow_is_branch(last)) add_way(flow, of, 1, last->operands[0].index);
  }
  flow->blocks[0].ways++; /* the launch's */
  return find_loops(flow) && find_live(flow);
}
