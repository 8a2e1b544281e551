/* dots_check FILE.jsonl...: evaluates dot products of tensor cores (README.md has the format), "-"
 * is the standard input. A header's line begins another instruction form. Prints each failure and
 * what was skipped, and ends with "N passed, N failed, N skipped"; exits 1 if any failed or a file
 * is not of the format. A JSON line is a YAML flow mapping, which libyaml reads. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "emu/tensor/dot.h"

/* A vector stands for any element of a tile: each of these has it. */
enum { rows = 2, columns = 8, deepest = 256, longest = 4096 /* elements of a vector */ };

/* An instruction form. */
typedef struct form {
  bool read, known;
  emu_dot_unit unit;
  emu_type a, b, d, scale;
  int k, block, arch;
  bool saturate;
  long vectors, seen; /* as the header says; so far */
  int line;
  const emu_dot_model *model;
  char instruction[200];
} form;

typedef struct tally {
  long passed, failed, skipped;
  int malformed; /* files */
} tally;

typedef struct reader {
  const char *file;
  int line;
  yaml_document_t document;
  bool failed;
} reader;

__attribute__((format(printf, 2, 3))) static bool complain(reader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s:%d: ", r->file, r->line);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  r->failed = true;
  return false;
}

/* ---- Fields ----------------------------------------------------------------------------- */

static const char *text_of(const yaml_node_t *node) {
  return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* NULL where the line has no such field. */
static const char *field(reader *r, const char *name) {
  yaml_node_t *root = yaml_document_get_root_node(&r->document);
  if (!root || root->type != YAML_MAPPING_NODE) return NULL;
  for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top;
       pair++) {
    const char *key = text_of(yaml_document_get_node(&r->document, pair->key));
    if (key && !strcmp(key, name))
      return text_of(yaml_document_get_node(&r->document, pair->value));
  }
  return NULL;
}

static const char *needed(reader *r, const char *name) {
  const char *text = field(r, name);
  if (!text && !r->failed) complain(r, "no \"%s\"", name);
  return text ? text : "";
}

/* A number from 1 on. */
static long number(reader *r, const char *name, long most) {
  const char *text = needed(r, name);
  char *end;
  long value = strtol(text, &end, 10);
  if (!r->failed && (end == text || *end || value < 1 || value > most)) {
    complain(r, "\"%s\" is %s, and must be a number from 1 to %ld", name, text, most);
  }
  return value;
}

static emu_type type(reader *r, const char *name) {
  const char *text = needed(r, name);
  emu_type found = emu_type_find(text, strlen(text));
  if (!r->failed && !found) complain(r, "\"%s\" is %s, which is no type of PTX", name, text);
  return found;
}

static int digits_of(emu_type t) {
  return (emu_type_of(t)->bits + 3) / 4;
}

/* Codes in hexadecimal, at most `most`; gives their number. */
static int codes(reader *r, uint32_t *out, const char *name, emu_type t, int most) {
  const char *text = needed(r, name);
  size_t length = strlen(text);
  int digits = digits_of(t), count = (int)(length / (size_t)digits);
  if (r->failed) return 0;
  size_t valid = strspn(text, "0123456789abcdefABCDEF");
  if (valid < length) {
    complain(r, "\"%s\" has '%c' at %zu, which is no hexadecimal digit", name, text[valid], valid);
  } else if (!length || length % (size_t)digits || length / (size_t)digits > (size_t)most) {
    complain(r, "\"%s\" has %zu digits: %s takes %d an element, for 1 to %d elements", name, length,
             emu_type_of(t)->spelling, digits, most);
  }
  for (int i = 0; !r->failed && i < count; i++) {
    char code[9] = {0};
    memcpy(code, text + i * digits, (size_t)digits);
    out[i] = (uint32_t)strtoul(code, NULL, 16);
    uint32_t unused = (uint32_t)(~UINT64_C(0) << emu_type_of(t)->bits);
    if (out[i] & unused)
      complain(r, "\"%s\" has %s, more than a %s", name, code, emu_type_of(t)->spelling);
  }
  return r->failed ? 0 : count;
}

/* ---- Forms ------------------------------------------------------------------------------ */

static bool find_unit(emu_dot_unit *out, const char *instruction) {
  static const struct {
    const char *part;
    emu_dot_unit unit;
  } units[] = {
      {"kind::mxf8f6f4", EMU_UNIT_MXF8F6F4}, {"kind::mxf4", EMU_UNIT_MXF4},
      {"tcgen05.mma", EMU_UNIT_TCGEN05},     {"wgmma.mma_async", EMU_UNIT_WGMMA},
      {".m8n8k4.", EMU_UNIT_QUADPAIR},       {"mma.sync", EMU_UNIT_MMA},
  };
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strstr(instruction, units[i].part)) {
      *out = units[i].unit;
      return true;
    }
  }
  return false;
}

static bool is_integer(emu_type t) {
  return emu_type_of(t)->kind == 's' || emu_type_of(t)->kind == 'u';
}

