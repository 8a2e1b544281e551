/* What a kernel does not use goes, and what it does stays as it is written. */
#include <stdlib.h>
#include <string.h>

#include "specialise/specialise.h"
#include "suite.h"

#define D            "__device__ __forceinline__ "
#define KERNEL(body) "extern \"C\" __global__ void k(int *out, int n) {\n" body "}\n"

typedef struct example {
  const char *what, *text, *out;
} example;

static const example examples[] = {
    {"what the kernel does not reach goes, with its comments, and headings over nothing",
     "// ---- Sizes ----\n\n// Rows.\nconstexpr int m = 4, n_ = 8;  // of a tile\n\n"
     "// ---- Unused ----\n\n// Says nothing.\n" D "int f() { return m; }\n\n"
     "// ---- Kernel ----\n\n" KERNEL("  out[0] = n_;\n"),
     "// ---- Sizes ----\n\n// Rows.\nconstexpr int n_ = 8;  // of a tile\n\n"
     "// ---- Kernel ----\n\n" KERNEL("  out[0] = n_;\n")},
    {"a branch that a constant takes",
     "constexpr bool yes = true;\n" KERNEL(
         "  if constexpr (yes) {\n    out[0] = 1;\n    out[1] = 2;\n"
         "  } else {\n    out[0] = 3;\n  }\n"),
     KERNEL("  out[0] = 1;\n  out[1] = 2;\n")},
    {"one that none takes goes with its comment",
     "constexpr bool no = false;\n" KERNEL("  // Never.\n  if constexpr (no) out[0] = 1;\n"
                                           "  out[1] = 2;\n"),
     KERNEL("  out[1] = 2;\n")},
    {"else if",
     "constexpr int size = 2;\n" KERNEL("  if (n > 3)\n    out[0] = 1;\n"
                                        "  else if constexpr (size == 2)\n    out[0] = 2;\n"
                                        "  else\n    out[0] = 3;\n"),
     KERNEL("  if (n > 3)\n    out[0] = 1;\n  else\n    out[0] = 2;\n")},
    {"what stands behind a return that is always reached",
     "constexpr bool yes = true;\n" D "int f(int x) {\n  if constexpr (yes) return x + 1;\n"
     "  const int y = x;\n  return y * 2;\n}\n" KERNEL("  out[0] = f(n);\n"),
     D "int f(int x) {\n  return x + 1;\n}\n" KERNEL("  out[0] = f(n);\n")},
    {"a choice within an expression, without its brackets",
     "constexpr bool yes = true;\n" KERNEL(
         "  out[n] = n * (yes ? 3 : n);\n  out[0] = yes ? n : 1;\n"),
     KERNEL("  out[n] = n * 3;\n  out[0] = n;\n")},
    {"a sum keeps its brackets where it needs them",
     "constexpr bool yes = true;\n" KERNEL("  out[n] = n * (yes ? n + 3 : n);\n"),
     KERNEL("  out[n] = n * (n + 3);\n")},
    {"choices within choices",
     "constexpr int size = 3;\n" KERNEL("  out[0] = size == 1 ? 10 : size == 2 ? 20 : n;\n"
                                        "  out[1] = n > 1 ? size == 3 ? 1 : 2 : 3;\n"),
     KERNEL("  out[0] = n;\n  out[1] = n > 1 ? 1 : 3;\n")},
    {"brackets of an operand of asm stay",
     "template <int bytes>\n" D
     "void f() {\n  asm volatile(\"\" ::\"n\"(bytes * 8));\n}\n" KERNEL("  f<1>();\n"),
     D "void f() {\n  asm volatile(\"\" ::\"n\"(8));\n}\n" KERNEL("  f();\n")},
    {"what decides one side of && and ||",
     "constexpr bool no = false;\n" KERNEL("  if ((no || n < 3) && (no || n > 1)) out[0] = 1;\n"
                                           "  if (no && n < 3) out[1] = 1;\n"),
     KERNEL("  if (n < 3 && n > 1) out[0] = 1;\n")},
    {"a loop of one round",
     "constexpr int blocks = 1;\n" KERNEL("#pragma unroll\n  for (int i = 0; i < blocks; ++i)\n"
                                          "    out[n + i * 8] = out[i];\n"),
     KERNEL("  out[n] = out[0];\n")},
    {"one that does something else between rounds stays",
     KERNEL("  for (int i = 0; i < 1; ++i, ++n) out[n] = i;\n  out[0] = n;\n"),
     KERNEL("  for (int i = 0; i < 1; ++i, ++n) out[n] = i;\n  out[0] = n;\n")},
    {"a member of the variable's name is another",
     "struct place {\n  int i;\n};\n" KERNEL("  place at = {n};\n  for (int i = 0; i < 1; ++i)\n"
                                             "    out[i] = at.i;\n"),
     "struct place {\n  int i;\n};\n" KERNEL("  place at = {n};\n  out[0] = at.i;\n")},
    {"what is no statement is left as it is", KERNEL("  if n;\n  out[0] = true ? 1;\n  for n;\n"),
     KERNEL("  if n;\n  out[0] = true ? 1;\n  for n;\n")},
    {"a loop of one round that a branch would have left, had it been taken",
     "constexpr bool no = false;\n" KERNEL(
         "  for (int i = 0; i < 1; ++i) {\n    if constexpr (no) break;\n    out[i] = n;\n  }\n"),
     KERNEL("  out[0] = n;\n")},
    {"a loop of two rounds stays, and one of none goes",
     "constexpr int two = 2;\n" KERNEL("  for (int i = 0; i < two; ++i) out[i] = 1;\n"
                                       "  for (int i = 0; i < two - 2; ++i) out[i] = 1;\n"),
     "constexpr int two = 2;\n" KERNEL("  for (int i = 0; i < two; ++i) out[i] = 1;\n")},
    {"a block keeps its braces where its names are names around it",
     "constexpr bool yes = true;\n" KERNEL("  if constexpr (yes) {\n    const int x = n + 1;\n"
                                           "    out[x] = x;\n  }\n  const int x = n + 2;\n"
                                           "  out[x] = x;\n"),
     KERNEL("  {\n    const int x = n + 1;\n    out[x] = x;\n  }\n  const int x = n + 2;\n"
            "  out[x] = x;\n")},
    {"members are no names around it",
     "struct two {\n  int x, y;\n};\n\nconstexpr bool yes = true;\n" D
     "int f(two t) {\n  int sum = t.x;\n  if constexpr (yes) {\n    const int x = t.y;\n"
     "    sum += x * x;\n  }\n  return sum;\n}\n" KERNEL("  out[0] = f({n, n});\n"),
     "struct two {\n  int x, y;\n};\n" D "int f(two t) {\n  int sum = t.x;\n  const int x = t.y;\n"
     "  sum += x * x;\n  return sum;\n}\n" KERNEL("  out[0] = f({n, n});\n")},
    {"a parameter that nothing reads goes, with its argument and what is said of it",
     "// Adds one.\n// `y`: nothing.\n" D "int f(int x, int y) { return x + 1; }\n" KERNEL(
         "  const int z = n * 2;\n  out[0] = f(n, z);\n"),
     "// Adds one.\n" D "int f(int x) { return x + 1; }\n" KERNEL("  out[0] = f(n);\n")},
    {"not where the argument does more than compute",
     D "int g(int *p) {\n  asm volatile(\"\" : \"+l\"(p));\n  return *p;\n}\n" D
       "int f(int x, int y) { return x + 1; }\n" KERNEL("  out[0] = f(n, g(out));\n"),
     D "int g(int *p) {\n  asm volatile(\"\" : \"+l\"(p));\n  return *p;\n}\n" D
       "int f(int x, int y) { return x + 1; }\n" KERNEL("  out[0] = f(n, g(out));\n")},
    {"a template's number that is the same in all calls",
     "constexpr int four = 4;\n\ntemplate <int bytes>\n" D "int f(int x) {\n"
     "  if constexpr (bytes == 4)\n    return x * bytes;\n  else\n    return x;\n}\n" KERNEL(
         "  out[0] = f<four>(n);\n  out[1] = f<four>(1);\n"),
     "constexpr int four = 4;\n\n" D
     "int f(int x) {\n  return x * four;\n}\n" KERNEL("  out[0] = f(n);\n  out[1] = f(1);\n")},
    {"and one that is not",
     "template <int bytes>\n" D
     "int f(int x) { return x * bytes; }\n" KERNEL("  out[0] = f<4>(n);\n  out[1] = f<8>(n);\n"),
     "template <int bytes>\n" D
     "int f(int x) { return x * bytes; }\n" KERNEL("  out[0] = f<4>(n);\n  out[1] = f<8>(n);\n")},
    {"a function that hands on what it is given",
     D "int f(int x) { return x; }\n" KERNEL("  out[0] = f(n + 1) * 2;\n"),
     KERNEL("  out[0] = (n + 1) * 2;\n")},
    {"one that does nothing",
     "constexpr bool no = false;\n" D "void f(int x) {\n  if constexpr (no) x = 1;\n}\n" KERNEL(
         "  if (n > 1) f(n);\n  f(2);\n  out[0] = 1;\n"),
     KERNEL("  out[0] = 1;\n")},
    {"a variable that nothing reads, one of two",
     KERNEL("  const int x = n + 1, y = n * 2;\n  const int z = y;\n  out[x] = 1;\n"),
     KERNEL("  const int x = n + 1;\n  out[x] = 1;\n")},
    {"a second name of a parameter",
     "extern \"C\" __global__ void k(int *out, int n_arg) {\n  const int n = n_arg;\n"
     "  out[n] = n;\n}\n",
     KERNEL("  out[n] = n;\n")},
    {"a value that stands elsewhere, but is declared nowhere, is no second name",
     "struct two {\n  int *x, *y;\n};\n" KERNEL("  const two t = {out, nullptr};\n"
                                                "  const int *p = nullptr;\n"
                                                "  out[n] = t.x == t.y;\n"),
     "struct two {\n  int *x, *y;\n};\n" KERNEL("  const two t = {out, nullptr};\n"
                                                "  out[n] = t.x == t.y;\n")},
    {"a method that nothing calls, and a constant of a struct",
     "struct walk {\n  static constexpr int step = 2, other = 3;\n  int at;\n\n"
     "  " D "void next() { at += step; }\n\n  // Back.\n  " D
     "void back() { at -= step; }\n};\n\n" KERNEL(
         "  walk w = {n};\n  w.next();\n  out[0] = w.at;\n"),
     "struct walk {\n  static constexpr int step = 2;\n  int at;\n\n"
     "  " D "void next() { at += step; }\n};\n\n" KERNEL(
         "  walk w = {n};\n  w.next();\n  out[0] = w.at;\n")},
    {"a constant of a struct decides, by the struct that is the template's",
     "struct a {\n  static constexpr int step = 2;\n};\n\ntemplate <class matrix>\n" D
     "int f(int x) { return matrix::step == 2 ? x : 0; }\n" KERNEL("  out[0] = f<a>(n + 1);\n"),
     KERNEL("  out[0] = n + 1;\n")},
    {"a method that nothing calls, and a variable of its name",
     "struct walk {\n  int at;\n\n  " D "int next() const { return at + 1; }\n};\n\n" KERNEL(
         "  walk w = {n};\n  const int next = n * 2;\n  out[next] = w.at + next;\n"),
     "struct walk {\n  int at;\n};\n\n" KERNEL(
         "  walk w = {n};\n  const int next = n * 2;\n  out[next] = w.at + next;\n")},
    {"constants of structs: what a template reads of those that are given to it",
     "struct a {\n  static constexpr int step = 2, last = 3;\n};\n\n"
     "struct b {\n  static constexpr int step = 4, last = 5;\n};\n\n"
     "struct c {\n  static constexpr int step = 6, last = 7;\n};\n\n"
     "template <class t>\n" D "int g(int *x) { return x[t::step] + x[t::step + 1]; }\n\n"
     "template <class t>\n" D
     "int f(int *x) {\n  x[0] = g<t>(x);\n  return g<t>(x + t::step);\n}\n\n"
     "template <class t>\n" D "int h(int *x) { return x[t::last] + x[t::last + 1]; }\n\n" KERNEL(
         "  out[n] = f<a>(out) + f<b>(out) + f<a>(out + n) + h<b>(out) + h<c>(out);\n"),
     "struct a {\n  static constexpr int step = 2;\n};\n\n"
     "struct b {\n  static constexpr int step = 4, last = 5;\n};\n\n"
     "struct c {\n  static constexpr int last = 7;\n};\n\n"
     "template <class t>\n" D "int g(int *x) { return x[t::step] + x[t::step + 1]; }\n\n"
     "template <class t>\n" D
     "int f(int *x) {\n  x[0] = g<t>(x);\n  return g<t>(x + t::step);\n}\n\n"
     "template <class t>\n" D "int h(int *x) { return x[t::last] + x[t::last + 1]; }\n\n" KERNEL(
         "  out[n] = f<a>(out) + f<b>(out) + f<a>(out + n) + h<b>(out) + h<c>(out);\n")},
    {"sizes of types",
     "using d_t = unsigned short;\n" KERNEL("  out[0] = sizeof(d_t) == 2 ? n : 0;\n"),
     KERNEL("  out[0] = n;\n")},
    {"an assertion stays with what it speaks of",
     "constexpr int m = 4, q = 2;\nstatic_assert(m == 4, \"four\");\nstatic_assert(q == 2, \"two\");\n" KERNEL(
         "  out[0] = m;\n"),
     "constexpr int m = 4;\nstatic_assert(m == 4, \"four\");\n" KERNEL("  out[0] = m;\n")},
    {"a name that is declared again is not the constant",
     "constexpr int m = 4;\n" D
     "int f(int m) { return m > 3 ? m + 1 : 0; }\n" KERNEL("  out[0] = f(m);\n"),
     "constexpr int m = 4;\n" D
     "int f(int m) { return m > 3 ? m + 1 : 0; }\n" KERNEL("  out[0] = f(m);\n")},
    {"a pragma names a constant",
     "constexpr int rounds = 4;\n" KERNEL("#pragma unroll rounds\n"
                                          "  for (int i = 0; i < n; ++i) out[i] = i;\n"),
     "constexpr int rounds = 4;\n" KERNEL("#pragma unroll rounds\n"
                                          "  for (int i = 0; i < n; ++i) out[i] = i;\n")},
    {"a member that is the same in every struct is known in a template of them",
     "struct a {\n  static constexpr int size = 4, turns = 2;\n};\n\n"
     "struct b {\n  static constexpr int size = 4, turns = 3;\n};\n\n"
     "template <class op>\n" D "int f(int x) {\n"
     "  return op::size == 4 ? x * op::turns : op::turns == 2 ? x : 0;\n}\n\n" KERNEL(
         "  out[0] = f<a>(n) + f<b>(n);\n"),
     "struct a {\n  static constexpr int turns = 2;\n};\n\n"
     "struct b {\n  static constexpr int turns = 3;\n};\n\n"
     "template <class op>\n" D
     "int f(int x) {\n  return x * op::turns;\n}\n\n" KERNEL("  out[0] = f<a>(n) + f<b>(n);\n")},
    {"a member that only another struct's is asked for",
     "struct a {\n  static constexpr int size = 4;\n};\n\n"
     "struct b {\n  static constexpr int size = 8, turns = 3;\n};\n\n" KERNEL(
         "  out[0] = a::size + b::turns;\n"),
     "struct a {\n  static constexpr int size = 4;\n};\n\n"
     "struct b {\n  static constexpr int turns = 3;\n};\n\n" KERNEL(
         "  out[0] = a::size + b::turns;\n")},
    {"a member that a template asks for, of a struct that no template is given",
     "struct a {\n  static constexpr int size = 4;\n};\n\n"
     "struct b {\n  static constexpr int size = 8, turns = 3;\n};\n\n"
     "template <class op>\n" D "int f(int x) {\n  return x * op::size;\n}\n\n" KERNEL(
         "  out[0] = f<a>(n) + f<int>(0) + b::turns;\n"),
     "struct a {\n  static constexpr int size = 4;\n};\n\n"
     "struct b {\n  static constexpr int turns = 3;\n};\n\n"
     "template <class op>\n" D "int f(int x) {\n  return x * op::size;\n}\n\n" KERNEL(
         "  out[0] = f<a>(n) + f<int>(0) + b::turns;\n")},
    {"one that is not is not",
     "struct a {\n  static constexpr int turns = 2;\n};\n\n"
     "struct b {\n  static constexpr int turns = 3;\n};\n\n"
     "template <class op>\n" D "int f(int x) {\n  return op::turns == 2 ? x : 0;\n}\n\n" KERNEL(
         "  out[0] = f<a>(n) + f<b>(n);\n"),
     "struct a {\n  static constexpr int turns = 2;\n};\n\n"
     "struct b {\n  static constexpr int turns = 3;\n};\n\n"
     "template <class op>\n" D "int f(int x) {\n  return op::turns == 2 ? x : 0;\n}\n\n" KERNEL(
         "  out[0] = f<a>(n) + f<b>(n);\n")},
    {"a member that folding decides stays a member",
     "struct a {\n  static constexpr bool major = false;\n  static constexpr int boxes = 1;\n};\n\n"
     "template <class op>\nstruct strips {\n"
     "  // Whether it goes on.\n  static constexpr bool go_on = op::major && op::boxes == 1;\n\n"
     "  // The place.\n  static " D "int place(int number) { return number + 1; }\n};\n\n" D
     "int f(int x) {\n  return strips<a>::go_on ? x : strips<a>::place(x);\n}\n\n" KERNEL(
         "  out[0] = f(n) + f(n + 1);\n"),
     "struct a {\n};\n\n"
     "template <class op>\nstruct strips {\n"
     "  // Whether it goes on.\n  static constexpr bool go_on = false;\n\n"
     "  // The place.\n  static " D "int place(int number) { return number + 1; }\n};\n\n" D
     "int f(int x) {\n  return strips<a>::go_on ? x : strips<a>::place(x);\n}\n\n" KERNEL(
         "  out[0] = f(n) + f(n + 1);\n")},
    {"what stands in braces is an expression where they are not a block's",
     "constexpr int wide = 4, high = 8;\n\nstruct at {\n  int m, n, k;\n};\n\n" D
     "at place(int x, int y, int z) {\n  return {x * wide, y * high, z};\n}\n\n" KERNEL(
         "  const at a = place(n, n + 1, n + 2), b = place(n + 3, n, n);\n"
         "  out[0] = a.m + a.n + a.k + b.m + b.n + b.k;\n"),
     "constexpr int wide = 4, high = 8;\n\nstruct at {\n  int m, n, k;\n};\n\n" D
     "at place(int x, int y, int z) {\n  return {x * wide, y * high, z};\n}\n\n" KERNEL(
         "  const at a = place(n, n + 1, n + 2), b = place(n + 3, n, n);\n"
         "  out[0] = a.m + a.n + a.k + b.m + b.n + b.k;\n")},
    {"a pointer that begins as null is not another one's name",
     KERNEL("  int *x = nullptr;\n  const int *z = nullptr;\n  if (n > 0) z = x = out;\n"
            "  out[0] = *x + *z;\n"),
     KERNEL("  int *x = nullptr;\n  const int *z = nullptr;\n  if (n > 0) z = x = out;\n"
            "  out[0] = *x + *z;\n")},
    {"a local constant that comes to a number is that number",
     "constexpr int turns = 1;\n" KERNEL("  for (int i = 0; i < turns; ++i) {\n"
                                         "    const int along = i * n;\n"
                                         "    constexpr int rounds = turns == 1 ? 2 : 4;\n"
                                         "#pragma unroll rounds\n"
                                         "    for (int j = 0; j < n; ++j) out[j + along] = j;\n"
                                         "  }\n"),
     KERNEL("#pragma unroll 2\n  for (int j = 0; j < n; ++j) out[j] = j;\n")},
    {"not where a member has its name, nor where it is wider than the number",
     "constexpr bool yes = true;\n\nusing int64 = long long;\n\nstruct at {\n  int m;\n};\n\n" KERNEL(
         "  const int m = yes ? 4 : n;\n  const int64 k = yes ? 4 : n;\n  at a = {n};\n"
         "  out[m] = a.m;\n  out[k * n] = 0;\n"),
     "using int64 = long long;\n\nstruct at {\n  int m;\n};\n\n" KERNEL(
         "  const int m = 4;\n  const int64 k = 4;\n  at a = {n};\n"
         "  out[m] = a.m;\n  out[k * n] = 0;\n")},
    {"one that is written as a number keeps its name",
     KERNEL("  const int most = 4;  // of them\n  if (n < most) out[0] = most;\n"),
     KERNEL("  const int most = 4;  // of them\n  if (n < most) out[0] = most;\n")},
};

