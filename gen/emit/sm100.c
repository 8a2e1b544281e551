/* Family sm100: the names that its templates use and sm90's do not. emit/sm90.c has the rest. */
#include "emit/sm100.h"

#include "atom/tmem.h"
#include "emit/sm90.h"
#include "plan/distribution.h"
#include "plan/operands.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm90.h"
#include "plan/sparse.h"

typedef long long ll; /* for printf */

/* Elements in a register of sums: two of f16, from neighbouring columns, else one. */
static int register_elements(const gg_plan *plan) {
  return plan->accumulator == GG_DTYPE_f16 ? 2 : 1;
}

/* A thread's registers for a box: of every eight columns it has two elements, in each of two rows.
 */
static int box_registers(const gg_plan *plan) {
  return plan->epi_n / 2 / register_elements(plan);
}

/* The shape by which a warp reads a box. Elements of 16 bits take a column of 32 bits each, and are
 * packed behind the load. */
static const char *box_shape(const gg_plan *plan) {
  return register_elements(plan) > 1 ? "16x128b" : "16x256b";
}

void gg_sm100_write_consumers(gg_str *out, const gg_plan *plan) {
  int blocks = gg_sm100_blocks_of_mma(plan);
  gg_str_printf(out,
                "constexpr int mmas_m = %d, mma_rows = %d;  // MMAs of a tile along M, and their "
                "rows in this CTA\n",
                gg_sm100_mmas_m(plan), gg_plan_mma_rows(plan));
  if (gg_sm100_has_parts(plan))
    gg_str_printf(out,
                  "constexpr int mmas_n = %d, warp_columns = %d;  // MMAs along N; columns that a "
                  "warp reads\n",
                  gg_sm100_mmas_n(plan), gg_plan_warp_columns(plan));
  if (plan->turns_columns)
    gg_str_printf(
        out,
        "constexpr int turned_tiles = %d, half_step = %d;  // tiles whose halves lie in "
        "turns;\n"
        "constexpr int span_n = %d;  // columns from a tile's first half to the second; to "
        "its end\n",
        plan->turns_columns, gg_plan_half_step(plan), gg_plan_tile_span(plan));
  gg_str_printf(out, "constexpr int k_steps = %d;\n", plan->tile_k / plan->mma.k);
  gg_str_printf(out,
                "constexpr int blocks_of_mma = %d, warp_blocks = %d;  // blocks of 16 rows that a "
                "warp reads\n",
                blocks, blocks * gg_sm100_mmas_m(plan));
  gg_str_printf(out, "constexpr int acc_words = %d;  // registers of a box's sums\n",
                box_registers(plan));
  gg_str_printf(out, "constexpr int acc_elements = %d;  // of a register\n",
                register_elements(plan));
  gg_str_printf(
      out,
      "constexpr int accumulator_stages = %d, sums_columns = %d;  // sets of sums; columns "
      "of a set\n",
      plan->accumulator_stages, gg_sm100_accumulator_columns(plan));
  gg_str_printf(out, "constexpr int tmem_columns = %d;  // that this CTA allocates\n",
                gg_sm100_allocated_columns(plan));
  gg_str_printf(out, "constexpr int issuer = %d;  // the warp whose thread issues the MMAs\n",
                gg_sm100_issuer(plan));
  gg_str_printf(out, "constexpr int threads = %d, ctas_per_sm = %d;\n", plan->threads,
                plan->ctas_per_sm);
  if (plan->producer_registers)
    gg_str_printf(out, "constexpr int producer_registers = %d, consumer_registers = %d;\n",
                  plan->producer_registers, plan->consumer_registers);
  gg_str_printf(out, "constexpr int tile_warps = %d;  // that finish a tile\n",
                gg_plan_tile_warps(plan));
}

