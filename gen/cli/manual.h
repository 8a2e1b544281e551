/* The man page gemmgen(1), from the tables of commands and options. */
#ifndef GG_CLI_MANUAL_H
#define GG_CLI_MANUAL_H

/* Prints it to standard output, as roff. */
void cli_manual(void);

/* What gemmgen is, in a sentence. */
extern const char cli_about[];

#endif
