/* The wrapper of an MMA atom: the inline-PTX function that an emitted kernel calls.
 *
 * Everything follows from the row: how many registers of which type hold A, B and C comes from the
 * layouts and types, the operand order from the kind. asm operands count the accumulators first,
 * then A, B and what else there is; the accumulators are read and written in place ("+").
 * Source: PTX ISA, mma, wgmma.mma_async and wgmma.mma_async.sp, tcgen05.mma. */
#include <string.h>

#include "atom/dtype.h"
#include "atom/mma_atom.h"

static gg_mma_source source_of(const gg_mma_row *row, gg_mma_operand operand) {
  if (operand == GG_MMA_A) return row->source_a;
  if (operand == GG_MMA_B) return row->source_b;
  return row->kind == GG_MMA_tcgen05 ? GG_MMA_TENSOR : GG_MMA_REGISTERS;
}

static gg_dtype dtype_of(const gg_mma_atom *atom, gg_mma_operand operand) {
  return operand == GG_MMA_A ? atom->a : operand == GG_MMA_B ? atom->b : atom->c;
}

static const char *register_type(gg_dtype dtype) {
  switch (dtype) {
  case GG_DTYPE_f64:
    return "double";
  case GG_DTYPE_f32:
    return "float";
  case GG_DTYPE_s32:
    return "int";
  default:
    return "unsigned";
  }
}

int gg_mma_atom_registers(const gg_mma_atom *atom, gg_mma_operand operand, const char **type) {
  gg_dtype dtype = dtype_of(atom, operand);
  if (type) *type = register_type(dtype);
  if (source_of(atom->row, operand) != GG_MMA_REGISTERS) return 0;
  int values = gg_mma_atom_values(atom, operand), bits = gg_dtype_info_of(dtype)->bits;
  bool byte = atom->row->kind == GG_MMA_mixed && atom->row->a != GG_DTYPE_e2m1 && bits < 8;
  if (byte) bits = 8;
  if (atom->row->sparse && operand == GG_MMA_A) values /= 2;
  return bits == 64 ? values : values * bits / 32;
}

/* A list of registers: `count` of them called `name`. `first`: the number of the first as an asm
 * operand. */
typedef struct registers {
  const char *name, *type;
  int count, first;
} registers;

static char constraint_of(const registers *r) {
  return *r->type == 'f' ? 'f' : *r->type == 'd' ? 'd' : 'r';
}

/* Writes "{%0, %1}, ", broken over lines of the asm text. */
static void put_list(gg_str *out, const registers *r) {
  for (int i = 0; i < r->count; i++) {
    const char *separator = i == 0 ? "{" : i % 12 == 0 ? ", \"\n      \"" : ", ";
    gg_str_printf(out, "%s%%%d", separator, r->first + i);
  }
  gg_str_puts(out, "}");
}

/* Writes "\"+f\"(d[0]), \"+f\"(d[1])". */
static void put_operands_from(gg_str *out, const registers *r, const char *mode, int first) {
  for (int i = 0; i < r->count; i++) {
    const char *separator = i == 0 ? "" : i % 6 == 0 ? ",\n        " : ", ";
    gg_str_printf(out, "%s\"%s%c\"(%s[%d])", separator, mode, constraint_of(r), r->name, first + i);
  }
}

static void put_operands(gg_str *out, const registers *r, const char *mode) {
  put_operands_from(out, r, mode, 0);
}

static void put_parameter(gg_str *out, const registers *r, const char *qualifier) {
  gg_str_printf(out, "%s%s (&%s)[%d]", qualifier, r->type, r->name, r->count);
}

static registers operand_of(const gg_mma_atom *atom, gg_mma_operand operand, const char *name,
                            int first) {
  registers r = {.name = name, .first = first};
  r.count = gg_mma_atom_registers(atom, operand, &r.type);
  return r;
}

/* Writes the parameters that say where an instruction's scale factors are: which lanes hold them,
 * and in which bytes of their words. They are constants by the time the text is assembled. */
