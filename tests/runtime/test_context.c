/* Contexts, modules and launches on the fake driver: order of calls, failures, leaks, threads. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "context.h"
#include "fake_driver.h"
#include "fixture.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;
static const char image[] = "cubin";

static gg_binary fixture_binary(void) {
  return (gg_binary){.format = GG_FORMAT_CUBIN, .arch = "sm_90", .data = image, .size = 5};
}

static gg_status open_context(gg_context **out, int device) {
  gg_driver driver = fake_table();
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .device = device,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  return gg_context_open_on(out, &driver, &options, &err);
}

/* What a program does from start to end; stops at the first failure and cleans up. */
static gg_status whole_program(gg_error *error) {
  gg_driver driver = fake_table();
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_kernel kernel = fixture_kernel();
  gg_binary binary = fixture_binary();
  gg_context *context = NULL;
  gg_module *module = NULL;
  struct CUstream_st *stream = NULL;
  uint64_t memory = 0;
  gg_problem problem = fixture_problem(64, 64, 64, 1);
  gg_status st = gg_context_open_on(&context, &driver, &options, error);
  if (st) return st;
  if ((st = gg_module_load_binary(&module, context, &kernel, &binary, error))) goto done;
  if ((st = gg_stream_open(&stream, context, error))) goto done;
  if ((st = gg_memory_alloc(&memory, context, 1 << 14, error))) goto done;
  if ((st = gg_memory_write(context, memory, image, sizeof image, error))) goto done;
  problem.a = problem.b = problem.d = memory;
  if ((st = gg_launch(module, &problem, stream, error))) goto done;
  if ((st = gg_synchronize(context, stream, error))) goto done;
  char back[sizeof image];
  st = gg_memory_read(context, back, memory, sizeof back, error);
done:
  gg_memory_free(context, memory);
  gg_stream_close(context, stream);
  gg_module_free(module);
  gg_context_close(context);
  return st;
}

START_TEST(runs_and_leaves_nothing) {
  fake_reset();
  ck_assert_int_eq(whole_program(&err), GG_OK);
  ck_assert_int_eq(fake_alive(), 0);
  ck_assert_int_eq(fake.orphans, 0);
  ck_assert_int_eq(fake.launch_count, 1);
  ck_assert_int_eq(fake.smem_limit, 49152);
  ck_assert_uint_eq(fake.launches[0].block[0], 128);
  ck_assert_uint_eq(fake.launches[0].smem_bytes, 49152);
  ck_assert_uint_eq(fake.launches[0].arguments[6], 64);
}
END_TEST

/* Calls that a whole program makes and whose failure must surface. */
static const char *const fallible[] = {
    "cuInit",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem",
    "cuDriverGetVersion",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRetain",
    "cuCtxPushCurrent",
    "cuModuleLoadDataEx",
    "cuModuleGetFunction",
    "cuFuncSetAttribute",
    "cuFuncGetAttribute",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuStreamCreate",
    "cuMemAlloc",
    "cuMemcpyHtoD",
    "cuLaunchKernel",
    "cuStreamSynchronize",
    "cuMemcpyDtoH",
};

START_TEST(each_failing_call_is_named_and_leaks_nothing) {
  fake_reset();
  fake.fail_call = fallible[_i];
  fake.fail_result = CUDA_ERROR_OUT_OF_MEMORY;
  ck_assert_int_eq(whole_program(&err), GG_E_DRIVER);
  ck_assert_ptr_nonnull(strstr(err.message, fallible[_i]));
  assert_error(&err, GG_E_DRIVER, "CUDA_ERROR_OUT_OF_MEMORY (2: out of memory)");
  /* Where entering the context fails, there is no way to free what lives in it. */
  if (strcmp(fallible[_i], "cuCtxPushCurrent") != 0) ck_assert_int_eq(fake_alive(), 0);
}
END_TEST

