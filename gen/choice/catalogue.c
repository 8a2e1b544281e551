/* From a catalogue of specs and a form to the kernels that there are.
 *
 * The form is read as a spec (gen/spec/form.c), so that what a type or an epilogue may be is
 * defined in one place. Then its fields replace those of each spec. Whether a family accepts the
 * result is decided by the family's own `choose`: nothing here knows what families can do. */
#include "choice/catalogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "atom/dtype.h"
#include "base/alloc.h"
#include "choice/form.h"
#include "emit/template.h"
#include "plan/decisions.h"
#include "plan/layouts.h"
#include "plan/target.h"
#include "spec/parse.h"

/* Every file under specs/catalogue, built into the binary; ends with a zeroed row. */
extern const gg_template_file gg_catalogue_files[];

struct gg_catalogue {
  gg_spec_file **files; /* of the shipped catalogue: NULL until a lineup asks for the file */
  size_t count;
  bool shipped; /* the shipped one: its kernels are named only by what they are */
};

/* ---- Catalogues ------------------------------------------------------------------------ */

static gg_status make(gg_catalogue **out, size_t capacity, gg_error *err) {
  gg_catalogue *catalogue = gg_calloc(1, sizeof *catalogue);
  *out = catalogue;
  if (!catalogue) return gg_fail(err, MEMORY, NULL, "");
  catalogue->files = gg_calloc(capacity ? capacity : 1, sizeof *catalogue->files);
  return catalogue->files ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

static gg_status give(gg_catalogue **out, gg_status st) {
  if (st == GG_OK) return GG_OK;
  gg_catalogue_close(*out);
  *out = NULL;
  return st;
}

gg_status gg_catalogue_open(gg_catalogue **out, gg_error *err) {
  size_t count = 0;
  while (gg_catalogue_files[count].name)
    count++;
  gg_status st = make(out, count, err);
  if (!st) (*out)->shipped = true, (*out)->count = count;
  return give(out, st);
}

/* A shipped file is read here, when it is first asked for. */
static gg_status open_file(const gg_catalogue *catalogue, size_t index, gg_error *err) {
  if (catalogue->files[index]) return GG_OK;
  const gg_template_file *file = &gg_catalogue_files[index];
  return gg_spec_file_parse(&catalogue->files[index], file->text, strlen(file->text), file->name,
                            err);
}

gg_status gg_catalogue_load(gg_catalogue **out, char *const *paths, size_t count, gg_error *err) {
  gg_status st = make(out, count, err);
  for (size_t i = 0; i < count && !st; i++) {
    st = gg_spec_file_load(&(*out)->files[i], paths[i], err);
    (*out)->count = i + 1;
  }
  return give(out, st);
}

void gg_catalogue_close(gg_catalogue *catalogue) {
  if (!catalogue) return;
  for (size_t i = 0; i < catalogue->count; i++)
    gg_spec_file_free(catalogue->files[i]);
  gg_free(catalogue->files);
  gg_free(catalogue);
}

/* ---- Lineups -------------------------------------------------------------------------- */

/* Whether a device has less shared memory than the oldest architecture in the table, as those made
 * for graphics have: sm_86, sm_89 and sm_120. */
static bool has_less_memory(int device) {
  size_t count;
  const gg_arch_info *own = gg_arch_info_of(device), *first = gg_arch_table(&count);
  return own && own->smem_per_sm < first->smem_per_sm;
}

/* The architecture that a kernel is planned for. Usually it is the spec's. It is the device itself
 * if the spec is for a family of architectures whose features the device has, because the device
 * may have more. It is also the device itself if the spec is for every device from some
 * architecture on, and either the device has less memory, so that what fits elsewhere need not fit
 * here; or CUDA cores multiply, whose instructions are the same everywhere, and the device's
 * launches can begin beside each other. */
static gg_arch arch_for(const gg_spec *spec, int device) {
  gg_arch needed = spec->arch.arch;
  gg_arch own = {.number = device, .suffix = 'a'};
  if (needed.suffix == 'f' && gg_arch_runs(own, needed)) return own;
  bool plain = !needed.suffix && device >= needed.number;
  bool cores = spec->schedule.number == GG_SCHEDULE_SIMT;
  bool differs = has_less_memory(device) || (cores && device >= GG_ARCH_LAUNCHES_BESIDE);
  return plain && differs ? (gg_arch){.number = device} : needed;
}

static gg_status put_arch(gg_spec *spec, int device, gg_arena *arena, gg_error *err) {
  char name[GG_ARCH_NAME_MAX];
  spec->arch.arch = arch_for(spec, device);
  gg_arch_name(name, spec->arch.arch);
  spec->arch.text = gg_arena_strndup(arena, name, strlen(name));
  return spec->arch.text ? GG_OK : gg_fail(err, MEMORY, NULL, "");
}

static bool is_sparse(const gg_spec *spec) {
  const gg_spec_field *a = &spec->a.sparse, *b = &spec->b.sparse;
  return (a->state == GG_SPEC_SET && a->number) || (b->state == GG_SPEC_SET && b->number);
}

/* Elements along K for each one that is stored in shared memory. */
static int stored_of(const gg_spec *spec) {
  return is_sparse(spec) ? 2 : 1;
}

/* The spec with the form in place of its own. The tile's K keeps its bytes in shared memory, where
 * an element of A takes `bits` bits; of a sparse operand every other element is stored. */
static gg_spec of_form(const gg_spec *spec, const gg_spec *form, int bits) {
  gg_spec out = *spec;
  out.a = form->a, out.b = form->b, out.c = form->c, out.d = form->d;
  out.d.store = spec->d.store;
  out.problem.pointers = form->problem.pointers;
  out.accumulator = form->accumulator;
  out.promote = form->promote;
  out.bits = form->bits;
  out.epilogue = form->epilogue;
  out.ops = form->ops, out.op_count = form->op_count;
  int from = gg_dtype_info_of((gg_dtype)spec->a.type.number)->bits;
  if (out.tile.state == GG_SPEC_SET)
    out.tile.tuple[2] = spec->tile.tuple[2] * from * stored_of(form) / (bits * stored_of(spec));
  return out;
}

static gg_status refuse(gg_lineup *lineup, const gg_spec *spec, gg_error *why, gg_error *err) {
  gg_refusal *refusal = &lineup->refused[lineup->refused_count];
  *refusal = (gg_refusal){.source = spec->here.mark.file, .variant = spec->variant};
  refusal->why = gg_arena_strndup(&lineup->arena, why->message, strlen(why->message));
  gg_error_clear(why);
  if (!refusal->why) return gg_fail(err, MEMORY, NULL, "");
  lineup->refused_count++;
  return GG_OK;
}

/* The plan's identity with `arch` in place of its own architecture. */
static void identify(gg_identity *out, const gg_plan *plan, gg_arch arch) {
  gg_plan there = *plan;
  there.arch = arch;
  gg_plan_identity(out, &there);
}

/* Whether a lineup that has the same kernel for `other` does not need the one for `own`: on a
 * device that has both it could do nothing more. Both must be for any device from some architecture
 * on, and the other must not be the older one. */
static bool is_covered(gg_arch own, gg_arch other) {
  if (own.suffix || other.suffix) return own.suffix == other.suffix && own.number == other.number;
  return own.number <= other.number;
}

/* Whether the lineup already has a plan like the candidate's. Sets the candidate's hash. */
static bool is_there(const gg_lineup *lineup, gg_candidate *candidate) {
  const gg_plan *plan = &candidate->plan;
  gg_identity identity;
  identify(&identity, plan, (gg_arch){0});
  candidate->hash = gg_identity_hash(&identity);
  for (size_t i = 0; i < lineup->count; i++) {
    const gg_candidate *other = &lineup->list[i];
    if (other->hash != candidate->hash || !is_covered(plan->arch, other->plan.arch)) continue;
    identify(&identity, plan, other->plan.arch);
    if (gg_plan_is_same(&other->plan, &identity)) return true;
  }
  return false;
}

/* Checks that a plan fits in the device's shared memory, by deriving its layouts, which count it.
 * Tiles of the catalogue are made for devices with more of it. */
static gg_status check_room(const gg_plan *plan, gg_error *err) {
  if (plan->arch.suffix || !has_less_memory(plan->arch.number)) return GG_OK;
  gg_layouts *layouts = gg_malloc(sizeof *layouts);
  if (!layouts) return gg_fail(err, MEMORY, NULL, "");
  gg_status st = gg_layouts_derive(layouts, plan, err);
  gg_free(layouts);
  return st;
}

/* What a lineup is made for. */
typedef struct filling {
  const gg_catalogue *catalogue;
  gg_spec form;
  int bits;   /* of an element of A in shared memory */
  int device; /* 90 */
} filling;

static gg_status add(gg_lineup *lineup, const filling *f, const gg_spec *spec,
                     gg_catalogue_place place, gg_error *err) {
  gg_candidate *candidate = &lineup->list[lineup->count];
  gg_error why = GG_ERROR_INIT;
  candidate->place = place;
  candidate->spec = of_form(spec, &f->form, f->bits);
  if (f->catalogue->shipped) candidate->spec.variant = "";
  gg_status st = put_arch(&candidate->spec, f->device, &lineup->arena, err);
  if (st) return st;
  st = gg_plan_choose(&candidate->plan, &candidate->spec, &lineup->arena, &why);
  if (!st) st = check_room(&candidate->plan, &why);
  if (st == GG_OK) {
    bool late = candidate->plan.target->last && lineup->count && !lineup->list[0].plan.target->last;
    lineup->count += !late && !is_there(lineup, candidate);
    return GG_OK;
  }
  if (st != GG_E_MEMORY) return refuse(lineup, spec, &why, err);
  gg_error_clear(&why);
  return gg_fail(err, MEMORY, NULL, "");
}

/* Whether a spec that asks for lanes to store D makes sense for the form: D must be row-major and
 * aligned so that boxes could store it. If D is aligned to less, lanes store its lines whatever a
 * spec asks; and lines down a column are short in a box of rows. */
static bool has_lines(const gg_spec *spec, const gg_spec *form) {
  enum { map_alignment = 16 };
  if (spec->d.store.state != GG_SPEC_SET) return true;
  return form->d.align.number >= map_alignment && form->d.major.number == GG_MAJOR_N;
}

/* Adds a spec of the catalogue to the lineup, if it suits the form and the device. */
static gg_status consider(gg_lineup *lineup, const filling *f, const gg_spec *spec,
                          gg_catalogue_place place, gg_error *err) {
  if (!spec || (is_sparse(spec) && !is_sparse(&f->form))) return GG_OK;
  if (!has_lines(spec, &f->form)) return GG_OK;
  if (!gg_arch_serves(arch_for(spec, f->device), f->device)) return GG_OK;
  return add(lineup, f, spec, place, err);
}

static gg_status consider_all(gg_lineup *lineup, const filling *f, gg_error *err) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < f->catalogue->count && !st; i++) {
    const gg_spec_file *file = f->catalogue->files[i];
    for (size_t j = 0; j < gg_spec_file_count(file) && !st; j++)
      st = consider(lineup, f, gg_spec_file_get(file, j),
                    (gg_catalogue_place){(uint16_t)i, (uint16_t)j}, err);
  }
  return st;
}