static void put_scale_parameters(gg_str *out, int indent) {
  for (int i = 0; i < 2; i++)
    gg_str_printf(out, ",\n%*sunsigned scales_%c, unsigned short byte_%c, unsigned short lanes_%c",
                  indent, "", "ab"[i], "ab"[i], "ab"[i]);
}

static void put_scales(gg_str *out, int first) {
  gg_str_printf(out, ", \"\n      \"%%%d, {%%%d, %%%d}, %%%d, {%%%d, %%%d}", first, first + 1,
                first + 2, first + 3, first + 4, first + 5);
}

/* Writes the instruction's name, in two pieces where it does not fit on a line. */
static void put_name(gg_str *out, const gg_mma_atom *atom) {
  enum { line = 80 };
  gg_str name = GG_STR_INIT;
  gg_mma_atom_ptx(&name, atom);
  const char *text = gg_str_text(&name);
  const char *shape = name.length > line ? strstr(text, ".m16n8") : NULL;
  if (shape)
    gg_str_printf(out, "%.*s\"\n      \"%s", (int)(shape - text), text, shape);
  else
    gg_str_puts(out, text);
  out->failed = out->failed || name.failed;
  gg_str_free(&name);
}

static void put_sync(gg_str *out, const gg_mma_atom *atom, const char *name) {
  enum { line_registers = 18 }; /* registers that fit on a line of text */
  bool scaled = atom->row->block > 0, sparse = atom->row->sparse;
  registers d = operand_of(atom, GG_MMA_C, "d", 0);
  registers a = operand_of(atom, GG_MMA_A, "a", d.count);
  registers b = operand_of(atom, GG_MMA_B, "b", d.count + a.count);
  gg_str_printf(out, "__device__ inline void %s(", name);
  put_parameter(out, &d, "");
  put_parameter(out, &a, ", const ");
  put_parameter(out, &b, ", const ");
  if (sparse)
    gg_str_printf(out, ",\n%*sunsigned metadata",
                  (int)(sizeof "__device__ inline void (" - 1 + strlen(name)), "");
  if (scaled)
    put_scale_parameters(out, (int)(sizeof "__device__ inline void (" - 1 + strlen(name)));
  gg_str_puts(out, ") {\n  asm volatile(\n      \"");
  put_name(out, atom);
  gg_str_puts(out, " \"\n      \"");
  put_list(out, &d);
  gg_str_puts(out, ", ");
  put_list(out, &a);
  gg_str_puts(out, ", ");
  put_list(out, &b);
  gg_str_puts(out, a.count + b.count + 2 * d.count > line_registers ? ", \"\n      \"" : ", ");
  put_list(out, &d);
  if (sparse) gg_str_printf(out, ", %%%d, 0", d.count + a.count + b.count);
  if (scaled) put_scales(out, d.count + a.count + b.count + sparse);
  gg_str_puts(out, ";\"\n      : ");
  put_operands(out, &d, "+");
  gg_str_puts(out, "\n      : ");
  put_operands(out, &a, "");
  gg_str_puts(out, ", ");
  put_operands(out, &b, "");
  if (sparse) gg_str_puts(out, ",\n        \"r\"(metadata)");
  for (int i = 0; i < 2 && scaled; i++)
    gg_str_printf(out, ",\n        \"r\"(scales_%c), \"h\"(byte_%c), \"h\"(lanes_%c)", "ab"[i],
                  "ab"[i], "ab"[i]);
  gg_str_puts(out, ");\n}\n");
}

void gg_mma_wgmma_immediates(gg_str *out, const gg_mma_atom *atom) {
  const gg_mma_row *row = atom->row;
  if (row->c == GG_DTYPE_s32) return;
  gg_str_puts(out, ", 1, 1");
  if (row->k_major) return;
  if (row->source_a == GG_MMA_SHARED) gg_str_printf(out, ", %d", atom->a_mn_major);
  gg_str_printf(out, ", %d", atom->b_mn_major);
}

