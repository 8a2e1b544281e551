/* The report: every decision and every layout of one kernel, in the order of the pipeline.
 *
 * Decisions are shown as their rows in plan.def say, in the order of the rows and in the terms of
 * the spec. What is derived from them comes behind, in the terms of the plan. */
#include "emit/report.h"

#include <assert.h>
#include <string.h>

#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/epilogue.h"
#include "plan/gate.h"
#include "plan/occupancy.h"
#include "plan/operands.h"
#include "plan/operation.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sparse.h"
#include "plan/target.h"
#include "plan/transpose.h"

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

/* ---- Decisions: each as plan.def says ----------------------------------------------------- */

/* A decision on its way into the report: where it is shown, the plan, and its value in there. */
typedef struct shown {
  gg_report *report;
  const gg_plan *plan;
  const void *value;
  const char *section, *label, *remark;
} shown;

static gg_fact *show_text(const shown *s, const char *text) {
  gg_fact *fact = add_text(s->report, s->section, s->label, "%s", text);
  fact->remark = s->remark;
  return fact;
}

static void show_number(const shown *s, int64_t value, const char *remark) {
  add_number(s->report, s->section, s->label, value, remark);
}

static void show_number_if_any(const shown *s) {
  int value = *(const int *)s->value;
  if (value) show_number(s, value, s->remark);
}

static void show_flag_if_set(const shown *s) {
  if (*(const bool *)s->value) show_text(s, "true");
}

static void show_bits(const shown *s) {
  if (*(const bool *)s->value) show_text(s, "xor");
}

static void show_sparse(const shown *s) {
  shown of_b = *s;
  of_b.label = "sparse B";
  show_flag_if_set(s->plan->swap_ab ? &of_b : s);
}

static const char *type_name(gg_dtype type) {
  return gg_dtype_info_of(type)->name;
}

static void show_type(const shown *s) {
  show_text(s, type_name(*(const gg_dtype *)s->value));
}

static void show_extent(const shown *s) {
  int64_t fixed = *(const int64_t *)s->value;
  if (fixed == GG_FIXED_NONE) {
    show_text(s, "dynamic");
  } else {
    show_number(s, fixed, s->remark);
  }
}

static void show_family(const shown *s) {
  show_text(s, s->plan->target->family)->remark = s->plan->target->summary;
}

static void show_arch(const shown *s) {
  char arch[GG_ARCH_NAME_MAX];
  gg_fact *fact = show_text(s, gg_arch_name(arch, s->plan->arch));
  fact->remark = s->plan->arch.suffix == 'a'   ? "alone"
                 : s->plan->arch.suffix == 'f' ? "and newer ones of its family"
                                               : "or newer";
}

/* An operand's remark is its shape, which stands in front of its value. */
static void show_operand(const shown *s) {
  static const char *const major[] = {
      [GG_MAJOR_K] = "k-major", [GG_MAJOR_M] = "m-major", [GG_MAJOR_N] = "n-major"};
  const gg_operand *operand = s->value;
  add_text(s->report, s->section, s->label, "%s %s %s, aligned to %d bytes", s->remark,
           type_name(operand->type), major[operand->major], operand->align);
}

static void show_c(const shown *s) {
  if (s->plan->has_c) show_operand(s);
}

/* D. Behind a gate it has half of the product's columns. */
static void show_d(const shown *s) {
  shown gated = *s;
  gated.remark = "M x N / 2";
  show_operand(gg_plan_is_gated(s->plan) ? &gated : s);
}

static void show_scaling(const shown *s) {
  const gg_scaling *scaling = s->value;
  if (!scaling->block) return;
  add_text(s->report, s->section, s->label, "%s, %d", type_name(scaling->type), scaling->block)
      ->remark = s->remark;
}

static void show_accumulator(const shown *s) {
  gg_str remark = GG_STR_INIT;
  gg_fact *fact = show_text(s, type_name(s->plan->accumulator));
  if (!s->plan->accumulator_bits) return;
  gg_str_printf(&remark, "sums of products keep %d bits of it", s->plan->accumulator_bits);
  if (s->plan->promote) gg_str_printf(&remark, ", over %d of K", s->plan->promote * s->plan->mma.k);
  fact->remark = keep(s->report, &remark);
}

static void show_shape(const shown *s) {
  const gg_plan *p = s->plan;
  gg_fact *fact =
      add_text(s->report, s->section, s->label, "%dx%dx%d", p->tile_m, p->tile_n, p->tile_k);
  fact->remark = s->remark;
}