START_TEST(each_failing_allocation_is_reported_and_leaks_nothing) {
  long allowed = 0;
  for (;; allowed++) {
    fake_reset();
    gg_alloc_fail_after(allowed);
    gg_status st = whole_program(&err);
    gg_alloc_fail_after(-1);
    ck_assert_int_eq(fake_alive(), 0);
    if (st == GG_OK) break;
    ck_assert_int_eq(st, GG_E_MEMORY);
    gg_error_clear(&err);
    ck_assert_int_lt(allowed, 1000);
  }
  ck_assert_int_gt(allowed, 3);
}
END_TEST

START_TEST(no_device) {
  gg_context *context;
  fake_reset();
  ck_assert_int_eq(open_context(&context, 1), GG_E_NO_DEVICE);
  ck_assert_ptr_null(context);
  assert_error(&err, GG_E_NO_DEVICE, "no device 1: the driver has 1");
  ck_assert_int_eq(open_context(&context, -1), GG_E_NO_DEVICE);
  gg_error_clear(&err);
  fake.fail_call = "cuInit";
  fake.fail_result = CUDA_ERROR_NO_DEVICE;
  ck_assert_int_eq(open_context(&context, 0), GG_E_NO_DEVICE);
  assert_error(&err, GG_E_NO_DEVICE, "the driver has 0");
}
END_TEST