/* Writes one instruction. Its accumulators are registers of d from `first` on; its part of B begins
 * `step` behind the descriptor's address. */
static void put_wgmma_asm(gg_str *out, const gg_mma_atom *atom, int first, long long step) {
  bool sparse = atom->row->sparse;
  registers d = operand_of(atom, GG_MMA_C, "d", 0);
  registers a = operand_of(atom, GG_MMA_A, "a", d.count);
  int next = d.count + (a.count ? a.count : 1);
  gg_str_printf(
      out, "  asm volatile(\n      \"{\\n.reg .pred p;\\nsetp.ne.b32 p, %%%d, 0;\\n\"\n      \"",
      next + 1 + sparse);
  gg_mma_atom_ptx(out, atom);
  gg_str_puts(out, " \"\n      \"");
  put_list(out, &d);
  gg_str_puts(out, ", \"\n      \"");
  if (a.count) {
    put_list(out, &a);
  } else {
    gg_str_printf(out, "%%%d", d.count);
  }
  gg_str_printf(out, ", %%%d, ", next);
  if (sparse) gg_str_printf(out, "%%%d, 0, ", next + 1);
  gg_str_puts(out, "p");
  gg_mma_wgmma_immediates(out, atom);
  gg_str_puts(out, ";\\n}\\n\"\n      : ");
  put_operands_from(out, &d, "+", first);
  gg_str_puts(out, "\n      : ");
  if (a.count) {
    put_operands(out, &a, "");
  } else {
    gg_str_puts(out, "\"l\"(desc_a)");
  }
  gg_str_puts(out, ", \"l\"(desc_b");
  if (step) gg_str_printf(out, " + %lld", step);
  gg_str_printf(out, "),%s \"r\"(scale_d));\n", sparse ? " \"r\"(metadata)," : "");
}

void gg_mma_wgmma_wrapper(gg_str *out, const gg_mma_atom *atom, int count, long long step,
                          const char *name) {
  registers d = operand_of(atom, GG_MMA_C, "d", 0), all = d;
  registers a = operand_of(atom, GG_MMA_A, "a", d.count);
  all.count *= count;
  gg_str_printf(out, "__device__ inline void %s(", name);
  put_parameter(out, &all, "");
  if (a.count) {
    put_parameter(out, &a, ", const ");
  } else {
    gg_str_puts(out, ", unsigned long long desc_a");
  }
  gg_str_printf(out, ",\n%*sunsigned long long desc_b,%s int scale_d) {\n",
                (int)(sizeof "__device__ inline void (" - 1 + strlen(name)), "",
                atom->row->sparse ? " unsigned metadata," : "");
  for (int i = 0; i < count; i++)
    put_wgmma_asm(out, atom, i * d.count, i * step);
  gg_str_puts(out, "}\n");
}

/* Writes a tcgen05.mma. Its instruction descriptor says what is multiplied, and follows from the
 * atom except for two things: at which byte of a word scale factors begin, and which of two columns
 * holds the metadata. */
