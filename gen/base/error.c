#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const gg_error_info table[] = {
#define GG_ERROR(number, name, stage, message, help) {GG_E_##name, #name, stage, message, help},
#include "base/errors.def"
#undef GG_ERROR
};

enum {
#define GG_ERROR(number, name, stage, message, help) ROW_##name,
#include "base/errors.def"
#undef GG_ERROR
  ROW_COUNT
};

static const char *const stage_names[] = {
    [GG_STAGE_USAGE] = "usage",     [GG_STAGE_LAYOUT] = "layout",   [GG_STAGE_SPEC] = "spec",
    [GG_STAGE_PLAN] = "plan",       [GG_STAGE_DERIVE] = "derive",   [GG_STAGE_EMIT] = "emit",
    [GG_STAGE_COMPILE] = "compile", [GG_STAGE_RUNTIME] = "runtime", [GG_STAGE_EMULATE] = "emulate",
    [GG_STAGE_SYSTEM] = "system",
};

/* It is a switch so that two errors with the same number do not compile. */
const gg_error_info *gg_error_info_of(gg_status code) {
  switch (code) {
#define GG_ERROR(number, name, stage, message, help)                                               \
  case GG_E_##name:                                                                                \
    return &table[ROW_##name];
#include "base/errors.def"
#undef GG_ERROR
  default:
    return NULL;
  }
}

const gg_error_info *gg_error_info_at(size_t row) {
  return row < ROW_COUNT ? &table[row] : NULL;
}

const char *gg_stage_name(gg_stage stage) {
  size_t count = sizeof stage_names / sizeof *stage_names;
  return (size_t)stage < count ? stage_names[stage] : "?";
}

static void copy_text(char *out, size_t size, const char *text) {
  snprintf(out, size, "%s", text ? text : "");
}

void gg_error_set(gg_error *err, gg_status code, const char *format, const gg_mark *mark, ...) {
  if (!err || err->code != GG_OK) return;
  err->code = code;
  err->stage = gg_error_info_of(code)->stage;
  err->line = mark ? mark->line : 0;
  err->column = mark ? mark->column : 0;
  copy_text(err->file, sizeof err->file, mark ? mark->file : NULL);
  copy_text(err->path, sizeof err->path, mark ? mark->path : NULL);
  va_list arguments;
  va_start(arguments, mark);
  vsnprintf(err->message, sizeof err->message, format, arguments);
  va_end(arguments);
}

void gg_error_clear(gg_error *err) {
  if (!err) return;
  gg_free(err->log);
  *err = (gg_error)GG_ERROR_INIT;
}

/* The start of line number `line`, which counts from 1, and its length in bytes without the line
 * break (LF, CR LF or CR). NULL past the end. A byte order mark is not part of the first line. */
static const char *find_line(const char *source, int line, size_t *length) {
  if (strncmp(source, "\xEF\xBB\xBF", 3) == 0) source += 3;
  for (; line > 1; line--) {
    source += strcspn(source, "\r\n");
    if (!*source) return NULL;
    source += source[0] == '\r' && source[1] == '\n' ? 2 : 1;
  }
  *length = strcspn(source, "\r\n");
  return source;
}

/* Appends `count` characters from *at on, and to `blanks` as many blanks (tabs for tabs), so that a
 * caret after them stands below the next column. Characters that cannot be printed become '?'. */
static void print_characters(gg_str *out, gg_str *blanks, const char **at, const char *end,
                             int count) {
  for (; count > 0 && *at < end; count--) {
    size_t length = gg_utf8_sequence(*at, (size_t)(end - *at));
    bool tab = **at == '\t', visible = length > 1 || (length == 1 && (unsigned char)**at >= 0x20);
    if (length == 0) length = 1;
    gg_str_append(out, tab || visible ? *at : "?", tab || visible ? length : 1);
    if (blanks) gg_str_putc(blanks, tab ? '\t' : ' ');
    *at += length;
  }
}

/* Prints the part of the line around the error's column, and the caret below it. */
static void print_excerpt(gg_str *out, const gg_error *err, const char *source) {
  enum { before = 60, after = 40 };
  size_t length;
  const char *at = find_line(source, err->line, &length);
  if (!at) return;
  const char *end = at + length;
  int column = err->column > 0 ? err->column : 1;
  int skipped = column - 1 > before ? column - 1 - before : 0;
  gg_str unseen = GG_STR_INIT, blanks = GG_STR_INIT;
  print_characters(&unseen, NULL, &at, end, skipped);
  gg_str_printf(out, "%5d | %s", err->line, skipped ? "..." : "");
  print_characters(out, &blanks, &at, end, column - 1 - skipped);
  print_characters(out, NULL, &at, end, after);
  gg_str_puts(out, at < end ? "...\n" : "\n");
  if (err->column > 0) {
    gg_str_puts(out, skipped ? "      |    " : "      | ");
    gg_str_add(out, &blanks);
    gg_str_puts(out, "^\n");
  }
  gg_str_free(&unseen);
  gg_str_free(&blanks);
}

void gg_error_print(gg_str *out, const gg_error *err, const char *source) {
  const gg_error_info *info = gg_error_info_of(err->code);
  if (!info) return;
  if (err->file[0]) gg_str_printf(out, "%s:", err->file);
  if (err->line > 0) gg_str_printf(out, "%d:", err->line);
  if (err->line > 0 && err->column > 0) gg_str_printf(out, "%d:", err->column);
  gg_str_printf(out, "%serror: %s", err->file[0] || err->line > 0 ? " " : "", err->message);
  if (err->path[0]) gg_str_printf(out, " (%s)", err->path);
  gg_str_printf(out, " [%s]\n", info->name);
  if (source && err->line > 0) print_excerpt(out, err, source);
  if (err->log) gg_str_printf(out, "%s\n", err->log);
}
