/* The page of a kernel as a whole: its head, the path of a tile, and every decision with its
 * reason. */
#include "page/page.h"

#include <string.h>

#include "gemmgen.h"
#include "page/parts.h"
#include "plan/target.h"
#include "spec/print.h"

/* ---- Decisions -------------------------------------------------------------------------- */

static void put_cell(gg_str *out, const char *tag, const char *text) {
  gg_str_printf(out, "<%s>", tag);
  gg_str_xml(out, text);
  const char *space = strchr(tag, ' ');
  gg_str_printf(out, "</%.*s>", (int)(space ? space - tag : (long)strlen(tag)), tag);
}

/* How a fact differs in the other kernel; NULL: it does not, or there is no other kernel. */
static const gg_fact_pair *change_of(const gg_page *page, const gg_fact *fact) {
  const gg_comparison *c = page->comparison;
  for (size_t i = 0; c && i < c->fact_count; i++) {
    if (c->facts[i].a == fact) return &c->facts[i];
  }
  return NULL;
}

static void put_fact(gg_str *out, const gg_page *page, const gg_fact *fact) {
  const gg_fact_pair *change = change_of(page, fact);
  gg_str_puts(out, change ? "<tr class=\"new\">" : "<tr>");
  put_cell(out, "th scope=\"row\"", fact->name);
  put_cell(out, fact->number ? "td class=\"number\"" : "td", fact->text);
  gg_str_puts(out, "<td class=\"remark\">");
  gg_str_xml(out, fact->remark ? fact->remark : "");
  if (change) {
    gg_str_puts(out, " <b>The other: ");
    gg_str_xml(out, change->b ? change->b->text : "none");
    gg_str_puts(out, "</b>");
  }
  gg_str_puts(out, "</td></tr>\n");
}

static void put_decisions(gg_str *out, const gg_page *page) {
  gg_str spec = GG_STR_INIT;
  gg_spec_write(&spec, page->plan->asked);
  gg_str_puts(out, "<h3>What was asked for</h3>\n<pre class=\"spec\">");
  gg_str_xml(out, gg_str_shown(&spec));
  gg_str_puts(out, "</pre>\n<h3>What follows from it</h3>\n<div class=\"facts\">\n");
  out->failed = out->failed || spec.failed;
  gg_str_free(&spec);
  const char *section = NULL;
  for (size_t i = 0; i < page->report->count; i++) {
    const gg_fact *fact = &page->report->facts[i];
    if (!section || strcmp(section, fact->section) != 0) {
      if (section) gg_str_puts(out, "</tbody></table>\n");
      section = fact->section;
      gg_str_puts(out, "<table class=\"facts\"><caption>");
      gg_str_xml(out, section);
      gg_str_puts(out, "</caption><tbody>\n");
    }
    put_fact(out, page, fact);
  }
  gg_str_puts(out, section ? "</tbody></table>\n</div>\n" : "</div>\n");
}

/* ---- Sections --------------------------------------------------------------------------- */

static bool always(const gg_page *page) {
  return page;
}

static bool is_compared(const gg_page *page) {
  return page->comparison;
}

static bool was_run(const gg_page *page) {
  return page->run;
}

/* The sections. Each is written by one of the two functions; by the second where writing may fail.
 */
static const struct {
  const char *id, *title;
  bool (*is_there)(const gg_page *page);
  void (*put)(gg_str *out, const gg_page *page);
  gg_status (*try_put)(gg_str *out, const gg_page *page, gg_error *err);
} sections[] = {{"way", "A tile's way", always, gg_page_way, NULL},
                {"changes", "What differs", is_compared, gg_page_changes, NULL},
                {"decisions", "Decisions", always, put_decisions, NULL},
                {"memory", "Memory", always, gg_page_memory, NULL},
                {"layouts", "Layouts", always, NULL, gg_page_layouts},
                {"descriptors", "Maps and descriptors", always, NULL, gg_page_descriptors},
                {"cost", "Roofline", always, gg_page_roofline, NULL},
                {"run", "In the emulator", was_run, gg_page_launch, NULL},
                {"source", "Source and PTX", always, NULL, gg_page_listing}};
enum { section_count = sizeof sections / sizeof *sections };

static void put_navigation(gg_str *out, const gg_page *page) {
  gg_str_puts(out, "<nav aria-label=\"Sections\"><ul>\n");
  for (size_t i = 0; i < section_count; i++) {
    if (sections[i].is_there(page))
      gg_str_printf(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].title);
  }
  gg_str_puts(out, "</ul></nav>\n");
}

static gg_status put_section(gg_str *out, size_t i, const gg_page *page, gg_error *err) {
  gg_status st = GG_OK;
  gg_str_printf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", sections[i].id, sections[i].title);
  if (sections[i].put)
    sections[i].put(out, page);
  else
    st = sections[i].try_put(out, page, err);
  gg_str_puts(out, "</section>\n");
  return st;
}

/* ---- The whole -------------------------------------------------------------------------- */

static void put_header(gg_str *out, const gg_plan *plan) {
  gg_page_head(out, plan->name, false);
  gg_str_printf(out, "<p>Family %s: ", plan->target->family);
  gg_str_xml(out, plan->target->summary);
  gg_str_printf(out, ". A CTA's tile is %d x %d x %d. Made by gemmgen %s.</p>\n</header>\n",
                plan->tile_m, plan->tile_n, plan->tile_k, gg_version());
}

gg_status gg_page_write(gg_str *out, const gg_page *page, gg_error *err) {
  gg_status st = GG_OK;
  put_header(out, page->plan);
  put_navigation(out, page);
  gg_str_puts(out, "<main>\n");
  for (size_t i = 0; i < section_count && !st; i++) {
    if (sections[i].is_there(page)) st = put_section(out, i, page, err);
  }
  if (st) return st;
  gg_str_puts(out, "</main>\n<script>\n");
  gg_str_puts(out, gg_page_file("page.js"));
  if (page->run) gg_str_puts(out, gg_page_file("run.js"));
  gg_str_puts(out, "</script>\n</body>\n</html>\n");
  return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}