void gg_sm100_write_rings(gg_str *out, const gg_rings *rings) {
  const gg_ring *sums = gg_rings_find(rings, GG_RING_ACCUMULATORS);
  gg_str_printf(out, "constexpr unsigned sums_barriers_begin = %lld, tmem_address_begin = %lld;\n",
                (ll)sums->full.begin, (ll)rings->word_begin);
  const gg_ring *answers = gg_rings_find(rings, GG_RING_ANSWERS);
  if (answers)
    gg_str_printf(out,
                  "constexpr int answer_stages = %d;  // which tile is next\n"
                  "constexpr unsigned answers_begin = %lld, answer_bytes = %lld;\n"
                  "constexpr unsigned answer_barriers_begin = %lld;\n",
                  answers->depth, (ll)answers->begin, (ll)answers->bytes, (ll)answers->full.begin);
}

/* In how many places of tensor memory a box's columns are: one, or two if they come from both
 * halves of N. */
static int places_of_box(const gg_plan *plan) {
  return gg_sm90_halves_tile(plan) ? 2 : 1;
}

/* Appends the registers of one place as an instruction takes them, "{%0, %1, ...}", beginning with
 * operand number `first`. */
static void write_registers(gg_str *out, int first, int count) {
  for (int i = 0; i < count; i++)
    gg_str_printf(out, "%s%%%d", i == 0 ? "{" : i % 12 == 0 ? ", \"\n      \"" : ", ", first + i);
}

static void write_operands(gg_str *out, int count, const char *first, const char *constraint) {
  for (int i = 0; i < count; i++)
    gg_str_printf(out, "%s\"%s\"(x[%d])",
                  i == 0       ? first
                  : i % 6 == 0 ? ",\n        "
                               : ", ",
                  constraint, i);
}

static void write_addresses(gg_str *out, const gg_plan *plan, const char *name) {
  gg_str_printf(out, "\"r\"(%s)", name);
  if (places_of_box(plan) > 1) gg_str_printf(out, ", \"r\"(%s + split_columns)", name);
}

/* Appends the function that stores what load_sums has loaded back to where it was. */
static void write_stores(gg_str *out, const gg_plan *plan, const char *type, char constraint) {
  int count = box_registers(plan), places = places_of_box(plan), each = count / places;
  char operand[2] = {constraint, 0};
  gg_str_printf(out,
                "// Stores what load_sums loaded back to tensor memory.\n"
                "__device__ __forceinline__ void store_sums(const %s (&x)[%d], unsigned to) {\n"
                "  asm volatile(\n",
                type, count);
  for (int place = 0; place < places; place++) {
    gg_str_printf(out, "      \"tcgen05.st.sync.aligned.%s.x%d%s.b32 [%%%d], \"\n      \"",
                  box_shape(plan), plan->epi_n / 8 / places,
                  register_elements(plan) > 1 ? ".unpack::16b" : "", place);
    write_registers(out, places + place * each, each);
    gg_str_puts(out, place + 1 < places ? "};\\n\\t\"\n" : "};\"\n");
  }
  gg_str_puts(out, "      :\n      : ");
  write_addresses(out, plan, "to");
  write_operands(out, count, ",\n        ", operand);
  gg_str_puts(out, "\n      : \"memory\");\n}\n\n");
}

int64_t gg_sm100_offset_of(const gg_plan *plan, const gg_layouts *layouts, gg_operand_id id) {
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t count = gg_operand_rows(rows, plan, layouts), at = 0;
  while (at < count && rows[at].id != id)
    at++;
  return rows[at].offset;
}

static void write_scales_column(gg_str *out, const gg_layouts *layouts) {
  gg_str_printf(out,
                "constexpr unsigned scales_column = %d;  // of tensor memory, behind the sums\n",
                layouts->scale_column);
  gg_str_printf(out, "constexpr unsigned long long scales_desc_base = 0x%llxull;\n",
                (unsigned long long)layouts->scale_descriptor);
}

