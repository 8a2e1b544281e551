/* `gemmgen explain --problem`. */
#ifndef GG_CLI_CHOICE_H
#define GG_CLI_CHOICE_H

#include "choice/catalogue.h"
#include "cli/products.h"

/* What a product is to run on. */
typedef struct cli_choice_device {
  int arch;            /* 90 */
  int sm_count;        /* multiprocessors; 0: the model's */
  int multiprocessors; /* that the launch may fill; 0: all */
} cli_choice_device;

/* Prints the candidates for a product and its form on a device, the fastest first, and why it is
 * that: of `specs`, or without any of the catalogue. Gives an exit code. */
int cli_choice_explain(const cli_case *product, const gg_form *form, cli_choice_device on,
                       char *const *specs, int spec_count, bool json);

#endif
