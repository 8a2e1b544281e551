/* Completion of the command line by shells, from the tables of commands and options. */
#ifndef GG_CLI_COMPLETION_H
#define GG_CLI_COMPLETION_H

/* Prints the completion script for "bash", "zsh" or "fish" to standard output. Returns an exit
 * code. */
int cli_completion(const char *shell);

#endif