void gg_sm100_write_scales(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  int a = gg_scale_atoms_a(plan), b = gg_scale_atoms_b(plan), k = gg_scale_atoms_k(plan);
  bool long_k = plan->mma.k == GG_MMA_LONG_K;
  gg_str_printf(out,
                "constexpr int scale_rows = %d;  // of an atom of scale factors; below: atoms of a "
                "stage\n"
                "constexpr int scale_atoms_a = %d, scale_atoms_b = %d, scale_atoms_k = %d;\n"
                "constexpr int scale_atoms = %d, %s = %d;\n",
                GG_SCALE_ROWS, a, b, k, (a + b) * k, long_k ? "step_factors" : "steps_an_atom",
                long_k ? plan->mma.k / plan->scale_a.block
                       : GG_SCALE_FACTORS * plan->scale_a.block / plan->mma.k);
  if (gg_plan_folds_scales(plan))
    gg_str_printf(out,
                  "constexpr int scale_pairs_b = %d;  // of such atoms, of halves of the columns\n",
                  gg_scale_places_b(plan));
  gg_str_printf(out, "constexpr unsigned stage_scales_a = %lld, stage_scales_b = %lld;\n",
                (ll)gg_sm100_offset_of(plan, layouts, GG_OPERAND_SCALE_A),
                (ll)gg_sm100_offset_of(plan, layouts, GG_OPERAND_SCALE_B));
  if (gg_plan_in_tensor_memory(plan)) write_scales_column(out, layouts);
}

/* Appends constants of D's scale factors. A box begins where a word of an atom does, or at its half
 * or quarter, because its columns are a power of two that divides the tile's. */
void gg_sm100_write_scaled_d(gg_str *out, const gg_plan *plan) {
  int factors = plan->epi_n / plan->scale_d.block;
  int at_once = factors < GG_SCALE_FACTORS ? factors : GG_SCALE_FACTORS;
  gg_str_printf(out, "constexpr int scaled_block = %d;  // columns of D that share a factor\n",
                plan->scale_d.block);
  gg_str_printf(out,
                "constexpr int factors_a_word = %d;  // that a thread stores at once\n"
                "using factors_t = %s;\n",
                at_once,
                at_once == 4   ? "unsigned"
                : at_once == 2 ? "unsigned short"
                               : "unsigned char");
}

void gg_sm100_write_a(gg_str *out, const gg_layouts *layouts) {
  gg_str_printf(out, "constexpr unsigned a_column = %d;  // of tensor memory, behind the sums\n",
                layouts->a_column);
}

void gg_sm100_write_metadata(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  int m = gg_metadata_tiles_m(plan), k = gg_metadata_tiles_k(plan);
  bool tensor_memory = gg_plan_in_tensor_memory(plan);
  if (gg_metadata_is_half(plan))
    gg_str_printf(out, "constexpr int metadata_block_rows = %d;  // that lie together\n",
                  GG_METADATA_BLOCK_ROWS);
  gg_str_printf(out,
                "constexpr int metadata_rows = %d;  // of a tile of metadata; below: tiles of a "
                "stage\n"
                "constexpr int metadata_tiles_m = %d, metadata_tiles_k = %d;\n",
                GG_METADATA_TILE_ROWS, m, k);
  if (tensor_memory) gg_str_printf(out, "constexpr int metadata_tiles = %d, ", m * k);
  gg_str_printf(out, "%ssteps_a_tile = %d;\n", tensor_memory ? "" : "constexpr int ",
                gg_metadata_tile_k(plan) / plan->mma.k);
  gg_str_printf(out, "constexpr unsigned stage_metadata = %lld;\n",
                (ll)gg_sm100_offset_of(plan, layouts, GG_OPERAND_METADATA));
  if (!tensor_memory) return;
  gg_str_printf(out,
                "constexpr unsigned metadata_column = %d;  // of tensor memory, behind the sums\n"
                "constexpr unsigned long long metadata_desc_base = 0x%llxull;\n",
                layouts->metadata_column, (unsigned long long)layouts->metadata_descriptor);
}

