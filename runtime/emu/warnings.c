#include "emu/warnings.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "emu/severity.h"

emu_warning *emu_warnings_find(const emu_warnings *warnings, gg_status code, const emu_op *op) {
  for (emu_warning *w = warnings->first; w; w = w->next) {
    if (w->code == code && w->op == op) return w;
  }
  return NULL;
}

static void append(emu_warnings *warnings, emu_warning *warning) {
  emu_warning **end = &warnings->first;
  while (*end)
    end = &(*end)->next;
  warning->next = NULL;
  *end = warning;
}

bool emu_warnings_add(emu_warnings *warnings, const emu_warning *warning) {
  emu_warning *own = warning->text ? gg_malloc(sizeof *own) : NULL;
  if (!own) {
    gg_free(warning->text);
    return false;
  }
  *own = *warning;
  append(warnings, own);
  return true;
}

static void free_warning(emu_warning *warning) {
  gg_free(warning->text);
  gg_free(warning);
}

/* Another's count of the same place. */
static void join(emu_warning *to, emu_warning *from) {
  to->count += from->count;
  if (from->cluster < to->cluster && !to->told) {
    char *text = to->text;
    to->text = from->text;
    from->text = text;
    to->cluster = from->cluster;
  }
}

void emu_warnings_move(emu_warnings *to, emu_warnings *from) {
  for (emu_warning *next, *w = from->first; w; w = next) {
    next = w->next;
    emu_warning *known = emu_warnings_find(to, w->code, w->op);
    if (known) {
      join(known, w);
      free_warning(w);
    } else {
      append(to, w);
    }
  }
  from->first = NULL;
}

void emu_warnings_free(emu_warnings *warnings) {
  for (emu_warning *next, *w = warnings->first; w; w = next) {
    next = w->next;
    free_warning(w);
  }
  warnings->first = NULL;
}

/* ---- Text and JSON ---------------------------------------------------------------------- */

void emu_warning_text(gg_str *out, const emu_warning *warning) {
  gg_str_printf(out, "%s (%" PRIu64 " time%s)", warning->text, warning->count,
                warning->count == 1 ? "" : "s");
}

void emu_warnings_json(gg_str *out, const emu_warnings *warnings) {
  gg_str_putc(out, '[');
  for (const emu_warning *w = warnings->first; w; w = w->next) {
    gg_str_printf(out, "%s\n  {\"fault\": \"%s\", \"class\": \"%s\", \"line\": %" PRIu32 ",",
                  w == warnings->first ? "" : ",", gg_error_info_of(w->code)->name,
                  emu_fault_class_word(emu_fault_class_of(w->code)),
                  w->op->ptx ? w->op->ptx->place.line : 0);
    gg_str_printf(out, " \"count\": %" PRIu64 ", \"text\": ", w->count);
    gg_str_json(out, w->text);
    gg_str_putc(out, '}');
  }
  gg_str_putc(out, ']');
}
