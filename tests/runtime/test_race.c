/* Kernels of gg_gemm that are measured at work: on a fake driver, whose kernels last as the test
 * says, and in the emulator. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "choice/catalogue.h"
#include "context.h"
#include "fake_driver.h"
#include "gemm_fixture.h"
#include "suite.h"

enum { arch = 90, measure = 5, patience = 3000, m = 512, n = 512, k = 256 };

/* ---- The model's order, and the clock's ------------------------------------------------- */

/* Of the product's kernels, the fastest by the model first, and how long each really takes. The
 * others' time does not matter. */
static char names[measure][FAKE_NAME_BYTES];
static double times[measure];

static double lasts(const char *kernel) {
  for (int i = 0; i < measure; i++)
    if (strncmp(names[i], kernel, FAKE_NAME_BYTES - 1) == 0) return times[i];
  return 100;
}

static gg_form product_form(void) {
  return gemm_form(GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32);
}

static void find_names(const gg_context *context) {
  gg_error err = GG_ERROR_INIT;
  gg_catalogue *catalogue;
  gg_lineup *lineup;
  gg_form form = product_form();
  const gg_device_facts *facts = gg_context_device(context);
  gg_device_model model = gg_device_model_of(facts->name, arch, facts->sm_count);
  form.a.align = form.b.align = form.c.align = form.d.align = 16;
  ck_assert_int_eq(gg_catalogue_open(&catalogue, &err), GG_OK);
  ck_assert_int_eq(gg_lineup_make(&lineup, catalogue, &form, arch, &err), GG_OK);
  gg_ranked *ranked = gg_malloc(lineup->count * sizeof *ranked);
  gg_lineup_rank(ranked, lineup, (gg_extents){m, n, k, 1}, &model, (gg_room){0, 0});
  for (int i = 0; i < measure; i++)
    snprintf(names[i], sizeof names[i], "%s", lineup->list[ranked[i].index].plan.name);
  gg_free(ranked);
  gg_lineup_free(lineup);
  gg_catalogue_close(catalogue);
}

static char warned[1024];
static atomic_int warnings;

static void keep_warning(void *user, const char *message) {
  (void)user;
  snprintf(warned, sizeof warned, "%s", message);
  warnings++;
}

static gg_context *open_context(const char *cache) {
  gg_error err = GG_ERROR_INIT;
  gg_driver driver = fake_table();
  gg_context *context;
  gg_compiler_options compiler = {
      .size = sizeof(gg_compiler_options), .cache = cache, .warn = keep_warning};
  gg_context_options options = {.size = sizeof(gg_context_options), .compiler = &compiler};
  ck_assert_msg(gg_context_open_on(&context, &driver, &options, &err) == GG_OK, "%s", err.message);
  return context;
}

/* A fresh fake device, whose third kernel by the model is the fastest, and whose last is slow. */
static gg_context *open_device(const char *cache) {
  static const double real[measure] = {1.0, 1.04, 0.9, 1.2, 3.0};
  fake_reset();
  fake.spills = ""; /* no kernel does */
  fake.argument_count = 0;
  gg_context *context = open_context(cache);
  find_names(context);
  memcpy(times, real, sizeof times);
  fake.lasts = lasts;
  warned[0] = '\0', warnings = 0;
  return context;
}

static gg_gemm *open_measuring(gg_context *context, int kernels, gg_gemm_wait wait) {
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm;
  gg_gemm_options options = GG_GEMM_OPTIONS_INIT;
  options.tuned = options.packs = "";
  options.measure = kernels;
  options.wait = wait;
  ck_assert_msg(gg_gemm_open(&gemm, context, &options, &err) == GG_OK, "%s", err.message);
  return gemm;
}

static void close_all(gg_gemm *gemm, gg_context *context) {
  gg_gemm_close(gemm);
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
  ck_assert_int_eq(fake.orphans, 0);
  ck_assert_int_eq(fake.in_capture, 0);
}

/* ---- Calls ------------------------------------------------------------------------------ */

