/* Families sm90, sm100 and sm120: their rings and roles.
 *
 * In specialised kernels the first warpgroup is the producer's. One lane of its first warp asks for
 * boxes; or all four warps copy lines that may begin anywhere, or transpose what arrives. A second
 * warp brings vectors. The other warpgroups are consumers. A stage's `full` barrier counts the
 * bytes of boxes, and one arrival of each thread that announces or copies something. Its `empty`
 * barrier counts one arrival of each warp that reads the stage, in every CTA that it is copied to.
 * If some CTAs of a cluster share A and others share B, each operand has an `empty` of its own:
 * templates/parts/sm90_two_empties_why.cu says why.
 *
 * In family sm100 a thread of another warp of that warpgroup issues the MMAs, and consumers read
 * their sums from tensor memory. That is a ring of its own, whose stages are the accumulators of a
 * tile. The tensor core itself reports what it has read and written, with one arrival
 * (tcgen05.commit) at each barrier. The first CTA of a pair issues for both: its `full` counts both
 * CTAs' bytes, the tensor core arrives at the barriers of both, and both CTAs' warps arrive at the
 * first one's `empty accumulators`. If pairs share A and B with others, a second CTA that has no
 * turn at copying still arrives at the first one's `full`: else nobody would wait for it, and its
 * view of a stage's phases could be two rounds old. Matrices that the epilogue reads have a ring of
 * their own, which a thread of another warp fills in each CTA with the CTA's own rows. It must be
 * separate because a stage of operands is reported empty by the tensor core, and a stage of
 * matrices by the epilogue's warps.
 *
 * Consumers of family sm90 that take tiles in turns have such rings as well, one each, and a warp
 * for each ring that fetches.
 *
 * If a batch is given by arrays of addresses, a warp of the producer's warpgroup writes the
 * addresses into each tile's tensor maps (map_sets.h), as far ahead as its ring has sets.
 *
 * Multistage kernels have one kind of warpgroup, one thread of which also asks for boxes. */
#include "atom/dtype.h"
#include "plan/gate.h"
#include "plan/map_sets.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm90.h"
#include "plan/sparse.h"

enum { warps_a_group = 4 };

/* How many warps of a CTA read each stage. */
static int readers(const gg_plan *plan) {
  return (plan->pingpong ? 1 : plan->consumers) * warps_a_group;
}

/* ---- Rings, but for their bytes ---------------------------------------------------------- */

/* Whether a tensor map brings A or B to a stage just as it is multiplied. */
static bool is_boxed(const gg_plan *plan, bool is_a) {
  int copied = is_a ? plan->copy_bytes_a : plan->copy_bytes_b;
  return !copied && !gg_sm90_transposes(plan, is_a ? &plan->a : &plan->b);
}

bool gg_sm90_has_end(const gg_plan *plan, const gg_operand *operand) {
  bool is_a = operand == &plan->a, boxes = plan->specialised && !gg_sm90_has_copiers(plan);
  if (!boxes || gg_plan_in_tensor_memory(plan) || gg_plan_multiplies_by_warps(plan)) return false;
  if (!is_a && (gg_plan_is_split(plan) || gg_plan_has_mmas_along_n(plan))) return false;
  return !(is_a ? gg_is_even(plan->fixed_m, plan->tile_m)
                : gg_is_even(plan->fixed_n, plan->tile_n));
}

