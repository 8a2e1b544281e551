#include "cli/cases.h"

#include <stdio.h>
#include <string.h>

#include "atom/dtype.h"
#include "atom/scale_layout.h"
#include "base/alloc.h"
#include "base/text.h"
#include "choice/form.h"
#include "problem.h"
#include "spec/keys.h"

/* ---- Parsing -------------------------------------------------------------------------- */

enum { field_count = CLI_CASE_FIELDS };

static const char *const field_names[field_count] = {
    "type of A",  "type of B", "type of D", "accumulator", "major of A", "major of B",
    "major of D", "M",         "N",         "K",           "batch"};

/* One field of a line. */
typedef struct field {
  const char *text;
  size_t length;
  gg_mark mark;
} field;

static gg_status refuse(const field *f, int number, const char *wanted, gg_error *err) {
  char given[GG_SHOWN_MAX], shown[GG_SHOWN_MAX], text[4 * GG_SHOWN_MAX];
  snprintf(given, sizeof given, "%.*s", (int)f->length, f->text);
  snprintf(text, sizeof text, "the %s is %s, not '%s'", field_names[number], wanted,
           gg_shown(shown, given));
  return gg_fail(err, CASES, &f->mark, text);
}

static bool is(const field *f, const char *word) {
  return strlen(word) == f->length && memcmp(word, f->text, f->length) == 0;
}

static gg_status read_type(gg_dtype *out, const field *f, int number, gg_error *err) {
  for (int type = 0; type < GG_DTYPE_COUNT; type++) {
    const gg_dtype_info *info = gg_dtype_info_of((gg_dtype)type);
    if (info->kind == 'c' || !is(f, info->name)) continue; /* there are no complex products */
    *out = (gg_dtype)type;
    return GG_OK;
  }
  char given[GG_SHOWN_MAX], wanted[GG_NEAR_BYTES + 32];
  gg_near near;
  snprintf(given, sizeof given, "%.*s", (int)f->length, f->text);
  gg_near_word(&near, given, gg_key_find("a.type", strlen("a.type")));
  snprintf(wanted, sizeof wanted, "a number type such as %s", near.best[0] ? near.best : "bf16");
  return refuse(f, number, wanted, err);
}

/* Takes ":sparse" or ":xor" out of what stands behind a type's name. True where it was there. */
static bool take_word(field *f, const char *word, char room[GG_SHOWN_MAX]) {
  const size_t length = strlen(word);
  const char *colon = memchr(f->text, ':', f->length);
  size_t before = colon ? (size_t)(colon - f->text) : 0;
  if (!colon || f->length - before < length || f->length > GG_SHOWN_MAX ||
      memcmp(colon, word, length) != 0)
    return false;
  size_t after = f->length - before - length;
  if (after > 0 && colon[length] != ':') return false;
  memcpy(room, f->text, before);
  memcpy(room + before, colon + length, after);
  *f = (field){room, before + after, f->mark};
  return true;
}

/* Reads a type and, behind it, the scale factors that it may have: "e4m3:ue8m0", "e2m1:ue8m0:16". A
 * factor covers the usual number of elements, times `stored`, where no number is given. */
static gg_status read_scaled_type(gg_dtype *type, gg_scaling *scaling, const field *f, int stored,
                                  int number, gg_error *err) {
  static const char wanted[] =
      "a number type, with factors as in e4m3:ue8m0, e2m1:ue4m3 (blocks of 16) and e2m1:ue8m0:16";
  static const char *const blocks[] = {"16", "32", "64"};
  const char *colon = memchr(f->text, ':', f->length);
  *scaling = (gg_scaling){.block = 0};
  if (!colon) return read_type(type, f, number, err);
  const char *end = f->text + f->length,
             *second = memchr(colon + 1, ':', (size_t)(end - colon - 1));
  const field own = {f->text, (size_t)(colon - f->text), f->mark};
  const field factor = {colon + 1, (size_t)((second ? second : end) - colon - 1), f->mark};
  const field block = {second ? second + 1 : end, second ? (size_t)(end - second - 1) : 0, f->mark};
  bool coarse = is(&factor, "ue8m0");
  if (!coarse && !is(&factor, "ue4m3")) return refuse(f, number, wanted, err);
  int given = 0;
  for (int i = 0; i < 3; i++)
    if (is(&block, blocks[i])) given = 16 << i;
  if (second && (given < 16 * stored || given > 32 * stored)) return refuse(f, number, wanted, err);
  scaling->type = coarse ? GG_DTYPE_ue8m0 : GG_DTYPE_ue4m3;
  scaling->block = second ? given : gg_scale_usual_block(scaling->type) * stored;
  return read_type(type, &own, number, err);
}

