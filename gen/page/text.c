/* What the sections write with. */
#include "page/parts.h"

void gg_page_put(gg_str *out, const char *text, size_t length) {
  gg_str part = GG_STR_INIT;
  gg_str_append(&part, text, length);
  gg_str_xml(out, gg_str_text(&part));
  out->failed = out->failed || part.failed;
  gg_str_free(&part);
}
