#include "annotate/annotate.h"

#include <string.h>

#include "annotate/remarks.h"
#include "annotate/roles.h"
#include "annotate/sources.h"

enum { last_column = 100 };

typedef struct writer {
  const gg_annotated_text *given;
  gg_str *out;
  gg_arena arena;
  kernel_ptx ptx;
  ptx_module *lined; /* with lines */
  sources sources;
  remark_survey survey;
  role_list *roles;
  gg_str *remarks;   /* of each instruction; empty: none */
  int line, section; /* of the text it was made of, that were told last */
} writer;

/* ---- Comments --------------------------------------------------------------------------- */

/* A comment as far in as the line that it stands above, broken where that is too long. */
static void put_comment(gg_str *out, const char *above, const char *text) {
  int indent = (int)strspn(above, " \t");
  size_t column = 0, tab = 8;
  for (int i = 0; i < indent; i++)
    column += above[i] == '\t' ? tab : 1;
  size_t begin = column + 2;
  gg_str_printf(out, "%.*s//", indent, above);
  column = begin;
  for (const char *word = text; *word;) {
    size_t length = strcspn(word, " ");
    if (word != text && column + 1 + length > last_column) {
      gg_str_printf(out, "\n%.*s//  ", indent, above);
      column = begin + 2;
    }
    gg_str_putc(out, ' ');
    gg_str_append(out, word, length);
    column += 1 + length;
    word += length + (word[length] == ' ');
  }
  gg_str_putc(out, '\n');
}

/* A part of the template, in the form that it has there. */
static void put_section(writer *w, int section) {
  const source_section *of = &w->sources.sections[section];
  gg_str_printf(w->out, "\n// ---- %.*s ", (int)of->length, of->title);
  for (size_t column = 9 + of->length; column < last_column; column++)
    gg_str_putc(w->out, '-');
  gg_str_puts(w->out, "\n\n");
}

static void put_source(writer *w, const char *above, uint32_t index) {
  if (!w->given->cuda) return;
  int line = sources_line(&w->sources, index), section = sources_section(&w->sources, index);
  if (section && section != w->section) put_section(w, section);
  if (section) w->section = section;
  if (line && line != w->line) {
    const source_line *text = &w->sources.lines[line];
    gg_str_printf(w->out, "%.*s// %d: %.*s\n", (int)strspn(above, " \t"), above, line,
                  (int)text->length, text->text);
    w->line = line;
  }
}

static void put_comments(writer *w, const char *above, uint32_t index) {
  const ptx_instruction *instruction = &w->ptx.function->instructions[index];
  gg_str roles = GG_STR_INIT;
  put_source(w, above, index);
  roles_write(&roles, w->roles, instruction);
  if (roles.length) put_comment(w->out, above, gg_str_text(&roles));
  if (w->remarks[index].length) put_comment(w->out, above, gg_str_text(&w->remarks[index]));
  w->out->failed = w->out->failed || roles.failed || w->remarks[index].failed;
  gg_str_free(&roles);
}

/* ---- The text --------------------------------------------------------------------------- */

static void put_barriers(gg_str *out, const gg_ring_barriers *kind) {
  if (kind->count)
    gg_str_printf(out, ", %d barriers %s at %lld", kind->count, kind->name, (long long)kind->begin);
}

static const char *role_name(const gg_rings *rings, gg_role_id id) {
  const gg_role *role = gg_rings_role(rings, id);
  return role ? role->name : "threads";
}

/* What the comments are, and the rings that they name. */
static void put_head(writer *w) {
  const gg_rings *rings = &w->given->layouts->rings;
  gg_str_puts(w->out, "// Annotated by gemmgen: lines of comment were added, and nothing else.\n");
  if (w->given->cuda)
    gg_str_puts(w->out, "//   // 12: ...      line 12 of the CUDA C++ that the PTX comes from\n");
  gg_str_puts(w->out, "//   // %r1 = ...    what a register is for\n"
                      "//   // async: ...   what an asynchronous instruction does, with which "
                      "stage, and who waits\n");
  if (rings->count) gg_str_puts(w->out, "// Rings, by bytes of shared memory:\n");
  for (size_t i = 0; i < rings->count; i++) {
    const gg_ring *ring = &rings->list[i];
    gg_str text = GG_STR_INIT;
    gg_str_printf(&text, "%s: ", ring->name);
    if (ring->instances > 1) gg_str_printf(&text, "%d x ", ring->instances);
    gg_str_printf(&text, "%d", ring->depth);
    if (ring->bytes)
      gg_str_printf(&text, " of %lld bytes from %lld on", (long long)ring->bytes,
                    (long long)ring->begin);
    put_barriers(&text, &ring->full);
    for (int k = 0; k < ring->empties; k++)
      put_barriers(&text, &ring->empty[k]);
    gg_str_printf(&text, "; filled by %s, drained by %s", role_name(rings, ring->filled_by),
                  role_name(rings, ring->drained_by));
    put_comment(w->out, "", gg_str_text(&text));
    gg_str_free(&text);
  }
  gg_str_puts(w->out, "\n");
}

