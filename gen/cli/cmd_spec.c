/* gemmgen spec: the reference of the spec language, from its tables. */
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "spec/keys.h"
#include "spec/reference.h"

typedef struct spec_options {
  bool help, markdown, schema, errors;
  const char *output;
} spec_options;

static const cli_option options[] = {
    {"help", 0, CLI_FLAG, offsetof(spec_options, help), NULL, "explain the KEY that follows"},
    {"markdown", 0, CLI_FLAG, offsetof(spec_options, markdown), NULL,
     "print the whole reference, docs/spec.md"},
    {"schema", 0, CLI_FLAG, offsetof(spec_options, schema), NULL,
     "print the JSON Schema for editors, docs/gemmgen.schema.json"},
    {"errors", 0, CLI_FLAG, offsetof(spec_options, errors), NULL,
     "print the reference of all errors, docs/errors.md"},
    {"output", 'o', CLI_STRING, offsetof(spec_options, output), "FILE",
     "write to FILE instead of standard output"},
    {0},
};

static int fail_key(const char *word) {
  gg_near near;
  gg_str advice = GG_STR_INIT;
  gg_near_path(&near, word);
  if (near.best[0]) {
    gg_str_printf(&advice, "did you mean '%s'?", near.best);
  } else {
    gg_key_advise(&advice, NULL, word);
  }
  int status = cli_usage("no key '%s'; %s", word, gg_str_shown(&advice));
  gg_str_free(&advice);
  return status;
}

static int run(const void *values, int argc, char **argv) {
  const spec_options *given = values;
  if (given->markdown + given->schema + given->errors + (argc > 0) > 1) {
    return cli_usage("spec takes one of --markdown, --schema, --errors and a KEY");
  }
  if (argc > 1) return cli_usage("spec explains one KEY at a time");
  if (given->help && argc == 0) {
    cli_help(&cmd_spec);
    return CLI_OK;
  }
  gg_str text = GG_STR_INIT;
  int status = CLI_OK;
  if (given->markdown) {
    gg_reference_markdown(&text);
  } else if (given->schema) {
    gg_reference_schema(&text);
  } else if (given->errors) {
    gg_reference_errors(&text);
  } else if (argc == 0) {
    gg_reference_list(&text);
  } else if (!gg_reference_key(&text, argv[0])) {
    status = fail_key(argv[0]);
  }
  gg_error err = GG_ERROR_INIT;
  if (status == CLI_OK && cli_write_text(given->output, &text, &err)) {
    status = cli_report(&err, NULL);
  }
  gg_str_free(&text);
  return status;
}

const cli_command cmd_spec = {
    .name = "spec",
    .operands = "[KEY]",
    .summary = "Explain the spec language",
    .details =
        "Without a KEY, lists the keys of a spec. With one, such as tile, a.major or linear,\n"
        "says what it means and what it may be.",
    .options = options,
    .options_size = sizeof(spec_options),
    .run = run,
};
