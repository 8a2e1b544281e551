/* Family sm120: mma.sync on operands that TMA brings to shared memory.
 *
 * sm_120 and sm_121 have no wgmma and no tcgen05. Their tensor cores multiply elements of 8, 6 and
 * 4 bits, with scale factors or without, by mma.sync of one warp, from registers. All else is as in
 * family sm90: a warpgroup that loads, a ring of stages, consumers that share a tile or take tiles
 * in turns, an epilogue that stages D for the copy engine. A consumer's four warps have 16 rows
 * each of every 64, and all of its columns: together their MMAs do what a wgmma does there, and
 * their accumulators lie as its accumulators do. Its columns are the tile's, or half of them, where
 * two consumers stand side by side along N.
 *
 * Architectures from sm_90a on have these features, too, and every mma.sync multiplies elements of
 * 32, 16 and 8 bits. The family takes specs that name such an atom.
 *
 * ldmatrix brings a warp what it multiplies of a K tile. It transposes elements of 16 and 8 bits
 * that lie along M or N, and unpacks those of 6 and 4 that do not stay packed (narrow.h). Scale
 * factors come with a K tile, in the same atoms as in family sm100 (scales.h), and stay in shared
 * memory, from where a lane takes words of four factors of a row. An MMA names which lanes of a
 * quad hold the factors of its rows, and in which byte (derive_sm120.c).
 *
 * With a sparse A, a stage holds what is stored, half of K, and the tiles of metadata of its rows,
 * in which each lane finds the words that it hands to mma.sp (sparse.h). Sparse elements with
 * factors must be packed e2m1: with bytes, whole atoms of factors would need stages with a K of
 * 256, and two of these do not fit.
 *
 * The epilogue computes scale factors of D as sm100's does (sm100_scales.c).
 *
 * A CTA has 99 KiB of shared memory. Tensor maps copy to one CTA only, so there are no clusters.
 * This file decides. (PTX ISA, "mma", "Block scaling for mma.sync"; CUDA C++ Programming Guide,
 * "Compute Capability 12.x".) */
#include "plan/sm120.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/epilogue.h"
#include "plan/narrow.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sm90.h"
#include "plan/sparse.h"
#include "plan/transpose.h"

enum {
  block_m = 64,      /* rows of one MMA of a consumer, by its four warps */
  usual_m = 128,     /* usual rows of a tile, */
  usual_n = 128,     /* usual columns, */
  least_n = 64,      /* and columns of a small tile */
  most_n = 256,      /* most columns: those of a box of B */
  line_bytes = 128,  /* bytes of a tile's K: the widest swizzle's pattern, */
  short_line = 64,   /* or half of it, */
  enough_stages = 3, /* if fewer stages than this fit with the former */
};

/* Whether an operand has 8-bit or narrower floats: mma.sync of other architectures does not
 * multiply these, or not with their factors. */
static bool is_narrow(const gg_spec_operand *asked) {
  if (asked->type.state != GG_SPEC_SET) return false;
  const gg_dtype type = (gg_dtype)asked->type.number;
  return gg_dtype_is_float(type) && gg_dtype_info_of(type)->bits <= 8;
}

/* Whether the spec names an mma.sync of 16 rows by 8 columns, by its shape or by a full name. */
static bool names_atom(const gg_spec_field *atom) {
  static const char *const begins[] = {"m16n8k", "mma.sync.aligned.m16n8k", "SM80_16x8x"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins && atom->state == GG_SPEC_SET; i++)
    if (strncmp(atom->text, begins[i], strlen(begins[i])) == 0) return true;
  return false;
}

/* Whether the family is for this spec: before sm_120, of what has a suffix, so that it has TMA, for
 * those that name the atom. Other types without a schedule are left to family sm80. */
