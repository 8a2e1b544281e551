/* gg_layouts -> gg_kernel: banner, template, launch facts.
 *
 * A kernel owns everything that it points to, in one arena, so that it outlives spec and plan. */
#include "emit/emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "emit/operations.h"
#include "emit/ptx.h"
#include "emit/report.h"
#include "emit/skeleton.h"
#include "plan/distribution.h"
#include "plan/operands.h"
#include "plan/target.h"
#include "plan/transpose.h"
#include "spec/print.h"
#include "specialise/specialise.h"

/* A gg_kernel and what it points to. The public struct comes first, so that its address is that of
 * the whole. */
typedef struct kernel_memory {
  gg_kernel kernel;
  gg_arena arena;
  gg_str source;
  gg_expressions expressions;
  size_t code_begin, code_end; /* bytes of the source: behind the banner; before the fingerprint */
} kernel_memory;

/* ---- Launch facts ----------------------------------------------------------------------- */

/* The launch facts that need no memory: all except texts, parameters and expressions. */
static gg_kernel facts_of(const gg_plan *plan, const gg_plan *chosen, const gg_layouts *layouts) {
  const gg_distributed distributed = gg_distributed_of_plan(chosen);
  gg_kernel kernel = {
      .family = plan->target->family,
      .a = plan->a,
      .b = plan->b,
      .c = plan->c,
      .d = plan->d,
      .accumulator = plan->accumulator,
      .accumulator_bits = plan->accumulator_bits,
      .accumulator_span = plan->promote * plan->mma.k,
      .fixed_m = plan->fixed_m,
      .fixed_n = plan->fixed_n,
      .fixed_k = plan->fixed_k,
      .fixed_batch = plan->fixed_batch,
      .scale_a = plan->scale_a,
      .scale_b = plan->scale_b,
      .scale_d = plan->scale_d,
      .sparse_a = plan->sparse_a && !plan->swap_ab,
      .sparse_b = plan->sparse_a && plan->swap_ab,
      .pointers = plan->pointers,
      .xor_bits = plan->xor_bits,
      .rounded_a = plan->rounded_a,
      .rounded_b = plan->rounded_b,
      .operation_count = plan->operation_count,
      .grid = distributed.grid,
      .splits = distributed.splits,
      .tile_warps = distributed.tile_warps,
      .dependent = gg_plan_awaits(plan),
      .tile_m = plan->tile_m,
      .tile_n = plan->tile_n,
      .tile_k = plan->tile_k,
      .threads = plan->threads,
      .cluster_m = plan->cluster_m,
      .cluster_n = plan->cluster_n,
      .cluster_k = plan->cluster_k,
      .turns_pairs_m = plan->turns_pairs && !plan->swap_ab ? 4 * plan->tile_m : 0,
      .turns_pairs_n = plan->turns_pairs && plan->swap_ab ? 4 * plan->tile_n : 0,
      .turns_halves_m = plan->swap_ab ? plan->turns_columns * plan->tile_m : 0,
      .turns_halves_n = plan->swap_ab ? 0 : plan->turns_columns * plan->tile_n,
      .sum_bytes_m = plan->swap_ab ? distributed.sum_bytes_n : distributed.sum_bytes_m,
      .sum_bytes_n = plan->swap_ab ? distributed.sum_bytes_m : distributed.sum_bytes_n,
      .map_bytes = distributed.map_bytes,
      .smem_bytes = layouts->smem_bytes,
      .int32_coordinates = plan->target->int32_coordinates,
      .map_count = layouts->map_count,
  };
  memcpy(kernel.operations, plan->operations, sizeof kernel.operations);
  memcpy(kernel.maps, layouts->maps, sizeof kernel.maps);
  for (size_t i = 0; i < kernel.map_count; i++)
    kernel.maps[i].operand = gg_operand_as_asked(chosen, kernel.maps[i].operand);
  return kernel;
}

