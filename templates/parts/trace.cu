
// ---- The trace: what each warp does, and when ---------------------------------------------------

// A stamp: the low half of the clock, and an event, whose upper 8 bits say what happens and whose
// lower 24 bits say where.
struct trace_stamp {
  unsigned clock, event;
};

// What a warp notes at its beginning and end. By the timer and the clock of both, clocks of
// different multiprocessors can be compared. `end` is the place behind its last stamp; stamps whose
// place is not below stamp_count have not been written.
struct trace_warp {
  unsigned long long timer_begin, clock_begin, timer_end, clock_end;
  unsigned multiprocessor, shared_memory, end, unused;
};

// Whoever loads the kernel sets where stamps go. Stamp i of warp w, counted through all CTAs, goes
// to stamps[i * warp_count + w]. While the counts are 0, as at first, nothing is stamped.
struct trace_memory {
  trace_warp *warps;
  trace_stamp *stamps;
  unsigned warp_count, stamp_count;
};

__constant__ trace_memory gemmgen_trace;

constexpr unsigned trace_done = 0x7fffffff;  // the place of no stamp: beyond every memory's end

//@ insert trace_events

__device__ __forceinline__ unsigned long long trace_clock() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ unsigned long long trace_timer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ unsigned trace_warp_index() {
  return blockIdx.x * (threads / 32) + threadIdx.x / 32;
}

// Only a warp's first lane stamps. The place of its next stamp is in a register that inline PTX
// declares. A variable would have to be passed to every function that stamps.
__device__ __forceinline__ void trace_begin(unsigned smem) {
  asm volatile(".reg .b32 trace_at;\n\tmov.b32 trace_at, %0;" ::"n"(trace_done) : "memory");
  const unsigned warp = trace_warp_index();
  if (threadIdx.x % 32 != 0 || warp >= gemmgen_trace.warp_count) return;
  trace_warp *const of = gemmgen_trace.warps + warp;
  of->shared_memory = smem;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(of->multiprocessor));
  asm volatile("mov.b32 trace_at, %0;" ::"r"(warp) : "memory");
  of->timer_begin = trace_timer();
  of->clock_begin = trace_clock();
}

__device__ __forceinline__ void trace_end() {
  const unsigned warp = trace_warp_index();
  if (threadIdx.x % 32 != 0 || warp >= gemmgen_trace.warp_count) return;
  trace_warp *const of = gemmgen_trace.warps + warp;
  of->timer_end = trace_timer();
  of->clock_end = trace_clock();
  asm volatile("mov.b32 %0, trace_at;" : "=r"(of->end));
}

// There is no branch here, so that code with MMAs under way stays one basic block.
template <unsigned what>
__device__ __forceinline__ void stamp(unsigned where) {
  asm volatile(
      "{ .reg .pred fits;\n\t"
      ".reg .b32 now, event;\n\t"
      ".reg .b64 to;\n\t"
      "setp.lt.u32 fits, trace_at, %2;\n\t"
      "mad.wide.u32 to, trace_at, 8, %4;\n\t"
      "bfi.b32 event, %0, %1, 24, 8;\n\t"
      "mov.u32 now, %%clock;\n\t"
      "@fits st.global.v2.b32 [to], {now, event};\n\t"
      "add.u32 trace_at, trace_at, %3;\n\t"
      "min.u32 trace_at, trace_at, %5; }" ::"n"(what),
      "r"(where), "r"(gemmgen_trace.stamp_count), "r"(gemmgen_trace.warp_count),
      "l"(gemmgen_trace.stamps), "n"(trace_done)
      : "memory");
}
