/* The calculator as a WebAssembly module. Pages of `gemmgen layout --html` contain it, and their
 * calculator.js calls it to let the expression be edited. It is compiled by clang for wasm32-wasi
 * only. */
#include <stdlib.h>

#include "calculator/tree.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* What the last work_out has said: the list of steps, or the error. */
static gg_str said = GG_STR_INIT;

/* Allocates room for a text of the page; NULL: there is none. */
EXPORT(room) void *room(size_t bytes);
EXPORT(leave) void leave(void *bytes);
EXPORT(work_out)
int work_out(const char *expression, const char *tile, int bits, int compact, int cute);
EXPORT(answer) const char *answer(void);

void *room(size_t bytes) {
  return malloc(bytes);
}

void leave(void *bytes) {
  free(bytes);
}

const char *answer(void) {
  return gg_str_text(&said);
}

/* Works an expression out. Returns 0 where it has a value; else the column of the error, from 1. */
int work_out(const char *expression, const char *tile, int bits, int compact, int cute) {
  gg_error err = GG_ERROR_INIT;
  gg_layout_options options = GG_LAYOUT_OPTIONS_INIT;
  options.tile = *tile ? tile : NULL;
  options.bits = bits, options.compact = compact, options.cute = cute;
  gg_str_free(&said);
  said = (gg_str)GG_STR_INIT;
  gg_status st = gg_layout_tree(&said, expression, &options, &err);
  int column = st && err.column > 0 ? err.column : 1;
  if (st) {
    gg_str_free(&said);
    said = (gg_str)GG_STR_INIT;
    gg_str_puts(&said, err.message);
  }
  gg_error_clear(&err);
  return st ? column : 0;
}
