#include "spec/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "atom/dtype.h"
#include "atom/mma_atom.h"

const gg_key gg_keys[] = {
#define GG_KEY(path_, kind_, member, fallback_, help_, ...)                                        \
  {.path = path_,                                                                                  \
   .kind = GG_KEY_##kind_,                                                                         \
   .offset = offsetof(gg_spec, member),                                                            \
   .fallback = fallback_,                                                                          \
   .help = help_,                                                                                  \
   .doc = __VA_ARGS__},
#include "spec/keys.def"
    {0},
};

static const struct option_row {
  gg_op_kind op;
  gg_key key;
} options[] = {
#define GG_OPTION(op_, name, kind_, member, fallback_, ...)                                        \
  {.op = GG_OP_##op_,                                                                              \
   .key = {.path = name,                                                                           \
           .kind = GG_KEY_##kind_,                                                                 \
           .offset = offsetof(gg_spec_op, member),                                                 \
           .fallback = fallback_,                                                                  \
           .doc = "",                                                                              \
           .help = __VA_ARGS__}},
#include "spec/keys.def"
};

static const gg_op_info operations[] = {
#define GG_OP(kind, name, meaning, families) [GG_OP_##kind] = {name, meaning, families},
#include "spec/keys.def"
};

static const struct choice_row {
  gg_choice_set set;
  const char *word;
  int value;
  const char *help;
} choices[] = {
#define GG_CHOICE(set, word, value, help) {GG_SET_##set, word, value, help},
#include "spec/keys.def"
};

/* ---- Rows ---------------------------------------------------------------------------- */

const gg_key *gg_key_find(const char *path, size_t length) {
  for (const gg_key *key = gg_keys; key->path; key++) {
    if (strlen(key->path) == length && memcmp(key->path, path, length) == 0) return key;
  }
  return NULL;
}

const gg_key *gg_key_child(const gg_key *parent, size_t index) {
  size_t prefix = parent ? strlen(parent->path) : 0;
  for (const gg_key *key = gg_keys; key->path; key++) {
    const char *rest = key->path;
    if (parent) {
      if (strncmp(rest, parent->path, prefix) != 0 || rest[prefix] != '.') continue;
      rest += prefix + 1;
    }
    if (!strchr(rest, '.') && index-- == 0) return key;
  }
  return NULL;
}

const gg_key *gg_key_parent(const gg_key *key) {
  const char *dot = strrchr(key->path, '.');
  return dot ? gg_key_find(key->path, (size_t)(dot - key->path)) : NULL;
}

const char *gg_key_leaf(const gg_key *key) {
  const char *dot = strrchr(key->path, '.');
  return dot ? dot + 1 : key->path;
}

bool gg_key_takes_auto(const gg_key *key) {
  if (key->kind != GG_KEY_MAP) return strcmp(key->fallback, "auto") == 0;
  const gg_key *child;
  for (size_t i = 0; (child = gg_key_child(key, i)); i++) {
    if (!gg_key_takes_auto(child)) return false;
  }
  return true;
}

const gg_op_info *gg_op_info_of(gg_op_kind kind) {
  return &operations[kind];
}

const gg_key *gg_op_option(gg_op_kind kind, size_t index) {
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (options[i].op == kind && index-- == 0) return &options[i].key;
  }
  return NULL;
}

/* ---- Values -------------------------------------------------------------------------- */

bool gg_is_among(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; at && *at;) {
    size_t span = strcspn(at, " ");
    if (span == length && memcmp(at, word, length) == 0) return true;
    at += span + (at[span] == ' ');
  }
  return list == NULL;
}

static bool give_word(gg_word *out, const char *text, int64_t value, const char *help) {
  snprintf(out->text, sizeof out->text, "%s", text);
  out->value = value;
  out->help = help;
  return true;
}

static bool arch_word(gg_word *out, size_t index) {
  size_t count;
  const gg_arch_info *table = gg_arch_table(&count);
  for (size_t i = 0; i < count; i++) {
    size_t names = 1 + strlen(table[i].suffix);
    if (index < names) {
      gg_arch arch = {table[i].number, index ? table[i].suffix[index - 1] : '\0'};
      char name[GG_ARCH_NAME_MAX];
      return give_word(out, gg_arch_name(name, arch), 0, "");
    }
    index -= names;
  }
  return false;
}

