/* Streams, events and graphs.
 *
 * A stream does its work at once, in the order of the calls, which is one of the orders that CUDA
 * allows. While it is captured, work goes into a graph instead, which is a list in that order.
 * Events take the host's time, which says how long the emulator took, and nothing about a GPU. */
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "emu/driver/process.h"

/* ---- Work ------------------------------------------------------------------------------- */

static CUresult run_launch(emu_process *process, const emu_work *work, emu_succession *stream) {
  CUfunction function = work->launch.function;
  emu_launch_config config = work->launch.config;
  gg_error err = GG_ERROR_INIT;
  gg_status st = GG_OK;
  bool counting = process->options.counters || process->options.counters_file;
  if (counting && !function->counters.sites) {
    st = emu_counters_open(&function->counters, function->kernel, &err);
  }
  config.succession = stream;
  config.counters = &function->counters; /* warnings are kept there in any case */
  config.trace = process->trace;
  config.follow = process->follow;
  config.names = process->names;
  config.name_count = process->name_count;
  config.label = process->label.length ? gg_str_text(&process->label) : NULL;
  if (!st) st = emu_launch(process->device, function->kernel, &config, &err);
  emu_tell_warnings(process, &function->counters.warnings);
  return emu_result(process, st, &err);
}

/* Does work. `stream` says which of its launches may still run; work that is not a launch waits for
 * all of them. */
static CUresult do_work(emu_process *process, const emu_work *work, emu_succession *stream) {
  if (work->kind != EMU_WORK_LAUNCH) *stream = (emu_succession){0};
  switch (work->kind) {
  case EMU_WORK_LAUNCH:
    if (!emu_handle_is(process, work->launch.function, EMU_HANDLE_FUNCTION)) {
      return CUDA_ERROR_INVALID_HANDLE; /* of a graph that outlived its module */
    }
    return run_launch(process, work, stream);
  case EMU_WORK_COPY:
    return emu_copy(process, &work->copy);
  case EMU_WORK_FILL:
    return emu_fill_memory(process, &work->fill);
  case EMU_WORK_CALL:
    work->call.function(work->call.user);
    break;
  }
  return CUDA_SUCCESS;
}

void emu_settle(emu_process *process) {
  process->settled++;
}

CUresult emu_work_wait(emu_process *process, const emu_work *work) {
  emu_succession none = {0};
  emu_settle(process);
  return do_work(process, work, &none);
}

void emu_work_free(emu_work *work) {
  if (work->kind == EMU_WORK_LAUNCH) gg_free(work->launch.params);
}

static bool add_work(CUgraph graph, const emu_work *work) {
  emu_work *list = gg_realloc(graph->list, (graph->count + 1) * sizeof *list);
  if (!list) return false;
  graph->list = list;
  list[graph->count++] = *work;
  return true;
}

/* NULL, 1 and 2 stand for the default streams, which cannot capture. */
static bool is_stream(const emu_process *process, CUstream stream) {
  return (uintptr_t)stream <= 2 || emu_handle_is(process, stream, EMU_HANDLE_STREAM);
}

static CUgraph capture_of(CUstream stream) {
  return (uintptr_t)stream <= 2 ? NULL : stream->capture;
}

/* The launches of a stream that is about to get work. The legacy stream waits for those of other
 * streams, and they for its. */
static emu_succession *past_of(emu_process *process, CUstream stream) {
  bool usual = (uintptr_t)stream <= 2;
  emu_past *past = usual ? &process->past : &stream->past;
  if (past->settled != process->settled) past->launches = (emu_succession){0};
  if (usual) {
    process->settled++;
  } else {
    process->past.launches = (emu_succession){0};
  }
  past->settled = process->settled;
  return &past->launches;
}

/* Notes that the stream's next launch waits for all launches ahead, or for something else. */
static void part(emu_process *process, CUstream stream) {
  *past_of(process, stream) = (emu_succession){0};
}

CUresult emu_submit(emu_process *process, CUstream stream, emu_work *work) {
  CUresult result = CUDA_ERROR_INVALID_HANDLE;
  if (is_stream(process, stream)) {
    CUgraph graph = capture_of(stream);
    if (graph && add_work(graph, work)) return CUDA_SUCCESS;
    if (graph) graph->failed = true;
    result = graph ? CUDA_ERROR_OUT_OF_MEMORY : do_work(process, work, past_of(process, stream));
  }
  emu_work_free(work);
  return result;
}

