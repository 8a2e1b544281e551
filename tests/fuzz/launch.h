/* Fuzz targets: the launch that a text of PTX asks for, and the device that it runs on. */
#ifndef GG_FUZZ_LAUNCH_H
#define GG_FUZZ_LAUNCH_H

#include "emu/emu.h"

typedef struct fuzz_launch {
  int arch;
  emu_launch_config config;
} fuzz_launch;

/* What lines that start with `//! ` say, as those of tests/emu/machine do: arch N, and grid, block
 * and cluster X Y Z. No more than a few CTAs and warps, two CTAs of 64 threads else. */
fuzz_launch fuzz_read_launch(const uint8_t *data, size_t size);

/* A device of 64 MiB, whatever the host has: a text whose variables have gigabytes is refused,
 * where libFuzzer would end for want of memory. */
emu_device *fuzz_open_device(const emu_options *options);

#endif
