/* gemmgen layout: a calculator for the layout algebra. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculator/expr.h"
#include "cli/cli.h"
#include "page/page.h"

typedef struct layout_options {
  bool table, compact, cute, list, html;
  const char *svg, *tile, *out;
  int64_t bits;
} layout_options;

static const cli_option options[] = {
    {"table", 't', CLI_FLAG, offsetof(layout_options, table), NULL,
     "print a grid: offsets, threads and values, bank conflicts"},
    {"svg", 's', CLI_STRING, offsetof(layout_options, svg), "FILE",
     "draw it: a layout, a swizzle, an atom's threads and values"},
    {"html", 0, CLI_FLAG, offsetof(layout_options, html), NULL,
     "write it as a page: each step of the expression, drawn; its values can be edited"},
    {"output", 'o', CLI_STRING, offsetof(layout_options, out), "FILE",
     "of --html (default: standard output)"},
    {"tv", 0, CLI_STRING, offsetof(layout_options, tile), "SHAPE",
     "shown or drawn: a thread-value layout over a tile of this shape"},
    {"bits", 'b', CLI_COUNT, offsetof(layout_options, bits), "N",
     "drawn: colour by the banks that elements of N bits fall in"},
    {"compact", 0, CLI_FLAG, offsetof(layout_options, compact), NULL,
     "shown or drawn: large ones at a glance"},
    {"cute", 0, CLI_FLAG, offsetof(layout_options, cute), NULL,
     "CuTe's notation: _8 is static, 8 dynamic"},
    {"list", 'l', CLI_FLAG, offsetof(layout_options, list), NULL, "list the operations"},
    {0},
};

static int list_operations(void) {
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  for (const gg_op *op = gg_ops; op->name; op++) {
    gg_str call = GG_STR_INIT;
    gg_str_printf(&call, "%s(", op->name);
    gg_op_print_arguments(&call, op);
    gg_str_puts(&call, ")");
    gg_str_printf(&text, "%-46s %s\n", gg_str_text(&call), op->help);
    text.failed = text.failed || call.failed;
    gg_str_free(&call);
  }
  for (const gg_op_alias *a = gg_op_aliases; a->alias; a++)
    gg_str_printf(&text, "%-46s as %s\n", a->alias, a->name);
  gg_status st = cli_print(&text, &err);
  gg_str_free(&text);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

/* ---- One expression ----------------------------------------------------------------------- */

static gg_layout_options shown_of(const layout_options *given, const char *file, int line) {
  gg_layout_options shown = GG_LAYOUT_OPTIONS_INIT;
  shown.cute = given->cute, shown.compact = given->compact;
  shown.bits = given->bits, shown.tile = given->tile;
  shown.name = file, shown.line = line;
  return shown;
}

static gg_status evaluate(const layout_options *given, const char *text, const char *file, int line,
                          gg_error *err) {
  gg_layout_options shown = shown_of(given, file, line);
  gg_str out = GG_STR_INIT, table = GG_STR_INIT, svg = GG_STR_INIT;
  gg_status st = gg_layout_show(&out, given->table ? &table : NULL, given->svg ? &svg : NULL, text,
                                &shown, err);
  gg_str_puts(&out, "\n");
  gg_str_add(&out, &table);
  if (!st && given->svg) st = cli_write_text(given->svg, &svg, err);
  if (!st) st = cli_print(&out, err);
  gg_str_free(&out);
  gg_str_free(&table);
  gg_str_free(&svg);
  return st;
}

static gg_status write_page(const layout_options *given, const char *text, gg_error *err) {
  gg_layout_options shown = shown_of(given, "<expression>", 1);
  gg_str page = GG_STR_INIT;
  gg_status st = gg_page_layout(&page, text, &shown, err);
  if (!st) st = cli_write(given->out, gg_str_text(&page), page.length, err);
  gg_str_free(&page);
  return st;
}

