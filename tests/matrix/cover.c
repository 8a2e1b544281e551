/* Every level has a number, and every two numbers of two factors a state. Greedy, as AETG (Cohen et
 * al., 1997), but with a planner for the constraints: a case begins with two levels that have not
 * met, in a company in which they are legal; then each other factor, in a random order, changes to
 * the level that meets the most that it has not met, if the planner takes it.
 *
 * A company is looked for among: the family's plainest spec; the same with other types of A, B and
 * D; legal specs that are known to have one of the two levels; and some random ones. Two levels for
 * which all of these are refused count as refused. */
#include "cover.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "inputs.h"
#include "legal.h"

enum { OPEN, COVERED, REFUSED, REASON_MAX = 240, CASES_MAX = 4096, OPERATIONS_MOST = 6 };

typedef struct reason {
  char text[REASON_MAX];
} reason;

struct cover {
  const factors *all;
  uint64_t seed, drawn;
  unsigned char *state; /* levels x levels; of two numbers the lower first */
  reason *why;          /* of pairs that are refused */
  bool *alone;          /* levels that no legal spec has */
  choice *witness;      /* a legal spec of each other level */
  choice base, *cases;
  int case_count;
  int64_t next; /* pairs before this one, in a random order, are not open */
  char mistake[2 * REASON_MAX];
};

/* ---- Numbers and states --------------------------------------------------------------- */

static int64_t below(cover *of, int64_t count) {
  return (int64_t)(gg_random(of->seed, of->drawn++) % (uint64_t)count);
}

static int number_of(const cover *of, int factor, int level) {
  return of->all->first[factor] + level;
}

static int factor_of(const cover *of, int number) {
  int factor = 0;
  while (factor + 1 < of->all->count && of->all->first[factor + 1] <= number)
    factor++;
  return factor;
}

static size_t place(const cover *of, int one, int other) {
  size_t low = (size_t)(one < other ? one : other), high = (size_t)(one < other ? other : one);
  return low * (size_t)of->all->levels + high;
}

static const char *word(const cover *of, int number) {
  int factor = factor_of(of, number);
  const char *text = of->all->list[factor].words[number - of->all->first[factor]];
  return text[strspn(text, " ")] ? text : number == of->all->first[factor] ? "unsaid" : "as it is";
}

static bool legal(cover *of, const choice *c, char why[REASON_MAX]) {
  gg_str text = GG_STR_INIT;
  bool mistake = false, good = legal_choice(of->all, c, &text, &mistake);
  if (why) snprintf(why, REASON_MAX, "%s", gg_str_text(&text));
  if (mistake && !*of->mistake) {
    gg_str spec = GG_STR_INIT;
    factors_write(&spec, of->all, c, NULL);
    snprintf(of->mistake, sizeof of->mistake, "%s\n%s", gg_str_text(&text), gg_str_text(&spec));
    gg_str_free(&spec);
  }
  gg_str_free(&text);
  return good;
}

/* Whether the choice really has both, and no other two that are known not to meet. */
static bool has(const cover *of, const choice *c, int number) {
  int factor = factor_of(of, number);
  return c->level[factor] == number - of->all->first[factor] &&
         factors_is_effective(of->all, c, factor);
}

/* ---- Companies ------------------------------------------------------------------------ */

typedef struct wanted {
  int count, numbers[2];
} wanted;

static void set(const cover *of, choice *c, const wanted *w) {
  for (int i = 0; i < w->count; i++) {
    int factor = factor_of(of, w->numbers[i]);
    c->level[factor] = (signed char)(w->numbers[i] - of->all->first[factor]);
  }
}

static bool takes(cover *of, choice *out, const choice *company, const wanted *w, char *why) {
  choice c = *company;
  set(of, &c, w);
  for (int i = 0; i < w->count; i++)
    if (!has(of, &c, w->numbers[i])) {
      if (why) snprintf(why, REASON_MAX, "no operation of the epilogue has a type");
      return false;
    }
  if (!legal(of, &c, why)) return false;
  *out = c;
  return true;
}

