/* Family simt: multiply-adds of CUDA cores, fed from shared memory by a multistage cp.async
 * pipeline. f32 and f64 get this family, because no tensor core multiplies them as they are.
 *
 * A CTA computes one tile of D. Its threads split the tile into atoms_m x atoms_n blocks. For each
 * word along K, a thread multiplies a column of its rows of A with a row of its columns of B: an
 * outer product in registers. In shared memory both operands lie with M or N contiguous, so that a
 * thread reads 16 bytes at once; operands that have K contiguous in global memory are transposed by
 * copying single words. With one stage it is CuTe's sgemm_1, to which everything else is compared.
 *
 * This file decides; derive_simt.c derives the layouts, emit/simt.c writes the text. */
#include "plan/simt.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/epilogue.h"
#include "plan/gate.h"

/* Accepts f32, and f64 unless the spec names another atom, without being asked; other types only if
 * the schedule asks for this family. */
static bool accepts(const gg_spec *spec) {
  static const char atom[] = "UniversalFMA";
  const gg_spec_field *schedule = &spec->schedule, *type = &spec->a.type;
  if (schedule->state == GG_SPEC_SET) return schedule->number == GG_SCHEDULE_SIMT;
  bool other = spec->atom.state == GG_SPEC_SET && strncmp(spec->atom.text, atom, strlen(atom)) != 0;
  if (type->number == GG_DTYPE_f64 && other) return false;
  return type->state == GG_SPEC_SET &&
         (type->number == GG_DTYPE_f32 || type->number == GG_DTYPE_f64);
}

static bool has_atom(const gg_mma_row *row) {
  return row->kind == GG_MMA_fma || row->kind == GG_MMA_dot;
}

/* The types that the family multiplies. The atoms take them as parameters, and the atom table has a
 * row for one example only. */
static const gg_type_set multiplied = 1u << GG_DTYPE_f32 | 1u << GG_DTYPE_f64 | 1u << GG_DTYPE_f16 |
                                      1u << GG_DTYPE_bf16 | 1u << GG_DTYPE_s8 | 1u << GG_DTYPE_u8;

static bool is_byte(gg_dtype type) {
  return type == GG_DTYPE_s8 || type == GG_DTYPE_u8;
}

/* The type that sums of products are kept in. 16-bit floats are widened on their way to shared
 * memory; bytes are multiplied four at a time. */
static gg_dtype sums_of(gg_dtype type) {
  return is_byte(type) ? GG_DTYPE_s32 : type == GG_DTYPE_f64 ? type : GG_DTYPE_f32;
}

static gg_status choose_types(gg_plan *plan, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *asked = &spec->accumulator;
  gg_dtype a = plan->a.type;
  if (!(multiplied & gg_type_bit(a)))
    return gg_refuse_types(plan, &spec->a.type, "A of type", a, multiplied, "", err);
  if (plan->b.type != a && !(is_byte(a) && is_byte(plan->b.type)))
    return gg_refuse_type(plan, &spec->b.type, "B of type", plan->b.type,
                          is_byte(a) ? "s8 and u8 beside bytes" : "the type of A", err);
  plan->accumulator = sums_of(a);
  if (asked->state != GG_SPEC_SET || (gg_dtype)asked->number == plan->accumulator) return GG_OK;
  return gg_refuse_type(plan, asked, "accumulator of type", (gg_dtype)asked->number,
                        gg_dtype_info_of(plan->accumulator)->name, err);
}

static gg_status choose_mma(gg_plan *plan, gg_error *err) {
  bool bytes = is_byte(plan->a.type);
  gg_status st = gg_mma_atom_find(&plan->mma, bytes ? "SM61_DP4A" : "UniversalFMA", err);
  if (st) return st;
  plan->mma.a = bytes ? plan->a.type : plan->accumulator;
  plan->mma.b = bytes ? plan->b.type : plan->accumulator;
  plan->mma.c = plan->accumulator;
  return gg_choose_atom(plan, &plan->mma, plan->mma.row->cute, err);
}

/* ---- Tile and threads ------------------------------------------------------------------- */

