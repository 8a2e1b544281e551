/* What the parts of a kernel are called in the emulator's timeline. */
#ifndef GG_CLI_NAMES_H
#define GG_CLI_NAMES_H

/* Tells the emulator the names of barriers and of warps of the kernels of the spec files, from
 * their plans. Files that cannot be read a second time ("-") get none. */
void cli_name_parts(int count, char **paths);

#endif
