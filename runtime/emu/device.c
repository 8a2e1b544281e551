/* A device and its global memory.
 *
 * Allocations are ranges of the device's own address space, with gaps between them. So an address
 * belongs to one allocation or to none, and an access behind an allocation's end is noticed. Each
 * byte has a mark, which is set when somebody writes it. Ranges are added and removed only between
 * launches, so workers need no lock to look them up. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "emu/device.h"
#include "emu/hazard/touches.h"
#include "emu/memory.h"

#define FIRST_ADDRESS ((uint64_t)0x10 << 40)
#define LAST_ADDRESS  ((uint64_t)0x70 << 40)

enum { gap = 4096, least_align = 256, uninitialised_byte = 0xff };

/* Half of the host's memory, because each byte has a mark beside it. */
static uint64_t host_capacity(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : (uint64_t)1 << 30;
}

gg_status emu_device_open(emu_device **out, const emu_options *options, gg_error *err) {
  *out = NULL;
  emu_device *device = gg_malloc(sizeof(*device));
  if (!device) return gg_fail(err, MEMORY, NULL, "");
  *device = (emu_device){.next_address = FIRST_ADDRESS, .capacity = host_capacity()};
  if (options) device->options = *options;
  if (!device->options.arch) device->options.arch = 90;
  if (!device->options.max_steps) device->options.max_steps = EMU_STEPS_MOST;
  emu_severities_settle(&device->options.severities);
  if (device->options.threads <= 0) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    device->options.threads = cores > 0 ? (int)cores : 1;
  }
  *out = device;
  return GG_OK;
}

static void range_close(emu_bank *range) {
  emu_bank_free(range);
  gg_free(range);
}

void emu_device_close(emu_device *device) {
  if (!device) return;
  while (device->modules) {
    emu_module_unload(device, device->modules);
  }
  for (uint32_t i = 0; i < device->range_count; i++) {
    range_close(device->ranges[i]);
  }
  gg_free(device->ranges);
  emu_touches_close(device->touches);
  gg_free(device);
}

