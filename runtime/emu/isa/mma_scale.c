/* Scale factors of mma.sync with .block_scale: which registers' bytes they are (PTX ISA, "Block
 * Scaling for mma.sync").
 *
 * Each of the 16 rows of A has one, two or four factors, bytes of one word, from the byte selector
 * on. Of the lanes 4 g to 4 g + 3 the first two, or by the thread selector the last two, have those
 * of the rows g and g + 8. Each of the 8 columns of B has as many, in the lane of its four that the
 * thread selector names. */
#include <string.h>

#include "emu/isa/mma.h"

enum { quad = 4, bytes_of_word = 4 };

/* Operands of each matrix: its word, the byte selector, the thread selector. */
enum { WORD, BYTE, THREAD, EACH };

/* ---- Decoding --------------------------------------------------------------------------- */

/* The factors of a row: as is said, or as the kind has them; 0: none that there is. mxf4nvf4 of
 * ue8m0 with four is the ISA's; ptxas 13.0 refuses it. */
static int take_count(emu_decoder *d, const char *kind) {
  static const char *const words[] = {"scale_vec::1X", "scale_vec::2X", "scale_vec::4X", NULL};
  int word = emu_take_word(d, words), said = word < 0 ? 0 : 1 << word;
  if (!strcmp(kind, "kind::mxf8f6f4")) return said <= 1 ? 1 : 0;
  if (!strcmp(kind, "kind::mxf4")) return said == 0 || said == 2 ? 2 : 0;
  return said == 2 || said == 4 ? said : 0;
}

gg_status emu_take_mma_kind(emu_mma_facts *f, emu_decoder *d, gg_error *err) {
  const char *kind = emu_take_prefix(d, "kind::");
  if (!kind) return GG_OK;
  bool scaled = emu_take(d, "block_scale");
  if (emu_decoder_arch(d) < 120) return emu_unknown_form(d, err, "it needs sm_120");
  if (!strcmp(kind, "kind::f8f6f4") && !scaled) {
    f->kind = EMU_MMA_F8F6F4;
    return GG_OK;
  }
  bool eight = !strcmp(kind, "kind::mxf8f6f4");
  bool four = !strcmp(kind, "kind::mxf4") || !strcmp(kind, "kind::mxf4nvf4");
  if (!scaled || (!eight && !four)) {
    return emu_unknown_form(d, err,
                            "it is kind::f8f6f4, or kind::mxf8f6f4, mxf4 or mxf4nvf4 with "
                            ".block_scale");
  }
  f->kind = eight ? EMU_MMA_MXF8F6F4 : EMU_MMA_MXF4;
  f->scale.nvidia = !strcmp(kind, "kind::mxf4nvf4");
  f->scale.count = take_count(d, kind);
  if (!f->scale.count) return emu_unknown_form(d, err, "%s has not so many factors", kind);
  return GG_OK;
}

bool emu_mma_scale_fits(const emu_mma_facts *f) {
  if (!f->scale.count) return f->scale.type == EMU_NONE;
  return f->scale.type == EMU_UE8M0 ||
         (f->scale.type == EMU_UE4M3 && f->scale.nvidia && f->scale.count == 4);
}

/* Why a selector is wrong; NULL: it is right. */
static const char *wrong_selector(const emu_mma_facts *f, int which, bool of_a, uint64_t value) {
  if (which == THREAD) {
    return value < (of_a ? 2 : quad) ? NULL : of_a ? "0 or 1" : "0 to 3";
  }
  bool fits = value < bytes_of_word && value % (unsigned)f->scale.count == 0;
  return fits ? NULL : f->scale.count == 1 ? "0 to 3" : f->scale.count == 2 ? "0 or 2" : "0";
}

/* {byte, thread}. */
static gg_status take_selectors(const emu_mma_facts *f, emu_decoder *d, int index, emu_operand *out,
                                bool of_a, gg_error *err) {
  const ptx_operand *whole = emu_operand_at(d, index);
  gg_status st = GG_OK;
  if (!whole || whole->kind != PTX_VECTOR || whole->element_count != 2) {
    return emu_unknown_form(d, err, "operand %d is {byte, thread}", index + 1);
  }
  for (int i = 0; !st && i < 2; i++) {
    const ptx_operand *part = &whole->elements[i];
    const char *right =
        part->kind == PTX_INTEGER ? wrong_selector(f, BYTE + i, of_a, (uint64_t)part->value) : NULL;
    if (right) {
      return emu_unknown_form(d, err, "the %s selector of %c's scale factors is %lld: it is %s",
                              i ? "thread" : "byte", of_a ? 'A' : 'B', (long long)part->value,
                              right);
    }
    st = emu_operand_part(&out[BYTE + i], d, index, part, EMU_U16, err);
  }
  return st;
}

gg_status emu_take_mma_scales(emu_op *op, emu_mma_facts *f, emu_decoder *d, int index,
                              gg_error *err) {
  gg_status st = GG_OK;
  f->scale.at = op->operand_count;
  for (int i = 0; !st && i < 2; i++) {
    int count;
    emu_operand *out = op->operands + op->operand_count;
    op->operand_count = (uint16_t)(op->operand_count + EACH);
    st = emu_operand_vector(out, &count, 1, d, index + 2 * i, EMU_B32, false, err);
    if (!st) st = take_selectors(f, d, index + 2 * i + 1, out, i == 0, err);
  }
  return st;
}

/* ---- Execution -------------------------------------------------------------------------- */

/* What all lanes have of a selector; -1 after a fault. */
static int selector(emu_warp *warp, const emu_op *op, const emu_mma_facts *f, int which,
                    bool of_a) {
  const emu_operand *operand = &op->operands[f->scale.at + (of_a ? 0 : EACH) + which];
  const uint16_t *values = EMU_AT(const uint16_t, warp, operand);
  const char *right = wrong_selector(f, which, of_a, values[0]);
  for (int lane = 1; lane < EMU_LANES; lane++) {
    if (values[lane] != values[0]) right = "the same in all lanes";
  }
  if (!right) return values[0];
  emu_fault(warp, op, 0, GG_E_EMU_ILLEGAL, "the %s selector of %c's scale factors is %u: it is %s",
            which == THREAD ? "thread" : "byte", of_a ? 'A' : 'B', values[0], right);
  return -1;
}

bool emu_mma_load_scales(emu_mma_scales *out, emu_warp *warp, const emu_op *op,
                         const emu_mma_facts *f) {
  int count = f->scale.count;
  for (int b = 0; b < 2; b++) {
    uint32_t codes[EMU_MMA_ROWS * bytes_of_word];
    int lines = b ? EMU_MMA_N : EMU_MMA_ROWS;
    int byte = selector(warp, op, f, BYTE, !b), thread = selector(warp, op, f, THREAD, !b);
    if (byte < 0 || thread < 0) return false;
    const uint32_t *words = EMU_AT(const uint32_t, warp, &op->operands[f->scale.at + b * EACH]);
    for (int line = 0; line < lines; line++) {
      int lane = b ? line * quad + thread : line % 8 * quad + thread * 2 + line / 8;
      for (int i = 0; i < count; i++) {
        int at = b ? i * lines + line : line * count + i;
        codes[at] = words[lane] >> 8 * (byte + i) & 0xff;
      }
    }
    emu_operand_decode_scale(b ? out->b : out->a, b ? out->b_exponent : out->a_exponent,
                             f->scale.type, codes, (size_t)(lines * count));
  }
  out->scales = (emu_scales){f->k / count, out->a, out->a_exponent, out->b, out->b_exponent};
  return true;
}