/* Considers the spec at one place. If its shipped file has not been read, only that spec of it is
 * read, and the lineup owns it. */
static gg_status consider_one(gg_lineup *lineup, const filling *f, gg_catalogue_place place,
                              gg_error *err) {
  if (place.file >= f->catalogue->count) return GG_OK;
  const gg_spec_file *whole = f->catalogue->files[place.file];
  if (whole) return consider(lineup, f, gg_spec_file_get(whole, place.spec), place, err);
  const gg_template_file *file = &gg_catalogue_files[place.file];
  gg_status st = gg_spec_file_parse_one(&lineup->file, file->text, strlen(file->text), file->name,
                                        place.spec, err);
  return st ? st : consider(lineup, f, gg_spec_file_get(lineup->file, 0), place, err);
}

static gg_status count_all(size_t *out, const gg_catalogue *catalogue, gg_error *err) {
  gg_status st = GG_OK;
  *out = 0;
  for (size_t i = 0; i < catalogue->count && !st; i++) {
    st = open_file(catalogue, i, err);
    if (!st) *out += gg_spec_file_count(catalogue->files[i]);
  }
  return st;
}

/* Fills a lineup; `place` is NULL for all specs. */
static gg_status fill(gg_lineup *lineup, filling *f, const gg_form *form,
                      const gg_catalogue_place *place, gg_error *err) {
  size_t count = 1;
  gg_status st = gg_form_check(form, err);
  if (!st) st = gg_spec_of_form(&f->form, form, &lineup->arena, err);
  if (!st && !place) st = count_all(&count, f->catalogue, err);
  if (st) return st;
  lineup->list = gg_arena_alloc_unset(&lineup->arena, count * sizeof *lineup->list);
  lineup->refused = GG_ARENA_ARRAY(&lineup->arena, gg_refusal, count);
  if (!lineup->list || !lineup->refused) return gg_fail(err, MEMORY, NULL, "");
  f->bits = gg_form_smem_bits(form, form->a.type);
  return place ? consider_one(lineup, f, *place, err) : consider_all(lineup, f, err);
}