/* Whether the atom takes its types as parameters, which the report shows elsewhere. */
static bool is_typed(const gg_mma_atom *mma) {
  return mma->row->kind == GG_MMA_tcgen05 || mma->row->kind == GG_MMA_mixed;
}

/* Appends CuTe's name of the atom. If it is a template whose arguments the report shows elsewhere,
 * these are replaced by the shape. */
static void write_cute(gg_str *out, const gg_mma_atom *mma) {
  gg_mma_atom_cute(out, mma);
  const char *arguments = strchr(gg_str_text(out), '<');
  if (!is_typed(mma) || !arguments) return;
  out->length = (size_t)(arguments - gg_str_text(out));
  gg_str_printf(out, ", %d x %d x %d", mma->m, mma->n, mma->k);
}

static void show_atom(const shown *s) {
  gg_str ptx = GG_STR_INIT, cute = GG_STR_INIT;
  gg_mma_atom_ptx(&ptx, &s->plan->mma);
  const char *types = strstr(gg_str_text(&ptx), ".row.col");
  if (types && is_typed(&s->plan->mma)) ptx.length = (size_t)(types - gg_str_text(&ptx));
  write_cute(&cute, &s->plan->mma);
  gg_fact *fact = add(s->report, s->section, s->label);
  if (ptx.length == 0) { /* no single PTX instruction */
    gg_str_free(&ptx);
    fact->text = keep(s->report, &cute);
    return;
  }
  if (gg_plan_wgmmas_beside(s->plan) > 1) gg_str_puts(&cute, "; two side by side");
  fact->text = keep(s->report, &ptx);
  fact->remark = keep(s->report, &cute);
}

static void show_issued(const shown *s) {
  if (!s->plan->widens) return;
  gg_str ptx = GG_STR_INIT;
  const gg_mma_atom issued = gg_issued_atom(s->plan);
  gg_mma_atom_ptx(&ptx, &issued);
  add_text(s->report, s->section, s->label, "%s", gg_str_text(&ptx))->remark =
      "two for each atom, of elements that lanes convert";
  gg_str_free(&ptx);
}

static void show_operand_source(const shown *s) {
  if (s->plan->a_in_registers)
    show_text(s, gg_as_asked(s->plan, "A from registers", "B from registers"));
  if (s->plan->a_in_tensor)
    show_text(s, gg_as_asked(s->plan, "A from tensor memory", "B from tensor memory"));
}

/* Shows the layout of atoms, with the block of the tile that follows from it. */
static void show_atom_layout(const shown *s) {
  const gg_plan *p = s->plan;
  if (gg_plan_in_tensor_memory(p)) {
    add_text(s->report, s->section, s->label, "%dx%d", p->tile_m / gg_plan_mma_rows(p),
             p->tile_n / p->mma.n)
        ->remark = "MMAs along M x N, of one CTA or pair";
    return;
  }
  gg_str workers = GG_STR_INIT, block = GG_STR_INIT;
  gg_str_printf(&workers, "%ss along M x N%s", p->target->worker,
                p->atoms_k > 1 ? " x K, whose sums meet behind the last K tile" : "");
  gg_str_printf(&block, "of a %s", p->target->worker);
  gg_fact *shape = p->atoms_k > 1
                       ? add_text(s->report, s->section, s->label, "%dx%dx%d", p->atoms_m,
                                  p->atoms_n, p->atoms_k)
                       : add_text(s->report, s->section, s->label, "%dx%d", p->atoms_m, p->atoms_n);
  shape->remark = keep(s->report, &workers);
  add_text(s->report, s->section, "block", "%dx%d", gg_plan_block_m(p), gg_plan_block_n(p))
      ->remark = keep(s->report, &block);
}

static void show_swizzle(const shown *s) {
  if (s->plan->stages) show_text(s, gg_swizzle_name(*(const gg_swizzle_kind *)s->value));
}

static void show_consumers(const shown *s) {
  if (s->plan->consumers)
    show_number(s, s->plan->consumers,
                gg_plan_in_tensor_memory(s->plan) ? "finishes each tile"
                : s->plan->pingpong               ? "take whole tiles in turns"
                                                  : "share each tile");
}

