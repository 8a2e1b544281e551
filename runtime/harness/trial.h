/* One problem with memory: random operands, poison around and in the output, the launch, the
 * verdict.
 *
 * Every operand lies in an allocation of its own, between guard zones. All bytes that are no
 * element of an operand that is read are 0xff: NaN, in every floating-point type that has one, so
 * that reading one shows in the result; but for what pads the last scale factors of a row along K,
 * which is 0. C is all NaN when beta is 0. D, and what the epilogue stores beside it,
 * start as 0xff throughout: what is not written shows, and so does what is written elsewhere. The
 * largest magnitude that an epilogue keeps starts as 0. */
#ifndef GG_HARNESS_TRIAL_H
#define GG_HARNESS_TRIAL_H

#include "context.h"
#include "inputs.h"
#include "reference.h"

enum { GG_TRIAL_POISON = 0xff };
enum {
  GG_TRIAL_SHARES_A = 1,
  GG_TRIAL_SHARES_B = 2,
  GG_TRIAL_SHARES_C = 4,
  GG_TRIAL_SHARES_EXTRAS = 8, /* that the epilogue reads */
};

/* Why the harness cannot try a kernel, or NULL. */
const char *gg_trial_obstacle(const gg_kernel *kernel);

/* What the operands of any number of trials of a kernel are filled from. */
typedef struct gg_trial_inputs {
  gg_inputs a, b, c;
  gg_inputs scale_a, scale_b;          /* of a kernel that has factors */
  gg_inputs extras[GG_OPERATIONS_MAX]; /* of the epilogue's operations that read something */
  bool integers;
} gg_trial_inputs;

/* `k`: the largest of the trials, for the range of GG_INPUTS_INTEGERS. */
gg_status gg_trial_inputs_make(gg_trial_inputs *out, const gg_kernel *kernel, gg_input_kind kind,
                               int64_t k, uint64_t seed, gg_error *err);
void gg_trial_inputs_free(gg_trial_inputs *inputs);

typedef struct gg_trial_buffer {
  unsigned char *host;
  uint64_t device;
  int64_t lead, bytes; /* before the first element; in all */
} gg_trial_buffer;

typedef struct gg_trial {
  gg_context *context;
  const gg_kernel *kernel;
  gg_problem problem;
  bool integers, in_place, beside;
  int clusters;
  gg_trial_buffer a, b, c, d;                /* in place c is on the host alone */
  gg_trial_buffer scale_a, scale_b, scale_d; /* of a kernel that has factors */
  gg_trial_buffer dense, metadata; /* of a sparse A or B: of its zeros, too, on the host alone */
  uint64_t workspace;              /* of gg_trial_provide */
  uint64_t scalars;                /* alpha and beta, where the kernel reads them */
  uint64_t arrays[4]; /* of addresses of A, B, C and D, where the kernel takes such: the device has
                         the matrices in another order than the host */
  gg_trial_buffer extras[GG_OPERATIONS_MAX]; /* of operations that have an operand */
} gg_trial;

typedef struct gg_trial_options {
  int64_t padding;    /* of each row, in units of the operand's alignment */
  bool least_aligned; /* to what the kernel asks for and no more; else to 256 bytes */
  bool bare;          /* what is read has no guard zone: who reads on leaves the allocation */
  bool pack_scales;   /* factors come as rows, which the device brings to their layout */
  bool without_c;     /* no memory for it: beta is 0 */
  bool in_place;      /* C is D, where it lies as D does and beta is not 0: the first launch and one
                         as poisoned read a fresh C, the next reads what that has written */
  int64_t shift;      /* where in the inputs the operands start */
  unsigned shared; /* GG_TRIAL_SHARES_*: of which all batches read one, a stride of 0; but for what
                      is sparse, or where arrays of addresses say */
  int clusters; /* that compute all tiles of a persistent kernel; 0: as many as the device holds */
  bool beside;  /* in the emulator: a launch ahead, which need not have ended, has touched all that
                   the kernel may touch (ahead.h) */
} gg_trial_options;

/* What the host's reference reads. */
gg_host_inputs gg_trial_host_inputs(const gg_trial *trial);

/* Takes extents, alpha, beta and overlap of `shape`. Close with gg_trial_close. */
gg_status gg_trial_open(gg_trial *out, gg_context *context, const gg_kernel *kernel,
                        const gg_problem *shape, const gg_trial_options *options,
                        const gg_trial_inputs *inputs, gg_error *err);
void gg_trial_close(gg_trial *trial);

/* The problem's workspace for a module, counters zero. Every launch of it but gg_trial_run's is
 * preceded by this, once. */
gg_status gg_trial_provide(gg_trial *trial, const gg_module *module, gg_error *err);

/* Reads D, or what the epilogue stores, into the host's copy, each matrix in its place. */
gg_status gg_trial_read(gg_trial *trial, gg_trial_buffer *buffer, const gg_view *view,
                        gg_error *err);

/* Bytes on the device. */
int64_t gg_trial_bytes(const gg_trial *trial);

/* The bare product of a trial's operands: of `product`, the trial's kernel without operations. It
 * has the trial's memory; but for its D where a gate leaves half of the columns. Close with
 * gg_trial_product_close before the trial. */
gg_status gg_trial_product_open(gg_trial *out, const gg_trial *of, const gg_kernel *product,
                                gg_error *err);
void gg_trial_product_close(gg_trial *product, const gg_trial *of);

/* Frees the host's copies of A, B and C; the host reference and C then have nothing to read. What
 * the epilogue reads stays. */
void gg_trial_drop_inputs(gg_trial *trial);

/* Poisons what the kernel writes; a D that is its C becomes that C again. */
gg_status gg_trial_poison(gg_trial *trial, gg_error *err);

/* Poisons, launches, waits. */
gg_status gg_trial_run(gg_trial *trial, const gg_module *module, struct CUstream_st *stream,
                       gg_error *err);

/* What an element is of that no operation stored. */
enum { GG_WORST_IS_D = -1, GG_WORST_IS_FACTOR = -2 /* of the block that begins there */ };

typedef struct gg_verdict {
  int64_t checked, failed; /* elements, of D, of what is stored beside it, and factors */
  int64_t unwritten;       /* elements that still are poison */
  int64_t stray;           /* bytes written outside elements */
  int64_t first_stray;     /* the first of them, in bytes from the matrix's first element */
  double max_error, mean_error;
  struct {
    int operation; /* that stored it, or one of these */
    int64_t batch, row, col;
    double got, want, bound;
  } worst; /* the element that comes closest to its bound, or lies farthest beyond it */
} gg_verdict;

bool gg_verdict_passed(const gg_verdict *verdict);

/* Reads back what the kernel wrote, and compares. */
gg_status gg_trial_check(gg_verdict *out, gg_trial *trial, const gg_sample *sample,
                         const gg_reference *reference, gg_error *err);

#endif
