/* Vector clocks: how much of each agent's work is known. */
#ifndef GG_EMU_CLOCK_H
#define GG_EMU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Clocks by agent; agents from `count` on are at 0. Zeroed: nothing is known. */
typedef struct emu_clocks {
  uint32_t *at;
  uint32_t count;
} emu_clocks;

/* What is ordered before a moment: of all accesses (`seen`), and of those of the generic proxy that
 * the async proxy may see (`proxied`). `past` has what only came before it in time, because a
 * relaxed arrival at the cluster's barrier was between (emu_hazard_release_past). */
typedef struct emu_knowledge {
  emu_clocks seen, proxied, past;
} emu_knowledge;

static inline uint32_t emu_clocks_of(const emu_clocks *clocks, uint32_t agent) {
  return agent < clocks->count ? clocks->at[agent] : 0;
}

/* Each is false when memory is out. */
bool emu_clocks_raise(emu_clocks *clocks, uint32_t agent, uint32_t clock);
bool emu_clocks_join(emu_clocks *to, const emu_clocks *from);
bool emu_knowledge_join(emu_knowledge *to, const emu_knowledge *from);
void emu_knowledge_free(emu_knowledge *knowledge);

#endif
