#include "spec/print.h"

#include "spec/keys.h"

static void print_value(gg_str *out, const gg_key *key, const gg_spec_field *field) {
  if (field->state == GG_SPEC_AUTO || field->state == GG_SPEC_NONE) {
    gg_str_puts(out, field->state == GG_SPEC_AUTO ? "auto" : "none");
  } else if (key->kind == GG_KEY_INT3) {
    gg_str_printf(out, "[%lld, %lld, %lld]", (long long)field->tuple[0], (long long)field->tuple[1],
                  (long long)field->tuple[2]);
  } else if (key->kind == GG_KEY_MODES) {
    gg_str_printf(out, "[\"%s\", \"%s\", \"%s\"]", field->texts[0], field->texts[1],
                  field->texts[2]);
  } else {
    gg_str_puts(out, field->text);
  }
}

static void print_op(gg_str *out, const gg_spec_op *op) {
  const char *name = gg_op_info_of(op->kind)->name;
  bool options = false;
  const gg_key *option;
  for (size_t i = 0; (option = gg_op_option(op->kind, i)); i++) {
    const gg_spec_field *field = (const gg_spec_field *)((const char *)op + option->offset);
    if (field->state == GG_SPEC_UNSET) continue;
    if (!options) gg_str_printf(out, "{%s: {", name);
    gg_str_printf(out, "%s%s: ", options ? ", " : "", option->path);
    bool quoted = option->kind == GG_KEY_TEXT;
    gg_str_puts(out, quoted ? "\"" : "");
    print_value(out, option, field);
    gg_str_puts(out, quoted ? "\"" : "");
    options = true;
  }
  gg_str_puts(out, options ? "}}" : name);
}

/* Prints the operations behind a key's colon: a single one on the same line, several on a line
 * each. */
static void print_ops(gg_str *out, const gg_spec *spec, const char *prefix) {
  bool several = spec->op_count > 1;
  if (!several) gg_str_puts(out, " [");
  for (size_t i = 0; i < spec->op_count; i++) {
    if (several) gg_str_printf(out, "\n%s  - ", prefix);
    print_op(out, &spec->ops[i]);
  }
  if (!several) gg_str_putc(out, ']');
}

/* Whether the field is worth printing. A mapping is printed by its keys, and itself only where it
 * is one word: `c: auto`. */
static bool says_something(const gg_key *key, const gg_spec_field *field) {
  if (field->state == GG_SPEC_UNSET || key->kind == GG_KEY_SWEEP) return false;
  return key->kind != GG_KEY_MAP || field->state != GG_SPEC_SET;
}

void gg_spec_print(gg_str *out, const gg_spec *spec, const char *prefix) {
  for (const gg_key *key = gg_keys; key->path; key++) {
    const gg_spec_field *field = (const gg_spec_field *)((const char *)spec + key->offset);
    if (!says_something(key, field)) continue;
    gg_str_printf(out, "%s%s:", prefix, key->path);
    if (key->kind == GG_KEY_OPS && field->state == GG_SPEC_SET) {
      print_ops(out, spec, prefix);
    } else {
      gg_str_putc(out, ' ');
      print_value(out, key, field);
    }
    gg_str_putc(out, '\n');
  }
}

/* Prints a mapping's keys on one line: `{type: e4m3, major: k, scale: {type: ue8m0}}`. */
static void write_map(gg_str *out, const gg_spec *spec, const gg_key *map) {
  const gg_key *key;
  const char *separator = "{";
  for (size_t i = 0; (key = gg_key_child(map, i)); i++) {
    const gg_spec_field *field = (const gg_spec_field *)((const char *)spec + key->offset);
    if (field->state == GG_SPEC_UNSET) continue;
    gg_str_printf(out, "%s%s: ", separator, gg_key_leaf(key));
    if (key->kind == GG_KEY_MAP && field->state == GG_SPEC_SET)
      write_map(out, spec, key);
    else
      print_value(out, key, field);
    separator = ", ";
  }
  gg_str_puts(out, *separator == '{' ? "{}" : "}");
}

void gg_spec_write(gg_str *out, const gg_spec *spec) {
  const gg_key *key;
  for (size_t i = 0; (key = gg_key_child(NULL, i)); i++) {
    const gg_spec_field *field = (const gg_spec_field *)((const char *)spec + key->offset);
    if (field->state == GG_SPEC_UNSET || key->kind == GG_KEY_SWEEP) continue;
    bool set = field->state == GG_SPEC_SET, ops = key->kind == GG_KEY_OPS && set;
    gg_str_printf(out, "%s:%s", key->path, ops ? "" : " ");
    if (key->kind == GG_KEY_MAP && set) {
      write_map(out, spec, key);
    } else if (ops) {
      print_ops(out, spec, "");
    } else {
      print_value(out, key, field);
    }
    gg_str_putc(out, '\n');
  }
}