START_TEST(facts) {
  fake_reset();
  gg_context *context;
  ck_assert_int_eq(open_context(&context, 0), GG_OK);
  const gg_device_facts *device = gg_context_device(context);
  ck_assert_str_eq(device->name, "Fake GPU");
  ck_assert_int_eq(device->arch, 90);
  ck_assert_int_eq(device->sm_count, 1000 + CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  ck_assert_int_eq(device->smem_per_cta, 232448);
  gg_kernel kernel = fixture_kernel();
  gg_binary binary = fixture_binary();
  gg_module *module;
  ck_assert_int_eq(gg_module_load_binary(&module, context, &kernel, &binary, &err), GG_OK);
  const gg_module_facts *loaded = gg_module_facts_of(module);
  ck_assert_int_eq(loaded->registers, 168);
  ck_assert_int_eq(loaded->local_bytes, 16);
  ck_assert_int_eq(loaded->smem_bytes, 49152 + 1024);
  ck_assert_int_eq(loaded->ctas_per_sm, 2);
  ck_assert_str_eq(loaded->arch, "sm_90");
  gg_module_free(module);
  gg_context_close(context);
}
END_TEST

START_TEST(too_much_shared_memory) {
  fake_reset();
  fake.smem_per_cta = 49151;
  gg_context *context;
  ck_assert_int_eq(open_context(&context, 0), GG_OK);
  gg_kernel kernel = fixture_kernel();
  gg_binary binary = fixture_binary();
  gg_module *module;
  ck_assert_int_eq(gg_module_load_binary(&module, context, &kernel, &binary, &err),
                   GG_E_DEVICE_SMEM);
  assert_error(&err, GG_E_DEVICE_SMEM,
               "takes 49152 B of dynamic shared memory a CTA, Fake GPU has 49151");
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
}
END_TEST

START_TEST(the_drivers_compiler_log_is_kept) {
  fake_reset();
  gg_context *context;
  ck_assert_int_eq(open_context(&context, 0), GG_OK);
  gg_kernel kernel = fixture_kernel();
  gg_binary binary = {.format = GG_FORMAT_PTX, .arch = "sm_90", .data = "broken", .size = 6};
  gg_module *module;
  ck_assert_int_eq(gg_module_load_binary(&module, context, &kernel, &binary, &err), GG_E_DRIVER);
  ck_assert_str_eq(err.log, "ptxas fatal: broken");
  gg_error_clear(&err);
  gg_context_close(context);
}
END_TEST

/* A context, a module and the launches of one test. */
typedef struct loaded {
  gg_context *context;
  gg_module *module;
} loaded;

static loaded load(gg_kernel kernel) {
  loaded out;
  gg_binary binary = fixture_binary();
  fake.argument_count = kernel.param_count;
  ck_assert_int_eq(open_context(&out.context, 0), GG_OK);
  ck_assert_int_eq(gg_module_load_binary(&out.module, out.context, &kernel, &binary, &err), GG_OK);
  return out;
}

static void unload(loaded it) {
  gg_module_free(it.module);
  gg_context_close(it.context);
  ck_assert_int_eq(fake_alive(), 0);
}

START_TEST(clusters_are_an_attribute) {
  fake_reset();
  gg_kernel kernel = fixture_kernel();
  kernel.cluster_m = 2;
  loaded it = load(kernel);
  gg_problem p = fixture_problem(256, 64, 64, 1);
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
  ck_assert_uint_eq(fake.launches[0].cluster[0], 2);
  ck_assert_uint_eq(fake.launches[0].cluster[1], 1);
  ck_assert_uint_eq(fake.launches[0].grid[0], 2);
  ck_assert_uint_eq(fake.launches[0].smem_bytes, 49152);
  unload(it);

  kernel.grid = GG_GRID_PERSISTENT; /* as many clusters as the driver says */
  it = load(kernel);
  p = fixture_problem(4096, 4096, 64, 1);
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
  ck_assert_uint_eq(fake.launches[1].grid[0], 100);
  unload(it);
}
END_TEST

/* What runs beside a launch is left multiprocessors, where CTAs walk over tiles. */
START_TEST(a_problem_leaves_multiprocessors) {
  fake_reset();
  static const struct {
    gg_grid_rule grid;
    int cluster_m;
    int64_t multiprocessors;
    unsigned ctas; /* of 1016 multiprocessors 2 each; of clusters, 100 in all */
  } rows[] = {
      {GG_GRID_PERSISTENT, 1, 0, 2032},    {GG_GRID_PERSISTENT, 1, 1000, 2000},
      {GG_GRID_PERSISTENT, 1, 1016, 2032}, {GG_GRID_PERSISTENT, 1, 5000, 2032},
      {GG_GRID_PERSISTENT, 1, -1, 2032},   {GG_GRID_PERSISTENT, 2, 0, 100},
      {GG_GRID_PERSISTENT, 2, 1000, 100},  {GG_GRID_PERSISTENT, 4, 41, 80},
      {GG_GRID_PERSISTENT, 4, 1, 4},       {GG_GRID_TILES, 1, 16, 64 * 64},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gg_kernel kernel = fixture_kernel();
    kernel.grid = rows[i].grid;
    kernel.cluster_m = rows[i].cluster_m;
    loaded it = load(kernel);
    gg_problem p = fixture_problem(64 * kernel.tile_m, 64 * kernel.tile_n, 64, 1);
    p.multiprocessors = rows[i].multiprocessors;
    ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
    ck_assert_msg(fake.launches[i].grid[0] == rows[i].ctas, "row %zu: %u CTAs", i,
                  fake.launches[i].grid[0]);
    unload(it);
  }
}
END_TEST

/* Dimensions are along the contiguous mode, across it, and the batch. */
START_TEST(tensor_maps_are_encoded_once) {
  fake_reset();
  fake.argument_count = 4;
  loaded it = load(fixture_mapped_kernel());
  gg_problem p = fixture_problem(100, 64, 40, 3);
  p.batch_stride_b = 0; /* shared */
  gg_prepared prepared;
  ck_assert_int_eq(gg_prepare(&prepared, it.module, &p, &err), GG_OK);
  ck_assert_int_eq(fake.map_count, 3);
  const fake_map *a = &fake.maps[0], *b = &fake.maps[1], *d = &fake.maps[2];
  ck_assert_uint_eq(a->rank, 3);
  ck_assert_uint_eq(a->address, 0x1000);
  ck_assert_uint_eq(a->dims[0], 40);
  ck_assert_uint_eq(a->dims[1], 100);
  ck_assert_uint_eq(a->dims[2], 3);
  ck_assert_uint_eq(a->strides[0], 40 * 2);
  ck_assert_uint_eq(a->strides[1], 100 * 40 * 2);
  ck_assert_uint_eq(a->box[0], 64);
  ck_assert_uint_eq(a->box[1], 128);
  ck_assert_uint_eq(a->box[2], 1);
  ck_assert_uint_eq(a->element_strides[2], 1);
  ck_assert_int_eq(a->type, CU_TENSOR_MAP_DATA_TYPE_UINT16);
  ck_assert_int_eq(a->swizzle, CU_TENSOR_MAP_SWIZZLE_128B);
  ck_assert_uint_eq(b->dims[1], 64);
  ck_assert_uint_eq(b->strides[1], 0);
  ck_assert_int_eq(b->swizzle, CU_TENSOR_MAP_SWIZZLE_64B);
  ck_assert_uint_eq(d->dims[0], 64);
  ck_assert_int_eq(d->type, CU_TENSOR_MAP_DATA_TYPE_UINT32);
  ck_assert_int_eq(d->swizzle, CU_TENSOR_MAP_SWIZZLE_NONE);

  /* A value: a copy launches as well, and encodes nothing. */
  gg_prepared copy = prepared;
  memset(&prepared, 0, sizeof prepared);
  int calls = fake.calls;
  ck_assert_int_eq(gg_launch_prepared(&copy, NULL, &err), GG_OK);
  ck_assert_int_eq(fake.calls, calls + 3); /* push, launch, pop */
  ck_assert_uint_eq(fake.launches[0].arguments[0], FAKE_MAP_MARK);
  ck_assert_uint_eq(fake.launches[0].arguments[1], FAKE_MAP_MARK + 1);
  ck_assert_uint_eq(fake.launches[0].arguments[2], FAKE_MAP_MARK + 2);
  ck_assert_uint_eq(fake.launches[0].arguments[3], 100);
  unload(it);
}
END_TEST

/* As many dimensions as the kernel says, in its order; and types of less than a byte. */
/* Of a batch by arrays of addresses a map has some address, and all batches' coordinates: the
 * kernel gives copies of it the addresses. */
START_TEST(tensor_maps_of_arrays_of_addresses) {
  fake_reset();
  fake.argument_count = 4;
  gg_kernel kernel = fixture_mapped_kernel();
  kernel.pointers = 1;
  loaded it = load(kernel);
  gg_problem p = fixture_problem(100, 64, 40, 3);
  p.pointers = true;
  p.a = 0x1008;
  p.batch_stride_a = p.batch_stride_d = -1; /* which count for nothing */
  gg_prepared prepared;
  ck_assert_int_eq(gg_prepare(&prepared, it.module, &p, &err), GG_OK);
  ck_assert_int_eq(fake.map_count, 3);
  const fake_map *a = &fake.maps[0], *d = &fake.maps[2];
  ck_assert_uint_eq(a->address, 0x1000);
  ck_assert_uint_eq(a->dims[2], 3);
  ck_assert_uint_eq(a->strides[0], 40 * 2);
  ck_assert_uint_eq(a->strides[1], 0);
  ck_assert_uint_eq(d->dims[2], 3);
  ck_assert_uint_eq(d->strides[1], 0);
  unload(it);
}
END_TEST

START_TEST(tensor_maps_of_any_rank_and_type) {
  static const struct {
    gg_dtype type;
    int driver_type;
    uint64_t line_bytes; /* of 128 elements */
    bool unpacks;
  } types[] = {
      {GG_DTYPE_e2m1, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, 64, false},
      {GG_DTYPE_e2m1, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, 64, true},
      {GG_DTYPE_e2m3, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B, 96, true},
      {GG_DTYPE_e4m3, CU_TENSOR_MAP_DATA_TYPE_UINT8, 128, false},
      {GG_DTYPE_tf32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 512, false},
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    fake_reset();
    gg_kernel kernel = fixture_mapped_kernel();
    kernel.a.type = kernel.maps[0].type = types[i].type;
    kernel.maps[0].unpacks = types[i].unpacks;
    kernel.maps[1].rank = 2;
    kernel.maps[2].rank = 1;
    loaded it = load(kernel);
    gg_problem p = fixture_problem(100, 64, 128, 1);
    ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
    const fake_map *a = &fake.maps[0];
    ck_assert_uint_eq(a->rank, 3);
    ck_assert_int_eq(a->type, types[i].driver_type);
    ck_assert_uint_eq(a->dims[0], 128);
    ck_assert_uint_eq(a->strides[0], types[i].line_bytes);
    ck_assert_uint_eq(fake.maps[1].rank, 2);
    ck_assert_uint_eq(fake.maps[1].dims[1], 64);
    ck_assert_uint_eq(fake.maps[1].strides[0], 256);
    ck_assert_uint_eq(fake.maps[2].rank, 1);
    ck_assert_uint_eq(fake.maps[2].dims[0], 64);
    unload(it);
  }
}
END_TEST

/* 300 rows are 3 atoms of 128, 200 elements along K 2 atoms of 4 factors: each 256 elements of 2
 * bytes. Of none, where K is 0, a map is of one atom. */
START_TEST(tensor_maps_of_scale_factors) {
  gg_kernel kernel = fixture_mapped_kernel();
  kernel.scale_a = kernel.scale_b = (gg_scaling){GG_DTYPE_ue8m0, 32};
  kernel.maps[0] =
      (gg_tensor_map){.operand = GG_OPERAND_SCALE_A,
                      .type = GG_DTYPE_ue8m0,
                      .rank = 4,
                      .modes = {GG_MAP_SCALE_ATOM, GG_MAP_SCALE_ROWS, GG_MAP_SCALE_K, GG_MAP_BATCH},
                      .box = {256, 4, 2, 1},
                      .rows_step = 3}; /* atoms 0 and 3 along the rows */
  for (int with_k = 0; with_k < 2; with_k++) {
    fake_reset();
    loaded it = load(kernel);
    gg_problem p = fixture_problem(300, 64, with_k ? 200 : 0, 2);
    ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
    p.scale_a = 0x8000, p.scale_b = 0x9000;
    ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
    const fake_map *map = &fake.maps[0];
    ck_assert_uint_eq(map->rank, 4);
    ck_assert_int_eq(map->type, CU_TENSOR_MAP_DATA_TYPE_UINT16);
    ck_assert_uint_eq(map->dims[0], 256);
    ck_assert_uint_eq(map->dims[1], with_k ? 3 : 1);
    ck_assert_uint_eq(map->dims[2], with_k ? 2 : 1);
    ck_assert_uint_eq(map->dims[3], with_k ? 2 : 1);
    ck_assert_uint_eq(map->strides[0], with_k ? 1024 : 512);
    ck_assert_uint_eq(map->strides[1], 512);
    ck_assert_uint_eq(map->strides[2], with_k ? 3 * 1024 : 512);
    ck_assert_uint_eq(map->box[1], 4);
    for (uint32_t i = 0; i < 4; i++)
      ck_assert_uint_eq(map->element_strides[i], i == 1 ? 3 : 1);
    unload(it);
  }
}
END_TEST

/* 300 rows of B by turns from both halves: the half is a dimension of two, in front of its rows. Of
 * none, where K is 0, each half is a row. */
START_TEST(tensor_maps_of_halves) {
  gg_kernel kernel = fixture_mapped_kernel();
  kernel.maps[1] =
      (gg_tensor_map){.operand = GG_OPERAND_B,
                      .type = GG_DTYPE_f16,
                      .rank = 4,
                      .modes = {GG_MAP_LINE, GG_MAP_HALF, GG_MAP_HALF_LINES, GG_MAP_BATCH},
                      .box = {32, 2, 32, 1},
                      .swizzle_bytes = 64};
  for (int with_k = 0; with_k < 2; with_k++) {
    fake_reset();
    loaded it = load(kernel);
    gg_problem p = fixture_problem(64, 300, with_k ? 200 : 0, 2);
    ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
    ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
    const fake_map *map = &fake.maps[1];
    ck_assert_uint_eq(map->rank, 4);
    ck_assert_uint_eq(map->dims[0], with_k ? 200 : 1);
    ck_assert_uint_eq(map->dims[1], 2);
    ck_assert_uint_eq(map->dims[2], with_k ? 150 : 1);
    ck_assert_uint_eq(map->dims[3], with_k ? 2 : 1);
    ck_assert_uint_eq(map->strides[0], with_k ? 150 * 400 : 16);
    ck_assert_uint_eq(map->strides[1], with_k ? 400 : 16);
    ck_assert_uint_eq(map->strides[2], with_k ? 300 * 400 : 16);
    ck_assert_uint_eq(map->box[1], 2);
    unload(it);
  }
}
END_TEST

/* 300 rows are 3 tiles of 128, 200 elements along K 2 of 128: each 256 elements of 8 bytes, those
 * along the rows behind each other. Of none, where K is 0, a map is of one tile. */
START_TEST(tensor_maps_of_metadata) {
  gg_kernel kernel = fixture_mapped_kernel();
  kernel.sparse_a = true;
  kernel.maps[0] = (gg_tensor_map){
      .operand = GG_OPERAND_METADATA,
      .type = GG_DTYPE_f64,
      .rank = 4,
      .modes = {GG_MAP_METADATA_TILE, GG_MAP_METADATA_ROWS, GG_MAP_METADATA_K, GG_MAP_BATCH},
      .box = {256, 1, 1, 1}};
  for (int with_k = 0; with_k < 2; with_k++) {
    fake_reset();
    loaded it = load(kernel);
    gg_problem p = fixture_problem(300, 64, with_k ? 200 : 0, 2);
    ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
    p.metadata = 0x8000;
    ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
    const fake_map *map = &fake.maps[0];
    ck_assert_uint_eq(map->rank, 4);
    ck_assert_int_eq(map->type, CU_TENSOR_MAP_DATA_TYPE_UINT64);
    ck_assert_uint_eq(map->dims[0], 256);
    ck_assert_uint_eq(map->dims[1], with_k ? 3 : 1);
    ck_assert_uint_eq(map->dims[2], with_k ? 2 : 1);
    ck_assert_uint_eq(map->dims[3], with_k ? 2 : 1);
    ck_assert_uint_eq(map->strides[0], 2048);
    ck_assert_uint_eq(map->strides[1], with_k ? 3 * 2048 : 2048);
    ck_assert_uint_eq(map->strides[2], with_k ? 6 * 2048 : 2048);
    unload(it);
  }
}
END_TEST

/* For MMAs of 64 rows: 3 x 8 blocks of 16 rows, 32 elements of 8 bytes, with one place for what a
 * box has zeros of. Here B is the sparse operand, of 300 rows. */
START_TEST(tensor_maps_of_half_metadata) {
  gg_kernel kernel = fixture_mapped_kernel();
  kernel.sparse_b = true;
  kernel.maps[0] =
      (gg_tensor_map){.operand = GG_OPERAND_METADATA,
                      .type = GG_DTYPE_f64,
                      .rank = 5,
                      .modes = {GG_MAP_METADATA_BLOCK, GG_MAP_METADATA_GAP, GG_MAP_METADATA_BLOCKS,
                                GG_MAP_METADATA_K, GG_MAP_BATCH},
                      .box = {32, 2, 4, 1, 1}};
  fake_reset();
  loaded it = load(kernel);
  gg_problem p = fixture_problem(64, 300, 200, 2);
  ck_assert_int_eq(gg_problem_pack(&p, &kernel, &err), GG_OK);
  p.metadata = 0x8000;
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
  static const uint64_t dims[] = {32, 1, 24, 2, 2}, strides[] = {256, 256, 6144, 12288};
  const fake_map *map = &fake.maps[0];
  ck_assert_uint_eq(map->rank, 5);
  for (int i = 0; i < 5; i++)
    ck_assert_uint_eq(map->dims[i], dims[i]);
  for (int i = 0; i < 4; i++)
    ck_assert_uint_eq(map->strides[i], strides[i]);
  unload(it);
}
END_TEST

/* In whole 16 bytes, 4 elements of f32: the kernel stores the rest. */
START_TEST(tensor_maps_write_whole_units) {
  static const int64_t ns[][2] = {{64, 64}, {67, 64}, {4, 4}, {3, 4}};
  for (int i = 0; i < 4; i++) {
    fake_reset();
    loaded it = load(fixture_mapped_kernel());
    gg_problem p = fixture_problem(100, ns[i][0], 8, 1);
    ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
    ck_assert_int_eq(fake.maps[2].dims[0], ns[i][1]);
    ck_assert_int_eq(fake.maps[1].dims[1], ns[i][0]);
    unload(it);
  }
}
END_TEST

/* Nothing of A and B is read, but their maps are legal: an element of D. */
START_TEST(tensor_maps_of_nothing) {
  fake_reset();
  fake.argument_count = 4;
  loaded it = load(fixture_mapped_kernel());
  gg_problem p = fixture_problem(100, 64, 0, 1);
  p.a = p.b = 0;
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
  ck_assert_uint_eq(fake.maps[0].address, 0x4000);
  ck_assert_uint_eq(fake.maps[0].dims[0], 1);
  ck_assert_uint_eq(fake.maps[0].strides[0], 16);
  ck_assert_uint_eq(fake.maps[2].dims[0], 64);
  ck_assert_int_eq(fake.orphans, 0);
  p = fixture_problem(0, 64, 8, 1);
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
  ck_assert_int_eq(fake.map_count, 3);
  fake.fail_call = "cuTensorMapEncodeTiled";
  fake.fail_result = 1;
  p = fixture_problem(100, 64, 8, 1);
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_E_DRIVER);
  assert_error(&err, GG_E_DRIVER, "cuTensorMapEncodeTiled failed");
  unload(it);
}
END_TEST

