#include "emit/compare.h"

#include <ctype.h>
#include <string.h>

/* ---- Facts ------------------------------------------------------------------------------ */

static bool same_name(const gg_fact *a, const gg_fact *b) {
  return strcmp(a->section, b->section) == 0 && strcmp(a->name, b->name) == 0;
}

/* The fact of the same name in the other report; if several have that name, the one with the same
 * number among them. */
static const gg_fact *counterpart(const gg_report *of, const gg_report *in, size_t i) {
  size_t number = 0;
  for (size_t j = 0; j < i; j++)
    number += same_name(&of->facts[j], &of->facts[i]);
  for (size_t j = 0; j < in->count; j++) {
    if (same_name(&in->facts[j], &of->facts[i]) && number-- == 0) return &in->facts[j];
  }
  return NULL;
}

static bool has_section(const gg_report *report, const char *section) {
  for (size_t i = 0; i < report->count; i++) {
    if (strcmp(report->facts[i].section, section) == 0) return true;
  }
  return false;
}

/* Adds the facts of b that a does not have: those in `section`, or, if it is NULL, those in
 * sections that a does not have at all. */
static size_t add_others(gg_fact_pair *out, const gg_report *a, const gg_report *b,
                         const char *section) {
  size_t count = 0;
  for (size_t i = 0; i < b->count; i++) {
    const gg_fact *fact = &b->facts[i];
    bool here = section ? strcmp(fact->section, section) == 0 : !has_section(a, fact->section);
    if (here && !counterpart(b, a, i)) out[count++] = (gg_fact_pair){NULL, fact};
  }
  return count;
}

size_t gg_report_compare(gg_fact_pair out[2 * GG_FACTS_MAX], const gg_report *a,
                         const gg_report *b) {
  size_t count = 0;
  for (size_t i = 0; i < a->count; i++) {
    const gg_fact *ours = &a->facts[i], *theirs = counterpart(a, b, i);
    bool last = i + 1 == a->count || strcmp(ours->section, a->facts[i + 1].section) != 0;
    if (!theirs || strcmp(ours->text, theirs->text) != 0)
      out[count++] = (gg_fact_pair){ours, theirs};
    if (last) count += add_others(out + count, a, b, ours->section);
  }
  return count + add_others(out + count, a, b, NULL);
}

/* ---- Lines ------------------------------------------------------------------------------ */

