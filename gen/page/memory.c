/* Shared memory as a bar, its rings, roles and accesses as tables; the map of tensor memory. */
#include "atom/dtype.h"
#include "atom/tmem.h"
#include "page/parts.h"
#include "plan/scales.h"
#include "plan/sm100.h"
#include "plan/sparse.h"
#include "plan/target.h"
#include "plan/transpose.h"

/* ---- Shared memory ------------------------------------------------------------------------ */

static void put_part(gg_str *out, const char *name, int64_t begin, int64_t bytes, int64_t all,
                     int hue) {
  if (bytes <= 0) return;
  gg_str_printf(out, "<div class=\"part hue%d\" style=\"flex-grow:%lld\" title=\"%s: %lld..%lld\">",
                hue, (long long)bytes, name, (long long)begin, (long long)(begin + bytes));
  if (bytes * 12 > all) gg_str_xml(out, name);
  gg_str_puts(out, "</div>");
}

static void put_number_cell(gg_str *out, int64_t value) {
  gg_str_printf(out, "<td class=\"number\">%lld</td>", (long long)value);
}

static void put_barriers(gg_str *out, const gg_ring_barriers *barriers, int64_t bytes) {
  if (!barriers->count) return;
  gg_str_printf(out, "<li><b>%s</b>: %d at byte %lld, a phase of each ends with %d arrival%s",
                barriers->name, barriers->count, (long long)barriers->begin, barriers->arrivals,
                barriers->arrivals == 1 ? "" : "s");
  if (bytes) gg_str_printf(out, " and %lld bytes", (long long)bytes);
  gg_str_puts(out, "</li>");
}

static const char *role_name(const gg_rings *rings, gg_role_id id) {
  const gg_role *role = gg_rings_role(rings, id);
  return role ? role->name : "all warps";
}

static void put_ring(gg_str *out, const gg_rings *rings, const gg_ring *ring) {
  gg_str_printf(out, "<tr id=\"ring-%d\"><th scope=\"row\">%s</th>", (int)ring->id, ring->name);
  put_number_cell(out, (int64_t)ring->depth * ring->instances);
  put_number_cell(out, ring->bytes);
  put_number_cell(out, ring->begin);
  gg_str_printf(out, "<td>%s</td><td>%s</td><td><ul>", role_name(rings, ring->filled_by),
                role_name(rings, ring->drained_by));
  put_barriers(out, &ring->full, ring->tx_bytes);
  for (int i = 0; i < ring->empties; i++)
    put_barriers(out, &ring->empty[i], 0);
  gg_str_puts(out, "</ul></td></tr>\n");
}

static void put_shared(gg_str *out, const gg_page *page) {
  const gg_rings *rings = &page->layouts->rings;
  int64_t all = page->layouts->smem_bytes, barriers = all - rings->barriers_begin;
  if (!rings->count) {
    gg_str_printf(out, "<p>This kernel has %lld bytes of shared memory, and no rings.</p>\n",
                  (long long)all);
    return;
  }
  gg_str_printf(out,
                "<p>%lld bytes of shared memory a CTA, in the order in which they lie.</p>\n"
                "<div class=\"bar\">",
                (long long)all);
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    if (!ring->reuses) put_part(out, ring->name, ring->begin, gg_ring_bytes(ring), all, (int)i % 6);
  }
  put_part(out, "barriers", rings->barriers_begin, barriers, all, 5);
  gg_str_puts(
      out, "</div>\n<div class=\"wide\"><table id=\"rings\"><thead><tr><th scope=\"col\">ring</th>"
           "<th scope=\"col\">stages</th><th scope=\"col\">bytes of one</th>"
           "<th scope=\"col\">from byte</th><th scope=\"col\">filled by</th>"
           "<th scope=\"col\">drained by</th><th scope=\"col\">barriers</th></tr></thead>"
           "<tbody>\n");
  for (size_t i = 0; i < rings->count; i++)
    put_ring(out, rings, &rings->list[i]);
  gg_str_puts(out, "</tbody></table></div>\n");
}

/* ---- Roles ------------------------------------------------------------------------------ */

static void put_roles(gg_str *out, const gg_rings *rings) {
  if (!rings->role_count) return;
  gg_str_puts(out, "<div class=\"wide\"><table id=\"roles\"><thead><tr><th scope=\"col\">role</th>"
                   "<th scope=\"col\">warps</th><th scope=\"col\">threads that work</th>"
                   "<th scope=\"col\">registers of a thread</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < rings->role_count; i++) {
    const gg_role *role = &rings->roles[i];
    gg_str_printf(out, "<tr><th scope=\"row\">%s</th><td>%d", role->name, role->first_warp);
    if (role->warps > 1) gg_str_printf(out, " to %d", role->first_warp + role->warps - 1);
    if (role->groups > 1) gg_str_printf(out, ", in %d groups", role->groups);
    gg_str_printf(out, "</td><td>%s</td><td>", role->elected ? "one" : "all");
    if (role->registers)
      gg_str_printf(out, "%d", role->registers);
    else
      gg_str_puts(out, "the launch's");
    gg_str_puts(out, "</td></tr>\n");
  }
  gg_str_puts(out, "</tbody></table></div>\n");
}