static gg_ring stages_of(const gg_plan *plan) {
  bool both = gg_plan_both_shared(plan), boxes = is_boxed(plan, true) || is_boxed(plan, false);
  int group = gg_plan_mma_ctas(plan);
  gg_ring ring = {.id = GG_RING_STAGES,
                  .name = "stages",
                  .depth = plan->stages,
                  .instances = 1,
                  .filled_by = GG_ROLE_PRODUCER,
                  .drained_by = GG_ROLE_CONSUMER,
                  .full = {"full", plan->stages, 1, 0},
                  .empties = both ? 2 : 1};
  if (both) ring.full.arrivals = group;
  if (gg_sm90_has_copiers(plan)) ring.full.arrivals = warps_a_group * group + boxes;
  /* Warpgroups of multistage kernels meet at the CTA's barrier: they never use `empty`. */
  int arrivals = gg_plan_in_tensor_memory(plan) ? 1 : plan->specialised ? readers(plan) : 0;
  if (gg_plan_in_tensor_memory(plan)) ring.drained_by = GG_ROLE_MMA;
  if (both) {
    ring.empty[0] = (gg_ring_barriers){"empty of A", plan->stages, plan->cluster_n * arrivals, 0};
    ring.empty[1] =
        (gg_ring_barriers){"empty of B", plan->stages, plan->cluster_m / group * arrivals, 0};
  } else {
    int ctas = plan->cluster_m * plan->cluster_n / group;
    ring.empty[0] = (gg_ring_barriers){"empty", plan->stages, ctas * arrivals, 0};
  }
  return ring;
}

/* The ring of what warps transpose. It arrives in the stages, so this ring has only barriers in
 * shared memory. A stage of it is empty when the stage of operands is. */
static gg_ring raw_of(const gg_plan *plan) {
  return (gg_ring){.id = GG_RING_RAW,
                   .name = "raw operands",
                   .depth = plan->stages,
                   .instances = 1,
                   .filled_by = GG_ROLE_PRODUCER,
                   .drained_by = GG_ROLE_PRODUCER,
                   .full = {"raw", plan->stages, 1, 0}};
}

/* The ring of sub-tiles of matrices that the epilogue reads. It lies behind the stages, because its
 * boxes need the same alignment. */
static gg_ring subtiles_of(const gg_plan *plan) {
  int depth = plan->subtile_stages, rings = gg_plan_subtile_rings(plan);
  return (gg_ring){.id = GG_RING_SUBTILES,
                   .name = "sub-tiles",
                   .depth = depth,
                   .instances = rings,
                   .filled_by = GG_ROLE_MATRICES,
                   .drained_by = GG_ROLE_CONSUMER,
                   .full = {"full sub-tiles", rings * depth, 1, 0},
                   .empty = {{"empty sub-tiles", rings * depth, readers(plan), 0}},
                   .empties = 1};
}

/* The staging: boxes of D and of what is stored besides it. The copy engine reads them, and reports
 * that to the lane that asked it to. */
static gg_ring staging_of(const gg_plan *plan) {
  return (gg_ring){.id = GG_RING_STAGING,
                   .name = "staging",
                   .depth = plan->epi_buffers,
                   .instances = plan->consumers * warps_a_group / plan->box_warps,
                   .filled_by = GG_ROLE_CONSUMER,
                   .drained_by = GG_ROLE_CONSUMER};
}

/* The ring of sums from consumers of other CTAs, which is filled once. How many bytes come to a
 * warp depends on its boxes. */
static gg_ring sums_of(const gg_plan *plan) {
  return (gg_ring){.id = GG_RING_SUMS,
                   .name = "sums",
                   .depth = 1,
                   .instances = 1,
                   .filled_by = GG_ROLE_CONSUMER,
                   .drained_by = GG_ROLE_CONSUMER,
                   .full = {"full sums", plan->consumers * warps_a_group, 1, 0}};
}

/* The ring of accumulators in tensor memory, filled by a tile's MMAs. A warp that has read its
 * lanes arrives at `empty`. */
static gg_ring accumulators_of(const gg_plan *plan) {
  int sets = plan->accumulator_stages;
  return (gg_ring){.id = GG_RING_ACCUMULATORS,
                   .name = "accumulators",
                   .depth = sets,
                   .instances = 1,
                   .filled_by = GG_ROLE_MMA,
                   .drained_by = GG_ROLE_CONSUMER,
                   .full = {"full accumulators", sets, 1, 0},
                   .empty = {{"empty accumulators", sets, readers(plan) * plan->cta_group, 0}},
                   .empties = 1};
}

