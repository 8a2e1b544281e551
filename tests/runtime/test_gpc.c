/* Groups of multiprocessors: the emulator's, found as a GPU's are; other devices', whose answers
 * are played, also of devices that are drawn; what becomes of failures. */
#include <pthread.h>
#include <string.h>

#include "context.h"
#include "draws.h"
#include "emu/gpc.h"
#include "gemmgen_emu.h"
#include "gpc.h"
#include "suite.h"

static gg_error err = GG_ERROR_INIT;

/* ---- The emulator's driver, with calls of this file in some places --------------------- */

static gg_driver emulator; /* its own calls */
static int launches;
static unsigned cluster_size;                               /* of the last launch */
static uint32_t (*played)(unsigned cluster, unsigned rank); /* the %smid that a CTA says */
static CUresult load_result;
static bool no_room, no_memory;  /* for clusters; on the device */
static unsigned largest_cluster; /* that there is room for */
static _Thread_local int mode;   /* of captures */
static int forbidden;            /* calls that it forbids */

static CUresult counted_launch(const CUlaunchConfig *config, CUfunction function, void **arguments,
                               void **extra) {
  launches++;
  cluster_size = config->attributes[0].value.cluster[0];
  return emulator.cuLaunchKernelEx(config, function, arguments, extra);
}

static CUresult played_copy(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  CUresult result = emulator.cuMemcpyDtoHAsync(to, from, bytes, stream);
  uint32_t *smids = to;
  for (unsigned i = 0; played && i < bytes / sizeof *smids; i++)
    smids[i] = played(i / cluster_size, i % cluster_size);
  return result;
}

static CUresult refused_load(CUmodule *module, const void *image, unsigned count, int *options,
                             void **values) {
  forbidden += mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  if (load_result) return load_result;
  return emulator.cuModuleLoadDataEx(module, image, count, options, values);
}

static CUresult refused_alloc(CUdeviceptr *address, size_t bytes) {
  forbidden += mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return no_memory ? CUDA_ERROR_OUT_OF_MEMORY : emulator.cuMemAlloc(address, bytes);
}

static CUresult room_for(int *clusters, CUfunction function, const CUlaunchConfig *config) {
  CUresult result = emulator.cuOccupancyMaxActiveClusters(clusters, function, config);
  if (no_room || config->attributes[0].value.cluster[0] > largest_cluster) *clusters = 0;
  return result;
}

static CUresult exchanged_mode(int *other) {
  int before = mode;
  mode = *other;
  *other = before;
  return CUDA_SUCCESS;
}

/* A device of the emulator, where asynchronous work lands by `seed` unless it is 0. */
static gg_context *open_device(int arch, uint64_t seed) {
  gg_driver driver;
  gg_context *context;
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  ck_assert_int_eq(gg_emu_options_init(&options), 0);
  options.arch = arch;
  options.random = seed != 0;
  options.seed = seed;
  ck_assert_int_eq(gg_emu_configure(&options), 0);
  ck_assert_int_eq(gg_driver_open(&driver, GG_PROVIDER_EMU, &err), GG_OK);
  emulator = driver;
  driver.cuLaunchKernelEx = counted_launch;
  driver.cuMemcpyDtoHAsync = played_copy;
  driver.cuModuleLoadDataEx = refused_load;
  driver.cuMemAlloc = refused_alloc;
  driver.cuOccupancyMaxActiveClusters = room_for;
  driver.cuThreadExchangeStreamCaptureMode = exchanged_mode;
  launches = forbidden = 0;
  mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  played = NULL;
  load_result = CUDA_SUCCESS;
  no_room = no_memory = false;
  largest_cluster = 8;
  ck_assert_msg(gg_context_open_device(&context, &driver, 0, &err) == GG_OK, "%s", err.message);
  return context;
}

static const gg_gpcs *measured(gg_context *context) {
  const gg_gpcs *gpcs = NULL;
  ck_assert_msg(gg_context_gpcs(&gpcs, context, &err) == GG_OK, "%s", err.message);
  ck_assert_int_eq(gpcs->multiprocessors, gg_context_device(context)->sm_count);
  int members[GG_GPCS_MAX] = {0};
  for (int sm = 0; sm < GG_GPC_MULTIPROCESSORS; sm++) {
    ck_assert_int_lt(gpcs->of[sm], gpcs->count);
    if (sm < gpcs->multiprocessors) members[gpcs->of[sm]]++;
  }
  for (int group = 0; group < gpcs->count; group++)
    ck_assert_int_eq(gpcs->size[group], members[group]);
  return gpcs;
}