static gg_status copy_texts(gg_kernel *out, gg_arena *arena, const gg_plan *plan, gg_error *err) {
  char arch[GG_ARCH_NAME_MAX];
  gg_arch_name(arch, plan->arch);
  out->name = gg_arena_strndup(arena, plan->name, strlen(plan->name));
  out->arch = gg_arena_strndup(arena, arch, strlen(arch));
  out->note = plan->note ? gg_arena_strndup(arena, plan->note, strlen(plan->note)) : NULL;
  bool whole = out->name && out->arch && (out->note || !plan->note);
  return whole ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

/* Fills the launch facts in the terms of the spec, whatever the text calls its parameters. */
static gg_status fill_facts(kernel_memory *memory, const gg_plan *chosen, const gg_layouts *layouts,
                            gg_error *err) {
  const gg_plan plan = gg_plan_as_asked(chosen);
  gg_kernel *kernel = &memory->kernel;
  gg_param *params = GG_ARENA_ARRAY(&memory->arena, gg_param, GG_PARAMS_MAX);
  if (!params) return gg_fail(err, MEMORY, NULL, "");
  *kernel = facts_of(&plan, chosen, layouts);
  gg_status st = copy_texts(kernel, &memory->arena, &plan, err);
  if (st) return st;
  memory->expressions = plan.expressions;
  if (plan.expressions.count) kernel->expressions = memory->expressions.list;
  kernel->params = params;
  kernel->param_count = gg_kernel_params(params, chosen, layouts);
  for (size_t i = 0; i < kernel->param_count; i++)
    params[i] = gg_param_as_asked(chosen, params[i]);
  return GG_OK;
}

/* ---- Text ------------------------------------------------------------------------------- */

/* Binds the banner, which every template begins with. */
static gg_status bind_banner(gg_bindings *bindings, size_t *length, const gg_plan *plan,
                             const gg_layouts *layouts, bool ptx, gg_error *err) {
  gg_report report;
  gg_status st = gg_report_make(&report, plan, layouts, err);
  gg_str text = GG_STR_INIT;
  char arch[GG_ARCH_NAME_MAX];
  gg_arch_name(arch, plan->arch);
  gg_str_printf(&text, "// %s\n//\n// Made by gemmgen %s from this spec:\n//\n", plan->name,
                GG_VERSION);
  gg_spec_print(&text, plan->asked, "//   ");
  gg_str_puts(&text, "//\n");
  gg_outline_write(&text, plan, layouts, gg_skeletons[plan->target->id].steps);
  gg_str_puts(&text, "//\n// What was decided and derived from it:\n//\n");
  if (st == GG_OK) gg_report_print(&text, &report, "//   ");
  gg_str_printf(&text,
                ptx ? "//\n// By hand: ptxas -arch=%s FILE.ptx\n"
                    : "//\n// By hand: nvcc -std=c++17 -arch=%s -cubin FILE.cu\n",
                arch);
  *length = text.length;
  gg_bind_str(bindings, "banner", &text);
  gg_report_free(&report);
  return st;
}

static bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether `at` is behind a `//` in its line. */
static bool in_comment(const char *source, const char *at) {
  for (; at > source && at[-1] != '\n'; at--)
    if (at[0] == '/' && at[-1] == '/') return true;
  return false;
}

/* How often `name` occurs as an identifier in CUDA C++, not counting `//` comments. */
static int count_identifier(const char *source, const char *name) {
  int count = 0;
  size_t length = strlen(name);
  for (const char *at = source; (at = strstr(at, name)); at += length) {
    bool whole = (at == source || !is_identifier(at[-1])) && !is_identifier(at[length]);
    count += whole && !in_comment(source, at);
  }
  return count;
}

/* Checks that the kernel's name occurs in its text just once, where it is defined. */
static gg_status check_name(const gg_kernel *kernel, const gg_plan *plan, gg_error *err) {
  if (count_identifier(kernel->source, kernel->name) == 1) return GG_OK;
  return gg_fail(err, EMIT_NAME, &plan->spec->name.mark, kernel->name);
}

/* Ends the text with an entry whose name is a hash of everything before it. */
static gg_status write_fingerprint(kernel_memory *memory, gg_error *err) {
  char name[32];
  gg_str *source = &memory->source;
  memory->code_end = source->length;
  uint64_t hash = gg_hash_bytes(GG_HASH_BEGIN, gg_str_text(source), source->length);
  snprintf(name, sizeof name, "gemmgen_%016" PRIx64, hash);
  gg_str_puts(source,
              "\n// By this name a loader knows that a binary was made from this very text.\n");
  gg_str_printf(source,
                memory->kernel.ptx ? ".visible .entry %s() {\n  ret;\n}\n"
                                   : "extern \"C\" __global__ void %s() {}\n",
                name);
  memory->kernel.fingerprint = gg_arena_strndup(&memory->arena, name, strlen(name));
  bool failed = source->failed || !memory->kernel.fingerprint;
  return failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

/* Expands the template, and then removes what this kernel does not use (except from the banner).
 * PTX templates contain nothing unused. */
static gg_status write_code(kernel_memory *memory, const char *template_name,
                            const gg_bindings *bindings, gg_error *err) {
  gg_str general = GG_STR_INIT, *source = &memory->source;
  size_t banner = memory->code_begin;
  if (memory->kernel.ptx)
    return gg_template_expand(source, gg_template_files, template_name, bindings->rows,
                              bindings->count, err);
  gg_status st = gg_template_expand(&general, gg_template_files, template_name, bindings->rows,
                                    bindings->count, err);
  if (st == GG_OK && general.failed) st = gg_fail(err, MEMORY, NULL, "");
  if (st == GG_OK) {
    gg_str_append(source, gg_str_text(&general), banner);
    gg_str_putc(source, '\n');
    st = gg_specialise(source, gg_str_text(&general) + banner, general.length - banner, err);
  }
  gg_str_free(&general);
  return st;
}

/* For templates that have stamps: binds whether this kernel stamps, with what code, and where to.
 */
static void bind_trace(gg_bindings *out, const gg_plan *plan) {
  static const struct {
    const char *name, *where;
    int number;
  } rows[] = {
#define GG_STAMP(name, number, where) {#name, where, number},
#include "emit/stamps.def"
  };
  gg_bind_text(out, "traced",
               plan->trace ? "constexpr bool traced = true;\n"
                           : "constexpr bool traced = false;\n");
  gg_bind_part(out, "trace", plan->trace ? "trace" : NULL);
  if (!plan->trace) return;
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, "// What a stamp says happens, and behind it what `where` says.\n");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_str_printf(&text, "constexpr unsigned trace_%s = %d;", rows[i].name, rows[i].number);
    if (rows[i].where[0]) gg_str_printf(&text, "  // %s", rows[i].where);
    gg_str_putc(&text, '\n');
  }
  gg_bind_str(out, "trace_events", &text);
}

