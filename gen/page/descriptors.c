/* The atom, tensor maps and descriptors, field by field. */
#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "page/parts.h"
#include "plan/atoms.h"
#include "plan/operands.h"
#include "plan/operation.h"
#include "plan/target.h"
#include "plan/transpose.h"

/* ---- Tables of fields ------------------------------------------------------------------- */

/* A field of a word: bits `begin` to `end`, and what its value means. */
typedef struct field {
  int begin, end;
  const char *name, *meaning;
} field;

/* The format of a word, and how its table is written. */
typedef struct word_format {
  const field *fields;
  size_t count;
} word_format;

#define FORMAT_OF(fields)                                                                          \
  { fields, sizeof(fields) / sizeof *(fields) }

static void put_fields(gg_str *out, const word_format *format, uint64_t word) {
  for (size_t i = 0; i < format->count; i++) {
    const field *f = &format->fields[i];
    uint64_t value = word >> f->begin & ((UINT64_C(1) << (f->end - f->begin + 1)) - 1);
    if (f->begin == f->end)
      gg_str_printf(out, "<tr><td>%d</td>", f->begin);
    else
      gg_str_printf(out, "<tr><td>%d-%d</td>", f->begin, f->end);
    gg_str_printf(out, "<th scope=\"row\">%s</th><td class=\"number\">%llu</td><td>%s</td></tr>\n",
                  f->name, (unsigned long long)value, f->meaning);
  }
  gg_str_puts(out, "</tbody></table>\n");
}

static void put_word(gg_str *out, const char *id, const char *caption, int digits, uint64_t word,
                     const word_format *format) {
  gg_str_printf(out,
                "<table class=\"facts descriptor\" id=\"%s\"><caption>%s: 0x%0*llx</caption>"
                "<thead><tr><th scope=\"col\">bits</th><th scope=\"col\">field</th>"
                "<th scope=\"col\">value</th><th scope=\"col\">which is</th></tr></thead><tbody>\n",
                id, caption, digits, (unsigned long long)word);
  put_fields(out, format, word);
}

static void put_row(gg_str *out, const char *name, const char *text) {
  gg_str_printf(out, "<tr><th scope=\"row\">%s</th><td>", name);
  gg_str_xml(out, text);
  gg_str_puts(out, "</td></tr>\n");
}

/* ---- The atom --------------------------------------------------------------------------- */

static void put_layout_row(gg_str *out, const char *name, const gg_mma_atom *atom,
                           gg_mma_operand operand) {
  gg_str text = GG_STR_INIT;
  gg_layout layout = gg_mma_atom_layout(atom, operand);
  gg_layout_print(&text, &layout, GG_NOTATION_PLAIN);
  put_row(out, name, gg_str_shown(&text));
  out->failed = out->failed || text.failed;
  gg_str_free(&text);
}

static void put_atom(gg_str *out, const gg_page *page) {
  const gg_mma_atom *atom = &page->plan->mma;
  char shape[64], types[64];
  const gg_mma_atom one = gg_issued_atom(page->plan);
  gg_str ptx = GG_STR_INIT, cute = GG_STR_INIT, issued = GG_STR_INIT;
  gg_mma_atom_ptx(&ptx, atom);
  gg_mma_atom_cute(&cute, atom);
  gg_mma_atom_ptx(&issued, &one);
  snprintf(shape, sizeof shape, "%d x %d x %d", atom->m, atom->n, atom->k);
  snprintf(types, sizeof types, "%s, %s, %s", gg_dtype_info_of(atom->a)->name,
           gg_dtype_info_of(atom->b)->name, gg_dtype_info_of(atom->c)->name);
  gg_str_puts(out, "<table class=\"facts\" id=\"atom\"><caption>The MMA</caption><tbody>\n");
  put_row(out, "instruction", ptx.length ? gg_str_text(&ptx) : "no instruction of its own");
  put_row(out, "in CuTe", gg_str_shown(&cute));
  if (page->plan->widens) put_row(out, "issued, two for each", gg_str_shown(&issued));
  put_row(out, "M x N x K", shape);
  put_row(out, "A, B, sums", types);
  put_layout_row(out, "A: (thread, value)", atom, GG_MMA_A);
  put_layout_row(out, "B: (thread, value)", atom, GG_MMA_B);
  put_layout_row(out, "sums: (thread, value)", atom, GG_MMA_C);
  gg_str_puts(out, "</tbody></table>\n");
  out->failed = out->failed || ptx.failed || cute.failed || issued.failed;
  gg_str_free(&ptx);
  gg_str_free(&cute);
  gg_str_free(&issued);
}

