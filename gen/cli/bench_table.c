#include "cli/bench_table.h"

#include <math.h>
#include <stdio.h>

#include "cli/cli.h"

static double ratio(double figure, double yardstick) {
  return yardstick > 0 ? figure / yardstick : 0;
}

/* Prints a figure, or a dash where there is none. */
static void print_figure(int width, int digits, double figure) {
  if (figure > 0)
    printf(" %*.*f", width, digits, figure);
  else
    printf(" %*s", width, "-");
}

void bench_label_print(const bench_label *of) {
  printf("%-44s", of->name);
  if (of->epilogue) printf(" %-15s", of->epilogue->word);
}

void bench_table_begin(bench_table *t) {
  printf("%-44s", "TFLOP/s");
  if (t->epilogues) printf(" %-15s", "epilogue");
  printf(" %-*s %8s %8s %8s %8s %7s %7s %5s", t->name_width, "kernel", "ours", "lt first",
         "lt best", "ceiling", "of best", "of ceil", "right");
  if (t->epilogues)
    printf(" %9s %9s %11s  %s", "over bare", "lt's", "of separate", "what cuBLASLt does");
  printf("\n");
  gg_str_printf(&t->tsv,
                "case\t%skernel\tours\tlt_heur\tlt_best\tceiling\tof_lt_best\tof_ceiling\tright"
                "\tmax_error\tsets%s\n",
                t->epilogues ? "epilogue\t" : "",
                t->epilogues ? "\tover_bare\tlt_over_bare\tlt_right\tlt_does\tseparate" : "");
}

/* What cuBLASLt was measured at where there is an epilogue. */
static const char *cublaslt_does(const bench_label *of, const bench_result *result) {
  return result->lt_first.tflops > 0 ? of->epilogue->cublaslt_name : "-";
}

static bool cublaslt_right(const bench_result *result) {
  return result->lt_first.tflops <= 0 || (result->lt_first.right && result->lt_best.right);
}

/* Adds the columns of an epilogue. The first is how many times as long the whole takes as the bare
 * product. */
static void put_epilogue(bench_table *t, const bench_label *of, const bench_result *result,
                         const bench_figure *ours) {
  double over = ratio(result->bare.tflops, ours->tflops);
  bool does_it = of->epilogue->cublaslt != GG_CUBLASLT_PRODUCT;
  double lt_over = does_it ? ratio(result->lt_bare.tflops, result->lt_first.tflops) : 0;
  const char *does = cublaslt_does(of, result);
  bool right = cublaslt_right(result);
  print_figure(9, 3, over);
  print_figure(9, 3, lt_over);
  print_figure(11, 3, ratio(ours->tflops, result->separate));
  printf("  %s", does);
  gg_str_printf(&t->tsv, "\t%.4f\t%.4f\t%d\t%s\t%.5g", over, lt_over, right, does,
                result->separate);
  gg_str_printf(&t->results,
                ", \"bare\": %.5g, \"lt_bare\": %.5g, \"separate\": %.5g, \"lt_right\": %s, "
                "\"lt_does\": ",
                result->bare.tflops, result->lt_bare.tflops, result->separate,
                right ? "true" : "false");
  gg_str_json(&t->results, does);
}

void bench_kernel_label(gg_str *out, const gg_kernel *kernel) {
  gg_str_printf(out, "%s%s", kernel->name, kernel->ptx ? " (PTX)" : "");
}

/* Begins an object in a JSON list. */
static void put_object(gg_str *out, const bench_label *of, const gg_kernel *kernel) {
  gg_str_puts(out, out->length ? ",\n    {\"case\": " : "\n    {\"case\": ");
  gg_str_json(out, of->name);
  if (of->epilogue) {
    gg_str_puts(out, ", \"epilogue\": ");
    gg_str_json(out, of->epilogue->word);
  }
  if (!kernel) return;
  gg_str label = GG_STR_INIT;
  bench_kernel_label(&label, kernel);
  gg_str_puts(out, ", \"kernel\": ");
  gg_str_json(out, gg_str_text(&label));
  gg_str_free(&label);
}

