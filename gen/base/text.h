/* Text that comes from users. */
#ifndef GG_BASE_TEXT_H
#define GG_BASE_TEXT_H

#include <stddef.h>

/* Length in bytes of the UTF-8 sequence that `text` begins with, of which at most `left` bytes are
 * read; 0 if there is none. */
size_t gg_utf8_sequence(const char *text, size_t left);

enum { GG_SHOWN_MAX = 176 };

/* Writes a user's text so that it fits in a message: at most 40 characters, without control
 * characters. Returns `out`. */
const char *gg_shown(char out[GG_SHOWN_MAX], const char *text);

#endif
