/* `gemmgen explain --problem`. */
#ifndef GG_CLI_CHOICE_H
#define GG_CLI_CHOICE_H

#include "choice/catalogue.h"
#include "cli/products.h"

/* The device that a product is to run on. */
typedef struct cli_choice_device {
  int arch;            /* the number of the architecture, such as 90 */
  int sm_count;        /* multiprocessors of the device; 0: as in the model */
  int multiprocessors; /* multiprocessors that the launch may fill; 0: all */
} cli_choice_device;

/* How much is printed. */
typedef enum cli_choice_view {
  CLI_CHOICE_FIRST, /* the first 20 candidates, and how many others there are */
  CLI_CHOICE_ALL,   /* all of them, and why other kernels are none */
  CLI_CHOICE_JSON,  /* the same for programs */
} cli_choice_view;

/* Prints the candidates for a product and its form on a device, the fastest first, and why they
 * rank so. The candidates are the kernels of `specs`, or where there are none those of the
 * catalogue. Returns an exit code. */
int cli_choice_explain(const cli_case *product, const gg_form *form, cli_choice_device on,
                       char *const *specs, int spec_count, cli_choice_view view);

#endif
