/* An operation of the epilogue as the emitted text has it: what its operand is called and where
 * that comes from. */
#ifndef GG_EMIT_ITEM_H
#define GG_EMIT_ITEM_H

#include "base/str.h"
#include "plan/layouts.h"
#include "plan/operation.h"

/* The operations of one kernel. */
typedef struct gg_items {
  const gg_plan *plan;
  const gg_layouts *layouts;
  bool reads_c; /* C is read in place by threads, as an operand */
} gg_items;

typedef struct gg_item {
  const gg_operation *operation;
  gg_span span;
  bool fetched; /* a matrix that the producer fetches */
  bool lined;   /* a matrix that comes through D's staging */
  bool staged;  /* a matrix that is stored through D's staging */
  bool ahead;   /* a vector that is read ahead */
  bool halves;  /* a vector, or the lines of a matrix, whose two halves supply a tile's columns in
                 * turns (a split gate) */
  const gg_items *of;
  char name[GG_OPERATION_NAME_MAX];
} gg_item;

gg_item gg_item_of(const gg_items *e, size_t index);

/* Whether the operation reads an operand. */
bool gg_item_is_read(const gg_item *it);

/* The text for an operand of each span: its values for the two columns; the member of the struct
 * that holds them; the lines that move its pointer to the tile, and that read it. In these, $r and
 * $c stand for the rows and columns from the first cell to the i-th. */
typedef struct gg_item_span {
  const char *values[2], *member, *move, *read;
} gg_item_span;

extern const gg_item_span gg_item_spans[];

/* The lines of an item that move its pointer to a tile, and that read its values. */
const char *gg_item_move(const gg_item *it);
const char *gg_item_read(const gg_item *it);

/* A number that a step of finish() works on: its name, and which of the operand's two values
 * belongs to it. */
typedef struct gg_item_number {
  const char *name;
  int value;
} gg_item_number;

/* Appends `text`, in which @ stands for the item's name, $r and $c for the steps of cells, $l and
 * $h for the item's two numbers. In a step, $x also stands for the number, $t for its value of the
 * operand, and $1 for its value of t1. */
void gg_item_write(gg_str *out, const char *text, const gg_item *it);
void gg_item_write_step(gg_str *out, const char *text, const gg_item *it, gg_item_number x);

/* Appends the rows, or columns, from the first of the cells that a thread reads together to the
 * i-th. */
void gg_item_write_cell_step(gg_str *out, const gg_items *e, bool rows);

#endif
