/* Writes a C++ program to standard output that holds the C text of layouts against the layouts: a
 * function each, as an emitted kernel has it, and its values from the algebra.
 *
 * The cases are all shapes that shared memory takes, and composed layouts drawn at random, with
 * extents that are no powers of two among them. */
#include <stdio.h>
#include <stdlib.h>

#include "emit/layout_text.h"

static const char *const fixed[] = {
    "(128,64):(64,1)",
    "Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))",
    "Sw<2,3,3> o 0 o ((8,16),(32,1)):((32,256),(1,0))",
    "Sw<1,3,3> o 0 o ((8,4),(16,1)):((16,128),(1,0))",
    "Sw<3,3,3> o 0 o ((64,2),(8,4)):((1,2048),(64,512))",
    "Sw<3,3,3> o 0 o ((64,3),(8,4)):((1,2048),(64,512))",
    "Sw<3,3,4> o 0 o (16,64):(64,1)",
    "Sw<2,3,2> o 0 o (16,16):(1,16)",
    "Sw<3,3,3> o 0 o (16,8):(8,1)",
    "Sw<2,4,3> o 0 o (12,40):(40,1)",
    "(48,32):(1,56)",
    "(1,1):(0,0)",
    "(1,8):(0,1)",
};

static unsigned long long state = 1;

static int draw(int below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((state >> 33) % (unsigned)below);
}

/* ((a,b),(c,d)) with a compact order of the four modes, under a swizzle. */
static void draw_layout(char *out, size_t size) {
  int shape[4], stride[4], order[4] = {0, 1, 2, 3}, next = 1;
  for (int i = 0; i < 4; i++)
    shape[i] = draw(4) ? 1 << draw(4) : 1 + draw(6);
  for (int i = 3; i > 0; i--) {
    int j = draw(i + 1), keep = order[i];
    order[i] = order[j];
    order[j] = keep;
  }
  for (int i = 0; i < 4; i++) {
    stride[order[i]] = next;
    next *= shape[order[i]];
  }
  int bits = draw(4), base = draw(4), shift = bits + draw(3);
  snprintf(out, size, "Sw<%d,%d,%d> o 0 o ((%d,%d),(%d,%d)):((%d,%d),(%d,%d))", bits, base, shift,
           shape[0], shape[1], shape[2], shape[3], stride[0], stride[1], stride[2], stride[3]);
}

static void write_case(int number, const char *text) {
  static const char *const coords[2] = {"row", "col"};
  gg_error err = GG_ERROR_INIT;
  gg_composed layout;
  gg_str function = GG_STR_INIT;
  char name[32];
  snprintf(name, sizeof name, "layout_%d", number);
  if (gg_composed_parse(&layout, text, &err) ||
      gg_emit_layout_function(&function, name, coords, &layout, &err)) {
    fprintf(stderr, "%s: %s\n", text, err.message);
    exit(1);
  }
  gg_layout rows, cols;
  gg_layout_get(&rows, &layout.layout, 0, NULL);
  gg_layout_get(&cols, &layout.layout, 1, NULL);
  printf("%sstatic const long long values_%d[] = {", gg_str_text(&function), number);
  for (int64_t i = 0; i < gg_composed_size(&layout); i++) {
    printf("%lld,", (long long)gg_composed_at(&layout, i));
  }
  printf("};\nstatic const int rows_%d = %lld, cols_%d = %lld;\n\n", number,
         (long long)gg_layout_size(&rows), number, (long long)gg_layout_size(&cols));
  gg_str_free(&function);
}

int main(void) {
  enum { drawn = 300 };
  int count = 0;
  printf("#include <cstdio>\n#define __device__\n#define __forceinline__ inline\n\n");
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    write_case(count++, fixed[i]);
  for (int i = 0; i < drawn; i++) {
    char text[128];
    draw_layout(text, sizeof text);
    write_case(count++, text);
  }
  printf("int main() {\n  int failed = 0;\n");
  for (int i = 0; i < count; i++) {
    printf(
        "  for (int c = 0; c < cols_%d; c++)\n    for (int r = 0; r < rows_%d; r++)\n"
        "      if ((long long)layout_%d(r, c) != values_%d[r + c * rows_%d])\n"
        "        failed++, std::printf(\"layout_%d(%%d, %%d) is %%u\\n\", r, c, layout_%d(r, c));\n",
        i, i, i, i, i, i, i);
  }
  printf("  std::printf(\"%d layouts, %%d wrong values\\n\", failed);\n  return failed != 0;\n}\n",
         count);
  return 0;
}
