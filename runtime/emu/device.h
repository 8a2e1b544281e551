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
  uint64_t capacity, used; /* bytes of all ranges: the limit, and how many there are */
  emu_module *modules;
  struct emu_touches *touches; /* hazard/touches.h; NULL: not needed so far */
  bool beside;                 /* whether some launch has not had to wait for the one ahead */
};

/* The range that has `bytes` at `address`; NULL if none does. */
emu_bank *emu_range_find(const emu_device *device, uint64_t address, uint64_t bytes);

/* emu_memory_alloc for a variable: zeroed and marked as written. `name` must outlive it. */
gg_status emu_range_open(emu_bank **out, emu_device *device, uint64_t bytes, uint64_t align,
                         const char *name, gg_error *err);

#endif
