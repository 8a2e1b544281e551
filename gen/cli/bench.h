/* Measures one case of `gemmgen bench`: our kernels, cuBLASLt and the tensor cores' ceiling take
 * turns on the same operands. */
#ifndef GG_CLI_BENCH_H
#define GG_CLI_BENCH_H

#include "cli/bench_epilogue.h"
#include "cli/cases.h"
#include "cublaslt.h"
#include "gemmgen_gemm.h"
#include "timing.h"

typedef struct bench_rig {
  gg_context *context;
  gg_cublaslt *lt; /* NULL: cuBLASLt is not measured */
  bool ceiling;
  bool overlap; /* whether our launches may overlap the one before */
  uint64_t seed;
  gg_timing_options timing;
} bench_rig;

typedef struct bench_figure {
  double tflops; /* 0: not measured */
  bool right;    /* its result agreed with the reference */
  double max_error;
} bench_figure;

/* The kernels that take part. Each of them computes the case, and all have the same epilogue. */
typedef struct bench_entry {
  const cli_case *c;
  const gg_kernel *const *kernels;
  gg_module *const *modules;
  int count;
  const bench_epilogue
      *epilogue;         /* the kernels'; NULL: they are measured beside the bare product */
  const gg_module *bare; /* our kernel of the bare product; NULL: none, or the first is */
} bench_entry;

typedef struct bench_result {
  bench_figure *ours; /* one for each kernel */
  bench_figure lt_first, lt_best;
  bench_figure bare, lt_bare; /* with an epilogue: the bare product, by our kernel and by cuBLASLt's
                               * first choice */
  double separate;            /* TFLOP/s of our bare product followed by a kernel that only moves
                               * the epilogue's bytes; 0: not measured */
  int lt_index;               /* number of the best candidate */
  gg_error lt_obstacle;       /* why cuBLASLt does not compute the case; GG_OK: it does */
  double ceiling;             /* TFLOP/s; 0: not measured */
  int sets;                   /* how many sets of operands are used in rotation */
} bench_result;

/* Measures the case. Free the result with bench_result_free. */
gg_status bench_case(bench_result *out, const bench_rig *rig, const bench_entry *entry,
                     gg_error *err);
void bench_result_free(bench_result *result);

/* Lets gg_gemm choose the case's kernel by measuring while it is in use, on the operands of
 * bench_case. Launches the product until gg_gemm has decided, or for two minutes (then
 * out->measuring is still set). `entry` has one kernel of the form. */
gg_status bench_decide(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                       const bench_rig *rig, const bench_entry *entry, gg_error *err);

/* How many sets of operands of `bytes` each to rotate, at least 1: enough that together they are
 * larger than twice the L2, as far as half of `available` bytes of memory allows. */
int bench_set_count(int64_t bytes, int64_t l2_bytes, int64_t available);

#endif
