/* The report: every decision and every layout of one kernel, in the order of the pipeline. */
#include "emit/report.h"

#include <assert.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/epilogue.h"
#include "plan/exchange.h"
#include "plan/operation.h"
#include "plan/target.h"

static const char *keep(gg_report *report, gg_str *text) {
  const char *copy =
      text->failed ? NULL : gg_arena_strndup(&report->arena, gg_str_text(text), text->length);
  gg_str_free(text);
  if (!copy) report->failed = true;
  return copy ? copy : "";
}

static gg_fact *add(gg_report *report, const char *section, const char *name) {
  assert(report->count < GG_FACTS_MAX);
  gg_fact *fact = &report->facts[report->count++];
  *fact = (gg_fact){.section = section, .name = name};
  return fact;
}

GG_PRINTF(4, 5)
static gg_fact *add_text(gg_report *report, const char *section, const char *name,
                         const char *format, ...) {
  gg_str text = GG_STR_INIT;
  va_list arguments;
  va_start(arguments, format);
  gg_str_vprintf(&text, format, arguments);
  va_end(arguments);
  gg_fact *fact = add(report, section, name);
  fact->text = keep(report, &text);
  return fact;
}

static void add_number(gg_report *report, const char *section, const char *name, int64_t value,
                       const char *remark) {
  gg_fact *fact = add_text(report, section, name, "%lld", (long long)value);
  fact->number = true;
  fact->remark = remark;
}

/* ---- Sections --------------------------------------------------------------------------- */

static const char *type_name(gg_dtype type) {
  return gg_dtype_info_of(type)->name;
}

static void report_kernel(gg_report *report, const gg_plan *plan) {
  char arch[GG_ARCH_NAME_MAX];
  add_text(report, "kernel", "name", "%s", plan->name);
  add_text(report, "kernel", "family", "%s", plan->target->family)->remark = plan->target->summary;
  add_text(report, "kernel", "arch", "%s", gg_arch_name(arch, plan->arch))->remark =
      plan->arch.suffix == 'a'   ? "alone"
      : plan->arch.suffix == 'f' ? "and newer ones of its family"
                                 : "or newer";
}

static void report_operand(gg_report *report, const char *name, gg_operand operand,
                           const char *shape) {
  static const char *const major[] = {
      [GG_MAJOR_K] = "k-major", [GG_MAJOR_M] = "m-major", [GG_MAJOR_N] = "n-major"};
  add_text(report, "problem", name, "%s %s %s, aligned to %d B", shape, type_name(operand.type),
           major[operand.major], operand.align);
}

static void report_extent(gg_report *report, const char *name, int64_t fixed) {
  if (fixed == GG_FIXED_NONE) {
    add_text(report, "problem", name, "dynamic");
  } else {
    add_number(report, "problem", name, fixed, NULL);
  }
}

static void report_problem(gg_report *report, const gg_plan *plan) {
  report_operand(report, "A", plan->a, "M x K");
  report_operand(report, "B", plan->b, "N x K");
  if (plan->has_c) report_operand(report, "C", plan->c, "M x N");
  report_operand(report, "D", plan->d, "M x N");
  gg_fact *fact = add_text(report, "problem", "accumulator", "%s", type_name(plan->accumulator));
  if (plan->accumulator_bits) {
    gg_str remark = GG_STR_INIT;
    gg_str_printf(&remark, "sums of products keep %d bits of it", plan->accumulator_bits);
    if (plan->promote) gg_str_printf(&remark, ", over %d of K", plan->promote * plan->mma.k);
    fact->remark = keep(report, &remark);
  }
  report_extent(report, "m", plan->fixed_m);
  report_extent(report, "n", plan->fixed_n);
  report_extent(report, "k", plan->fixed_k);
  report_extent(report, "batch", plan->fixed_batch);
}

static void report_atom(gg_report *report, const gg_mma_atom *atom) {
  gg_str ptx = GG_STR_INIT, cute = GG_STR_INIT;
  gg_mma_atom_ptx(&ptx, atom);
  gg_mma_atom_cute(&cute, atom);
  gg_fact *fact = add(report, "tile", "atom");
  if (ptx.length == 0) { /* more or less than one instruction */
    gg_str_free(&ptx);
    fact->text = keep(report, &cute);
    return;
  }
  fact->text = keep(report, &ptx);
  fact->remark = keep(report, &cute);
}

