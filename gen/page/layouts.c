/* Operands as pictures that answer questions: a canvas of a tile's elements, and as JSON what
 * page.js says of the element under the pointer. All numbers come from the layout algebra; the page
 * itself computes only an element's byte and bank. */
#include <string.h>

#include "atom/dtype.h"
#include "page/parts.h"
#include "plan/operands.h"
#include "plan/target.h"
#include "plan/transpose.h"

enum { elements_max = 65536 }; /* of a tile that is shown in full */

/* A tile, and which threads have its elements. What does not exist is NULL. */
typedef struct view {
  const char *id, *title;
  const char *row, *column; /* names of its modes */
  int64_t rows, columns;
  gg_dtype type;
  int bits;           /* bits of an element in `layout` */
  bool along_k;       /* the operand is contiguous along K */
  const char *memory; /* what `layout` maps to, in words */
  const gg_composed *layout;
  const gg_layout *copied, *held; /* (thread, value) to the colexicographic index in the tile */
  const char *copied_by, *held_as;
  int first_thread;           /* the first of the threads that `held` counts */
  const gg_ring *ring;        /* the ring in whose stages it lies */
  int64_t in_stage;           /* its first byte in a stage */
  bool last_first;            /* the last tile along K comes before the first */
  bool described;             /* MMAs read it there, by descriptors */
  const gg_boxed_tile *boxes; /* the boxes in which it is copied, and how MMAs find it in them */
} view;

/* ---- JSON --------------------------------------------------------------------------------- */

static void put_member(gg_str *out, const char *name, const char *text) {
  gg_str_json(out, name);
  gg_str_putc(out, ':');
  gg_str_json(out, text);
  gg_str_putc(out, ',');
}

/* Puts number `i` of a list. */
static void put_number(gg_str *out, int64_t i, int64_t number) {
  gg_str_printf(out, "%s%lld", i ? "," : "", (long long)number);
}

static void put_offsets(gg_str *out, const view *v) {
  int64_t size = v->rows * v->columns;
  gg_str text = GG_STR_INIT;
  gg_composed_print(&text, v->layout, GG_NOTATION_PLAIN);
  gg_str_puts(out, ",\"memory\":{");
  put_member(out, "name", v->memory);
  put_member(out, "layout", gg_str_shown(&text));
  out->failed = out->failed || text.failed;
  gg_str_free(&text);
  gg_str_puts(out, "\"offset\":[");
  for (int64_t i = 0; i < size; i++)
    put_number(out, i, gg_composed_at(v->layout, i));
  gg_str_puts(out, "],\"plain\":[");
  for (int64_t i = 0; i < size; i++)
    put_number(out, i, gg_layout_at(&v->layout->layout, i));
  gg_str_puts(out, "]}");
}

/* Puts the first holder of each element: a thread of the CTA, where the layout's threads begin at
 * `first`, and the number of its value; -1: no thread holds it. */
static gg_status put_holders(gg_str *out, const char *name, const char *what, const gg_layout *tv,
                             int first, const view *v, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  int64_t size = v->rows * v->columns;
  int64_t threads = gg_layout_mode_size(tv, 0), all = gg_layout_size(tv);
  int64_t *holder = gg_arena_alloc(&arena, (size_t)size * sizeof *holder);
  if (!holder) return gg_fail(err, MEMORY, NULL, "");
  for (int64_t i = 0; i < size; i++)
    holder[i] = -1;
  for (int64_t i = all - 1; i >= 0; i--) {
    int64_t at = gg_layout_at(tv, i);
    if (at >= 0 && at < size) holder[at] = i;
  }
  gg_str text = GG_STR_INIT;
  gg_layout_print(&text, tv, GG_NOTATION_PLAIN);
  gg_str_printf(out, ",\"%s\":{", name);
  put_member(out, "what", what);
  put_member(out, "layout", gg_str_shown(&text));
  out->failed = out->failed || text.failed;
  gg_str_free(&text);
  gg_str_puts(out, "\"thread\":[");
  for (int64_t i = 0; i < size; i++)
    put_number(out, i, holder[i] < 0 ? -1 : first + holder[i] % threads);
  gg_str_puts(out, "],\"value\":[");
  for (int64_t i = 0; i < size; i++)
    put_number(out, i, holder[i] < 0 ? -1 : holder[i] / threads);
  gg_str_puts(out, "]}");
  gg_arena_free(&arena);
  return GG_OK;
}

/* Puts where the operand of each MMA begins in a stage, in bytes, by block of the tile and K step.
 */
