/* The template engine: what its directives give, and each of its errors with the line. */
#include <stdlib.h>
#include <string.h>

#include "emit/template.h"
#include "suite.h"

static const gg_binding bindings[] = {
    {.name = "size", .text = "64"},
    {.name = "block", .text = "int x;\n"},
    {.name = "yes", .kind = GG_BINDING_FLAG, .flag = true},
    {.name = "no", .kind = GG_BINDING_FLAG, .flag = false},
    {.name = "body", .kind = GG_BINDING_PART, .text = "part"},
    {.name = "empty", .kind = GG_BINDING_PART},
    {.name = "absent", .kind = GG_BINDING_PART, .text = "nothing"}, /* bound where it is named */
};

/* A line that names every binding, so that a test of one directive is not about unused names. */
#define USES_ALL                                                                                   \
  "//@ if yes\n//@ if no\n${size}\n//@ insert block\n//@ slot body\n//@ slot empty\n//@ end\n"     \
  "//@ end\n"

typedef struct example {
  const char *text;
  const char *out; /* NULL: an error */
  gg_status code;
  int line;
} example;

static const example examples[] = {
    {USES_ALL, "", GG_OK, 0},
    {USES_ALL "a ${size} b ${size}\n", "a 64 b 64\n", GG_OK, 0},
    {USES_ALL "  //@ insert block\nend", "int x;\nend\n", GG_OK, 0},
    {USES_ALL "//@ if yes\n1\n//@ else\n2\n//@ end\n3\n", "1\n3\n", GG_OK, 0},
    {USES_ALL "//@ if not yes\n1\n//@ else\n2\n//@ end\n", "2\n", GG_OK, 0},
    {USES_ALL "//@ if no\n//@ if yes\n1\n//@ else\n2\n//@ end\n//@ else\n3\n//@ end\n", "3\n",
     GG_OK, 0},
    {USES_ALL "//@ include part\n", "part 64\n", GG_OK, 0},
    {USES_ALL "//@ if no\n//@ include part\n//@ end\n", "", GG_OK, 0},
    {USES_ALL "1\n  //@ slot body\n2\n", "1\npart 64\n2\n", GG_OK, 0},
    {USES_ALL "1\n//@ slot empty\n2\n", "1\n2\n", GG_OK, 0},
    {USES_ALL "//@ if no\n//@ slot body\n//@ end\n", "", GG_OK, 0},
    {USES_ALL "//@ include slots\n", "part 64\nend\n", GG_OK, 0},
    {USES_ALL "// @ a comment\n//@@ another\n$ {size} $\n",
     "// @ a comment\n//@@ another\n$ {size} $\n", GG_OK, 0},
    {"\n${sise}\n", NULL, GG_E_TEMPLATE_NAME, 2},
    {"//@ if no\n${sise}\n//@ end\n", NULL, GG_E_TEMPLATE_NAME, 2},
    {"1\n//@ slot bodies\n", NULL, GG_E_TEMPLATE_NAME, 2},
    {"//@ if no\n//@ slot bodies\n//@ end\n", NULL, GG_E_TEMPLATE_NAME, 2},
    {"//@ slot size\n", NULL, GG_E_TEMPLATE_NAME, 1},
    {"//@ slot yes\n", NULL, GG_E_TEMPLATE_NAME, 1},
    {"//@ insert body\n", NULL, GG_E_TEMPLATE_NAME, 1},
    {"${empty}\n", NULL, GG_E_TEMPLATE_NAME, 1},
    {"//@ if body\n//@ end\n", NULL, GG_E_TEMPLATE_NAME, 1},
    {"//@ if size\n//@ end\n", NULL, GG_E_TEMPLATE_NAME, 1},
    {"${yes}\n", NULL, GG_E_TEMPLATE_NAME, 1},
    {"${size}\n", NULL, GG_E_TEMPLATE_UNUSED, 0},
    {"a\n//@ if yes\nb\n", NULL, GG_E_TEMPLATE_UNCLOSED, 3},
    {"${size\n", NULL, GG_E_TEMPLATE_UNCLOSED, 1},
    {"//@ end\n", NULL, GG_E_TEMPLATE_DIRECTIVE, 1},
    {"//@ else\n", NULL, GG_E_TEMPLATE_DIRECTIVE, 1},
    {"//@ if yes\n//@ else\n//@ else\n//@ end\n", NULL, GG_E_TEMPLATE_DIRECTIVE, 3},
    {"//@ fi\n", NULL, GG_E_TEMPLATE_DIRECTIVE, 1},
    {"\n\n//@ include nothing\n", NULL, GG_E_TEMPLATE_INCLUDE, 3},
    {"//@ include itself\n", NULL, GG_E_TEMPLATE_INCLUDE, 1},
    {"\n//@ slot absent\n", NULL, GG_E_TEMPLATE_INCLUDE, 2},
};

START_TEST(test_example) {
  const example *e = &examples[_i];
  const gg_template_file files[] = {
      {"main.cu", e->text},
      {"parts/part.cu", "part ${size}\n"},
      {"parts/slots.cu", "//@ slot body\n//@ slot empty\nend\n"},
      {"parts/itself.cu", "//@ include itself\n"},
      {0},
  };
  gg_str out = GG_STR_INIT;
  gg_error err = GG_ERROR_INIT;
  size_t count = sizeof bindings / sizeof *bindings - (strstr(e->text, "absent") == NULL);
  gg_status st = gg_template_expand(&out, files, "main.cu", bindings, count, &err);
  ck_assert_int_eq(st, e->code);
  if (e->out) {
    ck_assert_str_eq(gg_str_text(&out), e->out);
  } else {
    ck_assert_int_eq(err.line, e->line);
    ck_assert_int_ne(err.message[0], '\0');
  }
  gg_error_clear(&err);
  gg_str_free(&out);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("template");
  TCase *tcase = tcase_create("examples");
  tcase_add_loop_test(tcase, test_example, 0, sizeof examples / sizeof *examples);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
