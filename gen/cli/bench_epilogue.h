/* The words of `gemmgen bench --epilogue`: what each means in a spec and to cuBLASLt. */
#ifndef GG_CLI_BENCH_EPILOGUE_H
#define GG_CLI_BENCH_EPILOGUE_H

#include "cli/cases.h"
#include "cublaslt.h"

/* Where C lies: there is none, in memory of its own, or in D's place. */
typedef enum bench_c { BENCH_C_NONE, BENCH_C_APART, BENCH_C_IN_PLACE } bench_c;

/* Which scales there are: those of A and B, for operands of 8-bit floats, and also that of a D of
 * 8-bit floats. */
typedef enum bench_scales { BENCH_SCALES_NONE, BENCH_SCALES_AB, BENCH_SCALES_D } bench_scales;

typedef struct bench_epilogue {
  const char *word;
  const char *operations; /* the text behind a spec's `epilogue:`. @ stands for the mode that a bias
                           * runs along, % for its type, $ for the type of a C. NULL: the epilogue
                           * of a spec that has none */
  bench_c c;
  bench_scales scales;
  bool gates;                    /* D has half as many columns as the product */
  gg_cublaslt_epilogue cublaslt; /* GG_CUBLASLT_PRODUCT: cuBLASLt has no such epilogue, and computes
                                  * the product */
  const char *cublaslt_name;
} bench_epilogue;

/* The table ends with a row whose word is NULL. */
extern const bench_epilogue bench_epilogues[];

/* The value of beta. It is less than 1, so that a D that is its own C stays bounded however often
 * the kernel is launched. */
#define BENCH_BETA 0.5f

enum { BENCH_EPILOGUES_MAX = 32 };

/* Reads words separated by commas; a repeated word counts once. On failure *out is NULL-terminated
 * but incomplete, and the message has been printed. Returns an exit code. */
int bench_epilogues_read(const bench_epilogue *out[BENCH_EPILOGUES_MAX], const char *list);

/* Makes the case's form with the epilogue. The epilogue's text is appended to `text`, and the form
 * points to it. False where the case cannot have this epilogue; `why` then says so. */
bool bench_epilogue_form(gg_form *out, gg_str *text, gg_str *why, const bench_epilogue *epilogue,
                         const cli_case *c);

/* Whether a kernel has the epilogue of the form, with the same types. If the form's epilogue has no
 * text, a kernel that could take a C but is given none counts too. `why` says what differs. */
bool bench_epilogue_is(const gg_kernel *kernel, const gg_form *form, gg_str *why);

#endif
