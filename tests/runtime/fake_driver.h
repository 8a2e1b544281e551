/* A CUDA driver without a GPU: memory is the host's, a launch is a record. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include <pthread.h>

#include "driver.h"

enum { FAKE_LAUNCHES_MAX = 4096, FAKE_NAMES_MAX = 256, FAKE_NAME_BYTES = 128 };

typedef struct fake_launch {
  const char *name; /* of the function */
  void **raw;       /* the arguments as they were passed; during on_launch only */
  unsigned grid[3], block[3], cluster[3], smem_bytes;
  CUstream stream;
  uint64_t arguments[GG_PARAMS_MAX];
} fake_launch;

/* The arguments of a call of cuTensorMapEncodeTiled. */
typedef struct fake_map {
  int type, interleave, swizzle, promotion, fill;
  uint32_t rank, box[5], element_strides[5];
  uint64_t address, dims[5], strides[4];
} fake_map;

enum { FAKE_MAPS_MAX = 8, FAKE_MAP_MARK = 0x3a900, FAKE_EVENTS_MAX = 1024, FAKE_STREAMS_MAX = 16 };

typedef struct fake_driver {
  pthread_mutex_t lock;
  int device_count, arch, smem_per_cta; /* what the devices say */
  size_t argument_count;                /* how many 8-byte arguments a launch has */

  const char *fail_call; /* this call fails ... */
  int fail_after;        /* ... after so many that pass ... */
  CUresult fail_result;  /* ... with this */

  int calls;                                                   /* of any function */
  int contexts, modules, allocations, streams, events, graphs; /* alive */
  int depth;                                                   /* contexts pushed and not popped */
  int orphans;    /* calls that need a current context and had none */
  int in_capture; /* loads and allocations while a stream captures, and questions to events by
                     threads that do not allow them then */
  CUstream capturing;
  char names[FAKE_NAMES_MAX][FAKE_NAME_BYTES]; /* of the functions that were looked up */
  int name_count;
  fake_map
      maps[FAKE_MAPS_MAX]; /* that were encoded; the first word of number i: FAKE_MAP_MARK + i */
  int map_count;
  const char *spills; /* the kernel that alone computes in local memory; NULL: all of them */
  int smem_limit;     /* as set by cuFuncSetAttribute */
  void (*on_launch)(const fake_launch *launch); /* plays the kernel; NULL: nothing happens */
  const char *refuses;                          /* the kernel whose launches fail; NULL: none */
  double (*lasts)(const char *kernel);          /* milliseconds; NULL: nothing is said of it */
  double clocks[FAKE_STREAMS_MAX]; /* of each stream: milliseconds of what it was given */
  bool busy;                       /* no event that is asked about has passed */
  double passed[FAKE_EVENTS_MAX];  /* when each event does, by its handle */
  int last_event;                  /* the newest one's handle */
  fake_launch launches[FAKE_LAUNCHES_MAX];
  int launch_count;
} fake_driver;

extern fake_driver fake;

/* One sm_90 device, no failure, nothing alive. */
void fake_reset(void);

/* The table of the fake. */
gg_driver fake_table(void);

/* How many things are alive: 0 when nothing leaked. */
int fake_alive(void);

#endif