static void show_scheduler(const shown *s) {
  static const char *const schedulers[] = {[GG_SCHEDULER_DATA_PARALLEL] = "data_parallel",
                                           [GG_SCHEDULER_PERSISTENT] = "persistent",
                                           [GG_SCHEDULER_SPLIT_K] = "split_k",
                                           [GG_SCHEDULER_STREAM_K] = "stream_k",
                                           [GG_SCHEDULER_DYNAMIC] = "dynamic"};
  show_text(s, schedulers[s->plan->scheduler]);
}

static void show_splits(const shown *s) {
  if (s->plan->splits) {
    show_number(s, s->plan->splits, s->remark);
  } else if (s->plan->scheduler == GG_SCHEDULER_SPLIT_K) {
    show_text(s, "chosen at launch")->remark = NULL;
  }
}

static void show_cluster(const shown *s) {
  int m = s->plan->cluster_m, n = s->plan->cluster_n, k = s->plan->cluster_k;
  if (k > 1) {
    add_text(s->report, s->section, s->label, "%dx%dx%d", m, n, k)->remark =
        "CTAs along M x N x K: those along K add up their sums";
  } else if (m * n > 1) {
    add_text(s->report, s->section, s->label, "%dx%d", m, n)->remark = "CTAs along M x N";
  }
}

static void show_raster(const shown *s) {
  static const char *const rasters[] = {[GG_RASTER_ALONG_M] = "along_m",
                                        [GG_RASTER_ALONG_N] = "along_n",
                                        [GG_RASTER_HILBERT] = "hilbert"};
  show_text(s, rasters[s->plan->raster]);
}

static void show_raster_group(const shown *s) {
  if (s->plan->raster != GG_RASTER_HILBERT) show_number_if_any(s);
}

/* Shows the operations on x, which begins as an accumulator: one fact for each step. */
static void show_operations(const shown *s) {
  for (size_t i = 0; i < s->plan->operation_count; i++) {
    gg_str number = GG_STR_INIT, operation = GG_STR_INIT;
    gg_str_printf(&number, "%s %zu", s->label, i + 1);
    gg_operation_print(&operation, s->plan, &s->plan->operations[i]);
    add(s->report, s->section, keep(s->report, &number))->text = keep(s->report, &operation);
  }
}

static void show_staged(const shown *s) {
  if (s->plan->epi_m)
    add_text(s->report, s->section, s->label, "%dx%d", s->plan->epi_m, s->plan->epi_n)->remark =
        s->remark;
}

static void show_box_warps(const shown *s) {
  if (s->plan->box_warps > 1) show_number_if_any(s);
}

static void show_read_n(const shown *s) {
  if (s->plan->read_n)
    show_number(s, s->plan->read_n,
                gg_as_asked(s->plan, "columns of them, whose operands a thread reads at once",
                            "rows of them, whose operands a thread reads at once"));
}

static void show_access_bytes_c(const shown *s) {
  if (s->plan->has_c) show_number_if_any(s);
}

#define SHOWN(section, label, how, remark) section, label, show_##how, remark
#define BESIDE(member)                     NULL, NULL, NULL, NULL
static const struct row {
  const char *section, *label;
  void (*show)(const shown *s);
  const char *remark;
  size_t offset;
} rows[] = {
#define GG_DECISION(type, member, transposed, name, report) {report, offsetof(gg_plan, member)},
#include "plan/plan.def"
};

static void report_decisions(gg_report *report, const gg_plan *plan) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *row = &rows[i];
    const shown s = {report,       plan,       (const char *)plan + row->offset,
                     row->section, row->label, row->remark};
    if (row->show) row->show(&s);
  }
}

/* ---- What is derived ---------------------------------------------------------------------- */

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

/* The name of a map's fact: "box of A", "box of residual2". */
static const char *mapped(gg_report *report, const gg_plan *plan, const gg_tensor_map *map) {
  static const char *const names[] = {[GG_OPERAND_A] = "box of A",
                                      [GG_OPERAND_B] = "box of B",
                                      [GG_OPERAND_C] = "box of C",
                                      [GG_OPERAND_D] = "box of D",
                                      [GG_OPERAND_SCALE_A] = "box of scales of A",
                                      [GG_OPERAND_SCALE_B] = "box of scales of B",
                                      [GG_OPERAND_METADATA] = "box of metadata"};
  if (map->operand != GG_OPERAND_EXTRA) return names[map->operand];
  char name[GG_OPERATION_NAME_MAX];
  gg_str text = GG_STR_INIT;
  gg_operation_name(name, plan->operations, (size_t)map->operation);
  gg_str_printf(&text, "box of %s", name);
  return keep(report, &text);
}