/* The ring of vectors. Every lane that copies arrives, and so reports that its own copies are
 * there. */
static gg_ring vectors_of(const gg_plan *plan) {
  int buffers = plan->vector_buffers;
  return (gg_ring){.id = GG_RING_VECTORS,
                   .name = "vectors",
                   .depth = buffers,
                   .instances = 1,
                   .filled_by = GG_ROLE_VECTORS,
                   .drained_by = GG_ROLE_CONSUMER,
                   .full = {"full vectors", buffers, GG_WARP, 0},
                   .empty = {{"empty vectors", buffers, readers(plan), 0}},
                   .empties = 1};
}

/* How many roles of a cluster read which tile is next: in each CTA the warps of the epilogue, the
 * warp that copies vectors, and one thread each that loads A and B, that fetches matrices, that
 * changes maps and that asks for tiles; and for each CTA or pair the thread that issues MMAs. */
static int answer_readers(const gg_plan *plan) {
  int ctas = gg_plan_cluster_size(plan);
  int a_cta = readers(plan) + (plan->vector_buffers > 0) + 1 + (plan->subtile_stages > 0) +
              gg_plan_changes_maps(plan) + 1;
  return ctas * a_cta + ctas / gg_plan_mma_ctas(plan);
}

/* The ring of the scheduler's answers. It is as deep as roles are ahead of each other: MMAs are
 * ahead by the sets of accumulators, and loading by one tile more. The first CTA's thread waits
 * until all readers of the cluster have read an answer, and the next one is written to all CTAs. */
static gg_ring answers_of(const gg_plan *plan) {
  enum { answer_bytes = 16 };
  int depth = plan->accumulator_stages + 1;
  return (gg_ring){.id = GG_RING_ANSWERS,
                   .name = "answers",
                   .depth = depth,
                   .instances = 1,
                   .bytes = answer_bytes,
                   .tx_bytes = answer_bytes,
                   .filled_by = GG_ROLE_SCHEDULER,
                   .drained_by = GG_ROLE_CONSUMER,
                   .full = {"full answers", depth, 1, 0},
                   .empty = {{"empty answers", depth, answer_readers(plan), 0}},
                   .empties = 1};
}

/* The ring of sets of tensor maps. A thread fills a set by writing a tile's addresses into its
 * maps. The warps that compute the tile drain it, when all of its K tiles have come and what they
 * stored has been read. */
static gg_ring maps_of(const gg_plan *plan) {
  enum { address_bytes = 8 };
  int sets = gg_plan_map_sets(plan);
  return (gg_ring){.id = GG_RING_MAPS,
                   .name = "maps",
                   .depth = sets,
                   .instances = 1,
                   .bytes = address_bytes,
                   .filled_by = GG_ROLE_MAPS,
                   .drained_by = GG_ROLE_CONSUMER,
                   .full = {"full maps", sets, 1, 0},
                   .empty = {{"empty maps", sets, readers(plan), 0}},
                   .empties = 1};
}

/* Adds the rings with what is known of them without layouts: their barriers. */
static void add_rings(gg_rings *rings, const gg_plan *plan) {
  rings->claims = plan->claims;
  gg_rings_add(rings, stages_of(plan));
  if (gg_sm90_transposes_any(plan)) gg_rings_add(rings, raw_of(plan));
  if (plan->subtile_stages) gg_rings_add(rings, subtiles_of(plan));
  gg_rings_add(rings, staging_of(plan));
  if (plan->cluster_k > 1) gg_rings_add(rings, sums_of(plan));
  if (gg_plan_in_tensor_memory(plan)) gg_rings_add(rings, accumulators_of(plan));
  if (plan->vector_buffers) gg_rings_add(rings, vectors_of(plan));
  if (gg_plan_is_dynamic(plan)) gg_rings_add(rings, answers_of(plan));
  if (gg_plan_changes_maps(plan)) gg_rings_add(rings, maps_of(plan));
}