void gg_sm100_write_loads(gg_str *out, const gg_plan *plan) {
  int count = box_registers(plan), places = places_of_box(plan), each = count / places;
  const char *type;
  gg_mma_atom_registers(&plan->mma, GG_MMA_C, &type);
  char constraint = *type == 'f' ? 'f' : 'r', written[3] = {'=', constraint, 0};
  if (places > 1)
    gg_str_printf(
        out,
        "// Loads 16 lanes of tensor memory by %d columns of each half of N. Of each eight "
        "columns a\n// thread gets two neighbours of row lane / 4, and two of the row "
        "eight further.\n",
        plan->epi_n / places);
  else
    gg_str_printf(
        out,
        "// Loads 16 lanes of tensor memory by %d columns. Of each eight columns a thread gets two\n"
        "// neighbours of row lane / 4, and two of the row eight further.\n",
        plan->epi_n);
  gg_str_printf(out,
                "__device__ __forceinline__ void load_sums(%s (&x)[%d], unsigned from) {\n"
                "  asm volatile(\n",
                type, count);
  for (int place = 0; place < places; place++) {
    gg_str_printf(out, "      \"tcgen05.ld.sync.aligned.%s.x%d%s.b32 \"\n      \"", box_shape(plan),
                  plan->epi_n / 8 / places, register_elements(plan) > 1 ? ".pack::16b" : "");
    write_registers(out, place * each, each);
    gg_str_printf(out, "}, [%%%d];%s\"\n", count + place, place + 1 < places ? "\\n\\t" : "");
  }
  gg_str_puts(out, "      : ");
  write_operands(out, count, "", written);
  gg_str_puts(out, "\n      : ");
  write_addresses(out, plan, "from");
  gg_str_puts(out, ");\n}\n\n");
  write_stores(out, plan, type, constraint);
}

/* Binds whom the tensor core tells that a stage has been read: the CTAs that copy to it. If some
 * CTAs of a cluster share A and others share B, these are two groups, with both CTAs of each pair;
 * if they share one operand, all CTAs of the cluster. */
static void bind_release(gg_bindings *out, const gg_plan *plan) {
  bool several = plan->cluster_m * plan->cluster_n > 1, pair = plan->cta_group > 1;
  bool both = gg_plan_both_shared(plan);
  gg_bind_text(out, "release_stage",
               both ? "      commit_multicast(empty_barrier(smem, read.stage, 0), sharers_a);\n"
                      "      commit_multicast(empty_barrier(smem, read.stage, 1), sharers_b);\n"
               : several
                   ? "      commit_multicast(empty_barrier(smem, read.stage), (1 << cluster_plane) "
                     "- 1);\n"
                   : "      commit(empty_barrier(smem, read.stage));\n");
  gg_bind_text(out, "commit_sums",
               pair ? "    commit_multicast(full_sums(smem, write.set), pair_ctas);\n"
                    : "    commit(full_sums(smem, write.set));\n");
  gg_bind_text(out, "release_sums",
               pair ? "mbarrier_arrive(in_cta(empty_sums, cluster_rank() & ~1u));"
                    : "mbarrier_arrive_here(empty_sums);");
  if (!pair) return;
  bool boxes = !gg_sm90_copies_lines(plan);
  if (boxes)
    gg_bind_text(
        out, "second_arrives",
        both ? "      // The second CTA may have no turn, but must not fall a round behind.\n"
               "      if (list.rank_m % 2 != 0) mbarrier_arrive(first);\n"
             : "");
  gg_str masks = GG_STR_INIT;
  gg_str_puts(&masks,
              "  const unsigned short pair_ctas = (unsigned short)(3 << cluster_rank());\n");
  if (both)
    gg_str_puts(
        &masks,
        "  const unsigned short sharers_a = (unsigned short)(3 * row_ctas << list.rank_m);\n"
        "  const unsigned short sharers_b =\n"
        "      (unsigned short)(column_ctas << list.rank_n * cluster_m);\n");
  gg_bind_str(out, "release_sharers", &masks);
}