bool gg_key_word(gg_word *out, const gg_key *key, size_t index) {
  if (key->kind == GG_KEY_ARCH) return arch_word(out, index);
  if (key->kind == GG_KEY_DTYPE) {
    for (int type = 0; type < GG_DTYPE_COUNT; type++) {
      const gg_dtype_info *info = gg_dtype_info_of((gg_dtype)type);
      if (info->kind == 'c') continue; /* no complex GEMM */
      if (key->sums && !gg_mma_sums_in((gg_dtype)type)) continue;
      if (!gg_is_among(key->among, info->name)) continue;
      if (index-- == 0) return give_word(out, info->name, type, "");
    }
  }
  if (key->kind == GG_KEY_CHOICE) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
      const struct choice_row *row = &choices[i];
      if (row->set != key->set || !gg_is_among(key->among, row->word)) continue;
      if (index-- == 0) return give_word(out, row->word, row->value, row->help);
    }
  }
  return false;
}

const char *gg_choice_word(gg_choice_set set, int value) {
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    if (choices[i].set == set && choices[i].value == value) return choices[i].word;
  }
  return "";
}

static void expect_words(gg_str *out, const gg_key *key) {
  gg_word word;
  for (size_t i = 0; gg_key_word(&word, key, i); i++) {
    gg_str_printf(out, "%s%s", i ? ", " : "one of ", word.text);
  }
}

static void expect_number(gg_str *out, const gg_key *key, const char *what) {
  if (key->step > 1) {
    gg_str_printf(out, "a multiple of %lld", (long long)key->step);
  } else {
    gg_str_puts(out, what);
  }
  gg_str_printf(out, " from %lld to %lld", (long long)key->low, (long long)key->high);
}

static void expect_map(gg_str *out, const gg_key *key) {
  gg_str_puts(out, key->shorthand ? "a word or a mapping of" : "a mapping of");
  const gg_key *child;
  for (size_t i = 0; (child = gg_key_child(key, i)); i++) {
    gg_str_printf(out, "%s %s", i ? "," : "", gg_key_leaf(child));
  }
}

void gg_key_expects(gg_str *out, const gg_key *key) {
  switch (key->kind) {
  case GG_KEY_NAME:
    gg_str_puts(out, "a C identifier");
    break;
  case GG_KEY_ARCH:
  case GG_KEY_DTYPE:
  case GG_KEY_CHOICE:
    expect_words(out, key);
    break;
  case GG_KEY_INT:
    expect_number(out, key, "a whole number");
    break;
  case GG_KEY_POW2:
    expect_number(out, key, "a power of two");
    break;
  case GG_KEY_EXTENT:
    expect_number(out, key, "a whole number");
    gg_str_puts(out, ", or dynamic");
    break;
  case GG_KEY_REAL:
    gg_str_puts(out, "a decimal number such as 0.01 or -1.5e3, of f32's range");
    break;
  case GG_KEY_TEXT:
    gg_str_puts(out, "a line of at most 128 bytes");
    break;
  case GG_KEY_INT3:
    expect_number(out, key, "a list of 3 whole numbers");
    break;
  case GG_KEY_MODES:
    expect_number(out, key, "a list of 3, each a whole number");
    gg_str_puts(out, ", _ or a layout");
    break;
  case GG_KEY_MODE:
    expect_number(out, key, "a whole number");
    gg_str_puts(out, ", _ or a layout");
    break;
  case GG_KEY_MAP:
    expect_map(out, key);
    break;
  case GG_KEY_OPS:
    gg_str_puts(out, "a list of operations");
    break;
  case GG_KEY_SWEEP:
    gg_str_puts(out, "a mapping from keys to lists of values");
    break;
  }
  if (strcmp(key->fallback, "none") == 0 && key->kind == GG_KEY_MAP) gg_str_puts(out, ", none");
  if (gg_key_takes_auto(key)) gg_str_puts(out, ", or auto");
}

/* ---- Words of others ------------------------------------------------------------------ */

static const struct alias_row {
  gg_key_kind kind;
  const char *word, *means;
} aliases[] = {
#define GG_ALIAS(kind, word, means) {GG_KEY_##kind, word, means},
#include "spec/keys.def"
};

