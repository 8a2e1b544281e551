/* What the model makes of an epilogue: its work by family, and what shows of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "atom/arch.h"
#include "atom/dtype.h"
#include "choice/catalogue.h"
#include "choice/form.h"
#include "gemmgen_gemm.h"
#include "plan/layouts.h"
#include "plan/target.h"
#include "plan/traits.h"
#include "suite.h"

static gg_catalogue *catalogue;

static gg_form form_of(const char *epilogue, bool has_c) {
  gg_form form = GG_FORM_INIT;
  form.a = (gg_operand){GG_DTYPE_bf16, GG_MAJOR_K, 16};
  form.b = (gg_operand){GG_DTYPE_bf16, GG_MAJOR_K, 16};
  form.d = (gg_operand){GG_DTYPE_bf16, GG_MAJOR_N, 16};
  form.c = form.d;
  form.accumulator = GG_DTYPE_f32;
  form.has_c = has_c;
  form.epilogue = epilogue;
  return form;
}

static gg_lineup *lineup_of(const gg_form *form, int arch) {
  gg_error err = GG_ERROR_INIT;
  gg_lineup *out;
  ck_assert_int_eq(gg_lineup_make(&out, catalogue, form, arch, &err), GG_OK);
  ck_assert_uint_gt(out->count, 0);
  return out;
}

static gg_epilogue_work work_of(const gg_form *form, int arch) {
  gg_lineup *lineup = lineup_of(form, arch);
  gg_epilogue_work out = gg_traits_of(&lineup->list[0].plan, arch).epilogue;
  gg_lineup_free(lineup);
  return out;
}

/* ---- Work ------------------------------------------------------------------------------- */

static const struct {
  const char *epilogue;
  bool has_c;
  gg_epilogue_work work; /* of sm80, which reads everything where it lies, and of bf16 */
} works[] = {
    {.epilogue = NULL},
    {.epilogue = "[]"},
    {.epilogue = "[linear]"},
    {.epilogue = NULL, .has_c = true, .work = {.read = 2, .plain = 2}},
    {.epilogue = "[residual]", .work = {.read = 2, .plain = 2}},
    {.epilogue = "[{residual: {type: f32}}]", .work = {.read = 4, .plain = 1}},
    {.epilogue = "[relu]", .work = {.plain = 1}},
    {.epilogue = "[gelu]", .work = {.special = 1, .plain = 14}},
    {.epilogue = "[{gelu: {form: tanh}}]", .work = {.special = 2, .plain = 6}},
    {.epilogue = "[{gelu: {form: tanh_approx}}]", .work = {.special = 1, .plain = 5}},
    {.epilogue = "[{dgelu: {form: tanh_approx}}]", .work = {.read = 2, .special = 1, .plain = 11}},
    {.epilogue = "[silu, aux]", .work = {.special = 2, .plain = 5, .aside = 2}},
    {.epilogue = "[{scale: {along: all}}]", .work = {.vectors = 4, .plain = 1}},
    {.epilogue = "[gated]", .work = {.special = 1, .plain = 2.5}},
};

START_TEST(work_is_counted) {
  gg_form form = form_of(works[_i].epilogue, works[_i].has_c);
  gg_epilogue_work has = work_of(&form, 80), wanted = works[_i].work;
  ck_assert_double_eq(has.read, wanted.read);
  ck_assert_double_eq(has.fetched, 0);
  ck_assert_double_eq(has.aside, wanted.aside);
  ck_assert_double_eq(has.vectors, wanted.vectors);
  ck_assert_double_eq(has.special, wanted.special);
  ck_assert_double_eq(has.plain, wanted.plain);
}
END_TEST

/* Family sm90 fetches what tensor maps can address, and copies vectors to shared memory. */
START_TEST(sm90_fetches) {
  gg_form form = form_of(NULL, true);
  gg_epilogue_work work = work_of(&form, 90);
  ck_assert_double_eq(work.fetched, 2);
  ck_assert_double_eq(work.read, 0);
  form = form_of("[bias, residual]", false);
  work = work_of(&form, 90);
  ck_assert_double_eq(work.fetched, 2);
  ck_assert_double_eq(work.vectors, 0);
  form.d.align = form.c.align = 2;
  work = work_of(&form, 90);
  ck_assert_double_eq(work.fetched, 0);
  ck_assert_double_eq(work.read, 2);
}
END_TEST

/* ---- Devices ---------------------------------------------------------------------------- */

/* As drivers spell them, and whose figures each has: those of a row whose words are all there, or
 * else of the first of its architecture, or of the newest before it. */
