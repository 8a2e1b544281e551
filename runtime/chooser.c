#include "chooser.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "choice/form.h"
#include "jit.h"
#include "problem.h"
#include "tuned.h"

/* How many of the kernels that the model thinks fastest are looked for in the cache if they are not
 * loaded. To generate the text of each takes a millisecond. */
enum { looks_most = 16 };

static void warn(const gg_gemm *gemm, const gg_str *text) {
  const gg_compiler *compiler = gemm->context->compiler;
  if (compiler && compiler->warn && !text->failed)
    compiler->warn(compiler->user, gg_str_text(text));
}

/* ---- What was tuned ------------------------------------------------------------------- */

/* A kernel that `gemmgen tune` has measured, found by its file's path. */
typedef struct gg_measured {
  struct gg_measured *next;
  gg_spec_file *file;
  gg_slot slot;
  char path[];
} measured;

void gg_measured_free(measured *list) {
  while (list) {
    measured *next = list->next;
    gg_slot_close(&list->slot);
    gg_spec_file_free(list->file);
    gg_free(list);
    list = next;
  }
}

static void ignore_tuned(const gg_gemm *gemm, const char *path, gg_error *why) {
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "the tuned kernel %s is not used: %s", path, why->message);
  warn(gemm, &text);
  gg_str_free(&text);
  gg_error_clear(why);
}

/* NULL: there is no file at `path`, or none that can be read. */
static measured *find_tuned(gg_gemm *gemm, const char *path) {
  for (measured *node = gemm->measured; node; node = node->next) {
    if (strcmp(node->path, path) == 0) return node;
  }
  gg_error why = GG_ERROR_INIT;
  gg_spec_file *file = NULL;
  char *text;
  size_t length;
  struct stat facts;
  if (stat(path, &facts) != 0) return NULL;
  gg_status st = gg_file_read_plain(&text, &length, path, GG_SPEC_BYTES_MAX, &why);
  if (!st) st = gg_spec_file_parse(&file, text, length, path, &why);
  gg_free(text);
  if (st) {
    ignore_tuned(gemm, path, &why);
    return NULL;
  }
  measured *node = gg_calloc(1, sizeof *node + strlen(path) + 1);
  if (!node || gg_slot_open(&node->slot, gg_spec_file_get(file, 0), NULL)) {
    gg_free(node);
    gg_spec_file_free(file);
    return NULL;
  }
  memcpy(node->path, path, strlen(path) + 1);
  node->file = file;
  node->next = gemm->measured;
  gemm->measured = node;
  return node;
}

static bool serves(const gg_operand *has, const gg_operand *wanted) {
  return has->type == wanted->type && has->major == wanted->major && has->align <= wanted->align;
}

static bool serves_sums(const gg_kernel *kernel, const gg_form *form) {
  bool promoted = kernel->accumulator_span > 0;
  return kernel->accumulator_bits == 0 || promoted == (form->promote != GG_PROMOTE_NEVER);
}

static bool serves_epilogue(const gg_kernel *kernel, const gg_form *form) {
  gg_operations wanted;
  return gg_form_operations(&wanted, form, NULL) == GG_OK && gg_form_is_epilogue(&wanted, kernel);
}

/* Whether a kernel relies on promises about its operands that a form cannot make. */
static bool is_promised(const gg_kernel *kernel) {
  return kernel->rounded_a || kernel->rounded_b;
}

/* Whether a kernel computes a form. The file's name says what it is for, but need not be right. */
static bool kernel_serves(const gg_kernel *kernel, const gg_form *form) {
  return !is_promised(kernel) && serves(&kernel->a, &form->a) && serves(&kernel->b, &form->b) &&
         serves(&kernel->d, &form->d) && gg_same_scaling(kernel->scale_a, form->scale_a) &&
         gg_same_scaling(kernel->scale_b, form->scale_b) &&
         gg_same_scaling(kernel->scale_d, form->scale_d) && kernel->sparse_a == form->sparse_a &&
         (kernel->sparse_b != 0) == form->sparse_b &&
         (kernel->pointers != 0) == (form->pointers != 0) &&
         (kernel->xor_bits != 0) == (form->xor_bits != 0) &&
         kernel->accumulator == form->accumulator && serves_sums(kernel, form) &&
         gg_kernel_takes(kernel, GG_PARAM_BETA) == form->has_c &&
         (!form->has_c || serves(&kernel->c, &form->c)) && serves_epilogue(kernel, form);
}

