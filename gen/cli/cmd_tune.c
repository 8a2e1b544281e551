/* gemmgen tune: finds by measurement the fastest kernel of a catalogue for products.
 *
 * Each kernel that the model ranks high gets a figure: either it is measured now, in a race of all
 * such kernels as in `gemmgen bench`, or an earlier run has left its figure in the database.
 * Figures of different races cannot be compared to the percent. So where there are several races,
 * the fastest kernels meet in a final one. The winner is written as a spec, where gg_gemm looks for
 * it. Every figure is stored at once, so that a run can be ended at any time and continued later.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/bench.h"
#include "cli/emulate.h"
#include "cli/products.h"
#include "cli/tune_kernels.h"
#include "cli/tune_store.h"
#include "spec/print.h"
#include "trial.h"
#include "tuned.h"

typedef struct tune_options {
  const char *cases, *problem, *types, *epilogue, *database, *output;
  cli_emulate emulate;
  int64_t top, samples, seed;
} tune_options;

static const cli_option options[] = {
    {"problem", 0, CLI_STRING, offsetof(tune_options, problem), "\"M N K [BATCH]\"", "the product"},
    {"types", 0, CLI_STRING, offsetof(tune_options, types), "A,B,D[,ACC[,MAJORS]]",
     "of the product (bf16,bf16,bf16,f32,kkn)"},
    {"cases", 0, CLI_STRING, offsetof(tune_options, cases), "FILE",
     "many products, one a line, as for bench"},
    {"epilogue", 0, CLI_STRING, offsetof(tune_options, epilogue), "LIST",
     "each product with each of these epilogues, in the words of bench (none)"},
    {"top", 0, CLI_COUNT, offsetof(tune_options, top), "N",
     "measure the N kernels that the model predicts to be fastest (12)"},
    {"output", 'o', CLI_STRING, offsetof(tune_options, output), "DIR",
     "where winners go, and gg_gemm finds them (GEMMGEN_TUNED, else ~/.local/share/gemmgen/tuned)"},
    {"database", 0, CLI_STRING, offsetof(tune_options, database), "FILE",
     "what was measured, in SQLite (figures.sqlite in that directory)"},
    {"samples", 0, CLI_COUNT, offsetof(tune_options, samples), "N",
     "samples, of which the median counts (5)"},
    {"device", 0, CLI_STRING, offsetof(tune_options, emulate.device), "WHERE",
     "gpu, gpu:N, or emu, where times mean nothing and nothing is installed (gpu)"},
    {"seed", 0, CLI_INT, offsetof(tune_options, seed), "N", "of the inputs (0)"},
    {0},
};

enum { usual_top = 12, race_max = 16, finalists = 4 };

typedef struct tune {
  const tune_options *given;
  cli_cases products;
  const bench_epilogue *epilogues[BENCH_EPILOGUES_MAX]; /* ends with NULL; empty: the bare products
                                                         */
  gg_catalogue *catalogue;
  bench_rig rig;
  const gg_device_facts *device;
  int compiler; /* NVRTC's version */
  gg_device_model model;
  gg_str directory, database;
  tune_store *store;
  tune_form *forms;
} tune;

/* One kernel in the search for a product's fastest. */
typedef struct contestant {
  const gg_candidate *candidate;
  tune_kernel *kernel;
  tune_figure figure;
  bool known; /* has a figure */
} contestant;

typedef struct search {
  tune *t;
  const cli_case *c;
  const bench_epilogue *epilogue; /* NULL: the bare product */
  tune_form *form;
  gg_str product;   /* the product's name in the database */
  contestant *list; /* in the order of the model's ranking */
  int count;
} search;

/* ---- Figures -------------------------------------------------------------------------- */

static tune_key key_of(const search *s, const contestant *one) {
  return (tune_key){.device = s->t->device->name,
                    .product = gg_str_text(&s->product),
                    .hash = one->kernel->hash,
                    .compiler = s->t->compiler};
}

static gg_status store_figure(const search *s, const contestant *one, gg_error *err) {
  tune_key key = key_of(s, one);
  gg_str spec = GG_STR_INIT;
  gg_spec_write(&spec, &one->candidate->spec);
  gg_status st = spec.failed ? gg_fail(err, MEMORY, NULL, "")
                             : tune_store_put(s->t->store, &key, &one->figure,
                                              one->kernel->kernel->name, gg_str_text(&spec), err);
  gg_str_free(&spec);
  return st;
}

