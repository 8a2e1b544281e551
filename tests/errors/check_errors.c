/* Runs every wrong input under tests/errors and holds its diagnostic to the letter.
 *
 *     check_errors FOLDER STAGE...
 *
 * FOLDER/spec/NAME.yaml is one wrong spec, FOLDER/plan/NAME.yaml a spec that says what it means and
 * cannot be had, FOLDER/layout/NAME.expr one wrong expression of the layout calculator,
 * FOLDER/ptx/NAME.ptx one wrong text of PTX, FOLDER/recipe/NAME.json one wrong launch recipe. Its
 * first lines are the diagnostic that gemmgen prints, each behind "# expect: " ("// expect: " in
 * PTX). FOLDER/elsewhere.txt names, a line each, an error that cannot be told in such a file and
 * the test that makes it: "MEMORY tests/unit/test_spec.c"; that file must speak of GG_E_MEMORY.
 * Every error of errors.def that belongs to one of the STAGEs needs one or the other, so that no
 * message is never seen. Another kind of input is one more row of `kinds`. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "calculator/expr.h"
#include "emu/ptx/ptx.h"
#include "gemmgen.h"
#include "recipe.h"

enum { most_bytes = 1 << 20, most_files = 1024 };

enum { most_code = 2000 };

static bool seen[most_code]; /* by code */
static int failures;

static void fail(const char *where, const char *what) {
  fprintf(stderr, "%s: %s\n", where, what);
  failures++;
}

static char *read_whole(const char *path) {
  char *text;
  size_t length;
  gg_error err = GG_ERROR_INIT;
  if (gg_file_read(&text, &length, path, most_bytes, &err) == GG_OK) return text;
  fprintf(stderr, "%s\n", err.message);
  exit(2);
}

/* ---- Cases ---------------------------------------------------------------------------- */

static gg_status run_spec(const char *text, const char *name, gg_error *err) {
  gg_spec_file *file;
  gg_status st = gg_spec_file_parse(&file, text, strlen(text), name, err);
  gg_spec_file_free(file);
  return st;
}

static gg_status run_plan(const char *text, const char *name, gg_error *err) {
  gg_spec_file *file;
  gg_kernel *kernel = NULL;
  gg_status st = gg_spec_file_parse(&file, text, strlen(text), name, err);
  if (st == GG_OK) st = gg_kernel_generate(&kernel, gg_spec_file_get(file, 0), err);
  gg_kernel_free(kernel);
  gg_spec_file_free(file);
  return st;
}

