/* PTX lines that the generators of several families share.
 *
 * Addresses. A layout whose strides are powers of two that occupy disjoint bits, swizzled or not,
 * maps bits of coordinates to bits of addresses: an address is the xor of what each bit
 * contributes. So a lane's place is a few masked and shifted copies of the lane's number, xored
 * together; bits that move equally far are moved at once. A step that is known when the text is
 * made is one number for all lanes: it is added, as an instruction's own offset, if no swizzled bit
 * changes it, else xored. Neither is assumed: both are checked against the layout, place by place.
 */
#include "emit/ptx_text.h"

#include "emit/cuda_text.h"
#include "plan/operands.h"
#include "plan/operation.h"

enum { line_columns = 100 };

void gg_ptx_write_registers(gg_str *out, const char *name, int first, int count, int indent) {
  int column = line_columns;
  for (int i = 0; i < count; i++) {
    gg_str item = GG_STR_INIT;
    gg_str_printf(&item, "%s%%%s%d%s", i ? "" : "{", name, first + i, i + 1 < count ? "," : "},");
    bool fits = column + 1 + (int)item.length <= line_columns;
    if (i && fits) {
      gg_str_putc(out, ' ');
      column++;
    } else if (i) {
      gg_str_printf(out, "\n%*s", indent + 1, "");
      column = indent + 1;
    } else {
      column = indent;
    }
    gg_str_add(out, &item);
    column += (int)item.length;
    gg_str_free(&item);
  }
}

void gg_ptx_bind_version(gg_bindings *out, const gg_plan *plan) {
  const int needs[] = {80, gg_arch_info_of(plan->arch.number)->ptx_isa, plan->mma.row->ptx_isa,
                       plan->cluster_k > 1 ? 81 /* st.async */ : 0,
                       plan->arch.suffix == 'f' ? 88 /* targets of families */ : 0};
  int version = 0;
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (needs[i] > version) version = needs[i];
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "%d.%d", version / 10, version % 10);
  gg_bind_str(out, "version", &text);
}

void gg_ptx_bind_number(gg_bindings *out, const char *name, ll number) {
  gg_str text = GG_STR_INIT;
  gg_str_printf(&text, "%lld", number);
  gg_bind_str(out, name, &text);
}

void gg_ptx_write_clear(gg_str *out, int registers) {
  enum { a_line = 3 };
  for (int i = 0; i < registers; i++)
    gg_str_printf(out, "%smov.b32 %%acc%d, 0;%s", i % a_line ? " " : "  ", i,
                  i % a_line == a_line - 1 || i + 1 == registers ? "\n" : "");
}

const char *gg_ptx_sum_type(const gg_plan *plan) {
  return plan->accumulator == GG_DTYPE_f32 ? "f32" : "b32";
}

/* ---- Parameters ---------------------------------------------------------------------------- */

static void write_parameter(gg_str *out, const gg_plan *plan, gg_param param) {
  static const char *const addresses[] = {
      [GG_OPERAND_A] = "A", [GG_OPERAND_B] = "B", [GG_OPERAND_C] = "C", [GG_OPERAND_D] = "D"};
  static const char *const names[] = {
      [GG_PARAM_M] = "u64 m",
      [GG_PARAM_N] = "u64 n",
      [GG_PARAM_K] = "u64 k",
      [GG_PARAM_BATCH] = "u64 batch",
      [GG_PARAM_ALPHA] = "f32 alpha",
      [GG_PARAM_BETA] = "f32 beta",
      [GG_PARAM_LD] = "u64 ld",
      [GG_PARAM_BATCH_STRIDE] = "u64 batch_stride_",
      [GG_PARAM_ADDRESS] = "u64 ",
      [GG_PARAM_MAP] = "align 64 .b8 map_",
      [GG_PARAM_MAP_END] = "align 64 .b8 end_",
      [GG_PARAM_WORKSPACE] = "u64 workspace",
      [GG_PARAM_SHARED_TILES] = "u64 shared_tiles",
      [GG_PARAM_GROUP_TILES] = "u64 group_tiles",
      [GG_PARAM_GROUP_SHARES] = "u64 group_shares",
      [GG_PARAM_NEXT_BESIDE] = "u64 next_beside",
      [GG_PARAM_EVICT_FIRST] = "u64 evict_first",
  };
  char of_operation[GG_OPERATION_NAME_MAX];
  gg_str_printf(out, "  .param .%s", names[param.kind]);
  if (param.operand == GG_OPERAND_EXTRA)
    gg_str_puts(out, gg_operation_name(of_operation, plan->operations, (size_t)param.operation));
  else if (param.kind == GG_PARAM_ADDRESS)
    gg_str_puts(out, addresses[param.operand]);
  else if (param.operand != GG_OPERAND_NONE)
    gg_str_puts(out, gg_operand_word(param.operand));
  if (param.kind == GG_PARAM_MAP || param.kind == GG_PARAM_MAP_END) gg_str_puts(out, "[128]");
}

