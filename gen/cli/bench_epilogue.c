#include "cli/bench_epilogue.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "choice/form.h"
#include "cli/cli.h"
#include "cli/products.h"
#include "problem.h"
#include "spec/keys.h"

/* ---- The table ------------------------------------------------------------------------ */

#define BIAS   "{bias: {along: @, type: %}}"
#define GELU   "{gelu: {form: tanh_approx}}" /* cuBLASLt uses this approximation as well */
#define FACTOR "{scale: {along: all}}"

const bench_epilogue bench_epilogues[] = {
    {.word = "none", .cublaslt = GG_CUBLASLT_DEFAULT, .cublaslt_name = "DEFAULT"},
    {.word = "bias",
     .operations = "[" BIAS "]",
     .cublaslt = GG_CUBLASLT_BIAS,
     .cublaslt_name = "BIAS"},
    {.word = "bias_relu",
     .operations = "[" BIAS ", relu]",
     .cublaslt = GG_CUBLASLT_RELU_BIAS,
     .cublaslt_name = "RELU_BIAS"},
    {.word = "bias_gelu",
     .operations = "[" BIAS ", " GELU "]",
     .cublaslt = GG_CUBLASLT_GELU_BIAS,
     .cublaslt_name = "GELU_BIAS"},
    {.word = "bias_silu", .operations = "[" BIAS ", silu]", .cublaslt_name = "the product"},
    {.word = "relu", .operations = "[relu]", .cublaslt = GG_CUBLASLT_RELU, .cublaslt_name = "RELU"},
    {.word = "gelu",
     .operations = "[" GELU "]",
     .cublaslt = GG_CUBLASLT_GELU,
     .cublaslt_name = "GELU"},
    {.word = "silu", .operations = "[silu]", .cublaslt_name = "the product"},
    {.word = "gelu_aux",
     .operations = "[" BIAS ", {aux: {type: $}}, " GELU "]",
     .cublaslt = GG_CUBLASLT_GELU_AUX_BIAS,
     .cublaslt_name = "GELU_AUX_BIAS"},
    {.word = "dgelu",
     .operations = "[{dgelu: {form: tanh_approx, type: $}}]",
     .cublaslt = GG_CUBLASLT_DGELU,
     .cublaslt_name = "DGELU"},
    {.word = "dgelu_bgrad",
     .operations = "[{dgelu: {form: tanh_approx, type: $}}, {sum: {along: @}}]",
     .cublaslt = GG_CUBLASLT_DGELU_BGRAD,
     .cublaslt_name = "DGELU_BGRAD"},
    {.word = "swiglu",
     .operations = "[{gated: {act: silu}}]",
     .gates = true,
     .cublaslt_name = "the product"},
    {.word = "geglu",
     .operations = "[{gated: {act: gelu, form: tanh_approx}}]",
     .gates = true,
     .cublaslt_name = "the product"},
    {.word = "beta_c",
     .c = BENCH_C_APART,
     .cublaslt = GG_CUBLASLT_DEFAULT,
     .cublaslt_name = "beta C"},
    {.word = "beta_c_in_place",
     .c = BENCH_C_IN_PLACE,
     .cublaslt = GG_CUBLASLT_DEFAULT,
     .cublaslt_name = "beta C, in place"},
    {.word = "residual",
     .operations = "[{residual: {type: $}}]",
     .cublaslt = GG_CUBLASLT_DEFAULT,
     .cublaslt_name = "C"},
    {.word = "scales",
     .operations = "[" FACTOR ", " FACTOR "]",
     .scales = BENCH_SCALES_AB,
     .cublaslt = GG_CUBLASLT_DEFAULT,
     .cublaslt_name = "scales of A and B"},
    {.word = "scales_d",
     .operations = "[" FACTOR ", " FACTOR ", " FACTOR "]",
     .scales = BENCH_SCALES_D,
     .cublaslt = GG_CUBLASLT_DEFAULT,
     .cublaslt_name = "scales of A, B and D"},
    {.word = "scales_mn",
     .operations = "[{scale: {along: m}}, {scale: {along: n}}]",
     .scales = BENCH_SCALES_AB,
     .cublaslt = GG_CUBLASLT_DEFAULT,
     .cublaslt_name = "outer-vector scales"},
    {0},
};

/* ---- The option ----------------------------------------------------------------------- */

static const bench_epilogue *find(const char *word, size_t length) {
  for (const bench_epilogue *e = bench_epilogues; e->word; e++) {
    if (strlen(e->word) == length && memcmp(e->word, word, length) == 0) return e;
  }
  return NULL;
}

static int refuse(const char *word, size_t length) {
  char given[64], words[512] = "";
  gg_near near;
  snprintf(given, sizeof given, "%.*s", (int)length, word);
  gg_near_start(&near, given);
  size_t used = 0;
  for (const bench_epilogue *e = bench_epilogues; e->word; e++) {
    gg_near_try(&near, e->word);
    int wrote = snprintf(words + used, sizeof words - used, "%s%s", used ? ", " : "", e->word);
    used += (size_t)wrote;
  }
  return cli_usage("--epilogue knows no '%s'%s%s%s: its words, parted by commas, are %s", given,
                   near.best[0] ? " (did you mean '" : "", near.best, near.best[0] ? "'?)" : "",
                   words);
}