/* In the company's types of A and B, those of D; what is said of A is said of B. */
static bool takes_with_types(cover *of, choice *out, const choice *company, const wanted *w,
                             int tries) {
  const factors *all = of->all;
  int a = factors_find(all, FACTOR_KEY, "a.type"), b = factors_find(all, FACTOR_KEY, "b.type");
  int d = factors_find(all, FACTOR_KEY, "d.type");
  for (int i = 0; i < tries; i++) {
    choice c = *company;
    set(of, &c, w);
    bool given = c.level[a] != company->level[a];
    if (!given) c.level[a] = (signed char)below(of, all->list[a].count);
    bool same = below(of, 4) > 0;
    c.level[b] = same ? c.level[a] : (signed char)below(of, all->list[b].count);
    if (below(of, 2)) c.level[d] = (signed char)below(of, all->list[d].count);
    for (int f = 0; f < all->count; f++) {
      char twin[48];
      if (strncmp(all->list[f].name, "a.scale", 7) != 0 || !c.level[f]) continue;
      snprintf(twin, sizeof twin, "b%s", all->list[f].name + 1);
      c.level[factors_find(all, FACTOR_KEY, twin)] = c.level[f];
    }
    if (takes(of, out, &c, w, NULL)) return true;
  }
  return false;
}

/* Among known cases that have the first of the two. */
static bool takes_in_cases(cover *of, choice *out, int first, const wanted *w, int tries) {
  for (int64_t i = 0, from = of->case_count ? below(of, of->case_count) : 0;
       i < of->case_count && tries > 0; i++) {
    const choice *c = &of->cases[(from + i) % of->case_count];
    if (!has(of, c, first)) continue;
    tries--;
    if (takes(of, out, c, w, NULL)) return true;
  }
  return false;
}

static bool takes_in_any(cover *of, choice *out, const choice *company, const wanted *w,
                         int tries) {
  for (int i = 0; i < tries; i++) {
    choice c = *company;
    int factor = (int)below(of, of->all->count);
    c.level[factor] = (signed char)below(of, of->all->list[factor].count);
    if (takes(of, out, &c, w, NULL)) return true;
  }
  return false;
}

/* ---- Levels --------------------------------------------------------------------------- */

/* The plainest legal spec of an architecture: nothing is said but types, and a schedule where the
 * family needs one. */
static bool find_plainest(cover *of, choice *out, int arch) {
  const factors *all = of->all;
  int a = factors_find(all, FACTOR_KEY, "a.type"), b = factors_find(all, FACTOR_KEY, "b.type");
  int d = factors_find(all, FACTOR_KEY, "d.type");
  int schedule = factors_find(all, FACTOR_KEY, "schedule");
  choice c = {{0}};
  c.level[factors_find(all, FACTOR_KEY, "arch")] = (signed char)arch;
  for (int s = 0; s < all->list[schedule].count; s++)
    for (int i = 0; i < all->list[a].count; i++)
      for (int j = 0; j < all->list[d].count; j++) {
        c.level[schedule] = (signed char)s;
        c.level[a] = (signed char)i;
        c.level[d] = (signed char)j;
        for (int k = 0; k < all->list[b].count; k++)
          if (!strcmp(all->list[b].words[k], all->list[a].words[i])) c.level[b] = (signed char)k;
        *out = c;
        if (legal(of, &c, NULL)) return true;
      }
  return false;
}

static int legal_levels(cover *of, const choice *base) {
  int count = 0;
  for (int number = 0; number < of->all->levels; number++) {
    choice c;
    count += takes(of, &c, base, &(wanted){1, {number}}, NULL);
  }
  return count;
}

/* Of the architecture that has the most. */
static bool find_base(cover *of) {
  int arch = factors_find(of->all, FACTOR_KEY, "arch"), most = 0;
  for (int i = 0; i < of->all->list[arch].count; i++) {
    choice c;
    if (!find_plainest(of, &c, i)) continue;
    int count = legal_levels(of, &c);
    if (count > most) of->base = c, most = count;
  }
  return most > 0;
}

/* Among the specs that were found for other levels. */
static bool takes_in_witnesses(cover *of, choice *out, const wanted *w) {
  for (int number = 0; number < of->all->levels; number++)
    if (!of->alone[number] && takes(of, out, &of->witness[number], w, NULL)) return true;
  return false;
}

/* Where all are tried: the two-step ones come when their company is there. */
static void find_witnesses(cover *of) {
  enum { type_tries = 24, other_tries = 48 };
  for (int number = 0; number < of->all->levels; number++)
    of->alone[number] = true;
  for (int round = 0; round < 2; round++)
    for (int number = 0; number < of->all->levels; number++) {
      const wanted w = {1, {number}};
      choice *out = &of->witness[number];
      char *why = round == 0 ? of->why[place(of, number, number)].text : NULL;
      if (!of->alone[number]) continue;
      bool found = round == 0 ? takes(of, out, &of->base, &w, why)
                              : takes_in_witnesses(of, out, &w) ||
                                    takes_with_types(of, out, &of->base, &w, type_tries) ||
                                    takes_in_any(of, out, &of->base, &w, other_tries);
      of->alone[number] = !found;
    }
}