void gg_ptx_write_parameters(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_param params[GG_PARAMS_MAX];
  size_t count = gg_kernel_params(params, plan, layouts);
  for (size_t i = 0; i < count; i++) {
    write_parameter(out, plan, params[i]);
    gg_str_puts(out, i + 1 < count ? ",\n" : "\n");
  }
}

static void write_extent(gg_str *out, const char *to, const char *parameter, int64_t fixed) {
  if (fixed == GG_FIXED_NONE)
    gg_str_printf(out, "  ld.param.u32 %%%s, [%s];\n", to, parameter);
  else
    gg_str_printf(out, "  mov.u32 %%%s, %lld;\n", to, (long long)fixed);
}

void gg_ptx_write_extents(gg_str *out, const gg_plan *plan) {
  gg_str_puts(out, "  .reg .b32 %m, %n, %k, %batches;\n");
  write_extent(out, "m", "m", plan->fixed_m);
  write_extent(out, "n", "n", plan->fixed_n);
  write_extent(out, "k", "k", plan->fixed_k);
  write_extent(out, "batches", "batch", plan->fixed_batch);
}

const char gg_ptx_beta[] =
    "\n  // C is read where there is a beta. With -0 for 0, x + 0 * -0 is x, also where x is -0.\n"
    "  .reg .f32 %beta;\n  .reg .pred %reads_c;\n"
    "  ld.param.f32 %beta, [beta];\n  setp.neu.f32 %reads_c, %beta, 0f00000000;\n"
    "  @!%reads_c mov.f32 %beta, 0f80000000;\n";

void gg_ptx_write_half(gg_str *out, gg_dtype type, const char *indent, int word, int second) {
  if (type == GG_DTYPE_f16)
    gg_str_printf(out, "%smov.b32 {%%low, %%high}, %%c%d;\n%scvt.f32.f16 %%c_value, %%%s;\n",
                  indent, word, indent, second ? "high" : "low");
  else
    gg_str_printf(out, "%s%s.b32 %%bits, %%c%d, %s;\n%smov.b32 %%c_value, %%bits;\n", indent,
                  second ? "and" : "shl", word, second ? "0xffff0000" : "16", indent);
}

/* ---- Division ------------------------------------------------------------------------------ */

/* ptxas divides by a number that it knows as by any other: by way of a reciprocal, in some twenty
 * instructions, each of which waits for the one before it. So here a power of two becomes a shift,
 * and any other divisor a multiplication by its reciprocal: the number 2^32 + `factor`, divided by
 * 2^(32 + `shift` + 1), which gives exact results (Granlund and Montgomery, Division by invariant
 * integers). */
static int bits_below(ll by) {
  int bits = 0;
  while (1ll << bits < by)
    bits++;
  return bits;
}

void gg_ptx_write_quotient(gg_str *out, int indent, const char *to, const char *of, ll by) {
  int bits = bits_below(by);
  if (by == 1) {
    gg_str_printf(out, "%*smov.u32 %s, %s;\n", indent, "", to, of);
  } else if (1ll << bits == by) {
    gg_str_printf(out, "%*sshr.u32 %s, %s, %d;\n", indent, "", to, of, bits);
  } else {
    unsigned long long factor = (((1ull << bits) - (unsigned long long)by) << 32) / by + 1;
    gg_str_printf(out,
                  "%*s{  // %s / %lld\n%*s  .reg .b32 %%high, %%rest;\n"
                  "%*s  mul.hi.u32 %%high, %s, 0x%llx;\n%*s  sub.u32 %%rest, %s, %%high;\n"
                  "%*s  shr.u32 %%rest, %%rest, 1;\n%*s  add.u32 %%high, %%high, %%rest;\n"
                  "%*s  shr.u32 %s, %%high, %d;\n%*s}\n",
                  indent, "", of, by, indent, "", indent, "", of, factor, indent, "", of, indent,
                  "", indent, "", indent, "", to, bits - 1, indent, "");
  }
}

