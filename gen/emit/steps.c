/* What happens in each family's kernels, in order, as told in the banner: made from the plan and
 * its lists of rings and roles. */
#include "emit/outline.h"
#include "plan/operation.h"
#include "plan/rings.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm90.h"
#include "plan/sparse.h"
#include "plan/transpose.h"

typedef long long ll; /* for printf */

/* ---- Families without roles -------------------------------------------------------------- */

void gg_naive_steps(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  (void)plan, (void)layouts;
  gg_outline_step(outline, "Each thread finds its element of D; one that lies outside of D ends.");
  gg_outline_step(outline, "It multiplies its row of A with its column of B, an element after the "
                           "other, straight from global memory.");
  gg_outline_step(outline, "It applies the epilogue to the sum and stores it.");
}

void gg_simt_steps(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES);
  if (plan->stages == 1) {
    gg_outline_step(
        outline,
        "For each K tile all threads copy its elements from global memory to a buffer "
        "of %lld bytes (cp.async) and wait until all have arrived; then each multiplies "
        "its rows with its columns, and they meet again before the next K tile.",
        (ll)stages->bytes);
  } else {
    gg_outline_step(outline,
                    "All threads begin to copy the first %d K tiles of A and B from global memory "
                    "to a ring of %d stages of %lld bytes (cp.async).",
                    stages->depth - 1, stages->depth, (ll)stages->bytes);
    gg_outline_step(
        outline,
        "For each K tile they begin the copies of the K tile %d further, and multiply: "
        "while a thread multiplies one word of each of its rows with one of each of its "
        "columns, it reads the next ones. At the tile's end they wait until the next "
        "one's copies have arrived and all have met.",
        stages->depth - 1);
  }
  gg_outline_step(outline, "Each thread applies the epilogue to its elements and stores them.");
}

/* Tells who prefetches the matrices that the epilogue reads and that no ring brings. */
static void prefetch_matrices(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts,
                              const char *who) {
  size_t read = 0;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    bool spans = gg_operation_reads_matrix(operation);
    read += operation->kind == GG_OP_LINEAR ? operation->beta : spans;
  }
  if (read > layouts->fetched_count)
    gg_outline_step(outline,
                    "Before they multiply, %s have the L2 cache fetch the tile's part of what the "
                    "epilogue reads of matrices.",
                    who);
}

static void write_boxes(gg_outline *outline, const gg_plan *plan, const char *who,
                        const char *stored) {
  if (gg_plan_scales_d(plan))
    gg_outline_step(outline,
                    "%s applies the epilogue to %d x %d elements at a time, divides each block of "
                    "%d of a row by its factor, which four lanes find, lays them out in shared "
                    "memory, and %s. It stores the factors itself.",
                    who, plan->epi_m, plan->epi_n, plan->scale_d.block, stored);
  else
    gg_outline_step(
        outline,
        "%s applies the epilogue to %d x %d elements at a time, lays them out in shared "
        "memory, and %s.",
        who, plan->epi_m, plan->epi_n, stored);
}

void gg_sm80_steps(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES);
  gg_outline_step(outline,
                  "All threads begin to copy the first %d K tiles of A and B from global memory to "
                  "a ring of %d stages of %lld bytes (cp.async).",
                  stages->depth - 1, stages->depth, (ll)stages->bytes);
  prefetch_matrices(outline, plan, layouts, "they");
  gg_outline_step(outline,
                  "For each K tile they wait until its copies have arrived and all warps have met, "
                  "begin the copies of the K tile %d further, and multiply: while the tensor cores "
                  "work on one step along K, ldmatrix loads the next step's fragments.",
                  stages->depth - 1);
  if (plan->sparse_a)
    gg_outline_step(outline,
                    "Of A a K tile has what is stored, half of K. The metadata that says which "
                    "elements these are each lane reads from global memory to registers, a K tile "
                    "ahead.");
  if (plan->atoms_k > 1)
    gg_outline_step(outline,
                    "The steps along K of a block were dealt to %d warps in turns. All but the "
                    "first of them put their sums where the stages were; when all have met, the "
                    "first adds them up, in the order of the warps, and goes on alone.",
                    plan->atoms_k);
  if (gg_rings_find(&layouts->rings, GG_RING_STAGING))
    write_boxes(outline, plan, "Each warp", "stores whole lines of them");
  else
    gg_outline_step(outline, "Each thread applies the epilogue to its elements and stores them.");
  if (plan->scheduler == GG_SCHEDULER_PERSISTENT)
    gg_outline_step(outline, "The CTA goes on with its next tile, whose first copies it has begun "
                             "before it stored this one.");
}

/* ---- Family sm90 -------------------------------------------------------------------------- */

