/* A rank's GPU: a gg_context, and of the driver what a gg_context does not have, which is streams
 * of a priority, events, and memory of other processes' GPUs. */
#ifndef DEVICE_H
#define DEVICE_H

#include <gemmgen/gemmgen_gemm.h>

typedef struct CUevent_st *event;
typedef struct CUstream_st *stream;

typedef struct device {
  gg_context *context;
  gg_gemm *gemm;
  const gg_device_facts *facts;
  uint64_t workspace; /* of GG_GEMM_WORKSPACE bytes, for the products on `compute` */
  stream compute;
  stream communicate; /* of the highest priority: its kernels are given the multiprocessors that
                         come free, before those of `compute` are */
} device;

/* Opens the GPU `ordinal` for this thread, whose current context it becomes. */
void device_open(device *out, int ordinal);
void device_close(device *device);

/* Ends the process where libgemmgen, or the driver, says no. */
void must(gg_status status, gg_error *err);

uint64_t device_alloc(device *device, int64_t bytes);
void device_free(device *device, uint64_t address);
void device_write(device *device, uint64_t to, const void *from, int64_t bytes);
void device_read(device *device, void *to, uint64_t from, int64_t bytes);
void device_fill(device *device, uint64_t to, unsigned char byte, int64_t bytes);
void device_wait(stream on);

event event_new(int timed);
void event_free(event event);
void event_record(event event, stream on);
void event_await(event event, stream on);        /* what is put there later waits for it */
double event_milliseconds(event from, event to); /* both have happened */

/* Memory of this GPU, as device_alloc made it, for other processes of this host: CUipcMemHandle. */
typedef struct shared_memory {
  char reserved[64];
} shared_memory;

/* 0: the driver says no. What is mapped is another GPU's. */
int device_share(shared_memory *out, uint64_t address);
int device_map(uint64_t *out, const shared_memory *shared);
void device_unmap(uint64_t address);

/* On a stream: a copy by a copy engine; a number at an address, written once all before it is
 * done; and waiting for one that is not less. */
void device_copy(uint64_t to, uint64_t from, int64_t bytes, stream on);
void device_signal(uint64_t address, uint32_t value, stream on);
void device_await(uint64_t address, uint32_t value, stream on);

#endif
