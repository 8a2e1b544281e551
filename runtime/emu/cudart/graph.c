/* Graphs that are made node by node: each node's work is captured into the graph.
 *
 * A graph is a list (driver/stream.c), and a node comes behind those that it depends on, as they
 * are there before it. A node's handle is its place in that list. */
#include "emu/cudart/runtime.h"

static size_t length_of(CUgraph graph) {
  size_t count = 0;
  cuGraphGetNodes(graph, NULL, &count);
  return count;
}

static bool known(const rt_node *nodes, size_t count, size_t length) {
  for (size_t i = 0; i < count; i++)
    if (!nodes || (uintptr_t)nodes[i] - 1 >= length) return false;
  return true;
}

static void do_nothing(void *user) {
  (void)user;
}

/* What is put on the stream until finish() is the node's work. */
static int begin(CUstream *stream, CUgraph graph, const rt_node *after, size_t count) {
  size_t length;
  int result = cuGraphGetNodes(graph, NULL, &length);
  if (result) return result;
  if (!known(after, count, length))
    return rt_refuse(CUDA_ERROR_INVALID_VALUE, "a dependency that is no node of the graph");
  result = cuStreamCreate(stream, 0);
  if (result) return result;
  result = cuStreamBeginCaptureToGraph(*stream, graph, NULL, NULL, 0, 0);
  if (result) cuStreamDestroy(*stream);
  return result;
}

/* `before`: the graph's length at begin(). Work of no bytes is a node, too. */
static int finish(rt_node *out, CUgraph graph, CUstream stream, size_t before, int result) {
  if (!result && length_of(graph) == before) result = cuLaunchHostFunc(stream, do_nothing, NULL);
  int ended = cuStreamEndCapture(stream, &graph);
  cuStreamDestroy(stream);
  if (result || ended) return result ? result : ended;
  if (out) *out = (rt_node)length_of(graph);
  return CUDA_SUCCESS;
}

int rt_add_kernel(rt_node *out, CUgraph graph, const rt_node *after, size_t count,
                  const rt_kernel_node *node) {
  CUstream stream;
  if (!node) return CUDA_ERROR_INVALID_VALUE;
  if (node->extra)
    return rt_refuse(CUDA_ERROR_NOT_SUPPORTED, "a kernel node's arguments come as kernelParams");
  size_t before = length_of(graph);
  int result = begin(&stream, graph, after, count);
  if (result) return result;
  result = rt_launch(node->host, node->grid, node->block, node->arguments, node->smem_bytes, stream,
                     false);
  return finish(out, graph, stream, before, result);
}

int rt_add_copy(rt_node *out, CUgraph graph, const rt_node *after, size_t count,
                const rt_box_copy *copy) {
  CUstream stream;
  size_t before = length_of(graph);
  int result = begin(&stream, graph, after, count);
  return result ? result : finish(out, graph, stream, before, rt_copy_box(copy, stream, false));
}

int rt_add_copy_line(rt_node *out, CUgraph graph, const rt_node *after, size_t count, void *to,
                     const void *from, size_t bytes, int kind) {
  CUstream stream;
  size_t before = length_of(graph);
  int result = begin(&stream, graph, after, count);
  if (result) return result;
  return finish(out, graph, stream, before, rt_copy(to, from, bytes, kind, stream, false));
}

static int fill(const rt_fill_node *node, CUstream stream) {
  CUdeviceptr to = (uintptr_t)node->to;
  bool one = node->height == 1;
  switch (node->element) {
  case 1:
    return one ? cuMemsetD8Async(to, (unsigned char)node->value, node->width, stream)
               : cuMemsetD2D8Async(to, node->pitch, (unsigned char)node->value, node->width,
                                   node->height, stream);
  case 2:
    return one ? cuMemsetD16Async(to, (unsigned short)node->value, node->width, stream)
               : cuMemsetD2D16Async(to, node->pitch, (unsigned short)node->value, node->width,
                                    node->height, stream);
  case 4:
    return one ? cuMemsetD32Async(to, node->value, node->width, stream)
               : cuMemsetD2D32Async(to, node->pitch, node->value, node->width, node->height,
                                    stream);
  default:
    return rt_refuse(CUDA_ERROR_INVALID_VALUE, "elements of %u bytes: 1, 2 or 4", node->element);
  }
}

int rt_add_fill(rt_node *out, CUgraph graph, const rt_node *after, size_t count,
                const rt_fill_node *node) {
  CUstream stream;
  if (!node) return CUDA_ERROR_INVALID_VALUE;
  size_t before = length_of(graph);
  int result = begin(&stream, graph, after, count);
  return result ? result : finish(out, graph, stream, before, fill(node, stream));
}

int rt_add_call(rt_node *out, CUgraph graph, const rt_node *after, size_t count,
                const rt_call_node *node) {
  CUstream stream;
  rt_call_node empty = {do_nothing, NULL};
  if (!node) node = &empty;
  size_t before = length_of(graph);
  int result = begin(&stream, graph, after, count);
  if (result) return result;
  return finish(out, graph, stream, before, cuLaunchHostFunc(stream, node->function, node->user));
}

int rt_add_order(CUgraph graph, const rt_node *from, const rt_node *to, size_t count) {
  size_t length;
  int result = cuGraphGetNodes(graph, NULL, &length);
  if (result) return result;
  if (!known(from, count, length) || !known(to, count, length)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    if ((uintptr_t)from[i] < (uintptr_t)to[i]) continue;
    return rt_refuse(CUDA_ERROR_NOT_SUPPORTED,
                     "the emulator runs a graph's nodes in the order in which they were added: a "
                     "node cannot depend on one that was added after it");
  }
  return CUDA_SUCCESS;
}
