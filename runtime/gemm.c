/* gg_gemm: from a product to a prepared launch.
 *
 * A product that was seen before (seen.h) is found by types, majors, alignments and extents,
 * without a lock. Else a kernel is chosen (chooser.h): what `gemmgen tune` has measured (tuned.h),
 * or, of the form's rosters (roster.h) in the model's order, the first kernel that loads and takes
 * the problem. It is then seen. Rosters are made under the gg_gemm's lock, which guards the lists;
 * nothing is compiled while it is held. If a gg_gemm measures, launches of a product run the first
 * few kernels in turn until one is known to be the fastest (race.h), and only then it is seen.
 *
 * Invariant: kernels of products that were seen are loaded, and stay so until gg_gemm_close. */
#include "gemmgen_gemm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/need.h"
#include "base/sized.h"
#include "chooser.h"
#include "problem.h"
#include "tuned.h"

/* ---- Opening and closing -------------------------------------------------------------- */

static gg_status open_source(gg_roster_source *out, const gg_context *context, const char *packs,
                             gg_error *err) {
  const gg_device_facts *facts = &context->facts;
  if (!packs) packs = getenv("GEMMGEN_PACKS");
  out->arch = facts->arch;
  out->emulated = facts->emulated;
  out->device = gg_device_model_of(facts->name, facts->arch, facts->sm_count);
  gg_status st = gg_catalogue_open(&out->catalogue, err);
  return st ? st : gg_packs_open(&out->packs, packs ? packs : "", facts->arch, err);
}

/* Reads how many kernels are measured, from the options or else from the environment. */
static gg_status read_measure(int *out, int64_t asked, gg_error *err) {
  char takes[32];
  snprintf(takes, sizeof takes, "0 (none) to %d", GG_GEMM_MEASURE_MAX);
  *out = (int)asked;
  if (asked < 0 || asked > GG_GEMM_MEASURE_MAX)
    return gg_fail(err, GEMM_OPTION, NULL, "measure", (long long)asked, takes);
  const char *text = asked ? NULL : getenv("GEMMGEN_MEASURE");
  if (!text || !text[0]) return GG_OK;
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno || *end || end == text || value < 0 || value > GG_GEMM_MEASURE_MAX)
    return gg_fail(err, GEMM_MEASURE, NULL, text, takes);
  *out = (int)value;
  return GG_OK;
}

static gg_status open_all(gg_gemm *gemm, const gg_gemm_options *options, gg_error *err) {
  gemm->wait = options->wait;
  gg_status st = read_measure(&gemm->measure, options->measure, err);
  if (!st) st = open_source(&gemm->source, gemm->context, options->packs, err);
  if (!st) st = gg_remembered_open(&gemm->remembered, gemm->context, &gemm->source, err);
  if (!st) st = gg_tuned_directory(&gemm->tuned, options->tuned, err);
  if (!st) st = gg_later_open(&gemm->later, gg_choose_later, gg_choose_warm_up, gemm, err);
  if (st) return st;
  gemm->has_lock = pthread_mutex_init(&gemm->lock, NULL) == 0;
  return gemm->has_lock ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

gg_status gg_gemm_open(gg_gemm **out, gg_context *context, const gg_gemm_options *options,
                       gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  *out = NULL;
  gg_gemm_options own = GG_GEMM_OPTIONS_INIT;
  gg_status st = options ? gg_sized_read(&own, sizeof own, options, "gg_gemm_options", err) : GG_OK;
  if (st) return st;
  if (own.wait != GG_GEMM_WAIT_BEST && own.wait != GG_GEMM_WAIT_LEAST)
    return gg_fail(err, GEMM_OPTION, NULL, "wait", (long long)own.wait,
                   "GG_GEMM_WAIT_BEST and GG_GEMM_WAIT_LEAST");
  gg_gemm *gemm = gg_calloc(1, sizeof *gemm);
  if (!gemm) return gg_fail(err, MEMORY, NULL, "");
  gemm->context = context;
  if ((st = open_all(gemm, &own, err))) {
    gg_gemm_close(gemm);
    return st;
  }
  *out = gemm;
  return GG_OK;
}

void gg_gemm_close(gg_gemm *gemm) {
  if (!gemm) return;
  gg_later_close(&gemm->later); /* first, because its thread uses all the rest */
  gg_keep_winners(gemm);
  gg_races_free(&gemm->races);
  gg_seen_free(&gemm->seen);
  gg_seen_free(&gemm->meanwhile);
  gg_epilogues_free(&gemm->epilogues);
  gg_rosters_free(gemm->forms);
  gg_measured_free(gemm->measured);
  if (gemm->has_lock) pthread_mutex_destroy(&gemm->lock);
  gg_remembered_close(&gemm->remembered);
  gg_packs_close(&gemm->source.packs);
  gg_catalogue_close(gemm->source.catalogue);
  gg_str_free(&gemm->tuned);
  gg_free(gemm);
}

/* ---- Products ------------------------------------------------------------------------- */

static gg_status check_extents(const gg_problem *p, gg_error *err) {
  const struct {
    const char *name;
    int64_t value;
  } all[] = {{"m", p->m}, {"n", p->n}, {"k", p->k}, {"batch", p->batch}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    gg_status st = gg_problem_check_extent(all[i].name, all[i].value, GG_FIXED_NONE, err);
    if (st) return st;
  }
  return GG_OK;
}

/* Room for a caller's form and problem, if they are other versions of the structs. */
typedef struct product {
  gg_form form;
  gg_problem problem;
} product;

static gg_status read_product(const gg_form **form, const gg_problem **problem, product *room,
                              gg_error *err) {
  gg_status st = gg_problem_read(problem, &room->problem, err);
  if (st || (*form)->size == sizeof room->form) return st;
  room->form = (gg_form)GG_FORM_INIT;
  st = gg_sized_read(&room->form, sizeof room->form, *form, "gg_form", err);
  *form = &room->form;
  return st;
}

/* Finds or chooses a kernel. *race is the product's race, if it is not decided; else NULL. */
static gg_status find_choice(gg_gemm_choice *out, gg_race **race, gg_gemm *gemm,
                             const gg_form *form, const gg_problem *problem, gg_error *err) {
  *out = (gg_gemm_choice)GG_GEMM_CHOICE_INIT;
  *race = NULL;
  gg_form full;
  gg_status st = gg_form_complete(&full, &gemm->epilogues, form, problem, err);
  if (!st) st = check_extents(problem, err);
  if (st || problem->m == 0 || problem->n == 0 || problem->batch == 0) return st;
  gg_seen_key key = gg_seen_key_of(&full, problem);
  const gg_gemm_choice *seen = gg_seen_find(&gemm->seen, &key);
  if (!seen && gemm->measure) *race = gg_races_find(&gemm->races, &key);
  if (*race) {
    *out = gg_race_leader(*race);
    return GG_OK;
  }
  bool least = gemm->wait == GG_GEMM_WAIT_LEAST;
  if (!seen && least) seen = gg_seen_find(&gemm->meanwhile, &key);
  if (!seen && least && gg_choose_at_hand(out, gemm, &full, &key, problem)) return GG_OK;
  if (!seen) return gg_choose_best(out, gemm, &full, &key, problem, err);
  *out = *seen;
  return GG_OK;
}

gg_status gg_gemm_choose(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                         const gg_problem *problem, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, gemm);
  GG_NEED(err, form);
  GG_NEED(err, problem);
  product room;
  gg_race *race;
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_status st = gg_sized_write(out, &choice, sizeof choice, "gg_gemm_choice", err);
  if (!st) st = read_product(&form, &problem, &room, err);
  if (!st) st = find_choice(&choice, &race, gemm, form, problem, err);
  return st ? st : gg_sized_write(out, &choice, sizeof choice, "gg_gemm_choice", err);
}

