/* Expressions as CUDA C++. Each step is a call that says how it rounds, so that no compiler decides
 * it: the emulator, every GPU and the bound that results are verified against have the same steps.
 * A product that is added to something is fused with the addition. Arguments that do not fit in a
 * line get a name in a line before it. */
#include "emit/expression_text.h"

#include <string.h>

#include "base/decimal.h"

enum { line_room = 54 }; /* columns that all arguments of a call may take */

typedef struct writer {
  const gg_expression *e;
  gg_str lines; /* definitions of named arguments */
  int names;
  bool single;
} writer;

/* Operations that are calls of functions. Arithmetic is below. */
static const char *const calls[GG_EXPRESSION_OPS] = {
    [GG_EXPRESSION_DIV] = "quotient",    [GG_EXPRESSION_RELU] = "relu",
    [GG_EXPRESSION_GELU] = "gelu",       [GG_EXPRESSION_SILU] = "silu",
    [GG_EXPRESSION_SIGMOID] = "sigmoid", [GG_EXPRESSION_TANH] = "tanh_of",
    [GG_EXPRESSION_EXP] = "exp_of",      [GG_EXPRESSION_LOG] = "log_of",
    [GG_EXPRESSION_SQRT] = "sqrt_of",    [GG_EXPRESSION_RSQRT] = "rsqrt_of",
    [GG_EXPRESSION_MIN] = "at_most",     [GG_EXPRESSION_MAX] = "at_least",
    [GG_EXPRESSION_CLAMP] = "at_most",
};

bool gg_expression_calls(const gg_expression *expression) {
  for (int i = 0; i < expression->count; i++)
    if (calls[expression->nodes[i].op]) return true;
  return false;
}

void gg_literal_write(gg_str *out, double number, bool single) {
  char text[GG_DECIMAL_MAX];
  gg_decimal_print(text, number, single);
  gg_str_printf(out, "%s%s%s", text, text[strcspn(text, ".e")] ? "" : ".0", single ? "f" : "");
}

static const char *arithmetic(const writer *w, gg_expression_op op) {
  switch (op) {
  case GG_EXPRESSION_ADD:
    return w->single ? "__fadd_rn" : "__dadd_rn";
  case GG_EXPRESSION_SUB:
    return w->single ? "__fsub_rn" : "__dsub_rn";
  case GG_EXPRESSION_MUL:
    return w->single ? "__fmul_rn" : "__dmul_rn";
  default:
    return w->single ? "fabsf" : "fabs";
  }
}

/* Gives the longest argument a name, in a line before the call. */
static void name_longest(writer *w, gg_str *arguments, int count) {
  gg_str *longest = &arguments[0];
  for (int i = 1; i < count; i++)
    if (arguments[i].length > longest->length) longest = &arguments[i];
  gg_str_printf(&w->lines, "  const epi_t y%d = %s;\n", ++w->names, gg_str_text(longest));
  if (longest->failed) w->lines.failed = true;
  gg_str_free(longest);
  gg_str_printf(longest, "y%d", w->names);
}

/* Appends a call, and frees its arguments. */
static void write_call(gg_str *out, writer *w, const char *function, gg_str *arguments, int count) {
  size_t length = 0;
  for (int i = 0; i < count; i++)
    length += arguments[i].length;
  if (length > line_room) {
    name_longest(w, arguments, count);
    write_call(out, w, function, arguments, count);
    return;
  }
  gg_str_printf(out, "%s(", function);
  for (int i = 0; i < count; i++) {
    if (i) gg_str_puts(out, ", ");
    gg_str_add(out, &arguments[i]);
    gg_str_free(&arguments[i]);
  }
  gg_str_putc(out, ')');
}

static void write_node(gg_str *out, writer *w, int index);

