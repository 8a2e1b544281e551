/* texts_check [--random COUNT] LIST SPECS: generates every shipped spec
 * (SPECS/{ladder,simt,sm80,sm90,sm100,sm120}), the whole catalogue for a dozen forms, and COUNT
 * random specs, and compares the hashes of what came out with LIST: one of each shipped kernel, one
 * of each form, one of every thousand random specs. It is how a change of the generator that should
 * not change what is generated is shown not to.
 *
 * `--update` writes the list, with all of its random specs: `ninja update-texts`.
 *
 * A hash is of the kernel's text and launch facts, as kernel_hash.h says; a random spec that is
 * refused counts with its error's code. */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "choice/catalogue.h"
#include "choice/form.h"
#include "draw.h"
#include "inputs.h"
#include "kernel_hash.h"

enum { block = 1000, random_most = 10000, random_seed = 11 };

typedef struct options {
  bool update;
  int64_t random;
  const char *list, *specs;
} options;

static void die(const char *what, const char *which) {
  fprintf(stderr, "texts_check: %s %s\n", what, which);
  exit(EXIT_FAILURE);
}

/* ---- What is generated ---------------------------------------------------------------- */

static void put_shipped(gg_str *out, const char *path, const char *short_path) {
  gg_error err = GG_ERROR_INIT;
  gg_spec_file *file;
  if (gg_spec_file_load(&file, path, &err)) die(path, err.message);
  for (size_t i = 0; i < gg_spec_file_count(file); i++) {
    gg_kernel *kernel;
    if (gg_kernel_generate(&kernel, gg_spec_file_get(file, i), &err)) die(path, err.message);
    gg_str_printf(out, "%s %s %016" PRIx64 "\n", short_path, kernel->name,
                  kernel_hash(GG_HASH_BEGIN, kernel));
    gg_kernel_free(kernel);
  }
  gg_spec_file_free(file);
}

