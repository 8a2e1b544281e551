/* Specs from the command line, generated: what the commands that drive a device begin with. */
#ifndef GG_CLI_KERNELS_H
#define GG_CLI_KERNELS_H

#include "cli/cli.h"
#include "gemmgen_runtime.h"

typedef struct cli_kernels {
  gg_kernel **list;
  size_t count;
} cli_kernels;

/* Which texts of each spec's kernel are wanted: CUDA C++, which NVRTC compiles, PTX of a template,
 * or both, one behind the other. */
typedef enum cli_texts { CLI_TEXT_CU = 1, CLI_TEXT_PTX = 2 } cli_texts;

#define CLI_EMIT_OPTION(type, member)                                                              \
  {                                                                                                \
    "emit", 0, CLI_STRING, offsetof(type, member), "LIST",                                         \
        "by which text: cu (default), by NVRTC; ptx, of a template; cu,ptx: by both"               \
  }

/* "cu", "ptx", both parted by a comma, or NULL: "cu". Gives an exit code. */
int cli_texts_read(unsigned *out, const char *list);

/* Generates every kernel of the spec files in these texts; what cannot be is reported on stderr, as
 * by cli_specs_each: also where PTX alone is wanted, and there is no template. Gives an exit code,
 * with `keep_going` perhaps of what was refused beside what is in the list; free with
 * cli_kernels_free whatever it is. */
int cli_kernels_load(cli_kernels *out, int count, char **paths, unsigned texts, bool keep_going);
void cli_kernels_free(cli_kernels *kernels);

/* A problem's extents and scalars as options: texts, so that 0 can be told from nothing. */
typedef struct cli_shape {
  const char *m, *n, *k, *l, *alpha, *beta;
} cli_shape;

#define CLI_EXTENT_OPTIONS(type, member)                                                           \
  {"m", 'm', CLI_STRING, offsetof(type, member.m), "M", "rows of A and D (1024)"},                 \
      {"n", 'n', CLI_STRING, offsetof(type, member.n), "N", "rows of B, columns of D (1024)"},     \
      {"k", 'k', CLI_STRING, offsetof(type, member.k), "K", "the summed extent (1024)"}, {         \
    "l", 'l', CLI_STRING, offsetof(type, member.l), "L", "the batch (1)"                           \
  }

/* Reads them into *out's extents, alpha and beta. What is not given is what the kernel fixes (it
 * may be NULL), else 1024, batch 1, alpha 1, beta 0. Gives an exit code. */
int cli_shape_read(gg_problem *out, const cli_shape *shape, const gg_kernel *kernel);

#endif