static void launch(gg_gemm *gemm, CUstream stream) {
  gg_error err = GG_ERROR_INIT;
  gg_form form = product_form();
  gg_problem p = gemm_problem(m, n, k);
  gg_status st = gg_gemm_launch(gemm, &form, &p, stream, &err);
  ck_assert_msg(st == GG_OK, "%s", err.message);
}

static gg_gemm_choice choose(gg_gemm *gemm) {
  gg_error err = GG_ERROR_INIT;
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_form form = product_form();
  gg_problem p = gemm_problem(m, n, k);
  gg_status st = gg_gemm_choose(&choice, gemm, &form, &p, &err);
  ck_assert_msg(st == GG_OK, "%s", err.message);
  return choice;
}

static void wait_for(long milliseconds) {
  nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static void wait_a_little(void) {
  wait_for(2);
}

/* While other threads may make and destroy some. */
static int events_alive(void) {
  pthread_mutex_lock(&fake.lock);
  int events = fake.events;
  pthread_mutex_unlock(&fake.lock);
  return events;
}

/* Launches until the race has begun: its events are there. Gives how often. */
static int launch_until_raced(gg_gemm *gemm) {
  int calls = 0;
  while (events_alive() == 0) {
    ck_assert_int_lt(calls++, patience);
    launch(gemm, NULL);
    wait_a_little();
  }
  return calls;
}

static int launch_until_decided(gg_gemm *gemm) {
  int calls = 0;
  while (calls == 0 || choose(gemm).measuring) {
    ck_assert_int_lt(calls++, patience);
    launch(gemm, NULL);
    if (events_alive() == 0) wait_a_little();
  }
  return calls;
}

/* How many of the launches from number `from` on were of a kernel. */
static int launches_of(const char *kernel, int from) {
  int count = 0;
  for (int i = from; i < fake.launch_count; i++)
    count += strcmp(fake.launches[i].name, kernel) == 0;
  return count;
}

/* The product is one kernel's now. */
static void assert_stays(gg_gemm *gemm, const char *kernel) {
  int before = fake.launch_count;
  for (int i = 0; i < 5; i++)
    launch(gemm, NULL);
  ck_assert_int_eq(fake.launch_count, before + 5);
  ck_assert_int_eq(launches_of(kernel, before), 5);
  ck_assert_int_eq(events_alive(), 0);
}

/* ---- Who wins --------------------------------------------------------------------------- */

/* The model has it third. Each call is one launch: a D in place is computed once. */
START_TEST(the_fastest_by_the_clock_wins) {
  gg_context *context = open_device(fixture_directory());
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  gg_gemm_choice first = choose(gemm);
  ck_assert_str_eq(first.kernel, names[0]);
  ck_assert(first.measuring && !first.measured && !first.tuned);
  int calls = launch_until_raced(gemm);
  ck_assert_int_eq(launches_of(names[0], 0), calls);
  int others = fake.launch_count;
  calls += launch_until_decided(gemm);
  ck_assert_int_eq(fake.launch_count, calls);
  gg_gemm_choice best = choose(gemm);
  ck_assert_str_eq(best.kernel, names[2]);
  ck_assert(best.measured && !best.measuring && !best.tuned && best.apart);
  ck_assert_double_eq_tol(best.seconds, 0.9e-3, 1e-6);
  ck_assert_int_eq(launches_of(names[3], others), 2); /* one to warm up, one that counts */
  ck_assert_int_eq(launches_of(names[4], others), 2);
  ck_assert_int_gt(launches_of(names[0], others), 2);
  assert_stays(gemm, names[2]);
  ck_assert_int_eq(warnings, 0);
  close_all(gemm, context);
}
END_TEST

/* Of a few microseconds a launch that begins beside the one ahead hides more than kernels differ
 * by, and events part launches: the model's choice stays, but for what is faster by more. */
START_TEST(what_launches_hide_counts) {
  static const struct {
    double milliseconds; /* of the third; of the model's 0.010 */
    int winner;
  } cases[] = {{0.0095, 0}, {0.0085, 0}, {0.0083, 2}, {0.005, 2}};
  gg_context *context = open_device(fixture_directory());
  for (int i = 0; i < measure; i++)
    times[i] = 0.010 + 0.004 * i;
  times[2] = cases[_i].milliseconds;
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  launch_until_decided(gemm);
  gg_gemm_choice best = choose(gemm);
  ck_assert_str_eq(best.kernel, names[cases[_i].winner]);
  ck_assert(best.measured && best.apart == (cases[_i].winner != 0));
  close_all(gemm, context);
}
END_TEST

/* What each takes at first does not count. */
static double lasts_warming_up(const char *kernel) {
  bool first = true;
  for (int i = 0; i < fake.launch_count - 1; i++)
    first = first && strcmp(fake.launches[i].name, kernel) != 0;
  return first && strcmp(kernel, names[2]) == 0 ? 50 : lasts(kernel);
}

START_TEST(the_first_round_warms_up) {
  gg_context *context = open_device(fixture_directory());
  fake.lasts = lasts_warming_up;
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  launch_until_decided(gemm);
  ck_assert_str_eq(choose(gemm).kernel, names[2]);
  close_all(gemm, context);
}
END_TEST

/* The next gg_gemm that measures as many begins with the winner, and one that does not never hears
 * of it. */
START_TEST(what_was_measured_is_remembered) {
  char cache[64];
  snprintf(cache, sizeof cache, "%s", fixture_directory());
  gg_context *context = open_device(cache);
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  launch_until_decided(gemm);
  gg_gemm_close(gemm);
  for (int wait = GG_GEMM_WAIT_BEST; wait <= GG_GEMM_WAIT_LEAST; wait++) {
    gemm = open_measuring(context, measure, (gg_gemm_wait)wait);
    gg_gemm_choice choice = choose(gemm);
    ck_assert_str_eq(choice.kernel, names[2]);
    ck_assert(choice.measured && !choice.measuring && choice.apart);
    ck_assert_double_eq_tol(choice.seconds, 0.9e-3, 1e-6);
    assert_stays(gemm, names[2]);
    gg_gemm_close(gemm);
    gemm = open_measuring(context, 0, (gg_gemm_wait)wait);
    choice = choose(gemm);
    ck_assert_str_eq(choice.kernel, names[0]);
    ck_assert(!choice.measured && !choice.measuring);
    assert_stays(gemm, names[0]);
    gg_gemm_close(gemm);
  }
  gemm = open_measuring(context, measure - 1, GG_GEMM_WAIT_BEST);
  ck_assert(choose(gemm).measuring);
  close_all(gemm, context);
}
END_TEST

/* While nothing else is compiled, what is at hand serves. */
START_TEST(it_goes_with_waiting_for_the_least) {
  gg_context *context = open_device(fixture_directory());
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_LEAST);
  int calls = launch_until_decided(gemm);
  ck_assert_int_eq(fake.launch_count, calls);
  ck_assert_str_eq(choose(gemm).kernel, names[2]);
  assert_stays(gemm, names[2]);
  close_all(gemm, context);
}
END_TEST