/* The first line that is no comment is an expression of the layout calculator. */
static gg_status run_layout(const char *text, const char *name, gg_error *err) {
  int line = 1;
  for (; *text == '#'; line++) {
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  gg_arena arena = GG_ARENA_INIT;
  gg_str expression = GG_STR_INIT;
  gg_value value;
  gg_str_append(&expression, text, strcspn(text, "\n"));
  gg_status st = gg_expr_eval(&value, gg_str_text(&expression), name, line, NULL, &arena, err);
  gg_str_free(&expression);
  gg_arena_free(&arena);
  return st;
}

static gg_status run_ptx(const char *text, const char *name, gg_error *err) {
  ptx_module *module;
  gg_status st = ptx_parse(&module, text, strlen(text), name, err);
  ptx_free(module);
  return st;
}

static gg_status run_recipe(const char *text, const char *name, gg_error *err) {
  gg_recipe *recipe;
  gg_status st = gg_recipe_parse(&recipe, text, strlen(text), name, err);
  gg_recipe_free(recipe);
  return st;
}

static const struct kind {
  const char *folder, *suffix, *prefix;
  gg_status (*run)(const char *text, const char *name, gg_error *err);
} kinds[] = {
    {"spec", ".yaml", "# expect: ", run_spec},     {"plan", ".yaml", "# expect: ", run_plan},
    {"layout", ".expr", "# expect: ", run_layout}, {"ptx", ".ptx", "// expect: ", run_ptx},
    {"recipe", ".json", "# expect: ", run_recipe},
};

/* What stands behind the prefix in the lines at the top. */
static void read_expected(gg_str *out, const char *text, const char *prefix) {
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  while (strncmp(text, prefix, strlen(prefix)) == 0) {
    text += strlen(prefix);
    size_t length = strcspn(text, "\n");
    gg_str_append(out, text, length);
    gg_str_putc(out, '\n');
    text += length + (text[length] == '\n');
  }
}

static void run_case(const struct kind *kind, const char *path, const char *name) {
  char *text = read_whole(path);
  gg_error err = GG_ERROR_INIT;
  gg_str expected = GG_STR_INIT, got = GG_STR_INIT;
  read_expected(&expected, text, kind->prefix);
  gg_status st = kind->run(text, name, &err);
  if (st) gg_error_print(&got, &err, text);
  if (st != err.code) fail(path, "the status and the error's code differ");
  if (st == GG_OK) fail(path, "no error");
  if (strcmp(gg_str_text(&expected), gg_str_text(&got)) != 0) {
    fail(path, "another diagnostic than expected");
    fprintf(stderr, "--- expected\n%s--- got\n%s", gg_str_text(&expected), gg_str_text(&got));
  }
  seen[st] = true;
  gg_error_clear(&err);
  gg_str_free(&expected);
  gg_str_free(&got);
  gg_free(text);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int run_folder(const char *root, const struct kind *kind) {
  static char *names[most_files];
  size_t count = 0;
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", root, kind->folder);
  DIR *folder = opendir(path);
  if (!folder) {
    fail(path, "no such folder");
    return 0;
  }
  for (struct dirent *entry; (entry = readdir(folder)) && count < most_files;) {
    if (strstr(entry->d_name, kind->suffix)) names[count++] = strdup(entry->d_name);
  }
  closedir(folder);
  qsort(names, count, sizeof *names, by_name);
  for (size_t i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s/%s", root, kind->folder, names[i]);
    run_case(kind, path, names[i]);
    free(names[i]);
  }
  return (int)count;
}

/* ---- Coverage ------------------------------------------------------------------------- */

static gg_status find_code(const char *name) {
  const gg_error_info *info;
  for (size_t row = 0; (info = gg_error_info_at(row)); row++) {
    if (strcmp(info->name, name) == 0) return info->code;
  }
  return GG_OK;
}

/* Paths in elsewhere.txt start at the source tree's root, two folders above `root`. */
static void read_elsewhere(const char *root) {
  char path[1024], code[64], test[256], token[80];
  snprintf(path, sizeof path, "%s/elsewhere.txt", root);
  FILE *list = fopen(path, "r");
  if (!list) {
    fail(path, "no such file");
    return;
  }
  while (fscanf(list, "%63s %255s", code, test) == 2) {
    gg_status found = find_code(code);
    if (!found) fail(code, "no such error");
    if (seen[found]) fail(code, "is listed as tested elsewhere, but has a case");
    seen[found] = true;
    snprintf(path, sizeof path, "%s/../../%s", root, test);
    bool kernel = strstr(test, ".ptx"); /* says in its first line how it ends */
    snprintf(token, sizeof token, kernel ? "//! error %s" : "GG_E_%s", code);
    char *text = read_whole(path);
    if (!strstr(text, token)) fail(test, "does not test the error that it is listed for");
    gg_free(text);
  }
  fclose(list);
}

static void check_coverage(int stages, char **names) {
  const gg_error_info *info;
  for (size_t row = 0; (info = gg_error_info_at(row)); row++) {
    for (int i = 0; i < stages; i++) {
      bool counts = strcmp(gg_stage_name(info->stage), names[i]) == 0;
      if (counts && !seen[info->code]) fail(info->name, "has no case under tests/errors");
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  int cases = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    cases += run_folder(argv[1], &kinds[i]);
  read_elsewhere(argv[1]);
  check_coverage(argc - 2, argv + 2);
  printf("%d cases, %d failures\n", cases, failures);
  return failures ? 1 : 0;
}