static const struct {
  const char *name;
  int arch;
  const char *row;
} cards[] = {
    {"NVIDIA H100 80GB HBM3", 90, "H100"},
    {"NVIDIA H100 PCIe", 90, "H100"},
    {"NVIDIA H100 NVL", 90, "H100"},
    {"NVIDIA H800", 90, "H100"},
    {"NVIDIA H200", 90, "H200"},
    {"NVIDIA H200 NVL", 90, "H200"},
    {"NVIDIA GH200 480GB", 90, "GH200"},
    {"gemmgen emulator (sm_90)", 90, "H100"},
    {"NVIDIA H200", 100, "B200"},
    {"NVIDIA B200", 100, "B200"},
    {"NVIDIA GB200", 100, "B200"},
    {"NVIDIA B300 SXM6 AC", 103, "B200"},
    {"NVIDIA Thor", 110, "B200"},
    {"NVIDIA GeForce RTX 5090", 120, "RTX 5090"},
    {"NVIDIA GeForce RTX 5090 D", 120, "RTX 5090"},
    {"NVIDIA GB10", 121, "RTX 5090"},
    {"NVIDIA A100-SXM4-80GB", 80, "A100-SXM4-80GB"},
    {"NVIDIA A100-SXM4-80GB MIG 3g.40gb", 80, "A100-SXM4-80GB"},
    {"NVIDIA A100 80GB PCIe", 80, "A100 80GB PCIe"},
    {"NVIDIA A100-SXM4-40GB", 80, "A100 40GB"},
    {"NVIDIA A100-PCIE-40GB", 80, "A100 40GB"},
    {"A100-SXM4-40GB", 80, "A100 40GB"},
    {"NVIDIA A30", 80, "A100-SXM4-80GB"},
    {NULL, 80, "A100-SXM4-80GB"},
    {"NVIDIA RTX A6000", 86, "RTX A6000"},
    {"NVIDIA A10", 86, "A10"},
    {"NVIDIA A10G", 86, "RTX A6000"},
    {"NVIDIA A40", 86, "RTX A6000"},
    {"NVIDIA RTX A5000", 86, "RTX A6000"},
    {"NVIDIA GeForce RTX 3090", 86, "RTX A6000"},
    {"Orin", 87, "Orin"},
    {"Orin (nvgpu)", 87, "Orin"},
    {NULL, 88, "Orin"},
    {"NVIDIA L40S", 89, "L40S"},
    {"NVIDIA L40", 89, "L40S"},
    {"NVIDIA L4", 89, "L4"},
    {"NVIDIA RTX 6000 Ada Generation", 89, "L40S"},
    {"NVIDIA GeForce RTX 4090", 89, "RTX 4090"},
    {"NVIDIA GeForce RTX 4090 Laptop GPU", 89, "RTX 4090"},
    {NULL, 89, "L40S"},
    {NULL, 75, "H100"},
};

START_TEST(devices_are_named) {
  gg_device_model device = gg_device_model_of(cards[_i].name, cards[_i].arch, 0);
  ck_assert_str_eq(device.name, cards[_i].row);
}
END_TEST

START_TEST(devices_are_scaled) {
  gg_device_model half = gg_device_model_of("NVIDIA H200", 90, 66);
  ck_assert_double_eq(half.dram_rate, gg_device_model_of("H200", 90, 0).dram_rate / 2);
  ck_assert_ptr_eq(gg_device_row(90)->name, gg_device_model_of(NULL, 90, 0).name);
}
END_TEST

/* Rows give what every kernel's time is made of; what there is no unit for is no zero to divide by.
 * What kernels are planned by is the same on devices that share specs: no text depends on the row.
 */
START_TEST(devices_have_rates) {
  static const int archs[] = {80, 86, 87, 89, 90};
  const gg_device_model *h100 = gg_device_row(90);
  for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
    const gg_device_model *d = gg_device_row(archs[i]);
    double rates[] = {d->mma_rate_16,    d->mma_rate_32, d->mma_rate_fp8, d->mma_rate_int8,
                      d->mma_rate_64,    d->fma_rate_32, d->fma_rate_64,  d->dot_rate,
                      d->warp_mma_share, d->warp_fp8,    d->sustained,    d->smem_rate,
                      d->load_rate,      d->l2_rate,     d->l2_bytes,     d->dram_rate};
    for (size_t j = 0; j < sizeof rates / sizeof *rates; j++)
      ck_assert_msg(isfinite(rates[j]) && rates[j] > 0, "%s, rate %zu", d->name, j);
    ck_assert_double_le(d->sustained, 1);
    ck_assert_double_eq(d->tiles_enough, h100->tiles_enough);
    ck_assert_double_eq(d->bytes_enough, h100->bytes_enough);
    ck_assert_double_eq(d->warps_wanted, h100->warps_wanted);
    ck_assert_double_eq(d->box_columns, h100->box_columns);
    ck_assert_double_eq(d->buffer_columns, h100->buffer_columns);
  }
}
END_TEST

