/* A form as a kernel: each thread loads its operands, runs the instruction, stores the results.
 *
 * Registers are untyped, as wide as the operand's type says (PTX ISA, "Operand Size Exceeding
 * Instruction-Type Size" lets bits stand for every type of their width). A predicate travels as a
 * word. Memory in shared space, and the matrices of wgmma, are copied there first; memory is copied
 * back after. Thread t's place in shared memory is that of t ^ 5, so that addresses of a warp do
 * not simply ascend. */
#include <stdio.h>
#include <string.h>

#include "forms.h"

static const char *const prologue =
    ".version 9.0\n.target sm_90a\n.address_size 64\n\n"
    ".visible .entry form(.param .u64 p_in, .param .u64 p_out, .param .u64 p_memory)\n"
    ".maxntid 128, 1, 1\n{\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %w<2>, %t<4>, %lane, %thread, %threads;\n"
    "  .reg .b64 %l<1>, %a<6>, %in, %out, %memory, %pitch;\n";

static const char *const addresses =
    "  mov.u32 %thread, %tid.x;\n  and.b32 %lane, %thread, 31;\n"
    "  mov.u32 %t0, %ctaid.x;\n  mov.u32 %t1, %nctaid.x;\n"
    "  mad.lo.u32 %t2, %t0, 128, %thread;\n  shl.b32 %threads, %t1, 7;\n"
    "  ld.param.u64 %in, [p_in];\n  ld.param.u64 %out, [p_out];\n"
    "  ld.param.u64 %memory, [p_memory];\n"
    "  mul.wide.u32 %a0, %t2, 4;\n  add.s64 %in, %in, %a0;\n  add.s64 %out, %out, %a0;\n"
    "  mul.wide.u32 %pitch, %threads, 4;\n";

/* ---- Registers ------------------------------------------------------------------------ */

/* Registers of operand i are %r<i>_<element>; a predicate's word is %u<i>. */
static bool is_predicate(const form_operand *o) {
  return o->type->kind == 'p' || o->type->kind == 'q';
}

static int register_bits(const form_operand *o) {
  int bits = o->type->bits * o->type->packed;
  return bits < 16 ? 16 : bits;
}

static bool is_register(const form_operand *o) {
  return o->role == FORM_IN || o->role == FORM_OUT || o->role == FORM_INOUT;
}

static void declare(gg_str *out, const form *f) {
  for (int i = 0; i < f->operand_count; i++) {
    const form_operand *o = &f->operands[i];
    if (o->role == FORM_MATRIX) gg_str_printf(out, "  .reg .b64 %%m%d;\n", i);
    if (!is_register(o)) continue;
    if (is_predicate(o)) {
      gg_str_printf(out, "  .reg .pred %%r%d_0;\n  .reg .b32 %%u%d;\n", i, i);
    } else {
      gg_str_printf(out, "  .reg .b%d %%r%d_<%d>;\n", register_bits(o), i, o->count);
      gg_str_printf(out, "  .reg .b32 %%u%d;\n  .reg .b64 %%v%d_<2>;\n", i, i);
    }
  }
}

/* Moves one register from or to the thread's words, whose addresses ascend by the pitch. */
static void move_words(gg_str *out, const char *base, bool store, const char *type,
                       const char *name) {
  if (store)
    gg_str_printf(out, "  st.global.%s [%s], %s;\n", type, base, name);
  else
    gg_str_printf(out, "  ld.global.%s %s, [%s];\n", type, name, base);
  gg_str_printf(out, "  add.s64 %s, %s, %%pitch;\n", base, base);
}

/* A 64-bit register's two words, through %t0 and %t1. */
static void move_pair(gg_str *out, const char *base, bool store, const char *name) {
  if (store) gg_str_printf(out, "  mov.b64 {%%t0, %%t1}, %s;\n", name);
  move_words(out, base, store, "b32", "%t0");
  move_words(out, base, store, "b32", "%t1");
  if (!store) gg_str_printf(out, "  mov.b64 %s, {%%t0, %%t1};\n", name);
}

