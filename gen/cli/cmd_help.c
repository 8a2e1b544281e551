/* gemmgen help: the command and option tables as text, and as a man page. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

typedef struct help_options {
  bool man;
} help_options;

static const cli_option options[] = {
    {"man", 0, CLI_FLAG, offsetof(help_options, man), NULL, "print gemmgen(1) as roff"},
    {0},
};

static const char about[] =
    "gemmgen reads YAML kernel specs and emits specialised, header-free CUDA GEMM kernels.";

/* The option's help behind its name, which is printed up to column `at`, in lines of words. */
static void print_beside(const char *help, int at) {
  enum { begin = 31, end = 92 };
  if (at >= begin) {
    putchar('\n');
    at = 0;
  }
  for (const char *word = help; *word;) {
    int length = (int)strcspn(word, " ");
    if (at > begin && at + 1 + length > end) {
      putchar('\n');
      at = 0;
    }
    at += printf("%*s%.*s", at < begin ? begin - at : 1, "", length, word);
    word += length + strspn(word + length, " ");
  }
  putchar('\n');
}

static void print_option(const cli_option *option) {
  char left[64];
  int at = 0;
  if (option->letter) at = snprintf(left, sizeof left, "-%c", option->letter);
  if (strlen(option->name) > 1) {
    at += snprintf(left + at, sizeof left - (size_t)at, "%s--%s", at ? ", " : "    ", option->name);
  }
  if (option->argument) snprintf(left + at, sizeof left - (size_t)at, " %s", option->argument);
  print_beside(option->help, printf("  %s", left));
}

static void help_command(const cli_command *command) {
  printf("usage: gemmgen %s%s %s\n\n%s.\n", command->name, command->options ? " [OPTION...]" : "",
         command->operands, command->summary);
  if (command->details) printf("\n%s\n", command->details);
  if (!command->options) return;
  printf("\nOptions:\n");
  for (const cli_option *option = command->options; option->name; option++)
    print_option(option);
}

void cli_help(const cli_command *command) {
  if (command) {
    help_command(command);
    return;
  }
  printf("usage: gemmgen COMMAND [OPTION...] [OPERAND...]\n       gemmgen --version\n\n%s\n\n",
         about);
  for (const cli_command *const *c = cli_commands; *c; c++) {
    printf("  %-9s %s\n", (*c)->name, (*c)->summary);
  }
  printf("\n`gemmgen help COMMAND` tells more of each.\n");
}

/* Text as roff: backslashes and leading dots are quoted, hyphens kept as typed. */
static void roff(const char *text) {
  bool line_start = true;
  for (; *text; text++) {
    if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
    if (*text == '\\') {
      fputs("\\e", stdout);
    } else if (*text == '-') {
      fputs("\\-", stdout);
    } else {
      putchar(*text);
    }
    line_start = *text == '\n';
  }
}

static void man_option(const cli_option *option) {
  printf(".TP\n");
  if (option->letter) printf("\\fB\\-%c\\fR%s", option->letter, option->name[1] ? ", " : "");
  if (option->name[1]) {
    printf("\\fB\\-\\-");
    roff(option->name);
    printf("\\fR");
  }
  if (option->argument) printf(" \\fI%s\\fR", option->argument);
  printf("\n");
  roff(option->help);
  printf("\n");
}

static void man_command(const cli_command *command) {
  printf(".SS gemmgen %s", command->name);
  printf(command->options ? " [\\fIOPTION\\fR...] " : " ");
  roff(command->operands);
  printf("\n");
  roff(command->summary);
  printf(".\n");
  if (command->details) {
    printf(".PP\n");
    roff(command->details);
    printf("\n");
  }
  for (const cli_option *o = command->options; o && o->name; o++)
    man_option(o);
}

static void man_page(void) {
  printf(".TH GEMMGEN 1 \"\" \"gemmgen %s\"\n.SH NAME\ngemmgen \\- GEMM kernels from YAML specs\n",
         gg_version());
  printf(
      ".SH SYNOPSIS\n\\fBgemmgen\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n");
  printf(".SH DESCRIPTION\n");
  roff(about);
  printf("\n.SH COMMANDS\n");
  for (const cli_command *const *c = cli_commands; *c; c++)
    man_command(*c);
  printf(
      ".SH EXIT STATUS\n0: all is well. 1: an input was refused or a check failed; the reason is on "
      "standard error. 2: the command line is wrong. 3: there is no device to run on.\n");
}

static int run(const void *values, int argc, char **argv) {
  const help_options *given = values;
  if (given->man) {
    man_page();
    return CLI_OK;
  }
  if (argc == 0) {
    cli_help(NULL);
    return CLI_OK;
  }
  for (const cli_command *const *c = cli_commands; *c; c++) {
    if (strcmp((*c)->name, argv[0]) != 0) continue;
    cli_help(*c);
    return CLI_OK;
  }
  return cli_usage("no command '%s'; see `gemmgen help`", argv[0]);
}

const cli_command cmd_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "Explain a command",
    .options = options,
    .options_size = sizeof(help_options),
    .run = run,
};
