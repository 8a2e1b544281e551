/* Makes the tables of the emulator's approximate functions (runtime/emu/number/approx_tables.def)
 * from what `approx_check --measure DIR` wrote:
 *
 *     approx_fit DIR > approx_tables.def
 *
 * A table's interval is three whole numbers: the result is what a * 2^a_shift + constant + b * d +
 * c * square(d) leaves when it is cut off, d being the operand's distance from the interval's
 * beginning. Each measured result therefore bounds the sum from both sides. For given b and c that
 * leaves a range for the rest, whose width is a concave function of b and c: two nested searches
 * find where it is widest, and there every a, b and c that no result contradicts. Notes on stderr
 * tell intervals that have none or more than one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "emu/number/approx.h"

enum { BINADE = 1 << 23, DISTANCES = 1 << 17, INTERVALS_MAX = 128, AROUND = 3, SAMPLE = 4096 };
#define UNKNOWN (INT64_MAX / 4)

/* Where an operand stands in a table. */
typedef struct place {
  unsigned interval;
  uint32_t distance;
  int64_t squared;
} place;

typedef struct function {
  const char *name, *opcode;
  unsigned first, last; /* binades that are measured */
  unsigned intervals;
  bool (*place_of)(place *out, uint32_t x);
  int unit;     /* the sum counts in 2^-unit */
  int cut;      /* this many bits of it are dropped, and those beyond 24 */
  int a_shift;  /* of a */
  int constant; /* what is added for the rounding */
} function;

/* ---- Operands ------------------------------------------------------------------------- */

static bool place_rcp(place *out, uint32_t x) {
  uint32_t d = x & 0xffff;
  *out = (place){x >> 16 & 0x7f, d, emu_approx_square(d << 1)};
  return true;
}

/* From 1 to 4; of 1 itself the result is not the table's. */
static bool place_root(place *out, uint32_t x) {
  uint32_t f = x - 0x3f800000, d = f & 0x1ffff;
  *out = (place){f >> 17, d, emu_approx_square(d)};
  return f != 0;
}

static bool place_rsqrt(place *out, uint32_t x) {
  bool there = place_root(out, x);
  out->squared <<= 2;
  return there;
}

/* From 1 to 2. */
static bool place_lg2(place *out, uint32_t x) {
  bool there = place_root(out, x);
  out->squared <<= 1;
  return there;
}

static bool place_ex2(place *out, uint32_t x) {
  place_root(out, x);
  return true;
}

/* Quarters of a turn in 23 fraction bits, cut off, from what the operand is in turns, cut off.
 * Those of the first two quarters. */
static bool place_sin(place *out, uint32_t x) {
  uint64_t significand = (x & 0x7fffff) | 0x800000, factor = 0xa2f983; /* of 2^-26 */
  int exponent = (int)(x >> 23) - 127 - 23 - 26;
  uint64_t turns = significand * factor; /* 24 bits of them */
  int drop = turns >> 47 ? 24 : 23;
  turns >>= drop;
  exponent += drop + 2 + 23;
  uint64_t quarters = exponent < 0 ? (exponent < -60 ? 0 : turns >> -exponent) : turns << exponent;
  uint32_t f = (uint32_t)(quarters >> 23 & 1 ? ~quarters : quarters) & 0x7fffff, d = f & 0x1ffff;
  *out = (place){f >> 17, d, emu_approx_square(d)};
  return quarters >> 24 == 0 && exponent < 30;
}