static void move_element(gg_str *out, const char *base, bool store, int operand, int element,
                         int bits) {
  char name[32], low[32], high[32];
  snprintf(name, sizeof name, "%%r%d_%d", operand, element);
  snprintf(low, sizeof low, "%%v%d_0", operand);
  snprintf(high, sizeof high, "%%v%d_1", operand);
  if (bits == 16 && store) { /* 16 bits alone: ptxas leaves what is above them as it was */
    move_words(out, base, store, "b16", name);
  } else if (bits == 16) {
    move_words(out, base, store, "b32", "%t0");
    gg_str_printf(out, "  cvt.u16.u32 %s, %%t0;\n", name);
  } else if (bits == 32) {
    move_words(out, base, store, "b32", name);
  } else if (bits == 64) {
    move_pair(out, base, store, name);
  } else {
    if (store) gg_str_printf(out, "  mov.b128 {%s, %s}, %s;\n", low, high, name);
    move_pair(out, base, store, low);
    move_pair(out, base, store, high);
    if (!store) gg_str_printf(out, "  mov.b128 %s, {%s, %s};\n", name, low, high);
  }
}

static void move_operand(gg_str *out, const form_operand *o, int i, bool store) {
  const char *base = store ? "%out" : "%in";
  if (!is_predicate(o)) {
    for (int e = 0; e < o->count; e++)
      move_element(out, base, store, i, e, register_bits(o));
    return;
  }
  char word[16];
  snprintf(word, sizeof word, "%%u%d", i);
  if (store) gg_str_printf(out, "  selp.b32 %s, 1, 0, %%r%d_0;\n", word, i);
  move_words(out, base, store, "b32", word);
  if (!store) gg_str_printf(out, "  setp.ne.b32 %%r%d_0, %s, 0;\n", i, word);
}

static void move_operands(gg_str *out, const form *f, bool store) {
  for (int i = 0; i < f->operand_count; i++) {
    const form_operand *o = &f->operands[i];
    bool moves = store ? o->role == FORM_OUT : o->role == FORM_IN;
    if (moves || o->role == FORM_INOUT) move_operand(out, o, i, store);
  }
}

/* ---- Memory --------------------------------------------------------------------------- */

/* Between the thread's global memory at %a1 and its shared memory at %a2. */
static void copy_memory(gg_str *out, const form *f, bool back) {
  for (int i = 0; i < f->memory_bytes; i += 4) {
    if (back) gg_str_printf(out, "  ld.shared.b32 %%t0, [%%a2+%d];\n", i);
    gg_str_printf(
        out, back ? "  st.global.b32 [%%a1+%d], %%t0;\n" : "  ld.global.b32 %%t0, [%%a1+%d];\n", i);
    if (!back) gg_str_printf(out, "  st.shared.b32 [%%a2+%d], %%t0;\n", i);
  }
  gg_str_puts(out, "  bar.sync 0;\n");
}

static void place_memory(gg_str *out, const form *f) {
  gg_str_printf(out, "  mul.wide.u32 %%a1, %%t2, %d;\n  add.s64 %%a1, %%memory, %%a1;\n",
                f->memory_bytes);
  if (!f->shared) return;
  gg_str_printf(out,
                "  xor.b32 %%t0, %%thread, 5;\n  mul.wide.u32 %%a2, %%t0, %d;\n"
                "  mov.u64 %%a3, place;\n  add.s64 %%a2, %%a2, %%a3;\n",
                f->memory_bytes);
  copy_memory(out, f, false);
}