/* ---- Who drops out ---------------------------------------------------------------------- */

START_TEST(what_does_not_load_drops_out) {
  gg_context *context = open_device("");
  fake.fail_call = "cuModuleLoadDataEx", fake.fail_after = 2, fake.fail_result = 999;
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  times[1] = 0.95;
  launch_until_decided(gemm);
  ck_assert_str_eq(choose(gemm).kernel, names[1]);
  ck_assert_int_eq(launches_of(names[2], 0), 0);
  close_all(gemm, context);
}
END_TEST

/* Only one is there: it is the model's choice, unmeasured. */
START_TEST(one_alone_is_not_measured) {
  gg_context *context = open_device("");
  fake.fail_call = "cuModuleLoadDataEx", fake.fail_after = 1, fake.fail_result = 999;
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  launch_until_decided(gemm);
  gg_gemm_choice choice = choose(gemm);
  ck_assert_str_eq(choice.kernel, names[0]);
  ck_assert(!choice.measured);
  close_all(gemm, context);
}
END_TEST

/* The leader computes the product in its place, and the winner is not remembered. */
START_TEST(what_cannot_be_launched_drops_out) {
  gg_context *context = open_device(fixture_directory());
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  fake.refuses = names[2];
  int calls = launch_until_decided(gemm);
  ck_assert_int_eq(fake.launch_count, calls);
  ck_assert_int_eq(launches_of(names[2], 0), 0);
  ck_assert_str_eq(choose(gemm).kernel, names[0]);
  close_all(gemm, context);
}
END_TEST