/* Whether the emulator has arithmetic for it. */
static bool find_model(form *f) {
  if (!find_unit(&f->unit, f->instruction)) return false;
  if (is_integer(f->a)) {
    return is_integer(f->b) && f->d == EMU_S32 && emu_type_of(f->a)->bits <= 8 &&
           emu_type_of(f->b)->bits <= 8;
  }
  bool blocked = f->unit == EMU_UNIT_MXF4, scaled = blocked || f->unit == EMU_UNIT_MXF8F6F4;
  bool narrow = f->scale == EMU_UE8M0 || (blocked && f->scale == EMU_UE4M3);
  if (scaled != (f->block > 0) || (scaled && !narrow)) return false;
  if (scaled && f->block != 32 && !(blocked && f->block == 16)) return false;
  f->model = emu_dot_find(f->arch, f->unit, f->a, f->d);
  /* B is of A's kind of types: one row has both. */
  return f->model && emu_dot_find(f->arch, f->unit, f->b, f->d) == f->model &&
         (f->k <= f->model->width || f->k % f->model->width == 0) &&
         (f->model->method != EMU_DOT_BLOCKED || f->k % f->model->width == 0) &&
         (!scaled || f->k % f->block == 0);
}

static void finish_form(reader *r, const form *f) {
  if (f->read && f->seen != f->vectors) {
    complain(r, "%ld vectors for the header on line %d, which says %ld", f->seen, f->line,
             f->vectors);
  }
}

static void read_form(reader *r, form *f) {
  const char *arch = needed(r, "arch"), *instruction = needed(r, "instruction");
  *f = (form){.read = true, .line = r->line};
  f->a = type(r, "a");
  f->b = type(r, "b");
  f->d = type(r, "d");
  f->k = (int)number(r, "k", deepest);
  f->vectors = number(r, "vectors", 1L << 40);
  if (field(r, "block")) {
    f->block = (int)number(r, "block", deepest);
    f->scale = type(r, "scale");
  }
  if (r->failed) return;
  if (sscanf(arch, "sm_%d", &f->arch) != 1) {
    complain(r, "\"arch\" is %s, and must be sm_ and a number", arch);
    return;
  }
  if (type(r, "c") != f->d && !r->failed) complain(r, "\"c\" and \"d\" are of different types");
  if (r->failed) return;
  snprintf(f->instruction, sizeof f->instruction, "%s", instruction);
  f->saturate = strstr(instruction, ".satfinite") != NULL;
  f->known = f->k % 4 == 0 && find_model(f);
  if (!f->known) {
    printf("%s:%d: skipped: the emulator has no %s of sm_%d\n", r->file, r->line, f->instruction,
           f->arch);
  }
}

/* ---- Vectors ---------------------------------------------------------------------------- */

typedef struct vector {
  uint32_t a[longest], b[longest], a_scale[longest], b_scale[longest], c, d;
  int count; /* of elements of A and of B */
} vector;

static bool read_vector(reader *r, vector *v, const form *f) {
  v->count = codes(r, v->a, "a", f->a, longest);
  int count = codes(r, v->b, "b", f->b, longest);
  if (r->failed) return false;
  if (count != v->count || count % f->k) {
    return complain(r, "%d elements of A and %d of B: both must be a multiple of k = %d", v->count,
                    count, f->k);
  }
  for (int i = 0; f->block && i < 2; i++) {
    const char *name = i ? "sfb" : "sfa";
    int scales = codes(r, i ? v->b_scale : v->a_scale, name, f->scale, longest);
    if (!r->failed && scales != v->count / f->block) {
      complain(r, "\"%s\" has %d scale factors: %d elements in blocks of %d have %d", name, scales,
               v->count, f->block, v->count / f->block);
    }
  }
  codes(r, &v->c, "c", f->d, 1);
  codes(r, &v->d, "d", f->d, 1);
  return !r->failed;
}

/* Operands of one instruction, equal in all rows and columns. */
typedef struct operands {
  uint32_t a[rows * deepest], b[deepest * columns], a_scale[rows * deepest];
  uint32_t b_scale[deepest * columns], d[rows * columns];
  float a_value[rows * deepest], b_value[deepest * columns];
  float a_factor[rows * deepest], b_factor[deepest * columns];
  int16_t a_exponent[rows * deepest], b_exponent[deepest * columns];
  int16_t a_factor_exponent[rows * deepest], b_factor_exponent[deepest * columns];
} operands;

static void spread(uint32_t *a, uint32_t *b, const uint32_t *from_a, const uint32_t *from_b,
                   int count) {
  for (int i = 0; i < count; i++) {
    for (int row = 0; row < rows; row++) {
      a[row * count + i] = from_a[i];
    }
    for (int column = 0; column < columns; column++) {
      b[i * columns + column] = from_b[i];
    }
  }
}