static bool accepts(const gg_spec *spec) {
  gg_arch arch = spec->arch.arch;
  const gg_spec_field *schedule = &spec->schedule;
  if (!arch.suffix || (arch.number < 120 && !names_atom(&spec->atom))) return false;
  if (schedule->state != GG_SPEC_SET)
    return arch.number >= 120 && (is_narrow(&spec->a) || is_narrow(&spec->b) ||
                                  gg_spec_is_scaled(&spec->a) || gg_spec_is_scaled(&spec->b));
  return schedule->number == GG_SCHEDULE_WARP_SPECIALIZED ||
         schedule->number == GG_SCHEDULE_COOPERATIVE || schedule->number == GG_SCHEDULE_PINGPONG;
}

/* ---- Types ------------------------------------------------------------------------------ */

/* Whether it is a plain mma.sync of older architectures that reads 32 bytes of each of 16 rows, of
 * elements in which ldmatrix finds whole bytes. 8-bit floats have `mixed` ones. */
static bool is_plain(const gg_mma_row *row) {
  enum { row_bits = 256 };
  int bits = gg_dtype_info_of(row->a)->bits;
  return row->kind == GG_MMA_sync && row->threads == GG_TV_warp && gg_mma_row_is_plain(row) &&
         row->m == 16 && row->n == 8 && bits >= 8 && bits <= 32 && bits * row->k == row_bits &&
         !gg_dtype_is_fp8(row->a);
}

static bool has_atom(const gg_mma_row *row) {
  bool too_long = row->sparse && row->block && row->a != GG_DTYPE_e2m1;
  return is_plain(row) || (row->kind == GG_MMA_mixed && !too_long);
}

/* Refuses factors of ue8m0 for blocks of 16 packed elements, which sm100 takes: here they must be
 * ue4m3. Beside a sparse A such blocks are of 32. */
static gg_status check_fine_scales(const gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->a.scale.type;
  bool sparse = plan->sparse_a;
  if (plan->scale_a.block != (sparse ? 32 : 16) || plan->scale_a.type == GG_DTYPE_ue4m3)
    return GG_OK;
  return gg_refuse(
      plan, asked, sparse ? "factors of blocks of 32 of type" : "factors of blocks of 16 of type",
      asked->text, sparse ? "ue4m3: ue8m0 is of blocks of 64" : "ue4m3: ue8m0 is of blocks of 32",
      err);
}

/* Refuses sparse elements with factors unless they are packed. */
static gg_status check_sparse(const gg_plan *plan, gg_error *err) {
  const gg_spec *asked = plan->asked;
  if (!plan->sparse_a || !gg_plan_is_scaled(plan) || gg_plan_is_packed(plan))
    return gg_sm100_check_sparse(plan, err);
  return gg_refuse(plan, plan->swap_ab ? &asked->b.sparse : &asked->a.sparse,
                   plan->swap_ab ? "sparse B of bytes" : "sparse A of bytes", "with scales",
                   "a sparse e2m1 by e2m1 with scales, and others without: of bytes two stages do "
                   "not fit",
                   err);
}

/* Refuses types that every mma.sync has unless the spec names the atom. Nobody has measured these
 * kernels on sm_120, so that a spec without a name, as catalogues have, leaves them to sm80. */
static gg_status check_named(const gg_plan *plan, gg_error *err) {
  const gg_mma_row *row = gg_atoms_row(plan, GG_MMA_REGISTERS);
  if (!is_plain(row) || names_atom(&plan->spec->atom)) return GG_OK;
  char has[96];
  snprintf(has, sizeof has, "e4m3, e5m2, e3m2, e2m3 and e2m1, and it with `atom: m%dn%dk%d`",
           row->m, row->n, row->k);
  return gg_refuse_type(plan, &plan->spec->a.type, "A of type", plan->a.type, has, err);
}

static gg_status choose_types(gg_plan *plan, gg_error *err) {
  gg_status st = gg_sm100_check_scales(plan, err);
  if (!st) st = check_sparse(plan, err);
  if (!st) st = check_fine_scales(plan, err);
  if (!st) st = gg_choose_inputs(plan, err);
  if (!st) st = gg_choose_accumulator(plan, err);
  return st ? st : check_named(plan, err);
}