static void specialise(gg_str *out, const char *text) {
  gg_error err = GG_ERROR_INIT;
  ck_assert_int_eq(gg_specialise(out, text, strlen(text), &err), GG_OK);
}

START_TEST(test_example) {
  const example *e = &examples[_i];
  gg_str out = GG_STR_INIT, again = GG_STR_INIT;
  specialise(&out, e->text);
  ck_assert_msg(strcmp(gg_str_text(&out), e->out) == 0, "%s:\n%s", e->what, gg_str_text(&out));
  specialise(&again, gg_str_text(&out)); /* nothing is left to do */
  ck_assert_str_eq(gg_str_text(&again), gg_str_text(&out));
  gg_str_free(&out);
  gg_str_free(&again);
}
END_TEST

/* A statement that is as short as it was is one line again; lines are at most 100 columns. */
START_TEST(test_lines) {
  static const char text[] =
      "constexpr bool yes = true;\n" D
      "int add(int first_of_the_numbers, int second_of_the_numbers, int third_of_the_numbers,\n"
      "        int what_nobody_reads) {\n"
      "  return first_of_the_numbers + second_of_the_numbers * (yes ? second_of_the_numbers : 1) +\n"
      "         third_of_the_numbers * third_of_the_numbers * third_of_the_numbers;\n}\n" KERNEL(
          "  out[0] = add(yes ? n : 1,\n               2, 3, 4);\n");
  gg_str out = GG_STR_INIT;
  specialise(&out, text);
  for (const char *line = gg_str_text(&out); *line; line += strcspn(line, "\n") + 1)
    ck_assert_uint_le(strcspn(line, "\n"), 100);
  ck_assert_ptr_nonnull(strstr(gg_str_text(&out), "\n  out[0] = add(n, 2, 3);\n"));
  gg_str_free(&out);
}
END_TEST

START_TEST(test_brackets) {
  static const char *const texts[] = {"int f(int x {\n}\n", "\nint x = 1);\n", "int x[2;\n"};
  gg_str out = GG_STR_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_status st = gg_specialise(&out, texts[_i], strlen(texts[_i]), &err);
  ck_assert_int_eq(st, GG_E_SPECIALISE_BRACKETS);
  ck_assert_ptr_nonnull(strstr(err.message, _i == 1 ? "')'" : _i == 2 ? "'['" : "'('"));
  gg_error_clear(&err);
  gg_str_free(&out);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("specialise");
  TCase *tcase = tcase_create("examples");
  tcase_add_loop_test(tcase, test_example, 0, sizeof examples / sizeof *examples);
  tcase_add_test(tcase, test_lines);
  tcase_add_loop_test(tcase, test_brackets, 0, 3);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
