/* From the end of each block back to its beginning, until nothing changes. */
#include "annotate/live.h"

#include <string.h>

static void set_all(bool *set, const ptx_operand *operand, bool to) {
  bool parts = operand->kind == PTX_VECTOR || operand->kind == PTX_PAIR ||
               operand->kind == PTX_LIST || operand->kind == PTX_ADDRESS;
  bool is = operand->kind == PTX_REGISTER ||
            (operand->kind == PTX_ADDRESS && operand->base == PTX_REGISTER);
  if (is) set[operand->index] = to;
  for (uint32_t i = 0; parts && i < operand->element_count; i++)
    set_all(set, &operand->elements[i], to);
}

/* What an instruction writes stands first; what is written there in part is read, too. */
static void step_back(bool *live, const ptx_instruction *i) {
  const ptx_operand *to = i->operands;
  bool writes =
      i->operand_count > 1 && to->kind == PTX_REGISTER && !to->part[0] && i->guard == PTX_NO_GUARD;
  if (writes) live[to->index] = false;
  for (uint32_t k = writes; k < i->operand_count; k++)
    set_all(live, &i->operands[k], true);
  if (i->guard != PTX_NO_GUARD) live[i->guard] = true;
}

bool live_find(live_block *blocks, uint32_t count, const ptx_function *function, gg_arena *arena) {
  uint32_t n = function->register_count + 1;
  bool *now = GG_ARENA_ARRAY(arena, bool, n), changed = true;
  for (uint32_t b = 0; b < count; b++) {
    blocks[b].live = GG_ARENA_ARRAY(arena, bool, n);
    if (!blocks[b].live || !now) return false;
  }
  while (changed) {
    changed = false;
    for (uint32_t b = count; b-- > 0;) {
      memset(now, blocks[b].anywhere, n);
      for (int k = 0; k < 2; k++) {
        const bool *next = blocks[b].next[k] < count ? blocks[blocks[b].next[k]].live : NULL;
        for (uint32_t r = 0; next && r < n; r++)
          now[r] = now[r] || next[r];
      }
      for (uint32_t i = blocks[b].end; i-- > blocks[b].first;)
        step_back(now, &function->instructions[i]);
      changed = changed || memcmp(now, blocks[b].live, n) != 0;
      memcpy(blocks[b].live, now, n);
    }
  }
  return true;
}