/* The place of the first range that ends behind `address`. */
static uint32_t range_place(const emu_device *device, uint64_t address) {
  uint32_t low = 0, high = device->range_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const emu_bank *range = device->ranges[middle];
    if (range->base + range->size > address) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

emu_bank *emu_range_find(const emu_device *device, uint64_t address, uint64_t bytes) {
  uint32_t place = range_place(device, address);
  if (place == device->range_count) return NULL;
  emu_bank *range = device->ranges[place];
  if (address < range->base) return NULL;
  return bytes <= range->size - (address - range->base) ? range : NULL;
}

static gg_status no_room(const emu_device *device, uint64_t bytes, gg_error *err) {
  gg_str why = GG_STR_INIT;
  gg_str_printf(&why, ": %" PRIu64 " B asked for, %" PRIu64 " of %" PRIu64 " B are free", bytes,
                device->capacity - device->used, device->capacity);
  gg_status st = gg_fail(err, MEMORY, NULL, gg_str_text(&why));
  gg_str_free(&why);
  return st;
}

/* Adds a zeroed range, with marks if `marked`. Addresses only grow, so it is the last one. */
static gg_status range_add(emu_bank **out, emu_device *device, uint64_t bytes, uint64_t align,
                           bool marked, gg_error *err) {
  if (align < least_align) align = least_align;
  uint64_t base = (device->next_address + align - 1) / align * align;
  if (bytes > device->capacity - device->used) return no_room(device, bytes, err);
  if (base > LAST_ADDRESS || bytes > LAST_ADDRESS - base) return gg_fail(err, MEMORY, NULL, "");
  if (device->range_count == device->range_room) {
    uint32_t room = device->range_room ? device->range_room * 2 : 16;
    emu_bank **ranges = gg_realloc(device->ranges, room * sizeof(*ranges));
    if (!ranges) return gg_fail(err, MEMORY, NULL, "");
    device->ranges = ranges;
    device->range_room = room;
  }
  emu_bank *range = gg_malloc(sizeof(*range));
  if (!range) return gg_fail(err, MEMORY, NULL, "");
  *range = (emu_bank){.kind = &emu_bank_global, .base = base, .size = bytes};
  range->bytes = gg_calloc((size_t)bytes + 1, 1);
  if (marked) range->marks = gg_calloc((size_t)bytes + 1, 1);
  if (!range->bytes || (marked && !range->marks)) {
    range_close(range);
    return gg_fail(err, MEMORY, NULL, "");
  }
  device->ranges[device->range_count++] = range;
  device->next_address = base + bytes + gap;
  device->used += bytes;
  *out = range;
  return GG_OK;
}

gg_status emu_memory_alloc(uint64_t *out, emu_device *device, uint64_t bytes, uint64_t align,
                           gg_error *err) {
  emu_bank *range;
  gg_status st = range_add(&range, device, bytes, align, true, err);
  if (st) return st;
  memset(range->bytes, uninitialised_byte, (size_t)bytes);
  *out = range->base;
  return GG_OK;
}

gg_status emu_range_open(emu_bank **out, emu_device *device, uint64_t bytes, uint64_t align,
                         const char *name, gg_error *err) {
  gg_status st = range_add(out, device, bytes, align, false, err);
  if (st) return st;
  (*out)->complete = true;
  (*out)->name = name;
  return GG_OK;
}

gg_status emu_memory_free(emu_device *device, uint64_t address, gg_error *err) {
  for (uint32_t i = 0; i < device->range_count; i++) {
    if (device->ranges[i]->base != address) continue;
    device->used -= device->ranges[i]->size;
    range_close(device->ranges[i]);
    device->range_count--;
    memmove(device->ranges + i, device->ranges + i + 1,
            (device->range_count - i) * sizeof(*device->ranges));
    return GG_OK;
  }
  return gg_fail(err, EMU_ADDRESS, NULL, "free", (unsigned long long)address, 0ull,
                 "no allocation starts there");
}

/* ---- The host's copies ------------------------------------------------------------------ */

/* The range that an access of the host is in; EMU_ADDRESS if there is none. */
static gg_status host_range(emu_bank **out, emu_device *device, const char *what, uint64_t address,
                            uint64_t bytes, gg_error *err) {
  *out = emu_range_find(device, address, bytes);
  if (*out) return GG_OK;
  gg_str why = GG_STR_INIT;
  emu_global_explain(&why, device, address, bytes);
  gg_status st = gg_fail(err, EMU_ADDRESS, NULL, what, (unsigned long long)address,
                         (unsigned long long)bytes, gg_str_text(&why));
  gg_str_free(&why);
  return st;
}

static void mark_written(emu_bank *range, uint64_t offset, uint64_t bytes) {
  if (range->complete) return;
  memset(range->marks + offset, 1, (size_t)bytes);
  if (offset + bytes == range->size) {
    range->complete = !memchr(range->marks, 0, (size_t)range->size);
  }
}

/* Where bytes of the host are to be written. From now on they count as written. */
static gg_status open_write(uint8_t **out, emu_device *device, const char *what, uint64_t to,
                            uint64_t bytes, gg_error *err) {
  emu_bank *range;
  gg_status st = host_range(&range, device, what, to, bytes, err);
  if (st) return st;
  mark_written(range, to - range->base, bytes);
  *out = range->bytes + (to - range->base);
  return GG_OK;
}

gg_status emu_memory_write(emu_device *device, uint64_t to, const void *from, uint64_t bytes,
                           gg_error *err) {
  uint8_t *at;
  if (!bytes) return GG_OK;
  gg_status st = open_write(&at, device, "copy to the device", to, bytes, err);
  if (!st) memcpy(at, from, (size_t)bytes);
  return st;
}

gg_status emu_memory_fill(emu_device *device, uint64_t to, int value, uint64_t bytes,
                          gg_error *err) {
  uint8_t *at;
  if (!bytes) return GG_OK;
  gg_status st = open_write(&at, device, "fill", to, bytes, err);
  if (!st) memset(at, value, (size_t)bytes);
  return st;
}

gg_status emu_memory_read(emu_device *device, void *to, uint64_t from, uint64_t bytes,
                          gg_error *err) {
  emu_bank *range;
  if (!bytes) return GG_OK;
  gg_status st = host_range(&range, device, "copy from the device", from, bytes, err);
  if (!st) memcpy(to, range->bytes + (from - range->base), (size_t)bytes);
  return st;
}

gg_status emu_memory_unwritten(int64_t *out, emu_device *device, uint64_t address, uint64_t bytes,
                               gg_error *err) {
  emu_bank *range;
  *out = -1;
  if (!bytes) return GG_OK;
  gg_status st = host_range(&range, device, "question", address, bytes, err);
  if (st || range->complete) return st;
  const uint8_t *marks = range->marks + (address - range->base);
  const uint8_t *first = memchr(marks, 0, (size_t)bytes);
  if (first) *out = first - marks;
  return GG_OK;
}

/* ---- Asynchronous units, and messages --------------------------------------------------- */

uint8_t *emu_global(emu_device *device, uint64_t address, uint64_t bytes, bool write) {
  const emu_bank *range = emu_range_find(device, address, bytes);
  if (!range || (write && range->read_only)) return NULL;
  return range->bytes + (address - range->base);
}

void emu_global_mark(emu_device *device, uint64_t address, uint64_t bytes) {
  emu_bank *range = emu_range_find(device, address, bytes);
  if (range && !range->complete) memset(range->marks + (address - range->base), 1, (size_t)bytes);
}

bool emu_global_written(emu_device *device, uint64_t address, uint64_t bytes) {
  const emu_bank *range = emu_range_find(device, address, bytes);
  if (!range) return false;
  return range->complete || !memchr(range->marks + (address - range->base), 0, (size_t)bytes);
}

uint64_t emu_memory_capacity(const emu_device *device, uint64_t *used) {
  if (used) *used = device ? device->used : 0;
  return device ? device->capacity : host_capacity();
}

static void put_range(gg_str *out, const emu_bank *range) {
  gg_str_printf(out, "the %" PRIu64 " bytes ", range->size);
  if (range->name) gg_str_printf(out, "of %s ", range->name);
  gg_str_printf(out, "at 0x%" PRIx64, range->base);
}

void emu_global_explain(gg_str *out, emu_device *device, uint64_t address, uint64_t bytes) {
  uint32_t place = range_place(device, address);
  const emu_bank *after = place < device->range_count ? device->ranges[place] : NULL;
  const emu_bank *before = place ? device->ranges[place - 1] : NULL;
  if (after && address >= after->base) {
    uint64_t end = after->base + after->size;
    if (bytes <= end - address) {
      put_range(out, after);
      gg_str_puts(out, " are read-only");
      return;
    }
    gg_str_printf(out, "%" PRIu64 " bytes past the end of ", bytes - (end - address));
    put_range(out, after);
    return;
  }
  if (before && (!after || address - (before->base + before->size) <= after->base - address)) {
    gg_str_printf(out, "%" PRIu64 " bytes behind the end of ",
                  address - (before->base + before->size));
    put_range(out, before);
  } else if (after) {
    gg_str_printf(out, "%" PRIu64 " bytes before ", after->base - address);
    put_range(out, after);
  } else {
    gg_str_puts(out, "nothing is allocated");
  }
}
