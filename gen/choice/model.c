/* The model: what a kernel does, step by step, in the units that a device has rates for.
 *
 * A multiprocessor computes `rounds` tiles, one after the other. That is the number of D's tiles
 * divided by the multiprocessors, rounded up; small and ragged problems lose time by the rounding,
 * although the few multiprocessors that have a tile in the last round are faster. Or it computes
 * shares of tiles, as plan/distribution.c makes them, whose sums are then brought together.
 *
 * A tile takes `k_tiles` steps. A step takes as long as the slower of multiplying and loading.
 * Multiplying is limited by the tensor core's rate, or by reading its operands from shared memory,
 * a limit that narrow tiles reach first. Loading is limited by how many bytes are requested at
 * once, and by the L2 cache, which has less to answer if CTAs share requests, in a cluster or in
 * lockstep, and which answers no loads while it takes a batch's results. Then comes the epilogue.
 * If two consumers take turns, only what is longer than the other's tile shows, and the last
 * epilogue; if consumers share a tile, a part of each shows, which is less the more of the next
 * tile the ring holds.
 *
 * DRAM moves every operand once, and in addition what the tiles of one round do not find again in
 * the L2 cache. A round's tiles are a block of D, in bands as the kernel walks them, and read the
 * block's rows of A and columns of B. The time of DRAM overlaps with the rest, except for a part of
 * it.
 *
 * Near-equal terms slow each other down: they are joined by a norm of degree 8, not by their
 * maximum. Times come from measurements: docs/performance/h100.md. */
#include "choice/model.h"

#include <math.h>

#include "choice/work.h"
#include "layout/banks.h"
#include "plan/choices.h"

/* ---- Shapes --------------------------------------------------------------------------- */

/* Tiles across a band of the order in which the kernel walks D. */
static double band_of(const gg_work *w) {
  if (w->terms->raster == GG_RASTER_ALONG_N)
    return gg_lesser(w->tiles_m, (double)w->terms->raster_group * w->tile->cluster_m);
  return gg_lesser(w->tiles_n, (double)w->terms->raster_group * w->tile->cluster_n);
}

/* Of `all` CTAs, how many fit on `multiprocessors` multiprocessors, `each` on one, in whole
 * clusters; at least one cluster. */
static int within(int all, int64_t multiprocessors, int each, int cluster) {
  int64_t most = multiprocessors * each / cluster * cluster;
  if (most < cluster) most = cluster;
  return most < all ? (int)most : all;
}

static gg_work make_work(const gg_model *model, gg_extents e, int64_t multiprocessors) {
  const gg_distributed *tile = &model->terms.distributed;
  const gg_device_model *device = model->device;
  gg_work w = {.of = model, .terms = &model->terms, .tile = tile, .device = device, .extents = e};
  int cluster = gg_cluster_size(tile), each = tile->warps ? model->terms.ctas_per_sm : 1;
  w.multiprocessors = gg_multiprocessors_of(device, multiprocessors);
  w.at_once = within(model->at_once, w.multiprocessors, 1, cluster);
  w.resident = within(model->resident, w.multiprocessors, each, cluster);
  int64_t tiles_m = gg_tiles_along(e.m, tile->tile_m, tile->cluster_m, tile->turns_m);
  int64_t tiles_n = gg_tiles_along(e.n, tile->tile_n, tile->cluster_n, tile->turns_n);
  w.tiles_m = (double)tiles_m * tile->cluster_m;
  w.tiles_n = (double)tiles_n * tile->cluster_n;
  return w;
}

/* ---- One step, one tile --------------------------------------------------------------- */

/* The part of its rate that a multiprocessor reaches with as many warps and CTAs as it has. */
static double warps_share(const gg_work *w, double tiles_each) {
  const gg_terms *t = w->terms;
  if (w->tile->cores)
    return 1 / gg_idleness(w->tile, (double)t->threads / GG_WARP, gg_greater(1, ceil(tiles_each)),
                           t->ctas_per_sm, w->device);
  if (w->of->warps_wanted == 0) return 1;
  double ctas = gg_lesser(t->ctas_per_sm, gg_greater(1, tiles_each));
  double others = ctas / (ctas + t->traits.ctas_half);
  return others * gg_lesser(1, ctas * t->threads / GG_WARP / w->of->warps_wanted);
}

