/* The shortest edit script between two lists of lines, in memory that grows only with their length
 * (Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1986, section 4b). A
 * path through the grid of both lists is followed from both ends at once. Where the two meet, the
 * path is cut, and each half is found in the same way. */
#include "base/diff.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { first_room = 256 };

bool gg_lines_add(gg_lines *lines, gg_arena *arena, gg_line line) {
  if (lines->count == lines->room) {
    size_t room = lines->room ? 2 * lines->room : first_room;
    gg_line *list = gg_arena_alloc(arena, room * sizeof *list);
    if (!list) return false;
    if (lines->count) memcpy(list, lines->list, lines->count * sizeof *list);
    lines->list = list;
    lines->room = room;
  }
  line.hash = gg_hash_bytes(GG_HASH_BEGIN, line.text, strlen(line.text));
  lines->list[lines->count++] = line;
  return true;
}

static bool same(const gg_line *a, const gg_line *b) {
  return a->hash == b->hash && strcmp(a->text, b->text) == 0;
}

/* For each diagonal, the furthest places that paths reach, from the beginning and from the end. */
typedef struct search {
  gg_line *a, *b;
  int64_t *forward, *backward; /* point at their middles, as diagonals may be negative */
} search;

/* A part of the grid. */
typedef struct part {
  int64_t a, a_end, b, b_end;
} part;

static const int64_t nowhere = INT64_MIN / 2;

/* Where a path of `d` edits reaches diagonal k, found from the places of its neighbours with d - 1
 * edits: within n x m lines, else `nowhere`. */
static int64_t step(const int64_t *places, int64_t k, int64_t d, int64_t n, int64_t m) {
  int64_t down = k < d || d == 0 ? places[k + 1] : nowhere;
  int64_t right = k > -d ? places[k - 1] + 1 : nowhere;
  if (down - k > m) down = nowhere;
  if (right > n) right = nowhere;
  int64_t x = down > right ? down : right;
  return x < 0 ? nowhere : x;
}

/* Finds where the path with the fewest edits can be cut; there must be at least one edit. The lines
 * before the cut and those behind it are then two separate parts. */
static void find_middle(int64_t *cut_a, int64_t *cut_b, const search *s, part p) {
  int64_t n = p.a_end - p.a, m = p.b_end - p.b, odd = (n - m) & 1, delta = n - m;
  int64_t *f = s->forward, *r = s->backward;
  f[1] = 0;
  r[1] = 0;
  for (int64_t d = 0;; d++) {
    for (int64_t k = -d; k <= d; k += 2) {
      int64_t x = step(f, k, d, n, m);
      while (x >= 0 && x < n && x - k < m && same(&s->a[p.a + x], &s->b[p.b + x - k]))
        x++;
      f[k] = x;
      int64_t other = delta - k;
      if (!odd || other < 1 - d || other > d - 1 || x + r[other] < n) continue;
      *cut_a = p.a + x, *cut_b = p.b + x - k;
      return;
    }
    for (int64_t k = -d; k <= d; k += 2) {
      int64_t x = step(r, k, d, n, m);
      while (x >= 0 && x < n && x - k < m &&
             same(&s->a[p.a_end - 1 - x], &s->b[p.b_end - 1 - x + k]))
        x++;
      r[k] = x;
      int64_t other = delta - k;
      if (odd || other < -d || other > d || x + f[other] < n) continue;
      *cut_a = p.a_end - x, *cut_b = p.b_end - x + k;
      return;
    }
  }
}

static void compare(const search *s, part p) {
  while (p.a < p.a_end && p.b < p.b_end && same(&s->a[p.a], &s->b[p.b]))
    p.a++, p.b++;
  while (p.a < p.a_end && p.b < p.b_end && same(&s->a[p.a_end - 1], &s->b[p.b_end - 1]))
    p.a_end--, p.b_end--;
  if (p.a == p.a_end || p.b == p.b_end) {
    for (; p.a < p.a_end; p.a++)
      s->a[p.a].differs = true;
    for (; p.b < p.b_end; p.b++)
      s->b[p.b].differs = true;
    return;
  }
  int64_t a, b;
  find_middle(&a, &b, s, p);
  compare(s, (part){p.a, a, p.b, b});
  compare(s, (part){a, p.a_end, b, p.b_end});
}

bool gg_diff(gg_lines *a, gg_lines *b) {
  size_t all = a->count + b->count + 3;
  int64_t *room = gg_malloc(4 * all * sizeof *room);
  if (!room) return false;
  for (size_t i = 0; i < a->count; i++)
    a->list[i].differs = false;
  for (size_t i = 0; i < b->count; i++)
    b->list[i].differs = false;
  const search s = {a->list, b->list, room + all, room + 3 * all};
  compare(&s, (part){0, (int64_t)a->count, 0, (int64_t)b->count});
  gg_free(room);
  return true;
}