static void ck_one_group(const gg_gpcs *gpcs) {
  ck_assert_int_eq(gpcs->count, 1);
  ck_assert_int_eq(gpcs->size[0], gpcs->multiprocessors);
  ck_assert(!gpcs->loose[0]);
}

/* ---- Devices -------------------------------------------------------------------------- */

static void ck_emulator(int arch, uint64_t seed, int multiprocessors) {
  gg_context *context = open_device(arch, seed);
  const gg_gpcs *gpcs = measured(context);
  ck_assert_int_eq(gpcs->multiprocessors, multiprocessors);
  ck_assert_int_eq(gpcs->count, 8);
  for (int sm = 0; sm < multiprocessors; sm++)
    ck_assert_int_eq(gpcs->of[sm], sm / 2 % 8);
  for (int group = 0; group < gpcs->count; group++)
    ck_assert(!gpcs->loose[group]);
  gg_context_close(context);
}

START_TEST(finds_the_emulators) {
  ck_emulator(90, 0, 132);
  ck_emulator(100, 0, 148);
  ck_emulator(110, 0, 20);
  ck_emulator(120, 0, 170);
}
END_TEST

START_TEST(finds_them_in_any_order) {
  draws_restart();
  for (int i = 0; i < 5; i++)
    ck_emulator(90, draw() | 1, 132);
}
END_TEST

/* As many clusters as the device holds lie apart, and any cluster lies on the device. */
static void ck_seats(uint32_t multiprocessors, uint32_t ctas) {
  uint32_t used = 0, gpc_sizes[8] = {0}, room = 0;
  for (uint32_t sm = 0; sm < multiprocessors; sm++)
    gpc_sizes[sm / 2 % 8]++;
  for (int gpc = 0; gpc < 8; gpc++)
    room += gpc_sizes[gpc] / ctas;
  bool taken[GG_GPC_MULTIPROCESSORS] = {0};
  for (uint32_t index = 0; index < 5 * room + 5; index++) {
    emu_seat seat = emu_seat_in_turn(multiprocessors, ctas, index);
    if (room && index % room == 0) {
      memset(taken, 0, sizeof taken);
      used = 0;
    }
    for (uint32_t rank = 0; rank < ctas; rank++) {
      uint32_t sm = emu_seat_multiprocessor(&seat, rank);
      ck_assert_uint_lt(sm, multiprocessors);
      ck_assert_uint_eq(sm / 2 % 8, seat.gpc);
      used += !taken[sm];
      taken[sm] = true;
    }
    if (room) ck_assert_uint_eq(used, (index % room + 1) * ctas);
  }
}

START_TEST(the_emulators_clusters_lie_apart) {
  const uint32_t devices[] = {132, 148, 20, 170, 4};
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
    for (uint32_t ctas = 1; ctas <= 16; ctas++)
      ck_seats(devices[i], ctas);
}
END_TEST

START_TEST(any_emulators_clusters_lie_apart) {
  draws_restart();
  for (int i = 0; i < 200; i++)
    ck_seats((uint32_t)(2 * draw_from(1, GG_GPC_MULTIPROCESSORS / 2)), (uint32_t)draw_from(1, 16));
}
END_TEST

/* An H100 of groups of 8, 16 and 18 multiprocessors, of which the last eight take no cluster of
 * four. */
static const int h100_sizes[] = {8, 16, 16, 16, 16, 16, 18, 18};

static uint32_t h100(unsigned cluster, unsigned rank) {
  unsigned group = cluster % 8, first = 0;
  for (unsigned i = 0; i < group; i++)
    first += (unsigned)h100_sizes[i];
  return first + (cluster / 8 * 3 + rank) % (unsigned)h100_sizes[group];
}

START_TEST(puts_loose_ones_together) {
  gg_context *context = open_device(90, 0);
  played = h100;
  const gg_gpcs *gpcs = measured(context);
  ck_assert_int_eq(gpcs->count, 9);
  for (int group = 0; group < 8; group++) {
    ck_assert_int_eq(gpcs->size[group], h100_sizes[group]);
    ck_assert(!gpcs->loose[group]);
  }
  for (int sm = 124; sm < 132; sm++)
    ck_assert_int_eq(gpcs->of[sm], 8);
  ck_assert(gpcs->loose[8]);
  gg_context_close(context);
}
END_TEST

/* 33 groups of four. */
static uint32_t many(unsigned cluster, unsigned rank) {
  return cluster % 33 * 4 + rank % 4;
}

/* 16 groups, and loose ones beside them. */
static uint32_t one_too_many(unsigned cluster, unsigned rank) {
  return cluster % 16 * 8 + rank;
}