/* Bytes of all barriers, and of answers and addresses, which are as small. */
static int64_t barrier_bytes(const gg_plan *plan) {
  gg_rings rings = {.count = 0};
  add_rings(&rings, plan);
  gg_rings_place(&rings);
  return rings.bytes;
}

int gg_sm90_choose_vectors(const gg_plan *plan, int64_t left) {
  int64_t bytes = gg_sm90_vectors_bytes(NULL, plan);
  int taken = plan->subtile_stages ? gg_plan_subtile_rings(plan) : 0;
  if (!bytes || gg_sm90_spare_warps(plan) <= taken) return 0;
  gg_plan with = *plan;
  with.vector_buffers = plan->pingpong ? plan->consumers : 1;
  bool fits = with.vector_buffers * bytes + barrier_bytes(&with) <= left;
  return fits ? with.vector_buffers : 0;
}

/* ---- The lists --------------------------------------------------------------------------- */

/* Bytes of a tile's boxes as they are in global memory: barriers count these, even if elements are
 * unpacked on the way. */
static int64_t bytes_of(const gg_boxed_tile *boxes, gg_dtype type) {
  return gg_dtype_bytes(type, (int64_t)boxes->count * boxes->line * boxes->lines);
}

/* Bytes that tensor maps bring to a stage just as they are multiplied. */
static int64_t boxed_bytes(const gg_layouts *layouts, const gg_plan *plan) {
  return (is_boxed(plan, true) ? bytes_of(&layouts->boxes_a, plan->a.type) : 0) +
         (is_boxed(plan, false) ? bytes_of(&layouts->boxes_b, plan->b.type) : 0) +
         gg_scale_bytes_a(plan) + gg_scale_bytes_b(plan) + gg_metadata_bytes(plan);
}

/* Bytes that tensor maps bring to a stage to be transposed. */
static int64_t raw_bytes(const gg_plan *plan) {
  bool a = gg_sm90_transposes(plan, &plan->a), b = gg_sm90_transposes(plan, &plan->b);
  return (a ? gg_sm90_raw_boxes_of(plan, true).bytes : 0) +
         (b ? gg_sm90_raw_boxes_of(plan, false).bytes : 0);
}

/* Bytes of all matrices in one sub-tile. */
static int64_t fetched_bytes(const gg_layouts *layouts) {
  int64_t bytes = 0;
  for (size_t i = 0; i < layouts->fetched_count; i++)
    bytes += layouts->fetched[i].boxes * layouts->fetched[i].bytes;
  return bytes;
}

static int64_t ring_bytes(gg_layouts *layouts, const gg_plan *plan, gg_ring_id id) {
  switch (id) {
  case GG_RING_STAGES:
    return gg_plan_smem_bytes(plan, plan->a.type, layouts->size_a) +
           gg_plan_smem_bytes(plan, plan->b.type, layouts->size_b) + gg_metadata_bytes(plan) +
           gg_scale_stage_bytes(plan);
  case GG_RING_SUBTILES:
    return gg_sm90_subtile_bytes(layouts->fetched, layouts->fetched_count);
  case GG_RING_STAGING:
    return layouts->staging_bytes;
  case GG_RING_SUMS:
    return gg_sm90_sums_bytes(plan);
  case GG_RING_RAW:
  case GG_RING_ACCUMULATORS:
    return 0;
  case GG_RING_ANSWERS:
  case GG_RING_MAPS:
    return gg_rings_find(&layouts->rings, id)->bytes;
  default:
    return gg_sm90_vectors_bytes(layouts->vector_begin, plan);
  }
}

