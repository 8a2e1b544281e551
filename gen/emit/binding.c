#include "emit/binding.h"

#include <assert.h>
#include <string.h>

static void bind(gg_bindings *bindings, gg_binding row) {
  assert(bindings->count < GG_BINDINGS_MAX);
  bindings->rows[bindings->count++] = row;
}

void gg_bind_flag(gg_bindings *bindings, const char *name, bool flag) {
  bind(bindings, (gg_binding){.name = name, .kind = GG_BINDING_FLAG, .flag = flag});
}

void gg_bind_part(gg_bindings *bindings, const char *slot, const char *part) {
  bind(bindings, (gg_binding){.name = slot, .kind = GG_BINDING_PART, .text = part});
}

void gg_bind_text(gg_bindings *bindings, const char *name, const char *text) {
  char *copy = gg_arena_strndup(bindings->arena, text, strlen(text));
  if (!copy) bindings->failed = true;
  bind(bindings, (gg_binding){.name = name, .text = copy ? copy : ""});
}

void gg_bind_str(gg_bindings *bindings, const char *name, gg_str *text) {
  if (text->failed) bindings->failed = true;
  gg_bind_text(bindings, name, gg_str_text(text));
  gg_str_free(text);
}

gg_status gg_bindings_check(const gg_bindings *bindings, gg_error *err) {
  return bindings->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}