static void report_tile(gg_report *report, const gg_plan *plan) {
  gg_str workers = GG_STR_INIT, block = GG_STR_INIT;
  gg_str_printf(&workers, "%ss along M x N", plan->target->worker);
  gg_str_printf(&block, "of a %s", plan->target->worker);
  add_text(report, "tile", "shape", "%dx%dx%d", plan->tile_m, plan->tile_n, plan->tile_k)->remark =
      "M x N x K of a CTA";
  report_atom(report, &plan->mma);
  if (plan->swap_ab) {
    add_text(report, "tile", "swap_ab", "true")->remark =
        "D^T = B * A^T: below, A is this B and M this N";
  }
  if (plan->a_in_registers) {
    add_text(report, "tile", "operand_source", "%s from registers", plan->swap_ab ? "B" : "A");
  }
  add_text(report, "tile", "atom_layout", "%dx%d", plan->atoms_m, plan->atoms_n)->remark =
      keep(report, &workers);
  add_text(report, "tile", "block", "%dx%d", gg_plan_block_m(plan), gg_plan_block_n(plan))->remark =
      keep(report, &block);
}

static void report_pipeline(gg_report *report, const gg_plan *plan) {
  if (plan->stages == 0) return;
  add_number(report, "pipeline", "stages", plan->stages, NULL);
  if (plan->copy_bytes_a) {
    add_number(report, "pipeline", "copy_bytes_a", plan->copy_bytes_a, "B a copy");
  }
  if (plan->copy_bytes_b) {
    add_number(report, "pipeline", "copy_bytes_b", plan->copy_bytes_b, "B a copy");
  }
  if (plan->copies_ahead) {
    add_number(report, "pipeline", "copies_ahead", plan->copies_ahead, "stages");
  }
  add_text(report, "pipeline", "swizzle_a", "%s", gg_swizzle_name(plan->swizzle_a));
  add_text(report, "pipeline", "swizzle_b", "%s", gg_swizzle_name(plan->swizzle_b));
  if (plan->consumers) {
    add_number(report, "pipeline", "consumers", plan->consumers,
               plan->pingpong ? "take whole tiles in turns" : "share each tile");
    add_number(report, "pipeline", "consumer_registers", plan->consumer_registers, "a thread");
    add_number(report, "pipeline", "producer_registers", plan->producer_registers, "a thread");
  }
}

static void report_schedule(gg_report *report, const gg_plan *plan) {
  static const char *const rasters[] = {[GG_RASTER_ALONG_M] = "along_m",
                                        [GG_RASTER_ALONG_N] = "along_n",
                                        [GG_RASTER_HILBERT] = "hilbert"};
  static const char *const schedulers[] = {[GG_SCHEDULER_DATA_PARALLEL] = "data_parallel",
                                           [GG_SCHEDULER_PERSISTENT] = "persistent",
                                           [GG_SCHEDULER_SPLIT_K] = "split_k",
                                           [GG_SCHEDULER_STREAM_K] = "stream_k"};
  add_text(report, "schedule", "scheduler", "%s", schedulers[plan->scheduler]);
  if (plan->splits) {
    add_number(report, "schedule", "splits", plan->splits, "parts of K, at most");
  } else if (plan->scheduler == GG_SCHEDULER_SPLIT_K) {
    add_text(report, "schedule", "splits", "chosen at launch");
  }
  if (plan->cluster_k > 1) {
    add_text(report, "schedule", "cluster", "%dx%dx%d", plan->cluster_m, plan->cluster_n,
             plan->cluster_k)
        ->remark = "CTAs along M x N x K: those along K add up their sums";
  } else if (gg_plan_cluster_size(plan) > 1) {
    add_text(report, "schedule", "cluster", "%dx%d", plan->cluster_m, plan->cluster_n)->remark =
        "CTAs along M x N";
  }
  add_text(report, "schedule", "raster", "%s", rasters[plan->raster]);
  if (plan->raster != GG_RASTER_HILBERT) {
    add_number(report, "schedule", "raster_group", plan->raster_group, "tiles a band");
  }
}

/* What happens to x, which begins as an accumulator, a step a line. */
static void report_operations(gg_report *report, const gg_plan *plan) {
  for (size_t i = 0; i < plan->operation_count; i++) {
    gg_str number = GG_STR_INIT, operation = GG_STR_INIT;
    gg_str_printf(&number, "step %zu", i + 1);
    gg_operation_print(&operation, &plan->operations[i]);
    add(report, "epilogue", keep(report, &number))->text = keep(report, &operation);
  }
  add_text(report, "epilogue", "computed in", "%s", type_name(plan->compute));
}