static gg_gemm_choice choice_of(const gg_slot *slot, double seconds) {
  return (gg_gemm_choice){.size = sizeof(gg_gemm_choice),
                          .module = slot->module,
                          .kernel = slot->kernel->name,
                          .seconds = seconds};
}

static bool try_tuned(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                      const gg_problem *problem, gg_tuned_extents extents) {
  gg_str path = GG_STR_INIT;
  gg_error why = GG_ERROR_INIT;
  measured *node = NULL;
  bool found = false;
  if (gg_tuned_path(&path, gg_str_text(&gemm->tuned), gemm->context->facts.name, form, extents,
                    NULL) == GG_OK) {
    pthread_mutex_lock(&gemm->lock);
    node = find_tuned(gemm, gg_str_text(&path));
    pthread_mutex_unlock(&gemm->lock);
  }
  if (node && gg_slot_load(&node->slot, gemm->context, NULL, problem, &why) == GG_OK) {
    found = kernel_serves(node->slot.kernel, form);
    if (found) *out = choice_of(&node->slot, 0);
    out->tuned = found;
  } else if (node) {
    ignore_tuned(gemm, node->path, &why);
  }
  gg_str_free(&path);
  return found;
}

/* Takes the product's own entry, or that of its bucket. Both were measured on the whole device, and
 * say nothing about a launch that has only a part of it. */
static bool choose_tuned(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                         const gg_problem *p) {
  if (gemm->tuned.length == 0 || p->multiprocessors) return false;
  gg_tuned_extents own = {p->m, p->n, p->k, p->batch}, bucket = gg_tuned_bucket(own);
  if (try_tuned(out, gemm, form, p, own)) return true;
  return bucket.m != own.m && try_tuned(out, gemm, form, p, bucket);
}

/* ---- What the model chooses ----------------------------------------------------------- */

/* Whether a kernel spills registers to local memory. It may then be several times slower than
 * predicted, because the model does not know of spills. */
static bool spills(const gg_slot *slot) {
  return gg_module_facts_of(slot->module)->local_bytes > 0;
}

/* Which kernels are chosen from: of packs, or of the whole catalogue; and the form that they have,
 * which is the product's or that of a pack's kernels for it. */
typedef struct field {
  gg_form form;
  bool packed;
  gg_rosters *of;
} field;

static gg_status open_field(field *f, gg_gemm *gemm, gg_error *err) {
  pthread_mutex_lock(&gemm->lock);
  gg_status st = gg_rosters_find(&f->of, &gemm->forms, &f->form, err);
  pthread_mutex_unlock(&gemm->lock);
  return st;
}

/* A roster in the order of its predictions. It is sorted only as far as places are taken. */
typedef struct ranking {
  gg_roster *roster;
  gg_ranked *list;
  size_t count;
} ranking;

static gg_status rank(ranking *out, gg_gemm *gemm, const field *f, const gg_problem *p,
                      gg_error *err) {
  *out = (ranking){0};
  pthread_mutex_lock(&gemm->lock);
  gg_status st = gg_rosters_get(&out->roster, f->of, &gemm->source, f->packed, err);
  pthread_mutex_unlock(&gemm->lock);
  if (st) return st;
  out->count = out->roster->count;
  out->list = gg_malloc(out->count * sizeof *out->list);
  if (!out->list) return gg_fail(err, MEMORY, NULL, "");
  gg_models_rank(out->list, out->roster->models, out->count,
                 (gg_extents){p->m, p->n, p->k, p->batch},
                 (gg_room){p->workspace_bytes, p->multiprocessors});
  return GG_OK;
}

/* The place in the catalogue of the `i`th kernel in the order, after those before were taken. */
static gg_catalogue_place take_place(ranking *r, size_t i) {
  gg_ranked_first(r->list + i, r->count - i);
  return r->roster->places[r->list[i].index];
}

static gg_status find_slot(gg_slot **out, gg_gemm *gemm, const field *f, gg_catalogue_place place,
                           gg_error *err) {
  pthread_mutex_lock(&gemm->lock);
  gg_status st = gg_rosters_at(out, f->of, &gemm->source, place, err);
  pthread_mutex_unlock(&gemm->lock);
  return st;
}

