/* Launches from a graph, from threads, and from two contexts at once. */
#include <pthread.h>
#include <stdio.h>

#include "gpu_check.h"

enum { graph_launches = 100, thread_count = 8, thread_launches = 20 };

/* The emulator is slow, and does one launch at a time: two show what a hundred would. */
static int threads_of(const subject *s) {
  return gg_context_device(s->context)->emulated ? 2 : thread_count;
}

static int launches_of(const subject *s, int many) {
  return gg_context_device(s->context)->emulated ? 2 : many;
}

static gg_status open_usual(gg_trial *out, const subject *s, int64_t shift, gg_error *err) {
  gg_problem shape = usual_shape(s->kernel);
  gg_trial_options options = {.padding = 1, .least_aligned = true, .shift = shift};
  gg_status st = gg_trial_open(out, s->context, s->kernel, &shape, &options, &s->integers, err);
  out->problem.overlap = shift % 2;
  return st ? st : gg_trial_provide(out, s->module, err);
}

/* ---- A graph -------------------------------------------------------------------------- */

static gg_status capture(CUgraphExec *out, const subject *s, const gg_trial *trial, CUstream stream,
                         gg_error *err) {
  const gg_driver *driver = &s->context->driver;
  CUgraph graph = NULL;
  gg_status st =
      GG_CUDA(driver, err, cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  if (st) return st;
  for (int i = 0; i < launches_of(s, graph_launches) && !st; i++) {
    st = gg_launch(s->module, &trial->problem, stream, err);
  }
  gg_status ended = GG_CUDA(driver, st ? NULL : err, cuStreamEndCapture, stream, &graph);
  if (!st) st = ended;
  if (!st) st = GG_CUDA(driver, err, cuGraphInstantiate, out, graph, 0);
  if (graph) driver->cuGraphDestroy(graph);
  return st;
}

static gg_status run_graph(const subject *s, gg_trial *trial, CUstream stream, gg_error *err) {
  const gg_driver *driver = &s->context->driver;
  CUgraphExec graph = NULL;
  gg_status st = gg_trial_poison(trial, err);
  if (st || (st = gg_context_enter(s->context, err))) return st;
  st = capture(&graph, s, trial, stream, err);
  if (!st) st = GG_CUDA(driver, err, cuGraphLaunch, graph, stream);
  if (!st) st = GG_CUDA(driver, err, cuStreamSynchronize, stream);
  if (graph) driver->cuGraphExecDestroy(graph);
  gg_context_leave(s->context);
  return st;
}

void check_graph(totals *out, const subject *s) {
  gg_error err = GG_ERROR_INIT;
  gg_str what = GG_STR_INIT;
  gg_trial trial = {0};
  CUstream stream = NULL;
  bool passed = false;
  gg_str_printf(&what, "a graph of %d launches: ", launches_of(s, graph_launches));
  gg_status st = open_usual(&trial, s, 1, &err);
  if (!st) st = gg_stream_open(&stream, s->context, &err);
  if (!st) st = run_graph(s, &trial, stream, &err);
  if (!st) st = judge_trial(&passed, s, &trial, &what, &err);
  count_check(out, s, gg_str_text(&what), !st && passed, &err);
  gg_stream_close(s->context, stream);
  gg_trial_close(&trial);
  gg_str_free(&what);
}

/* ---- Threads -------------------------------------------------------------------------- */

typedef struct worker {
  const subject *s;
  gg_trial trial;
  CUstream stream;
  gg_status st;
  gg_error err;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  for (int i = 0; i < launches_of(w->s, thread_launches) && !w->st; i++) {
    w->st = gg_launch(w->s->module, &w->trial.problem, w->stream, &w->err);
  }
  if (!w->st) w->st = gg_synchronize(w->s->context, w->stream, &w->err);
  return NULL;
}

static void open_worker(worker *w, const subject *s, int number) {
  *w = (worker){.s = s, .err = GG_ERROR_INIT};
  w->st = open_usual(&w->trial, s, number, &w->err);
  if (!w->st) w->st = gg_trial_poison(&w->trial, &w->err);
  if (!w->st) w->st = gg_stream_open(&w->stream, s->context, &w->err);
}

static void finish_worker(totals *out, worker *w, const char *who, int number) {
  gg_str what = GG_STR_INIT;
  bool passed = false;
  gg_str_printf(&what, "%s %d: ", who, number);
  if (!w->st) w->st = judge_trial(&passed, w->s, &w->trial, &what, &w->err);
  count_check(out, w->s, gg_str_text(&what), !w->st && passed, &w->err);
  gg_stream_close(w->s->context, w->stream);
  gg_trial_close(&w->trial);
  gg_str_free(&what);
}

/* Worker number i belongs to subject i modulo `count`. */
static void run_workers(totals *out, const subject *const *subjects, int count, const char *who) {
  worker workers[thread_count];
  pthread_t ids[thread_count];
  bool started[thread_count];
  int threads = threads_of(subjects[0]);
  for (int i = 0; i < threads; i++)
    open_worker(&workers[i], subjects[i % count], i);
  for (int i = 0; i < threads; i++) {
    started[i] = pthread_create(&ids[i], NULL, work, &workers[i]) == 0;
  }
  for (int i = 0; i < threads; i++) {
    if (started[i]) pthread_join(ids[i], NULL);
    finish_worker(out, &workers[i], who, i);
  }
}

void check_threads(totals *out, const subject *s) {
  run_workers(out, &s, 1, "thread");
}

/* ---- Contexts ------------------------------------------------------------------------- */

void check_contexts(totals *out, const subject *s) {
  gg_error err = GG_ERROR_INIT;
  subject second = *s; /* the reference stays the first context's: both are the primary one */
  second.context = NULL;
  second.module = NULL;
  bool emulated = gg_context_device(s->context)->emulated;
  gg_context_options options = {.size = sizeof(gg_context_options),
                                .provider = emulated ? GG_PROVIDER_EMU : GG_PROVIDER_CUDA};
  gg_status st = gg_context_open(&second.context, &options, &err);
  if (!st) st = gg_module_load(&second.module, second.context, s->kernel, &err);
  if (st) {
    count_check(out, s, "a second context", false, &err);
  } else {
    const subject *both[] = {s, &second};
    run_workers(out, both, 2, "thread of two contexts");
  }
  gg_module_free(second.module);
  gg_context_close(second.context);
}