static void multiply(operands *o, const form *f) {
  size_t of_a = (size_t)(rows * f->k), of_b = (size_t)(f->k * columns);
  emu_tile tile = {rows,          columns,    f->k,          false, o->a_value,
                   o->a_exponent, o->b_value, o->b_exponent, o->d};
  if (!f->model) {
    emu_operand_decode_integer(o->a_value, f->a, o->a, of_a);
    emu_operand_decode_integer(o->b_value, f->b, o->b, of_b);
    emu_dot_integer(&tile, f->saturate);
    return;
  }
  emu_dot_decode(f->model, o->a_value, o->a_exponent, f->a, false, o->a, of_a);
  emu_dot_decode(f->model, o->b_value, o->b_exponent, f->b, false, o->b, of_b);
  if (!f->block) {
    emu_dot(f->model, &tile);
    return;
  }
  size_t blocks = (size_t)(f->k / f->block);
  emu_operand_decode_scale(o->a_factor, o->a_factor_exponent, f->scale, o->a_scale, rows * blocks);
  emu_operand_decode_scale(o->b_factor, o->b_factor_exponent, f->scale, o->b_scale,
                           columns * blocks);
  emu_dot_scaled(f->model, &tile,
                 &(emu_scales){f->block, o->a_factor, o->a_factor_exponent, o->b_factor,
                               o->b_factor_exponent});
}

/* One instruction after the other, D of one being C of the next. */
static bool agrees(uint32_t *got, operands *o, const vector *v, const form *f) {
  for (int i = 0; i < rows * columns; i++) {
    o->d[i] = v->c;
  }
  for (int k = 0; k < v->count; k += f->k) {
    spread(o->a, o->b, v->a + k, v->b + k, f->k);
    if (f->block) {
      int block = k / f->block;
      spread(o->a_scale, o->b_scale, v->a_scale + block, v->b_scale + block, f->k / f->block);
    }
    multiply(o, f);
  }
  *got = v->d;
  for (int i = 0; *got == v->d && i < rows * columns; i++) {
    *got = o->d[i];
  }
  return *got == v->d;
}

static void judge(reader *r, form *f, vector *v, operands *o, tally *t) {
  if (!f->read) {
    complain(r, "a vector before any header");
    return;
  }
  f->seen++;
  if (!f->known) {
    t->skipped++;
    return;
  }
  if (!read_vector(r, v, f)) return;
  uint32_t got;
  if (agrees(&got, o, v, f)) {
    t->passed++;
    return;
  }
  int digits = digits_of(f->d);
  const char *class = field(r, "class");
  printf("%s:%d: %s of sm_%d, %s: %0*x, not %0*x\n", r->file, r->line, f->instruction, f->arch,
         class ? class : "no class", digits, got, digits, v->d);
  t->failed++;
}

/* ---- Files ------------------------------------------------------------------------------ */

typedef struct state {
  form form;
  vector vector;
  operands operands;
} state;

static void read_line(reader *r, const char *line, size_t length, state *s, tally *t) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) abort();
  yaml_parser_set_input_string(&parser, (const unsigned char *)line, length);
  if (!yaml_parser_load(&parser, &r->document)) {
    complain(r, "not JSON: %s", parser.problem ? parser.problem : "unreadable");
  } else {
    yaml_node_t *root = yaml_document_get_root_node(&r->document);
    if (!root || root->type != YAML_MAPPING_NODE) {
      complain(r, "not a JSON object");
    } else if (field(r, "instruction")) {
      finish_form(r, &s->form);
      if (!r->failed) read_form(r, &s->form);
    } else {
      judge(r, &s->form, &s->vector, &s->operands, t);
    }
    yaml_document_delete(&r->document);
  }
  yaml_parser_delete(&parser);
}

/* What is not of the format ends the file. */
static void read_file(const char *path, state *s, tally *t) {
  bool standard = !strcmp(path, "-");
  FILE *file = standard ? stdin : fopen(path, "r");
  reader r = {.file = standard ? "(standard input)" : path};
  if (!file) {
    perror(path);
    t->malformed++;
    return;
  }
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  s->form = (form){0};
  while (!r.failed && (length = getline(&line, &capacity, file)) > 0) {
    r.line++;
    read_line(&r, line, (size_t)length, s, t);
  }
  if (!r.failed && ferror(file)) complain(&r, "cannot be read further");
  if (!r.failed && !s->form.read) complain(&r, "no header: the file is empty");
  if (!r.failed) finish_form(&r, &s->form);
  t->malformed += r.failed;
  free(line);
  if (!standard) fclose(file);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: dots_check FILE.jsonl... (- is the standard input)\n");
    return 2;
  }
  tally t = {0};
  state *s = calloc(1, sizeof *s);
  if (!s) abort();
  for (int i = 1; i < argc; i++) {
    read_file(argv[i], s, &t);
  }
  free(s);
  printf("%ld passed, %ld failed, %ld skipped\n", t.passed, t.failed, t.skipped);
  return t.failed || t.malformed ? 1 : 0;
}
