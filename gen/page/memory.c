/* Shared memory as a bar, its rings as a table; tensor maps and matrix descriptors, field by field.
 */
#include "atom/dtype.h"
#include "page/parts.h"
#include "plan/operands.h"
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

void gg_page_memory(gg_str *out, const gg_page *page) {
  const gg_rings *rings = &page->layouts->rings;
  int64_t all = page->layouts->smem_bytes, barriers = all - rings->barriers_begin;
  if (!rings->count) {
    gg_str_printf(out, "<p>This kernel has %lld bytes of shared memory, and no rings.</p>\n",
                  (long long)all);
    return;
  }
  gg_str_printf(out,
                "<p>%lld bytes a CTA, in the order in which they lie.</p>\n<div class=\"bar\">",
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

/* ---- Tensor maps -------------------------------------------------------------------------- */

static const char *mode_name(gg_map_mode mode) {
  static const char *const names[] = {[GG_MAP_LINE] = "along a line",
                                      [GG_MAP_LINES] = "lines",
                                      [GG_MAP_BATCH] = "batch",
                                      [GG_MAP_SCALE_ATOM] = "an atom of factors",
                                      [GG_MAP_SCALE_ROWS] = "atoms along the rows",
                                      [GG_MAP_SCALE_K] = "atoms along K",
                                      [GG_MAP_METADATA_TILE] = "a tile of metadata",
                                      [GG_MAP_METADATA_ROWS] = "tiles along the rows",
                                      [GG_MAP_METADATA_K] = "tiles along K",
                                      [GG_MAP_METADATA_BLOCK] = "a block of metadata",
                                      [GG_MAP_METADATA_GAP] = "gaps",
                                      [GG_MAP_METADATA_BLOCKS] = "blocks",
                                      [GG_MAP_HALF] = "halves",
                                      [GG_MAP_HALF_LINES] = "lines of a half"};
  return (size_t)mode < sizeof names / sizeof *names && names[mode] ? names[mode] : "";
}

static void put_map(gg_str *out, const gg_plan *plan, const gg_tensor_map *map) {
  const char *name = map->operand == GG_OPERAND_A       ? gg_as_asked(plan, "A", "B")
                     : map->operand == GG_OPERAND_B     ? gg_as_asked(plan, "B", "A")
                     : map->operand == GG_OPERAND_EXTRA ? "an operation's matrix"
                                                        : gg_operand_word(map->operand);
  gg_str_printf(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>", name,
                gg_dtype_info_of(map->type)->name);
  for (int i = 0; i < map->rank; i++)
    gg_str_printf(out, "%s%d %s", i ? " x " : "", map->box[i], mode_name(map->modes[i]));
  gg_str_puts(out, "</td><td>");
  if (map->swizzle_bytes)
    gg_str_printf(out, "%d bytes", map->swizzle_bytes);
  else
    gg_str_puts(out, "none");
  gg_str_printf(out, "</td><td>%s</td></tr>\n",
                map->end ? "last lines by a second map, of as many as are left" : "");
}

static void put_maps(gg_str *out, const gg_page *page) {
  if (!page->layouts->map_count) {
    gg_str_puts(out, "<p>No operand is copied by a tensor map.</p>\n");
    return;
  }
  gg_str_puts(
      out, "<p>A tensor map is made at launch: where the matrix lies, its extents and "
           "strides; and the box that one instruction copies, as it is here.</p>\n"
           "<div class=\"wide\"><table id=\"maps\"><thead><tr><th scope=\"col\">map of</th>"
           "<th scope=\"col\">elements</th><th scope=\"col\">box</th><th scope=\"col\">swizzle</th>"
           "<th scope=\"col\">ends</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < page->layouts->map_count; i++)
    put_map(out, page->plan, &page->layouts->maps[i]);
  gg_str_puts(out, "</tbody></table></div>\n");
}

/* ---- Descriptors -------------------------------------------------------------------------- */

static void put_field(gg_str *out, const char *bits, const char *name, uint64_t value,
                      const char *unit) {
  gg_str_printf(
      out,
      "<tr><td>%s</td><th scope=\"row\">%s</th><td class=\"number\">%llu</td><td>%s</td></tr>\n",
      bits, name, (unsigned long long)value, unit);
}

static void put_descriptor(gg_str *out, const char *operand, const gg_boxed_tile *tile,
                           bool tcgen05) {
  uint64_t bits = tile->descriptor;
  if (!bits) return;
  gg_str_printf(out,
                "<table class=\"facts descriptor\"><caption>Matrix descriptor of %s's first MMA, "
                "at address 0: 0x%016llx</caption><tbody>\n",
                operand, (unsigned long long)bits);
  put_field(out, "0-13", "start address", bits & 0x3fff, "times 16 bytes");
  put_field(out, "16-29", "leading dimension offset", bits >> 16 & 0x3fff, "times 16 bytes");
  put_field(out, "32-45", "stride dimension offset", bits >> 32 & 0x3fff, "times 16 bytes");
  if (tcgen05)
    put_field(out, "61-63", "layout type", bits >> 61,
              "0 no swizzle, 1 128 bytes in units of 32, 2 128 bytes, 4 64 bytes, 6 32 bytes");
  else
    put_field(out, "62-63", "layout type", bits >> 62, "0 no swizzle, 1 128 bytes, 2 64, 3 32");
  gg_str_puts(out, "</tbody></table>\n");
}

void gg_page_descriptors(gg_str *out, const gg_page *page) {
  const gg_plan *plan = page->plan;
  bool tcgen05 = page->layouts->accumulator.home == GG_HOME_TENSOR;
  put_maps(out, page);
  put_descriptor(out, gg_as_asked(plan, "A", "B"), &page->layouts->boxes_a, tcgen05);
  put_descriptor(out, gg_as_asked(plan, "B", "A"), &page->layouts->boxes_b, tcgen05);
}