/* ---- What fits ------------------------------------------------------------------------- */

typedef struct product_type {
  gg_dtype ab, d, accumulator;
  int since;          /* the first architecture with kernels */
  const char *family; /* of all of them */
} product_type;

static const product_type product_types[] = {
    {GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32, 80, "sm80"},
    {GG_DTYPE_f16, GG_DTYPE_f16, GG_DTYPE_f16, 80, "sm80"},
    {GG_DTYPE_f32, GG_DTYPE_f32, GG_DTYPE_f32, 80, "simt"},
    {GG_DTYPE_f64, GG_DTYPE_f64, GG_DTYPE_f64, 80, "sm80"},
    {GG_DTYPE_tf32, GG_DTYPE_f32, GG_DTYPE_f32, 80, "sm80"},
    {GG_DTYPE_s8, GG_DTYPE_s32, GG_DTYPE_s32, 80, "sm80"},
    {GG_DTYPE_s4, GG_DTYPE_s32, GG_DTYPE_s32, 80, "sm80"},
    {GG_DTYPE_b1, GG_DTYPE_s32, GG_DTYPE_s32, 80, "sm80"},
    {GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32, 89, "sm80"},
};

/* Every kernel has room on the device that it is for, however much the device has that its spec
 * names: all CTAs of a multiprocessor that the kernel counts on. */
static void check_fits(const gg_plan *plan, int arch) {
  static gg_layouts layouts;
  gg_error err = GG_ERROR_INIT;
  const gg_arch_info *limits = gg_arch_info_of(arch);
  ck_assert_msg(gg_layouts_derive(&layouts, plan, &err) == GG_OK, "%s", err.message);
  int64_t each = layouts.smem_bytes;
  ck_assert_int_le(each, limits->smem_per_cta);
  ck_assert_msg(plan->ctas_per_sm * (each + GG_SMEM_RESERVED) <= limits->smem_per_sm, "%s on sm_%d",
                plan->name, arch);
  ck_assert_int_le(plan->ctas_per_sm * plan->threads, limits->threads_per_sm);
  ck_assert_int_le(plan->ctas_per_sm, limits->ctas_per_sm);
}

/* The one that ragged extents get is generated, too. */
static void check_winner(const gg_lineup *lineup, gg_extents extents, int arch) {
  gg_error err = GG_ERROR_INIT;
  gg_kernel *kernel;
  gg_device_model device = gg_device_model_of(NULL, arch, 0);
  gg_ranked *ranked = calloc(lineup->count, sizeof *ranked);
  gg_lineup_rank(ranked, lineup, extents, &device, (gg_room){0, 0});
  ck_assert_msg(isfinite(ranked[0].seconds) && ranked[0].seconds > 0, "sm_%d", arch);
  const gg_candidate *winner = &lineup->list[ranked[0].index];
  ck_assert_msg(gg_kernel_generate(&kernel, &winner->spec, &err) == GG_OK, "%s", err.message);
  ck_assert_int_le(kernel->smem_bytes, gg_arch_info_of(arch)->smem_per_cta);
  gg_kernel_free(kernel);
  free(ranked);
}

START_TEST(kernels_fit_their_devices) {
  static const int archs[] = {80, 86, 87, 88, 89};
  static const gg_extents ragged[] = {{1, 1000, 1003, 1}, {129, 65, 4099, 1}, {999, 1001, 77, 3}};
  const product_type *type = &product_types[_i];
  gg_form form = form_of(NULL, false);
  form.a.type = form.b.type = type->ab;
  form.d.type = form.c.type = type->d;
  form.accumulator = type->accumulator;
  for (int aligned = 0; aligned < 2; aligned++) {
    form.a.align = form.b.align = aligned ? 16 : (int)gg_dtype_bytes(type->ab, 1);
    form.d.align = form.c.align = aligned ? 16 : (int)gg_dtype_bytes(type->d, 1);
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
      gg_error err = GG_ERROR_INIT;
      gg_lineup *lineup;
      ck_assert_int_eq(gg_lineup_make(&lineup, catalogue, &form, archs[a], &err), GG_OK);
      ck_assert_int_eq(lineup->count > 0, archs[a] >= type->since);
      for (size_t i = 0; i < lineup->count; i++) {
        ck_assert_str_eq(lineup->list[i].plan.target->family, type->family);
        check_fits(&lineup->list[i].plan, archs[a]);
      }
      for (size_t e = 0; e < sizeof ragged / sizeof *ragged && lineup->count; e++)
        check_winner(lineup, ragged[e], archs[a]);
      gg_lineup_free(lineup);
    }
  }
}
END_TEST

