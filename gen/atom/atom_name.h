/* The C++ names that CuTe gives its atoms, taken apart. */
#ifndef GG_ATOM_ATOM_NAME_H
#define GG_ATOM_ATOM_NAME_H

#include <stdbool.h>

#include "base/near.h"
#include "gemmgen.h"

enum { GG_ATOM_NAME_BASE = 96, GG_ATOM_NAME_ARGUMENTS = 12, GG_ATOM_NAME_ARGUMENT = 32 };

/* "SM90::GMMA::MMA_64x8x16_F16F16F16_SS<GMMA::Major::K,GMMA::Major::MN>" is the base
 * "MMA_64x8x16_F16F16F16_SS" with the arguments "K" and "MN": namespaces and spaces dropped. */
typedef struct gg_atom_name {
  char base[GG_ATOM_NAME_BASE];
  char arguments[GG_ATOM_NAME_ARGUMENTS][GG_ATOM_NAME_ARGUMENT];
  int count;
} gg_atom_name;

/* False where `text` is no such name (nested templates, too long, unbalanced). */
bool gg_atom_name_parse(gg_atom_name *out, const char *text);

/* Whether `name` is `pattern`, in which one '*' or several stand for the same positive integer;
 * that is then *number, which stays as it was where the pattern has none. Namespaces of the
 * pattern do not count. */
bool gg_atom_name_match(int *number, const char *name, const char *pattern);

/* Appends the pattern with `number` at each '*'. */
void gg_atom_name_fill(gg_str *out, const char *pattern, int number);

/* A name that no atom has, and of the names that are tried the one that was probably meant. A PTX
 * name is compared whole, CuTe's without namespaces and arguments. */
typedef struct gg_atom_near {
  gg_near near;
  gg_atom_name parsed;
  bool ptx;
} gg_atom_near;

void gg_atom_near_start(gg_atom_near *out, const char *name);

/* ATOM_NAME, of `kind` "MMA". */
gg_status gg_atom_near_fail(const gg_atom_near *near, const char *kind, const char *name,
                            gg_error *err);

/* A template argument as an integer ("128", "_128"), a major ("K", "MN") or a type ("float",
 * "half_t", "uint128_t": *type is GG_DTYPE_COUNT for a type of these bits that is none of ours).
 * False where it is none. */
bool gg_atom_argument_int(int *out, const char *argument);
bool gg_atom_argument_mn_major(bool *out, const char *argument);
bool gg_atom_argument_type(gg_dtype *type, int *bits, const char *argument);

#endif
