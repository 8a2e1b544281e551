/* The reference of the spec language, made from the table of keys: a list of all keys, a page for
 * each key, and a document of everything. */
#include "spec/reference.h"

#include <string.h>

#include "spec/keys.h"

static bool is_mapping(const gg_key *key) {
  return key->kind == GG_KEY_MAP || key->kind == GG_KEY_SWEEP;
}

static const char *families_of(const char *families) {
  return families ? families : "no kernel family so far";
}

/* ---- The terminal --------------------------------------------------------------------- */

void gg_reference_list(gg_str *out) {
  for (const gg_key *key = gg_keys; key->path; key++) {
    if (key->section) gg_str_printf(out, "%s%s\n\n", key == gg_keys ? "" : "\n", key->section);
    gg_str_printf(out, "  %-20s %-9s %s\n", key->path, is_mapping(key) ? "" : key->fallback,
                  key->help);
  }
  gg_str_puts(out, "\nOperations of the epilogue\n\n");
  for (int kind = 0; kind < GG_OP_COUNT; kind++) {
    const gg_op_info *op = gg_op_info_of((gg_op_kind)kind);
    gg_str_printf(out, "  %-30s %s\n", op->name, op->meaning);
  }
}

/* Appends the text in lines of at most 80 bytes. */
static void wrap(gg_str *out, const char *text) {
  size_t column = 0;
  while (*text) {
    size_t length = strcspn(text, " ");
    if (column > 0 && column + 1 + length > 80) {
      gg_str_putc(out, '\n');
      column = 0;
    } else if (column > 0) {
      gg_str_putc(out, ' ');
      column++;
    }
    gg_str_append(out, text, length);
    column += length;
    text += length + (text[length] == ' ');
  }
  gg_str_putc(out, '\n');
}

/* Prints those words of a key that have a help text of their own; words of archs.def and dtypes.def
 * have none. */
static void print_words(gg_str *out, const gg_key *key) {
  gg_word word;
  for (size_t i = 0; gg_key_word(&word, key, i) && word.help[0]; i++) {
    gg_str_printf(out, "%s    %-17s %s\n", i ? "" : "\n", word.text, word.help);
  }
}

static void print_key(gg_str *out, const gg_key *key) {
  gg_str_printf(out, "%s: %s\n\n  value    ", key->path, key->help);
  gg_key_expects(out, key);
  gg_str_printf(out, "\n  default  %s\n  used by  %s\n", key->fallback, families_of(key->families));
  if (key->doc[0]) {
    gg_str_putc(out, '\n');
    wrap(out, key->doc);
  }
  print_words(out, key);
  const gg_key *child;
  for (size_t i = 0; (child = gg_key_child(key, i)); i++) {
    gg_str_printf(out, "%s  %-20s %s\n", i ? "" : "\n", child->path, child->help);
  }
}

static void print_op(gg_str *out, gg_op_kind kind) {
  const gg_op_info *op = gg_op_info_of(kind);
  gg_str_printf(out, "%s, an operation of the epilogue: x becomes %s\n\n  used by  %s\n", op->name,
                op->meaning, families_of(op->families));
  const gg_key *option;
  for (size_t i = 0; (option = gg_op_option(kind, i)); i++) {
    gg_str_printf(out, "\n%s: %s\n\n  value    ", option->path, option->help);
    gg_key_expects(out, option);
    gg_str_printf(out, "\n  default  %s\n", option->fallback);
    print_words(out, option);
  }
}

bool gg_reference_key(gg_str *out, const char *path) {
  const gg_key *key = gg_key_find(path, strlen(path));
  if (key) print_key(out, key);
  if (key && key->kind != GG_KEY_OPS) return true;
  for (int kind = 0; kind < GG_OP_COUNT; kind++) {
    const gg_op_info *op = gg_op_info_of((gg_op_kind)kind);
    if (key) gg_str_printf(out, "%s  %-10s %s\n", kind ? "" : "\n", op->name, op->meaning);
    if (key || strcmp(op->name, path) != 0) continue;
    print_op(out, (gg_op_kind)kind);
    return true;
  }
  return key != NULL;
}

/* ---- docs/spec.md --------------------------------------------------------------------- */

static const char intro[] =
    "# The spec language\n"
    "\n"
    "<!-- Made by `gemmgen spec --markdown` from gen/spec/keys.def; do not edit. -->\n"
    "\n"
    "A spec is a YAML file that asks for one GEMM kernel, D = epilogue(A * B), or for several "
    "that differ in a few keys. The least it must say is what is computed:\n"
    "\n"
    "```yaml\n"
    "arch: sm_80   # the least architecture that the kernel needs\n"
    "a: f16        # A is M x K\n"
    "b: f16        # B is N x K\n"
    "d: f16        # D is M x N\n"
    "```\n"
    "\n"
    "Everything else may be `auto`, which is also what an absent key means where its default is "
    "`auto`: gemmgen decides, and `gemmgen explain` shows what. What a kernel family cannot do is "
    "an error that says so; nothing is silently ignored.\n"
    "\n"
    "A spec is plain YAML, read strictly: UTF-8, one document, no tags, no merge keys, no key "
    "twice. Anchors and aliases work. Numbers are decimal whole numbers; `true` and `false` are "
    "the only truth values, and `n` is a word. `docs/gemmgen.schema.json` (`gemmgen spec "
    "--schema`) lets an editor complete and check: begin the file with\n"
    "\n"
    "```yaml\n"
    "# yaml-language-server: $schema=../../docs/gemmgen.schema.json\n"
    "```\n"
    "\n"
    "`gemmgen spec` lists the keys, `gemmgen spec --help KEY` explains one, and `gemmgen check "
    "FILE` checks a spec without making a kernel.\n";