/* Called without the lock: the function may call the driver. */
CUresult emu_cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *user) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !function) result = CUDA_ERROR_INVALID_VALUE;
  if (!result && !is_stream(process, stream)) result = CUDA_ERROR_INVALID_HANDLE;
  if (!result && capture_of(stream)) {
    emu_work work = {.kind = EMU_WORK_CALL, .call = {function, user}};
    return emu_leave(process, emu_submit(process, stream, &work));
  }
  if (!result) part(process, stream);
  emu_leave(process, result);
  if (!result) function(user);
  return result;
}

/* A callback gets the stream's result, and cannot be captured. Called without the lock. */
CUresult emu_cuStreamAddCallback(CUstream stream, void (*function)(CUstream, int, void *),
                                 void *user, unsigned flags) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (!function || flags)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result && !is_stream(process, stream)) result = CUDA_ERROR_INVALID_HANDLE;
  if (!result && capture_of(stream)) result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!result) part(process, stream);
  emu_leave(process, result);
  if (!result) function(stream, CUDA_SUCCESS, user);
  return result;
}

/* ---- Streams ---------------------------------------------------------------------------- */

CUresult emu_cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !stream) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    *stream = emu_handle_new(process, EMU_HANDLE_STREAM, sizeof **stream);
    if (!*stream) {
      result = CUDA_ERROR_OUT_OF_MEMORY;
    } else {
      (*stream)->flags = flags;
      (*stream)->priority = priority;
    }
  }
  return emu_leave(process, result);
}

CUresult emu_cuStreamCreate(CUstream *stream, unsigned flags) {
  return emu_cuStreamCreateWithPriority(stream, flags, 0);
}

/* Destroying works after a fault, too. */
static CUresult destroy(void *handle, emu_handle_kind kind) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result || result == process->fault) {
    bool known = emu_handle_is(process, handle, kind);
    if (known) emu_handle_drop(process, handle);
    if (!result && !known) result = CUDA_ERROR_INVALID_HANDLE;
  }
  return emu_leave(process, result);
}

CUresult emu_cuStreamDestroy(CUstream stream) {
  emu_process *process = emu_lock();
  bool capturing = emu_handle_is(process, stream, EMU_HANDLE_STREAM) && stream->capture;
  if (capturing) stream->capture->taking = false;
  emu_leave(process, CUDA_SUCCESS);
  return destroy(stream, EMU_HANDLE_STREAM);
}

/* Everything that was submitted has been done already. */
CUresult emu_cuStreamSynchronize(CUstream stream) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !is_stream(process, stream)) result = CUDA_ERROR_INVALID_HANDLE;
  if (!result && capture_of(stream)) result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!result) emu_settle(process);
  return emu_leave(process, result);
}

CUresult emu_cuStreamQuery(CUstream stream) {
  return emu_cuStreamSynchronize(stream);
}

CUresult emu_cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  (void)flags;
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result &&
      (!is_stream(process, stream) || !emu_handle_is(process, event, EMU_HANDLE_EVENT))) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && !capture_of(stream)) part(process, stream);
  return emu_leave(process, result);
}

/* A stream's flags, or its priority if `priority` is not NULL. */
static CUresult stream_facts(CUstream stream, unsigned *flags, int *priority) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  bool usual = (uintptr_t)stream <= 2;
  if (!result && !is_stream(process, stream)) result = CUDA_ERROR_INVALID_HANDLE;
  if (!result && !flags && !priority) result = CUDA_ERROR_INVALID_VALUE;
  if (!result && flags) *flags = usual ? 0 : stream->flags;
  if (!result && priority) *priority = usual ? 0 : stream->priority;
  return emu_leave(process, result);
}

CUresult emu_cuStreamGetPriority(CUstream stream, int *priority) {
  return stream_facts(stream, NULL, priority);
}

CUresult emu_cuStreamGetFlags(CUstream stream, unsigned *flags) {
  return stream_facts(stream, flags, NULL);
}

CUresult emu_cuStreamGetCtx(CUstream stream, CUcontext *context) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !is_stream(process, stream)) result = CUDA_ERROR_INVALID_HANDLE;
  if (!result && !context) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *context = emu_current();
  return emu_leave(process, result);
}

CUresult emu_cuStreamIsCapturing(CUstream stream, int *status) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !is_stream(process, stream)) result = CUDA_ERROR_INVALID_HANDLE;
  if (!result && !status) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) *status = capture_of(stream) != NULL;
  return emu_leave(process, result);
}

