/* Scripts by which shells complete commands, options, files where an option takes one, and
 * architectures. The name of an option's argument in its table decides what is offered for it. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* What a shell offers for the value of an option. */
typedef enum value_kind {
  VALUE_NONE,
  VALUE_OTHER,
  VALUE_FILE,
  VALUE_FOLDER,
  VALUE_ARCH
} value_kind;

static value_kind value_of(const cli_option *option) {
  static const struct {
    const char *argument;
    value_kind kind;
  } kinds[] = {{"FILE", VALUE_FILE},   {"PATH", VALUE_FILE},  {"DIR", VALUE_FOLDER},
               {"PREFIX", VALUE_FILE}, {"sm_NN", VALUE_ARCH}, {"ARCHS", VALUE_ARCH},
               {"ARCH", VALUE_ARCH}};
  if (!option->argument) return VALUE_NONE;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].argument, option->argument) == 0) return kinds[i].kind;
  }
  return VALUE_OTHER;
}

/* The ending of the files that a command takes as operands; NULL: it takes none of one kind. */
static const char *operand_ending(const cli_command *command) {
  if (strstr(command->operands, "SPEC")) return "yaml";
  return strstr(command->operands, "RECIPE") ? "json" : NULL;
}

static bool takes_commands(const cli_command *command) {
  return strstr(command->operands, "COMMAND") != NULL;
}

static void put_archs(const char *between) {
  size_t count;
  const gg_arch_info *table = gg_arch_table(&count);
  for (size_t i = 0; i < count; i++) {
    printf("%ssm_%d", i ? between : "", table[i].number);
    for (const char *suffix = table[i].suffix; *suffix; suffix++)
      printf("%ssm_%d%c", between, table[i].number, *suffix);
  }
}

static void put_commands(const char *between) {
  for (const cli_command *const *c = cli_commands; *c; c++)
    printf("%s%s", c == cli_commands ? "" : between, (*c)->name);
}

/* Puts a text between single quotes: characters of `special` get a backslash, and a quote is
 * written as `quote`. */
static void put_quoted(const char *text, const char *special, const char *quote) {
  for (; *text; text++) {
    if (*text == '\'') {
      fputs(quote, stdout);
    } else {
      if (strchr(special, *text)) putchar('\\');
      putchar(*text);
    }
  }
}

/* ---- bash ----------------------------------------------------------------------------- */

/* Prints the options whose values are of this kind, as "--output -o". */
static void bash_options(const cli_option *options, const char *name, bool all, value_kind kind) {
  printf("      %s='", name);
  const char *between = "";
  for (const cli_option *o = options; o && o->name; o++) {
    if (!all && value_of(o) != kind) continue;
    if (o->name[1]) printf("%s--%s", between, o->name), between = " ";
    if (o->letter) printf("%s-%c", between, o->letter), between = " ";
  }
  if (all) printf("%s--help", between);
  printf("'\n");
}

static void bash_command(const cli_command *command) {
  const char *ending = operand_ending(command);
  printf("    %s)\n", command->name);
  bash_options(command->options, "options", true, VALUE_NONE);
  bash_options(command->options, "files", false, VALUE_FILE);
  bash_options(command->options, "folders", false, VALUE_FOLDER);
  bash_options(command->options, "archs", false, VALUE_ARCH);
  bash_options(command->options, "others", false, VALUE_OTHER);
  if (ending) printf("      ending=%s\n", ending);
  if (takes_commands(command)) printf("      words=$commands\n");
  printf("      ;;\n");
}

