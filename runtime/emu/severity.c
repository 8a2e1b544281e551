#include "emu/severity.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

static const struct {
  const char *word;
  emu_severity usual;
} classes[EMU_CLASS_COUNT] = {
#define EMU_CLASS(name, word, severity) [EMU_CLASS_##name] = {word, EMU_SEVERITY_##severity},
#include "emu/faults.def"
};

/* The faults of errors.def stand one behind the other, and each has its row. */
#define FIRST_FAULT GG_E_EMU_BOUNDS
#define LAST_FAULT  GG_E_EMU_OVERTAKEN

static const emu_fault_class fault_classes[] = {
#define EMU_FAULT_CODE(code, class, result) [GG_E_EMU_##code - FIRST_FAULT] = EMU_CLASS_##class,
#include "emu/faults.def"
};
#define EMU_FAULT_CODE(code, class, result) +1
_Static_assert(0
#include "emu/faults.def"
                   == LAST_FAULT - FIRST_FAULT + 1,
               "faults.def has a row for each fault of errors.def");

emu_fault_class emu_fault_class_of(gg_status code) {
  if (code < FIRST_FAULT || code > LAST_FAULT) return EMU_CLASS_ALWAYS;
  return fault_classes[code - FIRST_FAULT];
}

const char *emu_fault_class_word(emu_fault_class class) {
  return class < EMU_CLASS_COUNT ? classes[class].word : "always";
}

emu_severities emu_severities_all(emu_severity severity) {
  emu_severities all;
  for (int i = 0; i < EMU_CLASS_COUNT; i++)
    all.of[i] = severity;
  return all;
}

void emu_severities_settle(emu_severities *severities) {
  for (int i = 0; i < EMU_CLASS_COUNT; i++) {
    if (severities->of[i] == EMU_SEVERITY_USUAL) severities->of[i] = classes[i].usual;
  }
}

bool emu_severities_off(const emu_severities *severities) {
  for (int i = 0; i < EMU_CLASS_COUNT; i++) {
    if (severities->of[i] != EMU_SEVERITY_OFF) return false;
  }
  return true;
}

/* ---- Reading ---------------------------------------------------------------------------- */

static bool is(const char *text, size_t length, const char *word) {
  return strlen(word) == length && !memcmp(text, word, length);
}

static bool read_severity(emu_severity *out, const char *text, size_t length) {
  static const struct {
    const char *word;
    emu_severity severity;
  } words[] = {
      {"off", EMU_SEVERITY_OFF}, {"warn", EMU_SEVERITY_WARN}, {"fault", EMU_SEVERITY_FAULT}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!is(text, length, words[i].word)) continue;
    *out = words[i].severity;
    return true;
  }
  return false;
}

static bool read_class(emu_fault_class *out, const char *text, size_t length) {
  for (int i = 0; i < EMU_CLASS_COUNT; i++) {
    if (!is(text, length, classes[i].word)) continue;
    *out = (emu_fault_class)i;
    return true;
  }
  return false;
}

static bool no_class(const char *text, size_t length, char *why, size_t why_size) {
  gg_str words = GG_STR_INIT;
  for (int i = 0; i < EMU_CLASS_COUNT; i++)
    gg_str_printf(&words, "%s%s", i ? ", " : "", classes[i].word);
  snprintf(why, why_size, "'%.*s' is no class of faults; there are %s", (int)length, text,
           gg_str_text(&words));
  gg_str_free(&words);
  return false;
}

/* One item between commas. */
static bool read_item(emu_severities *out, const char *text, size_t length, char *why,
                      size_t why_size) {
  const char *equals = memchr(text, '=', length);
  const char *value = equals ? equals + 1 : text;
  size_t name = equals ? (size_t)(equals - text) : 0;
  size_t rest = length - (size_t)(value - text);
  emu_severity severity;
  emu_fault_class class = EMU_CLASS_COUNT;
  if (equals && !read_class(&class, text, name)) return no_class(text, name, why, why_size);
  if (!read_severity(&severity, value, rest)) {
    snprintf(why, why_size,
             "'%.*s': a severity is off, warn or fault, of one class (%s=warn) or "
             "of all (warn)",
             (int)length, text, classes[0].word);
    return false;
  }
  if (equals) {
    out->of[class] = severity;
  } else {
    *out = emu_severities_all(severity);
  }
  return true;
}

bool emu_severities_read(emu_severities *out, const char *text, char *why, size_t why_size) {
  emu_severities read = *out;
  for (;;) {
    size_t length = strcspn(text, ",");
    if (!read_item(&read, text, length, why, why_size)) return false;
    if (!text[length]) break;
    text += length + 1;
  }
  *out = read;
  return true;
}
