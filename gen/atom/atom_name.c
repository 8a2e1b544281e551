/* CuTe's atom names: a base, namespaces before it, template arguments after it.
 *
 * Only what the tables need is read: one level of template arguments, each an integer, a type or
 * an enumerator. Source: the names in CuTe's arch and atom headers. */
#include "atom/atom_name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"

/* Copies [begin, end) without spaces and without what stands before the last "::". */
static bool copy_unqualified(char *out, size_t capacity, const char *begin, const char *end) {
  size_t length = 0;
  for (const char *c = begin; c < end; c++) {
    if (*c == ' ') continue;
    if (*c == ':') {
      if (c + 1 == end || c[1] != ':') return false;
      c++, length = 0;
      continue;
    }
    if (length + 1 >= capacity) return false;
    out[length++] = *c;
  }
  out[length] = '\0';
  return length > 0;
}

bool gg_atom_name_parse(gg_atom_name *out, const char *text) {
  *out = (gg_atom_name){.count = 0};
  const char *open = strchr(text, '<'), *end = text + strlen(text);
  if (!copy_unqualified(out->base, sizeof out->base, text, open ? open : end)) return false;
  if (!open) return true;
  while (end > open && end[-1] == ' ')
    end--;
  if (end[-1] != '>' || strchr(open + 1, '<') || strchr(text, '>') + 1 != end) return false;
  for (const char *at = open + 1;; at++) {
    const char *stop = at + strcspn(at, ",>");
    if (out->count == GG_ATOM_NAME_ARGUMENTS ||
        !copy_unqualified(out->arguments[out->count++], GG_ATOM_NAME_ARGUMENT, at, stop)) {
      return false;
    }
    if (*stop == '>') return true;
    at = stop;
  }
}

/* Reads a positive integer without leading zeros. Returns what follows it, or NULL where there is
 * none. */
static const char *read_number(int *out, const char *text) {
  if (*text < '1' || *text > '9') return NULL;
  int value = 0;
  for (; *text >= '0' && *text <= '9'; text++) {
    if (value > (INT_MAX - 9) / 10) return NULL;
    value = value * 10 + (*text - '0');
  }
  *out = value;
  return text;
}

bool gg_atom_name_match(int *number, const char *name, const char *pattern) {
  const char *colons = strrchr(pattern, ':');
  if (colons) pattern = colons + 1;
  int found = 0;
  for (; *pattern; pattern++) {
    if (*pattern != '*') {
      if (*name++ != *pattern) return false;
      continue;
    }
    int value;
    if (!(name = read_number(&value, name)) || (found && value != found)) return false;
    found = value;
  }
  if (*name) return false;
  if (found) *number = found;
  return true;
}

void gg_atom_name_fill(gg_str *out, const char *pattern, int number) {
  for (; *pattern; pattern++) {
    if (*pattern == '*') {
      gg_str_printf(out, "%d", number);
    } else {
      gg_str_putc(out, *pattern);
    }
  }
}

void gg_atom_near_start(gg_atom_near *out, const char *name) {
  out->ptx = strchr(name, '.') != NULL;
  bool is_name = !out->ptx && gg_atom_name_parse(&out->parsed, name);
  gg_near_start(&out->near, is_name ? out->parsed.base : name);
}

gg_status gg_atom_near_fail(const gg_atom_near *near, const char *kind, const char *name,
                            gg_error *err) {
  bool found = near->near.best[0] != '\0';
  return gg_fail(err, ATOM_NAME, NULL, kind, name, found ? "; did you mean '" : "", near->near.best,
                 found ? "'?" : "");
}

bool gg_atom_argument_int(int *out, const char *argument) {
  if (*argument == '_') argument++;
  const char *end = read_number(out, argument);
  return end && *end == '\0';
}

bool gg_atom_argument_mn_major(bool *out, const char *argument) {
  *out = strcmp(argument, "MN") == 0;
  return *out || strcmp(argument, "K") == 0;
}

bool gg_atom_argument_type(gg_dtype *type, int *bits, const char *argument) {
  for (int i = 0; i < GG_DTYPE_COUNT; i++) {
    const gg_dtype_info *info = gg_dtype_info_of((gg_dtype)i);
    if (strcmp(argument, info->cute) != 0 && strcmp(argument, info->name) != 0) continue;
    *type = (gg_dtype)i;
    *bits = info->bits;
    return true;
  }
  *type = GG_DTYPE_COUNT;
  const char *digits = strncmp(argument, "uint", 4) == 0  ? argument + 4
                       : strncmp(argument, "int", 3) == 0 ? argument + 3
                                                          : NULL;
  if (!digits) return false;
  const char *end = read_number(bits, digits);
  return end && strcmp(end, "_t") == 0 && *bits <= 256 && (*bits & (*bits - 1)) == 0;
}
