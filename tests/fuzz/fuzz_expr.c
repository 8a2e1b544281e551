/* Fuzz target: any bytes as an expression end in a value that prints and reads back as itself, or
 * in one error that can be printed; and have steps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calculator/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

/* Whatever there is to draw of a value: no tile may be left. */
static void draw(const gg_value *value) {
  gg_str table = GG_STR_INIT;
  gg_tensor tensor;
  gg_tv_view views[GG_TV_VIEWS];
  int count;
  if (value->kind == GG_VALUE_CONFLICTS) gg_conflicts_table(&table, &value->conflicts);
  if (gg_value_as_tensor(&tensor, value) && gg_composed_size(&tensor.layout) < 256) {
    gg_draw_table(&table, &tensor, tensor.base.count > 1, NULL);
  }
  if (!gg_value_views(views, &count, value, NULL)) {
    gg_draw_thread_table(&table, views, count, true, NULL);
  }
  gg_str_free(&table);
}

static void check_good(const gg_value *value, gg_notation notation, gg_arena *arena) {
  gg_str text = GG_STR_INIT, again = GG_STR_INIT;
  gg_value back;
  gg_value_print(&text, value, notation);
  if (value->kind != GG_VALUE_BOOL) {
    require(!gg_expr_eval(&back, gg_str_text(&text), NULL, 1, &notation, arena, NULL));
    gg_value_print(&again, &back, notation);
    require(strcmp(gg_str_text(&text), gg_str_text(&again)) == 0);
  }
  draw(value);
  gg_str_free(&text);
  gg_str_free(&again);
}

static void check_bad(gg_status st, gg_error *err, const char *source) {
  gg_str text = GG_STR_INIT;
  require(st == err->code && err->message[0] && err->line == 1 && err->column >= 1);
  gg_error_print(&text, err, source);
  require(text.length > 0 && text.length < 8192);
  gg_str_free(&text);
}

/* The steps are within the text, each before those that it is within; the last is all of it. */
static void check_steps(const char *text, gg_status wanted, gg_arena *arena) {
  gg_notation notation = GG_NOTATION_PLAIN;
  gg_steps steps;
  require(gg_expr_steps(&steps, text, "fuzz", 1, &notation, arena, NULL) == wanted);
  if (wanted) return;
  require(steps.count > 0);
  const gg_step *whole = steps.list[steps.count - 1];
  require(whole->begin >= text && whole->end <= text + strlen(text));
  for (int i = 0; i < steps.count; i++) {
    const gg_step *step = steps.list[i];
    require(step->begin >= whole->begin && step->begin < step->end && step->end <= whole->end);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gg_str text = GG_STR_INIT;
  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_notation notation = GG_NOTATION_PLAIN;
  gg_value value;
  gg_str_append(&text, (const char *)data, size);
  gg_status st = gg_expr_eval(&value, gg_str_text(&text), "fuzz", 1, &notation, &arena, &err);
  if (st == GG_OK) {
    check_good(&value, notation, &arena);
  } else {
    check_bad(st, &err, gg_str_text(&text));
  }
  check_steps(gg_str_text(&text), st, &arena);
  gg_error_clear(&err);
  gg_arena_free(&arena);
  gg_str_free(&text);
  return 0;
}