/* The call is computed, the leader stays, one warning says why, and nothing is remembered. */
START_TEST(an_event_that_fails_ends_the_race) {
  static const char *const calls[] = {"cuEventCreate", "cuEventRecord", "cuEventQuery",
                                      "cuEventElapsedTime"};
  char cache[64];
  snprintf(cache, sizeof cache, "%s", fixture_directory());
  for (int after = 0; after < 8; after++) {
    const char *failing = calls[_i];
    gg_context *context = open_device(cache);
    fake.fail_call = failing, fake.fail_after = after, fake.fail_result = 400;
    gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
    int launched = launch_until_decided(gemm);
    ck_assert_int_eq(fake.launch_count, launched);
    assert_stays(gemm, choose(gemm).kernel);
    for (int i = 0; i < patience && warnings == 0; i++)
      wait_a_little();
    gg_gemm_close(gemm);
    ck_assert_msg(strstr(warned, "measured no further") && strstr(warned, failing), "%s", warned);
    ck_assert_int_eq(warnings, 1);
    gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
    ck_assert(choose(gemm).measuring);
    close_all(gemm, context);
  }
}
END_TEST

/* ---- Who is not measured ---------------------------------------------------------------- */

/* What a graph captures is the leader's; and while another stream is captured, events are asked in
 * a way that harms no capture. */
START_TEST(captures_are_not_measured) {
  gg_context *context = open_device(fixture_directory());
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  CUstream captured = (CUstream)(uintptr_t)1001;
  launch_until_raced(gemm);
  fake.capturing = captured;
  int before = fake.launch_count;
  for (int i = 0; i < 3 * measure; i++)
    launch(gemm, captured);
  ck_assert_int_eq(launches_of(names[0], before), 3 * measure);
  ck_assert(choose(gemm).measuring);
  launch_until_decided(gemm);
  ck_assert_str_eq(choose(gemm).kernel, names[2]);
  fake.capturing = NULL;
  close_all(gemm, context);
}
END_TEST

/* Neither are launches of what was prepared, nor those that come before the round's are done: the
 * leader computes them at once. */
START_TEST(nobody_waits) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_device(fixture_directory());
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  launch_until_raced(gemm);
  int before = fake.launch_count;
  gg_form form = product_form();
  gg_problem p = gemm_problem(m, n, k);
  gg_prepared prepared;
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(gg_gemm_prepare(&prepared, gemm, &form, &p, &err), GG_OK);
    ck_assert_int_eq(gg_launch_prepared(&prepared, NULL, &err), GG_OK);
  }
  ck_assert_int_eq(launches_of(names[0], before), 3);
  fake.busy = true;
  before = fake.launch_count;
  for (int i = 0; i < 20; i++)
    launch(gemm, NULL);
  for (int i = 1; i < measure; i++)
    ck_assert_int_eq(launches_of(names[i], before), 1);
  ck_assert_int_eq(launches_of(names[0], before), 20 - (measure - 1));
  gg_gemm_close(gemm); /* with events that nobody has read */
  ck_assert_int_eq(events_alive(), 0);
  gg_context_close(context);
  ck_assert_int_eq(fake_alive(), 0);
}
END_TEST

/* Every call's mistakes are told as ever. */
START_TEST(mistakes_are_told_while_racing) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context = open_device(fixture_directory());
  gg_gemm *gemm = open_measuring(context, measure, GG_GEMM_WAIT_BEST);
  launch_until_raced(gemm);
  gg_form form = product_form();
  gg_problem p = gemm_problem(m, n, k);
  p.lda = 8;
  gg_gemm_launch(gemm, &form, &p, NULL, &err);
  assert_error(&err, GG_E_PROBLEM_LD, "lda = 8");
  launch_until_decided(gemm);
  ck_assert_str_eq(choose(gemm).kernel, names[2]);
  close_all(gemm, context);
}
END_TEST

