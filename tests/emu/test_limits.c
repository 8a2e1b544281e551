/* PTX that declares masses of things is refused before it has cost much memory. */
#include "emu/ptx/ptx.h"
#include "suite.h"

#define PREAMBLE ".version 9.0\n.target sm_90a\n.address_size 64\n"

/* `functions` functions, and as many of `piece` in all. */
static const struct {
  const char *piece;
  int functions, pieces;
  const char *message;
} masses[] = {
    {"{.reg .v8 .b32 r; x r;}", 1, 140000, "a function has too many registers"},
    {"{.reg .v8 .b32 r; x r;}", 10, 140000, "vectors have too many registers"},
    {"{.local .b8 a, b, c, d, e, f, g, h;}", 10, 140000, "a module has too many variables"},
    {"{.reg .v8 .b32 r; x r;}", 10, 130000, NULL},
};

START_TEST(masses_are_refused) {
  gg_str text = GG_STR_INIT;
  gg_error err = GG_ERROR_INIT;
  ptx_module *module;
  gg_str_puts(&text, PREAMBLE);
  for (int f = 0; f < masses[_i].functions; f++) {
    gg_str_printf(&text, ".func f%d() {\n", f);
    for (int i = 0; i < masses[_i].pieces / masses[_i].functions; i++)
      gg_str_puts(&text, masses[_i].piece);
    gg_str_puts(&text, "}\n");
  }
  gg_status st = ptx_parse(&module, gg_str_text(&text), text.length, "k.ptx", &err);
  if (masses[_i].message) {
    ck_assert_int_eq(st, GG_E_PTX_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, masses[_i].message));
    ck_assert_int_gt(err.line, 3);
  } else {
    ck_assert_msg(!st, "%s", err.message);
  }
  ptx_free(module);
  gg_error_clear(&err);
  gg_str_free(&text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("limits");
  TCase *all = tcase_create("masses");
  tcase_add_loop_test(all, masses_are_refused, 0, sizeof masses / sizeof *masses);
  tcase_set_timeout(all, 60);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
