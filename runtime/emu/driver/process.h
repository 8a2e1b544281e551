/* What the emulated driver is made of: the process's state, handles, results.
 *
 * The CUDA driver API is a state machine of the process, and so is this: it has one lock, and one
 * device, which lives from the first context to the last. Every call begins with emu_enter and ends
 * with emu_leave. All that a call hands out (contexts, modules, streams ...) is an emu_handle in
 * one list, so that an invalid handle is recognised, and nothing outlives the device.
 *
 * Work on a stream is an emu_work. It is done before the call returns, or put into the graph to
 * which the stream is captured. A fault of a kernel is the result of every later call, as on a GPU,
 * until the device goes. */
#ifndef GG_EMU_DRIVER_PROCESS_H
#define GG_EMU_DRIVER_PROCESS_H

#include <pthread.h>

#include "emu/driver/api.h"
#include "emu/emu.h"
#include "emu/follow.h"
#include "emu/report.h"
#include "gemmgen_emu.h"

typedef enum emu_handle_kind {
  EMU_HANDLE_CONTEXT,
  EMU_HANDLE_MODULE,
  EMU_HANDLE_FUNCTION,
  EMU_HANDLE_STREAM,
  EMU_HANDLE_EVENT,
  EMU_HANDLE_GRAPH, /* also for what is instantiated from one */
  EMU_HANDLE_MEMORY,
  EMU_HANDLE_HOST, /* page-locked memory */
} emu_handle_kind;

/* The first member of each object that has a handle. */
typedef struct emu_handle {
  struct emu_handle *next;
  emu_handle_kind kind;
} emu_handle;

struct CUctx_st {
  emu_handle handle;
  unsigned flags;
};

struct CUmod_st {
  emu_handle handle;
  emu_module *module;
};

struct CUfunc_st {
  emu_handle handle;
  CUmodule module;
  emu_kernel *kernel;
  int attributes[CU_FUNC_ATTRIBUTE_MAX]; /* those that can be set */
  emu_counters counters; /* with sites after a launch that was counted; with warnings always */
};

struct CUevent_st {
  emu_handle handle;
  bool recorded;
  uint64_t nanoseconds; /* of the host's clock */
};

typedef struct emu_memory {
  emu_handle handle;
  CUdeviceptr address;
  size_t bytes;
} emu_memory;

typedef struct emu_host {
  emu_handle handle;
  void *memory;
  bool owned; /* allocated here, not registered */
} emu_host;

/* ---- Work ------------------------------------------------------------------------------- */

typedef enum emu_work_kind {
  EMU_WORK_LAUNCH,
  EMU_WORK_COPY,
  EMU_WORK_FILL,
  EMU_WORK_CALL
} emu_work_kind;

typedef struct emu_fill {
  CUdeviceptr to;
  size_t pitch, width, height; /* width in elements */
  unsigned element;            /* 1, 2 or 4 bytes */
  uint32_t value;
} emu_fill;

typedef struct emu_work {
  emu_work_kind kind;
  union {
    struct {
      CUfunction function;
      emu_launch_config config;
      unsigned char *params; /* which the work owns */
      CUstream stream;       /* on which it was launched, or captured */
    } launch;
    CUDA_MEMCPY2D copy;
    emu_fill fill;
    struct {
      void (*function)(void *);
      void *user;
    } call;
  };
} emu_work;

struct CUgraph_st {
  emu_handle handle;
  emu_work *list;
  size_t count;
  bool failed; /* whether memory ran out while it was captured */
  bool taking; /* whether a stream captures into it that did not make it */
};

/* Which of a stream's launches may still run when its next one begins. */
typedef struct emu_past {
  emu_succession launches;
  unsigned settled; /* the process's, when this was last used */
} emu_past;

struct CUstream_st {
  emu_handle handle;
  unsigned flags;
  int priority;
  CUgraph capture; /* NULL: work is done at once */
  emu_past past;
};

/* ---- The process ------------------------------------------------------------------------ */

