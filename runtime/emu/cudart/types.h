/* Structs of the CUDA runtime API, field by field as driver_types.h lays them out (CUDA Runtime API
 * reference). The library is built twice, with GG_CUDART of 12 and 13: version 13 dropped fields
 * of cudaDeviceProp and made room in cudaPointerAttributes. */
#ifndef GG_EMU_CUDART_TYPES_H
#define GG_EMU_CUDART_TYPES_H

#include <stddef.h>

#include "gemmgen_emu.h"

#if GG_CUDART == 12
#define RT_VERSION            12090
#define RT_FIELD_OF_12(field) field;
#else
#define RT_VERSION 13000
#define RT_FIELD_OF_12(field)
#endif

/* Passed by value. */
typedef struct rt_dim3 {
  unsigned x, y, z;
} rt_dim3;

/* cudaMemLocation. */
typedef struct rt_location {
  int type, id;
} rt_location;

/* cudaLaunchConfig_t; attributes are those of the driver. */
typedef struct rt_launch_config {
  rt_dim3 grid, block;
  size_t smem_bytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned attribute_count;
} rt_launch_config;

/* cudaExtent, cudaPos, cudaPitchedPtr, cudaMemcpy3DParms; widths are in bytes without arrays. */
typedef struct rt_extent {
  size_t width, height, depth;
} rt_extent;

typedef struct rt_pos {
  size_t x, y, z;
} rt_pos;

typedef struct rt_pitched {
  void *pointer;
  size_t pitch, xsize, ysize;
} rt_pitched;

typedef struct rt_box_copy {
  void *from_array;
  rt_pos from_pos;
  rt_pitched from;
  void *to_array;
  rt_pos to_pos;
  rt_pitched to;
  rt_extent extent;
  int kind;
} rt_box_copy;

/* Nodes of graphs: cudaKernelNodeParams, cudaMemsetParams, cudaHostNodeParams. */
typedef void *rt_node;

typedef struct rt_kernel_node {
  const void *host;
  rt_dim3 grid, block;
  unsigned smem_bytes;
  void **arguments, **extra;
} rt_kernel_node;

typedef struct rt_fill_node {
  void *to;
  size_t pitch;
  unsigned value, element;
  size_t width, height;
} rt_fill_node;

typedef struct rt_call_node {
  void (*function)(void *);
  void *user;
} rt_call_node;

typedef struct rt_pool rt_pool;

/* cudaPointerAttributes. */
typedef struct rt_pointer_attributes {
  int type; /* 0 unregistered, 1 host, 2 device, 3 managed */
  int device;
  void *device_pointer, *host_pointer;
#if GG_CUDART >= 13
  long reserved[8];
#endif
} rt_pointer_attributes;

/* cudaFuncAttributes. */
typedef struct rt_func_attributes {
  size_t sharedSizeBytes;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
  int reserved[16];
} rt_func_attributes;

/* cudaDeviceProp. */
typedef struct rt_properties {
  char name[256];
  CUuuid uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  RT_FIELD_OF_12(int clockRate)
  size_t totalConstMem;
  int major;
  int minor;
  size_t textureAlignment;
  size_t texturePitchAlignment;
  RT_FIELD_OF_12(int deviceOverlap)
  int multiProcessorCount;
  RT_FIELD_OF_12(int kernelExecTimeoutEnabled)
  int integrated;
  int canMapHostMemory;
  RT_FIELD_OF_12(int computeMode)
  int maxTexture1D;
  int maxTexture1DMipmap;
  RT_FIELD_OF_12(int maxTexture1DLinear)
  int maxTexture2D[2];
  int maxTexture2DMipmap[2];
  int maxTexture2DLinear[3];
  int maxTexture2DGather[2];
  int maxTexture3D[3];
  int maxTexture3DAlt[3];
  int maxTextureCubemap;
  int maxTexture1DLayered[2];
  int maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2];
  int maxSurface1D;
  int maxSurface2D[2];
  int maxSurface3D[3];
  int maxSurface1DLayered[2];
  int maxSurface2DLayered[3];
  int maxSurfaceCubemap;
  int maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
  int tccDriver;
  int asyncEngineCount;
  int unifiedAddressing;
  RT_FIELD_OF_12(int memoryClockRate)
  int memoryBusWidth;
  int l2CacheSize;
  int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  int multiGpuBoardGroupID;
  int hostNativeAtomicSupported;
  RT_FIELD_OF_12(int singleToDoublePrecisionPerfRatio)
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int computePreemptionSupported;
  int canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
  RT_FIELD_OF_12(int cooperativeMultiDeviceLaunch)
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables;
  int directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported;
  int sparseCudaArraySupported;
  int hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported;
  int memoryPoolsSupported;
  int gpuDirectRDMASupported;
  unsigned int gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported;
  int ipcEventSupported;
  int clusterLaunch;
  int unifiedFunctionPointers;
#if GG_CUDART == 12
  int reserved[63];
#else
  int deviceNumaConfig;
  int deviceNumaId;
  int mpsEnabled;
  int hostNumaId;
  unsigned int gpuPciDeviceID;
  unsigned int gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported;
  int reserved[56];
#endif
} rt_properties;

/* As the headers of CUDA 12.9 and 13.0 have them. */
_Static_assert(sizeof(rt_properties) == (GG_CUDART == 12 ? 1032 : 1008), "cudaDeviceProp");
_Static_assert(offsetof(rt_properties, sharedMemPerBlockOptin) == (GG_CUDART == 12 ? 696 : 672),
               "cudaDeviceProp");
_Static_assert(offsetof(rt_properties, clusterLaunch) == (GG_CUDART == 12 ? 772 : 748),
               "cudaDeviceProp");
_Static_assert(sizeof(rt_pointer_attributes) == (GG_CUDART == 12 ? 24 : 88),
               "cudaPointerAttributes");

#endif