void gg_ptx_write_remainder(gg_str *out, int indent, const char *to, const char *of, ll by) {
  if (1ll << bits_below(by) == by) {
    gg_str_printf(out, "%*sand.b32 %s, %s, %lld;\n", indent, "", to, of, by - 1);
    return;
  }
  gg_str_printf(out, "%*s{\n%*s  .reg .b32 %%quotient;\n", indent, "", indent, "");
  gg_ptx_write_quotient(out, indent + 2, "%quotient", of, by);
  gg_str_printf(out, "%*s  mul.lo.u32 %%quotient, %%quotient, %lld;\n", indent, "", by);
  gg_str_printf(out, "%*s  sub.u32 %s, %s, %%quotient;\n%*s}\n", indent, "", to, of, indent, "");
}

void gg_ptx_write_split(gg_str *out, int indent, const char *whole, const char *rest,
                        const char *of, ll by) {
  gg_ptx_write_quotient(out, indent, whole, of, by);
  gg_ptx_write_remainder(out, indent, rest, of, by);
}

static void write_count(gg_str *out, const char *to, const char *of, ll by) {
  gg_str_printf(out, "  add.u32 %s, %s, %lld;\n", to, of, by - 1);
  gg_ptx_write_quotient(out, 2, to, to, by);
}

void gg_ptx_bind_tile_counts(gg_bindings *out, ll rows, ll columns, ll tile_k) {
  gg_str text = GG_STR_INIT;
  gg_str_puts(&text, "  .reg .b32 %tiles_m, %tiles_n, %tiles, %k_tiles;\n");
  write_count(&text, "%tiles_m", "%m", rows);
  write_count(&text, "%tiles_n", "%n", columns);
  gg_str_puts(&text, "  mul.lo.u32 %tiles, %tiles_m, %tiles_n;\n"
                     "  mul.lo.u32 %tiles, %tiles, %batches;\n");
  write_count(&text, "%k_tiles", "%k", tile_k);
  gg_bind_str(out, "tile_counts", &text);
}

/* ---- Xors of bits -------------------------------------------------------------------------- */

/* What each bit of a register contributes to an address. */
typedef struct bits {
  const char *of;
  unsigned at[32];
  int count;
} bits;

/* Whether bit `bit`, shifted by `shift`, is one of those that this bit contributes. */
static bool lands(const bits *b, int bit, int shift) {
  int to = bit + shift;
  return to >= 0 && to < 32 && (b->at[bit] >> to & 1);
}

static void write_shifted(gg_str *out, int indent, const char *to, const char *of, unsigned mask,
                          int shift) {
  gg_str_printf(out, "%*sand.b32 %s, %s, 0x%x;\n", indent, "", to, of, mask);
  if (shift)
    gg_str_printf(out, "%*s%s.b32 %s, %s, %d;\n", indent, "", shift > 0 ? "shl" : "shr", to, to,
                  shift > 0 ? shift : -shift);
}

/* Xors the contributions of one register's bits into `to`. `first` is true as long as `to` has none
 * yet. */
static void write_bits(gg_str *out, int indent, const bits *b, const char *to, const char *scratch,
                       bool *first) {
  for (int shift = -31; shift < 32; shift++) {
    unsigned mask = 0;
    for (int bit = 0; bit < b->count; bit++)
      if (lands(b, bit, shift)) mask |= 1u << bit;
    if (!mask) continue;
    write_shifted(out, indent, *first ? to : scratch, b->of, mask, shift);
    if (!*first) gg_str_printf(out, "%*sxor.b32 %s, %s, %s;\n", indent, "", to, to, scratch);
    *first = false;
  }
}

