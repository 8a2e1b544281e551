/* The template engine.
 *
 * A template is a CUDA file that editors and nvcc can still read: its directives are comment lines.
 *
 *     //@ insert NAME     the text bound to NAME, in place of the line
 *     //@ include PART    templates/parts/PART.cu, expanded in place; in a PTX template PART.ptx
 *     //@ slot NAME       the same for the part that the family has bound to NAME, or nothing
 *     //@ if FLAG         lines up to `//@ else` or `//@ end` are kept only if FLAG is set;
 *     //@ if not FLAG     `if`s nest
 *     //@ else
 *     //@ end
 *     ${NAME}             the text bound to NAME, anywhere in a line
 *
 * There are no expressions: what needs computing is computed in C and named in the plan. Names in
 * branches that are not taken are checked all the same, so that one expansion finds every misspelt
 * name. A binding that no line names is an error, so that no binding outlives its use; therefore
 * what only some of a slot's parts name is bound together with those parts. A part that is not
 * always there begins with the blank line that sets it off from what stands before it. */
#include "emit/template.h"

#include <assert.h>
#include <string.h>

enum { max_nesting = 8 };

typedef struct expansion {
  gg_str *out;
  const gg_template_file *files;
  const gg_binding *bindings;
  size_t count;
  bool used[GG_BINDINGS_MAX];
  gg_error *err;
} expansion;

/* One open `//@ if`. */
typedef struct branch {
  int line;
  bool taken, outer; /* taken: this branch is written; outer: so is the text around it */
  bool in_else;
} branch;

/* The file being expanded. */
typedef struct reader {
  gg_mark mark;
  branch open[max_nesting];
  int depth;
  int includes; /* files that include this one */
  bool silent;  /* included from a branch that is not taken: checked, but not written */
} reader;

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '/';
}

static bool writes(const reader *in) {
  return in->depth ? in->open[in->depth - 1].taken : !in->silent;
}

static gg_status find(expansion *ex, const reader *in, const char *name, size_t length,
                      gg_binding_kind kind, const gg_binding **found) {
  static const char *const kinds[] = {"text", "flag", "slot"};
  for (size_t i = 0; i < ex->count; i++) {
    const gg_binding *binding = &ex->bindings[i];
    if (*binding->name != *name || strlen(binding->name) != length ||
        memcmp(binding->name, name, length) != 0)
      continue;
    if (binding->kind != kind) break;
    ex->used[i] = true;
    *found = binding;
    return GG_OK;
  }
  return gg_fail(ex->err, TEMPLATE_NAME, &in->mark, kinds[kind], (int)length, name);
}

/* The next "${" of a line; NULL if there is none. */
static const char *find_open(const char *line, const char *end) {
  for (; (line = memchr(line, '$', (size_t)(end - line))); line++) {
    if (line + 1 < end && line[1] == '{') return line;
  }
  return NULL;
}

/* Writes a line with each ${NAME} replaced. */
static gg_status write_line(expansion *ex, reader *in, const char *line, size_t length) {
  const char *end = line + length;
  for (const char *open; (open = find_open(line, end)); line++) {
    const char *name = open + 2;
    if (writes(in)) gg_str_append(ex->out, line, (size_t)(open - line));
    for (line = name; line < end && is_name(*line); line++) {
    }
    if (line == end || *line != '}') {
      return gg_fail(ex->err, TEMPLATE_UNCLOSED, &in->mark, "${", in->mark.line);
    }
    const gg_binding *binding = NULL;
    gg_status st = find(ex, in, name, (size_t)(line - name), GG_BINDING_TEXT, &binding);
    if (st) return st;
    if (writes(in)) gg_str_puts(ex->out, binding->text);
  }
  if (writes(in)) {
    gg_str_append(ex->out, line, (size_t)(end - line));
    gg_str_putc(ex->out, '\n');
  }
  return GG_OK;
}

static gg_status expand_file(expansion *ex, const char *name, size_t length, const reader *from);

static gg_status open_branch(expansion *ex, reader *in, const char *flag, size_t length) {
  bool negate = length > 4 && memcmp(flag, "not ", 4) == 0;
  if (negate) {
    flag += 4;
    length -= 4;
  }
  const gg_binding *binding = NULL;
  gg_status st = find(ex, in, flag, length, GG_BINDING_FLAG, &binding);
  if (st) return st;
  if (in->depth == max_nesting) {
    return gg_fail(ex->err, TEMPLATE_DIRECTIVE, &in->mark, "more nested `if`s than 8");
  }
  bool outer = writes(in);
  in->open[in->depth++] =
      (branch){.line = in->mark.line, .taken = outer && binding->flag != negate, .outer = outer};
  return GG_OK;
}