static double operations(const cli_case *c) {
  return 2.0 * (double)c->m * (double)c->n * (double)c->k * (double)c->batch;
}

/* Measures `count` of them, at most race_max, side by side, and stores the figures. */
static gg_status race(const search *s, contestant *const *runners, int count, gg_error *err) {
  const gg_kernel *kernels[race_max] = {0};
  gg_module *modules[race_max] = {0};
  bench_result result;
  for (int i = 0; i < count; i++) {
    kernels[i] = runners[i]->kernel->kernel;
    modules[i] = runners[i]->kernel->module;
  }
  bench_entry entry = {
      .c = s->c, .kernels = kernels, .modules = modules, .count = count, .epilogue = s->epilogue};
  gg_status st = bench_case(&result, &s->t->rig, &entry, err);
  if (st) return st;
  for (int i = 0; i < count && !st; i++) {
    double rate = 1e12 * result.ours[i].tflops;
    runners[i]->figure = (tune_figure){operations(s->c) / rate, result.ours[i].right};
    runners[i]->known = tune_is_time(runners[i]->figure.seconds);
    if (runners[i]->known) st = store_figure(s, runners[i], err);
  }
  bench_result_free(&result);
  return st;
}

/* Sorts the better figure first: right before wrong, then fast before slow. */
static int by_figure(const void *left, const void *right) {
  const contestant *a = *(contestant *const *)left, *b = *(contestant *const *)right;
  if (a->figure.right != b->figure.right) return a->figure.right ? -1 : 1;
  return (a->figure.seconds > b->figure.seconds) - (a->figure.seconds < b->figure.seconds);
}

/* ---- The search ----------------------------------------------------------------------- */

/* Collects the kernels to try: ranks and generates them, and takes those that cover the product. */
static gg_status gather(search *s, gg_error *err) {
  tune *t = s->t;
  const gg_lineup *lineup = s->form->lineup;
  size_t *indices, top;
  s->list = gg_malloc(lineup->count * sizeof *s->list);
  if (!s->list) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = tune_rank(&indices, &top, s->form, cli_case_extents(s->c), &t->model,
                           (size_t)t->given->top, err);
  if (st) return st;
  tune_generate(s->form, indices, top);
  for (size_t i = 0; i < top; i++) {
    gg_str why = GG_STR_INIT;
    tune_kernel *kernel = &s->form->kernels[indices[i]];
    if (kernel->kernel && !gg_trial_obstacle(kernel->kernel) &&
        cli_case_covered(s->c, kernel->kernel, &why)) {
      s->list[s->count++] = (contestant){.candidate = &lineup->list[indices[i]], .kernel = kernel};
    }
    gg_str_free(&why);
  }
  gg_free(indices);
  return GG_OK;
}

static gg_status recall(search *s, gg_error *err) {
  gg_status st = GG_OK;
  for (int i = 0; i < s->count && !st; i++) {
    tune_key key = key_of(s, &s->list[i]);
    st = tune_store_get(&s->list[i].figure, &s->list[i].known, s->t->store, &key, err);
  }
  return st;
}

/* Compiles the kernels of `runners`. Returns how many can run, and moves those to the front. */
static int load(search *s, contestant **runners, int count) {
  size_t indices[race_max] = {0};
  int loaded = 0;
  for (int i = 0; i < count; i++)
    indices[i] = (size_t)(runners[i]->candidate - s->form->lineup->list);
  tune_load(s->form, indices, (size_t)count, s->t->rig.context);
  for (int i = 0; i < count; i++) {
    const tune_kernel *kernel = runners[i]->kernel;
    if (kernel->module) {
      runners[loaded++] = runners[i];
    } else if (kernel->failure.code) {
      fprintf(stderr, "gemmgen: %s is left out: %s\n", kernel->kernel->name,
              kernel->failure.message);
    }
  }
  return loaded;
}

/* Measures the contestants that have no figure yet. *races: how many races all figures come from;
 * those recalled from the database count as one. */
static gg_status measure(search *s, int *races, gg_error *err) {
  gg_status st = GG_OK;
  contestant *runners[race_max];
  bool recalled = false;
  for (int i = 0; i < s->count; i++)
    recalled = recalled || s->list[i].known;
  *races = recalled;
  for (int at = 0; at < s->count && !st && !tune_interrupted();) {
    int count = 0;
    for (; at < s->count && count < race_max; at++) {
      if (!s->list[at].known) runners[count++] = &s->list[at];
    }
    count = load(s, runners, count);
    if (count == 0 || tune_interrupted()) continue;
    st = race(s, runners, count, err);
    ++*races;
  }
  return st;
}

