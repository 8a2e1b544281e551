/* Reads one value: a word, a number, a list of three. Each kind of key in keys.def has its reader
 * here. What a value may be, and which legal value is nearest to a wrong one, follow from the key's
 * row. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "spec/parse.h"

enum { longest_text = 128 };

/* ---- Shared -------------------------------------------------------------------------- */

bool gg_node_is(const gg_yaml_node *node, const char *word) {
  return node->kind == GG_YAML_SCALAR && strcmp(node->text, word) == 0;
}

/* Copies a node's mark into the arena, so that it outlives the parse. */
static gg_status keep_mark(const gg_reader *in, gg_mark *out, const gg_yaml_node *node) {
  gg_place place;
  *out = *gg_yaml_mark(&place, in->file, node);
  out->path = gg_arena_strndup(in->arena, place.path, strlen(place.path));
  return out->path ? GG_OK : gg_fail(in->err, MEMORY, NULL, "");
}

gg_status gg_field_set(const gg_reader *in, gg_spec_field *field, gg_spec_state state,
                       const gg_yaml_node *node) {
  field->state = state;
  field->text = node->kind == GG_YAML_SCALAR ? node->text : NULL;
  return keep_mark(in, &field->mark, node);
}

gg_status gg_fail_type(const gg_reader *in, const gg_key *key, const gg_yaml_node *node) {
  gg_place place;
  gg_str expected = GG_STR_INIT;
  char shown[GG_SHOWN_MAX + 32];
  gg_key_expects(&expected, key);
  gg_status st = gg_fail(in->err, SPEC_TYPE, gg_yaml_mark(&place, in->file, node),
                         gg_str_shown(&expected), gg_yaml_shown(shown, node));
  gg_str_free(&expected);
  return st;
}

/* Appends "; did you mean 'x'?", or the advice that there is in its place, or nothing. */
static void suggest(gg_str *out, const gg_near *near) {
  if (near->best[0]) {
    gg_str_printf(out, "; did you mean '%s'?", near->best);
  } else if (near->advice) {
    gg_str_printf(out, "; %s", near->advice);
  }
}

gg_status gg_fail_key(const gg_reader *in, const gg_yaml_node *node, gg_near *near,
                      gg_str *advice) {
  gg_place place;
  gg_str hint = GG_STR_INIT;
  char shown[GG_SHOWN_MAX];
  near->advice = gg_str_shown(advice);
  suggest(&hint, near);
  gg_status st = gg_fail(in->err, SPEC_KEY, gg_yaml_key_mark(&place, in->file, node),
                         gg_shown(shown, near->wanted), gg_str_shown(&hint));
  gg_str_free(&hint);
  gg_str_free(advice);
  return st;
}

gg_status gg_fail_choice(const gg_reader *in, const gg_mark *mark, const gg_near *near,
                         const gg_str *words) {
  gg_str hint = GG_STR_INIT;
  char shown[GG_SHOWN_MAX];
  suggest(&hint, near);
  gg_status st = gg_fail(in->err, SPEC_CHOICE, mark, gg_shown(shown, near->wanted),
                         gg_str_shown(words), gg_str_shown(&hint));
  gg_str_free(&hint);
  return st;
}

/* ---- Words --------------------------------------------------------------------------- */

static gg_status fail_word(const gg_reader *in, const gg_key *key, const gg_yaml_node *node) {
  if (node->kind != GG_YAML_SCALAR || !node->text[0]) return gg_fail_type(in, key, node);
  gg_near near;
  gg_place place;
  gg_str words = GG_STR_INIT;
  gg_near_word(&near, node->text, key);
  gg_key_expects(&words, key);
  gg_status st = gg_fail_choice(in, gg_yaml_mark(&place, in->file, node), &near, &words);
  gg_str_free(&words);
  return st;
}

