/* `gemmgen explain --problem`. */
#ifndef GG_CLI_CHOICE_H
#define GG_CLI_CHOICE_H

#include "choice/catalogue.h"
#include "cli/products.h"

/* Prints the candidates for a product and its form on a device of `arch` (90) with `sm_count`
 * multiprocessors (0: the model's), the fastest first, and why it is that: of `specs`, or without
 * any of the catalogue. Gives an exit code. */
int cli_choice_explain(const cli_case *product, const gg_form *form, int arch, int sm_count,
                       char *const *specs, int spec_count, bool json);

#endif
