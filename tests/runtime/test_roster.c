/* Kernels of packs are ranked by the terms that stand there, as if each had been planned; and one
 * that is read and planned alone is what it is among all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "choice/form.h"
#include "gemm_fixture.h"
#include "roster.h"
#include "suite.h"

enum { products = 300 };

/* A form on a device. */
typedef struct row {
  const char *device; /* as the driver calls it */
  int arch;
  gg_dtype in, out, accumulator;
  gg_major a_major, b_major;
  int align;
  bool has_c;
  const char *epilogue;
} row;

static const row rows[] = {
    {"NVIDIA H100 80GB HBM3", 90, GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32, GG_MAJOR_K,
     GG_MAJOR_K, 16, false, NULL},
    {"NVIDIA H200", 90, GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32, GG_MAJOR_K, GG_MAJOR_K, 2, true,
     NULL},
    {"NVIDIA H100 80GB HBM3", 90, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32, GG_MAJOR_K,
     GG_MAJOR_K, 16, false, "[bias: {along: n, type: f32}, gelu: {form: erf}]"},
    {"NVIDIA H200", 90, GG_DTYPE_f64, GG_DTYPE_f64, GG_DTYPE_f64, GG_MAJOR_K, GG_MAJOR_K, 8, false,
     NULL},
    {"NVIDIA H200", 90, GG_DTYPE_f32, GG_DTYPE_f32, GG_DTYPE_f32, GG_MAJOR_M, GG_MAJOR_N, 4, false,
     NULL},
    {"NVIDIA H200", 90, GG_DTYPE_s4, GG_DTYPE_s32, GG_DTYPE_s32, GG_MAJOR_K, GG_MAJOR_K, 16, false,
     NULL},
    {"NVIDIA B200", 100, GG_DTYPE_bf16, GG_DTYPE_bf16, GG_DTYPE_f32, GG_MAJOR_K, GG_MAJOR_K, 16,
     true, NULL},
    {"NVIDIA L40S", 89, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32, GG_MAJOR_K, GG_MAJOR_K, 16,
     false, NULL},
    {"NVIDIA GeForce RTX 5090", 120, GG_DTYPE_e4m3, GG_DTYPE_bf16, GG_DTYPE_f32, GG_MAJOR_K,
     GG_MAJOR_K, 16, false, NULL},
};

enum { row_count = sizeof rows / sizeof *rows };

static gg_form form_of(const row *r) {
  gg_form form = gemm_form(r->in, r->out, r->accumulator);
  form.a.major = r->a_major, form.b.major = r->b_major;
  form.a.align = form.b.align = r->align;
  form.c.align = form.d.align = r->align < 16 ? r->align : 16;
  form.has_c = r->has_c;
  form.epilogue = r->epilogue;
  return form;
}

/* A pack of all kernels of a form, without binaries. */
static const char *write_pack(const gg_catalogue *catalogue, const gg_form *form, int arch) {
  static char path[128];
  gg_error err = GG_ERROR_INIT;
  gg_lineup *lineup;
  gg_str text = GG_STR_INIT, name = GG_STR_INIT;
  ck_assert_int_eq(gg_lineup_make(&lineup, catalogue, form, arch, &err), GG_OK);
  ck_assert_uint_gt(lineup->count, 0);
  gg_packed_place *places = gg_malloc(lineup->count * sizeof *places);
  ck_assert_ptr_nonnull(places);
  for (size_t i = 0; i < lineup->count; i++) {
    const gg_plan *plan = &lineup->list[i].plan;
    places[i].place = lineup->list[i].place;
    places[i].local_bytes = i % 5 == 0 ? 8 : 0;
    memset(&places[i].terms, i % 2 ? 0x55 : 0xaa, sizeof places[i].terms);
    places[i].terms = gg_terms_of(plan, gg_device_row(arch)->arch);
    gg_terms again = gg_terms_of(plan, gg_device_row(arch)->arch);
    ck_assert(memcmp(&places[i].terms, &again, sizeof again) == 0); /* of every byte */
  }
  ck_assert_int_eq(gg_pack_form_name(&name, form, &err), GG_OK);
  gg_packed_form packed = {
      gg_str_text(&name), form->a.align, form->b.align, form->has_c ? form->c.align : 0,
      form->d.align,      places,        lineup->count};
  gg_pack_contents contents = {.device = arch, .forms = &packed, .form_count = 1};
  gg_pack_file_build(&text, &contents);
  snprintf(path, sizeof path, "%s/all.pack", fixture_directory());
  ck_assert(gg_file_write(path, text.text, text.length));
  gg_free(places);
  gg_str_free(&text);
  gg_str_free(&name);
  gg_lineup_free(lineup);
  return path;
}

