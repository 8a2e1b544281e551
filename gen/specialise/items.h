/* The declarations of a text's outermost level. */
#ifndef GG_SPECIALISE_ITEMS_H
#define GG_SPECIALISE_ITEMS_H

#include "specialise/tokens.h"

typedef enum gg_item_kind {
  GG_ITEM_FUNCTION,
  GG_ITEM_KERNEL,   /* what all others are there for */
  GG_ITEM_CONSTANT, /* one declarator of `constexpr int a = 1, b = 2;` */
  GG_ITEM_TYPE,     /* a struct, an alias */
  GG_ITEM_MEMBER,   /* one declarator of a struct's `static constexpr int a = 1, b = 2;` */
  GG_ITEM_ASSERT,
  GG_ITEM_HEADING, /* a comment that stands alone: // ---- Title ---- */
  GG_ITEM_REMARK,  /* one without a title */
} gg_item_kind;

typedef struct gg_item {
  gg_item_kind kind;
  int first, last; /* tokens, without the comment in front of it */
  int name;        /* place of the token that names it; -1: it has none, or is an operator */
  int body;        /* of a function: place of its `{`; of a constant: of its value; else -1 */
  int statement;   /* of a constant or member: where the statement that declares it begins */
  int owner;       /* of a member: the item of its struct */
  bool dead;
} gg_item;

/* A function of the text, or a method of one of its structs, that has a name. */
typedef struct gg_function {
  int first, last; /* its tokens, with template's */
  int name;        /* place */
  int open;        /* of the list of parameters */
  int body;        /* its `{` */
  int angle;       /* of the list of template parameters: its `<`; -1: none */
  bool method;
} gg_function;

typedef struct gg_items {
  gg_item *at;
  int count;
  gg_function *functions;
  int function_count;
} gg_items;

gg_status gg_items_find(gg_items *out, gg_tokens *tokens, gg_error *err);

/* Takes it out of the text, with the comments that belong to it. */
void gg_item_remove(gg_tokens *tokens, gg_item *item);

#endif
