/* One case of `gemmgen bench`, measured: our kernels, cuBLASLt and the ceiling take turns. */
#ifndef GG_CLI_BENCH_H
#define GG_CLI_BENCH_H

#include "cli/bench_epilogue.h"
#include "cli/cases.h"
#include "cublaslt.h"
#include "gemmgen_gemm.h"
#include "timing.h"

typedef struct bench_rig {
  gg_context *context;
  gg_cublaslt *lt; /* NULL: none */
  bool ceiling;
  bool overlap; /* of our launches */
  uint64_t seed;
  gg_timing_options timing;
} bench_rig;

typedef struct bench_figure {
  double tflops; /* 0: not measured */
  bool right;    /* agreed with the reference */
  double max_error;
} bench_figure;

/* What takes part. Every kernel covers the case, and all have the same epilogue. */
typedef struct bench_entry {
  const cli_case *c;
  const gg_kernel *const *kernels;
  gg_module *const *modules;
  int count;
  const bench_epilogue
      *epilogue;         /* the kernels'; NULL: they are measured beside the bare product */
  const gg_module *bare; /* ours of the bare product; NULL: none, or it is the first */
} bench_entry;

typedef struct bench_result {
  bench_figure *ours; /* one a kernel */
  bench_figure lt_first, lt_best;
  bench_figure bare, lt_bare; /* beside an epilogue: the products without it, by our kernel and by
                                 cuBLASLt's first choice */
  double separate;            /* TFLOP/s of our bare product and, behind it, the memory traffic of
                                 the epilogue in a kernel of its own; 0: not measured */
  int lt_index;               /* of the best candidate */
  gg_error lt_obstacle;       /* why cuBLASLt does not compute it; of code GG_OK: it does */
  double ceiling;             /* TFLOP/s; 0: not measured */
  int sets;                   /* of operands, in rotation */
} bench_result;

/* Free with bench_result_free. */
gg_status bench_case(bench_result *out, const bench_rig *rig, const bench_entry *entry,
                     gg_error *err);
void bench_result_free(bench_result *result);

/* What gg_gemm chooses for the case by measuring its kernels at work, on the operands of
 * bench_case: launches the product until that is decided, or for two minutes (out->measuring).
 * `entry` has one kernel of the form. */
gg_status bench_decide(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                       const bench_rig *rig, const bench_entry *entry, gg_error *err);

/* How many sets of `bytes` to rotate: enough that together they pass twice the L2, as far as half
 * of `available` memory goes; at least 1. */
int bench_set_count(int64_t bytes, int64_t l2_bytes, int64_t available);

#endif
