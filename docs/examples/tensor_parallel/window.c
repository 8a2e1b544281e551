#include "window.h"

#include <stdlib.h>
#include <string.h>

struct windows {
  device *device;
  const world *world;
  int64_t bytes;
  int over_host, reach;
  uint32_t round;
  uint64_t at[]; /* by rank; over the host, what this rank has written for it */
};

static int rank_behind(const windows *w, int shift) {
  int size = w->world->size;
  return ((w->world->rank + shift) % size + size) % size;
}

/* Of what a rank posts. */
static int64_t flag_offset(const windows *w, int rank, int flag) {
  return w->bytes + ((int64_t)rank * WINDOW_FLAGS + flag) * (int64_t)sizeof(uint32_t);
}

/* What the driver shares by itself is a whole block of this size. */
static int64_t block_of(int64_t bytes) {
  const int64_t block = 2 << 20;
  return (bytes + block - 1) / block * block;
}

static int map_others(windows *w) {
  int size = w->world->size, failed = 0;
  shared_memory mine, *all = host_alloc((size_t)size * sizeof *all);
  failed |= !device_share(&mine, w->at[w->world->rank]);
  world_exchange(w->world, &mine, sizeof mine, all);
  if (world_most(w->world, failed) == 0) {
    for (int rank = 0; rank < size; rank++) {
      if (rank != w->world->rank) failed |= !device_map(&w->at[rank], &all[rank]);
    }
  }
  free(all);
  return world_most(w->world, failed) == 0;
}

windows *windows_open(device *device, const world *world, int64_t bytes, int over_host) {
  windows *out = host_alloc(sizeof *out + (size_t)world->size * sizeof *out->at);
  *out = (windows){.device = device, .world = world, .bytes = bytes, .over_host = over_host};
  int64_t whole = block_of(flag_offset(out, world->size, 0));
  for (int rank = 0; rank < world->size; rank++) {
    if (rank == world->rank || over_host) out->at[rank] = device_alloc(device, whole);
  }
  device_fill(device, out->at[world->rank], 0, whole);
  out->reach = over_host || map_others(out);
  return out;
}

void windows_close(windows *w) {
  world_barrier(w->world); /* nobody's copies are on their way */
  for (int rank = 0; rank < w->world->size; rank++) {
    if (rank == w->world->rank || w->over_host) continue;
    if (w->at[rank]) device_unmap(w->at[rank]);
  }
  world_barrier(w->world); /* nobody maps what is freed */
  for (int rank = 0; rank < w->world->size; rank++) {
    if (rank == w->world->rank || w->over_host) device_free(w->device, w->at[rank]);
  }
  free(w);
}

int windows_reach(const windows *w) {
  return w->reach;
}

uint64_t window_at(const windows *w, int shift) {
  return w->at[rank_behind(w, shift)];
}

void windows_begin(windows *w) {
  w->round++;
}

/* Over the host every rank sends at once, an offset and what it has written there for the rank
 * `shift` on. */
static void carry(windows *w, int shift, int64_t offset, int64_t bytes, stream on) {
  size_t whole = sizeof offset + (size_t)bytes;
  char *mine = host_alloc(whole), *all = host_alloc((size_t)w->world->size * whole);
  char *got = all + (size_t)rank_behind(w, -shift) * whole;
  device_wait(on);
  memcpy(mine, &offset, sizeof offset);
  device_read(w->device, mine + sizeof offset, window_at(w, shift) + (uint64_t)offset, bytes);
  world_exchange(w->world, mine, whole, all);
  memcpy(&offset, got, sizeof offset);
  device_write(w->device, window_at(w, 0) + (uint64_t)offset, got + sizeof offset, bytes);
  free(mine);
  free(all);
}

void window_copy(windows *w, int shift, int64_t offset, uint64_t from, int64_t bytes, stream on) {
  uint64_t to = window_at(w, shift) + (uint64_t)offset;
  if (w->over_host) {
    void *between = host_alloc((size_t)bytes);
    device_wait(on);
    device_read(w->device, between, from, bytes);
    device_write(w->device, to, between, bytes);
    free(between);
  } else {
    device_copy(to, from, bytes, on);
  }
}

void window_post(windows *w, int shift, int flag, int64_t offset, int64_t bytes, stream on) {
  if (w->over_host) {
    if (bytes > 0) carry(w, shift, offset, bytes, on);
  } else {
    device_signal(window_at(w, shift) + (uint64_t)flag_offset(w, w->world->rank, flag), w->round,
                  on);
  }
}

void window_await(windows *w, int shift, int flag, stream on) {
  if (w->over_host) return;
  device_await(window_at(w, 0) + (uint64_t)flag_offset(w, rank_behind(w, shift), flag), w->round,
               on);
}