/* Appends a node with the opposite sign. All texts are calls or names, perhaps behind a minus. */
static void write_negated(gg_str *out, writer *w, int index) {
  gg_str text = GG_STR_INIT;
  write_node(&text, w, index);
  const char *plain = gg_str_text(&text);
  if (*plain == '-')
    gg_str_puts(out, plain + 1);
  else
    gg_str_printf(out, "-%s", plain);
  if (text.failed) out->failed = true;
  gg_str_free(&text);
}

static bool is_product(const writer *w, int index) {
  return w->e->nodes[index].op == GG_EXPRESSION_MUL;
}

/* Appends a sum or difference one side of which is a product, as a fused operation. */
static void write_fused(gg_str *out, writer *w, const gg_expression_node *node) {
  gg_str arguments[3] = {GG_STR_INIT, GG_STR_INIT, GG_STR_INIT};
  int left = node->arguments[0], right = node->arguments[1];
  bool first = is_product(w, left), minus = node->op == GG_EXPRESSION_SUB;
  const gg_expression_node *product = &w->e->nodes[first ? left : right];
  if (minus && !first)
    write_negated(&arguments[0], w, product->arguments[0]);
  else
    write_node(&arguments[0], w, product->arguments[0]);
  write_node(&arguments[1], w, product->arguments[1]);
  if (minus && first)
    write_negated(&arguments[2], w, right);
  else
    write_node(&arguments[2], w, first ? right : left);
  write_call(out, w, w->single ? "__fmaf_rn" : "__fma_rn", arguments, 3);
}

static void write_node(gg_str *out, writer *w, int index) {
  const gg_expression_node *node = &w->e->nodes[index];
  gg_expression_op op = (gg_expression_op)node->op;
  bool sum = op == GG_EXPRESSION_ADD || op == GG_EXPRESSION_SUB;
  if (op == GG_EXPRESSION_NUMBER) {
    gg_literal_write(out, node->number, w->single);
  } else if (op == GG_EXPRESSION_X || gg_expression_operand(op) >= 0) {
    gg_str_puts(out, gg_expression_name(op));
  } else if (op == GG_EXPRESSION_NEGATE) {
    write_negated(out, w, node->arguments[0]);
  } else if (sum && (is_product(w, node->arguments[0]) || is_product(w, node->arguments[1]))) {
    write_fused(out, w, node);
  } else {
    gg_str arguments[3] = {GG_STR_INIT, GG_STR_INIT, GG_STR_INIT};
    int count = gg_expression_arguments(op);
    for (int i = 0; i < count; i++)
      write_node(&arguments[i], w, node->arguments[i]);
    if (op == GG_EXPRESSION_CLAMP) {
      gg_str raised = GG_STR_INIT;
      write_call(&raised, w, "at_least", arguments, 2);
      arguments[0] = raised, arguments[1] = arguments[2], count = 2;
    }
    write_call(out, w, calls[op] ? calls[op] : arithmetic(w, op), arguments, count);
  }
}

void gg_expression_write(gg_str *out, const char *name, const gg_expression *expression,
                         gg_dtype compute) {
  enum { columns = 97 };
  writer w = {.e = expression, .lines = GG_STR_INIT, .single = compute != GG_DTYPE_f64};
  gg_str text = GG_STR_INIT, result = GG_STR_INIT;
  gg_expression_print(&text, expression);
  if (text.length <= columns) gg_str_printf(out, "// %s\n", gg_str_text(&text));
  write_node(&result, &w, expression->count - 1);
  gg_str_printf(out, "__device__ __forceinline__ epi_t %s_of(epi_t x", name);
  for (int i = 0; i < GG_EXPRESSION_OPERANDS_MAX; i++)
    if (gg_expression_reads(expression, i)) gg_str_printf(out, ", epi_t t%d", i);
  gg_str_puts(out, ") {\n");
  gg_str_add(out, &w.lines);
  gg_str_puts(out, "  return ");
  gg_str_add(out, &result);
  gg_str_puts(out, ";\n}\n\n");
  if (text.failed) out->failed = true;
  gg_str_free(&text);
  gg_str_free(&result);
  gg_str_free(&w.lines);
}
