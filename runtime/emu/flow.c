/* In which order lanes of a warp take turns when they have branched to different places.
 *
 * Lanes at the op with the lowest number run first. Numbers follow control flow, so that lanes that
 * are behind catch up, and lanes meet again at the first place where their ways join. The blocks of
 * a loop are numbered together, before what follows the loop, so that lanes that have left it wait
 * for the others there. This is a weak topological order (Bourdoncle, "Efficient chaotic iteration
 * strategies with widenings", 1993): strongly connected components in topological order, and within
 * each the same again without the edges back to its head. Loops nested deeper than depth_max are
 * numbered in the order of their text. Only speed depends on the order; the machine is what makes
 * lanes take fair turns (machine.c). */
#include <string.h>

#include "base/alloc.h"
#include "emu/module.h"

enum { depth_max = 64 };

/* Blocks that are numbered together. */
typedef struct span {
  uint32_t begin, end; /* in `sequence` */
  uint32_t depth;
} span;

typedef struct flow {
  emu_function *function;
  uint32_t block_count;
  uint32_t *memory;            /* all that follows is in it */
  uint32_t *block_of;          /* the block of each op */
  uint32_t *start;             /* a block's first op; one more at the end */
  uint32_t *sequence;          /* blocks in the order that is being made */
  uint32_t *group;             /* the number of the span that each block is in */
  uint32_t *number, *low;      /* for Tarjan's algorithm; 0: not seen */
  uint32_t *stack;             /* for Tarjan's algorithm */
  uint32_t *path, *path_edges; /* blocks being visited, and how many of their edges are done */
  uint32_t stack_count, path_count, numbered;
  span *spans; /* still to be ordered */
  uint32_t span_count;
  uint32_t out;  /* where the next component ends */
  uint32_t id;   /* of the span that is being ordered */
  uint32_t head; /* its first block; edges to it are ignored; UINT32_MAX: none */
  bool *on_stack;
} flow;

/* The `i`th op to which lanes may go after `op`; UINT32_MAX behind the last. */
static uint32_t way(const emu_function *function, const emu_op *op, uint32_t i) {
  uint32_t next = op->index + 1 < function->op_count ? op->index + 1 : UINT32_MAX;
  const emu_targets *targets = op->facts;
  bool falls = op->flow == EMU_FLOW_NEXT || op->flow == EMU_FLOW_CALL || !op->guard.sink;
  switch (op->flow) {
  case EMU_FLOW_BRANCH:
    if (i == 0) return op->target;
    return i == 1 && falls ? next : UINT32_MAX;
  case EMU_FLOW_TABLE:
    if (i < targets->count) return targets->ops[i];
    return i == targets->count && falls ? next : UINT32_MAX;
  default:
    return i == 0 && falls ? next : UINT32_MAX;
  }
}

static void find_leaders(emu_function *function) {
  function->ops[0].leader = true;
  for (uint32_t i = 0; i < function->op_count; i++) {
    const emu_op *op = &function->ops[i];
    if (op->flow == EMU_FLOW_NEXT) continue;
    if (i + 1 < function->op_count) function->ops[i + 1].leader = true;
    for (uint32_t k = 0, to; (to = way(function, op, k)) != UINT32_MAX; k++) {
      function->ops[to].leader = true;
    }
  }
}

static gg_status flow_open(flow *f, emu_function *function, gg_error *err) {
  *f = (flow){.function = function};
  for (uint32_t i = 0; i < function->op_count; i++) {
    f->block_count += function->ops[i].leader;
  }
  size_t blocks = f->block_count;
  f->memory = gg_malloc((function->op_count + blocks * 8 + 1) * sizeof(uint32_t));
  f->spans = gg_malloc(blocks * sizeof(span));
  f->on_stack = gg_malloc(blocks);
  if (!f->memory || !f->spans || !f->on_stack) return gg_fail(err, MEMORY, NULL, "");
  memset(f->memory, 0, (function->op_count + blocks * 8 + 1) * sizeof(uint32_t));
  memset(f->on_stack, 0, blocks);
  f->block_of = f->memory;
  f->start = f->block_of + function->op_count;
  f->sequence = f->start + blocks + 1;
  f->group = f->sequence + blocks;
  f->number = f->group + blocks;
  f->low = f->number + blocks;
  f->stack = f->low + blocks;
  f->path = f->stack + blocks;
  f->path_edges = f->path + blocks;
  uint32_t block = 0;
  for (uint32_t i = 0; i < function->op_count; i++) {
    if (function->ops[i].leader) {
      f->start[block] = i;
      f->sequence[block] = block;
      block++;
    }
    f->block_of[i] = block - 1;
  }
  f->start[block] = function->op_count;
  return GG_OK;
}

