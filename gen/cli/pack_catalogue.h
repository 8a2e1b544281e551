/* `gemmgen pack --catalogue`: writes a pack file (runtime/pack_file.h) of kernels for gg_gemm, for
 * some forms on one architecture. */
#ifndef GG_CLI_PACK_CATALOGUE_H
#define GG_CLI_PACK_CATALOGUE_H

#include "cli/cli.h"

typedef struct cli_catalogue_pack {
  const char *form;       /* the value of --form; operands of the command are further forms */
  const char *problem;    /* NULL: products of all sizes */
  const char *epilogue;   /* text of an epilogue; NULL: none */
  const char *arch, *out; /* one architecture; the path to write */
  bool all;               /* every kernel of the form, not only those that would be chosen */
  bool ptx;               /* also PTX, for the emulator */
  int64_t threads;        /* 0: one for each core */
} cli_catalogue_pack;

/* Writes the pack. `argv`: the command's operands. Returns an exit code. */
int cli_pack_catalogue(const cli_catalogue_pack *given, int argc, char **argv);

#endif
