/* gg_gemm: from a product to a prepared launch.
 *
 * Three tables, from fast to slow. What was seen (seen.h) is found by types, majors, alignments and
 * extents, without a lock. Else the form's roster (roster.h) is ranked by the model, and the
 * kernels are tried from the fastest on, behind what `gemmgen tune` has measured (tuned.h); the
 * first that loads and takes the problem is remembered. A form that is new gets its roster made,
 * under the gg_gemm's lock, which guards the lists and nothing that compiles.
 *
 * Invariant: what is remembered is loaded, and stays so until gg_gemm_close. */
#include "gemmgen_gemm.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/need.h"
#include "base/sized.h"
#include "choice/form.h"
#include "complete.h"
#include "context.h"
#include "jit.h"
#include "problem.h"
#include "roster.h"
#include "seen.h"
#include "tuned.h"

/* A form's kernels; `key` without extents. */
typedef struct form_node {
  struct form_node *next;
  gg_seen_key key;
  gg_form form; /* with an epilogue of its own below */
  gg_roster roster;
  char epilogue[];
} form_node;

/* A measured kernel, by its path. */
typedef struct tuned_node {
  struct tuned_node *next;
  gg_spec_file *file;
  gg_slot slot;
  char path[];
} tuned_node;

struct gg_gemm {
  gg_context *context;
  gg_device_model device;
  gg_catalogue *catalogue;
  gg_str tuned; /* directory; empty: none */
  gg_seen seen; /* read by anyone */
  gg_epilogues epilogues;
  pthread_mutex_t lock; /* to add to what was seen, and of the lists */
  bool has_lock;
  form_node *forms;
  tuned_node *measured;
};

/* ---- Opening and closing -------------------------------------------------------------- */

gg_status gg_gemm_open(gg_gemm **out, gg_context *context, const gg_gemm_options *options,
                       gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, context);
  *out = NULL;
  gg_gemm_options own = GG_GEMM_OPTIONS_INIT;
  gg_status st = options ? gg_sized_read(&own, sizeof own, options, "gg_gemm_options", err) : GG_OK;
  if (st) return st;
  gg_gemm *gemm = gg_calloc(1, sizeof *gemm);
  if (!gemm) return gg_fail(err, MEMORY, NULL, "");
  gemm->context = context;
  gemm->device =
      gg_device_model_of(context->facts.name, context->facts.arch, context->facts.sm_count);
  st = gg_catalogue_open(&gemm->catalogue, err);
  if (!st) st = gg_tuned_directory(&gemm->tuned, own.tuned, err);
  if (!st) {
    gemm->has_lock = pthread_mutex_init(&gemm->lock, NULL) == 0;
    if (!gemm->has_lock) st = gg_fail(err, MEMORY, NULL, "");
  }
  if (st) {
    gg_gemm_close(gemm);
    return st;
  }
  *out = gemm;
  return GG_OK;
}

void gg_gemm_close(gg_gemm *gemm) {
  if (!gemm) return;
  gg_seen_free(&gemm->seen);
  gg_epilogues_free(&gemm->epilogues);
  while (gemm->forms) {
    form_node *node = gemm->forms;
    gemm->forms = node->next;
    gg_roster_free(&node->roster);
    gg_free(node);
  }
  while (gemm->measured) {
    tuned_node *node = gemm->measured;
    gemm->measured = node->next;
    gg_slot_close(&node->slot);
    gg_spec_file_free(node->file);
    gg_free(node);
  }
  if (gemm->has_lock) pthread_mutex_destroy(&gemm->lock);
  gg_catalogue_close(gemm->catalogue);
  gg_str_free(&gemm->tuned);
  gg_free(gemm);
}

/* ---- Forms ---------------------------------------------------------------------------- */

/* The form's roster, made where it is not there. */
static gg_status find_form(form_node **out, gg_gemm *gemm, const gg_form *form,
                           const gg_seen_key *key, gg_error *err) {
  for (*out = gemm->forms; *out; *out = (*out)->next) {
    if (gg_seen_same_form(&(*out)->key, key)) return GG_OK;
  }
  size_t length = form->epilogue ? strlen(form->epilogue) + 1 : 0;
  form_node *node = gg_calloc(1, sizeof *node + length);
  if (!node) return gg_fail(err, MEMORY, NULL, "");
  node->form = *form;
  node->key = *key;
  if (length) {
    node->form.epilogue = node->key.epilogue = memcpy(node->epilogue, form->epilogue, length);
  }
  gg_status st = gg_roster_make(&node->roster, gemm->catalogue, &node->form,
                                gemm->context->facts.arch, &gemm->device, err);
  if (st) {
    gg_free(node);
    return st;
  }
  node->next = gemm->forms;
  *out = gemm->forms = node;
  return GG_OK;
}

