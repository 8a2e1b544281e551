/* A device: its options, its global memory as ranges, its modules. */
#ifndef GG_EMU_DEVICE_H
#define GG_EMU_DEVICE_H

#include "emu/bank.h"
#include "emu/module.h"

struct emu_device {
  emu_options options;
  emu_bank **ranges; /* of global memory, by address */
  uint32_t range_count, range_room;
  uint64_t next_address;
  uint64_t capacity, used; /* bytes of all ranges: what there may be, what there is */
  emu_module *modules;
  struct emu_touches *touches; /* hazard/touches.h; NULL: nobody has asked yet */
  bool beside;                 /* some launch need not have waited for the one ahead */
};

/* The range that holds `bytes` at `address`; NULL where none does. */
emu_bank *emu_range_find(const emu_device *device, uint64_t address, uint64_t bytes);

/* emu_memory_alloc for a variable: zeroed and marked as written. `name` must outlive it. */
gg_status emu_range_open(emu_bank **out, emu_device *device, uint64_t bytes, uint64_t align,
                         const char *name, gg_error *err);

#endif