static void refuse(cover *of, int one, int other, const char *why) {
  size_t at = place(of, one, other);
  of->state[at] = REFUSED;
  snprintf(of->why[at].text, REASON_MAX, "%s", why);
}

/* A case with both, or their state says that there is none. */
static bool find_company(cover *of, choice *out, int one, int other) {
  enum { some = 4, types = 6, random = 4 };
  const wanted w = {2, {one, other}};
  char why[REASON_MAX];
  if (takes(of, out, &of->base, &w, why) || takes(of, out, &of->witness[one], &w, NULL) ||
      takes(of, out, &of->witness[other], &w, NULL) || takes_in_cases(of, out, one, &w, some) ||
      takes_in_cases(of, out, other, &w, some) ||
      takes_with_types(of, out, &of->witness[one], &w, types) ||
      takes_with_types(of, out, &of->witness[other], &w, types) ||
      takes_in_any(of, out, &of->witness[one], &w, random))
    return true;
  refuse(of, one, other, why);
  return false;
}

/* ---- Cases ---------------------------------------------------------------------------- */

/* Pairs that the factor's level would meet for the first time; -1: it is known not to be. */
static int gain(const cover *of, const choice *c, int factor, int level) {
  int open = 0, own = number_of(of, factor, level);
  if (of->alone[own]) return -1;
  for (int i = 0; i < of->all->count; i++) {
    if (i == factor || !factors_is_effective(of->all, c, i)) continue;
    unsigned char state = of->state[place(of, own, number_of(of, i, c->level[i]))];
    if (state == REFUSED) return -1;
    open += state == OPEN;
  }
  return open;
}

static int operations_in(const cover *of, const choice *c) {
  int count = 0;
  for (int i = 0; i < of->all->count; i++)
    count += of->all->list[i].kind == FACTOR_OPERATION && c->level[i] != 0;
  return count;
}

/* Whether the family plans it: of a side, too, which a spec may fix. */
static bool still_legal(cover *of, const choice *c, const wanted *w, int factor) {
  for (int i = 0; i < w->count; i++)
    if (!has(of, c, w->numbers[i])) return false;
  bool side = of->all->list[factor].kind == FACTOR_SIDE;
  if (!factors_is_effective(of->all, c, factor)) return false;
  return (side && !factors_want_tile(of->all, c)) || legal(of, c, NULL);
}

/* The factor's best level, or the next best, beside the two that are wanted. Few operations a case:
 * of many the result says little. */
static void improve(cover *of, choice *c, const wanted *w, int factor) {
  enum { tries_most = 6 };
  const factor_row *f = &of->all->list[factor];
  bool full = f->kind == FACTOR_OPERATION && operations_in(of, c) >= OPERATIONS_MOST;
  bool tried[LEVELS_MAX] = {false};
  int now = gain(of, c, factor, c->level[factor]);
  tried[(int)c->level[factor]] = true;
  for (int i = 0; i < tries_most && !full; i++) {
    int best = -1, most = now, from = (int)below(of, f->count);
    for (int j = 0; j < f->count; j++) {
      int level = (from + j) % f->count, more = tried[level] ? -1 : gain(of, c, factor, level);
      if (more > most) best = level, most = more;
    }
    if (best < 0) return;
    tried[best] = true;
    choice changed = *c;
    changed.level[factor] = (signed char)best;
    if (!still_legal(of, &changed, w, factor)) continue;
    *c = changed;
    return;
  }
}

/* A level that no legal spec was known to have may come with others: then its pairs, of which some
 * were passed by, are looked for anew. */
static void mark_level(cover *of, const choice *c, int factor) {
  int number = number_of(of, factor, c->level[factor]);
  if (!of->alone[number] || !factors_is_effective(of->all, c, factor)) return;
  of->alone[number] = false;
  of->witness[number] = *c;
  of->next = 0;
}

static void mark(cover *of, const choice *c) {
  for (int i = 0; i < of->all->count; i++)
    mark_level(of, c, i);
  for (int i = 0; i < of->all->count; i++)
    for (int j = i + 1; j < of->all->count; j++) {
      if (!factors_is_effective(of->all, c, i) || !factors_is_effective(of->all, c, j)) continue;
      of->state[place(of, number_of(of, i, c->level[i]), number_of(of, j, c->level[j]))] = COVERED;
    }
}