/* Fills the CTA's matrices, 16 bytes a thread at a time, and makes them visible to wgmma. */
static void place_matrices(gg_str *out) {
  gg_str_printf(out,
                "  .reg .b32 %%q<4>;\n  mov.u32 %%t0, %%ctaid.x;\n"
                "  mul.wide.u32 %%a1, %%t0, %d;\n  add.s64 %%a1, %%memory, %%a1;\n"
                "  mul.wide.u32 %%a2, %%thread, 16;\n  add.s64 %%a1, %%a1, %%a2;\n"
                "  mov.u64 %%a3, place;\n  add.s64 %%a2, %%a2, %%a3;\n"
                "  mov.u32 %%t0, 0;\nfill:\n"
                "  ld.global.v4.b32 {%%q0, %%q1, %%q2, %%q3}, [%%a1];\n"
                "  st.shared.v4.b32 [%%a2], {%%q0, %%q1, %%q2, %%q3};\n"
                "  add.s64 %%a1, %%a1, 2048;\n  add.s64 %%a2, %%a2, 2048;\n"
                "  add.u32 %%t0, %%t0, 2048;\n  setp.lt.u32 %%p0, %%t0, %d;\n"
                "  @%%p0 bra fill;\n  fence.proxy.async;\n  bar.sync 0;\n",
                FORM_MATRICES, FORM_MATRICES);
}

/* A shared-memory matrix descriptor (PTX ISA, "Matrix Descriptor Format" of wgmma). */
static void place_descriptor(gg_str *out, const form_operand *o, int i) {
  uint64_t swizzle = o->swizzle == 128 ? 1 : o->swizzle == 64 ? 2 : o->swizzle == 32 ? 3 : 0;
  uint64_t fields =
      swizzle << 62 | (uint64_t)(o->stride / 16) << 32 | (uint64_t)(o->leading / 16) << 16;
  gg_str_printf(out,
                "  mov.u64 %%a3, place;\n  add.s64 %%a3, %%a3, %d;\n"
                "  shr.u64 %%a3, %%a3, 4;\n  and.b64 %%a3, %%a3, 0x3fff;\n"
                "  or.b64 %%m%d, %%a3, 0x%llx;\n",
                o->matrix == 'A' ? 0 : FORM_MATRIX_A, i, (unsigned long long)fields);
}

/* ---- The instruction ------------------------------------------------------------------ */

static void write_operand(gg_str *out, const form *f, int i) {
  const form_operand *o = &f->operands[i];
  if (o->role == FORM_MEMORY) {
    gg_str_puts(out, f->shared ? "%a2" : "%a1");
  } else if (o->role == FORM_MATRIX) {
    gg_str_printf(out, "%%m%d", i);
  } else if (!o->vector) {
    gg_str_printf(out, "%%r%d_0", i);
  } else {
    for (int e = 0; e < o->count; e++) {
      gg_str_printf(out, "%s%%r%d_%d", e ? ", " : "{", i, e);
    }
    gg_str_putc(out, '}');
  }
}

static void write_instruction(gg_str *out, const form *f) {
  bool wgmma = strcmp(f->group, "WGMMA") == 0;
  if (wgmma) gg_str_puts(out, "  wgmma.fence.sync.aligned;\n");
  gg_str_puts(out, "  ");
  const char *at = f->text;
  for (int i = 0; i < f->operand_count; i++) {
    const char *token = f->text + f->operands[i].at;
    gg_str_append(out, at, (size_t)(token - at));
    write_operand(out, f, i);
    at = token + f->operands[i].length;
  }
  gg_str_printf(out, "%s;\n", at);
  if (wgmma) {
    gg_str_puts(out, "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n");
  }
}

void form_ptx(gg_str *out, const form *f) {
  gg_str_puts(out, prologue);
  if (f->matrices)
    gg_str_printf(out, "  .shared .align 1024 .b8 place[%d];\n", FORM_MATRICES);
  else if (f->shared) {
    gg_str_printf(out, "  .shared .align 16 .b8 place[%d];\n", FORM_BLOCK * f->memory_bytes);
  }
  declare(out, f);
  gg_str_puts(out, addresses);
  if (f->memory_bytes) place_memory(out, f);
  if (f->matrices) place_matrices(out);
  for (int i = 0; i < f->operand_count; i++) {
    if (f->operands[i].role == FORM_MATRIX) place_descriptor(out, &f->operands[i], i);
  }
  move_operands(out, f, false);
  write_instruction(out, f);
  if (f->memory_bytes && f->shared) {
    gg_str_puts(out, "  bar.sync 0;\n");
    copy_memory(out, f, true);
  }
  move_operands(out, f, true);
  gg_str_puts(out, "  ret;\n}\n");
}
