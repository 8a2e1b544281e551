#include "mutate_text.h"

#include <ctype.h>
#include <string.h>

#define MUTATE(class, opcode, part, operand, change, value)                                        \
  {#class, opcode, part, operand, change, #change, #value},
const mutation mutations[] = {
#include "mutate.def"
};
#undef MUTATE

const int mutation_count = sizeof mutations / sizeof *mutations;

/* ---- Statements ------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && isspace((unsigned char)*at))
    at++;
  return at;
}

static piece trimmed(const char *at, const char *end) {
  at = skip_blanks(at, end);
  while (end > at && isspace((unsigned char)end[-1]))
    end--;
  return (piece){at, end};
}

static void split_operands(statement *s) {
  const char *first = s->opcode.end;
  int depth = 0;
  for (const char *at = first; at <= s->all.end && s->operand_count < OPERANDS_MAX; at++) {
    if (at < s->all.end && strchr("[{(", *at)) depth++;
    if (at < s->all.end && strchr("]})", *at)) depth--;
    if (at < s->all.end && (depth || *at != ',')) continue;
    piece operand = trimmed(first, at);
    if (operand.at < operand.end) s->operands[s->operand_count++] = operand;
    first = at + 1;
  }
}

/* The statement that ends at the semicolon `end`, of text from `at` on. */
static bool read_statement(statement *s, const char *at, const char *end) {
  const char *begin = end;
  int depth = 0; /* braces of vectors */
  while (begin > at) {
    char before = begin[-1];
    if (before == '}') depth++;
    if (depth ? before == ';' : strchr(";{\n", before) && skip_blanks(begin, end) < end) break;
    if (!depth && before == ':' && begin[-2] != ':' && *begin != ':') break;
    if (before == '{') depth--;
    begin--;
  }
  *s = (statement){.all = trimmed(begin, end)};
  const char *opcode = s->all.at;
  if (opcode < end && *opcode == '@') {
    while (opcode < end && !isspace((unsigned char)*opcode))
      opcode++;
    opcode = skip_blanks(opcode, end);
  }
  s->opcode = (piece){opcode, opcode};
  while (s->opcode.end < s->all.end && !isspace((unsigned char)*s->opcode.end))
    s->opcode.end++;
  if (s->opcode.at == s->opcode.end) return false;
  split_operands(s);
  return true;
}

static bool has(piece text, const char *part) {
  size_t length = strlen(part);
  for (const char *at = text.at; at + length <= text.end; at++) {
    if (!memcmp(at, part, length)) return true;
  }
  return false;
}

/* The operand that is changed; NULL: the statement has none such. */
static const piece *operand_of(const statement *s, const mutation *m) {
  int index = m->operand < 0 ? s->operand_count + m->operand : m->operand;
  return index >= 0 && index < s->operand_count ? &s->operands[index] : NULL;
}

bool mutation_applies(const statement *s, const mutation *m) {
  size_t length = strlen(m->opcode);
  if ((size_t)(s->opcode.end - s->opcode.at) < length || memcmp(s->opcode.at, m->opcode, length) ||
      !has(s->opcode, m->part)) {
    return false;
  }
  const piece *operand = operand_of(s, m);
  if (m->change == DROP) return true;
  if (!operand) return false;
  /* A in tensor memory has no descriptor. */
  return strcmp(m->class, "descriptor") != 0 || *operand->at != '[';
}

/* ---- Mutants ------------------------------------------------------------------------------ */

static void put_piece(gg_str *out, const char *at, const char *end) {
  gg_str_append(out, at, (size_t)(end - at));
}

/* Descriptors of matrices have 64 bits, masks 16, all else 32, but for addresses of barriers, which
 * may be generic: then compilers name their registers %rd. */
static const char *width_of(const mutation *m, const statement *s) {
  const piece *operand = operand_of(s, m);
  if (!strcmp(m->class, "mask")) return "b16";
  if (!strcmp(m->class, "descriptor") && m->operand < 3) return "b64";
  return *operand->at == '[' && !strncmp(operand->at + 1, "%rd", 3) ? "b64" : "b32";
}

/* { a register takes the operand's value, changed; the statement has that register }. */
static void put_changed(gg_str *out, const mutation *m, const statement *s) {
  const piece *operand = operand_of(s, m);
  bool address = *operand->at == '[';
  piece value = address ? trimmed(operand->at + 1, operand->end - 1) : *operand;
  const char *offset = address ? memchr(value.at, '+', (size_t)(value.end - value.at)) : NULL;
  piece base = {value.at, offset ? offset : value.end};
  const char *width = width_of(m, s), *sum = width[1] == '6'   ? "s64"
                                             : width[1] == '1' ? "s16"
                                                               : "s32";
  gg_str_printf(out, "{ .reg .%s %%mutant; mov.%s %%mutant, ", width, width);
  put_piece(out, base.at, base.end);
  gg_str_puts(out, "; ");
  if (m->change == SET) gg_str_printf(out, "mov.%s %%mutant, %s; ", width, m->value);
  if (m->change == XOR) gg_str_printf(out, "xor.%s %%mutant, %%mutant, %s; ", width, m->value);
  if (m->change == ADD) gg_str_printf(out, "add.%s %%mutant, %%mutant, %s; ", sum, m->value);
  put_piece(out, s->all.at, base.at);
  gg_str_puts(out, "%mutant");
  put_piece(out, base.end, s->all.end);
  gg_str_puts(out, "; }");
}

void mutate_text(gg_str *out, const char *text, const statement *s, const mutation *m) {
  const char *rest = s->all.end;
  put_piece(out, text, s->all.at);
  if (m && (m->change == XOR || m->change == ADD || m->change == SET)) {
    put_changed(out, m, s);
    rest++; /* the semicolon is inside */
  } else {
    put_piece(out, s->all.at, s->opcode.at); /* the guard */
    if (!m)
      gg_str_puts(out, "trap");
    else if (m->change == DROP)
      gg_str_puts(out, "pmevent 0");
    else
      gg_str_printf(out, "setp.eq.u32 %.*s, 0, 0", (int)(s->operands[0].end - s->operands[0].at),
                    s->operands[0].at);
  }
  gg_str_puts(out, rest);
}

/* ---- All of them ------------------------------------------------------------------------ */

/* Whether a line begins the body of a function: of one that is wanted or not. */
static void note_entry(bool *wanted, const char *entry, const char *line) {
  const char *end = strchr(line, '\n');
  piece all = {line, end ? end : line + strlen(line)};
  if (has(all, ".entry ") || has(all, ".func ")) *wanted = !entry || has(all, entry);
}

void each_statement(const char *text, const char *entry,
                    void (*visit)(void *user, const statement *s), void *user) {
  bool wanted = !entry;
  int line = 1;
  const char *from = text;
  for (const char *at = text; *at; at++) {
    if (at == text || at[-1] == '\n') note_entry(&wanted, entry, at);
    statement s;
    if (*at == ';' && wanted && read_statement(&s, from, at)) {
      s.line = line;
      visit(user, &s);
    }
    if (*at == ';') from = at + 1;
    line += *at == '\n';
  }
}
