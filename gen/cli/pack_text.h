/* A pack as C: kernels that were compiled, what a launch knows of them, and a function for each. */
#ifndef GG_CLI_PACK_TEXT_H
#define GG_CLI_PACK_TEXT_H

#include "gemmgen_runtime.h"
#include "spec/spec.h"

/* What a text was compiled to: for several architectures, as cubin and PTX. */
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
  const char *name; /* what every identifier begins with, and both files */
  cli_packed *kernels;
  size_t count;
  cli_images packer; /* of scale factors; none where no kernel has them */
} cli_pack;

/* Appends the whole text of NAME.h, and of NAME.c. */
void cli_pack_write_header(gg_str *out, const cli_pack *pack);
void cli_pack_write_source(gg_str *out, const cli_pack *pack);

/* The functions that the header declares: `part` of them of one kernel, NAME_, NAME_kernel_ and
 * NAME_module_ before its own name; and those of the whole pack, NULL behind the last. */
enum { CLI_PACK_FUNCTIONS = 3 };
void cli_pack_function(gg_str *out, const cli_pack *pack, int part, const char *kernel);
const char *cli_pack_whole_function(const cli_pack *pack, size_t index);

#endif
