/* Products from the command line: types and extents, as a form and a problem. */
#ifndef GG_CLI_PRODUCTS_H
#define GG_CLI_PRODUCTS_H

#include "choice/model.h"
#include "cli/cases.h"
#include "cli/cli.h"

/* Reads --problem "M N K [BATCH]" and --types A,B,D[,ACCUMULATOR[,MAJORS]]. Without an accumulator
 * it is s32 for integers, else f32; without majors they are kkn. Returns an exit code; free with
 * cli_cases_free. */
int cli_product_read(cli_cases *out, const char *problem, const char *types);

/* The same where `option` is the name of the option that gave the types, for messages. */
int cli_product_read_of(cli_cases *out, const char *problem, const char *types, const char *option);

/* Reads a cases file. An empty one is a usage error. Returns an exit code; free with
 * cli_cases_free. */
int cli_cases_load(cli_cases *out, const char *path);

/* The form of a case's operands, packed densely at aligned addresses. f32fast is for 8-bit floats
 * whose sums stay at the tensor cores' own precision. */
gg_form cli_case_form(const cli_case *c);

/* Appends the form's name with its epilogue, and the extents, as in
 * "bf16,bf16,bf16,f32,kkn,relu,64x64x64,b1". */
gg_status cli_product_name(gg_str *out, const cli_case *c, const gg_form *form, gg_error *err);

gg_extents cli_case_extents(const cli_case *c);

#endif