/* ---- Times ------------------------------------------------------------------------------ */

/* Of one kernel with the epilogue and without it. */
typedef struct times {
  double bare, with;
} times;

/* The first kernel of a tile ("_128x128x64_s") and a schedule ("_c2x1_pingpong"), however many
 * stages it has beside what its epilogue reads. */
static double predict_first(const gg_lineup *lineup, const char *tile, const char *schedule,
                            gg_extents extents, const gg_device_model *device) {
  for (size_t i = 0; i < lineup->count; i++) {
    const char *stages = strstr(lineup->list[i].plan.name, tile);
    if (!stages) continue;
    const char *rest = strchr(stages + strlen(tile), '_');
    if (rest && strncmp(rest, schedule, strlen(schedule)) == 0)
      return gg_predict(&lineup->list[i].plan, extents, device).seconds;
  }
  return 0;
}

static times predict(const gg_lineup *bare, const gg_lineup *with, const char *tile,
                     const char *schedule, gg_extents extents) {
  gg_device_model device = gg_device_model_of(NULL, 90, 0);
  times out = {predict_first(bare, tile, schedule, extents, &device),
               predict_first(with, tile, schedule, extents, &device)};
  ck_assert_double_gt(out.bare, 0);
  ck_assert_double_gt(out.with, 0);
  return out;
}

/* More work never takes less time, and an epilogue that does nothing takes none. */
START_TEST(work_takes_time) {
  static const char *const lists[] = {"[linear]",
                                      "[bias]",
                                      "[bias, relu]",
                                      "[bias, silu]",
                                      "[bias, silu, residual]",
                                      "[bias, aux, silu, residual]"};
  enum { count = sizeof lists / sizeof *lists };
  static const gg_extents all[] = {{8192, 3072, 768, 1}, {512, 4096, 1024, 1}, {64, 256, 64, 9}};
  gg_form none = form_of(NULL, false);
  gg_lineup *bare = lineup_of(&none, 90), *with[count];
  for (size_t i = 0; i < count; i++) {
    gg_form form = form_of(lists[i], false);
    with[i] = lineup_of(&form, 90);
  }
  for (size_t e = 0; e < sizeof all / sizeof *all; e++) {
    double before = predict(bare, bare, "_128x128x64_s", "_c2x1_pingpong", all[e]).bare;
    for (size_t i = 0; i < count; i++) {
      double now = predict(bare, with[i], "_128x128x64_s", "_c2x1_pingpong", all[e]).with;
      ck_assert_msg(i ? now > before : now == before, "%s takes %g after %g", lists[i], now,
                    before);
      before = now;
    }
  }
  for (size_t i = 0; i < count; i++)
    gg_lineup_free(with[i]);
  gg_lineup_free(bare);
}
END_TEST

/* Consumers in turns hide what fits beside a long tile, and what does not shows. */
START_TEST(turns_hide_what_fits) {
  gg_form none = form_of(NULL, false), form = form_of("[bias, {gelu: {form: tanh}}]", false);
  gg_lineup *bare = lineup_of(&none, 90), *with = lineup_of(&form, 90);
  gg_extents deep = {8192, 3072, 8192, 1}, flat = {8192, 3072, 256, 1};
  times turns = predict(bare, with, "_128x192x64_s", "_c2x1_pingpong", deep);
  times shared = predict(bare, with, "_128x256x64_s", "_c2x1", deep);
  times turns_flat = predict(bare, with, "_128x192x64_s", "_c2x1_pingpong", flat);
  ck_assert_double_lt(turns.with / turns.bare, 1.02);
  ck_assert_double_gt(shared.with / shared.bare, turns.with / turns.bare);
  ck_assert_double_gt(turns_flat.with / turns_flat.bare, 1.2);
  gg_lineup_free(bare);
  gg_lineup_free(with);
}
END_TEST

/* Where the ring holds a whole tile, a consumer multiplies the next one while another of the same
 * tile stores, which was measured (docs/performance/h200.md, "Consumers do not keep step"): 128 x
 * 256 takes 42.8 us, and clusters of eight in turns 50.1. A K that is longer than the ring leaves
 * consumers together. */
START_TEST(consumers_do_not_keep_step) {
  gg_form none = form_of(NULL, false);
  gg_lineup *bare = lineup_of(&none, 90);
  gg_device_model device = gg_device_model_of("NVIDIA H200", 90, 0);
  gg_extents flat = {512, 2048, 128, 53}, deep = {512, 2048, 2048, 53};
  double shared = predict_first(bare, "_128x256x64_s", "_c2x1", flat, &device);
  double turns = predict_first(bare, "_128x128x64_s", "_c4x2_pingpong", flat, &device);
  ck_assert_double_gt(shared, 0);
  ck_assert_double_lt(shared, turns);
  shared = predict_first(bare, "_128x256x64_s", "_c2x1", deep, &device);
  turns = predict_first(bare, "_128x192x64_s", "_c2x1_pingpong", deep, &device);
  ck_assert_double_gt(turns, 0);
  ck_assert_double_gt(shared, turns);
  gg_lineup_free(bare);
}
END_TEST