/* As of a part of a device, whose multiprocessors keep their numbers. */
static uint32_t out_of_range(unsigned cluster, unsigned rank) {
  return 128 + (cluster + rank) % 8;
}

START_TEST(is_one_group_else) {
  uint32_t (*const plays[])(unsigned, unsigned) = {many, one_too_many, out_of_range};
  for (size_t i = 0; i < sizeof plays / sizeof *plays; i++) {
    gg_context *context = open_device(90, 0);
    played = plays[i];
    ck_one_group(measured(context));
    gg_context_close(context);
  }
}
END_TEST

START_TEST(is_one_group_without_clusters) {
  gg_context *context = open_device(80, 0);
  ck_one_group(measured(context));
  ck_assert_int_eq(launches, 0);
  gg_context_close(context);
  context = open_device(90, 0);
  no_room = true;
  ck_one_group(measured(context));
  ck_assert_int_eq(launches, 0);
  gg_context_close(context);
}
END_TEST

START_TEST(is_one_group_where_the_driver_does_not_compile) {
  const CUresult results[] = {CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                              CUDA_ERROR_JIT_COMPILATION_DISABLED};
  for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
    gg_context *context = open_device(90, 0);
    load_result = results[i];
    ck_one_group(measured(context));
    gg_context_close(context);
  }
}
END_TEST

/* ---- Devices that are drawn ------------------------------------------------------------ */

/* Groups of any sizes whose multiprocessors have any numbers. */
static struct {
  int multiprocessors, count;
  int group[GG_GPC_MULTIPROCESSORS];                  /* of each %smid */
  int smids[GG_GPCS_MAX + 8][GG_GPC_MULTIPROCESSORS]; /* of each group */
  int size[GG_GPCS_MAX + 8];
} drawn;

static void draw_device(int multiprocessors) {
  bool fine = draw() % 4 == 0; /* groups so small that many of them are loose */
  memset(&drawn, 0, sizeof drawn);
  drawn.multiprocessors = multiprocessors;
  drawn.count = below(GG_GPCS_MAX + 8) + 1;
  for (int sm = 0; sm < multiprocessors; sm++) {
    int group = below(drawn.count);
    if (fine && draw() % 4) group = 0;
    drawn.group[sm] = group;
    drawn.smids[group][drawn.size[group]++] = sm;
  }
}

/* Clusters begin at every place of the groups that hold them, in turn. */
static uint32_t played_drawn(unsigned cluster, unsigned rank) {
  int room = 0;
  for (int i = 0; i < drawn.count; i++)
    if (drawn.size[i] >= (int)cluster_size) room += drawn.size[i];
  int place = (int)(cluster % (unsigned)room), group = 0;
  for (;; group++) {
    if (drawn.size[group] < (int)cluster_size) continue;
    if (place < drawn.size[group]) break;
    place -= drawn.size[group];
  }
  return (uint32_t)drawn.smids[group][(place + (int)rank) % drawn.size[group]];
}

static unsigned largest_drawn(void) {
  unsigned largest = 0;
  for (int i = 0; i < drawn.count; i++) {
    unsigned holds = drawn.size[i] >= 8 ? 8 : drawn.size[i] >= 4 ? 4 : 0;
    if (holds > largest) largest = holds;
  }
  return largest;
}

/* Groups of four and more in the order of their least numbers, and behind them the loose ones. */
static gg_gpcs groups_drawn(void) {
  enum { least = 4 };
  gg_gpcs out = {.multiprocessors = drawn.multiprocessors};
  int number[GG_GPCS_MAX + 8], count = 0, loose = 0;
  memset(number, -1, sizeof number);
  for (int sm = 0; sm < drawn.multiprocessors; sm++) {
    int group = drawn.group[sm];
    if (drawn.size[group] < least) {
      loose++;
    } else if (number[group] < 0) {
      number[group] = count++;
    }
  }
  if (count == 0 || count + (loose > 0) > GG_GPCS_MAX)
    return (gg_gpcs){
        .multiprocessors = drawn.multiprocessors, .count = 1, .size = {drawn.multiprocessors}};
  for (int sm = 0; sm < drawn.multiprocessors; sm++) {
    int of = number[drawn.group[sm]] < 0 ? count : number[drawn.group[sm]];
    out.of[sm] = (unsigned char)of;
    out.size[of]++;
  }
  if (loose) out.loose[count] = true;
  out.count = count + (loose > 0);
  return out;
}

