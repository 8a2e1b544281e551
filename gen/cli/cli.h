/* The command line: one table of commands, each with a table of options. The same tables make
 * `--help`, the man page and the completion of shells, so that these cannot disagree. */
#ifndef GG_CLI_CLI_H
#define GG_CLI_CLI_H

#include <stddef.h>

#include "atom/arch.h"
#include "gemmgen.h"

/* The exit codes. CLI_NO_DEVICE: the command needs a GPU, and no usable one was found. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_NO_DEVICE = 3 };

typedef enum cli_type {
  CLI_FLAG,
  CLI_REMOVAL, /* a flag that removes things: only its whole name is accepted */
  CLI_STRING,
  CLI_INT,
  CLI_COUNT, /* an integer from 1 on */
  CLI_REAL
} cli_type;

/* `offset`: where in the command's options struct the value is stored, as bool for a flag, const
 * char * for a string, int64_t for an integer or a count, double for a real. An option that the
 * user does not give leaves zero there. An option whose name is one letter has no long form. */
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
  size_t options_size;       /* bytes of the struct that `run` gets; at most CLI_OPTIONS_MAX */
  int (*run)(const void *options, int argc, char **argv); /* argc and argv: the operands only;
                                                           * returns an exit code */
} cli_command;

enum { CLI_OPTIONS_MAX = 512 };

/* Each is defined in its own cmd_NAME.c; the table in main.c lists them all. */
extern const cli_command cmd_gen, cmd_pack, cmd_check, cmd_explain, cmd_diff, cmd_layout, cmd_atoms,
    cmd_spec, cmd_run, cmd_emu, cmd_trace, cmd_bench, cmd_tune, cmd_doctor, cmd_help;

extern const cli_command *const cli_commands[]; /* ends with NULL */

/* Prints the help of a command to stdout; NULL: the help of gemmgen as a whole. */
void cli_help(const cli_command *command);

/* Prints the error to stderr in the form that compilers use, and clears it. Returns CLI_FAILED. */
int cli_report(gg_error *err, const char *source);

/* Reports that memory ran out. Returns CLI_FAILED. */
int cli_out_of_memory(void);

/* Prints "gemmgen: ..." to stderr. Returns CLI_USAGE. */
int cli_usage(const char *format, ...) GG_PRINTF(1, 2);

/* Reads the architecture that an option gives: sm_90a, compute_90a, 90a. Returns an exit code. */
int cli_arch_read(gg_arch *out, const char *text);

/* Prints "gemmgen: warning: ..." to stderr. It is the `warn` of gg_compiler_options. */
void cli_warn(void *user, const char *message);

/* Writes a whole text to `path` ("-" or NULL: standard output) with gg_file_write, which never
 * leaves a regular file half-written. */
gg_status cli_write(const char *path, const char *text, size_t length, gg_error *err);

/* The same for a gg_str. Error MEMORY where the string is incomplete. */
gg_status cli_write_text(const char *path, const gg_str *text, gg_error *err);

/* Whether a file that was written can be written again with a longer text that replaces the first.
 * True of a regular file and of one that does not exist yet; standard output, a pipe or a device
 * would show both texts. */
bool cli_writes_again(const char *path);

/* Checks that a file that will be written at the end of a run can be written (NULL: there is none).
 * Reports a failure; returns an exit code. */
int cli_check_writable(const char *path);

/* Prints a gg_str to standard output. Error MEMORY where it is incomplete. */
gg_status cli_print(const gg_str *text, gg_error *err);

/* Shows a progress bar on stderr if that is a terminal; does nothing otherwise. done == total ends
 * it. */
void cli_progress(const char *what, size_t done, size_t total);

#endif