START_TEST(empty_problems_launch_nothing) {
  fake_reset();
  loaded it = load(fixture_kernel());
  gg_problem p = fixture_problem(0, 64, 64, 1);
  int calls = fake.calls;
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
  ck_assert_int_eq(fake.calls, calls);
  p = fixture_problem(64, 64, 0, 1);
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
  ck_assert_int_eq(fake.launch_count, 1);
  unload(it);
}
END_TEST

START_TEST(a_launch_only_launches) {
  fake_reset();
  loaded it = load(fixture_kernel());
  gg_problem p = fixture_problem(64, 64, 64, 1);
  gg_prepared prepared;
  fake.capturing = (CUstream)(uintptr_t)5;
  gg_alloc_fail_after(0);
  int calls = fake.calls;
  ck_assert_int_eq(gg_prepare(&prepared, it.module, &p, &err), GG_OK);
  ck_assert_int_eq(fake.calls, calls);
  ck_assert_int_eq(gg_launch_prepared(&prepared, fake.capturing, &err), GG_OK);
  ck_assert_int_eq(fake.calls, calls + 3); /* push, launch, pop */
  gg_alloc_fail_after(-1);
  ck_assert_int_eq(fake.in_capture, 0);
  ck_assert_ptr_eq(fake.launches[0].stream, fake.capturing);
  unload(it);
}
END_TEST

