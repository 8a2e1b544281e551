/* The C++ names that CuTe gives its atoms, split into parts. */
#ifndef GG_ATOM_ATOM_NAME_H
#define GG_ATOM_ATOM_NAME_H

#include <stdbool.h>

#include "base/near.h"
#include "gemmgen.h"

enum { GG_ATOM_NAME_BASE = 96, GG_ATOM_NAME_ARGUMENTS = 12, GG_ATOM_NAME_ARGUMENT = 32 };

/* A name split up. "SM90::GMMA::MMA_64x8x16_F16F16F16_SS<GMMA::Major::K,GMMA::Major::MN>" has the
 * base "MMA_64x8x16_F16F16F16_SS" and the arguments "K" and "MN": namespaces and spaces are
 * dropped. */
typedef struct gg_atom_name {
  char base[GG_ATOM_NAME_BASE];
  char arguments[GG_ATOM_NAME_ARGUMENTS][GG_ATOM_NAME_ARGUMENT];
  int count;
} gg_atom_name;

/* False if `text` is no such name (nested templates, too long, unbalanced). */
bool gg_atom_name_parse(gg_atom_name *out, const char *text);

/* Whether `name` matches `pattern`, in which each '*' stands for the same positive integer. That is
 * stored in *number, which stays unchanged if the pattern has no '*'. Namespaces of the pattern are
 * ignored. */
bool gg_atom_name_match(int *number, const char *name, const char *pattern);

/* Appends the pattern with `number` in place of each '*'. */
void gg_atom_name_fill(gg_str *out, const char *pattern, int number);

/* A name that no atom has, and, among the names that are tried, the one that was probably meant.
 * PTX names are compared whole, CuTe's without namespaces and arguments. */
typedef struct gg_atom_near {
  gg_near near;
  gg_atom_name parsed;
  bool ptx;
} gg_atom_near;

void gg_atom_near_start(gg_atom_near *out, const char *name);

/* Fails with ATOM_NAME; `kind` is a word such as "MMA". */
gg_status gg_atom_near_fail(const gg_atom_near *near, const char *kind, const char *name,
                            gg_error *err);

/* Read a template argument as an integer ("128", "_128"), as a major ("K", "MN"), or as a type
 * ("float", "half_t", "uint128_t"; *type is GG_DTYPE_COUNT for a type that is none of ours, of
 * which only the bits are known). They return false if it is none. */
bool gg_atom_argument_int(int *out, const char *argument);
bool gg_atom_argument_mn_major(bool *out, const char *argument);
bool gg_atom_argument_type(gg_dtype *type, int *bits, const char *argument);

#endif
