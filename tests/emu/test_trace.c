/* The timeline: each slice once, its name and place, tracks, launches, and what a deadlock leaves.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "emu/emu.h"
#include "emu/report.h"
#include "suite.h"

/* Warp 0 waits for mbarriers that warp 1 completes one after the other, each after several turns,
 * so that there is something to wait for. */
static const char ptx[] =
    ".version 8.0\n"
    ".target sm_90a\n"
    ".address_size 64\n"
    ".extern .shared .align 16 .b8 dyn[];\n"
    ".visible .entry k(.param .u64 in) {\n"
    ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %d<4>;\n"
    ".shared .align 8 .b64 flag;\n"
    ".shared .align 16 .b8 box[64];\n"
    "ld.param.u64 %d1, [in]; mov.u32 %r2, dyn; mov.u32 %r3, flag; mov.u32 %r4, box;\n"
    "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; and.b32 %r5, %r1, 31;\n"
    "setp.ne.u32 %p2, %r5, 0; setp.ne.u32 %p4, %r1, 0;\n"
    "@%p4 bra READY;\n"
    "mbarrier.init.shared::cta.b64 [%r3], 1;\n"
    "mbarrier.init.shared::cta.b64 [%r2], 1;\n"
    "mbarrier.init.shared::cta.b64 [%r2+8], 1;\n"
    "mbarrier.init.shared::cta.b64 [%r2+64], 1;\n"
    "READY: bar.sync 0;\n"
    "@!%p1 bra OTHER;\n"
    "A: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;\n"
    "@!%p3 bra A;\n"
    "bar.sync 1, 64;\n"
    "B: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2+8], 0;\n"
    "@!%p3 bra B;\n"
    "bar.sync 1, 64;\n"
    "C: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2+64], 0;\n"
    "@!%p3 bra C;\n"
    "bar.sync 1, 64;\n"
    "@%p2 bra DONE;\n"
    "cp.async.ca.shared.global [%r4], [%d1], 16;\n"
    "cp.async.ca.shared.global [%r4+16], [%d1+16], 16;\n"
    "cp.async.wait_all;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 32;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+32], [%d1], 32,"
    " [%r2];\n"
    "D: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0;\n"
    "@!%p3 bra D;\n"
    "DONE: bar.sync 3, 64;\n"
    "ret;\n"
    "OTHER:\n"
    "mov.u32 %r6, 0;\n"
    "X: add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, 2000;\n"
    "@%p5 bra X;\n"
    "@!%p2 mbarrier.arrive.shared::cta.b64 _, [%r3];\n"
    "bar.sync 1, 64;\n"
    "mov.u32 %r6, 0;\n"
    "Y: add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, 2000;\n"
    "@%p5 bra Y;\n"
    "@!%p2 mbarrier.arrive.shared::cta.b64 _, [%r2+8];\n"
    "bar.sync 1, 64;\n"
    "mov.u32 %r6, 0;\n"
    "Z: add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, 2000;\n"
    "@%p5 bra Z;\n"
    "@!%p2 mbarrier.arrive.shared::cta.b64 _, [%r2+64];\n"
    "bar.sync 1, 64;\n"
    "bar.sync 3, 64;\n"
    "ret;\n"
    "}\n"
    ".visible .entry stuck(.param .u64 in) {\n"
    ".reg .pred %p<8>;\n"
    ".shared .align 8 .b64 never[4];\n"
    "mbarrier.init.shared::cta.b64 [never+16], 1;\n"
    "E: mbarrier.try_wait.parity.shared::cta.b64 %p3, [never+16], 0;\n"
    "@!%p3 bra E;\n"
    "ret;\n"
    "}\n";

