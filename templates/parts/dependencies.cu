// In a launch that may begin before the one ahead of it has ended: waits for that end, and says
// that the next one may begin. In any other launch neither does anything.
__device__ __forceinline__ void await_dependencies() {
  if constexpr (traced) stamp<trace_await_launch>(0);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if constexpr (traced) stamp<trace_go>(0);
}

__device__ __forceinline__ void launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