static void document_words(gg_str *out, const gg_key *key) {
  gg_word word;
  for (size_t i = 0; gg_key_word(&word, key, i) && word.help[0]; i++) {
    if (i == 0) gg_str_puts(out, "\n| Word | Meaning |\n|---|---|\n");
    gg_str_printf(out, "| `%s` | %s |\n", word.text, word.help);
  }
}

static void document_key(gg_str *out, const gg_key *key) {
  bool top = !gg_key_parent(key);
  gg_str_printf(out, "\n%s `%s`\n\n%s\n\n- Value: ", top ? "###" : "####", key->path, key->help);
  gg_key_expects(out, key);
  if (!is_mapping(key) || strcmp(key->fallback, "required") == 0) {
    gg_str_printf(out, "\n- Default: %s", key->fallback);
  }
  gg_str_printf(out, "\n- Used by: %s\n", families_of(key->families));
  if (key->doc[0]) gg_str_printf(out, "\n%s\n", key->doc);
  document_words(out, key);
}

static void document_op(gg_str *out, gg_op_kind kind) {
  const gg_op_info *op = gg_op_info_of(kind);
  gg_str_printf(out, "| `%s` | %s | ", op->name, op->meaning);
  const gg_key *option;
  for (size_t i = 0; (option = gg_op_option(kind, i)); i++) {
    gg_str_printf(out, "%s`%s`: ", i ? "<br>" : "", option->path);
    gg_key_expects(out, option);
    gg_str_printf(out, " (default %s). %s", option->fallback, option->help);
  }
  gg_str_printf(out, " | %s |\n", families_of(op->families));
}

static void document_operations(gg_str *out) {
  gg_str_puts(out, "\n| Operation | x becomes | Options | Used by |\n|---|---|---|---|\n");
  for (int kind = 0; kind < GG_OP_COUNT; kind++)
    document_op(out, (gg_op_kind)kind);
  gg_str_puts(out, "\nThe epilogue and `c` must agree: a `linear` whose `beta` is true needs a C, "
                   "and a C needs a `linear` with beta.\n");
}

void gg_reference_markdown(gg_str *out) {
  gg_str_puts(out, intro);
  for (const gg_key *key = gg_keys; key->path; key++) {
    if (key->section) gg_str_printf(out, "\n## %s\n", key->section);
    document_key(out, key);
    if (key->kind == GG_KEY_OPS) document_operations(out);
  }
}

/* ---- docs/errors.md ------------------------------------------------------------------- */

/* Appends a message with "…" in place of its printf conversions; several in a row give one "…". */
static void print_message(gg_str *out, const char *message) {
  bool after_gap = false;
  while (*message) {
    size_t text = strcspn(message, "%");
    gg_str_append(out, message, text);
    message += text;
    if (!*message) break;
    message += 1 + strspn(message + 1, "-+ #0123456789.*hlz");
    bool percent = *message == '%';
    if (percent || text > 0 || !after_gap) gg_str_puts(out, percent ? "%" : "…");
    after_gap = !percent;
    if (*message) message++;
  }
}

static void document_error(gg_str *out, const gg_error_info *info) {
  gg_str_printf(out, "\n### %s\n\n`", info->name);
  print_message(out, info->message);
  gg_str_printf(out, "`\n\n%s\n", info->help);
}

void gg_reference_errors(gg_str *out) {
  gg_str_puts(out,
              "# Errors\n"
              "\n"
              "<!-- Made by `gemmgen spec --errors` from gen/base/errors.def; do not edit. -->\n"
              "\n"
              "Every error has a name, which stands in brackets at the end of its line:\n"
              "`spec.yaml:4:9: error: 0 is not a whole number from 1 to 64; the nearest is 1 "
              "(stages) [SPEC_RANGE]`. In C it is `GG_E_SPEC_RANGE`. In the messages below, `…` "
              "stands for what depends on the case. The sections are the stages that fail.\n");
  for (int stage = GG_STAGE_USAGE; stage <= GG_STAGE_SYSTEM; stage++) {
    gg_str_printf(out, "\n## %s\n", gg_stage_name((gg_stage)stage));
    const gg_error_info *info;
    for (size_t row = 0; (info = gg_error_info_at(row)); row++) {
      if (info->stage == (gg_stage)stage) document_error(out, info);
    }
  }
}
