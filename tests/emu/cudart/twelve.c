/* What libcudart.so.12 has of its own: names, versions, and structs of other sizes than CUDA 13's
 * (driver_types.h of CUDA 12.9). A program of CUDA 12 must find them, and nothing past their ends
 * may be written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { properties_bytes = 1032, pointer_bytes = 24, room = 64 };

int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaMalloc(void **out, size_t bytes);
int cudaFree(void *pointer);
int cudaThreadSynchronize(void);
int cudaMemAdvise(const void *pointer, size_t bytes, int advice, int device);

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s does not hold\n", what);
  exit(1);
}
#define EXPECT(holds) expect(holds, #holds)

static int int_at(const unsigned char *bytes, size_t offset) {
  int value;
  memcpy(&value, bytes + offset, sizeof value);
  return value;
}

static int untouched(const unsigned char *bytes) {
  for (int i = 0; i < room; i++)
    if (bytes[i] != 0xa5) return 0;
  return 1;
}

int main(void) {
  unsigned char properties[properties_bytes + room], attributes[pointer_bytes + room];
  int version, count;
  void *memory, *device;
  EXPECT(cudaRuntimeGetVersion(&version) == 0 && version == 12090);

  memset(properties, 0xa5, sizeof properties);
  EXPECT(cudaGetDeviceProperties_v2(properties, 0) == 0);
  EXPECT(untouched(properties + properties_bytes));
  EXPECT(int_at(properties, 360) == 9); /* major */
  EXPECT(int_at(properties, 348) > 0);  /* clockRate */
  EXPECT(cudaDeviceGetAttribute(&count, 16, 0) == 0);
  EXPECT(int_at(properties, 388) == count);  /* multiProcessorCount */
  EXPECT(int_at(properties, 696) == 232448); /* sharedMemPerBlockOptin */
  EXPECT(int_at(properties, 772) == 1);      /* clusterLaunch */

  memset(attributes, 0xa5, sizeof attributes);
  EXPECT(cudaMalloc(&memory, 16) == 0);
  EXPECT(cudaPointerGetAttributes(attributes, memory) == 0);
  EXPECT(untouched(attributes + pointer_bytes));
  memcpy(&device, attributes + 8, sizeof device);
  EXPECT(int_at(attributes, 0) == 2 && device == memory);
  EXPECT(cudaMemAdvise(memory, 16, 1, 0) != 0); /* there is no managed memory */
  EXPECT(cudaFree(memory) == 0 && cudaThreadSynchronize() == 0);
  return 0;
}