static const char *stored_by(const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->result_count; i++) {
    const gg_result *result = &layouts->results[i];
    if (gg_sm90_stores_units(result)) return "stores lines of them, 16 bytes a lane at once";
    if (gg_sm90_stores_lines(result)) return "stores lines of them, which begin anywhere";
  }
  return "has the copy engine store them while it goes on";
}

void gg_sm90_multistage_steps(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES);
  bool one = stages->depth == 1;
  gg_outline_step(outline,
                  "The first thread initialises the barriers and has the copy engine fill %s of "
                  "%lld bytes with K tiles of A and B; their bytes arrive at the stage's barrier "
                  "`full`.",
                  one ? "the one stage" : "the ring's stages", (ll)stages->bytes);
  prefetch_matrices(outline, plan, layouts, "all threads");
  gg_outline_step(outline,
                  "For each K tile all threads wait at `full` and each warpgroup multiplies its "
                  "rows (wgmma reads both operands from shared memory, by descriptors)%s. When "
                  "all have met, the first thread asks for the K tile that takes the place of the "
                  "one that has been read.",
                  one ? "" : "; one K tile's MMAs run while the next one's are issued");
  write_boxes(outline, plan, "Each warp", stored_by(layouts));
}

static void begin(gg_outline *outline, const gg_plan *plan) {
  int ctas = plan->cluster_m * plan->cluster_n * plan->cluster_k;
  if (ctas > 1)
    gg_outline_step(outline,
                    "The first thread initialises the barriers; then all threads of the cluster's "
                    "%d CTAs meet. From here on the CTA's warps have roles.",
                    ctas);
  else
    gg_outline_step(outline, "The first thread initialises the barriers; then all threads of the "
                             "CTA meet. From here on its warps have roles.");
}

static void transpose(gg_outline *outline, const gg_plan *plan, const gg_role *role,
                      const gg_ring *stages) {
  bool both = gg_sm90_transposes(plan, &plan->a) && gg_sm90_transposes(plan, &plan->b);
  bool is_a = gg_sm90_transposes(plan, &plan->a) != plan->swap_ab;
  gg_outline_step(outline,
                  "Producer (warps %d..%d): one thread has the copy engine bring tiles of A and B "
                  "to the ring (%d stages of %lld bytes), a few stages ahead. K is not contiguous "
                  "in %s: when its bytes are there (`raw`), the warps read them to registers, "
                  "write them back along K, and arrive at the stage's barrier `full`.",
                  role->first_warp, role->first_warp + role->warps - 1, stages->depth,
                  (ll)stages->bytes,
                  both   ? "both"
                  : is_a ? "A"
                         : "B");
}

/* Tells which part of the ring's tiles a CTA of a pair brings, and what comes with them. */
static void bring_beside(gg_outline *outline, const gg_plan *plan) {
  int pairs = gg_plan_mma_ctas(plan);
  if (pairs > 1)
    gg_outline_step(outline,
                    "Each CTA of a pair brings its rows of A and half of the rows of B. The "
                    "bytes of both arrive at the first one's `full`, where MMAs are issued "
                    "for both.");
  if (gg_plan_is_scaled(plan))
    gg_outline_step(outline,
                    "With a K tile come its scale factors, in atoms of 128 rows by 4 along K: %s "
                    "those of its rows of A and of all columns of B.",
                    pairs > 1 ? "each CTA of a pair needs" : "the producer brings");
  if (gg_plan_is_scaled(plan) && plan->cluster_m * plan->cluster_n > 1)
    gg_outline_step(outline,
                    "CTAs with the same rows of A need the same factors of A, those with the same "
                    "columns the same of B: they take turns at copying them to all of these.");
}

/* Tells of rows and columns that tiles take in turns, of metadata, and of operands that CTAs share.
 */
static void bring_shared(gg_outline *outline, const gg_plan *plan) {
  if (plan->turns_pairs)
    gg_outline_step(outline,
                    "Pairs take rows in turns: of %d rows the CTAs of one tile have the first half "
                    "of %d each, those of the next tile the second. So each has rows of one atom.",
                    4 * plan->tile_m, 2 * plan->tile_m);
  if (plan->turns_columns)
    gg_outline_step(outline,
                    "%d tiles take columns in turns: of %d columns they have %d of the first half "
                    "each, and as many of the second. So both begin at the same column of an atom.",
                    plan->turns_columns, plan->turns_columns * plan->tile_n, plan->tile_n / 2);
  if (plan->sparse_a)
    gg_outline_step(
        outline,
        "With a K tile comes the metadata of its rows of %s, in tiles of 128 rows by 16 "
        "bytes; of %s itself comes half of K, what is stored.",
        gg_as_asked(plan, "A", "B"), gg_as_asked(plan, "A", "B"));
  if (plan->cluster_m * plan->cluster_n > gg_plan_mma_ctas(plan))
    gg_outline_step(outline, "%s: they take turns at copying it to all of them (multicast).",
                    plan->cluster_m == gg_plan_mma_ctas(plan)
                        ? "CTAs of the cluster share their tile of A"
                    : plan->cluster_n == 1 ? "CTAs of the cluster share their tile of B"
                                           : "CTAs of the cluster that are neighbours along N "
                                             "share their tile of A, those along M that of B");
}