START_TEST(the_kernel_may_go_once_loaded) {
  fake_reset();
  char name[] = "tiny";
  gg_param params[] = {{GG_PARAM_ADDRESS, GG_OPERAND_D, 0}, {.kind = GG_PARAM_M}};
  gg_kernel kernel = fixture_kernel();
  kernel.name = name;
  kernel.params = params;
  kernel.param_count = 2;
  fake.argument_count = 2;
  loaded it = load(kernel);
  memset(name, 'x', sizeof name - 1);
  params[0] = params[1] = (gg_param){.kind = GG_PARAM_K};
  gg_problem p = fixture_problem(64, 64, 32, 1);
  ck_assert_int_eq(gg_launch(it.module, &p, NULL, &err), GG_OK);
  ck_assert_uint_eq(fake.launches[0].arguments[0], p.d);
  ck_assert_uint_eq(fake.launches[0].arguments[1], 64);
  p.alpha = 2;
  gg_launch(it.module, &p, NULL, &err);
  assert_error(&err, GG_E_PROBLEM_SCALAR, "kernel tiny has no alpha");
  unload(it);
}
END_TEST

enum { threads = 8, rounds = 100 };

/* Gives its argument back when all is well. */
static void *launch_many(void *argument) {
  const gg_module *module = argument;
  for (int i = 0; i < rounds; i++) {
    gg_error mine = GG_ERROR_INIT;
    gg_problem p = fixture_problem(64 + i, 64, 64, 1);
    if (gg_launch(module, &p, NULL, &mine)) return NULL;
  }
  return argument;
}