/* The rate at which one multiprocessor multiplies while `active` do. */
static double mma_rate(const gg_work *w, double active) {
  const gg_device_model *device = w->device;
  double busy = active / (device->sustained * device->sm_count);
  double tensor_rate =
      gg_device_mma_rate(device, w->tile->type, w->terms->packed, w->terms->sparse_a);
  double rate = w->of->rate > 0 ? w->of->rate : tensor_rate;
  rate /= gg_join(1, busy);
  double tiles = gg_greater(w->tiles_m * w->tiles_n * (double)w->extents.batch, w->shares);
  return rate * w->of->tensor_share * warps_share(w, tiles / (double)w->multiprocessors);
}

/* The time by which additions of promoted sums prolong a K step, as far as other work does not hide
 * it. */
static double promoted_additions(const gg_model *model) {
  const gg_distributed *tile = &model->terms.distributed;
  const gg_traits *traits = &model->terms.traits;
  if (traits->promotions == 0) return 0;
  double rows = 64, columns = 128; /* the extents of a consumer's block that `promotion` was
                                    * measured for */
  double sums = tile->tile_m * tile->tile_n / (rows * columns) / traits->owners;
  return traits->promotions * sums * model->device->promotion / traits->promotions_hidden;
}

/* Seconds of a K step: by the tensor core's rate; by reading its operands; and both combined. */
typedef struct multiplied {
  double issue, operands, whole;
} multiplied;

static multiplied multiply_step(const gg_work *w, double active) {
  const gg_terms *t = w->terms;
  const gg_traits *traits = &t->traits;
  double operations = 2.0 * w->tile->tile_m * w->tile->tile_n * w->tile->tile_k;
  double read = traits->reads_a * t->m_read + traits->reads_b * t->n_read;
  read += w->of->scales_step;     /* read once, on their way to tensor memory */
  read += 2 * traits->transposed; /* each read and written in the same memory */
  multiplied out = {operations / mma_rate(w, active), read / w->device->smem_rate, 0};
  out.whole =
      traits->reads_beside ? gg_greater(out.issue, out.operands) : gg_join(out.issue, out.operands);
  out.whole += w->of->additions;
  return out;
}

/* Elements of D that a consumer computes of a tile. Where boxes overlap, elements count twice. */
static double tile_elements(const gg_model *model) {
  const gg_terms *t = &model->terms;
  double columns = t->distributed.tile_n;
  if (t->epi_n) columns = ceil(columns / t->epi_n) * t->epi_n;
  return t->distributed.tile_m * columns / t->traits.owners;
}

/* Extra seconds if lanes store D because its lines may begin at any address. Long lines are stored
 * in chunks of 16 bytes, and both ends in units of their alignment; short lines in such units
 * throughout. Of a cluster along K, each CTA stores its part. */
static double by_access(const gg_model *model) {
  enum { chunk = 16 };
  const gg_terms *t = &model->terms;
  if (!t->access_bytes_d || t->traits.stores_units) return 0;
  bool across = t->d_major == GG_MAJOR_M;
  int length = across || !t->epi_n ? t->epi_m : t->epi_columns;
  double line_bytes = gg_greater(1, length) * t->d_bits / 8.0;
  double units = line_bytes / t->access_bytes_d;
  if (gg_stores_chunks((int64_t)line_bytes))
    units = line_bytes / chunk + (double)chunk / t->access_bytes_d;
  double lines = tile_elements(model) / gg_greater(1, length) / t->distributed.cluster_k;
  return lines * units / model->device->access_rate;
}

/* Seconds in which one consumer stores one tile. */
static double tile_epilogue(const gg_model *model) {
  const gg_terms *t = &model->terms;
  const gg_device_model *device = model->device;
  double elements = tile_elements(model);
  double staged = t->epi_n ? t->epi_columns * t->d_bits / 8.0 : GG_LINE_BYTES;
  bool across = t->epi_n && !t->access_bytes_d && t->d_major == GG_MAJOR_M;
  double line_bytes = across ? t->epi_m * t->d_bits / 8.0 : GG_LINE_BYTES;
  elements *= 1 + device->narrow_store * gg_narrowness(staged) +
              device->column_store * gg_narrowness(line_bytes);
  double rate = device->epilogue_rate;
  bool alone = t->traits.overlap == GG_OVERLAP_TURNS || t->traits.sums > 0;
  if (alone) rate *= device->epilogue_alone;
  double begin = device->epilogue;
  if (t->traits.owners > 1) begin += device->epilogue_shared;
  double waits = t->traits.buffer_waits * device->buffer_wait;
  return begin + gg_join(elements / rate, model->sums) + waits + by_access(model);
}

