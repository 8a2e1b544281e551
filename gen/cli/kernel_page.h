/* `gemmgen explain --html`, and the comparison of two kernels. */
#ifndef GG_CLI_KERNEL_PAGE_H
#define GG_CLI_KERNEL_PAGE_H

#include "cli/kernels.h"
#include "cli/specs.h"
#include "page/page.h"
#include "pipeline.h"

/* One kernel, with everything that is made on the way to it. */
typedef struct cli_made {
  cli_specs specs; /* the file that it was read from */
  gg_compilation compilation;
  gg_report report;
  gg_kernel *kernel;
  gg_binary *ptx; /* NULL: there is no PTX */
  gg_error why;   /* why there is none */
} cli_made;

/* Makes the kernel of a spec file that has exactly one. `option`: the option that needs it, for
 * messages. Reports failures; returns an exit code. Free with cli_made_free in any case. */
int cli_made_load(cli_made *out, const char *option, int count, char **paths);
void cli_made_free(cli_made *made);

/* Compares two kernels. Reports failures; returns an exit code. Free with gg_comparison_free in any
 * case. */
int cli_compare(gg_comparison *out, const cli_made *a, const cli_made *b);

typedef struct cli_page_options {
  const char *out; /* NULL: standard output */
  bool run;        /* run the kernel in the emulator */
  cli_shape shape;
  const char *element; /* "ROW K", the element of A to follow; NULL: a default */
  const char *other;   /* path of the spec to compare with; NULL: none */
} cli_page_options;

/* Writes the page of the only spec in the files. Returns an exit code. */
int cli_kernel_page(const cli_page_options *given, int count, char **paths);

#endif
