#include "factors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/mma_atom.h"

/* ---- Levels --------------------------------------------------------------------------- */

static bool add_level(factor_row *to, const char *word) {
  for (int i = 0; i < to->count; i++)
    if (strcmp(to->words[i], word) == 0) return true;
  if (to->count == LEVELS_MAX) return false;
  snprintf(to->words[to->count++], LEVEL_WORD_MAX, "%s", word);
  return true;
}

static void add_number(factor_row *to, int64_t number) {
  char word[LEVEL_WORD_MAX];
  snprintf(word, sizeof word, "%lld", (long long)number);
  add_level(to, word);
}

static void add_words(factor_row *to, const gg_key *key) {
  gg_word word;
  for (size_t i = 0; gg_key_word(&word, key, i); i++)
    add_level(to, word.text);
}

/* The family's rows, whichever of its targets multiplies with them. */
static bool has_row(const char *family, const gg_mma_row *row) {
  for (const gg_target *const *target = gg_targets; *target; target++)
    if (strcmp((*target)->family, family) == 0 && (*target)->has_atom(row)) return true;
  return false;
}

/* Types of A and B that a row of the family has, be it by its parameters; and 16-bit floats, which
 * families without an atom of theirs widen. */
static void add_operand_types(factor_row *to, const char *family) {
  size_t count;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (int type = 0; type < GG_DTYPE_COUNT; type++) {
    const gg_dtype_info *info = gg_dtype_info_of((gg_dtype)type);
    bool has = gg_dtype_is_float((gg_dtype)type) && info->bits == 16;
    for (size_t i = 0; i < count && !has; i++)
      has = has_row(family, &rows[i]) && (gg_mma_row_takes(&rows[i], (gg_dtype)type) ||
                                          gg_mma_row_multiplies(&rows[i], type, GG_DTYPE_COUNT));
    if (has) add_level(to, info->name);
  }
}

/* Shapes of the family's instructions, of those that have one. */
static void add_atoms(factor_row *to, const char *family) {
  size_t count;
  const gg_mma_row *rows = gg_mma_table(&count);
  for (size_t i = 0; i < count; i++) {
    char word[LEVEL_WORD_MAX];
    const gg_mma_row *row = &rows[i];
    if (!has_row(family, row) || !row->m || !row->n || !row->k) continue;
    snprintf(word, sizeof word, "m%dn%dk%d", row->m, row->n, row->k);
    add_level(to, word);
  }
}

/* The least ones: further ones cost time and say little. */
static void add_numbers(factor_row *to, const gg_key *key) {
  int64_t step = key->step ? key->step : 1;
  static const int more[] = {0, 1, 3};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    if (key->low + step * more[i] <= key->high) add_number(to, key->low + step * more[i]);
}

static void add_powers(factor_row *to, const gg_key *key) {
  enum { most = 64 };
  for (int64_t power = 1; power <= key->high && power <= most; power *= 2)
    if (power >= key->low) add_number(to, power);
}

static void add_values(factor_row *to, const gg_key *key, const char *family) {
  static const char *const triples[] = {"[1, 1, 1]", "[2, 1, 1]", "[1, 2, 1]",
                                        "[2, 2, 1]", "[1, 1, 2]", "[4, 8, 1]"};
  bool multiplied = strcmp(key->path, "a.type") == 0 || strcmp(key->path, "b.type") == 0;
  if (multiplied)
    add_operand_types(to, family);
  else if (key->kind == GG_KEY_ARCH || key->kind == GG_KEY_DTYPE || key->kind == GG_KEY_CHOICE)
    add_words(to, key);
  else if (key->kind == GG_KEY_INT)
    add_numbers(to, key);
  else if (key->kind == GG_KEY_POW2)
    add_powers(to, key);
  else if (key->kind == GG_KEY_TEXT)
    add_atoms(to, family);
  else if (key->kind == GG_KEY_MODES)
    add_level(to, "[_, _, _]");
  else if (key->kind == GG_KEY_INT3)
    for (size_t i = 0; i < sizeof triples / sizeof *triples; i++)
      add_level(to, triples[i]);
}

/* ---- Factors -------------------------------------------------------------------------- */

static factor_row *new_factor(factors *all, factor_kind kind, const char *name, bool silent) {
  factor_row *out = &all->list[all->count++];
  *out = (factor_row){.kind = kind};
  snprintf(out->name, sizeof out->name, "%s", name);
  if (silent) add_level(out, "");
  return out;
}

/* Of "simt, sm80"; a row that no family uses has NULL. */
static bool lists_family(const char *list, const char *family) {
  for (const char *at = list; at && *at; at += strspn(at, ", ")) {
    size_t span = strcspn(at, ", ");
    if (span == strlen(family) && strncmp(at, family, span) == 0) return true;
    at += span;
  }
  return false;
}

