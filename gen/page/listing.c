/* The kernel's text and its PTX, side by side. The PTX says of its instructions which line of the
 * text they come from, and which lines called that one (.loc with inlined_at). From this, page.js
 * finds the instructions of a line and the lines of an instruction. An instruction that is
 * explained elsewhere on the page links there. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "emit/compare.h"
#include "page/parts.h"

enum { callers_max = 6 };

/* A line of a text, without its end. */
typedef struct text_line {
  const char *text;
  size_t length;
} text_line;

/* The kernel's text by lines, and for each line the line that called it, as the PTX said last. */
typedef struct source {
  text_line *lines; /* line 1 is at [1] */
  int *caller;      /* 0: none */
  int count;
} source;

/* Takes the line at `*at` and steps to the next. False at the end. */
static bool next_line(text_line *out, const char **at) {
  if (!**at) return false;
  *out = (text_line){*at, strcspn(*at, "\n")};
  *at += out->length + ((*at)[out->length] == '\n');
  return true;
}

static bool read_text(source *out, gg_arena *arena, const char *cuda) {
  text_line line;
  for (const char *at = cuda; next_line(&line, &at);)
    out->count++;
  out->lines = gg_arena_alloc(arena, (size_t)(out->count + 1) * sizeof *out->lines);
  out->caller = gg_arena_alloc(arena, (size_t)(out->count + 1) * sizeof *out->caller);
  if (!out->lines || !out->caller) return false;
  for (int i = 1; next_line(&line, &cuda); i++)
    out->lines[i] = line;
  return true;
}

/* Puts a line of text, with the part behind `//` marked as a comment. */
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

/* Whether the line with this number differs. Call it with rising numbers: `*at` moves along. */
static bool differs(const gg_lines *lines, size_t *at, int number) {
  while (*at < lines->count && lines->list[*at].number < number)
    ++*at;
  return *at < lines->count && lines->list[*at].number == number && lines->list[*at].differs;
}

/* ---- The kernel's text -------------------------------------------------------------------- */

static void put_cuda(gg_str *out, const source *t, const gg_lines *compared) {
  size_t at = 0;
  gg_str_puts(out,
              "<ol class=\"code\" id=\"cuda\" tabindex=\"0\" aria-label=\"The kernel's text\">\n");
  for (int i = 1; i <= t->count; i++) {
    gg_str_printf(out, "<li id=\"c%d\"%s>", i, differs(compared, &at, i) ? " class=\"new\"" : "");
    put_text(out, t->lines[i].text, t->lines[i].length);
    gg_str_puts(out, "</li>\n");
  }
  gg_str_puts(out, "</ol>\n");
}

/* ---- PTX ---------------------------------------------------------------------------------- */

/* Reads `.loc FILE LINE COLUMN`, and notes its `inlined_at FILE LINE COLUMN` if there is one.
 * Returns LINE; 0 where the line is no such directive. */
static int read_loc(source *t, const text_line *l) {
  const char *at = l->text + strspn(l->text, " \t"), *end = l->text + l->length;
  if (strncmp(at, ".loc", 4) != 0 || !isspace((unsigned char)at[4])) return 0;
  char *behind;
  strtol(at + 4, &behind, 10);
  int line = (int)strtol(behind, NULL, 10);
  if (line < 1 || line > t->count) return 0;
  const char *inlined = strstr(behind, "inlined_at");
  t->caller[line] = 0;
  if (inlined && inlined < end) {
    strtol(inlined + strlen("inlined_at"), &behind, 10);
    int caller = (int)strtol(behind, NULL, 10);
    if (caller > 0 && caller <= t->count && caller != line) t->caller[line] = caller;
  }
  return line;
}

/* Lists the line and those that called it, the nearest first. Returns how many there are. */
static size_t lines_from(int out[callers_max], const source *t, int line) {
  size_t count = 0;
  for (; line && count < callers_max; line = t->caller[line])
    out[count++] = line;
  return count;
}