static void put_steps(gg_str *out, const view *v) {
  const gg_boxed_tile *boxes = v->boxes;
  int units = boxes->step_units ? boxes->step_units : 1;
  int64_t blocks = gg_layout_mode_size(&boxes->steps, 0);
  int64_t steps = gg_layout_mode_size(&boxes->steps, 1) / units;
  gg_str_printf(out, ",\"block\":%lld,\"step\":%lld,\"descriptors\":[",
                (long long)(v->rows / blocks), (long long)(v->columns / steps));
  for (int64_t block = 0; block < blocks; block++) {
    gg_str_puts(out, block ? ",[" : "[");
    for (int64_t step = 0; step < steps; step++)
      put_number(out, step, 16 * gg_layout_at(&boxes->steps, block + blocks * step * units));
    gg_str_putc(out, ']');
  }
  gg_str_putc(out, ']');
}

/* Puts what leads from an element's place in the tile to the instructions that move and read it:
 * stages, boxes and MMAs. */
static void put_way(gg_str *out, const view *v) {
  const gg_boxed_tile *boxes = v->boxes;
  gg_str_printf(out,
                ",\"way\":{\"begin\":%lld,\"stages\":%d,\"stage_bytes\":%lld,\"last_first\":%s",
                (long long)(v->ring->begin + v->in_stage), v->ring->depth,
                (long long)v->ring->bytes, v->last_first ? "true" : "false");
  if (boxes && boxes->count) gg_str_printf(out, ",\"box\":[%d,%d]", boxes->line, boxes->lines);
  if (boxes && boxes->descriptor && v->described) put_steps(out, v);
  gg_str_putc(out, '}');
}

static gg_status put_data(gg_str *out, const view *v, gg_error *err) {
  gg_str_puts(out, "{");
  put_member(out, "id", v->id);
  put_member(out, "title", v->title);
  put_member(out, "row", v->row);
  put_member(out, "column", v->column);
  put_member(out, "type", gg_dtype_info_of(v->type)->name);
  gg_str_printf(out, "\"along_k\":%s,\"packed\":%d,", v->along_k ? "true" : "false",
                gg_dtype_info_of(v->type)->bits);
  gg_str_printf(out, "\"rows\":%lld,\"columns\":%lld,\"bits\":%d", (long long)v->rows,
                (long long)v->columns, v->bits);
  gg_status st = GG_OK;
  if (v->layout) put_offsets(out, v);
  if (v->layout && v->ring) put_way(out, v);
  if (v->copied) st = put_holders(out, "copied", v->copied_by, v->copied, 0, v, err);
  if (v->held && !st) st = put_holders(out, "held", v->held_as, v->held, v->first_thread, v, err);
  gg_str_puts(out, "}");
  return st;
}

/* ---- The operands ------------------------------------------------------------------------- */

/* The layout, if the family has it; one that it does not have has no modes. */
static const gg_layout *there(const gg_layout *layout) {
  return gg_layout_rank(layout) == 2 && gg_layout_size(layout) > 1 ? layout : NULL;
}

/* Sets where the operand lies in a stage, and how many bits each of its elements has there. */
static void place_view(view *v, const gg_page *page, bool is_a) {
  gg_operand_row rows[GG_OPERAND_ROWS_MAX];
  size_t count = gg_operand_rows(rows, page->plan, page->layouts);
  const gg_boxed_tile *boxes = is_a ? &page->layouts->boxes_a : &page->layouts->boxes_b;
  int64_t size = is_a ? page->layouts->size_a : page->layouts->size_b;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].id != (is_a ? GG_OPERAND_A : GG_OPERAND_B) || !rows[i].ring || !size) continue;
    v->ring = rows[i].ring;
    v->last_first =
        page->plan->target->id == GG_TARGET_SM80 || page->plan->target->id == GG_TARGET_SIMT;
    v->in_stage = rows[i].offset;
    v->bits = (int)(8 * rows[i].bytes / size);
    if (rows[i].copy == GG_COPY_MAP) v->boxes = boxes;
    v->described = !is_a || !(page->plan->a_in_tensor || page->plan->a_in_registers);
  }
}

static view input_view(const gg_page *page, bool is_a) {
  const gg_layouts *l = page->layouts;
  const gg_plan *plan = page->plan;
  const gg_composed *layout = is_a ? &l->sA : &l->sB;
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  view v = {.id = is_a ? "a" : "b",
            .title = is_a ? gg_as_asked(plan, "A", "B") : gg_as_asked(plan, "B", "A"),
            .row = is_a ? gg_as_asked(plan, "m", "n") : gg_as_asked(plan, "n", "m"),
            .column = "k",
            .type = operand->type,
            .bits = gg_dtype_info_of(operand->type)->bits,
            .along_k = operand->major == GG_MAJOR_K,
            .memory = is_a ? "a stage of sA" : "a stage of sB",
            .copied_by = "copied by",
            .held_as = "multiplied by",
            .rows = is_a ? plan->tile_m : plan->tile_n,
            .columns = plan->tile_k,
            .layout = there(&layout->layout) ? layout : NULL,
            .copied = there(is_a ? &l->tAgA : &l->tBgB),
            .held = there(is_a ? &l->tCrA : &l->tCrB)};
  if (v.layout) {
    v.rows = gg_layout_mode_size(&layout->layout, 0);
    v.columns = gg_layout_mode_size(&layout->layout, 1);
  }
  place_view(&v, page, is_a);
  return v;
}