/* ---- Tensor maps ------------------------------------------------------------------------ */

static const char *mode_name(gg_map_mode mode) {
  static const char *const names[] = {[GG_MAP_LINE] = "along a line",
                                      [GG_MAP_LINES] = "lines",
                                      [GG_MAP_BATCH] = "batch",
                                      [GG_MAP_SCALE_ATOM] = "an atom of factors",
                                      [GG_MAP_SCALE_ROWS] = "atoms along the rows",
                                      [GG_MAP_SCALE_K] = "atoms along K",
                                      [GG_MAP_METADATA_TILE] = "a tile of metadata",
                                      [GG_MAP_METADATA_ROWS] = "tiles along the rows",
                                      [GG_MAP_METADATA_K] = "tiles along K",
                                      [GG_MAP_METADATA_BLOCK] = "a block of metadata",
                                      [GG_MAP_METADATA_GAP] = "gaps",
                                      [GG_MAP_METADATA_BLOCKS] = "blocks",
                                      [GG_MAP_HALF] = "halves",
                                      [GG_MAP_HALF_LINES] = "lines of a half"};
  return (size_t)mode < sizeof names / sizeof *names && names[mode] ? names[mode] : "";
}

const char *gg_page_map_word(const gg_tensor_map *map) {
  return map->operand == GG_OPERAND_EXTRA ? "extra" : gg_operand_word(map->operand);
}

static void put_map_name(gg_str *out, const gg_plan *plan, const gg_tensor_map *map) {
  char name[GG_OPERATION_NAME_MAX];
  switch (map->operand) {
  case GG_OPERAND_A:
    gg_str_puts(out, gg_as_asked(plan, "A", "B"));
    return;
  case GG_OPERAND_B:
    gg_str_puts(out, gg_as_asked(plan, "B", "A"));
    return;
  case GG_OPERAND_EXTRA:
    gg_operation_name(name, plan->operations, (size_t)map->operation);
    gg_str_xml(out, name);
    return;
  case GG_OPERAND_C:
  case GG_OPERAND_D:
    gg_str_puts(out, map->operand == GG_OPERAND_C ? "C" : "D");
    return;
  default:
    gg_str_puts(out, gg_operand_word(map->operand));
  }
}

/* Puts the type that the driver is told: a type of the same number of bits, except where elements
 * are rounded or unpacked on the way. */
static void put_map_type(gg_str *out, const gg_tensor_map *map) {
  gg_str_printf(out, "<tr><th scope=\"row\">element</th><td>%s%s</td></tr>\n",
                gg_dtype_info_of(map->type)->name,
                map->type == GG_DTYPE_tf32 ? ", of f32 rounded on its way"
                : map->unpacks             ? ", a byte each in shared memory"
                                           : ", copied as its bits");
}

/* Puts how the map swizzles: it moves 16-byte chunks within 128-byte lines, depending on the line's
 * number. */
static void put_map_swizzle(gg_str *out, const gg_tensor_map *map) {
  gg_str_puts(out, "<tr><th scope=\"row\">swizzle</th><td>");
  if (map->swizzle_wide)
    gg_str_puts(out, "128 bytes in units of 32: bits 5 and 6 of the address, by bits 7 and 8");
  else if (map->swizzle_bytes)
    gg_str_printf(out, "%d bytes: bits 4 and up of the address, by bits 7 and up, %d of them",
                  map->swizzle_bytes,
                  map->swizzle_bytes == 128  ? 3
                  : map->swizzle_bytes == 64 ? 2
                                             : 1);
  else
    gg_str_puts(out, "none");
  gg_str_puts(out, "</td></tr>\n");
}

