#include "draw.h"

#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "problem.h"

/* ---- Chance --------------------------------------------------------------------------- */

int64_t draw_below(draws *from, int64_t count) {
  return (int64_t)(gg_random(from->seed, from->drawn++) % (uint64_t)count);
}

static bool chance(draws *from, int percent) {
  return draw_below(from, 100) < percent;
}

enum { word_max = 48 };

/* One of the words of a list with bars between; what stands there twice is twice as likely. */
static const char *pick(char out[word_max], draws *from, const char *words) {
  int64_t count = 1;
  for (const char *at = words; *at; at++)
    count += *at == '|';
  for (int64_t skip = draw_below(from, count); skip > 0; skip--)
    words = strchr(words, '|') + 1;
  snprintf(out, word_max, "%.*s", (int)strcspn(words, "|"), words);
  return out;
}

/* "key: word", in `percent` of all specs. */
static void maybe(gg_str *out, draws *from, int percent, const char *key, const char *words) {
  char word[word_max];
  if (chance(from, percent)) gg_str_printf(out, "%s: %s\n", key, pick(word, from, words));
}

static int draw_number(draws *from, const char *words) {
  char word[word_max];
  int number = 0;
  (void)sscanf(pick(word, from, words), "%d", &number);
  return number;
}

/* ---- Operands ------------------------------------------------------------------------- */

/* PLAIN: family sm120 with types that every mma.sync has, by its atom's name. */
typedef enum family { SM90, SM80, NAIVE, SM100, SIMT, SM120, PLAIN } family;

/* What the rest of a spec depends on. */
typedef struct nature {
  family family;
  char a[word_max], b[word_max]; /* types */
  char scale[word_max];          /* type of the factors of A's and B's blocks, or "" */
  bool half, fp8, integers, has_c;
  bool packed; /* floats of 6 and 4 bits among them */
  char sparse; /* which is: 'a' or 'b'; 0: neither */
  int bytes;
  int in_byte; /* elements that a byte has, of integers of less than 8 bits; else 1 */
} nature;

static bool is_packed(const char *type) {
  return strncmp(type, "e2", 2) == 0 || strncmp(type, "e3", 2) == 0;
}

/* Of families sm100 and sm120: B of any width, and factors. */
static void draw_narrow(nature *out, draws *from) {
  pick(out->b, from, "e4m3|e5m2|e2m1|e2m1|e3m2|e2m3");
  out->packed = is_packed(out->a) || is_packed(out->b);
  bool both = strcmp(out->a, "e2m1") == 0 && strcmp(out->b, "e2m1") == 0;
  if (chance(from, 50)) pick(out->scale, from, both ? "ue8m0|ue4m3" : "ue8m0");
}

/* Of families sm80 and sm120 a sparse operand came later: by draws of its own, so that everything
 * else that a seed gives stays as it is. */
static void draw_sparse_later(nature *out, const draws *from) {
  draws own = {.seed = from->seed ^ 0x6666666666666666, .drawn = from->drawn};
  bool may = (out->family == SM80 && out->bytes < 8) || out->family == SM120;
  if (!may || !chance(&own, 25)) return;
  out->sparse = out->family == SM120 && chance(&own, 30) ? 'b' : 'a';
}

/* Likewise in place of some of its bytes elements of which a byte has several. */
static void draw_bits_later(nature *out, const draws *from) {
  draws own = {.seed = from->seed ^ 0x7777777777777777, .drawn = from->drawn};
  if (out->family != SM80 || !out->integers || out->sparse || !chance(&own, 60)) return;
  bool bits = chance(&own, 35);
  pick(out->a, &own, bits ? "b1" : "s4|u4");
  pick(out->b, &own, bits ? "b1" : "s4|u4");
  out->in_byte = bits ? 8 : 2;
}

static nature draw_nature(draws *from, family of) {
  static const char *const types[] = {
      [SM90] = "f16|bf16|f16|bf16|tf32|e4m3|e4m3|e5m2|s8|s8|u8",
      [SM80] = "f16|bf16|f16|bf16|tf32|e4m3|e5m2|s8|u8|f64",
      [NAIVE] = "f16|bf16|f32",
      [SIMT] = "f32|f32|f64|f16|bf16|s8|s8|u8",
      [SM120] = "e4m3|e4m3|e5m2|e2m1|e2m1|e3m2|e2m3",
      [PLAIN] = "f16|bf16|f16|bf16|tf32|s8|u8",
      [SM100] = "f16|bf16|f16|bf16|tf32|e4m3|e4m3|e5m2|s8|u8|e2m1|e2m1|e3m2|e2m3",
  };
  nature out = {.family = of, .in_byte = 1};
  pick(out.a, from, types[out.family]);
  out.half = strstr(out.a, "f16") != NULL;
  out.fp8 = out.a[0] == 'e';
  out.integers = out.a[0] == 's' || out.a[0] == 'u';
  out.has_c = chance(from, 40);
  bool wide = strcmp(out.a, "f64") == 0;
  out.bytes = wide ? 8 : out.half ? 2 : out.fp8 || out.integers ? 1 : 4;
  snprintf(out.b, sizeof out.b, "%s", out.a);
  if (out.fp8 && (of == SM100 || of == SM120))
    draw_narrow(&out, from);
  else if (out.fp8)
    pick(out.b, from, "e4m3|e5m2");
  if (out.integers) pick(out.b, from, "s8|u8");
  if (of == SM100 && chance(from, 20)) out.sparse = chance(from, 40) ? 'b' : 'a';
  draw_sparse_later(&out, from);
  draw_bits_later(&out, from);
  return out;
}

