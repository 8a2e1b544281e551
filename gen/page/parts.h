/* Inside gen/page/ only: the sections of a page that have a file of their own. */
#ifndef GG_PAGE_PARTS_H
#define GG_PAGE_PARTS_H

#include "page/page.h"

/* text.c: `length` bytes of text, with what HTML would read as its own escaped. */
void gg_page_put(gg_str *out, const char *text, size_t length);

/* layouts.c: a canvas for each operand, and what is known of its elements, as JSON. */
gg_status gg_page_layouts(gg_str *out, const gg_page *page, gg_error *err);

/* listing.c: the kernel's text and its PTX, line by line. */
void gg_page_listing(gg_str *out, const gg_page *page);

/* memory.c: shared memory and its rings; tensor maps and descriptors, field by field. */
void gg_page_memory(gg_str *out, const gg_page *page);
void gg_page_descriptors(gg_str *out, const gg_page *page);

#endif
