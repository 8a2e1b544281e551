#include "base/text.h"

#include <stdbool.h>
#include <string.h>

size_t gg_utf8_sequence(const char *text, size_t left) {
  static const unsigned char least[5][2] = {{0}, {0}, {0xC2, 0xDF}, {0xE0, 0xEF}, {0xF0, 0xF4}};
  const unsigned char *s = (const unsigned char *)text;
  if (left == 0) return 0;
  if (s[0] < 0x80) return 1;
  for (size_t length = 2; length <= 4 && length <= left; length++) {
    if (s[0] < least[length][0] || s[0] > least[length][1]) continue;
    for (size_t i = 1; i < length; i++) {
      if ((s[i] & 0xC0) != 0x80) return 0;
    }
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool outside = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return overlong || outside ? 0 : length;
  }
  return 0;
}

const char *gg_shown(char out[GG_SHOWN_MAX], const char *text) {
  enum { most = 40 };
  size_t at = 0, left = strlen(text);
  for (int characters = 0; left > 0; characters++) {
    size_t length = gg_utf8_sequence(text, left);
    bool visible = length > 1 || (length == 1 && (unsigned char)*text >= 0x20 && *text != 0x7F);
    if (characters == most) {
      memcpy(out + at, "...", 3);
      at += 3;
      break;
    }
    if (length == 0) length = 1;
    memcpy(out + at, visible ? text : "?", visible ? length : 1);
    at += visible ? length : 1;
    text += length;
    left -= length;
  }
  out[at] = '\0';
  return out;
}