/* `more`: further keys; a major is drawn from `own`. */
static void draw_operand(gg_str *out, draws *from, const char *name, const char *type,
                         const char *more, draws *own, const char *majors, int aligned_less) {
  char word[word_max];
  bool wide = strstr(type, "32") || strstr(type, "64"), half = strstr(type, "f16") != NULL;
  const char *bytes = wide ? "4|4|8|16|2" : half ? "2|2|4|4|8|16|32|1" : "1|1|2|4|8|16";
  gg_str_printf(out, "%s: {type: %s%s", name, type, more);
  if (*majors) gg_str_printf(out, ", major: %s", pick(word, own, majors));
  if (chance(from, aligned_less)) gg_str_printf(out, ", align: %s", pick(word, from, bytes));
  gg_str_puts(out, "}\n");
}

/* Of families sm100 and sm120: a D whose blocks have factors. */
static void draw_scaled_d(gg_str *out, draws *from) {
  char type[word_max], scale[word_max], more[word_max + 16];
  pick(type, from, "e4m3|e5m2|e2m1|e2m1");
  pick(scale, from, is_packed(type) ? "ue8m0|ue4m3|{type: ue8m0, block: 16}" : "ue8m0");
  snprintf(more, sizeof more, ", scale: %s", scale);
  draw_operand(out, from, "d", type, more, from, "", is_packed(type) ? 2 : 30);
}

/* Of 8- and 32-bit operands of family sm90, and of bytes of sm120, majors came later: by draws of
 * their own, so that everything else that a seed gives stays as it is. */
static bool draws_majors_later(draws *own, const nature *is) {
  bool later = (is->family == SM90 && !is->half) || is->family == SM120;
  return later && chance(own, 40);
}

/* Operands of tf32 that are promised to be rounded came later. */
static bool draws_rounded_later(const draws *from, const nature *is) {
  draws own = {.seed = from->seed ^ 0xaaaaaaaaaaaaaaaa, .drawn = from->drawn};
  return strcmp(is->a, "tf32") == 0 && chance(&own, 30);
}

static void draw_operands(gg_str *out, draws *from, const nature *is) {
  draws later = {.seed = from->seed ^ 0x3333333333333333, .drawn = from->drawn};
  bool any = is->packed || is->family == SM120 ? chance(from, 2)
             : is->family == SM100             ? is->bytes < 4 || chance(from, 50)
             : is->family == PLAIN             ? is->half || chance(from, 30)
                                               : is->family != SM90 || is->half || chance(from, 2);
  if (is->family == SM80 && is->sparse && !is->half) any = chance(from, 2); /* it refuses them */
  if (is->in_byte > 1) any = false;
  if (is->in_byte == 8) maybe(out, &later, 60, "bits", "xor|xor|and");
  draws *majors = !any && draws_majors_later(&later, is) ? &later : from;
  bool bytes = majors != from; /* and 32 bits: not what is packed */
  char word[word_max];
  const char *results = is->integers     ? "s32|s32|s8|u8|f32|f16|bf16|e4m3"
                        : is->bytes == 8 ? "f64|f64|f64|f32|f16"
                        : is->fp8        ? "bf16|f32|f16|e4m3|e5m2|s8"
                                         : "f32|f16|bf16|f32|f16|bf16|e4m3|s8|u8";
  /* Which sm100 refuses of some, and sm120. */
  bool lines = is->family != SM100 || !(is->packed || *is->scale || is->sparse);
  int unaligned = lines && is->family != SM120 && is->family != PLAIN ? 25 : 3;
  char scale[word_max + 16], more[word_max + 32];
  snprintf(scale, sizeof scale, "%s%s", *is->scale ? ", scale: " : "", is->scale);
  snprintf(more, sizeof more, "%s, sparse: true", scale);
  if (draws_rounded_later(from, is)) snprintf(scale, sizeof scale, ", rounded: true");
  draw_operand(out, from, "a", is->a, is->sparse == 'a' ? more : scale, majors,
               any || (bytes && !is_packed(is->a)) ? "k|m" : "", unaligned);
  draw_operand(out, from, "b", is->b, is->sparse == 'b' ? more : scale, majors,
               any || (bytes && !is_packed(is->b)) ? "k|n" : "", unaligned);
  draws stores = {.seed = from->seed ^ 0x9999999999999999, .drawn = from->drawn};
  bool stored = is->family == SM90 && chance(&stores, 15); /* which came later */
  const char *store = !stored ? "" : chance(&stores, 80) ? ", store: lanes" : ", store: boxes";
  draws factors = {.seed = from->seed ^ 0x8888888888888888, .drawn = from->drawn};
  if (is->family == SM120 && chance(&factors, 25)) /* which came later */
    draw_scaled_d(out, &factors);
  else if (is->family == SM100 && chance(from, 25))
    draw_scaled_d(out, from);
  else
    draw_operand(out, from, "d", pick(word, from, results), store, from, "n|n|m", 30);
  if (!is->has_c) return;
  if (chance(from, 60))
    gg_str_puts(out, "c: auto\n");
  else
    draw_operand(out, from, "c", pick(word, from, results), "", from, "n|m", 30);
}

