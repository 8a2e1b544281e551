/* Thread-value layouts: rows of text, made into layouts where they are needed.
 *
 * Text, because a row then reads exactly as CuTe prints the layout. Letters are replaced by the
 * atom's sizes before the text is parsed, so that a family of atoms needs one row. */
#include "atom/tv.h"

#include <assert.h>
#include <stdio.h>

static const struct {
  const char *name, *text;
} table[] = {
#define GG_TV(name, text) {#name, text},
#include "atom/tv_layouts.def"
#undef GG_TV
};

static int size_of_letter(char letter, gg_tv_sizes sizes) {
  switch (letter) {
  case 'M':
    return sizes.m;
  case 'N':
    return sizes.n;
  case 'K':
    return sizes.k;
  case 'B':
    return sizes.bits;
  default:
    return 0;
  }
}

gg_layout gg_tv_layout(gg_tv tv, gg_tv_sizes sizes) {
  char text[128];
  size_t length = 0;
  for (const char *c = table[tv].text; *c && length < sizeof text - 12; c++) {
    int size = size_of_letter(*c, sizes);
    if (!size) {
      text[length++] = *c;
      continue;
    }
    if (c[1] == '/') {
      size /= c[2] - '0';
      c += 2;
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "%d", size);
  }
  text[length] = '\0';
  gg_layout layout = gg_layout_flat(1, 0);
  gg_status status = gg_layout_parse(&layout, text, NULL);
  assert(status == GG_OK && "a row of tv_layouts.def does not parse");
  (void)status;
  return layout;
}

const char *gg_tv_name(gg_tv tv) {
  return table[tv].name;
}