/* Puts an instruction from behind its predicate. The opcode links to what explains it. */
static void put_instruction(gg_str *out, const gg_page *page, const text_line *l, int number) {
  const char *at = l->text + strspn(l->text, " \t"), *end = l->text + l->length;
  char link[GG_PAGE_LINK];
  if (*at == '@') at += strcspn(at, " \t\n"), at += strspn(at, " \t");
  if (at >= end || !gg_page_link(link, page, at, number)) {
    put_text(out, l->text, l->length);
    return;
  }
  size_t opcode = strcspn(at, " \t\n;");
  gg_page_put(out, l->text, (size_t)(at - l->text));
  gg_str_printf(out, "<a href=\"#%s\">", link);
  gg_page_put(out, at, opcode);
  gg_str_puts(out, "</a>");
  put_text(out, at + opcode, (size_t)(end - at) - opcode);
}

static void put_item(gg_str *out, const gg_page *page, const text_line *l, const source *t,
                     int number, int from, bool is_new) {
  int lines[callers_max];
  bool code = l->text[0] == '\t' || l->text[0] == '@' || l->text[0] == ' ';
  size_t count = code ? lines_from(lines, t, from) : 0;
  gg_str_printf(out, "<li id=\"p%d\"", number);
  for (size_t i = 0; i < count; i++)
    gg_str_printf(out, "%s%d", i ? " " : " data-from=\"", lines[i]);
  gg_str_puts(out, count ? "\"" : "");
  gg_str_puts(out, is_new ? " class=\"new\">" : ">");
  put_instruction(out, page, l, number);
  gg_str_puts(out, "</li>\n");
}

/* Puts the PTX up to the tables for debuggers. Lines have the numbers of the PTX itself, as in the
 * emulator. */
static void put_ptx(gg_str *out, const gg_page *page, source *t, const gg_lines *compared) {
  const char *at = page->ptx;
  text_line l;
  size_t place = 0;
  int from = 0;
  gg_str_puts(out, "<ol class=\"code\" id=\"ptx\" tabindex=\"0\" aria-label=\"PTX\">\n");
  for (int number = 1; next_line(&l, &at); number++) {
    if (strncmp(l.text, "\t.file", 6) == 0 || strncmp(l.text, "\t.section", 9) == 0) break;
    int said = read_loc(t, &l);
    if (said)
      from = said;
    else
      put_item(out, page, &l, t, number, from, differs(compared, &place, number));
  }
  gg_str_puts(out, "</ol>\n");
}

gg_status gg_page_listing(gg_str *out, const gg_page *page, gg_error *err) {
  gg_arena arena = GG_ARENA_INIT;
  const gg_comparison *beside = page->comparison;
  const gg_lines none = {0};
  source t = {0};
  if (!read_text(&t, &arena, page->cuda)) {
    gg_arena_free(&arena);
    return gg_fail(err, MEMORY, NULL, "");
  }
  gg_str_puts(out, "<p>Choose a line, with the pointer or the arrow keys: the instructions that it "
                   "became, or the lines that an instruction comes from, are marked beside it. "
                   "Instructions that are links lead to what explains them.</p>\n"
                   "<div class=\"panes\">\n<div><h3>CUDA C++</h3>\n");
  put_cuda(out, &t, beside ? &beside->cuda[0] : &none);
  gg_str_puts(out, "</div>\n<div><h3>PTX</h3>\n");
  if (page->ptx) {
    put_ptx(out, page, &t, beside ? &beside->ptx[0] : &none);
  } else {
    gg_str_puts(out, "<p>There is none: ");
    gg_str_xml(out, page->why_not);
    gg_str_puts(out, "</p>\n");
  }
  gg_str_puts(out, "</div>\n</div>\n");
  gg_arena_free(&arena);
  return GG_OK;
}