/* ---- The tile and what computes it ---------------------------------------------------- */

static const char schedulers[] =
    "persistent|data_parallel|split_k|stream_k|{kind: split_k, splits: 3}";

/* `swap`: of the transposed problem, whose rows are the tile's columns. */
static void put_tile(gg_str *out, bool swap, int rows, int columns, int k) {
  gg_str_printf(out, "tile: [%d, %d, %d]\n", swap ? columns : rows, swap ? rows : columns, k);
}

/* The same in most specs, with `swap_ab` in most of those that need it. */
static void draw_put_tile(gg_str *out, draws *from, bool swap, int rows, int columns, int k) {
  if (!chance(from, 5)) put_tile(out, swap, rows, columns, k);
  if (swap) maybe(out, from, 80, "swap_ab", "true");
}

static void draw_tile_of_sm90(gg_str *out, draws *from, const nature *is) {
  int rows = draw_number(from, "64|64|64|128|128|192|256");
  int columns = draw_number(from, is->integers ? "8|16|24|32|48|64|64|96|128|40"
                                               : "8|16|24|32|40|56|64|64|72|96|128|192");
  if (rows > 64 && chance(from, 8)) columns = draw_number(from, "208|224|240|264|272|288|320");
  int k = 32 / is->bytes * draw_number(from, "1|2|2|4|4|4|8|3");
  bool swap = chance(from, 30);
  if (!chance(from, 4)) put_tile(out, swap, rows, columns, k);
  if (swap)
    maybe(out, from, 70, "swap_ab", "true");
  else
    maybe(out, from, 30, "swap_ab", "false");
  if (is->fp8) maybe(out, from, 40, "promote", "1|2|4|0|3");
  maybe(out, from, 40, "schedule",
        rows == 64 ? "warp_specialized|pingpong|pingpong|multistage"
                   : "cooperative|pingpong|multistage|warp_specialized");
  maybe(out, from, 12, "operand_source", "{a: registers}|{a: shared}|{b: registers}");
  maybe(out, from, 30, "cluster",
        "[1,1,1]|[2,1,1]|[1,2,1]|[2,2,1]|[4,1,1]|[1,4,1]|[3,1,1]|[4,2,1]|[1,8,1]|[1,1,2]|[1,1,2]|"
        "[1,1,3]|[1,1,4]|[1,1,8]|[1,1,16]|[2,1,2]|[1,2,4]|[2,2,2]");
  if (chance(from, 15)) {
    gg_str_puts(out, "scheduler: {kind: split_k");
    gg_str_printf(out, ", splits: %d}\n", draw_number(from, "1|2|3|4|8|200"));
  } else {
    maybe(out, from, 60, "scheduler", "split_k|stream_k|stream_k|persistent|data_parallel");
  }
}

static void draw_tile_of_sm100(gg_str *out, draws *from, const nature *is) {
  bool pair = chance(from, 45), swap = is->sparse == 'b' || chance(from, is->sparse ? 2 : 25);
  int rows = draw_number(from, is->sparse ? *is->scale ? "128|128|256" : "64|64|128|128|256"
                               : pair     ? "64|64|128|128|128|256"
                                          : "64|64|128|128|256");
  int columns = draw_number(from, pair ? "32|64|64|96|128|192|256|320|512"
                                       : "8|16|16|24|32|48|64|80|96|128|176|256|288|384");
  const char *steps = is->bytes > 2 ? "64" : "128|128|256"; /* of a sparse A */
  int k = is->sparse                 ? draw_number(from, is->packed || *is->scale ? "256" : steps)
          : is->packed || *is->scale ? draw_number(from, "128|128|128|256|256|512|64")
                                     : 32 / is->bytes * draw_number(from, "1|2|2|4|4|4|8|3");
  bool pairs = !strcmp(is->a, "e2m1") && !strcmp(is->b, "e2m1") && *is->scale && !is->sparse;
  bool long_k = pairs && chance(from, 50); /* sm_103's */
  if (long_k) {
    k = draw_number(from, "384|384|768|192");
    gg_str_printf(out, "atom: m%dn%dk96\n", pair ? 2 * rows : rows, columns);
  }
  if (long_k || !chance(from, 4)) put_tile(out, swap, rows, columns, k);
  if (swap) maybe(out, from, 80, "swap_ab", "true");
  gg_str_puts(out, pair ? "cta_group: 2\n" : "");
  maybe(out, from, 40, "accumulator_stages", "1|1|2|2|3|4");
  maybe(out, from, 8, "atom_layout", "[1,1,1]|[1,2,1]|[2,1,1]|[2,2,1]");
  maybe(out, from, 10, "schedule", "warp_specialized");
  maybe(out, from, 15, "operand_source", swap ? "{b: tensor_memory}" : "{a: tensor_memory}");
  maybe(out, from, 50, "cluster",
        !pair  ? "[1,1,1]|[2,1,1]|[1,2,1]|[2,2,1]|[4,1,1]|[1,4,1]|[3,1,1]|[4,2,1]"
        : swap ? "[1,2,1]|[2,2,1]|[1,4,1]|[2,4,1]"
               : "[2,1,1]|[2,2,1]|[4,1,1]|[4,2,1]|[2,4,1]|[6,1,1]");
  maybe(out, from, 70, "scheduler",
        "persistent|data_parallel|split_k|stream_k|dynamic|{kind: split_k, splits: 3}");
}

