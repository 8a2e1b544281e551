/* Reads the epilogue: a list whose entries are each the name of an operation, or a mapping from
 * that name to its options. */
#include <stdio.h>
#include <string.h>

#include "spec/expression.h"
#include "spec/parse.h"

enum { most_operations = 16 };

static gg_spec_field *option_field(gg_spec_op *op, const gg_key *option) {
  return (gg_spec_field *)((char *)op + option->offset);
}

static gg_status find_operation(const gg_reader *in, gg_op_kind *out, const char *name,
                                const gg_mark *mark) {
  gg_near near;
  gg_str words = GG_STR_INIT;
  gg_near_start(&near, name);
  for (int kind = 0; kind < GG_OP_COUNT; kind++) {
    const char *word = gg_op_info_of((gg_op_kind)kind)->name;
    if (strcmp(word, name) == 0) {
      gg_str_free(&words);
      *out = (gg_op_kind)kind;
      return GG_OK;
    }
    gg_near_try(&near, word);
    gg_str_printf(&words, "%s%s", kind ? ", " : "one of ", word);
  }
  gg_status st = gg_fail_choice(in, mark, &near, &words);
  gg_str_free(&words);
  return st;
}

static gg_status fail_option(const gg_reader *in, const gg_spec_op *op, const gg_yaml_node *entry) {
  gg_near near;
  gg_str advice = GG_STR_INIT;
  const gg_key *option;
  const char *name = gg_op_info_of(op->kind)->name;
  gg_near_start(&near, entry->key);
  for (size_t i = 0; (option = gg_op_option(op->kind, i)); i++) {
    gg_near_try(&near, option->path);
    gg_str_printf(&advice, "%s%s %s", i ? "," : name, i ? "" : " has", option->path);
  }
  if (advice.length == 0) gg_str_printf(&advice, "%s has no options", name);
  return gg_fail_key(in, entry, &near, &advice);
}

static gg_status read_option(const gg_reader *in, gg_spec_op *op, const gg_yaml_node *entry) {
  const gg_key *option;
  for (size_t i = 0; (option = gg_op_option(op->kind, i)); i++) {
    if (strcmp(option->path, entry->key) == 0)
      return gg_value_read(in, option_field(op, option), option, entry);
  }
  return fail_option(in, op, entry);
}

/* The required option of an operation, if it has one. Its value may stand in place of all the
 * options: `expr: x * x`. */
static const gg_key *required_option(gg_op_kind kind) {
  const gg_key *option;
  for (size_t i = 0; (option = gg_op_option(kind, i)); i++)
    if (strcmp(option->fallback, "required") == 0) return option;
  return NULL;
}

/* Reads the options of an operation. `node`: what stands behind "name:"; an empty one gives no
 * option. */
static gg_status read_options(const gg_reader *in, gg_spec_op *op, const gg_yaml_node *node) {
  if (gg_node_is(node, "") && !node->quoted) return GG_OK;
  const gg_key *alone = required_option(op->kind);
  if (alone && node->kind == GG_YAML_SCALAR)
    return gg_value_read(in, option_field(op, alone), alone, node);
  if (node->kind != GG_YAML_MAP) {
    gg_place place;
    char shown[GG_SHOWN_MAX + 32];
    return gg_fail(in->err, SPEC_TYPE, gg_yaml_mark(&place, in->file, node),
                   "a mapping of the operation's options", gg_yaml_shown(shown, node));
  }
  for (const gg_yaml_node *entry = node->first; entry; entry = entry->next) {
    gg_status st = read_option(in, op, entry);
    if (st) return st;
  }
  return GG_OK;
}

/* Refuses the options of an operand where the expression does not read t0, its own operand. */
static gg_status check_expression(const gg_reader *in, const gg_spec_op *op) {
  const gg_spec_field *options[] = {&op->along, &op->type};
  for (size_t i = 0; i < 2 && !gg_expression_reads(op->expression, 0); i++)
    if (options[i]->state != GG_SPEC_UNSET)
      return gg_fail(in->err, SPEC_EXPRESSION, &options[i]->mark,
                     "this is of t0, which is not in the expression");
  return GG_OK;
}

/* The mark of the expression's first character, which in a quoted text is behind the quote. */
static gg_mark mark_of_text(const gg_spec_op *op, const gg_yaml_node *options) {
  const gg_yaml_node *text = options->kind == GG_YAML_MAP ? options->first : options;
  while (text->kind != GG_YAML_SCALAR || text->text != op->text.text)
    text = text->next;
  gg_mark mark = op->text.mark;
  mark.column += text->quoted;
  return mark;
}

/* Reads the text of an expression. `operands`: how many operands the operations in front of it
 * have, which it reads as t1 and up. */
static gg_status read_expression(const gg_reader *in, gg_spec_op *op, int operands,
                                 const gg_yaml_node *options) {
  if (op->kind != GG_OP_EXPR) return GG_OK;
  if (op->text.state != GG_SPEC_SET)
    return gg_fail(in->err, SPEC_MISSING, &op->mark, "text",
                   "an expression such as x * sigmoid(x)");
  gg_expression *expression = GG_ARENA_NEW(in->arena, gg_expression);
  if (!expression) return gg_fail(in->err, MEMORY, NULL, "");
  const gg_mark mark = mark_of_text(op, options);
  gg_status st = gg_expression_parse(expression, op->text.text, operands, &mark, in->err);
  op->expression = expression;
  return st ? st : check_expression(in, op);
}

