/* gg_context from the inside. */
#ifndef GG_RUNTIME_CONTEXT_H
#define GG_RUNTIME_CONTEXT_H

#include <pthread.h>

#include "driver.h"
#include "gpc.h"

struct gg_context {
  gg_driver driver;
  CUdevice device;
  CUcontext primary; /* retained */
  gg_device_facts facts;
  struct gg_compiler *compiler; /* NULL where libgemmgen-launch opened it */
  void (*close_compiler)(struct gg_compiler *compiler);
  pthread_mutex_t gpcs_lock; /* of what follows */
  bool gpcs_known;
  gg_gpcs gpcs;
};

/* A context on a driver that is already filled, without a compiler; takes the driver over, also on
 * failure. */
gg_status gg_context_open_device(gg_context **out, gg_driver *driver, int ordinal, gg_error *err);

/* gg_context_open on a driver that is already filled; takes it over, also on failure. */
gg_status gg_context_open_on(gg_context **out, gg_driver *driver, const gg_context_options *options,
                             gg_error *err);

/* Makes the context current for this thread, and the one that was before current again. */
gg_status gg_context_enter(const gg_context *context, gg_error *err);
void gg_context_leave(const gg_context *context);

/* Calls that would break a capture of any other stream, begun in a mode that forbids them to all
 * threads, though they change nothing that is captured: the thread may make them from
 * gg_capture_allow on, until gg_capture_forbid gets what that gave. */
int gg_capture_allow(const gg_context *context);
void gg_capture_forbid(const gg_context *context, int before);

/* Where a variable of the module's text lies on its device, and how long it is. */
gg_status gg_module_variable(uint64_t *address, size_t *bytes, const gg_module *module,
                             const char *name, gg_error *err);

#endif
