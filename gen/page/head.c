/* The beginning of every page, and the files that pages are made of. */
#include <string.h>

#include "emit/template.h"
#include "page/parts.h"

extern const gg_template_file gg_page_files[];

const char *gg_page_file(const char *name) {
  for (const gg_template_file *file = gg_page_files; file->name; file++) {
    if (strcmp(file->name, name) == 0) return file->text;
  }
  return "";
}

void gg_page_head(gg_str *out, const char *title, bool compiles) {
  gg_str_printf(out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; script-src 'unsafe-inline'%s; img-src data:\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>",
                compiles ? " 'wasm-unsafe-eval'" : "");
  gg_str_xml(out, title);
  gg_str_puts(out, "</title>\n<style>\n");
  gg_str_puts(out, gg_page_file("page.css"));
  gg_str_puts(out, "</style>\n</head>\n<body>\n<header>\n<h1>");
  gg_str_xml(out, title);
  gg_str_puts(out, "</h1>\n");
}
