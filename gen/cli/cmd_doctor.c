/* gemmgen doctor: what there is to work with, and what works together. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache.h"
#include "cli/cli.h"
#include "cli/doctor_packs.h"
#include "context.h"
#include "jit.h"
#include "plan/target.h"

typedef struct doctor_options {
  bool json, clear_cache;
} doctor_options;

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, offsetof(doctor_options, json), NULL, "print JSON"},
    {"clear-cache", 0, CLI_REMOVAL, offsetof(doctor_options, clear_cache), NULL,
     "remove every compiled kernel that is kept"},
    {0},
};

enum { devices_max = 64 };

/* Everything that was found. An empty text means that the thing was not found. */
typedef struct findings {
  gg_str toolkit, nvcc_version, ptxas;
  gg_compiler *compiler;
  int driver_version;
  gg_str no_device; /* why there is no device */
  gg_device_facts devices[devices_max];
  gg_gpcs gpcs[devices_max];
  int device_count;
  gg_device_facts emulator;
  gg_str no_emulator; /* why it does not start */
  gg_cache cache;
  gg_cache_usage cached;
  doctor_packs packs; /* of GEMMGEN_PACKS */
} findings;

/* ---- The toolkit ---------------------------------------------------------------------- */

extern char **environ;

/* Appends what `program --version` prints. */
static void read_version(gg_str *out, char *program) {
  int ends[2];
  pid_t child;
  posix_spawn_file_actions_t actions;
  if (pipe(ends) != 0) return;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  char flag[] = "--version", *arguments[] = {program, flag, NULL};
  bool started = posix_spawn(&child, program, &actions, NULL, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char buffer[512];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    gg_str_append(out, buffer, (size_t)got);
  }
  close(ends[0]);
  if (started) waitpid(child, NULL, 0);
}

/* Appends the number behind "release " in what nvcc prints. */
static void find_release(gg_str *out, const char *text) {
  const char *release = strstr(text, "release ");
  if (!release) return;
  release += strlen("release ");
  gg_str_append(out, release, strspn(release, "0123456789."));
}

static void find_toolkit(findings *out) {
  if (!gg_toolkit_root(&out->toolkit)) return;
  gg_str nvcc = GG_STR_INIT, words = GG_STR_INIT;
  gg_str_printf(&nvcc, "%s/bin/nvcc", gg_str_text(&out->toolkit));
  if (!nvcc.failed) read_version(&words, nvcc.text);
  find_release(&out->nvcc_version, gg_str_text(&words));
  out->nvcc_version.failed |= nvcc.failed || words.failed;
  gg_str_printf(&out->ptxas, "%s/bin/ptxas", gg_str_text(&out->toolkit));
  if (!out->ptxas.failed && access(out->ptxas.text, X_OK) != 0) gg_str_free(&out->ptxas);
  gg_str_free(&nvcc);
  gg_str_free(&words);
}

/* ---- Devices -------------------------------------------------------------------------- */

static void find_gpcs(gg_gpcs *out, gg_context *context) {
  gg_error err = GG_ERROR_INIT;
  const gg_gpcs *gpcs;
  if (gg_context_gpcs(&gpcs, context, &err)) {
    cli_warn(NULL, err.message);
    gg_error_clear(&err);
  } else {
    *out = *gpcs;
  }
}

