/* A kernel's launch facts, as text: what the emitted text alone does not show. */
#ifndef TEXTS_FACTS_H
#define TEXTS_FACTS_H

#include "base/str.h"
#include "gemmgen.h"

void facts_print(gg_str *out, const gg_kernel *kernel);

#endif
