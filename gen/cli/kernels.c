#include "cli/kernels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/specs.h"

/* ---- Specs to kernels ----------------------------------------------------------------- */

int cli_texts_read(unsigned *out, const char *list) {
  static const struct {
    const char *list;
    unsigned texts;
  } rows[] = {{"cu", CLI_TEXT_CU},
              {"ptx", CLI_TEXT_PTX},
              {"cu,ptx", CLI_TEXT_CU | CLI_TEXT_PTX},
              {"ptx,cu", CLI_TEXT_CU | CLI_TEXT_PTX}};
  *out = CLI_TEXT_CU;
  if (!list) return CLI_OK;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(list, rows[i].list) != 0) continue;
    *out = rows[i].texts;
    return CLI_OK;
  }
  return cli_usage("--emit takes cu, ptx or both, not '%s'", list);
}

/* The state while specs are loaded. */
typedef struct loading {
  cli_kernels *out;
  unsigned texts;
} loading;

static gg_status add_kernel(cli_kernels *out, const gg_spec *spec, bool ptx, gg_error *err) {
  gg_kernel **list = gg_realloc(out->list, (out->count + 1) * sizeof *list);
  if (!list) return gg_fail(err, MEMORY, NULL, "");
  out->list = list;
  gg_status st = ptx ? gg_kernel_generate_ptx(&list[out->count], spec, err)
                     : gg_kernel_generate(&list[out->count], spec, err);
  if (!st) cli_note(spec, list[out->count++]->note);
  return st;
}

static gg_status add_texts(void *user, const gg_spec *spec, gg_error *err) {
  const loading *load = user;
  bool cu = load->texts & CLI_TEXT_CU;
  gg_status st = cu ? add_kernel(load->out, spec, false, err) : GG_OK;
  if (st || !(load->texts & CLI_TEXT_PTX)) return st;
  st = add_kernel(load->out, spec, true, err);
  if (st != GG_E_EMIT_PTX || !cu) return st;
  fprintf(stderr, "gemmgen: %s\n", err->message);
  gg_error_clear(err);
  return GG_OK;
}

int cli_kernels_load(cli_kernels *out, int count, char **paths, unsigned texts, bool keep_going) {
  *out = (cli_kernels){0};
  loading load = {out, texts};
  if (count == 0) return cli_usage("no spec given; see `gemmgen help`");
  return cli_each_spec(count, paths, keep_going, add_texts, &load);
}

void cli_kernels_free(cli_kernels *kernels) {
  for (size_t i = 0; i < kernels->count; i++) {
    gg_kernel_free(kernels->list[i]);
  }
  gg_free(kernels->list);
  *kernels = (cli_kernels){0};
}

/* ---- Shapes --------------------------------------------------------------------------- */

static int read_extent(int64_t *out, const char *name, const char *text, int64_t fixed,
                       int64_t usual) {
  *out = fixed != GG_FIXED_NONE ? fixed : usual;
  if (!text) return CLI_OK;
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  if (end != text && !*end && !errno && *out >= 0) return CLI_OK;
  return cli_usage("-%s takes an integer from 0 on, not '%s'", name, text);
}

/* Reads a scalar, as a double and as an f32. */
static int read_scalar(double *out, float *narrow, const char *name, const char *text,
                       double usual) {
  char *end;
  *out = text ? strtod(text, &end) : usual;
  *narrow = text ? strtof(text, &end) : (float)usual;
  if (!text || (end != text && !*end && isfinite(*narrow))) return CLI_OK;
  return cli_usage("--%s takes a number, not '%s'", name, text);
}

int cli_shape_read(gg_problem *out, const cli_shape *shape, const gg_kernel *kernel) {
  const gg_kernel any = {.fixed_m = GG_FIXED_NONE,
                         .fixed_n = GG_FIXED_NONE,
                         .fixed_k = GG_FIXED_NONE,
                         .fixed_batch = GG_FIXED_NONE};
  if (!kernel) kernel = &any;
  int code = read_extent(&out->m, "m", shape->m, kernel->fixed_m, 1024);
  if (!code) code = read_extent(&out->n, "n", shape->n, kernel->fixed_n, 1024);
  if (!code) code = read_extent(&out->k, "k", shape->k, kernel->fixed_k, 1024);
  if (!code) code = read_extent(&out->batch, "l", shape->l, kernel->fixed_batch, 1);
  if (!code) code = read_scalar(&out->wide_alpha, &out->alpha, "alpha", shape->alpha, 1);
  if (!code) code = read_scalar(&out->wide_beta, &out->beta, "beta", shape->beta, 0);
  out->wide_factors = kernel->accumulator == GG_DTYPE_f64;
  return code;
}