/* What is decided one after the other, each from the values before it. Only `choose` writes these
 * to the plan, which has types and the MMA already. */
typedef struct tile {
  int m, n, k;
} tile;

typedef struct threads {
  int m, n; /* side by side */
} threads;

/* A thread's block: 8 x 8 sums of f32 take 64 registers, and need 64 multiply-adds for 4 reads of
 * 16 bytes. Two CTAs of 256 threads have room for that. */
enum { usual_block = 8, usual_tile = 128, most_threads = 1024, usual_stages = 3 };

/* The tile for large problems. A block of f64 takes twice the registers, so the tile has half as
 * many columns. 64 bytes of words along K measured faster than 32, because there are half as many
 * barriers (docs/performance/h200.md). */
static tile large_tile(const gg_plan *plan) {
  enum { k_bytes = 64 };
  int n = plan->accumulator == GG_DTYPE_f64 ? usual_tile / 2 : usual_tile;
  return (tile){usual_tile, n, k_bytes / gg_simt_word_bytes(plan) * plan->mma.k};
}

/* Whether the problem has fewer tiles of 128 x 128 than a large device has multiprocessors, so that
 * smaller tiles spread better. */
static bool is_small(const gg_plan *plan) {
  if (plan->fixed_m == GG_FIXED_NONE || plan->fixed_n == GG_FIXED_NONE) return false;
  double batch = plan->fixed_batch == GG_FIXED_NONE ? 1 : (double)plan->fixed_batch;
  return (double)plan->fixed_m * (double)plan->fixed_n * batch <
         plan->device->tiles_enough * usual_tile * usual_tile;
}

static tile choose_tile(const gg_plan *plan) {
  enum { least_m = GG_SIMT_LANES_M * usual_block, least_n = GG_SIMT_LANES_N * usual_block };
  const gg_spec_field *asked = &plan->spec->tile;
  const int64_t *shape = asked->tuple;
  if (asked->state == GG_SPEC_SET) return (tile){(int)shape[0], (int)shape[1], (int)shape[2]};
  tile t = large_tile(plan);
  if (is_small(plan)) t.m = t.n = usual_tile / 2;
  t.m = gg_usual_extent(plan->fixed_m, least_m, t.m);
  t.n = gg_usual_extent(plan->fixed_n, least_n, t.n);
  return t;
}

/* How many threads stand along an extent: a multiple of `lanes` that divides it into blocks of at
 * most the usual size. */
static int threads_along(int extent, int lanes) {
  int count = extent / usual_block / lanes * lanes;
  while (count > lanes && extent % count != 0)
    count -= lanes;
  return count > lanes ? count : lanes;
}

static threads choose_threads(const gg_plan *plan, tile t) {
  const gg_spec_field *asked = &plan->spec->atom_layout;
  if (asked->state == GG_SPEC_SET) return (threads){(int)asked->tuple[0], (int)asked->tuple[1]};
  return (threads){threads_along(t.m, GG_SIMT_LANES_M), threads_along(t.n, GG_SIMT_LANES_N)};
}

static gg_status check_threads(const gg_plan *plan, threads w, bool one_stage, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->atom_layout, *count = &plan->spec->threads;
  const gg_mark *mark_m = gg_element_mark(asked, 0), *mark_n = gg_element_mark(asked, 1);
  char has[64];
  gg_status st;
  if (asked->state == GG_SPEC_SET && asked->tuple[2] != 1) {
    return gg_fail(err, PLAN_UNSUPPORTED, gg_element_mark(asked, 2), plan->target->family,
                   "atom_layout along K of", "more than 1", "1: every thread walks all of K");
  }
  if (one_stage) {
    st = gg_check_multiple("threads", (int64_t)w.m * w.n, GG_WARP, "a warp", mark_m, err);
    if (st) return st;
  } else {
    st = gg_check_multiple("threads along M", w.m, GG_SIMT_LANES_M, "lanes of a warp along M",
                           mark_m, err);
    if (st) return st;
    st = gg_check_multiple("threads along N", w.n, GG_SIMT_LANES_N, "lanes of a warp along N",
                           mark_n, err);
    if (st) return st;
  }
  if (w.m * w.n > most_threads) {
    char text[32];
    snprintf(text, sizeof text, "%d x %d", w.m, w.n);
    snprintf(has, sizeof has, "%d at most: threads of a CTA", most_threads);
    return gg_refuse(plan, asked->state == GG_SPEC_SET ? asked : &plan->spec->tile,
                     "atom_layout of so many threads,", text, has, err);
  }
  if (count->state == GG_SPEC_SET && count->number != w.m * w.n) {
    snprintf(has, sizeof has, "%d: an atom_layout of %d x %d threads", w.m * w.n, w.m, w.n);
    return gg_refuse(plan, count, "threads", count->text, has, err);
  }
  return GG_OK;
}