/* Binds which other CTAs need a CTA's scale factors. */
static void bind_shared_scales(gg_bindings *out, const gg_plan *plan) {
  bool pair = plan->cta_group > 1, a = plan->cluster_n > 1, b = plan->cluster_m > 1;
  const char *of_b = pair ? "sharers_scales_b" : "sharers_b";
  gg_str parameters = GG_STR_INIT;
  if (a || b)
    gg_str_puts(&parameters,
                ",\n                                            const work_list &list");
  if (a) gg_str_puts(&parameters, ", unsigned short sharers_a");
  if (b)
    gg_str_printf(&parameters, ",%sunsigned short %s",
                  a || pair ? "\n                                            " : " ", of_b);
  gg_bind_str(out, "scale_sharers", &parameters);
  gg_bind_flag(out, "shares_scales", a || b);
  gg_bind_text(out, "sharers_scales_b", of_b);
}

/* Binds what the issuer does about scale factors. */
static void bind_scales(gg_bindings *out, const gg_plan *plan) {
  bool scaled = gg_plan_is_scaled(plan), folded = gg_plan_folds_scales(plan);
  bool turns = scaled && plan->turns_pairs;
  bool halved = scaled && (folded ? plan->turns_columns > 0 : plan->tile_n % GG_SCALE_ROWS != 0);
  gg_bind_part(out, "scales", scaled ? "sm100_scales" : NULL);
  gg_bind_flag(out, "turned_scales", turns);
  gg_bind_flag(out, "halved_scales", halved);
  bool long_k = plan->mma.k == GG_MMA_LONG_K;
  if (scaled) bind_shared_scales(out, plan);
  if (scaled) gg_bind_flag(out, "long_k_scales", long_k);
  if (scaled) gg_bind_flag(out, "folds_scales", folded);
  if (scaled) gg_bind_flag(out, "splits_scales", gg_plan_splits_scales(plan));
  gg_bind_flag(out, "long_k", long_k);
  gg_bind_text(out, "address_bits", long_k ? "both_addresses" : "descriptor_address");
  gg_bind_text(out, "copy_scales",
               scaled ? "      copy_scales(tmem, scales_desc_base + descriptor_address(sA + "
                        "stage_scales_a));\n"
                      : "");
  gg_str arguments = GG_STR_INIT;
  if (scaled)
    gg_str_printf(&arguments,
                  ", %s + scales_of_a(i, step),\n"
                  "              %s + scales_of_b(step), scale_ids(step)",
                  turns ? "scales_a" : "tmem", halved ? "scales_b" : "tmem");
  gg_bind_str(out, "scale_arguments", &arguments);
}

/* Binds where the sums of MMAs and boxes are: those of MMAs below each other along M stand side by
 * side in tensor memory, and behind them those of the next columns. */
static void bind_columns(gg_bindings *out, const gg_plan *plan) {
  bool parts = gg_sm100_has_parts(plan), halves = gg_plan_column_parts(plan) > 1;
  const char *a = plan->a_in_tensor ? "tmem + a_of" : "desc_a + desc_a_step";
  gg_str mma = GG_STR_INIT, origin = GG_STR_INIT;
  gg_bind_text(out, "box_place",
               parts ? "(block / blocks_of_mma + box / mma_boxes * mmas_m) * warp_columns +\n"
                       "                  column_of_mma(box)"
               : gg_sm90_halves_tile(plan) ? "block / blocks_of_mma * mma_n + box_column(box) / 2"
                                           : "block / blocks_of_mma * mma_n + box_column(box)");
  if (parts)
    gg_str_printf(&mma,
                  "#pragma unroll\n"
                  "        for (int i = 0; i < mmas_m * mmas_n; ++i)\n"
                  "          mma(sums + i * warp_columns, %s(i %% mmas_m, step),\n"
                  "              desc_b + desc_b_step(i / mmas_m, step),\n",
                  a);
  else
    gg_str_printf(&mma,
                  "#pragma unroll\n"
                  "        for (int i = 0; i < mmas_m; ++i)\n"
                  "          mma(sums + i * mma_n, %s(i, step), desc_b + desc_b_step(0, step),\n",
                  a);
  gg_bind_str(out, "each_mma", &mma);
  if (halves)
    gg_str_printf(&origin,
                  "      // The upper 64 lanes have the second half of the columns.\n"
                  "      const int row0 = at.m0 + rank %% 2 * blocks_of_mma * epi_m;\n"
                  "      const int col0 = at.n0 + rank / 2 * %s;\n",
                  plan->turns_columns ? "half_step" : "warp_columns");
  else
    gg_str_puts(&origin, "      const int row0 = at.m0 + rank * blocks_of_mma * epi_m;\n");
  gg_bind_str(out, "warp_origin", &origin);
}