/* All calls are safe while a stream captures: a thread's mode is kept, and nothing asks for it. */
CUresult emu_cuThreadExchangeStreamCaptureMode(int *mode) {
  static _Thread_local int own = CU_STREAM_CAPTURE_MODE_GLOBAL;
  if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  int before = own;
  own = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}

/* ---- Graphs ----------------------------------------------------------------------------- */

CUresult emu_cuStreamBeginCapture(CUstream stream, int mode) {
  (void)mode; /* which other calls are safe while it captures: all are */
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (uintptr_t)stream <= 2) result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!result && !is_stream(process, stream)) result = CUDA_ERROR_INVALID_HANDLE;
  if (!result && stream->capture) result = CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (!result) {
    stream->capture = emu_handle_new(process, EMU_HANDLE_GRAPH, sizeof *stream->capture);
    if (!stream->capture) result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return emu_leave(process, result);
}

/* Captures into an existing graph. Its nodes run in the order in which they were added, so it does
 * not matter after which of them the new ones come. */
CUresult emu_cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, void *const *after,
                                         const void *edges, size_t count, int mode) {
  (void)after, (void)edges, (void)count, (void)mode;
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (uintptr_t)stream <= 2) result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!result &&
      (!is_stream(process, stream) || !emu_handle_is(process, graph, EMU_HANDLE_GRAPH))) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && (stream->capture || graph->taking)) result = CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (!result) {
    stream->capture = graph;
    graph->taking = true;
  }
  return emu_leave(process, result);
}

CUresult emu_cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !is_stream(process, stream)) result = CUDA_ERROR_INVALID_HANDLE;
  if (!result && !graph) result = CUDA_ERROR_INVALID_VALUE;
  if (!result && !capture_of(stream)) result = CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (!result) {
    *graph = stream->capture;
    stream->capture = NULL;
    bool given = (*graph)->taking;
    (*graph)->taking = false;
    if ((*graph)->failed) {
      if (!given) emu_handle_drop(process, *graph);
      *graph = NULL;
      result = CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  return emu_leave(process, result);
}

/* A copy of a launch has parameters of its own. */
static bool copy_work(emu_work *out, const emu_work *work) {
  *out = *work;
  if (work->kind != EMU_WORK_LAUNCH) return true;
  size_t bytes = emu_kernel_facts_of(work->launch.function->kernel).param_bytes;
  out->launch.params = gg_malloc(bytes ? bytes : 1);
  if (!out->launch.params) return false;
  memcpy(out->launch.params, work->launch.params, bytes);
  out->launch.config.params = out->launch.params;
  return true;
}

static CUresult instantiate(CUgraph *out, emu_process *process, CUgraph graph) {
  *out = emu_handle_new(process, EMU_HANDLE_GRAPH, sizeof **out);
  if (!*out) return CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t i = 0; i < graph->count; i++) {
    emu_work work = {.kind = EMU_WORK_CALL};
    bool launch = graph->list[i].kind == EMU_WORK_LAUNCH;
    if (launch && !emu_handle_is(process, graph->list[i].launch.function, EMU_HANDLE_FUNCTION)) {
      emu_handle_drop(process, *out);
      return CUDA_ERROR_INVALID_HANDLE;
    }
    bool copied = copy_work(&work, &graph->list[i]);
    if (copied && add_work(*out, &work)) continue;
    if (copied) emu_work_free(&work);
    emu_handle_drop(process, *out);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_SUCCESS;
}

CUresult emu_cuGraphCreate(CUgraph *graph, unsigned flags) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && (!graph || flags)) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    *graph = emu_handle_new(process, EMU_HANDLE_GRAPH, sizeof **graph);
    if (!*graph) result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return emu_leave(process, result);
}

CUresult emu_cuGraphClone(CUgraph *out, CUgraph graph) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, graph, EMU_HANDLE_GRAPH)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && !out) result = CUDA_ERROR_INVALID_VALUE;
  CUgraph copy = NULL;
  if (!result) result = instantiate(&copy, process, graph);
  if (!result) *out = copy;
  return emu_leave(process, result);
}

/* A graph that can be launched is a copy of what it was made of. */
CUresult emu_cuGraphInstantiate(CUgraphExec *out, CUgraph graph, unsigned long long flags) {
  CUgraph copy = NULL;
  (void)flags;
  CUresult result = out ? emu_cuGraphClone(&copy, graph) : CUDA_ERROR_INVALID_VALUE;
  if (!result) *out = (CUgraphExec)(void *)copy;
  return result;
}

