/* gemmgen: finds the command, reads its options by its table, and runs it. */
#define _GNU_SOURCE /* getopt_long_only: options as nvcc spells them, -arch=sm_90a */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* All commands. Help prints this list, as do commands that print help of their own. */
const cli_command *const cli_commands[] = {
    &cmd_gen,   &cmd_pack, &cmd_check,  &cmd_explain, &cmd_diff, &cmd_run,    &cmd_emu,  &cmd_trace,
    &cmd_bench, &cmd_tune, &cmd_layout, &cmd_atoms,   &cmd_spec, &cmd_doctor, &cmd_help, NULL,
};

enum { max_options = 48, first_code = 256, help_code = first_code + max_options };

static const cli_command *find_command(const char *name) {
  for (const cli_command *const *command = cli_commands; *command; command++) {
    if (strcmp((*command)->name, name) == 0) return *command;
  }
  return NULL;
}

/* getopt's two tables, made from ours. The code of row i is first_code + i. */
typedef struct getopt_tables {
  struct option longs[max_options + 2];
  char shorts[3 + 2 * max_options];
} getopt_tables;

static getopt_tables make_tables(const cli_option *options) {
  getopt_tables tables = {0};
  size_t count = 0;
  char *s = tables.shorts;
  *s++ = ':';
  for (const cli_option *option = options; option && option->name; option++) {
    int code = first_code + (int)(option - options);
    bool flag = option->type == CLI_FLAG || option->type == CLI_REMOVAL;
    int takes = flag ? no_argument : required_argument;
    tables.longs[count++] = (struct option){option->name, takes, NULL, code};
    if (!option->letter) continue;
    *s++ = option->letter;
    if (takes == required_argument) *s++ = ':';
  }
  tables.longs[count] = (struct option){"help", no_argument, NULL, help_code};
  return tables;
}

static const cli_option *option_of(const cli_option *options, int code) {
  if (code >= first_code) return &options[code - first_code];
  for (const cli_option *option = options; option && option->name; option++) {
    if (option->letter == code) return option;
  }
  return NULL;
}

/* What stands before the option's name: one of one letter has no long form. */
static const char *dashes_of(const cli_option *option) {
  return option->name[1] ? "--" : "-";
}

static int set_option(void *values, const cli_option *option, const char *argument) {
  char *at = (char *)values + option->offset, *end = NULL;
  errno = 0;
  if (argument && !*argument)
    return cli_usage("%s%s needs a value, not ''", dashes_of(option), option->name);
  if (option->type == CLI_FLAG || option->type == CLI_REMOVAL) {
    *(bool *)at = true;
  } else if (option->type == CLI_STRING) {
    *(const char **)at = argument;
  } else if (option->type == CLI_REAL) {
    *(double *)at = strtod(argument, &end);
  } else {
    *(int64_t *)at = strtoll(argument, &end, 10);
  }
  bool valid = !end || (end != argument && !*end && !errno);
  if (option->type == CLI_COUNT && valid) valid = *(int64_t *)at >= 1;
  if (!valid) {
    const char *takes = option->type == CLI_REAL    ? "a number"
                        : option->type == CLI_COUNT ? "an integer from 1 on"
                                                    : "an integer";
    return cli_usage("%s%s takes %s, not '%s'", dashes_of(option), option->name, takes, argument);
  }
  return CLI_OK;
}

/* Whether `typed`, such as "--clear-cache" or "-clear-cache", is the option's whole name and not a
 * prefix of it. */
static bool is_whole(const cli_option *option, const char *typed) {
  while (*typed == '-')
    typed++;
  return strcmp(typed, option->name) == 0;
}

static int parse_options(const cli_command *command, void *values, int argc, char **argv) {
  getopt_tables tables = make_tables(command->options);
  opterr = 0;
  for (int code; (code = getopt_long_only(argc, argv, tables.shorts, tables.longs, NULL)) != -1;) {
    if (code == help_code) {
      cli_help(command);
      return -1;
    }
    if (code == '?') {
      return cli_usage("%s has no option '%s'; see `gemmgen help %s`", command->name,
                       argv[optind - 1], command->name);
    }
    if (code == ':') return cli_usage("option '%s' needs a value", argv[optind - 1]);
    const cli_option *option = option_of(command->options, code);
    if (option->type == CLI_REMOVAL && !is_whole(option, argv[optind - 1])) {
      return cli_usage("'%s' stands for --%s, which removes things: write it out", argv[optind - 1],
                       option->name);
    }
    int failed = set_option(values, option, optarg);
    if (failed) return failed;
  }
  return CLI_OK;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    cli_help(NULL);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("gemmgen %s\n", gg_version());
    return CLI_OK;
  }
  bool wants_help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
  const cli_command *command = wants_help ? &cmd_help : find_command(argv[1]);
  if (!command) return cli_usage("no command '%s'; see `gemmgen help`", argv[1]);

  union {
    max_align_t aligned;
    char bytes[CLI_OPTIONS_MAX];
  } values = {.bytes = {0}};
  int status = parse_options(command, &values, argc - 1, argv + 1);
  if (status) return status < 0 ? CLI_OK : status;
  return command->run(&values, argc - 1 - optind, argv + 1 + optind);
}

/* Output to stdout only counts once it was written, wherever it was printed: main checks that at
 * the end. */
int main(int argc, char **argv) {
  int status = dispatch(argc, argv);
  bool lost = fflush(stdout) != 0 || ferror(stdout);
  if (!lost || status != CLI_OK) return status;
  fputs("gemmgen: standard output could not be written\n", stderr);
  return CLI_FAILED;
}
