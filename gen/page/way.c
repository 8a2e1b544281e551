/* A tile's path through the machine: the steps in words, the memories that it passes through and
 * who moves it between them, and the drawing of rings and roles. */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "page/parts.h"
#include "plan/operands.h"
#include "plan/target.h"
#include "plan/transpose.h"

/* ---- Steps ------------------------------------------------------------------------------ */

/* Puts the steps from the banner of the kernel's text: numbered sentences, whose further lines are
 * indented more. */
static void put_steps(gg_str *out, const char *cuda) {
  const char *at = strstr(cuda, "// What happens, in order"), *end = NULL;
  if (at) end = strstr(at, "\n// Parameters");
  if (!end) return;
  gg_str_puts(out, "<ol class=\"steps\">\n");
  bool open = false;
  for (at = strchr(at, '\n'); at && at < end; at = strchr(at, '\n')) {
    at += strspn(at, "\n/ ");
    if (at >= end) break;
    size_t digits = strspn(at, "0123456789"), length = strcspn(at, "\n");
    bool begins = digits > 0 && at[digits] == '.';
    if (begins) gg_str_puts(out, open ? "</li>\n<li>" : "<li>");
    if (begins) at += digits + 2, length -= digits + 2;
    if (!begins && open) gg_str_putc(out, ' ');
    open = open || begins;
    gg_page_put(out, at, length);
  }
  gg_str_puts(out, open ? "</li>\n</ol>\n" : "</ol>\n");
}

/* ---- Stations --------------------------------------------------------------------------- */

static const char *role_name(const gg_rings *rings, gg_role_id id) {
  const gg_role *role = gg_rings_role(rings, id);
  return role ? role->name : "all warps";
}

/* Opens the entry of a memory: where the tile is, and what lies there. More can be added to it. */
static void open_station(gg_str *out, const char *memory, const char *link, const char *what) {
  gg_str_puts(out, "<li class=\"station\"><b>");
  if (link)
    gg_str_printf(out, "<a href=\"#%s\">%s</a>", link, memory);
  else
    gg_str_puts(out, memory);
  gg_str_puts(out, "</b> ");
  gg_str_xml(out, what);
}

/* Puts the step from one memory to the next: by which instruction, and by which role. */
static void put_arrow(gg_str *out, const char *how, const char *link, const char *role) {
  gg_str_printf(out, "</li>\n<li class=\"arrow\"><a href=\"#%s\">%s</a><span>%s</span></li>\n",
                link, how, role);
}

/* Puts a cell for each stage of the ring, in the stage's colour. */
static void put_stages(gg_str *out, const gg_ring *ring) {
  gg_str_puts(out, "<span class=\"cells\" aria-hidden=\"true\">");
  for (int i = 0; i < ring->depth && i < 16; i++)
    gg_str_printf(out, "<span class=\"hue%d\">%d</span>", i % 6, i);
  gg_str_puts(out, "</span>");
}

static const gg_operand_row *row_of(const gg_operand_row *rows, size_t count, gg_operand_id id) {
  for (size_t i = 0; i < count; i++) {
    if (rows[i].id == id) return &rows[i];
  }
  return NULL;
}

static void put_global(gg_str *out, const gg_page *page) {
  const gg_plan *plan = page->plan;
  open_station(out, "Global memory", NULL, "");
  gg_str_printf(out, "%s: %s, %s: %s", gg_as_asked(plan, "A", "B"),
                gg_dtype_info_of(plan->a.type)->name, gg_as_asked(plan, "B", "A"),
                gg_dtype_info_of(plan->b.type)->name);
}

