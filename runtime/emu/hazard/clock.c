/* See clock.h. */
#include "emu/hazard/clock.h"

#include "base/alloc.h"

/* To whole steps: two clocks that are joined with each other do not grow by turns. */
static bool widen(emu_clocks *clocks, uint32_t count) {
  enum { step = 32 };
  if (count <= clocks->count) return true;
  uint32_t wider = (count + step - 1) / step * step;
  uint32_t *at = gg_realloc(clocks->at, wider * sizeof *at);
  if (!at) return false;
  for (uint32_t i = clocks->count; i < wider; i++)
    at[i] = 0;
  *clocks = (emu_clocks){at, wider};
  return true;
}

bool emu_clocks_raise(emu_clocks *clocks, uint32_t agent, uint32_t clock) {
  if (!widen(clocks, agent + 1)) return false;
  if (clocks->at[agent] < clock) clocks->at[agent] = clock;
  return true;
}

bool emu_clocks_join(emu_clocks *to, const emu_clocks *from) {
  if (!widen(to, from->count)) return false;
  for (uint32_t i = 0; i < from->count; i++) {
    if (to->at[i] < from->at[i]) to->at[i] = from->at[i];
  }
  return true;
}

bool emu_knowledge_join(emu_knowledge *to, const emu_knowledge *from) {
  return emu_clocks_join(&to->seen, &from->seen) && emu_clocks_join(&to->proxied, &from->proxied) &&
         emu_clocks_join(&to->past, &from->past);
}

void emu_knowledge_free(emu_knowledge *knowledge) {
  gg_free(knowledge->seen.at);
  gg_free(knowledge->proxied.at);
  gg_free(knowledge->past.at);
}
