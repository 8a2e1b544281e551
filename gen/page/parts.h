/* Private to gen/page/: the sections of a page that have a file of their own. */
#ifndef GG_PAGE_PARTS_H
#define GG_PAGE_PARTS_H

#include "page/page.h"

/* text.c: `length` bytes of text, with HTML's special characters escaped. */
void gg_page_put(gg_str *out, const char *text, size_t length);

/* text.c: JSON for a script element, with whatever could end the element escaped. */
void gg_page_put_json(gg_str *out, const char *json, size_t length);

/* head.c: one of the files that pages are made of; "" where this gemmgen was built without it. */
const char *gg_page_file(const char *name);

/* head.c: a page up to its heading, within <header>. `compiles`: its script may run WebAssembly
 * that the page holds. */
void gg_page_head(gg_str *out, const char *title, bool compiles);

/* way.c: the path of a tile through the machine. */
void gg_page_way(gg_str *out, const gg_page *page);

/* layouts.c: a canvas for each operand, and the facts of its elements as JSON. */
gg_status gg_page_layouts(gg_str *out, const gg_page *page, gg_error *err);

/* listing.c: the kernel's text and its PTX, line by line. */
gg_status gg_page_listing(gg_str *out, const gg_page *page, gg_error *err);

/* links.c: the id of the part of the page that explains the instruction with this opcode on this
 * line of the PTX. False where none does. */
enum { GG_PAGE_LINK = 32 };
bool gg_page_link(char out[GG_PAGE_LINK], const gg_page *page, const char *opcode, int line);

/* descriptors.c: tensor maps, the atom and descriptors, field by field. */
gg_status gg_page_descriptors(gg_str *out, const gg_page *page, gg_error *err);
/* The word for a tensor map: "a" for that of A, "extra" for one of the epilogue's. The id of its
 * table is "map-" and this word. */
const char *gg_page_map_word(const gg_tensor_map *map);

/* changes.c: how this kernel differs from another one. */
void gg_page_changes(gg_str *out, const gg_page *page);

/* roofline.c: the most that the device can do, and what the model expects. */
void gg_page_roofline(gg_str *out, const gg_page *page);

/* run.c: what the emulator counted, its timeline, and the path of one element. */
void gg_page_launch(gg_str *out, const gg_page *page);

/* memory.c: shared memory, rings and roles, bank conflicts, tensor memory. */
void gg_page_memory(gg_str *out, const gg_page *page);

#endif
