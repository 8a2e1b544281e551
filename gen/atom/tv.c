/* Thread-value layouts: rows of text that are made into layouts when they are needed.
 *
 * They are texts so that a row reads exactly as CuTe prints the layout. They are read here and not
 * by the calculator's parser for two reasons: letters stand for the atom's sizes, so that a family
 * of atoms needs only one row, and nothing is allocated, so that reading a row cannot fail. */
#include "atom/tv.h"

#include <assert.h>

static const struct {
  const char *name, *text;
} table[] = {
#define GG_TV(name, text) {#name, text},
#include "atom/tv_layouts.def"
#undef GG_TV
};

/* The rest of a row that is still to be read, and what its letters stand for. */
typedef struct reader {
  const char *at;
  gg_tv_sizes sizes;
} reader;

static int64_t letter_size(const gg_tv_sizes *sizes, char letter) {
  switch (letter) {
  case 'M':
    return sizes->m;
  case 'N':
    return sizes->n;
  case 'K':
    return sizes->k;
  case 'B':
    return sizes->bits;
  default:
    assert(letter == 'R' && "a row of tv_layouts.def has another letter");
    return sizes->repeat;
  }
}

/* Reads a size: "128", "M", "64R" or "N/8". */
static int64_t read_size(reader *r) {
  int64_t size = 0;
  bool number = *r->at >= '0' && *r->at <= '9';
  while (*r->at >= '0' && *r->at <= '9')
    size = size * 10 + (*r->at++ - '0');
  if (*r->at >= 'A') size = (number ? size : 1) * letter_size(&r->sizes, *r->at++);
  if (*r->at == '/') {
    size /= r->at[1] - '0';
    r->at += 2;
  }
  return size;
}

static gg_tuple read_tree(reader *r) {
  if (*r->at != '(') return gg_tuple_int(read_size(r));
  gg_tuple tree = gg_tuple_empty();
  do {
    r->at++; /* "(" or "," */
    gg_tuple child = read_tree(r);
    gg_status status = gg_tuple_append(&tree, &tree, &child, NULL);
    assert(status == GG_OK && "a row of tv_layouts.def is too large");
    (void)status;
  } while (*r->at == ',');
  r->at++; /* ")" */
  return tree;
}

gg_layout gg_tv_layout(gg_tv tv, gg_tv_sizes sizes) {
  reader r = {table[tv].text, sizes};
  gg_layout layout;
  gg_tuple shape = read_tree(&r);
  r.at++; /* ":" */
  gg_tuple stride = read_tree(&r);
  gg_status status = gg_layout_make(&layout, &shape, &stride, NULL);
  assert(status == GG_OK && !*r.at && "a row of tv_layouts.def is no layout");
  (void)status;
  return layout;
}

static int64_t tree_size(reader *r) {
  if (*r->at != '(') return read_size(r);
  int64_t size = 1;
  do {
    r->at++; /* "(" or "," */
    size *= tree_size(r);
  } while (*r->at == ',');
  r->at++; /* ")" */
  return size;
}

int64_t gg_tv_mode_size(gg_tv tv, gg_tv_sizes sizes, int mode) {
  reader r = {table[tv].text, sizes};
  assert(*r.at == '(' && "a row of tv_layouts.def has no modes");
  int64_t size;
  do {
    r.at++; /* "(" or "," */
    size = tree_size(&r);
  } while (mode-- > 0);
  return size;
}

const char *gg_tv_name(gg_tv tv) {
  return table[tv].name;
}
