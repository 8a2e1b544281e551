/* Reads facts of kernels out of a cubin. */
#ifndef GG_CLI_CUBIN_H
#define GG_CLI_CUBIN_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of local memory of each thread, as the driver will report them when it has loaded the
 * cubin: the maximum over the cubin's kernels. 0 where `data` is not a cubin or cannot be read as
 * one. */
uint32_t cli_cubin_local_bytes(const void *data, size_t size);

#endif