/* If several streams were captured together, a graph does not say which launches wait for which. */
static CUresult run_graph(emu_process *process, CUgraph graph) {
  emu_succession launches = {0};
  CUstream stream = NULL;
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; !result && i < graph->count; i++) {
    const emu_work *work = &graph->list[i];
    bool launch = work->kind == EMU_WORK_LAUNCH;
    if (launch && work->launch.stream != stream) launches = (emu_succession){0};
    if (launch) stream = work->launch.stream;
    result = do_work(process, work, &launches);
  }
  return result;
}

CUresult emu_cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  emu_process *process;
  CUgraph graph = (CUgraph)(void *)exec;
  CUresult result = emu_enter(&process);
  if (!result &&
      (!emu_handle_is(process, graph, EMU_HANDLE_GRAPH) || !is_stream(process, stream))) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && capture_of(stream)) result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!result) part(process, stream);
  if (!result) result = run_graph(process, graph);
  return emu_leave(process, result);
}

CUresult emu_cuGraphUpload(CUgraphExec graph, CUstream stream) {
  (void)stream;
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, graph, EMU_HANDLE_GRAPH)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  return emu_leave(process, result);
}

/* A node's handle is its place among them, from 1. */
CUresult emu_cuGraphGetNodes(CUgraph graph, void **nodes, size_t *count) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, graph, EMU_HANDLE_GRAPH)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && !count) result = CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; !result && nodes && i < *count; i++)
    nodes[i] = i < graph->count ? (void *)(uintptr_t)(i + 1) : NULL;
  if (!result && (!nodes || *count > graph->count)) *count = graph->count;
  return emu_leave(process, result);
}

CUresult emu_cuGraphExecDestroy(CUgraphExec graph) {
  return destroy(graph, EMU_HANDLE_GRAPH);
}

CUresult emu_cuGraphDestroy(CUgraph graph) {
  emu_process *process = emu_lock();
  bool taking = emu_handle_is(process, graph, EMU_HANDLE_GRAPH) && graph->taking;
  emu_leave(process, CUDA_SUCCESS);
  return taking ? CUDA_ERROR_INVALID_VALUE : destroy(graph, EMU_HANDLE_GRAPH);
}

/* ---- Events ----------------------------------------------------------------------------- */

CUresult emu_cuEventCreate(CUevent *event, unsigned flags) {
  (void)flags;
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !event) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    *event = emu_handle_new(process, EMU_HANDLE_EVENT, sizeof **event);
    if (!*event) result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return emu_leave(process, result);
}

CUresult emu_cuEventDestroy(CUevent event) {
  return destroy(event, EMU_HANDLE_EVENT);
}

CUresult emu_cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  (void)flags;
  emu_process *process;
  struct timespec now;
  CUresult result = emu_enter(&process);
  if (!result &&
      (!emu_handle_is(process, event, EMU_HANDLE_EVENT) || !is_stream(process, stream))) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result) {
    if (!capture_of(stream)) part(process, stream);
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->recorded = true;
    event->nanoseconds = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
  }
  return emu_leave(process, result);
}

CUresult emu_cuEventRecord(CUevent event, CUstream stream) {
  return emu_cuEventRecordWithFlags(event, stream, 0);
}

CUresult emu_cuEventSynchronize(CUevent event) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result && !emu_handle_is(process, event, EMU_HANDLE_EVENT)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result) emu_settle(process);
  return emu_leave(process, result);
}

CUresult emu_cuEventQuery(CUevent event) {
  return emu_cuEventSynchronize(event);
}

CUresult emu_cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  emu_process *process;
  CUresult result = emu_enter(&process);
  if (!result &&
      (!emu_handle_is(process, start, EMU_HANDLE_EVENT) ||
       !emu_handle_is(process, end, EMU_HANDLE_EVENT) || !start->recorded || !end->recorded)) {
    result = CUDA_ERROR_INVALID_HANDLE;
  }
  if (!result && !milliseconds) result = CUDA_ERROR_INVALID_VALUE;
  if (!result) {
    *milliseconds = (float)((double)(int64_t)(end->nanoseconds - start->nanoseconds) * 1e-6);
  }
  return emu_leave(process, result);
}

CUresult emu_cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  return emu_cuEventElapsedTime(milliseconds, start, end);
}