static int64_t box_elements(const gg_tensor_map *map) {
  int64_t elements = 1;
  for (int i = 0; i < map->rank; i++)
    elements *= map->box[i];
  return elements;
}

/* Puts a tensor map. `first`: it is the first of its operand, and gets the operand's id. */
static void put_map(gg_str *out, const gg_plan *plan, const gg_tensor_map *map, bool first) {
  gg_str_puts(out, "<table class=\"facts\"");
  if (first) gg_str_printf(out, " id=\"map-%s\"", gg_page_map_word(map));
  gg_str_puts(out, "><caption>Tensor map of ");
  put_map_name(out, plan, map);
  gg_str_puts(out, "</caption><tbody>\n");
  put_map_type(out, map);
  gg_str_printf(out, "<tr><th scope=\"row\">dimensions</th><td>%d</td></tr>\n", map->rank);
  for (int i = 0; i < map->rank; i++) {
    int step = i == 1 && map->rows_step ? map->rows_step : 1;
    gg_str_printf(out,
                  "<tr><th scope=\"row\">dimension %d</th><td>%s: a box has %d, %s; "
                  "stride %s</td></tr>\n",
                  i, mode_name(map->modes[i]), map->box[i],
                  step > 1 ? "with others between them" : "one behind the other",
                  i ? "of the matrix, told at launch" : "1 element");
  }
  put_map_swizzle(out, map);
  gg_str_printf(
      out,
      "<tr><th scope=\"row\">a box</th><td>%lld elements, %lld bytes</td></tr>\n"
      "<tr><th scope=\"row\">outside of the matrix</th><td>zeros are read, nothing is "
      "written</td></tr>\n<tr><th scope=\"row\">L2 promotion</th><td>128 bytes</td></tr>\n"
      "<tr><th scope=\"row\">interleave</th><td>none</td></tr>\n",
      (long long)box_elements(map), (long long)gg_dtype_bytes(map->type, box_elements(map)));
  if (map->end)
    put_row(out, "at the end", "the last lines come by a second map, whose boxes are as many");
  gg_str_puts(out, "</tbody></table>\n");
}

static void put_maps(gg_str *out, const gg_page *page) {
  const gg_layouts *l = page->layouts;
  if (!l->map_count) {
    gg_str_puts(out, "<p>No operand is copied by a tensor map.</p>\n");
    return;
  }
  gg_str_puts(out, "<p>A tensor map is made at launch: where the matrix lies, its extents and "
                   "strides; the rest is the kernel's.</p>\n");
  for (size_t i = 0; i < l->map_count; i++) {
    bool first = true;
    for (size_t k = 0; k < i; k++)
      first = first && strcmp(gg_page_map_word(&l->maps[k]), gg_page_map_word(&l->maps[i])) != 0;
    put_map(out, page->plan, &l->maps[i], first);
  }
}

/* ---- Descriptors ------------------------------------------------------------------------ */

/* Sources: PTX ISA, "Matrix Descriptor Format" of wgmma, and "Shared memory descriptor" of tcgen05.
 */
static const field wgmma_fields[] = {
    {0, 13, "start address", "times 16 bytes"},
    {16, 29, "leading dimension offset", "times 16 bytes"},
    {32, 45, "stride dimension offset", "times 16 bytes"},
    {49, 51, "base offset", "0: the first line is the swizzle's first"},
    {62, 63, "layout type", "0 no swizzle, 1 of 128 bytes, 2 of 64, 3 of 32"}};
static const field tcgen05_fields[] = {
    {0, 13, "start address", "times 16 bytes"},
    {16, 29, "leading dimension offset", "times 16 bytes"},
    {32, 45, "stride dimension offset", "times 16 bytes"},
    {46, 48, "constant", "1: the version of Blackwell"},
    {49, 51, "base offset", "0: the first line is the swizzle's first"},
    {52, 52, "leading dimension mode", "0 an offset, 1 an address"},
    {61, 63, "layout type",
     "0 no swizzle, 1 of 128 bytes in units of 32, 2 of 128 bytes, 4 of 64, 6 of 32"}};

