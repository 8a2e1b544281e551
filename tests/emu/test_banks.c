/* A kind of memory that the emulator has never heard of: bounds, marks, races and what operations
 * in flight own come from its being a bank (emu/bank.h), with nothing written for it but how
 * addresses become places. */
#include <stdio.h>
#include <string.h>

#include "emu/async.h"
#include "emu/memory.h"
#include "emu/state.h"
#include "suite.h"

enum { bank_bytes = 256, first = 0x5000, word = 4 };

static const char text[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry k() {\nret;\n}\n";

/* ---- The kind --------------------------------------------------------------------------- */

static bool find(emu_places *out, const emu_bank_access *a);

static void put(char *out, size_t size, emu_place place) {
  snprintf(out, size, "scratch memory at word %u", (unsigned)place.offset / word);
}

static const emu_bank_kind scratch = {
    .name = "scratch", .orders = EMU_ORDERS_RACES, .find = find, .put = put};

static bool find(emu_places *out, const emu_bank_access *a) {
  emu_bank *bank = a->warp->cta->banks;
  while (bank->kind != &scratch)
    bank = bank->next;
  return emu_bank_find(out, a, bank);
}

/* ---- Two warps beside it ---------------------------------------------------------------- */

static gg_error err, fault;
static emu_device *device;
static emu_launch_config config = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
static struct emu_run_state state;
static emu_run run;
static emu_cluster *cluster;
static emu_bank *bank;
static const emu_op *op;

static void open(void) {
  emu_options options = {.threads = 1, .severities = emu_severities_all(EMU_SEVERITY_FAULT)};
  emu_module *module;
  err = fault = (gg_error)GG_ERROR_INIT;
  state = (struct emu_run_state){
      .err = &fault, .clusters = {1, 1, 1}, .cluster_count = 1, .multiprocessors = 132};
  pthread_mutex_init(&state.lock, NULL);
  ck_assert(!emu_device_open(&device, &options, &err));
  ck_assert(!emu_module_load(&module, device, "k.ptx", text, strlen(text), &err));
  const emu_kernel *kernel = emu_module_kernel(module, "k");
  run = (emu_run){.device = device,
                  .kernel = kernel,
                  .config = &config,
                  .options = &device->options,
                  .checked = true,
                  .fences = true,
                  .cluster = {1, 1, 1},
                  .state = &state};
  op = emu_kernel_op(kernel, 0);
  ck_assert(!emu_cluster_open(&cluster, &run, 0, &err));
  ck_assert(!emu_bank_open(&bank, &cluster->ctas[0], &scratch, first, bank_bytes, &err));
}

static void close(void) {
  emu_cluster_close(cluster);
  emu_device_close(device);
  pthread_mutex_destroy(&state.lock);
  gg_error_clear(&fault);
  gg_error_clear(&err);
}

static emu_warp *warp_at(int index) {
  return &cluster->ctas[0].warps[index];
}

/* Lane 0 of the warp comes to a word. */
static bool come(int warp, uint64_t address, unsigned intent) {
  uint64_t addresses[EMU_LANES] = {address};
  uint8_t *host[EMU_LANES];
  emu_bank_access a = {.warp = warp_at(warp),
                       .op = op,
                       .kind = &scratch,
                       .address = addresses,
                       .lanes = 1,
                       .bytes = word,
                       .intent = intent};
  bool ok = emu_access_banks(&a, host);
  if (ok) ck_assert_ptr_eq(host[0], bank->bytes + (address - first));
  return ok;
}

static void expect(gg_status code, const char *words) {
  ck_assert_int_eq(fault.code, code);
  ck_assert_msg(strstr(fault.message, words), "%s", fault.message);
}

/* ---- Tests ------------------------------------------------------------------------------ */

START_TEST(bounds) {
  ck_assert(come(0, first + bank_bytes - word, EMU_WRITE));
  ck_assert(!come(0, first + bank_bytes - 2, EMU_WRITE));
  expect(GG_E_EMU_BOUNDS, "writes 4 bytes at 0x50fe: scratch memory has 256 bytes from 0x5000 on");
}
END_TEST

START_TEST(bounds_below) {
  ck_assert(!come(0, first - word, EMU_READ));
  expect(GG_E_EMU_BOUNDS, "reads 4 bytes at 0x4ffc");
}
END_TEST

START_TEST(marks) {
  ck_assert(come(0, first + 8, EMU_WRITE));
  ck_assert(come(0, first + 8, EMU_READ));
  ck_assert_int_eq(bank->marks[8], EMU_MARK_WRITTEN);
  ck_assert(!come(0, first + 12, EMU_READ));
  expect(GG_E_EMU_UNINITIALISED,
         "reads 4 bytes of scratch memory at word 3; nobody has written byte 0 of them");
}
END_TEST

START_TEST(races) {
  ck_assert(come(0, first, EMU_WRITE));
  ck_assert(!come(1, first, EMU_READ));
  expect(GG_E_EMU_RACE, "reads scratch memory at word 0, which warp 0 of CTA 0, lane 0, has "
                        "written at line 5 (ret): no barrier, wait or flag orders the two");
}
END_TEST

START_TEST(a_barrier_orders) {
  static const char barrier;
  ck_assert(come(0, first, EMU_WRITE));
  emu_hazard_release(warp_at(0), &barrier);
  emu_hazard_acquire(warp_at(1), &barrier);
  ck_assert(come(1, first, EMU_READ));
  ck_assert(!come(0, first, EMU_WRITE));
  expect(GG_E_EMU_RACE, "writes scratch memory at word 0, which warp 1");
}
END_TEST

/* ---- An operation in flight ------------------------------------------------------------- */

static bool land(emu_async *self, emu_cluster *of) {
  (void)of;
  for (uint32_t i = 0; i < self->write_count; i++)
    memset(emu_place_marks(self->writes[i].place), EMU_MARK_WRITTEN, self->writes[i].bytes);
  return true;
}

static void drop(emu_async *self) {
  (void)self;
}

/* Of warp 0, over the bank's first 32 bytes. */
static bool issue(emu_async *async, emu_span *span, bool write) {
  *span = (emu_span){{bank, 0}, 32};
  *async = (emu_async){.warp = warp_at(0),
                       .op = op,
                       .lanes = 1,
                       .proxy = EMU_PROXY_ASYNC,
                       .agent = emu_hazard_agent(cluster, async),
                       .clock = 1,
                       .binds = true,
                       .land = land,
                       .drop = drop};
  *(write ? &async->writes : &async->reads) = span;
  *(write ? &async->write_count : &async->read_count) = 1;
  return emu_async_issue(cluster, async);
}

START_TEST(what_is_to_be_written) {
  static emu_async async;
  static emu_span span;
  ck_assert(issue(&async, &span, true));
  ck_assert(come(1, first + 32, EMU_WRITE));
  ck_assert(!come(0, first + 16, EMU_READ));
  expect(GG_E_EMU_IN_FLIGHT, "reads scratch memory at word 4, which ret of line 5 (CTA 0, warp 0) "
                             "has yet to write: nothing has waited for it");
}
END_TEST

START_TEST(what_is_to_be_read) {
  static emu_async async[2];
  static emu_span spans[2];
  ck_assert(come(0, first, EMU_WRITE));
  emu_hazard_fence_proxy(warp_at(0));
  for (int i = 0; i < 2; i++)
    ck_assert(issue(&async[i], &spans[i], false));
  ck_assert(emu_async_land(cluster, &async[0]));
  ck_assert(come(0, first, EMU_READ));
  ck_assert(!come(0, first, EMU_WRITE));
  expect(GG_E_EMU_IN_FLIGHT, "has yet to read");
}
END_TEST

START_TEST(who_has_waited) {
  static emu_async async;
  static emu_span span;
  ck_assert(issue(&async, &span, true));
  ck_assert(emu_async_land(cluster, &async));
  emu_hazard_learn(warp_at(0), async.agent, async.clock);
  ck_assert(come(0, first + 16, EMU_READ));
  ck_assert(!come(1, first + 16, EMU_READ));
  expect(GG_E_EMU_RACE, "the asynchronous operation of line 5 (ret) has written");
}
END_TEST

START_TEST(proxies) {
  static emu_async async;
  static emu_span span;
  ck_assert(come(0, first, EMU_WRITE));
  ck_assert(!issue(&async, &span, false));
  expect(GG_E_EMU_RACE, "no fence.proxy.async makes what threads write visible");
}
END_TEST

START_TEST(the_end_of_a_cta) {
  static emu_async async;
  static emu_span span;
  ck_assert(issue(&async, &span, true));
  ck_assert(!emu_engine_cta_exit(&cluster->ctas[0]));
  expect(GG_E_EMU_IN_FLIGHT, "exits while its scratch memory at word 0 is still to be written");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("banks");
  TCase *all = tcase_create("a kind of its own");
  tcase_add_checked_fixture(all, open, close);
  tcase_add_test(all, bounds);
  tcase_add_test(all, bounds_below);
  tcase_add_test(all, marks);
  tcase_add_test(all, races);
  tcase_add_test(all, a_barrier_orders);
  tcase_add_test(all, what_is_to_be_written);
  tcase_add_test(all, what_is_to_be_read);
  tcase_add_test(all, who_has_waited);
  tcase_add_test(all, proxies);
  tcase_add_test(all, the_end_of_a_cta);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