/* Finds the contestant with the best figure, NULL where no result is right. `again`: the fastest
 * meet in another race first, since their figures come from different ones. */
static gg_status decide(contestant **out, search *s, bool again, gg_error *err) {
  int count = 0;
  gg_status st = GG_OK;
  *out = NULL;
  contestant **order = gg_malloc((size_t)s->count * sizeof *order);
  if (!order) return gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < s->count; i++) {
    if (s->list[i].known) order[count++] = &s->list[i];
  }
  qsort(order, (size_t)count, sizeof *order, by_figure);
  if (again && count > 1 && !tune_interrupted()) {
    int last = load(s, order, count < finalists ? count : finalists);
    if (last > 1) st = race(s, order, last, err);
    if (last > 1) qsort(order, (size_t)last, sizeof *order, by_figure);
  }
  if (count > 0 && order[0]->known && order[0]->figure.right) *out = order[0];
  gg_free(order);
  return st;
}

/* ---- Results -------------------------------------------------------------------------- */

static gg_status write_winner(const search *s, const contestant *winner, int measured,
                              gg_error *err) {
  const tune *t = s->t;
  gg_str path = GG_STR_INIT, text = GG_STR_INIT;
  gg_tuned_extents extents = {s->c->m, s->c->n, s->c->k, s->c->batch};
  gg_status st = gg_tuned_path(&path, gg_str_text(&t->directory), t->device->name, &s->form->form,
                               extents, err);
  gg_str_printf(&text, "# %s on %s:\n# %.1f TFLOP/s (%.2f us), the fastest of %d kernels.\n",
                gg_str_text(&s->product), t->device->name,
                1e-12 * operations(s->c) / winner->figure.seconds, 1e6 * winner->figure.seconds,
                measured);
  gg_str_printf(&text, "# Written by gemmgen %s tune, NVRTC %d.%d.\n", gg_version(),
                t->compiler / 100, t->compiler % 100 / 10);
  gg_spec_write(&text, &winner->candidate->spec);
  if (!st) {
    char *slash = strrchr(path.text, '/');
    *slash = '\0';
    gg_directory_make(path.text, 0777); /* a failure shows in the next call */
    *slash = '/';
    st = cli_write_text(gg_str_text(&path), &text, err);
  }
  gg_str_free(&path);
  gg_str_free(&text);
  return st;
}

/* Whether winners are written at all. The emulator's times choose nothing, so its winners are
 * written only where the user names a place. */
static bool installs(const tune *t) {
  return !t->device->emulated || t->given->output;
}

static int report(const search *s, const contestant *winner, gg_error *err) {
  int measured = 0, wrong = 0;
  for (int i = 0; i < s->count; i++) {
    const contestant *one = &s->list[i];
    measured += one->known;
    if (!one->known || one->figure.right) continue;
    wrong++;
    fprintf(stderr, "gemmgen: %s is WRONG for %s\n", one->kernel->kernel->name,
            gg_str_text(&s->product));
  }
  if (tune_interrupted()) return CLI_FAILED;
  if (!winner) {
    printf("%-48s no kernel measured\n", gg_str_text(&s->product));
    return CLI_FAILED;
  }
  const contestant *predicted = &s->list[0];
  double seconds = winner->figure.seconds;
  printf("%-48s %8.1f TFLOP/s %10.2f us  %s", gg_str_text(&s->product),
         1e-12 * operations(s->c) / seconds, 1e6 * seconds, winner->kernel->kernel->name);
  if (predicted == winner) {
    printf(" (as predicted)");
  } else if (predicted->known) {
    printf(" (the predicted %s takes %.3f of that)", predicted->kernel->kernel->name,
           predicted->figure.seconds / seconds);
  }
  printf(", of %d\n", measured);
  fflush(stdout);
  if (installs(s->t) && write_winner(s, winner, measured, err)) return cli_report(err, NULL);
  return wrong ? CLI_FAILED : CLI_OK;
}

/* Names the product. One that is computed in place has a name of its own in the database, since its
 * times differ, although gg_gemm uses the same kernel for both. */
