#include "cli/names.h"

#include <string.h>

#include "cli/specs.h"
#include "gemmgen_emu.h"
#include "pipeline.h"

enum { mbarrier_bytes = 8, warps_a_group = 4 };

static void name(const gg_plan *plan, gg_emu_name_kind kind, const char *text, int64_t first,
                 int64_t count, int64_t each) {
  if (count > 0) {
    gg_emu_name(plan->name, kind, text, (unsigned)first, (unsigned)count, (unsigned)each);
  }
}

/* The mbarriers of the pipeline, in the order in which the templates have them; those of sums
 * follow (parts/sm90_parts.cu). */
static void name_mbarriers(const gg_plan *plan, const gg_layouts *layouts) {
  int64_t at = layouts->barriers_begin, ring = (int64_t)plan->stages * mbarrier_bytes;
  if (!at) return;
  name(plan, GG_EMU_NAME_SHARED, "full", at, plan->stages, mbarrier_bytes);
  if (!plan->specialised) return;
  name(plan, GG_EMU_NAME_SHARED, "empty", at + ring, plan->stages, mbarrier_bytes);
  int64_t sums = (layouts->smem_bytes - at - 2 * ring) / mbarrier_bytes;
  name(plan, GG_EMU_NAME_SHARED, "sums", at + 2 * ring, sums, mbarrier_bytes);
}

/* The first warpgroup loads, each of the others is a consumer. */
static void name_roles(const gg_plan *plan) {
  static const char *const consumers[] = {"consumer 0", "consumer 1", "consumer 2", "consumer 3"};
  if (!plan->specialised) return;
  name(plan, GG_EMU_NAME_WARPS, "producer", 0, 1, warps_a_group);
  for (int i = 0; i < plan->consumers && i < 4; i++) {
    name(plan, GG_EMU_NAME_WARPS, consumers[i], (i + 1) * warps_a_group, 1, warps_a_group);
  }
  if (plan->pingpong) name(plan, GG_EMU_NAME_BARRIERS, "turn", 1, plan->consumers, 1);
}

static gg_status name_parts(void *user, const gg_spec *spec, gg_error *err) {
  (void)user;
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_status st = gg_compilation_run(&compilation, spec, err);
  if (!st) {
    name_mbarriers(compilation.plan, compilation.layouts);
    name_roles(compilation.plan);
  }
  gg_compilation_free(&compilation);
  return st;
}

void cli_name_parts(int count, char **paths) {
  for (int i = 0; i < count; i++) {
    if (strcmp(paths[i], "-") != 0) cli_each_spec(1, &paths[i], false, name_parts, NULL);
  }
}