/* One warp allocates tensor memory, copies to it, multiplies and reads a sum. */
static const char tensor_ptx[] =
    ".version 9.0\n"
    ".target sm_100a\n"
    ".address_size 64\n"
    ".visible .entry tensor(.param .u64 in) {\n"
    ".reg .b32 %t, %i, %zero, %base, %id, %r<4>; .reg .b64 %a, %b, %p; .reg .pred %e, %first;\n"
    ".shared .align 1024 .b8 image[2560];\n"
    ".shared .align 8 .b64 done; .shared .b32 columns;\n"
    "mov.u32 %t, %tid.x; mov.u32 %zero, 0; mov.u32 %i, image; mad.lo.u32 %i, %t, 16, %i;\n"
    "setp.eq.u32 %first, %t, 0;\n"
    "st.shared.v4.b32 [%i], {%zero, %zero, %zero, %zero};\n"
    "st.shared.v4.b32 [%i+512], {%zero, %zero, %zero, %zero};\n"
    "st.shared.v4.b32 [%i+1024], {%zero, %zero, %zero, %zero};\n"
    "st.shared.v4.b32 [%i+1536], {%zero, %zero, %zero, %zero};\n"
    "st.shared.v4.b32 [%i+2048], {%zero, %zero, %zero, %zero};\n"
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [columns], 64;\n"
    "@%first mbarrier.init.shared.b64 [done], 1;\n"
    "fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta; bar.sync 0;\n"
    "ld.shared.u32 %base, [columns];\n"
    "mov.b64 %a, 0x0000400800400000; mov.b64 %b, 0x0000400800080000;\n"
    "mov.u32 %i, image; shr.u32 %i, %i, 4; cvt.u64.u32 %p, %i; or.b64 %a, %a, %p;\n"
    "or.b64 %b, %b, %p; add.u64 %b, %b, 128; mov.u32 %id, 0x04020010;\n"
    "@!%first bra wait; setp.ne.u32 %e, %t, 0; mov.u32 %i, done;\n"
    "tcgen05.cp.cta_group::1.32x128b.warpx4 [%base+32], %a;\n"
    "tcgen05.mma.cta_group::1.kind::f16 [%base], %a, %b, %id, %e; setp.eq.u32 %e, %t, 0;\n"
    "tcgen05.mma.cta_group::1.kind::f16 [%base], %a, %b, %id, %e;\n"
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%i];\n"
    "wait: mbarrier.try_wait.parity.shared.b64 %e, [done], 0;\n"
    "@!%e bra wait;\n"
    "tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r0}, [%base];\n"
    "tcgen05.wait::ld.sync.aligned;\n"
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 64;\n"
    "ret;\n"
    "}\n";

static const gg_part_name names[] = {
    {"k", "full", GG_PART_SHARED, 80, 2, 8},
    {"k", "loader", GG_PART_WARPS, 0, 1, 1},
    {"other", "stranger", GG_PART_WARPS, 0, 2, 1},
    {NULL, "turn", GG_PART_BARRIERS, 1, 1, 1},
};

enum { events_most = 400, name_most = 80 };

typedef struct event {
  char phase, name[name_most], where[name_most];
  unsigned long long pid, tid, begin, duration;
  int line, columns;
} event;

typedef struct timeline {
  event list[events_most];
  int count;
} timeline;

static const char *field(const char *line, const char *key) {
  const char *at = strstr(line, key);
  return at ? at + strlen(key) : NULL;
}

static unsigned long long number(const char *line, const char *key) {
  const char *at = field(line, key);
  return at ? strtoull(at, NULL, 10) : 0;
}

/* One event a line; of names of tracks, the name that they give. */
static void read_events(timeline *t, char *text) {
  char *save = NULL;
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    const char *phase = field(line, "{\"ph\":\"");
    if (!phase) continue;
    ck_assert_int_lt(t->count, events_most);
    event *e = &t->list[t->count++];
    const char *name = field(line, *phase == 'M' ? "\"args\":{\"name\":\"" : "\"name\":\"");
    ck_assert_ptr_nonnull(name);
    snprintf(e->name, sizeof e->name, "%.*s", (int)strcspn(name, "\""), name);
    e->phase = *phase;
    e->pid = number(line, "\"pid\":");
    e->tid = number(line, "\"tid\":");
    e->begin = number(line, "\"ts\":");
    e->duration = number(line, "\"dur\":");
    e->line = (int)number(line, "\"line\":");
    e->columns = (int)number(line, "\"columns\":");
    const char *where = field(line, "\"where\":\"");
    snprintf(e->where, sizeof e->where, "%.*s", where ? (int)strcspn(where, "\"") : 0, where);
  }
}