static gg_status check_tile(const gg_plan *plan, tile t, threads w, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->tile;
  char why[48];
  gg_status st;
  snprintf(why, sizeof why, "%d threads along M", w.m);
  if ((st = gg_check_multiple("tile M", t.m, w.m, why, gg_element_mark(asked, 0), err))) return st;
  snprintf(why, sizeof why, "%d threads along N", w.n);
  if ((st = gg_check_multiple("tile N", t.n, w.n, why, gg_element_mark(asked, 1), err))) return st;
  return gg_check_multiple("tile K", t.k, plan->mma.k, "K of the atom", gg_element_mark(asked, 2),
                           err);
}

/* ---- Stages and CTAs -------------------------------------------------------------------- */

/* Registers of a thread that certainly live at once: accumulators, two sets of fragments, and
 * others. */
typedef struct registers {
  int accumulators, fragments, beside;
} registers;

/* Registers of what waits to be turned into words: chunks of each line, and besides them parts that
 * are not put together yet, or the addresses of four lines. */
static int waiting_registers(const gg_plan *plan, const gg_operand *operand, int mn, int k,
                             int copy_bytes, int count) {
  enum { parts = 4, addresses = 12, word = 4 };
  if (!gg_simt_by_registers(plan, operand)) return 0;
  int chunks = (int)gg_dtype_bytes(operand->type, mn * k) / copy_bytes;
  int each = (chunks + count - 1) / count * ((copy_bytes + word - 1) / word);
  return each + (gg_simt_unit(plan, operand) == 1 ? parts : addresses);
}

/* The registers of a thread. If tiles are shared, it also keeps its place in the walk through them.
 */
static registers count_registers(const gg_plan *plan, tile t, threads w, int stages,
                                 gg_scheduler kind) {
  enum { addresses = 24, bytes = 4 }; /* pointers, loop state and predicates, seen in every build */
  int walk = plan->accumulator == GG_DTYPE_f64 ? 44 : 28;
  int beside = addresses + (kind == GG_SCHEDULER_DATA_PARALLEL ? 0 : walk);
  int waiting = waiting_registers(plan, &plan->a, t.m, t.k, plan->copy_bytes_a, w.m * w.n) +
                waiting_registers(plan, &plan->b, t.n, t.k, plan->copy_bytes_b, w.m * w.n);
  int block_m = t.m / w.m, block_n = t.n / w.n;
  int sets = stages == 1 ? 1 : 2;
  return (registers){.accumulators =
                         (int)gg_dtype_bytes(plan->accumulator, block_m * block_n) / bytes,
                     .fragments = sets * (block_m + block_n) * gg_simt_word_bytes(plan) / bytes,
                     .beside = beside + waiting};
}

static int all_registers(registers r) {
  return r.accumulators + r.fragments + r.beside;
}

/* The most registers that a thread can have, with `ctas` CTAs of `count` threads on a
 * multiprocessor. Each of its four parts has a quarter of the registers; the part with the most
 * warps counts. */
static int registers_for(int count, int ctas) {
  enum { round = 4 * GG_WARP };
  int all = (count * ctas + round - 1) / round * round;
  int most = GG_REGISTERS_PER_SM / all / 8 * 8;
  return most < GG_REGISTERS_PER_THREAD ? most : GG_REGISTERS_PER_THREAD;
}