/* ---- Many at a time --------------------------------------------------------------------- */

typedef struct caller {
  gg_gemm *gemm;
  CUstream stream;
  int calls;
} caller;

static void *call_until_decided(void *argument) {
  caller *c = argument;
  while (c->calls < patience / 4 && (c->calls == 0 || choose(c->gemm).measuring)) {
    launch(c->gemm, c->stream);
    c->calls++;
    wait_for(40);
  }
  return NULL;
}

START_TEST(threads_race_together) {
  enum { threads = 4 };
  gg_context *context = open_device(fixture_directory());
  gg_gemm *gemm = open_measuring(context, measure, _i ? GG_GEMM_WAIT_LEAST : GG_GEMM_WAIT_BEST);
  pthread_t running[threads];
  caller callers[threads];
  int calls = 0;
  for (int i = 0; i < threads; i++) {
    callers[i] = (caller){gemm, (CUstream)(uintptr_t)(1001 + i), 0};
    ck_assert_int_eq(pthread_create(&running[i], NULL, call_until_decided, &callers[i]), 0);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(running[i], NULL);
    calls += callers[i].calls;
  }
  ck_assert_int_eq(fake.launch_count, calls);
  ck_assert_str_eq(choose(gemm).kernel, names[2]);
  assert_stays(gemm, names[2]);
  close_all(gemm, context);
}
END_TEST

/* ---- Options ---------------------------------------------------------------------------- */

START_TEST(options_are_checked) {
  static const char *const wrong[] = {"six", "6 ", "65", "-1", "99999999999999999999"};
  gg_error err = GG_ERROR_INIT;
  gg_gemm *gemm;
  gg_gemm_options options = GG_GEMM_OPTIONS_INIT;
  gg_context *context = open_device("");
  options.measure = GG_GEMM_MEASURE_MAX + 1;
  gg_gemm_open(&gemm, context, &options, &err);
  assert_error(&err, GG_E_GEMM_OPTION, "gg_gemm_options.measure is 65; it takes 0 (none) to 64");
  options.measure = -1;
  gg_gemm_open(&gemm, context, &options, &err);
  assert_error(&err, GG_E_GEMM_OPTION, "gg_gemm_options.measure is -1");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char message[64];
    snprintf(message, sizeof message, "GEMMGEN_MEASURE is '%s'; it takes 0 (none) to 64", wrong[i]);
    setenv("GEMMGEN_MEASURE", wrong[i], 1);
    gg_gemm_open(&gemm, context, NULL, &err);
    assert_error(&err, GG_E_GEMM_MEASURE, message);
  }
  setenv("GEMMGEN_MEASURE", "3", 1);
  gemm = open_measuring(context, 0, GG_GEMM_WAIT_BEST);
  ck_assert(choose(gemm).measuring);
  gg_gemm_close(gemm);
  setenv("GEMMGEN_MEASURE", "", 1);
  gemm = open_measuring(context, 0, GG_GEMM_WAIT_BEST);
  ck_assert(!choose(gemm).measuring);
  unsetenv("GEMMGEN_MEASURE");
  close_all(gemm, context);
}
END_TEST

/* ---- In the emulator -------------------------------------------------------------------- */

