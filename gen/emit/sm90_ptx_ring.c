/* Family sm90 in PTX: shared memory, its ring of stages and their barriers. */
#include "emit/sm90_ptx.h"

#include "plan/narrow.h"

static const gg_ring *stages_of(const gg_layouts *layouts) {
  return gg_rings_find(&layouts->rings, GG_RING_STAGES);
}

void gg_sm90_ptx_bind_ring(gg_bindings *out, const gg_layouts *layouts) {
  const gg_ring *stages = stages_of(layouts);
  bool two = stages->empties > 1;
  gg_ptx_bind_number(out, "stages", stages->depth);
  gg_ptx_bind_number(out, "stage_bytes", (ll)stages->bytes);
  gg_ptx_bind_number(out, "to_empty", (ll)(stages->empty[0].begin - stages->full.begin));
  gg_bind_flag(out, "two_empties", two);
  gg_ptx_bind_number(out, "to_empty_of_b",
                     two ? (ll)(stages->empty[1].begin - stages->full.begin) : 0);
}

/* Barriers by how far they are from the first. */
static void write_barriers(gg_str *out, const gg_layouts *layouts,
                           const gg_ring_barriers *barriers) {
  for (int i = 0; i < barriers->count; i++) {
    ll at = (ll)barriers->begin - (ll)layouts->rings.barriers_begin + GG_BARRIER_BYTES * i;
    gg_str_puts(out, "  mbarrier.init.shared::cta.b64 ");
    gg_ptx_write_place(out, "%barriers", at);
    gg_str_printf(out, ", %d;\n", barriers->arrivals);
  }
}

static void bind_barriers(gg_bindings *out, const gg_layouts *layouts) {
  const gg_ring *stages = stages_of(layouts),
                *subtiles = gg_rings_find(&layouts->rings, GG_RING_SUBTILES);
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, "  // Arrivals that end a phase: of the producer's thread; of each warp that "
                     "reads a stage, in all\n  // CTAs that it is copied to.\n");
  write_barriers(&text, layouts, &stages->full);
  for (int i = 0; i < stages->empties; i++)
    write_barriers(&text, layouts, &stages->empty[i]);
  if (subtiles) {
    gg_str_puts(&text,
                "  // Of sub-tiles of C, of the thread that fetches; of the warps that read.\n");
    write_barriers(&text, layouts, &subtiles->full);
    write_barriers(&text, layouts, &subtiles->empty[0]);
  }
  const gg_ring *vectors = gg_rings_find(&layouts->rings, GG_RING_VECTORS);
  if (vectors) {
    gg_str_puts(&text, "  // Of vectors, of each lane that brings them; of the warps that read.\n");
    write_barriers(&text, layouts, &vectors->full);
    write_barriers(&text, layouts, &vectors->empty[0]);
  }
  const gg_ring *sums = gg_rings_find(&layouts->rings, GG_RING_SUMS);
  if (sums) {
    gg_str_puts(&text, "  // Of each warp's sums from other CTAs, by itself.\n");
    write_barriers(&text, layouts, &sums->full);
  }
  gg_bind_str(out, "init_barriers", &text);
}

void gg_sm90_ptx_bind_memory(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = stages_of(layouts),
                *staging = gg_rings_find(&layouts->rings, GG_RING_STAGING);
  ll bytes_a = (ll)gg_plan_smem_bytes(plan, plan->a.type, layouts->size_a);
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "//   %lld: %d stages of %lld; A's tile first, B's behind %lld\n",
                (ll)stages->begin, stages->depth, (ll)stages->bytes, bytes_a);
  gg_str_printf(&text, "//   %lld: %d staging buffers of %lld for each warp of the consumers\n",
                (ll)staging->begin, staging->depth, (ll)staging->bytes);
  const gg_ring *vectors = gg_rings_find(&layouts->rings, GG_RING_VECTORS);
  if (vectors)
    gg_str_printf(&text, "//   %lld: %d vectors of %lld\n", (ll)vectors->begin, vectors->depth,
                  (ll)vectors->bytes);
  gg_str_printf(&text, "//   %lld: %d barriers of 8\n", (ll)layouts->rings.barriers_begin,
                layouts->rings.barriers);
  gg_bind_str(out, "memory_map", &text);
  bind_barriers(out, layouts);
  gg_sm90_ptx_bind_ring(out, layouts);
  gg_ptx_bind_number(out, "stage_bytes_a", bytes_a);
  gg_ptx_bind_number(out, "barriers_begin", (ll)layouts->rings.barriers_begin);
  gg_ptx_bind_number(out, "staging_begin", (ll)staging->begin);
  gg_ptx_bind_number(out, "staging_bytes", (ll)staging->depth * staging->bytes);
}
