#include "cli/kernel_page.h"

#include "annotate/annotate.h"
#include "cli/kernel_picture.h"
#include "cli/page_run.h"
#include "emit/emit.h"
#include "jit.h"

/* ---- A kernel --------------------------------------------------------------------------- */

/* Compiles the kernel to PTX with the lines of its source in it, as the emulator does. NULL without
 * NVRTC, or where NVRTC does not know the architecture. */
static gg_binary *compile_ptx(const gg_kernel *kernel, gg_error *why) {
  gg_compiler_options usual = GG_COMPILER_OPTIONS_INIT;
  gg_compiler *compiler = NULL;
  gg_binary *binary = NULL;
  gg_arch arch;
  if (!gg_arch_parse(&arch, kernel->arch)) return NULL;
  const gg_device_facts device = {.arch = arch.number, .emulated = true};
  if (!gg_compiler_open(&compiler, &usual, why))
    gg_compile_for_device(&binary, compiler, NULL, kernel, &device, why);
  gg_compiler_close(compiler);
  return binary;
}

static gg_status make(void *user, const gg_spec *spec, gg_error *err) {
  cli_made *out = user;
  gg_status st = gg_compilation_run(&out->compilation, spec, err);
  const gg_plan *plan = out->compilation.plan;
  const gg_layouts *layouts = out->compilation.layouts;
  if (!st) st = gg_report_make(&out->report, plan, layouts, err);
  if (!st) st = gg_kernel_emit(&out->kernel, plan, layouts, false, err);
  if (!st) out->ptx = compile_ptx(out->kernel, &out->why);
  return st;
}

int cli_made_load(cli_made *out, const char *option, int count, char **paths) {
  *out = (cli_made){
      .compilation = GG_COMPILATION_INIT, .report = {.arena = GG_ARENA_INIT}, .why = GG_ERROR_INIT};
  int code = cli_specs_load(&out->specs, count, paths);
  if (!code && out->specs.count != 1)
    code = cli_usage("%s shows one kernel, not %zu", option, out->specs.count);
  return code ? code : cli_specs_each(&out->specs, false, NULL, make, out);
}

void cli_made_free(cli_made *made) {
  gg_error_clear(&made->why);
  gg_binary_free(made->ptx);
  gg_kernel_free(made->kernel);
  gg_report_free(&made->report);
  gg_compilation_free(&made->compilation);
  cli_specs_free(&made->specs);
}

/* ---- Its page --------------------------------------------------------------------------- */

/* Fills in the page of a kernel. Its subjects are the compilation's. */
static gg_status page_of(gg_page *out, cli_made *made, gg_error *err) {
  gg_compilation *of = &made->compilation;
  *out = (gg_page){.plan = made->compilation.plan,
                   .layouts = made->compilation.layouts,
                   .report = &made->report,
                   .cuda = made->kernel->source,
                   .ptx = made->ptx ? made->ptx->data : NULL,
                   .why_not = made->why.message};
  if (!out->ptx) return GG_OK;
  return gg_subjects_find(&out->subjects, &out->subject_count, &of->arena, of->plan, of->layouts,
                          out->ptx, err);
}

static int write_page(gg_page *page, const char *path) {
  gg_error err = GG_ERROR_INIT;
  gg_str picture = GG_STR_INIT, text = GG_STR_INIT;
  cli_kernel_picture(&picture, page->plan, page->layouts);
  page->picture = gg_str_text(&picture);
  gg_status st = picture.failed ? gg_fail(&err, MEMORY, NULL, "") : GG_OK;
  if (!st) st = gg_page_write(&text, page, &err);
  if (!st) st = path ? cli_write_text(path, &text, &err) : cli_print(&text, &err);
  gg_str_free(&picture);
  gg_str_free(&text);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

int cli_compare(gg_comparison *out, const cli_made *a, const cli_made *b) {
  gg_error err = GG_ERROR_INIT;
  const cli_made *made[2] = {a, b};
  gg_compared compared[2];
  for (int i = 0; i < 2; i++)
    compared[i] = (gg_compared){.name = made[i]->kernel->name,
                                .report = &made[i]->report,
                                .cuda = made[i]->kernel->source,
                                .ptx = made[i]->ptx ? made[i]->ptx->data : NULL};
  gg_status st = gg_comparison_make(out, &compared[0], &compared[1], &err);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

/* Writes the page of a generated kernel, with the comparison if there is one. */
static int run_and_write(cli_made *made, const gg_comparison *comparison,
                         const cli_page_options *given) {
  cli_page_run run = {0};
  gg_page page;
  gg_error err = GG_ERROR_INIT;
  if (page_of(&page, made, &err)) return cli_report(&err, NULL);
  int code = CLI_OK;
  page.comparison = comparison;
  if (given->run) {
    code = cli_page_run_make(&run, page.plan, page.layouts, made->kernel, &given->shape,
                             given->element);
    page.run = &run.run;
  }
  if (!code) code = write_page(&page, given->out);
  cli_page_run_free(&run);
  return code;
}

static int compare_and_write(cli_made *made, const cli_page_options *given) {
  cli_made other;
  gg_comparison comparison = {.arena = GG_ARENA_INIT};
  char *path = (char *)given->other;
  int code = cli_made_load(&other, "--compare", 1, &path);
  if (!code) code = cli_compare(&comparison, made, &other);
  if (!code) code = run_and_write(made, &comparison, given);
  gg_comparison_free(&comparison);
  cli_made_free(&other);
  return code;
}

int cli_kernel_page(const cli_page_options *given, int count, char **paths) {
  cli_made made;
  int code = cli_made_load(&made, "--html", count, paths);
  if (!code)
    code = given->other ? compare_and_write(&made, given) : run_and_write(&made, NULL, given);
  cli_made_free(&made);
  return code;
}
