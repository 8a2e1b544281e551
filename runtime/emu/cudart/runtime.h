/* The CUDA runtime API over the emulator's driver API, from the inside.
 *
 * A program registers its fat binaries, kernels and variables before main; a fat binary's PTX is
 * loaded when the first of its kernels or variables is used. Results are the driver's, whose
 * numbers the runtime shares. */
#ifndef GG_EMU_CUDART_RUNTIME_H
#define GG_EMU_CUDART_RUNTIME_H

#include <stdbool.h>

#include "base/str.h"
#include "emu/cudart/types.h"

/* Results that the runtime has and the driver has not. */
enum {
  RT_INVALID_CONFIGURATION = 9,
  RT_INVALID_SYMBOL = 13,
  RT_INVALID_DIRECTION = 21,
  RT_INVALID_FUNCTION = 98,
  RT_NOT_READY = 600,
};

/* The primary context is there and current in this thread: every call but a few begins so. */
int rt_ready(void);
/* Every call ends so: a failure is what cudaGetLastError gives. */
int rt_end(int result);
/* What cudaGetErrorString will say of `result` in this thread. Gives `result`. */
int rt_refuse(int result, const char *format, ...) GG_PRINTF(2, 3);
const char *rt_message(int result);
/* cudaGetLastError and, without `reset`, cudaPeekAtLastError. */
int rt_last(bool reset);

/* The function of a kernel, the address of a variable, by what the host calls them. */
int rt_function(CUfunction *out, const void *host);
int rt_symbol(CUdeviceptr *address, size_t *bytes, const void *host);
/* The device is gone, and with it what was loaded. */
void rt_forget(void);

/* What the table of calls (calls.def) needs beyond calls of the driver. */
int rt_set_device(int device);
int rt_reset(void);
int rt_properties_of(rt_properties *out, int device);
int rt_function_attributes(rt_func_attributes *out, const void *host);
int rt_set_function_attribute(const void *host, int attribute, int value);
int rt_copy(void *to, const void *from, size_t bytes, int kind, CUstream stream, bool wait);
int rt_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind, CUstream stream, bool wait);
int rt_copy_symbol(const void *symbol, void *host, size_t bytes, size_t offset, int kind, bool to,
                   CUstream stream, bool wait);
int rt_allocate(void **out, size_t bytes);
int rt_allocate_rows(void **out, size_t *pitch, size_t width, size_t height);
int rt_no_managed(void);
int rt_copy_box(const rt_box_copy *copy, CUstream stream, bool wait);
int rt_fill_box(rt_pitched to, int value, rt_extent extent, CUstream stream, bool wait);
int rt_allocate_box(rt_pitched *out, rt_extent extent);
int rt_peer(int device, int peer);
int rt_pointer(rt_pointer_attributes *out, const void *pointer);
int rt_launch(const void *host, rt_dim3 grid, rt_dim3 block, void **arguments, size_t smem_bytes,
              CUstream stream, bool cooperative);
int rt_launch_config_of(const rt_launch_config *config, const void *host, void **arguments);
int rt_launch_function(CUfunction function, const CUlaunchConfig *config, void **arguments);
int rt_resident(int *ctas, const void *host, int threads, size_t smem_bytes);
int rt_clusters(int *out, const void *host, const rt_launch_config *config, bool size);
int rt_entry_point(const char *symbol, void **function, unsigned version, int *status);
int rt_get_device(int *out);

/* Memory pools: pools.c. No pool: the current one. */
int rt_pool_usual(rt_pool **out, int device);
int rt_pool_current(rt_pool **out, int device);
int rt_pool_choose(int device, rt_pool *pool);
int rt_pool_make(rt_pool **out);
int rt_pool_destroy(rt_pool *pool);
int rt_pool_check(rt_pool *pool);
int rt_pool_attribute(rt_pool *pool, int attribute, void *value, bool set);
int rt_pool_allocate(void **out, size_t bytes, rt_pool *pool);
int rt_free(void *pointer, CUstream stream, bool async);
void rt_pools_forget(void);

/* Graphs: graph.c. A node comes after `count` others; rt_add_call without one adds an empty node.
 */
int rt_add_kernel(rt_node *out, CUgraph graph, const rt_node *after, size_t count,
                  const rt_kernel_node *node);
int rt_add_copy(rt_node *out, CUgraph graph, const rt_node *after, size_t count,
                const rt_box_copy *copy);
int rt_add_copy_line(rt_node *out, CUgraph graph, const rt_node *after, size_t count, void *to,
                     const void *from, size_t bytes, int kind);
int rt_add_fill(rt_node *out, CUgraph graph, const rt_node *after, size_t count,
                const rt_fill_node *node);
int rt_add_call(rt_node *out, CUgraph graph, const rt_node *after, size_t count,
                const rt_call_node *node);
int rt_add_order(CUgraph graph, const rt_node *from, const rt_node *to, size_t count);

#endif