static gg_status read_word(const gg_reader *in, gg_spec_field *field, const gg_key *key,
                           const gg_yaml_node *node) {
  gg_word word;
  for (size_t i = 0; gg_key_word(&word, key, i); i++) {
    if (!gg_node_is(node, word.text)) continue;
    field->number = word.value;
    if (key->kind == GG_KEY_ARCH) gg_arch_parse(&field->arch, word.text);
    return GG_OK;
  }
  return fail_word(in, key, node);
}

/* ---- Numbers ------------------------------------------------------------------------- */

/* Reads a decimal whole number. It may have no quotes, sign + or leading zeros: versions of YAML
 * read those differently. A number that does not fit int64 becomes the nearest that does, which no
 * key allows. */
static bool parse_integer(int64_t *out, const gg_yaml_node *node) {
  if (node->kind != GG_YAML_SCALAR || node->quoted) return false;
  bool negative = node->text[0] == '-';
  const char *digits = node->text + negative;
  size_t count = strspn(digits, "0123456789");
  if (count == 0 || digits[count] || (digits[0] == '0' && count > 1)) return false;
  int64_t value = 0;
  for (size_t i = 0; i < count; i++) {
    int digit = digits[i] - '0';
    if (value > (INT64_MAX - digit) / 10) {
      value = INT64_MAX;
      break;
    }
    value = value * 10 + digit;
  }
  *out = negative ? -value : value;
  return true;
}

/* The legal value of `key` that is nearest to `value`. */
static int64_t nearest(const gg_key *key, int64_t value) {
  if (value <= key->low) return key->low;
  if (value >= key->high) return key->high;
  if (key->step > 1) {
    int64_t below = value - value % key->step, above = below + key->step;
    return below < key->low || (above <= key->high && above - value < value - below) ? above
                                                                                     : below;
  }
  if (key->kind != GG_KEY_POW2) return value;
  int64_t power = key->low;
  while (power * 2 <= value)
    power *= 2;
  return power * 2 - value < value - power ? power * 2 : power;
}

static gg_status read_number(const gg_reader *in, int64_t *out, const gg_key *key,
                             const gg_yaml_node *node) {
  if (!parse_integer(out, node)) return gg_fail_type(in, key, node);
  int64_t legal = nearest(key, *out);
  if (legal == *out) return GG_OK;
  gg_place place;
  gg_str expected = GG_STR_INIT;
  char shown[GG_SHOWN_MAX];
  gg_key number = *key;
  number.fallback = ""; /* the message is about numbers, without "or auto" */
  if (number.kind == GG_KEY_EXTENT) number.kind = GG_KEY_INT;
  gg_key_expects(&expected, &number);
  gg_status st = gg_fail(in->err, SPEC_RANGE, gg_yaml_mark(&place, in->file, node),
                         gg_shown(shown, node->text), gg_str_shown(&expected), (long long)legal);
  gg_str_free(&expected);
  return st;
}

/* Reads a decimal number without quotes, rounded to f32. */
static gg_status read_real(const gg_reader *in, float *out, const gg_key *key,
                           const gg_yaml_node *node) {
  double value;
  bool plain = node->kind == GG_YAML_SCALAR && !node->quoted;
  bool negative = plain && node->text[0] == '-';
  const char *end = plain ? gg_decimal_read(&value, node->text + negative) : NULL;
  if (!end || *end || isinf((float)value)) return gg_fail_type(in, key, node);
  bool vanishes = (float)value == 0 && strspn(node->text, "-0.eE") < strcspn(node->text, "eE");
  if (vanishes) return gg_fail_type(in, key, node);
  *out = (float)(negative ? -value : value);
  return GG_OK;
}

/* ---- Lists of three ------------------------------------------------------------------ */

/* Reads one entry of a permutation: a number in the key's range, "_", or any text that may be a
 * layout. The plan later reads that text with the layout parser. */