/* Binds the names of the CUDA C++ skeleton, or of a PTX template, and says which template it is. */
static gg_status bind_code(gg_bindings *bindings, const char **template_name, const gg_plan *plan,
                           const gg_layouts *layouts, bool ptx, gg_error *err) {
  const gg_skeleton *skeleton = &gg_skeletons[plan->target->id];
  gg_bind_text(bindings, "name", plan->name);
  *template_name = ptx ? gg_ptx_template(plan) : skeleton->template_name;
  if (ptx) return gg_ptx_bind(bindings, plan, layouts, err);
  gg_status st = skeleton->bind(bindings, plan, layouts, err);
  if (!st) gg_bind_operations(bindings, plan, layouts);
  if (plan->target->id != GG_TARGET_NAIVE) bind_trace(bindings, plan);
  return st;
}

static gg_status write_source(kernel_memory *memory, const gg_plan *plan, const gg_layouts *layouts,
                              gg_error *err) {
  gg_bindings bindings = {.arena = &memory->arena};
  const char *template_name;
  bool ptx = memory->kernel.ptx;
  gg_status st;
  if ((st = bind_banner(&bindings, &memory->code_begin, plan, layouts, ptx, err))) return st;
  if ((st = bind_code(&bindings, &template_name, plan, layouts, ptx, err))) return st;
  if ((st = gg_bindings_check(&bindings, err))) return st;
  st = write_code(memory, template_name, &bindings, err);
  if (!st) st = write_fingerprint(memory, err);
  memory->kernel.source = gg_str_text(&memory->source);
  memory->kernel.source_length = memory->source.length;
  return st ? st : check_name(&memory->kernel, plan, err);
}

gg_status gg_kernel_emit(gg_kernel **out, const gg_plan *plan, const gg_layouts *layouts, bool ptx,
                         gg_error *err) {
  *out = NULL;
  const char *lacks = ptx ? gg_ptx_lacks(plan, layouts) : NULL;
  if (lacks)
    return gg_fail(err, EMIT_PTX, &plan->asked->name.mark, plan->name, plan->target->family,
                   *lacks ? " with " : "", lacks);
  kernel_memory *memory = gg_malloc(sizeof *memory);
  if (!memory) return gg_fail(err, MEMORY, NULL, "");
  *memory = (kernel_memory){.arena = GG_ARENA_INIT, .source = GG_STR_INIT};
  gg_status st = fill_facts(memory, plan, layouts, err);
  memory->kernel.ptx = ptx;
  if (st == GG_OK) st = write_source(memory, plan, layouts, err);
  if (st) {
    gg_kernel_free(&memory->kernel);
    return st;
  }
  *out = &memory->kernel;
  return GG_OK;
}

const char *gg_kernel_code(const gg_kernel *kernel, size_t *length) {
  const kernel_memory *memory = (const kernel_memory *)kernel;
  *length = memory->code_end - memory->code_begin;
  return kernel->source + memory->code_begin;
}

void gg_kernel_free(gg_kernel *kernel) {
  if (!kernel) return;
  kernel_memory *memory = (kernel_memory *)kernel;
  gg_str_free(&memory->source);
  gg_arena_free(&memory->arena);
  gg_free(memory);
}