static void produce(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES);
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_PRODUCER);
  if (role->elected)
    gg_outline_step(outline,
                    "Producer (one thread of warp %d): for each K tile it waits until a stage of "
                    "the ring (%d of %lld bytes) is `empty`, tells the stage's barrier `full` how "
                    "many bytes will come, and has the copy engine bring %s.",
                    role->first_warp, stages->depth, (ll)stages->bytes,
                    plan->cta_group > 1 ? "its part of A and of B" : "a tile of A and one of B");
  else if (!gg_sm90_copies_lines(plan))
    transpose(outline, plan, role, stages);
  else
    gg_outline_step(
        outline,
        "Producer (warps %d..%d): lines begin anywhere, so its threads copy the 16-byte "
        "chunks that cover them to the ring (%d stages of %lld bytes), a few stages "
        "ahead, move them into place once they have arrived, and arrive at the stage's "
        "barrier `full`.",
        role->first_warp, role->first_warp + role->warps - 1, stages->depth, (ll)stages->bytes);
  bring_beside(outline, plan);
  bring_shared(outline, plan);
  if (!layouts->fetch_stages) return;
  bool several = plan->scheduler != GG_SCHEDULER_DATA_PARALLEL;
  gg_outline_step(outline,
                  "Behind a tile's last K tile the producer brings what the epilogue reads of "
                  "matrices, through the same stages.%s",
                  several ? " In each tile but a CTA's first it has had the L2 cache fetch them "
                            "while the K tiles were copied."
                          : "");
}

static void consume(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_CONSUMER);
  gg_outline_step(outline,
                  "Consumers (warps %d..%d, %d warpgroup%s%s): they wait at `full`, multiply (%s), "
                  "and arrive at the `empty` of every CTA that copies to the stage when they have "
                  "read it.",
                  role->first_warp, role->first_warp + role->warps - 1, plan->consumers,
                  plan->consumers == 1 ? "" : "s",
                  plan->consumers == 1 ? ""
                  : plan->pingpong     ? " that take whole tiles in turns: one stores while the "
                                         "other multiplies"
                  : gg_plan_column_parts(plan) > 1 ? " that have half of each tile's columns each"
                                                   : " that share each tile",
                  gg_plan_multiplies_by_warps(plan)
                      ? "mma.sync out of registers, to which ldmatrix brings the next fragments "
                        "meanwhile"
                  : plan->a_in_registers
                      ? "wgmma reads B from shared memory by descriptors, A from "
                        "registers"
                      : "wgmma reads both operands from shared memory, by "
                        "descriptors");
  if (plan->promote)
    gg_outline_step(outline, "The tensor cores' sums are short; threads add them to the "
                             "accumulators in full precision.");
}

static void read_ahead(gg_outline *outline, const gg_layouts *layouts) {
  const gg_role *vectors = gg_rings_role(&layouts->rings, GG_ROLE_VECTORS);
  if (vectors)
    gg_outline_step(outline,
                    "Warp %d brings what the epilogue reads of vectors to shared memory while the "
                    "tile is multiplied.",
                    vectors->first_warp);
}

static void change_maps(gg_outline *outline, const gg_layouts *layouts) {
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_MAPS);
  if (!role) return;
  gg_outline_step(outline,
                  "One thread of warp %d gives copies of the tensor maps, in the workspace, the "
                  "addresses of each tile's batch, as far ahead as there are sets of them (%d).",
                  role->first_warp, gg_rings_find(&layouts->rings, GG_RING_MAPS)->depth);
}

static void fetch_subtiles(gg_outline *outline, const gg_layouts *layouts) {
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_MATRICES);
  const gg_ring *ring = gg_rings_find(&layouts->rings, GG_RING_SUBTILES);
  if (!role) return;
  if (ring->instances > 1)
    gg_outline_step(outline,
                    "A thread each of warps %d..%d has the copy engine bring what its consumer's "
                    "epilogue reads of matrices to a ring of that one's own (%d sub-tiles of %lld "
                    "bytes), while the tile is multiplied and stored.",
                    role->first_warp, role->first_warp + role->warps - 1, ring->depth,
                    (ll)ring->bytes);
  else
    gg_outline_step(outline,
                    "One thread of warp %d has the copy engine bring what the epilogue reads of "
                    "matrices to a ring of its own (%d sub-tiles of %lld bytes), while the tile is "
                    "multiplied and stored.",
                    role->first_warp, ring->depth, (ll)ring->bytes);
}