static void draw_tile_of_sm120(gg_str *out, draws *from, const nature *is) {
  bool scaled = *is->scale != 0, swap = chance(from, scaled ? 8 : 25);
  bool packed = strcmp(is->scale, "ue4m3") == 0 || (is->packed && strcmp(is->a, is->b) == 0);
  int rows = draw_number(from, scaled ? "128|128|128|256" : "64|64|64|128|128|192");
  int columns = draw_number(from, scaled ? "128|128|128|256" : "16|32|32|48|64|64|96|128|256");
  int k = draw_number(from, scaled && packed       ? "64|128|128|256"
                            : scaled || is->packed ? "128|128|256"
                                                   : "32|64|64|96|128|128|256");
  if (is->sparse) { /* whole tiles of metadata, which leave room for few columns */
    swap = is->sparse == 'b';
    rows = rows > 128 ? 256 : 128;
    k = packed || is->packed ? 256 : 128;
    if (k == 256 && !packed && columns > 64) columns = 64;
  }
  draw_put_tile(out, from, swap, rows, columns, k);
  maybe(out, from, 50, "schedule",
        rows == 64 ? "warp_specialized|pingpong|pingpong"
                   : "cooperative|pingpong|warp_specialized");
  maybe(out, from, 5, "operand_source", "{a: registers}|{b: registers}");
  maybe(out, from, 5, "cluster", "[1,1,1]|[2,1,1]");
  maybe(out, from, 60, "scheduler", schedulers);
}

static void draw_tile_of_plain(gg_str *out, draws *from, const nature *is) {
  bool swap = chance(from, 25);
  int rows = draw_number(from, "64|64|128|128|192|256");
  int columns = draw_number(from, "16|32|48|64|64|96|128|256");
  int k = draw_number(from, "8|16|24|32|32|48|64") * 2 / is->bytes;
  gg_str_printf(out, "atom: m16n8k%d\n", 32 / is->bytes);
  draw_put_tile(out, from, swap, rows, columns, k);
  maybe(out, from, 100, "schedule",
        rows == 64 ? "warp_specialized|pingpong|pingpong|cooperative"
                   : "cooperative|cooperative|cooperative|pingpong|warp_specialized");
  maybe(out, from, 40, "atom_layout",
        swap ? "[1,1,1]|[1,2,1]|[2,1,1]|[2,1,1]|[2,2,1]"
             : "[1,1,1]|[2,1,1]|[1,2,1]|[1,2,1]|[2,2,1]");
  maybe(out, from, 60, "scheduler", schedulers);
}

static void draw_tile_of_sm80(gg_str *out, draws *from, const nature *is) {
  maybe(out, from, 10, "operand_source", "{a: registers}|{b: shared}");
  if (is->bytes == 8)
    gg_str_puts(out, "schedule: multistage\n");
  else
    maybe(out, from, 20, "schedule", "multistage");
  if (is->fp8) maybe(out, from, 40, "promote", "0|0|1|2|4");
  maybe(out, from, 40, "scheduler", schedulers);
  if (chance(from, 5)) return;
  int m = draw_number(from, "16|32|64|96|128"), n = draw_number(from, "8|16|32|48|64|128");
  int k = draw_number(from, "16|32|32|64") * 2 / is->bytes * is->in_byte;
  gg_str_printf(out, "tile: [%d, %d, %d]\n", m, n, is->sparse ? 2 * k : k);
  maybe(out, from, 30, "atom_layout",
        "[1,1,1]|[2,1,1]|[1,2,1]|[2,2,1]|[2,4,1]|[1,1,2]|[2,1,2]|[2,2,2]|[1,2,3]|[1,1,4]");
}

