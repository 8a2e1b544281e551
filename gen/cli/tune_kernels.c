#include "cli/tune_kernels.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cache.h"
#include "choice/form.h"
#include "cli/cli.h"
#include "emit/emit.h"
#include "gemmgen_gemm.h"
#include "plan/decisions.h"

enum { most_threads = 64 };

/* ---- Forms ---------------------------------------------------------------------------- */

static bool same_epilogue(const char *left, const char *right) {
  return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool same_form(const gg_form *left, const gg_form *right) {
  if (!same_epilogue(left->epilogue, right->epilogue)) return false;
  gg_str a = GG_STR_INIT, b = GG_STR_INIT;
  gg_form_name(&a, left);
  gg_form_name(&b, right);
  bool same = !a.failed && !b.failed && strcmp(gg_str_text(&a), gg_str_text(&b)) == 0;
  gg_str_free(&a);
  gg_str_free(&b);
  return same;
}

gg_status tune_form_find(tune_form **out, tune_form **list, const gg_catalogue *catalogue,
                         const gg_form *form, int arch, gg_error *err) {
  for (*out = *list; *out; *out = (*out)->next) {
    if (same_form(&(*out)->form, form)) return GG_OK;
  }
  size_t length = form->epilogue ? strlen(form->epilogue) + 1 : 0;
  tune_form *added = gg_calloc(1, sizeof *added + length);
  if (!added) return gg_fail(err, MEMORY, NULL, "");
  added->form = *form;
  if (length) added->form.epilogue = memcpy(added->epilogue, form->epilogue, length);
  gg_status st = gg_lineup_make(&added->lineup, catalogue, &added->form, arch, err);
  if (!st && added->lineup->count == 0) st = gg_lineup_fail(added->lineup, form, arch, err);
  if (!st) {
    added->kernels = gg_calloc(added->lineup->count, sizeof *added->kernels);
    if (!added->kernels) st = gg_fail(err, MEMORY, NULL, "");
  }
  if (st) {
    tune_forms_free(added);
    return st;
  }
  added->next = *list;
  *out = *list = added;
  return GG_OK;
}

void tune_forms_free(tune_form *list) {
  while (list) {
    tune_form *form = list;
    list = form->next;
    for (size_t i = 0; form->kernels && i < form->lineup->count; i++) {
      gg_module_free(form->kernels[i].module);
      gg_kernel_free(form->kernels[i].kernel);
      gg_error_clear(&form->kernels[i].failure);
    }
    gg_free(form->kernels);
    gg_lineup_free(form->lineup);
    gg_free(form);
  }
}

/* ---- In parallel ---------------------------------------------------------------------- */

typedef struct job job;
struct job {
  void (*act)(job *job, size_t index);
  tune_form *form;
  const size_t *indices;
  tune_kernel **kernels; /* of any forms; used in place of `form` and `indices` */
  size_t count;
  gg_context *context;
  atomic_size_t taken, done;
};

static bool take_one(job *j) {
  size_t at = atomic_fetch_add(&j->taken, 1);
  if (at >= j->count || tune_interrupted()) return false;
  j->act(j, j->indices ? j->indices[at] : at);
  atomic_fetch_add(&j->done, 1);
  return true;
}

static void *work(void *argument) {
  while (take_one(argument)) {
  }
  return NULL;
}

/* Runs a job in several threads, of which the calling one is one that also shows the progress.
 * Where fewer threads can be started than wanted, those do it all. */
static void run(job *j, const char *what) {
  pthread_t threads[most_threads];
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int wanted = cores > most_threads ? most_threads : (int)cores, running = 0;
  if ((size_t)wanted > j->count) wanted = (int)j->count;
  while (running + 1 < wanted && pthread_create(&threads[running], NULL, work, j) == 0)
    running++;
  while (take_one(j))
    cli_progress(what, atomic_load(&j->done), j->count);
  for (int i = 0; i < running; i++)
    pthread_join(threads[i], NULL);
  cli_progress(what, j->count, j->count);
}

/* Computes the kernel's hash from its decisions and its code. The banner is not part of it, so a
 * change of its words does not make the kernel another one. */
static void identify(tune_kernel *k, const gg_plan *plan) {
  gg_str decisions = GG_STR_INIT, code = GG_STR_INIT;
  gg_identity identity;
  size_t length;
  const char *text = gg_kernel_code(k->kernel, &length);
  gg_plan_identity(&identity, plan);
  for (size_t i = 0; i < identity.count; i++)
    gg_str_printf(&decisions, "%lld ", (long long)identity.numbers[i]);
  gg_str_append(&code, text, length);
  bool failed = decisions.failed || code.failed;
  const char *const texts[] = {gg_str_text(&decisions), gg_str_text(&code)};
  gg_cache_key key = gg_cache_key_of(texts, 2);
  gg_str_free(&decisions);
  gg_str_free(&code);
  if (failed) {
    (void)gg_fail(&k->failure, MEMORY, NULL, "");
    gg_kernel_free(k->kernel);
    k->kernel = NULL;
    return;
  }
  for (int i = 0; i < GG_CACHE_DIGEST; i++)
    snprintf(k->hash + 2 * i, 3, "%02x", key.digest[i]);
}

static void generate_one(job *j, size_t index) {
  tune_kernel *k = &j->form->kernels[index];
  if (k->kernel || k->failure.code) return;
  if (gg_kernel_generate(&k->kernel, &j->form->lineup->list[index].spec, &k->failure)) return;
  identify(k, &j->form->lineup->list[index].plan);
}

static void load_one(job *j, size_t index) {
  tune_kernel *k = j->kernels ? j->kernels[index] : &j->form->kernels[index];
  if (!k->kernel || k->module || k->failure.code) return;
  gg_module_load(&k->module, j->context, k->kernel, &k->failure);
}

void tune_generate(tune_form *form, const size_t *indices, size_t count) {
  job j = {.act = generate_one, .form = form, .indices = indices, .count = count};
  run(&j, "generate");
}

void tune_load(tune_form *form, const size_t *indices, size_t count, gg_context *context) {
  job j = {.act = load_one, .form = form, .indices = indices, .count = count, .context = context};
  run(&j, "compile");
}

gg_status tune_load_generated(tune_form *list, gg_context *context, gg_error *err) {
  size_t all = 0;
  for (const tune_form *form = list; form; form = form->next)
    all += form->lineup->count;
  job j = {
      .act = load_one, .kernels = gg_malloc((all + 1) * sizeof *j.kernels), .context = context};
  if (!j.kernels) return gg_fail(err, MEMORY, NULL, "");
  for (const tune_form *form = list; form; form = form->next)
    for (size_t i = 0; i < form->lineup->count; i++)
      if (form->kernels[i].kernel) j.kernels[j.count++] = &form->kernels[i];
  run(&j, "compile");
  gg_free(j.kernels);
  return GG_OK;
}

gg_status tune_rank(size_t **indices, size_t *count, tune_form *form, gg_extents extents,
                    const gg_device_model *model, size_t top, gg_error *err) {
  size_t all = form->lineup->count;
  gg_ranked *ranked = gg_malloc(all * sizeof *ranked);
  *indices = gg_malloc(all * sizeof **indices);
  *count = all < top ? all : top;
  if (!ranked || !*indices) {
    gg_free(ranked);
    gg_free(*indices);
    *indices = NULL;
    return gg_fail(err, MEMORY, NULL, "");
  }
  gg_lineup_rank(ranked, form->lineup, extents, model, (gg_room){GG_GEMM_WORKSPACE, 0});
  for (size_t i = 0; i < *count; i++)
    (*indices)[i] = ranked[i].index;
  gg_free(ranked);
  return GG_OK;
}

/* ---- Signals -------------------------------------------------------------------------- */

/* The signals that end a run. They are blocked, and asking whether one is pending needs no handler
 * and no state of ours. */
static sigset_t wanted_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

void tune_signals_hold(void) {
  sigset_t set = wanted_signals();
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void tune_signals_release(void) {
  sigset_t set = wanted_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

bool tune_interrupted(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 &&
         (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1);
}