static void add_key(factors *all, const gg_key *key) {
  static const char *const parts[] = {"m/2", "n/2", "k/2", "k*2"};
  if (!lists_family(key->families, all->family)) return;
  if (key->kind == GG_KEY_EXTENT) {
    add_level(new_factor(all, FACTOR_EXTENT, key->path, true), "fixed");
  } else if (strcmp(key->path, "tile") == 0) {
    factor_row *tile = new_factor(all, FACTOR_TILE, key->path, true);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      add_level(tile, parts[i]);
  } else {
    factor_row value = {.kind = FACTOR_KEY};
    add_values(&value, key, all->family);
    if (value.count == 0) return; /* a mapping, a name, the epilogue */
    factor_row *out =
        new_factor(all, FACTOR_KEY, key->path, strcmp(key->fallback, "required") != 0);
    for (int i = 0; i < value.count; i++)
      add_level(out, value.words[i]);
  }
}

/* What an operation needs besides: an expression its text, which has a t0. */
static const char *needed_options(int op) {
  return op == GG_OP_EXPR ? "text: \"x * sigmoid(1.5 * x) + t0\", " : "";
}

/* As it is, and with each word of each option; the types of operands are a factor of their own. */
static void add_operation(factors *all, int op) {
  const gg_op_info *info = gg_op_info_of((gg_op_kind)op);
  if (!lists_family(info->families, all->family)) return;
  factor_row *out = new_factor(all, FACTOR_OPERATION, info->name, true);
  char word[LEVEL_WORD_MAX];
  gg_word each;
  out->op = op;
  snprintf(word, sizeof word, "%s", *needed_options(op) ? needed_options(op) : " ");
  add_level(out, word);
  const gg_key *key;
  for (size_t i = 0; (key = gg_op_option((gg_op_kind)op, i)); i++) {
    for (size_t j = 0; key->kind == GG_KEY_CHOICE && gg_key_word(&each, key, j); j++) {
      snprintf(word, sizeof word, "%s%s: %s, ", needed_options(op), key->path, each.text);
      add_level(out, word);
    }
    snprintf(word, sizeof word, "%s: 0.25, ", key->path);
    if (key->kind == GG_KEY_REAL) add_level(out, word);
  }
}

static void add_side(factors *all, const char *mode, const char *words) {
  factor_row *out = new_factor(all, FACTOR_SIDE, mode, false);
  char word[LEVEL_WORD_MAX];
  for (size_t length; *words; words += length + (words[length] != '\0')) {
    length = strcspn(words, "|");
    snprintf(word, sizeof word, "%.*s", (int)length, words);
    add_level(out, word);
  }
}

static void number_levels(factors *all) {
  all->levels = 0;
  for (int i = 0; i < all->count; i++) {
    all->first[i] = all->levels;
    all->levels += all->list[i].count;
  }
}

void factors_of_family(factors *out, const char *family) {
  static const char sides[] = "7|1|8|63|64|65|tile-1|tile|tile+1";
  *out = (factors){.family = family};
  for (const gg_key *key = gg_keys; key->path; key++)
    add_key(out, key);
  for (int op = 0; op < GG_OP_COUNT; op++)
    add_operation(out, op);
  add_words(new_factor(out, FACTOR_TYPE, "type", true), gg_key_find("d.type", strlen("d.type")));
  add_side(out, "m", sides);
  add_side(out, "n", sides);
  add_side(out, "k", sides);
  add_side(out, "batch", "1|3");
  number_levels(out);
}

bool factors_keep(factors *all, const char *key, const char *word) {
  int at = factors_find(all, FACTOR_KEY, key);
  for (int i = 0; at >= 0 && i < all->list[at].count; i++)
    if (strcmp(all->list[at].words[i], word) == 0) {
      memmove(all->list[at].words[0], all->list[at].words[i], LEVEL_WORD_MAX);
      all->list[at].count = 1;
      number_levels(all);
      return true;
    }
  return false;
}

int factors_find(const factors *all, factor_kind kind, const char *name) {
  for (int i = 0; i < all->count; i++)
    if (all->list[i].kind == kind && strcmp(all->list[i].name, name) == 0) return i;
  return -1;
}

/* ---- Text ----------------------------------------------------------------------------- */

static const char *word_of(const factors *all, const choice *of, int at) {
  return all->list[at].words[(int)of->level[at]];
}

int64_t factors_side(const factors *all, const choice *of, const char *mode, int64_t tile) {
  const char *word = word_of(all, of, factors_find(all, FACTOR_SIDE, mode));
  const char *after = word + strlen("tile");
  if (strncmp(word, "tile", strlen("tile")) != 0) return strtoll(word, NULL, 10);
  int64_t side = tile + strtoll(*after ? after : "0", NULL, 10);
  return side > 0 ? side : 1;
}

static bool is_key(const factor_row *f) {
  return f->kind == FACTOR_KEY || f->kind == FACTOR_EXTENT;
}