static void bash(void) {
  printf("# bash completion of gemmgen, by `gemmgen help --completion bash`.\n"
         "_gemmgen() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local options= files= folders= archs= others= ending= words=\n"
         "  local commands='");
  put_commands(" ");
  printf("'\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n");
  for (const cli_command *const *c = cli_commands; *c; c++)
    bash_command(*c);
  printf("  esac\n"
         "  if [[ \" $files \" == *\" $before \"* ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  elif [[ \" $folders \" == *\" $before \"* ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
         "  elif [[ \" $archs \" == *\" $before \"* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '");
  put_archs(" ");
  printf("' -- \"$word\")\n"
         "  elif [[ \" $others \" == *\" $before \"* ]]; then\n"
         "    return\n"
         "  elif [[ $word == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "  elif [[ $words ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  elif [[ $ending ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(\n"
         "      compgen -f -X \"!*.$ending\" -- \"$word\"; compgen -d -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -F _gemmgen gemmgen\n");
}

/* ---- zsh ------------------------------------------------------------------------------ */

static void zsh_option(const cli_option *option) {
  static const char *const actions[] = {[VALUE_OTHER] = " ",
                                        [VALUE_FILE] = "_files",
                                        [VALUE_FOLDER] = "_files -/",
                                        [VALUE_ARCH] = "($archs)"};
  bool both = option->letter && option->name[1];
  printf(" \\\n        ");
  if (both)
    printf("'(-%c --%s)'{-%c,--%s}", option->letter, option->name, option->letter, option->name);
  printf("'");
  if (!both && option->letter) printf("-%c", option->letter);
  if (!both && option->name[1]) printf("--%s", option->name);
  printf("[");
  put_quoted(option->help, "[]\\", "'\\''");
  printf("]");
  if (option->argument) {
    printf(":");
    put_quoted(option->argument, ":[]\\", "'\\''");
    printf(":%s", actions[value_of(option)]);
  }
  printf("'");
}

static void zsh_command(const cli_command *command) {
  const char *ending = operand_ending(command);
  printf("    %s)\n      _arguments", command->name);
  for (const cli_option *o = command->options; o && o->name; o++)
    zsh_option(o);
  printf(" \\\n        '--help[explain %s]'", command->name);
  if (ending) printf(" \\\n        '*:file:_files -g \"*.%s(-.)\"'", ending);
  if (takes_commands(command)) {
    printf(" \\\n        '*:command:(");
    put_commands(" ");
    printf(")'");
  }
  printf("\n      ;;\n");
}

static void zsh(void) {
  printf("#compdef gemmgen\n"
         "# zsh completion of gemmgen, by `gemmgen help --completion zsh`.\n"
         "_gemmgen() {\n"
         "  local archs='");
  put_archs(" ");
  printf("'\n"
         "  local -a commands=(");
  for (const cli_command *const *c = cli_commands; *c; c++) {
    printf("\n    '%s:", (*c)->name);
    put_quoted((*c)->summary, "\\", "'\\''");
    printf("'");
  }
  printf("\n  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n");
  for (const cli_command *const *c = cli_commands; *c; c++)
    zsh_command(*c);
  printf("  esac\n"
         "}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
         "  _gemmgen \"$@\"\n"
         "else\n"
         "  compdef _gemmgen gemmgen\n"
         "fi\n");
}

/* ---- fish ----------------------------------------------------------------------------- */

static void fish_option(const cli_command *command, const cli_option *option) {
  printf("complete -c gemmgen -n '__fish_seen_subcommand_from %s'", command->name);
  if (option->letter) printf(" -s %c", option->letter);
  if (option->name[1]) printf(" -l %s", option->name);
  switch (value_of(option)) {
  case VALUE_NONE:
    break;
  case VALUE_OTHER:
    printf(" -x");
    break;
  case VALUE_FILE:
    printf(" -r -F");
    break;
  case VALUE_FOLDER:
    printf(" -x -a '(__fish_complete_directories)'");
    break;
  case VALUE_ARCH:
    printf(" -x -a '");
    put_archs(" ");
    printf("'");
    break;
  }
  printf(" -d '");
  put_quoted(option->help, "\\", "\\'");
  printf("'\n");
}

static void fish_command(const cli_command *command) {
  const char *ending = operand_ending(command);
  printf("complete -c gemmgen -n __fish_use_subcommand -a %s -d '", command->name);
  put_quoted(command->summary, "\\", "\\'");
  printf("'\n");
  for (const cli_option *o = command->options; o && o->name; o++)
    fish_option(command, o);
  if (!ending && !takes_commands(command)) return;
  printf("complete -c gemmgen -n '__fish_seen_subcommand_from %s' -a '", command->name);
  if (ending) {
    printf("(__fish_complete_suffix .%s)", ending);
  } else {
    put_commands(" ");
  }
  printf("'\n");
}

static void fish(void) {
  printf("# fish completion of gemmgen, by `gemmgen help --completion fish`.\n"
         "complete -c gemmgen -f\n"
         "complete -c gemmgen -l help -d 'Explain a command'\n"
         "complete -c gemmgen -n __fish_use_subcommand -l version -d 'Print the version'\n");
  for (const cli_command *const *c = cli_commands; *c; c++)
    fish_command(*c);
}

int cli_completion(const char *shell) {
  static const struct {
    const char *name;
    void (*print)(void);
  } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
    if (strcmp(shells[i].name, shell) != 0) continue;
    shells[i].print();
    return CLI_OK;
  }
  return cli_usage("--completion takes bash, zsh or fish, not '%s'", shell);
}