static void report_decisions(gg_report *report, const gg_plan *plan, const gg_layouts *layouts) {
  report_tile(report, plan);
  report_pipeline(report, plan);
  report_schedule(report, plan);
  report_operations(report, plan);
  if (plan->epi_m) {
    add_text(report, "epilogue", "staged", "%dx%d", plan->epi_m, plan->epi_n)->remark =
        "elements of a warp at once";
  }
  if (layouts->fetch_stages) {
    add_number(report, "epilogue", "fetch_stages", layouts->fetch_stages,
               "behind a tile's last K tile, of matrices that the epilogue reads");
  }
  if (plan->vector_buffers) {
    add_number(report, "epilogue", "vector_buffers", plan->vector_buffers,
               "that a tile's vectors are read ahead to");
  }
  add_number(report, "launch", "threads", plan->threads, NULL);
}

static void report_layouts(gg_report *report, const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->named_count; i++) {
    const gg_named_layout *named = &layouts->named[i];
    gg_str text = GG_STR_INIT;
    gg_composed_print(&text, &named->layout, GG_NOTATION_PLAIN);
    gg_fact *fact = add(report, "layouts", named->name);
    fact->text = keep(report, &text);
    fact->remark = named->maps;
  }
}

/* What a map is of: "box of A", "box of residual2". */
static const char *mapped(const gg_operand **operand, gg_report *report, const gg_plan *plan,
                          gg_param param) {
  if (param >= GG_PARAM_MAP_EXTRA) {
    size_t index = (size_t)(param - GG_PARAM_MAP_EXTRA);
    char name[GG_OPERATION_NAME_MAX];
    gg_str text = GG_STR_INIT;
    gg_str_printf(&text, "box of %s", gg_operation_name(name, plan->operations, index));
    *operand = &plan->operations[index].operand;
    return keep(report, &text);
  }
  bool is_a = param == GG_PARAM_MAP_A, is_b = param == GG_PARAM_MAP_B,
       is_c = param == GG_PARAM_MAP_C;
  *operand = is_a ? &plan->a : is_b ? &plan->b : is_c ? &plan->c : &plan->d;
  return is_a ? "box of A" : is_b ? "box of B" : is_c ? "box of C" : "box of D";
}

/* The boxes of tensor maps. */
static void report_maps(gg_report *report, const gg_plan *plan, const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->map_count; i++) {
    const gg_tensor_map *map = &layouts->maps[i];
    const gg_operand *operand;
    gg_fact *fact = add_text(report, "tensor maps", mapped(&operand, report, plan, map->param),
                             "%d x %d", map->box[0], map->box[1]);
    int bits = gg_dtype_info_of(operand->type)->bits;
    gg_str remark = GG_STR_INIT;
    gg_str_printf(&remark, "contiguous elements x lines, %d B, ",
                  map->box[0] * map->box[1] * bits / 8);
    if (map->swizzle_bytes) {
      gg_str_printf(&remark, "swizzle %d B", map->swizzle_bytes);
    } else {
      gg_str_puts(&remark, "no swizzle");
    }
    fact->remark = keep(report, &remark);
  }
}

static void report_memory(gg_report *report, const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->region_count; i++) {
    const gg_smem_region *region = &layouts->regions[i];
    add_text(report, "shared memory", region->name, "%lld..%lld", (long long)region->offset,
             (long long)(region->offset + region->bytes))
        ->remark = "B";
  }
  add_number(report, "shared memory", "total", layouts->smem_bytes, "B a CTA");
  for (size_t i = 0; i < layouts->access_count; i++) {
    const gg_smem_access *access = &layouts->accesses[i];
    gg_fact *fact = add_text(report, "bank conflicts", access->name, "%.2f",
                             (double)access->wavefronts.taken / access->wavefronts.least);
    fact->number = true;
    fact->remark = access->wavefronts.taken == access->wavefronts.least
                       ? "no conflict"
                       : "times the fewest wavefronts";
  }
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Of a thread's registers, those that are not of fragments are guessed: addresses and loops. */
static int64_t occupancy(const gg_plan *plan, const gg_layouts *layouts) {
  const gg_arch_info *limits = plan->limits;
  int64_t ctas = limits->smem_per_sm / (layouts->smem_bytes + GG_SMEM_RESERVED);
  ctas = least(ctas, limits->threads_per_sm / plan->threads);
  ctas = least(ctas, limits->ctas_per_sm);
  enum { others = 32 };
  int64_t registers = layouts->accumulator_registers + layouts->fragment_registers + others;
  return least(ctas, GG_REGISTERS_PER_SM / (registers * plan->threads));
}