/* The part of that time that reading tensor memory takes, while what was read before is stored. */
static double tile_sums(const gg_model *model) {
  double bytes = tile_elements(model) * model->terms.traits.sums;
  return bytes > 0 ? bytes / model->device->sums_rate : 0;
}

/* Seconds of arithmetic for one element, if nothing else computes. */
static double computing(const gg_model *model) {
  const gg_epilogue_work *e = &model->terms.traits.epilogue;
  return gg_join(e->special / model->device->special_rate, e->plain / model->device->plain_rate);
}

/* Seconds by which lanes that store D in units delay what is multiplied meanwhile. */
static double by_unit(const gg_model *model) {
  const gg_terms *t = &model->terms;
  if (!t->traits.stores_units) return 0;
  double bytes = tile_elements(model) * t->d_bits / 8.0 / t->distributed.cluster_k;
  return bytes / t->access_bytes_d / model->device->unit_rate;
}

/* Seconds for which the next tile's K tiles wait for stages that hold C of this tile. If C has
 * stages of its own, they wait only for the CTA of the cluster whose C comes last: in a cluster of
 * eight, half as long. */
static double tile_held(const gg_model *model) {
  const gg_distributed *tile = &model->terms.distributed;
  double read = tile->tile_m * tile->tile_n * model->terms.traits.epilogue.fetched;
  int others = tile->cluster_m * tile->cluster_n - 1;
  double waits = model->terms.subtiles ? others / 7.0 / 2 : 1;
  return waits * read / model->device->held_rate;
}

/* Seconds of the epilogue's other work on one tile, reading and computing. The units that compute
 * belong to the multiprocessor: consumers of one tile get a part of them each, and one that has
 * them while another consumer multiplies waits longer for its own results. */
static double tile_work(const gg_model *model, bool in_turns) {
  const gg_device_model *device = model->device;
  const gg_epilogue_work *e = &model->terms.traits.epilogue;
  double computed = computing(model);
  if (in_turns) computed *= device->computed_in_turns;
  double read = e->read / device->read_rate * (e->crowded ? device->read_crowded : 1);
  double each = model->terms.traits.owners * computed + e->fetched / device->ahead_rate + read +
                e->aside / device->aside_rate;
  return tile_elements(model) * each + e->vectors / device->read_rate;
}

/* Seconds for one tile if consumers take turns: the time in which one multiplies, or half of what
 * one consumer takes for both. */
static double turn(double tile, double epilogue) {
  return gg_join(tile, (tile + epilogue) / 2);
}

/* Whether consumers of one tile store lines of D of their own, by boxes of whole sectors. Where
 * lanes store, or D's lines lie across the tile's rows, consumers were not seen to leave each
 * other. */
static bool store_apart(const gg_terms *t) {
  int bytes = t->tile_columns * t->d_bits / 8;
  return !t->access_bytes_d && t->d_major == GG_MAJOR_N && bytes % GG_SECTOR_BYTES == 0;
}

/* The seconds of an epilogue in which another consumer of the same tile multiplies. Consumers do
 * not keep step: each leaves a tile when its own rows are done, and one that is ahead has the
 * tensor core to itself while the others store. It can be ahead by as much of the tile as the ring
 * holds, less what is still arriving, at most by the whole tile: then a multiprocessor takes as
 * long for a tile as one consumer alone. If it can be ahead by a part, others store during that
 * part of the time, so that it gains that part of the part. */
static double multiplied_beside(const gg_model *model, double tile, double epilogue,
                                double k_tiles) {
  const gg_terms *t = &model->terms;
  if (!t->distributed.specialised || !store_apart(t)) return 0;
  double held = t->traits.stages_ahead / k_tiles; /* as shares of the tile */
  double arriving = model->device->load_latency / (tile + epilogue);
  double ahead = gg_lesser(1, gg_greater(0, held - arriving));
  double others = t->traits.owners - 1;
  return ahead * ahead * tile * others / t->traits.owners;
}

/* Seconds by which a tile's epilogue prolongs the `tile` seconds of the next one's multiplying.
 * Even if all of it is hidden, the next tile's K tiles wait for the stages that C is in. */
