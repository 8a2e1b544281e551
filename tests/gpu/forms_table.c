/* forms.def as a list: every pattern with every choice made, and what stands between its < and >.
 *
 * A pattern that is not well formed is a mistake in forms.def: the program says so and ends. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "forms.h"

enum { CHOICES_MAX = 9 };

typedef struct row {
  const char *group;
  int unit;
  const char *pattern;
} row;

#define FORM(group, unit, pattern) {#group, unit, pattern},
static const row rows[] = {
#include "forms.def"
};

static void broken(const char *what, const char *where) {
  fprintf(stderr, "forms.def: %s: %s\n", what, where);
  abort();
}

/* ---- Choices -------------------------------------------------------------------------- */

/* The alternative `index` of the choice that starts after its parenthesis; `*length` of it. */
static const char *alternative(const char *choice, int index, size_t *length) {
  for (; index; index--)
    choice += strcspn(choice, "|)") + 1;
  *length = strcspn(choice, "|)");
  return choice;
}

static int alternatives(const char *choice) {
  int count = 1;
  for (; *choice != ')'; choice++) {
    if (!*choice) broken("no ) after", choice);
    count += *choice == '|';
  }
  return count;
}

static void choose(gg_str *out, const char *pattern, const int *chosen) {
  const char *choices[CHOICES_MAX];
  int count = 0;
  for (const char *c = pattern; *c; c++) {
    if (*c == '(') choices[count++] = c + 1;
  }
  int next = 0;
  for (const char *c = pattern; *c; c++) {
    size_t length;
    if (*c == '(') {
      const char *text = alternative(c + 1, chosen[next++], &length);
      gg_str_append(out, text, length);
      c = strchr(c, ')');
    } else if (*c == '$') {
      int index = *++c - '1';
      if (index < 0 || index >= count) broken("no such choice", pattern);
      const char *text = alternative(choices[index], chosen[index], &length);
      gg_str_append(out, text, length);
    } else {
      gg_str_putc(out, *c);
    }
  }
}

/* The next combination; false after the last. */
static bool advance(int *chosen, const char *pattern) {
  int next = 0;
  for (const char *c = pattern; *c; c++) {
    if (*c != '(') continue;
    if (next == CHOICES_MAX) broken("too many choices", pattern);
    if (++chosen[next] < alternatives(c + 1)) return true;
    chosen[next++] = 0;
  }
  return false;
}

/* ---- Operands ------------------------------------------------------------------------- */

static const form_type *type_at(const char **at, const char *text) {
  size_t length = strcspn(*at, "%:>");
  const form_type *type = form_type_find(*at, length);
  if (!type) broken("unknown type", text);
  *at += length;
  return type;
}

static long number_at(const char **at) {
  char *end;
  long value = strtol(*at, &end, 10);
  *at = end;
  return value;
}

/* "4 f32", "f32%8", "128/2 f32:3": a vector, or one. */
static void parse_register(form_operand *o, const char **at, const char *text) {
  o->count = 1;
  if (**at >= '0' && **at <= '9') {
    o->vector = true;
    o->count = (int)number_at(at);
    if (**at == '/') {
      ++*at;
      o->count /= (int)number_at(at);
    }
    ++*at;
  }
  o->type = type_at(at, text);
  if (**at == '%') {
    ++*at;
    o->modulo = (uint32_t)number_at(at);
  } else if (**at == ':') {
    ++*at;
    o->below = (int)number_at(at);
  }
}

static void parse_matrix(form_operand *o, const char **at, const char *text) {
  o->role = FORM_MATRIX;
  o->matrix = **at;
  *at += 2;
  o->type = type_at(at, text);
  int *fields[] = {&o->swizzle, &o->leading, &o->stride};
  for (int i = 0; i < 3; i++) {
    ++*at;
    *fields[i] = (int)number_at(at);
  }
}

static void parse_operand(form_operand *o, const char *text, const char *at) {
  *o = (form_operand){.role = FORM_IN, .below = INT_MAX, .at = (size_t)(at - text)};
  const char *start = at++;
  if ((*at == 'A' || *at == 'B') && at[1] == ' ') {
    parse_matrix(o, &at, text);
  } else {
    if (*at == '=')
      o->role = FORM_OUT, at++;
    else if (*at == '+')
      o->role = FORM_INOUT, at++;
    else if (*at == 'm' && at[1] == ' ')
      o->role = FORM_MEMORY, at += 2;
    parse_register(o, &at, text);
  }
  if (*at != '>') broken("expected >", text);
  o->length = (size_t)(at + 1 - start);
}

/* What its values are made as: the factors of a matrix product are 0 and 1, the addend is 2. */
static int ordinal_of(const form *f, const form_operand *o) {
  if (strcmp(f->group, "WGMMA") != 0) return f->ordinals;
  if (o->role == FORM_INOUT) return 2;
  if (o->role == FORM_MATRIX) return o->matrix == 'B';
  return o->vector ? 0 : 3 + f->ordinals;
}

static void place_operand(form *f, form_operand *o) {
  if (o->role != FORM_OUT) {
    o->ordinal = ordinal_of(f, o);
    f->ordinals++;
  }
  int words = form_type_words(o->type) * o->count;
  if (o->role == FORM_IN || o->role == FORM_INOUT) {
    o->in_word = f->in_words;
    f->in_words += words;
  }
  if (o->role == FORM_OUT || o->role == FORM_INOUT) {
    o->out_word = f->out_words;
    f->out_words += words;
  }
  if (o->role == FORM_MEMORY) {
    f->memory_bytes = o->count * o->type->bits * o->type->packed / 8;
    f->shared = strstr(f->text, ".shared") != NULL;
  }
  if (o->role == FORM_MATRIX) f->matrices = true;
}

static uint64_t hash_text(const char *text) {
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return hash;
}

static void parse_form(form *f) {
  f->seed = hash_text(f->text);
  for (const char *at = f->text; (at = strchr(at, '<')); at++) {
    if (f->operand_count == FORM_OPERANDS_MAX) broken("too many operands", f->text);
    form_operand *o = &f->operands[f->operand_count++];
    parse_operand(o, f->text, at);
    place_operand(f, o);
  }
}

/* ---- The list ------------------------------------------------------------------------- */

static gg_status append(form_list *list, const row *r, const int *chosen, gg_error *err) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 1024;
    form *grown = gg_realloc(list->forms, capacity * sizeof *grown);
    if (!grown) return gg_fail(err, MEMORY, NULL, "");
    list->forms = grown;
    list->capacity = capacity;
  }
  gg_str text = GG_STR_INIT;
  choose(&text, r->pattern, chosen);
  form *f = &list->forms[list->count];
  *f = (form){.group = r->group, .unit = r->unit};
  f->text = gg_str_take(&text);
  if (!f->text) return gg_fail(err, MEMORY, NULL, "");
  list->count++;
  parse_form(f);
  return GG_OK;
}

gg_status form_list_open(form_list *out, gg_error *err) {
  *out = (form_list){0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int chosen[CHOICES_MAX] = {0};
    do {
      gg_status st = append(out, &rows[i], chosen, err);
      if (st) {
        form_list_close(out);
        return st;
      }
    } while (advance(chosen, rows[i].pattern));
  }
  return GG_OK;
}

void form_list_close(form_list *list) {
  for (size_t i = 0; i < list->count; i++)
    gg_free(list->forms[i].text);
  gg_free(list->forms);
  *list = (form_list){0};
}