/* The threads of a tile whose blocks of the usual size might not fit, as with f64 and shared tiles:
 * more threads with fewer rows each. If that does not help, the usual ones. */
static threads fit_threads(const gg_plan *plan, tile t, threads usual, bool one_stage,
                           gg_scheduler kind) {
  const gg_spec *spec = plan->spec;
  int ctas = spec->ctas_per_sm.state == GG_SPEC_SET ? (int)spec->ctas_per_sm.number : 1;
  int stages = one_stage ? 1 : usual_stages;
  if (spec->atom_layout.state == GG_SPEC_SET) return usual;
  for (threads w = usual; t.m % w.m == 0 && w.m * w.n <= most_threads; w.m *= 2) {
    const registers r = count_registers(plan, t, w, stages, kind);
    if (all_registers(r) <= registers_for(w.m * w.n, ctas)) return w;
  }
  return usual;
}

static gg_status check_registers(const gg_plan *plan, tile t, threads w, registers r, int ctas,
                                 gg_error *err) {
  int count = w.m * w.n, most = registers_for(count, ctas);
  if (all_registers(r) <= most) return GG_OK;
  const gg_spec *spec = plan->spec;
  const gg_spec_field *cause =
      spec->atom_layout.state == GG_SPEC_SET ? &spec->atom_layout : &spec->tile;
  return gg_fail(err, PLAN_REGISTERS, &cause->mark, plan->target->worker, t.m / w.m, t.n / w.n,
                 r.accumulators, r.fragments, r.beside, all_registers(r), most, count, ctas,
                 "; take more threads, or a smaller tile");
}

/* The most bytes that a stage can take: padded by 16 bytes behind each line of words. */
static int64_t most_stage_bytes(const gg_plan *plan, tile t) {
  enum { padding = 16 };
  int64_t lines = t.k / plan->mma.k;
  return lines * ((int64_t)(t.m + t.n) * gg_simt_word_bytes(plan) + 2 * padding);
}

/* How many CTAs run on a multiprocessor. Sixteen warps, four for each of its schedulers, hide what
 * latency is left: so as many CTAs as have those, if registers and shared memory suffice. */
static int choose_ctas(const gg_plan *plan, tile t, threads w, registers r, int stages) {
  enum { enough_threads = 512 };
  const gg_spec_field *asked = &plan->spec->ctas_per_sm;
  int count = w.m * w.n, ctas = enough_threads / count;
  if (asked->state == GG_SPEC_SET) return (int)asked->number;
  while (ctas > 1 && (all_registers(r) > registers_for(count, ctas) ||
                      stages * most_stage_bytes(plan, t) > gg_smem_limit_for(plan, ctas)))
    ctas--;
  return ctas > 1 ? ctas : 1;
}

/* ---- Copies ----------------------------------------------------------------------------- */

/* How many bytes a thread copies at once. By cp.async: single words if K is contiguous, because
 * these go to different lines of M or N; else as many bytes as alignment and the line allow.
 * Through registers: as many elements as make 16 bytes of words. With one stage, as CuTe's sgemm_1
 * does, single elements. */
static int copy_bytes(const gg_plan *plan, const gg_operand *operand, tile t, int mn,
                      bool one_stage) {
  enum { widest = 16 };
  bool k_major = operand->major == GG_MAJOR_K, by_registers = gg_simt_by_registers(plan, operand);
  int element = (int)gg_dtype_bytes(operand->type, 1), word = gg_simt_word_bytes(plan);
  if (k_major && (plan->mma.k > 1 || !by_registers)) return element * plan->mma.k;
  if (one_stage) return element;
  int most = by_registers ? widest / word * element : widest, bytes = gg_access_bytes(*operand);
  if (bytes > most) bytes = most;
  while (gg_dtype_bytes(operand->type, k_major ? t.k : mn) % bytes != 0)
    bytes /= 2;
  return bytes;
}