static gg_status name_product(search *s, const gg_form *form, gg_error *err) {
  gg_status st = cli_product_name(&s->product, s->c, form, err);
  if (s->epilogue && s->epilogue->c == BENCH_C_IN_PLACE) gg_str_puts(&s->product, ",in_place");
  return st ? st : s->product.failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

static int tune_form_of(tune *t, const cli_case *c, const bench_epilogue *epilogue,
                        const gg_form *form) {
  gg_error err = GG_ERROR_INIT;
  search s = {.t = t, .c = c, .epilogue = epilogue};
  contestant *winner = NULL;
  int races = 0, code;
  gg_status st = name_product(&s, form, &err);
  if (!st) st = tune_form_find(&s.form, &t->forms, t->catalogue, form, t->device->arch, &err);
  if (!st) st = gather(&s, &err);
  if (!st) st = recall(&s, &err);
  if (!st) st = measure(&s, &races, &err);
  if (!st) st = decide(&winner, &s, races > 1, &err);
  code = st ? cli_report(&err, NULL) : report(&s, winner, &err);
  gg_free(s.list);
  gg_str_free(&s.product);
  return code;
}

/* Tunes one product. An epilogue that the case cannot have is reported but is no failure, as a list
 * is meant for many cases. */
static int tune_product(tune *t, const cli_case *c, const bench_epilogue *epilogue) {
  gg_form form = cli_case_form(c);
  gg_str operations = GG_STR_INIT, why = GG_STR_INIT, name = GG_STR_INIT;
  int code = CLI_OK;
  bool can = !epilogue || bench_epilogue_form(&form, &operations, &why, epilogue, c);
  if (operations.failed || why.failed) {
    code = cli_out_of_memory();
  } else if (can) {
    code = tune_form_of(t, c, epilogue, &form);
  } else {
    cli_case_name(&name, c);
    printf("%-48s skipped with %s: %s\n", gg_str_text(&name), epilogue->word, gg_str_shown(&why));
  }
  gg_str_free(&operations);
  gg_str_free(&why);
  gg_str_free(&name);
  return code;
}

/* Tunes a product with each of the epilogues. `none` is the bare product, as without a list. */
static int tune_epilogues(tune *t, const cli_case *c) {
  int code = CLI_OK;
  if (!t->epilogues[0]) return tune_product(t, c, NULL);
  for (int i = 0; t->epilogues[i] && !tune_interrupted(); i++) {
    const bench_epilogue *epilogue = t->epilogues[i];
    int failed = tune_product(t, c, epilogue == bench_epilogues ? NULL : epilogue);
    if (failed) code = failed;
  }
  return code;
}

/* ---- The command ---------------------------------------------------------------------- */

static int open_files(tune *t) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_tuned_directory(&t->directory, t->given->output, &err);
  if (!st && installs(t) && t->directory.length == 0) {
    return cli_usage("no directory for the winners: name one with --output");
  }
  if (!st && t->given->database) {
    gg_str_puts(&t->database, t->given->database);
  } else if (!st && !installs(t)) {
    gg_str_puts(&t->database, ":memory:");
  } else if (!st) {
    gg_str_printf(&t->database, "%s/figures.sqlite", gg_str_text(&t->directory));
    gg_directory_make(t->directory.text, 0777); /* a failure shows when the file is created */
  }
  if (!st && (t->directory.failed || t->database.failed)) st = gg_fail(&err, MEMORY, NULL, "");
  if (!st) st = tune_store_open(&t->store, gg_str_text(&t->database), &err);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

static int tune_all(tune *t) {
  gg_compiler_facts compiler = *gg_compiler_facts_of(gg_context_compiler(t->rig.context));
  t->compiler = compiler.nvrtc_version;
  t->model = gg_device_model_of(t->device->name, t->device->arch,
                                t->device->emulated ? 0 : t->device->sm_count);
  if (t->device->emulated) {
    t->rig.timing = (gg_timing_options){.sample_seconds = 1e-6, .samples = 1};
  }
  int code = CLI_OK;
  tune_signals_hold();
  for (size_t i = 0; i < t->products.count && !tune_interrupted(); i++) {
    int failed = tune_epilogues(t, &t->products.list[i]);
    if (failed) code = failed;
    cli_progress("tune", i + 1, t->products.count);
  }
  if (!installs(t)) {
    fputs("gemmgen: nothing is installed: times of the emulator mean nothing\n", stderr);
  }
  if (tune_interrupted()) {
    fprintf(stderr, "gemmgen: ended early; what was measured is in %s\n",
            gg_str_text(&t->database));
  }
  return code;
}

static int run_on_device(tune *t) {
  gg_error err = GG_ERROR_INIT;
  cli_device device;
  int code = cli_emulate_begin(&device, &t->given->emulate, NULL);
  if (code) return code;
  if (device.both) return cli_usage("tune takes one device, not both");
  if (device.provider == GG_PROVIDER_AUTO) device.provider = GG_PROVIDER_CUDA;
  gg_context_options opt = {
      .size = sizeof(gg_context_options),
      .device = device.ordinal,
      .provider = device.provider,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .warn = cli_warn}};
  gg_status st = gg_context_open(&t->rig.context, &opt, &err);
  if (st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE) {
    fprintf(stderr,
            "gemmgen: nothing was run: %s; --device emu goes through the motions in the emulator\n",
            err.message);
    gg_error_clear(&err);
    return CLI_NO_DEVICE;
  }
  if (st) return cli_report(&err, NULL);
  t->device = gg_context_device(t->rig.context);
  code = open_files(t);
  if (!code) code = tune_all(t);
  tune_forms_free(t->forms);
  tune_store_close(t->store);
  gg_context_close(t->rig.context);
  return code;
}