/* Products of all sizes, long and short, in a workspace or none, on all or some multiprocessors. */
static gg_extents draw(gg_room *room) {
  static const int64_t workspaces[] = {0, 1 << 20, GG_GEMM_WORKSPACE};
  int64_t sides[3];
  for (int i = 0; i < 3; i++) {
    int bits = rand() % 14;
    sides[i] = (1 << bits) + (rand() % 2 ? 0 : rand() % (1 << bits));
  }
  room->workspace = workspaces[rand() % 3];
  room->multiprocessors = rand() % 3 ? 0 : 1 + rand() % 150;
  return (gg_extents){sides[0], sides[1], sides[2], rand() % 4 ? 1 : 1 + rand() % 20};
}

static gg_catalogue_place chosen(gg_ranked *ranked, const gg_roster *roster, gg_extents extents,
                                 gg_room room) {
  gg_models_rank(ranked, roster->models, roster->count, extents, room);
  gg_ranked_first(ranked, roster->count);
  return roster->places[ranked[0].index];
}

/* The choice of the pack is that of the catalogue, to the last bit of its time. */
static void compare(const row *r, gg_rosters *of, const gg_roster_source *source) {
  gg_error err = GG_ERROR_INIT;
  gg_roster *whole, *packed;
  ck_assert_msg(gg_rosters_get(&whole, of, source, false, &err) == GG_OK, "%s", err.message);
  ck_assert_msg(gg_rosters_get(&packed, of, source, true, &err) == GG_OK, "%s", err.message);
  ck_assert_uint_eq(packed->count, whole->count);
  for (size_t i = 0; i < packed->count; i++) {
    ck_assert(packed->spills[i] == (i % 5 == 0 && !source->emulated));
    ck_assert(!whole->spills[i]);
  }
  gg_ranked *of_whole = gg_malloc(whole->count * sizeof *of_whole);
  gg_ranked *of_packed = gg_malloc(whole->count * sizeof *of_packed);
  ck_assert(of_whole && of_packed);
  size_t limited = 0;
  for (int i = 0; i < products; i++) {
    gg_room room;
    gg_extents e = draw(&room);
    gg_catalogue_place own = chosen(of_whole, whole, e, room);
    ck_assert_msg(gg_same_place(own, chosen(of_packed, packed, e, room)), "%s %d: %d x %d x %d",
                  r->device, r->in, (int)e.m, (int)e.n, (int)e.k);
    ck_assert(of_whole[0].seconds == of_packed[0].seconds);
    gg_room all = {room.workspace, 0};
    limited += !gg_same_place(own, chosen(of_packed, packed, e, all));
  }
  ck_assert_uint_gt(limited, 0); /* fewer multiprocessors choose otherwise */
  gg_free(of_whole);
  gg_free(of_packed);
}

