#include "annotate/flow.h"

#include <string.h>

#include "annotate/flow_inside.h"
#include "base/alloc.h"

enum {
  spare = 24,         /* a counter may go beyond the stages by so many */
  changes_most = 160, /* of what is known where ways meet, before what changes may be anything */
  parts_deep = 4      /* predicates that are made of others */
};

/* ---- Ways ------------------------------------------------------------------------------- */

/* Whether a loop begins at the block that writes something of which the first round has shown a
 * choice there. */
static bool is_counted(const flow_graph *flow, uint32_t number) {
  const block *b = &flow->blocks[number];
  uint64_t first = flow_roots_of(flow, number), end = flow_roots_of(flow, number + 1);
  for (uint32_t r = 0; b->came && b->writes && r < flow->function->register_count; r++) {
    const flow_value *came = b->came[r];
    if (b->writes[r] && came && came->root >= first && came->root < end) return true;
  }
  return false;
}

static bool join(flow_graph *flow, uint32_t to, const flow_value *const *state) {
  block *b = &flow->blocks[to];
  const meeting at = {.room = flow->room,
                      .memory = &flow->memory,
                      .first_root = flow_roots_of(flow, to),
                      .registers = flow->function->register_count,
                      .grown = b->grown,
                      .most = flow->facts->stages + spare};
  return meet_add(&at, b->before, state);
}

/* What still changes where ways have met so often may be anything: so it comes to an end. */
static bool give_up(const flow_graph *flow, block *b, const flow_value *const *state) {
  bool changed = false;
  for (uint32_t r = 0; r < flow->function->register_count; r++) {
    if (!b->before[r] || flow_same(b->before[r], state[r])) continue;
    b->before[r] = NULL;
    changed = true;
  }
  return changed;
}

/* Joins what is known at the end of one block to what is at the beginning of another: of registers
 * that are read there. The state is changed. */
static void meet(flow_graph *flow, uint32_t to, const flow_value **state) {
  block *b = &flow->blocks[to];
  uint32_t n = flow->function->register_count;
  bool is_new = !b->before, changed = is_new;
  for (uint32_t r = 0; r < n; r++) {
    if (!b->live[r]) state[r] = NULL;
  }
  if (is_new) {
    b->before = gg_arena_alloc(&flow->memory.arena, (n + 1) * sizeof *b->before);
    b->grown = GG_ARENA_ARRAY(&flow->memory.arena, uint16_t, n + 1);
    if (!b->before || !b->grown) {
      flow->memory.failed = true;
      return;
    }
  }
  if (is_new && is_counted(flow, to)) {
    memcpy(b->before, b->came, n * sizeof *state);
    join(flow, to, state);
  } else if (!is_new && b->ways > 1) {
    bool often = b->changes > changes_most;
    changed = often ? give_up(flow, b, state) : join(flow, to, state);
    b->changes += changed;
  } else {
    for (uint32_t r = 0; r < n && !is_new; r++)
      changed = changed || !flow_same(b->before[r], state[r]);
    memcpy(b->before, state, n * sizeof *state);
  }
  b->waits = b->waits || changed;
}

/* The instruction of the block that has given the predicate its value, where nobody has written it,
 * or what that instruction reads, since; NULL: none. */
static const ptx_instruction *giver_of(const flow_graph *flow, const block *b, uint32_t reg) {
  const ptx_function *f = flow->function;
  for (uint32_t i = b->end; i-- > b->first;) {
    const ptx_instruction *at = &f->instructions[i];
    if (at->operand_count < 3 || at->operands[0].kind != PTX_REGISTER) continue;
    if (at->operands[0].index != reg) continue;
    for (uint32_t k = i + 1; k < b->end; k++) {
      const ptx_instruction *behind = &f->instructions[k];
      for (uint32_t o = 1; o < at->operand_count && behind->operand_count; o++) {
        bool both =
            behind->operands[0].kind == PTX_REGISTER && at->operands[o].kind == PTX_REGISTER;
        if (both && behind->operands[0].index == at->operands[o].index) return NULL;
      }
    }
    return at->guard == PTX_NO_GUARD ? at : NULL;
  }
  return NULL;
}

/* What is known of registers where a predicate is `wanted`: and where it is made of others, what
 * these are then. */
static void narrow(flow_graph *flow, const block *b, uint32_t reg, bool wanted, int depth) {
  const flow_value *predicate = flow->now[reg];
  for (uint32_t r = 0; r < flow->function->register_count; r++)
    flow->way[r] = flow_where(&flow->memory, flow->way[r], predicate, wanted);
  const ptx_instruction *of = depth ? giver_of(flow, b, reg) : NULL;
  if (!of) return;
  bool all = strcmp(of->form->text, wanted ? "and.pred" : "or.pred") == 0;
  bool tests = wanted && strcmp(of->form->opcode, "setp") == 0 && of->operand_count == 4 &&
               strcmp(of->form->modifiers[1], "and") == 0;
  for (uint32_t o = tests ? 3 : 1; o < of->operand_count && (all || tests); o++) {
    const ptx_operand *part = &of->operands[o];
    if (part->kind == PTX_REGISTER)
      narrow(flow, b, part->index, wanted != part->negated, depth - 1);
  }
}