/* D = A * B + D of ones, over and over: whichever kernel has its turn adds K once. */
START_TEST(every_call_computes_once) {
  enum { rows = 64, cols = 64, depth = 64, one = 0x3c00, most = 400 };
  gemm_rig rig = gemm_rig_open(90);
  gg_gemm *gemm = open_measuring(rig.context, 3, GG_GEMM_WAIT_BEST);
  static uint16_t ones[rows * depth];
  static float d[rows * cols];
  gg_form form = gemm_form(GG_DTYPE_f16, GG_DTYPE_f32, GG_DTYPE_f32);
  gg_problem p = gemm_problem(rows, cols, depth);
  gg_gemm_choice choice = {.measuring = true};
  uint64_t memory;
  for (int i = 0; i < rows * depth; i++)
    ones[i] = one;
  ck_assert_int_eq(gg_memory_alloc(&memory, rig.context, sizeof ones + sizeof d, &rig.err), GG_OK);
  p.a = p.b = memory, p.c = p.d = memory + sizeof ones, p.beta = 1;
  ck_assert_int_eq(gg_memory_write(rig.context, p.a, ones, sizeof ones, &rig.err), GG_OK);
  ck_assert_int_eq(gg_memory_write(rig.context, p.d, d, sizeof d, &rig.err), GG_OK);
  int calls = 0;
  for (; calls < most && choice.measuring; wait_a_little()) {
    gg_status st = gg_gemm_launch(gemm, &form, &p, NULL, &rig.err);
    ck_assert_msg(st == GG_OK, "%s", rig.err.message);
    ck_assert_int_eq(gg_memory_read(rig.context, d, p.d, sizeof d, &rig.err), GG_OK);
    calls++;
    for (int i = 0; i < rows * cols; i++)
      ck_assert_msg(d[i] == (float)(calls * depth), "call %d: %g", calls, (double)d[i]);
    choice = (gg_gemm_choice)GG_GEMM_CHOICE_INIT;
    ck_assert_int_eq(gg_gemm_choose(&choice, gemm, &form, &p, &rig.err), GG_OK);
  }
  ck_assert(choice.measured && !choice.measuring);
  ck_assert(choice.seconds > 0 && isfinite(choice.seconds));
  gg_memory_free(rig.context, memory);
  gg_gemm_close(gemm);
  gemm_rig_close(&rig);
}
END_TEST

static gemm_rig left_rig; /* which nobody closes, and still reach */
static gg_gemm *left_gemm;

static void leave_while_it_gathers(int milliseconds) {
  const struct timespec pause = {.tv_sec = milliseconds / 1000,
                                 .tv_nsec = milliseconds % 1000 * 1000000L};
  gg_form form = product_form();
  gg_problem p = gemm_problem(m, n, k);
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  left_rig = gemm_rig_open(90);
  left_gemm = open_measuring(left_rig.context, measure, GG_GEMM_WAIT_BEST);
  gg_status st = gg_gemm_choose(&choice, left_gemm, &form, &p, &left_rig.err);
  nanosleep(&pause, NULL);
  exit(st != GG_OK);
}

/* A program need not close what it has opened: NVRTC, which may be at work on the gg_gemm's thread,
 * is not taken down before it is done. */
START_TEST(a_program_may_end_at_any_time) {
  static const int milliseconds[] = {0, 130, 400, 900};
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) leave_while_it_gathers(milliseconds[_i]);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("race");
  TCase *tcase = tcase_create("race");
  tcase_set_timeout(tcase, 240);
  if (fixture_has_nvrtc()) {
    tcase_add_test(tcase, the_fastest_by_the_clock_wins);
    tcase_add_loop_test(tcase, what_launches_hide_counts, 0, 4);
    tcase_add_test(tcase, the_first_round_warms_up);
    tcase_add_test(tcase, what_was_measured_is_remembered);
    tcase_add_test(tcase, it_goes_with_waiting_for_the_least);
    tcase_add_test(tcase, what_does_not_load_drops_out);
    tcase_add_test(tcase, one_alone_is_not_measured);
    tcase_add_test(tcase, what_cannot_be_launched_drops_out);
    tcase_add_loop_test(tcase, an_event_that_fails_ends_the_race, 0, 4);
    tcase_add_test(tcase, captures_are_not_measured);
    tcase_add_test(tcase, nobody_waits);
    tcase_add_test(tcase, mistakes_are_told_while_racing);
    tcase_add_loop_test(tcase, threads_race_together, 0, 2);
    tcase_add_test(tcase, options_are_checked);
    tcase_add_test(tcase, every_call_computes_once);
    tcase_add_loop_test(tcase, a_program_may_end_at_any_time, 0, 4);
  }
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