/* Each kernel read and planned alone is the one that it is among all. */
static void read_alone(const gg_form *form, const gg_roster_source *source) {
  gg_error err = GG_ERROR_INIT;
  gg_lineup *all, *alone;
  gg_catalogue *fresh; /* of which no file has been read whole */
  ck_assert_int_eq(gg_lineup_make(&all, source->catalogue, form, source->arch, &err), GG_OK);
  ck_assert_int_eq(gg_catalogue_open(&fresh, &err), GG_OK);
  for (size_t i = 0; i < all->count; i++) {
    const gg_candidate *own = &all->list[i];
    ck_assert_int_eq(gg_lineup_make_at(&alone, fresh, form, source->arch, own->place, &err), GG_OK);
    ck_assert_uint_eq(alone->count, 1);
    ck_assert(gg_same_place(alone->list[0].place, own->place));
    ck_assert(alone->list[0].hash == own->hash);
    ck_assert_str_eq(alone->list[0].plan.name, own->plan.name);
    gg_lineup_free(alone);
  }
  gg_catalogue_close(fresh);
  gg_lineup_free(all);
}

/* What stands at a place that was chosen is the kernel of that form, which alone is planned. */
static void take(gg_rosters *of, const gg_roster_source *source) {
  gg_error err = GG_ERROR_INIT;
  gg_slot *slot, *again;
  gg_roster *packed;
  gg_lineup *lineup;
  ck_assert_int_eq(gg_rosters_get(&packed, of, source, true, &err), GG_OK);
  gg_catalogue_place last = packed->places[packed->count - 1];
  ck_assert_ptr_null(gg_rosters_known(of, last));
  ck_assert_int_eq(gg_rosters_at(&slot, of, source, last, &err), GG_OK);
  ck_assert_int_eq(gg_rosters_at(&again, of, source, last, &err), GG_OK);
  ck_assert_ptr_eq(slot, again);
  ck_assert_ptr_eq(slot, gg_rosters_known(of, last));
  ck_assert_int_eq(gg_lineup_make(&lineup, source->catalogue, &of->form, source->arch, &err),
                   GG_OK);
  const gg_candidate *candidate = &lineup->list[lineup->count - 1];
  gg_kernel *kernel, *other;
  ck_assert_int_eq(gg_kernel_generate(&kernel, slot->spec, &err), GG_OK);
  ck_assert_int_eq(gg_kernel_generate(&other, &candidate->spec, &err), GG_OK);
  ck_assert_str_eq(kernel->name, other->name);
  ck_assert_str_eq(kernel->source, other->source);
  gg_kernel_free(kernel);
  gg_kernel_free(other);
  gg_lineup_free(lineup);
  const gg_catalogue_place nowhere[] = {{UINT16_MAX, 0}, {last.file, UINT16_MAX}};
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(gg_rosters_at(&slot, of, source, nowhere[i], &err), GG_E_GEMM_FORM);
    gg_error_clear(&err);
  }
}

START_TEST(packs_choose_as_the_catalogue) {
  const row *r = &rows[_i];
  gg_error err = GG_ERROR_INIT;
  gg_rosters *list = NULL, *of;
  gg_form form = form_of(r);
  gg_roster_source source = {
      .arch = r->arch, .emulated = _i % 2, .device = gg_device_model_of(r->device, r->arch, 0)};
  srand(17 + (unsigned)_i);
  ck_assert_int_eq(gg_catalogue_open(&source.catalogue, &err), GG_OK);
  const char *path = write_pack(source.catalogue, &form, r->arch);
  ck_assert_msg(gg_packs_open(&source.packs, path, r->arch, &err) == GG_OK, "%s", err.message);
  ck_assert_int_eq(gg_rosters_find(&of, &list, &form, &err), GG_OK);
  compare(r, of, &source);
  take(of, &source);
  read_alone(&form, &source);
  gg_rosters_free(list);
  gg_packs_close(&source.packs);
  gg_catalogue_close(source.catalogue);
}
END_TEST

int main(void) {
  fixture_begin();
  Suite *suite = suite_create("roster");
  TCase *tcase = tcase_create("roster");
  tcase_set_timeout(tcase, 240);
  tcase_add_loop_test(tcase, packs_choose_as_the_catalogue, 0, row_count);
  suite_add_tcase(suite, tcase);
  int status = run_suite(suite);
  fixture_end();
  return status;
}
