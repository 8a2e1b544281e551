/* Cases files: the problems of `gemmgen bench`.
 *
 * A line has eleven fields separated by blanks: types of A, B and D, accumulator, majors of A (k,
 * m), B (k, n) and D (n, m), then M, N, K and the batch. The accumulator f32fast stands for f32
 * sums of 8-bit floats that the tensor cores keep at their own, shorter precision. Types of A, B
 * and D may have scale factors: e4m3:ue8m0, e2m1:ue4m3, e2m1:ue8m0:16; those of A or B may be
 * sparse: bf16:sparse, e2m1:sparse:ue4m3 (choice/form.h); A may be b1:xor, of bits whose
 * differences are counted. `#` starts a comment; empty lines are skipped. */
#ifndef GG_CLI_CASES_H
#define GG_CLI_CASES_H

#include "gemmgen.h"

typedef struct cli_case {
  gg_dtype a, b, d, accumulator;
  bool fast; /* the accumulator is f32fast */
  gg_major a_major, b_major, d_major;
  int64_t m, n, k, batch;
  gg_scaling scale_a, scale_b, scale_d; /* a block of 0: no scale factors */
  bool sparse_a, sparse_b;
  bool xor_bits; /* of b1: counts the bits that differ */
  bool pointers; /* the batch is given as arrays of addresses; no field of a line says so */
} cli_case;

typedef struct cli_cases {
  cli_case *list;
  size_t count;
} cli_cases;

enum { CLI_CASE_FIELDS = 11 };

/* Reads one case from its fields, in the order of a line. `paths` name, for messages, where each
 * field was given. */
gg_status cli_case_read(cli_case *out, const char *const texts[CLI_CASE_FIELDS],
                        const char *const paths[CLI_CASE_FIELDS], gg_error *err);

/* Adds a copy of the case. */
gg_status cli_cases_add(cli_cases *out, const cli_case *c, gg_error *err);

/* Parses the text of a cases file. `name`: the file's, for messages. On failure *out is empty, and
 * the error has line and column. Free with cli_cases_free. */
gg_status cli_cases_parse(cli_cases *out, const char *text, const char *name, gg_error *err);
void cli_cases_free(cli_cases *cases);

/* Appends the case's name, such as "bf16,bf16,bf16,f32,kkn,512x512x512,b1". */
void cli_case_name(gg_str *out, const cli_case *c);

/* Whether the kernel's sums are f32fast, the tensor cores' own, which are less precise than f32. */
bool cli_kernel_is_fast(const gg_kernel *kernel);

/* Whether the kernel computes the case on densely packed operands; if not, `why` says what prevents
 * it. */
bool cli_case_covered(const cli_case *c, const gg_kernel *kernel, gg_str *why);

#endif