static void put_all_shipped(gg_str *out, const char *specs) {
  static const char *const folders[] = {"ladder", "simt", "sm80", "sm90", "sm100", "sm120"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char pattern[4096];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%s/*.yaml", specs, folders[i]);
    if (glob(pattern, 0, NULL, &found)) die("no specs:", pattern);
    for (size_t j = 0; j < found.gl_pathc; j++)
      put_shipped(out, found.gl_pathv[j], found.gl_pathv[j] + strlen(specs) + 1);
    globfree(&found);
  }
}

#define OPERAND(t, m, a)                                                                           \
  { .type = GG_DTYPE_##t, .major = GG_MAJOR_##m, .align = (a) }

static const struct {
  int device;
  gg_form form;
} forms[] = {
    {90,
     {sizeof(gg_form), OPERAND(bf16, K, 16), OPERAND(bf16, K, 16), OPERAND(bf16, N, 16),
      .accumulator = GG_DTYPE_f32}},
    {90,
     {sizeof(gg_form), OPERAND(bf16, M, 16), OPERAND(bf16, N, 16), OPERAND(f32, M, 16), true,
      OPERAND(f32, M, 16), .accumulator = GG_DTYPE_f32}},
    {90,
     {sizeof(gg_form), OPERAND(f16, K, 2), OPERAND(f16, N, 4), OPERAND(f16, N, 2), true,
      OPERAND(f16, N, 2), .accumulator = GG_DTYPE_f16}},
    {90,
     {sizeof(gg_form), OPERAND(tf32, K, 16), OPERAND(tf32, K, 4), OPERAND(f32, N, 4),
      .accumulator = GG_DTYPE_f32}},
    {90,
     {sizeof(gg_form), OPERAND(e4m3, K, 16), OPERAND(e5m2, K, 16), OPERAND(bf16, N, 16),
      .accumulator = GG_DTYPE_f32}},
    {90,
     {sizeof(gg_form), OPERAND(e4m3, K, 16), OPERAND(e4m3, K, 16), OPERAND(e4m3, N, 16),
      .accumulator = GG_DTYPE_f32, .promote = GG_PROMOTE_NEVER,
      .epilogue = "[{scale: {along: m}}, {scale: {along: n}}, silu]"}},
    {90,
     {sizeof(gg_form), OPERAND(s8, K, 16), OPERAND(s8, K, 16), OPERAND(s32, N, 16),
      .accumulator = GG_DTYPE_s32}},
    {90,
     {sizeof(gg_form), OPERAND(u8, K, 1), OPERAND(s8, K, 16), OPERAND(s8, N, 16),
      .accumulator = GG_DTYPE_s32, .epilogue = "[{bias: {type: s32}}, {scale: {along: n}}, relu]"}},
    {90,
     {sizeof(gg_form), OPERAND(f16, K, 16), OPERAND(f16, K, 16), OPERAND(f16, M, 16),
      .accumulator = GG_DTYPE_f32,
      .epilogue = "[linear, {bias: {along: m}}, {gelu: {form: tanh}}, residual, aux]"}},
    {90,
     {sizeof(gg_form), OPERAND(f32, K, 16), OPERAND(f32, N, 4), OPERAND(f32, N, 16), true,
      OPERAND(f32, N, 16), .accumulator = GG_DTYPE_f32}},
    {80,
     {sizeof(gg_form), OPERAND(f64, M, 8), OPERAND(f64, K, 16), OPERAND(f64, M, 16),
      .accumulator = GG_DTYPE_f64, .epilogue = "[linear, {bias: {}}, gelu]"}},
    {80,
     {sizeof(gg_form), OPERAND(b1, K, 16), OPERAND(b1, K, 16), OPERAND(s32, N, 16),
      .accumulator = GG_DTYPE_s32, .xor_bits = 1}},
    {80,
     {sizeof(gg_form), OPERAND(s4, K, 16), OPERAND(u4, K, 4), OPERAND(s8, N, 16),
      .accumulator = GG_DTYPE_s32, .epilogue = "[{scale: {along: n}}, relu]"}},
    {80,
     {sizeof(gg_form), OPERAND(bf16, K, 16), OPERAND(bf16, N, 16), OPERAND(bf16, N, 16), true,
      OPERAND(f32, N, 16), .accumulator = GG_DTYPE_f32}},
    {86,
     {sizeof(gg_form), OPERAND(f16, M, 8), OPERAND(f16, K, 2), OPERAND(f32, M, 16),
      .accumulator = GG_DTYPE_f16}},
    {89,
     {sizeof(gg_form), OPERAND(bf16, K, 16), OPERAND(bf16, K, 16), OPERAND(s8, N, 16),
      .accumulator = GG_DTYPE_f32, .epilogue = "[linear, {bias: {}}, relu]"}},
    {100,
     {sizeof(gg_form), OPERAND(bf16, K, 16), OPERAND(bf16, K, 16), OPERAND(bf16, N, 16),
      .accumulator = GG_DTYPE_f32}},
    {100,
     {sizeof(gg_form), OPERAND(e4m3, M, 16), OPERAND(e5m2, K, 16), OPERAND(bf16, M, 2), true,
      OPERAND(bf16, M, 2), .accumulator = GG_DTYPE_f32}},
    {100,
     {sizeof(gg_form), OPERAND(e4m3, K, 16), OPERAND(e4m3, K, 16), OPERAND(bf16, N, 16),
      .accumulator = GG_DTYPE_f32, .sparse_a = true}},
    {110,
     {sizeof(gg_form), OPERAND(bf16, K, 16), OPERAND(bf16, N, 16), OPERAND(bf16, N, 2),
      .accumulator = GG_DTYPE_f32, .epilogue = "[{bias: {}}, silu]", .sparse_b = true}},
    {103,
     {sizeof(gg_form), OPERAND(tf32, K, 16), OPERAND(tf32, K, 16), OPERAND(f32, N, 4),
      .accumulator = GG_DTYPE_f32, .epilogue = "[{bias: {along: m}}, silu]"}},
    {120,
     {sizeof(gg_form), OPERAND(e4m3, K, 16), OPERAND(e5m2, K, 16), OPERAND(bf16, N, 16),
      .accumulator = GG_DTYPE_f32}},
    {110,
     {sizeof(gg_form), OPERAND(u8, K, 16), OPERAND(s8, N, 16), OPERAND(s8, N, 16),
      .accumulator = GG_DTYPE_s32, .epilogue = "[{scale: {along: n}}, relu]"}},
};

static void put_form(gg_str *out, const gg_catalogue *catalogue, const gg_form *form, int device) {
  gg_error err = GG_ERROR_INIT;
  gg_lineup *lineup;
  uint64_t all = GG_HASH_BEGIN;
  if (gg_lineup_make(&lineup, catalogue, form, device, &err)) die("a lineup:", err.message);
  for (size_t i = 0; i < lineup->count; i++) {
    gg_kernel *kernel;
    if (gg_kernel_generate(&kernel, &lineup->list[i].spec, &err)) die("catalogue:", err.message);
    all = kernel_hash(all, kernel);
    gg_kernel_free(kernel);
  }
  gg_str_printf(out, "sm_%d ", device);
  gg_form_name(out, form);
  gg_str_printf(out, "%s %zu %016" PRIx64 "\n", form->epilogue ? ",epilogue" : "", lineup->count,
                all);
  gg_lineup_free(lineup);
}

static void put_all_forms(gg_str *out) {
  gg_error err = GG_ERROR_INIT;
  gg_catalogue *catalogue;
  if (gg_catalogue_open(&catalogue, &err)) die("the catalogue:", err.message);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    put_form(out, catalogue, &forms[i].form, forms[i].device);
  gg_catalogue_close(catalogue);
}

/* The spec of this number, generated; or its error's code. */
static uint64_t hash_random(uint64_t from, int64_t number) {
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  gg_spec_file *file;
  gg_kernel *kernel = NULL;
  draws drawn = {.seed = gg_random(random_seed, (uint64_t)number)};
  draw_spec(&text, &drawn);
  gg_status st = gg_spec_file_parse(&file, gg_str_text(&text), text.length, "random.yaml", &err);
  if (!st) st = gg_kernel_generate(&kernel, gg_spec_file_get(file, 0), &err);
  if (kernel) {
    from = kernel_hash(from, kernel);
  } else {
    const char *code = gg_error_info_of(st)->name;
    from = gg_hash_bytes(from, code, strlen(code));
  }
  gg_kernel_free(kernel);
  gg_spec_file_free(file);
  gg_error_clear(&err);
  gg_str_free(&text);
  return from;
}

static void put_random(gg_str *out, int64_t count) {
  for (int64_t first = 0; first < count; first += block) {
    uint64_t all = GG_HASH_BEGIN;
    for (int64_t i = first; i < first + block; i++)
      all = hash_random(all, i);
    gg_str_printf(out, "random from %" PRId64 " %016" PRIx64 "\n", first, all);
  }
}

/* ---- The list ------------------------------------------------------------------------- */

static bool has_line(const char *text, const char *line, size_t length) {
  for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
    if (strncmp(at, line, length) == 0 && (at[length] == '\n' || !at[length])) return true;
  }
  return false;
}

/* How many lines of the one the other lacks, each named. */
static int report_lines(const char *lines, const char *other, const char *what) {
  int missing = 0;
  for (const char *at = lines; *at;) {
    size_t length = strcspn(at, "\n");
    if (length > 0 && !has_line(other, at, length)) {
      printf("%s %.*s\n", what, (int)length, at);
      missing++;
    }
    at += length + (at[length] == '\n');
  }
  return missing;
}

/* Random specs beyond those that were asked for are not looked at. */
static void drop_beyond(char *list, int64_t count) {
  char line[64];
  snprintf(line, sizeof line, "random from %" PRId64 " ", count);
  char *at = strstr(list, line);
  if (at) *at = '\0';
}

static int compare(const gg_str *made, const options *given) {
  gg_error err = GG_ERROR_INIT;
  char *list;
  size_t length;
  if (gg_file_read(&list, &length, given->list, 1 << 20, &err)) die(given->list, err.message);
  drop_beyond(list, given->random);
  int wrong = report_lines(list, gg_str_text(made), "listed:") +
              report_lines(gg_str_text(made), list, "made:  ");
  gg_free(list);
  if (wrong) printf("What is generated has changed. Where that is meant: ninja update-texts\n");
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int update(const gg_str *made, const options *given) {
  if (made->failed) die(given->list, "out of memory");
  if (!gg_file_replace(given->list, made->text, made->length, 0644, false))
    die("cannot write", given->list);
  return EXIT_SUCCESS;
}

static bool read_options(options *out, int argc, char **argv) {
  *out = (options){.random = block};
  int at = 1;
  if (at < argc && strcmp(argv[at], "--update") == 0) {
    out->update = true;
    out->random = random_most;
    at++;
  } else if (at + 1 < argc && strcmp(argv[at], "--random") == 0) {
    out->random = strtoll(argv[at + 1], NULL, 10);
    at += 2;
  }
  if (argc - at != 2 || out->random % block != 0 || out->random > random_most) return false;
  out->list = argv[at];
  out->specs = argv[at + 1];
  return true;
}

int main(int argc, char **argv) {
  options given;
  if (!read_options(&given, argc, argv)) {
    fprintf(stderr, "usage: texts_check [--update | --random COUNT] LIST SPECS; COUNT in "
                    "thousands, 10000 at most\n");
    return 2;
  }
  gg_str made = GG_STR_INIT;
  put_all_shipped(&made, given.specs);
  put_all_forms(&made);
  put_random(&made, given.random);
  int result = given.update ? update(&made, &given) : compare(&made, &given);
  gg_str_free(&made);
  return result;
}
