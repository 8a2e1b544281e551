/* The options of commands that run kernels: on which device, and what to show of the emulator. */
#ifndef GG_CLI_EMULATE_H
#define GG_CLI_EMULATE_H

#include "cli/cli.h"
#include "gemmgen_runtime.h"

typedef struct cli_emulate {
  const char *device, *seed, *hazards, *counters, *trace;
  int64_t threads, max_steps;
} cli_emulate;

#define CLI_EMULATE_OPTIONS(type, member)                                                          \
  {"device",                                                                                       \
   0,                                                                                              \
   CLI_STRING,                                                                                     \
   offsetof(type, member.device),                                                                  \
   "WHERE",                                                                                        \
   "gpu, gpu:N, emu, emu:ARCH (emu:100), both, or auto: a GPU where there is one (auto)"},         \
      {"emu-seed", 0,                                                                              \
       CLI_STRING, offsetof(type, member.seed),                                                    \
       "N",        "emulator: asynchronous work lands at random, not as late as it may"},          \
      {"emu-threads", 0,                                                                           \
       CLI_COUNT,     offsetof(type, member.threads),                                              \
       "N",           "emulator: threads of the host (one a core)"},                               \
      {"emu-max-steps",                                                                            \
       0,                                                                                          \
       CLI_INT,                                                                                    \
       offsetof(type, member.max_steps),                                                           \
       "N",                                                                                        \
       "emulator: instructions without the end of a warp; -1: any (10^10)"},                       \
      {"hazards",  0,                                                                              \
       CLI_STRING, offsetof(type, member.hazards),                                                 \
       "LIST",     "emulator: CLASS=off|warn|fault, ... (warn: uninitialised, relaxed, exit)"},    \
      {"counters", 0,                                                                              \
       CLI_STRING, offsetof(type, member.counters),                                                \
       "FILE",     "emulator: what it counted, as JSON; -: as text"},                              \
  {                                                                                                \
    "trace", 0, CLI_STRING, offsetof(type, member.trace), "FILE",                                  \
        "emulator: the timeline, for Perfetto and chrome://tracing"                                \
  }

typedef struct cli_device {
  gg_provider provider;
  int ordinal;
  bool both; /* both a GPU and the emulator */
  int arch;  /* architecture of the emulator's device: 90, 100; 0: as the environment says */
} cli_device;

/* Reads --device and passes the other options to the emulator. `kernel_arch`: the architecture of
 * the kernel that is to run, such as "sm_100a"; NULL: not known. Returns an exit code. */
int cli_emulate_begin(cli_device *out, const cli_emulate *given, const char *kernel_arch);

/* Prints the counters and writes the timeline. Call it while the context is still open. Returns an
 * exit code. */
int cli_emulate_report(const cli_emulate *given);

#endif
