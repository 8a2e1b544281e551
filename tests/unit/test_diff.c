/* Lines that two lists have in common: in order, and as many as can be. */
#include <string.h>

#include "base/diff.h"
#include "emit/compare.h"
#include "suite.h"

enum { lines_most = 40 };

/* A list whose lines are single letters. */
static void fill(gg_lines *lines, gg_arena *arena, const char *letters) {
  static char texts[26][2];
  for (; *letters; letters++) {
    char *text = texts[*letters - 'a'];
    text[0] = *letters;
    ck_assert(gg_lines_add(lines, arena, (gg_line){.text = text, .shown = text, .length = 1}));
  }
}

/* The length of the longest common subsequence, by its definition. */
static int common_of(const char *a, const char *b) {
  static int best[lines_most + 1][lines_most + 1];
  size_t n = strlen(a), m = strlen(b);
  for (size_t i = n + 1; i-- > 0;) {
    for (size_t j = m + 1; j-- > 0;) {
      if (i == n || j == m)
        best[i][j] = 0;
      else if (a[i] == b[j])
        best[i][j] = best[i + 1][j + 1] + 1;
      else
        best[i][j] = best[i + 1][j] > best[i][j + 1] ? best[i + 1][j] : best[i][j + 1];
    }
  }
  return best[0][0];
}

static void check(const char *a, const char *b) {
  gg_arena arena = GG_ARENA_INIT;
  gg_lines lines[2] = {{0}, {0}};
  char same[2][lines_most + 1] = {"", ""};
  fill(&lines[0], &arena, a);
  fill(&lines[1], &arena, b);
  ck_assert(gg_diff(&lines[0], &lines[1]));
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0, at = 0; i < lines[k].count; i++)
      if (!lines[k].list[i].differs) same[k][at++] = lines[k].list[i].text[0];
  }
  ck_assert_msg(!strcmp(same[0], same[1]), "%s and %s: %s, %s", a, b, same[0], same[1]);
  ck_assert_msg((int)strlen(same[0]) == common_of(a, b), "%s and %s: %s", a, b, same[0]);
  gg_change change = gg_change_of(lines);
  ck_assert_uint_eq(change.of_a, strlen(a) - strlen(same[0]));
  ck_assert_uint_eq(change.of_b, strlen(b) - strlen(same[0]));
  gg_arena_free(&arena);
}

START_TEST(lists_are_compared) {
  check("", "");
  check("abc", "");
  check("", "abc");
  check("abc", "abc");
  check("abcabba", "cbabac");
  check("abcdefgh", "habcdefg");
  check("aaaa", "aa");
  check("abab", "baba");
}
END_TEST

START_TEST(as_many_as_can_be) {
  uint64_t state = 7;
  for (int round = 0; round < 4000; round++) {
    char texts[2][lines_most + 1] = {"", ""};
    for (int k = 0; k < 2; k++) {
      state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
      int count = (int)(state >> 33) % lines_most, letters = 2 + round % 5;
      for (int i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        texts[k][i] = (char)('a' + (state >> 33) % (unsigned)letters);
      }
    }
    check(texts[0], texts[1]);
  }
}
END_TEST

/* What is no difference between two kernels' texts, and what is one. */
START_TEST(texts_are_compared) {
  static gg_report none;
  static gg_comparison c;
  gg_error err = GG_ERROR_INIT;
  const gg_compared a = {"one", &none, "// banner of one\n\nint x = 1;  // it\nvoid one();\n",
                         "// by a compiler\n.visible .entry one(\n\t.param .u64 one_param_0\n"
                         "\t.loc\t1 7 3\n\tadd.s32 %r12, %r7, 4;\n$L__BB0_2:\n\tbra $L__BB0_2;\n"};
  gg_compared b = {"another", &none,
                   "// banner\n// of more lines\nint x = 1;  // it\nvoid another();\n",
                   ".visible .entry another(\n\t.param .u64 another_param_0\n"
                   "\tadd.s32 %r3, %r2, 4;\n$L__BB0_7:\n\tbra $L__BB0_7;\n"};
  ck_assert_msg(!gg_comparison_make(&c, &a, &b, &err), "%s", err.message);
  ck_assert_uint_eq(gg_change_of(c.cuda).places, 0);
  ck_assert_uint_eq(gg_change_of(c.ptx).places, 0);
  ck_assert_uint_eq(c.cuda[0].count, 2);
  ck_assert_int_eq(c.cuda[0].list[0].number, 3);
  gg_comparison_free(&c);
  b.cuda = "int x = 2;\nvoid another();\nint y;\n";
  b.ptx = NULL;
  ck_assert_msg(!gg_comparison_make(&c, &a, &b, &err), "%s", err.message);
  gg_change change = gg_change_of(c.cuda);
  ck_assert_uint_eq(change.places, 2);
  ck_assert_uint_eq(change.of_a, 1);
  ck_assert_uint_eq(change.of_b, 2);
  ck_assert_uint_eq(c.ptx[1].count, 0);
  gg_comparison_free(&c);
}
END_TEST

/* What names a text is no difference; other digits are the text's own. */
START_TEST(fingerprints_are_left_out) {
  static const gg_report none = {.arena = GG_ARENA_INIT};
  static gg_comparison c;
  gg_error err = GG_ERROR_INIT;
  const gg_compared a = {"k", &none,
                         "int x = 1234567890123456789;\nvoid gemmgen_0123456789abcdef() {}\n",
                         ".entry gemmgen_0123456789abcdef()\nmov.u64 %rd1, 1234567890123456789;\n"};
  const gg_compared b = {"k", &none,
                         "int x = 1234567890123456789;\nvoid gemmgen_fedcba9876543210() {}\n",
                         ".entry gemmgen_fedcba9876543210()\nmov.u64 %rd2, 1234567890123456780;\n"};
  ck_assert_msg(!gg_comparison_make(&c, &a, &b, &err), "%s", err.message);
  ck_assert_uint_eq(gg_change_of(c.cuda).places, 0);
  ck_assert_str_eq(c.cuda[0].list[0].text, "int x = 1234567890123456789;");
  ck_assert_str_eq(c.cuda[0].list[1].text, "void gemmgen_#() {}");
  ck_assert_uint_eq(gg_change_of(c.ptx).of_a, 1);
  ck_assert_str_eq(c.ptx[0].list[1].text, "mov.u64 %rd#, 1234567890123456789;");
  gg_comparison_free(&c);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("diff");
  TCase *tcase = tcase_create("diff");
  tcase_add_test(tcase, lists_are_compared);
  tcase_add_test(tcase, as_many_as_can_be);
  tcase_add_test(tcase, texts_are_compared);
  tcase_add_test(tcase, fingerprints_are_left_out);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