/* Reads the types of A and B, of which one may be sparse, and of D. */
static gg_status read_types(cli_case *out, const field *f, gg_error *err) {
  char room[2][GG_SHOWN_MAX];
  field a = f[0], b = f[1];
  out->xor_bits = take_word(&a, ":xor", room[0]);
  out->sparse_a = take_word(&a, ":sparse", room[0]);
  out->sparse_b = take_word(&b, ":sparse", room[1]);
  if (out->sparse_a && out->sparse_b) return refuse(&f[1], 1, "dense beside a sparse A", err);
  int stored = out->sparse_a || out->sparse_b ? 2 : 1;
  gg_status st = read_scaled_type(&out->a, &out->scale_a, &a, stored, 0, err);
  if (!st) st = read_scaled_type(&out->b, &out->scale_b, &b, stored, 1, err);
  return st ? st : read_scaled_type(&out->d, &out->scale_d, &f[2], 1, 2, err);
}

static gg_status read_accumulator(cli_case *out, const field *f, gg_error *err) {
  static const gg_dtype types[] = {GG_DTYPE_f32, GG_DTYPE_f16, GG_DTYPE_s32, GG_DTYPE_f64};
  out->fast = is(f, "f32fast");
  out->accumulator = GG_DTYPE_f32;
  if (out->fast) return GG_OK;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (!is(f, gg_dtype_info_of(types[i])->name)) continue;
    out->accumulator = types[i];
    return GG_OK;
  }
  return refuse(f, 3, "f32, f16, s32, f64 or f32fast", err);
}

/* Reads a major. `first` and `second` are the letters of the two that the operand may have. */
static gg_status read_major(gg_major *out, const field *f, int number, const char *first,
                            gg_major first_major, const char *second, gg_major second_major,
                            gg_error *err) {
  char wanted[16] = {first[0], ' ', 'o', 'r', ' ', second[0], '\0'};
  *out = is(f, first) ? first_major : second_major;
  return is(f, first) || is(f, second) ? GG_OK : refuse(f, number, wanted, err);
}

static gg_status read_extent(int64_t *out, const field *f, int number, gg_error *err) {
  *out = 0;
  bool good = f->length > 0;
  for (size_t i = 0; i < f->length && good; i++) {
    int digit = f->text[i] - '0';
    good = digit >= 0 && digit <= 9 && !__builtin_mul_overflow(*out, 10, out) &&
           !__builtin_add_overflow(*out, digit, out);
  }
  return good && *out > 0 ? GG_OK : refuse(f, number, "a positive integer", err);
}

static gg_status read_case(cli_case *out, const field *f, gg_error *err) {
  gg_status st = read_types(out, f, err);
  if (!st) st = read_accumulator(out, &f[3], err);
  if (!st) st = read_major(&out->a_major, &f[4], 4, "k", GG_MAJOR_K, "m", GG_MAJOR_M, err);
  if (!st) st = read_major(&out->b_major, &f[5], 5, "k", GG_MAJOR_K, "n", GG_MAJOR_N, err);
  if (!st) st = read_major(&out->d_major, &f[6], 6, "n", GG_MAJOR_N, "m", GG_MAJOR_M, err);
  int64_t *const extents[] = {&out->m, &out->n, &out->k, &out->batch};
  for (int i = 0; i < 4 && !st; i++)
    st = read_extent(extents[i], &f[7 + i], 7 + i, err);
  return st;
}

gg_status cli_case_read(cli_case *out, const char *const texts[CLI_CASE_FIELDS],
                        const char *const paths[CLI_CASE_FIELDS], gg_error *err) {
  field fields[field_count];
  for (int i = 0; i < field_count; i++)
    fields[i] = (field){texts[i], strlen(texts[i]), {.path = paths[i]}};
  *out = (cli_case){0};
  return read_case(out, fields, err);
}

/* Splits [text, end) into fields and returns how many there are. It stops one field beyond the most
 * that a line may have. */