static void draw_tile_of_simt(gg_str *out, draws *from, const nature *is) {
  gg_str_puts(out, "schedule: simt\n");
  maybe(out, from, 40, "scheduler",
        "data_parallel|split_k|stream_k|{kind: split_k, splits: 3}|persistent");
  maybe(out, from, 50, "stages", "1|1|2|3|4");
  maybe(out, from, 20, "swizzle", "none|padding|{a: padding}|{b: none}|{b: padding}|64B");
  maybe(out, from, 15, "ctas_per_sm", "1|2|3");
  if (chance(from, 10)) return;
  int m = draw_number(from, "16|32|64|64|96|128"), n = draw_number(from, "32|64|64|128|160");
  gg_str_printf(out, "tile: [%d, %d, %d]\n", m, n,
                draw_number(from, is->integers ? "32|32|16|64|4" : "8|8|16|4|1|7"));
  maybe(out, from, 30, "atom_layout", "[4,8,1]|[8,8,1]|[8,16,1]|[16,16,1]|[16,2,1]");
}

static void draw_tile(gg_str *out, draws *from, const nature *is) {
  if (is->family == SIMT) {
    draw_tile_of_simt(out, from, is);
    return;
  }
  if (is->family == NAIVE) {
    int rows = draw_number(from, "1|2|3|8"), columns = draw_number(from, "32|32|64|96");
    gg_str_printf(out, "schedule: naive\ntile: [%d, %d, 1]\n", rows, columns);
    return;
  }
  if (is->family == SM100)
    draw_tile_of_sm100(out, from, is);
  else if (is->family == SM120)
    draw_tile_of_sm120(out, from, is);
  else if (is->family == PLAIN)
    draw_tile_of_plain(out, from, is);
  else if (is->family == SM90)
    draw_tile_of_sm90(out, from, is);
  else
    draw_tile_of_sm80(out, from, is);
  maybe(out, from, 35, "stages", "1|2|2|2|3|3|4|4|6");
  maybe(out, from, 15, "swizzle",
        is->family == SM80 ? "64B|32B|none|padding"
                           : "128B|64B|32B|none|none|{a: none}|{b: 64B}|{a: 32B,b: none}");
  maybe(out, from, 8, "ctas_per_sm", "1|2|3");
  maybe(out, from, 3, "threads", "128|256|384");
  if (is->family == SM90)
    maybe(out, from, 6, "atom_layout", "[1,1,1]|[2,1,1]|[1,2,1]|[3,1,1]|[4,2,1]|[1,8,1]");
}

/* ---- The epilogue --------------------------------------------------------------------- */

/* What came later, in place of what there always was, for some: by draws of its own, and the usual
 * is drawn all the same, so that everything else that a seed gives stays as it is. */
typedef bool draw_later(gg_str *out, const draws *from, const nature *is);
typedef void draw_usual(gg_str *out, draws *from, const nature *is);

static void draw_either(gg_str *out, draws *from, const nature *is, draw_later *later,
                        draw_usual *usual) {
  gg_str text = GG_STR_INIT;
  bool replaced = later(out, from, is);
  usual(&text, from, is);
  if (!replaced) gg_str_add(out, &text);
  gg_str_free(&text);
}

static const char *types_of(const nature *is) {
  return is->bytes == 8 ? "f64|f32" : "f32|f32|f16|bf16|e4m3|e5m2|s8|u8|s32";
}

/* Of t0 its type and what it runs along; where there is none nothing may be said of it. */
static void draw_expression(gg_str *out, draws *own, const nature *is) {
  char text[word_max], word[word_max];
  pick(text, own,
       "x * sigmoid(1.702 * x)|max(x, 0) + log(1 + exp(-abs(x)))|x * x / (2 + x * x)|tanh(x) - -x|"
       "x + t0|t0 - 3 * x|max(x, t0)|gelu(x * t0)|clamp(x, -2, 1.5) * t0");
  gg_str_printf(out, "text: \"%s\"", text);
  if (!strstr(text, "t0")) return;
  if (chance(own, 60)) gg_str_printf(out, ", type: %s", pick(word, own, types_of(is)));
  if (chance(own, 60))
    gg_str_printf(out, ", along: %s", pick(word, own, "m|n|all|elements|elements"));
}

/* An expression of operands in front of it; of the last of them, where a list has several. */
static bool draw_wide_expression(gg_str *out, const draws *from, const nature *is) {
  draws own = {.seed = from->seed ^ 0x7777777777777777, .drawn = from->drawn};
  char text[word_max], word[word_max];
  if (strstr(gg_str_text(out), "{operand") || !chance(&own, 8)) return false;
  int64_t count = 1 + draw_below(&own, 3);
  for (int64_t i = 0; i < count; i++) {
    gg_str_printf(out, "{operand: {along: %s", pick(word, &own, "m|n|n|all|elements|elements"));
    if (chance(&own, 40)) gg_str_printf(out, ", type: %s", pick(word, &own, types_of(is)));
    gg_str_puts(out, "}}, ");
  }
  static const char *const texts[] = {
      "x * t1|x + t1 * t0|x * sigmoid(1.702 * x) + t0 * t1",
      "x * t1 + t2|min(max(x, t1), t0) - t2|t1 * x - t2 * t0",
      "x * t1 + t2 * t3|t0 * t1 + x * t2 - t3|clamp(x, -t1, t2) + t3"};
  pick(text, &own, texts[count - 1]);
  gg_str_printf(out, "{expr: {text: \"%s\"}}", text);
  return true;
}

