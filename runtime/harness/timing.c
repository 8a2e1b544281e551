#include "timing.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "inputs.h"

enum { trial_launches = 8, launches_max = 20000 };

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double gg_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int gg_timing_launches(double sample_seconds, double seconds, int launches) {
  double each = seconds / launches;
  double wanted = each > 0 ? ceil(1.1 * sample_seconds / each) : launches_max;
  return wanted < 1 ? 1 : wanted > launches_max ? launches_max : (int)wanted;
}

/* One contender under way. */
typedef struct runner {
  CUgraphExec graph;
  int launches;
  double samples[GG_TIMING_SAMPLES_MAX];
} runner;

typedef struct stopwatch {
  gg_context *context;
  CUstream stream;
  CUevent start, end;
} stopwatch;

static gg_status capture(CUgraphExec *out, const stopwatch *watch, const gg_contender *contender,
                         int launches, gg_error *err) {
  const gg_driver *driver = &watch->context->driver;
  CUgraph graph = NULL;
  gg_status st = GG_CUDA(driver, err, cuStreamBeginCapture, watch->stream,
                         CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  if (st) return st;
  for (int turn = 0; turn < launches && !st; turn++) {
    st = contender->launch(contender->self, turn, watch->stream, err);
  }
  gg_status ended = GG_CUDA(driver, st ? NULL : err, cuStreamEndCapture, watch->stream, &graph);
  if (!st) st = ended;
  if (!st) st = GG_CUDA(driver, err, cuGraphInstantiate, out, graph, 0);
  if (graph) driver->cuGraphDestroy(graph);
  return st;
}

static gg_status sample(double *seconds, const stopwatch *watch, CUgraphExec graph, gg_error *err) {
  const gg_driver *driver = &watch->context->driver;
  float milliseconds = 0;
  gg_status st = GG_CUDA(driver, err, cuEventRecord, watch->start, watch->stream);
  if (!st) st = GG_CUDA(driver, err, cuGraphLaunch, graph, watch->stream);
  if (!st) st = GG_CUDA(driver, err, cuEventRecord, watch->end, watch->stream);
  if (!st) st = GG_CUDA(driver, err, cuEventSynchronize, watch->end);
  if (!st) {
    st = GG_CUDA(driver, err, cuEventElapsedTime, &milliseconds, watch->start, watch->end);
  }
  *seconds = milliseconds * 1e-3;
  return st;
}

/* A plain launch lets the library load what it loads at first use; a short graph, run twice, tells
 * how long the real one must be; that one is run once. */
static gg_status warm_up(runner *one, const stopwatch *watch, const gg_contender *contender,
                         double sample_seconds, gg_error *err) {
  const gg_driver *driver = &watch->context->driver;
  CUgraphExec trial = NULL;
  double seconds = 0;
  gg_status st = contender->launch(contender->self, 0, watch->stream, err);
  if (!st) st = GG_CUDA(driver, err, cuStreamSynchronize, watch->stream);
  if (!st) st = capture(&trial, watch, contender, trial_launches, err);
  for (int i = 0; i < 2 && !st; i++)
    st = sample(&seconds, watch, trial, err);
  if (trial) driver->cuGraphExecDestroy(trial);
  if (st) return st;
  one->launches = gg_timing_launches(sample_seconds, seconds, trial_launches);
  st = capture(&one->graph, watch, contender, one->launches, err);
  return st ? st : sample(&seconds, watch, one->graph, err);
}

/* A new order for each round. Large products are limited by power, so that a contender gains by
 * following one that draws little: none should always follow the same. */
static void shuffle(int *order, int count, int round) {
  for (int left = count; left > 1; left--) {
    int at = (int)(gg_random((uint64_t)round, (uint64_t)left) % (uint64_t)left);
    int last = order[left - 1];
    order[left - 1] = order[at];
    order[at] = last;
  }
}

static gg_status run_all(runner *runners, int *order, gg_contender *contenders, int count,
                         const stopwatch *watch, const gg_timing_options *options, gg_error *err) {
  gg_status st = GG_OK;
  for (int i = 0; i < count && !st; i++) {
    st = warm_up(&runners[i], watch, &contenders[i], options->sample_seconds, err);
  }
  for (int round = 0; round < options->samples && !st; round++) {
    shuffle(order, count, round);
    for (int turn = 0; turn < count && !st; turn++) {
      runner *one = &runners[order[turn]];
      st = sample(&one->samples[round], watch, one->graph, err);
    }
  }
  for (int i = 0; i < count && !st; i++) {
    contenders[i].seconds = gg_median(runners[i].samples, options->samples) / runners[i].launches;
  }
  return st;
}

gg_status gg_time_contenders(gg_contender *contenders, int count, gg_context *context,
                             const gg_timing_options *options, gg_error *err) {
  const gg_driver *driver = &context->driver;
  stopwatch watch = {.context = context};
  runner *runners = gg_malloc((size_t)count * sizeof *runners);
  int *order = gg_malloc((size_t)count * sizeof *order);
  gg_status st = runners && order ? GG_OK : gg_fail(err, MEMORY, NULL, "");
  for (int i = 0; i < count && !st; i++) {
    runners[i] = (runner){0};
    order[i] = i;
  }
  if (!st) st = gg_context_enter(context, err);
  if (st) goto out;
  st = GG_CUDA(driver, err, cuStreamCreate, &watch.stream, 0);
  if (!st) st = GG_CUDA(driver, err, cuEventCreate, &watch.start, 0);
  if (!st) st = GG_CUDA(driver, err, cuEventCreate, &watch.end, 0);
  if (!st) st = run_all(runners, order, contenders, count, &watch, options, err);
  for (int i = 0; i < count; i++) {
    if (runners[i].graph) driver->cuGraphExecDestroy(runners[i].graph);
  }
  if (watch.start) driver->cuEventDestroy(watch.start);
  if (watch.end) driver->cuEventDestroy(watch.end);
  if (watch.stream) driver->cuStreamDestroy(watch.stream);
  gg_context_leave(context);
out:
  gg_free(order);
  gg_free(runners);
  return st;
}