static int split(field *out, const char *text, const char *end, const char *name, int line) {
  int count = 0;
  for (const char *at = text; at < end && count <= field_count;) {
    if (strchr(" \t\r", *at)) {
      at++;
      continue;
    }
    size_t length = 0;
    while (at + length < end && !strchr(" \t\r", at[length]))
      length++;
    gg_mark mark = {.file = name, .line = line, .column = (int)(at - text) + 1};
    out[count++] = (field){at, length, mark};
    at += length;
  }
  return count;
}

gg_status cli_cases_add(cli_cases *out, const cli_case *c, gg_error *err) {
  cli_case *list = gg_realloc(out->list, (out->count + 1) * sizeof *list);
  if (!list) return gg_fail(err, MEMORY, NULL, "");
  out->list = list;
  out->list[out->count++] = *c;
  return GG_OK;
}

static gg_status parse_line(cli_cases *out, const char *text, const char *end, const char *name,
                            int line, gg_error *err) {
  field fields[field_count + 1];
  const char *comment = memchr(text, '#', (size_t)(end - text));
  int count = split(fields, text, comment ? comment : end, name, line);
  if (count == 0) return GG_OK;
  if (count > field_count) {
    return gg_fail(err, CASES, &fields[field_count].mark,
                   "a case has 11 fields; here is a twelfth");
  }
  if (count < field_count) {
    const field *last = &fields[count - 1];
    gg_mark mark = last->mark;
    mark.column += (int)last->length;
    char message[80];
    snprintf(message, sizeof message, "a case has 11 fields, this one %d: the %s is missing", count,
             field_names[count]);
    return gg_fail(err, CASES, &mark, message);
  }
  cli_case c = {0};
  gg_status st = read_case(&c, fields, err);
  return st ? st : cli_cases_add(out, &c, err);
}

gg_status cli_cases_parse(cli_cases *out, const char *text, const char *name, gg_error *err) {
  *out = (cli_cases){0};
  int line = 1;
  for (const char *at = text; *at; line++) {
    const char *end = at + strcspn(at, "\n");
    gg_status st = parse_line(out, at, end, name, line, err);
    if (st) {
      cli_cases_free(out);
      return st;
    }
    at = end + (*end == '\n');
  }
  return GG_OK;
}

void cli_cases_free(cli_cases *cases) {
  gg_free(cases->list);
  *cases = (cli_cases){0};
}

/* ---- Names and cover ------------------------------------------------------------------ */

static char letter(gg_major major) {
  return major == GG_MAJOR_K ? 'k' : major == GG_MAJOR_M ? 'm' : 'n';
}

void cli_case_name(gg_str *out, const cli_case *c) {
  int stored = c->sparse_a || c->sparse_b ? 2 : 1;
  gg_scaled_type_name(out, c->a, c->sparse_a, c->scale_a, stored);
  gg_str_puts(out, c->xor_bits ? ":xor," : ",");
  gg_scaled_type_name(out, c->b, c->sparse_b, c->scale_b, stored);
  gg_str_putc(out, ',');
  gg_scaled_type_name(out, c->d, false, c->scale_d, 1);
  gg_str_printf(out, ",%s%s,%c%c%c,%lldx%lldx%lld,b%lld", gg_dtype_info_of(c->accumulator)->name,
                c->fast ? "fast" : "", letter(c->a_major), letter(c->b_major), letter(c->d_major),
                (long long)c->m, (long long)c->n, (long long)c->k, (long long)c->batch);
  if (c->pointers) gg_str_puts(out, ",pointers");
}

static bool same_operand(char name, gg_dtype type, gg_major major, const gg_operand *operand,
                         gg_str *why) {
  if (type == operand->type && major == operand->major) return true;
  gg_str_printf(why, "%c is %s %c-major", name, gg_dtype_info_of(operand->type)->name,
                letter(operand->major));
  return false;
}

static bool same_sparsity(char name, bool wanted, bool has, gg_str *why) {
  if (wanted != has) gg_str_printf(why, "%c is %s", name, has ? "sparse" : "dense");
  return wanted == has;
}

static bool same_factors(char name, gg_scaling wanted, gg_scaling has, gg_str *why) {
  if (gg_same_scaling(wanted, has)) return true;
  if (has.block)
    gg_str_printf(why, "%c has a factor of %s for each %d elements", name,
                  gg_dtype_info_of(has.type)->name, has.block);
  else
    gg_str_printf(why, "%c has no factors", name);
  return false;
}

/* The densely packed problem, at addresses with every alignment and with as much workspace as any
 * kernel wants. */
