/* How the kernel differs from another one: facts, and changed lines of the texts with some lines
 * around them. */
#include "page/parts.h"

enum { around = 2 /* lines that are the same, before and behind a change */, shown_most = 400 };

/* ---- Facts ------------------------------------------------------------------------------ */

static void put_side(gg_str *out, const gg_fact *fact) {
  gg_str_puts(out, "<td>");
  if (fact)
    gg_str_xml(out, fact->text);
  else
    gg_str_puts(out, "<span class=\"remark\">none</span>");
  gg_str_puts(out, "</td>");
}

static void put_facts(gg_str *out, const gg_comparison *c) {
  if (!c->fact_count) {
    gg_str_puts(out, "<p>All decisions and layouts are the same.</p>\n");
    return;
  }
  gg_str_puts(out, "<div class=\"wide\"><table id=\"changed-facts\"><thead><tr>"
                   "<th scope=\"col\">of</th><th scope=\"col\">what</th>"
                   "<th scope=\"col\">this kernel</th><th scope=\"col\">the other</th></tr></thead>"
                   "<tbody>\n");
  for (size_t i = 0; i < c->fact_count; i++) {
    const gg_fact_pair *pair = &c->facts[i];
    const gg_fact *any = pair->a ? pair->a : pair->b;
    gg_str_puts(out, "<tr><td class=\"remark\">");
    gg_str_xml(out, any->section);
    gg_str_puts(out, "</td><th scope=\"row\">");
    gg_str_xml(out, any->name);
    gg_str_puts(out, "</th>");
    put_side(out, pair->a);
    put_side(out, pair->b);
    gg_str_puts(out, "</tr>\n");
  }
  gg_str_puts(out, "</tbody></table></div>\n");
}

/* ---- Texts ------------------------------------------------------------------------------ */

static void put_line(gg_str *out, char sign, char text, const gg_line *line) {
  const char *kind = sign == '+' ? "new" : sign == '-' ? "gone" : "same";
  gg_str_printf(out, "<li class=\"%s\">%c ", kind, sign);
  if (sign != '-')
    gg_str_printf(out, "<a href=\"#%c%d\">%d</a> ", text, line->number, line->number);
  gg_page_put(out, line->shown, line->length);
  gg_str_puts(out, "</li>\n");
}

/* Puts one change: lines of the other kernel as gone, those of this one as new. Returns how many
 * lines it has put. */
static size_t put_hunk(gg_str *out, char text, const gg_lines *ours, const gg_lines *theirs,
                       const gg_hunk *at) {
  size_t begin = at->a > around ? at->a - around : 0, end = at->a_end + around;
  if (end > ours->count) end = ours->count;
  gg_str_puts(out, "<li class=\"gap\">…</li>\n");
  for (size_t i = begin; i < at->a; i++)
    if (!ours->list[i].differs) put_line(out, ' ', text, &ours->list[i]);
  for (size_t i = at->b; i < at->b_end; i++)
    put_line(out, '-', text, &theirs->list[i]);
  for (size_t i = at->a; i < at->a_end; i++)
    put_line(out, '+', text, &ours->list[i]);
  for (size_t i = at->a_end; i < end && !ours->list[i].differs; i++)
    put_line(out, ' ', text, &ours->list[i]);
  return end - begin + at->b_end - at->b;
}

static void put_text(gg_str *out, const char *title, char text, const gg_lines pair[2]) {
  const gg_lines *ours = &pair[0], *theirs = &pair[1];
  const gg_change change = gg_change_of(pair);
  gg_hunk at = {0};
  size_t written = 0;
  gg_str_printf(out, "<details%s><summary>%s: ", change.places ? "" : " open", title);
  if (!change.places)
    gg_str_puts(out, "the same");
  else
    gg_str_printf(out, "%zu lines of this kernel alone, %zu of the other, in %zu place%s",
                  change.of_a, change.of_b, change.places, change.places == 1 ? "" : "s");
  gg_str_puts(out, "</summary>\n");
  if (change.places) {
    gg_str_printf(out, "<ol class=\"code diff\" tabindex=\"0\" aria-label=\"%s, what differs\">\n",
                  title);
    while (written < shown_most && gg_next_hunk(&at, ours, theirs))
      written += put_hunk(out, text, ours, theirs, &at);
    if (gg_next_hunk(&at, ours, theirs))
      gg_str_puts(out, "<li class=\"gap\">… and more, marked in the listing</li>\n");
    gg_str_puts(out, "</ol>\n");
  }
  gg_str_puts(out, "</details>\n");
}

void gg_page_changes(gg_str *out, const gg_page *page) {
  const gg_comparison *c = page->comparison;
  gg_str_puts(out, "<p>Beside the kernel ");
  gg_str_xml(out, c->of[1].name);
  gg_str_puts(out,
              ". Names of the kernels, comments, and in PTX the numbers of registers and labels "
              "are no differences. Lines marked + are of this kernel, those marked - of the "
              "other.</p>\n");
  put_facts(out, c);
  put_text(out, "CUDA C++", 'c', c->cuda);
  if (c->of[0].ptx && c->of[1].ptx)
    put_text(out, "PTX", 'p', c->ptx);
  else
    gg_str_puts(out, "<p>PTX is not compared: NVRTC has not made both.</p>\n");
}