/* The same, but NULL if nobody has asked for the kernel before. */
static gg_slot *find_known(gg_gemm *gemm, const field *f, gg_catalogue_place place) {
  pthread_mutex_lock(&gemm->lock);
  gg_slot *slot = gg_rosters_known(f->of, place);
  pthread_mutex_unlock(&gemm->lock);
  return slot;
}

/* Remembers a choice on disk. `kernels`: how many were measured for it; 0: the model chose it. */
static void remember(const gg_gemm *gemm, const field *f, int kernels, const gg_problem *p,
                     const gg_slot *slot, const gg_gemm_choice *choice) {
  gg_remembered_add(&gemm->remembered, (gg_remembered_how){f->packed, kernels}, &f->form, p,
                    &(gg_remembered_choice){slot->place, choice->seconds, choice->apart});
}

/* The kernel that is taken of a ranking. */
typedef struct pick {
  gg_slot *slot; /* loaded; NULL: nothing */
  double seconds;
  bool others; /* whether others that were tried do not load, or do not take the problem */
} pick;

/* Takes the `i`th in the order, if it loads and takes the problem. */
static gg_status pick_one(pick *out, gg_gemm *gemm, const field *f, ranking *r, size_t i,
                          const gg_problem *p, gg_error *err) {
  gg_slot *slot;
  gg_status st = find_slot(&slot, gemm, f, take_place(r, i), err);
  if (!st) st = gg_slot_load(slot, gemm->context, &gemm->source.packs, p, err);
  if (!st) out->slot = slot, out->seconds = r->list[i].seconds;
  out->others = out->others || st;
  return st;
}

static gg_status pick_first(pick *out, gg_gemm *gemm, const field *f, ranking *r,
                            const gg_problem *p, gg_error *err) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < r->count; i++) {
    st = pick_one(out, gemm, f, r, i, p, err);
    if (!st || !gg_slot_gives_way(st)) break;
  }
  return st;
}

/* Takes the first kernel that does not spill, if it is among the first few. Packs say which of
 * their kernels spill; those are neither generated nor loaded. */
static void pick_unspilled(pick *out, gg_gemm *gemm, const field *f, ranking *r,
                           const gg_problem *p, gg_error *err) {
  int spilled = 0;
  for (size_t i = 0; i < r->count && spilled < GG_SPILLING_MOST; i++) {
    (void)take_place(r, i);
    bool spill = r->roster->spills[r->list[i].index];
    gg_status st = spill ? GG_OK : pick_one(out, gemm, f, r, i, p, err);
    if (st && !gg_slot_gives_way(st)) return;
    if (st) continue;
    if (!spill && !spills(out->slot)) return;
    out->slot = NULL;
    spilled++;
  }
}

/* Chooses the fastest kernel by the model that loads and takes the problem; if that spills, the
 * next that does not, if it is among the first few. If none loads, gives the first one's error. The
 * choice is not remembered if some kernels did not take the problem: that may be because of its
 * strides, which are not in the key. */
static gg_status choose_predicted(gg_gemm_choice *out, gg_gemm *gemm, const field *f,
                                  const gg_problem *p, gg_error *err) {
  ranking r;
  pick taken = {0};
  gg_error first = GG_ERROR_INIT;
  gg_status st = rank(&r, gemm, f, p, err);
  if (st) return st;
  pick_unspilled(&taken, gemm, f, &r, p, &first);
  if (!taken.slot) st = pick_first(&taken, gemm, f, &r, p, &first);
  gg_free(r.list);
  if (!st) *out = choice_of(taken.slot, taken.seconds);
  if (!st && !taken.others) remember(gemm, f, 0, p, taken.slot, out);
  if (st && err && err->code == GG_OK) {
    *err = first;
  } else {
    gg_error_clear(&first);
  }
  return st;
}

/* Takes the kernel that an earlier process chose, if it can be had; with `at_hand`, only if that
 * needs no waiting. */