static gg_status make_lineup(gg_lineup **out, const gg_catalogue *catalogue, const gg_form *form,
                             int device, const gg_catalogue_place *place, gg_error *err) {
  *out = NULL;
  gg_lineup *lineup = gg_malloc(sizeof *lineup);
  if (!lineup) return gg_fail(err, MEMORY, NULL, "");
  *lineup = (gg_lineup){.arena = GG_ARENA_INIT};
  filling f = {.catalogue = catalogue, .device = device};
  gg_status st = fill(lineup, &f, form, place, err);
  if (st) {
    gg_lineup_free(lineup);
    return st;
  }
  *out = lineup;
  return GG_OK;
}

gg_status gg_lineup_make(gg_lineup **out, const gg_catalogue *catalogue, const gg_form *form,
                         int device, gg_error *err) {
  return make_lineup(out, catalogue, form, device, NULL, err);
}

gg_status gg_lineup_make_at(gg_lineup **out, const gg_catalogue *catalogue, const gg_form *form,
                            int device, gg_catalogue_place place, gg_error *err) {
  return make_lineup(out, catalogue, form, device, &place, err);
}

void gg_lineup_free(gg_lineup *lineup) {
  if (!lineup) return;
  gg_spec_file_free(lineup->file);
  gg_arena_free(&lineup->arena);
  gg_free(lineup);
}