START_TEST(eight_threads_on_two_contexts) {
  fake_reset();
  loaded its[2] = {load(fixture_kernel()), load(fixture_kernel())};
  pthread_t ids[threads];
  for (int i = 0; i < threads; i++) {
    ck_assert_int_eq(pthread_create(&ids[i], NULL, launch_many, its[i % 2].module), 0);
  }
  for (int i = 0; i < threads; i++) {
    void *passed;
    pthread_join(ids[i], &passed);
    ck_assert_ptr_nonnull(passed);
  }
  ck_assert_int_eq(fake.launch_count, threads * rounds);
  ck_assert_int_eq(fake.orphans, 0);
  gg_module_free(its[0].module);
  gg_context_close(its[0].context);
  unload(its[1]);
}
END_TEST

START_TEST(no_driver_here_is_a_clear_error) {
  gg_context *context;
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .provider = GG_PROVIDER_CUDA,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  gg_status st = gg_context_open(&context, &options, &err);
  if (st == GG_OK) { /* a machine with a GPU */
    gg_context_close(context);
    return;
  }
  ck_assert_ptr_null(context);
  ck_assert(st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE || st == GG_E_DRIVER);
  gg_error_clear(&err);
}
END_TEST

START_TEST(there_always_is_a_device) {
  gg_context *context;
  gg_context_options options = {
      .size = sizeof(gg_context_options),
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  ck_assert_int_eq(gg_context_open(&context, &options, &err), GG_OK);
  ck_assert_int_ge(gg_context_device(context)->arch, 70);
  gg_context_close(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("context");
  TCase *tests = tcase_create("fake driver");
  tcase_add_test(tests, runs_and_leaves_nothing);
  tcase_add_loop_test(tests, each_failing_call_is_named_and_leaks_nothing, 0,
                      sizeof fallible / sizeof *fallible);
  tcase_add_test(tests, each_failing_allocation_is_reported_and_leaks_nothing);
  tcase_add_test(tests, no_device);
  tcase_add_test(tests, facts);
  tcase_add_test(tests, too_much_shared_memory);
  tcase_add_test(tests, the_drivers_compiler_log_is_kept);
  tcase_add_test(tests, clusters_are_an_attribute);
  tcase_add_test(tests, a_problem_leaves_multiprocessors);
  tcase_add_test(tests, tensor_maps_are_encoded_once);
  tcase_add_test(tests, tensor_maps_of_arrays_of_addresses);
  tcase_add_test(tests, tensor_maps_of_any_rank_and_type);
  tcase_add_test(tests, tensor_maps_of_scale_factors);
  tcase_add_test(tests, tensor_maps_of_halves);
  tcase_add_test(tests, tensor_maps_of_metadata);
  tcase_add_test(tests, tensor_maps_of_half_metadata);
  tcase_add_test(tests, tensor_maps_write_whole_units);
  tcase_add_test(tests, tensor_maps_of_nothing);
  tcase_add_test(tests, empty_problems_launch_nothing);
  tcase_add_test(tests, a_launch_only_launches);
  tcase_add_test(tests, the_kernel_may_go_once_loaded);
  tcase_add_test(tests, eight_threads_on_two_contexts);
  tcase_add_test(tests, no_driver_here_is_a_clear_error);
  tcase_add_test(tests, there_always_is_a_device);
  tcase_set_timeout(tests, 60);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