/* Reads the line at `*at` and moves `*at` to the next one; false at the end. */
static bool next_line(gg_line *out, const char **at) {
  if (!**at) return false;
  out->shown = *at;
  out->length = strcspn(*at, "\n");
  out->number++;
  *at += out->length + ((*at)[out->length] == '\n');
  return true;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* How many characters at `at` the compared text leaves out, with `*put` in their place; 0: none. */
typedef size_t replacement(const char **put, const char *at, const char *begin);

/* Leaves out the digits of the name that says which text a binary was made from. They depend on the
 * whole text, so they say nothing that its other lines do not. */
static size_t fingerprint(const char **put, const char *at, const char *begin) {
  static const char prefix[] = "gemmgen_";
  const size_t before = sizeof prefix - 1, digits = 16;
  *put = "#";
  if ((size_t)(at - begin) < before || strncmp(at - before, prefix, before) != 0) return 0;
  return strspn(at, "0123456789abcdef") == digits ? digits : 0;
}

/* Leaves out the number of a register or of a label (%r12, %rd4, $L__BB0_7), and the fingerprint.
 */
static size_t numbers(const char **put, const char *at, const char *begin) {
  const char *first = at;
  size_t whole = fingerprint(put, at, begin);
  if (whole || !isdigit((unsigned char)*at)) return whole;
  while (first > begin && is_word(first[-1]))
    first--;
  bool numbered = (first > begin && first[-1] == '%') || *first == '$';
  *put = "#";
  return numbered && first < at ? strspn(at, "0123456789") : 0;
}

/* Adds a line, without `name` and without what `replaces` leaves out. */
static bool add_line(gg_lines *out, gg_arena *arena, gg_line line, const char *name,
                     replacement *replaces) {
  size_t length = 0, name_length = strlen(name), indent = strspn(line.shown, " \t");
  char *text = gg_arena_alloc(arena, line.length + 1);
  if (!text) return false;
  for (size_t i = indent; i < line.length;) {
    const char *at = line.shown + i, *put = "";
    size_t skipped = replaces(&put, at, line.shown);
    bool named = strncmp(at, name, name_length) == 0 && (i == 0 || !is_word(at[-1]));
    if (named) skipped = name_length, put = "";
    for (; skipped && *put; put++)
      text[length++] = *put;
    if (!skipped) text[length++] = *at;
    i += skipped ? skipped : 1;
  }
  text[length] = '\0';
  line.text = text;
  return gg_lines_add(out, arena, line);
}

static bool read_cuda(gg_lines *out, gg_arena *arena, const char *text, const char *name) {
  gg_line line = {0};
  bool banner = true;
  while (next_line(&line, &text)) {
    banner = banner && (line.length == 0 || strncmp(line.shown, "//", 2) == 0);
    bool blank = strspn(line.shown, " \t") >= line.length;
    const char *code = line.shown + strspn(line.shown, " \t");
    if (banner || blank || strncmp(code, "//", 2) == 0) continue;
    if (!add_line(out, arena, line, name, fingerprint)) return false;
  }
  return true;
}

static bool read_ptx(gg_lines *out, gg_arena *arena, const char *text, const char *name) {
  gg_line line = {0};
  while (next_line(&line, &text)) {
    const char *code = line.shown + strspn(line.shown, " \t");
    if (strncmp(code, ".section", 8) == 0) break; /* the rest is for debuggers */
    bool skipped = code == line.shown + line.length || strncmp(code, "//", 2) == 0 ||
                   strncmp(code, ".loc", 4) == 0 || strncmp(code, ".file", 5) == 0;
    if (!skipped && !add_line(out, arena, line, name, numbers)) return false;
  }
  return true;
}

gg_status gg_comparison_make(gg_comparison *out, const gg_compared *a, const gg_compared *b,
                             gg_error *err) {
  *out = (gg_comparison){.arena = GG_ARENA_INIT, .of = {*a, *b}};
  out->fact_count = gg_report_compare(out->facts, a->report, b->report);
  bool ok = true;
  for (int i = 0; i < 2 && ok; i++) {
    const gg_compared *of = &out->of[i];
    ok = read_cuda(&out->cuda[i], &out->arena, of->cuda, of->name) &&
         (!of->ptx || read_ptx(&out->ptx[i], &out->arena, of->ptx, of->name));
  }
  ok = ok && gg_diff(&out->cuda[0], &out->cuda[1]) && gg_diff(&out->ptx[0], &out->ptx[1]);
  return ok ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

void gg_comparison_free(gg_comparison *comparison) {
  gg_arena_free(&comparison->arena);
}

bool gg_next_hunk(gg_hunk *at, const gg_lines *a, const gg_lines *b) {
  size_t i = at->a_end, j = at->b_end;
  while (i < a->count && j < b->count && !a->list[i].differs && !b->list[j].differs)
    i++, j++;
  *at = (gg_hunk){i, i, j, j};
  while (at->a_end < a->count && a->list[at->a_end].differs)
    at->a_end++;
  while (at->b_end < b->count && b->list[at->b_end].differs)
    at->b_end++;
  return at->a_end > i || at->b_end > j;
}

gg_change gg_change_of(const gg_lines pair[2]) {
  gg_change change = {0};
  gg_hunk at = {0};
  while (gg_next_hunk(&at, &pair[0], &pair[1])) {
    change.of_a += at.a_end - at.a;
    change.of_b += at.b_end - at.b;
    change.places++;
  }
  return change;
}
