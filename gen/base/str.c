#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static bool reserve(gg_str *str, size_t extra) {
  if (str->failed) return false;
  if (extra >= SIZE_MAX / 2 - str->length) return !(str->failed = true);
  size_t need = str->length + extra + 1;
  if (need <= str->capacity) return true;
  size_t capacity = str->capacity ? str->capacity : 256;
  while (capacity < need)
    capacity *= 2;
  char *text = gg_realloc(str->text, capacity);
  if (!text) return !(str->failed = true);
  str->text = text;
  str->capacity = capacity;
  return true;
}

void gg_str_append(gg_str *str, const char *text, size_t length) {
  if (!reserve(str, length)) return;
  if (length) memcpy(str->text + str->length, text, length);
  str->length += length;
  str->text[str->length] = '\0';
}

void gg_str_puts(gg_str *str, const char *text) {
  gg_str_append(str, text, strlen(text));
}

void gg_str_putc(gg_str *str, char character) {
  if (!reserve(str, 1)) return;
  str->text[str->length++] = character;
  str->text[str->length] = '\0';
}

void gg_str_add(gg_str *str, const gg_str *text) {
  gg_str_append(str, gg_str_text(text), text->length);
  str->failed = str->failed || text->failed;
}

void gg_str_vprintf(gg_str *str, const char *format, va_list arguments) {
  if (!reserve(str, 64)) return; /* enough for most texts */
  va_list again;
  va_copy(again, arguments);
  size_t room = str->capacity - str->length;
  int length = vsnprintf(str->text + str->length, room, format, arguments);
  bool fits = length >= 0 && (size_t)length < room;
  if (!fits && length >= 0 && reserve(str, (size_t)length)) {
    vsnprintf(str->text + str->length, (size_t)length + 1, format, again);
    fits = true;
  }
  va_end(again);
  if (fits) {
    str->length += (size_t)length;
  } else {
    str->text[str->length] = '\0';
    str->failed = true;
  }
}

void gg_str_printf(gg_str *str, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gg_str_vprintf(str, format, arguments);
  va_end(arguments);
}

void gg_str_json(gg_str *str, const char *text) {
  gg_str_putc(str, '"');
  for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
    unsigned char byte = (unsigned char)*text;
    length = gg_utf8_sequence(text, left);
    if (length == 0) {
      gg_str_puts(str, "\\ufffd");
      length = 1;
    } else if (byte == '"' || byte == '\\') {
      gg_str_printf(str, "\\%c", byte);
    } else if (byte < 0x20) {
      gg_str_printf(str, "\\u%04x", byte);
    } else {
      gg_str_append(str, text, length);
    }
  }
  gg_str_putc(str, '"');
}

void gg_str_xml(gg_str *str, const char *text) {
  for (; *text; text++) {
    if (*text == '<') {
      gg_str_puts(str, "&lt;");
    } else if (*text == '>') {
      gg_str_puts(str, "&gt;");
    } else if (*text == '&') {
      gg_str_puts(str, "&amp;");
    } else {
      gg_str_putc(str, *text);
    }
  }
}

const char *gg_str_text(const gg_str *str) {
  return str->text ? str->text : "";
}

const char *gg_str_shown(const gg_str *str) {
  return str->failed ? "(memory is out)" : gg_str_text(str);
}

char *gg_str_take(gg_str *str) {
  reserve(str, 0);
  if (str->failed) {
    gg_str_free(str);
    return NULL;
  }
  str->text[str->length] = '\0';
  char *text = str->text;
  *str = (gg_str)GG_STR_INIT;
  return text;
}

void gg_str_free(gg_str *str) {
  gg_free(str->text);
  *str = (gg_str)GG_STR_INIT;
}
