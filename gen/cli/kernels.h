/* Generates the kernels of specs from the command line, for the commands that drive a device. */
#ifndef GG_CLI_KERNELS_H
#define GG_CLI_KERNELS_H

#include "cli/cli.h"
#include "gemmgen_runtime.h"

typedef struct cli_kernels {
  gg_kernel **list;
  size_t count;
} cli_kernels;

/* Which texts of each spec's kernel are wanted: CUDA C++, which NVRTC compiles; PTX from a
 * template; or both, in that order. */
typedef enum cli_texts { CLI_TEXT_CU = 1, CLI_TEXT_PTX = 2 } cli_texts;

#define CLI_EMIT_OPTION(type, member)                                                              \
  {                                                                                                \
    "emit", 0, CLI_STRING, offsetof(type, member), "LIST",                                         \
        "by which text: cu (default), by NVRTC; ptx, of a template; cu,ptx: by both"               \
  }

/* Reads a list of texts: "cu", "ptx", both separated by a comma; NULL means "cu". Returns an exit
 * code. */
int cli_texts_read(unsigned *out, const char *list);

/* Generates every kernel of the spec files in the wanted texts. Failures are reported on stderr as
 * by cli_specs_each; they include a kernel that only PTX is wanted of and that has no template.
 * Returns an exit code. With `keep_going`, the list may hold kernels even where others failed. Free
 * with cli_kernels_free in any case. */
int cli_kernels_load(cli_kernels *out, int count, char **paths, unsigned texts, bool keep_going);
void cli_kernels_free(cli_kernels *kernels);

/* A problem's extents and scalars as options. They are texts, so that 0 differs from an option that
 * was not given. */
typedef struct cli_shape {
  const char *m, *n, *k, *l, *alpha, *beta;
} cli_shape;

#define CLI_EXTENT_OPTIONS(type, member)                                                           \
  {"m", 'm', CLI_STRING, offsetof(type, member.m), "M", "rows of A and D (1024)"},                 \
      {"n", 'n', CLI_STRING, offsetof(type, member.n), "N", "rows of B, columns of D (1024)"},     \
      {"k", 'k', CLI_STRING, offsetof(type, member.k), "K", "the summed extent (1024)"}, {         \
    "l", 'l', CLI_STRING, offsetof(type, member.l), "L", "the batch (1)"                           \
  }

/* Reads the options into *out's extents, alpha and beta. An extent that is not given is what
 * `kernel` (which may be NULL) fixes, else 1024, or 1 for the batch; alpha is 1 and beta 0. Returns
 * an exit code. */
int cli_shape_read(gg_problem *out, const cli_shape *shape, const gg_kernel *kernel);

#endif