/* ---- Bank conflicts --------------------------------------------------------------------- */

static void put_accesses(gg_str *out, const gg_layouts *layouts) {
  if (!layouts->access_count) return;
  gg_str_puts(
      out, "<h3>Bank conflicts</h3>\n<p>What accesses to shared memory cost, worked out from the "
           "layouts, over a tile: a warp's access takes as many turns as its busiest bank has "
           "words.</p>\n<div class=\"wide\"><table id=\"accesses\"><thead><tr>"
           "<th scope=\"col\">access</th><th scope=\"col\">bytes a lane</th>"
           "<th scope=\"col\">turns</th><th scope=\"col\">the fewest</th>"
           "<th scope=\"col\">times</th><th scope=\"col\">why</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < layouts->access_count; i++) {
    const gg_smem_access *access = &layouts->accesses[i];
    const gg_wavefronts *w = &access->wavefronts;
    gg_str_printf(out, "<tr><th scope=\"row\">%s</th>", access->name);
    put_number_cell(out, access->bytes);
    put_number_cell(out, w->taken);
    put_number_cell(out, w->least);
    gg_str_printf(out, "<td class=\"number\">%.2f</td><td>", (double)w->taken / (double)w->least);
    if (w->taken == w->least)
      gg_str_puts(out, "no conflict");
    else if (access->why)
      gg_str_xml(out, access->why);
    gg_str_puts(out, "</td></tr>\n");
  }
  gg_str_puts(out, "</tbody></table></div>\n");
}

/* ---- Tensor memory ---------------------------------------------------------------------- */

/* Columns of tensor memory that hold something. */
typedef struct region {
  const char *name;
  int begin, columns;
} region;

enum { regions_max = 8 };

static size_t tensor_regions(region out[regions_max], const gg_page *page) {
  static const char *const sets[] = {"sums, set 0", "sums, set 1", "sums, set 2", "sums, set 3"};
  const gg_plan *plan = page->plan;
  const gg_layouts *l = page->layouts;
  size_t count = 0;
  int each = gg_sm100_accumulator_columns(plan);
  for (int i = 0; i < plan->accumulator_stages && i < 4; i++)
    out[count++] = (region){sets[i], i * each, each};
  if (gg_plan_is_scaled(plan)) {
    int k = gg_scale_atoms_k(plan), a = GG_SCALE_ATOM_COLUMNS * gg_scale_atoms_a(plan) * k;
    out[count++] = (region){"scale factors of A", l->scale_column, a};
    out[count++] = (region){"scale factors of B", l->scale_column + a,
                            GG_SCALE_ATOM_COLUMNS * gg_scale_places_b(plan) * k};
  }
  if (plan->sparse_a)
    out[count++] =
        (region){gg_as_asked(plan, "metadata of A", "metadata of B"), l->metadata_column,
                 gg_metadata_tiles_m(plan) * gg_metadata_tiles_k(plan) * GG_METADATA_TILE_COLUMNS};
  if (plan->a_in_tensor) out[count++] = (region){"A", l->a_column, gg_sm100_columns_of_a(plan)};
  return count;
}

static void put_tensor_memory(gg_str *out, const gg_page *page) {
  region regions[regions_max];
  size_t count = tensor_regions(regions, page);
  int allocated = page->layouts->accumulator.columns, at = 0;
  gg_str_printf(
      out,
      "<h3 id=\"tensor-memory\">Tensor memory</h3>\n<p>The CTA allocates %d of %d columns, "
      "of %d lanes of 32 bits each.</p>\n<div class=\"bar\">",
      allocated, GG_TMEM_COLUMNS, GG_TMEM_LANES);
  for (size_t i = 0; i < count; i++) {
    put_part(out, "nothing", at, regions[i].begin - at, allocated, 6);
    put_part(out, regions[i].name, regions[i].begin, regions[i].columns, allocated, (int)i % 6);
    at = regions[i].begin + regions[i].columns;
  }
  put_part(out, "nothing", at, allocated - at, allocated, 6);
  gg_str_puts(out, "</div>\n<table class=\"facts\"><thead><tr><th scope=\"col\">what</th>"
                   "<th scope=\"col\">first column</th><th scope=\"col\">columns</th></tr></thead>"
                   "<tbody>\n");
  for (size_t i = 0; i < count; i++) {
    gg_str_printf(out, "<tr><th scope=\"row\">%s</th>", regions[i].name);
    put_number_cell(out, regions[i].begin);
    put_number_cell(out, regions[i].columns);
    gg_str_puts(out, "</tr>\n");
  }
  gg_str_puts(out, "</tbody></table>\n");
}

void gg_page_memory(gg_str *out, const gg_page *page) {
  put_shared(out, page);
  put_roles(out, &page->layouts->rings);
  put_accesses(out, page->layouts);
  if (gg_plan_in_tensor_memory(page->plan)) put_tensor_memory(out, page);
}
