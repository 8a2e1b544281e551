/* gemmgen explain: what was decided and derived for a spec, and what it costs. */
#include <stdio.h>
#include <string.h>

#include "cli/specs.h"

typedef struct explain_options {
  const char *format;
} explain_options;

static const cli_option options[] = {
    {"format", 0, CLI_STRING, offsetof(explain_options, format), "FORMAT",
     "text (default) or json"},
    {0},
};

/* Where the printing stands: JSON is one array of all kernels. */
typedef struct explanation {
  bool json;
  size_t printed;
} explanation;

static gg_status explain(void *user, const gg_spec *spec, gg_error *err) {
  explanation *ex = user;
  gg_report report = {.arena = GG_ARENA_INIT};
  gg_str text = GG_STR_INIT;
  gg_status st = cli_report_of(&report, spec, err);
  if (st == GG_OK && ex->json) {
    gg_str_puts(&text, ex->printed ? ",\n" : "[\n");
    gg_report_json(&text, &report);
  } else if (st == GG_OK) {
    if (ex->printed) gg_str_putc(&text, '\n');
    gg_report_print(&text, &report, "");
  }
  if (st == GG_OK) {
    fputs(gg_str_text(&text), stdout);
    ex->printed++;
  }
  gg_str_free(&text);
  gg_report_free(&report);
  return st;
}

static int run(const void *values, int argc, char **argv) {
  const explain_options *given = values;
  const char *format = given->format ? given->format : "text";
  explanation ex = {.json = strcmp(format, "json") == 0};
  if (!ex.json && strcmp(format, "text") != 0) {
    return cli_usage("--format takes text or json, not '%s'", format);
  }
  if (argc == 0) return cli_usage("explain needs a spec");
  int status = CLI_OK;
  for (int i = 0; i < argc && status == CLI_OK; i++) {
    status = cli_each_spec(argv[i], false, NULL, explain, &ex);
  }
  if (ex.json) fputs(ex.printed ? "]\n" : "[]\n", stdout);
  return status;
}

const cli_command cmd_explain = {
    .name = "explain",
    .operands = "SPEC...",
    .summary = "Show the plan, every layout, the memory map and the cost",
    .details =
        "Bank conflicts are counted from the layouts, for every access to shared memory: 1.00 "
        "is free of them. Occupancy is worked out for the spec's architecture.",
    .options = options,
    .options_size = sizeof(explain_options),
    .run = run,
};
