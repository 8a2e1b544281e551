/* Families sm90 and sm100 in PTX: shared memory, its rings and their barriers. */
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
  const gg_rings *rings = &layouts->rings;
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, "  // The barriers, each with the number of arrivals that end a phase.\n");
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    if (!ring->full.count) continue;
    gg_str_printf(&text, "  // Of %s: `full`%s.\n", ring->name,
                  ring->empties ? ", then `empty`" : "");
    write_barriers(&text, layouts, &ring->full);
    for (int kind = 0; kind < ring->empties; kind++)
      write_barriers(&text, layouts, &ring->empty[kind]);
  }
  gg_bind_str(out, "init_barriers", &text);
}

/* What lies where, for the reader. */
static void write_places(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, ll bytes_a) {
  const gg_rings *rings = &layouts->rings;
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    ll begin = (ll)ring->begin, bytes = (ll)ring->bytes;
    if (ring->id == GG_RING_STAGES)
      gg_str_printf(out, "//   %lld: %d stages of %lld; A's tile first, B's behind %lld\n", begin,
                    ring->depth, bytes, bytes_a);
    else if (ring->id == GG_RING_STAGING)
      gg_str_printf(out, "//   %lld: %d staging buffers of %lld for each %s\n", begin, ring->depth,
                    bytes,
                    plan->box_warps > 1 ? "two warps that store together" : "warp that stores");
    else if (bytes)
      gg_str_printf(out, "//   %lld: %d %s of %lld\n", begin, ring->depth, ring->name, bytes);
  }
  gg_str_printf(out, "//   %lld: %d barriers of 8\n", (ll)rings->barriers_begin, rings->barriers);
  if (gg_plan_in_tensor_memory(plan))
    gg_str_printf(out, "//   %lld: the address of tensor memory\n", (ll)rings->word_begin);
}

void gg_sm90_ptx_bind_memory(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *staging = gg_rings_find(&layouts->rings, GG_RING_STAGING);
  ll bytes_a = (ll)gg_plan_smem_bytes(plan, plan->a.type, layouts->size_a);
  gg_str text = GG_STR_INIT;
  write_places(&text, plan, layouts, bytes_a);
  gg_bind_str(out, "memory_map", &text);
  bind_barriers(out, layouts);
  gg_sm90_ptx_bind_ring(out, layouts);
  gg_ptx_bind_number(out, "stage_bytes_a", bytes_a);
  gg_ptx_bind_number(out, "barriers_begin", (ll)layouts->rings.barriers_begin);
  gg_ptx_bind_number(out, "staging_begin", (ll)staging->begin);
  gg_ptx_bind_number(out, "staging_bytes", (ll)staging->depth * staging->bytes);
}
