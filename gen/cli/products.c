#include "cli/products.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "base/file.h"
#include "choice/form.h"

enum { cases_bytes_max = 1 << 20, words_max = 8, word_max = 32 };

int cli_cases_load(cli_cases *out, const char *path) {
  gg_error err = GG_ERROR_INIT;
  char *text = NULL;
  size_t length;
  int code = CLI_OK;
  if (gg_file_read(&text, &length, path, cases_bytes_max, &err)) return cli_report(&err, NULL);
  if (length > cases_bytes_max) {
    code = cli_usage("%s is larger than a cases file may be, %d B", path, cases_bytes_max);
  } else if (cli_cases_parse(out, text, path, &err)) {
    code = cli_report(&err, text);
  } else if (out->count == 0) {
    code = cli_usage("%s has no cases", path);
  }
  gg_free(text);
  return code;
}

/* Splits a text into words at any of `separators`. Returns how many; words_max + 1 where there are
 * too many or one is too long. */
static int split(char words[words_max][word_max], const char *text, const char *separators) {
  int count = 0;
  for (const char *at = text + strspn(text, separators); *at; at += strspn(at, separators)) {
    size_t length = strcspn(at, separators);
    if (count == words_max || length >= word_max) return words_max + 1;
    snprintf(words[count++], word_max, "%.*s", (int)length, at);
    at += length;
  }
  return count;
}

/* The usual accumulator for a type, whatever stands behind its name, as in "b1:xor". */
static const char *usual_accumulator(const char *a) {
  gg_dtype type;
  char name[word_max];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(a, ":"), a);
  if (!gg_dtype_find(&type, name)) return "f32"; /* the parser will report what is wrong with it */
  if (type == GG_DTYPE_f64) return "f64";
  return gg_dtype_is_float(type) ? "f32" : "s32";
}

/* Reads the two texts as the fields of a case, so that the rules for them stand in one place. */
int cli_product_read_of(cli_cases *out, const char *problem, const char *types,
                        const char *option) {
  char t[words_max][word_max], p[words_max][word_max];
  int type_count = split(t, types, ", "), extent_count = split(p, problem, ", x");
  const char *majors = type_count == 5 ? t[4] : "kkn";
  *out = (cli_cases){0};
  if (type_count < 3 || type_count > 5 || strlen(majors) != 3) {
    return cli_usage("%s takes types of A, B and D, an accumulator and majors: "
                     "bf16,bf16,bf16,f32,kkn; not '%s'",
                     option, types);
  }
  if (extent_count < 3 || extent_count > 4) {
    return cli_usage("--problem takes \"M N K\" or \"M N K BATCH\", not '%s'", problem);
  }
  static const char problem_option[] = "--problem";
  const char *paths[CLI_CASE_FIELDS];
  for (int i = 0; i < CLI_CASE_FIELDS; i++)
    paths[i] = i < CLI_CASE_FIELDS - 4 ? option : problem_option;
  const char major[3][2] = {{majors[0]}, {majors[1]}, {majors[2]}};
  const char *const texts[CLI_CASE_FIELDS] = {t[0],
                                              t[1],
                                              t[2],
                                              type_count > 3 ? t[3] : usual_accumulator(t[0]),
                                              major[0],
                                              major[1],
                                              major[2],
                                              p[0],
                                              p[1],
                                              p[2],
                                              extent_count > 3 ? p[3] : "1"};
  gg_error err = GG_ERROR_INIT;
  cli_case c;
  gg_status st = cli_case_read(&c, texts, paths, &err);
  if (!st) st = cli_cases_add(out, &c, &err);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

int cli_product_read(cli_cases *out, const char *problem, const char *types) {
  return cli_product_read_of(out, problem, types, "--types");
}

/* The alignment, at most `align` bytes, that lines of `extent` packed elements have. */
static int packed_alignment(int64_t extent, gg_dtype type, int align) {
  int bits = gg_dtype_info_of(type)->bits;
  while (align > 1 && align * 8 > bits && extent % (align * 8) * bits % (align * 8) != 0)
    align /= 2;
  return align;
}

gg_form cli_case_form(const cli_case *c) {
  int64_t a = c->a_major == GG_MAJOR_K ? c->k : c->m, b = c->b_major == GG_MAJOR_K ? c->k : c->n;
  int64_t d = c->d_major == GG_MAJOR_N ? c->n : c->m;
  enum { widest = 16 /* widest access, in bytes */ };
  gg_form form = {.size = sizeof(gg_form),
                  .a = {c->a, c->a_major},
                  .b = {c->b, c->b_major},
                  .d = {c->d, c->d_major, packed_alignment(d, c->d, widest)},
                  .accumulator = c->accumulator,
                  .scale_a = c->scale_a,
                  .scale_b = c->scale_b,
                  .scale_d = c->scale_d,
                  .sparse_a = c->sparse_a,
                  .sparse_b = c->sparse_b,
                  .xor_bits = c->xor_bits,
                  .pointers = c->pointers};
  form.a.align = gg_form_align_most(&form, c->a);
  form.b.align = gg_form_align_most(&form, c->b);
  /* The stored part of a sparse operand has lines of the length that its kernel wants. */
  if (!c->sparse_a) form.a.align = packed_alignment(a, c->a, form.a.align);
  if (!c->sparse_b) form.b.align = packed_alignment(b, c->b, form.b.align);
  form.c = form.d;
  if (c->fast) form.promote = GG_PROMOTE_NEVER;
  return form;
}

gg_status cli_product_name(gg_str *out, const cli_case *c, const gg_form *form, gg_error *err) {
  gg_status st = gg_form_full_name(out, form, err);
  gg_str_printf(out, ",%lldx%lldx%lld,b%lld", (long long)c->m, (long long)c->n, (long long)c->k,
                (long long)c->batch);
  return st ? st : out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

gg_extents cli_case_extents(const cli_case *c) {
  return (gg_extents){c->m, c->n, c->k, c->batch};
}