typedef struct emu_process {
  pthread_mutex_t lock;
  bool initialised, gone; /* gone: the process is ending, and the device with it */
  emu_handle *handles;
  emu_device *device; /* NULL: no context */
  int contexts;
  CUcontext primary;
  int primary_users;
  CUresult fault;
  CUresult message_of;
  char message[2048];
  gg_emu_options options;
  bool configured;
  gg_str counters_file, trace_file, hazards; /* the options' own copies */
  emu_trace *trace;
  emu_follow *follow;          /* NULL: nothing is followed */
  gg_str text, json, warnings; /* of modules that are gone */
  gg_part_name *names;         /* for the timeline; the process owns the texts */
  size_t name_count;
  gg_str label;
  emu_past past;    /* of the default streams */
  unsigned settled; /* how often all launches of all streams were known to have ended */
} emu_process;

/* Lock the process, until emu_leave. emu_begin also requires that the driver is initialised and not
 * gone, emu_enter a current context without a fault; else the result says what is missing. */
emu_process *emu_lock(void);
CUresult emu_begin(emu_process **out);
CUresult emu_enter(emu_process **out);
CUresult emu_leave(emu_process *process, CUresult result);

/* What the environment says of the options (gg_emu_options_init). */
CUresult emu_environment(gg_emu_options *out);

/* The architecture of its device. */
int emu_process_arch(const emu_process *process);

/* What cuGetErrorString will say of `result`. */
CUresult emu_refuse(emu_process *process, CUresult result, const char *format, ...) GG_PRINTF(3, 4);
/* The result of a status; takes the error's text and clears it. A kernel's fault stays. */
CUresult emu_result(emu_process *process, gg_status status, gg_error *err);

/* Makes a zeroed object with a handle in the list; NULL when memory is out. */
void *emu_handle_new(emu_process *process, emu_handle_kind kind, size_t bytes);
/* Whether `handle` is a valid one of that kind. */
bool emu_handle_is(const emu_process *process, const void *handle, emu_handle_kind kind);
/* Takes an object off the list and frees it with all that it has. */
void emu_handle_drop(emu_process *process, void *handle);

/* Opens the device. It is made with the first context and goes with the last, with all handles. */
CUresult emu_process_open(emu_process *process);
/* When the process ends, this closes what has not been closed, and so writes its files. What runs
 * later, such as handlers that were registered before this and destructors of static objects, finds
 * that the driver is gone. */
void emu_process_at_exit(void);
void emu_process_close(emu_process *process);

/* The thread's current context; NULL: none. */
CUcontext emu_current(void);

/* A device attribute; 0 if the device does not have it. */
int emu_attribute(const emu_process *process, int attribute);

/* Does the work or captures it, and owns what it has. INVALID_HANDLE: `stream` is not a stream. */
CUresult emu_submit(emu_process *process, CUstream stream, emu_work *work);
/* Does work that the host waits for. */
CUresult emu_work_wait(emu_process *process, const emu_work *work);
void emu_work_free(emu_work *work);

/* How many CTAs of a function fit on an SM at a time. */
int emu_resident(const emu_process *process, CUfunction function, int threads, size_t smem_bytes);
/* Reads a launch's attributes into `out`; the cluster is all 0 if they do not ask for one. */
CUresult emu_read_attributes(emu_process *process, emu_launch_config *out,
                             const CUlaunchConfig *config);

CUresult emu_copy(emu_process *process, const CUDA_MEMCPY2D *copy);
CUresult emu_fill_memory(emu_process *process, const emu_fill *fill);

/* Called when the host knows that all launches have ended: later ones run beside none of them. */
void emu_settle(emu_process *process);

/* Adds the counters and warnings of a function that is about to go to those of the process. */
void emu_keep_counters(emu_process *process, CUfunction function);
/* Tells the user the warnings that have not been told yet. */
void emu_tell_warnings(emu_process *process, const emu_warnings *warnings);

#endif
