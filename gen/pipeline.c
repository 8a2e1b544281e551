/* The architecture: gg_spec -> gg_plan -> gg_layouts -> gg_kernel, one stage after another. */
#include "pipeline.h"

#include "base/need.h"

#include "emit/emit.h"

const char *gg_version(void) {
  return GG_VERSION;
}

gg_status gg_compilation_run(gg_compilation *out, const gg_spec *spec, gg_error *err) {
  out->plan = GG_ARENA_NEW(&out->arena, gg_plan);
  out->layouts = GG_ARENA_NEW(&out->arena, gg_layouts);
  if (!out->plan || !out->layouts) return gg_fail(err, MEMORY, NULL, "");
  gg_status st;
  if ((st = gg_plan_choose(out->plan, spec, &out->arena, err))) return st;
  return gg_layouts_derive(out->layouts, out->plan, err);
}

void gg_compilation_free(gg_compilation *compilation) {
  gg_arena_free(&compilation->arena);
}

static gg_status generate(gg_kernel **out, const gg_spec *spec, bool ptx, gg_error *err) {
  gg_compilation compilation = GG_COMPILATION_INIT;
  *out = NULL;
  gg_status st = gg_compilation_run(&compilation, spec, err);
  if (st == GG_OK) st = gg_kernel_emit(out, compilation.plan, compilation.layouts, ptx, err);
  gg_compilation_free(&compilation);
  return st;
}

gg_status gg_kernel_generate(gg_kernel **out, const gg_spec *spec, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, spec);
  return generate(out, spec, false, err);
}

gg_status gg_kernel_generate_ptx(gg_kernel **out, const gg_spec *spec, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, spec);
  return generate(out, spec, true, err);
}

gg_status gg_report_of_spec(gg_report *out, const gg_spec *spec, gg_error *err) {
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_status st = gg_compilation_run(&compilation, spec, err);
  if (st == GG_OK) st = gg_report_make(out, compilation.plan, compilation.layouts, err);
  gg_compilation_free(&compilation);
  return st;
}

gg_status gg_spec_explain(gg_str *out, const gg_spec *spec, bool json, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, spec);
  gg_report report = {.arena = GG_ARENA_INIT};
  gg_status st = gg_report_of_spec(&report, spec, err);
  if (st == GG_OK && json) gg_report_json(out, &report);
  if (st == GG_OK && !json) gg_report_print(out, &report, "");
  if (st == GG_OK && out->failed) st = gg_fail(err, MEMORY, NULL, "");
  gg_report_free(&report);
  return st;
}