/* Reports the map of an operand's last rows or columns. */
static void report_end(gg_report *report, const gg_plan *plan, const gg_tensor_map *map) {
  bool is_a = map->operand == GG_OPERAND_A;
  const char *name = is_a ? "at the end of A" : "at the end of B";
  bool lines = (is_a ? &plan->a : &plan->b)->major == GG_MAJOR_K;
  gg_fact *fact = lines ? add_text(report, "tensor maps", name, "%d x rest", map->box[0])
                        : add_text(report, "tensor maps", name, "rest x %d", map->box[1]);
  fact->remark = lines ? "as many lines as whole boxes leave"
                       : "as many elements of a line as whole boxes leave";
}

/* Reports the boxes of tensor maps. */
static void report_maps(gg_report *report, const gg_plan *plan, const gg_layouts *layouts) {
  for (size_t i = 0; i < layouts->map_count; i++) {
    const gg_tensor_map *map = &layouts->maps[i];
    bool metadata = map->modes[0] == GG_MAP_METADATA_TILE;
    if (map->modes[0] == GG_MAP_METADATA_BLOCK) {
      add_text(report, "tensor maps", mapped(report, plan, map), "%d x %d", map->box[2],
               map->box[3])
          ->remark = "blocks of 16 rows, zeros behind each, x along K";
      continue;
    }
    if (map->modes[2] == GG_MAP_HALF) {
      add_text(report, "tensor maps", mapped(report, plan, map), "%d x %d x %d", map->box[0],
               map->box[1], map->box[2])
          ->remark = "rows of each half of N";
      continue;
    }
    if (map->modes[1] == GG_MAP_HALF) {
      add_text(report, "tensor maps", mapped(report, plan, map), "%d x 2 x %d", map->box[0],
               map->box[2])
          ->remark = "rows of both halves of N, by turns";
      continue;
    }
    if (map->modes[0] == GG_MAP_SCALE_ATOM && map->rows_step) {
      add_text(report, "tensor maps", mapped(report, plan, map), "%d x %d",
               (map->box[1] - 1) / map->rows_step + 1, map->box[2])
          ->remark = "each third atom (128 rows x 4 factors) along the rows x along K";
      continue;
    }
    if (map->modes[0] == GG_MAP_SCALE_ATOM || metadata) {
      add_text(report, "tensor maps", mapped(report, plan, map), "%d x %d", map->box[1],
               map->box[2])
          ->remark = metadata ? "tiles of 128 rows x 16 bytes, along the rows x along K"
                              : "atoms of 128 rows x 4 factors, along the rows x along K";
      continue;
    }
    int64_t bytes = gg_dtype_bytes(map->type, (int64_t)map->box[0] * map->box[1]);
    gg_fact *fact = add_text(report, "tensor maps", mapped(report, plan, map), "%d x %d",
                             map->box[0], map->box[1]);
    gg_str remark = GG_STR_INIT;
    gg_str_printf(&remark, "contiguous elements x lines, %lld bytes, ", (long long)bytes);
    if (map->swizzle_bytes) {
      gg_str_printf(&remark, "swizzle %d bytes%s", map->swizzle_bytes,
                    map->swizzle_wide ? " by 32" : "");
    } else {
      gg_str_puts(&remark, "no swizzle");
    }
    fact->remark = keep(report, &remark);
    if (map->end) report_end(report, plan, map);
  }
}

/* ---- Operands, roles and rings ------------------------------------------------------------- */

static const char *operand_name(gg_report *report, const gg_plan *plan, const gg_operand_row *row) {
  static const char *const names[] = {[GG_OPERAND_A] = "A",
                                      [GG_OPERAND_B] = "B",
                                      [GG_OPERAND_C] = "C",
                                      [GG_OPERAND_D] = "D",
                                      [GG_OPERAND_SCALE_A] = "scales of A",
                                      [GG_OPERAND_SCALE_B] = "scales of B",
                                      [GG_OPERAND_SCALE_D] = "scales of D",

                                      [GG_OPERAND_METADATA] = "metadata of A"};
  if (row->id == GG_OPERAND_METADATA && plan->swap_ab) return "metadata of B";
  if (row->id != GG_OPERAND_EXTRA) return names[row->id];
  char name[GG_OPERATION_NAME_MAX];
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, gg_operation_name(name, plan->operations, (size_t)row->operation));
  return keep(report, &text);
}

