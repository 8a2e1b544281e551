/* What a gg_context is made of, and what the library does with it. */
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
  struct gg_compiler *compiler; /* NULL if libgemmgen-launch opened the context */
  void (*close_compiler)(struct gg_compiler *compiler);
  pthread_mutex_t gpcs_lock; /* of what follows */
  bool gpcs_known;
  gg_gpcs gpcs;
};

/* Opens a context without a compiler, on a driver whose table is already filled. It owns the driver
 * then, also on failure. */
gg_status gg_context_open_device(gg_context **out, gg_driver *driver, int ordinal, gg_error *err);

/* gg_context_open on a driver whose table is already filled. It owns the driver, also on failure.
 */
gg_status gg_context_open_on(gg_context **out, gg_driver *driver, const gg_context_options *options,
                             gg_error *err);

/* Makes the context current for this thread, and the one that was current before current again. */
gg_status gg_context_enter(const gg_context *context, gg_error *err);
void gg_context_leave(const gg_context *context);

/* If a stream is captured in a mode that forbids some calls to all threads, such a call breaks the
 * capture, even if it changes nothing that is captured. The thread may make them after
 * gg_capture_allow, until gg_capture_forbid gets what that returned. */
int gg_capture_allow(const gg_context *context);
void gg_capture_forbid(const gg_context *context, int before);

/* The address and the bytes of a variable of the module's text on its device. */
gg_status gg_module_variable(uint64_t *address, size_t *bytes, const gg_module *module,
                             const char *name, gg_error *err);

#endif