static double visible_epilogue(const gg_model *model, double tile, double k_tiles) {
  double each = model->epilogue, whole = each + model->work_in_turns;
  gg_overlap overlap = model->terms.traits.overlap;
  if (overlap == GG_OVERLAP_TURNS)
    return gg_greater(0, each - tile) / 2 + (turn(tile, whole) - turn(tile, each)) + model->held;
  if (overlap == GG_OVERLAP_ALL) return gg_join(tile, each + model->work) - tile + model->held;
  double begin = model->terms.traits.begins_anew ? model->device->fill : 0;
  double shows = each + model->work;
  if (overlap == GG_OVERLAP_NEXT) {
    double beside = multiplied_beside(model, tile, shows, k_tiles);
    shows = gg_greater(0, shows * (1 - model->device->epilogue_hidden) - beside);
  }
  return shows + model->held + begin;
}

/* ---- The whole ------------------------------------------------------------------------ */

/* Seconds that bringing sums together takes. With clusters along K, that of each tile that a
 * cluster computes. With shared tiles, that of the last cluster, because other work hides the rest.
 */
static double sharing(const gg_work *w, const gg_distribution *distribution) {
  double sums = (double)w->tile->tile_m * w->tile->tile_n * w->tile->accumulator_bits / 8;
  int parts = w->tile->cluster_k;
  if (parts > 1) {
    double tiles = ceil(w->tiles_m * w->tiles_n * (double)w->extents.batch * parts / w->at_once);
    return tiles * (w->device->meet + sums * (parts - 1) / parts / w->device->meet_rate);
  }
  double each = ceil(w->shares / (double)w->multiprocessors); /* have one way to the L2 cache */
  if (w->tile->warps) sums *= gg_greater(1, gg_lesser(each, w->terms->ctas_per_sm));
  return distribution->waits * w->device->wait + distribution->adding * sums / w->device->sum_rate;
}

/* CTAs that run at once if each has a multiprocessor to itself. */
static int resident(const gg_distributed *tile, const gg_device_model *device) {
  int cluster = gg_cluster_size(tile), clusters = 0;
  if (cluster == 1) return device->sm_count;
  for (size_t i = 0; i < sizeof device->groups / sizeof *device->groups; i++)
    clusters += device->groups[i] / cluster;
  return clusters > 0 ? clusters * cluster : cluster;
}

/* Fills in the quantities of a kernel and a problem, as opposed to times. */
static void count(gg_prediction *out, const gg_work *w, const gg_distribution *distribution) {
  const gg_extents *e = &w->extents;
  int at_once = w->at_once;
  out->shares = distribution->shares;
  out->workspace_bytes = distribution->workspace_bytes;
  out->tiles = w->tiles_m * w->tiles_n * (double)e->batch;
  out->k_tiles = (double)distribution->k_tiles;
  out->rounds =
      out->k_tiles > 0 ? (double)distribution->busiest / out->k_tiles : ceil(out->tiles / at_once);
  out->filled = (double)e->m * (double)e->n * (double)e->batch /
                (out->rounds * at_once * w->tile->tile_m * w->tile->tile_n);
  out->load_bytes = out->tiles * out->k_tiles * w->step_bytes;
  out->dram_bytes =
      gg_work_dram_bytes(w, out->tiles, at_once) + gg_work_stray_bytes(w, distribution);
}

/* Seconds by which a tile's first K steps are shorter where consumers take turns: while a tile is
 * stored, for `stored` seconds, the ring fills, so that these steps wait for nothing but
 * multiplying. `waiting` is what a step otherwise takes more than that. Of consumers that share a
 * tile, one that is ahead empties the ring meanwhile (multiplied_beside). */
static double loaded_meanwhile(const gg_work *w, double k_tiles, double load, double waiting,
                               double stored) {
  const gg_traits *traits = &w->terms->traits;
  if (traits->overlap != GG_OVERLAP_TURNS || load <= 0) return 0;
  double stages = gg_lesser(traits->stages_ahead + 1.0, stored / load);
  return gg_lesser(k_tiles, stages) * waiting;
}

/* Seconds in which `active` multiprocessors do `steps` K steps each, with `share` of DRAM's
 * traffic, and the visible part of `epilogues` epilogues that other tiles follow. Adds the phase's
 * terms to `out`. */