/* Checks that a clamp has at least one limit, and min is not above max where it has both. */
static gg_status check_clamp(const gg_reader *in, const gg_spec_op *op) {
  bool has_min = op->min.state == GG_SPEC_SET, has_max = op->max.state == GG_SPEC_SET;
  if (op->kind != GG_OP_CLAMP) return GG_OK;
  if (!has_min && !has_max)
    return gg_fail(in->err, SPEC_MISSING, &op->mark, "min",
                   "a decimal number; a clamp has a min, a max or both");
  if (!has_min || !has_max || op->min.real <= op->max.real) return GG_OK;
  char expected[96], shown[GG_SHOWN_MAX], got[GG_SHOWN_MAX + 2];
  snprintf(expected, sizeof expected, "a max of at least min, which is %.40s", op->min.text);
  snprintf(got, sizeof got, "'%s'", gg_shown(shown, op->max.text));
  return gg_fail(in->err, SPEC_TYPE, &op->max.mark, expected, got);
}

static gg_status read_operation(const gg_reader *in, gg_spec_op *op, int operands,
                                const gg_yaml_node *node) {
  gg_place place;
  const gg_yaml_node *options = node->kind == GG_YAML_MAP ? node->first : NULL;
  if (node->kind == GG_YAML_LIST || gg_node_is(node, "") || (options && node->count > 1) ||
      (node->kind == GG_YAML_MAP && !options)) {
    char shown[GG_SHOWN_MAX + 32];
    return gg_fail(in->err, SPEC_TYPE, gg_yaml_mark(&place, in->file, node),
                   "an operation's name, or a mapping from one name to its options",
                   gg_yaml_shown(shown, node));
  }
  const gg_mark *mark =
      options ? gg_yaml_key_mark(&place, in->file, options) : gg_yaml_mark(&place, in->file, node);
  gg_status st = find_operation(in, &op->kind, options ? options->key : node->text, mark);
  if (st) return st;
  op->mark = *mark;
  op->mark.path = gg_arena_strndup(in->arena, place.path, strlen(place.path));
  if (!op->mark.path) return gg_fail(in->err, MEMORY, NULL, "");
  const gg_key *option;
  for (size_t i = 0; (option = gg_op_option(op->kind, i)); i++) {
    option_field(op, option)->mark = op->mark;
  }
  st = options ? read_options(in, op, options) : GG_OK;
  if (!st) st = read_expression(in, op, operands, options);
  return st ? st : check_clamp(in, op);
}

/* How many of the first `count` operations are of this kind. */
static int count_of(const gg_spec_op *ops, size_t count, gg_op_kind kind) {
  int out = 0;
  for (size_t i = 0; i < count; i++)
    out += ops[i].kind == kind;
  return out;
}

/* Checks that there are no more expressions, and no more operands, than an epilogue may have. */
static gg_status check_counts(const gg_reader *in, const gg_spec *spec) {
  const gg_spec_op *last = &spec->ops[spec->op_count - 1];
  if (last->kind == GG_OP_EXPR &&
      count_of(spec->ops, spec->op_count, last->kind) > GG_EXPRESSIONS_MAX)
    return gg_fail(in->err, SPEC_LIMIT, &last->mark, "too many expressions", GG_EXPRESSIONS_MAX,
                   "operations expr");
  enum { most = GG_EXPRESSION_OPERANDS_MAX - 1 };
  if (last->kind == GG_OP_OPERAND && count_of(spec->ops, spec->op_count, last->kind) > most)
    return gg_fail(in->err, SPEC_LIMIT, &last->mark, "too many operands of expressions", most,
                   "operations operand");
  return GG_OK;
}

/* Checks that some expression reads each operand. */
static gg_status check_operands(const gg_reader *in, const gg_spec *spec) {
  unsigned read = 0;
  int number = 0;
  for (size_t i = 0; i < spec->op_count; i++)
    if (spec->ops[i].kind == GG_OP_EXPR) read |= spec->ops[i].expression->operands;
  for (size_t i = 0; i < spec->op_count; i++) {
    char message[64];
    if (spec->ops[i].kind != GG_OP_OPERAND || read >> ++number & 1) continue;
    snprintf(message, sizeof message, "this is t%d, which no expression behind it reads", number);
    return gg_fail(in->err, SPEC_EXPRESSION, &spec->ops[i].mark, message);
  }
  return GG_OK;
}

gg_status gg_epilogue_read(const gg_reader *in, gg_spec *spec, const gg_key *key,
                           const gg_yaml_node *node) {
  if (gg_node_is(node, "auto")) return gg_field_set(in, &spec->epilogue, GG_SPEC_AUTO, node);
  if (node->kind != GG_YAML_LIST) return gg_fail_type(in, key, node);
  if (node->count > most_operations) {
    gg_place place;
    return gg_fail(in->err, SPEC_LIMIT, gg_yaml_mark(&place, in->file, node),
                   "the epilogue is too long", most_operations, "operations");
  }
  gg_spec_op *ops = GG_ARENA_ARRAY(in->arena, gg_spec_op, node->count);
  if (!ops) return gg_fail(in->err, MEMORY, NULL, "");
  spec->ops = ops;
  spec->op_count = 0;
  gg_status st = GG_OK;
  for (const gg_yaml_node *entry = node->first; entry && !st; entry = entry->next) {
    int operands = count_of(ops, spec->op_count, GG_OP_OPERAND);
    st = read_operation(in, &ops[spec->op_count++], operands, entry);
    if (!st) st = check_counts(in, spec);
  }
  if (!st) st = check_operands(in, spec);
  if (st) return st;
  return gg_field_set(in, &spec->epilogue, GG_SPEC_SET, node);
}
