/* A pack as C source: compiled kernels, the facts that a launch needs of them, and a function for
 * each. */
#ifndef GG_CLI_PACK_TEXT_H
#define GG_CLI_PACK_TEXT_H

#include "gemmgen_runtime.h"
#include "spec/spec.h"

/* The images that one text was compiled to: for several architectures, as cubin and PTX. */
typedef struct cli_images {
  gg_binary **list;
  size_t count;
} cli_images;

typedef struct cli_packed {
  gg_kernel *kernel;
  const gg_spec *spec;
  cli_images images;
} cli_packed;

typedef struct cli_pack {
  const char *name; /* what every identifier, and the name of both files, begins with */
  cli_packed *kernels;
  size_t count;
  cli_images packer; /* of the kernel that packs scale factors; empty where none has any */
} cli_pack;

/* Append the whole text of NAME.h, and that of NAME.c. */
void cli_pack_write_header(gg_str *out, const cli_pack *pack);
void cli_pack_write_source(gg_str *out, const cli_pack *pack);

/* Append the names of the functions that the header declares. Each kernel has CLI_PACK_FUNCTIONS of
 * them, numbered by `part`: NAME_, NAME_kernel_ and NAME_module_ followed by the kernel's name. The
 * second gives those of the whole pack by index, NULL behind the last. */
enum { CLI_PACK_FUNCTIONS = 3 };
void cli_pack_function(gg_str *out, const cli_pack *pack, int part, const char *kernel);
const char *cli_pack_whole_function(const cli_pack *pack, size_t index);

#endif
