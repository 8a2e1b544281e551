/* The sweep: one kernel for each combination of the values in several lists.
 *
 * The document without its sweep is read once. Each kernel is a copy of that, on top of which one
 * value of each swept key is read as if it stood in the document. The first key varies slowest,
 * like the outermost of nested loops. A swept key may stand nowhere else, so the order of reading
 * does not matter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spec/parse.h"

enum { most_axes = 16, most_kernels = 4096 };

typedef struct axis {
  const gg_key *key;
  const gg_yaml_node *list;
  const gg_yaml_node **values;
} axis;

typedef struct sweep {
  const gg_reader *in;
  axis axes[most_axes];
  size_t axis_count;
  size_t kernels;
} sweep;

/* ---- Axes ---------------------------------------------------------------------------- */

static gg_status refuse(const gg_reader *in, const gg_yaml_node *entry, const char *why) {
  gg_place place;
  char shown[GG_SHOWN_MAX];
  return gg_fail(in->err, SPEC_SWEEP, gg_yaml_key_mark(&place, in->file, entry),
                 gg_shown(shown, entry->key), why);
}

static gg_status find_key(const gg_reader *in, const gg_key **out, const gg_yaml_node *entry) {
  *out = gg_key_find(entry->key, strlen(entry->key));
  if (*out && ((*out)->kind == GG_KEY_SWEEP || (*out)->kind == GG_KEY_NAME)) {
    return refuse(in, entry, "it belongs to the file as a whole");
  }
  if (*out) return GG_OK;
  gg_near near;
  gg_str advice = GG_STR_INIT;
  gg_near_path(&near, entry->key);
  gg_key_advise(&advice, NULL, entry->key);
  return gg_fail_key(in, entry, &near, &advice);
}

/* Whether the document, or an axis before this one, already gives a value to `key`. */
static bool is_given(const sweep *sw, const gg_spec *base, const gg_key *key) {
  const gg_spec_field *field = (const gg_spec_field *)((const char *)base + key->offset);
  if (field->state != GG_SPEC_UNSET) return true;
  const gg_key *parent = gg_key_parent(key);
  if (parent) {
    const gg_spec_field *around = (const gg_spec_field *)((const char *)base + parent->offset);
    if (around->state == GG_SPEC_NONE) return true;
  }
  for (size_t i = 0; i < sw->axis_count; i++) {
    const gg_key *other = sw->axes[i].key;
    if (gg_key_parent(other) == key || other == parent) return true;
  }
  return false;
}

static bool same_value(const gg_yaml_node *a, const gg_yaml_node *b) {
  if (a->kind != b->kind || a->count != b->count) return false;
  if (a->kind == GG_YAML_SCALAR) return strcmp(a->text, b->text) == 0;
  const gg_yaml_node *left = a->first, *right = b->first;
  for (; left; left = left->next, right = right->next) {
    if (a->kind == GG_YAML_MAP && strcmp(left->key, right->key) != 0) return false;
    if (!same_value(left, right)) return false;
  }
  return true;
}

static gg_status check_values(const gg_reader *in, const gg_yaml_node *list) {
  for (const gg_yaml_node *value = list->first; value; value = value->next) {
    for (const gg_yaml_node *before = list->first; before != value; before = before->next) {
      if (!same_value(value, before)) continue;
      gg_place place;
      char shown[GG_SHOWN_MAX], why[64];
      snprintf(why, sizeof why, "its values %zu and %zu are the same", before->index + 1,
               value->index + 1);
      return gg_fail(in->err, SPEC_SWEEP, gg_yaml_mark(&place, in->file, value),
                     gg_shown(shown, list->key), why);
    }
  }
  return GG_OK;
}

static gg_status add_axis(sweep *sw, const gg_spec *base, const gg_yaml_node *entry) {
  const gg_reader *in = sw->in;
  axis *ax = &sw->axes[sw->axis_count];
  gg_status st = find_key(in, &ax->key, entry);
  if (st) return st;
  if (is_given(sw, base, ax->key)) return refuse(in, entry, "the spec already gives it a value");
  if (entry->kind != GG_YAML_LIST || entry->count == 0) {
    return refuse(in, entry, "it needs a list of values");
  }
  if (sw->axis_count + 1 == most_axes) return refuse(in, entry, "it is one key too many");
  ax->list = entry;
  ax->values = GG_ARENA_ARRAY(in->arena, const gg_yaml_node *, entry->count);
  if (!ax->values) return gg_fail(in->err, MEMORY, NULL, "");
  size_t i = 0;
  for (const gg_yaml_node *value = entry->first; value; value = value->next)
    ax->values[i++] = value;
  sw->axis_count++;
  return GG_OK;
}