static void reduce(gg_outline *outline, const gg_plan *plan) {
  if (plan->cluster_k > 1)
    gg_outline_step(outline, "The CTAs of a cluster along K send each other the sums of the boxes "
                             "that another one stores, through shared memory.");
  else if (gg_plan_shares_tiles(plan))
    gg_outline_step(outline, "Clusters that share a tile write their sums to the workspace and "
                             "count; who stores a box waits for the count and adds the others' "
                             "sums in a fixed order.");
}

void gg_sm90_steps(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  begin(outline, plan);
  change_maps(outline, layouts);
  produce(outline, plan, layouts);
  read_ahead(outline, layouts);
  fetch_subtiles(outline, layouts);
  prefetch_matrices(outline, plan, layouts, "the consumers described next");
  consume(outline, plan, layouts);
  reduce(outline, plan);
  write_boxes(outline, plan, "Each of their warps", stored_by(layouts));
  if (plan->scheduler != GG_SCHEDULER_DATA_PARALLEL)
    gg_outline_step(outline, "All roles go on with the next tile by themselves: the producer is "
                             "as far ahead as the ring has stages.");
}

/* ---- Family sm100 ------------------------------------------------------------------------- */

static void multiply(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_MMA);
  bool several = plan->accumulator_stages > 1;
  gg_outline_step(
      outline,
      "MMA issuer (one thread of warp %d%s): it waits until %s is `empty`, for each K tile "
      "at the stage's `full`, and issues the tile's MMAs (tcgen05.mma reads both operands "
      "from shared memory, by descriptors). The tensor core itself arrives at the "
      "`empty` of the stage when it has read it, and behind the last K tile at the "
      "`full` of the accumulators.",
      role->first_warp, plan->cta_group > 1 ? " of the pair's first CTA" : "",
      several ? "a set of accumulators in tensor memory" : "its accumulators in tensor memory");
  if (gg_plan_is_scaled(plan))
    gg_outline_step(
        outline,
        "Before a K tile's MMAs the issuer has the tensor core copy their scale factors "
        "to %d columns of tensor memory behind the accumulators (tcgen05.cp): behind "
        "the MMAs before them, which read the same columns.",
        gg_scale_columns(plan));
  if (plan->a_in_tensor)
    gg_outline_step(
        outline,
        "Before a K tile's MMAs the issuer has the tensor core copy %s to %d columns of "
        "tensor memory behind the accumulators (tcgen05.cp), from where all MMAs of "
        "the tile read it.",
        gg_as_asked(plan, "A", "B"), gg_sm100_columns_of_a(plan));
  if (plan->sparse_a)
    gg_outline_step(outline,
                    "Before a K tile's MMAs the issuer has the tensor core copy their metadata to "
                    "%d columns of tensor memory behind the accumulators (tcgen05.cp).",
                    gg_metadata_columns(plan));
}

static void schedule(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_SCHEDULER);
  if (role)
    gg_outline_step(outline,
                    "Scheduler (one thread of warp %d%s): while a tile is computed it asks for the "
                    "tile of a cluster that has not begun (clusterlaunchcontrol). All roles read "
                    "the answers, which come to a ring (%d stages)%s.",
                    role->first_warp, gg_plan_cluster_size(plan) > 1 ? " of the first CTA" : "",
                    gg_rings_find(&layouts->rings, GG_RING_ANSWERS)->depth,
                    gg_plan_cluster_size(plan) > 1 ? " in each CTA of the cluster" : "");
}

void gg_sm100_steps(gg_outline *outline, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_CONSUMER);
  begin(outline, plan);
  gg_outline_step(
      outline, "Warp %d allocates %d columns of tensor memory, and frees them at the end.",
      gg_rings_role(&layouts->rings, GG_ROLE_MMA)->first_warp, layouts->accumulator.columns);
  schedule(outline, plan, layouts);
  change_maps(outline, layouts);
  produce(outline, plan, layouts);
  read_ahead(outline, layouts);
  fetch_subtiles(outline, layouts);
  prefetch_matrices(outline, plan, layouts, "the warps of the epilogue");
  multiply(outline, plan, layouts);
  gg_outline_step(
      outline,
      "Epilogue (warps %d..%d): each reads its 32 lanes of the accumulators, a box at a "
      "time, and arrives at their `empty` when it has the last one in registers.",
      role->first_warp, role->first_warp + role->warps - 1);
  reduce(outline, plan);
  write_boxes(outline, plan, "Each warp", stored_by(layouts));
  if (plan->scheduler != GG_SCHEDULER_DATA_PARALLEL)
    gg_outline_step(outline, "All roles go on with the next tile by themselves.");
}