gg_status gg_lineup_fail(const gg_lineup *lineup, const gg_form *form, int device, gg_error *err) {
  gg_str name = GG_STR_INIT;
  gg_form_name(&name, form);
  bool refused = lineup->refused_count > 0;
  gg_status st = gg_fail(err, GEMM_FORM, NULL, gg_str_shown(&name), device,
                         refused ? lineup->refused[0].why : "no family is for this architecture");
  gg_str_free(&name);
  return st;
}

/* ---- Ranking -------------------------------------------------------------------------- */

static int by_seconds(const void *left, const void *right) {
  const gg_ranked *a = left, *b = right;
  if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

gg_model gg_candidate_model(const gg_candidate *candidate, const gg_device_model *device) {
  gg_terms terms = gg_terms_of(&candidate->plan, device->arch);
  return gg_model_of(&terms, device);
}

gg_status gg_lineup_model(gg_model **out, const gg_lineup *lineup, const gg_device_model *device,
                          gg_error *err) {
  *out = gg_malloc(lineup->count * sizeof **out);
  if (!*out) return gg_fail(err, MEMORY, NULL, "");
  for (size_t i = 0; i < lineup->count; i++)
    (*out)[i] = gg_candidate_model(&lineup->list[i], device);
  return GG_OK;
}

static gg_ranked rank_one(const gg_model *model, size_t index, gg_extents extents, gg_room room) {
  if (!gg_model_serves(model, extents)) return (gg_ranked){INFINITY, index};
  gg_prediction p = gg_model_predict(model, extents, room.multiprocessors);
  return (gg_ranked){gg_model_admits(model, &p, room.workspace) ? p.seconds : INFINITY, index};
}

void gg_models_rank(gg_ranked *out, const gg_model *models, size_t count, gg_extents extents,
                    gg_room room) {
  for (size_t i = 0; i < count; i++)
    out[i] = rank_one(&models[i], i, extents, room);
}

void gg_ranked_first(gg_ranked *list, size_t count) {
  size_t first = 0;
  for (size_t i = 1; i < count; i++) {
    if (by_seconds(&list[i], &list[first]) < 0) first = i;
  }
  gg_ranked was = list[0];
  list[0] = list[first];
  list[first] = was;
}

void gg_lineup_rank(gg_ranked *out, const gg_lineup *lineup, gg_extents extents,
                    const gg_device_model *device, gg_room room) {
  for (size_t i = 0; i < lineup->count; i++) {
    gg_model model = gg_candidate_model(&lineup->list[i], device);
    out[i] = rank_one(&model, i, extents, room);
  }
  qsort(out, lineup->count, sizeof *out, by_seconds);
}
