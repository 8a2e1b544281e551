#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static const gg_error_info table[] = {
#define GG_ERROR(name, stage, message, help) {GG_E_##name, #name, stage, message, help},
#include "base/errors.def"
#undef GG_ERROR
};

static const char *const stage_names[] = {
    [GG_STAGE_USAGE] = "usage",     [GG_STAGE_LAYOUT] = "layout", [GG_STAGE_SPEC] = "spec",
    [GG_STAGE_PLAN] = "plan",       [GG_STAGE_DERIVE] = "derive", [GG_STAGE_EMIT] = "emit",
    [GG_STAGE_COMPILE] = "compile", [GG_STAGE_RUNTIME] = "runtime", [GG_STAGE_SYSTEM] = "system",
};

const gg_error_info *gg_error_info_of(gg_status code) {
  return code > GG_OK && code < GG_STATUS_COUNT ? &table[code - 1] : NULL;
}

const char *gg_stage_name(gg_stage stage) {
  return stage_names[stage];
}

static void copy_text(char *out, size_t size, const char *text) {
  snprintf(out, size, "%s", text ? text : "");
}

gg_status gg_error_set(gg_error *err, gg_status code, const char *format, const gg_mark *mark,
                       ...) {
  if (!err || err->code != GG_OK) return code;
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
  return code;
}

void gg_error_clear(gg_error *err) {
  gg_free(err->log);
  *err = (gg_error)GG_ERROR_INIT;
}

/* The start of 1-based line `line` of `source`, or NULL. */
static const char *find_line(const char *source, int line) {
  for (; source && line > 1; line--) {
    source = strchr(source, '\n');
    if (source) source++;
  }
  return line == 1 ? source : NULL;
}

enum { excerpt_columns = 100 };

static void print_excerpt(gg_str *out, const gg_error *err, const char *source) {
  const char *line = find_line(source, err->line);
  if (!line) return;
  size_t length = strcspn(line, "\r\n");
  int skip = err->column > excerpt_columns - 20 ? err->column - excerpt_columns / 2 : 0;
  gg_str_printf(out, "%5d | %s", err->line, skip ? "..." : "");
  int column = 0;
  size_t start = 0, end = 0;
  for (size_t i = 0; i <= length; i++) {
    bool begins = i == length || ((unsigned char)line[i] & 0xC0) != 0x80;
    if (!begins) continue;
    if (column == skip) start = i;
    if (column <= skip + excerpt_columns) end = i;
    column++;
  }
  if (start > end) start = end;
  gg_str caret = GG_STR_INIT;
  column = skip;
  for (size_t i = start; i < end; i++) {
    unsigned char byte = (unsigned char)line[i];
    gg_str_putc(out, byte < 0x20 && byte != '\t' ? ' ' : line[i]);
    if ((byte & 0xC0) != 0x80 && ++column < err->column) gg_str_putc(&caret, byte == '\t' ? '\t' : ' ');
  }
  for (; column + 1 < err->column && column < skip + excerpt_columns; column++) {
    gg_str_putc(&caret, ' ');
  }
  gg_str_puts(out, end < length ? "...\n" : "\n");
  if (err->column > 0) {
    gg_str_printf(out, "      | %s%s^\n", skip ? "   " : "", gg_str_text(&caret));
  }
  gg_str_free(&caret);
}

void gg_error_print(gg_str *out, const gg_error *err, const char *source) {
  const gg_error_info *info = gg_error_info_of(err->code);
  if (!info) return;
  if (err->file[0]) gg_str_printf(out, "%s:", err->file);
  if (err->line > 0) gg_str_printf(out, "%d:", err->line);
  if (err->line > 0 && err->column > 0) gg_str_printf(out, "%d:", err->column);
  gg_str_printf(out, "%serror: %s", out->length ? " " : "", err->message);
  if (err->path[0]) gg_str_printf(out, " (%s)", err->path);
  gg_str_printf(out, " [%s]\n", info->name);
  if (source && err->line > 0) print_excerpt(out, err, source);
  if (err->log) gg_str_printf(out, "%s\n", err->log);
}
