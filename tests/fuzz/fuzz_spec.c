/* Fuzz target: any bytes as a spec end in specs or in one error that can be printed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gemmgen.h"
#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void check_good(const gg_spec_file *file) {
  for (size_t i = 0; i < gg_spec_file_count(file); i++) {
    const gg_spec *spec = gg_spec_file_get(file, i);
    require(spec->arch.state == GG_SPEC_SET && spec->a.type.state == GG_SPEC_SET);
    require(spec->tile.mark.path && spec->tile.mark.line > 0 && spec->tile.mark.column > 0);
    require((spec->tile.state == GG_SPEC_SET) == (spec->tile.marks != NULL));
  }
}

static void check_bad(gg_status st, gg_error *err, const uint8_t *data, size_t size) {
  gg_str source = GG_STR_INIT, text = GG_STR_INIT;
  gg_str_append(&source, (const char *)data, size);
  require(st == err->code && err->message[0] && err->stage == GG_STAGE_SPEC);
  gg_error_print(&text, err, gg_str_text(&source));
  require(text.length > 0 && text.length < 8192);
  gg_str_free(&source);
  gg_str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gg_spec_file *file;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_spec_file_parse(&file, (const char *)data, size, "fuzz", &err);
  require((st == GG_OK) == (file != NULL));
  if (st == GG_OK) {
    check_good(file);
  } else {
    check_bad(st, &err, data, size);
  }
  gg_spec_file_free(file);
  gg_error_clear(&err);
  return 0;
}