int bench_epilogues_read(const bench_epilogue *out[BENCH_EPILOGUES_MAX], const char *list) {
  int count = 0;
  out[0] = NULL;
  for (const char *at = list;; at++) {
    size_t length = strcspn(at, ",");
    const bench_epilogue *found = find(at, length);
    if (!found) return refuse(at, length);
    for (int i = 0; i < count; i++) {
      if (out[i] == found) return cli_usage("--epilogue has '%s' twice", found->word);
    }
    out[count++] = found;
    out[count] = NULL;
    at += length;
    if (!*at) return CLI_OK;
  }
}

/* ---- Forms ---------------------------------------------------------------------------- */

/* The type of C, and of an aux. cuBLASLt adds no 8-bit floats: where D is of 8-bit floats, C and
 * the bias are bf16; where A and B are, the bias is bf16 whatever D is. An aux has C's type. When
 * asked for an aux of 8-bit floats, cuBLASLt's kernels wrote bf16, past the end of the memory. */
static gg_dtype c_type(const cli_case *c) {
  return gg_dtype_is_fp8(c->d) ? GG_DTYPE_bf16 : c->d;
}

static gg_dtype bias_type(const cli_case *c) {
  return gg_dtype_is_fp8(c->a) ? GG_DTYPE_bf16 : c_type(c);
}

/* Appends the operations with @, % and $ replaced. cuBLASLt's bias runs along the rows of its
 * column-major D, and so along D's contiguous mode. */
static void put_operations(gg_str *out, const char *operations, const cli_case *c) {
  for (const char *at = operations; *at; at++) {
    if (*at == '@')
      gg_str_putc(out, c->d_major == GG_MAJOR_N ? 'n' : 'm');
    else if (*at == '%')
      gg_str_puts(out, gg_dtype_info_of(bias_type(c))->name);
    else if (*at == '$')
      gg_str_puts(out, gg_dtype_info_of(c_type(c))->name);
    else
      gg_str_putc(out, *at);
  }
}

static const char *obstacle_of(const bench_epilogue *epilogue, const cli_case *c) {
  if (epilogue->scales != BENCH_SCALES_NONE && !gg_dtype_is_fp8(c->a)) {
    return "cuBLASLt has scales for operands of 8-bit floats alone";
  }
  if (epilogue->scales == BENCH_SCALES_D && !gg_dtype_is_fp8(c->d)) {
    return "cuBLASLt has a scale of D where that is of 8-bit floats alone";
  }
  if (epilogue->gates && (c->d_major != GG_MAJOR_N || c->n % 2 != 0))
    return "gated columns are two by two, and neighbours in a row-major D";
  if (epilogue->c == BENCH_C_IN_PLACE && c_type(c) != c->d) {
    return "cuBLASLt's C is bf16 where D is of 8-bit floats, and cannot be D";
  }
  return NULL;
}

bool bench_epilogue_form(gg_form *out, gg_str *text, gg_str *why, const bench_epilogue *epilogue,
                         const cli_case *c) {
  *out = cli_case_form(c);
  const char *obstacle = obstacle_of(epilogue, c);
  if (obstacle) {
    gg_str_puts(why, obstacle);
    return false;
  }
  if (epilogue->operations) {
    put_operations(text, epilogue->operations, c);
    out->epilogue = gg_str_text(text);
  }
  out->has_c = epilogue->c != BENCH_C_NONE;
  if (out->has_c && c_type(c) != c->d) {
    out->c.type = c_type(c); /* twice as wide as D's type, so lines are twice as long */
    out->c.align = out->d.align < 8 ? 2 * out->d.align : 16;
  }
  return true;
}

/* ---- Kernels -------------------------------------------------------------------------- */

/* Whether the kernel has the wanted operations. For a form without an epilogue, a kernel may have
 * none at all, or only the factors alpha and beta, which are 1 and 0 here. */
static bool has_operations(const gg_kernel *kernel, const gg_form *form,
                           const gg_operations *wanted) {
  if (form->epilogue) return gg_form_is_epilogue(wanted, kernel);
  return kernel->operation_count == 0 ||
         (kernel->operation_count == 1 && kernel->operations[0].kind == GG_OP_LINEAR);
}

/* Whether the kernel has the C of the form. Where the form has none, any kernel will do: beta is 0.
 */
static bool has_c(const gg_kernel *kernel, const gg_form *form) {
  if (!form->has_c) return true;
  return gg_kernel_takes(kernel, GG_PARAM_BETA) && kernel->c.type == form->c.type &&
         kernel->c.major == form->c.major;
}

bool bench_epilogue_is(const gg_kernel *kernel, const gg_form *form, gg_str *why) {
  gg_error err = GG_ERROR_INIT;
  gg_operations wanted;
  bool is = false;
  if (gg_form_operations(&wanted, form, &err)) {
    gg_str_puts(why, err.message);
  } else {
    is = has_operations(kernel, form, &wanted) && has_c(kernel, form);
    if (!is) gg_str_puts(why, "its epilogue is another");
  }
  gg_error_clear(&err);
  return is;
}