/* Binds what the issuer does about metadata. */
static void bind_metadata(gg_bindings *out, const gg_plan *plan) {
  gg_bind_part(out, "sparse", plan->sparse_a ? "sm100_sparse" : NULL);
  if (plan->sparse_a) gg_bind_flag(out, "half_metadata", gg_metadata_is_half(plan));
  gg_bind_text(out, "copy_metadata",
               plan->sparse_a ? "      copy_metadata(tmem, metadata_desc_base + "
                                "descriptor_address(sA + stage_metadata));\n"
                              : "");
  gg_bind_text(out, "metadata_arguments",
               plan->sparse_a ? ", tmem + metadata_of(i, step),\n              metadata_id(step)"
                              : "");
}

/* Binds what the issuer does about an A in tensor memory. Its copies bring elements of 6 and 4 bits
 * to a byte each, as MMAs read them there. */
static void bind_a(gg_bindings *out, const gg_plan *plan) {
  int bits = gg_dtype_info_of(plan->a.type)->bits;
  gg_bind_part(out, "a_in_tensor", plan->a_in_tensor ? "sm100_a_in_tensor" : NULL);
  gg_bind_text(out, "copy_a", plan->a_in_tensor ? "      copy_a(tmem, desc_a);\n" : "");
  if (plan->a_in_tensor)
    gg_bind_text(out, "unpacked",
                 bits == 6   ? ".b8x16.b6x16_p32"
                 : bits == 4 ? ".b8x16.b4x16_p64"
                             : "");
}

void gg_sm100_bind_slots(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool pair = plan->cta_group > 1;
  bind_columns(out, plan);
  bind_release(out, plan);
  bind_scales(out, plan);
  bind_metadata(out, plan);
  bind_a(out, plan);
  gg_bind_text(out, "cta_group", pair ? "2" : "1");
  gg_bind_flag(out, "pair", pair);
  const gg_role *scheduler = gg_rings_role(&layouts->rings, GG_ROLE_SCHEDULER);
  gg_bind_part(out, "schedule", scheduler ? scheduler->part : NULL);
  if (scheduler)
    gg_bind_text(out, "cancel_form",
                 gg_plan_cluster_size(plan) > 1 ? ".multicast::cluster::all" : "");
  bool lines = gg_sm90_copies_lines(plan);
  gg_bind_flag(out, "lines", lines);
  gg_bind_flag(out, "moves_registers", plan->producer_registers > 0);
  gg_bind_flag(out, "lines_from_both", lines && pair);
  gg_bind_text(out, "await_lines", pair ? "acquire" : "wait");
  gg_bind_part(out, "issue", gg_rings_role(&layouts->rings, GG_ROLE_MMA)->part);
  bool shares = gg_plan_shares_tiles(plan);
  gg_sm90_bind_combine(out, plan,
                       shares ? " combine(sums, list, item, workspace, rank, lane)" : NULL);
  gg_bind_text(out, "and_stored", shares && plan->fetches ? " && arg.stored" : "");
}