/* Refuses lines along M or N of elements that ldmatrix does not transpose: of 32 bits, and, before
 * sm_100a, of 8. (PTX ISA, "ldmatrix": .m16n16 and .b8 need sm_100a, sm_120a or newer.) */
static gg_status check_major(const gg_plan *plan, const gg_operand *operand,
                             const gg_spec_operand *asked, bool is_a, gg_error *err) {
  enum { bytes_from = 100 };
  int bits = gg_dtype_info_of(operand->type)->bits;
  bool transposes = bits == 16 || (bits <= 8 && plan->arch.number >= bytes_from);
  if (operand->major == GG_MAJOR_K || transposes) return GG_OK;
  return gg_refuse_major(plan, asked, is_a != plan->swap_ab,
                         "k: ldmatrix transposes elements of 16 bits, and from sm_100a on of 8",
                         err);
}

/* Tensor maps bring both operands. ldmatrix reads them from lines along K, M or N. */
static gg_status choose_operands(gg_plan *plan, gg_error *err) {
  gg_status st = gg_sm90_choose_copies(plan, false, err);
  if (!st) st = check_major(plan, &plan->a, &plan->spec->a, true, err);
  if (!st) st = check_major(plan, &plan->b, &plan->spec->b, false, err);
  if (!st) st = gg_sm100_choose_narrow(plan, err);
  return st ? st : gg_sm100_check_scaled_d(plan, err);
}

static const gg_mma_row *row_of(const gg_plan *plan) {
  return gg_atoms_row(plan, GG_MMA_REGISTERS);
}

/* ---- Tile ------------------------------------------------------------------------------- */

/* A tile's usual K: whole lines of the widest swizzle, or half of that if otherwise so few stages
 * would fit that copies wait for MMAs. Also whole atoms of scale factors, and whole lines of
 * elements that are unpacked. */
static int usual_k(const gg_plan *plan, const gg_sm90_tile *tile) {
  int bits_a = gg_plan_smem_bits(plan, plan->a.type), least = row_of(plan)->k;
  int k = line_bytes * 8 / bits_a, half = short_line * 8 / bits_a;
  int64_t stage = (int64_t)(tile->m + tile->n) * line_bytes;
  if (plan->sparse_a) return gg_usual_extent(plan->fixed_k, least, gg_sm100_usual_sparse_k(plan));
  if (gg_plan_is_scaled(plan)) least = gg_scale_atom_k(plan);
  if (gg_plan_unpacks(plan, plan->a.type) || gg_plan_unpacks(plan, plan->b.type))
    least = GG_UNPACKED_LINE;
  if (enough_stages * stage > plan->limits->smem_per_cta - line_bytes * usual_m)
    k = half > least ? half : least;
  return gg_usual_extent(plan->fixed_k, least, k);
}

/* Whether the columns of a tile can be divided between two warpgroups. Factors lie in atoms of a
 * tile's rows, and where D has halves of columns, or factors, boxes have their order. */
static bool divides_columns(const gg_plan *plan) {
  return !gg_plan_is_scaled(plan) && !plan->sparse_a && !gg_plan_scales_d(plan) &&
         !gg_plan_splits_columns(plan);
}

/* The largest tile with which most multiprocessors of a device get one. What every mma.sync has
 * begins with a larger one, whose warps read the least of shared memory: 64 rows and columns each,
 * if two warpgroups stand side by side. */