/* Reports in whose stages each operand lies, and who brings it there or takes it from there. */
static void report_operands(gg_report *report, const gg_plan *plan, const gg_layouts *layouts) {
  static const char *const copies[] = {[GG_COPY_DIRECT] = "loaded and stored by threads",
                                       [GG_COPY_MAP] = "copied by its tensor map",
                                       [GG_COPY_THREADS] = "copied by threads"};
  gg_operand_row operands[GG_OPERAND_ROWS_MAX];
  size_t count = gg_operand_rows(operands, plan, layouts);
  for (size_t i = 0; i < count; i++) {
    const gg_operand_row *row = &operands[i];
    const char *name = operand_name(report, plan, row);
    gg_fact *fact;
    if (row->bytes) {
      fact = add_text(report, "operands", name, "%s, %lld..%lld of each", row->ring->name,
                      (long long)row->offset, (long long)(row->offset + row->bytes));
    } else {
      fact =
          add_text(report, "operands", name, "%s", row->ring ? row->ring->name : "global memory");
    }
    bool loaded = row->id == GG_OPERAND_METADATA && row->copy == GG_COPY_DIRECT;
    fact->remark = loaded ? "loaded to registers by threads" : copies[row->copy];
  }
}

static void report_roles(gg_report *report, const gg_rings *rings) {
  for (size_t i = 0; i < rings->role_count; i++) {
    const gg_role *role = &rings->roles[i];
    gg_str warps = GG_STR_INIT, remark = GG_STR_INIT;
    gg_str_printf(&warps, role->warps == 1 ? "warp %d" : "warps %d..%d", role->first_warp,
                  role->first_warp + role->warps - 1);
    gg_str_puts(&remark, role->elected ? "one thread" : "all threads");
    if (role->registers) gg_str_printf(&remark, ", %d registers each", role->registers);
    gg_fact *fact = add(report, "roles", role->name);
    fact->text = keep(report, &warps);
    fact->remark = keep(report, &remark);
  }
}

static const char *role_name(const gg_rings *rings, gg_role_id id) {
  const gg_role *role = gg_rings_role(rings, id);
  return role ? role->name : "";
}

/* Reports what completes a phase of these barriers. Those that are never used have no arrivals. */
static void report_barriers(gg_report *report, const gg_ring_barriers *barriers, int64_t tx_bytes) {
  gg_str text = GG_STR_INIT;
  if (!barriers->arrivals) return;
  gg_str_printf(&text, "%d arrival%s", barriers->arrivals, barriers->arrivals == 1 ? "" : "s");
  if (tx_bytes) gg_str_printf(&text, " and %lld bytes", (long long)tx_bytes);
  gg_fact *fact = add(report, "rings", barriers->name);
  fact->text = keep(report, &text);
  fact->remark = "end a phase";
}

/* Reports who fills and who drains each ring, and its barriers. */
static void report_rings(gg_report *report, const gg_rings *rings) {
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    gg_str size = GG_STR_INIT, remark = GG_STR_INIT;
    if (ring->instances > 1) gg_str_printf(&size, "%d x ", ring->instances);
    gg_str_printf(&size, "%d x %lld bytes", ring->depth, (long long)ring->bytes);
    gg_str_printf(&remark, "filled by %s, drained by %s", role_name(rings, ring->filled_by),
                  role_name(rings, ring->drained_by));
    gg_fact *fact = add(report, "rings", ring->name);
    fact->text = keep(report, &size);
    fact->remark = keep(report, &remark);
    report_barriers(report, &ring->full, ring->tx_bytes);
    for (int k = 0; k < ring->empties; k++)
      report_barriers(report, &ring->empty[k], 0);
  }
}

/* ---- Memory and cost ----------------------------------------------------------------------- */

/* Reports where something lies in shared memory. */
static void add_place(gg_report *report, const char *name, int64_t begin, int64_t bytes) {
  add_text(report, "shared memory", name, "%lld..%lld", (long long)begin,
           (long long)(begin + bytes))
      ->remark = "bytes";
}