static gg_status choose_padding(gg_swizzle_kind *out, const gg_plan *plan,
                                const gg_spec_field *asked, const gg_operand *operand,
                                gg_error *err) {
  bool pads = operand->major == GG_MAJOR_K;
  *out = asked->state == GG_SPEC_SET ? (gg_swizzle_kind)asked->number
         : pads                      ? GG_SWIZZLE_PADDING
                                     : GG_SWIZZLE_NONE;
  if (*out == GG_SWIZZLE_NONE || *out == GG_SWIZZLE_PADDING) return GG_OK;
  return gg_refuse(plan, asked, "swizzle", asked->text, "none and padding", err);
}

static gg_status choose_copies(gg_plan *plan, tile t, bool one_stage, gg_error *err) {
  const gg_spec *spec = plan->spec;
  plan->copy_bytes_a = copy_bytes(plan, &plan->a, t, t.m, one_stage);
  plan->copy_bytes_b = copy_bytes(plan, &plan->b, t, t.n, one_stage);
  gg_status st = choose_padding(&plan->swizzle_a, plan, &spec->swizzle.a, &plan->a, err);
  return st ? st : choose_padding(&plan->swizzle_b, plan, &spec->swizzle.b, &plan->b, err);
}

/* ---- The whole -------------------------------------------------------------------------- */

static gg_scheduler choose_scheduler(const gg_plan *plan) {
  const gg_spec_field *asked = &plan->spec->scheduler.kind;
  return asked->state == GG_SPEC_SET ? (gg_scheduler)asked->number : GG_SCHEDULER_DATA_PARALLEL;
}

static gg_status check_schedule(const gg_plan *plan, gg_scheduler kind, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *scheduler = &spec->scheduler.kind;
  const gg_unused unused[] = {
      {&spec->permutation, "permutation", "vectors of a thread in turns: auto"},
      {&spec->swizzle.d, "swizzle of D", "no staging: leave it out"},
      {&spec->d.store, "key d.store:", "one way, each thread its own elements: leave the key out"},
      {&spec->operand_source.a, "operand_source",
       "registers, by way of shared memory: leave it out"},
      {&spec->operand_source.b, "operand_source",
       "registers, by way of shared memory: leave it out"},
      {&spec->cluster, "cluster", "one CTA: leave it out"},
      {&spec->cta_group, "cta_group", "no CTA pairs"},
      {&spec->accumulator_stages, "accumulator_stages", "accumulators in registers, one set"},
  };
  if (kind != GG_SCHEDULER_DATA_PARALLEL && kind != GG_SCHEDULER_SPLIT_K &&
      kind != GG_SCHEDULER_STREAM_K)
    return gg_refuse(plan, scheduler, "scheduler", scheduler->text,
                     "data_parallel, split_k and stream_k", err);
  gg_status st = gg_check_splits(plan, kind, err);
  return st ? st : gg_check_all_unused(plan, unused, sizeof unused / sizeof *unused, err);
}

/* Checks that a thread's sums are a multiple of 16 bytes, the size of the accesses by which they go
 * to other CTAs. */
static gg_status check_sums(const gg_plan *plan, tile t, threads w, gg_scheduler kind,
                            gg_error *err) {
  enum { chunk = 16 };
  if (kind == GG_SCHEDULER_DATA_PARALLEL) return GG_OK;
  int words = chunk / (int)gg_dtype_bytes(plan->accumulator, 1);
  char what[48];
  snprintf(what, sizeof what, "a thread's %d x %d =", t.m / w.m, t.n / w.n);
  return gg_check_multiple(what, t.m / w.m * (t.n / w.n), words, "16 bytes of its sums",
                           &plan->spec->tile.mark, err);
}

static void put(gg_plan *plan, tile t, threads w, int stages, int ctas, gg_scheduler kind,
                gg_order order) {
  plan->scheduler = kind;
  plan->splits = gg_choose_splits(plan, kind);
  plan->tile_m = t.m;
  plan->tile_n = t.n;
  plan->tile_k = t.k;
  plan->atoms_m = w.m;
  plan->atoms_n = w.n;
  plan->threads = w.m * w.n;
  plan->stages = stages;
  plan->ctas_per_sm = ctas;
  plan->cluster_m = plan->cluster_n = plan->cluster_k = 1;
  gg_plan_put_order(plan, &order);
}