static gg_status launch(emu_device *device, emu_trace *trace, const char *text, const char *entry,
                        const char *label, unsigned threads, gg_error *err) {
  emu_module *module;
  uint64_t address;
  gg_status st = emu_module_load(&module, device, "k.ptx", text, strlen(text), err);
  if (!st) st = emu_memory_alloc(&address, device, 256, 256, err);
  if (!st) st = emu_memory_fill(device, address, 1, 256, err);
  emu_launch_config config = {.grid = {1, 1, 1},
                              .block = {threads, 1, 1},
                              .smem_bytes = 128,
                              .params = &address,
                              .trace = trace,
                              .names = names,
                              .name_count = sizeof names / sizeof *names,
                              .label = label};
  return st ? st : emu_launch(device, emu_module_kernel(module, entry), &config, err);
}

/* Runs `entry` once with each label. */
static void run(timeline *t, const char *entry, gg_status expected, unsigned threads) {
  bool tensor = !strcmp(entry, "tensor");
  static const char *const labels[] = {"first", NULL};
  char path[] = "/tmp/gemmgen-trace-XXXXXX";
  int file = mkstemp(path);
  gg_error err = GG_ERROR_INIT;
  emu_device *device;
  emu_trace *trace;
  char *text;
  size_t length;
  emu_options options = {.threads = 1, .arch = tensor ? 100 : 90};
  ck_assert_int_ge(file, 0);
  close(file);
  ck_assert(!emu_device_open(&device, &options, &err));
  ck_assert(!emu_trace_open(&trace, path, &err));
  for (int i = 0; i < 2; i++) {
    gg_status st =
        launch(device, trace, tensor ? tensor_ptx : ptx, entry, labels[i], threads, &err);
    ck_assert_msg(st == expected, "%s", err.message);
    gg_error_clear(&err);
  }
  ck_assert(!emu_trace_close(trace, &err));
  emu_device_close(device);
  ck_assert(!gg_file_read(&text, &length, path, 1 << 20, &err));
  unlink(path);
  *t = (timeline){.count = 0};
  read_events(t, text);
  gg_free(text);
}

/* How many events of the process and track have that name; *found: the last. */
static int count(const event **found, const timeline *t, char phase, unsigned pid, unsigned tid,
                 const char *name) {
  int n = 0;
  *found = NULL;
  for (int i = 0; i < t->count; i++) {
    const event *e = &t->list[i];
    if (e->phase != phase || e->pid != pid || e->tid != tid || strcmp(e->name, name)) continue;
    *found = e;
    n++;
  }
  return n;
}

static int line_of(const char *instruction) {
  int line = 1;
  for (const char *at = ptx; at < strstr(ptx, instruction); at++)
    line += *at == '\n';
  return line;
}

START_TEST(test_slices) {
  static timeline t;
  const event *e;
  run(&t, "k", GG_OK, 64);
  for (unsigned pid = 1; pid <= 2; pid++) {
    static const char *const waits[] = {"flag", "full[1]", "mbarrier 3", "full[0]"};
    for (int i = 0; i < 4; i++) {
      ck_assert_msg(count(&e, &t, 'X', pid, 0, waits[i]) == 1, "%s", waits[i]);
    }
    ck_assert_int_eq(e->line, line_of("D: mbarrier"));
    ck_assert_int_eq(count(&e, &t, 'X', pid, 0, "barrier 0"), 1);
    ck_assert_int_eq(e->line, line_of("READY: bar"));
    ck_assert_int_ge(count(&e, &t, 'X', pid, 1, "turn"), 1);
    ck_assert_int_eq(count(&e, &t, 'X', pid, 1, "barrier 3"), 1);
    ck_assert_int_ge(count(&e, &t, 'X', pid, 0, "loader"), 5);
    ck_assert_int_ge(count(&e, &t, 'X', pid, 1, "runs"), 4);
    ck_assert_int_eq(count(&e, &t, 'M', pid, 0, "loader, warp 0"), 1);
    ck_assert_int_eq(count(&e, &t, 'M', pid, 1, "warp 1"), 1);
    ck_assert_int_eq(count(&e, &t, 'b', pid, 32, "2 cp.async.ca to shared"), 1);
    ck_assert_int_eq(e->line, line_of("cp.async.ca"));
    ck_assert_int_eq(count(&e, &t, 'e', pid, 32, "cp.async.bulk, full[0]"), 1);
  }
  ck_assert_int_eq(count(&e, &t, 'M', 1, 0, "k, first: CTA (0, 0, 0)"), 1);
  ck_assert_int_eq(count(&e, &t, 'M', 2, 0, "k: CTA (0, 0, 0)"), 1);
}
END_TEST