static gg_status turn_branch(expansion *ex, reader *in) {
  branch *open = in->depth ? &in->open[in->depth - 1] : NULL;
  if (!open || open->in_else) {
    return gg_fail(ex->err, TEMPLATE_DIRECTIVE, &in->mark, "`else` without its `if`");
  }
  open->taken = open->outer && !open->taken;
  open->in_else = true;
  return GG_OK;
}

static gg_status close_branch(expansion *ex, reader *in) {
  if (in->depth == 0) {
    return gg_fail(ex->err, TEMPLATE_DIRECTIVE, &in->mark, "`end` without its `if`");
  }
  in->depth--;
  return GG_OK;
}

static gg_status fill_slot(expansion *ex, const reader *in, const char *slot, size_t length) {
  const gg_binding *binding = NULL;
  gg_status st = find(ex, in, slot, length, GG_BINDING_PART, &binding);
  if (st || !binding->text) return st;
  return expand_file(ex, binding->text, strlen(binding->text), in);
}

/* Runs a directive; `text` is what stands behind "//@ ". */
static gg_status run_directive(expansion *ex, reader *in, const char *text, size_t length) {
  size_t verb = 0;
  while (verb < length && is_name(text[verb]))
    verb++;
  const char *rest = verb < length ? text + verb + 1 : text + length;
  size_t left = (size_t)(text + length - rest);
  if (verb == 2 && memcmp(text, "if", 2) == 0) return open_branch(ex, in, rest, left);
  if (verb == 4 && memcmp(text, "else", 4) == 0) return turn_branch(ex, in);
  if (verb == 3 && memcmp(text, "end", 3) == 0) return close_branch(ex, in);
  if (verb == 7 && memcmp(text, "include", 7) == 0) return expand_file(ex, rest, left, in);
  if (verb == 4 && memcmp(text, "slot", 4) == 0) return fill_slot(ex, in, rest, left);
  if (verb == 6 && memcmp(text, "insert", 6) == 0) {
    const gg_binding *binding = NULL;
    gg_status st = find(ex, in, rest, left, GG_BINDING_TEXT, &binding);
    if (st == GG_OK && writes(in)) gg_str_puts(ex->out, binding->text);
    return st;
  }
  return gg_fail(ex->err, TEMPLATE_DIRECTIVE, &in->mark, "an unknown directive");
}

static gg_status expand_text(expansion *ex, reader *in, const char *text) {
  gg_status st = GG_OK;
  for (const char *line = text, *next; *line && st == GG_OK; line = next) {
    size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    in->mark.line++;
    const char *start = line + strspn(line, " ");
    size_t rest = length - (size_t)(start - line);
    bool directive = rest >= 4 && memcmp(start, "//@ ", 4) == 0;
    st = directive ? run_directive(ex, in, start + 4, rest - 4) : write_line(ex, in, line, length);
  }
  if (st == GG_OK && in->depth > 0) {
    const branch *open = &in->open[in->depth - 1];
    return gg_fail(ex->err, TEMPLATE_UNCLOSED, &in->mark, "//@ if", open->line);
  }
  return st;
}

/* Includes nest at most max_nesting deep, which also stops a part that includes itself. */
static gg_status expand_file(expansion *ex, const char *name, size_t length, const reader *from) {
  const gg_mark *mark = from ? &from->mark : NULL;
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, from ? "parts/%.*s%s" : "%.*s", (int)length, name,
                from ? strrchr(from->mark.file, '.') : "");
  gg_status st = GG_OK;
  const gg_template_file *file = ex->files;
  while (file->name && strcmp(file->name, gg_str_text(&path)) != 0)
    file++;
  if (path.failed) {
    st = gg_fail(ex->err, MEMORY, NULL, "");
  } else if (!file->name || (from && from->includes == max_nesting)) {
    st = gg_fail(ex->err, TEMPLATE_INCLUDE, mark, gg_str_text(&path));
  } else {
    reader in = {.mark = {.file = file->name},
                 .includes = from ? from->includes + 1 : 0,
                 .silent = from && !writes(from)};
    st = expand_text(ex, &in, file->text);
  }
  gg_str_free(&path);
  return st;
}

gg_status gg_template_expand(gg_str *out, const gg_template_file *files, const char *name,
                             const gg_binding *bindings, size_t count, gg_error *err) {
  assert(count <= GG_BINDINGS_MAX);
  expansion ex = {.out = out, .files = files, .bindings = bindings, .count = count, .err = err};
  gg_status st = expand_file(&ex, name, strlen(name), NULL);
  for (size_t i = 0; i < count && st == GG_OK; i++) {
    gg_mark mark = {.file = name};
    if (!ex.used[i]) st = gg_fail(err, TEMPLATE_UNUSED, &mark, bindings[i].name);
  }
  if (st == GG_OK && out->failed) st = gg_fail(err, MEMORY, NULL, "");
  return st;
}