/* A large D takes as long as writing it, in whole blocks of 512 bytes, and nothing waits for that
 * besides (docs/performance/h200.md, "Blocks of 512 bytes"): of 4096 x 4096 x 64 with 25 entries
 * tiles of 256 columns took 237 us, of 192 columns 261. */
START_TEST(large_results_are_written_in_blocks) {
  gg_form none = form_of(NULL, false);
  gg_lineup *bare = lineup_of(&none, 90);
  gg_device_model device = gg_device_model_of("NVIDIA H200", 90, 0);
  gg_extents large = {4096, 4096, 64, 25};
  double blocks = predict_first(bare, "_64x256x64_s", "_pingpong", large, &device);
  double parts = predict_first(bare, "_128x192x64_s", "_pingpong", large, &device);
  ck_assert_double_gt(parts, blocks);
  ck_assert_double_lt(fabs(log(blocks / 237e-6)), 0.15);
  ck_assert_double_lt(fabs(log(parts / 261e-6)), 0.15);
  gg_lineup_free(bare);
}
END_TEST

static bool stores_units(const gg_lineup *lineup, size_t index) {
  return gg_traits_of(&lineup->list[index].plan, 90).stores_units;
}

/* Whether the kernel that is chosen on an H100 has its lanes store D. Where no line of D is parted
 * no such kernel is admitted. */
static bool lanes_are_chosen(const gg_lineup *lineup, gg_extents extents) {
  gg_device_model device = gg_device_model_of(NULL, 90, 0);
  bool parted = extents.n % 16 != 0;
  gg_ranked *ranked = calloc(lineup->count, sizeof *ranked);
  gg_lineup_rank(ranked, lineup, extents, &device, (gg_room){0, 0});
  for (size_t i = 0; i < lineup->count; i++) {
    if (stores_units(lineup, ranked[i].index)) ck_assert(isfinite(ranked[i].seconds) == parted);
  }
  bool out = stores_units(lineup, ranked[0].index);
  free(ranked);
  return out;
}

/* Lanes store D where its lines begin in the middle of a sector and storing them is most of the
 * work; columns of D, and lines that begin anywhere, are other kernels'. */
START_TEST(lanes_store_parted_lines) {
  gg_form form = form_of(NULL, false);
  gg_lineup *lineup = lineup_of(&form, 90);
  ck_assert(lanes_are_chosen(lineup, (gg_extents){300, 200, 64, 512}));
  ck_assert(!lanes_are_chosen(lineup, (gg_extents){300, 208, 64, 512}));
  ck_assert(!lanes_are_chosen(lineup, (gg_extents){4096, 4088, 4096, 1}));
  gg_lineup_free(lineup);
  gg_form columns = form, anywhere = form;
  columns.d.major = GG_MAJOR_M;
  anywhere.d.align = 8;
  const gg_form *others[] = {&columns, &anywhere};
  for (size_t i = 0; i < 2; i++) {
    lineup = lineup_of(others[i], 90);
    for (size_t j = 0; j < lineup->count; j++)
      ck_assert(!stores_units(lineup, j));
    gg_lineup_free(lineup);
  }
}
END_TEST

/* Where a multiprocessor runs several CTAs at once, tiles that they share get as many shares as all
 * of these: what comes in a second round has most multiprocessors idle (docs/performance/h100.md,
 * "f32 and f64"). */
START_TEST(shares_run_at_once) {
  gg_device_model device = gg_device_model_of(NULL, 90, 0);
  static const gg_extents all[] = {{520, 532, 1660, 1}, {680, 302, 2226, 1}, {777, 1544, 2056, 1}};
  static const gg_dtype types[] = {GG_DTYPE_f64, GG_DTYPE_f32};
  int shared = 0;
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    gg_form form = form_of(NULL, false);
    form.a.type = form.b.type = form.c.type = form.d.type = form.accumulator = types[t];
    gg_lineup *lineup = lineup_of(&form, 90);
    for (size_t i = 0; i < lineup->count; i++) {
      const gg_plan *plan = &lineup->list[i].plan;
      for (size_t e = 0; e < sizeof all / sizeof *all; e++) {
        gg_prediction p = gg_predict(plan, all[e], &device);
        bool few = p.tiles <= device.sm_count && plan->ctas_per_sm > 1;
        if (few) ck_assert_msg(p.shares <= device.sm_count * plan->ctas_per_sm, "%s", plan->name);
        shared += few && p.shares > 0;
      }
    }
    gg_lineup_free(lineup);
  }
  ck_assert_int_gt(shared, 0);
}
END_TEST

