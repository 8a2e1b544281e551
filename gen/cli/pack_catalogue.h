/* `gemmgen pack --catalogue`: a pack of gg_gemm's kernels for some forms on one architecture
 * (runtime/pack_file.h). */
#ifndef GG_CLI_PACK_CATALOGUE_H
#define GG_CLI_PACK_CATALOGUE_H

#include "cli/cli.h"

typedef struct cli_catalogue_pack {
  const char *form;       /* --form; the operands are more of them */
  const char *problem;    /* NULL: any product */
  const char *epilogue;   /* text; NULL: none */
  const char *arch, *out; /* one architecture; a path */
  bool all;               /* every kernel, not those alone that are chosen */
  bool ptx;               /* PTX for the emulator, too */
  int64_t threads;        /* 0: one a core */
} cli_catalogue_pack;

/* Gives an exit code. */
int cli_pack_catalogue(const cli_catalogue_pack *given, int argc, char **argv);

#endif
