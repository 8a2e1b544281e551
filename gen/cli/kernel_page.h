/* `gemmgen explain --html`, and what two kernels are compared by. */
#ifndef GG_CLI_KERNEL_PAGE_H
#define GG_CLI_KERNEL_PAGE_H

#include "cli/kernels.h"
#include "cli/specs.h"
#include "page/page.h"
#include "pipeline.h"

/* One kernel with all that is made on the way to it. */
typedef struct cli_made {
  cli_specs specs; /* the file that it is of */
  gg_compilation compilation;
  gg_report report;
  gg_kernel *kernel;
  gg_binary *ptx; /* NULL: there is none, */
  gg_error why;   /* for this reason */
} cli_made;

/* Makes the one kernel of the spec file; `option` is what needs it, for messages. Gives an exit
 * code, and reports; free with cli_made_free whatever it is. */
int cli_made_load(cli_made *out, const char *option, int count, char **paths);
void cli_made_free(cli_made *made);

/* What differs between two kernels. Gives an exit code, and reports; free with gg_comparison_free
 * whatever it is. */
int cli_compare(gg_comparison *out, const cli_made *a, const cli_made *b);

typedef struct cli_page_options {
  const char *out; /* NULL: standard output */
  bool run;        /* in the emulator */
  cli_shape shape;
  const char *element; /* "ROW K": to follow; NULL: the usual one */
  const char *other;   /* the spec to compare with; NULL: none */
} cli_page_options;

/* Writes the page of the one spec. Gives an exit code. */
int cli_kernel_page(const cli_page_options *given, int count, char **paths);

#endif