/* Lines as they are; above those of instructions the comments of all that are in them. */
static void put_lines(writer *w) {
  const ptx_function *f = w->ptx.function;
  const char *at = w->given->ptx;
  uint32_t next = 0, number = 1;
  for (; *at; number++) {
    size_t length = strcspn(at, "\n");
    for (; f && next < f->instruction_count && f->instructions[next].place.line <= number; next++) {
      if (f->instructions[next].place.line == number) put_comments(w, at, next);
    }
    length += at[length] == '\n';
    gg_str_append(w->out, at, length);
    at += length;
  }
}

/* ---- The whole -------------------------------------------------------------------------- */

static void survey(void *user, uint32_t index) {
  writer *w = user;
  about of;
  about_instruction(&of, &w->ptx, &w->ptx.function->instructions[index]);
  remark_take(&w->survey, &of);
  roles_take(w->roles, &of);
}

static void remark(void *user, uint32_t index) {
  writer *w = user;
  const ptx_instruction *instruction = &w->ptx.function->instructions[index];
  about of;
  if (!remark_is_due(instruction)) return;
  about_instruction(&of, &w->ptx, instruction);
  gg_str_puts(&w->remarks[index], "async: ");
  remark_write(&w->remarks[index], &w->ptx, &of, &w->survey.facts);
}

/* What cannot be reached has remarks, too: of its form alone. */
static void remark_unreached(writer *w) {
  const ptx_function *f = w->ptx.function;
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    about of = {.instruction = &f->instructions[i], .map = -1, .pointer = -1};
    if (!remark_is_due(of.instruction) || w->remarks[i].length) continue;
    gg_str_puts(&w->remarks[i], "async: ");
    remark_write(&w->remarks[i], &w->ptx, &of, &w->survey.facts);
  }
}

static gg_status find_out(writer *w, gg_error *err) {
  const ptx_function *f = w->ptx.function;
  w->roles = roles_new(&w->arena, &w->ptx);
  w->remarks = GG_ARENA_ARRAY(&w->arena, gg_str, (size_t)f->instruction_count + 1);
  if (!w->roles || !w->remarks) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = flow_visit(w->ptx.flow, survey, w, err);
  if (!st) st = flow_visit(w->ptx.flow, remark, w, err);
  if (!st) remark_unreached(w);
  return st;
}

/* The lines of CUDA C++, where the text was made of some. */
static gg_status read_sources(writer *w, gg_error *err) {
  const gg_annotated_text *given = w->given;
  gg_status st = GG_OK;
  if (!given->cuda) return GG_OK;
  if (given->lined)
    st = ptx_parse(&w->lined, given->lined, strlen(given->lined), given->plan->name, err);
  const ptx_function *f = w->lined ? ptx_find_function(w->lined, given->plan->name) : NULL;
  if (!st && !sources_read(&w->sources, &w->arena, given->cuda, f, w->ptx.function))
    st = gg_fail(err, MEMORY, NULL, "");
  return st;
}

static void end(writer *w) {
  uint32_t count = w->remarks ? w->ptx.function->instruction_count : 0;
  for (uint32_t i = 0; i < count; i++)
    gg_str_free(&w->remarks[i]);
  ptx_free(w->lined);
  kernel_ptx_close(&w->ptx);
  gg_arena_free(&w->arena);
}

gg_status gg_annotate(gg_str *out, const gg_annotated_text *text, gg_error *err) {
  writer w = {.given = text, .out = out, .arena = GG_ARENA_INIT};
  gg_status st =
      kernel_ptx_open(&w.ptx, text->plan, text->layouts, text->ptx, strlen(text->ptx), err);
  if (!st && w.ptx.function) st = find_out(&w, err);
  if (!st && w.ptx.function) st = read_sources(&w, err);
  if (!st) {
    put_head(&w);
    put_lines(&w);
    if (out->failed) st = gg_fail(err, MEMORY, NULL, "");
  }
  end(&w);
  return st;
}