static void usual_tile(gg_sm90_tile *tile, const gg_plan *plan) {
  static const int shapes[][2] = {
      {2 * usual_m, usual_n}, {usual_m, usual_n}, {block_m, usual_n}, {block_m, least_n}};
  const gg_spec_field *schedule = &plan->spec->schedule;
  bool shares = schedule->state != GG_SPEC_SET || schedule->number == GG_SCHEDULE_COOPERATIVE;
  bool plain = is_plain(row_of(plan)) && divides_columns(plan) && shares;
  size_t last = sizeof shapes / sizeof *shapes - 1, at = plain ? 0 : 1;
  bool scaled = gg_plan_is_scaled(plan), known = gg_sm90_tiles_of(plan, 1, 1) > 0;
  while (known && !scaled && !plan->sparse_a && at < last &&
         gg_sm90_tiles_of(plan, shapes[at][0], shapes[at][1]) < plan->device->tiles_enough)
    at++;
  int m_step = scaled ? GG_SCALE_ROWS : plan->sparse_a ? GG_METADATA_TILE_ROWS : block_m;
  tile->m = gg_usual_extent(plan->fixed_m, m_step, shapes[at][0]);
  int n_step = scaled                   ? GG_SCALE_ROWS
               : gg_plan_scales_d(plan) ? GG_SCALE_PACKED_STEP
                                        : GG_SM120_PIECE;
  bool long_k = plan->sparse_a && gg_plan_unpacks(plan, plan->a.type);
  tile->n = gg_usual_extent(plan->fixed_n, gg_sm90_split_step(plan, n_step, false),
                            long_k ? least_n : shapes[at][1]);
  tile->k = usual_k(plan, tile);
}

/* Checks that each warpgroup has whole pieces of B's columns, of which ldmatrix brings 16 at once.
 */
static gg_status check_columns(const gg_plan *plan, const gg_sm90_tile *tile, int atoms_n,
                               gg_error *err) {
  return gg_check_multiple(gg_as_asked(plan, "tile N", "tile M"), tile->n, atoms_n * GG_SM120_PIECE,
                           atoms_n > 1 ? "2 warpgroups x 2 atoms x 8 (N of the atom): one ldmatrix"
                                       : "2 atoms x 8 (N of the atom): one ldmatrix",
                           gg_element_mark(&plan->spec->tile, 1), err);
}

/* Checks the tile's extents. A box of B has at most 256 lines. A scaled tile consists of whole
 * atoms of factors, so that each tile begins with one. */
static gg_status check_extents(const gg_plan *plan, const gg_sm90_tile *tile, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  const char *n = gg_as_asked(plan, "tile N", "tile M");
  if (tile->n > most_n) {
    char value[16], has[64];
    snprintf(value, sizeof value, "%d", tile->n);
    snprintf(has, sizeof has, "%d at most: lines of a tensor map's box", most_n);
    return gg_fail(err, PLAN_UNSUPPORTED, gg_element_mark(asked, 1), plan->target->family, n, value,
                   has);
  }
  gg_status st = gg_check_multiple("tile K", tile->k, row_of(plan)->k, "K of the atom",
                                   gg_element_mark(asked, 2), err);
  if (!st && plan->sparse_a)
    st = gg_check_multiple(gg_as_asked(plan, "tile M", "tile N"), tile->m, GG_METADATA_TILE_ROWS,
                           "rows of a tile of metadata", gg_element_mark(asked, 0), err);
  if (!st) st = gg_sm100_check_metadata_tile(plan, tile->k, err);
  if (!st) st = gg_sm100_check_scaled_d_tile(plan, tile->n, 1, err);
  if (!st) st = gg_sm100_check_narrow(plan, tile->k, err);
  if (!st) st = gg_sm100_check_scaled_tile(plan, tile->m, tile->n, tile->k, err);
  if (st || !gg_plan_is_scaled(plan)) return st;
  return gg_check_multiple(n, tile->n, GG_SCALE_ROWS, "rows of an atom of scale factors",
                           gg_element_mark(asked, 1), err);
}

static gg_sm90_tile choose_tile(gg_status *st, const gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  const gg_mma_row *row = row_of(plan);
  gg_sm90_tile out = {.m = 0};
  usual_tile(&out, plan);
  if (asked->state == GG_SPEC_SET) {
    out.m = (int)asked->tuple[0];
    out.n = (int)asked->tuple[1];
    out.k = (int)asked->tuple[2];
  }
  if ((*st = check_extents(plan, &out, err))) return out;
  gg_mma_row_atom(&out.mma, row, row->n);
  out.mma.a = plan->a.type;
  out.mma.b = plan->b.type;
  out.mma.c = plan->accumulator;
  out.mma.scale = plan->scale_a.type;
  out.mma_columns = out.n;
  bool halves = is_plain(row) && out.n % (2 * GG_SM120_PIECE) == 0;
  out.beside = !divides_columns(plan) ? 0 : halves ? 2 : 1;
  char shape[32];
  snprintf(shape, sizeof shape, "m%dn%dk%d", out.mma.m, out.mma.n, out.mma.k);
  *st = gg_choose_atom(plan, &out.mma, shape, err);
  return out;
}