/* As the data sheet of a B200 has them: 4.5 PFLOP/s of 8 bits, 9 of 4 bits with factors. */
START_TEST(narrow_floats_have_rates) {
  gg_device_model device = gg_device_model_of(NULL, 100, 0);
  double rate = gg_device_mma_rate(&device, GG_DTYPE_e4m3, false, false);
  ck_assert_double_eq(rate, device.mma_rate_fp8);
  ck_assert_double_eq(gg_device_mma_rate(&device, GG_DTYPE_e3m2, false, false), rate);
  ck_assert_double_eq(gg_device_mma_rate(&device, GG_DTYPE_e2m3, false, false), rate);
  ck_assert_double_eq(gg_device_mma_rate(&device, GG_DTYPE_e2m1, false, false), rate);
  ck_assert_double_eq(gg_device_mma_rate(&device, GG_DTYPE_e2m1, true, false), 2 * rate);
  ck_assert_double_eq(gg_device_mma_rate(&device, GG_DTYPE_e4m3, false, true), 2 * rate);
}
END_TEST

/* ---- Scale factors ---------------------------------------------------------------------- */

static gg_form scaled_form(gg_dtype a, gg_dtype b, gg_scaling scale) {
  gg_form form = form_of(NULL, false);
  form.a.type = a, form.b.type = b;
  form.scale_a = form.scale_b = scale;
  form.a.align = gg_form_align_most(&form, a);
  form.b.align = gg_form_align_most(&form, b);
  return form;
}

static const struct {
  gg_dtype a, b;
  gg_scaling scale;
} scaled[] = {
    {GG_DTYPE_e4m3, GG_DTYPE_e4m3, {GG_DTYPE_ue8m0, 32}},
    {GG_DTYPE_e5m2, GG_DTYPE_e2m1, {GG_DTYPE_ue8m0, 32}},
    {GG_DTYPE_e3m2, GG_DTYPE_e2m3, {GG_DTYPE_ue8m0, 32}},
    {GG_DTYPE_e2m1, GG_DTYPE_e2m1, {GG_DTYPE_ue8m0, 32}},
    {GG_DTYPE_e2m1, GG_DTYPE_e2m1, {GG_DTYPE_ue8m0, 16}},
    {GG_DTYPE_e2m1, GG_DTYPE_e2m1, {GG_DTYPE_ue4m3, 16}},
};

/* Every scaled kernel of the catalogue, on every device that has tcgen05. */
START_TEST(scaled_kernels_have_times) {
  static const int archs[] = {100, 103, 110};
  static const gg_extents all[] = {
      {1, 1, 128, 1}, {16, 8192, 8192, 1}, {129, 1000, 384, 3}, {8192, 8192, 8192, 1}};
  gg_form form = scaled_form(scaled[_i].a, scaled[_i].b, scaled[_i].scale);
  for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
    gg_device_model device = gg_device_model_of(NULL, archs[a], 0);
    gg_lineup *lineup = lineup_of(&form, archs[a]);
    ck_assert_uint_gt(lineup->count, 20);
    for (size_t i = 0; i < lineup->count; i++) {
      for (size_t e = 0; e < sizeof all / sizeof *all; e++) {
        gg_prediction p = gg_predict(&lineup->list[i].plan, all[e], &device);
        ck_assert_msg(isfinite(p.seconds) && p.seconds > 0, "%s: %g", lineup->list[i].plan.name,
                      p.seconds);
      }
    }
    gg_lineup_free(lineup);
  }
}
END_TEST

/* What is chosen on a B200. */
typedef struct choice {
  gg_prediction of;
  gg_plan plan; /* its name and its spec are gone */
} choice;

static choice chosen(const gg_form *form, gg_extents extents) {
  gg_device_model device = gg_device_model_of(NULL, 100, 0);
  gg_lineup *lineup = lineup_of(form, 100);
  gg_ranked *ranked = calloc(lineup->count, sizeof *ranked);
  gg_lineup_rank(ranked, lineup, extents, &device, (gg_room){0, 0});
  choice out = {.plan = lineup->list[ranked[0].index].plan};
  out.of = gg_predict(&out.plan, extents, &device);
  free(ranked);
  gg_lineup_free(lineup);
  return out;
}

/* Four bits are twice as fast as eight; factors take a little; operands and factors are read once.
 * Large products are of pairs bound by multiplying, and few rows take the smallest tiles, so that
 * all multiprocessors have some and DRAM alone is waited for. */
