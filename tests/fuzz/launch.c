#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/device.h"

enum {
  ctas_most = 4,
  threads_most = 256,
  cluster_most = 2,
  line_most = 64,
  memory_most = 64 << 20
};

static void read_three(unsigned out[3], const char *text, unsigned most) {
  unsigned read[3];
  if (sscanf(text, "%9u %9u %9u", &read[0], &read[1], &read[2]) != 3) return;
  if (read[0] <= most && read[1] <= most && read[2] <= most &&
      read[0] * read[1] * read[2] <= most) {
    memcpy(out, read, sizeof read);
  }
}

/* Of any other number there is no device. */
static void read_arch(int *out, const char *text) {
  static const int known[] = {80, 86, 87, 89, 90, 100, 103, 110, 120, 121};
  int arch;
  if (sscanf(text, "%9d", &arch) != 1) return;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i] == arch) *out = arch;
  }
}

static void read_line(fuzz_launch *launch, const char *line) {
  if (!strncmp(line, "arch ", 5)) read_arch(&launch->arch, line + 5);
  if (!strncmp(line, "grid ", 5)) read_three(launch->config.grid, line + 5, ctas_most);
  if (!strncmp(line, "block ", 6)) read_three(launch->config.block, line + 6, threads_most);
  if (!strncmp(line, "cluster ", 8)) read_three(launch->config.cluster, line + 8, cluster_most);
}

fuzz_launch fuzz_read_launch(const uint8_t *data, size_t size) {
  fuzz_launch launch = {.arch = 90, .config = {.grid = {2, 1, 1}, .block = {64, 1, 1}}};
  while (size > 4 && !memcmp(data, "//! ", 4)) {
    const uint8_t *end = memchr(data, '\n', size);
    char line[line_most] = "";
    if (!end) break;
    size_t length = (size_t)(end - data) - 4;
    memcpy(line, data + 4, length < sizeof line ? length : sizeof line - 1);
    read_line(&launch, line);
    size -= length + 5;
    data = end + 1;
  }
  return launch;
}

emu_device *fuzz_open_device(const emu_options *options) {
  emu_device *device;
  if (emu_device_open(&device, options, NULL)) abort();
  device->capacity = memory_most;
  return device;
}