/* The slices of a track follow one another; the second launch follows the first. */
START_TEST(test_time) {
  static timeline t;
  unsigned long long end[3][2] = {{0}};
  run(&t, "k", GG_OK, 64);
  for (int i = 0; i < t.count; i++) {
    const event *e = &t.list[i];
    if (e->phase != 'X') continue;
    ck_assert_uint_gt(e->duration, 0);
    unsigned long long least = end[e->pid][e->tid];
    if (!least && e->pid == 2) least = end[1][0] > end[1][1] ? end[1][0] : end[1][1];
    ck_assert_msg(e->begin >= least, "%s of %llu begins at %llu, before %llu", e->name, e->tid,
                  e->begin, least);
    end[e->pid][e->tid] = e->begin + e->duration;
  }
  ck_assert_uint_gt(end[2][0], end[1][0]);
}
END_TEST

/* What was waited for in the end is there. */
START_TEST(test_deadlock) {
  static timeline t;
  const event *e;
  run(&t, "stuck", GG_E_EMU_DEADLOCK, 1);
  ck_assert_int_eq(count(&e, &t, 'X', 1, 0, "runs"), 1);
  ck_assert_int_eq(count(&e, &t, 'X', 1, 0, "never[2]"), 1);
  ck_assert_int_eq(count(&e, &t, 'M', 1, 0, "warp 0"), 1);
}
END_TEST

/* Products and copies, loads, allocations: each once, with what it is and where. */
START_TEST(test_tensor_memory) {
  enum { pipe = 33, memory = 34 };
  static const char product[] = "tcgen05.mma.cta_group::1.kind::f16 m64n8k16";
  static timeline t;
  const event *e, *begin, *end;
  run(&t, "tensor", GG_OK, 32);
  ck_assert_int_eq(count(&e, &t, 'M', 1, pipe, "MMA pipe"), 1);
  ck_assert_int_eq(count(&e, &t, 'M', 1, memory, "tensor memory"), 1);
  ck_assert_int_eq(count(&end, &t, 'e', 1, pipe, product), 2);
  ck_assert_int_eq(count(&begin, &t, 'b', 1, pipe, product), 2);
  ck_assert_str_eq(begin->where, "D: lanes 0 to 111, columns 0 to 7");
  ck_assert_uint_lt(begin->begin, end->begin);
  ck_assert_int_eq(count(&e, &t, 'b', 1, pipe, "tcgen05.cp.cta_group::1.32x128b.warpx4"), 1);
  ck_assert_str_eq(e->where, "to: lanes 0 to 127, columns 32 to 35");
  ck_assert_int_eq(count(&e, &t, 'b', 1, memory, "tcgen05.ld.sync.aligned.16x64b.x1.b32"), 1);
  ck_assert_str_eq(e->where, "words: lanes 0 to 15, columns 0 to 1");
  ck_assert_int_eq(count(&end, &t, 'e', 1, memory, "columns 0 to 63"), 1);
  ck_assert_int_eq(count(&begin, &t, 'b', 1, memory, "columns 0 to 63"), 1);
  ck_assert_str_eq(begin->where, "allocated by warp 0");
  ck_assert_uint_lt(begin->begin, end->begin);
  ck_assert_int_eq(count(&e, &t, 'C', 1, 0, "columns allocated"), 2);
  ck_assert_int_eq(e->columns, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("trace");
  TCase *tests = tcase_create("trace");
  tcase_add_test(tests, test_slices);
  tcase_add_test(tests, test_time);
  tcase_add_test(tests, test_deadlock);
  tcase_add_test(tests, test_tensor_memory);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