/* Puts the path into the stages of shared memory, where there are some. */
static void put_inputs(gg_str *out, const gg_page *page, const gg_operand_row *a) {
  const gg_rings *rings = &page->layouts->rings;
  const gg_ring *stages = gg_rings_find(rings, GG_RING_STAGES);
  if (!stages) return;
  bool map = a->copy == GG_COPY_MAP;
  put_arrow(out, map ? "tensor map: a box at once" : "copied by threads", map ? "map-a" : "layouts",
            role_name(rings, stages->filled_by));
  char link[GG_PAGE_LINK];
  snprintf(link, sizeof link, "ring-%d", (int)stages->id);
  open_station(out, "Shared memory", link, "");
  gg_str_printf(out, "%d stage%s of %lld bytes", stages->depth, stages->depth == 1 ? "" : "s",
                (long long)stages->bytes);
  put_stages(out, stages);
}

static void put_product(gg_str *out, const gg_page *page) {
  const gg_accumulator_place *sums = &page->layouts->accumulator;
  const gg_rings *rings = &page->layouts->rings;
  const gg_ring *stages = gg_rings_find(rings, GG_RING_STAGES);
  bool tensor = sums->home == GG_HOME_TENSOR, drawn = gg_layout_rank(&page->layouts->tCrC) == 2;
  gg_str ptx = GG_STR_INIT;
  gg_mma_atom_ptx(&ptx, &page->plan->mma);
  char name[48] = "multiply-adds";
  if (ptx.length)
    snprintf(name, sizeof name, "%.*s", (int)strcspn(gg_str_text(&ptx), "."), ptx.text);
  put_arrow(out, name, "atom", stages ? role_name(rings, stages->drained_by) : "all threads");
  open_station(out, tensor ? "Tensor memory" : "Registers",
               tensor  ? "tensor-memory"
               : drawn ? "view-c"
                       : NULL,
               "");
  if (tensor)
    gg_str_printf(out, "sums: %d columns, %d set%s", sums->columns, sums->sets,
                  sums->sets == 1 ? "" : "s");
  else
    gg_str_printf(out, "sums: %d a thread, %s", sums->registers,
                  gg_dtype_info_of(page->plan->accumulator)->name);
  out->failed = out->failed || ptx.failed;
  gg_str_free(&ptx);
  if (!tensor) return;
  put_arrow(out, "tcgen05.ld", "view-c", role_name(rings, GG_ROLE_CONSUMER));
  open_station(out, "Registers", "view-c", "what the epilogue computes with");
}

static void put_output(gg_str *out, const gg_page *page, const gg_operand_row *d) {
  const gg_rings *rings = &page->layouts->rings;
  const gg_ring *staging = gg_rings_find(rings, GG_RING_STAGING);
  char link[GG_PAGE_LINK];
  if (staging) {
    put_arrow(out, "the epilogue", "decisions", role_name(rings, staging->filled_by));
    snprintf(link, sizeof link, "ring-%d", (int)staging->id);
    open_station(out, "Staging", link, "");
    gg_str_printf(out, "%d x %d of %lld bytes", staging->instances, staging->depth,
                  (long long)staging->bytes);
    put_stages(out, staging);
  }
  bool map = d && d->copy == GG_COPY_MAP;
  put_arrow(out, map ? "tensor map" : "stores", map ? "map-d" : "layouts",
            staging ? role_name(rings, staging->drained_by) : "all threads");
  open_station(out, "Global memory", NULL, "D: ");
  gg_str_printf(out, "%s</li>\n", gg_dtype_info_of(page->plan->d.type)->name);
}

void gg_page_way(gg_str *out, const gg_page *page) {
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t count = gg_operand_rows(rows, page->plan, page->layouts);
  gg_str_puts(out,
              "<ol class=\"flow\" aria-label=\"Memories, and what moves a tile between them\">\n");
  put_global(out, page);
  put_inputs(out, page, row_of(rows, count, GG_OPERAND_A));
  put_product(out, page);
  put_output(out, page, row_of(rows, count, GG_OPERAND_D));
  gg_str_puts(out, "</ol>\n");
  put_steps(out, page->cuda);
  gg_str_puts(out, "<figure class=\"drawing\" tabindex=\"0\" aria-label=\"Rings and the roles that "
                   "fill and drain them\">\n");
  gg_str_puts(out, page->picture);
  gg_str_puts(out, "</figure>\n");
}