/* Goes on along a way on which the branch's predicate is `taken`. */
static void follow(flow_graph *flow, const block *from, int which, bool taken) {
  uint32_t to = from->next[which], n = flow->function->register_count;
  const ptx_instruction *last = &flow->function->instructions[from->end - 1];
  if (to == NO_BLOCK) return;
  bool decides = flow_ends(last) && last->guard != PTX_NO_GUARD;
  const flow_value *predicate = decides ? flow->now[last->guard] : NULL;
  bool wanted = taken != last->guard_negated;
  if (decides && !flow_may_be(predicate, wanted)) return;
  const bool *live = flow->blocks[to].live;
  for (uint32_t r = 0; r < n; r++)
    flow->way[r] = live[r] ? flow->now[r] : NULL;
  if (decides) narrow(flow, from, last->guard, wanted, parts_deep);
  meet(flow, to, flow->way);
}

static void enter(flow_graph *flow, const block *b) {
  memcpy(flow->now, b->before, flow->function->register_count * sizeof *flow->now);
}

/* Where brx leads anything may be: all of its targets. */
static void follow_targets(flow_graph *flow, const block *b) {
  const ptx_instruction *last = &flow->function->instructions[b->end - 1];
  if (strcmp(last->form->opcode, "brx") != 0) return;
  const ptx_targets *targets = &flow->function->targets[last->operands[1].index];
  for (uint32_t k = 0; k < targets->element_count; k++) {
    memcpy(flow->way, flow->now, flow->function->register_count * sizeof *flow->way);
    meet(flow, flow->block_of[targets->elements[k].index], flow->way);
  }
}

static void walk(flow_graph *flow) {
  bool again = true;
  while (again && !flow->memory.failed) {
    again = false;
    for (uint32_t i = 0; i < flow->block_count && !flow->memory.failed; i++) {
      block *b = &flow->blocks[i];
      if (!b->waits) continue;
      b->waits = false;
      again = true;
      enter(flow, b);
      for (uint32_t k = b->first; k < b->end; k++)
        flow_execute(flow, k);
      follow(flow, b, 0, false);
      follow(flow, b, 1, true);
      follow_targets(flow, b);
    }
  }
}

/* Walks from the kernel's beginning until nothing changes. */
static void walk_all(flow_graph *flow) {
  for (uint32_t r = 0; r < flow->function->register_count; r++)
    flow->way[r] = &flow_never;
  meet(flow, 0, flow->way);
  walk(flow);
}

/* In a second round loops begin with all that their choices come to, so that what is in them meets
 * these choices alone. */
static void walk_again(flow_graph *flow) {
  for (uint32_t b = 0; b < flow->block_count; b++) {
    flow->blocks[b].came = flow->blocks[b].before;
    flow->blocks[b].before = NULL;
    flow->blocks[b].changes = 0;
  }
  walk_all(flow);
}

/* ---- The whole -------------------------------------------------------------------------- */

/* How shared memory is aligned. */
static int64_t alignment_of(const ptx_function *f) {
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const ptx_instruction *at = &f->instructions[i];
    for (uint32_t k = 0; k < at->operand_count; k++) {
      const ptx_operand *o = &at->operands[k];
      bool named = o->kind == PTX_VARIABLE || (o->kind == PTX_ADDRESS && o->base == PTX_VARIABLE);
      if (named && o->variable->space == PTX_SPACE_SHARED && o->variable->unsized)
        return o->variable->align;
    }
  }
  return 1;
}

gg_status flow_make(flow_graph **out, const ptx_function *function, const flow_facts *facts,
                    gg_error *err) {
  *out = NULL;
  flow_graph *made = gg_malloc(sizeof *made);
  if (!made) return gg_fail(err, MEMORY, NULL, "");
  *made = (flow_graph){.memory = {.arena = GG_ARENA_INIT}, .function = function, .facts = facts};
  uint32_t n = function->register_count;
  made->alignment = alignment_of(function);
  made->now = gg_arena_alloc(&made->memory.arena, (n + 1) * sizeof *made->now);
  made->way = gg_arena_alloc(&made->memory.arena, (n + 1) * sizeof *made->way);
  made->room = meet_room_new(&made->memory, n);
  made->queue = GG_ARENA_ARRAY(&made->memory.arena, uint32_t, n + 1);
  made->seen = GG_ARENA_ARRAY(&made->memory.arena, bool, n + 1);
  bool room = made->now && made->way && made->room && made->queue && made->seen;
  if (!room || !flow_find_blocks(made)) made->memory.failed = true;
  if (!made->memory.failed && function->instruction_count) {
    walk_all(made);
    walk_again(made);
  }
  *out = made;
  return made->memory.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

void flow_free(flow_graph *flow) {
  if (!flow) return;
  gg_arena_free(&flow->memory.arena);
  gg_free(flow);
}

gg_status flow_visit(flow_graph *flow, flow_visitor *visit, void *user, gg_error *err) {
  for (uint32_t i = 0; i < flow->block_count; i++) {
    const block *b = &flow->blocks[i];
    if (!b->before) continue;
    enter(flow, b);
    for (uint32_t k = b->first; k < b->end; k++) {
      flow->at = &flow->function->instructions[k];
      flow->guard = flow->at->guard == PTX_NO_GUARD ? NULL : flow->now[flow->at->guard];
      visit(user, k);
      flow_execute(flow, k);
    }
  }
  return flow->memory.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}