static double phase(gg_prediction *out, const gg_work *w, double active, double steps, double share,
                    double epilogues) {
  if (active <= 0) return 0;
  multiplied multiply = multiply_step(w, active);
  double load = gg_work_load_step(w, active);
  bool one_stage = w->terms->stages == 1; /* loaded first, and then multiplied */
  double both = one_stage ? multiply.whole + load : gg_join(multiply.whole, load);
  double step = both + w->device->step;
  double dram = gg_work_dram_seconds(w, active, share, out->dram_bytes);
  double each = visible_epilogue(w->of, out->k_tiles * step, out->k_tiles);
  double sooner = loaded_meanwhile(w, out->k_tiles, load, both - multiply.whole, each);
  double visible = epilogues * each;
  out->multiply += steps * multiply.whole;
  out->issue += steps * multiply.issue;
  out->operands += steps * multiply.operands;
  out->load += steps * load;
  out->dram += dram;
  out->epilogue += visible;
  double tiles = out->k_tiles > 0 ? steps / out->k_tiles : 0;
  double working = steps * step + visible - epilogues * sooner;
  double busy = gg_greater(working, tiles * w->of->map_change);
  /* The last tile of a multiprocessor is stored when nothing is loaded any more. */
  double stored = tiles > 0 ? share * gg_work_stored_bytes(w) * epilogues / tiles : 0;
  return gg_join(gg_greater(busy, gg_work_l2_seconds(w, active, steps, stored)), dram);
}

/* Seconds of all rounds: first those of whole tiles on all multiprocessors; then one with what is
 * left, on fewer, which have the L2 cache and DRAM to themselves. Shared tiles are distributed so
 * that all multiprocessors end at once. */
static double rounds(gg_prediction *out, const gg_work *w, const gg_distribution *distribution) {
  int at_once = w->at_once;
  double ctas = w->tile->cluster_k, steps = ceil(out->k_tiles / ctas); /* of one tile */
  double tiles = at_once / ctas, whole = floor(out->tiles / tiles);
  double rest = out->tiles - whole * tiles;
  if (distribution->shares > 0) {
    double active = (double)distribution->clusters * w->tile->cluster_m * w->tile->cluster_n;
    active = gg_lesser(active, at_once);
    return phase(out, w, active, (double)distribution->busiest, 1, ceil(out->rounds) - 1);
  }
  double share = rest / out->tiles, others = rest > 0 ? whole : whole - 1;
  double first = whole > 0 ? phase(out, w, at_once, whole * steps, 1 - share, others) : 0;
  return first + phase(out, w, rest * ctas, steps, share, 0);
}

gg_model gg_model_of(const gg_terms *terms, const gg_device_model *device) {
  gg_model out = {.terms = *terms, .device = device};
  const gg_traits *traits = &out.terms.traits;
  const gg_distributed *tile = &out.terms.distributed;
  out.rate = gg_device_number_of(traits->rate, device);
  out.tensor_share = gg_device_number_of(traits->tensor_share, device);
  out.warps_wanted = gg_device_number_of(traits->warps_wanted, device);
  out.at_once = resident(tile, device);
  out.resident = out.at_once * (tile->warps ? terms->ctas_per_sm : 1);
  out.scales_step = terms->scales_a + terms->scales_b + terms->metadata;
  bool boxes = traits->loader == GG_LOADER_BOXES; /* boxes are as wide as a swizzle */
  out.line_a = boxes ? gg_line_cost(device, terms->swizzle_bytes_a) : 1;
  out.line_b = boxes ? gg_line_cost(device, terms->swizzle_bytes_b) : 1;
  out.under_way = gg_bytes_under_way(&out);
  out.load_byte = gg_join(1 / device->load_rate, device->load_latency / out.under_way);
  out.dram_byte = gg_join(1 / device->dram_sm_rate, device->dram_latency / out.under_way);
  out.map_change = terms->distributed.map_bytes > 0 ? device->map_change : 0;
  out.additions = promoted_additions(&out);
  out.sums = tile_sums(&out);
  out.epilogue = tile_epilogue(&out);
  out.work = tile_work(&out, false);
  out.work_in_turns = tile_work(&out, true);
  out.held = tile_held(&out) + by_unit(&out);
  return out;
}

/* The part of DRAM's traffic that reads: nothing waits for what is stored. */
static double read_share(const gg_work *w, double bytes) {
  double moved = bytes + w->storing;
  return moved > 0 ? (bytes - gg_work_stored_bytes(w)) / moved : 0;
}

