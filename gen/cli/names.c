#include "cli/names.h"

#include <assert.h>
#include <string.h>

#include "cli/specs.h"
#include "gemmgen_emu.h"
#include "pipeline.h"

static void name(cli_part_names *out, const gg_plan *plan, gg_part_kind what, const char *text,
                 int64_t first, int64_t count, int64_t each) {
  if (count <= 0) return;
  assert(out->count < CLI_PART_NAMES_MAX);
  out->list[out->count++] =
      (gg_part_name){plan->name, text, what, (uint32_t)first, (uint32_t)count, (uint32_t)each};
}

static void name_mbarriers(cli_part_names *out, const gg_plan *plan,
                           const gg_ring_barriers *barriers) {
  name(out, plan, GG_PART_SHARED, barriers->name, barriers->begin, barriers->count,
       GG_BARRIER_BYTES);
}

static void name_rings(cli_part_names *out, const gg_plan *plan, const gg_rings *rings) {
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    name(out, plan, GG_PART_SHARED, ring->name, ring->begin, (int64_t)ring->depth * ring->instances,
         ring->bytes);
    name_mbarriers(out, plan, &ring->full);
    for (int k = 0; k < ring->empties; k++)
      name_mbarriers(out, plan, &ring->empty[k]);
  }
}

/* Names the roles. Each group of consumers has a name of its own, although all are one role of the
 * kernel. */
static void name_roles(cli_part_names *out, const gg_plan *plan, const gg_rings *rings) {
  static const char *const consumers[] = {"consumer 0", "consumer 1", "consumer 2", "consumer 3"};
  if (!plan->specialised) return;
  for (size_t i = 0; i < rings->role_count; i++) {
    const gg_role *role = &rings->roles[i];
    if (role->id != GG_ROLE_CONSUMER)
      name(out, plan, GG_PART_WARPS, role->name, role->first_warp, 1, role->warps);
    for (int k = 0; k < role->groups && k < 4; k++) {
      int warps = role->warps / role->groups;
      name(out, plan, GG_PART_WARPS, consumers[k], role->first_warp + k * warps, 1, warps);
    }
  }
  if (plan->pingpong) name(out, plan, GG_PART_BARRIERS, "turn", 1, plan->consumers, 1);
}

void cli_part_names_make(cli_part_names *out, const gg_plan *plan, const gg_layouts *layouts) {
  out->count = 0;
  name_rings(out, plan, &layouts->rings);
  name_roles(out, plan, &layouts->rings);
}

void cli_name_kernel(const gg_plan *plan, const gg_layouts *layouts) {
  static const gg_emu_name_kind kinds[] = {[GG_PART_SHARED] = GG_EMU_NAME_SHARED,
                                           [GG_PART_WARPS] = GG_EMU_NAME_WARPS,
                                           [GG_PART_BARRIERS] = GG_EMU_NAME_BARRIERS};
  cli_part_names names;
  cli_part_names_make(&names, plan, layouts);
  for (size_t i = 0; i < names.count; i++) {
    const gg_part_name *n = &names.list[i];
    gg_emu_name(n->kernel, kinds[n->what], n->name, n->first, n->count, n->each);
  }
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
