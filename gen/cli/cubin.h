/* What a cubin says of its kernels. */
#ifndef GG_CLI_CUBIN_H
#define GG_CLI_CUBIN_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of local memory that a thread has, as the driver will say when it has loaded the cubin: the
 * most of its kernels'. 0 also of what is no cubin, or cannot be read as one. */
uint32_t cli_cubin_local_bytes(const void *data, size_t size);

#endif