/* ---- Registers -------------------------------------------------------------------------- */

static gg_sm90_registers choose_registers(gg_status *st, const gg_plan *plan,
                                          const gg_sm90_tile *tile, const gg_sm90_workers *workers,
                                          gg_error *err) {
  int blocks = tile->m / workers->atoms_m / block_m;
  gg_sm90_registers out = gg_sm90_divide_registers(plan, workers);
  int columns = tile->n / workers->atoms_n;
  int acc = blocks * columns / tile->mma.n * gg_mma_atom_registers(&tile->mma, GG_MMA_C, NULL);
  int fragments = gg_sm120_least_registers(plan, &tile->mma, blocks, columns, tile->k);
  int all = acc + fragments + GG_SM120_ADDRESSES;
  if (all <= out.consumer) return out;
  const gg_spec_field *ctas = &plan->spec->ctas_per_sm;
  const gg_spec_field *cause = ctas->state == GG_SPEC_SET ? ctas : &plan->spec->tile;
  *st = gg_fail(err, PLAN_REGISTERS, &cause->mark, plan->target->worker, blocks * block_m, columns,
                acc, fragments, GG_SM120_ADDRESSES, all, out.consumer, workers->threads,
                out.ctas_per_sm, "; take a smaller tile");
  return out;
}

/* ---- The plan --------------------------------------------------------------------------- */

static gg_status refuse_unused(const gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_unused all[] = {
      {&spec->cta_group, "cta_group", "no CTA pairs: tcgen05 alone has, from sm_100 to sm_110"},
      {&spec->accumulator_stages, "accumulator_stages",
       "accumulators in registers, one set: tensor memory is sm_100's to sm_110's"},
      {&spec->permutation, "permutation", "one contiguous block of rows a warpgroup: auto"},
      {&spec->d.store,
       "key d.store:", "one way, boxes where D is aligned to 16 bytes: leave the key out"},
  };
  gg_status st = gg_check_all_unused(plan, all, sizeof all / sizeof *all, err);
  if (!st)
    st = gg_check_source(plan, &spec->operand_source.a, GG_MMA_A,
                         gg_as_asked(plan, "operand_source of A", "operand_source of B"), err);
  if (!st)
    st = gg_check_source(plan, &spec->operand_source.b, GG_MMA_B,
                         gg_as_asked(plan, "operand_source of B", "operand_source of A"), err);
  return st;
}

/* Refuses clusters of several CTAs and the dynamic scheduler: which tiles, or shares of tiles, a
 * CTA computes must be known at launch. */
static gg_status check_schedule(const gg_plan *plan, const gg_sm90_schedule *schedule,
                                gg_error *err) {
  const gg_spec_field *cluster = &plan->spec->cluster;
  const int64_t *shape = cluster->tuple;
  if (cluster->state == GG_SPEC_SET && shape[0] * shape[1] * shape[2] > 1)
    return gg_refuse(plan, cluster, "cluster", "of several CTAs",
                     "[1, 1, 1]: each CTA copies for itself, and sm_120 has no multicast", err);
  if (schedule->scheduler != GG_SCHEDULER_DYNAMIC) return GG_OK;
  return gg_refuse(plan, &plan->spec->scheduler.kind, "scheduler", "dynamic",
                   "persistent, data_parallel, split_k and stream_k", err);
}

