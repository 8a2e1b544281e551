/* gemmgen emu: replays launches of any PTX, as a recipe says, and checks what must come out. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/emulate.h"
#include "recipe.h"

typedef struct emu_command_options {
  bool list;
  cli_emulate emulate;
} emu_command_options;

static const cli_option options[] = {
    {"list", 0, CLI_FLAG, offsetof(emu_command_options, list), NULL,
     "list the opcodes that the emulator knows"},
    CLI_EMULATE_OPTIONS(emu_command_options, emulate),
    {0},
};

static const char *const opcodes[] = {
#define EMU_OPCODE(name, decode) name,
#include "emu/opcodes.def"
#undef EMU_OPCODE
};

static int list_opcodes(void) {
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
    puts(opcodes[i]);
  return CLI_OK;
}

/* ---- One recipe ------------------------------------------------------------------------- */

static gg_status read_recipe(gg_recipe **out, char **text, const char *path, gg_error *err) {
  size_t length;
  gg_status st = gg_file_read(text, &length, path, GG_RECIPE_BYTES_MAX, err);
  return st ? st : gg_recipe_parse(out, *text, length, path, err);
}

static int replay_on(const gg_recipe *recipe, gg_provider provider, int ordinal,
                     const cli_emulate *given) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_context_options opt = {
      .size = sizeof(gg_context_options),
      .provider = provider,
      .device = ordinal,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .warn = cli_warn}};
  gg_str lines = GG_STR_INIT;
  int failed = 0, code = CLI_OK;
  gg_status st = gg_context_open(&context, &opt, &err);
  if (st) {
    bool none = st == GG_E_NO_DRIVER || st == GG_E_NO_DEVICE;
    cli_report(&err, NULL);
    return none ? CLI_NO_DEVICE : CLI_FAILED;
  }
  bool emulated = gg_context_device(context)->emulated;
  printf("%s on %s\n", recipe->path, gg_context_device(context)->name);
  st = gg_recipe_replay(&failed, &lines, recipe, context, &err);
  gg_status unsaid = cli_print(&lines, &err);
  if (!st) st = unsaid;
  gg_str_free(&lines);
  if (st) code = cli_report(&err, NULL);
  if (failed) code = CLI_FAILED;
  int reported = emulated ? cli_emulate_report(given) : CLI_OK;
  gg_context_close(context);
  return reported ? reported : code;
}

static int replay(const char *path, const cli_device *device, const cli_emulate *given) {
  gg_error err = GG_ERROR_INIT;
  gg_recipe *recipe = NULL;
  char *text = NULL;
  int code;
  if (read_recipe(&recipe, &text, path, &err)) {
    code = cli_report(&err, text);
  } else {
    code = replay_on(recipe, device->provider, device->ordinal, given);
    if (device->both) {
      int second = replay_on(recipe, GG_PROVIDER_EMU, 0, given);
      if (second) code = second;
    }
  }
  gg_recipe_free(recipe);
  gg_free(text);
  return code;
}

static int run(const void *values, int argc, char **argv) {
  const emu_command_options *given = values;
  if (given->list) return list_opcodes();
  if (argc == 0) return cli_usage("no recipe given; see `gemmgen help emu`");
  cli_emulate emulate = given->emulate;
  cli_device device;
  if (!emulate.device) emulate.device = "emu";
  if (!emulate.counters) emulate.counters = "-";
  int code = cli_emulate_begin(&device, &emulate);
  for (int i = 0; i < argc && code != CLI_USAGE; i++) {
    int failed = replay(argv[i], &device, &emulate);
    if (failed) code = failed;
  }
  return code;
}

const cli_command cmd_emu = {
    .name = "emu",
    .operands = "RECIPE...",
    .summary = "Replay kernel launches of any PTX in the emulator and check what comes out",
    .details =
        "A recipe is a JSON file: a PTX file, buffers, tensor maps, launches with the bytes of\n"
        "their parameters, and what must come out; docs/emulator.md has the format. One line is\n"
        "printed a check, with the largest error and where it stands, then the counters. The\n"
        "exit status is 0 only if the kernels ran without a fault and all checks hold.\n"
        "\n"
        "With `--device gpu` the same recipe runs on a GPU. Without --device it is the emulator.",
    .options = options,
    .options_size = sizeof(emu_command_options),
    .run = run,
};