/* ---- What was tuned ------------------------------------------------------------------- */

static void ignore_tuned(const gg_gemm *gemm, const char *path, gg_error *why) {
  const gg_compiler *compiler = gemm->context->compiler;
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "the tuned kernel %s is not used: %s", path, why->message);
  if (compiler && compiler->warn && !text.failed)
    compiler->warn(compiler->user, gg_str_text(&text));
  gg_str_free(&text);
  gg_error_clear(why);
}

/* NULL where there is none at `path`, or none that can be read. */
static tuned_node *find_tuned(gg_gemm *gemm, const char *path) {
  for (tuned_node *node = gemm->measured; node; node = node->next) {
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
  tuned_node *node = gg_calloc(1, sizeof *node + strlen(path) + 1);
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

/* The file's name says what it is for; whether it is, its kernel tells. */
static bool kernel_serves(const gg_kernel *kernel, const gg_form *form) {
  return serves(&kernel->a, &form->a) && serves(&kernel->b, &form->b) &&
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

static gg_gemm_choice choice_of(const gg_slot *slot, bool tuned, double seconds) {
  return (gg_gemm_choice){.size = sizeof(gg_gemm_choice),
                          .module = slot->module,
                          .kernel = slot->kernel->name,
                          .tuned = tuned,
                          .seconds = seconds};
}

static bool try_tuned(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                      const gg_problem *problem, gg_tuned_extents extents) {
  gg_str path = GG_STR_INIT;
  gg_error why = GG_ERROR_INIT;
  tuned_node *node = NULL;
  bool found = false;
  if (gg_tuned_path(&path, gg_str_text(&gemm->tuned), gemm->context->facts.name, form, extents,
                    NULL) == GG_OK) {
    pthread_mutex_lock(&gemm->lock);
    node = find_tuned(gemm, gg_str_text(&path));
    pthread_mutex_unlock(&gemm->lock);
  }
  if (node && gg_slot_load(&node->slot, gemm->context, problem, &why) == GG_OK) {
    found = kernel_serves(node->slot.kernel, form);
    if (found) *out = choice_of(&node->slot, true, 0);
  } else if (node) {
    ignore_tuned(gemm, node->path, &why);
  }
  gg_str_free(&path);
  return found;
}

/* The product's own entry, or that of its bucket. */
static bool choose_tuned(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                         const gg_problem *p) {
  if (gemm->tuned.length == 0) return false;
  gg_tuned_extents own = {p->m, p->n, p->k, p->batch}, bucket = gg_tuned_bucket(own);
  if (try_tuned(out, gemm, form, p, own)) return true;
  return bucket.m != own.m && try_tuned(out, gemm, form, p, bucket);
}

/* ---- Choosing ------------------------------------------------------------------------- */

/* Whether a kernel computes in local memory, which no prediction knows of: registers were too few
 * for what it does, and it may be several times slower. */
static bool spills(const gg_slot *slot) {
  return gg_module_facts_of(slot->module)->local_bytes > 0;
}

/* The fastest by the model that loads and takes the problem; where that spills, the next that does
 * not, if it is among the first few. The first one's error if none loads. */
static gg_status choose_predicted(gg_gemm_choice *out, gg_gemm *gemm, form_node *node,
                                  const gg_problem *p, gg_error *err) {
  const gg_lineup *lineup = node->roster.lineup;
  gg_ranked *ranked = gg_malloc(lineup->count * sizeof *ranked);
  if (!ranked) return gg_fail(err, MEMORY, NULL, "");
  gg_models_rank(ranked, node->roster.models, lineup->count,
                 (gg_extents){p->m, p->n, p->k, p->batch}, p->workspace_bytes);
  gg_error first = GG_ERROR_INIT;
  gg_status st = GG_OK;
  int spilled = 0;
  for (size_t i = 0; i < lineup->count && spilled < GG_SPILLING_MOST; i++) {
    gg_ranked_first(ranked + i, lineup->count - i);
    gg_slot *slot = &node->roster.slots[ranked[i].index];
    st = gg_slot_load(slot, gemm->context, p, &first);
    if (st && !gg_slot_gives_way(st)) break;
    if (st) continue;
    bool spill = spills(slot);
    if (!spill || spilled == 0) *out = choice_of(slot, false, ranked[i].seconds);
    if (!spill) break;
    spilled++;
  }
  if (spilled > 0) st = GG_OK;
  if (st && err && err->code == GG_OK) {
    *err = first;
  } else {
    gg_error_clear(&first);
  }
  gg_free(ranked);
  return st;
}

static gg_status choose(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                        const gg_seen_key *key, const gg_problem *problem, gg_error *err) {
  form_node *node;
  gg_problem least = *problem; /* of those that have the key: what serves it serves all */
  least.workspace_bytes = gg_seen_workspace(problem);
  if (!choose_tuned(out, gemm, form, &least)) {
    pthread_mutex_lock(&gemm->lock);
    gg_status st = find_form(&node, gemm, form, key, err);
    pthread_mutex_unlock(&gemm->lock);
    if (!st) st = choose_predicted(out, gemm, node, &least, err);
    if (st) return st;
  }
  pthread_mutex_lock(&gemm->lock);
  gg_seen_add(&gemm->seen, key, out);
  pthread_mutex_unlock(&gemm->lock);
  return GG_OK;
}

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

/* A caller's form and problem, whatever versions of the structs they are. */
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

static gg_status find_choice(gg_gemm_choice *out, gg_gemm *gemm, const gg_form *form,
                             const gg_problem *problem, gg_error *err) {
  *out = (gg_gemm_choice)GG_GEMM_CHOICE_INIT;
  gg_form full;
  gg_status st = gg_form_complete(&full, &gemm->epilogues, form, problem, err);
  if (!st) st = check_extents(problem, err);
  if (st || problem->m == 0 || problem->n == 0 || problem->batch == 0) return st;
  gg_seen_key key = gg_seen_key_of(&full, problem);
  const gg_gemm_choice *seen = gg_seen_find(&gemm->seen, &key);
  if (!seen) return choose(out, gemm, &full, &key, problem, err);
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
  gg_gemm_choice choice = GG_GEMM_CHOICE_INIT;
  gg_status st = gg_sized_write(out, &choice, sizeof choice, "gg_gemm_choice", err);
  if (!st) st = read_product(&form, &problem, &room, err);
  if (!st) st = find_choice(&choice, gemm, form, problem, err);
  return st ? st : gg_sized_write(out, &choice, sizeof choice, "gg_gemm_choice", err);
}

gg_status gg_gemm_prepare(gg_prepared *out, gg_gemm *gemm, const gg_form *form,
                          const gg_problem *problem, gg_error *err) {
  GG_NEED(err, out);
  GG_NEED(err, gemm);
  GG_NEED(err, form);
  GG_NEED(err, problem);
  product room;
  gg_gemm_choice choice;
  gg_error why = GG_ERROR_INIT;
  *gg_prepared_facts(out) = (gg_launch_facts){0};
  gg_status st = read_product(&form, &problem, &room, err);
  if (!st) st = find_choice(&choice, gemm, form, problem, err);
  if (st || !choice.module) return st;
  st = gg_prepare(out, choice.module, problem, &why);
  if (gg_slot_gives_way(st)) {
    /* Seen with other strides, which this kernel could address: choose for these. */
    gg_form full;
    gg_error_clear(&why);
    if ((st = gg_form_complete(&full, &gemm->epilogues, form, problem, err))) return st;
    gg_seen_key key = gg_seen_key_of(&full, problem);
    st = choose(&choice, gemm, &full, &key, problem, err);
    return st ? st : gg_prepare(out, choice.module, problem, err);
  }
  if (st && err && err->code == GG_OK) {
    *err = why;
  } else {
    gg_error_clear(&why);
  }
  return st;
}

gg_status gg_gemm_launch(gg_gemm *gemm, const gg_form *form, const gg_problem *problem,
                         struct CUstream_st *stream, gg_error *err) {
  GG_NEED(err, gemm);
  GG_NEED(err, form);
  GG_NEED(err, problem);
  gg_prepared prepared;
  gg_status st = gg_gemm_prepare(&prepared, gemm, form, problem, err);
  return st ? st : gg_launch_prepared(&prepared, stream, err);
}
