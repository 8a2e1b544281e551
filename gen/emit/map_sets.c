#include "emit/map_sets.h"

#include "emit/sm90.h"
#include "plan/map_sets.h"
#include "plan/operands.h"
#include "plan/sm90.h"

enum { names_max = 2 * 4 }; /* of A, B, C and D, each with the map of its last lines */

/* A map that is changed: its operand's letter, and whether it is the one for the operand's last
 * lines. */
typedef struct changed {
  char letter;
  bool end;
} changed;

/* The maps of a set, in the order of the kernel's parameters. */
static size_t maps_of_set(changed out[names_max], const gg_plan *plan, const gg_layouts *layouts) {
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t rows_count = gg_operand_rows(rows, plan, layouts), count = 0;
  for (size_t i = 0; i < rows_count; i++) {
    if (!rows[i].map || !gg_plan_changes_map_of(plan, rows[i].id)) continue;
    char letter = gg_operand_word(rows[i].id)[0];
    out[count++] = (changed){letter, false};
    if (rows[i].map->end) out[count++] = (changed){letter, true};
  }
  return count;
}

static bool maps_d(const gg_layouts *layouts) {
  return layouts->results[layouts->result_count - 1].mapped;
}

/* ---- Who copies by them ----------------------------------------------------------------- */

/* Appends the lines that wait until the set of a tile is ready; `number` counts tiles. */
static void write_await(gg_str *out, const char *number) {
  gg_str_printf(out,
                "    const map_set &set = sets[set_of(%s)];\n"
                "    mbarrier_wait(full_maps(smem, set_of(%s)), round_of(%s));\n",
                number, number, number);
}

void gg_bind_set_of_producer(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool changes = gg_plan_changes_maps(plan);
  gg_str lines = GG_STR_INIT;
  gg_bind_text(out, "map_parameters",
               changes ? "map_set *sets," : "const tensor_map &map_a, const tensor_map &map_b,");
  gg_bind_text(out, "first_set", changes ? "  unsigned number = 0;  // of the tile\n" : "");
  if (changes) {
    write_await(&lines, "number");
    gg_str_puts(&lines, "    ++number;\n"
                        "    const tensor_map &map_a = set.a, &map_b = set.b");
    for (int i = 0; i < 2; i++) {
      bool end = gg_sm90_has_end(plan, i == 0 ? &plan->a : &plan->b);
      if (end) gg_str_printf(&lines, ", &end_%c = set.end_%c", "ab"[i], "ab"[i]);
    }
    gg_str_puts(&lines, ";\n");
    if (gg_sm90_fetches_behind(layouts)) gg_sm90_write_fetch_maps_of_set(&lines, plan, layouts);
  }
  gg_bind_str(out, "await_set", &lines);
}

/* Binds the sets that the fetching warp uses. Tiles that it fetches nothing for have sets, too. */
void gg_bind_set_of_fetcher(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  bool changes = gg_plan_changes_maps(plan) && gg_sm90_fetches_c(layouts);
  gg_str lines = GG_STR_INIT;
  gg_bind_text(out, "fetch_parameters",
               changes ? "map_set *sets, const fetch_maps &launch_maps,\n"
                         "                                               "
                         "const epilogue_operands &of,"
                       : "const fetch_maps &maps, const epilogue_operands &of,");
  gg_bind_text(out, "first_fetched_set", changes ? "  unsigned tiles = 0;  // so far\n" : "");
  gg_bind_text(out, "count_fetched_set", changes ? "    const unsigned nth = tiles++;\n" : "");
  if (changes) write_await(&lines, "nth");
  if (changes) gg_sm90_write_fetch_maps_of_set(&lines, plan, layouts);
  gg_bind_str(out, "await_fetched_set", &lines);
}

/* ---- The warp that changes maps --------------------------------------------------------- */

void gg_write_change_of_maps(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  changed maps[names_max];
  size_t count = maps_of_set(maps, plan, layouts);
  bool c = gg_sm90_fetches_c(layouts);
  gg_str_puts(out, "change_maps(sets");
  for (size_t i = 0; i < count; i++)
    gg_str_printf(out, ", %s_%c", maps[i].end ? "end" : "map", maps[i].letter);
  gg_str_printf(out, ", A, B,%s D, list,\n                               smem, lane);",
                c ? "\n                               operands.beta != 0.0f ? C : nullptr," : "");
}

static void bind_change(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  changed maps[names_max];
  size_t count = maps_of_set(maps, plan, layouts);
  gg_str members = GG_STR_INIT, parameters = GG_STR_INIT, copies = GG_STR_INIT,
         changes = GG_STR_INIT, acquires = GG_STR_INIT;
  for (size_t i = 0; i < count; i++) {
    const char *end = maps[i].end ? "end_" : "", *name = maps[i].end ? "end" : "map";
    const char letter = maps[i].letter;
    gg_str_printf(&members, "%s%s%c", i ? ", " : "", end, letter);
    gg_str_printf(&parameters, "%sconst tensor_map &%s_%c",
                  i ? ",\n                                            " : "", name, letter);
    gg_str_printf(&copies, "    copy_map(sets[set].%s%c, %s_%c, lane);\n", end, letter, name,
                  letter);
    gg_str_printf(&changes, "    change_address(maps.%s%c, g%c);\n", end, letter,
                  letter - 'a' + 'A');
    gg_str_printf(&acquires, "    acquire_map(maps.%s%c);\n", end, letter);
  }
  bool c = gg_sm90_fetches_c(layouts);
  gg_bind_flag(out, "maps_c", c);
  gg_bind_text(
      out, "behind_arrays",
      c ? "const c_t *const *C, d_t *const *D,\n"
          "                                            const work_list &list, unsigned smem, "
          "int lane"
        : "d_t *const *D, const work_list &list, unsigned smem,\n"
          "                                            int lane");
  gg_bind_str(out, "set_members", &members);
  gg_bind_str(out, "launch_maps", &parameters);
  gg_bind_str(out, "copy_maps", &copies);
  gg_bind_str(out, "change_addresses", &changes);
  gg_bind_str(out, "acquire_maps", &acquires);
}

/* ---- The consumers ---------------------------------------------------------------------- */

void gg_bind_map_sets(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts) {
  const gg_role *role = gg_rings_role(&layouts->rings, GG_ROLE_MAPS);
  gg_bind_part(out, "map_sets", role ? role->part : NULL);
  gg_bind_text(out, "find_sets",
               role ? "  map_set *const sets = map_sets + blockIdx.x * map_set_count;\n" : "");
  gg_bind_text(out, "begin_sets", role ? "    unsigned number = 0;  // of the tile\n" : "");
  bool apart = gg_plan_in_tensor_memory(plan);
  if (!apart) gg_bind_text(out, "skip_set", role && plan->pingpong ? "        ++number;\n" : "");
  gg_bind_text(out, "take_set",
               !role ? ""
               : maps_d(layouts)
                   ? "      const map_set &set = take_set(sets, number, smem, lane);\n"
                   : "      take_set(sets, number, smem, lane);\n");
  gg_bind_text(out, "next_set", role ? "      ++number;\n" : "");
  if (!role) return;
  gg_bind_text(out, "consumer_turns", apart ? "1" : "pingpong ? consumers : 1");
  gg_bind_flag(out, "maps_d", maps_d(layouts));
  gg_bind_flag(out, "tells_d", gg_sm90_epilogue_of(plan, layouts).addresses);
  bind_change(out, plan, layouts);
}
