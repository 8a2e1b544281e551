/* Checks that the input is text. libyaml would guess an encoding, and counts line breaks of Unicode
 * that editors do not count. So anything but plain UTF-8 is refused before libyaml sees it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/yaml.h"

static uint32_t decode(const char *text, size_t length) {
  const unsigned char *s = (const unsigned char *)text;
  uint32_t code = length == 1 ? s[0] : s[0] & (0x7Fu >> length);
  for (size_t i = 1; i < length; i++)
    code = code << 6 | (s[i] & 0x3Fu);
  return code;
}

/* Why a code point may not occur in a spec; NULL where it may. */
static const char *complaint(uint32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return NULL;
  if (code == 0) return "is not text";
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return "is a control character";
  if (code == 0x2028 || code == 0x2029) return "breaks lines where editors do not";
  if (code == 0xFEFF) return "is a byte order mark inside the text";
  if ((code & 0xFFFE) == 0xFFFE) return "is not a character";
  return NULL;
}

static bool looks_like_utf16(const char *text, size_t length) {
  return length >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
}

gg_status gg_text_check(const char *text, size_t length, const char *file, gg_error *err) {
  gg_mark mark = {.file = file, .line = 1, .column = 1};
  if (looks_like_utf16(text, length)) {
    return gg_fail(err, SPEC_ENCODING, &mark, "the text is UTF-16; save it as UTF-8");
  }
  for (size_t at = 0, size; at < length; at += size) {
    char message[96];
    size = gg_utf8_sequence(text + at, length - at);
    uint32_t code = size ? decode(text + at, size) : 0;
    const char *why = size ? complaint(code) : "is not UTF-8";
    if (why && size) snprintf(message, sizeof message, "the character U+%04X %s", code, why);
    if (why && !size) {
      snprintf(message, sizeof message, "the byte 0x%02X %s", (unsigned char)text[at], why);
    }
    if (why) return gg_fail(err, SPEC_ENCODING, &mark, message);
    bool breaks = code == '\n' || (code == '\r' && (at + 1 == length || text[at + 1] != '\n'));
    mark.line += breaks;
    mark.column = breaks ? 1 : mark.column + 1;
  }
  return GG_OK;
}
