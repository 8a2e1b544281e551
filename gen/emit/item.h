/* An operation of the epilogue as it is written: what its operand is called and where that comes
 * from. */
#ifndef GG_EMIT_ITEM_H
#define GG_EMIT_ITEM_H

#include "base/str.h"
#include "plan/layouts.h"
#include "plan/operation.h"

/* The operations of a kernel. */
typedef struct gg_items {
  const gg_plan *plan;
  const gg_layouts *layouts;
  bool reads_c; /* C is read where it lies, as an operand */
} gg_items;

typedef struct gg_item {
  const gg_operation *operation;
  gg_span span;
  bool fetched; /* a matrix that the producer fetches */
  bool lined;   /* a matrix that comes through D's staging */
  bool staged;  /* a matrix that is stored through D's staging */
  bool ahead;   /* a vector that is read ahead */
  bool halves;  /* a vector, or a matrix's lines, whose halves are of a tile's columns by turns */
  const gg_items *of;
  char name[GG_OPERATION_NAME_MAX];
} gg_item;

gg_item gg_item_of(const gg_items *e, size_t index);

/* Whether it reads an operand. */
bool gg_item_is_read(const gg_item *it);

/* For each span: an operand's values for both numbers, the member of the struct that holds it, and
 * the lines that move to the tile's first and that read it; $r and $c are the rows and columns from
 * the first cell to the i-th. */
typedef struct gg_item_span {
  const char *values[2], *member, *move, *read;
} gg_item_span;

extern const gg_item_span gg_item_spans[];

/* The lines of an item. */
const char *gg_item_move(const gg_item *it);
const char *gg_item_read(const gg_item *it);

/* A number that a step is on: what it is called, and which of two values of the operand is its. */
typedef struct gg_item_number {
  const char *name;
  int value;
} gg_item_number;

/* Writes `text`, each @ the item's name, $r and $c the steps of cells, $l and $h the item's
 * numbers; and, of a step, $x the number, $t its value of the operand, and $1 its value of t1. */
void gg_item_write(gg_str *out, const char *text, const gg_item *it);
void gg_item_write_step(gg_str *out, const char *text, const gg_item *it, gg_item_number x);

/* The rows, or columns, from the first of the cells that a thread reads together to the i-th. */
void gg_item_write_cell_step(gg_str *out, const gg_items *e, bool rows);

#endif