/* The first thread that multiplies. Layouts of fragments count only the threads of consumers. */
static int first_that_multiplies(const gg_page *page) {
  const gg_role *role = gg_rings_role(&page->layouts->rings, GG_ROLE_CONSUMER);
  return page->plan->specialised && role ? role->first_warp * GG_WARP : 0;
}

static size_t views_of(view out[4], const gg_page *page) {
  const gg_layouts *l = page->layouts;
  const gg_plan *plan = page->plan;
  const char *row = gg_as_asked(plan, "m", "n"), *column = gg_as_asked(plan, "n", "m");
  int multiplies = first_that_multiplies(page);
  size_t count = 0;
  for (int is_b = 0; is_b < 2; is_b++) {
    view v = input_view(page, !is_b);
    v.first_thread = multiplies;
    if (v.layout || v.copied || v.held) out[count++] = v;
  }
  if (there(&l->tCrC))
    out[count++] = (view){.id = "c",
                          .title = "The accumulator",
                          .row = row,
                          .column = column,
                          .rows = plan->tile_m,
                          .columns = plan->tile_n,
                          .type = plan->accumulator,
                          .bits = gg_dtype_info_of(plan->accumulator)->bits,
                          .held = &l->tCrC,
                          .first_thread = multiplies,
                          .held_as = "summed by"};
  if (there(&l->sD.layout))
    out[count++] = (view){.id = "d",
                          .title = "D on its way out",
                          .row = row,
                          .column = column,
                          .rows = gg_layout_mode_size(&l->sD.layout, 0),
                          .columns = gg_layout_mode_size(&l->sD.layout, 1),
                          .type = plan->d.type,
                          .bits = gg_dtype_info_of(plan->d.type)->bits,
                          .memory = "a staging buffer",
                          .layout = &l->sD};
  return count;
}

/* ---- The section -------------------------------------------------------------------------- */

static void put_canvas(gg_str *out, const view *v) {
  gg_str_printf(out, "<div class=\"view\" id=\"view-%s\" data-view=\"%s\">\n<h3>", v->id, v->id);
  gg_str_xml(out, v->title);
  gg_str_printf(out, ": %lld x %lld elements of %s</h3>\n", (long long)v->rows,
                (long long)v->columns, gg_dtype_info_of(v->type)->name);
  gg_str_puts(out, "<label>Coloured by <select></select></label>\n<div class=\"canvas\">");
  gg_str_printf(out,
                "<canvas tabindex=\"0\" role=\"img\" aria-label=\"Elements of %s; arrow keys "
                "move\" aria-describedby=\"said-%s\"></canvas></div>\n",
                v->title, v->id);
  gg_str_printf(out, "<p class=\"said\" id=\"said-%s\" aria-live=\"polite\"></p>\n</div>\n", v->id);
}

static void put_names(gg_str *out, const gg_layouts *layouts) {
  gg_str_puts(out, "<table class=\"facts\"><caption>by name</caption><tbody>\n");
  for (size_t i = 0; i < layouts->named_count; i++) {
    const gg_named_layout *named = &layouts->named[i];
    gg_str text = GG_STR_INIT;
    gg_composed_print(&text, &named->layout, GG_NOTATION_PLAIN);
    gg_str_printf(out, "<tr id=\"layout-%zu\"><th scope=\"row\">", i);
    gg_str_xml(out, named->name);
    gg_str_puts(out, "</th><td>");
    gg_str_xml(out, gg_str_shown(&text));
    gg_str_puts(out, "</td><td class=\"remark\">");
    gg_str_xml(out, named->maps);
    gg_str_puts(out, "</td></tr>\n");
    out->failed = out->failed || text.failed;
    gg_str_free(&text);
  }
  gg_str_puts(out, "</tbody></table>\n");
}

gg_status gg_page_layouts(gg_str *out, const gg_page *page, gg_error *err) {
  view views[4];
  size_t count = views_of(views, page), shown = 0;
  gg_str data = GG_STR_INIT;
  gg_status st = GG_OK;
  gg_str_puts(out,
              "<p>Each square is an element of a CTA's tile. Point at one, or move with the "
              "arrow keys, to read where it lies and who has it. Shared memory has 32 banks of "
              "4 bytes; what a warp reads at once from one bank, it reads in turns.</p>\n");
  for (size_t i = 0; i < count && !st; i++) {
    if (views[i].rows * views[i].columns > elements_max) continue;
    put_canvas(out, &views[i]);
    if (shown++) gg_str_putc(&data, ',');
    st = put_data(&data, &views[i], err);
  }
  put_names(out, page->layouts);
  gg_str_puts(out, "<script type=\"application/json\" id=\"views\">[");
  gg_str_add(out, &data);
  gg_str_puts(out, "]</script>\n");
  gg_str_free(&data);
  return st;
}
