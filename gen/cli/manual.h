/* The man page gemmgen(1), from the tables of commands and options. */
#ifndef GG_CLI_MANUAL_H
#define GG_CLI_MANUAL_H

/* Prints the man page to standard output, as roff. */
void cli_manual(void);

/* One sentence that says what gemmgen is. */
extern const char cli_about[];

#endif