/* The derivative of an activation, or what is kept of all of D. */
static bool draw_latest_operation(gg_str *out, const draws *from, const nature *is) {
  draws own = {.seed = from->seed ^ 0x5555555555555555, .drawn = from->drawn};
  char name[word_max], word[word_max];
  if (!chance(&own, 12)) return false;
  pick(name, &own, "drelu|dgelu|dgelu|dsilu|amax|amax");
  gg_str_printf(out, "{%s: {", name);
  if (name[1] == 'g') gg_str_printf(out, "form: %s, ", pick(word, &own, "erf|tanh|tanh_approx"));
  if (name[0] == 'd' && chance(&own, 60))
    gg_str_printf(out, "type: %s", pick(word, &own, types_of(is)));
  gg_str_puts(out, "}}");
  return true;
}

/* Sums over D, which came last. */
static bool draw_sum(gg_str *out, const draws *from) {
  draws own = {.seed = from->seed ^ 0x3333333333333333, .drawn = from->drawn};
  char word[word_max];
  if (!chance(&own, 8)) return false;
  if (chance(&own, 30))
    gg_str_puts(out, "sum");
  else
    gg_str_printf(out, "{sum: {along: %s}}", pick(word, &own, "m|m|n"));
  return true;
}

/* One of those that came later. */
static bool draw_later_operation(gg_str *out, const draws *from, const nature *is) {
  draws own = {.seed = ~from->seed, .drawn = from->drawn};
  char name[word_max], word[word_max];
  if (draw_wide_expression(out, from, is)) return true;
  if (draw_sum(out, from) || draw_latest_operation(out, from, is)) return true;
  if (!chance(&own, 30)) return false;
  pick(name, &own, "sigmoid|tanh|hardswish|leaky_relu|clamp|multiply|multiply|expr|expr|expr");
  gg_str_printf(out, "{%s: {", name);
  if (name[0] == 'e') {
    draw_expression(out, &own, is);
  } else if (name[0] == 'l')
    gg_str_printf(out, "slope: %s", pick(word, &own, "0.01|-0.5|3|0.25"));
  else if (name[0] == 'c')
    gg_str_puts(out, pick(word, &own, "min: 0, max: 6|min: -1.5|max: 0.1|min: -1, max: 1"));
  else if (name[0] == 'm' && chance(&own, 60))
    gg_str_printf(out, "type: %s", pick(word, &own, types_of(is)));
  gg_str_puts(out, "}}");
  return true;
}

/* An operation with its options, each given or not. */
static void draw_usual_operation(gg_str *out, draws *from, const nature *is) {
  char name[word_max], word[word_max];
  pick(name, from, "bias|bias|scale|scale|residual|aux|relu|gelu|silu");
  bool vector = name[0] == 'b' || strcmp(name, "scale") == 0;
  bool typed = (vector || name[0] == 'a' || strcmp(name, "residual") == 0) && chance(from, 60);
  const char *along = name[0] == 'b' ? "m|n" : "m|n|all";
  gg_str_printf(out, "{%s: {", name);
  if (vector && chance(from, 80)) gg_str_printf(out, "along: %s, ", pick(word, from, along));
  if (typed) gg_str_printf(out, "type: %s", pick(word, from, types_of(is)));
  if (name[0] == 'g') gg_str_printf(out, "form: %s", pick(word, from, "erf|tanh|tanh_approx"));
  gg_str_puts(out, "}}");
}

static void draw_operation(gg_str *out, draws *from, const nature *is) {
  draw_either(out, from, is, draw_later_operation, draw_usual_operation);
}

/* Before or behind a gate: what has no matrix, a vector along n before it alone, what is kept of D
 * behind it. */