START_TEST(scaled_choices_are_sensible) {
  const gg_extents large = {8192, 8192, 8192, 1}, few = {16, 8192, 8192, 1};
  gg_form plain = scaled_form(GG_DTYPE_e4m3, GG_DTYPE_e4m3, (gg_scaling){.block = 0});
  gg_form mxfp8 = scaled_form(GG_DTYPE_e4m3, GG_DTYPE_e4m3, scaled[0].scale);
  gg_form nvfp4 = scaled_form(GG_DTYPE_e2m1, GG_DTYPE_e2m1, scaled[5].scale);
  choice none = chosen(&plain, large), eight = chosen(&mxfp8, large), four = chosen(&nvfp4, large);
  ck_assert_double_gt(eight.of.seconds, none.of.seconds);
  ck_assert_double_lt(eight.of.seconds, 1.1 * none.of.seconds);
  ck_assert_double_lt(four.of.seconds, 0.6 * eight.of.seconds);
  ck_assert_double_gt(four.of.seconds, 0.5 * eight.of.seconds);
  ck_assert_int_eq(four.plan.cta_group, 2);
  ck_assert_double_gt(eight.of.multiply, eight.of.load);
  gg_extents small = {1024, 1024, 4096, 1};
  choice read = chosen(&nvfp4, small);
  ck_assert_double_eq(read.of.dram_bytes, 2048. * 4096 * (0.5 + 1. / 16) + (2 << 20));
  choice narrow = chosen(&nvfp4, few);
  ck_assert_double_gt(narrow.of.dram, narrow.of.multiply);
  ck_assert_int_le(narrow.plan.tile_m * narrow.plan.tile_n, 128 * 64);
}
END_TEST

/* ---- Sparse operands -------------------------------------------------------------------- */

/* A sparse A takes half of the MMAs' time, and so less than the dense product, but more than half:
 * D takes as long. Half of A is read, and 16 bytes of metadata for each row's 128 elements. Few
 * rows of A beside a sparse B read B alone: what is stored of it and its metadata. */
START_TEST(sparse_choices_are_sensible) {
  const gg_extents large = {8192, 8192, 8192, 1}, few = {16, 8192, 8192, 1};
  gg_form form = form_of(NULL, false);
  choice dense = chosen(&form, large), narrow = chosen(&form, few);
  form.sparse_a = true;
  choice half = chosen(&form, large);
  ck_assert_double_lt(half.of.seconds, 0.75 * dense.of.seconds);
  ck_assert_double_gt(half.of.seconds, 0.5 * dense.of.seconds);
  ck_assert_int_eq(half.plan.cta_group, 2);
  choice read = chosen(&form, (gg_extents){1024, 1024, 4096, 1});
  ck_assert_double_eq(read.of.dram_bytes, 1024. * 4096 * (1 + 1. / 8 + 2) + (2 << 20));
  form.sparse_a = false, form.sparse_b = true;
  choice weights = chosen(&form, few);
  ck_assert(weights.plan.swap_ab);
  ck_assert_double_gt(weights.of.dram, weights.of.multiply);
  ck_assert_double_lt(weights.of.seconds, 0.75 * narrow.of.seconds);
}
END_TEST

/* The catalogue's file for sparse operands adds nothing to dense lineups. */
START_TEST(sparse_tiles_are_for_sparse_forms) {
  gg_form form = scaled_form(GG_DTYPE_e4m3, GG_DTYPE_e4m3, (gg_scaling){.block = 0});
  for (int sparse = 0; sparse < 2; sparse++) {
    form.sparse_a = sparse;
    gg_lineup *lineup = lineup_of(&form, 100);
    int half_lines = 0;
    for (size_t i = 0; i < lineup->count; i++)
      half_lines += lineup->list[i].plan.tile_k == (sparse ? 128 : 64);
    ck_assert_int_eq(half_lines > 0, sparse);
    gg_lineup_free(lineup);
  }
}
END_TEST

/* ---- Tensor memory ---------------------------------------------------------------------- */

/* One kernel of sm100's catalogue on a B200. */
static gg_prediction predict_b200(const char *tile, gg_extents extents) {
  gg_form form = form_of(NULL, false);
  gg_device_model device = gg_device_model_of(NULL, 100, 0);
  gg_lineup *lineup = lineup_of(&form, 100);
  gg_prediction out = {.seconds = 0};
  for (size_t i = 0; i < lineup->count && out.seconds == 0; i++) {
    if (strstr(lineup->list[i].plan.name, tile))
      out = gg_predict(&lineup->list[i].plan, extents, &device);
  }
  gg_lineup_free(lineup);
  ck_assert_msg(out.seconds > 0, "no %s", tile);
  return out;
}