void bench_table_row(bench_table *t, const bench_label *of, const gg_kernel *kernel,
                     const bench_result *result, const bench_figure *ours) {
  double of_best = ratio(ours->tflops, result->lt_best.tflops);
  double of_ceiling = ratio(ours->tflops, result->ceiling);
  bench_label_print(of);
  gg_str label = GG_STR_INIT;
  bench_kernel_label(&label, kernel);
  printf(" %-*s", t->name_width, gg_str_text(&label));
  print_figure(8, 1, ours->tflops);
  print_figure(8, 1, result->lt_first.tflops);
  print_figure(8, 1, result->lt_best.tflops);
  print_figure(8, 1, result->ceiling);
  print_figure(7, 3, of_best);
  print_figure(7, 3, of_ceiling);
  printf(" %5s", ours->right ? "yes" : "NO");
  gg_str_printf(&t->tsv, "%s\t%s%s%s\t%.5g\t%.5g\t%.5g\t%.5g\t%.4f\t%.4f\t%d\t%.3g\t%d", of->name,
                of->epilogue ? of->epilogue->word : "", of->epilogue ? "\t" : "",
                gg_str_text(&label), ours->tflops, result->lt_first.tflops, result->lt_best.tflops,
                result->ceiling, of_best, of_ceiling, ours->right, ours->max_error, result->sets);
  gg_str_free(&label);
  put_object(&t->results, of, kernel);
  gg_str_printf(&t->results,
                ", \"tflops\": %.5g, \"lt_first\": %.5g, \"lt_best\": %.5g, \"lt_index\": %d, "
                "\"ceiling\": %.5g, \"right\": %s, \"max_error\": %.3g, \"sets\": %d",
                ours->tflops, result->lt_first.tflops, result->lt_best.tflops, result->lt_index,
                result->ceiling, ours->right ? "true" : "false", ours->max_error, result->sets);
  if (of->epilogue) put_epilogue(t, of, result, ours);
  if (result->lt_obstacle.code) {
    gg_str_puts(&t->results, ", \"lt_obstacle\": ");
    gg_str_json(&t->results, result->lt_obstacle.message);
  }
  printf("\n");
  gg_str_putc(&t->tsv, '\n');
  t->rows++;
  gg_str_putc(&t->results, '}');
}

gg_status bench_table_write(bench_table *t, gg_error *err) {
  gg_error cause = GG_ERROR_INIT;
  if (!t->path || (t->rows && t->kept == t->rows)) return GG_OK;
  gg_status st = cli_write_text(t->path, &t->tsv, t->kept ? &cause : err);
  if (!st)
    t->kept = t->rows;
  else if (t->kept)
    st = gg_fail(err, FILE_ROWS, NULL, cause.message, t->rows, t->kept);
  gg_error_clear(&cause);
  return st;
}

void bench_table_keep(bench_table *t) {
  gg_error err = GG_ERROR_INIT;
  if (!t->path || !cli_writes_again(t->path)) return;
  if (bench_table_write(t, &err) && !t->warned) {
    cli_warn(NULL, err.message);
    t->warned = true;
  }
  gg_error_clear(&err);
}

void bench_table_skip(bench_table *t, const bench_label *of, const gg_kernel *kernel,
                      const char *why) {
  put_object(&t->skipped, of, kernel);
  gg_str_puts(&t->skipped, ", \"reason\": ");
  gg_str_json(&t->skipped, why);
  gg_str_putc(&t->skipped, '}');
}

void bench_table_skip_case(bench_table *t, const bench_label *of, const char *why) {
  bench_label_print(of);
  printf(" skipped: %s\n", why);
  bench_table_skip(t, of, NULL, why);
}

void bench_table_remarks(const bench_label *of, const bench_result *result) {
  if (result->bare.tflops > 0 && !result->bare.right) {
    bench_label_print(of);
    printf(" our bare product is wrong: max error %.3g\n", result->bare.max_error);
  }
  if (!cublaslt_right(result)) {
    bench_label_print(of);
    printf(" cuBLASLt is beyond the bound: max error %.3g\n",
           fmax(result->lt_first.max_error, result->lt_best.max_error));
  }
  if (result->lt_obstacle.code) {
    bench_label_print(of);
    printf(" without cuBLASLt: %s\n", result->lt_obstacle.message);
  }
}

void bench_table_json(gg_str *out, const bench_table *t, const gg_device_facts *device,
                      int cublaslt) {
  gg_str_puts(out, "{\n  \"device\": ");
  gg_str_json(out, device->name);
  gg_str_printf(out,
                ", \"arch\": %d, \"driver\": %d, \"cublaslt\": %d,\n  \"results\": [%s\n  ],\n"
                "  \"skipped\": [%s\n  ]\n}\n",
                device->arch, device->driver_version, cublaslt, gg_str_text(&t->results),
                gg_str_text(&t->skipped));
  out->failed = out->failed || t->results.failed || t->skipped.failed;
}

void bench_table_free(bench_table *t) {
  gg_str_free(&t->tsv);
  gg_str_free(&t->results);
  gg_str_free(&t->skipped);
}
