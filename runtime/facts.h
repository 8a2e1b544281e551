/* The facts that a gg_kernel consists of, one by one: `gemmgen pack` writes them out, and a
 * checksum is made of them. */
#ifndef GG_RUNTIME_FACTS_H
#define GG_RUNTIME_FACTS_H

#include "gemmgen_kernel.h"

/* What kind of value a fact has. A number of an enumeration has a kind of its own. */
typedef enum gg_fact_kind {
  GG_FACT_TEXT,
  GG_FACT_NUMBER,
  GG_FACT_EXTENT, /* a number, or GG_FIXED_NONE */
  GG_FACT_REAL,
  GG_FACT_DTYPE,
  GG_FACT_MAJOR,
  GG_FACT_OP_KIND,
  GG_FACT_ALONG,
  GG_FACT_GELU,
  GG_FACT_SCALARS,
  GG_FACT_OPERAND_ID,
  GG_FACT_PARAM_KIND,
  GG_FACT_MAP_MODE,
  GG_FACT_GRID,
} gg_fact_kind;

typedef struct gg_fact {
  gg_fact_kind kind;
  const char *list; /* the array that has it: "operations"; NULL: it is the kernel's own */
  size_t index;     /* in that array */
  const char *name; /* "a.type" */
  const char *text;
  int64_t number;
  float real;
} gg_fact;

/* Calls `see` with every fact of a kernel that is not 0, always in the same order. Facts about the
 * kernel's text are left out. */
void gg_kernel_facts(const gg_kernel *kernel, void (*see)(void *user, const gg_fact *fact),
                     void *user);

/* A checksum of these facts. Members that later versions add do not change it while they are 0. */
uint64_t gg_kernel_checksum(const gg_kernel *kernel);

/* A checksum of bytes (FNV-1a). If a single byte changes, so does the checksum. */
uint64_t gg_checksum(const void *data, size_t size);

#endif
