/* The man page: commands and options from their tables, and the text around them. */
#include "cli/manual.h"

#include <stdio.h>

#include "cli/cli.h"

const char cli_about[] =
    "gemmgen reads YAML kernel specs and emits specialised, header-free CUDA GEMM kernels.";

typedef struct entry {
  const char *term, *text;
} entry;

static const entry environment[] = {
    {"GEMMGEN_CACHE",
     "the folder of the cache of compiled kernels; empty: none. Of several, parted by colons, the "
     "last is written, and those before it are only read"},
    {"GEMMGEN_DUMP_DIR",
     "a folder that every kernel that is compiled, or taken from the cache, is written to: NAME.cu, and "
     "NAME.cubin or NAME.ptx"},
    {"GEMMGEN_KEEP",
     "1: what is between a text and its cubin is kept, too, NAME.ptx, and the compiler's options and "
     "words, NAME.log; in GEMMGEN_DUMP_DIR, or else in the working directory"},
    {"GEMMGEN_OVERRIDE_DIR",
     "a folder of edited texts: a kernel whose NAME.cu or NAME.ptx is there is made of that"},
    {"GEMMGEN_MEASURE",
     "of how many kernels of a product gg_gemm finds the fastest, by measuring them "
     "while they compute a program's calls; where the program does not say"},
    {"GEMMGEN_PACKS", "files of `gemmgen pack --catalogue`, parted by colons, from which gg_gemm "
                      "takes kernels; those for other devices are left out"},
    {"GEMMGEN_TUNED", "the folder of what `gemmgen tune` has found, which gg_gemm takes"},
    {"GEMMGEN_EMU_ARCH",
     "the architecture that the emulator is of: 80, 89, 90, 100, 103, 110, 120 or 121 (90)"},
    {"GEMMGEN_EMU_THREADS", "threads of the host that it computes with (one a core)"},
    {"GEMMGEN_EMU_SEED", "asynchronous work lands at random moments, of this seed; without it, as "
                         "late as it may"},
    {"GEMMGEN_EMU_MAX_STEPS",
     "instructions after which a launch is called endless; -1: never (10000000000)"},
    {"GEMMGEN_EMU_HAZARDS",
     "what becomes of faults: off, warn or fault, for all of them or by class, "
     "\"uninitialised=fault,exit=off\""},
    {"GEMMGEN_EMU_COUNTERS", "a file for what it has counted, as JSON"},
    {"GEMMGEN_EMU_TRACE", "a file for its timeline, as Perfetto reads it"},
    {"CUDA_HOME, CUDA_PATH",
     "where the CUDA Toolkit is, and with it NVRTC; else beside nvcc on the PATH, "
     "/usr/local/cuda, and where the loader looks"},
    {"XDG_CACHE_HOME, XDG_DATA_HOME", "in place of ~/.cache and ~/.local/share"},
};

static const entry files[] = {
    {"~/.cache/gemmgen",
     "compiled kernels, up to 256 MiB of them; nothing in it is ever stale, and "
     "`gemmgen doctor --clear-cache` empties it"},
    {"~/.cache/gemmgen/choices",
     "which kernel gg_gemm has chosen for a product, by the model or by measuring, in at most 4096 "
     "small files, for the same library on the same device"},
    {"~/.local/share/gemmgen/tuned",
     "specs of the kernels that `gemmgen tune` found fastest, by device "
     "and product"},
};

static const entry examples[] = {
    {"gemmgen gen mine.yaml -o kernels/", "Write the kernels of a spec as CUDA C++."},
    {"gemmgen gen --emit cu,cubin --depfile mine.d mine.yaml -o kernels/",
     "The same with binaries, for a build that is to run when the spec changes."},
    {"gemmgen pack mine.yaml --arch sm_80,sm_90a -o gemms",
     "Compile the kernels into gemms.c and gemms.h, for a program that links libgemmgen-launch."},
    {"gemmgen pack --catalogue --form bf16,bf16,bf16 --arch sm_90a -o bf16.pack",
     "Compile what gg_gemm chooses for products of bf16 into a file, for GEMMGEN_PACKS to name."},
    {"gemmgen explain mine.yaml", "Show every decision, every layout, and bank conflicts."},
    {"gemmgen explain --problem \"8192 3072 768\" --types bf16,bf16,bf16",
     "Show which of the shipped kernels gg_gemm takes for a product, and why."},
    {"gemmgen run mine.yaml -m 1000 -n 777 -k 33",
     "Run it and verify the result, without a GPU in the "
     "emulator."},
    {"gemmgen bench mine.yaml -m 4096 -n 4096 -k 4096 --ceiling",
     "Measure it beside cuBLASLt and what the card can do."},
    {"gemmgen layout 'composition((6,2):(8,2), (4,3):(3,1))'", "Work out a layout."},
    {"gemmgen emu -- ./program", "Run a program that uses CUDA in the emulator."},
};

/* Prints text as roff: quotes backslashes and leading dots, and keeps hyphens as they are typed. */
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

static void man_entries(const char *title, const entry *list, size_t count) {
  printf(".SH %s\n", title);
  for (size_t i = 0; i < count; i++) {
    printf(".TP\n\\fB");
    roff(list[i].term);
    printf("\\fR\n");
    roff(list[i].text);
    printf("\n");
  }
}

void cli_manual(void) {
  printf(".TH GEMMGEN 1 \"\" \"gemmgen %s\"\n.SH NAME\ngemmgen \\- GEMM kernels from YAML specs\n",
         gg_version());
  printf(
      ".SH SYNOPSIS\n\\fBgemmgen\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n");
  printf(".SH DESCRIPTION\n");
  roff(cli_about);
  printf("\n.SH COMMANDS\n");
  for (const cli_command *const *c = cli_commands; *c; c++)
    man_command(*c);
  man_entries("ENVIRONMENT", environment, sizeof environment / sizeof *environment);
  man_entries("FILES", files, sizeof files / sizeof *files);
  man_entries("EXAMPLES", examples, sizeof examples / sizeof *examples);
  printf(
      ".SH EXIT STATUS\n0: all is well. 1: an input was refused or a check failed; the reason is "
      "on standard error. 2: the command line is wrong. 3: there is no device to run on.\n");
}
