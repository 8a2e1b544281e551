/* The kernel's text and its PTX beside each other. PTX says of its instructions which line of the
 * text they come from (.loc); page.js finds the ones of a line, and the line of one. An instruction
 * that the page explains elsewhere leads there. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

static const struct {
  const char *opcode; /* how it begins */
  const char *section;
} explained[] = {{"mbarrier.", "memory"},
                 {"cp.async.bulk.tensor", "descriptors"},
                 {"cp.async.bulk", "memory"},
                 {"cp.async", "layouts"},
                 {"wgmma.mma_async", "descriptors"},
                 {"tcgen05.mma", "descriptors"},
                 {"tcgen05.", "memory"},
                 {"ldmatrix.", "layouts"},
                 {"stmatrix.", "layouts"},
                 {"mma.", "layouts"}};

typedef struct line {
  const char *text;
  size_t length;
} line;

/* The line at `*at`, which goes on to the next one; false at the end. */
static bool next_line(line *out, const char **at) {
  if (!**at) return false;
  *out = (line){*at, strcspn(*at, "\n")};
  *at += out->length + ((*at)[out->length] == '\n');
  return true;
}

/* Text with what stands behind `//` apart. */
static void put_text(gg_str *out, const char *text, size_t length) {
  size_t code = 0;
  while (code + 1 < length && !(text[code] == '/' && text[code + 1] == '/'))
    code++;
  if (code + 1 >= length) code = length;
  gg_page_put(out, text, code);
  if (code == length) return;
  gg_str_puts(out, "<i>");
  gg_page_put(out, text + code, length - code);
  gg_str_puts(out, "</i>");
}

/* ---- The kernel's text -------------------------------------------------------------------- */

static void put_cuda(gg_str *out, const char *text) {
  gg_str_puts(out,
              "<ol class=\"code\" id=\"cuda\" tabindex=\"0\" aria-label=\"The kernel's text\">\n");
  line l;
  while (next_line(&l, &text)) {
    gg_str_puts(out, "<li>");
    put_text(out, l.text, l.length);
    gg_str_puts(out, "</li>\n");
  }
  gg_str_puts(out, "</ol>\n");
}

/* ---- PTX ---------------------------------------------------------------------------------- */

/* The line of the text that `.loc FILE LINE COLUMN` names; 0: it is no such directive. */
static int line_of_loc(const line *l) {
  const char *at = l->text + strspn(l->text, " \t");
  if (strncmp(at, ".loc", 4) != 0 || !isspace((unsigned char)at[4])) return 0;
  char *end;
  strtol(at + 4, &end, 10);
  return (int)strtol(end, NULL, 10);
}

/* The section that explains the instruction which begins at `at`; NULL: none does. */
static const char *section_of(const char *at) {
  for (size_t i = 0; i < sizeof explained / sizeof *explained; i++) {
    if (strncmp(at, explained[i].opcode, strlen(explained[i].opcode)) == 0)
      return explained[i].section;
  }
  return NULL;
}

/* An instruction, behind its predicate; the opcode leads to what explains it. */
static void put_instruction(gg_str *out, const line *l) {
  const char *at = l->text + strspn(l->text, " \t"), *end = l->text + l->length;
  if (*at == '@') at += strcspn(at, " \t\n"), at += strspn(at, " \t");
  const char *section = at < end ? section_of(at) : NULL;
  if (!section) {
    put_text(out, l->text, l->length);
    return;
  }
  size_t opcode = strcspn(at, " \t\n;");
  gg_page_put(out, l->text, (size_t)(at - l->text));
  gg_str_printf(out, "<a href=\"#%s\">", section);
  gg_page_put(out, at, opcode);
  gg_str_puts(out, "</a>");
  put_text(out, at + opcode, (size_t)(end - at) - opcode);
}

/* Up to the tables of a debugger. */
static void put_ptx(gg_str *out, const char *text) {
  gg_str_puts(out, "<ol class=\"code\" id=\"ptx\" tabindex=\"0\" aria-label=\"PTX\">\n");
  line l;
  int from = 0;
  while (next_line(&l, &text) && strncmp(l.text, "\t.file", 6) != 0 &&
         strncmp(l.text, "\t.section", 9) != 0) {
    int said = line_of_loc(&l);
    if (said) {
      from = said;
      continue;
    }
    bool code = l.text[0] == '\t' || l.text[0] == '@' || l.text[0] == ' ';
    if (code && from)
      gg_str_printf(out, "<li data-line=\"%d\">", from);
    else
      gg_str_puts(out, "<li>");
    put_instruction(out, &l);
    gg_str_puts(out, "</li>\n");
  }
  gg_str_puts(out, "</ol>\n");
}

void gg_page_listing(gg_str *out, const gg_page *page) {
  gg_str_puts(out, "<p>Choose a line, with the pointer or the arrow keys: the instructions that it "
                   "became, or the line that an instruction comes from, are marked beside it. "
                   "Instructions that are links lead to what explains them.</p>\n"
                   "<div class=\"panes\">\n<div><h3>CUDA C++</h3>\n");
  put_cuda(out, page->cuda);
  gg_str_puts(out, "</div>\n<div><h3>PTX</h3>\n");
  if (page->ptx) {
    put_ptx(out, page->ptx);
  } else {
    gg_str_puts(out, "<p>There is none: ");
    gg_str_xml(out, page->why_not);
    gg_str_puts(out, "</p>\n");
  }
  gg_str_puts(out, "</div>\n</div>\n");
}
