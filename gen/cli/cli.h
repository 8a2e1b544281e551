/* The command line: one table of commands, each with a table of options. The same tables make
 * `--help`, the man page and the shell's exit codes, so that they cannot disagree. */
#ifndef GG_CLI_CLI_H
#define GG_CLI_CLI_H

#include <stddef.h>

#include "atom/arch.h"
#include "gemmgen.h"

/* CLI_NO_DEVICE: what was asked needs a GPU and none is usable. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NO_DEVICE = 3 };

typedef enum cli_type {
  CLI_FLAG,
  CLI_REMOVAL, /* a flag that removes things: only its whole name will do */
  CLI_STRING,
  CLI_INT,
  CLI_REAL
} cli_type;

/* `offset` is where in the command's options struct the value goes: bool for a flag,
 * const char * for a string, int64_t for an integer, double for a real. A value that the user
 * does not give stays zero. A name of one letter has no long form. */
typedef struct cli_option {
  const char *name; /* "emit": --emit */
  char letter;      /* 'o': -o; 0 for none */
  cli_type type;
  size_t offset;
  const char *argument; /* "FILE", NULL for a flag */
  const char *help;
} cli_option;

typedef struct cli_command {
  const char *name;
  const char *operands;      /* "SPEC..." */
  const char *summary;       /* one line */
  const char *details;       /* paragraphs for `gemmgen help NAME` and the man page */
  const cli_option *options; /* ends with a zeroed row */
  size_t options_size;       /* of the struct that `run` gets, at most CLI_OPTIONS_MAX */
  int (*run)(const void *options, int argc, char **argv); /* operands only; gives an exit code */
} cli_command;

enum { CLI_OPTIONS_MAX = 512 };

/* One cmd_NAME.c each; the table in main.c lists them. */
extern const cli_command cmd_gen, cmd_pack, cmd_check, cmd_explain, cmd_diff, cmd_layout, cmd_atoms,
    cmd_spec, cmd_run, cmd_emu, cmd_trace, cmd_bench, cmd_tune, cmd_doctor, cmd_help;

extern const cli_command *const cli_commands[]; /* ends with NULL */

/* Prints the help of a command, or of gemmgen as a whole (NULL), to stdout. */
void cli_help(const cli_command *command);

/* Prints the error to stderr as compilers do and clears it; gives CLI_FAILED. */
int cli_report(gg_error *err, const char *source);

/* cli_report of MEMORY. */
int cli_out_of_memory(void);

/* Prints "gemmgen: ..." to stderr; gives CLI_USAGE. */
int cli_usage(const char *format, ...) GG_PRINTF(1, 2);

/* Reads the architecture of an option: sm_90a, compute_90a, 90a. Gives an exit code. */
int cli_arch_read(gg_arch *out, const char *text);

/* Prints "gemmgen: warning: ..." to stderr: gg_compiler_options' `warn`. */
void cli_warn(void *user, const char *message);

/* Writes a whole text to `path` ("-" or NULL: standard output) by gg_file_write: a regular file is
 * never half-written. */
gg_status cli_write(const char *path, const char *text, size_t length, gg_error *err);

/* The same of a text that was put together; MEMORY where it is not whole. */
gg_status cli_write_text(const char *path, const gg_str *text, gg_error *err);

/* Whether what was written may be written again with more, in place of it: to a regular file, or
 * one that is not there yet. Standard output, a pipe and a device would have both. */
bool cli_writes_again(const char *path);

/* For files that are written when all has run: whether they can be (NULL: there is none). Gives an
 * exit code, and reports. */
int cli_check_writable(const char *path);

/* Prints a text that was put together to standard output; MEMORY where it is not whole. */
gg_status cli_print(const gg_str *text, gg_error *err);

/* A progress bar on stderr when that is a terminal; silent otherwise. done == total ends it. */
void cli_progress(const char *what, size_t done, size_t total);

#endif
