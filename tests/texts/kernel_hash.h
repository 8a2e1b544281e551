/* A kernel as a number: a hash of its code and of its launch facts. The banner speaks of the kernel
 * and does not make it. */
#ifndef TEXTS_KERNEL_HASH_H
#define TEXTS_KERNEL_HASH_H

#include "gemmgen.h"

uint64_t kernel_hash(uint64_t from, const gg_kernel *kernel);

#endif
