/* Inside gen/page/ only: the sections of a page that have a file of their own. */
#ifndef GG_PAGE_PARTS_H
#define GG_PAGE_PARTS_H

#include "page/page.h"

/* text.c: `length` bytes of text, with what HTML would read as its own escaped. */
void gg_page_put(gg_str *out, const char *text, size_t length);

/* text.c: JSON that a script element holds: what could end that is escaped. */
void gg_page_put_json(gg_str *out, const char *json, size_t length);

/* head.c: one of the files that pages are made of; "" where this gemmgen was built without it. */
const char *gg_page_file(const char *name);

/* head.c: a page up to its heading, within <header>. `compiles`: its script may run WebAssembly
 * that the page holds. */
void gg_page_head(gg_str *out, const char *title, bool compiles);

/* way.c: the way of a tile through the machine. */
void gg_page_way(gg_str *out, const gg_page *page);

/* layouts.c: a canvas for each operand, and what is known of its elements, as JSON. */
gg_status gg_page_layouts(gg_str *out, const gg_page *page, gg_error *err);

/* listing.c: the kernel's text and its PTX, line by line. */
gg_status gg_page_listing(gg_str *out, const gg_page *page, gg_error *err);

/* links.c: the id of what explains the instruction that begins at `opcode`, in this line of the
 * PTX; false where nothing does. */
enum { GG_PAGE_LINK = 32 };
bool gg_page_link(char out[GG_PAGE_LINK], const gg_page *page, const char *opcode, int line);

/* descriptors.c: tensor maps, the atom, descriptors, field by field. */
gg_status gg_page_descriptors(gg_str *out, const gg_page *page, gg_error *err);
/* "a" of the map of A; "extra" of one of the epilogue's. Its table has the id map-a. */
const char *gg_page_map_word(const gg_tensor_map *map);

/* changes.c: what differs from another kernel. */
void gg_page_changes(gg_str *out, const gg_page *page);

/* roofline.c: what the device could do at most, and what the model expects. */
void gg_page_roofline(gg_str *out, const gg_page *page);

/* run.c: what the emulator counted, its timeline, the way of one element. */
void gg_page_launch(gg_str *out, const gg_page *page);

/* memory.c: shared memory, rings and roles, bank conflicts, tensor memory. */
void gg_page_memory(gg_str *out, const gg_page *page);

#endif