static void draw_beside_gate(gg_str *out, draws *own, bool behind) {
  char word[word_max], along[word_max];
  draws later = {.seed = own->seed ^ 0x7777777777777777, .drawn = own->drawn};
  if (chance(&later, 8) && !strstr(gg_str_text(out), "{operand")) {
    gg_str_printf(out, "{operand: {along: %s}}, ",
                  pick(along, &later, behind ? "m|all" : "n|m|all"));
    gg_str_printf(out, "{expr: {text: \"x * t1\"}}");
    return;
  }
  if (!behind && chance(&later, 12)) {
    gg_str_printf(out, "{aux: {type: %s}}", pick(word, &later, "f32|f16|bf16|s8"));
    return;
  }
  switch (draw_below(own, behind ? 5 : 4)) {
  case 0:
    gg_str_printf(out, "{bias: {along: %s}}", pick(word, own, behind ? "m" : "n|n|m"));
    break;
  case 1:
    gg_str_printf(out, "{scale: {along: %s}}", pick(word, own, behind ? "m|all" : "n|m|all"));
    break;
  case 2:
    gg_str_puts(out, pick(word, own, "linear|{clamp: {min: -7, max: 7}}|{leaky_relu: {}}|tanh"));
    break;
  case 3:
    gg_str_printf(out, "{expr: {text: \"%s\", along: %s}}", pick(word, own, "x * t0|x + t0 / 2"),
                  pick(along, own, behind ? "m|all" : "n|m|all"));
    break;
  default:
    gg_str_puts(out, pick(word, own, "amax|relu|gelu"));
  }
}

/* A gated product, which came last; none has a C. */
static bool draw_gated(gg_str *out, const draws *from, const nature *is) {
  draws own = {.seed = from->seed ^ 0x6666666666666666, .drawn = from->drawn};
  char act[word_max];
  if (is->has_c || !chance(&own, 8)) return false;
  gg_str_puts(out, "epilogue: [");
  for (int64_t before = draw_below(&own, 3); before > 0; before--) {
    draw_beside_gate(out, &own, false);
    gg_str_puts(out, ", ");
  }
  pick(act, &own, "silu|silu|gelu|relu|sigmoid|tanh|hardswish|gelu, form: tanh");
  draws later = {.seed = from->seed ^ 0x9999999999999999, .drawn = from->drawn};
  gg_str_printf(out, "{gated: {act: %s%s}}", act, chance(&later, 40) ? ", columns: split" : "");
  for (int64_t behind = draw_below(&own, 3); behind > 0; behind--) {
    gg_str_puts(out, ", ");
    draw_beside_gate(out, &own, true);
  }
  gg_str_puts(out, "]\n");
  return true;
}

/* A C wants a beta. */
static void draw_listed_epilogue(gg_str *out, draws *from, const nature *is) {
  if (!chance(from, 60)) return;
  int64_t before = draw_below(from, 3), after = draw_below(from, 4);
  const char *between = "";
  gg_str_puts(out, "epilogue: [");
  for (int64_t i = 0; i < before; i++, between = ", ") {
    gg_str_puts(out, between);
    draw_operation(out, from, is);
  }
  if (is->has_c || chance(from, 50)) {
    const char *alpha = chance(from, 20) ? "false" : "true";
    draws own = {.seed = from->seed ^ 0x3333333333333333, .drawn = from->drawn};
    const char *scalars = chance(&own, 20) ? ", scalars: device" : "";
    gg_str_printf(out, "%s{linear: {alpha: %s%s}}", between, alpha, scalars);
    between = ", ";
  }
  for (int64_t i = 0; i < after; i++, between = ", ") {
    gg_str_puts(out, between);
    draw_operation(out, from, is);
  }
  gg_str_puts(out, "]\n");
}

static void draw_epilogue(gg_str *out, draws *from, const nature *is) {
  draw_either(out, from, is, draw_gated, draw_listed_epilogue);
}

/* ---- What is fixed, and how a batch is given ----------------------------------------- */

/* Arrays of addresses came later. */
static void draw_problem_key(gg_str *out, draws *from) {
  draws own = {.seed = from->seed ^ 0x6666666666666666, .drawn = from->drawn};
  const char *between = "";
  char word[word_max];
  bool fixed = chance(from, 12), pointers = chance(&own, 25);
  if (fixed) pick(word, from, "m: 5|n: 77|k: 96|batch: 1|m: 130,n: 70");
  if (!fixed && !pointers) return;
  if (fixed && pointers) between = ", ";
  gg_str_printf(out, "problem: {%s%s%s}\n", fixed ? word : "", between,
                pointers ? "pointers: true" : "");
}

/* ---- The whole ------------------------------------------------------------------------ */

/* Stamps came later: by draws of their own, so that everything before is as it was. */
static void draw_trace_later(gg_str *out, const draws *from, family of) {
  draws own = {.seed = from->seed ^ 0x5555555555555555, .drawn = from->drawn};
  if (of != NAIVE) maybe(out, &own, 5, "trace", "true");
}

/* Claims came later, too; families that have none are asked now and then. */
static void draw_raster(gg_str *out, draws *from, family of) {
  char order[word_max] = "";
  if (chance(from, 25)) pick(order, from, "along_m|along_n|hilbert|{order: along_n,group: 2}");
  draws own = {.seed = from->seed ^ 0x7777777777777777, .drawn = from->drawn};
  bool claims = chance(&own, of == SM90 ? 25 : 2), whole = order[0] == '{';
  if (claims)
    gg_str_printf(out, "raster: {%s%.*s%sneighbours: gpc}\n", *order && !whole ? "order: " : "",
                  (int)strcspn(order + whole, "}"), order + whole, *order ? "," : "");
  else if (*order)
    gg_str_printf(out, "raster: %s\n", order);
}