static void find_devices(findings *out) {
  for (int i = 0; i < devices_max; i++) {
    gg_error err = GG_ERROR_INIT;
    gg_context *context;
    gg_context_options opt = {
        .size = sizeof(gg_context_options),
        .device = i,
        .provider = GG_PROVIDER_CUDA,
        .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
    if (gg_context_open(&context, &opt, &err)) {
      if (i == 0) gg_str_puts(&out->no_device, err.message);
      gg_error_clear(&err);
      return;
    }
    find_gpcs(&out->gpcs[out->device_count], context);
    out->devices[out->device_count++] = *gg_context_device(context);
    out->driver_version = gg_context_device(context)->driver_version;
    gg_context_close(context);
  }
}

static void find_emulator(findings *out) {
  gg_error err = GG_ERROR_INIT;
  gg_context *context;
  gg_context_options opt = {
      .size = sizeof(gg_context_options),
      .provider = GG_PROVIDER_EMU,
      .compiler = &(gg_compiler_options){.size = sizeof(gg_compiler_options), .cache = ""}};
  if (gg_context_open(&context, &opt, &err)) {
    gg_str_puts(&out->no_emulator, err.message);
    gg_error_clear(&err);
    return;
  }
  out->emulator = *gg_context_device(context);
  gg_context_close(context);
}

/* Steps to the first target of the next family. Targets of one family stand together. */
static const gg_target *const *next_family(const gg_target *const *at) {
  const char *family = (*at)->family;
  while (*at && strcmp((*at)->family, family) == 0)
    at++;
  return at;
}

/* Appends how a family's kernels get onto a device, as in "as sm_90 cubin", or why they cannot.
 * True where they can. */
static bool family_on_device(gg_str *out, const findings *found, const gg_target *family,
                             const gg_device_facts *device) {
  gg_error err = GG_ERROR_INIT;
  gg_arch arch;
  gg_format format;
  char name[GG_ARCH_NAME_MAX], least[GG_ARCH_NAME_MAX];
  if (found->compiler->why_not) {
    gg_str_puts(out, "no NVRTC to compile with");
    return false;
  }
  if (gg_jit_target(&arch, &format, family->family, gg_arch_name(least, family->least),
                    device->arch, &found->compiler->nvrtc, &err)) {
    gg_str_puts(out, err.message);
    gg_error_clear(&err);
    return false;
  }
  if (device->emulated) format = GG_FORMAT_PTX;
  gg_str_printf(out, "compiled as %s %s", gg_arch_name(name, arch),
                format == GG_FORMAT_PTX ? "PTX" : "cubin");
  return true;
}

/* ---- Text ----------------------------------------------------------------------------- */

static void print_toolkit(const findings *found) {
  gg_compiler_facts facts = *gg_compiler_facts_of(found->compiler);
  printf("toolkit   %s\n", found->toolkit.length ? gg_str_text(&found->toolkit)
                                                 : "none: set CUDA_HOME to where it is");
  if (found->nvcc_version.length) printf("nvcc      %s\n", gg_str_text(&found->nvcc_version));
  printf("ptxas     %s\n", found->ptxas.length ? gg_str_text(&found->ptxas) : "none");
  if (facts.nvrtc) {
    printf("NVRTC     %d.%d, %s, compiles for sm_%d to sm_%d\n", facts.nvrtc_version / 100,
           facts.nvrtc_version % 100 / 10, facts.nvrtc, facts.archs[0],
           facts.archs[facts.arch_count - 1]);
  } else {
    printf("NVRTC     none (%s); kernels can be generated, not compiled\n", facts.why_not);
    printf("          install the CUDA Toolkit 12.8 or newer, or of it the package cuda-nvrtc\n");
  }
}

static void print_families(const findings *found, const gg_device_facts *device) {
  for (const gg_target *const *family = gg_targets; *family; family = next_family(family)) {
    gg_str fate = GG_STR_INIT;
    bool runs = family_on_device(&fate, found, *family, device);
    printf("          family %s %s: %s\n", (*family)->family, runs ? "runs" : "does not run",
           gg_str_shown(&fate));
    gg_str_free(&fate);
  }
}

/* Prints the GPCs of a device. A device that appears as one group tells nothing and is left out. */
static void print_gpcs(const gg_gpcs *gpcs) {
  int loose = 0, gpc_count = 0;
  if (gpcs->count < 2) return;
  for (int i = 0; i < gpcs->count; i++) {
    if (gpcs->loose[i])
      loose = gpcs->size[i];
    else
      printf("%s%d", gpc_count++ ? ", " : "          GPCs of ", gpcs->size[i]);
  }
  printf(" multiprocessors");
  if (loose) printf("; %d that hold no cluster of four CTAs", loose);
  printf("\n");
}

static void print_devices(const findings *found) {
  if (found->device_count == 0) {
    printf("device    none (%s); kernels run in the emulator\n", gg_str_text(&found->no_device));
    return;
  }
  printf("driver    serves CUDA %d.%d\n", found->driver_version / 1000,
         found->driver_version % 1000 / 10);
  for (int i = 0; i < found->device_count; i++) {
    const gg_device_facts *device = &found->devices[i];
    printf("device %d  %s, sm_%d, %d multiprocessors, %lld MiB, L2 %lld MiB\n", i, device->name,
           device->arch, device->sm_count, (long long)(device->memory_bytes >> 20),
           (long long)(device->l2_bytes >> 20));
    print_gpcs(&found->gpcs[i]);
    print_families(found, device);
  }
}

static void print_emulator(const findings *found) {
  if (found->no_emulator.length) {
    printf("emulator  does not start: %s\n", gg_str_text(&found->no_emulator));
    return;
  }
  printf("emulator  %s, on this machine's CPU\n", found->emulator.name);
  print_families(found, &found->emulator);
}

static void print_cache(const findings *found) {
  if (!found->cache.directory) {
    printf("cache     none\n");
    return;
  }
  printf("cache     %s: %lld kernels, %lld KiB\n", found->cache.directory,
         (long long)found->cached.entries, (long long)(found->cached.bytes >> 10));
  if (found->cached.distrusted) {
    printf("          %lld of them are not used: others may have written them\n",
           (long long)found->cached.distrusted);
  }
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void json_text(gg_str *out, const char *name, const char *text) {
  gg_str_printf(out, "  \"%s\": ", name);
  if (text && *text)
    gg_str_json(out, text);
  else
    gg_str_puts(out, "null");
  gg_str_puts(out, ",\n");
}

/* Writes the GPCs; `gpcs` NULL: they are not wanted. */
static void json_gpcs(gg_str *out, const gg_gpcs *gpcs) {
  if (!gpcs) return;
  gg_str_puts(out, "\"gpcs\": [");
  for (int i = 0; gpcs->count > 1 && i < gpcs->count; i++) {
    gg_str_printf(out, "%s{\"multiprocessors\": %d, \"clusters_of_four\": %s}", i ? ", " : "",
                  gpcs->size[i], gpcs->loose[i] ? "false" : "true");
  }
  gg_str_puts(out, "], ");
}

static void json_device(gg_str *out, const findings *found, const gg_device_facts *device,
                        const gg_gpcs *gpcs) {
  gg_str_puts(out, "\n    {\"name\": ");
  gg_str_json(out, device->name);
  gg_str_printf(out,
                ", \"arch\": %d, \"sm_count\": %d, \"memory_bytes\": %lld, \"l2_bytes\": %lld, "
                "\"smem_per_cta\": %d, \"clock_khz\": %d, ",
                device->arch, device->sm_count, (long long)device->memory_bytes,
                (long long)device->l2_bytes, device->smem_per_cta, device->clock_khz);
  json_gpcs(out, gpcs);
  gg_str_puts(out, "\"families\": {");
  for (const gg_target *const *family = gg_targets; *family; family = next_family(family)) {
    gg_str fate = GG_STR_INIT;
    bool runs = family_on_device(&fate, found, *family, device);
    gg_str_printf(out, "%s\"%s\": {\"runs\": %s, \"how\": ", family == gg_targets ? "" : ", ",
                  (*family)->family, runs ? "true" : "false");
    gg_str_json(out, gg_str_text(&fate));
    out->failed = out->failed || fate.failed;
    gg_str_putc(out, '}');
    gg_str_free(&fate);
  }
  gg_str_puts(out, "}}");
}

static void make_json(gg_str *out, const findings *found) {
  gg_compiler_facts facts = *gg_compiler_facts_of(found->compiler);
  gg_str_puts(out, "{\n");
  json_text(out, "version", gg_version());
  json_text(out, "toolkit", gg_str_text(&found->toolkit));
  json_text(out, "nvcc", gg_str_text(&found->nvcc_version));
  json_text(out, "ptxas", gg_str_text(&found->ptxas));
  json_text(out, "nvrtc", facts.nvrtc);
  gg_str_printf(out, "  \"nvrtc_version\": %d,\n  \"nvrtc_archs\": [", facts.nvrtc_version);
  for (size_t i = 0; i < facts.arch_count; i++) {
    gg_str_printf(out, "%s%d", i ? ", " : "", facts.archs[i]);
  }
  gg_str_puts(out, "],\n");
  json_text(out, "cache", found->cache.directory);
  gg_str_printf(out, "  \"cache_entries\": %lld,\n  \"cache_bytes\": %lld,\n",
                (long long)found->cached.entries, (long long)found->cached.bytes);
  gg_str_printf(out, "  \"cache_distrusted\": %lld,\n", (long long)found->cached.distrusted);
  doctor_packs_json(out, &found->packs);
  gg_str_printf(out, "  \"driver_version\": %d,\n", found->driver_version);
  json_text(out, "no_device", gg_str_text(&found->no_device));
  gg_str_puts(out, "  \"devices\": [");
  for (int i = 0; i < found->device_count; i++) {
    if (i) gg_str_putc(out, ',');
    json_device(out, found, &found->devices[i], &found->gpcs[i]);
  }
  gg_str_puts(out, "\n  ],\n");
  json_text(out, "no_emulator", gg_str_text(&found->no_emulator));
  gg_str_puts(out, "  \"emulator\": ");
  if (found->no_emulator.length)
    gg_str_puts(out, "null");
  else
    json_device(out, found, &found->emulator, NULL);
  gg_str_puts(out, "\n}\n");
}

static bool is_whole(const findings *found) {
  const gg_str *texts[] = {&found->toolkit, &found->nvcc_version, &found->ptxas, &found->no_device,
                           &found->no_emulator};
  bool whole = true;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    whole = whole && !texts[i]->failed;
  return whole;
}

/* ---- The command ---------------------------------------------------------------------- */

static int print(const findings *found, bool json) {
  gg_error err = GG_ERROR_INIT;
  gg_str text = GG_STR_INIT;
  if (json) {
    make_json(&text, found);
  } else {
    printf("gemmgen   %s\n", gg_version());
    print_toolkit(found);
    print_devices(found);
    print_emulator(found);
    print_cache(found);
    doctor_packs_text(&text, &found->packs, found->devices, found->device_count, &found->emulator);
  }
  gg_status st = cli_print(&text, &err);
  gg_str_free(&text);
  return st ? cli_report(&err, NULL) : CLI_OK;
}

static int run(const void *values, int argc, char **argv) {
  const doctor_options *given = values;
  (void)argv;
  if (argc > 0) return cli_usage("doctor takes no operands");
  gg_error err = GG_ERROR_INIT;
  findings found = {0};
  int code;
  gg_compiler_options opt = {.size = sizeof(gg_compiler_options), .warn = cli_warn};
  gg_status st = gg_compiler_open(&found.compiler, &opt, &err);
  if (!st) st = gg_cache_open(&found.cache, NULL, 0, &err);
  if (!st) st = doctor_packs_open(&found.packs, getenv("GEMMGEN_PACKS"), &err);
  if (st) {
    code = cli_report(&err, NULL);
    goto done;
  }
  if (given->clear_cache) gg_cache_clear(&found.cache);
  found.cached = gg_cache_usage_of(&found.cache);
  find_toolkit(&found);
  find_devices(&found);
  find_emulator(&found);
  code = is_whole(&found) ? print(&found, given->json) : cli_out_of_memory();
done:
  doctor_packs_close(&found.packs);
  gg_cache_close(&found.cache);
  gg_compiler_close(found.compiler);
  gg_str_free(&found.toolkit);
  gg_str_free(&found.nvcc_version);
  gg_str_free(&found.ptxas);
  gg_str_free(&found.no_device);
  gg_str_free(&found.no_emulator);
  return code;
}

const cli_command cmd_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Say what there is to work with: toolkit, NVRTC, driver, devices, cache, packs",
    .details =
        "For each device it tells which kernel families run there, and what they are compiled\n"
        "as; of a GPU that has clusters, by measuring, how many multiprocessors lie in each GPC;\n"
        "for each pack of GEMMGEN_PACKS its kernels, their forms, and which devices use it, or\n"
        "why this gemmgen cannot. The exit status is 0 whatever is missing: generating kernels\n"
        "needs none of it.",
    .options = options,
    .options_size = sizeof(doctor_options),
    .run = run,
};