static gg_status read_mode(const gg_reader *in, gg_spec_field *field, const gg_key *key,
                           const gg_yaml_node *node) {
  int64_t number;
  gg_key entry = *key;
  entry.kind = GG_KEY_MODE;
  entry.fallback = "";
  bool is_layout = node->kind == GG_YAML_SCALAR && node->text[0] &&
                   strlen(node->text) <= longest_text &&
                   node->text[strspn(node->text, "0123456789(),:_ ")] == '\0';
  if (!is_layout) return gg_fail_type(in, &entry, node);
  field->texts[node->index] = node->text;
  entry.kind = GG_KEY_INT;
  return parse_integer(&number, node) ? read_number(in, &number, &entry, node) : GG_OK;
}

static gg_status read_three(const gg_reader *in, gg_spec_field *field, const gg_key *key,
                            const gg_yaml_node *node) {
  if (node->kind != GG_YAML_LIST || node->count != 3) return gg_fail_type(in, key, node);
  gg_mark *marks = GG_ARENA_ARRAY(in->arena, gg_mark, 3);
  if (!marks) return gg_fail(in->err, MEMORY, NULL, "");
  gg_key entry = *key;
  entry.kind = GG_KEY_INT;
  entry.fallback = "";
  size_t i = 0;
  for (const gg_yaml_node *child = node->first; child; child = child->next, i++) {
    gg_status st = key->kind == GG_KEY_MODES ? read_mode(in, field, key, child)
                                             : read_number(in, &field->tuple[i], &entry, child);
    if (st || (st = keep_mark(in, &marks[i], child))) return st;
  }
  field->marks = marks;
  return GG_OK;
}

/* ---- Any value ----------------------------------------------------------------------- */

/* Whether the text may go into a comment of the generated code: it must not be able to end it. */
static bool is_line(const gg_yaml_node *node) {
  if (node->kind != GG_YAML_SCALAR) return false;
  size_t length = strlen(node->text);
  if (length == 0 || length > longest_text || strstr(node->text, "*/")) return false;
  for (size_t i = 0; i < length; i++) {
    if ((unsigned char)node->text[i] < 0x20 || node->text[i] == '\\') return false;
  }
  return true;
}

static gg_status read_name(const gg_reader *in, const gg_key *key, const gg_yaml_node *node) {
  if (node->kind != GG_YAML_SCALAR || !node->text[0]) return gg_fail_type(in, key, node);
  const char *why = gg_name_complaint(node->text);
  if (!why) return GG_OK;
  gg_place place;
  char shown[GG_SHOWN_MAX];
  return gg_fail(in->err, SPEC_NAME, gg_yaml_mark(&place, in->file, node),
                 gg_shown(shown, node->text), why);
}

gg_status gg_value_read(const gg_reader *in, gg_spec_field *field, const gg_key *key,
                        const gg_yaml_node *node) {
  if (gg_node_is(node, "auto") && gg_key_takes_auto(key)) {
    return gg_field_set(in, field, GG_SPEC_AUTO, node);
  }
  gg_status st = GG_OK;
  switch (key->kind) {
  case GG_KEY_ARCH:
  case GG_KEY_DTYPE:
  case GG_KEY_CHOICE:
    st = read_word(in, field, key, node);
    break;
  case GG_KEY_EXTENT:
    field->number = GG_FIXED_NONE;
    if (!gg_node_is(node, "dynamic")) st = read_number(in, &field->number, key, node);
    break;
  case GG_KEY_INT:
  case GG_KEY_POW2:
    st = read_number(in, &field->number, key, node);
    break;
  case GG_KEY_REAL:
    st = read_real(in, &field->real, key, node);
    break;
  case GG_KEY_INT3:
  case GG_KEY_MODES:
    st = read_three(in, field, key, node);
    break;
  case GG_KEY_NAME:
    st = read_name(in, key, node);
    break;
  case GG_KEY_TEXT:
    if (!is_line(node)) st = gg_fail_type(in, key, node);
    break;
  default:
    st = gg_fail_type(in, key, node);
    break;
  }
  return st ? st : gg_field_set(in, field, GG_SPEC_SET, node);
}