/* Prepares the launch of a choice. A problem is large, so it is copied only if it has to change. */
static gg_status prepare_choice(gg_prepared *out, const gg_gemm_choice *choice,
                                const gg_problem *problem, gg_error *err) {
  if (!choice->apart) return gg_prepare(out, choice->module, problem, err);
  gg_problem apart = *problem;
  apart.overlap = false;
  return gg_prepare(out, choice->module, &apart, err);
}

/* Prepares the launch of the chosen kernel. *race is as above if that kernel takes the problem. */
static gg_status prepare(gg_prepared *out, gg_race **race, gg_gemm *gemm, const gg_form *form,
                         const gg_problem *problem, gg_error *err) {
  product room;
  gg_gemm_choice choice;
  gg_error why = GG_ERROR_INIT;
  *gg_prepared_facts(out) = (gg_launch_facts){0};
  gg_status st = read_product(&form, &problem, &room, err);
  if (!st) st = find_choice(&choice, race, gemm, form, problem, err);
  if (st || !choice.module) return st;
  st = prepare_choice(out, &choice, problem, &why);
  if (gg_slot_gives_way(st)) {
    /* The product was seen with other strides, which this kernel could address: choose for these.
     */
    gg_form full;
    *race = NULL;
    gg_error_clear(&why);
    if ((st = gg_form_complete(&full, &gemm->epilogues, form, problem, err))) return st;
    gg_seen_key key = gg_seen_key_of(&full, problem);
    st = gg_choose_best(&choice, gemm, &full, &key, problem, err);
    return st ? st : prepare_choice(out, &choice, problem, err);
  }
  if (st && err && err->code == GG_OK) {
    *err = why;
  } else {
    gg_error_clear(&why);
  }
  return st;
}

gg_status gg_gemm_prepare(gg_prepared *out, gg_gemm *gemm, const gg_form *form,
                          const gg_problem *problem, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, gemm);
  GG_NEED(err, form);
  GG_NEED(err, problem);
  gg_race *race;
  return prepare(out, &race, gemm, form, problem, err);
}

gg_status gg_gemm_launch(gg_gemm *gemm, const gg_form *form, const gg_problem *problem,
                         struct CUstream_st *stream, gg_error *err) {
  GG_NEED(err, gemm);
  GG_NEED(err, form);
  GG_NEED(err, problem);
  gg_prepared prepared;
  gg_race *race = NULL;
  gg_status st = prepare(&prepared, &race, gemm, form, problem, err);
  if (st) return st;
  if (!race || !gg_race_launch(race, problem, stream))
    st = gg_launch_prepared(&prepared, stream, err);
  if (race && gg_race_ends(race)) gg_later_add(&gemm->later, &race->form, &race->problem);
  return st;
}