/* Decides a thread's accesses to D: it stores one vector along D's contiguous mode at once. */
static void choose_access(gg_plan *plan) {
  bool row_major = plan->d.major == GG_MAJOR_N;
  int words = row_major ? gg_plan_columns_of_d(plan, gg_simt_vector(plan, gg_plan_block_n(plan)))
                        : gg_simt_vector(plan, gg_plan_block_m(plan));
  int bytes = (int)gg_dtype_bytes(plan->d.type, words);
  plan->access_bytes_d = gg_access_bytes(plan->d);
  if (bytes < plan->access_bytes_d) plan->access_bytes_d = bytes;
}

/* How many stages: three, or two if that leaves room for one CTA more. */
static int choose_stages(const gg_plan *plan, tile t, threads w, gg_scheduler kind) {
  const gg_spec_field *asked = &plan->spec->stages;
  if (asked->state == GG_SPEC_SET) return (int)asked->number;
  const registers r = count_registers(plan, t, w, usual_stages, kind);
  int fewer = usual_stages - 1;
  bool gains = choose_ctas(plan, t, w, r, fewer) > choose_ctas(plan, t, w, r, usual_stages);
  return gains ? fewer : usual_stages;
}

/* Decides how a split gate takes its columns from an N-major B: a tile has the vectors of a warp's
 * threads from each half of N in turns, so that a thread has both columns of a pair in two
 * neighbouring vectors. */
static gg_status choose_split(gg_plan *plan, gg_error *err) {
  int block = gg_plan_block_n(plan), vector = gg_simt_vector(plan, block);
  if (!gg_plan_splits_columns(plan)) return GG_OK;
  plan->split_columns = GG_SIMT_LANES_N * vector;
  char why[64];
  snprintf(why, sizeof why, "2 halves of N x %d columns that it reads at once", vector);
  return gg_check_multiple("a thread's columns,", block, 2 * vector, why, &plan->spec->tile.mark,
                           err);
}

/* Checks that the two columns of a pair belong to one thread, as they do if it reads at least two
 * columns at once. */
static gg_status check_gated(gg_plan *plan, gg_error *err) {
  if (!gg_plan_is_gated(plan)) return GG_OK;
  if (gg_simt_vector(plan, gg_plan_block_n(plan)) > 1) return choose_split(plan, err);
  if (plan->stages == 1)
    return gg_refuse(plan, &plan->spec->stages, "gated columns beside stages", "1",
                     "two stages or more: neighbouring columns are one thread's then", err);
  return gg_check_multiple("a thread's columns,", gg_plan_block_n(plan), 2,
                           "columns of a gate, one of D", &plan->spec->tile.mark, err);
}

static gg_status choose(gg_plan *plan, gg_error *err) {
  const gg_spec_field *asked = &plan->spec->stages;
  const bool one_stage = asked->state == GG_SPEC_SET && asked->number == 1;
  gg_status st;
  if ((st = choose_types(plan, err))) return st;
  if ((st = gg_choose_operations(plan, plan->accumulator, err))) return st;
  if ((st = choose_mma(plan, err))) return st;
  const tile t = choose_tile(plan);
  const gg_scheduler kind = choose_scheduler(plan);
  if ((st = choose_copies(plan, t, one_stage, err))) return st;
  const threads w = fit_threads(plan, t, choose_threads(plan, t), one_stage, kind);
  if ((st = check_threads(plan, w, one_stage, err))) return st;
  if ((st = check_tile(plan, t, w, err))) return st;
  const int stages = choose_stages(plan, t, w, kind);
  const registers r = count_registers(plan, t, w, stages, kind);
  const int ctas = choose_ctas(plan, t, w, r, stages);
  if ((st = check_registers(plan, t, w, r, ctas, err))) return st;
  if ((st = check_schedule(plan, kind, err))) return st;
  if ((st = check_sums(plan, t, w, kind, err))) return st;
  const gg_order order = gg_choose_raster(&st, plan, &(gg_orders){GG_RASTER_ALONG_M}, err);
  if (st) return st;
  put(plan, t, w, stages, ctas, kind, order);
  choose_access(plan);
  return check_gated(plan, err);
}

