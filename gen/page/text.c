/* How the sections write text. */
#include "page/parts.h"

void gg_page_put(gg_str *out, const char *text, size_t length) {
  gg_str part = GG_STR_INIT;
  gg_str_append(&part, text, length);
  gg_str_xml(out, gg_str_text(&part));
  out->failed = out->failed || part.failed;
  gg_str_free(&part);
}

/* In JSON, `<` occurs only in strings, where it can be written by its number. */
void gg_page_put_json(gg_str *out, const char *json, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (json[i] == '<')
      gg_str_puts(out, "\\u003c");
    else
      gg_str_putc(out, json[i]);
  }
}