START_TEST(finds_what_is_drawn) {
  static const struct {
    int arch, multiprocessors;
  } devices[] = {{90, 132}, {100, 148}, {110, 20}, {120, 170}};
  int alone = 0, with_loose = 0;
  draws_restart();
  for (int i = 0; i < 40; i++) {
    int which = below(4);
    draw_device(devices[which].multiprocessors);
    gg_context *context = open_device(devices[which].arch, 0);
    played = played_drawn;
    largest_cluster = largest_drawn();
    const gg_gpcs *found = measured(context);
    gg_gpcs wanted = groups_drawn();
    ck_assert_msg(found->count == wanted.count && !memcmp(found->of, wanted.of, sizeof wanted.of) &&
                      !memcmp(found->size, wanted.size, sizeof wanted.size) &&
                      !memcmp(found->loose, wanted.loose, sizeof wanted.loose),
                  "seed %" PRIu64 ", device %d: %d groups, should be %d", draws_seed, i,
                  found->count, wanted.count);
    alone += wanted.count == 1;
    with_loose += wanted.loose[wanted.count - 1];
    gg_context_close(context);
  }
  ck_assert_msg(alone > 0 && alone < 40 && with_loose > 0, "seed %" PRIu64 ": %d, %d", draws_seed,
                alone, with_loose);
}
END_TEST

/* ---- Calls ---------------------------------------------------------------------------- */

START_TEST(measures_once) {
  gg_context *context = open_device(90, 0);
  const gg_gpcs *gpcs = measured(context);
  int before = launches;
  ck_assert_int_gt(before, 0);
  ck_assert_ptr_eq(measured(context), gpcs);
  ck_assert_int_eq(launches, before);
  ck_assert_int_eq(forbidden, 0);
  ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  gg_context_close(context);
}
END_TEST

static pthread_barrier_t start;

static void *ask(void *context) {
  gg_error own = GG_ERROR_INIT;
  const gg_gpcs *gpcs = NULL;
  pthread_barrier_wait(&start);
  gg_status st = gg_context_gpcs(&gpcs, context, &own);
  gg_error_clear(&own);
  return st ? NULL : (void *)gpcs;
}

START_TEST(serves_threads) {
  enum { threads = 2 };
  pthread_t ids[threads];
  gg_context *context = open_device(90, 0);
  pthread_barrier_init(&start, NULL, threads);
  for (int i = 0; i < threads; i++)
    ck_assert_int_eq(pthread_create(&ids[i], NULL, ask, context), 0);
  for (int i = 0; i < threads; i++) {
    void *gpcs;
    pthread_join(ids[i], &gpcs);
    ck_assert_ptr_eq(gpcs, measured(context));
  }
  ck_assert_int_eq(launches, 2);
  pthread_barrier_destroy(&start);
  gg_context_close(context);
}
END_TEST

START_TEST(is_tried_anew_after_a_failure) {
  const gg_gpcs *gpcs;
  size_t before, after, total;
  gg_context *context = open_device(90, 0);
  ck_assert_int_eq(gg_context_enter(context, &err), GG_OK);
  ck_assert_int_eq(emulator.cuMemGetInfo(&before, &total), CUDA_SUCCESS);
  no_memory = true;
  ck_assert_int_eq(gg_context_gpcs(&gpcs, context, &err), GG_E_DRIVER);
  ck_assert(strstr(err.message, "cuMemAlloc"));
  ck_assert_ptr_null(gpcs);
  gg_error_clear(&err);
  no_memory = false;
  ck_assert_int_eq(measured(context)->count, 8);
  ck_assert_int_eq(emulator.cuMemGetInfo(&after, &total), CUDA_SUCCESS);
  ck_assert_uint_eq(after, before);
  gg_context_leave(context);
  gg_context_close(context);
}
END_TEST

int main(void) {
  draws_begin(20261128);
  Suite *s = suite_create("gpc");
  TCase *devices = tcase_create("devices"), *calls = tcase_create("calls");
  tcase_set_timeout(devices, 60);
  tcase_set_timeout(calls, 60);
  tcase_add_test(devices, finds_the_emulators);
  tcase_add_test(devices, finds_them_in_any_order);
  tcase_add_test(devices, the_emulators_clusters_lie_apart);
  tcase_add_test(devices, any_emulators_clusters_lie_apart);
  tcase_add_test(devices, puts_loose_ones_together);
  tcase_add_test(devices, is_one_group_else);
  tcase_add_test(devices, is_one_group_without_clusters);
  tcase_add_test(devices, is_one_group_where_the_driver_does_not_compile);
  tcase_add_test(devices, finds_what_is_drawn);
  tcase_add_test(calls, measures_once);
  tcase_add_test(calls, serves_threads);
  tcase_add_test(calls, is_tried_anew_after_a_failure);
  suite_add_tcase(s, devices);
  suite_add_tcase(s, calls);
  return run_suite(s);
}