/* A key's value; of an extent that is fixed the problem's, where the tile is known. */
static void write_value(gg_str *out, const factors *all, const choice *of, int at,
                        const int tile[3]) {
  static const char *const modes[] = {"m", "n", "k", "batch"};
  const factor_row *f = &all->list[at];
  if (f->kind == FACTOR_KEY || !tile || !of->level[at]) {
    if (f->kind == FACTOR_KEY) gg_str_puts(out, word_of(all, of, at));
    return;
  }
  const char *mode = strchr(f->name, '.') + 1;
  for (int i = 0; i < 4; i++)
    if (strcmp(mode, modes[i]) == 0)
      gg_str_printf(out, "%lld", (long long)factors_side(all, of, mode, i < 3 ? tile[i] : 1));
}

/* The key's value, in the mappings that it stands in: "a.scale.type" is `a: {scale: {type: ..}}`.
 * Keys of one mapping stand together in keys.def. */
static void write_keys(gg_str *out, const factors *all, const choice *of, const int tile[3],
                       const char *under, int *at, bool flow) {
  const char *between = "";
  size_t length = strlen(under);
  while (*at < all->count && strncmp(all->list[*at].name, under, length) == 0 &&
         is_key(&all->list[*at])) {
    const char *leaf = all->list[*at].name + length, *dot = strchr(leaf, '.');
    size_t own = dot ? (size_t)(dot - leaf) : strlen(leaf);
    gg_str inner = GG_STR_INIT;
    if (dot) {
      char path[48];
      snprintf(path, sizeof path, "%.*s", (int)(length + own + 1), all->list[*at].name);
      write_keys(&inner, all, of, tile, path, at, true);
    } else {
      write_value(&inner, all, of, (*at)++, tile);
    }
    if (inner.length > 0)
      gg_str_printf(out, "%s%.*s: %s%s%s%s", between, (int)own, leaf, dot ? "{" : "",
                    gg_str_text(&inner), dot ? "}" : "", flow ? "" : "\n");
    if (inner.length > 0 && flow) between = ", ";
    gg_str_free(&inner);
  }
}

static void write_tile(gg_str *out, const char *word, const int tile[3]) {
  static const char modes[] = "mnk";
  int own[3];
  if (!*word) return;
  for (int i = 0; i < 3; i++) {
    bool meant = modes[i] == word[0];
    own[i] = !meant ? tile[i] : word[1] == '*' ? tile[i] * 2 : tile[i] / 2;
  }
  gg_str_printf(out, "tile: [%d, %d, %d]\n", own[0], own[1], own[2]);
}

static bool has_type(int op) {
  const gg_key *key;
  for (size_t i = 0; (key = gg_op_option((gg_op_kind)op, i)); i++)
    if (key->kind == GG_KEY_DTYPE) return true;
  return false;
}

/* In an order that is another from choice to choice, but for the sides of a problem, which no spec
 * has: what a gate allows depends on the order. */
static void write_epilogue(gg_str *out, const factors *all, const choice *of) {
  const char *type = word_of(all, of, factors_find(all, FACTOR_TYPE, "type"));
  const char *between = "epilogue: [";
  unsigned turn = 0;
  for (int i = 0; i < all->count; i++)
    if (all->list[i].kind != FACTOR_SIDE) turn = turn * 31 + (unsigned)of->level[i];
  for (int i = 0; i < all->count; i++) {
    int at = (int)((unsigned)i + turn % (unsigned)all->count) % all->count;
    const factor_row *f = &all->list[at];
    if (f->kind != FACTOR_OPERATION || of->level[at] == 0) continue;
    bool typed = *type && has_type(f->op);
    gg_str options = GG_STR_INIT;
    gg_str_printf(&options, "%s%s%s", word_of(all, of, at), typed ? "type: " : "",
                  typed ? type : "");
    bool plain = strspn(gg_str_text(&options), " ") == options.length;
    gg_str_printf(out, "%s%s%s%s%s%s%s", between, plain ? "" : "{", f->name, plain ? "" : ": {",
                  plain ? "" : gg_str_text(&options), plain ? "" : "}}",
                  f->op == GG_OP_OPERAND ? ", {expr: x * t1}" : ""); /* which reads it */
    gg_str_free(&options);
    between = ", ";
  }
  if (*between == ',') gg_str_puts(out, "]\n");
}

void factors_write(gg_str *out, const factors *all, const choice *of, const int tile[3]) {
  for (int at = 0; at < all->count;) {
    if (is_key(&all->list[at]))
      write_keys(out, all, of, tile, "", &at, false);
    else
      at++;
  }
  if (tile) write_tile(out, word_of(all, of, factors_find(all, FACTOR_TILE, "tile")), tile);
  write_epilogue(out, all, of);
}

bool factors_want_tile(const factors *all, const choice *of) {
  for (int i = 0; i < all->count; i++) {
    bool needs = all->list[i].kind == FACTOR_TILE || all->list[i].kind == FACTOR_EXTENT;
    if (needs && of->level[i] != 0) return true;
  }
  return false;
}

bool factors_is_effective(const factors *all, const choice *of, int at) {
  if (all->list[at].kind != FACTOR_TYPE || of->level[at] == 0) return true;
  for (int i = 0; i < all->count; i++) {
    const factor_row *f = &all->list[i];
    if (f->kind == FACTOR_OPERATION && of->level[i] != 0 && has_type(f->op)) return true;
  }
  return false;
}
