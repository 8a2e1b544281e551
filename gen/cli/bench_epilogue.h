/* The words of `gemmgen bench --epilogue`: what each is in a spec, and in cuBLASLt. */
#ifndef GG_CLI_BENCH_EPILOGUE_H
#define GG_CLI_BENCH_EPILOGUE_H

#include "cli/cases.h"
#include "cublaslt.h"

/* Where C is, if there is one. */
typedef enum bench_c { BENCH_C_NONE, BENCH_C_APART, BENCH_C_IN_PLACE } bench_c;

/* Scales of A and B, for operands of 8-bit floats; and one of a D of these. */
typedef enum bench_scales { BENCH_SCALES_NONE, BENCH_SCALES_AB, BENCH_SCALES_D } bench_scales;

typedef struct bench_epilogue {
  const char *word;
  const char *operations; /* behind a spec's `epilogue:`; @ is the mode that a bias runs along, %
                             its type, $ that of a C. NULL: what a spec without an epilogue has */
  bench_c c;
  bench_scales scales;
  bool gates;                    /* D has half of the product's columns */
  gg_cublaslt_epilogue cublaslt; /* GG_CUBLASLT_PRODUCT: it has none, and computes the product */
  const char *cublaslt_name;
} bench_epilogue;

/* Ends with a row without a word. */
extern const bench_epilogue bench_epilogues[];

/* The factor of C: less than 1, so that a D that is its own C stays bounded launch after launch. */
#define BENCH_BETA 0.5f

enum { BENCH_EPILOGUES_MAX = 32 };

/* Reads words parted by commas, each once. On failure *out is NULL-terminated but not whole, and
 * the message has been printed. Gives an exit code. */
int bench_epilogues_read(const bench_epilogue *out[BENCH_EPILOGUES_MAX], const char *list);

/* A case's form with an epilogue, whose text is appended to `text` and is the form's own. False
 * where the case cannot have it, which `why` tells. */
bool bench_epilogue_form(gg_form *out, gg_str *text, gg_str *why, const bench_epilogue *epilogue,
                         const cli_case *c);

/* Whether a kernel's epilogue is the one of the form, type by type; of what has no text, also a
 * kernel that could take a C but gets none. */
bool bench_epilogue_is(const gg_kernel *kernel, const gg_form *form, gg_str *why);

#endif
