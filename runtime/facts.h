/* What a gg_kernel says, fact by fact: what `gemmgen pack` writes out, and the checksum of it. */
#ifndef GG_RUNTIME_FACTS_H
#define GG_RUNTIME_FACTS_H

#include "gemmgen_kernel.h"

/* What a fact is; enumerators are numbers of the enumeration that is named. */
typedef enum gg_fact_kind {
  GG_FACT_TEXT,
  GG_FACT_NUMBER,
  GG_FACT_EXTENT, /* or GG_FIXED_NONE */
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
  const char *list; /* the array that it is of: "operations"; NULL: it is the kernel's own */
  size_t index;     /* in that */
  const char *name; /* "a.type" */
  const char *text;
  int64_t number;
  float real;
} gg_fact;

/* Every fact of a kernel that is not 0, in one order; what there is of its text is left out. */
void gg_kernel_facts(const gg_kernel *kernel, void (*see)(void *user, const gg_fact *fact),
                     void *user);

/* Of these facts. Members that later versions add do not change it while they are 0. */
uint64_t gg_kernel_checksum(const gg_kernel *kernel);

/* Of bytes (FNV-1a): any one that changes changes it. */
uint64_t gg_checksum(const void *data, size_t size);

#endif