static void flow_close(flow *f) {
  gg_free(f->memory);
  gg_free(f->spans);
  gg_free(f->on_stack);
}

static void visit(flow *f, uint32_t block) {
  f->number[block] = f->low[block] = ++f->numbered;
  f->stack[f->stack_count++] = block;
  f->on_stack[block] = true;
  f->path[f->path_count] = block;
  f->path_edges[f->path_count++] = 0;
}

/* Puts a complete component in front of everything that is there, its root first. */
static void emit(flow *f, uint32_t root, uint32_t depth) {
  uint32_t end = f->out, block;
  do {
    block = f->stack[--f->stack_count];
    f->on_stack[block] = false;
    f->sequence[--f->out] = block;
  } while (block != root);
  if (end - f->out > 1 && depth < depth_max) {
    f->spans[f->span_count++] = (span){f->out, end, depth + 1};
  }
}

static void components_from(flow *f, uint32_t block, uint32_t depth) {
  visit(f, block);
  while (f->path_count) {
    block = f->path[f->path_count - 1];
    const emu_op *last = &f->function->ops[f->start[block + 1] - 1];
    uint32_t op = way(f->function, last, f->path_edges[f->path_count - 1]);
    if (op != UINT32_MAX) {
      uint32_t to = f->block_of[op];
      f->path_edges[f->path_count - 1]++;
      if (f->group[to] != f->id || to == f->head) continue;
      if (!f->number[to]) {
        visit(f, to);
      } else if (f->on_stack[to] && f->number[to] < f->low[block]) {
        f->low[block] = f->number[to];
      }
      continue;
    }
    f->path_count--;
    if (f->path_count) {
      uint32_t parent = f->path[f->path_count - 1];
      if (f->low[block] < f->low[parent]) f->low[parent] = f->low[block];
    }
    if (f->low[block] == f->number[block]) emit(f, block, depth);
  }
}

/* Orders the blocks of a span; its loops become spans of their own. */
static void order_span(flow *f, span s, uint32_t *blocks) {
  f->id++;
  f->out = s.end;
  f->head = s.depth ? f->sequence[s.begin] : UINT32_MAX;
  memcpy(blocks, f->sequence + s.begin, (s.end - s.begin) * sizeof(*blocks));
  for (uint32_t i = 0; i < s.end - s.begin; i++) {
    f->group[blocks[i]] = f->id;
    f->number[blocks[i]] = 0;
  }
  for (uint32_t i = 0; i < s.end - s.begin; i++) {
    if (!f->number[blocks[i]]) components_from(f, blocks[i], s.depth);
  }
}

gg_status emu_function_flow(emu_function *function, gg_error *err) {
  flow f;
  find_leaders(function);
  gg_status st = flow_open(&f, function, err);
  uint32_t *blocks = NULL;
  if (st) goto done;
  blocks = gg_malloc(f.block_count * sizeof(*blocks));
  function->order = GG_ARENA_ARRAY(&function->module->arena, uint32_t, function->op_count);
  if (!blocks || !function->order) {
    st = gg_fail(err, MEMORY, NULL, "");
    goto done;
  }
  f.spans[f.span_count++] = (span){0, f.block_count, 0};
  while (f.span_count) {
    order_span(&f, f.spans[--f.span_count], blocks);
  }
  uint32_t number = 0;
  for (uint32_t i = 0; i < f.block_count; i++) {
    uint32_t block = f.sequence[i];
    for (uint32_t op = f.start[block]; op < f.start[block + 1]; op++) {
      function->order[op] = number++;
    }
  }
done:
  gg_free(blocks);
  flow_close(&f);
  return st;
}