static void put_descriptor(gg_str *out, const char *id, const char *caption, uint64_t bits,
                           bool tcgen05) {
  static const word_format wgmma = FORMAT_OF(wgmma_fields), of_tcgen05 = FORMAT_OF(tcgen05_fields);
  if (bits) put_word(out, id, caption, 16, bits, tcgen05 ? &of_tcgen05 : &wgmma);
}

/* Source: PTX ISA, "Instruction descriptor" of tcgen05. With scale factors, some bits mean other
 * things. */
static const field plain_instruction[] = {{0, 1, "sparsity selector", ""},
                                          {2, 2, "sparse", "1: A is"},
                                          {3, 3, "saturate", "of integers"},
                                          {4, 5, "type of D", "0 f16, 1 f32, 2 s32"},
                                          {7, 9, "type of A", "by the kind"},
                                          {10, 12, "type of B", "by the kind"},
                                          {13, 13, "negate A", ""},
                                          {14, 14, "negate B", ""},
                                          {15, 15, "transpose A", "1: M-major"},
                                          {16, 16, "transpose B", "1: N-major"},
                                          {17, 22, "N", "times 8"},
                                          {24, 28, "M", "times 16"},
                                          {30, 31, "greatest shift", "of .ws"}};
static const field scaled_instruction[] = {
    {2, 2, "sparse", "1: A is"},
    {4, 5, "scale factors of B", "the byte of a word with the first; moves with the K step"},
    {7, 9, "type of A", "by the kind"},
    {10, 12, "type of B", "by the kind"},
    {13, 13, "negate A", ""},
    {14, 14, "negate B", ""},
    {15, 15, "transpose A", "1: M-major"},
    {16, 16, "transpose B", "1: N-major"},
    {17, 22, "N", "times 8"},
    {23, 23, "type of scale factors", "0 ue4m3, 1 ue8m0"},
    {24, 28, "M", "times 16"},
    {29, 30, "scale factors of A", "the byte of a word with the first; moves with the K step"},
    {31, 31, "K", "1: of 96"}};

static gg_status put_instruction(gg_str *out, const gg_mma_atom *atom, gg_error *err) {
  static const word_format plain = FORMAT_OF(plain_instruction),
                           scaled = FORMAT_OF(scaled_instruction);
  const gg_instr_desc what = gg_mma_atom_instr_desc(atom);
  uint32_t bits;
  gg_status st = gg_instr_desc_make(&bits, &what, err);
  if (st) return st;
  put_word(out, "desc-instruction", "Instruction descriptor of the first MMA", 8, bits,
           what.scaled ? &scaled : &plain);
  return GG_OK;
}

static void put_operand_descriptor(gg_str *out, char operand, const char *name,
                                   const gg_boxed_tile *tile, bool tcgen05) {
  char id[16], caption[96];
  snprintf(id, sizeof id, "desc-%c", operand);
  snprintf(caption, sizeof caption, "Matrix descriptor of %s's first MMA, at address 0", name);
  put_descriptor(out, id, caption, tile->descriptor, tcgen05);
}

gg_status gg_page_descriptors(gg_str *out, const gg_page *page, gg_error *err) {
  const gg_plan *plan = page->plan;
  const gg_layouts *l = page->layouts;
  bool tcgen05 = l->accumulator.home == GG_HOME_TENSOR;
  gg_status st = GG_OK;
  put_atom(out, page);
  put_maps(out, page);
  put_operand_descriptor(out, 'a', gg_as_asked(plan, "A", "B"), &l->boxes_a, tcgen05);
  put_operand_descriptor(out, 'b', gg_as_asked(plan, "B", "A"), &l->boxes_b, tcgen05);
  put_descriptor(out, "desc-scales", "Descriptor of an atom of scale factors, for tcgen05.cp",
                 l->scale_descriptor, tcgen05);
  put_descriptor(out, "desc-metadata", "Descriptor of a tile of metadata, for tcgen05.cp",
                 l->metadata_descriptor, tcgen05);
  if (tcgen05) st = put_instruction(out, &plan->mma, err);
  return st;
}
