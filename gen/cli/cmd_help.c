/* gemmgen help: the command and option tables as text, as a man page, for shells. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/manual.h"

typedef struct help_options {
  bool man;
  const char *completion;
} help_options;

static const cli_option options[] = {
    {"man", 0, CLI_FLAG, offsetof(help_options, man), NULL, "print gemmgen(1) as roff"},
    {"completion", 0, CLI_STRING, offsetof(help_options, completion), "SHELL",
     "print what has bash, zsh or fish complete commands, options and files"},
    {0},
};

/* Prints an option's help beside its name, wrapped between words. `at`: the column that the name
 * ends at. */
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
         cli_about);
  for (const cli_command *const *c = cli_commands; *c; c++) {
    printf("  %-9s %s\n", (*c)->name, (*c)->summary);
  }
  printf("\n`gemmgen help COMMAND` tells more of each.\n");
}

static int run(const void *values, int argc, char **argv) {
  const help_options *given = values;
  if (given->man) {
    cli_manual();
    return CLI_OK;
  }
  if (given->completion) return cli_completion(given->completion);
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