static gg_status fail_too_many(const sweep *sw, const gg_yaml_node *node) {
  char product[256] = "the sweep makes ";
  size_t at = strlen(product), kernels = 1;
  bool countable = true;
  for (size_t i = 0; i < sw->axis_count; i++) {
    size_t count = sw->axes[i].list->count;
    countable = countable && !__builtin_mul_overflow(kernels, count, &kernels);
    at += (size_t)snprintf(product + at, sizeof product - at, "%s%zu", i ? " x " : "", count);
  }
  if (countable && sw->axis_count > 1) {
    at += (size_t)snprintf(product + at, sizeof product - at, " = %zu", kernels);
  }
  gg_place place;
  return gg_fail(sw->in->err, SPEC_LIMIT, gg_yaml_key_mark(&place, sw->in->file, node), product,
                 most_kernels, "kernels");
}

static gg_status read_axes(sweep *sw, const gg_spec *base, const gg_yaml_node *node) {
  if (node->kind != GG_YAML_MAP || !node->first) {
    return gg_fail_type(sw->in, gg_key_find("sweep", 5), node);
  }
  for (const gg_yaml_node *entry = node->first; entry; entry = entry->next) {
    gg_status st = add_axis(sw, base, entry);
    if (st) return st;
  }
  for (size_t i = 0; i < sw->axis_count; i++) {
    sw->kernels *= sw->axes[i].list->count; /* both factors are at most 8192 */
    if (sw->kernels > most_kernels) return fail_too_many(sw, node);
  }
  for (size_t i = 0; i < sw->axis_count; i++) {
    gg_status st = check_values(sw->in, sw->axes[i].list);
    if (st) return st;
  }
  return GG_OK;
}

/* ---- Kernels ------------------------------------------------------------------------- */

/* Puts one '_' between the words of an identifier, and none at its start. */
static void part(gg_str *out) {
  if (out->length > 0 && out->text[out->length - 1] != '_') gg_str_putc(out, '_');
}

/* Appends the scalars of a value in the form of an identifier: "128x256x32", "k", "f16_m". */
static void spell(gg_str *out, const gg_yaml_node *value) {
  for (const gg_yaml_node *child = value->first; child; child = child->next) {
    if (child != value->first && value->kind == GG_YAML_LIST) gg_str_putc(out, 'x');
    if (value->kind == GG_YAML_MAP) part(out);
    spell(out, child);
  }
  if (value->kind != GG_YAML_SCALAR) return;
  for (const char *s = value->text; *s; s++) {
    bool keeps = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9');
    if (keeps) {
      gg_str_putc(out, *s);
    } else {
      part(out);
    }
  }
}

static gg_status keep_text(const gg_reader *in, const char **out, const gg_str *text) {
  *out = text->failed ? NULL : gg_arena_strndup(in->arena, gg_str_text(text), text->length);
  return *out ? GG_OK : gg_fail(in->err, MEMORY, NULL, "");
}

/* Reads one value of a swept key into `spec`, and appends it to the name of the variant. */
static gg_status read_swept(const gg_reader *in, gg_spec *spec, gg_str *variant, const gg_key *key,
                            const gg_yaml_node *value) {
  const gg_key *parent = gg_key_parent(key);
  gg_spec_field *around = parent ? gg_spec_field_of(spec, parent) : NULL;
  gg_status st = GG_OK;
  if (around && around->state == GG_SPEC_UNSET) st = gg_field_set(in, around, GG_SPEC_SET, value);
  if (!st) st = gg_spec_read(in, spec, key, value);
  part(variant);
  spell(variant, value);
  return st;
}

/* Reads kernel number `index` of the `count` kernels that the axes make of the spec in `out`. */
static gg_status read_kernel(const sweep *sw, gg_spec *out, size_t count, size_t index,
                             gg_str *variant) {
  gg_status st = GG_OK;
  for (size_t i = 0; i < sw->axis_count && !st; i++) {
    const axis *ax = &sw->axes[i];
    count /= ax->list->count;
    st = read_swept(sw->in, out, variant, ax->key, ax->values[index / count]);
    index %= count;
  }
  if (!st) st = keep_text(sw->in, &out->variant, variant);
  return st ? st : gg_spec_check(sw->in, out);
}

/* Fills `count` kernels: `base` combined with all values of the axes from number `at` on. What the
 * axes before `at` say is in `base` and `variant` already, so that each of their values is read
 * once for all the kernels that share it. */