static int read_products(tune *t) {
  const tune_options *given = t->given;
  if ((given->problem != NULL) == (given->cases != NULL)) {
    return cli_usage("tune takes either a --problem or --cases");
  }
  if (given->cases && given->types) return cli_usage("--types is of a --problem");
  if (given->cases) return cli_cases_load(&t->products, given->cases);
  return cli_product_read(&t->products, given->problem,
                          given->types ? given->types : "bf16,bf16,bf16");
}

static int open_catalogue(tune *t, int argc, char **argv) {
  gg_error err = GG_ERROR_INIT;
  gg_status st = argc ? gg_catalogue_load(&t->catalogue, argv, (size_t)argc, &err)
                      : gg_catalogue_open(&t->catalogue, &err);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

static int run(const void *values, int argc, char **argv) {
  tune_options given = *(const tune_options *)values;
  tune t = {
      .given = &given,
      .rig = {.overlap = true, .seed = (uint64_t)given.seed, .timing = GG_TIMING_OPTIONS_INIT}};
  if (given.samples > GG_TIMING_SAMPLES_MAX)
    return cli_usage("--samples is from 1 to %d", GG_TIMING_SAMPLES_MAX);
  t.rig.timing.samples = given.samples ? (int)given.samples : 5;
  if (given.top == 0) given.top = usual_top;
  int code = given.epilogue ? bench_epilogues_read(t.epilogues, given.epilogue) : CLI_OK;
  if (!code) code = read_products(&t);
  if (!code) code = open_catalogue(&t, argc, argv);
  if (!code) code = run_on_device(&t);
  gg_catalogue_close(t.catalogue);
  cli_cases_free(&t.products);
  gg_str_free(&t.directory);
  gg_str_free(&t.database);
  tune_signals_release(); /* a waiting signal ends the process here */
  return code;
}

const cli_command cmd_tune = {
    .name = "tune",
    .operands = "[SPEC...]",
    .summary = "Find the fastest kernel for products by measuring",
    .details =
        "Searches the kernels of the SPECs, sweeps mostly, with their operands replaced by the\n"
        "product's; without any the catalogue that gg_gemm chooses from. Kernels are compiled on\n"
        "all cores, verified, and timed side by side as bench does it. Figures go to a database:\n"
        "what is there for this device, kernel text and compiler is not measured again, so that a\n"
        "run may be ended (Ctrl-C) and taken up again. The winner of each product is written as\n"
        "a spec, which gg_gemm prefers to the model's choice from then on.\n"
        "\n"
        "--epilogue none,bias_gelu,beta_c searches for each product with each epilogue of the list,\n"
        "whose words are those of bench. Each has a winner of its own, for just these operations and\n"
        "types; what a product cannot have is told and passed over. beta_c and beta_c_in_place share\n"
        "one, that of the last run: gg_gemm takes the same kernel wherever C is.\n"
        "\n"
        "In the emulator, which only --device emu asks for, the same is gone through, and nothing\n"
        "is kept, but where --output or --database names a place.\n"
        "\n"
        "The exit status is 1 where a kernel was wrong or none was measured, 3 where there is no\n"
        "device.",
    .options = options,
    .options_size = sizeof(tune_options),
    .run = run,
};