static void report_cost(gg_report *report, const gg_plan *plan, const gg_layouts *layouts) {
  add_number(report, "cost", "accumulator_registers", layouts->accumulator_registers, "a thread");
  if (layouts->fragment_registers) {
    add_number(report, "cost", "fragment_registers", layouts->fragment_registers,
               "a thread, double buffered");
  }
  if (plan->stages) {
    add_number(report, "cost", "smem_bytes_per_stage", layouts->smem_bytes_per_stage, "B");
  }
  int64_t ctas = occupancy(plan, layouts);
  add_number(report, "cost", "ctas_per_sm", ctas, "by shared memory, threads and registers");
  add_number(report, "cost", "warps_per_sm", ctas * plan->threads / GG_WARP, NULL);
  double flop = 2.0 * plan->tile_m * plan->tile_n * plan->tile_k;
  double bytes = ((double)plan->tile_m * gg_dtype_info_of(plan->a.type)->bits +
                  (double)plan->tile_n * gg_dtype_info_of(plan->b.type)->bits) /
                 8 * plan->tile_k;
  gg_fact *fact = add_text(report, "cost", "arithmetic_intensity", "%.1f", flop / bytes);
  fact->number = true;
  fact->remark = "FLOP per byte from global memory (L2), a tile";
}

gg_status gg_report_make(gg_report *out, const gg_plan *plan, const gg_layouts *layouts,
                         gg_error *err) {
  const gg_plan as_asked = gg_plan_as_asked(plan);
  *out = (gg_report){.arena = GG_ARENA_INIT};
  if (plan->note) {
    out->note = gg_arena_strndup(&out->arena, plan->note, strlen(plan->note));
    out->failed = !out->note;
  }
  report_kernel(out, plan);
  report_problem(out, &as_asked);
  report_decisions(out, &as_asked, layouts);
  report_layouts(out, layouts);
  report_maps(out, plan, layouts);
  report_memory(out, layouts);
  report_cost(out, plan, layouts);
  return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

void gg_report_free(gg_report *report) {
  gg_arena_free(&report->arena);
}

/* ---- Printing --------------------------------------------------------------------------- */

static bool starts_section(const gg_report *report, size_t i) {
  return i == 0 || strcmp(report->facts[i].section, report->facts[i - 1].section) != 0;
}

/* What would pass the last column stands on a line of its own. */
static void print_fact(gg_str *out, const gg_fact *fact, const char *prefix, int width) {
  enum { last_column = 100 };
  int length = (int)(strlen(prefix) + 2 + (size_t)width + 2 + strlen(fact->text));
  if (length > last_column) {
    gg_str_printf(out, "%s  %s\n%s    %s", prefix, fact->name, prefix, fact->text);
  } else {
    gg_str_printf(out, "%s  %-*s  %s", prefix, width, fact->name, fact->text);
  }
  if (fact->remark && length + 5 + (int)strlen(fact->remark) > last_column) {
    gg_str_printf(out, "\n%s  %-*s    -- %s", prefix, width, "", fact->remark);
  } else if (fact->remark) {
    gg_str_printf(out, "  -- %s", fact->remark);
  }
  gg_str_putc(out, '\n');
}

void gg_report_print(gg_str *out, const gg_report *report, const char *prefix) {
  size_t width = 0;
  for (size_t i = 0; i < report->count; i++) {
    size_t length = strlen(report->facts[i].name);
    if (length > width) width = length;
  }
  for (size_t i = 0; i < report->count; i++) {
    if (starts_section(report, i)) gg_str_printf(out, "%s%s\n", prefix, report->facts[i].section);
    print_fact(out, &report->facts[i], prefix, (int)width);
  }
}

void gg_report_json(gg_str *out, const gg_report *report) {
  gg_str_putc(out, '{');
  for (size_t i = 0; i < report->count; i++) {
    const gg_fact *fact = &report->facts[i];
    bool starts = starts_section(report, i);
    if (starts) {
      gg_str_puts(out, i ? "\n  },\n  " : "\n  ");
      gg_str_json(out, fact->section);
      gg_str_puts(out, ": {");
    }
    gg_str_puts(out, starts ? "\n    " : ",\n    ");
    gg_str_json(out, fact->name);
    gg_str_puts(out, ": ");
    if (fact->number) {
      gg_str_puts(out, fact->text);
    } else {
      gg_str_json(out, fact->text);
    }
  }
  gg_str_puts(out, "\n  }\n}\n");
}
