/* Text that others wrote. */
#ifndef GG_BASE_TEXT_H
#define GG_BASE_TEXT_H

#include <stddef.h>

/* Length in bytes of the UTF-8 sequence that `text` starts with, `left` bytes at most; 0 where
 * there is none. */
size_t gg_utf8_sequence(const char *text, size_t left);

enum { GG_SHOWN_MAX = 176 };

/* User text fit for a message: at most 40 characters, none of them a control character. */
const char *gg_shown(char out[GG_SHOWN_MAX], const char *text);

#endif
