/* Reads mappings: finds the key that an entry is, reads a lone word that stands in place of a
 * mapping, and checks the rules that tie keys to each other. */
#include "spec/parse.h"

#include <string.h>

static void mark_absent(gg_spec *spec, const gg_key *key, const gg_reader *in,
                        const gg_yaml_node *around) {
  gg_spec_field_of(spec, key)->mark = (gg_mark){in->file, around->line, around->column, key->path};
}

/* ---- Mappings ------------------------------------------------------------------------ */

/* Reads a lone word in place of a mapping: it gives values to some of the keys below `key`. */
static gg_status read_shorthand(const gg_reader *in, gg_spec *spec, const gg_key *key,
                                const gg_yaml_node *node) {
  const gg_key *child;
  for (size_t i = 0; (child = gg_key_child(key, i)); i++) {
    if (!gg_is_among(key->shorthand, gg_key_leaf(child))) continue;
    gg_status st = gg_value_read(in, gg_spec_field_of(spec, child), child, node);
    if (st) return st;
  }
  return GG_OK;
}

static gg_status set_all_auto(const gg_reader *in, gg_spec *spec, const gg_key *key,
                              const gg_yaml_node *node) {
  const gg_key *child;
  for (size_t i = 0; (child = gg_key_child(key, i)); i++) {
    gg_status st = gg_value_read(in, gg_spec_field_of(spec, child), child, node);
    if (st) return st;
  }
  return gg_field_set(in, gg_spec_field_of(spec, key), GG_SPEC_AUTO, node);
}

static gg_status read_entry(const gg_reader *in, gg_spec *spec, const gg_key *parent,
                            const gg_yaml_node *entry) {
  const gg_key *key;
  for (size_t i = 0; (key = gg_key_child(parent, i)); i++) {
    if (strcmp(gg_key_leaf(key), entry->key) == 0) return gg_spec_read(in, spec, key, entry);
  }
  gg_near near;
  gg_str advice = GG_STR_INIT;
  gg_near_start(&near, entry->key);
  for (size_t i = 0; (key = gg_key_child(parent, i)); i++)
    gg_near_try(&near, gg_key_leaf(key));
  gg_key_advise(&advice, parent, entry->key);
  return gg_fail_key(in, entry, &near, &advice);
}

static gg_status read_map(const gg_reader *in, gg_spec *spec, const gg_key *key,
                          const gg_yaml_node *node) {
  gg_spec_field *here = gg_spec_field_of(spec, key);
  bool takes_none = strcmp(key->fallback, "none") == 0;
  if (takes_none && gg_node_is(node, "none")) return gg_field_set(in, here, GG_SPEC_NONE, node);
  if (gg_node_is(node, "auto") && gg_key_takes_auto(key)) return set_all_auto(in, spec, key, node);
  gg_status st = gg_field_set(in, here, GG_SPEC_SET, node);
  if (st) return st;
  bool is_word = node->kind == GG_YAML_SCALAR && node->text[0];
  if (is_word && key->shorthand) return read_shorthand(in, spec, key, node);
  if (node->kind != GG_YAML_MAP) return gg_fail_type(in, key, node);
  const gg_key *child;
  for (size_t i = 0; (child = gg_key_child(key, i)); i++)
    mark_absent(spec, child, in, node);
  for (const gg_yaml_node *entry = node->first; entry && st == GG_OK; entry = entry->next) {
    st = read_entry(in, spec, key, entry);
  }
  return st;
}

gg_status gg_spec_read(const gg_reader *in, gg_spec *spec, const gg_key *key,
                       const gg_yaml_node *node) {
  if (key->kind == GG_KEY_SWEEP) return GG_OK; /* gg_sweep_read reads it */
  if (key->kind == GG_KEY_MAP) return read_map(in, spec, key, node);
  if (key->kind == GG_KEY_OPS) return gg_epilogue_read(in, spec, key, node);
  return gg_value_read(in, gg_spec_field_of(spec, key), key, node);
}

gg_status gg_spec_read_all(const gg_reader *in, gg_spec *spec, const gg_yaml_node *root) {
  gg_status st = GG_OK;
  *spec = (gg_spec){.variant = ""};
  for (const gg_key *key = gg_keys; key->path; key++)
    mark_absent(spec, key, in, root);
  spec->here.mark.path = NULL;
  for (const gg_yaml_node *entry = root->first; entry && st == GG_OK; entry = entry->next) {
    st = read_entry(in, spec, NULL, entry);
  }
  return st;
}

/* ---- What keys owe each other -------------------------------------------------------- */

static gg_status check_required(const gg_reader *in, const gg_spec *spec) {
  for (const gg_key *key = gg_keys; key->path; key++) {
    const gg_spec_field *field = (const gg_spec_field *)((const char *)spec + key->offset);
    if (strcmp(key->fallback, "required") != 0 || field->state != GG_SPEC_UNSET) continue;
    gg_str expected = GG_STR_INIT;
    gg_key_expects(&expected, key);
    gg_status st = gg_fail(in->err, SPEC_MISSING, &field->mark, key->path, gg_str_shown(&expected));
    gg_str_free(&expected);
    return st;
  }
  return GG_OK;
}

static gg_status check_c(const gg_reader *in, const gg_spec *spec) {
  if (spec->epilogue.state != GG_SPEC_SET) return GG_OK;
  bool reads_c = false;
  for (size_t i = 0; i < spec->op_count; i++) {
    const gg_spec_op *op = &spec->ops[i];
    if (op->kind != GG_OP_LINEAR) continue;
    bool beta = op->beta.state != GG_SPEC_SET || op->beta.number;
    if (beta && op->beta.state == GG_SPEC_SET && !gg_spec_has_c(spec)) {
      return gg_fail(in->err, SPEC_C, &op->beta.mark,
                     "beta needs an operand C; add one ('c: auto' is like D), or drop beta");
    }
    reads_c = reads_c || beta;
  }
  if (reads_c || !gg_spec_has_c(spec)) return GG_OK;
  return gg_fail(in->err, SPEC_C, &spec->c.here.mark,
                 "no operation of the epilogue reads C; add 'linear', or drop c");
}

static gg_scalars scalars_of(const gg_spec_op *op) {
  return op->scalars.state == GG_SPEC_SET ? (gg_scalars)op->scalars.number : GG_SCALARS_HOST;
}

static gg_status check_scalars(const gg_reader *in, const gg_spec *spec) {
  const gg_spec_op *before = NULL;
  for (size_t i = 0; i < spec->op_count; i++) {
    const gg_spec_op *op = &spec->ops[i];
    if (op->kind != GG_OP_LINEAR) continue;
    if (before && scalars_of(op) != scalars_of(before))
      return gg_fail(in->err, SPEC_SCALARS, &op->mark,
                     gg_choice_word(GG_SET_SCALARS, scalars_of(op)),
                     gg_choice_word(GG_SET_SCALARS, scalars_of(before)));
    before = op;
  }
  return GG_OK;
}

gg_status gg_spec_check(const gg_reader *in, const gg_spec *spec) {
  gg_status st = check_required(in, spec);
  if (!st) st = check_c(in, spec);
  return st ? st : check_scalars(in, spec);
}