/* From 2^-8 to 8: intervals a binade, 2^0 of the first, 2^4 of the finest. */
static bool place_tanh(place *out, uint32_t x) {
  static const int bits[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
  unsigned binade = (x >> 23) - 119, first = 0;
  for (unsigned i = 0; i < binade; i++)
    first += 1u << bits[i];
  uint32_t f = x & 0x7fffff, d = f >> (6 - bits[binade]) & 0x1ffff;
  *out = (place){first + (f >> (23 - bits[binade])), d, emu_approx_square(d)};
  return true;
}

static const function functions[] = {
    {"rcp", "rcp.approx.ftz.f32", 127, 127, 128, place_rcp, 39, 15, 13, 0x47e7},
    {"rsqrt", "rsqrt.approx.ftz.f32", 127, 128, 128, place_rsqrt, 40, 16, 14, 0x7fff},
    {"sqrt", "sqrt.approx.ftz.f32", 127, 128, 128, place_root, 40, 17, 15, 0x7fff},
    {"lg2", "lg2.approx.ftz.f32", 127, 127, 64, place_lg2, 38, 2, 12, 0x3345},
    {"ex2", "ex2.approx.ftz.f32", 127, 127, 64, place_ex2, 37, 15, 13, 0x77e2},
    {"sin", "sin.approx.ftz.f32", 103, 128, 64, place_sin, 37, 0, 11, 0},
    {"tanh", "tanh.approx.f32", 119, 129, 51, place_tanh, 39, 0, 15, 0},
};

/* ---- What was measured ---------------------------------------------------------------- */

/* Bounds of the sum at each distance of each interval, both included, and the squares. */
typedef struct bounds {
  int64_t low[DISTANCES], high[DISTANCES];
  int64_t squared[DISTANCES];
} bounds;

static void narrow(bounds *b, const function *f, const place *p, uint32_t y) {
  int ulp = (int)(y >> 23) - 150, unit = -f->unit + f->cut;
  int64_t significand = (int64_t)((y & 0x7fffff) | 0x800000);
  if (ulp + f->unit < 0) significand >>= -f->unit - ulp; /* its low bits are zeros */
  int scale = ulp + f->unit < 0 ? 0 : ulp + f->unit, range = ulp > unit ? scale : f->cut;
  int64_t low = y ? significand << scale : 0, high = low + ((int64_t)1 << range) - 1;
  if (low > b->low[p->distance]) b->low[p->distance] = low;
  if (high < b->high[p->distance]) b->high[p->distance] = high;
  b->squared[p->distance] = p->squared;
}

static void narrow_binade(bounds *all, const function *f, unsigned top, const uint8_t *steps,
                          size_t length) {
  uint32_t x = top << 23, y = 0;
  for (size_t i = 0; i < length && x >> 23 == top; x++) {
    uint32_t step = 0;
    int shift = 0;
    do
      step |= (uint32_t)(steps[i] & 127) << shift;
    while (shift += 7, steps[i++] >> 7 && i < length);
    y += step >> 1 ^ (0 - (step & 1));
    place p;
    if (f->place_of(&p, x)) narrow(&all[p.interval], f, &p, y);
  }
}

static bool read_measured(bounds *all, const function *f, const char *folder) {
  for (unsigned i = 0; i < f->intervals; i++) {
    for (int d = 0; d < DISTANCES; d++) {
      all[i].low[d] = -UNKNOWN;
      all[i].high[d] = UNKNOWN;
      all[i].squared[d] = 0;
    }
  }
  bool read = true;
  for (unsigned top = f->first; top <= f->last && read; top++) {
    gg_str path = GG_STR_INIT;
    gg_error err = GG_ERROR_INIT;
    char *steps = NULL;
    size_t length = 0;
    gg_str_printf(&path, "%s/%s.%03x.steps", folder, f->opcode, top);
    read = !gg_file_read(&steps, &length, gg_str_text(&path), (size_t)BINADE * 5, &err);
    if (read)
      narrow_binade(all, f, top, (const uint8_t *)steps, length);
    else
      fprintf(stderr, "approx_fit: %s\n", err.message);
    gg_free(steps);
    gg_str_free(&path);
    gg_error_clear(&err);
  }
  return read;
}

/* ---- Fitting -------------------------------------------------------------------------- */

typedef struct range {
  int64_t low, high; /* both included; none where high is less */
} range;

/* What is left for the rest of the sum. */
static range rest_of(const bounds *m, int64_t b, int64_t c) {
  range r = {-INT64_MAX, INT64_MAX};
  for (int64_t d = 0; d < DISTANCES; d++) {
    int64_t part = b * d + c * m->squared[d];
    int64_t low = m->low[d] - part, high = m->high[d] - part;
    r.low = low > r.low ? low : r.low;
    r.high = high < r.high ? high : r.high;
  }
  return r;
}

/* Some of the bounds, for a search. */
typedef struct sample {
  unsigned count;
  double distance[SAMPLE], squared[SAMPLE], low[SAMPLE], high[SAMPLE];
} sample;

static void take_sample(sample *out, const bounds *m, int distances) {
  const int step = distances / (SAMPLE / 2), edge = SAMPLE / 8;
  out->count = 0;
  for (int d = 0; d < distances; d++) {
    bool chosen = d % step == 0 || d < edge || d >= distances - edge;
    if (!chosen || m->high[d] == UNKNOWN) continue;
    unsigned i = out->count++;
    out->distance[i] = d;
    out->squared[i] = (double)m->squared[d];
    out->low[i] = (double)m->low[d];
    out->high[i] = (double)m->high[d];
  }
}

/* How wide the range for the rest is; as far below 0 as the bounds contradict each other. */
static double width_of(const sample *m, double b, double c) {
  double low = -HUGE_VAL, high = HUGE_VAL;
  for (unsigned i = 0; i < m->count; i++) {
    double part = b * m->distance[i] + c * m->squared[i];
    low = m->low[i] - part > low ? m->low[i] - part : low;
    high = m->high[i] - part < high ? m->high[i] - part : high;
  }
  return high - low;
}

/* The b of the greatest width, near `b`. */
static double widest_b(const sample *m, double b, double c, double *width) {
  double low = b - 16, high = b + 16;
  while (high - low > 1e-4) {
    double third = (high - low) / 3;
    if (width_of(m, low + third, c) < width_of(m, high - third, c))
      low += third;
    else
      high -= third;
  }
  *width = width_of(m, low, c);
  return low;
}

typedef struct guess {
  double b, c;
  double b_of_c; /* how b moves when c does */
} guess;

static double middle_of(const bounds *m, int d) {
  return ((double)m->low[d] + (double)m->high[d]) / 2;
}

static int next_known(const bounds *m, int d, int step) {
  while (d > 0 && d < DISTANCES - 1 && m->high[d] == UNKNOWN)
    d += step;
  return d;
}

/* Through three points. */
static guess guess_of(const bounds *m, int distances) {
  int d0 = next_known(m, 1, 1), d1 = next_known(m, distances / 2, 1);
  int d2 = next_known(m, distances - 2, -1);
  double t1 = (middle_of(m, d1) - middle_of(m, d0)) / (d1 - d0);
  double t2 = (middle_of(m, d2) - middle_of(m, d0)) / (d2 - d0);
  double s1 = (double)(m->squared[d1] - m->squared[d0]) / (d1 - d0);
  double s2 = (double)(m->squared[d2] - m->squared[d0]) / (d2 - d0);
  double c = (t2 - t1) / (s2 - s1);
  return (guess){.b = t1 - c * s1, .c = c, .b_of_c = -(s1 + s2) / 2};
}

static double b_for(const guess *g, double c) {
  return g->b + g->b_of_c * (c - g->c);
}

/* The b and c of the greatest width. */
static void widest(double *b, double *c, const sample *m, const guess *g) {
  double low = g->c - 64, high = g->c + 64, width, other;
  while (high - low > 1e-3) {
    double third = (high - low) / 3;
    widest_b(m, b_for(g, low + third), low + third, &width);
    widest_b(m, b_for(g, high - third), high - third, &other);
    if (width < other)
      low += third;
    else
      high -= third;
  }
  *c = low;
  *b = widest_b(m, b_for(g, low), low, &width);
}

typedef struct fit {
  int64_t a, b, c;
  unsigned solutions;
} fit;

static void add_solutions(fit *out, const function *f, const bounds *m, int64_t b, int64_t c) {
  range r = rest_of(m, b, c);
  int64_t one = (int64_t)1 << f->a_shift;
  for (int64_t a = (r.low - f->constant + one - 1) >> f->a_shift;
       a * one + f->constant <= r.high && out->solutions < 1000; a++) {
    if (!out->solutions++) *out = (fit){a, b, c, out->solutions};
  }
}

static fit fit_interval(const function *f, const bounds *m, int distances) {
  static sample chosen;
  guess g = guess_of(m, distances);
  double b, c;
  take_sample(&chosen, m, distances);
  widest(&b, &c, &chosen, &g);
  fit out = {0};
  for (int64_t at = llround(c) - AROUND; at <= llround(c) + AROUND; at++) {
    for (int64_t beside = -AROUND; beside <= AROUND; beside++)
      add_solutions(&out, f, m, llround(b) + beside, at);
  }
  return out;
}

/* ---- The tables ----------------------------------------------------------------------- */

static bool fit_function(const function *f, bounds *all, const char *folder) {
  if (!read_measured(all, f, folder)) return false;
  int distances = f->place_of == place_rcp ? DISTANCES / 2 : DISTANCES;
  bool found = true;
  printf("static const interval %s_table[%u] = {", f->name, f->intervals);
  for (unsigned i = 0; i < f->intervals; i++) {
    fit t = fit_interval(f, &all[i], distances);
    printf("%s{0x%" PRIx64 ", %" PRId64 ", %" PRId64 "},", i % 3 ? " " : "\n    ", t.a, t.b, t.c);
    fflush(stdout);
    found = found && t.solutions;
    if (t.solutions != 1) {
      fprintf(stderr, "approx_fit: interval %u of %s has %u solutions\n", i, f->name, t.solutions);
    }
  }
  printf("\n};\n");
  return found;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: approx_fit DIR [FUNCTION...]\n");
    return 2;
  }
  bounds *all = gg_malloc(INTERVALS_MAX * sizeof *all);
  bool fitted = all != NULL;
  printf(
      "/* Made by tests/gpu/approx_fit.c from what an H100 gave: a, b and c of each interval. */\n");
  for (size_t i = 0; i < sizeof functions / sizeof *functions && fitted; i++) {
    bool chosen = argc == 2;
    for (int k = 2; k < argc; k++)
      chosen = chosen || !strcmp(argv[k], functions[i].name);
    if (chosen) fitted = fit_function(&functions[i], all, argv[1]);
  }
  gg_free(all);
  return fitted ? EXIT_SUCCESS : EXIT_FAILURE;
}