static bool recall(gg_gemm_choice *out, gg_gemm *gemm, const field *f, int kernels,
                   const gg_problem *p, bool at_hand) {
  gg_remembered_choice choice;
  gg_slot *slot;
  gg_context *context = gemm->context;
  const gg_packs *packs = &gemm->source.packs;
  if (!gg_remembered_find(&choice, &gemm->remembered, (gg_remembered_how){f->packed, kernels},
                          &f->form, p) ||
      find_slot(&slot, gemm, f, choice.place, NULL))
    return false;
  bool there = at_hand ? gg_slot_at_hand(slot, context, packs, p, true)
                       : gg_slot_load(slot, context, packs, p, NULL) == GG_OK;
  if (there) *out = choice_of(slot, choice.seconds);
  if (there) out->measured = kernels > 0, out->apart = choice.apart;
  return there;
}

/* A gg_gemm that measures prefers what was measured to what the model chose. */
static bool recall_any(gg_gemm_choice *out, gg_gemm *gemm, const field *f, const gg_problem *p,
                       bool at_hand) {
  return (gemm->measure && recall(out, gemm, f, gemm->measure, p, at_hand)) ||
         recall(out, gemm, f, 0, p, at_hand);
}

static gg_status choose_of(gg_gemm_choice *out, gg_gemm *gemm, field *f, const gg_problem *p,
                           gg_error *err) {
  gg_status st = open_field(f, gemm, err);
  if (st || recall_any(out, gemm, f, p, false)) return st;
  return choose_predicted(out, gemm, f, p, err);
}

/* Chooses from the kernels that packs have for the form; false if there are none, or none that
 * takes the problem. *st and `err` give other errors to the caller. */
static bool choose_packed(gg_gemm_choice *out, gg_status *st, gg_gemm *gemm, const gg_form *form,
                          const gg_problem *p, gg_error *err) {
  field f = {.packed = true};
  bool serves;
  gg_error why = GG_ERROR_INIT;
  *st = gg_packs_serve(&serves, &f.form, &gemm->source.packs, form, err);
  if (*st || !serves) return *st != GG_OK;
  *st = choose_of(out, gemm, &f, p, &why);
  bool passed = *st && gg_slot_gives_way(*st);
  if (*st && !passed && err && err->code == GG_OK) {
    *err = why;
  } else {
    gg_error_clear(&why);
  }
  return !passed;
}

/* ---- The best ------------------------------------------------------------------------- */

/* The problem with the least workspace of those that have the same key: what serves it serves all
 * of them. */
static gg_problem least_of(const gg_gemm *gemm, const gg_problem *problem) {
  gg_problem least = *problem;
  least.workspace_bytes = gg_seen_workspace(problem);
  bool all = problem->multiprocessors >= gemm->source.device.sm_count;
  least.multiprocessors = all ? 0 : gg_seen_multiprocessors(problem);
  return least;
}

static void add_seen(gg_gemm *gemm, gg_seen *seen, const gg_seen_key *key,
                     const gg_gemm_choice *choice) {
  pthread_mutex_lock(&gemm->lock);
  gg_seen_add(seen, key, choice);
  pthread_mutex_unlock(&gemm->lock);
}

/* Adds a race for the product; NULL: it has one already, or none can be added. */
static gg_race *add_race(gg_gemm *gemm, const gg_form *form, const gg_seen_key *key,
                         const gg_problem *problem, const gg_gemm_choice *leader, bool packed) {
  gg_race *race = NULL;
  pthread_mutex_lock(&gemm->lock);
  if (!gg_races_find(&gemm->races, key))
    race = gg_races_add(&gemm->races, gemm->context, form, problem, leader, packed, gemm->measure);
  pthread_mutex_unlock(&gemm->lock);
  return race;
}

/* Leaves the race's next contender to be loaded; if that fails, the race starts without it. */
static void go_on(gg_gemm *gemm, gg_race *race) {
  if (!gg_later_add(&gemm->later, &race->form, &race->problem)) gg_race_start(race);
}

/* Keeps a choice for good if it was measured, or if nothing is to be measured. Else it is the first
 * leader of a race, but is kept, too, if there can be no race. */
static void keep(gg_gemm_choice *best, gg_gemm *gemm, const gg_form *form, const gg_seen_key *key,
                 const gg_problem *problem, bool packed) {
  bool decided = !gemm->measure || best->tuned || best->measured;
  gg_race *race = decided ? NULL : add_race(gemm, form, key, problem, best, packed);
  if (race) go_on(gemm, race);
  best->measuring = !decided && gg_races_find(&gemm->races, key);
  if (!best->measuring) add_seen(gemm, &gemm->seen, key, best);
}

