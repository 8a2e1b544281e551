/* A kernel as a number: a hash of its code and of its launch facts. The banner speaks of the kernel
 * and does not make it. */
#ifndef TEXTS_KERNEL_HASH_H
#define TEXTS_KERNEL_HASH_H

#include "gemmgen.h"

static const uint64_t hash_start = 14695981039346656037u; /* FNV-1a */

uint64_t hash_text(uint64_t from, const char *text, size_t length);
uint64_t kernel_hash(uint64_t from, const gg_kernel *kernel);

#endif