static gg_status read_kernels(const sweep *sw, gg_spec *out, size_t count, const gg_spec *base,
                              gg_str *variant, size_t at) {
  if (at == sw->axis_count) {
    *out = *base;
    gg_status st = keep_text(sw->in, &out->variant, variant);
    return st ? st : gg_spec_check(sw->in, out);
  }
  const axis *ax = &sw->axes[at];
  size_t each = count / ax->list->count, before = variant->length;
  for (size_t i = 0; i < ax->list->count; i++) {
    gg_spec spec = *base;
    gg_status st = read_swept(sw->in, &spec, variant, ax->key, ax->values[i]);
    if (!st) st = read_kernels(sw, out + i * each, each, &spec, variant, at + 1);
    if (st) return st;
    variant->length = before;
  }
  return GG_OK;
}

/* ---- Names --------------------------------------------------------------------------- */

static int by_variant(const void *a, const void *b) {
  const gg_spec *const *left = a, *const *right = b;
  return strcmp((*left)->variant, (*right)->variant);
}

/* Tells in *out whether all kernels have different variants. Different values may be spelled alike:
 * "(8,2)" and "8 2" both become 8_2. */
static gg_status are_distinct(const gg_reader *in, bool *out, const gg_spec *specs, size_t count) {
  const gg_spec **order = gg_malloc(count * sizeof *order);
  if (!order) return gg_fail(in->err, MEMORY, NULL, "");
  for (size_t i = 0; i < count; i++)
    order[i] = &specs[i];
  qsort(order, count, sizeof *order, by_variant);
  *out = true;
  for (size_t i = 1; i < count; i++)
    *out = *out && by_variant(&order[i - 1], &order[i]) != 0;
  gg_free(order);
  return GG_OK;
}

/* Makes a kernel's variant distinct from the others by its number, if needed, and checks the name
 * that it makes. */
static gg_status name_kernel(const gg_reader *in, gg_spec *spec, size_t index, bool distinct) {
  gg_str text = GG_STR_INIT;
  gg_status st = GG_OK;
  if (!distinct) {
    gg_str_printf(&text, "%s_%zu", spec->variant, index);
    if ((st = keep_text(in, &spec->variant, &text))) goto done;
  }
  if (spec->name.state != GG_SPEC_SET) goto done;
  gg_str_free(&text);
  gg_str_printf(&text, "%s_%s", spec->name.text, spec->variant);
  char shown[GG_SHOWN_MAX];
  const char *why = gg_name_complaint(gg_str_text(&text));
  if (text.failed) {
    st = gg_fail(in->err, MEMORY, NULL, "");
  } else if (why) {
    st = gg_fail(in->err, SPEC_NAME, &spec->name.mark, gg_shown(shown, gg_str_shown(&text)), why);
  }
done:
  gg_str_free(&text);
  return st;
}

/* ---- The product --------------------------------------------------------------------- */

/* Reads the document without its sweep, and then the axes of the sweep. */
static gg_status read_document(sweep *sw, gg_spec *base, const gg_yaml_node *root) {
  gg_status st = gg_spec_read_all(sw->in, base, root);
  for (const gg_yaml_node *entry = root->first; entry && st == GG_OK; entry = entry->next) {
    if (strcmp(entry->key, "sweep") == 0) st = read_axes(sw, base, entry);
  }
  return st;
}

gg_status gg_sweep_read_one(const gg_reader *in, gg_spec **out, size_t *count, size_t index,
                            const gg_yaml_node *root) {
  sweep sw = {.in = in, .kernels = 1};
  gg_spec *spec = gg_arena_alloc_unset(in->arena, sizeof *spec);
  if (!spec) return gg_fail(in->err, MEMORY, NULL, "");
  gg_status st = read_document(&sw, spec, root);
  gg_str variant = GG_STR_INIT;
  *out = spec;
  *count = !st && index < sw.kernels;
  if (*count) st = read_kernel(&sw, spec, sw.kernels, index, &variant);
  gg_str_free(&variant);
  return st;
}

gg_status gg_sweep_read(const gg_reader *in, gg_spec **out, size_t *count,
                        const gg_yaml_node *root) {
  sweep sw = {.in = in, .kernels = 1};
  gg_spec base;
  gg_status st = read_document(&sw, &base, root);
  if (st) return st;
  gg_spec *specs = gg_arena_alloc_unset(in->arena, sw.kernels * sizeof *specs);
  if (!specs) return gg_fail(in->err, MEMORY, NULL, "");
  gg_str variant = GG_STR_INIT;
  st = read_kernels(&sw, specs, sw.kernels, &base, &variant, 0);
  gg_str_free(&variant);
  bool distinct = true;
  if (st == GG_OK && sw.axis_count) st = are_distinct(in, &distinct, specs, sw.kernels);
  for (size_t i = 0; i < sw.kernels && st == GG_OK && sw.axis_count; i++) {
    st = name_kernel(in, &specs[i], i, distinct);
  }
  *out = specs;
  *count = sw.kernels;
  return st;
}