static bits bits_of_lanes(const gg_ptx_lanes *lanes) {
  bits out = {.of = lanes->of};
  for (; 1 << out.count < lanes->count; out.count++)
    out.at[out.count] = lanes->at[1 << out.count];
  return out;
}

static unsigned xor_of(const bits *b, unsigned number) {
  unsigned out = 0;
  for (int bit = 0; bit < b->count; bit++)
    if (number >> bit & 1) out ^= b->at[bit];
  return out;
}

bool gg_ptx_is_linear(const gg_ptx_lanes *lanes) {
  bits b = bits_of_lanes(lanes);
  bool linear = true;
  for (int lane = 0; lane < lanes->count; lane++)
    linear = linear && lanes->at[lane] == xor_of(&b, (unsigned)lane);
  return linear;
}

void gg_ptx_write_lanes(gg_str *out, int indent, const gg_ptx_lanes *lanes, const char *to,
                        const char *scratch) {
  bits b = bits_of_lanes(lanes);
  bool first = true;
  write_bits(out, indent, &b, to, scratch, &first);
  if (first) gg_str_printf(out, "%*smov.u32 %s, 0;\n", indent, "", to);
}

gg_ptx_step gg_ptx_step_between(const gg_ptx_lanes *from, const gg_ptx_lanes *to) {
  unsigned added = to->at[0] - from->at[0], xored = to->at[0] ^ from->at[0];
  bool adds = to->at[0] >= from->at[0], xors = true;
  for (int lane = 0; lane < from->count; lane++) {
    adds = adds && to->at[lane] == from->at[lane] + added;
    xors = xors && to->at[lane] == (from->at[lane] ^ xored);
  }
  return (gg_ptx_step){.known = adds || xors, .xors = !adds, .by = adds ? added : xored};
}

/* ---- Elements ------------------------------------------------------------------------------ */

/* What the bits of one coordinate, smaller than `extent`, contribute. */
static bits bits_of_mode(const gg_composed *layout, const char *of, int step, int extent) {
  bits out = {.of = of};
  for (; 1 << out.count < extent; out.count++)
    out.at[out.count] = (unsigned)gg_composed_at(layout, (int64_t)step << out.count);
  return out;
}

bool gg_ptx_is_linear_in_both(const gg_composed *layout, int rows, int columns) {
  bits row = bits_of_mode(layout, "", 1, rows), column = bits_of_mode(layout, "", rows, columns);
  for (int i = 0; i < rows * columns; i++) {
    unsigned at = xor_of(&row, (unsigned)(i % rows)) ^ xor_of(&column, (unsigned)(i / rows));
    if (at != (unsigned)gg_composed_at(layout, i)) return false;
  }
  return true;
}

void gg_ptx_write_element(gg_str *out, int indent, const gg_ptx_element *e) {
  bits modes[] = {bits_of_mode(e->layout, e->row, 1, e->rows),
                  bits_of_mode(e->layout, e->column, e->rows, e->columns)};
  bool first = true;
  for (int mode = 0; mode < 2; mode++) {
    for (int bit = 0; bit < modes[mode].count; bit++)
      modes[mode].at[bit] *= (unsigned)e->bytes;
    write_bits(out, indent, &modes[mode], e->to, e->scratch, &first);
  }
}

void gg_ptx_write_place(gg_str *out, const char *base, long long offset) {
  if (offset)
    gg_str_printf(out, "[%s + %lld]", base, offset);
  else
    gg_str_printf(out, "[%s]", base);
}

void gg_ptx_write_first(gg_str *out, char x, int bytes) {
  gg_str_printf(out,
                "  cvt.u64.u32 %%offset, %%m0;\n  mul.lo.u64 %%offset, %%offset, %%ld_%c;\n"
                "  cvt.u64.u32 %%along, %%batch;\n"
                "  mad.lo.u64 %%offset, %%along, %%stride_%c, %%offset;\n"
                "  cvt.u64.u32 %%along, %%n0;\n  add.u64 %%offset, %%offset, %%along;\n"
                "  mad.lo.u64 %%%c_tile, %%offset, %d, %%%c;\n",
                x, x, x, bytes, x);
}
