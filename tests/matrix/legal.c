#include "legal.h"

#include <string.h>

#include "pipeline.h"

static bool refuse(gg_str *why, bool *mistake, gg_error *err) {
  bool of_spec =
      err->stage == GG_STAGE_SPEC || err->stage == GG_STAGE_PLAN || err->stage == GG_STAGE_DERIVE;
  *mistake = *mistake || !of_spec || err->line == 0;
  gg_str_puts(why, err->message);
  gg_error_clear(err);
  return false;
}

/* `tile`, if it is asked for, is the plan's. */
static bool plan(const gg_str *text, const char *family, int tile[3], gg_str *why, bool *mistake) {
  gg_error err = GG_ERROR_INIT;
  gg_compilation c = GG_COMPILATION_INIT;
  gg_spec_file *file;
  gg_status st = gg_spec_file_parse(&file, gg_str_text(text), text->length, "matrix.yaml", &err);
  if (!st) st = gg_compilation_run(&c, gg_spec_file_get(file, 0), &err);
  bool good = !st || refuse(why, mistake, &err);
  if (good && strcmp(c.plan->target->family, family) != 0) {
    gg_str_printf(why, "family %s plans it", c.plan->target->family);
    good = false;
  }
  if (good && tile) {
    bool swapped = c.plan->swap_ab;
    tile[0] = swapped ? c.plan->tile_n : c.plan->tile_m;
    tile[1] = swapped ? c.plan->tile_m : c.plan->tile_n;
    tile[2] = c.plan->tile_k;
  }
  gg_compilation_free(&c);
  gg_spec_file_free(file);
  return good;
}

bool legal_write(gg_str *out, const factors *all, const choice *of, gg_str *why, bool *mistake) {
  int tile[3];
  if (!factors_want_tile(all, of)) {
    factors_write(out, all, of, NULL);
    return true;
  }
  gg_str usual = GG_STR_INIT;
  factors_write(&usual, all, of, NULL);
  bool good = plan(&usual, all->family, tile, why, mistake);
  if (good) factors_write(out, all, of, tile);
  gg_str_free(&usual);
  return good;
}

bool legal_choice(const factors *all, const choice *of, gg_str *why, bool *mistake) {
  gg_str text = GG_STR_INIT;
  bool good =
      legal_write(&text, all, of, why, mistake) && plan(&text, all->family, NULL, why, mistake);
  gg_str_free(&text);
  return good;
}