static bool has_word(const gg_key *key, const char *text) {
  gg_word word;
  for (size_t i = 0; gg_key_word(&word, key, i); i++) {
    if (strcmp(word.text, text) == 0) return true;
  }
  return false;
}

/* The major that "row..." or "col..." means for the matrix as it is written: A is M x K, B is K x
 * N, C and D are M x N. NULL where `text` begins with neither. */
static const char *major_of(const gg_key *key, const char *text) {
  bool row = strncasecmp(text, "row", 3) == 0, col = strncasecmp(text, "col", 3) == 0;
  bool is_a = key->path[0] == 'a', is_b = key->path[0] == 'b';
  return row ? (is_a ? "k" : "n") : col ? (is_b ? "k" : "m") : NULL;
}

/* What `text` means where it is a word of another library; NULL where it is none, or where its
 * meaning is nothing that the key takes. */
static const char *meaning_of(char arch[GG_ARCH_NAME_MAX], const gg_key *key, const char *text) {
  const char *means = NULL;
  gg_arch parsed;
  if (key->kind == GG_KEY_CHOICE && key->set == GG_SET_MAJOR) means = major_of(key, text);
  if (key->kind == GG_KEY_ARCH && gg_arch_parse(&parsed, text)) means = gg_arch_name(arch, parsed);
  for (size_t i = 0; !means && i < sizeof aliases / sizeof *aliases; i++) {
    const struct alias_row *row = &aliases[i];
    if (row->kind == key->kind && strcasecmp(row->word, text) == 0 && has_word(key, row->means))
      means = row->means;
  }
  return means;
}

/* Whether `text` names an architecture that is older than the oldest that we support: "sm_75",
 * "compute_70", "60". */
static bool is_before(const char *text) {
  size_t count;
  const char *digits = text + strcspn(text, "0123456789");
  size_t length = strspn(digits, "0123456789");
  return length == 2 && !digits[length] && atoi(digits) < gg_arch_table(&count)->number;
}

/* Appends how to write a dotted path: for a.scale.type "write 'a: {scale: {type: ...}}'". */
static void advise_nested(gg_str *out, const char *path) {
  size_t depth = 0;
  gg_str_puts(out, "write '");
  for (; *path; path++) {
    if (*path != '.') {
      gg_str_putc(out, *path);
    } else {
      gg_str_puts(out, ": {");
      depth++;
    }
  }
  gg_str_puts(out, ": ...");
  while (depth-- > 0)
    gg_str_putc(out, '}');
  gg_str_puts(out, "'; dotted paths are for a sweep");
}

void gg_key_advise(gg_str *out, const gg_key *parent, const char *word) {
  const gg_key *key;
  bool found = false;
  for (size_t i = 0; parent && (key = gg_key_child(parent, i)); i++)
    gg_str_printf(out, "%s%s %s", i ? "," : parent->path, i ? "" : " has", gg_key_leaf(key));
  if (parent) return;
  if (gg_key_find(word, strlen(word))) {
    advise_nested(out, word);
    return;
  }
  for (key = gg_keys; key->path; key++) {
    if (strcmp(gg_key_leaf(key), word) != 0) continue;
    gg_str_printf(out, "%s %s", found ? "," : "of that name there is", key->path);
    found = true;
  }
  if (!found) gg_str_puts(out, "`gemmgen spec` lists the keys");
}

void gg_near_path(gg_near *near, const char *wanted) {
  gg_near_start(near, wanted);
  for (const gg_key *key = gg_keys; key->path; key++)
    gg_near_try(near, key->path);
}

void gg_near_word(gg_near *near, const char *wanted, const gg_key *key) {
  char arch[GG_ARCH_NAME_MAX];
  gg_near_start(near, wanted);
  const char *means = meaning_of(arch, key, wanted);
  gg_dtype type;
  if (means) {
    snprintf(near->best, sizeof near->best, "%s", means);
  } else if (key->kind == GG_KEY_ARCH && is_before(wanted)) {
    near->advice = "there are no kernels for what is older";
  } else if (key->kind != GG_KEY_DTYPE || !gg_dtype_find(&type, wanted)) {
    gg_word word;
    for (size_t i = 0; gg_key_word(&word, key, i); i++)
      gg_near_try(near, word.text);
    if (gg_key_takes_auto(key)) gg_near_try(near, "auto");
  }
}