static gg_status choose(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                        const gg_seen_key *key, const gg_problem *problem, bool of_packs,
                        gg_error *err) {
  gg_problem least = least_of(gemm, problem);
  gg_status st = GG_OK;
  field f = {.form = *form};
  bool tuned = choose_tuned(out, gemm, form, &least);
  bool packed = !tuned && of_packs && choose_packed(out, &st, gemm, form, &least, err);
  if (!tuned && !packed) st = choose_of(out, gemm, &f, &least, err);
  if (!st) keep(out, gemm, form, key, problem, packed);
  return st;
}

gg_status gg_choose_best(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                         const gg_seen_key *key, const gg_problem *problem, gg_error *err) {
  return choose(out, gemm, form, key, problem, true, err);
}

/* ---- At hand -------------------------------------------------------------------------- */

static bool compiles(const gg_gemm *gemm) {
  return gemm->context->compiler && !gemm->context->compiler->why_not;
}

/* Takes the fastest kernel that is loaded, or that is among the first few and in the cache. *best
 * says whether it is the fastest of all. */
static bool rank_at_hand(gg_gemm_choice *out, bool *best, gg_gemm *gemm, const field *f,
                         const gg_problem *p) {
  ranking r;
  bool found = false;
  if (rank(&r, gemm, f, p, NULL)) return false;
  for (size_t i = 0; i < r.count && !found; i++) {
    gg_catalogue_place place = take_place(&r, i);
    gg_slot *slot = NULL;
    if (isinf(r.list[i].seconds)) break;
    if (i >= looks_most) slot = find_known(gemm, f, place);
    if (i < looks_most && find_slot(&slot, gemm, f, place, NULL)) break;
    found = slot && gg_slot_at_hand(slot, gemm->context, &gemm->source.packs, p, i < looks_most);
    if (!found) continue;
    *best = i == 0 && !spills(slot);
    *out = choice_of(slot, r.list[i].seconds);
    if (*best) remember(gemm, f, 0, p, slot, out);
  }
  gg_free(r.list);
  return found;
}

/* What an earlier process chose from the whole catalogue is the best. Without that, packs are asked
 * before the catalogue, because that would have to be planned. */
static bool find_at_hand(gg_gemm_choice *out, bool *best, bool *packed, gg_gemm *gemm,
                         const gg_form *form, const gg_problem *p) {
  field f = {.form = *form};
  gg_status st;
  if (open_field(&f, gemm, NULL)) return false;
  *best = recall_any(out, gemm, &f, p, true);
  if (*best) return true;
  *packed = choose_packed(out, &st, gemm, form, p, NULL) && st == GG_OK;
  return *packed || rank_at_hand(out, best, gemm, &f, p);
}

/* Keeps what is at hand for good, because nothing better will come. */
static void keep_at_hand(gg_gemm *gemm, const gg_seen_key *key) {
  const gg_gemm_choice *at_hand = gg_seen_find(&gemm->meanwhile, key);
  if (!at_hand) return;
  gg_gemm_choice choice = *at_hand;
  choice.measuring = false;
  add_seen(gemm, &gemm->seen, key, &choice);
}

bool gg_choose_at_hand(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                       const gg_seen_key *key, const gg_problem *problem) {
  gg_problem least = least_of(gemm, problem);
  bool best = false, packed = false;
  if (!find_at_hand(out, &best, &packed, gemm, form, &least)) return false;
  best = (best && gemm->tuned.length == 0) || !compiles(gemm);
  if (best) {
    keep(out, gemm, form, key, problem, packed);
  } else {
    out->measuring = gemm->measure > 0;
    add_seen(gemm, &gemm->meanwhile, key, out);
    if (!gg_later_add(&gemm->later, form, problem)) keep_at_hand(gemm, key);
  }
  return true;
}

static void choose_compiled(gg_gemm *gemm, const gg_form *form, const gg_seen_key *key,
                            const gg_problem *problem) {
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_error why = GG_ERROR_INIT;
  if (choose(&choice, gemm, form, key, problem, false, &why)) {
    gg_str text = GG_STR_INIT;
    gg_str_printf(&text, "a product keeps the kernel that was at hand: %s", why.message);
    warn(gemm, &text);
    gg_str_free(&text);
    keep_at_hand(gemm, key);
  }
  gg_error_clear(&why);
}

