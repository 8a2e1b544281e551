/* A device: its options, its global memory as ranges, its modules. */
#ifndef GG_EMU_DEVICE_H
#define GG_EMU_DEVICE_H

#include "emu/module.h"

/* An allocation of global memory. */
typedef struct emu_range {
  uint64_t base, size;
  uint8_t *bytes;
  uint8_t *marks;   /* one a byte: nonzero once it is written; NULL of a variable */
  bool complete;    /* every byte is written; set between launches alone */
  bool read_only;   /* .const variables and parameters */
  const char *name; /* of a variable; NULL: the host's */
} emu_range;

struct emu_device {
  emu_options options;
  emu_range **ranges; /* by address */
  uint32_t range_count, range_room;
  uint64_t next_address;
  uint64_t capacity, used; /* bytes of all ranges: what there may be, what there is */
  emu_module *modules;
};

/* The range that holds `bytes` at `address`; NULL where none does. */
emu_range *emu_range_find(const emu_device *device, uint64_t address, uint64_t bytes);

/* emu_memory_alloc for a variable: zeroed and marked as written. `name` must outlive it. */
gg_status emu_range_open(emu_range **out, emu_device *device, uint64_t bytes, uint64_t align,
                         const char *name, gg_error *err);

#endif