/* Whether single CTAs that share tiles are placed anywhere behind the launch ahead. They then lose
 * again what they gain by beginning beside it (measured: docs/performance/h100.md, "Shares that
 * fill the device"). */
static bool lie_anywhere(const gg_distributed *tile, const gg_distribution *distribution) {
  return tile->specialised && !tile->claims && gg_cluster_size(tile) == 1 &&
         distribution->shares > 0;
}

enum { large_cluster = 8 };

/* Seconds that a launch of clusters takes more than one of single CTAs. */
static double launching_clusters(const gg_distributed *tile, const gg_device_model *device) {
  int ctas = tile->cluster_m * tile->cluster_n;
  return (ctas > 1 ? device->cluster : 0) + (ctas >= large_cluster ? device->large_cluster : 0);
}

/* The part of its whole time that a kernel of large clusters takes longer. CTAs that share each K
 * tile of A and of B wait for one another. As a time for each K step, or for each launch, it does
 * not explain what was measured. */
static double held_up(const gg_distributed *tile, const gg_device_model *device, int64_t k) {
  enum { few = 8 };
  bool large = tile->cluster_m * tile->cluster_n >= large_cluster && tile->cluster_k == 1;
  return large && k > (int64_t)few * tile->tile_k ? device->large_cluster_share : 0;
}

gg_prediction gg_model_predict(const gg_model *model, gg_extents extents, int64_t multiprocessors) {
  const gg_distributed *tile = &model->terms.distributed;
  const gg_traits *traits = &model->terms.traits;
  const gg_device_model *device = model->device;
  gg_prediction out = {.launch = device->launch, .seconds = device->launch};
  if (extents.m == 0 || extents.n == 0 || extents.batch == 0) return out;
  /* With swap_ab, the plan's M is the problem's N. */
  if (model->terms.swap_ab) extents = (gg_extents){extents.n, extents.m, extents.k, extents.batch};
  gg_work w = make_work(model, extents, multiprocessors);
  gg_distribution distribution;
  if (!gg_distribution_make(&distribution, tile, extents, w.resident, w.multiprocessors, device)) {
    out.seconds = INFINITY;
    return out;
  }
  w.band = band_of(&w);
  w.shares = (double)distribution.shares;
  w.step_bytes = gg_work_step_bytes(&w);
  w.lockstep = gg_work_lockstep(&w, &distribution);
  w.storing = gg_work_storing_bytes(&w);
  w.beside = distribution.next_beside && !lie_anywhere(tile, &distribution);
  count(&out, &w, &distribution);
  out.launch += device->fill;
  if (traits->loader == GG_LOADER_WARPS) out.launch += device->copy_fill;
  out.launch += launching_clusters(tile, device);
  out.launch += model->map_change;
  if (!w.beside) out.launch += device->apart;
  if (tile->claims) out.launch += device->claim;
  double seconds = rounds(&out, &w, &distribution);
  double last = model->epilogue + model->work;
  out.epilogue += last;
  if (traits->overlap == GG_OVERLAP_ALL) {
    out.finish = out.rounds * last;
    out.sums = out.rounds * model->sums;
  }
  out.sharing = sharing(&w, &distribution);
  double shown = device->dram_share * read_share(&w, out.dram_bytes) * out.dram;
  out.seconds = out.launch + seconds + last + out.sharing + shown;
  out.seconds *= 1 + held_up(tile, device, extents.k);
  return out;
}

bool gg_model_serves(const gg_model *model, gg_extents extents) {
  const gg_terms *t = &model->terms;
  if (!t->traits.stores_units) return true;
  if (t->swap_ab) extents = (gg_extents){extents.n, extents.m, extents.k, extents.batch};
  int64_t columns = extents.n * t->tile_columns / t->distributed.tile_n;
  int64_t length = t->d_major == GG_MAJOR_M ? extents.m : columns;
  return length * t->d_bits % (8 * GG_SECTOR_BYTES) != 0;
}

bool gg_model_admits(const gg_model *model, const gg_prediction *prediction, int64_t workspace) {
  bool vain = model->terms.shares_tiles && prediction->shares == 0;
  return !vain && prediction->workspace_bytes <= workspace;
}

gg_prediction gg_predict(const gg_plan *plan, gg_extents extents, const gg_device_model *device) {
  gg_terms terms = gg_terms_of(plan, device->arch);
  gg_model model = gg_model_of(&terms, device);
  return gg_model_predict(&model, extents, 0);
}
