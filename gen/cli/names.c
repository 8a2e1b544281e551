#include "cli/names.h"

#include <string.h>

#include "cli/specs.h"
#include "gemmgen_emu.h"
#include "pipeline.h"

static void name(const gg_plan *plan, gg_emu_name_kind kind, const char *text, int64_t first,
                 int64_t count, int64_t each) {
  if (count > 0) {
    gg_emu_name(plan->name, kind, text, (unsigned)first, (unsigned)count, (unsigned)each);
  }
}

static void name_mbarriers(const gg_plan *plan, const gg_ring_barriers *barriers) {
  name(plan, GG_EMU_NAME_SHARED, barriers->name, barriers->begin, barriers->count,
       GG_BARRIER_BYTES);
}

static void name_rings(const gg_plan *plan, const gg_rings *rings) {
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    name(plan, GG_EMU_NAME_SHARED, ring->name, ring->begin, (int64_t)ring->depth * ring->instances,
         ring->bytes);
    name_mbarriers(plan, &ring->full);
    for (int k = 0; k < ring->empties; k++)
      name_mbarriers(plan, &ring->empty[k]);
  }
}

/* Each of the consumers' groups by itself; all of them are one role of the kernel's. */
static void name_roles(const gg_plan *plan, const gg_rings *rings) {
  static const char *const consumers[] = {"consumer 0", "consumer 1", "consumer 2", "consumer 3"};
  if (!plan->specialised) return;
  for (size_t i = 0; i < rings->role_count; i++) {
    const gg_role *role = &rings->roles[i];
    if (role->id != GG_ROLE_CONSUMER)
      name(plan, GG_EMU_NAME_WARPS, role->name, role->first_warp, 1, role->warps);
    for (int k = 0; k < role->groups && k < 4; k++) {
      int warps = role->warps / role->groups;
      name(plan, GG_EMU_NAME_WARPS, consumers[k], role->first_warp + k * warps, 1, warps);
    }
  }
  if (plan->pingpong) name(plan, GG_EMU_NAME_BARRIERS, "turn", 1, plan->consumers, 1);
}

void cli_name_kernel(const gg_plan *plan, const gg_layouts *layouts) {
  name_rings(plan, &layouts->rings);
  name_roles(plan, &layouts->rings);
}

static gg_status name_parts(void *user, const gg_spec *spec, gg_error *err) {
  (void)user;
  gg_compilation compilation = GG_COMPILATION_INIT;
  gg_status st = gg_compilation_run(&compilation, spec, err);
  if (!st) cli_name_kernel(compilation.plan, compilation.layouts);
  gg_compilation_free(&compilation);
  return st;
}

void cli_name_parts(int count, char **paths) {
  for (int i = 0; i < count; i++) {
    if (strcmp(paths[i], "-") != 0) cli_each_spec(1, &paths[i], false, name_parts, NULL);
  }
}
