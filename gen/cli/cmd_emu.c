/* gemmgen emu: replays launches of any PTX as a recipe describes them, and checks their results. It
 * also runs a program on the emulator. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- A program -------------------------------------------------------------------------- */

/* Finds the folder with the emulator's libcudart and libcuda: in the build that this program
 * belongs to, or installed. */
static bool find_libraries(char *out, size_t size) {
  char self[PATH_MAX], library[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return false;
  self[length] = '\0';
  *strrchr(self, '/') = '\0';
  for (int built = 1; built >= 0; built--) {
    int needed = built ? snprintf(out, size, "%s/../../runtime/emu/cudart", self)
                       : snprintf(out, size, "%s", GG_EMU_FOLDER);
    if (needed < 0 || (size_t)needed >= size) continue;
    needed = snprintf(library, sizeof library, "%s/libcudart.so.13", out);
    if (needed > 0 && (size_t)needed < sizeof library && access(library, R_OK) == 0) return true;
  }
  return false;
}

static bool say_number(const char *name, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, value);
  return !value || setenv(name, text, 1) == 0;
}

/* Passes the options to the emulator of the program, in environment variables. */
static bool say_options(const cli_emulate *given, const cli_device *device) {
  const char *names[] = {"GEMMGEN_EMU_SEED", "GEMMGEN_EMU_HAZARDS", "GEMMGEN_EMU_COUNTERS",
                         "GEMMGEN_EMU_TRACE"};
  const char *texts[] = {given->seed, given->hazards, given->counters, given->trace};
  for (int i = 0; i < 4; i++)
    if (texts[i] && setenv(names[i], texts[i], 1)) return false;
  return say_number("GEMMGEN_EMU_THREADS", given->threads) &&
         say_number("GEMMGEN_EMU_ARCH", device->arch) &&
         say_number("GEMMGEN_EMU_MAX_STEPS", given->max_steps);
}

/* Replaces this process by the program. Returns only where that fails. */
static int become(const cli_emulate *given, char **argv) {
  char folder[PATH_MAX];
  gg_str path = GG_STR_INIT;
  const char *before = getenv("LD_LIBRARY_PATH");
  cli_device device;
  if (given->device && strcmp(given->device, "emu") != 0 && strncmp(given->device, "emu:", 4) != 0)
    return cli_usage("a program runs on the emulator alone, not on --device %s", given->device);
  if (given->counters && strcmp(given->counters, "-") == 0)
    return cli_usage("a program's counters go to a file: --counters FILE");
  int code = cli_emulate_begin(&device, given, NULL);
  if (code) return code;
  if (!find_libraries(folder, sizeof folder))
    return cli_usage("the emulator's libcudart.so.13 is neither in " GG_EMU_FOLDER
                     " nor in gemmgen's build folder");
  gg_str_puts(&path, folder);
  if (before && *before) gg_str_printf(&path, ":%s", before);
  bool said =
      !path.failed && setenv("LD_LIBRARY_PATH", path.text, 1) == 0 && say_options(given, &device);
  gg_str_free(&path);
  if (!said) return cli_out_of_memory();
  execvp(*argv, argv);
  cli_usage("cannot start '%s': %s", *argv, strerror(errno));
  return CLI_FAILED;
}

static int run(const void *values, int argc, char **argv) {
  const emu_command_options *given = values;
  if (given->list) return list_opcodes();
  bool program = strcmp(argv[-1], "--") == 0; /* behind it, nothing is an option */
  if (program && argc) return become(&given->emulate, argv);
  if (argc == 0) return cli_usage("no recipe given; see `gemmgen help emu`");
  cli_emulate emulate = given->emulate;
  cli_device device;
  if (!emulate.device) emulate.device = "emu";
  if (!emulate.counters) emulate.counters = "-";
  int code = cli_emulate_begin(&device, &emulate, NULL);
  for (int i = 0; i < argc && code != CLI_USAGE; i++) {
    int failed = replay(argv[i], &device, &emulate);
    if (failed) code = failed;
  }
  return code;
}

const cli_command cmd_emu = {
    .name = "emu",
    .operands = "RECIPE... | -- PROGRAM [ARGUMENT...]",
    .summary = "Replay kernel launches of any PTX in the emulator and check what comes out",
    .details =
        "A recipe is a JSON file: a PTX file, buffers, tensor maps, launches with the bytes of\n"
        "their parameters, and what must come out; docs/emulator.md has the format. One line is\n"
        "printed a check, with the largest error and where it stands, then the counters. The\n"
        "exit status is 0 only if the kernels ran without a fault and all checks hold.\n"
        "\n"
        "Behind `--` stands a program that uses CUDA, and its arguments. It runs on the emulator,\n"
        "which is its libcuda.so.1, libcudart.so.12 and .13: compile it with `nvcc -cudart shared` and\n"
        "PTX, as -gencode arch=compute_90a,code=compute_90a embeds it. --device emu:100, or\n"
        "GEMMGEN_EMU_ARCH in the environment, is the device's architecture. The exit status is the program's.\n"
        "\n"
        "With `--device gpu` the same recipe runs on a GPU. Without --device it is the emulator.",
    .options = options,
    .options_size = sizeof(emu_command_options),
    .run = run,
};