static gg_status put_tcgen05(gg_str *out, const gg_mma_atom *atom, const char *name,
                             gg_error *err) {
  gg_instr_desc what = gg_mma_atom_instr_desc(atom);
  uint32_t descriptor;
  what.long_k = atom->row->k == GG_MMA_LONG_K; /* not in CuTe's descriptor of the atom: its call
                                                * adds it */
  gg_status st = gg_instr_desc_make(&descriptor, &what, err);
  if (st) return st;
  bool shared = atom->row->source_a == GG_MMA_SHARED, scaled = atom->row->block > 0;
  bool sparse = atom->row->sparse;
  int indent = (int)(sizeof "__device__ inline void (" - 1 + strlen(name));
  gg_str_printf(out,
                "__device__ inline void %s(unsigned d, %s,\n"
                "%*sunsigned long long desc_b, int scale_d",
                name, shared ? "unsigned long long desc_a" : "unsigned a", indent, "");
  if (sparse) gg_str_printf(out, ",\n%*sunsigned metadata, unsigned metadata_id", indent, "");
  if (scaled)
    gg_str_printf(out, ",\n%*sunsigned scales_a, unsigned scales_b, unsigned scale_ids", indent,
                  "");
  gg_str_puts(out, ") {\n");
  gg_str_puts(out, "  asm volatile(\n"
                   "      \"{\\n.reg .pred p;\\nsetp.ne.b32 p, %4, 0;\\n\"\n      \"");
  gg_mma_atom_ptx(out, atom);
  gg_str_printf(out,
                " \"\n      \"[%%0], %s, %%2, %s%%3, %sp;\\n}\\n\"\n"
                "      ::\"r\"(d), %s, \"l\"(desc_b), \"r\"(0x%xu%s%s), \"r\"(scale_d)%s%s\n"
                "      : \"memory\");\n}\n",
                shared ? "%1" : "[%1]",
                !sparse  ? ""
                : scaled ? "[%7], "
                         : "[%5], ",
                scaled ? "[%5], [%6], " : "", shared ? "\"l\"(desc_a)" : "\"r\"(a)",
                (unsigned)descriptor, sparse ? " | metadata_id" : "", scaled ? " | scale_ids" : "",
                scaled ? ",\n        \"r\"(scales_a), \"r\"(scales_b)" : "",
                sparse ? ",\n        \"r\"(metadata)" : "");
  return GG_OK;
}

static gg_status put_fma(gg_str *out, const gg_mma_atom *atom, const char *name, gg_error *err) {
  gg_dtype type = atom->c;
  if (atom->a != type || atom->b != type || (type != GG_DTYPE_f32 && type != GG_DTYPE_f64)) {
    return gg_fail(err, ATOM_WRAPPER, NULL, atom->row->cute, "all types must be f32, or all f64");
  }
  const char *c = type == GG_DTYPE_f32 ? "float" : "double";
  char letter = *c;
  gg_str_printf(out,
                "__device__ inline void %s(%s (&d)[1], const %s (&a)[1], const %s (&b)[1]) {\n"
                "  asm(\"fma.rn.%s %%0, %%1, %%2, %%0;\" : \"+%c\"(d[0]) : \"%c\"(a[0]), "
                "\"%c\"(b[0]));\n}\n",
                name, c, c, c, gg_dtype_info_of(type)->ptx, letter, letter, letter);
  return GG_OK;
}

static void put_dot(gg_str *out, const gg_mma_atom *atom, const char *name) {
  gg_str_printf(out,
                "__device__ inline void %s(int (&d)[1], const unsigned (&a)[1], "
                "const unsigned (&b)[1]) {\n  asm(\"",
                name);
  gg_mma_atom_ptx(out, atom);
  gg_str_puts(out, " %0, %1, %2, %0;\" : \"+r\"(d[0]) : \"r\"(a[0]), \"r\"(b[0]));\n}\n");
}

gg_status gg_mma_atom_wrapper(gg_str *out, const gg_mma_atom *atom, const char *name,
                              gg_error *err) {
  switch (atom->row->kind) {
  case GG_MMA_sync:
  case GG_MMA_mixed:
    put_sync(out, atom, name);
    return GG_OK;
  case GG_MMA_wgmma:
    gg_mma_wgmma_wrapper(out, atom, 1, 0, name);
    return GG_OK;
  case GG_MMA_fma:
    return put_fma(out, atom, name, err);
  case GG_MMA_dot:
    put_dot(out, atom, name);
    return GG_OK;
  case GG_MMA_several:
    return gg_fail(err, ATOM_WRAPPER, NULL, atom->row->cute, "it is made of several");
  case GG_MMA_tcgen05:
    return put_tcgen05(out, atom, name, err);
  }
  return gg_fail(err, ATOM_WRAPPER, NULL, atom->row->cute, "it is no instruction");
}
