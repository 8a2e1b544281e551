/* Writes the table of keys as a JSON Schema (draft 2020-12), so that editors complete and check
 * specs.
 *
 * Each key is a definition under its path; mappings, the document and the sweep refer to it. The
 * schema says what each single value may be. Rules between keys are left to the parser, except
 * which keys are required; a required key may also stand in the sweep. */
#include <string.h>

#include "spec/keys.h"
#include "spec/reference.h"

/* ---- Indentation ---------------------------------------------------------------------- */

static void new_line(gg_str *out, int depth) {
  gg_str_putc(out, '\n');
  for (int i = 0; i < depth; i++)
    gg_str_puts(out, "  ");
}

/* Appends compact JSON indented, each member on a line of its own. */
static void indent(gg_str *out, const char *json) {
  int depth = 0;
  bool quoted = false;
  for (char last = '\0'; *json; last = *json++) {
    if (*json == '"' && last != '\\') quoted = !quoted;
    bool closes = !quoted && (*json == '}' || *json == ']');
    bool opens = !quoted && (*json == '{' || *json == '[');
    if (closes && last != '{' && last != '[') new_line(out, depth - 1);
    gg_str_putc(out, *json);
    depth += opens - closes;
    bool empty = opens && (json[1] == '}' || json[1] == ']');
    if ((opens && !empty) || (!quoted && *json == ',')) new_line(out, depth);
    if (!quoted && *json == ':') gg_str_putc(out, ' ');
  }
  gg_str_putc(out, '\n');
}

/* ---- Values --------------------------------------------------------------------------- */

static void put_number(gg_str *out, const gg_key *key) {
  gg_str_printf(out, "{\"type\":\"integer\",\"minimum\":%lld,\"maximum\":%lld", (long long)key->low,
                (long long)key->high);
  if (key->step > 1) gg_str_printf(out, ",\"multipleOf\":%lld", (long long)key->step);
  gg_str_putc(out, '}');
}

static void put_words(gg_str *out, const gg_key *key) {
  bool is_bool = key->kind == GG_KEY_CHOICE && key->set == GG_SET_BOOL;
  gg_word word;
  gg_str_puts(out, "{\"enum\":[");
  for (size_t i = 0; gg_key_word(&word, key, i); i++) {
    gg_str_printf(out, is_bool ? "%s%s" : "%s\"%s\"", i ? "," : "", word.text);
  }
  gg_str_puts(out, "]}");
}

static void put_powers(gg_str *out, const gg_key *key) {
  gg_str_puts(out, "{\"enum\":[");
  for (int64_t power = key->low; power <= key->high; power *= 2) {
    gg_str_printf(out, "%s%lld", power > key->low ? "," : "", (long long)power);
  }
  gg_str_puts(out, "]}");
}

static void put_three(gg_str *out, const gg_key *key) {
  gg_str_puts(out, "{\"type\":\"array\",\"minItems\":3,\"maxItems\":3,\"items\":");
  if (key->kind == GG_KEY_MODES) gg_str_puts(out, "{\"anyOf\":[{\"type\":\"string\"},");
  put_number(out, key);
  gg_str_puts(out, key->kind == GG_KEY_MODES ? "]}}" : "}");
}

static void put_reference(gg_str *out, const gg_key *key) {
  gg_str_printf(out, "{\"$ref\":\"#/$defs/%s\"}", key->path);
}

static void put_children(gg_str *out, const gg_key *parent) {
  const gg_key *child;
  for (size_t i = 0; (child = gg_key_child(parent, i)); i++) {
    gg_str_printf(out, "%s\"%s\":", i ? "," : "", gg_key_leaf(child));
    put_reference(out, child);
  }
}