static gg_problem dense_problem(const cli_case *c) {
  return (gg_problem){
      .size = sizeof(gg_problem),
      .m = c->m,
      .n = c->n,
      .k = c->k,
      .batch = c->batch,
      .alpha = 1,
      .a = 4096,
      .b = 4096,
      .c = 4096,
      .d = 4096,
      .scale_a = 4096,
      .scale_b = 4096,
      .scale_d = 4096,
      .metadata = 4096,
      .workspace = 4096,
      .workspace_bytes = INT64_MAX,
      .lda = c->a_major == GG_MAJOR_K ? c->k : c->m,
      .ldb = c->b_major == GG_MAJOR_K ? c->k : c->n,
      .ldc = c->d_major == GG_MAJOR_N ? c->n : c->m,
      .ldd = c->d_major == GG_MAJOR_N ? c->n : c->m,
  };
}

/* Places the operands of the epilogue, packed, at made-up addresses; likewise scale factors,
 * scalars, and the stored part of a sparse operand. */
static gg_status place_extras(gg_problem *p, const gg_kernel *kernel, gg_error *err) {
  gg_problem packed = *p;
  gg_status st = gg_problem_pack(&packed, kernel, err);
  p->pointers = kernel->pointers != 0;
  if (kernel->sparse_a) p->lda = packed.lda, p->batch_stride_a = packed.batch_stride_a;
  if (kernel->sparse_b) p->ldb = packed.ldb, p->batch_stride_b = packed.batch_stride_b;
  p->batch_stride_metadata = packed.batch_stride_metadata;
  p->batch_stride_scale_a = packed.batch_stride_scale_a;
  p->batch_stride_scale_b = packed.batch_stride_scale_b;
  p->batch_stride_scale_d = packed.batch_stride_scale_d;
  for (size_t i = 0; i < kernel->operation_count; i++) {
    p->extras[i] = packed.extras[i];
    p->extras[i].address = 4096;
  }
  gg_problem_place_scalars(p, kernel, 4096, 4096);
  return st;
}

bool cli_kernel_is_fast(const gg_kernel *kernel) {
  return kernel->accumulator_bits && !kernel->accumulator_span;
}

bool cli_case_covered(const cli_case *c, const gg_kernel *kernel, gg_str *why) {
  if (!same_operand('A', c->a, c->a_major, &kernel->a, why)) return false;
  if (!same_operand('B', c->b, c->b_major, &kernel->b, why)) return false;
  if (!same_operand('D', c->d, c->d_major, &kernel->d, why)) return false;
  if (!same_factors('A', c->scale_a, kernel->scale_a, why)) return false;
  if (!same_factors('B', c->scale_b, kernel->scale_b, why)) return false;
  if (!same_factors('D', c->scale_d, kernel->scale_d, why)) return false;
  if (!same_sparsity('A', c->sparse_a, kernel->sparse_a, why)) return false;
  if (!same_sparsity('B', c->sparse_b, kernel->sparse_b, why)) return false;
  if (c->xor_bits != (kernel->xor_bits != 0)) {
    gg_str_printf(why, "bits by %s", kernel->xor_bits ? "xor" : "and");
    return false;
  }
  if (c->pointers != (kernel->pointers != 0)) {
    gg_str_puts(why, kernel->pointers ? "takes arrays of addresses"
                                      : "takes matrices at a constant stride");
    return false;
  }
  bool fast = cli_kernel_is_fast(kernel);
  if (c->accumulator != kernel->accumulator || c->fast != fast) {
    gg_str_printf(why, "accumulates in %s%s", gg_dtype_info_of(kernel->accumulator)->name,
                  fast ? "fast" : "");
    return false;
  }
  gg_problem p = dense_problem(c);
  gg_launch_facts prepared;
  gg_error err = GG_ERROR_INIT;
  bool fits = !__builtin_mul_overflow(c->m, c->k, &p.batch_stride_a) &&
              !__builtin_mul_overflow(c->n, c->k, &p.batch_stride_b) &&
              !__builtin_mul_overflow(c->m, c->n, &p.batch_stride_d);
  p.batch_stride_c = p.batch_stride_d;
  if (!fits) {
    gg_str_puts(why, "larger than int64 can address");
    return false;
  }
  if (place_extras(&p, kernel, &err) == GG_OK &&
      gg_problem_check(&prepared, kernel, &p, 1, gg_device_row(0), &err) == GG_OK) {
    return true;
  }
  gg_str_puts(why, err.message);
  gg_error_clear(&err);
  return false;
}
