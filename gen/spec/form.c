/* Makes a gg_spec from a gg_form: from a C struct in place of a document.
 *
 * Each member is turned into the word that a spec would have, and the reader of that key reads it,
 * so that the rules for its value stand in one place. Only the epilogue is a text: it is parsed as
 * a YAML value of its own, so that nothing in it can reach beyond the epilogue. Marks name the
 * members of the struct: "gg_form.a.type". */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "spec/parse.h"

static const char name_of_struct[] = "gg_form";

/* Reads the value of the key at `path`, "a.type", as if it stood in a document. */
static gg_status read(const gg_reader *in, gg_spec *spec, const char *path, const char *text) {
  const char *dot = strrchr(path, '.'); /* a path with a dot lies in a mapping: "a.type" */
  gg_key key = *gg_key_find(path, strlen(path));
  key.fallback = ""; /* a struct has no way to say `auto` */
  const gg_yaml_node document = {.kind = GG_YAML_MAP};
  const gg_yaml_node form = {.kind = GG_YAML_MAP, .key = name_of_struct, .parent = &document};
  char around[8] = "";
  if (dot) snprintf(around, sizeof around, "%.*s", (int)(dot - path), path);
  const gg_yaml_node operand = {.kind = GG_YAML_MAP, .key = around, .parent = &form};
  const gg_yaml_node value = {.kind = GG_YAML_SCALAR,
                              .text = gg_arena_strndup(in->arena, text, strlen(text)),
                              .key = gg_key_leaf(&key),
                              .parent = dot ? &operand : &form};
  if (!value.text) return gg_fail(in->err, MEMORY, NULL, "");
  return gg_value_read(in, gg_spec_field_of(spec, &key), &key, &value);
}

static gg_status read_number(const gg_reader *in, gg_spec *spec, const char *path, int number) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  return read(in, spec, path, text);
}

static gg_status read_scaling(const gg_reader *in, gg_spec *spec, const char *name,
                              const gg_scaling *scaling) {
  char path[24];
  if (!scaling->block) return GG_OK;
  snprintf(path, sizeof path, "%s.scale", name);
  gg_spec_field_of(spec, gg_key_find(path, strlen(path)))->state = GG_SPEC_SET;
  snprintf(path, sizeof path, "%s.scale.type", name);
  gg_status st = read(in, spec, path, gg_dtype_info_of(scaling->type)->name);
  if (st) return st;
  snprintf(path, sizeof path, "%s.scale.block", name);
  return read_number(in, spec, path, scaling->block);
}

static gg_status read_sparsity(const gg_reader *in, gg_spec *spec, const char *path, bool sparse) {
  return sparse ? read(in, spec, path, "true") : GG_OK;
}

static gg_status read_operand(const gg_reader *in, gg_spec *spec, const char *name,
                              const gg_operand *operand) {
  static const char *const majors[] = {[GG_MAJOR_K] = "k", [GG_MAJOR_M] = "m", [GG_MAJOR_N] = "n"};
  char path[16];
  gg_spec_field_of(spec, gg_key_find(name, 1))->state = GG_SPEC_SET;
  snprintf(path, sizeof path, "%s.type", name);
  gg_status st = read(in, spec, path, gg_dtype_info_of(operand->type)->name);
  if (st) return st;
  snprintf(path, sizeof path, "%s.major", name);
  if ((st = read(in, spec, path, majors[operand->major]))) return st;
  snprintf(path, sizeof path, "%s.align", name);
  return read_number(in, spec, path, operand->align);
}

static gg_status read_epilogue(const gg_reader *in, gg_spec *spec, const char *text) {
  const gg_yaml_node *root, nothing = {.kind = GG_YAML_SCALAR, .line = 1, .column = 1, .text = ""};
  gg_reader of_text = *in;
  of_text.file = "gg_form.epilogue";
  gg_status st = gg_yaml_parse_value(&root, in->arena, text, strlen(text), of_text.file, in->err);
  if (st) return st;
  return gg_epilogue_read(&of_text, spec, gg_key_find("epilogue", 8), root ? root : &nothing);
}

static gg_status read_members(const gg_reader *in, gg_spec *spec, const gg_form *form) {
  gg_status st = read(in, spec, "arch", "sm_80");
  if (!st && form->pointers) st = read(in, spec, "problem.pointers", "true");
  if (!st) st = read_operand(in, spec, "a", &form->a);
  if (!st) st = read_operand(in, spec, "b", &form->b);
  if (!st) st = read_sparsity(in, spec, "a.sparse", form->sparse_a);
  if (!st) st = read_sparsity(in, spec, "b.sparse", form->sparse_b);
  if (!st) st = read_scaling(in, spec, "a", &form->scale_a);
  if (!st) st = read_scaling(in, spec, "b", &form->scale_b);
  if (!st && form->has_c) st = read_operand(in, spec, "c", &form->c);
  if (!st) st = read_operand(in, spec, "d", &form->d);
  if (!st) st = read_scaling(in, spec, "d", &form->scale_d);
  if (!st) st = read(in, spec, "accumulator", gg_dtype_info_of(form->accumulator)->name);
  if (!st && form->xor_bits) st = read(in, spec, "bits", "xor");
  int promote = form->promote == GG_PROMOTE_NEVER ? 0 : form->promote;
  if (!st && form->promote != GG_PROMOTE_AUTO) st = read_number(in, spec, "promote", promote);
  if (!st && form->epilogue) st = read_epilogue(in, spec, form->epilogue);
  return st;
}

gg_status gg_spec_of_form(gg_spec *out, const gg_form *form, gg_arena *arena, gg_error *err) {
  gg_reader in = {.arena = arena, .err = err};
  *out = (gg_spec){.variant = ""};
  for (const gg_key *key = gg_keys; key->path; key++)
    gg_spec_field_of(out, key)->mark.path = key->path;
  gg_status st = read_members(&in, out, form);
  return st ? st : gg_spec_check(&in, out);
}
