/* Products from the command line: types and extents, as a form and a problem. */
#ifndef GG_CLI_PRODUCTS_H
#define GG_CLI_PRODUCTS_H

#include "choice/model.h"
#include "cli/cases.h"
#include "cli/cli.h"

/* --problem "M N K [BATCH]" and --types A,B,D[,ACCUMULATOR[,MAJORS]]; without an accumulator s32
 * for integers, else f32; without majors kkn. Gives an exit code; free
 * with cli_cases_free. */
int cli_product_read(cli_cases *out, const char *problem, const char *types);

/* The same of types that `option` gave. */
int cli_product_read_of(cli_cases *out, const char *problem, const char *types, const char *option);

/* Reads a cases file; an empty one is a usage error. Gives an exit code; free with
 * cli_cases_free. */
int cli_cases_load(cli_cases *out, const char *path);

/* The form of densely packed operands at aligned addresses. `f32fast` is of 8-bit floats whose sums
 * stay short. */
gg_form cli_case_form(const cli_case *c);

/* "bf16,bf16,bf16,f32,kkn,relu,64x64x64,b1": the form with its epilogue, and the extents. */
gg_status cli_product_name(gg_str *out, const cli_case *c, const gg_form *form, gg_error *err);

gg_extents cli_case_extents(const cli_case *c);

#endif