/* Cycles of shared memory over those of the tensor core, of one MMA, as SemiAnalysis has them: 48
 * of 32, 64 of 64, 96 of 128; of a pair, whose CTAs have a half of B each, 40 of 32 (43 measured);
 * of 64 rows, which take as long as 128, 32 of 64. */
static const struct {
  const char *tile;
  double operands, issue;
} mmas[] = {{"_128x64x64_s8_sm", 48, 32},   {"_128x128x64_s6_sm", 64, 64},
            {"_128x256x64_s4_sm", 96, 128}, {"_128x64x64_s8_pair_c2x1", 40, 32},
            {"_64x64x64_s10_sm", 32, 32},   {"_64x128x64_s8_sm", 48, 64}};

START_TEST(operands_are_read_beside_mmas) {
  gg_prediction p = predict_b200(mmas[_i].tile, (gg_extents){64, 64, 1 << 16, 1});
  ck_assert_double_eq_tol(p.operands / p.issue, mmas[_i].operands / mmas[_i].issue, 0.02);
  ck_assert_double_eq(p.multiply, p.operands > p.issue ? p.operands : p.issue);
}
END_TEST

/* What a tile's epilogue takes beyond the next one's MMAs shows. */
START_TEST(sums_are_finished_beside_the_next_tile) {
  gg_prediction deep = predict_b200("_128x256x64_s6_pair_c2x1", (gg_extents){8192, 8192, 8192, 1});
  gg_prediction flat = predict_b200("_128x256x64_s6_pair_c2x1", (gg_extents){8192, 8192, 64, 1});
  ck_assert_double_lt(deep.epilogue, 4e-6);
  ck_assert_double_gt(deep.finish, 20e-6);
  ck_assert_double_lt(deep.finish, deep.multiply);
  ck_assert_double_gt(flat.finish, flat.multiply);
  ck_assert_double_gt(flat.seconds, flat.finish);
  ck_assert_double_gt(flat.sums, 0);
}
END_TEST

/* Specs of 8-bit floats for later architectures have the tiles of those of integers: a device that
 * runs both gets each kernel once. */
START_TEST(kernels_differ_beside_the_architecture) {
  static const int archs[] = {80, 89, 90, 100, 103, 120};
  gg_form form = form_of(NULL, false);
  form.a.type = form.b.type = GG_DTYPE_s8;
  form.accumulator = GG_DTYPE_s32;
  form.sparse_a = _i;
  for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
    gg_lineup *lineup = lineup_of(&form, archs[a]);
    for (size_t i = 0; i < lineup->count; i++)
      for (size_t j = 0; j < i; j++)
        ck_assert(lineup->list[i].hash != lineup->list[j].hash);
    gg_lineup_free(lineup);
  }
}
END_TEST

int main(void) {
  gg_error err = GG_ERROR_INIT;
  if (gg_catalogue_open(&catalogue, &err)) return 1;
  Suite *suite = suite_create("model");
  TCase *tcase = tcase_create("model");
  tcase_set_timeout(tcase, 60);
  tcase_add_loop_test(tcase, work_is_counted, 0, sizeof works / sizeof *works);
  tcase_add_test(tcase, sm90_fetches);
  tcase_add_loop_test(tcase, devices_are_named, 0, sizeof cards / sizeof *cards);
  tcase_add_test(tcase, devices_are_scaled);
  tcase_add_test(tcase, devices_have_rates);
  tcase_add_loop_test(tcase, kernels_fit_their_devices, 0,
                      sizeof product_types / sizeof *product_types);
  tcase_add_test(tcase, work_takes_time);
  tcase_add_test(tcase, turns_hide_what_fits);
  tcase_add_test(tcase, consumers_do_not_keep_step);
  tcase_add_test(tcase, large_results_are_written_in_blocks);
  tcase_add_test(tcase, lanes_store_parted_lines);
  tcase_add_test(tcase, shares_run_at_once);
  tcase_add_test(tcase, narrow_floats_have_rates);
  tcase_add_loop_test(tcase, scaled_kernels_have_times, 0, sizeof scaled / sizeof *scaled);
  tcase_add_test(tcase, scaled_choices_are_sensible);
  tcase_add_test(tcase, sparse_choices_are_sensible);
  tcase_add_test(tcase, sparse_tiles_are_for_sparse_forms);
  tcase_add_loop_test(tcase, operands_are_read_beside_mmas, 0, sizeof mmas / sizeof *mmas);
  tcase_add_test(tcase, sums_are_finished_beside_the_next_tile);
  tcase_add_loop_test(tcase, kernels_differ_beside_the_architecture, 0, 2);
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  gg_catalogue_close(catalogue);
  return status;
}