/* Evaluates standard input line by line. Each line gives one line, even where it is wrong. */
static int evaluate_lines(const layout_options *given) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  int status = CLI_OK;
  for (int number = 1; (length = getline(&line, &capacity, stdin)) > 0; number++) {
    if (line[length - 1] == '\n') line[--length] = '\0';
    gg_error err = GG_ERROR_INIT;
    gg_status st = GG_OK;
    if (strlen(line) != (size_t)length) {
      gg_mark mark = {.file = "<stdin>", .line = number, .column = (int)strlen(line) + 1};
      st = gg_fail(&err, LAYOUT_SYNTAX, &mark, "text", "a NUL byte");
    }
    if (!st) st = evaluate(given, line, "<stdin>", number, &err);
    if (st) {
      printf("error: %d:%d: %s [%s]\n", err.line, err.column, err.message,
             gg_error_info_of(err.code)->name);
      status = CLI_FAILED;
    }
    gg_error_clear(&err);
  }
  gg_error err = GG_ERROR_INIT;
  if (!feof(stdin)) {
    (void)gg_fail(&err, FILE_READ, NULL, "<stdin>", strerror(errno));
    status = cli_report(&err, NULL);
  }
  free(line);
  return status;
}

/* Checks which options are used together. */
static int check_options(const layout_options *given, bool lines) {
  bool drawn = given->svg || given->html;
  if (given->out && !given->html) return cli_usage("-o is of --html");
  if (given->html && (given->svg || given->table))
    return cli_usage("--html has drawings and tables; it goes without %s",
                     given->svg ? "--svg" : "--table");
  if (given->html && lines) return cli_usage("--html shows one expression, not lines of them");
  if (given->bits && !drawn) return cli_usage("--bits needs --svg or --html");
  if ((given->tile || given->compact) && !drawn && !given->table)
    return cli_usage("%s needs --table, --svg or --html", given->tile ? "--tv" : "--compact");
  return CLI_OK;
}

static int run(const void *values, int argc, char **argv) {
  const layout_options *given = values;
  if (given->list) return list_operations();
  if (argc != 1) return cli_usage("layout needs one expression, or - for lines of them");
  bool lines = strcmp(argv[0], "-") == 0;
  int code = check_options(given, lines);
  if (code) return code;
  if (lines) return evaluate_lines(given);
  gg_error err = GG_ERROR_INIT;
  gg_status st = given->html ? write_page(given, argv[0], &err)
                             : evaluate(given, argv[0], "<expression>", 1, &err);
  return st ? cli_report(&err, argv[0]) : CLI_OK;
}

const cli_command cmd_layout = {
    .name = "layout",
    .operands = "EXPRESSION|-",
    .summary = "Calculate with layouts",
    .details =
        "An expression over the layout algebra, with CuTe's names and text forms:\n"
        "  composition((6,2):(8,2), (4,3):(3,1))\n"
        "  local_tile((8,8):(1,8), (4,4), (0,1))\n"
        "  Sw<3,4,3> o 0 o (8,64):(64,1)\n"
        "  (4,8):(8,1)(2,3)\n"
        "CuTe's own spellings are read too:\n"
        "  Layout<Shape<_4,_8>,Stride<_8,_1>>{}(_,3)\n"
        "  cute.make_layout((4,8), stride=(8,1))\n"
        "A tuple with a layout in it is a tiler: (4:1,8:2). A shape where a layout is wanted is its\n"
        "compact layout, leftmost mode fastest. upcast<2>(L) is upcast(L,2). Where a text has static\n"
        "integers as CuTe prints them (_8), a plain 8 is dynamic.\n"
        "With - each line of standard input is one, and gives one line; an error's starts with\n"
        "\"error:\", and the exit status is then 1.\n"
        "\n"
        "--table and --svg show offsets; of an atom, of tiled MMAs and copies, and of the thread-value\n"
        "layouts made from them, which thread holds what; of bank conflicts every access:\n"
        "  --svg mma.svg SM80_16x8x16_F32F16F16F32_TN\n"
        "  --table 'bank_conflicts(CLayout(SM80_16x8x16_F32F16F16F32_TN), (16,8):(64,1), float, 8)'\n"
        "What is too wide to be read is folded: the columns that do not fit follow below.\n"
        "\n"
        "--html writes a page that opens from disk: the expression's steps as a tree, each with its value\n"
        "and its drawing, those of more than 1024 elements compact. Where gemmgen was built with a\n"
        "toolchain for WebAssembly the page holds the calculator, and the expression can be edited in it\n"
        "(docs/page.md).",
    .options = options,
    .options_size = sizeof(layout_options),
    .run = run,
};