static void report_memory(gg_report *report, const gg_layouts *layouts) {
  const gg_rings *rings = &layouts->rings;
  for (size_t i = 0; i < rings->count; i++)
    add_place(report, rings->list[i].name, rings->list[i].begin, gg_ring_bytes(&rings->list[i]));
  if (rings->barriers)
    add_place(report, "barriers", rings->barriers_begin,
              (int64_t)rings->barriers * GG_BARRIER_BYTES);
  add_number(report, "shared memory", "total", layouts->smem_bytes, "bytes a CTA");
  for (size_t i = 0; i < layouts->access_count; i++) {
    const gg_smem_access *access = &layouts->accesses[i];
    gg_fact *fact = add_text(report, "bank conflicts", access->name, "%.2f",
                             (double)access->wavefronts.taken / access->wavefronts.least);
    fact->number = true;
    bool is_free = access->wavefronts.taken == access->wavefronts.least;
    fact->remark = is_free ? "no conflict" : "times the fewest wavefronts";
    if (!is_free && access->why) {
      gg_str remark = GG_STR_INIT;
      gg_str_printf(&remark, "%s: %s", fact->remark, access->why);
      fact->remark = keep(report, &remark);
    }
  }
}

static void report_occupancy(gg_report *report, const gg_plan *plan, const gg_layouts *layouts) {
  gg_occupancy o = gg_occupancy_of(plan, layouts);
  gg_str remark = GG_STR_INIT;
  if (o.registers) {
    gg_str_printf(&remark, "if a thread takes at most %d registers", o.registers);
  } else {
    gg_str_printf(&remark, "as many as %s", o.most);
  }
  add_number(report, "cost", "ctas_per_sm", o.ctas, keep(report, &remark));
  add_number(report, "cost", "warps_per_sm", o.ctas * plan->threads / GG_WARP, "of these CTAs");
}

static void report_cost(gg_report *report, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_accumulator_place *sums = &layouts->accumulator;
  bool tensor_memory = sums->home == GG_HOME_TENSOR;
  gg_str remark = GG_STR_INIT;
  gg_str_puts(&remark, tensor_memory ? "that a CTA allocates" : "a thread");
  if (sums->sets > 1)
    gg_str_printf(&remark, ", %s %d sets", tensor_memory ? "for" : "in", sums->sets);
  if (tensor_memory)
    add_number(report, "cost", "tensor_memory_columns", sums->columns, keep(report, &remark));
  else
    add_number(report, "cost", "accumulator_registers", sums->registers, keep(report, &remark));
  if (gg_plan_is_scaled(plan))
    add_text(report, "cost", "scale_factor_columns", "%d..%d", layouts->scale_column,
             layouts->scale_column + gg_scale_columns(plan))
        ->remark = "of tensor memory, one stage's";
  if (plan->sparse_a && tensor_memory)
    add_text(report, "cost", "metadata_columns", "%d..%d", layouts->metadata_column,
             layouts->metadata_column + gg_metadata_columns(plan))
        ->remark = "of tensor memory, one stage's";
  if (plan->a_in_tensor)
    add_text(report, "cost", "operand_columns", "%d..%d", layouts->a_column,
             layouts->a_column + gg_sm100_columns_of_a(plan))
        ->remark =
        gg_as_asked(plan, "of tensor memory, one stage's A", "of tensor memory, one stage's B");
  if (layouts->metadata_registers)
    add_number(report, "cost", "metadata_registers", layouts->metadata_registers,
               "a thread, of two K tiles");
  if (layouts->fragment_registers) {
    add_number(report, "cost", "fragment_registers", layouts->fragment_registers,
               "a thread, double buffered");
  }
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES);
  if (stages) add_number(report, "cost", "smem_bytes_per_stage", stages->bytes, "bytes");
  report_occupancy(report, plan, layouts);
  double flop = 2.0 * plan->tile_m * plan->tile_n * plan->tile_k;
  int bits_a = gg_dtype_info_of(plan->a.type)->bits, bits_b = gg_dtype_info_of(plan->b.type)->bits;
  double bytes = ((double)plan->tile_m * gg_plan_k_of_a(plan, plan->tile_k) * bits_a +
                  (double)plan->tile_n * plan->tile_k * bits_b) /
                 8;
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
  add_text(out, "kernel", "name", "%s", plan->name);
  report_decisions(out, &as_asked);
  report_layouts(out, layouts);
  report_maps(out, plan, layouts);
  report_operands(out, plan, layouts);
  report_roles(out, &layouts->rings);
  report_rings(out, &layouts->rings);
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

/* Prints a fact. What would go beyond the last column gets a line of its own. */
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
