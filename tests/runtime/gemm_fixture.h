/* What the tests of gg_gemm share: one on a context of the emulator, forms and problems. */
#ifndef RUNTIME_GEMM_FIXTURE_H
#define RUNTIME_GEMM_FIXTURE_H

#include "fixture.h"
#include "gemmgen_gemm.h"

/* K-major A and B of one type, N-major C and D of another. */
gg_form gemm_form(gg_dtype in, gg_dtype out, gg_dtype accumulator);

/* One product with a row behind the other, at made-up addresses. */
gg_problem gemm_problem(int64_t m, int64_t n, int64_t k);

/* What is tuned on this machine does not count. */
gg_gemm *gemm_open(gg_context *context, gg_error *err);

/* A gg_gemm on an emulator of this architecture, as a device is numbered; 0: of what it is by
 * itself. */
typedef struct gemm_rig {
  gg_context *context;
  gg_gemm *gemm;
  gg_error err;
} gemm_rig;

gemm_rig gemm_rig_open(int arch);
void gemm_rig_close(gemm_rig *rig);

#endif