static void put_tile(gg_plan *plan, const gg_sm90_tile *tile, const gg_sm90_workers *workers,
                     const gg_sm90_registers *registers) {
  plan->tile_m = tile->m;
  plan->tile_n = tile->n;
  plan->tile_k = tile->k;
  plan->mma = tile->mma;
  plan->pingpong = workers->pingpong;
  plan->atoms_m = workers->atoms_m;
  plan->atoms_n = workers->atoms_n;
  plan->consumers = workers->consumers;
  plan->threads = workers->threads;
  plan->cluster_m = plan->cluster_n = plan->cluster_k = 1;
  plan->ctas_per_sm = registers->ctas_per_sm;
  plan->producer_registers = registers->producer;
  plan->consumer_registers = registers->consumer;
}

static gg_status choose_tiles(gg_sm90_schedule *schedule, gg_plan *plan, gg_error *err) {
  const gg_sm90_cluster alone = {1, 1, 1};
  gg_status st;
  const gg_sm90_tile tile = choose_tile(&st, plan, err);
  if (st) return st;
  const gg_sm90_workers workers = gg_sm90_choose_workers(&st, plan, &tile, err);
  if (st) return st;
  if ((st = check_columns(plan, &tile, workers.atoms_n, err))) return st;
  const gg_sm90_registers registers = choose_registers(&st, plan, &tile, &workers, err);
  if (st) return st;
  *schedule = gg_sm90_choose_schedule(plan, alone);
  if ((st = check_schedule(plan, schedule, err))) return st;
  if ((st = gg_sm90_check_schedule(plan, &tile, &workers, alone, schedule, err))) return st;
  if ((st = gg_sm90_choose_boxes(plan, &tile, err))) return st;
  const gg_order order = gg_sm90_choose_order(&st, plan, &tile, alone, schedule, err);
  if (st) return st;
  put_tile(plan, &tile, &workers, &registers);
  plan->scheduler = schedule->scheduler;
  plan->splits = schedule->splits;
  gg_plan_put_order(plan, &order);
  return GG_OK;
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  gg_sm90_schedule schedule;
  gg_status st;
  plan->specialised = true;
  if ((st = choose_types(plan, err))) return st;
  if ((st = choose_operands(plan, err))) return st;
  if ((st = gg_choose_operations(plan, plan->accumulator, err))) return st;
  if ((st = refuse_unused(plan, err))) return st;
  if ((st = choose_tiles(&schedule, plan, err))) return st;
  if ((st = gg_sm90_check_staging(plan, err))) return st;
  const gg_sm90_memory m = gg_sm90_choose_memory(&st, plan, &schedule, err);
  if (st) return st;
  gg_sm90_put_memory(plan, &m);
  return GG_OK;
}

/* What the model asks. A warp reads its rows of A once, and all of its warpgroup's B. Only such
 * MMAs use the tensor core. */
static void traits(gg_traits *out, const gg_plan *plan, int arch) {
  (void)arch;
  out->reads_a = plan->atoms_n;
  out->reads_b = (double)plan->tile_m / (gg_plan_block_m(plan) / 4.0);
  out->owners = plan->pingpong ? 1 : plan->consumers;
  if (plan->pingpong) out->overlap = GG_OVERLAP_TURNS;
  out->buffer_waits = gg_sm90_buffer_waits(plan);
  gg_sm90_move_fetched(&out->epilogue, plan);
}

const gg_target gg_target_sm120 = {
    .id = GG_TARGET_SM120,
    .name = "sm120",
    .family = "sm120",
    .summary = "mma.sync fed by TMA, sm_120 and sm_121, from sm_90a on if named",
    .worker = "warpgroup",
    .pointers = true,
    .gates = true,
    .traces = true,
    .least = {.number = 120, .suffix = 'f'},
    .int32_coordinates = true,
    .scales = true,
    .sparse = true,
    .has_atom = has_atom,
    .accepts = accepts,
    .sum_boxes = gg_mma_sum_boxes,
    .swaps_ab = gg_sm90_swaps_ab,
    .choose = choose,
    .derive = gg_sm120_derive,
    .traits = traits,
};
