/* The model of devices that we do not have held against figures that others have published: nothing
 * here was measured by us.
 *
 *     published_check PUBLISHED.tsv [PAGE.md]
 *
 * A line `device NAME ARCH MULTIPROCESSORS` of the file says whose figures follow, as the driver
 * names it; 0 multiprocessors are as many as its row in gen/atom/devices.def has. Prints a row of a
 * table in Markdown for each figure: what is published, what the model says of such a kernel, both
 * within the power that `sustained` stands for and at the full clock, the first one's error, and
 * what bounds the kernel. With PAGE.md the rows must stand there, so that the page tells what the
 * model says today. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "base/file.h"
#include "choice/catalogue.h"
#include "gemmgen_gemm.h"

typedef struct figure {
  char whose[32], kernel[64], type[8], spec[256];
  gg_extents extents;
  double tflops;
} figure;

typedef struct card {
  char name[64];
  int arch, multiprocessors;
} card;

static void die(const char *what, const char *which) {
  fprintf(stderr, "published_check: %s %s\n", what, which);
  exit(EXIT_FAILURE);
}

static gg_form form_of(const figure *f) {
  static const gg_dtype types[] = {GG_DTYPE_bf16, GG_DTYPE_f16, GG_DTYPE_tf32, GG_DTYPE_f32};
  gg_form form = GG_FORM_INIT;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const gg_dtype_info *info = gg_dtype_info_of(types[i]);
    if (strcmp(f->type, info->name) != 0) continue;
    form.a = form.b = (gg_operand){types[i], GG_MAJOR_K, 16};
    form.d = (gg_operand){info->bits == 16 ? types[i] : GG_DTYPE_f32, GG_MAJOR_N, 16};
    form.c = form.d;
    form.accumulator = GG_DTYPE_f32;
    return form;
  }
  die("not a type:", f->type);
  return form;
}

static bool read_card(card *out, const char *line) {
  return sscanf(line, "device\t%63[^\t]\t%d\t%d", out->name, &out->arch, &out->multiprocessors) ==
         3;
}

static bool read_figure(figure *out, const char *line) {
  long long m, n, k;
  *out = (figure){.tflops = 0};
  if (*line == '#' || !*line) return false;
  if (sscanf(line, "%31[^\t]\t%63[^\t]\t%7[^\t]\t%lld\t%lld\t%lld\t%lf\t%255[^\n]", out->whose,
             out->kernel, out->type, &m, &n, &k, &out->tflops, out->spec) != 8)
    die("not a figure:", line);
  out->extents = (gg_extents){m, n, k, 1};
  return true;
}

/* The catalogue that a figure's kernel is one of. */
static gg_catalogue *catalogue_of(const figure *f, int arch) {
  gg_catalogue *out;
  gg_error err = GG_ERROR_INIT;
  if (strcmp(f->spec, "best") == 0) {
    if (gg_catalogue_open(&out, &err)) die("the catalogue:", err.message);
    return out;
  }
  char path[] = "/tmp/published-XXXXXX";
  int file = mkstemp(path);
  FILE *stream = file < 0 ? NULL : fdopen(file, "w");
  if (!stream) die("cannot write", path);
  fprintf(stream, "{arch: sm_%d%s, a: bf16, b: bf16, d: bf16, %s\n", arch, arch < 100 ? "" : "f",
          f->spec + 1);
  fclose(stream);
  char *paths[] = {path};
  gg_status st = gg_catalogue_load(&out, paths, 1, &err);
  remove(path);
  if (st) die(f->kernel, err.message);
  return out;
}

static double tflops_of(const figure *f, double seconds) {
  return 2e-12 * (double)f->extents.m * (double)f->extents.n * (double)f->extents.k / seconds;
}

static const char *bound_of(const gg_prediction *p) {
  if (p->dram > p->multiply && p->dram > p->load && p->dram > p->finish) return "DRAM";
  if (p->finish > p->multiply && p->finish > p->load) return "epilogue";
  if (p->load > p->multiply) return "loading";
  return p->operands > p->issue ? "operands" : "multiplying";
}

static void put_row(gg_str *out, const figure *f, const card *on) {
  gg_error err = GG_ERROR_INIT;
  gg_lineup *lineup;
  gg_form form = form_of(f);
  gg_catalogue *catalogue = catalogue_of(f, on->arch);
  gg_device_model sustained = gg_device_model_of(on->name, on->arch, on->multiprocessors);
  gg_device_model full = sustained;
  full.sustained = 1;
  if (gg_lineup_make(&lineup, catalogue, &form, on->arch, &err)) die(f->kernel, err.message);
  if (lineup->count == 0) die(f->kernel, lineup->refused[0].why);
  gg_prediction p[2];
  for (int i = 0; i < 2; i++) {
    gg_ranked *ranked = gg_malloc(lineup->count * sizeof *ranked);
    const gg_device_model *device = i ? &full : &sustained;
    if (!ranked) die("out of memory:", f->kernel);
    gg_lineup_rank(ranked, lineup, f->extents, device, (gg_room){0, 0});
    p[i] = gg_predict(&lineup->list[ranked[0].index].plan, f->extents, device);
    gg_free(ranked);
  }
  double predicted = tflops_of(f, p[0].seconds);
  gg_str_printf(out, "| %s | %s | %lld x %lld x %lld | %.0f | %.0f | %+.0f%% | %.0f | %s |\n",
                f->whose, f->kernel, (long long)f->extents.m, (long long)f->extents.n,
                (long long)f->extents.k, f->tflops, predicted, 100 * (predicted / f->tflops - 1),
                tflops_of(f, p[1].seconds), bound_of(&p[0]));
  gg_lineup_free(lineup);
  gg_catalogue_close(catalogue);
}

/* Whether every line of `rows` stands in the page. */
static bool stands_in(const char *rows, const char *path) {
  char *page;
  size_t length;
  bool all = true;
  gg_error err = GG_ERROR_INIT;
  if (gg_file_read(&page, &length, path, 1 << 24, &err)) die(path, err.message);
  for (const char *end; (end = strchr(rows, '\n')); rows = end + 1) {
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)(end - rows) + 1, rows);
    if (strstr(page, line)) continue;
    fprintf(stderr, "%s has not: %s", path, line);
    all = false;
  }
  gg_free(page);
  return all;
}

int main(int argc, char **argv) {
  char *text;
  size_t length;
  gg_error err = GG_ERROR_INIT;
  gg_str rows = GG_STR_INIT;
  card on = {.arch = 0};
  if (argc != 2 && argc != 3) die("needs", "PUBLISHED.tsv [PAGE.md]");
  if (gg_file_read(&text, &length, argv[1], 1 << 24, &err)) die(argv[1], err.message);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    figure f;
    if (!read_card(&on, line) && read_figure(&f, line)) put_row(&rows, &f, &on);
  }
  gg_free(text);
  fputs(gg_str_text(&rows), stdout);
  bool good = rows.length > 0 && (argc == 2 || stands_in(gg_str_text(&rows), argv[2]));
  gg_str_free(&rows);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