static void draw_whole(gg_str *out, draws *from, family of) {
  static const char *const archs[] = {[SM90] = "sm_90a",
                                      [SM80] = "sm_80|sm_86|sm_89|sm_90",
                                      [NAIVE] = "sm_80|sm_86|sm_89|sm_90",
                                      [SIMT] = "sm_80|sm_86|sm_89|sm_90",
                                      [SM120] = "sm_120a|sm_120f|sm_121a",
                                      [PLAIN] = "sm_90a|sm_90a|sm_120a|sm_121a|sm_100a",
                                      [SM100] = "sm_100a|sm_100f|sm_103a|sm_110a|sm_110f"};
  char arch[word_max];
  nature is = draw_nature(from, of);
  pick(arch, from,
       is.family == SM100 && is.integers ? "sm_100a|sm_110a"
       : is.family == SM80 && is.fp8     ? "sm_89|sm_90"
                                         : archs[is.family]);
  gg_str_printf(out, "arch: %s\n", arch);
  draw_operands(out, from, &is);
  if (is.half || ((of == SM100 || of == SM120) && is.fp8))
    maybe(out, from, 12, "accumulator", "f16|f32");
  draw_tile(out, from, &is);
  draw_problem_key(out, from);
  draw_raster(out, from, of);
  draw_epilogue(out, from, &is);
  draw_trace_later(out, from, of);
}

void draw_spec(gg_str *out, draws *from) {
  static const family families[] = {SM90, SM90, SM90, SM90, SM90, SM90, SM80, NAIVE};
  draw_whole(out, from, families[draw_below(from, 8)]);
}

void draw_spec_of_sm100(gg_str *out, draws *from) {
  draw_whole(out, from, SM100);
}

void draw_spec_of_sm120(gg_str *out, draws *from) {
  draw_whole(out, from, SM120);
}

void draw_spec_of_plain(gg_str *out, draws *from) {
  draw_whole(out, from, PLAIN);
}

void draw_spec_of_simt(gg_str *out, draws *from) {
  draw_whole(out, from, SIMT);
}

/* Near a multiple of the tile's, small, or anything. */
static int64_t draw_extent(draws *from, int64_t fixed, int64_t tile) {
  if (fixed != GG_FIXED_NONE) return fixed;
  int64_t most = 3 * tile < 400 ? 3 * tile : 400;
  switch (draw_below(from, 6)) {
  case 0:
    return 1 + draw_below(from, 9);
  case 1:
    return tile * (1 + draw_below(from, 2)) + draw_below(from, 3) - 1;
  default:
    return 1 + draw_below(from, most);
  }
}

gg_problem draw_problem(draws *from, const gg_kernel *kernel) {
  static const float alphas[] = {1, 2, -1, 0.5f, 0}, betas[] = {0, -1, 1, 2};
  enum { elements = 1 << 16, products = 1 << 23 };
  gg_problem p = {.size = sizeof(gg_problem), .alpha = 1};
  p.m = draw_extent(from, kernel->fixed_m, kernel->tile_m * (kernel->turns_pairs_m ? 4 : 1));
  p.n = draw_extent(from, kernel->fixed_n, kernel->tile_n * (kernel->turns_pairs_n ? 4 : 1));
  if (kernel->turns_halves_m) p.m = draw_extent(from, kernel->fixed_m, kernel->turns_halves_m);
  if (kernel->turns_halves_n) p.n = draw_extent(from, kernel->fixed_n, kernel->turns_halves_n);
  int64_t pairs = gg_kernel_n_multiple(kernel);
  p.n = (p.n + pairs - 1) / pairs * pairs;
  p.k = kernel->fixed_k;
  if (p.k == GG_FIXED_NONE && chance(from, 10)) p.k = draw_below(from, 2);
  if (p.k == GG_FIXED_NONE) p.k = 1 + draw_below(from, 7 * (int64_t)kernel->tile_k);
  int64_t unit = gg_kernel_k_unit(kernel);
  if (kernel->fixed_k == GG_FIXED_NONE) p.k = (p.k + unit - 1) / unit * unit;
  p.batch = kernel->fixed_batch;
  if (p.batch == GG_FIXED_NONE) p.batch = 1 + draw_below(from, chance(from, 25) ? 80 : 3);
  while (kernel->fixed_batch == GG_FIXED_NONE && p.batch > 1 &&
         (p.m * p.n * p.batch > elements || p.m * p.n * p.k * p.batch > products)) {
    p.batch--;
  }
  if (gg_kernel_takes(kernel, GG_PARAM_ALPHA)) p.alpha = alphas[draw_below(from, 5)];
  if (gg_kernel_takes(kernel, GG_PARAM_BETA)) p.beta = betas[draw_below(from, 4)];
  p.overlap = chance(from, 20);
  return p;
}