/* ---- What a thread finishes at once ------------------------------------------------------ */

/* The piece of its block that a thread finishes at once: a vector along D's lines, of two lines
 * (templates/parts/simt_epilogue.cu). */
static threads piece_of(const gg_plan *plan) {
  enum { lines = 2 };
  threads out = {gg_simt_vector(plan, gg_plan_block_m(plan)),
                 gg_simt_vector(plan, gg_plan_block_n(plan))};
  int *across = plan->d.major == GG_MAJOR_N ? &out.m : &out.n;
  if (*across > lines) *across = lines;
  return out;
}

int gg_simt_box_pieces(const gg_plan *plan) {
  enum { chunk = 16, most_boxes = 64 };
  threads piece = piece_of(plan);
  int pieces = gg_plan_block_m(plan) * gg_plan_block_n(plan) / (piece.m * piece.n), count = 1;
  int bytes = (int)gg_dtype_bytes(plan->accumulator, piece.m * piece.n);
  while (pieces % count != 0 || count * bytes % chunk != 0 || pieces / count > most_boxes)
    count++;
  return count;
}

/* How many of a warp's lanes add up sums over D together, along M and along N, and in `rows` the
 * bits of a lane's number that count along M. With one stage, a warp's threads follow each other
 * along D's lines; if some begin in the middle of a line, each adds up alone. */
static threads lanes_of(int *rows, const gg_plan *plan) {
  enum { along_m = 2 | 8 };
  bool n_major = plan->d.major == GG_MAJOR_N;
  int line = n_major ? plan->atoms_n : plan->atoms_m;
  bool whole = line % GG_WARP == 0;
  *rows = along_m;
  if (plan->stages > 1) return (threads){GG_SIMT_LANES_M, GG_SIMT_LANES_N};
  if (!whole && GG_WARP % line != 0) return *rows = 0, (threads){1, 1};
  int along = whole ? GG_WARP : line;
  threads out = n_major ? (threads){GG_WARP / along, along} : (threads){along, GG_WARP / along};
  *rows = n_major ? GG_WARP - along : along - 1;
  return out;
}

/* In which boxes sums over D are formed. A warp counts the boxes of a shared tile one by one, else
 * its tile once. */
static gg_sum_boxes sum_boxes(const gg_plan *plan) {
  int rows, m = gg_plan_block_m(plan), n = gg_plan_block_n(plan);
  threads piece = piece_of(plan), lanes = lanes_of(&rows, plan);
  int pieces = m * n / (piece.m * piece.n);
  int boxes = gg_plan_shares_tiles(plan) ? pieces / gg_simt_box_pieces(plan) : 1;
  int both = lanes.m * lanes.n > 1 ? GG_WARP - 1 : 0;
  return (gg_sum_boxes){.m = plan->tile_m / (piece.m * lanes.m),
                        .n = plan->tile_n / (piece.n * lanes.n),
                        .counted = plan->threads / GG_WARP * boxes,
                        .row_lanes = rows,
                        .column_lanes = both - rows,
                        .pairs = piece.n > 1,
                        .sent_columns = piece.n > 1 ? piece.n / 2 : 1,
                        .sent_rows = piece.m};
}

const gg_target gg_target_simt = {
    .id = GG_TARGET_SIMT,
    .ageless = true,
    .last = true,
    .name = "simt",
    .family = "simt",
    .summary = "multiply-adds of CUDA cores fed by cp.async, any architecture",
    .worker = "thread",
    .gates = true,
    .traces = true,
    .awaits = true,
    .least = {.number = 80},
    .has_atom = has_atom,
    .accepts = accepts,
    .pointers = true,
    .sum_boxes = sum_boxes,
    .choose = choose,
    .derive = gg_simt_derive,
    .traits = gg_simt_traits,
};