static void put_map(gg_str *out, const gg_key *key) {
  gg_str_puts(out, "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
  put_children(out, key);
  gg_str_puts(out, "}}");
  const gg_key *child;
  for (size_t i = 0; key->shorthand && (child = gg_key_child(key, i)); i++) {
    if (!gg_is_among(key->shorthand, gg_key_leaf(child))) continue;
    gg_str_putc(out, ',');
    put_reference(out, child);
    break; /* the other keys of the shorthand take the same words */
  }
  if (strcmp(key->fallback, "none") == 0) gg_str_puts(out, ",{\"const\":\"none\"}");
}

static void put_options(gg_str *out, gg_op_kind kind);

static void put_operations(gg_str *out) {
  gg_str_puts(out, "{\"type\":\"array\",\"maxItems\":16,\"items\":{\"anyOf\":[{\"enum\":[");
  for (int kind = 0; kind < GG_OP_COUNT; kind++) {
    gg_str_printf(out, "%s\"%s\"", kind ? "," : "", gg_op_info_of((gg_op_kind)kind)->name);
  }
  gg_str_puts(out, "]}");
  for (int kind = 0; kind < GG_OP_COUNT; kind++)
    put_options(out, (gg_op_kind)kind);
  gg_str_puts(out, "]}}");
}

static void put_sweep(gg_str *out) {
  const char *comma = "";
  gg_str_puts(out, "{\"type\":\"object\",\"additionalProperties\":false,\"minProperties\":1,"
                   "\"properties\":{");
  for (const gg_key *key = gg_keys; key->path; key++) {
    if (key->kind == GG_KEY_NAME || key->kind == GG_KEY_SWEEP) continue;
    gg_str_printf(
        out, "%s\"%s\":{\"type\":\"array\",\"minItems\":1,\"uniqueItems\":true,\"items\":", comma,
        key->path);
    put_reference(out, key);
    gg_str_putc(out, '}');
    comma = ",";
  }
  gg_str_puts(out, "}}");
}

static void put_value(gg_str *out, const gg_key *key) {
  switch (key->kind) {
  case GG_KEY_NAME:
    gg_str_puts(out, "{\"type\":\"string\",\"pattern\":\"^[A-Za-z][A-Za-z0-9_]*$\","
                     "\"maxLength\":128}");
    break;
  case GG_KEY_ARCH:
  case GG_KEY_DTYPE:
  case GG_KEY_CHOICE:
    put_words(out, key);
    break;
  case GG_KEY_EXTENT:
    gg_str_puts(out, "{\"const\":\"dynamic\"},");
    put_number(out, key);
    break;
  case GG_KEY_INT:
    put_number(out, key);
    break;
  case GG_KEY_POW2:
    put_powers(out, key);
    break;
  case GG_KEY_REAL:
    gg_str_puts(out, "{\"type\":\"number\"}");
    break;
  case GG_KEY_INT3:
  case GG_KEY_MODES:
    put_three(out, key);
    break;
  case GG_KEY_MAP:
    put_map(out, key);
    break;
  case GG_KEY_OPS:
    put_operations(out);
    break;
  case GG_KEY_SWEEP:
    put_sweep(out);
    break;
  case GG_KEY_TEXT:
  case GG_KEY_MODE:
    gg_str_puts(out, "{\"type\":\"string\",\"minLength\":1,\"maxLength\":128}");
    break;
  }
}

/* Writes a key's whole definition, without the name that it goes under. */
static void put_definition(gg_str *out, const gg_key *key) {
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "%s%s%s", key->help, key->doc[0] ? "\n\n" : "", key->doc);
  gg_str_puts(out, "{\"description\":");
  gg_str_json(out, gg_str_text(&text));
  gg_str_puts(out, ",\"anyOf\":[");
  put_value(out, key);
  if (gg_key_takes_auto(key)) gg_str_puts(out, ",{\"const\":\"auto\"}");
  gg_str_puts(out, "]}");
  out->failed = out->failed || text.failed;
  gg_str_free(&text);
}

/* Writes the schema of the mapping from an operation's name to its options. */
static void put_options(gg_str *out, gg_op_kind kind) {
  const gg_op_info *op = gg_op_info_of(kind);
  bool alone = kind == GG_OP_EXPR; /* the required option may stand in place of the mapping */
  gg_str_printf(out,
                ",{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"%s\"],"
                "\"properties\":{\"%s\":{\"type\":[\"object\",\"%s\"],\"description\":",
                op->name, op->name, alone ? "string" : "null");
  gg_str_json(out, op->meaning);
  gg_str_puts(out, ",\"additionalProperties\":false,\"properties\":{");
  const gg_key *option;
  for (size_t i = 0; (option = gg_op_option(kind, i)); i++) {
    gg_str_printf(out, "%s\"%s\":", i ? "," : "", option->path);
    put_definition(out, option);
  }
  gg_str_puts(out, "}}}}");
}

/* ---- The document --------------------------------------------------------------------- */

/* Writes that each required key stands in the document, or that it, or a key below it, stands in
 * the sweep. */
static void put_required(gg_str *out) {
  const char *comma = "";
  const gg_key *key, *child;
  for (size_t i = 0; (key = gg_key_child(NULL, i)); i++) {
    if (strcmp(key->fallback, "required") != 0) continue;
    gg_str_printf(out, "%s{\"anyOf\":[{\"required\":[\"%s\"]}", comma, key->path);
    static const char in_sweep[] = ",{\"required\":[\"sweep\"],\"properties\":{\"sweep\":"
                                   "{\"required\":[\"%s\"]}}}";
    gg_str_printf(out, in_sweep, key->path);
    for (size_t j = 0; (child = gg_key_child(key, j)); j++) {
      if (strcmp(child->fallback, "required") == 0) gg_str_printf(out, in_sweep, child->path);
    }
    gg_str_puts(out, "]}");
    comma = ",";
  }
}

void gg_reference_schema(gg_str *out) {
  gg_str json = GG_STR_INIT;
  gg_str_puts(&json, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
                     "\"title\":\"gemmgen spec\",\"type\":\"object\","
                     "\"additionalProperties\":false,\"properties\":{");
  put_children(&json, NULL);
  gg_str_puts(&json, "},\"allOf\":[");
  put_required(&json);
  gg_str_puts(&json, "],\"$defs\":{");
  for (const gg_key *key = gg_keys; key->path; key++) {
    gg_str_printf(&json, "%s\"%s\":", key == gg_keys ? "" : ",", key->path);
    put_definition(&json, key);
  }
  gg_str_puts(&json, "}}");
  indent(out, gg_str_text(&json));
  out->failed = out->failed || json.failed;
  gg_str_free(&json);
}