static gg_role producer_of(const gg_plan *plan) {
  gg_role producer = {.id = GG_ROLE_PRODUCER, .name = "producer", .warps = 1, .elected = true};
  if (plan->specialised) {
    producer.part = "sm90_produce";
    producer.registers = plan->producer_registers;
  }
  if (gg_sm90_has_copiers(plan)) {
    producer.part = "sm90_copiers";
    producer.warps = warps_a_group;
    producer.elected = false;
  }
  if (plan->cta_group > 1 && producer.elected) producer.part = "sm100_produce_pair";
  return producer;
}

static gg_role consumer_of(const gg_plan *plan) {
  gg_role consumer = {.id = GG_ROLE_CONSUMER,
                      .name = "consumer",
                      .warps = plan->consumers * warps_a_group,
                      .groups = plan->consumers};
  if (plan->specialised) {
    consumer.part = "sm90_consume";
    consumer.first_warp = warps_a_group;
    consumer.registers = plan->consumer_registers;
  }
  if (gg_plan_in_tensor_memory(plan)) consumer.part = "sm100_consume";
  return consumer;
}

/* Adds the roles that have one warp each in the producer's warpgroup, one after the other; but the
 * warps that fetch matrices are its last ones. */
static void add_helpers(gg_rings *rings, const gg_plan *plan) {
  int spare = gg_sm90_first_spare_warp(plan);
  if (plan->vector_buffers) {
    gg_rings_add_role(rings, (gg_role){.id = GG_ROLE_VECTORS,
                                       .name = "vectors",
                                       .first_warp = spare++,
                                       .warps = 1,
                                       .registers = plan->producer_registers,
                                       .part = "sm90_vectors"});
  }
  if (plan->subtile_stages) {
    gg_rings_add_role(rings, (gg_role){.id = GG_ROLE_MATRICES,
                                       .name = "matrices",
                                       .first_warp = warps_a_group - gg_plan_subtile_rings(plan),
                                       .warps = gg_plan_subtile_rings(plan),
                                       .elected = true,
                                       .part = "sm90_fetch_subtiles"});
  }
  if (gg_plan_changes_maps(plan)) {
    gg_rings_add_role(rings, (gg_role){.id = GG_ROLE_MAPS,
                                       .name = "maps",
                                       .first_warp = spare++,
                                       .warps = 1,
                                       .registers = plan->producer_registers,
                                       .part = "map_sets"});
  }
  if (gg_plan_is_dynamic(plan)) {
    gg_rings_add_role(rings, (gg_role){.id = GG_ROLE_SCHEDULER,
                                       .name = "scheduler",
                                       .first_warp = spare,
                                       .warps = 1,
                                       .elected = true,
                                       .part = "sm100_schedule"});
  }
}

static void add_roles(gg_rings *rings, const gg_plan *plan) {
  gg_rings_add_role(rings, producer_of(plan));
  if (gg_plan_in_tensor_memory(plan)) {
    gg_rings_add_role(rings, (gg_role){.id = GG_ROLE_MMA,
                                       .name = "MMA issuer",
                                       .first_warp = gg_sm100_issuer(plan),
                                       .warps = 1,
                                       .elected = true,
                                       .part = "sm100_issue"});
  }
  add_helpers(rings, plan);
  gg_rings_add_role(rings, consumer_of(plan));
}

void gg_sm90_derive_rings(gg_layouts *out, const gg_plan *plan) {
  add_roles(&out->rings, plan);
  add_rings(&out->rings, plan);
  for (size_t i = 0; i < out->rings.count; i++) {
    gg_ring *ring = &out->rings.list[i];
    ring->bytes = ring_bytes(out, plan, ring->id);
    if (ring->id == GG_RING_STAGES) ring->tx_bytes = boxed_bytes(out, plan);
    if (ring->id == GG_RING_RAW) ring->tx_bytes = raw_bytes(plan);
    if (ring->id == GG_RING_SUBTILES) ring->tx_bytes = fetched_bytes(out);
  }
}
