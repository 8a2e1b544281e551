/* A growing text. Appending reports no errors: when memory runs out, the text becomes `failed`,
 * later appends do nothing, and the one place that uses the text checks once. A text that becomes
 * part of another passes its failure on (gg_str_add); one that is shown in a message says that
 * memory is out (gg_str_shown). */
#ifndef GG_BASE_STR_H
#define GG_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_str {
  char *text; /* NUL-terminated once anything was appended; NULL before */
  size_t length, capacity;
  bool failed;
} gg_str;

#define GG_STR_INIT GG_ZEROED

#if defined(__GNUC__)
#define GG_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define GG_PRINTF(string, first)
#endif

GG_API void gg_str_append(gg_str *str, const char *text, size_t length);
GG_API void gg_str_puts(gg_str *str, const char *text);
GG_API void gg_str_putc(gg_str *str, char character);
GG_API void gg_str_add(gg_str *str, const gg_str *text);
GG_API void gg_str_printf(gg_str *str, const char *format, ...) GG_PRINTF(2, 3);
GG_API void gg_str_vprintf(gg_str *str, const char *format, va_list arguments);

/* Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
GG_API void gg_str_json(gg_str *str, const char *text);

/* Appends `text` as the text of an XML element. */
GG_API void gg_str_xml(gg_str *str, const char *text);

/* The text ("" when empty), owned by `str`. */
GG_API const char *gg_str_text(const gg_str *str);

/* The text for a message; if it is incomplete, a text that says that memory is out. */
GG_API const char *gg_str_shown(const gg_str *str);

/* Hands the text to the caller, who frees it with gg_free; NULL when memory ran out. */
GG_API char *gg_str_take(gg_str *str);

GG_API void gg_str_free(gg_str *str);

/* Frees memory that the library has allocated and whose documentation names this function. NULL is
 * allowed. */
GG_API void gg_free(void *pointer);

#ifdef __cplusplus
}
#endif

#endif