/* ---- Measured at work ----------------------------------------------------------------- */

/* Opens the field that a race's contenders are from, which is that of its first leader. */
static bool open_raced(field *f, gg_gemm *gemm, const gg_race *race) {
  bool serves = true;
  *f = (field){.form = race->form, .packed = race->packed};
  if (f->packed && gg_packs_serve(&serves, &f->form, &gemm->source.packs, &race->form, NULL))
    return false;
  return serves && open_field(f, gemm, NULL) == GG_OK;
}

/* Asks the next kernel in the model's order to take part in the race; false when all have been
 * asked. Kernels that spill, or that take much longer by the model, are not worth the calls that
 * they would compute. A few more than `measure` are asked, to replace those that do not come. */
static bool ask_next(gg_gemm *gemm, gg_race *race, const field *f, ranking *r,
                     const gg_problem *p) {
  const double longest = 2; /* times the fastest by the model */
  size_t most = (size_t)gemm->measure + GG_SPILLING_MOST, next = race->asked++;
  gg_slot *slot;
  if (race->count == race->room || next >= most || next >= r->count) return false;
  for (size_t i = 0; i < next; i++)
    (void)take_place(r, i);
  gg_catalogue_place place = take_place(r, next);
  if (isinf(r->list[next].seconds) || r->list[next].seconds > longest * r->list[0].seconds)
    return false;
  if (r->roster->spills[r->list[next].index] || find_slot(&slot, gemm, f, place, NULL)) return true;
  gg_status st = gg_slot_load(slot, gemm->context, &gemm->source.packs, p, NULL);
  if (gg_slot_is_passed_over(st)) race->parted = true;
  if (!st && !spills(slot)) gg_race_enter(race, slot);
  return true;
}

/* Loads one contender of a race, and only one, so that other products have their turns between. */
static void gather(gg_gemm *gemm, gg_race *race) {
  gg_problem least = least_of(gemm, &race->problem);
  field f;
  ranking r;
  bool more = false;
  if (open_raced(&f, gemm, race) && rank(&r, gemm, &f, &least, NULL) == GG_OK) {
    more = ask_next(gemm, race, &f, &r, &least);
    gg_free(r.list);
  }
  if (more)
    go_on(gemm, race);
  else
    gg_race_start(race);
}

static void tell_fault(gg_gemm *gemm, const gg_race *race) {
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "a product's kernels are measured no further: %s", race->fault.message);
  if (!gemm->said_unmeasured) warn(gemm, &text);
  gemm->said_unmeasured = true;
  gg_str_free(&text);
}

/* When a race is over its winner is the product's kernel. It is remembered for later processes only
 * if nothing but times decided the race. */
static void keep_winner(gg_gemm *gemm, gg_race *race) {
  if (race->kept || gg_race_stage_of(race) != GG_RACE_OVER) return;
  gg_gemm_choice winner = gg_race_leader(race);
  gg_problem least = least_of(gemm, &race->problem);
  field f;
  if (race->fault.code)
    tell_fault(gemm, race);
  else if (race->leading && !race->parted && open_raced(&f, gemm, race))
    remember(gemm, &f, gemm->measure, &least, race->leading, &winner);
  add_seen(gemm, &gemm->seen, &race->key, &winner);
  race->kept = true;
}

void gg_keep_winners(gg_gemm *gemm) {
  gg_race *race = atomic_load_explicit(&gemm->races.first, memory_order_relaxed);
  for (; race; race = race->next)
    keep_winner(gemm, race);
}

void gg_choose_warm_up(void *user) {
  const gg_gemm *gemm = user;
  if (compiles(gemm)) gg_compiler_warm_up(gemm->context->compiler);
}

void gg_choose_later(void *user, const gg_form *form, const gg_problem *problem) {
  gg_gemm *gemm = user;
  gg_seen_key key = gg_seen_key_of(form, problem);
  gg_race *race = gg_races_find(&gemm->races, &key);
  if (!race)
    choose_compiled(gemm, form, &key, problem);
  else if (gg_race_stage_of(race) == GG_RACE_GATHERS)
    gather(gemm, race);
  if (race) keep_winner(gemm, race);
}
