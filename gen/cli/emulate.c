#include "cli/emulate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom/arch.h"
#include "base/alloc.h"
#include "gemmgen_emu.h"

static bool read_ordinal(int *out, const char *text) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  *out = (int)value;
  return end != text && !*end && !errno && value >= 0 && value <= 1024;
}

/* Reads "emu:100": the emulator as a device of that architecture. Whether it has such a device, the
 * emulator itself checks. */
static bool read_arch(cli_device *out, const char *text) {
  *out = (cli_device){.provider = GG_PROVIDER_EMU};
  return strncmp(text, "emu:", 4) == 0 && read_ordinal(&out->arch, text + 4) && out->arch > 0;
}

static int read_device(cli_device *out, const char *text) {
  static const struct {
    const char *word;
    cli_device device;
  } words[] = {{"auto", {GG_PROVIDER_AUTO, 0, false, 0}},
               {"gpu", {GG_PROVIDER_CUDA, 0, false, 0}},
               {"emu", {GG_PROVIDER_EMU, 0, false, 0}},
               {"both", {GG_PROVIDER_CUDA, 0, true, 0}}};
  if (!text) text = "auto";
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i].word, text) != 0) continue;
    *out = words[i].device;
    return CLI_OK;
  }
  if (read_arch(out, text)) return CLI_OK;
  *out = (cli_device){.provider = GG_PROVIDER_CUDA};
  if (read_ordinal(&out->ordinal, strncmp(text, "gpu:", 4) == 0 ? text + 4 : text)) return CLI_OK;
  return cli_usage("--device is gpu, gpu:N, emu, emu:ARCH, both or auto, not '%s'", text);
}

static int read_seed(gg_emu_options *out, const char *text) {
  char *end;
  if (!text) return CLI_OK;
  errno = 0;
  out->random = 1;
  out->seed = strtoull(text, &end, 10);
  if (end != text && !*end && !errno && *text != '-') return CLI_OK;
  return cli_usage("--emu-seed takes a whole number, not '%s'", text);
}

/* The emulator's device where the user names none: an H100 (0), or where that cannot run the
 * kernel, a device of the kernel's architecture. */
static int usual_arch(const char *kernel) {
  const gg_arch h100 = {.number = 90, .suffix = 'a'};
  gg_arch arch;
  bool known = kernel && gg_arch_parse(&arch, kernel);
  return !known || getenv("GEMMGEN_EMU_ARCH") || gg_arch_runs(h100, arch) ? 0 : arch.number;
}

int cli_emulate_begin(cli_device *out, const cli_emulate *given, const char *kernel_arch) {
  gg_emu_options options = GG_EMU_OPTIONS_INIT;
  int code = read_device(out, given->device);
  if (code) return code;
  if (gg_emu_options_init(&options)) return cli_usage("%s", gg_emu_message());
  if ((code = read_seed(&options, given->seed))) return code;
  if (given->threads > 4096) return cli_usage("--emu-threads is from 1 to 4096");
  int arch = out->arch ? out->arch : usual_arch(kernel_arch);
  if (arch) options.arch = arch;
  if (given->threads) options.threads = (int)given->threads;
  if (given->max_steps < -1) return cli_usage("--emu-max-steps is from 1 on, or -1: no limit");
  if (given->max_steps) options.max_steps = given->max_steps;
  if (given->counters) options.counters = 1;
  if (given->trace) options.trace_file = given->trace;
  if (given->hazards) options.hazards = given->hazards;
  options.warn = cli_warn;
  if ((code = cli_check_writable(given->trace))) return code;
  if ((code = cli_check_writable(given->counters))) return code;
  if (!gg_emu_configure(&options)) return CLI_OK;
  return cli_usage(out->arch ? "--device emu:ARCH: %s" : "--%s", gg_emu_message());
}

int cli_emulate_report(const cli_emulate *given) {
  gg_error err = GG_ERROR_INIT;
  if (given->trace && gg_emu_write_reports()) {
    fprintf(stderr, "error: %s (--trace)\n", gg_emu_message());
    return CLI_FAILED;
  }
  if (!given->counters) return CLI_OK;
  bool text = strcmp(given->counters, "-") == 0;
  size_t length = gg_emu_counters(NULL, 0, !text);
  char *buffer = gg_malloc(length + 1);
  gg_status st = buffer ? GG_OK : gg_fail(&err, MEMORY, NULL, "");
  if (!st) {
    gg_emu_counters(buffer, length + 1, !text);
    st = cli_write(given->counters, buffer, length, &err);
  }
  gg_free(buffer);
  return st ? cli_report(&err, NULL) : CLI_OK;
}