static void extend(cover *of, choice *c, const wanted *w) {
  int order[FACTORS_MAX], count = of->all->count;
  for (int i = 0; i < count; i++) {
    int j = (int)below(of, i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  for (int i = 0; i < count; i++) {
    bool given =
        order[i] == factor_of(of, w->numbers[0]) || order[i] == factor_of(of, w->numbers[1]);
    if (!given) improve(of, c, w, order[i]);
  }
}

bool cover_next(choice *out, cover *of) {
  int levels = of->all->levels;
  int64_t all = (int64_t)levels * levels;
  /* A step that has no divisor in common with the number of pairs visits each of them once. */
  const int64_t step = 1000003;
  for (; of->next < all && of->case_count < CASES_MAX; of->next++) {
    int64_t at = (of->next * step + (int64_t)(gg_random(of->seed, 0) >> 33)) % all;
    int one = (int)(at / levels), other = (int)(at % levels);
    if (one >= other || factor_of(of, one) == factor_of(of, other)) continue;
    if (of->state[place(of, one, other)] != OPEN) continue;
    if (of->alone[one] || of->alone[other]) continue;
    if (!find_company(of, out, one, other)) continue;
    extend(of, out, &(wanted){2, {one, other}});
    mark(of, out);
    of->cases[of->case_count++] = *out;
    return true;
  }
  return false;
}

/* ---- What came of it ------------------------------------------------------------------- */

cover_totals cover_total(const cover *of) {
  cover_totals out = {0};
  for (int one = 0; one < of->all->levels; one++)
    for (int other = one + 1; other < of->all->levels; other++) {
      if (factor_of(of, one) == factor_of(of, other)) continue;
      bool alone = of->alone[one] || of->alone[other];
      out.pairs++;
      out.covered += of->state[place(of, one, other)] == COVERED;
      out.refused += alone || of->state[place(of, one, other)] == REFUSED;
    }
  return out;
}

static void put_levels(gg_str *out, const cover *of) {
  for (int one = 0; one < of->all->levels; one++)
    if (of->alone[one])
      gg_str_printf(out, "  %s %s: %s\n", of->all->list[factor_of(of, one)].name, word(of, one),
                    of->why[place(of, one, one)].text);
}

static void put_pair(gg_str *out, const cover *of, int one, int other, int count) {
  gg_str_printf(out, "  %s x %s: ", of->all->list[factor_of(of, one)].name,
                of->all->list[factor_of(of, other)].name);
  if (count > 1) gg_str_printf(out, "%d pairs, as ", count);
  gg_str_printf(out, "%s x %s: %s\n", word(of, one), word(of, other),
                of->why[place(of, one, other)].text);
}

static void put_pairs(gg_str *out, const cover *of, int f, int g, bool every) {
  const factors *all = of->all;
  int count = 0, one = 0, other = 0;
  for (int i = 0; i < all->list[f].count; i++)
    for (int j = 0; j < all->list[g].count; j++) {
      int a = number_of(of, f, i), b = number_of(of, g, j);
      if (of->state[place(of, a, b)] != REFUSED) continue;
      if (every) put_pair(out, of, a, b, 1);
      if (count++ == 0) one = a, other = b;
    }
  if (count > 0 && !every) put_pair(out, of, one, other, count);
}

void cover_put_refused(gg_str *out, const cover *of, bool every) {
  put_levels(out, of);
  for (int f = 0; f < of->all->count; f++)
    for (int g = f + 1; g < of->all->count; g++)
      put_pairs(out, of, f, g, every);
}

const char *cover_mistake(const cover *of) {
  return *of->mistake ? of->mistake : NULL;
}

cover *cover_open(const factors *all, uint64_t seed) {
  size_t levels = (size_t)all->levels;
  cover *out = gg_calloc(1, sizeof *out);
  if (!out) return NULL;
  out->all = all;
  out->seed = seed;
  out->state = gg_calloc(levels * levels, 1);
  out->why = gg_calloc(levels * levels, sizeof *out->why);
  out->alone = gg_calloc(levels, sizeof *out->alone);
  out->witness = gg_calloc(levels, sizeof *out->witness);
  out->cases = gg_calloc(CASES_MAX, sizeof *out->cases);
  if (!out->state || !out->why || !out->alone || !out->witness || !out->cases || !find_base(out)) {
    cover_close(out);
    return NULL;
  }
  find_witnesses(out);
  return out;
}

void cover_close(cover *of) {
  if (!of) return;
  gg_free(of->state);
  gg_free(of->why);
  gg_free(of->alone);
  gg_free(of->witness);
  gg_free(of->cases);
  gg_free(of);
}
